#include "trace/api/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void names_and_variables_find_their_settings(void **state)
{
    (void)state;
    for (enum setting setting = 0; setting < SETTING_COUNT; setting++)
        assert_int_equal(setting_find(setting_get(setting)->name), setting);
    assert_int_equal(setting_find("no-such-setting"), SETTING_COUNT);
}

static void defaults_are_valid(void **state)
{
    (void)state;
    for (enum setting setting = 0; setting < SETTING_COUNT; setting++) {
        const char *initial = setting_get(setting)->initial;
        if (initial[0] != '\0')
            assert_int_equal(setting_check(setting, initial, NULL), STATUS_OK);
    }
}

static void wrong_values_are_named(void **state)
{
    (void)state;
    struct error error;
    assert_int_equal(setting_check(SETTING_CONTENTS, "everything", &error), STATUS_INVALID);
    assert_non_null(strstr(error.text, "contents"));
    assert_non_null(strstr(error.text, "everything"));
    assert_int_equal(setting_check(SETTING_CONTENTS, "input", NULL), STATUS_INVALID);
    assert_int_equal(setting_check(SETTING_CONTENTS, "none", NULL), STATUS_OK);
    assert_int_equal(setting_check(SETTING_SUB_GROUP_SIZE, "65", NULL), STATUS_INVALID);
    assert_int_equal(setting_check(SETTING_SUB_GROUP_SIZE, "0", NULL), STATUS_INVALID);
    assert_int_equal(setting_check(SETTING_SUB_GROUP_SIZE, "-1", NULL), STATUS_INVALID);
    assert_int_equal(setting_check(SETTING_SUB_GROUP_SIZE, "3", NULL), STATUS_INVALID);
    assert_int_equal(setting_check(SETTING_OPERATION_LIMIT, "-1", NULL), STATUS_INVALID);
    assert_int_equal(setting_check(SETTING_OPERATION_LIMIT, "18446744073709551616", NULL),
                     STATUS_INVALID);
    assert_int_equal(setting_check(SETTING_OPERATION_LIMIT, "7", NULL), STATUS_OK);
    assert_int_equal(setting_check(SETTING_SUB_GROUP_SIZE, "64", NULL), STATUS_OK);
    assert_int_equal(setting_check(SETTING_FAIL_CALLS, "perhaps", NULL), STATUS_INVALID);
}

static void a_seed_is_a_number(void **state)
{
    (void)state;
    assert_int_equal(setting_check(SETTING_SCHEDULE, "seed:42", NULL), STATUS_OK);
    assert_int_equal(setting_check(SETTING_SCHEDULE, "desc", NULL), STATUS_OK);
    assert_int_equal(setting_check(SETTING_SCHEDULE, "seed:", NULL), STATUS_INVALID);
    assert_int_equal(setting_check(SETTING_SCHEDULE, "seed:K", NULL), STATUS_INVALID);
}

static void a_schedule_may_be_of_items(void **state)
{
    static const char *const good[] = {"items",        "items:asc", "items:desc",
                                       "items:seed:0", "turns:1",   "pct:3:0"};
    static const char *const bad[] = {
        "items:", "items:both", "items:seed", "items:seed:1:2", "item",   "itemsdesc",
        "turns",  "turns:",     "turns:0",    "pct:3",          "pct:0:1"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(setting_check(SETTING_SCHEDULE, good[i], NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(setting_check(SETTING_SCHEDULE, bad[i], NULL), STATUS_INVALID);
}

static void workers_are_a_number_or_as_many_as_there_are(void **state)
{
    (void)state;
    assert_int_equal(setting_check(SETTING_WORKERS, "auto", NULL), STATUS_OK);
    assert_int_equal(setting_check(SETTING_WORKERS, "16", NULL), STATUS_OK);
    assert_int_equal(setting_check(SETTING_WORKERS, "0", NULL), STATUS_INVALID);
    assert_int_equal(setting_check(SETTING_WORKERS, "N", NULL), STATUS_INVALID);
    assert_int_equal(setting_check(SETTING_WORKERS, "2x", NULL), STATUS_INVALID);
    assert_int_equal(setting_check(SETTING_SUB_GROUP_SIZE, "3", NULL), STATUS_INVALID);
}

static void the_environment_overrides_the_default(void **state)
{
    (void)state;
    unsetenv("CLERK_SUB_GROUP_SIZE");
    assert_string_equal(setting_value(SETTING_SUB_GROUP_SIZE), "32");
    setenv("CLERK_SUB_GROUP_SIZE", "8", 1);
    assert_string_equal(setting_value(SETTING_SUB_GROUP_SIZE), "8");
    unsetenv("CLERK_FAIL_CALLS");
    assert_false(setting_is_set(SETTING_FAIL_CALLS));
    setenv("CLERK_FAIL_CALLS", "no", 1);
    assert_false(setting_is_set(SETTING_FAIL_CALLS));
    setenv("CLERK_FAIL_CALLS", "1", 1);
    assert_true(setting_is_set(SETTING_FAIL_CALLS));
    setenv("CLERK_CONTENTS", "", 1);
    assert_string_equal(setting_value(SETTING_CONTENTS), "inputs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_variables_find_their_settings),
        cmocka_unit_test(defaults_are_valid),
        cmocka_unit_test(wrong_values_are_named),
        cmocka_unit_test(a_seed_is_a_number),
        cmocka_unit_test(a_schedule_may_be_of_items),
        cmocka_unit_test(workers_are_a_number_or_as_many_as_there_are),
        cmocka_unit_test(the_environment_overrides_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
