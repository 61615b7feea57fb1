/* The spool: how a run leaves the application's threads and reaches the trace.
 *
 * Each thread of the application appends records to memory-mapped segment files of its own in the
 * directory `FILE.spool` beside the trace FILE: no lock, no system call and no allocation per
 * record in the steady state. A record counts once its commit word is written, last, so a process
 * that is killed at any moment leaves whole records only. A background thread of the process moves
 * records into the SQLite database and removes the segments that it has consumed; what it could not
 * move any more, because the process died, every clerk verb moves when it opens the trace
 * (trace_open in trace/reader.h). That thread has descriptors of its own, so the recorded process
 * must not open its trace itself: SQLite would share them.
 *
 * Memory is bounded: when more than SPOOL_BACKLOG_SIZE bytes wait for the background thread, beside
 * the segment that each thread writes to, the thread that needs a further segment waits for it.
 * Failures (a full disk, no rights) are reported once, through `on_failure`; recording then stops
 * and the application goes on.
 *
 * Functions taking `struct spool *` accept NULL and do nothing then, and may be called from any
 * thread unless they say otherwise. They preserve errno. */
#ifndef TRACE_SPOOL_H
#define TRACE_SPOOL_H

#include "trace/api/call.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPOOL_BACKLOG_SIZE = 160 << 20 };

struct spool;

struct spool_options {
    /* The trace that the user asked for. If a file of that name exists, the run goes to
     * "NAME.2.db", "NAME.3.db" and so on: a trace is never shared and never overwritten. */
    const char *path;
    /* Called once at most when recording stops, by a thread of the application's that records or
     * closes; `error` lives during the call. */
    void (*on_failure)(void *user, const struct error *error);
    /* The same, when recording stops because the trace is as large as it may be; NULL is fine. */
    void (*on_full)(void *user, const struct error *error);
    void *user;
    /* Bytes that the trace may have, 16 MiB at least; 0 = no limit. Before it has more, recording
     * stops. */
    uint64_t max_size;
    /* The same, with all that lies beside it, 64 MiB at least: whoever records begins
     * later and later, each time an epoch is over (spool_epoch_size). Not both. */
    uint64_t keep_last;
};

/* Creates the trace and the spool and starts the background thread. The trace's clock starts now.
 * The spool is closed when the process exits normally (after the handlers of atexit, in a
 * destructor) unless spool_close was called. */
enum status spool_open(const struct spool_options *options, struct spool **spool,
                       struct error *error);

/* Records no more, for this reason: as after a failure. */
void spool_stop(struct spool *spool, const struct error *error);

/* Moves every record into the database, completes its derived tables, and removes the spool
 * directory. The spool itself stays allocated, since other threads may still hold it: calls on it
 * remain harmless. Where other threads that have recorded are alive, the spool stays open until the
 * process ends: true, and what they still append is stored when the trace is opened. In a forked
 * child it does nothing for the parent's spool. */
bool spool_close(struct spool *spool);

/* The recording begins after the call with this number, or only now that far: of those up to it
 * the trace keeps what is needed (trace/needed.h). What memory held there are contents that a
 * launch of that number found, which were appended before. SPOOL_NOT_BEGUN: it has not begun. Every
 * call up to that number has ended, and its record was appended. */
#define SPOOL_NOT_BEGUN ((uint64_t)INT64_MAX)
void spool_begin_after(struct spool *spool, uint64_t call_id);
/* The recording ends before the program does: nothing is appended any more. */
void spool_end_early(struct spool *spool);
/* Bytes that were appended up to now; what is stored of them is rarely more. */
uint64_t spool_appended_size(const struct spool *spool);
/* Of keep_last: so many appended bytes make an epoch. The trace has one or two of them. */
uint64_t spool_epoch_size(const struct spool *spool);

/* The trace file in use, which may differ from the one asked for. */
const char *spool_path(const struct spool *spool);

/* True in a child process made by fork for the spool of its parent: every function below then does
 * nothing, and the child opens a spool of its own. */
bool spool_is_inherited(const struct spool *spool);

/* To be called by a thread before it takes the first number of its calls: from then on the spool on
 * disk knows that there is such a thread. Of a process that is killed, so many numbers may be
 * without a record. */
void spool_thread_begin(struct spool *spool);

/* Nanoseconds of CLOCK_MONOTONIC since the trace's start: the unit of api_call's begin_ns and
 * end_ns. */
uint64_t spool_now_ns(const struct spool *spool);

/* A call begins: written before the call is forwarded, so that a crash inside the driver shows it.
 */
void spool_call_begin(struct spool *spool, const struct api_call *call);
/* The same call ended: flags has API_CALL_COMPLETED, results and OUT values are filled in. Calls of
 * clerk's own (API_CALL_SYNTHETIC) need only this one. */
void spool_call_end(struct spool *spool, const struct api_call *call);
/* Bytes of memory that belong to the call with this id; before or after its end, from any thread.
 */
void spool_content(struct spool *spool, uint64_t call_id, const struct api_content *content);
/* The same, but of the bytes only their digests are kept. */
void spool_digest(struct spool *spool, uint64_t call_id, const struct api_content *content);

struct spool_finding {
    uint64_t call_id;     /* 0 = none */
    const char *rule;     /* the rule's id */
    const char *severity; /* "error", "warning", "note" */
    const char *message;  /* one sentence */
    const char *json;     /* finding_print_json's object */
};
void spool_finding(struct spool *spool, const struct spool_finding *finding);

/* Written when it returns, on the thread that ran it. */
void spool_callback(struct spool *spool, const struct api_callback *callback);

void spool_times(struct spool *spool, const struct api_command_times *times);

void spool_line(struct spool *spool, const struct api_line *line, const char *file);

void spool_child(struct spool *spool, const struct api_child *child, const char *kernel);

/* The host stack of a call, innermost frame first, symbolised: "function+0x12 (module)". */
void spool_stack(struct spool *spool, uint64_t call_id, const char *const *frames,
                 size_t frame_count);
/* A fact about the machine or the run: "device.0.name" and its value. The last one of a name
 * counts. */
void spool_fact(struct spool *spool, const char *name, const char *value);

#endif
