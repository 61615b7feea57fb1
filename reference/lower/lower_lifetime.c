/* The lifetimes of private variables. C99 6.2.4: an automatic object lives "from entry into the
 * block with which it is associated until execution of that block ends in any way", and its value
 * "becomes indeterminate each time the declaration is reached".
 *
 * clang tells where blocks begin and end by OpLifetimeStart and OpLifetimeStop, but not of
 * variables that a goto or a case may jump over; functions end where their calls do. A variable
 * that may be accessed outside its lifetime stays in memory, where the gate finds that (life_end).
 * One that is in memory and begins anew in a loop is undefined again (life_begin). Others are
 * values by now, or have no pointers that could outlive them, and need neither.
 *
 * Ends of blocks count where we know the source. Optimisers of LLVM's code may read what has ended,
 * since they do not use what they read. */
#include "reference/lower/lower_instance.h"
#include "reference/lower/lower_private.h"

/* ---- the instructions ---- */

void lower_life_begin(struct lower *lower, uint32_t address)
{
    const struct ir_value *value = &lower->values[address];
    if (!lower_failed(lower) && value->kind == IR_VARIABLE && value->bits == 0)
        ir_emit(lower, VM_OP_undefine, 0, 0, &address, 1);
}

void lower_life_end(struct lower *lower, uint32_t address, bool returns)
{
    const struct ir_value *value = &lower->values[address];
    if (lower_failed(lower) || value->kind != IR_VARIABLE || value->bits != 0)
        return;
    lower->has_life_ends = true;
    ir_emit(lower, VM_OP_life_end, 0, 0, &address, 1);
    ir_last(lower)->aux = returns;
}

void lower_life_end_from(struct lower *lower, uint32_t first)
{
    for (uint32_t v = first; v < lower->variable_count; v++) {
        /* Among them are local variables that a callee was the first to use. */
        if (lower->variables[v].region != VM_VARIABLE_PRIVATE)
            continue;
        if (!lower->variables[v].ended)
            lower_life_end(lower, ir_address(lower, IR_VARIABLE, v, 0), true);
        lower->variables[v].ended = true;
    }
}

/* ---- leaving blocks ---- */

/* Where lifetimes end, clang joins the ways out of a block of the program: each notes in a variable
 * where it goes, and after the end of the lifetimes a switch over that parts them again. Here each
 * way ends the lifetimes by itself, and goes where it goes, as if there were none. */

enum { WAY_MAX = 64 }; /* of such joins, one after the other */

static const struct spv_block *block_of(const struct lower *lower, uint32_t label)
{
    return &lower_function(lower)->blocks[lower->module->ids[label].index];
}

static const struct spv_instruction *find_in(const struct spv_block *block, uint32_t id)
{
    for (uint32_t i = 0; i < block->count; i++) {
        if (block->instructions[i].result == id)
            return &block->instructions[i];
    }
    return NULL;
}

/* Does the block do nothing but end lifetimes and go on? *ends: it ends some. */
static bool only_ends_lifetimes(struct lower *lower, const struct spv_block *block, bool *ends)
{
    const struct spv_instruction *end = &block->instructions[block->count - 1];
    *ends = false;
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        const struct spv_instruction *at = &block->instructions[i];
        const bool chooses =
            at->op == SpvOpLoad && end->op == SpvOpSwitch && end->operands[0] == at->result;
        *ends |= at->op == SpvOpLifetimeStop && lower_source_known(lower, at->place);
        if (at->op != SpvOpLifetimeStop && at->op != SpvOpBitcast && !chooses)
            return false;
    }
    return true;
}

/* The variable that a switch at the end of the block is over; 0 = none. */
static uint32_t switch_variable(const struct spv_block *block)
{
    const struct spv_instruction *end = &block->instructions[block->count - 1];
    const struct spv_instruction *load =
        end->op == SpvOpSwitch ? find_in(block, end->operands[0]) : NULL;
    return load != NULL && load->op == SpvOpLoad ? load->operands[0] : 0;
}

/* The constant that the block stores to the variable, right before its end. */
static bool stored_last(struct lower *lower, const struct spv_block *block, uint32_t variable,
                        uint64_t *bits)
{
    if (block->count < 2)
        return false;
    const struct spv_instruction *store = &block->instructions[block->count - 2];
    if (store->op != SpvOpStore || store->operands[0] != variable ||
        lower->module->ids[store->operands[1]].kind != SPV_ID_CONSTANT)
        return false;
    const struct ir_ref ref = lower_ref(lower, store->operands[1]);
    const struct ir_ref stored_to = lower_ref(lower, variable);
    if (lower_failed(lower) || ref.count != 1 || lower->values[ref.values[0]].kind != IR_CONSTANT ||
        lower->values[ref.values[0]].width > 4 ||
        lower->values[stored_to.values[0]].kind != IR_VARIABLE)
        return false;
    *bits = lower->values[ref.values[0]].bits;
    return true;
}

/* Where the block, which only ends lifetimes, goes after `from`; 0 = that is not known. */
static uint32_t next_label(struct lower *lower, const struct spv_block *from,
                           const struct spv_block *block)
{
    const struct spv_instruction *end = &block->instructions[block->count - 1];
    const uint32_t variable = switch_variable(block);
    uint64_t bits;
    if (end->op == SpvOpBranch)
        return end->operands[0];
    if (variable == 0 || !stored_last(lower, from, variable, &bits))
        return 0;
    for (uint32_t i = 2; i + 1 < end->operand_count; i += 2) {
        if (end->operands[i] == bits)
            return end->operands[i + 1];
    }
    return end->operands[1];
}

/* They end at the closing brace, and yet in the statement that leaves the scope. */
static void end_lifetimes(struct lower *lower, const struct spv_block *block)
{
    const uint32_t spv_place = lower->instance->last_spv_place;
    const uint32_t place = lower->instance->last_place;
    for (uint32_t i = 0; i < block->count && !lower_failed(lower); i++) {
        const struct spv_instruction *at = &block->instructions[i];
        if (at->op != SpvOpLifetimeStop)
            continue;
        const struct spv_instruction *cast = find_in(block, at->operands[0]);
        const struct ir_ref ref =
            lower_ref(lower, cast != NULL ? cast->operands[0] : at->operands[0]);
        lower_set_inner_place(lower, at->place);
        if (!lower_failed(lower))
            lower_life_end(lower, ref.values[0], false);
    }
    lower->instance->last_spv_place = spv_place;
    lower->instance->last_place = place;
}

uint32_t lower_leave_scopes(struct lower *lower, const struct spv_block *from, uint32_t label,
                            uint32_t *last)
{
    bool ends = false;
    *last = from->label;
    for (uint32_t way = 0; way < WAY_MAX && !lower_failed(lower); way++) {
        const struct spv_block *block = block_of(lower, label);
        if (!only_ends_lifetimes(lower, block, &ends) || (way == 0 && !ends))
            break;
        const uint32_t next = next_label(lower, from, block);
        if (next == 0)
            break;
        end_lifetimes(lower, block);
        *last = label;
        label = next;
    }
    return label;
}

/* ---- which variables are accessed outside ---- */

enum event { EVENT_NONE, EVENT_BEGIN, EVENT_END, EVENT_ACCESS };

/* The first and the last of a variable in a block. */
struct life {
    uint32_t block;
    uint8_t first, last;
    struct life *next;
};

struct lives {
    struct lower *lower;
    uint32_t *root;     /* by value: the variable + 1 that it leads into; 0 = none, or not known */
    struct life **life; /* by variable */
    bool *leaks;        /* by variable: pointers to it may be anywhere */
    bool *outside;      /* by variable: it may be accessed after its end */
    /* For one variable at a time, by block. */
    const struct life **at;
    uint32_t *seen, *stack;
};

static uint32_t root_of(const struct lives *lives, uint32_t value)
{
    const struct ir_value *is = &lives->lower->values[value];
    return is->kind == IR_VARIABLE ? is->index + 1 : lives->root[value];
}

static void add_event(struct lives *lives, uint32_t root, uint32_t block, enum event event)
{
    if (root == 0)
        return;
    struct life *life = lives->life[root - 1];
    if (life == NULL || life->block != block) {
        life = lower_alloc(lives->lower, 1, sizeof *life);
        if (life == NULL)
            return;
        *life =
            (struct life){.block = block, .first = (uint8_t)event, .next = lives->life[root - 1]};
        lives->life[root - 1] = life;
    }
    lives->outside[root - 1] |= event == EVENT_ACCESS && life->last == EVENT_END;
    life->last = (uint8_t)event;
}

/* How many operands, from the first on, are addresses of an access and nothing else. */
static uint32_t address_count(enum vm_op op)
{
    switch (op) {
    case VM_OP_load:
    case VM_OP_store:
        return 1;
    case VM_OP_copy_memory:
        return 2;
    default:
        return vm_op_traits(op) & VM_ATOMIC ? 1 : 0;
    }
}

static bool is_event(const struct ir_instruction *instruction)
{
    return instruction->op == VM_OP_life_end ||
           (instruction->op == VM_OP_undefine && instruction->operand_count == 1);
}

static void look_at(struct lives *lives, const struct ir_instruction *instruction, uint32_t block)
{
    const struct lower *lower = lives->lower;
    const uint32_t *operands = &lower->operands[instruction->operand];
    const enum vm_op op = (enum vm_op)instruction->op;
    const uint32_t addresses = address_count(op);
    if (is_event(instruction)) {
        add_event(lives, root_of(lives, ir_same(lower, operands[0])), block,
                  op == VM_OP_life_end ? EVENT_END : EVENT_BEGIN);
        return;
    }
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        const uint32_t root = root_of(lives, ir_same(lower, operands[o]));
        if (root == 0 || op == VM_OP_subscript)
            continue;
        if (o < addresses)
            add_event(lives, root, block, EVENT_ACCESS);
        else if (o == 0 && (op == VM_OP_index_64 || op == VM_OP_iadd_64))
            lives->root[instruction->result] = root;
        else
            lives->leaks[root - 1] = true;
    }
}

static void look_at_all(struct lives *lives)
{
    struct lower *lower = lives->lower;
    for (struct ir_walk walk = {0}; !lower_failed(lower) && ir_walk_next(lower, &walk);)
        look_at(lives, walk.instruction, walk.block);
    for (uint32_t p = 1; p < lower->phi_count; p++) {
        for (uint32_t o = 0; o < lower->phis[p].operand_count && !lower->phis[p].dead; o++) {
            const uint32_t root = root_of(lives, ir_same(lower, lower->phis[p].operands[o].value));
            if (root != 0)
                lives->leaks[root - 1] = true;
        }
    }
}

/* Does a way lead from an end of the variable to an access of it, with no beginning between? */
static bool ends_before_access(struct lives *lives, uint32_t variable)
{
    const struct flow *flow = &lives->lower->flow;
    const uint32_t stamp = variable + 1;
    uint32_t depth = 0;
    bool found = false;
    for (const struct life *life = lives->life[variable]; life != NULL; life = life->next)
        lives->at[life->block] = life;
    for (const struct life *life = lives->life[variable]; life != NULL; life = life->next) {
        if (life->first == EVENT_ACCESS)
            lives->stack[depth++] = life->block;
    }
    while (depth > 0 && !found) {
        const uint32_t block = lives->stack[--depth];
        for (uint32_t e = flow->pred_first[block]; e < flow->pred_first[block + 1]; e++) {
            const uint32_t pred = flow->preds[e];
            const struct life *life = lives->at[pred];
            found = found || (life != NULL && life->last == EVENT_END);
            if (life != NULL || lives->seen[pred] == stamp)
                continue;
            lives->seen[pred] = stamp;
            lives->stack[depth++] = pred;
        }
    }
    for (const struct life *life = lives->life[variable]; life != NULL; life = life->next)
        lives->at[life->block] = NULL;
    return found;
}

static bool has_end(const struct life *life)
{
    for (; life != NULL; life = life->next) {
        if (life->first == EVENT_END || life->last == EVENT_END)
            return true;
    }
    return false;
}

static bool find_lives(struct lower *lower, struct lives *lives)
{
    const size_t blocks = lower->block_count;
    const size_t variables = lower->variable_count;
    *lives = (struct lives){.lower = lower};
    lives->root = lower_alloc(lower, lower->value_count, sizeof *lives->root);
    lives->life = lower_alloc(lower, variables, sizeof *lives->life);
    lives->leaks = lower_alloc(lower, variables, sizeof *lives->leaks);
    lives->outside = lower_alloc(lower, variables, sizeof *lives->outside);
    lives->at = lower_alloc(lower, blocks, sizeof *lives->at);
    lives->seen = lower_alloc(lower, blocks, sizeof *lives->seen);
    lives->stack = lower_alloc(lower, 2 * blocks, sizeof *lives->stack);
    if (!lower_failed(lower))
        look_at_all(lives);
    for (uint32_t v = 0; v < variables && !lower_failed(lower); v++) {
        if (!lives->outside[v] && has_end(lives->life[v]))
            lives->outside[v] = ends_before_access(lives, v);
    }
    return !lower_failed(lower);
}

void lower_find_outside(struct lower *lower, bool *outside)
{
    struct lives lives;
    if (!lower->has_life_ends || !find_lives(lower, &lives))
        return;
    for (uint32_t v = 0; v < lower->variable_count; v++)
        outside[v] |= lives.outside[v];
}

/* ---- what is left of them ---- */

static bool in_loop(const struct lower *lower, uint32_t block)
{
    return lower->flow.irreducible || lower->flow.loop[block] != 0;
}

static void settle(const struct lives *lives, struct ir_instruction *instruction, uint32_t block)
{
    const struct lower *lower = lives->lower;
    const struct ir_value *address =
        &lower->values[ir_same(lower, lower->operands[instruction->operand])];
    const bool in_memory =
        address->kind == IR_VARIABLE && !lower->variables[address->index].promoted;
    if (instruction->op == VM_OP_life_end) {
        instruction->dead =
            !in_memory || (!lives->leaks[address->index] && !lives->outside[address->index]);
    } else {
        instruction->dead = !in_memory || !in_loop(lower, block);
        instruction->op = VM_OP_life_begin;
    }
}

void lower_lifetimes(struct lower *lower)
{
    struct lives lives;
    if (!find_lives(lower, &lives))
        return;
    for (struct ir_walk walk = {0}; ir_walk_next(lower, &walk);) {
        if (is_event(walk.instruction))
            settle(&lives, walk.instruction, walk.block);
    }
    lower_clean(lower);
}
