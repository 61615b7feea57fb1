/* What `clerk run --probes` makes of findings that checked copies of kernels gave on a driver's
 * device. The layer keeps launches of such kernels (checkers/probe/captured.h); when the program
 * has ended, each is performed on the reference device, and
 *
 * - where that finds the same, its finding stands in place of the other: it shows more;
 * - else the finding stays, and says what became of the launch; but if the reference device ran
 *   that, a read of what nobody has written (uninitialised-read) has no use, and a race of a kernel
 *   that orders its items by more than barriers (race-unconfirmed) is none;
 * - what else the reference device finds in a launch is told too.
 *
 * Launches that had not ended when the program did, as items waited for others, are performed too:
 * there the driver's device told nothing. */
#ifndef VIEWER_CLI_CONFIRM_CONFIRM_H
#define VIEWER_CLI_CONFIRM_CONFIRM_H

#include "checkers/finding.h"
#include "trace/base/arena.h"
#include "trace/base/status.h"

#include <stdbool.h>

struct confirmation;

/* With an empty directory for the launches. */
enum status confirmation_create(struct confirmation **confirmation, struct error *error);
void confirmation_destroy(struct confirmation *confirmation); /* NULL is fine */
/* What the layer is told by CAPTURED_DIRECTORY. */
const char *confirmation_directory(const struct confirmation *confirmation);

/* First, for every finding of the run. */
void confirmation_count(struct confirmation *confirmation, const struct finding *finding);
/* Then, with the environment that the program had, and one thread in the process. Takes five
 * minutes at most. */
void confirmation_perform(struct confirmation *confirmation, char **environment);
/* Then every finding again: those that are equal may tell of several accesses. */
void confirmation_compare(struct confirmation *confirmation, const struct finding *finding);
/* Then every finding becomes what is told of it; false: nothing is. New strings are in `arena`, or
 * live as long as the confirmation. */
bool confirmation_judge(const struct confirmation *confirmation, struct finding *finding,
                        struct arena *arena);

/* And what else was found. */
typedef void confirmation_function(void *user, const struct finding *finding);
void confirmation_each_more(const struct confirmation *confirmation,
                            confirmation_function *function, void *user);

/* Each launch that had not ended, as a sentence. */
typedef void confirmation_sentence(void *user, const char *sentence);
void confirmation_each_running(const struct confirmation *confirmation,
                               confirmation_sentence *function, void *user);

#endif
