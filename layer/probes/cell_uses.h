/* What the cells (checkers/probe/cells.cl) that a launch had to itself tell of it: which bytes of
 * the object it read, wrote and updated atomically. */
#ifndef LAYER_PROBES_CELL_USES_H
#define LAYER_PROBES_CELL_USES_H

#include "checkers/order/use.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CELL_USES_READ, CELL_USES_WRITTEN, CELL_USES_ATOMIC, CELL_USES_KINDS };
struct cell_uses {
    uint64_t object, size; /* the object, and its bytes */
    uint32_t shift;        /* a cell is for so many */
    uint32_t launch;       /* its number: cells of others may be there */
    uint64_t *bits[CELL_USES_KINDS];
    bool any[CELL_USES_KINDS];
};

/* False when memory is out. Release in either case. */
bool cell_uses_init(struct cell_uses *uses, uint64_t object, uint64_t size, uint32_t shift,
                    uint32_t launch);
void cell_uses_release(struct cell_uses *uses);
/* Those from number `first` on. */
void cell_uses_add(struct cell_uses *uses, const uint64_t *cells, uint64_t first, size_t count);
/* One for each kind that there is; they borrow the bits. */
size_t cell_uses_list(const struct cell_uses *uses, struct use list[CELL_USES_KINDS]);

#endif
