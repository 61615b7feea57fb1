/* A report as workflow commands of GitHub Actions, which shows each at its line of a pull request:
 *
 *     ::error file=reduce.cl,line=16,col=30,title=race-local::SENTENCES
 */
#include "checkers/report_forms.h"

#include <inttypes.h>
#include <string.h>

struct github {
    const struct report_style *style;
    struct text *text;
    struct arena arena;
};

static const char *const severity_command[] = {"notice", "warning", "error"};

/* A newline would end the command; in a property a colon or a comma would end the value. */
static void print_escaped(struct text *text, const char *string, const char *special)
{
    for (const char *at = string; *at; ++at)
        if (strchr(special, *at))
            text_format(text, "%%%02X", (unsigned char)*at);
        else
            text_append_char(text, *at);
}

static bool print_command(void *user, const struct finding *finding)
{
    struct github *github = user;
    struct text *text = github->text;
    const struct rule *rule = rule_get(finding->rule);
    struct report_spot spot = {.file = NULL};
    report_finding_spot(github->style, finding, &github->arena, &spot);
    struct text sentences = TEXT_INIT;
    report_append_sentences(finding, &sentences);
    text_format(text, "::%s ", severity_command[rule->severity]);
    if (spot.file) {
        text_append(text, "file=");
        print_escaped(text, spot.file, "%\r\n:,");
        text_append_char(text, ',');
    }
    if (spot.line)
        text_format(text, "line=%" PRIu32 ",", spot.line);
    if (spot.column)
        text_format(text, "col=%" PRIu32 ",", spot.column);
    text_format(text, "title=%s::", rule->id);
    print_escaped(text, sentences.bytes, "%\r\n");
    text_append_char(text, '\n');
    text_release(&sentences);
    return true;
}

static void print_gap(void *user, const struct report_gap *gap)
{
    struct text *text = user;
    text_format(text, "::%s title=clerk::", severity_command[gap->severity]);
    print_escaped(text, gap->sentence, "%\r\n");
    text_append_char(text, '\n');
}

void report_print_github(struct report *report, const struct report_style *style, struct text *text)
{
    struct github github = {.style = style, .text = text};
    report_each_new(report, print_command, &github);
    report_each_gap(report, print_gap, text);
    arena_release(&github.arena);
}
