/* Which launches are to be performed alone: a question to the trace's tables. */
#include "replay/replay.h"

#include <inttypes.h>
#include <sqlite3.h>

static sqlite3_stmt *prepare(struct trace *trace, const struct replay_selection *selection)
{
    static const char sql[] =
        "SELECT call, EXISTS (SELECT 1 FROM launch_content WHERE launch_content.call = launch.call)"
        " FROM launch WHERE call BETWEEN ?1 AND ?2 AND (?3 IS NULL OR kernel_name = ?3)"
        " ORDER BY call";
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(trace_database(trace), sql, -1, &rows, NULL) != SQLITE_OK)
        return NULL;
    const uint64_t last = selection->last ? selection->last : INT64_MAX;
    sqlite3_bind_int64(rows, 1, (sqlite3_int64)selection->first);
    sqlite3_bind_int64(rows, 2, (sqlite3_int64)last);
    if (selection->kernel)
        sqlite3_bind_text(rows, 3, selection->kernel, -1, SQLITE_STATIC);
    return rows;
}

static enum status say_why_none(const struct replay_selection *selection, uint64_t without_contents,
                                struct error *error)
{
    if (without_contents)
        return error_set(error, STATUS_NOT_FOUND,
                         "the trace has not what %s found in memory: record the run with "
                         "--contents all (and --capture-launches or --capture-kernel)",
                         without_contents == 1 ? "that launch" : "those launches");
    if (selection->kernel)
        return error_set(error, STATUS_NOT_FOUND, "the run launched no kernel '%s' there",
                         selection->kernel);
    if (selection->first && selection->first == selection->last)
        return error_set(error, STATUS_NOT_FOUND,
                         "call %" PRIu64 " launched no kernel; clerk show launches lists those "
                         "that did",
                         selection->first);
    return error_set(error, STATUS_NOT_FOUND, "the run launched no kernel there");
}

enum status replay_select(struct trace *trace, const struct replay_selection *selection,
                          struct arena *arena, const uint64_t **launches, size_t *count,
                          uint64_t *without_contents, struct error *error)
{
    sqlite3_stmt *rows = prepare(trace, selection);
    if (!rows)
        return error_set(error, STATUS_MALFORMED, "the trace's launches cannot be read: %s",
                         sqlite3_errmsg(trace_database(trace)));
    enum status status = STATUS_OK;
    uint64_t *made = NULL;
    size_t found = 0;
    *without_contents = 0;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const bool has_contents = sqlite3_column_int(rows, 1) != 0;
        found += has_contents;
        *without_contents += !has_contents;
    }
    sqlite3_reset(rows);
    *count = 0;
    if (!found)
        status = say_why_none(selection, *without_contents, error);
    else if (!(made = arena_alloc(arena, found, sizeof *made)))
        status = error_no_memory(error, found * sizeof *made);
    for (size_t i = 0; status == STATUS_OK && i < found && sqlite3_step(rows) == SQLITE_ROW;) {
        if (!sqlite3_column_int(rows, 1))
            continue;
        if (!selection->shard || i % selection->shard_count == selection->shard - 1)
            made[(*count)++] = (uint64_t)sqlite3_column_int64(rows, 0);
        ++i;
    }
    sqlite3_finalize(rows);
    *launches = made;
    return status;
}
