/* Which call each thread is in, told to `clerk run` for when the program does not come back from it
 * (trace/api/in_flight.h). */
#ifndef LAYER_IN_FLIGHT_H
#define LAYER_IN_FLIGHT_H

#include "layer/stack.h"
#include "trace/api/call.h"
#include "trace/api/entry.h"
#include "trace/api/in_flight.h"

/* The file, if there is one; where it cannot be had nothing is told. Once a session; what the
 * process had left there, before exec, is dropped. */
void in_flight_open(void);
/* The process comes to its end by itself. */
void in_flight_close(void);

/* A place in it for a thread of this process; NULL = there is none. */
struct in_flight *in_flight_take(uint32_t thread);
void in_flight_leave(struct in_flight *thread); /* NULL is fine */

/* What a thread was in, in whose callback it makes a call. */
struct in_flight_call {
    uint32_t entry;
    uint64_t call;
};
static inline struct in_flight_call in_flight_begin(struct in_flight *thread,
                                                    const struct api_call *call)
{
    struct in_flight_call outer = {0};
    if (!thread)
        return outer;
    outer.entry = atomic_load_explicit(&thread->entry, memory_order_relaxed);
    outer.call = thread->call;
    thread->call = call->id;
    atomic_store_explicit(&thread->entry, call->entry, memory_order_release);
    return outer;
}
static inline void in_flight_end(struct in_flight *thread, struct in_flight_call outer)
{
    if (!thread)
        return;
    atomic_store_explicit(&thread->entry, outer.entry, memory_order_release);
    thread->call = outer.call;
}

/* Where the program calls from, of a call that takes its time anyway: it waits, or enqueues. */
void in_flight_note_stack(struct in_flight *thread, struct stack_table *stacks);
static inline bool in_flight_wants_stack(uint32_t entry)
{
    return entry == API_ENTRY_clFinish || entry == API_ENTRY_clWaitForEvents ||
           entry == API_ENTRY_clBuildProgram || entry == API_ENTRY_clCompileProgram ||
           entry == API_ENTRY_clLinkProgram ||
           (api_entry_get(entry)->flags & API_ENTRY_ENQUEUES) != 0;
}

#endif
