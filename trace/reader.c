#include "trace/reader.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/limit.h"
#include "trace/base/size.h"
#include "trace/base/visible.h"
#include "trace/recover.h"
#include "trace/store.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum { DIGEST_SIZE = TRACE_DIGEST_SIZE, PIECE_SIZE_MAX = 1 << 28 };

/* An answer of the object table, valid for the calls from first to last. */
struct known_name {
    uint64_t handle; /* 0 = none */
    uint64_t first_call, last_call;
    char name[sizeof((struct trace_names *)0)->name];
};

enum { KNOWN_NAME_BITS = 10 };

/* Questions that are asked for every call, prepared when they are first asked. */
enum question {
    ASK_FACT,
    ASK_NAME,
    ASK_HOW_MANY,
    ASK_CALLBACK,
    ASK_CONTENTS,
    ASK_LAUNCH_OBJECTS,
    ASK_LAUNCH_MEMORY,
    QUESTIONS
};

struct trace {
    sqlite3 *database;
    char *path;
    bool is_live, was_recovered;
    uint64_t steps_left;   /* of what reading may take */
    uint64_t memory_limit; /* of the contents of one call */
    sqlite3_stmt *questions[QUESTIONS];
    struct known_name known_names[1 << KNOWN_NAME_BITS]; /* by a hash of the handle */
};

struct trace_cursor {
    struct trace *trace;
    sqlite3_stmt *statement;
};

/* ---- opening ---- */

static uint32_t big_endian(const unsigned char *bytes, size_t size)
{
    uint32_t number = 0;
    for (size_t i = 0; i < size; ++i)
        number = number << 8 | bytes[i];
    return number;
}

/* The header of the SQLite file format tells the size of a page at byte 16 and the number of pages
 * at 28, where the numbers at 24 and 92 agree. While there is a journal the file alone may rightly
 * be shorter. */
static bool is_cut_short(const char *path, const unsigned char *start, uint64_t file_size)
{
    char journal[PATH_MAX];
    const uint32_t page_size = big_endian(start + 16, 2);
    const uint64_t size =
        (uint64_t)big_endian(start + 28, 4) * (page_size == 1 ? 65536 : page_size);
    return big_endian(start + 24, 4) == big_endian(start + 92, 4) && file_size < size &&
           (size_t)snprintf(journal, sizeof journal, "%s-wal", path) < sizeof journal &&
           !file_exists(journal);
}

static enum status check_file(const char *path, struct error *error)
{
    enum { START_SIZE = 100 };
    static const char magic[16] = "SQLite format 3";
    unsigned char start[START_SIZE];
    struct stat facts;
    int descriptor;
    if (stat(path, &facts) != 0)
        return error_set_errno(error, "cannot open '%s'", path);
    if (S_ISDIR(facts.st_mode))
        return error_set(error, STATUS_MALFORMED, "'%s' is a directory, not a clerk trace", path);
    const enum status status =
        file_open_private(AT_FDCWD, path, O_RDONLY, path, &descriptor, &facts, error);
    if (status)
        return status;
    const ssize_t got = read(descriptor, start, sizeof start);
    const size_t size = got > 0 ? (size_t)got : 0;
    close(descriptor);
    if (size == 0)
        return error_set(error, STATUS_MALFORMED,
                         "'%s' is empty: its process was killed before it had recorded anything",
                         path);
    if (size < sizeof start || memcmp(start, magic, sizeof magic) != 0)
        return error_set(error, STATUS_MALFORMED, "'%s' is not a clerk trace", path);
    if (is_cut_short(path, start, (uint64_t)facts.st_size))
        return error_set(error, STATUS_MALFORMED, "'%s' is cut short: only %lld bytes are there",
                         path, (long long)facts.st_size);
    return STATUS_OK;
}

/* What traces of older versions lack is there, empty or made of what they have, for this reader
 * alone. */
static enum status add_missing_tables(struct trace *trace, struct error *error)
{
    static const struct {
        const char *table, *column, *sql;
    } missing[] = {
        {"launch_content", NULL,
         "CREATE TEMP TABLE launch_content (call INTEGER, handle INTEGER,"
         " after INTEGER, offset INTEGER, size INTEGER, digest BLOB)"},
        {"call_row", NULL,
         "CREATE TEMP VIEW call_row AS SELECT id, thread, begin_ns,"
         " end_ns - begin_ns AS duration_ns, failed, flags, id AS form FROM call"},
        {"call_form", NULL,
         "CREATE TEMP VIEW call_form AS SELECT id, name, result, arguments, entry,"
         " record FROM call"},
        {"callback", NULL,
         "CREATE TEMP TABLE callback (call INTEGER, thread INTEGER,"
         " begin_ns INTEGER, end_ns INTEGER)"},
        {"command_time", NULL,
         "CREATE TEMP TABLE command_time (call INTEGER PRIMARY KEY,"
         " queued_ns INTEGER, submit_ns INTEGER, start_ns INTEGER, end_ns INTEGER,"
         " complete_ns INTEGER)"},
        {"launch_line", NULL,
         "CREATE TEMP TABLE launch_line (call INTEGER, file TEXT, line INTEGER,"
         " operations INTEGER, active INTEGER, present INTEGER, global_lines INTEGER,"
         " global_least INTEGER, local_turns INTEGER, local_least INTEGER)"},
        {"launch_child", NULL,
         "CREATE TEMP TABLE launch_child (call INTEGER, id INTEGER, parent INTEGER,"
         " kernel_name TEXT, queue INTEGER, work_dim INTEGER, global_offset TEXT,"
         " global_size TEXT, local_size TEXT, start_ns INTEGER, end_ns INTEGER,"
         " complete_ns INTEGER, result TEXT)"},
        {"launch", "complete_ns",
         "CREATE TEMP VIEW launch AS SELECT *, NULL AS complete_ns"
         " FROM main.launch"},
    };
    for (size_t i = 0; i < sizeof missing / sizeof *missing; ++i)
        if (sqlite3_table_column_metadata(trace->database, NULL, missing[i].table,
                                          missing[i].column, NULL, NULL, NULL, NULL,
                                          NULL) != SQLITE_OK &&
            sqlite3_exec(trace->database, missing[i].sql, NULL, NULL, NULL) != SQLITE_OK)
            return store_failure(trace->database, trace->path, error);
    return STATUS_OK;
}

/* Steps are SQLite's, of which it tells so many at once; nonzero ends what it does. Bytes that are
 * unpacked count as well. */
enum { STEPS_AT_ONCE = 1 << 16, BYTES_A_STEP = 64 };

static int spend(struct trace *trace, uint64_t steps)
{
    trace->steps_left -= steps < trace->steps_left ? steps : trace->steps_left;
    return trace->steps_left == 0;
}

static int spend_steps(void *trace)
{
    return spend(trace, STEPS_AT_ONCE);
}

/* A limit in `unit`, and more for a larger file. */
static uint64_t scaled(enum limit limit, uint64_t unit, uint64_t a_byte, uint64_t file_size)
{
    const uint64_t base = limit_get(limit);
    return base == UINT64_MAX ? base : base * unit + file_size * a_byte;
}

uint64_t trace_memory_limit(const char *path)
{
    struct stat facts;
    const bool is_known = stat(path, &facts) == 0 && facts.st_size > 0;
    return scaled(LIMIT_TRACE_MEMORY, 1 << 20, 16, is_known ? (uint64_t)facts.st_size : 0);
}

/* All that reading may take: a file that was made for it can make a query go through its rows
 * again for each of them, or have few bytes become many. What queries keep aside is bounded too. */
static void bound_work(struct trace *trace)
{
    enum { PAGE_SIZE_LEAST = 512 };
    struct stat facts;
    char pragma[64];
    const bool is_known = stat(trace->path, &facts) == 0 && facts.st_size > 0;
    trace->steps_left =
        scaled(LIMIT_TRACE_STEPS, 1000000, 1000, is_known ? (uint64_t)facts.st_size : 0);
    trace->memory_limit = trace_memory_limit(trace->path);
    if (trace->steps_left != UINT64_MAX)
        sqlite3_progress_handler(trace->database, STEPS_AT_ONCE, spend_steps, trace);
    if (trace->memory_limit / PAGE_SIZE_LEAST < INT32_MAX) {
        snprintf(pragma, sizeof pragma, "PRAGMA temp.max_page_count = %d",
                 (int)(trace->memory_limit / 4096));
        sqlite3_exec(trace->database, pragma, NULL, NULL, NULL);
    }
}

static enum status open_database(struct trace *trace, struct error *error)
{
    enum status status = store_connect(trace->path, SQLITE_OPEN_READONLY, &trace->database, error);
    if (status)
        return status;
    bound_work(trace);
    status = store_check(trace->database, trace->path, error);
    return status ? status : add_missing_tables(trace, error);
}

/* Takes a spool over if there is one to take over. */
static enum status settle_spool(struct trace *trace, struct error *error)
{
    switch (recover_look(trace->path)) {
    case RECOVER_NONE:
        return STATUS_OK;
    case RECOVER_LIVE:
        trace->is_live = true;
        return STATUS_OK;
    case RECOVER_LEFT:
        return recover_run(trace->path, &trace->was_recovered, error);
    }
    return STATUS_OK;
}

/* What lies beside a trace lies beside the file itself, not beside a link to it. */
static char *find_file(const char *path)
{
    struct stat facts;
    char *file = NULL;
    if (lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode)) {
        char *found = realpath(path, NULL);
        file = found ? alloc_string(found) : NULL;
        free(found);
    }
    return file ? file : alloc_string(path);
}

enum status trace_open(const char *path, struct trace **trace, struct error *error)
{
    struct trace *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    enum status status = STATUS_OK;
    made->path = find_file(path);
    if (!made->path)
        status = error_no_memory(error, strlen(path) + 1);
    if (!status)
        status = check_file(made->path, error);
    if (!status)
        status = settle_spool(made, error);
    if (!status)
        status = open_database(made, error);
    if (status == STATUS_MALFORMED && recover_look(made->path) == RECOVER_LIVE)
        status = error_set(error, STATUS_UNSUPPORTED,
                           "'%s' is being begun by the process that records it", made->path);
    if (status)
        trace_close(made);
    else
        *trace = made;
    return status;
}

void trace_close(struct trace *trace)
{
    if (!trace)
        return;
    for (size_t i = 0; i < QUESTIONS; ++i)
        sqlite3_finalize(trace->questions[i]);
    sqlite3_close(trace->database);
    alloc_free(trace->path);
    alloc_free(trace);
}

bool trace_is_live(const struct trace *trace)
{
    return trace->is_live;
}

bool trace_was_recovered(const struct trace *trace)
{
    return trace->was_recovered;
}

uint64_t trace_begins_after(struct trace *trace)
{
    const char *value = trace_fact(trace, STORE_BEGINS_AFTER);
    return value ? strtoull(value, NULL, 10) : 0;
}

sqlite3 *trace_database(struct trace *trace)
{
    return trace->database;
}

/* The question, ready to be stepped; what it asks about are `count` numbers. Who asks resets it
 * when its answers were read. */
static enum status ask(struct trace *trace, enum question question, const uint64_t *numbers,
                       int count, sqlite3_stmt **rows, struct error *error)
{
    static const char *const sql[QUESTIONS] = {
        [ASK_FACT] = "SELECT value FROM meta WHERE name = ?1 UNION ALL"
                     " SELECT value FROM machine WHERE name = ?1 LIMIT 1",
        /* The object alive at the call; one that the call creates itself counts. A handle may have
         * stood for thousands of events in turn: written for the index object_lifetime, whose
         * latest row is the answer. */
        [ASK_NAME] =
            "SELECT name, ifnull(created_call, 0), ifnull(released_call, 9223372036854775807)"
            " FROM object WHERE handle = ?1 AND ifnull(created_call, 0) <= ?2"
            " AND ifnull(released_call, 9223372036854775807) >= ?2"
            " ORDER BY ifnull(created_call, 0) DESC LIMIT 1",
        [ASK_HOW_MANY] = "SELECT count(*) FROM (SELECT 1 FROM call_form CROSS JOIN call_row"
                         " ON call_form.id = form WHERE name GLOB ?1 LIMIT ?2)",
        [ASK_CALLBACK] = "SELECT begin_ns FROM callback WHERE call = ?1 ORDER BY begin_ns LIMIT 1",
        [ASK_CONTENTS] =
            "SELECT argument, offset, call_content.size, call_content.digest, content.size,"
            " encoding, bytes FROM call_content LEFT JOIN content USING (digest) WHERE call = ?"
            " ORDER BY argument, offset, call_content.rowid",
        [ASK_LAUNCH_OBJECTS] = "SELECT DISTINCT handle FROM launch_content"
                               " WHERE call = ?1 AND after = ?2 ORDER BY handle",
        [ASK_LAUNCH_MEMORY] =
            "SELECT 0, offset, launch_content.size, launch_content.digest, content.size, encoding,"
            " bytes FROM launch_content LEFT JOIN content USING (digest)"
            " WHERE call = ?1 AND after = ?2 AND handle = ?3 ORDER BY offset",
    };
    sqlite3_stmt **statement = &trace->questions[question];
    const enum status status =
        *statement ? STATUS_OK
                   : store_prepare(trace->database, trace->path, sql[question], statement, error);
    *rows = *statement;
    for (int i = 0; i < count && !status; ++i)
        sqlite3_bind_int64(*rows, i + 1, (sqlite3_int64)numbers[i]);
    return status;
}

const char *trace_fact(struct trace *trace, const char *name)
{
    sqlite3_stmt *rows;
    if (ask(trace, ASK_FACT, NULL, 0, &rows, NULL))
        return NULL;
    sqlite3_reset(rows); /* its string was lent until now */
    sqlite3_bind_text(rows, 1, name, -1, SQLITE_TRANSIENT);
    return sqlite3_step(rows) == SQLITE_ROW ? (const char *)sqlite3_column_text(rows, 0) : NULL;
}

/* ---- calls ---- */

/* Of few calls an index by name finds them all, to be put in order; of many the next one is never
 * far, and the calls are gone through. While a process records there is no index. */
static bool are_few(struct trace *trace, const char *name)
{
    enum { FEW = 100000 };
    sqlite3_stmt *rows;
    if (trace->is_live || ask(trace, ASK_HOW_MANY, NULL, 0, &rows, NULL))
        return false;
    sqlite3_bind_text(rows, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(rows, 2, FEW + 1);
    const bool few = sqlite3_step(rows) == SQLITE_ROW && sqlite3_column_int64(rows, 0) <= FEW;
    sqlite3_reset(rows);
    return few;
}

static enum status prepare_calls(struct trace *trace, const char *columns, const char *order,
                                 const struct trace_filter *filter, sqlite3_stmt **statement,
                                 struct error *error)
{
    static const struct trace_filter all = {0};
    if (!filter)
        filter = &all;
    struct text sql = TEXT_INIT;
    const bool by_name = filter->name && are_few(trace, filter->name);
    /* A cross join is done in the order in which it is written. */
    text_format(
        &sql, "SELECT %s FROM %s ON call_form.id = form WHERE call_row.id BETWEEN ?1 AND ?2",
        columns, by_name ? "call_form CROSS JOIN call_row" : "call_row CROSS JOIN call_form");
    if (filter->thread)
        text_append(&sql, " AND thread = ?3");
    if (filter->name)
        text_append(&sql, " AND name GLOB ?4");
    if (filter->errors_only)
        text_append(&sql, " AND (failed OR duration_ns IS NULL)");
    if (!filter->with_synthetic)
        text_format(&sql, " AND NOT flags & %d", API_CALL_SYNTHETIC);
    text_append(&sql, order);
    enum status status = STATUS_OK;
    if (sql.failed)
        status = error_no_memory(error, 256);
    else
        status = store_prepare(trace->database, trace->path, sql.bytes, statement, error);
    text_release(&sql);
    if (status)
        return status;
    const uint64_t first = filter->first_id < INT64_MAX ? filter->first_id : INT64_MAX;
    const uint64_t last =
        filter->last_id && filter->last_id < INT64_MAX ? filter->last_id : INT64_MAX;
    sqlite3_bind_int64(*statement, 1, (sqlite3_int64)first);
    sqlite3_bind_int64(*statement, 2, (sqlite3_int64)last);
    if (filter->thread)
        sqlite3_bind_int64(*statement, 3, filter->thread);
    if (filter->name)
        sqlite3_bind_text(*statement, 4, filter->name, -1, SQLITE_TRANSIENT);
    return STATUS_OK;
}

enum status trace_calls(struct trace *trace, const struct trace_filter *filter,
                        struct trace_cursor **cursor, struct error *error)
{
    struct trace_cursor *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->trace = trace;
    const enum status status =
        prepare_calls(trace, STORE_CALL_COLUMNS,
                      filter && filter->by_time ? " ORDER BY call_row.begin_ns, call_row.id"
                                                : " ORDER BY call_row.id",
                      filter, &made->statement, error);
    if (status)
        trace_cursor_destroy(made);
    else
        *cursor = made;
    return status;
}

void trace_cursor_destroy(struct trace_cursor *cursor)
{
    if (!cursor)
        return;
    sqlite3_finalize(cursor->statement);
    alloc_free(cursor);
}

/* The row at hand. */
static enum status decode_row(struct trace *trace, sqlite3_stmt *statement, struct arena *arena,
                              struct api_call *call, struct error *error)
{
    struct error inner = {0};
    const enum status status = store_decode_call(statement, arena, call, &inner);
    return status ? error_set(error, status, "'%s', call %" PRId64 ": %s", trace->path,
                              (int64_t)sqlite3_column_int64(statement, 0), inner.text)
                  : STATUS_OK;
}

enum status trace_cursor_next(struct trace_cursor *cursor, struct arena *arena,
                              struct api_call *call, bool *found, struct error *error)
{
    const int code = sqlite3_step(cursor->statement);
    if (code == SQLITE_DONE) {
        *found = false;
        return STATUS_OK;
    }
    if (code != SQLITE_ROW)
        return store_failure(cursor->trace->database, cursor->trace->path, error);
    const enum status status = decode_row(cursor->trace, cursor->statement, arena, call, error);
    if (!status)
        *found = true;
    return status;
}

enum status trace_each_call(struct trace *trace, const struct trace_filter *filter,
                            trace_visit *visit, void *user, struct error *error)
{
    struct trace_cursor *cursor = NULL;
    struct arena arena = {0};
    bool found = true;
    enum status status = trace_calls(trace, filter, &cursor, error);
    while (!status && found) {
        struct api_call call;
        arena_reset(&arena);
        status = trace_cursor_next(cursor, &arena, &call, &found, error);
        if (!status && found)
            status = visit(user, &call, error);
    }
    trace_cursor_destroy(cursor);
    arena_release(&arena);
    return status;
}

enum status trace_count_calls(struct trace *trace, const struct trace_filter *filter,
                              uint64_t *count, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = prepare_calls(trace, "count(*)", "", filter, &statement, error);
    if (status)
        return status;
    if (sqlite3_step(statement) == SQLITE_ROW)
        *count = (uint64_t)sqlite3_column_int64(statement, 0);
    else
        status = store_failure(trace->database, trace->path, error);
    sqlite3_finalize(statement);
    return status;
}

enum status trace_call(struct trace *trace, uint64_t id, struct arena *arena, struct api_call *call,
                       struct error *error)
{
    const struct trace_filter filter = {.first_id = id, .last_id = id, .with_synthetic = true};
    struct trace_cursor *cursor = NULL;
    bool found = false;
    enum status status = STATUS_OK;
    if (id)
        status = trace_calls(trace, &filter, &cursor, error);
    if (!status && cursor)
        status = trace_cursor_next(cursor, arena, call, &found, error);
    if (!status && !found)
        status = error_set(error, STATUS_NOT_FOUND, "'%s' has no call %" PRIu64, trace->path, id);
    trace_cursor_destroy(cursor);
    return status;
}

/* ---- callbacks ---- */

bool trace_callback(struct trace *trace, uint64_t call_id, uint64_t *begin_ns)
{
    sqlite3_stmt *rows;
    if (ask(trace, ASK_CALLBACK, &call_id, 1, &rows, NULL))
        return false;
    const bool found = sqlite3_step(rows) == SQLITE_ROW;
    if (found)
        *begin_ns = (uint64_t)sqlite3_column_int64(rows, 0);
    sqlite3_reset(rows);
    return found;
}

/* ---- contents ---- */

static enum status refuse_size(const struct trace *trace, uint64_t call_id, struct error *error)
{
    return error_set(error, STATUS_UNSUPPORTED,
                     "'%s': the contents of call %" PRIu64
                     " are larger than what reading may take; %s=MIB allows for more",
                     trace->path, call_id, limit_variable(LIMIT_TRACE_MEMORY));
}

/* One stored piece into `bytes`, which has room for `size`. Columns: 2 size of the piece, 3 digest,
 * 4 size of the content, 5 encoding, 6 bytes. */
static bool unpack_piece(sqlite3_stmt *row, unsigned char *bytes, size_t size)
{
    const void *digest = sqlite3_column_blob(row, 3);
    const void *stored = sqlite3_column_blob(row, 6);
    const size_t stored_size = (size_t)sqlite3_column_bytes(row, 6);
    if (!digest || sqlite3_column_bytes(row, 3) != DIGEST_SIZE || (!stored && stored_size) ||
        sqlite3_column_int64(row, 4) != (int64_t)size)
        return false;
    switch (sqlite3_column_int64(row, 5)) {
    case STORE_RAW:
        if (stored_size != size)
            return false;
        if (size)
            memcpy(bytes, stored, size);
        break;
    case STORE_ZSTD:
        if (ZSTD_decompress(bytes, size, stored, stored_size) != size)
            return false;
        break;
    default:
        return false;
    }
    XXH128_canonical_t computed;
    XXH128_canonicalFromHash(&computed, XXH3_128bits(bytes, size));
    return memcmp(computed.digest, digest, DIGEST_SIZE) == 0;
}

struct piece {
    uint32_t argument;
    uint64_t offset, size;
};

static bool read_piece(sqlite3_stmt *row, struct piece *piece)
{
    const int64_t argument = sqlite3_column_int64(row, 0);
    const int64_t offset = sqlite3_column_int64(row, 1);
    const int64_t size = sqlite3_column_int64(row, 2);
    if (argument < 0 || argument > API_ARGUMENT_HEADER || offset < 0 || size <= 0 ||
        size > PIECE_SIZE_MAX || offset > INT64_MAX - size)
        return false;
    *piece = (struct piece){(uint32_t)argument, (uint64_t)offset, (uint64_t)size};
    return true;
}

/* What the pieces of a call join to. */
struct joined {
    struct api_content *contents; /* NULL: they are only counted */
    unsigned char *bytes;         /* of all of them */
    size_t count;
    uint64_t size; /* of `bytes` */
};

/* Counts the contents and their bytes; those that *joined has room for are filled in. */
static enum status join_pieces(struct trace *trace, sqlite3_stmt *rows, uint64_t call_id,
                               struct joined *joined, struct error *error)
{
    enum { ALIGNMENT = 16 };
    const struct joined room = *joined;
    struct api_content open = {0};
    int code;
    joined->count = 0;
    joined->size = 0;
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        struct piece piece;
        if (!read_piece(rows, &piece))
            goto damaged;
        /* Addresses that follow each other may be of two allocations. */
        if (!joined->count || open.argument != piece.argument ||
            (open.argument > API_ARGUMENT_RESULT && open.argument != API_ARGUMENT_HEADER) ||
            open.offset + open.size != piece.offset) {
            joined->size = size_align(joined->size, ALIGNMENT);
            ++joined->count;
            open = (struct api_content){.argument = piece.argument,
                                        .offset = piece.offset,
                                        .bytes = room.bytes ? room.bytes + joined->size : NULL};
        }
        const uint64_t at = joined->size;
        joined->size += piece.size;
        open.size += piece.size;
        if (joined->size > trace->memory_limit)
            return refuse_size(trace, call_id, error);
        if (!room.contents)
            continue;
        if (joined->count > room.count || joined->size > room.size)
            goto damaged;
        if (spend(trace, piece.size / BYTES_A_STEP))
            return store_refuse_work(trace->path, error);
        if (!unpack_piece(rows, room.bytes + at, piece.size))
            goto damaged;
        room.contents[joined->count - 1] = open;
    }
    if (code != SQLITE_DONE)
        return store_failure(trace->database, trace->path, error);
    if (!room.contents || joined->count == room.count)
        return STATUS_OK;
damaged:
    return error_set(error, STATUS_MALFORMED, "'%s': the contents of call %" PRIu64 " are damaged",
                     trace->path, call_id);
}

enum status trace_contents(struct trace *trace, uint64_t call_id, struct arena *arena,
                           struct api_content **contents, size_t *count, struct error *error)
{
    sqlite3_stmt *rows;
    struct joined made = {0};
    enum status status = ask(trace, ASK_CONTENTS, &call_id, 1, &rows, error);
    if (status)
        return status;
    status = join_pieces(trace, rows, call_id, &made, error);
    if (!status && made.count) {
        made.contents = arena_alloc(arena, made.count, sizeof *made.contents);
        made.bytes = arena_alloc(arena, 1, made.size);
        sqlite3_reset(rows);
        status = made.contents && made.bytes ? join_pieces(trace, rows, call_id, &made, error)
                                             : error_no_memory(error, made.size);
    }
    sqlite3_reset(rows);
    if (!status) {
        *contents = made.contents;
        *count = made.count;
    }
    return status;
}

/* ---- what launches found and left ---- */

enum status trace_launch_objects(struct trace *trace, uint64_t call_id, bool after,
                                 struct arena *arena, uint64_t **objects, size_t *count,
                                 struct error *error)
{
    sqlite3_stmt *rows;
    size_t found = 0;
    *objects = NULL;
    *count = 0;
    enum status status =
        ask(trace, ASK_LAUNCH_OBJECTS, (const uint64_t[]){call_id, after}, 2, &rows, error);
    while (!status && sqlite3_step(rows) == SQLITE_ROW)
        ++found;
    if (!status && !(*objects = arena_alloc(arena, found + 1, sizeof **objects)))
        status = error_no_memory(error, found * sizeof **objects);
    if (!status)
        sqlite3_reset(rows);
    while (!status && *count < found && sqlite3_step(rows) == SQLITE_ROW)
        (*objects)[(*count)++] = (uint64_t)sqlite3_column_int64(rows, 0);
    sqlite3_reset(rows);
    return status;
}

/* The pieces, which follow each other from 0: without room for them their number and size; else
 * they, and their bytes where `bytes` is room for those. */
static bool read_pieces(sqlite3_stmt *rows, struct trace_piece *pieces, unsigned char *bytes,
                        struct trace_memory *memory)
{
    size_t count = 0;
    uint64_t size = 0;
    bool is_kept = true;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        struct piece piece;
        const void *digest = sqlite3_column_blob(rows, 3);
        if (!read_piece(rows, &piece) || piece.offset != size ||
            sqlite3_column_bytes(rows, 3) != DIGEST_SIZE ||
            (pieces && (count == memory->piece_count || piece.size > memory->size - size)))
            return false;
        if (pieces) {
            pieces[count] = (struct trace_piece){.offset = piece.offset, .size = piece.size};
            memcpy(pieces[count].digest, digest, DIGEST_SIZE);
            if (bytes && !unpack_piece(rows, bytes + size, piece.size))
                return false;
        }
        is_kept = is_kept && sqlite3_column_type(rows, 6) != SQLITE_NULL;
        size += piece.size;
        ++count;
    }
    sqlite3_reset(rows);
    if (pieces)
        return count == memory->piece_count && size == memory->size;
    *memory = (struct trace_memory){
        .size = size, .piece_count = count, .bytes = is_kept ? (const unsigned char *)"" : NULL};
    return true;
}

enum status trace_launch_memory(struct trace *trace, uint64_t call_id, bool after, uint64_t object,
                                struct arena *arena, struct trace_memory *memory,
                                struct error *error)
{
    sqlite3_stmt *rows;
    struct trace_memory made = {0};
    enum status status =
        ask(trace, ASK_LAUNCH_MEMORY, (const uint64_t[]){call_id, after, object}, 3, &rows, error);
    if (status)
        return status;
    bool is_sound = read_pieces(rows, NULL, NULL, &made);
    if (made.size > trace->memory_limit) {
        sqlite3_reset(rows);
        return refuse_size(trace, call_id, error);
    }
    if (spend(trace, made.size / BYTES_A_STEP)) {
        sqlite3_reset(rows);
        return store_refuse_work(trace->path, error);
    }
    struct trace_piece *pieces = arena_alloc(arena, made.piece_count + 1, sizeof *pieces);
    unsigned char *bytes = is_sound && made.bytes ? arena_alloc(arena, 1, made.size + 1) : NULL;
    if (!pieces || (made.bytes && !bytes))
        status = error_no_memory(error, made.size);
    is_sound = is_sound && !status && read_pieces(rows, pieces, bytes, &made);
    made.pieces = pieces;
    made.bytes = bytes;
    sqlite3_reset(rows);
    if (!status && !is_sound)
        status = error_set(error, STATUS_MALFORMED,
                           "'%s': what is kept of the memory of call %" PRIu64 " is damaged",
                           trace->path, call_id);
    if (!status)
        *memory = made;
    return status;
}

bool trace_piece_is(const struct trace_piece *piece, const void *bytes)
{
    XXH128_canonical_t computed;
    XXH128_canonicalFromHash(&computed, XXH3_128bits(bytes, piece->size));
    return memcmp(computed.digest, piece->digest, DIGEST_SIZE) == 0;
}

/* ---- names ---- */

/* Asks the object table; leaves the answer in `known`. */
static bool find_name(struct trace *trace, uint64_t handle, uint64_t call_id,
                      struct known_name *known)
{
    sqlite3_stmt *rows;
    if (ask(trace, ASK_NAME, (const uint64_t[]){handle, call_id}, 2, &rows, NULL))
        return false;
    const bool found = sqlite3_step(rows) == SQLITE_ROW;
    const unsigned char *name = found ? sqlite3_column_text(rows, 0) : NULL;
    if (name) {
        visible_copy(known->name, sizeof known->name, (const char *)name);
        known->handle = handle;
        known->first_call = (uint64_t)sqlite3_column_int64(rows, 1);
        known->last_call = (uint64_t)sqlite3_column_int64(rows, 2);
    }
    sqlite3_reset(rows);
    return name != NULL;
}

const char *trace_handle_name(void *trace_names, uint64_t handle)
{
    struct trace_names *names = trace_names;
    const size_t slot = (handle * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - KNOWN_NAME_BITS);
    struct known_name *known = &names->trace->known_names[slot];
    if (!handle)
        return NULL;
    const bool is_known = known->handle == handle && known->first_call <= names->call_id &&
                          names->call_id <= known->last_call;
    if (!is_known && !find_name(names->trace, handle, names->call_id, known))
        return NULL;
    memcpy(names->name, known->name, sizeof names->name);
    return names->name;
}
