#include "tests/fuzz/mutate_trace.h"

#include "tests/directory.h"
#include "tests/unit/trace/sample.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_SIZE_MAX = 1 << 26, STRANGE_SIZE_MAX = 1 << 16 };

static uint64_t random_state;

static uint64_t random_next(void)
{
    /* xorshift64*, so that a seed is a test on every host */
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(2685821657736338717);
}

static uint64_t random_below(uint64_t limit)
{
    return limit ? random_next() % limit : 0;
}

uint64_t mutation_random_below(uint64_t limit)
{
    return random_below(limit);
}

void mutation_random_begin(uint64_t number)
{
    random_state = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* ---- seeds ---- */

static bool record(const char *path, bool killed)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        struct spool *spool = NULL;
        if (spool_open(&(struct spool_options){.path = path}, &spool, NULL))
            _exit(1);
        sample_run(spool);
        for (uint64_t id = SAMPLE_RUN_CALLS + 1; id < 60; ++id)
            sample_finish(spool, id, 1 + id % 3);
        static const unsigned char memory[9000] = {1, 2, 3};
        struct api_content content = {.object = 0xb, .size = sizeof memory, .bytes = memory};
        spool_content(spool, 9, &content);
        content.after = true;
        spool_digest(spool, 9, &content);
        if (killed)
            kill(getpid(), SIGKILL);
        spool_close(spool);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return killed ? WIFSIGNALED(status) : WIFEXITED(status) && !WEXITSTATUS(status);
}

/* A segment ends in zeros, in which a mutation would rarely change anything. */
static size_t used_size(const unsigned char *bytes, size_t size)
{
    size_t used = size;
    while (used && !bytes[used - 1])
        --used;
    used = (used + 71) & ~(size_t)7;
    return used < size ? used : size;
}

static void load(const char *path, const char *name, struct mutation_seed *seed)
{
    struct mutation_file *file = &seed->files[seed->count];
    void *bytes = NULL;
    if (seed->count == MUTATION_FILES_MAX ||
        file_read(path, FILE_SIZE_MAX, &bytes, &file->size, NULL))
        return;
    snprintf(file->name, sizeof file->name, "%s", name);
    file->bytes = bytes;
    if (strstr(name, ".segment"))
        file->size = used_size(bytes, file->size);
    ++seed->count;
}

static void load_sample(struct mutation_seed *seed)
{
    static const char *const names[] = {"a.db", "a.db-wal", "a.db.spool/process"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        load(sample_path(names[i]), names[i], seed);
    for (unsigned number = 1; number <= 16; ++number) {
        char name[48];
        snprintf(name, sizeof name, "a.db.spool/%u.segment", number);
        load(sample_path(name), name, seed);
    }
}

static uint64_t find_launch(const char *path)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *rows = NULL;
    uint64_t launch = 0;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(database, "SELECT max(call) FROM launch", -1, &rows, NULL) ==
            SQLITE_OK &&
        sqlite3_step(rows) == SQLITE_ROW)
        launch = (uint64_t)sqlite3_column_int64(rows, 0);
    sqlite3_finalize(rows);
    sqlite3_close(database);
    return launch;
}

const char *mutation_begin(char **traces, size_t trace_count, struct mutation_seed *seeds,
                           size_t *seed_count)
{
    /* Waiting for a disk finds nothing. */
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
    for (int killed = 0; killed < 2; ++killed) {
        struct mutation_seed *seed = &seeds[(*seed_count)++];
        *seed = (struct mutation_seed){0};
        sample_clean();
        if (!record(sample_path("a.db"), killed))
            return NULL;
        load_sample(seed);
        if (!killed)
            seed->launch = find_launch(sample_path("a.db"));
        if (seed->count < (killed ? 3 : 1))
            return NULL;
    }
    for (size_t i = 0; i < trace_count && *seed_count < MUTATION_SEEDS_MAX; ++i) {
        struct mutation_seed *seed = &seeds[(*seed_count)++];
        *seed = (struct mutation_seed){.launch = find_launch(traces[i])};
        load(traces[i], "a.db", seed);
        if (!seed->count)
            return NULL;
    }
    sample_clean();
    return sample_directory();
}

void mutation_end(struct mutation_seed *seeds, size_t seed_count)
{
    for (size_t seed = 0; seed < seed_count; ++seed)
        for (size_t i = 0; i < seeds[seed].count; ++i)
            alloc_free(seeds[seed].files[i].bytes);
}

/* ---- bytes ---- */

/* Changes some; returns the size, which may be less. */
static size_t mutate_bytes(unsigned char *bytes, size_t size)
{
    static const uint64_t words[] = {0, 1, 0x7f, 0xff, 0x7fff, UINT32_MAX, INT64_MAX, UINT64_MAX};
    for (uint64_t n = 1 + random_below(8); n > 0 && size > 16; --n) {
        const size_t at = random_below(size - 8);
        const size_t from = random_below(size - 8);
        const size_t length = 1 + random_below(64);
        const uint64_t word = words[random_below(sizeof words / sizeof *words)];
        switch (random_below(6)) {
        case 0:
        case 1:
            bytes[at] ^= (unsigned char)(1u << random_below(8));
            break;
        case 2:
            bytes[at] = (unsigned char)random_next();
            break;
        case 3:
            memcpy(bytes + at, &word, (size_t)1 << random_below(4));
            break;
        case 4:
            if (at + length < size && from + length < size)
                memmove(bytes + at, bytes + from, length);
            break;
        case 5:
            if (random_below(8) == 0)
                return random_below(size);
            break;
        }
    }
    return size;
}

/* ---- fields ---- */

static const char *const strange_words[] = {
    "",
    "\x1b]0;x\a\x1b[2J",
    "\xe2\x80\xae\xc2\x9b\xff\xc0\x80",
    "../../evil#1",
    "buffer#1",
    "\"'; DROP TABLE x; --",
    "=1+1\r\n::error::x",
    "</script>%s%n%99999999d",
    "{\"rule\":\"race-global\",\"severity\":\"error\",\"message\":\"x\",\"places\":[{},{}]}",
    "18446744073709551616",
    "1x1x1",
};

static void strange_blob(sqlite3_context *context, const void *old, size_t size)
{
    unsigned char bytes[STRANGE_SIZE_MAX];
    if (size > sizeof bytes)
        size = sizeof bytes;
    memcpy(bytes, old, size);
    const size_t left = mutate_bytes(bytes, size);
    sqlite3_result_blob(context, bytes, (int)left, SQLITE_TRANSIENT);
}

static void strange_text(sqlite3_context *context, const unsigned char *old, size_t size)
{
    struct text text = TEXT_INIT;
    const char *word = strange_words[random_below(sizeof strange_words / sizeof *strange_words)];
    if (random_below(2))
        text_append_n(&text, old, size);
    for (uint64_t n = random_below(8) ? 1 : 1000; n > 0; --n)
        text_append(&text, word);
    sqlite3_result_text(context, text.bytes, (int)text.size, SQLITE_TRANSIENT);
    text_release(&text);
}

static void strange_number(sqlite3_context *context, int64_t old)
{
    const int64_t numbers[] = {0,         1,         -1,         2,
                               16,        18,        UINT32_MAX, (int64_t)UINT32_MAX + 1,
                               INT64_MAX, INT64_MIN, 1 << 28,    INT64_MAX - 1};
    if (random_below(3) == 0)
        sqlite3_result_int64(context, (int64_t)((uint64_t)old + random_below(9) - 4));
    else
        sqlite3_result_int64(context, numbers[random_below(sizeof numbers / sizeof *numbers)]);
}

/* strange(value): one of the same type, mostly. */
static void strange(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const int type = random_below(12) ? sqlite3_value_type(values[0]) : 1 + (int)random_below(5);
    switch (type) {
    case SQLITE_BLOB: {
        const void *bytes = sqlite3_value_blob(values[0]);
        strange_blob(context, bytes ? bytes : "", (size_t)sqlite3_value_bytes(values[0]));
        break;
    }
    case SQLITE_TEXT: {
        const unsigned char *text = sqlite3_value_text(values[0]);
        strange_text(context, text ? text : (const unsigned char *)"",
                     (size_t)sqlite3_value_bytes(values[0]));
        break;
    }
    case SQLITE_NULL:
        sqlite3_result_null(context);
        break;
    default:
        strange_number(context, sqlite3_value_int64(values[0]));
        break;
    }
}

/* chance(n): true once of so many times. */
static void chance(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_result_int(context, random_below((uint64_t)sqlite3_value_int(values[0])) == 0);
}

static const char *const fields[] = {
    "meta.value",
    "machine.value",
    "call_form.name",
    "call_form.result",
    "call_form.arguments",
    "call_form.entry",
    "call_form.record",
    "call_form.record",
    "call_form.record",
    "call_form.record",
    "call_row.id",
    "call_row.thread",
    "call_row.begin_ns",
    "call_row.duration_ns",
    "call_row.failed",
    "call_row.flags",
    "call_row.form",
    "content.digest",
    "content.size",
    "content.encoding",
    "content.bytes",
    "call_content.call",
    "call_content.argument",
    "call_content.offset",
    "call_content.size",
    "call_content.digest",
    "launch_content.call",
    "launch_content.handle",
    "launch_content.after",
    "launch_content.offset",
    "launch_content.size",
    "launch_content.digest",
    "finding.call",
    "finding.rule",
    "finding.severity",
    "finding.message",
    "finding.json",
    "stack.call",
    "stack.frame",
    "callback.call",
    "callback.thread",
    "callback.begin_ns",
    "callback.end_ns",
    "object.kind",
    "object.name",
    "object.label",
    "object.handle",
    "object.parent",
    "object.created_call",
    "object.released_call",
    "program.origin",
    "program.source",
    "program.il",
    "program.options",
    "program.build_call",
    "program.log",
    "kernel.program",
    "kernel.name",
    "launch.kernel",
    "launch.kernel_name",
    "launch.queue",
    "launch.work_dim",
    "launch.global_offset",
    "launch.global_size",
    "launch.local_size",
    "launch.event",
    "launch.queued_ns",
    "launch.start_ns",
    "launch.end_ns",
    "launch.duration_ns",
};

/* Rows again, as many as there are, or many. */
static const char *const copies[] = {
    "INSERT OR IGNORE INTO call_content SELECT call, argument, offset + size, size, digest FROM "
    "call_content",
    "INSERT OR IGNORE INTO launch_content SELECT call, handle + 1, after, offset, size, digest "
    "FROM launch_content",
    "INSERT OR IGNORE INTO launch_content SELECT call, handle, after, offset + size, size, digest "
    "FROM launch_content",
    "INSERT OR IGNORE INTO object SELECT id + 1000, kind, name, label, handle, parent, "
    "created_call, NULL FROM object",
    "INSERT OR IGNORE INTO call_row SELECT id + 1000, thread, begin_ns, duration_ns, failed, "
    "flags, form FROM call_row",
    "INSERT OR IGNORE INTO finding SELECT id + 1000, call, rule, severity, message, json FROM "
    "finding",
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT OR "
    "IGNORE INTO call_row"
    " SELECT 5000 + i, i % 7, i, 1000000, 0, 1, (SELECT max(id) FROM call_form) FROM n",
    "DELETE FROM object WHERE chance(3)",
    "DELETE FROM call_row WHERE chance(4)",
    "DELETE FROM content WHERE chance(2)",
};

static void mutate_fields(const char *path)
{
    sqlite3 *database = NULL;
    char sql[512];
    if (sqlite3_open(path, &database) == SQLITE_OK) {
        sqlite3_create_function(database, "strange", 1, SQLITE_UTF8, NULL, strange, NULL, NULL);
        sqlite3_create_function(database, "chance", 1, SQLITE_UTF8, NULL, chance, NULL, NULL);
        sqlite3_exec(database, "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF", NULL, NULL,
                     NULL);
        for (uint64_t n = 1 + random_below(5); n > 0; --n) {
            const char *field = fields[random_below(sizeof fields / sizeof *fields)];
            const char *point = strchr(field, '.');
            snprintf(sql, sizeof sql, "UPDATE OR IGNORE %.*s SET %s = strange(%s) WHERE chance(%d)",
                     (int)(point - field), field, point + 1, point + 1,
                     random_below(3) ? 1 + (int)random_below(8) : 1);
            sqlite3_exec(database, sql, NULL, NULL, NULL);
        }
        if (random_below(4) == 0)
            sqlite3_exec(database, copies[random_below(sizeof copies / sizeof *copies)], NULL, NULL,
                         NULL);
    }
    sqlite3_close(database);
}

/* ---- both ---- */

static enum status write_file(const char *directory, const char *name, const void *bytes,
                              size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return file_write_private(path, bytes, size, NULL);
}

static enum status write_files(const struct mutation_seed *seed, size_t mutated,
                               const char *directory)
{
    enum status status = STATUS_OK;
    char path[4096];
    static const char *const stale[] = {"a.db", "a.db-wal", "a.db-shm", "a.db-journal"};
    for (size_t i = 0; i < sizeof stale / sizeof *stale; ++i) {
        snprintf(path, sizeof path, "%s/%s", directory, stale[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/a.db.spool", directory);
    directory_remove(path);
    for (size_t i = 0; i < seed->count && !status; ++i) {
        const struct mutation_file *file = &seed->files[i];
        unsigned char *bytes = alloc(file->size);
        if (!bytes)
            return STATUS_NO_MEMORY;
        memcpy(bytes, file->bytes, file->size);
        if (strchr(file->name, '/'))
            mkdir(path, 0700);
        status = write_file(directory, file->name, bytes,
                            i == mutated ? mutate_bytes(bytes, file->size) : file->size);
        alloc_free(bytes);
    }
    return status;
}

enum status mutate_trace(const struct mutation_seed *seed, uint64_t number, const char *directory)
{
    char path[4096];
    mutation_random_begin(number);
    const bool by_fields = seed->count == 1 && random_below(4) != 0;
    const size_t mutated = by_fields ? seed->count : random_below(seed->count);
    enum status status = write_files(seed, mutated, directory);
    snprintf(path, sizeof path, "%s/a.db", directory);
    if (!status && by_fields)
        mutate_fields(path);
    /* The sound one is that of the seed, if it was closed. */
    if (!status && seed->count == 1)
        status = write_file(directory, "sound.db", seed->files[0].bytes, seed->files[0].size);
    return status;
}
