/* Arithmetic of all lanes of a vector at once, as the evaluator (evaluate.h) has it of one: rows of
 * numbers of the types that C computes with. Narrower ones are ints here, as C promotes them, and
 * halves floats, which are rounded to half behind each operation. */
#ifndef REFERENCE_DEBUG_LANES_H
#define REFERENCE_DEBUG_LANES_H

#include "reference/debug/value.h"
#include "trace/debug/expression.h"

/* X(kind, C type, type of its arithmetic) */
#define DEBUG_LANES_KINDS(X)                                                                       \
    X(I32, int32_t, uint32_t)                                                                      \
    X(U32, uint32_t, uint32_t)                                                                     \
    X(I64, int64_t, uint64_t)                                                                      \
    X(U64, uint64_t, uint64_t)                                                                     \
    X(F32, float, float)                                                                           \
    X(F64, double, double)

enum debug_lanes_kind {
#define X(kind, type, arithmetic) DEBUG_##kind,
    DEBUG_LANES_KINDS(X)
#undef X
        DEBUG_LANES_NONE /* no row of such numbers can be computed with */
};

enum debug_lanes_function {
    DEBUG_LANES_ISNAN, /* of floating numbers, to I32 */
    DEBUG_LANES_ISINF,
    DEBUG_LANES_ISFINITE,
    DEBUG_LANES_NEGATE, /* the same kind; of floating numbers */
    DEBUG_LANES_FABS,
    DEBUG_LANES_ABS /* of integers */
};

/* Of the type in a row. */
enum debug_lanes_kind debug_lanes_kind_of(const struct debug_number *number);

/* VM_LANES elements each, all of which are computed; or `count` is 1, and the first one stands for
 * all lanes. `result` is none of the operands. False: there is no such operation, or it compares.
 * *open: the lanes for which it is not defined, by what it would divide by. */
bool debug_lanes_operate(enum expression_operator op, enum debug_lanes_kind kind, const void *a,
                         const void *b, void *result, uint64_t *open, uint32_t count);
/* The lanes for which the comparison holds. */
uint64_t debug_lanes_compare(enum expression_operator op, enum debug_lanes_kind kind, const void *a,
                             const void *b, uint32_t count);
/* The greater or lower one, of a number and a NaN the number. */
void debug_lanes_choose(bool greater, enum debug_lanes_kind kind, const void *a, const void *b,
                        void *result, uint32_t count);
bool debug_lanes_call(enum debug_lanes_function function, enum debug_lanes_kind kind, const void *a,
                      void *result, uint32_t count);
/* Of one type as another one. */
void debug_lanes_convert(const struct debug_number *from, const void *a,
                         const struct debug_number *to, void *result, uint32_t count);
/* Elements of `number`, as they lie in a row, as the kind's. */
void debug_lanes_widen(const struct debug_number *number, const void *row, void *result,
                       uint32_t count);
/* Is a number of the row a float that stands for a half? */
bool debug_lanes_are_halves(const struct debug_number *number);
/* The bits of that float, and back. */
uint32_t debug_lanes_of_half(uint64_t half);
uint16_t debug_lanes_half_of(uint32_t bits);
void debug_lanes_round_to_half(void *values, uint32_t count);
/* The lanes that are not 0. */
uint64_t debug_lanes_true(enum debug_lanes_kind kind, const void *a, uint32_t count);

#endif
