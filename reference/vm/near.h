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

/* (e^r - 1) / r for |r| <= ln(2) / 2: the series of e^r to r^11; the next term is below 2^-47. */
static inline double near_exp_slope(double r)
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
    return p * r + 1;
}

/* 2^n, where `sum` is n + NEAR_WHOLE, |n| < 1022. */
static inline double near_power_of_two(double sum)
{
    return near_double((near_bits(sum) + 1023) << 52);
}

static inline double near_scaled_exp(double r, double sum)
{
    return (near_exp_slope(r) * r + 1) * near_power_of_two(sum);
}

/* x = r + n log(2); `sum` is n + NEAR_WHOLE. */
struct near_exp_parts {
    double r, sum;
};

static inline struct near_exp_parts near_exp_parts(double x)
{
    const double sum = x * 0x1.71547652b82fep+0 + NEAR_WHOLE;
    const double n = sum - NEAR_WHOLE;
    return (struct near_exp_parts){(x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33, sum};
}

static inline double near_exp(double x)
{
    const struct near_exp_parts parts = near_exp_parts(x);
    return __builtin_fabs(x) < 700 ? near_scaled_exp(parts.r, parts.sum)
                                   : (double)__builtin_nanf("");
}

static inline double near_exp2(double x)
{
    const double sum = x + NEAR_WHOLE;
    const double r = (x - (sum - NEAR_WHOLE)) * 0x1.62e42fefa39efp-1;
    return __builtin_fabs(x) < 1000 ? near_scaled_exp(r, sum) : (double)__builtin_nanf("");
}

/* The product is off by 2^-46 for a result in float's range. */
static inline double near_exp10(double x)
{
    return near_exp(x * 0x1.26bb1bbb55516p+1);
}

/* If n is not 0, |2^n - 1| is greater than half of 2^n |e^r - 1|. */
static inline double near_expm1(double x)
{
    const struct near_exp_parts parts = near_exp_parts(x);
    const double scale = near_power_of_two(parts.sum);
    const double value = near_exp_slope(parts.r) * parts.r * scale + (scale - 1);
    return __builtin_fabs(x) < 700 ? value : (double)__builtin_nanf("");
}

static inline double near_sinh(double x)
{
    const double power = near_expm1(__builtin_fabs(x));
    return __builtin_copysign(0.5 * (power + power / (power + 1)), x);
}

static inline double near_cosh(double x)
{
    const double power = near_exp(x);
    return 0.5 * (power + 1 / power);
}

/* From 22 on it is 1, but for 2^-62. */
static inline double near_tanh(double x)
{
    const double size = __builtin_fabs(x);
    const double power = near_expm1(2 * (size > 22 ? 22 : size));
    return __builtin_copysign(power / (power + 2), x);
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

static inline double near_log2(double x)
{
    return near_log(x) * 0x1.71547652b82fep+0;
}

static inline double near_log10(double x)
{
    return near_log(x) * 0x1.bcb7b1526e50ep-2;
}

/* What 1 + x lacks is at most 2^-53. It counts where x is small, and then its logarithm is itself.
 */
static inline double near_log1p(double x)
{
    const double sum = 1 + x;
    return near_log(sum) + (__builtin_fabs(x) < 0.5 ? x - (sum - 1) : 0);
}

static inline double near_asinh(double x)
{
    const double size = __builtin_fabs(x);
    const double square = x * x;
    return __builtin_copysign(near_log1p(size + square / (1 + __builtin_sqrt(1 + square))), x);
}

static inline double near_acosh(double x)
{
    return near_log1p((x - 1) + __builtin_sqrt((x - 1) * (x + 1)));
}

static inline double near_atanh(double x)
{
    const double size = __builtin_fabs(x);
    return __builtin_copysign(0.5 * near_log1p(2 * size / (1 - size)), x);
}

/* sin(r + quadrant * pi / 2) for |r| <= pi / 4: the series run to r^15 and r^14. */
static inline double near_sin_of(double r, uint64_t quadrant)
{
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
    const double size = quadrant & 1 ? c : s;
    return near_double(near_bits(size) ^ (quadrant & 2) << 62);
}

/* sin(x + quarters * pi / 2). x is reduced by a multiple of pi / 2 in three parts of 33 bits, so
 * that products with n < 2^17 are exact. */
static inline double near_sin_quarter(double x, uint64_t quarters)
{
    const double sum = x * 0x1.45f306dc9c883p-1 + NEAR_WHOLE;
    const double n = sum - NEAR_WHOLE;
    const double r =
        ((x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a600000p-34) - n * 0x1.3198a2e037073p-69;
    const double value = near_sin_of(r, near_bits(sum) + quarters);
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

/* sin((x + quarters / 2) pi); x is reduced exactly. */
static inline double near_sinpi_quarter(double x, uint64_t quarters)
{
    const double sum = 2 * x + NEAR_WHOLE;
    const double r = (x - 0.5 * (sum - NEAR_WHOLE)) * 0x1.921fb54442d18p+1;
    const double value = near_sin_of(r, near_bits(sum) + quarters);
    return __builtin_fabs(x) < 0x1p49 ? value : (double)__builtin_nanf("");
}

static inline double near_sinpi(double x)
{
    return near_sinpi_quarter(x, 0);
}

static inline double near_cospi(double x)
{
    return near_sinpi_quarter(x, 1);
}

/* The sign of an infinity would be that of a zero. */
static inline double near_tanpi(double x)
{
    const double bottom = near_sinpi_quarter(x, 1);
    return bottom != 0 ? near_sinpi_quarter(x, 0) / bottom : (double)__builtin_nanf("");
}

/* atan(y / x) in the quadrant of (x, y). With t in [0, 1], atan(t) is t times a polynomial in t^2
 * that interpolates at Chebyshev's points, with an error of 2^-46. */
static inline double near_atan2(double y, double x)
{
    const double width = __builtin_fabs(x);
    const double height = __builtin_fabs(y);
    const int steep = height > width;
    const double t = (steep ? width : height) / (steep ? height : width);
    const double z = t * t;
    double p = 0x1.283feaa45a00bp-14;
    p = p * z - 0x1.632880ebc0806p-11;
    p = p * z + 0x1.91ddbe8be7487p-9;
    p = p * z - 0x1.201c4b8d91d39p-7;
    p = p * z + 0x1.2a2a56446600bp-6;
    p = p * z - 0x1.e4c94fec85998p-6;
    p = p * z + 0x1.4bebf6bf28c12p-5;
    p = p * z - 0x1.97cc28274db66p-5;
    p = p * z + 0x1.daa905227a396p-5;
    p = p * z - 0x1.1039e3c226d85p-4;
    p = p * z + 0x1.3aef08a59e63fp-4;
    p = p * z - 0x1.7458b156b52ecp-4;
    p = p * z + 0x1.c71c17c81fa37p-4;
    p = p * z - 0x1.249246f12fecdp-3;
    p = p * z + 0x1.9999998afda97p-3;
    p = p * z - 0x1.555555554202ap-2;
    p = p * z + 0x1.fffffffffffbcp-1;
    p *= t;
    p = steep ? 0x1.921fb54442d18p+0 - p : p;
    p = x < 0 ? 0x1.921fb54442d18p+1 - p : p;
    return __builtin_copysign(p, y);
}

static inline double near_atan(double x)
{
    return near_atan2(x, 1);
}

static inline double near_asin(double x)
{
    return near_atan2(x, __builtin_sqrt((1 - x) * (1 + x)));
}

static inline double near_acos(double x)
{
    return near_atan2(__builtin_sqrt((1 - x) * (1 + x)), x);
}

static inline double near_over_pi(double angle)
{
    return angle * 0x1.45f306dc9c883p-2;
}

static inline double near_atan2pi(double y, double x)
{
    return near_over_pi(near_atan2(y, x));
}

static inline double near_atanpi(double x)
{
    return near_over_pi(near_atan(x));
}

static inline double near_asinpi(double x)
{
    return near_over_pi(near_asin(x));
}

static inline double near_acospi(double x)
{
    return near_over_pi(near_acos(x));
}

/* The error of the logarithm, times the exponent of the result: at most 2^-43 for float's. */
static inline double near_pow(double x, double y)
{
    return near_exp(y * near_log(x));
}

/* The size, with x's sign if n is odd. */
static inline double near_odd_sign(double size, double x, int32_t n)
{
    return near_double(near_bits(size) | (near_bits(x) & (uint64_t)n << 63));
}

static inline double near_pown(double x, int32_t n)
{
    return near_odd_sign(near_pow(__builtin_fabs(x), n), x, n);
}

/* Negative numbers have no even roots. */
static inline int near_has_root(double x, int32_t n)
{
    return (near_bits(x) >> 63 & ~(uint64_t)n) == 0;
}

static inline double near_rootn(double x, int32_t n)
{
    const double size = near_exp(near_log(__builtin_fabs(x)) / n);
    return near_has_root(x, n) ? near_odd_sign(size, x, n) : (double)__builtin_nanf("");
}

/* erfc(x) = e^(-x^2) q(t) / (1 + 2 x) for x >= 0, where t = (x - 3.75) / (x + 3.75) lies in [-1,
 * 0.47]: Shepherd and Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x",
 * Mathematics of Computation 36 (1981). q interpolates at Chebyshev's points of that interval, with
 * an error of 2^-44. Beyond 10.25, and of a NaN, the result is what it is at 10.25: too near to
 * zero for a float. */
static inline double near_erfc(double x)
{
    const double limit = 10.25;
    const double size = __builtin_fabs(x) < limit ? __builtin_fabs(x) : limit;
    const double inverse = 1 / ((size + 3.75) * (1 + 2 * size));
    const double t = (size - 3.75) * (1 + 2 * size) * inverse;
    double q = -0x1.fc1625176ac59p-23;
    q = q * t - 0x1.506ffc651a735p-18;
    q = q * t - 0x1.ce880920f7fa4p-17;
    q = q * t + 0x1.8e8c67dbb513cp-16;
    q = q * t + 0x1.c315c6c9de0bap-15;
    q = q * t - 0x1.2fea996a07e55p-12;
    q = q * t + 0x1.335fa8a683607p-12;
    q = q * t + 0x1.cc2ba09b9d00fp-10;
    q = q * t - 0x1.3f5fa9a5edd54p-7;
    q = q * t + 0x1.d0b02d094efa0p-6;
    q = q * t - 0x1.e0d0fc333dda1p-5;
    q = q * t + 0x1.7a1417b83b06cp-4;
    q = q * t - 0x1.bda93097d2f80p-4;
    q = q * t + 0x1.510169d79ae20p-4;
    q = q * t + 0x1.d5f2948306648p-9;
    q = q * t - 0x1.1f367684013e4p-3;
    q = q * t + 0x1.3ccda0b5d5db4p+0;
    q *= (size + 3.75) * inverse * near_exp(-size * size);
    return x < 0 ? 2 - q : q;
}

/* On |x| < 1 by a polynomial in x^2 that is made likewise, with an error of 2^-45. An infinity
 * gives a NaN, as a NaN does. */
static inline double near_erf(double x)
{
    const double z = x * x;
    double p = -0x1.c1a515de8637ap-24;
    p = p * z + 0x1.9ae0986f9de4fp-20;
    p = p * z - 0x1.f0705a1dde9aap-17;
    p = p * z + 0x1.f941bed7e7847p-14;
    p = p * z - 0x1.c0286cad68e02p-11;
    p = p * z + 0x1.565ba0406c001p-8;
    p = p * z - 0x1.b82ce15c3b7f8p-6;
    p = p * z + 0x1.ce2f2197bc2efp-4;
    p = p * z - 0x1.812746b0271ecp-2;
    p = p * z + 0x1.20dd750429b19p+0;
    const double far = __builtin_copysign(1 - near_erfc(__builtin_fabs(x)), x) + (x - x);
    return __builtin_fabs(x) < 1 ? p * x : far;
}

static inline double near_rsqrt(double x)
{
    return 1 / __builtin_sqrt(x);
}

static inline double near_hypot(double x, double y)
{
    return __builtin_sqrt(x * x + y * y);
}

/* |x| = m 2^(3 k); `inverse` is 1 / cbrt(m), scale 2^k. */
struct near_cbrt_parts {
    double m, inverse, scale;
};

/* m lies in [1/2, 4). The polynomial is off by 2^-6.5, and has coefficients of few bits. With
 * r = 1 - m y^3, 1 / cbrt(m) = y (1 - r)^(-1/3) = y (1 + r/3 + 2/9 r^2 + 14/81 r^3 + 35/243 r^4
 * ...): after the first step |r| < 2^-20, and the next leaves out 2^-62. */
static inline struct near_cbrt_parts near_cbrt_parts(double x)
{
    const uint64_t bits = near_bits(__builtin_fabs(x));
    const double exponent = near_double(near_bits(NEAR_WHOLE) + (bits >> 52)) - NEAR_WHOLE - 1023;
    const double third = exponent * (1.0 / 3) + NEAR_WHOLE;
    const double m = near_double(bits - (3 * near_bits(third) << 52));
    double y = 0.00926;
    y = y * m - 0.10725;
    y = y * m + 0.47174;
    y = y * m - 1.0182;
    y = y * m + 1.6502;
    double r = 1 - m * y * y * y;
    y += y * r * (1.0 / 3 + r * (2.0 / 9 + r * (14.0 / 81)));
    r = 1 - m * y * y * y;
    y += y * r * (1.0 / 3 + r * (2.0 / 9));
    return (struct near_cbrt_parts){m, y, near_power_of_two(third)};
}

static inline double near_cbrt(double x)
{
    const struct near_cbrt_parts parts = near_cbrt_parts(x);
    const double size = parts.m * parts.inverse * parts.inverse * parts.scale;
    return __builtin_fabs(x) >= 0x1p-1022 && __builtin_fabs(x) < 0x1p1023
               ? __builtin_copysign(size, x)
               : (double)__builtin_nanf("");
}

#endif
