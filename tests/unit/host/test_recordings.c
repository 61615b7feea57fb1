/* Command-buffers as calls tell of them: which life of an object a recorded command uses, what an
 * update changes, and what is never known. What orders them is tested in tests/unit/order and
 * tests/rules. */
#include "stream.h"

#include "trace/api/mutable_config.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    CONTEXT = 0xc0,
    DEVICE = 0xd0,
    BUFFER = 0xb0,
    LATER_BUFFER = 0xb8,
    QUEUE = 0xa0,
    OTHER = 0xa8,
    GATE = 0xe0,
    PROGRAM = 0x90,
    KERNEL = 0x98,
    RECORDING = 0x80,
    REMAPPED = 0x88,
    FIRST = 0x70,
    SECOND = 0x78
};

static struct stream stream;

static void make_kernel(void)
{
    const uint64_t buffer = BUFFER;
    const uint32_t count = 1;
    struct api_call call = stream_call(&stream, API_ENTRY_clCreateProgramWithSource);
    call_set(&call, "context", CONTEXT);
    stream_perform(&stream, &call, PROGRAM);
    call = stream_call(&stream, API_ENTRY_clCreateKernel);
    call_set(&call, "program", PROGRAM);
    stream_perform(&stream, &call, KERNEL);
    call = stream_call(&stream, API_ENTRY_clGetKernelInfo);
    call_set(&call, "kernel", KERNEL);
    call_set(&call, "param_name", CL_KERNEL_NUM_ARGS);
    call_set_bytes(&stream, &call, "param_value", &count, sizeof count);
    stream_perform(&stream, &call, CL_SUCCESS);
    call = stream_call(&stream, API_ENTRY_clSetKernelArg);
    call_set(&call, "kernel", KERNEL);
    call_set(&call, "arg_size", sizeof buffer);
    call_set_bytes(&stream, &call, "arg_value", &buffer, sizeof buffer);
    stream_perform(&stream, &call, CL_SUCCESS);
}

static void make_recording(void)
{
    const uint64_t queue = QUEUE;
    struct api_call call = stream_call(&stream, API_ENTRY_clCreateCommandBufferKHR);
    call_set(&call, "num_queues", 1);
    call_set_handles(&stream, &call, "queues", &queue, 1);
    stream_perform(&stream, &call, RECORDING);
}

static void begin(void)
{
    stream_init(&stream, false, "none,commands");
    make_context(&stream, CONTEXT);
    make_queue(&stream, CONTEXT, QUEUE);
    make_queue(&stream, CONTEXT, OTHER);
    make_buffer(&stream, CONTEXT, BUFFER);
    make_user_event(&stream, CONTEXT, GATE);
    make_kernel();
    make_recording();
}

static int setup(void **state)
{
    (void)state;
    begin();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    stream_release(&stream);
    return 0;
}

/* ---- calls ---- */

static void set_fill(struct api_call *call, uint64_t buffer)
{
    call_set(call, "buffer", buffer);
    call_set_pointer(call, "pattern");
    call_set(call, "pattern_size", 1);
    call_set(call, "size", 4096);
}

static void record_fill(void)
{
    struct api_call call = stream_call(&stream, API_ENTRY_clCommandFillBufferKHR);
    call_set(&call, "command_buffer", RECORDING);
    set_fill(&call, BUFFER);
    stream_perform(&stream, &call, CL_SUCCESS);
}

/* With the argument that the kernel has. */
static void record_launch(uint64_t handle)
{
    struct api_call call = stream_call(&stream, API_ENTRY_clCommandNDRangeKernelKHR);
    call_set(&call, "command_buffer", RECORDING);
    call_set(&call, "kernel", KERNEL);
    call_set_handles(&stream, &call, "mutable_handle", &handle, 1);
    stream_perform(&stream, &call, CL_SUCCESS);
}

static bool can_read(void *user, const void *bytes, uint64_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
    return true;
}

/* Sets the kernel's argument in that command; `known`: the values were captured. */
static void update(uint64_t recording, uint64_t command, uint64_t buffer, bool known)
{
    const cl_mutable_dispatch_arg_khr argument = {0, sizeof buffer, &buffer};
    const struct api_mutable_config config = {.command = (cl_mutable_command_khr)(uintptr_t)command,
                                              .num_args = 1,
                                              .arg_list = &argument};
    uint64_t size = 0;
    const void *bytes = api_mutable_configs_pack(&config, 1, can_read, NULL, &stream.arena, &size);
    struct api_call call = stream_call(&stream, API_ENTRY_clUpdateMutableCommandsKHR);
    call_set(&call, "command_buffer", recording);
    call_set(&call, "num_configs", 1);
    if (known)
        call_set_bytes(&stream, &call, "configs", bytes, size);
    const uint32_t at = api_entry_find_parameter(api_entry_get(call.entry), "configs");
    call.arguments[at].kind = API_VALUE_BYTES;
    call.arguments[at].count = 1;
    stream_perform(&stream, &call, CL_SUCCESS);
}

static void finalize(void)
{
    perform_on(&stream, API_ENTRY_clFinalizeCommandBufferKHR, RECORDING);
}

static void enqueue(uint64_t recording, uint64_t waits_for)
{
    struct api_call call = stream_call(&stream, API_ENTRY_clEnqueueCommandBufferKHR);
    call_set(&call, "command_buffer", recording);
    call_set(&call, "num_events_in_wait_list", waits_for != 0);
    if (waits_for != 0)
        call_set_handles(&stream, &call, "event_wait_list", &waits_for, 1);
    stream_perform(&stream, &call, CL_SUCCESS);
}

static void fill_in_other_queue(uint64_t buffer)
{
    struct api_call call = stream_call(&stream, API_ENTRY_clEnqueueFillBuffer);
    call_set(&call, "command_queue", OTHER);
    set_fill(&call, buffer);
    stream_perform(&stream, &call, CL_SUCCESS);
}

static void set_gate(int32_t status)
{
    struct api_call call = stream_call(&stream, API_ENTRY_clSetUserEventStatus);
    call_set(&call, "event", GATE);
    call_set(&call, "execution_status", (uint64_t)(int64_t)status);
    stream_perform(&stream, &call, CL_SUCCESS);
}

static void expect(size_t count)
{
    assert_int_equal(stream.finding_count, count);
}

/* ---- tests ---- */

static void recording_does_nothing(void **state)
{
    (void)state;
    record_fill();
    finalize();
    fill_in_other_queue(BUFFER);
    expect(0);
}

static void both_calls_are_places(void **state)
{
    (void)state;
    stream.stack = 7;
    record_fill();
    finalize();
    stream.stack = 8;
    enqueue(RECORDING, 0);
    fill_in_other_queue(BUFFER);
    expect(1);
    const struct finding *finding = stream.findings[0];
    assert_int_equal(finding->rule, RULE_RACE_COMMANDS);
    assert_int_equal(finding->place_count, 3);
    assert_string_equal(finding->places[0].function, "clEnqueueFillBuffer");
    assert_string_equal(finding->places[1].function, "clCommandFillBufferKHR");
    assert_string_equal(finding->places[1].label, "clCommandFillBufferKHR, in queue#1, writes");
    assert_string_equal(finding->places[2].function, "clEnqueueCommandBufferKHR");
    assert_int_equal(finding->places[1].frame_count, 1);
    assert_int_equal(finding->places[2].frame_count, 1);
}

static void an_object_of_the_same_handle_is_another_one(void **state)
{
    (void)state;
    record_fill();
    finalize();
    perform_on(&stream, API_ENTRY_clReleaseMemObject, BUFFER);
    make_buffer(&stream, CONTEXT, BUFFER);
    enqueue(RECORDING, 0);
    fill_in_other_queue(BUFFER);
    expect(0);
}

static void a_command_buffer_of_the_same_handle_is_another_one(void **state)
{
    (void)state;
    record_fill();
    finalize();
    perform_on(&stream, API_ENTRY_clReleaseCommandBufferKHR, RECORDING);
    make_recording();
    finalize();
    enqueue(RECORDING, 0);
    fill_in_other_queue(BUFFER);
    expect(0);
}

static void an_update_is_for_later_executions(void **state)
{
    (void)state;
    make_buffer(&stream, CONTEXT, LATER_BUFFER);
    record_launch(FIRST);
    finalize();
    update(RECORDING, FIRST, LATER_BUFFER, true);
    enqueue(RECORDING, 0);
    fill_in_other_queue(BUFFER);
    expect(0);
    fill_in_other_queue(LATER_BUFFER);
    expect(1);
    assert_int_equal(stream.findings[0]->rule, RULE_RACE_COMMANDS_UNCLEAR);
}

static void an_execution_keeps_its_arguments(void **state)
{
    (void)state;
    make_buffer(&stream, CONTEXT, LATER_BUFFER);
    record_launch(FIRST);
    finalize();
    enqueue(RECORDING, GATE);
    update(RECORDING, FIRST, LATER_BUFFER, true);
    fill_in_other_queue(LATER_BUFFER);
    set_gate(CL_COMPLETE);
    expect(0);
    stream.stack = 2;
    fill_in_other_queue(BUFFER);
    expect(1);
}

/* Two launches do the same, so that only one of them is compared with others. */
static void an_update_leaves_what_others_do(void **state)
{
    (void)state;
    make_buffer(&stream, CONTEXT, LATER_BUFFER);
    record_launch(FIRST);
    record_launch(SECOND);
    finalize();
    update(RECORDING, FIRST, LATER_BUFFER, true);
    enqueue(RECORDING, 0);
    fill_in_other_queue(BUFFER);
    expect(1);
}

static void after_an_unknown_update_launches_are_unknown(void **state)
{
    (void)state;
    record_launch(FIRST);
    record_fill();
    finalize();
    update(RECORDING, FIRST, BUFFER, false);
    enqueue(RECORDING, 0);
    fill_in_other_queue(BUFFER);
    expect(1);
    assert_int_equal(stream.findings[0]->rule, RULE_RACE_COMMANDS); /* of the fill */
}

/* With a handle of its own for the command, by which it alone is updated. */
static void a_remapped_copy_has_commands_of_its_own(void **state)
{
    (void)state;
    const uint64_t queue = QUEUE, old = FIRST, new = SECOND;
    make_buffer(&stream, CONTEXT, LATER_BUFFER);
    record_launch(FIRST);
    finalize();
    struct api_call call = stream_call(&stream, API_ENTRY_clRemapCommandBufferKHR);
    call_set(&call, "command_buffer", RECORDING);
    call_set(&call, "num_queues", 1);
    call_set_handles(&stream, &call, "queues", &queue, 1);
    call_set(&call, "num_handles", 1);
    call_set_handles(&stream, &call, "handles", &old, 1);
    call_set_handles(&stream, &call, "handles_ret", &new, 1);
    stream_perform(&stream, &call, REMAPPED);
    update(REMAPPED, SECOND, LATER_BUFFER, true);
    enqueue(RECORDING, 0);
    fill_in_other_queue(LATER_BUFFER);
    expect(0);
    enqueue(REMAPPED, 0);
    expect(1);
}

static void a_gate_that_fails_ends_a_command_buffer(void **state)
{
    (void)state;
    record_fill();
    finalize();
    enqueue(RECORDING, GATE);
    fill_in_other_queue(BUFFER);
    set_gate(-1);
    expect(0);
}

static void want_of_memory_is_silence(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 60; n++) {
        const uint64_t before = alloc_live_count();
        begin();
        alloc_fail_at(n);
        record_fill();
        record_launch(FIRST);
        finalize();
        enqueue(RECORDING, GATE);
        update(RECORDING, FIRST, BUFFER, true);
        alloc_fail_at(0);
        set_gate(CL_COMPLETE);
        perform_on(&stream, API_ENTRY_clFinish, QUEUE);
        fill_in_other_queue(BUFFER);
        expect(0);
        stream_release(&stream);
        assert_int_equal(alloc_live_count(), before);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(recording_does_nothing),
        TEST(both_calls_are_places),
        TEST(an_object_of_the_same_handle_is_another_one),
        TEST(a_command_buffer_of_the_same_handle_is_another_one),
        TEST(an_update_is_for_later_executions),
        TEST(an_execution_keeps_its_arguments),
        TEST(an_update_leaves_what_others_do),
        TEST(after_an_unknown_update_launches_are_unknown),
        TEST(a_remapped_copy_has_commands_of_its_own),
        TEST(a_gate_that_fails_ends_a_command_buffer),
        cmocka_unit_test(want_of_memory_is_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
