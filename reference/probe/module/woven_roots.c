/* Which argument or variable an address is of, where each way to it shows the same: through steps
 * within an object, choices, parameters of functions, and private variables that only ever hold
 * one. Every id begins as leading nowhere, and is joined with what may come to it until nothing
 * changes. */
#include "reference/probe/module/woven.h"

struct roots {
    struct woven *woven;
    /* By id of a private variable that holds a pointer: what that leads to. */
    struct woven_root *contents;
    bool is_new;
};

static const struct woven_root unknown = {.kind = WOVEN_ROOT_UNKNOWN};

static void join(struct roots *roots, struct woven_root *to, struct woven_root from)
{
    const bool same = to->kind == from.kind && to->storage == from.storage &&
                      to->index == from.index && to->number == from.number;
    if (same || from.kind == WOVEN_ROOT_NONE || to->kind == WOVEN_ROOT_UNKNOWN)
        return;
    *to = to->kind == WOVEN_ROOT_NONE ? from : unknown;
    roots->is_new = true;
}

/* What an operand is, or the most that can be said of it. */
static struct woven_root root_of(const struct roots *roots, uint32_t id)
{
    const struct spv_module *module = roots->woven->module;
    switch (module->ids[id].kind) {
    case SPV_ID_VARIABLE:
    case SPV_ID_VALUE:
        return roots->woven->roots[id];
    default:
        return unknown;
    }
}

static void join_value(struct roots *roots, const struct spv_instruction *at, uint32_t operand)
{
    join(roots, &roots->woven->roots[at->result],
         operand < at->operand_count ? root_of(roots, at->operands[operand]) : unknown);
}

static void join_call(struct roots *roots, const struct spv_instruction *at)
{
    const struct spv_module *module = roots->woven->module;
    const struct woven_function *called = woven_function_of(roots->woven, at->operands[0]);
    for (uint32_t i = 0; called && i < called->function->parameter_count; i++) {
        const uint32_t parameter = called->function->parameters[i].result;
        if (woven_pointer(module, parameter) && i + 1 < at->operand_count)
            join(roots, &roots->woven->roots[parameter], root_of(roots, at->operands[i + 1]));
    }
}

static void step(struct roots *roots, const struct spv_instruction *at)
{
    const struct spv_module *module = roots->woven->module;
    if (at->op == SpvOpFunctionCall)
        join_call(roots, at);
    if (at->op == SpvOpStore && roots->woven->is_holder[at->operands[0]])
        join(roots, &roots->contents[at->operands[0]], root_of(roots, at->operands[1]));
    if (at->result == 0 || !woven_pointer(module, at->result))
        return;
    switch (at->op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
        join_value(roots, at, 0);
        break;
    case SpvOpSelect:
        join_value(roots, at, 1);
        join_value(roots, at, 2);
        break;
    case SpvOpPhi:
        for (uint32_t i = 0; i + 1 < at->operand_count; i += 2)
            join_value(roots, at, i);
        break;
    case SpvOpLoad:
        join(roots, &roots->woven->roots[at->result],
             roots->woven->is_holder[at->operands[0]] ? roots->contents[at->operands[0]] : unknown);
        break;
    default:
        join(roots, &roots->woven->roots[at->result], unknown);
    }
}

/* ---- private variables ---- */

static bool is_own_use(const struct spv_instruction *at, uint32_t operand)
{
    return ((at->op == SpvOpLoad || at->op == SpvOpStore) && operand == 0) ||
           at->op == SpvOpLifetimeStart || at->op == SpvOpLifetimeStop;
}

static void find_holder(const struct roots *roots, const struct spv_instruction *at)
{
    const struct spv_type *type =
        at->op == SpvOpVariable ? woven_pointer(roots->woven->module, at->result) : NULL;
    if (type && type->element && type->element->kind == SPV_TYPE_POINTER &&
        at->operand_count == 1) /* no initialiser */
        roots->woven->is_holder[at->result] = true;
}

/* How many operands may be ids; behind these are numbers, of which another id must not lose. */
static uint32_t id_count(const struct spv_instruction *at)
{
    switch (at->op) {
    case SpvOpLoad:
    case SpvOpCompositeExtract:
        return 1;
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
        return 2;
    case SpvOpCopyMemorySized:
        return 3;
    default:
        return at->operand_count;
    }
}

static void lose_holders(const struct roots *roots, const struct spv_instruction *at)
{
    for (uint32_t i = 0; i < id_count(at) && i < at->operand_count; i++) {
        const uint32_t id = at->operands[i];
        if (id < roots->woven->module->bound && !is_own_use(at, i))
            roots->woven->is_holder[id] = false;
    }
}

/* ---- all of it ---- */

enum pass { PASS_FIND, PASS_LOSE, PASS_STEP };

static void go_through(struct roots *roots, enum pass pass)
{
    const struct woven *woven = roots->woven;
    for (uint32_t f = 0; f < woven->module->function_count; f++) {
        const struct spv_function *function = woven->functions[f].function;
        for (uint32_t b = 0; b < function->block_count && !woven->functions[f].is_check; b++) {
            for (uint32_t i = 0; i < function->blocks[b].count; i++) {
                const struct spv_instruction *at = &function->blocks[b].instructions[i];
                if (pass == PASS_FIND)
                    find_holder(roots, at);
                else if (pass == PASS_LOSE)
                    lose_holders(roots, at);
                else
                    step(roots, at);
            }
        }
    }
}

static void begin_kernel(const struct woven *woven, const struct spv_function *kernel)
{
    uint32_t counts[SpvStorageClassGeneric + 1] = {0};
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const uint32_t id = kernel->parameters[i].result;
        const struct spv_type *type = woven_pointer(woven->module, id);
        if (type && woven_is_checked(type->storage))
            woven->roots[id] = (struct woven_root){.kind = WOVEN_ROOT_ARGUMENT,
                                                   .storage = type->storage,
                                                   .index = counts[type->storage]++,
                                                   .number = i};
        else if (type)
            woven->roots[id] = unknown;
    }
}

bool woven_find_roots(struct woven *woven)
{
    const size_t bound = (size_t)woven->module->bound + 1;
    struct roots roots = {.woven = woven, .is_new = true};
    woven->roots = arena_alloc(woven->arena, bound, sizeof *woven->roots);
    roots.contents = arena_alloc(woven->arena, bound, sizeof *roots.contents);
    woven->is_holder = arena_alloc(woven->arena, bound, sizeof(bool));
    if (!woven->roots || !roots.contents || !woven->is_holder)
        return false;
    for (uint32_t i = 0; i < woven->module->variable_count; i++) {
        const uint32_t id = woven->module->variables[i]->id;
        woven->roots[id] = (struct woven_root){.kind = WOVEN_ROOT_VARIABLE,
                                               .storage = woven->module->variables[i]->storage,
                                               .index = id};
    }
    for (uint32_t i = 0; i < woven->module->function_count; i++)
        if (woven->functions[i].kernel)
            begin_kernel(woven, woven->functions[i].function);
    go_through(&roots, PASS_FIND);
    go_through(&roots, PASS_LOSE);
    while (roots.is_new) {
        roots.is_new = false;
        go_through(&roots, PASS_STEP);
    }
    return true;
}

struct woven_root woven_root_of(const struct woven *woven, uint32_t pointer)
{
    const struct spv_type *type = woven_pointer(woven->module, pointer);
    const struct woven_root *root = &woven->roots[pointer];
    const bool is_known = root->kind == WOVEN_ROOT_ARGUMENT || root->kind == WOVEN_ROOT_VARIABLE;
    return is_known && type && type->storage == root->storage ? *root : unknown;
}
