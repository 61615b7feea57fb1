#include "layer/probes/cell_uses.h"

#include "checkers/probe/cells.h"
#include "trace/base/alloc.h"

bool cell_uses_init(struct cell_uses *uses, uint64_t object, uint64_t size, uint32_t shift,
                    uint32_t launch)
{
    bool done = true;
    *uses = (struct cell_uses){.object = object, .size = size, .shift = shift, .launch = launch};
    for (int i = 0; i < CELL_USES_KINDS; i++) {
        uses->bits[i] = alloc_zero((size_t)(size / 64 + 1), sizeof *uses->bits[i]);
        done &= uses->bits[i] != NULL;
    }
    return done;
}

void cell_uses_release(struct cell_uses *uses)
{
    for (int i = 0; i < CELL_USES_KINDS; i++)
        alloc_free(uses->bits[i]);
}

/* WROTE may stand for a read and an atomic update, by one group: that conflicts with whatever a
 * write does, beside an atomic read, which no command is told to do. */
static int kind_of(struct cells_other cell)
{
    if (cell.group_wrote || cell.kind == CLERK_WRITE || cell.kind == CLERK_BOTH)
        return CELL_USES_WRITTEN;
    return cell.kind == CLERK_ATOMIC ? CELL_USES_ATOMIC : CELL_USES_READ;
}

/* An element lies within a word of the bits, or is whole words. */
static void set_bits(uint64_t *bits, uint64_t element, uint32_t shift)
{
    const uint64_t byte = element << shift;
    const uint64_t bytes = UINT64_C(1) << shift;
    if (bytes < 64)
        bits[byte / 64] |= ((UINT64_C(1) << bytes) - 1) << byte % 64;
    for (uint64_t i = 0; i < bytes / 64; i++)
        bits[byte / 64 + i] = UINT64_MAX;
}

void cell_uses_add(struct cell_uses *uses, const uint64_t *cells, uint64_t first, size_t count)
{
    const uint32_t own = uses->launch % CELLS_LAUNCH_MAX + 1;
    for (size_t i = 0; i < count && first + i < uses->size >> uses->shift; i++) {
        if (cells_field(cells[i], CLERK_CELL_LAUNCH, CLERK_CELL_END) != own)
            continue;
        const int kind = kind_of(cells_decode(cells[i]));
        uses->any[kind] = true;
        set_bits(uses->bits[kind], first + i, uses->shift);
    }
}

size_t cell_uses_list(const struct cell_uses *uses, struct use list[CELL_USES_KINDS])
{
    static const enum use_kind kinds[] = {[CELL_USES_READ] = USE_READ,
                                          [CELL_USES_WRITTEN] = USE_WRITE,
                                          [CELL_USES_ATOMIC] = USE_ATOMIC_WRITE};
    size_t count = 0;
    for (int i = 0; i < CELL_USES_KINDS; i++) {
        if (uses->any[i])
            list[count++] = (struct use){.object = uses->object,
                                         .kind = kinds[i],
                                         .bytes = {.size = uses->size, .bits = uses->bits[i]}};
    }
    return count;
}
