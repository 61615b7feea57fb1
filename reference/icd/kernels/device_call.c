/* What kernels ask of the queues of the device. */
#include "reference/icd/kernels/device_queue.h"
#include "reference/icd/kernels/family.h"
#include "reference/limits/limits.h"

#include <string.h>

/* What a queue needs for a command, beside its wait list: little, since programs count on thousands
 * of commands in the smallest queue. What a block captures lies elsewhere. */
enum { COMMAND_SIZE = 16 };

/* What enqueue_kernel and enqueue_marker return: opencl-c-base.h. */
enum { ENQUEUED = 0, ENQUEUE_FAILURE = -101 };

/* ---- telling ---- */

static const char *function_name(enum vm_device_function function)
{
    static const char *const names[] = {
        [VM_DEVICE_ENQUEUE] = "enqueue_kernel",
        [VM_DEVICE_MARKER] = "enqueue_marker",
        [VM_DEVICE_CREATE_EVENT] = "create_user_event",
        [VM_DEVICE_RETAIN_EVENT] = "retain_event",
        [VM_DEVICE_RELEASE_EVENT] = "release_event",
        [VM_DEVICE_SET_EVENT_STATUS] = "set_user_event_status",
        [VM_DEVICE_CAPTURE_TIMES] = "capture_event_profiling_info",
    };
    return names[function];
}

static void tell(const struct family *family, const struct vm_device_request *request,
                 struct observer_queue_fault fault)
{
    const struct observer *observer = family->running->request.observer;
    fault.site = request->site;
    fault.item = request->item;
    fault.function = function_name(request->call->function);
    if (observer && observer->queue_fault)
        observer->queue_fault(observer->state, &fault);
}

/* An event that is none for the function, or what else is given besides it. */
static void tell_event(const struct family *family, const struct vm_device_request *request,
                       const char *given, const char *reason, const char *advice)
{
    tell(family, request,
         (struct observer_queue_fault){
             .kind = OBSERVER_QUEUE_EVENT, .reason = reason, .given = given, .advice = advice});
}

/* ---- commands ---- */

/* A clause that says why the NDRange is none for the child, or NULL. */
static const char *make_range(const struct kernel_device *on, const uint64_t *given,
                              struct range *range)
{
    const uint64_t *local = &given[VM_NDRANGE_LOCAL];
    const bool chosen = local[0] != 0 || local[1] != 0 || local[2] != 0;
    const cl_uint dimensions = (cl_uint)given[VM_NDRANGE_DIMENSIONS];
    switch (range_make(on, dimensions, &given[VM_NDRANGE_OFFSET], &given[VM_NDRANGE_GLOBAL],
                       chosen ? local : NULL, range)) {
    case CL_SUCCESS:
        return NULL;
    case CL_INVALID_WORK_DIMENSION:
        return "what is given as an NDRange was not made by ndrange_1D, 2D or 3D";
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
        return "the block cannot run in work-groups of the size that the NDRange has";
    case CL_OUT_OF_RESOURCES:
        return "the block needs more private memory than there is";
    default:
        return "the NDRange has more work-items than 64 bits can count";
    }
}

/* The sizes of local memory that a block gets. */
static const char *check_local_sizes(const struct kernel_device *on,
                                     const struct vm_device_request *request)
{
    uint64_t total = on->code->local_size;
    for (uint32_t i = VM_ENQUEUE_LOCAL_SIZES; i < request->call->row_count; i++) {
        if ((uint32_t)request->arguments[i] == 0)
            return "the size of a local argument is 0";
        total += (uint32_t)request->arguments[i];
    }
    if (request->call->row_count - VM_ENQUEUE_LOCAL_SIZES + 1 != on->code->parameter_count)
        return "the block has another number of local arguments";
    return total > limits_get(LIMIT_LOCAL_MEMORY)
               ? "the block needs more local memory than CL_DEVICE_LOCAL_MEM_SIZE"
               : NULL;
}

/* Finds the events of a wait list. */
static const char *take_events(struct family *family, const struct vm_device_request *request,
                               uint32_t at, struct waiting *command)
{
    const uint32_t count = (uint32_t)request->arguments[at];
    if ((count == 0) != (request->arguments[at + 1] == 0))
        return "the number of events is 0 and the wait list is not NULL, or the reverse";
    if (count == 0)
        return NULL;
    if (!request->events)
        return "the wait list cannot be read";
    command->events = arena_alloc(&family->arena, count, sizeof(struct device_event *));
    if (!command->events)
        return "memory is out";
    for (uint32_t i = 0; i < count; i++) {
        command->events[i] = device_event_find(request->events[i]);
        if (!command->events[i] || command->events[i]->references == 0)
            return "the wait list has something that is not a live event";
    }
    command->event_count = count;
    return NULL;
}

/* The arguments of a block: the bytes that travel with the command, then local memory. */
static bool take_arguments(struct family *family, const struct vm_device_request *request,
                           struct waiting *command)
{
    const uint64_t size = request->call->literal_size;
    const uint32_t count = command->on->code->parameter_count;
    command->arguments = arena_alloc(&family->arena, count, sizeof(*command->arguments));
    if (!command->arguments || !request->literal)
        return false;
    command->arguments[0].bytes = arena_copy(&family->arena, request->literal, size);
    command->arguments[0].undefined =
        arena_copy(&family->arena, request->literal_undefined, size / 8 + 1);
    for (uint32_t i = 1; i < count; i++)
        command->arguments[i].local_size =
            (uint32_t)request->arguments[VM_ENQUEUE_LOCAL_SIZES + i - 1];
    return command->arguments[0].bytes && command->arguments[0].undefined;
}

/* Room in the queue. */
static const char *take_room(struct family *family, const struct vm_device_request *request,
                             struct waiting *command)
{
    cl_command_queue queue =
        device_queue_find(family->request.context, family->request.device, request->arguments[0]);
    const uint64_t size = COMMAND_SIZE + command->event_count * sizeof(uint64_t);
    if (!queue)
        return request->arguments[0] == 0
                   ? "the queue is CLK_NULL_QUEUE: the device has no default queue"
                   : "the queue that it is given is not a queue of this device";
    if (size > queue->size - queue->used)
        return "the queue is full: its commands wait until the kernel that enqueues them has "
               "ended, and "
               "CL_QUEUE_SIZE says how many it holds";
    command->queue = queue;
    command->size = (cl_uint)size;
    return NULL;
}

/* Fills in the command, without entering it; a clause that says why it cannot be. */
static const char *make_command(struct family *family, const struct vm_device_request *request,
                                struct waiting *command)
{
    const bool marker = request->call->function == VM_DEVICE_MARKER;
    const char *problem = NULL;
    if (!marker) {
        command->on = &family->children[request->call->child];
        command->origin.wait = (enum child_wait)request->arguments[VM_ENQUEUE_FLAGS];
        if (request->arguments[VM_ENQUEUE_FLAGS] > CHILD_WAITS_FOR_GROUP)
            return "the flags are none of CLK_ENQUEUE_FLAGS_...";
        problem = make_range(command->on, &request->arguments[VM_ENQUEUE_NDRANGE], &command->range);
        if (!problem)
            problem = check_local_sizes(command->on, request);
        if (!problem && !take_arguments(family, request, command))
            problem = "memory is out, or what the block captures cannot be read";
    }
    if (!problem)
        problem = take_events(family, request, marker ? 1 : VM_ENQUEUE_EVENT_COUNT, command);
    return problem ? problem : take_room(family, request, command);
}

/* Enters a command that nothing is wrong with. Locked. */
static void enter(struct family *family, struct waiting *command)
{
    static uint64_t children;
    command->id = command->on ? ++children : 0;
    command->origin.number = ++family->command_count;
    command->parent = family->running;
    command->parent->pending++;
    command->queue->used += command->size;
    object_hold(command->queue);
    for (size_t i = 0; i < command->event_count; i++)
        command->events[i]->waiting++;
    *family->last = command;
    family->last = &command->next;
}

static struct device_event *create_event(struct family *family,
                                         const struct vm_device_request *request, bool user)
{
    struct device_event *event = device_event_create(user);
    if (event) {
        event->family = family;
        event->maker = family->running;
        event->code = family->running->code;
        event->site = request->site;
    }
    return event;
}

static uint64_t enqueue(struct family *family, struct vm_device_request *request)
{
    const bool marker = request->call->function == VM_DEVICE_MARKER;
    const bool wants_event = request->arguments[marker ? 3 : VM_ENQUEUE_EVENT] != 0;
    if (marker && !wants_event)
        return ENQUEUED; /* "event_ret must not be NULL as otherwise this is a no-op" */
    struct waiting *command = arena_alloc(&family->arena, 1, sizeof(*command));
    const char *problem = command ? make_command(family, request, command) : "memory is out";
    if (!problem && wants_event) {
        command->event = create_event(family, request, false);
        if (!command->event)
            problem = "there are too many events: CL_DEVICE_MAX_ON_DEVICE_EVENTS";
        else
            command->event->marker = marker;
    }
    if (problem) {
        tell(family, request,
             (struct observer_queue_fault){.kind = OBSERVER_QUEUE_FAILED, .reason = problem});
        return (uint64_t)(int64_t)ENQUEUE_FAILURE;
    }
    command->origin.site = request->site;
    struct touched *touched = family->running->touched;
    if (command->origin.wait == CHILD_WAITS_FOR_GROUP) {
        command->origin.group = family->group;
        family->group_waits++;
        if (touched)
            touched->keep_group = true;
    }
    enter(family, command);
    request->event = command->event ? command->event->handle : 0;
    return ENQUEUED;
}

/* ---- events ---- */

/* OpenCL API 3.0, 3.2.3: "These events, however, are only visible to the parent kernel running on
 * the device." A later launch that was handed an event is not judged. */
static void judge_maker(const struct family *family, const struct vm_device_request *request,
                        const struct device_event *event)
{
    if (event->family == family && event->maker != family->running)
        tell(family, request,
             (struct observer_queue_fault){
                 .kind = OBSERVER_QUEUE_FOREIGN,
                 .given = "an event that another kernel made",
                 .reason = "the events of a kernel are visible to that kernel alone"});
}

/* The event that is argument 0, or NULL, which is told. */
static struct device_event *find_event(struct family *family,
                                       const struct vm_device_request *request)
{
    struct device_event *event = device_event_find(request->arguments[0]);
    if (event && event->references > 0) {
        judge_maker(family, request, event);
        return event;
    }
    tell_event(family, request, NULL,
               event ? "the event was released for the last time"
                     : "it is not an event, or was released for the last time",
               NULL);
    return NULL;
}

static void set_status(struct family *family, const struct vm_device_request *request)
{
    struct device_event *event = find_event(family, request);
    const cl_int status = (cl_int)request->arguments[1];
    static const uint64_t times[2];
    if (!event)
        return;
    if (!event->user)
        tell_event(family, request, NULL, "the event was not made by create_user_event",
                   "Set the status of user events alone: that of others follows their commands.");
    else if (status > CL_COMPLETE)
        tell_event(family, request, "something that is not a status",
                   "a status is CL_COMPLETE or negative, and this one is neither",
                   "Pass CL_COMPLETE, or a negative number for an error.");
    else if (event->status <= CL_COMPLETE)
        tell_event(family, request, "an event that has its status",
                   "the status of the event was set before", "Set the status of an event once.");
    else {
        event->setter = family->running->run;
        family_end_event(event, status, times);
    }
}

static void capture(struct family *family, const struct vm_device_request *request)
{
    enum { EXEC_TIME = 1 };
    struct device_event *event = find_event(family, request);
    if (!event)
        return;
    /* OpenCL C 3.0, 6.15.18.5: "Behavior is undefined if event is not a valid event returned by
     * enqueue_kernel", and "when called multiple times for the same event". */
    if (event->user || event->marker)
        tell_event(family, request, NULL,
                   event->user ? "a user event is that of no command"
                               : "the event is that of a marker, not of a kernel",
                   "Pass an event that enqueue_kernel gave.");
    else if (event->captured)
        tell_event(family, request, "an event that it was given before",
                   "to capture the times of one event twice is undefined",
                   "Capture the times of each event once.");
    else if (request->arguments[1] != EXEC_TIME)
        tell_event(family, request, "something that does not name a time",
                   "CLK_PROFILING_COMMAND_EXEC_TIME is the only one",
                   "Pass CLK_PROFILING_COMMAND_EXEC_TIME.");
    else
        event->captured = device_event_capture(event, request->arguments[2]);
}

/* ---- sizes ---- */

/* Of the child that the call is about. */
static uint64_t answer(const struct family *family, const struct vm_device_request *request)
{
    const struct kernel_device *on = &family->children[request->call->child];
    const uint64_t limit = kernel_group_limit(on->code);
    const uint64_t size = sub_group_size(on->code);
    struct range range;
    switch (request->call->function) {
    case VM_DEVICE_WORK_GROUP_SIZE:
        return limit;
    case VM_DEVICE_PREFERRED_MULTIPLE:
        return limits_group_multiple();
    case VM_DEVICE_SUB_GROUPS_MAX:
        return limit / size;
    case VM_DEVICE_LOCAL_SIZE:
        return request->arguments[0] <= limit / size ? request->arguments[0] * size : 0;
    default:
        break;
    }
    if (make_range(on, request->arguments, &range))
        return 0;
    const uint64_t items = range.local[0] * range.local[1] * range.local[2];
    if (request->call->function == VM_DEVICE_SUB_GROUP_COUNT)
        return sub_group_count(on->code, items);
    return items < size ? items : size;
}

static uint64_t call_locked(struct family *family, struct vm_device_request *request)
{
    struct device_event *event;
    switch (request->call->function) {
    case VM_DEVICE_DEFAULT_QUEUE: {
        cl_command_queue queue =
            device_queue_default(family->request.context, family->request.device);
        return queue ? device_queue_handle(queue) : 0;
    }
    case VM_DEVICE_ENQUEUE:
    case VM_DEVICE_MARKER:
        return enqueue(family, request);
    case VM_DEVICE_CREATE_EVENT:
        event = create_event(family, request, true);
        return event ? event->handle : UINT64_MAX;
    case VM_DEVICE_RETAIN_EVENT:
        event = find_event(family, request);
        if (event)
            event->references++;
        return 0;
    case VM_DEVICE_RELEASE_EVENT:
        event = find_event(family, request);
        if (event)
            device_event_release(event);
        return 0;
    case VM_DEVICE_IS_VALID_EVENT:
        event = device_event_find(request->arguments[0]);
        return event && event->references > 0;
    case VM_DEVICE_SET_EVENT_STATUS:
        set_status(family, request);
        return 0;
    case VM_DEVICE_CAPTURE_TIMES:
        capture(family, request);
        return 0;
    default:
        return answer(family, request);
    }
}

uint64_t family_call(void *state, struct vm_device_request *request)
{
    icd_lock();
    const uint64_t result = call_locked(state, request);
    icd_unlock();
    return result;
}
