/* Recordings that begin later than their program did (trace/needed.h). They have what memory held
 * there as what a launch found, under the number of the last call that is not there as it was. */
#include "replay/state.h"
#include "trace/api/memory_object.h"

/* The context that the object is of; NULL: the target does not say. */
static cl_context context_of(const struct replay *replay, const struct memory_object *object,
                             uint64_t handle)
{
    cl_context context = NULL;
    const struct replay_shared *shared = object->mem ? NULL : replay_shared_find(replay, handle);
    if (shared)
        return (cl_context)(uintptr_t)shared->context;
    if (CL(replay->target, clGetMemObjectInfo)(object->mem, CL_MEM_CONTEXT, sizeof context,
                                               &context, NULL) != CL_SUCCESS)
        return NULL;
    return context;
}

/* A queue of its own for each object: the recording may have none, or not yet. */
static enum status open_queue(const struct replay *replay, const struct api_call *call,
                              const struct memory_object *object, uint64_t handle,
                              cl_command_queue *queue, struct error *error)
{
    cl_int status = CL_INVALID_CONTEXT;
    cl_context context = context_of(replay, object, handle);
    *queue = context ? CL(replay->target, clCreateCommandQueue)(context, replay->target->device, 0,
                                                                &status)
                     : NULL;
    char number[16];
    if (!*queue)
        return replay_fail(call, STATUS_UNSUPPORTED, error,
                           "the target makes no queue for the contents of memory: %s",
                           replay_status_name(status, number));
    return STATUS_OK;
}

static enum status give(const struct replay *replay, const struct api_call *call, uint64_t handle,
                        struct error *error)
{
    struct arena arena = {0};
    struct memory_object object;
    cl_command_queue queue = NULL;
    enum status status = replay_memory_find(replay, call, handle, &object, error);
    if (status == STATUS_OK)
        status = open_queue(replay, call, &object, handle, &queue, error);
    if (status == STATUS_OK)
        status = replay_memory_give(replay, call, queue, handle, &arena, error);
    if (queue)
        CL(replay->target, clReleaseCommandQueue)(queue);
    arena_release(&arena);
    return status;
}

enum status replay_begin(const struct replay *replay, uint64_t begins_after, struct error *error)
{
    const struct api_call call = {.id = begins_after};
    struct arena arena = {0};
    uint64_t *objects;
    size_t count;
    enum status status =
        trace_launch_objects(replay->trace, begins_after, false, &arena, &objects, &count, error);
    if (status == STATUS_OK)
        replay_finish_queues(replay);
    for (size_t i = 0; status == STATUS_OK && i < count; ++i)
        status = give(replay, &call, objects[i], error);
    arena_release(&arena);
    return status;
}

/* An object without bytes (a pipe) is left out, and counted. */
static enum status leave(const struct replay *replay, const struct api_call *call, uint64_t handle,
                         struct error *error)
{
    const struct replay_options *options = replay->options;
    struct arena arena = {0};
    struct replay_left left = {.object = handle};
    struct memory_object object;
    cl_command_queue queue = NULL;
    unsigned char *bytes = NULL;
    if (replay_memory_find(replay, call, handle, &object, NULL) != STATUS_OK) {
        ++replay->result->unread_objects;
        return STATUS_OK;
    }
    enum status status = open_queue(replay, call, &object, handle, &queue, error);
    if (status == STATUS_OK)
        status = replay_memory_read(replay, call, queue, &object, &arena, &bytes, error);
    if (queue)
        CL(replay->target, clReleaseCommandQueue)(queue);
    left.size = object.size;
    left.bytes = bytes;
    if (status == STATUS_OK)
        status = options->left(options->user, &left, error);
    arena_release(&arena);
    return status;
}

enum status replay_leave_memory(const struct replay *replay, struct error *error)
{
    const struct api_call call = {.id = replay->options->last};
    struct replay_object *object = NULL;
    enum status status = STATUS_OK;
    if (replay->open_user_events)
        return error_set(error, STATUS_UNSUPPORTED,
                         "after call %llu commands still wait for a user event: what memory holds "
                         "there is not known",
                         (unsigned long long)call.id);
    while (status == STATUS_OK && (object = replay_objects_next(replay->objects, object)))
        if (object->kind == API_OBJECT_MEM && object->references > 0)
            status = leave(replay, &call, object->old_handle, error);
    for (size_t i = 0; status == STATUS_OK && i < replay->shared_count; ++i)
        if (!replay->shared[i].is_freed)
            status = leave(replay, &call, replay->shared[i].address, error);
    return status;
}
