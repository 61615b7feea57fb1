/* clerk export --format csv (RFC 4180): a line for each call; what it enqueues has its name, sizes,
 * queue, times and bytes beside it. */
#include "viewer-cli/export_run.h"

#include "trace/base/alloc.h"
#include "trace/base/visible.h"
#include "trace/store.h"

#include <inttypes.h>
#include <string.h>

struct csv {
    const struct export_run *run;
    struct export_file *file;
    const struct export_command **commands; /* by call */
    size_t next;
};

/* A spreadsheet computes what begins like a formula, unless an apostrophe stands before it. */
static void put_field(struct text *text, const char *string)
{
    struct text visible = TEXT_INIT;
    text_append_visible(&visible, string, VISIBLE_ONE_LINE);
    text_append(text, *string && strchr("=+-@\t\r\n ", *string) ? "\"'" : "\"");
    for (const char *at = visible.bytes; *at; ++at) {
        if (*at == '"')
            text_append_char(text, '"');
        text_append_char(text, *at);
    }
    text_append_char(text, '"');
    text->failed |= visible.failed;
    text_release(&visible);
}

/* Without quotes where it is an entry point of OpenCL. */
static void put_name(struct text *text, const struct api_call *call)
{
    if (call->name)
        put_field(text, call->name);
    else
        text_append(text, api_call_name(call));
}

static void put_command(const struct csv *csv, const struct export_command *command,
                        struct text *text)
{
    const char *const fields[] = {command->name, command->global_size, command->local_size,
                                  csv->run->queues[command->queue].name};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
        text_append_char(text, ',');
        if (fields[i])
            put_field(text, fields[i]);
    }
    if (command->is_measured)
        text_format(text, ",%" PRIu64 ",%" PRIu64 ",", command->begin_ns, command->end_ns);
    else
        text_append(text, ",,,");
    if (command->bytes >= 0)
        text_format(text, "%" PRId64, command->bytes);
}

static enum status put_call(void *user, const struct api_call *call, const char *words,
                            struct error *error)
{
    struct csv *csv = user;
    struct text *text = &csv->file->text;
    const bool returned = call->flags & API_CALL_COMPLETED;
    text_format(text, "%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",", call->id, call->thread,
                call->begin_ns);
    if (returned)
        text_format(text, "%" PRIu64, call->end_ns - call->begin_ns);
    text_format(text, ",%d,", !returned || store_call_failed(call));
    put_name(text, call);
    text_append_char(text, ',');
    put_field(text, words);
    if (csv->next < csv->run->command_count && csv->commands[csv->next]->call == call->id)
        put_command(csv, csv->commands[csv->next++], text);
    else
        text_append(text, ",,,,,,,");
    text_append(text, "\r\n");
    return export_flush(csv->file, error);
}

enum status export_csv(const struct export_run *run, struct export_file *file, struct error *error)
{
    struct csv csv = {.run = run, .file = file, .commands = export_commands_by_call(run)};
    if (!csv.commands)
        return error_no_memory(error, run->command_count);
    text_append(&file->text, "call,thread,begin_ns,duration_ns,failed,name,words,"
                             "command,global_size,local_size,queue,start_ns,end_ns,bytes\r\n");
    const enum status status = export_each_call(run, put_call, &csv, error);
    alloc_free(csv.commands);
    return status;
}
