#include "checkers/litmus/search_private.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include "trace/base/hash.h"
#include <string.h>

/* One way to go on: a thread performs its next operation, and a read takes the value of that write,
 * a write that place in the modification order. */
struct option {
    uint32_t thread;
    int reads_from;
    uint32_t position;
};

enum {
    OPTIONS_MAX = LITMUS_THREADS_MAX * (GRAPH_EVENTS_MAX + 1),
    /* Of a key: each event's thread and what it reads, and the modification orders. */
    KEY_SIZE_MAX = 2 * GRAPH_EVENTS_MAX + LITMUS_THREADS_MAX + LITMUS_LOCATIONS_MAX,
};

struct seen {
    UT_hash_handle hh;
    bool ends; /* some execution that goes on from there */
    uint16_t key[];
};

/* ---- barriers ---- */

bool litmus_meets(const struct litmus_test *test, const struct litmus_instruction *barrier,
                  size_t a, size_t b)
{
    const struct oracle_unit *x = &test->units[a];
    const struct oracle_unit *y = &test->units[b];
    return x->device == y->device && x->group == y->group &&
           (barrier->kind == ORACLE_BARRIER || x->sub_group == y->sub_group);
}

bool litmus_same_barrier(const struct litmus_instruction *a, const struct litmus_instruction *b)
{
    return b != NULL && b->op == LITMUS_BARRIER && a->kind == b->kind && a->flags == b->flags &&
           a->scope == b->scope && a->target == b->target;
}

/* Are all threads that must meet at the barrier of that thread there? */
static bool is_met(const struct search *search, const struct state *state, size_t thread)
{
    const struct litmus_instruction *barrier = state->next[thread];
    for (size_t t = 0; t < search->test->thread_count; t++) {
        if (litmus_meets(search->test, barrier, thread, t) &&
            !litmus_same_barrier(barrier, state->next[t])) {
            return false;
        }
    }
    return true;
}

/* Is there room for so many more events? If not, the execution ends there. */
static bool make_room(struct state *state, size_t events)
{
    state->full = state->full || events > GRAPH_EVENTS_MAX - state->graph.count;
    return !state->full;
}

static void add_meeting(const struct search *search, struct state *state, size_t thread,
                        bool is_exit)
{
    const struct litmus_instruction *barrier = state->next[thread];
    for (size_t t = 0; t < search->test->thread_count; t++) {
        if (!litmus_meets(search->test, barrier, thread, t)) {
            continue;
        }
        ASSERT(litmus_same_barrier(barrier, state->next[t]));
        struct graph_event *event = graph_add(&state->graph, (uint32_t)t, state->next[t]);
        event->is_exit = is_exit;
        event->meeting = (uint8_t)state->graph.meeting_count;
    }
}

static void go_on(const struct search *search, struct state *state, size_t thread)
{
    const struct litmus_test *test = search->test;
    state->next[thread] =
        test->machine->run(test, (uint32_t)thread, &state->threads[thread], search->options.rounds);
}

/* The operation that the thread is at was performed. */
static void perform_one(const struct search *search, struct state *state, size_t thread,
                        int64_t old, bool changed)
{
    const struct litmus_test *test = search->test;
    test->machine->performed(test, (uint32_t)thread, &state->threads[thread], old, changed);
    go_on(search, state, thread);
}

static bool pass_barrier(const struct search *search, struct state *state, size_t thread)
{
    const struct litmus_instruction *barrier = state->next[thread];
    size_t members = 0;
    for (size_t t = 0; t < search->test->thread_count; t++) {
        members += litmus_meets(search->test, barrier, thread, t);
    }
    if (!make_room(state, 2 * members)) {
        return false;
    }
    add_meeting(search, state, thread, false);
    add_meeting(search, state, thread, true);
    state->graph.meeting_count++;
    for (size_t t = 0; t < search->test->thread_count; t++) {
        if (litmus_meets(search->test, barrier, thread, t)) {
            perform_one(search, state, t, 0, true);
        }
    }
    return true;
}

/* ---- what needs no choice: fences and barriers ---- */

/* False when nothing could be done for the thread, or the graph is full. */
static bool perform_unchosen(const struct search *search, struct state *state, size_t thread)
{
    const struct litmus_instruction *next = state->next[thread];
    if (next == NULL) {
        return false;
    }
    if (next->op == LITMUS_BARRIER) {
        return is_met(search, state, thread) && pass_barrier(search, state, thread);
    }
    if (next->op != LITMUS_FENCE || !make_room(state, 1)) {
        return false;
    }
    graph_add(&state->graph, (uint32_t)thread, next);
    perform_one(search, state, thread, 0, false);
    return true;
}

static void perform_all_unchosen(const struct search *search, struct state *state)
{
    bool some = true;
    while (some) {
        some = false;
        for (size_t t = 0; t < search->test->thread_count; t++) {
            while (perform_unchosen(search, state, t)) {
                some = true;
            }
        }
    }
}

static bool is_access(const struct litmus_instruction *next)
{
    return next != NULL && next->op < LITMUS_FENCE;
}

static enum end end_of(const struct search *search, const struct state *state)
{
    static const enum end ends[] = {
        [MACHINE_RUNS] = END_NOT_YET, [MACHINE_ENDED] = END_NOT_YET, [MACHINE_IDLE] = END_IDLE,
        [MACHINE_CUT] = END_CUT,      [MACHINE_LONG] = END_LONG,     [MACHINE_FAULT] = END_FAULT,
    };
    bool all = true;
    bool stuck = true;
    for (size_t t = 0; t < search->test->thread_count; t++) {
        const enum machine_state machine = state->threads[t].state;
        if (ends[machine] != END_NOT_YET) {
            return ends[machine];
        }
        all = all && machine == MACHINE_ENDED;
        stuck = stuck && !is_access(state->next[t]);
    }
    const bool no_room = state->full || (!stuck && state->graph.count == GRAPH_EVENTS_MAX);
    return all ? END_ALL : no_room ? END_FULL : stuck ? END_STUCK : END_NOT_YET;
}

/* ---- options ---- */

static size_t add_places(const struct state *state, uint32_t thread, struct option *options)
{
    const uint32_t location = state->next[thread]->location;
    const uint32_t count = state->graph.write_count[location];
    for (uint32_t i = 0; i <= count; i++) {
        options[i] = (struct option){thread, GRAPH_INITIAL, i};
    }
    return count + 1;
}

/* What a thread that reads may read: any write that is there. */
static size_t add_sources(const struct state *state, uint32_t thread, struct option *options)
{
    const uint32_t location = state->next[thread]->location;
    const uint32_t count = state->graph.write_count[location];
    for (uint32_t i = 0; i <= count; i++) {
        const int source = i == 0 ? GRAPH_INITIAL : state->graph.writes[location][i - 1];
        options[i] = (struct option){thread, source, i};
    }
    return count + 1;
}

/* In an interleaving: the last write, the last place. */
static struct option interleaved(const struct state *state, uint32_t thread)
{
    const uint32_t location = state->next[thread]->location;
    const uint32_t count = state->graph.write_count[location];
    const int last = count == 0 ? GRAPH_INITIAL : state->graph.writes[location][count - 1];
    return (struct option){thread, last, count};
}

/* In a weak execution a write may as well be performed at once: whoever reads it may read others,
 * and other writes may come before it. Only the order of reads matters, as what is not yet written
 * cannot be read. */
static size_t list_options(const struct search *search, const struct state *state,
                           struct option options[OPTIONS_MAX])
{
    size_t count = 0;
    for (uint32_t t = 0; search->weak && t < search->test->thread_count; t++) {
        if (is_access(state->next[t]) && state->next[t]->op == LITMUS_WRITE) {
            return add_places(state, t, options);
        }
    }
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        if (!is_access(state->next[t])) {
            continue;
        }
        if (search->weak) {
            count += add_sources(state, t, &options[count]);
        } else {
            options[count++] = interleaved(state, t);
        }
    }
    ASSERT(count <= OPTIONS_MAX);
    return count;
}

/* The option becomes an event, for which there is room. */
static void perform(const struct search *search, struct state *state, struct option option)
{
    const struct litmus_instruction *next = state->next[option.thread];
    ASSERT(is_access(next));
    const struct machine *machine = search->test->machine;
    const struct machine_thread *thread = &state->threads[option.thread];
    struct graph *graph = &state->graph;
    struct graph_event *event = graph_add(graph, option.thread, next);
    const int64_t old = graph_value(graph, next->location, option.reads_from);
    bool changed = false;
    if (next->op == LITMUS_COMPARE_EXCHANGE && !machine->exchanges(thread, next, old)) {
        event->kind = ORACLE_ATOMIC_READ;
        event->order = next->failure_order;
    }
    if (oracle_reads(event->kind)) {
        event->reads_from = (int8_t)option.reads_from;
        event->read_value = old;
    }
    if (oracle_writes(event->kind)) {
        event->written_value = machine->written(thread, next, old);
        changed = event->kind != ORACLE_ATOMIC_UPDATE || event->written_value != old;
        graph_place_write(graph, graph->count - 1, option.position);
    }
    perform_one(search, state, option.thread, old, changed);
}

/* ---- states seen before ---- */

/* Events by a number that does not depend on the order in which the graph was built. */
static size_t make_key(const struct search *search, const struct graph *graph,
                       uint16_t key[KEY_SIZE_MAX])
{
    uint16_t names[GRAPH_EVENTS_MAX] = {0};
    uint16_t counts[LITMUS_THREADS_MAX] = {0};
    size_t size = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        const uint8_t thread = graph->events[i].thread;
        names[i] = (uint16_t)(1 + thread * GRAPH_EVENTS_MAX + counts[thread]++);
    }
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        key[size++] = counts[t];
        for (uint32_t i = 0; i < graph->count; i++) {
            const struct graph_event *event = &graph->events[i];
            if (event->thread == t) {
                key[size++] = event->reads_from == GRAPH_INITIAL ? 0 : names[event->reads_from];
            }
        }
    }
    /* Locations without writes at the end do not count: some may not be known yet. */
    uint32_t locations = (uint32_t)search->test->location_count;
    while (locations > 0 && graph->write_count[locations - 1] == 0) {
        locations--;
    }
    for (uint32_t location = 0; location < locations; location++) {
        key[size++] = graph->write_count[location];
        for (uint32_t i = 0; i < graph->write_count[location]; i++) {
            key[size++] = names[graph->writes[location][i]];
        }
    }
    ASSERT(size <= KEY_SIZE_MAX);
    return size * sizeof *key;
}

/* What is known of the state, and whether it was there before; it is now. */
static enum status remember(struct search *search, const struct graph *graph, struct seen **seen,
                            bool *known, struct error *error)
{
    uint16_t key[KEY_SIZE_MAX];
    const size_t size = make_key(search, graph, key);
    HASH_FIND(hh, search->seen, key, size, *seen);
    *known = *seen != NULL;
    if (*known) {
        return STATUS_OK;
    }
    struct seen *made = arena_alloc(&search->keys, 1, sizeof *made + size);
    if (made == NULL) {
        return error_no_memory(error, sizeof *made + size);
    }
    memcpy(made->key, key, size);
    HASH_ADD(hh, search->seen, key, size, made);
    if (made->hh.tbl == NULL) { /* it could not be added */
        return error_no_memory(error, size);
    }
    search->key_count++;
    *seen = made;
    return STATUS_OK;
}

static void forget(struct search *search)
{
    HASH_CLEAR(hh, search->seen);
    arena_release(&search->keys);
    search->key_count = 0;
}

/* ---- the search ---- */

/* Can the state be? Interleavings always can: they are one order for all. */
static bool is_possible(const struct search *search, const struct state *state)
{
    struct graph_relations relations;
    if (!search->weak) {
        return true;
    }
    graph_relate(&state->graph, &relations);
    return graph_is_consistent(&state->graph, &relations);
}

/* The state after that option, with all that needs no choice after it. */
static bool follow(const struct search *search, const struct state *state, struct option option,
                   struct state *after)
{
    const size_t threads = search->test->thread_count;
    after->graph = state->graph;
    memcpy(after->threads, state->threads, threads * sizeof *after->threads);
    memcpy(after->next, state->next, sizeof after->next);
    after->full = state->full;
    perform(search, after, option);
    perform_all_unchosen(search, after);
    return is_possible(search, after);
}

/* No execution that goes through the state ends. That is a hang if no thread is in a round of a
 * loop that may be left out. Of several such states the first that is left is the last one on its
 * way. */
static void note_hang(struct search *search, const struct state *state)
{
    const struct litmus_test *test = search->test;
    bool open = true;
    for (uint32_t t = 0; t < test->thread_count; t++) {
        open = open && test->machine->is_open(test, t, &state->threads[t]);
    }
    if (open && !search->hangs) {
        search->hangs = true;
        search->hangs_weakly = search->weak;
        search->hang = search->choices;
        memcpy(search->hang_at, state->next, sizeof search->hang_at);
    }
}

/* Goes through all that can follow the state of that depth; *ends: some execution does end. A round
 * of a loop that changes nothing leads nowhere, as what it leads to is there without it. Each level
 * adds an event, so there are at most GRAPH_EVENTS_MAX + 1. */
static enum status explore(struct search *search, uint32_t depth, bool *ends, struct error *error)
{
    struct state *state = &search->states[depth];
    struct option options[OPTIONS_MAX];
    struct seen *seen = NULL;
    bool known = false;
    ASSERT(depth <= state->graph.count); /* each level adds an event */
    *ends = true;
    if (search->key_count >= search->options.states_max) {
        search->too_many = true;
        return search->visit(search->user, state, END_NOT_YET, &search->choices, error);
    }
    enum status status = remember(search, &state->graph, &seen, &known, error);
    if (status != STATUS_OK || known) {
        *ends = status != STATUS_OK || seen->ends;
        return status;
    }
    const enum end end = end_of(search, state);
    if (end != END_NOT_YET) {
        seen->ends = end != END_IDLE;
        *ends = seen->ends;
        return search->visit(search->user, state, end, &search->choices, error);
    }
    const size_t count = list_options(search, state, options);
    ASSERT(count > 0 && depth < LITMUS_CHOICES_MAX);
    uint16_t choice = 0;
    search->choices.count = depth + 1;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        bool way_ends = true;
        if (follow(search, state, options[i], &search->states[depth + 1])) {
            search->choices.choices[depth] = choice++;
            status = explore(search, depth + 1, &way_ends, error);
            search->choices.count = depth + 1;
            seen->ends = seen->ends || way_ends;
        }
    }
    search->choices.count = depth;
    *ends = seen->ends;
    if (!seen->ends) {
        note_hang(search, state);
    }
    return status;
}

static void start(struct search *search)
{
    struct state *state = &search->states[0];
    search->choices = (struct litmus_choices){.weak = search->weak};
    graph_start(&state->graph, search->test, &search->machine);
    state->full = false;
    for (size_t t = 0; t < search->test->thread_count; t++) {
        search->test->machine->start(search->test, (uint32_t)t, &state->threads[t]);
        go_on(search, state, t);
    }
    perform_all_unchosen(search, state);
}

enum status search_create(const struct litmus_test *test, const struct litmus_options *options,
                          struct search *search, struct error *error)
{
    ASSERT(test->thread_count <= LITMUS_THREADS_MAX);
    ASSERT(test->location_count <= LITMUS_LOCATIONS_MAX);
    *search = (struct search){
        .test = test,
        .machine = litmus_machine(test, options->scope_rule, options->seq_cst_alone),
        .options = *options,
        .states = alloc_zero(GRAPH_EVENTS_MAX + 2, sizeof(struct state)),
    };
    search->machine.seq_cst_scoped = !options->seq_cst_all;
    if (options->states_max == 0) {
        search->options.states_max = LITMUS_STATES_MAX;
    }
    return search->states == NULL
               ? error_no_memory(error, (GRAPH_EVENTS_MAX + 2) * sizeof(struct state))
               : STATUS_OK;
}

void search_release(struct search *search)
{
    forget(search);
    alloc_free(search->states);
}

/* One pass over all executions of a kind. */
enum status search_run(struct search *search, bool weak, struct error *error)
{
    bool ends = true;
    search->weak = weak;
    forget(search);
    start(search);
    return is_possible(search, &search->states[0]) ? explore(search, 0, &ends, error) : STATUS_OK;
}

/* ---- some executions ---- */

static uint64_t draw(struct search *search, uint64_t below)
{
    ASSERT(below > 0);
    uint64_t *const seed = &search->options.seed;
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = *seed;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return (mixed ^ mixed >> 31) % below;
}

/* A way to go on that is possible, the choice-th of them. */
struct way {
    struct option option;
    uint16_t choice;
};

static size_t list_ways(struct search *search, uint32_t depth, struct way ways[OPTIONS_MAX])
{
    struct option options[OPTIONS_MAX];
    const size_t option_count = list_options(search, &search->states[depth], options);
    size_t count = 0;
    for (size_t i = 0; i < option_count; i++) {
        if (follow(search, &search->states[depth], options[i], &search->states[depth + 1])) {
            ways[count] = (struct way){options[i], (uint16_t)count};
            count++;
        }
    }
    return count;
}

/* Goes on from the state of that depth in some way, but not by a round of a loop that changes
 * nothing if there is another. False when there is no way. */
static bool go_some_way(struct search *search, uint32_t depth)
{
    struct way ways[OPTIONS_MAX];
    struct state *after = &search->states[depth + 1];
    ASSERT(depth < LITMUS_CHOICES_MAX);
    const size_t count = list_ways(search, depth, ways);
    for (size_t left = count; left > 0; left--) {
        const size_t drawn = (size_t)draw(search, left);
        const struct way way = ways[drawn];
        ways[drawn] = ways[left - 1];
        follow(search, &search->states[depth], way.option, after);
        if (end_of(search, after) != END_IDLE || left == 1) {
            search->choices.choices[depth] = way.choice;
            search->choices.count = depth + 1;
            return true;
        }
    }
    return false;
}

enum status search_sample(struct search *search, struct error *error)
{
    search->weak = true;
    for (uint64_t i = 0; i < search->options.samples; i++) {
        uint32_t depth = 0;
        start(search);
        while (end_of(search, &search->states[depth]) == END_NOT_YET &&
               go_some_way(search, depth)) {
            depth++;
        }
        const struct state *state = &search->states[depth];
        const enum status status =
            search->visit(search->user, state, end_of(search, state), &search->choices, error);
        if (status != STATUS_OK) {
            return status;
        }
    }
    return STATUS_OK;
}

/* ---- executions, one by one ---- */

struct visitor {
    litmus_visit *visit;
    void *user;
};

static enum status visit_graph(void *user, const struct state *state, enum end end,
                               const struct litmus_choices *choices, struct error *error)
{
    const struct visitor *visitor = user;
    (void)end;
    (void)choices;
    return visitor->visit(visitor->user, &state->graph, error);
}

enum status litmus_each_execution(const struct litmus_test *test,
                                  const struct litmus_options *options, litmus_visit *visit,
                                  void *user, struct error *error)
{
    struct search search;
    struct visitor visitor = {visit, user};
    enum status status = search_create(test, options, &search, error);
    search.visit = visit_graph;
    search.user = &visitor;
    if (status == STATUS_OK) {
        status = search_run(&search, options->weak, error);
    }
    search_release(&search);
    return status;
}

/* The state after the choice of that depth. */
static bool take_choice(struct search *search, uint32_t depth, uint32_t choice)
{
    struct option options[OPTIONS_MAX];
    struct state *state = &search->states[depth];
    const size_t count = list_options(search, state, options);
    for (size_t i = 0; i < count; i++) {
        if (follow(search, state, options[i], &search->states[depth + 1]) && choice-- == 0) {
            return true;
        }
    }
    return false;
}

enum status litmus_replay(const struct litmus_test *test, const struct litmus_options *options,
                          const struct litmus_choices *choices, struct graph *graph,
                          struct error *error)
{
    struct search search;
    enum status status = search_create(test, options, &search, error);
    ASSERT(choices->count <= LITMUS_CHOICES_MAX);
    if (status == STATUS_OK) {
        search.weak = choices->weak;
        start(&search);
    }
    for (uint32_t i = 0; i < choices->count && status == STATUS_OK; i++) {
        if (!take_choice(&search, i, choices->choices[i])) {
            status =
                error_set(error, STATUS_INVALID,
                          "choice %u, counted from 1, cannot be %u: there is no such way to go "
                          "on",
                          i + 1, choices->choices[i]);
        }
    }
    if (status == STATUS_OK) {
        *graph = search.states[choices->count].graph;
        graph->machine = NULL; /* it was the search's */
    }
    search_release(&search);
    return status;
}
