/* Traces made by hand, for tests of replay: each function appends one call of the application.
 * Handles are small numbers of the test's choice. */
#ifndef TESTS_UNIT_REPLAY_RECORDING_H
#define TESTS_UNIT_REPLAY_RECORDING_H

#include "trace/api/entry.h"

#include <stddef.h>
#include <stdint.h>

struct recording {
    struct spool *spool;
    struct api_call call; /* being made */
    uint64_t next_id;
    uint64_t lists[64]; /* what the call's lists point into */
    size_t list_count;
    char path[256];
};

/* Starts a trace in a file of its own. */
void recording_open(struct recording *recording);
/* Completes the trace; recording_remove deletes the file. */
void recording_close(struct recording *recording);
void recording_remove(const struct recording *recording);

/* Starts a call that lasts from `begin` to `end` (nanoseconds) on `thread`; 0 for `end`: it never
 * returned. */
void recording_call(struct recording *recording, uint32_t entry, uint32_t thread, uint64_t begin,
                    uint64_t end);
void recording_scalar(struct recording *recording, uint32_t index, uint64_t value);
void recording_handles(struct recording *recording, uint32_t index, const uint64_t *handles,
                       uint32_t count);
void recording_pointer(struct recording *recording, uint32_t index, uint64_t address);
void recording_result(struct recording *recording, uint64_t result);
/* The bytes after argument `index`. */
void recording_content(struct recording *recording, uint32_t index, const void *bytes, size_t size);
/* Appends the call; returns its id. */
uint64_t recording_end(struct recording *recording);

#endif
