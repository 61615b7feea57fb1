/* The device's objects. Which file answers for one is said beside it; other files read its members,
 * locked unless a comment says that they never change. */
#ifndef REFERENCE_ICD_TYPES_H
#define REFERENCE_ICD_TYPES_H

#include "reference/icd/object.h"
#include "reference/vm/memory.h"
#include "trace/api/foreign.h"

#include <stddef.h>

struct build;
struct sources;
struct command;
struct commands;
struct commands_queue;
struct ordered_command;
struct sched_argument;
struct vm_code;

/* A list of properties as the application gave it, with its final 0; count 0 = it gave none. */
struct property_list {
    uint64_t *values;
    size_t count;
};

/* ---- platform.c, device.c, partition.c, device_memory.c ---- */

struct _cl_platform_id {
    struct object object;
};
struct _cl_device_id {
    struct object object;
    cl_device_id parent; /* of a sub-device: held; NULL = a root device. Nothing here changes */
    cl_uint first_unit, compute_units; /* of a device that was made by clCreateSubDevices, its part
                                        * of the root device's */
    cl_device_partition_property *partition_type; /* the list that made it; NULL = none */
    size_t partition_type_count;
};

/* The affinity domains along which the device can be partitioned. */
cl_device_affinity_domain partition_domains(cl_device_id device);

/* There is one platform, with as many equal root devices as the setting "devices" says. They share
 * one memory. icd_memory makes it on the first call, and gives NULL when memory is out. */
cl_platform_id icd_platform(void);
cl_uint icd_root_device_count(void);
cl_device_id icd_root_device(cl_uint index);
/* The root device that the device is, or is a part of. */
static inline cl_device_id icd_root_of(cl_device_id device)
{
    while (device->parent)
        device = device->parent;
    return device;
}
struct vm_memory *icd_memory(void);
bool platform_accepts(cl_platform_id platform); /* ours, or NULL, which means ours */

/* ---- context.c ---- */

/* A callback that gets an object and the application's pointer: its true type follows from the kind
 * of the object, void(CL_CALLBACK *)(cl_mem, void *) for OBJECT_MEM. */
typedef void object_function(void);

struct destructor_callback {
    struct destructor_callback *next; /* the one registered before */
    object_function *function;
    void *user;
};
/* Puts one more before the others. Unlocked. */
cl_int destructor_callback_add(struct destructor_callback **list, object_function *function,
                               void *user);

struct _cl_context {
    struct object object;
    cl_device_id *devices; /* held, each once; never changes, as the next ones */
    size_t device_count;   /* at least one */
    struct property_list properties;
    struct destructor_callback *destructors;
    cl_command_queue device_queues; /* see device_queue.h; not held */
};

/* Has it all of these devices? Any values may be asked about. */
bool context_has_devices(cl_context context, const cl_device_id *devices, size_t count);

/* ---- queue.c ---- */

struct _cl_command_queue {
    struct object object;
    cl_context context;  /* held; never changes */
    cl_device_id device; /* held; never changes */
    struct property_list properties;
    cl_command_queue_properties flags; /* of CL_QUEUE_PROPERTIES */
    uint64_t ordinal;                  /* in order of creation, from 1 */
    uint64_t command_count;            /* commands ever enqueued: their ordinals */
    struct command *first, *last;      /* commands that have not ended, in order of enqueue */
    cl_event barrier;             /* out-of-order: what later commands wait for; held, or NULL */
    struct commands_queue *order; /* as races.h has it; NULL = a queue of the device */
    /* ---- of a queue of the device itself ---- */
    cl_uint size, used; /* bytes; size 0 = it is a command-queue of the host */
    bool is_default;
    cl_command_queue next_on_device; /* in the context */
};

/* Is this the handle of a live command-queue of the host? Any value may be asked about. */
static inline bool queue_is_of_host(cl_command_queue queue)
{
    return object_is(queue, OBJECT_QUEUE) && queue->size == 0;
}

/* ---- executor.c ---- */

/* What a command does: runs unlocked, on any thread. Returns CL_SUCCESS or the negative
 * status that the event gets; adds to *cost what the virtual clock counts. */
typedef cl_int command_run(void *data, uint64_t *cost);
/* Tells what the command did to memory (races.h). Locked, after a run that succeeded, unless
 * nothing can be unordered with it. */
typedef void command_tell(const void *data);
/* Frees `data` and drops what it holds. Locked, on any thread, exactly once. */
typedef void command_release(void *data);

struct command_work {
    bool calls_program;  /* runs functions of the program: on a thread of their own */
    bool waits_for_host; /* may call executor_wait_for_host: on the same thread */
    uint64_t call_id; /* in the trace of a layer; 0 = none: of a request, races_take_call_id says */
    const char *kernel;       /* the name of a launch's, which lives as long as `data`; else NULL */
    command_run *run;         /* NULL: nothing to do (markers, barriers) */
    command_tell *tell;       /* NULL: nothing to tell */
    command_release *release; /* NULL: nothing to free */
    void *data;
};

/* ---- mem.c, buffer.c, image.c ---- */

/* A box of a memory object: bytes of a row, rows, slices, and one level of an image; of a buffer
 * some of its one row. */
struct mapping {
    cl_mem mem; /* not held: its mappings end with it */
    void *address;
    uint64_t origin[4], region[4];
    cl_map_flags flags;
    uint32_t count; /* how often this very range is mapped */
};

struct _cl_mem {
    struct object object;
    cl_context context; /* held; never changes, as are the next ones */
    cl_mem_object_type type;
    cl_mem parent;   /* of a sub-buffer, or an image made from another object: held; else NULL */
    uint64_t origin; /* of a sub-buffer in its parent */
    uint64_t size;   /* bytes */
    cl_mem_flags flags;
    void *host_ptr;               /* CL_MEM_USE_HOST_PTR: the application's */
    uint32_t number;              /* in reference/vm/memory.h */
    uint8_t *bytes;               /* where the host finds them: maps give places there */
    cl_image_format format;       /* of an image, as the next one */
    const struct vm_image *image; /* its layout; NULL = a buffer or pipe */
    struct property_list properties;
    struct mapping *mappings; /* of the object and all that share its bytes; of a part: none */
    size_t mapping_count, mapping_capacity;
    struct {
        cl_mem next, *link; /* to it; NULL = it is not among those of mem_shown */
    } shown;
    struct destructor_callback *destructors;
};

/* ---- sampler.c ---- */

/* As the application gives them. */
struct sampler_modes {
    uint64_t normalised, addressing, filter;
    uint64_t mip_filter, lod_min, lod_max; /* cl_khr_mipmap_image; the last two: bits of floats */
};

struct _cl_sampler {
    struct object object;
    cl_context context; /* held; nothing here ever changes */
    struct property_list properties;
    struct sampler_modes modes;
    uint64_t bits; /* what kernels hold: vm_sampler_make, vm_sampler_levels */
};

/* ---- program.c ---- */

enum program_origin {
    PROGRAM_SOURCE,
    PROGRAM_IL,
    PROGRAM_BINARY,
    PROGRAM_LINKED,
    PROGRAM_BUILT_IN
};

/* What a program is on one device: what the last build left, or the binary it was made from. */
struct program_device {
    cl_device_id device; /* held; never changes */
    char *options, *log; /* NULL = none */
    cl_build_status status;
    cl_program_binary_type binary_type;
    bool uniform_groups; /* -cl-uniform-work-group-size */
    uint8_t *binary;     /* SPIR-V, compiled or linked; NULL = none */
    size_t binary_size;
    struct sources *sources; /* of the binary, counted by itself; NULL = unknown */
    struct build *build;     /* an executable; held, or NULL */
};

struct _cl_program {
    struct object object;
    uint64_t number;    /* among the programs of the process, from 1 */
    cl_context context; /* held; never changes, as are origin, source and il */
    enum program_origin origin;
    char *source; /* the strings of clCreateProgramWithSource, one after the other */
    size_t source_size;
    uint8_t *il; /* SPIR-V from clCreateProgramWithIL */
    size_t il_size;
    struct spec_constant *spec_constants;
    size_t spec_constant_count, spec_constant_capacity;
    bool building;                  /* a thread is at it: others get CL_INVALID_OPERATION */
    struct program_device *devices; /* the array never changes */
    size_t device_count;
    size_t kernel_count; /* kernel objects that hold the program */
    struct destructor_callback *destructors;
};

/* ---- kernel.c ---- */

struct kernel_argument {
    bool set;
    cl_mem mem; /* GLOBAL, CONSTANT, IMAGE, PIPE: not held, by the specification; NULL = none */
    uint32_t object; /* the number of mem, or of shared virtual memory; 0 = a null pointer */
    uint64_t offset; /* of shared virtual memory: as vm_memory_address has it */
    struct heap_block block; /* that malloc had given there when it was set; of size 0 = none */
    uint64_t sampler;        /* SAMPLER: vm_sampler_make */
    uint64_t local_size;     /* LOCAL */
    uint8_t *bytes;          /* VALUE, STRUCT: parameter.size of them */
};

/* The kernel on the program's device of the same index. */
struct kernel_device {
    struct build *build; /* held: kernels live on when a program is built again; NULL = not built */
    const struct vm_code *code; /* the build's */
};

struct _cl_kernel {
    struct object object;
    cl_program program; /* held; never changes, as are the next two */
    struct kernel_device *devices;
    const struct vm_code *code; /* of the first device that has it; all have the same parameters */
    struct kernel_argument *arguments;
    uint32_t *svm_list; /* objects that it may use besides (clSetKernelExecInfo) */
    size_t svm_list_count;
    uint32_t svm_kinds; /* of which it may use all: bit 1 << enum observer_svm */
    enum vm_system system;
};
/* Another one with the same arguments, held by the caller alone; NULL when memory is out. Locked.
 */
cl_kernel kernel_clone(cl_kernel source);
/* ---- kernel_svm.c: false when memory is out. Locked ---- */
bool kernel_set_svm_list(cl_kernel kernel, const uint32_t *objects, size_t count);
/* The kernel on a device, or on the nearest parent that it was built for; NULL = on none. */
const struct kernel_device *kernel_on(cl_kernel kernel, cl_device_id device);
/* The largest work-group for whose private variables there is memory; 0 = not even for one lane
 * vector. */
uint64_t kernel_group_limit(const struct vm_code *code);
/* The device that a query names, or NULL. */
const struct kernel_device *kernel_query_device(cl_kernel kernel, cl_device_id device);

/* ---- sub_group.c ---- */
uint32_t sub_group_size(const struct vm_code *code);
/* Sub-groups of a work-group of so many work-items. */
uint64_t sub_group_count(const struct vm_code *code, uint64_t items);

/* ---- event.c, event_life.c ---- */

struct event_callback {
    struct event_callback *next;
    cl_int status; /* CL_SUBMITTED, CL_RUNNING or CL_COMPLETE */
    void(CL_CALLBACK *function)(cl_event event, cl_int status, void *user);
    void *user;
};

enum {
    EVENT_TIME_QUEUED,
    EVENT_TIME_SUBMIT,
    EVENT_TIME_START,
    EVENT_TIME_END,
    EVENT_TIME_COMPLETE, /* what it enqueued on the device has ended too */
    EVENT_TIME_COUNT
};

struct waiter {
    struct command *command;
    bool listed; /* in the command's wait list, not only before it in an in-order queue */
};

struct _cl_event {
    struct object object;
    cl_context context;     /* held; never changes, as are queue and type */
    cl_command_queue queue; /* held; NULL = a user event */
    cl_command_type type;
    cl_int status;
    uint64_t times[EVENT_TIME_COUNT];
    struct event_callback *callbacks;
    struct ordered_command *order; /* as races.h has it; held, NULL when memory was out */
    struct waiter *waiting;        /* commands that wait for this event, in order of enqueue */
    size_t waiting_count, waiting_capacity;
};
/* An event with one reference, in which all is left to fill in; NULL when memory is out. */
cl_event event_create(void);
/* A user event with one reference; NULL when memory is out. Locked. */
cl_event event_create_user(cl_context context);
/* The same, which the application knows nothing of: held twice, by the caller and by what ends it.
 */
cl_event event_create_gate(cl_context context);

/* ---- semaphore.c ---- */

struct payload;

struct _cl_semaphore_khr {
    struct object object;
    cl_context context; /* held; never changes, as are the next two */
    struct property_list properties;
    cl_device_id device; /* that it was made for: held */
    bool signalled;
    struct payload *payload; /* what other processes have too, instead of the rest; or NULL */
    bool exportable;
    size_t signals;    /* commands that will signal the payload */
    bool told;         /* that nobody else has the payload any more */
    cl_event signal;   /* of the latest signal, while no wait has been enqueued for it: held */
    cl_event *awaited; /* user events that stand for signals not enqueued yet: held; oldest first */
    size_t awaited_count, awaited_capacity;
};

/* ---- command_buffer.c, mutable.c ---- */

/* A command that is recorded. What it does is the same each time, but of a kernel, whose `data` is
 * the cl_mutable_command_khr that it is launched by. */
struct recorded {
    cl_command_type type;
    struct command_work work;      /* call_id: of the recording call */
    struct ordered_command *order; /* among these commands; NULL = they are in order */
};

struct _cl_command_buffer_khr {
    struct object object;
    cl_command_queue queue; /* held; never changes, as are the next two */
    struct property_list properties;
    cl_command_buffer_flags_khr flags;
    cl_mutable_dispatch_asserts_khr asserts; /* of all its launches; nor does this */
    bool finalized;
    struct recorded *recorded;
    size_t count, capacity;
    struct commands *commands; /* the order of its commands; NULL = as they were recorded */
    struct commands_queue *order;
    cl_event last;         /* of its latest execution: held; NULL = none was enqueued */
    uint64_t last_call_id; /* of the call that enqueued that */
};

/* What may change of a recorded launch. */
struct mutable_state {
    cl_kernel clone; /* held: the kernel with its arguments, as they were recorded or updated */
    size_t offset[3], global[3], local[3];
    bool has_local; /* else the device chooses */
};

struct _cl_mutable_command_khr {
    struct object object;         /* held by the command-buffer alone */
    cl_command_buffer_khr buffer; /* never changes, as are the next ones */
    cl_kernel kernel;             /* the application's: held */
    struct property_list properties;
    cl_mutable_dispatch_fields_khr updatable;
    cl_uint work_dim;
    struct mutable_state now;
};

#endif
