/* Elementary functions of double that a compiler makes loops over lanes of: no calls, no branches.
 * What they give is the correctly rounded result, or a NaN where they do not know it: then the
 * exact function is asked. All that they know is of a size from 2^-1022 to the greatest double.
 *
 * A function is computed as a sum of two doubles, high and low, together with a bound of what the
 * sum is off: the margin. Where high + (low - margin) and high + (low + margin) round to one
 * double, the exact result, which lies between, does too. The bound of each function is derived
 * beside it; u is 2^-53, the greatest relative error of one rounding. The margins are at least
 * twice what is derived, so that terms of the order of u^2 need no words.
 *
 * The functions stand in near64_FAMILY.h. A result of zero is not certain but where they say so.
 *
 * Where the processor has no fused multiplication, exact products are Dekker's: "A floating-point
 * technique for extending the available precision", Numerische Mathematik 18 (1971). What is
 * accepted may then differ; what is given does not. */
#ifndef REFERENCE_VM_NEAR64_H
#define REFERENCE_VM_NEAR64_H

#include "reference/vm/near.h"

struct near64 {
    double high, low;
};

/* A test looks here at what is rounded. */
#ifndef NEAR64_SEE
#define NEAR64_SEE(value, margin) ((void)0)
#endif

/* a * b + c, rounded once or twice. */
static inline double near64_fma(double a, double b, double c)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/* a * b, exactly, if |a|, |b| < 2^990 and no part of it is below 2^-1074. */
static inline struct near64 near64_product(double a, double b)
{
    const double product = a * b;
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return (struct near64){product, __builtin_fma(a, b, -product)};
#else
    const double a_shifted = a * 0x1.0000002p27;
    const double b_shifted = b * 0x1.0000002p27;
    const double a_high = a_shifted - (a_shifted - a);
    const double b_high = b_shifted - (b_shifted - b);
    const double a_low = a - a_high;
    const double b_low = b - b_high;
    return (struct near64){
        product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
#endif
}

/* a + b, exactly, if |a| >= |b| or a = 0. Else off by at most 2u |b|. */
static inline struct near64 near64_sum(double a, double b)
{
    const double sum = a + b;
    return (struct near64){sum, b - (sum - a)};
}

/* The same without the condition. */
static inline struct near64 near64_any_sum(double a, double b)
{
    const double sum = a + b;
    const double b_part = sum - a;
    return (struct near64){sum, (a - (sum - b_part)) + (b - b_part)};
}

/* The following take numbers with |low| <= 4u |high|, and are off by less than 2^-99 of the result.
 * Lows of that size have products below 16 u^2, of which none is computed, and are added and
 * multiplied with some roundings of 4u^2 each. */
static inline struct near64 near64_times(struct near64 a, struct near64 b)
{
    const struct near64 product = near64_product(a.high, b.high);
    return (struct near64){product.high, product.low + near64_fma(a.high, b.low, a.low * b.high)};
}

/* quotient + rest / b, where the rest of the division, 8u a at most, is exact but for its lows. */
static inline struct near64 near64_quotient(struct near64 a, struct near64 b)
{
    const double inverse = 1 / b.high;
    const double quotient = a.high * inverse;
    const struct near64 product = near64_product(quotient, b.high);
    const double rest =
        ((a.high - product.high) - product.low) + near64_fma(-quotient, b.low, a.low);
    return near64_sum(quotient, rest * inverse);
}

/* One step of Newton's; the next term is 1/8 of the square of rest / a, which is at most 6u. */
static inline struct near64 near64_sqrt(struct near64 a)
{
    const double root = __builtin_sqrt(a.high);
    const struct near64 square = near64_product(root, root);
    const double rest = ((a.high - square.high) - square.low) + a.low;
    return (struct near64){root, root > 0 ? 0.5 * rest / root : 0};
}

/* What the value rounds to, if it is certain. Below 2^-900 products may not have been exact. */
static inline double near64_round(struct near64 value, double margin)
{
    NEAR64_SEE(value, margin);
    const double low = value.high + (value.low - margin);
    const double high = value.high + (value.low + margin);
    return ((low == high) & (__builtin_fabs(low) >= 0x1p-900)) ? low : __builtin_nan("");
}

/* A value that is off by less than half of the margin. */
struct near64_bounded {
    struct near64 value;
    double margin;
};

static inline double near64_round_bounded(struct near64_bounded sum)
{
    return near64_round(sum.value, sum.margin);
}

/* The same times a factor above 0, whose own rounding the margin has room for. */
static inline struct near64_bounded near64_bounded_times(struct near64_bounded sum,
                                                         struct near64 factor)
{
    const struct near64 value = near64_times(sum.value, factor);
    return (struct near64_bounded){value,
                                   sum.margin * factor.high + __builtin_fabs(value.high) * 0x1p-98};
}

/* What both are off appears in proportion. */
static inline struct near64_bounded near64_bounded_quotient(struct near64_bounded top,
                                                            struct near64_bounded bottom)
{
    const struct near64 value = near64_quotient(top.value, bottom.value);
    const double size = __builtin_fabs(value.high);
    const double margin =
        (top.margin + size * bottom.margin) * __builtin_fabs(1 / bottom.value.high);
    return (struct near64_bounded){value, margin + size * 0x1p-98};
}

/* Of a function whose zero is at zero, and is it. */
static inline double near64_or_zero(double x, double value)
{
    return x == 0 ? x : value;
}

#endif
