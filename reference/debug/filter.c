/* What decides a condition for all lanes: a tree of rows of numbers. */
#include "reference/debug/filter.h"

#include "reference/debug/evaluate.h"
#include "reference/debug/rows.h"
#include "reference/vm/bits.h"
#include "reference/vm/plan.h"
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
    /* Of a comparison of a variable with what does not change: both, whose bits are compared. */
    const struct debug_row *variable, *fixed;
    struct debug_filter *operands[2];
};

/* The row whose bits are seen. */
static const struct debug_row *seen(const struct debug_row *row)
{
    while (row->kind == DEBUG_ROW_VIEW)
        row = row->operands[0];
    return row;
}

static void find_comparison(struct debug_filter *filter)
{
    const struct debug_row *row = filter->row;
    const struct debug_row *a = row->kind == DEBUG_ROW_COMPARE ? seen(row->operands[0]) : NULL;
    const struct debug_row *b = a ? seen(row->operands[1]) : NULL;
    if (!b || a->kind != DEBUG_ROW_HOME || a->number.width < 4 || b->kind != DEBUG_ROW_FIXED ||
        b->varies)
        return;
    filter->variable = a;
    filter->fixed = b;
}

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
        find_comparison(made);
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
    row->count = VM_LANES;
    row->truth.open = row->truth.unknown = 0;
    row->by = NULL;
    return row->buffer;
}

static void put(struct debug_row *row, uint32_t lane, uint64_t bits)
{
    const uint64_t wide = debug_lanes_are_halves(&row->number) ? debug_lanes_of_half(bits)
                          : row->number.width < 4              ? debug_extend(&row->number, bits)
                                                               : bits;
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
    const size_t at = row->count == 1 ? 0 : lane;
    if (row->number.width == 8) {
        memcpy(&wide, (const uint8_t *)row->values + at * 8, 8);
        return wide;
    }
    memcpy(&narrow, (const uint8_t *)row->values + at * 4, 4);
    if (debug_lanes_are_halves(&row->number))
        return debug_lanes_half_of(narrow);
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
    run->lane.launch = run->lane.session->holder;
    run->lane.vector_index = run->vector->index;
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
    row->count = row->varies ? VM_LANES : 1;
    row->known = run->failed ? 0 : run->vector->index + 1;
    memcpy(row->group, run->lane.session->holder->group.id, sizeof row->group);
}

static void compute_home(const struct run *run, struct debug_row *row)
{
    bool uniform;
    struct vm_debugger *debugger = &run->lane.session->debugger.vm;
    begin_values(row);
    row->source = vm_plan_find(debugger, row->home, &uniform);
    const void *source = run->vector->units + (size_t)row->source * VM_UNIT_SIZE;
    row->truth.open = run->vector->undefined[row->source];
    row->by = row;
    row->count = uniform ? 1 : VM_LANES;
    if (row->number.width < 4)
        debug_lanes_widen(&row->number, source, row->buffer, row->count);
    else
        row->values = source;
}

/* Where the lanes' elements lie. */
struct addresses {
    uint64_t of[VM_LANES];
};

static uint64_t value_of(const struct debug_row *row, uint32_t lane)
{
    uint64_t value;
    memcpy(&value, (const uint64_t *)row->values + (row->count == 1 ? 0 : lane), sizeof value);
    return value;
}

static void find_addresses(struct run *run, struct debug_row *row, uint64_t lanes,
                           struct addresses *addresses)
{
    const struct debug_row_place *place = row->place;
    struct debug_spot start = {0};
    const char *why;
    if (place->pointer) {
        compute(run, place->pointer, lanes);
        row->truth.unknown = place->pointer->truth.unknown | place->pointer->truth.open;
    } else {
        vm_debugger_settle(&run->lane.session->debugger.vm);
        run->lane.lane = (uint32_t)__builtin_ctzll(lanes);
        run->failed |= !debug_find_variable(&run->lane, place->variable, &start, &why);
    }
    if (place->index) {
        compute(run, place->index, lanes);
        row->truth.unknown |= place->index->truth.unknown | place->index->truth.open;
    }
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        const uint64_t index = place->index ? value_of(place->index, lane) : 0;
        addresses->of[lane] = (place->pointer ? value_of(place->pointer, lane) : start.offset) +
                              index * place->element_size + place->offset;
        if (place->count && index >= place->count)
            row->truth.unknown |= UINT64_C(1) << lane;
    }
}

/* What is known of a lane is put there. */
static void load_lane(struct run *run, struct debug_row *row, const struct debug_window *window,
                      uint32_t lane, uint64_t address)
{
    const struct debug_spot spot = {.offset = address};
    const uint32_t width = row->number.width;
    const uint8_t *bytes = debug_window_find(window, address, width);
    uint64_t bits = 0;
    uint64_t undefined = 0;
    const char *why;
    run->lane.lane = lane;
    if (bytes) {
        memcpy(&bits, bytes, width);
    } else if (!debug_peek(&run->lane, spot, width, (uint8_t *)&bits, (uint8_t *)&undefined,
                           &why)) {
        row->truth.unknown |= UINT64_C(1) << lane;
        return;
    }
    put(row, lane, bits);
    row->place->undefined[lane] = undefined;
    row->truth.open |= (uint64_t)(undefined != 0) << lane;
}

/* What lies at one address for all of them. */
static void load_for_all(struct run *run, struct debug_row *row, const struct debug_window *window,
                         uint64_t address)
{
    const uint64_t unknown = row->truth.unknown;
    row->truth.unknown = 0;
    load_lane(run, row, window, 0, address);
    row->count = 1;
    row->truth.open = row->truth.open ? ~UINT64_C(0) : 0;
    row->truth.unknown = row->truth.unknown ? ~UINT64_C(0) : unknown;
    for (uint32_t lane = 1; row->truth.open && lane < VM_LANES; lane++)
        row->place->undefined[lane] = row->place->undefined[0];
}

/* Do the lanes look so many bytes apart from each other? */
static bool are_apart(const struct addresses *addresses, uint64_t lanes, uint64_t distance)
{
    const uint32_t first = (uint32_t)__builtin_ctzll(lanes);
    const uint64_t start = addresses->of[first] - first * distance;
    uint64_t others = 0;
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        others |= (addresses->of[lane] ^ (start + lane * distance)) & (0 - (lanes >> lane & 1));
    return others == 0;
}

static NOINLINE void compute_load(struct run *run, struct debug_row *row, uint64_t lanes)
{
    const uint32_t width = row->number.width;
    struct addresses addresses;
    struct debug_window window;
    const uint8_t *bytes;
    begin_values(row);
    row->by = row;
    run->lane.launch = run->lane.session->holder;
    run->lane.vector_index = run->vector->index;
    find_addresses(run, row, lanes, &addresses);
    const uint64_t known = lanes & ~row->truth.unknown;
    if (!known)
        return;
    const uint32_t first = run->lane.lane = (uint32_t)__builtin_ctzll(known);
    const uint64_t address = addresses.of[first];
    debug_window_open(&run->lane, address, &window);
    if (window.size && are_apart(&addresses, known, 0)) {
        load_for_all(run, row, &window, address);
    } else if (width >= 4 && are_apart(&addresses, known, width) &&
               (bytes = debug_window_find(&window, address - (uint64_t)first * width,
                                          (uint64_t)VM_LANES * width))) {
        memcpy(row->buffer, bytes, (size_t)VM_LANES * width);
    } else {
        FOR_EACH_LANE(lane, known)
            load_lane(run, row, &window, (uint32_t)lane, addresses.of[lane]);
    }
}

static uint64_t undefined_bits(const struct run *run, const struct debug_row *row, uint32_t lane)
{
    return row->kind == DEBUG_ROW_HOME
               ? vm_undefined_bits(run->vector, row->source, lane, row->number.width)
               : row->place->undefined[lane];
}

/* As a truth a number is: an integer of which a bit is defined and 1 is not 0, whatever the others
 * are. */
static NOINLINE const struct debug_truth *decide_number(struct run *run, struct debug_row *row,
                                                        uint64_t lanes)
{
    struct debug_truth *truth = &row->truth;
    compute(run, row, lanes);
    if (row->kind >= DEBUG_ROW_COMPARE)
        return truth;
    const uint64_t others = debug_lanes_true(row->lanes_kind, row->values, row->count);
    truth->open &= ~truth->unknown;
    FOR_EACH_LANE(lane, row->by && !row->number.is_floating ? truth->open & others : 0) {
        if (get(row, (uint32_t)lane) & ~undefined_bits(run, row->by, (uint32_t)lane))
            truth->open &= ~(UINT64_C(1) << lane);
    }
    truth->holds = others & ~truth->open & ~truth->unknown;
    return truth;
}

/* Computes a row as a truth. */
static inline const struct debug_truth *decide(struct run *run, struct debug_row *row,
                                               uint64_t lanes)
{
    if (row->kind != DEBUG_ROW_COMPARE)
        return decide_number(run, row, lanes);
    compute_comparison(run, row, lanes);
    return &row->truth;
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

/* An operand's values, and what is not known of them. */
static inline void take(struct run *run, struct debug_row *row, uint64_t lanes,
                        struct debug_truth *truth)
{
    int32_t *numbers = row->buffer;
    if (row->kind == DEBUG_ROW_FIXED && !row->varies && row->known)
        return;
    if (row->kind == DEBUG_ROW_HOME)
        compute_home(run, row);
    else
        compute(run, row, lanes);
    truth->open |= row->truth.open;
    truth->unknown |= row->truth.unknown;
    if (row->kind < DEBUG_ROW_COMPARE)
        return;
    row->values = numbers;
    row->count = VM_LANES;
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        numbers[lane] = row->truth.holds >> lane & 1;
}

/* All elements of what is known by one. Of what is fixed they are there. */
static NOINLINE void spread(struct debug_row *row)
{
    const size_t size = row->number.width == 8 ? 8 : 4;
    uint64_t bits = 0;
    if (row->kind == DEBUG_ROW_FIXED)
        return;
    memcpy(&bits, row->values, size);
    for (size_t lane = 0; lane < VM_LANES; lane++)
        memcpy((uint8_t *)row->buffer + lane * size, &bits, size);
    row->values = row->buffer;
    row->count = VM_LANES;
}

/* Both operands, or the only one. Returns how many elements there are of each. */
static inline uint32_t take_operands(struct run *run, struct debug_row *row, uint64_t lanes,
                                     struct debug_truth *truth)
{
    struct debug_row *a = row->operands[0];
    struct debug_row *b = row->operands[1];
    take(run, a, lanes, truth);
    if (!b)
        return a->count;
    take(run, b, lanes, truth);
    if (a->count == b->count)
        return a->count;
    spread(a->count == 1 ? a : b);
    return VM_LANES;
}

static NOINLINE void compute_comparison(struct run *run, struct debug_row *row, uint64_t lanes)
{
    struct debug_truth truth = {0};
    const uint32_t count = take_operands(run, row, lanes, &truth);
    const struct debug_row *a = row->operands[0];
    const uint64_t holds =
        debug_lanes_compare(row->op, a->lanes_kind, a->values, row->operands[1]->values, count);
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
    const uint32_t count = take_operands(run, row, lanes, &truth);
    const void *a = first->values;
    const void *b = row->operands[1] ? row->operands[1]->values : NULL;
    row->count = count;
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
        debug_lanes_convert(&first->number, a, &row->number, result, count);
        break;
    case DEBUG_ROW_OPERATE:
        run->failed |= !debug_lanes_operate(row->op, first->lanes_kind, a, b, result, &open, count);
        if (debug_lanes_are_halves(&row->number))
            debug_lanes_round_to_half(result, count);
        break;
    case DEBUG_ROW_CHOOSE:
        debug_lanes_choose(row->greater, first->lanes_kind, a, b, result, count);
        break;
    default:
        run->failed |= !debug_lanes_call(row->function, first->lanes_kind, a, result, count);
        break;
    }
    row->truth.open = truth.open | open;
    row->truth.unknown = truth.unknown;
}

static NOINLINE void compute_conditional(struct run *run, struct debug_row *row, uint64_t lanes)
{
    const struct debug_truth *truth = decide(run, row->operands[0], lanes);
    const uint64_t unknown = truth->unknown | truth->open;
    const uint64_t of[] = {lanes & truth->holds, lanes & ~(truth->holds | unknown)};
    begin_values(row);
    row->truth.unknown = unknown;
    for (uint32_t i = 0; i < 2; i++) {
        struct debug_row *operand = row->operands[1 + i];
        struct debug_truth its = {0};
        if (of[i] == 0)
            continue;
        take(run, operand, of[i], &its);
        row->truth.unknown |= of[i] & its.unknown;
        run->failed |= (of[i] & its.open) != 0; /* it knows single bits */
        if (of[1 - i] == 0) {
            row->values = operand->values;
            row->count = operand->count;
            continue;
        }
        FOR_EACH_LANE(lane, of[i])
            put(row, (uint32_t)lane, get(operand, (uint32_t)lane));
    }
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
    case DEBUG_ROW_CONDITIONAL:
        compute_conditional(run, row, lanes);
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

/* Does it hold for none, of a variable that is the same for all? Mostly that is so, and all that is
 * asked. */
static inline bool is_excluded(const struct debug_filter *filter, const struct vm_vector *vector)
{
    bool uniform;
    if (!filter->variable || !filter->fixed->known)
        return false;
    const vm_row row =
        vm_plan_find(&filter->run.lane.session->debugger.vm, filter->variable->home, &uniform);
    return uniform && debug_lanes_compare(filter->row->op, filter->row->operands[0]->lanes_kind,
                                          vector->units + (size_t)row * VM_UNIT_SIZE,
                                          filter->fixed->values, 1) == 0;
}

static NOINLINE uint64_t find_lanes(struct debug_filter *filter, struct vm_vector *vector,
                                    uint64_t lanes, bool *exact)
{
    struct run *run = &filter->run;
    *exact = false;
    if (filter->kind == FILTER_NONE)
        return lanes;
    run->vector = run->lane.vector = vector;
    run->failed = false;
    const bool is_row = filter->kind == FILTER_ROW;
    const uint64_t found =
        is_row ? decide(run, filter->row, lanes)->holds & lanes : candidates(filter, run, lanes);
    *exact = is_row && !run->failed;
    return run->failed ? lanes : found;
}

uint64_t debug_filter_lanes(struct debug_filter *filter, struct vm_vector *vector, uint64_t lanes,
                            bool *exact)
{
    *exact = true;
    return is_excluded(filter, vector) ? 0 : find_lanes(filter, vector, lanes, exact);
}
