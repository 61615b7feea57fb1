/* The fast path: a run of consecutive cells, accessed by consecutive lanes, checked by a few
 * unsigned compares for each cell, which the compiler vectorises. */
#ifndef CHECKERS_ORDER_CELLS_H
#define CHECKERS_ORDER_CELLS_H

#include "checkers/order/entry.h"

#include <stdbool.h>
#include <stddef.h>

/* The floors that hold for the running vector in one region, as entries, so that one compare
 * decides. */
struct cell_floors {
    uint32_t group_first;  /* the first entry of the group */
    uint32_t barrier_span; /* entries from there on that the last barrier orders */
    uint32_t run_first;    /* the first entry of the vector's run: its own from there on */
    /* So many entries behind those that the barrier orders may be of the vector or not; all others
     * below run_first are of other vectors. */
    uint32_t unknown_span;
    uint32_t full_first; /* two readers of one group from here on are full: see cell_full */
    uint32_t state_span; /* reader states up to this offset were ordered by the last barrier */
    uint32_t sub_group_shift;
};

/* Some cells of one page, one behind the other. */
struct cells {
    uint32_t *w, *r;
    uint32_t *n; /* NULL: 0 in all cells */
};

/* Is the access that `entry` names certainly ordered before the strand of `self`? A "no" is looked
 * at by the slow path. */
static inline bool entry_ordered(struct cell_floors floors, uint32_t entry, uint32_t self)
{
    const bool none = entry == 0;
    const bool barrier = entry - floors.group_first < floors.barrier_span;
    const bool mine = (entry >= floors.run_first) & (((entry ^ self) & ENTRY_LANE_MASK) == 0);
    return none | barrier | mine;
}

/* Would the records have to be asked whose entry it is? */
static inline bool entry_unknown(struct cell_floors floors, uint32_t entry)
{
    return entry - (floors.group_first + floors.barrier_span) < floors.unknown_span;
}

/* Are all that accessed the cell since its last write ordered before the strand of `self`? */
static inline bool readers_ordered(struct cell_floors floors, uint32_t r, uint32_t n, uint32_t self)
{
    const bool older = entry_ordered(floors, entry_plain(r), self);
    const bool newer = entry_ordered(floors, entry_plain(n), self);
    const bool is_state = n == ENTRY_STATE;
    const bool state = r < floors.state_span;
    return (is_state & state) | (!is_state & older & newer);
}

/* Does a plain read leave the readers as they are? Two that are saturated; or two since the last
 * barrier, of different sub-groups: whatever orders both of them will order this read as well, as
 * none in the group is farther from them than they are apart. */
static inline bool cell_full(struct cell_floors floors, uint32_t r, uint32_t n)
{
    const bool saturated = (n >= ENTRY_FLAG) & (n != ENTRY_STATE);
    const bool group =
        (n < ENTRY_FLAG) & (n >= floors.full_first) & (r >= (floors.full_first | ENTRY_FLAG));
    return saturated | group;
}

/* May every strand of the vector read the cell, and leave it as it is? */
static inline bool cell_settled(struct cell_floors floors, uint32_t w, uint32_t r, uint32_t n)
{
    const bool none = w == 0;
    const bool barrier = w - floors.group_first < floors.barrier_span;
    return (none | barrier) & cell_full(floors, r, n);
}

/* A plain read by the strand of `self`, without a branch, so that loops of it are vectorised. False
 * where a closer look is needed; *r and *n are then of no use. The rules are add_member's
 * (judge.c): readers ordered before this one go, and of three the two farthest apart stay. */
static inline bool cell_read(struct cell_floors floors, uint32_t w, uint32_t *r, uint32_t *n,
                             uint32_t self)
{
    const uint32_t older = entry_plain(*r);
    const uint32_t newer = entry_plain(*n);
    const bool is_state = *n == ENTRY_STATE;
    const bool full = cell_full(floors, *r, *n);
    const bool older_ordered = entry_ordered(floors, older, self);
    const bool newer_ordered = entry_ordered(floors, newer, self);
    const bool unknown = (!older_ordered & entry_unknown(floors, older)) |
                         (!newer_ordered & entry_unknown(floors, newer));
    const uint32_t second = (older_ordered | newer_ordered) ? 0 : newer;
    const uint32_t first = !older_ordered ? older : newer_ordered ? 0 : newer;
    /* The one that came last of those that stay is the one to be as far from as possible. */
    const uint32_t last = second != 0 ? second : first;
    const bool far = last < floors.group_first;
    const bool group =
        (last < floors.run_first) | (((last ^ self) & ENTRY_LANE_MASK) >> floors.sub_group_shift);
    const bool stays = full | ((second != 0) & !far & ((*r >= ENTRY_FLAG) | !group));
    const bool alone = readers_ordered(floors, *r, *n, self);
    const uint32_t r_pair = last | ((group & !far) ? ENTRY_FLAG : 0);
    const uint32_t n_pair = self | (far ? ENTRY_FLAG : 0);
    *r = alone ? self : stays ? *r : r_pair;
    *n = alone ? 0 : stays ? *n : n_pair;
    return entry_ordered(floors, w, self) & (full | alone | (!is_state & !unknown));
}

/* A plain read (write) of cells [0, count) by the strands of the entries first + (i >> lane_shift).
 * True if all of it is ordered; the cells then hold the access. False changes nothing: a closer
 * look is needed, or, for reads, the page needs its n. */
bool cells_read(struct cells cells, uint32_t count, uint32_t first, unsigned lane_shift,
                const struct cell_floors *floors);
bool cells_write(struct cells cells, uint32_t count, uint32_t first, unsigned lane_shift,
                 const struct cell_floors *floors);
/* Are all of the cells settled? */
bool cells_settled(struct cells cells, uint32_t count, const struct cell_floors *floors);

#endif
