/* The ops that work on rows alone: a loop over the lanes for each row of ops.def, and the named ops
 * on rows and masks. Compiled for each instruction set. */
#include "reference/vm/convert.h"
#include "reference/vm/machine.h"
#include "reference/vm/math.h"
#include "reference/vm/near.h"
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
 * it leaves: so that in the frequent case nothing is called. */
#define SEEMS_UNDEFINED(mask) __builtin_expect((mask) != 0, 0)
#define CALL_UNDEFINED vm_undefined_op(vector, in, MACHINE(vm_op_functions)[in->op])

/* Bodies: DO applies the expression to one lane. */
#define BODY1(D, A, expression, LOOP, self)                                                                 \
    row_##D *dst = ROW(D, in->dst);                                                                         \
    const row_##A *row_a = ROW(A, in->a);                                                                   \
    if (SEEMS_UNDEFINED(UNDEFINED(in->a))) {                                                                \
        vm_undefined_op(vector, in, self);                                                                  \
        return;                                                                                             \
    }                                                                                                       \
    UNDEFINED(in->dst) = 0;                                                                                 \
    LOOP { const A a = VALUE_##A(row_a[lane]); dst[lane] = CANONICAL_##D(expression); }
#define BODY2(D, A, B, expression, LOOP, self)                                                              \
    row_##D *dst = ROW(D, in->dst);                                                                         \
    const row_##A *row_a = ROW(A, in->a);                                                                   \
    const row_##B *row_b = ROW(B, in->b);                                                                   \
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b))) {                                             \
        vm_undefined_op(vector, in, self);                                                                  \
        return;                                                                                             \
    }                                                                                                       \
    UNDEFINED(in->dst) = 0;                                                                                 \
    LOOP {                                                                                                  \
        const A a = VALUE_##A(row_a[lane]); const B b = VALUE_##B(row_b[lane]);                             \
        dst[lane] = CANONICAL_##D(expression);                                                              \
    }
#define BODY3(D, A, B, C, expression, LOOP, self)                                                           \
    row_##D *dst = ROW(D, in->dst);                                                                         \
    const row_##A *row_a = ROW(A, in->a);                                                                   \
    const row_##B *row_b = ROW(B, in->b);                                                                   \
    const row_##C *row_c = ROW(C, in->c);                                                                   \
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b) | UNDEFINED(in->c))) {                          \
        vm_undefined_op(vector, in, self);                                                                  \
        return;                                                                                             \
    }                                                                                                       \
    UNDEFINED(in->dst) = 0;                                                                                 \
    LOOP {                                                                                                  \
        const A a = VALUE_##A(row_a[lane]);                                                                 \
        const B b = VALUE_##B(row_b[lane]);                                                                 \
        const C c = VALUE_##C(row_c[lane]);                                                                 \
        dst[lane] = CANONICAL_##D(expression);                                                              \
    }

#define ALL_LANES FOR_LANES(lane)
#define ONE_LANE for (uint32_t lane = 0; lane < 1; lane++)
#define ACTIVE_LANES                                                                                        \
    for (uint64_t rest = vector->active, lane = 0; rest != 0; rest &= rest - 1)                             \
        if (lane = (uint64_t)__builtin_ctzll(rest), true)

#define OP1(name, D, A, expression)                                                                         \
    OP_FUNCTION(name) { BODY1(D, A, expression, ALL_LANES, op_##name) }                                     \
    OP_FUNCTION(name##_u) { BODY1(D, A, expression, ONE_LANE, op_##name##_u) }
#define OP2(name, D, A, B, expression)                                                                      \
    OP_FUNCTION(name) { BODY2(D, A, B, expression, ALL_LANES, op_##name) }                                  \
    OP_FUNCTION(name##_u) { BODY2(D, A, B, expression, ONE_LANE, op_##name##_u) }
#define OP3(name, D, A, B, C, expression)                                                                   \
    OP_FUNCTION(name) { BODY3(D, A, B, C, expression, ALL_LANES, op_##name) }                               \
    OP_FUNCTION(name##_u) { BODY3(D, A, B, C, expression, ONE_LANE, op_##name##_u) }
#define CALL1(name, D, A, expression)                                                                       \
    OP_FUNCTION(name) { BODY1(D, A, expression, ACTIVE_LANES, op_##name) }                                  \
    OP_FUNCTION(name##_u) { BODY1(D, A, expression, ONE_LANE, op_##name##_u) }
#define CALL2(name, D, A, B, expression)                                                                    \
    OP_FUNCTION(name) { BODY2(D, A, B, expression, ACTIVE_LANES, op_##name) }                               \
    OP_FUNCTION(name##_u) { BODY2(D, A, B, expression, ONE_LANE, op_##name##_u) }
#define CALL3(name, D, A, B, C, expression)                                                                 \
    OP_FUNCTION(name) { BODY3(D, A, B, C, expression, ACTIVE_LANES, op_##name) }                            \
    OP_FUNCTION(name##_u) { BODY3(D, A, B, C, expression, ONE_LANE, op_##name##_u) }

/* The undefined operands are looked at first: what they hold is no reason to call the result open. */
#define OPEN_BODY(name, A, OPERANDS, undefined, defined)                                                    \
    TRUTH_TYPE(TRUTH_##A) truth[VM_LANES];                                                                  \
    FOR_LANES(lane) { OPERANDS truth[lane] = (defined) ? 0 : (TRUTH_TYPE(TRUTH_##A))-1; }                   \
    const uint64_t open = TRUTH_PACK(TRUTH_##A)(truth) & ~(undefined) & vector->active;                     \
    op_##name##_values(vector, in);                                                                         \
    if (SEEMS_UNDEFINED(open))                                                                              \
        vm_undefined_open(vector, in, open);
#define OPEN_BODY_U(name, OPERANDS, undefined, defined)                                                     \
    const uint32_t lane = 0;                                                                                \
    OPERANDS                                                                                                \
    const bool open = !(undefined) && !(defined);                                                           \
    op_##name##_values(vector, in);                                                                         \
    if (SEEMS_UNDEFINED(open))                                                                              \
        vm_undefined_open(vector, in, 1);
#define OPEN1(name, D, A, cause, defined, expression)                                                           \
    OP_FUNCTION(name##_values) { BODY1(D, A, expression, ALL_LANES, op_##name##_values) }                   \
    OP_FUNCTION(name##_u_values) { BODY1(D, A, expression, ONE_LANE, op_##name##_u_values) }                \
    OP_FUNCTION(name)                                                                                       \
    {                                                                                                       \
        const row_##A *row_a = ROW(A, in->a);                                                               \
        OPEN_BODY(name, A, const A a = VALUE_##A(row_a[lane]);, UNDEFINED(in->a), defined)                  \
    }                                                                                                       \
    OP_FUNCTION(name##_u)                                                                                   \
    {                                                                                                       \
        const row_##A *row_a = ROW(A, in->a);                                                               \
        OPEN_BODY_U(name##_u, const A a = VALUE_##A(row_a[lane]);, UNDEFINED(in->a), defined)               \
    }
#define OPEN2(name, D, A, B, cause, defined, expression)                                                        \
    OP_FUNCTION(name##_values) { BODY2(D, A, B, expression, ALL_LANES, op_##name##_values) }                \
    OP_FUNCTION(name##_u_values) { BODY2(D, A, B, expression, ONE_LANE, op_##name##_u_values) }             \
    OP_FUNCTION(name)                                                                                       \
    {                                                                                                       \
        const row_##A *row_a = ROW(A, in->a);                                                               \
        const row_##B *row_b = ROW(B, in->b);                                                               \
        OPEN_BODY(name, A, const A a = VALUE_##A(row_a[lane]); const B b = VALUE_##B(row_b[lane]); (void)a;, \
                  UNDEFINED(in->a) | UNDEFINED(in->b), defined)                                             \
    }                                                                                                       \
    OP_FUNCTION(name##_u)                                                                                   \
    {                                                                                                       \
        const row_##A *row_a = ROW(A, in->a);                                                               \
        const row_##B *row_b = ROW(B, in->b);                                                               \
        OPEN_BODY_U(name##_u, const A a = VALUE_##A(row_a[lane]); const B b = VALUE_##B(row_b[lane]); (void)a;, \
                    UNDEFINED(in->a) | UNDEFINED(in->b), defined)                                           \
    }
#define OPEN3(name, D, A, B, C, cause, defined, expression)                                                 \
    OP_FUNCTION(name##_values) { BODY3(D, A, B, C, expression, ALL_LANES, op_##name##_values) }             \
    OP_FUNCTION(name##_u_values) { BODY3(D, A, B, C, expression, ONE_LANE, op_##name##_u_values) }          \
    OP_FUNCTION(name)                                                                                       \
    {                                                                                                       \
        const row_##A *row_a = ROW(A, in->a);                                                               \
        const row_##B *row_b = ROW(B, in->b);                                                               \
        const row_##C *row_c = ROW(C, in->c);                                                               \
        OPEN_BODY(name, A, OPEN3_OPERANDS(A, B, C), OPEN3_UNDEFINED, defined)                               \
    }                                                                                                       \
    OP_FUNCTION(name##_u)                                                                                   \
    {                                                                                                       \
        const row_##A *row_a = ROW(A, in->a);                                                               \
        const row_##B *row_b = ROW(B, in->b);                                                               \
        const row_##C *row_c = ROW(C, in->c);                                                               \
        OPEN_BODY_U(name##_u, OPEN3_OPERANDS(A, B, C), OPEN3_UNDEFINED, defined)                            \
    }
#define OPEN3_OPERANDS(A, B, C)                                                                             \
    const A a = VALUE_##A(row_a[lane]); const B b = VALUE_##B(row_b[lane]);                                 \
    const C c = VALUE_##C(row_c[lane]); (void)a;
#define OPEN3_UNDEFINED UNDEFINED(in->a) | UNDEFINED(in->b) | UNDEFINED(in->c)

/* An approximation counts where both ends of its neighbourhood round to one value, which is no zero and, as a
 * float, normal. A half is rounded by way of float, whose own error the wider margin covers. */
#define NEAR_ELEMENT_f16 u16
#define NEAR_ELEMENT_f32 f32
#define NEAR_MARGIN_f16 0x1p-20
#define NEAR_MARGIN_f32 0x1p-40
#define NEAR_ROUND_f16(value) half_from_float((f32)(value))
#define NEAR_ROUND_f32(value) (f32)(value)
#define NEAR_COUNTS_f16(element) ((u16)(((element) & 0x7fff) - 1) < 0x7c00)
#define NEAR_COUNTS_f32(element) (__builtin_fabsf(element) >= 0x1p-126f)
#define NEAR_BODY(D, OPERANDS, near, expression)                                                            \
    row_##D *dst = ROW(D, in->dst);                                                                         \
    f64 value[VM_LANES];                                                                                    \
    NEAR_ELEMENT_##D result[VM_LANES];                                                                      \
    TRUTH_TYPE(TRUTH_##D) doubt[VM_LANES];                                                                  \
    FOR_LANES(lane) { OPERANDS value[lane] = near; }                                                        \
    FOR_LANES(lane) {                                                                                       \
        const NEAR_ELEMENT_##D low = NEAR_ROUND_##D(value[lane] * (1 - NEAR_MARGIN_##D));                   \
        const NEAR_ELEMENT_##D high = NEAR_ROUND_##D(value[lane] * (1 + NEAR_MARGIN_##D));                  \
        result[lane] = low;                                                                                 \
        doubt[lane] = ((low == high) & NEAR_COUNTS_##D(low)) ? 0 : (TRUTH_TYPE(TRUTH_##D))-1;               \
    }                                                                                                       \
    for (uint64_t rest = TRUTH_PACK(TRUTH_##D)(doubt) & vector->active; rest != 0; rest &= rest - 1) {      \
        const uint32_t lane = (uint32_t)__builtin_ctzll(rest);                                              \
        OPERANDS                                                                                            \
        result[lane] = CANONICAL_##D(expression);                                                           \
    }                                                                                                       \
    memcpy(dst, result, sizeof result);
#define NEAR1(name, D, A, near, expression)                                                                 \
    OP_FUNCTION(name)                                                                                       \
    {                                                                                                       \
        const row_##A *row_a = ROW(A, in->a);                                                               \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a))) {                                                            \
            CALL_UNDEFINED;                                                                                 \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        NEAR_BODY(D, const A a = VALUE_##A(row_a[lane]);, near, expression)                                 \
    }                                                                                                       \
    OP_FUNCTION(name##_u) { BODY1(D, A, expression, ONE_LANE, op_##name##_u) }
#define NEAR2(name, D, A, B, near, expression)                                                              \
    OP_FUNCTION(name)                                                                                       \
    {                                                                                                       \
        const row_##A *row_a = ROW(A, in->a);                                                               \
        const row_##B *row_b = ROW(B, in->b);                                                               \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b))) {                                         \
            CALL_UNDEFINED;                                                                                 \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        NEAR_BODY(D, const A a = VALUE_##A(row_a[lane]); const B b = VALUE_##B(row_b[lane]);, near, expression) \
    }                                                                                                       \
    OP_FUNCTION(name##_u) { BODY2(D, A, B, expression, ONE_LANE, op_##name##_u) }

#define CMP1(name, A, expression)                                                                           \
    OP_FUNCTION(name)                                                                                       \
    {                                                                                                       \
        const row_##A *row_a = ROW(A, in->a);                                                               \
        TRUTH_TYPE(TRUTH_##A) truth[VM_LANES];                                                              \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a))) {                                                            \
            CALL_UNDEFINED;                                                                                 \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        FOR_LANES(lane) {                                                                                   \
            const A a = VALUE_##A(row_a[lane]);                                                             \
            truth[lane] = (expression) ? (TRUTH_TYPE(TRUTH_##A))-1 : 0;                                     \
        }                                                                                                   \
        *ROW(u64, in->dst) = TRUTH_PACK(TRUTH_##A)(truth);                                                  \
    }                                                                                                       \
    OP_FUNCTION(name##_u)                                                                                   \
    {                                                                                                       \
        const A a = VALUE_##A(*ROW(A, in->a));                                                              \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a))) {                                                            \
            CALL_UNDEFINED;                                                                                 \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        *ROW(u64, in->dst) = (expression) ? ~UINT64_C(0) : 0;                                               \
    }
#define CMP2(name, A, B, expression)                                                                        \
    OP_FUNCTION(name)                                                                                       \
    {                                                                                                       \
        const row_##A *row_a = ROW(A, in->a);                                                               \
        const row_##B *row_b = ROW(B, in->b);                                                               \
        TRUTH_TYPE(TRUTH_##A) truth[VM_LANES];                                                              \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b))) {                                         \
            CALL_UNDEFINED;                                                                                 \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        FOR_LANES(lane) {                                                                                   \
            const A a = VALUE_##A(row_a[lane]); const B b = VALUE_##B(row_b[lane]);                         \
            truth[lane] = (expression) ? (TRUTH_TYPE(TRUTH_##A))-1 : 0;                                     \
        }                                                                                                   \
        *ROW(u64, in->dst) = TRUTH_PACK(TRUTH_##A)(truth);                                                  \
    }                                                                                                       \
    OP_FUNCTION(name##_u)                                                                                   \
    {                                                                                                       \
        const A a = VALUE_##A(*ROW(A, in->a)); const B b = VALUE_##B(*ROW(B, in->b));                       \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b))) {                                         \
            CALL_UNDEFINED;                                                                                 \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        *ROW(u64, in->dst) = (expression) ? ~UINT64_C(0) : 0;                                               \
    }
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
    OP_FUNCTION(splat_##W)                                                                                  \
    {                                                                                                       \
        const u##W value = *ROW(u##W, in->a);                                                               \
        row_u##W *dst = ROW(u##W, in->dst);                                                                 \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a))) {                                                            \
            CALL_UNDEFINED;                                                                                 \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        FOR_LANES(lane) dst[lane] = value;                                                                  \
    }                                                                                                       \
    OP_FUNCTION(mov_##W)                                                                                    \
    {                                                                                                       \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a))) {                                                            \
            CALL_UNDEFINED;                                                                                 \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        if (in->dst != in->a)                                                                               \
            memcpy(ROW(u8, in->dst), ROW(u8, in->a), VM_LANES * sizeof(u##W));                              \
    }                                                                                                       \
    OP_FUNCTION(set_##W)                                                                                    \
    {                                                                                                       \
        const uint64_t mask = vector->active;                                                               \
        if (mask == ~UINT64_C(0)) {                                                                         \
            op_mov_##W(vector, in);                                                                         \
            return;                                                                                         \
        }                                                                                                   \
        row_u##W *dst = ROW(u##W, in->dst);                                                                 \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->dst))) {                                       \
            CALL_UNDEFINED;                                                                                 \
            return;                                                                                         \
        }                                                                                                   \
        UNDEFINED(in->dst) = 0;                                                                             \
        choose_##W(dst, ROW(u##W, in->a), dst, mask);                                                       \
    }                                                                                                       \
    OP_FUNCTION(select_##W)                                                                                 \
    {                                                                                                       \
        const uint64_t mask = *ROW(u64, in->c);                                                             \
        if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b) | UNDEFINED(in->c))) {                      \
            CALL_UNDEFINED;                                                                                 \
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

OP_FUNCTION(index_64)
{
    row_u64 *dst = ROW(u64, in->dst);
    const row_u64 *base = ROW(u64, in->a);
    const row_u64 *index = ROW(u64, in->b);
    const u64 scale = (u64)(s64)(int32_t)in->c;
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b))) {
        CALL_UNDEFINED;
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

OP_FUNCTION(index_64_u)
{
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b))) {
        CALL_UNDEFINED;
        return;
    }
    UNDEFINED(in->dst) = 0;
    *ROW(u64, in->dst) = *ROW(u64, in->a) + *ROW(u64, in->b) * (u64)(s64)(int32_t)in->c;
}

OP_FUNCTION(mov_u)
{
    if (SEEMS_UNDEFINED(UNDEFINED(in->a))) {
        CALL_UNDEFINED;
        return;
    }
    UNDEFINED(in->dst) = 0;
    *ROW(u64, in->dst) = *ROW(u64, in->a);
}

OP_FUNCTION(select_u)
{
    const uint64_t mask = *ROW(u64, in->c);
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b) | UNDEFINED(in->c))) {
        CALL_UNDEFINED;
        return;
    }
    UNDEFINED(in->dst) = 0;
    *ROW(u64, in->dst) = mask ? *ROW(u64, in->a) : *ROW(u64, in->b);
}

/* ---- masks ---- */

OP_FUNCTION(mov_mask)
{
    if (SEEMS_UNDEFINED(UNDEFINED(in->a))) {
        CALL_UNDEFINED;
        return;
    }
    UNDEFINED(in->dst) = 0;
    *ROW(u64, in->dst) = *ROW(u64, in->a);
}

OP_FUNCTION(set_mask)
{
    const uint64_t mask = vector->active;
    row_u64 *dst = ROW(u64, in->dst);
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->dst))) {
        CALL_UNDEFINED;
        return;
    }
    UNDEFINED(in->dst) = 0;
    *dst = (*ROW(u64, in->a) & mask) | (*dst & ~mask);
}

OP_FUNCTION(mask_and)
{
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b))) {
        CALL_UNDEFINED;
        return;
    }
    UNDEFINED(in->dst) = 0;
    *ROW(u64, in->dst) = *ROW(u64, in->a) & *ROW(u64, in->b);
}

OP_FUNCTION(mask_or)
{
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b))) {
        CALL_UNDEFINED;
        return;
    }
    UNDEFINED(in->dst) = 0;
    *ROW(u64, in->dst) = *ROW(u64, in->a) | *ROW(u64, in->b);
}

OP_FUNCTION(mask_xor)
{
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b))) {
        CALL_UNDEFINED;
        return;
    }
    UNDEFINED(in->dst) = 0;
    *ROW(u64, in->dst) = *ROW(u64, in->a) ^ *ROW(u64, in->b);
}

OP_FUNCTION(mask_not)
{
    if (SEEMS_UNDEFINED(UNDEFINED(in->a))) {
        CALL_UNDEFINED;
        return;
    }
    UNDEFINED(in->dst) = 0;
    *ROW(u64, in->dst) = ~*ROW(u64, in->a);
}

OP_FUNCTION(mask_select)
{
    const uint64_t c = *ROW(u64, in->c);
    if (SEEMS_UNDEFINED(UNDEFINED(in->a) | UNDEFINED(in->b) | UNDEFINED(in->c))) {
        CALL_UNDEFINED;
        return;
    }
    UNDEFINED(in->dst) = 0;
    *ROW(u64, in->dst) = (*ROW(u64, in->a) & c) | (*ROW(u64, in->b) & ~c);
}

/* ---- several rows ---- */

/* Undefined values are zeros, so that what a kernel does with them does not depend on what was in
 * the row before, which another schedule would change. */
OP_FUNCTION(undefine)
{
    const bool uniform_row = in->aux & VM_UNDEFINE_UNIFORM;
    const bool uniform = uniform_row || in->width == 0;
    const uint32_t count = in->width == 0 ? 1 : in->count;
    const uint64_t mask = vector->active;
    for (uint32_t component = 0; component < count; component++) {
        const vm_row row = in->dst + component * (uniform ? 1 : in->width);
        vm_undefined_begin(vector, row, uniform_row, mask, in);
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
            for (uint64_t rest = mask; rest; rest &= rest - 1)
                memset(bytes + (size_t)__builtin_ctzll(rest) * in->width, 0, in->width);
            UNDEFINED(row) |= mask;
        }
    }
}

/* The lanes whose index, in the 32-bit row, is `component`. */
static uint64_t index_is(struct vm_vector *vector, vm_row row, uint32_t component)
{
    const row_u32 *index = ROW(u32, row);
    u32 truth[VM_LANES];
    FOR_LANES(lane)
    truth[lane] = index[lane] == component ? UINT32_MAX : 0;
    return lanes_pack_32(truth);
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
OP_FUNCTION(extract)
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

OP_FUNCTION(insert)
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

OP_FUNCTION(fence)
{
    const struct vm_run *run = vector->run;
    const struct vm_atomic *fence = &run->code->atomics[in->aux];
    if (run->observer && run->observer->fence)
        run->observer->fence(run->observer->state, vm_site(vector, in), vector->active,
                             fence->flags, fence->order, fence->scope);
}

/* What it stands for has been done. */
OP_FUNCTION(collective)
{
    (void)vector;
    (void)in;
}

OP_FUNCTION(spin_begin)
{
    vector->waiting[in->aux].inside &= ~vector->active;
    vm_begin_round(vector);
    vector->waiting[in->aux].entries++;
}

OP_FUNCTION(printf)
{
    vector->run->progress_count++;
    vm_printf(vector, in);
}

/* The same for all sets. */
#define op_pipe_read           vm_pipe_transfer
#define op_pipe_write          vm_pipe_transfer
#define op_pipe_read_reserved  vm_pipe_transfer
#define op_pipe_write_reserved vm_pipe_transfer
#define op_pipe_reserve        vm_pipe_reservation
#define op_pipe_commit         vm_pipe_reservation
#define op_pipe_query          vm_pipe_query

#define op_load                    MACHINE(op_load)
#define op_load_u                  MACHINE(op_load_u)
#define op_store                   MACHINE(op_store)
#define op_copy_memory             MACHINE(op_copy_memory)
#define op_pack_pointer            MACHINE(op_pack_pointer)
#define op_unpack_pointer          MACHINE(op_unpack_pointer)
#define op_region                  MACHINE(op_region)
#define op_image_read              MACHINE(op_image_read)
#define op_image_sample            MACHINE(op_image_sample)
#define op_image_write             MACHINE(op_image_write)
#define op_image_block_read        MACHINE(op_image_block_read)
#define op_image_block_write       MACHINE(op_image_block_write)
#define op_image_query             MACHINE(op_image_query)
#define op_image_query_u           MACHINE(op_image_query_u)
#define op_device_call             MACHINE(op_device_call)
#define op_sub_group_vote          MACHINE(op_sub_group_vote)
#define op_sub_group_ballot        MACHINE(op_sub_group_ballot)
#define op_sub_group_shuffle       MACHINE(op_sub_group_shuffle)
#define op_sub_group_block         MACHINE(op_sub_group_block)
#define op_life_begin              vm_life_begin
#define op_life_end                vm_life_end
#define op_subscript               MACHINE(op_subscript)
#define op_remark                  MACHINE(op_remark)
#define op_sub_group_same          MACHINE(op_sub_group_same)
#define op_sub_group_cluster       MACHINE(op_sub_group_cluster)
#define op_sub_group_reduce        MACHINE(op_sub_group_reduce)
#define op_atomic_load             MACHINE(op_atomic)
#define op_atomic_store            MACHINE(op_atomic)
#define op_atomic_exchange         MACHINE(op_atomic)
#define op_atomic_compare_exchange MACHINE(op_atomic)
#define op_atomic_iadd             MACHINE(op_atomic)
#define op_atomic_isub             MACHINE(op_atomic)
#define op_atomic_smin             MACHINE(op_atomic)
#define op_atomic_smax             MACHINE(op_atomic)
#define op_atomic_umin             MACHINE(op_atomic)
#define op_atomic_umax             MACHINE(op_atomic)
#define op_atomic_and              MACHINE(op_atomic)
#define op_atomic_or               MACHINE(op_atomic)
#define op_atomic_xor              MACHINE(op_atomic)
#define op_atomic_fadd             MACHINE(op_atomic)
#define op_atomic_fmin             MACHINE(op_atomic)
#define op_atomic_fmax             MACHINE(op_atomic)
#define op_atomic_iadd_swapped     MACHINE(op_atomic)
#define op_atomic_isub_swapped     MACHINE(op_atomic)
#define op_atomic_smin_swapped     MACHINE(op_atomic)
#define op_atomic_smax_swapped     MACHINE(op_atomic)
#define op_atomic_umin_swapped     MACHINE(op_atomic)
#define op_atomic_umax_swapped     MACHINE(op_atomic)
#define op_atomic_fadd_swapped     MACHINE(op_atomic)
#define op_atomic_fmin_swapped     MACHINE(op_atomic)
#define op_atomic_fmax_swapped     MACHINE(op_atomic)

/* Terminators are the business of exec_run.c, which never looks them up. */
#define op_branch      NULL
#define op_branch_if   NULL
#define op_return      NULL
#define op_unreachable NULL
#define op_barrier     NULL
#define op_spin        NULL

vm_op_function *const MACHINE(vm_op_functions)[VM_OP_COUNT] = {
#define VM_OP(name) [VM_OP_##name] = op_##name,
#include "reference/vm/op_list.h"
#undef VM_OP
};
