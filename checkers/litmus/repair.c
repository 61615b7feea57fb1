#include "checkers/litmus/repair.h"

#include "checkers/litmus/machine.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    EXPLORATIONS_MAX = 24,
    STATES_MAX = 200000, /* of each */
    WITNESSES_MAX = 64,
    CANDIDATES_MAX = 64,
    CHECKS_MAX = 200000, /* of a set against a witness */
    /* The weight of a change to seq_cst: more than all others together. */
    SEQ_CST_WEIGHT = 64,
};

/* What is to be mended. */
enum goal { GOAL_NONE, GOAL_RACES, GOAL_ASSERTIONS, GOAL_OUTCOMES };

struct candidate {
    struct litmus_edit edit;
    uint32_t weight;
};

struct set {
    struct litmus_edit edits[LITMUS_REPAIR_MAX];
    size_t count;
};

struct repairing {
    struct litmus_test *test;
    struct litmus_options options; /* of explorations with changes */
    struct oracle_machine machine;
    enum goal goal;
    struct graph *witnesses[WITNESSES_MAX];
    size_t witness_count;
    struct candidate candidates[CANDIDATES_MAX];
    size_t candidate_count;
    uint32_t checks;
    struct set set;                   /* that is looked at */
    struct set bad[EXPLORATIONS_MAX]; /* after which something else is wrong */
    size_t bad_count;
    struct litmus_instruction *originals[LITMUS_THREADS_MAX]; /* of threads with instructions */
    struct graph_relations relations; /* with room for each of the witnesses */
    uint32_t event_capacity;
    struct arena arena;
    bool races; /* graph_each_race told of one */
    time_t end; /* 0 = never */
};

/* ---- changes ---- */

static bool may_take(const struct litmus_instruction *instruction, enum oracle_order order)
{
    return oracle_may_have_order(instruction->kind, order) &&
           (instruction->op != LITMUS_COMPARE_EXCHANGE ||
            oracle_may_fail_with(order, instruction->failure_order));
}

static bool has_order(const struct litmus_instruction *instruction)
{
    return instruction->op == LITMUS_FENCE ||
           (instruction->op != LITMUS_BARRIER && oracle_is_atomic(instruction->kind));
}

static bool has_flags(const struct litmus_instruction *instruction)
{
    return instruction->op == LITMUS_FENCE ||
           (instruction->op == LITMUS_BARRIER && !instruction->gathers);
}

static bool has_property(const struct litmus_instruction *instruction, enum litmus_edit_kind kind)
{
    return kind == LITMUS_EDIT_FLAGS ? has_flags(instruction) : has_order(instruction);
}

/* Its order, scope or flags. */
static uint32_t property_of(const struct litmus_instruction *instruction,
                            enum litmus_edit_kind kind)
{
    return kind == LITMUS_EDIT_ORDER   ? (uint32_t)instruction->order
           : kind == LITMUS_EDIT_SCOPE ? (uint32_t)instruction->scope
                                       : instruction->flags;
}

/* Does the line's operation have what is changed, be it of the kind that is, or of another one? */
static bool is_meant(const struct litmus_edit *edit, const struct litmus_instruction *instruction)
{
    return edit->line == instruction->line && instruction->op >= LITMUS_READ &&
           has_property(instruction, edit->kind) &&
           property_of(instruction, edit->kind) == edit->from;
}

void litmus_edit_instruction(const struct litmus_test *test,
                             const struct litmus_instruction *original,
                             struct litmus_instruction *edited)
{
    for (size_t i = 0; i < test->edit_count; i++) {
        const struct litmus_edit *edit = &test->edits[i];
        if (!is_meant(edit, original) || edit->op != original->op) {
            continue;
        }
        if (edit->kind == LITMUS_EDIT_FLAGS) {
            edited->flags = edit->to;
        } else if (edit->kind == LITMUS_EDIT_SCOPE) {
            edited->scope = (enum oracle_scope)edit->to;
        } else if (may_take(original, (enum oracle_order)edit->to)) {
            edited->order = (enum oracle_order)edit->to;
        }
    }
}

/* The test has these changes from now on. */
static void set_edits(struct repairing *repairing, const struct litmus_edit *edits, size_t count)
{
    struct litmus_test *test = repairing->test;
    test->edits = edits;
    test->edit_count = count;
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

/* ---- which changes there are ---- */

static bool same_change(const struct litmus_edit *a, const struct litmus_edit *b)
{
    return a->kind == b->kind && a->line == b->line && a->op == b->op && a->from == b->from;
}

static void add_candidate(struct repairing *repairing, enum litmus_edit_kind kind,
                          const struct litmus_instruction *instruction, uint32_t to,
                          uint32_t weight)
{
    const struct litmus_edit edit = {
        .kind = kind,
        .line = instruction->line,
        .op = instruction->op,
        .from = property_of(instruction, kind),
        .to = to,
        .instruction = instruction,
    };
    for (size_t i = 0; i < repairing->candidate_count; i++) {
        const struct litmus_edit *known = &repairing->candidates[i].edit;
        if (same_change(known, &edit) && known->to == to) {
            return;
        }
    }
    if (repairing->candidate_count < CANDIDATES_MAX) {
        repairing->candidates[repairing->candidate_count++] = (struct candidate){edit, weight};
    }
}

static void add_orders(struct repairing *repairing, const struct litmus_instruction *instruction)
{
    static const struct {
        enum oracle_order from, to;
        uint32_t weight;
    } steps[] = {
        {ORACLE_RELAXED, ORACLE_ACQUIRE, 1},
        {ORACLE_RELAXED, ORACLE_RELEASE, 1},
        {ORACLE_RELAXED, ORACLE_ACQ_REL, 2},
        {ORACLE_ACQUIRE, ORACLE_ACQ_REL, 1},
        {ORACLE_RELEASE, ORACLE_ACQ_REL, 1},
        {ORACLE_RELAXED, ORACLE_SEQ_CST, SEQ_CST_WEIGHT},
        {ORACLE_ACQUIRE, ORACLE_SEQ_CST, SEQ_CST_WEIGHT},
        {ORACLE_RELEASE, ORACLE_SEQ_CST, SEQ_CST_WEIGHT},
        {ORACLE_ACQ_REL, ORACLE_SEQ_CST, SEQ_CST_WEIGHT},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (instruction->order == steps[i].from && may_take(instruction, steps[i].to)) {
            add_candidate(repairing, LITMUS_EDIT_ORDER, instruction, steps[i].to, steps[i].weight);
        }
    }
}

static void add_scopes(struct repairing *repairing, const struct litmus_instruction *instruction)
{
    for (uint32_t to = (uint32_t)instruction->scope + 1; to <= ORACLE_DEVICE; to++) {
        add_candidate(repairing, LITMUS_EDIT_SCOPE, instruction, to,
                      to - (uint32_t)instruction->scope);
    }
}

static void add_flags(struct repairing *repairing, const struct litmus_instruction *instruction)
{
    static const uint32_t flags[] = {ORACLE_FLAG_GLOBAL, ORACLE_FLAG_LOCAL};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if ((instruction->flags & flags[i]) == 0) {
            add_candidate(repairing, LITMUS_EDIT_FLAGS, instruction, instruction->flags | flags[i],
                          1);
        }
    }
}

/* Of all operations of the witnesses, without changes now. */
static void find_candidates(struct repairing *repairing)
{
    repairing->candidate_count = 0;
    for (size_t w = 0; w < repairing->witness_count; w++) {
        const struct graph *graph = repairing->witnesses[w];
        for (uint32_t e = 0; e < graph->count; e++) {
            const struct litmus_instruction *instruction = graph->events[e].instruction;
            if (has_order(instruction) && !repairing->test->lacks_orders) {
                add_orders(repairing, instruction);
                add_scopes(repairing, instruction);
            }
            if (has_flags(instruction)) {
                add_flags(repairing, instruction);
            }
        }
    }
}

/* ---- witnesses ---- */

static bool make_room(struct repairing *repairing, uint32_t event_capacity)
{
    if (event_capacity <= repairing->event_capacity) {
        return true;
    }
    graph_relations_release(&repairing->relations);
    repairing->event_capacity =
        graph_relations_create(&repairing->relations, event_capacity) ? event_capacity : 0;
    return repairing->event_capacity > 0;
}

static enum status add_witness(struct repairing *repairing, const struct litmus_choices *choices,
                               struct error *error)
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
    if (status != STATUS_OK || !make_room(repairing, graph->event_capacity)) {
        graph_release(graph);
        alloc_free(graph);
        return status != STATUS_OK ? status : error_no_memory(error, 0);
    }
    graph->machine = &repairing->machine;
    repairing->witnesses[repairing->witness_count++] = graph;
    return STATUS_OK;
}

static bool is_weak_assertion(const struct litmus_fault *fault)
{
    return fault->weak && fault->instruction->is_assertion;
}

/* Conditions of a test may want outcomes that only weak ordering has. */
static enum goal find_goal(const struct litmus_test *test, const struct litmus_result *result)
{
    enum goal goal = result->race_count > 0 ? GOAL_RACES : GOAL_NONE;
    for (size_t i = 0; goal == GOAL_NONE && i < result->fault_count; i++) {
        goal = is_weak_assertion(&result->faults[i]) ? GOAL_ASSERTIONS : goal;
    }
    for (size_t i = 0; test->is_kernel && goal == GOAL_NONE && i < result->outcome_count; i++) {
        goal = result->outcomes[i].weak ? GOAL_OUTCOMES : goal;
    }
    return goal;
}

/* Keeps the executions that are wrong, by what is to be mended; *some: there are any. */
static enum status add_witnesses(struct repairing *repairing, const struct litmus_result *result,
                                 bool *some, struct error *error)
{
    enum status status = STATUS_OK;
    *some = false;
    for (size_t i = 0; status == STATUS_OK && i < result->race_count; i++) {
        *some = true;
        status = add_witness(repairing, &result->races[i].choices, error);
    }
    for (size_t i = 0;
         status == STATUS_OK && repairing->goal == GOAL_ASSERTIONS && i < result->fault_count;
         i++) {
        if (is_weak_assertion(&result->faults[i])) {
            *some = true;
            status = add_witness(repairing, &result->faults[i].choices, error);
        }
    }
    for (size_t i = 0;
         status == STATUS_OK && repairing->goal == GOAL_OUTCOMES && i < result->outcome_count;
         i++) {
        if (result->outcomes[i].weak) {
            *some = true;
            status = add_witness(repairing, &result->outcomes[i].choices, error);
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

/* With the changes that the test has now: is the execution impossible, or right? */
static bool is_mended(struct repairing *repairing, struct graph *graph)
{
    for (uint32_t e = 0; e < graph->count; e++) {
        struct graph_event *event = &graph->events[e];
        const struct litmus_instruction *instruction = event->instruction;
        const bool fails =
            instruction->op == LITMUS_COMPARE_EXCHANGE && !oracle_writes(event->kind);
        event->order = fails ? instruction->failure_order : instruction->order;
    }
    graph_relate(graph, &repairing->relations);
    if (!graph_is_consistent(graph, &repairing->relations)) {
        return true;
    }
    repairing->races = false;
    graph_each_race(graph, &repairing->relations, note_race, repairing);
    return repairing->goal == GOAL_RACES && !repairing->races;
}

static bool mends_all(struct repairing *repairing)
{
    apply(repairing);
    bool all = true;
    for (size_t w = repairing->witness_count; all && w-- > 0; repairing->checks++) {
        all = is_mended(repairing, repairing->witnesses[w]);
    }
    return all;
}

/* ---- sets of changes ---- */

static bool goes_with(const struct repairing *repairing, const struct litmus_edit *edit)
{
    for (size_t i = 0; i < repairing->set.count; i++) {
        const struct litmus_edit *other = &repairing->set.edits[i];
        if (same_change(other, edit)) {
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
            bad = same_change(&known->edits[e], &repairing->set.edits[e]) &&
                  known->edits[e].to == repairing->set.edits[e].to;
        }
    }
    return bad;
}

/* Adds `count` changes of that weight together, from the first candidate on, that mend all. */
static bool choose(struct repairing *repairing, size_t first, size_t count, uint32_t weight)
{
    if (count == 0) {
        return weight == 0 && !is_bad(repairing) && mends_all(repairing);
    }
    for (size_t i = first; i < repairing->candidate_count; i++) {
        const struct candidate *candidate = &repairing->candidates[i];
        if (candidate->weight > weight || !goes_with(repairing, &candidate->edit) ||
            repairing->checks > CHECKS_MAX) {
            continue;
        }
        repairing->set.edits[repairing->set.count++] = candidate->edit;
        if (choose(repairing, i + 1, count - 1, weight - candidate->weight)) {
            return true;
        }
        repairing->set.count--;
    }
    return false;
}

/* Few changes first, then light ones; those with seq_cst last. */
static bool find_set(struct repairing *repairing)
{
    repairing->checks = 0;
    for (uint32_t strong = 0; strong <= LITMUS_REPAIR_MAX; strong++) {
        for (size_t count = strong > 0 ? strong : 1; count <= LITMUS_REPAIR_MAX; count++) {
            const uint32_t most = 3 * (uint32_t)(count - strong);
            for (uint32_t weight = (uint32_t)count - strong; weight <= most; weight++) {
                repairing->set.count = 0;
                if (choose(repairing, 0, count, weight + strong * SEQ_CST_WEIGHT)) {
                    return true;
                }
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
        const struct graph *graph = repairing->witnesses[w];
        for (uint32_t e = 0; e < graph->count; e++) {
            const struct litmus_instruction *instruction = graph->events[e].instruction;
            edit->is_alone &= !is_meant(edit, instruction) || instruction->op == edit->op;
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
        find_candidates(repairing);
        repair->kind = LITMUS_REPAIR_UNKNOWN;
        if (repair->explorations == EXPLORATIONS_MAX || repairing->witness_count == WITNESSES_MAX ||
            !has_time(repairing)) {
            break;
        }
        if (!find_set(repairing)) {
            repair->kind = repairing->checks > CHECKS_MAX   ? LITMUS_REPAIR_UNKNOWN
                           : repairing->candidate_count > 0 ? LITMUS_REPAIR_NONE
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

enum status litmus_repair(struct litmus_test *test, const struct litmus_options *options,
                          const struct litmus_result *result, struct litmus_repair *repair,
                          struct error *error)
{
    *repair = (struct litmus_repair){.kind = LITMUS_REPAIR_UNWANTED};
    const uint32_t in_part = LITMUS_LEFT_SAMPLES | LITMUS_LEFT_TIME | LITMUS_LEFT_STATES;
    const enum goal goal = find_goal(test, result);
    if (goal == GOAL_NONE || !options->weak || (result->left_out & in_part) != 0) {
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
    repairing->goal = goal;
    enum status status = keep_originals(repairing) ? look_for_set(repairing, result, repair, error)
                                                   : error_no_memory(error, 0);
    qsort(repair->edits, repair->edit_count, sizeof *repair->edits, compare_edits);
    for (size_t w = 0; w < repairing->witness_count; w++) {
        graph_release(repairing->witnesses[w]);
        alloc_free(repairing->witnesses[w]);
    }
    graph_relations_release(&repairing->relations);
    arena_release(&repairing->arena);
    alloc_free(repairing);
    return status;
}
