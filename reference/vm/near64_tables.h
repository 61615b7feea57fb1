/* The numbers that near64.h looks up, in two doubles each, of which the second is the rest of the
 * first, unless another form is given. near64_tables.py makes them. */
#ifndef REFERENCE_VM_NEAR64_TABLES_H
#define REFERENCE_VM_NEAR64_TABLES_H

extern const double near64_exp2_table[128][2]; /* 2^(i / 128), the first of 27 bits */

/* For m = 1 + i / 256 up to 1 + (i + 1) / 256, halved from i = 106 on: a factor f of 9 bits, and
 * -log(f), of which the first part is a multiple of 2^-42. |m f - 1| is at most 2^-8, so that it is
 * a double, and its cube at most 2^-16 |log(m)|. Around 1, f is 1. */
extern const double near64_log_table[256][3];

extern const double near64_sin_table[257][2];  /* sin(i pi / 512) */
extern const double near64_atan_table[129][2]; /* atan(i / 128) */
extern const double near64_erf_table[385][4];  /* erf(i / 64), its derivative there */

/* The polynomial of degree 10 in d that is erfcx(m + d) = e^((m + d)^2) erfc(m + d), where m + 1 is
 * 2^(i div 32) (1 + (i mod 32 + 1/2) / 32) and |d| at most half of the step to the next m: the
 * coefficients of 1, d and d^2 in two parts, those of d^3 to d^10 in one. It interpolates at
 * Chebyshev's points, with a relative error of less than 2^-71. */
extern const double near64_erfcx_table[154][14];

#endif
