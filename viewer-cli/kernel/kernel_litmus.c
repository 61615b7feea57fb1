#include "viewer-cli/kernel/cmd_kernel.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <string.h>

enum { LITMUS_SIZE_MAX = 1 << 20 };

/* Everything of one invocation. */
struct litmus_command {
    const struct options *options;
    const char *path;
    struct executions_wanted wanted;
    struct litmus_test *test;
    struct litmus_result *result;
    struct litmus_repair repair;
    void *source;
    struct text text;
};

/* ---- options ---- */

static enum status parse_options(const struct options *options, struct executions_wanted *wanted,
                                 struct error *error)
{
    static const char *const known[] = {
        "scope-rule", "seq-cst-rule", "seq-cst-scope", "explore", "time",
        "memory",     "executions",   "race-values",   "choices", "unroll",
        "sample",     "shard",        "format",        "json",    "color"};
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
    const enum report_format format = reporting_format(options);
    if (format != REPORT_TEXT && format != REPORT_JSON) {
        return error_set(error, STATUS_INVALID,
                         "what came of a litmus test is told as text or json, not as %s",
                         options_text(options, "format"));
    }
    return executions_parse(options, wanted, error);
}

static enum status load(struct litmus_command *command, struct error *error)
{
    size_t size = 0;
    enum status status = file_read(command->path, LITMUS_SIZE_MAX, &command->source, &size, error);
    if (status == STATUS_OK) {
        status = litmus_parse(command->source, size, &command->test, error);
        if (status != STATUS_OK) {
            error_prefix(error, "%s", command->path);
        }
    }
    return status;
}

static struct executions describe(struct litmus_command *command)
{
    return (struct executions){
        .test = command->test,
        .result = command->result,
        .repair = &command->repair,
        .source = command->source,
        .search = &command->wanted.search,
        .shard = &command->wanted.shard,
        .json = reporting_format(command->options) == REPORT_JSON,
        .text = &command->text,
    };
}

static enum status replay(struct litmus_command *command, struct error *error)
{
    struct graph graph = {0};
    const struct executions executions = describe(command);
    const enum status status = litmus_replay(command->test, &command->wanted.search,
                                             &command->wanted.choices, &graph, error);
    if (status == STATUS_OK) {
        executions_print_graph(&executions, &graph);
    }
    graph_release(&graph);
    return status;
}

static enum status search(struct litmus_command *command, int *exit, struct error *error)
{
    enum status status =
        litmus_search(command->test, &command->wanted.search, &command->result, error);
    if (status == STATUS_OK) {
        status = litmus_repair(command->test, &command->wanted.search, command->result,
                               &command->repair, error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    const struct executions executions = describe(command);
    executions_print(&executions);
    *exit = executions_status(&executions);
    return STATUS_OK;
}

int kernel_litmus_run(const struct verb *verb, const struct options *options, const char *path)
{
    struct error error;
    struct litmus_command command = {.options = options, .path = path, .text = TEXT_INIT};
    int exit = VERB_OK;
    enum status status = parse_options(options, &command.wanted, &error);
    if (status == STATUS_OK) {
        status = load(&command, &error);
    }
    if (status == STATUS_OK) {
        status =
            command.wanted.replays ? replay(&command, &error) : search(&command, &exit, &error);
    }
    executions_clear_progress(&command.wanted);
    verb_print(&command.text);
    exit = verb_finish(verb, status == STATUS_OK ? exit : verb_fail(verb, &error));
    litmus_result_destroy(command.result);
    litmus_destroy(command.test);
    executions_release(&command.wanted);
    alloc_free(command.source);
    text_release(&command.text);
    return exit;
}
