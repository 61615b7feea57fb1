/* Launches that come again: with the same kernel, arguments, sizes and command-queue, and nothing
 * has changed since that their judgement rests on. What was right then is right now, so it need not
 * be judged again. A kernel remembers the digests of a few of its launches that were right. */
#ifndef CHECKERS_HOST_COMMANDS_SEEN_LAUNCHES_H
#define CHECKERS_HOST_COMMANDS_SEEN_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

struct judged;

/* A launch, and what its judgement rests on; to be taken before it is judged. */
struct seen_launch {
    struct kernel_traits *kernel; /* NULL: it is to be judged in any case */
    uint64_t digest;
};
struct seen_launch seen_launch_find(const struct judged *judged);
/* Was such a launch right? */
bool seen_launch_is_right(const struct seen_launch *launch);
/* It was judged, and nothing was found. */
void seen_launch_note(const struct seen_launch *launch);

#endif
