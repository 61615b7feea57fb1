#include "stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void take(void *user, const struct finding *finding)
{
    struct stream *stream = user;
    assert_true(stream->finding_count < FINDINGS_MAX);
    stream->findings[stream->finding_count] = finding_copy(&stream->arena, finding);
    assert_non_null(stream->findings[stream->finding_count++]);
}

static uint64_t capture(void *user)
{
    struct stream *stream = user;
    ++stream->stack_captures;
    return stream->stack;
}

static size_t describe(void *user, uint64_t stack, struct arena *arena, const char *const **frames)
{
    (void)user;
    const char **list = arena_alloc(arena, 1, sizeof *list);
    list[0] = arena_format(arena, "site%llu+0x1 (app)", (unsigned long long)stack);
    *frames = list;
    return 1;
}

void stream_init(struct stream *stream, bool fail_calls, const char *checks)
{
    *stream = (struct stream){.next_id = 1, .stack = 1};
    struct host_options options = {.fail_calls = fail_calls,
                                   .report = take,
                                   .report_user = stream,
                                   .capture_stack = capture,
                                   .describe_stack = describe,
                                   .stack_user = stream};
    assert_int_equal(checks_parse(checks, &options.checks, NULL), STATUS_OK);
    stream->checker = host_checker_create(&options);
    assert_non_null(stream->checker);
}

void stream_release(struct stream *stream)
{
    host_checker_destroy(stream->checker);
    arena_release(&stream->arena);
}

/* The kind of value that a parameter of this role has when it is captured. */
static enum api_value_kind kind_of(uint8_t role)
{
    switch (role) {
    case API_ROLE_SCALAR:
    case API_ROLE_ENUM:
    case API_ROLE_FLAGS:
    case API_ROLE_BLOCKING:
        return API_VALUE_SCALAR;
    case API_ROLE_HANDLE:
        return API_VALUE_HANDLE;
    case API_ROLE_HANDLES:
    case API_ROLE_WAIT_LIST:
    case API_ROLE_OUT_EVENT:
    case API_ROLE_OUT_HANDLES:
        return API_VALUE_HANDLES;
    case API_ROLE_OUT_SCALAR:
    case API_ROLE_OUT_SCALARS:
    case API_ROLE_OUT_STATUS:
    case API_ROLE_SIZES:
    case API_ROLE_ADDRESSES:
        return API_VALUE_SIZES;
    case API_ROLE_OUT_BYTES:
    case API_ROLE_IN_BYTES:
    case API_ROLE_INFO_VALUE:
        return API_VALUE_BYTES;
    case API_ROLE_STRING:
        return API_VALUE_STRING;
    case API_ROLE_STRINGS:
    case API_ROLE_BINARIES:
        return API_VALUE_STRINGS;
    case API_ROLE_PROPERTIES:
        return API_VALUE_PROPERTIES;
    default:
        return API_VALUE_POINTER;
    }
}

struct api_call stream_call(struct stream *stream, uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    struct api_call call = {.id = stream->next_id++,
                            .thread = 1,
                            .entry = entry,
                            .argument_count = info->parameter_count};
    for (uint32_t i = 0; i < info->parameter_count; ++i)
        call.arguments[i].kind = kind_of(info->parameters[i].role);
    return call;
}

static struct api_value *argument(struct api_call *call, const char *name)
{
    const uint32_t index = api_entry_find_parameter(api_entry_get(call->entry), name);
    assert_true(index != API_PARAMETER_NONE);
    return &call->arguments[index];
}

void call_set(struct api_call *call, const char *name, uint64_t bits)
{
    argument(call, name)->bits = bits;
}

void call_set_pointer(struct api_call *call, const char *name)
{
    struct api_value *value = argument(call, name);
    value->present = true;
    value->bits = 0x1000;
}

void call_set_handles(struct stream *stream, struct api_call *call, const char *name,
                      const uint64_t *handles, uint32_t count)
{
    call_set_pointer(call, name);
    struct api_value *value = argument(call, name);
    value->count = count;
    value->size = count * sizeof *handles;
    value->data = arena_copy(&stream->arena, handles, value->size);
}

void call_set_bytes(struct stream *stream, struct api_call *call, const char *name,
                    const void *bytes, uint64_t size)
{
    call_set_pointer(call, name);
    struct api_value *value = argument(call, name);
    value->size = size;
    value->data = arena_copy(&stream->arena, bytes, size);
}

struct host_verdict stream_perform(struct stream *stream, struct api_call *call, uint64_t result)
{
    struct host_verdict verdict;
    host_checker_begin(stream->checker, call, &verdict);
    call->result.bits = result;
    call->flags |= verdict.refuse ? API_CALL_BLOCKED : API_CALL_COMPLETED;
    host_checker_end(stream->checker, call);
    return verdict;
}

uint64_t make_context(struct stream *stream, uint64_t handle)
{
    const uint64_t device = 0xd0;
    struct api_call call = stream_call(stream, API_ENTRY_clCreateContext);
    call_set(&call, "num_devices", 1);
    call_set_handles(stream, &call, "devices", &device, 1);
    stream_perform(stream, &call, handle);
    return handle;
}

uint64_t make_queue(struct stream *stream, uint64_t context, uint64_t handle)
{
    struct api_call call = stream_call(stream, API_ENTRY_clCreateCommandQueue);
    call_set(&call, "context", context);
    call_set(&call, "device", 0xd0);
    stream_perform(stream, &call, handle);
    return handle;
}

uint64_t make_buffer(struct stream *stream, uint64_t context, uint64_t handle)
{
    struct api_call call = stream_call(stream, API_ENTRY_clCreateBuffer);
    call_set(&call, "context", context);
    call_set(&call, "size", 4096);
    stream_perform(stream, &call, handle);
    return handle;
}

uint64_t make_user_event(struct stream *stream, uint64_t context, uint64_t handle)
{
    struct api_call call = stream_call(stream, API_ENTRY_clCreateUserEvent);
    call_set(&call, "context", context);
    stream_perform(stream, &call, handle);
    return handle;
}

struct host_verdict perform_on(struct stream *stream, uint32_t entry, uint64_t handle)
{
    struct api_call call = stream_call(stream, entry);
    call.arguments[0].bits = handle;
    return stream_perform(stream, &call, CL_SUCCESS);
}
