/* A thread as it runs: what it does between memory operations depends on what it has read alone.
 * The search asks through a table of functions: threads of a litmus test run here, those of a
 * kernel on the device. */
#ifndef CHECKERS_LITMUS_MACHINE_H
#define CHECKERS_LITMUS_MACHINE_H

#include "checkers/litmus/litmus.h"

enum {
    /* That a thread of a litmus test takes besides its memory operations. */
    MACHINE_STEPS_MAX = 100000,
    /* Of a loop that does not depend on what was read. */
    MACHINE_ROUNDS_MAX = 100,
};

enum machine_state {
    MACHINE_RUNS,
    MACHINE_ENDED,
    /* A round of a loop changed nothing: the registers are as they were when it began, and it wrote
     * nothing. Whatever follows also follows without that round, so nobody needs to look further.
     */
    MACHINE_IDLE,
    MACHINE_CUT,     /* a loop went round more often than it may */
    MACHINE_LONG,    /* it took more steps than MACHINE_STEPS_MAX */
    MACHINE_FAULT,   /* what comes next is wrong: litmus_instruction.fault */
    MACHINE_BLOCKED, /* what the program takes for granted does not hold: the execution is none */
};

/* Where a thread stands to the fences that changes put in (checkers/litmus/fences.h). */
enum machine_fencing {
    MACHINE_NO_FENCE,       /* or, with a fence ahead: it comes before the next operation */
    MACHINE_BEHIND_FENCE,   /* that one was passed */
    MACHINE_OPERATION_DONE, /* the operation was performed that the fence ahead comes behind */
};

struct machine_loop {
    bool runs;        /* the thread is in it */
    uint32_t rounds;  /* in which what was read decided something */
    uint32_t counted; /* the others */
    bool depends;     /* this is one of the former */
    bool performed;   /* some memory operation in this round */
    bool changed;     /* something was written in this round */
    bool writes;      /* it does so whatever is read */
    int64_t variables[LITMUS_VARIABLES_MAX];
};

/* Copied with each state of the search. */
struct machine_thread {
    enum machine_state state;
    enum machine_fencing fencing;
    const struct litmus_instruction *fence; /* ahead; NULL = none */
    const void *at; /* of kernels: where it is, which says all, and what follows is not used */
    uint32_t pc, steps;
    int64_t registers[LITMUS_REGISTERS_MAX];
    /* Of each register the reads that its value depends on, by what is computed from what, as
     * machine_needs has them; those that decided where the thread went; those that decided whether
     * a loop went on. And how many there were. */
    uint64_t sources[LITMUS_REGISTERS_MAX];
    uint64_t decided, went_on;
    uint32_t read_count;
    struct machine_loop loops[LITMUS_LOOPS_MAX];
};

/* What an access needs of the reads that its thread did before it: a bit for the number of each
 * among them, the last bit for all that are left. */
struct machine_needs {
    uint64_t values; /* that decide what it writes, where it is, or whether it comes to be at all */
    uint64_t follows; /* others behind which alone the thread went on */
};

enum { MACHINE_LAST_READ = 63 };

/* `thread` is an index in the test. */
struct machine {
    void (*start)(const struct litmus_test *test, uint32_t thread, struct machine_thread *machine);
    /* Runs to the next memory operation, fence, barrier or fault, which it returns and does not
     * perform; NULL = there is none, `state` says why. `rounds`: how often a loop may go round. */
    const struct litmus_instruction *(*run)(const struct litmus_test *test, uint32_t thread,
                                            struct machine_thread *machine, uint32_t rounds);
    /* Of the instruction that `run` returned: does a compare-exchange that finds `old` exchange,
     * and what does it write when it finds `old`? */
    bool (*exchanges)(const struct machine_thread *machine,
                      const struct litmus_instruction *instruction, int64_t old);
    int64_t (*written)(const struct machine_thread *machine,
                       const struct litmus_instruction *instruction, int64_t old);
    /* It was performed: `old` is what it read; `changed`: it wrote, and others may see a
     * difference. */
    void (*performed)(const struct litmus_test *test, uint32_t thread,
                      struct machine_thread *machine, int64_t old, bool changed);
    /* Of the access that `run` returned. `reads`: those of which it is asked. */
    struct machine_needs (*needs)(const struct litmus_test *test, uint32_t thread,
                                  const struct machine_thread *machine,
                                  const struct litmus_instruction *instruction, uint64_t reads);
    /* The threads stand where all of the thread's work-group meet: what does that give it, as `old`
     * of `performed`? `machines` are those of all threads. NULL: nothing. */
    int64_t (*gives)(const struct litmus_test *test, uint32_t thread,
                     const struct machine_thread *const machines[]);
    /* May the round of each loop that the thread is in still change something? Not if it has
     * performed operations that did not: it may then be bound to be one of those that nobody needs.
     */
    bool (*is_open)(const struct litmus_test *test, uint32_t thread,
                    const struct machine_thread *machine);
    /* Do the two do the same whenever they have read the same? False: maybe not. */
    bool (*alike)(const struct litmus_test *test, uint32_t a, uint32_t b);
    /* The thread is there, and so may be the others, a bit for each, which are like it. Called for
     * all threads, that of others for no others, in all graphs. False: some are not alike, so that
     * all is begun anew. NULL: who is alike stays so. */
    bool (*stays_alike)(const struct litmus_test *test, uint32_t thread,
                        const struct machine_thread *machine, uint64_t others);
    /* The test has other changes than before: instructions that are not the threads' own are made
     * anew, in place. NULL = there are none. */
    void (*edited)(const struct litmus_test *test);
};

extern const struct machine litmus_text_machine;

#endif
