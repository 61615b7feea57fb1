/* Plans: which steps judge a call of an entry point: those that the roles of its parameters ask
 * for, those that the specification asks for of whatever it is or does, and its own of
 * conditions.def. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/commands.h"

#include "trace/base/assert.h"
#include "trace/effect/argument.h"
#include "trace/effect/effect.h"

#include <string.h>

/* A step by role, before and after it is known whether there is room for it. */
struct maker {
    struct host_checker *checker;
    struct step steps[2 * API_ARGUMENT_MAX + 16]; /* more than any entry point has */
    size_t count;
};

static void add_step(struct maker *maker, struct step step)
{
    ASSERT(maker->count < sizeof maker->steps / sizeof *maker->steps);
    maker->steps[maker->count++] = step;
}

/* One that is about a parameter, or two; API_PARAMETER_NONE = it is about none. */
static void add(struct maker *maker, void (*judge)(struct judged *, const struct step *),
                enum rule_index rule, int32_t error, uint8_t argument, uint8_t other)
{
    add_step(
        maker,
        (struct step){
            .judge = judge, .rule = rule, .error = error, .argument = argument, .other = other});
}

/* A pointer that is required may be NULL when there is nothing after it: the parameter that says
 * how much, the count of a list or the `size` of a transfer. */
static uint8_t amount_parameter(const struct api_entry_info *info,
                                const struct api_parameter *parameter)
{
    if (parameter->count_index != API_PARAMETER_NONE)
        return parameter->count_index;
    if (parameter->role == API_ROLE_IN_MEMORY || parameter->role == API_ROLE_OUT_MEMORY)
        return (uint8_t)api_entry_find_parameter(info, "size");
    return API_PARAMETER_NONE;
}

static int32_t pointer_error(const struct api_parameter *parameter)
{
    switch (parameter->family) {
    case API_FAMILY_IMAGE_FORMAT:
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    case API_FAMILY_IMAGE_DESC:
        return CL_INVALID_IMAGE_DESCRIPTOR;
    default:
        /* A launch may do without its size, the question about one may not. */
        return strcmp(parameter->name, "global_work_size") == 0 ? CL_INVALID_GLOBAL_WORK_SIZE
                                                                : CL_INVALID_VALUE;
    }
}

static struct step step_of_pointer(struct step step, const struct api_parameter *parameter)
{
    step.judge = judge_required_pointer;
    step.error = pointer_error(parameter);
    return step;
}

static int32_t properties_error(const struct api_entry_info *info,
                                const struct api_parameter *parameter)
{
    switch (parameter->family) {
    case API_FAMILY_CONTEXT_PROPERTIES: /* the question about a context has another than the making
                                         */
        return info->return_role == API_ROLE_HANDLE ? CL_INVALID_PROPERTY : CL_INVALID_VALUE;
    case API_FAMILY_MEM_PROPERTIES:
    case API_FAMILY_MEM_ALLOC_PROPERTIES:
    case API_FAMILY_SEMAPHORE_PROPERTIES:
        return CL_INVALID_PROPERTY;
    default:
        return CL_INVALID_VALUE;
    }
}

/* The first object that a call is about, or a list of them; API_PARAMETER_NONE. */
static uint8_t first_object(const struct api_entry_info *info)
{
    for (uint32_t i = 0; i < info->parameter_count; ++i)
        if ((info->parameters[i].role == API_ROLE_HANDLE ||
             info->parameters[i].role == API_ROLE_HANDLES) &&
            info->parameters[i].kind != API_OBJECT_PLATFORM)
            return (uint8_t)i;
    return API_PARAMETER_NONE;
}

/* What is undefined by the roles of parameters. */
static void plan_undefined(struct maker *maker, const struct api_entry_info *info, uint8_t index)
{
    const struct api_parameter *parameter = &info->parameters[index];
    const uint8_t list = (uint8_t)api_entry_find_role(info, API_ROLE_WAIT_LIST);
    const uint8_t points = (uint8_t)api_entry_find_role(info, API_ROLE_SYNC_POINTS);
    if (points != API_PARAMETER_NONE && strcmp(parameter->name, "sync_point") == 0)
        add(maker, judge_event_aliased, RULE_SYNC_POINT_LIST, CL_SUCCESS, index, points);
    if (parameter->role == API_ROLE_OUT_EVENT && list != API_PARAMETER_NONE)
        add(maker, judge_event_aliased, RULE_EVENT_ALIASED, CL_SUCCESS, index, list);
    if ((parameter->flags & API_PARAMETER_RELEASED) && parameter->kind != API_OBJECT_EVENT)
        add(maker, judge_release_awaited, RULE_EVENT_UNSET_RELEASE, CL_SUCCESS, index, list);
}

static void plan_parameter(struct maker *maker, const struct api_entry_info *info, uint8_t index)
{
    const struct api_parameter *parameter = &info->parameters[index];
    const bool required = (parameter->flags & API_PARAMETER_REQUIRED) != 0;
    struct step step = {.argument = index,
                        .other = amount_parameter(info, parameter),
                        .rule = RULE_ARGUMENT_NULL,
                        .error = CL_INVALID_VALUE};
    switch (parameter->role) {
    case API_ROLE_FLAGS:
        step.judge = judge_flags;
        step.rule = RULE_FLAGS_INVALID;
        step.error =
            parameter->family == API_FAMILY_DEVICE_TYPE ? CL_INVALID_DEVICE_TYPE : CL_INVALID_VALUE;
        break;
    case API_ROLE_INFO_VALUE:
        step.judge = judge_query;
        step.rule = RULE_QUERY_NAME;
        step.other = (uint8_t)api_entry_find_parameter(info, "param_name");
        break;
    case API_ROLE_PROPERTIES:
        if (required)
            add_step(maker, step_of_pointer(step, parameter));
        step.judge = judge_properties;
        step.rule = RULE_PROPERTY_INVALID;
        step.error = properties_error(info, parameter);
        break;
    case API_ROLE_HANDLE:
        step.judge = judge_handle;
        step.other = context_holder(info);
        step.error = handle_error((enum api_object_kind)parameter->kind);
        break;
    case API_ROLE_HANDLES:
        step.judge = judge_handles;
        break;
    case API_ROLE_WAIT_LIST:
        step.judge = judge_wait_list;
        step.error = CL_INVALID_EVENT_WAIT_LIST;
        break;
    case API_ROLE_SYNC_POINTS:
        step.judge = judge_sync_points;
        step.rule = RULE_SYNC_POINT_LIST;
        step.error = CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
        break;
    default:
        if (parameter->flags & API_PARAMETER_LIST) {
            step.judge = judge_list;
        } else if (required) {
            step = step_of_pointer(step, parameter);
        }
        break;
    }
    if (step.judge)
        add_step(maker, step);
    plan_undefined(maker, info, index);
}

static bool is_core(const struct api_entry_info *info)
{
    return info->since[0] != 'c'; /* "cl_khr_..." */
}

/* Of all commands, all that are recorded, and all calls that wait. Where extensions say a valid
 * command-queue the core says a valid host command-queue. */
static void plan_command(struct maker *maker, uint32_t entry, const struct api_entry_info *info)
{
    enum { NONE = API_PARAMETER_NONE, COMMAND_BUFFER = 0, COMMAND_QUEUE = 1 };
    const bool enqueues = (info->flags & API_ENTRY_ENQUEUES) != 0;
    if (call_may_wait(entry)) {
        add(maker, judge_flushed, RULE_QUEUE_UNFLUSHED, CL_SUCCESS, NONE, NONE);
        add(maker, judge_awaited_set, RULE_EVENT_NEVER_SET, CL_SUCCESS, NONE, NONE);
    }
    if (enqueues) {
        add(maker, judge_owned_once, RULE_HOST_MEMORY_SHARED, CL_SUCCESS, NONE, NONE);
        add(maker, judge_contents, RULE_CONTENT_UNDEFINED, CL_SUCCESS, NONE, NONE);
    }
    if (enqueues && is_core(info))
        add(maker, judge_host_queue, RULE_QUEUE_ON_DEVICE, CL_INVALID_COMMAND_QUEUE, 0, NONE);
    if (info->flags & API_ENTRY_RECORDS) {
        add(maker, judge_recording_queue, RULE_COMMAND_BUFFER_QUEUE, CL_INVALID_COMMAND_QUEUE,
            COMMAND_QUEUE, COMMAND_BUFFER);
        add(maker, judge_recording, RULE_COMMAND_BUFFER_STATE, CL_INVALID_OPERATION, COMMAND_BUFFER,
            NONE);
        add(maker, judge_mutable_handle, RULE_MUTABLE_COMMAND, CL_INVALID_VALUE,
            (uint8_t)api_entry_find_parameter(info, "mutable_handle"),
            entry == API_ENTRY_clCommandNDRangeKernelKHR ? COMMAND_BUFFER : NONE);
    }
}

static void plan_blocking(struct maker *maker, const struct api_entry_info *info)
{
    if (info->blocking == API_PARAMETER_NONE)
        return;
    add(maker, judge_failed_events, RULE_EVENT_FAILED, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        (uint8_t)api_entry_find_role(info, API_ROLE_WAIT_LIST), info->blocking);
    if (is_core(info))
        add(maker, judge_blocking_callback, RULE_CALLBACK_BLOCKS, CL_SUCCESS, info->blocking,
            API_PARAMETER_NONE);
}

/* clang-format off */
#define AT_1(entry, a)      API_##entry##_##a
#define AT_2(entry, a, ...) API_##entry##_##a, AT_1(entry, __VA_ARGS__)
#define AT_3(entry, a, ...) API_##entry##_##a, AT_2(entry, __VA_ARGS__)
#define AT_4(entry, a, ...) API_##entry##_##a, AT_3(entry, __VA_ARGS__)
#define AT_5(entry, a, ...) API_##entry##_##a, AT_4(entry, __VA_ARGS__)
#define AT_6(entry, a, ...) API_##entry##_##a, AT_5(entry, __VA_ARGS__)
#define AT_7(entry, a, ...) API_##entry##_##a, AT_6(entry, __VA_ARGS__)
#define AT_8(entry, a, ...) API_##entry##_##a, AT_7(entry, __VA_ARGS__)
#define AT(entry, ...) API_JOIN(AT_, API_COUNT_OF(__VA_ARGS__))(entry, __VA_ARGS__)

#define OF_1(row, e)       API_APPLY(ROW, e, API_UNPACK row)
#define OF_2(row, e, ...)  API_APPLY(ROW, e, API_UNPACK row), OF_1(row, __VA_ARGS__)
#define OF_3(row, e, ...)  API_APPLY(ROW, e, API_UNPACK row), OF_2(row, __VA_ARGS__)
#define OF_4(row, e, ...)  API_APPLY(ROW, e, API_UNPACK row), OF_3(row, __VA_ARGS__)
#define OF_5(row, e, ...)  API_APPLY(ROW, e, API_UNPACK row), OF_4(row, __VA_ARGS__)
#define OF_6(row, e, ...)  API_APPLY(ROW, e, API_UNPACK row), OF_5(row, __VA_ARGS__)
#define OF_7(row, e, ...)  API_APPLY(ROW, e, API_UNPACK row), OF_6(row, __VA_ARGS__)
#define OF_8(row, e, ...)  API_APPLY(ROW, e, API_UNPACK row), OF_7(row, __VA_ARGS__)
#define OF_9(row, e, ...)  API_APPLY(ROW, e, API_UNPACK row), OF_8(row, __VA_ARGS__)
#define OF_10(row, e, ...) API_APPLY(ROW, e, API_UNPACK row), OF_9(row, __VA_ARGS__)
#define OF_11(row, e, ...) API_APPLY(ROW, e, API_UNPACK row), OF_10(row, __VA_ARGS__)
#define OF(row, ...) API_JOIN(OF_, API_COUNT_OF(__VA_ARGS__))(row, __VA_ARGS__)
/* clang-format on */

#define STEP_OF(owner, rule_, judge_, error_, ...)                                                 \
    {                                                                                              \
        .judge = judge_, .rule = RULE_##rule_, .error = error_, .at = { AT(owner, __VA_ARGS__) }   \
    }

static const struct condition {
    uint32_t entry;
    struct step step;
} conditions[] = {
#define ROW(name, rule, judge, error, arguments)                                                   \
    {                                                                                              \
        .entry = API_ENTRY_##name, .step = STEP_OF(name, rule, judge, error, API_UNPACK arguments) \
    }
#define CONDITION(rule, judge, error, arguments, ...)                                              \
    OF((rule, judge, error, arguments), __VA_ARGS__),
#include "checkers/host/conditions/conditions.def"
#undef CONDITION
#undef ROW
};

/* The parameters of an effect, as effect_conditions.def names them: their places in its row, and
 * from EFFECT_PLACES on what is not a part of it. */
enum {
    API_EFFECT_memory,
    API_EFFECT_BYTES_offset = 1,
    API_EFFECT_BYTES_size,
    API_EFFECT_RECTANGLE_origin = 1,
    API_EFFECT_RECTANGLE_region,
    API_EFFECT_RECTANGLE_row_pitch,
    API_EFFECT_RECTANGLE_slice_pitch,
    API_EFFECT_TEXELS_origin = 1,
    API_EFFECT_TEXELS_region,
    API_EFFECT_TEXEL_BYTES_offset = 1,
    API_EFFECT_TEXEL_BYTES_image,
    API_EFFECT_TEXEL_BYTES_region,
    API_EFFECT_HOST_TEXELS_image = 1,
    API_EFFECT_HOST_TEXELS_region,
    API_EFFECT_HOST_TEXELS_row_pitch,
    API_EFFECT_HOST_TEXELS_slice_pitch,
    API_EFFECT_SHARED_size = 1,
    EFFECT_PLACES = sizeof(((struct effect_row *)0)->at),
    API_EFFECT_command_queue = EFFECT_PLACES,
    API_EFFECT_map_flags, /* or none */
};

/* Conditions of all that does so, with parameters by their places. */
static const struct effect_condition {
    uint32_t forms, kinds; /* bits of enum effect_form and effect_kind */
    uint32_t who;          /* API_ENTRY_ENQUEUES, API_ENTRY_RECORDS */
    uint8_t count;         /* of parameters */
    struct step step;
} effect_conditions[] = {
#define FORM(form) (1u << EFFECT_FORM_##form)
#define KIND(kind) (1u << EFFECT_##kind)
#define EFFECT_CONDITION(forms_, kinds_, who_, rule, judge, error, ...)                            \
    {.forms = forms_,                                                                              \
     .kinds = kinds_,                                                                              \
     .who = who_,                                                                                  \
     .count = API_COUNT_OF(__VA_ARGS__),                                                           \
     .step = STEP_OF(EFFECT, rule, judge, error, __VA_ARGS__)},
#include "checkers/host/conditions/effect_conditions.def"
#undef EFFECT_CONDITION
#undef KIND
#undef FORM
};

static uint8_t parameter_at(const struct api_entry_info *info, const struct effect_row *row,
                            uint8_t place)
{
    return place < EFFECT_PLACES ? row->at[place]
           : place == API_EFFECT_command_queue
               ? 0
               : (uint8_t)api_entry_find_parameter(info, "map_flags");
}

/* What two effects have in common, a region, is judged once. */
static void add_once(struct maker *maker, const struct step *step)
{
    for (size_t i = 0; i < maker->count; ++i)
        if (maker->steps[i].judge == step->judge &&
            memcmp(maker->steps[i].at, step->at, sizeof step->at) == 0)
            return;
    add_step(maker, *step);
}

static void plan_effect(struct maker *maker, const struct api_entry_info *info,
                        const struct effect_condition *condition, const struct effect_row *row)
{
    struct step step = condition->step;
    if (!(condition->forms >> row->form & 1) || !(condition->kinds >> row->kind & 1) ||
        !(condition->who & info->flags))
        return;
    for (size_t i = 0; i < condition->count; ++i)
        step.at[i] = parameter_at(info, row, step.at[i]);
    add_once(maker, &step);
}

/* Of errors: those that a driver's error alone tells of. */
static void plan_conditions(struct maker *maker, uint32_t entry, bool of_errors)
{
    const struct api_entry_info *info = api_entry_get(entry);
    const struct effect_row *rows = effects_rows(entry);
    for (size_t i = 0; i < sizeof effect_conditions / sizeof *effect_conditions; ++i)
        for (size_t j = 0; j < EFFECTS_MAX && rows[j].form != EFFECT_FORM_NONE; ++j)
            if (judges_errors(&effect_conditions[i].step) == of_errors)
                plan_effect(maker, info, &effect_conditions[i], &rows[j]);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; ++i)
        if (conditions[i].entry == entry && judges_errors(&conditions[i].step) == of_errors)
            add_step(maker, conditions[i].step);
}

/* An object that tells for which devices a call of an extension is: of a list the first. */
static void plan_extension(struct maker *maker, uint32_t entry, const struct api_entry_info *info)
{
    const uint8_t object = first_object(info);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; ++i)
        if (conditions[i].entry == entry && conditions[i].step.argument == object &&
            conditions[i].step.rule == RULE_FEATURE_UNSUPPORTED)
            return; /* it has an error for that */
    if (!is_core(info) && object != API_PARAMETER_NONE)
        add(maker, judge_extension, RULE_FEATURE_UNSUPPORTED, CL_SUCCESS, object,
            (uint8_t)extension_of(entry));
}

static void plan_deprecated(struct maker *maker, uint32_t entry)
{
    if (api_entry_deprecation(entry))
        add(maker, judge_deprecated, RULE_DEPRECATED, CL_SUCCESS, API_PARAMETER_NONE,
            API_PARAMETER_NONE);
}

static bool plan_counts(const struct api_entry_info *info)
{
    return info->parameter_count == 1 &&
           (info->parameters[0].flags & (API_PARAMETER_RETAINED | API_PARAMETER_RELEASED)) != 0;
}

static bool plan_teaches(uint32_t entry, const struct api_entry_info *info)
{
    bool teaches = entry == API_ENTRY_UNKNOWN || entry == API_ENTRY_clGetExtensionFunctionAddress ||
                   entry == API_ENTRY_clGetExtensionFunctionAddressForPlatform ||
                   info->return_role == API_ROLE_HANDLE || teaches_traits(entry);
    for (uint32_t i = 0; i < info->parameter_count; ++i)
        teaches |= info->parameters[i].role == API_ROLE_OUT_EVENT ||
                   info->parameters[i].role == API_ROLE_OUT_HANDLES ||
                   info->parameters[i].role == API_ROLE_INFO_VALUE;
    return teaches;
}

static uint8_t wait_list_of(const struct api_entry_info *info)
{
    return info->flags & API_ENTRY_ENQUEUES ? (uint8_t)api_entry_find_role(info, API_ROLE_WAIT_LIST)
                                            : (uint8_t)API_PARAMETER_NONE;
}

bool plan_make_all(struct host_checker *checker)
{
    for (uint32_t entry = 0; entry < API_ENTRY_COUNT; ++entry) {
        const struct api_entry_info *info = api_entry_get(entry);
        struct maker maker = {.checker = checker};
        const uint8_t holder = context_holder(info);
        if (holder != API_PARAMETER_NONE) /* with its context the others are compared */
            plan_parameter(&maker, info, holder);
        for (uint32_t i = 0; i < info->parameter_count; ++i)
            if (i != holder)
                plan_parameter(&maker, info, (uint8_t)i);
        if (checker->options.forked)
            add(&maker, judge_forked, RULE_CALL_AFTER_FORK, CL_SUCCESS, API_PARAMETER_NONE,
                API_PARAMETER_NONE);
        plan_extension(&maker, entry, info);
        plan_deprecated(&maker, entry);
        plan_command(&maker, entry, info);
        plan_conditions(&maker, entry, false);
        plan_blocking(&maker, info);
        const size_t count = maker.count;
        plan_conditions(&maker, entry, true);
        struct plan *plan = &checker->plans[entry];
        plan->counts = plan_counts(info);
        plan->frees = ends_svm(entry);
        plan->learn = entry == API_ENTRY_clGetEventInfo           ? learn_event_answer
                      : entry == API_ENTRY_clEnqueueNDRangeKernel ? learn_launch
                      : argument_is_set_by(entry)                 ? learn_kernel_argument
                      : plan_teaches(entry, info)                 ? learn_from_call
                                                                  : NULL;
        plan->commands = checker->commands ? host_commands_concern(checker->commands, entry) : 0;
        plan->changes_kernel = conduct_changes_kernel(entry);
        plan->wait_list = wait_list_of(info);
        plan->acts = plan->frees || plan->changes_kernel || entry == API_ENTRY_clCreateUserEvent ||
                     entry == API_ENTRY_clSetUserEventStatus;
        if (maker.count == 0)
            continue;
        plan->steps = arena_copy(&checker->arena, maker.steps, maker.count * sizeof *maker.steps);
        if (!plan->steps)
            return false;
        plan->count = count;
        plan->after_count = maker.count - count;
    }
    return true;
}
