/* The recording's threads, each performed by one of its own.
 *
 * A call waits for what it needs of calls that other threads made before it: those that made an
 * object it names, that use one it releases, or whose handle it gives to another; those on the same
 * queue, program or kernel, since what they do there has an order; and those by which the program
 * learned that something was over, since threads tell each other such things in ways that no
 * recording has. It waits for the end of those that had returned when it began, and for the
 * beginning of others. So nothing waits in a circle, and a program whose threads agree on their
 * order gives the same again.
 *
 * What replay knows has one lock, which is held by whoever is not in the driver. */
#ifndef REPLAY_THREADS_H
#define REPLAY_THREADS_H

#include "replay/state.h"

struct replay_threads;

/* Performs all calls of the cursor. */
enum status replay_threads_run(struct replay *replay, struct trace_cursor *cursor,
                               struct error *error);

#endif
