/* Launches that the reference device is to run again (checkers/probe/captured.h): of each kernel
 * that reported something the next one, with what its memory holds before it. Since many kernels
 * are launched once only, the one that reported is kept too, with what memory holds when that is
 * known, until there is a better one. Of kernels that order their work-items by more than barriers
 * the first one is kept before it reports anything (watched.h).
 *
 * The next launch is not waited for: what its memory holds is read by commands in front of it, and
 * written to a file once they have ended. Any thread, marked as being inside the driver. */
#ifndef LAYER_PROBES_CAPTURES_H
#define LAYER_PROBES_CAPTURES_H

#include "layer/probes/copy.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

struct captures;
struct live;
struct reading_launch;
struct released;
struct written;

/* From the environment, in which `clerk run` says where to; `live`, which memory objects are alive,
 * and `released`, which are kept though they are not, are borrowed. NULL when memory is out. */
struct captures *captures_create(struct live *live, struct released *released);
/* Is anything kept at all? */
bool captures_are_wanted(const struct captures *captures);
void captures_destroy(struct captures *captures); /* NULL is fine */

/* The launch reported something, and has ended. `is_shown`: what its memory holds now may show it.
 */
void captures_suspect(struct captures *captures, const struct reading_launch *launch,
                      const struct copy_device *device, bool is_shown);
/* It read what nobody had written before. The next launch finds what this one wrote, so it is this
 * one that is kept, with what was unwritten. */
void captures_suspect_unwritten(struct captures *captures, const struct reading_launch *launch,
                                const struct copy_device *device, struct written *written);
/* Would it be kept? */
bool captures_want_unwritten(struct captures *captures, const struct reading_launch *launch);
/* Launches of the copy on the queue, with numbers up to that one, have reported all that they will.
 */
void captures_told(struct captures *captures, const struct copy *copy, cl_command_queue queue,
                   uint32_t number);

/* A launch is about to be enqueued: its words, which may change. NULL where nothing is to be kept
 * of it; else captures_enqueued must follow, with its event; NULL = the driver refused it. */
struct capture;
struct capture *captures_enqueue(struct captures *captures, const struct reading_launch *launch,
                                 uint32_t entry, uint64_t *words);
void captures_enqueued(struct captures *captures, struct capture *capture,
                       const struct reading_launch *launch, cl_command_queue queue, cl_event event);

/* Writes what has been read by now. */
void captures_collect(struct captures *captures);

#endif
