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
 * Where the processor has no fused multiplication, exact products are Dekker's: "A floating-point
 * technique for extending the available precision", Numerische Mathematik 18 (1971). What is
 * accepted may then differ; what is given does not. */
#ifndef REFERENCE_VM_NEAR64_H
#define REFERENCE_VM_NEAR64_H

#include "reference/vm/near.h"
#include "reference/vm/near64_tables.h"

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

/* What the value rounds to, if it is certain. Below 2^-900 products may not have been exact. */
static inline double near64_round(struct near64 value, double margin)
{
    NEAR64_SEE(value, margin);
    const double low = value.high + (value.low - margin);
    const double high = value.high + (value.low + margin);
    return ((low == high) & (__builtin_fabs(low) >= 0x1p-900)) ? low : __builtin_nan("");
}

/* ---- exponential functions ---- */

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
    const uint64_t index = near_bits(sum) & 127;
    const double first = near64_exp2_table[index][0];
    const double second = near64_exp2_table[index][1];
    double p = 1.0 / 5040;
    p = near64_fma(p, h, 1.0 / 720);
    p = near64_fma(p, h, 1.0 / 120);
    p = near64_fma(p, h, 1.0 / 24);
    p = near64_fma(p, h, 1.0 / 6);
    p = near64_fma(p, h, 0.5);
    const double q = near64_fma(square, p, near64_fma(r.low, h, r.low));
    const struct near64 head = near64_sum(first, first * h_first);
    const double rest = near64_fma(second, h, near64_fma(first, h - h_first, second + head.low));
    return (struct near64_scaled){
        .value = near64_sum(head.high, near64_fma(first + second, q, rest)),
        /* The low bits of `sum` are n, in two's complement. */
        .scale = near_double((near_bits(sum) + (1023 << 7)) << 45 & UINT64_C(0xfff) << 52),
        .margin = square * 0x1.8p-51 + 0x1p-77};
}

static inline double near64_round_scaled(struct near64_scaled scaled, double margin)
{
    return near64_round(scaled.value, margin * scaled.value.high) * scaled.scale;
}

/* Of x = x.high + x.low with |x.high| < 708 and |x.low| <= u |x.high|. log(2) / 128 is taken in two
 * parts: the first has 36 bits, so that n times it is exact, and by Sterbenz's lemma x.high less
 * that; the second is below 2^-46, n times it below 2^-29 and off by 2^-82. */
static inline struct near64_scaled near64_exp_of(struct near64 x)
{
    const double sum = x.high * 0x1.71547652b82fep+7 + NEAR_WHOLE;
    const double n = sum - NEAR_WHOLE;
    const double first = x.high - n * 0x1.62e42fefap-8;
    const struct near64 r = near64_sum(first, -n * 0x1.cf79abc9e3b3ap-47);
    return near64_scaled_exp(near64_sum(r.high, r.low + x.low), sum);
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

/* ---- logarithms ---- */

/* x = m 2^k with m around 1, and with f from the table log(x) = k log(2) - log(f) + log(1 + r),
 * where r = m f - 1 is a double. */
struct near64_log_parts {
    double r;
    double head; /* k log(2) - log(f), of which this is a multiple of 2^-42, and exact */
    double rest; /* what that lacks: below 2^-33, off by 2^-86 at most, or if k = 0 by 2^-96 */
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
    return (struct near64_log_parts){.r = near64_fma(m - m_first, factor, m_first * factor - 1),
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
static inline double near64_log(double x)
{
    const struct near64_log_parts parts = near64_log_parts(x);
    const double r = parts.r;
    const double p = near64_fma(near64_log_series(r), r, 1.0 / 3);
    const struct near64 square = near64_product(r, r);
    const struct near64 first = near64_sum(parts.head, r);
    const struct near64 second = near64_sum(first.high, -0.5 * square.high);
    const double low = parts.rest + (first.low + second.low - 0.5 * square.low);
    const struct near64 value = near64_sum(second.high, near64_fma(square.high * r, p, low));
    return near64_has_log(x) ? near64_round(value, __builtin_fabs(value.high) * 0x1p-67)
                             : __builtin_nan("");
}

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

/* e^t, t = y log(x): what t is off, 2^-77.7 |t|, is the same in proportion to the result. */
static inline double near64_pow(double x, double y)
{
    const struct near64 log = near64_fine_log(x);
    struct near64 t = near64_product(y, log.high);
    t.low = near64_fma(y, log.low, t.low);
    const struct near64_scaled scaled = near64_exp_of(t);
    const double margin = scaled.margin + __builtin_fabs(t.high) * 0x1p-76;
    return (near64_has_log(x) & (__builtin_fabs(t.high) < 708))
               ? near64_round_scaled(scaled, margin)
               : __builtin_nan("");
}

/* ---- trigonometric functions ---- */

/* x = (256 quarters + i) pi / 512 + r, or, in an odd quarter, - r and with 256 - i for i: so that
 * sin(x), but for its sign, is sin(i pi / 512 + r). */
struct near64_angle {
    struct near64 r;        /* |r.high| < 2^-8.3 */
    struct near64 sin, cos; /* of i pi / 512 */
    double error;           /* twice what r is off, at least */
    uint64_t quarter;
};

/* |x| < 10^5. pi / 512 is taken in three parts, of which n < 2^24 times the first (29 bits) or the
 * second (28 bits) is exact. x less the first product is, by Sterbenz's lemma. n times the third is
 * below n 2^-67, and is subtracted from at most 2^-61: both are off by n 2^-119 at most. What the
 * parts lack is n 2^-122. */
static inline struct near64_angle near64_angle(double x, uint64_t quarters)
{
    const double sum = x * 0x1.45f306dc9c883p+7 + NEAR_WHOLE;
    const double n = sum - NEAR_WHOLE;
    const struct near64 start = near64_any_sum(x - n * 0x1.921fb54p-8, -n * 0x1.10b4612p-38);
    const struct near64 r = near64_sum(start.high, start.low - n * -0x1.676733ae8fe48p-68);
    const uint64_t quarter = (near_bits(sum) >> 8) + quarters;
    const uint64_t odd = quarter & 1;
    const uint64_t i = near_bits(sum) & 255;
    const uint64_t index = odd ? 256 - i : i;
    const double sign = odd ? -1.0 : 1.0;
    return (struct near64_angle){
        .r = {r.high * sign, r.low * sign},
        .sin = {near64_sin_table[index][0], near64_sin_table[index][1]},
        .cos = {near64_sin_table[256 - index][0], near64_sin_table[256 - index][1]},
        .error = __builtin_fabs(n) * 0x1p-116,
        .quarter = quarter};
}

struct near64_bounded {
    struct near64 value;
    double margin;
};

/* sin(a + r), of s = sin(a) and c = cos(a) from the table. With h = r.high, z = h^2:
 *
 *   s + c h + s (z (-1/2 + z/24 - z^2 / 720) - h r.low)
 *           + c (h z (-1/6 + z/120 - z^2 / 5040) + r.low)
 *
 * The series leave out h^8 / 40320 and h^9 / 362880: below z 2^-65 times s and c h. s and c h are
 * added without error, |s| being 0 or, at least sin(pi / 512), greater than |c h|. The factor of s
 * has at most 5 roundings until it is added, and is at most z / 2; that of c, less r.low, has 7 and
 * is z / 6 of h; the addition has one more. Together less than 2.5u z |s| + 1.5u z |c h|.
 * |s| + |c h| <= 3 |value|: so terms of u^2 are below 2^-100 of it. */
static inline struct near64_bounded near64_sin_sum(struct near64 s, struct near64 c,
                                                   struct near64 r, double error)
{
    const double h = r.high;
    const double z = h * h;
    const double s_factor =
        near64_fma(z, near64_fma(near64_fma(z, -1.0 / 720, 1.0 / 24), z, -0.5), -(h * r.low));
    const double c_factor =
        near64_fma(h * z, near64_fma(near64_fma(z, -1.0 / 5040, 1.0 / 120), z, -1.0 / 6), r.low);
    const struct near64 product = near64_product(c.high, h);
    const struct near64 head = near64_sum(s.high, product.high);
    const double rest = head.low + (near64_fma(c.low, h, product.low) + s.low);
    const double low = near64_fma(s.high, s_factor, near64_fma(c.high, c_factor, rest));
    const struct near64 value = near64_sum(head.high, low);
    return (struct near64_bounded){
        value, z * 0x1.4p-51 * (__builtin_fabs(s.high) + __builtin_fabs(product.high)) +
                   __builtin_fabs(value.high) * 0x1p-90 + error};
}

/* sin(x + quarters * pi / 2) */
static inline double near64_sin_quarter(double x, uint64_t quarters)
{
    const struct near64_angle angle = near64_angle(x, quarters);
    const struct near64_bounded sum = near64_sin_sum(angle.sin, angle.cos, angle.r, angle.error);
    const double size = near64_round(sum.value, sum.margin);
    const double value = near_double(near_bits(size) ^ (angle.quarter & 2) << 62);
    return __builtin_fabs(x) < 1e5 ? value : __builtin_nan("");
}

static inline double near64_sin(double x)
{
    return near64_sin_quarter(x, 0);
}

static inline double near64_cos(double x)
{
    return near64_sin_quarter(x, 1);
}

/* quotient + rest / bottom, where the rest of the division is exact but for terms of u^2. What top
 * and bottom are off appears in proportion; 2^-98 is for those terms. */
static inline double near64_tan(double x)
{
    const struct near64_angle angle = near64_angle(x, 0);
    const struct near64 minus = {-angle.r.high, -angle.r.low};
    const struct near64_bounded top = near64_sin_sum(angle.sin, angle.cos, angle.r, angle.error);
    const struct near64_bounded bottom = near64_sin_sum(angle.cos, angle.sin, minus, angle.error);
    const double inverse = 1 / bottom.value.high;
    const double quotient = top.value.high * inverse;
    const struct near64 product = near64_product(quotient, bottom.value.high);
    const double rest = ((top.value.high - product.high) - product.low) +
                        near64_fma(-quotient, bottom.value.low, top.value.low);
    const double size = __builtin_fabs(quotient);
    const double margin = (top.margin + size * bottom.margin) * __builtin_fabs(inverse);
    const double tangent =
        near64_round(near64_sum(quotient, rest * inverse), margin + size * 0x1p-98);
    const double value = near_double(near_bits(tangent) ^ angle.quarter << 63);
    return __builtin_fabs(x) < 1e5 ? value : __builtin_nan("");
}

/* ---- error functions ---- */

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
    return x == x ? __builtin_copysign(near64_round(value, margin), x) : x;
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

/* ---- 1 / sqrt(x) ---- */

/* One step of Newton's: with y near to it, y + y (1 - x y^2) / 2. The bracket is below 4u, the next
 * term 3/8 of its square: 2^-103. */
static inline double near64_rsqrt(double x)
{
    const double y = 1 / __builtin_sqrt(x);
    const struct near64 root = near64_product(x, y);
    const struct near64 one = near64_product(root.high, y);
    const double rest = ((1 - one.high) - one.low) - root.low * y;
    const struct near64 value = {y, 0.5 * y * rest};
    return ((x >= 0x1p-1022) & (x < 0x1p990)) ? near64_round(value, y * 0x1p-98)
                                              : __builtin_nan("");
}

#endif
