/* The trigonometric functions of double: near64.h. */
#ifndef REFERENCE_VM_NEAR64_SIN_H
#define REFERENCE_VM_NEAR64_SIN_H

#include "reference/vm/near64.h"
#include "reference/vm/near64_tables.h"

/* x = (256 quarters + i) pi / 512 + r, or, in an odd quarter, - r and with 256 - i for i: so that
 * sin(x), but for its sign, is sin(i pi / 512 + r). */
struct near64_angle {
    struct near64 r;        /* |r.high| < 2^-8.3 */
    struct near64 sin, cos; /* of i pi / 512 */
    double error;           /* twice what r is off, at least */
    uint64_t quarter;
};

static inline struct near64_angle near64_angle_at(struct near64 r, double sum, uint64_t quarters,
                                                  double error)
{
    const uint64_t quarter = (near_bits(sum) >> 8) + quarters;
    const uint64_t odd = quarter & 1;
    const uint64_t i = near_bits(sum) & 255;
    const uint64_t index = odd ? 256 - i : i;
    const double sign = odd ? -1.0 : 1.0;
    return (struct near64_angle){
        .r = {r.high * sign, r.low * sign},
        .sin = {near64_sin_table[index][0], near64_sin_table[index][1]},
        .cos = {near64_sin_table[256 - index][0], near64_sin_table[256 - index][1]},
        .error = error,
        .quarter = quarter};
}

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
    return near64_angle_at(r, sum, quarters, __builtin_fabs(n) * 0x1p-116);
}

/* Of pi x + quarters * pi / 2, |x| < 2^41. x less n / 512 is exact. */
static inline struct near64_angle near64_angle_pi(double x, uint64_t quarters)
{
    const double sum = x * 512 + NEAR_WHOLE;
    const double part = x - (sum - NEAR_WHOLE) * 0x1p-9;
    struct near64 r = near64_product(part, 0x1.921fb54442d18p+1);
    r.low = near64_fma(part, 0x1.1a62633145c07p-53, r.low);
    return near64_angle_at(r, sum, quarters, __builtin_fabs(r.high) * 0x1p-100);
}

/* sin(a + r), of s = sin(a) and c = cos(a) from the table. With h = r.high, z = h^2:
 *
 *   s + c h + s (z (-1/2 + z/24 - z^2 / 720) - h r.low)
 *           + c (h z (-1/6 + z/120 - z^2 / 5040) + r.low)
 *
 * The series leave out h^8 / 40320 and h^9 / 362880: below z 2^-65 times s and c h. s and c h are
 * added without error, |s| being 0 or, at least sin(pi / 512), greater than |c h|. The factor of s
 * has at most 5 roundings until it is added, and is at most z / 2; that of c, less r.low, has 7 and
 * is z / 6 of h; the addition has one more. Together less than 2.5u z |s| + 1.5u z |c h|.
 * |s| + |c h| <= 3 |value|: so terms of u^2 are below 2^-100 of it.
 *
 * For sinh(a + r) and cosh(a + r) `sign` is -1: there all signs are plus. */
static inline struct near64_bounded near64_sin_sum(struct near64 s, struct near64 c,
                                                   struct near64 r, double sign, double error)
{
    const double h = r.high;
    const double z = h * h * sign;
    const double s_factor = near64_fma(z, near64_fma(near64_fma(z, -1.0 / 720, 1.0 / 24), z, -0.5),
                                       -(h * r.low) * sign);
    const double c_factor =
        near64_fma(h * z, near64_fma(near64_fma(z, -1.0 / 5040, 1.0 / 120), z, -1.0 / 6), r.low);
    const struct near64 product = near64_product(c.high, h);
    const struct near64 head = near64_sum(s.high, product.high);
    const double rest = head.low + (near64_fma(c.low, h, product.low) + s.low);
    const double low = near64_fma(s.high, s_factor, near64_fma(c.high, c_factor, rest));
    const struct near64 value = near64_sum(head.high, low);
    return (struct near64_bounded){
        value, z * sign * 0x1.4p-51 * (__builtin_fabs(s.high) + __builtin_fabs(product.high)) +
                   __builtin_fabs(value.high) * 0x1p-90 + error};
}

static inline double near64_sin_of(struct near64_angle angle)
{
    const double size =
        near64_round_bounded(near64_sin_sum(angle.sin, angle.cos, angle.r, 1, angle.error));
    return near_double(near_bits(size) ^ (angle.quarter & 2) << 62);
}

static inline double near64_sin(double x)
{
    const double value = near64_sin_of(near64_angle(x, 0));
    return __builtin_fabs(x) < 1e5 ? near64_or_zero(x, value) : __builtin_nan("");
}

static inline double near64_cos(double x)
{
    const double value = near64_sin_of(near64_angle(x, 1));
    return __builtin_fabs(x) < 1e5 ? value : __builtin_nan("");
}

/* Is the sine, exactly, 0? */
static inline int near64_angle_is_zero(struct near64_angle angle)
{
    return (angle.sin.high == 0) & (angle.r.high == 0);
}

/* Zeros have the sign that IEEE 754-2008, 9.2.1, gives them. */
static inline double near64_sinpi(double x)
{
    const struct near64_angle angle = near64_angle_pi(x, 0);
    const double value =
        near64_angle_is_zero(angle) ? __builtin_copysign(0, x) : near64_sin_of(angle);
    return __builtin_fabs(x) < 0x1p41 ? value : __builtin_nan("");
}

static inline double near64_cospi(double x)
{
    const struct near64_angle angle = near64_angle_pi(x, 1);
    const double value = near64_angle_is_zero(angle) ? 0 : near64_sin_of(angle);
    return __builtin_fabs(x) < 0x1p41 ? value : __builtin_nan("");
}

static inline double near64_tan_of(struct near64_angle angle)
{
    const struct near64 minus = {-angle.r.high, -angle.r.low};
    const struct near64_bounded top = near64_sin_sum(angle.sin, angle.cos, angle.r, 1, angle.error);
    const struct near64_bounded bottom =
        near64_sin_sum(angle.cos, angle.sin, minus, 1, angle.error);
    const double size = near64_round_bounded(near64_bounded_quotient(top, bottom));
    return near_double(near_bits(size) ^ angle.quarter << 63);
}

static inline double near64_tan(double x)
{
    const double value = near64_tan_of(near64_angle(x, 0));
    return __builtin_fabs(x) < 1e5 ? near64_or_zero(x, value) : __builtin_nan("");
}

/* A pole is 1 / 0, which has no rest: the exact function is asked. */
static inline double near64_tanpi(double x)
{
    const struct near64_angle angle = near64_angle_pi(x, 0);
    const int zero = near64_angle_is_zero(angle);
    const double sign = angle.quarter & 2 ? -1.0 : 1.0;
    const double value = zero ? __builtin_copysign(0, x) * sign : near64_tan_of(angle);
    return __builtin_fabs(x) < 0x1p41 ? value : __builtin_nan("");
}

#endif
