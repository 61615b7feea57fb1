/* What a call that succeeded taught of the traits of objects (traits.h). */
#include "checkers/host/objects/teaching_call.h"

#include "trace/api/clerk_queries.h"
#include "trace/api/image.h"

#include <string.h>

/* The first four bytes of an answer, or all of a shorter one. */
static int32_t first_word(const struct api_value *answer)
{
    int32_t first = 0;
    memcpy(&first, answer->data, answer->size < sizeof first ? (size_t)answer->size : sizeof first);
    return first;
}

/* ---- devices ---- */

static const struct device_query {
    uint32_t query;
    uint8_t bytes, element;
} device_queries[] = {
#define DEVICE_FACT(symbol, query, bytes, element) {query, bytes, element},
#include "checkers/host/objects/device_facts.def"
#undef DEVICE_FACT
};

static void learn_device_strings(struct device_traits *device, uint64_t query,
                                 const struct api_value *answer)
{
    uint64_t version;
    if (query == CL_DEVICE_IL_VERSION)
        device_learn(device, DEVICE_FACT_IL, *(const char *)answer->data != '\0');
    if (query == CL_DEVICE_VERSION && lesson_version(answer, &version))
        device_learn(device, DEVICE_FACT_VERSION, version);
}

static void learn_device_numbers(struct device_traits *device, uint64_t query,
                                 const struct api_value *answer)
{
    for (size_t i = 0; i < sizeof device_queries / sizeof *device_queries; ++i) {
        const struct device_query *fact = &device_queries[i];
        uint64_t value = 0;
        if (fact->query != query || answer->size < (uint64_t)(fact->element + 1) * fact->bytes)
            continue;
        memcpy(&value, (const char *)answer->data + fact->element * fact->bytes, fact->bytes);
        device_learn(device, (enum device_fact)i, value);
    }
}

static void learn_device_answer(const struct lesson *lesson, uint64_t query,
                                const struct api_value *answer)
{
    struct device_traits *device = lesson_lock_first(lesson, API_OBJECT_DEVICE);
    if (device) {
        learn_device_extension(device, query, answer);
        learn_device_strings(device, query, answer);
        learn_device_numbers(device, query, answer);
    }
    lesson_unlock(lesson);
}

/* ---- contexts, queues ---- */

static struct device_list list_devices(const struct api_value *list)
{
    struct device_list devices = {0};
    const uint64_t count = list->size / sizeof(uint64_t);
    if (!list->data || count > TRAITS_DEVICES_MAX)
        return devices;
    devices.count = (uint32_t)count;
    memcpy(devices.handles, list->data, count * sizeof(uint64_t));
    return devices;
}

static void learn_context(const struct lesson *lesson)
{
    const uint64_t handle = lesson->call->result.bits;
    const struct api_value *devices = lesson_argument(lesson, "devices");
    struct context_traits context;
    object_get_traits(lesson->checker->objects, handle, API_OBJECT_CONTEXT, &context);
    if (devices)
        context.devices = list_devices(devices);
    learn_context_properties(lesson_argument(lesson, "properties"), &context);
    lesson_set(lesson, handle, API_OBJECT_CONTEXT, &context);
}

/* What the program passed counts: of a context for parts of a device some drivers answer the whole.
 */
static void learn_context_answer(const struct lesson *lesson, uint64_t query,
                                 const struct api_value *answer)
{
    if (query != CL_CONTEXT_DEVICES || answer->size % sizeof(uint64_t) != 0)
        return;
    struct context_traits *context = lesson_lock_first(lesson, API_OBJECT_CONTEXT);
    if (context && context->devices.count == 0)
        context->devices = list_devices(answer);
    lesson_unlock(lesson);
}

static void learn_queue(const struct lesson *lesson)
{
    const struct api_value *properties = lesson_argument(lesson, "properties");
    struct queue_traits queue = {.device = lesson_number(lesson, "device"),
                                 .properties = properties->bits};
    if (properties->kind == API_VALUE_PROPERTIES) {
        queue.properties = 0;
        for (uint32_t i = 0; i + 1 < properties->count; i += 2)
            if (list_word(properties, i) == CL_QUEUE_PROPERTIES)
                queue.properties = list_word(properties, i + 1);
    } else if (properties->kind == API_VALUE_POINTER && properties->present) {
        return; /* a list that could not be read */
    }
    lesson_set(lesson, lesson->call->result.bits, API_OBJECT_QUEUE, &queue);
}

static void learn_queue_property(const struct lesson *lesson)
{
    const struct api_value *arguments = lesson->call->arguments;
    const uint64_t flags = arguments[API_clSetCommandQueueProperty_properties].bits;
    struct queue_traits *queue = lesson_lock_first(lesson, API_OBJECT_QUEUE);
    if (queue && arguments[API_clSetCommandQueueProperty_enable].bits)
        queue->properties |= flags;
    else if (queue)
        queue->properties &= ~flags;
    lesson_unlock(lesson);
}

/* ---- memory objects ---- */

/* Gives a new memory object its traits. With a source it lies in that object's bytes and takes over
 * the flags that it does not say itself (OpenCL API 3.0, 5.2.1: clCreateSubBuffer, and 5.3.1). */
static void learn_mem(const struct lesson *lesson, struct mem_traits *mem)
{
    struct mem_traits source = {0};
    struct device_list devices;
    const uint64_t handle = lesson->call->result.bits;
    const struct judged judged = {.checker = lesson->checker};
    if (!judged_immutable(&judged, lesson->call->arguments[0].bits, mem->flags))
        mem->flags &= ~(uint64_t)CL_MEM_IMMUTABLE_EXT;
    learn_mem_properties(lesson, mem, &devices);
    mem->serial = object_serial(lesson->checker->objects, handle);
    mem->root = handle;
    mem->root_serial = mem->serial;
    if (mem->source != 0) {
        object_get_traits(lesson->checker->objects, mem->source, API_OBJECT_MEM, &source);
        mem->root = source.root;
        mem->root_serial = source.root_serial;
        mem->root_offset += source.root_offset;
        mem->host_ptr = source.host_ptr ? source.host_ptr + mem->root_offset : 0;
        mem->flags |= source.flags & (MEM_HOST_POINTER | CL_MEM_IMMUTABLE_EXT);
        if (!(mem->flags & MEM_KERNEL_ACCESS))
            mem->flags |= source.flags & MEM_KERNEL_ACCESS;
        if (!(mem->flags & MEM_HOST_ACCESS))
            mem->flags |= source.flags & MEM_HOST_ACCESS;
    }
    if (!(mem->flags & MEM_KERNEL_ACCESS))
        mem->flags |= CL_MEM_READ_WRITE;
    struct mem_traits *known = lesson_lock(lesson, handle, API_OBJECT_MEM);
    if (known) {
        *known = *mem;
        if (mem->devices)
            known->devices = arena_copy(lesson->locked->arena, mem->devices, sizeof *mem->devices);
    }
    lesson_unlock(lesson);
}

static void learn_buffer(const struct lesson *lesson)
{
    struct mem_traits mem = {.type = CL_MEM_OBJECT_BUFFER,
                             .flags = lesson_number(lesson, "flags"),
                             .size = lesson_number(lesson, "size"),
                             .host_ptr = lesson_number(lesson, "host_ptr")};
    learn_mem(lesson, &mem);
    if ((mem.flags & CL_MEM_USE_HOST_PTR) && mem.host_ptr != 0)
        host_ptr_add(lesson->checker->owned, lesson->call->result.bits, mem.host_ptr, mem.size);
}

static void learn_sub_buffer(const struct lesson *lesson)
{
    const struct api_value *info = lesson_argument(lesson, "buffer_create_info");
    cl_buffer_region region;
    if (!info->data || info->size < sizeof region)
        return;
    memcpy(&region, info->data, sizeof region);
    struct mem_traits mem = {.type = CL_MEM_OBJECT_BUFFER,
                             .flags = lesson_number(lesson, "flags"),
                             .size = region.size,
                             .root_offset = region.origin,
                             .source = lesson_number(lesson, "buffer")};
    learn_mem(lesson, &mem);
}

static void learn_image(const struct lesson *lesson)
{
    struct image_create create;
    if (!image_create_parse(lesson->call, &create))
        return;
    const struct image_shape shape = image_shape_of(create.format, &create.desc);
    struct mem_traits mem = {.type = shape.type,
                             .flags = create.flags,
                             .source = (uint64_t)(uintptr_t)create.desc.mem_object,
                             .host_ptr = create.host_ptr->bits,
                             .format = *create.format,
                             .shape = shape,
                             .mip_levels = create.desc.num_mip_levels};
    learn_mem(lesson, &mem);
}

static void learn_pipe(const struct lesson *lesson)
{
    struct mem_traits mem = {.type = CL_MEM_OBJECT_PIPE,
                             .flags = lesson_number(lesson, "flags"),
                             .packet_size = (uint32_t)lesson_number(lesson, "pipe_packet_size"),
                             .packets = (uint32_t)lesson_number(lesson, "pipe_max_packets")};
    learn_mem(lesson, &mem);
}

/* ---- mappings ---- */

static void add_map(struct mem_traits *mem, struct arena *arena, const struct mem_map *added)
{
    struct mem_map *map = mem->free_maps;
    if (map)
        mem->free_maps = map->next;
    else
        map = arena_alloc(arena, 1, sizeof *map);
    if (!map)
        return;
    *map = *added;
    map->next = mem->maps;
    mem->maps = map;
}

static void remove_map(struct mem_traits *mem, uint64_t address)
{
    struct mem_map **link = &mem->maps;
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    struct mem_map *map = *link;
    if (!map)
        return;
    *link = map->next;
    map->next = mem->free_maps;
    mem->free_maps = map;
}

static void learn_map(const struct lesson *lesson)
{
    const struct api_value *origin = lesson_argument(lesson, "origin");
    const struct api_value *region = lesson_argument(lesson, "region");
    struct mem_map map = {.address = lesson->call->result.bits,
                          .writes = (lesson_number(lesson, "map_flags") & MAP_WRITES) != 0,
                          .origin = {lesson_number(lesson, "offset")},
                          .region = {lesson_number(lesson, "size"), 1, 1}};
    for (size_t i = 0; origin && region && i < 3; ++i) {
        if (origin->count < 3 || region->count < 3 || !origin->data || !region->data)
            return;
        map.origin[i] = list_word(origin, i);
        map.region[i] = list_word(region, i);
        map.level = image_origin_level(origin);
    }
    struct mem_traits *mem = lesson_lock(
        lesson, lesson->call->arguments[API_clEnqueueMapBuffer_buffer].bits, API_OBJECT_MEM);
    if (mem)
        add_map(mem, lesson->locked->arena, &map);
    lesson_unlock(lesson);
}

static void learn_unmap(const struct lesson *lesson)
{
    const struct api_value *arguments = lesson->call->arguments;
    struct mem_traits *mem =
        lesson_lock(lesson, arguments[API_clEnqueueUnmapMemObject_memobj].bits, API_OBJECT_MEM);
    if (mem)
        remove_map(mem, arguments[API_clEnqueueUnmapMemObject_mapped_ptr].bits);
    lesson_unlock(lesson);
}

/* ---- programs ---- */

/* The callback of clLinkProgram may have come before the call returned: what was learned then. */
static void keep_told(const struct lesson *lesson, struct program_traits *program)
{
    struct program_traits told;
    if (lesson->call->entry != API_ENTRY_clLinkProgram ||
        !object_get_traits(lesson->checker->objects, lesson->call->result.bits, API_OBJECT_PROGRAM,
                           &told) ||
        told.ended != lesson->call->id ||
        memcmp(&told.devices, &program->devices, sizeof told.devices) != 0)
        return;
    memcpy(program->status, told.status, sizeof program->status);
    memcpy(program->binary, told.binary, sizeof program->binary);
}

/* A new program: for the devices that were named, or all of its context's. */
static void learn_program(const struct lesson *lesson)
{
    const uint32_t entry = lesson->call->entry;
    const int status = entry == API_ENTRY_clCreateProgramWithBuiltInKernels ? PROGRAM_BUILT
                       : entry == API_ENTRY_clLinkProgram                   ? 0
                                                                            : PROGRAM_NONE;
    const struct api_value *list = lesson_argument(lesson, "device_list");
    struct program_traits program = {.made_by = entry, .begun = lesson->call->id};
    struct context_traits context;
    object_get_traits(lesson->checker->objects, lesson_number(lesson, "context"),
                      API_OBJECT_CONTEXT, &context);
    program.devices = list && list->present ? list_devices(list) : context.devices;
    memset(program.status, status, sizeof program.status);
    keep_told(lesson, &program);
    if (entry == API_ENTRY_clCreateProgramWithBinary)
        learn_from_binaries(lesson, &program);
    lesson_set(lesson, lesson->call->result.bits, API_OBJECT_PROGRAM, &program);
}

/* Of clCompileProgram nothing is said: what is linked may be of several compilations. */
static bool lacks_argument_info(const struct lesson *lesson)
{
    static const char option[] = "-cl-kernel-arg-info";
    const struct api_value *options = lesson_argument(lesson, "options");
    if (lesson->call->entry != API_ENTRY_clBuildProgram)
        return false;
    return !options->present || (options->kind == API_VALUE_STRING && options->data &&
                                 !memmem(options->data, options->size, option, sizeof option - 1));
}

/* A build began: until its end is seen nothing is known of what it makes. */
static void learn_build_begun(const struct lesson *lesson)
{
    const uint64_t call_id = lesson->call->id;
    const char *options = learn_build_options(lesson);
    const struct api_value *devices = lesson_argument(lesson, "device_list");
    const struct device_list only = list_devices(devices);
    const bool all = only.count == 0; /* NULL, or a list that is too long to be known */
    struct program_traits *program = lesson_lock_first(lesson, API_OBJECT_PROGRAM);
    if (program) {
        program->begun = call_id;
        program->without_argument_info = lacks_argument_info(lesson);
    }
    if (program && program->ended != call_id) {
        memset(program->status, 0, sizeof program->status);
        memset(program->binary, 0, sizeof program->binary);
        memset(program->binary_sizes, 0, sizeof program->binary_sizes);
    }
    /* The options of what is made from a binary are the binary's. */
    if (program && program->made_by != API_ENTRY_clCreateProgramWithBinary)
        for (uint32_t i = 0; i < program->devices.count; ++i)
            if (all || device_index(&only, program->devices.handles[i]) < only.count)
                program->options[i] = all && devices->present ? NULL : options;
    lesson_unlock(lesson);
}

/* Its end is told, perhaps before the call has returned: with which options nobody knows yet. */
void host_checker_built(struct host_checker *checker, const struct host_build_end *end)
{
    struct locked_traits locked;
    if (end->entry == API_ENTRY_clLinkProgram)
        learn_linked(checker, end);
    struct program_traits *program =
        object_lock_traits(checker->objects, end->program, API_OBJECT_PROGRAM, &locked);
    if (program && program->begun != end->call_id) {
        if (end->entry == API_ENTRY_clLinkProgram)
            program->made_by = end->entry;
        program->ended = end->call_id;
        memset(program->options, 0, sizeof program->options);
        memset(program->binary_sizes, 0, sizeof program->binary_sizes);
    }
    object_unlock_traits(&locked);
}

static uint8_t status_of(int64_t build_status)
{
    switch (build_status) {
    case CL_BUILD_SUCCESS:
        return PROGRAM_BUILT;
    case CL_BUILD_ERROR:
        return PROGRAM_FAILED;
    case CL_BUILD_IN_PROGRESS:
        return PROGRAM_IN_PROGRESS;
    default:
        return build_status == CL_BUILD_NONE ? PROGRAM_NONE : 0;
    }
}

static uint8_t binary_of(int64_t binary_type)
{
    switch (binary_type) {
    case CL_PROGRAM_BINARY_TYPE_NONE:
        return BINARY_NONE;
    case CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT:
        return BINARY_OBJECT;
    case CL_PROGRAM_BINARY_TYPE_LIBRARY:
        return BINARY_LIBRARY;
    default:
        return binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ? BINARY_EXECUTABLE : 0;
    }
}

static void learn_build_answer(const struct lesson *lesson, uint64_t query,
                               const struct api_value *answer)
{
    const int32_t value = first_word(answer);
    const bool is_status = query == CL_PROGRAM_BUILD_STATUS;
    if (!is_status && (query != CL_PROGRAM_BINARY_TYPE || answer->size < sizeof(uint32_t)))
        return;
    struct program_traits *program = lesson_lock_first(lesson, API_OBJECT_PROGRAM);
    for (uint32_t i = 0; program && i < program->devices.count; ++i) {
        if (program->devices.handles[i] != lesson->call->arguments[1].bits)
            continue;
        if (is_status)
            program->status[i] = status_of(value);
        else
            program->binary[i] = binary_of(value);
    }
    lesson_unlock(lesson);
}

static void learn_program_answer(const struct lesson *lesson, uint64_t query,
                                 const struct api_value *answer)
{
    if (query == CL_PROGRAM_DEVICES) {
        struct program_traits *program = lesson_lock_first(lesson, API_OBJECT_PROGRAM);
        if (program && program->devices.count == 0)
            program->devices = list_devices(answer);
        lesson_unlock(lesson);
    }
    learn_binary_answer(lesson, query, answer);
}

/* ---- events ---- */

static void learn_user_event(const struct lesson *lesson)
{
    const struct event_traits event = {.entry = lesson->call->entry, .user = true};
    lesson_set(lesson, lesson->call->result.bits, API_OBJECT_EVENT, &event);
}

static void learn_user_status(const struct lesson *lesson)
{
    const struct api_value *arguments = lesson->call->arguments;
    const int32_t status = (int32_t)arguments[API_clSetUserEventStatus_execution_status].bits;
    struct event_traits *event = lesson_lock_first(lesson, API_OBJECT_EVENT);
    if (event) {
        event->status_set = true;
        event->failed = status < 0;
    }
    lesson_unlock(lesson);
}

static void learn_event_callback(const struct lesson *lesson)
{
    struct event_traits *event = lesson_lock_first(lesson, API_OBJECT_EVENT);
    if (event) {
        event->callbacks++;
        event->to_be_told |=
            lesson->call->arguments[API_clSetEventCallback_command_exec_callback_type].bits ==
            CL_COMPLETE;
    }
    lesson_unlock(lesson);
}

static void learn_event_status(const struct lesson *lesson, uint64_t query,
                               const struct api_value *answer)
{
    if (query != CL_EVENT_COMMAND_EXECUTION_STATUS || first_word(answer) >= 0)
        return;
    struct event_traits *event = lesson_lock_first(lesson, API_OBJECT_EVENT);
    if (event)
        event->failed = true;
    lesson_unlock(lesson);
}

void learn_command_event(struct host_checker *checker, const struct api_call *call, uint64_t handle)
{
    const bool names_queue = api_entry_get(call->entry)->parameters[0].kind == API_OBJECT_QUEUE;
    struct event_traits event = {.queue = names_queue ? call->arguments[0].bits : 0,
                                 .entry = call->entry};
    struct queue_traits queue;
    event.queue_known = object_get_traits(checker->objects, event.queue, API_OBJECT_QUEUE, &queue);
    event.profiled = (queue.properties & CL_QUEUE_PROFILING_ENABLE) != 0;
    object_set_traits(checker->objects, handle, API_OBJECT_EVENT, &event);
}

static void learn_command(const struct lesson *lesson)
{
    const uint32_t index = api_entry_find_role(lesson->info, API_ROLE_OUT_EVENT);
    if (index == API_PARAMETER_NONE)
        return;
    const struct api_value *out = &lesson->call->arguments[index];
    if (out->present && out->kind == API_VALUE_HANDLES && out->count == 1 && out->data)
        learn_command_event(lesson->checker, lesson->call, list_word(out, 0));
}

/* ---- which call teaches what ---- */

/* Of the traits of objects, but for what learn_extension tells by other marks. */
static lesson_function *const lessons[API_ENTRY_COUNT] = {
    [API_ENTRY_clCreateContext] = learn_context,
    [API_ENTRY_clCreateContextFromType] = learn_context,
    [API_ENTRY_clTerminateContextKHR] = learn_terminated,
    [API_ENTRY_clCreateCommandQueue] = learn_queue,
    [API_ENTRY_clCreateCommandQueueWithProperties] = learn_queue,
    [API_ENTRY_clCreateCommandQueueWithPropertiesKHR] = learn_queue,
    [API_ENTRY_clSetCommandQueueProperty] = learn_queue_property,
    [API_ENTRY_clCreateBuffer] = learn_buffer,
    [API_ENTRY_clCreateBufferWithProperties] = learn_buffer,
    [API_ENTRY_clCreateBufferWithPropertiesINTEL] = learn_buffer,
    [API_ENTRY_clImportMemoryARM] = learn_buffer,
    [API_ENTRY_clCreateSubBuffer] = learn_sub_buffer,
    [API_ENTRY_clCreateImage2D] = learn_image,
    [API_ENTRY_clCreateImage3D] = learn_image,
    [API_ENTRY_clCreateImage] = learn_image,
    [API_ENTRY_clCreateImageWithProperties] = learn_image,
    [API_ENTRY_clCreatePipe] = learn_pipe,
    [API_ENTRY_clEnqueueMapBuffer] = learn_map,
    [API_ENTRY_clEnqueueMapImage] = learn_map,
    [API_ENTRY_clEnqueueUnmapMemObject] = learn_unmap,
    [API_ENTRY_clCreateProgramWithSource] = learn_program,
    [API_ENTRY_clCreateProgramWithBinary] = learn_program,
    [API_ENTRY_clCreateProgramWithIL] = learn_program,
    [API_ENTRY_clCreateProgramWithILKHR] = learn_program,
    [API_ENTRY_clCreateProgramWithBuiltInKernels] = learn_program,
    [API_ENTRY_clLinkProgram] = learn_program,
    [API_ENTRY_clBuildProgram] = learn_build_begun,
    [API_ENTRY_clCompileProgram] = learn_build_begun,
    [API_ENTRY_clCreateKernel] = learn_kernels,
    [API_ENTRY_clCreateKernelsInProgram] = learn_kernels,
    [API_ENTRY_clCloneKernel] = learn_clone,
    [API_ENTRY_clCreateUserEvent] = learn_user_event,
    [API_ENTRY_clSetUserEventStatus] = learn_user_status,
    [API_ENTRY_clSetEventCallback] = learn_event_callback,
    [API_ENTRY_clSVMAlloc] = learn_allocation,
    [API_ENTRY_clHostMemAllocINTEL] = learn_allocation,
    [API_ENTRY_clDeviceMemAllocINTEL] = learn_allocation,
    [API_ENTRY_clSharedMemAllocINTEL] = learn_allocation,
    [API_ENTRY_clEnqueueSVMMap] = learn_svm_map,
    [API_ENTRY_clEnqueueSVMUnmap] = learn_svm_unmap,
    [API_ENTRY_clCreateSemaphoreWithPropertiesKHR] = learn_semaphore,
    [API_ENTRY_clReImportSemaphoreSyncFdKHR] = learn_imported,
    [API_ENTRY_clEnqueueWaitSemaphoresKHR] = learn_semaphores,
    [API_ENTRY_clEnqueueSignalSemaphoresKHR] = learn_semaphores,
    [API_ENTRY_clCreateCommandBufferKHR] = learn_command_buffer,
    [API_ENTRY_clRemapCommandBufferKHR] = learn_remapped,
    [API_ENTRY_clFinalizeCommandBufferKHR] = learn_final,
    [API_ENTRY_clReleaseCommandBufferKHR] = learn_recording,
    [API_ENTRY_clUpdateMutableCommandsKHR] = learn_updated,
};

/* The answers of queries. */
static answer_function *const answers[API_ENTRY_COUNT] = {
    [API_ENTRY_clGetPlatformInfo] = learn_platform_answer,
    [API_ENTRY_clGetDeviceInfo] = learn_device_answer,
    [API_ENTRY_clGetContextInfo] = learn_context_answer,
    [API_ENTRY_clGetProgramInfo] = learn_program_answer,
    [API_ENTRY_clGetProgramBuildInfo] = learn_build_answer,
    [API_ENTRY_clGetKernelInfo] = learn_kernel_answer,
    [API_ENTRY_clGetKernelArgInfo] = learn_kernel_answer,
    [API_ENTRY_clGetKernelWorkGroupInfo] = learn_kernel_answer,
    [API_ENTRY_clGetEventInfo] = learn_event_status,
};

bool teaches_traits(uint32_t entry)
{
    return lessons[entry] != NULL || is_acquisition(api_entry_get(entry));
}

static void learn_answer(const struct lesson *lesson)
{
    /* Every query has param_name, param_value_size, param_value side by side. */
    const struct api_value *answer =
        &lesson->call->arguments[api_entry_find_role(lesson->info, API_ROLE_INFO_VALUE)];
    if (answer->present && answer->kind == API_VALUE_BYTES && answer->data && answer->size != 0)
        answers[lesson->call->entry](lesson, answer[-2].bits, answer);
}

void learn_traits(const struct lesson *lesson)
{
    const uint32_t entry = lesson->call->entry;
    const struct api_entry_info *info = lesson->info;
    if (answers[entry])
        learn_answer(lesson);
    if (lessons[entry])
        lessons[entry](lesson);
    if (info->return_role == API_ROLE_HANDLE)
        learn_imported(lesson);
    if (info->since[0] == 'c') /* "cl_khr_..." */
        learn_extension(lesson);
    if (info->flags & API_ENTRY_ENQUEUES)
        learn_command(lesson);
}
