/* Calls that come again: launches and settings that were right are not judged again, until
 * something changes that they rest on; and launches are ordered and compared as other commands are.
 */
#include "stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    CONTEXT = 0xc0,
    DEVICE = 0xd0,
    QUEUE = 0xa0,
    OTHER = 0xa8,
    BUFFER = 0xb0,
    SECOND = 0xb8,
    PROGRAM = 0x90,
    KERNEL = 0x80,
};

static struct stream stream;

static void answer(uint32_t entry, uint64_t query, const void *bytes, uint64_t size)
{
    struct api_call call = stream_call(&stream, entry);
    call.flags = API_CALL_SYNTHETIC;
    call.arguments[0].bits = KERNEL;
    call_set(&call, "param_name", query);
    call_set_bytes(&stream, &call, "param_value", bytes, size);
    stream_perform(&stream, &call, CL_SUCCESS);
}

/* A kernel with one argument, a pointer to global memory. */
static int setup(void **state)
{
    const uint32_t address = CL_KERNEL_ARG_ADDRESS_GLOBAL;
    const uint32_t count = 1;
    (void)state;
    stream_init(&stream, false, "all,-deprecated");
    make_context(&stream, CONTEXT);
    make_queue(&stream, CONTEXT, QUEUE);
    make_buffer(&stream, CONTEXT, BUFFER);
    make_buffer(&stream, CONTEXT, SECOND);
    struct api_call program = stream_call(&stream, API_ENTRY_clCreateProgramWithBuiltInKernels);
    const uint64_t device = DEVICE;
    call_set(&program, "context", CONTEXT);
    call_set(&program, "num_devices", 1);
    call_set_handles(&stream, &program, "device_list", &device, 1);
    program.flags = API_CALL_SYNTHETIC;
    stream_perform(&stream, &program, PROGRAM);
    struct api_call kernel = stream_call(&stream, API_ENTRY_clCreateKernel);
    call_set(&kernel, "program", PROGRAM);
    kernel.flags = API_CALL_SYNTHETIC;
    stream_perform(&stream, &kernel, KERNEL);
    answer(API_ENTRY_clGetKernelInfo, CL_KERNEL_NUM_ARGS, &count, sizeof count);
    answer(API_ENTRY_clGetKernelArgInfo, CL_KERNEL_ARG_ADDRESS_QUALIFIER, &address, sizeof address);
    answer(API_ENTRY_clGetKernelArgInfo, CL_KERNEL_ARG_TYPE_NAME, "float*", 7);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    stream_release(&stream);
    return 0;
}

static struct api_call setting(uint64_t buffer, uint32_t thread)
{
    struct api_call call = stream_call(&stream, API_ENTRY_clSetKernelArg);
    call.thread = thread;
    call_set(&call, "kernel", KERNEL);
    call_set(&call, "arg_size", sizeof buffer);
    call_set_bytes(&stream, &call, "arg_value", &buffer, sizeof buffer);
    return call;
}

static void set(uint64_t buffer, int32_t result)
{
    struct api_call call = setting(buffer, 1);
    stream_perform(&stream, &call, (uint64_t)(int64_t)result);
}

static void set_size(struct api_call *call, const char *name, uint64_t size)
{
    const uint32_t index = api_entry_find_parameter(api_entry_get(call->entry), name);
    call_set_bytes(&stream, call, name, &size, sizeof size);
    call->arguments[index].kind = API_VALUE_SIZES;
    call->arguments[index].count = 1;
}

static struct api_call launch_call(uint64_t queue)
{
    struct api_call call = stream_call(&stream, API_ENTRY_clEnqueueNDRangeKernel);
    call_set(&call, "command_queue", queue);
    call_set(&call, "kernel", KERNEL);
    call_set(&call, "work_dim", 1);
    set_size(&call, "global_work_size", 64);
    return call;
}

static void launch_in(uint64_t queue, uint64_t event)
{
    struct api_call call = launch_call(queue);
    if (event != 0)
        call_set_handles(&stream, &call, "event", &event, 1);
    stream_perform(&stream, &call, CL_SUCCESS);
}

static void launch(void)
{
    launch_in(QUEUE, 0);
}

/* A right launch, and again. */
static void launch_rightly(void)
{
    set(BUFFER, CL_SUCCESS);
    launch();
    launch();
    if (stream.finding_count != 0)
        fail_msg("%s", stream.findings[0]->message);
}

static void expect(const char *rule)
{
    assert_int_equal(stream.finding_count, 1);
    assert_string_equal(rule_get(stream.findings[0]->rule)->id, rule);
    stream.finding_count = 0;
}

/* ---- launches ---- */

static void a_buffer_is_released(void **state)
{
    (void)state;
    launch_rightly();
    perform_on(&stream, API_ENTRY_clReleaseMemObject, BUFFER);
    launch();
    expect("kernel-argument-released");
}

static void arguments_take_turns(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        set(SECOND, CL_SUCCESS);
        launch();
        launch_rightly();
    }
    perform_on(&stream, API_ENTRY_clReleaseMemObject, BUFFER);
    set(SECOND, CL_SUCCESS);
    launch();
    assert_int_equal(stream.finding_count, 0);
    set(BUFFER, CL_SUCCESS);
    expect("handle-released");
}

static void an_argument_is_lost(void **state)
{
    (void)state;
    launch_rightly();
    set(BUFFER, CL_OUT_OF_HOST_MEMORY);
    stream.finding_count = 0;
    launch();
    expect("kernel-argument-lost");
    set(BUFFER, CL_SUCCESS);
    launch();
    assert_int_equal(stream.finding_count, 0);
}

static void another_thread_sets_an_argument(void **state)
{
    (void)state;
    launch_rightly();
    set(BUFFER, CL_SUCCESS);
    struct api_call call = setting(BUFFER, 2);
    stream_perform(&stream, &call, CL_SUCCESS);
    launch();
    expect("kernel-argument-overtaken");
}

static void a_kernel_is_released(void **state)
{
    (void)state;
    launch_rightly();
    perform_on(&stream, API_ENTRY_clReleaseKernel, KERNEL);
    launch();
    expect("handle-released");
}

static void sizes_change(void **state)
{
    (void)state;
    launch_rightly();
    struct api_call call = launch_call(QUEUE);
    set_size(&call, "local_work_size", 64);
    stream_perform(&stream, &call, CL_SUCCESS);
    assert_int_equal(stream.finding_count, 0);
    set_size(&call, "local_work_size", 0);
    stream_perform(&stream, &call, CL_SUCCESS);
    expect("launch-size");
}

/* ---- what launches do to memory ---- */

static void launches_of_another_queue_are_compared_with_the_latest(void **state)
{
    (void)state;
    make_queue(&stream, CONTEXT, OTHER);
    launch_rightly();
    launch();
    launch_in(OTHER, 0);
    expect("race-commands-unclear");
}

static void finished_launches_are_ordered(void **state)
{
    (void)state;
    make_queue(&stream, CONTEXT, OTHER);
    launch_rightly();
    perform_on(&stream, API_ENTRY_clFinish, QUEUE);
    launch_in(OTHER, 0);
    launch_in(OTHER, 0);
    perform_on(&stream, API_ENTRY_clFinish, OTHER);
    launch();
    assert_int_equal(stream.finding_count, 0);
}

static void an_event_orders_its_launch(void **state)
{
    const uint64_t event = 0xe8;
    (void)state;
    make_queue(&stream, CONTEXT, OTHER);
    launch_rightly();
    launch_in(QUEUE, event);
    struct api_call wait = stream_call(&stream, API_ENTRY_clEnqueueBarrierWithWaitList);
    call_set(&wait, "command_queue", OTHER);
    call_set(&wait, "num_events_in_wait_list", 1);
    call_set_handles(&stream, &wait, "event_wait_list", &event, 1);
    stream_perform(&stream, &wait, CL_SUCCESS);
    perform_on(&stream, API_ENTRY_clReleaseEvent, event);
    launch_in(OTHER, 0);
    assert_int_equal(stream.finding_count, 0);
    launch();
    expect("race-commands-unclear");
}

/* ---- in few words ---- */

static struct host_brief brief_setting(uint64_t buffer, uint32_t thread)
{
    return (struct host_brief){.call_id = stream.next_id++,
                               .thread = thread,
                               .entry = API_ENTRY_clSetKernelArg,
                               .object = KERNEL,
                               .size = sizeof buffer,
                               .value = buffer};
}

static bool set_briefly(uint64_t buffer, uint32_t thread)
{
    struct host_brief brief = brief_setting(buffer, thread);
    return host_checker_brief_begin(stream.checker, &brief) &&
           host_checker_brief_end(stream.checker, &brief, CL_COMPLETE);
}

static void only_a_right_setting_is_told_briefly(void **state)
{
    (void)state;
    assert_false(set_briefly(BUFFER, 1));
    set(BUFFER, CL_SUCCESS);
    assert_true(set_briefly(BUFFER, 1));
    assert_false(set_briefly(SECOND, 1));
    set(SECOND, CL_SUCCESS);
    assert_true(set_briefly(BUFFER, 1));
    assert_true(set_briefly(SECOND, 1));
    perform_on(&stream, API_ENTRY_clReleaseMemObject, BUFFER);
    assert_false(set_briefly(BUFFER, 1));
    assert_int_equal(stream.finding_count, 0);
    set(BUFFER, CL_SUCCESS);
    expect("handle-released");
}

static void a_brief_setting_sets(void **state)
{
    (void)state;
    set(BUFFER, CL_SUCCESS);
    set(BUFFER, CL_OUT_OF_HOST_MEMORY);
    stream.finding_count = 0;
    assert_true(set_briefly(BUFFER, 1));
    launch();
    assert_int_equal(stream.finding_count, 0);
    set(BUFFER, CL_SUCCESS);
    assert_true(set_briefly(BUFFER, 2));
    launch();
    expect("kernel-argument-overtaken");
}

static void two_threads_set_at_once(void **state)
{
    struct host_verdict verdict;
    (void)state;
    set(BUFFER, CL_SUCCESS);
    struct host_brief first = brief_setting(BUFFER, 1);
    assert_true(host_checker_brief_begin(stream.checker, &first));
    struct api_call second = setting(BUFFER, 2);
    struct host_brief brief = brief_setting(BUFFER, 2);
    brief.call_id = second.id;
    assert_false(host_checker_brief_begin(stream.checker, &brief));
    assert_true(host_checker_brief_end(stream.checker, &first, CL_COMPLETE));
    host_checker_begin(stream.checker, &second, &verdict);
    expect("kernel-in-threads");
    host_checker_end(stream.checker, &second);
}

static void a_status_is_asked_for_briefly(void **state)
{
    const uint64_t event = 0xe8;
    struct host_brief brief = {.entry = API_ENTRY_clGetEventInfo, .object = event};
    (void)state;
    assert_false(host_checker_brief_begin(stream.checker, &brief));
    launch_rightly();
    launch_in(QUEUE, event);
    assert_true(host_checker_brief_begin(stream.checker, &brief));
    assert_true(host_checker_brief_end(stream.checker, &brief, CL_RUNNING));
    assert_false(host_checker_brief_end(stream.checker, &brief, CL_OUT_OF_RESOURCES));
    perform_on(&stream, API_ENTRY_clReleaseEvent, event);
    assert_false(host_checker_brief_begin(stream.checker, &brief));
}

static void an_object_is_retained_briefly(void **state)
{
    const uint64_t event = make_user_event(&stream, CONTEXT, 0xe8);
    struct host_brief brief = {.entry = API_ENTRY_clRetainEvent, .object = event};
    struct host_brief wrong = {.entry = API_ENTRY_clRetainEvent, .object = BUFFER};
    struct api_call failed = stream_call(&stream, API_ENTRY_clRetainEvent);
    (void)state;
    assert_false(host_checker_brief_begin(stream.checker, &wrong));
    assert_true(host_checker_brief_begin(stream.checker, &brief));
    assert_true(host_checker_brief_end(stream.checker, &brief, CL_COMPLETE));
    assert_true(host_checker_brief_begin(stream.checker, &brief));
    call_set(&failed, "event", event);
    failed.result.bits = (uint64_t)CL_OUT_OF_HOST_MEMORY;
    host_checker_end(stream.checker, &failed);
    perform_on(&stream, API_ENTRY_clReleaseEvent, event);
    assert_int_equal(stream.finding_count, 0);
    assert_true(host_checker_brief_begin(stream.checker, &brief));
    perform_on(&stream, API_ENTRY_clReleaseEvent, event);
    perform_on(&stream, API_ENTRY_clReleaseEvent, event);
    assert_false(host_checker_brief_begin(stream.checker, &brief));
    perform_on(&stream, API_ENTRY_clReleaseEvent, event);
    expect("release-excess");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_buffer_is_released),
        TEST(arguments_take_turns),
        TEST(an_argument_is_lost),
        TEST(another_thread_sets_an_argument),
        TEST(a_kernel_is_released),
        TEST(sizes_change),
        TEST(launches_of_another_queue_are_compared_with_the_latest),
        TEST(finished_launches_are_ordered),
        TEST(an_event_orders_its_launch),
        TEST(only_a_right_setting_is_told_briefly),
        TEST(a_brief_setting_sets),
        TEST(two_threads_set_at_once),
        TEST(a_status_is_asked_for_briefly),
        TEST(an_object_is_retained_briefly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
