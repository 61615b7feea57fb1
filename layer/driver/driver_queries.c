#include "layer/driver/driver_queries.h"

#include "checkers/sink.h"
#include "layer/capture.h"
#include "layer/driver/kernel_facts.h"
#include "layer/profile.h"
#include "layer/targets.h"
#include "trace/api/clerk_queries.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum {
    ANSWER_SIZE = 4096, /* most answers; a longer one is asked for again with its size */
    ANSWER_LIMIT = 64 << 20,
    ARGUMENT_LIMIT = 1024, /* of a kernel */
    TYPE_SIZE = 128,       /* of the name of a type */
};

struct asker {
    struct session *session;
    struct layer_thread *thread;
};

/* ---- one question ---- */

/* Asks for the answer of a query whose param_value is at `value_index`. */
static void want(uint64_t *words, uint32_t value_index, void *buffer, size_t size, size_t *actual)
{
    words[value_index - 1] = size;
    words[value_index] = (uint64_t)buffer;
    words[value_index + 1] = (uint64_t)actual;
    *actual = 0;
}

/* How long the answer is; 0 = there is none. */
static size_t ask_size(uint32_t entry, uint64_t *words, uint32_t value_index)
{
    size_t size;
    want(words, value_index, NULL, 0, &size);
    return (cl_int)api_perform(entry, layer_targets[entry], words) == CL_SUCCESS ? size : 0;
}

/* Performs a query whose param_value is at `value_index` with a buffer of `size`, or as if the
 * driver had answered what stands in the buffer (`given`); the answer's size in *actual. */
static bool perform_query(const struct asker *asker, uint32_t entry, uint64_t *words,
                          uint32_t value_index, void *buffer, size_t size, bool given,
                          struct api_call *call, size_t *actual)
{
    want(words, value_index, buffer, size, actual);
    const uint32_t thread = session_thread_number(asker->session, asker->thread);
    *call = (struct api_call){
        .thread = thread,
        .entry = entry,
        .begin_ns = spool_now_ns(asker->session->spool),
    };
    capture_input(call, words, &asker->thread->arena, &asker->thread->readable);
    call->flags = API_CALL_SYNTHETIC;
    const uint64_t result = given ? CL_SUCCESS : api_perform(entry, layer_targets[entry], words);
    if (given)
        *actual = size;
    capture_output(call, words, result, &asker->thread->arena, &asker->thread->readable);
    call->end_ns = spool_now_ns(asker->session->spool);
    call->flags |= API_CALL_COMPLETED;
    return (cl_int)result == CL_SUCCESS;
}

/* Numbers have no gaps, so a question without an answer, which is not entered, takes none. */
static void enter_answer(const struct asker *asker, struct api_call *call)
{
    struct host_verdict verdict;
    call->id = session_call_number(asker->session, asker->thread);
    if (asker->session->checker) {
        host_checker_begin(asker->session->checker, call, &verdict);
        host_checker_end(asker->session->checker, call);
    }
    spool_call_end(asker->session->spool, call);
}

/* Asks `entry` with the words before param_value_size filled in, and enters the answer into the
 * stream. Returns the answer (in the thread's arena, at least 8 bytes) and its size, or NULL when
 * the driver gives none. */
static const void *ask(const struct asker *asker, uint32_t entry, uint64_t *words, size_t *size)
{
    const struct api_entry_info *info = api_entry_get(entry);
    const uint32_t value_index = api_entry_find_role(info, API_ROLE_INFO_VALUE);
    struct api_call call;
    if (!layer_targets[entry])
        return NULL;
    size_t room = ANSWER_SIZE;
    void *buffer = arena_alloc(&asker->thread->arena, 1, room);
    bool answered =
        buffer && perform_query(asker, entry, words, value_index, buffer, room, false, &call, size);
    if (buffer && !answered) {
        /* CL_INVALID_VALUE: not known, or longer than the room; only its size tells. */
        const size_t wanted = ask_size(entry, words, value_index);
        if (wanted <= room || wanted > ANSWER_LIMIT)
            return NULL;
        room = wanted;
        buffer = arena_alloc(&asker->thread->arena, 1, room);
        answered = buffer && perform_query(asker, entry, words, value_index, buffer, room, false,
                                           &call, size);
    }
    if (!answered || *size > room)
        return NULL;
    enter_answer(asker, &call);
    return buffer;
}

uint64_t driver_queries_answer_size(void *user, const struct api_call *call)
{
    const uint32_t value_index =
        api_entry_find_role(api_entry_get(call->entry), API_ROLE_INFO_VALUE);
    struct layer_thread *thread = layer_thread_get();
    uint64_t words[API_ARGUMENT_MAX];
    (void)user;
    if (!layer_targets[call->entry] || !thread)
        return 0;
    for (uint32_t i = 0; i < call->argument_count; i++)
        words[i] = call->arguments[i].bits;
    layer_thread_enter(thread);
    const size_t size = ask_size(call->entry, words, value_index);
    layer_thread_leave(thread);
    return size;
}

bool driver_queries_lists_format(void *user, const struct host_image *image)
{
    const uint32_t entry = API_ENTRY_clGetSupportedImageFormats;
    enum { FORMATS_MAX = 1024 };
    struct layer_thread *thread = layer_thread_get();
    cl_image_format *formats =
        thread ? arena_alloc(&thread->arena, FORMATS_MAX, sizeof *formats) : NULL;
    cl_uint count = 0;
    (void)user;
    if (!formats || !layer_targets[entry])
        return true;
    const uint64_t words[] = {image->context, image->flags,      image->type,
                              FORMATS_MAX,    (uint64_t)formats, (uint64_t)&count};
    layer_thread_enter(thread);
    bool listed = (cl_int)api_perform(entry, layer_targets[entry], words) != CL_SUCCESS ||
                  count > FORMATS_MAX;
    layer_thread_leave(thread);
    for (cl_uint i = 0; i < count && !listed; i++)
        listed = formats[i].image_channel_order == image->order &&
                 formats[i].image_channel_data_type == image->channel_type;
    return listed;
}

static const void *ask_object(const struct asker *asker, uint32_t entry, uint64_t object,
                              uint32_t param_name, size_t *size)
{
    uint64_t words[API_ARGUMENT_MAX] = {object, param_name};
    return ask(asker, entry, words, size);
}

static const void *ask_pair(const struct asker *asker, uint32_t entry, uint64_t object,
                            uint64_t other, uint32_t param_name, size_t *size)
{
    uint64_t words[API_ARGUMENT_MAX] = {object, other, param_name};
    return ask(asker, entry, words, size);
}

/* Of a name that stands twice in a row, once. */
static void ask_all(const struct asker *asker, uint32_t entry, uint64_t object,
                    const uint32_t *names, size_t count)
{
    size_t size;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || names[i] != names[i - 1])
            ask_object(asker, entry, object, names[i], &size);
}

/* The answer is a list of devices. */
static const uint64_t *ask_devices(const struct asker *asker, uint32_t entry, uint64_t object,
                                   uint32_t param_name, size_t *count)
{
    const uint64_t *devices = ask_object(asker, entry, object, param_name, count);
    *count = devices ? *count / sizeof *devices : 0;
    return devices;
}

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* ---- platforms and devices: once each ---- */

/* Platforms and devices live as long as the process, so their handles name them for ever;
 * sub-devices, which do not, are asked about each time that they are created. */
static bool first_seen(uint64_t generation, uint64_t handle)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        uint64_t generation, handle;
    } * seen;
    static size_t count, capacity;
    bool first = true;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < count && first; i++)
        first = seen[i].handle != handle || seen[i].generation != generation;
    if (first) {
        void *grown = alloc_grow(seen, count, &capacity, sizeof *seen);
        if (grown) {
            seen = grown;
            seen[count].generation = generation;
            seen[count++].handle = handle;
        }
    }
    pthread_mutex_unlock(&mutex);
    return first;
}

static uint64_t extension_function(uint64_t platform, const char *name)
{
    const uint32_t entry = API_ENTRY_clGetExtensionFunctionAddressForPlatform;
    const uint64_t words[] = {platform, (uint64_t)name};
    return layer_targets[entry] ? api_perform(entry, layer_targets[entry], words) : 0;
}

/* What it has to say at the end is asked for then: its library stays, whatever the loader does. */
static void keep_library(const void *function)
{
    Dl_info library;
    if (dladdr(function, &library))
        dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static void record_child(void *spool, const struct api_child *child, const char *kernel)
{
    spool_child(spool, child, kernel);
}

/* The reference device gives its findings to us, so that they stand with the calls. */
static void connect_sink(struct session *session, uint64_t platform)
{
    sink_set_function *set = (sink_set_function *)extension_function(platform, SINK_SET_FUNCTION);
    if (!set || set(SINK_VERSION, session_take_finding, session) != CL_SUCCESS)
        return;
    atomic_store(&session->set_launch_call,
                 (sink_call_function *)extension_function(platform, SINK_CALL_FUNCTION));
    keep_library((const void *)(uintptr_t)set);
    atomic_store(&session->lacks_memory,
                 (sink_memory_function *)extension_function(platform, SINK_MEMORY_FUNCTION));
    atomic_store(&session->left_out,
                 (sink_left_out_function *)extension_function(platform, SINK_LEFT_OUT_FUNCTION));
    sink_profile_function *profile =
        (sink_profile_function *)extension_function(platform, SINK_PROFILE_FUNCTION);
    if (session->profile && profile && setting_is_set(SETTING_PROFILE_LINES))
        profile(profile_counting(session->profile));
    sink_child_function *children =
        (sink_child_function *)extension_function(platform, SINK_CHILD_FUNCTION);
    if (session->spool && children)
        children(record_child, session->spool);
    session->reference_platform = platform;
}

static void platform_appeared(const struct asker *asker, uint64_t platform)
{
    static const uint32_t names[] = {
        CL_PLATFORM_NAME,    CL_PLATFORM_VENDOR,     CL_PLATFORM_VERSION,
        CL_PLATFORM_PROFILE, CL_PLATFORM_EXTENSIONS, CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR};
    if (!first_seen(asker->session->generation, platform))
        return;
    ask_all(asker, API_ENTRY_clGetPlatformInfo, platform, names, COUNT_OF(names));
    connect_sink(asker->session, platform);
}

static void device_appeared(const struct asker *asker, uint64_t device)
{
    /* What people want to know of it; then what rules need (once each: rows of one query stand
     * together). */
    static const uint32_t names[] = {
        CL_DEVICE_NAME,
        CL_DEVICE_VENDOR,
        CL_DRIVER_VERSION,
        CL_DEVICE_VERSION,
        CL_DEVICE_OPENCL_C_VERSION,
        CL_DEVICE_PROFILE,
        CL_DEVICE_EXTENSIONS,
        CL_DEVICE_TYPE,
        CL_DEVICE_ENDIAN_LITTLE,
        CL_DEVICE_GLOBAL_MEM_SIZE,
        CL_DEVICE_LOCAL_MEM_TYPE,
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
        CL_DEVICE_IL_VERSION,
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
        CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
#define DEVICE_FACT(symbol, query, bytes, element) query,
#include "checkers/host/objects/device_facts.def"
#undef DEVICE_FACT
    };
    size_t size;
    if (!first_seen(asker->session->generation, device))
        return;
    ask_all(asker, API_ENTRY_clGetDeviceInfo, device, names, COUNT_OF(names));
    const uint64_t *platform =
        ask_object(asker, API_ENTRY_clGetDeviceInfo, device, CL_DEVICE_PLATFORM, &size);
    if (platform && *platform == asker->session->reference_platform && asker->session->checker)
        host_checker_leave_device(asker->session->checker, device);
}

/* ---- programs and kernels ---- */

static bool is_reference(const struct asker *asker, uint64_t device)
{
    uint64_t platform = 0;
    uint64_t words[API_ARGUMENT_MAX] = {device, CL_DEVICE_PLATFORM, sizeof platform,
                                        (uint64_t)&platform};
    return (cl_int)api_perform(API_ENTRY_clGetDeviceInfo, layer_targets[API_ENTRY_clGetDeviceInfo],
                               words) == CL_SUCCESS &&
           platform && platform == asker->session->reference_platform;
}

/* Kernels that are not there cannot be checked. */
static void note_failed_build(const struct asker *asker, const cl_build_status *status, size_t size,
                              uint64_t device)
{
    if (status && size == sizeof *status && *status == CL_BUILD_ERROR &&
        asker->session->reference_platform && is_reference(asker, device))
        atomic_fetch_add(&asker->session->failed_builds, 1);
}

/* The log that was asked for already, entered into the stream as the driver's answer. */
static bool tell_kept_log(const struct asker *asker, uint64_t program, uint64_t device)
{
    const struct layer_log *log = &asker->thread->log;
    const uint32_t entry = API_ENTRY_clGetProgramBuildInfo;
    uint64_t words[API_ARGUMENT_MAX] = {program, device, CL_PROGRAM_BUILD_LOG};
    struct api_call call;
    size_t actual;
    if (log->program != program || log->device != device)
        return false;
    if (perform_query(asker, entry, words, API_clGetProgramBuildInfo_param_value,
                      (void *)(uintptr_t)log->bytes, log->size, true, &call, &actual))
        enter_answer(asker, &call);
    return true;
}

/* What the object, the program or a kernel of it, is for each device of the program. */
static void ask_by_device(const struct asker *asker, uint64_t program, uint32_t entry,
                          uint64_t object, const uint32_t *names, size_t name_count)
{
    size_t count;
    const uint64_t *devices =
        ask_devices(asker, API_ENTRY_clGetProgramInfo, program, CL_PROGRAM_DEVICES, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < name_count; n++) {
            size_t size;
            if (names[n] == CL_PROGRAM_BUILD_LOG && tell_kept_log(asker, object, devices[i]))
                continue;
            const void *answer = ask_pair(asker, entry, object, devices[i], names[n], &size);
            if (names[n] == CL_PROGRAM_BUILD_STATUS)
                note_failed_build(asker, answer, size, devices[i]);
        }
}

static void program_built(const struct asker *asker, uint64_t program)
{
    static const uint32_t names[] = {CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_BINARY_TYPE,
                                     CL_PROGRAM_BUILD_OPTIONS, CL_PROGRAM_BUILD_LOG};
    ask_by_device(asker, program, API_ENTRY_clGetProgramBuildInfo, program, names, COUNT_OF(names));
}

static void kernel_work_group(const struct asker *asker, uint64_t kernel, uint64_t program)
{
    static const uint32_t names[] = {CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                     CL_KERNEL_LOCAL_MEM_SIZE};
    ask_by_device(asker, program, API_ENTRY_clGetKernelWorkGroupInfo, kernel, names,
                  COUNT_OF(names));
}

/* A driver need not know about arguments (4.3: only with -cl-kernel-arg-info or an IL that has it):
 * the first refusal ends the questions. */
static bool driver_tells_arguments(const struct asker *asker, uint64_t kernel, uint32_t count)
{
    static const uint32_t names[] = {CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                     CL_KERNEL_ARG_ACCESS_QUALIFIER, CL_KERNEL_ARG_TYPE_NAME,
                                     CL_KERNEL_ARG_TYPE_QUALIFIER, CL_KERNEL_ARG_NAME};
    for (uint32_t i = 0; i < count && i < ARGUMENT_LIMIT; i++)
        for (size_t n = 0; n < COUNT_OF(names); n++) {
            size_t size;
            if (!ask_pair(asker, API_ENTRY_clGetKernelArgInfo, kernel, i, names[n], &size))
                return false;
        }
    return true;
}

/* Enters the fact into the stream as the driver's answer. */
static void tell_fact(const struct asker *asker, uint64_t kernel, uint64_t index, uint32_t name,
                      const void *fact, size_t size)
{
    const uint32_t entry = API_ENTRY_clGetKernelArgInfo;
    uint64_t words[API_ARGUMENT_MAX] = {kernel, index, name};
    void *buffer = arena_copy(&asker->thread->arena, fact, size);
    struct api_call call;
    size_t actual;
    if (buffer && perform_query(asker, entry, words, API_clGetKernelArgInfo_param_value, buffer,
                                size, true, &call, &actual))
        enter_answer(asker, &call);
}

static void tell_name(const struct asker *asker, uint64_t kernel, uint64_t index, uint32_t name,
                      const char *fact)
{
    if (fact[0] != '\0')
        tell_fact(asker, kernel, index, name, fact, strlen(fact) + 1);
}

static void tell_certain(const struct asker *asker, uint64_t kernel, uint64_t index, uint32_t name,
                         const struct clerk_must *fact)
{
    if (fact->size != 0)
        tell_fact(asker, kernel, index, name, fact, sizeof *fact);
}

/* What drivers tell, if this one does not; and what none does. */
static void tell_argument(const struct asker *asker, uint64_t kernel, uint64_t index,
                          const struct fact_argument *fact, bool driver_tells)
{
    const cl_kernel_arg_address_qualifier address = fact->address;
    const cl_kernel_arg_access_qualifier access = fact->access;
    const cl_kernel_arg_type_qualifier qualifiers = fact->type_qualifiers;
    if (!driver_tells) {
        tell_fact(asker, kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, &address, sizeof address);
        tell_fact(asker, kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, &access, sizeof access);
        tell_name(asker, kernel, index, CL_KERNEL_ARG_TYPE_NAME, fact->type_name);
        tell_fact(asker, kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, &qualifiers,
                  sizeof qualifiers);
        tell_name(asker, kernel, index, CL_KERNEL_ARG_NAME, fact->name);
    }
    tell_name(asker, kernel, index, CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK, fact->plain_type_name);
    tell_fact(asker, kernel, index, CL_KERNEL_ARG_SIZE_CLERK, &fact->size, sizeof fact->size);
    tell_fact(asker, kernel, index, CL_KERNEL_ARG_ACCESSES_CLERK, &fact->accesses,
              sizeof fact->accesses);
    tell_certain(asker, kernel, index, CL_KERNEL_ARG_MUST_READ_CLERK, &fact->must_read);
    tell_certain(asker, kernel, index, CL_KERNEL_ARG_MUST_WRITE_CLERK, &fact->must_write);
}

/* Facts of another kernel than the driver's, which has other macros, say nothing of this one. */
static bool is_same_kernel(uint64_t kernel, uint32_t count, const struct fact_kernel *facts)
{
    bool is_same = facts->argument_count == count;
    for (uint32_t i = 0; i < count && is_same; i++) {
        cl_kernel_arg_address_qualifier address;
        uint64_t words[API_ARGUMENT_MAX] = {kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                            sizeof address, (uint64_t)&address};
        is_same =
            (cl_int)api_perform(API_ENTRY_clGetKernelArgInfo,
                                layer_targets[API_ENTRY_clGetKernelArgInfo], words) != CL_SUCCESS ||
            address == facts->arguments[i].address;
    }
    return is_same;
}

/* Without an answer, or a longer one: "". */
static void ask_type(uint64_t kernel, uint32_t index, uint32_t name, char type[TYPE_SIZE])
{
    uint64_t words[API_ARGUMENT_MAX] = {kernel, index, name, TYPE_SIZE, (uint64_t)type};
    type[0] = '\0';
    if ((cl_int)api_perform(API_ENTRY_clGetKernelArgInfo,
                            layer_targets[API_ENTRY_clGetKernelArgInfo], words) != CL_SUCCESS)
        type[0] = '\0';
}

/* Has the program a name of its own for the type? A plain type does not tell int from uint. */
static bool is_named_by_program(uint64_t kernel, uint32_t index)
{
    char type[TYPE_SIZE], plain[TYPE_SIZE];
    ask_type(kernel, index, CL_KERNEL_ARG_TYPE_NAME, type);
    ask_type(kernel, index, CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK, plain);
    return strcmp(type, plain) != 0 && (plain[0] != 'u' || strcmp(type, plain + 1) != 0);
}

/* The reference device tells what others do not; theirs is compiled for the facts. */
static void reference_tells(const struct asker *asker, uint64_t kernel, uint32_t count)
{
    size_t size;
    bool told = asker->session->reference_platform != 0;
    for (uint32_t i = 0; i < count && i < ARGUMENT_LIMIT && told; i++) {
        told = ask_pair(asker, API_ENTRY_clGetKernelArgInfo, kernel, i,
                        CL_KERNEL_ARG_ACCESSES_CLERK, &size) != NULL;
        if (told && is_named_by_program(kernel, i))
            ask_pair(asker, API_ENTRY_clGetKernelArgInfo, kernel, i,
                     CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK, &size);
    }
}

static void kernel_arguments(const struct asker *asker, uint64_t kernel, uint32_t count,
                             const struct fact_kernel *facts)
{
    const bool driver_tells = driver_tells_arguments(asker, kernel, count);
    if (!facts)
        reference_tells(asker, kernel, count);
    if (!facts || !layer_targets[API_ENTRY_clGetKernelArgInfo] ||
        !is_same_kernel(kernel, count, facts))
        return;
    for (uint32_t i = 0; i < count && i < ARGUMENT_LIMIT; i++)
        tell_argument(asker, kernel, i, &facts->arguments[i], driver_tells);
}

static void kernel_appeared(const struct asker *asker, uint64_t kernel)
{
    size_t size, name_size;
    struct held_facts *held = NULL;
    const struct fact_kernel *facts = NULL;
    const char *name =
        ask_object(asker, API_ENTRY_clGetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME, &name_size);
    const void *program =
        ask_object(asker, API_ENTRY_clGetKernelInfo, kernel, CL_KERNEL_PROGRAM, &size);
    if (program && size == sizeof(uint64_t)) {
        kernel_work_group(asker, kernel, *(const uint64_t *)program);
        if (name && memchr(name, '\0', name_size))
            facts = kernel_facts_find(asker->session, *(const uint64_t *)program, name, &held);
    }
    const void *count =
        ask_object(asker, API_ENTRY_clGetKernelInfo, kernel, CL_KERNEL_NUM_ARGS, &size);
    if (count && size == sizeof(uint32_t))
        kernel_arguments(asker, kernel, *(const uint32_t *)count, facts);
    held_facts_drop(held);
}

/* ---- which call tells of what ---- */

static void context_appeared(const struct asker *asker, uint64_t context)
{
    size_t count;
    const uint64_t *devices =
        ask_devices(asker, API_ENTRY_clGetContextInfo, context, CL_CONTEXT_DEVICES, &count);
    for (size_t i = 0; i < count; i++)
        device_appeared(asker, devices[i]);
}

void driver_queries_program_built(struct session *session, struct layer_thread *thread,
                                  cl_program program)
{
    program_built(&(struct asker){session, thread}, (uint64_t)program);
}

/* What calls that succeed tell of: the argument, or the result, with its handles. */
static const struct news {
    uint8_t argument;
    void (*appeared)(const struct asker *, uint64_t);
} news[API_ENTRY_COUNT] = {
    [API_ENTRY_clGetPlatformIDs] = {API_clGetPlatformIDs_platforms, platform_appeared},
    [API_ENTRY_clGetDeviceIDs] = {API_clGetDeviceIDs_devices, device_appeared},
    [API_ENTRY_clCreateSubDevices] = {API_clCreateSubDevices_out_devices, device_appeared},
    [API_ENTRY_clCreateContext] = {API_ARGUMENT_RESULT, context_appeared},
    [API_ENTRY_clCreateContextFromType] = {API_ARGUMENT_RESULT, context_appeared},
    [API_ENTRY_clLinkProgram] = {API_ARGUMENT_RESULT, program_built},
    [API_ENTRY_clCreateKernel] = {API_ARGUMENT_RESULT, kernel_appeared},
    [API_ENTRY_clCloneKernel] = {API_ARGUMENT_RESULT, kernel_appeared},
    [API_ENTRY_clCreateKernelsInProgram] = {API_clCreateKernelsInProgram_kernels, kernel_appeared},
};

static void tell_news(const struct asker *asker, const struct api_call *call)
{
    const struct news *told = &news[call->entry];
    if (!told->appeared)
        return;
    const struct api_value *value =
        told->argument == API_ARGUMENT_RESULT ? &call->result : &call->arguments[told->argument];
    const uint64_t *handles = value->kind == API_VALUE_HANDLES ? value->data : NULL;
    if (value->kind == API_VALUE_HANDLE)
        told->appeared(asker, value->bits);
    for (uint32_t i = 0; handles && i < value->count; i++)
        told->appeared(asker, handles[i]);
}

/* A build with a callback may still be under way when the call returns; the callback asks then. */
static bool built_later(const struct api_call *call)
{
    return api_call_argument(call, API_ROLE_CALLBACK)->present;
}

/* Calls that take NULL for a platform fail where the loader has no driver, and for other reasons:
 * how many it has, it says here, with layers or without. */
static void note_no_driver(void)
{
    const uint32_t entry = API_ENTRY_clGetPlatformIDs;
    cl_uint count = 0;
    const uint64_t words[] = {0, 0, (uint64_t)&count};
    if (!layer_targets[entry])
        return;
    const cl_int status = (cl_int)api_perform(entry, layer_targets[entry], words);
    if (status == CL_PLATFORM_NOT_FOUND_KHR || (status == CL_SUCCESS && count == 0))
        session_leave_word(SEVERITY_ERROR, "%s", finding_no_driver);
}

void driver_queries_before_call(const struct session *session, const struct api_call *call)
{
    kernel_facts_before(session, call);
}

void driver_queries_gave_binaries(const struct session *session, struct layer_thread *thread,
                                  const struct api_call *call)
{
    kernel_facts_gave_binary(session, call, &thread->readable);
}

static void tell_of_call(const struct asker *asker, const struct api_call *call)
{
    const bool succeeded = capture_succeeded(call);
    if (succeeded)
        kernel_facts_after(asker->session, call);
    switch (call->entry) {
    case API_ENTRY_clGetPlatformIDs:
        note_no_driver();
        break;
    case API_ENTRY_clGetPlatformInfo:
    case API_ENTRY_clGetDeviceIDs:
    case API_ENTRY_clCreateContextFromType:
        if (!succeeded)
            note_no_driver();
        break;
    case API_ENTRY_clBuildProgram:
    case API_ENTRY_clCompileProgram:
        /* A failed build has a log as well; an invalid call has no program to ask about. */
        if ((succeeded && !built_later(call)) ||
            (cl_int)call->result.bits == CL_BUILD_PROGRAM_FAILURE ||
            (cl_int)call->result.bits == CL_COMPILE_PROGRAM_FAILURE)
            program_built(asker, call->arguments[0].bits);
        return;
    default:
        break;
    }
    if (succeeded && !(call->entry == API_ENTRY_clLinkProgram && built_later(call)))
        tell_news(asker, call);
}

void driver_queries_after_call(struct session *session, struct layer_thread *thread,
                               const struct api_call *call)
{
    tell_of_call(&(struct asker){session, thread}, call);
    thread->log.program = 0;
}
