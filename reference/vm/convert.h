/* Conversions that C's casts do not make: by a rounding mode, and to and from half. `mode` is
 * SPIR-V's FPRoundingMode: 0 to nearest even, 1 toward zero, 2 toward positive, 3 toward negative
 * infinity. Results are exact for every operand and do not depend on the host's rounding mode. */
#ifndef REFERENCE_VM_CONVERT_H
#define REFERENCE_VM_CONVERT_H

#include <stdint.h>
#include <string.h>

__extension__ typedef __int128 vm_s128;
__extension__ typedef unsigned __int128 vm_u128;

float vm_convert_f32_s64(int64_t a, int mode);
float vm_convert_f32_u64(uint64_t a, int mode);
float vm_convert_f32_f64(double a, int mode);
double vm_convert_f64_s64(int64_t a, int mode);
double vm_convert_f64_u64(uint64_t a, int mode);
/* A half is its 16 bits. */
uint16_t vm_convert_f16_f64(double a, int mode);
double vm_convert_f64_f16(uint16_t a);

/* The same for the lanes of a row: without branches, so that loops over them are vectorised. A NaN
 * becomes the canonical one on the way out. */
static inline float vm_half_to_float(uint16_t half)
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

/* To nearest even. */
static inline uint16_t vm_half_from_float(float value)
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

uint64_t vm_reverse_bits(uint64_t a);

#endif
