#include "checkers/litmus/search_private.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

enum status search_create(const struct litmus_test *test, const struct litmus_options *options,
                          struct search **search, struct error *error)
{
    ASSERT(test->thread_count <= LITMUS_THREADS_MAX);
    ASSERT(test->location_count <= LITMUS_LOCATIONS_MAX);
    struct search *made = alloc_zero(1, sizeof *made);
    if (made == NULL) {
        return error_no_memory(error, sizeof *made);
    }
    made->test = test;
    made->machine = litmus_machine(test, options->scope_rule, options->seq_cst_alone);
    made->machine.seq_cst_scoped = !options->seq_cst_all;
    made->options = *options;
    made->thread_size =
        test->is_kernel ? offsetof(struct machine_thread, pc) : sizeof(struct machine_thread);
    if (options->states_max == 0) {
        made->options.states_max = LITMUS_STATES_MAX;
    }
    memset(made->stops, UINT8_MAX, sizeof made->stops);
    made->states[0] = search_make_state(made);
    made->states[1] = search_make_state(made);
    if (made->states[0] == NULL || made->states[1] == NULL) {
        search_destroy(made);
        return error_no_memory(error, sizeof *made->states[0]);
    }
    *search = made;
    return STATUS_OK;
}

void search_destroy(struct search *search)
{
    if (search != NULL) {
        alloc_free(search->states[0]);
        alloc_free(search->states[1]);
        alloc_free(search);
    }
}

/* ---- some executions ---- */

static uint64_t draw(struct search *search, uint64_t below)
{
    ASSERT(below > 0);
    uint64_t *const seed = &search->options.seed;
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = *seed;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return (mixed ^ mixed >> 31) % below;
}

/* A way to go on that is possible, the choice-th of them. */
struct way {
    struct option option;
    uint16_t choice;
};

static size_t list_ways(struct search *search, struct way ways[OPTIONS_MAX])
{
    struct option options[OPTIONS_MAX];
    const size_t option_count = search_list_options(search, search->states[0], options);
    size_t count = 0;
    for (size_t i = 0; i < option_count; i++) {
        if (search_follow(search, search->states[0], options[i], search->states[1])) {
            ways[count] = (struct way){options[i], (uint16_t)count};
            count++;
        }
    }
    return count;
}

/* Goes on in some way, but not by a round of a loop that changes nothing if there is another. False
 * when there is no way. */
static bool go_some_way(struct search *search, struct litmus_choices *choices)
{
    struct way ways[OPTIONS_MAX];
    struct state *after = search->states[1];
    ASSERT(choices->count < LITMUS_CHOICES_MAX);
    const size_t count = list_ways(search, ways);
    for (size_t left = count; left > 0; left--) {
        const size_t drawn = (size_t)draw(search, left);
        const struct way way = ways[drawn];
        ways[drawn] = ways[left - 1];
        search_follow(search, search->states[0], way.option, after);
        if (search_end_of(search, after) != END_IDLE || left == 1) {
            choices->choices[choices->count++] = way.choice;
            search_copy(search, after, search->states[0]);
            return true;
        }
    }
    return false;
}

enum status search_sample(struct search *search, struct error *error)
{
    search->weak = true;
    const struct state *state = search->states[0];
    for (uint64_t i = 0; i < search->options.samples; i++) {
        struct litmus_choices choices = {.weak = true};
        search_start(search, search->states[0]);
        while (search_end_of(search, state) == END_NOT_YET && go_some_way(search, &choices)) {
        }
        const enum status status =
            search->visit(search->user, state, search_end_of(search, state), &choices, error);
        if (status != STATUS_OK) {
            return status;
        }
    }
    return STATUS_OK;
}

/* ---- executions, one by one ---- */

struct visitor {
    litmus_visit *visit;
    void *user;
};

static enum status visit_graph(void *user, const struct state *state, enum end end,
                               const struct litmus_choices *choices, struct error *error)
{
    const struct visitor *visitor = user;
    (void)end;
    (void)choices;
    return visitor->visit(visitor->user, &state->graph, error);
}

enum status litmus_each_execution(const struct litmus_test *test,
                                  const struct litmus_options *options, litmus_visit *visit,
                                  void *user, struct error *error)
{
    struct search *search = NULL;
    struct visitor visitor = {visit, user};
    enum status status = search_create(test, options, &search, error);
    if (status == STATUS_OK) {
        search->visit = visit_graph;
        search->user = &visitor;
        status = search_all(search, options->weak, error);
    }
    search_destroy(search);
    return status;
}

/* Goes on by that choice. */
static bool take_choice(struct search *search, uint32_t choice)
{
    struct option options[OPTIONS_MAX];
    struct state *state = search->states[0];
    struct state *after = search->states[1];
    const size_t count = search_list_options(search, state, options);
    for (size_t i = 0; i < count; i++) {
        if (search_follow(search, state, options[i], after) && choice-- == 0) {
            search_copy(search, after, state);
            return true;
        }
    }
    return false;
}

enum status litmus_replay(const struct litmus_test *test, const struct litmus_options *options,
                          const struct litmus_choices *choices, struct graph *graph,
                          struct error *error)
{
    struct search *search = NULL;
    enum status status = search_create(test, options, &search, error);
    ASSERT(choices->count <= LITMUS_CHOICES_MAX);
    if (status == STATUS_OK) {
        search->weak = choices->weak;
        search_start(search, search->states[0]);
    }
    for (uint32_t i = 0; i < choices->count && status == STATUS_OK; i++) {
        if (!take_choice(search, choices->choices[i])) {
            status =
                error_set(error, STATUS_INVALID,
                          "choice %u, counted from 1, cannot be %u: there is no such way to go "
                          "on",
                          i + 1, choices->choices[i]);
        }
    }
    if (status == STATUS_OK) {
        graph_copy(&search->states[0]->graph, graph);
        graph->machine = NULL; /* it was the search's */
    }
    search_destroy(search);
    return status;
}
