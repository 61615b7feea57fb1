/* Whether anybody but the calling thread is left to act for the program. */
#ifndef LAYER_OTHER_THREADS_H
#define LAYER_OTHER_THREADS_H

#include <stdbool.h>

/* The shape of a host_alone: `session` is a struct session *. Threads of a driver count too, since
 * nothing tells them from the program's; clerk's own do not. */
bool alone_in_process(void *session);

/* A function of the program's may still be called by the driver, a callback or a native kernel;
 * one was, or never will be. `by_itself`: the program need do nothing for it. A notification of a
 * context's, which has no end, counts for ever. */
void other_call_expected(bool by_itself);
void other_call_over(bool by_itself);
/* Will one be called by itself? */
bool other_call_comes(void);

#endif
