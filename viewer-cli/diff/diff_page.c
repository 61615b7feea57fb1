/* clerk diff --page: page.html with both runs in it as JSON,
 *
 *     "compared":{"titles":[name,name],"summary":text,
 *                 "pairs":[[number,number,how they differ,words,words],...]}
 *
 * where a run that has no such call has the number null, and the second words are null where they
 * are the first. */
#include "viewer-cli/diff/cmd_diff.h"
#include "viewer-cli/diff/diff_lines.h"

#include "trace/base/file.h"
#include "trace/base/json.h"
#include "viewer-cli/export/page.h"
#include "viewer-cli/report_page.h"

#include <inttypes.h>
#include <string.h>

/* A page of more pairs takes a browser many seconds. */
enum { PAIRS_MAX = 200000 };

static void put_id(uint64_t id, struct text *json)
{
    if (id)
        text_format(json, "%" PRIu64 ",", id);
    else
        text_append(json, "null,");
}

static enum status put_pair(const struct diff_lines *lines, size_t index, struct text words[2],
                            struct text *json, struct error *error)
{
    const struct diff_line *line = &lines->lines[index];
    enum status status = STATUS_OK;
    for (int side = 0; side < 2 && !status; ++side) {
        text_clear(&words[side]);
        status = diff_lines_print(lines, index, side, &words[side], error);
    }
    json_item(json);
    text_append_char(json, '[');
    put_id(line->ids[0], json);
    put_id(line->ids[1], json);
    if (line->words)
        text_append_json(json, line->words);
    else
        text_append(json, "null");
    text_append_char(json, ',');
    text_append_json(json, line->ids[0] ? words[0].bytes : words[1].bytes);
    text_append_char(json, ',');
    if (line->ids[0] && line->ids[1] && strcmp(words[0].bytes, words[1].bytes) != 0)
        text_append_json(json, words[1].bytes);
    else
        text_append(json, "null");
    text_append_char(json, ']');
    return status;
}

static enum status put_data(const struct diff_lines *lines, const char *const titles[2],
                            const struct text *summary, struct text *json, struct error *error)
{
    struct text title = TEXT_INIT;
    struct text words[2] = {TEXT_INIT, TEXT_INIT};
    enum status status = STATUS_OK;
    text_format(&title, "%s and %s", titles[0], titles[1]);
    text_append(json, "{\"run\":{");
    json_string(json, "program", title.bytes);
    text_append(json,
                "},\"findings\":[],\"queues\":[],\"commands\":[],\"programs\":[],\"calls\":[],"
                "\"forms\":[],\"compared\":{\"titles\":[");
    text_append_json(json, titles[0]);
    text_append_char(json, ',');
    text_append_json(json, titles[1]);
    text_append_char(json, ']');
    json_string(json, "summary", summary->bytes);
    text_append(json, ",\"pairs\":[");
    for (size_t i = 0; i < lines->count && !status; ++i)
        status = put_pair(lines, i, words, json, error);
    text_append(json, "]}}");
    json->failed |= title.failed || words[0].failed || words[1].failed;
    text_release(&words[0]);
    text_release(&words[1]);
    text_release(&title);
    return status;
}

enum status diff_page_write(const struct diff_lines *lines, const char *const titles[2],
                            const struct text *summary, const char *path, struct error *error)
{
    struct text json = TEXT_INIT;
    struct text page = TEXT_INIT;
    if (lines->count > PAIRS_MAX)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%zu pairs of calls are too many for a page (%d); clerk trim makes parts "
                         "of recordings",
                         lines->count, (int)PAIRS_MAX);
    enum status status = put_data(lines, titles, summary, &json, error);
    text_append(&page, page_before_data);
    page_append_json(&page, json.bytes, json.size);
    text_append(&page, page_behind_data);
    if (!status && (json.failed || page.failed))
        status = error_no_memory(error, page.size);
    if (!status)
        status = file_write(path, page.bytes, page.size, error);
    text_release(&page);
    text_release(&json);
    return status;
}
