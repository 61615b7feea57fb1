#include "checkers/host/clash.h"

#include "checkers/finding.h"

#include <inttypes.h>

enum rule_index clash_rule(const struct uses_conflict *conflict)
{
    if (conflict->clash == USES_ATOMICS)
        return RULE_ATOMICS_ACROSS_KERNELS;
    if (conflict->earlier.possible || conflict->later.possible)
        return RULE_RACE_COMMANDS_UNCLEAR;
    if (conflict->why & COMMAND_LATER_IS_HOST)
        return RULE_RACE_HOST;
    return conflict->clash == USES_MAPPED ? RULE_MAP_IN_USE : RULE_RACE_COMMANDS;
}

bool clash_wanted(const struct checks *checks)
{
    return checks_has(checks, RULE_RACE_COMMANDS_UNCLEAR) || checks_has(checks, RULE_RACE_HOST) ||
           checks_has(checks, RULE_MAP_IN_USE) || checks_has(checks, RULE_RACE_COMMANDS);
}

/* ---- words ---- */

static const char *verb(const struct use_side *side)
{
    static const char *const sure[] = {"reads", "writes", "reads atomically", "updates atomically"};
    static const char *const possible[] = {"may read", "may write", "may read atomically",
                                           "may update atomically"};
    return side->possible ? possible[side->kind] : sure[side->kind];
}

/* "clEnqueueNDRangeKernel of 'sum'" */
static const char *name_command(const struct use_side *side, struct arena *arena)
{
    const struct use_origin *origin = side->origin;
    return origin->detail[0] ? arena_format(arena, "%s of %s", origin->function, origin->detail)
                             : origin->function;
}

static const char *make_message(const struct uses_conflict *conflict, const char *what,
                                struct arena *arena)
{
    const char *earlier = name_command(&conflict->earlier, arena);
    const char *later = name_command(&conflict->later, arena);
    switch (conflict->clash) {
    case USES_MAPPED:
        return arena_format(arena, "%s %s %s, which %s has mapped for %s", later,
                            verb(&conflict->later), what, earlier,
                            conflict->earlier.kind == USE_WRITE ? "writing" : "reading");
    case USES_ATOMICS:
        return arena_format(arena,
                            "%s and %s both use atomic operations on %s, and nothing orders the "
                            "two commands",
                            earlier, later, what);
    case USES_RACE:
        break;
    }
    if (conflict->why & COMMAND_LATER_IS_HOST)
        return arena_format(arena, "%s %s %s, which %s %s, and has not waited for that command",
                            later, verb(&conflict->later), what, earlier, verb(&conflict->earlier));
    return arena_format(arena, "%s %s %s, which %s %s, and nothing orders the two commands", later,
                        verb(&conflict->later), what, earlier, verb(&conflict->earlier));
}

static const char *make_reason(const struct uses_conflict *conflict, struct arena *arena)
{
    const char *where =
        (conflict->why & COMMAND_LATER_IS_HOST) ? "No blocking call, clFinish or clWaitForEvents "
                                                  "came between."
        : conflict->clash == USES_MAPPED
            ? "The later command does not come after a command that unmaps the object."
        : (conflict->why & COMMAND_RECORDED)
            ? "Both are recorded into one command-buffer, of a queue that is out of order: no "
              "synchronization point that the later one waits for comes after the earlier one, and "
              "no barrier is recorded between them."
        : (conflict->why & COMMAND_QUEUES_DIFFER)
            ? arena_format(arena,
                           "They are in queue#%" PRIu64 " and queue#%" PRIu64
                           ": no event that the later one waits for comes after the earlier one, "
                           "and the host did not wait for that before it enqueued the later one.",
                           conflict->earlier.origin->queue, conflict->later.origin->queue)
            : arena_format(arena,
                           "Both are in queue#%" PRIu64
                           ", which is out of order: no event that the later one waits for comes "
                           "after the earlier one, no barrier stands between them, and the host "
                           "did not wait for the earlier one before it enqueued the later one.",
                           conflict->later.origin->queue);
    const char *list = (conflict->why & COMMAND_LIST_BETWEEN)
                           ? " A marker or barrier between them has a wait list, and so waits for "
                             "the commands of that list only."
                           : "";
    const char *asked = (conflict->why & COMMAND_STATUS_ASKED)
                            ? " The program has asked for the status of the earlier one's event, "
                              "which orders nothing."
                            : "";
    const bool earlier_owns = conflict->earlier.own_memory;
    const char *own =
        earlier_owns || conflict->later.own_memory
            ? arena_format(arena,
                           " The %s one is a transfer between the object and the memory that it "
                           "was made of with CL_MEM_USE_HOST_PTR: no other command may use any of "
                           "the object at that time (OpenCL API 3.0, 5.2.2).",
                           earlier_owns ? "earlier" : "later")
            : "";
    return where && own ? arena_format(arena, "%s%s%s%s", where, own, list, asked) : NULL;
}

static struct finding_place make_place(const struct use_side *side, bool maps,
                                       const struct clash_words *words, struct arena *arena)
{
    const struct use_origin *origin = side->origin;
    struct finding_place place = {
        .kind = FINDING_PLACE_CALL, .function = origin->function, .call_id = origin->call_id};
    if (origin->queue != 0)
        place.label = arena_format(arena, "%s, in queue#%" PRIu64 ", %s", name_command(side, arena),
                                   origin->queue, maps ? "maps it" : verb(side));
    if (origin->stack && words->describe_stack)
        place.frame_count =
            words->describe_stack(words->stack_user, origin->stack, arena, &place.frames);
    return place;
}

void clash_report(const struct uses_conflict *conflict, const struct clash_words *words,
                  sink_function *report, void *user)
{
    struct arena arena = {0};
    const bool mapped = conflict->clash == USES_MAPPED;
    const struct finding_place places[] = {
        make_place(&conflict->later, false, words, &arena),
        make_place(&conflict->earlier, mapped, words, &arena),
    };
    const char *message = make_message(conflict, words->what, &arena);
    const struct finding finding = {
        .rule = clash_rule(conflict),
        .message = message ? message : "two commands clash",
        .reason = make_reason(conflict, &arena),
        .places = places,
        .place_count = 2,
        .call_id = conflict->later.origin->call_id,
        .count = 1,
    };
    report(user, &finding);
    arena_release(&arena);
}
