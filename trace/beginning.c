#include "trace/beginning.h"

#include "trace/needed.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>

/* What goes with a call that is not needed: its parameters are the numbers between which all calls
 * go. */
static const char *const gap_sql[] = {
    "DELETE FROM call_row WHERE id > ?1 AND id < ?2",
    "DELETE FROM call_content WHERE call > ?1 AND call < ?2",
    "DELETE FROM callback WHERE call > ?1 AND call < ?2",
    ("DELETE FROM stack WHERE call > ?1 AND call < ?2 AND call NOT IN (SELECT call FROM finding"
     " WHERE call NOT NULL)"),
};
enum { GAP_COUNT = sizeof gap_sql / sizeof *gap_sql };

struct removing {
    struct store *store;
    sqlite3_stmt *gaps[GAP_COUNT];
};

static enum status fail(struct store *store, struct error *error)
{
    return store_failure(store_database(store), store_path(store), error);
}

static enum status remove_between(const struct removing *removing, uint64_t before, uint64_t after,
                                  struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < GAP_COUNT && !status && after - before > 1; ++i) {
        sqlite3_bind_int64(removing->gaps[i], 1, (sqlite3_int64)before);
        sqlite3_bind_int64(removing->gaps[i], 2, (sqlite3_int64)after);
        if (sqlite3_step(removing->gaps[i]) != SQLITE_DONE)
            status = fail(removing->store, error);
        sqlite3_reset(removing->gaps[i]);
    }
    return status;
}

/* Its bytes are those of what it did in the run. */
static enum status shape(struct store *store, const struct needed_call *needed, struct error *error)
{
    struct arena arena = {0};
    struct api_call call;
    char sql[96];
    enum status status = store_find_call(store, needed->id, &arena, &call, error);
    if (!status) {
        needed_shape(&call, needed->form);
        void *record = arena_alloc(&arena, 1, api_call_size_max(&call));
        status = record ? store_call(store, &call, record, api_call_encode(&call, record), error)
                        : error_no_memory(error, api_call_size_max(&call));
    }
    snprintf(sql, sizeof sql, "DELETE FROM call_content WHERE call = %" PRIu64, needed->id);
    if (!status)
        status = store_execute(store, sql, error);
    arena_release(&arena);
    return status;
}

static enum status remove_calls(struct removing *removing, uint64_t begins_after,
                                struct error *error)
{
    struct store *store = removing->store;
    struct arena arena = {0};
    struct needed_call *calls = NULL;
    size_t count = 0;
    uint64_t before = 0;
    enum status status = needed_calls(store_database(store), store_path(store), begins_after,
                                      &arena, &calls, &count, error);
    for (size_t i = 0; i < GAP_COUNT && !status; ++i)
        status = store_prepare(store_database(store), store_path(store), gap_sql[i],
                               &removing->gaps[i], error);
    for (size_t i = 0; i < count && !status; ++i) {
        status = remove_between(removing, before, calls[i].id, error);
        if (!status && calls[i].form != NEEDED_AS_IS)
            status = shape(store, &calls[i], error);
        before = calls[i].id;
    }
    if (!status)
        status = remove_between(removing, before, begins_after, error);
    for (size_t i = 0; i < GAP_COUNT; ++i)
        sqlite3_finalize(removing->gaps[i]);
    arena_release(&arena);
    return status;
}

enum status beginning_note(struct store *store, uint64_t begins_after, struct error *error)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, begins_after);
    return store_meta(store, STORE_BEGINS_AFTER, number, error);
}

enum status beginning_apply(struct store *store, uint64_t begins_after, struct error *error)
{
    struct removing removing = {.store = store};
    char sql[768];
    snprintf(sql, sizeof sql,
             "DELETE FROM launch_content WHERE call < %" PRIu64 ";"
             "DELETE FROM command_time WHERE call NOT IN (SELECT id FROM call_row);"
             "DELETE FROM launch_line WHERE call NOT IN (SELECT id FROM call_row);"
             "DELETE FROM launch_child WHERE call NOT IN (SELECT id FROM call_row);"
             "DELETE FROM call_form WHERE id NOT IN (SELECT form FROM call_row);"
             "DELETE FROM content WHERE digest NOT IN (SELECT digest FROM call_content"
             " UNION SELECT digest FROM launch_content);",
             begins_after);
    enum status status = remove_calls(&removing, begins_after, error);
    if (!status)
        status = store_execute(store, sql, error);
    store_forget_forms(store);
    return status;
}

enum status beginning_find(struct store *store, uint64_t *begins_after, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    const enum status status = store_prepare(
        store_database(store), store_path(store),
        "SELECT CAST(value AS INTEGER) FROM meta WHERE name = '" STORE_BEGINS_AFTER "'", &statement,
        error);
    *begins_after = !status && sqlite3_step(statement) == SQLITE_ROW
                        ? (uint64_t)sqlite3_column_int64(statement, 0)
                        : 0;
    sqlite3_finalize(statement);
    return status;
}
