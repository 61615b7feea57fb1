/* Private to the search: steps.c has an execution go on, trust.c goes through all of them with
 * revisit.c, commuting.c and alike.c, search.c through some; order.c tells the way to one, and
 * result.c what they come to. */
#ifndef CHECKERS_LITMUS_SEARCH_PRIVATE_H
#define CHECKERS_LITMUS_SEARCH_PRIVATE_H

#include "checkers/litmus/machine.h"
#include "checkers/litmus/search.h"

/* An execution under way: what was done, and where each thread is. */
struct state {
    struct graph graph;
    /* The memory operation that each thread is at; NULL = it has ended, or waits at a barrier. */
    const struct litmus_instruction *next[LITMUS_THREADS_MAX];
    /* It is at an update that has read, and has not written yet. */
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
    END_STUCK,   /* at a barrier that not all reach */
    END_BLOCKED, /* what the program takes for granted does not hold */
};

/* With END_NOT_YET: nobody looks at what follows. */
typedef enum status search_visit(void *user, const struct state *state, enum end end,
                                 const struct litmus_choices *choices, struct error *error);

/* An access, as the choices of an execution with load buffering have it. */
struct buffered_access {
    uint32_t source, place;
    int64_t value; /* that it reads */
    int event;     /* that it was the last time; -1: none */
};

/* What the search needs whose size depends on how many events and locations there are. */
struct search_room {
    uint32_t event_capacity, location_capacity;
    struct state *states[2]; /* of one execution, step by step */
    struct graph_relations relations, of_other;
    struct graph other; /* graph_may_buffer */
    struct option *options;
    struct way *ways; /* search.c */
    /* Of each event: order.c, choices, trust.c. */
    uint32_t *order[4];
    uint32_t *chosen, *hang;
    uint32_t *names, *stack;
    bool *past, *kept, *kept_write;
    uint64_t *own;                    /* of each event: graph_find_own */
    struct buffered_access *accesses; /* buffered.c */
    bool *any_order;                  /* search.any_order */
};

struct search {
    const struct litmus_test *test;
    struct oracle_machine machine;
    struct litmus_options options;
    size_t thread_size; /* what is used of a machine_thread */
    bool weak;          /* is what is gone through now weak, or an interleaving? */
    bool buffers;       /* executions with load buffering are gone through, too */
    struct search_room *room;
    bool is_fixed;     /* there must not be more room, or there is no memory for it */
    uint32_t left_out; /* enum litmus_left_out: graphs, time, memory, executions, values */
    uint32_t restarts; /* what was counted before the last one does not count */
    uint64_t visited;  /* executions, of those before a restart too */
    /* Locations whose updates commute (litmus_instruction.commuting), so that all orders are as
     * good as the one that they have. Other accesses happen before or after all of them. */
    bool *any_order;
    struct alike *alike;
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

/* The most choices that there are of so many events. */
static inline size_t search_choices_max(uint32_t events)
{
    return 2 * (size_t)events + LITMUS_THREADS_MAX;
}
static inline bool search_is_full(const struct state *state)
{
    return state->full || state->graph.count == state->graph.event_capacity;
}
/* Could the execution go on if there were more room? */
static inline bool search_may_grow(const struct search *search, const struct state *state)
{
    return search_is_full(state) && !search->is_fixed;
}
/* Makes twice as much room of what the state has too little of, and has all begin anew; what was in
 * the room is lost. If that cannot be, all is begun anew as well, and ends where room does. */
void search_grow(struct search *search, const struct state *full);

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

/* For the test's threads, of the size of the room; NULL when memory is out. */
struct state *search_make_state(const struct search *search);
void search_free_state(struct state *state); /* may be NULL */
size_t search_state_size(const struct search *search);
/* Where all begin, up to where there is a choice. */
void search_start(struct search *search, struct state *state);
void search_copy(const struct search *search, const struct state *state, struct state *copy);
enum end search_end_of(const struct search *search, const struct state *state);
size_t search_list_options(const struct search *search, const struct state *state,
                           struct option options[]);
/* Can the thread go on by an access? */
bool search_is_at_access(const struct state *state, size_t thread);
/* Goes on so, with all that needs no choice after it. */
void search_perform(const struct search *search, struct state *state, struct option option);
/* The state after that. False if the axioms do not allow it. */
bool search_follow(const struct search *search, const struct state *state, struct option option,
                   struct state *after);
/* Do the axioms allow it? Of interleavings, if the search is for those alone: always. */
bool search_is_possible(const struct search *search, const struct state *state);
/* It goes no further: can it be as it is? */
bool search_is_execution(const struct search *search, const struct state *state);
/* Makes the relations in the search's room; `open`: as struct graph_relations says. */
void search_relate(const struct search *search, const struct graph *graph, bool open);

/* The parts of it. Is there room for so many more events? */
bool search_make_room(struct state *state, size_t events);
/* The thread's next access becomes an event, which has not read or written yet. */
uint32_t search_add(const struct search *search, struct state *state, uint32_t thread);
/* The thread is at the event, and what it needs of its reads. */
void search_note_needs(const struct search *search, const struct state *state,
                       struct graph_event *event);
/* The thread's event that is still to be performed, or to write; the first, or -1. */
int search_unfinished(const struct graph *graph, uint32_t thread);
/* The event, at which the machine is, reads that value there; writes at that place. */
void search_take(const struct search *search, const struct machine_thread *at,
                 struct graph_event *event, int source, int64_t old);
void search_put(const struct search *search, const struct machine_thread *at, struct graph *graph,
                uint32_t event, uint32_t position);
/* From its start, by what it did in the graph, to what is unfinished. */
void search_run_again(const struct search *search, struct state *state, uint32_t thread);
/* The event that its thread is at reads. The thread goes on, unless it is an update and has to
 * write. */
void search_read(const struct search *search, struct state *state, uint32_t event, int source);
/* The event that its thread is at writes at that place. */
void search_write(const struct search *search, struct state *state, uint32_t event,
                  uint32_t position);
/* The operation that the thread is at was performed: `old` is what it read. */
void search_perform_one(const struct search *search, struct state *state, size_t thread,
                        int64_t old, bool changed);
/* All fences, and barriers that are met. */
void search_perform_unchosen(const struct search *search, struct state *state);
/* Are all threads that must meet at the barrier of that thread there? */
bool search_is_met(const struct search *search, const struct state *state, size_t thread);

/* ---- commuting.c ---- */

/* Which locations have updates that commute, of all that was gone through. */
struct commuting {
    struct search *search;
    struct commuting_location {
        uint32_t kind;   /* litmus_instruction.commuting, of all so far */
        bool is_ordered; /* all orders are gone through */
    } * locations;
    size_t location_count;
    bool again; /* an order was told of which others were left out: all has to be begun anew */
};

/* From the start on. False: no memory. */
bool commuting_begin(struct commuting *commuting, struct search *search);
void commuting_release(struct commuting *commuting);
/* Is the order of the access, which comes next, among those of its location of no matter, as far as
 * is known? */
bool commuting_take(struct commuting *commuting, const struct litmus_instruction *access);
/* Looks at a graph whose relations are in the search's room. */
void commuting_check(struct commuting *commuting, const struct graph *graph);
/* Does it matter what the event reads, and what it comes after? */
static inline bool commuting_is_in_order(const struct search *search,
                                         const struct graph_event *event)
{
    return !oracle_is_access(event->kind) || !search->any_order[event->instruction->location];
}

/* ---- alike.c ---- */

/* Threads that are alike. */
struct alike {
    uint32_t first[LITMUS_THREADS_MAX]; /* of each, the first thread that it is like, or itself */
    bool some;                          /* there are such */
    bool is_off;                        /* all are told apart */
    bool again;                         /* from now on, so that all has to be begun anew */
    bool stands_for_others;             /* an execution of those that were gone through */
    /* Of the graph that was looked at last. room->order[0] has its events by thread, [1] the rank
     * of each among its thread's. */
    uint32_t begin[LITMUS_THREADS_MAX], counts[LITMUS_THREADS_MAX];
    uint32_t shared[LITMUS_THREADS_MAX][LITMUS_THREADS_MAX]; /* of like ones, lower index first */
};

/* From the start on. */
void alike_begin(struct search *search);
/* A graph that is gone through: are those that were taken to be alike? */
void alike_check(const struct search *search, const struct state *state);
/* There is load buffering. */
void alike_tell_apart(const struct search *search);
/* For alike_event and struct alike. */
void alike_look(const struct search *search, const struct graph *graph);
static inline uint32_t alike_event(const struct search *search, uint32_t thread, uint32_t rank)
{
    return search->room->order[0][search->alike->begin[thread] + rank];
}
/* Is another graph gone through for this one? Its relations are in the search's room. */
bool alike_drops(const struct search *search, const struct graph *graph);
/* The execution is gone through: notes whether it stands for others, too. */
void alike_take(const struct search *search, const struct graph *graph);
/* The location that the one has where the other has this one, or this one. */
uint32_t alike_location(const struct litmus_test *test, uint32_t location, uint32_t a, uint32_t b);
/* The choices of the execution in which the two have done what the other did in that of those
 * choices, all as of search_order. The execution is then in room->states[1]. */
enum status alike_exchange(struct search *search, const struct litmus_choices *of, uint32_t a,
                           uint32_t b, struct litmus_choices *choices);

/* ---- revisit.c ---- */

/* What there is when a thread comes to write. Uses the search's room, as struct keeping does. */
struct view {
    const struct search *search;
    const struct state *state;
    uint32_t thread;
    bool *past; /* of what the thread does next */
};

/* Which events stay, as reads and as writes, and what they are then. */
struct keeping {
    bool *event, *write;
    uint32_t *names;
    bool lost[LITMUS_THREADS_MAX]; /* some of the thread's do not */
    int whole; /* a thread of which something stays behind all that is there, or -1 */
};

/* The thread's last event before that one, or -1. */
int search_last_of_thread(const struct graph *graph, uint32_t thread, uint32_t before);
static inline bool search_is_entry(const struct graph_event *event)
{
    return event->kind > ORACLE_FENCE && !event->is_exit;
}
struct view revisit_view(const struct search *search, const struct state *state, uint32_t thread);
/* May the read take the value of what is written now? */
bool revisit_may(const struct view *view, uint32_t reader);
/* Is the event left then? */
bool revisit_keeps(const struct view *view, uint32_t event, bool as_write, uint32_t reader);
/* The thread writes at that place, and the read takes its value. */
void revisit(const struct search *search, const struct state *state, uint32_t thread,
             uint32_t reader, uint32_t position, struct state *after);
/* Of a graph with so many events. */
struct keeping revisit_start_keeping(const struct search *search, uint32_t count);
/* The state with what is to be kept alone. */
void revisit_keep(const struct search *search, const struct state *state, struct keeping *keeping,
                  struct state *after);

/* ---- trust.c ---- */

/* All executions, those that are interleavings or weak ones too: calls search->visit. */
enum status search_all(struct search *search, bool weak, struct error *error);

/* ---- order.c ---- */

/* The first of the ways to the execution in the order of search_list_options, by the option's index
 * each time; with load buffering as buffered.c has it. `state` is then that execution, in that
 * order, of which `search` goes through the kind that it is, interleavings or weak ones. The
 * choices have room as of search_choices_max. */
void search_order(struct search *search, const struct graph *graph, struct state *state,
                  struct litmus_choices *choices);
/* From the options' indices to the numbers of those that are possible, which others are told. */
void search_number(struct search *search, struct litmus_choices *choices);
/* Interleavings come before weak executions, those before load buffering, and then what is first in
 * the order of options. */
int search_compare_choices(const struct litmus_choices *a, const struct litmus_choices *b);

/* ---- buffered.c: executions with load buffering ---- */

/* The choices by which the execution is told, with room as of search_order. */
void buffered_choose(struct search *search, const struct graph *graph,
                     struct litmus_choices *choices);
/* The execution of those choices. `known`, which may be NULL, is the same in another order. False:
 * there is none, or the state is full. */
bool buffered_perform(struct search *search, const struct litmus_choices *choices,
                      const struct graph *known, struct state *state);

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
