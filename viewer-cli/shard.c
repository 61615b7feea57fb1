/* What a scheduler tells must leave no doubt: a shard that is done under a wrong number is missed
 * by the others. So a variable that is no number, two schedulers at once and an array of which only
 * some tasks run are refused. */
#include "viewer-cli/shard.h"

#include "trace/base/alloc.h"
#include "trace/base/options.h"
#include "trace/base/text.h"
#include "trace/base/visible.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct scheduler {
    const char *name, *index;
    uint64_t base;
    const char *least, *most, *step, *count;
};

static const struct scheduler schedulers[] = {
#define SCHEDULER(...) {__VA_ARGS__},
#include "viewer-cli/schedulers.def"
};

enum { SCHEDULER_COUNT = sizeof schedulers / sizeof *schedulers };

static bool is_number(const char *text, uint64_t *number)
{
    return number_take(&text, number) && !*text;
}

static bool accept(uint64_t index, uint64_t count, struct shard *shard)
{
    if (index < 1 || index > count || count > UINT32_MAX)
        return false;
    *shard = (struct shard){.index = (uint32_t)index, .count = (uint32_t)count};
    return true;
}

/* ---- schedulers ---- */

/* Reads a variable; where there is none, *number stays. */
static enum status read_variable(const char *variable, uint64_t *number, struct error *error)
{
    const char *value = variable ? getenv(variable) : NULL;
    if (!value || is_number(value, number))
        return STATUS_OK;
    return error_set(error, STATUS_INVALID, "--shard auto: %s is '%s', not a number", variable,
                     value);
}

/* Outside of arrays Grid Engine says "undefined", LSF 0. */
static bool is_there(const struct scheduler *scheduler)
{
    const char *value = getenv(scheduler->index);
    return value && *value && strcmp(value, "undefined") != 0 &&
           !(scheduler->base == 1 && strcmp(value, "0") == 0 && !scheduler->least);
}

static enum status find(const struct scheduler **found, struct error *error)
{
    struct text list = TEXT_INIT;
    enum status status = STATUS_OK;
    *found = NULL;
    for (size_t i = 0; i < SCHEDULER_COUNT; ++i) {
        const struct scheduler *scheduler = &schedulers[i];
        text_format(&list, "%s%s", i ? ", " : "", scheduler->index);
        if (status || !is_there(scheduler))
            continue;
        if (*found)
            status = error_set(error, STATUS_INVALID,
                               "--shard auto: both %s and %s are there, of %s and of %s; say which "
                               "shard this is, as in --shard 3/8",
                               (*found)->index, scheduler->index, (*found)->name, scheduler->name);
        *found = scheduler;
    }
    if (!status && !*found)
        status = error_set(error, STATUS_NOT_FOUND,
                           "--shard auto: no scheduler says which of how many this is: none of %s "
                           "is there",
                           list.bytes);
    text_release(&list);
    return status;
}

/* The N is not given: it must be clear from what the scheduler tells. */
static enum status count_all(const struct scheduler *scheduler, uint64_t index, struct shard *shard,
                             struct error *error)
{
    uint64_t least = scheduler->base;
    uint64_t most = 0;
    uint64_t step = 1;
    uint64_t count = 0;
    enum status status = read_variable(scheduler->least, &least, error);
    if (!status)
        status = read_variable(scheduler->most, &most, error);
    if (!status)
        status = read_variable(scheduler->step, &step, error);
    if (!status)
        status = read_variable(scheduler->count, &count, error);
    if (status)
        return status;
    const uint64_t whole = scheduler->most && most >= least && step ? (most - least) / step + 1 : 0;
    if (!count)
        count = whole;
    if (!count)
        return error_set(error, STATUS_INVALID,
                         "--shard auto: %s does not say how many there are; say it, as in --shard "
                         "auto/8",
                         scheduler->name);
    /* One task, or tasks from another on, may be some of an array that are done again. */
    if (scheduler->most && (count != whole || count == 1 || least > 1 || (index - least) % step))
        return error_set(error, STATUS_INVALID,
                         "--shard auto: %s from %" PRIu64 " to %" PRIu64 ", %" PRIu64 " in number, "
                         "may be a part of a larger one that is done again; say how many shards "
                         "there are, as in --shard auto/8",
                         scheduler->name, least, most, count);
    if (index >= least && accept((index - least) / step + 1, count, shard))
        return STATUS_OK;
    return error_set(error, STATUS_INVALID,
                     "--shard auto: %s is %" PRIu64 ", of %" PRIu64 " that %s has",
                     scheduler->index, index, count, scheduler->name);
}

static enum status ask_scheduler(const char *verb, uint64_t given_count, struct shard *shard,
                                 struct error *error)
{
    const struct scheduler *scheduler;
    uint64_t index = 0;
    enum status status = find(&scheduler, error);
    if (!status)
        status = read_variable(scheduler->index, &index, error);
    if (!status && !given_count)
        status = count_all(scheduler, index, shard, error);
    else if (!status &&
             (index < scheduler->base || !accept(index - scheduler->base + 1, given_count, shard)))
        status = error_set(error, STATUS_INVALID,
                           "--shard auto/%" PRIu64 ": %s is %" PRIu64 ", and shards of %s are "
                           "numbered from %" PRIu64 " to %" PRIu64,
                           given_count, scheduler->index, index, scheduler->name, scheduler->base,
                           given_count + scheduler->base - 1);
    if (!status)
        visible_tell("clerk %s: shard %" PRIu32 "/%" PRIu32 ", as %s has %s=%" PRIu64 "\n", verb,
                     shard->index, shard->count, scheduler->name, scheduler->index, index);
    return status;
}

/* ---- the option ---- */

enum status shard_parse(const char *verb, const char *value, struct shard *shard,
                        struct error *error)
{
    static const char automatic[] = "auto";
    uint64_t index = 0;
    uint64_t count = 0;
    *shard = (struct shard){0};
    if (!value)
        return STATUS_OK;
    const char *rest = value;
    const bool is_auto = strncmp(value, automatic, sizeof automatic - 1) == 0;
    if (is_auto)
        rest += sizeof automatic - 1;
    const bool has_index = is_auto || number_take(&rest, &index);
    const bool has_count = has_index && *rest == '/' && is_number(rest + 1, &count) && count;
    if (is_auto && (has_count || !*rest))
        return ask_scheduler(verb, count, shard, error);
    if (has_count && accept(index, count, shard))
        return STATUS_OK;
    return error_set(error, STATUS_INVALID,
                     "--shard %s: which of how many, as in 1/8, or auto: as the scheduler says",
                     value);
}

/* ---- the shards whose outputs are put together ---- */

enum { SHARD_MAX = 1 << 20 };

enum status shard_set_add(struct shard_set *set, const struct shard *shard, const char *path,
                          struct error *error)
{
    if (!shard->index || shard->index > shard->count || shard->count > SHARD_MAX)
        return error_set(error, STATUS_MALFORMED, "'%s' is of shard %" PRIu32 "/%" PRIu32, path,
                         shard->index, shard->count);
    if (!set->have) {
        set->have = alloc_zero(shard->count, sizeof *set->have);
        if (!set->have)
            return error_no_memory(error, shard->count);
        set->count = shard->count;
    }
    if (shard->count != set->count)
        return error_set(error, STATUS_INVALID,
                         "'%s' is of another run than the first file, or cut into other shards",
                         path);
    if (set->have[shard->index - 1])
        return error_set(error, STATUS_INVALID, "'%s' has shard %" PRIu32 "/%" PRIu32 " once more",
                         path, shard->index, shard->count);
    set->have[shard->index - 1] = true;
    return STATUS_OK;
}

enum status shard_set_check(const struct shard_set *set, struct error *error)
{
    struct text missing = TEXT_INIT;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < set->count; ++i)
        if (!set->have[i])
            text_format(&missing, "%s%" PRIu32, missing.size ? ", " : "", i + 1);
    if (missing.size)
        status = error_set(error, STATUS_NOT_FOUND, "of %" PRIu32 " shards there is no %s",
                           set->count, missing.bytes);
    text_release(&missing);
    return status;
}

void shard_set_release(struct shard_set *set)
{
    alloc_free(set->have);
}

const char *shard_last_line(const char *text, size_t size)
{
    if (!size || text[size - 1] != '\n')
        return NULL;
    const char *before = memrchr(text, '\n', size - 1);
    return before ? before + 1 : text;
}
