/* Native kernels are functions of the program's, which no replay has. What one left in its memory
 * objects is written by the host instead, between two barriers: the first waits for what the kernel
 * waited for, the second has its event. */
#include "replay/state.h"
#include "trace/base/alloc.h"
#include "trace/needed.h"

#include <string.h>

static const struct api_entry_info *barrier_info(void)
{
    return api_entry_get(API_ENTRY_clEnqueueBarrierWithWaitList);
}

struct api_call replay_native_begin(const struct api_call *call)
{
    const struct api_value none = {.kind = API_VALUE_POINTER};
    const struct api_value *a = call->arguments;
    struct api_call barrier = *call;
    barrier.entry = API_ENTRY_clEnqueueBarrierWithWaitList;
    barrier.argument_count = barrier_info()->parameter_count;
    barrier.arguments[API_clEnqueueBarrierWithWaitList_num_events_in_wait_list] =
        a[API_clEnqueueNativeKernel_num_events_in_wait_list];
    barrier.arguments[API_clEnqueueBarrierWithWaitList_event_wait_list] =
        a[API_clEnqueueNativeKernel_event_wait_list];
    barrier.arguments[API_clEnqueueBarrierWithWaitList_event] = none;
    return barrier;
}

struct api_call replay_native_end(const struct api_call *call)
{
    struct api_call barrier = *call;
    needed_shape(&barrier, NEEDED_AS_MARKER);
    barrier.entry = API_ENTRY_clEnqueueBarrierWithWaitList;
    return barrier;
}

static enum status write_object(struct replay *replay, const struct api_call *call,
                                const struct api_content *content, struct error *error)
{
    const struct api_value *list = &call->arguments[API_clEnqueueNativeKernel_mem_list];
    const uint64_t index = content->offset / API_ELEMENT_STRIDE;
    const struct replay_object *queue =
        replay_objects_find(replay->objects, call->arguments[0].bits);
    struct replay_object *object =
        list->kind == API_VALUE_HANDLES && list->data && index < list->count
            ? replay_objects_find(replay->objects, replay_element(list, (uint32_t)index))
            : NULL;
    if (!queue || !object)
        return replay_fail(call, STATUS_NOT_FOUND, error,
                           "what it wrote is of no memory object that the replay has");
    cl_event event = NULL;
    struct replay_prepared prepared = {.call = call,
                                       .info = api_entry_get(call->entry),
                                       .memory = alloc(content->size),
                                       .memory_size = content->size,
                                       .read_argument = API_PARAMETER_NONE,
                                       .event = &event,
                                       .event_is_ours = true};
    if (!prepared.memory)
        return error_no_memory(error, content->size);
    memcpy(prepared.memory, content->bytes, content->size);
    object->is_touched = true;
    const cl_int status = CL(replay->target, clEnqueueWriteBuffer)(
        (cl_command_queue)(uintptr_t)queue->new_handle, (cl_mem)(uintptr_t)object->new_handle,
        CL_FALSE, content->offset % API_ELEMENT_STRIDE, content->size, prepared.memory, 0, NULL,
        &event);
    enum status result = status == CL_SUCCESS
                             ? replay_transfer_add(replay, &prepared, NULL, error)
                             : replay_fail(call, STATUS_UNSUPPORTED, error,
                                           "the target does not take what it wrote");
    if (result && prepared.memory)
        alloc_free(prepared.memory);
    return result;
}

enum status replay_native_write(struct replay *replay, const struct api_call *call,
                                struct error *error)
{
    struct arena arena = {0};
    struct api_content *contents = NULL;
    size_t count = 0;
    enum status status = trace_contents(replay->trace, call->id, &arena, &contents, &count, error);
    for (size_t i = 0; i < count && !status; ++i)
        if (contents[i].argument == API_clEnqueueNativeKernel_mem_list)
            status = write_object(replay, call, &contents[i], error);
    arena_release(&arena);
    return status;
}
