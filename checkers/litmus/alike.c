/* Of executions that differ in nothing but which of some like threads did what, one is gone
 * through, as in Kokologiannakis, Marmanis, Vafeiadis: SPORE: Combining Symmetry and Partial Order
 * Reduction, PLDI 2024.
 *
 * Like threads do the same as long as they have read the same. Two *share* what they did up to the
 * first write, or the first read in which they differ; there they part. The first of them, by
 * index, is to be the one that reads what stands earlier in the modification order, or writes
 * earlier there. Graphs in which it is not are dropped.
 *
 * No execution is lost if each can be built, its threads being numbered in some way, without coming
 * to a graph that is dropped (trust.c):
 * - As long as they share, what a thread does comes after what those before it did in the same
 *   place. It goes on after them, and has that in its past (revisit.c).
 * - What reads the last write, or writes last, is never dropped.
 * - Nor is what is left of a graph that is not, with the past of each event.
 * - Pasts have no circle. They could have one with relaxed reads: where a thread reads what stands
 *   earlier, but was written after what the other one read, or two such pairs are crossed. So a
 *   graph is dropped only if what stands earlier is no more hops, from thread to thread by what
 *   they read, from the beginning than what stands later. Numbered by hops, and then by the
 *   modification order, threads are never dropped; and where a circle leads from thread to thread
 *   hops are added, while nowhere on it they get fewer.
 *
 * Load buffering leaves threads of which later parts are there without the earlier ones. Where it
 * can be, threads are told apart, from the beginning. */
#include "checkers/litmus/search_private.h"

#include "trace/base/alloc.h"

#include <string.h>

/* ---- which threads ---- */

static bool is_variable_of(const struct litmus_term *term, uint32_t thread)
{
    return term->kind == LITMUS_VARIABLE && term->thread == thread;
}

static bool mentions(const struct litmus_condition *condition, uint32_t thread)
{
    bool found = false;
    for (size_t i = 0; i < condition->count; i++) {
        const struct litmus_atom *atom = &condition->atoms[i];
        found = found || (atom->kind == LITMUS_COMPARES && (is_variable_of(&atom->left, thread) ||
                                                            is_variable_of(&atom->right, thread)));
    }
    return found;
}

/* Do outcomes tell what its registers hold? */
static bool is_observed(const struct litmus_test *test, uint32_t thread)
{
    bool observed = mentions(&test->condition, thread) || mentions(&test->filter, thread);
    for (size_t i = 0; i < test->shown_count; i++) {
        observed = observed || is_variable_of(&test->shown[i], thread);
    }
    return observed;
}

static bool same_group(const struct oracle_unit *a, const struct oracle_unit *b)
{
    return a->device == b->device && a->group == b->group;
}

static bool same_sub_group(const struct oracle_unit *a, const struct oracle_unit *b)
{
    return same_group(a, b) && a->sub_group == b->sub_group;
}

/* Do all others stand to the one as they do to the other? */
static bool have_same_neighbours(const struct litmus_test *test, uint32_t a, uint32_t b)
{
    const struct oracle_unit *const units = test->units;
    bool same = units[a].device == units[b].device && units[a].kernel == units[b].kernel;
    for (uint32_t t = 0; t < test->thread_count; t++) {
        same = same &&
               (t == a || t == b ||
                (same_group(&units[t], &units[a]) == same_group(&units[t], &units[b]) &&
                 same_sub_group(&units[t], &units[a]) == same_sub_group(&units[t], &units[b])));
    }
    return same;
}

static bool are_alike(const struct litmus_test *test, uint32_t a, uint32_t b)
{
    return !is_observed(test, a) && !is_observed(test, b) && have_same_neighbours(test, a, b) &&
           test->machine->alike(test, a, b);
}

/* The thread is like all that are like the first one. */
static bool is_of_kind(const struct search *search, uint32_t first, uint32_t thread)
{
    bool is = search->alike->first[first] == first;
    for (uint32_t t = first; t < thread; t++) {
        is = is && (search->alike->first[t] != first || are_alike(search->test, t, thread));
    }
    return is;
}

void alike_begin(struct search *search)
{
    struct alike *alike = search->alike;
    alike->some = false;
    alike->again = false;
    alike->stands_for_others = false;
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        uint32_t first = 0;
        while (first < t && (alike->is_off || !is_of_kind(search, first, t))) {
            first++;
        }
        alike->first[t] = first;
        alike->some = alike->some || first < t;
    }
}

void alike_check(const struct search *search, const struct state *state)
{
    const struct litmus_test *test = search->test;
    struct alike *alike = search->alike;
    for (uint32_t t = 0;
         alike->some && test->machine->stays_alike != NULL && t < test->thread_count; t++) {
        uint64_t others = 0;
        for (uint32_t other = 0; other < test->thread_count; other++) {
            others |=
                other != t && alike->first[other] == alike->first[t] ? UINT64_C(1) << other : 0;
        }
        if (!test->machine->stays_alike(test, t, &state->threads[t], others)) {
            alike->again = true;
        }
    }
}

void alike_tell_apart(const struct search *search)
{
    search->alike->again = search->alike->some;
    search->alike->is_off = true;
}

/* ---- what they share ---- */

static const struct graph_event *event_of(const struct search *search, const struct graph *graph,
                                          uint32_t thread, uint32_t rank)
{
    return &graph->events[alike_event(search, thread, rank)];
}

static void list_events(const struct search *search, const struct graph *graph)
{
    struct alike *const alike = search->alike;
    uint32_t *const events = search->room->order[0];
    uint32_t *const rank = search->room->order[1];
    memset(alike->counts, 0, sizeof alike->counts);
    for (uint32_t i = 0; i < graph->count; i++) {
        rank[i] = alike->counts[graph->events[i].thread]++;
    }
    alike->begin[0] = 0;
    for (uint32_t t = 1; t < search->test->thread_count; t++) {
        alike->begin[t] = alike->begin[t - 1] + alike->counts[t - 1];
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        events[alike->begin[graph->events[i].thread] + rank[i]] = i;
    }
}

/* Two events of like threads, before which they share all. Where each has a location of its own
 * it finds what it left there. */
static bool are_same(const struct search *search, const struct graph_event *a,
                     const struct graph_event *b)
{
    if (!oracle_is_access(a->kind) || !commuting_is_in_order(search, a) ||
        search->test->locations[a->instruction->location].owner != 0) {
        return true;
    }
    return !oracle_writes(a->kind) && !oracle_writes(b->kind) && !a->is_half && !b->is_half &&
           a->reads_from == b->reads_from;
}

void alike_look(const struct search *search, const struct graph *graph)
{
    struct alike *const alike = search->alike;
    list_events(search, graph);
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        for (uint32_t before = alike->first[t]; before < t; before++) {
            uint32_t rank = 0;
            while (alike->first[before] == alike->first[t] && rank < alike->counts[before] &&
                   rank < alike->counts[t] &&
                   are_same(search, event_of(search, graph, before, rank),
                            event_of(search, graph, t, rank))) {
                rank++;
            }
            alike->shared[before][t] = rank;
        }
    }
}

/* ---- where they part ---- */

/* How often was something told from thread to thread before each event, at most? Events are not in
 * the order in which they can have happened, so that it takes several passes. */
static void count_hops(const struct search *search, const struct graph *graph, uint32_t *hops)
{
    bool more = true;
    memset(hops, 0, graph->count * sizeof *hops);
    for (uint32_t pass = 0; more && pass <= graph->count; pass++) {
        more = false;
        for (uint32_t t = 0; t < search->test->thread_count; t++) {
            uint32_t most = 0;
            for (uint32_t rank = 0; rank < search->alike->counts[t]; rank++) {
                const uint32_t at = alike_event(search, t, rank);
                const struct graph_event *event = &graph->events[at];
                if (oracle_reads(event->kind) && commuting_is_in_order(search, event) &&
                    event->reads_from != GRAPH_INITIAL) {
                    const uint32_t source = (uint32_t)event->reads_from;
                    const uint32_t told = hops[source] + (graph->events[source].thread != t);
                    most = told > most ? told : most;
                }
                for (uint32_t i = 0; event->kind > ORACLE_FENCE && i < graph->count; i++) {
                    const struct graph_event *other = &graph->events[i];
                    if (other->kind > ORACLE_FENCE && other->meeting == event->meeting) {
                        most = hops[i] > most ? hops[i] : most;
                    }
                }
                most = hops[at] > most ? hops[at] : most;
                more = more || hops[at] != most;
                hops[at] = most;
            }
        }
    }
}

static uint32_t place_of(const struct graph_relations *relations, int write)
{
    return write == GRAPH_INITIAL ? 0 : relations->place[write];
}

/* Does the second one, by index, come to what stands earlier than what the first comes to? */
static bool is_out_of_order(const struct search *search, const struct graph *graph,
                            const struct graph_event *a, const struct graph_event *b)
{
    const struct graph_relations *const relations = &search->room->relations;
    uint32_t *const hops = search->room->order[2];
    if (!oracle_reads(a->kind)) {
        return place_of(relations, (int)(b - graph->events)) <
               place_of(relations, (int)(a - graph->events));
    }
    if (place_of(relations, b->reads_from) >= place_of(relations, a->reads_from)) {
        return false;
    }
    if (b->reads_from == GRAPH_INITIAL) {
        return true;
    }
    count_hops(search, graph, hops);
    return hops[b->reads_from] <= hops[a->reads_from];
}

/* Calls for the events in which two like threads part, the one of lower index first, until it
 * returns true. */
static bool find_parting(const struct search *search, const struct graph *graph,
                         bool (*is_it)(const struct search *search, const struct graph *graph,
                                       const struct graph_event *a, const struct graph_event *b))
{
    const struct alike *alike = search->alike;
    if (!alike->some) {
        return false;
    }
    alike_look(search, graph);
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        for (uint32_t before = alike->first[t]; before < t; before++) {
            const uint32_t rank = alike->shared[before][t];
            if (alike->first[before] == alike->first[t] && rank < alike->counts[before] &&
                rank < alike->counts[t] &&
                is_it(search, graph, event_of(search, graph, before, rank),
                      event_of(search, graph, t, rank))) {
                return true;
            }
        }
    }
    return false;
}

bool alike_drops(const struct search *search, const struct graph *graph)
{
    return find_parting(search, graph, is_out_of_order);
}

static bool is_any(const struct search *search, const struct graph *graph,
                   const struct graph_event *a, const struct graph_event *b)
{
    (void)search;
    (void)graph;
    (void)a;
    (void)b;
    return true;
}

void alike_take(const struct search *search, const struct graph *graph)
{
    struct alike *alike = search->alike;
    alike->stands_for_others = alike->stands_for_others || find_parting(search, graph, is_any);
}

/* ---- exchanged ---- */

uint32_t alike_location(const struct litmus_test *test, uint32_t location, uint32_t a, uint32_t b)
{
    const struct litmus_location *own = &test->locations[location];
    const uint32_t wanted = own->owner == a + 1 ? b + 1 : own->owner == b + 1 ? a + 1 : 0;
    uint32_t other = location;
    for (uint32_t i = 0; wanted != 0 && i < test->location_count; i++) {
        other =
            test->locations[i].owner == wanted && test->locations[i].cell == own->cell ? i : other;
    }
    return other;
}

/* The graph with the two exchanged. `instructions` are for its events. */
static void exchange(const struct graph *graph, uint32_t a, uint32_t b,
                     struct litmus_instruction *instructions, struct graph *exchanged)
{
    uint32_t count = 0;
    graph_copy(graph, exchanged);
    for (uint32_t i = 0; i < graph->count; i++) {
        struct graph_event *event = &exchanged->events[i];
        const uint32_t thread = event->thread;
        instructions[i] = *event->instruction;
        if (oracle_is_access(event->kind)) {
            instructions[i].location = alike_location(graph->test, instructions[i].location, a, b);
        }
        event->instruction = &instructions[i];
        event->thread = (uint16_t)(thread == a ? b : thread == b ? a : thread);
    }
    for (uint32_t location = 0; location < graph->location_capacity; location++) {
        const uint32_t other = location < graph->test->location_count
                                   ? alike_location(graph->test, location, a, b)
                                   : location;
        exchanged->first_write[location] = count;
        memcpy(&exchanged->writes[count], graph_writes(graph, other),
               graph_write_count(graph, other) * sizeof *exchanged->writes);
        count += graph_write_count(graph, other);
    }
}

enum status alike_exchange(struct search *search, const struct litmus_choices *of, uint32_t a,
                           uint32_t b, struct litmus_choices *choices)
{
    struct search_room *const room = search->room;
    struct state *state = room->states[0];
    struct litmus_instruction *instructions =
        alloc_zero(room->event_capacity, sizeof *instructions);
    if (instructions == NULL) {
        return STATUS_NO_MEMORY;
    }
    search->weak = of->weak;
    search_start(search, state);
    for (uint32_t i = 0; i < of->count; i++) {
        search_list_options(search, state, room->options);
        search_perform(search, state, room->options[of->choices[i]]);
    }
    exchange(&state->graph, a, b, instructions, &room->other);
    search_relate(search, &room->other, false);
    search_order(search, &room->other, room->states[1], choices);
    alloc_free(instructions);
    return STATUS_OK;
}
