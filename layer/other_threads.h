/* Whether anybody but the calling thread is left to act for the program. */
#ifndef LAYER_OTHER_THREADS_H
#define LAYER_OTHER_THREADS_H

#include <stdbool.h>

/* The shape of a host_alone: `session` is a struct session *. Threads of a driver count too, since
 * nothing tells them from the program's; clerk's own do not. */
bool alone_in_process(void *session);

#endif
