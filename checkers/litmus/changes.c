#include "checkers/litmus/changes.h"

#include "checkers/litmus/fences.h"

enum { BOTH = ORACLE_FLAG_GLOBAL | ORACLE_FLAG_LOCAL };

/* ---- what they change ---- */

static bool may_take(const struct litmus_instruction *instruction, enum oracle_order order)
{
    return oracle_may_have_order(instruction->kind, order) &&
           (instruction->op != LITMUS_COMPARE_EXCHANGE ||
            oracle_may_fail_with(order, instruction->failure_order));
}

static bool has_order(const struct litmus_instruction *instruction)
{
    return instruction->op == LITMUS_FENCE ||
           (instruction->op != LITMUS_BARRIER && oracle_is_atomic(instruction->kind));
}

static bool has_flags(const struct litmus_instruction *instruction)
{
    return instruction->op == LITMUS_FENCE ||
           (instruction->op == LITMUS_BARRIER && !instruction->gathers);
}

static bool has_property(const struct litmus_instruction *instruction, enum litmus_edit_kind kind)
{
    return kind == LITMUS_EDIT_FLAGS     ? has_flags(instruction)
           : kind == LITMUS_EDIT_FAILURE ? instruction->op == LITMUS_COMPARE_EXCHANGE
                                         : has_order(instruction);
}

/* Its order, scope or flags. */
static uint32_t property_of(const struct litmus_instruction *instruction,
                            enum litmus_edit_kind kind)
{
    return kind == LITMUS_EDIT_ORDER     ? (uint32_t)instruction->order
           : kind == LITMUS_EDIT_FAILURE ? (uint32_t)instruction->failure_order
           : kind == LITMUS_EDIT_SCOPE   ? (uint32_t)instruction->scope
                                         : instruction->flags;
}

/* Fences belong to atomic operations. */
static bool may_have_fence(const struct litmus_instruction *instruction)
{
    return has_order(instruction) && instruction->op != LITMUS_FENCE;
}

bool litmus_edit_means(const struct litmus_edit *edit, const struct litmus_instruction *instruction)
{
    const bool is_there = edit->line == instruction->line && instruction->op >= LITMUS_READ;
    return is_there &&
           (fences_is_one(edit) ? may_have_fence(instruction)
                                : has_property(instruction, edit->kind) &&
                                      property_of(instruction, edit->kind) == edit->from);
}

void litmus_edit_instruction(const struct litmus_test *test,
                             const struct litmus_instruction *original,
                             struct litmus_instruction *edited)
{
    for (size_t i = 0; i < test->edit_count; i++) {
        const struct litmus_edit *edit = &test->edits[i];
        if (fences_is_one(edit) || edit->op != original->op || !litmus_edit_means(edit, original)) {
            continue;
        }
        edited->commuting = 0; /* others that it commutes with may not have the change */
        if (edit->kind == LITMUS_EDIT_FLAGS) {
            edited->flags = edit->to;
        } else if (edit->kind == LITMUS_EDIT_SCOPE) {
            edited->scope = (enum oracle_scope)edit->to;
        } else if (edit->kind == LITMUS_EDIT_ORDER &&
                   may_take(original, (enum oracle_order)edit->to)) {
            edited->order = (enum oracle_order)edit->to;
        }
    }
    /* It must not be stronger than the other order, which may have been changed. */
    for (size_t i = 0; i < test->edit_count; i++) {
        const struct litmus_edit *edit = &test->edits[i];
        if (edit->kind == LITMUS_EDIT_FAILURE && litmus_edit_means(edit, original) &&
            oracle_may_fail_with(edited->order, (enum oracle_order)edit->to)) {
            edited->failure_order = (enum oracle_order)edit->to;
        }
    }
}

/* ---- which changes there are ---- */

bool changes_are_of_one_place(const struct litmus_edit *a, const struct litmus_edit *b)
{
    return a->kind == b->kind && a->line == b->line && a->op == b->op && a->from == b->from;
}

static void add_change(struct changes *changes, const struct litmus_edit *edit, uint32_t weight)
{
    const size_t most = fences_is_one(edit) ? changes->in_place_count + CHANGES_MAX : CHANGES_MAX;
    for (size_t i = 0; i < changes->count; i++) {
        const struct litmus_edit *known = &changes->list[i].edit;
        if (changes_are_of_one_place(known, edit) && known->to == edit->to) {
            return;
        }
    }
    if (changes->count < most) {
        changes->list[changes->count++] = (struct change){*edit, weight};
        changes->in_place_count += !fences_is_one(edit);
    }
}

static void add_in_place(struct changes *changes, enum litmus_edit_kind kind,
                         const struct litmus_instruction *instruction, uint32_t to, uint32_t weight)
{
    const struct litmus_edit edit = {
        .kind = kind,
        .line = instruction->line,
        .op = instruction->op,
        .from = property_of(instruction, kind),
        .to = to,
        .instruction = instruction,
    };
    add_change(changes, &edit, weight);
}

static void add_orders(struct changes *changes, const struct litmus_instruction *instruction)
{
    static const struct {
        enum oracle_order from, to;
        uint32_t weight;
    } steps[] = {
        {ORACLE_RELAXED, ORACLE_ACQUIRE, 1},
        {ORACLE_RELAXED, ORACLE_RELEASE, 1},
        {ORACLE_RELAXED, ORACLE_ACQ_REL, 2},
        {ORACLE_ACQUIRE, ORACLE_ACQ_REL, 1},
        {ORACLE_RELEASE, ORACLE_ACQ_REL, 1},
        {ORACLE_RELAXED, ORACLE_SEQ_CST, CHANGES_SEQ_CST},
        {ORACLE_ACQUIRE, ORACLE_SEQ_CST, CHANGES_SEQ_CST},
        {ORACLE_RELEASE, ORACLE_SEQ_CST, CHANGES_SEQ_CST},
        {ORACLE_ACQ_REL, ORACLE_SEQ_CST, CHANGES_SEQ_CST},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (instruction->order == steps[i].from && may_take(instruction, steps[i].to)) {
            add_in_place(changes, LITMUS_EDIT_ORDER, instruction, steps[i].to, steps[i].weight);
        }
    }
}

static void add_failures(struct changes *changes, const struct litmus_instruction *instruction)
{
    if (instruction->failure_order == ORACLE_RELAXED) {
        add_in_place(changes, LITMUS_EDIT_FAILURE, instruction, ORACLE_ACQUIRE, 1);
    }
    if (instruction->failure_order != ORACLE_SEQ_CST) {
        add_in_place(changes, LITMUS_EDIT_FAILURE, instruction, ORACLE_SEQ_CST, CHANGES_SEQ_CST);
    }
}

static void add_scopes(struct changes *changes, const struct litmus_instruction *instruction)
{
    for (uint32_t to = (uint32_t)instruction->scope + 1; to <= ORACLE_DEVICE; to++) {
        add_in_place(changes, LITMUS_EDIT_SCOPE, instruction, to,
                     to - (uint32_t)instruction->scope);
    }
}

static void add_flags(struct changes *changes, const struct litmus_instruction *instruction)
{
    static const uint32_t flags[] = {ORACLE_FLAG_GLOBAL, ORACLE_FLAG_LOCAL, BOTH};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const uint32_t added = flags[i] & ~instruction->flags;
        if (added == flags[i]) {
            add_in_place(changes, LITMUS_EDIT_FLAGS, instruction, instruction->flags | added,
                         added == BOTH ? 2 : 1);
        }
    }
}

/* How far fences have to reach: as far as the test's threads are apart, and where scopes must be
 * equal as far as scopes in place are widened. */
static enum oracle_scope fence_scope(const struct litmus_test *test, enum oracle_scope_rule rule)
{
    enum oracle_scope scope = rule == ORACLE_SCOPES_EQUAL ? ORACLE_DEVICE : ORACLE_WORK_GROUP;
    for (size_t t = 1; t < test->thread_count; t++) {
        const struct oracle_unit *a = &test->units[0];
        const struct oracle_unit *b = &test->units[t];
        const enum oracle_scope wanted = a->device != b->device ? ORACLE_ALL_DEVICES
                                         : a->group != b->group ? ORACLE_DEVICE
                                                                : ORACLE_WORK_GROUP;
        scope = wanted > scope ? wanted : scope;
    }
    return scope;
}

void changes_init(struct changes *changes, const struct litmus_test *test,
                  enum oracle_scope_rule rule)
{
    changes->test = test;
    changes->in_place_count = 0;
    changes->count = 0;
    /* mem_fence reaches the work-group. */
    changes->fence_scope = test->lacks_orders ? ORACLE_WORK_GROUP : fence_scope(test, rule);
}

/* The memories that the test's objects lie in. */
static uint32_t memories_of(const struct litmus_test *test)
{
    uint32_t memories = 0;
    for (size_t i = 0; i < test->location_count; i++) {
        memories |= 1U << test->locations[i].region;
    }
    return memories & BOTH;
}

static void add_fence(struct changes *changes, enum litmus_edit_kind kind,
                      const struct litmus_instruction *operation, enum oracle_order order)
{
    static const uint32_t flags[] = {ORACLE_FLAG_GLOBAL, ORACLE_FLAG_LOCAL, BOTH};
    const uint32_t memories = memories_of(changes->test);
    struct litmus_edit edit = {
        .kind = kind,
        .line = operation->line,
        .op = operation->op,
        .instruction = operation,
        .fence = {.op = LITMUS_FENCE,
                  .kind = ORACLE_FENCE,
                  .line = operation->line,
                  .order = order,
                  .scope = changes->fence_scope},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if ((flags[i] & ~memories) == 0) {
            edit.fence.flags = flags[i];
            edit.to = flags[i] << 8 | (uint32_t)order; /* which tells those of one place apart */
            add_change(changes, &edit,
                       order == ORACLE_SEQ_CST ? CHANGES_SEQ_CST
                       : flags[i] == BOTH      ? 2
                                               : 1);
        }
    }
}

/* Before OpenCL C 2.0 there is mem_fence alone: of a work-group, and for both sides. */
static void add_fences(struct changes *changes, const struct litmus_instruction *operation)
{
    const bool lacks_orders = changes->test->lacks_orders;
    const bool reads = operation->op != LITMUS_WRITE;
    const bool writes = operation->op != LITMUS_READ;
    if (writes) {
        add_fence(changes, LITMUS_EDIT_FENCE_BEFORE, operation,
                  lacks_orders ? ORACLE_ACQ_REL : ORACLE_RELEASE);
    }
    if (reads) {
        add_fence(changes, LITMUS_EDIT_FENCE_BEHIND, operation,
                  lacks_orders ? ORACLE_ACQ_REL : ORACLE_ACQUIRE);
    }
    if (!lacks_orders) {
        add_fence(changes, LITMUS_EDIT_FENCE_BEHIND, operation, ORACLE_SEQ_CST);
    }
}

void changes_add_in_place(struct changes *changes, const struct litmus_instruction *instruction)
{
    if (has_order(instruction) && !changes->test->lacks_orders) {
        add_orders(changes, instruction);
        if (instruction->op == LITMUS_COMPARE_EXCHANGE) {
            add_failures(changes, instruction);
        }
        add_scopes(changes, instruction);
    }
    if (has_flags(instruction)) {
        add_flags(changes, instruction);
    }
}

void changes_add_fences(struct changes *changes, const struct litmus_instruction *instruction)
{
    if (may_have_fence(instruction)) {
        add_fences(changes, instruction);
    }
}
