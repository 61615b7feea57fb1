#include "reference/sched/crew.h"

#include "reference/sched/permute.h"
#include "reference/sched/pool.h"
#include "reference/vm/trial.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <fenv.h>
#include <sched.h>
#include <string.h>
#include <time.h>

/* A worker takes about so many times some groups. */
enum { TURNS_OF_WORKER = 16 };
/* Interpreted instructions that are worth waking workers for, about 300 microseconds, and one more
 * of them. */
enum { WORTH = 10000, WORTH_OF_WORKER = WORTH / 4 };
/* Those of a group that is not run alone first if a launch before tells how long it takes. */
enum { WORTH_OF_GROUP = WORTH / 8 };
/* Instructions of native code that take about as long as one that is interpreted. */
enum { NATIVE_SPEED = 4 };
/* Launches of a kernel that run alone after one on trial has failed. */
enum { LAUNCHES_ALONE = 100 };
/* On trial a loop may be endless that is not in order. A turn of groups that takes so many times as
 * long as such groups took before, and so many instructions, is given up; so many times later where
 * only another launch tells how long they took. */
enum { PATIENCE = 32, PATIENCE_MIN = 1 << 22, PATIENCE_WITH_OTHERS = 32 };
/* Pages that several have touched that are worth waking the workers for, to look whether they met:
 * what others noted must come from their processors. */
enum { PAGES_WORTH = 64 };
/* Undefined loads of a launch after which it must be known which of them came first. */
enum { UNDEFINED_LOADS_MAX = 1 << 20 };

struct worker {
    struct crew *crew;
    uint32_t index;
    struct sched_launch request; /* the leader's, but for what it tells whom */
    uint64_t next;               /* of tests: the position that is its next */
    uint64_t operation_count, undefined_loads, native_asked;
    bool is_native;
};

struct crew {
    struct launch *leader;
    uint64_t group_count;
    uint32_t worker_count;
    struct trial *trial; /* part 0 is the leader's, part i + 1 that of worker i; NULL = not yet */
    /* Of the groups on trial: */
    uint64_t next, turn; /* the position that is next; how many groups are taken at a time */
    uint64_t turn_limit; /* instructions of a turn */
    struct worker workers[];
};

/* ---- what may be divided ---- */

static bool runs_alone(const struct sched_launch *request)
{
    struct vm_launches *launches = request->code->launches;
    const uint32_t left = launches ? __atomic_load_n(&launches->alone, __ATOMIC_RELAXED) : 0;
    if (left == 0 || request->shuffle_workers)
        return false;
    __atomic_store_n(&launches->alone, left - 1, __ATOMIC_RELAXED);
    return true;
}

static void note_alone(const struct vm_code *code)
{
    if (code->launches)
        __atomic_store_n(&code->launches->alone, LAUNCHES_ALONE, __ATOMIC_RELAXED);
}

/* ---- what a group costs: interpreted instructions that take as long ---- */

static double cost(uint64_t operation_count, bool is_native)
{
    return (double)operation_count / (is_native ? NATIVE_SPEED : 1);
}

/* As in a launch before; 0 = not known, or soon seen. */
static double remembered_cost(const struct launch *leader)
{
    const struct vm_launches *launches = leader->request->code->launches;
    const uint64_t found = launches ? __atomic_load_n(&launches->group_cost, __ATOMIC_RELAXED) : 0;
    return found >= WORTH_OF_GROUP ? (double)found : 0;
}

static void remember_cost(const struct launch *leader, double group_cost)
{
    struct vm_launches *launches = leader->request->code->launches;
    if (launches)
        __atomic_store_n(&launches->group_cost, (uint64_t)group_cost, __ATOMIC_RELAXED);
}

static double group_cost(const struct launch *leader, uint64_t position)
{
    const struct vm_run *run = &leader->own_run;
    return position > 0 ? cost(run->operation_count, run->native != NULL) / (double)position
                        : remembered_cost(leader);
}

static bool is_beside_host(const struct sched_launch *request)
{
    const uint32_t kinds =
        1U << OBSERVER_SVM_NONE | 1U << OBSERVER_SVM_COARSE | 1U << OBSERVER_SVM_DEVICE;
    bool beside = request->wait_for_host != NULL || (request->svm_kinds & ~kinds) != 0;
    for (size_t i = 0; i < request->svm_listed_count; i++) {
        const struct vm_object *object = vm_memory_find(request->memory, request->svm_listed[i]);
        beside |= !object || (kinds >> object->identity.svm & 1) == 0;
    }
    return beside;
}

/* Does it print, use pipes or queues, may its work-items wait for others, or are there 32-bit
 * pointers, which get their numbers in order? */
static bool depends_on_order(const struct vm_code *code)
{
    bool depends = code->spin_count > 0 || code->waits || code->uses_acquire ||
                   code->print_count > 0 || code->device_call_count > 0;
    for (uint32_t i = 0; i < code->parameter_count; i++)
        depends |= code->parameters[i].kind == VM_PARAMETER_PIPE ||
                   code->parameters[i].kind == VM_PARAMETER_QUEUE;
    for (uint32_t i = 0; i < code->instruction_count && !depends; i++) {
        const enum vm_op op = (enum vm_op)code->instructions[i].op;
        depends = op == VM_OP_pack_pointer || op == VM_OP_unpack_pointer ||
                  vm_op_traits(op) & (VM_PIPE | VM_QUEUE);
    }
    return depends;
}

static bool has_loops(const struct vm_code *code)
{
    for (uint32_t i = 0; i < code->block_count; i++) {
        const struct vm_instruction *last =
            &code->instructions[code->blocks[i].first + code->blocks[i].count - 1];
        if ((last->op == VM_OP_branch || last->op == VM_OP_branch_if) &&
            (last->a <= i || (last->op == VM_OP_branch_if && last->b <= i)))
            return true;
    }
    return false;
}

/* Without loops no group executes more than the kernel's text. */
static bool may_be_worth(const struct launch *leader, uint64_t group_count)
{
    const struct vm_code *code = leader->request->code;
    const uint64_t vectors = (leader->enqueued_items + VM_LANES - 1) / VM_LANES;
    return group_count >= WORTH || group_count * vectors * code->instruction_count >= WORTH ||
           has_loops(code);
}

/* Each has the storage of a launch. */
static uint32_t count_workers(const struct launch *leader, uint64_t group_count)
{
    const struct sched_launch *request = leader->request;
    uint64_t count = request->workers < POOL_THREADS_MAX ? request->workers : POOL_THREADS_MAX;
    if (count > group_count)
        count = group_count;
    if (count > pool_memory() / leader->storage_size)
        count = pool_memory() / leader->storage_size;
    return (uint32_t)count;
}

static bool only_read(const void *user, uint32_t object)
{
    return launch_only_reads(user, object);
}

/* Where races are judged, what the leader touches counts, too. */
static bool begin_trial(struct crew *crew)
{
    crew->trial = trial_create(crew->worker_count + 1, pool_memory(), only_read, crew->leader);
    return crew->trial != NULL;
}

struct crew *crew_begin(struct launch *leader, uint64_t group_count)
{
    const struct sched_launch *request = leader->request;
    const uint32_t worker_count = request->workers < 2 ? 0 : count_workers(leader, group_count);
    if (worker_count < 2 || (request->observer && !request->scouts) ||
        (!request->shuffle_workers && !may_be_worth(leader, group_count)))
        return NULL;
    struct crew *crew = alloc_zero(1, sizeof *crew + worker_count * sizeof crew->workers[0]);
    if (!crew)
        return NULL;
    crew->leader = leader;
    crew->group_count = group_count;
    crew->worker_count = worker_count;
    if (request->observer && request->observer->access) {
        if (!begin_trial(crew)) {
            alloc_free(crew);
            return NULL;
        }
        leader->own_run.part = trial_part_get(crew->trial, 0);
    }
    return crew;
}

/* What native code knows of objects says also whether accesses are noted. */
static void leave_trial(struct launch *leader)
{
    leader->own_run.part = NULL;
    for (uint32_t slot = 0; slot < leader->slot_count; slot++)
        memset(leader->vectors[slot].native_objects, 0,
               sizeof leader->vectors[slot].native_objects);
}

void crew_end(struct crew *crew)
{
    if (!crew)
        return;
    if (crew->leader->own_run.part)
        leave_trial(crew->leader);
    trial_destroy(crew->trial);
    alloc_free(crew);
}

/* ---- a worker ---- */

void crew_pause(struct launch *launch)
{
    const uint64_t seed = launch->request->shuffle_workers ^ (uintptr_t)launch->run->part;
    const uint64_t mixed =
        (launch->run->operation_count + 1) * seed * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    if (mixed % 8 == 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)(mixed / 8 % 64) * 1000}, NULL);
    else if (mixed % 8 < 3)
        sched_yield();
}

/* The next groups, at positions from *position on; 0 = none. In tests it is certain who runs which,
 * and so whether they meet. */
static uint64_t take_turn(struct worker *worker, uint64_t *position)
{
    struct crew *crew = worker->crew;
    if (worker->request.shuffle_workers) {
        *position = worker->next;
        worker->next += crew->worker_count;
        return *position < crew->group_count;
    }
    *position = __atomic_fetch_add(&crew->next, crew->turn, __ATOMIC_RELAXED);
    if (*position >= crew->group_count)
        return 0;
    const uint64_t left = crew->group_count - *position;
    return left < crew->turn ? left : crew->turn;
}

/* Is there nothing to be told of what the launch has done so far, and no reason to end it? */
static bool is_uneventful(const struct worker *worker, const struct launch *launch)
{
    const struct sched_scouts *scouts = worker->request.scouts;
    const struct vm_run *run = launch->run;
    return !run->exhausted && !launch->hangs && !launch->stopped && !launch->lacks_memory &&
           launch->printed.size == 0 && !launch->printed.failed &&
           run->undefined_loads < UNDEFINED_LOADS_MAX &&
           !(worker->request.observer && scouts->has_found(scouts->user, worker->index));
}

static bool run_turn(struct worker *worker, struct launch *launch, uint64_t position,
                     uint64_t count)
{
    const struct sched_launch *request = &worker->request;
    struct crew *crew = worker->crew;
    launch->own_run.operation_limit = launch->own_run.operation_count + crew->turn_limit;
    for (uint64_t i = position; i < position + count; i++) {
        const uint64_t group = permute(request->order, request->seed, 0, i, crew->group_count);
        if (trial_has_failed(crew->trial) || !group_run(launch, group) ||
            !is_uneventful(worker, launch))
            return false;
    }
    return true;
}

static bool run_turns(struct worker *worker, struct launch *launch)
{
    const struct observer *observer = worker->request.observer;
    uint64_t position;
    uint64_t count;
    launch_tell_begin(launch);
    while ((count = take_turn(worker, &position)) > 0) {
        if (!run_turn(worker, launch, position, count))
            return false;
    }
    if (observer && observer->launch_end)
        observer->launch_end(observer->state);
    return is_uneventful(worker, launch);
}

static void work(void *user, uint32_t index)
{
    struct crew *crew = user;
    struct worker *worker = &crew->workers[index];
    const struct sched_scouts *scouts = worker->request.scouts;
    struct launch *launch = NULL;
    struct error error;
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    bool good = true;
    if (worker->request.observer) {
        worker->request.observer = scouts->observer(scouts->user, index);
        good = worker->request.observer != NULL;
    }
    good = good && launch_create(&worker->request, NULL, &launch, &error) == STATUS_OK;
    if (good) {
        launch->own_run.owners = crew->leader->own_run.owners;
        launch->own_run.part = trial_part_get(crew->trial, index + 1);
        good = run_turns(worker, launch);
        worker->operation_count = launch->own_run.operation_count;
        worker->undefined_loads = launch->own_run.undefined_loads;
        worker->native_asked = launch->own_run.native_asked;
        worker->is_native = launch->own_run.native != NULL;
    }
    if (!good)
        trial_fail(crew->trial);
    launch_destroy(launch);
    fesetenv(&environment);
}

/* ---- the crew ---- */

/* Have they together passed a limit that is one launch's? */
static bool within_limits(const struct crew *crew, uint64_t *operation_count)
{
    const struct vm_run *run = &crew->leader->own_run;
    uint64_t undefined_loads = run->undefined_loads;
    *operation_count = run->operation_count;
    for (uint32_t i = 0; i < crew->worker_count; i++) {
        *operation_count += crew->workers[i].operation_count;
        undefined_loads += crew->workers[i].undefined_loads;
    }
    return undefined_loads < UNDEFINED_LOADS_MAX &&
           (run->operation_limit == 0 || *operation_count <= run->operation_limit);
}

static void look_for_meeting(void *user, uint32_t index)
{
    struct crew *crew = user;
    if (trial_parts_meet(crew->trial, index + 1))
        trial_fail(crew->trial);
}

/* Has nobody failed, nor touched what another one wrote? */
static bool all_stayed_apart(struct crew *crew)
{
    const uint64_t shared = trial_shared_pages(crew->trial);
    if (trial_has_failed(crew->trial))
        return false;
    if (shared < PAGES_WORTH || !pool_run(crew->worker_count, look_for_meeting, crew))
        return !trial_parts_meet(crew->trial, 0);
    return !trial_has_failed(crew->trial);
}

/* The leader has done what the workers have. */
static void add_done(struct crew *crew, uint64_t operation_count)
{
    struct vm_run *run = &crew->leader->own_run;
    bool is_native = false;
    run->operation_count = operation_count;
    for (uint32_t i = 0; i < crew->worker_count; i++) {
        run->native_asked += crew->workers[i].native_asked;
        is_native |= crew->workers[i].is_native;
    }
    remember_cost(crew->leader, cost(operation_count, is_native) / (double)crew->group_count);
    crew->leader->course = SCHED_DIVIDED;
}

/* Instructions after which a turn is given up. */
static uint64_t turn_limit(const struct crew *crew, uint64_t position)
{
    const double patience = PATIENCE * (position > 0 ? 1.0 : PATIENCE_WITH_OTHERS);
    const double limit =
        group_cost(crew->leader, position) * NATIVE_SPEED * (double)crew->turn * patience;
    const double least = PATIENCE_MIN * (position > 0 ? 1.0 : PATIENCE_WITH_OTHERS);
    return limit < least ? (uint64_t)least : limit < 1e18 ? (uint64_t)limit : (uint64_t)1e18;
}

/* True: the groups from the position on have been run as if in order. False: nothing has happened.
 */
static bool run_on_trial(struct crew *crew, uint64_t position)
{
    const struct launch *leader = crew->leader;
    uint64_t operation_count;
    const uint64_t left = crew->group_count - position;
    crew->next = position;
    crew->turn = left / ((uint64_t)crew->worker_count * TURNS_OF_WORKER);
    if (crew->turn == 0)
        crew->turn = 1;
    crew->turn_limit = turn_limit(crew, position);
    for (uint32_t i = 0; i < crew->worker_count; i++) {
        crew->workers[i] = (struct worker){
            .crew = crew, .index = i, .request = *leader->request, .next = position + i};
        crew->workers[i].request.owners = NULL;
    }
    if (!pool_run(crew->worker_count, work, crew))
        return false;
    if (within_limits(crew, &operation_count) && all_stayed_apart(crew)) {
        add_done(crew, operation_count);
        return true;
    }
    trial_undo(crew->trial);
    crew->leader->course = SCHED_UNDONE;
    note_alone(leader->request->code);
    return false;
}

enum prospect { PROSPECT_GOOD, PROSPECT_UNKNOWN, PROSPECT_BAD };

/* Is it worth while to divide what is left, and among how many? */
static enum prospect look_ahead(struct crew *crew, uint64_t position)
{
    const struct sched_launch *request = crew->leader->request;
    const uint64_t left = crew->group_count - position;
    const double coming = group_cost(crew->leader, position) * (double)left;
    if (left < crew->worker_count)
        return PROSPECT_BAD;
    if (request->shuffle_workers)
        return PROSPECT_GOOD;
    if (coming >= WORTH) {
        if (coming / WORTH_OF_WORKER < crew->worker_count)
            crew->worker_count = (uint32_t)(coming / WORTH_OF_WORKER);
        return PROSPECT_GOOD;
    }
    return position > crew->group_count / TURNS_OF_WORKER ? PROSPECT_BAD : PROSPECT_UNKNOWN;
}

uint64_t crew_run(struct crew **given, uint64_t position)
{
    struct crew *crew = *given;
    const struct launch *leader = crew->leader;
    const enum prospect prospect = look_ahead(crew, position);
    uint64_t done = 0;
    ASSERT(position <= crew->group_count);
    if (prospect == PROSPECT_UNKNOWN)
        return 0;
    if (prospect == PROSPECT_GOOD && !depends_on_order(leader->request->code) &&
        !is_beside_host(leader->request) && !runs_alone(leader->request) &&
        (crew->trial || begin_trial(crew)) && run_on_trial(crew, position))
        done = crew->group_count - position;
    crew_end(crew);
    *given = NULL;
    return done;
}
