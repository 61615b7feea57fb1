#include "viewer-cli/debug/recorded.h"

#include "replay/replay.h"
#include "trace/debug/json_object.h"
#include "trace/reader.h"
#include "viewer-cli/findings.h"
#include "viewer-cli/recorded_arguments.h"
#include "viewer-cli/replay/cmd_replay.h"
#include "viewer-cli/show/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool recorded_is(const char *path)
{
    static const char magic[16] = "SQLite format 3"; /* SQLite, file format, 1.3 */
    char begin[sizeof magic] = "";
    FILE *file = fopen(path, "rbe");
    const size_t count = file ? fread(begin, 1, sizeof begin, file) : 0;
    if (file)
        fclose(file);
    return count == sizeof begin && memcmp(begin, magic, sizeof magic) == 0;
}

enum status recorded_check_launch(const char *path, uint64_t launch, struct error *error)
{
    const struct replay_selection selection = {.first = launch, .last = launch};
    struct trace *trace = NULL;
    struct arena arena = {0};
    const uint64_t *launches;
    size_t count;
    uint64_t without_contents = 0;
    enum status status = trace_open(path, &trace, error);
    if (!status)
        status =
            replay_select(trace, &selection, &arena, &launches, &count, &without_contents, error);
    /* What has no contents is come to from the run's beginning. */
    if (status == STATUS_NOT_FOUND && (without_contents || replay_debug_comes_to(trace, launch)))
        status = STATUS_OK;
    arena_release(&arena);
    trace_close(trace);
    return status;
}

enum status recorded_words(struct kernel_words *words, const char *path, const char *personality,
                           uint64_t launch, struct error *error)
{
    char number[24];
    enum status status = STATUS_OK;
    snprintf(number, sizeof number, "%" PRIu64, launch);
    if (launch)
        status = kernel_words_add_option(words, "launch", number, error);
    if (!status && personality)
        status = kernel_words_add_option(words, "personality", personality, error);
    if (!status)
        status = kernel_words_add(words, "--", error);
    return status ? status : kernel_words_add(words, path, error);
}

/* ---- lists ---- */

enum status recorded_show_launches(const char *path, uint64_t limit, struct error *error)
{
    struct trace *trace = NULL;
    struct options *options = NULL;
    char what[] = "launches";
    char number[32];
    char *words[] = {what, number};
    snprintf(number, sizeof number, "--limit=%" PRIu64, limit);
    enum status status = options_parse(verb_show.options, verb_show.option_count, 0, limit ? 2 : 1,
                                       words, &options, error);
    if (!status)
        status = trace_open(path, &trace, error);
    if (!status) {
        show_set_look(options);
        status = show_list(trace, what, options, error);
    }
    trace_close(trace);
    options_destroy(options);
    return status;
}

void recorded_print_program(const char *path, uint64_t launch, struct text *name)
{
    struct error error;
    struct trace *trace = NULL;
    struct rows *rows = NULL;
    enum status status = trace_open(path, &trace, &error);
    if (!status)
        status = rows_open_format(trace, &rows, &error,
                                  "SELECT object.name FROM launch"
                                  " JOIN kernel ON kernel.id = launch.kernel"
                                  " JOIN object ON object.id = kernel.program"
                                  " WHERE launch.call = %llu",
                                  (unsigned long long)launch);
    if (!status && rows_next(rows, &status, &error))
        text_append(name, rows_text(rows, 0));
    rows_close(rows);
    trace_close(trace);
}

static void add_finding_row(struct table *table, struct rows *rows)
{
    const uint64_t call = (uint64_t)rows_number(rows, FINDINGS_CALL);
    table_cell_format(table, "%" PRId64, rows_number(rows, FINDINGS_ID));
    table_cell(table, rows_text(rows, FINDINGS_SEVERITY));
    table_cell(table, rows_text(rows, FINDINGS_RULE));
    if (call)
        table_cell_format(table, "%" PRIu64, call);
    else
        table_cell(table, "");
    table_cell(table, rows_text(rows, FINDINGS_MESSAGE));
}

enum status recorded_print_findings(const char *path, struct text *text, struct error *error)
{
    static const struct table_column columns[] = {{"finding", TABLE_RIGHT},
                                                  {"severity", TABLE_LEFT},
                                                  {"rule", TABLE_LEFT},
                                                  {"call", TABLE_RIGHT},
                                                  {"what", TABLE_LEFT}};
    struct trace *trace = NULL;
    struct rows *rows = NULL;
    struct table *table = table_create(columns, sizeof columns / sizeof *columns);
    enum status status =
        table ? trace_open(path, &trace, error) : error_no_memory(error, sizeof columns);
    if (!status)
        status = findings_make(trace, NULL, error);
    if (!status)
        status = findings_open(trace, &rows, error);
    while (!status && rows_next(rows, &status, error))
        add_finding_row(table, rows);
    if (!status && !table_row_count(table))
        text_append(text, "no findings\n");
    else if (!status && !table_print(table, true, text))
        status = error_no_memory(error, sizeof columns);
    rows_close(rows);
    table_destroy(table);
    trace_close(trace);
    return status;
}

static void print_object(struct rows *rows, struct text *text)
{
    text_format(text, "%s = %s", rows_text(rows, 0), rows_text(rows, 1));
    if (!rows_is_null(rows, 2)) {
        text_append(text, ", ");
        print_size((uint64_t)rows_number(rows, 2), text);
    }
    text_format(text, "%s%s\n", rows_is_null(rows, 3) ? "" : ", ", rows_text(rows, 3));
}

enum status recorded_print_objects(const char *path, uint64_t launch, struct text *text,
                                   struct error *error)
{
    struct trace *trace = NULL;
    struct rows *rows = NULL;
    const size_t before = text->size;
    enum status status = trace_open(path, &trace, error);
    if (!status)
        status = recorded_arguments_make(trace, error);
    if (!status)
        status = rows_open_format(trace, &rows, error,
                                  "SELECT ifnull(value ->> 'name', key), value ->> 'object',"
                                  " value ->> 'size', value ->> 'type'"
                                  " FROM temp.given, json_each(temp.given.json)"
                                  " WHERE call = %llu AND value ->> 'object' IS NOT NULL"
                                  " ORDER BY key",
                                  (unsigned long long)launch);
    while (!status && rows_next(rows, &status, error))
        print_object(rows, text);
    if (!status && text->size == before)
        text_append(text, "The launch was given no objects.\n");
    rows_close(rows);
    trace_close(trace);
    return status;
}

/* ---- a finding ---- */

static bool take_places(const struct finding *found, struct recorded_finding *finding)
{
    finding->lines = arena_alloc(&finding->arena, found->place_count + 1, sizeof *finding->lines);
    for (size_t i = 0; finding->lines && i < found->place_count; ++i) {
        const struct finding_place place = finding_place_compiled(&found->places[i]);
        if (place.kind == FINDING_PLACE_KERNEL && place.line)
            finding->lines[finding->line_count++] = place.line;
    }
    return finding->lines != NULL;
}

static enum status take_finding(struct rows *rows, uint64_t number,
                                struct recorded_finding *finding, struct error *error)
{
    struct finding found;
    struct text text = TEXT_INIT;
    const bool is_of_launch = !rows_is_null(rows, 1);
    enum status status = finding_parse_json(rows_text(rows, 0), &finding->arena, &found, error);
    if (status)
        return status;
    finding->rule = rule_get(found.rule)->id;
    if (!is_of_launch || !found.kernel)
        return error_set(error, STATUS_NOT_FOUND,
                         "finding %" PRIu64 " [%s] was not made in a kernel, so there is nothing "
                         "to stop in",
                         number, finding->rule);
    finding->launch = (uint64_t)rows_number(rows, 1);
    finding_print_text(&found, false, 0, &text);
    finding->text = arena_string(&finding->arena, text.bytes);
    const bool done = !text.failed && finding->text && take_places(&found, finding);
    text_release(&text);
    return done ? STATUS_OK : error_no_memory(error, sizeof found);
}

enum status recorded_finding_read(const char *path, uint64_t number,
                                  struct recorded_finding *finding, struct error *error)
{
    struct trace *trace = NULL;
    struct rows *rows = NULL;
    enum status status = trace_open(path, &trace, error);
    if (!status)
        status = rows_open_format(trace, &rows, error,
                                  "SELECT json, launch.call FROM finding"
                                  " LEFT JOIN launch ON launch.call = finding.call"
                                  " WHERE finding.id = %llu",
                                  (unsigned long long)number);
    if (!status && rows_next(rows, &status, error))
        status = take_finding(rows, number, finding, error);
    else if (!status)
        status = error_set(error, STATUS_NOT_FOUND, "the run has no finding %" PRIu64, number);
    rows_close(rows);
    trace_close(trace);
    return status;
}

bool recorded_finding_is(const struct recorded_finding *finding, const struct cJSON *found)
{
    const char *rule = json_object_text(found, "rule");
    uint64_t line = 0;
    json_object_number(json_object_item(found, "place"), "line", &line);
    bool is_there = !finding->line_count;
    for (size_t i = 0; i < finding->line_count; ++i)
        is_there |= finding->lines[i] == line;
    return rule && strcmp(rule, finding->rule) == 0 && is_there;
}

void recorded_finding_release(struct recorded_finding *finding)
{
    arena_release(&finding->arena);
    *finding = (struct recorded_finding){.launch = 0};
}
