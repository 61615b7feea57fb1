/* Under which schedules `clerk kernel` runs a kernel, on fresh buffers each time.
 *
 * Work-groups and work-items in ascending order, then in descending order: a bug that one order
 * hides the other may show. That is all that there is to see of a kernel whose work-items do not
 * communicate: until they race they do the same under every schedule. Of others further schedules
 * are tried, until one shows an error; each within a budget of instructions, so that the same is
 * told on every machine. Whether work-items wait for others there is a matter of the schedule, and
 * told of the first two alone. */
#include "checkers/finding.h"
#include "checkers/schedules.h"
#include "trace/api/enumerant.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "viewer-cli/kernel/cmd_kernel.h"

#include <inttypes.h>
#include <string.h>

/* Those that are always run. */
static const char *const first_names[] = {"asc", "desc"};
static const char *const more_names[] = {SCHEDULES_TURNS, "items:desc"};
/* Random ones that nobody asked for: at most so many, and all together for so many instructions,
 * as which counts also what a run is by itself, building the program anew, and the bytes of
 * buffers. So small launches have all of them, in a few milliseconds. */
enum { UNASKED_MAX = 64, UNASKED_BUDGET = 200000 };
enum { RUN_COST = 1000, BUILD_COST = 100000, BYTES_PER_COST = 16 };

/* ---- options ---- */

/* Does it order whole vectors, which is what a debugger can show? */
static bool is_of_vectors(const char *schedule)
{
    return strcmp(schedule, first_names[0]) == 0 || strcmp(schedule, first_names[1]) == 0 ||
           strncmp(schedule, "seed:", strlen("seed:")) == 0;
}

enum status kernel_schedules_parse(struct kernel_command *command, struct error *error)
{
    struct kernel_schedules *schedules = &command->schedules;
    const char *text = options_text(command->options, "schedule");
    schedules->is_asked_for = options_has(command->options, "schedules");
    schedules->pct_count = options_number(command->options, "schedules", UNASKED_MAX);
    schedules->may_be_more = text == NULL && command->debugger < 0 && schedules->pct_count > 0;
    if (text != NULL && schedules->is_asked_for) {
        return error_set(error, STATUS_INVALID,
                         "--schedules says which are run besides asc and desc, and with --schedule "
                         "%s nothing else is",
                         text);
    }
    if (text == NULL && command->debugger >= 0) {
        text = first_names[0];
    }
    if (text == NULL || strcmp(text, "both") == 0) {
        return STATUS_OK;
    }
    schedules->only = text;
    if (setting_check(SETTING_SCHEDULE, text, error) != STATUS_OK) {
        return error_set(error, STATUS_INVALID,
                         "--schedule %s: it may be both, asc, desc, seed:K, items, items with a "
                         "colon and one of these three orders, turns:N, pct:N:K or hold:K:N",
                         text);
    }
    return command->debugger < 0 || is_of_vectors(text)
               ? STATUS_OK
               : error_set(error, STATUS_INVALID,
                           "--schedule %s: a debugger shows the 64 work-items of a vector "
                           "together, in the order asc, desc or seed:K",
                           text);
}

/* ---- findings ---- */

/* The words of the command line that say what is run, and the schedule and what more there is. */
static const char *repeat_line(const struct kernel_command *command, const char *schedule,
                               const char *more, struct arena *arena)
{
    static const struct option_row rows[] = {
#include "viewer-cli/kernel/kernel_options.def"
    };
    static const char *const left_out[] = {"print", "dump"};
    const struct option_row *row;
    const char *value;
    struct text text = TEXT_INIT;
    text_append(&text, "clerk kernel ");
    text_append_shell(&text, command->path);
    for (size_t i = 0; options_given(command->options, i, &row, &value); i++) {
        bool known = false;
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            known |= strcmp(row->name, rows[r].name) == 0;
        }
        known |= strcmp(row->name, "assert") == 0;
        for (size_t r = 0; r < sizeof left_out / sizeof *left_out; r++) {
            known &= strcmp(row->name, left_out[r]) != 0;
        }
        if (known && row->letter != 0) {
            text_format(&text, " -%c ", row->letter);
        } else if (known) {
            text_format(&text, " --%s ", row->name);
        }
        if (known) {
            text_append_shell(&text, value);
        }
    }
    text_format(&text, " --schedule %s%s", schedule, more);
    const char *const line = arena_string(arena, text.bytes);
    text_release(&text);
    return line;
}

/* One of those that only kernels are run under whose work-items communicate. */
static bool is_one_more(const struct kernel_schedules *schedules)
{
    return schedules->is_repeated && strcmp(schedules->name, first_names[1]) != 0;
}

/* A random one that nobody asked for. */
static bool is_unasked(const struct kernel_schedules *schedules)
{
    return schedules->only == NULL && !schedules->is_asked_for &&
           strncmp(schedules->name, "pct:", strlen("pct:")) == 0;
}

/* What is not known of the run, though nothing is wrong. Of a random one that nobody asked for, as
 * of those after it, it goes without saying. */
static void tell_of_schedule(const struct kernel_command *command, const char *words)
{
    struct text sentence = TEXT_INIT;
    if (is_unasked(&command->schedules)) {
        return;
    }
    text_format(&sentence, "schedule %s: %s", command->schedules.name, words);
    reporting_add_gap(&command->reporting, SEVERITY_NOTE, sentence.bytes);
    text_release(&sentence);
}

bool kernel_schedules_take(struct kernel_command *command, struct finding *finding,
                           struct arena *arena)
{
    const struct kernel_schedules *schedules = &command->schedules;
    if (is_one_more(schedules) && finding->rule == RULE_ANALYSIS_INCOMPLETE) {
        tell_of_schedule(command, "looked at in part");
        return false;
    }
    if (is_one_more(schedules) && schedules_is_of_progress(finding->rule)) {
        return false;
    }
    if (schedules->is_repeated && schedules->communicates && finding->rule != RULE_ACQUIRE_UNUSED) {
        if (finding->schedule == NULL) {
            finding->schedule = schedules->name;
        }
        finding->repeat = repeat_line(command, finding->schedule, "", arena);
    }
    return true;
}

/* Its findings say why, as far as there are any. */
static void tell_unfinished(struct kernel_command *command, int32_t ended)
{
    struct text sentence = TEXT_INIT;
    text_format(&sentence, "the device did not run '%s' to its end: %s", command->kernel,
                api_error_name(ended));
    reporting_add_gap(&command->reporting, SEVERITY_ERROR, sentence.bytes);
    text_release(&sentence);
}

/* ---- outputs ---- */

static void release_outputs(const struct kernel_command *command, uint8_t **outputs)
{
    for (size_t i = 0; outputs != NULL && i < command->argument_count; i++) {
        alloc_free(outputs[i]);
    }
    alloc_free(outputs);
}

/* The first byte that differs; the argument's size = none. */
static uint64_t first_difference(const struct kernel_command *command, size_t index,
                                 const uint8_t *const *others)
{
    const uint8_t *first = command->schedules.outputs[index];
    const uint8_t *second = others[index];
    const uint64_t size = command->arguments[index].size;
    uint64_t at = 0;
    while (first != NULL && at < size && first[at] == second[at]) {
        at++;
    }
    return first != NULL ? at : size;
}

static bool outputs_differ(const struct kernel_command *command, const uint8_t *const *others)
{
    bool differ = false;
    for (size_t i = 0; i < command->argument_count; i++) {
        differ = differ || first_difference(command, i, others) < command->arguments[i].size;
    }
    return differ;
}

/* Keeps the outputs of the run that has ended, if they are the first that are others. */
static void keep_outputs(struct kernel_command *command, uint8_t **outputs)
{
    struct kernel_schedules *schedules = &command->schedules;
    if (!schedules->is_repeated) {
        schedules->outputs = outputs;
    } else if (schedules->others == NULL && !schedules->meter.spent &&
               outputs_differ(command, (const uint8_t *const *)outputs)) {
        schedules->others = outputs;
        schedules->differs = schedules->name;
    } else {
        release_outputs(command, outputs);
    }
}

/* Outputs that differ between two orders, though nothing wrong was found: worth a word. */
static void note_difference(struct kernel_command *command, size_t index, uint64_t offset)
{
    struct arena arena = {0};
    const struct kernel_schedules *schedules = &command->schedules;
    const struct kernel_argument *argument = &command->arguments[index];
    const struct kernel_parameter *parameter = kernel_host_parameter(command->host, index);
    const bool named = *parameter->name != '\0';
    struct text first = TEXT_INIT;
    struct text second = TEXT_INIT;
    const uint32_t size = kernel_type_size(argument->type);
    const uint64_t start = offset / size * size;
    kernel_element_print(argument->type, schedules->outputs[index] + start, false, &first);
    kernel_element_print(argument->type, schedules->others[index] + start, false, &second);
    const bool descends = strcmp(schedules->differs, first_names[1]) == 0;
    const bool names = schedules->communicates;
    const char *const more = arena_format(&arena, " --print %zu", index);
    const char *const under = descends ? "when work-groups and work-items run in descending order"
                                       : arena_format(&arena, "under %s", schedules->differs);
    const struct finding finding = {
        .rule = RULE_SCHEDULE_DEPENDENT,
        .message = arena_format(
            &arena,
            "argument %zu%s%s%s ends with other values %s: element %" PRIu64 " is %s, and was %s%s",
            index, named ? " ('" : "", parameter->name, named ? "')" : "", under, offset / size,
            second.bytes, first.bytes, descends ? "" : " under asc"),
        .reason = "no data race was found in either run, so it is the order of atomic operations, "
                  "or what they return, that makes the difference",
        .schedule = names ? schedules->differs : NULL,
        .repeat =
            names && more != NULL ? repeat_line(command, schedules->differs, more, &arena) : NULL,
        .count = 1,
    };
    if (finding.message != NULL) {
        report_add(command->reporting.report, &finding);
    }
    text_release(&first);
    text_release(&second);
    arena_release(&arena);
}

static void compare_outputs(struct kernel_command *command)
{
    const struct kernel_schedules *schedules = &command->schedules;
    struct report *report = command->reporting.report;
    if (schedules->others == NULL || report_count(report, SEVERITY_ERROR) > 0 ||
        report_count(report, SEVERITY_WARNING) > 0) {
        return;
    }
    for (size_t i = 0; i < command->argument_count; i++) {
        const uint64_t at = first_difference(command, i, (const uint8_t *const *)schedules->others);
        if (at < command->arguments[i].size) {
            note_difference(command, i, at);
        }
    }
}

/* ---- runs ---- */

static enum status run_once(struct kernel_command *command, const char *name, int32_t *ended,
                            struct error *error)
{
    struct kernel_schedules *schedules = &command->schedules;
    uint8_t **outputs = alloc_zero(command->argument_count, sizeof(uint8_t *));
    if (outputs == NULL) {
        return error_no_memory(error, command->argument_count * sizeof(uint8_t *));
    }
    schedules->is_repeated = schedules->name != NULL;
    schedules->name = name;
    report_begin_turn(command->reporting.report);
    enum status status = schedules->is_repeated
                             ? kernel_host_renew(command->host, command->kernel, error)
                             : STATUS_OK;
    if (status == STATUS_OK) {
        status =
            kernel_host_run(command->host, name, &schedules->meter, &command->range,
                            command->arguments, command->argument_count, outputs, ended, error);
    }
    if (status != STATUS_OK) {
        release_outputs(command, outputs);
        return status;
    }
    if (*ended == 0 && !schedules->meter.spent) {
        status = kernel_assert_check(command, outputs, error);
    }
    keep_outputs(command, outputs);
    if (status != STATUS_OK) {
        return status;
    }
    if (schedules->meter.spent) {
        tell_of_schedule(command, "ended early");
    } else if (*ended != 0 && report_count(command->reporting.report, SEVERITY_ERROR) == 0) {
        tell_unfinished(command, *ended);
    }
    return STATUS_OK;
}

static bool visit_error(void *user, const struct finding *finding)
{
    bool *const is_wrong = user;
    *is_wrong |= rule_get(finding->rule)->severity == SEVERITY_ERROR &&
                 !schedules_is_of_progress(finding->rule);
    return !*is_wrong;
}

/* Is there an error, apart from who waits for whom? */
static bool is_wrong(const struct kernel_command *command)
{
    bool wrong = false;
    report_each_new(command->reporting.report, visit_error, &wrong);
    return wrong;
}

static enum status run_more(struct kernel_command *command, struct error *error)
{
    enum status status = STATUS_OK;
    const size_t count = sizeof more_names / sizeof *more_names;
    for (size_t i = 0; i < count && status == STATUS_OK && !is_wrong(command); i++) {
        int32_t ended;
        status = run_once(command, more_names[i], &ended, error);
    }
    return status;
}

/* Once more under asc, after which the device looks for what a read may hide on which nothing
 * depends, and shows it under schedules of its own. */
static enum status run_predicting(struct kernel_command *command, uint64_t most,
                                  struct error *error)
{
    struct sink_meter *meter = &command->schedules.meter;
    int32_t ended;
    if (is_wrong(command)) {
        return STATUS_OK;
    }
    meter->budget = most;
    meter->predicts = SINK_PREDICTS_RACES;
    const enum status status = run_once(command, first_names[0], &ended, error);
    meter->predicts = SINK_PREDICTS_NOTHING;
    return status;
}

/* What a run costs before its first instruction. */
static uint64_t cost_of_run(const struct kernel_command *command)
{
    uint64_t cost = kernel_host_has_variables(command->host) ? BUILD_COST : RUN_COST;
    for (size_t i = 0; i < command->argument_count; i++) {
        cost += command->arguments[i].size / BYTES_PER_COST;
    }
    return cost;
}

/* Of a single work-item all orders are the same. */
static bool is_single(const struct kernel_range *range)
{
    return range->global[0] == 1 && range->global[1] == 1 && range->global[2] == 1;
}

/* May one more be run? As many instructions as that before it took it will take, too. */
static bool has_left(const struct kernel_schedules *schedules, uint64_t left, uint64_t cost)
{
    return schedules->is_asked_for || left > cost + schedules->meter.operations;
}

static enum status run_random(struct kernel_command *command, struct error *error)
{
    struct kernel_schedules *schedules = &command->schedules;
    const uint64_t most = schedules->meter.budget;
    const uint64_t cost = cost_of_run(command);
    uint64_t left = UNASKED_BUDGET;
    enum status status = STATUS_OK;
    for (uint64_t i = 1; i <= schedules->pct_count && status == STATUS_OK && !is_wrong(command) &&
                         has_left(schedules, left, cost);
         i++) {
        const char *const name =
            arena_format(&schedules->arena, "pct:%d:%" PRIu64, SCHEDULES_PCT_DEPTH, i);
        int32_t ended;
        if (!schedules->is_asked_for) {
            left -= cost;
            schedules->meter.budget = left < most ? left : most;
        }
        status = name != NULL ? run_once(command, name, &ended, error)
                              : error_no_memory(error, strlen("pct:3:N"));
        left -= schedules->meter.operations < left ? schedules->meter.operations : left;
    }
    return status;
}

enum status kernel_schedules_run(struct kernel_command *command, struct error *error)
{
    struct kernel_schedules *schedules = &command->schedules;
    const size_t count = schedules->only != NULL ? 1 : sizeof first_names / sizeof *first_names;
    enum status status = STATUS_OK;
    uint64_t most = 0;
    bool complete = true;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        int32_t ended = 0;
        schedules->meter.predicts =
            i == 0 && schedules->may_be_more ? SINK_PREDICTS_READS : SINK_PREDICTS_NOTHING;
        status = run_once(command, schedules->only != NULL ? schedules->only : first_names[i],
                          &ended, error);
        if (i == 0) {
            most = schedules_budget(schedules->meter.operations,
                                    options_number(command->options, "operation-limit", 0));
            schedules->communicates = schedules->meter.communicates;
        }
        complete &= ended == 0;
    }
    if (status == STATUS_OK && schedules->may_be_more && complete && schedules->communicates) {
        schedules->budget = most;
        schedules->meter.budget = most;
        status = run_more(command, error);
        if (status == STATUS_OK && schedules->meter.hides) {
            status = run_predicting(command, most, error);
        }
        if (status == STATUS_OK && (schedules->is_asked_for || !is_single(&command->range))) {
            status = run_random(command, error);
        }
    }
    if (status == STATUS_OK) {
        compare_outputs(command);
    }
    return status;
}

void kernel_schedules_release(struct kernel_command *command)
{
    release_outputs(command, command->schedules.outputs);
    release_outputs(command, command->schedules.others);
    arena_release(&command->schedules.arena);
}
