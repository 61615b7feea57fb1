/* A launch that passed its limit of operations: where the work-items of the running group are. */
#include "reference/sched/group.h"
#include "trace/base/assert.h"

struct standings {
    struct observer_standing places[OBSERVER_STANDING_MAX];
    size_t count;
};

/* Lanes of vector `index` run or wait at the site. The first places stay; what comes later than
 * there is room for is counted by the caller alone. */
static void add(struct standings *standings, uint32_t site, bool waits, uint32_t index,
                uint64_t mask)
{
    const uint32_t item = index * VM_LANES + (uint32_t)__builtin_ctzll(mask);
    size_t i = 0;
    while (i < standings->count &&
           (standings->places[i].site != site || standings->places[i].waits != waits))
        i++;
    if (i == OBSERVER_STANDING_MAX)
        return;
    struct observer_standing *place = &standings->places[i];
    if (i == standings->count) {
        *place = (struct observer_standing){.site = site, .waits = waits, .first_item = item};
        standings->count++;
    }
    place->first_item = item < place->first_item ? item : place->first_item;
    place->item_count += (uint64_t)__builtin_popcountll(mask);
}

/* The first instruction of the block that a line of the program stands for. */
static uint32_t block_site(const struct vm_code *code, uint32_t block)
{
    const uint32_t first = code->blocks[block].first;
    for (uint32_t i = 0; i < code->blocks[block].count && code->instruction_places; i++) {
        if (code->instruction_places[first + i] != 0)
            return first + i;
    }
    return first;
}

/* Lanes that can go on. */
static uint64_t add_running(struct launch *launch, uint32_t index, struct standings *standings)
{
    const struct vm_code *code = launch->request->code;
    const struct vm_vector *vector = launch_vector(launch, index);
    uint64_t count = 0;
    for (uint32_t block = 0; block < code->block_count; block++) {
        if (!vector->pending[block])
            continue;
        add(standings, block_site(code, block), false, index, vector->pending[block]);
        count += (uint64_t)__builtin_popcountll(vector->pending[block]);
    }
    for (uint32_t i = 0; i < code->spin_count; i++) {
        const struct vm_waiting *waiting = &vector->waiting[i];
        if (!waiting->held)
            continue;
        const uint32_t header = code->instructions[waiting->site].a;
        add(standings, block_site(code, header), false, index, waiting->held);
        count += (uint64_t)__builtin_popcountll(waiting->held);
    }
    return count;
}

static uint64_t add_waiting(struct launch *launch, uint32_t index, struct standings *standings)
{
    const struct vm_vector *vector = launch_vector(launch, index);
    uint64_t count = 0;
    for (uint32_t i = 0; i < vector->parked_count; i++) {
        add(standings, vector->parked[i].site, true, index, vector->parked[i].mask);
        count += (uint64_t)__builtin_popcountll(vector->parked[i].mask);
    }
    return count;
}

void unfinished_tell(struct launch *launch, uint32_t vector)
{
    const struct observer *observer = launch->request->observer;
    const bool together = launch->in_turns;
    const uint32_t first = together ? 0 : vector;
    const uint32_t end = together ? launch->group.vector_count : vector + 1;
    struct standings standings = {.count = 0};
    struct observer_unfinished told = {.operation_limit = launch->request->operation_limit,
                                       .places = standings.places};
    ASSERT(launch->run.exhausted);
    if (!observer || !observer->unfinished)
        return;
    for (uint32_t i = first; i < end; i++)
        told.running_count += add_running(launch, i, &standings);
    for (uint32_t i = first; i < end; i++)
        told.waiting_count += add_waiting(launch, i, &standings);
    told.place_count = standings.count;
    observer->unfinished(observer->state, &told);
}
