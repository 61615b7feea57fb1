#include "checkers/litmus/fences.h"

#include "trace/base/assert.h"

#include <string.h>

/* ---- where they are ---- */

/* The last of the test's changes that puts a fence there; NULL = none does. */
static const struct litmus_instruction *find_fence(const struct litmus_test *test,
                                                   const struct litmus_instruction *operation,
                                                   enum litmus_edit_kind kind)
{
    for (size_t i = test->edit_count; i-- > 0;) {
        const struct litmus_edit *edit = &test->edits[i];
        if (edit->kind == kind && edit->op == operation->op && litmus_edit_means(edit, operation)) {
            return &edit->fence;
        }
    }
    return NULL;
}

static bool is_put_in(const struct litmus_test *test, const struct litmus_instruction *instruction)
{
    bool is = false;
    for (size_t i = 0; i < test->edit_count; i++) {
        is = is || instruction == &test->edits[i].fence;
    }
    return is;
}

/* ---- threads ---- */

static const struct machine *within(const struct litmus_test *test)
{
    return ((const struct fences *)test->machine)->within;
}

static bool is_operation(const struct litmus_instruction *next)
{
    return next != NULL && next->op >= LITMUS_READ && next->fault == NULL;
}

static void start(const struct litmus_test *test, uint32_t thread, struct machine_thread *machine)
{
    within(test)->start(test, thread, machine);
    machine->fence = NULL;
    machine->fencing = MACHINE_NO_FENCE;
}

static const struct litmus_instruction *run(const struct litmus_test *test, uint32_t thread,
                                            struct machine_thread *machine, uint32_t rounds)
{
    if (machine->fence != NULL) {
        return machine->fence;
    }
    const struct litmus_instruction *next = within(test)->run(test, thread, machine, rounds);
    if (!is_operation(next) || machine->fencing == MACHINE_BEHIND_FENCE) {
        return next;
    }
    machine->fence = find_fence(test, next, LITMUS_EDIT_FENCE_BEFORE);
    return machine->fence != NULL ? machine->fence : next;
}

/* The thread is at an operation, or at a fence that was put before or after one. */
static void performed(const struct litmus_test *test, uint32_t thread,
                      struct machine_thread *machine, int64_t old, bool changed)
{
    if (machine->fence != NULL) {
        machine->fence = NULL;
        machine->fencing =
            machine->fencing == MACHINE_NO_FENCE ? MACHINE_BEHIND_FENCE : MACHINE_NO_FENCE;
        return;
    }
    const struct litmus_instruction *next = within(test)->run(test, thread, machine, 0);
    ASSERT(is_operation(next));
    machine->fence = find_fence(test, next, LITMUS_EDIT_FENCE_BEHIND);
    machine->fencing = machine->fence != NULL ? MACHINE_OPERATION_DONE : MACHINE_NO_FENCE;
    within(test)->performed(test, thread, machine, old, changed);
}

/* With a fence ahead that belongs to what was done, it is not yet where that leads. */
static bool is_open(const struct litmus_test *test, uint32_t thread,
                    const struct machine_thread *machine)
{
    return machine->fencing != MACHINE_OPERATION_DONE &&
           within(test)->is_open(test, thread, machine);
}

/* A change is of one line, and so of one thread, or of all work-items of a kernel. */
static bool alike(const struct litmus_test *test, uint32_t a, uint32_t b)
{
    const struct litmus_thread *x = &test->threads[a];
    const struct litmus_thread *y = &test->threads[b];
    bool same = within(test)->alike(test, a, b);
    for (size_t e = 0; e < test->edit_count; e++) {
        for (size_t i = 0; same && i < x->instruction_count; i++) {
            same = litmus_edit_means(&test->edits[e], &x->instructions[i]) ==
                   litmus_edit_means(&test->edits[e], &y->instructions[i]);
        }
    }
    return same;
}

void fences_init(struct fences *fences, const struct litmus_test *test)
{
    fences->within = test->machine;
    fences->machine = *test->machine;
    fences->machine.start = start;
    fences->machine.run = run;
    fences->machine.performed = performed;
    fences->machine.is_open = is_open;
    fences->machine.alike = alike;
}

void fences_have(struct fences *fences, struct litmus_test *test)
{
    bool some = false;
    for (size_t i = 0; i < test->edit_count; i++) {
        some = some || fences_is_one(&test->edits[i]);
    }
    test->machine = some ? &fences->machine : fences->within;
}

/* ---- graphs ---- */

/* Events, and what reads from them, are called by new names. */
static void rename_sources(struct graph *graph, const uint32_t *names)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        struct graph_event *event = &graph->events[i];
        event->reads_from =
            event->reads_from == GRAPH_INITIAL ? GRAPH_INITIAL : (int)names[event->reads_from];
    }
    for (uint32_t i = 0; i < graph->first_write[graph->location_capacity]; i++) {
        graph->writes[i] = names[graph->writes[i]];
    }
}

void fences_take_out(struct graph *graph, uint32_t *names)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        names[i] = count;
        if (!is_put_in(graph->test, graph->events[i].instruction)) {
            graph->events[count++] = graph->events[i];
        }
    }
    graph->count = count;
    rename_sources(graph, names);
}

static bool add_fence(struct graph *with, const struct graph_event *event,
                      enum litmus_edit_kind kind)
{
    const struct litmus_instruction *fence = find_fence(with->test, event->instruction, kind);
    if (fence != NULL && with->count < with->event_capacity) {
        graph_add(with, event->thread, fence);
        return true;
    }
    return fence == NULL;
}

bool fences_put_in(const struct graph *graph, struct graph *with, uint32_t *names)
{
    const uint32_t write_count = graph->first_write[graph->location_capacity];
    ASSERT(with->location_capacity >= graph->location_capacity);
    graph_start(with, graph->test, graph->machine);
    with->meeting_count = graph->meeting_count;
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct graph_event *event = &graph->events[i];
        if (!add_fence(with, event, LITMUS_EDIT_FENCE_BEFORE) ||
            with->count == with->event_capacity) {
            return false;
        }
        names[i] = with->count;
        with->events[with->count++] = *event;
        if (!add_fence(with, event, LITMUS_EDIT_FENCE_BEHIND)) {
            return false;
        }
    }
    memcpy(with->writes, graph->writes, write_count * sizeof *with->writes);
    for (uint32_t i = 0; i <= with->location_capacity; i++) {
        with->first_write[i] = i < graph->location_capacity ? graph->first_write[i] : write_count;
    }
    rename_sources(with, names);
    return true;
}
