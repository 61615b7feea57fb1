/* Child processes: their streams, their ends, and ours. */
#include "trace/base/alloc.h"
#include "trace/base/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct process_result run(const char *script, const char *input, uint32_t timeout_ms,
                                 bool hidden)
{
    const char *const arguments[] = {"sh", "-c", script, NULL};
    const struct process_request request = {.arguments = arguments,
                                            .input = input,
                                            .input_size = input ? strlen(input) : 0,
                                            .output_max = 1 << 20,
                                            .timeout_ms = timeout_ms,
                                            .hidden = hidden};
    struct process_result result;
    struct error error = {0};
    if (process_run(&request, &result, &error))
        fail_msg("%s", error.text);
    return result;
}

static struct process_result run_shell(const char *script, const char *input, uint32_t timeout_ms)
{
    return run(script, input, timeout_ms, false);
}

static void streams_and_status_come_back(void **state)
{
    (void)state;
    struct process_result result = run_shell("cat; echo bad >&2; exit 3", "given", 0);
    assert_string_equal(result.standard_output.bytes, "given");
    assert_string_equal(result.standard_error.bytes, "bad\n");
    assert_int_equal(result.exit_status, 3);
    assert_int_equal(result.signal, 0);
    process_result_release(&result);
}

static void a_signal_is_told(void **state)
{
    (void)state;
    struct process_result result = run_shell("kill -9 $$", NULL, 0);
    assert_int_equal(result.exit_status, -1);
    assert_int_equal(result.signal, SIGKILL);
    assert_false(result.timed_out);
    process_result_release(&result);
}

static void a_child_that_hangs_is_killed(void **state)
{
    (void)state;
    struct process_result result = run_shell("echo begun; exec sleep 100", NULL, 2000);
    assert_true(result.timed_out);
    assert_int_equal(result.signal, SIGKILL);
    assert_string_equal(result.standard_output.bytes, "begun\n");
    process_result_release(&result);
}

static void much_input_and_output_do_not_block(void **state)
{
    (void)state;
    enum { SIZE = 3 << 20 };
    char *input = alloc(SIZE + 1);
    assert_non_null(input);
    memset(input, 'x', SIZE);
    input[SIZE] = 0;
    struct process_result result = run_shell("cat; head -c 200000 /dev/zero >&2", input, 0);
    assert_int_equal(result.exit_status, 0);
    /* output_max is kept, the rest read and dropped. */
    assert_int_equal(result.standard_output.size, 1 << 20);
    assert_int_equal(result.standard_error.size, 200000);
    process_result_release(&result);
    /* A child that does not read its input: no SIGPIPE for us. */
    result = run_shell("exit 5", input, 0);
    assert_int_equal(result.exit_status, 5);
    process_result_release(&result);
    alloc_free(input);
}

/* Also what the child started itself, which would hold the streams open. */
static void limits_end_a_child_and_its_own(void **state)
{
    (void)state;
    struct process_request request = {
        .arguments = (const char *const[]){"sh", "-c", "yes & yes & wait", NULL},
        .output_max = 100000,
        .timeout_ms = 60000,
        .output_limited = true,
        .own_group = true,
    };
    struct process_result result;
    assert_int_equal(process_run(&request, &result, NULL), STATUS_OK);
    assert_true(result.flooded);
    assert_false(result.timed_out);
    assert_int_equal(result.standard_output.size, 100000);
    process_result_release(&result);

    request.arguments = (const char *const[]){"sh", "-c", "sleep 100 & echo begun; exit 3", NULL};
    request.timeout_ms = 500;
    assert_int_equal(process_run(&request, &result, NULL), STATUS_OK);
    assert_true(result.timed_out);
    assert_string_equal(result.standard_output.bytes, "begun\n");
    process_result_release(&result);

    request.arguments = (const char *const[]){"sh", "-c", "exec >&- 2>&-; sleep 100", NULL};
    assert_int_equal(process_run(&request, &result, NULL), STATUS_OK);
    assert_true(result.timed_out);
    process_result_release(&result);

    request.arguments = (const char *const[]){"sh", "-c", "sleep 0.2; ulimit -v", NULL};
    request.timeout_ms = 60000;
    request.memory_max = 512 << 20;
    assert_int_equal(process_run(&request, &result, NULL), STATUS_OK);
    assert_string_equal(result.standard_output.bytes,
                        CLERK_TEST_EMULATED ? "unlimited\n" : "524288\n");
    process_result_release(&result);
}

/* Both run at once, though the first gets its input from the second. */
static void a_process_gets_its_input_later(void **state)
{
    (void)state;
    const char *const arguments[] = {"sh", "-c", "echo ready >&2; cat; exit 4", NULL};
    const struct process_request request = {
        .arguments = arguments, .output_max = 1 << 20, .timeout_ms = 10000, .own_group = true};
    struct process *process, *without;
    struct process_result result;
    struct error error;
    assert_int_equal(process_start(&request, &process, &error), STATUS_OK);
    assert_int_equal(process_start(&request, &without, &error), STATUS_OK);
    struct process_result before = run_shell("echo made", NULL, 0);
    assert_int_equal(process_finish(process, before.standard_output.bytes,
                                    before.standard_output.size, &result, &error),
                     STATUS_OK);
    assert_string_equal(result.standard_output.bytes, "made\n");
    assert_string_equal(result.standard_error.bytes, "ready\n");
    assert_int_equal(result.exit_status, 4);
    process_result_release(&result);
    process_result_release(&before);
    assert_int_equal(process_finish(without, NULL, 0, &result, &error), STATUS_OK);
    assert_string_equal(result.standard_output.bytes, "");
    assert_int_equal(result.exit_status, 4);
    process_result_release(&result);
}

/* With what it started, and nothing is left to wait for. */
static void an_abandoned_process_ends(void **state)
{
    (void)state;
    const char *const arguments[] = {"sh", "-c", "sleep 1000 & exec sleep 1000", NULL};
    _Atomic int64_t running = 0;
    const struct process_request request = {
        .arguments = arguments, .output_max = 100, .own_group = true, .running = &running};
    struct process *process;
    assert_int_equal(process_start(&request, &process, NULL), STATUS_OK);
    assert_true(running > 0);
    process_abandon(process);
    process_abandon(NULL);
    assert_int_equal(running, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_missing_program_is_named(void **state)
{
    (void)state;
    const char *const arguments[] = {"no-such-program-here", NULL};
    if (CLERK_TEST_EMULATED)
        skip(); /* qemu says that posix_spawn of a missing program succeeds */
    struct process_result result;
    struct error error = {0};
    assert_int_equal(
        process_run(&(struct process_request){.arguments = arguments}, &result, &error),
        STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "no-such-program-here"));
    assert_null(process_find_program("no-such-program-here"));
    char *shell = process_find_program("sh");
    assert_non_null(shell);
    assert_int_equal(shell[0], '/');
    alloc_free(shell);
}

static volatile sig_atomic_t heard;

static void hear(int signal)
{
    heard = signal;
}

/* It waits for its input, while nothing is there to be waited for. */
static void a_hidden_process_is_no_child(void **state)
{
    (void)state;
    struct sigaction before;
    const struct sigaction listening = {.sa_handler = hear};
    assert_int_equal(sigaction(SIGCHLD, &listening, &before), 0);
    struct process_result result = run("cat; echo bad >&2; exit 3", "given", 0, true);
    assert_string_equal(result.standard_output.bytes, "given");
    assert_string_equal(result.standard_error.bytes, "bad\n");
    assert_int_equal(result.exit_status, -1);
    assert_int_equal(result.signal, 0);
    process_result_release(&result);
    assert_int_equal(waitpid(-1, NULL, 0), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(heard, 0);
    assert_int_equal(sigaction(SIGCHLD, &before, NULL), 0);
}

static bool runs(long process)
{
    return process_is_running(process, process_start_time(process));
}

static void a_hidden_process_that_hangs_is_killed_with_its_own(void **state)
{
    (void)state;
    struct process_result result =
        run("echo $$; sleep 100 >/dev/null 2>&1 & echo $!; wait", NULL, 1000, true);
    long shell = 0;
    long sleeper = 0;
    assert_true(result.timed_out);
    assert_int_equal(sscanf(result.standard_output.bytes, "%ld %ld", &shell, &sleeper), 2);
    for (int i = 0; i < 2000 && (runs(shell) || runs(sleeper)); i++)
        usleep(1000);
    assert_false(runs(shell) || runs(sleeper));
    process_result_release(&result);
}

static void running_processes_are_known_by_id_and_start(void **state)
{
    (void)state;
    const uint64_t start = process_start_time(getpid());
    assert_int_not_equal(start, 0);
    assert_true(process_is_running(getpid(), start));
    assert_false(process_is_running(getpid(), start + 1));
    assert_false(process_is_running(-1, start));
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    const uint64_t child_start = process_start_time(child);
    siginfo_t facts;
    waitid(P_PID, (id_t)child, &facts, WEXITED | WNOWAIT);
    /* Dead, but nobody has asked for its status yet. */
    assert_false(process_is_running(child, child_start));
    waitpid(child, NULL, 0);
    assert_false(process_is_running(child, child_start));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_and_status_come_back),
        cmocka_unit_test(a_signal_is_told),
        cmocka_unit_test(a_child_that_hangs_is_killed),
        cmocka_unit_test(much_input_and_output_do_not_block),
        cmocka_unit_test(limits_end_a_child_and_its_own),
        cmocka_unit_test(a_process_gets_its_input_later),
        cmocka_unit_test(an_abandoned_process_ends),
        cmocka_unit_test(a_missing_program_is_named),
        cmocka_unit_test(a_hidden_process_is_no_child),
        cmocka_unit_test(a_hidden_process_that_hangs_is_killed_with_its_own),
        cmocka_unit_test(running_processes_are_known_by_id_and_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
