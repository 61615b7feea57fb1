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
 * The past of a write is what it depends on (depends.c), and what that has read, and so on. So it
 * is also offered to reads before it in its own thread, and what is taken back may leave holes
 * behind which something stays; these are filled before all else.
 *
 * The two halves of an update are events of their own here: it reads, and then writes. Two updates
 * may read the same write for a while; when both have written, the axioms forbid it. All events of
 * a barrier come at once, and each of them is in the past of what follows one.
 *
 * Of updates that commute one order is gone through: commuting.c; of executions in which like
 * threads are exchanged one: alike.c.
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
    time_t now; /* when progress was told last */
    /* Where plain accesses race, and whether the values are no longer all gone through. */
    bool *races;
    bool few_values;
    struct commuting commuting;
    const struct state *full; /* there is too little room for it, so that all is begun anew */
    struct state *ordered;
};

/* ---- what the next event is ---- */

/* The first thread with a hole. */
static bool find_hole(const struct graph *graph, uint32_t *thread)
{
    bool found = false;
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct graph_event *event = &graph->events[i];
        if (graph_is_hole(event) && (!found || event->thread < *thread)) {
            *thread = event->thread;
            found = true;
        }
    }
    return found;
}

static bool find_pending(const struct search *search, const struct state *state, uint32_t *thread)
{
    const uint32_t count = (uint32_t)search->test->thread_count;
    for (*thread = 0; *thread < count && !state->pending[*thread]; ++*thread) {
    }
    return *thread < count;
}

static bool find_next(const struct search *search, const struct state *state, uint32_t *thread)
{
    const uint32_t count = (uint32_t)search->test->thread_count;
    for (*thread = 0; *thread < count && !search_is_at_access(state, *thread); ++*thread) {
    }
    return *thread < count;
}

/* False: there is none. */
static bool find_thread(const struct search *search, const struct state *state, uint32_t *thread)
{
    return find_pending(search, state, thread) || find_hole(&state->graph, thread) ||
           find_next(search, state, thread);
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
    const uint32_t *const order = graph_writes(graph, location);
    uint32_t floor = graph_write_count(graph, location);
    bool found = false;
    while (!found && floor > 0) {
        const struct graph_event *write = &graph->events[order[floor - 1]];
        found = write->thread == thread;
        for (uint32_t i = 0; !found && i < graph->count; i++) {
            found = graph->events[i].thread == thread && oracle_reads(graph->events[i].kind) &&
                    graph->events[i].reads_from == (int)order[floor - 1];
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
    const int own = search_unfinished(graph, frame->thread);
    const int source = updates ? graph->events[own].reads_from : GRAPH_INITIAL;
    const uint32_t floor = find_floor(graph, frame->thread, location);
    uint32_t count = 0;
    uint32_t first = 0;
    bool good = !updates || source != GRAPH_INITIAL || add_child(frame, 0, 0, reader);
    for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
        const uint32_t write = graph_writes(graph, location)[i];
        if (reader == NOBODY || revisit_keeps(view, write, true, (uint32_t)reader)) {
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
    const struct view view = revisit_view(search, frame->state, frame->thread);
    bool good = true;
    for (uint32_t i = 0; good && i < graph->count; i++) {
        const struct graph_event *event = &graph->events[i];
        if (oracle_reads(event->kind) && event->instruction->location == location &&
            !view.past[i] && revisit_may(&view, i)) {
            good = add_places(frame, &view, (int)i);
        }
    }
    return good && add_places(frame, &view, NOBODY);
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
    if (commuting_take(&trust->commuting, next)) {
        return add_last(trust, frame);
    }
    if (state->pending[frame->thread] || next->op == LITMUS_WRITE) {
        return add_writes(trust->search, frame);
    }
    const uint32_t floor = find_floor(&state->graph, frame->thread, next->location);
    bool good = floor > 0 || add_child(frame, GRAPH_INITIAL, 0, NOBODY);
    for (uint32_t i = floor > 0 ? floor - 1 : 0;
         good && i < graph_write_count(&state->graph, next->location); i++) {
        good = add_child(frame, (int)graph_writes(&state->graph, next->location)[i], 0, NOBODY);
    }
    return good;
}

/* ---- to go on ---- */

/* The thread's next access, or the one that it left a hole for. False: there is no room. */
static bool perform(const struct search *search, struct state *after, uint32_t thread,
                    struct child child)
{
    struct graph *graph = &after->graph;
    const bool writes = after->pending[thread] || after->next[thread]->op == LITMUS_WRITE;
    int event = search_unfinished(graph, thread);
    if (event < 0 && !search_make_room(after, 1)) {
        return false;
    }
    if (event < 0) {
        event = (int)search_add(search, after, thread);
    } else if (!after->pending[thread]) {
        graph->events[event].added = graph->clock++;
    }
    if (writes) {
        search_write(search, after, (uint32_t)event, child.position);
    } else {
        search_read(search, after, (uint32_t)event, child.source);
    }
    return true;
}

/* False: the axioms do not allow it. */
static bool go(struct trust *trust, const struct frame *frame, struct child child,
               struct state *after)
{
    const struct search *search = trust->search;
    const uint32_t thread = frame->thread;
    if (child.reader != NOBODY && !search_is_full(frame->state)) {
        revisit(search, frame->state, thread, (uint32_t)child.reader, child.position, after);
    } else {
        search_copy(search, frame->state, after);
        if (!perform(search, after, thread, child)) {
            return true;
        }
    }
    search_perform_unchosen(search, after);
    struct graph_relations *const relations = &search->room->relations;
    search_relate(search, &after->graph, true);
    commuting_check(&trust->commuting, &after->graph);
    return (trust->weak ? graph_is_consistent(&after->graph, relations)
                        : graph_is_interleaving(&after->graph, relations, search->any_order)) &&
           !alike_drops(search, &after->graph);
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
        if (graph->events[i].thread != thread || search_is_entry(&graph->events[i])) {
            continue;
        }
        test->machine->performed(test, thread, &at, graph->events[i].read_value,
                                 graph->events[i].changed);
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
static bool waits_for_ever(const struct search *search, const struct graph *graph,
                           const struct keeping *keeping)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct graph_event *event = &graph->events[i];
        if (!oracle_reads(event->kind) || !commuting_is_in_order(search, event)) {
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
    struct graph_relations *const relations = &search->room->relations;
    struct state *before = search->room->states[1];
    struct keeping keeping = revisit_start_keeping(search, graph->count);
    struct litmus_choices choices = {.choices = search->room->chosen};
    uint32_t rounds[LITMUS_THREADS_MAX];
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        rounds[t] =
            state->threads[t].state == MACHINE_IDLE ? find_round(search, state, t) : graph->count;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        keeping.event[i] = i < rounds[graph->events[i].thread];
        keeping.write[i] = keeping.event[i] && oracle_writes(graph->events[i].kind);
    }
    if (!waits_for_ever(search, graph, &keeping)) {
        return;
    }
    revisit_keep(search, state, &keeping, before);
    search_relate(search, &before->graph, false);
    search->weak = !graph_is_interleaving(&before->graph, relations, search->any_order);
    search_order(search, &before->graph, trust->ordered, &choices);
    if (!search->hangs || search_compare_choices(&choices, &search->hang) < 0) {
        search->hangs = true;
        search->hang.weak = choices.weak;
        search->hang.buffered = choices.buffered;
        search->hang.count = choices.count;
        memcpy(search->hang.choices, choices.choices, choices.count * sizeof *choices.choices);
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

/* Is it told how many executions end so? */
static bool is_counted(enum end end)
{
    return end == END_ALL || end == END_CUT || end == END_STUCK || end == END_BLOCKED;
}

/* No thread can go on. */
static enum status take_execution(struct trust *trust, const struct state *state,
                                  struct error *error)
{
    struct search *search = trust->search;
    struct graph_relations *const relations = &search->room->relations;
    struct litmus_choices choices = {.choices = search->room->chosen};
    if (search->options.executions != 0 && search->visited == search->options.executions) {
        search->left_out |= LITMUS_LEFT_EXECUTIONS;
        return STATUS_OK;
    }
    search_relate(search, &state->graph, false);
    if (trust->weak && !graph_is_consistent(&state->graph, relations)) {
        return STATUS_OK;
    }
    search->visited++;
    search->weak =
        trust->weak && !graph_is_interleaving(&state->graph, relations, search->any_order);
    search_order(search, &state->graph, trust->ordered, &choices);
    graph_each_race(&state->graph, relations, note_race, &(struct noting){trust, &state->graph});
    const enum end end = search_end_of(search, trust->ordered);
    ASSERT(end != END_NOT_YET || state->full);
    if (is_counted(end)) {
        alike_take(search, &state->graph);
    }
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

static void free_frames(struct trust *trust)
{
    for (size_t i = 0; i < trust->frame_count; i++) {
        alloc_free(trust->frames[i]->children);
        search_free_state(trust->frames[i]->state);
        alloc_free(trust->frames[i]);
    }
    trust->frame_count = 0;
}

/* A new graph: lists the ways to go on. */
static enum status enter(struct trust *trust, struct frame *frame, struct error *error)
{
    trust->graph_count++;
    frame->entered = false;
    if (search_may_grow(trust->search, frame->state)) {
        trust->full = frame->state;
        frame->child_count = 0;
        return STATUS_OK;
    }
    alike_check(trust->search, frame->state);
    if (!list_children(trust, frame)) {
        return error_no_memory(error, sizeof(struct child));
    }
    return frame->child_count == 0 ? take_execution(trust, frame->state, error) : STATUS_OK;
}

/* Called for each graph. */
static void tell_progress(struct trust *trust, time_t now)
{
    const struct litmus_options *options = &trust->search->options;
    if (options->progress != NULL && now != trust->now) {
        options->progress(options->progress_user, trust->graph_count, trust->search->visited);
    }
    trust->now = now;
}

static uint32_t what_is_up(struct trust *trust)
{
    const struct litmus_options *options = &trust->search->options;
    const time_t now = time(NULL);
    const uint64_t memory = (uint64_t)trust->frame_count * search_state_size(trust->search);
    tell_progress(trust, now);
    return options->states_max != 0 && trust->graph_count >= options->states_max
               ? LITMUS_LEFT_STATES
           : trust->end != 0 && now >= trust->end              ? LITMUS_LEFT_TIME
           : options->memory != 0 && memory >= options->memory ? LITMUS_LEFT_MEMORY
                                                               : 0;
}

/* The frame that comes next after one from which a way was gone to `after`: a frame without other
 * ways is needed no longer, and its place is taken. */
static size_t step_over(struct trust *trust, size_t depth)
{
    struct frame *const frame = trust->frames[depth];
    if (frame->child_count > 0) {
        return depth + 1;
    }
    trust->frames[depth] = trust->frames[depth + 1];
    trust->frames[depth + 1] = frame;
    return depth;
}

/* From the start, or up to where all has to be begun anew. */
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
    while (status == STATUS_OK && trust->full == NULL && !trust->commuting.again &&
           !search->alike->again) {
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
            depth = step_over(trust, depth);
            status = enter(trust, after, error);
        }
    }
    return status;
}

/* False: no memory. */
static bool begin(struct trust *trust)
{
    struct search *search = trust->search;
    trust->full = NULL;
    trust->graph_count = 0;
    trust->few_values = false;
    alloc_free(trust->races);
    trust->races = alloc_zero(search->room->location_capacity, sizeof *trust->races);
    search_free_state(trust->ordered);
    trust->ordered = search_make_state(search);
    alike_begin(search);
    return commuting_begin(&trust->commuting, search) && trust->races != NULL &&
           trust->ordered != NULL;
}

/* True: all has to be begun anew. */
static bool prepare_again(struct trust *trust)
{
    struct search *search = trust->search;
    if (trust->full != NULL) {
        search_grow(search, trust->full);
        free_frames(trust);
        return true;
    }
    if (trust->commuting.again || search->alike->again) {
        search->restarts++;
        search->hangs = false;
        return true;
    }
    return false;
}

enum status search_all(struct search *search, bool weak, struct error *error)
{
    struct trust trust = {
        .search = search,
        .weak = weak,
        .now = time(NULL),
        .end = search->options.seconds == 0 ? 0 : time(NULL) + search->options.seconds,
    };
    enum status status;
    search->alike->is_off = search->options.apart;
    search->buffers = weak && !search->options.in_order && search->test->thread_count > 1;
    do {
        status = begin(&trust) ? go_through(&trust, error) : error_no_memory(error, 0);
    } while (status == STATUS_OK && search->left_out == 0 && prepare_again(&trust));
    search->left_out |= trust.few_values ? LITMUS_LEFT_VALUES : 0;
    free_frames(&trust);
    alloc_free(trust.frames);
    alloc_free(trust.races);
    search_free_state(trust.ordered);
    commuting_release(&trust.commuting);
    return status;
}
