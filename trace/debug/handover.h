/* How a program that somebody else starts comes to its end of the debugger's socket. The starter
 * offers the end at a path, which the program is told by DEBUG_HANDOVER_VARIABLE; the first process
 * that takes it is the one that is debugged, and others find nothing there. So it does not matter
 * how many processes lie between, and what they close. */
#ifndef TRACE_DEBUG_HANDOVER_H
#define TRACE_DEBUG_HANDOVER_H

#include "trace/base/scratch.h"
#include "trace/base/status.h"

#define DEBUG_HANDOVER_VARIABLE "CLERK_DEBUGGER"

/* Zero-initialised: none. */
struct debug_handover {
    struct scratch directory; /* of mode 0700 */
    char *path;               /* of a socket in it, of mode 0600 */
    int listener;             /* while there is a path */
};

/* Offers `socket`, which becomes the offer's, on a thread of its own, as long as this process
 * lives. debug_handover_release also after a failure. */
enum status debug_handover_offer(struct debug_handover *handover, int socket, struct error *error);
/* Removes the path. Nobody can take it any more, but who took it has it. */
void debug_handover_release(struct debug_handover *handover);

/* What is offered at the path; -1: nothing, or not any more. */
int debug_handover_take(const char *path);

#endif
