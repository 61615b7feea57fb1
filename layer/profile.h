/* The times of all commands (clerk run --profile). Queues are made with CL_QUEUE_PROFILING_ENABLE
 * and commands with events, also where the program asks for neither; what it is told of them is
 * what it would be told without. The times of a command go to the trace when it has ended, which is
 * looked for while the program enqueues, waits, or releases a queue or context. Functions may be
 * called from any thread, which is marked as being inside the driver. */
#ifndef LAYER_PROFILE_H
#define LAYER_PROFILE_H

#include "checkers/sink.h"
#include "trace/api/call.h"
#include "trace/base/arena.h"

#include <CL/cl.h>

#include <stdbool.h>
#include <stdint.h>

struct profile;
struct range;
struct spool;

/* Both are borrowed; `range` NULL: all of the run is recorded. NULL when memory is out. */
struct profile *profile_create(struct spool *spool, struct range *range);
void profile_destroy(struct profile *profile); /* NULL is fine */

/* The words of a call that are otherwise for the driver than the program gave them. */
struct profile_change {
    uint64_t *word; /* NULL = none */
    uint64_t given; /* what stood there */
    cl_event event; /* of a command for which the program wants none; NULL = not made */
};

/* Is the driver not to be asked, as it would tell of the profiling? Then *result is the call's. */
bool profile_answers(struct profile *profile, const struct api_call *call, const uint64_t *words,
                     uint64_t *result);
/* Before the call; what the driver is given lives in `arena`, and in *change, until it returns. */
void profile_before(struct profile *profile, const struct api_call *call, uint64_t *words,
                    struct arena *arena, struct profile_change *change);
/* The driver may have refused a queue because it was to be profiled: the words are the program's
 * again, and the call is to be made again. */
bool profile_was_refused(const struct api_call *call, uint64_t result,
                         struct profile_change *change);
/* After the call, of which `again` says whether it was made again. */
void profile_after(struct profile *profile, const struct api_call *call, uint64_t *words,
                   uint64_t result, const struct profile_change *change, bool again);

/* Where the reference device is to tell what it counts of lines; lives as long as the profile. */
const struct sink_profiling *profile_counting(struct profile *profile);

/* When the program ends: takes the times of what has ended. */
void profile_finish(struct profile *profile);

/* What has no times: */
struct profile_gaps {
    uint64_t unended; /* commands that have not ended before the recording, */
    uint64_t excess;  /* that had not when too many others came after them */
    bool refused;     /* queues that could not be made to profile */
};
struct profile_gaps profile_gaps(struct profile *profile);

#endif
