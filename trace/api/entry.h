/* What each OpenCL entry point is, as data: everything here is expanded from trace/api/cl_api.def.
 *
 * An entry point has a number (enum api_entry, stored in traces), a description (struct
 * api_entry_info) with a role for each parameter, and a way to be called with its arguments as
 * 64-bit words (api_perform). Rules, printing, capture and replay work from the descriptions; they
 * name an entry point only where it is special, and then a parameter by its name:
 * call->arguments[API_clSetKernelArg_arg_size].
 *
 * Entries 1 to API_SLOT_COUNT are the slots of cl_icd_dispatch: slot i is entry i + 1, also in a
 * table that is longer or shorter than the one of the headers that clerk was built with. */
#ifndef TRACE_API_ENTRY_H
#define TRACE_API_ENTRY_H

#include "trace/api/call.h"
#include "trace/api/foreign.h"

#include <CL/cl_icd.h>

/* The preprocessor's "for each parameter": how a row of trace/api/cl_api.def becomes a parameter
 * list, an argument list or a table. API_EACH(view, function, tuple...) is a comma-separated list
 * of view(function, type, name, role, flags, kind, family, element, count, actual, fixed), one per
 * tuple; at most 16 tuples. */

#define API_UNPACK(...)      __VA_ARGS__
#define API_APPLY(view, ...) view(__VA_ARGS__)
#define API_JOIN(a, b)       API_JOIN_(a, b)
#define API_JOIN_(a, b)      a##b

/* clang-format off */
#define API_COUNT_OF(...) API_COUNT_OF_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define API_COUNT_OF_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) count

#define API_EACH(view, function, ...) \
    API_JOIN(API_EACH_, API_COUNT_OF(__VA_ARGS__))(view, function, __VA_ARGS__)
#define API_EACH_1(v, f, p) API_APPLY(v, f, API_UNPACK p)
#define API_EACH_2(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_1(v, f, __VA_ARGS__)
#define API_EACH_3(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_2(v, f, __VA_ARGS__)
#define API_EACH_4(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_3(v, f, __VA_ARGS__)
#define API_EACH_5(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_4(v, f, __VA_ARGS__)
#define API_EACH_6(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_5(v, f, __VA_ARGS__)
#define API_EACH_7(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_6(v, f, __VA_ARGS__)
#define API_EACH_8(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_7(v, f, __VA_ARGS__)
#define API_EACH_9(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_8(v, f, __VA_ARGS__)
#define API_EACH_10(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_9(v, f, __VA_ARGS__)
#define API_EACH_11(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_10(v, f, __VA_ARGS__)
#define API_EACH_12(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_11(v, f, __VA_ARGS__)
#define API_EACH_13(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_12(v, f, __VA_ARGS__)
#define API_EACH_14(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_13(v, f, __VA_ARGS__)
#define API_EACH_15(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_14(v, f, __VA_ARGS__)
#define API_EACH_16(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_15(v, f, __VA_ARGS__)

/* The views that several files use. */
#define API_VIEW_DECLARE(function, type, name, ...) type name
#define API_VIEW_NAME(function, type, name, ...) name
#define API_VIEW_TYPE(function, type, ...) type
#define API_VIEW_WORD(function, type, name, ...) (uint64_t)(name)
#define API_VIEW_INDEX(function, type, name, ...) API_##function##_##name
#define API_VIEW_FROM_WORD(function, type, name, ...) (type)words[API_##function##_##name]
/* clang-format on */

/* Kinds of OpenCL objects; also what HANDLE roles name. */
enum api_object_kind {
    API_OBJECT_NONE,
    API_OBJECT_PLATFORM,
    API_OBJECT_DEVICE,
    API_OBJECT_CONTEXT,
    API_OBJECT_QUEUE,
    API_OBJECT_MEM,
    API_OBJECT_PROGRAM,
    API_OBJECT_KERNEL,
    API_OBJECT_EVENT,
    API_OBJECT_SAMPLER,
    API_OBJECT_SEMAPHORE,
    API_OBJECT_COMMAND_BUFFER,
    API_OBJECT_MUTABLE_COMMAND,
    API_OBJECT_KIND_COUNT
};
const char *
api_object_kind_name(enum api_object_kind kind); /* "command-queue", "memory object" ... */

/* What a parameter is. The comment says what kind of api_value it is captured as. Where there was
 * nothing to capture the kind is POINTER, the address alone: a NULL pointer (`present` is false),
 * one that cannot be read, and an OUT parameter before the end of the call or of a call that
 * failed. */
enum api_role {
    API_ROLE_NOTHING,     /* NONE: no return value */
    API_ROLE_SCALAR,      /* SCALAR: a number; `family` names values when it is not NONE */
    API_ROLE_ENUM,        /* SCALAR: an enumerant of `family` */
    API_ROLE_FLAGS,       /* SCALAR: a bit-field of `family` */
    API_ROLE_BLOCKING,    /* SCALAR: unless it is CL_FALSE the call waits for its command */
    API_ROLE_STATUS,      /* SCALAR: a returned cl_int error code */
    API_ROLE_HANDLE,      /* HANDLE: an object of `kind`; as a return value: the object created */
    API_ROLE_HANDLES,     /* HANDLES */
    API_ROLE_WAIT_LIST,   /* HANDLES: event_wait_list */
    API_ROLE_OUT_EVENT,   /* HANDLES of one: the event created; none when `event` is NULL */
    API_ROLE_OUT_HANDLES, /* HANDLES: those that were written */
    API_ROLE_OUT_SCALAR,  /* SIZES of one: the number written; `family` names values */
    API_ROLE_OUT_SCALARS, /* SIZES: the numbers written */
    API_ROLE_OUT_STATUS,  /* SIZES of one: what *errcode_ret was set to. Captured also when the
                           * application  passed NULL (`present` is then false, `count` 1) */
    API_ROLE_OUT_BYTES,   /* BYTES: structures written; `family` says which */
    API_ROLE_SIZES,       /* SIZES: a list of size_t or of smaller numbers */
    API_ROLE_IN_BYTES,    /* BYTES: a value, pattern, descriptor or module read by the call */
    API_ROLE_IN_MEMORY,   /* POINTER: application memory that the command reads, perhaps later */
    API_ROLE_OUT_MEMORY,  /* POINTER: application memory that the command writes, perhaps later */
    API_ROLE_HOST_MEMORY, /* POINTER: host_ptr of a memory object */
    API_ROLE_ADDRESS,   /* POINTER: an address that is only a value: mapped, SVM, foreign objects */
    API_ROLE_ADDRESSES, /* SIZES: a list of addresses */
    API_ROLE_STRING,    /* STRING */
    API_ROLE_STRINGS,   /* STRINGS */
    API_ROLE_BINARIES,  /* STRINGS: program binaries, their lengths in `actual` */
    API_ROLE_PROPERTIES,  /* PROPERTIES: a zero-terminated list; `family` names the keys */
    API_ROLE_INFO_VALUE,  /* BYTES: the answer of a query, as many bytes as the driver wrote */
    API_ROLE_CALLBACK,    /* POINTER */
    API_ROLE_USER_DATA,   /* POINTER */
    API_ROLE_POINTER,     /* POINTER: a returned address: mapped, SVM, a function */
    API_ROLE_SYNC_POINTS, /* SIZES: sync_point_wait_list of a command that is recorded */
    API_ROLE_CONFIGS,     /* BYTES: trace/api/mutable_config.h; SIZES, the addresses, where one is
                           * NULL or of a kind that we do not know */
    API_ROLE_COUNT
};

enum api_parameter_flags {
    API_PARAMETER_REQUIRED = 1, /* NULL is an error, whatever else is passed */
    API_PARAMETER_OUT = 2,      /* the call writes through it */
    API_PARAMETER_RETAINED = 4, /* the call retains the object */
    API_PARAMETER_RELEASED = 8, /* the call releases the object */
    API_PARAMETER_SIGNED = 16,  /* a SCALAR of a signed type */
    API_PARAMETER_LIST = 32,    /* NULL makes sense only beside a count of 0, and the reverse */
};
/* SIGNED or nothing, for an integer type. */
#define API_PARAMETER_SIGN(type) ((type)-1 < (type)1 ? API_PARAMETER_SIGNED : 0)

/* Families of enumerants and structures: who names the value. See trace/api/enumerant.h. */
enum api_family {
#define FAMILY(symbol, ...) API_FAMILY_##symbol,
#include "trace/api/families.def"
    API_FAMILY_COUNT
};

enum { API_PARAMETER_NONE = 255 };

struct api_parameter {
    const char *name;     /* as in the Khronos headers */
    const char *type;     /* its C type */
    uint8_t role;         /* enum api_role */
    uint8_t flags;        /* enum api_parameter_flags */
    uint8_t kind;         /* enum api_object_kind, of handles */
    uint8_t family;       /* enum api_family */
    uint8_t element_size; /* bytes of the value, or of one element after the pointer */
    uint8_t count_index;  /* which parameter holds the number of elements, or API_PARAMETER_NONE */
    uint8_t
        actual_index; /* which parameter returns the number written (OUT), or holds the lengths */
    uint16_t fixed_count; /* the number of elements where no parameter holds it */
};

enum api_entry_flags {
    API_ENTRY_EXTENSION = 2, /* has no slot: found with clGetExtensionFunctionAddress */
    API_ENTRY_ASKS = 4,      /* clGet...: changes nothing that another call would notice */
    API_ENTRY_ENQUEUES = 8,  /* clEnqueue...: puts a command into a queue */
    API_ENTRY_RECORDS = 16,  /* clCommand...KHR: puts one into a command-buffer */
};

struct api_entry_info {
    const char *name;  /* "clFinish" */
    const char *since; /* "1.0", or the extension that it belongs to */
    uint32_t flags;    /* enum api_entry_flags */
    uint8_t parameter_count;
    uint8_t blocking; /* the index of the parameter of role BLOCKING, or API_PARAMETER_NONE */
    uint16_t outputs; /* the parameters that the call writes through, a bit each: 1 is the first */
    const struct api_parameter *parameters;
    enum api_role return_role; /* NOTHING, STATUS, HANDLE or POINTER */
    enum api_object_kind return_kind;
};

/* What the specification says of an entry point or a query: its appendix on changes, or the table
 * of queries. */
struct api_deprecation {
    const char *version; /* of OpenCL that deprecates it: "2.0" */
    const char *instead; /* a name or words; "nothing" */
};

/* Types of callbacks, as the headers write them out. */
typedef void(CL_CALLBACK api_context_notify)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK api_context_destructor)(cl_context, void *);
typedef void(CL_CALLBACK api_program_notify)(cl_program, void *);
typedef void(CL_CALLBACK api_event_notify)(cl_event, cl_int, void *);
typedef void(CL_CALLBACK api_mem_destructor)(cl_mem, void *);
typedef void(CL_CALLBACK api_svm_free_notify)(cl_command_queue, cl_uint, void **, void *);
typedef void(CL_CALLBACK api_native_kernel)(void *);

/* API_ENTRY_clFinish ... */
enum api_entry {
    API_ENTRY_UNKNOWN,
#define API(name, ...) API_ENTRY_##name,
#include "trace/api/cl_api.def"
    API_ENTRY_COUNT
};

/* Slots of cl_icd_dispatch that clerk knows; the tables of headers before OpenCL 3.1 have one less.
 */
enum { API_SLOT_COUNT = API_ENTRY_clGetKernelSuggestedLocalWorkSize };

/* API_clSetKernelArg_arg_size ...: the index of each parameter */
#define API(name, since, type, role, ...)                                                          \
    enum {                                                                                         \
        API_EACH(API_VIEW_INDEX, name, __VA_ARGS__),                                               \
        API_##name##_parameter_count,                                                              \
        API_##name##_none = API_PARAMETER_NONE                                                     \
    };
#define API_VOID(...)
#include "trace/api/cl_api.def"

/* The description; API_ENTRY_UNKNOWN and any number beyond the table give one without parameters.
 * Never NULL, lives for ever. */
extern const struct api_entry_info api_entries[API_ENTRY_COUNT];
static inline const struct api_entry_info *api_entry_get(uint32_t entry)
{
    return &api_entries[entry < API_ENTRY_COUNT ? entry : API_ENTRY_UNKNOWN];
}
/* By name; API_ENTRY_UNKNOWN when there is none. */
uint32_t api_entry_find(const char *name);
/* NULL when no version of OpenCL deprecates the entry point. */
const struct api_deprecation *api_entry_deprecation(uint32_t entry);
/* The index of the first parameter with this role, or API_PARAMETER_NONE. */
uint32_t api_entry_find_role(const struct api_entry_info *info, enum api_role role);
/* Does a call enqueue a command, only ask, or launch a kernel? */
static inline bool api_entry_enqueues(uint32_t entry)
{
    return (api_entry_get(entry)->flags & API_ENTRY_ENQUEUES) != 0;
}
static inline bool api_entry_asks(uint32_t entry)
{
    return (api_entry_get(entry)->flags & API_ENTRY_ASKS) != 0;
}
static inline bool api_entry_launches(uint32_t entry)
{
    return entry == API_ENTRY_clEnqueueNDRangeKernel || entry == API_ENTRY_clEnqueueTask;
}
/* Is it clerk's own, and stands for memory of the program's own that kernels use: as an allocation,
 * its end, and its being named for a kernel? */
static inline bool api_call_is_of_found(const struct api_call *call)
{
    return (call->flags & API_CALL_SYNTHETIC) != 0 &&
           (call->entry == API_ENTRY_clSVMAlloc || call->entry == API_ENTRY_clSVMFree ||
            call->entry == API_ENTRY_clSetKernelExecInfo);
}
/* Of a command: does it return only when the command is complete, as its argument asks? */
static inline bool api_call_blocks(const struct api_call *call)
{
    const uint8_t index = api_entry_get(call->entry)->blocking;
    return index != API_PARAMETER_NONE && call->arguments[index].bits != CL_FALSE;
}
/* The argument of the first parameter with this role; NULL when the call has none. */
static inline const struct api_value *api_call_argument(const struct api_call *call,
                                                        enum api_role role)
{
    const uint32_t index = api_entry_find_role(api_entry_get(call->entry), role);
    return index < call->argument_count ? &call->arguments[index] : NULL;
}
/* The error code that a call returned or gave through errcode_ret; CL_SUCCESS where it has none. */
int32_t api_call_status(const struct api_call *call);
/* The index of the parameter of that name, or API_PARAMETER_NONE. */
uint32_t api_entry_find_parameter(const struct api_entry_info *info, const char *name);

/* What an object is called that the entry point gave: "buffer", "image". Always the same literal.
 */
const char *api_object_noun(enum api_object_kind kind, uint32_t entry);
/* Does the entry point list objects that are there, instead of making them? Platforms, mutable
 * commands, and devices that are not made by clCreateSubDevices: nobody counts references to them.
 */
bool api_entry_lists(uint32_t entry, enum api_object_kind kind);

/* A pointer to some entry point. */
typedef void api_function(void);

/* The entry point in a dispatch table of `num_entries` slots; NULL when it is not there. */
api_function *api_dispatch_function(const cl_icd_dispatch *dispatch, cl_uint num_entries,
                                    uint32_t entry);

/* Calls `function`, which is of the type of `entry`, with one 64-bit word per parameter: integers
 * sign- or zero-extended, pointers as they are. Returns the result as a word (0 for none). The
 * entry is in the table and not opaque. */
uint64_t api_perform(uint32_t entry, api_function *function, const uint64_t *words);

/* How many elements the parameter's list has (or bytes its memory), from the call's own arguments:
 * the value of the count parameter, or fixed_count. `words` as for api_perform. */
static inline uint64_t api_parameter_count(const struct api_parameter *parameter,
                                           const uint64_t *words)
{
    return parameter->count_index == API_PARAMETER_NONE ? parameter->fixed_count
                                                        : words[parameter->count_index];
}

#endif
