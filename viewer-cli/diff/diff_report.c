/* The summary stands first, so everything else waits in memory: the rows that `limit` lets through.
 */
#include "viewer-cli/diff/cmd_diff.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/base/visible.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/shortfall.h"
#include "viewer-cli/tolerance.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <string.h>

/* More kinds than this are not told apart in the summary. */
enum { KINDS_MAX = 12 };

/* Differences of the same kind of call, in the same way. */
struct kind {
    uint32_t entry;
    enum diff_how how;
    const char *what;
    uint64_t count;
};

struct diff_report {
    const char *const *paths;
    struct diff_run *runs;
    struct rows *find_kernel[2];
    uint64_t limit;
    bool json;
    uint64_t compared, close, differences;
    uint64_t calls[DIFF_HOW_COUNT];
    uint64_t compared_launches, differing_launches;
    struct table *launches;
    struct kind kinds[KINDS_MAX];
    size_t kind_count;
    uint64_t other_kinds;
    struct text first, details, kernel;
};

static const char *const how_words[DIFF_HOW_COUNT] = {
    [DIFF_HOW_ARGUMENT] = "in",
    [DIFF_HOW_BYTES] = "in the bytes of",
    [DIFF_HOW_ORDER] = "in another order",
    [DIFF_HOW_FIRST_ONLY] = "only in the first run",
    [DIFF_HOW_SECOND_ONLY] = "only in the second run",
};

struct diff_report *diff_report_create(const char *const paths[2], struct diff_run runs[2],
                                       uint64_t limit, bool json)
{
    static const struct table_column columns[] = {{"first", TABLE_RIGHT},
                                                  {"second", TABLE_RIGHT},
                                                  {"kernel", TABLE_LEFT},
                                                  {"difference", TABLE_LEFT}};
    struct diff_report *made = alloc_zero(1, sizeof *made);
    if (!made)
        return NULL;
    *made = (struct diff_report){.paths = paths,
                                 .runs = runs,
                                 .limit = limit,
                                 .json = json,
                                 .first = TEXT_INIT,
                                 .details = TEXT_INIT,
                                 .kernel = TEXT_INIT};
    made->launches = table_create(columns, sizeof columns / sizeof *columns);
    for (int side = 0; side < 2; ++side)
        rows_open(runs[side].trace, "SELECT kernel_name FROM launch WHERE call = ?1",
                  &made->find_kernel[side], NULL);
    if (made->launches && made->find_kernel[0] && made->find_kernel[1])
        return made;
    diff_report_destroy(made);
    return NULL;
}

void diff_report_destroy(struct diff_report *report)
{
    if (!report)
        return;
    rows_close(report->find_kernel[0]);
    rows_close(report->find_kernel[1]);
    table_destroy(report->launches);
    text_release(&report->first);
    text_release(&report->details);
    text_release(&report->kernel);
    alloc_free(report);
}

uint64_t diff_report_count(const struct diff_report *report)
{
    return report->differences;
}

/* ---- words ---- */

void diff_how_print(enum diff_how how, const char *what, struct text *text)
{
    text_append(text, how_words[how]);
    if (what)
        text_format(text, " %s", what);
}

static void print_counted(uint64_t count, const char *noun, struct text *text)
{
    print_count(count, text);
    text_format(text, " %s%s", noun, count == 1 ? "" : noun[strlen(noun) - 1] == 'h' ? "es" : "s");
}

static void print_path(const struct diff_report *report, int side, struct text *text)
{
    text_append_visible(text, report->paths[side], VISIBLE_ONE_LINE);
}

static int side_of(const struct diff_difference *difference)
{
    return difference->calls[0] ? 0 : 1;
}

/* "in size", "3 calls only in the first run" */
static void print_how(const struct diff_difference *difference, struct text *text)
{
    if (difference->count > 1) {
        print_counted(difference->count, "call", text);
        text_append_char(text, ' ');
    }
    diff_how_print(difference->how, difference->what, text);
}

/* The kernel that the call launches; "" of others. */
static const char *find_kernel(struct diff_report *report, int side, uint64_t call_id)
{
    struct rows *rows = report->find_kernel[side];
    enum status status = STATUS_OK;
    text_clear(&report->kernel);
    rows_bind_number(rows, 1, (int64_t)call_id);
    if (rows_next(rows, &status, NULL))
        text_append_visible(&report->kernel, rows_text(rows, 0), VISIBLE_ONE_LINE);
    rows_reset(rows);
    return report->kernel.bytes;
}

/* "element 12 as 'float*': 1.5 and 1.5000001" */
static void print_first_values(const struct diff_values *values, struct text *text)
{
    const struct replay_bytes_difference *bytes = &values->bytes;
    if (replay_type_is_known(values->type)) {
        replay_print_element(values->type, bytes->offset, text);
        text_format(text, " as '%s'", values->type);
    } else {
        text_format(text, "byte %" PRIu64, bytes->offset);
    }
    text_append(text, ": ");
    replay_print_value(values->type, bytes->recorded, bytes->value_size, text);
    text_append(text, " and ");
    replay_print_value(values->type, bytes->replayed, bytes->value_size, text);
}

void diff_values_print(const struct diff_values *values, struct text *text)
{
    const struct replay_bytes_difference *bytes = &values->bytes;
    if (*values->object) {
        text_append_visible(text, values->object, VISIBLE_ONE_LINE);
        text_append(text, ": ");
    }
    if (values->sizes[0] != values->sizes[1]) {
        print_counted(values->sizes[0], "byte", text);
        text_append(text, " and ");
        print_count(values->sizes[1], text);
    } else if (!bytes->value_size) {
        text_append(text, "differs; its bytes were not recorded");
    } else {
        print_count(bytes->byte_count, text);
        text_append(text, " of ");
        print_counted(values->sizes[0], "byte", text);
        text_append(text, bytes->byte_count == 1 ? " differs" : " differ");
        if (bytes->element_count) {
            text_append(text, ", in ");
            print_counted(bytes->element_count, "value", text);
            text_append_char(text, ' ');
            tolerance_print_apart(bytes->ulp, bytes->relative, text);
        }
        text_append(text, "; the first is ");
        print_first_values(values, text);
    }
    if (values->object_count > 1) {
        text_append(text, "; so do ");
        print_counted(values->object_count - 1, "other object", text);
    }
}

/* ---- one by one ---- */

static void print_call(const struct diff_report *report, int side, const struct api_call *call,
                       struct text *text)
{
    struct trace_names names = {.trace = report->runs[side].trace, .call_id = call->id};
    text_append(text, "  ");
    print_path(report, side, text);
    text_format(text, ", call %" PRIu64 ": ", call->id);
    api_call_print(call, trace_handle_name, &names, text);
    text_append_char(text, '\n');
}

static void print_difference(const struct diff_report *report,
                             const struct diff_difference *difference, struct text *text)
{
    text_format(text, "different: thread %" PRIu32 ", ", difference->thread);
    print_how(difference, text);
    text_append(text, difference->count > 1 ? "; the first is\n" : "\n");
    for (int side = 0; side < 2; ++side)
        if (difference->calls[side])
            print_call(report, side, difference->calls[side], text);
    if (difference->values) {
        text_append(text, "  ");
        diff_values_print(difference->values, text);
        text_append_char(text, '\n');
    }
    text_append_char(text, '\n');
}

static void print_values_json(const struct diff_values *values, struct text *text)
{
    const struct replay_bytes_difference *bytes = &values->bytes;
    struct text value = TEXT_INIT;
    json_key(text, "values");
    text_append_char(text, '{');
    json_string(text, "object", *values->object ? values->object : NULL);
    json_string(text, "type", *values->type ? values->type : NULL);
    json_key(text, "sizes");
    text_format(text, "[%" PRIu64 ",%" PRIu64 "]", values->sizes[0], values->sizes[1]);
    json_known_number(text, "differing_objects", values->object_count);
    if (bytes->value_size) {
        json_number(text, "differing_bytes", bytes->byte_count);
        json_known_number(text, "differing_values", bytes->element_count);
        tolerance_print_apart_json(bytes->ulp, bytes->relative, text);
        json_number(text, "offset", bytes->offset);
        replay_print_value(values->type, bytes->recorded, bytes->value_size, &value);
        json_string(text, "first", value.bytes);
        text_clear(&value);
        replay_print_value(values->type, bytes->replayed, bytes->value_size, &value);
        json_string(text, "second", value.bytes);
    }
    text_append_char(text, '}');
    text_release(&value);
}

static void print_difference_json(struct diff_report *report,
                                  const struct diff_difference *difference, struct text *text)
{
    static const char *const keys[] = {"first", "second"};
    const int side = side_of(difference);
    const char *kernel = find_kernel(report, side, difference->calls[side]->id);
    text_append_char(text, '{');
    json_string(text, "kind", "difference");
    json_number(text, "thread", difference->thread);
    json_string(text, "how", how_words[difference->how]);
    json_string(text, "what", difference->what);
    for (int i = 0; i < 2; ++i) {
        if (!difference->calls[i])
            continue;
        struct trace_names names = {.trace = report->runs[i].trace,
                                    .call_id = difference->calls[i]->id};
        json_key(text, keys[i]);
        api_call_print_json(difference->calls[i], trace_handle_name, &names, text);
    }
    json_string(text, "kernel", *kernel ? kernel : NULL);
    if (!difference->calls[0] || !difference->calls[1])
        json_number(text, "calls", difference->count);
    if (difference->values)
        print_values_json(difference->values, text);
    text_append(text, "}\n");
}

/* ---- counting ---- */

static void note_kind(struct diff_report *report, uint32_t entry, enum diff_how how,
                      const char *what)
{
    struct kind *kinds = report->kinds;
    size_t i = 0;
    while (i < report->kind_count &&
           (kinds[i].entry != entry || kinds[i].how != how || kinds[i].what != what))
        ++i;
    if (i == KINDS_MAX) {
        ++report->other_kinds;
        return;
    }
    if (i == report->kind_count)
        kinds[report->kind_count++] = (struct kind){.entry = entry, .how = how, .what = what};
    ++kinds[i].count;
}

void diff_report_count_alone(struct diff_report *report, int side, uint32_t entry)
{
    const enum diff_how how = side ? DIFF_HOW_SECOND_ONLY : DIFF_HOW_FIRST_ONLY;
    ++report->calls[how];
    report->differing_launches += api_entry_launches(entry);
    note_kind(report, entry, how, NULL);
}

static void note_launch(struct diff_report *report, const struct diff_difference *difference)
{
    struct table *table = report->launches;
    struct text words = TEXT_INIT;
    const int side = side_of(difference);
    if (report->limit && table_row_count(table) >= report->limit)
        return;
    if (difference->values)
        diff_values_print(difference->values, &words);
    else
        diff_how_print(difference->how, difference->what, &words);
    for (int i = 0; i < 2; ++i) {
        const uint64_t id = i == side              ? difference->launch
                            : difference->calls[i] ? difference->calls[i]->id
                                                   : 0;
        if (id)
            table_cell_format(table, "%" PRIu64, id);
        else
            table_cell(table, "-");
    }
    table_cell(table, find_kernel(report, side, difference->launch));
    table_cell(table, words.bytes);
    text_release(&words);
}

static void note_first(struct diff_report *report, const struct diff_difference *difference)
{
    const int side = side_of(difference);
    const char *kernel = find_kernel(report, side, difference->calls[side]->id);
    struct text *text = &report->first;
    text_append(text, "first difference: ");
    for (int i = 0; i < 2; ++i) {
        if (!difference->calls[i])
            continue;
        text_append(text, i && difference->calls[0] ? " and call " : "call ");
        text_format(text, "%" PRIu64 " of ", difference->calls[i]->id);
        print_path(report, i, text);
    }
    text_format(text, ", %s", api_call_name(difference->calls[side]));
    if (*kernel)
        text_format(text, " of '%s'", kernel);
    text_append(text, ", ");
    print_how(difference, text);
    text_append_char(text, '\n');
}

void diff_report_pair(struct diff_report *report, const struct api_call *first,
                      const struct diff_values *values)
{
    ++report->compared;
    report->compared_launches += api_entry_launches(first->entry);
    report->close += values->are_close && !values->whose;
}

void diff_report_add(struct diff_report *report, const struct diff_difference *difference)
{
    if (!report->differences)
        note_first(report, difference);
    ++report->differences;
    if (difference->calls[0] && difference->calls[1]) {
        ++report->calls[difference->how];
        report->differing_launches += difference->launch != 0;
        note_kind(report, difference->calls[0]->entry, difference->how, difference->what);
    }
    if (difference->launch)
        note_launch(report, difference);
    if (report->limit && report->differences > report->limit)
        return;
    if (report->json)
        print_difference_json(report, difference, &report->details);
    else
        print_difference(report, difference, &report->details);
}

/* ---- all ---- */

struct side {
    const struct diff_report *report;
    int side;
    struct text *text;
};

static void print_shortfall(void *user, const char *sentence, enum severity severity)
{
    const struct side *side = user;
    (void)severity;
    text_append(side->text, "  ");
    print_path(side->report, side->side, side->text);
    text_format(side->text, ": %s\n", sentence);
}

/* What was not there to be compared. */
static void print_shortfalls(const struct diff_report *report, struct text *text)
{
    for (int i = 0; i < 2; ++i)
        shortfall_tell(report->runs[i].trace, print_shortfall, &(struct side){report, i, text});
    if (!shortfall_has_contents(report->runs[0].trace) &&
        !shortfall_has_contents(report->runs[1].trace))
        text_append(text, "  no bytes of memory were recorded, so none were compared\n");
}

static uint64_t count_launches(const struct diff_run *run)
{
    uint64_t count = 0;
    for (size_t i = 0; i < run->count; ++i)
        count += api_entry_launches(run->steps[i].entry);
    return count;
}

static void print_verdict(const struct diff_report *report, bool without_queries, struct text *text)
{
    text_append(text, "compared ");
    print_counted(report->compared, "call", text);
    text_append(text, without_queries ? " that do more than ask: " : ": ");
    if (report->differences)
        print_counted(report->differences, "difference", text);
    else if (!report->compared)
        text_append(text, "there was nothing to compare");
    else if (!report->close)
        text_append(text, "equal except for times and addresses");
    else {
        text_append(text, "equal except for times, addresses and what the tolerance covers, in ");
        print_counted(report->close, "call", text);
    }
    text_append_char(text, '\n');
}

static void print_launches(struct diff_report *report, struct text *text)
{
    const uint64_t counts[2] = {count_launches(&report->runs[0]), count_launches(&report->runs[1])};
    if (!counts[0] && !counts[1])
        return;
    text_append(text, "launches: ");
    print_count(counts[0], text);
    if (counts[0] != counts[1]) {
        text_append(text, " and ");
        print_count(counts[1], text);
    }
    text_append(text, "; ");
    if (report->compared_launches)
        print_count(report->compared_launches, text);
    else
        text_append(text, "none");
    text_append(text, " belong together; ");
    if (report->differing_launches) {
        print_count(report->differing_launches, text);
        text_append(text, report->differing_launches == 1 ? " differs\n" : " differ\n");
        table_print(report->launches, true, text);
    } else {
        text_append(text, "none differs");
        if (!shortfall_has_contents_of_launches(report->runs[0].trace) ||
            !shortfall_has_contents_of_launches(report->runs[1].trace))
            text_append(text, ", except perhaps in what it left in memory: that was not recorded "
                              "of both runs");
        text_append_char(text, '\n');
    }
    if (report->differing_launches > table_row_count(report->launches)) {
        text_append(text, "... and ");
        print_counted(report->differing_launches - table_row_count(report->launches), "more launch",
                      text);
        text_append_char(text, '\n');
    }
}

static void print_kinds(const struct diff_report *report, struct text *text)
{
    text_append(text, "\n  calls  difference\n");
    for (size_t i = 0; i < report->kind_count; ++i) {
        const struct kind *kind = &report->kinds[i];
        struct text count = TEXT_INIT;
        print_count(kind->count, &count);
        text_format(text, "%7s  %s, ", count.bytes, api_entry_get(kind->entry)->name);
        diff_how_print(kind->how, kind->what, text);
        text_append_char(text, '\n');
        text_release(&count);
    }
    if (report->other_kinds) {
        struct text count = TEXT_INIT;
        print_count(report->other_kinds, &count);
        text_format(text, "%7s  in other ways\n", count.bytes);
        text_release(&count);
    }
}

void diff_report_print_summary(struct diff_report *report, bool without_queries, struct text *text)
{
    print_verdict(report, without_queries, text);
    print_shortfalls(report, text);
    if (!report->differences)
        return;
    text_append_n(text, report->first.bytes, report->first.size);
    print_launches(report, text);
    print_kinds(report, text);
    text_append_char(text, '\n');
}

static void print_summary_json(const struct diff_report *report, struct text *text)
{
    struct trace *const traces[] = {report->runs[0].trace, report->runs[1].trace};
    text_format(text,
                "{\"kind\":\"summary\",\"has_contents\":[%s,%s],\"has_end\":[%s,%s],"
                "\"launches\":[%" PRIu64 ",%" PRIu64 "]",
                shortfall_has_contents(traces[0]) ? "true" : "false",
                shortfall_has_contents(traces[1]) ? "true" : "false",
                shortfall_has_end(traces[0]) ? "true" : "false",
                shortfall_has_end(traces[1]) ? "true" : "false", count_launches(&report->runs[0]),
                count_launches(&report->runs[1]));
    json_number(text, "compared_launches", report->compared_launches);
    json_number(text, "differing_launches", report->differing_launches);
    json_number(text, "only_first", report->calls[DIFF_HOW_FIRST_ONLY]);
    json_number(text, "only_second", report->calls[DIFF_HOW_SECOND_ONLY]);
    json_number(text, "other_order", report->calls[DIFF_HOW_ORDER]);
    json_number(text, "close", report->close);
    json_number(text, "compared", report->compared);
    json_number(text, "differences", report->differences);
    text_append(text, "}\n");
}

void diff_report_print(struct diff_report *report, bool without_queries)
{
    struct text text = TEXT_INIT;
    if (report->json)
        print_summary_json(report, &text);
    else
        diff_report_print_summary(report, without_queries, &text);
    text_append_n(&text, report->details.bytes, report->details.size);
    if (!report->json && report->limit && report->differences > report->limit) {
        text_append(&text, "... and ");
        print_counted(report->differences - report->limit, "more difference", &text);
        text_append(&text, " not shown\n");
    }
    verb_print(&text);
    text_release(&text);
}
