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

float vm_convert_f32_s64(int64_t a, int mode)
{
    const float nearest = (float)a;
    return step_f32(nearest, direction(compare((vm_s128)nearest, a), a < 0, mode));
}

float vm_convert_f32_u64(uint64_t a, int mode)
{
    const float nearest = (float)a;
    return step_f32(nearest, direction(compare((vm_s128)nearest, a), 0, mode));
}

double vm_convert_f64_s64(int64_t a, int mode)
{
    const double nearest = (double)a;
    return step_f64(nearest, direction(compare((vm_s128)nearest, a), a < 0, mode));
}

double vm_convert_f64_u64(uint64_t a, int mode)
{
    const double nearest = (double)a;
    return step_f64(nearest, direction(compare((vm_s128)nearest, a), 0, mode));
}

float vm_convert_f32_f64(double a, int mode)
{
    const float nearest = (float)a;
    if (a != a || isinf(a))
        return nearest;
    return step_f32(nearest, direction((nearest > a) - (nearest < a), signbit(a) != 0, mode));
}

/* The magnitude as a multiple of the quantum of its binade, rounded; a carry runs into the
 * exponent. */
uint16_t vm_convert_f16_f64(double a, int mode)
{
    const int negative = signbit(a) != 0;
    const uint16_t sign = negative ? 0x8000 : 0;
    const double magnitude = fabs(a);
    if (a != a)
        return 0x7e00;
    if (isinf(a))
        return sign | 0x7c00;
    const int away = (mode == TO_POSITIVE && !negative) || (mode == TO_NEGATIVE && negative);
    uint32_t bits = 0x7c00;
    if (magnitude < 131072.0) {
        int exponent = magnitude == 0.0 ? -14 : ilogb(magnitude);
        exponent = exponent < -14 ? -14 : exponent;
        /* Exact but for doubles below half's quantum by more than double's range, where only "not
         * zero" matters: ldexp multiplies by a power of two, at most 2^24. */
        const double scaled = ldexp(magnitude, 10 - exponent);
        double whole = floor(scaled);
        const double rest = scaled - whole;
        if (mode == TO_NEAREST ? rest > 0.5 || (rest == 0.5 && fmod(whole, 2.0) != 0.0)
                               : away && rest > 0.0)
            whole += 1.0;
        bits = ((uint32_t)(exponent + 15) << 10) + (uint32_t)whole - 1024u;
    }
    if (bits >= 0x7c00)
        bits = mode == TO_NEAREST || away ? 0x7c00 : 0x7bff;
    return (uint16_t)(sign | bits);
}

double vm_convert_f64_f16(uint16_t a)
{
    const int exponent = a >> 10 & 0x1f;
    const int fraction = a & 0x3ff;
    double magnitude;
    if (exponent == 31)
        magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(fraction, -24);
    else
        magnitude = ldexp(fraction + 1024, exponent - 25);
    return a & 0x8000 ? -magnitude : magnitude;
}

uint64_t vm_reverse_bits(uint64_t a)
{
    uint64_t result = 0;
    for (int i = 0; i < 64; i++)
        result |= (a >> i & 1) << (63 - i);
    return result;
}
