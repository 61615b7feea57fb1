/* Commands as calls tell of them: what takes effect when a call begins, what when it ends, and what
 * keeps the rules silent. Which orders there are is tested in tests/unit/order and tests/rules. */
#include "stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { CONTEXT = 0xc0, DEVICE = 0xd0, BUFFER = 0xb0, QUEUE = 0xa0, OTHER = 0xa8, GATE = 0xe0 };

static struct stream stream;

static int setup(void **state)
{
    (void)state;
    stream_init(&stream, false, "none,commands");
    make_context(&stream, CONTEXT);
    make_buffer(&stream, CONTEXT, BUFFER);
    make_user_event(&stream, CONTEXT, GATE);
    return 0;
}

static void make_queues(cl_command_queue_properties properties)
{
    struct api_call call = stream_call(&stream, API_ENTRY_clCreateCommandQueue);
    call_set(&call, "context", CONTEXT);
    call_set(&call, "device", DEVICE);
    call_set(&call, "properties", properties);
    stream_perform(&stream, &call, QUEUE);
    make_queue(&stream, CONTEXT, OTHER);
}

static int teardown(void **state)
{
    (void)state;
    stream_release(&stream);
    return 0;
}

/* ---- commands: each writes all of the buffer ---- */

static struct api_call fill(uint64_t queue, uint64_t waits_for)
{
    struct api_call call = stream_call(&stream, API_ENTRY_clEnqueueFillBuffer);
    call_set(&call, "command_queue", queue);
    call_set(&call, "buffer", BUFFER);
    call_set_pointer(&call, "pattern");
    call_set(&call, "pattern_size", 1);
    call_set(&call, "size", 4096);
    call_set(&call, "num_events_in_wait_list", waits_for != 0);
    if (waits_for != 0)
        call_set_handles(&stream, &call, "event_wait_list", &waits_for, 1);
    return call;
}

static void enqueue(uint64_t queue, uint64_t waits_for, uint64_t event)
{
    struct api_call call = fill(queue, waits_for);
    if (event != 0)
        call_set_handles(&stream, &call, "event", &event, 1);
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

static void a_pair_of_places_is_told_once(void **state)
{
    (void)state;
    make_queues(0);
    enqueue(QUEUE, 0, 0);
    enqueue(OTHER, 0, 0);
    expect(1);
    assert_int_equal(stream.findings[0]->rule, RULE_RACE_COMMANDS);
    assert_int_equal(stream.findings[0]->place_count, 2);
    assert_int_equal(stream.findings[0]->places[1].frame_count, 1);
    enqueue(QUEUE, 0, 0);
    expect(1);
    stream.stack = 2; /* elsewhere in the program */
    enqueue(OTHER, 0, 0);
    expect(2);
}

/* A blocking read waits for what another thread enqueues after it. */
static void a_command_takes_its_place_when_its_call_begins(void **state)
{
    (void)state;
    struct host_verdict verdict;
    make_queues(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    struct api_call read = stream_call(&stream, API_ENTRY_clEnqueueReadBuffer);
    call_set(&read, "command_queue", QUEUE);
    call_set(&read, "buffer", BUFFER);
    call_set(&read, "blocking_read", CL_TRUE);
    call_set(&read, "size", 4096);
    call_set_pointer(&read, "ptr");
    host_checker_begin(stream.checker, &read, &verdict);
    struct api_call barrier = stream_call(&stream, API_ENTRY_clEnqueueBarrierWithWaitList);
    call_set(&barrier, "command_queue", QUEUE);
    stream_perform(&stream, &barrier, CL_SUCCESS);
    enqueue(QUEUE, 0, 0);
    read.flags |= API_CALL_COMPLETED;
    host_checker_end(stream.checker, &read);
    expect(0);
}

static void a_command_that_failed_does_nothing(void **state)
{
    (void)state;
    make_queues(0);
    struct api_call call = fill(QUEUE, 0);
    stream_perform(&stream, &call, (uint64_t)(int64_t)CL_OUT_OF_RESOURCES);
    enqueue(OTHER, 0, 0);
    expect(0);
}

static void a_gated_command_is_judged_when_the_gate_opens(void **state)
{
    (void)state;
    make_queues(0);
    enqueue(OTHER, GATE, 0);
    enqueue(QUEUE, 0, 0);
    expect(0);
    set_gate(CL_COMPLETE);
    expect(1);
}

static void what_the_host_knew_comes_before_a_gated_command(void **state)
{
    (void)state;
    make_queues(0);
    enqueue(OTHER, GATE, 0);
    enqueue(QUEUE, 0, 0);
    perform_on(&stream, API_ENTRY_clFinish, QUEUE);
    set_gate(CL_COMPLETE);
    expect(0);
}

/* Commands after it never run. */
static void a_gate_that_fails_ends_what_waits(void **state)
{
    (void)state;
    make_queues(0);
    enqueue(OTHER, GATE, 0);
    enqueue(QUEUE, 0, 0);
    set_gate(-1);
    expect(0);
}

/* The map waits for the gate, and its unmap for the map. */
static void a_gated_map_may_be_unmapped_first(void **state)
{
    (void)state;
    const uint64_t gate = GATE;
    const uint64_t unmapped = 0xe8;
    make_queues(0);
    struct api_call map = stream_call(&stream, API_ENTRY_clEnqueueMapBuffer);
    call_set(&map, "command_queue", QUEUE);
    call_set(&map, "buffer", BUFFER);
    call_set(&map, "map_flags", CL_MAP_WRITE);
    call_set(&map, "size", 4096);
    call_set(&map, "num_events_in_wait_list", 1);
    call_set_handles(&stream, &map, "event_wait_list", &gate, 1);
    stream_perform(&stream, &map, 0x5000);
    struct api_call unmap = stream_call(&stream, API_ENTRY_clEnqueueUnmapMemObject);
    call_set(&unmap, "command_queue", QUEUE);
    call_set(&unmap, "memobj", BUFFER);
    call_set(&unmap, "mapped_ptr", 0x5000);
    call_set_handles(&stream, &unmap, "event", &unmapped, 1);
    stream_perform(&stream, &unmap, CL_SUCCESS);
    enqueue(OTHER, unmapped, 0);
    set_gate(CL_COMPLETE);
    expect(0);
    enqueue(OTHER, 0, 0); /* of an in-order queue: after the one that waited */
    expect(0);
}

static void a_callback_knows_that_its_event_ended(void **state)
{
    (void)state;
    make_queues(0);
    enqueue(QUEUE, 0, 0xe8);
    host_checker_command_ended(stream.checker, 0xe8);
    enqueue(OTHER, 0, 0);
    expect(0);
}

/* The callback is all that the program keeps of it. */
static void a_callback_knows_of_an_event_that_was_released(void **state)
{
    (void)state;
    make_queues(0);
    enqueue(QUEUE, 0, 0xe8);
    struct api_call callback = stream_call(&stream, API_ENTRY_clSetEventCallback);
    call_set(&callback, "event", 0xe8);
    call_set(&callback, "command_exec_callback_type", CL_COMPLETE);
    stream_perform(&stream, &callback, CL_SUCCESS);
    struct api_call release = stream_call(&stream, API_ENTRY_clReleaseEvent);
    call_set(&release, "event", 0xe8);
    stream_perform(&stream, &release, CL_SUCCESS);
    host_checker_command_ended(stream.checker, 0xe8);
    enqueue(OTHER, 0, 0);
    expect(0);
}

static void other_devices_judge_themselves(void **state)
{
    (void)state;
    host_checker_leave_device(stream.checker, DEVICE);
    make_queues(0);
    enqueue(QUEUE, 0, 0);
    enqueue(OTHER, 0, 0);
    expect(0);
}

/* What an event orders that no call has made is not known. */
static void unseen_events_silence(void **state)
{
    (void)state;
    make_queues(0);
    enqueue(QUEUE, 0xbad, 0);
    enqueue(OTHER, 0, 0);
    expect(0);
}

static void a_new_object_has_no_past(void **state)
{
    (void)state;
    make_queues(0);
    enqueue(QUEUE, 0, 0);
    perform_on(&stream, API_ENTRY_clReleaseMemObject, BUFFER);
    make_buffer(&stream, CONTEXT, BUFFER);
    enqueue(OTHER, 0, 0);
    expect(0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_pair_of_places_is_told_once),
        TEST(a_command_takes_its_place_when_its_call_begins),
        TEST(a_command_that_failed_does_nothing),
        TEST(a_gated_command_is_judged_when_the_gate_opens),
        TEST(what_the_host_knew_comes_before_a_gated_command),
        TEST(a_gate_that_fails_ends_what_waits),
        TEST(a_gated_map_may_be_unmapped_first),
        TEST(a_callback_knows_that_its_event_ended),
        TEST(a_callback_knows_of_an_event_that_was_released),
        TEST(other_devices_judge_themselves),
        TEST(unseen_events_silence),
        TEST(a_new_object_has_no_past),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
