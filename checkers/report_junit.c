/* A report as JUnit XML, in the form that Jenkins' xUnit plugin describes: each finding is a test
 * case, named by its rule and place, of the class of its kernel. One that makes the run fail is a
 * failure; the others pass and say what they have to say as output. A run without findings is one
 * test case that passes. */
#include "checkers/report_forms.h"

#include <inttypes.h>

struct junit {
    const struct report_style *style;
    struct text *text;
    struct arena arena;
    uint64_t case_count, failure_count;
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

static void print_attribute(struct text *text, const char *name, const char *value)
{
    text_format(text, " %s=\"", name);
    text_append_xml(text, value);
    text_append_char(text, '"');
}

/* "race-global at reduce.cl:16", "handle-released in clWaitForEvents" */
static void print_name(struct junit *junit, const struct finding *finding)
{
    const struct finding_place *place = finding->place_count ? &finding->places[0] : NULL;
    const char *file = place ? report_file(junit->style, place, &junit->arena) : NULL;
    struct text name = TEXT_INIT;
    text_append(&name, rule_get(finding->rule)->id);
    if (file)
        text_format(&name, " at %s:%" PRIu32, file, place->line);
    else if (place && place->function)
        text_format(&name, " in %s", place->function);
    print_attribute(junit->text, "name", name.bytes);
    text_release(&name);
}

static const char *class_name(const struct finding *finding)
{
    if (finding->kernel)
        return finding->kernel;
    return rule_get(finding->rule)->where == RULE_WHERE_KERNEL ? "kernel" : "host";
}

static bool print_case(void *user, const struct finding *finding)
{
    struct junit *junit = user;
    struct text *text = junit->text;
    struct text told = TEXT_INIT;
    finding_print_text(finding, false, &told);
    text_append(text, "  <testcase");
    print_attribute(text, "classname", class_name(finding));
    print_name(junit, finding);
    text_append(text, ">\n");
    if (is_failure(junit, finding)) {
        text_append(text, "   <failure");
        print_attribute(text, "type", severity_name(rule_get(finding->rule)->severity));
        print_attribute(text, "message", finding->message);
        text_append_char(text, '>');
        text_append_xml(text, told.bytes);
        text_append(text, "</failure>\n");
    } else {
        text_append(text, "   <system-out>");
        text_append_xml(text, told.bytes);
        text_append(text, "</system-out>\n");
    }
    text_append(text, "  </testcase>\n");
    text_release(&told);
    return true;
}

static void print_suite(const struct junit *junit, const char *element)
{
    text_format(junit->text,
                "<%s name=\"clerk\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" errors=\"0\">\n",
                element, junit->case_count ? junit->case_count : 1, junit->failure_count);
}

void report_print_junit(struct report *report, const struct report_style *style, struct text *text)
{
    struct junit junit = {.style = style, .text = text};
    report_each_new(report, count_case, &junit);
    text_append(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    print_suite(&junit, "testsuites");
    text_append_char(text, ' ');
    print_suite(&junit, "testsuite");
    report_each_new(report, print_case, &junit);
    if (junit.case_count == 0)
        text_append(text, "  <testcase classname=\"clerk\" name=\"no findings\"/>\n");
    text_append(text, " </testsuite>\n</testsuites>\n");
    arena_release(&junit.arena);
}
