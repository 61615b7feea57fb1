/* Barriers: when every work-item that must come has come, they pass; when some never can, that is
 * told and the group ends there. OpenCL API 3.0, 3.2.2.3: all work-items of the group must execute
 * the same barrier before any goes on; memory-model rule A9: the same dynamic instance, counted by
 * the loops around it.
 *
 * Named barriers (SPIR-V 1.1, OpMemoryNamedBarrier) are for some sub-groups only: as many as each
 * says pass together, wherever else the others are. If nobody can go on while some wait at such a
 * one, they wait for ever.
 *
 * A divergent group does not go on, not even past a barrier that its work-items reached in
 * different iterations: whatever it computed then would be undefined, and further reports about it
 * noise. */
#include "reference/sched/group.h"
#include "reference/vm/bits.h"
#include "reference/vm/lane.h"
#include "reference/vm/paths.h"
#include "trace/base/assert.h"

#include <string.h>

/* What the site is to a reader. */
static const char *operation_at(const struct launch *launch, uint32_t site)
{
    const struct vm_barrier *barrier = launch_barrier(launch, site);
    switch (barrier->collective) {
    case VM_COLLECTIVE_NONE:
        return barrier->execution == OBSERVER_SCOPE_SUB_GROUP ? "a sub-group barrier" : "a barrier";
    case VM_COLLECTIVE_MEET:
        return "a sub-group function";
    case VM_COLLECTIVE_BLOCK:
        return "a block read or write";
    case VM_COLLECTIVE_AGREE:
    case VM_COLLECTIVE_RESERVE:
    case VM_COLLECTIVE_COMMIT:
        return "a pipe function";
    case VM_COLLECTIVE_BROADCAST:
        return "a broadcast";
    case VM_COLLECTIVE_NAMED:
        return "a named barrier";
    case VM_COLLECTIVE_COPY:
    case VM_COLLECTIVE_COPY_LINES:
        return "an asynchronous copy";
    case VM_COLLECTIVE_COPY_FENCE:
        return "a fence of asynchronous copies";
    case VM_COLLECTIVE_WAIT:
        return "a wait for events";
    default:
        return "a collective function";
    }
}

/* Do lanes `lane` of `vector` and `other_lane` of `other` wait in the same iterations? If not,
 * *index is the outermost loop in which they differ. */
static bool same_iteration(const struct vm_vector *vector, uint32_t lane,
                           const struct vm_vector *other, uint32_t other_lane,
                           const struct vm_barrier *barrier, uint32_t *index)
{
    for (uint32_t i = 0; i < barrier->counter_count; i++) {
        if (vm_barrier_counter(vector, barrier, i, lane) !=
            vm_barrier_counter(other, barrier, i, other_lane)) {
            *index = i;
            return false;
        }
    }
    return true;
}

/* ---- sub-groups ---- */

static void unpark(struct vm_vector *vector, uint32_t index, uint64_t mask)
{
    vector->parked[index].mask &= ~mask;
    if (vector->parked[index].mask == 0)
        vector->parked[index] = vector->parked[--vector->parked_count];
}

/* Lets one sub-group pass if all its lanes wait at one barrier of sub-groups. */
static bool pass_sub_group(struct launch *launch, uint32_t index, uint64_t lanes)
{
    struct vm_vector *vector = launch_vector(launch, index);
    const struct lane_set set = {.first_vector = index, .vector_count = 1, .lanes = lanes};
    struct observer_divergence divergence;
    for (uint32_t i = 0; i < vector->parked_count; i++) {
        const uint32_t site = vector->parked[i].site;
        const struct vm_barrier *barrier = launch_barrier(launch, site);
        if (barrier->execution != OBSERVER_SCOPE_SUB_GROUP ||
            (vector->parked[i].mask & lanes) != lanes)
            continue;
        const uint32_t first = (uint32_t)__builtin_ctzll(lanes);
        FOR_EACH_LANE(lane, lanes) {
            uint32_t loop;
            if (!same_iteration(vector, first, vector, lane, barrier, &loop))
                return false;
        }
        vm_tell_undefined_arguments(vector, site, lanes);
        if (!collective_perform(launch, &set, site, &divergence))
            return false;
        unpark(vector, i, lanes);
        vm_tell_barrier(launch->run, site, group_index(&launch->group, index), lanes);
        vm_vector_release(vector, lanes, barrier->next);
        return true;
    }
    return false;
}

bool barrier_pass_sub_groups(struct launch *launch, uint32_t vector)
{
    const uint64_t all = group_lanes(&launch->group, vector);
    const uint32_t size = launch->request->sub_group_size;
    bool passed = false;
    for (uint32_t first = 0; first < VM_LANES; first += size) {
        const uint64_t lanes = bits_low(size) << first & all;
        if (lanes && pass_sub_group(launch, vector, lanes))
            passed = true;
    }
    return passed;
}

/* ---- named barriers ---- */

/* A sub-group that waits at one. Those of the group, in ascending order:
 *     for (struct arrival at = {0}; next_arrival(launch, &at);) */
struct arrival {
    struct vm_vector *vector;
    uint64_t lanes;
    uint32_t index; /* of vector->parked */
    uint64_t named; /* the argument of the barrier */
    uint32_t next;  /* the first work-item of the sub-group after it */
};

/* Do the arrival's lanes all wait at a named barrier, the same one? */
static bool waits_at_named(const struct launch *launch, struct arrival *arrival)
{
    const struct vm_vector *vector = arrival->vector;
    const uint64_t lanes = arrival->lanes;
    for (uint32_t i = 0; i < vector->parked_count; i++) {
        const struct vm_barrier *barrier = launch_barrier(launch, vector->parked[i].site);
        if (barrier->collective != VM_COLLECTIVE_NAMED ||
            (vector->parked[i].mask & lanes) != lanes ||
            !vm_sub_group_agrees(vector, barrier, lanes))
            continue;
        const uint32_t first = (uint32_t)__builtin_ctzll(lanes);
        uint32_t loop;
        bool together = true;
        FOR_EACH_LANE(lane, lanes)
            together &= same_iteration(vector, first, vector, lane, barrier, &loop);
        arrival->index = i;
        memcpy(&arrival->named,
               vector->units + (size_t)barrier->arguments[0] * VM_UNIT_SIZE +
                   first * sizeof arrival->named,
               sizeof arrival->named);
        return together;
    }
    return false;
}

static bool next_arrival(struct launch *launch, struct arrival *arrival)
{
    const uint32_t size = launch->request->sub_group_size;
    const uint32_t width = launch->group.width;
    while (arrival->next < launch->group.vector_count * width) {
        const uint32_t vector = group_vector_of(&launch->group, arrival->next);
        arrival->vector = launch_vector(launch, vector);
        arrival->lanes =
            bits_low(size) << arrival->next % VM_LANES & group_lanes(&launch->group, vector);
        arrival->next += size;
        if (arrival->lanes && waits_at_named(launch, arrival))
            return true;
    }
    return false;
}

/* As many have come as the barrier is for. */
static void release_arrived(struct launch *launch, uint64_t named)
{
    uint32_t left = (uint32_t)named;
    for (struct arrival at = {0}; left > 0 && next_arrival(launch, &at);) {
        const uint32_t site = at.vector->parked[at.index].site;
        if (at.named != named)
            continue;
        if (left-- == (uint32_t)named)
            vm_tell_barrier(launch->run, site, 0, ~UINT64_C(0));
        vm_tell_undefined_arguments(at.vector, site, at.lanes);
        unpark(at.vector, at.index, at.lanes);
        vm_vector_release(at.vector, at.lanes, launch_barrier(launch, site)->next);
    }
}

bool barrier_pass_named(struct launch *launch)
{
    uint32_t counts[VM_NAMED_BARRIERS_MAX] = {0};
    for (struct arrival at = {0}; next_arrival(launch, &at);) {
        /* The number of a pointer that a program made up may be any. */
        if (++counts[at.named >> 32 & (VM_NAMED_BARRIERS_MAX - 1)] != (uint32_t)at.named)
            continue;
        release_arrived(launch, at.named);
        return true;
    }
    return false;
}

/* Is there any? Those whose barrier is undefined are told: that is why they wait. */
static bool any_at_named(struct launch *launch)
{
    const struct observer *observer = launch->run->observer;
    bool any = false;
    for (uint32_t v = 0; v < launch->group.vector_count; v++) {
        const struct vm_vector *vector = launch_vector(launch, v);
        for (uint32_t i = 0; i < vector->parked_count; i++) {
            const struct vm_parked *parked = &vector->parked[i];
            if (launch_barrier(launch, parked->site)->collective != VM_COLLECTIVE_NAMED)
                continue;
            any = true;
            if (observer && observer->vector_run)
                observer->vector_run(observer->state, group_index(&launch->group, v));
            launch->told_vector = UINT32_MAX;
            vm_tell_undefined_arguments(vector, parked->site, parked->mask);
        }
    }
    return any;
}

/* ---- the whole group ---- */

/* Where one waits: a vector, a lane and the barrier. */
struct waiter {
    uint32_t vector, lane, site;
    bool found;
};

static uint64_t set_lanes(const struct launch *launch, const struct lane_set *set, uint32_t vector)
{
    return group_lanes(&launch->group, vector) & set->lanes;
}

static uint32_t item_of(const struct launch *launch, const struct waiter *waiter)
{
    return group_item(&launch->group, waiter->vector, waiter->lane);
}

/* What a waiter is looked for by: in what it differs from a reference, if it has to. */
enum difference { DIFFERENCE_NONE, DIFFERENCE_EXECUTION, DIFFERENCE_SITE, DIFFERENCE_ITERATION };

static bool differs(struct launch *launch, const struct waiter *waiter, enum difference difference,
                    const struct waiter *reference)
{
    uint32_t loop;
    switch (difference) {
    case DIFFERENCE_EXECUTION:
        return launch_barrier(launch, waiter->site)->execution !=
               launch_barrier(launch, reference->site)->execution;
    case DIFFERENCE_SITE:
        return waiter->site != reference->site;
    case DIFFERENCE_ITERATION:
        return waiter->site == reference->site &&
               !same_iteration(launch_vector(launch, reference->vector), reference->lane,
                               launch_vector(launch, waiter->vector), waiter->lane,
                               launch_barrier(launch, waiter->site), &loop);
    default:
        return true;
    }
}

/* The lowest work-item of the set that waits and differs so, and how many do. */
static uint64_t find_waiters(struct launch *launch, const struct lane_set *set,
                             enum difference difference, const struct waiter *reference,
                             struct waiter *lowest)
{
    uint64_t count = 0;
    lowest->found = false;
    for (uint32_t v = set->first_vector; v < set->first_vector + set->vector_count; v++) {
        const struct vm_vector *vector = launch_vector(launch, v);
        const uint64_t lanes = set_lanes(launch, set, v);
        for (uint32_t i = 0; i < vector->parked_count; i++) {
            FOR_EACH_LANE(lane, vector->parked[i].mask & lanes) {
                const struct waiter waiter = {
                    .vector = v, .lane = lane, .site = vector->parked[i].site, .found = true};
                if (!differs(launch, &waiter, difference, reference))
                    continue;
                count++;
                if (!lowest->found || item_of(launch, &waiter) < item_of(launch, lowest))
                    *lowest = waiter;
            }
        }
    }
    return count;
}

/* Work-items of the set that have ended, and the lowest of them. */
static uint64_t count_ended(struct launch *launch, const struct lane_set *set, uint32_t *lowest)
{
    uint64_t count = 0;
    for (uint32_t v = set->first_vector + set->vector_count; v-- > set->first_vector;) {
        const uint64_t ended = launch_vector(launch, v)->ended & set_lanes(launch, set, v);
        if (!ended)
            continue;
        count += (uint64_t)__builtin_popcountll(ended);
        *lowest = group_item(&launch->group, v, (uint32_t)__builtin_ctzll(ended));
    }
    return count;
}

/* Notes the return of these lanes, if it is what kept them from the barrier. */
static void add_return(const struct launch *launch, uint32_t vector, const struct vm_parked *lanes,
                       struct observer_divergence *divergence)
{
    uint32_t known = 0;
    while (known < divergence->return_count && divergence->returns[known].site != lanes->site)
        known++;
    if (known < divergence->return_count || known == OBSERVER_RETURN_MAX ||
        !vm_return_misses(launch->run->code, lanes->site, divergence->site))
        return;
    divergence->returns[divergence->return_count++] = (struct observer_return){
        lanes->site, group_item(&launch->group, vector, (uint32_t)__builtin_ctzll(lanes->mask))};
}

static void find_returns(struct launch *launch, const struct lane_set *set,
                         struct observer_divergence *divergence)
{
    for (uint32_t v = set->first_vector; v < set->first_vector + set->vector_count; v++) {
        const struct vm_vector *vector = launch_vector(launch, v);
        for (uint32_t i = 0; i < vector->returned_count; i++) {
            const struct vm_parked lanes = {.site = vector->returned[i].site,
                                            .mask = vector->returned[i].mask &
                                                    set_lanes(launch, set, v)};
            if (lanes.mask)
                add_return(launch, v, &lanes, divergence);
        }
    }
}

/* Do both wait at one barrier, with other flags, order or scope? */
static bool same_instruction(const struct launch *launch, const struct waiter *first,
                             const struct waiter *other)
{
    const uint32_t alternative = launch_barrier(launch, first->site)->alternative;
    return alternative != 0 && alternative == launch_barrier(launch, other->site)->alternative;
}

/* Why the work-items of the set cannot pass together. False: nothing keeps them. */
static bool classify(struct launch *launch, const struct lane_set *set,
                     struct observer_divergence *divergence)
{
    struct waiter first = {0};
    struct waiter other = {0};
    const uint64_t waiting = find_waiters(launch, set, DIFFERENCE_NONE, NULL, &first);
    if (waiting == 0)
        return false;
    *divergence = (struct observer_divergence){
        .site = first.site, .other_site = first.site, .waiting_item = item_of(launch, &first)};
    divergence->other_count = count_ended(launch, set, &divergence->other_item);
    divergence->waiting_count = waiting;
    if (divergence->other_count) {
        divergence->kind = OBSERVER_DIVERGENCE_FINISHED;
        find_returns(launch, set, divergence);
        return true;
    }
    divergence->other_count = find_waiters(launch, set, DIFFERENCE_EXECUTION, &first, &other);
    divergence->kind = OBSERVER_DIVERGENCE_MIXED;
    if (!divergence->other_count) {
        divergence->other_count = find_waiters(launch, set, DIFFERENCE_SITE, &first, &other);
        divergence->kind = divergence->other_count && same_instruction(launch, &first, &other)
                               ? OBSERVER_DIVERGENCE_ARGUMENTS
                               : OBSERVER_DIVERGENCE_ELSEWHERE;
    }
    if (!divergence->other_count) {
        uint32_t loop = 0;
        const struct vm_barrier *barrier = launch_barrier(launch, first.site);
        divergence->other_count = find_waiters(launch, set, DIFFERENCE_ITERATION, &first, &other);
        divergence->kind = OBSERVER_DIVERGENCE_ITERATION;
        if (!divergence->other_count)
            return false;
        const struct vm_vector *a = launch_vector(launch, first.vector);
        const struct vm_vector *b = launch_vector(launch, other.vector);
        same_iteration(a, first.lane, b, other.lane, barrier, &loop);
        divergence->waiting_iteration = vm_barrier_counter(a, barrier, loop, first.lane);
        divergence->other_iteration = vm_barrier_counter(b, barrier, loop, other.lane);
    }
    divergence->waiting_count = waiting - divergence->other_count;
    divergence->other_site = other.site;
    divergence->other_item = item_of(launch, &other);
    return true;
}

/* The first sub-group that waits at a barrier of its own which it can never pass; false when none
 * does. */
static bool classify_sub_groups(struct launch *launch, struct observer_divergence *divergence)
{
    const uint32_t size = launch->request->sub_group_size;
    for (uint32_t v = 0; v < launch->group.vector_count; v++) {
        for (uint32_t first = 0; first < VM_LANES; first += size) {
            const struct lane_set set = {
                .first_vector = v, .vector_count = 1, .lanes = bits_low(size) << first};
            const struct vm_parked *waits = NULL;
            const struct vm_vector *vector = launch_vector(launch, v);
            for (uint32_t i = 0; i < vector->parked_count; i++) {
                if (vector->parked[i].mask & set.lanes &&
                    launch_barrier(launch, vector->parked[i].site)->execution ==
                        OBSERVER_SCOPE_SUB_GROUP)
                    waits = &vector->parked[i];
            }
            if (waits && (classify(launch, &set, divergence) ||
                          !collective_perform(launch, &set, waits->site, divergence))) {
                divergence->of_sub_group = true;
                return true;
            }
        }
    }
    return false;
}

static void pass_all(struct launch *launch, uint32_t site)
{
    const struct vm_barrier *barrier = launch_barrier(launch, site);
    for (uint32_t v = 0; v < launch->group.vector_count; v++) {
        struct vm_vector *vector = launch_vector(launch, v);
        ASSERT(vector->parked_count == 1 && vector->parked[0].site == site);
        vector->parked_count = 0;
        vm_vector_release(vector, group_lanes(&launch->group, v), barrier->next);
    }
    vm_tell_barrier(launch->run, site, 0, ~UINT64_C(0));
}

/* Are all lanes of the vector in the iterations of lane 0 of `first`? */
static bool counters_equal(const struct vm_vector *vector, uint64_t lanes,
                           const struct vm_vector *first, const struct vm_barrier *barrier)
{
    for (uint32_t i = 0; i < barrier->counter_count; i++) {
        const row_u32 *counters =
            (const row_u32 *)(const void *)(vector->units +
                                            (size_t)barrier->counters[i] * VM_UNIT_SIZE);
        const uint32_t value = vm_barrier_counter(first, barrier, i, 0);
        uint32_t difference = 0;
        if (barrier->counters_uniform) {
            difference = counters[0] ^ value;
        } else if (lanes == ~UINT64_C(0)) {
            for (uint32_t lane = 0; lane < VM_LANES; lane++)
                difference |= counters[lane] ^ value;
        } else {
            FOR_EACH_LANE(lane, lanes)
                difference |= counters[lane] ^ value;
        }
        if (difference)
            return false;
    }
    return true;
}

/* Quick: each vector waits as a whole at one site in one iteration. */
static bool all_wait(struct launch *launch, uint32_t *site)
{
    const struct vm_vector *first = launch_vector(launch, 0);
    if (first->parked_count != 1)
        return false;
    *site = first->parked[0].site;
    const struct vm_barrier *barrier = launch_barrier(launch, *site);
    if (barrier->execution == OBSERVER_SCOPE_SUB_GROUP ||
        barrier->collective == VM_COLLECTIVE_NAMED)
        return false;
    for (uint32_t v = 0; v < launch->group.vector_count; v++) {
        const struct vm_vector *vector = launch_vector(launch, v);
        const uint64_t lanes = group_lanes(&launch->group, v);
        if (vector->parked_count != 1 || vector->parked[0].site != *site ||
            vector->parked[0].mask != lanes)
            return false;
        if (!counters_equal(vector, lanes, first, barrier))
            return false;
    }
    return true;
}

bool barrier_pass_group(struct launch *launch)
{
    uint32_t site;
    struct observer_divergence divergence;
    const struct observer *observer = launch->request->observer;
    const struct lane_set group = {.vector_count = launch->group.vector_count,
                                   .lanes = ~UINT64_C(0)};
    if (all_wait(launch, &site)) {
        if (collective_perform(launch, &group, site, &divergence)) {
            pass_all(launch, site);
            return true;
        }
    } else if (any_at_named(launch)) {
        launch->hangs = launch->run->exhausted = true;
        unfinished_tell_barrier(launch);
        return false;
    } else {
        const bool found =
            classify_sub_groups(launch, &divergence) || classify(launch, &group, &divergence);
        ASSERT(found); /* what waits and may not pass has a reason */
    }
    divergence.operation = operation_at(launch, divergence.site);
    divergence.other_operation = operation_at(launch, divergence.other_site);
    if (observer && observer->divergence)
        observer->divergence(observer->state, &divergence);
    return false;
}
