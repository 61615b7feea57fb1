#include "tests/unit/replay/recording.h"

#include "trace/spool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void recording_open(struct recording *recording)
{
    *recording = (struct recording){.next_id = 1};
    char directory[] = "/tmp/clerk-replay-XXXXXX";
    assert_non_null(mkdtemp(directory));
    snprintf(recording->path, sizeof recording->path, "%s/run.db", directory);
    assert_int_equal(
        spool_open(&(struct spool_options){.path = recording->path}, &recording->spool, NULL),
        STATUS_OK);
}

void recording_close(struct recording *recording)
{
    spool_close(recording->spool);
}

void recording_remove(const struct recording *recording)
{
    char directory[sizeof recording->path];
    snprintf(directory, sizeof directory, "%s", recording->path);
    assert_int_equal(unlink(recording->path), 0);
    *strrchr(directory, '/') = 0;
    assert_int_equal(rmdir(directory), 0);
}

void recording_call(struct recording *recording, uint32_t entry, uint32_t thread, uint64_t begin,
                    uint64_t end)
{
    const struct api_entry_info *info = api_entry_get(entry);
    recording->list_count = 0;
    recording->call = (struct api_call){
        .id = recording->next_id++,
        .entry = entry,
        .thread = thread,
        .begin_ns = begin,
        .end_ns = end,
        .flags = end ? API_CALL_COMPLETED : 0,
        .argument_count = info->parameter_count,
    };
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        struct api_value *value = &recording->call.arguments[i];
        switch ((enum api_role)info->parameters[i].role) {
        case API_ROLE_HANDLE:
            value->kind = API_VALUE_HANDLE;
            break;
        case API_ROLE_HANDLES:
        case API_ROLE_WAIT_LIST:
        case API_ROLE_OUT_EVENT:
        case API_ROLE_OUT_HANDLES:
            value->kind = API_VALUE_HANDLES;
            break;
        case API_ROLE_SCALAR:
        case API_ROLE_ENUM:
        case API_ROLE_FLAGS:
        case API_ROLE_BLOCKING:
            value->kind = API_VALUE_SCALAR;
            break;
        case API_ROLE_PROPERTIES:
            value->kind = API_VALUE_PROPERTIES;
            break;
        case API_ROLE_SIZES:
            value->kind = API_VALUE_SIZES;
            break;
        case API_ROLE_OUT_STATUS:
            recording_handles(recording, i, (const uint64_t[]){0}, 1);
            value->kind = API_VALUE_SIZES;
            value->present = false;
            break;
        default:
            value->kind = API_VALUE_POINTER;
            break;
        }
    }
    recording->call.result.kind = info->return_role == API_ROLE_STATUS   ? API_VALUE_SCALAR
                                  : info->return_role == API_ROLE_HANDLE ? API_VALUE_HANDLE
                                                                         : API_VALUE_POINTER;
    recording->call.result.present = true;
}

void recording_scalar(struct recording *recording, uint32_t index, uint64_t value)
{
    recording->call.arguments[index].bits = value;
    recording->call.arguments[index].present = true;
}

void recording_handles(struct recording *recording, uint32_t index, const uint64_t *handles,
                       uint32_t count)
{
    uint64_t *list = &recording->lists[recording->list_count];
    assert_true(recording->list_count + count <= sizeof recording->lists / sizeof *list);
    memcpy(list, handles, count * sizeof *list);
    recording->list_count += count;
    struct api_value *value = &recording->call.arguments[index];
    value->present = true;
    value->count = count;
    value->size = count * sizeof *list;
    value->data = list;
}

void recording_pointer(struct recording *recording, uint32_t index, uint64_t address)
{
    recording->call.arguments[index].present = address != 0;
    recording->call.arguments[index].bits = address;
}

void recording_result(struct recording *recording, uint64_t result)
{
    recording->call.result.bits = result;
}

void recording_content(struct recording *recording, uint32_t index, const void *bytes, size_t size)
{
    spool_content(recording->spool, recording->call.id,
                  &(struct api_content){.argument = index, .size = size, .bytes = bytes});
}

uint64_t recording_end(struct recording *recording)
{
    const uint32_t flags = recording->call.flags;
    recording->call.flags = 0;
    spool_call_begin(recording->spool, &recording->call);
    recording->call.flags = flags;
    if (flags & API_CALL_COMPLETED)
        spool_call_end(recording->spool, &recording->call);
    return recording->call.id;
}
