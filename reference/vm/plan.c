#include "reference/vm/plan.h"

#include "reference/vm/shape.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

/* ---- units ---- */

static void mark(uint64_t *units, uint32_t first, uint32_t count)
{
    for (uint32_t unit = first; unit < first + count; unit++)
        units[unit / 64] |= UINT64_C(1) << unit % 64;
}

static bool marked(const uint64_t *units, uint32_t first, uint32_t count)
{
    for (uint32_t unit = first; unit < first + count; unit++) {
        if (units[unit / 64] >> unit % 64 & 1)
            return true;
    }
    return false;
}

static bool meet(const struct vm_plans *plans, const uint64_t *some, const uint64_t *others)
{
    uint64_t both = 0;
    for (size_t word = 0; word < plans->word_count; word++)
        both |= some[word] & others[word];
    return both != 0;
}

/* The units that an instruction writes; with the terms of an affine row, in the one before it. */
static uint32_t written_by(const struct vm_instruction *in, uint32_t *first)
{
    struct vm_shape shape;
    vm_shape_get(in, &shape);
    const struct vm_operand *dst = &shape.operands[VM_OPERAND_DST];
    *first = in->dst - dst->affine;
    return operand_units(dst) + dst->affine;
}

static bool writes(const struct vm_instruction *in, uint32_t row, uint32_t units)
{
    uint32_t first;
    const uint32_t count = written_by(in, &first);
    return first < row + units && row < first + count;
}

/* ---- instructions ---- */

static bool is_splat(enum vm_op op)
{
    return op == VM_OP_splat_8 || op == VM_OP_splat_16 || op == VM_OP_splat_32 ||
           op == VM_OP_splat_64;
}

/* Does nobody notice the instruction but by its rows, which are its operands? */
static bool is_silent(const struct vm_instruction *in, bool ends_block)
{
    const uint32_t traits = vm_op_traits((enum vm_op)in->op);
    const uint32_t known = VM_COMPUTES | VM_UNIFORM | VM_TWIN | VM_PARTLY | VM_AFFINE |
                           (traits & VM_COMPUTES ? VM_SIZED : 0);
    return ends_block ? in->op == VM_OP_branch || in->op == VM_OP_branch_if
                      : (traits & ~known) == 0;
}

/* ---- late values ---- */

/* Does `move` put what is in the row `a`, which has so many units, where it has the same for the
 * lanes that run? */
static bool moves(const struct vm_instruction *move, uint32_t a, bool uniform, uint32_t units)
{
    if (move->a != a)
        return false;
    switch (move->op) {
    case VM_OP_mov_u:
        return uniform;
    case VM_OP_mov_8:
    case VM_OP_set_8:
        return !uniform && units == 1;
    case VM_OP_mov_16:
    case VM_OP_set_16:
        return !uniform && units == 2;
    case VM_OP_mov_32:
    case VM_OP_set_32:
        return !uniform && units == 4;
    case VM_OP_mov_64:
    case VM_OP_set_64:
        return !uniform && units == 8;
    default:
        return false;
    }
}

static bool is_move(enum vm_op op)
{
    return op == VM_OP_mov_8 || op == VM_OP_mov_16 || op == VM_OP_mov_32 || op == VM_OP_mov_64 ||
           op == VM_OP_mov_u || op == VM_OP_mov_mask || vm_set_units(op) != 0;
}

/* Where the value of the row `a` lies at the end of the block: what a loop hands to its next round
 * is moved there, and the row that it was made in is soon used for something else. */
static vm_row row_at_end(const struct vm_plans *plans, const struct vm_block *block, vm_row a,
                         bool uniform, uint32_t units)
{
    const struct vm_instruction *first = plans->code->instructions + block->first;
    const struct vm_instruction *last = &first[block->count - 1];
    for (const struct vm_instruction *move = last;
         move > first && is_move((enum vm_op)move[-1].op);) {
        move--;
        bool stays = moves(move, a, uniform, units) && !plans->homes[move->dst];
        for (const struct vm_instruction *in = move + 1; stays && in < last; in++)
            stays = !writes(in, move->dst, uniform ? 1 : units);
        if (stays)
            return move->dst;
    }
    return a;
}

/* The splat, shortly before the set, that makes the row of which the set is, from a uniform row
 * that is not written meanwhile; NULL: there is none. */
static const struct vm_instruction *splat_of(const struct vm_instruction *first,
                                             const struct vm_instruction *set, uint32_t units)
{
    enum { NEAR = 64 };
    const struct vm_instruction *splat = set;
    for (uint32_t n = 0; n < NEAR && splat > first; n++) {
        splat--;
        if (writes(splat, set->a, units))
            break;
    }
    if (splat == set || !is_splat((enum vm_op)splat->op) || splat->dst != set->a)
        return NULL;
    for (const struct vm_instruction *in = splat + 1; in < set; in++) {
        if (writes(in, splat->a, 1))
            return NULL;
    }
    return splat;
}

/* Can the set be late, before those that write plan->written? Then that is noted, at the front of
 * those that are there. What is late from the last time round is still there at each guard. */
static bool try_late(struct vm_plans *plans, struct vm_plan *plan, const struct vm_block *block,
                     uint32_t index)
{
    const struct vm_instruction *first = plans->code->instructions + block->first;
    const struct vm_instruction *set = &first[index];
    const uint32_t units = vm_set_units((enum vm_op)set->op);
    const struct vm_instruction *splat =
        set->op == VM_OP_set_mask ? NULL : splat_of(first, set, units);
    struct vm_late late = {.set = *set, .site = block->first + index};
    if (splat)
        late.splat = *splat;
    late.splat.width = (uint8_t)units;
    vm_row *from = splat ? &late.splat.a : &late.set.a;
    const uint32_t from_units = splat ? 1 : units;
    if ((!plan->bit && plans->bit_count == 64) || plans->prompt[late.site] ||
        marked(plan->written, *from, from_units) || marked(plan->early, set->dst, units))
        return false;
    if (set->op != VM_OP_set_mask)
        *from = row_at_end(plans, block, *from, splat != NULL, units);
    if (marked(plan->early, *from, from_units))
        return false;
    for (uint32_t unit = *from; unit < *from + from_units; unit++)
        plans->live.now[unit] = true;
    mark(plan->late_units, *from, from_units);
    mark(plan->late_units, set->dst, units);
    plan->late[block->count - ++plan->late_count] = late;
    return true;
}

static bool is_live(const struct vm_plans *plans, const struct vm_instruction *in)
{
    uint32_t first;
    const uint32_t count = written_by(in, &first);
    return memchr(plans->live.now + first, true, count) != NULL;
}

/* Before the last guard. Whatever is there is executed at once: where it stops, instruction by
 * instruction follows. */
static bool is_early(const struct vm_plan *plan, const struct vm_block *block, uint32_t index)
{
    return plan->guard_count && block->first + index < plan->guards[plan->guard_count - 1].site;
}

/* Of a quiet block, from its end: what is executed at once, and what nobody looks at. */
static bool is_at_once(struct vm_plans *plans, struct vm_plan *plan, const struct vm_block *block,
                       uint32_t index)
{
    const struct vm_instruction *in = &plans->code->instructions[block->first + index];
    const enum vm_op op = (enum vm_op)in->op;
    if (vm_is_mark(in))
        return false;
    if (is_early(plan, block, index))
        return true;
    if (is_splat(op))
        return is_live(plans, in);
    if (vm_set_units(op) == 0 || !plans->homes[in->dst])
        return true;
    const bool is_set_again =
        marked(plan->written, in->dst, 1) || marked(plan->late_units, in->dst, 1);
    return !is_set_again && !try_late(plans, plan, block, index);
}

static void divide(struct vm_plans *plans, struct vm_plan *plan, uint32_t index)
{
    const struct vm_block *block = &plans->code->blocks[index];
    const struct vm_instruction *first = plans->code->instructions + block->first;
    uint32_t row;
    for (uint32_t i = 0; is_early(plan, block, i); i++) {
        const uint32_t units = vm_is_mark(&first[i]) ? 0 : written_by(&first[i], &row);
        mark(plan->early, row, units);
    }
    live_after(&plans->live, index, block->count);
    for (uint32_t i = block->count; i-- > 0;) {
        plans->at_once[i] = i + 1 == block->count || is_at_once(plans, plan, block, i);
        if (!plans->at_once[i])
            continue;
        const uint32_t units = written_by(&first[i], &row);
        mark(plan->written, row, units);
        live_before(&plans->live, &first[i]);
    }
    memmove(plan->late, plan->late + block->count - plan->late_count,
            plan->late_count * sizeof *plan->late);
    if (plan->late_count && !plan->bit) {
        plan->bit = UINT64_C(1) << plans->bit_count;
        plans->by_bit[plans->bit_count++] = plan;
    }
    plan->spares = plan->bit;
}

/* ---- plans ---- */

static bool reserve(struct vm_plans *plans, struct vm_plan *plan, uint32_t instruction_count)
{
    plan->written = arena_alloc(&plans->arena, 3 * plans->word_count, sizeof *plan->written);
    plan->steps = arena_alloc(&plans->arena, instruction_count, sizeof *plan->steps);
    plan->asks = arena_alloc(&plans->arena, instruction_count, sizeof *plan->asks);
    plan->guards = arena_alloc(&plans->arena, instruction_count, sizeof *plan->guards);
    plan->late = arena_alloc(&plans->arena, instruction_count, sizeof *plan->late);
    if (!plan->written || !plan->steps || !plan->asks || !plan->guards || !plan->late)
        return false;
    plan->late_units = plan->written + plans->word_count;
    plan->early = plan->late_units + plans->word_count;
    return true;
}

bool vm_plan_make(struct vm_plans *plans, uint32_t index, vm_op_function *const *functions)
{
    const struct vm_block *block = &plans->code->blocks[index];
    const struct vm_instruction *first = plans->code->instructions + block->first;
    const uint8_t *stops = plans->stops + block->first;
    struct vm_plan *plan = &plans->blocks[index];
    ASSERT(plan->lanes == 0);
    if (!plan->late && !reserve(plans, plan, block->count))
        return false;
    memset(plan->written, 0, 3 * plans->word_count * sizeof *plan->written);
    plan->step_count = plan->late_count = plan->guard_count = plan->runs = plan->delays = 0;
    plan->spares = plan->bit;
    plan->is_quiet = true;
    for (uint32_t i = 0; i < block->count; i++) {
        plan->is_quiet &=
            (!stops[i] || stops[i] == VM_STOP_ASKED) && is_silent(&first[i], i + 1 == block->count);
        plans->at_once[i] = stops[i] || !vm_is_mark(&first[i]);
    }
    for (uint32_t i = 0; i < block->count && plan->is_quiet; i++) {
        if (stops[i])
            plan->guards[plan->guard_count++].site = block->first + i;
    }
    if (plan->is_quiet)
        divide(plans, plan, index);
    struct vm_guard *guard = plan->guards;
    for (uint32_t i = 0; i < block->count; i++) {
        if (plan->is_quiet && stops[i])
            (guard++)->step = plan->step_count;
        if (!plans->at_once[i])
            continue;
        plan->asks[plan->step_count] =
            (uint8_t)((stops[i] ? VM_PLAN_STOPS : 0) |
                      (is_silent(&first[i], i + 1 == block->count) ? 0 : VM_PLAN_IS_NOTICED));
        plan->steps[plan->step_count++] =
            (struct vm_step){.run = functions[first[i].op], .in = &first[i]};
    }
    plan->version = plans->version;
    plan->quiet_version = plan->is_quiet ? plans->version : 0;
    return true;
}

uint64_t vm_plan_ask(struct vm_plans *plans, struct vm_plan *plan)
{
    uint64_t others = 0;
    FOR_EACH_LANE(bit, plans->pending & ~plan->spares) {
        if (meet(plans, plan->written, plans->by_bit[bit]->late_units))
            others |= UINT64_C(1) << bit;
        else
            plan->spares |= UINT64_C(1) << bit;
    }
    return others;
}

static void hurry(struct vm_plans *plans, const struct vm_plan *plan, struct vm_plan *delayed)
{
    for (uint32_t i = 0; i < delayed->late_count; i++) {
        const struct vm_late *late = &delayed->late[i];
        const uint32_t units = vm_set_units((enum vm_op)late->set.op);
        plans->prompt[late->site] |= plan == delayed ||
                                     marked(plan->written, late->set.dst, units) ||
                                     (late->splat.op ? marked(plan->written, late->splat.a, 1)
                                                     : marked(plan->written, late->set.a, units));
    }
}

void vm_plan_note_delays(struct vm_plans *plans, struct vm_plan *plan, uint64_t set,
                         vm_op_function *const *functions)
{
    enum { ENOUGH = 64 };
    FOR_EACH_LANE(bit, set) {
        struct vm_plan *delayed = plans->by_bit[bit];
        if (++delayed->delays < ENOUGH || delayed->delays < delayed->runs / 2)
            continue;
        hurry(plans, plan, delayed);
        vm_plan_make(plans, (uint32_t)(delayed - plans->blocks), functions);
    }
}

/* ---- life ---- */

struct vm_plans *vm_plans_create(const struct vm_code *code, const uint8_t *stops)
{
    struct vm_plans *plans = alloc_zero(1, sizeof *plans);
    if (!plans)
        return NULL;
    for (uint32_t i = 0; i < code->block_count; i++)
        plans->longest =
            code->blocks[i].count > plans->longest ? code->blocks[i].count : plans->longest;
    plans->code = code;
    plans->stops = stops;
    plans->version = 1;
    plans->word_count = code->frame_units / 64 + 1;
    plans->homes = arena_alloc(&plans->arena, code->frame_units, sizeof *plans->homes);
    plans->prompt = arena_alloc(&plans->arena, code->instruction_count, sizeof *plans->prompt);
    plans->at_once = arena_alloc(&plans->arena, plans->longest, sizeof *plans->at_once);
    plans->blocks = arena_alloc(&plans->arena, code->block_count, sizeof *plans->blocks);
    if (!live_init(&plans->live, code) || !plans->homes || !plans->prompt || !plans->at_once ||
        !plans->blocks) {
        vm_plans_destroy(plans);
        return NULL;
    }
    vm_code_find_homes(code, plans->homes);
    return plans;
}

void vm_plans_destroy(struct vm_plans *plans)
{
    if (!plans)
        return;
    live_release(&plans->live);
    arena_release(&plans->arena);
    alloc_free(plans);
}

void vm_plans_forget(struct vm_plans *plans)
{
    ASSERT(plans->pending == 0);
    plans->version++;
}
