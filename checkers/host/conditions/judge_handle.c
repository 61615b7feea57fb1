/* Steps about handles: of a single parameter, of a list, of an event wait list. */
#include "checkers/host/checker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int32_t handle_error(enum api_object_kind kind)
{
    static const int32_t errors[API_OBJECT_KIND_COUNT] = {
        [API_OBJECT_NONE] = CL_INVALID_VALUE,
        [API_OBJECT_PLATFORM] = CL_INVALID_PLATFORM,
        [API_OBJECT_DEVICE] = CL_INVALID_DEVICE,
        [API_OBJECT_CONTEXT] = CL_INVALID_CONTEXT,
        [API_OBJECT_QUEUE] = CL_INVALID_COMMAND_QUEUE,
        [API_OBJECT_MEM] = CL_INVALID_MEM_OBJECT,
        [API_OBJECT_PROGRAM] = CL_INVALID_PROGRAM,
        [API_OBJECT_KERNEL] = CL_INVALID_KERNEL,
        [API_OBJECT_EVENT] = CL_INVALID_EVENT,
        [API_OBJECT_SAMPLER] = CL_INVALID_SAMPLER,
        [API_OBJECT_SEMAPHORE] = CL_INVALID_SEMAPHORE_KHR,
        [API_OBJECT_COMMAND_BUFFER] = CL_INVALID_COMMAND_BUFFER_KHR,
        [API_OBJECT_MUTABLE_COMMAND] = CL_INVALID_MUTABLE_COMMAND_KHR,
    };
    return kind < API_OBJECT_KIND_COUNT ? errors[kind] : CL_INVALID_VALUE;
}

/* A handle in the place where it was passed. */
struct use {
    uint64_t handle;
    const struct api_parameter *parameter;
    uint8_t argument;
    int64_t element; /* of a list; -1 = the parameter itself */
    int32_t error;   /* what the entry point returns when the handle is no good */
};

static const char *article(enum api_object_kind kind)
{
    const char *name = api_object_kind_name(kind);
    return strchr("aeiou", name[0]) ? "an" : "a";
}

static struct blame blame_use(const struct use *use, enum rule_index rule)
{
    return (struct blame){
        .rule = rule, .error = use->error, .argument = use->argument, .element = use->element};
}

static void blame_null(struct judged *judged, const struct use *use)
{
    if (!blame_wanted(judged, RULE_HANDLE_NULL))
        return;
    const struct blame blame = blame_use(use, RULE_HANDLE_NULL);
    const enum api_object_kind kind = (enum api_object_kind)use->parameter->kind;
    blame_call(judged, &blame, "is NULL; %s %s is needed", article(kind),
               api_object_kind_name(kind));
}

/* Objects may have come and gone without our seeing it. */
static bool misses_objects(const struct judged *judged)
{
    return is_blind(judged->checker) ||
           (judged->call->flags & (API_CALL_IN_CALLBACK | API_CALL_OF_ENDED)) ==
               API_CALL_IN_CALLBACK;
}

/* Platforms and devices come from places that nobody looks at. */
static bool comes_from_anywhere(const struct use *use)
{
    return use->parameter->kind == API_OBJECT_PLATFORM || use->parameter->kind == API_OBJECT_DEVICE;
}

static bool knows_nothing(const struct judged *judged, const struct use *use)
{
    return misses_objects(judged) || comes_from_anywhere(use);
}

/* Where a handle leads the loader reads which driver it is of: one that leads to no memory is none,
 * wherever it comes from. */
static bool leads_nowhere(const struct judged *judged, const struct use *use)
{
    const struct host_options *options = &judged->checker->options;
    uint64_t digest;
    return options->digest &&
           !options->digest(options->watch_user, use->handle, sizeof(void *), &digest);
}

static void blame_foreign(struct judged *judged, const struct use *use)
{
    const bool anywhere = comes_from_anywhere(use);
    if (misses_objects(judged) || !blame_wanted(judged, RULE_HANDLE_FOREIGN) ||
        (anywhere && !leads_nowhere(judged, use)))
        return;
    struct blame blame = blame_use(use, RULE_HANDLE_FOREIGN);
    const enum api_object_kind kind = (enum api_object_kind)use->parameter->kind;
    blame.refuse = anywhere;
    if (use->element >= 0)
        advise(judged, ADVICE_HANDLE_LIST);
    blame_call(judged, &blame, "is not %s %s, and no OpenCL call returned it%s", article(kind),
               api_object_kind_name(kind), anywhere ? ": there is no memory at this address" : "");
}

/* What is wrong with the use of an object that is known. */
struct misuse {
    enum rule_index rule;
    int32_t error;
    bool refuse;
    const char *reason;
    const char *what; /* after "is OBJECT" */
};

static void blame_misuse(struct judged *judged, const struct use *use, const struct misuse *misuse)
{
    struct object_facts facts;
    struct text object = TEXT_INIT;
    if (!blame_wanted(judged, misuse->rule) ||
        !object_describe(judged->checker->objects, use->handle, &facts))
        return;
    const struct blame blame = {.rule = misuse->rule,
                                .error = misuse->error,
                                .argument = use->argument,
                                .element = use->element,
                                .object = &facts,
                                .refuse = misuse->refuse,
                                .reason = misuse->reason};
    blame_print_object(&facts, &object);
    blame_call(judged, &blame, "is %s, %s", object.bytes, misuse->what);
    text_release(&object);
}

static void blame_kind(struct judged *judged, const struct use *use,
                       const struct object_state *state)
{
    const enum api_object_kind kind = (enum api_object_kind)use->parameter->kind;
    char what[96];
    if (state->standing != OBJECT_USABLE && knows_nothing(judged, use))
        return;
    snprintf(what, sizeof what, "%s %s; %s %s is needed", article(state->kind),
             api_object_kind_name(state->kind), article(kind), api_object_kind_name(kind));
    const struct misuse misuse = {
        .rule = RULE_HANDLE_WRONG_KIND, .error = use->error, .what = what};
    blame_misuse(judged, use, &misuse);
}

/* Released once more than it was created and retained. */
static void blame_excess(struct judged *judged, const struct use *use, bool is_dead)
{
    const struct misuse misuse = {
        .rule = RULE_RELEASE_EXCESS,
        .error = use->error,
        .refuse = is_dead,
        .reason = is_dead
                      ? "The program gave up its last reference before, and the object with it."
                      : "The program gave up its last reference before; this one belongs to the "
                        "objects that were made from it.",
        .what = "which is released more often than it was created and retained"};
    blame_misuse(judged, use, &misuse);
}

static void blame_released(struct judged *judged, const struct use *use)
{
    const struct misuse misuse = {
        .rule = RULE_HANDLE_RELEASED,
        .error = use->error,
        .refuse = true,
        .reason = "The program gave up its last reference; the object ends with it, or as "
                  "soon as no command uses it any more.",
        .what = "which was released"};
    if (!knows_nothing(judged, use))
        blame_misuse(judged, use, &misuse);
}

static void blame_borrowed(struct judged *judged, const struct use *use)
{
    struct object_facts facts;
    char reason[192];
    if (knows_nothing(judged, use) ||
        !object_describe(judged->checker->objects, use->handle, &facts))
        return;
    snprintf(reason, sizeof reason,
             "The program holds no reference any more; %u object%s made from it keep%s it alive, "
             "and the call works only as long as that is so.",
             facts.dependents, facts.dependents == 1 ? "" : "s", facts.dependents == 1 ? "s" : "");
    const struct misuse misuse = {.rule = RULE_HANDLE_BORROWED,
                                  .error = use->error,
                                  .reason = reason,
                                  .what = "which the program has released"};
    blame_misuse(judged, use, &misuse);
}

/* Says what is wrong with a handle that may not be used so; returns what is known of it. */
static __attribute__((noinline)) struct object_state
blame_unusable(struct judged *judged, const struct use *use, struct object_state state)
{
    const bool releases = (use->parameter->flags & API_PARAMETER_RELEASED) != 0;
    if (state.standing == OBJECT_UNKNOWN)
        blame_foreign(judged, use);
    else if (state.kind != use->parameter->kind)
        blame_kind(judged, use, &state);
    else if (releases)
        blame_excess(judged, use, state.standing == OBJECT_DEAD);
    else if (state.standing == OBJECT_DEAD)
        blame_released(judged, use);
    else
        blame_borrowed(judged, use);
    return (struct object_state){.standing = state.standing, .kind = state.kind};
}

/* Judges one handle; returns what is known of it. */
static inline struct object_state judge_use(struct judged *judged, const struct use *use)
{
    const struct object_state state = object_state(judged->checker->objects, use->handle);
    return object_is_usable(state, (enum api_object_kind)use->parameter->kind)
               ? state
               : blame_unusable(judged, use, state);
}

/* ---- contexts ---- */

static void blame_context(struct judged *judged, const struct use *use, enum rule_index rule,
                          const char *whose)
{
    char what[96];
    snprintf(what, sizeof what, "of another context than %s", whose);
    const struct misuse misuse = {.rule = rule, .error = CL_INVALID_CONTEXT, .what = what};
    blame_misuse(judged, use, &misuse);
}

uint8_t context_holder(const struct api_entry_info *info)
{
    return (uint8_t)api_entry_find_role(info, API_ROLE_HANDLE);
}

/* Must what a call names beside an object of this kind be of its context? */
static bool binds_to_context(enum api_object_kind kind)
{
    return kind == API_OBJECT_QUEUE || kind == API_OBJECT_COMMAND_BUFFER || kind == API_OBJECT_MEM;
}

/* ---- steps ---- */

/* other: the parameter whose context is that of the call; its step is the first */
void judge_handle(struct judged *judged, const struct step *step)
{
    const struct api_parameter *parameter = &judged->info->parameters[step->argument];
    const struct use use = {.handle = judged_bits(judged, step->argument),
                            .parameter = parameter,
                            .argument = step->argument,
                            .element = -1,
                            .error = step->error};
    if (use.handle == 0) {
        if (parameter->flags & API_PARAMETER_REQUIRED)
            blame_null(judged, &use);
        return;
    }
    const struct object_state state = judge_use(judged, &use);
    const struct api_parameter *holder = &judged->info->parameters[step->other];
    if (step->argument == step->other)
        judged->context = state.context;
    else if (binds_to_context((enum api_object_kind)holder->kind) && judged->context != 0 &&
             state.context != 0 && state.context != judged->context)
        blame_context(judged, &use, RULE_CONTEXT_MISMATCH, holder->name);
}

/* A list that is not a list has wrong ones without end. */
enum { WRONG_HANDLES_MAX = 16 };

/* Each handle of a list, up to so many that are wrong, and that those which have a context have the
 * same: the queue's when there is one, else that of the first. */
static void judge_elements(struct judged *judged, const struct step *step, int32_t error,
                           enum rule_index context_rule)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const struct api_parameter *parameter = &judged->info->parameters[step->argument];
    if (list->kind != API_VALUE_HANDLES || !list->data)
        return;
    uint64_t context = judged->context;
    const char *whose =
        context ? judged->info->parameters[context_holder(judged->info)].name : "those before it";
    const bool share_one = judged->call->entry == API_ENTRY_clWaitForEvents ||
                           judged->call->entry == API_ENTRY_clCreateCommandBufferKHR;
    unsigned wrong = 0;
    for (uint32_t i = 0; i < list->count && wrong < WRONG_HANDLES_MAX; ++i) {
        const struct use use = {.handle = list_word(list, i),
                                .parameter = parameter,
                                .argument = step->argument,
                                .element = (int64_t)i,
                                .error = error};
        if (use.handle == 0) {
            blame_null(judged, &use);
            wrong++;
            continue;
        }
        const struct object_state state = judge_use(judged, &use);
        wrong += !object_is_usable(state, (enum api_object_kind)parameter->kind);
        if (state.context == 0)
            continue;
        if (context == 0 && share_one)
            context = state.context;
        if (context != 0 && state.context != context)
            blame_context(judged, &use, context_rule, whose);
    }
}

/* A list of which at least one element is needed, or that may be left out as a whole. That a list
 * which is needed has no elements is a row of conditions.def. */
void judge_handles(struct judged *judged, const struct step *step)
{
    const struct api_parameter *parameter = &judged->info->parameters[step->argument];
    const enum api_object_kind kind = (enum api_object_kind)parameter->kind;
    if (parameter->flags & API_PARAMETER_LIST)
        judge_list(judged, step);
    else
        judge_required_pointer(judged, step);
    /* clRemapCommandBufferKHR, the only one with such a list, has CL_INVALID_VALUE. */
    const int32_t error =
        kind == API_OBJECT_MUTABLE_COMMAND ? CL_INVALID_VALUE : handle_error(kind);
    judge_elements(judged, step, error,
                   kind == API_OBJECT_EVENT ? RULE_WAIT_LIST_CONTEXT : RULE_CONTEXT_MISMATCH);
}

void judge_wait_list(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const uint64_t count = judged->call->arguments[step->other].bits;
    if (__builtin_expect(count == 0 && !list->present, 1))
        return;
    if (count != 0 && !list->present)
        blame_as(judged, RULE_WAIT_LIST_NULL, step->error, step->argument, 0,
                 "is NULL although %s is %" PRIu64, judged_name(judged, step->other), count);
    else if (count == 0)
        blame_as(judged, RULE_WAIT_LIST_COUNT, step->error, step->other, 0,
                 "is 0 although %s is not NULL", judged_name(judged, step->argument));
    else
        judge_elements(judged, step, step->error, RULE_WAIT_LIST_CONTEXT);
}

/* A handle that is not a parameter itself: behind a pointer, or in a list of properties. */
struct object_state judge_handle_value(struct judged *judged, const struct step *step,
                                       uint64_t handle, enum api_object_kind kind, uint64_t context)
{
    const struct api_parameter parameter = {.kind = (uint8_t)kind};
    const struct use use = {.handle = handle,
                            .parameter = &parameter,
                            .argument = step->argument,
                            .element = -1,
                            .error = step->error};
    const struct object_state state = judge_use(judged, &use);
    if (context != 0 && state.context != 0 && state.context != context)
        blame_context(judged, &use, RULE_CONTEXT_MISMATCH, judged->info->parameters[0].name);
    return state;
}
