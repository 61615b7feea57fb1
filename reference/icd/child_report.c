#include "reference/icd/child_report.h"

#include "checkers/finding.h"
#include "reference/icd/findings.h"
#include "trace/base/arena.h"

/* The place of a site, and who called the function that it is in. */
static struct finding_place make_place(const struct vm_code *code, uint32_t site, const char *label,
                                       struct arena *arena)
{
    struct observer_place known = {0};
    struct finding_place place = {.kind = FINDING_PLACE_KERNEL, .label = label};
    vm_code_describe(code, site, &known);
    if (known.frame_count == 0) {
        place.function = code->name;
        return place;
    }
    const struct observer_frame *at = &known.frames[0];
    place.function = at->function;
    place.file = at->file && *at->file ? at->file : NULL;
    place.line = at->line;
    place.column = at->column;
    place.source = at->source;
    const char **frames = arena_alloc(arena, known.frame_count, sizeof(*frames));
    for (size_t i = 1; frames && i < known.frame_count; i++)
        frames[i - 1] =
            arena_format(arena, "%s at %s:%u:%u", known.frames[i].function, known.frames[i].file,
                         known.frames[i].line, known.frames[i].column);
    place.frames = frames;
    place.frame_count = frames ? known.frame_count - 1 : 0;
    return place;
}

static void report(const struct vm_code *code, enum rule_index rule, const char *message,
                   const char *reason, const struct finding_place *place)
{
    const struct finding finding = {.rule = rule,
                                    .message = message,
                                    .reason = reason,
                                    .kernel = code->name,
                                    .places = place,
                                    .place_count = 1,
                                    .count = 1};
    findings_receive(NULL, &finding);
}

void child_report_unset(const struct launch_options *options, const struct vm_code *code,
                        uint32_t site, const char *child)
{
    struct arena arena = {0};
    if (!checks_has(&options->checks, RULE_DEVICE_EVENT_UNSET))
        return;
    const struct finding_place place = make_place(code, site, "enqueued here", &arena);
    const char *message =
        child ? arena_format(&arena, "'%s' waits for an event that nobody sets", child)
              : "a marker waits for an event that nobody sets";
    report(code, RULE_DEVICE_EVENT_UNSET, message ? message : "a command waits for ever",
           "of all that the launch has enqueued, directly or not, only commands are left that wait "
           "for each other or for user events; they end with an error",
           &place);
    arena_release(&arena);
}

void child_report_leak(const struct launch_options *options, const struct vm_code *code,
                       uint32_t site)
{
    struct arena arena = {0};
    if (!checks_has(&options->checks, RULE_DEVICE_EVENT_LEAKED))
        return;
    const struct finding_place place = make_place(code, site, "made here", &arena);
    report(code, RULE_DEVICE_EVENT_LEAKED, "an event on the device is never released", NULL,
           &place);
    arena_release(&arena);
}
