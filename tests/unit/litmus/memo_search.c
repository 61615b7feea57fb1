#include "tests/unit/litmus/memo_search.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include "trace/base/hash.h"
#include <string.h>

struct seen {
    UT_hash_handle hh;
    bool ends; /* some execution that goes on from there */
    uint16_t key[];
};

struct memo {
    struct search *search;
    struct seen *seen;
    struct arena keys;
    uint64_t key_count;
    struct state *states[MEMO_EVENTS_MAX + 2]; /* by depth */
    struct litmus_choices choices;
};

/* ---- states seen before ---- */

/* Events by a number that does not depend on the order in which the graph was built. */
size_t memo_key(const struct litmus_test *test, const struct graph *graph,
                uint16_t key[MEMO_KEY_MAX])
{
    uint16_t names[MEMO_EVENTS_MAX] = {0};
    uint16_t counts[LITMUS_THREADS_MAX] = {0};
    size_t size = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        const uint32_t thread = graph->events[i].thread;
        names[i] = (uint16_t)(1 + thread * MEMO_EVENTS_MAX + counts[thread]++);
    }
    for (uint32_t t = 0; t < test->thread_count; t++) {
        key[size++] = counts[t];
        for (uint32_t i = 0; i < graph->count; i++) {
            const struct graph_event *event = &graph->events[i];
            if (event->thread == t) {
                key[size++] = event->reads_from == GRAPH_INITIAL ? 0 : names[event->reads_from];
            }
        }
    }
    /* Locations without writes at the end do not count: some may not be known yet. */
    uint32_t locations = (uint32_t)test->location_count;
    while (locations > 0 && graph_write_count(graph, locations - 1) == 0) {
        locations--;
    }
    for (uint32_t location = 0; location < locations; location++) {
        key[size++] = (uint16_t)graph_write_count(graph, location);
        for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
            key[size++] = names[graph_writes(graph, location)[i]];
        }
    }
    ASSERT(size <= MEMO_KEY_MAX);
    return size * sizeof *key;
}

/* What is known of the state, and whether it was there before; it is now. */
static enum status remember(struct memo *memo, const struct graph *graph, struct seen **seen,
                            bool *known, struct error *error)
{
    uint16_t key[MEMO_KEY_MAX];
    const size_t size = memo_key(memo->search->test, graph, key);
    HASH_FIND(hh, memo->seen, key, size, *seen);
    *known = *seen != NULL;
    if (*known) {
        return STATUS_OK;
    }
    struct seen *made = arena_alloc(&memo->keys, 1, sizeof *made + size);
    if (made == NULL) {
        return error_no_memory(error, sizeof *made + size);
    }
    memcpy(made->key, key, size);
    HASH_ADD(hh, memo->seen, key, size, made);
    if (made->hh.tbl == NULL) { /* it could not be added */
        return error_no_memory(error, size);
    }
    memo->key_count++;
    *seen = made;
    return STATUS_OK;
}

static void forget(struct memo *memo)
{
    HASH_CLEAR(hh, memo->seen);
    arena_release(&memo->keys);
    memo->key_count = 0;
}

/* No execution that goes through the state ends. That is a hang if no thread is in a round of a
 * loop that may be left out. Of several such states the first that is left is the last one on its
 * way. */
static void note_hang(struct search *search, const struct state *state)
{
    const struct litmus_test *test = search->test;
    bool open = true;
    for (uint32_t t = 0; t < test->thread_count; t++) {
        open = open && test->machine->is_open(test, t, &state->threads[t]);
    }
    if (open && !search->hangs) {
        search->hangs = true;
        search->hang.weak = search->weak;
        search->hang.count = 0;
        memcpy(search->hang_at, state->next, sizeof search->hang_at);
    }
}

static bool make_state(struct memo *memo, uint32_t depth)
{
    if (memo->states[depth] == NULL) {
        memo->states[depth] = search_make_state(memo->search);
    }
    return memo->states[depth] != NULL;
}

/* Goes through all that can follow the state of that depth; *ends: some execution does end. A round
 * of a loop that changes nothing leads nowhere, as what it leads to is there without it. Each level
 * adds an event, so there are at most MEMO_EVENTS_MAX + 1. */
static enum status explore(struct memo *memo, uint32_t depth, bool *ends, struct error *error)
{
    struct search *search = memo->search;
    struct state *state = memo->states[depth];
    static struct option all_options[MEMO_EVENTS_MAX][MEMO_OPTIONS_MAX];
    struct option *const options = all_options[depth];
    struct seen *seen = NULL;
    bool known = false;
    if (!make_state(memo, depth + 1)) {
        return error_no_memory(error, sizeof *state);
    }
    ASSERT(depth <= state->graph.count); /* each level adds an event */
    *ends = true;
    const uint64_t states_max = search->options.states_max;
    if (memo->key_count >= (states_max != 0 ? states_max : MEMO_STATES_MAX)) {
        search->left_out |= LITMUS_LEFT_STATES;
        return STATUS_OK;
    }
    enum status status = remember(memo, &state->graph, &seen, &known, error);
    if (status != STATUS_OK || known) {
        *ends = status != STATUS_OK || seen->ends;
        return status;
    }
    const enum end end = search_end_of(search, state);
    if (end != END_NOT_YET) {
        const bool is_one = search_is_execution(search, state);
        seen->ends = end != END_IDLE && is_one;
        *ends = seen->ends;
        return !is_one ? STATUS_OK : search->visit(search->user, state, end, &memo->choices, error);
    }
    const size_t count = search_list_options(search, state, options);
    ASSERT(count > 0 && count <= MEMO_OPTIONS_MAX && depth < MEMO_EVENTS_MAX);
    memo->choices.count = depth + 1;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        bool way_ends = true;
        if (search_follow(search, state, options[i], memo->states[depth + 1])) {
            memo->choices.choices[depth] = (uint32_t)i;
            status = explore(memo, depth + 1, &way_ends, error);
            memo->choices.count = depth + 1;
            seen->ends = seen->ends || way_ends;
        }
    }
    memo->choices.count = depth;
    *ends = seen->ends;
    if (!seen->ends) {
        note_hang(search, state);
    }
    return status;
}

/* One pass over all executions of a kind. */
static enum status run(struct memo *memo, bool weak, struct error *error)
{
    bool ends = true;
    memo->search->weak = weak;
    memo->choices = (struct litmus_choices){.weak = weak, .choices = memo->search->room->chosen};
    forget(memo);
    search_start(memo->search, memo->states[0]);
    return explore(memo, 0, &ends, error);
}

enum status memo_search(struct search *search, struct error *error)
{
    struct memo memo = {
        .search = search,
    };
    enum status status =
        make_state(&memo, 0) ? run(&memo, false, error) : error_no_memory(error, 0);
    if (status == STATUS_OK && search->options.weak) {
        status = run(&memo, true, error);
    }
    forget(&memo);
    for (size_t i = 0; i < sizeof memo.states / sizeof *memo.states; i++) {
        search_free_state(memo.states[i]);
    }
    return status;
}
