#include "viewer-cli/commands.h"

#include "trace/api/entry.h"
#include "trace/base/size.h"
#include "trace/base/text.h"
#include "trace/store.h"
#include "viewer-cli/reading.h"
#include "viewer-cli/rows.h"

#include <inttypes.h>
#include <string.h>

/* While the tables are filled. */
struct filler {
    struct trace *trace;
    struct trace_names names;
    struct rows *statement;
    struct rows *put_object; /* a row of command_object */
    struct text objects, event, waits_for;
};

/* ---- what a call says ---- */

static void append_name(struct filler *filler, uint64_t handle, struct text *list)
{
    const char *name = trace_handle_name(&filler->names, handle);
    if (list->size)
        text_append_char(list, ' ');
    if (name)
        text_append(list, name);
    else
        text_format(list, "0x%" PRIx64, handle);
}

static void append_names(struct filler *filler, const struct api_value *value, struct text *list)
{
    const uint64_t *handles = value->data;
    if (value->kind == API_VALUE_HANDLE && value->bits)
        append_name(filler, value->bits, list);
    if (value->kind == API_VALUE_HANDLES)
        for (uint32_t i = 0; handles && i < value->count; ++i)
            append_name(filler, handles[i], list);
}

static const struct api_value *find_value(const struct api_call *call, const char *name)
{
    const uint32_t index = api_entry_find_parameter(api_entry_get(call->entry), name);
    return index < call->argument_count ? &call->arguments[index] : NULL;
}

/* False: the call does not say it. */
static bool find_bytes(struct filler *filler, const struct api_call *call, uint64_t *bytes)
{
    const struct api_value *size = find_value(call, "size");
    const struct api_value *region = find_value(call, "region");
    if (size && size->kind == API_VALUE_SCALAR) {
        *bytes = size->bits;
        return true;
    }
    if (!region || region->kind != API_VALUE_SIZES || !region->data || region->count != 3)
        return false;
    static const char *const images[] = {"image", "src_image", "dst_image"};
    const uint64_t *counts = region->data;
    const struct api_value *image = NULL;
    cl_image_format format;
    struct image_shape shape = {.pixel_size = 1};
    for (size_t i = 0; i < sizeof images / sizeof *images && !image; ++i)
        image = find_value(call, images[i]);
    if (image && !reading_image(&filler->names, image->bits, &format, &shape))
        return false;
    *bytes = shape.pixel_size;
    return *bytes && size_mul(*bytes, counts[0], bytes) && size_mul(*bytes, counts[1], bytes) &&
           size_mul(*bytes, counts[2], bytes);
}

/* ---- the table ---- */

static const char *text_or_null(const struct text *text)
{
    return text->size ? text->bytes : NULL;
}

/* A row for each name of the list. */
static enum status put_objects(struct filler *filler, uint64_t call, char *names,
                               struct error *error)
{
    enum status status = STATUS_OK;
    char *rest = NULL;
    for (char *name = strtok_r(names, " ", &rest); name && !status;
         name = strtok_r(NULL, " ", &rest)) {
        rows_bind_text(filler->put_object, 1, name);
        rows_bind_number(filler->put_object, 2, (int64_t)call);
        status = rows_run(filler->put_object, error);
    }
    return status;
}

static enum status put_command(void *user, const struct api_call *call, struct error *error)
{
    struct filler *filler = user;
    const struct api_entry_info *info = api_entry_get(call->entry);
    const char *queue = NULL;
    char queue_name[sizeof filler->names.name];
    uint64_t bytes;
    filler->names.call_id = call->id;
    text_clear(&filler->objects);
    text_clear(&filler->event);
    text_clear(&filler->waits_for);
    for (uint32_t i = 0; i < call->argument_count && i < info->parameter_count; ++i) {
        const struct api_parameter *parameter = &info->parameters[i];
        if (parameter->role == API_ROLE_OUT_EVENT)
            append_names(filler, &call->arguments[i], &filler->event);
        else if (parameter->kind == API_OBJECT_EVENT)
            append_names(filler, &call->arguments[i], &filler->waits_for);
        else if (parameter->kind == API_OBJECT_MEM)
            append_names(filler, &call->arguments[i], &filler->objects);
    }
    const struct api_value *value = find_value(call, "command_queue");
    if (value && (queue = trace_handle_name(&filler->names, value->bits)) != NULL)
        queue = strcpy(queue_name, queue);
    if (filler->objects.failed || filler->event.failed || filler->waits_for.failed)
        return error_no_memory(error, sizeof *call);
    rows_bind_number(filler->statement, 1, (int64_t)call->id);
    rows_bind_text(filler->statement, 2, text_or_null(&filler->objects));
    if (find_bytes(filler, call, &bytes))
        rows_bind_number(filler->statement, 3, (int64_t)bytes);
    rows_bind_text(filler->statement, 4, queue);
    rows_bind_text(filler->statement, 5, text_or_null(&filler->event));
    rows_bind_text(filler->statement, 6, text_or_null(&filler->waits_for));
    enum status status = rows_run(filler->statement, error);
    if (!status)
        status = put_objects(filler, call->id, filler->objects.bytes, error);
    return status ? status : put_objects(filler, call->id, filler->waits_for.bytes, error);
}

/* The statement sets, at the event ?2, the time that ?1 means to ?3. */
static enum status put_time(void *user, const struct api_call *call, struct error *error)
{
    struct filler *filler = user;
    filler->names.call_id = call->id;
    const struct api_value *answer = &call->arguments[API_clGetEventProfilingInfo_param_value];
    const char *event =
        trace_handle_name(&filler->names, call->arguments[API_clGetEventProfilingInfo_event].bits);
    uint64_t time;
    if (!event || answer->kind != API_VALUE_BYTES || answer->size != sizeof time || !answer->data ||
        store_call_failed(call))
        return STATUS_OK;
    memcpy(&time, answer->data, sizeof time);
    rows_bind_number(filler->statement, 1,
                     (int64_t)call->arguments[API_clGetEventProfilingInfo_param_name].bits);
    rows_bind_text(filler->statement, 2, event);
    rows_bind_number(filler->statement, 3, (int64_t)time);
    return rows_run(filler->statement, error);
}

static enum status fill(struct filler *filler, const char *statement, const char *calls,
                        trace_visit *visit, struct error *error)
{
    const struct trace_filter filter = {.name = calls};
    enum status status = rows_open(filler->trace, statement, &filler->statement, error);
    if (!status)
        status = trace_each_call(filler->trace, &filter, visit, filler, error);
    rows_close(filler->statement);
    filler->statement = NULL;
    return status;
}

enum status commands_make(struct trace *trace, struct error *error)
{
    struct filler filler = {.trace = trace,
                            .names = {.trace = trace},
                            .objects = TEXT_INIT,
                            .event = TEXT_INIT,
                            .waits_for = TEXT_INIT};
    char *update = rows_query(
        "UPDATE temp.command SET queued_ns = iif(?1 = %d, ?3, queued_ns),"
        " submit_ns = iif(?1 = %d, ?3, submit_ns), start_ns = iif(?1 = %d, ?3, start_ns),"
        " end_ns = iif(?1 = %d, ?3, end_ns), complete_ns = iif(?1 = %d, ?3, complete_ns)"
        " WHERE event = ?2",
        CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE);
    enum status status =
        update ? rows_execute(trace,
                              "CREATE TEMP TABLE command (call INTEGER PRIMARY KEY, objects TEXT,"
                              " bytes INTEGER, queue TEXT, event TEXT, waits_for TEXT,"
                              " queued_ns INTEGER, submit_ns INTEGER, start_ns INTEGER,"
                              " end_ns INTEGER, complete_ns INTEGER);"
                              "CREATE TEMP TABLE command_object (object TEXT, call INTEGER,"
                              " PRIMARY KEY (object, call)) WITHOUT ROWID",
                              error)
               : error_no_memory(error, 1);
    if (!status)
        status = rows_open(trace, "INSERT OR IGNORE INTO temp.command_object VALUES (?1, ?2)",
                           &filler.put_object, error);
    if (!status)
        status = fill(&filler,
                      "INSERT INTO temp.command (call, objects, bytes, queue, event, waits_for)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                      "clEnqueue*", put_command, error);
    if (!status)
        status = rows_execute(trace, "CREATE INDEX temp.command_event ON command (event)", error);
    if (!status)
        status = fill(&filler, update, "clGetEventProfilingInfo", put_time, error);
    if (!status)
        status = rows_execute(trace,
                              "UPDATE temp.command SET queued_ns = own.queued_ns,"
                              " submit_ns = own.submit_ns, start_ns = own.start_ns,"
                              " end_ns = own.end_ns, complete_ns = own.complete_ns"
                              " FROM command_time AS own WHERE own.call = command.call",
                              error);
    rows_close(filler.put_object);
    rows_query_free(update);
    text_release(&filler.objects);
    text_release(&filler.event);
    text_release(&filler.waits_for);
    return status;
}
