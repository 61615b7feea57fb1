#include "viewer-cli/findings.h"
#include "viewer-cli/line_counts.h"
#include "viewer-cli/source_lines.h"
#include "viewer-cli/view/view_screen.h"

#include "trace/base/alloc.h"
#include "viewer-cli/export/export_marks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- tracks ---- */

static struct view_track *add_track(struct view_run *run, const char *name, bool is_queue)
{
    struct view_track *tracks =
        alloc_grow(run->tracks, run->track_count, &run->track_capacity, sizeof *tracks);
    if (!tracks)
        return NULL;
    run->tracks = tracks;
    struct view_track *track = &tracks[run->track_count];
    *track = (struct view_track){.name = arena_string(&run->arena, name), .is_queue = is_queue};
    if (!track->name)
        return NULL;
    ++run->track_count;
    return track;
}

static bool add_item(struct view_run *run, struct view_track *track, struct view_item item)
{
    struct view_item *items =
        alloc_grow(track->items, track->item_count, &track->item_capacity, sizeof *items);
    if (!items)
        return false;
    track->items = items;
    items[track->item_count++] = item;
    if (item.begin_ns < run->begin_ns)
        run->begin_ns = item.begin_ns;
    if (item.end_ns > run->end_ns)
        run->end_ns = item.end_ns;
    return true;
}

/* ---- calls: a track a thread, in the order of their numbers ---- */

static enum status load_threads(struct view_run *run, const struct export_run *exported,
                                struct error *error)
{
    for (size_t i = 0; i < exported->thread_count; ++i) {
        char name[32];
        snprintf(name, sizeof name, "thread %" PRIu32, exported->threads[i]);
        if (!add_track(run, name, false))
            return error_no_memory(error, sizeof(struct view_track));
    }
    return STATUS_OK;
}

static int compare_threads(const void *left, const void *right)
{
    const uint32_t *a = left;
    const uint32_t *b = right;
    return (*a > *b) - (*a < *b);
}

static bool has_finding(const struct export_marks *marks, uint64_t call, bool is_of_command)
{
    size_t count;
    return export_marks_at(marks, call, is_of_command, &count) != NULL;
}

static bool load_call(struct view_run *run, const struct export_run *exported,
                      const struct export_marks *marks, struct rows *rows)
{
    struct view_call *calls =
        alloc_grow(run->calls, run->call_count, &run->call_capacity, sizeof *calls);
    if (!calls)
        return false;
    run->calls = calls;
    struct view_call *call = &calls[run->call_count++];
    *call = (struct view_call){
        .id = (uint64_t)rows_number(rows, 0),
        .thread = (uint32_t)rows_number(rows, 1),
        .begin_ns = rows_time(rows, 2),
        .end_ns = rows_time(rows, 3),
        .has_failed = rows_number(rows, 4) != 0,
    };
    const uint32_t *thread = bsearch(&call->thread, exported->threads, exported->thread_count,
                                     sizeof *thread, compare_threads);
    const struct view_item item = {call->begin_ns, call->end_ns, call->has_failed,
                                   has_finding(marks, call->id, false)};
    return !thread || add_item(run, &run->tracks[thread - exported->threads], item);
}

static enum status load_calls(struct view_run *run, const struct export_run *exported,
                              const struct export_marks *marks, struct error *error)
{
    static const char sql[] =
        "SELECT id, thread, begin_ns,"
        " ifnull(begin_ns + duration_ns, (SELECT max(begin_ns + ifnull(duration_ns, 0)) FROM "
        "call_row)),"
        " failed OR duration_ns IS NULL FROM call_row WHERE NOT flags & 4 ORDER BY id";
    struct rows *rows = NULL;
    enum status status = rows_open(run->trace, sql, &rows, error);
    while (rows_next(rows, &status, error))
        if (!load_call(run, exported, marks, rows))
            status = error_no_memory(error, sizeof(struct view_call));
    rows_close(rows);
    return status;
}

/* ---- launches: a track each lane of a queue ---- */

static enum status load_queues(struct view_run *run, const struct export_run *exported,
                               const struct export_marks *marks, struct error *error)
{
    size_t next = 0;
    for (uint32_t i = 0; i < exported->queue_count; ++i) {
        const size_t first = run->track_count;
        for (uint32_t lane = 0; lane < exported->queues[i].lane_count; ++lane)
            if (!add_track(run, exported->queues[i].name, true))
                return error_no_memory(error, sizeof(struct view_track));
        for (; next < exported->command_count && exported->commands[next].queue == i; ++next) {
            const struct export_command *command = &exported->commands[next];
            if (!add_item(run, &run->tracks[first + command->lane],
                          (struct view_item){command->begin_ns, command->end_ns, false,
                                             has_finding(marks, command->call, true)}))
                return error_no_memory(error, sizeof(struct view_item));
        }
    }
    return STATUS_OK;
}

/* ---- findings ---- */

static bool load_finding(struct view_run *run, struct source_lines *lines, struct rows *rows)
{
    struct view_finding *findings =
        alloc_grow(run->findings, run->finding_count, &run->finding_capacity, sizeof *findings);
    if (!findings)
        return false;
    run->findings = findings;
    struct finding finding;
    struct view_finding *made = &findings[run->finding_count];
    made->call = (uint64_t)rows_number(rows, FINDINGS_CALL);
    made->title = arena_format(&run->arena, "%s: [%s] %s", rows_text(rows, FINDINGS_SEVERITY),
                               rows_text(rows, FINDINGS_RULE), rows_text(rows, FINDINGS_MESSAGE));
    made->finding = NULL;
    if (findings_read(rows, &run->arena, &finding)) {
        source_lines_add(lines, &finding, &run->arena);
        made->finding = arena_copy(&run->arena, &finding, sizeof finding);
    }
    if (!made->title)
        return false;
    ++run->finding_count;
    return true;
}

static enum status load_findings(struct view_run *run, struct error *error)
{
    struct source_lines *lines = source_lines_create_for(run->options, run->trace, false);
    struct rows *rows = NULL;
    enum status status = findings_make(run->trace, NULL, error);
    if (!status)
        status = findings_open(run->trace, &rows, error);
    while (rows_next(rows, &status, error))
        if (!load_finding(run, lines, rows))
            status = error_no_memory(error, sizeof(struct view_finding));
    source_lines_destroy(lines);
    rows_close(rows);
    return status;
}

/* The rules that calls have findings of, in the order in which they were found. */
static enum status make_marks(struct view_run *run, struct error *error)
{
    return rows_execute(run->trace,
                        "CREATE TEMP TABLE mark AS SELECT call, '[' || rule || '] ' AS words"
                        " FROM finding WHERE call IS NOT NULL"
                        " GROUP BY call, rule ORDER BY call, min(id);"
                        "CREATE INDEX temp.mark_call ON mark (call)",
                        error);
}

enum status view_run_load(struct trace *trace, struct view_run *run, struct error *error)
{
    struct export_run exported = {0};
    struct export_marks marks = {0};
    run->trace = trace;
    run->begin_ns = UINT64_MAX;
    enum status status = export_run_load(trace, 0, 0, &exported, error);
    if (!status)
        status = line_counts_make(trace, error);
    if (!status)
        status = export_marks_load(&exported, &marks, error);
    if (!status)
        status = load_threads(run, &exported, error);
    if (!status)
        status = load_calls(run, &exported, &marks, error);
    if (!status)
        status = load_queues(run, &exported, &marks, error);
    if (!status)
        status = load_findings(run, error);
    if (!status)
        status = make_marks(run, error);
    if (run->begin_ns >= run->end_ns) {
        run->begin_ns = run->begin_ns == UINT64_MAX ? 0 : run->begin_ns;
        run->end_ns = run->begin_ns + 1;
    }
    export_marks_release(&marks);
    export_run_release(&exported);
    return status;
}

void view_run_release(struct view_run *run)
{
    for (size_t i = 0; i < run->track_count; ++i)
        alloc_free(run->tracks[i].items);
    alloc_free(run->tracks);
    alloc_free(run->calls);
    alloc_free(run->findings);
    arena_release(&run->arena);
}

/* ---- what calls say ---- */

size_t view_run_find(const struct view_run *run, uint64_t id)
{
    size_t low = 0;
    size_t high = run->call_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (run->calls[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What a temporary table has for the call. */
static enum status print_words(const struct view_run *run, const char *table, size_t call,
                               struct text *text, struct error *error)
{
    struct rows *rows = NULL;
    enum status status =
        rows_open_format(run->trace, &rows, error, "SELECT words FROM temp.%s WHERE call = %lld",
                         table, (long long)run->calls[call].id);
    while (rows_next(rows, &status, error))
        text_append(text, rows_text(rows, 0));
    rows_close(rows);
    return status;
}

enum status view_run_print_call(const struct view_run *run, size_t call, struct text *text,
                                struct error *error)
{
    struct trace_names names = {.trace = run->trace, .call_id = run->calls[call].id};
    struct arena arena = {0};
    struct api_call read;
    enum status status = trace_call(run->trace, run->calls[call].id, &arena, &read, error);
    if (!status)
        status = print_words(run, "mark", call, text, error);
    if (!status)
        api_call_print(&read, trace_handle_name, &names, text);
    arena_release(&arena);
    return status;
}

enum status view_run_print_given(const struct view_run *run, size_t call, struct text *text,
                                 struct error *error)
{
    return print_words(run, "given", call, text, error);
}

size_t view_run_search(const struct view_run *run, size_t call, const char *words)
{
    struct text text = TEXT_INIT;
    size_t found = run->call_count;
    for (size_t i = 0; i < run->call_count && found == run->call_count; ++i) {
        const size_t at = (call + i) % run->call_count;
        text_clear(&text);
        if (!view_run_print_call(run, at, &text, NULL) && strcasestr(text.bytes, words))
            found = at;
    }
    text_release(&text);
    return found;
}
