/* The host checker: rules about API calls, as functions of a stream of calls.
 *
 * Feed it every call: host_checker_begin before the call goes to the driver, host_checker_end with
 * the same call after it came back (results and OUT values filled in), host_checker_finish once
 * when the program ended normally. It never calls OpenCL and never touches the application's
 * memory itself, so the same rules run live in the layer, over a recorded trace and in a test
 * without a driver.
 *
 * It keeps a table of every object it has seen: name, explicit reference count, parent, where it
 * was created and released. Any thread may call begin and end, at the same time as others; a call
 * that only uses live handles takes no lock. A finding is given to `report` on the thread of the
 * call, at its first time; what comes again is counted (host_checker_finish). `report` must not
 * call the checker. */
#ifndef CHECKERS_HOST_HOST_H
#define CHECKERS_HOST_HOST_H

#include "checkers/checks.h"
#include "checkers/sink.h"
#include "trace/api/call.h"
#include "trace/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_checker;
struct use;

/* Host stacks belong to whoever captures them: the checker keeps a number for each. Equal stacks
 * should have equal numbers (leaks are grouped by it); 0 = none. Called at object creation, at the
 * release that ends an object, and at a finding, never otherwise; on the thread of the call. */
typedef uint64_t host_capture_stack(void *user);
/* Describes a stack that capture_stack gave: frames innermost first, strings in `arena`, without
 * addresses: "function+offset (module)". Called only when a finding is made. Returns the number of
 * frames; *frames is then set. */
typedef size_t host_describe_stack(void *user, uint64_t stack, struct arena *arena,
                                   const char *const **frames);

/* Parts of the program's memory that are watched (memory.h): of more than a few KiB some bytes, or
 * all. */
enum {
    HOST_WATCH_TRANSFERS = 1, /* the sources of transfers in flight */
    HOST_WATCH_POINTERS = 2,  /* memory behind CL_MEM_USE_HOST_PTR */
    HOST_WATCH_SVM = 4,       /* coarse-grained shared virtual memory */
    HOST_WATCH_FREES = 8,     /* what is freed while OpenCL uses it: host_checker_freed is told */
};
/* A digest of `size` bytes of the program's memory; false when they cannot be read. */
typedef bool host_digest(void *user, uint64_t address, uint64_t size, uint64_t *digest);

/* Memory of the program's is about to be used by OpenCL: what the program frees from now on is to
 * be told (host_checker_freed). */
typedef void host_lend(void *user);

/* What the number of a file descriptor stands for. */
enum host_descriptor {
    HOST_DESCRIPTOR_OTHER,  /* it is open; since when is not known */
    HOST_DESCRIPTOR_CLOSED, /* nothing */
    HOST_DESCRIPTOR_MARKED, /* the same as when it got the mark: it was not closed since */
};
typedef enum host_descriptor host_descriptor_find(int32_t descriptor, uint32_t mark);
/* Marks are numbered from 1. What cannot be marked is never MARKED. */
typedef void host_descriptor_mark(int32_t descriptor, uint32_t mark);

/* An object of OpenGL that a memory object is made of. */
enum host_gl_kind { HOST_GL_BUFFER, HOST_GL_TEXTURE, HOST_GL_RENDERBUFFER };
struct host_gl {
    uint64_t context; /* CL_GL_CONTEXT_KHR; 0 = unknown */
    enum host_gl_kind kind;
    uint32_t name;
    int32_t level; /* of a texture; negative: not to be asked for */
};
enum host_gl_answer {
    HOST_GL_UNKNOWN, /* the context is not current on this thread, say */
    HOST_GL_THERE,
    HOST_GL_GONE,
};
/* *store: a digest of the object's size and format; 0 = not known, or it is not there. */
typedef enum host_gl_answer host_gl_ask(const struct host_gl *object, uint64_t *store);

/* Has the process no other thread, and is not a callback of the program's to come? Called on the
 * thread of a call that waits. */
typedef bool host_alone(void *user);

/* How many bytes the driver's answer to the query of this call has; 0 = it has none, or that is not
 * known. Called once the driver has refused the call. */
typedef uint64_t host_answer_size(void *user, const struct api_call *call);

/* Does the driver list the format for such an image of the context, or is that not known? Called
 * once it has refused to make one. */
struct host_image {
    uint64_t context;
    uint64_t flags;
    uint32_t type;                /* CL_MEM_OBJECT_IMAGE2D ... */
    uint32_t order, channel_type; /* of its format */
};
typedef bool host_lists_format(void *user, const struct host_image *image);

/* What the compiler said of the program's last build, which the driver has refused, for the first
 * device that it failed for; in the arena, or until the call returns. "" = nothing, or that is not
 * known. */
typedef const char *host_build_log(void *user, uint64_t program, struct arena *arena);

struct host_options {
    struct checks checks;  /* which rules are on; object tracking is always on */
    bool late;             /* objects may exist that no call told of */
    bool forked;           /* by a child, of a process that had called OpenCL */
    bool fail_calls;       /* refuse every call that has a finding of severity error */
    sink_function *report; /* takes the findings; never NULL */
    void *report_user;
    host_capture_stack *capture_stack;   /* NULL = no stacks */
    host_describe_stack *describe_stack; /* NULL = no stacks */
    void *stack_user;
    unsigned watch;       /* HOST_WATCH_... */
    unsigned watch_whole; /* of them: every byte */
    host_alone *alone;    /* NULL = nobody knows */
    void *alone_user;
    host_descriptor_find *descriptor_find; /* NULL, or the next one is = nobody knows */
    host_descriptor_mark *descriptor_mark;
    host_gl_ask *gl_ask;             /* NULL = nobody knows */
    host_answer_size *answer_size;   /* NULL = nobody knows */
    host_lists_format *lists_format; /* NULL = nobody knows */
    host_build_log *build_log;       /* NULL = nobody knows */
    void *answer_user;
    host_digest *digest; /* NULL = no bytes are looked at */
    host_lend *lend;     /* NULL = nobody needs to know */
    void *watch_user;    /* of these two */
};

/* A call was not told of: nothing is judged any more, which could only be guessed. For any signal
 * handler. */
void host_checker_stop(struct host_checker *checker);

/* What is to be done with a call. Unless fail_calls is set only handles known to be dead refuse it.
 */
struct host_verdict {
    bool refuse;
    int32_t error; /* CL_...: what the specification has the entry point return; CL_SUCCESS if
                      forwarded */
};

/* NULL when memory is out. `options` is copied. */
struct host_checker *host_checker_create(const struct host_options *options);
/* No other thread may be inside the checker. NULL is allowed. */
void host_checker_destroy(struct host_checker *checker);

/* `call` has its id, thread, entry, flags and IN arguments. Always fills *verdict. A synthetic call
 * (API_CALL_SYNTHETIC) teaches objects but is never judged. */
void host_checker_begin(struct host_checker *checker, const struct api_call *call,
                        struct host_verdict *verdict);
/* Numbers for the objects that the call, which came back, has made: the first one; 0 = none. What
 * the trace is told later numbers objects by the ends of calls, so who wants the same names in both
 * asks in that order, and puts the answer into the call. */
uint32_t host_checker_number(struct host_checker *checker, const struct api_call *call);
/* `call` came back: the result and OUT values are in it. For a refused call (API_CALL_BLOCKED) it
 * must be called as well. */
void host_checker_end(struct host_checker *checker, const struct api_call *call);

/* Calls that programs make more often than others, told of in few words where nobody keeps them:
 * clSetKernelArg with a value, clGetEventInfo for CL_EVENT_COMMAND_EXECUTION_STATUS with room for
 * it, and calls that retain their only argument. Made from no callback. */
struct host_brief {
    uint64_t call_id;
    uint32_t thread, entry;
    uint64_t object;      /* the kernel, event, or what is retained */
    uint64_t index, size; /* arg_index, arg_size */
    uint64_t address;     /* arg_value */
    uint64_t value;       /* of 8 bytes; 0 = it has another size. host_checker_brief_begin leaves
                           * the handle or address that it is */
    uint64_t number;      /* of 4 or 8 bytes; 0 = it has another size */
};
/* False: nothing was done, and host_checker_begin is to be told of the call. True: it is right. */
bool host_checker_brief_begin(struct host_checker *checker, struct host_brief *brief);
/* That call succeeded; `status` is the event's. False, and also if the call failed:
 * host_checker_end is to be told of it. */
bool host_checker_brief_end(struct host_checker *checker, const struct host_brief *brief,
                            int32_t status);

/* The program is about to be called back: because the event's command has ended, or because
 * something has ended that no event tells of (event 0). */
void host_checker_command_ended(struct host_checker *checker, uint64_t event);
/* The callback that a call gave is about to be called with the program's user data, perhaps before
 * the call has returned. */
void host_checker_called_back(struct host_checker *checker, uint64_t call_id);
/* The same of a callback that tells that a build, compilation or link has ended; before the driver
 * is asked about the program. */
struct host_build_end {
    uint64_t call_id; /* that gave the callback */
    uint32_t entry;
    uint64_t object; /* its first argument: the context of clLinkProgram */
    uint64_t program;
};
void host_checker_built(struct host_checker *checker, const struct host_build_end *end);
/* May it be that the program must not free these bytes? Cheap. */
bool host_checker_lends(struct host_checker *checker, uint64_t address, uint64_t size);
/* It frees them, with this function, a literal. As cheap if it may. */
void host_checker_freed(struct host_checker *checker, uint64_t address, uint64_t size,
                        const char *function);
/* The device judges itself what its commands do to memory objects. To be told before queues are
 * made for it. */
void host_checker_leave_device(struct host_checker *checker, uint64_t device);

/* Launches that the caller watches: which bytes they use it can tell once they have ended. Whether
 * such a launch clashes with other commands is decided then (race-commands), unless that is certain
 * before; it is silent where both use other bytes.
 *
 * Is anything unordered with the next launch in this queue, or may it be? Cheap where there is one
 * queue. */
bool host_checker_may_clash(struct host_checker *checker, uint64_t queue);
/* The launch of this call, which is about to return, is watched, and how it uses these memory
 * objects, which are no parts of others. True: host_checker_await_no_more must follow. */
bool host_checker_await(struct host_checker *checker, uint64_t call_id, const uint64_t *objects,
                        size_t count);
/* Can no later command clash with it, since the host knows that it has ended? The answer stays the
 * same as long as this number does. */
uint64_t host_checker_host_version(const struct host_checker *checker);
bool host_checker_is_over(struct host_checker *checker, uint64_t call_id);
/* Does a finding depend on what it did to the object? Then that; bits are copied. */
bool host_checker_wants(struct host_checker *checker, uint64_t call_id, uint64_t object);
void host_checker_tell(struct host_checker *checker, uint64_t call_id, uint64_t object,
                       const struct use *uses, size_t count);
/* What of it was not told by now never will be. */
void host_checker_await_no_more(struct host_checker *checker, uint64_t call_id);

/* The program ended normally: reports what it never released, one finding per place of creation.
 * Not to be called when it crashed, was killed or left by _exit. `releases_more`: callbacks are to
 * come in which it may still do so, and what it never releases is not known. */
void host_checker_finish(struct host_checker *checker, bool releases_more);

/* The name of an object, "kernel#2"; NULL when the handle was never seen. In the shape of
 * api_handle_name (trace/api/call.h): `checker` is a struct host_checker *. The string lives as
 * long as the checker. */
const char *host_checker_handle_name(void *checker, uint64_t handle);

#endif
