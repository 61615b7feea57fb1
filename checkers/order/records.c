#include "checkers/order/records.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

void records_reset(struct records *records)
{
    records->next = 1;
    records->numbering++;
    records->interval_count = 0;
    records->interval_open = false;
}

void records_release(struct records *records)
{
    alloc_free(records->slots);
    alloc_free(records->interval_of);
    alloc_free(records->intervals);
    *records = (struct records){0};
}

uint32_t records_add(struct records *records, uint32_t slot, uint64_t group, uint32_t vector)
{
    const uint32_t id = records->next;
    if (id >= records->limit) {
        return 0;
    }
    if (id >= records->slot_capacity) {
        uint32_t *grown = alloc_grow(records->slots, id, &records->slot_capacity, sizeof *grown);
        if (grown == NULL) {
            return 0;
        }
        records->slots = grown;
    }
    if (id >= records->interval_of_capacity) {
        uint32_t *grown =
            alloc_grow(records->interval_of, id, &records->interval_of_capacity, sizeof *grown);
        if (grown == NULL) {
            return 0;
        }
        records->interval_of = grown;
    }
    if (!records->interval_open) {
        if (records->interval_count == records->interval_capacity) {
            struct record_interval *grown = alloc_grow(records->intervals, records->interval_count,
                                                       &records->interval_capacity, sizeof *grown);
            if (grown == NULL) {
                return 0;
            }
            records->intervals = grown;
        }
        records->intervals[records->interval_count++] =
            (struct record_interval){.first = id, .vector = vector, .group = group};
        records->interval_open = true;
    }
    const struct record_interval *open = &records->intervals[records->interval_count - 1];
    ASSERT(open->vector == vector && open->group == group && open->first <= id);
    records->slots[id] = slot;
    records->interval_of[id] = (uint32_t)(records->interval_count - 1);
    records->next = id + 1;
    return id;
}

void records_renumber(struct records *records, uint32_t *keep)
{
    uint32_t next = 1;
    size_t interval_count = 0;
    for (size_t i = 0; i < records->interval_count; i++) {
        struct record_interval interval = records->intervals[i];
        const uint32_t end =
            i + 1 < records->interval_count ? records->intervals[i + 1].first : records->next;
        const uint32_t first = next;
        for (uint32_t id = interval.first; id < end; id++) {
            if (keep[id] != 0) {
                keep[id] = next;
                records->interval_of[next] = (uint32_t)interval_count;
                records->slots[next++] = records->slots[id];
            }
        }
        if (next != first) {
            interval.first = first;
            records->intervals[interval_count++] = interval;
        }
    }
    ASSERT(next <= records->next && interval_count <= records->interval_count);
    records->next = next;
    records->numbering++;
    records->interval_count = interval_count;
    records->interval_open = false;
}
