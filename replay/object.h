/* The recording's objects and what stands for them on the target: old handle to new handle.
 *
 * Drivers hand out the address of a released object again, so putting an old handle replaces what
 * it stood for. Platforms and devices are not here: there is one of each on the target. */
#ifndef REPLAY_OBJECT_H
#define REPLAY_OBJECT_H

#include "trace/effect/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPLAY_TYPE_SIZE = 32 };

/* Of memory: a command that could reach it could also reach memory that the host uses when it
 * likes; and the program wrote such beside such a command, so that what this holds may be
 * otherwise. */
struct replay_marks {
    bool is_beside_host, is_unsure;
};

/* A sync point of a command-buffer. */
struct replay_sync_point {
    cl_sync_point_khr recorded, here;
};

/* What an argument of a kernel is set to. */
enum argument_nature {
    ARGUMENT_UNKNOWN, /* nobody tells */
    ARGUMENT_VALUE,   /* plain: eight bytes that look like a handle are not one */
    ARGUMENT_OBJECT,
    ARGUMENT_LOCAL,
};

struct replay_object {
    uint64_t old_handle;
    uint64_t new_handle; /* 0: a kernel of clCreateKernelsInProgram whose name is not known yet */
    uint64_t program;    /* of such a kernel: the program's new handle */
    enum api_object_kind kind;
    bool user_event_open;     /* a user event whose status was not set yet */
    uint64_t held_by;         /* of another event: the user event that holds its command; or 0 */
    uint64_t number;          /* of a memory object: from 1, in the order of creation; else 0 */
    int64_t references;       /* that the recording holds: 1 when created */
    struct image_shape image; /* of an image */
    bool is_touched;          /* a memory object that something but maps was given */
    /* Of a kernel: what its arguments are, by index: old handles of memory objects, addresses of
     * shared virtual memory, 0 = neither. Of a command-buffer: what its commands reach. Owned by
     * the objects. */
    uint64_t *reached;
    size_t reached_count;
    /* Of a kernel: the types of its arguments that are known without the target, by index; "" =
     * not known. Owned by the objects. */
    char (*types)[REPLAY_TYPE_SIZE];
    size_t type_count;
    uint8_t *natures; /* enum argument_nature, as the recording tells */
    size_t nature_count;
    bool is_compiled; /* of a kernel: the compiler was asked for them */
    /* Of a command-buffer; owned by the objects. */
    struct replay_sync_point *sync_points;
    size_t sync_point_count, sync_point_capacity;
    uint64_t queue; /* its own: the new handle */
    bool
        reaches_more; /* of a kernel: clSetKernelExecInfo named more; of a command-buffer, of one */
    struct replay_marks marks;
    char type[REPLAY_TYPE_SIZE]; /* the kernel argument type it was last passed as, "uint*"; of an
                                    image that of its channels; or "" */
};

struct replay_objects;

/* NULL when memory is out. */
struct replay_objects *replay_objects_create(void);
void replay_objects_destroy(struct replay_objects *objects);
/* The object, with one reference and otherwise zero, valid until the same old handle is put again;
 * NULL when memory is out. */
struct replay_object *replay_objects_put(struct replay_objects *objects, uint64_t old_handle,
                                         uint64_t new_handle, enum api_object_kind kind);
/* NULL when the recording's handle stands for nothing. */
struct replay_object *replay_objects_find(const struct replay_objects *objects,
                                          uint64_t old_handle);
/* Argument `index` of the kernel is now this; false when memory is out. */
bool replay_object_reach(struct replay_object *kernel, uint64_t index, uint64_t reached);
/* Argument `index` of the kernel is of this type. */
void replay_object_type(struct replay_object *kernel, uint64_t index,
                        const char type[REPLAY_TYPE_SIZE]);
/* Of one with this address qualifier and type. */
enum argument_nature replay_argument_nature(cl_kernel_arg_address_qualifier address,
                                            const char *type);
/* Argument `index` of the kernel is of this nature. */
void replay_object_nature(struct replay_object *kernel, uint64_t index,
                          enum argument_nature nature);
/* The sync point of the command-buffer is this one here; false when memory is out. */
bool replay_object_sync_point(struct replay_object *buffer, const struct replay_sync_point *point);
/* In the order in which they were first put; NULL starts, NULL ends. */
struct replay_object *replay_objects_next(const struct replay_objects *objects,
                                          struct replay_object *object);

#endif
