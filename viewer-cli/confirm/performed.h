/* Captured launches, each performed on the reference device in a process of its own, and what came
 * of it. */
#ifndef VIEWER_CLI_CONFIRM_PERFORMED_H
#define VIEWER_CLI_CONFIRM_PERFORMED_H

#include "checkers/finding.h"
#include "trace/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct performed {
    const char *kernel, *function; /* as in struct captured */
    uint64_t call_id;
    bool is_after, is_running;
    bool was_run;       /* or has begun to */
    const char *reason; /* why it was not run, or not to its end, as the end of a sentence; "" = it
                           was */
    struct finding **findings;
    size_t finding_count, finding_capacity;
};

/* The launch of a file that the layer wrote; `environment` is the program's, with clerk's settings.
 * Takes a minute at most, and not longer than `until_ns` (clock_monotonic_ns). The process must
 * have one thread. Strings and findings are in `arena`, the list is freed with alloc_free. False
 * when the file is none. */
bool performed_read(const char *path, char **environment, uint64_t until_ns, struct arena *arena,
                    struct performed *performed);

#endif
