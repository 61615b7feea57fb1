/* From what is wrong with a call to a finding. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/commands.h"

#include "checkers/finding.h"
#include "trace/api/enumerant.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { PLACES_MAX = 3 };

/* A finding in the making. Strings go to the arena; when memory is out the finding has fewer of
 * them. */
struct maker {
    struct host_checker *checker;
    struct arena arena;
    struct finding_place places[PLACES_MAX];
    size_t place_count;
};

uint64_t checker_stack(struct host_checker *checker)
{
    return checker->options.capture_stack
               ? checker->options.capture_stack(checker->options.stack_user)
               : 0;
}

bool blame_wanted(const struct judged *judged, enum rule_index rule)
{
    return judged->returned != CL_SUCCESS || checks_has(&judged->checker->options.checks, rule);
}

void blame_print_object(const struct object_facts *facts, struct text *text)
{
    text_format(text, "%s#%" PRIu32, facts->label, facts->ordinal);
    if (facts->detail[0] || facts->first_use[0])
        text_format(text, " (%s%s%s)", facts->detail,
                    facts->detail[0] && facts->first_use[0] ? ", " : "", facts->first_use);
}

static void describe_stack(struct maker *maker, uint64_t stack, struct finding_place *place)
{
    const struct host_options *options = &maker->checker->options;
    if (stack && options->describe_stack)
        place->frame_count =
            options->describe_stack(options->stack_user, stack, &maker->arena, &place->frames);
}

/* "buffer#3 was created by clCreateBuffer" */
static void add_moment(struct maker *maker, const struct object_facts *facts, const char *what,
                       const struct object_moment *moment)
{
    if (moment->call_id == 0 || maker->place_count == PLACES_MAX)
        return;
    struct finding_place *place = &maker->places[maker->place_count++];
    place->kind = FINDING_PLACE_OBJECT;
    place->function = api_entry_get(moment->entry)->name;
    place->label = arena_format(&maker->arena, "%s#%" PRIu32 " was %s by %s", facts->label,
                                facts->ordinal, what, place->function);
    place->call_id = moment->call_id;
    describe_stack(maker, moment->stack, place);
}

static void add_object(struct maker *maker, const struct object_facts *facts)
{
    add_moment(maker, facts, facts->counted ? "created" : "returned", &facts->created);
    add_moment(maker, facts, "released", &facts->released);
}

static const char *argument_name(struct maker *maker, const struct judged *judged,
                                 const struct blame *blame)
{
    if (blame->argument == API_PARAMETER_NONE)
        return NULL;
    const char *name = judged->info->parameters[blame->argument].name;
    return blame->element < 0
               ? name
               : arena_format(&maker->arena, "%s[%" PRId64 "]", name, blame->element);
}

static void add_call(struct maker *maker, const struct judged *judged, const char *argument,
                     uint64_t stack)
{
    struct finding_place *place = &maker->places[maker->place_count++];
    place->kind = FINDING_PLACE_CALL;
    place->function = judged->info->name;
    place->argument = argument;
    place->call_id = judged->call->id;
    describe_stack(maker, stack, place);
}

/* What becomes of the call. */
static const char *make_outcome(struct maker *maker, const struct judged *judged,
                                const struct blame *blame, bool refuse)
{
    const bool has_error =
        judged->info->return_role == API_ROLE_STATUS ||
        api_entry_find_role(judged->info, API_ROLE_OUT_STATUS) != API_PARAMETER_NONE;
    const char *error = has_error ? api_error_name(blame->error) : "NULL";
    if (judged->returned != CL_SUCCESS)
        return arena_format(&maker->arena, "The driver returned %s.", error ? error : "an error");
    return arena_format(&maker->arena, "%s %s.",
                        refuse ? "The call is not passed on to the driver and returns"
                               : "The call is passed on to the driver, which should return",
                        error ? error : "an error");
}

/* Why it is certain, and what becomes of the call. */
static const char *make_reason(struct maker *maker, const struct judged *judged,
                               const struct blame *blame, bool refuse)
{
    if (judged->info->return_role == API_ROLE_NOTHING || blame->error == CL_SUCCESS ||
        rule_get(blame->rule)->severity == SEVERITY_NOTE)
        return blame->reason;
    const char *outcome = make_outcome(maker, judged, blame, refuse);
    return blame->reason ? arena_format(&maker->arena, "%s %s", blame->reason, outcome) : outcome;
}

static struct repeat_key repeat_key_of(const struct judged *judged, const struct blame *blame,
                                       uint64_t stack)
{
    struct repeat_key key = {.stack = stack,
                             .element = blame->element,
                             .rule = (uint32_t)blame->rule,
                             .entry = judged->call->entry,
                             .argument = blame->argument};
    if (blame->object) {
        key.created_stack = blame->object->created.stack;
        key.created_entry = blame->object->created.entry;
        key.released_stack = blame->object->released.stack;
        key.released_entry = blame->object->released.entry;
    }
    return key;
}

/* Is this the time to say it? Before the call what is sure is said; after one that failed what the
 * driver has confirmed. */
static bool is_timely(struct judged *judged, const struct blame *blame)
{
    if (judged->returned == CL_SUCCESS)
        return !blame->unsure;
    if (!blame->unsure) {
        judged->explained |= rule_get(blame->rule)->severity != SEVERITY_NOTE;
        return false;
    }
    if (!judged->weighs_unsure || judged->explained || blame->error != judged->returned)
        return false;
    judged->explained = true;
    return checks_has(&judged->checker->options.checks, blame->rule);
}

static void blame_list(struct judged *judged, const struct blame *blame, const char *format,
                       va_list list)
{
    const enum advice advice = judged->advice;
    judged->advice = ADVICE_OF_RULE;
    struct host_checker *checker = judged->checker;
    const bool is_error = rule_get(blame->rule)->severity == SEVERITY_ERROR;
    const bool refuse = !blame->unsure && blame->error != CL_SUCCESS &&
                        (blame->refuse || (checker->options.fail_calls && is_error));
    if (!is_timely(judged, blame))
        return;
    judged->blamed = true;
    if (refuse && !judged->verdict->refuse)
        *judged->verdict = (struct host_verdict){.refuse = true, .error = blame->error};

    const uint64_t stack = checker_stack(checker);
    const struct repeat_key key = repeat_key_of(judged, blame, stack);
    if (repeats_count(checker->repeats, &key))
        return;

    struct maker maker = {.checker = checker};
    struct text message = TEXT_INIT;
    char what[512];
    vsnprintf(what, sizeof what, format, list);
    const char *argument = argument_name(&maker, judged, blame);
    text_format(&message, "%s: %s%s%s", judged->info->name, argument ? argument : "",
                argument ? " " : "", what);
    add_call(&maker, judged, argument, stack);
    if (blame->object)
        add_object(&maker, blame->object);
    const struct finding finding = {.rule = blame->rule,
                                    .message = message.bytes,
                                    .reason = make_reason(&maker, judged, blame, refuse),
                                    .advice = rule_advice(blame->rule, advice),
                                    .places = maker.places,
                                    .place_count = maker.place_count,
                                    .call_id = judged->call->id,
                                    .count = 1};
    checker->options.report(checker->options.report_user, &finding);
    repeats_remember(checker->repeats, &key, &finding);
    text_release(&message);
    arena_release(&maker.arena);
}

void blame_call(struct judged *judged, const struct blame *blame, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    blame_list(judged, blame, format, list);
    va_end(list);
}

static void blame_place(struct judged *judged, const struct step *step, int64_t element,
                        uint64_t object, const char *format, va_list list)
{
    struct object_facts facts;
    const struct blame blame = {
        .rule = step->rule,
        .error = step->error,
        .argument = step->argument,
        .element = element,
        .object =
            object && object_describe(judged->checker->objects, object, &facts) ? &facts : NULL};
    if (blame_wanted(judged, step->rule))
        blame_list(judged, &blame, format, list);
    judged->advice = ADVICE_OF_RULE;
}

void blame_step(struct judged *judged, const struct step *step, uint64_t object, const char *format,
                ...)
{
    va_list list;
    va_start(list, format);
    blame_place(judged, step, -1, object, format, list);
    va_end(list);
}

void blame_as(struct judged *judged, enum rule_index rule, int32_t error, uint8_t argument,
              uint64_t object, const char *format, ...)
{
    const struct step step = {.rule = rule, .error = error, .argument = argument};
    va_list list;
    va_start(list, format);
    blame_place(judged, &step, -1, object, format, list);
    va_end(list);
}

void blame_element(struct judged *judged, const struct step *step, uint32_t element,
                   uint64_t object, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    blame_place(judged, step, element, object, format, list);
    va_end(list);
}

void blame_unsure(struct judged *judged, const struct step *step, const char *format, ...)
{
    const struct blame blame = {.rule = step->rule,
                                .error = step->error,
                                .argument = step->argument,
                                .element = -1,
                                .unsure = true};
    va_list list;
    if (!judged->weighs_unsure) { /* the common case: it is not the time */
        judged->advice = ADVICE_OF_RULE;
        return;
    }
    va_start(list, format);
    blame_list(judged, &blame, format, list);
    va_end(list);
}

const char *label_object(const struct judged *judged, uint64_t handle, struct object_label *room)
{
    struct object_facts facts;
    struct text text = TEXT_INIT;
    snprintf(room->text, sizeof room->text, "an object");
    if (object_describe(judged->checker->objects, handle, &facts)) {
        blame_print_object(&facts, &text);
        snprintf(room->text, sizeof room->text, "%s", text.bytes ? text.bytes : "an object");
    }
    text_release(&text);
    return room->text;
}

const char *label_value(uint64_t value, struct object_label *room)
{
    const struct api_enumerant *known = api_enumerant_of_value(value);
    if (known)
        snprintf(room->text, sizeof room->text, "%s", known->name);
    else
        snprintf(room->text, sizeof room->text, "0x%" PRIx64, value);
    return room->text;
}

void blame_leak(struct host_checker *checker, const struct object_facts *first, uint64_t count)
{
    struct maker maker = {.checker = checker};
    struct text object = TEXT_INIT;
    blame_print_object(first, &object);
    const bool is_memory = first->kind == API_OBJECT_NONE;
    const char *ended = is_memory ? "freed" : "released";
    add_moment(&maker, first, is_memory ? "allocated" : "created", &first->created);
    const char *message = count == 1
                              ? arena_format(&maker.arena, "%s is never %s", object.bytes, ended)
                              : arena_format(&maker.arena,
                                             "%" PRIu64 " %s that %s %s in one place are never "
                                             "%s, the first of them %s",
                                             count, is_memory ? "allocations" : "objects",
                                             api_entry_get(first->created.entry)->name,
                                             is_memory ? "made" : "created", ended, object.bytes);
    const char *reason =
        is_memory
            ? NULL
            : arena_format(&maker.arena,
                           "%" PRIu32 " reference%s of the program's own %s left at its end%s.",
                           first->references, first->references == 1 ? "" : "s",
                           first->references == 1 ? "is" : "are",
                           count == 1 ? "" : ", to the first of them");
    const struct finding finding = {
        .rule = RULE_OBJECT_LEAKED,
        .message = message ? message : "an object is never released",
        .reason = reason,
        .advice = is_memory ? rule_advice(RULE_OBJECT_LEAKED, ADVICE_MEMORY_LEAKED) : NULL,
        .places = maker.places,
        .place_count = maker.place_count,
        .call_id = first->created.call_id,
        .count = count};
    checker->options.report(checker->options.report_user, &finding);
    text_release(&object);
    arena_release(&maker.arena);
}

void blame_unflushed(struct host_checker *checker, const struct object_facts *queue,
                     const struct last_command *last)
{
    struct maker maker = {.checker = checker};
    struct text object = TEXT_INIT;
    blame_print_object(queue, &object);
    add_moment(&maker, queue, "created", &queue->created);
    const char *message = arena_format(
        &maker.arena, "%s still holds commands enqueued after its last flush; the last is %s",
        object.bytes, api_entry_get(last->entry)->name);
    const struct finding finding = {
        .rule = RULE_QUEUE_UNFLUSHED,
        .message = message ? message : "a command-queue is left with commands",
        .reason = arena_format(&maker.arena, "That is call %" PRIu64 "; it need never begin.",
                               last->call_id),
        .places = maker.places,
        .place_count = maker.place_count,
        .call_id = last->call_id,
        .count = 1};
    checker->options.report(checker->options.report_user, &finding);
    text_release(&object);
    arena_release(&maker.arena);
}
