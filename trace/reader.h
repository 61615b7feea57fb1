/* Reading a trace, which anybody may have made (docs/SECURITY.md).
 *
 * trace_open takes over the spool that a killed process left after, if there is one, so that a
 * reader always sees the whole run. Everything read is checked: a file that is not a trace, is
 * newer than this clerk, is cut short or damaged gives one sentence that names the file and what is
 * wrong with it. What a reader may take of time and memory is bounded, and that it was too much is
 * told.
 *
 * One thread at a time per trace. Rows are read as they are asked for: memory does not grow with
 * the run. */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "trace/api/call.h"
#include "trace/base/arena.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace;
struct sqlite3;

enum status trace_open(const char *path, struct trace **trace, struct error *error);
/* Bytes of memory that the contents of a call of this file may take (trace/base/limit.def). */
uint64_t trace_memory_limit(const char *path);
void trace_close(struct trace *trace);

/* The process that writes this trace is still running: what is shown is what it has stored so far.
 */
bool trace_is_live(const struct trace *trace);
/* The spool of a killed process was found and moved into the database by this trace_open. */
bool trace_was_recovered(const struct trace *trace);
/* Text of the `meta` and `machine` tables: "program", "start_time", ...; NULL when there is none.
 * The string is valid until the next call on this trace. */
const char *trace_fact(struct trace *trace, const char *name);
/* Of a recording that begins later than its program did: the number of the last call before. Calls
 * up to it are those that what comes after needs; what memory held there is what a launch of that
 * number found. 0: it has the run from its start. */
uint64_t trace_begins_after(struct trace *trace);
/* For queries of the viewer's own; the connection is read-only and belongs to the trace. */
struct sqlite3 *trace_database(struct trace *trace);

/* ---- calls, in the order of their ids ---- */

struct trace_filter {
    uint64_t first_id;   /* calls with this id and later */
    uint64_t last_id;    /* up to this one; 0 = no limit */
    uint32_t thread;     /* 0 = all */
    const char *name;    /* an entry point; a trailing '*' matches any end; NULL = all */
    bool errors_only;    /* calls that returned an error code, or never returned */
    bool with_synthetic; /* also calls that clerk made itself */
    bool by_time; /* in the order in which they began; else by id, which a thread takes before */
};

struct trace_cursor;

/* `filter` may be NULL: all calls of the application. The strings of the filter are borrowed by the
 * cursor. Destroy the cursor before the trace is closed. */
enum status trace_calls(struct trace *trace, const struct trace_filter *filter,
                        struct trace_cursor **cursor, struct error *error);
/* The next call, its data in `arena`. *found is false at the end. A call that does not decode ends
 * the reading with STATUS_MALFORMED and its id in the sentence. */
enum status trace_cursor_next(struct trace_cursor *cursor, struct arena *arena,
                              struct api_call *call, bool *found, struct error *error);
void trace_cursor_destroy(struct trace_cursor *cursor);

/* All that at once: `visit` is called for each call that the filter lets through, in order, until
 * it fails. The call lives until it returns. */
typedef enum status trace_visit(void *user, const struct api_call *call, struct error *error);
enum status trace_each_call(struct trace *trace, const struct trace_filter *filter,
                            trace_visit *visit, void *user, struct error *error);

/* Calls that a filter lets through. */
enum status trace_count_calls(struct trace *trace, const struct trace_filter *filter,
                              uint64_t *count, struct error *error);
/* One call; STATUS_NOT_FOUND names the id. */
enum status trace_call(struct trace *trace, uint64_t id, struct arena *arena, struct api_call *call,
                       struct error *error);

/* ---- callbacks ---- */

/* When the callback that this call registered first ran, in the time of calls. False: it did not
 * run, or an older clerk recorded the trace. */
bool trace_callback(struct trace *trace, uint64_t call_id, uint64_t *begin_ns);

/* ---- contents ---- */

/* All contents of a call by argument and offset; pieces that follow each other are joined. Array
 * and bytes live in `arena`. Each content's digest was compared with its bytes. */
enum status trace_contents(struct trace *trace, uint64_t call_id, struct arena *arena,
                           struct api_content **contents, size_t *count, struct error *error);

/* ---- what launches found and left in memory (contents `all` and `hashes`) ---- */

enum { TRACE_DIGEST_SIZE = 16 };

struct trace_piece {
    uint64_t offset, size;
    unsigned char digest[TRACE_DIGEST_SIZE];
};

/* All of a memory object, from its first byte; texels without gaps. */
struct trace_memory {
    uint64_t size;
    const unsigned char *bytes;       /* NULL = only digests were kept */
    const struct trace_piece *pieces; /* one after the other */
    size_t piece_count;
};

/* The handles of the objects (addresses of shared virtual memory) whose contents a launch has;
 * `after`: those that it left. None is not a failure. */
enum status trace_launch_objects(struct trace *trace, uint64_t call_id, bool after,
                                 struct arena *arena, uint64_t **objects, size_t *count,
                                 struct error *error);
/* What a launch found, or left, in one of them. */
enum status trace_launch_memory(struct trace *trace, uint64_t call_id, bool after, uint64_t object,
                                struct arena *arena, struct trace_memory *memory,
                                struct error *error);
/* Are these the bytes that the piece is the digest of? */
bool trace_piece_is(const struct trace_piece *piece, const void *bytes);

/* ---- names ---- */

/* What a handle is called at a given call: "kernel#2", or NULL when unknown. In the shape of
 * api_handle_name with a struct trace_names as `user`. */
struct trace_names {
    struct trace *trace;
    uint64_t call_id; /* handles are reused: the name is that of the object alive at this call */
    char name[64];    /* the last answer */
};
const char *trace_handle_name(void *trace_names, uint64_t handle);

#endif
