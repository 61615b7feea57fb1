/* The exact built-ins of half. Results that every half has room for come from the functions of
 * float; the rest is rounded once. */
#include "reference/vm/convert.h"
#include "reference/vm/math.h"
#include "trace/base/half.h"

#include <math.h>

static float nearest_half(double value)
{
    return half_to_float(vm_convert_f16_f64(value, 0));
}

/* Those that are the functions of float. */
#define AS_FLOAT_1(T, name)                                                                        \
    T math_##name##_f16(float x)                                                                   \
    {                                                                                              \
        return math_##name##_f32(x);                                                               \
    }
#define AS_FLOAT_2(T, name)                                                                        \
    T math_##name##_f16(float x, float y)                                                          \
    {                                                                                              \
        return math_##name##_f32(x, y);                                                            \
    }
AS_FLOAT_1(float, modf_fraction)
AS_FLOAT_1(float, frexp_mantissa)
AS_FLOAT_1(float, logb)
AS_FLOAT_1(int32_t, frexp_exponent)
AS_FLOAT_1(int32_t, ilogb)
AS_FLOAT_1(int32_t, lgamma_sign)
AS_FLOAT_2(float, fmod)
AS_FLOAT_2(float, remainder)
AS_FLOAT_2(int32_t, remquo_quotient)

float math_fract_f16(float x)
{
    const float fraction = math_fract_f32(x);
    return fraction > 0x1.ffcp-1f ? 0x1.ffcp-1f : nearest_half((double)fraction);
}

/* In double any n that leaves half a finite, non-zero result is exact. */
float math_ldexp_f16(float x, int32_t n)
{
    return nearest_half(ldexp((double)x, n));
}

/* The bits of halves of one sign count up with their magnitude. */
float math_nextafter_f16(float x, float y)
{
    if (isnan(x) || isnan(y))
        return __builtin_nanf("");
    if (x == y)
        return y;
    if (x == 0)
        return y > 0 ? 0x1p-24f : -0x1p-24f;
    const uint16_t bits = half_from_float(x);
    return half_to_float((uint16_t)((x < y) == (x > 0) ? bits + 1 : bits - 1));
}
