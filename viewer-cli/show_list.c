/* The lists of clerk show that are one query each: a row here says the query, its columns, and how
 * people read them. JSON has the same columns with their plain values. */
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/file.h"
#include "viewer-cli/show.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>

/* ---- rows ---- */

struct show_rows {
    sqlite3 *database;
    sqlite3_stmt *statement;
};

static enum status failure(sqlite3 *database, struct error *error)
{
    return error_set(error, STATUS_MALFORMED, "'%s' is damaged: %s",
                     path_base(sqlite3_db_filename(database, "main")), sqlite3_errmsg(database));
}

enum status show_rows_open(struct trace *trace, const char *sql, struct show_rows **rows,
                           struct error *error)
{
    struct show_rows *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->database = trace_database(trace);
    if (sqlite3_prepare_v2(made->database, sql, -1, &made->statement, NULL) != SQLITE_OK) {
        show_rows_close(made);
        return failure(trace_database(trace), error);
    }
    *rows = made;
    return STATUS_OK;
}

enum status show_rows_next(struct show_rows *rows, bool *more, struct error *error)
{
    const int code = sqlite3_step(rows->statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return failure(rows->database, error);
    *more = code == SQLITE_ROW;
    return STATUS_OK;
}

const char *show_rows_text(struct show_rows *rows, int column)
{
    const unsigned char *text = sqlite3_column_text(rows->statement, column);
    return text ? (const char *)text : "";
}

const void *show_rows_blob(struct show_rows *rows, int column, size_t *size)
{
    const void *bytes = sqlite3_column_blob(rows->statement, column);
    *size = (size_t)sqlite3_column_bytes(rows->statement, column);
    return bytes;
}

bool show_rows_is_null(struct show_rows *rows, int column)
{
    return sqlite3_column_type(rows->statement, column) == SQLITE_NULL;
}

int64_t show_rows_number(struct show_rows *rows, int column)
{
    return sqlite3_column_int64(rows->statement, column);
}

void show_rows_close(struct show_rows *rows)
{
    if (!rows)
        return;
    sqlite3_finalize(rows->statement);
    alloc_free(rows);
}

/* ---- lists ---- */

enum form { FORM_TEXT, FORM_NUMBER, FORM_DURATION, FORM_END };

struct list_column {
    const char *title; /* for people */
    const char *key;   /* in JSON */
    enum form form;
    const char *missing; /* what people read for NULL */
};

enum { LIST_COLUMN_MAX = 12, PAGE_ROWS = 512, PRINT_SIZE = 1 << 16 };

struct list {
    const char *name;
    const char *none; /* what people read when there are no rows */
    const char *sql;  /* its columns are those below, in order */
    struct list_column columns[LIST_COLUMN_MAX];
};

static const struct list lists[] = {
    {"launches",
     "no kernel was launched",
     "SELECT launch.call, call.thread, kernel_name, global_size, local_size, global_offset,"
     " queue.name, duration_ns, call.result FROM launch JOIN call ON call.id = launch.call"
     " LEFT JOIN object AS queue ON queue.id = launch.queue ORDER BY launch.call",
     {{"call", "call", FORM_NUMBER, ""},
      {"thread", "thread", FORM_NUMBER, ""},
      {"kernel", "kernel", FORM_TEXT, "?"},
      {"global size", "global_size", FORM_TEXT, "?"},
      {"local size", "local_size", FORM_TEXT, "driver's choice"},
      {"offset", "global_offset", FORM_TEXT, "0"},
      {"queue", "queue", FORM_TEXT, "?"},
      {"took", "duration_ns", FORM_DURATION, "not measured"},
      {"result", "result", FORM_TEXT, "never returned"},
      {NULL, NULL, FORM_END, NULL}}},
    {"objects",
     "no OpenCL objects were seen",
     "SELECT object.name, kind, label, created_call,"
     " (SELECT name FROM call WHERE id = created_call), released_call,"
     " (SELECT name FROM call WHERE id = released_call) FROM object ORDER BY object.id",
     {{"object", "name", FORM_TEXT, "?"},
      {"kind", "kind", FORM_TEXT, "?"},
      {"what", "label", FORM_TEXT, ""},
      {"created", "created_call", FORM_NUMBER, "?"},
      {"by", "created_by", FORM_TEXT, "not recorded"},
      {"released", "released_call", FORM_NUMBER, "never"},
      {"by", "released_by", FORM_TEXT, ""},
      {NULL, NULL, FORM_END, NULL}}},
    {"programs",
     "no program was created",
     "SELECT object.name, origin, (SELECT group_concat(name, ' ') FROM (SELECT DISTINCT name"
     " FROM kernel WHERE kernel.program = program.id ORDER BY name)), length(source),"
     " options, build_call, build_result, source, log"
     " FROM program JOIN object USING (id) ORDER BY id",
     {{"program", "name", FORM_TEXT, "?"},
      {"from", "origin", FORM_TEXT, "?"},
      {"kernels used", "kernels", FORM_TEXT, "none"},
      {"source bytes", "source_size", FORM_NUMBER, ""},
      {"options", "options", FORM_TEXT, ""},
      {"built by", "build_call", FORM_NUMBER, "never"},
      {"result", "build_result", FORM_TEXT, ""},
      {NULL, "source", FORM_TEXT, NULL},
      {NULL, "log", FORM_TEXT, NULL},
      {NULL, NULL, FORM_END, NULL}}},
};

static void print_row_json(const struct list *list, struct show_rows *rows, struct text *text)
{
    for (int i = 0; list->columns[i].form != FORM_END; ++i) {
        text_append(text, i ? "," : "{");
        text_append_json(text, list->columns[i].key);
        text_append_char(text, ':');
        if (show_rows_is_null(rows, i))
            text_append(text, "null");
        else if (list->columns[i].form == FORM_TEXT)
            text_append_json(text, show_rows_text(rows, i));
        else
            text_format(text, "%" PRId64, show_rows_number(rows, i));
    }
    text_append(text, "}\n");
}

/* Texts from the run go on one line, whatever they hold. */
static void add_text_cell(struct table *table, const char *string)
{
    struct text flat = TEXT_INIT;
    for (; *string; ++string)
        text_append_char(&flat, (unsigned char)*string < ' ' ? ' ' : *string);
    table_cell(table, flat.bytes);
    text_release(&flat);
}

static void print_row(const struct list *list, struct show_rows *rows, struct table *table)
{
    struct text duration = TEXT_INIT;
    for (int i = 0; list->columns[i].form != FORM_END; ++i) {
        const struct list_column *column = &list->columns[i];
        if (!column->title)
            continue;
        if (show_rows_is_null(rows, i)) {
            table_cell(table, column->missing);
        } else if (column->form == FORM_DURATION) {
            text_clear(&duration);
            print_duration((uint64_t)show_rows_number(rows, i), &duration);
            table_cell(table, duration.bytes);
        } else {
            add_text_cell(table, show_rows_text(rows, i));
        }
    }
    text_release(&duration);
}

static struct table *make_table(const struct list *list)
{
    struct table_column columns[LIST_COLUMN_MAX];
    size_t count = 0;
    for (size_t i = 0; list->columns[i].form != FORM_END; ++i)
        if (list->columns[i].title)
            columns[count++] = (struct table_column){
                list->columns[i].title,
                list->columns[i].form == FORM_TEXT ? TABLE_LEFT : TABLE_RIGHT};
    return table_create(columns, count);
}

static const struct list *find_list(const char *name)
{
    size_t i = 0;
    while (i < sizeof lists / sizeof *lists && strcmp(lists[i].name, name) != 0)
        ++i;
    ASSERT(i < sizeof lists / sizeof *lists);
    return &lists[i];
}

enum status show_list(struct trace *trace, const char *name, const struct options *options,
                      struct error *error)
{
    const struct list *list = find_list(name);
    const bool json = options_has(options, "json");
    uint64_t left = options_number(options, "limit", UINT64_MAX);
    struct show_rows *rows = NULL;
    struct text text = TEXT_INIT;
    bool more = true;
    bool printed = true;
    uint64_t count = 0;
    struct table *table = make_table(list);
    enum status status = table ? show_rows_open(trace, list->sql, &rows, error)
                               : error_no_memory(error, sizeof *list);
    while (!status && printed && left--) {
        status = show_rows_next(rows, &more, error);
        if (status || !more)
            break;
        if (json)
            print_row_json(list, rows, &text);
        else
            print_row(list, rows, table);
        ++count;
        if (text.size >= PRINT_SIZE || table_row_count(table) >= PAGE_ROWS) {
            if (!json)
                table_print(table, count == table_row_count(table), &text);
            table_clear(table);
            printed = verb_print(&text);
            text_clear(&text);
        }
    }
    if (!status && !json && table_row_count(table))
        table_print(table, count == table_row_count(table), &text);
    if (!status && !json && !count)
        text_format(&text, "%s\n", list->none);
    if (!status && text.failed)
        status = error_no_memory(error, text.size);
    if (!status && printed)
        verb_print(&text);
    table_destroy(table);
    show_rows_close(rows);
    text_release(&text);
    return status;
}
