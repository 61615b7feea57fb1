/* The trace as a SQLite database: its schema (trace/schema.c, documented in docs/TRACE_FORMAT.md)
 * and writing to it. Used by the background thread of a recorded process, and by recovery. One
 * thread at a time per store.
 *
 * All changes between store_begin and store_commit become visible, and durable against a killed
 * process, together. */
#ifndef TRACE_STORE_H
#define TRACE_STORE_H

#include "trace/api/call.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sqlite3;
struct sqlite3_stmt;

/* Of the schema: PRAGMA user_version. Readers accept this one (python/clerk/trace.py says so
 * again); every change is listed in docs/TRACE_FORMAT.md. */
enum { STORE_VERSION = 7 };
/* PRAGMA application_id: "clrk". */
enum { STORE_APPLICATION_ID = 0x636c726b };

/* How the bytes of a content are stored. */
enum { STORE_RAW = 0, STORE_ZSTD = 1 };

struct store;

/* sqlite3_open_v2 of the file of that very name: never a URI or a name that SQLite gives a meaning.
 * Refuses what is not a regular file, and files of SQLite's beside it that are none or that would
 * have it remove others. *database is closed with sqlite3_close. */
enum status store_connect(const char *path, int flags, struct sqlite3 **database,
                          struct error *error);

/* Creates the database in the file `path`, which exists and is empty. */
enum status store_create(const char *path, struct store **store, struct error *error);
/* The same in small pages, for a trace of a few calls: each table takes a page at least. */
enum status store_create_small(const char *path, struct store **store, struct error *error);
/* Opens a trace for writing. */
enum status store_open(const char *path, struct store **store, struct error *error);
/* Ends without a commit when a transaction is under way. NULL is fine. */
void store_close(struct store *store);
struct sqlite3 *store_database(struct store *store);
const char *store_path(const struct store *store);

/* Is the open database a trace that this clerk reads, and nothing else? A sentence naming `path`
 * otherwise. */
enum status store_check(struct sqlite3 *database, const char *path, struct error *error);
/* The sentence for a trace whose reading takes more than it may. */
enum status store_refuse_work(const char *path, struct error *error);
/* The sentence for a failed SQLite call on this database. */
enum status store_failure(struct sqlite3 *database, const char *path, struct error *error);
/* Prepares one statement; finalise with sqlite3_finalize. */
enum status store_prepare(struct sqlite3 *database, const char *path, const char *sql,
                          struct sqlite3_stmt **statement, struct error *error);

enum status store_begin(struct store *store, struct error *error);
enum status store_commit(struct store *store, struct error *error);
enum status store_execute(struct store *store, const char *sql, struct error *error);
/* Its log is moved into it when it has so many bytes. */
enum status store_limit_log(struct store *store, uint64_t size, struct error *error);
/* Bytes of the pages that hold something: the file keeps those that others have left. */
enum status store_used_size(struct store *store, uint64_t *size, struct error *error);

/* `record` is the encoded form of `call`. Replaces an earlier row with the same id. */
enum status store_call(struct store *store, const struct api_call *call, const void *record,
                       size_t record_size, struct error *error);
/* Reads a row of these columns of call_row and call_form; strings and data are in `arena`. */
#define STORE_CALL_COLUMNS                                                                         \
    "call_row.id, thread, begin_ns, begin_ns + duration_ns, flags, entry, record"
enum status store_decode_call(struct sqlite3_stmt *row, struct arena *arena, struct api_call *call,
                              struct error *error);
enum status store_find_call(struct store *store, uint64_t id, struct arena *arena,
                            struct api_call *call, struct error *error);
/* Stores the bytes once by their digest. */
enum status store_content(struct store *store, uint64_t call_id, const struct api_content *content,
                          struct error *error);
/* The same for bytes that are, or will be, stored by their digest (SEGMENT_DIGEST_SIZE bytes), or
 * are not kept; content->bytes is not looked at. */
enum status store_digest(struct store *store, uint64_t call_id, const struct api_content *content,
                         const unsigned char *digest, struct error *error);
/* Strings with lengths: they come from outside and are stored as they are. */
struct store_string {
    const char *bytes;
    size_t size;
};
static inline struct store_string store_string(const char *string)
{
    return (struct store_string){.bytes = string, .size = strlen(string)};
}
enum status store_finding(struct store *store, uint64_t call_id,
                          const struct store_string strings[4], struct error *error);
enum status store_callback(struct store *store, const struct api_callback *callback,
                           struct error *error);
enum status store_times(struct store *store, const struct api_command_times *times,
                        struct error *error);
enum status store_line(struct store *store, const struct api_line *line, struct store_string file,
                       struct error *error);
enum status store_child(struct store *store, const struct api_child *child,
                        struct store_string kernel, struct error *error);
enum status store_frame(struct store *store, uint64_t call_id, uint32_t depth,
                        struct store_string frame, struct error *error);
enum status store_fact(struct store *store, struct store_string name, struct store_string value,
                       struct error *error);
/* A name in the meta table: the last call before the recording begins (trace_begins_after). */
#define STORE_BEGINS_AFTER "begins_after"
/* The `state` of a trace that ends earlier than the one that it is of. */
#define STORE_TRIMMED "trimmed"
/* Calls were taken out: the next of a form stores it anew. */
void store_forget_forms(struct store *store);
/* meta table: facts about the trace itself. */
enum status store_meta(struct store *store, const char *name, const char *value,
                       struct error *error);
/* How far a stream of the spool has been stored, so that no record is stored twice. */
enum status store_progress(struct store *store, uint32_t stream, uint32_t sequence, uint64_t offset,
                           struct error *error);

/* Did the call return an error code, by its status or errcode_ret? */
bool store_call_failed(const struct api_call *call);

#endif
