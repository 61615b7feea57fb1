/* Runs one work-group: its lane vectors in turn, until all have ended or wait for another group. */
#include "reference/sched/group.h"

#include "reference/sched/permute.h"
#include "reference/vm/trial.h"

/* Rounds in which work-items of a group only look, and find nothing, but go on counting: after that
 * other groups run too. */
enum { IDLE_ROUNDS = 64 };

static void tell_vector(struct launch *launch, uint32_t vector)
{
    const struct observer *observer = launch->request->observer;
    if (!observer || !observer->vector_run || launch->told_vector == vector)
        return;
    launch->told_vector = vector;
    observer->vector_run(observer->state, vector);
}

/* A division of small numbers takes a fraction of the time. */
static uint64_t divide(uint64_t a, uint64_t b)
{
    if (a < b)
        return 0;
    return (a | b) >> 32 == 0 ? (uint32_t)a / (uint32_t)b : a / b;
}

void launch_set_group(struct launch *launch, uint64_t index)
{
    const struct sched_launch *request = launch->request;
    struct group *group = &launch->group;
    group->item_count = 1;
    for (uint32_t d = 0; d < 3; d++) {
        const uint64_t quotient = divide(index, launch->group_count[d]);
        group->id[d] = index - quotient * launch->group_count[d];
        index = quotient;
        const uint64_t start = group->id[d] * request->local_size[d];
        const uint64_t rest = request->global_size[d] - start;
        group->size[d] = rest < request->local_size[d] ? rest : request->local_size[d];
        group->item_count *= (uint32_t)group->size[d];
    }
    group->vector_count = group_vectors(group, group->item_count);
}

/* Of a launch that takes turns, of which all vectors run or `only` one. */
static bool has_turn(const struct launch *launch, uint32_t index, uint32_t only)
{
    return only == GROUP_ALL_VECTORS ? index != launch->held_vector || launch->held_left != 0
                                     : index == only;
}

/* How long its turn is. Gives whether it will be held behind it. */
static bool begin_turn(struct launch *launch, uint32_t index)
{
    const bool will_be_held = index == launch->held_vector && launch->held_left > 0;
    launch->run->turn_left = will_be_held ? launch->held_left : launch->run->turn;
    return will_be_held;
}

static void run_until_waiting(struct launch *launch, uint32_t index)
{
    struct vm_vector *vector = launch_vector(launch, index);
    const bool will_be_held = launch->run->takes_turns && begin_turn(launch, index);
    do
        vm_vector_run(vector);
    while (!launch->run->exhausted && launch->sub_group_barriers && !vector->paused &&
           barrier_pass_sub_groups(launch, index));
    if (will_be_held)
        launch->held_left = launch->run->turn_left;
    if (launch->run->exhausted)
        unfinished_tell(launch, index);
}

/* Until each lane of the vector has ended or waits for others than its sub-group. */
static void run_vector(struct launch *launch, uint32_t index)
{
    struct vm_vector *vector = launch_vector(launch, index);
    struct sched_debugger *debugger = launch->request->debugger;
    uint64_t progress_count;
    tell_vector(launch, group_index(&launch->group, index));
    if (debugger)
        debugger->run_vector(debugger->vm.state, launch, index);
    if (launch->request->shuffle_workers && launch->run->part)
        crew_pause(launch);
    if (launch->request->code->spin_count == 0) {
        run_until_waiting(launch, index);
        return;
    }
    do {
        struct progress progress;
        progress_count = launch->run->progress_count;
        progress_begin(launch, index, &progress);
        vm_vector_resume(vector);
        run_until_waiting(launch, index);
        progress_end(launch, index, &progress);
    } while (!launch->run->exhausted && launch->run->progress_count != progress_count &&
             !launch->run->takes_turns && vm_vector_held(vector));
}

static uint32_t vector_at(const struct launch *launch, uint32_t position)
{
    const struct sched_launch *request = launch->request;
    return (uint32_t)permute(request->order, request->seed, 2, position,
                             launch->group.vector_count);
}

static bool group_ended(struct launch *launch)
{
    for (uint32_t v = 0; v < launch->group.vector_count; v++) {
        if (launch_vector(launch, v)->ended != group_lanes(&launch->group, v))
            return false;
    }
    return true;
}

/* Vectors that never wait for each other, in one frame. */
static void run_simple_group(struct launch *launch)
{
    const uint32_t count = launch->group.vector_count;
    for (uint32_t position = 0; position < count && !launch->run->exhausted; position++) {
        const uint32_t vector = vector_at(launch, position);
        launch_begin_vector(launch, vector);
        run_vector(launch, vector);
    }
}

/* Some work-items of the group are held at spins. */
static bool group_waits(struct launch *launch)
{
    for (uint32_t v = 0; v < launch->group.vector_count; v++) {
        if (vm_vector_held(launch_vector(launch, v)))
            return true;
    }
    return false;
}

/* Some of its vectors have paused; or can run, where not all were to. */
static bool group_paused(struct launch *launch, uint32_t only)
{
    const bool all = only == GROUP_ALL_VECTORS && launch->held_vector == UINT32_MAX;
    for (uint32_t v = 0; v < launch->group.vector_count; v++) {
        const struct vm_vector *vector = launch_vector(launch, v);
        if (vector->paused || (!all && vm_vector_runnable(vector)))
            return true;
    }
    return false;
}

static inline bool goes_on(const struct vm_vector *vector, bool spins)
{
    return vm_vector_runnable(vector) || (spins && vm_vector_held(vector));
}

bool group_vector_goes_on(struct launch *launch, uint32_t vector)
{
    return goes_on(launch_vector(launch, vector), launch->run->code->spin_count != 0);
}

/* Each vector that can, or the only one that is to, runs once, until it waits for others or pauses.
 */
static enum group_state run_round(struct launch *launch, uint32_t only)
{
    struct vm_run *run = launch->run;
    const bool spins = run->code->spin_count != 0;
    /* A loop may wait for ever for what is not performed any more. */
    run->exhausted |= run->part && trial_part_is_idle(run->part);
    for (uint32_t position = 0; position < launch->group.vector_count; position++) {
        const uint32_t index = vector_at(launch, position);
        if (!run->exhausted && (!run->takes_turns || has_turn(launch, index, only)) &&
            goes_on(launch_vector(launch, index), spins))
            run_vector(launch, index);
    }
    if (run->exhausted)
        return GROUP_ENDED;
    if (group_ended(launch)) {
        copy_end_group(launch);
        return GROUP_ENDED;
    }
    if (launch->named_barriers && barrier_pass_named(launch))
        return GROUP_GOES_ON;
    if (run->takes_turns && group_paused(launch, only))
        return GROUP_GOES_ON;
    if (spins && group_waits(launch))
        return GROUP_WAITS;
    if (barrier_pass_group(launch))
        return GROUP_GOES_ON;
    launch->stopped = true;
    return GROUP_ENDED;
}

/* Vectors in turns, each until it waits for others. False when all that have not ended wait for
 * another group; then they can go on later. */
static bool run_turns(struct launch *launch)
{
    const struct vm_run *run = launch->run;
    launch->blocked = true;
    for (uint32_t idle = 0; idle < IDLE_ROUNDS; idle++) {
        const uint64_t progress_count = run->progress_count;
        const uint64_t move_count = run->move_count;
        const enum group_state state = run_round(launch, GROUP_ALL_VECTORS);
        if (state == GROUP_ENDED)
            return true;
        if (state == GROUP_GOES_ON || run->progress_count != progress_count)
            idle = 0;
        else if (run->move_count == move_count)
            return false;
    }
    launch->blocked = false;
    return false;
}

/* Who wants to know of the groups of the launch; NULL = nobody. */
static const struct vm_device *device_of(const struct launch *launch)
{
    const struct sched_launch *request = launch->request;
    return request->device && request->device->group_runs && request->code->device_call_count > 0
               ? request->device
               : NULL;
}

static uint64_t group_number(const struct launch *launch)
{
    const uint64_t *id = launch->group.id;
    const uint64_t *count = launch->group_count;
    return (id[2] * count[1] + id[1]) * count[0] + id[0];
}

static void end_group(struct launch *launch)
{
    const struct observer *observer = launch->request->observer;
    const struct vm_device *device = device_of(launch);
    if (observer && observer->group_end)
        observer->group_end(observer->state);
    if (device && !launch->run->exhausted && !launch->stopped)
        device->group_ended(device->state, group_number(launch));
}

void group_begin(struct launch *launch, uint64_t index)
{
    const struct observer *observer = launch->request->observer;
    const struct vm_device *device = device_of(launch);
    launch_set_group(launch, index);
    launch_begin_group(launch);
    if (device)
        device->group_runs(device->state, index);
    if (observer && observer->group_begin)
        observer->group_begin(observer->state, launch->group.id, launch->group.item_count);
    for (uint32_t v = 0; launch->in_turns && v < launch->group.vector_count; v++)
        launch_begin_vector(launch, v);
}

bool group_run(struct launch *launch, uint64_t index)
{
    bool ended = true;
    group_begin(launch, index);
    if (launch->in_turns)
        ended = run_turns(launch);
    else
        run_simple_group(launch);
    if (ended)
        end_group(launch);
    return ended;
}

static void resume(struct launch *launch)
{
    const struct observer *observer = launch->request->observer;
    const struct vm_device *device = device_of(launch);
    launch->told_vector = UINT32_MAX;
    if (device)
        device->group_runs(device->state, group_number(launch));
    if (observer && observer->group_resume)
        observer->group_resume(observer->state, launch->group.id);
}

enum group_state group_take_turn(struct launch *launch, uint32_t vector)
{
    resume(launch);
    const enum group_state state = run_round(launch, vector);
    if (state == GROUP_ENDED)
        end_group(launch);
    return state;
}

bool group_run_on(struct launch *launch)
{
    resume(launch);
    const bool ended = run_turns(launch);
    if (ended)
        end_group(launch);
    return ended;
}
