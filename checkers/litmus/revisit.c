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

/* The past of what the thread does next: program order, what reads from what, and who met at
 * barriers. */
static void find_past(const struct view *view)
{
    const struct graph *graph = &view->state->graph;
    uint32_t *const stack = view->search->room->stack;
    uint32_t size = 0;
    memset(view->past, 0, graph->count * sizeof *view->past);
    reach(view, stack, &size, search_last_of_thread(graph, view->thread, graph->count));
    while (size > 0) {
        const uint32_t at = stack[--size];
        const struct graph_event *event = &graph->events[at];
        reach(view, stack, &size, search_last_of_thread(graph, event->thread, at));
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

bool search_is_entry(const struct graph_event *event)
{
    return event->kind > ORACLE_FENCE && !event->is_exit;
}

/* As search_perform_one wants it. */
bool search_has_changed(const struct graph *graph, uint32_t event)
{
    const struct graph_event *e = &graph->events[event];
    return e->kind == ORACLE_ATOMIC_UPDATE ? e->written_value != e->read_value
                                           : e->kind > ORACLE_FENCE || oracle_writes(e->kind);
}

/* The thread from its start, by what it did in the graph before that event. */
static void run_again(const struct search *search, struct state *state, uint32_t thread,
                      uint32_t before)
{
    const struct litmus_test *test = search->test;
    const struct graph *graph = &state->graph;
    const int last = search_last_of_thread(graph, thread, graph->count);
    test->machine->start(test, thread, &state->threads[thread]);
    state->next[thread] =
        test->machine->run(test, thread, &state->threads[thread], search->options.rounds);
    for (uint32_t i = 0; i < before; i++) {
        const struct graph_event *event = &graph->events[i];
        if (event->thread != thread || search_is_entry(event) ||
            (state->pending[thread] && last == (int)i)) {
            continue;
        }
        ASSERT(state->next[thread] == event->instruction);
        search_perform_one(search, state, thread, event->read_value, search_has_changed(graph, i));
    }
}

struct keeping revisit_start_keeping(const struct search *search, uint32_t count)
{
    const struct search_room *const room = search->room;
    memset(room->names, 0, count * sizeof *room->names);
    return (struct keeping){.event = room->kept, .write = room->kept_write, .names = room->names};
}

/* An update that stays as a read alone has to write again; one of any order reads the one that
 * stays before it. */
static void keep_events(const struct search *search, const struct state *state,
                        struct keeping *keeping, struct state *after)
{
    const struct graph *graph = &state->graph;
    struct graph *kept = &after->graph;
    kept->count = 0;
    kept->meeting_count = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct graph_event *event = &graph->events[i];
        if (!keeping->event[i]) {
            keeping->lost[event->thread] = true;
            after->pending[event->thread] = false;
            continue;
        }
        keeping->names[i] = kept->count;
        struct graph_event *copy = &kept->events[kept->count++];
        *copy = *event;
        if (writes(graph, i) && !keeping->write[i]) {
            copy->kind = ORACLE_ATOMIC_READ;
            keeping->lost[event->thread] = true;
            after->pending[event->thread] = true;
        }
        if (event->kind > ORACLE_FENCE && event->meeting >= kept->meeting_count) {
            kept->meeting_count = event->meeting + 1;
        }
    }
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

void revisit_keep(const struct search *search, const struct state *state, struct keeping *keeping,
                  struct state *after)
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
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        if (keeping->lost[t]) {
            run_again(search, after, t, kept->count);
        }
    }
}

/* The write at that place, and the read takes its value. */
void revisit(const struct search *search, const struct state *state, uint32_t thread,
             uint32_t reader, uint32_t position, struct state *after)
{
    const uint32_t reading = state->graph.events[reader].thread;
    const struct view view = revisit_view(search, state, thread);
    struct keeping keeping = revisit_start_keeping(search, state->graph.count);
    for (uint32_t i = 0; i < state->graph.count; i++) {
        keeping.event[i] = revisit_keeps(&view, i, false, reader);
        keeping.write[i] =
            keeping.event[i] && writes(&state->graph, i) && revisit_keeps(&view, i, true, reader);
    }
    revisit_keep(search, state, &keeping, after);
    const uint32_t write =
        state->pending[thread]
            ? keeping.names[search_last_of_thread(&state->graph, thread, state->graph.count)]
            : search_add(after, thread);
    search_write(search, after, write, position);
    after->pending[reading] = false;
    run_again(search, after, reading, keeping.names[reader]);
    search_read(search, after, keeping.names[reader], (int)write);
}
