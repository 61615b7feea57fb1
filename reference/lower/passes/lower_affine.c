#include "reference/lower/passes/lower_affine.h"
#include "reference/lower/passes/lower_form.h"

#include <string.h>

enum { TERMS_MAX = 8 };

/* ---- terms ---- */

struct building {
    struct apart_term terms[TERMS_MAX];
    uint32_t count;
    int64_t offset;
    bool failed;
};

static int compare_factors(const struct apart_factor *a, const struct apart_factor *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (int)a->is_signed - (int)b->is_signed;
}

/* But for the scale. */
static int compare_terms(const struct apart_term *a, const struct apart_term *b)
{
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->dimension != b->dimension)
        return a->dimension < b->dimension ? -1 : 1;
    if (a->factor_count != b->factor_count)
        return a->factor_count < b->factor_count ? -1 : 1;
    int order = 0;
    for (uint32_t f = 0; f < a->factor_count && order == 0; f++)
        order = compare_factors(&a->factors[f], &b->factors[f]);
    return order;
}

static void remove_term(struct building *building, uint32_t index)
{
    building->count--;
    memmove(&building->terms[index], &building->terms[index + 1],
            (building->count - index) * sizeof building->terms[0]);
}

static void merge_term(struct building *building, uint32_t index, int64_t scale)
{
    int64_t *to = &building->terms[index].scale;
    if (__builtin_add_overflow(*to, scale, to))
        building->failed = true;
    if (*to == 0)
        remove_term(building, index);
}

static void add_term(struct building *building, const struct apart_term *term, int64_t factor)
{
    struct apart_term made = *term;
    uint32_t at = 0;
    building->failed |= __builtin_mul_overflow(made.scale, factor, &made.scale);
    if (building->failed || made.scale == 0)
        return;
    if (made.id == AFFINE_ONE && made.factor_count == 0) {
        building->failed |= __builtin_add_overflow(building->offset, made.scale, &building->offset);
        return;
    }
    while (at < building->count && compare_terms(&building->terms[at], &made) < 0)
        at++;
    if (at < building->count && compare_terms(&building->terms[at], &made) == 0) {
        merge_term(building, at, made.scale);
        return;
    }
    building->failed |= building->count == TERMS_MAX;
    if (building->failed)
        return;
    memmove(&building->terms[at + 1], &building->terms[at],
            (building->count - at) * sizeof building->terms[0]);
    building->terms[at] = made;
    building->count++;
}

static struct affine build(struct lower *lower, const struct building *building,
                           struct affine affine)
{
    affine.known &= !building->failed;
    if (!affine.known || building->count == 0)
        return affine;
    struct apart_term *terms = lower_alloc(lower, building->count, sizeof *terms);
    if (terms != NULL)
        memcpy(terms, building->terms, building->count * sizeof *terms);
    affine.terms = terms;
    affine.term_count = terms != NULL ? building->count : 0;
    return affine;
}

bool affine_same_terms(const struct affine *a, const struct affine *b)
{
    bool same = a->known && b->known && a->root == b->root && a->term_count == b->term_count;
    for (uint32_t t = 0; t < a->term_count && same; t++)
        same = compare_terms(&a->terms[t], &b->terms[t]) == 0 &&
               a->terms[t].scale == b->terms[t].scale;
    return same;
}

/* ---- what is no result ---- */

uint32_t affine_root(const struct lower *lower, const struct ir_value *value)
{
    if (value->kind == IR_VARIABLE)
        return affine_root_of_variable(lower, value->index);
    if (value->kind == IR_GLOBAL)
        return affine_root_of_program(lower);
    if (value->kind != IR_PARAMETER)
        return 0;
    switch (lower->code->parameters[value->index].kind) {
    case VM_PARAMETER_GLOBAL:
    case VM_PARAMETER_CONSTANT:
    case VM_PARAMETER_LOCAL:
        return affine_root_of_parameter(value->index);
    default:
        return 0;
    }
}

/* The sum of the id in each dimension times the sizes of those before it. */
static void add_linear_id(struct building *building, enum apart_id id, enum apart_factor_kind size)
{
    struct apart_term term = {.id = id, .scale = 1};
    for (uint32_t d = 0; d < 3; d++) {
        term.dimension = d;
        term.factor_count = d;
        if (d > 0)
            term.factors[d - 1] = (struct apart_factor){.kind = size, .number = d - 1};
        add_term(building, &term, 1);
    }
}

static bool add_query(struct building *building, const struct ir_value *query)
{
    static const struct {
        bool is_id;
        uint32_t what; /* enum apart_id or apart_factor_kind, + 1 */
    } rows[VM_QUERY_COUNT] = {
        [VM_QUERY_GLOBAL_ID] = {true, APART_GLOBAL_ID + 1},
        [VM_QUERY_LOCAL_ID] = {true, APART_LOCAL_ID + 1},
        [VM_QUERY_GROUP_ID] = {true, APART_GROUP_ID + 1},
        [VM_QUERY_GLOBAL_SIZE] = {false, APART_GLOBAL_SIZE + 1},
        [VM_QUERY_LOCAL_SIZE] = {false, APART_LOCAL_SIZE + 1},
        [VM_QUERY_ENQUEUED_LOCAL_SIZE] = {false, APART_LOCAL_SIZE + 1},
        [VM_QUERY_GROUP_COUNT] = {false, APART_GROUP_COUNT + 1},
    };
    const uint32_t dimension = (uint32_t)query->bits;
    struct apart_term term = {.id = AFFINE_ONE, .scale = 1};
    if (query->index == VM_QUERY_GLOBAL_LINEAR_ID) {
        add_linear_id(building, APART_GLOBAL_PLACE, APART_GLOBAL_SIZE);
    } else if (query->index == VM_QUERY_LOCAL_LINEAR_ID) {
        add_linear_id(building, APART_LOCAL_ID, APART_LOCAL_SIZE);
    } else if (query->index >= VM_QUERY_COUNT || rows[query->index].what == 0 || dimension > 2) {
        return false;
    } else if (rows[query->index].is_id) {
        term.id = rows[query->index].what - 1;
        term.dimension = dimension;
        add_term(building, &term, 1);
    } else {
        term.factors[term.factor_count++] =
            (struct apart_factor){.kind = rows[query->index].what - 1, .number = dimension};
        add_term(building, &term, 1);
    }
    return true;
}

static struct affine affine_of_leaf(struct lower *lower, const struct ir_value *value)
{
    struct affine affine = {.bits = 64, .root = affine_root(lower, value)};
    struct building building = {.count = 0};
    affine.known = affine.root != 0;
    if (value->kind == IR_VARIABLE || value->kind == IR_GLOBAL) {
        affine.offset = (int64_t)value->bits;
    } else if (value->kind == IR_CONSTANT && value->width != 0) {
        affine.known = true;
        affine.offset = ir_signed_bits(value);
    } else if (value->kind == IR_QUERY) {
        affine.known = add_query(&building, value);
    } else if (value->kind == IR_PARAMETER && affine.root == 0) {
        const struct vm_parameter *parameter = &lower->code->parameters[value->index];
        const struct apart_term term = {
            .id = AFFINE_ONE,
            .scale = 1,
            .factors = {{.kind = APART_ARGUMENT, .number = value->index}},
            .factor_count = 1};
        affine.known = parameter->kind == VM_PARAMETER_VALUE && parameter->count == 1 &&
                       parameter->width != 0 && parameter->width == value->width;
        add_term(&building, &term, 1);
    }
    return build(lower, &building, affine);
}

struct affine affine_of(struct lower *lower, const struct affine *forms, uint32_t value)
{
    const struct ir_value found = lower->values[ir_same(lower, value)];
    return found.kind == IR_RESULT ? forms[ir_same(lower, value)] : affine_of_leaf(lower, &found);
}

/* ---- arithmetic ---- */

static bool is_constant(const struct affine *affine)
{
    return affine->known && affine->root == 0 && affine->bits == 64 && affine->term_count == 0;
}

/* A number that is known modulo 2^bits is so modulo more when it is multiplied. */
static uint8_t scaled_bits(uint8_t bits, int64_t factor)
{
    const int more = factor == 0 ? 64 : __builtin_ctzll((uint64_t)factor);
    return bits + more > 64 ? 64 : (uint8_t)(bits + more);
}

/* a + b * factor */
static struct affine sum(struct lower *lower, const struct affine *a, const struct affine *b,
                         int64_t factor)
{
    const uint8_t bits = scaled_bits(b->bits, factor);
    struct affine sum = {.bits = a->bits < bits ? a->bits : bits, .root = a->root + b->root};
    struct building building = {.count = 0};
    int64_t offset;
    sum.known = a->known && b->known && (b->root == 0 || (a->root == 0 && factor == 1)) &&
                !__builtin_mul_overflow(b->offset, factor, &offset) &&
                !__builtin_add_overflow(offset, a->offset, &sum.offset);
    if (!sum.known)
        return sum;
    for (uint32_t t = 0; t < a->term_count; t++)
        add_term(&building, &a->terms[t], 1);
    for (uint32_t t = 0; t < b->term_count; t++)
        add_term(&building, &b->terms[t], factor);
    return build(lower, &building, sum);
}

/* a and b, or the constant where the index is after the last term. */
static struct apart_term term_at(const struct affine *affine, uint32_t index)
{
    return index < affine->term_count
               ? affine->terms[index]
               : (struct apart_term){.id = AFFINE_ONE, .scale = affine->offset};
}

static void add_product(struct building *building, const struct apart_term *a,
                        const struct apart_term *b)
{
    struct apart_term made = a->id == AFFINE_ONE ? *b : *a;
    const struct apart_term *other = a->id == AFFINE_ONE ? a : b;
    if (a->scale == 0 || b->scale == 0)
        return;
    building->failed |=
        other->id != AFFINE_ONE || made.factor_count + other->factor_count > APART_FACTORS;
    if (building->failed)
        return;
    for (uint32_t f = 0; f < other->factor_count; f++)
        made.factors[made.factor_count++] = other->factors[f];
    if (made.factor_count == 2 && compare_factors(&made.factors[0], &made.factors[1]) > 0) {
        const struct apart_factor first = made.factors[0];
        made.factors[0] = made.factors[1];
        made.factors[1] = first;
    }
    add_term(building, &made, other->scale);
}

static struct affine product(struct lower *lower, const struct affine *a, const struct affine *b)
{
    static const struct affine zero = {.known = true, .bits = 64};
    struct affine product = {.bits = a->bits < b->bits ? a->bits : b->bits};
    struct building building = {.count = 0};
    if (is_constant(b))
        return sum(lower, &zero, a, b->offset);
    if (is_constant(a))
        return sum(lower, &zero, b, a->offset);
    product.known = a->known && b->known && a->root == 0 && b->root == 0;
    if (!product.known)
        return product;
    for (uint32_t i = 0; i <= a->term_count; i++) {
        for (uint32_t j = 0; j <= b->term_count; j++) {
            const struct apart_term first = term_at(a, i);
            const struct apart_term second = term_at(b, j);
            add_product(&building, &first, &second);
        }
    }
    product.offset = building.offset;
    return build(lower, &building, product);
}

/* Of its lowest bits alone something is known. */
static struct affine lowest(struct affine affine, uint32_t bits)
{
    affine.known &= affine.root == 0;
    affine.bits = affine.bits < bits ? affine.bits : (uint8_t)bits;
    return affine;
}

/* The width of an argument that the value is, and nothing else; 0 = it is none. */
static uint32_t argument_width(const struct lower *lower, const struct affine *affine)
{
    const struct apart_term *term = affine->terms;
    const bool is_one = affine->known && affine->root == 0 && affine->offset == 0 &&
                        affine->bits == 64 && affine->term_count == 1 && term->id == AFFINE_ONE &&
                        term->scale == 1 && term->factor_count == 1 &&
                        term->factors[0].kind == APART_ARGUMENT;
    return is_one ? lower->code->parameters[term->factors[0].number].width : 0;
}

/* An argument has a sign once it is widened with it. */
static struct affine widened(struct lower *lower, const struct affine *affine, uint32_t width,
                             bool is_signed)
{
    const uint32_t own = argument_width(lower, affine);
    if (own != 0 && own < width && (is_signed || !affine->terms[0].factors[0].is_signed))
        return *affine;
    if (own != width)
        return lowest(*affine, 8 * width);
    struct building building = {.terms = {affine->terms[0]}, .count = 1};
    building.terms[0].factors[0].is_signed = is_signed;
    return build(lower, &building, *affine);
}

/* ---- results ---- */

/* By a constant: as in lower_form.c. */
static struct affine of_select(struct lower *lower, const struct affine *forms,
                               const uint32_t *operands)
{
    const struct ir_value *condition = &lower->values[ir_same(lower, operands[2])];
    if (condition->kind != IR_CONSTANT)
        return (struct affine){0};
    return affine_of(lower, forms, operands[condition->bits == 0]);
}

/* With a mask of the lowest bits. */
static struct affine of_and(const struct affine *a, const struct affine *b)
{
    const uint64_t mask = (uint64_t)b->offset;
    if (!is_constant(b) || b->offset <= 0 || (mask & (mask + 1)) != 0)
        return (struct affine){0};
    return lowest(*a, (uint32_t)(64 - __builtin_clzll(mask)));
}

/* What is left of a division by a power of two. */
static struct affine of_remainder(const struct affine *a, const struct affine *b)
{
    const uint64_t by = (uint64_t)b->offset;
    if (!is_constant(b) || b->offset < 2 || (by & (by - 1)) != 0)
        return (struct affine){0};
    return lowest(*a, (uint32_t)__builtin_ctzll(by));
}

/* Of a constant below what all else is a multiple of. */
static struct affine of_or(struct lower *lower, const struct affine *a, const struct affine *b)
{
    uint64_t all = (uint64_t)a->offset;
    for (uint32_t t = 0; t < a->term_count; t++)
        all |= (uint64_t)a->terms[t].scale;
    if (!is_constant(b) || b->offset < 0 || a->root != 0 || all == 0 ||
        (uint64_t)b->offset >= (all & (0 - all)) || (uint64_t)b->offset >> (a->bits - 1) != 0)
        return (struct affine){0};
    return sum(lower, a, b, 1);
}

static struct affine of_shift(struct lower *lower, const struct affine *a, const struct affine *b,
                              uint32_t width)
{
    static const struct affine zero = {.known = true, .bits = 64};
    if (!is_constant(b) || width == 0)
        return (struct affine){0};
    const uint32_t by = (uint32_t)b->offset & (8 * width - 1);
    return by < 63 ? sum(lower, &zero, a, INT64_C(1) << by) : (struct affine){0};
}

static struct affine of_24_bits(struct lower *lower, const struct affine *a, const struct affine *b)
{
    const struct affine first = lowest(*a, 24);
    const struct affine second = lowest(*b, 24);
    return product(lower, &first, &second);
}

static struct affine of_result(struct lower *lower, const struct affine *forms,
                               const struct ir_instruction *instruction)
{
    static const struct affine zero = {.known = true, .bits = 64};
    static const struct affine unknown;
    const uint32_t *operands = &lower->operands[instruction->operand];
    const struct affine a =
        instruction->operand_count > 0 ? affine_of(lower, forms, operands[0]) : unknown;
    const struct affine b =
        instruction->operand_count > 1 ? affine_of(lower, forms, operands[1]) : unknown;
    const uint32_t width =
        instruction->operand_count > 0 ? lower->values[ir_same(lower, operands[0])].width : 0;
    switch (instruction->op) {
    case VM_OP_index_64:
        return sum(lower, &a, &b, (int64_t)instruction->size);
    case IR_CASES(iadd):
        return sum(lower, &a, &b, 1);
    case IR_CASES(isub):
        return sum(lower, &a, &b, -1);
    case IR_CASES(ineg):
        return sum(lower, &zero, &a, -1);
    case IR_CASES(imul):
        return product(lower, &a, &b);
    case IR_CASES(shl):
        return of_shift(lower, &a, &b, width);
    case IR_CASES(iand):
        return is_constant(&b) ? of_and(&a, &b) : of_and(&b, &a);
    case IR_CASES(umod):
    case IR_CASES(srem):
    case IR_CASES(smod):
        return of_remainder(&a, &b);
    case IR_CASES(ior):
        return is_constant(&b) ? of_or(lower, &a, &b) : of_or(lower, &b, &a);
    case VM_OP_smul24:
    case VM_OP_umul24:
        return of_24_bits(lower, &a, &b);
    case IR_CASES(select):
        return of_select(lower, forms, operands);
    case IR_WIDENINGS(zext):
        return widened(lower, &a, width, false);
    case IR_WIDENINGS(sext):
        return widened(lower, &a, width, true);
    case VM_OP_own_64:
    case IR_NARROWINGS:
        return a;
    default:
        return unknown;
    }
}

struct affine *lower_affine_forms(struct lower *lower)
{
    struct affine *forms = lower_alloc(lower, lower->value_count, sizeof *forms);
    for (struct ir_walk walk = {0}; forms != NULL && ir_walk_next(lower, &walk);) {
        if (walk.instruction->result_count == 1)
            forms[walk.instruction->result] = of_result(lower, forms, walk.instruction);
    }
    return forms;
}
