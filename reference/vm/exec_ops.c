/* The ops that work on rows alone: a loop over the lanes for each row of ops.def, and the named ops
 * on rows and masks. Compiled for each instruction set. */
#include "reference/vm/convert.h"
#include "reference/vm/machine.h"
#include "reference/vm/math.h"
#include "reference/vm/near.h"
#include "reference/vm/near64_atan.h"
#include "reference/vm/near64_erf.h"
#include "reference/vm/near64_exp.h"
#include "reference/vm/near64_log.h"
#include "reference/vm/near64_root.h"
#include "reference/vm/near64_sin.h"
#include "reference/vm/near64_sinh.h"
#include "reference/vm/pipe.h"
#include "reference/vm/undefined_rows.h"

#include "trace/base/assert.h"
#include "trace/base/half.h"

#include <string.h>

/* clang-format off */

/* A float result that is a NaN is the canonical one (code.h). */
static inline f32 canonical_f32(f32 value) { return value == value ? value : __builtin_nanf(""); }
static inline f64 canonical_f64(f64 value) { return value == value ? value : __builtin_nan(""); }
#define CANONICAL_u8(value) (value)
#define CANONICAL_u16(value) (value)
#define CANONICAL_u32(value) (value)
#define CANONICAL_u64(value) (value)
#define CANONICAL_s8(value) (value)
#define CANONICAL_s16(value) (value)
#define CANONICAL_s32(value) (value)
#define CANONICAL_s64(value) (value)
#define CANONICAL_f16(value) half_from_float(value)
#define CANONICAL_f32(value) canonical_f32(value)
#define CANONICAL_f64(value) canonical_f64(value)

/* An element of a row as the type that expressions compute with. */
#define VALUE_u8(element) (element)
#define VALUE_u16(element) (element)
#define VALUE_u32(element) (element)
#define VALUE_u64(element) (element)
#define VALUE_s8(element) (element)
#define VALUE_s16(element) (element)
#define VALUE_s32(element) (element)
#define VALUE_s64(element) (element)
#define VALUE_f16(element) half_to_float(element)
#define VALUE_f32(element) (element)
#define VALUE_f64(element) (element)

/* Truth values are as wide as what is compared: no narrowing but the packing into a mask. */
#define TRUTH_u8 8
#define TRUTH_u16 16
#define TRUTH_u32 32
#define TRUTH_u64 64
#define TRUTH_s8 8
#define TRUTH_s16 16
#define TRUTH_s32 32
#define TRUTH_s64 64
#define TRUTH_f16 16
#define TRUTH_f32 32
#define TRUTH_f64 64
#define TRUTH_TYPE_(W) u##W
#define TRUTH_TYPE(W) TRUTH_TYPE_(W)
#define TRUTH_PACK_(W) lanes_pack_##W
#define TRUTH_PACK(W) TRUTH_PACK_(W)

#define OP_FUNCTION(name) static void op_##name(struct vm_vector *vector, const struct vm_instruction *in)
#define UNDEFINED(row) vector->undefined[row]
/* With an undefined operand, vm_undefined_op calls the op anew, between seeing what it finds and saying what
 * it leaves: so that in the frequent case nothing is called. An affine op leaves that to its varying form. */
#define SEEMS_UNDEFINED(mask) __builtin_expect((mask) != 0, 0)
#define CALL_UNDEFINED(name) vm_undefined_op(vector, in, name)

/* The operands of ops that have n of them, whose types stand in parentheses: their rows, their values in one
 * lane, and which lanes of them are undefined. */
#define ROWS_1(A) const row_##A *row_a = ROW(A, in->a);
#define ROWS_2(A, B) ROWS_1(A) const row_##B *row_b = ROW(B, in->b);
#define ROWS_3(A, B, C) ROWS_2(A, B) const row_##C *row_c = ROW(C, in->c);
#define VALUES_1(A) const A a = VALUE_##A(row_a[lane]);
#define VALUES_2(A, B) VALUES_1(A) const B b = VALUE_##B(row_b[lane]);
#define VALUES_3(A, B, C) VALUES_2(A, B) const C c = VALUE_##C(row_c[lane]);
#define UNDEFINED_1 UNDEFINED(in->a)
#define UNDEFINED_2 UNDEFINED_1 | UNDEFINED(in->b)
#define UNDEFINED_3 UNDEFINED_2 | UNDEFINED(in->c)

/* Applies the expression to each lane of the loop. */
#define BODY(n, D, types, expression, LOOP, self)                                                           \
    row_##D *dst = ROW(D, in->dst);                                                                         \
    ROWS_##n types                                                                                          \
    if (SEEMS_UNDEFINED(UNDEFINED_##n)) {                                                                   \
        vm_undefined_op(vector, in, self);                                                                  \
        return;                                                                                             \
    }                                                                                                       \
    UNDEFINED(in->dst) = 0;                                                                                 \
    LOOP { VALUES_##n types dst[lane] = CANONICAL_##D(expression); }

#define ALL_LANES FOR_LANES(lane)
#define ONE_LANE for (uint32_t lane = 0; lane < 1; lane++)
#define ACTIVE_LANES                                                                                        \
    for (uint64_t rest = vector->active, lane = 0; rest != 0; rest &= rest - 1)                             \
        if (lane = (uint64_t)__builtin_ctzll(rest), true)

#define LANE_OP(name, n, D, types, expression, LOOP)                                                             \
    OP_FUNCTION(name) { BODY(n, D, types, expression, LOOP, op_##name) }                                    \
    OP_FUNCTION(name##_u) { BODY(n, D, types, expression, ONE_LANE, op_##name##_u) }
#define OP1(name, D, A, expression) LANE_OP(name, 1, D, (A), expression, ALL_LANES)
#define OP2(name, D, A, B, expression) LANE_OP(name, 2, D, (A, B), expression, ALL_LANES)
#define OP3(name, D, A, B, C, expression) LANE_OP(name, 3, D, (A, B, C), expression, ALL_LANES)
#define CALL1(name, D, A, expression) LANE_OP(name, 1, D, (A), expression, ACTIVE_LANES)
#define CALL2(name, D, A, B, expression) LANE_OP(name, 2, D, (A, B), expression, ACTIVE_LANES)
#define CALL3(name, D, A, B, C, expression) LANE_OP(name, 3, D, (A, B, C), expression, ACTIVE_LANES)

/* The undefined operands are looked at first: what they hold is not a reason to call the result open. */
#define OPEN_OP(name, n, D, types, A, defined, expression)                                                     \
    LANE_OP(name##_values, n, D, types, expression, ALL_LANES)                                                   \
    OP_FUNCTION(name)                                                                                       \
    {                                                                                                       \
        ROWS_##n types                                                                                      \
        TRUTH_TYPE(TRUTH_##A) truth[VM_LANES];                                                              \
        FOR_LANES(lane) { VALUES_##n types (void)a; truth[lane] = (defined) ? 0 : (TRUTH_TYPE(TRUTH_##A))-1; } \
        const uint64_t open = TRUTH_PACK(TRUTH_##A)(truth) & ~(UNDEFINED_##n) & vector->active;             \
        op_##name##_values(vector, in);                                                                     \
        if (SEEMS_UNDEFINED(open))                                                                          \
            vm_undefined_open(vector, in, open);                                                            \
    }                                                                                                       \
    OP_FUNCTION(name##_u)                                                                                   \
    {                                                                                                       \
        ROWS_##n types                                                                                      \
        const uint32_t lane = 0;                                                                            \
        VALUES_##n types                                                                                    \
        (void)a;                                                                                            \
        const bool open = !(UNDEFINED_##n) && !(defined);                                                   \
        op_##name##_values_u(vector, in);                                                                   \
        if (SEEMS_UNDEFINED(open))                                                                          \
            vm_undefined_open(vector, in, 1);                                                               \
    }
#define OPEN1(name, D, A, cause, defined, expression) OPEN_OP(name, 1, D, (A), A, defined, expression)
#define OPEN2(name, D, A, B, cause, defined, expression) OPEN_OP(name, 2, D, (A, B), A, defined, expression)
#define OPEN3(name, D, A, B, C, cause, defined, expression) OPEN_OP(name, 3, D, (A, B, C), A, defined, expression)

/* An approximation counts where both ends of its neighbourhood round to one value, which is not a zero and, as a
 * float, normal. A half is rounded by way of float, whose own error the wider margin covers. What near64.h gives
 * is the result itself, or a NaN. */
#define NEAR_ELEMENT_f16 u16
#define NEAR_ELEMENT_f32 f32
#define NEAR_ELEMENT_f64 f64
#define NEAR_MARGIN_f16 0x1p-20
#define NEAR_MARGIN_f32 0x1p-40
#define NEAR_MARGIN_f64 0
#define NEAR_ROUND_f16(value) half_from_float((f32)(value))
#define NEAR_ROUND_f32(value) (f32)(value)
#define NEAR_ROUND_f64(value) (value)
#define NEAR_COUNTS_f16(element) ((u16)(((element) & 0x7fff) - 1) < 0x7c00)
#define NEAR_COUNTS_f32(element) (__builtin_fabsf(element) >= 0x1p-126f)
#define NEAR_COUNTS_f64(element) 1
#define NEAR_OP(name, n, D, types, near, expression)                                                           \
    OP_FUNCTION(name)                                                                                       \
    {                                                                                                       \
        row_##D *dst = ROW(D, in->dst);                                                                     \
        ROWS_##n types                                                                                      \
        f64 value[VM_LANES];                                                                                \
        NEAR_ELEMENT_##D result[VM_LANES];                                                                  \
        TRUTH_TYPE(TRUTH_##D) doubt[VM_LANES];                                                              \
        if (SEEMS_UNDEFINED(UNDEFINED_##n)) {                                                               \
            CALL_UNDEFINED(op_##name);                                                                      \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        FOR_LANES(lane) { VALUES_##n types value[lane] = near; }                                            \
        FOR_LANES(lane) {                                                                                   \
            const NEAR_ELEMENT_##D low = NEAR_ROUND_##D(value[lane] * (1 - NEAR_MARGIN_##D));               \
            const NEAR_ELEMENT_##D high = NEAR_ROUND_##D(value[lane] * (1 + NEAR_MARGIN_##D));              \
            result[lane] = low;                                                                             \
            doubt[lane] = ((low == high) & NEAR_COUNTS_##D(low)) ? 0 : (TRUTH_TYPE(TRUTH_##D))-1;           \
        }                                                                                                   \
        for (uint64_t rest = TRUTH_PACK(TRUTH_##D)(doubt) & vector->active; rest != 0; rest &= rest - 1) {  \
            const uint32_t lane = (uint32_t)__builtin_ctzll(rest);                                          \
            VALUES_##n types                                                                                \
            result[lane] = CANONICAL_##D(expression);                                                       \
        }                                                                                                   \
        memcpy(dst, result, sizeof result);                                                                 \
    }                                                                                                       \
    OP_FUNCTION(name##_u) { BODY(n, D, types, expression, ONE_LANE, op_##name##_u) }
#define NEAR1(name, D, A, near, expression) NEAR_OP(name, 1, D, (A), near, expression)
#define NEAR2(name, D, A, B, near, expression) NEAR_OP(name, 2, D, (A, B), near, expression)

#define CMP_OP(name, n, types, A, expression)                                                                  \
    OP_FUNCTION(name)                                                                                       \
    {                                                                                                       \
        ROWS_##n types                                                                                      \
        TRUTH_TYPE(TRUTH_##A) truth[VM_LANES];                                                              \
        if (SEEMS_UNDEFINED(UNDEFINED_##n)) {                                                               \
            CALL_UNDEFINED(op_##name);                                                                      \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        FOR_LANES(lane) { VALUES_##n types truth[lane] = (expression) ? (TRUTH_TYPE(TRUTH_##A))-1 : 0; }    \
        *ROW(u64, in->dst) = TRUTH_PACK(TRUTH_##A)(truth);                                                  \
    }                                                                                                       \
    OP_FUNCTION(name##_u) { BODY(n, u64, types, (expression) ? ~UINT64_C(0) : 0, ONE_LANE, op_##name##_u) }
#define CMP1(name, A, expression) CMP_OP(name, 1, (A), A, expression)
#define CMP2(name, A, B, expression) CMP_OP(name, 2, (A, B), A, expression)
#define SPECIAL(...)
#include "reference/vm/ops.def"

/* ---- moves under a mask: bit `lane % W` of the part of the mask that covers W lanes ---- */

static const u8 lane_bits_8[8] = {LANE_BITS8(u8, 0)};
static const u16 lane_bits_16[16] = {LANE_BITS8(u16, 0), LANE_BITS8(u16, 8)};
static const u32 lane_bits_32[32] = {LANE_BITS8(u32, 0), LANE_BITS8(u32, 8), LANE_BITS8(u32, 16),
                                     LANE_BITS8(u32, 24)};

#define ROWS(W)                                                                                             \
    static void choose_##W(row_u##W *dst, const row_u##W *row_a, const row_u##W *row_b, uint64_t mask)      \
    {                                                                                                       \
        for (uint32_t part = 0; part < VM_LANES; part += W) {                                               \
            const u##W bits = (u##W)(mask >> part);                                                         \
            LANES_INDEPENDENT                                                                               \
            for (uint32_t k = 0; k < W; k++) {                                                              \
                const u##W a = row_a[part + k];                                                             \
                const u##W b = row_b[part + k];                                                             \
                const u##W chosen = (bits & lane_bits_##W[k]) != 0 ? (u##W)-1 : 0;                          \
                dst[part + k] = (u##W)((a & chosen) | (b & (u##W)~chosen));                                 \
            }                                                                                               \
        }                                                                                                   \
    }                                                                                                       \
    VM_SPECIAL(splat_##W)                                                                                  \
    {                                                                                                       \
        const u##W value = *ROW(u##W, in->a);                                                               \
        row_u##W *dst = ROW(u##W, in->dst);                                                                 \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a))) {                                                            \
            CALL_UNDEFINED(MACHINE(op_splat_##W));                                                          \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        FOR_LANES(lane) dst[lane] = value;                                                                  \
    }                                                                                                       \
    VM_SPECIAL(mov_##W)                                                                                    \
    {                                                                                                       \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a))) {                                                            \
            CALL_UNDEFINED(MACHINE(op_mov_##W));                                                            \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        if (in->dst != in->a)                                                                               \
            memcpy(ROW(u8, in->dst), ROW(u8, in->a), VM_LANES * sizeof(u##W));                              \
    }                                                                                                       \
    VM_SPECIAL(set_##W)                                                                                    \
    {                                                                                                       \
        const uint64_t mask = vector->active;                                                               \
        if (mask == ~UINT64_C(0)) {                                                                         \
            MACHINE(op_mov_##W)(vector, in);                                                                         \
            return;                                                                                         \
        }                                                                                                   \
        row_u##W *dst = ROW(u##W, in->dst);                                                                 \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->dst))) {                                       \
            CALL_UNDEFINED(MACHINE(op_set_##W));                                                            \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        choose_##W(dst, ROW(u##W, in->a), dst, mask);                                                       \
    }                                                                                                       \
    VM_SPECIAL(select_##W)                                                                                 \
    {                                                                                                       \
        const uint64_t mask = *ROW(u64, in->c);                                                             \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b) | UNDEFINED(in->c))) {                      \
            CALL_UNDEFINED(MACHINE(op_select_##W));                                                         \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        choose_##W(ROW(u##W, in->dst), ROW(u##W, in->a), ROW(u##W, in->b), mask);                           \
    }
ROWS(8)
ROWS(16)
ROWS(32)
ROWS(64)
#undef ROWS
/* clang-format on */

VM_SPECIAL(index_64)
{
    row_u64 *dst = ROW(u64, in->dst);
    const row_u64 *base = ROW(u64, in->a);
    const row_u64 *index = ROW(u64, in->b);
    const u64 scale = (u64)(s64)(int32_t)in->c;
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b))) {
        CALL_UNDEFINED(MACHINE(op_index_64));
        return;
    }
    UNDEFINED(in->dst) = 0;
    if (scale != 0 && (scale & (scale - 1)) == 0) {
        const uint32_t shift = (uint32_t)__builtin_ctzll(scale);
        FOR_LANES(lane)
            dst[lane] = base[lane] + (index[lane] << shift);
    } else {
        FOR_LANES(lane)
            dst[lane] = base[lane] + index[lane] * scale;
    }
}

/* Uniform rows and masks are one number of 64 bits. */
#define NUMBER(name, n, types, expression)                                                         \
    VM_SPECIAL(name)                                                                               \
    {                                                                                              \
        BODY(n, u64, types, expression, ONE_LANE, MACHINE(op_##name))                              \
    }
NUMBER(index_64_u, 2, (u64, u64), a + b * (u64)(s64)(int32_t)in->c)
NUMBER(mov_u, 1, (u64), a)
NUMBER(select_u, 3, (u64, u64, u64), c ? a : b)
NUMBER(mov_mask, 1, (u64), a)
NUMBER(mask_and, 2, (u64, u64), a &b)
NUMBER(mask_or, 2, (u64, u64), a | b)
NUMBER(mask_xor, 2, (u64, u64), a ^ b)
NUMBER(mask_not, 1, (u64), ~a)
NUMBER(mask_select, 3, (u64, u64, u64), (a & c) | (b & ~c))
#undef NUMBER

VM_SPECIAL(set_mask)
{
    const uint64_t mask = vector->active;
    row_u64 *dst = ROW(u64, in->dst);
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->dst))) {
        CALL_UNDEFINED(MACHINE(op_set_mask));
        return;
    }
    UNDEFINED(in->dst) = 0;
    *dst = (*ROW(u64, in->a) & mask) | (*dst & ~mask);
}

/* ---- several rows ---- */

/* Undefined values are zeros, so that what a kernel does with them does not depend on what was in
 * the row before, which another schedule would change. */
VM_SPECIAL(undefine)
{
    const bool uniform_row = in->aux & VM_UNDEFINE_UNIFORM;
    const bool uniform = uniform_row || in->width == 0;
    const uint32_t count = in->width == 0 ? 1 : in->count;
    const uint64_t mask = vector->active;
    for (uint32_t component = 0; component < count; component++) {
        const vm_row row = in->dst + component * (uniform ? 1 : in->width);
        vm_undefined_begin(vector, row, uniform_row, mask, in->width, in);
        if (in->width == 0 && !uniform_row) {
            *ROW(u64, row) &= ~mask;
            UNDEFINED(row) |= mask;
        } else if (uniform) {
            *ROW(u64, row) = 0;
            UNDEFINED(row) = ~UINT64_C(0);
        } else if (mask == ~UINT64_C(0)) {
            memset(ROW(u8, row), 0, (size_t)in->width * VM_LANES);
            UNDEFINED(row) = mask;
        } else {
            u8 *bytes = vm_unit(vector, row);
            FOR_EACH_LANE(lane, mask)
                memset(bytes + lane * in->width, 0, in->width);
            UNDEFINED(row) |= mask;
        }
    }
}

/* The lanes whose index, in the 32-bit row, is `component`. */
static uint64_t index_is(struct vm_vector *vector, vm_row row, uint32_t component)
{
    const row_u32 *index = ROW(u32, row);
    LANES_WHERE(32, found, lane, index[lane] == component);
    return found;
}

/* dst = mask ? a : b on rows of `width` bytes. */
static void choose(uint32_t width, void *dst, const void *a, const void *b, uint64_t mask)
{
    switch (width) {
    case 1:
        choose_8(dst, a, b, mask);
        break;
    case 2:
        choose_16(dst, a, b, mask);
        break;
    case 4:
        choose_32(dst, a, b, mask);
        break;
    default:
        choose_64(dst, a, b, mask);
        break;
    }
}

/* Collected beside the frame, because dst may be the row of the index. */
VM_SPECIAL(extract)
{
    const size_t size = (size_t)in->width * VM_LANES;
    void *result = vector->scratch;
    uint64_t undefined = 0;
    uint64_t reached = 0;
    memset(result, 0, size);
    for (uint32_t component = 0; component < in->count; component++) {
        const vm_row row = in->a + component * in->width;
        const uint64_t mask = index_is(vector, in->b, component);
        if (!mask)
            continue;
        choose(in->width, result, vm_unit(vector, row), result, mask);
        undefined |= UNDEFINED(row) & mask;
        reached |= mask;
    }
    undefined |= UNDEFINED(in->b) | ~reached;
    if (__builtin_expect((undefined & vector->active) != 0, 0))
        vm_undefined_extract(vector, in);
    else
        UNDEFINED(in->dst) = 0;
    memcpy(vm_unit(vector, in->dst), result, size);
}

VM_SPECIAL(insert)
{
    const uint64_t undefined_index = UNDEFINED(in->c);
    const uint64_t undefined_value = UNDEFINED(in->b);
    uint64_t reached = 0;
    for (uint32_t component = 0; component < in->count; component++)
        reached |= index_is(vector, in->c, component);
    for (uint32_t component = 0; component < in->count; component++) {
        const vm_row from = in->a + component * in->width;
        const vm_row to = in->dst + component * in->width;
        const uint64_t mask = index_is(vector, in->c, component);
        const uint64_t undefined = (undefined_value & mask) | (UNDEFINED(from) & ~mask);
        if (__builtin_expect(((undefined | undefined_index | ~reached) & vector->active) != 0, 0))
            vm_undefined_insert(vector, in, component);
        else
            UNDEFINED(to) = 0;
        choose(in->width, vm_unit(vector, to), vm_unit(vector, in->b), vm_unit(vector, from), mask);
    }
}

VM_SPECIAL(fence)
{
    const struct vm_run *run = vector->run;
    const struct vm_atomic *fence = &run->code->atomics[in->aux];
    if (run->observer && run->observer->fence)
        run->observer->fence(run->observer->state, vm_site(vector, in), vector->active,
                             fence->flags, fence->order, fence->scope);
}

/* What it stands for has been done. */
VM_SPECIAL(collective)
{
    (void)vector;
    (void)in;
}

VM_SPECIAL(spin_begin)
{
    vector->waiting[in->aux].inside &= ~vector->active;
    vm_begin_round(vector);
    vector->waiting[in->aux].entries++;
}

vm_op_function *const MACHINE(vm_op_functions)[VM_OP_COUNT] = {
/* clang-format off */
#define OP1(name, ...) [VM_OP_##name] = op_##name, [VM_OP_##name##_u] = op_##name##_u,
#define OP2 OP1
#define OP3 OP1
#define AFFINE1(how, name, ...) OP1(name) [VM_OP_##name##_a] = MACHINE(op_##name##_a),
#define AFFINE2 AFFINE1
#define AFFINE_CMP2 AFFINE1
#define SPECIAL(name, ...) [VM_OP_##name] = MACHINE(op_##name),
#define SHARED(name, function, ...) [VM_OP_##name] = function,
#define CONTROL(name, ...) [VM_OP_##name] = NULL,
#define ATOMIC(name, ...) [VM_OP_##name] = MACHINE(op_atomic),
#define SWAPPED(name) [VM_OP_##name##_swapped] = MACHINE(op_atomic),
#include "reference/vm/ops.def"
    /* clang-format on */
};
