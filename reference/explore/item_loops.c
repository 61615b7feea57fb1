/* Loops that may wait are those that have a `spin` (reference/vm/code.h). A round of one is idle if
 * what it hands to the next, private memory included, is what it got, and it wrote nothing. */
#include "reference/explore/item.h"

#include <string.h>

static const uint8_t *private_bytes(const struct item *item)
{
    const struct launch *launch = item->explorer->launch;
    return launch->private_bytes + item_lane(item) * launch->private_stride;
}

/* What a round of the loop gets from the one before; `bytes` has room for it. */
static void read_values(const struct item *item, const struct loop *loop, uint8_t *bytes)
{
    const uint32_t lane = item_lane(item);
    memset(bytes, 0, (size_t)loop->spin->row_count * 8);
    for (uint32_t i = 0; i < loop->spin->row_count; i++, bytes += 8) {
        const uint32_t width = loop->spin->widths[i];
        const uint8_t *row =
            item_vector(item)->units + (size_t)loop->spin->rows[2 * i] * VM_UNIT_SIZE;
        if (width)
            memcpy(bytes, row + lane * width, width);
        else
            *bytes = row[lane / 8] >> lane % 8 & 1;
    }
    memcpy(bytes, private_bytes(item), item->explorer->request.code->private_size);
}

size_t item_values_size(const struct item *item, const struct loop *loop)
{
    return (size_t)loop->spin->row_count * 8 + item->explorer->request.code->private_size;
}

static void begin_round(const struct item *item, struct loop *loop)
{
    loop->performed = false;
    loop->changed = false;
    read_values(item, loop, loop->values);
}

/* What a loop gets is known at its first operation only
 * if that is all in rows, which hold until the next round. */
void item_place_in_loops(struct item *item, uint32_t site)
{
    const struct vm_code *code = item->explorer->request.code;
    for (uint32_t i = 0; i < code->spin_count; i++) {
        struct loop *loop = &item->loops[i];
        const uint32_t entries = item_vector(item)->waiting[i].entries;
        const bool inside = loop->first <= site && site <= loop->last;
        if (inside && (!loop->runs || loop->entries != entries)) {
            loop->entries = entries;
            loop->rounds = 0;
            loop->known = code->private_size == 0 && site != loop->last;
            begin_round(item, loop);
        }
        loop->runs = inside;
    }
}

bool item_is_open(const struct item *item)
{
    bool open = true;
    for (uint32_t i = 0; i < item->explorer->request.code->spin_count; i++) {
        const struct loop *loop = &item->loops[i];
        open = open && !(loop->runs && loop->performed && !loop->changed);
    }
    return open;
}

bool item_go_round(struct item *item)
{
    struct vm_vector *vector = item_vector(item);
    uint32_t i = 0;
    while (!vector->waiting[i].held)
        i++;
    struct loop *loop = &item->loops[i];
    item_place_in_loops(item, loop->last);
    uint8_t *values = loop->values + item_values_size(item, loop);
    read_values(item, loop, values);
    const bool same =
        loop->known && memcmp(values, loop->values, item_values_size(item, loop)) == 0;
    if (same && !loop->changed)
        item->node->state = MACHINE_IDLE;
    else if (loop->rounds++ >= item->rounds)
        item->node->state = MACHINE_CUT;
    else
        begin_round(item, loop);
    loop->known = true;
    vm_vector_resume(vector);
    vector->rounds = 0;
    return item->node->state == MACHINE_RUNS;
}
