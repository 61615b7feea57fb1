/* Load buffering: reads that take their value from a write after them.
 *
 * Each execution with such reads has one without beside it: the read takes another value instead,
 * and all that does not follow from its value is as it was. (What follows from it alone would come
 * out of thin air.) In that execution the write comes, by the order of threads, barriers and
 * reads-from, after the read, and the axioms would let the read have it: that is looked for here.
 *
 * An update that reads something else stands elsewhere in the modification order, so that other
 * updates read something else, too, and compare-exchanges fail or not. */
#include "checkers/litmus/graph.h"
#include "trace/base/assert.h"

#include <string.h>

/* Does b come after a by program order, or by a barrier at which both threads meet? */
static bool comes_behind(const struct graph *graph, uint32_t a, uint32_t b)
{
    const struct graph_event *first = &graph->events[a];
    const struct graph_event *second = &graph->events[b];
    const bool barriers = first->kind > ORACLE_FENCE && second->kind > ORACLE_FENCE;
    return a < b &&
           (first->thread == second->thread ||
            (barriers && !first->is_exit && second->is_exit && first->meeting == second->meeting));
}

/* What follows each event so, or reads it. */
static void find_next(const struct graph *graph, const struct graph_rows *rows)
{
    graph_clear(rows, graph->count);
    for (uint32_t a = 0; a < graph->count; a++) {
        for (uint32_t b = a + 1; b < graph->count; b++) {
            if (comes_behind(graph, a, b)) {
                graph_put(rows, a, b);
            }
        }
    }
    for (uint32_t a = 0; a < graph->count; a++) {
        const struct graph_event *event = &graph->events[a];
        if (oracle_reads(event->kind) && event->reads_from != GRAPH_INITIAL) {
            graph_put(rows, (uint32_t)event->reads_from, a);
        }
    }
}

static uint32_t place_of(const struct graph *graph, uint32_t write)
{
    const uint32_t location = graph->events[write].instruction->location;
    const uint32_t *const writes = graph_writes(graph, location);
    uint32_t place = 0;
    while (writes[place] != write) {
        ASSERT(place + 1 < graph_write_count(graph, location));
        place++;
    }
    return place;
}

/* How many updates there are from that place on of which each reads the one before. */
static uint32_t chain_length(const struct graph *graph, uint32_t location, uint32_t place)
{
    const uint32_t *const writes = graph_writes(graph, location);
    uint32_t length = 1;
    while (place + length < graph_write_count(graph, location) &&
           graph->events[writes[place + length]].kind == ORACLE_ATOMIC_UPDATE &&
           graph->events[writes[place + length]].reads_from == (int)writes[place + length - 1]) {
        length++;
    }
    return length;
}

/* An update that reads the write stands immediately after it, and so do those that read the
 * update, one after the other. False: the write is among them. */
static bool move_chain(struct graph *graph, uint32_t update, uint32_t write)
{
    const uint32_t location = graph->events[update].instruction->location;
    const uint32_t place = place_of(graph, update);
    const uint32_t count = chain_length(graph, location, place);
    const uint32_t goal = place_of(graph, write);
    if (goal >= place && goal < place + count) {
        return false;
    }
    uint32_t before = write;
    for (uint32_t i = 0; i < count; i++) {
        /* Those of the chain that are left stay where they are if the goal is behind them. */
        const uint32_t moved = graph_writes(graph, location)[goal > place ? place : place + i];
        graph_remove_write(graph, moved);
        graph_place_write(graph, moved, place_of(graph, before) + 1);
        before = moved;
    }
    graph->events[update].reads_from = (int)write;
    return true;
}

/* Events that read `from` read `to` now; of updates there is one at most. */
static void change_source(struct graph *graph, int from, int to, bool updates_only)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        struct graph_event *event = &graph->events[i];
        if (oracle_reads(event->kind) && event->reads_from == from &&
            (!updates_only || event->kind == ORACLE_ATOMIC_UPDATE)) {
            event->reads_from = (int)to;
        }
    }
}

/* The update alone comes after the write: the update that read it reads what it read before, and
 * the one that read the write reads it. */
static void move_alone(struct graph *graph, uint32_t update, uint32_t write)
{
    struct graph_event *event = &graph->events[update];
    change_source(graph, (int)update, event->reads_from, true);
    graph_remove_write(graph, update);
    change_source(graph, (int)write, (int)update, true);
    graph_place_write(graph, update, place_of(graph, write) + 1);
    event->reads_from = (int)write;
}

/* The compare-exchange fails, so it writes nothing. */
static void let_fail(struct graph *graph, uint32_t update, uint32_t write)
{
    struct graph_event *event = &graph->events[update];
    ASSERT(event->kind == ORACLE_ATOMIC_UPDATE);
    ASSERT(event->instruction->op == LITMUS_COMPARE_EXCHANGE);
    change_source(graph, (int)update, event->reads_from, false);
    graph_remove_write(graph, update);
    event->kind = ORACLE_ATOMIC_READ;
    event->order = event->instruction->failure_order;
    event->reads_from = (int)write;
}

/* An execution beside the one that is asked about. */
struct beside {
    struct graph *graph;
    struct graph_relations *relations;
};

/* Do the axioms allow the execution, and does the read depend on itself in it? */
static bool is_allowed(const struct beside *beside, uint32_t read)
{
    const struct graph *graph = beside->graph;
    const struct graph_rows *const rows = &beside->relations->scratch;
    find_next(graph, rows);
    graph_close(rows, graph->count);
    if (!graph_has(rows, read, read)) {
        return false;
    }
    graph_relate(graph, beside->relations);
    return graph_is_consistent(graph, beside->relations);
}

/* May the update have that write, and be one still? */
static bool may_update(const struct beside *beside, const struct graph *graph, uint32_t update,
                       uint32_t write)
{
    struct graph *const other = beside->graph;
    graph_copy(graph, other);
    if (move_chain(other, update, write) && is_allowed(beside, update)) {
        return true;
    }
    graph_copy(graph, other);
    move_alone(other, update, write);
    return is_allowed(beside, update);
}

/* May the read have that write? */
static bool may_read(const struct beside *beside, const struct graph *graph, uint32_t read,
                     uint32_t write)
{
    struct graph *const other = beside->graph;
    graph_copy(graph, other);
    if (graph->events[read].kind != ORACLE_ATOMIC_UPDATE) {
        other->events[read].reads_from = (int)write;
        return is_allowed(beside, read);
    }
    if (graph->events[read].instruction->op == LITMUS_COMPARE_EXCHANGE) {
        let_fail(other, read, write);
        if (is_allowed(beside, read)) {
            return true;
        }
    }
    return may_update(beside, graph, read, write);
}

/* May the update read what the compare-exchange writes, which failed because of it? */
static bool may_swap(const struct beside *beside, const struct graph *graph, uint32_t update,
                     uint32_t exchange)
{
    struct graph *const other = beside->graph;
    graph_copy(graph, other);
    struct graph_event *event = &other->events[exchange];
    ASSERT(event->kind == ORACLE_ATOMIC_READ); /* it failed */
    const int source = other->events[update].reads_from;
    event->kind = ORACLE_ATOMIC_UPDATE;
    event->order = event->instruction->order;
    event->reads_from = (int)source;
    graph_place_write(other, exchange, place_of(other, update));
    other->events[update].reads_from = (int)exchange;
    if (is_allowed(beside, update)) {
        return true;
    }
    if (other->events[update].instruction->op != LITMUS_COMPARE_EXCHANGE) {
        return false;
    }
    let_fail(other, update, exchange);
    return is_allowed(beside, update);
}

/* Could the read have what the event writes, or would write? */
static bool may_have(const struct beside *beside, const struct graph *graph, uint32_t read,
                     uint32_t event)
{
    const struct litmus_instruction *wanted = graph->events[read].instruction;
    const struct litmus_instruction *other = graph->events[event].instruction;
    if (!oracle_is_access(other->kind) || other->location != wanted->location) {
        return false;
    }
    return oracle_writes(graph->events[event].kind)
               ? may_read(beside, graph, read, event)
               : graph->events[read].kind == ORACLE_ATOMIC_UPDATE &&
                     other->op == LITMUS_COMPARE_EXCHANGE && may_swap(beside, graph, read, event);
}

bool graph_may_buffer(const struct graph *graph, const struct graph_relations *relations,
                      struct graph *other, struct graph_relations *of_other)
{
    const struct beside beside = {other, of_other};
    const struct graph_rows *const followers = &relations->scratch;
    find_next(graph, followers);
    graph_close(followers, graph->count);
    for (uint32_t read = 0; read < graph->count; read++) {
        if (!oracle_reads(graph->events[read].kind)) {
            continue;
        }
        const uint32_t location = graph->events[read].instruction->location;
        const struct graph_rows *const happens =
            &relations->happens[graph->test->locations[location].region];
        for (uint32_t event = 0; event < graph->count; event++) {
            if (graph_has(followers, read, event) && !graph_has(happens, read, event) &&
                may_have(&beside, graph, read, event)) {
                return true;
            }
        }
    }
    return false;
}
