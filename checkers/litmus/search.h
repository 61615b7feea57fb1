/* How a litmus test can end, and whether it races: every execution is looked at, once.
 *
 * Those are all interleavings, as if memory were one sequence of accesses, or, if asked, all weak
 * executions: all graphs that can be built event by event, each read taking the value of any write,
 * each write any place in the modification order, as long as the axioms hold
 * (checkers/litmus/graph.h). So are executions in which a read takes its value from what its thread
 * did later ("load buffering"), unless that depends on the read or is kept behind it; where the
 * axioms alone would allow the latter, the result says that not all was looked at.
 *
 * Or some executions are chosen at random, for tests that have too many.
 *
 * Rounds of loops that change nothing are left out, so loops that wait are exact; of others at most
 * `rounds` are run.
 *
 * There is as much room for events and locations as executions need: if one needs more, all is
 * begun anew with twice as much.
 *
 * What was found is certain. That there is nothing more is said only if nothing was left out. */
#ifndef CHECKERS_LITMUS_SEARCH_H
#define CHECKERS_LITMUS_SEARCH_H

#include "checkers/litmus/graph.h"

enum {
    LITMUS_ROUNDS = 4,
    LITMUS_SECONDS = 60,
    LITMUS_MEMORY = 1 << 30,
    /* Then not all values are looked at that plain accesses read in a race. */
    LITMUS_STATES_WITH_RACES = 1000,
};

struct litmus_outcome;
struct litmus_result;

/* What is said of how a kernel ends, from 0: does the outcome violate that? What it is given is
 * good during the call only. */
struct litmus_claims {
    size_t count;
    bool (*fails)(void *user, size_t claim, const struct litmus_test *test,
                  const struct litmus_result *result, const struct litmus_outcome *outcome);
    void *user;
};

struct litmus_options {
    enum oracle_scope_rule scope_rule;
    bool seq_cst_alone;  /* seq_cst operations synchronise in the memory of their object only */
    bool seq_cst_all;    /* there is one order of all seq_cst operations, whatever their scopes */
    bool weak;           /* look at weak executions too */
    uint32_t rounds;     /* of a loop */
    uint64_t states_max; /* give up after so many graphs; 0 = never */
    uint32_t seconds;    /* and after so many; 0 = never */
    uint64_t memory;     /* and where graphs would take more bytes; 0 = where memory is out */
    uint64_t executions; /* and after so many, those that do not end among them; 0 = never */
    bool race_values; /* all values of plain accesses in races, however many executions that is */
    /* Not 0: so many weak executions, chosen at random by the seed, instead of all. What is only
     * weak is then what none of them that is an interleaving shows. */
    uint64_t samples, seed;
    bool in_order; /* no load buffering: for tests */
    bool apart;    /* like threads are told apart: for tests */
    /* Called each second, with what was gone through by then; may be NULL. */
    void (*progress)(void *user, uint64_t graphs, uint64_t executions);
    void *progress_user;
    const struct litmus_claims *claims; /* for litmus_repair; NULL = none */
};

/* Which of the ways to go on was taken, each time, from 0; with load buffering what buffered.c
 * says.
 */
struct litmus_choices {
    bool weak;     /* of a weak execution, or of an interleaving */
    bool buffered; /* of a weak one with load buffering: if of the first, of all */
    uint32_t *choices;
    uint32_t count;
};

/* One way to end: the values of what the condition speaks of, in its order (litmus_result); of a
 * kernel those of all global memory that it writes. */
struct litmus_outcome {
    const int64_t *values;
    size_t value_count;
    bool holds; /* the condition */
    bool weak;  /* no interleaving gives it */
    /* Nor would anything, if there were one order of all seq_cst operations, whatever their scopes.
     */
    bool by_scope;
    struct litmus_choices choices; /* of the first execution that ends so */
};

struct litmus_race {
    const struct litmus_instruction *first, *second;
    uint32_t first_thread, second_thread; /* indices in the test */
    bool weak;                            /* in no interleaving */
    bool by_scope;                        /* as litmus_outcome says */
    bool scopes;     /* both are atomic, and their scopes do not include each other */
    uint32_t number; /* among those of the execution */
    struct litmus_choices choices;
};

/* What a thread cannot perform, in some execution. */
struct litmus_fault {
    const struct litmus_instruction *instruction;
    uint32_t thread;
    bool weak; /* in no interleaving */
    struct litmus_choices choices;
};

/* What the condition and the filter speak of: a thread's variable, or a location. */
struct litmus_observed {
    bool is_location;
    uint32_t thread, index;
};

/* What was not looked at. */
enum litmus_left_out {
    LITMUS_LEFT_ROUNDS = 1 << 0,     /* what follows where a loop would go round too often */
    LITMUS_LEFT_STEPS = 1 << 1,      /* where a thread takes more than MACHINE_STEPS_MAX */
    LITMUS_LEFT_MEMORY = 1 << 2,     /* what takes more memory */
    LITMUS_LEFT_STATES = 1 << 3,     /* after the first states_max */
    LITMUS_LEFT_SAMPLES = 1 << 4,    /* what was not chosen */
    LITMUS_LEFT_WEAK = 1 << 5,       /* weak executions */
    LITMUS_LEFT_BUFFERING = 1 << 6,  /* executions with load buffering that are not built */
    LITMUS_LEFT_TIME = 1 << 7,       /* after so many seconds */
    LITMUS_LEFT_VALUES = 1 << 8,     /* what plain accesses may read in a race */
    LITMUS_LEFT_EXECUTIONS = 1 << 9, /* after the first so many executions */
    LITMUS_LEFT_ALL = 1 << 10,       /* all executions: an assumption holds in none */
};

struct litmus_result {
    const struct litmus_observed *observed;
    size_t observed_count;
    const struct litmus_outcome *outcomes; /* that pass the filter; interleaved ones first */
    size_t outcome_count;
    const struct litmus_race *races; /* pairs of instructions, of kernels pairs of sites */
    size_t race_count;
    const struct litmus_fault *faults; /* by instruction */
    size_t fault_count;
    uint64_t interleavings; /* that differ and end */
    uint64_t executions;    /* weak ones too, if asked for; they include the interleavings */
    bool stand_for_others;  /* there are more, with like threads exchanged */
    uint32_t left_out;      /* enum litmus_left_out, together */
    uint64_t visited;       /* executions, for litmus_options.executions */
    uint64_t cut;           /* executions that were left because of a loop */
    uint64_t blocked;       /* executions that count for nothing, as an assumption does not hold */
    uint64_t stuck;         /* executions that end before a barrier which not all reach */
    /* A state can be reached from which no execution ends, as loops wait for what nobody writes;
     * hangs_weakly: by no interleaving. The choices
     * lead there, and each thread is then at hang_at[i], or has ended. */
    bool hangs, hangs_weakly;
    struct litmus_choices hang;
    const struct litmus_instruction *hang_at[LITMUS_THREADS_MAX];
    struct arena arena;
};

enum status litmus_search(const struct litmus_test *test, const struct litmus_options *options,
                          struct litmus_result **result, struct error *error);
void litmus_result_destroy(struct litmus_result *result);

enum litmus_verdict {
    LITMUS_NONE, /* in no execution */
    LITMUS_FOUND,
    LITMUS_NOT_DECIDED, /* in none of those that were looked at */
};

/* Of the test without a condition, and of a kernel, that is LITMUS_NONE. */
struct litmus_verdicts {
    enum litmus_verdict condition; /* it becomes true, of forall: false */
    enum litmus_verdict race, fault, barrier /* that not all reach */, hang;
    enum litmus_verdict more; /* outcomes than those of the result; never LITMUS_FOUND */
};

void litmus_judge(const struct litmus_test *test, const struct litmus_result *result,
                  struct litmus_verdicts *verdicts);
/* Is anything not as it should be: a race, a hang, a reachable ~exists, an unreachable exists ...?
 */
enum litmus_verdict litmus_wrong(const struct litmus_test *test,
                                 const struct litmus_verdicts *verdicts);
/* Can the condition become true (of forall: false), as far as was looked? */
bool litmus_reaches(const struct litmus_test *test, const struct litmus_result *result,
                    bool *only_weak);
/* Do interleavings say all, unless one of them races? So they do where all atomic operations are
 * seq_cst and all barriers order both memories, and of one thread. */
bool litmus_is_sequential(const struct litmus_test *test);

/* Builds the execution with those choices, for graph_release. STATUS_INVALID if there is no such
 * choice. */
enum status litmus_replay(const struct litmus_test *test, const struct litmus_options *options,
                          const struct litmus_choices *choices, struct graph *graph,
                          struct error *error);

/* Calls for every execution that ends or goes no further, interleaved or weak: for tests. It may
 * begin anew, and then calls for all again. */
typedef enum status litmus_visit(void *user, const struct graph *graph, struct error *error);
enum status litmus_each_execution(const struct litmus_test *test,
                                  const struct litmus_options *options, litmus_visit *visit,
                                  void *user, struct error *error);

#endif
