#include "trace/extract.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/recover.h"
#include "trace/segment.h"
#include "trace/store.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What belongs to a call, beside its row, and how it is put into the other file. */
static const struct part {
    const char *table;
    const char *get, *put;
    bool is_content; /* bytes: of calls that stand as they were */
} parts[] = {
    {"call_content", "SELECT * FROM call_content WHERE call = ?1 ORDER BY rowid",
     "INSERT INTO call_content VALUES (?, ?, ?, ?, ?)", true},
    /* What memory held where the trace itself begins is not the call's. */
    {"launch_content",
     "SELECT * FROM launch_content WHERE call = ?1 AND call NOT IN"
     " (SELECT CAST(value AS INTEGER) FROM meta WHERE name = '" STORE_BEGINS_AFTER "')"
     " ORDER BY rowid",
     "INSERT INTO launch_content VALUES (?, ?, ?, ?, ?, ?)", true},
    {"callback", "SELECT * FROM callback WHERE call = ?1 ORDER BY begin_ns",
     "INSERT INTO callback VALUES (?, ?, ?, ?)", false},
    {"command_time", "SELECT * FROM command_time WHERE call = ?1",
     "INSERT INTO command_time VALUES (?, ?, ?, ?, ?, ?)", false},
    {"launch_line", "SELECT * FROM launch_line WHERE call = ?1",
     "INSERT INTO launch_line VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", false},
    {"launch_child", "SELECT * FROM launch_child WHERE call = ?1",
     "INSERT INTO launch_child VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", false},
    {"stack", "SELECT * FROM stack WHERE call = ?1 ORDER BY depth",
     "INSERT INTO stack VALUES (?, ?, ?)", false},
    {"finding", "SELECT * FROM finding WHERE call = ?1 ORDER BY id",
     "INSERT INTO finding VALUES (?, ?, ?, ?, ?, ?)", false},
};
enum { PART_COUNT = sizeof parts / sizeof *parts };

struct copying {
    sqlite3_stmt *get, *put; /* NULL: the trace is older than the table */
};

struct extract {
    struct trace *trace;
    char *path;
    struct store *store;
    struct copying copying[PART_COUNT];
    bool is_finished;
};

static sqlite3 *source(const struct extract *extract)
{
    return trace_database(extract->trace);
}

static enum status fail_source(const struct extract *extract, struct error *error)
{
    return store_failure(source(extract), extract->path, error);
}

static enum status fail_target(const struct extract *extract, struct error *error)
{
    return store_failure(store_database(extract->store), extract->path, error);
}

static enum status prepare(struct extract *extract, const char *get, const char *put,
                           struct copying *copying, struct error *error)
{
    enum status status = store_prepare(source(extract), extract->path, get, &copying->get, error);
    if (!status)
        status =
            store_prepare(store_database(extract->store), extract->path, put, &copying->put, error);
    return status;
}

static void finalize(struct copying *copying)
{
    sqlite3_finalize(copying->get);
    sqlite3_finalize(copying->put);
    *copying = (struct copying){0};
}

/* All rows of `get`, as they are. */
static enum status copy(const struct extract *extract, const struct copying *copying,
                        struct error *error)
{
    enum status status = STATUS_OK;
    int code = SQLITE_ROW;
    while (!status && (code = sqlite3_step(copying->get)) == SQLITE_ROW) {
        const int columns = sqlite3_bind_parameter_count(copying->put);
        ASSERT(columns == sqlite3_column_count(copying->get));
        for (int i = 0; i < columns; ++i)
            sqlite3_bind_value(copying->put, i + 1, sqlite3_column_value(copying->get, i));
        if (sqlite3_step(copying->put) != SQLITE_DONE)
            status = fail_target(extract, error);
        sqlite3_reset(copying->put);
    }
    if (!status && code != SQLITE_DONE)
        status = fail_source(extract, error);
    sqlite3_reset(copying->get);
    return status;
}

/* In older traces some are not there. */
static enum status has_table(const struct extract *extract, const char *table, bool *has,
                             struct error *error)
{
    sqlite3_stmt *statement = NULL;
    const enum status status = store_prepare(
        source(extract), extract->path,
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", &statement, error);
    if (!status) {
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
        *has = sqlite3_step(statement) == SQLITE_ROW;
    }
    sqlite3_finalize(statement);
    return status;
}

static enum status prepare_parts(struct extract *extract, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < PART_COUNT && !status; ++i) {
        bool has = false;
        status = has_table(extract, parts[i].table, &has, error);
        if (!status && has)
            status = prepare(extract, parts[i].get, parts[i].put, &extract->copying[i], error);
    }
    return status;
}

enum status extract_create(struct trace *trace, const char *path, struct extract **extract,
                           struct error *error)
{
    struct extract *made = alloc_zero(1, sizeof *made);
    char *copy_of_path = alloc_string(path);
    if (!made || !copy_of_path) {
        alloc_free(made);
        alloc_free(copy_of_path);
        return error_no_memory(error, sizeof *made);
    }
    made->trace = trace;
    made->path = copy_of_path;
    enum status status = STATUS_OK;
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        status = error_set_errno(error, "cannot write '%s'", path);
        made->is_finished = true; /* it is not ours to remove */
    } else {
        close(file);
        status = store_create_small(path, &made->store, error);
    }
    if (!status)
        status = store_begin(made->store, error);
    if (!status)
        status = prepare_parts(made, error);
    if (status)
        extract_destroy(made);
    else
        *extract = made;
    return status;
}

static enum status put_call(const struct extract *extract, const struct needed_call *needed,
                            struct arena *arena, struct error *error)
{
    struct api_call call;
    enum status status = trace_call(extract->trace, needed->id, arena, &call, error);
    if (status)
        return status;
    needed_shape(&call, needed->form);
    void *record = arena_alloc(arena, 1, api_call_size_max(&call));
    return record ? store_call(extract->store, &call, record, api_call_encode(&call, record), error)
                  : error_no_memory(error, api_call_size_max(&call));
}

enum status extract_call(struct extract *extract, const struct needed_call *call,
                         struct error *error)
{
    struct arena arena = {0};
    enum status status = put_call(extract, call, &arena, error);
    arena_release(&arena);
    for (size_t i = 0; i < PART_COUNT && !status; ++i) {
        const struct copying *copying = &extract->copying[i];
        if (!copying->get || (parts[i].is_content && call->form != NEEDED_AS_IS))
            continue;
        sqlite3_bind_int64(copying->get, 1, (sqlite3_int64)call->id);
        status = copy(extract, copying, error);
    }
    return status;
}

enum status extract_memory(struct extract *extract, uint64_t begins_after, uint64_t object,
                           const void *bytes, uint64_t size, struct error *error)
{
    enum status status = STATUS_OK;
    for (uint64_t done = 0; done < size && !status;) {
        const struct api_content piece = {
            .object = object,
            .offset = done,
            .size = size - done < SEGMENT_CONTENT_SIZE ? size - done : SEGMENT_CONTENT_SIZE,
            .bytes = (const unsigned char *)bytes + done};
        status = store_content(extract->store, begins_after, &piece, error);
        done += piece.size;
    }
    return status;
}

/* The bytes that are named and not there yet. */
static enum status copy_contents(struct extract *extract, struct error *error)
{
    struct copying copying = {0};
    sqlite3_stmt *missing = NULL;
    int code = SQLITE_ROW;
    enum status status =
        prepare(extract, "SELECT digest, size, encoding, bytes FROM content WHERE digest = ?1",
                "INSERT INTO content VALUES (?, ?, ?, ?)", &copying, error);
    if (!status)
        status = store_prepare(store_database(extract->store), extract->path,
                               "SELECT digest FROM (SELECT digest FROM call_content UNION"
                               " SELECT digest FROM launch_content)"
                               " WHERE digest NOT IN (SELECT digest FROM content) ORDER BY digest",
                               &missing, error);
    while (!status && (code = sqlite3_step(missing)) == SQLITE_ROW) {
        sqlite3_bind_value(copying.get, 1, sqlite3_column_value(missing, 0));
        status = copy(extract, &copying, error);
    }
    if (!status && code != SQLITE_DONE)
        status = fail_target(extract, error);
    sqlite3_finalize(missing);
    finalize(&copying);
    return status;
}

/* But not those that say how its recording ended, or that are counted anew. */
static enum status copy_facts(struct extract *extract, struct error *error)
{
    static const struct {
        const char *get, *put;
    } facts[] = {
        {"SELECT name, value FROM meta WHERE name NOT IN ('state', '" STORE_BEGINS_AFTER "')",
         "INSERT OR REPLACE INTO meta VALUES (?, ?)"},
        {"SELECT name, value FROM machine", "INSERT OR REPLACE INTO machine VALUES (?, ?)"},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof facts / sizeof *facts && !status; ++i) {
        struct copying copying = {0};
        status = prepare(extract, facts[i].get, facts[i].put, &copying, error);
        if (!status)
            status = copy(extract, &copying, error);
        finalize(&copying);
    }
    return status;
}

enum status extract_finish(struct extract *extract, uint64_t begins_after, bool has_end,
                           struct error *error)
{
    const char *state = has_end ? trace_fact(extract->trace, "state") : NULL;
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, begins_after);
    enum status status = copy_facts(extract, error);
    if (!status && begins_after)
        status = store_meta(extract->store, STORE_BEGINS_AFTER, number, error);
    if (!status)
        status = copy_contents(extract, error);
    if (!status)
        status = store_commit(extract->store, error);
    if (!status)
        status = recover_finish(extract->store, state ? state : STORE_TRIMMED, error);
    extract->is_finished = !status;
    return status;
}

void extract_destroy(struct extract *extract)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    if (!extract)
        return;
    for (size_t i = 0; i < PART_COUNT; ++i)
        finalize(&extract->copying[i]);
    store_close(extract->store);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !extract->is_finished; ++i) {
        char *path = alloc_format("%s%s", extract->path, suffixes[i]);
        if (path)
            unlink(path);
        alloc_free(path);
    }
    alloc_free(extract->path);
    alloc_free(extract);
}
