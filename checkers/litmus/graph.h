/* An execution of a litmus test as a graph, and the axioms of the memory model over it.
 *
 * Each event comes after those that its thread did before, and, but for load buffering, after the
 * write that it reads, as it can have happened; the axioms do not need that. Of
 * each location the graph has the modification order; the initial value stands before all of it.
 * Everything else follows from those: what synchronises with what, happens-before in each memory,
 * the order of seq_cst operations. Relations are matrices of bits, made anew for each graph;
 * nothing is kept from one to the next.
 *
 * Graphs and relations have room for so many events and locations as they were made for. All that
 * are used together have the same.
 *
 * A plain access is given the choices of a relaxed one. In an execution without a race that changes
 * nothing, as happens-before leaves it one choice; in one with a race the specification says
 * nothing, and a value is still shown that a device might give. */
#ifndef CHECKERS_LITMUS_GRAPH_H
#define CHECKERS_LITMUS_GRAPH_H

#include "checkers/litmus/litmus.h"

enum { GRAPH_INITIAL = -1 };

/* For each event a set of events. Of a graph with fewer events than there is room for, the bits
 * behind them mean nothing. */
struct graph_rows {
    uint64_t *words;
    uint32_t stride; /* words of a row */
};

static inline bool graph_has(const struct graph_rows *rows, uint32_t row, uint32_t event)
{
    return (rows->words[(size_t)row * rows->stride + event / 64] >> event % 64 & 1) != 0;
}
static inline void graph_put(const struct graph_rows *rows, uint32_t row, uint32_t event)
{
    rows->words[(size_t)row * rows->stride + event / 64] |= UINT64_C(1) << event % 64;
}
/* Words that have that many events. */
static inline uint32_t graph_words(uint32_t count)
{
    return (count + 63) / 64;
}
static inline uint64_t *graph_row(const struct graph_rows *rows, uint32_t row)
{
    return &rows->words[(size_t)row * rows->stride];
}
void graph_unite(uint64_t *set, const uint64_t *other, uint32_t words);
/* Empties those of the first so many events. */
void graph_clear(const struct graph_rows *rows, uint32_t count);

struct graph_event {
    const struct litmus_instruction *instruction;
    enum oracle_kind kind; /* what it became: a failed compare-exchange is an atomic read */
    enum oracle_order order;
    uint16_t thread;                   /* index in the test */
    bool is_exit;                      /* of a barrier; the entry is an event of its own */
    uint32_t meeting;                  /* barriers: which one, counted from 0 */
    int reads_from;                    /* an event, or GRAPH_INITIAL */
    int64_t read_value, written_value; /* of who leaves a barrier: what it is given there */
    /* When it came into the graph, and when a write got its place: each time a greater number. */
    uint32_t added, placed;
    bool changed; /* as machine.performed wants it */
    bool is_half; /* an update that has read, and has not written yet */
    /* Of an access: which of its thread's reads before it it needs, a bit for each number, the last
     * one for all from there on: their values decide what it writes, or that it is there at all
     * (machine.needs). After those of `follows` it comes for another reason. */
    uint64_t needs, follows;
    uint32_t number; /* among the reads of its thread, if it is one */
};

enum { GRAPH_LAST_NUMBER = 63 };

struct graph {
    const struct litmus_test *test;
    const struct oracle_machine *machine;
    struct graph_event *events;
    uint32_t count;
    uint32_t event_capacity, location_capacity;
    uint32_t meeting_count;
    uint32_t clock; /* of added and placed */
    /* The modification orders of the locations, one after the other: events; and where each
     * begins, and the last one ends. */
    uint32_t *writes;
    uint32_t *first_write;
};

/* Why an event comes after one that its thread performed before. */
enum graph_between {
    GRAPH_PROGRAM,   /* that it did is enough */
    GRAPH_DEPENDING, /* graph_find_own */
    GRAPH_NEEDING,   /* graph_event.needs */
};

/* Bit b of row a: a comes before b. */
struct graph_relations {
    /* More may come: a release is carried on by updates alone, as a later write may stand between
     * others of its sequence. So what is left of a consistent graph is consistent. */
    bool open;
    /* Of writes: their place in the modification order of their location, from 1. */
    uint32_t *place;
    struct graph_rows sequenced;
    struct graph_rows happens[ORACLE_REGION_COUNT];
    /* For whoever asks something of them: a matrix, and four sets. */
    struct graph_rows scratch, sets;
    struct graph_rows
        next[GRAPH_NEEDING + 1]; /* graph_find_next; that of GRAPH_PROGRAM is scratch */
    uint64_t *own;               /* of each event, for graph_find_own */
};

/* False: there is no memory, and nothing has to be released. */
bool graph_create(struct graph *graph, uint32_t event_capacity, uint32_t location_capacity);
void graph_release(struct graph *graph); /* what is zero, too */
bool graph_relations_create(struct graph_relations *relations, uint32_t event_capacity);
void graph_relations_release(struct graph_relations *relations);
/* What these two take of memory. */
size_t graph_size(uint32_t event_capacity, uint32_t location_capacity);
size_t graph_relations_size(uint32_t event_capacity);

void graph_start(struct graph *graph, const struct litmus_test *test,
                 const struct oracle_machine *machine);
void graph_copy(const struct graph *graph, struct graph *copy);
/* A new event at the end, zero but for the instruction, kind and order. There must be room. */
struct graph_event *graph_add(struct graph *graph, uint32_t thread,
                              const struct litmus_instruction *instruction);
/* A *hole* stands for an access that is still to be performed, though later ones of its thread are
 * there, which do not depend on it (buffering). It is no access yet. */
void graph_make_hole(struct graph_event *event);
static inline bool graph_is_hole(const struct graph_event *event)
{
    return event->kind == ORACLE_FENCE && event->instruction->op < LITMUS_FENCE;
}
/* Does the instruction read, whatever the event became? */
static inline bool graph_may_read(const struct graph_event *event)
{
    return event->instruction->op != LITMUS_WRITE && event->instruction->op < LITMUS_FENCE;
}
/* Puts an event, which writes, at that place of its location's modification order. */
void graph_place_write(struct graph *graph, uint32_t event, uint32_t position);
void graph_remove_write(struct graph *graph, uint32_t event);
/* The modification order of a location: the events that write to it. None of one that there is no
 * room for. */
static inline uint32_t graph_write_count(const struct graph *graph, uint32_t location)
{
    return location < graph->location_capacity
               ? graph->first_write[location + 1] - graph->first_write[location]
               : 0;
}
static inline const uint32_t *graph_writes(const struct graph *graph, uint32_t location)
{
    return &graph->writes[graph->first_write[location]];
}
/* The value that a write (or GRAPH_INITIAL) gave the location; that of the last write. */
int64_t graph_value(const struct graph *graph, uint32_t location, int write);
int64_t graph_last_value(const struct graph *graph, uint32_t location);

void graph_relate(const struct graph *graph, struct graph_relations *relations);
/* The transitive closure. */
void graph_close(const struct graph_rows *rows, uint32_t count);
bool graph_is_irreflexive(const struct graph_rows *rows, uint32_t count);
/* Can the memory model's rules be kept: coherence, atomicity, the order of seq_cst operations? */
bool graph_is_consistent(const struct graph *graph, const struct graph_relations *relations);

/* Could there also be one order of all seq_cst operations, whatever their scopes? */
bool graph_orders_all(const struct graph *graph, const struct graph_relations *relations);

/* Is there one order of all accesses in which each read has the last write before it? any_order:
 * may be NULL; where it is true of a location, its accesses may be in another order than theirs. */
bool graph_is_interleaving(const struct graph *graph, const struct graph_relations *relations,
                           const bool any_order[]);

/* ---- depends.c: load buffering ---- */

/* A read that what its thread does later need not wait for: an atomic one that acquires nothing. Of
 * a compare-exchange not even if it exchanges, as it decides itself whether the rest may wait. */
bool graph_is_loose(const struct graph_event *event);
/* Of each event: the reads of its own thread that it comes after in any execution, by number. */
void graph_find_own(const struct graph *graph, uint64_t own[]);
/* The same of what the thread does next, an access that is not there yet. */
uint64_t graph_own_of_next(const struct graph *graph, const uint64_t own[],
                           const struct graph_event *next);
/* Does an event with those `own` come after that one, which its thread did before, in any
 * execution? */
static inline bool graph_stays_behind(const struct graph_event *event, uint64_t own_of_event,
                                      uint64_t own)
{
    return graph_is_loose(event) ? (own >> event->number & 1) != 0 : (own_of_event & ~own) == 0;
}
/* Does a read take its value from what only follows it, by the order of threads, barriers, and
 * what reads from what? */
bool graph_is_buffered(const struct graph *graph, const struct graph_relations *relations);

/* Makes relations->next[between] what follows each event so, or by a barrier, or reads it, and so
 * on; with GRAPH_NEEDING what updates read does not count. */
void graph_find_next(const struct graph *graph, enum graph_between between,
                     const struct graph_relations *relations);
/* Does an event come after itself so? Uses relations->next[between]. */
bool graph_has_cycle(const struct graph *graph, enum graph_between between,
                     const struct graph_relations *relations);

/* ---- buffering.c ---- */

/* Could a read have taken its value from a write that only follows it, in an execution that is not
 * built? With in_order none is built in which one does; else none where more than what is needed
 * keeps the one behind the other. `other` and its relations are used. */
bool graph_may_buffer(const struct graph *graph, const struct graph_relations *relations,
                      bool in_order, struct graph *other, struct graph_relations *of_other);

/* Calls for each pair of events that race, the earlier in the graph first. */
typedef void graph_race_function(void *user, uint32_t a, uint32_t b);
void graph_each_race(const struct graph *graph, const struct graph_relations *relations,
                     graph_race_function *report, void *user);

/* The same judged by the oracle, with the events in the order of the graph: only right if each read
 * has the last write before it. */
enum status graph_each_oracle_race(const struct graph *graph, graph_race_function *report,
                                   void *user, struct error *error);

#endif
