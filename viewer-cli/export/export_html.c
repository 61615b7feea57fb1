/* clerk export --format html: page.html with the run in it as JSON. The page needs nothing else.
 *
 *     {"run":{what clerk show --json tells},"queues":[{"name","lanes"},...],
 *      "commands":[[call,name,global size,local size,queue,lane,begin,end,is measured,arguments],
 *                  ...], where a launch has its kernel as name, and others have no sizes and no
 *                  arguments
 *      "programs":[{"name","options","source","log"},...],
 *      "findings":[{"program":name,"finding":{...}},...],
 *      "marks":[[call,index of a finding,is at the command that the call enqueued],...],
 *      "calls":[[id,form,thread,begin,duration,failed,number...],...],"forms":[words,...]}
 *
 * Programs make the same calls again and again, with other numbers. The words of a call are a form,
 * in which \1 stands for a decimal number and \2 for a hexadecimal one, and the numbers. Ids and
 * begins of calls are told as differences to the call before; a duration of -1: never returned. */
#include "viewer-cli/export/export_marks.h"

#include "trace/base/json.h"
#include "trace/store.h"
#include "viewer-cli/export/page.h"
#include "viewer-cli/findings.h"
#include "viewer-cli/line_counts.h"
#include "viewer-cli/report_page.h"
#include "viewer-cli/show/show.h"
#include "viewer-cli/source_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/base/hash.h"

/* A page of more calls takes a browser many seconds. */
enum { CALLS_MAX = 1000000 };

/* More digits a double, which a script's numbers are, may not hold. */
enum { DECIMAL_DIGITS_MAX = 15, HEXADECIMAL_DIGITS_MAX = 13 };
enum { DECIMAL_MARK = 1, HEXADECIMAL_MARK = 2 };

struct form {
    size_t index;
    const char *words;
    UT_hash_handle hh;
};

struct html {
    const struct export_run *run;
    struct export_file *file;
    struct text json; /* on its way into the file */
    struct source_lines *lines;
    struct form *forms;
    struct arena arena; /* the forms */
    struct text words, numbers;
    uint64_t last_id, last_begin_ns;
};

static void move_json(struct html *html, size_t size)
{
    page_append_json(&html->file->text, html->json.bytes, size);
    html->file->text.failed |= html->json.failed;
}

/* Moves the JSON into the file, but for its last byte, which tells whether a comma must follow. */
static enum status flush(struct html *html, struct error *error)
{
    const size_t size = html->json.size;
    if (size) {
        const char last = html->json.bytes[size - 1];
        move_json(html, size - 1);
        text_clear(&html->json);
        text_append_char(&html->json, last);
    }
    return export_flush(html->file, error);
}

/* ---- calls ---- */

static void cut_number(struct html *html, const char *digits, size_t size, int base)
{
    char copy[DECIMAL_DIGITS_MAX + 1];
    memcpy(copy, digits, size);
    copy[size] = 0;
    text_append_char(&html->words, base == 10 ? DECIMAL_MARK : HEXADECIMAL_MARK);
    text_format(&html->numbers, ",%llu", strtoull(copy, NULL, base));
}

/* Cuts the words into `words` and `numbers`, so that they can be put together again exactly. */
static void cut_words(struct html *html, const char *words)
{
    static const char decimal[] = "0123456789";
    text_clear(&html->words);
    text_clear(&html->numbers);
    for (const char *at = words; *at;) {
        const size_t digits = strspn(at, decimal);
        const size_t hexadecimal =
            at[0] == '0' && at[1] == 'x' ? strspn(at + 2, "0123456789abcdef") : 0;
        if (hexadecimal && hexadecimal <= HEXADECIMAL_DIGITS_MAX && at[2] != '0') {
            cut_number(html, at + 2, hexadecimal, 16);
            at += 2 + hexadecimal;
        } else if (digits && digits <= DECIMAL_DIGITS_MAX && *at != '0') {
            cut_number(html, at, digits, 10);
            at += digits;
        } else if (digits) {
            text_append_n(&html->words, at, digits);
            at += digits;
        } else {
            text_append_char(&html->words,
                             *at == DECIMAL_MARK || *at == HEXADECIMAL_MARK ? '?' : *at);
            ++at;
        }
    }
}

/* The form of these words, which is added if there is none; NULL when memory is out. */
static const struct form *find_form(struct html *html)
{
    struct form *form = NULL;
    HASH_FIND_STR(html->forms, html->words.bytes, form);
    if (form)
        return form;
    form = arena_alloc(&html->arena, 1, sizeof *form);
    if (!form)
        return NULL;
    form->index = HASH_COUNT(html->forms);
    form->words = arena_string(&html->arena, html->words.bytes);
    if (!form->words)
        return NULL;
    HASH_ADD_KEYPTR(hh, html->forms, form->words, strlen(form->words), form);
    return form->hh.tbl ? form : NULL;
}

static enum status put_call(void *user, const struct api_call *call, const char *words,
                            struct error *error)
{
    struct html *html = user;
    const bool returned = call->flags & API_CALL_COMPLETED;
    cut_words(html, words);
    const struct form *form = find_form(html);
    if (!form || html->words.failed || html->numbers.failed)
        return error_no_memory(error, strlen(words));
    json_item(&html->json);
    text_format(&html->json, "[%" PRIu64 ",%zu,%" PRIu32 ",%" PRId64 ",%" PRId64 ",%d",
                call->id - html->last_id, form->index, call->thread,
                (int64_t)(call->begin_ns - html->last_begin_ns),
                returned ? (int64_t)(call->end_ns - call->begin_ns) : -1,
                !returned || store_call_failed(call));
    text_append(&html->json, html->numbers.bytes);
    text_append(&html->json, "]\n");
    html->last_id = call->id;
    html->last_begin_ns = call->begin_ns;
    return flush(html, error);
}

static enum status put_calls(struct html *html, struct error *error)
{
    json_key(&html->json, "calls");
    text_append_char(&html->json, '[');
    enum status status = export_each_call(html->run, put_call, html, error);
    text_append(&html->json, "],\"forms\":[");
    for (const struct form *form = html->forms; form && !status; form = form->hh.next) {
        json_item(&html->json);
        text_append_json(&html->json, form->words);
        status = flush(html, error);
    }
    text_append_char(&html->json, ']');
    return status;
}

/* ---- queues and commands ---- */

static enum status put_commands(struct html *html, struct error *error)
{
    const struct export_run *run = html->run;
    struct text *json = &html->json;
    json_key(json, "queues");
    text_append_char(json, '[');
    for (size_t i = 0; i < run->queue_count; ++i) {
        json_item(json);
        text_append_char(json, '{');
        json_string(json, "name", run->queues[i].name);
        json_number(json, "lanes", run->queues[i].lane_count);
        text_append_char(json, '}');
    }
    text_append(json, "],\"commands\":[");
    enum status status = STATUS_OK;
    for (size_t i = 0; i < run->command_count && !status; ++i) {
        const struct export_command *command = &run->commands[i];
        json_item(json);
        text_format(json, "[%" PRIu64 ",", command->call);
        text_append_json(json, command->name);
        if (command->global_size) {
            text_append_char(json, ',');
            text_append_json(json, command->global_size);
            text_append_char(json, ',');
            text_append_json(json, command->local_size);
        } else {
            text_append(json, ",null,null");
        }
        text_format(json, ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%d", command->queue,
                    command->lane, command->begin_ns, command->end_ns, command->is_measured);
        if (*command->arguments) {
            text_append_char(json, ',');
            text_append_json(json, command->arguments);
        }
        text_append_char(json, ']');
        status = flush(html, error);
    }
    text_append_char(json, ']');
    return status;
}

/* ---- programs and findings ---- */

typedef enum status rows_opener(struct trace *trace, struct rows **rows, struct error *error);

/* A list "KEY":[...] of what `put` makes of each row. */
static enum status put_rows(struct html *html, const char *key, rows_opener *open,
                            void (*put)(struct html *html, struct rows *rows), struct error *error)
{
    struct rows *rows = NULL;
    json_key(&html->json, key);
    text_append_char(&html->json, '[');
    enum status status = open(html->run->trace, &rows, error);
    while (rows_next(rows, &status, error)) {
        json_item(&html->json);
        put(html, rows);
        status = flush(html, error);
    }
    text_append_char(&html->json, ']');
    rows_close(rows);
    return status;
}

static enum status open_programs(struct trace *trace, struct rows **rows, struct error *error)
{
    return rows_open(trace,
                     "SELECT object.name, options, source, log,"
                     " (SELECT json_group_array(json_array(line, operations, idle, memory)) FROM"
                     "  (SELECT line, sum(operations) AS operations, CAST(round(100.0"
                     "    * (sum(present) - sum(active)) / sum(present)) AS INTEGER) AS idle,"
                     "    ifnull(group_concat(DISTINCT nullif(memory, '')), '') AS memory"
                     "   FROM temp.line_count AS own WHERE own.program = object.name"
                     "    AND text NOT NULL GROUP BY line))"
                     " FROM program JOIN object USING (id) ORDER BY id",
                     rows, error);
}

static void put_program(struct html *html, struct rows *rows)
{
    struct text *json = &html->json;
    static const char *const keys[] = {"name", "options", "source", "log"};
    text_append_char(json, '{');
    for (int i = 0; i < (int)(sizeof keys / sizeof *keys); ++i)
        json_string(json, keys[i], rows_text(rows, i));
    json_key(json, "heat"); /* [line, operations, idle work-items in percent, words on memory] */
    text_append(json, rows_text(rows, 4));
    text_append_char(json, '}');
}

static void put_finding(struct html *html, struct rows *rows)
{
    struct text *json = &html->json;
    struct arena arena = {0};
    struct finding finding;
    text_append_char(json, '{');
    json_string(json, "program", rows_text(rows, FINDINGS_PROGRAM));
    json_key(json, "finding");
    if (findings_read(rows, &arena, &finding)) {
        source_lines_add(html->lines, &finding, &arena);
        page_append_finding(json, &finding);
    } else {
        findings_print_unknown_json(rows, json);
    }
    text_append_char(json, '}');
    arena_release(&arena);
}

static enum status put_marks(struct html *html, struct error *error)
{
    struct export_marks marks = {0};
    enum status status = export_marks_load(html->run, &marks, error);
    json_key(&html->json, "marks");
    text_append_char(&html->json, '[');
    for (size_t i = 0; i < marks.count && !status; ++i) {
        json_item(&html->json);
        text_format(&html->json, "[%" PRIu64 ",%zu,%d]", marks.list[i].call, marks.list[i].finding,
                    marks.list[i].is_of_command);
        status = flush(html, error);
    }
    text_append_char(&html->json, ']');
    export_marks_release(&marks);
    return status;
}

/* ---- the page ---- */

static enum status put_data(struct html *html, struct error *error)
{
    text_append(&html->json, "{\"run\":");
    enum status status = show_summary_print_json(html->run->trace, &html->json, error);
    if (!status)
        status = put_commands(html, error);
    if (!status)
        status = line_counts_make(html->run->trace, error);
    if (!status)
        status = put_rows(html, "programs", open_programs, put_program, error);
    if (!status) /* show_summary_print_json made them */
        status = put_rows(html, "findings", findings_open, put_finding, error);
    if (!status)
        status = put_marks(html, error);
    if (!status)
        status = put_calls(html, error);
    text_append_char(&html->json, '}');
    move_json(html, html->json.size);
    return status;
}

static enum status refuse_many(const struct export_run *run, struct error *error)
{
    const struct trace_filter filter = {.first_id = run->first_call, .last_id = run->last_call};
    uint64_t count = 0;
    const enum status status = trace_count_calls(run->trace, &filter, &count, error);
    if (status || count <= CALLS_MAX)
        return status;
    return error_set(error, STATUS_UNSUPPORTED,
                     "%" PRIu64 " calls are too many for a page (%d); --from and --to choose some",
                     count, (int)CALLS_MAX);
}

enum status export_html(const struct export_run *run, struct export_file *file, struct error *error)
{
    struct html html = {.run = run,
                        .file = file,
                        .lines = source_lines_create_for(run->options, run->trace, false),
                        .json = TEXT_INIT,
                        .words = TEXT_INIT,
                        .numbers = TEXT_INIT};
    enum status status = refuse_many(run, error);
    text_append(&file->text, page_before_data);
    if (!status)
        status = put_data(&html, error);
    text_append(&file->text, page_behind_data);
    source_lines_destroy(html.lines);
    HASH_CLEAR(hh, html.forms);
    arena_release(&html.arena);
    text_release(&html.json);
    text_release(&html.words);
    text_release(&html.numbers);
    return status;
}
