#include "reference/vm/live.h"

#include "trace/base/alloc.h"

#include <string.h>

/* Of lanes that are not active, too, or those have nothing there that somebody reads later: what
 * has is written by ops that set. */
static bool writes_each_lane(enum vm_op op)
{
    switch (op) {
    case VM_OP_load:
    case VM_OP_load_a:
    case VM_OP_load_u:
    case VM_OP_splat_8:
    case VM_OP_splat_16:
    case VM_OP_splat_32:
    case VM_OP_splat_64:
    case VM_OP_mov_8:
    case VM_OP_mov_16:
    case VM_OP_mov_32:
    case VM_OP_mov_64:
    case VM_OP_mov_u:
    case VM_OP_mov_mask:
    case VM_OP_select_u:
    case VM_OP_index_64_u:
        return true;
    default:
        /* On uniform and affine rows: of lane ops. An affine row is always written wholly. */
        return (vm_op_traits(op) & VM_COMPUTES) != 0 || vm_op_form(op)->uniform ||
               vm_op_form(op)->affine || vm_op_form(op)->operands[VM_OPERAND_DST].affine;
    }
}

static void mark(bool *units, vm_row row, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        units[row + i] = true;
}

void live_before(struct live *live, const struct vm_instruction *in)
{
    const uint32_t values[VM_OPERAND_COUNT] = {in->dst, in->a, in->b, in->c};
    const bool writes_all = writes_each_lane((enum vm_op)in->op);
    struct vm_shape shape;
    vm_shape_get(in, &shape);
    const struct vm_operand *dst = &shape.operands[VM_OPERAND_DST];
    for (uint32_t i = 0; i < operand_units(dst) && writes_all; i++)
        live->now[in->dst + i] = live->listed[in->dst + i];
    if (dst->affine && writes_all)
        live->now[in->dst - 1] = false;
    for (uint32_t i = writes_all ? VM_OPERAND_A : VM_OPERAND_DST; i < VM_OPERAND_COUNT; i++) {
        if (shape.operands[i].affine) /* whose terms say whether the elements count */
            mark(live->now, values[i] - 1, 1);
        else
            mark(live->now, values[i], operand_units(&shape.operands[i]));
    }
}

/* ---- between blocks ---- */

static void expose_block(struct live *live, const struct vm_block *block)
{
    memset(live->now, 0, live->code->frame_units * sizeof *live->now);
    for (uint32_t i = block->count; i-- > 0;)
        live_before(live, &live->code->instructions[block->first + i]);
    for (uint32_t unit = 0; unit < live->code->frame_units; unit++)
        live->exposed[unit] |= live->now[unit] || live->listed[unit];
}

static void list_rows(struct live *live, const vm_row *rows, uint32_t count, uint32_t units)
{
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i])
            mark(live->listed, rows[i], units);
    }
}

/* What is read beside the operands. No row of those tables has elements of more than 8 bytes. */
static void list_tables(struct live *live)
{
    const struct vm_code *code = live->code;
    enum { WIDEST = 8 };
    for (uint32_t i = 0; i < code->barrier_count; i++) {
        const struct vm_barrier *barrier = &code->barriers[i];
        list_rows(live, barrier->counters, barrier->counter_count,
                  barrier->counters_uniform ? 1 : 4);
        list_rows(live, &barrier->result, 1, barrier->width ? barrier->width : 1);
        for (uint32_t k = 0; k < barrier->argument_count; k++)
            list_rows(live, &barrier->arguments[k], 1,
                      k != 0           ? WIDEST
                      : barrier->width ? barrier->width
                                       : 1);
    }
    for (uint32_t i = 0; i < code->spin_count; i++) {
        const struct vm_spin *spin = &code->spins[i];
        for (uint32_t k = 0; k < 2 * spin->row_count; k++)
            list_rows(live, &spin->rows[k], 1, spin->widths[k / 2] ? spin->widths[k / 2] : 1);
    }
    for (uint32_t i = 0; i < code->print_count; i++) {
        const struct vm_print *print = &code->prints[i];
        uint32_t row = 0;
        for (uint32_t a = 0; a < print->argument_count; a++) {
            list_rows(live, print->rows + row, print->arguments[a].count,
                      print->arguments[a].width);
            row += print->arguments[a].count;
        }
    }
    for (uint32_t i = 0; i < code->device_call_count; i++)
        list_rows(live, code->device_calls[i].rows, code->device_calls[i].row_count, WIDEST);
}

bool live_init(struct live *live, const struct vm_code *code)
{
    *live = (struct live){.code = code};
    live->listed = alloc_zero(code->frame_units, sizeof *live->listed);
    live->exposed = alloc_zero(code->frame_units, sizeof *live->exposed);
    live->now = alloc_zero(code->frame_units, sizeof *live->now);
    if (!live->listed || !live->exposed || !live->now) {
        live_release(live);
        return false;
    }
    list_tables(live);
    for (uint32_t i = 0; i < code->block_count; i++)
        expose_block(live, &code->blocks[i]);
    return true;
}

void live_release(struct live *live)
{
    alloc_free(live->listed);
    alloc_free(live->exposed);
    alloc_free(live->now);
    *live = (struct live){0};
}

/* ---- in a block ---- */

void live_after(struct live *live, uint32_t block, uint32_t count)
{
    const struct vm_block *of = &live->code->blocks[block];
    memcpy(live->now, live->exposed, live->code->frame_units * sizeof *live->now);
    for (uint32_t i = of->count; i-- > count;)
        live_before(live, &live->code->instructions[of->first + i]);
}
