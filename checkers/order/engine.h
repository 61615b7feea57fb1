/* The inside of struct order, shared by the files of the engine; nobody else includes it. */
#ifndef CHECKERS_ORDER_ENGINE_H
#define CHECKERS_ORDER_ENGINE_H

#include "checkers/order/order.h"
#include "checkers/order/readers.h"
#include "checkers/order/records.h"
#include "checkers/order/shadow.h"

/* The record that a slot made last, good while `interval` is the current one. */
struct slot_record {
    uint64_t interval;
    uint32_t record;
};

/* What a plain read by the strand of entry `self` made of the r of a cell, where it did not race.
 * Records are of one interval, so nothing else decides; self 0 = none. Loops read many cells alike,
 * and this saves looking into reader states for each. */
struct read_step {
    uint32_t before, self, after;
};

enum { READ_STEPS = 256 };

struct order {
    order_race_function *report;
    void *user;
    struct records records;
    struct readers readers[ORDER_REGION_COUNT];
    struct read_step steps[ORDER_REGION_COUNT][READ_STEPS]; /* by hash */
    struct shadow shadow;
    uint64_t launch;
    uint64_t generation[ORDER_REGION_COUNT], last_generation;
    struct slot_record *slots;
    size_t slot_capacity;
    uint64_t interval; /* counts up for ever */
    uint32_t renumber_at;
    bool incomplete;

    /* where execution stands */
    uint64_t group;
    uint32_t vector;
    unsigned sub_group_shift;
    uint32_t group_first, run_first;
    uint32_t barrier_floor[ORDER_REGION_COUNT];
    uint32_t state_floor; /* local reader states below it are ordered by a barrier */
    uint32_t state_first[ORDER_REGION_COUNT]; /* of reader states made since the last barrier */
    /* By sub-group of the group; below group_first = none. Made at the first sub-group barrier. */
    uint32_t *sub_floor[ORDER_REGION_COUNT];
    size_t sub_floor_capacity, sub_group_count;
    bool sub_floor_used;
};

/* renumber.c, between groups: forgets the records that no cell names any more, and numbers the rest
 * anew. Local shadows must be stale. */
void engine_renumber(struct order *order);

#endif
