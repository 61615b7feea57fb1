/* What a cell told a kernel that noticed a race: the other side of it. The cells, and when they
 * miss a race, are described in cells.cl. */
#ifndef CHECKERS_PROBE_CELLS_H
#define CHECKERS_PROBE_CELLS_H

#include "checkers/probe/cell_layout.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    /* A launch has a number of 1 to CELLS_LAUNCH_MAX, larger than those of all launches that may
     * run beside it or have used the same cells. After the last one cells are filled with 0. */
    CELLS_LAUNCH_MAX = (1 << (CLERK_CELL_END - CLERK_CELL_LAUNCH)) - 1,
    CELLS_GLOBAL_BYTES = 8, /* of the cell of an element */
    CELLS_LOCAL_BYTES = 8,
};

/* Who accessed the element before, as far as a cell tells. */
struct cells_other {
    uint32_t kind;    /* CLERK_READ ... CLERK_WRITE, of the last access that the cell tells of */
    bool many_groups; /* several groups did it, and `group` is one of them */
    bool many_items;  /* several items of the group did it, and `lid` means nothing */
    bool group_wrote; /* some item of the group wrote, maybe before a barrier, or both read and
                         used atomics; it need not be `lid` */
    uint32_t group;   /* linear, its low bits; of local memory 0, since it is the reporter's own */
    uint32_t lid;     /* linear in the group, its low bits */
    uint32_t epoch;   /* barriers that the group had passed; of local memory 0 */
};

static inline uint32_t cells_field(uint64_t cell, int begin, int end)
{
    return (uint32_t)(cell >> begin & ((UINT64_C(1) << (end - begin)) - 1));
}

/* Of `other`, as the functions of cells.cl give it for global and for local memory. */
static inline struct cells_other cells_decode(uint64_t other)
{
    return (struct cells_other){
        .kind = cells_field(other, CLERK_CELL_KIND, CLERK_CELL_EPOCH),
        .many_groups = cells_field(other, CLERK_CELL_GROUPS, CLERK_CELL_LAUNCH) != 0,
        .many_items = cells_field(other, CLERK_CELL_ITEMS, CLERK_CELL_KIND) != 0,
        .group_wrote = cells_field(other, CLERK_CELL_WROTE, CLERK_CELL_GROUP) != 0,
        .group = cells_field(other, CLERK_CELL_GROUP, CLERK_CELL_GROUPS),
        .lid = cells_field(other, CLERK_CELL_LID, CLERK_CELL_ITEMS),
        .epoch = cells_field(other, CLERK_CELL_EPOCH, CLERK_CELL_WROTE),
    };
}

/* Could a work-group or work-item of that number be the one in the cell? Numbers are cut there. */
static inline bool cells_may_be_group(struct cells_other other, uint64_t group)
{
    return other.group == cells_field(group, 0, CLERK_CELL_GROUPS - CLERK_CELL_GROUP);
}

#endif
