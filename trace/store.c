#include "trace/store.h"

#include "trace/api/entry.h"
#include "trace/api/enumerant.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/file.h"
#include "trace/base/limit.h"
#include "trace/schema.h"
#include "trace/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

/* The statements of a store, prepared on first use. */
enum statement {
    INSERT_CALL,
    INSERT_FORM,
    FIND_CALL,
    FIND_CONTENT,
    INSERT_CONTENT,
    INSERT_CALL_CONTENT,
    INSERT_LAUNCH_CONTENT,
    INSERT_FINDING,
    INSERT_CALLBACK,
    INSERT_TIMES,
    INSERT_LINE,
    INSERT_CHILD,
    INSERT_FRAME,
    INSERT_FACT,
    INSERT_META,
    INSERT_PROGRESS,
    STATEMENT_COUNT
};

static const char *const statement_sql[STATEMENT_COUNT] = {
    [INSERT_CALL] = "INSERT OR REPLACE INTO call_row VALUES (?, ?, ?, ?, ?, ?, ?)",
    [INSERT_FORM] = ("INSERT INTO call_form (name, result, arguments, entry, record) "
                     "VALUES (?, ?, ?, ?, ?)"),
    [FIND_CALL] = ("SELECT " STORE_CALL_COLUMNS " FROM call_row JOIN call_form"
                   " ON call_form.id = form WHERE call_row.id = ?"),
    [FIND_CONTENT] = "SELECT 1 FROM content WHERE digest = ?",
    [INSERT_CONTENT] = "INSERT INTO content VALUES (?, ?, ?, ?)",
    [INSERT_CALL_CONTENT] = "INSERT INTO call_content VALUES (?, ?, ?, ?, ?)",
    [INSERT_LAUNCH_CONTENT] = "INSERT INTO launch_content VALUES (?, ?, ?, ?, ?, ?)",
    [INSERT_FINDING] = ("INSERT INTO finding (call, rule, severity, message, json) "
                        "VALUES (?, ?, ?, ?, ?)"),
    [INSERT_CALLBACK] = ("INSERT INTO callback VALUES (?, ?, ?, ?) ON CONFLICT (call, begin_ns) DO"
                         " UPDATE SET end_ns = excluded.end_ns,"
                         " thread = coalesce(excluded.thread, thread)"),
    [INSERT_TIMES] = "INSERT OR REPLACE INTO command_time VALUES (?, ?, ?, ?, ?, ?)",
    [INSERT_LINE] = "INSERT OR REPLACE INTO launch_line VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_CHILD] = ("INSERT OR REPLACE INTO launch_child VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                      " ?, ?)"),
    [INSERT_FRAME] = "INSERT OR REPLACE INTO stack VALUES (?, ?, ?)",
    [INSERT_FACT] = "INSERT OR REPLACE INTO machine VALUES (?, ?)",
    [INSERT_META] = "INSERT OR REPLACE INTO meta VALUES (?, ?)",
    [INSERT_PROGRESS] = "INSERT OR REPLACE INTO spool_progress VALUES (?, ?, ?)",
};

/* Programs make the same calls again and again; what is the same about them is stored once for as
 * long as it is remembered here. */
enum { FORMS_KNOWN = 1 << 13 };
struct known_form {
    XXH128_hash_t digest;
    int64_t id; /* 0 = none */
};

struct store {
    sqlite3 *database;
    char *path;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    struct known_form forms[FORMS_KNOWN]; /* by the digest's last bits */
    struct text printed;                  /* scratch */
    ZSTD_CCtx *compressor;
    void *compressed; /* scratch of compressed_size bytes */
    size_t compressed_size;
};

enum { PAGE_SIZE = 8192, SMALL_PAGE_SIZE = 1024 };
enum { COMPRESSION_LEVEL = 1, DIGEST_SIZE = SEGMENT_DIGEST_SIZE };

/* ---- opening ---- */

enum status store_refuse_work(const char *path, struct error *error)
{
    return error_set(error, STATUS_UNSUPPORTED,
                     "'%s' takes more work than a trace of its size has need of; %s=MILLIONS "
                     "allows for more steps",
                     path, limit_variable(LIMIT_TRACE_STEPS));
}

enum status store_failure(sqlite3 *database, const char *path, struct error *error)
{
    const int code = database ? sqlite3_errcode(database) : SQLITE_NOMEM;
    const char *said = database ? sqlite3_errmsg(database) : "out of memory";
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return error_set(error, STATUS_NO_MEMORY, "'%s': out of memory", path);
    case SQLITE_NOTADB:
        return error_set(error, STATUS_MALFORMED, "'%s' is not a clerk trace", path);
    case SQLITE_CORRUPT:
        return error_set(error, STATUS_MALFORMED, "'%s' is damaged: %s", path, said);
    case SQLITE_FULL:
        return error_set(error, STATUS_IO, "cannot write '%s': the disk is full", path);
    case SQLITE_INTERRUPT:
        return store_refuse_work(path, error);
    case SQLITE_READONLY:
        return error_set(error, STATUS_UNSUPPORTED,
                         "'%s' was being changed when its writer died, and clerk only reads it; "
                         "sqlite3 undoes the change by what is in '%s-journal'",
                         path, path);
    case SQLITE_BUSY:
        return error_set(error, STATUS_IO, "'%s' is in use by another process", path);
    default:
        return error_set(error, STATUS_IO, "'%s': %s", path, said);
    }
}

enum status store_prepare(sqlite3 *database, const char *path, const char *sql,
                          sqlite3_stmt **statement, struct error *error)
{
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) !=
        SQLITE_OK)
        return store_failure(database, path, error);
    return STATUS_OK;
}

enum status store_execute(struct store *store, const char *sql, struct error *error)
{
    if (sqlite3_exec(store->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_failure(store->database, store->path, error);
    return STATUS_OK;
}

static enum status read_pragma(sqlite3 *database, const char *path, const char *sql, int64_t *value,
                               struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_prepare(database, path, sql, &statement, error);
    if (!status) {
        if (sqlite3_step(statement) == SQLITE_ROW)
            *value = sqlite3_column_int64(statement, 0);
        else
            status = store_failure(database, path, error);
    }
    sqlite3_finalize(statement);
    return status;
}

enum status store_check(sqlite3 *database, const char *path, struct error *error)
{
    int64_t application = 0;
    int64_t version = 0;
    enum status status = read_pragma(database, path, "PRAGMA application_id", &application, error);
    if (!status)
        status = read_pragma(database, path, "PRAGMA user_version", &version, error);
    if (status)
        return status;
    if (application != STORE_APPLICATION_ID)
        return error_set(error, STATUS_MALFORMED, "'%s' is not a clerk trace", path);
    if (version > STORE_VERSION)
        return error_set(error, STATUS_UNSUPPORTED,
                         "'%s' has format version %" PRId64 "; this clerk reads up to version %d",
                         path, version, STORE_VERSION);
    if (version < 1)
        return error_set(error, STATUS_MALFORMED, "'%s' has the impossible format version %" PRId64,
                         path, version);
    return schema_check(database, (int)version, path, error);
}

/* A rollback journal may end with the name of another file, which SQLite then removes if it looks
 * like a journal of several databases. clerk never writes such a one. */
static enum status check_journal(const char *path, struct error *error)
{
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char end[sizeof magic];
    struct stat facts;
    int descriptor;
    enum status status =
        file_open_private(AT_FDCWD, path, O_RDONLY, path, &descriptor, &facts, error);
    if (status)
        return status;
    const off_t start = facts.st_size - (off_t)sizeof end;
    if (start >= 0 && pread(descriptor, end, sizeof end, start) == (ssize_t)sizeof end &&
        memcmp(end, magic, sizeof magic) == 0)
        status = error_set(error, STATUS_MALFORMED,
                           "'%s' names a further file to be removed, which no trace does", path);
    close(descriptor);
    return status;
}

/* SQLite writes into what lies beside a database even where it only reads that: no other file's
 * bytes may be there by a second name. Of a file that another connection of this process may have
 * open nothing is opened: the system would end its locks when it is closed. */
static enum status check_companion(const char *path, const char *suffix, struct error *error)
{
    struct stat facts;
    enum status status = STATUS_OK;
    char *name = alloc_format("%s%s", path, suffix);
    if (!name)
        return error_no_memory(error, strlen(path) + 16);
    if (lstat(name, &facts) != 0)
        status = errno == ENOENT ? STATUS_OK : error_set_errno(error, "cannot open '%s'", name);
    else if (!S_ISREG(facts.st_mode))
        status = error_set(error, STATUS_INVALID, "'%s' is not a regular file", name);
    else if (*suffix && facts.st_nlink > 1)
        status = error_set(error, STATUS_INVALID, "'%s' has another name, so it is not the trace's",
                           name);
    else if (strcmp(suffix, "-journal") == 0)
        status = check_journal(name, error);
    alloc_free(name);
    return status;
}

/* What is in the file comes from anybody: SQL that it brings along is not trusted, its cells are
 * checked, and it is not mapped, since a file that is cut short meanwhile would end the process. */
static void distrust(sqlite3 *database)
{
    sqlite3_extended_result_codes(database, 1);
    sqlite3_busy_timeout(database, 10000);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_exec(database, "PRAGMA cell_size_check = 1; PRAGMA mmap_size = 0", NULL, NULL, NULL);
}

enum status store_connect(const char *path, int flags, sqlite3 **database, struct error *error)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !status; ++i)
        status = check_companion(path, suffixes[i], error);
    if (status)
        return status;
    char *plain = alloc_format("%s%s", path[0] == '/' ? "" : "./", path);
    if (!plain)
        return error_no_memory(error, strlen(path) + 3);
    if (sqlite3_open_v2(plain, database, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        status = store_failure(*database, path, error);
        sqlite3_close(*database);
        *database = NULL;
    }
    alloc_free(plain);
    if (!status)
        distrust(*database);
    return status;
}

static enum status open_database(const char *path, struct store **store, struct error *error)
{
    struct store *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    enum status status = STATUS_OK;
    made->printed = (struct text)TEXT_INIT;
    made->path = alloc_string(path);
    made->compressor = ZSTD_createCCtx();
    if (!made->path || !made->compressor) {
        status = error_no_memory(error, sizeof *made);
        goto out;
    }
    status = store_connect(path, SQLITE_OPEN_READWRITE, &made->database, error);
    if (status)
        goto out;
    *store = made;
    made = NULL;
out:
    store_close(made);
    return status;
}

/* What a killed process wrote is safe in the kernel, so nobody waits for the disk: only a machine
 * that loses power can lose the end of a run. The log may grow to 64 MiB before it is moved. */
static const char store_pace[] = "PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;"
                                 "PRAGMA wal_autocheckpoint = 8192;";

static enum status create(const char *path, int page_size, struct store **store,
                          struct error *error)
{
    struct store *made;
    enum status status = open_database(path, &made, error);
    if (status)
        return status;
    char pragmas[256];
    sqlite3_snprintf(sizeof pragmas, pragmas,
                     "PRAGMA page_size = %d; PRAGMA application_id = %d;"
                     "PRAGMA user_version = %d; PRAGMA journal_mode = WAL;",
                     page_size, STORE_APPLICATION_ID, STORE_VERSION);
    status = store_execute(made, pragmas, error);
    if (!status)
        status = store_execute(made, store_pace, error);
    if (!status)
        status = store_begin(made, error);
    struct text sql = TEXT_INIT;
    schema_print(STORE_VERSION, &sql);
    if (!status)
        status =
            sql.failed ? error_no_memory(error, sql.size) : store_execute(made, sql.bytes, error);
    text_release(&sql);
    if (!status)
        status = store_commit(made, error);
    if (status)
        store_close(made);
    else
        *store = made;
    return status;
}

enum status store_create(const char *path, struct store **store, struct error *error)
{
    return create(path, PAGE_SIZE, store, error);
}

enum status store_create_small(const char *path, struct store **store, struct error *error)
{
    return create(path, SMALL_PAGE_SIZE, store, error);
}

enum status store_open(const char *path, struct store **store, struct error *error)
{
    struct store *made;
    enum status status = open_database(path, &made, error);
    if (status)
        return status;
    status = store_check(made->database, path, error);
    if (!status)
        status = store_execute(made, store_pace, error);
    if (status)
        store_close(made);
    else
        *store = made;
    return status;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < STATEMENT_COUNT; ++i)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->database);
    ZSTD_freeCCtx(store->compressor);
    alloc_free(store->compressed);
    text_release(&store->printed);
    alloc_free(store->path);
    alloc_free(store);
}

sqlite3 *store_database(struct store *store)
{
    return store->database;
}

const char *store_path(const struct store *store)
{
    return store->path;
}

enum status store_begin(struct store *store, struct error *error)
{
    ASSERT(sqlite3_get_autocommit(store->database)); /* no transaction is under way */
    return store_execute(store, "BEGIN IMMEDIATE", error);
}

enum status store_commit(struct store *store, struct error *error)
{
    return store_execute(store, "COMMIT", error);
}

enum status store_limit_log(struct store *store, uint64_t size, struct error *error)
{
    char sql[64];
    sqlite3_snprintf(sizeof sql, sql, "PRAGMA wal_autocheckpoint = %d",
                     (int)(size / PAGE_SIZE) + 1);
    return store_execute(store, sql, error);
}

enum status store_used_size(struct store *store, uint64_t *size, struct error *error)
{
    int64_t pages = 0;
    int64_t unused = 0;
    int64_t page_size = 0;
    enum status status =
        read_pragma(store->database, store->path, "PRAGMA page_count", &pages, error);
    if (!status)
        status = read_pragma(store->database, store->path, "PRAGMA freelist_count", &unused, error);
    if (!status)
        status = read_pragma(store->database, store->path, "PRAGMA page_size", &page_size, error);
    *size = (uint64_t)((pages - unused) * page_size);
    return status;
}

/* ---- rows ---- */

static enum status get(struct store *store, enum statement index, sqlite3_stmt **statement,
                       struct error *error)
{
    if (!store->statements[index]) {
        const enum status status = store_prepare(store->database, store->path, statement_sql[index],
                                                 &store->statements[index], error);
        if (status)
            return status;
    }
    *statement = store->statements[index];
    return STATUS_OK;
}

/* What a column of a new row holds. */
struct cell {
    enum cell_kind { CELL_NUMBER, CELL_TEXT, CELL_BLOB, CELL_NULL } kind;
    uint64_t number; /* of text and blobs: their size */
    const void *bytes;
};

static struct cell number(uint64_t value)
{
    return (struct cell){.kind = CELL_NUMBER, .number = value};
}

static struct cell number_if(bool is_known, uint64_t value)
{
    return is_known ? number(value) : (struct cell){.kind = CELL_NULL};
}

/* NULL where it has no bytes. */
static struct cell text(struct store_string string)
{
    return (struct cell){.kind = CELL_TEXT, .number = string.size, .bytes = string.bytes};
}

static struct cell blob(const void *bytes, size_t size)
{
    return (struct cell){.kind = CELL_BLOB, .number = size, .bytes = bytes};
}

static void bind(sqlite3_stmt *statement, int column, const struct cell *cell)
{
    switch (cell->kind) {
    case CELL_NUMBER:
        sqlite3_bind_int64(statement, column, (sqlite3_int64)cell->number);
        break;
    case CELL_TEXT:
        sqlite3_bind_text64(statement, column, cell->bytes, cell->number, SQLITE_STATIC,
                            SQLITE_UTF8);
        break;
    case CELL_BLOB:
        sqlite3_bind_blob64(statement, column, cell->bytes, cell->number, SQLITE_STATIC);
        break;
    case CELL_NULL:
        sqlite3_bind_null(statement, column);
        break;
    }
}

#define CELLS(...)                                                                                 \
    (const struct cell[]){__VA_ARGS__},                                                            \
        sizeof((const struct cell[]){__VA_ARGS__}) / sizeof(struct cell)

static enum status insert(struct store *store, enum statement index, const struct cell *cells,
                          size_t count, struct error *error)
{
    sqlite3_stmt *statement;
    enum status status = get(store, index, &statement, error);
    if (status)
        return status;
    ASSERT(count == (size_t)sqlite3_bind_parameter_count(statement));
    for (size_t i = 0; i < count; ++i)
        bind(statement, (int)i + 1, &cells[i]);
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = store_failure(store->database, store->path, error);
    sqlite3_reset(statement);
    return status;
}

bool store_call_failed(const struct api_call *call)
{
    return (call->flags & API_CALL_COMPLETED) && api_call_status(call) < 0;
}

/* Stores what is the same of all calls like this one; gives its id. */
static enum status store_form(struct store *store, const struct api_call *call, const void *record,
                              size_t record_size, int64_t *id, struct error *error)
{
    struct text *printed = &store->printed;
    text_clear(printed);
    api_call_print_arguments(call, printed);
    const size_t size = printed->size; /* then the result */
    if (call->flags & API_CALL_COMPLETED)
        api_call_print_result(call, printed);
    if (printed->failed) {
        text_release(printed);
        return error_set(error, STATUS_NO_MEMORY, "out of memory (printing a call)");
    }
    const struct store_string arguments = {printed->bytes, size};
    const struct store_string result = {printed->size > size ? printed->bytes + size : NULL,
                                        printed->size - size};
    const enum status status =
        insert(store, INSERT_FORM,
               CELLS(text(store_string(api_call_name(call))), text(result), text(arguments),
                     number(call->entry), blob(record, record_size)),
               error);
    *id = sqlite3_last_insert_rowid(store->database);
    return status;
}

static enum status find_form(struct store *store, const struct api_call *call, const void *record,
                             size_t record_size, int64_t *id, struct error *error)
{
    const uint64_t seed =
        (uint64_t)call->entry << 1 | ((call->flags & API_CALL_COMPLETED) != 0 ? 1 : 0);
    const XXH128_hash_t digest = XXH3_128bits_withSeed(record, record_size, seed);
    struct known_form *known = &store->forms[digest.low64 % FORMS_KNOWN];
    enum status status = STATUS_OK;
    if (known->id == 0 || !XXH128_isEqual(known->digest, digest)) {
        known->id = 0;
        status = store_form(store, call, record, record_size, id, error);
        if (!status)
            *known = (struct known_form){.digest = digest, .id = *id};
    }
    *id = known->id;
    return status;
}

enum status store_call(struct store *store, const struct api_call *call, const void *record,
                       size_t record_size, struct error *error)
{
    const bool completed = call->flags & API_CALL_COMPLETED;
    int64_t form = 0;
    const enum status status = find_form(store, call, record, record_size, &form, error);
    if (status)
        return status;
    return insert(store, INSERT_CALL,
                  CELLS(number(call->id), number(call->thread), number(call->begin_ns),
                        number_if(completed, call->end_ns - call->begin_ns),
                        number(store_call_failed(call)), number(call->flags),
                        number((uint64_t)form)),
                  error);
}

void store_forget_forms(struct store *store)
{
    memset(store->forms, 0, sizeof store->forms);
}

enum status store_decode_call(sqlite3_stmt *row, struct arena *arena, struct api_call *call,
                              struct error *error)
{
    enum { ID, THREAD, BEGIN, END, FLAGS, ENTRY, RECORD };
    const uint64_t id = (uint64_t)sqlite3_column_int64(row, ID);
    const void *record = sqlite3_column_blob(row, RECORD);
    struct api_call decoded = {.id = id,
                               .thread = (uint32_t)sqlite3_column_int64(row, THREAD),
                               .entry = (uint32_t)sqlite3_column_int64(row, ENTRY),
                               .flags = (uint32_t)sqlite3_column_int64(row, FLAGS),
                               .begin_ns = (uint64_t)sqlite3_column_int64(row, BEGIN),
                               .end_ns = (uint64_t)sqlite3_column_int64(row, END)};
    if (sqlite3_column_type(row, RECORD) != SQLITE_BLOB || !record)
        return error_set(error, STATUS_MALFORMED, "there is no record");
    const size_t size = (size_t)sqlite3_column_bytes(row, RECORD);
    const enum status status = api_call_decode(record, size, arena, &decoded, error);
    if (status)
        return status;
    if (decoded.id != id)
        return error_set(error, STATUS_MALFORMED, "its record is that of call %" PRIu64,
                         decoded.id);
    *call = decoded;
    return STATUS_OK;
}

enum status store_find_call(struct store *store, uint64_t id, struct arena *arena,
                            struct api_call *call, struct error *error)
{
    sqlite3_stmt *statement;
    enum status status = get(store, FIND_CALL, &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        status = store_decode_call(statement, arena, call, error);
    else if (code == SQLITE_DONE)
        status = error_set(error, STATUS_NOT_FOUND, "there is no call %" PRIu64, id);
    else
        status = store_failure(store->database, store->path, error);
    sqlite3_reset(statement);
    return status;
}

/* Makes `*bytes` the compressed form when that is smaller. */
static enum status compress(struct store *store, const void **bytes, size_t *size, int *encoding,
                            struct error *error)
{
    const size_t bound = ZSTD_compressBound(*size);
    if (bound > store->compressed_size) {
        void *moved = alloc_resize(store->compressed, bound);
        if (!moved)
            return error_no_memory(error, bound);
        store->compressed = moved;
        store->compressed_size = bound;
    }
    const size_t compressed =
        ZSTD_compressCCtx(store->compressor, store->compressed, store->compressed_size, *bytes,
                          *size, COMPRESSION_LEVEL);
    *encoding = STORE_RAW;
    if (!ZSTD_isError(compressed) && compressed < *size) {
        *bytes = store->compressed;
        *size = compressed;
        *encoding = STORE_ZSTD;
    }
    return STATUS_OK;
}

static enum status insert_content(struct store *store, const unsigned char *digest,
                                  const void *bytes, size_t size, struct error *error)
{
    sqlite3_stmt *statement;
    enum status status = get(store, FIND_CONTENT, &statement, error);
    if (status)
        return status;
    sqlite3_bind_blob(statement, 1, digest, DIGEST_SIZE, SQLITE_STATIC);
    const int found = sqlite3_step(statement);
    if (found != SQLITE_ROW && found != SQLITE_DONE)
        status = store_failure(store->database, store->path, error);
    sqlite3_reset(statement);
    if (status || found == SQLITE_ROW)
        return status;
    const void *stored = bytes;
    size_t stored_size = size;
    int encoding = STORE_RAW;
    status = compress(store, &stored, &stored_size, &encoding, error);
    if (status)
        return status;
    return insert(store, INSERT_CONTENT,
                  CELLS(blob(digest, DIGEST_SIZE), number(size), number((uint64_t)encoding),
                        blob(stored, stored_size)),
                  error);
}

enum status store_content(struct store *store, uint64_t call_id, const struct api_content *content,
                          struct error *error)
{
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits(content->bytes, content->size));
    const enum status status =
        insert_content(store, digest.digest, content->bytes, content->size, error);
    if (status)
        return status;
    return store_digest(store, call_id, content, digest.digest, error);
}

enum status store_digest(struct store *store, uint64_t call_id, const struct api_content *content,
                         const unsigned char *digest, struct error *error)
{
    if (content->object != 0)
        return insert(store, INSERT_LAUNCH_CONTENT,
                      CELLS(number(call_id), number(content->object), number(content->after),
                            number(content->offset), number(content->size),
                            blob(digest, DIGEST_SIZE)),
                      error);
    return insert(store, INSERT_CALL_CONTENT,
                  CELLS(number(call_id), number(content->argument), number(content->offset),
                        number(content->size), blob(digest, DIGEST_SIZE)),
                  error);
}

enum status store_finding(struct store *store, uint64_t call_id,
                          const struct store_string strings[4], struct error *error)
{
    return insert(store, INSERT_FINDING,
                  CELLS(number_if(call_id != 0, call_id), text(strings[0]), text(strings[1]),
                        text(strings[2]), text(strings[3])),
                  error);
}

enum status store_callback(struct store *store, const struct api_callback *callback,
                           struct error *error)
{
    return insert(
        store, INSERT_CALLBACK,
        CELLS(number(callback->call_id), number_if(callback->thread != 0, callback->thread),
              number(callback->begin_ns), number_if(callback->end_ns != 0, callback->end_ns)),
        error);
}

enum status store_times(struct store *store, const struct api_command_times *times,
                        struct error *error)
{
    return insert(store, INSERT_TIMES,
                  CELLS(number(times->call_id), number(times->queued_ns), number(times->submit_ns),
                        number(times->start_ns), number(times->end_ns),
                        number_if(times->complete_ns != 0, times->complete_ns)),
                  error);
}

enum status store_line(struct store *store, const struct api_line *line, struct store_string file,
                       struct error *error)
{
    return insert(store, INSERT_LINE,
                  CELLS(number(line->call_id), text(file), number(line->line),
                        number(line->operations), number(line->active), number(line->present),
                        number(line->global_lines), number(line->global_least),
                        number(line->local_turns), number(line->local_least)),
                  error);
}

enum { SIZES_MAX = 3 * 21 };

/* "1024,16" */
static struct store_string print_sizes(char string[SIZES_MAX], const uint64_t sizes[3],
                                       uint32_t dimensions)
{
    size_t size = 0;
    string[0] = 0;
    for (uint32_t i = 0; i < dimensions; ++i)
        size +=
            (size_t)snprintf(string + size, SIZES_MAX - size, "%s%" PRIu64, i ? "," : "", sizes[i]);
    return (struct store_string){string, size};
}

enum status store_child(struct store *store, const struct api_child *child,
                        struct store_string kernel, struct error *error)
{
    char offset[SIZES_MAX];
    char global[SIZES_MAX];
    char local[SIZES_MAX];
    const uint64_t *from = child->global_offset;
    const bool is_offset = from[0] || from[1] || from[2];
    const bool ran = child->start_ns != 0;
    const char *result = api_error_name(child->status);
    return insert(store, INSERT_CHILD,
                  CELLS(number(child->call_id), number(child->id),
                        number_if(child->parent != 0, child->parent), text(kernel),
                        number(child->queue), number(child->dimensions),
                        text(is_offset ? print_sizes(offset, from, child->dimensions)
                                       : (struct store_string){0}),
                        text(print_sizes(global, child->global_size, child->dimensions)),
                        text(print_sizes(local, child->local_size, child->dimensions)),
                        number_if(ran, child->start_ns), number_if(ran, child->end_ns),
                        number_if(ran, child->complete_ns),
                        text(store_string(result ? result : "?"))),
                  error);
}

enum status store_frame(struct store *store, uint64_t call_id, uint32_t depth,
                        struct store_string frame, struct error *error)
{
    return insert(store, INSERT_FRAME, CELLS(number(call_id), number(depth), text(frame)), error);
}

enum status store_fact(struct store *store, struct store_string name, struct store_string value,
                       struct error *error)
{
    return insert(store, INSERT_FACT, CELLS(text(name), text(value)), error);
}

enum status store_meta(struct store *store, const char *name, const char *value,
                       struct error *error)
{
    return insert(store, INSERT_META, CELLS(text(store_string(name)), text(store_string(value))),
                  error);
}

enum status store_progress(struct store *store, uint32_t stream, uint32_t sequence, uint64_t offset,
                           struct error *error)
{
    return insert(store, INSERT_PROGRESS, CELLS(number(stream), number(sequence), number(offset)),
                  error);
}
