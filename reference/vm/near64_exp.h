/* The exponential functions of double: near64.h. */
#ifndef REFERENCE_VM_NEAR64_EXP_H
#define REFERENCE_VM_NEAR64_EXP_H

#include "reference/vm/near64.h"
#include "reference/vm/near64_tables.h"

/* value * scale is e^r 2^(n / 128), but for at most margin * value; scale is a power of two. */
struct near64_scaled {
    struct near64 value;
    double scale, margin;
};

/* The first 26 bits of the number. */
static inline double near64_short(double value)
{
    return near_double(near_bits(value) & ~UINT64_C(0) << 27);
}

/* 2^(n / 128) = (first + second) scale, the sum in [1, 2), where n = sum - NEAR_WHOLE and |n| <
 * 1022 * 128. The sum is off by 2^-81. */
struct near64_power {
    double first, second, scale;
};

static inline struct near64_power near64_power(double sum)
{
    const uint64_t index = near_bits(sum) & 127;
    return (struct near64_power){
        near64_exp2_table[index][0], near64_exp2_table[index][1],
        /* The low bits of `sum` are n, in two's complement. */
        near_double((near_bits(sum) + (1023 << 7)) << 45 & UINT64_C(0xfff) << 52)};
}

/* Of a power of two. */
static inline double near64_inverse_scale(double scale)
{
    return near_double((UINT64_C(2046) << 52) - near_bits(scale));
}

/* 1/6 + h/24 + h^2 / 120 + ... + h^4 / 5040: of the series of e^h what follows the square. */
static inline double near64_exp_series(double h)
{
    double p = 1.0 / 5040;
    p = near64_fma(p, h, 1.0 / 720);
    p = near64_fma(p, h, 1.0 / 120);
    p = near64_fma(p, h, 1.0 / 24);
    return near64_fma(p, h, 1.0 / 6);
}

/* Of r = r.high + r.low with |r.high| < 2^-8.5 and |r.low| <= 2u |r.high| + 2^-90, and n = sum -
 * NEAR_WHOLE, |n| < 1022 * 128. With h = r.high, and T = 2^(j / 128) from the table, in [1, 2),
 *
 *   e^r T = T + T h + T q,   q = r.low (1 + h) + h^2 (1/2 + h/6 + ... + h^5 / 5040).
 *
 * The series leaves out h^8 / 40320 < 2^-83. h^2, the sum in brackets and the two products with
 * them are off by at most u h^2 / 2 each, as are the two additions of T q and of q: together 3u h^2
 * of the result. T and h have first parts of 27 and 26 bits, whose product is exact. What else
 * there is of T and T h is below 2^-26: three roundings, and what the table lacks, are 2^-78. */
static inline struct near64_scaled near64_scaled_exp(struct near64 r, double sum)
{
    const double h = r.high;
    const double h_first = near64_short(h);
    const double square = h * h;
    const struct near64_power power = near64_power(sum);
    const double first = power.first;
    const double second = power.second;
    const double p = near64_fma(near64_exp_series(h), h, 0.5);
    const double q = near64_fma(square, p, near64_fma(r.low, h, r.low));
    const struct near64 head = near64_sum(first, first * h_first);
    const double rest = near64_fma(second, h, near64_fma(first, h - h_first, second + head.low));
    return (struct near64_scaled){.value =
                                      near64_sum(head.high, near64_fma(first + second, q, rest)),
                                  .scale = power.scale,
                                  .margin = square * 0x1.8p-51 + 0x1p-77};
}

static inline double near64_round_scaled(struct near64_scaled scaled, double margin)
{
    return near64_round(scaled.value, margin * scaled.value.high) * scaled.scale;
}

/* x = r + n log(2) / 128; `sum` is n + NEAR_WHOLE. */
struct near64_exp_parts {
    struct near64 r;
    double sum;
};

/* Of x = x.high + x.low with |x.high| < 708 and |x.low| <= 2u |x.high|. log(2) / 128 is taken in
 * two parts: the first has 36 bits, so that n times it is exact, and by Sterbenz's lemma x.high
 * less that; the second is below 2^-46, n times it below 2^-29 and off by 2^-82. If n is 0, r is x.
 */
static inline struct near64_exp_parts near64_exp_parts(struct near64 x)
{
    const double sum = x.high * 0x1.71547652b82fep+7 + NEAR_WHOLE;
    const double n = sum - NEAR_WHOLE;
    const double first = x.high - n * 0x1.62e42fefap-8;
    const struct near64 r = near64_sum(first, -n * 0x1.cf79abc9e3b3ap-47);
    return (struct near64_exp_parts){near64_sum(r.high, r.low + x.low), sum};
}

static inline struct near64_scaled near64_exp_of(struct near64 x)
{
    const struct near64_exp_parts parts = near64_exp_parts(x);
    return near64_scaled_exp(parts.r, parts.sum);
}

static inline double near64_exp(double x)
{
    const struct near64_scaled scaled = near64_exp_of((struct near64){x, 0});
    return __builtin_fabs(x) < 708 ? near64_round_scaled(scaled, scaled.margin) : __builtin_nan("");
}

/* x - n / 128 is exact, and at most 2^-8. */
static inline double near64_exp2(double x)
{
    const double sum = x * 128 + NEAR_WHOLE;
    const double part = x - (sum - NEAR_WHOLE) * 0x1p-7;
    struct near64 r = near64_product(part, 0x1.62e42fefa39efp-1);
    r.low = near64_fma(part, 0x1.abc9e3b39803fp-56, r.low);
    const struct near64_scaled scaled = near64_scaled_exp(r, sum);
    return __builtin_fabs(x) < 1021 ? near64_round_scaled(scaled, scaled.margin)
                                    : __builtin_nan("");
}

/* x log(10) is off by 2^-94. */
static inline double near64_exp10(double x)
{
    struct near64 t = near64_product(x, 0x1.26bb1bbb55516p+1);
    t.low = near64_fma(x, -0x1.f48ad494ea3e9p-53, t.low);
    const struct near64_scaled scaled = near64_exp_of(t);
    return __builtin_fabs(t.high) < 708 ? near64_round_scaled(scaled, scaled.margin)
                                        : __builtin_nan("");
}

/* scale (T - 1 / scale + T (e^r - 1)) for T = 2^(j / 128) from the table, and with h = r.high
 *
 *   e^r - 1 = h + h^2 / 2 + r.low (1 + h) + h^3 (1/6 + h/24 + ... + h^4 / 5040).
 *
 * h^2 / 2 is exact. The series leaves out h^8 / 40320 < 2^-57 |h|^3; the sum in brackets and the
 * two products with it are off by u |h|^3 / 6 each, and what the addition is off is that and u^2
 * |h|: less than 2^-53.9 |h|^3. If n is 0, T - 1 / scale is 0. Otherwise it is at least 2^-7.6 T,
 * greater than what is added to it, and so what T, 2^-81, and r, 2^-82, are off is below 2^-72.8 of
 * it, and terms of u^2 T are, too. */
static inline double near64_expm1(double x)
{
    const double least = -64; /* there it rounds to -1 */
    const struct near64_exp_parts parts =
        near64_exp_parts((struct near64){x < least ? least : x, 0});
    const struct near64_power power = near64_power(parts.sum);
    const double h = parts.r.high;
    const struct near64 square = near64_product(h, h);
    const double cube = square.high * h;
    const struct near64 first = near64_sum(h, 0.5 * square.high);
    const double low =
        first.low + near64_fma(0.5, square.low, near64_fma(parts.r.low, h, parts.r.low));
    const struct near64 rest = near64_sum(first.high, near64_fma(cube, near64_exp_series(h), low));
    const struct near64 t = near64_sum(power.first, power.second);
    const struct near64 product = near64_times(t, rest);
    const struct near64 head = near64_any_sum(t.high, -near64_inverse_scale(power.scale));
    const struct near64 sum = near64_sum(head.high, product.high);
    const struct near64 value = near64_sum(sum.high, sum.low + ((head.low + t.low) + product.low));
    const double margin = t.high * __builtin_fabs(cube) * 0x1.7p-53 +
                          __builtin_fabs(head.high) * 0x1p-71 +
                          __builtin_fabs(value.high) * 0x1p-98;
    return x < 708 ? near64_or_zero(x, near64_round(value, margin) * power.scale)
                   : __builtin_nan("");
}

#endif
