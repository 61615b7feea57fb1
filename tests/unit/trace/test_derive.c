/* What the calls tell about objects, programs and launches. */
#include "tests/unit/trace/sample.h"
#include "trace/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sqlite3.h>
#include <string.h>

static int clean(void **state)
{
    (void)state;
    sample_clean();
    return 0;
}

static struct spool *open_spool(void)
{
    struct spool *spool = NULL;
    assert_int_equal(spool_open(&(struct spool_options){.path = sample_path("a.db")}, &spool, NULL),
                     STATUS_OK);
    return spool;
}

static struct trace *close_and_read(struct spool *spool)
{
    struct trace *trace = NULL;
    spool_close(spool);
    assert_int_equal(trace_open(sample_path("a.db"), &trace, NULL), STATUS_OK);
    return trace;
}

static int print_row(void *text, int count, char **values, char **names)
{
    (void)names;
    for (int i = 0; i < count; ++i)
        text_format(text, "%s%s", i ? "|" : "", values[i] ? values[i] : "NULL");
    text_append_char(text, '\n');
    return 0;
}

static void check_query(struct trace *trace, const char *sql, const char *expected)
{
    struct text text = TEXT_INIT;
    assert_int_equal(sqlite3_exec(trace_database(trace), sql, print_row, &text, NULL), SQLITE_OK);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

static void objects_live_from_call_to_call(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    sample_run(spool);
    struct trace *trace = close_and_read(spool);
    check_query(trace, "SELECT name, kind, label, handle, created_call, released_call FROM object",
                "platform#1|platform|NULL|16|1|NULL\n"
                "device#1|device|tester|32|2|NULL\n"
                "context#1|context|NULL|48|4|NULL\n"
                "queue#1|command-queue|NULL|64|5|NULL\n"
                "program#1|program|NULL|80|6|NULL\n"
                "kernel#1|kernel|sum|96|9|NULL\n"
                "buffer#1|memory object|4096 bytes|112|10|11\n"
                "buffer#2|memory object|4096 bytes|112|12|NULL\n"
                "event#1|event|NULL|128|13|16\n");
    check_query(trace, "SELECT origin, source, options, build_result, log FROM program",
                "source|kernel void sum(global int *a) { a[0] = 1; }\n"
                "|-DN=4|CL_SUCCESS|no warnings\n");
    check_query(trace, "SELECT id, program, name FROM kernel", "6|5|sum\n");
    check_query(trace, "SELECT * FROM thread", "1|1|19|14\n2|13|17|5\n");
    trace_close(trace);
}

static void a_launch_names_kernel_queue_and_time(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    sample_run(spool);
    struct trace *trace = close_and_read(spool);
    check_query(trace,
                "SELECT call, kernel_name, work_dim, global_size, local_size, start_ns, end_ns,"
                " duration_ns FROM launch",
                "13|sum|2|1024,16|NULL|5000|12345|7345\n");
    check_query(trace, "SELECT * FROM launch_view",
                "13|sum|1024,16|chosen by the device|0|queue#1|2|7.3|CL_SUCCESS\n");
    check_query(trace, "SELECT * FROM finding_view",
                "1|error|handle-foreign|0xdead is not a kernel|17|clRetainKernel\n");
    check_query(trace, "SELECT count(*) FROM call_view WHERE result = 'CL_INVALID_KERNEL'", "1\n");
    check_query(trace, "SELECT released FROM object_view WHERE name = 'buffer#1'",
                "clReleaseMemObject (call 11)\n");
    trace_close(trace);
}

/* Two threads: the release of a handle begins, the driver gives the handle to the create of the
 * other thread, which had begun earlier. By their ids the create would come first. */
/* What the layer asked for: of a launch, and of a command that is none. */
static void times_of_commands_are_those_of_launches(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    sample_run(spool);
    spool_times(spool, &(struct api_command_times){13, 20, 30, 40, 55, 60});
    spool_times(spool, &(struct api_command_times){14, 21, 31, 41, 51, 0});
    struct trace *trace = close_and_read(spool);
    check_query(trace, "SELECT * FROM command_time", "13|20|30|40|55|60\n14|21|31|41|51|NULL\n");
    check_query(trace,
                "SELECT call, queued_ns, submit_ns, start_ns, end_ns, complete_ns, duration_ns"
                " FROM launch",
                "13|20|30|40|55|60|15\n");
    trace_close(trace);
}

static void handles_reused_across_threads_are_told_apart(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    struct api_call create = sample_call(1, 1, API_ENTRY_clCreateBuffer);
    create.begin_ns = 100;
    spool_call_begin(spool, &create);
    sample_creates(&create, 0x70);
    create.end_ns = 200;
    spool_call_end(spool, &create);
    struct api_call second = sample_call(2, 2, API_ENTRY_clCreateBuffer);
    second.begin_ns = 300;
    spool_call_begin(spool, &second);
    struct api_call release = sample_call(3, 1, API_ENTRY_clReleaseMemObject);
    release.begin_ns = 310;
    sample_handle(&release, API_clReleaseMemObject_memobj, 0x70);
    spool_call_begin(spool, &release);
    sample_creates(&second, 0x70);
    second.end_ns = 400;
    spool_call_end(spool, &second);
    sample_returns(&release, 0);
    release.end_ns = 500;
    spool_call_end(spool, &release);
    struct trace *trace = close_and_read(spool);
    check_query(trace, "SELECT name, created_call, released_call FROM object",
                "buffer#1|1|3\nbuffer#2|2|NULL\n");
    trace_close(trace);
}

static void retained_objects_live_until_the_last_release(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    struct api_call call = sample_call(1, 1, API_ENTRY_clCreateUserEvent);
    sample_creates(&call, 0x80);
    spool_call_end(spool, &call);
    for (uint64_t id = 2; id <= 4; ++id) {
        const uint32_t entry = id == 2 ? API_ENTRY_clRetainEvent : API_ENTRY_clReleaseEvent;
        call = sample_call(id, 1, entry);
        sample_handle(&call, 0, 0x80);
        spool_call_begin(spool, &call);
        sample_returns(&call, 0);
        spool_call_end(spool, &call);
    }
    struct trace *trace = close_and_read(spool);
    check_query(trace, "SELECT name, created_call, released_call FROM object", "event#1|1|4\n");
    struct trace_names names = {.trace = trace, .call_id = 3};
    assert_string_equal(trace_handle_name(&names, 0x80), "event#1");
    names.call_id = 5;
    assert_null(trace_handle_name(&names, 0x80));
    trace_close(trace);
}

static void failed_and_blocked_calls_change_nothing(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    struct api_call call = sample_call(1, 1, API_ENTRY_clCreateBuffer);
    sample_creates(&call, 0x70);
    spool_call_end(spool, &call);
    call = sample_call(2, 1, API_ENTRY_clReleaseMemObject);
    sample_handle(&call, 0, 0x70);
    spool_call_begin(spool, &call);
    sample_returns(&call, CL_INVALID_MEM_OBJECT);
    spool_call_end(spool, &call);
    call = sample_call(3, 1, API_ENTRY_clReleaseMemObject);
    sample_handle(&call, 0, 0x70);
    spool_call_begin(spool, &call);
    sample_returns(&call, 0);
    call.flags |= API_CALL_BLOCKED;
    spool_call_end(spool, &call);
    call = sample_call(4, 1, API_ENTRY_clReleaseMemObject);
    sample_handle(&call, 0, 0x70);
    spool_call_begin(spool, &call);
    struct trace *trace = close_and_read(spool);
    check_query(trace, "SELECT name, released_call FROM object", "buffer#1|NULL\n");
    check_query(trace, "SELECT id, failed FROM call", "1|0\n2|1\n3|0\n4|0\n");
    trace_close(trace);
}

/* As the rules do, whose findings stand beside them. */
static void objects_are_named_by_what_they_are(void **state)
{
    (void)state;
    static const uint64_t devices[] = {0x20, 0x21};
    struct spool *spool = open_spool();
    struct api_call call = sample_call(1, 1, API_ENTRY_clCreateFromGLBuffer);
    sample_creates(&call, 0x70);
    spool_call_end(spool, &call);
    call = sample_call(2, 1, API_ENTRY_clCreateFromGLTexture);
    sample_creates(&call, 0x71);
    spool_call_end(spool, &call);
    call = sample_call(3, 1, API_ENTRY_clCreateBuffer);
    sample_creates(&call, 0x72);
    spool_call_end(spool, &call);
    for (uint64_t id = 4; id <= 5; ++id) {
        call = sample_call(id, 1, API_ENTRY_clGetContextInfo);
        sample_scalar(&call, API_clGetContextInfo_param_name, CL_CONTEXT_DEVICES);
        sample_bytes(&call, API_clGetContextInfo_param_value, devices, sizeof devices);
        sample_returns(&call, 0);
        spool_call_end(spool, &call);
    }
    struct trace *trace = close_and_read(spool);
    check_query(trace, "SELECT name, created_call FROM object",
                "buffer#1|1\nimage#1|2\nbuffer#2|3\ndevice#1|4\ndevice#2|4\n");
    trace_close(trace);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_teardown(function, clean)
    const struct CMUnitTest tests[] = {
        TEST(objects_live_from_call_to_call),
        TEST(a_launch_names_kernel_queue_and_time),
        TEST(times_of_commands_are_those_of_launches),
        TEST(handles_reused_across_threads_are_told_apart),
        TEST(retained_objects_live_until_the_last_release),
        TEST(failed_and_blocked_calls_change_nothing),
        TEST(objects_are_named_by_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
