#include "reference/vm/undefined_rows.h"
#include "reference/vm/bits.h"
#include "reference/vm/machine.h"
#include "reference/vm/shape.h"

struct vm_undefined_row {
    bool uniform; /* index 0 stands for all lanes */
    uint64_t bits[VM_LANES];
    struct vm_origin births[VM_LANES];
};

static const struct vm_origin unknown_birth = {.site = UINT32_MAX};

static struct vm_origin birth_here(const struct vm_vector *vector, const struct vm_instruction *in)
{
    return (struct vm_origin){.site = vm_site(vector, in)};
}

/* NULL: nothing is known. */
static struct vm_undefined_row *row_of(const struct vm_vector *vector, vm_row row)
{
    return vector->undefined_rows ? vector->undefined_rows[row] : NULL;
}

uint64_t vm_undefined_bits(const struct vm_vector *vector, vm_row row, uint32_t lane,
                           uint32_t width)
{
    const struct vm_undefined_row *known = row_of(vector, row);
    if (!(vector->undefined[row] >> lane & 1))
        return 0;
    if (width == 0)
        return 1;
    return known ? known->bits[known->uniform ? 0 : lane] : bits_low(width * 8);
}

static bool has_whole_byte(uint64_t bits)
{
    bool whole = false;
    for (uint32_t i = 0; i < 8; i++)
        whole |= (bits >> 8 * i & 0xFF) == 0xFF;
    return whole;
}

uint64_t vm_undefined_lanes(const struct vm_vector *vector, vm_row row, uint32_t width,
                            uint64_t mask)
{
    uint64_t lanes = mask & vector->undefined[row];
    FOR_EACH_LANE(lane, lanes) {
        const uint64_t bits = vm_undefined_bits(vector, row, lane, width);
        if (bits != bits_low(width * 8) && has_whole_byte(bits))
            lanes &= ~(UINT64_C(1) << lane);
    }
    return lanes;
}

struct vm_origin vm_undefined_birth(const struct vm_vector *vector, vm_row row, uint32_t lane)
{
    const struct vm_undefined_row *known = row_of(vector, row);
    return known ? known->births[known->uniform ? 0 : lane] : unknown_birth;
}

/* The row's, made if need be; NULL when memory is out. */
static struct vm_undefined_row *row_get(struct vm_vector *vector, vm_row row)
{
    struct vm_undefined_row *known = row_of(vector, row);
    if (known || !vector->undefined_rows)
        return known;
    known = arena_alloc(&vector->run->undefined_rows, 1, sizeof *known);
    vector->undefined_rows[row] = known;
    return known;
}

void vm_undefined_put(struct vm_vector *vector, vm_row row, bool uniform, uint32_t lane,
                      uint64_t bits, struct vm_origin birth)
{
    struct vm_undefined_row *known = row_get(vector, row);
    if (!known)
        return;
    if (known->uniform && !uniform) {
        for (uint32_t i = 1; i < VM_LANES; i++) {
            known->bits[i] = known->bits[0];
            known->births[i] = known->births[0];
        }
    }
    known->uniform = uniform;
    known->bits[uniform ? 0 : lane] = bits;
    known->births[uniform ? 0 : lane] = birth;
}

void vm_undefined_whole(struct vm_vector *vector, vm_row row, uint32_t width, uint64_t mask,
                        vm_row from, const struct vm_instruction *in)
{
    FOR_EACH_LANE(lane, mask) {
        vm_undefined_put(vector, row, false, lane, bits_low(width * 8),
                         from ? vm_undefined_birth(vector, from, lane) : birth_here(vector, in));
    }
    vector->undefined[row] = mask;
}

void vm_undefined_begin(struct vm_vector *vector, vm_row row, bool uniform, uint64_t mask,
                        const struct vm_instruction *in)
{
    FOR_EACH_LANE(lane, uniform ? 1 : mask)
        vm_undefined_put(vector, row, uniform, lane, bits_low(in->width * 8u),
                         birth_here(vector, in));
}

/* ---- what ops make of undefined bits ---- */

enum rule {
    RULE_WHOLE, /* any undefined bit makes all undefined */
    RULE_MOVE,
    RULE_ZERO_EXTEND,
    RULE_SIGN_EXTEND,
    RULE_TRUNCATE,
    RULE_AND,
    RULE_OR,
    RULE_XOR,
    RULE_ADD,
    RULE_SUBTRACT,
    RULE_MULTIPLY,
    RULE_INDEX, /* a + b * c, c an immediate */
    RULE_NEGATE,
    RULE_SWAP, /* the order of bytes */
    RULE_SHIFT_LEFT,
    RULE_SHIFT_RIGHT,
    RULE_SHIFT_SIGNED,
    RULE_EQUAL,
    RULE_LESS,
    RULE_LESS_OR_EQUAL,
    RULE_LESS_SIGNED,
    RULE_LESS_OR_EQUAL_SIGNED,
    RULE_SELECT,
};

static const uint8_t rules[VM_OP_COUNT] = {
#define BOTH(name, rule) [VM_OP_##name] = rule, [VM_OP_##name##_u] = rule
#define INT(W)                                                                                     \
    BOTH(iadd_##W, RULE_ADD), BOTH(isub_##W, RULE_SUBTRACT), BOTH(imul_##W, RULE_MULTIPLY),        \
        BOTH(ineg_##W, RULE_NEGATE), BOTH(iand_##W, RULE_AND), BOTH(ior_##W, RULE_OR),             \
        BOTH(ixor_##W, RULE_XOR), BOTH(inot_##W, RULE_MOVE), BOTH(shl_##W, RULE_SHIFT_LEFT),       \
        BOTH(lshr_##W, RULE_SHIFT_RIGHT), BOTH(ashr_##W, RULE_SHIFT_SIGNED),                       \
        BOTH(ieq_##W, RULE_EQUAL), BOTH(ine_##W, RULE_EQUAL), BOTH(ult_##W, RULE_LESS),            \
        BOTH(ule_##W, RULE_LESS_OR_EQUAL), BOTH(slt_##W, RULE_LESS_SIGNED),                        \
        BOTH(sle_##W, RULE_LESS_OR_EQUAL_SIGNED),                                                  \
        [VM_OP_splat_##W] = RULE_MOVE, [VM_OP_mov_##W] = RULE_MOVE, [VM_OP_set_##W] = RULE_MOVE,   \
        [VM_OP_select_##W] = RULE_SELECT
    INT(8),
    INT(16),
    INT(32),
    INT(64),
#undef INT
#define EXTEND(from, to)                                                                           \
    BOTH(zext_##from##_##to, RULE_ZERO_EXTEND), BOTH(sext_##from##_##to, RULE_SIGN_EXTEND),        \
        BOTH(trunc_##to##_##from, RULE_TRUNCATE)
    EXTEND(8, 16),
    EXTEND(8, 32),
    EXTEND(8, 64),
    EXTEND(16, 32),
    EXTEND(16, 64),
    EXTEND(32, 64),
#undef EXTEND
    BOTH(smul24, RULE_MULTIPLY),
    BOTH(umul24, RULE_MULTIPLY),
    BOTH(index_64, RULE_INDEX),
    BOTH(swap_16, RULE_SWAP),
    BOTH(swap_32, RULE_SWAP),
    BOTH(swap_64, RULE_SWAP),
    [VM_OP_mov_u] = RULE_MOVE,
    [VM_OP_select_u] = RULE_SELECT,
    [VM_OP_mov_mask] = RULE_MOVE,
    [VM_OP_set_mask] = RULE_MOVE,
    [VM_OP_mask_and] = RULE_AND,
    [VM_OP_mask_or] = RULE_OR,
    [VM_OP_mask_xor] = RULE_XOR,
    [VM_OP_mask_not] = RULE_MOVE,
    [VM_OP_mask_select] = RULE_SELECT,
};

/* From the lowest set bit up. */
static uint64_t upward(uint64_t bits)
{
    return bits | (0 - bits);
}

/* Sums of the least and of the greatest values differ where a carry may. */
static uint64_t add_bits(struct vm_partial a, struct vm_partial b)
{
    const uint64_t least = (a.value & ~a.undefined) + (b.value & ~b.undefined);
    const uint64_t greatest = (a.value | a.undefined) + (b.value | b.undefined);
    return a.undefined | b.undefined | (least ^ greatest);
}

static uint64_t subtract_bits(struct vm_partial a, struct vm_partial b)
{
    const uint64_t least = (a.value & ~a.undefined) - (b.value | b.undefined);
    const uint64_t greatest = (a.value | a.undefined) - (b.value & ~b.undefined);
    return a.undefined | b.undefined | (least ^ greatest);
}

static uint64_t shifted(uint64_t bits, uint32_t count)
{
    return count < 64 ? bits << count : 0;
}

static uint32_t low_zeros(uint64_t value)
{
    return value ? (uint32_t)__builtin_ctzll(value) : 64;
}

/* An undefined part of a is a multiple of its lowest bit, and so is its product with b of both
 * lowest bits; below that nothing is undefined. */
static uint64_t multiply_bits(struct vm_partial a, struct vm_partial b)
{
    const uint32_t from_a = low_zeros(a.undefined) + low_zeros(b.value | b.undefined);
    const uint32_t from_b = low_zeros(b.undefined) + low_zeros(a.value | a.undefined);
    const uint32_t lowest = from_a < from_b ? from_a : from_b;
    return shifted(~UINT64_C(0), lowest);
}

/* Is a < b, or <=, the same whatever the undefined bits are? */
static bool less_decided(struct vm_partial a, struct vm_partial b, bool or_equal)
{
    const uint64_t a_least = a.value & ~a.undefined;
    const uint64_t a_greatest = a.value | a.undefined;
    const uint64_t b_least = b.value & ~b.undefined;
    const uint64_t b_greatest = b.value | b.undefined;
    if (or_equal)
        return a_greatest <= b_least || a_least > b_greatest;
    return a_greatest < b_least || a_least >= b_greatest;
}

static struct vm_partial flip_sign(struct vm_partial a, uint32_t width)
{
    const uint64_t sign = UINT64_C(1) << (width * 8 - 1);
    return (struct vm_partial){.value = a.value ^ sign, .undefined = a.undefined};
}

static uint64_t sign_extended(uint64_t bits, uint32_t width)
{
    const uint32_t spare = 64 - 8 * width;
    return (uint64_t)((int64_t)(bits << spare) >> spare);
}

static uint64_t select_bits(struct vm_partial a, struct vm_partial b, struct vm_partial c)
{
    if (c.undefined)
        return a.undefined | b.undefined | (a.value ^ b.value);
    return c.value ? a.undefined : b.undefined;
}

/* The undefined bits of the result; those above its width do not count. */
static uint64_t apply(const struct vm_instruction *in, const struct vm_partial p[3])
{
    const struct vm_partial a = p[0];
    const struct vm_partial b = p[1];
    const uint64_t any = a.undefined | b.undefined | p[2].undefined;
    const uint32_t width = vm_op_form((enum vm_op)in->op)->operands[VM_OPERAND_A].width;
    const uint32_t count = (uint32_t)b.value & (8 * width - 1);
    switch ((enum rule)rules[in->op]) {
    case RULE_MOVE:
    case RULE_TRUNCATE:
    case RULE_ZERO_EXTEND:
        return a.undefined;
    case RULE_SIGN_EXTEND:
        return sign_extended(a.undefined, width);
    case RULE_AND:
        return any & (a.value | a.undefined) & (b.value | b.undefined);
    case RULE_OR:
        return any & (~a.value | a.undefined) & (~b.value | b.undefined);
    case RULE_XOR:
        return any;
    case RULE_ADD:
        return add_bits(a, b);
    case RULE_SUBTRACT:
        return subtract_bits(a, b);
    case RULE_MULTIPLY:
        return multiply_bits(a, b);
    case RULE_INDEX: {
        const struct vm_partial scale = {.value = (uint64_t)(int64_t)(int32_t)in->c};
        return add_bits(a, (struct vm_partial){.value = b.value * scale.value,
                                               .undefined = multiply_bits(b, scale)});
    }
    case RULE_NEGATE:
        return upward(a.undefined);
    case RULE_SWAP:
        return __builtin_bswap64(a.undefined) >> (64 - 8 * width);
    case RULE_SHIFT_LEFT:
        return b.undefined ? ~UINT64_C(0) : a.undefined << count;
    case RULE_SHIFT_RIGHT:
        return b.undefined ? ~UINT64_C(0) : a.undefined >> count;
    case RULE_SHIFT_SIGNED:
        return b.undefined ? ~UINT64_C(0)
                           : (uint64_t)((int64_t)sign_extended(a.undefined, width) >> count);
    case RULE_EQUAL:
        return ((a.value ^ b.value) & ~any) == 0;
    case RULE_LESS:
        return !less_decided(a, b, false);
    case RULE_LESS_OR_EQUAL:
        return !less_decided(a, b, true);
    case RULE_LESS_SIGNED:
        return !less_decided(flip_sign(a, width), flip_sign(b, width), false);
    case RULE_LESS_OR_EQUAL_SIGNED:
        return !less_decided(flip_sign(a, width), flip_sign(b, width), true);
    case RULE_SELECT:
        return select_bits(a, b, p[2]);
    case RULE_WHOLE:
        break;
    }
    return any ? ~UINT64_C(0) : 0;
}

uint64_t vm_undefined_binary(enum vm_op op, struct vm_partial a, struct vm_partial b)
{
    const struct vm_instruction in = {.op = (uint16_t)op};
    return apply(&in, (const struct vm_partial[3]){a, b});
}

/* ---- an op on rows ---- */

static struct vm_partial operand_get(const struct vm_vector *vector, vm_row row, uint32_t width,
                                     bool uniform, uint32_t lane)
{
    const uint8_t *unit = vm_unit(vector, row);
    const uint32_t element = uniform ? 0 : lane;
    if (width == 0)
        return (struct vm_partial){.value = lane_get(unit, 8) >> lane & 1,
                                   .undefined = vector->undefined[row] >> lane & 1};
    return (struct vm_partial){.value = lane_get(unit + (size_t)element * width, width),
                               .undefined = vm_undefined_bits(vector, row, lane, width)};
}

static bool is_uniform(const struct vm_op_form *form, enum vm_operand_index operand)
{
    return form->uniform || form->operands[operand].uniform;
}

/* Of a, b and c, those that are rows come first. */
static uint32_t row_count(const struct vm_op_form *form)
{
    uint32_t count = 0;
    while (count < 3 && form->operands[VM_OPERAND_A + count].kind == VM_OPERAND_ROW)
        count++;
    return count;
}

/* The lanes that the op leaves undefined; they are put down in the row that it gives. */
static uint64_t lanes_left(struct vm_vector *vector, const struct vm_instruction *in,
                           const struct vm_op_form *form, uint64_t some)
{
    const vm_row rows[3] = {in->a, in->b, in->c};
    const bool uniform = is_uniform(form, VM_OPERAND_DST);
    const uint32_t width = form->operands[VM_OPERAND_DST].width;
    uint64_t undefined = 0;
    FOR_EACH_LANE(lane, some & (uniform ? 1 : vector->active)) {
        struct vm_partial p[3] = {{0}};
        struct vm_origin birth = unknown_birth;
        for (uint32_t i = row_count(form); i-- > 0;) {
            p[i] = operand_get(vector, rows[i], form->operands[VM_OPERAND_A + i].width,
                               is_uniform(form, VM_OPERAND_A + i), lane);
            if (p[i].undefined)
                birth = vm_undefined_birth(vector, rows[i], lane);
        }
        const uint64_t bits = apply(in, p) & bits_low(width ? width * 8 : 1);
        if (!bits)
            continue;
        undefined |= UINT64_C(1) << lane;
        vm_undefined_put(vector, in->dst, uniform, lane, bits, birth);
    }
    if (uniform)
        return undefined ? ~UINT64_C(0) : 0;
    return undefined |
           (form->traits & VM_PARTLY ? vector->undefined[in->dst] & ~vector->active : 0);
}

void vm_undefined_op(struct vm_vector *vector, const struct vm_instruction *in,
                     void (*function)(struct vm_vector *vector, const struct vm_instruction *in))
{
    const struct vm_op_form *form = vm_op_form((enum vm_op)in->op);
    const uint32_t count = row_count(form);
    const vm_row rows[3] = {in->a, in->b, in->c};
    uint64_t kept[3];
    uint64_t some = 0;
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = vector->undefined[rows[i]];
        some |= kept[i];
    }
    const uint64_t left = lanes_left(vector, in, form, some);
    for (uint32_t i = 0; i < count; i++)
        vector->undefined[rows[i]] = 0;
    vector->undefined[in->dst] = 0;
    function(vector, in);
    for (uint32_t i = 0; i < count; i++)
        vector->undefined[rows[i]] = kept[i];
    vector->undefined[in->dst] = left;
}

void vm_undefined_open(struct vm_vector *vector, const struct vm_instruction *in, uint64_t mask)
{
    const struct vm_op_form *form = vm_op_form((enum vm_op)in->op);
    const bool uniform = is_uniform(form, VM_OPERAND_DST);
    const uint64_t bits = bits_low(form->operands[VM_OPERAND_DST].width * 8u);
    FOR_EACH_LANE(lane, uniform ? 1 : mask)
        vm_undefined_put(vector, in->dst, uniform, lane, bits, birth_here(vector, in));
    vector->undefined[in->dst] |= uniform ? ~UINT64_C(0) : mask;
}

/* ---- components by a computed index ---- */

/* Copies what is undefined of a lane's element to another row; returns whether anything is. */
static bool carry(struct vm_vector *vector, vm_row from, vm_row to, uint32_t lane, uint32_t width)
{
    const uint64_t bits = vm_undefined_bits(vector, from, lane, width);
    if (bits)
        vm_undefined_put(vector, to, false, lane, bits, vm_undefined_birth(vector, from, lane));
    return bits != 0;
}

/* Where the index is undefined, or names no component. */
static void begin_by_index(struct vm_vector *vector, const struct vm_instruction *in, vm_row row,
                           vm_row index, uint32_t lane)
{
    const bool undefined = vector->undefined[index] >> lane & 1;
    vm_undefined_put(vector, row, false, lane, bits_low(in->width * 8u),
                     undefined ? vm_undefined_birth(vector, index, lane) : birth_here(vector, in));
}

/* The index is out of range, which has been told: what is read is 0, and nothing is written. */
static bool index_told(const struct vm_vector *vector, const struct vm_instruction *in,
                       vm_row index, uint32_t lane)
{
    return in->aux && !(vector->undefined[index] >> lane & 1);
}

void vm_undefined_extract(struct vm_vector *vector, const struct vm_instruction *in)
{
    uint64_t undefined = 0;
    FOR_EACH_LANE(lane, vector->active) {
        const uint32_t component = ROW(u32, in->b)[lane];
        const bool reached = component < in->count && !(vector->undefined[in->b] >> lane & 1);
        if (!reached && index_told(vector, in, in->b, lane))
            continue;
        if (!reached)
            begin_by_index(vector, in, in->dst, in->b, lane);
        if (!reached || carry(vector, in->a + component * in->width, in->dst, lane, in->width))
            undefined |= UINT64_C(1) << lane;
    }
    vector->undefined[in->dst] = undefined;
}

void vm_undefined_insert(struct vm_vector *vector, const struct vm_instruction *in,
                         uint32_t component)
{
    const vm_row to = in->dst + component * in->width;
    const vm_row from = in->a + component * in->width;
    uint64_t undefined = 0;
    FOR_EACH_LANE(lane, vector->active) {
        const uint32_t index = ROW(u32, in->c)[lane];
        const bool reached = (index < in->count && !(vector->undefined[in->c] >> lane & 1)) ||
                             index_told(vector, in, in->c, lane);
        if (!reached)
            begin_by_index(vector, in, to, in->c, lane);
        if (!reached || carry(vector, index == component ? in->b : from, to, lane, in->width))
            undefined |= UINT64_C(1) << lane;
    }
    vector->undefined[to] = undefined;
}
