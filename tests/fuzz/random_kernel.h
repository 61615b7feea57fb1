/* Random OpenCL C programs whose results the specification fixes to the last bit: no undefined,
 * unspecified or implementation-defined behaviour is used, no race, and nothing that rounds by
 * choice of the implementation. A seed is a program, on every host. */
#ifndef TESTS_FUZZ_RANDOM_KERNEL_H
#define TESTS_FUZZ_RANDOM_KERNEL_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* What the programs expect. Each kernel is
 *
 *     k0(global ulong *out, global uint *counters, global const uchar *in8, global const uint
 * *in32, global const float *in_float, local uint *tile, uint uniform)
 *
 * with one ulong of `out` per work-item, RANDOM_COUNTERS counters, RANDOM_INPUTS elements of each
 * input (finite floats), a uint of `tile` per work-item of a group, and a `uniform` of at most 6;
 * one dimension, and at most RANDOM_ITEMS work-items, of which at most a third are in a group. */
enum { RANDOM_KERNELS = 3, RANDOM_COUNTERS = 32, RANDOM_INPUTS = 256, RANDOM_ITEMS = 300 };

/* Besides the language: 1.2 or 3.0. */
#define RANDOM_BUILD_OPTIONS "-w -cl-opt-disable -cl-fp32-correctly-rounded-divide-sqrt"

/* Does the program have loops with several entries? PoCL does not end with such a kernel. */
bool random_is_irreducible(uint64_t seed);

/* Appends the source of kernels k0, k1 ... and what they need. */
void random_kernels(uint64_t seed, struct text *source);

#endif
