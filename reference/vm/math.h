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

/* The functions that need correct rounding: X(name, double function, long double function, MPFR
 * function). */
/* clang-format off */
#define MATH_UNARY_TABLE(X)                          \
    X(acos, acos, acosl, mpfr_acos)                  \
    X(acosh, acosh, acoshl, mpfr_acosh)              \
    X(acospi, acospi_d, acospi_l, mpfr_acospi)       \
    X(asin, asin, asinl, mpfr_asin)                  \
    X(asinh, asinh, asinhl, mpfr_asinh)              \
    X(asinpi, asinpi_d, asinpi_l, mpfr_asinpi)       \
    X(atan, atan, atanl, mpfr_atan)                  \
    X(atanh, atanh, atanhl, mpfr_atanh)              \
    X(atanpi, atanpi_d, atanpi_l, mpfr_atanpi)       \
    X(cbrt, cbrt, cbrtl, mpfr_cbrt)                  \
    X(cos, cos, cosl, mpfr_cos)                      \
    X(cosh, cosh, coshl, mpfr_cosh)                  \
    X(cospi, cospi_d, cospi_l, mpfr_cospi)           \
    X(degrees, degrees_d, degrees_l, degrees_m)      \
    X(erf, erf, erfl, mpfr_erf)                      \
    X(erfc, erfc, erfcl, mpfr_erfc)                  \
    X(exp, exp, expl, mpfr_exp)                      \
    X(exp2, exp2, exp2l, mpfr_exp2)                  \
    X(exp10, exp10, exp10l, mpfr_exp10)              \
    X(expm1, expm1, expm1l, mpfr_expm1)              \
    X(lgamma, lgamma_d, lgamma_l, lgamma_m)          \
    X(log, log, logl, mpfr_log)                      \
    X(log2, log2, log2l, mpfr_log2)                  \
    X(log10, log10, log10l, mpfr_log10)              \
    X(log1p, log1p, log1pl, mpfr_log1p)              \
    X(radians, radians_d, radians_l, radians_m)      \
    X(rsqrt, rsqrt_d, rsqrt_l, mpfr_rec_sqrt)        \
    X(sin, sin, sinl, mpfr_sin)                      \
    X(sinh, sinh, sinhl, mpfr_sinh)                  \
    X(sinpi, sinpi_d, sinpi_l, mpfr_sinpi)           \
    X(tan, tan, tanl, mpfr_tan)                      \
    X(tanh, tanh, tanhl, mpfr_tanh)                  \
    X(tanpi, tanpi_d, tanpi_l, mpfr_tanpi)           \
    X(tgamma, tgamma, tgammal, mpfr_gamma)

#define MATH_BINARY_TABLE(X)                         \
    X(atan2, atan2, atan2l, mpfr_atan2)              \
    X(atan2pi, atan2pi_d, atan2pi_l, mpfr_atan2pi)   \
    X(hypot, hypot, hypotl, mpfr_hypot)              \
    X(pow, pow, powl, mpfr_pow)
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
