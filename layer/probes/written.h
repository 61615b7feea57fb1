/* Which bytes of memory objects somebody has written, so that checked kernels can tell of reads of
 * others. A buffer is followed from clCreateBuffer on until all of it is written; images, shared
 * virtual memory, what is imported and what begins with bytes of the host never are.
 *
 * What the host does is known when it is enqueued, and counts as done then: what is taken for
 * written too early can only hide something. What kernels write is known to them alone. From the
 * first launch on that uses it an object has a map for that on its device (checks_written.cl), a
 * byte for each byte; it is read when the program waits anyway, and dropped when it is full. An
 * object that is not written whole after some launches (parts are left empty for good, as padding
 * is), and one for whose map there is no memory, counts as written.
 *
 * What was unwritten before a launch is copied in front of it, for the reference device. Any
 * thread, marked as being inside the driver. */
#ifndef LAYER_PROBES_WRITTEN_H
#define LAYER_PROBES_WRITTEN_H

#include "layer/probes/certain_write.h"
#include "layer/probes/kernels.h"
#include "layer/probes/shadows.h"
#include "trace/api/call.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

struct written;
struct following; /* a launch */

/* `shadows`, whose memory the maps are part of, is borrowed. NULL when memory is out. */
struct written *written_create(struct shadows *shadows);
void written_destroy(struct written *written); /* NULL is fine */

/* ---- calls ---- */

/* After a call that made a memory object, and when one is gone. */
void written_made(struct written *written, const struct api_call *call);
void written_forget(struct written *written, uint64_t object);
/* Before a command is enqueued, and after it was. */
void written_before(struct written *written, const struct api_call *call);
void written_enqueued(struct written *written, const struct api_call *call);
/* The memory object counts as written from now on. */
void written_assume(struct written *written, uint64_t memory);
void written_assume_all(struct written *written);
/* What the kernel's arguments lead to, as one that is not checked may write it. */
void written_assume_arguments(struct written *written, const struct probed *probed);
/* The queue's commands have ended, and what they reported is told. */
/* `whole` is as in reading.h. */
void written_waited(struct written *written, cl_command_queue queue, bool whole);
/* The queue is about to be released. */
void written_leave(struct written *written, cl_command_queue queue);

/* ---- launches of checked kernels, whose mutex is held ---- */

struct written_launch {
    cl_command_queue queue;
    cl_device_id device;
    uint32_t number; /* of reading.h */
    struct launch_sizes sizes;
};
/* NULL: all that it needs is written. Else it is to run the copy with all cells, with what
 * written_prepare gives; or written_give_up, and then what it uses counts as written. */
struct following *written_begin(struct written *written, const struct probed *probed,
                                const struct written_launch *launch);
/* What was unwritten before it is to be copied, if so. */
void following_keep(struct following *following, bool is_kept);
/* Right before it is enqueued, with its words, which may change. False: as written_give_up. */
bool written_prepare(struct written *written, struct following *following, uint32_t entry,
                     uint64_t *words);
/* The map of the object; NULL = it has none, or there is no such launch. */
cl_mem following_find(const struct following *following, uint64_t object);
void written_give_up(struct written *written, struct following *following);
/* It was enqueued, or refused. */
void written_launched(struct written *written, struct following *following, bool launched);

/* Which of the `size` bytes of a memory object, as bits (captured.h), were unwritten before the
 * launch of that number; NULL: all were written, it is not known, or memory is out. Else the caller
 * frees them. */
uint8_t *written_read_before(struct written *written, uint32_t number, cl_mem memory,
                             uint64_t size);
/* Is anything known of the launch? */
bool written_knows(struct written *written, uint32_t number);

#endif
