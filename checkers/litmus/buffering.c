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
static void find_next(const struct graph *graph, uint64_t rows[GRAPH_EVENTS_MAX])
{
    for (uint32_t a = 0; a < graph->count; a++) {
        rows[a] = 0;
        for (uint32_t b = 0; b < graph->count; b++) {
            rows[a] |= comes_behind(graph, a, b) ? UINT64_C(1) << b : 0;
        }
    }
    for (uint32_t a = 0; a < graph->count; a++) {
        const struct graph_event *event = &graph->events[a];
        if (oracle_reads(event->kind) && event->reads_from != GRAPH_INITIAL) {
            rows[event->reads_from] |= UINT64_C(1) << a;
        }
    }
}

static uint32_t place_of(const struct graph *graph, uint32_t write)
{
    const uint8_t *const writes = graph->writes[graph->events[write].instruction->location];
    uint32_t place = 0;
    while (writes[place] != write) {
        ASSERT(place + 1 < graph->write_count[graph->events[write].instruction->location]);
        place++;
    }
    return place;
}

static void remove_writes(struct graph *graph, uint32_t location, uint32_t place, uint32_t count)
{
    uint8_t *const writes = graph->writes[location];
    ASSERT(place + count <= graph->write_count[location]);
    graph->write_count[location] -= (uint8_t)count;
    memmove(&writes[place], &writes[place + count], graph->write_count[location] - place);
}

/* How many updates there are from that place on of which each reads the one before. */
static uint32_t chain_length(const struct graph *graph, uint32_t location, uint32_t place)
{
    const uint8_t *const writes = graph->writes[location];
    uint32_t length = 1;
    while (place + length < graph->write_count[location] &&
           graph->events[writes[place + length]].kind == ORACLE_ATOMIC_UPDATE &&
           graph->events[writes[place + length]].reads_from == writes[place + length - 1]) {
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
    uint8_t chain[GRAPH_EVENTS_MAX];
    if (goal >= place && goal < place + count) {
        return false;
    }
    memcpy(chain, &graph->writes[location][place], count);
    remove_writes(graph, location, place, count);
    for (uint32_t i = 0; i < count; i++) {
        graph_place_write(graph, chain[i], place_of(graph, write) + 1 + i);
    }
    graph->events[update].reads_from = (int8_t)write;
    return true;
}

/* Events that read `from` read `to` now; of updates there is one at most. */
static void change_source(struct graph *graph, int from, int to, bool updates_only)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        struct graph_event *event = &graph->events[i];
        if (oracle_reads(event->kind) && event->reads_from == from &&
            (!updates_only || event->kind == ORACLE_ATOMIC_UPDATE)) {
            event->reads_from = (int8_t)to;
        }
    }
}

/* The update alone comes after the write: the update that read it reads what it read before, and
 * the one that read the write reads it. */
static void move_alone(struct graph *graph, uint32_t update, uint32_t write)
{
    struct graph_event *event = &graph->events[update];
    const uint32_t place = place_of(graph, update);
    change_source(graph, (int)update, event->reads_from, true);
    remove_writes(graph, event->instruction->location, place, 1);
    change_source(graph, (int)write, (int)update, true);
    graph_place_write(graph, update, place_of(graph, write) + 1);
    event->reads_from = (int8_t)write;
}

/* The compare-exchange fails, so it writes nothing. */
static void let_fail(struct graph *graph, uint32_t update, uint32_t write)
{
    struct graph_event *event = &graph->events[update];
    ASSERT(event->kind == ORACLE_ATOMIC_UPDATE);
    ASSERT(event->instruction->op == LITMUS_COMPARE_EXCHANGE);
    change_source(graph, (int)update, event->reads_from, false);
    remove_writes(graph, event->instruction->location, place_of(graph, update), 1);
    event->kind = ORACLE_ATOMIC_READ;
    event->order = event->instruction->failure_order;
    event->reads_from = (int8_t)write;
}

/* Do the axioms allow the execution, and does the read depend on itself in it? */
static bool is_allowed(const struct graph *graph, uint32_t read)
{
    uint64_t rows[GRAPH_EVENTS_MAX];
    struct graph_relations relations;
    find_next(graph, rows);
    graph_close(rows, graph->count);
    if ((rows[read] >> read & 1) == 0) {
        return false;
    }
    graph_relate(graph, &relations);
    return graph_is_consistent(graph, &relations);
}

/* May the update have that write, and be one still? */
static bool may_update(const struct graph *graph, uint32_t update, uint32_t write)
{
    struct graph other = *graph;
    if (move_chain(&other, update, write) && is_allowed(&other, update)) {
        return true;
    }
    other = *graph;
    move_alone(&other, update, write);
    return is_allowed(&other, update);
}

/* May the read have that write? */
static bool may_read(const struct graph *graph, uint32_t read, uint32_t write)
{
    struct graph other = *graph;
    if (graph->events[read].kind != ORACLE_ATOMIC_UPDATE) {
        other.events[read].reads_from = (int8_t)write;
        return is_allowed(&other, read);
    }
    if (graph->events[read].instruction->op == LITMUS_COMPARE_EXCHANGE) {
        let_fail(&other, read, write);
        if (is_allowed(&other, read)) {
            return true;
        }
    }
    return may_update(graph, read, write);
}

/* May the update read what the compare-exchange writes, which failed because of it? */
static bool may_swap(const struct graph *graph, uint32_t update, uint32_t exchange)
{
    struct graph other = *graph;
    struct graph_event *event = &other.events[exchange];
    ASSERT(event->kind == ORACLE_ATOMIC_READ); /* it failed */
    const int source = other.events[update].reads_from;
    event->kind = ORACLE_ATOMIC_UPDATE;
    event->order = event->instruction->order;
    event->reads_from = (int8_t)source;
    graph_place_write(&other, exchange, place_of(&other, update));
    other.events[update].reads_from = (int8_t)exchange;
    if (is_allowed(&other, update)) {
        return true;
    }
    if (other.events[update].instruction->op != LITMUS_COMPARE_EXCHANGE) {
        return false;
    }
    let_fail(&other, update, exchange);
    return is_allowed(&other, update);
}

/* Could the read have what the event writes, or would write? */
static bool may_have(const struct graph *graph, uint32_t read, uint32_t event)
{
    const struct litmus_instruction *wanted = graph->events[read].instruction;
    const struct litmus_instruction *other = graph->events[event].instruction;
    if (!oracle_is_access(other->kind) || other->location != wanted->location) {
        return false;
    }
    return oracle_writes(graph->events[event].kind)
               ? may_read(graph, read, event)
               : graph->events[read].kind == ORACLE_ATOMIC_UPDATE &&
                     other->op == LITMUS_COMPARE_EXCHANGE && may_swap(graph, read, event);
}

bool graph_may_buffer(const struct graph *graph, const struct graph_relations *relations)
{
    uint64_t followers[GRAPH_EVENTS_MAX];
    find_next(graph, followers);
    graph_close(followers, graph->count);
    for (uint32_t read = 0; read < graph->count; read++) {
        if (!oracle_reads(graph->events[read].kind)) {
            continue;
        }
        const uint32_t location = graph->events[read].instruction->location;
        const uint64_t *const happens = relations->happens[graph->test->locations[location].region];
        uint64_t left = followers[read] & ~happens[read];
        for (; left != 0; left &= left - 1) {
            if (may_have(graph, read, (uint32_t)__builtin_ctzll(left))) {
                return true;
            }
        }
    }
    return false;
}
