/* What decides a condition for all lanes: a tree of rows of numbers. */
#include "reference/debug/filter.h"

#include "reference/debug/evaluate.h"
#include "reference/debug/rows.h"
#include "reference/vm/bits.h"
#include "reference/vm/undefined_rows.h"

#include <string.h>

struct run {
    struct debug_lane lane; /* but for its number */
    const struct vm_vector *vector;
    bool failed; /* the evaluator is to be asked */
};

struct debug_filter {
    enum { FILTER_NONE, FILTER_ROW, FILTER_BOTH, FILTER_EITHER } kind; /* NONE: it may hold */
    struct run run;
    struct debug_row *row;
    struct debug_filter *operands[2];
};

/* An operand that the evaluator would refuse must be looked at, whatever the other one is. */
static bool is_refused(const struct debug_lane *lane, const struct expression *expression)
{
    struct debug_value value;
    struct error error;
    return !debug_evaluate(lane, expression, &value, &error);
}

struct debug_filter *debug_filter_make(const struct debug_lane *lane,
                                       const struct expression *condition, struct arena *arena)
{
    static struct debug_filter none = {.kind = FILTER_NONE};
    const bool both = condition->op == OPERATOR_LOGICAL_AND;
    struct debug_filter *made = arena_alloc(arena, 1, sizeof *made);
    if (!made)
        return &none;
    made->run.lane = *lane;
    made->row = debug_rows_make(lane, condition, arena);
    if (made->row) {
        made->kind = FILTER_ROW;
    } else if (condition->kind == EXPRESSION_BINARY &&
               (both || condition->op == OPERATOR_LOGICAL_OR) &&
               !is_refused(lane, condition->operands[0]) &&
               !is_refused(lane, condition->operands[1])) {
        made->kind = both ? FILTER_BOTH : FILTER_EITHER;
        for (int i = 0; i < 2; i++)
            made->operands[i] = debug_filter_make(lane, condition->operands[i], arena);
    }
    return made;
}

/* ---- computing ---- */

/* What is called by each row is small. */
#define NOINLINE __attribute__((noinline))

/* Of these lanes, and of others maybe. */
static void compute(struct run *run, struct debug_row *row, uint64_t lanes);
static void compute_comparison(struct run *run, struct debug_row *row, uint64_t lanes);

/* By where the values are known. */
static void *begin_values(struct debug_row *row)
{
    row->values = row->buffer;
    row->truth.open = row->truth.unknown = 0;
    row->by = NULL;
    return row->buffer;
}

static void put(struct debug_row *row, uint32_t lane, uint64_t bits)
{
    const uint64_t wide = row->number.width < 4 ? debug_extend(&row->number, bits) : bits;
    const uint32_t narrow = (uint32_t)wide;
    if (row->number.width == 8)
        memcpy((uint8_t *)row->buffer + (size_t)lane * 8, &wide, 8);
    else
        memcpy((uint8_t *)row->buffer + (size_t)lane * 4, &narrow, 4);
}

static uint64_t get(const struct debug_row *row, uint32_t lane)
{
    uint64_t wide;
    uint32_t narrow;
    if (row->number.width == 8) {
        memcpy(&wide, (const uint8_t *)row->values + (size_t)lane * 8, 8);
        return wide;
    }
    memcpy(&narrow, (const uint8_t *)row->values + (size_t)lane * 4, 4);
    return narrow & bits_low(8 * row->number.width);
}

static bool is_known(const struct run *run, const struct debug_row *row)
{
    return row->known && (!row->varies || (row->known == run->vector->index + 1 &&
                                           memcmp(row->group, run->lane.session->holder->group.id,
                                                  sizeof row->group) == 0));
}

static NOINLINE void compute_fixed(struct run *run, struct debug_row *row)
{
    struct debug_value value;
    struct error error;
    begin_values(row);
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        run->lane.lane = lane;
        if ((row->varies || lane == 0) &&
            (!debug_evaluate(&run->lane, row->expression, &value, &error) ||
             !debug_rows_take(&value) ||
             memcmp(&value.number, &row->number, sizeof value.number) != 0))
            run->failed = true;
        put(row, lane, value.bits[0]);
        row->truth.open |= (uint64_t)(value.undefined[0] != 0) << lane;
    }
    row->known = run->failed ? 0 : run->vector->index + 1;
    memcpy(row->group, run->lane.session->holder->group.id, sizeof row->group);
}

static void compute_home(const struct run *run, struct debug_row *row)
{
    const void *home = run->vector->units + (size_t)row->home * VM_UNIT_SIZE;
    begin_values(row);
    row->truth.open = run->vector->undefined[row->home];
    row->by = row;
    if (row->number.width < 4)
        debug_lanes_widen(&row->number, home, row->buffer);
    else
        row->values = home;
}

static NOINLINE void compute_load(struct run *run, struct debug_row *row, uint64_t lanes)
{
    struct debug_row_place *place = row->place;
    struct debug_spot start = {0};
    const char *why;
    begin_values(row);
    row->by = row;
    if (place->pointer) {
        compute(run, place->pointer, lanes);
        row->truth.unknown = place->pointer->truth.unknown | place->pointer->truth.open;
    } else {
        run->lane.lane = (uint32_t)__builtin_ctzll(lanes);
        run->failed |= !debug_find_variable(&run->lane, place->variable, &start, &why);
    }
    if (place->index) {
        compute(run, place->index, lanes);
        row->truth.unknown |= place->index->truth.unknown | place->index->truth.open;
    }
    FOR_EACH_LANE(lane, lanes & ~row->truth.unknown) {
        const uint64_t index = place->index ? get(place->index, (uint32_t)lane) : 0;
        const struct debug_spot spot = {
            .offset = (place->pointer ? get(place->pointer, (uint32_t)lane) : start.offset) +
                      index * place->element_size + place->offset};
        uint64_t bits = 0;
        uint64_t undefined = 0;
        run->lane.lane = (uint32_t)lane;
        if ((place->count && index >= place->count) ||
            !debug_peek(&run->lane, spot, row->number.width, (uint8_t *)&bits,
                        (uint8_t *)&undefined, &why)) {
            row->truth.unknown |= UINT64_C(1) << lane;
            continue;
        }
        put(row, (uint32_t)lane, bits);
        place->undefined[lane] = undefined;
        row->truth.open |= (uint64_t)(undefined != 0) << lane;
    }
}

static uint64_t undefined_bits(const struct run *run, const struct debug_row *row, uint32_t lane)
{
    return row->kind == DEBUG_ROW_HOME
               ? vm_undefined_bits(run->vector, row->home, lane, row->number.width)
               : row->place->undefined[lane];
}

/* Computes a row as a truth: an integer of which a bit is defined and 1 is not 0, whatever the
 * others are. */
static const struct debug_truth *decide(struct run *run, struct debug_row *row, uint64_t lanes)
{
    struct debug_truth *truth = &row->truth;
    if (row->kind == DEBUG_ROW_COMPARE)
        compute_comparison(run, row, lanes);
    else
        compute(run, row, lanes);
    if (row->kind >= DEBUG_ROW_COMPARE)
        return truth;
    const uint64_t others = debug_lanes_true(row->lanes_kind, row->values);
    truth->open &= ~truth->unknown;
    FOR_EACH_LANE(lane, row->by && !row->number.is_floating ? truth->open & others : 0) {
        if (get(row, (uint32_t)lane) & ~undefined_bits(run, row->by, (uint32_t)lane))
            truth->open &= ~(UINT64_C(1) << lane);
    }
    truth->holds = others & ~truth->open & ~truth->unknown;
    return truth;
}

static NOINLINE void compute_not(struct run *run, struct debug_row *row, uint64_t lanes)
{
    const struct debug_truth *truth = decide(run, row->operands[0], lanes);
    row->truth.open = truth->open;
    row->truth.unknown = truth->unknown;
    row->truth.holds = ~(truth->holds | truth->open | truth->unknown);
}

static NOINLINE void compute_logical(struct run *run, struct debug_row *row, uint64_t lanes)
{
    static const struct debug_truth none;
    const bool any = row->op == OPERATOR_LOGICAL_OR;
    const struct debug_truth *first = decide(run, row->operands[0], lanes);
    const uint64_t maybe = first->holds | first->open;
    const uint64_t rest = any ? ~(first->holds | first->unknown) : maybe; /* not decided so far */
    const struct debug_truth *second =
        lanes & rest ? decide(run, row->operands[1], lanes & rest) : &none;
    const uint64_t unknown = first->unknown | (rest & second->unknown);
    const uint64_t known = rest & ~unknown;
    const uint64_t open = known & (first->open | second->open);
    if (any) {
        row->truth.open = open & ~second->holds;
        row->truth.holds = first->holds | (known & second->holds);
    } else {
        row->truth.open = open & (second->holds | second->open);
        row->truth.holds = known & second->holds & ~open;
    }
    row->truth.unknown = unknown;
}

/* An operand's values, and what is not known of them. Of the commonest ones they are there. */
static inline const void *take(struct run *run, struct debug_row *row, uint64_t lanes,
                               struct debug_truth *truth)
{
    int32_t *numbers = row->buffer;
    if (row->kind == DEBUG_ROW_FIXED && !row->varies && row->known)
        return row->values;
    if (row->kind == DEBUG_ROW_HOME && row->number.width >= 4) {
        truth->open |= run->vector->undefined[row->home];
        return run->vector->units + (size_t)row->home * VM_UNIT_SIZE;
    }
    compute(run, row, lanes);
    truth->open |= row->truth.open;
    truth->unknown |= row->truth.unknown;
    if (row->kind < DEBUG_ROW_COMPARE)
        return row->values;
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        numbers[lane] = row->truth.holds >> lane & 1;
    return numbers;
}

static NOINLINE void compute_comparison(struct run *run, struct debug_row *row, uint64_t lanes)
{
    struct debug_truth truth = {0};
    const void *a = take(run, row->operands[0], lanes, &truth);
    const void *b = take(run, row->operands[1], lanes, &truth);
    const uint64_t holds = debug_lanes_compare(row->op, row->operands[0]->lanes_kind, a, b);
    row->truth.holds = holds & ~truth.open & ~truth.unknown;
    row->truth.open = truth.open & ~truth.unknown;
    row->truth.unknown = truth.unknown;
}

static NOINLINE void compute_operation(struct run *run, struct debug_row *row, uint64_t lanes)
{
    const struct debug_row *first = row->operands[0];
    struct debug_truth truth = {0};
    uint64_t open = 0;
    void *result = begin_values(row);
    const void *a = take(run, row->operands[0], lanes, &truth);
    const void *b = row->operands[1] ? take(run, row->operands[1], lanes, &truth) : NULL;
    /* Single bits stay where their number stays as long. */
    const struct debug_row *by = first->number.width != row->number.width ? NULL
                                 : first->kind == DEBUG_ROW_HOME          ? first
                                                                          : first->by;
    switch (row->kind) {
    case DEBUG_ROW_VIEW:
        row->values = a;
        row->by = by;
        break;
    case DEBUG_ROW_CONVERT:
        row->by = first->number.is_floating == row->number.is_floating ? by : NULL;
        debug_lanes_convert(&first->number, a, &row->number, result);
        break;
    case DEBUG_ROW_OPERATE:
        run->failed |= !debug_lanes_operate(row->op, first->lanes_kind, a, b, result, &open);
        break;
    case DEBUG_ROW_CHOOSE:
        debug_lanes_choose(row->greater, first->lanes_kind, a, b, result);
        break;
    default:
        run->failed |= !debug_lanes_call(row->function, first->lanes_kind, a, result);
        break;
    }
    row->truth.open = truth.open | open;
    row->truth.unknown = truth.unknown;
}

static void compute(struct run *run, struct debug_row *row, uint64_t lanes)
{
    switch (row->kind) {
    case DEBUG_ROW_FIXED:
        if (!is_known(run, row))
            compute_fixed(run, row);
        break;
    case DEBUG_ROW_HOME:
        compute_home(run, row);
        break;
    case DEBUG_ROW_LOAD:
        compute_load(run, row, lanes);
        break;
    case DEBUG_ROW_COMPARE:
        compute_comparison(run, row, lanes);
        break;
    case DEBUG_ROW_NOT:
        compute_not(run, row, lanes);
        break;
    case DEBUG_ROW_LOGICAL:
        compute_logical(run, row, lanes);
        break;
    default:
        compute_operation(run, row, lanes);
        break;
    }
}

/* Those for which it holds, or may hold. */
static uint64_t candidates(struct debug_filter *filter, struct run *run, uint64_t lanes)
{
    uint64_t found = 0;
    const struct debug_truth *truth;
    switch (filter->kind) {
    case FILTER_ROW:
        truth = decide(run, filter->row, lanes);
        return (truth->holds | truth->open) & lanes;
    case FILTER_BOTH:
        found = candidates(filter->operands[0], run, lanes);
        return found ? candidates(filter->operands[1], run, found) : 0;
    case FILTER_EITHER:
        found = candidates(filter->operands[0], run, lanes);
        return found | candidates(filter->operands[1], run, lanes);
    case FILTER_NONE:
        break;
    }
    return lanes;
}

uint64_t debug_filter_lanes(struct debug_filter *filter, struct vm_vector *vector, uint64_t lanes,
                            bool *exact)
{
    struct run *run = &filter->run;
    *exact = false;
    if (filter->kind == FILTER_NONE)
        return lanes;
    run->vector = vector;
    run->failed = false;
    run->lane.launch = run->lane.session->holder;
    run->lane.vector = vector;
    run->lane.vector_index = vector->index;
    const bool is_row = filter->kind == FILTER_ROW;
    const uint64_t found =
        is_row ? decide(run, filter->row, lanes)->holds & lanes : candidates(filter, run, lanes);
    *exact = is_row && !run->failed;
    return run->failed ? lanes : found;
}
