#include "checkers/rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_rule_is_found_by_its_id(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RULE_COUNT; ++i)
        assert_int_equal(rule_find(rule_get((enum rule_index)i)->id), i);
    assert_int_equal(rule_find("no-such-rule"), RULE_COUNT);
    assert_int_equal(rule_find(""), RULE_COUNT);
}

/* Ids are words of lower case and hyphens; claims and advice are sentences of one line. */
static void rows_are_complete(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RULE_COUNT; ++i) {
        const struct rule *rule = rule_get((enum rule_index)i);
        assert_int_equal(strspn(rule->id, "abcdefghijklmnopqrstuvwxyz-"), strlen(rule->id));
        assert_true(strlen(rule->claim) > 10 && !strchr(rule->claim, '\n'));
        assert_true(rule->claim[strlen(rule->claim) - 1] != '.');
        assert_true(strlen(rule->advice) > 10 && rule->advice[strlen(rule->advice) - 1] == '.');
        assert_true(strlen(rule->specification) > 5);
        assert_true(strlen(rule->group) > 2 && rule_find(rule->group) == RULE_COUNT);
    }
}

/* A difference that changes something, narrow enough for a terminal after an indent. */
static void rules_have_examples(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RULE_COUNT; ++i) {
        const struct rule *rule = rule_get((enum rule_index)i);
        const char *line = rule_example(rule);
        bool changes = false;
        if (!line)
            fail_msg("rule %s has no example: add it to checkers/examples.def", rule->id);
        while (*line) {
            const size_t length = strcspn(line, "\n");
            if (length > 78 || !line[length] || !strchr(" -+", *line))
                fail_msg("the example of rule %s has a line that is none: %s", rule->id, line);
            changes |= *line != ' ';
            line += length + 1;
        }
        if (!changes)
            fail_msg("the example of rule %s changes nothing", rule->id);
    }
}

static void nearest_id_mends_slips_only(void **state)
{
    (void)state;
    assert_string_equal(rule_nearest_id("raec-global"), "race-global");
    assert_string_equal(rule_nearest_id("handle_released"), "handle-released");
    assert_null(rule_nearest_id("something-else-entirely"));
    assert_string_equal(rule_nearest_word("raec"), "race");
    assert_string_equal(rule_nearest_word("raec-global"), "race-global");
    assert_null(rule_nearest_word("something-else-entirely"));
    char longer[200];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_null(rule_nearest_id(longer));
    assert_null(rule_nearest_word(longer));
}

static void severities_have_names(void **state)
{
    (void)state;
    assert_string_equal(severity_name(SEVERITY_NOTE), "note");
    assert_string_equal(severity_name(SEVERITY_WARNING), "warning");
    assert_string_equal(severity_name(SEVERITY_ERROR), "error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_found_by_its_id),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(rules_have_examples),
        cmocka_unit_test(nearest_id_mends_slips_only),
        cmocka_unit_test(severities_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
