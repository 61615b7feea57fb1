/* The hyperbolic functions of double: near64.h. */
#ifndef REFERENCE_VM_NEAR64_SINH_H
#define REFERENCE_VM_NEAR64_SINH_H

#include "reference/vm/near64.h"
#include "reference/vm/near64_exp.h"
#include "reference/vm/near64_sin.h"

/* 2 sinh(x) and 2 cosh(x) over scale, for x from 0 to 708. */
struct near64_hyperbolic {
    struct near64_bounded sinh, cosh;
    double scale;
};

/* x = a + r with a = n log(2) / 128: e^a and e^-a are from the table, 2 sinh(a) and 2 cosh(a) their
 * difference and sum. If n is 0, they are 0 and 2, exactly. Otherwise 2 sinh(a) is at least 2^-6.5,
 * greater than 2 cosh(a) |r|, and off by 2^-80, as 2 cosh(a) is, and r by 2^-82: together below
 * 2^-72.4 of sinh(x), and less of cosh(x). */
static inline struct near64_hyperbolic near64_hyperbolic(double x)
{
    const struct near64_exp_parts parts = near64_exp_parts((struct near64){x, 0});
    const struct near64_power up = near64_power(parts.sum);
    const struct near64_power down = near64_power(NEAR_WHOLE - (parts.sum - NEAR_WHOLE));
    const double factor = down.scale * near64_inverse_scale(up.scale);
    const struct near64 plus = near64_sum(up.first, up.second);
    const struct near64 minus = near64_sum(down.first * factor, down.second * factor);
    struct near64 sinh = near64_sum(plus.high, -minus.high);
    struct near64 cosh = near64_sum(plus.high, minus.high);
    sinh = near64_sum(sinh.high, sinh.low + (plus.low - minus.low));
    cosh = near64_sum(cosh.high, cosh.low + (plus.low + minus.low));
    return (struct near64_hyperbolic){
        .sinh = near64_sin_sum(sinh, cosh, parts.r, -1, sinh.high * 0x1p-71),
        .cosh = near64_sin_sum(cosh, sinh, parts.r, -1, sinh.high * 0x1p-71),
        .scale = up.scale};
}

static inline double near64_sinh(double x)
{
    const double size = __builtin_fabs(x);
    const struct near64_hyperbolic twice = near64_hyperbolic(size);
    const double value = near64_round_bounded(twice.sinh) * (0.5 * twice.scale);
    return size < 708 ? near64_or_zero(x, __builtin_copysign(value, x)) : __builtin_nan("");
}

static inline double near64_cosh(double x)
{
    const double size = __builtin_fabs(x);
    const struct near64_hyperbolic twice = near64_hyperbolic(size);
    const double value = near64_round_bounded(twice.cosh) * (0.5 * twice.scale);
    return size < 708 ? value : __builtin_nan("");
}

/* From 22 on it rounds to 1. */
static inline double near64_tanh(double x)
{
    const double size = __builtin_fabs(x);
    const struct near64_hyperbolic twice = near64_hyperbolic(size > 22 ? 22 : size);
    const double value = near64_round_bounded(near64_bounded_quotient(twice.sinh, twice.cosh));
    return near64_or_zero(x, __builtin_copysign(value, x));
}

#endif
