#include "checkers/litmus/search_private.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

/* What there is room for first. */
enum { FIRST_EVENTS = 512 };

/* A way to go on that is possible, the choice-th of them. */
struct way {
    struct option option;
    uint32_t choice;
};

/* ---- room ---- */

static size_t option_count(const struct search *search, uint32_t events)
{
    return search->test->thread_count * ((size_t)events + 1);
}

static size_t room_size(const struct search *search, uint32_t events, uint32_t locations)
{
    const size_t of_options = sizeof(struct option) + sizeof(struct way);
    const size_t of_event = 10 * sizeof(uint32_t) + 3 * sizeof(bool) + sizeof(uint64_t) +
                            sizeof(struct buffered_access);
    return 3 * graph_size(events, locations) + 2 * graph_relations_size(events) +
           option_count(search, events) * of_options + events * of_event + locations;
}

static void free_room(struct search_room *room)
{
    if (room == NULL) {
        return;
    }
    search_free_state(room->states[0]);
    search_free_state(room->states[1]);
    graph_release(&room->other);
    graph_relations_release(&room->relations);
    graph_relations_release(&room->of_other);
    alloc_free(room->options);
    alloc_free(room->ways);
    for (size_t i = 0; i < sizeof room->order / sizeof *room->order; i++) {
        alloc_free(room->order[i]);
    }
    alloc_free(room->chosen);
    alloc_free(room->hang);
    alloc_free(room->names);
    alloc_free(room->stack);
    alloc_free(room->past);
    alloc_free(room->kept);
    alloc_free(room->kept_write);
    alloc_free(room->own);
    alloc_free(room->accesses);
    alloc_free(room->any_order);
    alloc_free(room);
}

static bool fill_room(const struct search *search, struct search_room *room)
{
    const uint32_t events = room->event_capacity;
    bool good = graph_create(&room->other, events, room->location_capacity) &&
                graph_relations_create(&room->relations, events) &&
                graph_relations_create(&room->of_other, events);
    uint32_t **const numbers[] = {&room->order[0], &room->order[1], &room->order[2],
                                  &room->order[3], &room->names,    &room->stack};
    for (size_t i = 0; good && i < sizeof numbers / sizeof *numbers; i++) {
        good = (*numbers[i] = alloc_zero(events, sizeof(uint32_t))) != NULL;
    }
    room->chosen = alloc_zero(search_choices_max(events), sizeof *room->chosen);
    room->hang = alloc_zero(search_choices_max(events), sizeof *room->hang);
    bool **const marks[] = {&room->past, &room->kept, &room->kept_write};
    for (size_t i = 0; good && i < sizeof marks / sizeof *marks; i++) {
        good = (*marks[i] = alloc_zero(events, sizeof(bool))) != NULL;
    }
    room->options = alloc_zero(option_count(search, events), sizeof *room->options);
    room->ways = alloc_zero(option_count(search, events), sizeof *room->ways);
    room->own = alloc_zero(events, sizeof *room->own);
    room->accesses = alloc_zero(events, sizeof *room->accesses);
    room->any_order = alloc_zero(room->location_capacity, sizeof *room->any_order);
    return good && room->chosen != NULL && room->hang != NULL && room->options != NULL &&
           room->ways != NULL && room->own != NULL && room->accesses != NULL &&
           room->any_order != NULL;
}

/* False: there is no memory, and the room is as it was. */
static bool make_room(struct search *search, uint32_t events, uint32_t locations)
{
    struct search_room *const before = search->room;
    struct search_room *room = alloc_zero(1, sizeof *room);
    if (room == NULL) {
        return false;
    }
    room->event_capacity = events;
    room->location_capacity = locations;
    bool good = fill_room(search, room);
    search->room = room;
    room->states[0] = good ? search_make_state(search) : NULL;
    room->states[1] = good ? search_make_state(search) : NULL;
    if (room->states[0] == NULL || room->states[1] == NULL) {
        free_room(room);
        search->room = before;
        return false;
    }
    free_room(before);
    search->hang.choices = room->hang;
    search->any_order = room->any_order;
    search->machine.objects = search->test->objects; /* a kernel's may have moved */
    return true;
}

void search_grow(struct search *search, const struct state *full)
{
    uint32_t events = search->room->event_capacity;
    uint32_t locations = search->room->location_capacity;
    const uint64_t memory = search->options.memory;
    bool few_locations = false;
    for (size_t t = 0; t < search->test->thread_count; t++) {
        const struct litmus_instruction *next = full->next[t];
        few_locations = few_locations || (next != NULL && next->op < LITMUS_FENCE &&
                                          next->fault == NULL && next->location >= locations);
    }
    if (few_locations) {
        locations *= 2;
    } else {
        events *= 2;
    }
    search->restarts++;
    search->hangs = false;
    search->is_fixed = (memory != 0 && room_size(search, events, locations) > memory) ||
                       !make_room(search, events, locations);
}

enum status search_create(const struct litmus_test *test, const struct litmus_options *options,
                          struct search **search, struct error *error)
{
    ASSERT(test->thread_count <= LITMUS_THREADS_MAX);
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
    memset(made->stops, UINT8_MAX, sizeof made->stops);
    made->alike = alloc_zero(1, sizeof *made->alike);
    if (made->alike == NULL || !make_room(made, FIRST_EVENTS, LITMUS_LOCATIONS_MAX)) {
        search_destroy(made);
        return error_no_memory(error, sizeof *made->room);
    }
    *search = made;
    return STATUS_OK;
}

void search_destroy(struct search *search)
{
    if (search != NULL) {
        free_room(search->room);
        alloc_free(search->alike);
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

static size_t list_ways(struct search *search, struct way ways[])
{
    const struct search_room *const room = search->room;
    const size_t listed = search_list_options(search, room->states[0], room->options);
    size_t count = 0;
    for (size_t i = 0; i < listed; i++) {
        if (search_follow(search, room->states[0], room->options[i], room->states[1])) {
            ways[count] = (struct way){room->options[i], (uint32_t)count};
            count++;
        }
    }
    return count;
}

/* Goes on in some way, but not by a round of a loop that changes nothing if there is another. False
 * when there is no way. */
static bool go_some_way(struct search *search, struct litmus_choices *choices)
{
    struct way *const ways = search->room->ways;
    struct state *after = search->room->states[1];
    ASSERT(choices->count < search->room->event_capacity);
    const size_t count = list_ways(search, ways);
    for (size_t left = count; left > 0; left--) {
        const size_t drawn = (size_t)draw(search, left);
        const struct way way = ways[drawn];
        ways[drawn] = ways[left - 1];
        search_follow(search, search->room->states[0], way.option, after);
        if (search_end_of(search, after) != END_IDLE || left == 1) {
            choices->choices[choices->count++] = way.choice;
            search_copy(search, after, search->room->states[0]);
            return true;
        }
    }
    return false;
}

/* False: there has to be more room. */
static bool sample(struct search *search, enum status *status, struct error *error)
{
    struct litmus_choices choices = {.weak = true, .choices = search->room->chosen};
    const struct state *state = search->room->states[0];
    search_start(search, search->room->states[0]);
    while (search_end_of(search, state) == END_NOT_YET && go_some_way(search, &choices)) {
    }
    if (search_may_grow(search, state)) {
        search_grow(search, state);
        return false;
    }
    if (search_is_execution(search, state)) {
        *status = search->visit(search->user, state, search_end_of(search, state), &choices, error);
    }
    return true;
}

enum status search_sample(struct search *search, struct error *error)
{
    const uint64_t seed = search->options.seed;
    enum status status = STATUS_OK;
    search->weak = true;
    for (uint64_t i = 0; i < search->options.samples && status == STATUS_OK;) {
        if (sample(search, &status, error)) {
            i++;
        } else { /* from the first one on */
            i = 0;
            search->options.seed = seed;
        }
    }
    return status;
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
    const struct option *const options = search->room->options;
    struct state *state = search->room->states[0];
    struct state *after = search->room->states[1];
    const size_t count = search_list_options(search, state, search->room->options);
    for (size_t i = 0; i < count; i++) {
        if (search_follow(search, state, options[i], after) && choice-- == 0) {
            search_copy(search, after, state);
            return true;
        }
    }
    return false;
}

/* Goes on by all choices, or up to where there has to be more room. */
static enum status take_choices(struct search *search, const struct litmus_choices *choices,
                                struct error *error)
{
    const struct state *state = search->room->states[0];
    search_start(search, search->room->states[0]);
    for (uint32_t i = 0; i < choices->count && !search_is_full(state); i++) {
        if (!take_choice(search, choices->choices[i])) {
            return error_set(error, STATUS_INVALID,
                             "choice %u, counted from 1, cannot be %u: there is no such way to go "
                             "on",
                             i + 1, choices->choices[i]);
        }
    }
    return STATUS_OK;
}

static enum status take_buffered(struct search *search, const struct litmus_choices *choices,
                                 struct error *error)
{
    struct state *state = search->room->states[0];
    if ((buffered_perform(search, choices, NULL, state) && search_is_possible(search, state)) ||
        state->full) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_INVALID, "there is no execution with those choices");
}

enum status litmus_replay(const struct litmus_test *test, const struct litmus_options *options,
                          const struct litmus_choices *choices, struct graph *graph,
                          struct error *error)
{
    struct search *search = NULL;
    enum status status = search_create(test, options, &search, error);
    bool again = status == STATUS_OK;
    while (again) {
        search->weak = choices->weak;
        status = choices->buffered ? take_buffered(search, choices, error)
                                   : take_choices(search, choices, error);
        again = status == STATUS_OK && search_may_grow(search, search->room->states[0]);
        if (again) {
            search_grow(search, search->room->states[0]);
        }
    }
    if (status == STATUS_OK &&
        !graph_create(graph, search->room->event_capacity, search->room->location_capacity)) {
        status = error_no_memory(error, sizeof *graph);
    }
    if (status == STATUS_OK) {
        graph_copy(&search->room->states[0]->graph, graph);
        graph->machine = NULL; /* it was the search's */
    }
    search_destroy(search);
    return status;
}
