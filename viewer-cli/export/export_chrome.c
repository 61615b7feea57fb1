/* clerk export --format chrome: the JSON form of trace events, times in microseconds. Threads and
 * queues are two processes of it, so that viewers show them as two groups; an arrow (a flow) leads
 * from a call to the command that it enqueued, findings are instants, and the memory in use is a
 * counter. */
#include "viewer-cli/export_run.h"

#include "trace/base/json.h"
#include "viewer-cli/export/export_marks.h"

#include <inttypes.h>

enum { THREADS = 1, QUEUES = 2 };

static void begin_event(struct text *text, const char *phase, int process, uint64_t thread)
{
    text_append(text, text->size && text->bytes[text->size - 1] == '[' ? "\n{" : ",\n{");
    json_string(text, "ph", phase);
    json_number(text, "pid", (uint64_t)process);
    json_number(text, "tid", thread);
}

/* Decimals by integers: the same digits everywhere. */
static void put_time(struct text *text, const char *key, uint64_t nanoseconds)
{
    json_key(text, key);
    text_format(text, "%" PRIu64 ".%03u", nanoseconds / 1000, (unsigned)(nanoseconds % 1000));
}

static void put_name(struct text *text, const char *what, int process, uint64_t thread,
                     const char *name)
{
    begin_event(text, "M", process, thread);
    json_string(text, "name", what);
    text_append(text, ",\"args\":{");
    json_string(text, "name", name);
    text_append(text, "}}");
}

static uint64_t lane_number(uint32_t queue, uint32_t lane)
{
    return (uint64_t)(queue + 1) << 16 | lane;
}

static void put_names(const struct export_run *run, struct text *text)
{
    struct text name = TEXT_INIT;
    put_name(text, "process_name", THREADS, 0, "threads");
    for (size_t i = 0; i < run->thread_count; ++i) {
        text_clear(&name);
        text_format(&name, "thread %" PRIu32, run->threads[i]);
        put_name(text, "thread_name", THREADS, run->threads[i], name.bytes);
    }
    if (run->queue_count)
        put_name(text, "process_name", QUEUES, 0, "queues");
    for (uint32_t i = 0; i < run->queue_count; ++i)
        for (uint32_t lane = 0; lane < run->queues[i].lane_count; ++lane)
            put_name(text, "thread_name", QUEUES, lane_number(i, lane), run->queues[i].name);
    text->failed |= name.failed;
    text_release(&name);
}

/* ---- calls and commands ---- */

struct chrome {
    struct export_file *file;
    struct export_marks marks;
};

/* One end of the arrow from a call to its command: "s" or "f". It goes by the slice around it. */
static void put_arrow(struct text *text, const char *phase, int process, uint64_t thread,
                      uint64_t call, uint64_t time)
{
    begin_event(text, phase, process, thread);
    json_string(text, "cat", "enqueue");
    json_string(text, "name", "enqueue");
    json_number(text, "id", call);
    put_time(text, "ts", time);
    if (*phase == 'f')
        json_string(text, "bp", "e");
    text_append_char(text, '}');
}

static void put_marks(const struct chrome *chrome, uint64_t call, bool is_of_command, int process,
                      uint64_t thread, uint64_t time)
{
    struct text *text = &chrome->file->text;
    size_t count;
    const struct export_mark *marks = export_marks_at(&chrome->marks, call, is_of_command, &count);
    for (size_t i = 0; i < count; ++i) {
        begin_event(text, "i", process, thread);
        json_string(text, "s", "t");
        json_string(text, "cat", "finding");
        json_string(text, "name", marks[i].rule);
        put_time(text, "ts", time);
        text_append(text, ",\"args\":{");
        json_string(text, "severity", marks[i].severity);
        json_string(text, "message", marks[i].message);
        json_number(text, "call", call);
        text_append(text, "}}");
    }
}

static enum status put_call(void *user, const struct api_call *call, const char *words,
                            struct error *error)
{
    const struct chrome *chrome = user;
    struct text *text = &chrome->file->text;
    const bool returned = call->flags & API_CALL_COMPLETED;
    begin_event(text, returned ? "X" : "B", THREADS, call->thread);
    json_string(text, "name", api_call_name(call));
    put_time(text, "ts", call->begin_ns);
    if (returned)
        put_time(text, "dur", call->end_ns - call->begin_ns);
    text_append(text, ",\"args\":{");
    json_number(text, "call", call->id);
    json_string(text, "words", words);
    text_append(text, "}}");
    if (export_marks_command(&chrome->marks, call->id))
        put_arrow(text, "s", THREADS, call->thread, call->id, call->begin_ns);
    put_marks(chrome, call->id, false, THREADS, call->thread, call->begin_ns);
    return export_flush(chrome->file, error);
}

static enum status put_command(const struct chrome *chrome, const struct export_command *command,
                               struct error *error)
{
    const uint64_t lane = lane_number(command->queue, command->lane);
    struct text *text = &chrome->file->text;
    begin_event(text, "X", QUEUES, lane);
    json_string(text, "name", command->name);
    put_time(text, "ts", command->begin_ns);
    put_time(text, "dur", command->end_ns - command->begin_ns);
    text_append(text, ",\"args\":{");
    json_number(text, "call", command->call);
    json_string(text, "global_size", command->global_size);
    json_string(text, "local_size", command->local_size);
    if (*command->arguments)
        json_string(text, "arguments", command->arguments);
    if (command->bytes >= 0)
        json_number(text, "bytes", (uint64_t)command->bytes);
    json_string(text, "times", command->is_measured ? "measured" : "of the call");
    text_append(text, "}}");
    put_arrow(text, "f", QUEUES, lane, command->call, command->begin_ns);
    put_marks(chrome, command->call, true, QUEUES, lane, command->begin_ns);
    return export_flush(chrome->file, error);
}

static enum status put_use(void *user, uint64_t ns, uint64_t bytes, struct error *error)
{
    const struct chrome *chrome = user;
    struct text *text = &chrome->file->text;
    begin_event(text, "C", THREADS, 0);
    json_string(text, "name", "memory in use");
    put_time(text, "ts", ns);
    text_append(text, ",\"args\":{");
    json_number(text, "bytes", bytes);
    text_append(text, "}}");
    return export_flush(chrome->file, error);
}

enum status export_chrome(const struct export_run *run, struct export_file *file,
                          struct error *error)
{
    struct chrome chrome = {.file = file};
    enum status status = export_marks_load(run, &chrome.marks, error);
    text_append(&file->text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    put_names(run, &file->text);
    if (!status)
        status = export_each_call(run, put_call, &chrome, error);
    for (size_t i = 0; i < run->command_count && !status; ++i)
        status = put_command(&chrome, &run->commands[i], error);
    if (!status)
        status = export_each_use(run, put_use, &chrome, error);
    text_append(&file->text, "\n]}\n");
    export_marks_release(&chrome.marks);
    return status;
}
