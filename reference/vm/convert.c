/* Directed conversions start from the nearest value, which a C cast gives, and step to its
 * neighbour where the nearest lies on the wrong side of the operand. */
#include "reference/vm/convert.h"

#include <math.h>
#include <string.h>

enum { TO_NEAREST, TO_ZERO, TO_POSITIVE, TO_NEGATIVE };

/* Where the nearest value must move: `side` is the sign of (nearest - operand). */
static int direction(int side, int negative, int mode)
{
    const int down = mode == TO_NEGATIVE || (mode == TO_ZERO && !negative);
    const int up = mode == TO_POSITIVE || (mode == TO_ZERO && negative);
    return side > 0 && down ? -1 : side < 0 && up ? 1 : 0;
}

static float step_f32(float a, int where)
{
    return where == 0 ? a : nextafterf(a, where < 0 ? -INFINITY : INFINITY);
}

static double step_f64(double a, int where)
{
    return where == 0 ? a : nextafter(a, where < 0 ? -(double)INFINITY : (double)INFINITY);
}

static int compare(vm_s128 a, vm_s128 b)
{
    return (a > b) - (a < b);
}

#define CONVERT(F, f, I, i)                                                                        \
    F vm_convert_##f##_##i(I a, int mode)                                                          \
    {                                                                                              \
        const F nearest = (F)a;                                                                    \
        return step_##f(nearest,                                                                   \
                        direction(compare((vm_s128)nearest, a), compare(a, 0) < 0, mode));         \
    }
CONVERT(float, f32, int64_t, s64)
CONVERT(float, f32, uint64_t, u64)
CONVERT(double, f64, int64_t, s64)
CONVERT(double, f64, uint64_t, u64)

float vm_convert_f32_f64(double a, int mode)
{
    const float nearest = (float)a;
    if (a != a || isinf(a))
        return nearest;
    return step_f32(nearest, direction((nearest > a) - (nearest < a), signbit(a) != 0, mode));
}

/* The magnitude as a multiple of half's quantum in its binade, rounded; a carry runs into the
 * exponent. */
uint16_t vm_convert_f16_f64(double a, int mode)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    const int negative = (int)(bits >> 63);
    const uint16_t sign = negative ? 0x8000 : 0;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const uint64_t fraction = bits & UINT64_C(0xfffffffffffff);
    if (exponent == 1024)
        return fraction != 0 ? 0x7e00 : sign | 0x7c00;
    const int away = (mode == TO_POSITIVE && !negative) || (mode == TO_NEGATIVE && negative);
    uint32_t result = 0x7c00;
    if (exponent < 16) {
        /* Subnormal doubles are far below half's quantum: only "not zero" matters. */
        const uint64_t significand = fraction | (uint64_t)(exponent != -1023) << 52;
        const int binade = exponent < -14 ? -14 : exponent;
        const int shift = 42 + binade - exponent < 63 ? 42 + binade - exponent : 63;
        const uint64_t rest = significand & ((UINT64_C(1) << shift) - 1);
        const uint64_t tie = UINT64_C(1) << (shift - 1);
        uint64_t whole = significand >> shift;
        if (mode == TO_NEAREST ? rest > tie || (rest == tie && (whole & 1)) : away && rest != 0)
            whole++;
        result = ((uint32_t)(binade + 14) << 10) + (uint32_t)whole;
    }
    if (result >= 0x7c00)
        result = mode == TO_NEAREST || away ? 0x7c00 : 0x7bff;
    return (uint16_t)(sign | result);
}

uint64_t vm_reverse_bits(uint64_t a)
{
    uint64_t result = 0;
    for (int i = 0; i < 64; i++)
        result |= (a >> i & 1) << (63 - i);
    return result;
}
