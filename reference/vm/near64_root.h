/* Roots of double: near64.h. */
#ifndef REFERENCE_VM_NEAR64_ROOT_H
#define REFERENCE_VM_NEAR64_ROOT_H

#include "reference/vm/near64.h"

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

/* The squares count even where that of the lesser is too small for a double. */
static inline double near64_hypot(double x, double y)
{
    const double width = __builtin_fabs(x);
    const double height = __builtin_fabs(y);
    const double greater = width > height ? width : height;
    const double lesser = width > height ? height : width;
    const struct near64 first = near64_product(greater, greater);
    const struct near64 second = near64_product(lesser, lesser);
    const struct near64 sum = near64_sum(first.high, second.high);
    const struct near64 root =
        near64_sqrt((struct near64){sum.high, sum.low + (first.low + second.low)});
    const double value = ((greater >= 0x1p-400) & (greater < 0x1p400))
                             ? near64_round(root, root.high * 0x1p-97)
                             : __builtin_nan("");
    return width + height == 0 ? 0 : value;
}

/* One step of Newton's. With c = m y^2 off by d of it, below 2^-49, the next term is d^2; that c^3
 * and the correction are off by is less. */
static inline double near64_cbrt(double x)
{
    const struct near_cbrt_parts parts = near_cbrt_parts(x);
    const double inverse_square = parts.inverse * parts.inverse;
    const double c = parts.m * inverse_square;
    const struct near64 square = near64_product(c, c);
    const struct near64 cube = near64_product(square.high, c);
    const double rest = ((parts.m - cube.high) - cube.low) - square.low * c;
    const struct near64 value = {c, rest * inverse_square * (1.0 / 3)};
    const double size = near64_round(value, c * 0x1p-95) * parts.scale;
    const int known = (__builtin_fabs(x) >= 0x1p-1022) & (__builtin_fabs(x) < __builtin_inf());
    return known ? __builtin_copysign(size, x) : near64_or_zero(x, __builtin_nan(""));
}

#endif
