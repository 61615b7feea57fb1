/* OpenCL C to optimised SPIR-V, by clang and llvm-spirv: what a program's own compiler may give to
 * the device. */
#ifndef TESTS_FUZZ_OPTIMISE_H
#define TESTS_FUZZ_OPTIMISE_H

#include "trace/base/text.h"

#include <stdbool.h>

/* `level` is an option like -O2, `standard` one like -cl-std=CL3.0. False, with nothing in
 * `module`, when llvm-spirv has no words for what the optimiser made; ends the process when there
 * is not a compiler or the source is wrong. */
bool optimise(const char *source, const char *level, const char *standard, struct text *module);

#endif
