/* The fast path: a run of consecutive cells, accessed by consecutive lanes, checked by a few
 * unsigned compares for each cell, which the compiler vectorises. */
#ifndef CHECKERS_ORDER_CELLS_H
#define CHECKERS_ORDER_CELLS_H

#include "checkers/order/entry.h"

#include <stdbool.h>

/* The floors that hold for the running vector in one region, as entries, so that one compare
 * decides. */
struct cell_floors {
    uint32_t group_first;  /* the first entry of the group */
    uint32_t barrier_span; /* entries from there on that the last barrier orders */
    uint32_t run_first;    /* the first entry of the vector's run: its own from there on */
    uint32_t state_span;   /* reader states up to this offset were ordered by the last barrier */
    uint32_t full_first;   /* ENTRY_GROUP states made since the last barrier: from here on */
    uint32_t full_span;    /* so many of them; 0 where sub-group barriers order, too */
};

/* Does a plain read leave the reader state as it is? One that is saturated; or two readers since
 * the last barrier, of different sub-groups: whatever orders both of them will order this read as
 * well, as none in the group is farther from them than they are apart. */
static inline bool cell_full(struct cell_floors floors, uint32_t state)
{
    const bool saturated = state >= ENTRY_SATURATED;
    const bool group = state - floors.full_first < floors.full_span;
    return saturated | group;
}

/* May every strand of the vector read the cell, and leave it as it is? */
static inline bool cell_settled(struct cell_floors floors, uint32_t w, uint32_t r)
{
    const bool none = w == 0;
    const bool barrier = w - floors.group_first < floors.barrier_span;
    return (none | barrier) & cell_full(floors, r);
}

/* Is the access that `entry` names certainly ordered before the strand of `self`? A "no" is looked
 * at by the slow path. */
static inline bool cell_ordered(struct cell_floors floors, uint32_t entry, uint32_t self)
{
    const bool none = entry == 0;
    const bool barrier = entry - floors.group_first < floors.barrier_span;
    const bool mine = (entry >= floors.run_first) & (entry < ENTRY_STATE) &
                      (((entry ^ self) & ENTRY_LANE_MASK) == 0);
    const bool state = (entry & ~ENTRY_GROUP) - ENTRY_STATE < floors.state_span;
    return none | barrier | mine | state;
}

/* A plain read (write) of cells [0, count) by the strands of the entries first + (i >> lane_shift).
 * True if all of it is ordered; the cells then hold the access. False changes nothing. */
bool cells_read(const uint32_t *w, uint32_t *r, uint32_t count, uint32_t first, unsigned lane_shift,
                const struct cell_floors *floors);
bool cells_write(uint32_t *w, uint32_t *r, uint32_t count, uint32_t first, unsigned lane_shift,
                 const struct cell_floors *floors);
/* Are all of the cells settled? */
bool cells_settled(const uint32_t *w, const uint32_t *r, uint32_t count,
                   const struct cell_floors *floors);

#endif
