/* Calls as the layer would capture them, for the tests of the trace. */
#ifndef TESTS_UNIT_TRACE_SAMPLE_H
#define TESTS_UNIT_TRACE_SAMPLE_H

#include "trace/api/entry.h"
#include "trace/base/arena.h"
#include "trace/spool.h"

#include <stdint.h>

/* A call with this id and as many empty arguments as its entry point has. It begins at id * 1000 ns
 * and ends 500 ns later; not completed yet. */
struct api_call sample_call(uint64_t id, uint32_t thread, uint32_t entry);
void sample_scalar(struct api_call *call, uint32_t index, uint64_t value);
void sample_handle(struct api_call *call, uint32_t index, uint64_t handle);
/* A list of handles, or of one for an OUT event. */
void sample_list(struct arena *arena, struct api_call *call, uint32_t index,
                 enum api_value_kind kind, const uint64_t *elements, uint32_t count);
void sample_string(struct api_call *call, uint32_t index, const char *string);
void sample_strings(struct arena *arena, struct api_call *call, uint32_t index, const char *string);
void sample_bytes(struct api_call *call, uint32_t index, const void *bytes, uint64_t size);
/* Completes it: a status, or a handle. */
void sample_returns(struct api_call *call, int32_t status);
void sample_creates(struct api_call *call, uint64_t handle);

/* Begin and end of a clFinish. */
void sample_finish(struct spool *spool, uint64_t id, uint32_t thread);

/* A small program's whole run: platform, device, context, queue, program, kernel, buffers of which
 * one reuses a released handle, a launch with event and profile, one failed call, a finding, a host
 * stack, contents and facts. */
void sample_run(struct spool *spool);
enum { SAMPLE_RUN_CALLS = 19 };

/* A new empty directory, and "FILE" within it; both live until the process ends. sample_clean
 * removes it. */
const char *sample_directory(void);
const char *sample_path(const char *file);
void sample_clean(void);

#endif
