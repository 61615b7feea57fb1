/* What comes after what in any execution, load buffering included: a read may take its value from a
 * write that its thread, or one that it tells something, performs later, unless that write depends
 * on the read. So a write has before it
 *
 * - the reads whose values decide what it writes, or that it comes to be performed at all;
 * - what the thread did at its location before;
 * - all before a release, a fence or a barrier, if it is that or comes after it;
 * - acquires and plain reads, if it comes after them.
 *
 * As a set of reads: an event that is no such loose read is before all that have its reads. */
#include "checkers/litmus/graph.h"

#include <string.h>

bool graph_is_loose(const struct graph_event *event)
{
    const struct litmus_instruction *instruction = event->instruction;
    return graph_may_read(event) && oracle_is_atomic(instruction->kind) &&
           !oracle_acquires(instruction->order) && event->number < GRAPH_LAST_NUMBER;
}

/* A thread, as far as it was looked at. */
struct own_order {
    uint64_t all;                          /* its reads */
    uint64_t behind;                       /* that whatever follows comes after */
    uint64_t reads[GRAPH_LAST_NUMBER + 1]; /* that the read of that number comes after */
};

static bool is_stop(const struct graph_event *event)
{
    return !graph_is_hole(event) &&
           (event->kind > ORACLE_FENCE ||
            (event->kind == ORACLE_FENCE && event->order != ORACLE_RELAXED));
}

static uint64_t bit_of(const struct graph_event *event)
{
    return graph_may_read(event) ? UINT64_C(1) << event->number : 0;
}

/* What the event, which comes next, comes after. `own` are those of the `count` before it. */
static uint64_t find_one(const struct graph *graph, const uint64_t own[], uint32_t count,
                         const struct own_order *order, const struct graph_event *event)
{
    const bool writes = event->is_half || oracle_writes(event->kind);
    if (is_stop(event) || (writes && oracle_releases(event->order))) {
        return order->all;
    }
    uint64_t found = order->behind;
    const uint64_t direct =
        event->instruction->op < LITMUS_FENCE ? event->needs | event->follows : 0;
    for (uint64_t left = direct; left != 0; left &= left - 1) {
        const int number = __builtin_ctzll(left);
        found |= UINT64_C(1) << number | order->reads[number];
    }
    for (uint32_t i = 0; event->instruction->op < LITMUS_FENCE && i < count; i++) {
        const struct graph_event *before = &graph->events[i];
        if (before->thread == event->thread && before->instruction->op < LITMUS_FENCE &&
            before->instruction->location == event->instruction->location) {
            found |= own[i] | bit_of(before);
        }
    }
    return found;
}

static void pass(struct own_order *order, const struct graph_event *event, uint64_t own)
{
    if (graph_may_read(event)) {
        order->reads[event->number] |= own;
        order->all |= bit_of(event);
        order->behind |= graph_is_loose(event) ? 0 : own | bit_of(event);
    } else if (is_stop(event)) {
        order->behind = order->all;
    }
}

void graph_find_own(const struct graph *graph, uint64_t own[])
{
    for (uint32_t t = 0; t < graph->test->thread_count; t++) {
        struct own_order order = {0};
        for (uint32_t i = 0; i < graph->count; i++) {
            if (graph->events[i].thread == t) {
                own[i] = find_one(graph, own, i, &order, &graph->events[i]);
                pass(&order, &graph->events[i], own[i]);
            }
        }
    }
}

uint64_t graph_own_of_next(const struct graph *graph, const uint64_t own[],
                           const struct graph_event *next)
{
    struct own_order order = {0};
    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->events[i].thread == next->thread) {
            pass(&order, &graph->events[i], own[i]);
        }
    }
    return find_one(graph, own, graph->count, &order, next);
}

/* If it exchanges it acquires, else not: so what it reads decides whether what follows may come
 * before it, and all of that needs it. */
static bool decides_itself(const struct graph_event *event)
{
    const struct litmus_instruction *instruction = event->instruction;
    return instruction->op == LITMUS_COMPARE_EXCHANGE && oracle_acquires(instruction->order) &&
           !oracle_acquires(instruction->failure_order);
}

/* Does b, of the same thread and later, come after a? */
static bool follows(const struct graph *graph, enum graph_between between, const uint64_t own[],
                    uint32_t a, uint32_t b)
{
    const struct graph_event *first = &graph->events[a];
    const struct graph_event *second = &graph->events[b];
    switch (between) {
    case GRAPH_DEPENDING:
        return graph_stays_behind(first, own[a], own[b]);
    case GRAPH_NEEDING:
        return first->kind > ORACLE_FENCE || second->kind > ORACLE_FENCE || decides_itself(first) ||
               (second->needs & bit_of(first)) != 0;
    default:
        return true;
    }
}

static bool meets(const struct graph_event *entry, const struct graph_event *exit)
{
    return entry->kind > ORACLE_FENCE && exit->kind > ORACLE_FENCE && !entry->is_exit &&
           exit->is_exit && entry->meeting == exit->meeting;
}

/* By one step; or leaving out what updates read. */
static void find_steps(const struct graph *graph, enum graph_between between, bool leave_updates,
                       const struct graph_relations *relations)
{
    const struct graph_rows *const rows = &relations->next[between];
    if (between == GRAPH_DEPENDING) {
        graph_find_own(graph, relations->own);
    }
    graph_clear(rows, graph->count);
    for (uint32_t a = 0; a < graph->count; a++) {
        const struct graph_event *first = &graph->events[a];
        for (uint32_t b = a + 1; b < graph->count; b++) {
            const struct graph_event *second = &graph->events[b];
            if ((first->thread == second->thread &&
                 follows(graph, between, relations->own, a, b)) ||
                meets(first, second)) {
                graph_put(rows, a, b);
            }
        }
        if (oracle_reads(first->kind) && first->reads_from != GRAPH_INITIAL &&
            !(leave_updates && first->kind == ORACLE_ATOMIC_UPDATE)) {
            graph_put(rows, (uint32_t)first->reads_from, a);
        }
    }
}

void graph_find_next(const struct graph *graph, enum graph_between between,
                     const struct graph_relations *relations)
{
    find_steps(graph, between, between == GRAPH_NEEDING, relations);
    graph_close(&relations->next[between], graph->count);
}

bool graph_has_cycle(const struct graph *graph, enum graph_between between,
                     const struct graph_relations *relations)
{
    const struct graph_rows *const rows = &relations->next[between];
    const uint32_t words = graph_words(graph->count);
    uint64_t *const left = graph_row(rows, graph->count); /* there is one row more than events */
    uint32_t count = graph->count;
    find_steps(graph, between, false, relations);
    memset(left, UINT8_MAX, words * sizeof *left);
    if (graph->count % 64 != 0) {
        left[words - 1] = (UINT64_C(1) << graph->count % 64) - 1;
    }
    for (bool some = true; some && count > 0;) { /* those go that nothing left comes after */
        some = false;
        for (uint32_t event = graph->count; event-- > 0;) {
            bool last = (left[event / 64] >> event % 64 & 1) != 0;
            for (uint32_t i = 0; last && i < words; i++) {
                last = (graph_row(rows, event)[i] & left[i]) == 0;
            }
            left[event / 64] &= ~((uint64_t)last << event % 64);
            count -= last;
            some = some || last;
        }
    }
    return count > 0;
}

bool graph_is_buffered(const struct graph *graph, const struct graph_relations *relations)
{
    bool some = false; /* else the events stand in an order in which they can come */
    for (uint32_t i = 0; i < graph->count; i++) {
        some =
            some || (oracle_reads(graph->events[i].kind) && graph->events[i].reads_from > (int)i);
    }
    return some && graph_has_cycle(graph, GRAPH_PROGRAM, relations);
}
