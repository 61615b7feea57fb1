/* The way to an execution: of all orders in which its events can come, the one that is first by the
 * choices that it takes. So each execution is told in one way, however it was found. */
#include "checkers/litmus/search_private.h"

#include "trace/base/assert.h"

#include <string.h>

struct walk {
    struct search *search;
    const struct graph *goal;
    struct state *state;
    struct litmus_choices *choices;
    /* Of the goal: the events by thread, where those of each begin, how many there are, and each
     * write's place, from 1. */
    uint32_t *events, *place;
    uint32_t first[LITMUS_THREADS_MAX], counts[LITMUS_THREADS_MAX];
    uint32_t *rank; /* of each event among its thread's */
    /* How many events of each thread are there, and what each of the state's is in the goal. */
    uint32_t done[LITMUS_THREADS_MAX];
    uint32_t *goals;
    uint32_t known; /* events of the state, in `goals` */
};

static void begin(struct walk *walk)
{
    const struct graph *goal = walk->goal;
    for (uint32_t i = 0; i < goal->count; i++) {
        walk->rank[i] = walk->counts[goal->events[i].thread]++;
    }
    for (uint32_t t = 1; t < walk->search->test->thread_count; t++) {
        walk->first[t] = walk->first[t - 1] + walk->counts[t - 1];
    }
    for (uint32_t i = 0; i < goal->count; i++) {
        walk->events[walk->first[goal->events[i].thread] + walk->rank[i]] = i;
    }
    for (uint32_t location = 0; location < walk->search->test->location_count; location++) {
        for (uint32_t i = 0; i < graph_write_count(goal, location); i++) {
            walk->place[graph_writes(goal, location)[i]] = i + 1;
        }
    }
}

/* The events that the state got since. False: the goal does not have them. */
static bool take_events(struct walk *walk)
{
    for (; walk->known < walk->state->graph.count; walk->known++) {
        const uint32_t thread = walk->state->graph.events[walk->known].thread;
        if (walk->done[thread] == walk->counts[thread]) {
            return false;
        }
        walk->goals[walk->known] = walk->events[walk->first[thread] + walk->done[thread]++];
    }
    return true;
}

static bool is_done(const struct walk *walk, uint32_t event)
{
    return walk->rank[event] < walk->done[walk->goal->events[event].thread];
}

/* In an interleaving a write comes after all reads of what it overwrites. */
static bool are_reads_done(const struct walk *walk, uint32_t write)
{
    const struct graph *goal = walk->goal;
    const uint32_t location = goal->events[write].instruction->location;
    for (uint32_t i = 0; i < goal->count; i++) {
        const struct graph_event *event = &goal->events[i];
        const bool reads =
            i != write && oracle_reads(event->kind) && event->instruction->location == location;
        const uint32_t source =
            reads && event->reads_from != GRAPH_INITIAL ? walk->place[event->reads_from] : 0;
        if (reads && source < walk->place[write] && !is_done(walk, i)) {
            return false;
        }
    }
    return true;
}

/* The thread's next access comes last, whatever its place in the goal. */
static bool comes_last(const struct walk *walk, const struct option *option,
                       const struct litmus_instruction *access)
{
    const struct graph *graph = &walk->state->graph;
    const uint32_t count = graph_write_count(graph, access->location);
    const int last =
        count == 0 ? GRAPH_INITIAL : (int)graph_writes(graph, access->location)[count - 1];
    return option->position == count && (access->op == LITMUS_WRITE || option->reads_from == last);
}

/* Does the option lead to the goal? */
static bool leads_there(const struct walk *walk, const struct option *option)
{
    const uint32_t thread = option->thread;
    if (walk->done[thread] == walk->counts[thread]) {
        return false;
    }
    const uint32_t index = walk->events[walk->first[thread] + walk->done[thread]];
    const struct graph_event *event = &walk->goal->events[index];
    const uint32_t location = event->instruction->location;
    if (walk->search->any_order[location]) {
        return comes_last(walk, option, event->instruction);
    }
    if (oracle_reads(event->kind)) {
        const int source = option->reads_from == GRAPH_INITIAL
                               ? GRAPH_INITIAL
                               : (int)walk->goals[option->reads_from];
        if (source != event->reads_from) {
            return false;
        }
    } else {
        uint32_t before = 0;
        for (uint32_t i = 0; i < graph_write_count(&walk->state->graph, location); i++) {
            const uint32_t other = walk->goals[graph_writes(&walk->state->graph, location)[i]];
            before += walk->place[other] < walk->place[index];
        }
        if (before != option->position) {
            return false;
        }
    }
    return walk->search->weak || !oracle_writes(event->kind) ||
           (option->position + 1U == walk->place[index] && are_reads_done(walk, index));
}

/* Which threads go no further? */
static void note_stops(const struct walk *walk)
{
    struct search *search = walk->search;
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        if (walk->state->threads[t].state == MACHINE_RUNS) {
            search->stops[t] = walk->choices->count + 1;
        } else if (search->stops[t] > walk->choices->count) {
            search->stops[t] = walk->choices->count;
        }
    }
}

void search_order(struct search *search, const struct graph *graph, struct state *state,
                  struct litmus_choices *choices)
{
    const struct search_room *const room = search->room;
    struct option *const options = room->options;
    struct walk walk = {
        .search = search,
        .goal = graph,
        .state = state,
        .choices = choices,
        .events = room->order[0],
        .place = room->order[1],
        .rank = room->order[2],
        .goals = room->order[3],
    };
    choices->weak = search->weak;
    choices->buffered = false;
    choices->count = 0;
    memset(search->stops, UINT8_MAX, sizeof search->stops);
    if (search->weak && graph_is_buffered(graph, &room->relations)) {
        buffered_choose(search, graph, choices);
        const bool same = buffered_perform(search, choices, graph, state);
        ASSERT(same);
        return;
    }
    begin(&walk);
    search_start(search, state);
    note_stops(&walk);
    while (take_events(&walk)) {
        const size_t count = search_list_options(search, state, options);
        size_t option = 0;
        while (option < count && !leads_there(&walk, &options[option])) {
            option++;
        }
        if (option == count) {
            return;
        }
        choices->choices[choices->count++] = (uint32_t)option;
        search_perform(search, state, options[option]);
        note_stops(&walk);
    }
}

void search_number(struct search *search, struct litmus_choices *choices)
{
    struct option *const options = search->room->options;
    struct state *state = search->room->states[0];
    struct state *after = search->room->states[1];
    search->weak = choices->weak;
    search_start(search, state);
    for (uint32_t i = 0; choices->weak && !choices->buffered && i < choices->count; i++) {
        const uint32_t option = choices->choices[i];
        const size_t count = search_list_options(search, state, options);
        ASSERT(option < count);
        choices->choices[i] = 0;
        for (uint32_t before = 0; before < option; before++) {
            choices->choices[i] += search_follow(search, state, options[before], after);
        }
        search_perform(search, state, options[option]);
    }
}

int search_compare_choices(const struct litmus_choices *a, const struct litmus_choices *b)
{
    if (a->weak != b->weak) {
        return a->weak ? 1 : -1;
    }
    if (a->buffered != b->buffered) {
        return a->buffered ? 1 : -1;
    }
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        if (a->choices[i] != b->choices[i]) {
            return a->choices[i] < b->choices[i] ? -1 : 1;
        }
    }
    return a->count < b->count ? -1 : a->count > b->count;
}
