/* clerk diff: do two traces tell the same run, but for times and addresses? Which calls belong
 * together is found first; then they are compared in the order of the first run. */
#include "viewer-cli/diff/cmd_diff.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"
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
    {"json", 0, OPTION_FLAG, false, NULL, "print JSON lines: one object a line"},
};

/* Calls of a thread that the other run does not have there, one after the other. */
struct alone {
    uint32_t first; /* index */
    uint64_t count;
    uint64_t launch; /* the first one's call; 0 = none */
};

struct diff {
    const char *paths[2];
    struct diff_run runs[2];
    struct diff_reader *readers[2];
    struct diff_pairs *pairs;
    struct diff_bytes *bytes;
    struct diff_report *report;
    struct replay_tolerance tolerance;
    bool without_queries;
    struct alone *alone; /* of each thread of the first run */
    size_t *passed;      /* of each thread of the second: its steps that were told or compared */
};

/* ---- calls of one run ---- */

static enum status tell_alone(struct diff *diff, int side, struct alone *alone, struct error *error)
{
    const struct diff_run *run = &diff->runs[side];
    const struct diff_step *step = &run->steps[alone->first];
    const struct api_call *call;
    if (!alone->count)
        return STATUS_OK;
    const enum status status = diff_reader_get(diff->readers[side], step, &call, error);
    if (status)
        return status;
    struct diff_difference difference = {.how = side ? DIFF_HOW_SECOND_ONLY : DIFF_HOW_FIRST_ONLY,
                                         .thread = run->threads[step->thread].number,
                                         .count = alone->count,
                                         .launch = alone->launch};
    difference.calls[side] = call;
    diff_report_add(diff->report, &difference);
    *alone = (struct alone){0};
    return STATUS_OK;
}

/* With --no-queries such calls say what belongs to a handle, and no more. */
static bool is_left_out(const struct diff *diff, uint32_t entry)
{
    return diff->without_queries && api_entry_asks(entry);
}

static void add_alone(const struct diff *diff, int side, struct alone *alone, uint32_t index)
{
    const struct diff_run *run = &diff->runs[side];
    if (is_left_out(diff, run->steps[index].entry))
        return;
    if (!alone->count++)
        alone->first = index;
    if (!alone->launch && api_entry_launches(run->steps[index].entry))
        alone->launch = run->steps[index].id;
    diff_report_count_alone(diff->report, side, run->steps[index].entry);
}

/* Steps of a thread of the second run up to, and not including, that one. */
static enum status pass_second(struct diff *diff, uint32_t number, uint32_t end,
                               struct error *error)
{
    const struct diff_run *run = &diff->runs[1];
    const struct diff_thread *thread = &run->threads[number];
    size_t *passed = &diff->passed[number];
    struct alone alone = {0};
    enum status status = STATUS_OK;
    for (; !status && *passed < thread->count && thread->steps[*passed] < end; ++*passed) {
        const uint32_t index = thread->steps[*passed];
        if (run->steps[index].partner == DIFF_ALONE)
            add_alone(diff, 1, &alone, index);
        else
            status = tell_alone(diff, 1, &alone, error);
    }
    return status ? status : tell_alone(diff, 1, &alone, error);
}

/* ---- calls of both ---- */

static enum status compare_pair(struct diff *diff, const struct diff_step *first,
                                struct error *error)
{
    const struct diff_step *second = &diff->runs[1].steps[first->partner];
    struct diff_difference difference = {
        .thread = diff->runs[0].threads[first->thread].number,
        .count = 1,
        .launch = api_entry_launches(first->entry) ? first->id : 0,
    };
    struct diff_values values;
    enum status status = diff_reader_get(diff->readers[0], first, &difference.calls[0], error);
    if (!status)
        status = diff_reader_get(diff->readers[1], second, &difference.calls[1], error);
    if (status)
        return status;
    const struct api_call *a = difference.calls[0];
    const struct api_call *b = difference.calls[1];
    const bool agree = diff_calls_agree(diff->pairs, a, b, &difference.what);
    if (is_left_out(diff, a->entry))
        return STATUS_OK;
    status = diff_bytes_compare(diff->bytes, a, b, &values, error);
    if (status)
        return status;
    diff_report_pair(diff->report, a, &values);
    if (!agree) {
        difference.how = DIFF_HOW_ARGUMENT;
        diff_report_add(diff->report, &difference);
    } else if (values.whose) {
        difference.how = values.are_of_argument ? DIFF_HOW_BYTES : DIFF_HOW_ARGUMENT;
        difference.what = values.whose;
        difference.values = &values;
        diff_report_add(diff->report, &difference);
    } else if (first->is_moved) {
        difference.how = DIFF_HOW_ORDER;
        difference.launch = 0;
        diff_report_add(diff->report, &difference);
    }
    return STATUS_OK;
}

/* Handles that it gave out belong to nothing in the second run. */
static enum status pass_alone(struct diff *diff, uint32_t index, struct error *error)
{
    const struct diff_step *step = &diff->runs[0].steps[index];
    const struct api_call *call;
    add_alone(diff, 0, &diff->alone[step->thread], index);
    const enum status status = diff_reader_get(diff->readers[0], step, &call, error);
    if (!status)
        diff_pairs_forget(diff->pairs, call);
    return status;
}

static enum status compare(struct diff *diff, struct error *error)
{
    const struct diff_run *runs = diff->runs;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < runs[0].count && !status; ++i) {
        const struct diff_step *step = &runs[0].steps[i];
        if (step->partner == DIFF_ALONE) {
            status = pass_alone(diff, (uint32_t)i, error);
            continue;
        }
        status = tell_alone(diff, 0, &diff->alone[step->thread], error);
        if (!status && !step->is_moved)
            status = pass_second(diff, runs[1].steps[step->partner].thread, step->partner, error);
        if (!status)
            status = compare_pair(diff, step, error);
    }
    for (size_t i = 0; i < runs[0].thread_count && !status; ++i)
        status = tell_alone(diff, 0, &diff->alone[i], error);
    for (uint32_t i = 0; i < runs[1].thread_count && !status; ++i)
        status = pass_second(diff, i, DIFF_ALONE, error);
    return status;
}

/* ---- the verb ---- */

static enum status open_traces(struct diff *diff, const struct options *options,
                               struct error *error)
{
    enum status status = tolerance_parse(options, &diff->tolerance, error);
    for (int side = 0; side < 2 && !status; ++side) {
        diff->paths[side] = options_operand(options, (size_t)side);
        status = reading_open(diff->paths[side], &diff->runs[side].trace, error);
    }
    return status ? status : diff_runs_load(diff->runs, error);
}

static enum status prepare(struct diff *diff, const struct options *options, struct error *error)
{
    diff->pairs = diff_pairs_create();
    diff->readers[0] = diff_reader_create(&diff->runs[0]);
    diff->readers[1] = diff_reader_create(&diff->runs[1]);
    diff->report =
        diff_report_create((const char *const *)diff->paths, diff->runs,
                           options_number(options, "limit", 10), options_has(options, "json"));
    diff->alone = alloc_zero(diff->runs[0].thread_count, sizeof *diff->alone);
    diff->passed = alloc_zero(diff->runs[1].thread_count, sizeof *diff->passed);
    if (!diff->pairs || !diff->readers[0] || !diff->readers[1] || !diff->report || !diff->alone ||
        !diff->passed)
        return error_no_memory(error, sizeof *diff);
    return diff_bytes_create(diff->runs[0].trace, diff->runs[1].trace, diff->pairs,
                             &diff->tolerance, &diff->bytes, error);
}

static void diff_close(struct diff *diff)
{
    diff_bytes_destroy(diff->bytes);
    diff_pairs_destroy(diff->pairs);
    diff_reader_destroy(diff->readers[0]);
    diff_reader_destroy(diff->readers[1]);
    diff_report_destroy(diff->report);
    diff_runs_release(diff->runs);
    alloc_free(diff->alone);
    alloc_free(diff->passed);
    trace_close(diff->runs[0].trace);
    trace_close(diff->runs[1].trace);
}

static int run_diff(const struct options *options)
{
    struct error error;
    struct diff diff = {.without_queries = options_has(options, "no-queries")};
    if (options_operand_count(options) != 2)
        return verb_usage(&verb_diff, "which two traces?");
    enum status status = open_traces(&diff, options, &error);
    if (!status)
        status = prepare(&diff, options, &error);
    if (!status)
        status = compare(&diff, &error);
    if (!status)
        diff_report_print(diff.report, diff.without_queries);
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
                "  clerk diff --no-queries --ulp 4 cpu.db gpu.db\n",
    .run = run_diff,
};
