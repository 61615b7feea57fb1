/* One cell, exactly: which of those that accessed it race with one more, and who is remembered
 * then. What the fast ways (cells.c) leave open comes here. */
#ifndef CHECKERS_ORDER_EXACT_H
#define CHECKERS_ORDER_EXACT_H

#include "checkers/order/engine.h"
#include "checkers/order/entry.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- cells.c ---- */

/* The fast path: a run of consecutive cells, accessed by consecutive lanes, checked by a few
 * unsigned compares for each cell, which the compiler vectorises. */

/* The floors that hold for the running vector in one region, as entries, so that one compare
 * decides. */
struct cell_floors {
    uint32_t group_first;  /* the first entry of the group */
    uint32_t barrier_span; /* entries from there on that the last barrier orders */
    uint32_t run_first;    /* the first entry of the vector's run: its own from there on */
    /* So many entries after those that the barrier orders may be of the vector or not; all others
     * below run_first are of other vectors. */
    uint32_t unknown_span;
    uint32_t full_first; /* two readers of one group from here on are full: see cell_full */
    uint32_t is_local;   /* all ones, or 0: see cell_add */
    uint32_t state_span; /* reader states up to this offset were ordered by the last barrier */
    uint32_t sub_group_shift;
};

/* Some cells of one page, one after the other. */
struct cells {
    uint32_t *w;
    uint32_t *r; /* NULL: 0 in all cells; a run of writes alone takes such cells */
    uint32_t *n; /* NULL: 0 in all cells, and no atomic updates in r */
};

/* A truth value as a mask, all ones or 0, and the choice by one: what loops are vectorised with. */
typedef uint32_t cell_mask;

static inline cell_mask mask_of(bool truth)
{
    return (cell_mask)0 - truth;
}
static inline uint32_t mask_choose(cell_mask mask, uint32_t yes, uint32_t no)
{
    return (yes & mask) | (no & ~mask);
}

/* Is it 0, or ordered by the last barrier of the group? */
static inline cell_mask entry_before(struct cell_floors floors, uint32_t entry)
{
    return mask_of(entry == 0) | mask_of(entry - floors.group_first < floors.barrier_span);
}

/* Is the access that `entry` names certainly ordered before the strand of `self`? A "no" is looked
 * at by the slow path. */
static inline cell_mask entry_ordered(struct cell_floors floors, uint32_t entry, uint32_t self)
{
    const cell_mask mine =
        mask_of(entry >= floors.run_first) & mask_of(((entry ^ self) & ENTRY_LANE_MASK) == 0);
    return entry_before(floors, entry) | mine;
}

/* Would the records have to be asked whose entry it is? */
static inline cell_mask entry_unknown(struct cell_floors floors, uint32_t entry)
{
    return mask_of(entry - (floors.group_first + floors.barrier_span) < floors.unknown_span);
}

/* Are all that accessed the cell since its last write ordered before the strand of `self`? */
static inline cell_mask readers_ordered(struct cell_floors floors, uint32_t r, uint32_t n,
                                        uint32_t self)
{
    const cell_mask older = entry_ordered(floors, entry_plain(r), self);
    const cell_mask newer = entry_ordered(floors, entry_plain(n), self);
    return mask_choose(mask_of(n == ENTRY_STATE), mask_of(r < floors.state_span), older & newer);
}

/* Does one more of their kind leave the two as they are? Two that are saturated; or two since the
 * last barrier, of different sub-groups: whatever orders both of them will order this one as well,
 * as none in the group is farther from them than they are apart. */
static inline cell_mask cell_full(struct cell_floors floors, uint32_t r, uint32_t n)
{
    const cell_mask saturated = mask_of(n >= ENTRY_FLAG) & mask_of(n != ENTRY_STATE);
    const cell_mask group = mask_of(n < ENTRY_FLAG) & mask_of(n >= floors.full_first) &
                            mask_of((r & ~ENTRY_ATOMIC) >= (floors.full_first | ENTRY_FLAG));
    return saturated | group;
}

/* May every strand of the vector read the cell, and leave it as it is? */
static inline cell_mask cell_settled(struct cell_floors floors, uint32_t w, uint32_t r, uint32_t n)
{
    return entry_before(floors, w) & cell_full(floors, r, n) & mask_of((r & ENTRY_ATOMIC) == 0);
}

/* The same of atomic updates of the widest scope. */
static inline cell_mask cell_settled_updates(struct cell_floors floors, uint32_t w, uint32_t r,
                                             uint32_t n)
{
    return entry_before(floors, w) & cell_full(floors, r, n) & mask_of((r & ENTRY_ATOMIC) != 0);
}

/* A plain read by the strand of `self` (kind 0), or its atomic update of the widest scope that the
 * region has (ENTRY_ATOMIC). 0 where a closer look is needed; *r and *n then stay. The rules are
 * add_member's (exact.c): those of the same kind that are ordered before this one go, and of three
 * the two farthest apart stay. Those of the other kind go in local memory alone, where a barrier
 * that orders them for one strand does for all. */
static inline cell_mask cell_add(struct cell_floors floors, uint32_t w, uint32_t *r, uint32_t *n,
                                 uint32_t self, uint32_t kind)
{
    const uint32_t older = entry_plain(*r);
    const uint32_t newer = entry_plain(*n);
    const cell_mask is_state = mask_of(*n == ENTRY_STATE);
    const cell_mask same_kind = mask_of((*r & ENTRY_ATOMIC) == kind) & ~is_state;
    const cell_mask full = cell_full(floors, *r, *n) & same_kind;
    const cell_mask older_ordered = entry_ordered(floors, older, self);
    const cell_mask newer_ordered = entry_ordered(floors, newer, self);
    const cell_mask unknown = (~older_ordered & entry_unknown(floors, older)) |
                              (~newer_ordered & entry_unknown(floors, newer));
    const uint32_t second = newer & ~(older_ordered | newer_ordered);
    const uint32_t first = mask_choose(older_ordered, newer & ~newer_ordered, older);
    /* The one that came last of those that stay is the one to be as far from as possible. */
    const uint32_t last = mask_choose(mask_of(second != 0), second, first);
    const cell_mask far = mask_of(last < floors.group_first);
    const cell_mask group =
        mask_of(last < floors.run_first) |
        mask_of(((last ^ self) & ENTRY_LANE_MASK) >> floors.sub_group_shift != 0);
    const cell_mask stays =
        full | (mask_of(second != 0) & ~far & (mask_of(*r >= ENTRY_FLAG) | ~group));
    const cell_mask before = entry_before(floors, older) & entry_before(floors, newer);
    const cell_mask alone =
        mask_of(*r == 0) | (is_state & mask_of(*r < floors.state_span)) |
        (~is_state & ((same_kind & older_ordered & newer_ordered) | (before & floors.is_local)));
    const cell_mask good = entry_ordered(floors, w, self) & (full | alone | (same_kind & ~unknown));
    const cell_mask same = ~good | (stays & ~alone);
    const uint32_t r_pair = last | (group & ~far & ENTRY_FLAG);
    const uint32_t n_pair = self | (far & ENTRY_FLAG);
    *r = mask_choose(same, *r, mask_choose(alone, self, r_pair) | kind);
    *n = mask_choose(same, *n, n_pair & ~alone);
    return good;
}

/* Cells that consecutive strands access: the strand of the entry first + i the first `taken` of the
 * cells from i << lane_shift on. */
struct cell_run {
    uint32_t count; /* of cells, those between included */
    uint32_t first;
    uint32_t lane_shift, taken;
};

/* The loops over cells, in the form that the processor does best. */
struct cell_loops {
    /* A plain read (write) of a run from cell 0 on. True if all of it is ordered; the cells then
     * hold the access. False changes nothing: a closer look is needed, or, for reads, the page
     * needs its n. */
    bool (*read)(struct cells cells, struct cell_run run, const struct cell_floors *floors);
    bool (*write)(struct cells cells, struct cell_run run, const struct cell_floors *floors);
    /* Are all of the cells settled? */
    bool (*settled)(struct cells cells, uint32_t count, const struct cell_floors *floors);
    /* Plain reads or atomic updates, as `kind` says (plain writes), of 64 cells of any places,
     * copied together, by the strands of the entries first + i. good[i] says of each whether it is
     * ordered; the copy then holds the access. */
    void (*add_each)(struct cells copies, uint32_t first, uint32_t kind,
                     const struct cell_floors *floors, cell_mask *good);
    void (*write_each)(struct cells copies, uint32_t first, const struct cell_floors *floors,
                       cell_mask *good);
};
const struct cell_loops *cell_loops(void);

/* From cell `cell` of the page on. */
static inline struct cells page_cells(const struct shadow_page *page, uint32_t cell)
{
    return (struct cells){
        .w = page->w + cell,
        .r = page->r == NULL ? NULL : page->r + cell,
        .n = page->n == NULL ? NULL : page->n + cell,
    };
}

/* The read of one cell by two lanes, where all that was there before them is ordered by a barrier:
 * what access_cell would make of the two, one after the other. */
static inline bool read_pair_fast(struct cell_floors floors, struct cells cell, uint32_t first,
                                  uint32_t last)
{
    if (cell.n == NULL || *cell.r >= ENTRY_ATOMIC || !entry_before(floors, *cell.w) ||
        !entry_before(floors, *cell.r) || !entry_before(floors, entry_plain(*cell.n))) {
        return false;
    }
    const bool group = ((first ^ last) & ENTRY_LANE_MASK) >> floors.sub_group_shift != 0;
    *cell.r = first | (group && first != last ? ENTRY_FLAG : 0);
    *cell.n = first != last ? last : 0;
    return true;
}

/* What an access needs wherever it looks. */
struct access_context {
    struct order_object *object;
    const struct lane_access *access;
    enum order_region region;
    enum order_region floor; /* its own for texels, else the region */
    enum observer_scope scope;
    unsigned class;
    bool updates;   /* atomically, in the widest scope: cells hold it themselves */
    bool sizes_mix; /* an atomic access to an object that has had some of other sizes */
    /* In launches that acquire (acquiring.c): */
    bool acquires;
    bool overwrites; /* it writes plainly to an object that was written atomically */
    /* Bits: the classes that it conflicts with, but for those that always include it; the same for
     * strands of the running group. */
    uint32_t rivals, near_rivals;
    uint32_t record;
    struct cell_floors floors;
    const struct lane_access *told; /* the access as it was given: `access` may be a run of it */
};

/* Races of one lane on neighbouring cells with the same earlier access, told as one. */
struct race_run {
    uint32_t entry;
    uint64_t offset;
    uint32_t size;
    bool sizes_differ; /* no races: order_race */
};

static inline unsigned reader_class(enum observer_access_kind kind, enum observer_scope scope)
{
    switch (kind) {
    case OBSERVER_ATOMIC_READ:
        return READERS_ATOMIC_READ + scope;
    case OBSERVER_ATOMIC_WRITE:
    case OBSERVER_ATOMIC_RMW: /* conflicts with the same accesses */
        return READERS_ATOMIC_WRITE + scope;
    default:
        return READERS_PLAIN;
    }
}

/* The scope of a class of atomics. */
static inline enum observer_scope reader_scope(unsigned class)
{
    return class >= READERS_ATOMIC_WRITE ? class - READERS_ATOMIC_WRITE
                                         : class - READERS_ATOMIC_READ;
}

/* ---- row.c ---- */

/* The record of what the slot accesses now, of `size` bytes; 0 when there are no more. */
uint32_t row_record(struct order *order, uint32_t slot, uint32_t size);
/* The floors of the running vector. */
struct cell_floors row_floors(const struct order *order, enum order_region floor);

/* ---- exact.c ---- */

/* The level of the running strand `lane` and that of `entry`. */
enum observer_scope exact_level(const struct order *order, uint32_t entry, uint32_t lane);
/* Of the lanes `mask` that made the access of `record`, those that the strand knows by what it has
 * acquired. */
uint64_t exact_known(const struct order *order, enum order_region floor, uint32_t record,
                     uint64_t mask, uint32_t lane);
/* Is the access `entry` ordered before what the running strand `lane` does now? */
bool exact_ordered(const struct order *order, enum order_region floor, uint32_t entry,
                   uint32_t lane);
/* Does an access of `kind` conflict with those of a class, scopes apart? */
bool exact_conflicts(enum observer_access_kind kind, unsigned class);
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

/* ---- acquiring.c ---- */

/* One cell in a launch that acquires: a strand may know any other, so everybody who accessed the
 * bytes since their last plain write counts. A cell's r and n (entry.h) are there
 *
 *     r = 0,        n = 0               nobody
 *     r = entry,    n = 0               one plain reader
 *     r = history,  n = ENTRY_STATE     all that is in the history (history.c) */

/* Fills the context's rivals. */
void acquiring_note_rivals(const struct order *order, struct access_context *context);
/* As exact_access_cell. */
uint32_t acquiring_access_cell(struct order *order, const struct access_context *context,
                               struct shadow_page *page, uint32_t cell, uint32_t lane);

#endif
