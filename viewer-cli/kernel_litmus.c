#include "viewer-cli/kernel_litmus.h"

#include "checkers/litmus/search.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LITMUS_SIZE_MAX = 1 << 20, ROUNDS_MAX = 1000 };

/* Everything of one invocation. */
struct litmus_command {
    const struct options *options;
    const char *path;
    bool json;
    struct litmus_options search;
    bool replays;
    struct litmus_choices choices;
    struct litmus_test *test;
    struct litmus_result *result;
    struct text text;
};

/* ---- options ---- */

static enum status check_options(const struct options *options, struct error *error)
{
    static const char *const known[] = {"scope-rule", "explore", "choices", "unroll",
                                        "sample",     "format",  "json",    "color"};
    const struct option_row *row;
    const char *value;
    for (size_t i = 0; options_given(options, i, &row, &value); i++) {
        bool is_known = false;
        for (size_t j = 0; j < sizeof known / sizeof *known; j++) {
            is_known = is_known || strcmp(row->name, known[j]) == 0;
        }
        if (!is_known) {
            return error_set(error, STATUS_INVALID, "--%s has no meaning for a litmus test",
                             row->name);
        }
    }
    return STATUS_OK;
}

/* "i0.1.0", the choices of an interleaving, or "w0.3", those of a weak execution. */
static enum status parse_choices(struct litmus_command *command, const char *text,
                                 struct error *error)
{
    struct litmus_choices *choices = &command->choices;
    bool good = *text == 'i' || *text == 'w';
    const char *at = text + (good ? 1 : 0);
    command->replays = true;
    choices->weak = *text == 'w';
    while (good && *at != '\0') {
        char *end = NULL;
        errno = 0;
        const unsigned long choice = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;
        good = end != NULL && errno == 0 && choice <= UINT16_MAX &&
               choices->count < LITMUS_CHOICES_MAX &&
               (*end == '\0' || (*end == '.' && end[1] != '\0'));
        if (good) {
            choices->choices[choices->count++] = (uint16_t)choice;
            at = end + (*end == '.');
        }
    }
    return good ? STATUS_OK
                : error_set(error, STATUS_INVALID,
                            "--choices %s: an i or w and numbers are wanted, as in w0.1.0", text);
}

/* "N" or "N:SEED" */
static enum status parse_sample(struct litmus_command *command, const char *text,
                                struct error *error)
{
    char *end = NULL;
    errno = 0;
    struct litmus_options *search = &command->search;
    search->samples = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    bool good = search->samples > 0 && (*end == '\0' || *end == ':');
    if (good && *end == ':') {
        good = end[1] >= '0' && end[1] <= '9';
        search->seed = strtoull(end + 1, &end, 10);
        good = good && *end == '\0';
    }
    return good && errno == 0
               ? STATUS_OK
               : error_set(error, STATUS_INVALID,
                           "--sample %s: a number of executions is wanted, as in 10000, or with a "
                           "seed, as in 10000:7",
                           text);
}

static enum status parse_options(struct litmus_command *command, struct error *error)
{
    const struct options *options = command->options;
    const char *const format = options_text(options, "format");
    const char *const rule = options_text(options, "scope-rule");
    const char *const choices = options_text(options, "choices");
    const char *const sample = options_text(options, "sample");
    const uint64_t rounds = options_number(options, "unroll", LITMUS_ROUNDS);
    enum status status = check_options(options, error);
    if (status == STATUS_OK && rounds > ROUNDS_MAX) {
        status = error_set(error, STATUS_INVALID, "--unroll %" PRIu64 ": more than %d", rounds,
                           ROUNDS_MAX);
    }
    command->json = options_has(options, "json") || (format != NULL && strcmp(format, "json") == 0);
    command->search = (struct litmus_options){
        .scope_rule = rule != NULL && strcmp(rule, "3.1") == 0 ? ORACLE_SCOPES_WIDE_ENOUGH
                                                               : ORACLE_SCOPES_EQUAL,
        .weak = options_has(options, "explore"),
        .rounds = (uint32_t)rounds,
    };
    if (status == STATUS_OK && sample != NULL) {
        status = parse_sample(command, sample, error);
    }
    if (status == STATUS_OK && choices != NULL) {
        status = parse_choices(command, choices, error);
    }
    return status;
}

static enum status load(struct litmus_command *command, struct error *error)
{
    void *bytes = NULL;
    size_t size = 0;
    enum status status = file_read(command->path, LITMUS_SIZE_MAX, &bytes, &size, error);
    if (status == STATUS_OK) {
        status = litmus_parse(bytes, size, &command->test, error);
        if (status != STATUS_OK) {
            error_prefix(error, "%s", command->path);
        }
    }
    alloc_free(bytes);
    return status;
}

/* ---- words ---- */

static const char *const order_words[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
static const char *const scope_words[] = {"work_item", "sub_group", "work_group", "device",
                                          "all_devices"};

static void print_flags(struct text *text, uint32_t flags)
{
    static const char *const words[] = {"global", "local", "image"};
    const char *between = "";
    if (flags == 0) {
        text_append(text, "no memory");
    }
    for (int region = 0; region < ORACLE_REGION_COUNT; region++) {
        if ((flags >> region & 1) != 0) {
            text_format(text, "%s%s", between, words[region]);
            between = " and ";
        }
    }
}

/* "atomic write of f (release, device)"; "fence for global (acquire, device)" */
static void print_operation(struct text *text, const struct litmus_test *test,
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
        print_flags(text, instruction->flags);
    }
    if (kind >= ORACLE_BARRIER) {
        text_format(text, " (%s)", scope_words[instruction->scope]);
    } else if (oracle_is_atomic(kind) || kind == ORACLE_FENCE) {
        text_format(text, " (%s, %s)", order_words[instruction->order],
                    scope_words[instruction->scope]);
    }
}

static void print_choices(struct text *text, const struct litmus_choices *choices)
{
    text_append_char(text, choices->weak ? 'w' : 'i');
    for (uint32_t i = 0; i < choices->count; i++) {
        text_format(text, "%s%u", i == 0 ? "" : ".", choices->choices[i]);
    }
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
    const struct oracle_machine machine = litmus_machine(test, ORACLE_SCOPES_WIDE_ENOUGH);
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
    print_operation(text, test, instruction, instruction->kind);
    text_format(text, " by P%u, line %u", test->threads[thread].number, instruction->line);
}

static void print_race(struct litmus_command *command, const struct litmus_race *race)
{
    struct text *text = &command->text;
    const struct litmus_test *test = command->test;
    struct text reason = TEXT_INIT;
    race_reason(test, race, &reason);
    text_append(text, "race: ");
    print_side(text, test, race->first_thread, race->first);
    text_append(text, ", and ");
    print_side(text, test, race->second_thread, race->second);
    text_format(text, ": %s%s; --choices ", reason.bytes,
                race->weak ? ", only under weak ordering" : "");
    print_choices(text, &race->choices);
    text_append_char(text, '\n');
    text_release(&reason);
}

static void print_outcome(struct litmus_command *command, const struct litmus_outcome *outcome)
{
    struct text *text = &command->text;
    text_append(text, outcome->holds ? "outcome: *" : "outcome:  ");
    for (size_t i = 0; i < command->result->observed_count; i++) {
        text_append(text, i == 0 ? "" : " ");
        print_observed(text, command->test, &command->result->observed[i]);
        text_format(text, "=%" PRId64, outcome->values[i]);
    }
    text_format(text, "%s; --choices ", outcome->weak ? ", only under weak ordering" : "");
    print_choices(text, &outcome->choices);
    text_append_char(text, '\n');
}

static const char *condition_words(const struct litmus_command *command, bool *only_weak)
{
    const bool reaches = litmus_reaches(command->test, command->result, only_weak);
    const bool all = command->search.samples == 0;
    if (command->test->quantifier == LITMUS_FORALL) {
        return reaches ? "does not always hold" : all ? "always holds" : "held each time";
    }
    return reaches ? "reachable" : all ? "not reachable" : "not reached";
}

static void print_counts(struct litmus_command *command)
{
    const struct litmus_result *result = command->result;
    struct text *text = &command->text;
    text_format(text, "executions: %" PRIu64, result->executions);
    if (command->search.samples > 0) {
        text_append(text, ", chosen at random");
    }
    if (command->search.weak || command->search.samples > 0) {
        text_format(text, ", interleavings: %" PRIu64, result->interleavings);
    }
    text_append_char(text, '\n');
    if (result->stuck > 0) {
        text_format(text, "barrier: in %" PRIu64 " %s not all threads reach the same barrier\n",
                    result->stuck, result->stuck == 1 ? "execution" : "executions");
    }
    if (result->cut > 0) {
        text_format(text,
                    "cut: %" PRIu64 " executions, in which a loop has more than %" PRIu32
                    " rounds (--unroll)\n",
                    result->cut, command->search.rounds);
    }
    if (result->hangs) {
        text_format(text, "hang: loops may wait for ever%s; --choices ",
                    result->hangs_weakly ? ", only under weak ordering" : "");
        print_choices(text, &result->hang);
        text_append_char(text, '\n');
    }
}

static void print_text(struct litmus_command *command)
{
    const struct litmus_result *result = command->result;
    bool only_weak;
    text_format(&command->text, "litmus test %s\n", command->test->name);
    for (size_t i = 0; i < result->outcome_count; i++) {
        print_outcome(command, &result->outcomes[i]);
    }
    text_format(&command->text, "condition: %s", condition_words(command, &only_weak));
    text_append(&command->text, only_weak ? ", only under weak ordering\n" : "\n");
    for (size_t i = 0; i < result->race_count; i++) {
        print_race(command, &result->races[i]);
    }
    if (result->race_count == 0) {
        text_append(&command->text, "race: none\n");
    }
    print_counts(command);
}

/* ---- JSON ---- */

static void print_json_choices(struct text *text, bool weak, const struct litmus_choices *choices)
{
    text_format(text, ",\"only_weak\":%s,\"choices\":\"", weak ? "true" : "false");
    print_choices(text, choices);
    text_append(text, "\"}\n");
}

static void print_json_outcome(struct litmus_command *command, const struct litmus_outcome *outcome)
{
    struct text *text = &command->text;
    text_format(text, "{\"kind\":\"outcome\",\"holds\":%s,\"values\":{",
                outcome->holds ? "true" : "false");
    for (size_t i = 0; i < command->result->observed_count; i++) {
        text_append(text, i == 0 ? "\"" : ",\"");
        print_observed(text, command->test, &command->result->observed[i]);
        text_format(text, "\":%" PRId64, outcome->values[i]);
    }
    text_append_char(text, '}');
    print_json_choices(text, outcome->weak, &outcome->choices);
}

static void print_json_side(struct litmus_command *command, const char *name, uint32_t thread,
                            const struct litmus_instruction *instruction)
{
    struct text operation = TEXT_INIT;
    print_operation(&operation, command->test, instruction, instruction->kind);
    text_format(&command->text, "\"%s\":{\"thread\":%u,\"line\":%u,\"operation\":", name,
                command->test->threads[thread].number, instruction->line);
    text_append_json(&command->text, operation.bytes);
    text_append(&command->text, "},");
    text_release(&operation);
}

static void print_json_race(struct litmus_command *command, const struct litmus_race *race)
{
    struct text *text = &command->text;
    struct text reason = TEXT_INIT;
    text_append(text, "{\"kind\":\"race\",");
    print_json_side(command, "first", race->first_thread, race->first);
    print_json_side(command, "second", race->second_thread, race->second);
    text_append(text, "\"reason\":");
    text_append_json(text, race_reason(command->test, race, &reason));
    print_json_choices(text, race->weak, &race->choices);
    text_release(&reason);
}

static void print_json(struct litmus_command *command)
{
    const struct litmus_result *result = command->result;
    struct text *text = &command->text;
    bool only_weak;
    for (size_t i = 0; i < result->outcome_count; i++) {
        print_json_outcome(command, &result->outcomes[i]);
    }
    for (size_t i = 0; i < result->race_count; i++) {
        print_json_race(command, &result->races[i]);
    }
    text_append(text, "{\"kind\":\"litmus\",\"test\":");
    text_append_json(text, command->test->name);
    text_append(text, ",\"condition\":");
    text_append_json(text, condition_words(command, &only_weak));
    text_format(text,
                ",\"only_weak\":%s,\"races\":%zu,\"executions\":%" PRIu64
                ",\"interleavings\":%" PRIu64 ",\"stuck\":%" PRIu64 ",\"cut\":%" PRIu64
                ",\"hangs\":%s,\"hangs_weakly\":%s}\n",
                only_weak ? "true" : "false", result->race_count, result->executions,
                result->interleavings, result->stuck, result->cut, result->hangs ? "true" : "false",
                result->hangs_weakly ? "true" : "false");
}

/* ---- one execution ---- */

static void print_event(struct litmus_command *command, const struct graph *graph, uint32_t index)
{
    const struct graph_event *event = &graph->events[index];
    const struct litmus_instruction *instruction = event->instruction;
    struct text *text = &command->text;
    text_format(text, "%2u. P%u line %u: ", index, command->test->threads[event->thread].number,
                instruction->line);
    if (event->is_exit) {
        text_append(text, "leaves ");
    } else if (event->kind == ORACLE_BARRIER || event->kind == ORACLE_SUB_GROUP_BARRIER) {
        text_append(text, "enters ");
    }
    print_operation(text, command->test, instruction, event->kind);
    if (oracle_reads(event->kind)) {
        text_format(text, " reads %" PRId64 " from ", event->read_value);
        if (event->reads_from == GRAPH_INITIAL) {
            text_append(text, "the start");
        } else {
            text_format(text, "%d", event->reads_from);
        }
    }
    if (oracle_writes(event->kind)) {
        text_format(text, " writes %" PRId64, event->written_value);
    }
    text_append_char(text, '\n');
}

static void print_graph(struct litmus_command *command, const struct graph *graph)
{
    struct text *text = &command->text;
    for (uint32_t i = 0; i < graph->count; i++) {
        print_event(command, graph, i);
    }
    for (uint32_t location = 0; location < command->test->location_count; location++) {
        if (graph->write_count[location] < 2) {
            continue;
        }
        text_format(text, "writes of %s in this order:", command->test->locations[location].name);
        for (uint32_t i = 0; i < graph->write_count[location]; i++) {
            text_format(text, " %u", graph->writes[location][i]);
        }
        text_append_char(text, '\n');
    }
}

static enum status replay(struct litmus_command *command, struct error *error)
{
    struct graph graph;
    const enum status status =
        litmus_replay(command->test, &command->search, &command->choices, &graph, error);
    if (status == STATUS_OK) {
        print_graph(command, &graph);
    }
    return status;
}

/* ---- the whole ---- */

static enum status check_complete(const struct litmus_command *command, struct error *error)
{
    if (command->result->too_long) {
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: not all was looked at: an execution has more than %d events",
                         command->path, GRAPH_EVENTS_MAX);
    }
    if (command->result->too_many) {
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: not all was looked at: there are too many executions", command->path);
    }
    return STATUS_OK;
}

static enum status search(struct litmus_command *command, int *exit, struct error *error)
{
    const enum status status =
        litmus_search(command->test, &command->search, &command->result, error);
    if (status != STATUS_OK) {
        return status;
    }
    if (command->json) {
        print_json(command);
    } else {
        print_text(command);
    }
    *exit = litmus_passes(command->test, command->result) ? VERB_OK : VERB_FOUND;
    return *exit == VERB_OK ? check_complete(command, error) : STATUS_OK;
}

int kernel_litmus_run(const struct verb *verb, const struct options *options, const char *path)
{
    struct error error;
    struct litmus_command command = {.options = options, .path = path, .text = TEXT_INIT};
    int exit = VERB_OK;
    enum status status = parse_options(&command, &error);
    if (status == STATUS_OK) {
        status = load(&command, &error);
    }
    if (status == STATUS_OK) {
        status = command.replays ? replay(&command, &error) : search(&command, &exit, &error);
    }
    verb_print(&command.text);
    exit = verb_finish(verb, status == STATUS_OK ? exit : verb_fail(verb, &error));
    litmus_result_destroy(command.result);
    litmus_destroy(command.test);
    text_release(&command.text);
    return exit;
}
