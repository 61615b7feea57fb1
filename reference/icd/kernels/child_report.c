#include "reference/icd/kernels/child_report.h"

#include "checkers/finding.h"
#include "reference/icd/findings.h"
#include "trace/base/arena.h"

/* Why it is wrong, and what to do; NULL = nothing, and what the rule says. */
struct cause {
    const char *reason, *advice;
};

static void tell(const struct child_report *report, const struct vm_code *code,
                 enum rule_index rule, const char *message, const struct cause *cause,
                 const struct finding_place *places, size_t place_count)
{
    findings_receive(NULL, &(const struct finding){.rule = rule,
                                                   .message = message,
                                                   .reason = cause->reason,
                                                   .advice = cause->advice,
                                                   .kernel = code->name,
                                                   .places = places,
                                                   .place_count = place_count,
                                                   .call_id = report->call_id,
                                                   .count = 1});
}

void child_report_unset(const struct child_report *report, const struct vm_code *code,
                        uint32_t site, const char *child)
{
    struct arena arena = {0};
    if (!checks_has(report->checks, RULE_DEVICE_EVENT_UNSET))
        return;
    static const struct cause cause = {
        "of all that the launch has enqueued, directly or not, only commands are left that wait "
        "for each other or for user events; they end with an error",
        NULL,
    };
    const struct finding_place place = findings_place(code, site, "enqueued here", &arena);
    const char *message =
        child ? arena_format(&arena, "'%s' waits for an event that is never set", child)
              : "a marker waits for an event that is never set";
    tell(report, code, RULE_DEVICE_EVENT_UNSET, message ? message : "a command waits for ever",
         &cause, &place, 1);
    arena_release(&arena);
}

void child_report_leak(const struct child_report *report, const struct vm_code *code, uint32_t site)
{
    struct arena arena = {0};
    if (!checks_has(report->checks, RULE_DEVICE_EVENT_LEAKED))
        return;
    const struct finding_place place = findings_place(code, site, "made here", &arena);
    tell(report, code, RULE_DEVICE_EVENT_LEAKED, "an event on the device is never released",
         &(const struct cause){NULL, NULL}, &place, 1);
    arena_release(&arena);
}

/* ---- races ---- */

static const char *verb(enum use_kind kind)
{
    static const char *const verbs[] = {
        [USE_READ] = "reads",
        [USE_WRITE] = "writes",
        [USE_ATOMIC_READ] = "reads atomically",
        [USE_ATOMIC_WRITE] = "updates atomically",
    };
    return verbs[kind];
}

static struct cause unordered_because(enum child_relation relation)
{
    switch (relation) {
    case CHILD_WITHOUT_WAIT:
        return (struct cause){
            "CLK_ENQUEUE_FLAGS_NO_WAIT lets the child begin at once; even what the work-item did "
            "before it enqueued it is ordered before it in fine-grained shared virtual memory only",
            "Enqueue the child with CLK_ENQUEUE_FLAGS_WAIT_KERNEL; if it needs only what the "
            "work-group that enqueues it did, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP is enough.",
        };
    case CHILD_WITH_GROUP_WAIT:
        return (struct cause){
            "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP orders the child after the work-group that enqueues "
            "it, and this was done by another one",
            "Enqueue the child with CLK_ENQUEUE_FLAGS_WAIT_KERNEL.",
        };
    default:
        return (struct cause){
            "kernels on queues of the device are ordered by the flags that they are enqueued with "
            "and by events, and by nothing else; neither orders this one after the other",
            "Let the later one wait for the earlier: take an event where that is enqueued "
            "(event_ret), pass it in the later one's event_wait_list, and call release_event.",
        };
    }
}

static struct finding_place make_access(const struct child_side *side, struct arena *arena)
{
    static const char *const verbs[] = {
        [USE_READ] = "reads it",
        [USE_WRITE] = "writes it",
        [USE_ATOMIC_READ] = "reads it atomically",
        [USE_ATOMIC_WRITE] = "updates it atomically",
    };
    return findings_place(side->code, side->site,
                          arena_format(arena, "'%s' %s", side->code->name, verbs[side->kind]),
                          arena);
}

void child_report_race(const struct child_report *report, const struct child_race *race)
{
    struct arena arena = {0};
    const struct child_side *later = &race->later;
    const struct child_side *earlier = &race->earlier;
    struct finding_place places[3];
    size_t count = 0;
    places[count++] = make_access(later, &arena);
    places[count++] = make_access(earlier, &arena);
    if (later->parent_code)
        places[count++] = findings_place(later->parent_code, later->parent_site,
                                         arena_format(&arena, "'%s' is enqueued here, by '%s'",
                                                      later->code->name, later->parent_code->name),
                                         &arena);
    const bool same = earlier->code == later->code;
    const bool by_scopes = race->rule != RULE_RACE_CHILD;
    const char *message = arena_format(
        &arena, "'%s' %s %s, which %s'%s' %s, %sand nothing orders the two", later->code->name,
        verb(later->kind), race->what, same ? "another " : "", earlier->code->name,
        verb(earlier->kind), by_scopes ? "in scopes that do not reach each other, " : "");
    struct cause cause = unordered_because(race->relation);
    if (by_scopes)
        cause = (struct cause){
            arena_format(&arena,
                         "a scope narrower than memory_scope_device holds no work-item of another "
                         "kernel; %s",
                         cause.reason),
            NULL};
    tell(report, later->code, race->rule, message ? message : "two kernels race", &cause, places,
         count);
    arena_release(&arena);
}
