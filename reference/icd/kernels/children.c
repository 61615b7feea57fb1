#include "reference/icd/kernels/children.h"

#include "reference/icd/findings.h"
#include "reference/icd/kernels/child_report.h"
#include "reference/icd/kernels/device_queue.h"
#include "reference/icd/kernels/perform.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/kernels/range.h"
#include "reference/limits/limits.h"
#include "trace/api/call.h"
#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "trace/base/size.h"
#include "trace/base/visible.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a queue needs for a command, beside its wait list: little, since programs count on thousands
 * of commands in the smallest queue. What a block captures lies elsewhere. */
enum { COMMAND_SIZE = 16 };

/* What enqueue_kernel and enqueue_marker return: opencl-c-base.h. */
enum { ENQUEUED = 0, ENQUEUE_FAILURE = -101 };

/* A kernel of the family: the launch that it begins with, or a child that runs or has run. */
struct member {
    struct member *parent; /* NULL = the first */
    const struct vm_code *code;
    size_t pending;             /* its own run, and its children that have not ended */
    cl_int status;              /* CL_COMPLETE, or what went wrong in it or its children */
    struct device_event *event; /* NULL = nobody wanted one */
    struct child_run *run;      /* child_races.c */
    uint64_t start, end;
    const struct waiting *command; /* that it was; of the first NULL */
    bool ran;                      /* what it waited for went well */
};

/* A command that waits in a queue of the device. */
struct waiting {
    struct waiting *next;
    uint64_t id; /* struct api_child's; of a marker 0 */
    struct member *parent;
    cl_command_queue queue; /* held */
    cl_uint size;           /* what it takes of the queue */
    struct device_event **events;
    size_t event_count;
    struct device_event *event; /* NULL = nobody wanted one */
    struct child_origin origin;
    const struct kernel_device *on; /* NULL = a marker */
    struct range range;
    struct sched_argument *arguments;
};

struct family {
    struct family_request request;
    struct child_report report;
    struct arena arena; /* of members and commands */
    struct vm_device device;
    const struct observer *observer; /* of the member that runs */
    struct member *running;
    struct touched *touched; /* by it; or NULL */
    struct child_races *races;
    struct waiting *first, **last;  /* in the order of the calls */
    struct kernel_device *children; /* by the child's number */
    uint64_t clock;
    cl_int status; /* of the first child that failed */
};

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
    const struct observer *observer = family->observer;
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

/* Tells that a child has ended; `member` NULL: it never began. */
static void tell_child(const struct family *family, const struct waiting *command,
                       const struct member *member, cl_int status)
{
    const struct launch_options *options = family->request.options;
    const uint64_t call_id = family->request.launch->call_id;
    if (!command || !command->on || !options->tell_child || call_id == 0)
        return;
    struct api_child child = {.id = command->id,
                              .parent = command->parent->command ? command->parent->command->id : 0,
                              .call_id = call_id,
                              .queue = (uint64_t)command->queue,
                              .dimensions = command->range.dimensions,
                              .status = status};
    memcpy(child.global_size, command->range.global, sizeof(child.global_size));
    memcpy(child.local_size, command->range.local, sizeof(child.local_size));
    memcpy(child.global_offset, command->range.offset, sizeof(child.global_offset));
    if (member && member->ran) {
        child.start_ns = member->start;
        child.end_ns = member->end;
        child.complete_ns = family->clock;
    }
    options->tell_child(options->child_user, &child, command->on->code->name);
}

/* ---- the end of commands ---- */

static void end_event(struct device_event *event, cl_int status, const uint64_t times[2])
{
    if (!event)
        return;
    memcpy(event->times, times, sizeof(event->times));
    device_event_end(event, status);
}

/* The member's own run or one of its children has ended. A kernel ends when both have, and then is
 * a child of its own parent that has ended. */
static void end_part(struct family *family, struct member *member, cl_int status)
{
    while (member) {
        if (status < 0 && member->status == CL_COMPLETE)
            member->status = status;
        if (--member->pending > 0)
            return;
        const uint64_t times[2] = {member->end - member->start, family->clock - member->start};
        struct ordered_command *order = child_races_end(family->races, member->run);
        if (member->event)
            member->event->order = order;
        end_event(member->event, member->status, times);
        tell_child(family, member->command, member, member->status);
        status = member->status;
        member = member->parent;
    }
}

/* Takes the command out of its queue, begins it as far as races go, and looks whether what it
 * waited for went well. */
static cl_int leave_queue(struct family *family, struct waiting *command, struct child_run **run)
{
    cl_int status = CL_COMPLETE;
    struct child_event *events = arena_alloc(&family->arena, command->event_count, sizeof(*events));
    for (size_t i = 0; events && i < command->event_count; i++)
        events[i] = (struct child_event){command->events[i]->order, command->events[i]->setter};
    command->origin.parent = command->parent->run;
    *run = events ? child_races_begin(family->races, command->on ? command->on->code : NULL,
                                      &command->origin, events, command->event_count)
                  : NULL;
    for (size_t i = 0; i < command->event_count; i++) {
        if (command->events[i]->status < 0)
            status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        device_event_waited(command->events[i]);
    }
    icd_lock();
    command->queue->used -= command->size;
    object_drop(command->queue);
    icd_unlock();
    return status;
}

/* ---- execution ---- */

static cl_int run_launch(struct family *family, const struct waiting *command,
                         struct member *member)
{
    const struct vm_code *code = member->code;
    uint32_t *globals = arena_alloc(&family->arena, code->global_count, sizeof(*globals));
    char *label = arena_format(&family->arena, "enqueue_kernel of '%s'", code->name);
    if (!globals || !label)
        return CL_OUT_OF_RESOURCES;
    for (uint32_t i = 0; i < code->global_count; i++)
        globals[i] = command->on->build->variables[code->globals[i].index];
    struct touched touched = {.apart = true, .group = TOUCHED_ALL_GROUPS};
    family->touched = family->request.touched ? &touched : NULL;
    family->observer = findings_observer(family->request.options, family->touched);
    family->running = member;
    struct sched_launch launch = *family->request.launch;
    launch.code = code;
    launch.dimensions = command->range.dimensions;
    launch.arguments = command->arguments;
    launch.globals = globals;
    launch.device = &family->device;
    launch.observer = family->observer;
    launch.sub_group_size = sub_group_size(code);
    launch.label = label;
    memcpy(launch.global_size, command->range.global, sizeof(launch.global_size));
    memcpy(launch.local_size, command->range.local, sizeof(launch.local_size));
    memcpy(launch.global_offset, command->range.offset, sizeof(launch.global_offset));
    const cl_int status = launch_perform(&launch, &family->clock);
    child_races_ran(family->races, member->run, &touched);
    if (family->request.watched) {
        icd_lock();
        races_use_touched(&touched, family->request.objects, family->request.object_count);
        icd_unlock();
    }
    touched_release(&touched);
    return status;
}

static void execute(struct family *family, struct waiting *command)
{
    struct child_run *run;
    cl_int status = leave_queue(family, command, &run);
    struct member *member = arena_alloc(&family->arena, 1, sizeof(*member));
    if (!member || !command->on) {
        const uint64_t times[2] = {1, 1};
        struct ordered_command *order = child_races_end(family->races, run);
        status = command->on ? CL_OUT_OF_RESOURCES : status;
        if (command->event)
            command->event->order = order;
        end_event(command->event, status, times);
        tell_child(family, command, NULL, status);
        end_part(family, command->parent, status);
        return;
    }
    *member = (struct member){.parent = command->parent,
                              .code = command->on->code,
                              .pending = 1,
                              .event = command->event,
                              .run = run,
                              .start = ++family->clock,
                              .command = command,
                              .ran = status == CL_COMPLETE};
    if (status == CL_COMPLETE && !command->range.empty)
        status = run_launch(family, command, member);
    member->end = ++family->clock;
    end_part(family, member, status);
}

static bool is_ready(const struct waiting *command)
{
    for (size_t i = 0; i < command->event_count; i++) {
        if (command->events[i]->status > CL_COMPLETE)
            return false;
    }
    return true;
}

/* Takes the first command that is ready; NULL when none is. */
static struct waiting *take_ready(struct family *family)
{
    for (struct waiting **link = &family->first; *link; link = &(*link)->next) {
        struct waiting *command = *link;
        if (!is_ready(command))
            continue;
        *link = command->next;
        if (!command->next)
            family->last = link;
        return command;
    }
    return NULL;
}

/* Kernels that go on enqueueing others would never end. */
static bool is_exhausted(const struct family *family)
{
    const uint64_t limit = family->request.launch->operation_limit;
    const struct sched_budget *budget = family->request.launch->budget;
    return budget ? budget->spent || budget->operations == 0 : limit != 0 && family->clock > limit;
}

/* What waits for events that nobody can set any more ends with an error, as commands of the host do
 * that wait for a user event which is released (event.c); and all that is left when the limit of
 * operations is passed. */
static void abandon(struct family *family)
{
    struct waiting *command = family->first;
    struct sched_budget *budget = family->request.launch->budget;
    if (budget && is_exhausted(family))
        budget->spent = true;
    else if (is_exhausted(family))
        visible_tell("clerk: %s: ended at the operation limit, %" PRIu64 "\n",
                     family->request.launch->label, family->request.launch->operation_limit);
    else
        child_report_unset(&family->report, command->parent->code, command->origin.site,
                           command->on ? command->on->code->name : NULL);
    family->first = NULL;
    family->last = &family->first;
    while (command) {
        struct waiting *next = command->next;
        const uint64_t times[2] = {1, 1};
        struct child_run *run;
        leave_queue(family, command, &run);
        child_races_end(family->races, run);
        end_event(command->event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, times);
        tell_child(family, command, NULL, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        end_part(family, command->parent, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        command = next;
    }
}

/* Tells of events that the family made and did not release, if it came to its end, and takes from
 * all what means nothing after it. */
static void leave_events(const struct family *family)
{
    const struct sched_budget *budget = family->request.launch->budget;
    const bool ended = !budget || !budget->spent;
    size_t index = 0;
    for (struct device_event *event; (event = device_event_next(&index));) {
        event->order = NULL;
        event->setter = NULL;
        if (event->family != family)
            continue;
        if (event->references > 0 && ended)
            child_report_leak(&family->report, event->code, event->site);
        event->family = NULL;
    }
}

cl_int family_run(struct family *family, uint64_t *cost)
{
    struct member *root = family->running;
    root->end = family->clock;
    if (family->request.touched)
        child_races_ran(family->races, root->run, family->request.touched);
    end_part(family, root, CL_COMPLETE);
    while (family->first) {
        struct waiting *command = is_exhausted(family) ? NULL : take_ready(family);
        if (command)
            execute(family, command);
        else
            abandon(family);
    }
    leave_events(family);
    *cost += family->clock;
    return root->status;
}

/* ---- what kernels ask ---- */

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
    if (family->touched && command->origin.wait == CHILD_WAITS_FOR_GROUP) {
        command->origin.group = family->touched->group;
        family->touched->keep_group = true;
    }
    enter(family, command);
    request->event = command->event ? command->event->handle : 0;
    return ENQUEUED;
}

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
                 .reason = "events of commands on the device are visible to the kernel that "
                           "enqueues alone, which made them"});
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
        end_event(event, status, times);
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
                   "there is no such profiling information",
                   "Pass CLK_PROFILING_COMMAND_EXEC_TIME.");
    else
        event->captured = device_event_capture(event, request->arguments[2]);
}

/* Sizes of the child that the call is about. */
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

static uint64_t call(void *state, struct vm_device_request *request)
{
    icd_lock();
    const uint64_t result = call_locked(state, request);
    icd_unlock();
    return result;
}

/* ---- its life ---- */

bool family_wants_touched(const struct launch_options *options)
{
    return checks_has(&options->checks, RULE_RACE_CHILD);
}

struct family *family_create(const struct family_request *request)
{
    struct family *family = alloc_zero(1, sizeof(*family));
    if (!family)
        return NULL;
    const struct build *build = request->build;
    family->request = *request;
    family->report = (struct child_report){&request->options->checks, request->launch->call_id};
    family->device = (struct vm_device){family, call};
    family->last = &family->first;
    family->running = arena_alloc(&family->arena, 1, sizeof(*family->running));
    family->children = arena_alloc(&family->arena, build->child_count, sizeof(*family->children));
    family->races = request->touched ? child_races_create(&family->report) : NULL;
    if (!family->running || !family->children) {
        family_destroy(family);
        return NULL;
    }
    *family->running = (struct member){.code = request->launch->code, .pending = 1};
    family->running->run = child_races_begin(family->races, request->launch->code,
                                             &(struct child_origin){.parent = NULL}, NULL, 0);
    family->touched = request->touched;
    family->observer = request->launch->observer;
    for (size_t i = 0; i < build->child_count; i++)
        family->children[i] =
            (struct kernel_device){.build = request->build, .code = build->children[i]};
    return family;
}

void family_destroy(struct family *family)
{
    if (!family)
        return;
    child_races_destroy(family->races);
    arena_release(&family->arena);
    alloc_free(family);
}

const struct vm_device *family_device(struct family *family)
{
    return &family->device;
}
