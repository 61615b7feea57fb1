/* A report as SARIF 2.1.0 (OASIS Standard, 27 March 2020): one run whose results are the findings.
 *
 * A result has the first place that has a file as its location, and where none has the program's
 * file: GitHub refuses results without one. Of several places, such as the two sides of a race, all
 * are related locations; one without a file has a logical location alone. What was not checked is
 * told by notifications of an invocation that was not successful. */
#include "checkers/frame.h"
#include "checkers/report_forms.h"
#include "trace/base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct sarif {
    const struct report_style *style;
    struct text *text;
    struct arena arena;
    struct report_repeats *repeats; /* fingerprints */
    uint64_t index[RULE_COUNT];     /* of the rule in the driver's list, from 1; 0 = not there */
};

static void open_object(struct text *text, const char *key)
{
    json_key(text, key);
    text_append_char(text, '{');
}

static void open_array(struct text *text, const char *key)
{
    json_key(text, key);
    text_append_char(text, '[');
}

static void open_item(struct text *text)
{
    json_item(text);
    text_append_char(text, '{');
}

/* "KEY":{"text":"..."}, as SARIF has messages. */
static void print_message(struct text *text, const char *key, const char *string)
{
    if (!string)
        return;
    open_object(text, key);
    json_string(text, "text", string);
    text_append_char(text, '}');
}

/* ---- rules ---- */

static bool note_rule(void *user, const struct finding *finding)
{
    ((struct sarif *)user)->index[finding->rule] = 1;
    return true;
}

static void print_help(struct text *text, const struct rule *rule)
{
    struct text help = TEXT_INIT;
    struct text markdown = TEXT_INIT;
    text_format(&help, "%s (%s) `clerk rules %s` explains it.", rule->advice, rule->specification,
                rule->id);
    text_format(&markdown, "%s\n\n```diff\n%s```\n", help.bytes, rule_example(rule));
    open_object(text, "help");
    json_string(text, "text", help.bytes);
    json_string(text, "markdown", markdown.bytes);
    text_append_char(text, '}');
    text_release(&markdown);
    text_release(&help);
}

/* The claim, and where it is from: more is said of a rule by its help. */
static void print_descriptions(struct sarif *sarif, const struct rule *rule)
{
    char *full = arena_format(&sarif->arena, "%s. %s", rule->claim, rule->specification);
    print_message(sarif->text, "shortDescription", rule->claim);
    print_message(sarif->text, "fullDescription", full ? full : rule->claim);
    if (sarif->style->rules_uri)
        json_string(sarif->text, "helpUri",
                    arena_format(&sarif->arena, "%s#%s", sarif->style->rules_uri, rule->id));
}

static void print_rule(struct sarif *sarif, const struct rule *rule)
{
    struct text *text = sarif->text;
    open_item(text);
    json_string(text, "id", rule->id);
    print_descriptions(sarif, rule);
    print_help(text, rule);
    open_object(text, "defaultConfiguration");
    json_string(text, "level", severity_name(rule->severity));
    text_append_char(text, '}');
    open_object(text, "properties");
    open_array(text, "tags");
    text_append_json(text, "opencl");
    json_item(text);
    text_append_json(text, rule->group);
    text_append(text, "]");
    json_string(text, "specification", rule->specification);
    json_string(text, "since", rule->since);
    text_append(text, "}}");
}

static void print_tool(struct sarif *sarif)
{
    struct text *text = sarif->text;
    uint64_t count = 0;
    open_object(text, "tool");
    open_object(text, "driver");
    json_string(text, "name", "clerk");
    json_string(text, "version", CLERK_VERSION);
    open_array(text, "rules");
    for (unsigned i = 0; i < RULE_COUNT; ++i) {
        if (!sarif->index[i])
            continue;
        sarif->index[i] = ++count;
        print_rule(sarif, rule_get((enum rule_index)i));
    }
    text_append(text, "]}}");
}

/* ---- results ---- */

/* RFC 3986: what is neither unreserved nor a slash is %XX. */
static void print_uri(struct text *text, const char *path)
{
    struct text uri = TEXT_INIT;
    if (path[0] == '/')
        text_append(&uri, "file://");
    for (const unsigned char *at = (const unsigned char *)path; *at; ++at) {
        const bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                              (*at >= '0' && *at <= '9') || *at == '-' || *at == '.' ||
                              *at == '_' || *at == '~' || *at == '/';
        text_format(&uri, is_plain ? "%c" : "%%%02X", *at);
    }
    json_string(text, "uri", uri.bytes);
    if (path[0] != '/')
        json_string(text, "uriBaseId", "%SRCROOT%");
    text_release(&uri);
}

/* A file as a whole begins at line 1: GitHub wants a line. */
static void print_physical(struct text *text, const struct report_spot *spot)
{
    open_object(text, "physicalLocation");
    open_object(text, "artifactLocation");
    print_uri(text, spot->file);
    text_append_char(text, '}');
    open_object(text, "region");
    json_number(text, "startLine", spot->line ? spot->line : 1);
    json_known_number(text, "startColumn", spot->column);
    print_message(text, "snippet", spot->source);
    text_append(text, "}}");
}

static void print_logical(struct text *text, const char *name, size_t length)
{
    open_array(text, "logicalLocations");
    open_item(text);
    json_key(text, "name");
    text_append_json_n(text, name, length);
    json_string(text, "kind", "function");
    text_append(text, "}]");
}

static void print_location(struct sarif *sarif, const struct finding_place *place, uint64_t id)
{
    struct text *text = sarif->text;
    struct report_spot spot;
    open_item(text);
    json_number(text, "id", id);
    if (report_place_spot(sarif->style, place, &sarif->arena, &spot))
        print_physical(text, &spot);
    if (place->function)
        print_logical(text, place->function, strlen(place->function));
    print_message(text, "message", place->label);
    text_append_char(text, '}');
}

/* The place that the finding is shown at. */
static void print_first(struct sarif *sarif, const struct finding *finding)
{
    struct text *text = sarif->text;
    struct report_spot spot;
    const struct finding_place *place = finding->places;
    const struct finding_place *const end = place + finding->place_count;
    while (place < end && !report_place_spot(sarif->style, place, &sarif->arena, &spot))
        ++place;
    const bool has_spot = report_finding_spot(sarif->style, finding, &sarif->arena, &spot);
    if (!has_spot && finding->place_count == 0)
        return;
    if (place == end)
        place = finding->place_count ? finding->places : NULL;
    open_array(text, "locations");
    open_item(text);
    if (has_spot)
        print_physical(text, &spot);
    if (place && place->function)
        print_logical(text, place->function, strlen(place->function));
    print_message(text, "message", place ? place->label : NULL);
    text_append(text, "}]");
}

static void print_locations(struct sarif *sarif, const struct finding *finding)
{
    struct text *text = sarif->text;
    print_first(sarif, finding);
    if (finding->place_count <= 1)
        return;
    open_array(text, "relatedLocations");
    for (size_t i = 0; i < finding->place_count; ++i)
        print_location(sarif, &finding->places[i], i + 1);
    text_append_char(text, ']');
}

static void print_frame(struct sarif *sarif, const char *described)
{
    struct text *text = sarif->text;
    const struct frame frame = frame_parse(described, &sarif->arena);
    const struct finding_place place = {.file = frame_is_own(described) ? frame.file : NULL};
    const struct report_spot spot = {.file = report_file(sarif->style, &place, &sarif->arena),
                                     .line = frame.line,
                                     .column = frame.column};
    open_item(text);
    open_object(text, "location");
    if (spot.file)
        print_physical(text, &spot);
    print_logical(text, described, spot.file ? frame.name_length : strlen(described));
    text_append(text, "}}");
}

/* Who called: of each place that knows it. */
static void print_stacks(struct sarif *sarif, const struct finding *finding)
{
    struct text *text = sarif->text;
    size_t count = 0;
    for (size_t i = 0; i < finding->place_count; ++i) {
        const struct finding_place *place = &finding->places[i];
        if (place->frame_count == 0)
            continue;
        if (count++ == 0)
            open_array(text, "stacks");
        open_item(text);
        print_message(text, "message", place->label);
        open_array(text, "frames");
        for (size_t j = 0; j < place->frame_count; ++j)
            print_frame(sarif, place->frames[j]);
        text_append(text, "]}");
    }
    if (count)
        text_append_char(text, ']');
}

/* The second of two that look alike is another: "0123456789abcdef:2". */
static void print_fingerprint(struct sarif *sarif, const struct finding *finding)
{
    char fingerprint[24];
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, finding_fingerprint(finding));
    const uint64_t before = report_repeat(&sarif->repeats, fingerprint, &sarif->arena);
    json_key(sarif->text, "clerkFinding/v3");
    text_format(sarif->text, "\"%s", fingerprint);
    if (before)
        text_format(sarif->text, ":%" PRIu64, before + 1);
    text_append_char(sarif->text, '"');
}

static void print_processes(const struct finding *finding, struct text *text)
{
    struct text processes = TEXT_INIT;
    finding_append_processes(finding, &processes);
    json_string(text, "processes", processes.size ? processes.bytes : NULL);
    text_release(&processes);
}

static bool print_result(void *user, const struct finding *finding)
{
    struct sarif *sarif = user;
    struct text *text = sarif->text;
    const struct rule *rule = rule_get(finding->rule);
    struct text sentences = TEXT_INIT;
    report_append_sentences(finding, &sentences);
    open_item(text);
    json_string(text, "ruleId", rule->id);
    json_number(text, "ruleIndex", sarif->index[finding->rule] - 1);
    json_string(text, "level", severity_name(rule->severity));
    print_message(text, "message", sentences.bytes);
    print_locations(sarif, finding);
    print_stacks(sarif, finding);
    open_object(text, "partialFingerprints");
    print_fingerprint(sarif, finding);
    text_append_char(text, '}');
    if (sarif->style->has_baseline)
        json_string(text, "baselineState", finding->is_known ? "unchanged" : "new");
    json_number(text, "occurrenceCount", finding->count);
    open_object(text, "properties");
    json_string(text, "subject", finding->subject);
    json_string(text, "context", finding->context);
    json_string(text, "kernel", finding->kernel);
    json_known_number(text, "call", finding->call_id);
    print_processes(finding, text);
    text_append(text, "}}");
    text_release(&sentences);
    return true;
}

/* ---- what was not checked ---- */

struct notifications {
    struct text *text;
    size_t count;
    bool is_partial; /* one is more than a note */
};

static void print_notification(void *user, const struct report_gap *gap)
{
    struct notifications *notifications = user;
    struct text *text = notifications->text;
    if (notifications->count++ == 0) {
        open_array(text, "invocations");
        open_item(text);
        json_key(text, "executionSuccessful");
        text_append(text, notifications->is_partial ? "false" : "true");
        open_array(text, "toolExecutionNotifications");
    }
    open_item(text);
    json_string(text, "level", severity_name(gap->severity));
    print_message(text, "message", gap->sentence);
    text_append_char(text, '}');
}

static void print_gaps(struct report *report, struct text *text)
{
    struct notifications notifications = {.text = text,
                                          .is_partial = report_has_gap(report, SEVERITY_WARNING)};
    report_each_gap(report, print_notification, &notifications);
    if (notifications.count)
        text_append(text, "]}]");
}

void report_print_sarif(struct report *report, const struct report_style *style, struct text *text)
{
    struct sarif sarif = {.style = style, .text = text};
    text_append_char(text, '{');
    json_string(text, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_string(text, "version", "2.1.0");
    open_array(text, "runs");
    open_item(text);
    report_each(report, note_rule, &sarif);
    print_tool(&sarif);
    print_gaps(report, text);
    open_array(text, "results");
    report_each(report, print_result, &sarif);
    text_append(text, "]}]}\n");
    report_repeats_release(&sarif.repeats);
    arena_release(&sarif.arena);
}
