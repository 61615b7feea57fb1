#include "checkers/checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct checks parse(const char *list)
{
    struct checks checks;
    struct error error;
    assert_int_equal(checks_parse(list, &checks, &error), STATUS_OK);
    return checks;
}

static size_t count(const struct checks *checks)
{
    size_t result = 0;
    for (unsigned i = 0; i < RULE_COUNT; ++i)
        result += checks_has(checks, (enum rule_index)i);
    return result;
}

/* The rules that are not among the usual ones: build-options, and the group portability. */
enum { UNUSUAL = 9 };

static void all_and_nothing(void **state)
{
    (void)state;
    struct checks checks = parse("all");
    assert_int_equal(count(&checks), RULE_COUNT);
    checks = parse("usual");
    assert_int_equal(count(&checks), RULE_COUNT - UNUSUAL);
    assert_false(checks_has(&checks, RULE_BUILD_OPTIONS));
    assert_false(checks_has(&checks, RULE_PORTABILITY_PUN));
    assert_false(checks_has(&checks, RULE_PLATFORM_NULL));
    checks = parse("");
    assert_int_equal(count(&checks), RULE_COUNT - UNUSUAL);
    checks = parse(" , ,");
    assert_int_equal(count(&checks), RULE_COUNT - UNUSUAL);
    checks = parse("none");
    assert_int_equal(count(&checks), 0);
    assert_false(checks_has_any(&checks, RULE_WHERE_HOST));
}

static void groups_and_rules_add(void **state)
{
    (void)state;
    struct checks checks = parse("race, bounds-local");
    assert_true(checks_has(&checks, RULE_RACE_GLOBAL));
    assert_true(checks_has(&checks, RULE_RACE_LOCAL));
    assert_true(checks_has(&checks, RULE_BOUNDS_LOCAL));
    assert_false(checks_has(&checks, RULE_BOUNDS_GLOBAL));
    assert_false(checks_has_any(&checks, RULE_WHERE_HOST));
    assert_true(checks_has_any(&checks, RULE_WHERE_KERNEL));
}

static void a_leading_minus_removes_from_the_usual(void **state)
{
    (void)state;
    struct checks checks = parse("-race-global");
    assert_int_equal(count(&checks), RULE_COUNT - UNUSUAL - 1);
    assert_false(checks_has(&checks, RULE_RACE_GLOBAL));
    checks = parse("-all");
    assert_int_equal(count(&checks), 0);
}

static void items_apply_from_left_to_right(void **state)
{
    (void)state;
    struct checks checks = parse("race,-race-global");
    assert_int_equal(count(&checks) > 0, 1);
    assert_false(checks_has(&checks, RULE_RACE_GLOBAL));
    assert_true(checks_has(&checks, RULE_RACE_LOCAL));
    checks = parse("-race,race-global");
    assert_true(checks_has(&checks, RULE_RACE_GLOBAL));
    assert_false(checks_has(&checks, RULE_RACE_LOCAL));
    checks = parse("all,none,host");
    assert_true(checks_has(&checks, RULE_HANDLE_NULL));
    assert_false(checks_has_any(&checks, RULE_WHERE_KERNEL));
}

static void unknown_names_are_refused_and_nothing_changes(void **state)
{
    (void)state;
    struct checks checks = parse("race");
    const struct checks before = checks;
    struct error error;
    assert_int_equal(checks_parse("handle-nul", &checks, &error), STATUS_INVALID);
    assert_non_null(strstr(error.text, "'handle-null'"));
    assert_int_equal(checks_parse("race,gibberish", &checks, &error), STATUS_INVALID);
    assert_non_null(strstr(error.text, "'gibberish'"));
    assert_int_equal(checks_parse("-", &checks, &error), STATUS_INVALID);
    char longer[300];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_int_equal(checks_parse(longer, &checks, &error), STATUS_INVALID);
    assert_memory_equal(&checks, &before, sizeof checks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_and_nothing),
        cmocka_unit_test(groups_and_rules_add),
        cmocka_unit_test(a_leading_minus_removes_from_the_usual),
        cmocka_unit_test(items_apply_from_left_to_right),
        cmocka_unit_test(unknown_names_are_refused_and_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
