/* A report as JUnit XML, valid by the two descriptions of the form that are in use, that of
 * Jenkins' xUnit plugin and the stricter one of Ant (Windy Road's JUnit.xsd), which has no output
 * of single test cases and wants times. Each finding is a test case, named by its rule and place,
 * of the class of its kernel. One that makes the run fail is a failure; the others pass, and what
 * they have to say is the suite's output. What was not checked is a test case with an error, or one
 * that passes and says so. A run without any of these is one test case that passes. */
#include "checkers/report_forms.h"

#include <inttypes.h>
#include <time.h>

struct junit {
    const struct report_style *style;
    struct text *text;
    struct arena arena;
    struct report_repeats *repeats; /* classes and names */
    uint64_t case_count, failure_count, error_count;
};

static bool is_failure(const struct junit *junit, const struct finding *finding)
{
    return rule_get(finding->rule)->severity >= junit->style->fails_from;
}

static bool count_case(void *user, const struct finding *finding)
{
    struct junit *junit = user;
    ++junit->case_count;
    junit->failure_count += is_failure(junit, finding);
    return true;
}

static void count_gap(void *user, const struct report_gap *gap)
{
    struct junit *junit = user;
    if (gap->severity == SEVERITY_NOTE)
        return;
    ++junit->case_count;
    junit->error_count += gap->severity == SEVERITY_ERROR;
}

static void print_attribute(struct text *text, const char *name, const char *value)
{
    text_format(text, " %s=\"", name);
    text_append_xml(text, value);
    text_append_char(text, '"');
}

static const char *class_name(const struct finding *finding)
{
    if (finding->kernel)
        return finding->kernel;
    return rule_get(finding->rule)->where == RULE_WHERE_KERNEL ? "kernel" : "host";
}

/* "race-global at reduce.cl:16:30", "handle-released in clWaitForEvents"; and "(2)" after the
 * second of that class and name, because readers take equal ones for runs of one test. */
static void print_name(struct junit *junit, const struct finding *finding)
{
    const struct finding_place *place = finding->place_count ? &finding->places[0] : NULL;
    struct report_spot spot;
    struct text name = TEXT_INIT;
    text_append(&name, rule_get(finding->rule)->id);
    if (place && report_place_spot(junit->style, place, &junit->arena, &spot)) {
        text_format(&name, " at %s:%" PRIu32, spot.file, spot.line);
        if (spot.column)
            text_format(&name, ":%" PRIu32, spot.column);
    } else if (place && place->file && place->line) {
        text_format(&name, " at %s:%" PRIu32 ":%" PRIu32, place->file, place->line, place->column);
    } else if (place && place->function) {
        text_format(&name, " in %s", place->function);
    }
    const uint64_t before = report_repeat(
        &junit->repeats, arena_format(&junit->arena, "%s.%s", class_name(finding), name.bytes),
        &junit->arena);
    if (before)
        text_format(&name, " (%" PRIu64 ")", before + 1);
    print_attribute(junit->text, "name", name.bytes);
    text_release(&name);
}

static bool print_case(void *user, const struct finding *finding)
{
    struct junit *junit = user;
    struct text *text = junit->text;
    text_append(text, "  <testcase");
    print_attribute(text, "classname", class_name(finding));
    print_name(junit, finding);
    text_append(text, " time=\"0\"");
    if (is_failure(junit, finding)) {
        struct text told = TEXT_INIT;
        finding_print_text(finding, false, 0, &told);
        text_append(text, ">\n   <failure");
        print_attribute(text, "type", severity_name(rule_get(finding->rule)->severity));
        print_attribute(text, "message", finding->message);
        text_append_char(text, '>');
        text_append_xml(text, told.bytes);
        text_append(text, "</failure>\n  </testcase>\n");
        text_release(&told);
    } else {
        text_append(text, "/>\n");
    }
    return true;
}

static bool print_output(void *user, const struct finding *finding)
{
    struct junit *junit = user;
    struct text told = TEXT_INIT;
    if (is_failure(junit, finding))
        return true;
    finding_print_text(finding, false, 0, &told);
    text_append_xml(junit->text, told.bytes);
    text_append_char(junit->text, '\n');
    text_release(&told);
    return true;
}

static void print_gap(void *user, const struct report_gap *gap)
{
    struct text *text = ((struct junit *)user)->text;
    if (gap->severity == SEVERITY_NOTE)
        return;
    text_append(text, "  <testcase classname=\"clerk\" name=\"not checked\" time=\"0\"");
    if (gap->severity != SEVERITY_ERROR) {
        text_append(text, "/>\n");
        return;
    }
    text_append(text, ">\n   <error type=\"error\"");
    print_attribute(text, "message", gap->sentence);
    text_append(text, "/>\n  </testcase>\n");
}

static void print_gap_output(void *user, const struct report_gap *gap)
{
    struct text *text = ((struct junit *)user)->text;
    if (gap->severity == SEVERITY_ERROR)
        return;
    text_append_xml(text, gap->sentence);
    text_append_char(text, '\n');
}

/* The host has no name, so that a report is the same wherever it is made. */
static void print_suite(const struct junit *junit)
{
    char timestamp[32] = "";
    struct tm parts;
    if (gmtime_r(&junit->style->begin_time, &parts))
        strftime(timestamp, sizeof timestamp, "%Y-%m-%dT%H:%M:%S", &parts);
    text_format(junit->text,
                " <testsuite name=\"clerk\" package=\"\" id=\"0\" tests=\"%" PRIu64
                "\" failures=\"%" PRIu64 "\" errors=\"%" PRIu64
                "\" hostname=\"localhost\" timestamp=\"%s\""
                " time=\"0\">\n  <properties/>\n",
                junit->case_count ? junit->case_count : 1, junit->failure_count, junit->error_count,
                timestamp);
}

void report_print_junit(struct report *report, const struct report_style *style, struct text *text)
{
    struct junit junit = {.style = style, .text = text};
    report_each_new(report, count_case, &junit);
    report_each_gap(report, count_gap, &junit);
    text_append(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    print_suite(&junit);
    report_each_new(report, print_case, &junit);
    report_each_gap(report, print_gap, &junit);
    if (junit.case_count == 0)
        text_append(text, "  <testcase classname=\"clerk\" name=\"no findings\" time=\"0\"/>\n");
    text_append(text, "  <system-out>");
    report_each_new(report, print_output, &junit);
    report_each_gap(report, print_gap_output, &junit);
    text_append(text, "</system-out>\n  <system-err/>\n </testsuite>\n</testsuites>\n");
    report_repeats_release(&junit.repeats);
    arena_release(&junit.arena);
}
