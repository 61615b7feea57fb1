/* The inverse trigonometric functions of double: near64.h. */
#ifndef REFERENCE_VM_NEAR64_ATAN_H
#define REFERENCE_VM_NEAR64_ATAN_H

#include "reference/vm/near64.h"
#include "reference/vm/near64_tables.h"

/* The angle of the point (x, y), from 0 to pi, for y >= 0: k pi / 2 + s atan(t), where t in [0, 1]
 * is the quotient of the lesser of y and |x| and the greater, which lies from 2^-400 to 2^400; the
 * lesser is 0 or not below 2^-400, unless x is it.
 *
 * With c a multiple of 1/128 near to t,
 *
 *   atan(t) = atan(c) + atan(q), where q = (lesser - c greater) / (greater + c lesser),
 *
 * and |q| < 2^-7.99. Products with c are in two doubles, so that the top is off by 6 u^2 of the
 * lesser, as far as it counts: t, and with it the result, is by that. With h = q.high and z = h^2
 *
 *   atan(q) = h + q.low (1 - z) + h z (-1/3 + z/5 - z^2 / 7 + z^3 / 9).
 *
 * The series leaves out h z^5 / 11, below 2^-65 of what it has. That has a rounding each of z, h z,
 * the sum in brackets, -1/3 (half of one), the product, and two where it is added: less than 6u of
 * it. atan(c), if not 0, is greater than |h|. */
static inline struct near64_bounded near64_atan_of(struct near64 y, struct near64 x)
{
    const struct near64 width = {__builtin_fabs(x.high), x.high < 0 ? -x.low : x.low};
    const int steep = y.high > width.high;
    const struct near64 lesser = {steep ? width.high : y.high, steep ? width.low : y.low};
    const struct near64 greater = {steep ? y.high : width.high, steep ? y.low : width.low};
    const double t = lesser.high / greater.high;
    const double sum = (t < 1 ? t : 1) * 128 + NEAR_WHOLE;
    const double c = (sum - NEAR_WHOLE) * 0x1p-7;
    const uint64_t index = near_bits(sum) & 255;

    const struct near64 away = near64_product(c, greater.high);
    const struct near64 along = near64_product(c, lesser.high);
    const struct near64 first = near64_any_sum(lesser.high, -away.high);
    const struct near64 second = near64_sum(greater.high, along.high);
    const struct near64 top =
        near64_sum(first.high, first.low + (lesser.low - near64_fma(c, greater.low, away.low)));
    const double bottom_low = second.low + (greater.low + near64_fma(c, lesser.low, along.low));
    const struct near64 q = near64_quotient(top, near64_sum(second.high, bottom_low));

    const double h = q.high;
    const double z = h * h;
    double p = near64_fma(z, 1.0 / 9, -1.0 / 7);
    p = near64_fma(p, z, 1.0 / 5);
    p = near64_fma(p, z, -1.0 / 3);
    const double curve = h * z * p;
    const double low = curve + near64_fma(-z, q.low, q.low);

    const double k = steep ? 1 : x.high < 0 ? 2 : 0;
    const double s = steep ^ (x.high < 0) ? -1.0 : 1.0;
    const struct near64 start =
        near64_sum(k * 0x1.921fb54442d18p+0, s * near64_atan_table[index][0]);
    const double start_low =
        start.low + near64_fma(k, 0x1.1a62633145c07p-54, s * near64_atan_table[index][1]);
    const struct near64 head = near64_sum(start.high, s * h);
    const struct near64 value = near64_sum(head.high, head.low + near64_fma(s, low, start_low));
    return (struct near64_bounded){value, __builtin_fabs(curve) * 0x1.8p-50 + value.high * 0x1p-97};
}

static inline struct near64_bounded near64_over_pi(struct near64_bounded angle)
{
    return near64_bounded_times(angle,
                                (struct near64){0x1.45f306dc9c883p-2, -0x1.6b01ec5417056p-56});
}

static inline struct near64_bounded near64_atan2_of(double y, double x)
{
    return near64_atan_of((struct near64){__builtin_fabs(y), 0}, (struct near64){x, 0});
}

/* Of an angle's size and of y, the sign; where y is 0 and x > 0, they are 0. */
static inline double near64_atan2_sign(double size, double y, double x)
{
    const double width = __builtin_fabs(x);
    const double height = __builtin_fabs(y);
    const double greater = height > width ? height : width;
    const double lesser = height > width ? width : height;
    const int known =
        (greater >= 0x1p-400) & (greater < 0x1p400) & ((lesser >= 0x1p-400) | (lesser == 0));
    const double value = ((y == 0) & (x > 0)) ? 0 : size;
    return known ? __builtin_copysign(value, y) : __builtin_nan("");
}

static inline double near64_atan2(double y, double x)
{
    return near64_atan2_sign(near64_round_bounded(near64_atan2_of(y, x)), y, x);
}

static inline double near64_atan2pi(double y, double x)
{
    const struct near64_bounded angle = near64_over_pi(near64_atan2_of(y, x));
    return near64_atan2_sign(near64_round_bounded(angle), y, x);
}

/* Of the size of an angle that has x's sign, and is 0 where x is. */
static inline double near64_angle_sign(double size, double x, double limit)
{
    const int known = (__builtin_fabs(x) >= 0x1p-400) & (__builtin_fabs(x) <= limit);
    return near64_or_zero(x, known ? __builtin_copysign(size, x) : __builtin_nan(""));
}

static inline struct near64_bounded near64_atan_size(double x)
{
    return near64_atan_of((struct near64){__builtin_fabs(x), 0}, (struct near64){1, 0});
}

static inline double near64_atan(double x)
{
    return near64_angle_sign(near64_round_bounded(near64_atan_size(x)), x, 0x1p400);
}

static inline double near64_atanpi(double x)
{
    const struct near64_bounded angle = near64_over_pi(near64_atan_size(x));
    return near64_angle_sign(near64_round_bounded(angle), x, 0x1p400);
}

/* sqrt(1 - x^2), of which only the lows are rounded. */
static inline struct near64 near64_other_leg(double x)
{
    const struct near64 square = near64_product(x, x);
    const struct near64 rest = near64_sum(1, -square.high);
    return near64_sqrt(near64_sum(rest.high, rest.low - square.low));
}

static inline struct near64_bounded near64_asin_size(double x)
{
    return near64_atan_of((struct near64){__builtin_fabs(x), 0}, near64_other_leg(x));
}

static inline double near64_asin(double x)
{
    return near64_angle_sign(near64_round_bounded(near64_asin_size(x)), x, 1);
}

static inline double near64_asinpi(double x)
{
    const struct near64_bounded angle = near64_over_pi(near64_asin_size(x));
    return near64_angle_sign(near64_round_bounded(angle), x, 1);
}

static inline struct near64_bounded near64_acos_of(double x)
{
    return near64_atan_of(near64_other_leg(x), (struct near64){x, 0});
}

static inline double near64_acos_end(double angle, double x)
{
    return __builtin_fabs(x) <= 1 ? (x == 1 ? 0 : angle) : __builtin_nan("");
}

static inline double near64_acos(double x)
{
    return near64_acos_end(near64_round_bounded(near64_acos_of(x)), x);
}

static inline double near64_acospi(double x)
{
    return near64_acos_end(near64_round_bounded(near64_over_pi(near64_acos_of(x))), x);
}

#endif
