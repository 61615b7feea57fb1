/* All bytes of a memory object, through the functions of a driver: what the layer keeps of a launch
 * and what replay gives to it.
 *
 * Texels come without gaps between rows and slices. Every function blocks, and may be called while
 * no command that uses the object runs. `functions` are the driver's, by entry point. */
#ifndef TRACE_API_MEMORY_OBJECT_H
#define TRACE_API_MEMORY_OBJECT_H

#include "trace/api/entry.h"

#include <stdbool.h>
#include <stddef.h>

struct memory_object {
    cl_mem mem;      /* NULL: shared virtual memory */
    void *svm;       /* then its address */
    bool is_unified; /* it is of cl_intel_unified_shared_memory, or the program's own; */
    bool is_of_host; /* and the host can use it */
    bool is_image;
    size_t region[3]; /* of an image, as clEnqueueReadImage has it */
    size_t size;      /* bytes */
};

/* Asks the driver what the object is; of shared virtual memory the caller knows. False when it has
 * no bytes that can be read: pipes, images with several samples or mipmaps. */
bool memory_object_describe(api_function *const *functions, cl_mem mem,
                            struct memory_object *object);

/* `bytes` has room for object->size. */
cl_int memory_object_read(api_function *const *functions, cl_command_queue queue,
                          const struct memory_object *object, void *bytes);
cl_int memory_object_write(api_function *const *functions, cl_command_queue queue,
                           const struct memory_object *object, const void *bytes);

#endif
