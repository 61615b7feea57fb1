#include "sample.h"

#include "checkers/report.h"
#include "trace/base/alloc.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char *summary(struct report *report)
{
    struct text text = TEXT_INIT;
    report_print_summary(report, false, &text);
    return text_detach(&text);
}

static void assert_summary(struct report *report, const char *expected)
{
    char *text = summary(report);
    assert_string_equal(text, expected);
    alloc_free(text);
}

/* A finding of its own for each line. */
static enum report_added add_line(struct report *report, enum rule_index rule, uint32_t line)
{
    struct finding_place place = sample_race_places[0];
    struct finding finding = sample_race;
    place.line = line;
    finding.rule = rule;
    finding.places = &place;
    finding.place_count = 1;
    finding.count = 1;
    return report_add(report, &finding);
}

static bool collect_counts(void *user, const struct finding *finding)
{
    uint64_t *counts = user;
    counts[++counts[0]] = finding->count;
    return true;
}

static void nothing_to_say(void **state)
{
    (void)state;
    struct report *report = report_create(NULL);
    struct text text = TEXT_INIT;
    report_print_text(report, false, 0, &text);
    assert_string_equal(text.bytes, "clerk: no findings\n");
    assert_true(report_is_empty(report));
    text_clear(&text);
    report_print_json(report, &text);
    assert_string_equal(text.bytes, "");
    text_release(&text);
    report_destroy(report);
    report_destroy(NULL);
}

static bool collect_heat(void *user, const struct finding *finding)
{
    *(struct finding_heat *)user = finding->heat;
    return false;
}

static void equal_findings_are_counted_once(void **state)
{
    (void)state;
    struct report *report = report_create(NULL);
    assert_int_equal(report_add(report, &sample_race), REPORT_ADDED);
    assert_int_equal(report_add(report, &sample_call), REPORT_ADDED);
    assert_int_equal(report_add(report, &sample_race), REPORT_COUNTED);
    uint64_t counts[8] = {0};
    report_each(report, collect_counts, counts);
    assert_int_equal(counts[0], 2);
    assert_int_equal(counts[1], 62);
    assert_int_equal(counts[2], 1);
    struct finding_heat heat;
    report_each(report, collect_heat, &heat);
    assert_int_equal(heat.parts[0], 0);
    assert_int_equal(heat.parts[1], 60);
    assert_int_equal(report_count(report, SEVERITY_ERROR), 2);
    assert_false(report_is_empty(report));
    assert_summary(report, "clerk: 2 errors\n");
    report_destroy(report);
}

static const char *const callers[] = {"main+0x52 (app)", "again+0x7 (app)"};

/* The sample, or its places that are not kernel's, launched from a caller. */
static enum report_added add_launched(struct report *report, const struct finding *sample,
                                      size_t caller)
{
    struct arena arena = {0};
    struct finding finding = *sample;
    const struct finding_launch launch = {.call_id = 12 + caller,
                                          .function = "clEnqueueNDRangeKernel",
                                          .frames = &callers[caller],
                                          .frame_count = 1};
    assert_true(finding_add_launch(&finding, &launch, &arena));
    const enum report_added added = report_add(report, &finding);
    arena_release(&arena);
    return added;
}

static bool count_launches(void *user, const struct finding *finding)
{
    size_t *launches = user;
    for (size_t i = 0; i < finding->place_count; ++i)
        *launches += finding_place_is_launch(&finding->places[i]);
    return true;
}

static void a_line_is_one_finding_wherever_it_is_launched(void **state)
{
    (void)state;
    struct report *report = report_create(NULL);
    size_t launches = 0;
    assert_int_equal(add_launched(report, &sample_race, 0), REPORT_ADDED);
    assert_int_equal(add_launched(report, &sample_race, 1), REPORT_COUNTED);
    assert_int_equal(add_launched(report, &sample_race, 0), REPORT_COUNTED);
    report_each(report, count_launches, &launches);
    assert_int_equal(launches, 2);
    report_destroy(report);
    /* Nothing tells that it is the same. */
    report = report_create(NULL);
    assert_int_equal(add_launched(report, &sample_call, 0), REPORT_ADDED);
    assert_int_equal(add_launched(report, &sample_call, 1), REPORT_ADDED);
    report_destroy(report);
}

static void severities_are_summed(void **state)
{
    (void)state;
    struct report *report = report_create(NULL);
    add_line(report, RULE_OBJECT_LEAKED, 1);
    assert_summary(report, "clerk: 1 warning\n");
    add_line(report, RULE_HANDLE_BORROWED, 1);
    add_line(report, RULE_HANDLE_NULL, 1);
    add_line(report, RULE_OBJECT_LEAKED, 2);
    assert_summary(report, "clerk: 1 error, 2 warnings, 1 note\n");
    report_destroy(report);
}

static void a_summary_tells_what_ignores_warnings(void **state)
{
    (void)state;
    const struct report_options options = {.tells_of_warnings = true};
    struct report *report = report_create(&options);
    add_line(report, RULE_HANDLE_NULL, 1);
    assert_summary(report, "clerk: 1 error\n");
    add_line(report, RULE_OBJECT_LEAKED, 1);
    assert_summary(report, "clerk: 1 error, 1 warning (the exit status ignores warnings; --strict "
                           "counts them)\n");
    report_destroy(report);
}

static void a_limit_hides_but_counts(void **state)
{
    (void)state;
    const struct report_options options = {.max_per_rule = 2};
    struct report *report = report_create(&options);
    for (uint32_t line = 1; line <= 5; ++line)
        assert_int_equal(add_line(report, RULE_RACE_LOCAL, line),
                         line <= 2 ? REPORT_ADDED : REPORT_COUNTED);
    assert_int_equal(add_line(report, RULE_RACE_LOCAL, 5), REPORT_COUNTED);
    assert_int_equal(add_line(report, RULE_RACE_GLOBAL, 5), REPORT_ADDED);
    struct text text = TEXT_INIT;
    report_print_text(report, false, 0, &text);
    assert_non_null(
        strstr(text.bytes, "\n... and 3 more of [race-local] not shown\n\nclerk: 6 errors\n"));
    text_clear(&text);
    report_print_json(report, &text);
    assert_non_null(strstr(text.bytes, "\n{\"not_shown\":3,\"rule\":\"race-local\"}\n"));
    for (int format = REPORT_SARIF; format < REPORT_FORMAT_COUNT; ++format) {
        const struct report_style style = {.format = (enum report_format)format};
        text_clear(&text);
        report_print(report, &style, &text);
        assert_non_null(strstr(text.bytes, "3 more of [race-local] not shown"));
    }
    text_release(&text);
    uint64_t counts[8] = {0};
    report_each(report, collect_counts, counts);
    assert_int_equal(counts[0], 3);
    report_destroy(report);
}

static void no_limit(void **state)
{
    (void)state;
    const struct report_options options = {.max_per_rule = 0};
    struct report *report = report_create(&options);
    for (uint32_t line = 1; line <= 100; ++line)
        assert_int_equal(add_line(report, RULE_RACE_LOCAL, line), REPORT_ADDED);
    report_destroy(report);
}

static void suppressed_findings_are_not_findings(void **state)
{
    (void)state;
    struct suppressions *set = NULL;
    assert_int_equal(suppressions_parse("race-local", 10, "s", &set, NULL), STATUS_OK);
    const struct report_options options = {.max_per_rule = 10, .suppressions = set};
    struct report *report = report_create(&options);
    assert_int_equal(report_add(report, &sample_race), REPORT_SUPPRESSED);
    assert_int_equal(report_add(report, &sample_race), REPORT_SUPPRESSED);
    assert_true(report_is_empty(report));
    assert_summary(report, "clerk: no findings (1 suppressed)\n");
    report_add(report, &sample_call);
    assert_summary(report, "clerk: 1 error (1 suppressed)\n");
    report_destroy(report);
    suppressions_destroy(set);
}

static void json_is_one_object_a_line(void **state)
{
    (void)state;
    struct report *report = report_create(NULL);
    struct text text = TEXT_INIT;
    struct text expected = TEXT_INIT;
    report_add(report, &sample_call);
    report_add(report, &sample_race);
    report_print_json(report, &text);
    finding_print_json(&sample_call, &expected);
    text_append(&expected, "\n");
    finding_print_json(&sample_race, &expected);
    text_append(&expected, "\n");
    assert_string_equal(text.bytes, expected.bytes);
    text_release(&text);
    text_release(&expected);
    report_destroy(report);
}

static void *add_many(void *report)
{
    for (uint32_t i = 0; i < 2000; ++i)
        add_line(report, RULE_RACE_GLOBAL, 1 + i % 50);
    return NULL;
}

static void threads_may_add_at_once(void **state)
{
    (void)state;
    const struct report_options options = {.max_per_rule = 0};
    struct report *report = report_create(&options);
    pthread_t threads[4];
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, report), 0);
    for (size_t i = 0; i < 4; ++i)
        pthread_join(threads[i], NULL);
    uint64_t counts[64] = {0};
    report_each(report, collect_counts, counts);
    assert_int_equal(counts[0], 50);
    for (size_t i = 1; i <= 50; ++i)
        assert_int_equal(counts[i], 4 * 2000 / 50);
    report_destroy(report);
}

/* Whichever allocation fails: the finding still counts, and nothing leaks. */
static void want_of_memory_loses_text_not_counts(void **state)
{
    (void)state;
    const uint64_t before = alloc_live_count();
    enum report_added added = REPORT_COUNTED;
    for (uint64_t n = 1; added != REPORT_ADDED && n < 100; ++n) {
        struct report *report = report_create(NULL);
        alloc_fail_at(n);
        added = report_add(report, &sample_race);
        alloc_fail_at(0);
        assert_int_equal(report_count(report, SEVERITY_ERROR), 1);
        struct text text = TEXT_INIT;
        report_print_text(report, false, 0, &text);
        assert_true((strstr(text.bytes, "lost because memory ran out") == NULL) ==
                    (added == REPORT_ADDED));
        text_release(&text);
        report_destroy(report);
        assert_int_equal(alloc_live_count(), before);
    }
    assert_int_equal(added, REPORT_ADDED);
}

static void gaps_have_a_weight(void **state)
{
    (void)state;
    for (int strict = 0; strict < 2; ++strict) {
        const struct report_options options = {.strict = strict};
        struct report *report = report_create(&options);
        struct text text = TEXT_INIT;
        report_add_gap(
            report, &(struct report_gap){.sentence = "not looked at", .severity = SEVERITY_NOTE});
        assert_true(report_has_gap(report, SEVERITY_NOTE));
        assert_false(report_has_gap(report, SEVERITY_WARNING));
        report_print_summary(report, false, &text);
        assert_string_equal(text.bytes, "clerk: no findings\nclerk: not looked at\n");
        text_clear(&text);
        report_add_gap(report,
                       &(struct report_gap){.sentence = "not seen", .severity = SEVERITY_WARNING});
        assert_true(report_has_gap(report, SEVERITY_WARNING));
        assert_int_equal(report_has_gap(report, SEVERITY_ERROR), strict);
        report_print_summary(report, false, &text);
        assert_string_equal(text.bytes, "clerk: not looked at\nclerk: not seen\n");
        text_release(&text);
        report_add_gap(report,
                       &(struct report_gap){.sentence = "lost", .severity = SEVERITY_ERROR});
        assert_true(report_has_gap(report, SEVERITY_ERROR));
        report_destroy(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_say),
        cmocka_unit_test(equal_findings_are_counted_once),
        cmocka_unit_test(a_line_is_one_finding_wherever_it_is_launched),
        cmocka_unit_test(severities_are_summed),
        cmocka_unit_test(a_summary_tells_what_ignores_warnings),
        cmocka_unit_test(a_limit_hides_but_counts),
        cmocka_unit_test(no_limit),
        cmocka_unit_test(suppressed_findings_are_not_findings),
        cmocka_unit_test(json_is_one_object_a_line),
        cmocka_unit_test(threads_may_add_at_once),
        cmocka_unit_test(gaps_have_a_weight),
        cmocka_unit_test(want_of_memory_loses_text_not_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
