#include "viewer-cli/diff/cmd_diff.h"

#include "trace/base/alloc.h"

struct reading {
    struct trace_cursor *cursor; /* of one thread; NULL until the first call */
    bool found;
    struct arena arena;
    struct api_call call;
};

struct diff_reader {
    const struct diff_run *run;
    struct reading *threads;
    struct arena arena; /* of a call that its thread has passed */
    struct api_call call;
};

struct diff_reader *diff_reader_create(const struct diff_run *run)
{
    struct diff_reader *made = alloc_zero(1, sizeof *made);
    if (!made)
        return NULL;
    made->run = run;
    made->threads = alloc_zero(run->thread_count, sizeof *made->threads);
    if (made->threads)
        return made;
    alloc_free(made);
    return NULL;
}

void diff_reader_destroy(struct diff_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; i < reader->run->thread_count; ++i) {
        trace_cursor_destroy(reader->threads[i].cursor);
        arena_release(&reader->threads[i].arena);
    }
    arena_release(&reader->arena);
    alloc_free(reader->threads);
    alloc_free(reader);
}

static enum status advance(struct reading *reading, struct error *error)
{
    arena_reset(&reading->arena);
    return trace_cursor_next(reading->cursor, &reading->arena, &reading->call, &reading->found,
                             error);
}

enum status diff_reader_get(struct diff_reader *reader, const struct diff_step *step,
                            const struct api_call **call, struct error *error)
{
    struct reading *reading = &reader->threads[step->thread];
    const struct trace_filter filter = {.thread = reader->run->threads[step->thread].number};
    enum status status = STATUS_OK;
    if (!reading->cursor) {
        status = trace_calls(reader->run->trace, &filter, &reading->cursor, error);
        if (!status)
            status = advance(reading, error);
    }
    while (!status && reading->found && reading->call.id < step->id)
        status = advance(reading, error);
    *call = &reading->call;
    if (status || (reading->found && reading->call.id == step->id))
        return status;
    arena_reset(&reader->arena);
    *call = &reader->call;
    return trace_call(reader->run->trace, step->id, &reader->arena, &reader->call, error);
}
