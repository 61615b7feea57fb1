/* Findings that come again: a wrong call in a loop is described once, at its first time, and from
 * then on only counted; the rest of the count is reported at the end of the program. Any thread. */
#ifndef CHECKERS_HOST_REPEATED_FINDINGS_H
#define CHECKERS_HOST_REPEATED_FINDINGS_H

#include "checkers/finding.h"
#include "checkers/sink.h"

#include <stdbool.h>
#include <stdint.h>

struct repeats;

/* What makes two findings about calls the same, known before anything is described: as finding_key,
 * with numbers for stacks. Without padding: it is hashed as bytes. */
struct repeat_key {
    uint64_t stack;
    uint64_t created_stack;
    uint64_t released_stack;
    int64_t element;
    uint32_t rule;
    uint32_t entry;
    uint32_t argument;
    uint32_t created_entry;
    uint32_t released_entry;
    uint32_t reserved; /* 0 */
};

/* NULL when memory is out. */
struct repeats *repeats_create(void);
void repeats_destroy(struct repeats *repeats);

/* Counts one more of these if it was reported before; else false, and it is to be reported. */
bool repeats_count(struct repeats *repeats, const struct repeat_key *key);
/* It was reported. Without memory for a copy it is not remembered, and will be reported again. */
void repeats_remember(struct repeats *repeats, const struct repeat_key *key,
                      const struct finding *finding);
/* Reports those that came again, each once with the count that was not reported yet, in the order
 * of their first time. */
void repeats_report(struct repeats *repeats, sink_function *report, void *user);

#endif
