/* All executions, each once.
 *
 * Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly Stateless, Optimal Dynamic Partial Order
 * Reduction, POPL 2022 ("TruSt"). An execution is built event by event, always by the first thread
 * that can go on. A read takes its value from any write that is there, and a write gets any place
 * in the modification order. What a read might take from writes that come later is caught up with
 * when they do: the write is then also offered to each read that is not in its past; what came
 * after that read, and is not in the write's past, is taken back, and is done anew. To come to no
 * execution twice that is done only if all that is taken back read or stood last, as it came: of
 * the executions that differ in that alone, one goes back.
 *
 * The two halves of an update are events of their own here: it reads, and then writes. Two updates
 * may read the same write for a while; when both have written, the axioms forbid it. All events of
 * a barrier come at once, and each of them is in the past of what follows one.
 *
 * Updates that commute, and of which nobody needs what they find, have one order where a location
 * has no other accesses but plain ones before or after all of them, and no acquire fence comes
 * after them by which the order could be told (search.any_order). What they read is in nobody's
 * past, then, and means nothing: values come from search_order, which performs them in some order.
 * When it is found that an order can be told, all is begun anew with all orders of that location.
 *
 * A thread that waits, or is cut, goes no further, and the others do. */
#include "checkers/litmus/search_private.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>
#include <time.h>

enum { NOBODY = -1 };

/* A way to go on from a graph. */
struct child {
    int source;        /* of a read */
    uint32_t position; /* of a write */
    int reader;        /* the read that is to take the write's value, or NOBODY */
};

/* A graph, and the ways to go on that are left. */
struct frame {
    struct state *state;
    uint32_t thread; /* that goes on */
    struct child *children;
    size_t child_count, child_capacity;
    bool entered; /* one of them */
};

struct trust {
    struct search *search;
    bool weak;
    struct frame **frames;
    size_t frame_capacity, frame_count; /* there are */
    uint64_t graph_count;
    time_t end; /* when time is up; 0 = never */
    /* Where plain accesses race, and whether the values are no longer all gone through. */
    bool races[LITMUS_LOCATIONS_MAX];
    bool few_values;
    /* Of each location: what its accesses so far are (litmus_instruction.commuting), and whether
     * all their orders are gone through. */
    uint32_t commuting[LITMUS_LOCATIONS_MAX];
    bool is_ordered[LITMUS_LOCATIONS_MAX];
    bool again; /* all has to be begun anew */
    struct state *ordered;
    struct graph_relations relations;
};

/* ---- what the next event is ---- */

/* False: there is none. */
static bool find_thread(const struct search *search, const struct state *state, uint32_t *thread)
{
    const uint32_t count = (uint32_t)search->test->thread_count;
    for (*thread = 0; *thread < count; ++*thread) {
        if (state->pending[*thread]) {
            return true;
        }
    }
    for (*thread = 0; *thread < count; ++*thread) {
        const struct litmus_instruction *next = state->next[*thread];
        if (state->threads[*thread].state == MACHINE_RUNS && next != NULL &&
            next->op < LITMUS_FENCE) {
            return true;
        }
    }
    return false;
}

/* ---- what a write would take back ---- */

/* What there is when the thread comes to write. */
struct view {
    const struct state *state;
    const bool *any_order;
    uint32_t thread;
    bool past[GRAPH_EVENTS_MAX];
};

static bool writes(const struct graph *graph, uint32_t event)
{
    return oracle_writes(graph->events[event].kind);
}

/* Does it matter what the event reads, and what it comes after? */
static bool is_in_order(const bool any_order[], const struct graph_event *event)
{
    return !oracle_is_access(event->kind) || !any_order[event->instruction->location];
}

static void reach(struct view *view, uint32_t stack[], uint32_t *size, int event)
{
    if (event >= 0 && !view->past[event]) {
        view->past[event] = true;
        stack[(*size)++] = (uint32_t)event;
    }
}

static int last_of_thread(const struct graph *graph, uint32_t thread, uint32_t before)
{
    int last = (int)before - 1;
    while (last >= 0 && graph->events[last].thread != thread) {
        last--;
    }
    return last;
}

/* The past of what the thread does next: program order, what reads from what, and who met at
 * barriers. */
static void find_past(struct view *view)
{
    const struct graph *graph = &view->state->graph;
    uint32_t stack[GRAPH_EVENTS_MAX];
    uint32_t size = 0;
    memset(view->past, 0, sizeof view->past);
    reach(view, stack, &size, last_of_thread(graph, view->thread, graph->count));
    while (size > 0) {
        const uint32_t at = stack[--size];
        const struct graph_event *event = &graph->events[at];
        reach(view, stack, &size, last_of_thread(graph, event->thread, at));
        if (oracle_reads(event->kind) && is_in_order(view->any_order, event)) {
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

/* Is it left when the read takes the value of what is written now? */
static bool is_kept(const struct view *view, uint32_t event, bool as_write, uint32_t reader)
{
    return was_there(view, event, as_write, view->state->graph.events[reader].added);
}

/* May the read take the value of what is written now? */
static bool may_revisit(const struct view *view, uint32_t reader)
{
    const struct graph *graph = &view->state->graph;
    if (!is_maximal(view, reader, false)) {
        return false;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        const bool reads = oracle_reads(graph->events[i].kind);
        if (!is_in_order(view->any_order, &graph->events[i])) {
            continue;
        }
        if ((reads && !is_kept(view, i, false, reader) && !is_maximal(view, i, false)) ||
            (writes(graph, i) && !is_kept(view, i, true, reader) && !is_maximal(view, i, true))) {
            return false;
        }
    }
    return true;
}

/* ---- the ways to go on ---- */

static bool add_child(struct frame *frame, int source, uint32_t position, int reader)
{
    struct child *children =
        alloc_grow(frame->children, frame->child_count, &frame->child_capacity, sizeof *children);
    if (children == NULL) {
        return false;
    }
    frame->children = children;
    children[frame->child_count++] = (struct child){source, position, reader};
    return true;
}

/* Before which place in the modification order, from 0, can the thread's next access to the
 * location neither read nor write? What it wrote or read before would be newer (coherence). */
static uint32_t find_floor(const struct graph *graph, uint32_t thread, uint32_t location)
{
    const uint16_t *const order = graph_writes(graph, location);
    uint32_t floor = graph_write_count(graph, location);
    bool found = false;
    while (!found && floor > 0) {
        const struct graph_event *write = &graph->events[order[floor - 1]];
        found = write->thread == thread;
        for (uint32_t i = 0; !found && i < graph->count; i++) {
            found = graph->events[i].thread == thread && oracle_reads(graph->events[i].kind) &&
                    graph->events[i].reads_from == order[floor - 1];
        }
        floor -= found ? 0 : 1;
    }
    return floor;
}

/* The places that the write may have among those that are kept; an update only that behind what it
 * read. */
static bool add_places(struct frame *frame, const struct view *view, int reader)
{
    const struct graph *graph = &frame->state->graph;
    const uint32_t location = frame->state->next[frame->thread]->location;
    const bool updates = frame->state->pending[frame->thread];
    const int own = last_of_thread(graph, frame->thread, graph->count);
    const int source = updates ? graph->events[own].reads_from : GRAPH_INITIAL;
    const uint32_t floor = find_floor(graph, frame->thread, location);
    uint32_t count = 0;
    uint32_t first = 0;
    bool good = !updates || source != GRAPH_INITIAL || add_child(frame, 0, 0, reader);
    for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
        const uint32_t write = graph_writes(graph, location)[i];
        if (reader == NOBODY || is_kept(view, write, true, (uint32_t)reader)) {
            count++;
            first += i < floor;
            good = good && (!updates || (int)write != source || add_child(frame, 0, count, reader));
        }
    }
    for (uint32_t position = first; !updates && good && position <= count; position++) {
        good = add_child(frame, 0, position, reader);
    }
    return good;
}

static bool add_writes(const struct search *search, struct frame *frame)
{
    const struct graph *graph = &frame->state->graph;
    const uint32_t location = frame->state->next[frame->thread]->location;
    struct view view = {
        .state = frame->state, .any_order = search->any_order, .thread = frame->thread};
    find_past(&view);
    bool good = true;
    for (uint32_t i = 0; good && i < graph->count; i++) {
        const struct graph_event *event = &graph->events[i];
        if (oracle_reads(event->kind) && event->instruction->location == location &&
            !view.past[i] && may_revisit(&view, i)) {
            good = add_places(frame, &view, (int)i);
        }
    }
    return good && add_places(frame, &view, NOBODY);
}

/* The order of the updates of the location can be told. */
static void order_location(struct trust *trust, uint32_t location)
{
    trust->again = trust->again || trust->search->any_order[location];
    trust->search->any_order[location] = false;
    trust->is_ordered[location] = true;
}

/* Is the order of the access among those of its location of no matter, as far as is known? */
static bool commutes(struct trust *trust, const struct litmus_instruction *access)
{
    uint32_t *const commuting = &trust->commuting[access->location];
    if (!oracle_is_atomic(access->kind)) {
        return false; /* find_unordered looks at it */
    }
    if (access->commuting == 0 || (*commuting != 0 && *commuting != access->commuting)) {
        order_location(trust, access->location);
    }
    *commuting = access->commuting;
    return !trust->is_ordered[access->location];
}

/* Accesses that neither come before nor after some update tell where among them they are. */
static void find_unordered(struct trust *trust, const struct graph *graph)
{
    const bool *const any_order = trust->search->any_order;
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct graph_event *event = &graph->events[i];
        if (is_in_order(any_order, event) || oracle_is_atomic(event->kind)) {
            continue;
        }
        const uint32_t location = event->instruction->location;
        const struct graph_set *const happens =
            trust->relations.happens[graph->test->locations[location].region];
        for (uint32_t j = 0; j < graph->count; j++) {
            const struct graph_event *other = &graph->events[j];
            if (oracle_is_atomic(other->kind) && other->instruction->location == location &&
                !graph_has(&happens[i], j) && !graph_has(&happens[j], i)) {
                order_location(trust, location);
            }
        }
    }
}

/* A barrier of work-group scope tells its group nothing but what it orders by itself, and others
 * nothing at all. */
static bool tells_nothing(const struct graph_event *event)
{
    return event->kind == ORACLE_BARRIER && (event->instruction->scope == ORACLE_WORK_GROUP ||
                                             event->instruction->scope == ORACLE_SUB_GROUP);
}

/* An acquire fence tells, by what it synchronises with, what an update before it has read from. */
static void find_acquires(struct trust *trust, const struct graph *graph)
{
    bool acquires[LITMUS_THREADS_MAX] = {false}; /* later */
    for (uint32_t i = graph->count; i-- > 0;) {
        const struct graph_event *event = &graph->events[i];
        if (event->kind == ORACLE_FENCE ? oracle_acquires(event->order)
                                        : event->kind > ORACLE_FENCE && !tells_nothing(event)) {
            acquires[event->thread] = true;
        } else if (acquires[event->thread] && oracle_is_access(event->kind) &&
                   event->instruction->commuting != 0) {
            order_location(trust, event->instruction->location);
        }
    }
}

/* The update as the last one. */
static bool add_last(struct trust *trust, struct frame *frame)
{
    const struct state *state = frame->state;
    const uint32_t location = state->next[frame->thread]->location;
    const uint32_t count = graph_write_count(&state->graph, location);
    const int last =
        count == 0 ? GRAPH_INITIAL : (int)graph_writes(&state->graph, location)[count - 1];
    trust->search->any_order[location] = true;
    return add_child(frame, last, count, NOBODY);
}

/* The last that is added is taken first: what is newest is, as in an interleaving. */
static bool list_children(struct trust *trust, struct frame *frame)
{
    const struct state *state = frame->state;
    frame->child_count = 0;
    if (state->full || !find_thread(trust->search, state, &frame->thread)) {
        return true;
    }
    const struct litmus_instruction *next = state->next[frame->thread];
    if (commutes(trust, next)) {
        return add_last(trust, frame);
    }
    if (state->pending[frame->thread] || next->op == LITMUS_WRITE) {
        return add_writes(trust->search, frame);
    }
    const uint32_t floor = find_floor(&state->graph, frame->thread, next->location);
    bool good = floor > 0 || add_child(frame, GRAPH_INITIAL, 0, NOBODY);
    for (uint32_t i = floor > 0 ? floor - 1 : 0;
         good && i < graph_write_count(&state->graph, next->location); i++) {
        good = add_child(frame, graph_writes(&state->graph, next->location)[i], 0, NOBODY);
    }
    return good;
}

/* ---- to go on ---- */

static bool is_entry(const struct graph_event *event)
{
    return event->kind > ORACLE_FENCE && !event->is_exit;
}

/* As search_perform_one wants it. */
static bool has_changed(const struct graph *graph, uint32_t event)
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
    const int last = last_of_thread(graph, thread, graph->count);
    test->machine->start(test, thread, &state->threads[thread]);
    state->next[thread] =
        test->machine->run(test, thread, &state->threads[thread], search->options.rounds);
    for (uint32_t i = 0; i < before; i++) {
        const struct graph_event *event = &graph->events[i];
        if (event->thread != thread || is_entry(event) ||
            (state->pending[thread] && last == (int)i)) {
            continue;
        }
        ASSERT(state->next[thread] == event->instruction);
        search_perform_one(search, state, thread, event->read_value, has_changed(graph, i));
    }
}

/* Which events stay, as reads and as writes, and what they are then. */
struct keeping {
    bool event[GRAPH_EVENTS_MAX], write[GRAPH_EVENTS_MAX];
    uint32_t names[GRAPH_EVENTS_MAX];
    bool lost[LITMUS_THREADS_MAX]; /* some of the thread's do not */
};

/* An update that stays as a read alone has to write again; one of any order reads the one that
 * stays before it. */
static void keep_events(const bool any_order[], const struct state *state, struct keeping *keeping,
                        struct state *after)
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
            kept->meeting_count = event->meeting + 1U;
        }
    }
    for (uint32_t i = 0; i < kept->count; i++) {
        struct graph_event *event = &kept->events[i];
        int source = event->reads_from; /* what the reader reads is set later */
        while (source != GRAPH_INITIAL && !is_in_order(any_order, event) &&
               !keeping->event[source]) {
            source = graph->events[source].reads_from;
        }
        event->reads_from =
            (int16_t)(source == GRAPH_INITIAL ? source : (int)keeping->names[source]);
    }
}

static void keep(const struct search *search, const struct state *state, struct keeping *keeping,
                 struct state *after)
{
    const struct graph *graph = &state->graph;
    struct graph *kept = &after->graph;
    search_copy(search, state, after);
    keep_events(search->any_order, state, keeping, after);
    uint32_t write_count = 0;
    for (uint32_t location = 0; location < LITMUS_LOCATIONS_MAX; location++) {
        kept->first_write[location] = (uint16_t)write_count;
        for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
            const uint32_t write = graph_writes(graph, location)[i];
            if (keeping->write[write]) {
                kept->writes[write_count++] = (uint16_t)keeping->names[write];
            }
        }
    }
    kept->first_write[LITMUS_LOCATIONS_MAX] = (uint16_t)write_count;
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        if (keeping->lost[t]) {
            run_again(search, after, t, kept->count);
        }
    }
}

/* The write at that place, and the read takes its value. */
static void revisit(const struct search *search, const struct frame *frame, struct child child,
                    struct state *after)
{
    const struct state *state = frame->state;
    const uint32_t reader = (uint32_t)child.reader;
    const uint32_t reading = state->graph.events[reader].thread;
    struct view view = {.state = state, .any_order = search->any_order, .thread = frame->thread};
    struct keeping keeping = {.names = {0}};
    find_past(&view);
    for (uint32_t i = 0; i < state->graph.count; i++) {
        keeping.event[i] = is_kept(&view, i, false, reader);
        keeping.write[i] =
            keeping.event[i] && writes(&state->graph, i) && is_kept(&view, i, true, reader);
    }
    keep(search, state, &keeping, after);
    const uint32_t write =
        state->pending[frame->thread]
            ? keeping.names[last_of_thread(&state->graph, frame->thread, state->graph.count)]
            : search_add(after, frame->thread);
    search_write(search, after, write, child.position);
    after->pending[reading] = false;
    run_again(search, after, reading, keeping.names[reader]);
    search_read(search, after, keeping.names[reader], (int)write);
}

/* False: the axioms do not allow it. */
static bool go(struct trust *trust, const struct frame *frame, struct child child,
               struct state *after)
{
    const struct search *search = trust->search;
    const uint32_t thread = frame->thread;
    const struct litmus_instruction *next = frame->state->next[thread];
    if (child.reader != NOBODY && frame->state->graph.count < GRAPH_EVENTS_MAX) {
        revisit(search, frame, child, after);
    } else {
        search_copy(search, frame->state, after);
        if (after->pending[thread]) {
            search_write(search, after,
                         (uint32_t)last_of_thread(&after->graph, thread, after->graph.count),
                         child.position);
        } else if (!search_make_room(after, 1)) {
            return true;
        } else if (next->op == LITMUS_WRITE) {
            search_write(search, after, search_add(after, thread), child.position);
        } else {
            search_read(search, after, search_add(after, thread), child.source);
        }
    }
    search_perform_unchosen(search, after);
    find_acquires(trust, &after->graph);
    graph_relate(&after->graph, &trust->relations);
    find_unordered(trust, &after->graph);
    return trust->weak ? graph_is_consistent(&after->graph, &trust->relations)
                       : graph_is_interleaving(&after->graph, &trust->relations, search->any_order);
}

/* ---- loops that wait for ever ---- */

/* No thread can go on but in rounds of loops that change nothing. */
static bool waits(const struct search *search, const struct state *state)
{
    bool some = false;
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        const enum machine_state machine = state->threads[t].state;
        some = some || machine == MACHINE_IDLE;
        if (machine > MACHINE_IDLE) {
            return false;
        }
    }
    return some && !state->full;
}

/* From which event on do the thread's belong to a round that it may do without? */
static uint32_t find_round(const struct search *search, const struct state *state, uint32_t thread)
{
    const struct litmus_test *test = search->test;
    const struct graph *graph = &state->graph;
    struct machine_thread at;
    uint32_t bound = 0;
    test->machine->start(test, thread, &at);
    test->machine->run(test, thread, &at, search->options.rounds);
    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->events[i].thread != thread || is_entry(&graph->events[i])) {
            continue;
        }
        test->machine->performed(test, thread, &at, graph->events[i].read_value,
                                 has_changed(graph, i));
        test->machine->run(test, thread, &at, search->options.rounds);
        if (at.state == MACHINE_RUNS && test->machine->is_open(test, thread, &at)) {
            bound = i + 1;
        }
    }
    return bound;
}

/* Does the event read the last write of those that stay, or what an update that does not stay left
 * there? */
static bool reads_newest(const struct graph *graph, const struct keeping *keeping, uint32_t event)
{
    const uint32_t location = graph->events[event].instruction->location;
    uint32_t last = graph_write_count(graph, location);
    while (last > 0 && !keeping->write[graph_writes(graph, location)[last - 1]]) {
        last--;
    }
    int source = graph->events[event].reads_from;
    while (source != GRAPH_INITIAL && !keeping->write[source]) {
        source = graph->events[source].reads_from;
    }
    return source == (last > 0 ? (int)graph_writes(graph, location)[last - 1] : GRAPH_INITIAL);
}

/* Threads that wait will not see anything newer than what they have read: it is for ever. */
static bool waits_for_ever(const bool any_order[], const struct graph *graph,
                           const struct keeping *keeping)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct graph_event *event = &graph->events[i];
        if (!oracle_reads(event->kind) || !is_in_order(any_order, event)) {
            continue;
        }
        const bool reads_kept =
            event->reads_from == GRAPH_INITIAL || keeping->write[event->reads_from];
        if (keeping->event[i] ? !reads_kept : !reads_newest(graph, keeping, i)) {
            return false;
        }
    }
    return true;
}

/* Told as it is before the rounds in which the threads wait. */
static void take_hang(struct trust *trust, const struct state *state)
{
    struct search *search = trust->search;
    const struct graph *graph = &state->graph;
    struct state *before = search->states[1];
    struct keeping keeping = {.names = {0}};
    struct litmus_choices choices;
    uint32_t rounds[LITMUS_THREADS_MAX];
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        rounds[t] =
            state->threads[t].state == MACHINE_IDLE ? find_round(search, state, t) : graph->count;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        keeping.event[i] = i < rounds[graph->events[i].thread];
        keeping.write[i] = keeping.event[i] && writes(graph, i);
    }
    if (!waits_for_ever(search->any_order, graph, &keeping)) {
        return;
    }
    keep(search, state, &keeping, before);
    graph_relate(&before->graph, &trust->relations);
    search->weak = !graph_is_interleaving(&before->graph, &trust->relations, search->any_order);
    search_order(search, &before->graph, trust->ordered, &choices);
    if (!search->hangs || search_compare_choices(&choices, &search->hang) < 0) {
        search->hangs = true;
        search->hang = choices;
        memcpy(search->hang_at, trust->ordered->next, sizeof search->hang_at);
    }
}

/* ---- races ---- */

/* What is read in a race, or which of racing writes is last, means nothing: the program is wrong
 * already. When it is too much to go through, one value is enough: the newest. */

struct noting {
    struct trust *trust;
    const struct graph *graph;
};

static void note_race(void *user, uint32_t a, uint32_t b)
{
    const struct noting *noting = user;
    const struct graph_event *first = &noting->graph->events[a];
    const struct graph_event *second = &noting->graph->events[b];
    if (!oracle_is_atomic(first->kind) || !oracle_is_atomic(second->kind)) {
        noting->trust->races[first->instruction->location] = true;
    }
}

static bool is_in_race(const struct trust *trust, const struct frame *frame)
{
    const struct litmus_instruction *next = frame->state->next[frame->thread];
    return !oracle_is_atomic(next->kind) && trust->races[next->location];
}

/* Are the ways to go on that are left of no interest? */
static bool may_leave(struct trust *trust, const struct frame *frame)
{
    if (!trust->search->options.race_values && frame->entered &&
        trust->graph_count >= LITMUS_STATES_WITH_RACES && is_in_race(trust, frame)) {
        trust->few_values = true;
        return true;
    }
    return false;
}

/* ---- all of them ---- */

/* No thread can go on. */
static enum status take_execution(struct trust *trust, const struct state *state,
                                  struct error *error)
{
    struct search *search = trust->search;
    struct litmus_choices choices;
    graph_relate(&state->graph, &trust->relations);
    search->weak =
        trust->weak && !graph_is_interleaving(&state->graph, &trust->relations, search->any_order);
    search_order(search, &state->graph, trust->ordered, &choices);
    graph_each_race(&state->graph, &trust->relations, note_race,
                    &(struct noting){trust, &state->graph});
    const enum end end = search_end_of(search, trust->ordered);
    ASSERT(end != END_NOT_YET || state->full);
    const enum status status = search->visit(search->user, trust->ordered,
                                             end == END_NOT_YET ? END_FULL : end, &choices, error);
    if (status == STATUS_OK && waits(search, state)) {
        take_hang(trust, state);
    }
    return status;
}

/* The frame above those that there are so many of; NULL when memory is out. */
static struct frame *find_frame(struct trust *trust, size_t depth)
{
    ASSERT(depth <= trust->frame_count);
    if (depth == trust->frame_count) {
        struct frame **frames = alloc_grow(trust->frames, trust->frame_count,
                                           &trust->frame_capacity, sizeof(struct frame *));
        if (frames == NULL) {
            return NULL;
        }
        trust->frames = frames;
        frames[depth] = alloc_zero(1, sizeof **frames);
        if (frames[depth] == NULL) {
            return NULL;
        }
        trust->frame_count++;
        frames[depth]->state = search_make_state(trust->search);
    }
    return trust->frames[depth]->state != NULL ? trust->frames[depth] : NULL;
}

/* A new graph: lists the ways to go on. */
static enum status enter(struct trust *trust, struct frame *frame, struct error *error)
{
    trust->graph_count++;
    frame->entered = false;
    if (!list_children(trust, frame)) {
        return error_no_memory(error, sizeof(struct child));
    }
    return frame->child_count == 0 ? take_execution(trust, frame->state, error) : STATUS_OK;
}

static uint32_t what_is_up(const struct trust *trust)
{
    return trust->graph_count >= trust->search->options.states_max ? LITMUS_LEFT_STATES
           : trust->end != 0 && time(NULL) >= trust->end           ? LITMUS_LEFT_TIME
                                                                   : 0;
}

/* With all orders of what was found not to commute. */
static enum status begin_again(struct trust *trust, struct error *error)
{
    struct search *search = trust->search;
    trust->again = false;
    trust->graph_count = 0;
    trust->few_values = false;
    memset(trust->races, 0, sizeof trust->races);
    search->restarts++;
    search->hangs = false;
    search_start(search, trust->frames[0]->state);
    return enter(trust, trust->frames[0], error);
}

static enum status go_through(struct trust *trust, struct error *error)
{
    struct search *search = trust->search;
    size_t depth = 0;
    struct frame *frame = find_frame(trust, 0);
    if (frame == NULL) {
        return error_no_memory(error, sizeof *frame);
    }
    search_start(search, frame->state);
    enum status status = enter(trust, frame, error);
    while (status == STATUS_OK) {
        if (trust->again) {
            depth = 0;
            status = begin_again(trust, error);
            continue;
        }
        frame = trust->frames[depth];
        if (frame->child_count == 0 || may_leave(trust, frame)) {
            if (depth-- == 0) {
                break;
            }
            continue;
        }
        search->left_out |= what_is_up(trust);
        if (search->left_out != 0) {
            break;
        }
        struct frame *after = find_frame(trust, depth + 1);
        if (after == NULL) {
            status = error_no_memory(error, sizeof *after);
        } else if (go(trust, frame, frame->children[--frame->child_count], after->state)) {
            frame->entered = true;
            status = enter(trust, after, error);
            depth++;
        }
    }
    return status;
}

enum status search_all(struct search *search, bool weak, struct error *error)
{
    struct trust *trust = alloc_zero(1, sizeof *trust);
    if (trust == NULL) {
        return error_no_memory(error, sizeof *trust);
    }
    trust->search = search;
    trust->weak = weak;
    trust->end = search->options.seconds == 0 ? 0 : time(NULL) + search->options.seconds;
    trust->ordered = search_make_state(search);
    const enum status status =
        trust->ordered != NULL ? go_through(trust, error) : error_no_memory(error, sizeof *trust);
    search->left_out |= trust->few_values ? LITMUS_LEFT_VALUES : 0;
    for (size_t i = 0; i < trust->frame_count; i++) {
        alloc_free(trust->frames[i]->children);
        alloc_free(trust->frames[i]->state);
        alloc_free(trust->frames[i]);
    }
    alloc_free(trust->frames);
    alloc_free(trust->ordered);
    alloc_free(trust);
    return status;
}
