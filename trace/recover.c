#include "trace/recover.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/options.h"
#include "trace/beginning.h"
#include "trace/ingest.h"
#include "trace/schema.h"
#include "trace/segment.h"
#include "trace/spool.h"
#include "trace/spool_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BATCH_SIZE = 32 << 20 };

/* ---- looking ---- */

static bool has_segments(int directory)
{
    DIR *listing = spool_directory_list(directory);
    bool found = false;
    if (!listing)
        return true;
    for (const struct dirent *entry; !found && (entry = readdir(listing));)
        found = spool_directory_is_segment(entry->d_name);
    closedir(listing);
    return found;
}

/* Who removes a spool may be killed when it is empty but for its name. */
static enum recover_state look_into(int directory)
{
    struct spool_writer writer;
    if (!spool_directory_writer(directory, &writer))
        return has_segments(directory) ? RECOVER_LEFT : RECOVER_NONE;
    return writer.is_running ? RECOVER_LIVE : RECOVER_LEFT;
}

enum recover_state recover_look(const char *path)
{
    char name[PATH_MAX];
    int directory;
    if ((size_t)snprintf(name, sizeof name, "%s.spool", path) >= sizeof name)
        return RECOVER_NONE;
    const enum status status = spool_directory_open(name, &directory, NULL);
    if (status)
        return status == STATUS_NOT_FOUND ? RECOVER_NONE : RECOVER_LEFT;
    const enum recover_state state = look_into(directory);
    close(directory);
    return state;
}

/* ---- finishing ---- */

static enum status make_indexes(struct store *store, struct error *error)
{
    struct text sql = TEXT_INIT;
    schema_print_indexes(STORE_VERSION, &sql);
    const enum status status =
        sql.failed ? error_no_memory(error, sql.size) : store_execute(store, sql.bytes, error);
    text_release(&sql);
    return status;
}

enum status recover_finish(struct store *store, const char *state, struct error *error)
{
    enum status status = store_begin(store, error);
    if (!status)
        status = make_indexes(store, error);
    if (!status)
        status = derive_tables(store, error);
    if (!status)
        status = store_meta(store, "state", state, error);
    if (!status)
        status = store_execute(store, "DELETE FROM spool_progress", error);
    if (!status)
        status = store_commit(store, error);
    /* One file to copy. When a reader has it open the journal stays until the last one closes. */
    if (!status)
        sqlite3_exec(store_database(store), "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    return status;
}

/* ---- taking over ---- */

struct left_segment {
    uint32_t stream, sequence;
    char name[SPOOL_NAME_SIZE];
};

struct left_spool {
    int directory;
    const char *path;
    struct left_segment *segments;
    size_t count, capacity;
    uint64_t damaged_count;
};

static int compare_segments(const void *a, const void *b)
{
    const struct left_segment *left = a;
    const struct left_segment *right = b;
    if (left->stream != right->stream)
        return left->stream < right->stream ? -1 : 1;
    if (left->sequence != right->sequence)
        return left->sequence < right->sequence ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Adds the segment if it is one that was used. */
static enum status add_segment(struct left_spool *left, const char *name, struct error *error)
{
    struct segment_header header;
    int descriptor;
    const enum status status =
        spool_directory_file(left->directory, left->path, name, O_RDONLY, &descriptor, NULL, error);
    if (status)
        return status;
    const ssize_t got = pread(descriptor, &header, sizeof header, 0);
    close(descriptor);
    const enum segment_start start =
        segment_look((const unsigned char *)&header, got > 0 ? (uint64_t)got : 0);
    left->damaged_count += start == SEGMENT_START_DAMAGED;
    if (start != SEGMENT_START_VALID || !header.stream)
        return STATUS_OK;
    struct left_segment *moved =
        alloc_grow(left->segments, left->count, &left->capacity, sizeof *left->segments);
    if (!moved)
        return error_no_memory(error, (left->count + 1) * sizeof *moved);
    left->segments = moved;
    struct left_segment *added = &left->segments[left->count++];
    *added = (struct left_segment){.stream = header.stream, .sequence = header.sequence};
    memcpy(added->name, name, strlen(name) + 1); /* spool_directory_is_segment bounds it */
    return STATUS_OK;
}

static enum status list_segments(struct left_spool *left, struct error *error)
{
    DIR *listing = spool_directory_list(left->directory);
    if (!listing)
        return error_set_errno(error, "cannot read '%s'", left->path);
    enum status status = STATUS_OK;
    const struct dirent *entry;
    while (!status && (entry = readdir(listing)))
        if (spool_directory_is_segment(entry->d_name))
            status = add_segment(left, entry->d_name, error);
    closedir(listing);
    if (!status && left->count)
        qsort(left->segments, left->count, sizeof *left->segments, compare_segments);
    return status;
}

/* How far the dead process itself had stored this stream. */
static enum status read_progress(struct store *store, uint32_t stream, uint32_t *sequence,
                                 uint64_t *offset, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    const enum status status = store_prepare(
        store_database(store), store_path(store),
        "SELECT sequence, offset FROM spool_progress WHERE stream = ?", &statement, error);
    if (!status) {
        sqlite3_bind_int64(statement, 1, stream);
        *sequence = 0;
        *offset = sizeof(struct segment_header);
        if (sqlite3_step(statement) == SQLITE_ROW) {
            *sequence = (uint32_t)sqlite3_column_int64(statement, 0);
            *offset = (uint64_t)sqlite3_column_int64(statement, 1);
        }
    }
    sqlite3_finalize(statement);
    return status;
}

struct takeover {
    struct store *store;
    struct ingest *ingest;
    struct left_spool left;
    uint64_t batch_size;
    uint64_t stream_count;
    /* Of the stream at hand: */
    uint32_t stream, next_sequence;
    bool goes_on; /* in segment next_sequence: the one before says so */
};

static enum status commit_batch(struct takeover *takeover, const struct left_segment *segment,
                                uint64_t offset, bool go_on, struct error *error)
{
    enum status status = ingest_flush(takeover->ingest, error);
    if (!status && segment)
        status = store_progress(takeover->store, segment->stream, segment->sequence, offset, error);
    if (!status)
        status = store_commit(takeover->store, error);
    if (!status && go_on)
        status = store_begin(takeover->store, error);
    takeover->batch_size = 0;
    return status;
}

static enum status take_records(struct takeover *takeover, const struct left_segment *segment,
                                const unsigned char *bytes, uint64_t size, uint64_t offset,
                                struct error *error)
{
    for (;;) {
        struct segment_record record;
        enum status status = STATUS_OK;
        switch (segment_next(bytes, size, &offset, &record)) {
        case SEGMENT_STEP_RECORD:
            status = ingest_record(takeover->ingest, &record, error);
            takeover->batch_size += segment_record_size(record.size);
            if (!status && takeover->batch_size >= BATCH_SIZE)
                status = commit_batch(takeover, segment, offset, true, error);
            if (status)
                return status;
            break;
        case SEGMENT_STEP_DAMAGED:
            ++takeover->left.damaged_count;
            return STATUS_OK;
        case SEGMENT_STEP_NOTHING:
            return STATUS_OK;
        case SEGMENT_STEP_END:
            takeover->goes_on = true;
            return STATUS_OK;
        }
    }
}

/* The segment that a stream was to go on in is missing, or empty. */
static void end_stream(struct takeover *takeover)
{
    takeover->left.damaged_count += takeover->goes_on;
    takeover->goes_on = false;
}

/* Segments of a stream follow each other, each but the last with a word that there is a next; a
 * writer that is killed before that word leaves the next one empty. */
static void expect_segment(struct takeover *takeover, const struct left_segment *segment,
                           uint32_t first, bool is_empty)
{
    if (segment->stream != takeover->stream) {
        end_stream(takeover);
        ++takeover->stream_count;
        takeover->stream = segment->stream;
        takeover->next_sequence = first;
        takeover->goes_on = true;
    }
    takeover->left.damaged_count +=
        (!takeover->goes_on && !is_empty) || segment->sequence != takeover->next_sequence;
    takeover->next_sequence = segment->sequence + 1;
    takeover->goes_on = false;
}

static enum status take_segment(struct takeover *takeover, const struct left_segment *segment,
                                struct error *error)
{
    const struct left_spool *left = &takeover->left;
    uint32_t sequence = 0;
    uint64_t offset = 0;
    int descriptor;
    struct stat facts;
    enum status status = read_progress(takeover->store, segment->stream, &sequence, &offset, error);
    if (status || segment->sequence < sequence)
        return status;
    if (segment->sequence > sequence)
        offset = sizeof(struct segment_header);
    status = spool_directory_file(left->directory, left->path, segment->name, O_RDONLY, &descriptor,
                                  &facts, error);
    if (status)
        return status;
    void *bytes = MAP_FAILED;
    if (facts.st_size > 0)
        bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED) {
        status = error_set_errno(error, "cannot map '%s/%s'", left->path, segment->name);
    } else {
        struct segment_record record;
        uint64_t start = sizeof(struct segment_header);
        const bool is_empty =
            segment_next(bytes, (uint64_t)facts.st_size, &start, &record) == SEGMENT_STEP_NOTHING;
        expect_segment(takeover, segment, sequence ? sequence : 1, is_empty);
        status = take_records(takeover, segment, bytes, (uint64_t)facts.st_size, offset, error);
        munmap(bytes, (size_t)facts.st_size);
    }
    close(descriptor);
    return status;
}

/* ---- what is missing ---- */

/* Calls are numbered without gaps, so the gaps are the calls that are missing, from where the
 * recording begins. */
static enum status print_gaps(struct store *store, uint64_t begins_after, struct text *ranges,
                              uint64_t *missing, struct error *error)
{
    enum { RANGES_MAX = 16 };
    sqlite3_stmt *gaps = NULL;
    unsigned count = 0;
    enum status status = store_prepare(
        store_database(store), store_path(store),
        "SELECT before + 1, id - 1 FROM (SELECT id, lag(id, 1, ?1) OVER (ORDER BY id) AS before"
        " FROM call_row WHERE id > ?1) WHERE id > before + 1 ORDER BY id",
        &gaps, error);
    if (!status)
        sqlite3_bind_int64(gaps, 1, (sqlite3_int64)begins_after);
    while (!status && sqlite3_step(gaps) == SQLITE_ROW) {
        const uint64_t first = (uint64_t)sqlite3_column_int64(gaps, 0);
        const uint64_t last = (uint64_t)sqlite3_column_int64(gaps, 1);
        *missing += last - first + 1;
        if (++count > RANGES_MAX)
            continue;
        text_format(ranges, "%s%" PRIu64, count == 1 ? "" : ", ", first);
        if (last > first)
            text_format(ranges, " to %" PRIu64, last);
    }
    if (count > RANGES_MAX)
        text_format(ranges, " and in %u more places", count - RANGES_MAX);
    sqlite3_finalize(gaps);
    return status;
}

static enum status note_missing(struct takeover *takeover, struct error *error)
{
    const uint64_t damaged = takeover->left.damaged_count + ingest_damaged_count(takeover->ingest);
    uint64_t missing = 0;
    char count[32];
    struct text ranges = TEXT_INIT;
    uint64_t begins_after = 0;
    enum status status = beginning_find(takeover->store, &begins_after, error);
    if (!status)
        status = print_gaps(takeover->store, begins_after, &ranges, &missing, error);
    /* A thread that is killed with a number, and with no record yet, leaves a gap that is none. */
    if (!status && (damaged || missing > takeover->stream_count)) {
        snprintf(count, sizeof count, "%" PRIu64, damaged ? damaged : 1);
        status = store_meta(takeover->store, "damaged_records", count, error);
        snprintf(count, sizeof count, "%" PRIu64, missing);
        if (!status)
            status = store_meta(takeover->store, "missing_calls", count, error);
        if (!status && missing)
            status = ranges.failed
                         ? error_no_memory(error, ranges.size)
                         : store_meta(takeover->store, "missing_call_numbers", ranges.bytes, error);
    }
    text_release(&ranges);
    return status;
}

/* Its process may have been killed before it did so. */
static enum status begin_later(struct store *store, struct error *error)
{
    uint64_t begins_after = 0;
    const enum status status = beginning_find(store, &begins_after, error);
    if (status || !begins_after || begins_after == SPOOL_NOT_BEGUN)
        return status;
    return beginning_apply(store, begins_after, error);
}

static enum status take_all(struct takeover *takeover, const char *state, struct error *error)
{
    enum status status = store_begin(takeover->store, error);
    for (size_t i = 0; i < takeover->left.count && !status; ++i)
        status = take_segment(takeover, &takeover->left.segments[i], error);
    end_stream(takeover);
    if (!status)
        status = ingest_flush(takeover->ingest, error);
    if (!status)
        status = begin_later(takeover->store, error);
    if (!status)
        status = note_missing(takeover, error);
    if (!status)
        status = commit_batch(takeover, NULL, 0, false, error);
    if (!status)
        status = recover_finish(takeover->store, state, error);
    return status;
}

/* The state that a recovered trace gets. */
static const char *left_state(const struct spool_writer *writer)
{
    return word_within(writer->end, "complete|stopped", '|') ? writer->end : "recovered";
}

/* The trace is written to: it has to be as clerk made it. */
static enum status check_trace(const char *path, struct error *error)
{
    int descriptor = -1;
    const enum status status =
        file_open_own(AT_FDCWD, path, O_RDONLY, path, &descriptor, NULL, error);
    if (!status)
        close(descriptor);
    return status;
}

static enum status take_over(struct takeover *takeover, const char *path, struct error *error)
{
    struct spool_writer writer;
    enum status status = STATUS_OK;
    if (!spool_directory_writer(takeover->left.directory, &writer))
        status = error_set(error, STATUS_INVALID, "its file 'process' is missing or not clerk's");
    if (!status)
        status = check_trace(path, error);
    if (!status)
        status = store_open(path, &takeover->store, error);
    if (!status)
        status = ingest_create(takeover->store, &takeover->ingest, error);
    if (!status)
        status = list_segments(&takeover->left, error);
    if (!status)
        status = take_all(takeover, left_state(&writer), error);
    if (status)
        error_prefix(error, "what the program left in '%s' cannot be stored", takeover->left.path);
    return status;
}

enum status recover_run(const char *path, bool *recovered, struct error *error)
{
    struct takeover takeover = {.left = {.directory = -1}};
    bool is_ours = false;
    *recovered = false;
    char *spool = spool_directory_path(path);
    if (!spool)
        return error_no_memory(error, strlen(path) + 8);
    takeover.left.path = spool;
    enum status status = spool_directory_open(spool, &takeover.left.directory, error);
    if (status == STATUS_NOT_FOUND)
        status = STATUS_OK;
    else if (!status)
        status = spool_directory_lock(takeover.left.directory, spool, &is_ours, error);
    /* Another reader may have finished meanwhile. */
    if (status || !is_ours || look_into(takeover.left.directory) != RECOVER_LEFT)
        goto out;
    status = take_over(&takeover, path, error);
    if (status)
        goto out;
    *recovered = true;
    spool_directory_remove(takeover.left.directory, spool);
out:
    ingest_destroy(takeover.ingest);
    store_close(takeover.store);
    alloc_free(takeover.left.segments);
    if (takeover.left.directory >= 0)
        close(takeover.left.directory);
    alloc_free(spool);
    return status;
}
