/* cl_khr_semaphore: properties, errors, and what waits for what. */
#include "tests/unit/icd/fixture.h"

#include "tests/rules/functions.h"

static const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR,
                                                     CL_SEMAPHORE_TYPE_BINARY_KHR, 0};

static int setup(void **state)
{
    fixture_setup(state);
    find_functions(((struct fixture *)*state)->platform);
    return 0;
}

static cl_semaphore_khr make_for(cl_context context)
{
    cl_int result;
    cl_semaphore_khr semaphore = f.clCreateSemaphoreWithPropertiesKHR(context, binary, &result);
    CHECK(result);
    return semaphore;
}

static cl_semaphore_khr make(const struct fixture *fixture)
{
    return make_for(fixture->context);
}

static cl_int refused(cl_context context, const cl_semaphore_properties_khr *properties)
{
    cl_int result;
    assert_null(f.clCreateSemaphoreWithPropertiesKHR(context, properties, &result));
    return result;
}

static void wrong_properties_are_refused(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t device = (uintptr_t)fixture->device;
    const cl_semaphore_properties_khr unknown[] = {0x9999, 1, 0};
    const cl_semaphore_properties_khr other[] = {CL_SEMAPHORE_TYPE_KHR, 7, 0};
    const cl_semaphore_properties_khr twice[] = {
        CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_TYPE_KHR,
        CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    const cl_semaphore_properties_khr typeless[] = {CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, device, 0,
                                                    0};
    const cl_semaphore_properties_khr devices[] = {CL_SEMAPHORE_TYPE_KHR,
                                                   CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                   CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                   device,
                                                   device,
                                                   0,
                                                   0};
    const cl_semaphore_properties_khr nobody[] = {CL_SEMAPHORE_TYPE_KHR,
                                                  CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                  CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, 0, 0};
    assert_int_equal(refused(NULL, binary), CL_INVALID_CONTEXT);
    assert_int_equal(refused(fixture->context, NULL), CL_INVALID_VALUE);
    assert_int_equal(refused(fixture->context, unknown), CL_INVALID_PROPERTY);
    assert_int_equal(refused(fixture->context, other), CL_INVALID_PROPERTY);
    assert_int_equal(refused(fixture->context, twice), CL_INVALID_PROPERTY);
    assert_int_equal(refused(fixture->context, typeless), CL_INVALID_VALUE);
    assert_int_equal(refused(fixture->context, devices), CL_INVALID_DEVICE);
    assert_int_equal(refused(fixture->context, nobody), CL_INVALID_DEVICE);
}

/* The two halves of the device, in a context of their own. */
static cl_context make_halves(const struct fixture *fixture, cl_device_id halves[2])
{
    cl_int result;
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    CHECK(clCreateSubDevices(fixture->device, equally, 2, halves, NULL));
    cl_context context = clCreateContext(NULL, 2, halves, NULL, NULL, &result);
    CHECK(result);
    return context;
}

static void a_context_of_two_devices_wants_one_named(void **state)
{
    struct fixture *fixture = *state;
    cl_device_id halves[2];
    cl_int result;
    cl_context context = make_halves(fixture, halves);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, halves[1], NULL, &result);
    const cl_semaphore_properties_khr first[] = {CL_SEMAPHORE_TYPE_KHR,
                                                 CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                 CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                 (uintptr_t)halves[0],
                                                 0,
                                                 0};
    assert_int_equal(refused(context, binary), CL_INVALID_PROPERTY);
    assert_int_equal(refused(fixture->context, first), CL_INVALID_DEVICE);
    cl_semaphore_khr semaphore = f.clCreateSemaphoreWithPropertiesKHR(context, first, &result);
    CHECK(result);
    cl_semaphore_properties_khr properties[8];
    cl_device_id device;
    size_t size;
    CHECK(f.clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_PROPERTIES_KHR, sizeof properties,
                                  properties, &size));
    assert_int_equal(size, sizeof first);
    assert_memory_equal(properties, first, sizeof first);
    CHECK(f.clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, sizeof device,
                                  &device, &size));
    assert_int_equal(size, sizeof device);
    assert_ptr_equal(device, halves[0]);
    assert_int_equal(f.clEnqueueSignalSemaphoresKHR(queue, 1, &semaphore, NULL, 0, NULL, NULL),
                     CL_INVALID_COMMAND_QUEUE);
    CHECK(clReleaseCommandQueue(queue));
    CHECK(f.clReleaseSemaphoreKHR(semaphore));
    CHECK(clReleaseContext(context));
    CHECK(clReleaseDevice(halves[0]));
    CHECK(clReleaseDevice(halves[1]));
}

static void wrong_calls_are_refused(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_context elsewhere = clCreateContext(NULL, 1, &fixture->device, NULL, NULL, &result);
    cl_semaphore_khr foreign = make_for(elsewhere), semaphore = make(fixture);
    cl_event failed = clCreateUserEvent(fixture->context, &result);
    cl_event stranger = clCreateUserEvent(elsewhere, &result);
    CHECK(clSetUserEventStatus(failed, -7));
    cl_int(CL_API_CALL *const calls[])(cl_command_queue, cl_uint, const cl_semaphore_khr *,
                                       const cl_semaphore_payload_khr *, cl_uint, const cl_event *,
                                       cl_event *) = {f.clEnqueueWaitSemaphoresKHR,
                                                      f.clEnqueueSignalSemaphoresKHR};
    for (int i = 0; i < 2; i++) {
        cl_command_queue queue = fixture->queue;
        assert_int_equal(calls[i](NULL, 1, &semaphore, NULL, 0, NULL, NULL),
                         CL_INVALID_COMMAND_QUEUE);
        assert_int_equal(calls[i](queue, 0, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        assert_int_equal(calls[i](queue, 1, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        assert_int_equal(calls[i](queue, 1, (cl_semaphore_khr *)&queue, NULL, 0, NULL, NULL),
                         CL_INVALID_SEMAPHORE_KHR);
        assert_int_equal(calls[i](queue, 1, &foreign, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
        assert_int_equal(calls[i](queue, 1, &semaphore, NULL, 1, &stranger, NULL),
                         CL_INVALID_CONTEXT);
        assert_int_equal(calls[i](queue, 1, &semaphore, NULL, 1, NULL, NULL),
                         CL_INVALID_EVENT_WAIT_LIST);
        assert_int_equal(calls[i](queue, 1, &semaphore, NULL, 0, &failed, NULL),
                         CL_INVALID_EVENT_WAIT_LIST);
        assert_int_equal(calls[i](queue, 1, &semaphore, NULL, 1, &failed, NULL),
                         CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
    int handle;
    cl_ulong value;
    assert_int_equal(
        f.clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_EXPORTABLE_KHR, 2, &value, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(f.clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, 4, &value, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(f.clGetSemaphoreHandleForTypeKHR(semaphore, fixture->device,
                                                      CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      sizeof handle, &handle, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(f.clGetSemaphoreHandleForTypeKHR(semaphore, NULL,
                                                      CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      sizeof handle, &handle, NULL),
                     CL_INVALID_DEVICE);
    CHECK(clReleaseEvent(failed));
    CHECK(clReleaseEvent(stranger));
    CHECK(f.clReleaseSemaphoreKHR(foreign));
    CHECK(clReleaseContext(elsewhere));
    CHECK(f.clRetainSemaphoreKHR(semaphore));
    cl_uint count;
    CHECK(f.clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR, sizeof count, &count,
                                  NULL));
    assert_int_equal(count, 2);
    CHECK(f.clReleaseSemaphoreKHR(semaphore));
    CHECK(f.clReleaseSemaphoreKHR(semaphore));
    assert_int_equal(f.clReleaseSemaphoreKHR(semaphore), CL_INVALID_SEMAPHORE_KHR);
    assert_int_equal(f.clRetainSemaphoreKHR(semaphore), CL_INVALID_SEMAPHORE_KHR);
    assert_int_equal(f.clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_TYPE_KHR, 8, &value, NULL),
                     CL_INVALID_SEMAPHORE_KHR);
}

static cl_ulong payload(cl_semaphore_khr semaphore)
{
    cl_semaphore_payload_khr value = 7;
    CHECK(f.clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof value, &value, NULL));
    return value;
}

static void a_semaphore_is_signalled_until_it_is_waited_for(void **state)
{
    struct fixture *fixture = *state;
    cl_semaphore_khr semaphore = make(fixture);
    assert_int_equal(payload(semaphore), 0);
    CHECK(f.clEnqueueSignalSemaphoresKHR(fixture->queue, 1, &semaphore, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(payload(semaphore), 1);
    CHECK(f.clEnqueueWaitSemaphoresKHR(fixture->queue, 1, &semaphore, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(payload(semaphore), 0);
    CHECK(f.clReleaseSemaphoreKHR(semaphore));
}

/* Both queues are flushed at once, but what the other one does comes later. */
static void a_wait_waits_for_the_signal_of_another_queue(void **state)
{
    struct fixture *fixture = *state;
    cl_semaphore_khr semaphores[] = {make(fixture), make(fixture)};
    cl_command_queue other = fixture_out_of_order(fixture);
    cl_event gate, waited;
    cl_int result;
    gate = clCreateUserEvent(fixture->context, &result);
    CHECK(f.clEnqueueSignalSemaphoresKHR(other, 1, &semaphores[0], NULL, 1, &gate, NULL));
    CHECK(f.clEnqueueSignalSemaphoresKHR(other, 1, &semaphores[1], NULL, 0, NULL, NULL));
    CHECK(f.clEnqueueWaitSemaphoresKHR(fixture->queue, 2, semaphores, NULL, 0, NULL, &waited));
    CHECK(clFlush(other));
    CHECK(clFlush(fixture->queue));
    assert_int_equal(payload(semaphores[1]), 1);
    assert_int_equal(fixture_status(waited), CL_SUBMITTED);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_int_equal(fixture_status(waited), CL_COMPLETE);
    assert_int_equal(payload(semaphores[1]), 0);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(waited));
    CHECK(clReleaseCommandQueue(other));
    CHECK(f.clReleaseSemaphoreKHR(semaphores[0]));
    CHECK(f.clReleaseSemaphoreKHR(semaphores[1]));
}

static void a_wait_may_be_enqueued_before_its_signal(void **state)
{
    struct fixture *fixture = *state;
    cl_semaphore_khr semaphore = make(fixture);
    cl_command_queue other = fixture_out_of_order(fixture);
    cl_event waits[2];
    for (int i = 0; i < 2; i++)
        CHECK(f.clEnqueueWaitSemaphoresKHR(other, 1, &semaphore, NULL, 0, NULL, &waits[i]));
    CHECK(clFlush(other));
    assert_int_equal(fixture_status(waits[0]), CL_SUBMITTED);
    for (int i = 0; i < 2; i++) {
        CHECK(f.clEnqueueSignalSemaphoresKHR(fixture->queue, 1, &semaphore, NULL, 0, NULL, NULL));
        CHECK(clFlush(fixture->queue));
        assert_int_equal(fixture_status(waits[0]), CL_COMPLETE);
        assert_int_equal(fixture_status(waits[1]), i == 0 ? CL_SUBMITTED : CL_COMPLETE);
    }
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseEvent(waits[i]));
    CHECK(clReleaseCommandQueue(other));
    CHECK(f.clReleaseSemaphoreKHR(semaphore));
}

/* Whoever waits for a signal that failed, or that cannot come any more, gets an error. */
static void a_wait_that_nobody_signals_ends_with_an_error(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_semaphore_khr failing = make(fixture), forgotten = make(fixture);
    cl_command_queue other = fixture_out_of_order(fixture);
    cl_event gate = clCreateUserEvent(fixture->context, &result);
    cl_event waits[3];
    CHECK(f.clEnqueueWaitSemaphoresKHR(other, 1, &failing, NULL, 0, NULL, &waits[0]));
    for (int i = 0; i < 2; i++)
        CHECK(f.clEnqueueSignalSemaphoresKHR(fixture->queue, 1, &failing, NULL, 1, &gate, NULL));
    CHECK(f.clEnqueueWaitSemaphoresKHR(other, 1, &failing, NULL, 0, NULL, &waits[1]));
    CHECK(f.clEnqueueWaitSemaphoresKHR(other, 1, &forgotten, NULL, 0, NULL, &waits[2]));
    CHECK(clSetUserEventStatus(gate, -5));
    CHECK(f.clReleaseSemaphoreKHR(forgotten));
    CHECK(clFinish(other));
    for (int i = 0; i < 3; i++) {
        assert_true(fixture_status(waits[i]) < 0);
        CHECK(clReleaseEvent(waits[i]));
    }
    CHECK(clReleaseEvent(gate));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(payload(failing), 0);
    CHECK(clReleaseCommandQueue(other));
    CHECK(f.clReleaseSemaphoreKHR(failing));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_properties_are_refused),
        cmocka_unit_test(a_context_of_two_devices_wants_one_named),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(a_semaphore_is_signalled_until_it_is_waited_for),
        cmocka_unit_test(a_wait_waits_for_the_signal_of_another_queue),
        cmocka_unit_test(a_wait_may_be_enqueued_before_its_signal),
        cmocka_unit_test(a_wait_that_nobody_signals_ends_with_an_error),
    };
    return cmocka_run_group_tests_name("icd_semaphore", tests, setup, fixture_teardown);
}
