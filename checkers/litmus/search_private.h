/* Private to the search: search.c goes through the executions, result.c says what they come to. */
#ifndef CHECKERS_LITMUS_SEARCH_PRIVATE_H
#define CHECKERS_LITMUS_SEARCH_PRIVATE_H

#include "checkers/litmus/machine.h"
#include "checkers/litmus/search.h"

/* An execution under way: what was done, and where each thread is. */
struct state {
    struct graph graph;
    struct machine_thread threads[LITMUS_THREADS_MAX];
    /* The memory operation that each thread is at; NULL = it has ended, or waits at a barrier. */
    const struct litmus_instruction *next[LITMUS_THREADS_MAX];
    bool full; /* the graph has no room for what comes next */
};

/* How an execution under way goes on. */
enum end {
    END_NOT_YET,
    END_ALL,  /* all threads have ended */
    END_IDLE, /* a round of a loop changed nothing */
    END_CUT,
    END_LONG, /* a thread takes too many steps */
    END_FULL, /* the graph has no room for what comes next */
    END_FAULT,
    END_STUCK, /* at a barrier that not all reach */
};

struct seen;

struct search {
    const struct litmus_test *test;
    struct oracle_machine machine;
    struct litmus_options options;
    bool weak; /* the pass under way */
    struct seen *seen;
    struct arena keys;
    uint64_t key_count;
    struct state *states; /* by depth */
    struct litmus_choices choices;
    bool too_many;
    /* The first state, interleaved or weak, from which no execution ends. */
    bool hangs, hangs_weakly;
    struct litmus_choices hang;
    const struct litmus_instruction *hang_at[LITMUS_THREADS_MAX];
    /* With END_NOT_YET: there is no more room for states, and nobody looks at what follows. */
    enum status (*visit)(void *user, const struct state *state, enum end end,
                         const struct litmus_choices *choices, struct error *error);
    void *user;
};

/* Must the threads, by their indices, meet at the barrier that one of them is at? */
bool litmus_meets(const struct litmus_test *test, const struct litmus_instruction *barrier,
                  size_t a, size_t b);
/* Is `b`, which may be NULL, a barrier where threads at `a` meet those that are there? */
bool litmus_same_barrier(const struct litmus_instruction *a, const struct litmus_instruction *b);

enum status search_create(const struct litmus_test *test, const struct litmus_options *options,
                          struct search *search, struct error *error);
void search_release(struct search *search);
/* One pass over all executions, interleaved or weak: calls search->visit. */
enum status search_run(struct search *search, bool weak, struct error *error);
/* Some weak executions: calls search->visit. */
enum status search_sample(struct search *search, struct error *error);

#endif
