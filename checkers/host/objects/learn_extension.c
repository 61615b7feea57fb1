/* What is learned of extensions: memory that is shared with others, semaphores, command-buffers
 * (traits.h). */
#include "checkers/host/objects/teaching_call.h"

#include "checkers/host/commands/recordings.h"
#include "checkers/host/objects/command_sizes.h"
#include "trace/api/property.h"
#include "trace/base/assert.h"

#include <string.h>

/* ---- contexts ---- */

static const struct context_sharing {
    uint64_t property;
    uint32_t sharing;
} context_sharings[] = {
    {CL_GL_CONTEXT_KHR, SHARING_GL},
    {CL_CGL_SHAREGROUP_KHR, SHARING_GL},
    {CL_CONTEXT_D3D10_DEVICE_KHR, SHARING_D3D10},
    {CL_CONTEXT_D3D11_DEVICE_KHR, SHARING_D3D11},
    {CL_CONTEXT_ADAPTER_D3D9_KHR, SHARING_DX9},
    {CL_CONTEXT_ADAPTER_D3D9EX_KHR, SHARING_DX9},
    {CL_CONTEXT_ADAPTER_DXVA_KHR, SHARING_DX9},
    {CL_CONTEXT_VA_API_DISPLAY_INTEL, SHARING_VA_API},
};

uint32_t property_sharing(uint64_t name, uint64_t value)
{
    for (size_t i = 0; value != 0 && i < sizeof context_sharings / sizeof *context_sharings; ++i)
        if (context_sharings[i].property == name)
            return context_sharings[i].sharing;
    return 0;
}

void learn_context_properties(const struct api_value *list, struct context_traits *context)
{
    struct api_property property;
    context->created = !list->present || list->kind == API_VALUE_PROPERTIES;
    for (uint32_t at = 0; api_property_next(list, API_FAMILY_CONTEXT_PROPERTIES, &at, &property);) {
        const uint64_t value = api_property_word(&property, 0);
        context->sharing |= property_sharing(property.name, value);
        context->gl_context = property.name == CL_GL_CONTEXT_KHR ? value : context->gl_context;
        context->user_sync |= property.name == CL_CONTEXT_INTEROP_USER_SYNC && value != 0;
        context->may_terminate |= property.name == CL_CONTEXT_TERMINATE_KHR && value != 0;
    }
}

void learn_terminated(const struct lesson *lesson)
{
    struct context_traits *context = lesson_lock_first(lesson, API_OBJECT_CONTEXT);
    if (context)
        context->terminated = true;
    lesson_unlock(lesson);
}

/* ---- platforms ---- */

void learn_platform_answer(const struct lesson *lesson, uint64_t query,
                           const struct api_value *answer)
{
    struct platform_traits *platform = lesson_lock_first(lesson, API_OBJECT_PLATFORM);
    if (platform && query == CL_PLATFORM_VERSION)
        lesson_version(answer, &platform->version);
    if (platform && query == CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR &&
        answer->size >= sizeof platform->recording) {
        platform->recording_known = true;
        platform->recording = list_word(answer, 0);
    }
    lesson_unlock(lesson);
}

/* ---- devices ---- */

static const struct extension_name {
    const char *name;
    uint64_t bit;
} extension_names[] = {
    {"cl_khr_command_buffer_multi_device", EXTENSION_MULTI_DEVICE},
    {"cl_khr_command_buffer_mutable_dispatch", EXTENSION_MUTABLE_DISPATCH},
    {"cl_ext_buffer_device_address", EXTENSION_DEVICE_ADDRESS},
    {"cl_img_use_gralloc_ptr", EXTENSION_GRALLOC},
    {"cl_qcom_perf_hint", EXTENSION_PERF_HINT},
    {"cl_ext_image_from_buffer", EXTENSION_IMAGE_BUFFER},
    {"cl_ext_immutable_memory_objects", EXTENSION_IMMUTABLE},
};

/* Is the name one of the words of a string, which need not end with a NUL? */
static bool has_word(const char *string, uint64_t size, const char *name)
{
    const size_t length = strlen(name);
    for (uint64_t at = 0; at + length <= size; ++at) {
        const bool begins = at == 0 || string[at - 1] == ' ';
        const bool ends =
            at + length == size || string[at + length] == ' ' || string[at + length] == '\0';
        if (begins && ends && memcmp(string + at, name, length) == 0)
            return true;
    }
    return false;
}

unsigned extension_of(uint32_t entry)
{
    unsigned number = 0;
    for (uint32_t i = 1; i <= entry; ++i)
        number += strncmp(api_entry_get(i)->since, "cl_", 3) == 0 &&
                  strcmp(api_entry_get(i)->since, api_entry_get(i - 1)->since) != 0;
    ASSERT(number < 64);
    return number;
}

static uint64_t functions_of(const struct api_value *extensions)
{
    uint64_t bits = 0;
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; ++entry)
        if (has_word(extensions->data, extensions->size, api_entry_get(entry)->since))
            bits |= UINT64_C(1) << extension_of(entry);
    return bits;
}

static void learn_handle_types(struct device_traits *device, enum device_fact fact,
                               const struct api_value *answer)
{
    uint64_t types = 0;
    for (uint64_t i = 0; i + sizeof(uint32_t) <= answer->size; i += sizeof(uint32_t)) {
        uint32_t type;
        memcpy(&type, (const char *)answer->data + i, sizeof type);
        types |= handle_type_bit(type);
    }
    device_learn(device, fact, types);
}

void learn_device_extension(struct device_traits *device, uint64_t query,
                            const struct api_value *answer)
{
    uint64_t bits = 0;
    if (query == CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR)
        learn_handle_types(device, DEVICE_FACT_MEM_IMPORT, answer);
    if (query == CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR)
        learn_handle_types(device, DEVICE_FACT_SEMAPHORE_IMPORT, answer);
    if (query != CL_DEVICE_EXTENSIONS)
        return;
    for (size_t i = 0; i < sizeof extension_names / sizeof *extension_names; ++i)
        if (has_word(answer->data, answer->size, extension_names[i].name))
            bits |= extension_names[i].bit;
    device_learn(device, DEVICE_FACT_EXTENSIONS, bits);
    device_learn(device, DEVICE_FACT_FUNCTIONS, functions_of(answer));
}

/* ---- memory objects ---- */

static bool is_handle(enum api_family family, uint64_t name)
{
    const bool is_semaphore = (name >= CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR &&
                               name <= CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR) ||
                              name == CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR;
    return family == API_FAMILY_SEMAPHORE_PROPERTIES
               ? is_semaphore
               : name >= CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR &&
                     name <= CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR &&
                     name != CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR;
}

static struct device_list property_devices(const struct api_property *property)
{
    struct device_list devices = {0};
    if (property->count > TRAITS_DEVICES_MAX)
        return devices;
    devices.count = property->count;
    for (uint32_t i = 0; i < property->count; ++i)
        devices.handles[i] = api_property_word(property, i);
    return devices;
}

static void add_property(struct import *import, enum api_family family,
                         const struct api_property *property)
{
    switch (property->name) {
    case CL_MEM_DEVICE_HANDLE_LIST_KHR:
    case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
        import->lists_devices = true;
        import->devices = property_devices(property);
        break;
    case CL_SEMAPHORE_TYPE_KHR:
        import->has_type = true;
        break;
    case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
        import->exports = property->count;
        for (uint32_t i = 0; i < property->count; ++i)
            import->export_types |= handle_type_bit(api_property_word(property, i));
        break;
    case CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT:
        import->has_address = api_property_word(property, 0) != 0;
        break;
    default:
        if (!is_handle(family, property->name))
            break;
        import->handles++;
        import->type = property->name;
        import->types |= handle_type_bit(property->name);
        break;
    }
}

struct import import_of(const struct api_value *properties, enum api_family family)
{
    struct import import = {0};
    struct api_property property;
    for (uint32_t at = 0; api_property_next(properties, family, &at, &property);)
        add_property(&import, family, &property);
    return import;
}

void learn_mem_properties(const struct lesson *lesson, struct mem_traits *mem,
                          struct device_list *devices)
{
    const struct api_value *list = lesson_argument(lesson, "properties");
    mem->made_by = lesson->call->entry;
    if (!list)
        return;
    const struct import import = import_of(list, API_FAMILY_MEM_PROPERTIES);
    mem->sharing = import.handles != 0 ? SHARING_EXTERNAL : 0;
    if (mem->sharing != 0)
        atomic_store_explicit(&lesson->checker->conduct.objects_shared, true, memory_order_relaxed);
    mem->has_address = import.has_address;
    *devices = import.devices;
    mem->devices = import.lists_devices ? devices : NULL;
}

uint32_t entry_sharing(uint32_t entry)
{
    static const struct {
        const char *word;
        uint32_t sharing;
    } words[] = {{"EGL", SHARING_EGL},         {"FromGL", SHARING_GL},
                 {"GLObjects", SHARING_GL},    {"GLObjectInfo", SHARING_GL},
                 {"GLTexture", SHARING_GL},    {"GLsync", SHARING_GL},
                 {"D3D10", SHARING_D3D10},     {"D3D11", SHARING_D3D11},
                 {"DX9", SHARING_DX9},         {"VA_API", SHARING_VA_API},
                 {"Gralloc", SHARING_GRALLOC}, {"ExternalMem", SHARING_EXTERNAL}};
    const char *name = api_entry_get(entry)->name;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strstr(name, words[i].word))
            return words[i].sharing;
    return 0;
}

uint32_t object_sharing(uint32_t entry)
{
    static const char makes[] = "clCreateFrom";
    return strncmp(api_entry_get(entry)->name, makes, sizeof makes - 1) == 0 ? entry_sharing(entry)
                                                                             : 0;
}

/* Of its type and size nothing is known. */
static void learn_shared(const struct lesson *lesson)
{
    enum { TEXTURE_2D_MULTISAMPLE = 0x9100, TEXTURE_2D_MULTISAMPLE_ARRAY = 0x9102 };
    const struct api_call *call = lesson->call;
    const uint64_t target = call->arguments[API_clCreateFromGLTexture_target].bits;
    struct gl_traits gl;
    learn_gl(lesson, &gl);
    atomic_store_explicit(&lesson->checker->conduct.objects_shared, true, memory_order_relaxed);
    struct mem_traits *mem = lesson_lock(lesson, call->result.bits, API_OBJECT_MEM);
    if (mem) {
        mem->made_by = call->entry;
        mem->gl = gl;
        mem->sharing = object_sharing(call->entry);
        mem->multi_sampled =
            call->entry == API_ENTRY_clCreateFromGLTexture &&
            (target == TEXTURE_2D_MULTISAMPLE || target == TEXTURE_2D_MULTISAMPLE_ARRAY);
    }
    lesson_unlock(lesson);
}

bool is_acquisition(const struct api_entry_info *info)
{
    return strncmp(info->name, "clEnqueueAcquire", 16) == 0 ||
           strncmp(info->name, "clEnqueueRelease", 16) == 0;
}

static void learn_acquired(const struct lesson *lesson)
{
    const struct api_value *list = &lesson->call->arguments[2]; /* queue, count, mem_objects */
    const bool acquired = strncmp(lesson->info->name, "clEnqueueAcquire", 16) == 0;
    for (uint32_t i = 0; i < list_count(list, API_VALUE_HANDLES); ++i) {
        struct mem_traits *mem = lesson_lock(lesson, list_word(list, i), API_OBJECT_MEM);
        if (mem)
            mem->acquired = acquired;
        lesson_unlock(lesson);
    }
}

/* ---- semaphores ---- */

void learn_semaphore(const struct lesson *lesson)
{
    const struct import import =
        import_of(lesson_argument(lesson, "sema_props"), API_FAMILY_SEMAPHORE_PROPERTIES);
    const struct semaphore_traits semaphore = {.created = true,
                                               .devices = import.devices,
                                               .imported = import.types,
                                               .exported = import.export_types};
    lesson_set(lesson, lesson->call->result.bits, API_OBJECT_SEMAPHORE, &semaphore);
}

/* It was waited for, or signalled. */
void learn_semaphores(const struct lesson *lesson)
{
    const struct api_value *list = lesson_argument(lesson, "sema_objects");
    for (uint32_t i = 0; i < list_count(list, API_VALUE_HANDLES); ++i) {
        struct semaphore_traits *semaphore =
            lesson_lock(lesson, list_word(list, i), API_OBJECT_SEMAPHORE);
        if (semaphore)
            semaphore->last = lesson->call->entry;
        lesson_unlock(lesson);
    }
}

/* ---- command-buffers ---- */

static void set_queues(struct command_buffer_traits *buffer, uint64_t count,
                       const struct api_value *queues)
{
    buffer->queue_count = (uint32_t)count;
    for (uint32_t i = 0; queues->data && i < queues->count && i < TRAITS_DEVICES_MAX; ++i)
        buffer->queues[i] = list_word(queues, i);
}

void learn_command_buffer(const struct lesson *lesson)
{
    const struct api_value *arguments = lesson->call->arguments;
    const struct api_value *list = &arguments[API_clCreateCommandBufferKHR_properties];
    struct command_buffer_traits buffer = {.state = RECORDING_OPEN};
    struct api_property property;
    set_queues(&buffer, arguments[API_clCreateCommandBufferKHR_num_queues].bits,
               &arguments[API_clCreateCommandBufferKHR_queues]);
    for (uint32_t at = 0;
         api_property_next(list, API_FAMILY_COMMAND_BUFFER_PROPERTIES, &at, &property);) {
        if (property.name == CL_COMMAND_BUFFER_FLAGS_KHR)
            buffer.flags = api_property_word(&property, 0);
        if (property.name == CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR)
            buffer.asserts = api_property_word(&property, 0);
    }
    lesson_set(lesson, lesson->call->result.bits, API_OBJECT_COMMAND_BUFFER, &buffer);
    learn_recording(lesson);
}

/* A copy for other queues: else it is not known, not even what it may be used for. */
void learn_remapped(const struct lesson *lesson)
{
    const struct api_value *arguments = lesson->call->arguments;
    struct command_buffer_traits buffer = {.state = RECORDING_UNKNOWN};
    set_queues(&buffer, arguments[API_clRemapCommandBufferKHR_num_queues].bits,
               &arguments[API_clRemapCommandBufferKHR_queues]);
    lesson_set(lesson, lesson->call->result.bits, API_OBJECT_COMMAND_BUFFER, &buffer);
    learn_recording(lesson);
}

/* What is recorded changes, or ends. */
void learn_recording(const struct lesson *lesson)
{
    recordings_learn(lesson->checker->recordings, lesson->call);
}

void learn_final(const struct lesson *lesson)
{
    struct command_buffer_traits *buffer = lesson_lock_first(lesson, API_OBJECT_COMMAND_BUFFER);
    if (buffer)
        buffer->state = RECORDING_FINAL;
    lesson_unlock(lesson);
}

static void add_point(struct command_buffer_traits *buffer, struct arena *arena, uint32_t point)
{
    struct sync_points *points = buffer->points;
    if (!points || points->count == sizeof points->points / sizeof *points->points) {
        points = arena_alloc(arena, 1, sizeof *points);
        if (!points) {
            buffer->state = RECORDING_UNKNOWN;
            return;
        }
        points->next = buffer->points;
        buffer->points = points;
    }
    points->points[points->count++] = point;
}

/* What may change of a command that does not say so: "it defaults to the value returned by the
 * CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR device query". What is not known may change. */
static uint64_t default_fields(const struct lesson *lesson, uint64_t handle)
{
    struct object_table *objects = lesson->checker->objects;
    const uint64_t given = lesson_number(lesson, "command_queue");
    struct command_buffer_traits buffer;
    struct queue_traits queue;
    uint64_t fields;
    const bool known =
        object_get_traits(objects, handle, API_OBJECT_COMMAND_BUFFER, &buffer) &&
        object_get_traits(objects, given ? given : buffer.queues[0], API_OBJECT_QUEUE, &queue) &&
        device_fact(object_device_traits(objects, queue.device), DEVICE_FACT_MUTABLE_FIELDS,
                    &fields);
    return known ? fields : UINT64_MAX;
}

/* The sizes of the recorded launch, if updates are promised to make no more work-groups. */
static void learn_sizes(const struct lesson *lesson, struct mutable_command_traits *command)
{
    const struct api_value *global = lesson_argument(lesson, "global_work_size");
    const struct api_value *local = lesson_argument(lesson, "local_work_size");
    struct command_buffer_traits buffer;
    struct api_property property;
    uint64_t asserts =
        api_property_find(lesson_argument(lesson, "properties"), API_FAMILY_COMMAND_PROPERTIES,
                          CL_MUTABLE_DISPATCH_ASSERTS_KHR, &property)
            ? api_property_word(&property, 0)
            : 0;
    if (object_get_traits(lesson->checker->objects, command->command_buffer,
                          API_OBJECT_COMMAND_BUFFER, &buffer))
        asserts |= buffer.asserts;
    if (!(asserts & CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR) || !global ||
        !local || command->work_dim > WORK_DIM_MAX || global->count < command->work_dim ||
        local->count < command->work_dim || !global->data || !local->data)
        return;
    for (uint64_t i = 0; i < command->work_dim; i++) {
        command->global[i] = list_word(global, i);
        command->local[i] = list_word(local, i);
    }
    command->most_groups = command_sizes_groups(command);
}

/* Launches were changed. */
void learn_updated(const struct lesson *lesson)
{
    const struct api_value *value =
        &lesson->call->arguments[API_clUpdateMutableCommandsKHR_configs];
    struct arena arena = {0};
    const struct api_mutable_config *configs =
        value->kind == API_VALUE_BYTES ? api_mutable_configs_unpack(value, &arena) : NULL;
    learn_recording(lesson);
    for (uint32_t i = 0; configs && i < value->count; i++) {
        struct mutable_command_traits *command = lesson_lock(
            lesson, (uint64_t)(uintptr_t)configs[i].command, API_OBJECT_MUTABLE_COMMAND);
        if (command)
            command_sizes_change(command, &configs[i]);
        lesson_unlock(lesson);
    }
    arena_release(&arena);
}

/* A command was recorded: what it does, its synchronization point, and its handle if it has one. */
static void learn_recorded(const struct lesson *lesson)
{
    const uint64_t buffer = lesson->call->arguments[0].bits;
    const struct api_value *point = lesson_argument(lesson, "sync_point");
    const struct api_value *handle = lesson_argument(lesson, "mutable_handle");
    struct api_property property;
    learn_recording(lesson);
    if (point->present && point->kind == API_VALUE_SIZES && point->count == 1) {
        struct command_buffer_traits *known =
            lesson_lock(lesson, buffer, API_OBJECT_COMMAND_BUFFER);
        if (known)
            add_point(known, lesson->locked->arena, (uint32_t)list_word(point, 0));
        lesson_unlock(lesson);
    }
    if (!handle->present || handle->kind != API_VALUE_HANDLES || handle->count != 1)
        return;
    struct mutable_command_traits command = {
        .command_buffer = buffer,
        .serial = object_serial(lesson->checker->objects, buffer),
        .work_dim = lesson_number(lesson, "work_dim"),
    };
    command.fields =
        api_property_find(lesson_argument(lesson, "properties"), API_FAMILY_COMMAND_PROPERTIES,
                          CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, &property)
            ? api_property_word(&property, 0)
            : default_fields(lesson, buffer);
    learn_sizes(lesson, &command);
    lesson_set(lesson, list_word(handle, 0), API_OBJECT_MUTABLE_COMMAND, &command);
}

/* ---- file descriptors ---- */

void learn_imported(const struct lesson *lesson)
{
    const uint64_t handle = lesson->info->return_role == API_ROLE_HANDLE
                                ? lesson->call->result.bits
                                : lesson->call->arguments[0].bits;
    const struct imported object = {.handle = handle,
                                    .serial = object_serial(lesson->checker->objects, handle)};
    int32_t descriptor;
    if (imported_descriptor(lesson->call, &descriptor))
        imported_end(lesson->checker->imported, lesson->call, descriptor, &object);
}

/* ---- by what entry points are for ---- */

void learn_extension(const struct lesson *lesson)
{
    if (object_sharing(lesson->call->entry) != 0)
        learn_shared(lesson);
    else if (is_acquisition(lesson->info))
        learn_acquired(lesson);
    else if (lesson->info->flags & API_ENTRY_RECORDS)
        learn_recorded(lesson);
}
