/* Every row of ops.def in each machine against the row's expression on one lane at a time, and what
 * the expressions mean against arithmetic written otherwise. */
#include "reference/vm/convert.h"
#include "reference/vm/exec.h"
#include "reference/vm/lane.h"
#include "reference/vm/math.h"
#include "reference/vm/undefined_rows.h"
#include "tests/unit/vm/single.h"
#include "trace/base/half.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

/* ---- one lane ---- */

union value {
    u8 u8;
    u16 u16;
    u32 u32;
    u64 u64;
    s8 s8;
    s16 s16;
    s32 s32;
    s64 s64;
    u16 f16;
    f32 f32;
    f64 f64;
};

typedef union value lane_function(union value x, union value y, union value z);

/* clang-format off */
#define NAN_u8(v) (v)
#define NAN_u16(v) (v)
#define NAN_u32(v) (v)
#define NAN_u64(v) (v)
#define NAN_s8(v) (v)
#define NAN_s16(v) (v)
#define NAN_s32(v) (v)
#define NAN_s64(v) (v)
#define NAN_f16(v) half_from_float(v)
#define NAN_f32(v) (isnan(v) ? nanf("") : (v))
#define NAN_f64(v) (isnan(v) ? nan("") : (v))

#define IN_u8(v) (v)
#define IN_u16(v) (v)
#define IN_u32(v) (v)
#define IN_u64(v) (v)
#define IN_s8(v) (v)
#define IN_s16(v) (v)
#define IN_s32(v) (v)
#define IN_s64(v) (v)
#define IN_f16(v) half_to_float(v)
#define IN_f32(v) (v)
#define IN_f64(v) (v)

#define LANE3(name, D, A, B, C, expression)                                                                 \
    static union value lane_##name(union value x, union value y, union value z)                             \
    {                                                                                                       \
        const A a = IN_##A(x.A); const B b = IN_##B(y.B); const C c = IN_##C(z.C);                                           \
        (void)a; (void)b; (void)c;                                                                          \
        const D d = expression;                                                                             \
        return (union value){.D = NAN_##D(d)};                                                              \
    }
#define OP1(name, D, A, expression) LANE3(name, D, A, u8, u8, expression)
#define OP2(name, D, A, B, expression) LANE3(name, D, A, B, u8, expression)
#define OP3(name, D, A, B, C, expression) LANE3(name, D, A, B, C, expression)
#define OPEN1(name, D, A, cause, defined, expression) OP1(name, D, A, expression) LANE3(defined_##name, u8, A, u8, u8, (defined) ? 1 : 0)
#define OPEN2(name, D, A, B, cause, defined, expression) OP2(name, D, A, B, expression) LANE3(defined_##name, u8, A, B, u8, (defined) ? 1 : 0)
#define OPEN3(name, D, A, B, C, cause, defined, expression) OP3(name, D, A, B, C, expression) LANE3(defined_##name, u8, A, B, C, (defined) ? 1 : 0)
#define CMP1(name, A, expression) LANE3(name, u8, A, u8, u8, (expression) ? 1 : 0)
#define CMP2(name, A, B, expression) LANE3(name, u8, A, B, u8, (expression) ? 1 : 0)
#define SPECIAL(...)
#include "reference/vm/ops.def"

static const struct op_case {
    enum vm_op op;
    uint8_t sizes[4];
    lane_function *lane, *defined; /* NULL: always */
} op_cases[] = {
#define CASE(name, dst, a, b, c, defined)                                                                   \
    {VM_OP_##name, {SIZE_##dst, SIZE_##a, SIZE_##b, SIZE_##c}, lane_##name, defined},
#define OP1(name, dst, a, expression) CASE(name, dst, a, none, none, NULL)
#define OP2(name, dst, a, b, expression) CASE(name, dst, a, b, none, NULL)
#define OP3(name, dst, a, b, c, expression) CASE(name, dst, a, b, c, NULL)
#define OPEN1(name, dst, a, cause, defined, expression) CASE(name, dst, a, none, none, lane_defined_##name)
#define OPEN2(name, dst, a, b, cause, defined, expression) CASE(name, dst, a, b, none, lane_defined_##name)
#define OPEN3(name, dst, a, b, c, cause, defined, expression) CASE(name, dst, a, b, c, lane_defined_##name)
#define SPECIAL(...)
#include "reference/vm/ops.def"
};
/* clang-format on */
enum { OP_CASE_COUNT = sizeof op_cases / sizeof op_cases[0] };

static uint64_t random_state = 1;
static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Floating-point numbers of -2^7 to 2^7 instead of edge values; a quarter of them whole. */
static bool moderate_values;

static uint64_t moderate_value(uint32_t size)
{
    const double power = ldexp(1.0, (int)(random_bits() % 12) - 4);
    const double value = ((double)(random_bits() % 0x1000001) / 0x800000 - 1.0) * power;
    const float number = (float)(random_bits() % 4 == 0 ? rint(value) : value);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return size == 2 ? half_from_float(number) : bits;
}

/* Values at which operations differ from what one expects, as integers and as floating point. */
static uint64_t edge_value(uint32_t size)
{
    static const float floats[] = {0.0F, -0.0F,    1.0F,   -1.0F,     0.5F,     1.5F,
                                   2.5F, 1e30F,    1e-45F, 1e38F,     INFINITY, -INFINITY,
                                   NAN,  3.14159F, -7.0F,  8388609.0F};
    static const double doubles[] = {
        0.0,    -0.0,  1.0,      -1.0,      0.5, 1.5,     2.5,  1e300,
        5e-324, 1e308, INFINITY, -INFINITY, NAN, 3.14159, -7.0, 4503599627370497.0};
    const uint64_t pick = random_bits() % 40;
    uint64_t bits = 0;
    if (pick < 12) {
        static const uint64_t integers[] = {0, 1, 2, 3, 7, 31, 32, 63, 64, 0x7F, 0x80, 0xFF};
        return integers[pick];
    }
    if (pick < 18) {
        const uint64_t sign = UINT64_C(1) << (size * 8 - 1);
        const uint64_t integers[] = {sign,         sign - 1,     sign + 1,
                                     ~UINT64_C(0), ~UINT64_C(1), sign >> 1};
        return integers[pick - 12];
    }
    if (pick < 34 && size == 2) {
        static const uint16_t halves[] = {0,      0x8000, 0x3c00, 0xbc00, 0x3800, 0x3e00,
                                          0x4100, 0x7bff, 1,      0x0400, 0x7c00, 0xfc00,
                                          0x7e00, 0x4248, 0xc700, 0x03ff};
        return halves[pick - 18];
    }
    if (pick < 34 && size == 4) {
        memcpy(&bits, &floats[pick - 18], 4);
        return bits;
    }
    if (pick < 34 && size == 8) {
        memcpy(&bits, &doubles[pick - 18], 8);
        return bits;
    }
    return random_bits();
}

static const uint64_t masks[] = {~UINT64_C(0),
                                 1,
                                 UINT64_C(0x8000000000000000),
                                 UINT64_C(0x5555555555555555),
                                 UINT64_C(0x00000000FFFFFFFF),
                                 UINT64_C(0x123456789ABCDEF0)};
enum { MASK_COUNT = sizeof masks / sizeof masks[0] };

static uint32_t row_units(uint32_t size, bool uniform)
{
    return size == SIZE_mask || uniform ? 1 : size;
}

struct operand_rows {
    vm_row rows[4];
};

static void fill_operands(struct single *single, const struct op_case *op, bool uniform,
                          bool undefined, struct operand_rows *operands)
{
    for (uint32_t i = 0; i < 4; i++) {
        if (op->sizes[i] == SIZE_none)
            continue;
        operands->rows[i] = as_row(&single->as, row_units(op->sizes[i], uniform), 1);
        for (uint32_t lane = 0; lane < VM_LANES && i > 0; lane++) {
            const uint64_t value =
                moderate_values ? moderate_value(op->sizes[i]) : edge_value(op->sizes[i]);
            if (!uniform || lane == 0)
                memcpy(single_row(single, operands->rows[i]) + lane * op->sizes[i], &value,
                       op->sizes[i]);
        }
        const uint64_t mask = undefined ? random_bits() : 0;
        single->undefined[operands->rows[i]] = uniform ? 0 - (mask & 1) : mask;
    }
}

static union value operand_at(struct single *single, const struct op_case *op,
                              const struct operand_rows *operands, uint32_t index, uint32_t lane)
{
    union value value = {.u64 = 0};
    if (op->sizes[index] != SIZE_none)
        memcpy(&value, single_row(single, operands->rows[index]) + lane * op->sizes[index],
               op->sizes[index]);
    return value;
}

/* Whether a lane is undefined, as far as that can be seen from outside: no if its operands are
 * defined and the result is not left open, yes if another value of those that are not gives another
 * result; else it may be either.
 */
enum { DEFINED, UNDEFINED, EITHER };

static int lane_undefined(struct single *single, const struct op_case *op,
                          const struct operand_rows *operands, uint32_t lane)
{
    const union value want = op->lane(operand_at(single, op, operands, 1, lane),
                                      operand_at(single, op, operands, 2, lane),
                                      operand_at(single, op, operands, 3, lane));
    const uint32_t size = op->sizes[0] == SIZE_mask ? 1 : op->sizes[0];
    bool any = false;
    for (uint32_t i = 1; i < 4; i++)
        any |= op->sizes[i] != SIZE_none && single->undefined[operands->rows[i]] >> lane & 1;
    if (!any && op->defined &&
        !op->defined(operand_at(single, op, operands, 1, lane),
                     operand_at(single, op, operands, 2, lane),
                     operand_at(single, op, operands, 3, lane))
             .u8)
        return UNDEFINED;
    for (uint32_t trial = 0; trial < 8 && any; trial++) {
        union value other[4];
        for (uint32_t i = 1; i < 4; i++) {
            other[i] = operand_at(single, op, operands, i, lane);
            if (op->sizes[i] != SIZE_none && single->undefined[operands->rows[i]] >> lane & 1)
                other[i] = (union value){.u64 = random_bits()};
        }
        const union value got = op->lane(other[1], other[2], other[3]);
        if (memcmp(&got, &want, size) != 0)
            return UNDEFINED;
    }
    return any ? EITHER : DEFINED;
}

static void check_op(const struct op_case *op, bool uniform, uint64_t mask, bool undefined)
{
    static struct single single;
    struct operand_rows operands = {{0}};
    uint64_t want_mask = 0;
    uint64_t want_undefined[3] = {0};
    union value want[VM_LANES];
    single_init(&single);
    fill_operands(&single, op, uniform, undefined, &operands);
    const uint32_t lanes = uniform ? 1 : VM_LANES;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        want[lane] = op->lane(operand_at(&single, op, &operands, 1, lane),
                              operand_at(&single, op, &operands, 2, lane),
                              operand_at(&single, op, &operands, 3, lane));
        want_mask |= (uint64_t)(want[lane].u8 & 1) << lane;
        want_undefined[lane_undefined(&single, op, &operands, lane)] |= UINT64_C(1) << lane;
    }
    single_execute(&single,
                   (struct vm_instruction){.op = (uint16_t)(op->op + (uniform ? 1 : 0)),
                                           .dst = operands.rows[0],
                                           .a = operands.rows[1],
                                           .b = operands.rows[2],
                                           .c = operands.rows[3]},
                   mask);
    const uint8_t *got = single_row(&single, operands.rows[0]);
    uint64_t got_mask;
    memcpy(&got_mask, got, sizeof got_mask);
    if (uniform) {
        want_mask = 0 - want_mask;
        mask = 1;
    }
    if (op->sizes[0] == SIZE_mask && (got_mask ^ want_mask) & mask)
        fail_msg("%s: mask %llx, not %llx", vm_op_name(op->op), (unsigned long long)got_mask,
                 (unsigned long long)want_mask);
    for (uint32_t lane = 0; lane < lanes && op->sizes[0] != SIZE_mask; lane++) {
        if (mask >> lane & 1 && memcmp(got + lane * op->sizes[0], &want[lane], op->sizes[0]) != 0)
            fail_msg("%s: lane %u differs", vm_op_name(op->op), lane);
    }
    const uint64_t got_undefined = single.undefined[operands.rows[0]];
    if (((got_undefined & want_undefined[DEFINED]) | (~got_undefined & want_undefined[UNDEFINED])) &
        mask)
        fail_msg("%s: undefined in %llx, not %llx", vm_op_name(op->op),
                 (unsigned long long)got_undefined, (unsigned long long)want_undefined[UNDEFINED]);
}

/* The ops that approximate, where most operands of programs lie. */
static void approximations_give_what_the_expression_does(void **state)
{
    (void)state;
    static const enum vm_op ops[] = {
#define NEAR_OP(name) VM_OP_##name##_f16, VM_OP_##name##_f32
        NEAR_OP(cos),  NEAR_OP(exp),   NEAR_OP(exp2), NEAR_OP(log), NEAR_OP(pow),
        NEAR_OP(powr), NEAR_OP(rsqrt), NEAR_OP(sin),  NEAR_OP(tan)};
    for (size_t machine = 0; vm_machine_name(machine); machine++) {
        if (!vm_machine_select(vm_machine_name(machine)))
            continue;
        moderate_values = true;
        for (size_t i = 0; i < OP_CASE_COUNT; i++) {
            bool near = false;
            for (size_t k = 0; k < sizeof ops / sizeof ops[0]; k++)
                near |= op_cases[i].op == ops[k];
            for (uint32_t round = 0; near && round < 100; round++)
                check_op(&op_cases[i], false, masks[round % MASK_COUNT], false);
        }
        moderate_values = false;
    }
    assert_true(vm_machine_select("base"));
}

static void every_op_gives_its_expression_in_every_machine(void **state)
{
    (void)state;
    for (size_t machine = 0; vm_machine_name(machine); machine++) {
        if (!vm_machine_select(vm_machine_name(machine)))
            continue;
        for (size_t i = 0; i < OP_CASE_COUNT; i++) {
            for (uint32_t round = 0; round < MASK_COUNT; round++) {
                check_op(&op_cases[i], false, masks[round], round % 2);
                check_op(&op_cases[i], true, masks[round], round % 2);
            }
        }
    }
    assert_true(vm_machine_select("base"));
}

/* ---- what the expressions mean ---- */

static uint64_t scalar(enum vm_op op, uint32_t dst_size, uint32_t size, uint64_t a, uint64_t b)
{
    static struct single single;
    single_init(&single);
    const vm_row dst = as_unit(&single.as);
    const vm_row row_a = as_unit(&single.as);
    const vm_row row_b = as_unit(&single.as);
    memcpy(single_row(&single, row_a), &a, size);
    memcpy(single_row(&single, row_b), &b, size);
    single_execute(&single,
                   (struct vm_instruction){.op = (uint16_t)op, .dst = dst, .a = row_a, .b = row_b},
                   1);
    uint64_t result = 0;
    memcpy(&result, single_row(&single, dst), dst_size ? dst_size : 8);
    return result;
}

static int64_t sign_extend(uint64_t value, uint32_t bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static void check_integers(uint32_t bits, const enum vm_op ops[12])
{
    const uint64_t low = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    const uint32_t size = bits / 8;
    for (uint32_t round = 0; round < 2000; round++) {
        const uint64_t a = edge_value(size) & low;
        const uint64_t b = edge_value(size) & low;
        const __int128 sa = sign_extend(a, bits);
        const __int128 sb = sign_extend(b, bits);
        const uint64_t wants[] = {
            (uint64_t)(sa + sb) & low,
            (uint64_t)(sa - sb) & low,
            (uint64_t)((unsigned __int128)a * b) & low,
            b ? a / b : 0,
            b ? a % b : 0,
            b ? (uint64_t)(sa / sb) & low : 0,
            b ? (uint64_t)(sa % sb) & low : 0,
            /* the result of a modulo has the sign of the divisor: OpSMod */
            b ? (uint64_t)(((sa % sb) + sb) % sb) & low : 0,
            a << b % bits & low,
            a >> b % bits,
            (uint64_t)(sa >> b % bits) & low,
            (uint64_t)-sa & low,
        };
        for (uint32_t i = 0; i < 12; i++) {
            const uint64_t got = scalar(ops[i], size, size, a, b);
            if (got != wants[i])
                fail_msg("%s(%llx, %llx) = %llx, not %llx", vm_op_name(ops[i]),
                         (unsigned long long)a, (unsigned long long)b, (unsigned long long)got,
                         (unsigned long long)wants[i]);
        }
    }
}

static void integer_ops_wrap_and_divide_as_documented(void **state)
{
    (void)state;
#define INTEGER_OPS(W)                                                                             \
    VM_OP_iadd_##W##_u, VM_OP_isub_##W##_u, VM_OP_imul_##W##_u, VM_OP_udiv_##W##_u,                \
        VM_OP_umod_##W##_u, VM_OP_sdiv_##W##_u, VM_OP_srem_##W##_u, VM_OP_smod_##W##_u,            \
        VM_OP_shl_##W##_u, VM_OP_lshr_##W##_u, VM_OP_ashr_##W##_u, VM_OP_ineg_##W##_u
    check_integers(8, (const enum vm_op[]){INTEGER_OPS(8)});
    check_integers(16, (const enum vm_op[]){INTEGER_OPS(16)});
    check_integers(32, (const enum vm_op[]){INTEGER_OPS(32)});
    check_integers(64, (const enum vm_op[]){INTEGER_OPS(64)});
}

static uint64_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void nan_results_are_canonical(void **state)
{
    (void)state;
    const uint64_t infinity = bits_of(INFINITY);
    assert_int_equal(scalar(VM_OP_fsub_f32_u, 4, 4, infinity, infinity), 0x7FC00000);
    assert_int_equal(scalar(VM_OP_fadd_f32_u, 4, 4, 0xFFC12345, bits_of(1)), 0x7FC00000);
    assert_int_equal(scalar(VM_OP_fadd_f32_u, 4, 4, bits_of(1), 0x7F800001), 0x7FC00000);
    assert_int_equal(scalar(VM_OP_fdiv_f32_u, 4, 4, 0, 0), 0x7FC00000);
    assert_int_equal(
        scalar(VM_OP_fsub_f64_u, 8, 8, UINT64_C(0x7FF0000000000000), UINT64_C(0x7FF0000000000000)),
        UINT64_C(0x7FF8000000000000));
}

static void comparisons_with_nan_are_ordered_or_not(void **state)
{
    (void)state;
    static const struct {
        enum vm_op op;
        bool with_nan, less, equal, greater;
    } cases[] = {
        {VM_OP_foeq_f32_u, false, false, true, false},
        {VM_OP_fone_f32_u, false, true, false, true},
        {VM_OP_folt_f32_u, false, true, false, false},
        {VM_OP_fole_f32_u, false, true, true, false},
        {VM_OP_fueq_f32_u, true, false, true, false},
        {VM_OP_fune_f32_u, true, true, false, true},
        {VM_OP_fult_f32_u, true, true, false, false},
        {VM_OP_fule_f32_u, true, true, true, false},
        {VM_OP_ford_f32_u, false, true, true, true},
        {VM_OP_funo_f32_u, true, false, false, false},
    };
    const uint64_t nan_bits = bits_of(NAN);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const enum vm_op op = cases[i].op;
        assert_int_equal(scalar(op, 0, 4, nan_bits, bits_of(1)) & 1, cases[i].with_nan);
        assert_int_equal(scalar(op, 0, 4, bits_of(1), nan_bits) & 1, cases[i].with_nan);
        assert_int_equal(scalar(op, 0, 4, bits_of(1), bits_of(2)) & 1, cases[i].less);
        assert_int_equal(scalar(op, 0, 4, bits_of(0), bits_of(-0.0F)) & 1, cases[i].equal);
        assert_int_equal(scalar(op, 0, 4, bits_of(2), bits_of(1)) & 1, cases[i].greater);
    }
}

/* ---- undefined bits ---- */

/* All values of two bytes whose undefined bits are `undefined`: the bits of the op's result that
 * differ among them. */
static uint64_t bits_that_differ(const struct op_case *op, const struct vm_partial p[2])
{
    uint64_t ones = 0;
    uint64_t zeros = 0;
    uint64_t a = 0;
    do {
        uint64_t b = 0;
        do {
            const union value none = {.u64 = 0};
            const union value got =
                op->lane((union value){.u64 = (p[0].value & ~p[0].undefined) | a},
                         (union value){.u64 = (p[1].value & ~p[1].undefined) | b}, none);
            ones |= got.u8;
            zeros |= (uint8_t)~got.u8;
            b = (b - p[1].undefined) & p[1].undefined;
        } while (b != 0);
        a = (a - p[0].undefined) & p[0].undefined;
    } while (a != 0);
    return ones & zeros;
}

/* Never fewer bits than can differ; and no more, for the ops whose rule is exact. */
static void undefined_bits_are_those_that_matter(void **state)
{
    (void)state;
    static const enum vm_op exact[] = {VM_OP_iand_8, VM_OP_ior_8, VM_OP_ixor_8, VM_OP_iadd_8,
                                       VM_OP_isub_8, VM_OP_ult_8, VM_OP_ule_8,  VM_OP_slt_8,
                                       VM_OP_sle_8,  VM_OP_ieq_8, VM_OP_ine_8};
    for (size_t i = 0; i < OP_CASE_COUNT; i++) {
        const struct op_case *op = &op_cases[i];
        bool is_exact = false;
        if (op->sizes[1] != 1 || op->sizes[2] != 1 || op->sizes[3] != SIZE_none)
            continue;
        for (size_t k = 0; k < sizeof exact / sizeof exact[0]; k++)
            is_exact |= exact[k] == op->op;
        for (uint32_t trial = 0; trial < 300; trial++) {
            struct vm_partial p[2];
            for (uint32_t k = 0; k < 2; k++)
                p[k] = (struct vm_partial){.value = random_bits() & 0xFF,
                                           .undefined = random_bits() & random_bits() & 0xFF};
            const uint64_t width = op->sizes[0] == SIZE_mask ? 1 : 0xFF;
            const uint64_t got = vm_undefined_binary(op->op, p[0], p[1]) & width;
            const uint64_t want = bits_that_differ(op, p) & width;
            if (want & ~got || (is_exact && got != want))
                fail_msg("%s of %llx (%llx undefined) and %llx (%llx): %llx undefined, not %llx",
                         vm_op_name(op->op), (unsigned long long)p[0].value,
                         (unsigned long long)p[0].undefined, (unsigned long long)p[1].value,
                         (unsigned long long)p[1].undefined, (unsigned long long)got,
                         (unsigned long long)want);
        }
    }
}

/* A bit-field is written by and-ing and or-ing into a word that nobody defined. */
static void a_defined_operand_that_decides_is_defined(void **state)
{
    (void)state;
    static struct single single;
    static const uint32_t masks_kept[] = {0, 0xFFFFFF00};
    for (uint32_t i = 0; i < 2; i++) {
        single_init(&single);
        const vm_row word = as_row(&single.as, 4, 1);
        const vm_row kept = as_row(&single.as, 4, 1);
        const vm_row dst = as_row(&single.as, 4, 1);
        single.undefined[word] = ~UINT64_C(0);
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            memcpy(single_row(&single, kept) + 4 * lane, &masks_kept[i], 4);
        single_execute(
            &single, (struct vm_instruction){.op = VM_OP_iand_32, .dst = dst, .a = word, .b = kept},
            7);
        assert_int_equal(single.undefined[dst], i == 0 ? 0 : 7);
    }
}

/* ---- named ops ---- */

static void set_and_select_touch_the_lanes_they_should(void **state)
{
    (void)state;
    static struct single single;
    static const struct {
        enum vm_op set, select, splat, mov;
        uint32_t width;
    } cases[] = {{VM_OP_set_8, VM_OP_select_8, VM_OP_splat_8, VM_OP_mov_8, 1},
                 {VM_OP_set_16, VM_OP_select_16, VM_OP_splat_16, VM_OP_mov_16, 2},
                 {VM_OP_set_32, VM_OP_select_32, VM_OP_splat_32, VM_OP_mov_32, 4},
                 {VM_OP_set_64, VM_OP_select_64, VM_OP_splat_64, VM_OP_mov_64, 8}};
    for (uint32_t i = 0; i < 4 * MASK_COUNT; i++) {
        const uint32_t width = cases[i / MASK_COUNT].width;
        const uint64_t mask = masks[i % MASK_COUNT];
        single_init(&single);
        const vm_row a = as_row(&single.as, width, 1);
        const vm_row b = as_row(&single.as, width, 1);
        const vm_row c = as_unit(&single.as);
        const vm_row u = as_unit(&single.as);
        const vm_row set = as_row(&single.as, width, 1);
        const vm_row select = as_row(&single.as, width, 1);
        const vm_row splat = as_row(&single.as, width, 1);
        const vm_row mov = as_row(&single.as, width, 1);
        for (uint32_t byte = 0; byte < width * VM_LANES; byte++) {
            single_row(&single, a)[byte] = (uint8_t)random_bits();
            single_row(&single, b)[byte] = (uint8_t)random_bits();
            single_row(&single, set)[byte] = 0xEE;
        }
        const uint64_t choice = random_bits();
        const uint64_t value = random_bits();
        memcpy(single_row(&single, c), &choice, 8);
        memcpy(single_row(&single, u), &value, 8);
        single.undefined[a] = random_bits();
        single.undefined[b] = random_bits();
        single.undefined[c] = random_bits() & random_bits();
        single.undefined[set] = UINT64_C(0x00FF00FF00FF00FF);
        as_block(&single.as);
        as_op(&single.as, cases[i / MASK_COUNT].set, set, a, 0, 0);
        as_op(&single.as, cases[i / MASK_COUNT].select, select, a, b, c);
        as_op(&single.as, cases[i / MASK_COUNT].splat, splat, u, 0, 0);
        as_op(&single.as, cases[i / MASK_COUNT].mov, mov, a, 0, 0);
        as_return(&single.as);
        single_run(&single, mask);
        const uint8_t untouched[8] = {0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE};
        for (uint32_t lane = 0; lane < VM_LANES; lane++) {
            const uint32_t at = lane * width;
            const bool active = mask >> lane & 1;
            assert_memory_equal(single_row(&single, set) + at,
                                active ? single_row(&single, a) + at : untouched, width);
            assert_memory_equal(single_row(&single, select) + at,
                                single_row(&single, choice >> lane & 1 ? a : b) + at, width);
            assert_memory_equal(single_row(&single, splat) + at, &value, width);
        }
        assert_memory_equal(single_row(&single, mov), single_row(&single, a), width * VM_LANES);
        assert_int_equal(single.undefined[set],
                         (single.undefined[a] & mask) | (UINT64_C(0x00FF00FF00FF00FF) & ~mask));
        uint64_t chosen = (single.undefined[a] & choice) | (single.undefined[b] & ~choice);
        for (uint32_t lane = 0; lane < VM_LANES; lane++) { /* or it does not matter which is */
            if (memcmp(single_row(&single, a) + lane * width, single_row(&single, b) + lane * width,
                       width) != 0 ||
                (single.undefined[a] | single.undefined[b]) >> lane & 1)
                chosen |= single.undefined[c] & UINT64_C(1) << lane;
        }
        assert_int_equal(single.undefined[select], chosen & mask);
    }
}

static void masks_know_the_operand_that_decides(void **state)
{
    (void)state;
    /* For each of a, b in {0, 1, undefined 0, undefined 1}: lane 4 * a + b. */
    const uint64_t a_value = 0xF0F0;
    const uint64_t a_undefined = 0xFF00;
    const uint64_t b_value = 0xAAAA;
    const uint64_t b_undefined = 0xCCCC;
    static struct single single;
    single_init(&single);
    const vm_row a = as_unit(&single.as);
    const vm_row b = as_unit(&single.as);
    const vm_row conjunction = as_unit(&single.as);
    const vm_row disjunction = as_unit(&single.as);
    const vm_row exclusive = as_unit(&single.as);
    const vm_row negation = as_unit(&single.as);
    memcpy(single_row(&single, a), &a_value, 8);
    memcpy(single_row(&single, b), &b_value, 8);
    single.undefined[a] = a_undefined;
    single.undefined[b] = b_undefined;
    as_block(&single.as);
    as_op(&single.as, VM_OP_mask_and, conjunction, a, b, 0);
    as_op(&single.as, VM_OP_mask_or, disjunction, a, b, 0);
    as_op(&single.as, VM_OP_mask_xor, exclusive, a, b, 0);
    as_op(&single.as, VM_OP_mask_not, negation, a, 0, 0);
    as_return(&single.as);
    single_run(&single, 0xFFFF);
    uint64_t got[4];
    for (uint32_t i = 0; i < 4; i++)
        memcpy(&got[i], single_row(&single, conjunction + i), 8);
    assert_int_equal(got[0], a_value & b_value);
    assert_int_equal(got[1], a_value | b_value);
    assert_int_equal(got[2], a_value ^ b_value);
    assert_int_equal(got[3], ~a_value);
    uint64_t want_and = 0;
    uint64_t want_or = 0;
    for (uint32_t lane = 0; lane < 16; lane++) {
        const uint64_t bit = UINT64_C(1) << lane;
        const bool known_a = !(a_undefined & bit);
        const bool known_b = !(b_undefined & bit);
        const bool zero = (known_a && !(a_value & bit)) || (known_b && !(b_value & bit));
        const bool one = (known_a && a_value & bit) || (known_b && b_value & bit);
        if (!(known_a && known_b) && !zero)
            want_and |= bit;
        if (!(known_a && known_b) && !one)
            want_or |= bit;
    }
    assert_int_equal(single.undefined[conjunction], want_and);
    assert_int_equal(single.undefined[disjunction], want_or);
    assert_int_equal(single.undefined[exclusive], a_undefined | b_undefined);
    assert_int_equal(single.undefined[negation], a_undefined);
}

static void extract_and_insert_take_the_component_of_each_lane(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 8; width *= 2) {
        static struct single single;
        single_init(&single);
        const vm_row rows = as_row(&single.as, width, 4);
        const vm_row index = as_row(&single.as, 4, 1);
        const vm_row value = as_row(&single.as, width, 1);
        const vm_row extracted = as_row(&single.as, width, 1);
        const vm_row inserted = as_row(&single.as, width, 4);
        uint32_t indices[VM_LANES];
        for (uint32_t byte = 0; byte < width * 4 * VM_LANES; byte++)
            single_row(&single, rows)[byte] = (uint8_t)random_bits();
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            indices[lane] = lane % 5; /* 4 is out of range */
        memcpy(single_row(&single, index), indices, sizeof indices);
        memset(single_row(&single, value), 0x5A, width * VM_LANES);
        single.undefined[rows + 2 * width] = ~UINT64_C(0);
        as_block(&single.as);
        as_emit(&single.as, (struct vm_instruction){.op = VM_OP_extract,
                                                    .width = (uint8_t)width,
                                                    .count = 4,
                                                    .dst = extracted,
                                                    .a = rows,
                                                    .b = index});
        as_emit(&single.as, (struct vm_instruction){.op = VM_OP_insert,
                                                    .width = (uint8_t)width,
                                                    .count = 4,
                                                    .dst = inserted,
                                                    .a = rows,
                                                    .b = value,
                                                    .c = index});
        as_return(&single.as);
        single_run(&single, ~UINT64_C(0));
        for (uint32_t lane = 0; lane < VM_LANES; lane++) {
            const uint64_t bit = UINT64_C(1) << lane;
            const uint32_t i = indices[lane];
            assert_int_equal(single.undefined[extracted] & bit, i == 4 || i == 2 ? bit : 0);
            if (i < 4)
                assert_memory_equal(single_row(&single, extracted) + lane * width,
                                    single_row(&single, rows + i * width) + lane * width, width);
            for (uint32_t k = 0; k < 4; k++) {
                const vm_row row = inserted + k * width;
                assert_int_equal(single.undefined[row] & bit,
                                 i == 4 || (k == 2 && i != 2) ? bit : 0);
                assert_memory_equal(
                    single_row(&single, row) + lane * width,
                    single_row(&single, k == i ? value : rows + k * width) + lane * width, width);
            }
        }
    }
}

static void undefine_is_zero_in_active_lanes_only(void **state)
{
    (void)state;
    static struct single single;
    single_init(&single);
    const vm_row rows = as_row(&single.as, 4, 2);
    const vm_row mask = as_unit(&single.as);
    const vm_row uniform = as_unit(&single.as);
    memset(single_row(&single, rows), 0xFF, 10 * VM_UNIT_SIZE);
    as_block(&single.as);
    as_emit(&single.as,
            (struct vm_instruction){.op = VM_OP_undefine, .width = 4, .count = 2, .dst = rows});
    as_emit(&single.as, (struct vm_instruction){.op = VM_OP_undefine, .dst = mask});
    as_emit(&single.as,
            (struct vm_instruction){
                .op = VM_OP_undefine, .width = 8, .count = 1, .dst = uniform, .aux = 1});
    as_return(&single.as);
    single_run(&single, 0xF0);
    uint32_t got[VM_LANES];
    memcpy(got, single_row(&single, rows + 4), sizeof got);
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        assert_int_equal(got[lane], lane >= 4 && lane < 8 ? 0 : UINT32_MAX);
    assert_int_equal(single.undefined[rows], 0xF0);
    assert_int_equal(single.undefined[rows + 4], 0xF0);
    assert_int_equal(single.undefined[mask], 0xF0);
    assert_int_equal(single.undefined[uniform], ~UINT64_C(0));
}

static void index_adds_signed_multiples(void **state)
{
    (void)state;
    static struct single single;
    single_init(&single);
    const vm_row base = as_row(&single.as, 8, 1);
    const vm_row index = as_row(&single.as, 8, 1);
    const vm_row dst = as_row(&single.as, 8, 1);
    uint64_t bases[VM_LANES];
    int64_t indices[VM_LANES];
    uint64_t got[VM_LANES];
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        bases[lane] = random_bits();
        indices[lane] = (int64_t)lane - 32;
    }
    memcpy(single_row(&single, base), bases, sizeof bases);
    memcpy(single_row(&single, index), indices, sizeof indices);
    single_execute(&single,
                   (struct vm_instruction){
                       .op = VM_OP_index_64, .dst = dst, .a = base, .b = index, .c = (uint32_t)-12},
                   1);
    memcpy(got, single_row(&single, dst), sizeof got);
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        assert_int_equal(got[lane], bases[lane] + (uint64_t)(indices[lane] * -12));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_gives_its_expression_in_every_machine),
        cmocka_unit_test(approximations_give_what_the_expression_does),
        cmocka_unit_test(integer_ops_wrap_and_divide_as_documented),
        cmocka_unit_test(nan_results_are_canonical),
        cmocka_unit_test(comparisons_with_nan_are_ordered_or_not),
        cmocka_unit_test(undefined_bits_are_those_that_matter),
        cmocka_unit_test(a_defined_operand_that_decides_is_defined),
        cmocka_unit_test(set_and_select_touch_the_lanes_they_should),
        cmocka_unit_test(masks_know_the_operand_that_decides),
        cmocka_unit_test(extract_and_insert_take_the_component_of_each_lane),
        cmocka_unit_test(undefine_is_zero_in_active_lanes_only),
        cmocka_unit_test(index_adds_signed_multiples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
