/* A write is offered to the reads before it (trust.c): what it takes back, and what is left. */
#include "checkers/litmus/search_private.h"

#include "trace/base/assert.h"

#include <string.h>

/* ---- what a write would take back ---- */

static bool writes(const struct graph *graph, uint32_t event)
{
    return oracle_writes(graph->events[event].kind);
}

static void reach(const struct view *view, uint32_t stack[], uint32_t *size, int event)
{
    if (event >= 0 && !view->past[event]) {
        view->past[event] = true;
        stack[(*size)++] = (uint32_t)event;
    }
}

int search_last_of_thread(const struct graph *graph, uint32_t thread, uint32_t before)
{
    int last = (int)before - 1;
    while (last >= 0 && graph->events[last].thread != thread) {
        last--;
    }
    return last;
}

/* What like threads of lower index did in the same place, as long as they share. */
static void reach_alike(const struct view *view, uint32_t stack[], uint32_t *size, uint32_t thread,
                        uint32_t rank)
{
    const struct alike *alike = view->search->alike;
    for (uint32_t t = alike->first[thread]; t < thread; t++) {
        if (alike->first[t] == alike->first[thread] && rank <= alike->shared[t][thread] &&
            rank < alike->counts[t]) {
            reach(view, stack, size, (int)alike_event(view->search, t, rank));
        }
    }
}

/* What its thread did before the event, and comes before it in any execution. */
static void reach_own(const struct view *view, uint32_t stack[], uint32_t *size, uint32_t event)
{
    const struct graph *graph = &view->state->graph;
    const uint64_t *const own = view->search->room->own;
    if (!view->search->buffers) {
        reach(view, stack, size, search_last_of_thread(graph, graph->events[event].thread, event));
    }
    const bool is_write = writes(graph, event) || graph->events[event].is_half;
    for (uint32_t i = 0; view->search->buffers && i < event; i++) {
        if (graph->events[i].thread != graph->events[event].thread) {
            continue;
        }
        if (graph_stays_behind(&graph->events[i], own[i], own[event])) {
            reach(view, stack, size, (int)i);
        } else if (is_write) {
            alike_tell_apart(view->search);
        }
    }
}

/* The same of what the thread does next. */
static void reach_next(const struct view *view, uint32_t stack[], uint32_t *size)
{
    const struct graph *graph = &view->state->graph;
    const uint64_t *const own = view->search->room->own;
    const int unfinished = search_unfinished(graph, view->thread);
    if (unfinished >= 0) {
        reach(view, stack, size, unfinished);
        return;
    }
    if (!view->search->buffers) {
        reach(view, stack, size, search_last_of_thread(graph, view->thread, graph->count));
        return;
    }
    const struct litmus_instruction *instruction = view->state->next[view->thread];
    struct graph_event next = {.instruction = instruction,
                               .kind = instruction->kind,
                               .order = instruction->order,
                               .thread = (uint16_t)view->thread};
    search_note_needs(view->search, view->state, &next);
    const uint64_t own_of_next = graph_own_of_next(graph, own, &next);
    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->events[i].thread != view->thread) {
            continue;
        }
        if (graph_stays_behind(&graph->events[i], own[i], own_of_next)) {
            reach(view, stack, size, (int)i);
        } else {
            alike_tell_apart(view->search);
        }
    }
}

/* The past of what the thread does next: what its thread did before, as far as that has to come
 * before it, what reads from what, who met at barriers, and what is alike. */
static void find_past(const struct view *view)
{
    const struct graph *graph = &view->state->graph;
    uint32_t *const stack = view->search->room->stack;
    uint32_t size = 0;
    memset(view->past, 0, graph->count * sizeof *view->past);
    if (view->search->buffers) {
        graph_find_own(graph, view->search->room->own);
    }
    reach_next(view, stack, &size);
    if (view->search->alike->some) {
        alike_look(view->search, graph);
        reach_alike(view, stack, &size, view->thread, view->search->alike->counts[view->thread]);
    }
    while (size > 0) {
        const uint32_t at = stack[--size];
        const struct graph_event *event = &graph->events[at];
        reach_own(view, stack, &size, at);
        if (view->search->alike->some) {
            reach_alike(view, stack, &size, event->thread, view->search->room->order[1][at]);
        }
        if (oracle_reads(event->kind) && commuting_is_in_order(view->search, event)) {
            reach(view, stack, &size, event->reads_from);
        }
        for (uint32_t i = 0; event->kind > ORACLE_FENCE && i < graph->count; i++) {
            if (graph->events[i].kind > ORACLE_FENCE &&
                graph->events[i].meeting == event->meeting) {
                reach(view, stack, &size, (int)i);
            }
        }
    }
}

struct view revisit_view(const struct search *search, const struct state *state, uint32_t thread)
{
    const struct view view = {search, state, thread, search->room->past};
    find_past(&view);
    return view;
}

/* Did it come, or get its place, by then, or is it in the past? */
static bool was_there(const struct view *view, uint32_t event, bool as_write, uint32_t then)
{
    const struct graph_event *e = &view->state->graph.events[event];
    return view->past[event] || (as_write ? e->placed : e->added) <= then;
}

/* Of what was there, or is in the past: does the event's read read the last write, or is the write
 * that, and has it not been read? */
static bool is_maximal(const struct view *view, uint32_t event, bool as_write)
{
    const struct graph *graph = &view->state->graph;
    const struct graph_event *e = &graph->events[event];
    const uint32_t then = as_write ? e->placed : e->added;
    const uint32_t location = e->instruction->location;
    const int source = as_write ? (int)event : e->reads_from;
    for (uint32_t i = 0; as_write && i < graph->count; i++) {
        if (oracle_reads(graph->events[i].kind) && graph->events[i].reads_from == source &&
            was_there(view, i, false, then)) {
            return false;
        }
    }
    if (source != GRAPH_INITIAL && !was_there(view, (uint32_t)source, true, then)) {
        return false;
    }
    for (uint32_t i = graph_write_count(graph, location); i > 0; i--) {
        const uint32_t write = graph_writes(graph, location)[i - 1];
        if ((int)write == source) {
            break;
        }
        if (was_there(view, write, true, then)) {
            return false;
        }
    }
    return true;
}

bool revisit_keeps(const struct view *view, uint32_t event, bool as_write, uint32_t reader)
{
    return was_there(view, event, as_write, view->state->graph.events[reader].added);
}

bool revisit_may(const struct view *view, uint32_t reader)
{
    const struct graph *graph = &view->state->graph;
    if (!is_maximal(view, reader, false)) {
        return false;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        const bool reads = oracle_reads(graph->events[i].kind);
        if (!commuting_is_in_order(view->search, &graph->events[i])) {
            continue;
        }
        if ((reads && !revisit_keeps(view, i, false, reader) && !is_maximal(view, i, false)) ||
            (writes(graph, i) && !revisit_keeps(view, i, true, reader) &&
             !is_maximal(view, i, true))) {
            return false;
        }
    }
    return true;
}

/* ---- what is left when it does ---- */

struct keeping revisit_start_keeping(const struct search *search, uint32_t count)
{
    const struct search_room *const room = search->room;
    memset(room->names, 0, count * sizeof *room->names);
    return (struct keeping){
        .event = room->kept, .write = room->kept_write, .names = room->names, .whole = -1};
}

/* The last event of each thread that stays, or -1. */
static void find_last_kept(const struct graph *graph, const struct keeping *keeping, int last[])
{
    for (size_t t = 0; t < LITMUS_THREADS_MAX; t++) {
        last[t] = -1;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        if (keeping->event[i]) {
            last[graph->events[i].thread] = (int)i;
        }
    }
    if (keeping->whole >= 0) {
        last[keeping->whole] = (int)graph->count;
    }
}

/* What they read from is called by other names. One of any order reads the one that stays before
 * it. */
static void rename_sources(const struct search *search, const struct graph *graph,
                           const struct keeping *keeping, struct graph *kept)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        struct graph_event *event = &kept->events[i];
        int source = event->reads_from; /* what the reader reads is set later */
        while (source != GRAPH_INITIAL && !commuting_is_in_order(search, event) &&
               !keeping->event[source]) {
            source = graph->events[source].reads_from;
        }
        event->reads_from = source == GRAPH_INITIAL ? source : (int)keeping->names[source];
    }
}

/* An update that stays as a read alone has to write again. What does not stay, but something behind
 * it in its thread, leaves a hole. */
static void keep_events(const struct search *search, const struct state *state,
                        struct keeping *keeping, struct state *after)
{
    const struct graph *graph = &state->graph;
    struct graph *kept = &after->graph;
    int last[LITMUS_THREADS_MAX];
    find_last_kept(graph, keeping, last);
    kept->count = 0;
    kept->meeting_count = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct graph_event *event = &graph->events[i];
        keeping->lost[event->thread] |= !keeping->event[i];
        if (!keeping->event[i] && (int)i > last[event->thread]) {
            continue;
        }
        keeping->names[i] = kept->count;
        struct graph_event *copy = &kept->events[kept->count++];
        *copy = *event;
        if (!keeping->event[i]) {
            graph_make_hole(copy);
        } else if (writes(graph, i) && !keeping->write[i]) {
            copy->kind = ORACLE_ATOMIC_READ;
            copy->is_half = true;
            keeping->lost[event->thread] = true;
        }
        if (event->kind > ORACLE_FENCE && event->meeting >= kept->meeting_count) {
            kept->meeting_count = event->meeting + 1;
        }
    }
    rename_sources(search, graph, keeping, kept);
}

/* All but where the threads are. */
static void keep_graph(const struct search *search, const struct state *state,
                       struct keeping *keeping, struct state *after)
{
    const struct graph *graph = &state->graph;
    struct graph *kept = &after->graph;
    search_copy(search, state, after);
    keep_events(search, state, keeping, after);
    uint32_t write_count = 0;
    for (uint32_t location = 0; location < kept->location_capacity; location++) {
        kept->first_write[location] = write_count;
        for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
            const uint32_t write = graph_writes(graph, location)[i];
            if (keeping->write[write]) {
                kept->writes[write_count++] = keeping->names[write];
            }
        }
    }
    kept->first_write[kept->location_capacity] = write_count;
}

/* The threads that are no longer where they were. */
static void run_again(const struct search *search, const struct keeping *keeping,
                      struct state *after)
{
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        if (keeping->lost[t]) {
            search_run_again(search, after, t);
        }
    }
}

void revisit_keep(const struct search *search, const struct state *state, struct keeping *keeping,
                  struct state *after)
{
    keep_graph(search, state, keeping, after);
    run_again(search, keeping, after);
}

/* The thread's write, which it is at in `state`, in the graph that was kept. */
static uint32_t add_write(const struct search *search, const struct state *state, uint32_t thread,
                          uint32_t position, const struct keeping *keeping, struct graph *kept)
{
    const int unfinished = search_unfinished(&state->graph, thread);
    uint32_t write = kept->count;
    if (unfinished >= 0) {
        write = keeping->names[unfinished];
        if (graph_is_hole(&kept->events[write])) {
            kept->events[write].added = kept->clock++;
        }
    } else {
        search_note_needs(search, state, graph_add(kept, thread, state->next[thread]));
    }
    search_put(search, &state->threads[thread], kept, write, position);
    return write;
}

/* Where the thread was before the event. */
static void run_to(const struct search *search, const struct graph *graph, uint32_t event,
                   struct machine_thread *at)
{
    const struct machine *machine = search->test->machine;
    const uint32_t thread = graph->events[event].thread;
    machine->start(search->test, thread, at);
    machine->run(search->test, thread, at, search->options.rounds);
    for (uint32_t i = 0; i < event; i++) {
        const struct graph_event *before = &graph->events[i];
        if (before->thread == thread && !search_is_entry(before)) {
            machine->performed(search->test, thread, at, before->read_value, before->changed);
            machine->run(search->test, thread, at, search->options.rounds);
        }
    }
}

/* The reader takes the value of the write. */
static void take_write(const struct search *search, const struct state *state, uint32_t reader,
                       const struct keeping *keeping, struct graph *kept, uint32_t write)
{
    struct graph_event *event = &kept->events[keeping->names[reader]];
    struct machine_thread at = {0};
    if (event->instruction->op == LITMUS_COMPARE_EXCHANGE) {
        run_to(search, &state->graph, reader, &at);
    }
    search_take(search, &at, event, (int)write, kept->events[write].written_value);
}

void revisit(const struct search *search, const struct state *state, uint32_t thread,
             uint32_t reader, uint32_t position, struct state *after)
{
    const struct graph *graph = &state->graph;
    const int unfinished = search_unfinished(graph, thread);
    const struct view view = revisit_view(search, state, thread);
    struct keeping keeping = revisit_start_keeping(search, graph->count);
    for (uint32_t i = 0; i < graph->count; i++) {
        keeping.event[i] =
            !graph_is_hole(&graph->events[i]) && revisit_keeps(&view, i, false, reader);
        keeping.write[i] =
            keeping.event[i] && writes(graph, i) && revisit_keeps(&view, i, true, reader);
    }
    if (unfinished >= 0) {
        keeping.event[unfinished] = true;
    }
    keeping.whole = unfinished < 0 ? (int)thread : -1;
    keep_graph(search, state, &keeping, after);
    const uint32_t write = add_write(search, state, thread, position, &keeping, &after->graph);
    keeping.lost[thread] = true;
    keeping.lost[graph->events[reader].thread] = true;
    take_write(search, state, reader, &keeping, &after->graph, write);
    run_again(search, &keeping, after);
}
