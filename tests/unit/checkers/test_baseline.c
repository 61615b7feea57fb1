#include "sample.h"

#include "checkers/report.h"
#include "trace/base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Loads a baseline of this text. */
static enum status load(const char *text, struct baseline **baseline, struct error *error)
{
    char path[] = "/tmp/clerk-baseline-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(descriptor_write(descriptor, text, strlen(text), path, error), STATUS_OK);
    close(descriptor);
    const enum status status = baseline_load(path, baseline, error);
    unlink(path);
    return status;
}

static struct baseline *baseline_of(const struct finding *first, const struct finding *second)
{
    struct baseline *baseline = NULL;
    struct error error;
    struct text text = TEXT_INIT;
    finding_print_json(first, &text);
    text_append(&text, "\r\n\n");
    if (second)
        finding_print_json(second, &text);
    assert_int_equal(load(text.bytes, &baseline, &error), STATUS_OK);
    text_release(&text);
    return baseline;
}

static void a_finding_is_known_where_its_line_has_moved(void **state)
{
    (void)state;
    struct finding moved = sample_race;
    struct finding_place places[2] = {sample_race_places[1], sample_race_places[0]};
    struct baseline *baseline = baseline_of(&sample_race, NULL);
    moved.places = places;
    moved.message = "in other words";
    places[1].line = 20;
    places[1].column = 18;
    places[1].source = "tile[lid] += tile[lid + s];  ";
    places[1].file = "/elsewhere/kernels/reduce.cl";
    assert_true(baseline_take(baseline, &moved));
    baseline_destroy(baseline);
    baseline = baseline_of(&sample_race, NULL);
    places[1].source = "tile[lid] += tile[lid + t];";
    assert_false(baseline_take(baseline, &moved));
    baseline_destroy(baseline);
}

static void a_call_site_is_known_however_it_is_built(void **state)
{
    (void)state;
    static const char *const stack[] = {"upload+0x23 (app)"};
    struct finding other = sample_call;
    struct finding_place places[2] = {sample_call_places[0], sample_call_places[1]};
    struct baseline *baseline = baseline_of(&sample_call, NULL);
    other.places = places;
    places[0].frames = stack;
    places[0].frame_count = 1;
    assert_true(baseline_take(baseline, &other));
    places[0].argument = "event_wait_list[3]";
    assert_false(baseline_take(baseline, &other));
    baseline_destroy(baseline);
}

static void each_is_known_as_often_as_it_is_there(void **state)
{
    (void)state;
    struct baseline *baseline = baseline_of(&sample_race, &sample_race);
    assert_true(baseline_take(baseline, &sample_race));
    assert_true(baseline_take(baseline, &sample_race));
    assert_false(baseline_take(baseline, &sample_race));
    assert_false(baseline_take(baseline, &sample_call));
    assert_false(baseline_take(NULL, &sample_race));
    baseline_destroy(baseline);
}

/* Is one finding new beside the other, which is known, and neither taken for the other? */
static void assert_apart(const struct finding *known, const struct finding *other)
{
    struct baseline *baseline = baseline_of(known, NULL);
    assert_false(baseline_take(baseline, other));
    assert_true(baseline_take(baseline, known));
    assert_false(baseline_take(baseline, other));
    baseline_destroy(baseline);
    baseline = baseline_of(other, NULL);
    assert_false(baseline_take(baseline, known));
    baseline_destroy(baseline);
}

/* The second bug may have come when the first one was mended. */
static void another_bug_of_the_kernel_is_new(void **state)
{
    (void)state;
    struct finding other = sample_race;
    struct finding_place places[2] = {sample_race_places[0], sample_race_places[1]};
    other.places = places;
    /* Another array of the same line. */
    other.subject = "local memory 'sums' (256 bytes), bytes 4 to 7";
    assert_apart(&sample_race, &other);
    /* The same array, in another expression of the line. */
    other.subject = sample_race.subject;
    places[0].column = 42;
    assert_apart(&sample_race, &other);
    /* Against another line. */
    places[0].column = sample_race_places[0].column;
    places[1].source = "    *to = 0;";
    assert_apart(&sample_race, &other);
}

static void another_call_of_the_program_is_new(void **state)
{
    (void)state;
    static const char *const stack[] = {"cl::Buffer::read() (/usr/include/CL/opencl.hpp:12)",
                                        "upload (app.c:3)"};
    static const char *const other_stack[] = {"cl::Buffer::read() (/usr/include/CL/opencl.hpp:12)",
                                              "main (app.c:30)"};
    struct finding finding = sample_call;
    struct finding_place places[2] = {sample_call_places[0], sample_call_places[1]};
    struct baseline *baseline = baseline_of(&sample_call, NULL);
    finding.places = places;
    places[0].frames = stack;
    assert_true(baseline_take(baseline, &finding));
    baseline_destroy(baseline);
    places[0].frames = other_stack;
    assert_apart(&sample_call, &finding);
}

static void a_report_counts_what_is_new(void **state)
{
    (void)state;
    struct baseline *baseline = baseline_of(&sample_race, NULL);
    struct report *report = report_create(&(struct report_options){.baseline = baseline});
    struct text text = TEXT_INIT;
    report_add(report, &sample_race);
    report_add(report, &sample_race);
    assert_int_equal(report_count(report, SEVERITY_ERROR), 0);
    assert_true(report_is_empty(report));
    report_print_text(report, false, 0, &text);
    assert_string_equal(text.bytes, "clerk: no findings (1 known)\n");
    text_clear(&text);
    report_print_json(report, &text);
    assert_non_null(strstr(text.bytes, "\"count\":62,\"known\":true"));
    text_clear(&text);
    report_add(report, &sample_call);
    assert_int_equal(report_count(report, SEVERITY_ERROR), 1);
    report_print_summary(report, false, &text);
    assert_string_equal(text.bytes, "clerk: 1 error (1 known)\n");
    text_clear(&text);
    report_print(report, &(struct report_style){.format = REPORT_SARIF, .has_baseline = true},
                 &text);
    assert_non_null(strstr(text.bytes, "\"baselineState\":\"unchanged\""));
    assert_non_null(strstr(text.bytes, "\"baselineState\":\"new\""));
    text_clear(&text);
    report_print(report, &(struct report_style){.format = REPORT_JUNIT}, &text);
    assert_null(strstr(text.bytes, "race-local"));
    assert_non_null(strstr(text.bytes, "handle-released"));
    text_release(&text);
    report_destroy(report);
    baseline_destroy(baseline);
}

static void broken_files_are_refused(void **state)
{
    (void)state;
    struct baseline *baseline = NULL;
    struct error error;
    assert_int_equal(load("\n{\"rule\":", &baseline, &error), STATUS_MALFORMED);
    assert_non_null(strstr(error.text, "line 2 of '/tmp/clerk-baseline-"));
    assert_null(baseline);
    assert_int_equal(baseline_load("/no/such/file", &baseline, &error), STATUS_IO);
    /* What a newer clerk found this one cannot find. */
    assert_int_equal(load("{\"rule\":\"of-tomorrow\",\"message\":\"m\"}", &baseline, &error),
                     STATUS_OK);
    baseline_destroy(baseline);
    assert_int_equal(load("", &baseline, &error), STATUS_OK);
    baseline_destroy(baseline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_is_known_where_its_line_has_moved),
        cmocka_unit_test(a_call_site_is_known_however_it_is_built),
        cmocka_unit_test(each_is_known_as_often_as_it_is_there),
        cmocka_unit_test(another_bug_of_the_kernel_is_new),
        cmocka_unit_test(another_call_of_the_program_is_new),
        cmocka_unit_test(a_report_counts_what_is_new),
        cmocka_unit_test(broken_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
