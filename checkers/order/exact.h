/* One cell, exactly: which of those that accessed it race with one more, and who is remembered
 * then. What the fast ways (checkers/order/cells.h) leave open comes here. */
#ifndef CHECKERS_ORDER_EXACT_H
#define CHECKERS_ORDER_EXACT_H

#include "checkers/order/cells.h"
#include "checkers/order/engine.h"

/* What an access needs wherever it looks. */
struct access_context {
    const struct order_access *access;
    enum order_region region;
    enum order_region floor; /* its own for texels, else the region */
    enum order_level scope;
    unsigned class;
    bool updates;   /* atomically, in the widest scope: cells hold it themselves */
    bool sizes_mix; /* an atomic access to an object that has had some of other sizes */
    /* In launches that acquire (acquiring.h): */
    bool acquires;
    bool overwrites; /* it writes plainly to an object that was written atomically */
    /* Bits: the classes that it conflicts with, but for those that always include it; the same for
     * strands of the running group. */
    uint32_t rivals, near_rivals;
    uint32_t record;
    struct cell_floors floors;
    const struct order_access *told; /* the access as it was given: `access` may be a run of it */
};

/* Races of one lane on neighbouring cells with the same earlier access, told as one. */
struct race_run {
    uint32_t entry;
    uint64_t offset;
    uint32_t size;
    bool sizes_differ; /* no races: order_race */
};

static inline unsigned reader_class(enum order_kind kind, enum order_level scope)
{
    switch (kind) {
    case ORDER_ATOMIC_READ:
        return READERS_ATOMIC_READ + scope;
    case ORDER_ATOMIC_WRITE:
        return READERS_ATOMIC_WRITE + scope;
    default:
        return READERS_PLAIN;
    }
}

/* The scope of a class of atomics. */
static inline enum order_level reader_scope(unsigned class)
{
    return class >= READERS_ATOMIC_WRITE ? class - READERS_ATOMIC_WRITE
                                         : class - READERS_ATOMIC_READ;
}

static inline bool is_atomic(enum order_kind kind)
{
    return kind == ORDER_ATOMIC_READ || kind == ORDER_ATOMIC_WRITE;
}

/* The level of the running strand `lane` and that of `entry`. */
enum order_level exact_level(const struct order *order, uint32_t entry, uint32_t lane);
/* Of the lanes `mask` that made the access of `record`, those that the strand knows by what it has
 * acquired. */
uint64_t exact_known(const struct order *order, enum order_region floor, uint32_t record,
                     uint64_t mask, uint32_t lane);
/* Is the access `entry` ordered before what the running strand `lane` does now? */
bool exact_ordered(const struct order *order, enum order_region floor, uint32_t entry,
                   uint32_t lane);
/* Does an access of `kind` conflict with those of a class, scopes apart? */
bool exact_conflicts(enum order_kind kind, unsigned class);
/* Does the access by `lane` race with that of `entry`, whose class conflicts? */
bool exact_races(const struct order *order, const struct access_context *context, unsigned class,
                 uint32_t entry, uint32_t lane);
/* The access of one cell of the page by the lane; returns the entry that races, 0 if none does. */
uint32_t exact_access_cell(struct order *order, const struct access_context *context,
                           struct shadow_page *page, uint32_t cell, uint32_t lane);
/* sizes.c: reports an atomic access of another size to the bytes that the lane accesses from
 * `offset` on, with which that conflicts and which is not ordered before. */
void sizes_check(struct order *order, const struct access_context *context, uint64_t offset,
                 uint32_t lane);
/* Reports the run, if there is one. */
void exact_tell_race(struct order *order, const struct access_context *context,
                     const struct race_run *run, uint32_t lane);

#endif
