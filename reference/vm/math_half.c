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

float math_fmod_f16(float x, float y)
{
    return math_fmod_f32(x, y);
}

float math_remainder_f16(float x, float y)
{
    return math_remainder_f32(x, y);
}

int32_t math_remquo_quotient_f16(float x, float y)
{
    return math_remquo_quotient_f32(x, y);
}

float math_fract_f16(float x)
{
    const float fraction = math_fract_f32(x);
    return fraction > 0x1.ffcp-1f ? 0x1.ffcp-1f : nearest_half((double)fraction);
}

float math_modf_fraction_f16(float x)
{
    return math_modf_fraction_f32(x);
}

float math_frexp_mantissa_f16(float x)
{
    return math_frexp_mantissa_f32(x);
}

int32_t math_frexp_exponent_f16(float x)
{
    return math_frexp_exponent_f32(x);
}

/* In double any n that leaves half a finite, non-zero result is exact. */
float math_ldexp_f16(float x, int32_t n)
{
    return nearest_half(ldexp((double)x, n));
}

float math_logb_f16(float x)
{
    return math_logb_f32(x);
}

int32_t math_ilogb_f16(float x)
{
    return math_ilogb_f32(x);
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

int32_t math_lgamma_sign_f16(float x)
{
    return math_lgamma_sign_f32(x);
}
