/* Groups that take turns: each lets its vectors run, one after the other, until they have done so
 * many atomic operations, and then the next group goes on. Storage is what limits how many groups
 * are under way; one that ends makes room for the next, in the order of the schedule.
 *
 * Work-items that wait in loops do so too soon where a turn ends behind each look: that memory has
 * not changed meanwhile is not known then. So where nothing has changed for a while turns are
 * without an end, and what does not go on then, when all look at what no one changes, never will.
 *
 * By priorities (sched_launch.depth) not all have their turns, but whoever comes first: Burckhardt
 * et al., "A randomized scheduler with probabilistic guarantees of finding bugs" (ASPLOS 2010).
 * Where priorities change is not chosen among the steps of a known run, as there, but on a scale of
 * powers of two, so that the seed alone says it. Where all that come first wait, everybody has
 * turns until something changes.
 *
 * To hold one work-item (sched_launch.holds) groups come one after the other, and their work-items
 * in each, but the one stops before an atomic operation. Where nobody else goes on it has a turn,
 * until somebody does. */
#include "reference/sched/group.h"
#include "reference/sched/permute.h"
#include "trace/base/alloc.h"

/* Groups that are under way at a time, and bytes of storage of all but the first. */
enum { KEPT_MAX = 256 };
static const uint64_t STORAGE_MAX = UINT64_C(1) << 28;
/* Rounds of all groups without a change after which turns have no end; and more, until what waits
 * has looked again. */
enum { QUIET_MAX = 4, QUIET_LAST = QUIET_MAX + 3 };

/* Steps of a launch within which priorities change, at most, and of one with a single work-item: 2
 * to the power of this. And turns that one may have while nothing changes, as those have that count
 * how often they look; then it comes last. */
enum { CHANGES_LOG2 = 20, CHANGES_OF_ITEM_LOG2 = 5, PATIENCE = 1024 };
/* Work-items up to which each has a priority of its own. */
enum { ITEMS_MAX = 64 };

/* Who has a priority. */
struct unit {
    struct launch *launch;
    uint32_t vector; /* GROUP_ALL_VECTORS = all */
    uint64_t priority;
    uint64_t seen; /* vm_run.progress_count when it ran */
    uint32_t vain; /* turns since that changed */
    bool waits;
};

struct turns {
    struct launch *leader;
    struct launch *kept[KEPT_MAX]; /* in the order in which they began */
    uint32_t kept_count, room;
    struct launch *spare; /* storage that no group uses; NULL = none */
    uint64_t next, count; /* positions in the schedule */
    uint32_t quiet;       /* rounds without a change */
    struct unit units[KEPT_MAX];
    uint32_t unit_count;
    uint64_t step;   /* turns by priority so far */
    uint64_t lowest; /* priority; those given at the beginning are above that of the first change */
};

static uint32_t find_room(const struct launch *leader)
{
    const uint64_t room = STORAGE_MAX / leader->storage_size + 1;
    return room < KEPT_MAX ? (uint32_t)room : KEPT_MAX;
}

/* ---- who has a priority ---- */

/* What the seed chooses below `end`, for one of several purposes. */
enum purpose { PURPOSE_PRIORITY = 3, PURPOSE_CHANGE, PURPOSE_SCALE, PURPOSE_SCALE_TOO };
static uint64_t choose(const struct turns *turns, enum purpose purpose, uint64_t which,
                       uint64_t end)
{
    return permute(SCHED_SEEDED, turns->leader->request->seed, purpose, which % end, end);
}

static bool has_units_of_vectors(const struct turns *turns)
{
    return turns->count * turns->leader->enqueued_items <= ITEMS_MAX;
}

static void add_unit(struct turns *turns, struct launch *launch, uint64_t group, uint32_t vector)
{
    const uint64_t of_group = has_units_of_vectors(turns) ? ITEMS_MAX : 1;
    const uint64_t number = group * of_group + (vector == GROUP_ALL_VECTORS ? 0 : vector);
    turns->units[turns->unit_count++] = (struct unit){
        .launch = launch,
        .vector = vector,
        .priority = UINT32_MAX + choose(turns, PURPOSE_PRIORITY, number, turns->count * of_group),
    };
}

/* If it is of the group: the one that is held. */
static void hold(struct turns *turns, struct launch *launch, uint64_t group)
{
    const struct sched_launch *request = turns->leader->request;
    const uint64_t item = request->held % turns->leader->enqueued_items;
    if (request->held / turns->leader->enqueued_items != group || item >= launch->group.item_count)
        return;
    launch->held_vector = group_vector_of(&launch->group, item);
    launch->held_left = request->held_before - 1;
    turns->units[turns->unit_count++] =
        (struct unit){.launch = launch, .vector = launch->held_vector};
}

static void add_units(struct turns *turns, struct launch *launch, uint64_t group)
{
    if (turns->leader->request->holds)
        hold(turns, launch, group);
    if (turns->leader->request->depth == 0)
        return;
    if (!has_units_of_vectors(turns))
        add_unit(turns, launch, group, GROUP_ALL_VECTORS);
    for (uint32_t v = 0; has_units_of_vectors(turns) && v < launch->group.vector_count; v++)
        add_unit(turns, launch, group, v);
}

static void remove_units(struct turns *turns, const struct launch *launch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < turns->unit_count; i++) {
        if (turns->units[i].launch != launch)
            turns->units[count++] = turns->units[i];
    }
    turns->unit_count = count;
}

/* ---- groups that are under way ---- */

/* One more group begins. False: there is none, or no room for one. */
static bool start_next(struct turns *turns)
{
    struct error error;
    const struct sched_launch *request = turns->leader->request;
    if (turns->next == turns->count || turns->kept_count == turns->room)
        return false;
    struct launch *launch = turns->spare;
    if (!launch && launch_create(request, turns->leader, &launch, &error) != STATUS_OK) {
        turns->room = turns->kept_count;
        return false;
    }
    turns->spare = NULL;
    const uint64_t group = permute(request->order, request->seed, 0, turns->next++, turns->count);
    group_begin(launch, group);
    add_units(turns, launch, group);
    turns->kept[turns->kept_count++] = launch;
    turns->quiet = 0;
    return true;
}

static void put_aside(struct turns *turns, struct launch *launch)
{
    remove_units(turns, launch);
    turns->leader->stopped |= launch->stopped;
    turns->leader->lacks_memory |= launch->lacks_memory;
    if (!turns->spare)
        turns->spare = launch;
    else if (launch != turns->leader)
        launch_destroy(launch);
}

/* Each group that is under way has its turn. Does any go on? */
static bool take_turns(struct turns *turns)
{
    uint32_t kept_count = 0;
    bool goes_on = false;
    for (uint32_t i = 0; i < turns->kept_count; i++) {
        struct launch *launch = turns->kept[i];
        const enum group_state state = turns->leader->run->exhausted
                                           ? GROUP_WAITS
                                           : group_take_turn(launch, GROUP_ALL_VECTORS);
        goes_on |= state != GROUP_WAITS;
        if (state == GROUP_ENDED && !turns->leader->run->exhausted)
            put_aside(turns, launch);
        else
            turns->kept[kept_count++] = launch;
    }
    turns->kept_count = kept_count;
    return goes_on;
}

/* ---- turns ---- */

/* Nobody goes on, unless there is a group that could yet begin. */
static enum sched_state stop_waiting(struct turns *turns)
{
    turns->quiet = 0;
    if (turns->next < turns->count && turns->room < KEPT_MAX) {
        turns->room++;
        if (start_next(turns))
            return SCHED_GOES_ON;
    }
    return SCHED_WAITS;
}

static enum sched_state run_round(struct turns *turns)
{
    struct vm_run *run = turns->leader->run;
    const uint64_t progress_count = run->progress_count;
    const uint64_t move_count = run->move_count;
    run->turn = turns->quiet < QUIET_MAX ? turns->leader->request->turn : 0;
    const bool goes_on = take_turns(turns);
    /* Of code without spins nobody counts changes, and nobody waits. */
    if (run->code->spin_count == 0 || run->progress_count != progress_count)
        turns->quiet = 0;
    else if (turns->quiet < QUIET_LAST)
        turns->quiet++;
    else if (!run->exhausted && !goes_on)
        return run->move_count == move_count ? stop_waiting(turns) : SCHED_LOOKS;
    return SCHED_GOES_ON;
}

/* ---- turns by priority ---- */

/* Can it go on, or has something changed since it waited? */
static bool is_ready(const struct turns *turns, const struct unit *unit)
{
    if (unit->waits && unit->seen == turns->leader->run->progress_count)
        return false;
    return unit->vector == GROUP_ALL_VECTORS || group_vector_goes_on(unit->launch, unit->vector);
}

static struct unit *first_unit(struct turns *turns)
{
    struct unit *first = NULL;
    for (uint32_t i = 0; i < turns->unit_count; i++) {
        struct unit *unit = &turns->units[i];
        if ((!first || unit->priority > first->priority) && is_ready(turns, unit))
            first = unit;
    }
    return first;
}

static uint64_t scale_count(const struct turns *turns)
{
    const uint64_t items = turns->count * turns->leader->enqueued_items;
    uint64_t log2 = CHANGES_OF_ITEM_LOG2;
    while (log2 < CHANGES_LOG2 && items >> (log2 - CHANGES_OF_ITEM_LOG2) > 1)
        log2++;
    return log2;
}

/* Of steps within which change number `index` is, the power of two: rather a small one. */
static uint64_t scale_of(const struct turns *turns, uint64_t index)
{
    const uint64_t count = scale_count(turns);
    const uint64_t first = choose(turns, PURPOSE_SCALE, index, count);
    const uint64_t second = choose(turns, PURPOSE_SCALE_TOO, index, count);
    return UINT64_C(2) << (first < second ? first : second);
}

/* Is this a step at which priorities change? */
static bool changes_now(const struct turns *turns)
{
    bool changes = false;
    for (uint64_t i = 0; i + 1 < turns->leader->request->depth && i < CHANGES_LOG2; i++)
        changes |= choose(turns, PURPOSE_CHANGE, i, scale_of(turns, i)) == turns->step;
    return changes;
}

static void drop_kept(struct turns *turns, const struct launch *launch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < turns->kept_count; i++) {
        if (turns->kept[i] != launch)
            turns->kept[count++] = turns->kept[i];
    }
    turns->kept_count = count;
}

/* A turn of so many atomic operations; 0 = without an end. */
static void run_unit(struct turns *turns, struct unit *unit, uint32_t turn)
{
    struct vm_run *run = turns->leader->run;
    struct launch *launch = unit->launch;
    if (run->progress_count != unit->seen)
        unit->vain = 0;
    unit->seen = run->progress_count;
    unit->vain++;
    run->turn = turn;
    const enum group_state state = group_take_turn(launch, unit->vector);
    unit->waits = state == GROUP_WAITS;
    if (unit->vector != GROUP_ALL_VECTORS && state != GROUP_ENDED)
        unit->waits = vm_vector_held(launch_vector(launch, unit->vector)) != 0;
    if (state == GROUP_ENDED && !run->exhausted) {
        drop_kept(turns, launch);
        put_aside(turns, launch);
    }
}

/* One turn, by priority where there is one; or a change of priorities. */
static enum sched_state run_next(struct turns *turns)
{
    struct unit *first = turns->quiet == 0 ? first_unit(turns) : NULL;
    const bool changes = first && (changes_now(turns) || first->vain == PATIENCE);
    turns->step += first != NULL;
    if (!first)
        return run_round(turns);
    if (changes) {
        first->priority = --turns->lowest;
        first->vain = 0;
    } else {
        run_unit(turns, first, turns->leader->request->turn);
    }
    return SCHED_GOES_ON;
}

/* ---- one that is held ---- */

/* The first group that can goes on, until its work-items wait; but for the one. False: none can. */
static bool run_others(struct turns *turns)
{
    const struct vm_run *run = turns->leader->run;
    const uint64_t progress_count = run->progress_count;
    for (uint32_t i = 0; i < turns->kept_count && run->progress_count == progress_count; i++) {
        struct unit all = {.launch = turns->kept[i], .vector = GROUP_ALL_VECTORS};
        run_unit(turns, &all, 0);
    }
    return run->progress_count != progress_count;
}

/* Once nobody goes on, with or without it, all have turns. */
static enum sched_state run_held(struct turns *turns)
{
    struct unit *const held = turns->unit_count > 0 ? &turns->units[0] : NULL;
    bool goes_on = turns->quiet == 0 && run_others(turns);
    /* They may have passed a barrier, and gone on no farther. */
    if (turns->quiet == 0 && !goes_on)
        goes_on = run_others(turns);
    if (goes_on)
        return SCHED_GOES_ON;
    if (turns->quiet == 0 && turns->unit_count > 0 && held->vain < PATIENCE &&
        is_ready(turns, held)) {
        run_unit(turns, held, turns->leader->request->turn);
        return SCHED_GOES_ON;
    }
    if (turns->unit_count > 0)
        held->launch->held_vector = UINT32_MAX;
    turns->unit_count = 0;
    return run_round(turns);
}

struct turns *turns_create(struct launch *launch, uint64_t count)
{
    struct turns *turns = alloc_zero(1, sizeof *turns);
    if (!turns)
        return NULL;
    *turns = (struct turns){.leader = launch,
                            .spare = launch,
                            .count = count,
                            .room = find_room(launch),
                            .lowest = UINT32_MAX};
    launch->run->takes_turns = true;
    return turns;
}

void turns_destroy(struct turns *turns)
{
    if (!turns)
        return;
    for (uint32_t i = 0; i < turns->kept_count; i++) {
        if (turns->kept[i] != turns->leader)
            launch_destroy(turns->kept[i]);
    }
    if (turns->spare != turns->leader)
        launch_destroy(turns->spare);
    alloc_free(turns);
}

enum sched_state turns_go_on(struct turns *turns)
{
    const struct vm_run *run = turns->leader->run;
    while (!run->exhausted && start_next(turns))
        continue;
    if (run->exhausted || turns->kept_count == 0)
        return SCHED_ENDED;
    return turns->leader->request->holds ? run_held(turns) : run_next(turns);
}

void turns_tell(struct turns *turns, uint64_t later_kernels)
{
    unfinished_tell_hang(turns->kept[0],
                         &(struct unfinished_hang){.waiting_groups = turns->kept_count,
                                                   .unstarted_groups = turns->count - turns->next,
                                                   .later_kernels = later_kernels});
}
