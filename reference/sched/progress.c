/* Work-items that wait for others of their own work-group. One that went round a loop with nothing
 * changed is held; if it goes on when it has been let try again, what it read last was changed in
 * between, and it depended on the progress of whoever changed that. */
#include "reference/sched/group.h"

/* The last change of what the place reads, after `time`; NULL where it is not known. */
static const struct vm_change *find_change(const struct vm_run *run,
                                           const struct observer_standing *place, uint64_t time)
{
    const uint64_t end = place->offset + place->size;
    const struct vm_change *found = NULL;
    for (uint64_t offset = place->offset / 4 * 4; offset < end; offset += 4) {
        const struct vm_change *change = &run->changes[vm_change_slot(place->object->id, offset)];
        if (change->time > time && change->object == place->object->id && change->offset < end &&
            place->offset < change->offset + change->size && (!found || change->time > found->time))
            found = change;
    }
    return found;
}

bool progress_was_made(struct launch *launch, const struct observer_standing *place)
{
    const struct vm_vector *vector =
        launch_vector(launch, group_vector_of(&launch->group, place->first_item));
    const uint64_t time = vector->read_times[place->first_item % VM_LANES];
    return place->object && find_change(launch->run, place, time);
}

static bool is_of_group(const struct launch *launch, const struct vm_vector *vector)
{
    return launch->vectors <= vector && vector < launch->vectors + launch->slot_count;
}

static void begin_lane(struct launch *launch, uint32_t index, uint32_t spin, uint32_t lane,
                       struct progress *progress)
{
    const struct vm_vector *vector = launch_vector(launch, index);
    struct observer_standing place = {.first_item = group_item(&launch->group, index, lane),
                                      .item_count = 1};
    unfinished_add_read(vector, &place);
    const struct vm_change *change =
        place.object ? find_change(launch->run, &place, vector->read_times[lane]) : NULL;
    if (!change || !is_of_group(launch, change->vector))
        return;
    const uint32_t other =
        group_item(&launch->group, (uint32_t)(change->vector - launch->vectors), change->lane);
    if (other == place.first_item)
        return;
    progress->lanes |= UINT64_C(1) << lane;
    progress->others[lane] = other;
    progress->spins[lane] = spin;
    progress->places[lane] = place;
}

void progress_begin(struct launch *launch, uint32_t vector, struct progress *progress)
{
    const struct observer *observer = launch->request->observer;
    const uint32_t spin_count = launch->request->code->spin_count;
    progress->lanes = 0;
    for (uint32_t s = 0; observer && observer->dependence && s < spin_count; s++) {
        const struct vm_waiting *waiting = &launch_vector(launch, vector)->waiting[s];
        FOR_EACH_LANE(lane, waiting->idle)
            begin_lane(launch, vector, s, lane, progress);
    }
}

static void tell(struct launch *launch, uint32_t index, uint32_t lane,
                 const struct progress *progress)
{
    const struct observer *observer = launch->request->observer;
    const uint32_t size = launch->request->sub_group_size;
    struct observer_standing place = progress->places[lane];
    const bool together = place.first_item / size == progress->others[lane] / size;
    place.site = unfinished_spin_site(
        launch->request->code, &launch_vector(launch, index)->waiting[progress->spins[lane]]);
    const struct observer_dependence told = {
        .place = &place,
        .within = together ? OBSERVER_SCOPE_SUB_GROUP : OBSERVER_SCOPE_WORK_GROUP,
        .other_item = progress->others[lane],
    };
    observer->dependence(observer->state, &told);
}

void progress_end(struct launch *launch, uint32_t vector, const struct progress *progress)
{
    const struct vm_vector *ran = launch_vector(launch, vector);
    FOR_EACH_LANE(lane, launch->run->exhausted ? 0 : progress->lanes) {
        if ((ran->waiting[progress->spins[lane]].held >> lane & 1) == 0)
            tell(launch, vector, lane, progress);
    }
}
