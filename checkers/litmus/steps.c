/* An execution under way, and how it goes on: a thread performs its next operation, in one of
 * several ways; fences and barriers that are met leave no choice. */
#include "checkers/litmus/search_private.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

_Static_assert((int)GRAPH_LAST_NUMBER == (int)MACHINE_LAST_READ, "numbers of reads are the same");

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
bool search_is_met(const struct search *search, const struct state *state, size_t thread)
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
bool search_make_room(struct state *state, size_t events)
{
    state->full = state->full || events > state->graph.event_capacity - state->graph.count;
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
        event->changed = is_exit;
        event->meeting = state->graph.meeting_count;
    }
}

static void go_on(const struct search *search, struct state *state, size_t thread)
{
    const struct litmus_test *test = search->test;
    const struct litmus_instruction *const next =
        test->machine->run(test, (uint32_t)thread, &state->threads[thread], search->options.rounds);
    state->next[thread] = next;
    state->full = state->full || (next != NULL && next->fault == NULL && next->op < LITMUS_FENCE &&
                                  next->location >= state->graph.location_capacity);
}

/* The operation that the thread is at was performed. */
void search_perform_one(const struct search *search, struct state *state, size_t thread,
                        int64_t old, bool changed)
{
    const struct litmus_test *test = search->test;
    test->machine->performed(test, (uint32_t)thread, &state->threads[thread], old, changed);
    go_on(search, state, thread);
}

/* The thread does what it has done before, behind that event, up to what is still to be performed.
 */
static void catch_up(const struct search *search, struct state *state, uint32_t thread, int event)
{
    const struct graph *graph = &state->graph;
    state->pending[thread] = false;
    for (uint32_t i = (uint32_t)(event + 1); i < graph->count; i++) {
        const struct graph_event *next = &graph->events[i];
        if (next->thread != thread || search_is_entry(next)) {
            continue;
        }
        ASSERT(state->next[thread] == next->instruction);
        if (next->is_half || graph_is_hole(next)) {
            state->pending[thread] = next->is_half;
            return;
        }
        search_perform_one(search, state, thread, next->read_value, next->changed);
    }
}

void search_run_again(const struct search *search, struct state *state, uint32_t thread)
{
    search->test->machine->start(search->test, thread, &state->threads[thread]);
    go_on(search, state, thread);
    catch_up(search, state, thread, -1);
}

int search_unfinished(const struct graph *graph, uint32_t thread)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct graph_event *event = &graph->events[i];
        if (event->thread == thread && (event->is_half || graph_is_hole(event))) {
            return (int)i;
        }
    }
    return -1;
}

/* What the members that leave are given where they meet is what these events read. */
static void note_gifts(const struct search *search, struct state *state, uint32_t exits)
{
    const struct litmus_test *test = search->test;
    const struct machine_thread *machines[LITMUS_THREADS_MAX];
    for (size_t t = 0; t < test->thread_count; t++) {
        machines[t] = &state->threads[t];
    }
    for (uint32_t i = exits; i < state->graph.count && test->machine->gives != NULL; i++) {
        struct graph_event *event = &state->graph.events[i];
        event->read_value = test->machine->gives(test, event->thread, machines);
    }
}

static bool pass_barrier(const struct search *search, struct state *state, size_t thread)
{
    const struct litmus_instruction *barrier = state->next[thread];
    size_t members = 0;
    for (size_t t = 0; t < search->test->thread_count; t++) {
        members += litmus_meets(search->test, barrier, thread, t);
    }
    if (!search_make_room(state, 2 * members)) {
        return false;
    }
    add_meeting(search, state, thread, false);
    const uint32_t exits = state->graph.count;
    add_meeting(search, state, thread, true);
    state->graph.meeting_count++;
    note_gifts(search, state, exits);
    for (uint32_t i = exits; i < exits + members; i++) {
        search_perform_one(search, state, state->graph.events[i].thread,
                           state->graph.events[i].read_value, true);
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
        return search_is_met(search, state, thread) && pass_barrier(search, state, thread);
    }
    if (next->op != LITMUS_FENCE || !search_make_room(state, 1)) {
        return false;
    }
    graph_add(&state->graph, (uint32_t)thread, next);
    search_perform_one(search, state, thread, 0, false);
    return true;
}

void search_perform_unchosen(const struct search *search, struct state *state)
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

bool search_is_at_access(const struct state *state, size_t thread)
{
    return state->threads[thread].state == MACHINE_RUNS && state->next[thread] != NULL &&
           state->next[thread]->op < LITMUS_FENCE;
}

enum end search_end_of(const struct search *search, const struct state *state)
{
    static const enum end ends[] = {
        [MACHINE_RUNS] = END_NOT_YET,    [MACHINE_ENDED] = END_NOT_YET, [MACHINE_IDLE] = END_IDLE,
        [MACHINE_CUT] = END_CUT,         [MACHINE_LONG] = END_LONG,     [MACHINE_FAULT] = END_FAULT,
        [MACHINE_BLOCKED] = END_BLOCKED,
    };
    bool all = true;
    bool stuck = true;
    for (size_t t = 0; t < search->test->thread_count; t++) {
        const enum machine_state machine = state->threads[t].state;
        if (ends[machine] != END_NOT_YET) {
            return ends[machine];
        }
        all = all && machine == MACHINE_ENDED;
        stuck = stuck && !search_is_at_access(state, t);
    }
    const bool no_room =
        state->full || (!stuck && state->graph.count == state->graph.event_capacity);
    return all ? END_ALL : no_room ? END_FULL : stuck ? END_STUCK : END_NOT_YET;
}

/* ---- options ---- */

static size_t add_places(const struct state *state, uint32_t thread, struct option *options)
{
    const uint32_t location = state->next[thread]->location;
    const uint32_t count = graph_write_count(&state->graph, location);
    for (uint32_t i = 0; i <= count; i++) {
        options[i] = (struct option){thread, GRAPH_INITIAL, i};
    }
    return count + 1;
}

/* What a thread that reads may read: any write that is there. */
static size_t add_sources(const struct state *state, uint32_t thread, struct option *options)
{
    const uint32_t location = state->next[thread]->location;
    const uint32_t count = graph_write_count(&state->graph, location);
    for (uint32_t i = 0; i <= count; i++) {
        const int source =
            i == 0 ? GRAPH_INITIAL : (int)graph_writes(&state->graph, location)[i - 1];
        options[i] = (struct option){thread, source, i};
    }
    return count + 1;
}

/* In an interleaving: the last write, the last place. */
static struct option interleaved(const struct state *state, uint32_t thread)
{
    const uint32_t location = state->next[thread]->location;
    const uint32_t count = graph_write_count(&state->graph, location);
    const int last =
        count == 0 ? GRAPH_INITIAL : (int)graph_writes(&state->graph, location)[count - 1];
    return (struct option){thread, last, count};
}

/* In a weak execution a write may as well be performed at once: whoever reads it may read others,
 * and other writes may come before it. Only the order of reads matters, as what is not yet written
 * cannot be read. */
size_t search_list_options(const struct search *search, const struct state *state,
                           struct option options[])
{
    size_t count = 0;
    for (uint32_t t = 0; search->weak && t < search->test->thread_count; t++) {
        if (search_is_at_access(state, t) && state->next[t]->op == LITMUS_WRITE) {
            return add_places(state, t, options);
        }
    }
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        if (!search_is_at_access(state, t)) {
            continue;
        }
        if (search->weak) {
            count += add_sources(state, t, &options[count]);
        } else {
            options[count++] = interleaved(state, t);
        }
    }
    return count;
}

void search_take(const struct search *search, const struct machine_thread *at,
                 struct graph_event *event, int source, int64_t old)
{
    const struct litmus_instruction *instruction = event->instruction;
    event->kind = oracle_is_atomic(instruction->kind) ? ORACLE_ATOMIC_READ : ORACLE_READ;
    event->order = instruction->order;
    event->reads_from = source;
    event->read_value = old;
    event->changed = false;
    event->is_half = instruction->op == LITMUS_UPDATE ||
                     (instruction->op == LITMUS_COMPARE_EXCHANGE &&
                      search->test->machine->exchanges(at, instruction, old));
    if (instruction->op == LITMUS_COMPARE_EXCHANGE && !event->is_half) {
        event->order = instruction->failure_order;
    }
}

void search_put(const struct search *search, const struct machine_thread *at, struct graph *graph,
                uint32_t index, uint32_t position)
{
    struct graph_event *event = &graph->events[index];
    event->kind = event->instruction->kind;
    event->order = event->instruction->order;
    event->written_value =
        search->test->machine->written(at, event->instruction, event->read_value);
    event->changed =
        event->kind != ORACLE_ATOMIC_UPDATE || event->written_value != event->read_value;
    event->is_half = false;
    graph_place_write(graph, index, position);
}

void search_read(const struct search *search, struct state *state, uint32_t index, int source)
{
    struct graph_event *event = &state->graph.events[index];
    const uint32_t thread = event->thread;
    const int64_t old = graph_value(&state->graph, event->instruction->location, source);
    search_take(search, &state->threads[thread], event, source, old);
    state->pending[thread] = event->is_half;
    if (!event->is_half) {
        search_perform_one(search, state, thread, old, false);
        catch_up(search, state, thread, (int)index);
    }
}

void search_write(const struct search *search, struct state *state, uint32_t index,
                  uint32_t position)
{
    const struct graph_event *event = &state->graph.events[index];
    const uint32_t thread = event->thread;
    search_put(search, &state->threads[thread], &state->graph, index, position);
    search_perform_one(search, state, thread, event->read_value, event->changed);
    catch_up(search, state, thread, (int)index);
}

void search_note_needs(const struct search *search, const struct state *state,
                       struct graph_event *event)
{
    const struct graph *graph = &state->graph;
    uint64_t reads = 0;
    event->number = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct graph_event *before = &graph->events[i];
        if (before != event && before->thread == event->thread && graph_may_read(before)) {
            reads |=
                oracle_is_atomic(before->instruction->kind) && before->number < GRAPH_LAST_NUMBER
                    ? UINT64_C(1) << before->number
                    : 0;
            event->number += event->number < GRAPH_LAST_NUMBER;
        }
    }
    struct machine_needs needs = {0};
    if (reads != 0 && search->buffers) {
        needs = search->test->machine->needs(
            search->test, event->thread, &state->threads[event->thread], event->instruction, reads);
    }
    event->needs = needs.values;
    event->follows = needs.follows;
}

uint32_t search_add(const struct search *search, struct state *state, uint32_t thread)
{
    struct graph_event *event = graph_add(&state->graph, thread, state->next[thread]);
    search_note_needs(search, state, event);
    return state->graph.count - 1;
}

/* The option becomes an event, for which there is room. */
static void perform(const struct search *search, struct state *state, struct option option)
{
    const enum litmus_op op = state->next[option.thread]->op;
    const uint32_t event = search_add(search, state, option.thread);
    if (op != LITMUS_WRITE) {
        search_read(search, state, event, option.reads_from);
    }
    if (op == LITMUS_WRITE || state->pending[option.thread]) {
        search_write(search, state, event, option.position);
    }
}

void search_relate(const struct search *search, const struct graph *graph, bool open)
{
    search->room->relations.open = open;
    graph_relate(graph, &search->room->relations);
}

bool search_is_execution(const struct search *search, const struct state *state)
{
    if (!search->weak) {
        return true;
    }
    search_relate(search, &state->graph, false);
    return graph_is_consistent(&state->graph, &search->room->relations);
}

/* Can the state be? Interleavings always can: they are one order for all. */
bool search_is_possible(const struct search *search, const struct state *state)
{
    if (!search->weak) {
        return true;
    }
    search_relate(search, &state->graph, true);
    return graph_is_consistent(&state->graph, &search->room->relations);
}

struct state *search_make_state(const struct search *search)
{
    struct state *state =
        alloc_zero(1, sizeof *state + search->test->thread_count * sizeof(struct machine_thread));
    if (state != NULL && !graph_create(&state->graph, search->room->event_capacity,
                                       search->room->location_capacity)) {
        alloc_free(state);
        state = NULL;
    }
    return state;
}

void search_free_state(struct state *state)
{
    if (state != NULL) {
        graph_release(&state->graph);
        alloc_free(state);
    }
}

size_t search_state_size(const struct search *search)
{
    return sizeof(struct state) + search->test->thread_count * sizeof(struct machine_thread) +
           graph_size(search->room->event_capacity, search->room->location_capacity);
}

void search_copy(const struct search *search, const struct state *state, struct state *copy)
{
    graph_copy(&state->graph, &copy->graph);
    for (size_t t = 0; t < search->test->thread_count; t++) {
        memcpy(&copy->threads[t], &state->threads[t], search->thread_size);
    }
    memcpy(copy->next, state->next, sizeof copy->next);
    memcpy(copy->pending, state->pending, sizeof copy->pending);
    copy->full = state->full;
}

void search_perform(const struct search *search, struct state *state, struct option option)
{
    perform(search, state, option);
    search_perform_unchosen(search, state);
}

/* The state after that option, with all that needs no choice after it. */
bool search_follow(const struct search *search, const struct state *state, struct option option,
                   struct state *after)
{
    search_copy(search, state, after);
    search_perform(search, after, option);
    return search_is_possible(search, after);
}

void search_start(struct search *search, struct state *state)
{
    graph_start(&state->graph, search->test, &search->machine);
    memset(state->pending, 0, sizeof state->pending);
    state->full = false;
    for (size_t t = 0; t < search->test->thread_count; t++) {
        search->test->machine->start(search->test, (uint32_t)t, &state->threads[t]);
        go_on(search, state, t);
    }
    search_perform_unchosen(search, state);
}
