/* The preloaded library over a libOpenCL of the test's own, found through LD_LIBRARY_PATH. */
#include "trace/api/entry.h"
#include "trace/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/clerk-test-preload-XXXXXX";
static char path[256];

/* The exit status; standard output, cut to `size`, in `output`. */
static int run(const char *mode, char *output, size_t size)
{
    char command[2048];
    snprintf(command, sizeof command,
             "rm -rf '%s'/*; LD_PRELOAD='%s' LD_LIBRARY_PATH='%s' CLERK_TRACE='%s' %s '%s' %s",
             directory, PRELOAD_PATH, FAKE_DIRECTORY, path, EMULATOR, PROGRAM_PATH, mode);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, size - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void assert_recorded_calls(uint32_t first, uint32_t second)
{
    struct trace *trace;
    struct trace_cursor *cursor;
    struct api_call calls[2];
    struct arena arena = {0};
    struct error error;
    bool found;
    if (trace_open(path, &trace, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(trace_calls(trace, NULL, &cursor, &error), STATUS_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(trace_cursor_next(cursor, &arena, &calls[i], &found, &error), STATUS_OK);
        assert_true(found);
    }
    assert_int_equal(calls[0].entry, first);
    assert_int_equal(calls[1].entry, second);
    trace_cursor_destroy(cursor);
    trace_close(trace);
    arena_release(&arena);
}

static void a_linked_program_is_recorded(void **state)
{
    (void)state;
    char output[64];
    assert_int_equal(run("linked", output, sizeof output), 5);
    assert_string_equal(output, "fake\n");
    assert_recorded_calls(API_ENTRY_clGetPlatformIDs, API_ENTRY_clGetPlatformInfo);
}

static void a_program_that_opens_the_library_is_recorded(void **state)
{
    (void)state;
    char output[64];
    assert_int_equal(run("opened", output, sizeof output), 5);
    assert_string_equal(output, "fake\n");
    assert_recorded_calls(API_ENTRY_clGetPlatformIDs, API_ENTRY_clGetPlatformInfo);
}

static void a_program_without_opencl_leaves_no_trace(void **state)
{
    (void)state;
    char output[64];
    assert_int_equal(run("other", output, sizeof output), 0);
    assert_string_equal(output, "");
    assert_int_not_equal(access(path, F_OK), 0);
}

static int make_directory(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/t.db", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linked_program_is_recorded),
        cmocka_unit_test(a_program_that_opens_the_library_is_recorded),
        cmocka_unit_test(a_program_without_opencl_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
