/* clerk report: makes one report of several, such as those of the jobs of a CI run. It reads the
 * form JSON, which has all that the other forms have. */
#include "trace/base/alloc.h"
#include "viewer-cli/finding_lines.h"
#include "viewer-cli/reporting.h"

#include <unistd.h>

static const struct option_row report_options[] = {
#include "viewer-cli/reporting_options.def"
};

struct merge {
    struct reporting reporting;
    const char *path; /* of the report that is read */
    size_t line_count, broken_count;
    struct shard_set shards;
    enum status status; /* of that set */
    struct error *error;
};

/* A finding that is lost is worse than a report that fails: its line is told, and is an error. */
static void add_broken(struct merge *merge, const struct finding_line *line)
{
    char *sentence = alloc_format("line %zu of '%s' is not in the report: %s", line->number,
                                  merge->path, line->why);
    reporting_add_gap(&merge->reporting, SEVERITY_ERROR, sentence);
    alloc_free(sentence);
    ++merge->broken_count;
}

/* It is known if its run's baseline had it. */
static void add_finding(struct merge *merge, const struct finding *finding)
{
    merge->reporting.style.has_baseline |= finding->is_known;
    for (size_t i = 0; i < finding->process_count; ++i)
        if (finding->processes[i].id != 0) /* one of several of a run */
            report_show_processes(merge->reporting.report);
    report_add(merge->reporting.report, finding);
}

static void add_line(void *user, struct finding_line *line, struct arena *arena)
{
    struct merge *merge = user;
    struct report *report = merge->reporting.report;
    (void)arena;
    ++merge->line_count;
    switch (line->kind) {
    case FINDING_LINE_FINDING:
        add_finding(merge, &line->finding);
        break;
    case FINDING_LINE_UNCHECKED:
        reporting_add_gap(&merge->reporting, line->unchecked.severity, line->unchecked.why);
        break;
    case FINDING_LINE_NOT_SHOWN:
        report_add_not_shown(report, line->rule, line->not_shown);
        break;
    case FINDING_LINE_SHARD:
        if (!merge->status)
            merge->status = shard_set_add(&merge->shards, &line->shard, merge->path, merge->error);
        break;
    default:
        add_broken(merge, line);
    }
}

static enum status add_report(struct merge *merge, const char *path, struct error *error)
{
    struct finding_lines lines;
    const enum status status = finding_lines_read(path, &lines, error);
    if (status)
        return status;
    merge->path = path;
    merge->line_count = merge->broken_count = 0;
    merge->error = error;
    finding_lines_each(&lines, add_line, merge);
    finding_lines_release(&lines);
    if (merge->status)
        return merge->status;
    return merge->line_count == 0 || merge->broken_count < merge->line_count
               ? STATUS_OK
               : error_set(error, STATUS_MALFORMED,
                           "'%s' is not a report in the form JSON (--report FILE.json)", path);
}

static int run_report(const struct options *options)
{
    struct error error;
    struct merge merge = {0};
    struct text text = TEXT_INIT;
    const size_t count = options_operand_count(options);
    if (count == 0)
        return verb_usage(&verb_report, "which reports?");
    enum status status = reporting_open(options, &merge.reporting, &error);
    if (!status && count > 1)
        report_show_processes(merge.reporting.report);
    for (size_t i = 0; i < count && !status; ++i)
        status = add_report(&merge, options_operand(options, i), &error);
    if (!status)
        status = shard_set_check(&merge.shards, &error);
    if (!status) {
        reporting_print(&merge.reporting, STDOUT_FILENO, &text);
        verb_print(&text);
        status = reporting_write(&merge.reporting, &error);
    }
    const int result =
        status ? verb_fail(&verb_report, &error) : (int)reporting_verdict(&merge.reporting);
    text_release(&text);
    shard_set_release(&merge.shards);
    reporting_close(&merge.reporting);
    return verb_finish(&verb_report, result);
}

const struct verb verb_report = {
    .name = "report",
    .synopsis = "FILE... [options]",
    .summary = "make one report of those of several runs",
    .options = report_options,
    .option_count = sizeof report_options / sizeof *report_options,
    .help =
        "Reads reports in the form JSON, as --report FILE.json of clerk run, clerk kernel, clerk\n"
        "replay and clerk check writes them, or --findings of clerk run, and prints one: findings\n"
        "that are equal once, each with the programs that it was seen in. What one run did not\n"
        "check is not checked in the whole. A report that is to be merged has all of its\n"
        "findings with --max-per-rule 0: those that it leaves out are only counted. Of reports of\n"
        "shards (clerk check --shard) all must be there.\n\n"
        "Exit status: 0 nothing found, 1 errors were found (--fail-on), 2 a report could not be\n"
        "read, or is of a run that could not be checked.\n",
    .examples = "  clerk report a.json b.json\n"
                "  clerk report shard-*.json --report all.sarif --format gcc\n",
    .run = run_report,
};
