/* Launches out of a recording: what is before them becomes the objects that are alive there, and
 * what memory holds. */
#include "replay/replay.h"
#include "trace/api/settings.h"
#include "trace/base/visible.h"
#include "trace/extract.h"
#include "viewer-cli/drivers.h"
#include "viewer-cli/replay/cmd_replay.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/trim/trim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct range {
    struct trace *trace;
    const char *path; /* of the new one */
    uint64_t begins_after;
    uint64_t ends_before; /* 0 = the end of the run */
    struct extract *extract;
};

static enum status find_range(struct range *range, uint64_t first, uint64_t last,
                              struct error *error)
{
    struct rows *rows = NULL;
    enum status status =
        rows_open_format(range->trace, &rows, error,
                         "SELECT min(call), (SELECT min(call) FROM launch WHERE call > %lld)"
                         " FROM launch WHERE call BETWEEN %lld AND %lld",
                         (long long)last, (long long)first, (long long)last);
    const bool found = rows_next(rows, &status, error) && !rows_is_null(rows, 0);
    if (found) {
        range->begins_after = (uint64_t)rows_number(rows, 0) - 1;
        range->ends_before = (uint64_t)rows_number(rows, 1);
    }
    rows_close(rows);
    if (!status && !found)
        status = error_set(error, STATUS_NOT_FOUND,
                           "no launch has a call from %" PRIu64 " to %" PRIu64
                           "; clerk show launches lists them",
                           first, last);
    return status;
}

/* ---- what memory holds there ---- */

static enum status choose_device(const struct options *options, struct trace *trace,
                                 struct error *error)
{
    const char *device = options_text(options, "device");
    struct text traits = TEXT_INIT;
    unsetenv("OPENCL_LAYERS");
    unsetenv("CLERK_TRACE");
    enum status status = setting_put(SETTING_CHECKS, "none", error);
    if (device && strcmp(device, "system") == 0)
        return status;
    if (!status)
        status = replay_choose_personality(trace, NULL, &traits, error);
    if (!status)
        status = drivers_choose_reference(drivers_set_own, NULL, error);
    text_release(&traits);
    return status;
}

static enum status take_memory(void *user, const struct replay_left *left, struct error *error)
{
    const struct range *range = user;
    return extract_memory(range->extract, range->begins_after, left->object, left->bytes,
                          left->size, error);
}

static void tell_doubts(const struct replay_result *result)
{
    if (result->differing_reads)
        visible_tell("clerk trim: what memory holds at the beginning is what this device gives, "
                     "which before it %" PRIu64 " time%s did not give what was recorded\n",
                     result->differing_reads, result->differing_reads == 1 ? "" : "s");
    if (result->unread_objects)
        visible_tell("clerk trim: %" PRIu64 " memory object%s without bytes that can be read "
                     "(pipes, multi-sampled and mipmapped images) begin%s empty\n",
                     result->unread_objects, result->unread_objects == 1 ? "" : "s",
                     result->unread_objects == 1 ? "s" : "");
}

static enum status write_memory(struct range *range, const struct options *options,
                                struct error *error)
{
    struct replay_target *target = NULL;
    struct replay_result result;
    struct text missing = TEXT_INIT;
    const struct replay_options replay_options = {
        .last = range->begins_after, .left = take_memory, .user = range};
    enum status status = choose_device(options, range->trace, error);
    if (!status)
        status = replay_target_open(0, &target, error);
    if (!status)
        status = replay_missing(range->trace, target, &missing, error);
    if (!status && missing.size)
        status = error_set(error, STATUS_UNSUPPORTED,
                           "what is before the launches needs what '%s' does not have: %.*s",
                           target->device_name, (int)strcspn(missing.bytes, "\n"), missing.bytes);
    if (!status)
        status = replay_run(range->trace, target, &replay_options, &result, error);
    if (!status)
        tell_doubts(&result);
    text_release(&missing);
    replay_target_close(target);
    return status;
}

/* ---- calls ---- */

static enum status write_needed(const struct range *range, struct error *error)
{
    struct arena arena = {0};
    struct needed_call *calls = NULL;
    size_t count = 0;
    enum status status = needed_calls(trace_database(range->trace), range->path,
                                      range->begins_after, &arena, &calls, &count, error);
    for (size_t i = 0; i < count && !status; ++i)
        status = extract_call(range->extract, &calls[i], error);
    arena_release(&arena);
    return status;
}

static enum status write_calls(const struct range *range, struct error *error)
{
    struct rows *rows = NULL;
    enum status status = rows_open_format(
        range->trace, &rows, error, "SELECT id FROM call WHERE id > %lld AND id < %lld ORDER BY id",
        (long long)range->begins_after,
        range->ends_before ? (long long)range->ends_before : (long long)INT64_MAX);
    while (rows_next(rows, &status, error))
        status = extract_call(
            range->extract,
            &(struct needed_call){.id = (uint64_t)rows_number(rows, 0), .form = NEEDED_AS_IS},
            error);
    rows_close(rows);
    return status;
}

enum status trim_range(struct trace *trace, const struct options *options, uint64_t first,
                       uint64_t last, const char *path, struct error *error)
{
    struct range range = {.trace = trace, .path = path};
    enum status status = find_range(&range, first, last, error);
    if (!status)
        status = extract_create(trace, path, &range.extract, error);
    if (!status)
        status = write_needed(&range, error);
    if (!status)
        status = write_calls(&range, error);
    if (!status)
        status = write_memory(&range, options, error);
    if (!status)
        status = extract_finish(range.extract, range.begins_after, range.ends_before == 0, error);
    extract_destroy(range.extract);
    return status;
}
