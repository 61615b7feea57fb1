/* Reading what is not a trace, is newer, cut short or damaged; filters; failing allocations. */
#include "tests/unit/trace/sample.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/reader.h"
#include "trace/schema.h"
#include "trace/segment.h"
#include "trace/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int clean(void **state)
{
    (void)state;
    sample_clean();
    return 0;
}

/* A complete trace of the sample run. */
static const char *make_trace(void)
{
    struct spool *spool = NULL;
    const char *path = sample_path("a.db");
    assert_int_equal(spool_open(&(struct spool_options){.path = path}, &spool, NULL), STATUS_OK);
    sample_run(spool);
    spool_close(spool);
    return path;
}

static void check_refused(const char *path, enum status expected, const char *sentence)
{
    struct trace *trace = NULL;
    struct error error = {0};
    assert_int_equal(trace_open(path, &trace, &error), expected);
    assert_null(trace);
    if (!strstr(error.text, path) || !strstr(error.text, sentence))
        fail_msg("'%s' says neither '%s' nor '%s'", error.text, path, sentence);
}

static void execute(const char *path, const char *sql)
{
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    sqlite3_exec(database, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

static void what_is_no_trace_is_refused(void **state)
{
    (void)state;
    const char *path = sample_path("x");
    check_refused(path, STATUS_IO, "No such file");
    check_refused(sample_directory(), STATUS_MALFORMED, "directory");
    assert_int_equal(file_write(path, "", 0, NULL), STATUS_OK);
    check_refused(path, STATUS_MALFORMED, "empty");
    assert_int_equal(file_write(path, "text, and no more", 17, NULL), STATUS_OK);
    check_refused(path, STATUS_MALFORMED, "not a clerk trace");
    assert_int_equal(file_write(path, "SQLite format 3\0and then nonsense", 33, NULL), STATUS_OK);
    check_refused(path, STATUS_MALFORMED, "not a clerk trace");
    const char *other = sample_path("other.db");
    execute(other, "CREATE TABLE t (x)");
    check_refused(other, STATUS_MALFORMED, "not a clerk trace");
}

static void a_newer_trace_is_refused_by_its_version(void **state)
{
    (void)state;
    const char *path = make_trace();
    execute(path, "PRAGMA user_version = 99");
    check_refused(path, STATUS_UNSUPPORTED, "version 99");
    execute(path, "PRAGMA user_version = 0");
    check_refused(path, STATUS_MALFORMED, "version 0");
}

static void a_trace_cut_short_is_refused(void **state)
{
    (void)state;
    const char *path = make_trace();
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(file_read(path, 1 << 30, &bytes, &size, NULL), STATUS_OK);
    assert_int_equal(truncate(path, (off_t)size / 2), 0);
    check_refused(path, STATUS_MALFORMED, "cut short");
    assert_int_equal(truncate(path, 1000), 0);
    check_refused(path, STATUS_MALFORMED, "");
    assert_int_equal(truncate(path, 50), 0);
    check_refused(path, STATUS_MALFORMED, "");
    alloc_free(bytes);
}

static enum status read_call(const char *path, uint64_t id, struct error *error)
{
    struct trace *trace = NULL;
    struct arena arena = {0};
    struct api_call call;
    assert_int_equal(trace_open(path, &trace, error), STATUS_OK);
    const enum status status = trace_call(trace, id, &arena, &call, error);
    arena_release(&arena);
    trace_close(trace);
    return status;
}

static void damaged_records_are_named(void **state)
{
    (void)state;
    const char *path = make_trace();
    struct error error = {0};
    /* The last one is a record of the first version, which says of itself that it is call 7. */
    execute(path, "INSERT INTO call_form SELECT 1000 + id, name, result, arguments, entry,"
                  " CASE id WHEN 3 THEN x'0202' WHEN 4 THEN 'text' ELSE"
                  " x'01070101016400010081f8acd191010100' END FROM call WHERE id BETWEEN 3 AND 5;"
                  "UPDATE call_row SET form = 1000 + id WHERE id BETWEEN 3 AND 5");
    assert_int_equal(read_call(path, 3, &error), STATUS_MALFORMED);
    assert_non_null(strstr(error.text, "call 3"));
    assert_int_equal(read_call(path, 4, &error), STATUS_MALFORMED);
    assert_int_equal(read_call(path, 5, &error), STATUS_MALFORMED);
    assert_non_null(strstr(error.text, "call 5"));
    assert_int_equal(read_call(path, 6, &error), STATUS_OK);
    assert_int_equal(read_call(path, 99, &error), STATUS_NOT_FOUND);
    assert_int_equal(read_call(path, 0, &error), STATUS_NOT_FOUND);
    assert_int_equal(read_call(path, UINT64_MAX, &error), STATUS_NOT_FOUND);
}

static void check_contents(const char *path, const char *damage, enum status expected)
{
    struct trace *trace = NULL;
    struct arena arena = {0};
    struct api_content *contents = NULL;
    size_t count = 0;
    if (damage)
        execute(path, damage);
    assert_int_equal(trace_open(path, &trace, NULL), STATUS_OK);
    assert_int_equal(trace_contents(trace, 18, &arena, &contents, &count, NULL), expected);
    if (!expected) {
        assert_int_equal(count, 1);
        assert_string_equal(contents[0].bytes, "content of a buffer");
        assert_int_equal(contents[0].argument, API_clEnqueueWriteBuffer_ptr);
    }
    arena_release(&arena);
    trace_close(trace);
}

static void damaged_contents_are_refused(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "UPDATE content SET bytes = x'00'",
        "UPDATE content SET bytes = zeroblob(20), encoding = 0",
        "UPDATE content SET encoding = 7",
        "UPDATE content SET size = 9223372036854775807",
        "UPDATE call_content SET size = 1000000000000",
        "UPDATE call_content SET size = -1",
        "UPDATE call_content SET size = 'x'",
        "UPDATE call_content SET offset = -5",
        "UPDATE call_content SET offset = 9223372036854775807",
        "UPDATE call_content SET argument = 1000000",
        "UPDATE call_content SET digest = x'01'",
        "DELETE FROM content",
    };
    check_contents(make_trace(), NULL, STATUS_OK);
    sample_clean();
    for (size_t i = 0; i < sizeof damages / sizeof *damages; ++i) {
        check_contents(make_trace(), damages[i], STATUS_MALFORMED);
        sample_clean();
    }
}

/* What launch 7 left in object 0xb: more than one piece. */
enum { LEFT_SIZE = 300000 };

static const char *make_launch_trace(void)
{
    static unsigned char bytes[LEFT_SIZE];
    struct spool *spool = NULL;
    const char *path = sample_path("launch.db");
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = (unsigned char)(i % 251);
    struct api_content content = {
        .object = 0xb, .after = true, .size = sizeof bytes, .bytes = bytes};
    assert_int_equal(spool_open(&(struct spool_options){.path = path}, &spool, NULL), STATUS_OK);
    spool_content(spool, 7, &content);
    content.object = 0xc;
    content.size = 100;
    content.bytes = bytes + 1;
    spool_digest(spool, 7, &content);
    spool_close(spool);
    return path;
}

static void what_launches_left_comes_back(void **state)
{
    (void)state;
    struct trace *trace = NULL;
    struct arena arena = {0};
    uint64_t *objects = NULL;
    size_t count = 0;
    struct trace_memory memory;
    assert_int_equal(trace_open(make_launch_trace(), &trace, NULL), STATUS_OK);
    assert_int_equal(trace_launch_objects(trace, 7, false, &arena, &objects, &count, NULL),
                     STATUS_OK);
    assert_int_equal(count, 0);
    assert_int_equal(trace_launch_objects(trace, 7, true, &arena, &objects, &count, NULL),
                     STATUS_OK);
    assert_int_equal(count, 2);
    assert_true(objects[0] == 0xb && objects[1] == 0xc);
    assert_int_equal(trace_launch_memory(trace, 7, true, 0xb, &arena, &memory, NULL), STATUS_OK);
    assert_int_equal(memory.size, LEFT_SIZE);
    assert_int_equal(memory.piece_count, 2);
    for (size_t i = 0; i < LEFT_SIZE; ++i)
        assert_int_equal(memory.bytes[i], (unsigned char)(i % 251));
    const unsigned char *whole = memory.bytes;
    assert_true(trace_piece_is(&memory.pieces[1], whole + memory.pieces[1].offset));
    assert_false(trace_piece_is(&memory.pieces[1], whole));
    assert_int_equal(trace_launch_memory(trace, 7, true, 0xc, &arena, &memory, NULL), STATUS_OK);
    assert_int_equal(memory.size, 100);
    assert_null(memory.bytes);
    assert_true(trace_piece_is(&memory.pieces[0], whole + 1));
    arena_release(&arena);
    trace_close(trace);
}

static void damaged_launch_contents_are_refused(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "UPDATE launch_content SET offset = offset + 1",
        "UPDATE launch_content SET size = size - 1",
        "UPDATE launch_content SET size = 'x'",
        "UPDATE launch_content SET digest = x'01'",
        "UPDATE launch_content SET digest = (SELECT digest FROM launch_content WHERE offset)",
        "UPDATE content SET bytes = x'00'",
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; ++i) {
        struct trace *trace = NULL;
        struct arena arena = {0};
        struct trace_memory memory;
        const char *path = make_launch_trace();
        execute(path, damages[i]);
        assert_int_equal(trace_open(path, &trace, NULL), STATUS_OK);
        assert_int_equal(trace_launch_memory(trace, 7, true, 0xb, &arena, &memory, NULL),
                         STATUS_MALFORMED);
        arena_release(&arena);
        trace_close(trace);
        sample_clean();
    }
}

/* The same run as a clerk wrote it whose format had this version. */
static void make_older(const char *path, int version)
{
    char *sql = alloc_format("ATTACH '%s' AS newer", path);
    const char *older = sample_path("older.db");
    struct text schema = TEXT_INIT;
    sqlite3 *database = NULL;
    schema_print(version, &schema);
    schema_print_indexes(version, &schema);
    text_format(&schema, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                STORE_APPLICATION_ID, version);
    unlink(older);
    assert_int_equal(sqlite3_open(older, &database), SQLITE_OK);
    sqlite3_exec(database, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    assert_int_equal(sqlite3_exec(database, schema.bytes, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    static const char *const copies[] = {
        "INSERT INTO meta SELECT * FROM newer.meta",
        "INSERT INTO machine SELECT * FROM newer.machine",
        "INSERT INTO content SELECT * FROM newer.content",
        "INSERT INTO call_content SELECT * FROM newer.call_content",
        "INSERT INTO object SELECT * FROM newer.object",
        "INSERT INTO program SELECT * FROM newer.program",
        "INSERT INTO kernel SELECT * FROM newer.kernel",
        ("INSERT INTO launch (call, kernel, kernel_name, queue, global_size)"
         " SELECT call, kernel, kernel_name, queue, global_size FROM newer.launch"),
        "INSERT INTO finding SELECT * FROM newer.finding",
        "INSERT INTO stack SELECT * FROM newer.stack",
    };
    for (size_t i = 0; i < sizeof copies / sizeof *copies; ++i)
        assert_int_equal(sqlite3_exec(database, copies[i], NULL, NULL, NULL), SQLITE_OK);
    const char *calls = version < 3 ? "INSERT INTO main.call SELECT * FROM newer.call"
                                    : "INSERT INTO call_form SELECT * FROM newer.call_form;"
                                      "INSERT INTO call_row SELECT * FROM newer.call_row";
    assert_int_equal(sqlite3_exec(database, calls, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    assert_int_equal(rename(older, path), 0);
    text_release(&schema);
    alloc_free(sql);
}

/* Version 1 had no contents of launches, and calls in one table. */
static void an_older_trace_is_read(void **state)
{
    (void)state;
    const char *path = make_trace();
    struct trace *trace = NULL;
    struct arena arena = {0};
    uint64_t *objects = NULL;
    size_t count = 1;
    make_older(path, 1);
    check_contents(path, NULL, STATUS_OK);
    assert_int_equal(read_call(path, 3, NULL), STATUS_OK);
    assert_int_equal(trace_open(path, &trace, NULL), STATUS_OK);
    assert_int_equal(trace_launch_objects(trace, 7, true, &arena, &objects, &count, NULL),
                     STATUS_OK);
    assert_int_equal(count, 0);
    uint64_t number = 0;
    assert_false(trace_callback(trace, 4, &number));
    assert_int_equal(
        trace_count_calls(trace, &(struct trace_filter){.name = "clCreate*"}, &number, NULL),
        STATUS_OK);
    assert_int_equal(number, 6);
    arena_release(&arena);
    trace_close(trace);
}

/* Times have their places, also where that version had none. */
static void check_times(const char *path)
{
    struct trace *trace = NULL;
    sqlite3_stmt *rows = NULL;
    static const char sql[] = "SELECT launch.complete_ns FROM launch LEFT JOIN command_time"
                              " USING (call)";
    assert_int_equal(trace_open(path, &trace, NULL), STATUS_OK);
    assert_int_equal(sqlite3_prepare_v2(trace_database(trace), sql, -1, &rows, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
    sqlite3_finalize(rows);
    trace_close(trace);
}

static void every_version_is_read(void **state)
{
    (void)state;
    for (int version = 1; version <= STORE_VERSION; ++version) {
        const char *path = make_trace();
        make_older(path, version);
        assert_int_equal(read_call(path, 3, NULL), STATUS_OK);
        check_contents(path, NULL, STATUS_OK);
        check_times(path);
        sample_clean();
    }
}

/* A file of somebody else's: what computes when it is read, or is not a trace's, or is missing. */
static void another_schema_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *sentence;
    } cases[] = {
        {"DROP TABLE meta; CREATE VIEW meta AS WITH RECURSIVE n(i) AS"
         " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'state' AS name, i AS value FROM n",
         "view 'meta'"},
        {"DROP TABLE machine; CREATE TABLE machine (name TEXT PRIMARY KEY, value TEXT AS"
         " (printf('%900000000d', 1))) WITHOUT ROWID",
         "table 'machine'"},
        {"CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM call_row; END", "trigger 't'"},
        {"CREATE VIRTUAL TABLE v USING fts5(x)", "'v"},
        {"CREATE TABLE more (x)", "table 'more'"},
        {"CREATE INDEX more ON object (printf('%9d', id))", "index 'more'"},
        {"ANALYZE", "table 'sqlite_stat1'"},
        {"DROP VIEW call_view; CREATE VIEW call_view AS SELECT 1", "view 'call_view'"},
        {"DROP TABLE stack", "lacks 'stack'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *path = make_trace();
        execute(path, cases[i].sql);
        check_refused(path, STATUS_MALFORMED, cases[i].sentence);
        sample_clean();
    }
}

/* Rows of which each makes a query go through all others. */
static void work_is_bounded(void **state)
{
    (void)state;
    const char *path = make_trace();
    struct trace *trace = NULL;
    struct error error = {0};
    assert_int_equal(setenv("CLERK_TRACE_STEPS", "1", 1), 0);
    assert_int_equal(trace_open(path, &trace, &error), STATUS_OK);
    sqlite3_stmt *rows = NULL;
    static const char sql[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                              " SELECT count(*) FROM n";
    assert_int_equal(sqlite3_prepare_v2(trace_database(trace), sql, -1, &rows, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(rows) & 0xff, SQLITE_INTERRUPT);
    sqlite3_finalize(rows);
    assert_int_equal(store_failure(trace_database(trace), path, &error), STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "CLERK_TRACE_STEPS"));
    trace_close(trace);
    unsetenv("CLERK_TRACE_STEPS");
}

/* A few bytes that become many. */
static void unpacked_contents_are_bounded(void **state)
{
    (void)state;
    const char *path = make_trace();
    struct trace *trace = NULL;
    struct arena arena = {0};
    struct api_content *contents = NULL;
    size_t count = 0;
    struct error error = {0};
    execute(path, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)"
                  "INSERT INTO call_content SELECT 3, 3, i * 200000000, 200000000, digest FROM n,"
                  " (SELECT digest FROM content LIMIT 1)");
    assert_int_equal(trace_open(path, &trace, NULL), STATUS_OK);
    assert_int_equal(trace_contents(trace, 3, &arena, &contents, &count, &error),
                     STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "CLERK_TRACE_MEMORY"));
    arena_release(&arena);
    trace_close(trace);
}

static void filters_choose_calls(void **state)
{
    (void)state;
    static const struct {
        struct trace_filter filter;
        uint64_t count;
    } cases[] = {
        {{0}, SAMPLE_RUN_CALLS},
        {{.thread = 2}, 5},
        {{.thread = 3}, 0},
        {{.name = "clCreateBuffer"}, 2},
        {{.name = "clCreate*"}, 6},
        {{.name = "clcreatebuffer"}, 0},
        {{.errors_only = true}, 1},
        {{.first_id = 5, .last_id = 7}, 3},
        {{.first_id = UINT64_MAX}, 0},
    };
    struct trace *trace = NULL;
    assert_int_equal(trace_open(make_trace(), &trace, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        uint64_t count = 99;
        assert_int_equal(trace_count_calls(trace, &cases[i].filter, &count, NULL), STATUS_OK);
        assert_int_equal(count, cases[i].count);
    }
    trace_close(trace);
}

/* A thread takes the number of a call before its time, and may stand still between the two. */
static void calls_come_by_id_or_by_time(void **state)
{
    (void)state;
    static const struct {
        struct trace_filter filter;
        uint64_t ids[3];
    } cases[] = {{{0}, {1, 2, 3}}, {{.by_time = true}, {2, 1, 3}}};
    struct trace *trace = NULL;
    struct arena arena = {0};
    execute(make_trace(), "UPDATE call_row SET begin_ns = (SELECT begin_ns FROM call_row"
                          " WHERE id = 2) + 1 WHERE id = 1");
    assert_int_equal(trace_open(sample_path("a.db"), &trace, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct trace_cursor *cursor = NULL;
        assert_int_equal(trace_calls(trace, &cases[i].filter, &cursor, NULL), STATUS_OK);
        for (size_t call = 0; call < 3; ++call) {
            struct api_call next;
            bool found = false;
            assert_int_equal(trace_cursor_next(cursor, &arena, &next, &found, NULL), STATUS_OK);
            assert_true(found);
            assert_int_equal(next.id, cases[i].ids[call]);
        }
        trace_cursor_destroy(cursor);
    }
    arena_release(&arena);
    trace_close(trace);
}

/* Everything a reader does, with the n-th allocation failing, for every n until all goes well. */
static void no_allocation_that_fails_does_harm(void **state)
{
    (void)state;
    const char *path = make_trace();
    for (uint64_t n = 1;; ++n) {
        struct trace *trace = NULL;
        struct trace_cursor *cursor = NULL;
        struct arena arena = {0};
        struct api_content *contents = NULL;
        size_t count = 0;
        bool found = true;
        struct api_call call;
        const uint64_t live = alloc_live_count();
        alloc_fail_at(n);
        enum status status = trace_open(path, &trace, NULL);
        if (!status)
            status = trace_calls(trace, NULL, &cursor, NULL);
        while (!status && found)
            status = trace_cursor_next(cursor, &arena, &call, &found, NULL);
        if (!status)
            status = trace_contents(trace, 18, &arena, &contents, &count, NULL);
        alloc_fail_at(0);
        trace_cursor_destroy(cursor);
        trace_close(trace);
        arena_release(&arena);
        assert_int_equal(alloc_live_count(), live);
        if (!status)
            break;
        assert_int_equal(status, STATUS_NO_MEMORY);
        assert_true(n < 10000);
    }
}

/* ThreadSanitizer knows no threads in the child of a process that had some. */
static const char *leave_spool(void)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* it knows no threads in the child of a process that had some */
#endif
    const char *path = sample_path("a.db");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        struct spool *spool = NULL;
        if (spool_open(&(struct spool_options){.path = path}, &spool, NULL) == STATUS_OK)
            sample_run(spool);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, NULL, 0);
    return path;
}

/* A recovery that fails leaves the spool for the next one. */
static void recovery_survives_failing_allocations(void **state)
{
    (void)state;
    const char *path = leave_spool();
    struct trace *trace = NULL;
    uint64_t n = 0;
    while (!trace) {
        const uint64_t live = alloc_live_count();
        alloc_fail_at(++n);
        const enum status status = trace_open(path, &trace, NULL);
        alloc_fail_at(0);
        if (status) {
            assert_int_equal(status, STATUS_NO_MEMORY);
            assert_int_equal(alloc_live_count(), live);
        }
        assert_true(n < 10000);
    }
    uint64_t count = 0;
    assert_true(n > 20);
    assert_int_equal(trace_count_calls(trace, NULL, &count, NULL), STATUS_OK);
    assert_int_equal(count, SAMPLE_RUN_CALLS);
    trace_close(trace);
}

static void a_damaged_spool_gives_what_is_whole(void **state)
{
    (void)state;
    const char *path = leave_spool();
    /* Whichever segments the records are in, their second halves are overwritten. */
    unsigned damaged = 0;
    for (unsigned number = 1; number <= 16; ++number) {
        char name[64];
        snprintf(name, sizeof name, "a.db.spool/%u.segment", number);
        FILE *file = fopen(sample_path(name), "r+");
        if (!file)
            continue;
        fseek(file, 1024, SEEK_SET);
        for (int i = 0; i < 4096; ++i)
            putc(0x5a, file);
        fclose(file);
        ++damaged;
    }
    struct trace *trace = NULL;
    uint64_t count = 0;
    assert_int_equal(trace_open(path, &trace, NULL), STATUS_OK);
    assert_true(trace_was_recovered(trace));
    assert_int_equal(trace_count_calls(trace, NULL, &count, NULL), STATUS_OK);
    assert_in_range(count, 1, SAMPLE_RUN_CALLS);
    assert_in_range(strtoul(trace_fact(trace, "damaged_records"), NULL, 10), 1, damaged);
    trace_close(trace);
}

/* A file of a spool, being made. */
struct made_segment {
    _Alignas(8) unsigned char bytes[16384];
    uint64_t size;
};

static void begin_segment(struct made_segment *segment, uint32_t stream, uint32_t sequence)
{
    const struct segment_header header = {.magic = SEGMENT_MAGIC,
                                          .version = SEGMENT_VERSION,
                                          .stream = stream,
                                          .sequence = sequence,
                                          .size = sizeof segment->bytes};
    memset(segment, 0, sizeof *segment);
    memcpy(segment->bytes, &header, sizeof header);
    segment->size = sizeof header;
}

static void append_record(struct made_segment *segment, enum segment_kind kind, const void *payload,
                          size_t size)
{
    const uint64_t word = segment_commit_word(kind, (uint32_t)size);
    memcpy(segment->bytes + segment->size, &word, sizeof word);
    memcpy(segment->bytes + segment->size + 8, payload, size);
    segment->size += segment_record_size(size);
}

static void append_calls(struct made_segment *segment, uint64_t first, uint64_t last)
{
    for (uint64_t id = first; id <= last; ++id) {
        unsigned char payload[512];
        struct api_call call = sample_call(id, 1, API_ENTRY_clFinish);
        sample_handle(&call, 0, 0x40);
        sample_returns(&call, 0);
        const struct segment_call head = {
            .id = id, .thread = 1, .entry = call.entry, .flags = API_CALL_COMPLETED};
        memcpy(payload, &head, sizeof head);
        append_record(segment, SEGMENT_CALL_END, payload,
                      sizeof head + api_call_encode(&call, payload + sizeof head));
    }
}

static void write_segment(const struct made_segment *segment, const char *name)
{
    assert_int_equal(file_write(sample_path(name), segment->bytes, sizeof segment->bytes, NULL),
                     STATUS_OK);
}

static const char *begin_and_be_killed(void)
{
    const char *path = sample_path("a.db");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        struct spool *spool = NULL;
        spool_open(&(struct spool_options){.path = path}, &spool, NULL);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, NULL, 0);
    return path;
}

/* The calls that are gone are told by their numbers, whatever of a spool is gone. */
static void what_is_missing_is_told(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it knows no threads in the child of a process that had some */
#endif
    static struct made_segment segment;
    const char *path = begin_and_be_killed();
    begin_segment(&segment, 1, 1);
    append_calls(&segment, 1, 10);
    append_record(&segment, SEGMENT_END, "", 0);
    write_segment(&segment, "a.db.spool/91.segment");
    /* The second one is gone, and what follows in the third is not. */
    begin_segment(&segment, 1, 3);
    append_calls(&segment, 501, 510);
    memset(segment.bytes + segment.size, 0x5a, 64);
    write_segment(&segment, "a.db.spool/93.segment");
    begin_segment(&segment, 2, 1);
    append_calls(&segment, 11, 12);
    append_calls(&segment, 600, 600);
    write_segment(&segment, "a.db.spool/94.segment");
    struct trace *trace = NULL;
    assert_int_equal(trace_open(path, &trace, NULL), STATUS_OK);
    assert_string_equal(trace_fact(trace, "damaged_records"), "2");
    assert_string_equal(trace_fact(trace, "missing_calls"), "577");
    assert_string_equal(trace_fact(trace, "missing_call_numbers"), "13 to 500, 511 to 599");
    trace_close(trace);
}

/* Each of three threads may have had a number and no record when its process was killed; one thread
 * cannot have had three. */
static void numbers_of_killed_threads_are_not_missing(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it knows no threads in the child of a process that had some */
#endif
    static struct made_segment segment;
    struct trace *trace = NULL;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        const char *path = begin_and_be_killed();
        begin_segment(&segment, 1, 1);
        append_calls(&segment, 1, 10);
        append_calls(&segment, 14, 14);
        write_segment(&segment, "a.db.spool/91.segment");
        for (uint32_t stream = 2; stream <= threads; ++stream) {
            char name[40];
            snprintf(name, sizeof name, "a.db.spool/%u.segment", 90 + stream);
            begin_segment(&segment, stream, 1);
            write_segment(&segment, name);
        }
        assert_int_equal(trace_open(path, &trace, NULL), STATUS_OK);
        const char *missing = trace_fact(trace, "missing_calls");
        if (threads == 1)
            assert_string_equal(missing, "3");
        else
            assert_null(missing);
        trace_close(trace);
        sample_clean();
    }
}

/* A segment that was being made when its process was killed is not a damage. */
static void an_unwritten_segment_is_none(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it knows no threads in the child of a process that had some */
#endif
    static struct made_segment segment;
    const char *path = begin_and_be_killed();
    memset(&segment, 0, sizeof segment);
    write_segment(&segment, "a.db.spool/91.segment");
    assert_int_equal(file_write(sample_path("a.db.spool/92.segment"), "", 0, NULL), STATUS_OK);
    struct trace *trace = NULL;
    assert_int_equal(trace_open(path, &trace, NULL), STATUS_OK);
    assert_null(trace_fact(trace, "damaged_records"));
    trace_close(trace);
}

/* The files that a killed process leaves. */
struct left_file {
    char name[48];
    void *bytes; /* NULL = there is none of that name */
    size_t size;
};
enum { LEFT_FILES = 20, FIRST_SEGMENT = 3 };

static void load_left(struct left_file files[LEFT_FILES])
{
    static const char *const names[FIRST_SEGMENT] = {"a.db", "a.db-wal", "a.db.spool/process"};
    for (int i = 0; i < LEFT_FILES; ++i) {
        files[i] = (struct left_file){0};
        if (i < FIRST_SEGMENT)
            snprintf(files[i].name, sizeof files[i].name, "%s", names[i]);
        else
            snprintf(files[i].name, sizeof files[i].name, "a.db.spool/%d.segment",
                     i - FIRST_SEGMENT + 1);
        file_read(sample_path(files[i].name), 1 << 26, &files[i].bytes, &files[i].size, NULL);
    }
}

static void restore_left(const struct left_file files[LEFT_FILES])
{
    sample_clean();
    assert_int_equal(directory_create_private(sample_path("a.db.spool"), NULL), STATUS_OK);
    for (int i = 0; i < LEFT_FILES; ++i)
        if (files[i].bytes)
            assert_int_equal(
                file_write(sample_path(files[i].name), files[i].bytes, files[i].size, NULL),
                STATUS_OK);
}

/* Where the last record of a segment begins and ends; false when it has none. */
static bool find_last_record(const struct left_file *segment, uint64_t *begin, uint64_t *end)
{
    struct segment_record record;
    uint64_t offset = sizeof(struct segment_header);
    bool found = false;
    if (!segment->bytes || !((const struct segment_header *)segment->bytes)->stream)
        return false;
    for (uint64_t at = offset;
         segment_next(segment->bytes, segment->size, &offset, &record) == SEGMENT_STEP_RECORD;
         at = offset) {
        *begin = at;
        *end = offset;
        found = true;
    }
    return found;
}

/* Whatever is cut off the last record, every call before it is there. */
static void a_spool_cut_at_any_byte_keeps_what_is_before(void **state)
{
    (void)state;
    struct left_file files[LEFT_FILES];
    unsigned cuts = 0;
    leave_spool();
    load_left(files);
    for (int i = FIRST_SEGMENT; i < LEFT_FILES; ++i) {
        uint64_t begin;
        uint64_t end;
        const size_t whole = files[i].size;
        if (!find_last_record(&files[i], &begin, &end))
            continue;
        for (uint64_t cut = begin; cut < end; ++cut, ++cuts) {
            struct trace *trace = NULL;
            uint64_t count = 0;
            files[i].size = cut;
            restore_left(files);
            assert_int_equal(trace_open(sample_path("a.db"), &trace, NULL), STATUS_OK);
            assert_int_equal(trace_count_calls(trace, NULL, &count, NULL), STATUS_OK);
            assert_in_range(count, SAMPLE_RUN_CALLS - 1, SAMPLE_RUN_CALLS);
            trace_close(trace);
        }
        files[i].size = whole;
    }
    assert_true(cuts > 8);
    for (int i = 0; i < LEFT_FILES; ++i)
        alloc_free(files[i].bytes);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_teardown(function, clean)
    const struct CMUnitTest tests[] = {
        TEST(what_is_no_trace_is_refused),
        TEST(a_newer_trace_is_refused_by_its_version),
        TEST(a_trace_cut_short_is_refused),
        TEST(damaged_records_are_named),
        TEST(what_is_missing_is_told),
        TEST(numbers_of_killed_threads_are_not_missing),
        TEST(an_unwritten_segment_is_none),
        TEST(damaged_contents_are_refused),
        TEST(what_launches_left_comes_back),
        TEST(damaged_launch_contents_are_refused),
        TEST(an_older_trace_is_read),
        TEST(every_version_is_read),
        TEST(another_schema_is_refused),
        TEST(work_is_bounded),
        TEST(unpacked_contents_are_bounded),
        TEST(filters_choose_calls),
        TEST(calls_come_by_id_or_by_time),
        TEST(no_allocation_that_fails_does_harm),
        TEST(recovery_survives_failing_allocations),
        TEST(a_damaged_spool_gives_what_is_whole),
        TEST(a_spool_cut_at_any_byte_keeps_what_is_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
