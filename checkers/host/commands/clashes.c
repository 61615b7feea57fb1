/* From two commands that clash to a finding of the host checker. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/clash.h"
#include "checkers/host/commands/commands_state.h"

#include <inttypes.h>

static void print_shared(const struct host_commands *commands, const struct uses_conflict *conflict,
                         struct text *text)
{
    struct object_table *objects = commands->checker->objects;
    struct object_facts facts;
    struct mem_traits mem;
    const uint64_t in_row = (UINT64_C(1) << CALL_ROW_SHIFT) - 1;
    const uint64_t in_level = (UINT64_C(1) << (CALL_LEVEL_SHIFT - CALL_SLICE_SHIFT)) - 1;
    if (conflict->object == CALL_HOST_MEMORY) {
        text_format(text, "%" PRIu64 " byte%s of the host's memory", conflict->size,
                    conflict->size == 1 ? "" : "s");
        return;
    }
    if (object_get_traits(objects, conflict->object, API_OBJECT_MEM, &mem) && mem_is_image(&mem))
        text_format(text, "texel (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ") of ",
                    conflict->first & in_row, conflict->first >> CALL_ROW_SHIFT & in_row,
                    conflict->first >> CALL_SLICE_SHIFT & in_level);
    else if (conflict->size > 0)
        text_format(text, "bytes %" PRIu64 " to %" PRIu64 " of ", conflict->first,
                    conflict->first + conflict->size - 1);
    if (object_describe(objects, conflict->object, &facts))
        blame_print_object(&facts, text);
    else
        text_append(text, "a memory object");
}

struct receiver {
    struct host_checker *checker;
    struct repeat_key key;
};

static void pass_on(void *user, const struct finding *finding)
{
    const struct receiver *receiver = user;
    const struct host_options *options = &receiver->checker->options;
    options->report(options->report_user, finding);
    repeats_remember(receiver->checker->repeats, &receiver->key, finding);
}

/* The place in the program: what is recorded is told by where that was done. */
static uint64_t stack_of(const struct use_origin *origin)
{
    return origin->recorded ? origin->recorded_stack : origin->stack;
}

void commands_report(void *user, const struct uses_conflict *conflict)
{
    const struct host_commands *commands = user;
    struct host_checker *checker = commands->checker;
    const enum rule_index rule = clash_rule(conflict);
    if (commands->blind || is_blind(checker) || !checks_has(&checker->options.checks, rule))
        return;
    struct use_origin later = *conflict->later.origin;
    if (later.stack == 0)
        later.stack = checker_stack(checker);
    const struct repeat_key key = {.stack = stack_of(&later),
                                   .created_stack = stack_of(conflict->earlier.origin),
                                   .rule = (uint32_t)rule,
                                   .entry = api_entry_find(later.function),
                                   .created_entry =
                                       api_entry_find(conflict->earlier.origin->function)};
    if (repeats_count(checker->repeats, &key))
        return;
    struct uses_conflict told = *conflict;
    told.later.origin = &later;
    struct text what = TEXT_INIT;
    print_shared(commands, conflict, &what);
    const struct clash_words words = {.what = what.bytes,
                                      .describe_stack = checker->options.describe_stack,
                                      .stack_user = checker->options.stack_user};
    struct receiver receiver = {checker, key};
    clash_report(&told, &words, pass_on, &receiver);
    text_release(&what);
}
