/* clerk export --format chrome: the JSON form of trace events, times in microseconds. Threads and
 * queues are two processes of it, so that viewers show them as two groups. */
#include "viewer-cli/export_run.h"

#include "trace/base/json.h"

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

static enum status put_call(void *user, const struct api_call *call, const char *words,
                            struct error *error)
{
    struct export_file *file = user;
    struct text *text = &file->text;
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
    return export_flush(file, error);
}

static void put_command(const struct export_command *command, struct text *text)
{
    begin_event(text, "X", QUEUES, lane_number(command->queue, command->lane));
    json_string(text, "name", command->name);
    put_time(text, "ts", command->begin_ns);
    put_time(text, "dur", command->end_ns - command->begin_ns);
    text_append(text, ",\"args\":{");
    json_number(text, "call", command->call);
    json_string(text, "global_size", command->global_size);
    json_string(text, "local_size", command->local_size);
    if (command->bytes >= 0)
        json_number(text, "bytes", (uint64_t)command->bytes);
    json_string(text, "times", command->is_measured ? "measured" : "of the call");
    text_append(text, "}}");
}

enum status export_chrome(const struct export_run *run, struct export_file *file,
                          struct error *error)
{
    text_append(&file->text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    put_names(run, &file->text);
    enum status status = export_each_call(run, put_call, file, error);
    for (size_t i = 0; i < run->command_count && !status; ++i) {
        put_command(&run->commands[i], &file->text);
        status = export_flush(file, error);
    }
    text_append(&file->text, "\n]}\n");
    return status;
}
