/* The application's side of the spool: how records get into segments. */
#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/clock.h"
#include "trace/segment.h"
#include "trace/spool_private.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

enum { SCRATCH_KEPT_SIZE = 1 << 20 /* a larger encoding buffer is given back at once */ };

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_exists;
/* As layer/thread.c says of its own. */
static _Thread_local struct stream *own __attribute__((tls_model("initial-exec")));
static _Thread_local struct clock own_clock __attribute__((tls_model("initial-exec")));

void spool_fail(struct spool *spool, const struct error *error)
{
    int open = SPOOL_OPEN;
    if (!atomic_exchange(&spool->has_failed, true)) {
        spool->failure = *error;
        atomic_store(&spool->is_failure_told, true);
    }
    atomic_compare_exchange_strong(&spool->state, &open, SPOOL_FAILED);
}

void spool_fill(struct spool *spool, const struct error *error)
{
    int open = SPOOL_OPEN;
    if (!atomic_compare_exchange_strong(&spool->state, &open, SPOOL_CLOSED))
        return;
    spool->failure = *error;
    atomic_store(&spool->is_full, true);
    atomic_store(&spool->is_failure_told, true);
}

void spool_report(struct spool *spool)
{
    void (*tell)(void *user, const struct error *error) =
        atomic_load(&spool->is_full) ? spool->on_full : spool->on_failure;
    if (atomic_load(&spool->is_failure_told) && !atomic_exchange(&spool->is_reported, true) && tell)
        tell(spool->user, &spool->failure);
}

/* On a thread of the application's. */
void spool_stop(struct spool *spool, const struct error *error)
{
    spool_fail(spool, error);
    spool_report(spool);
}

bool spool_is_inherited(const struct spool *spool)
{
    return spool && !*spool->is_ours;
}

static bool is_writable(struct spool *spool)
{
    if (!spool || !*spool->is_ours)
        return false;
    if (atomic_load_explicit(&spool->state, memory_order_relaxed) == SPOOL_OPEN)
        return true;
    spool_report(spool);
    return false;
}

const char *spool_path(const struct spool *spool)
{
    return spool ? spool->path : NULL;
}

uint64_t spool_now_ns(const struct spool *spool)
{
    return spool ? clock_now_ns(&own_clock) - spool->start_ns : 0;
}

enum status spool_make_mapping(struct spool *spool, uint64_t size, struct mapping **mapping,
                               struct error *error)
{
    const unsigned number = atomic_fetch_add(&spool->mapping_count, 1) + 1;
    return mapping_create(spool->directory, number, size, mapping, error);
}

/* ---- streams ---- */

static void release_own(void *unused)
{
    (void)unused;
    if (!own)
        return;
    ASSERT(atomic_load_explicit(&own->state, memory_order_relaxed) == STREAM_OWNED);
    atomic_store_explicit(&own->state, STREAM_FREE, memory_order_release);
    own = NULL;
}

static void make_key(void)
{
    key_exists = pthread_key_create(&key, release_own) == 0;
}

void spool_forget_threads(void)
{
    if (key_exists)
        pthread_key_delete(key);
    key_exists = false;
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

static struct stream *stream_find(struct spool *spool)
{
    const int saved = errno;
    release_own(NULL);
    pthread_once(&key_once, make_key);
    own = stream_acquire(spool);
    /* Any value but NULL makes the thread's end call release_own. */
    if (own && key_exists)
        pthread_setspecific(key, own);
    if (!own) {
        struct error error;
        error_no_memory(&error, sizeof *own);
        spool_stop(spool, &error);
    }
    errno = saved;
    return own;
}

struct stream *spool_own_stream(const struct spool *spool)
{
    return own && own->spool == spool ? own : NULL;
}

/* The calling thread's, to be written to; NULL when nothing is recorded. */
static inline struct stream *stream_get(struct spool *spool)
{
    if (!is_writable(spool))
        return NULL;
    return own && own->spool == spool ? own : stream_find(spool);
}

/* The segment that a thread writes to is not consumed before it has the next one. */
static uint64_t backlog_max(struct spool *spool)
{
    return spool->sizes.backlog_max + (uint64_t)atomic_load(&spool->stream_count) * SEGMENT_SIZE;
}

/* The background thread may fall behind so far and no further. */
static void wait_for_backlog(struct spool *spool)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    while (atomic_load(&spool->backlog_size) > backlog_max(spool) && is_writable(spool) &&
           atomic_load(&spool->is_storing))
        nanosleep(&nap, NULL);
}

/* A program that writes much at once, and has to make its segments itself, finds more of them made
 * the next time. */
static void want_more_spares(struct spool *spool)
{
    unsigned count = atomic_load(&spool->spare_count);
    ASSERT(2 * SPARE_MADE <= count && count <= SPARE_COUNT);
    if (count < spool->sizes.spare_max)
        atomic_compare_exchange_strong(&spool->spare_count, &count, 2 * count);
}

/* Those that were used before come first: the others cost more to make. */
static struct mapping *take_spare(struct spool *spool)
{
    struct mapping *spare = NULL;
    for (size_t i = SPARE_COUNT; i > 0 && !spare; --i)
        spare = atomic_exchange(&spool->spares[i - 1], NULL);
    return spare;
}

/* A segment with room for `record_size` bytes; NULL when recording stopped. */
static struct mapping *find_segment(struct spool *spool, uint64_t record_size)
{
    wait_for_backlog(spool);
    const uint64_t needed = sizeof(struct segment_header) + record_size + 8;
    struct mapping *next = needed <= SEGMENT_SIZE ? take_spare(spool) : NULL;
    if (!next) {
        struct error error;
        if (record_size >= SEGMENT_CONTENT_SIZE)
            want_more_spares(spool);
        const uint64_t size = needed <= SEGMENT_SIZE ? SEGMENT_SIZE : (needed + 4095) & ~4095ULL;
        if (spool_make_mapping(spool, size, &next, &error)) {
            spool_stop(spool, &error);
            return NULL;
        }
    }
    return next;
}

/* Goes on in another segment. */
static bool stream_advance(struct stream *stream, uint64_t record_size)
{
    struct spool *spool = stream->spool;
    const int saved = errno;
    struct mapping *next = find_segment(spool, record_size);
    errno = saved;
    if (!next)
        return false;
    ASSERT(sizeof(struct segment_header) + record_size + 8 <= next->size);
    atomic_fetch_add(&spool->backlog_size, next->size);
    atomic_fetch_add_explicit(&spool->appended_size, next->size, memory_order_relaxed);
    struct segment_header *header = (struct segment_header *)(void *)next->bytes;
    header->sequence = ++stream->write_sequence;
    __atomic_store_n(&header->stream, stream->id, __ATOMIC_RELEASE); /* last: it makes it used */
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

static void refuse_size(struct spool *spool, uint64_t size)
{
    const int saved = errno;
    struct error error;
    error_set(&error, STATUS_UNSUPPORTED, "a record of %llu bytes is too large for a trace",
              (unsigned long long)size);
    spool_stop(spool, &error);
    errno = saved;
}

/* Room for a record of at most that many bytes: where its payload goes, or NULL when recording
 * stopped. */
static unsigned char *stream_reserve(struct stream *stream, uint64_t payload_max)
{
    if (payload_max > UINT32_MAX - 16) {
        refuse_size(stream->spool, payload_max);
        return NULL;
    }
    const uint64_t record_size = segment_record_size(payload_max);
    if (!stream->writing || stream->write_offset + record_size + 8 > stream->writing->size) {
        if (!stream_advance(stream, record_size))
            return NULL;
    }
    return stream->writing->bytes + stream->write_offset + 8;
}

/* The payload is in its place. */
static void stream_commit(struct stream *stream, enum segment_kind kind, uint64_t payload_size)
{
    unsigned char *at = stream->writing->bytes + stream->write_offset;
    __atomic_store_n((uint64_t *)(void *)at, segment_commit_word(kind, (uint32_t)payload_size),
                     __ATOMIC_RELEASE);
    stream->write_offset += segment_record_size(payload_size);
    ASSERT(stream->write_offset + 8 <= stream->writing->size); /* where its end is written */
}

static void stream_append(struct stream *stream, enum segment_kind kind, const void *head,
                          size_t head_size, const void *body, size_t body_size)
{
    const uint64_t payload_size = (uint64_t)head_size + body_size;
    unsigned char *at = stream_reserve(stream, payload_size);
    if (!at)
        return;
    memcpy(at, head, head_size);
    if (body_size)
        memcpy(at + head_size, body, body_size);
    stream_commit(stream, kind, payload_size);
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
        spool_stop(stream->spool, &error);
        return;
    }
    stream_append(stream, kind, stream->scratch.bytes, stream->scratch.size, NULL, 0);
    trim_scratch(stream);
}

/* Encoded where it stays. */
static void append_call(struct stream *stream, enum segment_kind kind, const struct api_call *call)
{
    const struct segment_call head = {.id = call->id,
                                      .begin_ns = call->begin_ns,
                                      .end_ns = call->end_ns,
                                      .thread = call->thread,
                                      .entry = call->entry,
                                      .flags = call->flags};
    const size_t room = sizeof head + api_call_size_max(call);
    unsigned char *at = stream_reserve(stream, room);
    if (!at)
        return;
    memcpy(at, &head, sizeof head);
    const size_t size = sizeof head + api_call_encode(call, at + sizeof head);
    ASSERT(size <= room);
    /* Encoding may write more than it says: the word after the record must still be zero. */
    memset(at + segment_record_size(size) - 8, 0, 8);
    stream_commit(stream, kind, size);
}

static void append_return(struct stream *stream, const struct api_call *call)
{
    const struct segment_return returned = {.id = call->id,
                                            .end_ns = call->end_ns,
                                            .bits = call->result.bits,
                                            .flags = call->flags,
                                            .kind = (uint8_t)call->result.kind,
                                            .present = call->result.present};
    unsigned char *at = stream_reserve(stream, sizeof returned);
    if (!at)
        return;
    memcpy(at, &returned, sizeof returned);
    stream_commit(stream, SEGMENT_CALL_RETURN, sizeof returned);
}

/* Is its result all that the record of its beginning lacks? */
static bool only_returns(const struct api_call *call)
{
    return (call->flags & API_CALL_SYNTHETIC) == 0 && call->entry != API_ENTRY_UNKNOWN &&
           api_entry_get(call->entry)->outputs == 0;
}

void spool_thread_begin(struct spool *spool)
{
    struct stream *stream = stream_get(spool);
    if (stream && !stream->writing)
        stream_advance(stream, 0);
}

void spool_call_begin(struct spool *spool, const struct api_call *call)
{
    struct stream *stream = stream_get(spool);
    if (stream)
        append_call(stream, SEGMENT_CALL_BEGIN, call);
}

void spool_call_end(struct spool *spool, const struct api_call *call)
{
    struct stream *stream = stream_get(spool);
    if (stream && only_returns(call))
        append_return(stream, call);
    else if (stream)
        append_call(stream, SEGMENT_CALL_END, call);
}

/* The bytes are copied and no more: what they are compressed to, and whether the trace has them
 * already, the background thread finds out. A digest alone costs less than the copy. */
static void append_content(struct stream *stream, const struct segment_content *head,
                           const void *bytes, bool keep_bytes)
{
    if (keep_bytes) {
        stream_append(stream, SEGMENT_CONTENT, head, sizeof *head, bytes, head->size);
        return;
    }
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits(bytes, head->size));
    stream_append(stream, SEGMENT_CONTENT_DIGEST, head, sizeof *head, digest.digest,
                  sizeof digest.digest);
}

static void append_pieces(struct spool *spool, uint64_t call_id, const struct api_content *content,
                          bool keep_bytes)
{
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

void spool_callback(struct spool *spool, const struct api_callback *callback)
{
    struct stream *stream = stream_get(spool);
    if (stream)
        stream_append(stream, SEGMENT_CALLBACK, callback, sizeof *callback, NULL, 0);
}

void spool_times(struct spool *spool, const struct api_command_times *times)
{
    struct stream *stream = stream_get(spool);
    if (stream)
        stream_append(stream, SEGMENT_TIMES, times, sizeof *times, NULL, 0);
}

void spool_line(struct spool *spool, const struct api_line *line, const char *file)
{
    struct stream *stream = stream_get(spool);
    if (stream)
        stream_append(stream, SEGMENT_LINE, line, sizeof *line, file, strlen(file));
}

void spool_child(struct spool *spool, const struct api_child *child, const char *kernel)
{
    struct stream *stream = stream_get(spool);
    if (stream)
        stream_append(stream, SEGMENT_CHILD, child, sizeof *child, kernel, strlen(kernel));
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

void spool_begin_after(struct spool *spool, uint64_t call_id)
{
    struct stream *stream = stream_get(spool);
    if (stream)
        stream_append(stream, SEGMENT_BEGINS, &call_id, sizeof call_id, NULL, 0);
}

void spool_end_early(struct spool *spool)
{
    int open = SPOOL_OPEN;
    atomic_store(&spool->is_ended_early, true);
    atomic_compare_exchange_strong(&spool->state, &open, SPOOL_CLOSED);
}

uint64_t spool_appended_size(const struct spool *spool)
{
    return atomic_load_explicit(&spool->appended_size, memory_order_relaxed);
}

uint64_t spool_epoch_size(const struct spool *spool)
{
    return spool->sizes.epoch;
}
