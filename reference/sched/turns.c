/* Groups that take turns: each lets its vectors run, one after the other, until they have done so
 * many atomic operations, and then the next group goes on. Storage is what limits how many groups
 * are under way; one that ends makes room for the next, in the order of the schedule.
 *
 * Work-items that wait in loops do so too soon where a turn ends behind each look: that memory has
 * not changed meanwhile is not known then. So where nothing has changed for a while turns are
 * without an end, and what does not go on then, when all look at what no one changes, never will.
 */
#include "reference/sched/group.h"
#include "reference/sched/permute.h"

/* Groups that are under way at a time, and bytes of storage of all but the first. */
enum { KEPT_MAX = 256 };
static const uint64_t STORAGE_MAX = UINT64_C(1) << 28;
/* Rounds of all groups without a change after which turns have no end; and more, until what waits
 * has looked again. */
enum { QUIET_MAX = 4, QUIET_LAST = QUIET_MAX + 3 };

struct turns {
    struct launch *leader;
    struct launch *kept[KEPT_MAX]; /* in the order in which they began */
    uint32_t kept_count, room;
    struct launch *spare; /* storage that no group uses; NULL = none */
    uint64_t next, count; /* positions in the schedule */
    uint32_t quiet;       /* rounds without a change */
};

static uint32_t find_room(const struct launch *leader)
{
    const uint64_t room = STORAGE_MAX / leader->storage_size + 1;
    return room < KEPT_MAX ? (uint32_t)room : KEPT_MAX;
}

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
    group_begin(launch, permute(request->order, request->seed, 0, turns->next++, turns->count));
    turns->kept[turns->kept_count++] = launch;
    turns->quiet = 0;
    return true;
}

static void put_aside(struct turns *turns, struct launch *launch)
{
    turns->leader->stopped |= launch->stopped;
    turns->leader->copy_failed |= launch->copy_failed;
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
        const enum group_state state =
            turns->leader->run->exhausted ? GROUP_WAITS : group_take_turn(launch);
        goes_on |= state != GROUP_WAITS;
        if (state == GROUP_ENDED && !turns->leader->run->exhausted)
            put_aside(turns, launch);
        else
            turns->kept[kept_count++] = launch;
    }
    turns->kept_count = kept_count;
    return goes_on;
}

/* Nobody goes on: for ever, unless there is a group that could yet begin. */
static void stop_waiting(struct turns *turns)
{
    struct launch *leader = turns->leader;
    turns->quiet = 0;
    if (turns->next < turns->count && turns->room < KEPT_MAX) {
        turns->room++;
        if (start_next(turns))
            return;
    }
    leader->hangs = true;
    leader->run->exhausted = true;
    unfinished_tell_hang(turns->kept[0], turns->kept_count, turns->count - turns->next);
}

static void run_round(struct turns *turns)
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
    else if (!run->exhausted && !goes_on && run->move_count == move_count)
        stop_waiting(turns);
}

void turns_run(struct launch *launch, uint64_t count)
{
    struct turns turns = {
        .leader = launch, .spare = launch, .count = count, .room = find_room(launch)};
    struct vm_run *run = launch->run;
    run->takes_turns = true;
    while (!run->exhausted) {
        while (start_next(&turns))
            continue;
        if (turns.kept_count == 0)
            break;
        run_round(&turns);
    }
    for (uint32_t i = 0; i < turns.kept_count; i++) {
        if (turns.kept[i] != launch)
            launch_destroy(turns.kept[i]);
    }
    if (turns.spare != launch)
        launch_destroy(turns.spare);
}
