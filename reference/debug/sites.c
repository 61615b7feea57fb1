/* Where statements begin. A site does if its file, line or call chain is another than that of the
 * site before it; at the beginning of a block, than that of any of the blocks that lead to it. A
 * statement that goes on behind a call, or where ways meet, so begins once, and that of a loop
 * wherever lanes come to it from another line. */
#include "reference/debug/private.h"
#include "reference/vm/plan.h"

#include "trace/base/alloc.h"

#include <string.h>

/* Of the code that clang puts before a function's first statement nothing is told, where something
 * is told of the rest. */
static bool is_known(const struct debug_session *session, uint32_t place)
{
    return place != 0 && (!session->code->debug_info || debug_place(session, place)->context != 0);
}

uint32_t debug_first_place(const struct debug_session *session)
{
    for (uint32_t site = 0; session->code && site < session->code->instruction_count; site++) {
        if (session->starts[site])
            return debug_site_place(session, site);
    }
    return 0;
}

bool debug_same_statement(const struct debug_session *session, uint32_t a, uint32_t b)
{
    const struct vm_place *first = debug_place(session, a);
    const struct vm_place *second = debug_place(session, b);
    return a == b || (first->line == second->line && first->caller == second->caller &&
                      strcmp(first->file, second->file) == 0);
}

bool debug_is_inside(const struct debug_session *session, uint32_t place, uint32_t frame)
{
    const uint32_t caller = debug_place(session, frame)->caller;
    for (uint32_t at = debug_place(session, place)->caller; at != 0;
         at = debug_place(session, at)->caller) {
        if (at == caller)
            return false;
        if (debug_place(session, at)->caller == caller)
            return true;
    }
    return false;
}

/* Where the function that `frame` is in stands, when lanes are at `place`: there, or at the call.
 */
static uint32_t lift(const struct debug_session *session, uint32_t place, uint32_t frame)
{
    if (!debug_is_inside(session, place, frame))
        return place;
    while (debug_place(session, place)->caller != debug_place(session, frame)->caller)
        place = debug_place(session, place)->caller;
    return place;
}

/* The place of the statement that the instruction is of, if one is known; else 0. Where a scope is
 * left amid a statement, its variables' lifetimes end at its closing brace. */
static uint32_t statement_place(const struct debug_session *session, uint32_t site)
{
    const uint32_t place = debug_site_place(session, site);
    const bool is_within =
        session->code->debug_info && session->code->instructions[site].op == VM_OP_life_end;
    return is_known(session, place) && !is_within ? place : 0;
}

/* The last place that is known in each block; 0 = none. */
static uint32_t last_place(const struct debug_session *session, const struct vm_block *block)
{
    for (uint32_t i = block->count; i-- > 0;) {
        const uint32_t place = statement_place(session, block->first + i);
        if (place != 0)
            return place;
    }
    return 0;
}

struct flow_in {
    uint32_t *last;  /* by block: the last place, also of blocks before it; 0 = not known yet */
    bool *different; /* by block: ways lead to it from another statement than its first */
    bool *entered;
};

static uint32_t first_place(const struct debug_session *session, const struct vm_block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const uint32_t place = statement_place(session, block->first + i);
        if (place != 0)
            return place;
    }
    return 0;
}

static void lead(const struct debug_session *session, struct flow_in *in, uint32_t from,
                 uint32_t to, bool *changed)
{
    const uint32_t first = first_place(session, &session->code->blocks[to]);
    const uint32_t last = in->last[from];
    in->entered[to] = true;
    if (first == 0 && in->last[to] == 0 && last != 0) {
        in->last[to] = last; /* it has no place of its own */
        *changed = true;
    }
    if (first != 0 && last != 0 && !in->different[to] &&
        !debug_same_statement(session, lift(session, last, first), first)) {
        in->different[to] = true;
        *changed = true;
    }
}

static void lead_on(const struct debug_session *session, struct flow_in *in, bool *changed)
{
    const struct vm_code *code = session->code;
    for (uint32_t b = 0; b < code->block_count; b++) {
        const struct vm_instruction *end =
            &code->instructions[code->blocks[b].first + code->blocks[b].count - 1];
        switch ((enum vm_op)end->op) {
        case VM_OP_branch:
        case VM_OP_spin:
            lead(session, in, b, end->a, changed);
            break;
        case VM_OP_branch_if:
            lead(session, in, b, end->a, changed);
            lead(session, in, b, end->b, changed);
            break;
        case VM_OP_barrier:
            lead(session, in, b, code->barriers[end->aux].next, changed);
            break;
        default:
            break;
        }
    }
}

/* Behind a closing brace at which nothing is executed, what came before it goes on: compilers have
 * the rest of `return x;` there. That begins nothing. */
static void mark_block(struct debug_session *session, const struct flow_in *in, uint32_t b)
{
    const struct vm_block *block = &session->code->blocks[b];
    uint32_t before = 0;
    uint32_t earlier = 0; /* the statement before that of `before`, which has done nothing: */
    bool is_idle = false;
    for (uint32_t site = block->first; site < block->first + block->count; site++) {
        const uint32_t place = statement_place(session, site);
        if (place == 0)
            continue;
        const bool is_other =
            before == 0 ? in->different[b] || !in->entered[b]
                        : !debug_same_statement(session, lift(session, before, place), place);
        const bool goes_on = is_idle && earlier != 0 &&
                             debug_same_statement(session, lift(session, earlier, place), place);
        session->starts[site] = is_other && !goes_on;
        if (is_other) {
            earlier = before;
            is_idle = true;
        }
        is_idle &= vm_is_mark(&session->code->instructions[site]);
        before = place;
    }
}

bool debug_find_starts(struct debug_session *session)
{
    const struct vm_code *code = session->code;
    alloc_free(session->starts);
    alloc_free(session->stops);
    alloc_free(session->everywhere);
    vm_plans_destroy(session->debugger.vm.plans);
    session->debugger.vm.plans = NULL;
    session->starts = alloc_zero(code->instruction_count, sizeof *session->starts);
    session->stops = alloc_zero(code->instruction_count, sizeof *session->stops);
    session->everywhere = alloc_zero(code->instruction_count, sizeof *session->everywhere);
    struct flow_in in = {.last = alloc_zero(code->block_count, sizeof *in.last),
                         .different = alloc_zero(code->block_count, sizeof *in.different),
                         .entered = alloc_zero(code->block_count, sizeof *in.entered)};
    const bool complete = session->starts && session->stops && session->everywhere && in.last &&
                          in.different && in.entered;
    if (complete) {
        memset(session->everywhere, 1, code->instruction_count);
        session->debugger.vm.plans = vm_plans_create(code, session->stops);
    }
    for (uint32_t b = 0; complete && b < code->block_count; b++)
        in.last[b] = last_place(session, &code->blocks[b]);
    for (bool changed = complete; changed;) {
        changed = false;
        lead_on(session, &in, &changed);
    }
    /* What only blocks without places lead to. */
    for (uint32_t b = 0; complete && b < code->block_count; b++)
        mark_block(session, &in, b);
    bool any = false;
    for (uint32_t site = 0; complete && site < code->instruction_count; site++)
        any |= session->starts[site];
    for (uint32_t site = 0; complete && !any && site < code->instruction_count; site++)
        session->starts[site] = any = debug_site_place(session, site) != 0;
    alloc_free(in.last);
    alloc_free(in.different);
    alloc_free(in.entered);
    return complete;
}

bool debug_file_is(const char *file, const char *asked)
{
    const size_t size = strlen(file);
    const size_t asked_size = strlen(asked);
    return asked_size <= size && strcmp(file + size - asked_size, asked) == 0 &&
           (asked_size == size || file[size - asked_size - 1] == '/');
}

uint32_t debug_frame_count(const struct debug_session *session, uint32_t place)
{
    uint32_t count = place != 0;
    while (place != 0 && (place = debug_place(session, place)->caller) != 0)
        count++;
    return count;
}

uint32_t debug_frame_place(const struct debug_session *session, uint32_t place, uint32_t frame)
{
    for (; frame > 0 && debug_place(session, place)->caller != 0; frame--)
        place = debug_place(session, place)->caller;
    return place;
}
