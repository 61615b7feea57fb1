/* The inside of struct order, shared by the files of the engine; nobody else includes it. */
#ifndef CHECKERS_ORDER_ENGINE_H
#define CHECKERS_ORDER_ENGINE_H

#include "checkers/order/history.h"
#include "checkers/order/order.h"
#include "checkers/order/readers.h"
#include "checkers/order/records.h"
#include "checkers/order/shadow.h"
#include "checkers/order/sync.h"

/* The record that a slot made last, good while `interval` is the current one. */
struct slot_record {
    uint64_t interval;
    uint32_t record, size; /* size: of the access */
};

enum { ORDER_STAMPS = 4096 };

/* One group, where its execution stands. */
struct told_copy {
    uint32_t first, number;
};

struct engine_group {
    uint64_t id;
    bool waits;   /* others run; it will go on */
    bool resumed; /* it has waited: not all records from group_first on are its own */
    uint32_t vector;
    uint32_t group_first, run_first;
    uint32_t barrier_floor[ORDER_FLOOR_COUNT];
    uint32_t state_floor; /* local reader states below it are ordered by a barrier */
    /* Records from here to run_first are of other vectors than the running one: since then no
     * vector has run twice. Bit v of `ran`: vector v made records since. */
    uint32_t phase_first;
    uint64_t ran;
    bool region_used[ORDER_FLOOR_COUNT]; /* the group has accessed the region */
    uint64_t local_generation;           /* of the shadow of its local memory */
    /* By sub-group; below group_first = none. Made at the first sub-group barrier. */
    uint32_t *sub_floor[ORDER_FLOOR_COUNT];
    size_t sub_floor_capacity, sub_group_count;
    bool sub_floor_used;
    uint32_t item_count;
    bool copies_used;                          /* it has started asynchronous copies */
    uint32_t copy_count, waited_count;         /* of copies: started, and waited for */
    uint32_t copies_fenced[ORDER_FLOOR_COUNT]; /* that many come before the last fence of copies */
    /* What copies accessed that were told since the first such fence, by the record it begins at.
     */
    struct told_copy *told;
    size_t told_count, told_capacity;
    /* Pictures of sub_floor, one behind the other: as it was when copies started, and, from
     * `waited_floors` - 1 on, the highest that copies knew which have been waited for. */
    uint32_t *pictures;
    size_t picture_count, picture_capacity; /* numbers */
    size_t waited_floors;                   /* 0 = none */
    struct sync_group known;
};

struct order {
    order_race_function *report;
    void *user;
    struct records records;
    struct readers readers[ORDER_REGION_COUNT];
    /* In launches that acquire, instead of readers. */
    struct histories histories[ORDER_REGION_COUNT];
    struct sync sync;
    struct shadow shadow;
    uint64_t launch;
    uint64_t generation[ORDER_REGION_COUNT], last_generation;
    struct slot_record *slots;
    size_t slot_capacity;
    uint64_t interval; /* counts up for ever */
    uint32_t renumber_at;
    bool incomplete;
    bool acquires, wide_scopes, seq_cst_alone; /* as struct order_launch has them */

    /* By element modulo their number: the access that touched it last, to see lanes of one cell. */
    uint32_t stamps[ORDER_STAMPS];
    uint32_t stamp;

    unsigned sub_group_shift;
    struct engine_group *groups; /* those that wait, the running one, and room for others */
    size_t group_count, group_capacity, waiting_count;
    struct engine_group *now; /* the running one */
    bool copying;             /* what is told now is a copy's */
    struct order_copy told;   /* that copy */
    struct order_copy kept;   /* the group's floors while the copy's hold */
};

/* Has the group begun and not ended? */
static inline bool engine_group_lives(const struct order *order, uint64_t group)
{
    for (size_t i = 0; i < order->group_count && order->waiting_count > 0; i++) {
        if (order->groups[i].waits && order->groups[i].id == group) {
            return true;
        }
    }
    return group == order->now->id;
}

static inline size_t sub_group_index(const struct order *order, uint32_t vector, uint32_t lane)
{
    return ((size_t)vector << (ENTRY_LANE_BITS - order->sub_group_shift)) +
           (lane >> order->sub_group_shift);
}

/* The sub-group's floor in the picture that begins at number `at` - 1. */
static inline uint32_t pictured_floor(const struct order *order, size_t at, enum order_region floor,
                                      size_t sub_group)
{
    const struct engine_group *now = order->now;
    return now->pictures[at - 1 + (size_t)floor * now->sub_group_count + sub_group];
}

/* OpenCL API 3.0, 3.3.5: scopes are inclusive if they are the same and wide enough for both
 * strands; 3.1: if each is wide enough. */
static inline bool inclusive(const struct order *order, enum order_level a, enum order_level b,
                             enum order_level distance)
{
    return (a == b || order->wide_scopes) && distance <= a && distance <= b;
}

/* order.c: accesses made from now on can be told from those made before. */
void engine_end_interval(struct order *order);

/* renumber.c, while no group waits: forgets the records that no cell names any more, and numbers
 * the rest anew. Local shadows must be stale. */
void engine_renumber(struct order *order);
/* renumber.c, between accesses: forgets the histories of the region that no cell has any more, once
 * there are many. */
void engine_collect_histories(struct order *order, enum order_region region);

#endif
