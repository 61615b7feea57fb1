#include "checkers/host/commands/clash.h"

#include "checkers/finding.h"
#include "trace/api/entry.h"

#include <inttypes.h>

enum { PLACES_MAX = 4 };

enum rule_index clash_rule(const struct uses_conflict *conflict)
{
    if (conflict->clash == USES_ATOMICS)
        return RULE_ATOMICS_ACROSS_KERNELS;
    if (conflict->clash == USES_SCOPES)
        return conflict->earlier.reach == USE_REACH_UNCLEAR &&
                       conflict->later.reach == USE_REACH_UNCLEAR
                   ? RULE_ATOMIC_SCOPE_UNCLEAR
                   : RULE_RACE_ATOMIC_SCOPE;
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

static const char *enqueuing(void)
{
    return api_entry_get(API_ENTRY_clEnqueueCommandBufferKHR)->name;
}

/* "clEnqueueNDRangeKernel of 'sum'" */
static const char *name_command(const struct use_side *side, struct arena *arena)
{
    const struct use_origin *origin = side->origin;
    return origin->detail[0] ? arena_format(arena, "%s of %s", origin->function, origin->detail)
                             : origin->function;
}

/* The same, "clCommandCopyBufferKHR, enqueued by clEnqueueCommandBufferKHR,": unless both are, by
 * the same call. */
static const char *name_enqueued(const struct use_side *side, unsigned why, struct arena *arena)
{
    const char *name = name_command(side, arena);
    return side->origin->recorded && !(why & COMMAND_RECORDED) && name
               ? arena_format(arena, "%s, enqueued by %s,", name, enqueuing())
               : name;
}

/* Each reaches other kernels, and on one device. */
static bool scopes_differ(const struct uses_conflict *conflict)
{
    return conflict->earlier.reach <= USE_REACHES_ALL && conflict->later.reach <= USE_REACHES_ALL &&
           conflict->earlier.device == conflict->later.device;
}

static const char *why_scopes(const struct uses_conflict *conflict, struct arena *arena)
{
    const bool earlier_reaches = conflict->earlier.reach <= USE_REACHES_ALL;
    const bool later_reaches = conflict->later.reach <= USE_REACHES_ALL;
    if (conflict->clash != USES_SCOPES)
        return "";
    if (scopes_differ(conflict))
        return " One scope is memory_scope_device and the other memory_scope_all_svm_devices: "
               "before OpenCL 3.1 they include each other only if they are the same.";
    if (earlier_reaches && later_reaches)
        return " The two run on two devices, and memory_scope_device holds no work-item of another "
               "one: both need memory_scope_all_svm_devices, on memory that was allocated with "
               "CL_MEM_SVM_ATOMICS.";
    return arena_format(arena,
                        " %s narrower than memory_scope_device, which holds no work-item of "
                        "another kernel.",
                        earlier_reaches ? "The later one's scope is"
                        : later_reaches ? "The earlier one's scope is"
                                        : "Both have a scope");
}

static const char *make_message(const struct uses_conflict *conflict, const char *what,
                                struct arena *arena)
{
    const char *earlier = name_enqueued(&conflict->earlier, conflict->why, arena);
    const char *later = name_enqueued(&conflict->later, conflict->why, arena);
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
    case USES_SCOPES:
        return arena_format(arena,
                            "%s and %s both use atomic operations on %s, in scopes that do not "
                            "%s, and nothing orders the two commands",
                            earlier, later, what,
                            scopes_differ(conflict) ? "include each other"
                                                    : "reach from one kernel to another");
    case USES_RACE:
        break;
    }
    if (conflict->why & COMMAND_LATER_IS_HOST)
        return arena_format(arena, "%s %s %s, which %s %s, and has not waited for that command",
                            later, verb(&conflict->later), what, earlier, verb(&conflict->earlier));
    return arena_format(arena, "%s %s %s, which %s %s, and nothing orders the two commands", later,
                        verb(&conflict->later), what, earlier, verb(&conflict->earlier));
}

static bool is_across(const struct uses_conflict *conflict)
{
    return (conflict->why & (COMMAND_EARLIER_ACROSS | COMMAND_LATER_ACROSS)) != 0;
}

static enum advice advice_of(const struct uses_conflict *conflict)
{
    return (conflict->why & COMMAND_RECORDED) ? ADVICE_ORDER_RECORDED
           : is_across(conflict)              ? ADVICE_ORDER_ACROSS
                                              : ADVICE_OF_RULE;
}

static const char *make_reason(const struct uses_conflict *conflict, struct arena *arena)
{
    const char *where =
        (conflict->why & COMMAND_LATER_IS_HOST) ? "No blocking call, clFinish or clWaitForEvents "
                                                  "came between."
        : conflict->clash == USES_MAPPED
            ? "The later command does not come after a command that unmaps the object, which is "
              "mapped as a whole, whichever region was."
        : (conflict->why & COMMAND_RECORDED)
            ? "Both are recorded into one command-buffer, and not for a queue that is in order: no "
              "synchronization point that the later one waits for comes after the earlier one, and "
              "no barrier is recorded between them."
        : is_across(conflict)
            ? "No event that the later one waits for comes after the earlier one, no barrier "
              "stands between them in a queue of both, and the host did not wait for the earlier "
              "one before it enqueued the later one."
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
    const char *scopes = why_scopes(conflict, arena);
    const bool earlier_owns = conflict->earlier.own_memory;
    const char *own =
        earlier_owns || conflict->later.own_memory
            ? arena_format(arena,
                           " The %s one is a transfer between the object and the memory that it "
                           "was made of with CL_MEM_USE_HOST_PTR: no other command may use any of "
                           "the object at that time (OpenCL API 3.0, 5.2.2).",
                           earlier_owns ? "earlier" : "later")
            : "";
    const char *across =
        is_across(conflict)
            ? arena_format(arena,
                           " The %s one is of a command-buffer that was enqueued in several "
                           "queues at once: queues that are in order do not order it, only events "
                           "and barriers do (OpenCL API 3.1, Command-Buffers and Multiple "
                           "Devices).",
                           (conflict->why & COMMAND_LATER_ACROSS) ? "later" : "earlier")
            : "";
    return where && own && across && scopes
               ? arena_format(arena, "%s%s%s%s%s%s", where, across, own, list, asked, scopes)
               : NULL;
}

static void set_stack(struct finding_place *place, uint64_t stack, const struct clash_words *words,
                      struct arena *arena)
{
    if (stack && words->describe_stack)
        place->frame_count = words->describe_stack(words->stack_user, stack, arena, &place->frames);
}

/* The call that enqueues the command, or records it. */
static struct finding_place make_place(const struct use_side *side, bool maps,
                                       const struct clash_words *words, struct arena *arena)
{
    const struct use_origin *origin = side->origin;
    struct finding_place place = {.kind = FINDING_PLACE_CALL,
                                  .function = origin->function,
                                  .call_id = origin->recorded ? origin->recorded_call_id
                                                              : origin->call_id};
    if (origin->queue == 0 && origin->recorded)
        place.label = arena_format(arena, "%s, %s", name_command(side, arena), verb(side));
    else if (origin->queue != 0)
        place.label = arena_format(arena, "%s, in queue#%" PRIu64 ", %s", name_command(side, arena),
                                   origin->queue, maps ? "maps it" : verb(side));
    set_stack(&place, origin->recorded ? origin->recorded_stack : origin->stack, words, arena);
    return place;
}

static struct finding_place make_enqueuing(const struct use_side *side, const char *label,
                                           const struct clash_words *words, struct arena *arena)
{
    struct finding_place place = {.kind = FINDING_PLACE_CALL,
                                  .label = label,
                                  .function = enqueuing(),
                                  .call_id = side->origin->call_id};
    set_stack(&place, side->origin->stack, words, arena);
    return place;
}

/* First both commands, then what enqueues those that are recorded. */
static size_t make_places(const struct uses_conflict *conflict, const struct clash_words *words,
                          struct arena *arena, struct finding_place places[PLACES_MAX])
{
    const bool once = (conflict->why & COMMAND_RECORDED) != 0;
    size_t count = 0;
    places[count++] = make_place(&conflict->later, false, words, arena);
    places[count++] = make_place(&conflict->earlier, conflict->clash == USES_MAPPED, words, arena);
    if (conflict->later.origin->recorded)
        places[count++] = make_enqueuing(
            &conflict->later, once ? "enqueues both" : "enqueues the later one", words, arena);
    if (conflict->earlier.origin->recorded && !once)
        places[count++] =
            make_enqueuing(&conflict->earlier, "enqueues the earlier one", words, arena);
    return count;
}

void clash_report(const struct uses_conflict *conflict, const struct clash_words *words,
                  sink_function *report, void *user)
{
    struct arena arena = {0};
    struct finding_place places[PLACES_MAX];
    const size_t place_count = make_places(conflict, words, &arena, places);
    const char *message = make_message(conflict, words->what, &arena);
    const struct finding finding = {
        .rule = clash_rule(conflict),
        .message = message ? message : "two commands clash",
        .reason = make_reason(conflict, &arena),
        .advice = rule_advice(clash_rule(conflict), advice_of(conflict)),
        .places = places,
        .place_count = place_count,
        .call_id = conflict->later.origin->call_id,
        .count = 1,
    };
    report(user, &finding);
    arena_release(&arena);
}
