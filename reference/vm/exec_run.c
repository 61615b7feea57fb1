/* The main loop: picks the lowest block that has lanes, runs its instructions, sends the lanes on.
 */
#include "reference/vm/bits.h"
#include "reference/vm/machine.h"
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

static void branch_if(struct vm_vector *vector, const struct vm_instruction *in)
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
    const uint64_t same = unchanged(vector, &vector->run->code->spins[in->aux]) & waiting->inside;
    vector->run->move_count += same != vector->active;
    waiting->inside |= vector->active;
    waiting->site = vm_site(vector, in);
    waiting->held |= vector->rounds == 0 ? vector->active : same;
    waiting->idle |= same & vector->read_once & ~(vector->read_twice | vector->changed);
    vm_begin_round(vector);
    vector->rounds -= vector->rounds != 0;
    vm_vector_release(vector, vector->active & ~waiting->held, in->a);
}

/* ---- the main loop ---- */

/* Runs a block, to its terminator, of a launch that is debugged. */
static const struct vm_instruction *run_debugged(struct vm_vector *vector,
                                                 const struct vm_block *block, uint64_t position)
{
    struct vm_debugger *debugger = vector->run->debugger;
    const struct vm_instruction *in = vector->run->code->instructions + block->first;
    const struct vm_instruction *last = in + block->count - 1;
    debugger->vector = vector;
    debugger->first = in;
    debugger->last = last;
    debugger->first_position = position;
    const uint64_t distance = debugger->alarm - position;
    debugger->alarm_in = distance < block->count ? in + distance : NULL;
    if (__builtin_expect(++debugger->blocks == VM_POLL_BLOCKS, 0)) {
        debugger->blocks = 0;
        debugger->in = in;
        debugger->poll(debugger->state);
    }
    for (uint32_t site = block->first;; site++, in++) {
        debugger->in = in;
        if ((debugger->stops && debugger->stops[site]) || in == debugger->alarm_in)
            debugger->stop(debugger->state, vector, site, position + (site - block->first));
        if (in == last)
            return last;
        MACHINE(vm_op_functions)[in->op](vector, in);
    }
}

/* Runs the lowest block that has lanes, to its terminator; NULL: there is none. */
static inline __attribute__((always_inline)) const struct vm_instruction *
run_block(struct vm_vector *vector, uint64_t *operation_count, bool is_debugged)
{
    const struct vm_code *code = vector->run->code;
    uint32_t block;
    if (!take(vector, vm_vector_ready_words(code), &block))
        return NULL;
    const struct vm_instruction *in = code->instructions + code->blocks[block].first;
    const struct vm_instruction *last = in + code->blocks[block].count - 1;
    *operation_count += code->blocks[block].count;
    if (is_debugged)
        return run_debugged(vector, &code->blocks[block],
                            *operation_count - code->blocks[block].count);
    for (; in < last; in++)
        MACHINE(vm_op_functions)[in->op](vector, in);
    return in;
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

/* The same by native code, of as many blocks as it does. Which blocks have lanes is asked of their
 * masks meanwhile. */
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

/* Made twice: who does not debug is asked once whether somebody does. */
static inline __attribute__((always_inline)) void run_blocks(struct vm_vector *vector,
                                                             bool is_debugged)
{
    const struct vm_code *code = vector->run->code;
    uint64_t operation_count = vector->run->operation_count;
    const uint64_t operation_limit =
        vector->run->operation_limit ? vector->run->operation_limit : UINT64_MAX;
    const bool takes_turns = vector->run->takes_turns;
    const struct vm_instruction *in;
    while ((in = __builtin_expect(takes_turns, 0) ? run_turn(vector, &operation_count)
                 : vector->run->native
                     ? run_native(vector, &operation_count, operation_limit)
                     : run_block(vector, &operation_count, is_debugged)) != NULL) {
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
        if (__builtin_expect(operation_count > operation_limit, 0))
            break;
    }
    vector->run->exhausted |= operation_count > operation_limit;
    vector->run->operation_count = operation_count;
}

static __attribute__((noinline)) void run_all_debugged(struct vm_vector *vector)
{
    run_blocks(vector, true);
}

void MACHINE(vm_vector_run)(struct vm_vector *vector)
{
    if (__builtin_expect(vector->run->debugger != NULL, 0))
        run_all_debugged(vector);
    else
        run_blocks(vector, false);
}
