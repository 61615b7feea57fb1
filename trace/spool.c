/* The writing side of the spool; trace/segment.h draws the files.
 *
 * A *stream* is one thread's sequence of segments. Its owner alone appends; the background thread
 * alone reads; they share the segments' commit words, each segment's `next` and the stream's
 * `first`. A stream outlives its thread and is adopted by the next new thread, so that a program
 * with many short threads has few streams. Segments are made ahead by the background thread, page
 * faults included, so that an application thread usually goes on with one exchange of a pointer. */
#include "trace/spool.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/ingest.h"
#include "trace/known.h"
#include "trace/recover.h"
#include "trace/segment.h"
#include "trace/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum {
    SPARE_COUNT = 4,
    BUSY_WAIT_MS = 5,
    IDLE_WAIT_MS = 50,
    BATCH_SIZE = 32 << 20,      /* bytes of records in one transaction */
    SCRATCH_KEPT_SIZE = 1 << 20 /* a larger encoding buffer is given back at once */
};

struct mapping {
    unsigned char *bytes;
    uint64_t size;
    unsigned number; /* of the file */
    _Atomic(struct mapping *) next;
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
    void (*on_failure)(void *user, const struct error *error);
    void *user;
    atomic_int state;
    atomic_bool has_reported;
    /* A page that the kernel empties in a forked child: 1 here, 0 there. */
    volatile unsigned *is_ours;
    struct timespec start;
    _Atomic(struct stream *) streams;
    atomic_uint stream_count;
    atomic_uint mapping_count;
    _Atomic(struct mapping *) spares[SPARE_COUNT];
    atomic_ullong backlog_size;
    struct known *known; /* contents that need not be spooled again; NULL = no memory for it */
    /* The background thread. */
    pthread_t thread;
    pthread_mutex_t mutex; /* of `stop` */
    pthread_cond_t wake;
    bool stop;
    atomic_bool is_joined;
    atomic_bool is_storing; /* the background thread still consumes */
    struct store *store;
    struct ingest *ingest;
    struct mapping *consumed; /* in this batch: freed after the commit */
};

static _Atomic(struct spool *) all_spools;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
/* Held by a background thread while it is in SQLite. A fork waits for it: a child would find the
 * locks that SQLite held taken for ever. */
static pthread_mutex_t storing = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static bool key_exists;
static _Thread_local struct stream *own;

static void report(struct spool *spool, const struct error *error)
{
    if (!atomic_exchange(&spool->has_reported, true) && spool->on_failure)
        spool->on_failure(spool->user, error);
}

static void fail(struct spool *spool, const struct error *error)
{
    int open = SPOOL_OPEN;
    atomic_compare_exchange_strong(&spool->state, &open, SPOOL_FAILED);
    report(spool, error);
}

bool spool_is_inherited(const struct spool *spool)
{
    return spool && !*spool->is_ours;
}

static bool is_writable(const struct spool *spool)
{
    return spool && *spool->is_ours &&
           atomic_load_explicit(&spool->state, memory_order_relaxed) == SPOOL_OPEN;
}

const char *spool_path(const struct spool *spool)
{
    return spool ? spool->path : NULL;
}

uint64_t spool_now_ns(const struct spool *spool)
{
    if (!spool)
        return 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)(now.tv_sec - spool->start.tv_sec) * 1000000000 + (uint64_t)now.tv_nsec -
           (uint64_t)spool->start.tv_nsec;
}

/* ---- segments ---- */

static char *mapping_path(const struct spool *spool, unsigned number)
{
    return alloc_format("%s/%u%s", spool->directory, number, SEGMENT_SUFFIX);
}

/* The file's blocks are reserved: a full disk shows here, not as SIGBUS at a store into the map. */
static enum status mapping_create(struct spool *spool, uint64_t size, struct mapping **mapping,
                                  struct error *error)
{
    enum status status = STATUS_OK;
    int descriptor = -1;
    struct mapping *made = alloc_zero(1, sizeof *made);
    char *path = NULL;
    if (!made) {
        status = error_no_memory(error, sizeof *made);
        goto out;
    }
    made->number = atomic_fetch_add(&spool->mapping_count, 1) + 1;
    made->size = size;
    path = mapping_path(spool, made->number);
    if (!path) {
        status = error_no_memory(error, strlen(spool->directory) + 32);
        goto out;
    }
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        status = error_set_errno(error, "cannot create '%s'", path);
        goto out;
    }
    const int refused = posix_fallocate(descriptor, 0, (off_t)size);
    if (refused) {
        errno = refused;
        status = error_set_errno(error, "cannot reserve %llu bytes for '%s'",
                                 (unsigned long long)size, path);
        goto out;
    }
    made->bytes =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    if (made->bytes == MAP_FAILED) {
        status = error_set_errno(error, "cannot map '%s'", path);
        goto out;
    }
    const struct segment_header header = {.version = SEGMENT_VERSION, .size = size};
    memcpy(made->bytes, &header, sizeof header);
    memcpy(made->bytes, SEGMENT_MAGIC, sizeof header.magic);
    *mapping = made;
    made = NULL;
out:
    if (descriptor >= 0) {
        close(descriptor);
        if (status)
            unlink(path);
    }
    alloc_free(path);
    alloc_free(made);
    return status;
}

static void mapping_destroy(struct spool *spool, struct mapping *mapping)
{
    char *path = mapping_path(spool, mapping->number);
    if (path)
        unlink(path);
    alloc_free(path);
    munmap(mapping->bytes, mapping->size);
    alloc_free(mapping);
}

/* ---- the application's side ---- */

static void release_own(void *unused)
{
    (void)unused;
    if (!own)
        return;
    atomic_store_explicit(&own->state, STREAM_FREE, memory_order_release);
    own = NULL;
}

static void make_key(void)
{
    key_exists = pthread_key_create(&key, release_own) == 0;
}

/* A stream that its thread has left, or a new one. */
static struct stream *stream_acquire(struct spool *spool)
{
    for (struct stream *stream = atomic_load(&spool->streams); stream; stream = stream->next) {
        int was_free = STREAM_FREE;
        if (atomic_compare_exchange_strong(&stream->state, &was_free, STREAM_OWNED))
            return stream;
    }
    struct stream *made = alloc_zero(1, sizeof *made);
    if (!made)
        return NULL;
    made->spool = spool;
    made->scratch = (struct text)TEXT_INIT;
    made->id = atomic_fetch_add(&spool->stream_count, 1) + 1;
    atomic_store(&made->state, STREAM_OWNED);
    made->next = atomic_load(&spool->streams);
    while (!atomic_compare_exchange_weak(&spool->streams, &made->next, made))
        continue;
    return made;
}

static struct stream *stream_get(struct spool *spool)
{
    if (own && own->spool == spool)
        return own;
    release_own(NULL);
    pthread_once(&key_once, make_key);
    own = stream_acquire(spool);
    /* Any value but NULL makes the thread's end call release_own. */
    if (own && key_exists)
        pthread_setspecific(key, own);
    if (!own) {
        struct error error;
        error_no_memory(&error, sizeof *own);
        fail(spool, &error);
    }
    return own;
}

/* The background thread may fall behind so far and no further. */
static void wait_for_backlog(struct spool *spool)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    while (atomic_load(&spool->backlog_size) > SPOOL_BACKLOG_SIZE && is_writable(spool) &&
           atomic_load(&spool->is_storing))
        nanosleep(&nap, NULL);
}

static struct mapping *take_spare(struct spool *spool)
{
    for (size_t i = 0; i < SPARE_COUNT; ++i) {
        struct mapping *spare = atomic_exchange(&spool->spares[i], NULL);
        if (spare)
            return spare;
    }
    return NULL;
}

/* Goes on in a segment with room for `record_size` bytes. */
static bool stream_advance(struct stream *stream, uint64_t record_size)
{
    struct spool *spool = stream->spool;
    wait_for_backlog(spool);
    const uint64_t needed = sizeof(struct segment_header) + record_size + 8;
    struct mapping *next = needed <= SEGMENT_SIZE ? take_spare(spool) : NULL;
    if (!next) {
        struct error error;
        const uint64_t size = needed <= SEGMENT_SIZE ? SEGMENT_SIZE : (needed + 4095) & ~4095ULL;
        if (mapping_create(spool, size, &next, &error)) {
            fail(spool, &error);
            return false;
        }
    }
    atomic_fetch_add(&spool->backlog_size, next->size);
    struct segment_header *header = (struct segment_header *)(void *)next->bytes;
    header->stream = stream->id;
    header->sequence = ++stream->write_sequence;
    if (stream->writing) {
        uint64_t *end = (uint64_t *)(void *)(stream->writing->bytes + stream->write_offset);
        atomic_store_explicit(&stream->writing->next, next, memory_order_release);
        __atomic_store_n(end, segment_commit_word(SEGMENT_END, 0), __ATOMIC_RELEASE);
    } else {
        atomic_store_explicit(&stream->first, next, memory_order_release);
    }
    stream->writing = next;
    stream->write_offset = sizeof(struct segment_header);
    return true;
}

/* Returns the record's body in the segment, valid until the next append; NULL when recording
 * stopped. */
static const unsigned char *stream_append(struct stream *stream, enum segment_kind kind,
                                          const void *head, size_t head_size, const void *body,
                                          size_t body_size)
{
    const uint64_t payload_size = (uint64_t)head_size + body_size;
    if (payload_size > UINT32_MAX - 16) {
        struct error error;
        error_set(&error, STATUS_UNSUPPORTED, "a record of %llu bytes is too large for a trace",
                  (unsigned long long)payload_size);
        fail(stream->spool, &error);
        return NULL;
    }
    const uint64_t record_size = segment_record_size(payload_size);
    if (!stream->writing || stream->write_offset + record_size + 8 > stream->writing->size) {
        if (!stream_advance(stream, record_size))
            return NULL;
    }
    unsigned char *at = stream->writing->bytes + stream->write_offset;
    memcpy(at + 8, head, head_size);
    if (body_size)
        memcpy(at + 8 + head_size, body, body_size);
    __atomic_store_n((uint64_t *)(void *)at, segment_commit_word(kind, (uint32_t)payload_size),
                     __ATOMIC_RELEASE);
    stream->write_offset += record_size;
    return at + 8 + head_size;
}

static void trim_scratch(struct stream *stream)
{
    if (stream->scratch.capacity > SCRATCH_KEPT_SIZE)
        text_release(&stream->scratch);
}

/* Appends what `scratch` holds, which starts with its payload. */
static void append_scratch(struct stream *stream, enum segment_kind kind)
{
    if (stream->scratch.failed) {
        struct error error;
        text_release(&stream->scratch);
        error_no_memory(&error, SCRATCH_KEPT_SIZE);
        fail(stream->spool, &error);
        return;
    }
    stream_append(stream, kind, stream->scratch.bytes, stream->scratch.size, NULL, 0);
    trim_scratch(stream);
}

static void append_call(struct spool *spool, enum segment_kind kind, const struct api_call *call)
{
    if (!is_writable(spool))
        return;
    const int saved = errno;
    struct stream *stream = stream_get(spool);
    if (stream) {
        text_clear(&stream->scratch);
        text_append_n(&stream->scratch, &call->id, sizeof call->id);
        api_call_encode(call, &stream->scratch);
        append_scratch(stream, kind);
    }
    errno = saved;
}

void spool_call_begin(struct spool *spool, const struct api_call *call)
{
    append_call(spool, SEGMENT_CALL_BEGIN, call);
}

void spool_call_end(struct spool *spool, const struct api_call *call)
{
    append_call(spool, SEGMENT_CALL_END, call);
}

/* Programs send and read the same bytes again and again. A digest costs a tenth of what moving the
 * bytes does, so only the first of equal pieces is spooled with its bytes. What becomes known is
 * the copy, once it is whole: another thread may be writing the application's bytes, and a process
 * killed in between must not leave a digest without its bytes. */
static void append_content(struct stream *stream, const struct segment_content *head,
                           const void *bytes, bool keep_bytes)
{
    enum { DIGEST_PAYS_SIZE = 4096 };
    struct known *known = stream->spool->known;
    const bool pays = known && head->size >= DIGEST_PAYS_SIZE;
    XXH128_canonical_t digest;
    if (pays || !keep_bytes) {
        XXH128_canonicalFromHash(&digest, XXH3_128bits(bytes, head->size));
        if (!keep_bytes || known_has(known, digest.digest)) {
            stream_append(stream, SEGMENT_CONTENT_KNOWN, head, sizeof *head, digest.digest,
                          sizeof digest.digest);
            return;
        }
    }
    const unsigned char *copy =
        stream_append(stream, SEGMENT_CONTENT, head, sizeof *head, bytes, head->size);
    if (pays && copy) {
        XXH128_canonicalFromHash(&digest, XXH3_128bits(copy, head->size));
        known_add(known, digest.digest);
    }
}

static void append_pieces(struct spool *spool, uint64_t call_id, const struct api_content *content,
                          bool keep_bytes)
{
    if (!is_writable(spool))
        return;
    const int saved = errno;
    struct stream *stream = stream_get(spool);
    for (uint64_t done = 0; stream && done < content->size && is_writable(spool);) {
        uint64_t size = content->size - done;
        if (size > SEGMENT_CONTENT_SIZE)
            size = SEGMENT_CONTENT_SIZE;
        const struct segment_content head = {.call_id = call_id,
                                             .offset = content->offset + done,
                                             .size = size,
                                             .object = content->object,
                                             .argument = content->argument,
                                             .after = content->after};
        append_content(stream, &head, (const unsigned char *)content->bytes + done, keep_bytes);
        done += size;
    }
    errno = saved;
}

void spool_content(struct spool *spool, uint64_t call_id, const struct api_content *content)
{
    append_pieces(spool, call_id, content, true);
}

void spool_digest(struct spool *spool, uint64_t call_id, const struct api_content *content)
{
    append_pieces(spool, call_id, content, false);
}

static void append_strings(struct spool *spool, enum segment_kind kind, uint64_t number,
                           const char *const *strings, size_t count)
{
    if (!is_writable(spool))
        return;
    const int saved = errno;
    struct stream *stream = stream_get(spool);
    if (stream) {
        text_clear(&stream->scratch);
        segment_print_strings(number, strings, count, &stream->scratch);
        append_scratch(stream, kind);
    }
    errno = saved;
}

void spool_finding(struct spool *spool, const struct spool_finding *finding)
{
    const char *const strings[] = {finding->rule, finding->severity, finding->message,
                                   finding->json};
    append_strings(spool, SEGMENT_FINDING, finding->call_id, strings, 4);
}

void spool_stack(struct spool *spool, uint64_t call_id, const char *const *frames,
                 size_t frame_count)
{
    append_strings(spool, SEGMENT_STACK, call_id, frames, frame_count);
}

void spool_fact(struct spool *spool, const char *name, const char *value)
{
    const char *const strings[] = {name, value};
    append_strings(spool, SEGMENT_FACT, 0, strings, 2);
}

/* ---- the background thread ---- */

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
            /* The chain of consumed segments reuses the link. */
            atomic_store(&stream->reading->next, spool->consumed);
            spool->consumed = stream->reading;
            stream->reading = next;
            stream->read_offset = sizeof(struct segment_header);
            ++stream->read_sequence;
            stream->was_read = true;
            break;
        case SEGMENT_STEP_DAMAGED:
            return error_set(error, STATUS_MALFORMED,
                             "the spool of '%s' was overwritten in memory by the program",
                             spool->path);
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

static void free_consumed(struct spool *spool)
{
    while (spool->consumed) {
        struct mapping *mapping = spool->consumed;
        spool->consumed = atomic_load(&mapping->next);
        atomic_fetch_sub(&spool->backlog_size, mapping->size);
        mapping_destroy(spool, mapping);
    }
}

/* One transaction. *moved: was there anything? */
static enum status drain_batch(struct spool *spool, bool *moved, struct error *error)
{
    *moved = has_records(spool);
    if (!*moved)
        return STATUS_OK;
    enum status status = store_begin(spool->store, error);
    uint64_t budget = BATCH_SIZE;
    struct stream *streams = atomic_load(&spool->streams);
    for (struct stream *stream = streams; stream && !status; stream = stream->next)
        status = drain_stream(spool, stream, &budget, error);
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

static enum status make_spares(struct spool *spool, struct error *error)
{
    for (size_t i = 0; i < SPARE_COUNT; ++i) {
        struct mapping *spare = NULL;
        if (atomic_load_explicit(&spool->spares[i], memory_order_relaxed))
            continue;
        const enum status status = mapping_create(spool, SEGMENT_SIZE, &spare, error);
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

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

static enum status store_batch(struct spool *spool, bool *moved, struct error *error)
{
    pthread_mutex_lock(&storing);
    const enum status status = drain_batch(spool, moved, error);
    pthread_mutex_unlock(&storing);
    return status;
}

static void *run_thread(void *argument)
{
    struct spool *spool = argument;
    struct error error;
    enum status status = STATUS_OK;
    bool stop = false;
    unsigned wait_ms = BUSY_WAIT_MS;
    while (!stop && !status) {
        bool moved = false;
        if (atomic_load(&spool->state) == SPOOL_OPEN && make_spares(spool, &error))
            fail(spool, &error);
        status = store_batch(spool, &moved, &error);
        wait_ms = moved ? BUSY_WAIT_MS : wait_ms * 2 < IDLE_WAIT_MS ? wait_ms * 2 : IDLE_WAIT_MS;
        if (!status)
            stop = pause_thread(spool, wait_ms);
    }
    for (bool moved = true; moved && !status;)
        status = store_batch(spool, &moved, &error);
    atomic_store(&spool->is_storing, false);
    pthread_mutex_lock(&storing);
    if (!status)
        status = recover_finish(spool->store, "complete", &error);
    if (status)
        fail(spool, &error);
    ingest_destroy(spool->ingest);
    store_close(spool->store);
    pthread_mutex_unlock(&storing);
    /* After a failure the spool stays: what it holds can still be recovered. */
    if (!status)
        directory_remove(spool->directory, NULL);
    return NULL;
}

/* ---- opening and closing ---- */

static void read_command_line(struct text *text)
{
    void *bytes = NULL;
    size_t size;
    if (file_read("/proc/self/cmdline", 1 << 20, &bytes, &size, NULL))
        return;
    const char *word = bytes;
    for (const char *end = word + size; word < end; word += strlen(word) + 1)
        text_format(text, "%s%s", text->size ? " " : "", word);
    alloc_free(bytes);
}

static enum status store_machine(struct store *store, struct error *error)
{
    struct utsname names;
    if (uname(&names) != 0)
        return STATUS_OK;
    char processors[32];
    snprintf(processors, sizeof processors, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    const char *const facts[][2] = {
        {"system", names.sysname},       {"release", names.release}, {"host", names.nodename},
        {"architecture", names.machine}, {"processors", processors},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof facts / sizeof *facts && !status; ++i)
        status = store_fact(store, (struct store_string){facts[i][0], strlen(facts[i][0])},
                            (struct store_string){facts[i][1], strlen(facts[i][1])}, error);
    return status;
}

static enum status store_origin(struct spool *spool, struct error *error)
{
    struct text command = TEXT_INIT;
    char program[4096];
    char directory[4096];
    char id[32];
    char time_text[40];
    const time_t now = time(NULL);
    struct tm parts;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = 0;
    if (!getcwd(directory, sizeof directory))
        directory[0] = 0;
    snprintf(id, sizeof id, "%ld", (long)getpid());
    gmtime_r(&now, &parts);
    strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    read_command_line(&command);
    const char *const facts[][2] = {
        {"clerk_version", CLERK_VERSION}, {"program", program}, {"command", command.bytes},
        {"directory", directory},         {"process", id},      {"start_time", time_text},
        {"state", "recording"},
    };
    enum status status = store_begin(spool->store, error);
    for (size_t i = 0; i < sizeof facts / sizeof *facts && !status; ++i)
        status = store_meta(spool->store, facts[i][0], facts[i][1], error);
    if (!status)
        status = store_machine(spool->store, error);
    if (!status)
        status = store_commit(spool->store, error);
    text_release(&command);
    return status;
}

static enum status start_thread(struct spool *spool, struct error *error)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&spool->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&spool->mutex, NULL);
    /* The application's signals are for its own threads. */
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int refused = pthread_create(&spool->thread, NULL, run_thread, spool);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (refused) {
        errno = refused;
        return error_set_errno(error, "cannot start a thread for the trace '%s'", spool->path);
    }
    pthread_setname_np(spool->thread, "clerk-trace");
    return STATUS_OK;
}

static enum status make_own_page(struct spool *spool, struct error *error)
{
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return error_set_errno(error, "cannot map a page");
    spool->is_ours = page;
    if (madvise(page, size, MADV_WIPEONFORK) != 0)
        return error_set_errno(error, "recording needs Linux 4.14 or later");
    *spool->is_ours = 1;
    return STATUS_OK;
}

/* Only for a spool whose thread does not run. */
static void spool_free(struct spool *spool)
{
    if (!spool)
        return;
    ingest_destroy(spool->ingest);
    store_close(spool->store);
    if (spool->directory) {
        directory_remove(spool->directory, NULL);
        unlink(spool->path);
    }
    if (spool->is_ours)
        munmap((void *)(uintptr_t)spool->is_ours, (size_t)sysconf(_SC_PAGESIZE));
    known_destroy(spool->known);
    alloc_free(spool->directory);
    alloc_free(spool->path);
    alloc_free(spool);
}

enum status spool_open(const struct spool_options *options, struct spool **spool,
                       struct error *error)
{
    const int saved = errno;
    struct spool *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->on_failure = options->on_failure;
    made->user = options->user;
    made->known = known_create();
    clock_gettime(CLOCK_MONOTONIC, &made->start);
    enum status status = make_own_page(made, error);
    if (status)
        goto out;
    status = recover_claim(options->path, &made->path, error);
    if (status)
        goto out;
    made->directory = recover_spool_path(made->path);
    if (!made->directory) {
        status = error_no_memory(error, strlen(made->path) + 8);
        goto out;
    }
    status = store_create(made->path, &made->store, error);
    if (!status)
        status = ingest_create(made->store, &made->ingest, error);
    if (!status)
        status = store_origin(made, error);
    if (!status)
        status = make_spares(made, error);
    if (status)
        goto out;
    atomic_store(&made->is_storing, true);
    pthread_once(&fork_once, watch_forks);
    status = start_thread(made, error);
    if (status)
        goto out;
    made->next = atomic_load(&all_spools);
    while (!atomic_compare_exchange_weak(&all_spools, &made->next, made))
        continue;
    *spool = made;
    made = NULL;
out:
    spool_free(made);
    errno = saved;
    return status;
}

void spool_close(struct spool *spool)
{
    if (!spool || spool_is_inherited(spool) || atomic_exchange(&spool->is_joined, true))
        return;
    const int saved = errno;
    int open = SPOOL_OPEN;
    atomic_compare_exchange_strong(&spool->state, &open, SPOOL_CLOSED);
    pthread_mutex_lock(&spool->mutex);
    spool->stop = true;
    pthread_cond_signal(&spool->wake);
    pthread_mutex_unlock(&spool->mutex);
    pthread_join(spool->thread, NULL);
    errno = saved;
}

/* With the lowest priority there is: after the destructors of whoever writes to a spool. */
__attribute__((destructor(101))) static void close_all(void)
{
    for (struct spool *spool = atomic_load(&all_spools); spool; spool = spool->next)
        spool_close(spool);
    if (key_exists)
        pthread_key_delete(key);
    key_exists = false;
}
