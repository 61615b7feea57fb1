/* Opening the traces that verbs show, judge and write in other forms, which anybody may have made;
 * and what several of them read there. */
#ifndef VIEWER_CLI_READING_H
#define VIEWER_CLI_READING_H

#include "trace/effect/shape.h"
#include "trace/reader.h"

/* As trace_open; from then on this process takes no more memory than such a trace has need of
 * (LIMIT_TRACE_MEMORY, of all that were opened). Not for a verb that also executes kernels. */
enum status reading_open(const char *path, struct trace **trace, struct error *error);
/* Adds to the sentence of a failure because memory ran out who set the limit. */
void reading_explain(struct error *error);

/* The host's stack at a call, from the innermost frame on: *frames and the strings live in the
 * arena. Returns how many there are; 0 also where the trace has none. */
size_t reading_stack(struct trace *trace, uint64_t call_id, struct arena *arena,
                     const char *const **frames);

/* The image that a handle names at names->call_id, from the call that made it; false when it is
 * none, or the trace does not have that. */
bool reading_image(struct trace_names *names, uint64_t handle, cl_image_format *format,
                   struct image_shape *shape);

#endif
