/* What the memory of a launch that is kept (captures.h) holds: buffers, images, and shared virtual
 * memory. */
#ifndef LAYER_PROBES_CONTENTS_H
#define LAYER_PROBES_CONTENTS_H

#include "checkers/probe/captured.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

struct live;

/* What the memory object is, but for its bytes: NULL, or why it cannot be kept, as the end of a
 * sentence. */
const char *contents_describe(cl_mem memory, struct captured_memory *described);

/* Enqueues a read of the bytes; `memory` is NULL of shared virtual memory. */
cl_int contents_read(cl_command_queue queue, cl_mem memory, const struct captured_memory *described,
                     cl_bool blocking, cl_uint count, const cl_event *list, cl_event *event);

/* ---- shared virtual memory: allocations of clSVMAlloc ----
 *
 * They are added to captured->memory, which has room for `room`; strings as above. */

/* How many there may be, with all other allocations. */
size_t contents_shared_count(struct live *live);
/* The one that the address leads into; the argument gets its index and how far. */
const char *contents_find_shared(struct live *live, uint64_t address, struct captured *captured,
                                 size_t room, struct captured_argument *argument);
/* All that there are, as a kernel reaches that loads pointers from memory. */
const char *contents_keep_all_shared(struct live *live, struct captured *captured, size_t room);
/* Reads one at once, if it is still there. */
const char *contents_read_shared(struct live *live, cl_command_queue queue,
                                 const struct captured_memory *described);
/* Is each kept for an argument? Then the program may free none before the launch has ended. */
bool contents_are_arguments(const struct captured *captured);

#endif
