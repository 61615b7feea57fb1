/* Record ids and what they stand for. Ids start at 1 in each launch and rise in execution order;
 * the records of one interval, which share its vector and group, are consecutive. */
#ifndef CHECKERS_ORDER_RECORDS_H
#define CHECKERS_ORDER_RECORDS_H

#include "trace/base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one vector did between two points at which it could order others. */
struct record_interval {
    uint32_t first; /* its lowest record id */
    uint32_t vector;
    uint64_t group;
};

struct records {
    uint32_t *slots; /* by id; [0] is unused */
    size_t slot_capacity;
    uint32_t *interval_of; /* by id */
    size_t interval_of_capacity;
    uint32_t next; /* the next id */
    uint32_t limit;
    uint32_t numbering; /* another one where ids mean others than before */
    struct record_interval *intervals;
    size_t interval_count, interval_capacity;
    bool interval_open; /* the last interval takes further records */
};

void records_reset(struct records *records);
void records_release(struct records *records);

/* A new record of the vector in its interval, which is opened where need be; 0 when ids or memory
 * are out. */
uint32_t records_add(struct records *records, uint32_t slot, uint64_t group, uint32_t vector);
static inline void records_end_interval(struct records *records)
{
    records->interval_open = false;
}
/* The interval of a record that is there. */
static inline const struct record_interval *records_find(const struct records *records, uint32_t id)
{
    ASSERT(id < records->next);
    return &records->intervals[records->interval_of[id]];
}

/* Forgets the ids for which keep[id] is 0 and numbers the rest anew in the same order: keep[id]
 * becomes the new id. The interval is ended. */
void records_renumber(struct records *records, uint32_t *keep);

#endif
