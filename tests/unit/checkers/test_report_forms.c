/* The forms of a report that other programs read. Whether SARIF and JUnit are valid is
 * looked at by cli/reports_are_valid; here the parts that a reader looks for are read back. */
#include "sample.h"

#include "checkers/report.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct text print(const struct finding *const *findings, struct report_style style)
{
    struct report *report = report_create(NULL);
    struct text text = TEXT_INIT;
    for (; *findings; ++findings)
        report_add(report, *findings);
    report_print(report, &style, &text);
    report_destroy(report);
    return text;
}

/* Of a run without findings of which not all was checked. */
static struct text print_gaps(enum report_format format)
{
    const struct report_gap gaps[] = {
        {.sentence = "half was\nseen", .severity = SEVERITY_ERROR},
        {.sentence = "nobody came", .severity = SEVERITY_WARNING},
        {.sentence = "nobody came", .severity = SEVERITY_WARNING},
    };
    struct report *report = report_create(NULL);
    struct text text = TEXT_INIT;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; ++i)
        report_add_gap(report, &gaps[i]);
    report_print(report, &(struct report_style){.format = format}, &text);
    report_destroy(report);
    return text;
}

static const struct finding *const none[] = {NULL};
static const struct finding *const both[] = {&sample_race, &sample_call, NULL};

/* The item of a path like "runs.0.tool": names and indices. */
static const cJSON *at(const cJSON *item, const char *path)
{
    char word[64];
    for (const char *rest = path; *rest;) {
        const size_t length = strcspn(rest, ".");
        memcpy(word, rest, length);
        word[length] = 0;
        item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, word[0] - '0')
                                   : cJSON_GetObjectItemCaseSensitive(item, word);
        rest += length + (rest[length] == '.');
    }
    if (!item)
        fail_msg("nothing at %s", path);
    return item;
}

static void assert_at(const cJSON *item, const char *path, const char *expected)
{
    assert_string_equal(cJSON_GetStringValue(at(item, path)), expected);
}

static cJSON *sarif(const struct finding *const *findings, const char *root, const char *directory)
{
    struct text text =
        print(findings,
              (struct report_style){.format = REPORT_SARIF, .root = root, .directory = directory});
    cJSON *document = cJSON_Parse(text.bytes);
    assert_non_null(document);
    text_release(&text);
    return document;
}

static void sarif_of_nothing_is_a_run_without_results(void **state)
{
    (void)state;
    cJSON *document = sarif(none, NULL, NULL);
    assert_at(document, "version", "2.1.0");
    assert_at(document, "runs.0.tool.driver.name", "clerk");
    assert_int_equal(cJSON_GetArraySize(at(document, "runs.0.results")), 0);
    assert_int_equal(cJSON_GetArraySize(at(document, "runs.0.tool.driver.rules")), 0);
    cJSON_Delete(document);
}

static void sarif_has_rules_and_both_sides_of_a_race(void **state)
{
    (void)state;
    cJSON *document = sarif(both, NULL, NULL);
    const cJSON *race = at(document, "runs.0.results.0");
    const cJSON *call = at(document, "runs.0.results.1");
    /* Rules stand in the order of clerk's list, where those about handles come first. */
    assert_at(document, "runs.0.tool.driver.rules.0.id", "handle-released");
    assert_at(document, "runs.0.tool.driver.rules.1.id", "race-local");
    assert_int_equal(at(race, "ruleIndex")->valueint, 1);
    assert_at(race, "ruleId", "race-local");
    assert_at(race, "level", "error");
    assert_int_equal(at(race, "occurrenceCount")->valueint, 31);
    assert_at(race, "locations.0.physicalLocation.artifactLocation.uri", "reduce.cl");
    assert_int_equal(at(race, "locations.0.physicalLocation.region.startLine")->valueint, 16);
    assert_int_equal(cJSON_GetArraySize(at(race, "relatedLocations")), 2);
    assert_int_equal(at(race, "relatedLocations.1.physicalLocation.region.startLine")->valueint, 9);
    assert_at(race, "relatedLocations.1.message.text", sample_race_places[1].label);
    assert_at(race, "stacks.0.frames.0.location.logicalLocations.0.name", "step");
    assert_int_equal(
        at(race, "stacks.0.frames.0.location.physicalLocation.region.startColumn")->valueint, 9);
    assert_int_equal(strlen(at(race, "partialFingerprints.clerkFinding/v3")->valuestring), 16);
    assert_non_null(strstr(at(race, "message.text")->valuestring, "\nreason: no barrier"));
    assert_at(call, "locations.0.logicalLocations.0.name", "clEnqueueReadBuffer");
    assert_non_null(strstr(at(call, "message.text")->valuestring, "\nfix: Keep it."));
    cJSON_Delete(document);
}

static void assert_uri(const char *file, const char *directory, const char *expected)
{
    struct finding_place place = sample_race_places[0];
    struct finding finding = sample_race;
    const struct finding *const findings[] = {&finding, NULL};
    place.file = file;
    finding.places = &place;
    finding.place_count = 1;
    cJSON *document = sarif(findings, "/home/me/app", directory);
    const cJSON *location = at(document, "runs.0.results.0.locations.0");
    if (expected)
        assert_at(location, "physicalLocation.artifactLocation.uri", expected);
    else
        assert_null(cJSON_GetObjectItem(location, "physicalLocation"));
    cJSON_Delete(document);
}

static void files_are_named_from_the_root(void **state)
{
    (void)state;
    assert_uri("a.cl", "/home/me/app", "a.cl");
    assert_uri("a.cl", "/home/me/app/kernels", "kernels/a.cl");
    assert_uri("/home/me/app/kernels/a.cl", "/elsewhere", "kernels/a.cl");
    assert_uri("/home/me/apple/a.cl", "/home/me/app", "file:///home/me/apple/a.cl");
    assert_uri("my kernel%1.cl", "/home/me/app", "my%20kernel%251.cl");
    assert_uri("<source>", "/home/me/app", NULL);
}

static void what_is_no_utf_8_is_replaced(void **state)
{
    (void)state;
    struct finding finding = sample_race;
    const struct finding *const findings[] = {&finding, NULL};
    finding.message = "a\xff<b>\x01\"&";
    cJSON *document = sarif(findings, NULL, NULL);
    assert_non_null(
        strstr(at(document, "runs.0.results.0.message.text")->valuestring, "a\xef\xbf\xbd<b>"));
    cJSON_Delete(document);
    struct text text = print(
        findings, (struct report_style){.format = REPORT_JUNIT, .fails_from = SEVERITY_ERROR});
    assert_non_null(
        strstr(text.bytes, "message=\"a\xef\xbf\xbd&lt;b&gt;\xef\xbf\xbd&quot;&amp;\""));
    text_release(&text);
}

static void junit_has_a_case_for_each_finding(void **state)
{
    (void)state;
    struct text text =
        print(both, (struct report_style){.format = REPORT_JUNIT, .fails_from = SEVERITY_ERROR});
    assert_non_null(strstr(text.bytes, " tests=\"2\" failures=\"2\""));
    assert_non_null(
        strstr(text.bytes, "classname=\"reduce\" name=\"race-local at reduce.cl:16:30\" time"));
    assert_non_null(strstr(
        text.bytes, "classname=\"host\" name=\"handle-released in clEnqueueReadBuffer\" time"));
    text_release(&text);
    text = print(none, (struct report_style){.format = REPORT_JUNIT, .begin_time = 1000000000});
    assert_non_null(strstr(text.bytes, "tests=\"1\" failures=\"0\""));
    assert_non_null(strstr(text.bytes, "name=\"no findings\" time"));
    assert_non_null(strstr(text.bytes, "timestamp=\"2001-09-09T01:46:40\""));
    text_release(&text);
}

static void junit_fails_as_the_exit_status_does(void **state)
{
    (void)state;
    struct finding finding = sample_call;
    const struct finding *const findings[] = {&finding, NULL};
    finding.rule = RULE_OBJECT_LEAKED;
    struct report_style style = {.format = REPORT_JUNIT, .fails_from = SEVERITY_ERROR};
    struct text text = print(findings, style);
    assert_non_null(strstr(text.bytes, "failures=\"0\""));
    assert_non_null(strstr(text.bytes, "<system-out>warning: [object-leaked]"));
    text_release(&text);
    style.fails_from = SEVERITY_WARNING;
    text = print(findings, style);
    assert_non_null(strstr(text.bytes, "<failure type=\"warning\""));
    assert_non_null(strstr(text.bytes, "<system-out></system-out>"));
    text_release(&text);
}

static void github_has_a_command_for_each_finding(void **state)
{
    (void)state;
    struct finding_place place = sample_race_places[0];
    struct finding finding = sample_race;
    const struct finding *const findings[] = {&finding, &sample_call, NULL};
    place.file = "a,b:c.cl";
    finding.places = &place;
    finding.place_count = 1;
    finding.message = "100%\n";
    struct text text = print(findings, (struct report_style){.format = REPORT_GITHUB});
    const char *first =
        "::error file=a%2Cb%3Ac.cl,line=16,col=30,title=race-local::100%25%0A%0Areason: ";
    const char *second = strchr(text.bytes, '\n') + 1;
    assert_memory_equal(text.bytes, first, strlen(first));
    first = "::error title=handle-released::clEnqueueReadBuffer: ";
    assert_memory_equal(second, first, strlen(first));
    assert_string_equal(strchr(second, '\n'), "\n");
    text_release(&text);
}

/* A call that a binding made, of a program whose lines are known: its place is the program's own.
 */
static const char *const bound_stack[] = {
    "cl::CommandQueue::finish() const (/usr/include/CL/opencl.hpp:9000)",
    "upload(int) (app.cpp:12)", "__libc_start_main+0x85 (/lib/x86_64-linux-gnu/libc.so.6+0x271ca)"};
static const struct finding_place bound_place = {.kind = FINDING_PLACE_CALL,
                                                 .function = "clFinish",
                                                 .file = "/usr/include/CL/opencl.hpp",
                                                 .line = 9000,
                                                 .frames = bound_stack,
                                                 .frame_count = 3};
static const struct finding bound_call = {.rule = RULE_HANDLE_RELEASED,
                                          .message = "clFinish: m",
                                          .places = &bound_place,
                                          .place_count = 1,
                                          .count = 1};

static void gcc_has_lines_for_each_finding(void **state)
{
    (void)state;
    struct finding_place string = sample_race_places[0];
    struct finding in_string = sample_race;
    string.file = "<source>";
    in_string.places = &string;
    in_string.place_count = 1;
    in_string.reason = NULL;
    in_string.advice = "F.";
    const struct finding *const findings[] = {&sample_race, &bound_call, &in_string, NULL};
    struct text text = print(
        findings,
        (struct report_style){.format = REPORT_GCC, .root = "/elsewhere", .program = "./app"});
    static const char race[] =
        "reduce.cl:16:30: error: work-items (0,0,0) and (1,0,0) of work-group (0,0,0) race on 4 "
        "bytes of local memory 'tile' (element 1) [race-local]\n"
        "reduce.cl:16:30: note: read of 4 bytes by work-item (0,0,0) of work-group (0,0,0)\n"
        "reduce.cl:9:5: note: write of 4 bytes by work-item (1,0,0) of work-group (0,0,0)\n"
        "reduce.cl:16:30: note: reason: no barrier separates them within work-group (0,0,0)\n"
        "reduce.cl:16:30: note: fix: ";
    assert_memory_equal(text.bytes, race, sizeof race - 1);
    assert_non_null(strstr(text.bytes, "\napp.cpp:12:1: error: clFinish: m [handle-released]\n"));
    assert_non_null(strstr(text.bytes, "\napp:1:1: error: work-items"));
    assert_non_null(strstr(text.bytes, "\napp:1:1: note: at <source>:16:30: read of 4 bytes"));
    assert_non_null(strstr(text.bytes, "\napp:1:1: note: fix: F.\n"));
    text_release(&text);
    text = print_gaps(REPORT_GCC);
    assert_string_equal(text.bytes, "clerk: error: half was seen\nclerk: warning: nobody came\n");
    text_release(&text);
}

/* GitHub refuses a file with a result that has none. */
static void sarif_results_have_a_line_of_a_file(void **state)
{
    (void)state;
    const struct finding *const findings[] = {&bound_call, &sample_call, NULL};
    struct text text = print(findings, (struct report_style){.format = REPORT_SARIF,
                                                             .program = "bin/app",
                                                             .rules_uri = "https://x.y/RULES.md"});
    cJSON *document = cJSON_Parse(text.bytes);
    const cJSON *bound = at(document, "runs.0.results.0.locations.0.physicalLocation");
    const cJSON *call = at(document, "runs.0.results.1.locations.0.physicalLocation");
    const cJSON *frames = at(document, "runs.0.results.0.stacks.0.frames");
    assert_at(bound, "artifactLocation.uri", "app.cpp");
    assert_int_equal(at(bound, "region.startLine")->valueint, 12);
    assert_at(call, "artifactLocation.uri", "bin/app");
    assert_int_equal(at(call, "region.startLine")->valueint, 1);
    assert_at(frames, "1.location.physicalLocation.artifactLocation.uri", "app.cpp");
    assert_at(frames, "1.location.logicalLocations.0.name", "upload(int)");
    assert_null(cJSON_GetObjectItem(at(frames, "0.location"), "physicalLocation"));
    assert_null(cJSON_GetObjectItem(at(frames, "2.location"), "physicalLocation"));
    assert_at(document, "runs.0.tool.driver.rules.0.helpUri",
              "https://x.y/RULES.md#handle-released");
    assert_non_null(at(document, "runs.0.tool.driver.rules.0.fullDescription.text"));
    cJSON_Delete(document);
    text_release(&text);
}

/* Two findings that look alike, at other lines: none hides the other. */
static void what_looks_alike_is_told_apart(void **state)
{
    (void)state;
    struct finding_place places[2] = {sample_race_places[0], sample_race_places[0]};
    struct finding moved[2] = {sample_race, sample_race};
    for (size_t i = 0; i < 2; ++i) {
        places[i].line = 20 + (uint32_t)i;
        moved[i].places = &places[i];
        moved[i].place_count = 1;
    }
    const struct finding *const findings[] = {&moved[0], &moved[1], NULL};
    cJSON *document = sarif(findings, NULL, NULL);
    const char *first =
        at(document, "runs.0.results.0.partialFingerprints.clerkFinding/v3")->valuestring;
    const char *second =
        at(document, "runs.0.results.1.partialFingerprints.clerkFinding/v3")->valuestring;
    assert_memory_equal(first, second, 16);
    assert_string_equal(second + 16, ":2");
    cJSON_Delete(document);
    /* Of a program without lines, where the names would be the same. */
    for (size_t i = 0; i < 2; ++i) {
        places[i].file = NULL;
        places[i].column = 7 + (uint32_t)i;
    }
    struct text text = print(findings, (struct report_style){.format = REPORT_JUNIT});
    assert_non_null(strstr(text.bytes, "name=\"race-local in reduce\""));
    assert_non_null(strstr(text.bytes, "name=\"race-local in reduce (2)\""));
    text_release(&text);
}

static void every_form_tells_what_was_not_checked(void **state)
{
    (void)state;
    struct text text = print_gaps(REPORT_TEXT);
    assert_string_equal(text.bytes, "clerk: half was seen\nclerk: nobody came\n");
    text_release(&text);
    text = print_gaps(REPORT_JSON);
    assert_string_equal(text.bytes, "{\"unchecked\":\"half was\\nseen\",\"severity\":\"error\"}\n"
                                    "{\"unchecked\":\"nobody came\",\"severity\":\"warning\"}\n");
    text_release(&text);
    text = print_gaps(REPORT_GITHUB);
    assert_string_equal(
        text.bytes, "::error title=clerk::half was%0Aseen\n::warning title=clerk::nobody came\n");
    text_release(&text);
    text = print_gaps(REPORT_JUNIT);
    assert_non_null(strstr(text.bytes, " tests=\"2\" failures=\"0\" errors=\"1\""));
    assert_non_null(strstr(text.bytes, "<error type=\"error\" message=\"half was"));
    assert_non_null(strstr(text.bytes, "<system-out>nobody came\n</system-out>"));
    assert_null(strstr(text.bytes, "no findings"));
    text_release(&text);
    text = print_gaps(REPORT_SARIF);
    cJSON *document = cJSON_Parse(text.bytes);
    const cJSON *invocation = at(document, "runs.0.invocations.0");
    assert_true(cJSON_IsFalse(at(invocation, "executionSuccessful")));
    assert_at(invocation, "toolExecutionNotifications.0.level", "error");
    assert_at(invocation, "toolExecutionNotifications.1.message.text", "nobody came");
    assert_int_equal(cJSON_GetArraySize(at(invocation, "toolExecutionNotifications")), 2);
    cJSON_Delete(document);
    text_release(&text);
}

static void forms_have_names_and_endings(void **state)
{
    (void)state;
    assert_int_equal(report_format_named("junit"), REPORT_JUNIT);
    assert_int_equal(report_format_named("html"), REPORT_FORMAT_COUNT);
    assert_int_equal(report_format_of_path("out/r.sarif"), REPORT_SARIF);
    assert_int_equal(report_format_of_path("r.xml"), REPORT_JUNIT);
    assert_int_equal(report_format_of_path("r.jsonl"), REPORT_JSON);
    assert_int_equal(report_format_of_path("r.log"), REPORT_TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sarif_of_nothing_is_a_run_without_results),
        cmocka_unit_test(sarif_has_rules_and_both_sides_of_a_race),
        cmocka_unit_test(files_are_named_from_the_root),
        cmocka_unit_test(what_is_no_utf_8_is_replaced),
        cmocka_unit_test(junit_has_a_case_for_each_finding),
        cmocka_unit_test(junit_fails_as_the_exit_status_does),
        cmocka_unit_test(github_has_a_command_for_each_finding),
        cmocka_unit_test(gcc_has_lines_for_each_finding),
        cmocka_unit_test(sarif_results_have_a_line_of_a_file),
        cmocka_unit_test(what_looks_alike_is_told_apart),
        cmocka_unit_test(every_form_tells_what_was_not_checked),
        cmocka_unit_test(forms_have_names_and_endings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
