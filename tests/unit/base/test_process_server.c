/* A program that was loaded once and is forked: it is as one that we start, and nothing is left. */
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char directory[] = "/tmp/clerk-test-XXXXXX";
static char *sockets;

static const char *const environment[] = {"PATH=/usr/bin:/bin", "GIVEN=one two", NULL};

/* Each test has a server of its own. */
static struct process_server server = {.library = LOADED_LIBRARY,
                                       .idle = PROCESS_SERVER_IDLE "=200"};

static struct process_request make_request(const char *const *arguments, const char *input)
{
    return (struct process_request){.arguments = arguments,
                                    .environment = environment,
                                    .input = input,
                                    .input_size = input ? strlen(input) : 0,
                                    .output_max = 1 << 20,
                                    .own_group = true,
                                    .server = &server};
}

static struct process_result run(const char *script, const char *input, uint32_t timeout_ms)
{
    const char *const arguments[] = {"/bin/sh", "-c", script, "name", "argument", NULL};
    struct process_request request = make_request(arguments, input);
    struct process_result result;
    struct error error = {0};
    request.timeout_ms = timeout_ms;
    if (process_run(&request, &result, &error))
        fail_msg("%s", error.text);
    return result;
}

static void prints(const char *script, const char *expected)
{
    struct process_result result = run(script, NULL, 0);
    assert_string_equal(result.standard_error.bytes, "");
    assert_string_equal(result.standard_output.bytes, expected);
    process_result_release(&result);
}

/* Who forks. */
static long find_server(void)
{
    struct process_result result = run("echo $PPID", NULL, 0);
    const long id = strtol(result.standard_output.bytes, NULL, 10);
    process_result_release(&result);
    assert_true(id > 1);
    return id;
}

static bool holds(bool condition(long), long value)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int i = 0; i < 500 && !condition(value); i++)
        nanosleep(&pause, NULL);
    return condition(value);
}

static bool has_ended(long id)
{
    return kill((pid_t)id, 0) != 0 || process_is_zombie(id);
}

static bool is_empty(long last)
{
    DIR *folder = opendir(sockets);
    int count = 0;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += strcmp(entry->d_name, "last") != 0;
    closedir(folder);
    (void)last;
    return count == 2;
}

static int begin(void **state)
{
    static char name[16];
    static int count;
    snprintf(name, sizeof name, "test%d", count++);
    server.name = name;
    server.directory = sockets;
    server.library = LOADED_LIBRARY;
    (void)state;
    return 0;
}

static void it_is_as_one_that_we_start(void **state)
{
    char here[4096], expected[8192];
    (void)state;
    struct process_result result = run("cat; echo bad >&2; exit 3", "given", 0);
    assert_string_equal(result.standard_output.bytes, "given");
    assert_string_equal(result.standard_error.bytes, "bad\n");
    assert_int_equal(result.exit_status, 3);
    assert_int_equal(result.signal, 0);
    process_result_release(&result);
    assert_non_null(getcwd(here, sizeof here));
    snprintf(expected, sizeof expected, "%s\none two\nname argument\n\n0\n", here);
    prints("pwd; echo \"$GIVEN\"; echo \"$0 $1\"; echo $LD_PRELOAD; ls /proc/self/fd | "
           "grep -c '^[4-9]'",
           expected);
    result = run("kill -9 $$", NULL, 0);
    assert_int_equal(result.exit_status, -1);
    assert_int_equal(result.signal, SIGKILL);
    process_result_release(&result);
}

static void one_server_forks_them_all_and_ends(void **state)
{
    (void)state;
    const long first = find_server();
    assert_int_equal(find_server(), first);
    prints("readlink /proc/$PPID/cwd", "/\n");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_true(holds(has_ended, first));
    assert_true(holds(is_empty, 0));
    assert_int_not_equal(find_server(), first);
}

static void limits_are_its_own(void **state)
{
    const char *const arguments[] = {"/bin/sh", "-c", "ulimit -v; ulimit -t", NULL};
    struct process_request request = make_request(arguments, NULL);
    struct process_result result;
    (void)state;
    request.memory_max = 1 << 30;
    request.timeout_ms = 5000;
    assert_int_equal(process_run(&request, &result, NULL), STATUS_OK);
    assert_string_equal(result.standard_output.bytes, "1048576\n7\n");
    process_result_release(&result);
    prints("ulimit -v", "unlimited\n");
}

static void one_that_hangs_is_killed_with_its_own(void **state)
{
    (void)state;
    struct process_result result = run("sleep 100 & echo $! $$; exec sleep 100", NULL, 300);
    char *end;
    const long child = strtol(result.standard_output.bytes, &end, 10);
    const long self = strtol(end, NULL, 10);
    assert_true(result.timed_out);
    assert_int_equal(result.signal, SIGKILL);
    assert_true(holds(has_ended, child));
    assert_true(holds(has_ended, self));
    process_result_release(&result);
}

static void one_that_closes_its_output_is_awaited(void **state)
{
    (void)state;
    struct process_result result = run("exec >&- 2>&-; sleep 0.2; exit 4", NULL, 10000);
    assert_int_equal(result.exit_status, 4);
    process_result_release(&result);
}

static void several_work_at_once(void **state)
{
    enum { COUNT = 8 };
    const char *const arguments[] = {"/bin/cat", NULL};
    const struct process_request request = make_request(arguments, NULL);
    struct process *processes[COUNT];
    (void)state;
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(process_start(&request, &processes[i], NULL), STATUS_OK);
    for (int i = 0; i < COUNT; i++) {
        struct process_result result;
        char text[16];
        if (i == 3) {
            process_abandon(processes[i]);
            continue;
        }
        snprintf(text, sizeof text, "number %d", i);
        assert_int_equal(process_finish(processes[i], text, strlen(text), &result, NULL),
                         STATUS_OK);
        assert_string_equal(result.standard_output.bytes, text);
        assert_int_equal(result.exit_status, 0);
        process_result_release(&result);
    }
}

/* Somebody may wait for the end of a pipe that the program gave to its children. */
static void it_keeps_nothing_open(void **state)
{
    int ends[2];
    char byte;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    const long id = find_server();
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    assert_false(has_ended(id));
    close(ends[0]);
}

static void without_the_library_we_start_it(void **state)
{
    char path[4096];
    (void)state;
    server.library = "/nonexistent/library.so";
    prints("echo $PPID | grep -c .", "1\n");
    snprintf(path, sizeof path, "%s/%s", sockets, server.name);
    assert_true(file_is_directory(path));
    prints("echo $PPID | grep -c .", "1\n");
    assert_int_equal(rmdir(path), 0);
}

static void where_zombies_stay_there_is_none(void **state)
{
    char target[32], path[4096], expected[32];
    (void)state;
    const pid_t zombie = fork();
    if (zombie == 0)
        _exit(0);
    assert_true(holds(has_ended, zombie));
    snprintf(target, sizeof target, "%ld", (long)zombie);
    snprintf(path, sizeof path, "%s/last", sockets);
    unlink(path);
    assert_int_equal(symlink(target, path), 0);
    snprintf(expected, sizeof expected, "%ld\n", (long)getpid());
    assert_true(find_server() != getpid());
    const struct timespec long_ago[] = {{.tv_sec = 1}, {.tv_sec = 1}};
    assert_int_equal(utimensat(AT_FDCWD, path, long_ago, AT_SYMLINK_NOFOLLOW), 0);
    begin(state);
    prints("echo $PPID", expected);
    assert_int_equal(waitpid(zombie, NULL, 0), zombie);
    prints("echo $PPID | grep -c .", "1\n");
    assert_int_not_equal(find_server(), getpid());
}

/* In a folder that nobody can make, too. */
static void without_a_directory_we_start_it(void **state)
{
    char expected[32];
    (void)state;
    server.directory = "/proc/none";
    snprintf(expected, sizeof expected, "%ld\n", (long)getpid());
    prints("echo $PPID", expected);
}

static void it_fits_its_circumstances(void **state)
{
    struct text one = TEXT_INIT, other = TEXT_INIT;
    (void)state;
    assert_true(process_server_circumstances("/bin/sh", &one));
    assert_true(process_server_circumstances("/bin/sh", &other));
    assert_string_equal(one.bytes, other.bytes);
    const mode_t mask = umask(0123);
    text_clear(&other);
    assert_true(process_server_circumstances("/bin/sh", &other));
    assert_string_not_equal(one.bytes, other.bytes);
    umask(mask);
    assert_int_equal(setenv("LD_LIBRARY_PATH", "/nonexistent", 1), 0);
    text_clear(&other);
    assert_true(process_server_circumstances("/bin/sh", &other));
    assert_string_not_equal(one.bytes, other.bytes);
    unsetenv("LD_LIBRARY_PATH");
    text_clear(&other);
    assert_false(process_server_circumstances("/nonexistent", &other));
    text_release(&one);
    text_release(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_is_as_one_that_we_start, begin),
        cmocka_unit_test_setup(one_server_forks_them_all_and_ends, begin),
        cmocka_unit_test_setup(limits_are_its_own, begin),
        cmocka_unit_test_setup(one_that_hangs_is_killed_with_its_own, begin),
        cmocka_unit_test_setup(one_that_closes_its_output_is_awaited, begin),
        cmocka_unit_test_setup(several_work_at_once, begin),
        cmocka_unit_test_setup(it_keeps_nothing_open, begin),
        cmocka_unit_test_setup(without_the_library_we_start_it, begin),
        cmocka_unit_test_setup(where_zombies_stay_there_is_none, begin),
        cmocka_unit_test_setup(without_a_directory_we_start_it, begin),
        cmocka_unit_test_setup(it_fits_its_circumstances, begin),
    };
    if (!mkdtemp(directory) || !(sockets = alloc_format("%s/sockets", directory)))
        return EXIT_FAILURE;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_true(holds(is_empty, 0));
    char *last = path_join(sockets, "last");
    unlink(last);
    rmdir(sockets);
    rmdir(directory);
    alloc_free(last);
    alloc_free(sockets);
    return failed;
}
