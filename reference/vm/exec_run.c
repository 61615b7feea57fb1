/* The main loop: picks the lowest block that has lanes, runs its instructions, sends the lanes on.
 */
#include "reference/vm/bits.h"
#include "reference/vm/counters.h"
#include "reference/vm/machine.h"
#include "reference/vm/plan.h"
#include "reference/vm/undefined_rows.h"

#include "trace/base/assert.h"

#include <string.h>

/* Takes the lanes of the lowest block that has any into vector->active; false when there is none.
 */
static bool take(struct vm_vector *vector, uint32_t word_count, uint32_t *block)
{
    uint32_t word = vector->ready_hint;
    while (word < word_count && vector->ready[word] == 0)
        word++;
    vector->ready_hint = word;
    if (word == word_count)
        return false;
    *block = word * 64 + (uint32_t)__builtin_ctzll(vector->ready[word]);
    vector->ready[word] &= vector->ready[word] - 1;
    vector->active = vector->pending[*block];
    vector->pending[*block] = 0;
    return true;
}

/* Adds the lanes that run to those of the site. */
static void note_lanes(const struct vm_vector *vector, uint32_t site, struct vm_parked *lanes,
                       uint32_t *count)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (lanes[i].site == site) {
            lanes[i].mask |= vector->active;
            return;
        }
    }
    ASSERT(*count < VM_LANES);
    lanes[(*count)++] = (struct vm_parked){.site = site, .mask = vector->active};
}

static void park(struct vm_vector *vector, uint32_t site)
{
    note_lanes(vector, site, vector->parked, &vector->parked_count);
}

/* The sub-groups that have come as a whole go on; lanes of others never will. */
static void pass_sub_groups(struct vm_vector *vector, const struct vm_instruction *in)
{
    const struct vm_run *run = vector->run;
    const struct vm_barrier *barrier = &run->code->barriers[in->aux];
    const uint64_t all = vector->active;
    uint64_t passed = 0;
    for (uint32_t first = 0; first < VM_LANES; first += run->sub_group_size) {
        const uint64_t lanes = vector->lanes & bits_low(run->sub_group_size) << first;
        if (!lanes || (lanes & all) != lanes)
            continue;
        vm_tell_undefined_arguments(vector, vm_site(vector, in), lanes);
        if (!vm_sub_group_agrees(vector, barrier, lanes))
            continue;
        vm_tell_barrier(run, vm_site(vector, in), vector->index, lanes);
        passed |= lanes;
    }
    vm_vector_release(vector, passed, barrier->next);
    vector->active = all & ~passed;
    if (vector->active)
        park(vector, vm_site(vector, in));
}

static inline __attribute__((always_inline)) void branch_if(struct vm_vector *vector,
                                                            const struct vm_instruction *in)
{
    const uint64_t mask = *ROW(u64, in->c);
    vm_tell_if_undefined(vector, in, OBSERVER_UNDEFINED_BRANCH, in->c, vector->active);
    vm_vector_release(vector, vector->active & mask, in->a);
    vm_vector_release(vector, vector->active & ~mask, in->b);
}

/* Lanes of the vector whose rows are what they were one iteration before. They are kept for the
 * next. */
static uint64_t unchanged(const struct vm_vector *vector, const struct vm_spin *spin)
{
    uint64_t same = vector->active;
    for (uint32_t i = 0; i < spin->row_count; i++) {
        const uint32_t width = spin->widths[i];
        const uint8_t *now = vm_unit(vector, spin->rows[2 * i]);
        uint8_t *kept = vm_unit(vector, spin->rows[2 * i + 1]);
        if (width == 0) {
            const uint64_t mask = lane_get(now, 8);
            same &= ~(mask ^ lane_get(kept, 8));
            lane_put(kept, 8, (lane_get(kept, 8) & ~vector->active) | (mask & vector->active));
        }
        FOR_EACH_LANE(lane, width ? vector->active : 0) {
            if (memcmp(now + lane * width, kept + lane * width, width) != 0)
                same &= ~(UINT64_C(1) << lane);
            memcpy(kept + lane * width, now + lane * width, width);
        }
    }
    return same;
}

static void spin(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct vm_waiting *waiting = &vector->waiting[in->aux];
    uint64_t same = unchanged(vector, &vector->run->code->spins[in->aux]) & waiting->inside;
    FOR_EACH_LANE(lane, vector->active) {
        if (waiting->prints[lane] != vector->prints[lane])
            same &= ~(UINT64_C(1) << lane);
        waiting->prints[lane] = vector->prints[lane];
    }
    vector->run->move_count += same != vector->active;
    waiting->inside |= vector->active;
    waiting->site = vm_site(vector, in);
    waiting->held |= vector->rounds == 0 ? vector->active : same;
    waiting->idle |= same & vector->read_once & ~(vector->read_twice | vector->changed);
    vm_begin_round(vector);
    vector->rounds -= vector->rounds != 0;
    vm_vector_release(vector, vector->active & ~waiting->held, in->a);
}

/* Runs blocks by native code, as many as it does, to the terminator of the last one; NULL: there
 * are no lanes, or the limit is passed. Which blocks have lanes is asked of their masks meanwhile.
 */
static const struct vm_instruction *run_native(struct vm_vector *vector, uint64_t *operation_count,
                                               uint64_t operation_limit)
{
    const uint32_t word_count = vm_vector_ready_words(vector->run->code);
    uint64_t any = 0;
    for (uint32_t word = 0; word < word_count; word++) {
        any |= vector->ready[word];
        vector->ready[word] = 0;
    }
    if (!any)
        return NULL;
    return MACHINE(vm_native_run)(vector, operation_count, operation_limit);
}

/* ---- a launch that is debugged ---- */

/* Instruction by instruction, from the one at `in` to the end of its block. */
static __attribute__((noinline)) const struct vm_instruction *
run_each(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct vm_debugger *debugger = vector->run->debugger;
    const struct vm_instruction *last = debugger->last;
    uint32_t site = vm_site(vector, in);
    for (;; site++, in++) {
        debugger->in = in;
        if ((debugger->stops && debugger->stops[site]) || in == debugger->alarm_in)
            debugger->stop(debugger->state, vector, site, vm_debugger_position(debugger));
        if (in == last)
            break;
        MACHINE(vm_op_functions)[in->op](vector, in);
    }
    debugger->alarm_in = NULL;
    return last;
}

/* The debugger has stopped before an instruction, or been told of it. Does it want something else
 * now than when the plan was made? */
static bool turns(const struct vm_debugger *debugger, uint32_t version)
{
    return debugger->plans->version != version || debugger->alarm_in ||
           (debugger->stops && debugger->stops != debugger->plans->stops);
}

/* The plan's alone, as long as the debugger wants no other. */
static __attribute__((noinline)) const struct vm_instruction *run_steps(struct vm_vector *vector,
                                                                        const struct vm_plan *plan)
{
    struct vm_debugger *debugger = vector->run->debugger;
    const struct vm_step *step = plan->steps;
    const uint8_t *asks = plan->asks;
    const uint32_t version = plan->version;
    for (;; step++, asks++) {
        const struct vm_instruction *in = step->in;
        if (*asks) {
            debugger->in = in;
            if (*asks & VM_PLAN_STOPS && debugger->stops)
                debugger->stop(debugger->state, vector, vm_site(vector, in),
                               vm_debugger_position(debugger));
        }
        if (!step->run)
            break;
        step->run(vector, in);
        if (*asks && turns(debugger, version))
            return run_each(vector, in + 1);
    }
    debugger->in = debugger->last;
    return debugger->last;
}

static __attribute__((noinline)) void settle(struct vm_vector *vector)
{
    struct vm_plans *plans = vector->run->debugger->plans;
    if (plans && plans->pending)
        vm_plan_settle(vector, plans, UINT64_MAX, MACHINE(vm_op_functions));
}

/* Before the block of the plan runs: what is late is executed if it may not be late any longer. */
static __attribute__((noinline)) void settle_for(struct vm_vector *vector, struct vm_plan *plan)
{
    struct vm_plans *plans = vector->run->debugger->plans;
    const uint64_t itself = plan->lanes & ~vector->active ? plan->bit : 0;
    const uint64_t set = vm_plan_ask(plans, plan) | itself;
    vm_plan_settle(vector, plans, set, MACHINE(vm_op_functions));
    vm_plan_note_delays(plans, plan, set, MACHINE(vm_op_functions));
}

/* Runs the plan up to its last guard, and returns the step behind it. NULL: it stops at one, and
 * has run to the end of the block. */
static inline __attribute__((always_inline)) const struct vm_step *
run_guarded(struct vm_vector *vector, const struct vm_plan *plan)
{
    struct vm_debugger *debugger = vector->run->debugger;
    const struct vm_step *step = plan->steps;
    for (uint32_t i = 0; i < plan->guard_count; i++) {
        const struct vm_guard *guard = &plan->guards[i];
        for (; step < plan->steps + guard->step; step++)
            step->run(vector, step->in);
        debugger->in = vector->run->code->instructions + guard->site;
        if (__builtin_expect(debugger->passes(debugger->state, vector, guard->site), 1))
            continue;
        settle(vector);
        run_each(vector, debugger->in);
        return NULL;
    }
    return step;
}

/* False: it stops at a guard, and has run to the end of the block. */
static inline __attribute__((always_inline)) bool
run_quiet(struct vm_vector *vector, struct vm_plans *plans, struct vm_plan *plan)
{
    if (plans->pending & ~plan->spares || plan->lanes & ~vector->active)
        settle_for(vector, plan);
    const struct vm_step *step = plan->steps;
    if (plan->guard_count && !(step = run_guarded(vector, plan)))
        return false;
    for (; step->run; step++)
        step->run(vector, step->in);
    if (plan->late_count) {
        plan->runs++;
        if (plans->last != plan || plan->lanes != vector->active)
            vm_plan_wait(plans, plan, vector->active);
    }
    return true;
}

/* The plan for the block, if it can be run by one now. */
static struct vm_plan *plan_of(const struct vm_debugger *debugger, uint32_t block)
{
    struct vm_plans *plans = debugger->plans;
    if (!plans || debugger->alarm_in || (debugger->stops && debugger->stops != plans->stops))
        return NULL;
    struct vm_plan *plan = &plans->blocks[block];
    return plan->version == plans->version || vm_plan_make(plans, block, MACHINE(vm_op_functions))
               ? plan
               : NULL;
}

/* Before a block at which the debugger may be to be asked, or that may have its alarm. */
static void prepare(struct vm_vector *vector, const struct vm_instruction *first)
{
    struct vm_debugger *debugger = vector->run->debugger;
    const struct vm_plans *plans = debugger->plans;
    debugger->in = first;
    if (debugger->last_position >= debugger->poll_at) {
        settle(vector);
        debugger->poll_at = (debugger->last_position / VM_POLL_OPERATIONS + 1) * VM_POLL_OPERATIONS;
        debugger->poll(debugger->state);
    }
    vm_debugger_set_alarm(debugger, debugger->alarm);
    if (!plans || (debugger->stops && debugger->stops != plans->stops))
        return;
    debugger->calm_until = debugger->poll_at;
    const uint64_t limit = vector->run->operation_limit;
    if (limit && limit < debugger->calm_until)
        debugger->calm_until = limit;
    if (debugger->alarm > debugger->last_position && debugger->alarm < debugger->calm_until)
        debugger->calm_until = debugger->alarm;
}

/* A block is to run, up to its terminator, which has that position. */
static inline void stand_before(struct vm_debugger *debugger, const struct vm_instruction *last,
                                uint64_t last_position)
{
    debugger->last = last;
    debugger->last_position = last_position;
}

/* Runs a block that is not known to be quiet, to its terminator. */
static __attribute__((noinline)) const struct vm_instruction *
run_asked(struct vm_vector *vector, uint32_t index, const struct vm_instruction *first)
{
    struct vm_debugger *debugger = vector->run->debugger;
    if (debugger->last_position >= debugger->calm_until)
        prepare(vector, first);
    struct vm_plan *plan = plan_of(debugger, index);
    if (plan && plan->is_quiet) {
        run_quiet(vector, debugger->plans, plan);
        debugger->in = debugger->last;
        return debugger->last;
    }
    settle(vector);
    return plan ? run_steps(vector, plan) : run_each(vector, first);
}

/* Runs native code up to shortly before somebody wants to stop, or to be asked, if nobody looks
 * meanwhile. NULL: the next block is to be interpreted. */
static __attribute__((noinline)) const struct vm_instruction *
run_native_debugged(struct vm_vector *vector, uint64_t *operation_count, uint64_t operation_limit)
{
    enum { POLLS_LEFT_OUT = 8 }; /* it is as much faster */
    const struct vm_debugger *debugger = vector->run->debugger;
    const uint64_t longest = debugger->plans ? debugger->plans->longest : 0;
    const uint64_t step = POLLS_LEFT_OUT * VM_POLL_OPERATIONS;
    uint64_t end = (*operation_count / step + 1) * step;
    if (!vm_debugger_lets_go(debugger) || longest == 0)
        return NULL;
    if (debugger->alarm >= *operation_count && debugger->alarm < end)
        end = debugger->alarm;
    end = operation_limit < end ? operation_limit : end;
    if (end <= *operation_count + longest)
        return NULL;
    settle(vector);
    return run_native(vector, operation_count, end - longest - 1);
}

/* Runs the blocks that follow the branch, as long as each is the only one that has lanes, and
 * nobody is to be asked. */
static inline __attribute__((always_inline)) const struct vm_instruction *
run_on(struct vm_vector *vector, const struct vm_instruction *in, uint64_t *operation_count)
{
    const struct vm_code *code = vector->run->code;
    const struct vm_debugger *debugger = vector->run->debugger;
    while (in->op == VM_OP_branch && code->block_count < 64 && vector->ready[0] == 0) {
        const struct vm_block *block = &code->blocks[in->a];
        struct vm_plan *plan = &debugger->plans->blocks[in->a];
        if (*operation_count + block->count > debugger->calm_until ||
            plan->quiet_version != debugger->plans->version || plan->guard_count != 0)
            break;
        *operation_count += block->count;
        in = code->instructions + block->first + block->count - 1;
        run_quiet(vector, debugger->plans, plan);
    }
    return in;
}

/* Runs a block, to its terminator. */
static inline __attribute__((always_inline)) const struct vm_instruction *
run_debugged(struct vm_vector *vector, uint32_t index, const struct vm_instruction *first,
             uint32_t count, uint64_t *operation_count)
{
    const uint64_t last_position = *operation_count - 1;
    struct vm_debugger *debugger = vector->run->debugger;
    struct vm_plans *plans = debugger->plans;
    if (__builtin_expect(last_position < debugger->calm_until, 1)) {
        struct vm_plan *plan = &plans->blocks[index];
        if (plan->quiet_version == plans->version) {
            if (plan->guard_count)
                stand_before(debugger, first + count - 1, last_position);
            run_quiet(vector, plans, plan);
            return run_on(vector, first + count - 1, operation_count);
        }
    }
    stand_before(debugger, first + count - 1, last_position);
    return run_asked(vector, index, first);
}

/* ---- the main loop ---- */

/* The terminator has been reached, for a debugger. */
static void stand(const struct vm_vector *vector, const struct vm_instruction *in,
                  uint64_t position)
{
    struct vm_debugger *debugger = vector->run->debugger;
    debugger->in = debugger->last = in;
    debugger->last_position = position;
}

/* Runs the lowest block that has lanes, to its terminator; NULL: there is none. */
static inline __attribute__((always_inline)) const struct vm_instruction *
run_block(struct vm_vector *vector, uint64_t *operation_count, bool is_debugged, bool is_counted)
{
    const struct vm_code *code = vector->run->code;
    uint32_t block;
    if (!take(vector, vm_vector_ready_words(code), &block))
        return NULL;
    const struct vm_instruction *in = code->instructions + code->blocks[block].first;
    const struct vm_instruction *last = in + code->blocks[block].count - 1;
    *operation_count += code->blocks[block].count;
    if (is_debugged)
        return run_debugged(vector, block, in, code->blocks[block].count, operation_count);
    if (is_counted)
        vm_counters_block(vector, block);
    for (; in < last; in++)
        MACHINE(vm_op_functions)[in->op](vector, in);
    return in;
}

/* The same where blocks are counted, out of the way of others. */
static __attribute__((noinline)) const struct vm_instruction *run_counted(struct vm_vector *vector,
                                                                          uint64_t *operation_count)
{
    return run_block(vector, operation_count, false, true);
}

/* The same of a vector that takes turns, from where it paused; NULL also where it pauses. Out of
 * the way of those that take none. */
static __attribute__((noinline)) const struct vm_instruction *run_turn(struct vm_vector *vector,
                                                                       uint64_t *operation_count)
{
    struct vm_run *run = vector->run;
    const struct vm_instruction *in = vector->paused;
    const struct vm_instruction *last = vector->paused_last;
    uint32_t block;
    if (in) {
        vector->active = vector->paused_lanes;
        vector->paused = NULL;
    } else if (take(vector, vm_vector_ready_words(run->code), &block)) {
        in = run->code->instructions + run->code->blocks[block].first;
        last = in + run->code->blocks[block].count - 1;
        *operation_count += run->code->blocks[block].count;
        if (run->counters)
            vm_counters_block(vector, block);
    } else {
        return NULL;
    }
    for (; in < last; in++) {
        MACHINE(vm_op_functions)[in->op](vector, in);
        if (run->turn_left == 0 || !(vm_op_traits((enum vm_op)in->op) & (VM_ATOMIC | VM_PIPE)) ||
            --run->turn_left > 0)
            continue;
        vector->paused = in + 1;
        vector->paused_last = last;
        vector->paused_lanes = vector->active;
        return NULL;
    }
    return in;
}

/* Until a vector waits or ends, its blocks are run in one of these ways. */
enum way { WAY_INTERPRETED, WAY_NATIVE, WAY_COUNTED, WAY_TURNS };

/* Made twice: who does not debug is asked once whether somebody does. */
static inline __attribute__((always_inline)) void run_blocks(struct vm_vector *vector,
                                                             bool is_debugged)
{
    const struct vm_code *code = vector->run->code;
    uint64_t operation_count = vector->run->operation_count;
    const uint64_t operation_limit =
        vector->run->operation_limit ? vector->run->operation_limit : UINT64_MAX;
    const enum way way = vector->run->takes_turns              ? WAY_TURNS
                         : vector->run->counters               ? WAY_COUNTED
                         : vector->run->native && !is_debugged ? WAY_NATIVE
                                                               : WAY_INTERPRETED;
    const bool has_native = is_debugged && vector->run->native;
    const struct vm_instruction *in;
    while ((has_native &&
            (in = run_native_debugged(vector, &operation_count, operation_limit)) != NULL) ||
           (in = way == WAY_INTERPRETED ? run_block(vector, &operation_count, is_debugged, false)
                 : way == WAY_NATIVE    ? run_native(vector, &operation_count, operation_limit)
                 : way == WAY_COUNTED   ? run_counted(vector, &operation_count)
                                        : run_turn(vector, &operation_count)) != NULL) {
        switch ((enum vm_op)in->op) {
        case VM_OP_branch:
            vm_vector_release(vector, vector->active, in->a);
            break;
        case VM_OP_branch_if:
            branch_if(vector, in);
            break;
        case VM_OP_barrier:
            if (code->barriers[in->aux].execution == OBSERVER_SCOPE_SUB_GROUP && !code->apart)
                pass_sub_groups(vector, in);
            else
                park(vector, vm_site(vector, in));
            vector->run->progress_count++;
            break;
        case VM_OP_spin:
            spin(vector, in);
            break;
        default: /* return and unreachable: vm_code_check lets nothing else end a block */
            vector->ended |= vector->active;
            if (in->aux)
                note_lanes(vector, vm_site(vector, in), vector->returned, &vector->returned_count);
            vector->run->progress_count++;
            break;
        }
        if (__builtin_expect(operation_count > operation_limit, 0)) {
            if (is_debugged)
                stand(vector, in, operation_count - 1);
            break;
        }
    }
    vector->run->exhausted |= operation_count > operation_limit;
    vector->run->operation_count = operation_count;
}

static __attribute__((noinline)) void run_all_debugged(struct vm_vector *vector)
{
    vector->run->debugger->vector = vector;
    run_blocks(vector, true);
    settle(vector);
}

void MACHINE(vm_vector_run)(struct vm_vector *vector)
{
    if (__builtin_expect(vector->run->debugger != NULL, 0))
        run_all_debugged(vector);
    else
        run_blocks(vector, false);
}
