/* Transfers in flight, and what the program does to their memory of the host. A source has a digest
 * as long as nothing but the program can change it.
 *
 * A part of memory.c, under its mutex. */
#ifndef CHECKERS_HOST_MEMORY_TRANSFERS_H
#define CHECKERS_HOST_MEMORY_TRANSFERS_H

#include "checkers/host/memory/watched.h"

struct transfer;
struct transfers {
    struct watched *watched;
    struct transfer *list;
};

void transfers_release(struct transfers *transfers);

/* A command was enqueued that goes on when its call is over; `changeable`: others than the program
 * may change the bytes. */
void transfers_add(struct transfers *transfers, const struct api_call *call,
                   struct ordered_command *command, const struct use *use, bool changeable);
/* Those of which the host knows that they have ended; or those that end no later than `asked`. The
 * call under way, which tells it, is NULL in a callback. */
void transfers_end(struct transfers *transfers, const struct api_call *call,
                   const struct ordered_command *asked);
/* From now on others than the program may change these sources: NULL = all of them. */
void transfers_give_up(struct transfers *transfers, const struct use_bytes *bytes);
/* The program is about to unmap these bytes: from then on they are the driver's. */
void transfers_unmap(struct transfers *transfers, const struct api_call *call,
                     const struct use_bytes *bytes);
/* Is it the destination of one? */
bool transfers_write(const struct transfers *transfers, const struct use_bytes *bytes);
/* The program frees the bytes. */
void transfers_freed(struct transfers *transfers, const struct use_bytes *bytes,
                     const struct use_origin *now);

#endif
