/* The inside of the spool, shared by its files: spool.c (the application's side), spool_drain.c
 * (the background thread's) and spool_open.c (from opening to closing).
 *
 * A *stream* is one thread's sequence of segments. Its owner alone appends; the background thread
 * alone reads; they share the segments' commit words, each segment's `next` and the stream's
 * `first`. A stream outlives its thread and is adopted by the next new thread, so that a program
 * with many short threads has few streams. Segments are made ahead by the background thread, page
 * faults included, or emptied once they are consumed, so that an application thread usually goes on
 * with one exchange of a pointer. */
#ifndef TRACE_SPOOL_PRIVATE_H
#define TRACE_SPOOL_PRIVATE_H

#include "trace/base/status.h"
#include "trace/base/text.h"
#include "trace/ingest.h"
#include "trace/spool.h"
#include "trace/store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* ---- mapping.c ---- */

/* The files of a spool, mapped into memory: trace/segment.h draws what is in them. */

struct mapping {
    unsigned char *bytes;
    uint64_t size;
    unsigned number; /* of the file */
    _Atomic(struct mapping *) next;
};

/* Makes file `number` of the spool in `directory`, of that many bytes, with the header of a segment
 * that is not used yet. */
enum status mapping_create(const char *directory, unsigned number, uint64_t size,
                           struct mapping **mapping, struct error *error);
/* Makes it a segment that is not used yet again. */
void mapping_empty(struct mapping *mapping);
/* Removes the file and its mapping. */
void mapping_destroy(const char *directory, struct mapping *mapping);

enum {
    SPARE_MADE = 4,   /* segments that are made ahead at first; */
    SPARE_COUNT = 64, /* at most, where contents need more than there are */
};

enum stream_state { STREAM_FREE, STREAM_OWNED };

struct stream {
    struct stream *next; /* never changes once in the list */
    struct spool *spool;
    uint32_t id;
    atomic_int state;
    _Atomic(struct mapping *) first;
    /* The owner's. */
    struct mapping *writing;
    uint64_t write_offset;
    uint32_t write_sequence;
    struct text scratch;
    /* The background thread's. */
    struct mapping *reading;
    uint64_t read_offset;
    uint32_t read_sequence;
    bool was_read; /* in this batch */
};

enum spool_state {
    SPOOL_OPEN,
    SPOOL_FAILED, /* no more records; what is there is still stored if that is possible */
    SPOOL_CLOSED,
};

struct spool {
    struct spool *next; /* of all_spools */
    char *path, *directory;
    char *asked_for; /* the path that its program was given */
    void (*on_failure)(void *user, const struct error *error);
    void (*on_full)(void *user, const struct error *error);
    void *user;
    atomic_int state;
    atomic_bool has_failed, is_failure_told, is_reported;
    /* A page that the kernel empties in a forked child: 1 here, 0 there. */
    volatile unsigned *is_ours;
    uint64_t start_ns; /* of CLOCK_MONOTONIC */
    _Atomic(struct stream *) streams;
    atomic_uint stream_count;
    atomic_uint mapping_count;
    _Atomic(struct mapping *) spares[SPARE_COUNT];
    atomic_uint spare_count; /* so many are kept: twice as many as are made ahead */
    atomic_ullong backlog_size;
    struct error failure; /* why recording stopped; to be read once is_failure_told */
    /* The background thread. */
    pthread_t thread;
    pthread_mutex_t mutex; /* of the next three */
    pthread_cond_t wake;
    bool is_begun; /* the trace is there, or `failure` says why not */
    bool stop;
    struct stream *closers; /* the stream of the thread that closes, or NULL */
    atomic_bool is_joined;
    atomic_bool is_storing; /* the background thread still consumes */
    atomic_bool is_left;    /* others record on: recovery stores it */
    struct store *store;
    struct ingest *ingest;
    struct spool_sizes {
        uint64_t stored_max;  /* bytes of the database that hold something; 0 = no limit */
        uint64_t backlog_max; /* that wait for the background thread */
        uint64_t batch;       /* of records in one transaction */
        uint64_t log;         /* of the database's log, before it is moved */
        uint64_t epoch;       /* 0 = there are none */
        unsigned spare_max;   /* segments that are made ahead, at most */
    } sizes;
    atomic_ullong appended_size;
    atomic_bool is_ended_early, is_full;
    uint64_t begun, seen;     /* after which call it begins in the trace, and is to begin next */
    struct mapping *consumed; /* in this batch: freed after the commit */
};

/* Stops recording. Why is said by the next thread of the application's that comes by: the
 * background thread has no standard error. */
void spool_fail(struct spool *spool, const struct error *error);
void spool_report(struct spool *spool);
/* The same, of a trace that is as large as it may be. */
void spool_fill(struct spool *spool, const struct error *error);
/* The calling thread's, or NULL. */
struct stream *spool_own_stream(const struct spool *spool);
/* A new segment. */
enum status spool_make_mapping(struct spool *spool, uint64_t size, struct mapping **mapping,
                               struct error *error);
/* At the end of the process: no thread's end is to be told any more. */
void spool_forget_threads(void);

/* Segments that application threads will want. */
enum status spool_make_spares(struct spool *spool, struct error *error);
/* What the background thread does first: the trace with its first facts. */
enum status spool_begin(struct spool *spool, struct error *error);
/* The background thread: `spool` is a struct spool *. It has descriptors of its own, since a
 * program may close those that it does not know, and open its own files under their numbers. */
void *spool_drain(void *spool);
/* Forks wait for it while it is in SQLite. To be called once. */
void spool_watch_forks(void);

#endif
