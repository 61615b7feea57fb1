#include "viewer-cli/export_run.h"
#include "trace/claim.h"
#include "viewer-cli/commands.h"
#include "viewer-cli/memory_use.h"
#include "viewer-cli/recorded_arguments.h"
#include "viewer-cli/rows.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <stdlib.h>

enum { FLUSH_SIZE = 1 << 16, LANE_MAX = 1024 };

/* ---- loading ---- */

struct loader {
    struct export_run *run;
    size_t thread_capacity, queue_capacity, command_capacity;
    int64_t queue_id; /* of the queue that was made last */
};

static enum status load_threads(struct loader *loader, struct error *error)
{
    struct export_run *run = loader->run;
    struct rows *rows = NULL;
    enum status status =
        rows_open(run->trace, "SELECT DISTINCT thread FROM call_row ORDER BY thread", &rows, error);
    while (rows_next(rows, &status, error)) {
        uint32_t *threads =
            alloc_grow(run->threads, run->thread_count, &loader->thread_capacity, sizeof *threads);
        if (!threads) {
            status = error_no_memory(error, sizeof *threads);
            break;
        }
        run->threads = threads;
        run->threads[run->thread_count++] = (uint32_t)rows_number(rows, 0);
    }
    rows_close(rows);
    return status;
}

static const char *copy_column(struct loader *loader, struct rows *rows, int column)
{
    return arena_string(&loader->run->arena, rows_text(rows, column));
}

/* The queue of this row: rows of one queue follow each other. */
static bool find_queue(struct loader *loader, struct rows *rows)
{
    struct export_run *run = loader->run;
    const int64_t id = rows_number(rows, 0);
    if (run->queue_count && loader->queue_id == id)
        return true;
    struct export_queue *queues =
        alloc_grow(run->queues, run->queue_count, &loader->queue_capacity, sizeof *queues);
    if (!queues)
        return false;
    run->queues = queues;
    loader->queue_id = id;
    queues[run->queue_count] = (struct export_queue){.name = copy_column(loader, rows, 1)};
    return queues[run->queue_count++].name != NULL;
}

static bool load_command(struct loader *loader, struct rows *rows)
{
    struct export_run *run = loader->run;
    struct export_command *commands =
        alloc_grow(run->commands, run->command_count, &loader->command_capacity, sizeof *commands);
    if (!commands)
        return false;
    run->commands = commands;
    if (!find_queue(loader, rows))
        return false;
    struct export_command *command = &commands[run->command_count++];
    *command = (struct export_command){
        .call = (uint64_t)rows_number(rows, 2),
        .name = copy_column(loader, rows, 3),
        .bytes = rows_is_null(rows, 6) ? -1 : rows_number(rows, 6),
        .queue = (uint32_t)run->queue_count - 1,
        .begin_ns = rows_time(rows, 7),
        .end_ns = rows_time(rows, 8),
        .is_measured = rows_number(rows, 9) != 0,
        .arguments = copy_column(loader, rows, 10),
    };
    if (rows_is_null(rows, 4))
        return command->name && command->arguments;
    command->global_size = copy_column(loader, rows, 4);
    command->local_size = copy_column(loader, rows, 5);
    return command->name && command->arguments && command->global_size && command->local_size;
}

/* Columns 7 and 8 are times of the queue's own clock where they were measured: they are put on the
 * trace's by the largest span that any command of the queue needs. */
static const char commands_sql[] =
    "WITH timed AS (SELECT command.call AS call, work_dim IS NOT NULL AS is_launch,"
    "  ifnull(kernel_name, '?') AS kernel, substr(call.name, 10) || ifnull(' ' || objects, '') AS "
    "words,"
    "  ifnull(global_size, '?') AS global_size, ifnull(local_size, '?') AS local_size, bytes,"
    "  ifnull(command.queue, '?') AS queue, begin_ns, ifnull(call.end_ns, begin_ns) AS returned_ns,"
    "  command.start_ns, command.end_ns, command.end_ns >= command.start_ns AS measured,"
    "  begin_ns - ifnull(command.queued_ns, command.start_ns) AS span,"
    "  ifnull(given.words, '') AS arguments"
    "  FROM temp.command JOIN call ON call.id = command.call"
    "  LEFT JOIN launch ON launch.call = command.call"
    "  LEFT JOIN temp.given ON given.call = command.call WHERE NOT failed OR call.end_ns IS NULL),"
    " shifts AS (SELECT queue, max(span) AS shift FROM timed WHERE measured GROUP BY queue)"
    /* "queue#12" */
    " SELECT CAST(substr(timed.queue, 7) AS INTEGER) AS number, timed.queue, call,"
    " iif(is_launch, kernel, words), iif(is_launch, global_size, NULL),"
    " iif(is_launch, local_size, NULL), bytes,"
    " CASE WHEN measured THEN start_ns + shift ELSE begin_ns END AS begin,"
    " CASE WHEN measured THEN end_ns + shift ELSE returned_ns END, ifnull(measured, 0),"
    " arguments"
    " FROM timed LEFT JOIN shifts ON shifts.queue = timed.queue ORDER BY number, begin, call";

static enum status load_commands(struct loader *loader, struct error *error)
{
    const struct export_run *run = loader->run;
    struct rows *rows = NULL;
    enum status status = rows_open(run->trace, commands_sql, &rows, error);
    while (rows_next(rows, &status, error)) {
        const uint64_t call = (uint64_t)rows_number(rows, 2);
        if (call < run->first_call || (run->last_call && call > run->last_call))
            continue;
        if (!load_command(loader, rows))
            status = error_no_memory(error, sizeof(struct export_command));
    }
    rows_close(rows);
    return status;
}

/* Each command goes into the first lane that is free when it begins; the last one, of many, takes
 * all that are left. */
static enum status find_lanes(struct export_run *run, struct error *error)
{
    uint64_t *ends = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < run->command_count; ++i) {
        struct export_command *command = &run->commands[i];
        struct export_queue *queue = &run->queues[command->queue];
        while (command->lane < queue->lane_count && ends[command->lane] > command->begin_ns &&
               command->lane + 1 < LANE_MAX)
            ++command->lane;
        if (command->lane == queue->lane_count) {
            uint64_t *grown = alloc_grow(ends, queue->lane_count++, &capacity, sizeof *ends);
            if (!grown) {
                alloc_free(ends);
                return error_no_memory(error, sizeof *ends);
            }
            ends = grown;
        }
        ends[command->lane] = command->end_ns;
    }
    alloc_free(ends);
    return STATUS_OK;
}

enum status export_run_load(struct trace *trace, uint64_t first_call, uint64_t last_call,
                            struct export_run *run, struct error *error)
{
    struct loader loader = {.run = run};
    run->trace = trace;
    run->first_call = first_call;
    run->last_call = last_call;
    enum status status = load_threads(&loader, error);
    if (!status)
        status = commands_make(trace, error);
    if (!status)
        status = recorded_arguments_make(trace, error);
    if (!status)
        status = load_commands(&loader, error);
    return status ? status : find_lanes(run, error);
}

void export_run_release(struct export_run *run)
{
    alloc_free(run->threads);
    alloc_free(run->queues);
    alloc_free(run->commands);
    arena_release(&run->arena);
}

static int compare_calls(const void *left, const void *right)
{
    const struct export_command *const *a = left;
    const struct export_command *const *b = right;
    return ((*a)->call > (*b)->call) - ((*a)->call < (*b)->call);
}

const struct export_command **export_commands_by_call(const struct export_run *run)
{
    const struct export_command **commands = alloc_zero(run->command_count + 1, sizeof *commands);
    for (size_t i = 0; commands && i < run->command_count; ++i)
        commands[i] = &run->commands[i];
    if (commands)
        qsort(commands, run->command_count, sizeof *commands, compare_calls);
    return commands;
}

/* ---- calls ---- */

struct call_printer {
    struct trace_names names;
    struct text words;
    export_call_visit *visit;
    void *user;
};

static enum status print_call(void *user, const struct api_call *call, struct error *error)
{
    struct call_printer *printer = user;
    text_clear(&printer->words);
    printer->names.call_id = call->id;
    api_call_print(call, trace_handle_name, &printer->names, &printer->words);
    return printer->words.failed ? error_no_memory(error, printer->words.size)
                                 : printer->visit(printer->user, call, printer->words.bytes, error);
}

enum status export_each_call(const struct export_run *run, export_call_visit *visit, void *user,
                             struct error *error)
{
    const struct trace_filter filter = {.first_id = run->first_call, .last_id = run->last_call};
    struct call_printer printer = {
        .names = {.trace = run->trace}, .words = TEXT_INIT, .visit = visit, .user = user};
    const enum status status = trace_each_call(run->trace, &filter, print_call, &printer, error);
    text_release(&printer.words);
    return status;
}

enum status export_each_use(const struct export_run *run, export_use_visit *visit, void *user,
                            struct error *error)
{
    struct rows *rows = NULL;
    enum status status = memory_use_make(run->trace, error);
    if (!status)
        status = rows_open_format(run->trace, &rows, error,
                                  "SELECT ns, in_use FROM temp.memory_use WHERE call >= %lld"
                                  " AND (%lld = 0 OR call <= %lld) ORDER BY number",
                                  (long long)run->first_call, (long long)run->last_call,
                                  (long long)run->last_call);
    while (rows_next(rows, &status, error))
        status = visit(user, rows_time(rows, 0), (uint64_t)rows_number(rows, 1), error);
    rows_close(rows);
    return status;
}

/* ---- files ---- */

static enum status write_out(struct export_file *file, struct error *error)
{
    if (file->text.failed)
        return error_no_memory(error, file->text.size);
    if (fwrite(file->text.bytes, 1, file->text.size, file->stream) != file->text.size)
        return error_set_errno(error, "cannot write '%s'", file->path);
    text_clear(&file->text);
    return STATUS_OK;
}

enum status export_flush(struct export_file *file, struct error *error)
{
    return file->text.size < FLUSH_SIZE && !file->text.failed ? STATUS_OK : write_out(file, error);
}

enum status export_write(const struct export_run *run, export_form *form, const char *path,
                         struct error *error)
{
    const bool is_ours = file_is_replaceable(path);
    if (claim_spare_trace(path, error))
        return STATUS_INVALID;
    struct export_file file = {.path = path, .stream = fopen(path, "wb"), .text = TEXT_INIT};
    if (!file.stream)
        return error_set_errno(error, "cannot create '%s'", path);
    enum status status = form(run, &file, error);
    if (!status)
        status = write_out(&file, error);
    if (fclose(file.stream) != 0 && !status)
        status = error_set_errno(error, "cannot write '%s'", path);
    if (status && is_ours)
        remove(path);
    text_release(&file.text);
    return status;
}
