/* Suppressions: findings that the user knows and does not want to see.
 *
 * A suppression file has one suppression a line: a rule id, then any number of filters KEY=GLOB
 * that must all hold. `#` starts a comment; blank lines are nothing.
 *
 *     race-global                                      # never report this rule
 *     race-global  file=third_party*.cl line=40        # this place alone
 *     handle-released function=clWaitForEvents         # in this entry point
 *     bounds-local kernel=legacy_* object=table        # in these kernels, of this memory
 *     race-local   fingerprint=0123456789abcdef        # this finding, however its lines move
 *
 * Keys: `function` (an OpenCL entry point, or a kernel-side function of the place or its call
 * chain), `file` (the path as reported, or its last component), `line`, `kernel`, `object` (the
 * name of the memory), `fingerprint` (finding_fingerprint). A finding is suppressed when one of its
 * places satisfies function, file and line together. In a glob `*` is any text and `?` any one
 * byte. A line with a fingerprint covers one finding, with all that count as the same
 * (finding_key): a second one that looks alike needs a line of its own. */
#ifndef CHECKERS_SUPPRESS_H
#define CHECKERS_SUPPRESS_H

#include "checkers/finding.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct suppressions;

/* Reads a suppression file; may be called again on the same set to add another file. *set is
 * created when it is NULL. STATUS_MALFORMED names the file, the line and what is wrong with it;
 * nothing of that file is then added. Destroy with suppressions_destroy. */
enum status suppressions_load(const char *path, struct suppressions **set, struct error *error);
/* The same from memory; `name` stands for the file in messages. */
enum status suppressions_parse(const char *text, size_t size, const char *name,
                               struct suppressions **set, struct error *error);
/* NULL is an empty set. */
void suppressions_destroy(struct suppressions *set);

/* A line that covers this finding, as narrowly as a file can say it, its message as a comment
 * above. */
void suppression_print(const struct finding *finding, struct text *text);

/* Does a line of the set cover this finding? It is then used. One thread at a time; `set` may be
 * NULL. */
bool suppressions_match(struct suppressions *set, const struct finding *finding);

/* The lines that were never used, in order: "line 3 of 'known.txt' (race-local) covers no finding".
 * The sentence is valid during the call. */
typedef void suppressions_visit(void *user, const char *sentence);
void suppressions_each_unused(const struct suppressions *set, suppressions_visit *visit,
                              void *user);

#endif
