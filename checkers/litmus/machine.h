/* A thread of a litmus test as it runs: what it does between memory operations depends on what it
 * has read alone. */
#ifndef CHECKERS_LITMUS_MACHINE_H
#define CHECKERS_LITMUS_MACHINE_H

#include "checkers/litmus/litmus.h"

enum machine_state {
    MACHINE_RUNS,
    MACHINE_ENDED,
    /* A round of a loop changed nothing: the registers are as they were when it began, and it wrote
     * nothing. Whatever follows also follows without that round, so nobody needs to look further.
     */
    MACHINE_IDLE,
    MACHINE_CUT, /* a loop went round more often than it may */
};

struct machine_loop {
    bool runs; /* the thread is in it */
    uint32_t rounds;
    bool performed; /* some memory operation in this round */
    bool changed;   /* something was written in this round */
    int64_t variables[LITMUS_VARIABLES_MAX];
};

struct machine_thread {
    enum machine_state state;
    uint32_t pc, steps;
    int64_t registers[LITMUS_REGISTERS_MAX];
    struct machine_loop loops[LITMUS_LOOPS_MAX];
};

void machine_start(struct machine_thread *machine, const struct litmus_thread *thread);
/* Runs to the next memory operation, fence or barrier, which it returns and does not perform; NULL
 * = there is none, `state` says why. `rounds`: how often a loop may go round. */
const struct litmus_instruction *machine_run(struct machine_thread *machine,
                                             const struct litmus_thread *thread, uint32_t rounds);

/* Does a compare-exchange that finds `old` exchange? */
bool machine_exchanges(const struct machine_thread *machine,
                       const struct litmus_instruction *instruction, int64_t old);
/* What the instruction writes when it finds `old`. */
int64_t machine_written(const struct machine_thread *machine,
                        const struct litmus_instruction *instruction, int64_t old);
/* The instruction that machine_run returned was performed: `old` is what it read; `changed`: it
 * wrote, and others may see a difference. */
void machine_performed(struct machine_thread *machine, const struct litmus_thread *thread,
                       int64_t old, bool changed);
/* May the round of each loop that the thread is in still change something? Not if it has performed
 * operations that did not: it may then be bound to be one of those that nobody needs. */
bool machine_is_open(const struct machine_thread *machine, const struct litmus_thread *thread);

#endif
