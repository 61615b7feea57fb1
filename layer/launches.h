/* Which calls enqueued commands on the reference device, and from where: what a finding of the
 * device is completed with when it comes, some time after the call. Any thread may call. */
#ifndef LAYER_LAUNCHES_H
#define LAYER_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

struct launches;

struct launch_call {
    uint64_t call_id; /* of the trace */
    uint64_t stack;   /* a number of layer/stack.h */
    uint32_t entry;   /* trace/api: the entry point */
};

/* NULL when memory is out. */
struct launches *launches_create(void);
void launches_destroy(struct launches *launches); /* NULL is fine */

/* A command that memory has no room for is forgotten. */
void launches_add(struct launches *launches, const struct launch_call *call);
/* False when the call is none that was added. */
bool launches_find(struct launches *launches, uint64_t call_id, struct launch_call *call);

#endif
