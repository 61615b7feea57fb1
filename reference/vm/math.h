/* The mathematical built-ins of OpenCL C, correctly rounded to nearest even: OpenCL C 3.0, 6.15.2.
 *
 * The specification allows errors of some ULP; the reference device allows none, so that a golden
 * output does not depend on the libm of the host. A half or float function is evaluated in double
 * and a double function in long double; where the neighbourhood of that approximation, much wider
 * than its error, rounds to one value, that value is the result; elsewhere MPFR decides. NaN
 * results are the canonical quiet NaN. Special cases are those of C99 F.9 with the exceptions of
 * OpenCL C 3.0, 7.5.1 (pown, powr, rootn, ilogb ...). The functions of half, _f16, take and give
 * halves as floats.
 *
 * Pure functions of their operands; any thread may call them. */
#ifndef REFERENCE_VM_MATH_H
#define REFERENCE_VM_MATH_H

#include <stdint.h>

/* The functions that need correct rounding: X(name, expression in double, in long double, MPFR's
 * function), of x, or of x and y. */
/* clang-format off */
#define MATH_UNARY_TABLE(X)                                                              \
    X(acos, acos(x), acosl(x), mpfr_acos)                                                \
    X(acosh, acosh(x), acoshl(x), mpfr_acosh)                                            \
    X(acospi, acos(x) / pi_d, acosl(x) / pi_l, mpfr_acospi)                              \
    X(asin, asin(x), asinl(x), mpfr_asin)                                                \
    X(asinh, asinh(x), asinhl(x), mpfr_asinh)                                            \
    X(asinpi, asin(x) / pi_d, asinl(x) / pi_l, mpfr_asinpi)                              \
    X(atan, atan(x), atanl(x), mpfr_atan)                                                \
    X(atanh, atanh(x), atanhl(x), mpfr_atanh)                                            \
    X(atanpi, atan(x) / pi_d, atanl(x) / pi_l, mpfr_atanpi)                              \
    X(cbrt, cbrt(x), cbrtl(x), mpfr_cbrt)                                                \
    X(cos, cos(x), cosl(x), mpfr_cos)                                                    \
    X(cosh, cosh(x), coshl(x), mpfr_cosh)                                                \
    X(cospi, cospi_d(x), cospi_l(x), mpfr_cospi)                                         \
    X(degrees, x * (180 / pi_d), x * (180 / pi_l), degrees_m)                            \
    X(erf, erf(x), erfl(x), mpfr_erf)                                                    \
    X(erfc, erfc(x), erfcl(x), mpfr_erfc)                                                \
    X(exp, exp(x), expl(x), mpfr_exp)                                                    \
    X(exp2, exp2(x), exp2l(x), mpfr_exp2)                                                \
    X(exp10, exp10(x), exp10l(x), mpfr_exp10)                                            \
    X(expm1, expm1(x), expm1l(x), mpfr_expm1)                                            \
    X(lgamma, lgamma_r(x, &(int){0}), lgammal_r(x, &(int){0}), lgamma_m)                 \
    X(log, log(x), logl(x), mpfr_log)                                                    \
    X(log2, log2(x), log2l(x), mpfr_log2)                                                \
    X(log10, log10(x), log10l(x), mpfr_log10)                                            \
    X(log1p, log1p(x), log1pl(x), mpfr_log1p)                                            \
    X(radians, x * (pi_d / 180), x * (pi_l / 180), radians_m)                            \
    X(rsqrt, 1 / sqrt(x), 1 / sqrtl(x), mpfr_rec_sqrt)                                   \
    X(sin, sin(x), sinl(x), mpfr_sin)                                                    \
    X(sinh, sinh(x), sinhl(x), mpfr_sinh)                                                \
    X(sinpi, sinpi_d(x), sinpi_l(x), mpfr_sinpi)                                         \
    X(tan, tan(x), tanl(x), mpfr_tan)                                                    \
    X(tanh, tanh(x), tanhl(x), mpfr_tanh)                                                \
    X(tanpi, tanpi_d(x), tanpi_l(x), mpfr_tanpi)                                         \
    X(tgamma, tgamma(x), tgammal(x), mpfr_gamma)

#define MATH_BINARY_TABLE(X)                                                             \
    X(atan2, atan2(x, y), atan2l(x, y), mpfr_atan2)                                      \
    X(atan2pi, atan2(x, y) / pi_d, atan2l(x, y) / pi_l, mpfr_atan2pi)                    \
    X(hypot, hypot(x, y), hypotl(x, y), mpfr_hypot)                                      \
    X(pow, pow(x, y), powl(x, y), mpfr_pow)
/* clang-format on */

#define MATH_DECLARE_UNARY(name, d, l, m)                                                          \
    float math_##name##_f16(float x);                                                              \
    float math_##name##_f32(float x);                                                              \
    double math_##name##_f64(double x);
MATH_UNARY_TABLE(MATH_DECLARE_UNARY)
#undef MATH_DECLARE_UNARY

#define MATH_DECLARE_BINARY(name, d, l, m)                                                         \
    float math_##name##_f16(float x, float y);                                                     \
    float math_##name##_f32(float x, float y);                                                     \
    double math_##name##_f64(double x, double y);
MATH_BINARY_TABLE(MATH_DECLARE_BINARY)
#undef MATH_DECLARE_BINARY

float math_powr_f16(float x, float y);
float math_powr_f32(float x, float y);
double math_powr_f64(double x, double y);
float math_pown_f16(float x, int32_t n);
float math_pown_f32(float x, int32_t n);
double math_pown_f64(double x, int32_t n);
float math_rootn_f16(float x, int32_t n);
float math_rootn_f32(float x, int32_t n);
double math_rootn_f64(double x, int32_t n);

/* Exact functions. */
#define MATH_DECLARE_EXACT(T, S)                                                                   \
    T math_fmod_##S(T x, T y);                                                                     \
    T math_remainder_##S(T x, T y);                                                                \
    int32_t math_remquo_quotient_##S(T x, T y); /* seven low bits of the quotient and its sign */  \
    T math_fract_##S(T x);                      /* min(x - floor(x), the largest below 1) */       \
    T math_modf_fraction_##S(T x);                                                                 \
    T math_frexp_mantissa_##S(T x);                                                                \
    int32_t math_frexp_exponent_##S(T x);                                                          \
    T math_ldexp_##S(T x, int32_t n); /* one rounding, also into the subnormal range */            \
    T math_logb_##S(T x);                                                                          \
    int32_t math_ilogb_##S(T x); /* 0: INT_MIN, NaN and infinity: INT_MAX */                       \
    T math_nextafter_##S(T x, T y);                                                                \
    int32_t math_lgamma_sign_##S(T x);
MATH_DECLARE_EXACT(float, f16)
MATH_DECLARE_EXACT(float, f32)
MATH_DECLARE_EXACT(double, f64)
#undef MATH_DECLARE_EXACT

#endif
