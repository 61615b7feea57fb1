/* clerk show TRACE: the run on one screen. */
#include "trace/base/json.h"
#include "trace/base/visible.h"
#include "viewer-cli/findings.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/shortfall.h"
#include "viewer-cli/show/show.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_SHOWN = 10, LABEL_WIDTH = 12 };

/* One number of the database. A query that fails (a damaged file) is remembered in *status. */
static uint64_t ask(struct trace *trace, const char *sql, enum status *status, struct error *error)
{
    struct rows *rows = NULL;
    if (!*status)
        *status = rows_open(trace, sql, &rows, error);
    const uint64_t number = rows_next(rows, status, error) ? (uint64_t)rows_number(rows, 0) : 0;
    rows_close(rows);
    return number;
}

enum {
#define FACT(symbol, key, sql) symbol,
#include "viewer-cli/show/show_facts.def"
#undef FACT
    FACT_COUNT
};

static const struct {
    const char *key, *sql;
} facts[FACT_COUNT] = {
#define FACT(symbol, key, sql) {key, sql},
#include "viewer-cli/show/show_facts.def"
#undef FACT
};

/* Those that the program saw, a row for each name. */
static const char devices_sql[] = "SELECT ifnull(label, name) AS what, count(*) FROM object"
                                  " WHERE kind = 'device' GROUP BY what ORDER BY min(id)";

static const char *const origins[] = {"command", "program",      "directory",    "start_time",
                                      "process", "state",        "host",         "system",
                                      "release", "architecture", "clerk_version"};
enum { ORIGIN_COUNT = sizeof origins / sizeof *origins };

static enum status print_json(struct trace *trace, const uint64_t *numbers, struct text *text,
                              struct error *error)
{
    struct rows *rows = NULL;
    enum status status = rows_open(trace, devices_sql, &rows, error);
    text_append_char(text, '{');
    for (size_t i = 0; i < ORIGIN_COUNT; ++i) {
        const char *value = trace_fact(trace, origins[i]);
        json_key(text, origins[i]);
        if (value)
            text_append_json(text, value);
        else
            text_append(text, "null");
    }
    json_key(text, "devices");
    text_append_char(text, '[');
    while (rows_next(rows, &status, error)) {
        json_item(text);
        text_append_json(text, rows_text(rows, 0));
    }
    text_append_char(text, ']');
    for (size_t i = 0; i < FACT_COUNT; ++i)
        text_format(text, ",\"%s\":%" PRIu64, facts[i].key, numbers[i]);
    if (shortfall_has_no_checks(trace))
        text_append(text, ",\"unchecked\":[\"the run was recorded without checks\"]");
    text_append_char(text, '}');
    rows_close(rows);
    return status;
}

static void print_label(struct text *text, const char *label)
{
    text_format(text, "%-*s", LABEL_WIDTH, label);
}

static void print_fact(struct trace *trace, const char *label, const char *name, struct text *text)
{
    const char *value = trace_fact(trace, name);
    if (!value || !*value)
        return;
    print_label(text, label);
    text_append_visible(text, value, VISIBLE_ONE_LINE);
    text_append_char(text, '\n');
}

static enum status print_devices(struct trace *trace, struct text *text, struct error *error)
{
    struct rows *rows = NULL;
    enum status status = rows_open(trace, devices_sql, &rows, error);
    for (const char *label = "device"; rows_next(rows, &status, error); label = "") {
        print_label(text, label);
        text_append_visible(text, rows_text(rows, 0), VISIBLE_ONE_LINE);
        if (rows_number(rows, 1) > 1)
            text_format(text, " (%" PRId64 " of them)", rows_number(rows, 1));
        text_append_char(text, '\n');
    }
    rows_close(rows);
    return status;
}

/* "3 errors": nothing for 0. */
static void print_part(struct text *text, size_t *parts, uint64_t count, const char *one,
                       const char *many)
{
    if (!count)
        return;
    text_append(text, (*parts)++ ? ", " : "");
    print_count(count, text);
    text_format(text, " %s", count == 1 ? one : many);
}

static void print_numbers(const uint64_t *numbers, bool unchecked, struct text *text)
{
    size_t parts = 0;
    print_label(text, "calls");
    print_count(numbers[CALLS], text);
    parts = 1;
    print_part(text, &parts, numbers[THREADS], "thread", "threads");
    print_part(text, &parts, numbers[FAILED], "returned an error", "returned an error");
    print_part(text, &parts, numbers[UNRETURNED], "never returned", "never returned");
    text_append(text, ", over ");
    print_duration(numbers[DURATION], text);
    text_append_char(text, '\n');
    print_label(text, "launches");
    print_count(numbers[LAUNCHES], text);
    text_append_char(text, '\n');
    print_label(text, "objects");
    print_count(numbers[OBJECTS], text);
    parts = 1;
    print_part(text, &parts, numbers[UNRELEASED], "never released", "never released");
    text_append_char(text, '\n');
    print_label(text, "contents");
    print_size(numbers[CONTENTS], text);
    if (numbers[CONTENTS]) {
        text_append(text, ", stored in ");
        print_size(numbers[STORED], text);
    }
    text_append_char(text, '\n');
    print_label(text, "findings");
    parts = 0;
    print_part(text, &parts, numbers[ERRORS], "error", "errors");
    print_part(text, &parts, numbers[WARNINGS], "warning", "warnings");
    print_part(text, &parts, numbers[NOTES], "note", "notes");
    text_append(text, parts       ? "\n"
                      : unchecked ? "not looked for: the run was recorded without checks\n"
                                  : "none\n");
}

static enum status print_kernels(struct trace *trace, struct text *text, struct error *error)
{
    static const struct table_column columns[] = {
        {"kernel", TABLE_LEFT}, {"launches", TABLE_RIGHT}, {"time", TABLE_RIGHT}};
    struct rows *rows = NULL;
    struct text scratch = TEXT_INIT;
    size_t count = 0;
    struct table *table = table_create(columns, 3);
    enum status status = table ? rows_open(trace,
                                           "SELECT ifnull(kernel_name, '?') AS name, count(*),"
                                           " sum(duration_ns) FROM launch GROUP BY name"
                                           " ORDER BY sum(duration_ns) DESC, count(*) DESC,"
                                           " name",
                                           &rows, error)
                               : error_no_memory(error, sizeof columns);
    while (rows_next(rows, &status, error)) {
        if (++count > KERNELS_SHOWN)
            continue;
        table_cell(table, rows_text(rows, 0));
        text_clear(&scratch);
        print_count((uint64_t)rows_number(rows, 1), &scratch);
        table_cell(table, scratch.bytes);
        text_clear(&scratch);
        if (rows_is_null(rows, 2))
            text_append(&scratch, "not measured");
        else
            print_duration((uint64_t)rows_number(rows, 2), &scratch);
        table_cell(table, scratch.bytes);
    }
    if (!status && count) {
        text_append_char(text, '\n');
        table_print(table, true, text);
        if (count > KERNELS_SHOWN)
            text_format(text, "... and %zu more kernels\n", count - KERNELS_SHOWN);
    }
    rows_close(rows);
    table_destroy(table);
    text_release(&scratch);
    return status;
}

/* What takes long to count was counted when recording ended (trace/derive.c); not in traces that
 * are being recorded, or of older versions. */
static enum status ask_all(struct trace *trace, uint64_t *numbers, struct error *error)
{
    enum status status = findings_make(trace, NULL, error);
    for (size_t i = 0; i < FACT_COUNT; ++i) {
        const char *counted = trace_fact(trace, facts[i].key);
        numbers[i] =
            counted ? strtoull(counted, NULL, 10) : ask(trace, facts[i].sql, &status, error);
    }
    return status;
}

enum status show_summary_print_json(struct trace *trace, struct text *text, struct error *error)
{
    uint64_t numbers[FACT_COUNT];
    const enum status status = ask_all(trace, numbers, error);
    return status ? status : print_json(trace, numbers, text, error);
}

enum status show_summary(struct trace *trace, const struct options *options, struct error *error)
{
    uint64_t numbers[FACT_COUNT];
    struct text text = TEXT_INIT;
    enum status status = ask_all(trace, numbers, error);
    if (status)
        return status;
    if (options_has(options, "json")) {
        status = print_json(trace, numbers, &text, error);
        text_append_char(&text, '\n');
    } else {
        print_fact(trace, "command", "command", &text);
        print_fact(trace, "directory", "directory", &text);
        print_fact(trace, "started", "start_time", &text);
        print_fact(trace, "host", "host", &text);
        print_fact(trace, "state", "state", &text);
        status = print_devices(trace, &text, error);
        print_numbers(numbers, shortfall_has_no_checks(trace), &text);
        if (!status)
            status = print_kernels(trace, &text, error);
    }
    if (!status && text.failed)
        status = error_no_memory(error, text.size);
    if (!status)
        verb_print(&text);
    text_release(&text);
    return status;
}
