/* Private variables to values.
 *
 * A variable is promoted when its address goes nowhere but into loads and stores, each of which
 * takes whole *cells*: ranges of bytes that no other access cuts. Loads then become the value
 * stored last, joined by phis where ways meet. Promoting a variable that holds a pointer shows
 * where the pointer leads, which may free another variable: so it goes in rounds.
 *
 * A copy from one such variable to another becomes a load and a store of each cell; so both have
 * the same cells there.
 *
 * Phis are placed at loop headers and where the values of predecessors differ, at blocks that a
 * load can be reached from; those that turn out to join one value only are taken out again. */
#include "reference/lower/lower_private.h"

#include <string.h>

enum { ROUND_MAX = 8, VARIABLE_SIZE_MAX = 4096, COPY_MAX = 4096, COPY_CELL_MAX = 32 };

struct access {
    uint32_t instruction, block;
    uint32_t component; /* of a load or store */
    struct access *next;
};

struct cell {
    uint32_t variable, offset, width;
    uint32_t next; /* cell + 1 of the same variable; 0 = none */
    struct access *first, *last;
};

/* A cell has another value from here on. */
struct keep {
    uint32_t home, value;
    struct keep *next;
};

struct promotion {
    struct lower *lower;
    bool *escaped;        /* by variable */
    uint32_t **cell_of;   /* by variable and byte: cell + 1 at its first byte, 0 = none there */
    uint8_t **covered;    /* by variable and byte: width of the cell that it lies in */
    uint32_t *first_cell; /* by variable: cell + 1 */
    struct cell *cells;
    uint32_t cell_count, cell_capacity;
    uint32_t *copies; /* instructions: from one variable to another */
    uint32_t copy_count, copy_capacity;
    bool *has_copies;    /* by block */
    struct keep **keeps; /* for a debugger: by instruction, the values to be kept behind it */
    bool *has_keeps;     /* by block */
    /* For one cell at a time, by block. */
    uint32_t *out;
    bool *live_in, *has_store;
    uint32_t *stack;
};

/* ---- what values stand for ---- */

static bool is_address(const struct ir_value *value)
{
    return value->kind == IR_VARIABLE || value->kind == IR_GLOBAL;
}

/* A pointer of 32 bits that was in a variable meanwhile. */
static void fold_packed(struct lower *lower, const struct ir_instruction *instruction)
{
    const struct ir_value *packed = &lower->values[lower->operands[instruction->operand]];
    const struct ir_instruction *from = &lower->instructions[packed->index];
    if (packed->kind == IR_RESULT && from->op == VM_OP_pack_pointer)
        lower->values[instruction->result].same = ir_same(lower, lower->operands[from->operand]);
}

/* Address arithmetic whose operands became known. */
static void fold(struct lower *lower, const struct ir_instruction *instruction)
{
    if (instruction->op == VM_OP_unpack_pointer) {
        fold_packed(lower, instruction);
        return;
    }
    if (instruction->op != VM_OP_iadd_64 && instruction->op != VM_OP_index_64)
        return;
    const struct ir_value a = lower->values[lower->operands[instruction->operand]];
    const struct ir_value b = lower->values[lower->operands[instruction->operand + 1]];
    if (!is_address(&a) || b.kind != IR_CONSTANT)
        return;
    const uint64_t step = instruction->op == VM_OP_index_64 ? b.bits * instruction->size : b.bits;
    const uint32_t result = instruction->result;
    const uint32_t address = ir_address(lower, (enum ir_value_kind)a.kind, a.index, a.bits + step);
    if (!lower_failed(lower))
        lower->values[result].same = address;
}

static bool trivial(struct lower *lower, struct ir_phi *phi)
{
    uint32_t only = 0;
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        const uint32_t value = ir_same(lower, phi->operands[i].value);
        if (value == phi->value || value == only)
            continue;
        if (only != 0)
            return false;
        only = value;
    }
    if (only == 0)
        return false;
    lower->values[phi->value].same = only;
    phi->dead = true;
    return true;
}

/* Replaces what became something else everywhere. */
static void resolve(struct lower *lower)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 1; p < lower->phi_count; p++) {
            if (!lower->phis[p].dead && trivial(lower, &lower->phis[p]))
                changed = true;
        }
    }
    for (struct ir_walk walk = {0}; !lower_failed(lower) && ir_walk_next(lower, &walk);) {
        for (uint32_t o = 0; o < walk.instruction->operand_count; o++) {
            uint32_t *operand = &lower->operands[walk.instruction->operand + o];
            *operand = ir_same(lower, *operand);
        }
        fold(lower, walk.instruction);
    }
    for (uint32_t i = 1; i < lower->instruction_count; i++)
        lower->instructions[i].kept = ir_same(lower, lower->instructions[i].kept);
    for (uint32_t b = 0; b < lower->block_count; b++)
        lower->blocks[b].condition = ir_same(lower, lower->blocks[b].condition);
    for (uint32_t p = 1; p < lower->phi_count; p++) {
        for (uint32_t o = 0; o < lower->phis[p].operand_count; o++)
            lower->phis[p].operands[o].value = ir_same(lower, lower->phis[p].operands[o].value);
    }
}

/* ---- which variables can be promoted ---- */

static void escape(struct promotion *promotion, uint32_t value)
{
    const struct ir_value *v = &promotion->lower->values[value];
    if (v->kind == IR_VARIABLE)
        promotion->escaped[v->index] = true;
}

static bool prepare_variable(struct promotion *promotion, uint32_t variable)
{
    struct lower *lower = promotion->lower;
    const uint64_t size = lower->variables[variable].size;
    if (promotion->cell_of[variable] != NULL)
        return true;
    promotion->cell_of[variable] = lower_alloc(lower, size, sizeof *promotion->cell_of[variable]);
    promotion->covered[variable] = lower_alloc(lower, size, 1);
    return !lower_failed(lower);
}

/* The cell of `width` bytes at `offset`, made when it is new; NULL when another one overlaps it. */
static struct cell *find_cell(struct promotion *promotion, uint32_t variable, uint64_t offset,
                              uint32_t width)
{
    struct lower *lower = promotion->lower;
    uint32_t *cell_of = promotion->cell_of[variable];
    uint8_t *covered = promotion->covered[variable];
    if (cell_of[offset] != 0) {
        struct cell *cell = &promotion->cells[cell_of[offset] - 1];
        return cell->width == width ? cell : NULL;
    }
    for (uint32_t i = 0; i < width; i++) {
        if (covered[offset + i] != 0)
            return NULL;
    }
    const struct cell cell = {.variable = variable,
                              .offset = (uint32_t)offset,
                              .width = width,
                              .next = promotion->first_cell[variable]};
    const uint32_t index = lower_append(lower, &promotion->cells, &promotion->cell_count,
                                        &promotion->cell_capacity, &cell, sizeof cell);
    if (lower_failed(lower))
        return NULL;
    memset(covered + offset, (int)width, width);
    cell_of[offset] = promotion->first_cell[variable] = index + 1;
    return &promotion->cells[index];
}

/* Cuts the variable into cells, or gives it up. */
static void shape_access(struct promotion *promotion, const struct ir_instruction *instruction)
{
    struct lower *lower = promotion->lower;
    const struct ir_value address = lower->values[lower->operands[instruction->operand]];
    const uint32_t variable = address.index;
    const uint64_t size = (uint64_t)instruction->count * instruction->width;
    const uint64_t whole = lower->variables[variable].size;
    if (promotion->escaped[variable])
        return;
    if (address.bits > whole || size > whole - address.bits ||
        !prepare_variable(promotion, variable)) {
        promotion->escaped[variable] = true;
        return;
    }
    for (uint32_t c = 0; c < instruction->count; c++) {
        if (find_cell(promotion, variable, address.bits + (uint64_t)c * instruction->width,
                      instruction->width) == NULL)
            promotion->escaped[variable] = true;
    }
}

static bool is_access(const struct ir_instruction *instruction)
{
    return instruction->op == VM_OP_load || instruction->op == VM_OP_store;
}

/* A test of a subscript is for the access after it, and goes where that goes; one that fails
 * stays, and so does the memory that it is about. */
static bool may_fail(const struct lower *lower, const struct ir_instruction *test)
{
    const struct ir_value *index = &lower->values[lower->operands[test->operand]];
    return index->kind != IR_CONSTANT || index->bits >= lower->subscripts[test->aux].array.count;
}

/* Are the bytes those of a variable that may have been promoted? */
static bool is_within(const struct promotion *promotion, const struct ir_value *address,
                      uint64_t size)
{
    const struct lower *lower = promotion->lower;
    if (address->kind != IR_VARIABLE || promotion->escaped[address->index])
        return false;
    const uint64_t whole = lower->variables[address->index].size;
    return address->bits <= whole && size <= whole - address->bits;
}

/* A copy that loads and stores may take the place of is remembered; false = it is none. */
static bool note_copy(struct promotion *promotion, uint32_t index)
{
    struct lower *lower = promotion->lower;
    const struct ir_instruction *instruction = &lower->instructions[index];
    const uint32_t *operands = &lower->operands[instruction->operand];
    if (instruction->op != VM_OP_copy_memory || (instruction->aux & 256u) != 0 ||
        promotion->copy_count >= COPY_MAX)
        return false;
    const struct ir_value *to = &lower->values[operands[0]];
    const struct ir_value *from = &lower->values[operands[1]];
    if (!is_within(promotion, to, instruction->size) ||
        !is_within(promotion, from, instruction->size) || to->index == from->index)
        return false;
    lower_append(lower, &promotion->copies, &promotion->copy_count, &promotion->copy_capacity,
                 &index, sizeof index);
    promotion->has_copies[instruction->block] = true;
    return true;
}

static void look_at(struct promotion *promotion, uint32_t index)
{
    struct lower *lower = promotion->lower;
    const struct ir_instruction *instruction = &lower->instructions[index];
    const uint32_t *operands = &lower->operands[instruction->operand];
    if (instruction->op == VM_OP_undefine || instruction->op == VM_OP_life_end ||
        note_copy(promotion, index))
        return;
    if (instruction->op == VM_OP_subscript && !may_fail(lower, instruction))
        return;
    for (uint32_t o = is_access(instruction) ? 1 : 0; o < instruction->operand_count; o++)
        escape(promotion, operands[o]);
    if (is_access(instruction) && lower->values[operands[0]].kind == IR_VARIABLE)
        shape_access(promotion, instruction);
}

static void find_promotable(struct promotion *promotion)
{
    struct lower *lower = promotion->lower;
    for (uint32_t v = 0; v < lower->variable_count; v++) {
        const struct ir_variable *variable = &lower->variables[v];
        promotion->escaped[v] = variable->region != VM_VARIABLE_PRIVATE ||
                                variable->parameter >= 0 || variable->promoted ||
                                variable->size > VARIABLE_SIZE_MAX ||
                                (lower->options.debug_in_memory && variable->watched);
    }
    lower_find_outside(lower, promotion->escaped);
    for (struct ir_walk walk = {0}; !lower_failed(lower) && ir_walk_next(lower, &walk);)
        look_at(promotion, walk.index);
    for (uint32_t p = 1; p < lower->phi_count; p++) {
        for (uint32_t o = 0; o < lower->phis[p].operand_count && !lower->phis[p].dead; o++)
            escape(promotion, lower->phis[p].operands[o].value);
    }
}

/* ---- copies ---- */

static struct ir_value copy_end(const struct promotion *promotion, uint32_t copy, bool from)
{
    const struct lower *lower = promotion->lower;
    const struct ir_instruction *instruction = &lower->instructions[copy];
    return lower->values[lower->operands[instruction->operand + from]];
}

/* Gives the cells that one end of a copy has to the other; false where one is cut, or does not
 * fit there. */
static bool hand_cells(struct promotion *promotion, uint32_t copy, bool to_source)
{
    const struct ir_value source = copy_end(promotion, copy, !to_source);
    const struct ir_value target = copy_end(promotion, copy, to_source);
    const uint64_t size = promotion->lower->instructions[copy].size;
    if (!prepare_variable(promotion, target.index))
        return false;
    uint32_t count = 0;
    for (uint32_t c = promotion->first_cell[source.index]; c != 0;
         c = promotion->cells[c - 1].next) {
        const struct cell cell = promotion->cells[c - 1];
        if (cell.offset + cell.width <= source.bits || cell.offset >= source.bits + size)
            continue;
        if (cell.offset < source.bits || cell.offset + cell.width > source.bits + size ||
            ++count > COPY_CELL_MAX ||
            find_cell(promotion, target.index, cell.offset - source.bits + target.bits,
                      cell.width) == NULL)
            return false;
    }
    return true;
}

/* Gives both ends of a copy the same cells, or gives both up; true when that is news. */
static bool share_cells(struct promotion *promotion, uint32_t copy)
{
    bool *to = &promotion->escaped[copy_end(promotion, copy, false).index];
    bool *from = &promotion->escaped[copy_end(promotion, copy, true).index];
    const size_t cells = promotion->cell_count;
    if (*to && *from)
        return false;
    if (!*to && !*from && hand_cells(promotion, copy, true) && hand_cells(promotion, copy, false))
        return promotion->cell_count > cells;
    *to = *from = true;
    return true;
}

/* Forwards and backwards in turn, since cells go from copy to copy. */
static void share_all_cells(struct promotion *promotion)
{
    const size_t count = promotion->copy_count;
    bool backwards = false;
    for (bool changed = true; changed && !lower_failed(promotion->lower); backwards = !backwards) {
        changed = false;
        for (size_t i = 0; i < count; i++)
            changed |= share_cells(promotion, promotion->copies[backwards ? count - 1 - i : i]);
    }
}

static void emit_cell(struct lower *lower, enum vm_op op, uint32_t width, uint32_t count,
                      const uint32_t *operands, uint32_t operand_count)
{
    ir_emit(lower, op, count * width, count, operands, operand_count);
    if (lower_failed(lower))
        return;
    ir_last(lower)->width = (uint8_t)width;
    ir_last(lower)->count = 1;
}

/* At the end of the current block. */
static void move_cells(struct promotion *promotion, uint32_t copy)
{
    struct lower *lower = promotion->lower;
    const struct ir_value to = copy_end(promotion, copy, false);
    const struct ir_value from = copy_end(promotion, copy, true);
    const uint64_t size = lower->instructions[copy].size;
    lower->place = lower->instructions[copy].place;
    for (uint32_t c = promotion->first_cell[from.index]; c != 0 && !lower_failed(lower);
         c = promotion->cells[c - 1].next) {
        const struct cell cell = promotion->cells[c - 1];
        if (cell.offset < from.bits || cell.offset >= from.bits + size)
            continue;
        const uint32_t source = ir_address(lower, IR_VARIABLE, from.index, cell.offset);
        const uint64_t offset = cell.offset - from.bits + to.bits;
        emit_cell(lower, VM_OP_load, cell.width, 1, &source, 1);
        if (lower_failed(lower))
            return;
        const uint32_t operands[] = {ir_address(lower, IR_VARIABLE, to.index, offset),
                                     ir_last(lower)->result};
        emit_cell(lower, VM_OP_store, cell.width, 0, operands, 2);
    }
}

/* Puts loads and stores where the copies are. */
static void split_copies(struct promotion *promotion)
{
    struct lower *lower = promotion->lower;
    size_t next = 0; /* copies are in the order of the blocks */
    for (uint32_t i = 0; i < lower->flow.order_count && !lower_failed(lower); i++) {
        const uint32_t b = lower->flow.order[i];
        if (!promotion->has_copies[b])
            continue;
        const struct ir_block before = ir_empty_block(lower, b);
        for (uint32_t n = 0; n < before.count && !lower_failed(lower); n++) {
            const uint32_t index = before.instructions[n];
            const bool is_copy = next < promotion->copy_count && promotion->copies[next] == index;
            next += is_copy;
            if (is_copy && !promotion->escaped[copy_end(promotion, index, false).index])
                move_cells(promotion, index);
            else
                ir_append(lower, b, index);
        }
    }
}

/* ---- the accesses of each cell, in order ---- */

static void add_access(struct promotion *promotion, uint32_t cell, uint32_t instruction,
                       uint32_t block, uint32_t component)
{
    struct access *access = lower_alloc(promotion->lower, 1, sizeof *access);
    struct cell *to = &promotion->cells[cell];
    if (access == NULL)
        return;
    *access = (struct access){.instruction = instruction, .block = block, .component = component};
    if (to->last != NULL)
        to->last->next = access;
    else
        to->first = access;
    to->last = access;
}

static void collect_access(struct promotion *promotion, uint32_t index, uint32_t block)
{
    struct lower *lower = promotion->lower;
    struct ir_instruction *instruction = &lower->instructions[index];
    const bool tests = instruction->op == VM_OP_subscript;
    const bool ends = instruction->op == VM_OP_life_end;
    if (!is_access(instruction) && !tests && !ends && instruction->op != VM_OP_undefine)
        return;
    const struct ir_value address =
        lower->values[lower->operands[instruction->operand + (tests ? 1 : 0)]];
    if (address.kind != IR_VARIABLE || promotion->escaped[address.index])
        return;
    instruction->dead = true;
    if (tests || ends)
        return;
    if (instruction->op == VM_OP_undefine) {
        for (uint32_t c = promotion->first_cell[address.index]; c != 0;
             c = promotion->cells[c - 1].next)
            add_access(promotion, c - 1, index, block, 0);
        return;
    }
    for (uint32_t c = 0; c < instruction->count; c++) {
        const uint64_t offset = address.bits + (uint64_t)c * instruction->width;
        add_access(promotion, promotion->cell_of[address.index][offset] - 1, index, block, c);
    }
}

static void collect_accesses(struct promotion *promotion)
{
    const struct lower *lower = promotion->lower;
    for (struct ir_walk walk = {0}; !lower_failed(lower) && ir_walk_next(lower, &walk);)
        collect_access(promotion, walk.index, walk.block);
}

/* ---- values for one cell ---- */

static bool is_load(const struct lower *lower, const struct access *access)
{
    return lower->instructions[access->instruction].op == VM_OP_load;
}

/* Where the value at the start of a block matters: a load comes before any store on some way from
 * there. */
static void find_live(struct promotion *promotion, const struct cell *cell)
{
    struct lower *lower = promotion->lower;
    const struct flow *flow = &lower->flow;
    uint32_t depth = 0;
    memset(promotion->live_in, 0, lower->block_count * sizeof *promotion->live_in);
    memset(promotion->has_store, 0, lower->block_count * sizeof *promotion->has_store);
    for (const struct access *access = cell->first; access != NULL; access = access->next) {
        if (!is_load(lower, access)) {
            promotion->has_store[access->block] = true;
        } else if (!promotion->has_store[access->block] && !promotion->live_in[access->block]) {
            promotion->live_in[access->block] = true;
            promotion->stack[depth++] = access->block;
        }
    }
    while (depth > 0) {
        const uint32_t block = promotion->stack[--depth];
        for (uint32_t e = flow->pred_first[block]; e < flow->pred_first[block + 1]; e++) {
            const uint32_t pred = flow->preds[e];
            if (promotion->has_store[pred] || promotion->live_in[pred])
                continue;
            promotion->live_in[pred] = true;
            promotion->stack[depth++] = pred;
        }
    }
}

static uint32_t undefined_value(struct promotion *promotion, const struct cell *cell)
{
    struct lower *lower = promotion->lower;
    lower->place = lower->variables[cell->variable].place;
    const struct ir_variable *variable = &lower->variables[cell->variable];
    /* It may be all of a gap between members. */
    if (variable->is_piece)
        return ir_gap(lower, cell->width);
    return ir_undefined(lower, cell->width, variable->name,
                        cell->width == variable->size           ? 0
                        : cell->width != variable->element_size ? OBSERVER_PART_OTHER
                                                                : cell->offset / cell->width + 1);
}

/* The value at the start of a block: that of its predecessors if they agree, else a phi. */
static uint32_t value_at_start(struct promotion *promotion, const struct cell *cell, uint32_t block)
{
    struct lower *lower = promotion->lower;
    const struct flow *flow = &lower->flow;
    uint32_t value = 0;
    bool agree = true;
    if (flow->pred_first[block] == flow->pred_first[block + 1])
        return undefined_value(promotion, cell);
    for (uint32_t e = flow->pred_first[block]; e < flow->pred_first[block + 1] && agree; e++) {
        const uint32_t pred = flow->preds[e];
        agree = flow->number[pred] < flow->number[block] &&
                (value == 0 || value == promotion->out[pred]);
        value = promotion->out[pred];
    }
    if (agree)
        return value;
    value = ir_phi(lower, block, cell->width);
    if (!lower_failed(lower))
        lower->values[value].name = lower->variables[cell->variable].name;
    return value;
}

static uint32_t value_behind(struct promotion *promotion, const struct cell *cell,
                             const struct access *access, uint32_t before)
{
    struct lower *lower = promotion->lower;
    const struct ir_instruction *instruction = &lower->instructions[access->instruction];
    if (instruction->op == VM_OP_undefine)
        return undefined_value(promotion, cell);
    if (instruction->op == VM_OP_load) {
        lower->values[instruction->result + access->component].same = before;
        return before;
    }
    return ir_same(lower, lower->operands[instruction->operand + 1 + access->component]);
}

/* Notes that the cell has the value behind the access. */
static void note_keep(struct promotion *promotion, const struct cell *cell,
                      const struct access *access, uint32_t value)
{
    struct lower *lower = promotion->lower;
    if (lower->options.debug == NULL || is_load(lower, access) || value == 0)
        return;
    const uint32_t home = lower_find_home(lower, cell->variable, cell->offset, cell->width);
    struct keep *keep = home == 0 ? NULL : lower_alloc(lower, 1, sizeof *keep);
    if (keep == NULL)
        return;
    *keep =
        (struct keep){.home = home, .value = value, .next = promotion->keeps[access->instruction]};
    promotion->keeps[access->instruction] = keep;
    promotion->has_keeps[access->block] = true;
}

/* Puts instructions that keep values behind those that they were noted at. */
static void put_keeps(struct promotion *promotion, uint32_t instruction_count)
{
    struct lower *lower = promotion->lower;
    for (uint32_t i = 0; i < lower->flow.order_count && !lower_failed(lower); i++) {
        const uint32_t b = lower->flow.order[i];
        if (!promotion->has_keeps[b])
            continue;
        const struct ir_block before = ir_empty_block(lower, b);
        for (uint32_t n = 0; n < before.count && !lower_failed(lower); n++) {
            const uint32_t index = before.instructions[n];
            ir_append(lower, b, index);
            if (index >= instruction_count)
                continue;
            lower->place = lower->instructions[index].place;
            for (const struct keep *keep = promotion->keeps[index]; keep != NULL; keep = keep->next)
                lower_keep(lower, keep->home, keep->value);
        }
    }
}

/* Blocks in order, each with the accesses that it has: both lists are in the same order. */
static void promote_cell(struct promotion *promotion, const struct cell *cell)
{
    struct lower *lower = promotion->lower;
    const struct flow *flow = &lower->flow;
    const size_t first_phi = lower->phi_count;
    const struct access *access = cell->first;
    find_live(promotion, cell);
    memset(promotion->out, 0, lower->block_count * sizeof *promotion->out);
    for (uint32_t i = 0; i < flow->order_count && !lower_failed(lower); i++) {
        const uint32_t block = flow->order[i];
        uint32_t value = promotion->live_in[block] ? value_at_start(promotion, cell, block) : 0;
        for (; access != NULL && access->block == block && !lower_failed(lower);
             access = access->next) {
            value = value_behind(promotion, cell, access, value);
            note_keep(promotion, cell, access, value);
        }
        promotion->out[block] = value;
    }
    for (size_t p = first_phi; p < lower->phi_count && !lower_failed(lower); p++) {
        const uint32_t block = lower->phis[p].block;
        for (uint32_t e = flow->pred_first[block]; e < flow->pred_first[block + 1]; e++)
            ir_phi_add(lower, lower->phis[p].value, flow->preds[e], promotion->out[flow->preds[e]]);
    }
}

static bool promote_round(struct lower *lower)
{
    struct promotion promotion = {.lower = lower};
    const size_t variables = lower->variable_count;
    promotion.escaped = lower_alloc(lower, variables, sizeof *promotion.escaped);
    promotion.cell_of = lower_alloc(lower, variables, sizeof *promotion.cell_of);
    promotion.covered = lower_alloc(lower, variables, sizeof *promotion.covered);
    promotion.first_cell = lower_alloc(lower, variables, sizeof *promotion.first_cell);
    promotion.has_copies = lower_alloc(lower, lower->block_count, sizeof *promotion.has_copies);
    promotion.out = lower_alloc(lower, lower->block_count, sizeof *promotion.out);
    promotion.live_in = lower_alloc(lower, lower->block_count, sizeof *promotion.live_in);
    promotion.has_store = lower_alloc(lower, lower->block_count, sizeof *promotion.has_store);
    promotion.stack = lower_alloc(lower, lower->block_count, sizeof *promotion.stack);
    if (lower_failed(lower))
        return false;
    resolve(lower);
    find_promotable(&promotion);
    share_all_cells(&promotion);
    split_copies(&promotion);
    collect_accesses(&promotion);
    bool any = false;
    const uint32_t instruction_count = lower->instruction_count;
    if (lower->options.debug != NULL) {
        promotion.keeps = lower_alloc(lower, instruction_count, sizeof *promotion.keeps);
        promotion.has_keeps = lower_alloc(lower, lower->block_count, sizeof *promotion.has_keeps);
    }
    for (size_t v = 0; v < variables; v++) {
        if (!promotion.escaped[v]) {
            lower->variables[v].promoted = true;
            any = any || promotion.first_cell[v] != 0;
        }
    }
    for (size_t c = 0; c < promotion.cell_count && !lower_failed(lower); c++) {
        if (!promotion.escaped[promotion.cells[c].variable])
            promote_cell(&promotion, &promotion.cells[c]);
    }
    if (lower->options.debug != NULL && !lower_failed(lower))
        put_keeps(&promotion, instruction_count);
    return any && !lower_failed(lower);
}

void lower_promote(struct lower *lower)
{
    if (!lower_graph(lower))
        return;
    for (int round = 0; round < ROUND_MAX; round++) {
        if (!promote_round(lower))
            break;
    }
    if (!lower_failed(lower))
        resolve(lower);
}
