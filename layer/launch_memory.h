/* The bytes of every memory object that a kernel can reach, before and after its launch: contents
 * `all`, and of `hashes` their digests.
 *
 * What a kernel can reach tells layer/live.h: buffers and images, shared virtual memory and
 * unified memory. A launch whose memory is kept runs alone: every queue is finished before and
 * after it, so that the bytes are those that it found and those that it left. That cannot be while
 * a user event is open, or in a callback; such launches are counted. Functions may be called from
 * any thread; the calling thread is marked as being inside the driver. */
#ifndef LAYER_LAUNCH_MEMORY_H
#define LAYER_LAUNCH_MEMORY_H

#include "layer/live.h"
#include "trace/api/call.h"
#include "trace/base/arena.h"
#include "trace/spool.h"

#include <stdbool.h>

struct launch_memory;
struct launch_capture;

/* From the settings; NULL when memory is out. The others are borrowed. */
struct launch_memory *launch_memory_create(struct spool *spool, struct live *live);
void launch_memory_destroy(struct launch_memory *memory); /* NULL is fine */

/* A launch, or all that a command-buffer runs. */
static inline bool launch_memory_is_launch(uint32_t entry)
{
    return api_entry_launches(entry) || entry == API_ENTRY_clEnqueueCommandBufferKHR;
}

/* Before any call is forwarded. NULL unless it is a launch whose memory is kept; lives in the
 * arena, and launch_memory_after must follow. */
struct launch_capture *launch_memory_before(struct launch_memory *memory,
                                            const struct api_call *call, struct arena *arena);
/* After any call came back. */
void launch_memory_after(struct launch_memory *memory, const struct api_call *call,
                         const struct launch_capture *capture);

#endif
