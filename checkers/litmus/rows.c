/* The storage of graphs, and sets of events: rows of bits. */
#include "checkers/litmus/graph.h"

#include "trace/base/alloc.h"

#include <string.h>

bool graph_create(struct graph *graph, uint32_t event_capacity, uint32_t location_capacity)
{
    *graph = (struct graph){
        .event_capacity = event_capacity,
        .location_capacity = location_capacity,
        .events = alloc_zero(event_capacity, sizeof *graph->events),
        .writes = alloc_zero(event_capacity, sizeof *graph->writes),
        .first_write = alloc_zero(location_capacity + 1, sizeof *graph->first_write),
    };
    if (graph->events == NULL || graph->writes == NULL || graph->first_write == NULL) {
        graph_release(graph);
        return false;
    }
    return true;
}

void graph_release(struct graph *graph)
{
    alloc_free(graph->events);
    alloc_free(graph->writes);
    alloc_free(graph->first_write);
    *graph = (struct graph){0};
}

size_t graph_size(uint32_t event_capacity, uint32_t location_capacity)
{
    return event_capacity * (sizeof(struct graph_event) + sizeof(uint32_t)) +
           (location_capacity + 1) * sizeof(uint32_t);
}

enum { MATRICES = 4 + ORACLE_REGION_COUNT, SETS = 4 };

static size_t words_of_relations(uint32_t event_capacity)
{
    return ((event_capacity + (size_t)1) * MATRICES + SETS) * graph_words(event_capacity) +
           event_capacity;
}

size_t graph_relations_size(uint32_t event_capacity)
{
    return words_of_relations(event_capacity) * sizeof(uint64_t) +
           event_capacity * sizeof(uint32_t);
}

bool graph_relations_create(struct graph_relations *relations, uint32_t event_capacity)
{
    const uint32_t stride = graph_words(event_capacity);
    const size_t size = (event_capacity + (size_t)1) * stride; /* one row more: see close_row */
    uint64_t *words = alloc_zero(words_of_relations(event_capacity), sizeof *words);
    uint32_t *place = alloc_zero(event_capacity, sizeof *place);
    if (words == NULL || place == NULL) {
        alloc_free(words);
        alloc_free(place);
        *relations = (struct graph_relations){0};
        return false;
    }
    *relations = (struct graph_relations){
        .place = place,
        .sequenced = {words, stride},
        .scratch = {words + size, stride},
        .sets = {words + MATRICES * size, stride},
        .own = words + MATRICES * size + (size_t)SETS * stride,
    };
    relations->next[GRAPH_PROGRAM] = relations->scratch;
    relations->next[GRAPH_DEPENDING] = (struct graph_rows){words + 2 * size, stride};
    relations->next[GRAPH_NEEDING] = (struct graph_rows){words + 3 * size, stride};
    for (uint32_t region = 0; region < ORACLE_REGION_COUNT; region++) {
        relations->happens[region] = (struct graph_rows){words + (4 + region) * size, stride};
    }
    return true;
}

void graph_relations_release(struct graph_relations *relations)
{
    alloc_free(relations->place);
    alloc_free(relations->sequenced.words);
    *relations = (struct graph_relations){0};
}

/* ---- sets ---- */

void graph_unite(uint64_t *set, const uint64_t *other, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) {
        set[i] |= other[i];
    }
}

void graph_clear(const struct graph_rows *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        memset(graph_row(rows, i), 0, graph_words(count) * sizeof *rows->words);
    }
}

/* The rows of all that comes after the event are closed. A row is joined only if no other one that
 * was joined has its event, so of each thread one. */
static void close_row(const struct graph_rows *rows, uint32_t event, uint32_t count)
{
    const uint32_t words = graph_words(count);
    uint64_t *const row = graph_row(rows, event);
    uint64_t *const joined = graph_row(rows, count); /* there is one more than events */
    memset(joined, 0, words * sizeof *joined);
    for (uint32_t word = event / 64; word < words; word++) {
        uint64_t left;
        while ((left = row[word] & ~joined[word]) != 0) {
            const uint32_t next = word * 64 + (uint32_t)__builtin_ctzll(left);
            graph_unite(joined, graph_row(rows, next), words);
            joined[word] |= left & (~left + 1);
        }
    }
    graph_unite(row, joined, words);
}

/* Is each event before all of its row? */
static bool goes_forward(const struct graph_rows *rows, uint32_t count)
{
    bool forward = true;
    for (uint32_t event = 0; forward && event < count; event++) {
        const uint64_t *const row = graph_row(rows, event);
        for (uint32_t word = 0; word < event / 64; word++) {
            forward = forward && row[word] == 0;
        }
        forward = forward && (row[event / 64] & (UINT64_MAX >> (63 - event % 64))) == 0;
    }
    return forward;
}

void graph_close(const struct graph_rows *rows, uint32_t count)
{
    const uint32_t words = graph_words(count);
    if (goes_forward(rows, count)) {
        for (uint32_t event = count; event-- > 0;) {
            close_row(rows, event, count);
        }
        return;
    }
    for (uint32_t via = 0; via < count; via++) {
        for (uint32_t a = 0; a < count; a++) {
            if (graph_has(rows, a, via)) {
                graph_unite(graph_row(rows, a), graph_row(rows, via), words);
            }
        }
    }
}

bool graph_is_irreflexive(const struct graph_rows *rows, uint32_t count)
{
    for (uint32_t a = 0; a < count; a++) {
        if (graph_has(rows, a, a)) {
            return false;
        }
    }
    return true;
}
