/* The background thread of the spool: moves records from segments into the database. */
#include "trace/base/assert.h"
#include "trace/beginning.h"
#include "trace/recover.h"
#include "trace/segment.h"
#include "trace/spool_directory.h"
#include "trace/spool_private.h"

#include <unistd.h>

enum {
    BUSY_WAIT_MS = 5,
    IDLE_WAIT_MS = 50,
};

/* Held by a background thread while it is in SQLite. A fork waits for it: a child would find the
 * locks that SQLite held taken for ever. */
static pthread_mutex_t storing = PTHREAD_MUTEX_INITIALIZER;

static void refill_spares(struct spool *spool)
{
    struct error error;
    if (atomic_load(&spool->state) == SPOOL_OPEN && spool_make_spares(spool, &error))
        spool_fail(spool, &error);
}

static enum status overwritten(const struct spool *spool, struct error *error)
{
    return error_set(error, STATUS_MALFORMED,
                     "the spool of '%s' was overwritten in memory by the program", spool->path);
}

/* Moves records of one stream, at most `*budget` bytes. */
static enum status drain_stream(struct spool *spool, struct stream *stream, uint64_t *budget,
                                struct error *error)
{
    if (!stream->reading) {
        stream->reading = atomic_load_explicit(&stream->first, memory_order_acquire);
        stream->read_offset = sizeof(struct segment_header);
        stream->read_sequence = 1;
    }
    while (stream->reading && *budget) {
        struct segment_record record;
        const uint64_t before = stream->read_offset;
        enum status status;
        struct mapping *next;
        switch (segment_next(stream->reading->bytes, stream->reading->size, &stream->read_offset,
                             &record)) {
        case SEGMENT_STEP_RECORD:
            stream->was_read = true;
            status = ingest_record(spool->ingest, &record, error);
            if (status)
                return status;
            const uint64_t moved = stream->read_offset - before;
            *budget -= moved < *budget ? moved : *budget;
            break;
        case SEGMENT_STEP_NOTHING:
            return STATUS_OK;
        case SEGMENT_STEP_END:
            next = atomic_load_explicit(&stream->reading->next, memory_order_acquire);
            if (!next)
                return overwritten(spool, error);
            /* The chain of consumed segments reuses the link. */
            atomic_store(&stream->reading->next, spool->consumed);
            spool->consumed = stream->reading;
            stream->reading = next;
            stream->read_offset = sizeof(struct segment_header);
            ++stream->read_sequence;
            stream->was_read = true;
            refill_spares(spool); /* the application has not stood still */
            break;
        case SEGMENT_STEP_DAMAGED:
            return overwritten(spool, error);
        }
    }
    return STATUS_OK;
}

static bool has_records(struct spool *spool)
{
    for (struct stream *stream = atomic_load(&spool->streams); stream; stream = stream->next) {
        const struct mapping *mapping =
            stream->reading ? stream->reading : atomic_load(&stream->first);
        uint64_t offset = stream->reading ? stream->read_offset : sizeof(struct segment_header);
        struct segment_record record;
        if (mapping &&
            segment_next(mapping->bytes, mapping->size, &offset, &record) != SEGMENT_STEP_NOTHING)
            return true;
    }
    return false;
}

/* Makes it a spare one; false when none is wanted. */
static bool reuse(struct spool *spool, struct mapping *mapping)
{
    const unsigned count = atomic_load(&spool->spare_count);
    ASSERT(count <= SPARE_COUNT);
    for (size_t i = 0; i < count && mapping->size == SEGMENT_SIZE; ++i) {
        if (atomic_load_explicit(&spool->spares[i], memory_order_relaxed))
            continue;
        mapping_empty(mapping);
        atomic_store_explicit(&spool->spares[i], mapping, memory_order_release);
        return true;
    }
    return false;
}

static void free_consumed(struct spool *spool)
{
    while (spool->consumed) {
        struct mapping *mapping = spool->consumed;
        spool->consumed = atomic_load(&mapping->next);
        ASSERT(atomic_load(&spool->backlog_size) >= mapping->size);
        atomic_fetch_sub(&spool->backlog_size, mapping->size);
        if (!reuse(spool, mapping))
            mapping_destroy(spool->directory, mapping);
    }
}

/* One transaction. *moved: was there anything? *all: whatever was there when it began is stored. */
static enum status drain_batch(struct spool *spool, bool *moved, bool *all, struct error *error)
{
    *all = true;
    *moved = has_records(spool);
    if (!*moved)
        return STATUS_OK;
    enum status status = store_begin(spool->store, error);
    /* Else a program that is faster is never caught up with; what waits is bounded. */
    const bool catches_up = spool->seen != spool->begun;
    uint64_t budget = catches_up ? UINT64_MAX : spool->sizes.batch;
    struct stream *streams = atomic_load(&spool->streams);
    for (struct stream *stream = streams; stream && !status; stream = stream->next)
        status = drain_stream(spool, stream, &budget, error);
    *all = budget > 0;
    if (!status)
        status = ingest_flush(spool->ingest, error);
    for (struct stream *stream = streams; stream && !status; stream = stream->next) {
        if (stream->was_read)
            status = store_progress(spool->store, stream->id, stream->read_sequence,
                                    stream->read_offset, error);
        stream->was_read = false;
    }
    if (!status)
        status = store_commit(spool->store, error);
    if (!status)
        free_consumed(spool);
    return status;
}

enum status spool_make_spares(struct spool *spool, struct error *error)
{
    const unsigned made_ahead = atomic_load(&spool->spare_count) / 2;
    ASSERT(made_ahead >= SPARE_MADE && made_ahead <= SPARE_COUNT);
    for (size_t i = 0; i < made_ahead; ++i) {
        struct mapping *spare = NULL;
        if (atomic_load_explicit(&spool->spares[i], memory_order_relaxed))
            continue;
        const enum status status = spool_make_mapping(spool, SEGMENT_SIZE, &spare, error);
        if (status)
            return status;
        atomic_store_explicit(&spool->spares[i], spare, memory_order_release);
    }
    return STATUS_OK;
}

/* Returns true when the spool is to stop. */
static bool pause_thread(struct spool *spool, unsigned wait_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)wait_ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&spool->mutex);
    if (!spool->stop)
        pthread_cond_timedwait(&spool->wake, &spool->mutex, &until);
    const bool stop = spool->stop;
    pthread_mutex_unlock(&spool->mutex);
    return stop;
}

static void before_fork(void)
{
    pthread_mutex_lock(&storing);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&storing);
}

void spool_watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

static enum status begin_after(struct spool *spool, uint64_t call_id, struct error *error)
{
    enum status status = store_begin(spool->store, error);
    if (!status)
        status = beginning_apply(spool->store, call_id, error);
    if (!status)
        status = store_commit(spool->store, error);
    spool->begun = call_id;
    return status;
}

/* The recording is to begin later than it does: the records of calls before may be in streams that
 * were looked at before that was read, so it takes one more time that all is stored. */
static enum status begin_later(struct spool *spool, bool all, struct error *error)
{
    const uint64_t wanted = ingest_begins_after(spool->ingest);
    const enum status status =
        spool->seen != spool->begun && all ? begin_after(spool, spool->seen, error) : STATUS_OK;
    if (wanted != SPOOL_NOT_BEGUN && (all || spool->seen == spool->begun))
        spool->seen = wanted;
    return status;
}

static enum status look_at_size(struct spool *spool, struct error *error)
{
    uint64_t size = 0;
    struct error full;
    const uint64_t max = spool->sizes.stored_max;
    const enum status status = max ? store_used_size(spool->store, &size, error) : STATUS_OK;
    if (status || size <= max)
        return status;
    error_set(&full, STATUS_UNSUPPORTED, "the trace '%s' has the size that it may have",
              spool->path);
    spool_fill(spool, &full);
    return STATUS_OK;
}

static enum status store_batch(struct spool *spool, bool *moved, struct error *error)
{
    bool all;
    pthread_mutex_lock(&storing);
    enum status status = drain_batch(spool, moved, &all, error);
    if (!status)
        status = begin_later(spool, all, error);
    if (!status && *moved)
        status = look_at_size(spool, error);
    pthread_mutex_unlock(&storing);
    return status;
}

static const char *end_state(struct spool *spool)
{
    return atomic_load(&spool->state) == SPOOL_FAILED || atomic_load(&spool->is_full) ? "stopped"
           : atomic_load(&spool->is_ended_early) ? STORE_TRIMMED
                                                 : "complete";
}

static void tell_begun(struct spool *spool)
{
    pthread_mutex_lock(&spool->mutex);
    spool->is_begun = true;
    pthread_cond_signal(&spool->wake);
    pthread_mutex_unlock(&spool->mutex);
}

/* Is there a thread, beside the one that closes, that has recorded and may do so again? */
static bool others_record(struct spool *spool)
{
    for (struct stream *stream = atomic_load(&spool->streams); stream; stream = stream->next)
        if (stream != spool->closers && atomic_load(&stream->state) == STREAM_OWNED)
            return true;
    return false;
}

static enum status store_until_stopped(struct spool *spool, struct error *error)
{
    enum status status = STATUS_OK;
    unsigned wait_ms = BUSY_WAIT_MS;
    for (bool stop = false; !stop && !status;) {
        bool moved = false;
        refill_spares(spool);
        status = store_batch(spool, &moved, error);
        wait_ms = moved ? BUSY_WAIT_MS : wait_ms * 2 < IDLE_WAIT_MS ? wait_ms * 2 : IDLE_WAIT_MS;
        if (!status)
            stop = pause_thread(spool, wait_ms);
    }
    return status;
}

static enum status store_the_rest(struct spool *spool, struct error *error)
{
    enum status status = STATUS_OK;
    int open = SPOOL_OPEN;
    atomic_compare_exchange_strong(&spool->state, &open, SPOOL_CLOSED);
    for (bool moved = true; moved && !status;)
        status = store_batch(spool, &moved, error);
    atomic_store(&spool->is_storing, false);
    pthread_mutex_lock(&storing);
    for (int i = 0; i < 2 && !status; ++i)
        status = begin_later(spool, true, error);
    if (!status)
        status = recover_finish(spool->store, end_state(spool), error);
    pthread_mutex_unlock(&storing);
    return status;
}

/* `is_whole`: nothing is in the spool that the trace lacks. */
static void end_spool(struct spool *spool, bool is_whole)
{
    int directory;
    if (spool_directory_open(spool->directory, &directory, NULL))
        return;
    if (is_whole)
        spool_directory_remove(directory, spool->directory);
    else
        spool_directory_note_end(directory, end_state(spool));
    close(directory);
}

/* The trace is closed where it was opened: its descriptors are this thread's. */
static void close_store(struct spool *spool)
{
    pthread_mutex_lock(&storing);
    ingest_destroy(spool->ingest);
    store_close(spool->store);
    spool->ingest = NULL;
    spool->store = NULL;
    pthread_mutex_unlock(&storing);
}

void *spool_drain(void *argument)
{
    struct spool *spool = argument;
    struct error error;
    pthread_mutex_lock(&storing);
    enum status status = spool_begin(spool, &error);
    pthread_mutex_unlock(&storing);
    if (status) {
        close_store(spool);
        spool_fail(spool, &error);
        tell_begun(spool);
        return NULL;
    }
    tell_begun(spool);
    status = store_until_stopped(spool, &error);
    if (!status && others_record(spool)) {
        atomic_store(&spool->is_left, true);
        atomic_store(&spool->is_storing, false);
    } else if (!status) {
        status = store_the_rest(spool, &error);
    }
    atomic_store(&spool->is_storing, false);
    if (status)
        spool_fail(spool, &error);
    close_store(spool);
    end_spool(spool, !status && !atomic_load(&spool->is_left));
    return NULL;
}
