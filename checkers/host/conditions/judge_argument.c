/* Steps about pointers, counts and sizes. */
#include "checkers/host/checker.h"

#include <inttypes.h>
#include <string.h>

/* Is the amount behind a pointer 0? Then it is the amount that is judged, if anything. */
static bool amount_is_zero(const struct judged *judged, const struct step *step)
{
    return step->other != API_PARAMETER_NONE && judged->call->arguments[step->other].bits == 0;
}

static void blame_argument(struct judged *judged, const struct step *step, enum rule_index rule,
                           const char *what)
{
    if (!blame_wanted(judged, rule))
        return;
    const struct blame blame = {
        .rule = rule, .error = step->error, .argument = step->argument, .element = -1};
    blame_call(judged, &blame, "%s", what);
}

void judge_required_pointer(struct judged *judged, const struct step *step)
{
    if (judged->call->arguments[step->argument].present || amount_is_zero(judged, step))
        return;
    blame_argument(judged, step, RULE_ARGUMENT_NULL, "is NULL");
}

/* A list that may be left out: its pointer and its count go together. */
void judge_list(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    if (step->other == API_PARAMETER_NONE)
        return;
    const uint64_t count = judged->call->arguments[step->other].bits;
    const char *count_name = judged->info->parameters[step->other].name;
    if (!list->present && count != 0 && blame_wanted(judged, RULE_ARGUMENT_NULL)) {
        const struct blame blame = {.rule = RULE_ARGUMENT_NULL,
                                    .error = step->error,
                                    .argument = step->argument,
                                    .element = -1};
        blame_call(judged, &blame, "is NULL although %s is %" PRIu64, count_name, count);
    }
    if (list->present && count == 0 && blame_wanted(judged, RULE_LIST_COUNT)) {
        const struct blame blame = {
            .rule = RULE_LIST_COUNT, .error = step->error, .argument = step->other, .element = -1};
        blame_call(judged, &blame, "is 0 although %s is not NULL",
                   judged->info->parameters[step->argument].name);
    }
}

void judge_zero(struct judged *judged, const struct step *step)
{
    if (judged->call->arguments[step->argument].bits == 0)
        blame_argument(judged, step, step->rule, "is 0");
}

/* Any element of a region is 0. */
void judge_region_zero(struct judged *judged, const struct step *step)
{
    const struct api_value *region = &judged->call->arguments[step->argument];
    if (!region->present || region->kind != API_VALUE_SIZES)
        return;
    for (uint32_t i = 0; i < region->count; ++i) {
        uint64_t size;
        memcpy(&size, (const char *)region->data + i * sizeof size, sizeof size);
        if (size != 0)
            continue;
        blame_element(judged, step, i, 0, "is 0");
        return;
    }
}

void judge_sub_buffer_size(struct judged *judged, const struct step *step)
{
    const struct api_value *info = &judged->call->arguments[step->argument];
    cl_buffer_region region;
    if (!info->present || info->size < sizeof region || !info->data)
        return;
    memcpy(&region, info->data, sizeof region);
    if (region.size == 0)
        blame_argument(judged, step, step->rule, "describes a region whose size is 0");
}

void judge_count_without_list(struct judged *judged, const struct step *step)
{
    if (judged->call->arguments[step->argument].bits != 0 ||
        !judged->call->arguments[step->other].present || !blame_wanted(judged, step->rule))
        return;
    const struct blame blame = {
        .rule = step->rule, .error = step->error, .argument = step->argument, .element = -1};
    blame_call(judged, &blame, "is 0 although %s is not NULL",
               judged->info->parameters[step->other].name);
}

void judge_both_null(struct judged *judged, const struct step *step)
{
    if (judged->call->arguments[step->argument].present ||
        judged->call->arguments[step->other].present || !blame_wanted(judged, step->rule))
        return;
    const struct blame blame = {
        .rule = step->rule, .error = step->error, .argument = step->argument, .element = -1};
    blame_call(judged, &blame, "and %s are both NULL", judged->info->parameters[step->other].name);
}
