#include "checkers/host/known.h"

#include <string.h>

struct known *known_find(const struct host_commands *commands, uint64_t handle,
                         enum api_object_kind kind)
{
    struct known *known;
    HASH_FIND(hh, commands->known, &handle, sizeof handle, known);
    return known && known->kind == kind ? known : NULL;
}

void known_forget(struct host_commands *commands, struct known *known)
{
    if (known->queue)
        commands_queue_destroy(commands->commands, known->queue);
    if (known->owns)
        uses_forget(commands->uses, known->memory.object);
    command_drop(commands->commands, known->event);
    alloc_free((void *)(uintptr_t)known->kernel.arguments);
    HASH_DEL(commands->known, known);
    alloc_free(known);
}

/* NULL when memory is out: nothing can be told any more. */
struct known *known_remember(struct host_commands *commands, uint64_t handle,
                             enum api_object_kind kind)
{
    struct known *known;
    HASH_FIND(hh, commands->known, &handle, sizeof handle, known);
    if (known)
        known_forget(commands, known);
    known = alloc_zero(1, sizeof *known);
    if (known) {
        known->handle = handle;
        known->kind = kind;
        HASH_ADD(hh, commands->known, handle, sizeof known->handle, known);
        if (known->hh.tbl)
            return known;
        alloc_free(known);
    }
    commands->blind = true;
    return NULL;
}

const struct call_memory *known_memory(void *user, uint64_t handle)
{
    const struct known *known = known_find(user, handle, API_OBJECT_MEM);
    return known ? &known->memory : NULL;
}

const struct call_kernel *known_kernel(void *user, uint64_t handle)
{
    const struct known *known = known_find(user, handle, API_OBJECT_KERNEL);
    return known ? &known->kernel : NULL;
}

/* ---- objects ---- */

static uint64_t queue_flags(const struct api_call *call)
{
    const struct api_value *value = &call->arguments[API_clCreateCommandQueue_properties];
    const uint64_t *pairs = value->data;
    if (value->kind != API_VALUE_PROPERTIES)
        return value->bits;
    for (uint32_t i = 0; pairs && i + 1 < value->count; i += 2) {
        if (pairs[i] == CL_QUEUE_PROPERTIES)
            return pairs[i + 1];
    }
    return 0;
}

void known_queue_created(struct host_commands *commands, const struct api_call *call)
{
    const uint64_t flags = queue_flags(call);
    struct known *queue = known_remember(commands, call->result.bits, API_OBJECT_QUEUE);
    if (!queue)
        return;
    const struct known *device = known_find(
        commands, call->arguments[API_clCreateCommandQueue_device].bits, API_OBJECT_DEVICE);
    queue->elsewhere = device != NULL;
    queue->queue = commands_queue_create(commands->commands,
                                         (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0);
    if (!queue->queue)
        commands->blind = true;
}

void known_user_event_created(struct host_commands *commands, const struct api_call *call)
{
    struct known *event = known_remember(commands, call->result.bits, API_OBJECT_EVENT);
    if (event)
        event->event = commands_create_user_event(commands->commands);
}

static void memory_created(struct host_commands *commands, const struct api_call *call,
                           const struct call_memory *memory)
{
    struct known *known = known_remember(commands, call->result.bits, API_OBJECT_MEM);
    if (!known)
        return;
    known->memory = *memory;
    known->owns = memory->object == 0;
    if (known->owns)
        known->memory.object = ++commands->object_count;
}

void known_buffer_created(struct host_commands *commands, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const uint64_t flags = call->arguments[api_entry_find_parameter(info, "flags")].bits;
    memory_created(
        commands, call,
        &(struct call_memory){.size = call->arguments[api_entry_find_parameter(info, "size")].bits,
                              .only_read = (flags & CL_MEM_READ_ONLY) != 0});
}

void known_sub_buffer_created(struct host_commands *commands, const struct api_call *call)
{
    const struct api_value *info = &call->arguments[API_clCreateSubBuffer_buffer_create_info];
    const struct call_memory *parent =
        known_memory(commands, call->arguments[API_clCreateSubBuffer_buffer].bits);
    const uint64_t flags = call->arguments[API_clCreateSubBuffer_flags].bits;
    cl_buffer_region region;
    if (!parent || !info->data || info->size < sizeof region)
        return;
    memcpy(&region, info->data, sizeof region);
    memory_created(
        commands, call,
        &(struct call_memory){.object = parent->object,
                              .first = parent->first + region.origin,
                              .size = region.size,
                              .only_read = parent->only_read || (flags & CL_MEM_READ_ONLY) != 0});
}

/* Images that are made from other objects are left out: where their texels lie nobody tells. */
void known_image_created(struct host_commands *commands, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const uint32_t descriptor = api_entry_find_parameter(info, "image_desc");
    const uint64_t flags = call->arguments[api_entry_find_parameter(info, "flags")].bits;
    cl_image_desc desc = {0};
    if (descriptor != API_PARAMETER_NONE) {
        const struct api_value *value = &call->arguments[descriptor];
        if (!value->data || value->size < sizeof desc)
            return;
        memcpy(&desc, value->data, sizeof desc);
    }
    if (!desc.mem_object)
        memory_created(commands, call,
                       &(struct call_memory){.size = UINT64_C(1) << 62,
                                             .is_image = true,
                                             .only_read = (flags & CL_MEM_READ_ONLY) != 0});
}

/* After its last reference. */
static void released(struct host_commands *commands, const struct api_call *call,
                     enum api_object_kind kind)
{
    const uint64_t handle = call->arguments[0].bits;
    struct known *known = known_find(commands, handle, kind);
    if (known && object_state(commands->checker->objects, handle).standing == OBJECT_DEAD)
        known_forget(commands, known);
}

/* ---- kernels ---- */

/* The argument, whose place is made when it is first told of; NULL when there is none. */
static struct call_argument *get_argument(struct host_commands *commands, uint64_t handle,
                                          uint64_t index)
{
    struct known *known = known_find(commands, handle, API_OBJECT_KERNEL);
    if (!known)
        known = known_remember(commands, handle, API_OBJECT_KERNEL);
    if (!known || index >= CALL_USES_MAX)
        return NULL;
    struct call_kernel *kernel = &known->kernel;
    if (!kernel->arguments) {
        kernel->arguments = alloc_zero(CALL_USES_MAX, sizeof *kernel->arguments);
        kernel->argument_count = kernel->arguments ? CALL_USES_MAX : 0;
    }
    return kernel->arguments ? (struct call_argument *)(uintptr_t)&kernel->arguments[index] : NULL;
}

void known_argument_set(struct host_commands *commands, const struct api_call *call)
{
    const struct api_value *value = &call->arguments[API_clSetKernelArg_arg_value];
    uint64_t mem = 0;
    if (value->data && value->size == sizeof mem)
        memcpy(&mem, value->data, sizeof mem);
    if (mem != 0 && !known_find(commands, mem, API_OBJECT_MEM))
        mem = 0;
    struct call_argument *argument =
        get_argument(commands, call->arguments[API_clSetKernelArg_kernel].bits,
                     call->arguments[API_clSetKernelArg_arg_index].bits);
    if (argument)
        argument->mem = mem;
}

/* What the driver, asked by the layer or by the program, says of an argument. */
void known_argument_described(struct host_commands *commands, const struct api_call *call)
{
    const struct api_value *answer = &call->arguments[API_clGetKernelArgInfo_param_value];
    uint64_t value = 0;
    if (!answer->data || answer->size > sizeof value)
        return;
    memcpy(&value, answer->data, answer->size);
    const uint64_t name = call->arguments[API_clGetKernelArgInfo_param_name].bits;
    const bool only_read =
        (name == CL_KERNEL_ARG_TYPE_QUALIFIER && (value & CL_KERNEL_ARG_TYPE_CONST) != 0) ||
        (name == CL_KERNEL_ARG_ADDRESS_QUALIFIER && value == CL_KERNEL_ARG_ADDRESS_CONSTANT) ||
        (name == CL_KERNEL_ARG_ACCESS_QUALIFIER && value == CL_KERNEL_ARG_ACCESS_READ_ONLY);
    struct call_argument *argument =
        only_read ? get_argument(commands, call->arguments[API_clGetKernelArgInfo_kernel].bits,
                                 call->arguments[API_clGetKernelArgInfo_arg_indx].bits)
                  : NULL;
    if (argument)
        argument->only_read = true;
}

/* Its arguments are those of its source, and it may be asked about anew. */
void known_kernel_cloned(struct host_commands *commands, const struct api_call *call)
{
    const uint64_t source = call->arguments[API_clCloneKernel_source_kernel].bits;
    known_remember(commands, call->result.bits, API_OBJECT_KERNEL);
    for (uint64_t i = 0; i < CALL_USES_MAX; i++) {
        const struct known *from = known_find(commands, source, API_OBJECT_KERNEL);
        struct call_argument *to =
            from && from->kernel.arguments ? get_argument(commands, call->result.bits, i) : NULL;
        if (to)
            *to = from->kernel.arguments[i];
    }
}

void known_queue_released(struct host_commands *commands, const struct api_call *call)
{
    released(commands, call, API_OBJECT_QUEUE);
}

void known_event_released(struct host_commands *commands, const struct api_call *call)
{
    released(commands, call, API_OBJECT_EVENT);
}

void known_memory_released(struct host_commands *commands, const struct api_call *call)
{
    released(commands, call, API_OBJECT_MEM);
}

void known_kernel_released(struct host_commands *commands, const struct api_call *call)
{
    released(commands, call, API_OBJECT_KERNEL);
}

void known_kernel_created(struct host_commands *commands, const struct api_call *call)
{
    known_remember(commands, call->result.bits, API_OBJECT_KERNEL);
}
