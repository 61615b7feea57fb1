/* Private to the search: steps.c has an execution go on, trust.c goes through all of them, search.c
 * through some; order.c tells the way to one, and result.c what they come to. */
#ifndef CHECKERS_LITMUS_SEARCH_PRIVATE_H
#define CHECKERS_LITMUS_SEARCH_PRIVATE_H

#include "checkers/litmus/machine.h"
#include "checkers/litmus/search.h"

/* An execution under way: what was done, and where each thread is. */
struct state {
    struct graph graph;
    /* The memory operation that each thread is at; NULL = it has ended, or waits at a barrier. */
    const struct litmus_instruction *next[LITMUS_THREADS_MAX];
    /* Its last event is the read of an update, which has not written yet. */
    bool pending[LITMUS_THREADS_MAX];
    bool full; /* the graph has no room for what comes next */
    struct machine_thread threads[];
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

/* With END_NOT_YET: nobody looks at what follows. */
typedef enum status search_visit(void *user, const struct state *state, enum end end,
                                 const struct litmus_choices *choices, struct error *error);

struct search {
    const struct litmus_test *test;
    struct oracle_machine machine;
    struct litmus_options options;
    size_t thread_size;      /* what is used of a machine_thread */
    bool weak;               /* is what is gone through now weak, or an interleaving? */
    struct state *states[2]; /* of one execution, step by step */
    uint32_t left_out;       /* enum litmus_left_out: graphs, time, values */
    uint32_t restarts;       /* what was counted before the last one does not count */
    /* Locations whose updates commute (litmus_instruction.commuting), so that all orders are as
     * good as the one that they have. Other accesses happen before or after all of them. */
    bool any_order[LITMUS_LOCATIONS_MAX];
    /* The first state, interleaved or weak, from which no execution ends. */
    bool hangs;
    struct litmus_choices hang;
    const struct litmus_instruction *hang_at[LITMUS_THREADS_MAX];
    /* The choices after which each thread went no further; of executions that are not in the order
     * of search_order all. */
    uint32_t stops[LITMUS_THREADS_MAX];
    search_visit *visit;
    void *user;
};

/* Must the threads, by their indices, meet at the barrier that one of them is at? */
bool litmus_meets(const struct litmus_test *test, const struct litmus_instruction *barrier,
                  size_t a, size_t b);
/* Is `b`, which may be NULL, a barrier where threads at `a` meet those that are there? */
bool litmus_same_barrier(const struct litmus_instruction *a, const struct litmus_instruction *b);

enum status search_create(const struct litmus_test *test, const struct litmus_options *options,
                          struct search **search, struct error *error);
void search_destroy(struct search *search); /* may be NULL */

/* ---- steps.c ---- */

/* One way to go on: a thread performs its next operation, and a read takes the value of that write,
 * a write that place in the modification order. */
struct option {
    uint32_t thread;
    int reads_from;
    uint32_t position;
};

enum { OPTIONS_MAX = LITMUS_THREADS_MAX * (GRAPH_EVENTS_MAX + 1) };

/* For the test's threads; NULL when memory is out. alloc_free. */
struct state *search_make_state(const struct search *search);
/* Where all begin, up to where there is a choice. */
void search_start(struct search *search, struct state *state);
void search_copy(const struct search *search, const struct state *state, struct state *copy);
enum end search_end_of(const struct search *search, const struct state *state);
size_t search_list_options(const struct search *search, const struct state *state,
                           struct option options[OPTIONS_MAX]);
/* Goes on so, with all that needs no choice after it. */
void search_perform(const struct search *search, struct state *state, struct option option);
/* The state after that. False if the axioms do not allow it. */
bool search_follow(const struct search *search, const struct state *state, struct option option,
                   struct state *after);
/* Do the axioms allow it? Of interleavings, if the search is for those alone: always. */
bool search_is_possible(const struct search *search, const struct state *state);

/* The parts of it. Is there room for so many more events? */
bool search_make_room(struct state *state, size_t events);
/* The thread's next access becomes an event, which has not read or written yet. */
uint32_t search_add(struct state *state, uint32_t thread);
/* The last event of its thread reads. The thread goes on, unless it is an update and has to write.
 */
void search_read(const struct search *search, struct state *state, uint32_t event, int source);
/* The last event of its thread writes at that place. */
void search_write(const struct search *search, struct state *state, uint32_t event,
                  uint32_t position);
/* The operation that the thread is at was performed: `old` is what it read. */
void search_perform_one(const struct search *search, struct state *state, size_t thread,
                        int64_t old, bool changed);
/* All fences, and barriers that are met. */
void search_perform_unchosen(const struct search *search, struct state *state);
/* Are all threads that must meet at the barrier of that thread there? */
bool search_is_met(const struct search *search, const struct state *state, size_t thread);

/* ---- trust.c ---- */

/* All executions, those that are interleavings or weak ones too: calls search->visit. */
enum status search_all(struct search *search, bool weak, struct error *error);

/* ---- order.c ---- */

/* The first of the ways to the execution in the order of search_list_options, by the option's index
 * each time. `state` is then that execution, in that order, of which `search` goes through the kind
 * that it is, interleavings or weak ones. */
void search_order(struct search *search, const struct graph *graph, struct state *state,
                  struct litmus_choices *choices);
/* From the options' indices to the numbers of those that are possible, which others are told. */
void search_number(struct search *search, struct litmus_choices *choices);
/* Interleavings come before weak executions, and then what is first in the order of options. */
int search_compare_choices(const struct litmus_choices *a, const struct litmus_choices *b);

/* ---- search.c ---- */

/* Some weak executions: calls search->visit. */
enum status search_sample(struct search *search, struct error *error);

/* ---- result.c ---- */

/* What those executions come to of which `run` tells search->visit: litmus_search, but for tests of
 * other ways to go through them. */
typedef enum status search_run(struct search *search, struct error *error);
enum status search_collect(const struct litmus_test *test, const struct litmus_options *options,
                           search_run *run, struct litmus_result **result, struct error *error);

#endif
