/* Groups that wait for other groups. They keep their storage and are tried again whenever something
 * has changed, while those that have not begun are started in ascending order, whatever the
 * schedule: that is how devices dispatch them, and a group that waits for an earlier one then soon
 * goes on.
 *
 * Where every group has been started and none goes on while all are tried once, they never will:
 * memory is what it was before, and so is every work-item. Only memory that the host may change at
 * any time may still change: the host is given a while, also where work-items count how often they
 * look. Which of their loops read such memory is not asked: a loop may read several things. */
#include "reference/sched/group.h"
#include "reference/sched/permute.h"
#include "trace/base/alloc.h"

#include <string.h>

/* Groups that are kept at a time. */
enum { KEPT_MAX = 256 };

struct waiting {
    struct launch *leader;
    uint64_t progress_count;       /* of the leader's run, when groups were tried last */
    struct launch *kept[KEPT_MAX]; /* in the order in which they came to wait */
    uint32_t kept_count;
    struct launch *spare; /* storage that no group uses; NULL = none */
    bool *started;        /* by group; NULL = memory is out */
    uint64_t group_count, next;
    struct group changer; /* the last one that changed something */
};

/* Its number in ascending order. */
static uint64_t number_of(const struct launch *launch, const struct group *group)
{
    const uint64_t *count = launch->group_count;
    return group->id[0] + count[0] * (group->id[1] + count[1] * group->id[2]);
}

static void tell_dependence(const struct waiting *waiting, const struct observer_dependence *told)
{
    const struct observer *observer = waiting->leader->request->observer;
    if (observer && observer->dependence)
        observer->dependence(observer->state, told);
}

/* Whom the group depends on if it goes on now: the last one that changed something, or another
 * launch. False: nobody whom it may not wait for. */
static bool find_dependence(const struct waiting *waiting, struct launch *launch,
                            struct observer_standing *place, struct observer_dependence *told)
{
    const struct group *other = &waiting->changer;
    const struct sched_launch *request = launch->request;
    const char *kernel = waiting->leader->changed_by;
    const bool is_later = number_of(launch, other) > number_of(launch, &launch->group);
    if (!launch->blocked || !(is_later || kernel) || !unfinished_find_waiting(launch, place))
        return false;
    *told = (struct observer_dependence){.place = place, .within = OBSERVER_SCOPE_DEVICE};
    memcpy(told->other_group, other->id, sizeof told->other_group);
    if (progress_was_made(launch, place))
        return is_later;
    told->other_kernel = kernel;
    if (request->wait_for_host)
        return false; /* the host may have changed it */
    return kernel ? place->object != NULL : is_later && !waiting->leader->is_beside;
}

/* The group goes on, if it can. True when it has ended. */
static bool run_on(struct waiting *waiting, struct launch *launch)
{
    const uint64_t progress_count = launch->run->progress_count;
    struct observer_standing place;
    struct observer_dependence told;
    const bool depends = find_dependence(waiting, launch, &place, &told);
    const bool ended = group_run_on(launch);
    if (launch->run->progress_count == progress_count)
        return ended;
    if (depends)
        tell_dependence(waiting, &told);
    waiting->changer = launch->group;
    return ended;
}

static void put_aside(struct waiting *waiting, struct launch *launch)
{
    waiting->leader->stopped |= launch->stopped;
    waiting->leader->lacks_memory |= launch->lacks_memory;
    if (!waiting->spare)
        waiting->spare = launch;
    else if (launch != waiting->leader)
        launch_destroy(launch);
}

/* Those that end make room. */
static void try_again(struct waiting *waiting)
{
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < waiting->kept_count; i++) {
        struct launch *launch = waiting->kept[i];
        if (waiting->leader->run->exhausted || !run_on(waiting, launch))
            waiting->kept[kept_count++] = launch;
        else
            put_aside(waiting, launch);
    }
    waiting->kept_count = kept_count;
}

static bool find_next(struct waiting *waiting)
{
    while (waiting->next < waiting->group_count && waiting->started[waiting->next])
        waiting->next++;
    return waiting->next < waiting->group_count;
}

/* Starts one more group. False: there is none, or no room for one. */
static bool start_next(struct waiting *waiting)
{
    struct error error;
    struct launch *launch = waiting->spare;
    if (!waiting->started || !find_next(waiting) || waiting->kept_count == KEPT_MAX)
        return false;
    if (!launch &&
        launch_create(waiting->leader->request, waiting->leader, &launch, &error) != STATUS_OK)
        return false;
    waiting->spare = NULL;
    const uint64_t progress_count = launch->run->progress_count;
    const bool ended = group_run(launch, waiting->next++);
    if (launch->run->progress_count != progress_count)
        waiting->changer = launch->group;
    if (ended)
        put_aside(waiting, launch);
    else
        waiting->kept[waiting->kept_count++] = launch;
    return true;
}

static uint64_t unstarted_count(const struct waiting *waiting)
{
    uint64_t count = 0;
    for (uint64_t i = waiting->next; i < waiting->group_count; i++)
        count += !waiting->started || !waiting->started[i];
    return count;
}

static void note_started(struct waiting *waiting, uint64_t position)
{
    const struct sched_launch *request = waiting->leader->request;
    for (uint64_t i = 0; i < position && waiting->started; i++)
        waiting->started[permute(request->order, request->seed, 0, i, waiting->group_count)] = true;
}

static void tell_host(struct launch *launch, const struct observer_standing *place)
{
    const struct observer *observer = launch->request->observer;
    if (!observer || !observer->dependence)
        return;
    if (observer->group_resume)
        observer->group_resume(observer->state, launch->group.id);
    observer->dependence(
        observer->state,
        &(struct observer_dependence){.place = place, .within = OBSERVER_SCOPE_ALL_DEVICES});
}

/* Meanwhile nobody but the host changes what the first of the groups reads. */
bool sched_wait_for_host(struct launch *launch, bool anew)
{
    const struct sched_launch *request = launch->request;
    struct launch *first =
        launch->kept && launch->kept->kept_count > 0 ? launch->kept->kept[0] : NULL;
    struct observer_standing before;
    struct observer_standing after;
    if (!request->wait_for_host)
        return false;
    const bool waits = first && unfinished_find_waiting(first, &before) && before.object;
    const bool goes_on = request->wait_for_host(request->label, anew);
    if (waits && unfinished_find_waiting(first, &after) && after.object == before.object &&
        after.offset == before.offset && after.value != before.value)
        tell_host(first, &before);
    return goes_on;
}

struct waiting *waiting_create(struct launch *launch, uint64_t count)
{
    struct waiting *waiting = alloc_zero(1, sizeof *waiting);
    if (!waiting)
        return NULL;
    *waiting = (struct waiting){.leader = launch,
                                .kept = {launch},
                                .kept_count = 1,
                                .group_count = count,
                                .changer = launch->group,
                                .progress_count = launch->run->progress_count};
    waiting->started = alloc_zero(count, sizeof *waiting->started);
    note_started(waiting, launch->position);
    return waiting;
}

void waiting_destroy(struct waiting *waiting)
{
    if (!waiting)
        return;
    for (uint32_t i = 0; i < waiting->kept_count; i++) {
        if (waiting->kept[i] != waiting->leader)
            launch_destroy(waiting->kept[i]);
    }
    if (waiting->spare != waiting->leader)
        launch_destroy(waiting->spare);
    alloc_free(waiting->started);
    alloc_free(waiting);
}

enum sched_state waiting_go_on(struct waiting *waiting)
{
    const struct vm_run *run = waiting->leader->run;
    const bool started = !run->exhausted && start_next(waiting);
    const uint64_t move_count = run->move_count;
    if (started && run->progress_count == waiting->progress_count)
        return SCHED_GOES_ON;
    waiting->progress_count = run->progress_count;
    try_again(waiting);
    if (run->exhausted || (waiting->kept_count == 0 && !find_next(waiting)))
        return SCHED_ENDED;
    if (started || run->progress_count != waiting->progress_count)
        return SCHED_GOES_ON;
    return run->move_count == move_count ? SCHED_WAITS : SCHED_LOOKS;
}

void waiting_tell(struct waiting *waiting, uint64_t later_kernels)
{
    unfinished_tell_hang(waiting->kept[0],
                         &(struct unfinished_hang){.waiting_groups = waiting->kept_count,
                                                   .unstarted_groups = unstarted_count(waiting),
                                                   .later_kernels = later_kernels});
}
