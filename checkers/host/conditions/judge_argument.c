/* Steps about pointers, counts and sizes. */
#include "checkers/host/checker.h"

#include <inttypes.h>
#include <string.h>

/* Is the amount behind a pointer 0? Then it is the amount that is judged, if anything. */
static bool amount_is_zero(const struct judged *judged, const struct step *step)
{
    return step->other != API_PARAMETER_NONE && judged->call->arguments[step->other].bits == 0;
}

void judge_required_pointer(struct judged *judged, const struct step *step)
{
    if (!judged->call->arguments[step->argument].present && !amount_is_zero(judged, step))
        blame_as(judged, RULE_ARGUMENT_NULL, step->error, step->argument, 0, "is NULL");
}

static void blame_missing_list(struct judged *judged, const struct step *step, uint64_t count)
{
    advise(judged, ADVICE_LIST_MISSING);
    blame_as(judged, RULE_ARGUMENT_NULL, step->error, step->argument, 0,
             "is NULL although %s is %" PRIu64, judged_name(judged, step->other), count);
}

/* A list that may be left out: its pointer and its count go together. */
void judge_list(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    if (step->other == API_PARAMETER_NONE)
        return;
    const uint64_t count = judged_bits(judged, step->other);
    if (!list->present && count != 0)
        blame_missing_list(judged, step, count);
    if (list->present && count == 0)
        blame_as(judged, RULE_LIST_COUNT, step->error, step->other, 0,
                 "is 0 although %s is not NULL", judged_name(judged, step->argument));
}

static void judge_amount(struct judged *judged, const struct step *step, enum advice advice)
{
    if (judged_bits(judged, step->argument) != 0)
        return;
    advise(judged, advice);
    blame_step(judged, step, 0, "is 0");
}

/* An amount of what a command, or a wait, works on: without it there is nothing to do. */
void judge_zero(struct judged *judged, const struct step *step)
{
    judge_amount(judged, step, ADVICE_OF_RULE);
}

/* A size of what is made. */
void judge_size_zero(struct judged *judged, const struct step *step)
{
    judge_amount(judged, step, ADVICE_SIZE_ZERO);
}

/* A count of a list that something is made of. */
void judge_count_zero(struct judged *judged, const struct step *step)
{
    judge_amount(judged, step, ADVICE_COUNT_ZERO);
}

void judge_dimensions_zero(struct judged *judged, const struct step *step)
{
    judge_amount(judged, step, ADVICE_DIMENSIONS_ZERO);
}

void judge_pattern_zero(struct judged *judged, const struct step *step)
{
    judge_amount(judged, step, ADVICE_PATTERN_ZERO);
}

/* Any element of a region is 0. */
void judge_region_zero(struct judged *judged, const struct step *step)
{
    const struct api_value *region = &judged->call->arguments[step->argument];
    for (uint32_t i = 0; i < list_count(region, API_VALUE_SIZES); ++i)
        if (list_word(region, i) == 0) {
            advise(judged, ADVICE_REGION_ZERO);
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
    if (region.size == 0) {
        advise(judged, ADVICE_SIZE_ZERO);
        blame_step(judged, step, 0, "describes a region whose size is 0");
    }
}

void judge_count_without_list(struct judged *judged, const struct step *step)
{
    if (judged_bits(judged, step->argument) == 0 && judged->call->arguments[step->other].present)
        blame_step(judged, step, 0, "is 0 although %s is not NULL",
                   judged_name(judged, step->other));
}

void judge_both_null(struct judged *judged, const struct step *step)
{
    if (!judged->call->arguments[step->argument].present &&
        !judged->call->arguments[step->other].present)
        blame_step(judged, step, 0, "and %s are both NULL", judged_name(judged, step->other));
}
