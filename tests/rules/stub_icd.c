/* A driver for tests: an ICD that answers every call from the entry-point table.
 *
 * Every entry point of trace/api/cl_api.def is expanded to a function that packs its arguments into
 * words and asks one function, stub_answer, which goes by the roles: it judges the handles that are
 * required, counts references, makes the object or event that the call is to return, and otherwise
 * reports success. Commands are complete at once and move no bytes; programs build and kernels
 * exist without a compiler.
 *
 * Objects are never freed, so that a wrong program cannot crash it, and a handle is looked up
 * before it is read: what the stub does not know it refuses with the error of its kind. */
#include "trace/api/entry.h"

#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* The loader reads the first member of every object. */
struct stub_object {
    const cl_icd_dispatch *dispatch;
    enum api_object_kind kind;
    uint32_t references;
    uint64_t size; /* of a buffer */
    void *memory;  /* of a buffer, once mapped */
    struct stub_object *next;
};

static cl_icd_dispatch dispatch;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stub_object *objects;
static struct stub_object the_platform = {
    .dispatch = &dispatch, .kind = API_OBJECT_PLATFORM, .references = 1};
static struct stub_object the_device = {
    .dispatch = &dispatch, .kind = API_OBJECT_DEVICE, .references = 1, .next = &the_platform};

/* ---- objects ---- */

static struct stub_object *find(uint64_t handle)
{
    for (struct stub_object *object = objects; object; object = object->next)
        if ((uint64_t)(uintptr_t)object == handle)
            return object;
    return NULL;
}

static struct stub_object *create(enum api_object_kind kind)
{
    struct stub_object *object = calloc(1, sizeof *object);
    if (!object)
        abort();
    *object =
        (struct stub_object){.dispatch = &dispatch, .kind = kind, .references = 1, .next = objects};
    objects = object;
    return object;
}

static cl_int kind_error(uint8_t kind)
{
    static const cl_int errors[API_OBJECT_KIND_COUNT] = {
        [API_OBJECT_PLATFORM] = CL_INVALID_PLATFORM, [API_OBJECT_DEVICE] = CL_INVALID_DEVICE,
        [API_OBJECT_CONTEXT] = CL_INVALID_CONTEXT,   [API_OBJECT_QUEUE] = CL_INVALID_COMMAND_QUEUE,
        [API_OBJECT_MEM] = CL_INVALID_MEM_OBJECT,    [API_OBJECT_PROGRAM] = CL_INVALID_PROGRAM,
        [API_OBJECT_KERNEL] = CL_INVALID_KERNEL,     [API_OBJECT_EVENT] = CL_INVALID_EVENT,
        [API_OBJECT_SAMPLER] = CL_INVALID_SAMPLER,
    };
    return errors[kind];
}

static cl_int judge_handle(const struct api_parameter *parameter, uint64_t handle)
{
    if (handle == 0)
        return parameter->flags & API_PARAMETER_REQUIRED ? kind_error(parameter->kind) : CL_SUCCESS;
    const struct stub_object *object = find(handle);
    if (!object || object->kind != parameter->kind)
        return kind_error(parameter->kind);
    /* A context ends with the last object in it: here never. */
    return object->references > 0 || object->kind == API_OBJECT_CONTEXT
               ? CL_SUCCESS
               : kind_error(parameter->kind);
}

/* ---- answers ---- */

static const struct answer {
    enum api_family family;
    uint64_t name;
    const char *string; /* NULL: a number */
    uint64_t number;
    size_t size;
} answers[] = {
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_NAME, "clerk stub", 0, 0},
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_VENDOR, "clerk", 0, 0},
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_VERSION, "OpenCL 3.0 stub", 0, 0},
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_PROFILE, "FULL_PROFILE", 0, 0},
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_EXTENSIONS, "cl_khr_icd", 0, 0},
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_ICD_SUFFIX_KHR, "STUB", 0, 0},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_NAME, "stub", 0, 0},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_VENDOR, "clerk", 0, 0},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_VERSION, "OpenCL 3.0 stub", 0, 0},
    {API_FAMILY_DEVICE_INFO, CL_DRIVER_VERSION, "1", 0, 0},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_EXTENSIONS, "", 0, 0},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_PLATFORM, NULL, (uint64_t)(uintptr_t)&the_platform, 8},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_TYPE, NULL, CL_DEVICE_TYPE_CPU, 8},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_AVAILABLE, NULL, CL_TRUE, 4},
    {API_FAMILY_EVENT_INFO, CL_EVENT_COMMAND_EXECUTION_STATUS, NULL, CL_COMPLETE, 4},
    {API_FAMILY_QUEUE_INFO, CL_QUEUE_REFERENCE_COUNT, NULL, 1, 4},
    {API_FAMILY_PROGRAM_BUILD_INFO, CL_PROGRAM_BUILD_STATUS, NULL, CL_BUILD_SUCCESS, 4},
    {API_FAMILY_PROGRAM_BUILD_INFO, CL_PROGRAM_BUILD_LOG, "", 0, 0},
};

/* The answer to a query; one that is not in the table is a zero of 4 bytes. */
static cl_int answer_query(const struct api_entry_info *info, const uint64_t *words,
                           uint32_t value_index)
{
    const uint32_t name_index = api_entry_find_parameter(info, "param_name");
    const struct api_parameter *value = &info->parameters[value_index];
    const struct answer zero = {.size = 4};
    const struct answer *answer = &zero;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; ++i)
        if (answers[i].family == info->parameters[name_index].family &&
            answers[i].name == words[name_index])
            answer = &answers[i];
    const size_t size = answer->string ? strlen(answer->string) + 1 : answer->size;
    const void *bytes = answer->string ? (const void *)answer->string : &answer->number;
    void *to = (void *)(uintptr_t)words[value_index];
    size_t *size_ret = (size_t *)(uintptr_t)words[value->actual_index];
    if (to && words[value->count_index] < size)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, bytes, size);
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}

/* One object of the kind: a platform, a device, the kernel of a program. */
static cl_int answer_list(const struct api_parameter *list, const uint64_t *words, uint64_t to_word)
{
    void **to = (void **)(uintptr_t)to_word;
    cl_uint *count = (cl_uint *)(uintptr_t)words[list->actual_index];
    if ((to && words[list->count_index] == 0) || (!to && !count))
        return CL_INVALID_VALUE;
    if (to)
        *to = list->kind == API_OBJECT_PLATFORM ? &the_platform
              : list->kind == API_OBJECT_DEVICE ? &the_device
                                                : create((enum api_object_kind)list->kind);
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

static cl_int judge_wait_list(const struct api_parameter *parameter, const uint64_t *words,
                              uint64_t list)
{
    const uint64_t count = words[parameter->count_index];
    const uint64_t *events = (const uint64_t *)(uintptr_t)list;
    if ((count == 0) != (events == NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (uint64_t i = 0; i < count; ++i)
        if (events[i] == 0 || judge_handle(parameter, events[i]) != CL_SUCCESS)
            return CL_INVALID_EVENT_WAIT_LIST;
    return CL_SUCCESS;
}

static cl_int judge_parameter(const struct api_entry_info *info, uint32_t index,
                              const uint64_t *words)
{
    const struct api_parameter *parameter = &info->parameters[index];
    switch (parameter->role) {
    case API_ROLE_HANDLE:
        return judge_handle(parameter, words[index]);
    case API_ROLE_WAIT_LIST:
        return judge_wait_list(parameter, words, words[index]);
    case API_ROLE_INFO_VALUE:
        return answer_query(info, words, index);
    case API_ROLE_OUT_HANDLES:
        return answer_list(parameter, words, words[index]);
    case API_ROLE_OUT_MEMORY:
    case API_ROLE_IN_MEMORY:
        return words[index] ? CL_SUCCESS : CL_INVALID_VALUE;
    default:
        return CL_SUCCESS;
    }
}

static void count_reference(const struct api_parameter *parameter, uint64_t handle)
{
    struct stub_object *object = find(handle);
    if (!object || object == &the_platform || object == &the_device)
        return;
    if (parameter->flags & API_PARAMETER_RETAINED)
        ++object->references;
    if (parameter->flags & API_PARAMETER_RELEASED)
        --object->references;
}

/* What a call that is right does: counts, events, and the object or pointer that it returns. */
static uint64_t perform(uint32_t entry, const struct api_entry_info *info, const uint64_t *words)
{
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        const struct api_parameter *parameter = &info->parameters[i];
        if (parameter->role == API_ROLE_HANDLE)
            count_reference(parameter, words[i]);
        if (parameter->role == API_ROLE_OUT_EVENT && words[i])
            *(void **)(uintptr_t)words[i] = create(API_OBJECT_EVENT);
    }
    if (info->return_role == API_ROLE_HANDLE) {
        struct stub_object *object = create(info->return_kind);
        if (entry == API_ENTRY_clCreateBuffer)
            object->size = words[API_clCreateBuffer_size];
        return (uint64_t)(uintptr_t)object;
    }
    if (entry == API_ENTRY_clEnqueueMapBuffer) {
        struct stub_object *buffer = find(words[API_clEnqueueMapBuffer_buffer]);
        if (!buffer->memory)
            buffer->memory = calloc(1, buffer->size + 1);
        return (uint64_t)(uintptr_t)buffer->memory + words[API_clEnqueueMapBuffer_offset];
    }
    return 0;
}

static uint64_t stub_answer(uint32_t entry, const uint64_t *words)
{
    const struct api_entry_info *info = api_entry_get(entry);
    const uint32_t error_index = api_entry_find_role(info, API_ROLE_OUT_STATUS);
    cl_int error = CL_SUCCESS;
    uint64_t result = 0;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < info->parameter_count && error == CL_SUCCESS; ++i)
        error = judge_parameter(info, i, words);
    if (entry == API_ENTRY_clCreateBuffer && error == CL_SUCCESS &&
        words[API_clCreateBuffer_size] == 0)
        error = CL_INVALID_BUFFER_SIZE;
    if (error == CL_SUCCESS)
        result = perform(entry, info, words);
    pthread_mutex_unlock(&lock);
    if (error_index != API_PARAMETER_NONE && words[error_index])
        *(cl_int *)(uintptr_t)words[error_index] = error;
    return info->return_role == API_ROLE_STATUS ? (uint64_t)error : result;
}

/* ---- the functions ---- */

#define RETURN_STATUS(type)  return (type)
#define RETURN_POINTER(type) return (type)(uintptr_t)
#define RETURN_NOTHING(type) (void)
#define RETURN_OBJECT(kind)  RETURN_POINTER

/* clang-format off */
#define API(name, since, type, role, ...)                                                          \
    static type CL_API_CALL stub_##name(API_EACH(API_VIEW_DECLARE, name, __VA_ARGS__))             \
    {                                                                                              \
        const uint64_t words[] = {API_EACH(API_VIEW_WORD, name, __VA_ARGS__)};                     \
        RETURN_##role(type) stub_answer(API_ENTRY_##name, words);                                  \
    }
#define API_VOID(name, since, type, role)                                                          \
    static type CL_API_CALL stub_##name(void)                                                      \
    {                                                                                              \
        RETURN_##role(type) stub_answer(API_ENTRY_##name, NULL);                                   \
    }
#define API_OPAQUE(name)
#define API_EXTENSION(...)
#include "trace/api/cl_api.def"
#undef API
#undef API_VOID
#undef API_OPAQUE
#undef API_EXTENSION
/* clang-format on */

static const struct slot {
    uint32_t entry;
    api_function *function;
} slots[] = {
#define API(name, ...)      {API_ENTRY_##name, (api_function *)stub_##name},
#define API_VOID(name, ...) {API_ENTRY_##name, (api_function *)stub_##name},
#define API_OPAQUE(name)
#define API_EXTENSION(...)
#include "trace/api/cl_api.def"
#undef API
#undef API_VOID
#undef API_OPAQUE
#undef API_EXTENSION
};

/* Before any call: the slots of the table that these headers have. */
__attribute__((constructor)) static void fill_dispatch(void)
{
    objects = &the_device;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; ++i) {
        const size_t offset = (slots[i].entry - 1) * sizeof slots[i].function;
        if (offset + sizeof slots[i].function <= sizeof dispatch)
            memcpy((char *)&dispatch + offset, &slots[i].function, sizeof slots[i].function);
    }
}

/* ---- what the loader asks for by name ---- */

EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                 cl_uint *num_platforms)
{
    return stub_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
                                            size_t param_value_size, void *param_value,
                                            size_t *param_value_size_ret)
{
    return stub_clGetPlatformInfo(platform, param_name, param_value_size, param_value,
                                  param_value_size_ret);
}

EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *func_name)
{
    if (strcmp(func_name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)clIcdGetPlatformIDsKHR;
    if (strcmp(func_name, "clGetPlatformInfo") == 0)
        return (void *)clGetPlatformInfo;
    return NULL;
}
