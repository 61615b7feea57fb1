/* A report as GCC writes what it has to say, which editors and the problem matchers of CI read:
 *
 *     reduce.cl:16:30: error: MESSAGE [race-local]
 *     reduce.cl:9:5: note: write of 4 bytes by work-item 1 of work-group 0
 *     reduce.cl:16:30: note: reason: no barrier separates them
 *     reduce.cl:16:30: note: fix: ...
 *
 * Most readers want a column: where none is known it is 1. Files are named as they are, since such
 * lines are read where they were printed. */
#include "checkers/report_forms.h"
#include "trace/base/visible.h"

#include <inttypes.h>

struct gcc {
    struct report_style style;
    struct text *text;
    struct arena arena;
};

static void begin_line(const struct gcc *gcc, const struct report_spot *spot, const char *what)
{
    text_append_visible(gcc->text, spot->file, VISIBLE_ONE_LINE);
    text_format(gcc->text, ":%" PRIu32 ":%" PRIu32 ": %s: ", spot->line ? spot->line : 1,
                spot->column ? spot->column : 1, what);
}

static void end_line(const struct gcc *gcc)
{
    text_append_char(gcc->text, '\n');
}

/* A place that has no spot of its own is told at that of the finding. */
static void print_place(struct gcc *gcc, const struct finding_place *place,
                        const struct report_spot *of_finding)
{
    struct report_spot spot;
    const bool has_spot = report_place_spot(&gcc->style, place, &gcc->arena, &spot);
    if (!place->label)
        return;
    begin_line(gcc, has_spot ? &spot : of_finding, "note");
    if (!has_spot && place->file)
        text_format(gcc->text, "at %s:%" PRIu32 ":%" PRIu32 ": ", place->file, place->line,
                    place->column);
    text_append_visible(gcc->text, place->label, VISIBLE_ONE_LINE);
    end_line(gcc);
}

static void print_note(const struct gcc *gcc, const struct report_spot *spot, const char *what,
                       const char *sentence)
{
    if (!sentence)
        return;
    begin_line(gcc, spot, "note");
    text_append(gcc->text, what);
    text_append_visible(gcc->text, sentence, VISIBLE_ONE_LINE);
    end_line(gcc);
}

static bool print_finding(void *user, const struct finding *finding)
{
    struct gcc *gcc = user;
    const struct rule *rule = rule_get(finding->rule);
    struct report_spot spot = {.file = "clerk"};
    report_finding_spot(&gcc->style, finding, &gcc->arena, &spot);
    begin_line(gcc, &spot, severity_name(rule->severity));
    text_append_visible(gcc->text, finding->message, VISIBLE_ONE_LINE);
    text_format(gcc->text, " [%s]\n", rule->id);
    for (size_t i = 0; i < finding->place_count; ++i)
        print_place(gcc, &finding->places[i], &spot);
    print_note(gcc, &spot, "reason: ", finding->reason);
    print_note(gcc, &spot, "fix: ", finding->advice ? finding->advice : rule->advice);
    struct text processes = TEXT_INIT;
    finding_append_processes(finding, &processes);
    print_note(gcc, &spot, "seen in: ", processes.size ? processes.bytes : NULL);
    text_release(&processes);
    return true;
}

/* As "cc1: error: ..." is of no line. */
static void print_gap(void *user, const struct report_gap *gap)
{
    const struct gcc *gcc = user;
    text_format(gcc->text, "clerk: %s: ", severity_name(gap->severity));
    text_append_visible(gcc->text, gap->sentence, VISIBLE_ONE_LINE);
    end_line(gcc);
}

void report_print_gcc(struct report *report, const struct report_style *style, struct text *text)
{
    struct gcc gcc = {.style = *style, .text = text};
    gcc.style.root = NULL;
    report_each_new(report, print_finding, &gcc);
    report_each_gap(report, print_gap, &gcc);
    arena_release(&gcc.arena);
}
