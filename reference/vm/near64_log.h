/* The logarithms of double, and powers: near64.h. */
#ifndef REFERENCE_VM_NEAR64_LOG_H
#define REFERENCE_VM_NEAR64_LOG_H

#include "reference/vm/near64.h"
#include "reference/vm/near64_exp.h"
#include "reference/vm/near64_tables.h"

/* x = m 2^k with m around 1, and with f from the table log(x) = k log(2) - log(f) + log(1 + r),
 * where r = m f - 1 is a double. */
struct near64_log_parts {
    double r;
    double head;  /* k log(2) - log(f), of which this is a multiple of 2^-42, and exact */
    double rest;  /* what that lacks: below 2^-33, off by 2^-86 at most, or if k = 0 by 2^-96 */
    double slope; /* r = x slope - 1: f 2^-k, where x < 2^1000 */
};

static inline struct near64_log_parts near64_log_parts(double x)
{
    const uint64_t least = UINT64_C(0x3fe6a00000000000); /* (1 + 106 / 256) / 2 */
    const uint64_t biased = (near_bits(x) - least + (UINT64_C(1024) << 52)) >> 52;
    const double k = near_double(near_bits(NEAR_WHOLE) + biased - 1024) - NEAR_WHOLE;
    const double m = near_double(near_bits(x) - ((biased - 1024) << 52));
    const uint64_t index = near_bits(x) >> 44 & 255;
    const double m_first = near64_short(m);
    const double factor = near64_log_table[index][0]; /* of 9 bits */
    const double scale = near_double((UINT64_C(2047) - biased) << 52);
    return (struct near64_log_parts){.slope = factor * scale,
                                     .r = near64_fma(m - m_first, factor, m_first * factor - 1),
                                     .head = k * 0x1.62e42fefa38p-1 + near64_log_table[index][1],
                                     .rest = k * 0x1.ef35793c7673p-45 + near64_log_table[index][2]};
}

static inline int near64_has_log(double x)
{
    return (x >= 0x1p-1022) & (x <= 0x1.fffffffffffffp1023);
}

/* -1/4 + r/5 - r^2 / 6 ... - r^6 / 10: of the series of log(1 + r) / r^3 what follows 1/3, over r.
 */
static inline double near64_log_series(double r)
{
    double p = -1.0 / 10;
    p = near64_fma(p, r, 1.0 / 9);
    p = near64_fma(p, r, -1.0 / 8);
    p = near64_fma(p, r, 1.0 / 7);
    p = near64_fma(p, r, -1.0 / 6);
    p = near64_fma(p, r, 1.0 / 5);
    return near64_fma(p, r, -1.0 / 4);
}

/* log(1 + r) = r - r^2 / 2 + r^3 (1/3 - r/4 + ... - r^7 / 10), where |r| <= 2^-8 and |r|^3 <= 2^-16
 * |log(x)| (near64_tables.py looks that up). r and r^2 / 2 are added without error. The rest is, in
 * proportion to the result, at most 2^-17.5 and has five roundings: 2^-68.2. The series leaves out
 * r^11 / 11: below 2^-83. */
static inline struct near64_bounded near64_log_of(struct near64_log_parts parts)
{
    const double r = parts.r;
    const double p = near64_fma(near64_log_series(r), r, 1.0 / 3);
    const struct near64 square = near64_product(r, r);
    const struct near64 first = near64_sum(parts.head, r);
    const struct near64 second = near64_sum(first.high, -0.5 * square.high);
    const double low = parts.rest + (first.low + second.low - 0.5 * square.low);
    const struct near64 value = near64_sum(second.high, near64_fma(square.high * r, p, low));
    return (struct near64_bounded){value, __builtin_fabs(value.high) * 0x1p-67};
}

static inline double near64_log(double x)
{
    const struct near64_bounded sum = near64_log_of(near64_log_parts(x));
    return near64_has_log(x) ? near64_round_bounded(sum) : __builtin_nan("");
}

/* The logarithm to another base, whose own is 1 / factor. */
static inline double near64_scaled_log(double x, struct near64 factor)
{
    const struct near64_bounded sum = near64_log_of(near64_log_parts(x));
    return near64_has_log(x) ? near64_round_bounded(near64_bounded_times(sum, factor))
                             : __builtin_nan("");
}

static inline double near64_log2(double x)
{
    return near64_scaled_log(x, (struct near64){0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
}

static inline double near64_log10(double x)
{
    return near64_scaled_log(x, (struct near64){0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
}

/* log(1 + x) for -1 < x.high < 2^1000. What the sum lacks is exact when scaled if f is 1, and off
 * by 2^-106 where it is not: there the result is at least 2^-9. r has a low part so; the series is
 * that of its high part. */
static inline struct near64_bounded near64_log1p_of(struct near64 x)
{
    const struct near64 sum = near64_any_sum(1, x.high);
    struct near64_log_parts parts = near64_log_parts(sum.high);
    struct near64 r = near64_any_sum(parts.r, sum.low * parts.slope);
    r.low = near64_fma(x.low, parts.slope, r.low);
    parts.r = r.high;
    parts.rest += near64_fma(-r.high, r.low, r.low);
    return near64_log_of(parts);
}

static inline double near64_log1p(double x)
{
    const double value = near64_round_bounded(near64_log1p_of((struct near64){x, 0}));
    return ((x > -1) & (x < 0x1p1000)) ? near64_or_zero(x, value) : __builtin_nan("");
}

/* Inverse hyperbolic functions: log(1 + w) of a number w > 0, which is off by less than 2^-97, and
 * so the result in proportion. */

/* w = x + sqrt(1 + x^2) - 1 = x + x^2 / (1 + sqrt(1 + x^2)) */
static inline double near64_asinh(double x)
{
    const double size = __builtin_fabs(x);
    const struct near64 square = near64_product(size, size);
    const struct near64 sum = near64_any_sum(1, square.high);
    const struct near64 root = near64_sqrt((struct near64){sum.high, sum.low + square.low});
    const struct near64 bottom = near64_sum(root.high, 1);
    const struct near64 rest =
        near64_quotient(square, (struct near64){bottom.high, bottom.low + root.low});
    const struct near64 w = near64_sum(size, rest.high);
    const double value =
        near64_round_bounded(near64_log1p_of((struct near64){w.high, w.low + rest.low}));
    return size < 0x1p400 ? near64_or_zero(x, __builtin_copysign(value, x)) : __builtin_nan("");
}

/* w = x - 1 + sqrt(x^2 - 1). That is 0 for x = 1 alone. */
static inline double near64_acosh(double x)
{
    const struct near64 square = near64_product(x, x);
    const struct near64 less = near64_sum(square.high, -1);
    const struct near64 root = near64_sqrt(near64_sum(less.high, less.low + square.low));
    const struct near64 start = near64_sum(x, -1);
    const struct near64 w = near64_sum(root.high, start.high);
    const double low = w.low + (start.low + root.low);
    const double value = near64_round_bounded(near64_log1p_of((struct near64){w.high, low}));
    return ((x >= 1) & (x < 0x1p400)) ? (x == 1 ? 0 : value) : __builtin_nan("");
}

/* Half of it, with w = 2 x / (1 - x). */
static inline double near64_atanh(double x)
{
    const double size = __builtin_fabs(x);
    const struct near64 w = near64_quotient((struct near64){2 * size, 0}, near64_sum(1, -size));
    const double value = 0.5 * near64_round_bounded(near64_log1p_of(w));
    return size < 1 ? near64_or_zero(x, __builtin_copysign(value, x)) : __builtin_nan("");
}

/* ---- powers ---- */

/* The logarithm with an error below 2^-77.7 of it: r^3 times the sum in brackets in two doubles,
 * too. Of the sum all but 1/3, below 2^-9.9, has two roundings: 2^-61.3 of the sum, which is
 * 2^-17.5 of the result. */
static inline struct near64 near64_fine_log(double x)
{
    const struct near64_log_parts parts = near64_log_parts(x);
    const double r = parts.r;
    struct near64 bracket = near64_sum(1.0 / 3, near64_log_series(r) * r);
    bracket.low += 0x1.5555555555555p-56; /* what 1.0 / 3 lacks */
    const struct near64 square = near64_product(r, r);
    struct near64 cube = near64_product(square.high, r);
    cube.low = near64_fma(square.low, r, cube.low);
    const struct near64 third = near64_product(cube.high, bracket.high);
    const double third_low =
        near64_fma(cube.high, bracket.low, near64_fma(cube.low, bracket.high, third.low));
    const struct near64 first = near64_sum(parts.head, r);
    const struct near64 second = near64_sum(first.high, -0.5 * square.high);
    const struct near64 last = near64_sum(second.high, third.high);
    const double low = first.low + second.low - 0.5 * square.low;
    return near64_sum(last.high, last.low + (parts.rest + (low + third_low)));
}

/* e^t of a multiple t of log(x): what t is off, 2^-77.7 |t|, is the same in proportion to the
 * result. */
static inline double near64_power_of(double x, struct near64 t)
{
    const struct near64_scaled scaled = near64_exp_of(t);
    const double margin = scaled.margin + __builtin_fabs(t.high) * 0x1p-76;
    return (near64_has_log(x) & (__builtin_fabs(t.high) < 708))
               ? near64_round_scaled(scaled, margin)
               : __builtin_nan("");
}

static inline double near64_pow(double x, double y)
{
    const struct near64 log = near64_fine_log(x);
    struct near64 t = near64_product(y, log.high);
    t.low = near64_fma(y, log.low, t.low);
    return near64_power_of(x, t);
}

static inline double near64_pown(double x, int32_t n)
{
    return near_odd_sign(near64_pow(__builtin_fabs(x), n), x, n);
}

static inline double near64_rootn(double x, int32_t n)
{
    const double size = __builtin_fabs(x);
    const struct near64 t = near64_quotient(near64_fine_log(size), (struct near64){n, 0});
    const double value = near_odd_sign(near64_power_of(size, t), x, n);
    return near_has_root(x, n) ? value : __builtin_nan("");
}

#endif
