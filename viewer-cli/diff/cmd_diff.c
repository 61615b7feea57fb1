/* clerk diff: do two traces tell the same run, but for times and addresses? Which calls belong
 * together is found first; then they are compared in the order of the first run. */
#include "viewer-cli/diff/cmd_diff.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/claim.h"
#include "viewer-cli/diff/diff_lines.h"
#include "viewer-cli/reading.h"
#include "viewer-cli/tolerance.h"
#include "viewer-cli/verb.h"

#include <string.h>

static const struct option_row diff_options[] = {
    {"no-queries", 0, OPTION_FLAG, false, NULL,
     "leave out calls that only ask, which other drivers answer otherwise"},
    TOLERANCE_OPTIONS("the first run's value"),
    {"limit", 'n', OPTION_NUMBER, false, "N",
     "show the first N differences only (10); 0 shows all"},
    {"page", 0, OPTION_TEXT, false, "FILE",
     "write a page for browsers as well, with both runs side by side"},
    {"json", 0, OPTION_FLAG, false, NULL, "print JSON lines: one object a line"},
};

/* Calls of a thread that the other run does not have there, one after the other. */
struct alone {
    const struct diff_step *first;
    uint64_t count;
    uint64_t launch; /* the first one's call; 0 = none */
};

struct diff {
    const char *paths[2];
    struct trace *traces[2];
    struct diff_comparison *comparison;
    struct diff_report *report;
    struct alone *alone[2]; /* of each thread */
    const char *page;       /* NULL: there is to be none */
    struct diff_lines lines;
};

static enum status tell_alone(struct diff *diff, int side, uint32_t thread, struct error *error)
{
    struct alone *alone = &diff->alone[side][thread];
    const struct api_call *call;
    if (!alone->count)
        return STATUS_OK;
    const enum status status =
        diff_comparison_call(diff->comparison, side, alone->first, &call, error);
    if (status)
        return status;
    struct diff_difference difference = {
        .how = side ? DIFF_HOW_SECOND_ONLY : DIFF_HOW_FIRST_ONLY,
        .thread = diff_comparison_runs(diff->comparison)[side].threads[thread].number,
        .count = alone->count,
        .launch = alone->launch};
    difference.calls[side] = call;
    diff_report_add(diff->report, &difference);
    *alone = (struct alone){0};
    return STATUS_OK;
}

static void add_alone(struct diff *diff, int side, const struct diff_step *step)
{
    struct alone *alone = &diff->alone[side][step->thread];
    if (!alone->count++)
        alone->first = step;
    if (!alone->launch && api_entry_launches(step->entry))
        alone->launch = step->id;
    diff_report_count_alone(diff->report, side, step->entry);
}

static void add_pair(struct diff *diff, const struct diff_row *row)
{
    const struct diff_step *first = row->steps[0];
    const struct diff_run *runs = diff_comparison_runs(diff->comparison);
    diff_report_pair(diff->report, row->calls[0], &row->values);
    if (row->differs)
        diff_report_add(
            diff->report,
            &(struct diff_difference){
                .how = row->how,
                .what = row->what,
                .thread = runs[0].threads[first->thread].number,
                .calls = {row->calls[0], row->calls[1]},
                .count = 1,
                .launch =
                    row->how != DIFF_HOW_ORDER && api_entry_launches(first->entry) ? first->id : 0,
                .values = row->what && row->what == row->values.whose ? &row->values : NULL,
            });
}

static enum status take_row(void *user, const struct diff_row *row, struct error *error)
{
    struct diff *diff = user;
    enum status status = diff->page ? diff_lines_add(&diff->lines, row, error) : STATUS_OK;
    if (!row->steps[0] || !row->steps[1]) {
        const int side = row->steps[0] ? 0 : 1;
        add_alone(diff, side, row->steps[side]);
        return status;
    }
    for (int side = 0; side < 2 && !status; ++side)
        status = tell_alone(diff, side, row->steps[side]->thread, error);
    if (!status)
        add_pair(diff, row);
    return status;
}

static enum status compare(struct diff *diff, struct error *error)
{
    const struct diff_run *runs = diff_comparison_runs(diff->comparison);
    enum status status = diff_comparison_each(diff->comparison, take_row, diff, error);
    for (int side = 0; side < 2; ++side)
        for (uint32_t i = 0; i < runs[side].thread_count && !status; ++i)
            status = tell_alone(diff, side, i, error);
    return status;
}

/* ---- the verb ---- */

static enum status open_traces(struct diff *diff, const struct options *options,
                               struct error *error)
{
    struct replay_tolerance tolerance;
    enum status status = tolerance_parse(options, &tolerance, error);
    for (int side = 0; side < 2 && !status; ++side) {
        diff->paths[side] = options_operand(options, (size_t)side);
        status = reading_open(diff->paths[side], &diff->traces[side], error);
    }
    return status ? status
                  : diff_comparison_create(diff->traces, &tolerance,
                                           options_has(options, "no-queries"), &diff->comparison,
                                           error);
}

static enum status write_page(struct diff *diff, bool without_queries, struct error *error)
{
    const char *const titles[] = {path_base(diff->paths[0]), path_base(diff->paths[1])};
    struct text summary = TEXT_INIT;
    diff_report_print_summary(diff->report, without_queries, &summary);
    const enum status status = diff_page_write(&diff->lines, titles, &summary, diff->page, error);
    text_release(&summary);
    return status;
}

static enum status prepare(struct diff *diff, const struct options *options, struct error *error)
{
    struct diff_run *runs = diff_comparison_runs(diff->comparison);
    diff->page = options_text(options, "page");
    diff->lines.traces[0] = diff->traces[0];
    diff->lines.traces[1] = diff->traces[1];
    diff->report =
        diff_report_create((const char *const *)diff->paths, runs,
                           options_number(options, "limit", 10), options_has(options, "json"));
    for (int side = 0; side < 2; ++side)
        diff->alone[side] = alloc_zero(runs[side].thread_count, sizeof *diff->alone[side]);
    if (!diff->report || !diff->alone[0] || !diff->alone[1])
        return error_no_memory(error, sizeof *diff);
    return diff->page ? claim_spare_trace(diff->page, error) : STATUS_OK;
}

static void diff_close(struct diff *diff)
{
    diff_lines_release(&diff->lines);
    diff_report_destroy(diff->report);
    diff_comparison_destroy(diff->comparison);
    for (int side = 0; side < 2; ++side) {
        alloc_free(diff->alone[side]);
        trace_close(diff->traces[side]);
    }
}

static int run_diff(const struct options *options)
{
    struct error error;
    struct diff diff = {.report = NULL};
    if (options_operand_count(options) != 2)
        return verb_usage(&verb_diff, "which two traces?");
    enum status status = open_traces(&diff, options, &error);
    if (!status)
        status = prepare(&diff, options, &error);
    if (!status)
        status = compare(&diff, &error);
    if (!status && diff.page)
        status = write_page(&diff, options_has(options, "no-queries"), &error);
    if (!status)
        diff_report_print(diff.report, options_has(options, "no-queries"));
    const int result = status                           ? verb_fail(&verb_diff, &error)
                       : diff_report_count(diff.report) ? VERB_FOUND
                                                        : VERB_OK;
    diff_close(&diff);
    return verb_finish(&verb_diff, result);
}

const struct verb verb_diff = {
    .name = "diff",
    .synopsis = "TRACE TRACE [options]",
    .summary = "compare two recorded runs, except for times and addresses",
    .options = diff_options,
    .option_count = sizeof diff_options / sizeof *diff_options,
    .help =
        "Finds out which calls of both runs belong together, thread by thread, and compares their\n"
        "arguments, results and bytes of memory. Launches belong together that are of one kernel,\n"
        "with arguments of the same sizes, in the same order; calls more or fewer do not disturb\n"
        "that. Handles count as equal when the same call created them, and values as close when\n"
        "the tolerance covers them, by the types of the kernel's arguments.\n\n"
        "A summary stands first: how much differs, where it begins, which launches, by how much.\n"
        "The differences follow one by one.\n\n"
        "Exit status: 0 equal, 1 differences, 2 could not compare.\n",
    .examples = "  clerk run -o a.db -- ./app; clerk run -o b.db -- ./app; clerk diff a.db b.db\n"
                "  clerk diff --no-queries --ulp 4 cpu.db gpu.db\n"
                "  clerk diff a.db b.db --page both.html\n",
    .run = run_diff,
};
