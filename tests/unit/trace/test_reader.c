/* Reading what is no trace, is newer, cut short or damaged; filters; failing allocations. */
#include "tests/unit/trace/sample.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/reader.h"
#include "trace/segment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
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

/* Version 1 had no contents of launches, and calls in one table. */
static void an_older_trace_is_read(void **state)
{
    (void)state;
    const char *path = make_trace();
    struct trace *trace = NULL;
    struct arena arena = {0};
    uint64_t *objects = NULL;
    size_t count = 1;
    execute(path, "DROP VIEW launch_content_view; DROP TABLE launch_content; DROP TABLE callback;"
                  "CREATE TABLE old AS SELECT * FROM call; DROP VIEW call;"
                  "PRAGMA legacy_alter_table = 1; ALTER TABLE old RENAME TO call;"
                  "DROP TABLE call_row; DROP TABLE call_form; PRAGMA user_version = 1");
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
    assert_int_equal(directory_create(sample_path("a.db.spool"), NULL), STATUS_OK);
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
        TEST(damaged_contents_are_refused),
        TEST(what_launches_left_comes_back),
        TEST(damaged_launch_contents_are_refused),
        TEST(an_older_trace_is_read),
        TEST(filters_choose_calls),
        TEST(no_allocation_that_fails_does_harm),
        TEST(recovery_survives_failing_allocations),
        TEST(a_damaged_spool_gives_what_is_whole),
        TEST(a_spool_cut_at_any_byte_keeps_what_is_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
