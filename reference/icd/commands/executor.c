/* The order of commands. The ready ones lie in a heap by (queue, ordinal). Whoever lets commands
 * run waits for their end, so it executes them itself; the thread for the program's own code, and
 * for kernels that may wait for the host, starts with the first such command, and lives as long as
 * the process. */
#include "reference/icd/commands/executor.h"

#include "reference/icd/commands/command_buffer.h"
#include "reference/icd/findings.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/options.h"
#include "reference/sched/permute.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/visible.h"

#include <fenv.h>
#include <stdio.h>
#include <time.h>

/* A queue that is not flushed submits by itself when this many commands wait. */
enum { UNFLUSHED_MAX = 4096 };

static struct command **ready;
static size_t ready_count, ready_capacity;
static struct command **unflushed; /* of all queues, in order of enqueue */
static size_t unflushed_count, unflushed_capacity;
static bool program_started;
static bool running;                 /* a command is, on some thread */
static _Thread_local bool executing; /* on this thread */
static uint64_t last_time;
static uint64_t children_cost;  /* of the running command */
static struct command *current; /* the running command; of several the last that began */

/* How often a kernel that stands still looks, at least; how long it may wait for a host that waits
 * for commands, nothing changing. In nanoseconds. */
static const uint64_t LOOK_TIME = 1000000;
static const uint64_t HOST_TIME = 10000000000;

/* Of a kernel that waits for the host. */
static struct {
    bool stands;     /* it has found nothing, and needs the lock to look again */
    bool was_left;   /* calls may have returned meanwhile: its thread runs what is ready after it */
    bool told;       /* that it waits: by the running command */
    uint64_t asked;  /* how often calls have asked for a look */
    uint64_t begun;  /* `asked` when its last look began; */
    uint64_t looked; /* of the last look that has ended */
    uint64_t waited; /* since something changed: the time in which the host waited for commands, */
    uint64_t idle;   /* and the rest */
    uint64_t time;   /* when it last looked */
} standing;
static uint32_t waiting_count; /* threads of the host that wait for commands */

/* ---- the clock ---- */

static uint64_t measure_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t executor_clock(void)
{
    uint64_t now = last_time + 1;
    if (options_real_time()) {
        const uint64_t measured = measure_time();
        if (measured > now)
            now = measured;
    }
    last_time = now;
    return now;
}

void executor_add_children_cost(uint64_t cost)
{
    ASSERT(running);
    children_cost += cost;
}

/* ---- the heap of ready commands ---- */

static bool comes_before(const struct command *a, const struct command *b)
{
    const uint64_t a_queue = a->event->queue->ordinal;
    const uint64_t b_queue = b->event->queue->ordinal;
    return a_queue != b_queue ? a_queue < b_queue : a->ordinal < b->ordinal;
}

/* Room for every command that exists is made at its enqueue, so this cannot fail. */
static void ready_push(struct command *command)
{
    ASSERT(ready_count < ready_capacity);
    ASSERT(command->submitted && command->waits == 0);
    size_t index = ready_count++;
    while (index > 0) {
        const size_t parent = (index - 1) / 2;
        if (!comes_before(command, ready[parent]))
            break;
        ready[index] = ready[parent];
        index = parent;
    }
    ready[index] = command;
}

static struct command *ready_pop(void)
{
    ASSERT(ready_count > 0);
    struct command *first = ready[0];
    struct command *moved = ready[--ready_count];
    size_t index = 0;
    for (;;) {
        size_t child = 2 * index + 1;
        if (child >= ready_count)
            break;
        if (child + 1 < ready_count && comes_before(ready[child + 1], ready[child]))
            child++;
        if (!comes_before(ready[child], moved))
            break;
        ready[index] = ready[child];
        index = child;
    }
    if (ready_count > 0)
        ready[index] = moved;
    return first;
}

/* ---- states ---- */

static void set_status(cl_event event, cl_int status)
{
    ASSERT(event->status > CL_COMPLETE && status < event->status); /* it only goes forward */
    event->status = status;
    struct event_callback **link = &event->callbacks;
    while (*link) {
        struct event_callback *callback = *link;
        if (status <= callback->status) {
            *link = callback->next;
            races_host_waited(event);
            callbacks_add_event(event, status < 0 ? status : callback->status, callback->function,
                                callback->user);
            alloc_free(callback);
        } else {
            link = &callback->next;
        }
    }
    icd_changed();
}

static void command_submit(struct command *command)
{
    ASSERT(!command->submitted && command->event->status == CL_QUEUED);
    command->submitted = true;
    command->event->times[EVENT_TIME_SUBMIT] = executor_clock();
    set_status(command->event, CL_SUBMITTED);
    if (command->waits == 0)
        ready_push(command);
}

void executor_end_event(cl_event event, cl_int status)
{
    object_hold(event);
    set_status(event, status);
    for (size_t i = 0; i < event->waiting_count; i++) {
        struct command *command = event->waiting[i].command;
        ASSERT(command->waits > 0);
        command->waits--;
        if (status < 0 && event->waiting[i].listed)
            command->failed = true;
        if (command->waits == 0 && command->submitted)
            ready_push(command);
    }
    alloc_free(event->waiting);
    event->waiting = NULL;
    event->waiting_count = event->waiting_capacity = 0;
    object_drop(event);
}

static void command_unlink(struct command *command)
{
    cl_command_queue queue = command->event->queue;
    ASSERT((command->previous ? command->previous->next : queue->first) == command);
    ASSERT((command->next ? command->next->previous : queue->last) == command);
    if (command->previous)
        command->previous->next = command->next;
    else
        queue->first = command->next;
    if (command->next)
        command->next->previous = command->previous;
    else
        queue->last = command->previous;
}

static size_t command_total; /* that exist: the room which `ready` and `unflushed` must have */

static void command_free(struct command *command)
{
    ASSERT(command_total > 0);
    if (command->work.release)
        command->work.release(command->work.data);
    object_drop(command->event);
    alloc_free(command);
    command_total--;
}

/* ---- execution ---- */

static void command_execute(struct command *command)
{
    cl_event event = command->event;
    struct command *const outer = current;
    const uint64_t outer_cost = children_cost;
    ASSERT(event->status == CL_SUBMITTED);
    current = command;
    children_cost = 0;
    cl_int status = command->failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE;
    event->times[EVENT_TIME_START] = executor_clock();
    if (!command->failed) {
        standing.told = false;
        set_status(event, CL_RUNNING);
        races_command_begins(command);
        /* The program's code may tell the host what it knows. */
        if (command->work.calls_program)
            races_host_waited(event);
        if (command->work.run) {
            uint64_t cost = 0;
            icd_unlock();
            const cl_int result = command->work.run(command->work.data, &cost);
            icd_lock();
            ASSERT(result <= 0);
            status = result;
            last_time += cost;
        }
        if (command->work.tell && status == CL_COMPLETE)
            command->work.tell(command->work.data);
        races_command_ends();
    }
    current = outer;
    if (outer)
        races_command_begins(outer);
    event->times[EVENT_TIME_END] = event->times[EVENT_TIME_COMPLETE] = executor_clock();
    if (children_cost > 0) {
        last_time += children_cost;
        event->times[EVENT_TIME_COMPLETE] = executor_clock();
    }
    children_cost = outer_cost;
    command_unlink(command);
    executor_end_event(event, status);
    cl_command_queue queue = event->queue;
    if (queue->barrier == event) {
        queue->barrier = NULL;
        object_drop(event);
    }
    command_free(command);
}

/* The next ready command, on this thread. The program's thread may round its own way. */
static void execute_next(void)
{
    fenv_t environment;
    ASSERT(!running && !executing);
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    running = executing = true;
    command_execute(ready_pop());
    running = executing = false;
    icd_changed();
    fesetenv(&environment);
}

static bool next_runs_apart(void)
{
    return ready_count > 0 && (ready[0]->work.calls_program || ready[0]->work.waits_for_host);
}

static void *program_main(void *unused)
{
    (void)unused;
    icd_lock();
    for (;;) {
        while (running || !(next_runs_apart() || (standing.was_left && ready_count > 0))) {
            if (!running)
                standing.was_left = false;
            icd_wait_change();
        }
        execute_next();
    }
    return NULL;
}

/* ---- commands beside each other ---- */

/* Launches that let others run, on this thread: each runs within the one before it. */
enum { BESIDE_MAX = 8, KERNEL_NAME_MAX = 64 };
static struct beside {
    struct launch *launch; /* NULL = it cannot go on meanwhile */
    bool has_ended;
    char other[KERNEL_NAME_MAX]; /* the kernel that ran beside it last */
} beside[BESIDE_MAX];
static uint32_t beside_count;

bool executor_is_beside(void)
{
    return beside_count > 0;
}

/* The next ready command can run beside the one that runs. A recording has commands of its own, and
 * the program's code a thread. */
static bool next_runs_beside(void)
{
    return ready_count > 0 && !ready[0]->work.calls_program && beside_count < BESIDE_MAX &&
           findings_has_place() && current->work.kernel;
}

bool executor_has_others(void)
{
    return beside_count > 0 || next_runs_beside();
}

static void run_next_beside(struct launch *launch)
{
    struct beside *here = &beside[beside_count++];
    struct command *command = ready_pop();
    *here = (struct beside){.launch = launch};
    snprintf(here->other, sizeof(here->other), "%s",
             command->work.kernel ? command->work.kernel : "");
    command_execute(command);
    beside_count--;
    if (launch)
        sched_note_change(launch, here->other[0] != '\0' ? here->other : NULL);
}

/* One that lets `request` run goes on. False: it cannot. */
static bool step(struct beside *one, const struct sched_launch *request, uint64_t most)
{
    if (!one->launch || one->has_ended)
        return false;
    const uint64_t changes = sched_counts(one->launch).changes;
    snprintf(one->other, sizeof(one->other), "%s", request->code->name);
    sched_note_change(one->launch, one->other);
    icd_unlock();
    const enum sched_state state = sched_go_on(one->launch, most);
    icd_lock();
    one->has_ended = state == SCHED_ENDED;
    return one->has_ended || state == SCHED_GOES_ON || sched_counts(one->launch).changes != changes;
}

/* The schedule chooses among those that run already, the next command, and nothing. */
static bool run_chosen(const struct sched_launch *request, struct launch *launch)
{
    enum { STREAM = 18, STEPS = 1 << 20 };
    static uint64_t steps;
    const uint64_t count = beside_count + next_runs_beside() + UINT64_C(1);
    const uint64_t chosen =
        permute(SCHED_SEEDED, request->seed, STREAM, steps++ % STEPS, STEPS) % count;
    if (chosen < beside_count)
        return step(&beside[chosen], request, 1);
    if (chosen + 1 == count)
        return false;
    run_next_beside(launch);
    return true;
}

bool executor_run_others(const struct sched_launch *request, struct launch *launch, bool waits)
{
    bool done = false;
    icd_lock();
    if (!waits) {
        done = run_chosen(request, launch);
    } else {
        for (uint32_t i = 0; i < beside_count && !done; i++)
            done = step(&beside[i], request, UINT64_MAX);
        if (done && launch)
            sched_note_change(launch, NULL);
        if (!done && next_runs_beside()) {
            run_next_beside(launch);
            done = true;
        }
    }
    icd_unlock();
    return done;
}

/* ---- a kernel that waits for the host ---- */

/* Until a call asks for another look, or it is time for one. */
static void pause_kernel(void)
{
    const uint64_t end = measure_time() + LOOK_TIME;
    const struct timespec until = {.tv_sec = (time_t)(end / 1000000000u),
                                   .tv_nsec = (long)(end % 1000000000u)};
    while (standing.asked == standing.begun && icd_wait_change_until(&until))
        ;
}

/* Time that passes while the process does not run is not counted. */
static void count_time(bool anew)
{
    const uint64_t now = measure_time();
    const uint64_t passed = anew ? 0 : now - standing.time;
    const uint64_t counted = passed < 2 * LOOK_TIME ? passed : 2 * LOOK_TIME;
    if (anew)
        standing.waited = standing.idle = 0;
    if (waiting_count > 0)
        standing.waited += counted;
    else
        standing.idle += counted;
    standing.time = now;
}

bool executor_wait_for_host(const char *label, bool anew)
{
    icd_lock();
    ASSERT(running && !standing.stands);
    count_time(anew);
    const bool goes_on = standing.waited < HOST_TIME;
    const bool tells = standing.idle >= HOST_TIME && !standing.told;
    if (goes_on) {
        standing.told |= tells;
        standing.looked = standing.begun;
        standing.stands = standing.was_left = true;
        icd_changed();
        pause_kernel();
        standing.stands = false;
        standing.begun = standing.asked;
    }
    icd_unlock();
    if (goes_on && tells)
        visible_tell("clerk: %s: has waited for the host for ten seconds, and goes on waiting\n",
                     label);
    return goes_on;
}

/* ---- calls that wait ---- */

void executor_flush(void)
{
    for (size_t i = 0; i < unflushed_count; i++)
        command_submit(unflushed[i]);
    unflushed_count = 0;
    icd_changed();
    executor_settle();
}

void executor_wait(void)
{
    waiting_count++;
    icd_wait_change();
    waiting_count--;
}

void executor_wait_end(cl_event event)
{
    while (event->status > CL_COMPLETE) {
        if (event->queue)
            executor_wait();
        else
            icd_wait_change();
    }
}

void executor_settle(void)
{
    const uint64_t wish = ++standing.asked;
    if (standing.stands)
        icd_changed();
    while (!executing && (ready_count > 0 || running) &&
           !(standing.stands && standing.looked >= wish)) {
        if (running || next_runs_apart())
            icd_wait_change();
        else
            execute_next();
    }
}

void executor_catch_up(void)
{
    if (standing.was_left)
        executor_settle();
}

void executor_stop(void)
{
    executor_settle();
    while (!executing && (ready_count > 0 || running))
        executor_wait();
}

void executor_finish(void)
{
    executor_flush();
    while (!executing && command_total > 0)
        executor_wait();
}

/* ---- enqueue ---- */

cl_int command_check(const struct command_request *request)
{
    cl_command_queue queue = request->queue;
    const cl_uint wait_count = request->wait_count;
    const cl_event *wait_list = request->wait_list;
    if (request->refused != CL_SUCCESS)
        return request->refused;
    if (!queue_is_of_host(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if ((wait_count == 0) != (wait_list == NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < wait_count; i++) {
        if (!object_is(wait_list[i], OBJECT_EVENT))
            return CL_INVALID_EVENT_WAIT_LIST;
    }
    for (cl_uint i = 0; i < wait_count; i++) {
        if (wait_list[i]->context != queue->context)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

/* The command waits for `event` if that has not ended. Only an event that the application listed
 * passes its error on. False when memory is out. */
static bool command_wait_for(struct command *command, cl_event event, bool listed)
{
    ASSERT(!command->submitted);
    if (event->status <= CL_COMPLETE)
        return true;
    void *grown = alloc_grow(event->waiting, event->waiting_count, &event->waiting_capacity,
                             sizeof(*event->waiting));
    if (!grown)
        return false;
    event->waiting = grown;
    event->waiting[event->waiting_count++] = (struct waiter){command, listed};
    command->waits++;
    return true;
}

/* Takes back what command_wait_for did, after a failure. */
static void command_forget(struct command *command, cl_event event)
{
    size_t kept = 0;
    for (size_t i = 0; i < event->waiting_count; i++) {
        if (event->waiting[i].command != command)
            event->waiting[kept++] = event->waiting[i];
    }
    event->waiting_count = kept;
}

static bool command_order_after(struct command *command, const struct command_request *request)
{
    cl_command_queue queue = request->queue;
    for (cl_uint i = 0; i < request->wait_count; i++) {
        if (request->wait_list[i]->status < 0)
            command->failed = true;
        if (!command_wait_for(command, request->wait_list[i], true))
            return false;
    }
    if ((queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0)
        return !queue->last || command_wait_for(command, queue->last->event, false);
    if (queue->barrier && !command_wait_for(command, queue->barrier, false))
        return false;
    if ((request->order & COMMAND_WAITS_ALL) != 0) {
        for (struct command *before = queue->first; before; before = before->next) {
            if (!command_wait_for(command, before->event, false))
                return false;
        }
    }
    return true;
}

/* Makes room for one command more in the arrays that must not fail later. */
static bool make_room(void)
{
    void *grown = alloc_grow(ready, command_total, &ready_capacity, sizeof(*ready));
    if (grown)
        ready = grown;
    void *grown_too = alloc_grow(unflushed, command_total, &unflushed_capacity, sizeof(*unflushed));
    if (grown_too)
        unflushed = grown_too;
    return grown && grown_too;
}

static void command_cancel(struct command *command, const struct command_request *request)
{
    for (cl_uint i = 0; i < request->wait_count; i++)
        command_forget(command, request->wait_list[i]);
    for (struct command *before = request->queue->first; before; before = before->next)
        command_forget(command, before->event);
    if (request->queue->barrier)
        command_forget(command, request->queue->barrier);
}

static void command_link(struct command *command, cl_command_queue queue)
{
    command->ordinal = queue->command_count++;
    command->previous = queue->last;
    if (queue->last)
        queue->last->next = command;
    else
        queue->first = command;
    queue->last = command;
    ASSERT(unflushed_count < unflushed_capacity);
    unflushed[unflushed_count++] = command;
    command_total++;
}

static void set_barrier(cl_command_queue queue, cl_event event)
{
    if (queue->barrier)
        object_drop(queue->barrier);
    queue->barrier = event;
    object_hold(event);
}

static cl_event event_create_for(const struct command_request *request)
{
    cl_event event = event_create();
    if (!event)
        return NULL;
    event->context = request->queue->context;
    event->queue = request->queue;
    event->type = request->type;
    event->order = races_enqueue(request);
    event->status = CL_QUEUED;
    event->times[EVENT_TIME_QUEUED] = executor_clock();
    return event;
}

/* Locked. On success the event has the application's reference, which the caller may take away. */
static cl_int enqueue_locked(const struct command_request *request, cl_event *event)
{
    struct command *command = alloc_zero(1, sizeof(*command));
    cl_event made = event_create_for(request);
    if (!command || !made || !make_room() ||
        ((request->work.calls_program || request->work.waits_for_host) &&
         !thread_start(&program_started, program_main)))
        goto fail;
    command->event = made;
    command->work = request->work;
    if (command->work.call_id == 0)
        command->work.call_id = races_take_call_id();
    if (!command_order_after(command, request)) {
        command_cancel(command, request);
        goto fail;
    }
    object_hold(made->context);
    object_hold(made->queue);
    object_hold(made); /* the command's */
    command_link(command, request->queue);
    if ((request->order & COMMAND_BARRIER) != 0)
        set_barrier(request->queue, made);
    *event = made;
    return CL_SUCCESS;

fail:
    if (made) {
        races_drop(made->order);
        object_discard(made);
    }
    alloc_free(command);
    return CL_OUT_OF_HOST_MEMORY;
}

static cl_int wait_end(cl_event event)
{
    executor_flush();
    executor_wait_end(event);
    races_host_waited(event);
    return event->status;
}

cl_int command_add(const struct command_request *request, cl_event *event)
{
    /* Once more, now that no other thread can release what the caller has checked. */
    cl_int result = command_check(request);
    if (result == CL_SUCCESS)
        result = enqueue_locked(request, event);
    if (result != CL_SUCCESS && request->work.release)
        request->work.release(request->work.data);
    return result;
}

void command_give_event(const struct command_request *request, cl_event event)
{
    ASSERT(event->object.references > 0);
    object_hold(event);
    if (request->event)
        *request->event = event;
    else
        event->object.references--;
    object_drop(event);
}

cl_int command_enqueue(const struct command_request *request)
{
    cl_event event = NULL;
    if (request->record)
        return request->record(request);
    icd_lock();
    executor_catch_up();
    cl_int result = command_add(request, &event);
    if (result == CL_SUCCESS) {
        if (request->blocking)
            result = wait_end(event);
        else if (unflushed_count >= UNFLUSHED_MAX)
            executor_flush();
        command_give_event(request, event);
    }
    icd_unlock();
    return result;
}
