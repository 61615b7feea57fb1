/* An OpenCL call as data: what the layer captures, checkers judge, the trace stores, replay
 * performs and the viewer prints.
 *
 * The entry-point table (trace/api/cl_api.def) has a row per entry point with a *role* for each
 * parameter; a captured argument is an api_value whose kind follows from the role. Everything that
 * a pointer argument points to is copied at once: a call never refers to the application's memory,
 * except by `address`, which is only a number. */
#ifndef TRACE_API_CALL_H
#define TRACE_API_CALL_H

#include "trace/base/arena.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { API_ARGUMENT_MAX = 16 };

/* Whose bytes contents are, beside those of the parameters: */
enum {
    API_ARGUMENT_RESULT = API_ARGUMENT_MAX, /* what the return value points to */
    /* Shared memory that the host uses without telling: what it wrote before the call, and what it
     * sees after it. The offset is the address. */
    API_ARGUMENT_HOST_WROTE,
    API_ARGUMENT_HOST_SEES,
    /* A file that a program includes, of the call that compiles it: its absolute path, a NUL, its
     * text. Those of a call are at multiples of API_HEADER_STRIDE. */
    API_ARGUMENT_HEADER,
};
#define API_HEADER_STRIDE (UINT64_C(1) << 32)
/* What a native kernel left in the memory objects of its list, of that parameter: those of the n-th
 * object from n times this on. */
#define API_ELEMENT_STRIDE (UINT64_C(1) << 40)

enum api_value_kind {
    API_VALUE_NONE,    /* a return value of void */
    API_VALUE_SCALAR,  /* an integer, enumerant or bit-field: `bits`, sign-extended to 64 */
    API_VALUE_POINTER, /* an address and nothing more: host pointers, callbacks, user data */
    API_VALUE_HANDLE,  /* an OpenCL object: the handle in `bits` */
    API_VALUE_HANDLES, /* a list: `count` uint64_t in `data` */
    API_VALUE_SIZES,  /* a list of size_t, cl_ulong or other integers: `count` uint64_t in `data` */
    API_VALUE_STRING, /* `size` bytes in `data`, without NUL */
    API_VALUE_STRINGS,    /* a list: `count` strings in `data`, each a uint64_t length and that many
                             bytes */
    API_VALUE_BYTES,      /* `size` bytes in `data`: clSetKernelArg values, patterns, query results,
                             descriptors */
    API_VALUE_PROPERTIES, /* zero-terminated pairs: `count` uint64_t in `data`, the zero included */
};

struct api_value {
    enum api_value_kind kind;
    bool present;  /* of a pointer: not NULL. An OUT pointer's values are there after the call only.
                    */
    uint64_t bits; /* SCALAR, HANDLE: the value; pointers: the address the application passed */
    uint32_t count;   /* elements of a list */
    uint64_t size;    /* bytes in data */
    const void *data; /* owned by the call's arena */
};

enum api_call_flags {
    API_CALL_COMPLETED = 1, /* the end was recorded: result and OUT values are valid */
    API_CALL_BLOCKED = 2,   /* clerk did not pass it on to the driver */
    API_CALL_SYNTHETIC =
        4, /* made by clerk: facts asked of the driver, never an application's call */
    API_CALL_IN_CALLBACK = 8, /* made from within a callback */
    /* That callback is of an event or of the end of a memory object, which must not block. */
    API_CALL_IN_BRIEF_CALLBACK = 16,
    API_CALL_PASSES = 32,        /* it gave the program a function whose calls are not seen */
    API_CALL_OF_ENDED = 64,      /* about the object whose end the callback tells that makes it */
    API_CALL_AT_EXIT = 128,      /* after the program's exit handlers that were registered last */
    API_CALL_OF_OWN_QUEUE = 256, /* about the queue that runs the native kernel which makes it */
};

/* Bytes of memory that belong to a call, kept apart from its arguments because they are large: what
 * a write reads, what a read returned, the host pointer of a create, what a map exposed; and what a
 * launch found and left in the memory objects that its kernel can reach. */
struct api_content {
    uint32_t argument; /* index of the parameter they belong to, or API_ARGUMENT_... */
    bool after;        /* of a launch: what it left, not what it found */
    uint64_t object;   /* of a launch: the handle of the memory object, or the address of the shared
                          virtual memory; then `argument` says nothing. Else 0 */
    uint64_t offset;   /* where in the memory of argument or object they start, in bytes */
    uint64_t size;
    const void *bytes;
};

/* A callback of the application's that ran. */
struct api_callback {
    uint64_t call_id;          /* that registered it */
    uint64_t begin_ns, end_ns; /* end 0: it has not returned; told again when it has */
    uint32_t thread;           /* 0: one that makes no calls */
    uint32_t reserved;
};

/* When a command was queued, submitted, started, ended and complete, by its device's clock. */
struct api_command_times {
    uint64_t call_id; /* that enqueued it */
    uint64_t queued_ns, submit_ns, start_ns, end_ns;
    uint64_t
        complete_ns; /* with the commands that its kernel enqueued; 0 = the driver does not say */
};

/* What was counted of a line of a launch's source (reference/vm/counters.h). */
struct api_line {
    uint64_t call_id; /* that enqueued it */
    uint64_t line;    /* 0 = not known */
    uint64_t operations;
    uint64_t active, present; /* work-items that took part in them, and that could have */
    uint64_t global_lines, global_least, local_turns, local_least;
};

/* A kernel that another one enqueued on the device. */
struct api_child {
    uint64_t id;      /* from 1, in the order in which they were enqueued; unique in the process */
    uint64_t parent;  /* the child that enqueued it; 0 = the launch itself */
    uint64_t call_id; /* of that launch */
    uint64_t queue;   /* the handle */
    uint64_t global_size[3], local_size[3], global_offset[3];
    /* By the device's clock, from the end of the launch's own kernel on; complete with all that it
     * enqueued. 0 = it did not run. */
    uint64_t start_ns, end_ns, complete_ns;
    uint32_t dimensions;
    int32_t status; /* CL_COMPLETE or an error */
};

/* The callback of an event that a call is made in. Where something was before something else, its
 * number is the smaller one. */
struct api_event_callback {
    uint64_t call_id;    /* that registered it */
    uint64_t event;      /* the handle */
    uint64_t function;   /* its address */
    uint64_t registered; /* when: before that call reached the driver */
    uint64_t called;     /* when: the call that is made in it */
};

struct api_call {
    uint64_t id;     /* from 1, in the order in which calls began; unique in the process */
    uint32_t thread; /* from 1, in the order in which threads first called */
    uint32_t entry;  /* enum api_entry; an extension function without a row: API_ENTRY_UNKNOWN */
    uint32_t flags;  /* enum api_call_flags */
    uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC since the trace's start */
    uint32_t argument_count;
    struct api_value arguments[API_ARGUMENT_MAX];
    struct api_value result;
    const char *name; /* of an extension function without a row; else NULL */
    /* While the program runs: the number that the first object has which the call made, others
     * following; 0 = not given (host_checker_number), and in a trace. */
    uint32_t ordinal;
    /* While the program runs and the callback with it; NULL in a trace, and in no such callback. */
    const struct api_event_callback *callback;
};

/* The wire form of what a call was given and gave back: its name, arguments and result; the same in
 * a spool and in the trace's `record` column. Who called, what and when is beside it. Encoding
 * writes to `bytes`, where there is room for api_call_size_max, and returns the size; decoding
 * checks every length, copies into `arena`, and leaves the other members of *call as they are. They
 * are inverses. */
size_t api_call_size_max(const struct api_call *call);
size_t api_call_encode(const struct api_call *call, void *bytes);
enum status api_call_decode(const void *bytes, size_t size, struct arena *arena,
                            struct api_call *call, struct error *error);

/* "clFinish", whether or not the table of entry points knows it. */
const char *api_call_name(const struct api_call *call);

/* As a person reads it: `clSetKernelArg(kernel = 0x55.., arg_index = 0, ...) = CL_SUCCESS`.
 * `name_handle` (may be NULL) gives handles their names, "kernel#2"; it returns NULL where it knows
 * none. */
typedef const char *api_handle_name(void *user, uint64_t handle);
void api_call_print(const struct api_call *call, api_handle_name *name_handle, void *user,
                    struct text *text);
/* What stands there in the parentheses, and what stands after the equals sign of a call that
 * returned. */
void api_call_print_arguments(const struct api_call *call, struct text *text);
void api_call_print_result(const struct api_call *call, struct text *text);
/* One JSON object without the surrounding braces' newline:
 * {"call":"clFinish","arguments":{...},...}. */
void api_call_print_json(const struct api_call *call, api_handle_name *name_handle, void *user,
                         struct text *text);

#endif
