/* Whether a clang and an llvm-spirv write right SPIR-V. */
#ifndef REFERENCE_COMPILER_PAIR_H
#define REFERENCE_COMPILER_PAIR_H

#include "checkers/sink.h"
#include "reference/compiler/toolchain.h"
#include "trace/base/text.h"

/* What a pair may write otherwise than the program means. */
enum pair_fault {
    PAIR_FAULT_BUILT_INS, /* atomics and barriers become something else */
    PAIR_FAULT_ORDERS,
    PAIR_FAULT_SCOPES,
    PAIR_FAULT_MEMORIES, /* which memories a fence or a barrier orders */
    PAIR_FAULT_STRUCTS,
    PAIR_FAULT_CONSTANTS,
    PAIR_FAULT_RESULT_COUNT, /* with the ones before results may be wrong */
    PAIR_FAULT_LINES = PAIR_FAULT_RESULT_COUNT,
    PAIR_FAULT_COUNT
};

/* Compiles a program with the pair, repairs included, and looks at what came of it. A failure tells
 * nothing of the pair's faults; `log` has what the compilers said. The compile cache makes it cheap
 * to ask again. */
enum status pair_examine(const struct toolchain *tools, struct text *log,
                         bool faults[PAIR_FAULT_COUNT]);

/* The newest pair that is right for this device (toolchain_find); where there is none, the error
 * says what is wrong with the newest. */
enum status pair_choose(struct arena *arena, struct toolchain *tools, struct error *error);

/* What the device gives out as SINK_PAIRS_FUNCTION: tells of every pair that is there. */
sink_pairs_function clerk_examine_compilers;

#endif
