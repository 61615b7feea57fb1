/* Collectives: what the work-items of a set compute together once all of them have come.
 *
 * OpenCL C 3.0, 6.15.16. Values are combined from the lowest work-item to the highest, one after
 * the other, by the op of lane code that a kernel would combine two of them with; so floating sums
 * have one result, whatever the schedule. A result is
 * undefined where a value that went into it is.
 */
#include "reference/sched/group.h"
#include "reference/vm/bits.h"
#include "reference/vm/lane.h"
#include "reference/vm/pipe.h"
#include "reference/vm/undefined_rows.h"
#include "trace/base/assert.h"

#include <string.h>

/* ---- rows ---- */

/* Element `lane` of a row; width 0 is a mask. */
static uint64_t get(const struct vm_vector *vector, vm_row row, uint32_t width, uint32_t lane)
{
    const uint8_t *unit = vector->units + (size_t)row * VM_UNIT_SIZE;
    return width == 0 ? lane_get(unit, 8) >> lane & 1 : lane_get(unit + lane * width, width);
}

/* What is undefined of a value. */
struct doubt {
    uint64_t bits; /* 0 = nothing */
    struct vm_origin birth;
};

static void put(struct vm_vector *vector, vm_row row, uint32_t width, uint32_t lane, uint64_t value,
                struct doubt doubt)
{
    uint8_t *unit = vector->units + (size_t)row * VM_UNIT_SIZE;
    const uint64_t bit = UINT64_C(1) << lane;
    if (width == 0)
        lane_put(unit, 8, (lane_get(unit, 8) & ~bit) | (value ? bit : 0));
    else
        lane_put(unit + lane * width, width, value);
    vector->undefined[row] = (vector->undefined[row] & ~bit) | (doubt.bits ? bit : 0);
    if (doubt.bits)
        vm_undefined_put(vector, row, false, lane, doubt.bits & bits_low(width * 8), doubt.birth);
}

static struct doubt doubt_of(const struct vm_vector *vector, vm_row row, uint32_t width,
                             uint32_t lane)
{
    if (!(vector->undefined[row] >> lane & 1))
        return (struct doubt){0};
    return (struct doubt){.bits = vm_undefined_bits(vector, row, lane, width),
                          .birth = vm_undefined_birth(vector, row, lane)};
}

/* The first of two that there is, all bits of it. */
static struct doubt either(struct doubt a, struct doubt b)
{
    struct doubt whole = a.bits ? a : b;
    whole.bits = whole.bits ? ~UINT64_C(0) : 0;
    return whole;
}

/* The work-items of a set, from the lowest on:
 *     struct item item = {...};
 *     while (next_item(launch, set, &item)) */
struct item {
    struct vm_vector *vector;
    uint32_t index, lane; /* of the vector; in it */
    uint64_t rest;        /* lanes of the vector after it */
};

static struct item first_item(const struct lane_set *set)
{
    return (struct item){.index = set->first_vector - 1};
}

static bool next_item(struct launch *launch, const struct lane_set *set, struct item *item)
{
    while (!item->rest) {
        item->index++;
        if (item->index >= set->first_vector + set->vector_count)
            return false;
        item->vector = launch_vector(launch, item->index);
        item->rest = group_lanes(&launch->group, item->index) & set->lanes;
    }
    item->lane = (uint32_t)__builtin_ctzll(item->rest);
    item->rest &= item->rest - 1;
    return true;
}

static void put_all(struct launch *launch, const struct lane_set *set,
                    const struct vm_barrier *barrier, uint64_t value, struct doubt doubt)
{
    for (struct item item = first_item(set); next_item(launch, set, &item);)
        put(item.vector, barrier->result, barrier->width, item.lane, value, doubt);
}

/* ---- arguments that must be the same ---- */

/* Arguments from `first_argument` on must be the same for all. True when some are not; then the
 * counts and items of *divergence are set. */
static bool find_other(struct launch *launch, const struct lane_set *set,
                       const struct vm_barrier *barrier, uint32_t first_argument,
                       struct observer_divergence *divergence)
{
    struct item reference = first_item(set);
    uint64_t count = 0;
    if (!next_item(launch, set, &reference))
        return false;
    divergence->waiting_item = group_item(&launch->group, reference.index, reference.lane);
    for (struct item item = first_item(set); next_item(launch, set, &item);) {
        bool differs = false;
        for (uint32_t i = first_argument; i < barrier->argument_count; i++)
            differs |= get(item.vector, barrier->arguments[i], 8, item.lane) !=
                       get(reference.vector, barrier->arguments[i], 8, reference.lane);
        count++;
        if (differs && divergence->other_count++ == 0)
            divergence->other_item = group_item(&launch->group, item.index, item.lane);
    }
    divergence->waiting_count = count - divergence->other_count;
    return divergence->other_count > 0;
}

/* ---- the collectives ---- */

/* One false one decides for all, one true one for any, whatever is undefined beside it. */
static void vote(struct launch *launch, const struct lane_set *set,
                 const struct vm_barrier *barrier)
{
    const bool all = barrier->collective == VM_COLLECTIVE_ALL;
    const struct doubt none = {0};
    struct doubt doubt = none;
    bool decided = false;
    for (struct item item = first_item(set); next_item(launch, set, &item);) {
        const bool value = get(item.vector, barrier->arguments[0], 0, item.lane);
        const struct doubt own = doubt_of(item.vector, barrier->arguments[0], 0, item.lane);
        doubt = either(doubt, own);
        decided |= !own.bits && value != all;
    }
    put_all(launch, set, barrier, decided != all, decided ? none : doubt);
}

/* The place of the named work-item in the set; false when there is none. */
static bool find_source(const struct launch *launch, const struct vm_barrier *barrier,
                        const struct item *any, uint64_t *position)
{
    const struct group *group = &launch->group;
    uint64_t step = 1;
    *position = 0;
    for (uint32_t d = 0; d + 1 < barrier->argument_count; d++) {
        const uint64_t id = get(any->vector, barrier->arguments[1 + d], 8, any->lane);
        if (id >= group->size[d])
            return false;
        *position += id * step;
        step *= group->size[d];
    }
    return true;
}

static bool broadcast(struct launch *launch, const struct lane_set *set,
                      const struct vm_barrier *barrier, struct observer_divergence *divergence)
{
    struct item first = first_item(set);
    uint64_t position;
    if (find_other(launch, set, barrier, 1, divergence))
        return false;
    if (!next_item(launch, set, &first) || !find_source(launch, barrier, &first, &position))
        return false;
    const struct vm_vector *vector =
        launch_vector(launch, group_vector_of(&launch->group, position));
    const uint32_t lane = (uint32_t)(position % VM_LANES);
    put_all(launch, set, barrier, get(vector, barrier->arguments[0], barrier->width, lane),
            doubt_of(vector, barrier->arguments[0], barrier->width, lane));
    return true;
}

/* Arguments are read before the result of the same lane is written: their rows may be one. */
static void reduce(struct launch *launch, const struct lane_set *set,
                   const struct vm_barrier *barrier)
{
    const vm_row row = barrier->arguments[0];
    const bool exclusive = barrier->collective == VM_COLLECTIVE_EXCLUSIVE_SCAN;
    uint64_t value = barrier->identity;
    struct doubt doubt = {0};
    bool any = false;
    for (struct item item = first_item(set); next_item(launch, set, &item);) {
        const uint64_t own = get(item.vector, row, barrier->width, item.lane);
        const struct doubt own_doubt = doubt_of(item.vector, row, barrier->width, item.lane);
        if (exclusive)
            put(item.vector, barrier->result, barrier->width, item.lane, value, doubt);
        value = any ? vm_combine(barrier->combine, barrier->width, value, own) : own;
        doubt = either(doubt, own_doubt);
        any = true;
        if (barrier->collective == VM_COLLECTIVE_INCLUSIVE_SCAN)
            put(item.vector, barrier->result, barrier->width, item.lane, value, doubt);
    }
    if (barrier->collective == VM_COLLECTIVE_REDUCE)
        put_all(launch, set, barrier, value, doubt);
}

/* Arguments from `first` on decide what is done: a work-item, addresses, sizes, events. */
static void tell_undefined(struct launch *launch, const struct lane_set *set, uint32_t site,
                           const struct vm_barrier *barrier, uint32_t first)
{
    const struct observer *observer = launch->run->observer;
    for (uint32_t i = 0; i < set->vector_count && observer; i++) {
        const uint32_t index = set->first_vector + i;
        const struct vm_vector *vector = launch_vector(launch, index);
        const uint64_t lanes = group_lanes(&launch->group, index) & set->lanes;
        for (uint32_t k = first; k < barrier->argument_count; k++) {
            const uint64_t undefined = vector->undefined[barrier->arguments[k]] & lanes;
            if (!undefined)
                continue;
            if (observer->vector_run)
                observer->vector_run(observer->state, group_index(&launch->group, index));
            launch->told_vector = UINT32_MAX;
            vm_tell_undefined_row(vector, site, OBSERVER_UNDEFINED_ARGUMENT, barrier->arguments[k],
                                  undefined);
        }
    }
}

static void copy(struct launch *launch, const struct lane_set *set, uint32_t site,
                 const struct vm_barrier *barrier)
{
    uint64_t event = 0;
    if (!copy_start(launch, site, barrier, &event))
        launch->lacks_memory = true;
    launch->told_vector = UINT32_MAX;
    put_all(launch, set, barrier, event, (struct doubt){0});
}

/* One reservation for all, or its end. */
static void use_pipe(struct launch *launch, const struct lane_set *set, uint32_t site,
                     const struct vm_barrier *barrier)
{
    const struct observer *observer = launch->run->observer;
    const struct vm_vector *vector = launch_vector(launch, 0);
    const uint64_t lanes = group_lanes(&launch->group, 0);
    const uint64_t pipe = get(vector, barrier->arguments[0], 8, 0);
    const uint64_t given = get(vector, barrier->arguments[1], 8, 0);
    const enum vm_pipe_end end = barrier->writes ? VM_PIPE_WRITE : VM_PIPE_READ;
    if (observer && observer->vector_run)
        observer->vector_run(observer->state, 0); /* what is wrong is told of its work-items */
    launch->told_vector = UINT32_MAX;
    if (barrier->collective == VM_COLLECTIVE_COMMIT)
        vm_pipe_end_reservation(vector, site, lanes, pipe, end, given);
    else
        put_all(launch, set, barrier,
                vm_pipe_begin_reservation(vector, site, lanes, pipe, end, given),
                (struct doubt){0});
}

/* What is done once for all, whose arguments are the same. */
static void do_once(struct launch *launch, const struct lane_set *set, uint32_t site,
                    const struct vm_barrier *barrier)
{
    switch (barrier->collective) {
    case VM_COLLECTIVE_COPY_FENCE:
        copy_fence(launch, barrier);
        break;
    case VM_COLLECTIVE_WAIT:
        copy_wait(launch, barrier);
        launch->told_vector = UINT32_MAX;
        break;
    case VM_COLLECTIVE_RESERVE:
    case VM_COLLECTIVE_COMMIT:
        use_pipe(launch, set, site, barrier);
        break;
    default:
        copy(launch, set, site, barrier);
        break;
    }
}

/* Tells who disagrees. */
static bool meet(struct launch *launch, const struct lane_set *set,
                 const struct vm_barrier *barrier, struct observer_divergence *divergence)
{
    const uint64_t lanes = group_lanes(&launch->group, set->first_vector) & set->lanes;
    if (vm_sub_group_agrees(launch_vector(launch, set->first_vector), barrier, lanes))
        return true;
    find_other(launch, set, barrier, 0, divergence);
    return false;
}

bool collective_perform(struct launch *launch, const struct lane_set *set, uint32_t site,
                        struct observer_divergence *divergence)
{
    const struct vm_barrier *barrier = launch_barrier(launch, site);
    if (barrier->collective == VM_COLLECTIVE_NONE)
        return true;
    *divergence = (struct observer_divergence){
        .kind = OBSERVER_DIVERGENCE_ARGUMENTS, .site = site, .other_site = site};
    switch (barrier->collective) {
    case VM_COLLECTIVE_ALL:
    case VM_COLLECTIVE_ANY:
        vote(launch, set, barrier);
        return true;
    case VM_COLLECTIVE_BROADCAST:
        tell_undefined(launch, set, site, barrier, 1);
        return broadcast(launch, set, barrier, divergence);
    case VM_COLLECTIVE_REDUCE:
    case VM_COLLECTIVE_INCLUSIVE_SCAN:
    case VM_COLLECTIVE_EXCLUSIVE_SCAN:
        reduce(launch, set, barrier);
        return true;
    case VM_COLLECTIVE_MEET:
    case VM_COLLECTIVE_AGREE:
    case VM_COLLECTIVE_BLOCK:
        return meet(launch, set, barrier, divergence);
    case VM_COLLECTIVE_COPY:
    case VM_COLLECTIVE_COPY_LINES:
    case VM_COLLECTIVE_COPY_FENCE:
    case VM_COLLECTIVE_WAIT:
    case VM_COLLECTIVE_RESERVE:
    case VM_COLLECTIVE_COMMIT:
        tell_undefined(launch, set, site, barrier, 0);
        if (find_other(launch, set, barrier, 0, divergence))
            return false;
        do_once(launch, set, site, barrier);
        return true;
    default:
        return true;
    }
}
