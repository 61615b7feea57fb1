/* Steps about events. */
#include "checkers/host/checker.h"

#include <inttypes.h>

static bool event_of(const struct judged *judged, uint64_t handle, struct event_traits *event)
{
    return judged_traits(judged, handle, API_OBJECT_EVENT, event) && event->entry != 0;
}

/* argument event: a user event */
void judge_user_event(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct event_traits event;
    if (event_of(judged, handle, &event) && !event.user) {
        advise(judged, ADVICE_EVENT_OF_COMMAND);
        blame_step(judged, step, handle, "is the event of a command, made by %s",
                   api_entry_get(event.entry)->name);
    }
}

/* argument event, a user event: its status was not set yet */
void judge_status_once(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct event_traits event;
    if (event_of(judged, handle, &event) && event.user && event.status_set)
        blame_step(judged, step, handle, "has its status already");
}

/* argument execution_status: the end, good or bad */
void judge_end_status(struct judged *judged, const struct step *step)
{
    const int64_t status = (int32_t)judged_bits(judged, step->argument);
    if (status > 0) {
        advise(judged, ADVICE_EVENT_END_STATUS);
        blame_step(judged, step, 0, "is %" PRId64 "; it is CL_COMPLETE or a negative error",
                   status);
    }
}

/* argument a wait list, other the flag that lets the call block, or none if it always does: no
 * event of it has failed */
void judge_failed_events(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    struct event_traits event;
    if (step->other != API_PARAMETER_NONE && judged_bits(judged, step->other) == 0)
        return;
    for (uint32_t i = 0; i < list_count(list, API_VALUE_HANDLES); ++i) {
        const uint64_t handle = list_word(list, i);
        if (!event_of(judged, handle, &event))
            continue;
        if (event.failed)
            blame_element(judged, step, i, handle, "is an event that has failed");
        else
            blame_unsure(judged, step, "has an event that has failed");
    }
}

/* argument event: its queue keeps times */
void judge_profiled(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct event_traits event;
    if (!event_of(judged, handle, &event))
        return;
    if (event.user)
        advise(judged, ADVICE_EVENT_WITHOUT_TIMES),
            blame_step(judged, step, handle, "is a user event, which has no times");
    else if (event.queue_known && !event.profiled)
        blame_step(judged, step, handle, "is of a command-queue without CL_QUEUE_PROFILING_ENABLE");
    else
        blame_unsure(judged, step, "is of a command that has not ended");
}
