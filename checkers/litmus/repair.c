#include "checkers/litmus/repair.h"

#include "checkers/litmus/changes.h"
#include "checkers/litmus/fences.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    EXPLORATIONS_MAX = 24,
    STATES_MAX = 200000, /* of each */
    WITNESSES_MAX = 64,
    CHECKS_MAX = 200000, /* of a set against a witness */
    CLAIMS_MAX = 64,
};

/* What is to be mended: races, and then what is violated. Where neither is, outcomes. */
enum goal { GOAL_NONE, GOAL_RACES, GOAL_CLAIMS, GOAL_OUTCOMES };

/* An execution that is wrong: because of a race, or by how it ends. */
struct witness {
    struct graph *graph;
    bool races;
};

/* Which changes are looked at together. */
struct way {
    bool fences; /* one at least is put in */
    bool strong; /* some are seq_cst */
};

struct set {
    struct litmus_edit edits[LITMUS_REPAIR_MAX];
    size_t count;
};

struct repairing {
    struct litmus_test *test;
    struct litmus_options options; /* of explorations with changes */
    struct oracle_machine machine;
    bool wanted[CLAIMS_MAX]; /* of the claims, and of the condition: no interleaving violates it */
    bool wants_condition;
    enum goal goal;
    struct witness witnesses[WITNESSES_MAX];
    size_t witness_count;
    struct changes changes; /* to choose from */
    uint32_t checks;
    struct way way;                          /* that is looked at, */
    struct set set;                          /* and what of it */
    struct litmus_edit all[2 * CHANGES_MAX]; /* of that way, the strongest last */
    struct set bad[EXPLORATIONS_MAX];        /* after which something else is wrong */
    size_t bad_count;
    struct litmus_instruction *originals[LITMUS_THREADS_MAX]; /* of threads with instructions */
    struct fences fences;
    struct graph fenced; /* a witness with fences; `names` are for its events */
    uint32_t *names;
    uint32_t location_capacity;
    struct graph_relations relations; /* with room for each of these, and of the witnesses */
    uint32_t event_capacity;
    struct arena arena;
    bool races; /* graph_each_race told of one */
    time_t end; /* 0 = never */
};

/* ---- changes ---- */

/* The test has these changes from now on. */
static void set_edits(struct repairing *repairing, const struct litmus_edit *edits, size_t count)
{
    struct litmus_test *test = repairing->test;
    test->edits = edits;
    test->edit_count = count;
    fences_have(&repairing->fences, test);
    if (test->machine->edited != NULL) {
        test->machine->edited(test);
    }
    for (size_t t = 0; t < test->thread_count; t++) {
        struct litmus_thread *thread = &test->threads[t];
        for (size_t i = 0; i < thread->instruction_count; i++) {
            thread->instructions[i] = repairing->originals[t][i];
            litmus_edit_instruction(test, &repairing->originals[t][i], &thread->instructions[i]);
        }
    }
}

static void apply(struct repairing *repairing)
{
    set_edits(repairing, repairing->set.edits, repairing->set.count);
}

static bool keep_originals(struct repairing *repairing)
{
    const struct litmus_test *test = repairing->test;
    for (size_t t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *thread = &test->threads[t];
        repairing->originals[t] =
            arena_copy(&repairing->arena, thread->instructions,
                       thread->instruction_count * sizeof *thread->instructions);
        if (repairing->originals[t] == NULL && thread->instruction_count > 0) {
            return false;
        }
    }
    return true;
}

/* Of all operations of the witnesses, without changes now. */
static void find_changes(struct repairing *repairing)
{
    struct changes *changes = &repairing->changes;
    changes_init(changes, repairing->test, repairing->options.scope_rule);
    for (size_t w = 0; w < 2 * repairing->witness_count; w++) {
        const struct graph *graph = repairing->witnesses[w % repairing->witness_count].graph;
        for (uint32_t e = 0; e < graph->count; e++) {
            if (w < repairing->witness_count) {
                changes_add_in_place(changes, graph->events[e].instruction);
            } else {
                changes_add_fences(changes, graph->events[e].instruction);
            }
        }
    }
}

/* ---- witnesses ---- */

/* Room for the graph with a fence before and behind each event, or almost. */
static bool make_room(struct repairing *repairing, const struct graph *graph)
{
    const uint32_t events = 2 * graph->event_capacity;
    if (events <= repairing->event_capacity &&
        graph->location_capacity <= repairing->location_capacity) {
        return true;
    }
    graph_relations_release(&repairing->relations);
    graph_release(&repairing->fenced);
    repairing->relations = (struct graph_relations){0};
    repairing->fenced = (struct graph){0};
    repairing->names = arena_alloc(&repairing->arena, events, sizeof *repairing->names);
    const bool good = repairing->names != NULL &&
                      graph_relations_create(&repairing->relations, events) &&
                      graph_create(&repairing->fenced, events, graph->location_capacity);
    repairing->event_capacity = good ? events : 0;
    repairing->location_capacity = good ? graph->location_capacity : 0;
    return good;
}

static enum status add_witness(struct repairing *repairing, const struct litmus_choices *choices,
                               bool races, struct error *error)
{
    if (repairing->witness_count == WITNESSES_MAX) {
        return STATUS_OK;
    }
    struct graph *graph = alloc_zero(1, sizeof *graph);
    if (graph == NULL) {
        return error_no_memory(error, sizeof *graph);
    }
    const enum status status =
        litmus_replay(repairing->test, &repairing->options, choices, graph, error);
    if (status != STATUS_OK || !make_room(repairing, graph)) {
        graph_release(graph);
        alloc_free(graph);
        return status != STATUS_OK ? status : error_no_memory(error, 0);
    }
    fences_take_out(graph, repairing->names);
    graph->machine = &repairing->machine;
    repairing->witnesses[repairing->witness_count++] = (struct witness){graph, races};
    return STATUS_OK;
}

static bool is_weak_assertion(const struct litmus_fault *fault)
{
    return fault->weak && fault->instruction->is_assertion;
}

/* Does the outcome violate the test's own condition? One that only asks whether an outcome exists
 * says nothing of what is right. */
static bool violates_condition(const struct litmus_test *test, const struct litmus_outcome *outcome)
{
    return !test->is_kernel && test->quantifier != LITMUS_EXISTS &&
           outcome->holds == (test->quantifier != LITMUS_FORALL);
}

static bool violates(const struct repairing *repairing, size_t claim,
                     const struct litmus_result *result, const struct litmus_outcome *outcome)
{
    const struct litmus_claims *claims = repairing->options.claims;
    return claims->fails(claims->user, claim, repairing->test, result, outcome);
}

static size_t claim_count(const struct repairing *repairing)
{
    const struct litmus_claims *claims = repairing->options.claims;
    const size_t count = claims != NULL ? claims->count : 0;
    return count < CLAIMS_MAX ? count : CLAIMS_MAX;
}

/* What some interleaving violates no order can mend. */
static void find_wanted(struct repairing *repairing, const struct litmus_result *result)
{
    repairing->wants_condition = true;
    memset(repairing->wanted, true, sizeof repairing->wanted);
    for (size_t i = 0; i < result->outcome_count; i++) {
        const struct litmus_outcome *outcome = &result->outcomes[i];
        for (size_t c = 0; !outcome->weak && c < claim_count(repairing); c++) {
            repairing->wanted[c] = repairing->wanted[c] && !violates(repairing, c, result, outcome);
        }
        repairing->wants_condition =
            repairing->wants_condition &&
            (outcome->weak || !violates_condition(repairing->test, outcome));
    }
}

/* Is the outcome one that there must not be, and that orders may prevent? */
static bool is_wrong(const struct repairing *repairing, const struct litmus_result *result,
                     const struct litmus_outcome *outcome)
{
    bool wrong = repairing->wants_condition && violates_condition(repairing->test, outcome);
    for (size_t c = 0; !wrong && c < claim_count(repairing); c++) {
        wrong = repairing->wanted[c] && violates(repairing, c, result, outcome);
    }
    return outcome->weak && (wrong || repairing->goal == GOAL_OUTCOMES);
}

static enum goal find_goal(const struct repairing *repairing, const struct litmus_result *result)
{
    enum goal goal = result->race_count > 0 ? GOAL_RACES : GOAL_NONE;
    for (size_t i = 0; goal == GOAL_NONE && i < result->fault_count; i++) {
        goal = is_weak_assertion(&result->faults[i]) ? GOAL_CLAIMS : goal;
    }
    for (size_t i = 0; goal == GOAL_NONE && i < result->outcome_count; i++) {
        goal = is_wrong(repairing, result, &result->outcomes[i]) ? GOAL_CLAIMS : goal;
    }
    /* Conditions of a test may want outcomes that only weak ordering has. */
    for (size_t i = 0; repairing->test->is_kernel && goal == GOAL_NONE && i < result->outcome_count;
         i++) {
        goal = result->outcomes[i].weak ? GOAL_OUTCOMES : goal;
    }
    return goal;
}

/* Keeps the executions that are wrong: those that race, or else what they violate. *some: there are
 * any. */
static enum status add_witnesses(struct repairing *repairing, const struct litmus_result *result,
                                 bool *some, struct error *error)
{
    enum status status = STATUS_OK;
    *some = result->race_count > 0;
    for (size_t i = 0; status == STATUS_OK && i < result->race_count; i++) {
        status = add_witness(repairing, &result->races[i].choices, true, error);
    }
    if (*some) { /* what is read in a race means nothing */
        return status;
    }
    for (size_t i = 0; status == STATUS_OK && i < result->fault_count; i++) {
        if (is_weak_assertion(&result->faults[i])) {
            *some = true;
            status = add_witness(repairing, &result->faults[i].choices, false, error);
        }
    }
    for (size_t i = 0; status == STATUS_OK && i < result->outcome_count; i++) {
        if (is_wrong(repairing, result, &result->outcomes[i])) {
            *some = true;
            status = add_witness(repairing, &result->outcomes[i].choices, false, error);
        }
    }
    return status;
}

static void note_race(void *user, uint32_t a, uint32_t b)
{
    struct repairing *repairing = user;
    (void)a;
    (void)b;
    repairing->races = true;
}

/* The witness with the fences that the test has now; NULL = there is no room for them. */
static struct graph *with_fences(struct repairing *repairing, struct graph *graph)
{
    if (repairing->test->machine == repairing->fences.within) {
        return graph;
    }
    return fences_put_in(graph, &repairing->fenced, repairing->names) ? &repairing->fenced : NULL;
}

/* With the changes that the test has now: is the execution impossible, or right? */
static bool is_mended(struct repairing *repairing, const struct witness *witness)
{
    struct graph *graph = with_fences(repairing, witness->graph);
    for (uint32_t e = 0; graph != NULL && e < graph->count; e++) {
        struct graph_event *event = &graph->events[e];
        const struct litmus_instruction *instruction = event->instruction;
        const bool fails =
            instruction->op == LITMUS_COMPARE_EXCHANGE && !oracle_writes(event->kind);
        event->order = fails ? instruction->failure_order : instruction->order;
    }
    if (graph == NULL) {
        return false;
    }
    graph_relate(graph, &repairing->relations);
    if (!graph_is_consistent(graph, &repairing->relations)) {
        return true;
    }
    repairing->races = false;
    graph_each_race(graph, &repairing->relations, note_race, repairing);
    return witness->races && !repairing->races;
}

/* By the changes that the test has now. */
static bool mends_all(struct repairing *repairing)
{
    bool all = true;
    for (size_t w = repairing->witness_count; all && w-- > 0; repairing->checks++) {
        all = is_mended(repairing, &repairing->witnesses[w]);
    }
    return all;
}

/* ---- sets of changes ---- */

static bool goes_with(const struct repairing *repairing, const struct litmus_edit *edit)
{
    for (size_t i = 0; i < repairing->set.count; i++) {
        const struct litmus_edit *other = &repairing->set.edits[i];
        if (changes_are_of_one_place(other, edit)) {
            return false;
        }
    }
    return true;
}

static bool is_bad(const struct repairing *repairing)
{
    bool bad = false;
    for (size_t i = 0; !bad && i < repairing->bad_count; i++) {
        const struct set *known = &repairing->bad[i];
        bad = known->count == repairing->set.count;
        for (size_t e = 0; bad && e < known->count; e++) {
            bad = changes_are_of_one_place(&known->edits[e], &repairing->set.edits[e]) &&
                  known->edits[e].to == repairing->set.edits[e].to;
        }
    }
    return bad;
}

/* Those before the first fence were looked at before. */
static bool is_of_way(const struct repairing *repairing)
{
    bool fences = false;
    for (size_t i = 0; i < repairing->set.count; i++) {
        fences = fences || fences_is_one(&repairing->set.edits[i]);
    }
    return fences == repairing->way.fences;
}

static size_t change_count(const struct repairing *repairing)
{
    return repairing->way.fences ? repairing->changes.count : repairing->changes.in_place_count;
}

/* Does the set mend all that is wrong, and is nothing else wrong then? */
static bool does(struct repairing *repairing)
{
    if (!is_of_way(repairing) || is_bad(repairing)) {
        return false;
    }
    apply(repairing);
    return mends_all(repairing);
}

/* Adds `count` changes of that weight together, from the first one on, that mend all. */
static bool choose(struct repairing *repairing, size_t first, size_t count, uint32_t weight)
{
    if (count == 0) {
        return weight == 0 && does(repairing);
    }
    for (size_t i = first; i < change_count(repairing); i++) {
        const struct change *change = &repairing->changes.list[i];
        if (change->weight > weight || !goes_with(repairing, &change->edit) ||
            repairing->checks > CHECKS_MAX) {
            continue;
        }
        repairing->set.edits[repairing->set.count++] = change->edit;
        if (choose(repairing, i + 1, count - 1, weight - change->weight)) {
            return true;
        }
        repairing->set.count--;
    }
    return false;
}

/* Few changes first, then light ones. */
static bool choose_strong(struct repairing *repairing, uint32_t strong)
{
    for (size_t count = strong > 0 ? strong : 1; count <= LITMUS_REPAIR_MAX; count++) {
        const uint32_t most = 3 * (uint32_t)(count - strong);
        for (uint32_t weight = (uint32_t)count - strong; weight <= most; weight++) {
            repairing->set.count = 0;
            if (choose(repairing, 0, count, weight + strong * CHANGES_SEQ_CST)) {
                return true;
            }
        }
    }
    return false;
}

/* Would all changes of the way together mend all? Each orders more than was ordered before, so that
 * else no set of them does. */
static bool may_mend(struct repairing *repairing)
{
    const struct changes *changes = &repairing->changes;
    size_t count = 0;
    for (uint32_t weight = 1; weight <= CHANGES_SEQ_CST; weight++) {
        for (size_t i = 0; i < change_count(repairing); i++) {
            if (changes->list[i].weight == weight &&
                (repairing->way.strong || weight < CHANGES_SEQ_CST)) {
                repairing->all[count++] = changes->list[i].edit;
            }
        }
    }
    set_edits(repairing, repairing->all, count);
    return count > 0 && mends_all(repairing);
}

/* In place, then with fences; what takes seq_cst comes last. */
static bool find_set(struct repairing *repairing)
{
    static const struct way ways[] = {{false, false}, {true, false}, {false, true}, {true, true}};
    repairing->checks = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        repairing->way = ways[i];
        if (!may_mend(repairing)) {
            continue;
        }
        for (uint32_t strong = ways[i].strong; strong <= (ways[i].strong ? LITMUS_REPAIR_MAX : 0);
             strong++) {
            if (choose_strong(repairing, strong)) {
                return true;
            }
        }
    }
    return false;
}

/* Says of each change whether operations of another kind have what it changes. */
static void note_others(const struct repairing *repairing, struct litmus_edit *edit)
{
    edit->is_alone = true;
    for (size_t w = 0; w < repairing->witness_count; w++) {
        const struct graph *graph = repairing->witnesses[w].graph;
        for (uint32_t e = 0; e < graph->count; e++) {
            const struct litmus_instruction *instruction = graph->events[e].instruction;
            const bool is_another = fences_is_one(edit) ? instruction->line == edit->line
                                                        : litmus_edit_means(edit, instruction);
            edit->is_alone &= !is_another ||
                              (instruction->op == edit->op && litmus_edit_means(edit, instruction));
        }
    }
}

/* ---- the whole ---- */

/* Is something wrong now that was not, and that is no matter of orders? */
static bool is_worse(const struct litmus_result *result, const struct litmus_result *before)
{
    return result->fault_count > before->fault_count || (result->hangs && !before->hangs) ||
           (result->stuck > 0 && before->stuck == 0);
}

/* Explores with the set that was found. *ends: that is all. */
static enum status try_set(struct repairing *repairing, const struct litmus_result *before,
                           struct litmus_repair *repair, bool *ends, struct error *error)
{
    struct litmus_result *result = NULL;
    bool wrong = false;
    apply(repairing);
    enum status status = litmus_search(repairing->test, &repairing->options, &result, error);
    if (status == STATUS_OK) {
        status = add_witnesses(repairing, result, &wrong, error);
    }
    if (status == STATUS_OK && !wrong && is_worse(result, before)) {
        repairing->bad[repairing->bad_count++] = repairing->set;
    } else if (status == STATUS_OK && !wrong) {
        *ends = true;
        memcpy(repair->edits, repairing->set.edits, sizeof repair->edits);
        repair->edit_count = repairing->set.count;
        repair->kind = result->left_out == 0 ? LITMUS_REPAIR_VERIFIED : LITMUS_REPAIR_TRIED;
    }
    repair->explorations++;
    litmus_result_destroy(result);
    return status;
}

/* What the user gives exploring is given all that is tried together, once more. */
static bool has_time(struct repairing *repairing)
{
    const time_t now = time(NULL);
    if (repairing->end == 0) {
        return true;
    }
    repairing->options.seconds = now < repairing->end ? (uint32_t)(repairing->end - now) : 0;
    return now < repairing->end;
}

static enum status look_for_set(struct repairing *repairing, const struct litmus_result *before,
                                struct litmus_repair *repair, struct error *error)
{
    bool ends = false;
    bool some;
    enum status status = add_witnesses(repairing, before, &some, error);
    while (status == STATUS_OK && !ends) {
        set_edits(repairing, NULL, 0);
        find_changes(repairing);
        repair->kind = LITMUS_REPAIR_UNKNOWN;
        if (repair->explorations == EXPLORATIONS_MAX || repairing->witness_count == WITNESSES_MAX ||
            !has_time(repairing)) {
            break;
        }
        if (!find_set(repairing)) {
            repair->kind = repairing->checks > CHECKS_MAX ? LITMUS_REPAIR_UNKNOWN
                           : repairing->changes.count > 0 ? LITMUS_REPAIR_NONE
                                                          : LITMUS_REPAIR_UNWANTED;
            break;
        }
        status = try_set(repairing, before, repair, &ends, error);
    }
    set_edits(repairing, NULL, 0);
    for (size_t i = 0; i < repair->edit_count; i++) {
        note_others(repairing, &repair->edits[i]);
    }
    return status;
}

static int compare_edits(const void *a, const void *b)
{
    const struct litmus_edit *first = a;
    const struct litmus_edit *second = b;
    return first->line != second->line ? (first->line > second->line) - (first->line < second->line)
                                       : (int)first->kind - (int)second->kind;
}

static void release(struct repairing *repairing)
{
    for (size_t w = 0; w < repairing->witness_count; w++) {
        graph_release(repairing->witnesses[w].graph);
        alloc_free(repairing->witnesses[w].graph);
    }
    graph_relations_release(&repairing->relations);
    graph_release(&repairing->fenced);
    arena_release(&repairing->arena);
    alloc_free(repairing);
}

enum status litmus_repair(struct litmus_test *test, const struct litmus_options *options,
                          const struct litmus_result *result, struct litmus_repair *repair,
                          struct error *error)
{
    *repair = (struct litmus_repair){.kind = LITMUS_REPAIR_UNWANTED};
    const uint32_t in_part = LITMUS_LEFT_SAMPLES | LITMUS_LEFT_TIME | LITMUS_LEFT_STATES;
    if (!options->weak || (result->left_out & in_part) != 0) {
        return STATUS_OK;
    }
    struct repairing *repairing = alloc_zero(1, sizeof *repairing);
    if (repairing == NULL) {
        return error_no_memory(error, sizeof *repairing);
    }
    repairing->test = test;
    repairing->options = *options;
    repairing->options.states_max = STATES_MAX;
    repairing->end = options->seconds == 0 ? 0 : time(NULL) + (time_t)options->seconds;
    repairing->machine = litmus_machine(test, options->scope_rule, options->seq_cst_alone);
    repairing->machine.seq_cst_scoped = !options->seq_cst_all;
    fences_init(&repairing->fences, test);
    find_wanted(repairing, result);
    repairing->goal = find_goal(repairing, result);
    enum status status = STATUS_OK;
    if (repairing->goal != GOAL_NONE) {
        status = keep_originals(repairing) ? look_for_set(repairing, result, repair, error)
                                           : error_no_memory(error, 0);
    }
    qsort(repair->edits, repair->edit_count, sizeof *repair->edits, compare_edits);
    release(repairing);
    return status;
}
