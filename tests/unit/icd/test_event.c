/* Events: states, order, errors that spread, callbacks, profiling. */
#include "tests/unit/icd/fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static cl_event user_event(const struct fixture *fixture)
{
    cl_int result;
    cl_event event = clCreateUserEvent(fixture->context, &result);
    CHECK(result);
    return event;
}

static void states_are_observable(void **state)
{
    struct fixture *fixture = *state;
    cl_event gate = user_event(fixture), marker;
    CHECK(clEnqueueMarkerWithWaitList(fixture->queue, 1, &gate, &marker));
    assert_int_equal(fixture_status(gate), CL_SUBMITTED);
    assert_int_equal(fixture_status(marker), CL_QUEUED);
    /* The answer CL_QUEUED submits: who polls gets on. */
    assert_int_equal(fixture_status(marker), CL_SUBMITTED);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_int_equal(fixture_status(marker), CL_COMPLETE);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    assert_int_equal(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(marker));
}

static void in_order_queue_keeps_order(void **state)
{
    struct fixture *fixture = *state;
    cl_event gate = user_event(fixture);
    int one = 1, two = 2, back = 0;
    cl_mem mem = fixture_buffer(fixture, 4, NULL);
    CHECK(clEnqueueWriteBuffer(fixture->queue, mem, CL_FALSE, 0, 4, &one, 1, &gate, NULL));
    CHECK(clEnqueueWriteBuffer(fixture->queue, mem, CL_FALSE, 0, 4, &two, 0, NULL, NULL));
    CHECK(clFlush(fixture->queue));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    assert_int_equal(back, 2);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseEvent(gate));
}

static void out_of_order_queue_follows_events(void **state)
{
    struct fixture *fixture = *state;
    cl_command_queue queue = fixture_out_of_order(fixture);
    cl_event gate = user_event(fixture), first, second;
    int one = 1, two = 2, back = 0;
    cl_mem mem = fixture_buffer(fixture, 4, NULL);
    CHECK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4, &one, 1, &gate, &first));
    CHECK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4, &two, 0, NULL, &second));
    CHECK(clWaitForEvents(1, &second));
    assert_int_equal(fixture_status(first), CL_SUBMITTED);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &back, 1, &first, NULL));
    assert_int_equal(back, 1);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(first));
    CHECK(clReleaseEvent(second));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseCommandQueue(queue));
}

static void barrier_holds_later_commands_back(void **state)
{
    struct fixture *fixture = *state;
    cl_command_queue queue = fixture_out_of_order(fixture);
    cl_event gate = user_event(fixture), before, barrier, after;
    CHECK(clEnqueueMarkerWithWaitList(queue, 1, &gate, &before));
    CHECK(clEnqueueBarrierWithWaitList(queue, 0, NULL, &barrier));
    int value = 5;
    cl_mem mem = fixture_buffer(fixture, 4, NULL);
    CHECK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4, &value, 0, NULL, &after));
    CHECK(clFlush(queue));
    assert_int_equal(fixture_status(before), CL_SUBMITTED);
    assert_int_equal(fixture_status(barrier), CL_SUBMITTED);
    assert_int_equal(fixture_status(after), CL_SUBMITTED);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_int_equal(fixture_status(after), CL_COMPLETE);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(before));
    CHECK(clReleaseEvent(barrier));
    CHECK(clReleaseEvent(after));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseCommandQueue(queue));
}

static void events_order_two_queues_without_a_flush(void **state)
{
    struct fixture *fixture = *state;
    cl_command_queue other = fixture_out_of_order(fixture);
    int given = 77, back = 0;
    cl_event written;
    cl_mem mem = fixture_buffer(fixture, 4, NULL);
    CHECK(clEnqueueWriteBuffer(other, mem, CL_FALSE, 0, 4, &given, 0, NULL, &written));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, 4, &back, 1, &written, NULL));
    assert_int_equal(back, 77);
    CHECK(clReleaseEvent(written));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseCommandQueue(other));
}

static void errors_end_what_waits_for_them(void **state)
{
    struct fixture *fixture = *state;
    cl_command_queue queue = fixture_out_of_order(fixture);
    cl_event gate = user_event(fixture), first, second, free_one;
    int one = 1, back = 42;
    cl_mem mem = fixture_buffer(fixture, 4, &back);
    CHECK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4, &one, 1, &gate, &first));
    CHECK(clEnqueueMarkerWithWaitList(queue, 1, &first, &second));
    CHECK(clEnqueueMarkerWithWaitList(fixture->queue, 0, NULL, &free_one));
    CHECK(clFlush(queue));
    CHECK(clSetUserEventStatus(gate, -7));
    assert_int_equal(fixture_status(gate), -7);
    assert_int_equal(fixture_status(first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(fixture_status(second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(fixture_status(free_one), CL_COMPLETE);
    assert_int_equal(clWaitForEvents(1, &second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &back, 1, &gate, NULL),
                     CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    assert_int_equal(back, 42);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(first));
    CHECK(clReleaseEvent(second));
    CHECK(clReleaseEvent(free_one));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseCommandQueue(queue));
}

/* Nobody can set it any more: what waits for it ends, and clFinish returns. */
static void released_gates_hang_nobody(void **state)
{
    struct fixture *fixture = *state;
    cl_event gate = user_event(fixture), first, second;
    char said[512] = "";
    FILE *file = tmpfile();
    const int kept = dup(STDERR_FILENO);
    assert_non_null(file);
    assert_true(fcntl(fileno(file), F_SETFL, O_APPEND) == 0); /* as a log */
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    CHECK(clEnqueueMarkerWithWaitList(fixture->queue, 1, &gate, &first));
    CHECK(clEnqueueMarkerWithWaitList(fixture->queue, 0, NULL, &second));
    CHECK(clRetainEvent(gate));
    CHECK(clReleaseEvent(gate));
    assert_int_equal(fixture_status(first), CL_QUEUED);
    assert_int_equal(pread(fileno(file), said, sizeof(said) - 1, 0), 0);
    CHECK(clReleaseEvent(gate));
    CHECK(clFinish(fixture->queue));
    assert_true(pread(fileno(file), said, sizeof(said) - 1, 0) > 0);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    fclose(file);
    assert_non_null(strstr(said, "clerk: a user event is released for the last time"));
    assert_int_equal(fixture_status(first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(fixture_status(second), CL_COMPLETE);
    CHECK(clReleaseEvent(first));
    CHECK(clReleaseEvent(second));
}

struct heard {
    cl_int statuses[8];
    int count;
};

static void *release_event(void *event)
{
    CHECK(clReleaseEvent(event));
    return NULL;
}

/* Whichever thread comes last: what waits for the event ends, and so does the wait for it. */
static void gates_released_by_two_threads_hang_nobody(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 20; i++) {
        cl_int result;
        cl_event marker;
        pthread_t threads[2];
        cl_event gate = clCreateUserEvent(fixture->context, &result);
        CHECK(result);
        CHECK(clRetainEvent(gate));
        CHECK(clEnqueueMarkerWithWaitList(fixture->queue, 1, &gate, &marker));
        for (int t = 0; t < 2; t++)
            assert_int_equal(pthread_create(&threads[t], NULL, release_event, gate), 0);
        assert_int_equal(clWaitForEvents(1, &marker), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        for (int t = 0; t < 2; t++)
            pthread_join(threads[t], NULL);
        CHECK(clReleaseEvent(marker));
    }
}

static void CL_CALLBACK hear(cl_event event, cl_int status, void *user)
{
    struct heard *heard = user;
    (void)event;
    heard->statuses[heard->count] = status;
    __atomic_store_n(&heard->count, heard->count + 1, __ATOMIC_SEQ_CST);
}

static void wait_heard(struct heard *heard, int count)
{
    while (__atomic_load_n(&heard->count, __ATOMIC_SEQ_CST) < count)
        usleep(1000);
    assert_int_equal(heard->count, count);
}

static void callbacks_come_once_for_each_state(void **state)
{
    struct fixture *fixture = *state;
    struct heard heard = {.count = 0};
    cl_event gate = user_event(fixture), marker;
    CHECK(clEnqueueMarkerWithWaitList(fixture->queue, 1, &gate, &marker));
    CHECK(clSetEventCallback(marker, CL_COMPLETE, hear, &heard));
    CHECK(clSetEventCallback(marker, CL_RUNNING, hear, &heard));
    CHECK(clSetEventCallback(marker, CL_SUBMITTED, hear, &heard));
    assert_int_equal(clSetEventCallback(marker, CL_QUEUED, hear, &heard), CL_INVALID_VALUE);
    CHECK(clFlush(fixture->queue));
    wait_heard(&heard, 1);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    wait_heard(&heard, 3);
    assert_int_equal(heard.statuses[0], CL_SUBMITTED);
    assert_int_equal(heard.statuses[1], CL_RUNNING);
    assert_int_equal(heard.statuses[2], CL_COMPLETE);
    CHECK(clSetEventCallback(marker, CL_COMPLETE, hear, &heard));
    wait_heard(&heard, 4);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(marker));
}

static void callbacks_hear_errors(void **state)
{
    struct fixture *fixture = *state;
    struct heard heard = {.count = 0};
    cl_event gate = user_event(fixture);
    CHECK(clSetEventCallback(gate, CL_COMPLETE, hear, &heard));
    CHECK(clSetUserEventStatus(gate, -3));
    wait_heard(&heard, 1);
    assert_int_equal(heard.statuses[0], -3);
    CHECK(clReleaseEvent(gate));
}

static void CL_CALLBACK open_gate(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    clSetUserEventStatus(user, CL_COMPLETE);
}

static void callbacks_may_call_the_device(void **state)
{
    struct fixture *fixture = *state;
    cl_event gate = user_event(fixture), first, second;
    CHECK(clEnqueueMarkerWithWaitList(fixture->queue, 0, NULL, &first));
    CHECK(clSetEventCallback(first, CL_COMPLETE, open_gate, gate));
    CHECK(clEnqueueMarkerWithWaitList(fixture->queue, 1, &gate, &second));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(fixture_status(second), CL_COMPLETE);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(first));
    CHECK(clReleaseEvent(second));
}

static cl_ulong profiled(cl_event event, cl_profiling_info query)
{
    cl_ulong time;
    CHECK(clGetEventProfilingInfo(event, query, sizeof(time), &time, NULL));
    return time;
}

static cl_ulong write_time(const struct fixture *fixture, size_t size)
{
    char *bytes = calloc(1, size);
    cl_mem mem = fixture_buffer(fixture, size, NULL);
    cl_event event;
    CHECK(clEnqueueWriteBuffer(fixture->queue, mem, CL_TRUE, 0, size, bytes, 0, NULL, &event));
    const cl_ulong queued = profiled(event, CL_PROFILING_COMMAND_QUEUED);
    const cl_ulong submit = profiled(event, CL_PROFILING_COMMAND_SUBMIT);
    const cl_ulong start = profiled(event, CL_PROFILING_COMMAND_START);
    const cl_ulong end = profiled(event, CL_PROFILING_COMMAND_END);
    assert_true(queued < submit && submit < start && start < end);
    assert_int_equal(profiled(event, CL_PROFILING_COMMAND_COMPLETE), end);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(mem));
    free(bytes);
    return end - start;
}

static void times_are_counted(void **state)
{
    struct fixture *fixture = *state;
    const cl_ulong small = write_time(fixture, 64), large = write_time(fixture, 6400);
    assert_true(large > small);
    assert_int_equal(write_time(fixture, 64), small);
}

static void times_need_a_profiling_queue(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, NULL, &result);
    CHECK(result);
    cl_event marker;
    cl_ulong time;
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    CHECK(clFinish(queue));
    assert_int_equal(
        clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL),
        CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK(clReleaseEvent(marker));
    CHECK(clReleaseCommandQueue(queue));
}

static void many_commands_wait_for_one(void **state)
{
    struct fixture *fixture = *state;
    enum { COUNT = 5000 };
    cl_command_queue queue = fixture_out_of_order(fixture);
    cl_event gate = user_event(fixture);
    static unsigned char given[COUNT], back[COUNT];
    cl_mem mem = fixture_buffer(fixture, COUNT, NULL);
    for (int i = 0; i < COUNT; i++) {
        given[i] = (unsigned char)(i * 7);
        CHECK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, (size_t)i, 1, &given[i], 1, &gate, NULL));
    }
    CHECK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, COUNT, back, 0, NULL, NULL));
    assert_memory_equal(back, given, COUNT);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseCommandQueue(queue));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_observable),
        cmocka_unit_test(in_order_queue_keeps_order),
        cmocka_unit_test(out_of_order_queue_follows_events),
        cmocka_unit_test(barrier_holds_later_commands_back),
        cmocka_unit_test(events_order_two_queues_without_a_flush),
        cmocka_unit_test(errors_end_what_waits_for_them),
        cmocka_unit_test(released_gates_hang_nobody),
        cmocka_unit_test(gates_released_by_two_threads_hang_nobody),
        cmocka_unit_test(callbacks_come_once_for_each_state),
        cmocka_unit_test(callbacks_hear_errors),
        cmocka_unit_test(callbacks_may_call_the_device),
        cmocka_unit_test(times_are_counted),
        cmocka_unit_test(times_need_a_profiling_queue),
        cmocka_unit_test(many_commands_wait_for_one),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
