/* Recording: threads, forks, kills, full disks. Each test reads the trace back. */
#include "tests/directory.h"
#include "tests/unit/trace/sample.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/claim.h"
#include "trace/reader.h"
#include "trace/recover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int clean(void **state)
{
    (void)state;
    sample_clean();
    return 0;
}

static struct spool *open_spool(const char *path)
{
    struct spool *spool = NULL;
    struct error error = {0};
    if (spool_open(&(struct spool_options){.path = path}, &spool, &error))
        fail_msg("%s", error.text);
    return spool;
}

static struct trace *open_trace(const char *path)
{
    struct trace *trace = NULL;
    struct error error = {0};
    if (trace_open(path, &trace, &error))
        fail_msg("%s", error.text);
    return trace;
}

static uint64_t count_calls(struct trace *trace, const struct trace_filter *filter)
{
    uint64_t count = 0;
    assert_int_equal(trace_count_calls(trace, filter, &count, NULL), STATUS_OK);
    return count;
}

/* Ids 1 to `completed` are there and ended. */
static void check_completed(struct trace *trace, uint64_t completed)
{
    struct trace_cursor *cursor = NULL;
    struct arena arena = {0};
    struct api_call call;
    bool found = true;
    uint64_t expected = 0;
    assert_int_equal(trace_calls(trace, NULL, &cursor, NULL), STATUS_OK);
    while (expected < completed) {
        arena_reset(&arena);
        assert_int_equal(trace_cursor_next(cursor, &arena, &call, &found, NULL), STATUS_OK);
        assert_true(found);
        assert_int_equal(call.id, ++expected);
        assert_true(call.flags & API_CALL_COMPLETED);
        assert_int_equal(call.entry, API_ENTRY_clFinish);
        assert_int_equal(call.arguments[0].bits, 0x40);
    }
    trace_cursor_destroy(cursor);
    arena_release(&arena);
}

static void calls_come_back_as_they_were(void **state)
{
    (void)state;
    const char *path = sample_path("a.db");
    struct spool *spool = open_spool(path);
    assert_string_equal(spool_path(spool), path);
    for (uint64_t id = 1; id <= 20000; ++id)
        sample_finish(spool, id, 1);
    spool_close(spool);
    struct trace *trace = open_trace(path);
    assert_false(trace_was_recovered(trace));
    assert_false(trace_is_live(trace));
    assert_string_equal(trace_fact(trace, "state"), "complete");
    assert_int_equal(count_calls(trace, NULL), 20000);
    check_completed(trace, 20000);
    trace_close(trace);
    assert_false(file_exists(sample_path("a.db.spool")));
    assert_false(file_exists(sample_path("a.db-wal")));
}

/* A context's notification may come often: the first time counts. */
static void callbacks_come_back(void **state)
{
    (void)state;
    const char *path = sample_path("a.db");
    struct spool *spool = open_spool(path);
    sample_finish(spool, 1, 1);
    spool_callback(spool, &(struct api_callback){.call_id = 1, .begin_ns = 70, .end_ns = 80});
    spool_callback(spool, &(struct api_callback){.call_id = 1, .begin_ns = 20});
    spool_callback(spool,
                   &(struct api_callback){.call_id = 1, .begin_ns = 20, .end_ns = 30, .thread = 2});
    spool_callback(spool, &(struct api_callback){.call_id = 3, .begin_ns = 40});
    spool_close(spool);
    struct trace *trace = open_trace(path);
    uint64_t began_ns = 0;
    assert_true(trace_callback(trace, 1, &began_ns));
    assert_int_equal(began_ns, 20);
    assert_true(trace_callback(trace, 3, &began_ns));
    assert_int_equal(began_ns, 40);
    assert_false(trace_callback(trace, 2, &began_ns));
    trace_close(trace);
}

static void a_trace_is_never_overwritten(void **state)
{
    (void)state;
    const char *path = sample_path("a.db");
    struct spool *first = open_spool(path);
    struct spool *second = open_spool(path);
    assert_string_equal(spool_path(second), sample_path("a.2.db"));
    sample_finish(first, 1, 1);
    sample_finish(second, 1, 1);
    sample_finish(first, 2, 1);
    spool_close(first);
    spool_close(second);
    struct spool *third = open_spool(path);
    assert_string_equal(spool_path(third), sample_path("a.3.db"));
    spool_close(third);
    struct trace *trace = open_trace(path);
    assert_int_equal(count_calls(trace, NULL), 2);
    trace_close(trace);
    trace = open_trace(sample_path("a.2.db"));
    assert_int_equal(count_calls(trace, NULL), 1);
    trace_close(trace);
}

static void large_contents_are_split_and_joined(void **state)
{
    (void)state;
    enum { SIZE = 3 << 20 };
    const char *path = sample_path("a.db");
    unsigned char *bytes = alloc(SIZE);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; ++i)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    struct spool *spool = open_spool(path);
    for (uint64_t id = 1; id <= 3; ++id) {
        sample_finish(spool, id, 1);
        spool_content(spool, id,
                      &(struct api_content){
                          .argument = 3, .offset = 64, .size = SIZE - id % 2, .bytes = bytes});
    }
    spool_close(spool);
    struct trace *trace = open_trace(path);
    struct arena arena = {0};
    for (uint64_t id = 1; id <= 3; ++id) {
        struct api_content *contents = NULL;
        size_t count = 0;
        assert_int_equal(trace_contents(trace, id, &arena, &contents, &count, NULL), STATUS_OK);
        assert_int_equal(count, 1);
        assert_int_equal(contents[0].argument, 3);
        assert_int_equal(contents[0].offset, 64);
        assert_int_equal(contents[0].size, SIZE - id % 2);
        assert_memory_equal(contents[0].bytes, bytes, contents[0].size);
    }
    arena_release(&arena);
    trace_close(trace);
    alloc_free(bytes);
}

static void a_call_larger_than_a_segment_is_recorded(void **state)
{
    (void)state;
    enum { SIZE = 5 << 20 };
    const char *path = sample_path("a.db");
    char *source = alloc(SIZE + 1);
    assert_non_null(source);
    memset(source, 'x', SIZE);
    source[SIZE] = 0;
    struct spool *spool = open_spool(path);
    struct arena arena = {0};
    struct api_call call = sample_call(1, 1, API_ENTRY_clCreateProgramWithSource);
    sample_strings(&arena, &call, API_clCreateProgramWithSource_strings, source);
    spool_call_begin(spool, &call);
    sample_creates(&call, 0x50);
    spool_call_end(spool, &call);
    sample_finish(spool, 2, 1);
    spool_close(spool);
    struct trace *trace = open_trace(path);
    struct api_call read;
    assert_int_equal(trace_call(trace, 1, &arena, &read, NULL), STATUS_OK);
    assert_int_equal(read.arguments[API_clCreateProgramWithSource_strings].size, SIZE + 8);
    assert_int_equal(count_calls(trace, NULL), 2);
    trace_close(trace);
    arena_release(&arena);
    alloc_free(source);
}

/* ---- threads ---- */

struct worker {
    struct spool *spool;
    atomic_ullong *next_id;
    uint32_t thread;
    uint64_t count;
};

static void *run_worker(void *argument)
{
    const struct worker *worker = argument;
    spool_thread_begin(worker->spool);
    for (uint64_t i = 0; i < worker->count; ++i)
        sample_finish(worker->spool, atomic_fetch_add(worker->next_id, 1), worker->thread);
    return NULL;
}

static void threads_record_side_by_side(void **state)
{
    (void)state;
    enum { THREADS = 8, CALLS = 5000 };
    const char *path = sample_path("a.db");
    struct spool *spool = open_spool(path);
    atomic_ullong next_id = 1;
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (uint32_t i = 0; i < THREADS; ++i) {
        workers[i] = (struct worker){spool, &next_id, i + 1, CALLS};
        assert_int_equal(pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    spool_close(spool);
    struct trace *trace = open_trace(path);
    check_completed(trace, THREADS * CALLS);
    for (uint32_t i = 0; i < THREADS; ++i)
        assert_int_equal(count_calls(trace, &(struct trace_filter){.thread = i + 1}), CALLS);
    trace_close(trace);
}

/* How many segments there are; *highest is the number of the last one. */
static unsigned count_segments(unsigned *highest)
{
    unsigned segments = 0;
    for (unsigned number = 1; number <= 64; ++number) {
        char name[64];
        snprintf(name, sizeof name, "a.db.spool/%u.segment", number);
        if (!file_exists(sample_path(name)))
            continue;
        segments++;
        *highest = number;
    }
    return segments;
}

static void many_short_threads_share_streams(void **state)
{
    (void)state;
    enum { THREADS = 300 };
    struct spool *spool = open_spool(sample_path("a.db"));
    atomic_ullong next_id = 1;
    for (uint32_t i = 0; i < THREADS; ++i) {
        pthread_t thread;
        struct worker worker = {spool, &next_id, i + 1, 2};
        assert_int_equal(pthread_create(&thread, NULL, run_worker, &worker), 0);
        pthread_join(thread, NULL);
    }
    unsigned highest = 0;
    const unsigned segments = count_segments(&highest);
    assert_in_range(segments, 1, 8);
    spool_close(spool);
    struct trace *trace = open_trace(sample_path("a.db"));
    check_completed(trace, 2 * THREADS);
    trace_close(trace);
}

static void segments_are_used_again(void **state)
{
    (void)state;
    enum { ROUNDS = 30, CALLS = 10000 /* more than a segment holds */ };
    const struct timespec nap = {.tv_nsec = 2000000};
    struct spool *spool = open_spool(sample_path("a.db"));
    unsigned highest = 0;
    uint64_t id = 1;
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < CALLS; ++i)
            sample_finish(spool, id++, 1);
        for (int i = 0; i < 500 && count_segments(&highest) > 10; ++i)
            nanosleep(&nap, NULL); /* until the background thread has caught up */
    }
    assert_in_range(highest, 1, ROUNDS - 1);
    spool_close(spool);
    struct trace *trace = open_trace(sample_path("a.db"));
    check_completed(trace, ROUNDS * CALLS);
    trace_close(trace);
}

static void calls_after_the_end_do_no_harm(void **state)
{
    (void)state;
    const char *path = sample_path("a.db");
    struct spool *spool = open_spool(path);
    sample_finish(spool, 1, 1);
    spool_close(spool);
    sample_finish(spool, 2, 1);
    spool_close(spool);
    spool_call_begin(NULL, NULL);
    spool_close(NULL);
    struct trace *trace = open_trace(path);
    assert_int_equal(count_calls(trace, NULL), 1);
    trace_close(trace);
}

/* ---- processes ---- */

/* Runs `body` in a child; gives its wait status. ThreadSanitizer knows no threads in the child of a
 * process that had some, so under it such a test is skipped. */
static int in_child(void (*body)(void *), void *argument)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* it knows no threads in the child of a process that had some */
#endif
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        body(argument);
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

static void be_killed_under_way(void *argument)
{
    struct spool *spool = open_spool(argument);
    for (uint64_t id = 1; id <= 5000; ++id)
        sample_finish(spool, id, 1);
    struct api_call call = sample_call(5001, 1, API_ENTRY_clFinish);
    sample_handle(&call, 0, 0x40);
    spool_call_begin(spool, &call);
    kill(getpid(), SIGKILL);
}

static void a_killed_process_leaves_its_calls(void **state)
{
    (void)state;
    const char *path = sample_path("a.db");
    const int status = in_child(be_killed_under_way, (void *)(uintptr_t)path);
    assert_true(WIFSIGNALED(status));
    assert_true(file_exists(sample_path("a.db.spool")));
    struct trace *trace = open_trace(path);
    assert_true(trace_was_recovered(trace));
    assert_string_equal(trace_fact(trace, "state"), "recovered");
    assert_int_equal(count_calls(trace, NULL), 5001);
    check_completed(trace, 5000);
    struct arena arena = {0};
    struct api_call call;
    assert_int_equal(trace_call(trace, 5001, &arena, &call, NULL), STATUS_OK);
    assert_false(call.flags & API_CALL_COMPLETED);
    assert_int_equal(count_calls(trace, &(struct trace_filter){.errors_only = true}), 1);
    arena_release(&arena);
    trace_close(trace);
    assert_false(file_exists(sample_path("a.db.spool")));
    trace = open_trace(path);
    assert_false(trace_was_recovered(trace));
    trace_close(trace);
}

struct shared {
    atomic_ullong begun, ended;
    const char *path;
};

static void record_for_ever(void *argument)
{
    struct shared *shared = argument;
    struct spool *spool = open_spool(shared->path);
    for (uint64_t id = 1;; ++id) {
        struct api_call call = sample_call(id, 1, API_ENTRY_clFinish);
        sample_handle(&call, 0, 0x40);
        spool_call_begin(spool, &call);
        atomic_store(&shared->begun, id);
        sample_returns(&call, 0);
        spool_call_end(spool, &call);
        atomic_store(&shared->ended, id);
    }
}

enum { REPEATED_SIZE = 40000 };

/* The trace has the bytes once. */
static void repeat_contents_and_be_killed(void *argument)
{
    unsigned char bytes[REPEATED_SIZE];
    memset(bytes, 7, sizeof bytes);
    struct spool *spool = open_spool(argument);
    for (uint64_t id = 1; id <= 3; ++id) {
        sample_finish(spool, id, 1);
        spool_content(spool, id, &(struct api_content){.size = sizeof bytes, .bytes = bytes});
    }
    kill(getpid(), SIGKILL);
}

static void equal_contents_of_a_killed_process_are_found(void **state)
{
    (void)state;
    const char *path = sample_path("a.db");
    assert_true(WIFSIGNALED(in_child(repeat_contents_and_be_killed, (void *)(uintptr_t)path)));
    struct trace *trace = open_trace(path);
    struct arena arena = {0};
    for (uint64_t id = 1; id <= 3; ++id) {
        struct api_content *contents = NULL;
        size_t count = 0;
        assert_int_equal(trace_contents(trace, id, &arena, &contents, &count, NULL), STATUS_OK);
        assert_int_equal(count, 1);
        assert_int_equal(contents[0].size, REPEATED_SIZE);
        const unsigned char *bytes = contents[0].bytes;
        for (size_t i = 0; i < REPEATED_SIZE; ++i)
            assert_int_equal(bytes[i], 7);
    }
    arena_release(&arena);
    trace_close(trace);
}

/* At whatever moment: what ended is there, what had begun is there, and nothing else. */
static void nothing_is_lost_at_any_moment(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it knows no threads in the child of a process that had some */
#endif
    struct shared *shared =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    for (unsigned round = 0; round < 12; ++round) {
        char name[32];
        snprintf(name, sizeof name, "k%u.db", round);
        atomic_store(&shared->begun, 0);
        atomic_store(&shared->ended, 0);
        shared->path = sample_path(name);
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0)
            record_for_ever(shared);
        while (atomic_load(&shared->ended) < 1000 * round + 1)
            usleep(200);
        usleep(3000 * round);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        const uint64_t begun = atomic_load(&shared->begun);
        const uint64_t ended = atomic_load(&shared->ended);
        struct trace *trace = open_trace(shared->path);
        assert_true(trace_was_recovered(trace));
        check_completed(trace, ended);
        assert_in_range(count_calls(trace, NULL), begun, ended + 1);
        trace_close(trace);
    }
    munmap(shared, 4096);
}

static void sample_and_be_killed(void *argument)
{
    sample_run(open_spool(argument));
    kill(getpid(), SIGKILL);
}

static int print_row(void *text, int count, char **values, char **names)
{
    (void)names;
    for (int i = 0; i < count; ++i)
        text_format(text, "%s%s", i ? "|" : "", values[i] ? values[i] : "NULL");
    text_append_char(text, '\n');
    return 0;
}

/* All rows of all tables that do not tell of the process itself. */
static char *dump(const char *path)
{
    static const char *const queries[] = {
        ("SELECT id, thread, name, begin_ns, end_ns, result, arguments, failed, flags, entry,"
         " hex(record) FROM call"),
        "SELECT * FROM thread",
        "SELECT * FROM object",
        "SELECT * FROM program",
        "SELECT * FROM kernel",
        "SELECT * FROM launch",
        "SELECT * FROM finding",
        "SELECT * FROM stack",
        "SELECT call, argument, offset, size, hex(digest) FROM call_content",
        "SELECT hex(digest), size, encoding, hex(bytes) FROM content",
        "SELECT * FROM spool_progress",
    };
    sqlite3 *database = NULL;
    struct text output = TEXT_INIT;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; ++i)
        assert_int_equal(sqlite3_exec(database, queries[i], print_row, &output, NULL), SQLITE_OK);
    sqlite3_close(database);
    return text_detach(&output);
}

static void recovery_comes_to_the_same_database(void **state)
{
    (void)state;
    const char *closed = sample_path("closed.db");
    const char *killed = sample_path("killed.db");
    struct spool *spool = open_spool(closed);
    sample_run(spool);
    spool_close(spool);
    assert_true(WIFSIGNALED(in_child(sample_and_be_killed, (void *)(uintptr_t)killed)));
    trace_close(open_trace(killed));
    char *closed_rows = dump(closed);
    char *killed_rows = dump(killed);
    assert_non_null(closed_rows);
    assert_true(strlen(closed_rows) > 1000);
    assert_string_equal(closed_rows, killed_rows);
    alloc_free(closed_rows);
    alloc_free(killed_rows);
}

static void use_inherited_spool(void *argument)
{
    struct spool *inherited = argument;
    if (!spool_is_inherited(inherited))
        _exit(1);
    sample_finish(inherited, 100, 1);
    spool_close(inherited);
    struct spool *own = NULL;
    if (spool_open(&(struct spool_options){.path = spool_path(inherited)}, &own, NULL))
        _exit(2);
    sample_finish(own, 1, 1);
    /* The destructor closes it: exit, not _exit. */
    exit(strstr(spool_path(own), "a.2.db") ? 0 : 3);
}

static void a_forked_child_has_a_trace_of_its_own(void **state)
{
    (void)state;
    const char *path = sample_path("a.db");
    struct spool *spool = open_spool(path);
    sample_finish(spool, 1, 1);
    assert_false(spool_is_inherited(spool));
    const int status = in_child(use_inherited_spool, spool);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    sample_finish(spool, 2, 1);
    spool_close(spool);
    struct trace *trace = open_trace(path);
    check_completed(trace, 2);
    assert_int_equal(count_calls(trace, NULL), 2);
    trace_close(trace);
    trace = open_trace(sample_path("a.2.db"));
    assert_false(trace_was_recovered(trace));
    assert_int_equal(count_calls(trace, NULL), 1);
    trace_close(trace);
}

enum { CALLERS = 4 };

/* What threads did that may be killed at any moment, where it outlives them. */
struct told {
    atomic_ullong returned[CALLERS];
    const char *path;
};
static struct told *told;

static void *call_for_ever(void *argument)
{
    struct worker *worker = argument;
    spool_thread_begin(worker->spool);
    for (;;) {
        sample_finish(worker->spool, atomic_fetch_add(worker->next_id, 1), worker->thread);
        atomic_fetch_add(&told->returned[worker->thread - 1], 1);
    }
    return NULL;
}

static void exit_while_others_call(void *argument)
{
    static atomic_ullong next_id = 1;
    static struct worker workers[CALLERS];
    told = argument;
    struct spool *spool = open_spool(told->path);
    for (uint32_t i = 0; i < CALLERS; ++i) {
        pthread_t thread;
        workers[i] = (struct worker){spool, &next_id, i + 1, 0};
        pthread_create(&thread, NULL, call_for_ever, &workers[i]);
    }
    while (atomic_load(&next_id) < 1000) /* all are in the midst of it */
        usleep(1000);
    exit(7);
}

static void a_process_may_exit_while_threads_call(void **state)
{
    (void)state;
    const char *path = sample_path("a.db");
    struct told *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    shared->path = path;
    const int status = in_child(exit_while_others_call, shared);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    struct trace *trace = open_trace(path);
    for (uint32_t thread = 1; thread <= CALLERS; ++thread) {
        const uint64_t returned = atomic_load(&shared->returned[thread - 1]);
        assert_in_range(count_calls(trace, &(struct trace_filter){.thread = thread}), returned,
                        returned + 1);
    }
    assert_string_equal(trace_fact(trace, "state"), "complete");
    assert_null(trace_fact(trace, "damaged_records"));
    trace_close(trace);
    munmap(shared, sizeof *shared);
}

/* The number of calls in a trace that is being recorded, once there are some; 0 = it is not. */
static int read_live(const char *path)
{
    uint64_t count = 0;
    while (!count) {
        struct trace *trace = NULL;
        usleep(10000);
        if (trace_open(path, &trace, NULL) || !trace_is_live(trace) ||
            trace_count_calls(trace, NULL, &count, NULL))
            return 0;
        trace_close(trace);
    }
    return (int)count;
}

static void be_a_reader(void *argument)
{
    execl("/proc/self/exe", "test_spool", argument, NULL);
}

/* By another program: within one process SQLite has one descriptor for all that have a database
 * open. */
static void a_live_trace_can_be_read(void **state)
{
    (void)state;
    const char *path = sample_path("a.db");
    struct spool *spool = open_spool(path);
    sample_finish(spool, 1, 1);
    const int status = in_child(be_a_reader, (void *)(uintptr_t)path);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_int_not_equal(claim_remove(path, NULL), STATUS_OK);
    spool_close(spool);
    assert_int_equal(claim_remove(path, NULL), STATUS_OK);
    assert_false(file_exists(path));
}

/* ---- failures ---- */

static void a_missing_directory_is_named(void **state)
{
    (void)state;
    struct spool *spool = NULL;
    struct error error = {0};
    const char *path = sample_path("none/a.db");
    assert_int_equal(spool_open(&(struct spool_options){.path = path}, &spool, &error), STATUS_IO);
    assert_null(spool);
    assert_non_null(strstr(error.text, "none/a.db"));
}

static void count_failure(void *user, const struct error *error)
{
    assert_non_null(strstr(error->text, ".segment"));
    atomic_fetch_add((atomic_int *)user, 1);
}

/* Files may not grow beyond less than a segment: as a full disk does, it refuses a further one. */
static void fill_the_disk(void *argument)
{
    atomic_int failures = 0;
    struct spool *spool = NULL;
    const struct spool_options options = {
        .path = argument, .on_failure = count_failure, .user = &failures};
    if (spool_open(&options, &spool, NULL))
        _exit(1);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {1000 * 1000, 1000 * 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (uint64_t id = 1; id <= 200000; ++id)
        sample_finish(spool, id, 1);
    spool_close(spool);
    _exit(atomic_load(&failures) == 1 ? 0 : 2);
}

static void a_full_disk_is_told_once_and_the_program_goes_on(void **state)
{
    (void)state;
    const char *path = sample_path("a.db");
    const int status = in_child(fill_the_disk, (void *)(uintptr_t)path);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    struct trace *trace = open_trace(path);
    const uint64_t count = count_calls(trace, NULL);
    assert_in_range(count, 1, 199999);
    /* The last one's end may be what found no room. */
    check_completed(trace, count - 1);
    trace_close(trace);
}

static void lose_the_directory(void *argument)
{
    atomic_int failures = 0;
    char directory[600];
    struct spool *spool = NULL;
    const struct spool_options options = {
        .path = argument, .on_failure = count_failure, .user = &failures};
    if (spool_open(&options, &spool, NULL))
        _exit(1);
    for (uint64_t id = 1; id <= 1000; ++id)
        sample_finish(spool, id, 1);
    snprintf(directory, sizeof directory, "%s.spool", (const char *)argument);
    for (int i = 0; i < 1000 && directory_remove(directory); ++i)
        continue; /* the background thread may have made a segment in it meanwhile */
    for (uint64_t id = 1001; id <= 200000; ++id)
        sample_finish(spool, id, 1);
    spool_close(spool);
    _exit(atomic_load(&failures) == 1 ? 0 : 2);
}

/* What was recorded before is there, and the trace does not pass for the whole run. */
static void a_directory_that_vanishes_is_told_once_and_the_program_goes_on(void **state)
{
    (void)state;
    const char *path = sample_path("a.db");
    const int status = in_child(lose_the_directory, (void *)(uintptr_t)path);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    struct trace *trace = open_trace(path);
    const uint64_t count = count_calls(trace, NULL);
    assert_in_range(count, 1000, 199999);
    assert_string_equal(trace_fact(trace, "state"), "stopped");
    check_completed(trace, count - 1);
    trace_close(trace);
}

static void the_thread_keeps_errno(void **state)
{
    (void)state;
    struct spool *spool = open_spool(sample_path("a.db"));
    errno = 4711;
    for (uint64_t id = 1; id <= 20000; ++id)
        sample_finish(spool, id, 1);
    spool_close(spool);
    assert_int_equal(errno, 4711);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return read_live(argv[1]);
#define TEST(function) cmocka_unit_test_teardown(function, clean)
    const struct CMUnitTest tests[] = {
        TEST(calls_come_back_as_they_were),
        TEST(callbacks_come_back),
        TEST(a_trace_is_never_overwritten),
        TEST(large_contents_are_split_and_joined),
        TEST(equal_contents_of_a_killed_process_are_found),
        TEST(a_call_larger_than_a_segment_is_recorded),
        TEST(threads_record_side_by_side),
        TEST(many_short_threads_share_streams),
        TEST(segments_are_used_again),
        TEST(calls_after_the_end_do_no_harm),
        TEST(a_killed_process_leaves_its_calls),
        TEST(nothing_is_lost_at_any_moment),
        TEST(recovery_comes_to_the_same_database),
        TEST(a_forked_child_has_a_trace_of_its_own),
        TEST(a_process_may_exit_while_threads_call),
        TEST(a_live_trace_can_be_read),
        TEST(a_missing_directory_is_named),
        TEST(a_full_disk_is_told_once_and_the_program_goes_on),
        TEST(a_directory_that_vanishes_is_told_once_and_the_program_goes_on),
        TEST(the_thread_keeps_errno),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
