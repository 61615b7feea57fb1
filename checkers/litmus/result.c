/* What the executions of a litmus test come to: outcomes, races, and what was not looked at. */
#include "checkers/litmus/outcomes.h"
#include "checkers/litmus/search_private.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <stdlib.h>
#include <string.h>

struct collector {
    struct search *search;
    struct litmus_result *result;
    struct litmus_observed *observed;
    size_t observed_capacity;
    struct litmus_outcome *outcomes;
    size_t outcome_capacity;
    struct outcomes index;
    struct litmus_race *races;
    size_t race_capacity;
    struct litmus_fault *faults;
    size_t fault_capacity;
    /* Of each location, or what is observed: was it written in some execution; what it holds in the
     * one under way. */
    bool *written;
    int64_t *values;
    size_t value_capacity;
    /* The execution under way, for races. */
    const struct graph *graph;
    const struct litmus_choices *choices;
    bool weak;           /* it is not an interleaving */
    bool by_scope;       /* as litmus_outcome says */
    uint32_t restarts;   /* of the search, that are known */
    uint32_t race_count; /* of that execution, so far */
    bool exchanged;      /* something was found so */
    bool failed;
};

/* Outcomes have the value of the term; false: memory ran out. */
static bool observe(struct collector *collector, const struct litmus_term *term)
{
    struct litmus_result *result = collector->result;
    const struct litmus_observed wanted = {term->kind == LITMUS_LOCATION, term->thread,
                                           term->index};
    bool known = term->kind == LITMUS_NUMBER;
    for (size_t i = 0; !known && i < result->observed_count; i++) {
        const struct litmus_observed *other = &collector->observed[i];
        known = other->is_location == wanted.is_location && other->thread == wanted.thread &&
                other->index == wanted.index;
    }
    if (known) {
        return true;
    }
    struct litmus_observed *observed = alloc_grow(collector->observed, result->observed_count,
                                                  &collector->observed_capacity, sizeof *observed);
    if (observed == NULL) {
        return false;
    }
    collector->observed = observed;
    observed[result->observed_count++] = wanted;
    return true;
}

static bool observe_condition(struct collector *collector, const struct litmus_condition *condition)
{
    bool good = true;
    for (size_t i = 0; good && i < condition->count; i++) {
        const struct litmus_atom *atom = &condition->atoms[i];
        good = atom->kind != LITMUS_COMPARES ||
               (observe(collector, &atom->left) && observe(collector, &atom->right));
    }
    return good;
}

/* What the condition and the filter speak of, and what is shown besides. */
static bool observe_test(struct collector *collector, const struct litmus_test *test)
{
    bool good = observe_condition(collector, &test->condition) &&
                observe_condition(collector, &test->filter);
    for (size_t i = 0; good && i < test->shown_count; i++) {
        good = observe(collector, &test->shown[i]);
    }
    return good;
}

static int64_t term_value(const struct litmus_term *term, const struct state *state)
{
    switch (term->kind) {
    case LITMUS_VARIABLE:
        return state->threads[term->thread].registers[term->index];
    case LITMUS_LOCATION:
        return graph_last_value(&state->graph, term->index);
    default:
        return term->number;
    }
}

static bool condition_holds(const struct litmus_condition *condition, const struct state *state)
{
    bool stack[LITMUS_ATOMS_MAX + 1] = {true};
    size_t size = 0;
    for (size_t i = 0; i < condition->count; i++) {
        const struct litmus_atom *atom = &condition->atoms[i];
        switch (atom->kind) {
        case LITMUS_COMPARES:
            stack[size++] =
                litmus_operate(atom->operation, atom->type, term_value(&atom->left, state),
                               term_value(&atom->right, state)) != 0;
            break;
        case LITMUS_TRUE:
            stack[size++] = true;
            break;
        case LITMUS_NOT:
            stack[size - 1] = !stack[size - 1];
            break;
        case LITMUS_BOTH:
            ASSERT(size > 1);
            size--;
            stack[size - 1] = stack[size - 1] && stack[size];
            break;
        case LITMUS_EITHER:
            ASSERT(size > 1);
            size--;
            stack[size - 1] = stack[size - 1] || stack[size];
            break;
        }
    }
    ASSERT(size <= condition->count && (condition->count == 0 || size > 0));
    return stack[0];
}

static int64_t observed_value(const struct collector *collector, const struct state *state,
                              size_t index)
{
    const struct litmus_observed *observed = &collector->observed[index];
    return observed->is_location ? graph_last_value(&state->graph, observed->index)
                                 : state->threads[observed->thread].registers[observed->index];
}

/* Of a kernel all locations that are known so far count, but local memory, which ends. */
static int64_t location_value(const struct collector *collector, const struct state *state,
                              uint32_t location)
{
    const struct litmus_test *test = collector->search->test;
    return test->locations[location].region == ORACLE_GLOBAL
               ? graph_last_value(&state->graph, location)
               : test->locations[location].initial;
}

/* The arena's copy, or, where that is long enough, the one before. False: no memory. */
static bool keep_choices(struct collector *collector, const struct litmus_choices *found,
                         struct litmus_choices *choices)
{
    const size_t size = found->count * sizeof *found->choices;
    uint32_t *kept = choices->choices;
    if (kept == NULL || choices->count < found->count) {
        kept = arena_alloc(&collector->result->arena, found->count + 1, sizeof *kept);
    }
    if (kept == NULL) {
        collector->failed = true;
        return false;
    }
    memcpy(kept, found->choices, size);
    *choices = (struct litmus_choices){found->weak, found->buffered, kept, found->count};
    return true;
}

/* What was found before is found again: it is told by the first way that leads there, and samples
 * tell the first one. Returns whether it is this one. */
static bool take_choices(struct collector *collector, const struct litmus_choices *found,
                         bool *weak, struct litmus_choices *choices)
{
    const bool is_first =
        collector->search->options.samples == 0 && search_compare_choices(found, choices) < 0;
    *weak = *weak && collector->weak;
    return is_first && keep_choices(collector, found, choices);
}

static bool take_outcome(struct collector *collector, const struct state *state)
{
    struct litmus_result *result = collector->result;
    const struct litmus_test *test = collector->search->test;
    const size_t count = test->is_kernel ? test->location_count : result->observed_count;
    int64_t *const values = collector->values;
    ASSERT(count <= collector->value_capacity);
    for (size_t i = 0; i < count; i++) {
        values[i] = test->is_kernel ? location_value(collector, state, (uint32_t)i)
                                    : observed_value(collector, state, i);
    }
    for (size_t i = 0; test->is_kernel && i < count; i++) {
        collector->written[i] =
            collector->written[i] || graph_write_count(&state->graph, (uint32_t)i) > 0;
    }
    const size_t known = outcomes_find(&collector->index, collector->outcomes, values, count);
    if (known != SIZE_MAX) {
        struct litmus_outcome *outcome = &collector->outcomes[known];
        outcome->by_scope &= collector->by_scope;
        take_choices(collector, collector->choices, &outcome->weak, &outcome->choices);
        return true;
    }
    struct litmus_outcome *outcomes = alloc_grow(collector->outcomes, result->outcome_count,
                                                 &collector->outcome_capacity, sizeof *outcomes);
    if (outcomes == NULL) {
        return false;
    }
    collector->outcomes = outcomes;
    const int64_t *kept = arena_copy(&result->arena, values, count * sizeof *values);
    if (kept == NULL) {
        return false;
    }
    struct litmus_choices choices = {0};
    if (!keep_choices(collector, collector->choices, &choices) ||
        !outcomes_note(&collector->index, values, count, result->outcome_count)) {
        return false;
    }
    outcomes[result->outcome_count++] = (struct litmus_outcome){
        .values = kept,
        .value_count = count,
        .holds = condition_holds(&collector->search->test->condition, state),
        .weak = collector->weak,
        .by_scope = collector->by_scope,
        .choices = choices,
    };
    return true;
}

static bool same_place(const struct litmus_instruction *a, const struct litmus_instruction *b)
{
    return a == b || (a->site != 0 && a->site == b->site);
}

static struct litmus_race *find_race(const struct collector *collector,
                                     const struct graph_event *first,
                                     const struct graph_event *second)
{
    for (size_t i = 0; i < collector->result->race_count; i++) {
        struct litmus_race *race = &collector->races[i];
        if ((same_place(race->first, first->instruction) &&
             same_place(race->second, second->instruction)) ||
            (same_place(race->first, second->instruction) &&
             same_place(race->second, first->instruction))) {
            return race;
        }
    }
    return NULL;
}

static void take_race(void *user, uint32_t a, uint32_t b)
{
    struct collector *collector = user;
    struct litmus_result *result = collector->result;
    const struct graph_event *first = &collector->graph->events[a];
    const struct graph_event *second = &collector->graph->events[b];
    struct litmus_race made = {
        .first = first->instruction,
        .second = second->instruction,
        .first_thread = first->thread,
        .second_thread = second->thread,
        .weak = collector->weak,
        .by_scope = collector->by_scope,
        .scopes = oracle_is_atomic(first->kind) && oracle_is_atomic(second->kind),
        .choices = *collector->choices,
        .number = collector->race_count++,
    };
    struct litmus_race *race = find_race(collector, first, second);
    if (race != NULL) {
        made.by_scope = race->by_scope && made.by_scope;
        race->by_scope = made.by_scope;
        if (take_choices(collector, &made.choices, &race->weak, &race->choices)) {
            made.choices = race->choices;
            *race = made;
        }
        return;
    }
    struct litmus_race *races =
        alloc_grow(collector->races, result->race_count, &collector->race_capacity, sizeof *races);
    if (races == NULL) {
        collector->failed = true;
        return;
    }
    collector->races = races;
    const struct litmus_choices found = made.choices;
    made.choices = (struct litmus_choices){0};
    if (keep_choices(collector, &found, &made.choices)) {
        races[result->race_count++] = made;
    }
}

/* The thread comes to a fault; what others do later does not matter. */
static void take_fault(struct collector *collector, const struct state *state, uint32_t thread)
{
    struct litmus_result *result = collector->result;
    struct litmus_choices choices = *collector->choices;
    if (collector->search->stops[thread] < choices.count) {
        choices.count = collector->search->stops[thread];
    }
    const struct litmus_instruction *instruction = state->next[thread];
    ASSERT(instruction->fault != NULL);
    for (size_t i = 0; i < result->fault_count; i++) {
        if (same_place(collector->faults[i].instruction, instruction)) {
            if (take_choices(collector, &choices, &collector->faults[i].weak,
                             &collector->faults[i].choices)) {
                collector->faults[i].thread = thread;
                collector->faults[i].instruction = instruction;
            }
            return;
        }
    }
    struct litmus_fault *faults = alloc_grow(collector->faults, result->fault_count,
                                             &collector->fault_capacity, sizeof *faults);
    if (faults == NULL) {
        collector->failed = true;
        return;
    }
    collector->faults = faults;
    const struct litmus_choices found = choices;
    choices = (struct litmus_choices){0};
    if (!keep_choices(collector, &found, &choices)) {
        return;
    }
    faults[result->fault_count++] = (struct litmus_fault){
        .instruction = instruction,
        .thread = thread,
        .weak = collector->weak,
        .choices = choices,
    };
}

static bool looks_at_weak(const struct litmus_options *options)
{
    return options->weak || options->samples > 0;
}

static bool is_blocked(const struct collector *collector, const struct state *state)
{
    bool blocked = false;
    for (uint32_t t = 0; t < collector->search->test->thread_count; t++) {
        blocked = blocked || state->threads[t].state == MACHINE_BLOCKED;
    }
    return blocked;
}

/* `blocked`: the execution is none, but there may be others beside it. */
static void collect_races(struct collector *collector, const struct graph *graph, bool blocked)
{
    struct litmus_result *result = collector->result;
    struct search_room *const room = collector->search->room;
    struct graph_relations *const relations = &room->relations;
    search_relate(collector->search, graph, false);
    collector->weak = collector->search->options.samples == 0
                          ? collector->choices->weak
                          : !graph_is_interleaving(graph, relations, NULL);
    collector->by_scope =
        collector->weak && graph->machine->seq_cst_scoped && !graph_orders_all(graph, relations);
    collector->race_count = 0;
    if (!blocked) {
        graph_each_race(graph, relations, take_race, collector);
    }
    if (looks_at_weak(&collector->search->options) &&
        (result->left_out & LITMUS_LEFT_BUFFERING) == 0 &&
        graph_may_buffer(graph, relations, collector->search->options.in_order, &room->other,
                         &room->of_other)) {
        result->left_out |= LITMUS_LEFT_BUFFERING;
    }
}

/* Room for the values of all locations, and of all that is observed. */
static bool make_values(struct collector *collector)
{
    const struct litmus_test *test = collector->search->test;
    const size_t before = collector->value_capacity;
    const size_t wanted = test->location_count + collector->result->observed_count;
    if (wanted <= before) {
        return true;
    }
    bool *written = alloc_resize(collector->written, 2 * wanted * sizeof *written);
    collector->written = written != NULL ? written : collector->written;
    int64_t *values = alloc_resize(collector->values, 2 * wanted * sizeof *values);
    collector->values = values != NULL ? values : collector->values;
    if (written == NULL || values == NULL) {
        return false;
    }
    memset(written + before, 0, (2 * wanted - before) * sizeof *written);
    collector->value_capacity = 2 * wanted;
    return true;
}

static enum status collect(void *user, const struct state *state, enum end end,
                           const struct litmus_choices *choices, struct error *error)
{
    struct collector *collector = user;
    struct litmus_result *result = collector->result;
    if (collector->restarts != collector->search->restarts) {
        collector->restarts = collector->search->restarts;
        result->executions = 0;
        result->interleavings = 0;
        result->cut = 0;
        result->stuck = 0;
        result->blocked = 0;
        result->left_out = 0;
    }
    collector->graph = &state->graph;
    collector->choices = choices;
    if (!make_values(collector)) {
        return error_no_memory(error, 0);
    }
    const bool blocked = is_blocked(collector, state);
    collect_races(collector, &state->graph, blocked);
    result->blocked += blocked;
    if (blocked) {
        return collector->failed ? error_no_memory(error, 0) : STATUS_OK;
    }
    bool cut = false;
    for (uint32_t t = 0; t < collector->search->test->thread_count; t++) {
        const enum machine_state machine = state->threads[t].state;
        cut = cut || machine == MACHINE_CUT;
        result->left_out |= machine == MACHINE_CUT    ? LITMUS_LEFT_ROUNDS
                            : machine == MACHINE_LONG ? LITMUS_LEFT_STEPS
                                                      : 0;
        if (machine == MACHINE_FAULT) {
            take_fault(collector, state, t);
        }
    }
    result->left_out |= end == END_FULL ? LITMUS_LEFT_MEMORY : 0;
    result->cut += cut;
    result->stuck += end == END_STUCK;
    if (end == END_ALL) {
        result->executions++;
        result->interleavings += !collector->weak;
        if (condition_holds(&collector->search->test->filter, state)) {
            collector->failed = !take_outcome(collector, state) || collector->failed;
        }
    }
    return collector->failed ? error_no_memory(error, 0) : STATUS_OK;
}

/* Moves an array that grew into the arena of the result. */
static const void *settle(struct litmus_result *result, const void *items, size_t size,
                          bool *failed)
{
    const void *copy = size > 0 ? arena_copy(&result->arena, items, size) : NULL;
    *failed = *failed || (size > 0 && copy == NULL);
    return copy;
}

/* The locations that a kernel writes, by rank. */
static bool observe_written(struct collector *collector)
{
    const struct litmus_test *test = collector->search->test;
    size_t count = 0;
    ASSERT(collector->observed == NULL); /* a kernel has no condition */
    collector->observed = alloc_zero(test->location_count, sizeof *collector->observed);
    for (uint32_t i = 0; collector->observed != NULL && i < test->location_count; i++) {
        size_t at = count;
        if (!collector->written[i] || test->locations[i].region != ORACLE_GLOBAL) {
            continue;
        }
        for (; at > 0; at--) {
            const uint32_t before = collector->observed[at - 1].index;
            if (test->locations[before].rank <= test->locations[i].rank) {
                break;
            }
            collector->observed[at] = collector->observed[at - 1];
        }
        collector->observed[at] = (struct litmus_observed){.is_location = true, .index = i};
        count++;
    }
    collector->result->observed_count = count;
    return collector->observed != NULL;
}

/* Outcomes have values of all locations: those that are observed remain. */
static bool select_values(struct collector *collector)
{
    struct litmus_result *result = collector->result;
    const struct litmus_test *test = collector->search->test;
    for (size_t i = 0; i < result->outcome_count; i++) {
        struct litmus_outcome *outcome = &collector->outcomes[i];
        int64_t *values = arena_alloc(&result->arena, result->observed_count, sizeof *values);
        if (values == NULL) {
            return false;
        }
        for (size_t j = 0; j < result->observed_count; j++) {
            const uint32_t location = collector->observed[j].index;
            values[j] = location < outcome->value_count ? outcome->values[location]
                                                        : test->locations[location].initial;
        }
        outcome->values = values;
        outcome->value_count = result->observed_count;
    }
    return true;
}

static uint32_t what_was_not_asked_for(const struct collector *collector)
{
    const struct search *search = collector->search;
    const struct litmus_options *options = &search->options;
    const bool says_all = !options->seq_cst_alone && collector->result->race_count == 0 &&
                          litmus_is_sequential(search->test);
    uint32_t left_out = search->left_out;
    if (options->samples > 0) {
        left_out |= LITMUS_LEFT_SAMPLES;
    } else if (!options->weak && !says_all) {
        left_out |= LITMUS_LEFT_WEAK;
    }
    return left_out;
}

/* Is nothing left of what was gone through, as it was assumed away? */
static bool is_assumed_away(const struct litmus_result *result)
{
    return result->blocked > 0 && result->executions == 0 && result->stuck == 0 &&
           result->cut == 0 && result->fault_count == 0 && !result->hangs;
}

static int compare_outcomes(const void *a, const void *b)
{
    const struct litmus_outcome *first = a;
    const struct litmus_outcome *second = b;
    return search_compare_choices(&first->choices, &second->choices);
}

static int compare_races(const void *a, const void *b)
{
    const struct litmus_race *first = a;
    const struct litmus_race *second = b;
    const int order = search_compare_choices(&first->choices, &second->choices);
    return order != 0 ? order : (first->number > second->number) - (first->number < second->number);
}

static int compare_faults(const void *a, const void *b)
{
    const struct litmus_fault *first = a;
    const struct litmus_fault *second = b;
    return search_compare_choices(&first->choices, &second->choices);
}

static void sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (count > 1) {
        qsort(items, count, size, compare);
    }
}

/* In the order of the ways that lead there, and with the numbers of the choices. Those of samples
 * are as they were found, and have them. */
static void put_in_order(struct collector *collector)
{
    struct litmus_result *result = collector->result;
    struct search *search = collector->search;
    if (search->options.samples > 0) {
        return;
    }
    sort(collector->outcomes, result->outcome_count, sizeof *collector->outcomes, compare_outcomes);
    sort(collector->races, result->race_count, sizeof *collector->races, compare_races);
    sort(collector->faults, result->fault_count, sizeof *collector->faults, compare_faults);
    for (size_t i = 0; i < result->outcome_count; i++) {
        search_number(search, &collector->outcomes[i].choices);
    }
    for (size_t i = 0; i < result->race_count; i++) {
        search_number(search, &collector->races[i].choices);
    }
    for (size_t i = 0; i < result->fault_count; i++) {
        search_number(search, &collector->faults[i].choices);
    }
    if (search->hangs) {
        search_number(search, &search->hang);
    }
}

/* ---- like threads exchanged ---- */

/* What the second of two like threads has in the place of the first one's instruction. */
static const struct litmus_instruction *exchanged(const struct litmus_test *test, uint32_t thread,
                                                  uint32_t a, uint32_t b,
                                                  const struct litmus_instruction *instruction)
{
    const uint32_t other = thread == a ? b : thread == b ? a : thread;
    return instruction - test->threads[thread].instructions + test->threads[other].instructions;
}

/* What the one does not need, the other does not, either. */
static void share_scope(struct collector *collector, bool by_scope, bool *known)
{
    if (*known && !by_scope) {
        *known = false;
        collector->exchanged = true;
    }
}

/* Is the race told of these, and not as one of weak executions alone if that one is not? */
static bool has_race(struct collector *collector, const struct litmus_race *race,
                     const struct litmus_instruction *first,
                     const struct litmus_instruction *second)
{
    struct litmus_race *known = find_race(collector, &(struct graph_event){.instruction = first},
                                          &(struct graph_event){.instruction = second});
    if (known == NULL || (known->weak && !race->weak)) {
        return false;
    }
    share_scope(collector, race->by_scope, &known->by_scope);
    return true;
}

static bool has_fault(const struct collector *collector, const struct litmus_fault *fault,
                      const struct litmus_instruction *instruction)
{
    bool has = false;
    for (size_t i = 0; i < collector->result->fault_count; i++) {
        const struct litmus_fault *known = &collector->faults[i];
        has = has || (same_place(known->instruction, instruction) && (!known->weak || fault->weak));
    }
    return has;
}

/* What there is in the execution of those choices, the two exchanged. */
static void take_exchanged(struct collector *collector, const struct litmus_choices *of, uint32_t a,
                           uint32_t b)
{
    struct search *search = collector->search;
    const struct state *state = search->room->states[1];
    struct litmus_choices choices = {.choices = search->room->chosen};
    collector->exchanged = true;
    if (alike_exchange(search, of, a, b, &choices) != STATUS_OK) {
        collector->failed = true;
        return;
    }
    collector->graph = &state->graph;
    collector->choices = &choices;
    collect_races(collector, &state->graph, false);
    for (uint32_t t = 0; t < search->test->thread_count; t++) {
        if (state->threads[t].state == MACHINE_FAULT) {
            take_fault(collector, state, t);
        }
    }
    if (search->test->is_kernel && search_end_of(search, state) == END_ALL) {
        collector->failed = !take_outcome(collector, state) || collector->failed;
    }
}

/* Each thread of a text has instructions of its own. */
static void exchange_instructions(struct collector *collector, uint32_t a, uint32_t b)
{
    const struct litmus_test *test = collector->search->test;
    for (size_t i = 0; !collector->failed && i < collector->result->race_count; i++) {
        const struct litmus_race race = collector->races[i];
        if (!has_race(collector, &race, exchanged(test, race.first_thread, a, b, race.first),
                      exchanged(test, race.second_thread, a, b, race.second))) {
            take_exchanged(collector, &race.choices, a, b);
        }
    }
    for (size_t i = 0; !collector->failed && i < collector->result->fault_count; i++) {
        const struct litmus_fault fault = collector->faults[i];
        if (!has_fault(collector, &fault, exchanged(test, fault.thread, a, b, fault.instruction))) {
            take_exchanged(collector, &fault.choices, a, b);
        }
    }
}

static bool has_exchanged(struct collector *collector, const struct litmus_outcome *outcome,
                          uint32_t a, uint32_t b)
{
    const struct litmus_test *test = collector->search->test;
    for (uint32_t i = 0; i < test->location_count; i++) {
        const uint32_t other = alike_location(test, i, a, b);
        collector->values[i] =
            other < outcome->value_count ? outcome->values[other] : test->locations[other].initial;
    }
    const size_t known = outcomes_find(&collector->index, collector->outcomes, collector->values,
                                       test->location_count);
    if (known == SIZE_MAX || (collector->outcomes[known].weak && !outcome->weak)) {
        return false;
    }
    share_scope(collector, outcome->by_scope, &collector->outcomes[known].by_scope);
    return true;
}

/* Work-items of a kernel have the same instructions, and may have memory of their own. */
static void exchange_outcomes(struct collector *collector, uint32_t a, uint32_t b)
{
    for (size_t i = 0; !collector->failed && i < collector->result->outcome_count; i++) {
        const struct litmus_outcome outcome = collector->outcomes[i];
        if (!has_exchanged(collector, &outcome, a, b)) {
            take_exchanged(collector, &outcome.choices, a, b);
        }
    }
}

/* What is added, or needs less than was known, is looked at in its turn, until nothing is. */
static void exchange_all(struct collector *collector)
{
    const struct litmus_test *test = collector->search->test;
    const struct alike *alike = collector->search->alike;
    collector->failed = collector->failed || !make_values(collector);
    collector->exchanged = alike->some;
    while (collector->exchanged && !collector->failed) {
        collector->exchanged = false;
        for (uint32_t t = 0; t < test->thread_count; t++) {
            if (alike->first[t] < t && test->is_kernel) {
                exchange_outcomes(collector, alike->first[t], t);
            } else if (alike->first[t] < t) {
                exchange_instructions(collector, alike->first[t], t);
            }
        }
    }
}

static enum status finish(struct collector *collector, struct error *error)
{
    struct litmus_result *result = collector->result;
    exchange_all(collector);
    bool failed = collector->failed || (collector->search->test->is_kernel &&
                                        !(observe_written(collector) && select_values(collector)));
    put_in_order(collector);
    result->observed = settle(result, collector->observed,
                              result->observed_count * sizeof *collector->observed, &failed);
    result->outcomes = settle(result, collector->outcomes,
                              result->outcome_count * sizeof *collector->outcomes, &failed);
    result->races =
        settle(result, collector->races, result->race_count * sizeof *collector->races, &failed);
    result->faults =
        settle(result, collector->faults, result->fault_count * sizeof *collector->faults, &failed);
    result->left_out |= what_was_not_asked_for(collector);
    result->hangs = collector->search->hangs;
    result->hangs_weakly = collector->search->hang.weak;
    result->left_out |= is_assumed_away(result) ? LITMUS_LEFT_ALL : 0;
    if (result->hangs) {
        failed = !keep_choices(collector, &collector->search->hang, &result->hang) || failed;
    }
    result->visited = collector->search->visited;
    result->stand_for_others = collector->search->alike->stands_for_others;
    memcpy(result->hang_at, collector->search->hang_at, sizeof result->hang_at);
    return failed ? error_no_memory(error, 0) : STATUS_OK;
}

static enum status run_usual(struct search *search, struct error *error)
{
    return search->options.samples > 0 ? search_sample(search, error)
                                       : search_all(search, search->options.weak, error);
}

enum status search_collect(const struct litmus_test *test, const struct litmus_options *options,
                           search_run *run, struct litmus_result **result, struct error *error)
{
    struct litmus_result *made = alloc_zero(1, sizeof *made);
    struct collector *collector = alloc_zero(1, sizeof *collector);
    struct search *search = NULL;
    enum status status = made != NULL && collector != NULL
                             ? search_create(test, options, &search, error)
                             : error_no_memory(error, sizeof *collector);
    if (status == STATUS_OK) {
        *collector = (struct collector){
            .search = search, .result = made, .index = {.test = test, .arena = &made->arena}};
        search->visit = collect;
        search->user = collector;
        if (!observe_test(collector, test)) {
            status = error_no_memory(error, sizeof *made);
        }
    }
    if (status == STATUS_OK) {
        status = run(search, error);
    }
    if (status == STATUS_OK) {
        status = finish(collector, error);
    }
    if (status == STATUS_OK) {
        *result = made;
        made = NULL;
    }
    if (collector != NULL) {
        alloc_free(collector->observed);
        alloc_free(collector->outcomes);
        alloc_free(collector->races);
        alloc_free(collector->faults);
        outcomes_release(&collector->index);
        alloc_free(collector->written);
        alloc_free(collector->values);
        alloc_free(collector);
    }
    litmus_result_destroy(made); /* the index was in its arena */
    search_destroy(search);
    return status;
}

enum status litmus_search(const struct litmus_test *test, const struct litmus_options *options,
                          struct litmus_result **result, struct error *error)
{
    return search_collect(test, options, run_usual, result, error);
}

void litmus_result_destroy(struct litmus_result *result)
{
    if (result != NULL) {
        arena_release(&result->arena);
        alloc_free(result);
    }
}
