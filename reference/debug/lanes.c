#include "reference/debug/lanes.h"

#include "trace/base/half.h"

#include <math.h>
#include <string.h>

/* Each function is made of all lanes and of one (`count`). */
#define INLINE    static inline __attribute__((always_inline))
#define EACH_LANE for (uint32_t l = 0; l < count; l++)
#define BY_COUNT(function, ...)                                                                    \
    (count == 1 ? function(__VA_ARGS__, 1) : function(__VA_ARGS__, VM_LANES))

enum debug_lanes_kind debug_lanes_kind_of(const struct debug_number *number)
{
    if (number->is_floating)
        return number->width == 8 ? DEBUG_F64 : DEBUG_F32;
    if (number->width == 8)
        return number->is_signed ? DEBUG_I64 : DEBUG_U64;
    return number->width < 4 || number->is_signed ? DEBUG_I32 : DEBUG_U32;
}

/* ---- all kinds ---- */

#define LOOP(type, to, expression)                                                                 \
    EACH_LANE                                                                                      \
    {                                                                                              \
        const type x = a[l];                                                                       \
        const type y = b[l];                                                                       \
        result[l] = (to)(expression);                                                              \
    }                                                                                              \
    return true
/* The lanes of which it holds. Mostly it holds of none, which is seen faster than of which. */
#define GATHER(holds)                                                                              \
    EACH_LANE any |= -(holds);                                                                     \
    for (uint32_t l = 0; any != 0 && l < count; l++)                                               \
        lanes |= (uint64_t)(holds) << l;                                                           \
    return lanes
#define X(kind, type, arithmetic)                                                                  \
    INLINE uint64_t compare_##kind(enum expression_operator op, const type *a, const type *b,      \
                                   uint32_t count)                                                 \
    {                                                                                              \
        int32_t any = 0;                                                                           \
        uint64_t lanes = 0;                                                                        \
        switch (op) {                                                                              \
        case OPERATOR_LESS:                                                                        \
            GATHER(a[l] < b[l]);                                                                   \
        case OPERATOR_LESS_EQUAL:                                                                  \
            GATHER(a[l] <= b[l]);                                                                  \
        case OPERATOR_GREATER:                                                                     \
            GATHER(a[l] > b[l]);                                                                   \
        case OPERATOR_GREATER_EQUAL:                                                               \
            GATHER(a[l] >= b[l]);                                                                  \
        case OPERATOR_EQUAL:                                                                       \
            GATHER(a[l] == b[l]);                                                                  \
        default:                                                                                   \
            GATHER(a[l] != b[l]);                                                                  \
        }                                                                                          \
    }                                                                                              \
    INLINE uint64_t true_##kind(const type *a, uint32_t count)                                     \
    {                                                                                              \
        int32_t any = 0;                                                                           \
        uint64_t lanes = 0;                                                                        \
        GATHER(a[l] != 0);                                                                         \
    }                                                                                              \
    INLINE bool basic_##kind(enum expression_operator op, const type *a, const type *b,            \
                             type *restrict result, uint32_t count)                                \
    {                                                                                              \
        switch (op) {                                                                              \
        case OPERATOR_ADD:                                                                         \
            LOOP(arithmetic, type, x + y);                                                         \
        case OPERATOR_SUBTRACT:                                                                    \
            LOOP(arithmetic, type, x - y);                                                         \
        case OPERATOR_MULTIPLY:                                                                    \
            LOOP(arithmetic, type, x *y);                                                          \
        default:                                                                                   \
            return false;                                                                          \
        }                                                                                          \
    }
DEBUG_LANES_KINDS(X)
#undef X

/* ---- what integers and floating numbers have each ---- */

/* Quotients and remainders with 0 are 0 and not defined; what would overflow wraps. */
#define INTEGER(kind, type, arithmetic)                                                            \
    INLINE bool more_##kind(enum expression_operator op, const type *a, const type *b,             \
                            type *restrict result, uint32_t count)                                 \
    {                                                                                              \
        enum { BITS = 8 * sizeof(type) };                                                          \
        const type minus_one = (type)-1;                                                           \
        const bool is_signed = minus_one < 1;                                                      \
        switch (op) {                                                                              \
        case OPERATOR_AND:                                                                         \
            LOOP(type, type, x &y);                                                                \
        case OPERATOR_OR:                                                                          \
            LOOP(type, type, x | y);                                                               \
        case OPERATOR_EXCLUSIVE_OR:                                                                \
            LOOP(type, type, x ^ y);                                                               \
        case OPERATOR_SHIFT_LEFT:                                                                  \
            LOOP(arithmetic, type, x << (y & (BITS - 1)));                                         \
        case OPERATOR_SHIFT_RIGHT:                                                                 \
            LOOP(type, type, x >> (y & (BITS - 1)));                                               \
        case OPERATOR_DIVIDE:                                                                      \
            LOOP(type, type,                                                                       \
                 y == 0                        ? 0                                                 \
                 : is_signed && y == minus_one ? (type)(0 - (arithmetic)x)                         \
                                               : (type)(x / y));                                   \
        case OPERATOR_REMAINDER:                                                                   \
            LOOP(type, type, y == 0 || (is_signed && y == minus_one) ? 0 : x % y);                 \
        default:                                                                                   \
            return false;                                                                          \
        }                                                                                          \
    }                                                                                              \
    INLINE void choose_##kind(bool greater, const type *a, const type *b, type *restrict result,   \
                              uint32_t count)                                                      \
    {                                                                                              \
        EACH_LANE result[l] = (a[l] < b[l]) == greater ? b[l] : a[l];                              \
    }                                                                                              \
    INLINE bool call_##kind(enum debug_lanes_function function, const type *a, void *to,           \
                            uint32_t count)                                                        \
    {                                                                                              \
        type *restrict result = to;                                                                \
        if (function != DEBUG_LANES_ABS)                                                           \
            return false;                                                                          \
        EACH_LANE result[l] = a[l] < 1 ? (type)(0 - (arithmetic)a[l]) : a[l];                      \
        return true;                                                                               \
    }
INTEGER(I32, int32_t, uint32_t)
INTEGER(U32, uint32_t, uint32_t)
INTEGER(I64, int64_t, uint64_t)
INTEGER(U64, uint64_t, uint64_t)

#define FLOATING(kind, type, absolute)                                                             \
    INLINE bool more_##kind(enum expression_operator op, const type *a, const type *b,             \
                            type *restrict result, uint32_t count)                                 \
    {                                                                                              \
        if (op != OPERATOR_DIVIDE)                                                                 \
            return false;                                                                          \
        LOOP(type, type, x / y);                                                                   \
    }                                                                                              \
    INLINE void choose_##kind(bool greater, const type *a, const type *b, type *restrict result,   \
                              uint32_t count)                                                      \
    {                                                                                              \
        EACH_LANE                                                                                  \
        {                                                                                          \
            const type x = a[l];                                                                   \
            const type y = b[l];                                                                   \
            result[l] = x != x || (y == y && (x < y) == greater) ? y : x;                          \
        }                                                                                          \
    }                                                                                              \
    INLINE bool call_##kind(enum debug_lanes_function function, const type *a, void *to,           \
                            uint32_t count)                                                        \
    {                                                                                              \
        type *restrict result = to;                                                                \
        int32_t *restrict truth = to;                                                              \
        switch (function) {                                                                        \
        case DEBUG_LANES_ISNAN:                                                                    \
            EACH_LANE truth[l] = a[l] != a[l];                                                     \
            return true;                                                                           \
        case DEBUG_LANES_ISINF:                                                                    \
            EACH_LANE truth[l] = absolute(a[l]) == (type)INFINITY;                                 \
            return true;                                                                           \
        case DEBUG_LANES_ISFINITE:                                                                 \
            EACH_LANE truth[l] = absolute(a[l]) < (type)INFINITY;                                  \
            return true;                                                                           \
        case DEBUG_LANES_NEGATE:                                                                   \
            EACH_LANE result[l] = -a[l];                                                           \
            return true;                                                                           \
        case DEBUG_LANES_FABS:                                                                     \
            EACH_LANE result[l] = absolute(a[l]);                                                  \
            return true;                                                                           \
        default:                                                                                   \
            return false;                                                                          \
        }                                                                                          \
    }
FLOATING(F32, float, fabsf)
FLOATING(F64, double, fabs)

/* ---- by kind ---- */

static inline uint64_t spread(uint64_t lanes, uint32_t count)
{
    return count == 1 ? 0 - lanes : lanes;
}

uint64_t debug_lanes_compare(enum expression_operator op, enum debug_lanes_kind kind, const void *a,
                             const void *b, uint32_t count)
{
    switch (kind) {
#define X(kind, type, arithmetic)                                                                  \
    case DEBUG_##kind:                                                                             \
        return spread(BY_COUNT(compare_##kind, op, a, b), count);
        DEBUG_LANES_KINDS(X)
#undef X
    case DEBUG_LANES_NONE:
        break;
    }
    return 0;
}

uint64_t debug_lanes_true(enum debug_lanes_kind kind, const void *a, uint32_t count)
{
    switch (kind) {
#define X(kind, type, arithmetic)                                                                  \
    case DEBUG_##kind:                                                                             \
        return spread(BY_COUNT(true_##kind, a), count);
        DEBUG_LANES_KINDS(X)
#undef X
    case DEBUG_LANES_NONE:
        break;
    }
    return 0;
}

bool debug_lanes_operate(enum expression_operator op, enum debug_lanes_kind kind, const void *a,
                         const void *b, void *result, uint64_t *open, uint32_t count)
{
    *open = 0;
    if (kind < DEBUG_F32 && (op == OPERATOR_DIVIDE || op == OPERATOR_REMAINDER))
        *open = ~debug_lanes_true(kind, b, count);
    switch (kind) {
#define X(kind, type, arithmetic)                                                                  \
    case DEBUG_##kind:                                                                             \
        return BY_COUNT(basic_##kind, op, a, b, result) || BY_COUNT(more_##kind, op, a, b, result);
        DEBUG_LANES_KINDS(X)
#undef X
    case DEBUG_LANES_NONE:
        break;
    }
    return false;
}

void debug_lanes_choose(bool greater, enum debug_lanes_kind kind, const void *a, const void *b,
                        void *result, uint32_t count)
{
    switch (kind) {
#define X(kind, type, arithmetic)                                                                  \
    case DEBUG_##kind:                                                                             \
        BY_COUNT(choose_##kind, greater, a, b, result);                                            \
        break;
        DEBUG_LANES_KINDS(X)
#undef X
    case DEBUG_LANES_NONE:
        break;
    }
}

bool debug_lanes_call(enum debug_lanes_function function, enum debug_lanes_kind kind, const void *a,
                      void *result, uint32_t count)
{
    switch (kind) {
#define X(kind, type, arithmetic)                                                                  \
    case DEBUG_##kind:                                                                             \
        return BY_COUNT(call_##kind, function, a, result);
        DEBUG_LANES_KINDS(X)
#undef X
    case DEBUG_LANES_NONE:
        break;
    }
    return false;
}

/* ---- conversions ---- */

bool debug_lanes_are_halves(const struct debug_number *number)
{
    return number->is_floating && number->width == 2;
}

uint32_t debug_lanes_of_half(uint64_t half)
{
    const float value = half_to_float((uint16_t)half);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint16_t debug_lanes_half_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return half_from_float(value);
}

void debug_lanes_round_to_half(void *values, uint32_t count)
{
    float *const to = values;
    EACH_LANE to[l] = half_to_float(half_from_float(to[l]));
}

/* One by one. */
static void convert_each(const struct debug_number *from, const void *a,
                         const struct debug_number *to, void *result, uint32_t count)
{
    const enum debug_lanes_kind kind = debug_lanes_kind_of(to);
    const uint32_t from_size = from->width < 4 ? 4 : from->width;
    const uint32_t to_size = to->width < 4 ? 4 : to->width;
    const struct debug_number as_float = {.width = 4, .is_floating = true};
    from = debug_lanes_are_halves(from) ? &as_float : from;
    EACH_LANE
    {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)a + (size_t)l * from_size, from_size);
        bits = debug_convert(to, from, bits);
        if (kind == DEBUG_I32)
            bits = debug_extend(to, bits);
        else if (debug_lanes_are_halves(to))
            bits = debug_lanes_of_half(bits);
        memcpy((char *)result + (size_t)l * to_size, &bits, to_size);
    }
}

/* To a kind from each other one, where C says what comes of it. */
#define FROM(from, to_type, from_type)                                                             \
    case from:                                                                                     \
        EACH_LANE((to_type *)result)[l] = (to_type)((const from_type *)a)[l];                      \
        return;
#define X(kind, type, arithmetic)                                                                  \
    INLINE void to_##kind(enum debug_lanes_kind from, const void *restrict a,                      \
                          void *restrict result, uint32_t count)                                   \
    {                                                                                              \
        switch (from) {                                                                            \
            FROM(DEBUG_I32, type, int32_t)                                                         \
            FROM(DEBUG_U32, type, uint32_t)                                                        \
            FROM(DEBUG_I64, type, int64_t)                                                         \
            FROM(DEBUG_U64, type, uint64_t)                                                        \
            FROM(DEBUG_F32, type, float)                                                           \
            FROM(DEBUG_F64, type, double)                                                          \
        case DEBUG_LANES_NONE:                                                                     \
            return;                                                                                \
        }                                                                                          \
    }
DEBUG_LANES_KINDS(X)
#undef X

void debug_lanes_convert(const struct debug_number *from, const void *a,
                         const struct debug_number *to, void *result, uint32_t count)
{
    const enum debug_lanes_kind kind = debug_lanes_kind_of(from);
    if (to->width < 4 || to->is_boolean || (from->is_floating && !to->is_floating)) {
        convert_each(from, a, to, result, count);
        return;
    }
    switch (debug_lanes_kind_of(to)) {
#define X(to_kind, type, arithmetic)                                                               \
    case DEBUG_##to_kind:                                                                          \
        BY_COUNT(to_##to_kind, kind, a, result);                                                   \
        break;
        DEBUG_LANES_KINDS(X)
#undef X
    case DEBUG_LANES_NONE:
        break;
    }
}

#define WIDEN(type) EACH_LANE to[l] = ((const type *)row)[l]
void debug_lanes_widen(const struct debug_number *number, const void *row, void *result,
                       uint32_t count)
{
    int32_t *restrict to = result;
    float *restrict floats = result;
    if (number->is_floating)
        EACH_LANE floats[l] = half_to_float(((const uint16_t *)row)[l]);
    else if (number->width == 1 && number->is_signed)
        WIDEN(int8_t);
    else if (number->width == 1)
        WIDEN(uint8_t);
    else if (number->is_signed)
        WIDEN(int16_t);
    else
        WIDEN(uint16_t);
}
