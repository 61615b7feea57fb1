/* Findings that may come of the replay and not of the program. A replay has no host program: what
 * that wrote into shared memory while a command was under way is not there when the command is
 * performed again. So what the device finds in launches that such memory could reach is kept until
 * it is known whether the program did write there, and a launch that waits for it ends the replay.
 */
#ifndef VIEWER_CLI_REPLAY_REPLAY_DOUBTS_H
#define VIEWER_CLI_REPLAY_REPLAY_DOUBTS_H

#include "checkers/report.h"
#include "replay/replay.h"

/* Zero is empty. */
struct replay_doubts {
    uint64_t *launches; /* their calls, ascending but with free threads */
    size_t launch_count, launch_capacity;
    const struct finding **findings; /* in the arena */
    size_t finding_count, finding_capacity;
    uint64_t unanswered; /* the call of a launch that waited for ever; 0 = none */
    bool failed;         /* memory is out: something was not kept */
    struct arena arena;
};

/* A launch that the program's memory could reach is to be performed. */
void replay_doubts_add(struct replay_doubts *doubts, uint64_t call_id);
/* Is the finding one of such a launch? Then it is kept. */
bool replay_doubts_keep(struct replay_doubts *doubts, const struct finding *finding);
/* Fails if a launch waited for the host. */
enum status replay_doubts_check(const struct replay_doubts *doubts, struct error *error);
/* At the end: reports what was kept, or that it is not told, and why. */
void replay_doubts_finish(struct replay_doubts *doubts, const struct replay_result *result,
                          struct report *report);
void replay_doubts_release(struct replay_doubts *doubts);

#endif
