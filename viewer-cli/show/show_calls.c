/* clerk show TRACE calls, and TRACE follow OBJECT: the calls of its life that name it, and the
 * launches of kernels that have it as an argument. */
#include "trace/base/json.h"
#include "trace/base/visible.h"
#include "viewer-cli/recorded_arguments.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/show/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- an object, and what a call does with it ---- */

struct subject {
    uint64_t handle;            /* 0: all calls are of interest */
    uint64_t created, released; /* calls; 0: before the recording, never */
    char name[64];
};

static bool list_names(const struct api_value *value, uint64_t handle)
{
    const uint64_t *items = value->data;
    for (uint32_t i = 0; items && i < value->count; ++i)
        if (items[i] == handle)
            return true;
    return false;
}

static bool value_names(const struct api_value *value, uint64_t handle)
{
    switch (value->kind) {
    case API_VALUE_HANDLE:
        return value->bits == handle;
    case API_VALUE_HANDLES:
    case API_VALUE_PROPERTIES:
        return list_names(value, handle);
    case API_VALUE_BYTES: /* of clSetKernelArg, and answers */
        return value->data && value->size == sizeof handle &&
               memcmp(value->data, &handle, sizeof handle) == 0;
    default:
        return false;
    }
}

static bool call_names(const struct api_call *call, uint64_t handle)
{
    bool names = value_names(&call->result, handle);
    for (uint32_t i = 0; i < call->argument_count; ++i)
        names |= value_names(&call->arguments[i], handle);
    return names;
}

static void print_subject(struct rows *rows, const struct subject *subject, bool json,
                          struct text *text)
{
    static const char *const keys[] = {"object", "kind", "label"};
    if (json) {
        text_append_char(text, '{');
        for (int i = 0; i < 3; ++i)
            json_string(text, keys[i], rows_is_null(rows, i + 3) ? NULL : rows_text(rows, i + 3));
        json_known_number(text, "created_call", subject->created);
        json_known_number(text, "released_call", subject->released);
        text_append(text, "}\n");
        return;
    }
    static const char *const before[] = {"", ", a ", " ("};
    for (int i = 0; i < 3; ++i) {
        if (i == 2 && !*rows_text(rows, 5))
            break;
        text_append(text, before[i]);
        text_append_visible(text, rows_text(rows, i + 3), VISIBLE_ONE_LINE);
        text_append(text, i == 2 ? ")" : "");
    }
    if (subject->created)
        text_format(text, ", made by call %" PRIu64, subject->created);
    if (subject->released)
        text_format(text, ", released by call %" PRIu64 "\n\n", subject->released);
    else
        text_append(text, ", never released\n\n");
}

/* Finds the object that `name` means, "buffer#2" or a handle, and appends what it is. */
static enum status find_subject(struct trace *trace, const char *name, bool json, struct text *text,
                                struct subject *subject, struct error *error)
{
    struct rows *rows = NULL;
    enum status status = rows_open_format(
        trace, &rows, error,
        "SELECT handle, ifnull(created_call, 0), ifnull(released_call, 0), name, kind, label"
        " FROM object WHERE name = %Q OR printf('0x%%x', handle) = %Q ORDER BY id",
        name, name);
    if (!rows_next(rows, &status, error) && !status)
        status = error_set(error, STATUS_NOT_FOUND,
                           "there is no object '%s' (clerk show TRACE objects lists them)", name);
    if (!status) {
        subject->handle = (uint64_t)rows_number(rows, 0);
        subject->created = (uint64_t)rows_number(rows, 1);
        subject->released = (uint64_t)rows_number(rows, 2);
        snprintf(subject->name, sizeof subject->name, "%s", rows_text(rows, 3));
        print_subject(rows, subject, json, text);
        if (rows_next(rows, &status, error))
            status = error_set(error, STATUS_INVALID,
                               "'%s' was the handle of several objects, '%s' among them; which?",
                               name, rows_text(rows, 3));
    }
    rows_close(rows);
    return status;
}

/* ---- what else is to be said of calls: rows in the order of their calls, read as the calls are
 * ---- */

struct marks {
    struct rows *rows; /* call, words; NULL = none */
    bool more;
};

static enum status open_findings(struct trace *trace, struct marks *marks, struct error *error)
{
    enum status status =
        rows_open(trace,
                  "SELECT call, '[' || rule || '] ' FROM finding WHERE call IS NOT NULL"
                  " GROUP BY call, rule ORDER BY call, min(id)",
                  &marks->rows, error);
    marks->more = rows_next(marks->rows, &status, error);
    return status;
}

/* The launches that have the object as an argument. */
static enum status open_launches(struct trace *trace, const struct subject *subject,
                                 struct marks *marks, struct error *error)
{
    enum status status = recorded_arguments_make(trace, error);
    if (!status)
        status = rows_open_format(
            trace, &marks->rows, error,
            "SELECT call, '(argument ' || group_concat(argument, ', ') || ') '"
            " FROM temp.given_object WHERE object = %Q GROUP BY call ORDER BY call",
            subject->name);
    marks->more = rows_next(marks->rows, &status, error);
    return status;
}

static enum status marks_print(struct marks *marks, uint64_t call, struct text *note,
                               struct error *error)
{
    enum status status = STATUS_OK;
    while (!status && marks->more && (uint64_t)rows_number(marks->rows, 0) <= call) {
        if ((uint64_t)rows_number(marks->rows, 0) == call)
            text_append(note, rows_text(marks->rows, 1));
        marks->more = rows_next(marks->rows, &status, error);
    }
    return status;
}

/* ---- printing: what the call does not say stands before it, where no line is cut ---- */

static void print_row(const struct api_call *call, struct trace_names *names, const char *note,
                      struct table *table, struct text *scratch)
{
    table_cell_format(table, "%" PRIu64, call->id);
    table_cell_format(table, "%" PRIu32, call->thread);
    text_clear(scratch);
    print_duration(call->begin_ns, scratch);
    table_cell(table, scratch->bytes);
    text_clear(scratch);
    if (call->flags & API_CALL_COMPLETED)
        print_duration(call->end_ns - call->begin_ns, scratch);
    else
        text_append_char(scratch, '-');
    table_cell(table, scratch->bytes);
    text_clear(scratch);
    text_append(scratch, note);
    api_call_print(call, trace_handle_name, names, scratch);
    if (!(call->flags & API_CALL_COMPLETED))
        text_append(scratch, "  <-- never returned");
    else if (call->flags & API_CALL_BLOCKED)
        text_append(scratch, "  <-- not passed on to the driver");
    table_cell(table, scratch->bytes);
}

static enum status print_calls(struct trace *trace, const struct trace_filter *filter,
                               const struct subject *subject, const struct options *options,
                               struct error *error)
{
    static const struct table_column columns[] = {{"call", TABLE_RIGHT},
                                                  {"thread", TABLE_RIGHT},
                                                  {"start", TABLE_RIGHT},
                                                  {"took", TABLE_RIGHT},
                                                  {"", TABLE_LEFT}};
    uint64_t left = options_number(options, "limit", UINT64_MAX);
    struct trace_names names = {.trace = trace};
    struct arena arena = {0};
    struct listing listing;
    struct text scratch = TEXT_INIT;
    struct text note = TEXT_INIT;
    struct marks findings = {0};
    struct marks launches = {0};
    struct trace_cursor *cursor = NULL;
    bool go_on = true;
    enum status status =
        listing_open(&listing, columns, sizeof columns / sizeof *columns, options, error);
    if (!status)
        status = open_findings(trace, &findings, error);
    if (!status && subject->handle)
        status = open_launches(trace, subject, &launches, error);
    if (!status)
        status = trace_calls(trace, filter, &cursor, error);
    while (!status && go_on && left) {
        struct api_call call;
        bool found;
        arena_reset(&arena);
        text_clear(&note);
        status = trace_cursor_next(cursor, &arena, &call, &found, error);
        if (status || !found)
            break;
        status = marks_print(&launches, call.id, &note, error);
        if (subject->handle && !note.size && !call_names(&call, subject->handle))
            continue;
        --left;
        names.call_id = call.id;
        if (!status)
            status = marks_print(&findings, call.id, &note, error);
        if (listing.json) {
            api_call_print_json(&call, trace_handle_name, &names, &listing.text);
            text_append_char(&listing.text, '\n');
        } else {
            print_row(&call, &names, note.bytes, listing.table, &scratch);
        }
        listing.text.failed |= scratch.failed || note.failed;
        go_on = listing_count(&listing);
    }
    if (status && listing.table) /* those before one that cannot be read */
        listing_flush(&listing);
    trace_cursor_destroy(cursor);
    rows_close(findings.rows);
    rows_close(launches.rows);
    text_release(&note);
    text_release(&scratch);
    arena_release(&arena);
    return listing_close(&listing, "no such call was made", status, error);
}

enum status show_calls(struct trace *trace, const struct options *options, struct error *error)
{
    struct trace_filter filter = {.first_id = options_number(options, "from", 0),
                                  .last_id = options_number(options, "to", 0),
                                  .thread = (uint32_t)options_number(options, "thread", 0),
                                  .name = options_text(options, "call"),
                                  .errors_only = options_has(options, "errors"),
                                  .with_synthetic = options_has(options, "all")};
    const char *object = options_text(options, "object");
    struct subject subject = {0};
    struct text what = TEXT_INIT;
    enum status status =
        object ? find_subject(trace, object, false, &what, &subject, error) : STATUS_OK;
    if (filter.first_id < subject.created)
        filter.first_id = subject.created;
    if (subject.released && (!filter.last_id || filter.last_id > subject.released))
        filter.last_id = subject.released;
    if (!status)
        status = print_calls(trace, &filter, &subject, options, error);
    text_release(&what);
    return status;
}

enum status show_object(struct trace *trace, const struct options *options, struct error *error)
{
    struct subject subject = {0};
    struct text what = TEXT_INIT;
    enum status status = find_subject(trace, options_operand(options, 2),
                                      options_has(options, "json"), &what, &subject, error);
    if (!status) {
        const struct trace_filter filter = {.first_id = subject.created,
                                            .last_id = subject.released};
        verb_print(&what);
        status = print_calls(trace, &filter, &subject, options, error);
    }
    text_release(&what);
    return status;
}
