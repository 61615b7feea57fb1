/* The table of entry points, and calling one of them from words. */
#include "trace/api/entry.h"

#include "trace/base/assert.h"

#include <stdatomic.h>
#include <string.h>

/* ---- the rows hold what the headers say ---- */

#define SAME_TYPE(slot_type, type, ...)                                                            \
    __builtin_types_compatible_p(slot_type, type(CL_API_CALL *)(__VA_ARGS__))
#define SLOT_OF(name) (offsetof(cl_icd_dispatch, name) / sizeof(void *))
#define CHECK_SLOT(name)                                                                           \
    _Static_assert(SLOT_OF(name) + 1 == API_ENTRY_##name,                                          \
                   #name ": the row is not in its slot's place");

/* Of the slot and not by a name: headers before 2024-10 call the types cl_api_clFinish. */
#define TYPE_OF(name) __typeof__(((cl_icd_dispatch *)0)->name)

#define API(name, since, type, role, ...)                                                          \
    _Static_assert(SAME_TYPE(TYPE_OF(name), type, API_EACH(API_VIEW_TYPE, name, __VA_ARGS__)),     \
                   #name ": the row's types are not the header's");
#define API_VOID(name, since, type, role)                                                          \
    _Static_assert(SAME_TYPE(TYPE_OF(name), type, void),                                           \
                   #name ": the row's types are not the header's");
#define API_FOREIGN(name, ...)                                                                     \
    _Static_assert(__builtin_types_compatible_p(TYPE_OF(name), void *), #name ": has a type "      \
                                                                              "here");
#define API_NEWER(name, ...) API_EXTENSION(name##KHR, __VA_ARGS__)
#define API_DECLARED(...)
#define API_EXTENSION(name, since, type, role, ...)                                                \
    _Static_assert(SAME_TYPE(name##_fn, type, API_EACH(API_VIEW_TYPE, name, __VA_ARGS__)),         \
                   #name ": the row's types are not the header's");
#include "trace/api/cl_api.def"

_Static_assert(sizeof(cl_icd_dispatch) <= API_SLOT_COUNT * sizeof(void *),
               "the headers have slots that trace/api/cl_api.def has no row for");

CHECK_SLOT(clGetPlatformIDs)
CHECK_SLOT(clFinish)
CHECK_SLOT(clSetContextDestructorCallback)

/* ---- descriptions ---- */

#define DESCRIBE(function, ctype, cname, crole, cflags, ckind, cfamily, celement, ccount, cactual, \
                 cfixed)                                                                           \
    {                                                                                              \
        .name = #cname, .type = #ctype, .role = API_ROLE_##crole, .flags = cflags,                 \
        .kind = API_OBJECT_##ckind, .family = API_FAMILY_##cfamily, .element_size = celement,      \
        .count_index = API_##function##_##ccount, .actual_index = API_##function##_##cactual,      \
        .fixed_count = cfixed                                                                      \
    }

/* clang-format off */
#define API(name, since, type, role, ...)                                                          \
    static const struct api_parameter parameters_##name[] = {API_EACH(DESCRIBE, name, __VA_ARGS__)};
#define API_VOID(...)
#include "trace/api/cl_api.def"

/* Of a list of truths, one a parameter: a bit for each that holds; and the first one's index. */
#define BITS_OF(...) BITS_OF_16(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
#define BITS_OF_16(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...)                            \
    ((a) | (b) << 1 | (c) << 2 | (d) << 3 | (e) << 4 | (f) << 5 | (g) << 6 | (h) << 7 | (i) << 8 | \
     (j) << 9 | (k) << 10 | (l) << 11 | (m) << 12 | (n) << 13 | (o) << 14 | (p) << 15)
#define FIRST_OF(bits) (uint8_t)(__builtin_ffs(bits) - 1)
_Static_assert(API_PARAMETER_NONE == (uint8_t)-1, "the first of none");
#define IS_OUTPUT(function, type, name, role, flags, ...) (((flags) & API_PARAMETER_OUT) != 0)
#define IS_BLOCKING(function, type, name, role, ...) (API_ROLE_##role == API_ROLE_BLOCKING)

#define RETURN_NOTHING      API_ROLE_NOTHING, .return_kind = API_OBJECT_NONE
#define RETURN_STATUS       API_ROLE_STATUS, .return_kind = API_OBJECT_NONE
#define RETURN_POINTER      API_ROLE_POINTER, .return_kind = API_OBJECT_NONE
#define RETURN_OBJECT(kind) API_ROLE_HANDLE, .return_kind = API_OBJECT_##kind
#define ENQUEUES(name)      (__builtin_strncmp(#name, "clEnqueue", 9) == 0 ? API_ENTRY_ENQUEUES : 0)
#define ASKS(name)          (__builtin_strncmp(#name, "clGet", 5) == 0 ? API_ENTRY_ASKS : 0)
#define RECORDS(name)       (__builtin_strncmp(#name, "clCommand", 9) == 0 ? API_ENTRY_RECORDS : 0)

const struct api_entry_info api_entries[API_ENTRY_COUNT] = {
    [API_ENTRY_UNKNOWN] = {.name = "unknown", .since = "", .blocking = API_PARAMETER_NONE},
#define INFO(entry_name, entry_since, type, role, extra, ...)                                      \
    [API_ENTRY_##entry_name] = {.name = #entry_name, .since = entry_since,                         \
        .flags = ENQUEUES(entry_name) | ASKS(entry_name) | RECORDS(entry_name) | (extra), \
        .return_role = RETURN_##role, __VA_ARGS__},
#define PARAMETERS(entry_name, ...)                                                                \
    .parameters = parameters_##entry_name, .parameter_count = API_##entry_name##_parameter_count,  \
    .blocking = FIRST_OF(BITS_OF(API_EACH(IS_BLOCKING, entry_name, __VA_ARGS__))),                 \
    .outputs = BITS_OF(API_EACH(IS_OUTPUT, entry_name, __VA_ARGS__))
#define API(name, since, type, role, ...) \
    INFO(name, since, type, role, 0, PARAMETERS(name, __VA_ARGS__))
#define API_EXTENSION(name, since, type, role, ...) \
    INFO(name, since, type, role, API_ENTRY_EXTENSION, PARAMETERS(name, __VA_ARGS__))
#define API_VOID(name, since, type, role) \
    INFO(name, since, type, role, 0, .blocking = API_PARAMETER_NONE)
#include "trace/api/cl_api.def"
};
/* clang-format on */

uint32_t api_entry_find(const char *name)
{
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; entry++)
        if (strcmp(api_entries[entry].name, name) == 0)
            return entry;
    return API_ENTRY_UNKNOWN;
}

const struct api_deprecation *api_entry_deprecation(uint32_t entry)
{
    static const struct api_deprecation deprecations[API_ENTRY_COUNT] = {
#define API(...)
#define API_DEPRECATED(name, version, instead) [API_ENTRY_##name] = {version, instead},
#include "trace/api/cl_api.def"
    };
    return entry < API_ENTRY_COUNT && deprecations[entry].version ? &deprecations[entry] : NULL;
}

uint32_t api_entry_find_role(const struct api_entry_info *info, enum api_role role)
{
    /* Each answer is found once: the index and 1, 0 = not yet looked for. */
    static _Atomic uint8_t found[API_ENTRY_COUNT][API_ROLE_COUNT];
    enum { NOT_THERE = API_PARAMETER_NONE };
    _Atomic uint8_t *answer = &found[info - api_entries][role];
    uint32_t index = atomic_load_explicit(answer, memory_order_relaxed);
    if (index != 0)
        return index == NOT_THERE ? API_PARAMETER_NONE : index - 1;
    while (index < info->parameter_count && info->parameters[index].role != role)
        index++;
    const bool there = index < info->parameter_count;
    atomic_store_explicit(answer, (uint8_t)(there ? index + 1 : NOT_THERE), memory_order_relaxed);
    return there ? index : API_PARAMETER_NONE;
}

uint32_t api_entry_find_parameter(const struct api_entry_info *info, const char *name)
{
    for (uint32_t i = 0; i < info->parameter_count; i++)
        if (strcmp(info->parameters[i].name, name) == 0)
            return i;
    return API_PARAMETER_NONE;
}

int32_t api_call_status(const struct api_call *call)
{
    const struct api_value *given = api_call_argument(call, API_ROLE_OUT_STATUS);
    uint64_t status = CL_SUCCESS;
    if (api_entry_get(call->entry)->return_role == API_ROLE_STATUS)
        return call->result.kind == API_VALUE_SCALAR ? (int32_t)call->result.bits : CL_SUCCESS;
    if (given && given->kind == API_VALUE_SIZES && given->count && given->data)
        memcpy(&status, given->data, sizeof status);
    return (int32_t)status;
}

/* ---- objects ---- */

const char *api_object_noun(enum api_object_kind kind, uint32_t entry)
{
    if (kind == API_OBJECT_QUEUE)
        return "queue";
    if (kind != API_OBJECT_MEM)
        return api_object_kind_name(kind);
    const char *name = api_entry_get(entry)->name;
    if (strstr(name, "Image") || strstr(name, "Texture") || strstr(name, "Renderbuffer"))
        return "image";
    return strstr(name, "Pipe") ? "pipe" : "buffer";
}

bool api_entry_lists(uint32_t entry, enum api_object_kind kind)
{
    return kind == API_OBJECT_PLATFORM || kind == API_OBJECT_MUTABLE_COMMAND ||
           (kind == API_OBJECT_DEVICE && entry != API_ENTRY_clCreateSubDevices &&
            entry != API_ENTRY_clCreateSubDevicesEXT);
}

/* ---- calling ---- */

api_function *api_dispatch_function(const cl_icd_dispatch *dispatch, cl_uint num_entries,
                                    uint32_t entry)
{
    if (entry == API_ENTRY_UNKNOWN || entry > API_SLOT_COUNT || entry > num_entries)
        return NULL;
    /* By place and not by name: a table may be longer than the structure of our headers. */
    api_function *function;
    memcpy(&function, (const char *)dispatch + (size_t)(entry - 1) * sizeof function,
           sizeof function);
    return function;
}

/* How the result of a call becomes a word, by the role of what is returned. */
#define RESULT_STATUS       (uint64_t)
#define RESULT_POINTER      (uint64_t)
#define RESULT_OBJECT(kind) (uint64_t)
#define RESULT_NOTHING      0;

#define API(name, since, type, role, ...)                                                          \
    static uint64_t perform_##name(api_function *function, const uint64_t *words)                  \
    {                                                                                              \
        typedef type(CL_API_CALL entry_type)(API_EACH(API_VIEW_TYPE, name, __VA_ARGS__));          \
        const uint64_t result = RESULT_##role((entry_type *)function)(                             \
            API_EACH(API_VIEW_FROM_WORD, name, __VA_ARGS__));                                      \
        return result;                                                                             \
    }
#define API_VOID(name, since, type, role)                                                          \
    static uint64_t perform_##name(api_function *function, const uint64_t *words)                  \
    {                                                                                              \
        typedef type(CL_API_CALL entry_type)(void);                                                \
        (void)words;                                                                               \
        return RESULT_##role((entry_type *)function)();                                            \
    }
#include "trace/api/cl_api.def"

static uint64_t (*const performers[API_ENTRY_COUNT])(api_function *, const uint64_t *) = {
#define API(name, ...) [API_ENTRY_##name] = perform_##name,
#include "trace/api/cl_api.def"
};

uint64_t api_perform(uint32_t entry, api_function *function, const uint64_t *words)
{
    ASSERT(entry < API_ENTRY_COUNT && performers[entry] && function);
    return performers[entry](function, words);
}

/* ---- kinds of objects ---- */

const char *api_object_kind_name(enum api_object_kind kind)
{
    static const char *const names[API_OBJECT_KIND_COUNT] = {
        [API_OBJECT_NONE] = "object",
        [API_OBJECT_PLATFORM] = "platform",
        [API_OBJECT_DEVICE] = "device",
        [API_OBJECT_CONTEXT] = "context",
        [API_OBJECT_QUEUE] = "command-queue",
        [API_OBJECT_MEM] = "memory object",
        [API_OBJECT_PROGRAM] = "program",
        [API_OBJECT_KERNEL] = "kernel",
        [API_OBJECT_EVENT] = "event",
        [API_OBJECT_SAMPLER] = "sampler",
        [API_OBJECT_SEMAPHORE] = "semaphore",
        [API_OBJECT_COMMAND_BUFFER] = "command-buffer",
        [API_OBJECT_MUTABLE_COMMAND] = "mutable command",
    };
    return kind < API_OBJECT_KIND_COUNT ? names[kind] : names[API_OBJECT_NONE];
}
