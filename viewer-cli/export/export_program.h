/* The text of a C program that performs one launch, and compares what it leaves, with nothing of
 * clerk. Memory lies beside it in files named after the objects: buffer_1.found, buffer_1.left. */
#ifndef VIEWER_CLI_EXPORT_EXPORT_PROGRAM_H
#define VIEWER_CLI_EXPORT_EXPORT_PROGRAM_H

#include "trace/api/call.h"
#include "trace/base/text.h"
#include "trace/reader.h"

#include <CL/cl.h>
#include <stdbool.h>

/* ---- export_launch.c ---- */

/* One launch of a recorded run with all that it needs: its program, and for each argument of the
 * kernel a value, local memory, or an object with what it held. What cannot stand on its own
 * (shared virtual memory, pipes, queues, programs that were linked or loaded as binaries) is
 * refused. */

enum export_object_kind { EXPORT_BUFFER, EXPORT_SUB_BUFFER, EXPORT_IMAGE, EXPORT_SAMPLER };

struct export_object {
    uint64_t handle;
    const char *variable; /* "buffer_1" */
    enum export_object_kind kind;
    struct export_object *parent; /* of a sub-buffer, or an image made from another object */
    cl_mem_flags flags;           /* without those about the host */
    uint64_t size;                /* of a buffer or sub-buffer */
    uint64_t origin;              /* of a sub-buffer, in its parent */
    cl_image_format format;
    cl_image_desc desc;
    cl_bool normalized_coords;
    cl_addressing_mode addressing_mode;
    cl_filter_mode filter_mode;
    struct trace_memory found, left; /* piece_count 0: not known; of parents, samplers */
};

struct export_argument {
    const char *type, *name;      /* as the kernel declares it; "" = not known */
    struct export_object *object; /* or NULL: */
    const void *bytes;            /* the value; NULL: local memory */
    uint64_t size;
};

struct export_launch {
    struct api_call call;
    const char *kernel_name;
    const char *source; /* or NULL: */
    const void *il;
    size_t il_size;
    const char *options;
    struct export_argument *arguments;
    size_t argument_count;
    struct export_object **objects; /* parents before what is made from them */
    size_t object_count, object_capacity;
    struct arena arena; /* everything above */
};

/* Fills *launch, zero-initialised, for the launch that call `call_id` made. Release it also after a
 * failure. */
enum status export_launch_load(struct trace *trace, uint64_t call_id, struct export_launch *launch,
                               struct error *error);
void export_launch_release(struct export_launch *launch);

/* `origin` says where the launch comes from, in one line. */
void export_print_program(const struct export_launch *launch, const char *origin,
                          struct text *text);
void export_print_cmake(struct text *text);
void export_print_readme(const struct export_launch *launch, const char *origin, struct text *text);

#endif
