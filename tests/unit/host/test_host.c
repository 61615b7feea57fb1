/* The host checker's rules, one behaviour a test, without a driver. */
#include "stream.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { CONTEXT = 0x1000, QUEUE = 0x2000, BUFFER = 0x3000, EVENT = 0x4000 };

static int setup(void **state)
{
    static struct stream stream;
    stream_init(&stream, false, "usual");
    make_context(&stream, CONTEXT);
    make_queue(&stream, CONTEXT, QUEUE);
    make_buffer(&stream, CONTEXT, BUFFER);
    make_user_event(&stream, CONTEXT, EVENT);
    *state = &stream;
    return 0;
}

static int teardown(void **state)
{
    stream_release(*state);
    return 0;
}

/* Exactly one finding so far, of this rule; forgets it. */
static const struct finding *only(struct stream *stream, enum rule_index rule)
{
    assert_int_equal(stream->finding_count, 1);
    assert_string_equal(rule_get(stream->findings[0]->rule)->id, rule_get(rule)->id);
    stream->finding_count = 0;
    return stream->findings[0];
}

static void none(struct stream *stream)
{
    if (stream->finding_count != 0)
        fail_msg("%s", stream->findings[0]->message);
}

/* A blocking read that is right in every point. */
static struct api_call read_call(struct stream *stream)
{
    struct api_call call = stream_call(stream, API_ENTRY_clEnqueueReadBuffer);
    call_set(&call, "command_queue", QUEUE);
    call_set(&call, "buffer", BUFFER);
    call_set(&call, "blocking_read", 1);
    call_set(&call, "size", 16);
    call_set_pointer(&call, "ptr");
    return call;
}

/* What was found of a question about a device. */
static void ask_device(struct stream *stream, uint64_t name)
{
    struct api_call call = stream_call(stream, API_ENTRY_clGetDeviceInfo);
    call_set(&call, "param_name", name);
    call_set_pointer(&call, "param_value_size_ret");
    stream_perform(stream, &call, CL_SUCCESS);
}

static void build_with(struct stream *stream, const char *options)
{
    struct api_call call = stream_call(stream, API_ENTRY_clBuildProgram);
    call.arguments[3] = (struct api_value){
        .kind = API_VALUE_STRING, .present = true, .size = strlen(options), .data = options};
    stream_perform(stream, &call, CL_SUCCESS);
}

static void deprecated_options_are_told_when_asked_for(void **state)
{
    (void)state;
    struct stream stream;
    stream_init(&stream, false, "deprecated");
    build_with(&stream, "-cl-strict-aliasing-not -D X=\"a -cl-strict-aliasing \"");
    none(&stream);
    build_with(&stream, "-w  -cl-strict-aliasing -cl-mad-enable");
    assert_string_equal(only(&stream, RULE_DEPRECATED)->message,
                        "clBuildProgram: options has -cl-strict-aliasing, which is deprecated: "
                        "OpenCL 1.1 has rules of the language instead");
    stream_release(&stream);
}

static void deprecated_queries_are_told_when_asked_for(void **state)
{
    (void)state;
    struct stream stream;
    stream_init(&stream, false, "deprecated");
    ask_device(&stream, CL_DEVICE_MEM_BASE_ADDR_ALIGN);
    ask_device(&stream, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES);
    none(&stream);
    ask_device(&stream, CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE);
    assert_string_equal(only(&stream, RULE_DEPRECATED)->message,
                        "clGetDeviceInfo: param_name is CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, which "
                        "is deprecated: OpenCL 1.2 has CL_DEVICE_MEM_BASE_ADDR_ALIGN instead");
    stream_release(&stream);
    stream_init(&stream, false, "deprecated");
    ask_device(&stream, CL_DEVICE_OPENCL_C_VERSION);
    only(&stream, RULE_DEPRECATED);
    stream_release(&stream);
    stream_init(&stream, false, "usual,-handle");
    ask_device(&stream, CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE);
    none(&stream);
    stream_release(&stream);
}

static void a_correct_program_has_no_findings(void **state)
{
    struct stream *stream = *state;
    struct api_call call = read_call(stream);
    const uint64_t event = EVENT;
    call_set(&call, "num_events_in_wait_list", 1);
    call_set_handles(stream, &call, "event_wait_list", &event, 1);
    assert_false(stream_perform(stream, &call, CL_SUCCESS).refuse);
    struct api_call set = stream_call(stream, API_ENTRY_clSetUserEventStatus);
    call_set(&set, "event", EVENT);
    call_set(&set, "execution_status", CL_COMPLETE);
    stream_perform(stream, &set, CL_SUCCESS);
    perform_on(stream, API_ENTRY_clRetainMemObject, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseEvent, EVENT);
    perform_on(stream, API_ENTRY_clReleaseCommandQueue, QUEUE);
    perform_on(stream, API_ENTRY_clReleaseContext, CONTEXT);
    host_checker_finish(stream->checker, false);
    none(stream);
}

static void null_handle(void **state)
{
    struct stream *stream = *state;
    struct api_call call = read_call(stream);
    call_set(&call, "buffer", 0);
    assert_false(stream_perform(stream, &call, (uint64_t)CL_INVALID_MEM_OBJECT).refuse);
    const struct finding *finding = only(stream, RULE_HANDLE_NULL);
    assert_string_equal(finding->message,
                        "clEnqueueReadBuffer: buffer is NULL; a memory object is needed");
    assert_string_equal(finding->places[0].argument, "buffer");
    assert_string_equal(finding->places[0].function, "clEnqueueReadBuffer");
    assert_non_null(strstr(finding->reason, "CL_INVALID_MEM_OBJECT"));
}

static void released_handle_never_reaches_the_driver(void **state)
{
    struct stream *stream = *state;
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    none(stream);
    struct api_call call = read_call(stream);
    const struct host_verdict verdict = stream_perform(stream, &call, 0);
    assert_true(verdict.refuse);
    assert_int_equal(verdict.error, CL_INVALID_MEM_OBJECT);
    const struct finding *finding = only(stream, RULE_HANDLE_RELEASED);
    assert_string_equal(finding->message,
                        "clEnqueueReadBuffer: buffer is buffer#1 (4096 bytes), which was released");
    assert_int_equal(finding->place_count, 3);
    assert_string_equal(finding->places[1].label, "buffer#1 was created by clCreateBuffer");
    assert_string_equal(finding->places[2].label, "buffer#1 was released by clReleaseMemObject");
    assert_int_equal(finding->places[2].frame_count, 1);
}

/* It was retained by a call that nobody told of, say. */
static void what_follows_an_unseen_call_is_not_judged(void **state)
{
    struct stream *stream = *state;
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    host_checker_stop(stream->checker);
    struct api_call call = read_call(stream);
    assert_false(stream_perform(stream, &call, 0).refuse);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    perform_on(stream, API_ENTRY_clRetainMemObject, BUFFER);
    host_checker_finish(stream->checker, false);
    none(stream);
}

static void a_rule_that_is_off_neither_finds_nor_refuses(void **state)
{
    (void)state;
    struct stream stream;
    stream_init(&stream, false, "-handle-released");
    make_context(&stream, CONTEXT);
    make_queue(&stream, CONTEXT, QUEUE);
    make_buffer(&stream, CONTEXT, BUFFER);
    perform_on(&stream, API_ENTRY_clReleaseMemObject, BUFFER);
    struct api_call call = read_call(&stream);
    assert_false(stream_perform(&stream, &call, 0).refuse);
    none(&stream);
    stream_release(&stream);
}

static void a_new_object_may_have_an_old_handle(void **state)
{
    struct stream *stream = *state;
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    make_user_event(stream, CONTEXT, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseEvent, BUFFER);
    make_buffer(stream, CONTEXT, BUFFER);
    struct api_call call = read_call(stream);
    stream_perform(stream, &call, CL_SUCCESS);
    none(stream);
    assert_string_equal(host_checker_handle_name(stream->checker, BUFFER), "buffer#2");
}

static void releasing_once_too_often(void **state)
{
    struct stream *stream = *state;
    perform_on(stream, API_ENTRY_clReleaseEvent, EVENT);
    none(stream);
    const struct host_verdict verdict = perform_on(stream, API_ENTRY_clReleaseEvent, EVENT);
    assert_true(verdict.refuse);
    assert_int_equal(verdict.error, CL_INVALID_EVENT);
    only(stream, RULE_RELEASE_EXCESS);
}

static void a_context_lives_as_long_as_its_queue(void **state)
{
    struct stream *stream = *state;
    perform_on(stream, API_ENTRY_clReleaseContext, CONTEXT);
    struct api_call read = read_call(stream);
    stream_perform(stream, &read, CL_SUCCESS);
    none(stream);
    make_buffer(stream, CONTEXT, 0x3100);
    const struct finding *finding = only(stream, RULE_HANDLE_BORROWED);
    assert_string_equal(finding->reason,
                        "The program holds no reference any more; 3 objects made from "
                        "it keep it alive, and the call works only as long as that "
                        "is so.");
    assert_false(perform_on(stream, API_ENTRY_clReleaseContext, CONTEXT).refuse);
    only(stream, RULE_RELEASE_EXCESS);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseMemObject, 0x3100);
    perform_on(stream, API_ENTRY_clReleaseEvent, EVENT);
    none(stream);
    perform_on(stream, API_ENTRY_clReleaseCommandQueue, QUEUE);
    none(stream);
    struct api_call late = stream_call(stream, API_ENTRY_clCreateUserEvent);
    call_set(&late, "context", CONTEXT);
    assert_true(stream_perform(stream, &late, 0).refuse);
    only(stream, RULE_HANDLE_RELEASED);
}

static void a_sub_buffer_keeps_its_buffer_and_a_kernel_its_program(void **state)
{
    struct stream *stream = *state;
    const cl_buffer_region region = {.origin = 0, .size = 64};
    struct api_call sub = stream_call(stream, API_ENTRY_clCreateSubBuffer);
    call_set(&sub, "buffer", BUFFER);
    call_set(&sub, "buffer_create_type", CL_BUFFER_CREATE_TYPE_REGION);
    call_set_bytes(stream, &sub, "buffer_create_info", &region, sizeof region);
    stream_perform(stream, &sub, 0x3200);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    struct api_call read = read_call(stream);
    assert_false(stream_perform(stream, &read, CL_SUCCESS).refuse);
    only(stream, RULE_HANDLE_BORROWED);
    perform_on(stream, API_ENTRY_clReleaseMemObject, 0x3200);
    read = read_call(stream);
    assert_true(stream_perform(stream, &read, CL_SUCCESS).refuse);
    only(stream, RULE_HANDLE_RELEASED);
}

static void a_query_makes_a_handle_usable_again(void **state)
{
    struct stream *stream = *state;
    perform_on(stream, API_ENTRY_clReleaseContext, CONTEXT);
    const uint64_t answer = CONTEXT;
    struct api_call query = stream_call(stream, API_ENTRY_clGetCommandQueueInfo);
    call_set(&query, "command_queue", QUEUE);
    call_set(&query, "param_name", CL_QUEUE_CONTEXT);
    call_set(&query, "param_value_size", sizeof answer);
    call_set_bytes(stream, &query, "param_value", &answer, sizeof answer);
    stream_perform(stream, &query, CL_SUCCESS);
    make_buffer(stream, CONTEXT, 0x3100);
    none(stream);
}

static void handles_from_queries_are_known(void **state)
{
    struct stream *stream = *state;
    const uint64_t unseen = 0x2100;
    struct api_call query = stream_call(stream, API_ENTRY_clGetEventInfo);
    call_set(&query, "event", EVENT);
    call_set(&query, "param_name", CL_EVENT_COMMAND_QUEUE);
    call_set(&query, "param_value_size", sizeof unseen);
    call_set_bytes(stream, &query, "param_value", &unseen, sizeof unseen);
    stream_perform(stream, &query, CL_SUCCESS);
    perform_on(stream, API_ENTRY_clFinish, unseen);
    perform_on(stream, API_ENTRY_clReleaseCommandQueue, unseen);
    perform_on(stream, API_ENTRY_clReleaseCommandQueue, unseen);
    none(stream);
}

static void foreign_handle(void **state)
{
    struct stream *stream = *state;
    assert_false(perform_on(stream, API_ENTRY_clFinish, 0x7777).refuse);
    only(stream, RULE_HANDLE_FOREIGN);
    struct api_call info = stream_call(stream, API_ENTRY_clGetDeviceInfo);
    call_set(&info, "device", 0x7777);
    call_set(&info, "param_name", CL_DEVICE_NAME);
    stream_perform(stream, &info, CL_SUCCESS);
    none(stream);
}

static void obtain(struct stream *stream, const char *name)
{
    struct api_call call = stream_call(stream, API_ENTRY_clGetExtensionFunctionAddressForPlatform);
    call_set(&call, "platform", 0xf0);
    call_set_bytes(stream, &call, "func_name", name, strlen(name));
    stream_perform(stream, &call, 0x5555);
}

static void unseen_extension_functions_silence_foreign_handles(void **state)
{
    struct stream *stream = *state;
    obtain(stream, "clGetKernelSuggestedLocalWorkSizeINTEL");
    obtain(stream, "clCreateCommandQueueWithPropertiesKHR");
    perform_on(stream, API_ENTRY_clFinish, 0x7777);
    only(stream, RULE_HANDLE_FOREIGN);
    obtain(stream, "clCreateSemaphoreWithPropertiesKHR");
    perform_on(stream, API_ENTRY_clFinish, 0x7777);
    none(stream);
}

static void wrong_kind(void **state)
{
    struct stream *stream = *state;
    struct api_call call = read_call(stream);
    call_set(&call, "buffer", CONTEXT);
    stream_perform(stream, &call, (uint64_t)CL_INVALID_MEM_OBJECT);
    const struct finding *finding = only(stream, RULE_HANDLE_WRONG_KIND);
    assert_string_equal(
        finding->message,
        "clEnqueueReadBuffer: buffer is context#1, a context; a memory object is needed");
}

static void wait_lists(void **state)
{
    struct stream *stream = *state;
    struct api_call call = read_call(stream);
    call_set(&call, "num_events_in_wait_list", 2);
    stream_perform(stream, &call, 0);
    const struct finding *finding = only(stream, RULE_WAIT_LIST_NULL);
    assert_string_equal(
        finding->message,
        "clEnqueueReadBuffer: event_wait_list is NULL although num_events_in_wait_list is 2");
    call = read_call(stream);
    call_set_pointer(&call, "event_wait_list");
    stream_perform(stream, &call, 0);
    only(stream, RULE_WAIT_LIST_COUNT);
    const uint64_t list[] = {EVENT, 0, EVENT};
    call = read_call(stream);
    call_set(&call, "num_events_in_wait_list", 3);
    call_set_handles(stream, &call, "event_wait_list", list, 3);
    stream_perform(stream, &call, 0);
    finding = only(stream, RULE_HANDLE_NULL);
    assert_string_equal(finding->places[0].argument, "event_wait_list[1]");
    assert_non_null(strstr(finding->reason, "CL_INVALID_EVENT_WAIT_LIST"));
    static const uint64_t nothing[1000];
    const size_t before = stream->finding_count;
    call = read_call(stream);
    call_set(&call, "num_events_in_wait_list", 1000);
    call_set_handles(stream, &call, "event_wait_list", nothing, 1000);
    stream_perform(stream, &call, 0);
    assert_int_equal(stream->finding_count - before, 16 - 1); /* that of [1] was told above */
}

static void contexts_do_not_mix(void **state)
{
    struct stream *stream = *state;
    make_context(stream, 0x1100);
    make_buffer(stream, 0x1100, 0x3100);
    make_user_event(stream, 0x1100, 0x4100);
    struct api_call call = read_call(stream);
    call_set(&call, "buffer", 0x3100);
    stream_perform(stream, &call, 0);
    const struct finding *finding = only(stream, RULE_CONTEXT_MISMATCH);
    assert_string_equal(finding->message,
                        "clEnqueueReadBuffer: buffer is buffer#2 (4096 bytes), of "
                        "another context than command_queue");
    const uint64_t list[] = {EVENT, 0x4100};
    call = read_call(stream);
    call_set(&call, "num_events_in_wait_list", 2);
    call_set_handles(stream, &call, "event_wait_list", list, 2);
    stream_perform(stream, &call, 0);
    only(stream, RULE_WAIT_LIST_CONTEXT);
    call = stream_call(stream, API_ENTRY_clWaitForEvents);
    call_set(&call, "num_events", 2);
    call_set_handles(stream, &call, "event_list", list, 2);
    stream_perform(stream, &call, 0);
    finding = only(stream, RULE_WAIT_LIST_CONTEXT);
    assert_string_equal(finding->places[0].argument, "event_list[1]");
}

static void required_pointers(void **state)
{
    struct stream *stream = *state;
    struct api_call call = read_call(stream);
    call.arguments[api_entry_find_parameter(api_entry_get(call.entry), "ptr")].present = false;
    stream_perform(stream, &call, 0);
    only(stream, RULE_ARGUMENT_NULL);
    call_set(&call, "size", 0);
    stream_perform(stream, &call, 0);
    none(stream);
    call = stream_call(stream, API_ENTRY_clBuildProgram);
    call_set(&call, "num_devices", 1);
    call_set(&call, "program", 0x6000);
    stream_perform(stream, &call, 0);
    assert_int_equal(stream->finding_count, 2); /* the program is foreign as well */
    assert_int_equal(stream->findings[1]->rule, RULE_ARGUMENT_NULL);
}

static void required_pointers_have_codes_of_their_own(void **state)
{
    struct stream *stream = *state;
    struct api_call call = stream_call(stream, API_ENTRY_clGetKernelSuggestedLocalWorkSizeKHR);
    make_context(stream, CONTEXT);
    call_set(&call, "command_queue", make_queue(stream, CONTEXT, QUEUE));
    call_set(&call, "kernel", 0x6000); /* foreign */
    call_set(&call, "work_dim", 1);
    call_set_pointer(&call, "suggested_local_work_size");
    stream_perform(stream, &call, 0);
    assert_int_equal(stream->finding_count, 2);
    assert_int_equal(stream->findings[1]->rule, RULE_ARGUMENT_NULL);
    assert_non_null(strstr(stream->findings[1]->reason, "CL_INVALID_GLOBAL_WORK_SIZE"));
}

static void conditions_of_single_entry_points(void **state)
{
    struct stream *stream = *state;
    struct api_call call = stream_call(stream, API_ENTRY_clCreateBuffer);
    call_set(&call, "context", CONTEXT);
    stream_perform(stream, &call, 0);
    const struct finding *finding = only(stream, RULE_ARGUMENT_ZERO);
    assert_string_equal(finding->message, "clCreateBuffer: size is 0");
    assert_non_null(strstr(finding->reason, "CL_INVALID_BUFFER_SIZE"));
    call = stream_call(stream, API_ENTRY_clGetPlatformIDs);
    stream_perform(stream, &call, 0);
    only(stream, RULE_OUTPUT_NONE);
    call_set_pointer(&call, "platforms");
    stream_perform(stream, &call, 0);
    only(stream, RULE_LIST_COUNT);
    call_set(&call, "num_entries", 1);
    stream_perform(stream, &call, 0);
    none(stream);
}

static void probing_is_silent(void **state)
{
    struct stream *stream = *state;
    struct api_call call = stream_call(stream, API_ENTRY_clGetDeviceIDs);
    call_set(&call, "device_type", CL_DEVICE_TYPE_ALL);
    call_set_pointer(&call, "num_devices");
    stream_perform(stream, &call, (uint64_t)CL_DEVICE_NOT_FOUND);
    call = stream_call(stream, API_ENTRY_clGetDeviceInfo);
    call_set(&call, "device", 0xd0);
    call_set(&call, "param_name", CL_DEVICE_NAME);
    stream_perform(stream, &call, CL_SUCCESS);
    call = stream_call(stream, API_ENTRY_clGetPlatformInfo);
    call_set(&call, "param_name", CL_PLATFORM_NAME);
    stream_perform(stream, &call, CL_SUCCESS);
    perform_on(stream, API_ENTRY_clRetainDevice, 0xd0);
    perform_on(stream, API_ENTRY_clReleaseDevice, 0xd0);
    perform_on(stream, API_ENTRY_clReleaseDevice, 0xd0);
    call = stream_call(stream, API_ENTRY_clEnqueueMarkerWithWaitList);
    call_set(&call, "command_queue", QUEUE);
    stream_perform(stream, &call, CL_SUCCESS);
    none(stream);
}

static void sub_devices_are_counted(void **state)
{
    struct stream *stream = *state;
    const uint64_t subs[] = {0xd1, 0xd2};
    struct api_call call = stream_call(stream, API_ENTRY_clCreateSubDevices);
    call_set(&call, "in_device", 0xd0);
    call_set_pointer(&call, "properties");
    call_set(&call, "num_devices", 2);
    call_set_handles(stream, &call, "out_devices", subs, 2);
    stream_perform(stream, &call, CL_SUCCESS);
    perform_on(stream, API_ENTRY_clReleaseDevice, 0xd1);
    none(stream);
    perform_on(stream, API_ENTRY_clReleaseDevice, 0xd1);
    only(stream, RULE_RELEASE_EXCESS);
}

static void callbacks_may_use_what_the_driver_keeps(void **state)
{
    struct stream *stream = *state;
    perform_on(stream, API_ENTRY_clReleaseEvent, EVENT);
    struct api_call call = stream_call(stream, API_ENTRY_clGetEventProfilingInfo);
    call.flags = API_CALL_IN_CALLBACK;
    call_set(&call, "event", EVENT);
    call_set(&call, "param_name", CL_PROFILING_COMMAND_END);
    assert_false(stream_perform(stream, &call, CL_SUCCESS).refuse);
    none(stream);
}

static void a_failed_call_changes_no_count(void **state)
{
    struct stream *stream = *state;
    struct api_call call = stream_call(stream, API_ENTRY_clReleaseMemObject);
    call_set(&call, "memobj", BUFFER);
    stream_perform(stream, &call, (uint64_t)CL_OUT_OF_HOST_MEMORY);
    call = stream_call(stream, API_ENTRY_clRetainMemObject);
    call_set(&call, "memobj", BUFFER);
    stream_perform(stream, &call, (uint64_t)CL_OUT_OF_HOST_MEMORY);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    none(stream);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    only(stream, RULE_RELEASE_EXCESS);
}

static void a_failed_release_keeps_the_parent(void **state)
{
    struct stream *stream = *state;
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseEvent, EVENT);
    perform_on(stream, API_ENTRY_clReleaseContext, CONTEXT);
    struct api_call call = stream_call(stream, API_ENTRY_clReleaseCommandQueue);
    call_set(&call, "command_queue", QUEUE);
    stream_perform(stream, &call, (uint64_t)CL_OUT_OF_HOST_MEMORY);
    none(stream);
    make_user_event(stream, CONTEXT, EVENT);
    only(stream, RULE_HANDLE_BORROWED);
}

static void leaks_are_grouped_by_place(void **state)
{
    struct stream *stream = *state;
    stream->stack = 2;
    for (uint64_t i = 0; i < 5; ++i)
        make_buffer(stream, CONTEXT, 0x9000 + i * 0x100);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseMemObject, 0x9000);
    perform_on(stream, API_ENTRY_clReleaseEvent, EVENT);
    perform_on(stream, API_ENTRY_clReleaseCommandQueue, QUEUE);
    host_checker_finish(stream->checker, false);
    assert_int_equal(stream->finding_count, 2);
    assert_string_equal(stream->findings[0]->message, "context#1 is never released");
    assert_string_equal(
        stream->findings[1]->message,
        "4 objects that clCreateBuffer created in one place are never released, the "
        "first of them buffer#3 (4096 bytes)");
    assert_int_equal(stream->findings[1]->count, 4);
    assert_string_equal(stream->findings[1]->places[0].frames[0], "site2+0x1 (app)");
}

static void shared_handles_are_not_judged(void **state)
{
    struct stream *stream = *state;
    make_buffer(stream, CONTEXT, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseEvent, EVENT);
    perform_on(stream, API_ENTRY_clReleaseCommandQueue, QUEUE);
    perform_on(stream, API_ENTRY_clReleaseContext, CONTEXT);
    host_checker_finish(stream->checker, false);
    none(stream);
}

static void a_loop_of_wrong_calls_is_one_finding_with_a_count(void **state)
{
    struct stream *stream = *state;
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    for (int i = 0; i < 1000; ++i) {
        struct api_call call = read_call(stream);
        assert_true(stream_perform(stream, &call, CL_SUCCESS).refuse);
    }
    const struct finding *first = only(stream, RULE_HANDLE_RELEASED);
    assert_int_equal(first->count, 1);
    stream->stack = 7;
    struct api_call call = read_call(stream);
    stream_perform(stream, &call, CL_SUCCESS);
    only(stream, RULE_HANDLE_RELEASED);
    perform_on(stream, API_ENTRY_clReleaseEvent, EVENT);
    perform_on(stream, API_ENTRY_clReleaseCommandQueue, QUEUE);
    perform_on(stream, API_ENTRY_clReleaseContext, CONTEXT);
    host_checker_finish(stream->checker, false);
    const struct finding *rest = only(stream, RULE_HANDLE_RELEASED);
    assert_int_equal(rest->count, 999);
    assert_true(finding_key(first) == finding_key(rest));
}

static void fail_calls_refuses_every_error(void **state)
{
    (void)state;
    struct stream stream;
    stream_init(&stream, true, "all");
    make_context(&stream, CONTEXT);
    struct api_call call = stream_call(&stream, API_ENTRY_clCreateBuffer);
    call_set(&call, "context", CONTEXT);
    const struct host_verdict verdict = stream_perform(&stream, &call, 0);
    assert_true(verdict.refuse);
    assert_int_equal(verdict.error, CL_INVALID_BUFFER_SIZE);
    only(&stream, RULE_ARGUMENT_ZERO);
    stream_release(&stream);
}

static void stacks_are_taken_only_when_needed(void **state)
{
    struct stream *stream = *state;
    const size_t before = stream->stack_captures;
    struct api_call call = read_call(stream);
    stream_perform(stream, &call, CL_SUCCESS);
    perform_on(stream, API_ENTRY_clRetainMemObject, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    assert_int_equal(stream->stack_captures, before);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    assert_int_equal(stream->stack_captures, before + 1);
}

static void synthetic_calls_teach_and_are_not_judged(void **state)
{
    struct stream *stream = *state;
    struct api_call call = stream_call(stream, API_ENTRY_clGetProgramInfo);
    call.flags = API_CALL_SYNTHETIC;
    stream_perform(stream, &call, CL_SUCCESS);
    none(stream);
}

/* Creates, uses and releases buffers in the shared context, with a stream of its own on the shared
 * checker. */
static void *work(void *user)
{
    struct stream *mine = user;
    for (uint64_t i = 0; i < 2000; ++i) {
        const uint64_t handle = mine->stack + i % 100 * 64;
        make_buffer(mine, CONTEXT, handle);
        struct api_call call = read_call(mine);
        call_set(&call, "buffer", handle);
        stream_perform(mine, &call, CL_SUCCESS);
        perform_on(mine, API_ENTRY_clRetainContext, CONTEXT);
        perform_on(mine, API_ENTRY_clReleaseContext, CONTEXT);
        perform_on(mine, API_ENTRY_clReleaseMemObject, handle);
    }
    return NULL;
}

static void threads_share_a_checker(void **state)
{
    struct stream *stream = *state;
    enum { THREADS = 4 };
    struct stream streams[THREADS];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; ++i) {
        streams[i] = (struct stream){
            .checker = stream->checker, .next_id = 1000000 * (i + 1), .stack = 0x1000000 * (i + 1)};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &streams[i]), 0);
    }
    for (size_t i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    none(stream);
    perform_on(stream, API_ENTRY_clReleaseMemObject, BUFFER);
    perform_on(stream, API_ENTRY_clReleaseEvent, EVENT);
    perform_on(stream, API_ENTRY_clReleaseCommandQueue, QUEUE);
    perform_on(stream, API_ENTRY_clReleaseContext, CONTEXT);
    host_checker_finish(stream->checker, false);
    none(stream);
    assert_true(perform_on(stream, API_ENTRY_clRetainContext, CONTEXT).refuse);
    only(stream, RULE_HANDLE_RELEASED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_correct_program_has_no_findings),
        TEST(deprecated_queries_are_told_when_asked_for),
        TEST(deprecated_options_are_told_when_asked_for),
        TEST(null_handle),
        TEST(released_handle_never_reaches_the_driver),
        TEST(what_follows_an_unseen_call_is_not_judged),
        TEST(a_rule_that_is_off_neither_finds_nor_refuses),
        TEST(a_new_object_may_have_an_old_handle),
        TEST(releasing_once_too_often),
        TEST(a_context_lives_as_long_as_its_queue),
        TEST(a_sub_buffer_keeps_its_buffer_and_a_kernel_its_program),
        TEST(a_query_makes_a_handle_usable_again),
        TEST(handles_from_queries_are_known),
        TEST(foreign_handle),
        TEST(unseen_extension_functions_silence_foreign_handles),
        TEST(wrong_kind),
        TEST(wait_lists),
        TEST(contexts_do_not_mix),
        TEST(required_pointers),
        TEST(required_pointers_have_codes_of_their_own),
        TEST(conditions_of_single_entry_points),
        TEST(probing_is_silent),
        TEST(sub_devices_are_counted),
        TEST(callbacks_may_use_what_the_driver_keeps),
        TEST(a_failed_call_changes_no_count),
        TEST(a_failed_release_keeps_the_parent),
        TEST(leaks_are_grouped_by_place),
        TEST(shared_handles_are_not_judged),
        TEST(a_loop_of_wrong_calls_is_one_finding_with_a_count),
        TEST(fail_calls_refuses_every_error),
        TEST(stacks_are_taken_only_when_needed),
        TEST(synthetic_calls_teach_and_are_not_judged),
        TEST(threads_share_a_checker),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
