/* The way to an execution with load buffering. It is not come to step by step, as a read may have
 * what is written only later. Instead its choices say of each thread how many accesses it performs,
 * and of each of those what it reads (0: it does not, 1: the initial value, n + 1: the n-th write
 * in the modification order of its location) and the place where it writes (0: it does not). What
 * values those are is found by running all threads, again and again, each time with the values that
 * were written the time before: as none comes out of thin air, they settle. */
#include "checkers/litmus/search_private.h"

#include <string.h>

struct telling {
    struct search *search;
    struct state *state;
    struct buffered_access *slots; /* thread after thread */
    uint32_t count;
    uint32_t first[LITMUS_THREADS_MAX + 1];
    uint32_t *places; /* of events: as in the choices */
    bool fits;        /* all accesses are what the choices say */
};

/* ---- from an execution ---- */

static void number_places(const struct search *search, const struct graph *graph, uint32_t places[])
{
    memset(places, 0, graph->count * sizeof *places);
    for (uint32_t location = 0; location < search->test->location_count; location++) {
        for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
            places[graph_writes(graph, location)[i]] = i + 1;
        }
    }
}

static uint32_t source_of(const struct graph_event *event, const uint32_t places[])
{
    return !oracle_reads(event->kind)           ? 0
           : event->reads_from == GRAPH_INITIAL ? 1
                                                : places[event->reads_from] + 1;
}

void buffered_choose(struct search *search, const struct graph *graph,
                     struct litmus_choices *choices)
{
    uint32_t *const places = search->room->order[0];
    number_places(search, graph, places);
    choices->buffered = true;
    choices->count = 0;
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        const uint32_t first = choices->count++;
        for (uint32_t i = 0; i < graph->count; i++) {
            const struct graph_event *event = &graph->events[i];
            if (event->thread == t && oracle_is_access(event->kind)) {
                choices->choices[choices->count++] = source_of(event, places);
                choices->choices[choices->count++] = places[i];
            }
        }
        choices->choices[first] = (choices->count - first) / 2;
    }
}

/* ---- to an execution ---- */

/* False: the numbers are not of that form. */
static bool read_choices(const struct litmus_choices *choices, struct telling *telling)
{
    uint32_t at = 0;
    for (uint32_t t = 0; t < telling->search->test->thread_count; t++) {
        telling->first[t] = telling->count;
        if (at == choices->count || choices->choices[at] > (choices->count - at - 1) / 2) {
            return false;
        }
        const uint32_t end = at + 1 + 2 * choices->choices[at];
        for (at++; at < end; at += 2) {
            telling->slots[telling->count++] = (struct buffered_access){
                .source = choices->choices[at], .place = choices->choices[at + 1], .event = -1};
        }
    }
    telling->first[telling->search->test->thread_count] = telling->count;
    return at == choices->count;
}

/* Among the writes that are there. */
static uint32_t position_of(const struct telling *telling, uint32_t event)
{
    const struct graph *graph = &telling->state->graph;
    const uint32_t location = graph->events[event].instruction->location;
    uint32_t position = 0;
    for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
        position += telling->places[graph_writes(graph, location)[i]] < telling->places[event];
    }
    return position;
}

static void perform(struct telling *telling, uint32_t thread, struct buffered_access *slot)
{
    const struct search *search = telling->search;
    struct state *state = telling->state;
    const uint32_t index = search_add(search, state, thread);
    struct graph_event *event = &state->graph.events[index];
    const struct machine_thread *at = &state->threads[thread];
    slot->event = (int)index;
    telling->places[index] = slot->place;
    if (graph_may_read(event)) {
        search_take(search, at, event, GRAPH_INITIAL, slot->value);
    }
    if (event->is_half || !graph_may_read(event)) {
        search_put(search, at, &state->graph, index, position_of(telling, index));
    }
    telling->fits = telling->fits && oracle_reads(event->kind) == (slot->source != 0) &&
                    oracle_writes(event->kind) == (slot->place != 0);
    search_perform_one(search, state, thread, event->read_value, event->changed);
    search_perform_unchosen(search, state);
}

/* All threads, with the values of the slots. */
static void run_threads(struct telling *telling)
{
    struct state *state = telling->state;
    uint32_t next[LITMUS_THREADS_MAX];
    memcpy(next, telling->first, sizeof next);
    telling->fits = true;
    search_start(telling->search, state);
    for (bool some = true; some;) {
        some = false;
        for (uint32_t t = 0; t < telling->search->test->thread_count; t++) {
            while (next[t] < telling->first[t + 1] && search_is_at_access(state, t) &&
                   search_make_room(state, 1)) {
                perform(telling, t, &telling->slots[next[t]++]);
                some = true;
            }
        }
    }
    for (uint32_t t = 0; t < telling->search->test->thread_count; t++) {
        telling->fits = telling->fits && next[t] == telling->first[t + 1];
    }
}

/* What each slot reads, now that all are there. False: some value is another one than it was. */
static bool take_values(struct telling *telling)
{
    struct graph *graph = &telling->state->graph;
    bool same = true;
    for (uint32_t i = 0; i < telling->count; i++) {
        struct buffered_access *slot = &telling->slots[i];
        struct graph_event *event = slot->event >= 0 ? &graph->events[slot->event] : NULL;
        if (event == NULL || !oracle_reads(event->kind)) {
            continue;
        }
        const uint32_t location = event->instruction->location;
        const bool is_there = slot->source <= graph_write_count(graph, location) + 1;
        event->reads_from = slot->source < 2 || !is_there
                                ? GRAPH_INITIAL
                                : (int)graph_writes(graph, location)[slot->source - 2];
        const int64_t value = graph_value(graph, location, event->reads_from);
        telling->fits = telling->fits && is_there;
        same = same && value == slot->value;
        slot->value = value;
    }
    return same;
}

/* The places are all of their location's, each once. */
static bool are_places_right(const struct telling *telling)
{
    const struct graph *graph = &telling->state->graph;
    bool right = true;
    for (uint32_t location = 0; location < telling->search->test->location_count; location++) {
        for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
            right = right && telling->places[graph_writes(graph, location)[i]] == i + 1;
        }
    }
    return right;
}

static bool run_until_settled(struct telling *telling)
{
    bool same = false;
    for (uint32_t i = 0; !same && i <= telling->count + 1; i++) {
        for (uint32_t j = 0; j < telling->count; j++) {
            telling->slots[j].event = -1;
        }
        run_threads(telling);
        if (telling->state->full) {
            return false;
        }
        same = take_values(telling);
    }
    return same && telling->fits && are_places_right(telling);
}

/* The values that they have in the execution, by thread. */
static void take_known(struct telling *telling, const struct graph *known)
{
    uint32_t next[LITMUS_THREADS_MAX];
    memcpy(next, telling->first, sizeof next);
    for (uint32_t i = 0; i < known->count; i++) {
        const struct graph_event *event = &known->events[i];
        if (oracle_is_access(event->kind)) {
            telling->slots[next[event->thread]++].value = event->read_value;
        }
    }
}

bool buffered_perform(struct search *search, const struct litmus_choices *choices,
                      const struct graph *known, struct state *state)
{
    struct telling telling = {
        .search = search,
        .state = state,
        .slots = search->room->accesses,
        .places = search->room->order[0],
    };
    state->full = choices->count > 2 * (size_t)search->room->event_capacity;
    if (state->full || !read_choices(choices, &telling)) {
        return false;
    }
    if (known != NULL) {
        take_known(&telling, known);
    }
    return run_until_settled(&telling);
}
