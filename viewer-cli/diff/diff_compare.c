#include "viewer-cli/diff/diff_compare.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"

struct diff_comparison {
    struct diff_run runs[2];
    struct diff_reader *readers[2];
    struct diff_pairs *pairs;
    struct diff_bytes *bytes;
    bool without_queries;
    size_t *passed; /* of each thread of the second run: its steps that had their row */
    diff_visit *visit;
    void *user;
};

enum status diff_comparison_create(struct trace *const traces[2],
                                   const struct replay_tolerance *tolerance, bool without_queries,
                                   struct diff_comparison **comparison, struct error *error)
{
    struct diff_comparison *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->without_queries = without_queries;
    for (int side = 0; side < 2; ++side)
        made->runs[side].trace = traces[side];
    enum status status = diff_runs_load(made->runs, error);
    if (!status) {
        made->pairs = diff_pairs_create();
        made->readers[0] = diff_reader_create(&made->runs[0]);
        made->readers[1] = diff_reader_create(&made->runs[1]);
        made->passed = alloc_zero(made->runs[1].thread_count, sizeof *made->passed);
        if (!made->pairs || !made->readers[0] || !made->readers[1] || !made->passed)
            status = error_no_memory(error, sizeof *made);
    }
    if (!status)
        status =
            diff_bytes_create(traces[0], traces[1], made->pairs, tolerance, &made->bytes, error);
    if (status)
        diff_comparison_destroy(made);
    else
        *comparison = made;
    return status;
}

void diff_comparison_destroy(struct diff_comparison *comparison)
{
    if (!comparison)
        return;
    diff_bytes_destroy(comparison->bytes);
    diff_pairs_destroy(comparison->pairs);
    diff_reader_destroy(comparison->readers[0]);
    diff_reader_destroy(comparison->readers[1]);
    diff_runs_release(comparison->runs);
    alloc_free(comparison->passed);
    alloc_free(comparison);
}

struct diff_run *diff_comparison_runs(struct diff_comparison *comparison)
{
    return comparison->runs;
}

enum status diff_comparison_call(struct diff_comparison *comparison, int side,
                                 const struct diff_step *step, const struct api_call **call,
                                 struct error *error)
{
    return diff_reader_get(comparison->readers[side], step, call, error);
}

/* ---- the walk ---- */

/* Calls that only ask still say what belongs to a handle. */
static enum status give_row(const struct diff_comparison *comparison, const struct diff_row *row,
                            struct error *error)
{
    const struct diff_step *step = row->steps[0] ? row->steps[0] : row->steps[1];
    return comparison->without_queries && api_entry_asks(step->entry)
               ? STATUS_OK
               : comparison->visit(comparison->user, row, error);
}

/* Steps of a thread of the second run up to that one, which is not among them. */
static enum status pass_second(struct diff_comparison *comparison, uint32_t number, uint32_t end,
                               struct error *error)
{
    const struct diff_run *run = &comparison->runs[1];
    const struct diff_thread *thread = &run->threads[number];
    size_t *passed = &comparison->passed[number];
    enum status status = STATUS_OK;
    for (; !status && *passed < thread->count && thread->steps[*passed] < end; ++*passed) {
        const struct diff_step *step = &run->steps[thread->steps[*passed]];
        if (step->partner == DIFF_ALONE)
            status = give_row(comparison, &(struct diff_row){.steps = {NULL, step}}, error);
    }
    return status;
}

/* Handles that it gave out belong to nothing in the second run. */
static enum status pass_first(struct diff_comparison *comparison, const struct diff_step *step,
                              struct error *error)
{
    const struct api_call *call;
    const enum status status = diff_reader_get(comparison->readers[0], step, &call, error);
    if (status)
        return status;
    diff_pairs_forget(comparison->pairs, call);
    return give_row(comparison, &(struct diff_row){.steps = {step, NULL}}, error);
}

static enum status pass_pair(struct diff_comparison *comparison, const struct diff_step *step,
                             struct error *error)
{
    struct diff_row row = {.steps = {step, &comparison->runs[1].steps[step->partner]}};
    enum status status = STATUS_OK;
    if (!step->is_moved)
        status = pass_second(comparison, row.steps[1]->thread, step->partner, error);
    for (int side = 0; side < 2 && !status; ++side)
        status =
            diff_reader_get(comparison->readers[side], row.steps[side], &row.calls[side], error);
    if (status)
        return status;
    row.differs = !diff_calls_agree(comparison->pairs, row.calls[0], row.calls[1], &row.what);
    row.how = DIFF_HOW_ARGUMENT;
    status = diff_bytes_compare(comparison->bytes, row.calls[0], row.calls[1], &row.values, error);
    if (!status && !row.differs && row.values.whose) {
        row.differs = true;
        row.what = row.values.whose;
        row.how = row.values.are_of_argument ? DIFF_HOW_BYTES : DIFF_HOW_ARGUMENT;
    } else if (!row.differs && step->is_moved) {
        row.differs = true;
        row.how = DIFF_HOW_ORDER;
    }
    return status ? status : give_row(comparison, &row, error);
}

enum status diff_comparison_each(struct diff_comparison *comparison, diff_visit *visit, void *user,
                                 struct error *error)
{
    const struct diff_run *runs = comparison->runs;
    enum status status = STATUS_OK;
    comparison->visit = visit;
    comparison->user = user;
    for (size_t i = 0; i < runs[0].count && !status; ++i) {
        const struct diff_step *step = &runs[0].steps[i];
        status = step->partner == DIFF_ALONE ? pass_first(comparison, step, error)
                                             : pass_pair(comparison, step, error);
    }
    for (uint32_t i = 0; i < runs[1].thread_count && !status; ++i)
        status = pass_second(comparison, i, DIFF_ALONE, error);
    return status;
}
