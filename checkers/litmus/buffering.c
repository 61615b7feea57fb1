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

/* What is asked about: an execution, and one beside it, with relations of each. */
struct beside {
    bool in_order;
    const struct graph_relations *own;
    bool followed; /* own->next are known, all of them */
    struct graph *graph;
    struct graph_relations *relations;
};

static bool is_consistent(const struct beside *beside)
{
    graph_relate(beside->graph, beside->relations);
    return graph_is_consistent(beside->graph, beside->relations);
}

/* Do the axioms allow the execution, in which the read comes after itself, and is it none that is
 * built? What is needed is needed in all executions: such values would come out of thin air. */
static bool is_allowed(const struct beside *beside, uint32_t read)
{
    const struct graph *graph = beside->graph;
    if (beside->in_order) {
        graph_find_next(graph, GRAPH_PROGRAM, beside->relations);
        return graph_has(&beside->relations->next[GRAPH_PROGRAM], read, read) &&
               is_consistent(beside);
    }
    return !graph_has_cycle(graph, GRAPH_NEEDING, beside->relations) &&
           graph_has_cycle(graph, GRAPH_DEPENDING, beside->relations) && is_consistent(beside);
}

/* Is the write needless of the read, but kept behind it, whatever updates read? */
static bool may_be_left_out(struct beside *beside, const struct graph *graph, uint32_t read,
                            uint32_t write)
{
    if (!beside->in_order && !beside->followed) {
        graph_find_next(graph, GRAPH_DEPENDING, beside->own);
        graph_find_next(graph, GRAPH_NEEDING, beside->own);
        beside->followed = true;
    }
    return beside->in_order || (graph_has(&beside->own->next[GRAPH_DEPENDING], read, write) &&
                                !graph_has(&beside->own->next[GRAPH_NEEDING], read, write));
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
static bool may_read(struct beside *beside, const struct graph *graph, uint32_t read,
                     uint32_t write)
{
    struct graph *const other = beside->graph;
    if (!may_be_left_out(beside, graph, read, write)) {
        return false;
    }
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
static bool may_have(struct beside *beside, const struct graph *graph, uint32_t read,
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

/* Does the read happen before the event, whatever it reads? An update that is moved synchronises by
 * itself no longer. */
static bool stays_before(const struct graph *graph, const struct graph_relations *relations,
                         uint32_t read, uint32_t event)
{
    const struct graph_event *e = &graph->events[read];
    const uint32_t location = e->instruction->location;
    const struct graph_rows *const happens =
        &relations->happens[graph->test->locations[location].region];
    bool stays = graph_has(happens, read, event);
    if (stays && e->kind == ORACLE_ATOMIC_UPDATE && oracle_releases(e->order)) {
        stays = graph_has(&relations->sequenced, read, event);
        for (uint32_t later = read + 1; !stays && later < graph->count; later++) {
            stays =
                graph_has(&relations->sequenced, read, later) && graph_has(happens, later, event);
        }
    }
    return stays;
}

bool graph_may_buffer(const struct graph *graph, const struct graph_relations *relations,
                      bool in_order, struct graph *other, struct graph_relations *of_other)
{
    struct beside beside = {
        .in_order = in_order, .own = relations, .graph = other, .relations = of_other};
    const struct graph_rows *const followers = &relations->next[GRAPH_PROGRAM];
    graph_find_next(graph, GRAPH_PROGRAM, relations);
    for (uint32_t read = 0; read < graph->count; read++) {
        const enum oracle_kind kind = graph->events[read].kind;
        if (!oracle_reads(kind) || (!in_order && !oracle_is_atomic(kind))) {
            continue;
        }
        for (uint32_t event = 0; event < graph->count; event++) {
            if (event != read && graph_has(followers, read, event) &&
                !stays_before(graph, relations, read, event) &&
                may_have(&beside, graph, read, event)) {
                return true;
            }
        }
    }
    return false;
}
