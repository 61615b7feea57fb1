/* The bits of the shadow cells (cells.cl) by which kernels notice races while they run. Plain
 * macros, since this text stands before cells.cl in programs; the host's side is cells.h. */
#ifndef CHECKERS_PROBE_CELL_LAYOUT_H
#define CHECKERS_PROBE_CELL_LAYOUT_H

/* What an access does. In a cell the larger number hides the smaller one. */
#define CLERK_READ        0
#define CLERK_ATOMIC      1 /* an atomic operation that writes */
#define CLERK_BOTH        2 /* only in cells: read, and an atomic operation, by one work-item */
#define CLERK_WRITE       3
#define CLERK_ATOMIC_READ 4 /* never in cells; a compare-exchange that may fail too */

/* What the functions return, as bits. */
#define CLERK_RACES     1
#define CLERK_UNWRITTEN 2 /* of local memory: nothing has written there before */

/* A cell of global memory, 64 bits: where each field begins. 0 = nothing accessed the element. */
#define CLERK_CELL_LID    0
#define CLERK_CELL_ITEMS  13 /* one bit: several items of the group, in this epoch */
#define CLERK_CELL_KIND   14
#define CLERK_CELL_EPOCH  16 /* of the group: how many barriers it has passed */
#define CLERK_CELL_WROTE  28 /* one bit: the group did what is a race with any access of others */
#define CLERK_CELL_GROUP  29
#define CLERK_CELL_GROUPS 51 /* one bit: several groups */
#define CLERK_CELL_LAUNCH 52 /* never 0 */
#define CLERK_CELL_END    64

/* A word of local memory, 32 bits; two are a cell: the last reader, then the last writer. */
#define CLERK_WORD_LID    0 /* CLERK_WORD_MANY = several items */
#define CLERK_WORD_ATOMIC 12
#define CLERK_WORD_EPOCH  13 /* never 0 */
#define CLERK_WORD_END    32
#define CLERK_WORD_MANY   ((1U << CLERK_WORD_ATOMIC) - 1)

/* In cells and words, in place of a work-item: an asynchronous copy of the group. */
#define CLERK_LID_COPY (CLERK_WORD_MANY - 1)

#endif
