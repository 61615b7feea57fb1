/* Commands against a plain graph: whatever queues, wait lists, barriers, user events and waiting
 * hosts a random program has, `follows` is what the transitive closure of its edges says. */
#include "checkers/order/commands.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 60, QUEUES = 4, ACROSS = QUEUES, PROGRAMS = 400 };

static uint64_t state_of_random = 11;

static uint32_t draw(uint32_t below)
{
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return (uint32_t)((state_of_random >> 20) % below);
}

/* The definition: a graph of what directly comes before what. */
struct graph {
    bool edge[NODES][NODES]; /* [later][earlier] */
    bool known[NODES];       /* to the host, directly */
    int queue[NODES];        /* -1: of none, ACROSS: of several, */
    bool spans[NODES][QUEUES];
    bool bars[NODES];
    bool unset[NODES]; /* a user event */
    int count;
};

struct program {
    struct graph graph;
    struct commands *commands;
    struct commands_queue *queues[QUEUES];
    bool in_order[QUEUES];
    struct ordered_command *nodes[NODES];
};

static void close_over(const struct graph *graph, int node, bool *reached)
{
    for (int i = 0; i < graph->count; i++) {
        if (graph->edge[node][i] && !reached[i]) {
            reached[i] = true;
            close_over(graph, i, reached);
        }
    }
}

static void knows(const struct graph *graph, bool *reached)
{
    for (int i = 0; i < graph->count; i++) {
        if (graph->known[i] && !reached[i]) {
            reached[i] = true;
            close_over(graph, i, reached);
        }
    }
}

static int add_node(struct program *program, struct ordered_command *node, int queue)
{
    struct graph *graph = &program->graph;
    const int index = graph->count++;
    assert_non_null(node);
    program->nodes[index] = node;
    graph->queue[index] = queue;
    return index;
}

/* A wait list of the next node. */
static size_t draw_events(struct program *program, struct ordered_command **events)
{
    struct graph *graph = &program->graph;
    const size_t count = graph->count > 0 ? draw(4) : 0;
    for (size_t i = 0; i < count; i++) {
        const int event = (int)draw((uint32_t)graph->count);
        events[i] = program->nodes[event];
        graph->edge[graph->count][event] = true;
    }
    return count;
}

static void enqueue(struct program *program)
{
    struct graph *graph = &program->graph;
    struct ordered_command *events[3];
    const int queue = (int)draw(QUEUES);
    const int index = graph->count;
    struct commands_request request = {.queue = program->queues[queue],
                                       .events = events,
                                       .event_count = draw_events(program, events),
                                       .orders = draw(4) == 0};
    request.bars = request.orders && draw(2) == 0;
    const bool waits_all = request.orders && request.event_count == 0;
    for (int i = 0; i < index; i++) {
        const bool before =
            graph->queue[i] == queue && (program->in_order[queue] || graph->bars[i] || waits_all);
        const bool beside = graph->spans[i][queue] && waits_all;
        graph->edge[index][i] |= before || beside || graph->known[i];
    }
    add_node(program, commands_enqueue(program->commands, &request), queue);
    graph->bars[index] = request.bars;
}

static void enqueue_across(struct program *program)
{
    struct graph *graph = &program->graph;
    struct ordered_command *events[3];
    struct commands_queue *queues[QUEUES];
    const int index = graph->count;
    struct commands_span span = {
        .queues = queues, .events = events, .event_count = draw_events(program, events)};
    for (int queue = 0; queue < QUEUES; queue++) {
        if (draw(2) == 0)
            continue;
        queues[span.queue_count++] = program->queues[queue];
        graph->spans[index][queue] = true;
        for (int i = 0; i < index; i++)
            graph->edge[index][i] |= graph->queue[i] == queue && graph->bars[i];
    }
    for (int i = 0; i < index; i++)
        graph->edge[index][i] |= graph->known[i];
    add_node(program, commands_enqueue_across(program->commands, &span), ACROSS);
}

static bool is_settled(const struct graph *graph, int node)
{
    bool reached[NODES] = {false};
    reached[node] = true;
    close_over(graph, node, reached);
    for (int i = 0; i < graph->count; i++) {
        if (reached[i] && graph->unset[i])
            return false;
    }
    return true;
}

static void set_event(struct program *program, int node)
{
    struct graph *graph = &program->graph;
    for (int i = 0; i < graph->count; i++)
        graph->edge[node][i] = i != node && graph->known[i];
    graph->unset[node] = false;
    commands_set_user_event(program->commands, program->nodes[node]);
}

/* By a command of a queue that can have ended. */
static void end_event(struct program *program, int node)
{
    struct graph *graph = &program->graph;
    const int by = (int)draw((uint32_t)graph->count);
    if (graph->queue[by] < 0 || !is_settled(graph, by))
        return;
    graph->edge[node][by] = true;
    graph->unset[node] = false;
    commands_end_user_event(program->commands, program->nodes[node], program->nodes[by]);
}

/* The host learns only of what can have ended. */
static void host_waits(struct program *program)
{
    struct graph *graph = &program->graph;
    const int node = (int)draw((uint32_t)graph->count);
    if (is_settled(graph, node)) {
        graph->known[node] = true;
        commands_host_waited(program->commands, program->nodes[node]);
    }
}

static void host_finishes(struct program *program)
{
    struct graph *graph = &program->graph;
    const int queue = (int)draw(QUEUES);
    for (int i = 0; i < graph->count; i++) {
        if ((graph->queue[i] == queue || graph->spans[i][queue]) && !is_settled(graph, i))
            return;
    }
    for (int i = 0; i < graph->count; i++)
        graph->known[i] |= graph->queue[i] == queue || graph->spans[i][queue];
    commands_host_finished(program->commands, program->queues[queue]);
}

static void step(struct program *program)
{
    struct graph *graph = &program->graph;
    const uint32_t what = draw(13);
    if (what < 7 || graph->count == 0) {
        enqueue(program);
    } else if (what == 12) {
        enqueue_across(program);
    } else if (what == 7) {
        graph->unset[add_node(program, commands_create_user_event(program->commands), -1)] = true;
    } else if (what == 8) {
        const int node = (int)draw((uint32_t)graph->count);
        if (graph->unset[node] && draw(2) == 0)
            set_event(program, node);
        else if (graph->unset[node])
            end_event(program, node);
    } else if (what == 9) {
        host_finishes(program);
    } else {
        host_waits(program);
    }
}

static void compare(const struct program *program)
{
    const struct graph *graph = &program->graph;
    bool host[NODES] = {false};
    knows(graph, host);
    for (int later = 0; later < graph->count; later++) {
        bool reached[NODES] = {false};
        close_over(graph, later, reached);
        assert_int_equal(command_is_settled(program->nodes[later]), is_settled(graph, later));
        for (int earlier = 0; earlier < graph->count; earlier++) {
            if (graph->queue[earlier] < 0 || graph->queue[later] < 0)
                continue; /* nobody asks about user events */
            assert_int_equal(
                command_follows(program->commands, program->nodes[later], program->nodes[earlier]),
                reached[earlier]);
            assert_int_equal(commands_host_knows(program->commands, program->nodes[earlier]),
                             host[earlier]);
        }
    }
}

static void begin(struct program *program)
{
    *program = (struct program){.commands = commands_create()};
    for (int i = 0; i < QUEUES; i++) {
        program->in_order[i] = draw(2) == 0;
        program->queues[i] = commands_queue_create(program->commands, program->in_order[i]);
    }
}

static void end(struct program *program)
{
    for (int i = 0; i < program->graph.count; i++)
        command_drop(program->nodes[i]);
    for (int i = 0; i < QUEUES; i++)
        commands_queue_destroy(program->commands, program->queues[i]);
    commands_destroy(program->commands);
}

static void follows_is_the_closure(void **state)
{
    (void)state;
    for (int i = 0; i < PROGRAMS; i++) {
        struct program program;
        begin(&program);
        while (program.graph.count < NODES) {
            step(&program);
            if (draw(16) == 0)
                compare(&program);
        }
        for (int node = 0; node < NODES; node++) {
            if (program.graph.unset[node])
                set_event(&program, node);
        }
        compare(&program);
        end(&program);
    }
}

static struct ordered_command *enqueue_in(struct commands *commands, struct commands_queue *queue,
                                          struct ordered_command *event, bool orders)
{
    return commands_enqueue(commands, &(struct commands_request){.queue = queue,
                                                                 .events = &event,
                                                                 .event_count = event != NULL,
                                                                 .orders = orders});
}

static void a_marker_with_a_list_is_named(void **state)
{
    (void)state;
    struct commands *commands = commands_create();
    struct commands_queue *queue = commands_queue_create(commands, false);
    struct ordered_command *first = enqueue_in(commands, queue, NULL, false);
    struct ordered_command *other = enqueue_in(commands, queue, NULL, false);
    struct ordered_command *marker = enqueue_in(commands, queue, other, true);
    struct ordered_command *last = enqueue_in(commands, queue, marker, false);
    assert_false(command_follows(commands, last, first));
    assert_true(command_follows(commands, last, other));
    assert_int_equal(command_why_unordered(first, last), COMMAND_LIST_BETWEEN);
    command_note_status_asked(first);
    assert_int_equal(command_why_unordered(first, other), COMMAND_STATUS_ASKED);
    command_drop(first);
    command_drop(other);
    command_drop(marker);
    command_drop(last);
    commands_queue_destroy(commands, queue);
    commands_destroy(commands);
}

static void what_was_refused_need_not_be_flushed(void **state)
{
    (void)state;
    struct commands *commands = commands_create();
    struct commands_queue *queue = commands_queue_create(commands, true);
    struct ordered_command *refused = enqueue_in(commands, queue, NULL, false);
    assert_true(commands_has_unflushed(commands, queue));
    commands_refused(refused);
    assert_false(commands_has_unflushed(commands, queue));
    struct ordered_command *kept = enqueue_in(commands, queue, NULL, false);
    struct ordered_command *later = enqueue_in(commands, queue, NULL, false);
    commands_refused(later);
    assert_true(commands_has_unflushed(commands, queue));
    command_drop(refused);
    command_drop(kept);
    command_drop(later);
    commands_queue_destroy(commands, queue);
    commands_destroy(commands);
}

/* Neither way in a queue that is in order, which a barrier mends, and a marker for itself. */
static void what_spans_queues_has_no_place_in_them(void **state)
{
    (void)state;
    struct commands *commands = commands_create();
    struct commands_queue *queues[] = {commands_queue_create(commands, true),
                                       commands_queue_create(commands, true)};
    const struct commands_span span = {.queues = queues, .queue_count = 2};
    struct ordered_command *first = enqueue_in(commands, queues[0], NULL, false);
    struct ordered_command *spanning = commands_enqueue_across(commands, &span);
    assert_false(commands_has_unflushed(commands, queues[0]));
    struct ordered_command *second = enqueue_in(commands, queues[0], NULL, false);
    struct ordered_command *marker = enqueue_in(commands, queues[1], NULL, true);
    assert_true(command_follows(commands, second, first));
    assert_false(command_follows(commands, spanning, first));
    assert_false(command_follows(commands, second, spanning));
    assert_true(command_follows(commands, marker, spanning));
    assert_int_equal(command_why_unordered(first, spanning),
                     COMMAND_QUEUES_DIFFER | COMMAND_LATER_ACROSS);
    assert_int_equal(command_why_unordered(spanning, second),
                     COMMAND_QUEUES_DIFFER | COMMAND_EARLIER_ACROSS);
    commands_host_finished(commands, queues[0]);
    assert_true(commands_host_knows(commands, spanning));
    command_drop(first);
    command_drop(spanning);
    command_drop(second);
    command_drop(marker);
    for (size_t i = 0; i < 2; i++)
        commands_queue_destroy(commands, queues[i]);
    commands_destroy(commands);
}

static void queues_come_and_go(void **state)
{
    (void)state;
    struct commands *commands = commands_create();
    struct commands_queue *old = commands_queue_create(commands, true);
    assert_false(commands_are_concurrent(commands));
    struct ordered_command *first = enqueue_in(commands, old, NULL, false);
    commands_queue_destroy(commands, old);
    struct commands_queue *queue = commands_queue_create(commands, true);
    struct ordered_command *second = enqueue_in(commands, queue, NULL, false);
    assert_false(command_follows(commands, second, first));
    assert_false(command_follows(commands, first, second));
    struct commands_queue *third = commands_queue_create(commands, true);
    assert_true(commands_are_concurrent(commands));
    command_drop(first);
    command_drop(second);
    commands_queue_destroy(commands, third);
    commands_queue_destroy(commands, queue);
    commands_destroy(commands);
}

/* Without memory nothing is called unordered that is ordered. */
static void failures_order(void **state)
{
    (void)state;
    const uint64_t live = alloc_live_count();
    for (uint64_t n = 1; n < 30; n++) {
        alloc_fail_at(n);
        struct commands *commands = commands_create();
        struct commands_queue *queue = commands ? commands_queue_create(commands, true) : NULL;
        if (queue) {
            struct ordered_command *first = enqueue_in(commands, queue, NULL, false);
            struct ordered_command *second = enqueue_in(commands, queue, first, false);
            assert_true(command_follows(commands, second, first));
            command_drop(first);
            command_drop(second);
            commands_queue_destroy(commands, queue);
        }
        commands_destroy(commands);
        alloc_fail_at(0);
        assert_int_equal(alloc_live_count(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_is_the_closure),
        cmocka_unit_test(a_marker_with_a_list_is_named),
        cmocka_unit_test(what_was_refused_need_not_be_flushed),
        cmocka_unit_test(what_was_refused_need_not_be_flushed),
        cmocka_unit_test(what_spans_queues_has_no_place_in_them),
        cmocka_unit_test(queues_come_and_go),
        cmocka_unit_test(failures_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
