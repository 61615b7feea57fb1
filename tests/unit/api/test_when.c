/* The moments at which a recording begins and ends. */
#include "trace/api/when.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void each_kind_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum when_kind kind;
        uint64_t number;
        const char *name;
    } cases[] = {
        {"call:812", WHEN_CALL, 812, ""},           {"launch:1", WHEN_LAUNCH, 1, ""},
        {"frame:60", WHEN_FRAME, 60, ""},           {"kernel:sum", WHEN_KERNEL, 1, "sum"},
        {"kernel:sum:7", WHEN_KERNEL, 7, "sum"},    {"time:1.5", WHEN_TIME, 1500000000, ""},
        {"signal:SIGHUP", WHEN_SIGNAL, SIGHUP, ""}, {"file:/tmp/a:b", WHEN_FILE, 0, "/tmp/a:b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct when when;
        assert_int_equal(when_parse(cases[i].text, &when, NULL), STATUS_OK);
        assert_int_equal(when.kind, cases[i].kind);
        assert_int_equal(when.number, cases[i].number);
        assert_int_equal(when.name_length, strlen(cases[i].name));
        assert_true(when.name_length == 0 ||
                    memcmp(when.name, cases[i].name, when.name_length) == 0);
    }
}

static void other_words_are_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",           "soon",      "call:",        "call:0",         "call:1x",
        "launch:-1",  "frame:1.5", "kernel:",      "kernel::2",      "kernel:sum:",
        "kernel:a:0", "time:",     "time:-1",      "signal:SIGKILL", "signal:9",
        "file:",      "time:nan",  "kernel:a:1:2", "LAUNCH:3",       " call:3"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct when when = {.kind = WHEN_NEVER};
        assert_int_equal(when_parse(cases[i], &when, NULL), STATUS_INVALID);
        assert_int_equal(when.kind, WHEN_NEVER);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_read),
        cmocka_unit_test(other_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
