#include "viewer-cli/kernel/cmd_kernel.h"

#include "checkers/finding.h"
#include "checkers/litmus/machine.h"
#include "trace/base/arena.h"
#include "trace/base/json.h"

#include <inttypes.h>
#include <string.h>

/* ---- words ---- */

static const char *const order_words[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
static const char *const scope_words[] = {"work_item", "sub_group", "work_group", "device",
                                          "all_devices"};

const char *executions_order_word(enum oracle_order order)
{
    return order_words[order];
}

const char *executions_scope_word(enum oracle_scope scope)
{
    return scope_words[scope];
}

void executions_print_flags(struct text *text, uint32_t flags)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } words[] = {
        {ORACLE_FLAG_GLOBAL, "global"}, {ORACLE_FLAG_LOCAL, "local"}, {ORACLE_FLAG_IMAGE, "image"}};
    const char *between = "";
    if (flags == 0) {
        text_append(text, "no memory");
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if ((flags & words[i].flag) != 0) {
            text_format(text, "%s%s", between, words[i].word);
            between = " and ";
        }
    }
}

/* "atomic write of f (release, device)"; "fence for global (acquire, device)" */
void executions_print_operation(struct text *text, const struct litmus_test *test,
                                const struct litmus_instruction *instruction, enum oracle_kind kind)
{
    static const char *const kinds[] = {
        "read of",          "write of",  "atomic read of", "atomic write of",
        "atomic update of", "fence for", "barrier for",    "sub-group barrier for",
    };
    text_format(text, "%s ", kinds[kind]);
    if (oracle_is_access(kind)) {
        text_append(text, test->locations[instruction->location].name);
    } else {
        executions_print_flags(text, instruction->flags);
    }
    if (kind >= ORACLE_BARRIER) {
        text_format(text, " (%s)", scope_words[instruction->scope]);
    } else if (oracle_is_atomic(kind) || kind == ORACLE_FENCE) {
        text_format(text, " (%s, %s)", order_words[instruction->order],
                    scope_words[instruction->scope]);
    }
}

/* "P0", "work-item 0" */
static void print_thread(struct text *text, const struct litmus_test *test, uint32_t thread)
{
    text_format(text, test->is_kernel ? "work-item %u" : "P%u", test->threads[thread].number);
}

static void print_value(struct text *text, const struct litmus_location *location, int64_t value)
{
    if (!location->is_floating) {
        text_format(text, "%" PRId64, value);
    } else if (location->type.size == sizeof(float)) {
        float number;
        memcpy(&number, &value, sizeof number);
        text_format(text, "%.9g", (double)number);
    } else {
        double number;
        memcpy(&number, &value, sizeof number);
        text_format(text, "%.17g", number);
    }
}

static void print_observed_value(struct text *text, const struct litmus_test *test,
                                 const struct litmus_observed *observed, int64_t value)
{
    if (observed->is_location) {
        print_value(text, &test->locations[observed->index], value);
    } else {
        text_format(text, "%" PRId64, value);
    }
}

void executions_print_choices(const struct litmus_choices *choices, struct text *text)
{
    text_append_char(text, choices->buffered ? 'b' : choices->weak ? 'w' : 'i');
    for (uint32_t i = 0; i < choices->count; i++) {
        text_format(text, "%s%u", i == 0 ? "" : ".", choices->choices[i]);
    }
}

/* The end of a line: the execution that shows it. */
static void print_how(struct text *text, bool weak, bool by_scope,
                      const struct litmus_choices *choices)
{
    text_format(text, "%s%s; --choices ",
                choices->buffered ? ", only by load buffering"
                : weak            ? ", only under weak ordering"
                                  : "",
                by_scope ? ", as the scope of some seq_cst operation is too narrow" : "");
    executions_print_choices(choices, text);
    text_append_char(text, '\n');
}

static void print_observed(struct text *text, const struct litmus_test *test,
                           const struct litmus_observed *observed)
{
    if (observed->is_location) {
        text_append(text, test->locations[observed->index].name);
    } else {
        const struct litmus_thread *thread = &test->threads[observed->thread];
        text_format(text, "%u:%s", thread->number, thread->variables[observed->index].name);
    }
}

/* ---- the report ---- */

/* Two atomic operations that race: would their scopes do if they need not be equal? */
static void print_scopes(struct text *text, const struct litmus_test *test,
                         const struct litmus_race *race)
{
    const struct oracle_machine machine = litmus_machine(test, ORACLE_SCOPES_WIDE_ENOUGH, false);
    const enum oracle_scope first = race->first->scope;
    const enum oracle_scope second = race->second->scope;
    if (oracle_inclusive(&machine, race->first_thread, first, race->second_thread, second,
                         race->first->location)) {
        text_format(text,
                    "both are atomic, but the scopes %s and %s are not equal, as OpenCL "
                    "up to 3.0 wants",
                    scope_words[first], scope_words[second]);
    } else {
        text_format(text, "both are atomic, but the scope %s does not hold both work-items",
                    scope_words[first < second ? first : second]);
    }
}

static const char *race_reason(const struct litmus_test *test, const struct litmus_race *race,
                               struct text *text)
{
    const bool is_local = test->locations[race->first->location].region == ORACLE_LOCAL;
    if (race->scopes) {
        print_scopes(text, test, race);
    } else {
        text_format(text, "neither happens before the other in %s memory",
                    is_local ? "local" : "global");
    }
    return text->bytes;
}

static void print_side(struct text *text, const struct litmus_test *test, uint32_t thread,
                       const struct litmus_instruction *instruction)
{
    executions_print_operation(text, test, instruction, instruction->kind);
    text_append(text, " by ");
    print_thread(text, test, thread);
    text_format(text, ", line %u", instruction->line);
}

static void print_race(const struct executions *executions, const struct litmus_race *race)
{
    struct text *text = executions->text;
    const struct litmus_test *test = executions->test;
    struct text reason = TEXT_INIT;
    race_reason(test, race, &reason);
    text_append(text, "race: ");
    print_side(text, test, race->first_thread, race->first);
    text_append(text, ", and ");
    print_side(text, test, race->second_thread, race->second);
    text_format(text, ": %s", reason.bytes);
    print_how(text, race->weak, race->by_scope, &race->choices);
    text_release(&reason);
}

static void print_fault(const struct executions *executions, const struct litmus_fault *fault)
{
    struct text *text = executions->text;
    if (fault->instruction->is_assertion) {
        text_append(text, "assert: violated by ");
    } else {
        text_format(text, "fault: %s by ", fault->instruction->fault);
    }
    print_thread(text, executions->test, fault->thread);
    text_format(text, ", line %u", fault->instruction->line);
    if (fault->instruction->is_assertion && *fault->instruction->fault != '\0') {
        text_format(text, ": %s", fault->instruction->fault);
    }
    print_how(text, fault->weak, false, &fault->choices);
}

void executions_print_values(const struct executions *executions,
                             const struct litmus_outcome *outcome, struct text *text)
{
    for (size_t i = 0; i < executions->result->observed_count; i++) {
        const struct litmus_observed *observed = &executions->result->observed[i];
        text_append(text, i == 0 ? "" : " ");
        print_observed(text, executions->test, observed);
        text_append_char(text, '=');
        print_observed_value(text, executions->test, observed, outcome->values[i]);
    }
}

static void print_outcome(const struct executions *executions, const struct litmus_outcome *outcome)
{
    struct text *text = executions->text;
    text_append(text, executions->test->is_kernel ? "outcome: "
                      : outcome->holds            ? "outcome: *"
                                                  : "outcome:  ");
    executions_print_values(executions, outcome, text);
    if (executions->result->observed_count == 0 && executions->test->is_kernel) {
        text_append(text, "nothing is written");
    }
    print_how(text, outcome->weak, outcome->by_scope, &outcome->choices);
}

static const char *condition_words(const struct executions *executions,
                                   enum litmus_verdict condition)
{
    static const char *const exists[] = {"not reachable", "reachable", "not decided"};
    static const char *const forall[] = {"always holds", "does not always hold", "not decided"};
    return executions->test->quantifier == LITMUS_FORALL ? forall[condition] : exists[condition];
}

static bool only_weak(const struct executions *executions)
{
    bool weak;
    litmus_reaches(executions->test, executions->result, &weak);
    return weak;
}

static const char *const assertion_words[] = {"holds", "violated", "not decided"};

static void print_assertion(const struct executions *executions,
                            const struct executions_assertion *assertion)
{
    struct text *text = executions->text;
    text_format(text, "assert: %s: %s", assertion->text, assertion_words[assertion->verdict]);
    if (assertion->outcome == NULL) {
        text_append_char(text, '\n');
        return;
    }
    text_format(text, "%s%s", *assertion->where != '\0' ? ": " : "", assertion->where);
    print_how(text, assertion->outcome->weak, assertion->outcome->by_scope,
              &assertion->outcome->choices);
}

/* What was not looked at, a sentence each: calls for each. */
static void each_left_out(const struct executions *executions,
                          void (*take)(const struct executions *executions, const char *sentence))
{
    const struct litmus_result *result = executions->result;
    const struct litmus_options *search = executions->search;
    struct arena arena = {0};
    const struct {
        enum litmus_left_out what;
        const char *sentence;
    } rows[] = {
        {LITMUS_LEFT_ROUNDS,
         arena_format(
             &arena,
             "%" PRIu64 " %s cut where a loop would have more than %" PRIu32 " rounds (--unroll)",
             result->cut, result->cut == 1 ? "execution was" : "executions were", search->rounds)},
        {LITMUS_LEFT_STEPS,
         arena_format(&arena, "a thread takes more than %d steps", MACHINE_STEPS_MAX)},
        {LITMUS_LEFT_MEMORY,
         search->memory == 0
             ? "memory ran out"
             : arena_format(&arena, "what is left takes more than %" PRIu64 " MiB (--memory)",
                            search->memory / EXECUTIONS_MIB)},
        {LITMUS_LEFT_STATES,
         arena_format(&arena, "there are more than %" PRIu64 " graphs", search->states_max)},
        {LITMUS_LEFT_TIME,
         arena_format(&arena,
                      "time was up after %" PRIu32 " seconds (--time); --executions %" PRIu64
                      " comes to the same",
                      search->seconds, result->visited)},
        {LITMUS_LEFT_EXECUTIONS,
         arena_format(&arena, "there are more executions than the first %" PRIu64 " (--executions)",
                      search->executions)},
        {LITMUS_LEFT_VALUES,
         "what plain accesses read in a race was not gone through (--race-values)"},
        {LITMUS_LEFT_SAMPLES,
         arena_format(&arena,
                      "%" PRIu64 " executions were chosen at random, and no hang looked for",
                      search->samples)},
        {LITMUS_LEFT_ALL, "no execution counts, as a clerk_assume holds in none"},
        {LITMUS_LEFT_WEAK, "no weak executions were looked at (--explore)"},
        {LITMUS_LEFT_BUFFERING, "a read may get a value that is only written after it (load "
                                "buffering), past an acquire, a "
                                "release or a fence, and no such execution was looked at"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if ((result->left_out & rows[i].what) != 0) {
            take(executions, rows[i].sentence != NULL ? rows[i].sentence : "memory ran out");
        }
    }
    arena_release(&arena);
}

/* "loops ", "work-item 0 in line 7 and work-item 1 in line 9 " */
static void print_waiting(const struct executions *executions)
{
    const struct litmus_test *test = executions->test;
    const char *between = "";
    if (!test->is_kernel) {
        text_append(executions->text, "loops ");
    }
    for (uint32_t t = 0; test->is_kernel && t < test->thread_count; t++) {
        const struct litmus_instruction *at = executions->result->hang_at[t];
        if (at != NULL) {
            text_append(executions->text, between);
            print_thread(executions->text, test, t);
            text_format(executions->text, " in line %u ", at->line);
            between = "and ";
        }
    }
}

static void print_counts(const struct executions *executions)
{
    const struct litmus_result *result = executions->result;
    struct text *text = executions->text;
    text_format(text, "executions: %" PRIu64, result->executions);
    if (executions->search->samples > 0) {
        text_append(text, ", chosen at random");
    }
    if (executions->search->weak || executions->search->samples > 0) {
        text_format(text, ", interleavings: %" PRIu64, result->interleavings);
    }
    if (result->stand_for_others) {
        text_format(text, ", up to exchanging like %s",
                    executions->test->is_kernel ? "work-items" : "threads");
    }
    text_append_char(text, '\n');
    if (result->blocked > 0) {
        text_format(text,
                    "assume: %" PRIu64 " more %s not count, as a clerk_assume does not hold\n",
                    result->blocked, result->blocked == 1 ? "does" : "do");
    }
    if (result->stuck > 0) {
        text_format(text, "barrier: in %" PRIu64 " %s not all %s reach the same barrier\n",
                    result->stuck, result->stuck == 1 ? "execution" : "executions",
                    executions->test->is_kernel ? "work-items" : "threads");
    }
    if (result->hangs) {
        text_append(text, "hang: ");
        print_waiting(executions);
        text_append(text, "may wait for ever");
        print_how(text, result->hangs_weakly, false, &result->hang);
    }
}

/* Of verdicts that have no line where nothing was found. */
static void print_not_decided(const struct executions *executions,
                              const struct litmus_verdicts *verdicts)
{
    const struct {
        const char *words;
        enum litmus_verdict verdict;
    } list[] = {
        {"other outcomes", verdicts->more},
        {"faults", verdicts->fault},
        {"barriers that not all reach", verdicts->barrier},
        {"hangs", verdicts->hang},
    };
    const char *between = "not decided: ";
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i].verdict == LITMUS_NOT_DECIDED) {
            text_format(executions->text, "%s%s", between, list[i].words);
            between = ", ";
        }
    }
    if (verdicts->more == LITMUS_NOT_DECIDED) {
        text_append_char(executions->text, '\n');
    }
}

static void print_left_out(const struct executions *executions, const char *sentence)
{
    text_format(executions->text, "incomplete: %s\n", sentence);
}

static void print_text(const struct executions *executions)
{
    const struct litmus_result *result = executions->result;
    struct litmus_verdicts verdicts;
    litmus_judge(executions->test, result, &verdicts);
    if (!executions->test->is_kernel) {
        text_format(executions->text, "litmus test %s\n", executions->test->name);
    }
    for (size_t i = 0; i < result->outcome_count; i++) {
        print_outcome(executions, &result->outcomes[i]);
    }
    if (!executions->test->is_kernel) {
        text_format(executions->text, "condition: %s%s\n",
                    condition_words(executions, verdicts.condition),
                    only_weak(executions) ? ", only under weak ordering" : "");
    }
    for (size_t i = 0; i < result->race_count; i++) {
        print_race(executions, &result->races[i]);
    }
    if (verdicts.race != LITMUS_FOUND) {
        text_format(executions->text, "race: %s\n",
                    verdicts.race == LITMUS_NONE ? "none" : "not decided");
    }
    for (size_t i = 0; i < result->fault_count; i++) {
        print_fault(executions, &result->faults[i]);
    }
    for (size_t i = 0; i < executions->assertion_count; i++) {
        print_assertion(executions, &executions->assertions[i]);
    }
    print_counts(executions);
    print_not_decided(executions, &verdicts);
    each_left_out(executions, print_left_out);
    executions_print_repair(executions);
}

void executions_print_verdicts(const struct executions *executions)
{
    struct litmus_verdicts verdicts;
    litmus_judge(executions->test, executions->result, &verdicts);
    const struct {
        const char *words;
        enum litmus_verdict verdict;
    } list[] = {
        {"race", verdicts.race}, {"fault", verdicts.fault},   {"barrier", verdicts.barrier},
        {"hang", verdicts.hang}, {"outcomes", verdicts.more},
    };
    const char *between = "";
    for (size_t i = 0; i < executions->assertion_count; i++) {
        if (executions->assertions[i].verdict == LITMUS_FOUND) {
            text_format(executions->text, "%s'%s': violated", between,
                        executions->assertions[i].text);
            between = "; ";
        }
    }
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i].verdict != LITMUS_NONE) {
            text_format(executions->text, "%s%s: %s", between, list[i].words,
                        list[i].verdict == LITMUS_FOUND ? "found" : "not decided");
            between = "; ";
        }
    }
}

/* ---- JSON ---- */

static void print_json_choices(struct text *text, bool weak, bool by_scope,
                               const struct litmus_choices *choices)
{
    text_format(text, ",\"only_weak\":%s%s%s,\"choices\":\"", weak ? "true" : "false",
                by_scope ? ",\"only_by_scope\":true" : "",
                choices->buffered ? ",\"only_by_buffering\":true" : "");
    executions_print_choices(choices, text);
    text_append(text, "\"}\n");
}

/* JSON has no infinities and no NaN. */
static void print_json_value(struct text *text, const struct litmus_test *test,
                             const struct litmus_observed *observed, int64_t value)
{
    struct text words = TEXT_INIT;
    print_observed_value(&words, test, observed, value);
    if (strpbrk(words.bytes, "in") != NULL) {
        text_append_json(text, words.bytes);
    } else {
        text_append(text, words.bytes);
    }
    text_release(&words);
}

static void print_json_outcome(const struct executions *executions,
                               const struct litmus_outcome *outcome)
{
    struct text *text = executions->text;
    text_append(text, "{\"kind\":\"outcome\",");
    if (!executions->test->is_kernel) {
        text_format(text, "\"holds\":%s,", outcome->holds ? "true" : "false");
    }
    text_append(text, "\"values\":{");
    for (size_t i = 0; i < executions->result->observed_count; i++) {
        const struct litmus_observed *observed = &executions->result->observed[i];
        text_append(text, i == 0 ? "\"" : ",\"");
        print_observed(text, executions->test, observed);
        text_append(text, "\":");
        print_json_value(text, executions->test, observed, outcome->values[i]);
    }
    text_append_char(text, '}');
    print_json_choices(text, outcome->weak, outcome->by_scope, &outcome->choices);
}

static void print_json_side(const struct executions *executions, const char *name, uint32_t thread,
                            const struct litmus_instruction *instruction)
{
    struct text operation = TEXT_INIT;
    executions_print_operation(&operation, executions->test, instruction, instruction->kind);
    text_format(executions->text, "\"%s\":{\"thread\":%u,\"line\":%u,\"operation\":", name,
                executions->test->threads[thread].number, instruction->line);
    text_append_json(executions->text, operation.bytes);
    text_append(executions->text, "},");
    text_release(&operation);
}

static void print_json_race(const struct executions *executions, const struct litmus_race *race)
{
    struct text *text = executions->text;
    struct text reason = TEXT_INIT;
    text_append(text, "{\"kind\":\"race\",");
    print_json_side(executions, "first", race->first_thread, race->first);
    print_json_side(executions, "second", race->second_thread, race->second);
    text_append(text, "\"reason\":");
    text_append_json(text, race_reason(executions->test, race, &reason));
    print_json_choices(text, race->weak, race->by_scope, &race->choices);
    text_release(&reason);
}

static void print_json_fault(const struct executions *executions, const struct litmus_fault *fault)
{
    struct text *text = executions->text;
    text_format(text, "{\"kind\":\"%s\",\"thread\":%u,\"line\":%u,\"%s\":",
                fault->instruction->is_assertion ? "assertion" : "fault",
                executions->test->threads[fault->thread].number, fault->instruction->line,
                fault->instruction->is_assertion ? "reason" : "operation");
    text_append_json(text, fault->instruction->fault);
    print_json_choices(text, fault->weak, false, &fault->choices);
}

static void print_json_assertion(const struct executions *executions,
                                 const struct executions_assertion *assertion)
{
    struct text *text = executions->text;
    text_append(text, "{\"kind\":\"assertion\",\"text\":");
    text_append_json(text, assertion->text);
    text_format(text, ",\"verdict\":\"%s\"", assertion_words[assertion->verdict]);
    if (assertion->outcome == NULL) {
        text_append(text, "}\n");
        return;
    }
    text_append(text, ",\"reason\":");
    text_append_json(text, assertion->where);
    print_json_choices(text, assertion->outcome->weak, assertion->outcome->by_scope,
                       &assertion->outcome->choices);
}

static void print_json_left_out(const struct executions *executions, const char *sentence)
{
    text_append(executions->text, "{\"kind\":\"incomplete\",\"reason\":");
    text_append_json(executions->text, sentence);
    text_append(executions->text, "}\n");
}

static void print_json_verdicts(const struct executions *executions,
                                const struct litmus_verdicts *verdicts)
{
    static const char *const words[] = {"none", "found", "not decided"};
    struct text *text = executions->text;
    if (!executions->test->is_kernel) {
        json_string(text, "condition", condition_words(executions, verdicts->condition));
        text_format(text, ",\"only_weak\":%s", only_weak(executions) ? "true" : "false");
    }
    text_format(text,
                ",\"race\":\"%s\",\"fault\":\"%s\",\"barrier\":\"%s\",\"hang\":\"%s\","
                "\"more_outcomes\":\"%s\"",
                words[verdicts->race], words[verdicts->fault], words[verdicts->barrier],
                words[verdicts->hang], words[verdicts->more]);
}

static void print_json_result(const struct executions *executions)
{
    const struct litmus_result *result = executions->result;
    struct text *text = executions->text;
    struct litmus_verdicts verdicts;
    litmus_judge(executions->test, result, &verdicts);
    text_append(text, executions->test->is_kernel ? "{\"kind\":\"exploration\",\"kernel\":"
                                                  : "{\"kind\":\"litmus\",\"test\":");
    text_append_json(text, executions->test->name);
    print_json_verdicts(executions, &verdicts);
    text_format(text,
                ",\"races\":%zu,\"executions\":%" PRIu64 ",\"interleavings\":%" PRIu64
                ",\"stuck\":%" PRIu64 ",\"cut\":%" PRIu64 ",\"hangs\":%s,\"hangs_weakly\":%s",
                result->race_count, result->executions, result->interleavings, result->stuck,
                result->cut, result->hangs ? "true" : "false",
                result->hangs_weakly ? "true" : "false");
    if (result->stand_for_others) {
        text_append(text, ",\"up_to_exchanging\":true");
    }
    if (result->blocked > 0) {
        text_format(text, ",\"blocked\":%" PRIu64, result->blocked);
    }
    if (result->hangs) {
        text_append(text, ",\"hang_choices\":\"");
        executions_print_choices(&result->hang, text);
        text_append_char(text, '"');
    }
    text_append(text, "}\n");
}

static void print_json(const struct executions *executions)
{
    const struct litmus_result *result = executions->result;
    for (size_t i = 0; i < result->outcome_count; i++) {
        print_json_outcome(executions, &result->outcomes[i]);
    }
    for (size_t i = 0; i < result->race_count; i++) {
        print_json_race(executions, &result->races[i]);
    }
    for (size_t i = 0; i < result->fault_count; i++) {
        print_json_fault(executions, &result->faults[i]);
    }
    for (size_t i = 0; i < executions->assertion_count; i++) {
        print_json_assertion(executions, &executions->assertions[i]);
    }
    each_left_out(executions, print_json_left_out);
    executions_print_repair(executions);
    print_json_result(executions);
    if (executions->shard->count != 0) {
        finding_print_shard(executions->shard->index, executions->shard->count, executions->text);
    }
}

void executions_print(const struct executions *executions)
{
    if (executions->json) {
        print_json(executions);
    } else {
        print_text(executions);
    }
}

enum verb_status executions_status(const struct executions *executions)
{
    static const enum verb_status statuses[] = {
        [LITMUS_NONE] = VERB_OK, [LITMUS_FOUND] = VERB_FOUND, [LITMUS_NOT_DECIDED] = VERB_FAILED};
    struct litmus_verdicts verdicts;
    litmus_judge(executions->test, executions->result, &verdicts);
    for (size_t i = 0; i < executions->assertion_count; i++) {
        if (executions->assertions[i].verdict == LITMUS_FOUND) {
            return VERB_FOUND;
        }
    }
    return statuses[litmus_wrong(executions->test, &verdicts)];
}

/* ---- one execution ---- */

static void print_event(const struct executions *executions, const struct graph *graph,
                        uint32_t index)
{
    const struct graph_event *event = &graph->events[index];
    const struct litmus_instruction *instruction = event->instruction;
    const struct litmus_location *location = &executions->test->locations[instruction->location];
    struct text *text = executions->text;
    text_format(text, "%2u. ", index);
    print_thread(text, executions->test, event->thread);
    text_format(text, " line %u: ", instruction->line);
    if (event->is_exit) {
        text_append(text, "leaves ");
    } else if (event->kind == ORACLE_BARRIER || event->kind == ORACLE_SUB_GROUP_BARRIER) {
        text_append(text, "enters ");
    }
    executions_print_operation(text, executions->test, instruction, event->kind);
    if (oracle_reads(event->kind)) {
        text_append(text, " reads ");
        print_value(text, location, event->read_value);
        text_append(text, " from ");
        if (event->reads_from == GRAPH_INITIAL) {
            text_append(text, "the start");
        } else {
            text_format(text, "%d", event->reads_from);
        }
    }
    if (oracle_writes(event->kind)) {
        text_append(text, " writes ");
        print_value(text, location, event->written_value);
    }
    text_append_char(text, '\n');
}

void executions_print_graph(const struct executions *executions, const struct graph *graph)
{
    struct text *text = executions->text;
    for (uint32_t i = 0; i < graph->count; i++) {
        print_event(executions, graph, i);
    }
    for (uint32_t location = 0; location < executions->test->location_count; location++) {
        if (graph_write_count(graph, location) < 2) {
            continue;
        }
        text_format(text,
                    "writes of %s in this order:", executions->test->locations[location].name);
        for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
            text_format(text, " %u", graph_writes(graph, location)[i]);
        }
        text_append_char(text, '\n');
    }
}
