/* Random programs of the C in OpenCL C: structures, unions and arrays of them, by value and by
 * pointer into every address space, functions that call each other, components of vectors, loops,
 * switches, jumps, barriers that a group reaches together. All that they compute is integers, and
 * fixed by the specification for all operands; they have no race, no undefined value and no access
 * beyond an object. A seed is a program, on every host. */
#ifndef TESTS_FUZZ_RANDOM_PROGRAM_H
#define TESTS_FUZZ_RANDOM_PROGRAM_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { PROGRAM_ITEMS = 96, PROGRAM_GROUP = 32, PROGRAM_COUNTERS = 8, PROGRAM_ARGUMENTS = 4 };

/* The kernel is
 *
 *     k(global ulong *out, global uint *counters, uint uniform, ...)
 *
 * with a ulong of `out` for each work-item, counters that are added to, and arguments of these
 * kinds: memory with an element for each of PROGRAM_ITEMS work-items, or a value. Their bytes may
 * be any. */
enum argument_kind { ARGUMENT_GLOBAL, ARGUMENT_CONSTANT, ARGUMENT_VALUE };

struct program_argument {
    enum argument_kind kind;
    uint32_t size; /* bytes of the value or element */
};

struct random_program {
    struct program_argument arguments[PROGRAM_ARGUMENTS];
    uint32_t argument_count;
    /* It needs OpenCL C 2.0, for generic pointers; otherwise 1.2. */
    bool generic;
};

struct random_program random_program(uint64_t seed, struct text *source);

#endif
