/* The 16-bit floating-point numbers of OpenCL, a half being its 16 bits. Conversions to half round
 * to nearest even; a NaN becomes 0x7e00. Those with float have no branches, so that loops over them
 * are vectorised. */
#ifndef TRACE_BASE_HALF_H
#define TRACE_BASE_HALF_H

#include <stdint.h>
#include <string.h>

static inline float half_to_float(uint16_t half)
{
    const uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    float scaled; /* an exponent of half read as one of float is too small by 112 */
    memcpy(&scaled, &magnitude, sizeof scaled);
    scaled *= 0x1p112f;
    uint32_t bits;
    memcpy(&bits, &scaled, sizeof bits);
    bits = (magnitude >= 0x0f800000 ? magnitude | 0x7f800000 : bits) | sign;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint16_t half_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t magnitude = bits & 0x7fffffff;
    /* The carry of rounding away 13 bits runs into the exponent, as it should. */
    const uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    float small; /* below 2^-14: the last place of 0.5f is half's quantum, 2^-24 */
    memcpy(&small, &magnitude, sizeof small);
    small += 0.5f;
    uint32_t subnormal;
    memcpy(&subnormal, &small, sizeof subnormal);
    uint32_t half = magnitude < 0x38800000 ? subnormal - 0x3f000000 : normal;
    half = magnitude >= 0x477ff000 ? 0x7c00 : half; /* 65520 and above */
    half |= bits >> 16 & 0x8000;
    return (uint16_t)(magnitude > 0x7f800000 ? 0x7e00 : half);
}

/* By way of a float, an odd one where the double lies between two: that lies between the same
 * halves as the double, and on no tie, so nothing is rounded twice. */
static inline uint16_t half_from_double(double value)
{
    float near = (float)value;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    const double size = value < 0 ? -value : value;
    const double near_size = near < 0 ? -(double)near : (double)near;
    if (near_size != size && (bits & 1) == 0)
        bits = near_size < size ? bits + 1 : bits - 1;
    memcpy(&near, &bits, sizeof near);
    return half_from_float(near);
}

#endif
