#include "viewer-cli/kernel/cmd_kernel.h"

#include "trace/base/arena.h"

/* One exploration under way. */
struct exploration {
    struct kernel_command *command;
    struct executions_wanted wanted;
    bool told;
    enum status status;
    struct error *error;
};

/* ---- options ---- */

bool kernel_explore_wanted(const struct options *options)
{
    return options_has(options, "explore") || options_has(options, "sample") ||
           options_has(options, "choices");
}

enum status kernel_explore_check(struct kernel_command *command, struct error *error)
{
    const struct options *options = command->options;
    static const char *const of_runs[] = {"schedule", "print", "dump", "checks"};
    const bool explores = kernel_explore_wanted(options);
    static const char *const of_explorations[] = {"unroll",     "seq-cst-scope", "time", "memory",
                                                  "executions", "race-values",   "shard"};
    for (size_t i = 0; !explores && i < sizeof of_explorations / sizeof *of_explorations; i++) {
        if (options_count(options, of_explorations[i]) > 0) {
            return error_set(error, STATUS_INVALID, "--%s is for --explore, and for .litmus files",
                             of_explorations[i]);
        }
    }
    for (size_t i = 0; explores && i < sizeof of_runs / sizeof *of_runs; i++) {
        if (options_count(options, of_runs[i]) > 0) {
            return error_set(error, STATUS_INVALID,
                             "--%s is for a run of the kernel, and not for --explore, which looks "
                             "at all of them",
                             of_runs[i]);
        }
    }
    return STATUS_OK;
}

/* ---- what was found ---- */

/* The first outcome that no interleaving gives, of a kernel whose values mean something. */
static void tell_weak_outcome(struct exploration *exploration, const struct executions *executions)
{
    const struct litmus_result *result = executions->result;
    size_t first = 0;
    while (first < result->outcome_count && !result->outcomes[first].weak) {
        first++;
    }
    if (first == result->outcome_count || result->race_count > 0 ||
        exploration->wanted.search.samples > 0) {
        return;
    }
    struct arena arena = {0};
    struct text values = TEXT_INIT;
    struct text choices = TEXT_INIT;
    executions_print_values(executions, &result->outcomes[first], &values);
    executions_print_choices(&result->outcomes[first].choices, &choices);
    const struct finding finding = {
        .rule = RULE_WEAK_ORDER,
        .message = arena_format(&arena, "kernel '%s' can end with %s", executions->test->name,
                                values.bytes),
        .reason = arena_format(&arena,
                               "no order of its accesses, one after the other, gives these "
                               "values: work-items see stores in different orders, as atomic "
                               "operations weaker than memory_order_seq_cst allow; --choices %s "
                               "shows the execution",
                               choices.bytes),
        .kernel = executions->test->name,
        .count = 1,
    };
    if (finding.message != NULL && finding.reason != NULL) {
        report_add(exploration->command->reporting.report, &finding);
    }
    text_release(&values);
    text_release(&choices);
    arena_release(&arena);
}

/* In forms that have no place for executions, a report that is silent would say that all is well.
 */
static void tell_verdicts(const struct exploration *exploration,
                          const struct executions *executions)
{
    const struct kernel_command *command = exploration->command;
    const enum report_format format = command->reporting.style.format;
    const bool has_place = (format == REPORT_TEXT || format == REPORT_JSON) &&
                           options_count(command->options, "report") == 0;
    struct text text = TEXT_INIT;
    struct executions told = *executions;
    if (has_place || command->explored_exit == VERB_OK)
        return;
    text_format(&text, "kernel '%s', explored: ", executions->test->name);
    told.text = &text;
    executions_print_verdicts(&told);
    if (!text.failed)
        reporting_add_gap(&command->reporting, SEVERITY_ERROR, text.bytes);
    text_release(&text);
}

static void take_result(struct exploration *exploration, struct executions *executions)
{
    exploration->status =
        kernel_assert_explored(exploration->command, executions, exploration->error);
    if (exploration->status != STATUS_OK) {
        return;
    }
    executions_print(executions);
    exploration->command->explored_exit = executions_status(executions);
    tell_weak_outcome(exploration, executions);
    tell_verdicts(exploration, executions);
}

static void take_explored(void *user, const struct sink_explored *explored)
{
    struct exploration *exploration = user;
    const struct kernel_command *command = exploration->command;
    struct executions executions = {
        .test = explored->test,
        .result = explored->result,
        .repair = explored->repair,
        .source = command->program.il ? NULL : command->program.bytes,
        .search = &exploration->wanted.search,
        .shard = &exploration->wanted.shard,
        .json = exploration->command->reporting.style.format == REPORT_JSON,
        .text = &exploration->command->explored,
    };
    exploration->told = true;
    if (explored->refused != NULL) {
        exploration->status =
            error_set(exploration->error, STATUS_UNSUPPORTED, "%s", explored->refused);
    } else if (explored->graph != NULL) {
        executions_print_graph(&executions, explored->graph);
    } else {
        take_result(exploration, &executions);
    }
}

enum status kernel_explore(struct kernel_command *command, struct error *error)
{
    struct exploration exploration = {.command = command, .error = error};
    struct litmus_claims claims;
    enum status status = executions_parse(command->options, &exploration.wanted, error);
    kernel_assert_claim(command, &claims);
    exploration.wanted.search.claims = &claims;
    const struct sink_exploring exploring = {
        .options = &exploration.wanted.search,
        .choices = exploration.wanted.replays ? &exploration.wanted.choices : NULL,
        .explored = take_explored,
        .user = &exploration,
    };
    struct error run_error;
    if (status == STATUS_OK) {
        status = kernel_host_explore(command->host, &exploring, &command->range, command->arguments,
                                     command->argument_count, &run_error);
        if (exploration.told) {
            status = exploration.status;
        } else if (status != STATUS_OK) {
            *error = run_error;
        }
    }
    executions_clear_progress(&exploration.wanted);
    executions_release(&exploration.wanted);
    return status;
}
