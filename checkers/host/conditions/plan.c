/* Plans: which steps judge a call of an entry point, from the roles of its parameters. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/commands.h"

#include "trace/base/assert.h"
#include "trace/effect/argument.h"

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

/* A pointer that is required may be NULL when there is nothing behind it: the parameter that says
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
    struct step step = {.argument = index, .other = list, .error = CL_SUCCESS};
    const uint8_t points = (uint8_t)api_entry_find_role(info, API_ROLE_SYNC_POINTS);
    if (points != API_PARAMETER_NONE && strcmp(parameter->name, "sync_point") == 0) {
        step.judge = judge_event_aliased;
        step.rule = RULE_SYNC_POINT_LIST;
        step.other = points;
        add_step(maker, step);
    }
    if (parameter->role == API_ROLE_OUT_EVENT && list != API_PARAMETER_NONE) {
        step.judge = judge_event_aliased;
        step.rule = RULE_EVENT_ALIASED;
        add_step(maker, step);
    }
    if ((parameter->flags & API_PARAMETER_RELEASED) && parameter->kind != API_OBJECT_EVENT) {
        step.judge = judge_release_awaited;
        step.rule = RULE_EVENT_UNSET_RELEASE;
        add_step(maker, step);
    }
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

static void plan_command(struct maker *maker, uint32_t entry, const struct api_entry_info *info)
{
    struct step step = {.judge = judge_owned_once,
                        .rule = RULE_HOST_MEMORY_SHARED,
                        .error = CL_SUCCESS,
                        .argument = API_PARAMETER_NONE};
    if (call_may_wait(entry)) {
        const struct step flushed = {.judge = judge_flushed,
                                     .rule = RULE_QUEUE_UNFLUSHED,
                                     .error = CL_SUCCESS,
                                     .argument = API_PARAMETER_NONE};
        add_step(maker, flushed);
        struct step set = flushed;
        set.judge = judge_awaited_set;
        set.rule = RULE_EVENT_NEVER_SET;
        add_step(maker, set);
    }
    if (!(info->flags & API_ENTRY_ENQUEUES))
        return;
    add_step(maker, step);
    step.judge = judge_contents;
    step.rule = RULE_CONTENT_UNDEFINED;
    add_step(maker, step);
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
/* clang-format on */

static const struct condition {
    uint32_t entry;
    struct step step;
} conditions[] = {
#define CONDITION(rule_, entry_, judge_, error_, ...)                                              \
    {.entry = API_ENTRY_##entry_,                                                                  \
     .step = {.judge = judge_,                                                                     \
              .rule = RULE_##rule_,                                                                \
              .error = error_,                                                                     \
              .at = {AT(entry_, __VA_ARGS__)}}},
#include "checkers/host/conditions/conditions.def"
#undef CONDITION
};

/* An object that tells for which devices a call of an extension is: of a list the first. */
static void plan_extension(struct maker *maker, uint32_t entry, const struct api_entry_info *info)
{
    const struct step step = {.judge = judge_extension,
                              .rule = RULE_FEATURE_UNSUPPORTED,
                              .error = CL_SUCCESS,
                              .argument = first_object(info),
                              .other = (uint8_t)extension_of(entry)};
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; ++i)
        if (conditions[i].entry == entry && conditions[i].step.argument == step.argument &&
            conditions[i].step.rule == RULE_FEATURE_UNSUPPORTED)
            return; /* it has an error for that */
    if (strncmp(info->since, "cl_", 3) == 0 && step.argument != API_PARAMETER_NONE)
        add_step(maker, step);
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

/* Of errors: those that a driver's error alone tells of. */
static void plan_conditions(struct maker *maker, uint32_t entry, bool of_errors)
{
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; ++i)
        if (conditions[i].entry == entry && judges_errors(&conditions[i].step) == of_errors)
            add_step(maker, conditions[i].step);
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
        if (checker->options.late)
            add_step(&maker, (struct step){.judge = judge_forked,
                                           .rule = RULE_CALL_AFTER_FORK,
                                           .error = CL_SUCCESS,
                                           .argument = API_PARAMETER_NONE});
        plan_extension(&maker, entry, info);
        plan_command(&maker, entry, info);
        plan_conditions(&maker, entry, false);
        const size_t count = maker.count;
        plan_conditions(&maker, entry, true);
        checker->plans[entry].counts = plan_counts(info);
        checker->plans[entry].frees = ends_svm(entry);
        checker->plans[entry].learn = entry == API_ENTRY_clGetEventInfo ? learn_event_answer
                                      : entry == API_ENTRY_clEnqueueNDRangeKernel ? learn_launch
                                      : argument_is_set_by(entry) ? learn_kernel_argument
                                      : plan_teaches(entry, info) ? learn_from_call
                                                                  : NULL;
        checker->plans[entry].commands =
            checker->commands ? host_commands_concern(checker->commands, entry) : 0;
        checker->plans[entry].changes_kernel = conduct_changes_kernel(entry);
        checker->plans[entry].wait_list = wait_list_of(info);
        checker->plans[entry].acts =
            checker->plans[entry].frees || checker->plans[entry].changes_kernel ||
            entry == API_ENTRY_clCreateUserEvent || entry == API_ENTRY_clSetUserEventStatus;
        if (maker.count == 0)
            continue;
        checker->plans[entry].steps =
            arena_copy(&checker->arena, maker.steps, maker.count * sizeof *maker.steps);
        if (!checker->plans[entry].steps)
            return false;
        checker->plans[entry].count = count;
        checker->plans[entry].after_count = maker.count - count;
    }
    return true;
}
