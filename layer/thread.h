/* What the layer keeps for each thread of the application. */
#ifndef LAYER_THREAD_H
#define LAYER_THREAD_H

#include "layer/readable.h"
#include "trace/api/call.h"
#include "trace/base/arena.h"
#include "trace/base/assert.h"

#include <stdbool.h>
#include <stdint.h>

struct in_flight;

/* ---- room.c ---- */

/* Room on the stack. A program's threads may have 16 KiB of it, which is enough for a call and not
 * for what clerk does around it: where little is left, the call is made on a stack of clerk's own,
 * by the driver too. Belongs to one thread. */

enum { ROOM_NEEDED = 64 << 10 };

struct room {
    uintptr_t low, size; /* of the thread's stack */
    char *own;           /* the pages of clerk's; NULL = not needed yet */
    bool used;           /* clerk's */
};

/* Asks for the calling thread's stack. */
void room_init(struct room *room);
void room_release(struct room *room);

/* `frame` is on the stack of a caller. Another one than the thread's, as fibers have, counts as
 * short. */
static inline bool room_is_short(const struct room *room, const void *frame)
{
    const uintptr_t at = (uintptr_t)frame - room->low;
    return at < ROOM_NEEDED || at >= room->size;
}
/* Calls the function on clerk's stack; on the caller's if clerk's is in use, or cannot be had. */
void room_call(struct room *room, void (*function)(void *user), void *user);
/* Is it the return address of the frame from which one stack leads to the other? */
bool room_is_switch(uintptr_t address);

/* Has the function with the frame `inner` been left without returning, now that one with the frame
 * `here` runs, which is not a callee of it? Only known where both are on the thread's stack. For
 * any signal handler. */
bool room_was_left(const struct room *room, const void *inner, const void *here);

/* Which function of the application's, that the driver called, a thread is in. */
struct layer_place {
    uint32_t callbacks; /* > 0: in a callback, or a native kernel */
    uint32_t briefs;    /* > 0: in one that must not block */
    uint64_t ended;     /* the object whose end the innermost callback tells; 0 = none */
    struct api_event_callback *callback; /* of an event, which it is in; NULL = another, or none */
    uint64_t queue; /* that runs the native kernel which the thread is in; 0 = none */
};

/* The log of a failed build that the driver has given while the call was judged. */
struct layer_log {
    uint64_t program, device; /* program 0 = none */
    const char *bytes;        /* in the thread's arena */
    size_t size;              /* with its end */
};

struct layer_thread {
    struct arena arena; /* values of the calls under way; emptied when none is */
    struct readable readable;
    struct room room;
    uint64_t session;    /* the generation of the session that `number` is of; 0 = none yet */
    uint32_t number;     /* from 1, in the order in which threads first called */
    uint64_t call;       /* the number of its last call, if it takes them in portions: */
    uint32_t calls_left; /* of this portion */
    uint32_t depth;      /* recorded calls under way: more than one when a callback calls */
    uint32_t entry;      /* of the outermost of them, */
    const void *frame;   /* which has this one */
    uint32_t inside;     /* > 0: in the driver; what it calls itself is not the application's */
    bool exiting;        /* it runs the program's exit handlers */
    struct layer_place place;
    struct layer_log log;        /* of the call that is about to return */
    struct in_flight *in_flight; /* tells what it is in; NULL = nobody wants to know */
};

/* Are its calls made from no callback, native kernel or exit handler? */
static inline bool layer_thread_is_plain(const struct layer_thread *thread)
{
    const struct layer_place *place = &thread->place;
    return (place->callbacks | place->ended | place->queue | thread->exiting) == 0;
}

/* The driver runs from here to layer_thread_leave: what it calls is not the application's. */
static inline void layer_thread_enter(struct layer_thread *thread)
{
    thread->inside++;
}
static inline void layer_thread_leave(struct layer_thread *thread)
{
    ASSERT(thread->inside > 0);
    thread->inside--;
}

/* Before the values of a call are captured: nobody needs older ones, but calls in whose callback it
 * is made. */
static inline void layer_thread_empty(struct layer_thread *thread)
{
    if (thread->depth <= 1)
        arena_reset(&thread->arena);
}

/* Is the calling thread in clerk, where only a signal handler makes calls, or in the driver? Not in
 * a callback. Apart from the rest, which is not there yet while it is made. */
extern _Thread_local uint32_t layer_thread_busy
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The calling thread's; made at its first call and freed when it ends. NULL when memory is out, or
 * when the thread is ending. */
struct layer_thread *layer_thread_get(void);
/* The same, but none is made. */
struct layer_thread *layer_thread_find(void);

/* In a forked child: the thread that lives on returns from the calls that it is in, and has no
 * number yet. */
void layer_thread_forked(void);

#endif
