#include "viewer-cli/diff/cmd_diff.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "viewer-cli/recorded_arguments.h"
#include "viewer-cli/rows.h"

#include <stdio.h>
#include <string.h>

struct diff_types {
    struct trace *trace;
    struct rows *of_arguments; /* NULL until the first question */
    struct rows *of_images;
};

struct diff_types *diff_types_create(struct trace *trace)
{
    struct diff_types *made = alloc_zero(1, sizeof *made);
    if (made)
        made->trace = trace;
    return made;
}

void diff_types_destroy(struct diff_types *types)
{
    if (!types)
        return;
    rows_close(types->of_arguments);
    rows_close(types->of_images);
    alloc_free(types);
}

static enum status open_rows(struct diff_types *types, struct error *error)
{
    enum status status = recorded_arguments_make(types->trace, error);
    if (!status)
        status = rows_open(
            types->trace,
            "SELECT ifnull(json_extract(value, '$.plain_type'), json_extract(value, '$.type'))"
            " FROM temp.given, json_each(given.json)"
            " WHERE given.call = ifnull((SELECT max(call) FROM temp.given_object"
            "   WHERE object = ?1 AND call <= ?2), (SELECT min(call) FROM temp.given_object"
            "   WHERE object = ?1)) AND json_extract(value, '$.object') = ?1",
            &types->of_arguments, error);
    if (!status)
        status = rows_open(types->trace,
                           "SELECT created_call FROM object WHERE name = ?1 AND name LIKE 'image%'",
                           &types->of_images, error);
    return status;
}

/* Of the call that made an image. */
static enum status take_channels(struct diff_types *types, uint64_t call_id,
                                 char type[DIFF_TYPE_SIZE], struct error *error)
{
    struct arena arena = {0};
    struct api_call call;
    const enum status status = trace_call(types->trace, call_id, &arena, &call, error);
    const struct api_entry_info *info = api_entry_get(status ? API_ENTRY_UNKNOWN : call.entry);
    for (uint32_t i = 0; i < info->parameter_count && i < call.argument_count; ++i) {
        const struct api_value *value = &call.arguments[i];
        cl_image_format format;
        if (info->parameters[i].family != API_FAMILY_IMAGE_FORMAT ||
            value->kind != API_VALUE_BYTES || value->size < sizeof format)
            continue;
        memcpy(&format, value->data, sizeof format);
        snprintf(type, DIFF_TYPE_SIZE, "%s", replay_channel_type(format.image_channel_data_type));
    }
    arena_release(&arena);
    return status;
}

static enum status find_image(struct diff_types *types, const char *name, uint64_t *made_by,
                              struct error *error)
{
    enum status status = STATUS_OK;
    rows_bind_text(types->of_images, 1, name);
    *made_by = rows_next(types->of_images, &status, error)
                   ? (uint64_t)rows_number(types->of_images, 0)
                   : 0;
    rows_reset(types->of_images);
    return status;
}

static enum status find_argument(struct diff_types *types, const char *name, uint64_t call_id,
                                 char type[DIFF_TYPE_SIZE], struct error *error)
{
    enum status status = STATUS_OK;
    rows_bind_text(types->of_arguments, 1, name);
    rows_bind_number(types->of_arguments, 2, (int64_t)call_id);
    while (!*type && rows_next(types->of_arguments, &status, error))
        if (replay_type_is_known(rows_text(types->of_arguments, 0)))
            snprintf(type, DIFF_TYPE_SIZE, "%s", rows_text(types->of_arguments, 0));
    rows_reset(types->of_arguments);
    return status;
}

enum status diff_types_find(struct diff_types *types, uint64_t call_id, uint64_t handle,
                            char type[DIFF_TYPE_SIZE], struct error *error)
{
    struct trace_names names = {.trace = types->trace, .call_id = call_id};
    const char *name = trace_handle_name(&names, handle);
    uint64_t made_by = 0;
    *type = 0;
    if (!name)
        return STATUS_OK;
    enum status status = types->of_images ? STATUS_OK : open_rows(types, error);
    if (!status)
        status = find_image(types, name, &made_by, error);
    if (!status && made_by)
        return take_channels(types, made_by, type, error);
    return status ? status : find_argument(types, name, call_id, type, error);
}
