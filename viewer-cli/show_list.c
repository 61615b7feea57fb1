/* The lists of clerk show that are one query each: a row here says the query, its columns, and how
 * people read them. JSON has the same columns with their plain values. */
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/show.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <string.h>

enum form { FORM_TEXT, FORM_NUMBER, FORM_DURATION, FORM_END };

struct list_column {
    const char *title; /* for people */
    const char *key;   /* in JSON */
    enum form form;
    const char *missing; /* what people read for NULL */
};

enum { LIST_COLUMN_MAX = 16, PAGE_ROWS = 512, PRINT_SIZE = 1 << 16 };

struct list {
    const char *name;
    const char *none; /* what people read when there are no rows */
    bool has_calls;   /* rows have columns `call` and `thread`, by which they are chosen */
    const char *sql;  /* its columns are those below, in order */
    struct list_column columns[LIST_COLUMN_MAX];
};

static const struct list lists[] = {
    {"launches",
     "no kernel was launched",
     true,
     "SELECT launch.call AS call, call.thread AS thread, kernel_name, global_size, local_size,"
     " global_offset, queue.name, duration_ns, call.result, queued_ns, submit_ns, start_ns,"
     " launch.end_ns FROM launch JOIN call ON call.id = launch.call"
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
      {NULL, "queued_ns", FORM_NUMBER, NULL},
      {NULL, "submit_ns", FORM_NUMBER, NULL},
      {NULL, "start_ns", FORM_NUMBER, NULL},
      {NULL, "end_ns", FORM_NUMBER, NULL},
      {NULL, NULL, FORM_END, NULL}}},
    /* How much of the time from the first launch's start to the last one's end launches ran. */
    {"queues",
     "no kernel was launched",
     false,
     "SELECT ifnull(queue.name, '?'), count(*), sum(duration_ns), max(end_ns) - min(start_ns),"
     " CASE WHEN max(end_ns) > min(start_ns) AND count(duration_ns) = count(*)"
     "  THEN printf('%.0f %%', 100.0 * sum(duration_ns) / (max(end_ns) - min(start_ns))) END"
     " FROM launch LEFT JOIN object AS queue ON queue.id = launch.queue"
     " GROUP BY launch.queue ORDER BY launch.queue",
     {{"queue", "queue", FORM_TEXT, "?"},
      {"launches", "launches", FORM_NUMBER, ""},
      {"ran", "ran_ns", FORM_DURATION, "not measured"},
      {"within", "within_ns", FORM_DURATION, "not measured"},
      {"busy", "busy", FORM_TEXT, "not measured"},
      {NULL, NULL, FORM_END, NULL}}},
    {"threads",
     "no calls were made",
     false,
     "SELECT thread, count(*), min(id), max(id), sum(failed), sum(duration_ns) FROM call_row"
     " WHERE NOT flags & 4 GROUP BY thread ORDER BY thread",
     {{"thread", "thread", FORM_NUMBER, ""},
      {"calls", "calls", FORM_NUMBER, ""},
      {"first", "first_call", FORM_NUMBER, ""},
      {"last", "last_call", FORM_NUMBER, ""},
      {"failed", "failed_calls", FORM_NUMBER, ""},
      {"in calls", "in_calls_ns", FORM_DURATION, ""},
      {NULL, NULL, FORM_END, NULL}}},
    {"objects",
     "no OpenCL objects were seen",
     false,
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
     false,
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

static void print_row_json(const struct list *list, struct rows *rows, struct text *text)
{
    for (int i = 0; list->columns[i].form != FORM_END; ++i) {
        text_append(text, i ? "," : "{");
        text_append_json(text, list->columns[i].key);
        text_append_char(text, ':');
        if (rows_is_null(rows, i))
            text_append(text, "null");
        else if (list->columns[i].form == FORM_TEXT)
            text_append_json(text, rows_text(rows, i));
        else
            text_format(text, "%" PRId64, rows_number(rows, i));
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

static void print_row(const struct list *list, struct rows *rows, struct table *table)
{
    struct text duration = TEXT_INIT;
    for (int i = 0; list->columns[i].form != FORM_END; ++i) {
        const struct list_column *column = &list->columns[i];
        if (!column->title)
            continue;
        if (rows_is_null(rows, i)) {
            table_cell(table, column->missing);
        } else if (column->form == FORM_DURATION) {
            text_clear(&duration);
            print_duration((uint64_t)rows_number(rows, i), &duration);
            table_cell(table, duration.bytes);
        } else {
            add_text_cell(table, rows_text(rows, i));
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

/* The list's query, for those calls that the options choose. */
static char *make_query(const struct list *list, const struct options *options)
{
    if (!list->has_calls)
        return rows_query("%s", list->sql);
    const uint64_t thread = options_number(options, "thread", 0);
    const uint64_t to = options_number(options, "to", 0);
    return rows_query("SELECT * FROM (%s) WHERE call >= %lld AND (%lld = 0 OR call <= %lld)"
                      " AND (%lld = 0 OR thread = %lld) ORDER BY call",
                      list->sql, (long long)options_number(options, "from", 0), (long long)to,
                      (long long)to, (long long)thread, (long long)thread);
}

enum status show_list(struct trace *trace, const char *name, const struct options *options,
                      struct error *error)
{
    const struct list *list = find_list(name);
    const bool json = options_has(options, "json");
    uint64_t left = options_number(options, "limit", UINT64_MAX);
    struct rows *rows = NULL;
    struct text text = TEXT_INIT;
    bool more = true;
    bool printed = true;
    uint64_t count = 0;
    struct table *table = make_table(list);
    char *sql = make_query(list, options);
    enum status status =
        table && sql ? rows_open(trace, sql, &rows, error) : error_no_memory(error, sizeof *list);
    if (table)
        table_limit(table, show_width(options));
    while (!status && printed && left--) {
        status = rows_next(rows, &more, error);
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
    rows_close(rows);
    rows_query_free(sql);
    text_release(&text);
    return status;
}
