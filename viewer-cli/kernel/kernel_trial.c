/* What findings of a run advise, tried: of a kernel that has too many work-items to be explored.
 * The lines are changed as the advice says, the program is built anew, and run under the schedules
 * that are always run, turns:1 if work-items communicate, and those that found something. What is
 * found then may advise more. That nothing is found says nothing of other schedules, or of what no
 * run shows. */
#include "viewer-cli/kernel/cmd_kernel.h"

#include "checkers/finding.h"
#include "checkers/litmus/litmus.h"
#include "checkers/schedules.h"
#include "trace/base/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- what to try ---- */

static bool has_room(const struct kernel_trial *trial)
{
    return trial->change_count < KERNEL_TRIAL_CHANGES && trial->schedule_count < KERNEL_TRIAL_RUNS;
}

static bool add_change(struct kernel_trial *trial, const struct finding_change *change)
{
    for (size_t i = 0; i < trial->change_count; i++) {
        const struct finding_change *known = &trial->changes[i];
        if (known->line == change->line && strcmp(known->from, change->from) == 0 &&
            strcmp(known->to, change->to) == 0) {
            return true;
        }
    }
    struct finding_change *added = &trial->changes[trial->change_count++];
    *added = (struct finding_change){
        change->line,
        arena_string(&trial->arena, change->source),
        arena_string(&trial->arena, change->from),
        arena_string(&trial->arena, change->to),
    };
    return added->source != NULL && added->from != NULL && added->to != NULL;
}

static bool add_schedule(struct kernel_trial *trial, const char *name)
{
    for (size_t i = 0; i < trial->schedule_count; i++) {
        if (strcmp(trial->schedules[i], name) == 0) {
            return true;
        }
    }
    const char *const added = arena_string(&trial->arena, name);
    trial->schedules[trial->schedule_count++] = added;
    return added != NULL;
}

/* Of an error, which may not say which words to change. */
static void take_error(struct kernel_trial *trial, const struct finding *finding)
{
    trial->wrong = true;
    if (finding->schedule != NULL) {
        trial->lost |= !has_room(trial) || !add_schedule(trial, finding->schedule);
    }
    for (size_t i = 0; i < FINDING_CHANGES_MAX && finding->changes[i].line != 0; i++) {
        trial->lost = trial->lost || !has_room(trial) || !add_change(trial, &finding->changes[i]);
    }
}

static bool is_error(const struct finding *finding)
{
    return rule_get(finding->rule)->severity == SEVERITY_ERROR &&
           !schedules_is_of_progress(finding->rule);
}

static bool visit(void *user, const struct finding *finding)
{
    if (is_error(finding)) {
        take_error(user, finding);
    }
    return true;
}

void kernel_trial_take(struct kernel_trial *trial, const struct finding *finding)
{
    visit(trial, finding);
}

/* ---- the changed program ---- */

/* Changes the line, which must be the one that the compiler saw, and have the word once. */
static bool change_line(struct kernel_trial *trial, const struct finding_change *change)
{
    const char *line = trial->program.bytes;
    for (uint32_t i = 1; line != NULL && i < change->line; i++) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    if (line == NULL) {
        return false;
    }
    const size_t length = strcspn(line, "\n");
    const char *const at = strstr(line, change->from);
    const size_t from = strlen(change->from);
    if (at == NULL || at + from > line + length) {
        return false;
    }
    const char *const next = strstr(at + 1, change->from);
    if (next != NULL && next < line + length) {
        return false;
    }
    const char *const begin = trial->program.bytes;
    char *changed =
        arena_format(&trial->arena, "%.*s%s%s", (int)(at - begin), begin, change->to, at + from);
    trial->program.bytes = changed;
    trial->program.size = changed != NULL ? strlen(changed) : 0;
    return changed != NULL;
}

/* Is the line as the compiler saw it? It may be of another file. */
static bool is_of_program(const struct kernel_program *program, const struct finding_change *change)
{
    const char *line = program->bytes;
    for (uint32_t i = 1; line != NULL && i < change->line; i++) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    const size_t length = line != NULL ? strcspn(line, "\r\n") : 0;
    const size_t wanted = strcspn(change->source, "\r\n");
    return line != NULL && length == wanted && memcmp(line, change->source, length) == 0;
}

static bool change_program(struct kernel_trial *trial, const struct kernel_program *program)
{
    bool good = true;
    trial->program = *program;
    for (size_t i = 0; good && i < trial->change_count; i++) {
        good = is_of_program(program, &trial->changes[i]) && change_line(trial, &trial->changes[i]);
    }
    return good;
}

/* ---- running it ---- */

/* Under the schedule of that index. *spent: the budget was not enough for all of it. */
static bool run_one(struct kernel_command *command, size_t index, bool *spent)
{
    const struct kernel_trial *trial = &command->trial;
    const uint64_t budget = index < trial->usual_count ? 0 : command->schedules.budget;
    struct sink_meter meter = {.budget = budget};
    struct error error;
    int32_t ended = 0;
    const bool good = kernel_host_renew(command->host, command->kernel, &error) == STATUS_OK &&
                      kernel_host_run(command->host, trial->schedules[index], &meter,
                                      &command->range, command->arguments, command->argument_count,
                                      NULL, &ended, &error) == STATUS_OK;
    *spent = meter.spent;
    return good && (ended == 0 || meter.spent);
}

static void drop_schedule(struct kernel_trial *trial, size_t index)
{
    trial->schedule_count--;
    memmove(&trial->schedules[index], &trial->schedules[index + 1],
            (trial->schedule_count - index) * sizeof *trial->schedules);
}

/* Of what was not run to its end nothing is said. */
static bool run_all(struct kernel_command *command)
{
    struct kernel_trial *trial = &command->trial;
    struct text log = TEXT_INIT;
    struct error error;
    kernel_host_end_program(command->host);
    bool good =
        kernel_host_build(command->host, &trial->program, options_text(command->options, "build"),
                          &log, &error) == STATUS_OK &&
        kernel_host_select(command->host, command->kernel, &error) == STATUS_OK;
    text_release(&log);
    for (size_t i = 0; good && i < trial->schedule_count;) {
        bool spent;
        good = run_one(command, i, &spent);
        if (good && spent) {
            drop_schedule(trial, i);
        } else {
            i++;
        }
    }
    return good;
}

/* ---- what is told ---- */

static int compare_changes(const void *a, const void *b)
{
    const struct finding_change *first = a;
    const struct finding_change *second = b;
    return (first->line > second->line) - (first->line < second->line);
}

/* "asc, desc and turns:1" */
static void print_schedules(const struct kernel_trial *trial, struct text *text)
{
    for (size_t i = 0; i < trial->schedule_count; i++) {
        text_format(text, "%s%s",
                    i == 0                           ? ""
                    : i + 1 == trial->schedule_count ? " and "
                                                     : ", ",
                    trial->schedules[i]);
    }
}

static void print_json(const struct kernel_trial *trial, struct text *text)
{
    text_append(text, "{\"kind\":\"repair\",\"verdict\":\"tried\",\"schedules\":[");
    for (size_t i = 0; i < trial->schedule_count; i++) {
        text_append(text, i == 0 ? "" : ",");
        text_append_json(text, trial->schedules[i]);
    }
    text_append(text, "],\"edits\":[");
    for (size_t i = 0; i < trial->change_count; i++) {
        const struct finding_change *change = &trial->changes[i];
        text_format(text, "%s{\"line\":%u,\"from\":\"%s\",\"to\":\"%s\"}", i == 0 ? "" : ",",
                    change->line, change->from, change->to);
    }
    text_append(text, "]}\n");
}

static void tell(struct kernel_command *command)
{
    struct kernel_trial *trial = &command->trial;
    struct text *text = &command->explored;
    qsort(trial->changes, trial->change_count, sizeof *trial->changes, compare_changes);
    if (command->reporting.style.format == REPORT_JSON) {
        print_json(trial, text);
        return;
    }
    text_append(text, "repair, under ");
    print_schedules(trial, text);
    for (size_t i = 0; i < trial->change_count; i++) {
        const struct finding_change *change = &trial->changes[i];
        text_format(text, "%s line %u: %s -> %s", i == 0 ? ":" : ";", change->line, change->from,
                    change->to);
    }
    text_append_char(text, '\n');
}

/* ---- the whole ---- */

static bool is_explorable(const struct kernel_range *range)
{
    return range->global[0] * range->global[1] * range->global[2] <= LITMUS_THREADS_MAX;
}

void kernel_trial_run(struct kernel_command *command)
{
    static const char *const usual[] = {"asc", "desc"};
    struct kernel_trial *trial = &command->trial;
    const char *const only = command->schedules.only;
    if (command->program.il || command->debugger >= 0 || is_explorable(&command->range)) {
        return;
    }
    trial->usual_count = only != NULL ? 1 : sizeof usual / sizeof *usual;
    for (size_t i = 0; i < trial->usual_count; i++) {
        trial->lost |= !add_schedule(trial, only != NULL ? only : usual[i]);
    }
    if (command->schedules.budget > 0) {
        trial->lost |= !add_schedule(trial, SCHEDULES_TURNS);
    }
    report_each_new(command->reporting.report, visit, trial);
    trial->is_under_way = true;
    size_t tried = 0;
    while (trial->wrong && !trial->lost && trial->change_count > tried) {
        trial->wrong = false;
        tried = trial->change_count;
        trial->lost = !change_program(trial, &command->program) || !run_all(command);
        if (!trial->wrong && !trial->lost) {
            tell(command);
        }
    }
    trial->is_under_way = false;
}

void kernel_trial_release(struct kernel_command *command)
{
    arena_release(&command->trial.arena);
}
