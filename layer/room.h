/* Room on the stack. A program's threads may have 16 KiB of it, which is enough for a call and not
 * for what clerk does around it: where little is left, the call is made on a stack of clerk's own,
 * by the driver too. Belongs to one thread. */
#ifndef LAYER_ROOM_H
#define LAYER_ROOM_H

#include <stdbool.h>
#include <stdint.h>

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

/* Has the function with the frame `inner` been left without returning, now that one with the frame
 * `here` runs, which is no callee of it? Only known where both are on the thread's stack. For any
 * signal handler. */
bool room_was_left(const struct room *room, const void *inner, const void *here);

#endif
