/* What judging needs to know of an object besides its standing, by kind. Traits are learned from
 * the stream alone (learn_traits.c): from the calls that make and change objects, and from the
 * answers of queries, the program's and those that the layer asks. What was never told is 0, and a
 * rule says nothing of it.
 *
 * They live in the object's record (object.h) and are copied out under its lock, except those of
 * devices and kernels: these never move and their members are atomic, so that a command looks at
 * them without a lock. */
#ifndef CHECKERS_HOST_OBJECTS_TRAITS_H
#define CHECKERS_HOST_OBJECTS_TRAITS_H

#include "trace/api/entry.h"
#include "trace/effect/shape.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRAITS_DEVICES_MAX = 16,   /* a context with more is one whose devices are not known */
    TRAITS_ARGUMENTS_MAX = 64, /* nothing is known of further arguments of a kernel */
    TRAITS_NAME_SIZE = 32,     /* of an argument's name, with its end: a longer one is cut */
};

/* Flags of memory objects, and of maps. */
enum {
    MEM_KERNEL_ACCESS = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
    MEM_HOST_ACCESS = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
    MEM_HOST_POINTER = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
    MAP_WRITES = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION,
};
/* What vendors have defined, bits 6 and 16 to 37: nothing is known of these. */
#define MEM_FLAGS_OF_VENDORS UINT64_C(0x3fffff0040)

enum device_fact {
#define DEVICE_FACT(symbol, query, bytes, element) DEVICE_FACT_##symbol,
#include "checkers/host/objects/device_facts.def"
#undef DEVICE_FACT
    DEVICE_FACT_VERSION,    /* 120 = OpenCL 1.2 */
    DEVICE_FACT_IL,         /* it takes programs in an intermediate language: 0 or 1 */
    DEVICE_FACT_EXTENSIONS, /* of those below, a bit for each that it has */
    DEVICE_FACT_FUNCTIONS,  /* bit extension_of(entry): it has the entry point's extension */
    DEVICE_FACT_MEM_IMPORT, /* which external memory: handle_type_bit of each type */
    DEVICE_FACT_SEMAPHORE_IMPORT,
    DEVICE_FACT_COUNT
};

enum device_extension {
    EXTENSION_MULTI_DEVICE = 1,     /* cl_khr_command_buffer_multi_device */
    EXTENSION_MUTABLE_DISPATCH = 2, /* cl_khr_command_buffer_mutable_dispatch */
    EXTENSION_DEVICE_ADDRESS = 4,   /* cl_ext_buffer_device_address */
    EXTENSION_GRALLOC = 8,          /* cl_img_use_gralloc_ptr */
    EXTENSION_PERF_HINT = 16,       /* cl_qcom_perf_hint */
    EXTENSION_IMAGE_BUFFER = 32,    /* cl_ext_image_from_buffer */
    EXTENSION_IMMUTABLE = 64,       /* cl_ext_immutable_memory_objects */
};

/* Types of external memory and semaphores are CL_..._HANDLE_..., 0x2055 to 0x2070. */
static inline uint64_t handle_type_bit(uint64_t type)
{
    return UINT64_C(1) << (type & 63);
}

struct device_traits {
    _Atomic uint64_t known; /* a bit for each fact */
    _Atomic uint64_t facts[DEVICE_FACT_COUNT];
};

struct device_list {
    uint64_t count; /* 0 = unknown; as wide as the handles, since lists are compared as bytes */
    uint64_t handles[TRAITS_DEVICES_MAX];
};

/* Who else uses what is shared: a bit for each. */
enum sharing {
    SHARING_GL = 1,
    SHARING_EGL = 2,
    SHARING_D3D10 = 4,
    SHARING_D3D11 = 8,
    SHARING_DX9 = 16,
    SHARING_VA_API = 32,
    SHARING_GRALLOC = 64,
    SHARING_EXTERNAL = 128, /* cl_khr_external_memory */
};

struct platform_traits {
    uint64_t version; /* 310 = OpenCL 3.1; 0 = unknown */
    bool recording_known;
    uint64_t recording; /* CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR */
};

struct context_traits {
    struct device_list devices;
    bool created;                   /* its creation was seen, and so its properties: */
    uint32_t sharing;               /* enum sharing */
    uint64_t gl_context;            /* CL_GL_CONTEXT_KHR; 0 = none */
    bool user_sync;                 /* CL_CONTEXT_INTEROP_USER_SYNC */
    bool may_terminate, terminated; /* cl_khr_terminate_context */
};

struct queue_traits {
    uint64_t device;
    uint64_t properties; /* CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ... */
};

/* A region of a memory object that is mapped. */
struct mem_map {
    struct mem_map *next;
    uint64_t address;
    bool writes;
    uint64_t origin[3], region[3]; /* of an image, in pixels; of a buffer origin[0], region[0] */
    uint64_t level;                /* image_origin_level */
};

/* The object of OpenGL that a memory object is made of. */
struct gl_traits {
    bool seen; /* OpenGL said then that it was there */
    uint32_t name;
    int32_t level;
    uint64_t store; /* host_gl_ask */
};

struct mem_traits {
    cl_mem_object_type type; /* CL_MEM_OBJECT_BUFFER ...; 0 = nothing is known */
    uint64_t flags;          /* with those that a sub-buffer inherits */
    uint64_t size;           /* of a buffer, in bytes */
    uint64_t serial;         /* of this life, unique */
    /* The object whose bytes these are, itself if it has its own, and where in it they start. */
    uint64_t root, root_serial, root_offset;
    uint64_t source;   /* the object it was made from: of a sub-buffer, of an image of a buffer */
    uint64_t host_ptr; /* as passed; with CL_MEM_USE_HOST_PTR the object's storage */
    cl_image_format format;
    struct image_shape shape; /* of an image; else 0 */
    uint32_t mip_levels;
    uint32_t packet_size, packets; /* of a pipe */
    uint32_t made_by;              /* enum api_entry; 0 = unknown */
    uint32_t sharing;              /* enum sharing: 0 = with nobody */
    bool acquired;                 /* from whom it is shared with */
    bool multi_sampled;            /* made from such a texture of OpenGL */
    bool content_undefined;        /* of a root: migrated without its contents, not written since */
    bool has_address;              /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT */
    struct gl_traits gl;
    struct device_list *devices; /* that it was imported for; NULL = all of the context */
    struct mem_map *maps;        /* under the lock only */
    struct mem_map *free_maps;
};

/* What a program is on one of its devices: 0 = unknown. */
enum program_status { PROGRAM_NONE = 1, PROGRAM_FAILED, PROGRAM_IN_PROGRESS, PROGRAM_BUILT };
enum program_binary { BINARY_NONE = 1, BINARY_OBJECT, BINARY_LIBRARY, BINARY_EXECUTABLE };

struct program_traits {
    uint32_t made_by; /* enum api_entry; 0 = unknown */
    struct device_list devices;
    bool without_argument_info; /* built by clBuildProgram without -cl-kernel-arg-info */
    uint64_t begun, ended; /* the last call that built it, and has returned, or called back before
                            */
    uint8_t status[TRAITS_DEVICES_MAX]; /* enum program_status */
    uint8_t binary[TRAITS_DEVICES_MAX]; /* enum program_binary */
    /* What the executables were built with, or the binaries that the program is made from
     * (binaries.h). NULL = not known. */
    const char *options[TRAITS_DEVICES_MAX];
    uint64_t binary_sizes[TRAITS_DEVICES_MAX]; /* CL_PROGRAM_BINARY_SIZES since then, as told */
};

enum argument_kind {
    ARGUMENT_UNKNOWN,
    ARGUMENT_BUFFER, /* a pointer to global or constant memory */
    ARGUMENT_LOCAL,
    ARGUMENT_IMAGE,
    ARGUMENT_SAMPLER,
    ARGUMENT_QUEUE,
    ARGUMENT_PIPE,
    ARGUMENT_VALUE,
};

/* Digests of what was judged lately, and right: programs take turns with a few. */
enum { RIGHTS_MAX = 4 };
struct rights {
    _Atomic uint64_t digests[RIGHTS_MAX];
    _Atomic uint32_t next; /* the one that is forgotten next, modulo RIGHTS_MAX */
};
bool rights_have(const struct rights *rights, uint64_t digest);
void rights_note(struct rights *rights, uint64_t digest);

enum { ACCESSES_KNOWN = 1 << 7 };

/* struct clerk_must (trace/api/clerk_queries.h). */
enum { MUST_WITHOUT_LIMIT = UINT8_MAX };
struct must_traits {
    _Atomic int64_t first;
    _Atomic uint64_t size, limit;
    _Atomic uint8_t limit_argument; /* MUST_WITHOUT_LIMIT = none */
    _Atomic uint8_t index_bits, flags;
};

struct argument_traits {
    /* As the driver tells of the source; see argument_kind. */
    _Atomic uint8_t
        address; /* CL_KERNEL_ARG_ADDRESS_... less CL_KERNEL_ARG_ADDRESS_GLOBAL, and 1 */
    _Atomic uint8_t
        access;           /* CL_KERNEL_ARG_ACCESS_... less CL_KERNEL_ARG_ACCESS_READ_ONLY, and 1 */
    _Atomic uint8_t type; /* enum argument_kind as its type's name tells, of a pointer UNKNOWN */
    atomic_bool type_known;   /* its type has a name that we know, or is a pointer */
    _Atomic uint8_t pointed;  /* of a pointer to a scalar or vector: that one's size; else 0 */
    atomic_bool is_const;     /* what the pointer points to */
    atomic_bool is_pipe;      /* CL_KERNEL_ARG_TYPE_PIPE */
    _Atomic uint8_t accesses; /* CL_KERNEL_ARG_READS_CLERK ..., and ACCESSES_KNOWN */
    struct must_traits must_read, must_write;
    atomic_bool
        lost; /* setting it failed since because memory ran out: whether it is set is open */
    atomic_bool sized;         /* set without a value: local memory of set_size bytes */
    atomic_bool set, svm;      /* svm: with clSetKernelArgSVMPointer */
    _Atomic uint32_t size;     /* of a value, in bytes; of an image its cl_mem_object_type */
    _Atomic uint32_t set_size; /* arg_size of the last clSetKernelArg */
    _Atomic uint64_t value;    /* what it is set to: the handle or address; 0 of other things */
    _Atomic uint64_t number;   /* a value of four or eight bytes; else 0 */
    _Atomic uint32_t thread;   /* that has set it, after so many launches; */
    _Atomic uint32_t launches;
    _Atomic uint32_t overtaken; /* and one that had set it between the same launches; 0 = none */
    struct rights right;        /* argument_digest of what it was right to set it to */
    /* As the source has it; written once, before it is known, and then only read. */
    char name[TRAITS_NAME_SIZE];
    atomic_bool name_known;
};

/* What an argument is set to, as the members of argument_traits of these names. */
struct argument_setting {
    bool sized, svm;
    uint32_t size;
    uint64_t value; /* argument_object */
    uint64_t number;
};

struct kernel_traits {
    atomic_bool created; /* its creation was seen, and so every argument that was set */
    _Atomic uint32_t argument_count;
    atomic_bool count_known;
    atomic_bool required_known;
    _Atomic uint64_t required[3]; /* reqd_work_group_size; 0 0 0 = none */
    struct kernel_limit {
        _Atomic uint64_t device;
        _Atomic uint64_t work_group_size; /* CL_KERNEL_WORK_GROUP_SIZE */
        _Atomic uint64_t local_size;      /* CL_KERNEL_LOCAL_MEM_SIZE, without arguments */
    } limits[4];
    _Atomic uint32_t launches; /* about how many */
    /* A digest of what arguments are set to, but for plain values: the same when they are set back.
     * Another one for good when threads are in each other's way. */
    _Atomic uint64_t changes;
    struct rights right;              /* seen_launches.c */
    atomic_bool has_must;             /* must_read or must_write of an argument */
    _Atomic uint64_t limit_arguments; /* a bit for each argument that is a limit of these */
    struct argument_traits arguments[TRAITS_ARGUMENTS_MAX];
    struct kernel_traits *next_free; /* object.c */
};
void kernel_copy(struct kernel_traits *to, const struct kernel_traits *from);
/* Back to what was never told. */
void kernel_forget(struct kernel_traits *kernel);
/* A thread has set an argument. */
void kernel_note_thread(struct kernel_traits *kernel, struct argument_traits *argument,
                        uint32_t thread);
void kernel_set_argument(struct kernel_traits *kernel, struct argument_traits *argument,
                         const struct argument_setting *setting);
/* It is launched once more. What is counted at once may be lost: then a mistake is not told. */
void kernel_note_launch(struct kernel_traits *kernel);
/* How many arguments something may be known of. */
uint32_t kernel_argument_count(const struct kernel_traits *kernel);

struct event_traits {
    uint64_t queue; /* whose command it is; 0 = unknown, or a user event */
    uint32_t entry; /* what made it */
    bool user;
    bool status_set;            /* of a user event: clSetUserEventStatus was called */
    bool status_begun, awaited; /* of a user event: it is being called; commands wait for it */
    bool failed;                /* its status is negative */
    uint32_t callbacks;         /* that were registered */
    bool to_be_told;            /* one of them, not called yet, tells that the command has ended */
    bool queue_known, profiled; /* its queue has CL_QUEUE_PROFILING_ENABLE */
};

struct semaphore_traits {
    bool created;
    struct device_list devices;  /* that it was made for; none = all of the context */
    uint64_t imported, exported; /* handle_type_bit of types */
    uint32_t last;               /* enum api_entry: the latest to wait for it, or to signal it */
};

enum recording_state { RECORDING_UNKNOWN, RECORDING_OPEN, RECORDING_FINAL };

/* Synchronization points that the driver gave, in portions. */
struct sync_points {
    struct sync_points *next;
    uint32_t count;
    uint32_t points[30];
};

struct command_buffer_traits {
    uint8_t state;        /* enum recording_state */
    uint64_t flags;       /* CL_COMMAND_BUFFER_MUTABLE_KHR ... */
    uint64_t asserts;     /* CL_MUTABLE_DISPATCH_ASSERT_... */
    uint32_t queue_count; /* as given; more than TRAITS_DEVICES_MAX: the queues are not known */
    uint64_t queues[TRAITS_DEVICES_MAX];
    struct sync_points *points;
};

enum { WORK_DIM_MAX = 3 };

struct mutable_command_traits {
    uint64_t command_buffer, serial; /* what it was recorded into, and the life of that */
    uint64_t fields;                 /* CL_MUTABLE_DISPATCH_..._KHR that may change */
    uint64_t work_dim;
    /* Updates were promised to make no more work-groups than these; 0 = no promise, or not known.
     */
    uint64_t most_groups;
    uint64_t global[WORK_DIM_MAX], local[WORK_DIM_MAX]; /* its sizes now, after such a promise */
};

/* Is such an argument set to an object, and not to plain bytes or an address? */
static inline bool argument_takes_object(enum argument_kind kind)
{
    return kind == ARGUMENT_BUFFER || kind == ARGUMENT_IMAGE || kind == ARGUMENT_SAMPLER ||
           kind == ARGUMENT_PIPE || kind == ARGUMENT_QUEUE;
}

/* The size of the traits of this kind of objects; 0 = they have none. */
size_t traits_size(enum api_object_kind kind);

/* Of what is compared later by its digest alone. */
static inline uint64_t traits_mix(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 32;
}
/* False, *value untouched: it is not known. A device of which nothing is known may be NULL. */
bool device_fact(const struct device_traits *device, enum device_fact fact, uint64_t *value);
/* May other memory that kernels can use lie where shared virtual memory was? */
bool device_reuses_svm(const struct device_traits *device);
void device_learn(struct device_traits *device, enum device_fact fact, uint64_t value);

enum argument_kind argument_kind(const struct argument_traits *argument);
/* The handle or address that a value is; 0 of a plain value. */
uint64_t argument_object(const struct argument_traits *argument, uint64_t value);
/* Of a setting with a value, at a version of the object table (object.h). */
uint64_t argument_digest(uint64_t object, uint64_t size, uint64_t version);

/* How many dimensions an origin in such an image has: 1, 2 or 3, the index of an array included. */
unsigned image_dimensions(cl_mem_object_type type);
static inline bool mem_is_image(const struct mem_traits *mem)
{
    return mem->type != 0 && mem->type != CL_MEM_OBJECT_BUFFER && mem->type != CL_MEM_OBJECT_PIPE;
}

#endif
