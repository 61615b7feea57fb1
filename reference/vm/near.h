/* Approximations of elementary functions that a compiler makes loops over lanes of: no calls, no
 * branches. A relative error of less than 2^-42 where the result is a number; a NaN where they do
 * not know. They are for operands and results in float's range, and say nothing of signs of zeros:
 * ops.def asks the exact function wherever the neighbourhood of an approximation, much wider than
 * its error, does not round to one value other than zero. */
#ifndef REFERENCE_VM_NEAR_H
#define REFERENCE_VM_NEAR_H

#include <stdint.h>
#include <string.h>

static inline uint64_t near_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double near_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Adding this rounds to a whole number n, up to 2^51: n lies in the low bits of the sum. */
#define NEAR_WHOLE 0x1.8p52

/* e^r * 2^n for |r| <= ln(2) / 2: the series to r^11; the next term is below 2^-47. `sum` is n +
 * NEAR_WHOLE, |n| < 1022. */
static inline double near_scaled_exp(double r, double sum)
{
    double p = 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1;
    p = p * r + 1;
    return p * near_double((near_bits(sum) + 1023) << 52);
}

static inline double near_exp(double x)
{
    const double sum = x * 0x1.71547652b82fep+0 + NEAR_WHOLE;
    const double n = sum - NEAR_WHOLE;
    const double r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    return __builtin_fabs(x) < 700 ? near_scaled_exp(r, sum) : (double)__builtin_nanf("");
}

static inline double near_exp2(double x)
{
    const double sum = x + NEAR_WHOLE;
    const double r = (x - (sum - NEAR_WHOLE)) * 0x1.62e42fefa39efp-1;
    return __builtin_fabs(x) < 1000 ? near_scaled_exp(r, sum) : (double)__builtin_nanf("");
}

/* x = m * 2^k with m around 1, and with s = (m - 1) / (m + 1): log(m) = 2 s (1 + s^2 / 3 + s^4 / 5
 * ...), to s^18; what is left out is below 2^-50. */
static inline double near_log(double x)
{
    const uint64_t half_root = UINT64_C(0x3fe6a09e667f3bcd); /* sqrt(1/2) */
    const uint64_t biased = (near_bits(x) - half_root + (UINT64_C(1024) << 52)) >> 52;
    const double k = near_double(near_bits(NEAR_WHOLE) + biased - 1024) - NEAR_WHOLE;
    const double m = near_double(near_bits(x) - ((biased - 1024) << 52));
    const double s = (m - 1) / (m + 1);
    const double z = s * s;
    double p = 1.0 / 19;
    p = p * z + 1.0 / 17;
    p = p * z + 1.0 / 15;
    p = p * z + 1.0 / 13;
    p = p * z + 1.0 / 11;
    p = p * z + 1.0 / 9;
    p = p * z + 1.0 / 7;
    p = p * z + 1.0 / 5;
    p = p * z + 1.0 / 3;
    p = p * z + 1;
    const double value = k * 0x1.62e42fefa39efp-1 + 2 * s * p;
    return x >= 0x1p-1000 && x < 0x1p1000 ? value : (double)__builtin_nanf("");
}

/* sin(x + quarters * pi / 2). x is reduced by a multiple of pi / 2 in three parts of 33 bits, so
 * that products with n < 2^17 are exact; on |r| <= pi / 4 the series run to r^15 and r^14. */
static inline double near_sin_quarter(double x, uint64_t quarters)
{
    const double sum = x * 0x1.45f306dc9c883p-1 + NEAR_WHOLE;
    const double n = sum - NEAR_WHOLE;
    const double r =
        ((x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a600000p-34) - n * 0x1.3198a2e037073p-69;
    const double z = r * r;
    double s = -1.0 / 1307674368000;
    s = s * z + 1.0 / 6227020800;
    s = s * z - 1.0 / 39916800;
    s = s * z + 1.0 / 362880;
    s = s * z - 1.0 / 5040;
    s = s * z + 1.0 / 120;
    s = s * z - 1.0 / 6;
    s = s * z * r + r;
    double c = -1.0 / 87178291200;
    c = c * z + 1.0 / 479001600;
    c = c * z - 1.0 / 3628800;
    c = c * z + 1.0 / 40320;
    c = c * z - 1.0 / 720;
    c = c * z + 1.0 / 24;
    c = c * z - 0.5;
    c = c * z + 1;
    const uint64_t quadrant = near_bits(sum) + quarters;
    const double size = quadrant & 1 ? c : s;
    const double value = near_double(near_bits(size) ^ (quadrant & 2) << 62);
    return __builtin_fabs(x) < 0x1p17 ? value : (double)__builtin_nanf("");
}

static inline double near_sin(double x)
{
    return near_sin_quarter(x, 0);
}

static inline double near_cos(double x)
{
    return near_sin_quarter(x, 1);
}

static inline double near_tan(double x)
{
    return near_sin_quarter(x, 0) / near_sin_quarter(x, 1);
}

/* The error of the logarithm, times the exponent of the result: at most 2^-43 for float's. */
static inline double near_pow(double x, double y)
{
    return near_exp(y * near_log(x));
}

static inline double near_rsqrt(double x)
{
    return 1 / __builtin_sqrt(x);
}

#endif
