/* What a call needs of calls that other threads made before it; replay/threads.c says which those
 * are. One thread at a time. */
#ifndef REPLAY_ORDER_H
#define REPLAY_ORDER_H

#include "trace/reader.h"

struct order;

/* What a callback calls is in a lane of its own: the thread may be in another call then, which
 * waits for what the callback does. */
static inline uint64_t order_lane(const struct api_call *call)
{
    return 2 * (uint64_t)call->thread + (call->flags & API_CALL_IN_CALLBACK ? 1 : 0);
}

/* All calls of a lane up to this one. */
struct order_need {
    uint64_t lane;
    bool end; /* they have ended; else begun */
    uint64_t call_id;
};

/* NULL when memory is out. */
struct order *order_create(void);
void order_destroy(struct order *order);

/* Of each call of the recording, in order. The needs live in the arena. */
enum status order_add(struct order *order, struct trace *trace, const struct api_call *call,
                      struct arena *arena, const struct order_need **needs, size_t *count,
                      struct error *error);

#endif
