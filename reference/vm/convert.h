/* Conversions that C's casts do not make: by a rounding mode, and to and from half. `mode` is
 * SPIR-V's FPRoundingMode: 0 to nearest even, 1 toward zero, 2 toward positive, 3 toward negative
 * infinity. Results are exact for every operand and do not depend on the host's rounding mode. */
#ifndef REFERENCE_VM_CONVERT_H
#define REFERENCE_VM_CONVERT_H

#include <stdint.h>

__extension__ typedef __int128 vm_s128;
__extension__ typedef unsigned __int128 vm_u128;

float vm_convert_f32_s64(int64_t a, int mode);
float vm_convert_f32_u64(uint64_t a, int mode);
float vm_convert_f32_f64(double a, int mode);
double vm_convert_f64_s64(int64_t a, int mode);
double vm_convert_f64_u64(uint64_t a, int mode);
/* A half is its 16 bits. */
uint16_t vm_convert_f16_f64(double a, int mode);

uint64_t vm_reverse_bits(uint64_t a);

#endif
