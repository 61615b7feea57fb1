/* What the functions of work-groups give, once all work-items of the group have come: as
 * reference/sched/collective.c does it of vectors, but of work-items that come one by one. */
#include "reference/explore/private.h"
#include "reference/vm/exec.h"

#include <string.h>

bool explorer_gathers(const struct vm_barrier *barrier)
{
    return barrier->execution == OBSERVER_SCOPE_WORK_GROUP &&
           barrier->collective >= VM_COLLECTIVE_ALL &&
           barrier->collective <= VM_COLLECTIVE_EXCLUSIVE_SCAN;
}

struct gathered explorer_read_arguments(const struct vm_vector *vector, uint32_t lane,
                                        const struct vm_barrier *barrier)
{
    struct gathered gathered = {0};
    for (uint32_t i = 0; i < barrier->argument_count; i++) {
        const uint8_t *row = vector->units + (size_t)barrier->arguments[i] * VM_UNIT_SIZE;
        const uint32_t width = i == 0 ? barrier->width : 8;
        uint64_t *const value = i == 0 ? &gathered.value : &gathered.ids[i - 1];
        if (width)
            memcpy(value, row + lane * width, width);
        else
            *value = row[lane / 8] >> lane % 8 & 1;
    }
    return gathered;
}

void explorer_write_result(const struct vm_vector *vector, uint32_t lane,
                           const struct vm_barrier *barrier, uint64_t value)
{
    uint8_t *row = vector->units + (size_t)barrier->result * VM_UNIT_SIZE;
    const uint8_t bit = (uint8_t)(1U << lane % 8);
    if (barrier->width)
        memcpy(row + lane * barrier->width, &value, barrier->width);
    else
        row[lane / 8] = (uint8_t)((row[lane / 8] & ~bit) | (value ? bit : 0));
}

/* All must name the same work-item, which there is. */
static uint64_t broadcast(struct explorer *explorer, const struct gathering *gathering)
{
    const struct vm_barrier *barrier = gathering->barrier;
    const struct gathered *const *items = gathering->items;
    const uint64_t *size = explorer->launch->group.size;
    uint64_t position = 0;
    uint64_t step = 1;
    for (uint32_t d = 0; d + 1 < barrier->argument_count; d++) {
        for (uint32_t i = 0; i < gathering->count; i++) {
            if (items[i]->ids[d] != items[0]->ids[d] || items[i]->ids[d] >= size[d]) {
                explorer_fail(explorer, gathering->site,
                              "work-items name different ones in a broadcast, or one that is not "
                              "there; a run without --explore says which");
                return 0;
            }
        }
        position += items[0]->ids[d] * step;
        step *= size[d];
    }
    return items[position]->value;
}

uint64_t explorer_gather(struct explorer *explorer, const struct gathering *gathering,
                         uint32_t index)
{
    const struct vm_barrier *barrier = gathering->barrier;
    const bool all = barrier->collective == VM_COLLECTIVE_ALL;
    const bool scans = barrier->collective == VM_COLLECTIVE_INCLUSIVE_SCAN ||
                       barrier->collective == VM_COLLECTIVE_EXCLUSIVE_SCAN;
    const uint32_t end = barrier->collective == VM_COLLECTIVE_EXCLUSIVE_SCAN ? index
                         : scans                                             ? index + 1
                                                                             : gathering->count;
    if (barrier->collective == VM_COLLECTIVE_BROADCAST)
        return broadcast(explorer, gathering);
    if (end == 0)
        return barrier->identity;
    uint64_t value = gathering->items[0]->value;
    for (uint32_t i = 1; i < end; i++) {
        const uint64_t own = gathering->items[i]->value;
        if (barrier->collective == VM_COLLECTIVE_ALL || barrier->collective == VM_COLLECTIVE_ANY)
            value = all ? value & own : value | own;
        else
            value = vm_combine(barrier->combine, barrier->width, value, own);
    }
    return value;
}
