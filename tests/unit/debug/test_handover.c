/* A socket that is offered at a path goes to who first asks for it there, and to nobody else. */
#include "trace/debug/handover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void the_first_gets_it(void **state)
{
    struct debug_handover handover = {.path = NULL};
    struct error error;
    struct stat facts;
    int ends[2];
    char byte = 0;
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(debug_handover_offer(&handover, ends[1], &error), STATUS_OK);
    assert_int_equal(stat(handover.path, &facts), 0);
    assert_true(S_ISSOCK(facts.st_mode));
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(stat(handover.directory.path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0700);

    const int taken = debug_handover_take(handover.path);
    assert_true(taken >= 0);
    assert_int_equal(debug_handover_take(handover.path), -1);
    assert_int_equal(write(taken, "x", 1), 1);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(byte, 'x');
    /* Who offered it has it no more: its end is seen. */
    close(taken);
    assert_int_equal(read(ends[0], &byte, 1), 0);

    debug_handover_release(&handover);
    debug_handover_release(&handover);
    close(ends[0]);
}

static void nobody_comes(void **state)
{
    struct debug_handover handover = {.path = NULL};
    struct error error;
    int ends[2];
    char byte;
    char path[256];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(debug_handover_offer(&handover, ends[1], &error), STATUS_OK);
    snprintf(path, sizeof path, "%s", handover.path);
    debug_handover_release(&handover);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(debug_handover_take(path), -1);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

static void paths_that_are_none(void **state)
{
    char path[512];
    (void)state;
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    assert_int_equal(debug_handover_take(path), -1);
    assert_int_equal(debug_handover_take("/no/such/socket"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_gets_it),
        cmocka_unit_test(nobody_comes),
        cmocka_unit_test(paths_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
