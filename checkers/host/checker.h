/* The inside of the host checker, shared by its files.
 *
 * At creation each entry point gets a *plan*: the steps that judge a call of it, made from the
 * roles of its parameters (plan.c), from what it does to memory (effect_conditions.def) and from
 * the rows of conditions.def. A step is a function with its parameters, so a new rule is a new row
 * or a new function, and a call runs only the steps that concern it. */
#ifndef CHECKERS_HOST_CHECKER_H
#define CHECKERS_HOST_CHECKER_H

#include "checkers/finding.h"
#include "checkers/host/callback_order.h"
#include "checkers/host/host.h"
#include "checkers/host/objects/imported.h"
#include "checkers/host/objects/object.h"
#include "checkers/host/objects/svm.h"
#include "checkers/sink.h"
#include "trace/api/call.h"
#include "trace/api/entry.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- conduct.c ---- */

/* What no error code tells and one call alone does not show: user events that commands wait for,
 * and kernels that several threads change. Any thread. */

struct host_checker;
struct judged;

enum { CONDUCT_KERNELS = 64 };

struct conduct {
    /* User events whose status was not set, and those of them that enqueued commands wait for. */
    _Atomic uint64_t unset_events, awaited_events;
    /* Memory objects whose content_undefined is set: an upper bound. */
    _Atomic uint64_t undefined_contents;
    atomic_bool contents_unknown; /* a command may have written any of them: 0 from then on */
    atomic_bool objects_shared;   /* memory objects were made that other interfaces use too */
    atomic_bool fork_told;
    /* Calls under way that change a kernel, in the slot of its handle; of two kernels with one slot
     * the second is not watched. */
    struct conduct_kernel {
        _Alignas(64) _Atomic uint64_t handle; /* 0 = none; threads do not share the lines */
        _Atomic uint64_t call_id;
        _Atomic uint64_t second; /* the latest call that came while another one was under way */
        _Atomic uint64_t told;   /* the last kernel that a finding was made of: one is enough */
    } kernels[CONDUCT_KERNELS];
};

/* Does a call of it change the kernel that is its first parameter, which only one thread may do? */
bool conduct_changes_kernel(uint32_t entry);
void conduct_kernel_begin(struct judged *judged);
/* The same for a call that is told of in few words (host.h). False: another one is under way; this
 * one is then told of by conduct_kernel_begin as well. */
bool conduct_kernel_enter(struct host_checker *checker, uint64_t kernel, uint64_t call_id);
void conduct_kernel_leave(struct host_checker *checker, uint64_t kernel, uint64_t call_id);
void conduct_kernel_end(struct host_checker *checker, const struct api_call *call);

/* The call is made while the program ends. */
void judge_at_exit(struct judged *judged);

/* A user event was made; its status is about to be set. */
void conduct_event_made(struct host_checker *checker);
void conduct_event_set(struct host_checker *checker, uint64_t event);
/* A command was enqueued: what becomes of the contents of memory objects. */
void conduct_contents(struct host_checker *checker, const struct api_call *call);
/* A command was enqueued that waits for these events. */
void conduct_events_awaited(struct host_checker *checker, const struct api_value *list);

/* ---- repeated_findings.c ---- */

/* Findings that come again: a wrong call in a loop is described once, at its first time, and from
 * then on only counted; the rest of the count is reported at the end of the program. Any thread. */

struct repeats;

/* What makes two findings about calls the same, known before anything is described: as finding_key,
 * with numbers for stacks. Without padding: it is hashed as bytes. */
struct repeat_key {
    uint64_t stack;
    uint64_t created_stack;
    uint64_t released_stack;
    int64_t element;
    uint32_t rule;
    uint32_t entry;
    uint32_t argument;
    uint32_t created_entry;
    uint32_t released_entry;
    uint32_t reserved; /* 0 */
};

/* NULL when memory is out. */
struct repeats *repeats_create(void);
void repeats_destroy(struct repeats *repeats);

/* Counts one more of these if it was reported before; else false, and it is to be reported. */
bool repeats_count(struct repeats *repeats, const struct repeat_key *key);
/* It was reported. Without memory for a copy it is not remembered, and will be reported again. */
void repeats_remember(struct repeats *repeats, const struct repeat_key *key,
                      const struct finding *finding);
/* Reports those that came again, each once with the count that was not reported yet, in the order
 * of their first time. */
void repeats_report(struct repeats *repeats, sink_function *report, void *user);

/* ---- host_ptr_buffers.c ---- */

/* Memory of the host that buffers use as their own (CL_MEM_USE_HOST_PTR), for as long as they live.
 * Any thread. */

struct object_table;
struct host_ptr_table;

struct host_ptr_range {
    uint64_t address, size;
    uint64_t handle, serial; /* of the buffer, and its life */
    bool used;               /* by a command */
};

/* NULL when memory is out. */
struct host_ptr_table *host_ptr_table_create(struct object_table *objects);
void host_ptr_table_destroy(struct host_ptr_table *table);

void host_ptr_add(struct host_ptr_table *table, uint64_t handle, uint64_t address, uint64_t size);
/* The first buffer that has a byte of these; false = none. */
bool host_ptr_find(struct host_ptr_table *table, uint64_t address, uint64_t size,
                   struct host_ptr_range *range);
/* Are there any? Without a lock. */
bool host_ptr_any(const struct host_ptr_table *table);
/* A command uses the buffer. Another one that has bytes of its memory, and was used: *other. */
bool host_ptr_use(struct host_ptr_table *table, uint64_t handle, struct host_ptr_range *other);

struct binary_table;
struct host_commands;
struct last_command;
struct recordings;
struct judged;

/* One thing to judge of a call. Which members mean what is the function's business. */
struct step {
    void (*judge)(struct judged *judged, const struct step *step);
    enum rule_index rule; /* of conditions */
    int32_t error;        /* what the entry point returns; CL_SUCCESS = undefined behaviour */
    union {               /* indices of parameters, or API_PARAMETER_NONE */
        uint8_t at[8];
        struct {
            uint8_t argument; /* that a finding names */
            uint8_t other;
        };
    };
};

struct plan {
    struct step *steps; /* in the checker's arena */
    size_t count;
    size_t after_count; /* of further steps, for calls that failed alone */
    bool acts;   /* there is more to do than to judge, to learn, and what the next words say: */
    bool counts; /* the call retains or releases its first argument, and that is all it does */
    bool frees;  /* it ends shared virtual memory: ends_svm */
    /* What is learned from a call that came back; NULL = nothing. */
    void (*learn)(struct host_checker *checker, const struct api_call *call,
                  const struct api_entry_info *info);
    uint8_t commands;    /* host_commands_concern; 0 also when no rule about them is on */
    bool changes_kernel; /* conduct_changes_kernel */
    uint8_t wait_list;   /* of an enqueuing call; or API_PARAMETER_NONE */
};

struct host_checker {
    atomic_bool stopped; /* by host_checker_stop */
    struct host_options options;
    struct object_table *objects;
    struct repeats *repeats;
    struct svm_table *svm;
    struct host_ptr_table *owned;
    struct recordings *recordings;
    struct imported_table *imported;
    struct binary_table *binaries;  /* NULL: the rule about them is off */
    struct host_commands *commands; /* NULL: no rule about them is on */
    struct arena arena;
    struct plan plans[API_ENTRY_COUNT];
    struct conduct conduct;
    struct callback_births births;
    /* Objects may be there that we did not see: the options say so, or the program obtained
     * extension functions that may make or end objects behind our back. */
    atomic_bool blind;
};

/* A call under judgement. */
struct judged {
    struct host_checker *checker;
    const struct api_call *call;
    const struct api_entry_info *info;
    struct host_verdict *verdict;
    uint64_t context; /* serial of the context of context_holder; 0 = unknown, or it has none */
    /* The call came back with this error, and is judged again: what was sure explains it. If
     * nothing was, it is judged once more, and what was unsure is certain if it is the same error.
     * CL_SUCCESS before the call. */
    int32_t returned;
    bool explained;
    bool weighs_unsure;
    enum advice advice; /* of the finding that is made next, if it is of the advice's rule */
    bool blamed;        /* something was found, whether it is told or only counted */
    bool queue_known, queue_asked; /* judged_queue */
    struct queue_traits queue;
    const struct device_traits *device; /* the queue's */
    /* The kernel that was asked for last, and what judged_kernel said. */
    uint64_t kernel_handle;
    const struct kernel_traits *kernel;
};

static inline bool is_stopped(const struct host_checker *checker)
{
    return atomic_load_explicit(&checker->stopped, memory_order_relaxed);
}

/* There may be objects that no call told of. */
static inline bool is_blind(const struct host_checker *checker)
{
    return atomic_load_explicit(&checker->blind, memory_order_relaxed);
}

/* Fills checker->plans; false when memory is out. */
bool plan_make_all(struct host_checker *checker);

/* ---- steps by role (judge_handle.c, judge_argument.c, judge_value.c, conduct.c) ---- */
#define STEP(name) void name(struct judged *judged, const struct step *step)
STEP(judge_handle);
STEP(judge_handles);
STEP(judge_wait_list);
STEP(judge_required_pointer);
STEP(judge_list);
STEP(judge_flags);
STEP(judge_query);
STEP(judge_properties);
STEP(judge_event_aliased);
STEP(judge_release_awaited);
STEP(judge_sync_points);
STEP(judge_extension);
STEP(judge_deprecated);
STEP(judge_owned_once);
STEP(judge_contents);
STEP(judge_host_queue);
STEP(judge_failed_events);
STEP(judge_blocking_callback);
STEP(judge_recording_queue);
STEP(judge_recording);
STEP(judge_mutable_handle);
STEP(judge_flushed);
STEP(judge_forked);
STEP(judge_awaited_set);

/* ---- steps of conditions.def, and of effect_conditions.def ---- */
#define CONDITION(rule, judge, ...) STEP(judge);
#include "checkers/host/conditions/conditions.def"
#undef CONDITION
#define EFFECT_CONDITION(forms, kinds, who, rule, judge, ...) STEP(judge);
#include "checkers/host/conditions/effect_conditions.def"
#undef EFFECT_CONDITION
#undef STEP

/* The parameter whose context is that of the call, or API_PARAMETER_NONE. */
uint8_t context_holder(const struct api_entry_info *info);

/* A handle that is not a parameter itself: step->argument points to it. It is of this kind, and of
 * this context if that is not 0; returns what is known of it. */
struct object_state judge_handle_value(struct judged *judged, const struct step *step,
                                       uint64_t handle, enum api_object_kind kind,
                                       uint64_t context);

/* ---- what steps ask (judged_call.c) ---- */

static inline uint64_t judged_bits(const struct judged *judged, uint8_t index)
{
    return judged->call->arguments[index].bits;
}
static inline const char *judged_name(const struct judged *judged, uint8_t index)
{
    return judged->info->parameters[index].name;
}
/* How many elements a captured list has; 0 also of one that is of another kind, or could not be
 * read. */
static inline uint32_t list_count(const struct api_value *list, enum api_value_kind kind)
{
    return list->kind == kind && list->data ? list->count : 0;
}
/* Word `index` of a captured list; the bytes need not be aligned. */
uint64_t list_word(const struct api_value *list, size_t index);
/* The level that stands after three coordinates, of a mipmapped image; 0 = none. After fewer ones
 * it counts as one of them. */
static inline uint64_t image_origin_level(const struct api_value *origin)
{
    return origin->count > 3 && origin->data ? list_word(origin, 3) : 0;
}
/* Three numbers behind a pointer; false when they could not be read. */
bool judged_triple(const struct judged *judged, uint8_t index, uint64_t triple[3]);
/* What is known of an object of this kind that the program may use, as object_get_traits has it;
 * false when nothing is. */
bool judged_traits(const struct judged *judged, uint64_t handle, enum api_object_kind kind,
                   void *traits);
/* What is known of the memory object that an argument names; false when nothing is. */
bool judged_mem(const struct judged *judged, uint8_t index, struct mem_traits *mem);
/* The same of one by its handle, of which, if others share it, the type is not known. */
bool judged_object(const struct judged *judged, uint64_t handle, struct mem_traits *mem);
/* What is known of a command-buffer; false when nothing is. */
bool judged_command_buffer(const struct judged *judged, uint64_t handle,
                           struct command_buffer_traits *buffer);
/* What is known of a kernel that the program may use; NULL when nothing is. */
const struct kernel_traits *judged_kernel(struct judged *judged, uint64_t handle);
/* The command-queue of an enqueuing call, and its device; NULL when nothing is known. */
const struct queue_traits *judged_queue(struct judged *judged);
const struct device_traits *judged_device(struct judged *judged);
/* The devices of a context; false when they are not known. */
bool judged_devices(const struct judged *judged, uint64_t context, struct device_list *devices);
/* A fact of a device by its handle; false when it is not known. */
bool judged_device_fact(const struct judged *judged, uint64_t device, enum device_fact fact,
                        uint64_t *value);
/* A fact of every device of a context: the smallest, the largest, all of their bits together. False
 * when it is not known of each. */
struct fact_range {
    uint64_t least, most, any;
};
bool judged_fact(const struct judged *judged, uint64_t context, enum device_fact fact,
                 struct fact_range *range);
/* The handle of the context of the object with this handle; 0 = unknown. */
uint64_t judged_context(const struct judged *judged, uint64_t handle);

/* Is CL_MEM_IMMUTABLE_EXT among these flags of a memory object that is made in a context, or from
 * another one? Its bit is CL_MEM_USE_PERSISTENT_MEM_AMD where no device of the context has
 * cl_ext_immutable_memory_objects. Traits of memory objects have it only where it is. */
bool judged_immutable(const struct judged *judged, uint64_t object, uint64_t flags);
/* Enumerants of the core are below; what has no name from there on may be a vendor's, where the
 * entry point is not itself one of an extension. */
enum { CORE_ENUMERANTS_END = 0x1200 };
static inline bool may_be_of_vendor(const struct judged *judged, uint64_t value)
{
    return value >= CORE_ENUMERANTS_END && judged->info->since[0] != 'c'; /* "cl_khr_..." */
}

/* Flags that something made from a memory object with these flags must not have. */
uint64_t flags_forbidden(uint64_t flags);
/* Is an image larger than images can be on that device? False when its limits are not known. */
bool image_exceeds(const struct device_traits *device, const struct mem_traits *mem);

/* The programs and devices of kernels (judge_program.c): the traits of the program of a kernel, and
 * the index of a device in a list, or its count. */
bool judged_program_of(const struct judged *judged, uint64_t kernel,
                       struct program_traits *program);
uint32_t device_index(const struct device_list *devices, uint64_t device);
/* Can it have no executable for that device? */
bool program_lacks(const struct program_traits *program, uint32_t index);

/* The number of the extension that an entry point belongs to, below 64. */
unsigned extension_of(uint32_t entry);
/* Extensions (learn_extension.c): with whom a context is to share by a property of it, an entry
 * point is about sharing, or a memory object is shared that it makes: enum sharing, 0 = with
 * nobody. */
struct api_property;
uint32_t property_sharing(uint64_t name, uint64_t value);
uint32_t entry_sharing(uint32_t entry);
uint32_t object_sharing(uint32_t entry);
/* What the properties of a memory object, or of a semaphore, say of what is imported; and more. */
struct import {
    uint32_t handles; /* how many are imported */
    uint64_t type;    /* of the last of them */
    uint64_t types;   /* handle_type_bit of each */
    bool lists_devices;
    struct device_list devices; /* count 0 also when there are too many */
    /* Of a semaphore: has it a type, how many types of handles are exported, which. */
    bool has_type;
    uint32_t exports;
    uint64_t export_types;
    bool has_address; /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT */
};
struct import import_of(const struct api_value *properties, enum api_family family);

/* ---- findings (blame.c) ---- */

/* What is wrong with a call; strings live until blame_call returns. */
struct blame {
    enum rule_index rule;
    int32_t error;                     /* CL_... that the entry point returns; CL_SUCCESS: none */
    uint8_t argument;                  /* index of the parameter, or API_PARAMETER_NONE */
    int64_t element;                   /* of a list; -1 = the parameter itself */
    const struct object_facts *object; /* whose creation and release are places; NULL = none */
    bool refuse;                       /* even without fail_calls */
    bool unsure;                       /* to be said only if the driver returns that error */
    const char *reason;                /* NULL = what the entry point returns */
};

/* What the next finding has to say of what to do, where its rule's advice does not fit. */
static inline void advise(struct judged *judged, enum advice advice)
{
    judged->advice = advice;
}

/* Is the rule on? To be asked before a message is made. */
bool blame_wanted(const struct judged *judged, enum rule_index rule);
/* Reports a finding about one argument: "clFoo: ARGUMENT " and the message. Sets the verdict. */
void blame_call(struct judged *judged, const struct blame *blame, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for what a step found: its rule, its error, its argument, and an object, or 0. */
void blame_step(struct judged *judged, const struct step *step, uint64_t object, const char *format,
                ...) __attribute__((format(printf, 4, 5)));
/* The same of another rule, error or argument than the step's. */
void blame_as(struct judged *judged, enum rule_index rule, int32_t error, uint8_t argument,
              uint64_t object, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The same for an element of a list: "clFoo: ARGUMENT[2] " and the message. */
void blame_element(struct judged *judged, const struct step *step, uint32_t element,
                   uint64_t object, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Said only if the driver returns the step's error. */
void blame_unsure(struct judged *judged, const struct step *step, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The object's name in messages, "buffer#3 (4096 bytes)"; `room` is where it is put. */
struct object_label {
    char text[160];
};
/* The interface that the bytes of a memory object are shared with, where it has not been acquired
 * from it; NULL = there is none, or it is not known. */
const char *unacquired_from(const struct judged *judged, uint64_t handle);
const char *label_object(const struct judged *judged, uint64_t handle, struct object_label *room);
/* A value of an enumeration by its name, of whatever family, or as a number: for one that is wrong
 * where it is. */
const char *label_value(uint64_t value, struct object_label *room);
/* "buffer#3 (4096 bytes)", "buffer#3 (4096 bytes, 'out' of kernel 'scale')" */
void blame_print_object(const struct object_facts *facts, struct text *text);
/* Is it a step that only says what an error of the driver's tells by itself (explain.c)? */
bool judges_errors(const struct step *step);
/* The call came back with an error that nothing explains (explain.c). */
void blame_driver_error(struct judged *judged);
/* Reports an object that was never released; `count` of them were made in the same place. */
void blame_leak(struct host_checker *checker, const struct object_facts *first, uint64_t count);

/* Reports a command-queue that was never flushed after its last command. */
void blame_unflushed(struct host_checker *checker, const struct object_facts *queue,
                     const struct last_command *last);

/* A kernel is about to be launched or recorded: its memory objects are what it calls them
 * (first_uses.c). */
void learn_first_uses(struct host_checker *checker, uint64_t kernel);
/* What a call did to objects (learn.c): after it came back. */
void learn_from_call(struct host_checker *checker, const struct api_call *call,
                     const struct api_entry_info *info);
/* The same for clGetEventInfo, which programs call until a command has ended. */
void learn_event_answer(struct host_checker *checker, const struct api_call *call,
                        const struct api_entry_info *info);
/* The same for launches, whose event is all that they make. */
void learn_launch(struct host_checker *checker, const struct api_call *call,
                  const struct api_entry_info *info);
/* The same for calls that set an argument of a kernel, which are many (learn_kernel.c). */
void learn_kernel_argument(struct host_checker *checker, const struct api_call *call,
                           const struct api_entry_info *info);

/* A call is about to end shared virtual memory; it has, or not (learn_svm.c). */
bool ends_svm(uint32_t entry);
/* The address that it frees, number `index` of them; false = there is no such. */
bool freed_address(const struct api_call *call, uint32_t index, uint64_t *address);
void learn_svm_ending(struct host_checker *checker, const struct api_call *call);
void learn_svm_ended(struct host_checker *checker, const struct api_call *call, bool succeeded);

/* Does a call of it teach any of their traits (learn_traits.c)? */
bool teaches_traits(uint32_t entry);

/* CL_INVALID_MEM_OBJECT ... for a handle of this kind that is not one. */
int32_t handle_error(enum api_object_kind kind);
/* The stack of the running call as options.capture_stack gives it; 0 = none. */
uint64_t checker_stack(struct host_checker *checker);

#endif
