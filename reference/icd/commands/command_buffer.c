/* Command-buffers: making, recording in general, executing, queries. */
#include "reference/icd/commands/command_buffer.h"

#include "checkers/order/commands.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/properties.h"
#include "reference/limits/limits.h"
#include "trace/base/alloc.h"

/* ---- making and ending ---- */

static const cl_command_buffer_flags_khr known_flags =
    CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR;

static cl_int read_properties(const cl_command_buffer_properties_khr *given,
                              cl_command_buffer_flags_khr *flags,
                              cl_mutable_dispatch_asserts_khr *asserts)
{
    const struct property known[] = {
        {CL_COMMAND_BUFFER_FLAGS_KHR, flags, NULL},
        {CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, asserts, NULL}};
    *flags = *asserts = 0;
    if (!properties_read(given, known, sizeof(known) / sizeof(known[0])))
        return CL_INVALID_VALUE;
    const cl_command_buffer_flags_khr valid = known_flags | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;
    if ((*flags & ~valid) != 0 ||
        (*asserts & ~CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR) != 0)
        return CL_INVALID_VALUE;
    return (*flags & ~known_flags) != 0 ? CL_INVALID_PROPERTY : CL_SUCCESS;
}

/* Commands of a queue that is out of order are ordered by what is recorded of them. Locked. */
static bool make_order(cl_command_buffer_khr buffer)
{
    if ((buffer->queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0)
        return true;
    buffer->commands = commands_create();
    buffer->order = buffer->commands ? commands_queue_create(buffer->commands, false) : NULL;
    return buffer->order != NULL;
}

static void destroy(void *handle)
{
    cl_command_buffer_khr buffer = handle;
    for (size_t i = 0; i < buffer->count; i++) {
        if (buffer->recorded[i].work.release)
            buffer->recorded[i].work.release(buffer->recorded[i].work.data);
    }
    alloc_free(buffer->recorded);
    if (buffer->last)
        object_drop(buffer->last);
    commands_destroy(buffer->commands);
    property_list_release(&buffer->properties);
    object_drop(buffer->queue);
}

static cl_int create(cl_uint num_queues, const cl_command_queue *queues,
                     const cl_command_buffer_properties_khr *properties,
                     cl_command_buffer_khr *created)
{
    cl_command_buffer_flags_khr flags;
    cl_mutable_dispatch_asserts_khr asserts;
    struct property_list list = {0};
    if (num_queues != 1 || !queues)
        return CL_INVALID_VALUE;
    if (!queue_is_of_host(queues[0]))
        return CL_INVALID_COMMAND_QUEUE;
    if (!limits_keep(KEPT_OPTIONAL))
        return CL_INVALID_OPERATION;
    cl_int result = read_properties(properties, &flags, &asserts);
    if (result == CL_SUCCESS)
        result = property_list_copy(properties, CL_INVALID_VALUE, &list);
    if (result != CL_SUCCESS)
        return result;
    cl_command_buffer_khr buffer = object_create(OBJECT_COMMAND_BUFFER, sizeof(*buffer), destroy);
    if (!buffer) {
        property_list_release(&list);
        return CL_OUT_OF_HOST_MEMORY;
    }
    icd_lock();
    buffer->queue = queues[0];
    object_hold(buffer->queue);
    buffer->properties = list;
    buffer->flags = flags;
    buffer->asserts = asserts;
    const bool complete = make_order(buffer);
    icd_unlock();
    if (complete) {
        *created = buffer;
        return CL_SUCCESS;
    }
    object_release(buffer, OBJECT_COMMAND_BUFFER);
    return CL_OUT_OF_HOST_MEMORY;
}

cl_command_buffer_khr
icd_clCreateCommandBufferKHR(cl_uint num_queues, const cl_command_queue *queues,
                             const cl_command_buffer_properties_khr *properties,
                             cl_int *errcode_ret)
{
    cl_command_buffer_khr buffer = NULL;
    const cl_int result = create(num_queues, queues, properties, &buffer);
    return object_give(buffer, result, errcode_ret);
}

/* ---- states ---- */

/* Locked. */
static cl_command_buffer_state_khr state_of(cl_command_buffer_khr buffer)
{
    if (!buffer->finalized)
        return CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
    for (size_t i = 0; i < buffer->count; i++) {
        if (buffer->recorded[i].type == CL_COMMAND_NDRANGE_KERNEL &&
            !mutable_command_is_complete(buffer->recorded[i].work.data))
            return CL_COMMAND_BUFFER_STATE_FINALIZED_KHR;
    }
    return CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
}

cl_int icd_clFinalizeCommandBufferKHR(cl_command_buffer_khr command_buffer)
{
    cl_int result = CL_INVALID_COMMAND_BUFFER_KHR;
    icd_lock();
    if (object_is(command_buffer, OBJECT_COMMAND_BUFFER)) {
        result = command_buffer->finalized ? CL_INVALID_OPERATION : CL_SUCCESS;
        command_buffer->finalized = true;
    }
    icd_unlock();
    return result;
}

static cl_command_buffer_state_khr ask_state(cl_command_buffer_khr buffer)
{
    icd_lock();
    const cl_command_buffer_state_khr state = state_of(buffer);
    icd_unlock();
    return state;
}

cl_int icd_clGetCommandBufferInfoKHR(cl_command_buffer_khr command_buffer,
                                     cl_command_buffer_info_khr param_name, size_t param_value_size,
                                     void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(command_buffer, OBJECT_COMMAND_BUFFER))
        return CL_INVALID_COMMAND_BUFFER_KHR;
    const struct info_row rows[] = {
        INFO(CL_COMMAND_BUFFER_NUM_QUEUES_KHR, cl_uint, 1),
        INFO(CL_COMMAND_BUFFER_QUEUES_KHR, cl_command_queue, command_buffer->queue),
        INFO(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, cl_uint,
             object_reference_count(command_buffer)),
        INFO(CL_COMMAND_BUFFER_STATE_KHR, cl_command_buffer_state_khr, ask_state(command_buffer)),
        INFO_PROPERTIES(CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, command_buffer->properties),
        INFO(CL_COMMAND_BUFFER_CONTEXT_KHR, cl_context, command_buffer->queue->context),
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}

/* ---- recording ---- */

static cl_int check_points(const struct recording *recording)
{
    if ((recording->sync_count == 0) != (recording->sync_points == NULL))
        return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    for (cl_uint i = 0; i < recording->sync_count; i++) {
        /* The n-th command gives the point n. */
        if (recording->sync_points[i] == 0 || recording->sync_points[i] > recording->buffer->count)
            return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    }
    return CL_SUCCESS;
}

/* Locked. */
static cl_int check(const struct recording *recording, bool launches)
{
    if (!object_is(recording->buffer, OBJECT_COMMAND_BUFFER))
        return CL_INVALID_COMMAND_BUFFER_KHR;
    if (recording->queue) /* cl_khr_command_buffer_multi_device "is not supported" */
        return CL_INVALID_COMMAND_QUEUE;
    if (recording->buffer->finalized)
        return CL_INVALID_OPERATION;
    if (!launches && (recording->handle || (recording->properties && *recording->properties != 0)))
        return CL_INVALID_VALUE;
    return check_points(recording);
}

/* NULL where commands are in order, or memory is out. */
static struct ordered_command *order_command(const struct command_request *request)
{
    const struct recording *recording = request->recording;
    cl_command_buffer_khr buffer = recording->buffer;
    struct ordered_command **events =
        buffer->order ? alloc_zero(recording->sync_count, sizeof(*events)) : NULL;
    if (!events)
        return NULL;
    for (cl_uint i = 0; i < recording->sync_count; i++)
        events[i] = buffer->recorded[recording->sync_points[i] - 1].order;
    const bool bars = request->type == CL_COMMAND_BARRIER;
    struct ordered_command *order = commands_enqueue(
        buffer->commands, &(struct commands_request){.queue = buffer->order,
                                                     .events = events,
                                                     .event_count = recording->sync_count,
                                                     .orders = bars,
                                                     .bars = bars});
    alloc_free(events);
    return order;
}

static cl_int record(const struct command_request *request)
{
    const struct recording *recording = request->recording;
    cl_command_buffer_khr buffer = recording->buffer;
    icd_lock();
    /* Once more: another thread may have finalized it. */
    cl_int result = check(recording, request->type == CL_COMMAND_NDRANGE_KERNEL);
    struct recorded *grown = NULL;
    if (result == CL_SUCCESS) {
        grown = alloc_grow(buffer->recorded, buffer->count, &buffer->capacity, sizeof(*grown));
        if (!grown)
            result = CL_OUT_OF_HOST_MEMORY;
    }
    if (grown) {
        buffer->recorded = grown;
        grown[buffer->count] = (struct recorded){
            .type = request->type, .work = request->work, .order = order_command(request)};
        buffer->count++;
        if (recording->sync_point)
            *recording->sync_point = (cl_sync_point_khr)buffer->count;
    } else if (request->work.release) {
        request->work.release(request->work.data);
    }
    icd_unlock();
    return result;
}

struct command_request recording_request(const struct recording *recording, cl_command_type type)
{
    struct command_request request = {.type = type,
                                      .work.call_id = races_take_call_id(),
                                      .recording = recording,
                                      .record = record};
    icd_lock();
    request.refused = check(recording, type == CL_COMMAND_NDRANGE_KERNEL);
    if (request.refused == CL_SUCCESS)
        request.queue = recording->buffer->queue;
    icd_unlock();
    return request;
}

/* ---- execution ---- */

/* A command-buffer as it was when it was enqueued. */
struct execution {
    cl_command_buffer_khr buffer;    /* held, and all that it has recorded */
    struct ordered_command *pending; /* the execution before it, if that had not ended: held */
    uint64_t pending_call_id;
    struct command_work launches[]; /* what each launch does; others: nothing */
};

static void execution_release(void *data)
{
    struct execution *execution = data;
    for (size_t i = 0; i < execution->buffer->count; i++) {
        const struct command_work *launch = &execution->launches[i];
        if (launch->release)
            launch->release(launch->data);
    }
    races_drop(execution->pending);
    object_drop(execution->buffer);
    alloc_free(execution);
}

static cl_int perform(const struct recorded *recorded, const struct command_work *launch,
                      uint64_t *cost)
{
    const struct command_work *work =
        recorded->type == CL_COMMAND_NDRANGE_KERNEL ? launch : &recorded->work;
    icd_lock();
    races_recorded_begins(recorded, launch->kernel);
    icd_unlock();
    const cl_int result = work->run ? work->run(work->data, cost) : CL_SUCCESS;
    if (work->tell && result == CL_SUCCESS) {
        icd_lock();
        work->tell(work->data);
        icd_unlock();
    }
    return result;
}

/* One after the other, as they were recorded; those after a failure are left out. */
static cl_int execution_run(void *data, uint64_t *cost)
{
    const struct execution *execution = data;
    const struct _cl_command_buffer_khr *buffer = execution->buffer;
    cl_int result = CL_SUCCESS;
    icd_lock();
    races_check_pending(execution->pending, execution->pending_call_id);
    races_buffer_begins(buffer->commands);
    icd_unlock();
    for (size_t i = 0; result == CL_SUCCESS && i < buffer->count; i++)
        result = perform(&buffer->recorded[i], &execution->launches[i], cost);
    icd_lock();
    races_buffer_ends();
    icd_unlock();
    *cost += 1;
    return result;
}

/* Of the queue in the place of the one that it was made for. */
static cl_int check_queue(cl_command_buffer_khr buffer, cl_command_queue queue)
{
    if (!queue_is_of_host(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (queue->context != buffer->queue->context)
        return CL_INVALID_CONTEXT;
    return queue->device == buffer->queue->device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

/* Locked. */
static cl_int check_enqueue(cl_command_buffer_khr buffer, cl_uint num_queues,
                            const cl_command_queue *queues)
{
    if (!object_is(buffer, OBJECT_COMMAND_BUFFER))
        return CL_INVALID_COMMAND_BUFFER_KHR;
    if (state_of(buffer) != CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR)
        return CL_INVALID_OPERATION;
    if ((num_queues == 0) != (queues == NULL) || num_queues > 1)
        return CL_INVALID_VALUE;
    return queues ? check_queue(buffer, queues[0]) : CL_SUCCESS;
}

/* Takes the launches as they are now. Locked. */
static cl_int make_execution(cl_command_buffer_khr buffer, struct execution **made)
{
    struct execution *execution =
        alloc_zero(1, sizeof(*execution) + buffer->count * sizeof(execution->launches[0]));
    cl_int result = execution ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (!execution)
        return result;
    execution->buffer = buffer;
    object_hold(buffer);
    if (buffer->last && buffer->last->status > CL_COMPLETE &&
        (buffer->flags & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR) == 0) {
        execution->pending = command_retain(buffer->last->order);
        execution->pending_call_id = buffer->last_call_id;
    }
    for (size_t i = 0; result == CL_SUCCESS && i < buffer->count; i++) {
        const struct recorded *recorded = &buffer->recorded[i];
        struct command_work *launch = &execution->launches[i];
        launch->call_id = recorded->work.call_id;
        if (recorded->type == CL_COMMAND_NDRANGE_KERNEL)
            result = mutable_command_prepare(recorded->work.data, launch);
    }
    if (result == CL_SUCCESS)
        *made = execution;
    else
        execution_release(execution);
    return result;
}

/* It is the latest execution. Gives the event to the application if it wants that. */
static void remember(cl_command_buffer_khr buffer, cl_event made, uint64_t call_id, cl_event *event)
{
    icd_lock();
    if (buffer->last)
        object_drop(buffer->last);
    buffer->last = made;
    buffer->last_call_id = call_id;
    object_hold(made);
    icd_unlock();
    if (event)
        *event = made;
    else
        object_release(made, OBJECT_EVENT);
}

cl_int icd_clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue *queues,
                                     cl_command_buffer_khr command_buffer,
                                     cl_uint num_events_in_wait_list,
                                     const cl_event *event_wait_list, cl_event *event)
{
    cl_event made = NULL;
    struct command_request request = command_request_of(
        NULL, CL_COMMAND_COMMAND_BUFFER_KHR, num_events_in_wait_list, event_wait_list, &made);
    struct execution *execution = NULL;
    request.work.call_id = races_take_call_id();
    request.work.run = execution_run;
    request.work.release = execution_release;
    icd_lock();
    cl_int result = check_enqueue(command_buffer, num_queues, queues);
    if (result == CL_SUCCESS) {
        request.queue = queues ? queues[0] : command_buffer->queue;
        result = command_check(&request);
    }
    if (result == CL_SUCCESS)
        result = make_execution(command_buffer, &execution);
    for (size_t i = 0; result == CL_SUCCESS && i < command_buffer->count; i++)
        request.work.waits_for_host |= execution->launches[i].waits_for_host;
    icd_unlock();
    request.work.data = execution;
    if (result == CL_SUCCESS)
        result = command_enqueue(&request);
    if (result == CL_SUCCESS)
        remember(command_buffer, made, request.work.call_id, event);
    return result;
}
