#include "layer/snapshot.h"

#include "layer/targets.h"
#include "trace/api/memory_object.h"
#include "trace/base/alloc.h"

/* What is alive; memory objects and queues are retained. */
struct snapshot {
    cl_command_queue *queues;
    size_t queue_count;
    struct held {
        struct memory_object object;
        cl_context context;
    } * held;
    size_t held_count;
    bool may_wait; /* a kernel may wait for what the host stores meanwhile */
};

static bool is_memory(const struct live_object *object)
{
    return object->kind == API_OBJECT_MEM || object->kind == API_OBJECT_NONE;
}

static void hold(struct snapshot *snapshot, const struct live_object *object)
{
    if (object->kind == API_OBJECT_QUEUE) {
        cl_command_queue queue = (cl_command_queue)object->handle;
        LAYER_TARGET(clRetainCommandQueue)(queue);
        snapshot->queues[snapshot->queue_count++] = queue;
    } else if (is_memory(object)) {
        struct held *held = &snapshot->held[snapshot->held_count++];
        *held = (struct held){.object = {.svm = (void *)object->handle,
                                         .size = object->size,
                                         .is_unified = live_is_unified(object),
                                         .is_of_host = object->is_shared},
                              .context = (cl_context)object->context};
        snapshot->may_wait |= object->is_atomic;
        if (object->kind == API_OBJECT_MEM) {
            held->object = (struct memory_object){.mem = (cl_mem)object->handle};
            LAYER_TARGET(clRetainMemObject)(held->object.mem);
        }
    }
}

/* With the lock of `live`. */
static bool hold_all(struct snapshot *snapshot, const struct live *live)
{
    size_t count = 0;
    const struct live_object *object = NULL;
    while ((object = live_next(live, object)))
        ++count;
    snapshot->queues = alloc_zero(count, sizeof *snapshot->queues);
    snapshot->held = alloc_zero(count, sizeof *snapshot->held);
    if (!snapshot->queues || !snapshot->held)
        return false;
    while ((object = live_next(live, object)))
        hold(snapshot, object);
    return true;
}

static void let_go(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->queue_count; i++)
        LAYER_TARGET(clReleaseCommandQueue)(snapshot->queues[i]);
    for (size_t i = 0; i < snapshot->held_count; i++)
        if (snapshot->held[i].object.mem)
            LAYER_TARGET(clReleaseMemObject)(snapshot->held[i].object.mem);
    alloc_free(snapshot->queues);
    alloc_free(snapshot->held);
}

/* A queue of clerk's own: the program may have none of this context. */
static cl_command_queue make_queue(cl_context context)
{
    cl_device_id devices[64];
    size_t size = 0;
    cl_int status;
    if (!context ||
        LAYER_TARGET(clGetContextInfo)(context, CL_CONTEXT_DEVICES, sizeof devices, devices,
                                       &size) != CL_SUCCESS ||
        size < sizeof *devices)
        return NULL;
    return LAYER_TARGET(clCreateCommandQueue)(context, devices[0], 0, &status);
}

/* False when the driver does not give its bytes; an object without any is passed over. */
static bool save(const struct held *held, struct spool *spool, uint64_t call_id)
{
    struct memory_object object = held->object;
    cl_context context = held->context;
    if (object.mem && (!memory_object_describe(layer_targets, object.mem, &object) ||
                       LAYER_TARGET(clGetMemObjectInfo)(object.mem, CL_MEM_CONTEXT, sizeof context,
                                                        &context, NULL) != CL_SUCCESS))
        return true;
    cl_command_queue queue = make_queue(context);
    void *bytes = alloc(object.size);
    const bool given =
        queue && bytes && memory_object_read(layer_targets, queue, &object, bytes) == CL_SUCCESS;
    if (given)
        spool_content(spool, call_id,
                      &(struct api_content){.object = object.mem ? (uint64_t)object.mem
                                                                 : (uint64_t)object.svm,
                                            .size = object.size,
                                            .bytes = bytes});
    alloc_free(bytes);
    if (queue)
        LAYER_TARGET(clReleaseCommandQueue)(queue);
    return given;
}

/* The call of clerk's own that it is recorded as. */
static void record_call(const struct snapshot *snapshot, struct spool *spool, uint64_t call_id,
                        uint32_t thread)
{
    struct api_call call = {.id = call_id,
                            .thread = thread,
                            .entry = API_ENTRY_clFinish,
                            .flags = API_CALL_COMPLETED | API_CALL_SYNTHETIC,
                            .argument_count = API_clFinish_parameter_count};
    call.begin_ns = call.end_ns = spool_now_ns(spool);
    call.arguments[API_clFinish_command_queue] =
        (struct api_value){.kind = API_VALUE_HANDLE,
                           .present = true,
                           .bits = snapshot->queue_count ? (uint64_t)snapshot->queues[0] : 0};
    call.result = (struct api_value){.kind = API_VALUE_SCALAR, .present = true};
    spool_call_end(spool, &call);
}

static void finish_all(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->queue_count; i++)
        LAYER_TARGET(clFinish)(snapshot->queues[i]);
}

static const char *save_all(const struct snapshot *snapshot, struct spool *spool, uint64_t call_id)
{
    for (size_t i = 0; i < snapshot->held_count; i++)
        if (!save(&snapshot->held[i], spool, call_id))
            return "the driver did not give the bytes of a memory object";
    return NULL;
}

const char *snapshot_take(struct live *live, struct spool *spool, uint64_t call_id, uint32_t thread,
                          atomic_bool *runs_own)
{
    struct snapshot snapshot = {0};
    const char *hindrance = NULL;
    live_lock(live);
    if (!hold_all(&snapshot, live))
        hindrance = "memory ran out";
    live_unlock(live);
    if (!hindrance && snapshot.may_wait)
        hindrance = "the program has shared memory with atomics, for which a kernel may wait";
    record_call(&snapshot, spool, call_id, thread);
    if (!hindrance) {
        finish_all(&snapshot);
        atomic_store(runs_own, true);
        hindrance = save_all(&snapshot, spool, call_id);
        atomic_store(runs_own, false);
    }
    let_go(&snapshot);
    return hindrance;
}

bool snapshot_kernel_name(struct live *live, uint64_t kernel, char *name, size_t size)
{
    live_lock(live);
    const struct live_object *object = live_find(live, kernel);
    const bool is_kernel = object && object->kind == API_OBJECT_KERNEL;
    live_unlock(live);
    return is_kernel && LAYER_TARGET(clGetKernelInfo)((cl_kernel)kernel, CL_KERNEL_FUNCTION_NAME,
                                                      size, name, NULL) == CL_SUCCESS;
}
