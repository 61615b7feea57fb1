/* How much host memory a call reads or writes, from its arguments alone. Replay gives every call
 * memory of its own of that size; the recording's addresses mean nothing here. */
#ifndef REPLAY_MEMORY_H
#define REPLAY_MEMORY_H

#include "replay/object.h"
#include "trace/effect/effect.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes after the IN_MEMORY, OUT_MEMORY or HOST_MEMORY parameter of the call. `memory_object` is
 * the object that the call names (its own result for a create), NULL when unknown. False when the
 * arguments make no sense or name what replay does not know. */
bool replay_memory_size(const struct api_call *call, const struct replay_object *memory_object,
                        uint64_t *size);
/* Where in the memory object byte `host_offset` of the call's host memory lies; false when it lies
 * in the padding of a rectangle, or for images, whose bytes have no address. */
bool replay_memory_offset(const struct api_call *call, uint64_t host_offset,
                          uint64_t *object_offset);
/* The same of a stretch of the host's memory that lies in the object as it lies there, as
 * replay_compare_bytes has it; else REPLAY_PHASE_UNKNOWN. */
uint64_t replay_memory_phase(const struct api_call *call, uint64_t host_offset, uint64_t size);

#endif
