/* An execution of a litmus test as a graph, and the axioms of the memory model over it.
 *
 * Each event comes after those that its thread did before. In graphs that the search builds it also
 * comes after the write that it reads, as it can have happened; the axioms do not need that. Of
 * each location the graph has the modification order; the initial value stands before all of it.
 * Everything else follows from those: what synchronises with what, happens-before in each memory,
 * the order of seq_cst operations. Relations are matrices of bits, made anew for each graph;
 * nothing is kept from one to the next.
 *
 * A plain access is given the choices of a relaxed one. In an execution without a race that changes
 * nothing, as happens-before leaves it one choice; in one with a race the specification says
 * nothing, and a value is still shown that a device might give. */
#ifndef CHECKERS_LITMUS_GRAPH_H
#define CHECKERS_LITMUS_GRAPH_H

#include "checkers/litmus/litmus.h"

enum { GRAPH_EVENTS_MAX = 512, GRAPH_WORDS = GRAPH_EVENTS_MAX / 64, GRAPH_INITIAL = -1 };

/* A set of events. Of a graph with fewer events the words behind them mean nothing. */
struct graph_set {
    uint64_t words[GRAPH_WORDS];
};

static inline bool graph_has(const struct graph_set *set, uint32_t event)
{
    return (set->words[event / 64] >> event % 64 & 1) != 0;
}
static inline void graph_put(struct graph_set *set, uint32_t event)
{
    set->words[event / 64] |= UINT64_C(1) << event % 64;
}
/* Empties the first so many. */
void graph_clear(struct graph_set sets[], uint32_t count);

struct graph_event {
    const struct litmus_instruction *instruction;
    enum oracle_kind kind; /* what it became: a failed compare-exchange is an atomic read */
    enum oracle_order order;
    uint8_t thread;     /* index in the test */
    bool is_exit;       /* of a barrier; the entry is an event of its own */
    uint16_t meeting;   /* barriers: which one, counted from 0 */
    int16_t reads_from; /* an event, or GRAPH_INITIAL */
    int64_t read_value, written_value;
    /* When it came into the graph, and when a write got its place: each time a greater number. */
    uint32_t added, placed;
};

struct graph {
    const struct litmus_test *test;
    const struct oracle_machine *machine;
    struct graph_event events[GRAPH_EVENTS_MAX];
    uint32_t count;
    uint32_t meeting_count;
    uint32_t clock; /* of added and placed */
    /* The modification orders of the locations, one after the other: events; and where each
     * begins. */
    uint16_t writes[GRAPH_EVENTS_MAX];
    uint16_t first_write[LITMUS_LOCATIONS_MAX + 1];
};

/* Bit b of row a: a comes before b. */
struct graph_relations {
    /* Of writes: their place in the modification order of their location, from 1. */
    uint16_t place[GRAPH_EVENTS_MAX];
    struct graph_set sequenced[GRAPH_EVENTS_MAX];
    struct graph_set happens[ORACLE_REGION_COUNT][GRAPH_EVENTS_MAX];
};

void graph_start(struct graph *graph, const struct litmus_test *test,
                 const struct oracle_machine *machine);
void graph_copy(const struct graph *graph, struct graph *copy);
/* A new event at the end, zero but for the instruction, kind and order. There must be room. */
struct graph_event *graph_add(struct graph *graph, uint32_t thread,
                              const struct litmus_instruction *instruction);
/* Puts an event, which writes, at that place of its location's modification order. */
void graph_place_write(struct graph *graph, uint32_t event, uint32_t position);
void graph_remove_write(struct graph *graph, uint32_t event);
/* The modification order of a location: the events that write to it. */
static inline uint32_t graph_write_count(const struct graph *graph, uint32_t location)
{
    return graph->first_write[location + 1] - (uint32_t)graph->first_write[location];
}
static inline const uint16_t *graph_writes(const struct graph *graph, uint32_t location)
{
    return &graph->writes[graph->first_write[location]];
}
/* The value that a write (or GRAPH_INITIAL) gave the location; that of the last write. */
int64_t graph_value(const struct graph *graph, uint32_t location, int write);
int64_t graph_last_value(const struct graph *graph, uint32_t location);

void graph_relate(const struct graph *graph, struct graph_relations *relations);
/* The transitive closure. */
void graph_close(struct graph_set rows[], uint32_t count);
/* Can the memory model's rules be kept: coherence, atomicity, the order of seq_cst operations? */
bool graph_is_consistent(const struct graph *graph, const struct graph_relations *relations);

/* Could there also be one order of all seq_cst operations, whatever their scopes? */
bool graph_orders_all(const struct graph *graph, const struct graph_relations *relations);

/* Is there one order of all accesses in which each read has the last write before it? any_order:
 * may be NULL; where it is true of a location, its accesses may be in another order than theirs. */
bool graph_is_interleaving(const struct graph *graph, const struct graph_relations *relations,
                           const bool any_order[]);

/* Could a read have taken its value from a write that is there only because of what was read and
 * done before it, this read among it ("load buffering")? Executions with such a read are never
 * built, so one that could have it says that not all are. */
bool graph_may_buffer(const struct graph *graph, const struct graph_relations *relations);

/* Calls for each pair of events that race, the earlier in the graph first. */
typedef void graph_race_function(void *user, uint32_t a, uint32_t b);
void graph_each_race(const struct graph *graph, const struct graph_relations *relations,
                     graph_race_function *report, void *user);

/* The same judged by the oracle, with the events in the order of the graph: only right if each read
 * has the last write before it. */
enum status graph_each_oracle_race(const struct graph *graph, graph_race_function *report,
                                   void *user, struct error *error);

#endif
