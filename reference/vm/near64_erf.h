/* The error functions of double: near64.h. */
#ifndef REFERENCE_VM_NEAR64_ERF_H
#define REFERENCE_VM_NEAR64_ERF_H

#include "reference/vm/near64.h"
#include "reference/vm/near64_exp.h"
#include "reference/vm/near64_tables.h"

/* erf(a + d) = F + K d (1 + b1 d + b2 d^2 + ...) for a multiple a of 1/64 and |d| <= 1/128, with F
 * and its derivative K = 2 / sqrt(pi) e^(-a^2) from the table. e^(-2 a d - d^2) = 1 + g1 d + g2 d^2
 * ... has n g(n) = -2 a g(n - 1) - 2 g(n - 2), and b(n) = g(n) / (n + 1). Left out are b9 d^9 and
 * what follows, below 2^-75 of the result: |H9(a)| e^(-a^2) <= 30240 a, with Hermite's H9 = 9! g9.
 *
 * F and K d are added without error, F being 0 or greater. b1 = -a has none, b2 = (2 a^2 - 1) / 3
 * at most 4u (2 a^2 + 1) / 3, of which d is less than 1/6 of a, if a is not 0. The sum has a
 * rounding there, and one each when multiplied by d and K d and added: 7u of what is added. */
static inline double near64_erf(double x)
{
    const double size = __builtin_fabs(x) < 6 ? __builtin_fabs(x) : 6; /* there it rounds to 1 */
    const double sum = size * 64 + NEAR_WHOLE;
    const double a = (sum - NEAR_WHOLE) * 0x1p-6;
    const double d = size - a;
    const uint64_t index = near_bits(sum) & 511;
    const double g1 = -2 * a;
    const double g2 = near64_fma(-a, g1, -1);
    const double g3 = near64_fma(-a, g2, -g1) * (2.0 / 3);
    const double g4 = near64_fma(-a, g3, -g2) * (2.0 / 4);
    const double g5 = near64_fma(-a, g4, -g3) * (2.0 / 5);
    const double g6 = near64_fma(-a, g5, -g4) * (2.0 / 6);
    const double g7 = near64_fma(-a, g6, -g5) * (2.0 / 7);
    const double g8 = near64_fma(-a, g7, -g6) * (2.0 / 8);
    double p = g8 * (1.0 / 9);
    p = near64_fma(p, d, g7 * (1.0 / 8));
    p = near64_fma(p, d, g6 * (1.0 / 7));
    p = near64_fma(p, d, g5 * (1.0 / 6));
    p = near64_fma(p, d, g4 * (1.0 / 5));
    p = near64_fma(p, d, g3 * (1.0 / 4));
    p = near64_fma(p, d, g2 * (1.0 / 3));
    p = near64_fma(p, d, -a) * d;
    const struct near64 product = near64_product(near64_erf_table[index][2], d);
    const struct near64 head = near64_sum(near64_erf_table[index][0], product.high);
    const double rest = head.low + (near64_fma(near64_erf_table[index][3], d, product.low) +
                                    near64_erf_table[index][1]);
    const struct near64 value = near64_sum(head.high, near64_fma(product.high, p, rest));
    const double margin = __builtin_fabs(product.high * p) * 0x1.cp-50 + value.high * 0x1p-74;
    return x == x ? near64_or_zero(x, __builtin_copysign(near64_round(value, margin), x)) : x;
}

/* e^(x^2) erfc(x) for x from 0 to 26.5, as near64_tables.h tells. With c3 d^3 < 2^-18 of the
 * result, three roundings in it are 2^-69.4, and the polynomial is off by 2^-71. */
static inline struct near64 near64_erfcx(double x)
{
    const uint64_t bits = near_bits(x + 1) >> 47;
    const double middle = near_double(bits << 47 | UINT64_C(1) << 46) - 1;
    const uint64_t index = bits - (1023 << 5);
    const struct near64 d = near64_sum(-middle, x);
    double p = near64_erfcx_table[index][13];
    p = near64_fma(p, d.high, near64_erfcx_table[index][12]);
    p = near64_fma(p, d.high, near64_erfcx_table[index][11]);
    p = near64_fma(p, d.high, near64_erfcx_table[index][10]);
    p = near64_fma(p, d.high, near64_erfcx_table[index][9]);
    p = near64_fma(p, d.high, near64_erfcx_table[index][8]);
    p = near64_fma(p, d.high, near64_erfcx_table[index][7]);
    p = near64_fma(p, d.high, near64_erfcx_table[index][6]);
    const struct near64 second = near64_sum(near64_erfcx_table[index][4], p * d.high);
    struct near64 product = near64_product(second.high, d.high);
    product.low = near64_fma(second.low + near64_erfcx_table[index][5], d.high, product.low);
    struct near64 first = near64_sum(near64_erfcx_table[index][2], product.high);
    first.low += product.low + near64_erfcx_table[index][3];
    const double slope = near64_fma(second.high, d.high, first.high);
    product = near64_product(first.high, d.high);
    product.low += near64_fma(first.low, d.high, slope * d.low);
    struct near64 value = near64_sum(near64_erfcx_table[index][0], product.high);
    value.low += product.low + near64_erfcx_table[index][1];
    return value;
}

/* For x < 0 it is 2 - erfc(-x). */
static inline double near64_erfc(double x)
{
    const double size = __builtin_fabs(x) < 26.5 ? __builtin_fabs(x) : 26.5;
    const struct near64 square = near64_product(size, size);
    const struct near64_scaled power = near64_exp_of((struct near64){-square.high, -square.low});
    const struct near64 factor = near64_erfcx(size);
    const struct near64 product = near64_product(power.value.high, factor.high);
    const double low = near64_fma(power.value.high, factor.low,
                                  near64_fma(power.value.low, factor.high, product.low));
    /* The greatest numbers are rounded before they are scaled, as what is left of a small one would
     * be too small for a double. */
    const double before = x < 0 ? -power.scale : 1;
    const double after = x < 0 ? 1 : power.scale;
    struct near64 value = near64_sum(x < 0 ? 2 : 0, product.high * before);
    value = near64_sum(value.high, near64_fma(low, before, value.low));
    const double margin =
        product.high * (power.margin + 0x1p-68) * __builtin_fabs(before) + value.high * 0x1p-98;
    return x < 26.5 ? near64_round(value, margin) * after : __builtin_nan("");
}

#endif
