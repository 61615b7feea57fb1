/* From a recorded call to the arguments of the call to perform: one 64-bit word for each parameter,
 * made according to the parameter's role. */
#include "replay/compare.h"
#include "replay/memory.h"
#include "replay/types.h"
#include "trace/api/property.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/size.h"

#include <string.h>

static enum status out_of_memory(const struct api_call *call, uint64_t size, struct error *error)
{
    return replay_fail(call, STATUS_NO_MEMORY, error, "out of memory (asked for %llu bytes)",
                       (unsigned long long)size);
}

/* As the call says. */
static uint64_t element_count(const struct replay_prepared *prepared,
                              const struct api_parameter *parameter)
{
    return parameter->count_index == API_PARAMETER_NONE
               ? parameter->fixed_count
               : prepared->call->arguments[parameter->count_index].bits;
}

/* May the call write memory that it is given, or let others do so? */
static bool touches_memory(uint32_t entry)
{
    return entry != API_ENTRY_clEnqueueMapBuffer && entry != API_ENTRY_clEnqueueMapImage &&
           entry != API_ENTRY_clEnqueueSVMMap && entry != API_ENTRY_clRetainMemObject;
}

/* The target's handle for the recording's; platforms and devices all stand for the target's one. */
static enum status map_handle(const struct replay *replay, const struct api_call *call,
                              const struct api_parameter *parameter, uint64_t handle,
                              uint64_t *word, struct error *error)
{
    if (handle == 0) {
        *word = 0;
    } else if (parameter->kind == API_OBJECT_PLATFORM) {
        *word = (uintptr_t)replay->target->platform;
    } else if (parameter->kind == API_OBJECT_DEVICE) {
        *word = (uintptr_t)replay->target->device;
    } else {
        struct replay_object *object = replay_objects_find(replay->objects, handle);
        if (!object || !object->new_handle)
            return replay_fail(call, STATUS_NOT_FOUND, error,
                               "'%s' names a %s that the recording did not create", parameter->name,
                               api_object_kind_name(parameter->kind));
        const bool is_kept = object->kind == API_OBJECT_CONTEXT ||
                             object->kind == API_OBJECT_QUEUE || object->kind == API_OBJECT_PROGRAM;
        if (object->references <= 0 && (!is_kept || parameter->flags & API_PARAMETER_RELEASED))
            return replay_fail(call, STATUS_INVALID, error, "'%s' names a %s that was released",
                               parameter->name, api_object_kind_name(parameter->kind));
        object->is_touched |= touches_memory(call->entry);
        *word = object->new_handle;
    }
    return STATUS_OK;
}

/* An address of the recording's that is one of a mapped region, or in shared virtual memory. */
static bool find_address(const struct replay *replay, const struct api_call *call, uint64_t address,
                         uint64_t *here)
{
    for (size_t i = replay->map_count; i-- > 0;) {
        if (replay->maps[i].address == address) {
            *here = (uintptr_t)replay->maps[i].pointer;
            return true;
        }
    }
    struct replay_shared *shared = replay_shared_find(replay, address);
    if (shared) {
        shared->is_touched |= touches_memory(call->entry);
        *here = (uintptr_t)replay_shared_here(shared, address);
    }
    return shared != NULL;
}

static enum status unknown_address(const struct replay_prepared *prepared, const char *name,
                                   struct error *error)
{
    return replay_fail(prepared->call, STATUS_NOT_FOUND, error,
                       "'%s' is an address that nothing in the recording returned", name);
}

static enum status map_list_address(const struct replay *replay, struct replay_prepared *prepared,
                                    const struct api_parameter *parameter, uint64_t address,
                                    uint64_t *here, struct error *error)
{
    *here = 0;
    return address && !find_address(replay, prepared->call, address, here)
               ? unknown_address(prepared, parameter->name, error)
               : STATUS_OK;
}

static enum status map_list_handle(const struct replay *replay, struct replay_prepared *prepared,
                                   const struct api_parameter *parameter, uint64_t handle,
                                   uint64_t *here, struct error *error)
{
    return map_handle(replay, prepared->call, parameter, handle, here, error);
}

enum status replay_list(const struct replay *replay, struct replay_prepared *prepared,
                        const struct api_parameter *parameter, const struct api_value *value,
                        replay_list_item *item, uint64_t *word, struct error *error)
{
    const uint32_t size = parameter->element_size;
    unsigned char *list = arena_alloc(prepared->arena, value->count + (size_t)1, size);
    if (!list)
        return out_of_memory(prepared->call, value->count * (uint64_t)size, error);
    for (uint32_t i = 0; i < value->count; ++i) {
        uint64_t element = replay_element(value, i);
        const enum status status =
            item ? item(replay, prepared, parameter, element, &element, error) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
        memcpy(list + (size_t)i * size, &element, size);
    }
    *word = (uintptr_t)list;
    return STATUS_OK;
}

static enum status map_strings(struct replay_prepared *prepared, const struct api_value *value,
                               uint64_t *word, struct error *error)
{
    const char **strings = arena_alloc(prepared->arena, value->count + 1, sizeof *strings);
    const unsigned char *bytes = value->data;
    uint64_t left = value->size;
    for (uint32_t i = 0; strings && i < value->count; ++i) {
        uint64_t length;
        if (left < sizeof length)
            return replay_fail(prepared->call, STATUS_MALFORMED, error, "string %u is cut short",
                               i);
        memcpy(&length, bytes, sizeof length);
        bytes += sizeof length;
        left -= sizeof length;
        if (length > left)
            return replay_fail(prepared->call, STATUS_MALFORMED, error, "string %u is cut short",
                               i);
        strings[i] = arena_string_n(prepared->arena, (const char *)bytes, length);
        if (!strings[i])
            return out_of_memory(prepared->call, length, error);
        bytes += length;
        left -= length;
    }
    if (!strings)
        return out_of_memory(prepared->call, value->count * sizeof *strings, error);
    *word = (uintptr_t)strings;
    return STATUS_OK;
}

/* What a property says of who else has the object; NULL = nobody. */
static const char *foreign_property(enum api_family family, uint64_t name)
{
    if (family == API_FAMILY_MEM_PROPERTIES)
        return name == CL_MEM_DEVICE_HANDLE_LIST_KHR
                   ? NULL
                   : "memory that was imported, or has an address on the device,";
    return name == CL_SEMAPHORE_TYPE_KHR || name == CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
               ? NULL
               : "a semaphore that others have, too,";
}

/* Properties of memory objects and semaphores: the device that they name is the target's one. */
static enum status map_object_properties(const struct replay *replay,
                                         struct replay_prepared *prepared,
                                         const struct api_parameter *parameter,
                                         const struct api_value *value, uint64_t *word,
                                         struct error *error)
{
    const enum api_family family = (enum api_family)parameter->family;
    uint64_t *list = arena_alloc(prepared->arena, 2 * (size_t)value->count + 1, sizeof *list);
    struct api_property property;
    size_t made = 0;
    if (!list)
        return out_of_memory(prepared->call, value->count * sizeof *list, error);
    for (uint32_t at = 0; api_property_next(value, family, &at, &property);) {
        const char *foreign = foreign_property(family, property.name);
        if (foreign)
            return error_set(error, STATUS_UNSUPPORTED,
                             "call %llu, %s, has properties: %s is not there to replay",
                             (unsigned long long)prepared->call->id, prepared->info->name, foreign);
        const bool is_list = api_property_is_list(family, property.name);
        list[made++] = property.name;
        list[made++] =
            is_list ? (uintptr_t)replay->target->device : api_property_word(&property, 0);
        made += is_list; /* and its zero */
    }
    *word = (uintptr_t)list;
    return STATUS_OK;
}

/* Properties that name a platform name the target's; the rest is passed as it is. */
static enum status map_properties(const struct replay *replay, struct replay_prepared *prepared,
                                  const struct api_parameter *parameter,
                                  const struct api_value *value, uint64_t *word,
                                  struct error *error)
{
    if (parameter->family == API_FAMILY_MEM_PROPERTIES ||
        parameter->family == API_FAMILY_SEMAPHORE_PROPERTIES)
        return map_object_properties(replay, prepared, parameter, value, word, error);
    const enum status status = replay_list(replay, prepared, parameter, value, NULL, word, error);
    if (status != STATUS_OK || parameter->family != API_FAMILY_CONTEXT_PROPERTIES)
        return status;
    cl_context_properties *properties = (cl_context_properties *)(uintptr_t)*word;
    for (uint32_t i = 0; i + 1 < value->count && properties[i]; i += 2) {
        if (properties[i] == CL_CONTEXT_PLATFORM)
            properties[i + 1] = (cl_context_properties)replay->target->platform;
    }
    return STATUS_OK;
}

/* The value of a kernel's argument as a word, if it is one. */
static uint64_t value_word(const struct replay_argument *argument)
{
    uint64_t word = 0;
    if (argument->size == sizeof word)
        memcpy(&word, argument->value, sizeof word);
    return word;
}

/* The handle that it is, or 0. */
static uint64_t value_handle(const struct replay *replay, const struct replay_argument *argument)
{
    const struct replay_object *object = replay_objects_find(replay->objects, value_word(argument));
    const bool can_be_passed =
        object && (object->kind == API_OBJECT_MEM || object->kind == API_OBJECT_SAMPLER ||
                   object->kind == API_OBJECT_QUEUE);
    return can_be_passed ? object->old_handle : 0;
}

static enum argument_nature recorded_nature(const struct replay *replay,
                                            const struct replay_argument *argument)
{
    const struct replay_object *kernel =
        replay_objects_find(replay->objects, argument->recorded_kernel);
    return kernel && argument->index < kernel->nature_count
               ? (enum argument_nature)kernel->natures[argument->index]
               : ARGUMENT_UNKNOWN;
}

static enum argument_nature argument_nature(const struct replay *replay,
                                            const struct replay_argument *argument)
{
    cl_kernel kernel = argument->kernel;
    const cl_uint index = argument->index;
    cl_kernel_arg_address_qualifier qualifier;
    char type[128] = "";
    if (CL(replay->target, clGetKernelArgInfo)(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                               sizeof qualifier, &qualifier, NULL) != CL_SUCCESS ||
        CL(replay->target, clGetKernelArgInfo)(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type,
                                               type, NULL) != CL_SUCCESS)
        return recorded_nature(replay, argument);
    return replay_argument_nature(qualifier, type);
}

/* Remembers what the kernel can reach by this argument. */
static enum status note_reached(const struct replay *replay, const struct replay_prepared *prepared,
                                uint64_t index, uint64_t reached, struct error *error)
{
    struct replay_object *kernel =
        replay_objects_find(replay->objects, prepared->call->arguments[0].bits);
    return !kernel || replay_object_reach(kernel, index, reached)
               ? STATUS_OK
               : out_of_memory(prepared->call, index * sizeof reached, error);
}

enum status replay_argument_here(const struct replay *replay, const struct api_call *call,
                                 const struct replay_argument *argument, uint64_t *reached,
                                 struct error *error)
{
    const uint64_t handle = value_handle(replay, argument);
    *reached = 0;
    /* A driver may follow what is certainly a handle, and of nothing in the recording. */
    if (!handle && value_word(argument) && argument_nature(replay, argument) == ARGUMENT_OBJECT)
        return replay_fail(call, STATUS_NOT_FOUND, error,
                           "argument %u names an object that the recording did not create",
                           argument->index);
    replay_shared_point_here(replay, argument->value, argument->size, 0);
    if (!handle || argument_nature(replay, argument) == ARGUMENT_VALUE)
        return STATUS_OK;
    struct replay_object *object = replay_objects_find(replay->objects, handle);
    memcpy(argument->value, &object->new_handle, sizeof object->new_handle);
    object->is_touched = true;
    if (!object->image.pixel_size)
        replay_types_note(replay, argument, object->type);
    *reached = object->kind == API_OBJECT_MEM ? handle : 0;
    return STATUS_OK;
}

static enum status map_kernel_argument(const struct replay *replay,
                                       struct replay_prepared *prepared, uint64_t *word,
                                       struct error *error)
{
    const struct api_value *value = &prepared->call->arguments[API_clSetKernelArg_arg_value];
    const struct replay_argument argument = {
        .kernel = (cl_kernel)(uintptr_t)prepared->words[API_clSetKernelArg_kernel],
        .recorded_kernel = prepared->call->arguments[API_clSetKernelArg_kernel].bits,
        .call_id = prepared->call->id,
        .index = (cl_uint)prepared->call->arguments[API_clSetKernelArg_arg_index].bits,
        .value = arena_copy(prepared->arena, value->data, value->size),
        .size = value->size};
    uint64_t reached;
    if (!argument.value)
        return out_of_memory(prepared->call, value->size, error);
    *word = (uintptr_t)argument.value;
    const enum status status =
        replay_argument_here(replay, prepared->call, &argument, &reached, error);
    return status == STATUS_OK ? note_reached(replay, prepared, argument.index, reached, error)
                               : status;
}

static enum status map_bytes(const struct replay *replay, struct replay_prepared *prepared,
                             const struct api_parameter *parameter, const struct api_value *value,
                             uint64_t *word, struct error *error)
{
    if (prepared->call->entry == API_ENTRY_clSetKernelArg)
        return map_kernel_argument(replay, prepared, word, error);
    const uint64_t needed = parameter->count_index == API_PARAMETER_NONE
                                ? (uint64_t)parameter->fixed_count * parameter->element_size
                                : 0;
    /* A depth image is filled with one float. */
    const uint64_t least = parameter->family == API_FAMILY_FILL_COLOUR ? sizeof(cl_float) : needed;
    if (value->size < least)
        return replay_fail(prepared->call, STATUS_MALFORMED, error, "'%s' has %llu bytes, not %llu",
                           parameter->name, (unsigned long long)value->size,
                           (unsigned long long)least);
    const uint64_t size = value->size > needed ? value->size : needed;
    unsigned char *copy = arena_alloc(prepared->arena, 1, size);
    if (!copy)
        return out_of_memory(prepared->call, size, error);
    memcpy(copy, value->data, value->size);
    replay_shared_point_here(replay, copy, value->size, 0);
    if (parameter->family == API_FAMILY_IMAGE_DESC) {
        cl_image_desc desc;
        memcpy(&desc, copy, sizeof desc);
        if (desc.mem_object) {
            const struct replay_object *object =
                replay_objects_find(replay->objects, (uintptr_t)desc.mem_object);
            if (!object)
                return replay_fail(prepared->call, STATUS_NOT_FOUND, error,
                                   "'image_desc.mem_object' was not created in the recording");
            desc.mem_object = (cl_mem)(uintptr_t)object->new_handle;
            memcpy(copy, &desc, sizeof desc);
        }
    }
    *word = (uintptr_t)copy;
    return STATUS_OK;
}

/* Copies the recorded bytes of one argument into `memory`; *complete says whether any were
 * recorded. */
static enum status fill_memory(struct replay *replay, struct replay_prepared *prepared,
                               uint32_t argument, unsigned char *memory, uint64_t size, bool *any,
                               struct error *error)
{
    struct api_content *contents = NULL;
    size_t count = 0;
    const enum status status = trace_contents(replay->trace, prepared->call->id, prepared->arena,
                                              &contents, &count, error);
    if (status != STATUS_OK)
        return status;
    *any = false;
    for (size_t i = 0; i < count; ++i) {
        if (contents[i].argument != argument)
            continue;
        if (!range_within(contents[i].offset, contents[i].size, size))
            return replay_fail(prepared->call, STATUS_MALFORMED, error,
                               "the recorded bytes lie outside the call's memory");
        memcpy(memory + contents[i].offset, contents[i].bytes, contents[i].size);
        *any = true;
    }
    replay_shared_point_here(replay, memory, size, prepared->call->arguments[argument].bits);
    return STATUS_OK;
}

/* Of memory that is only copied the recording has the bytes. */
static bool shares_host_pointer(const struct replay_prepared *prepared)
{
    const uint32_t flags = api_entry_find_parameter(prepared->info, "flags");
    return prepared->call->arguments[flags].bits & CL_MEM_USE_HOST_PTR;
}

static enum status map_memory(struct replay *replay, struct replay_prepared *prepared,
                              uint32_t index, uint64_t *word, struct error *error)
{
    const struct api_parameter *parameter = &prepared->info->parameters[index];
    const struct replay_object *object =
        replay_objects_find(replay->objects, prepared->object_handle);
    uint64_t size;
    if (!replay_memory_size(prepared->call, object, &size))
        return replay_fail(prepared->call, STATUS_UNSUPPORTED, error,
                           "the size of '%s' cannot be told from the call", parameter->name);
    const bool is_host_pointer = parameter->role == API_ROLE_HOST_MEMORY;
    const bool is_read = parameter->role == API_ROLE_OUT_MEMORY;
    const uint64_t address = prepared->call->arguments[index].bits;
    const struct replay_shared *shared = replay_shared_find(replay, address);
    if (shared &&
        ((is_host_pointer && shares_host_pointer(prepared)) || (is_read && shared->is_of_host))) {
        *word = (uintptr_t)replay_shared_here(shared, address);
        prepared->shared = is_read ? (void *)(uintptr_t)*word : NULL;
        prepared->memory_size = size;
        return STATUS_OK;
    }
    unsigned char *memory =
        is_host_pointer ? arena_alloc(&replay->host_memory, size, 1) : alloc_zero(1, size);
    if (!memory)
        return out_of_memory(prepared->call, size, error);
    if (!is_host_pointer) {
        prepared->memory = memory;
        prepared->memory_size = size;
    }
    *word = (uintptr_t)memory;
    if (is_read)
        return STATUS_OK;
    bool any;
    const enum status status = fill_memory(replay, prepared, index, memory, size, &any, error);
    if (status == STATUS_OK && !any && size && (prepared->call->flags & API_CALL_COMPLETED))
        return replay_fail(prepared->call, STATUS_UNSUPPORTED, error,
                           "the trace has no bytes for '%s' (recorded with --contents none?)",
                           parameter->name);
    return status;
}

/* A side of clEnqueueSVMMemcpy that is not shared memory; both have room, as both may be such. */
static enum status map_copied(struct replay *replay, struct replay_prepared *prepared,
                              uint32_t index, uint64_t *word, struct error *error)
{
    const uint64_t size = prepared->call->arguments[API_clEnqueueSVMMemcpy_size].bits;
    const bool is_read = index == API_clEnqueueSVMMemcpy_dst_ptr;
    uint64_t both;
    bool any;
    if (!prepared->memory && size_mul(size, 2, &both))
        prepared->memory = alloc_zero(1, both);
    if (!prepared->memory)
        return out_of_memory(prepared->call, size, error);
    unsigned char *memory = (unsigned char *)prepared->memory + (is_read ? 0 : size);
    prepared->memory_size = size;
    *word = (uintptr_t)memory;
    if (!is_read)
        return fill_memory(replay, prepared, index, memory, size, &any, error);
    prepared->read_argument = index;
    return STATUS_OK;
}

/* An address becomes the argument of a kernel. */
static enum status note_address(struct replay *replay, const struct replay_prepared *prepared,
                                uint64_t address, struct error *error)
{
    const struct api_value *arguments = prepared->call->arguments;
    const uint64_t index = arguments[API_clSetKernelArgSVMPointer_arg_index].bits;
    const struct replay_argument argument = {
        .kernel = (cl_kernel)(uintptr_t)prepared->words[API_clSetKernelArgSVMPointer_kernel],
        .recorded_kernel = arguments[API_clSetKernelArgSVMPointer_kernel].bits,
        .call_id = prepared->call->id,
        .index = (cl_uint)index};
    struct replay_shared *shared = replay_shared_find(replay, address);
    if (shared)
        replay_types_note(replay, &argument, shared->type);
    return note_reached(replay, prepared, index, address, error);
}

static enum status map_address(struct replay *replay, struct replay_prepared *prepared,
                               uint32_t index, uint64_t *word, struct error *error)
{
    const uint32_t entry = prepared->entry;
    const uint64_t address = prepared->call->arguments[index].bits;
    if (find_address(replay, prepared->call, address, word))
        return entry == API_ENTRY_clSetKernelArgSVMPointer ||
                       entry == API_ENTRY_clSetKernelArgMemPointerINTEL
                   ? note_address(replay, prepared, address, error)
                   : STATUS_OK;
    if (entry == API_ENTRY_clEnqueueSVMMemcpy || entry == API_ENTRY_clEnqueueMemcpyINTEL)
        return map_copied(replay, prepared, index, word, error);
    return unknown_address(prepared, prepared->info->parameters[index].name, error);
}

/* In place of the options of a call that compiles a program. */
static enum status map_options(struct replay *replay, struct replay_prepared *prepared,
                               struct error *error)
{
    const uint32_t entry = prepared->call->entry;
    const uint32_t index = api_entry_find_parameter(prepared->info, "options");
    if (entry != API_ENTRY_clBuildProgram && entry != API_ENTRY_clCompileProgram)
        return STATUS_OK;
    return replay_headers(replay, prepared, &prepared->call->arguments[index],
                          &prepared->words[index], error);
}

/* Room for what the call writes. */
static enum status make_output(struct replay_prepared *prepared,
                               const struct api_parameter *parameter, uint64_t *word,
                               struct error *error)
{
    const uint64_t count = element_count(prepared, parameter);
    void *room = NULL;
    if (count <= UINT32_MAX)
        room = arena_alloc(prepared->arena, count + 1, parameter->element_size);
    if (!room)
        return out_of_memory(prepared->call, count * parameter->element_size, error);
    *word = (uintptr_t)room;
    if (parameter->role == API_ROLE_OUT_EVENT)
        prepared->event = room;
    if (parameter->role == API_ROLE_OUT_STATUS)
        prepared->status = room;
    return STATUS_OK;
}

/* Without a callback of the program's the driver frees the memory; with one the callback does, by
 * calls that the recording has. */
static void CL_CALLBACK free_nothing(cl_command_queue queue, cl_uint count, void **pointers,
                                     void *user)
{
    (void)queue, (void)count, (void)pointers, (void)user;
}

static enum status make_word(struct replay *replay, struct replay_prepared *prepared,
                             uint32_t index, struct error *error)
{
    ASSERT(index < prepared->info->parameter_count && index < prepared->call->argument_count);
    const struct api_parameter *parameter = &prepared->info->parameters[index];
    const struct api_value *value = &prepared->call->arguments[index];
    uint64_t *word = &prepared->words[index];
    *word = 0;
    switch ((enum api_role)parameter->role) {
    case API_ROLE_SCALAR:
    case API_ROLE_ENUM:
    case API_ROLE_FLAGS:
    case API_ROLE_BLOCKING:
        *word = value->bits;
        return STATUS_OK;
    case API_ROLE_HANDLE:
        return map_handle(replay, prepared->call, parameter, value->bits, word, error);
    case API_ROLE_OUT_EVENT:
        prepared->event_is_ours = !value->present;
        return make_output(prepared, parameter, word, error);
    case API_ROLE_OUT_STATUS:
        return make_output(prepared, parameter, word, error);
    default:
        break;
    }
    if (!value->present)
        return STATUS_OK;
    switch ((enum api_role)parameter->role) {
    case API_ROLE_HANDLES:
    case API_ROLE_WAIT_LIST:
        return replay_list(replay, prepared, parameter, value, map_list_handle, word, error);
    case API_ROLE_SIZES:
        return replay_list(replay, prepared, parameter, value, NULL, word, error);
    case API_ROLE_ADDRESSES:
        return replay_list(replay, prepared, parameter, value, map_list_address, word, error);
    case API_ROLE_PROPERTIES:
        return map_properties(replay, prepared, parameter, value, word, error);
    case API_ROLE_SYNC_POINTS:
        return replay_list(replay, prepared, parameter, value, replay_sync_point_here, word, error);
    case API_ROLE_CONFIGS:
        return replay_configs(replay, prepared, value, word, error);
    case API_ROLE_STRING:
        *word = (uintptr_t)arena_string_n(prepared->arena, value->data, value->size);
        return *word ? STATUS_OK : out_of_memory(prepared->call, value->size, error);
    case API_ROLE_STRINGS:
    case API_ROLE_BINARIES:
        /* Else they could not be read when the call was recorded, and it failed. */
        return value->kind == API_VALUE_STRINGS ? map_strings(prepared, value, word, error)
                                                : STATUS_OK;
    case API_ROLE_IN_BYTES:
        return map_bytes(replay, prepared, parameter, value, word, error);
    case API_ROLE_IN_MEMORY:
    case API_ROLE_OUT_MEMORY:
    case API_ROLE_HOST_MEMORY:
        return map_memory(replay, prepared, index, word, error);
    case API_ROLE_ADDRESS:
        return map_address(replay, prepared, index, word, error);
    case API_ROLE_CALLBACK:
        if (prepared->entry == API_ENTRY_clEnqueueSVMFree)
            *word = (uintptr_t)free_nothing;
        return STATUS_OK;
    case API_ROLE_OUT_HANDLES:
    case API_ROLE_OUT_SCALAR:
    case API_ROLE_OUT_SCALARS:
    case API_ROLE_OUT_BYTES:
        return make_output(prepared, parameter, word, error);
    default:
        return STATUS_OK; /* a callback's data: NULL */
    }
}

/* Several of the recording's devices may have become one: a list names it once. */
static void merge_devices(struct replay_prepared *prepared)
{
    for (uint32_t i = 0; i < prepared->info->parameter_count; ++i) {
        const struct api_parameter *parameter = &prepared->info->parameters[i];
        if (parameter->role == API_ROLE_HANDLES && parameter->kind == API_OBJECT_DEVICE &&
            parameter->count_index != API_PARAMETER_NONE &&
            prepared->words[parameter->count_index] > 1 && prepared->words[i])
            prepared->words[parameter->count_index] = 1;
    }
}

/* A call whose count and list disagree reached the driver as it was; here the list would be read
 * beyond its end. */
static enum status check_counts(const struct replay_prepared *prepared, struct error *error)
{
    static const bool is_list[API_ROLE_COUNT] = {
        [API_ROLE_HANDLES] = true,     [API_ROLE_WAIT_LIST] = true, [API_ROLE_SIZES] = true,
        [API_ROLE_SYNC_POINTS] = true, [API_ROLE_CONFIGS] = true,   [API_ROLE_ADDRESSES] = true,
        [API_ROLE_STRINGS] = true,     [API_ROLE_BINARIES] = true,
    };
    for (uint32_t i = 0; i < prepared->info->parameter_count; ++i) {
        const struct api_parameter *parameter = &prepared->info->parameters[i];
        const struct api_value *value = &prepared->call->arguments[i];
        /* map_bytes looks at those that have no count. */
        const bool is_counted =
            parameter->role == API_ROLE_IN_BYTES && parameter->count_index != API_PARAMETER_NONE;
        const uint64_t have = is_counted ? value->size : value->count;
        const uint64_t needed = element_count(prepared, parameter);
        if ((is_counted || is_list[parameter->role]) && value->present && have < needed)
            return replay_fail(prepared->call, STATUS_MALFORMED, error,
                               "'%s' has %llu elements in the trace, the call says %llu",
                               parameter->name, (unsigned long long)have,
                               (unsigned long long)needed);
    }
    return STATUS_OK;
}

enum status replay_prepare(struct replay *replay, const struct api_call *call, struct arena *arena,
                           struct replay_prepared *prepared, struct error *error)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    *prepared =
        (struct replay_prepared){.call = call,
                                 .info = info,
                                 .arena = arena,
                                 .entry = call->entry,
                                 .read_argument = api_entry_find_role(info, API_ROLE_OUT_MEMORY)};
    if (call->argument_count < info->parameter_count)
        return replay_fail(call, STATUS_MALFORMED, error, "it has %u arguments, not %u",
                           call->argument_count, info->parameter_count);
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        if (info->parameters[i].role == API_ROLE_HANDLE &&
            info->parameters[i].kind == API_OBJECT_MEM)
            prepared->object_handle = call->arguments[i].bits;
    }
    enum status status = check_counts(prepared, error);
    for (uint32_t i = 0; status == STATUS_OK && i < info->parameter_count; ++i)
        status = make_word(replay, prepared, i, error);
    if (status == STATUS_OK)
        status = map_options(replay, prepared, error);
    if (status != STATUS_OK) {
        alloc_free(prepared->memory);
        prepared->memory = NULL;
        return status;
    }
    merge_devices(prepared);
    return STATUS_OK;
}
