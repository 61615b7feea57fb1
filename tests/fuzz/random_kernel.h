/* Random OpenCL C programs whose results the specification fixes to the last bit: no undefined,
 * unspecified or implementation-defined behaviour is used, no race, and nothing that rounds by
 * choice of the implementation. A seed is a program, on every host. */
#ifndef TESTS_FUZZ_RANDOM_KERNEL_H
#define TESTS_FUZZ_RANDOM_KERNEL_H

#include "trace/base/text.h"

#include <stdint.h>

/* What the programs expect. Each kernel is
 *
 *     k0(global ulong *out, global uint *counters, global const uchar *in8, global const uint
 * *in32, global const float *in_float, local uint *tile, uint uniform)
 *
 * with one ulong of `out` per work-item, RANDOM_COUNTERS counters, RANDOM_INPUTS elements of each
 * input (finite floats), and a uint of `tile` per work-item of a group; one dimension. */
enum { RANDOM_KERNELS = 3, RANDOM_COUNTERS = 32, RANDOM_INPUTS = 256 };

#define RANDOM_BUILD_OPTIONS                                                                       \
    "-cl-std=CL1.2 -w -cl-opt-disable -cl-fp32-correctly-rounded-divide-sqrt"

/* Appends the source of kernels k0, k1 ... and what they need. */
void random_kernels(uint64_t seed, struct text *source);

#endif
