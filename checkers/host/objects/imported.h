/* File descriptors that objects were imported from (cl_khr_external_memory and
 * cl_khr_external_semaphore): "importing memory from a file descriptor transfers ownership of the
 * file descriptor from the application to the OpenCL implementation". Any thread. */
#ifndef CHECKERS_HOST_OBJECTS_IMPORTED_H
#define CHECKERS_HOST_OBJECTS_IMPORTED_H

#include "checkers/host/host.h"

struct imported_table;

/* The object that took a descriptor over, and its life. */
struct imported {
    uint64_t handle, serial;
    bool closed; /* nothing has that number any more */
};

/* NULL when memory is out. */
struct imported_table *imported_table_create(const struct host_options *options);
void imported_table_destroy(struct imported_table *table);

/* The descriptor that the call imports. False: it imports none. */
bool imported_descriptor(const struct api_call *call, int32_t *descriptor);
/* A call is about to import that descriptor. True: an object took over what the number stands for,
 * or it stands for nothing since then. */
bool imported_begin(struct imported_table *table, const struct api_call *call, int32_t descriptor,
                    struct imported *earlier);
/* The call has succeeded, and the object has the descriptor. */
void imported_end(struct imported_table *table, const struct api_call *call, int32_t descriptor,
                  const struct imported *object);

#endif
