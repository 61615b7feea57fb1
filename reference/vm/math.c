/* Correct rounding of the mathematical built-ins.
 *
 * The test that makes a fast result certain: with r the approximation and e a relative margin far
 * above libm's error, r - r*e and r + r*e must round to the same value. glibc's worst documented
 * errors are 10 ULP of the wider type (tgamma; most are below 4); the margins are 128 ULP for
 * double (2^-46) and 16 ULP for long double (2^-59). */
#include "reference/vm/math.h"
#include "reference/vm/convert.h"
#include "trace/base/half.h"

#include <limits.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <string.h>

#define DOUBLE_MARGIN      0x1p-46
#define LONG_DOUBLE_MARGIN 0x1p-59L

static const double pi_d = 0x1.921fb54442d18p+1;
static const long double pi_l = 0xc.90fdaa22168c235p-2L;

/* ---- approximations that libm lacks ---- */

static int lgamma_m(mpfr_t result, const mpfr_t x, mpfr_rnd_t round)
{
    int sign;
    return mpfr_lgamma(result, &sign, x, round);
}

/* An angle divided by or times pi / 180: the error of the factor is far below what any rounding of
 * a double's product sees. */
static int angle_m(mpfr_t result, const mpfr_t x, mpfr_rnd_t round, bool to_degrees)
{
    mpfr_t factor;
    mpfr_init2(factor, 300);
    mpfr_const_pi(factor, MPFR_RNDN);
    mpfr_div_ui(factor, factor, 180, MPFR_RNDN);
    const int ternary =
        to_degrees ? mpfr_div(result, x, factor, round) : mpfr_mul(result, x, factor, round);
    mpfr_clear(factor);
    return ternary;
}

static int degrees_m(mpfr_t result, const mpfr_t x, mpfr_rnd_t round)
{
    return angle_m(result, x, round, true);
}

static int radians_m(mpfr_t result, const mpfr_t x, mpfr_rnd_t round)
{
    return angle_m(result, x, round, false);
}

/* The trigonometric functions of pi * x, reduced exactly: x = n / 2 + r with |r| <= 1/4, then the
 * quadrant decides. Zeros have the sign that IEEE 754-2008, 9.2.1, gives them. */
#define PI_FUNCTIONS(T, S, SIN, COS, TAN, RINT, FMOD, COPYSIGN, FABS)                              \
    static T sinpi_##S(T x)                                                                        \
    {                                                                                              \
        if (!isfinite(x))                                                                          \
            return NAN;                                                                            \
        const T m = FMOD(x, 2);                                                                    \
        const T n = RINT(m * 2);                                                                   \
        const T r = (m - n / 2) * pi_##S;                                                          \
        if (r == 0 && ((int)n & 1) == 0)                                                           \
            return COPYSIGN(0, x);                                                                 \
        switch ((int)n & 3) {                                                                      \
        case 0:                                                                                    \
            return SIN(r);                                                                         \
        case 1:                                                                                    \
            return COS(r);                                                                         \
        case 2:                                                                                    \
            return -SIN(r);                                                                        \
        default:                                                                                   \
            return -COS(r);                                                                        \
        }                                                                                          \
    }                                                                                              \
    static T cospi_##S(T x)                                                                        \
    {                                                                                              \
        if (!isfinite(x))                                                                          \
            return NAN;                                                                            \
        const T m = FMOD(FABS(x), 2);                                                              \
        const T n = RINT(m * 2);                                                                   \
        const T r = (m - n / 2) * pi_##S;                                                          \
        if (r == 0 && ((int)n & 1) == 1)                                                           \
            return 0;                                                                              \
        switch ((int)n & 3) {                                                                      \
        case 0:                                                                                    \
            return COS(r);                                                                         \
        case 1:                                                                                    \
            return -SIN(r);                                                                        \
        case 2:                                                                                    \
            return -COS(r);                                                                        \
        default:                                                                                   \
            return SIN(r);                                                                         \
        }                                                                                          \
    }                                                                                              \
    static T tanpi_##S(T x)                                                                        \
    {                                                                                              \
        if (!isfinite(x))                                                                          \
            return NAN;                                                                            \
        const T m = FMOD(x, 2);                                                                    \
        const T n = RINT(m * 2);                                                                   \
        const T r = (m - n / 2) * pi_##S;                                                          \
        const int quadrant = (int)n & 3;                                                           \
        if (r == 0 && quadrant % 2 == 0) /* 2n: the sign of x; 2n + 1: the other */                \
            return quadrant == 0 ? COPYSIGN(0, x) : COPYSIGN(0, -x);                               \
        if (r == 0) /* 2n + 1/2: +infinity; 2n + 3/2: -infinity */                                 \
            return quadrant == 1 ? (T)INFINITY : -(T)INFINITY;                                     \
        return quadrant % 2 == 0 ? TAN(r) : -1 / TAN(r);                                           \
    }

PI_FUNCTIONS(double, d, sin, cos, tan, rint, fmod, copysign, fabs)
PI_FUNCTIONS(long double, l, sinl, cosl, tanl, rintl, fmodl, copysignl, fabsl)

/* ---- MPFR, the last resort: results in the exponent range of the type, subnormals rounded once
 * ---- */

enum mpfr_format { FORMAT_F16, FORMAT_F32, FORMAT_F64 };

static const struct {
    mpfr_prec_t precision;
    mpfr_exp_t emin, emax;
} formats[] = {
    [FORMAT_F16] = {11, -23, 16},
    [FORMAT_F32] = {24, -148, 128},
    [FORMAT_F64] = {53, -1073, 1024},
};

typedef int mpfr_unary(mpfr_t result, const mpfr_t x, mpfr_rnd_t round);
typedef int mpfr_binary(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t round);
typedef int mpfr_integer(mpfr_t result, const mpfr_t x, long n, mpfr_rnd_t round);

/* One evaluation: exactly one of the functions is set. Operands are exact in either format as
 * double. */
struct evaluation {
    mpfr_unary *unary;
    mpfr_binary *binary;
    mpfr_integer *integer;
    double x, y;
    long n;
};

static double mpfr_evaluate(enum mpfr_format format, const struct evaluation *e)
{
    const mpfr_exp_t emin = mpfr_get_emin();
    const mpfr_exp_t emax = mpfr_get_emax();
    mpfr_t result, x, y;
    mpfr_set_emin(formats[format].emin);
    mpfr_set_emax(formats[format].emax);
    mpfr_inits2(53, x, y, (mpfr_ptr)0);
    mpfr_init2(result, formats[format].precision);
    mpfr_set_d(x, e->x, MPFR_RNDN);
    mpfr_set_d(y, e->y, MPFR_RNDN);
    int ternary = e->unary    ? e->unary(result, x, MPFR_RNDN)
                  : e->binary ? e->binary(result, x, y, MPFR_RNDN)
                              : e->integer(result, x, e->n, MPFR_RNDN);
    ternary = mpfr_check_range(result, ternary, MPFR_RNDN);
    mpfr_subnormalize(result, ternary, MPFR_RNDN);
    const double value = mpfr_get_d(result, MPFR_RNDN);
    mpfr_clears(result, x, y, (mpfr_ptr)0);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    return value;
}

/* ---- rounding when certain ---- */

static float canonical_f32(float x)
{
    return x != x ? __builtin_nanf("") : x;
}

static double canonical_f64(double x)
{
    return x != x ? __builtin_nan("") : x;
}

/* Is the float nearest to the exact result, which `approximation` is close to, certain? */
static bool round_f32(double approximation, float *result)
{
    if (!isfinite(approximation)) {
        *result = canonical_f32((float)approximation);
        return true;
    }
    const double margin = fabs(approximation) * DOUBLE_MARGIN;
    const float low = (float)(approximation - margin);
    const float high = (float)(approximation + margin);
    *result = low;
    return low == high;
}

/* The same for half. */
static bool round_f16(double approximation, float *result)
{
    const double margin = isfinite(approximation) ? fabs(approximation) * DOUBLE_MARGIN : 0;
    const uint16_t low = vm_convert_f16_f64(approximation - margin, 0);
    const uint16_t high = vm_convert_f16_f64(approximation + margin, 0);
    *result = half_to_float(low);
    return low == high || margin == 0;
}

static bool round_f64(long double approximation, double *result)
{
    if (!isfinite(approximation)) {
        *result = canonical_f64((double)approximation);
        return true;
    }
    const long double margin = fabsl(approximation) * LONG_DOUBLE_MARGIN;
    const double low = (double)(approximation - margin);
    const double high = (double)(approximation + margin);
    *result = low;
    return low == high;
}

/* What the approximation rounds to if that is certain, else by MPFR. */
static float rounded_f16(double approximation, const struct evaluation *e)
{
    float result;
    return round_f16(approximation, &result) ? result
                                             : canonical_f32((float)mpfr_evaluate(FORMAT_F16, e));
}

static float rounded_f32(double approximation, const struct evaluation *e)
{
    float result;
    return round_f32(approximation, &result) ? result
                                             : canonical_f32((float)mpfr_evaluate(FORMAT_F32, e));
}

static double rounded_f64(long double approximation, const struct evaluation *e)
{
    double result;
    return round_f64(approximation, &result) ? result : canonical_f64(mpfr_evaluate(FORMAT_F64, e));
}

/* The expressions' operands, in the type that these are in. */
#define DEFINE_UNARY(name, double_expression, long_expression, exact)                              \
    float math_##name##_f16(float given)                                                           \
    {                                                                                              \
        const double x = (double)given;                                                            \
        return rounded_f16(double_expression, &(struct evaluation){.unary = exact, .x = x});       \
    }                                                                                              \
    float math_##name##_f32(float given)                                                           \
    {                                                                                              \
        const double x = (double)given;                                                            \
        return rounded_f32(double_expression, &(struct evaluation){.unary = exact, .x = x});       \
    }                                                                                              \
    double math_##name##_f64(double given)                                                         \
    {                                                                                              \
        const long double x = (long double)given;                                                  \
        return rounded_f64(long_expression, &(struct evaluation){.unary = exact, .x = given});     \
    }
MATH_UNARY_TABLE(DEFINE_UNARY)

/* Infinite doubles are left to MPFR: glibc 2.36 has powl(-inf, -2^63) = inf. */
#define DEFINE_BINARY(name, double_expression, long_expression, exact)                             \
    float math_##name##_f16(float first, float second)                                             \
    {                                                                                              \
        const double x = (double)first;                                                            \
        const double y = (double)second;                                                           \
        const struct evaluation e = {.binary = exact, .x = x, .y = y};                             \
        return rounded_f16(double_expression, &e);                                                 \
    }                                                                                              \
    float math_##name##_f32(float first, float second)                                             \
    {                                                                                              \
        const double x = (double)first;                                                            \
        const double y = (double)second;                                                           \
        const struct evaluation e = {.binary = exact, .x = x, .y = y};                             \
        return rounded_f32(double_expression, &e);                                                 \
    }                                                                                              \
    double math_##name##_f64(double first, double second)                                          \
    {                                                                                              \
        const long double x = (long double)first;                                                  \
        const long double y = (long double)second;                                                 \
        const struct evaluation e = {.binary = exact, .x = first, .y = second};                    \
        if (!isfinite(first) || !isfinite(second))                                                 \
            return canonical_f64(mpfr_evaluate(FORMAT_F64, &e));                                   \
        return rounded_f64(long_expression, &e);                                                   \
    }
MATH_BINARY_TABLE(DEFINE_BINARY)

/* ---- powers with rules of their own: OpenCL C 3.0, 7.5.1 ---- */

/* powr is exp(y * log(x)): no negative x, and the undetermined forms are NaN. */
static bool powr_is_nan(double x, double y)
{
    if (isnan(x) || isnan(y) || x < 0)
        return true;
    return (x == 0 && y == 0) || (isinf(x) && y == 0) || (x == 1 && isinf(y));
}

/* Where rootn is a special value; *special then holds it. */
static bool rootn_special(double x, int32_t n, double *special)
{
    const bool odd = n & 1;
    if (n == 0 || isnan(x) || (x < 0 && !odd)) {
        *special = NAN;
        return true;
    }
    if (x != 0 && !isinf(x))
        return false;
    const double size = (x == 0) == (n > 0) ? 0.0 : HUGE_VAL;
    *special = odd ? copysign(size, x) : size;
    return true;
}

#define DEFINE_POWERS(S)                                                                           \
    float math_powr_##S(float x, float y)                                                          \
    {                                                                                              \
        return powr_is_nan((double)x, (double)y) ? __builtin_nanf("") : math_pow_##S(fabsf(x), y); \
    }                                                                                              \
    float math_pown_##S(float x, int32_t n)                                                        \
    {                                                                                              \
        const struct evaluation e = {.integer = mpfr_pow_si, .x = (double)x, .n = n};              \
        return rounded_##S(pow(e.x, (double)n), &e);                                               \
    }                                                                                              \
    float math_rootn_##S(float x, int32_t n)                                                       \
    {                                                                                              \
        const struct evaluation e = {.integer = mpfr_rootn_si, .x = (double)x, .n = n};            \
        double special;                                                                            \
        if (rootn_special(e.x, n, &special))                                                       \
            return canonical_f32((float)special);                                                  \
        const double root = pow(fabs(e.x), 1.0 / n);                                               \
        return rounded_##S(x < 0 ? -root : root, &e);                                              \
    }
DEFINE_POWERS(f16)
DEFINE_POWERS(f32)

double math_powr_f64(double x, double y)
{
    return powr_is_nan(x, y) ? __builtin_nan("") : math_pow_f64(fabs(x), y);
}

double math_pown_f64(double x, int32_t n)
{
    const struct evaluation e = {.integer = mpfr_pow_si, .x = x, .n = n};
    return rounded_f64(powl((long double)x, (long double)n), &e);
}

double math_rootn_f64(double x, int32_t n)
{
    double special;
    if (rootn_special(x, n, &special))
        return canonical_f64(special);
    /* |x| = part * 2^(n * whole) with |log2(part)| < |n|, or 1 / n would be too coarse an exponent
     * for the margin of long double. */
    int exponent;
    const long double fraction = frexpl(fabsl((long double)x), &exponent);
    const int whole = (int)(exponent / (int64_t)n);
    const long double part = ldexpl(fraction, (int)(exponent - (int64_t)whole * n));
    const long double root = ldexpl(powl(part, 1.0L / n), whole);
    const struct evaluation e = {.integer = mpfr_rootn_si, .x = x, .n = n};
    return rounded_f64(x < 0 ? -root : root, &e);
}

/* ---- exact functions ---- */

/* Of the gamma function; where that has none, 1. C libraries differ there. */
static int32_t gamma_sign(double x)
{
    const double below = floor(x);
    if (x == below)
        return x == 0 && signbit(x) ? -1 : 1;
    return x < 0 && fmod(below, 2) != 0 ? -1 : 1;
}

/* Remainders are exact in any type; libm's of long double are the ones that do not subtract bit by
 * bit. */
#define DEFINE_EXACT(T, S, FLOOR, COPYSIGN, MODF, FREXP, LOGB, ILOGB, NEXTAFTER, BELOW_ONE)        \
    T math_fmod_##S(T x, T y)                                                                      \
    {                                                                                              \
        return canonical_##S((T)fmodl((long double)x, (long double)y));                            \
    }                                                                                              \
    T math_remainder_##S(T x, T y)                                                                 \
    {                                                                                              \
        return canonical_##S((T)remainderl((long double)x, (long double)y));                       \
    }                                                                                              \
    /* In long double 128 * y and quotient * y are exact. */                                       \
    int32_t math_remquo_quotient_##S(T x, T y)                                                     \
    {                                                                                              \
        if (!isfinite(x) || isnan(y) || y == 0 || isinf(y))                                        \
            return 0;                                                                              \
        const long double divisor = (long double)COPYSIGN(y, 1);                                   \
        const long double rest = fmodl((long double)COPYSIGN(x, 1), 128 * divisor);                \
        const long double multiple = rest - remainderl(rest, divisor);                             \
        const int32_t quotient = (int32_t)(multiple / divisor) & 127;                              \
        return signbit(x) != signbit(y) ? -quotient : quotient;                                    \
    }                                                                                              \
    T math_fract_##S(T x)                                                                          \
    {                                                                                              \
        if (isnan(x))                                                                              \
            return canonical_##S(x);                                                               \
        if (isinf(x) || x == 0)                                                                    \
            return COPYSIGN(0, x);                                                                 \
        const T fraction = x - FLOOR(x);                                                           \
        return fraction < BELOW_ONE ? fraction : BELOW_ONE;                                        \
    }                                                                                              \
    T math_modf_fraction_##S(T x)                                                                  \
    {                                                                                              \
        T whole;                                                                                   \
        return canonical_##S(MODF(x, &whole));                                                     \
    }                                                                                              \
    T math_frexp_mantissa_##S(T x)                                                                 \
    {                                                                                              \
        int exponent;                                                                              \
        return canonical_##S(FREXP(x, &exponent));                                                 \
    }                                                                                              \
    int32_t math_frexp_exponent_##S(T x)                                                           \
    {                                                                                              \
        int exponent = 0;                                                                          \
        FREXP(x, &exponent);                                                                       \
        return isfinite(x) ? exponent : 0;                                                         \
    }                                                                                              \
    T math_logb_##S(T x)                                                                           \
    {                                                                                              \
        return canonical_##S(LOGB(x));                                                             \
    }                                                                                              \
    int32_t math_ilogb_##S(T x)                                                                    \
    {                                                                                              \
        if (x == 0)                                                                                \
            return INT_MIN;                                                                        \
        return isfinite(x) ? ILOGB(x) : INT_MAX;                                                   \
    }                                                                                              \
    T math_nextafter_##S(T x, T y)                                                                 \
    {                                                                                              \
        return canonical_##S(NEXTAFTER(x, y));                                                     \
    }                                                                                              \
    int32_t math_lgamma_sign_##S(T x)                                                              \
    {                                                                                              \
        return gamma_sign((double)x);                                                              \
    }

DEFINE_EXACT(float, f32, floorf, copysignf, modff, frexpf, logbf, ilogbf, nextafterf,
             0x1.fffffep-1f)
DEFINE_EXACT(double, f64, floor, copysign, modf, frexp, logb, ilogb, nextafter,
             0x1.fffffffffffffp-1)

float math_ldexp_f32(float x, int32_t n)
{
    return canonical_f32(ldexpf(x, n));
}

double math_ldexp_f64(double x, int32_t n)
{
    return canonical_f64(ldexp(x, n));
}
