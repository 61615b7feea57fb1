/* A launch that passed its limit of operations, or hangs: where the work-items of a group are. */
#include "reference/sched/group.h"
#include "reference/vm/access.h"
#include "trace/base/assert.h"
#include "trace/base/size.h"

#include <string.h>

struct standings {
    struct observer_standing places[OBSERVER_STANDING_MAX];
    size_t count;
};

/* Lanes of vector `index` run or wait at the site. The first places stay; what comes later than
 * there is room for is counted by the caller alone. */
static struct observer_standing *add(const struct launch *launch, struct standings *standings,
                                     uint32_t site, bool waits, uint32_t index, uint64_t mask)
{
    const uint32_t item = group_item(&launch->group, index, (uint32_t)__builtin_ctzll(mask));
    size_t i = 0;
    while (i < standings->count &&
           (standings->places[i].site != site || standings->places[i].waits != waits))
        i++;
    if (i == OBSERVER_STANDING_MAX)
        return NULL;
    struct observer_standing *place = &standings->places[i];
    if (i == standings->count) {
        *place = (struct observer_standing){.site = site, .waits = waits, .first_item = item};
        standings->count++;
    }
    place->first_item = item < place->first_item ? item : place->first_item;
    place->item_count += (uint64_t)__builtin_popcountll(mask);
    return place;
}

void unfinished_add_read(const struct vm_vector *vector, struct observer_standing *place)
{
    const uint32_t lane = place->first_item % VM_LANES;
    const uint64_t address = access_pointer(vector, vector->read_addresses[lane], lane);
    const uint32_t size = vector->read_sizes[lane];
    const struct vm_object *object = access_object(vector, address);
    if (size == 0 || size > sizeof place->value)
        return;
    const uint64_t offset = (uint64_t)vm_pointer_offset(address);
    if (!object || object->freed || object->private_stride ||
        !range_within(offset, size, object->size))
        return;
    memcpy(&place->value, object->bytes + offset, size);
    place->object = &object->root->identity;
    place->offset = object->root_offset + offset;
    place->size = size;
}

/* The first site from there on, before `end`, that a line of the program stands for. */
static uint32_t site_with_line(const struct vm_code *code, uint32_t first, uint32_t end)
{
    for (uint32_t site = first; site < end && code->instruction_places; site++) {
        if (code->places[code->instruction_places[site]].line != 0)
            return site;
    }
    return first;
}

static uint32_t block_site(const struct vm_code *code, uint32_t block)
{
    const uint32_t first = code->blocks[block].first;
    return site_with_line(code, first, first + code->blocks[block].count);
}

uint32_t unfinished_spin_site(const struct vm_code *code, const struct vm_waiting *waiting)
{
    const uint32_t header = code->instructions[waiting->site].a;
    return site_with_line(code, code->blocks[header].first, waiting->site);
}

/* Lanes that can go on. */
static uint64_t add_running(struct launch *launch, uint32_t index, struct standings *standings)
{
    const struct vm_code *code = launch->request->code;
    const struct vm_vector *vector = launch_vector(launch, index);
    uint64_t count = 0;
    if (vector->paused) {
        const uint32_t site = (uint32_t)(vector->paused - code->instructions);
        add(launch, standings, site, false, index, vector->paused_lanes);
        count += (uint64_t)__builtin_popcountll(vector->paused_lanes);
    }
    for (uint32_t block = 0; block < code->block_count; block++) {
        if (!vector->pending[block])
            continue;
        add(launch, standings, block_site(code, block), false, index, vector->pending[block]);
        count += (uint64_t)__builtin_popcountll(vector->pending[block]);
    }
    for (uint32_t i = 0; i < code->spin_count; i++) {
        const struct vm_waiting *waiting = &vector->waiting[i];
        if (!waiting->held)
            continue;
        struct observer_standing *place = add(
            launch, standings, unfinished_spin_site(code, waiting), false, index, waiting->held);
        if (place && !place->object)
            unfinished_add_read(vector, place);
        count += (uint64_t)__builtin_popcountll(waiting->held);
    }
    return count;
}

static uint64_t add_waiting(struct launch *launch, uint32_t index, struct standings *standings)
{
    const struct vm_vector *vector = launch_vector(launch, index);
    uint64_t count = 0;
    for (uint32_t i = 0; i < vector->parked_count; i++) {
        add(launch, standings, vector->parked[i].site, true, index, vector->parked[i].mask);
        count += (uint64_t)__builtin_popcountll(vector->parked[i].mask);
    }
    return count;
}

bool unfinished_find_waiting(struct launch *launch, struct observer_standing *place)
{
    for (uint32_t v = 0; v < launch->group.vector_count; v++) {
        struct standings standings = {.count = 0};
        if (!vm_vector_held(launch_vector(launch, v)))
            continue;
        add_running(launch, v, &standings);
        *place = standings.places[0];
        return true;
    }
    return false;
}

/* Of the vectors from `first` to `end` - 1. */
static void tell(struct launch *launch, uint32_t first, uint32_t end,
                 struct observer_unfinished *told)
{
    const struct observer *observer = launch->request->observer;
    struct standings standings = {.count = 0};
    ASSERT(launch->run->exhausted);
    if (!observer || !observer->unfinished)
        return;
    for (uint32_t i = first; i < end; i++)
        told->running_count += add_running(launch, i, &standings);
    for (uint32_t i = first; i < end; i++)
        told->waiting_count += add_waiting(launch, i, &standings);
    told->places = standings.places;
    told->place_count = standings.count;
    observer->unfinished(observer->state, told);
}

void unfinished_tell(struct launch *launch, uint32_t vector)
{
    const bool together = launch->in_turns;
    struct observer_unfinished told = {.operation_limit = launch->request->operation_limit};
    if (launch->request->budget)
        return;
    tell(launch, together ? 0 : vector, together ? launch->group.vector_count : vector + 1, &told);
}

void unfinished_tell_barrier(struct launch *launch)
{
    struct observer_unfinished told = {.waiting_groups = 1};
    tell(launch, 0, launch->group.vector_count, &told);
}

void unfinished_tell_hang(struct launch *launch, const struct unfinished_hang *hang)
{
    const struct observer *observer = launch->request->observer;
    struct observer_unfinished told = {.waiting_groups = hang->waiting_groups,
                                       .unstarted_groups = hang->unstarted_groups,
                                       .later_kernels = hang->later_kernels};
    if (observer && observer->group_resume)
        observer->group_resume(observer->state, launch->group.id);
    tell(launch, 0, launch->group.vector_count, &told);
}
