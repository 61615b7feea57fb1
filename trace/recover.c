#include "trace/recover.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/process.h"
#include "trace/derive.h"
#include "trace/ingest.h"
#include "trace/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME_MAX_NUMBER = 9999, /* of "NAME.9999.db" */
    PROCESS_FILE_SIZE = 512,
    BATCH_SIZE = 32 << 20,
};

/* ---- the process file ---- */

/* The start of a small file, ended with NUL; "" when it cannot be read. Without an allocation: what
 * is told here decides whether a process lives, and must not depend on memory. */
static void read_start(const char *path, char *text, size_t size)
{
    size_t used = 0;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        ssize_t got;
        while (used < size - 1 && (got = read(descriptor, text + used, size - 1 - used)) > 0)
            used += (size_t)got;
        close(descriptor);
    }
    text[used] = 0;
}

static void boot_id(char id[64])
{
    read_start("/proc/sys/kernel/random/boot_id", id, 64);
    id[strcspn(id, "\n")] = 0;
}

char *recover_spool_path(const char *path)
{
    return alloc_format("%s.spool", path);
}

static enum status write_process_file(const char *directory, struct error *error)
{
    char boot[64];
    boot_id(boot);
    char *path = path_join(directory, "process");
    struct text text = TEXT_INIT;
    text_format(&text, "clerk-spool %d\nprocess %ld\nstart %" PRIu64 "\nboot %s\n", SEGMENT_VERSION,
                (long)getpid(), process_start_time(getpid()), boot);
    enum status status = STATUS_OK;
    if (!path || text.failed)
        status = error_no_memory(error, 256);
    else
        status = file_write(path, text.bytes, text.size, error);
    text_release(&text);
    alloc_free(path);
    return status;
}

/* Appended without another block: the disk may be full. */
void recover_note_end(const char *directory, const char *state)
{
    char path[PATH_MAX];
    char line[32];
    const int size = snprintf(line, sizeof line, "end %s\n", state);
    if ((size_t)snprintf(path, sizeof path, "%s/process", directory) >= sizeof path)
        return;
    const int descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor < 0)
        return;
    /* A note that cannot be made leaves a spool like that of a killed process. */
    const ssize_t unused = write(descriptor, line, (size_t)size);
    (void)unused;
    close(descriptor);
}

/* The state that a recovered trace gets. */
static const char *left_state(const char *directory)
{
    static const char *const noted[] = {"complete", "stopped"};
    char path[PATH_MAX];
    char text[PROCESS_FILE_SIZE];
    char state[16];
    if ((size_t)snprintf(path, sizeof path, "%s/process", directory) < sizeof path) {
        read_start(path, text, sizeof text);
        const char *end = strstr(text, "\nend ");
        for (size_t i = 0; end && i < sizeof noted / sizeof *noted; ++i)
            if (sscanf(end, " end %15s", state) == 1 && strcmp(state, noted[i]) == 0)
                return noted[i];
    }
    return "recovered";
}

/* False also when the file says nothing sensible: its writer cannot be running then. */
static bool process_lives(const char *directory)
{
    char path[PATH_MAX];
    char text[PROCESS_FILE_SIZE];
    int version;
    int64_t id;
    uint64_t start;
    char boot[64];
    char our_boot[64];
    if ((size_t)snprintf(path, sizeof path, "%s/process", directory) >= sizeof path)
        return false;
    read_start(path, text, sizeof text);
    boot_id(our_boot);
    return sscanf(text, "clerk-spool %d process %" SCNd64 " start %" SCNu64 " boot %63s", &version,
                  &id, &start, boot) == 4 &&
           strcmp(boot, our_boot) == 0 && process_is_running(id, start);
}

enum recover_state recover_look(const char *path)
{
    char directory[PATH_MAX];
    if ((size_t)snprintf(directory, sizeof directory, "%s.spool", path) >= sizeof directory ||
        !file_is_directory(directory))
        return RECOVER_NONE;
    return process_lives(directory) ? RECOVER_LIVE : RECOVER_LEFT;
}

/* ---- claiming ---- */

/* "app.db" is "app.2.db" for number 2; "app" is "app.2". */
char *recover_numbered_path(const char *path, unsigned number)
{
    if (number == 1)
        return alloc_string(path);
    const char *base = path_base(path);
    const char *dot = strrchr(base, '.');
    if (!dot || dot == base)
        return alloc_format("%s.%u", path, number);
    return alloc_format("%.*s.%u%s", (int)(dot - path), path, number, dot);
}

/* The directory is what is claimed: mkdir succeeds for one process alone. STATUS_NOT_FOUND when the
 * name is taken. */
static enum status claim(const char *path, struct error *error)
{
    char *directory = recover_spool_path(path);
    if (!directory)
        return error_no_memory(error, strlen(path) + 8);
    enum status status = STATUS_OK;
    if (mkdir(directory, 0777) != 0) {
        status = errno == EEXIST ? STATUS_NOT_FOUND
                                 : error_set_errno(error, "cannot create '%s'", directory);
        alloc_free(directory);
        return status;
    }
    status = write_process_file(directory, error);
    if (!status) {
        const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0)
            close(descriptor);
        else
            status = errno == EEXIST ? STATUS_NOT_FOUND
                                     : error_set_errno(error, "cannot create '%s'", path);
    }
    if (status)
        directory_remove(directory, NULL);
    alloc_free(directory);
    return status;
}

enum status recover_claim(const char *path, char **claimed, struct error *error)
{
    /* The program may change its directory while it runs. */
    char directory[4096];
    char *absolute =
        getcwd(directory, sizeof directory) ? path_join(directory, path) : alloc_string(path);
    if (!absolute)
        return error_no_memory(error, strlen(path) + sizeof directory);
    enum status status = STATUS_NOT_FOUND;
    for (unsigned number = 1; status == STATUS_NOT_FOUND && number <= NAME_MAX_NUMBER; ++number) {
        char *candidate = recover_numbered_path(absolute, number);
        if (!candidate) {
            status = error_no_memory(error, strlen(absolute) + 16);
            break;
        }
        status = claim(candidate, error);
        if (status)
            alloc_free(candidate);
        else
            *claimed = candidate;
    }
    if (status == STATUS_NOT_FOUND)
        status = error_set(error, STATUS_IO, "'%s' and %d more names for the trace are taken", path,
                           NAME_MAX_NUMBER - 1);
    alloc_free(absolute);
    return status;
}

/* ---- making room ---- */

/* Is the file a trace by its header (or one that was never begun)? Not by opening it: it may be
 * damaged. */
static bool looks_like_trace(const char *path)
{
    enum { APPLICATION_ID_OFFSET = 68, START_SIZE = 72 };
    static const char magic[16] = "SQLite format 3";
    unsigned char start[START_SIZE];
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == ENOENT;
    const ssize_t size = read(descriptor, start, sizeof start);
    close(descriptor);
    if (size == 0)
        return true;
    const unsigned char *id = start + APPLICATION_ID_OFFSET;
    return size == START_SIZE && memcmp(start, magic, sizeof magic) == 0 &&
           ((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3]) ==
               STORE_APPLICATION_ID;
}

static enum status remove_one(const char *path, struct error *error)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    if (file_is_directory(path))
        return error_set(error, STATUS_INVALID, "'%s' is a directory", path);
    if (!looks_like_trace(path))
        return error_set(error, STATUS_INVALID,
                         "'%s' exists and is not a clerk trace; it is left alone", path);
    if (recover_look(path) == RECOVER_LIVE)
        return error_set(error, STATUS_INVALID, "'%s' is being recorded by a running process",
                         path);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i) {
        char *name = alloc_format("%s%s", path, suffixes[i]);
        if (!name)
            return error_no_memory(error, strlen(path) + 16);
        const bool failed = unlink(name) != 0 && errno != ENOENT;
        if (failed)
            error_set_errno(error, "cannot remove '%s'", name);
        alloc_free(name);
        if (failed)
            return STATUS_IO;
    }
    char *directory = recover_spool_path(path);
    if (!directory)
        return error_no_memory(error, strlen(path) + 8);
    const enum status status = directory_remove(directory, error);
    alloc_free(directory);
    return status;
}

enum status recover_remove(const char *path, struct error *error)
{
    enum status status = STATUS_OK;
    for (unsigned number = 1; !status && number <= NAME_MAX_NUMBER; ++number) {
        char *candidate = recover_numbered_path(path, number);
        if (!candidate)
            return error_no_memory(error, strlen(path) + 16);
        const bool is_there = file_exists(candidate) || recover_look(candidate) != RECOVER_NONE;
        if (is_there && (number == 1 || looks_like_trace(candidate)))
            status = remove_one(candidate, error);
        alloc_free(candidate);
        if (!is_there && number > 1)
            break;
    }
    return status;
}

/* ---- finishing ---- */

enum status recover_finish(struct store *store, const char *state, struct error *error)
{
    enum status status = store_begin(store, error);
    if (!status)
        status = store_execute(store, store_indexes, error);
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
    char *path;
};

struct left_spool {
    struct left_segment *segments;
    size_t count, capacity;
    uint64_t damaged_count;
};

static void left_spool_release(struct left_spool *left)
{
    for (size_t i = 0; i < left->count; ++i)
        alloc_free(left->segments[i].path);
    alloc_free(left->segments);
}

static int compare_segments(const void *a, const void *b)
{
    const struct left_segment *left = a;
    const struct left_segment *right = b;
    if (left->stream != right->stream)
        return left->stream < right->stream ? -1 : 1;
    if (left->sequence != right->sequence)
        return left->sequence < right->sequence ? -1 : 1;
    return strcmp(left->path, right->path);
}

/* Adds the segment if it is one that was used. */
static enum status add_segment(struct left_spool *left, const char *directory, const char *name,
                               struct error *error)
{
    struct segment_header header;
    char *path = path_join(directory, name);
    if (!path)
        return error_no_memory(error, strlen(directory) + strlen(name) + 2);
    enum status status = STATUS_OK;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        status = error_set_errno(error, "cannot read '%s'", path);
        goto out;
    }
    const ssize_t got = pread(descriptor, &header, sizeof header, 0);
    close(descriptor);
    if (got != (ssize_t)sizeof header ||
        !segment_header_is_valid((const unsigned char *)&header, sizeof header)) {
        ++left->damaged_count;
        goto out;
    }
    if (!header.stream)
        goto out;
    struct left_segment *moved =
        alloc_grow(left->segments, left->count, &left->capacity, sizeof *left->segments);
    if (!moved) {
        status = error_no_memory(error, (left->count + 1) * sizeof *moved);
        goto out;
    }
    left->segments = moved;
    left->segments[left->count++] =
        (struct left_segment){.stream = header.stream, .sequence = header.sequence, .path = path};
    path = NULL;
out:
    alloc_free(path);
    return status;
}

static enum status list_segments(const char *directory, struct left_spool *left,
                                 struct error *error)
{
    DIR *listing = opendir(directory);
    if (!listing)
        return error_set_errno(error, "cannot read '%s'", directory);
    enum status status = STATUS_OK;
    const struct dirent *entry;
    while (!status && (entry = readdir(listing))) {
        const size_t length = strlen(entry->d_name);
        const size_t suffix = strlen(SEGMENT_SUFFIX);
        if (length > suffix && strcmp(entry->d_name + length - suffix, SEGMENT_SUFFIX) == 0)
            status = add_segment(left, directory, entry->d_name, error);
    }
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
        case SEGMENT_STEP_END:
            return STATUS_OK;
        }
    }
}

static enum status take_segment(struct takeover *takeover, const struct left_segment *segment,
                                struct error *error)
{
    uint32_t sequence = 0;
    uint64_t offset = 0;
    enum status status = read_progress(takeover->store, segment->stream, &sequence, &offset, error);
    if (status || segment->sequence < sequence)
        return status;
    if (segment->sequence > sequence)
        offset = sizeof(struct segment_header);
    const int descriptor = open(segment->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return error_set_errno(error, "cannot read '%s'", segment->path);
    struct stat facts;
    void *bytes = MAP_FAILED;
    if (fstat(descriptor, &facts) == 0 && facts.st_size > 0)
        bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED) {
        status = error_set_errno(error, "cannot map '%s'", segment->path);
    } else {
        status = take_records(takeover, segment, bytes, (uint64_t)facts.st_size, offset, error);
        munmap(bytes, (size_t)facts.st_size);
    }
    close(descriptor);
    return status;
}

static enum status take_all(struct takeover *takeover, const char *state, struct error *error)
{
    enum status status = store_begin(takeover->store, error);
    for (size_t i = 0; i < takeover->left.count && !status; ++i)
        status = take_segment(takeover, &takeover->left.segments[i], error);
    if (!status) {
        const uint64_t damaged =
            takeover->left.damaged_count + ingest_damaged_count(takeover->ingest);
        char count[32];
        snprintf(count, sizeof count, "%" PRIu64, damaged);
        if (damaged)
            status = store_meta(takeover->store, "damaged_records", count, error);
    }
    if (!status)
        status = commit_batch(takeover, NULL, 0, false, error);
    if (!status)
        status = recover_finish(takeover->store, state, error);
    return status;
}

enum status recover_run(const char *path, bool *recovered, struct error *error)
{
    enum status status = STATUS_OK;
    struct takeover takeover = {0};
    int lock = -1;
    *recovered = false;
    char *directory = recover_spool_path(path);
    if (!directory)
        return error_no_memory(error, strlen(path) + 8);
    lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0) {
        if (errno != ENOENT)
            status = error_set_errno(error, "cannot read '%s'", directory);
        goto out;
    }
    if (flock(lock, LOCK_EX) != 0) {
        status = error_set_errno(error, "cannot lock '%s'", directory);
        goto out;
    }
    /* Another reader may have finished meanwhile. */
    if (!file_is_directory(directory) || process_lives(directory))
        goto out;
    status = store_open(path, &takeover.store, error);
    if (!status)
        status = ingest_create(takeover.store, &takeover.ingest, error);
    if (!status)
        status = list_segments(directory, &takeover.left, error);
    if (!status)
        status = take_all(&takeover, left_state(directory), error);
    if (status) {
        error_prefix(error, "what the program left in '%s' cannot be stored", directory);
        goto out;
    }
    *recovered = true;
    directory_remove(directory, NULL);
out:
    ingest_destroy(takeover.ingest);
    store_close(takeover.store);
    left_spool_release(&takeover.left);
    if (lock >= 0)
        close(lock);
    alloc_free(directory);
    return status;
}
