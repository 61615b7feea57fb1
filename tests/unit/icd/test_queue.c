/* Contexts and queues: properties, counts, life times. */
#include "tests/unit/icd/fixture.h"

#include <pthread.h>
#include <unistd.h>

static void context_properties_come_back(void **state)
{
    struct fixture *fixture = *state;
    const cl_context_properties given[] = {CL_CONTEXT_PLATFORM,
                                           (cl_context_properties)fixture->platform, 0};
    cl_int result;
    cl_context context = clCreateContext(given, 1, &fixture->device, NULL, NULL, &result);
    CHECK(result);
    cl_context_properties back[8];
    size_t size;
    CHECK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof(back), back, &size));
    assert_int_equal(size, sizeof(given));
    assert_memory_equal(back, given, sizeof(given));
    CHECK(clGetContextInfo(fixture->context, CL_CONTEXT_PROPERTIES, sizeof(back), back, &size));
    assert_int_equal(size, 0);
    CHECK(clReleaseContext(context));
}

static void wrong_context_properties_are_refused(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    const cl_context_properties unknown[] = {0x4242, 1, 0};
    assert_null(clCreateContext(unknown, 1, &fixture->device, NULL, NULL, &result));
    assert_int_equal(result, CL_INVALID_PROPERTY);
    const cl_context_properties twice[] = {CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE,
                                           CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
    assert_null(clCreateContext(twice, 1, &fixture->device, NULL, NULL, &result));
    assert_int_equal(result, CL_INVALID_PROPERTY);
    int user;
    assert_null(clCreateContext(NULL, 1, &fixture->device, NULL, &user, &result));
    assert_int_equal(result, CL_INVALID_VALUE);
}

static void released_handles_are_invalid(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_context context = clCreateContext(NULL, 1, &fixture->device, NULL, NULL, &result);
    CHECK(result);
    CHECK(clRetainContext(context));
    CHECK(clReleaseContext(context));
    CHECK(clReleaseContext(context));
    assert_int_equal(clReleaseContext(context), CL_INVALID_CONTEXT);
    assert_int_equal(clRetainContext(context), CL_INVALID_CONTEXT);
    cl_uint count;
    assert_int_equal(
        clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count, NULL),
        CL_INVALID_CONTEXT);
}

static void queue_keeps_its_context(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_context context = clCreateContext(NULL, 1, &fixture->device, NULL, NULL, &result);
    CHECK(result);
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(context, fixture->device, NULL, &result);
    CHECK(result);
    cl_uint count;
    CHECK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count, NULL));
    assert_int_equal(count, 1);
    CHECK(clReleaseContext(context));
    cl_context kept = NULL;
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(kept), &kept, NULL));
    assert_ptr_equal(kept, context);
    CHECK(clFinish(queue));
    CHECK(clReleaseCommandQueue(queue));
    assert_int_equal(clFinish(queue), CL_INVALID_COMMAND_QUEUE);
}

static void queue_properties_are_checked(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    const cl_queue_properties unknown[] = {0x9999, 1, 0};
    assert_null(
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, unknown, &result));
    assert_int_equal(result, CL_INVALID_VALUE);
    assert_null(clCreateCommandQueue(fixture->context, fixture->device, 1u << 10, &result));
    assert_int_equal(result, CL_INVALID_VALUE);
    cl_queue_properties back[4];
    size_t size;
    CHECK(clGetCommandQueueInfo(fixture->queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(back), back,
                                &size));
    assert_int_equal(size, 3 * sizeof(back[0]));
    assert_int_equal(back[1], CL_QUEUE_PROFILING_ENABLE);
    cl_uint device_size;
    assert_int_equal(clGetCommandQueueInfo(fixture->queue, CL_QUEUE_SIZE, sizeof(device_size),
                                           &device_size, NULL),
                     CL_INVALID_COMMAND_QUEUE);
}

struct heard {
    int count;
    void *handle;
};

static void CL_CALLBACK hear(cl_context context, void *user)
{
    struct heard *heard = user;
    heard->handle = context;
    __atomic_add_fetch(&heard->count, 1, __ATOMIC_SEQ_CST);
}

static void context_destructor_is_called(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    struct heard heard = {.count = 0};
    cl_context context = clCreateContext(NULL, 1, &fixture->device, NULL, NULL, &result);
    CHECK(result);
    assert_int_equal(clSetContextDestructorCallback(context, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clSetContextDestructorCallback(context, hear, &heard));
    CHECK(clReleaseContext(context));
    while (__atomic_load_n(&heard.count, __ATOMIC_SEQ_CST) == 0)
        usleep(1000);
    assert_int_equal(heard.count, 1);
    assert_ptr_equal(heard.handle, context);
}

struct worker {
    const struct fixture *fixture;
    const char *problem;
};

static const char *use_device(const struct fixture *fixture, int round)
{
    cl_int result;
    int taken = -1;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, NULL, &result);
    if (result != CL_SUCCESS)
        return "queue";
    cl_mem mem = clCreateBuffer(fixture->context, CL_MEM_READ_WRITE, 256, NULL, &result);
    if (result != CL_SUCCESS)
        return "buffer";
    clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, sizeof(round), &round, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(taken), &taken, 0, NULL, NULL);
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
    return taken == round ? NULL : "value";
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    for (int round = 0; round < 50 && !worker->problem; round++)
        worker->problem = use_device(worker->fixture, round);
    return NULL;
}

static void threads_share_the_device(void **state)
{
    pthread_t threads[4];
    struct worker workers[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = (struct worker){*state, NULL};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_null(workers[i].problem);
    }
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_properties_come_back),
        cmocka_unit_test(wrong_context_properties_are_refused),
        cmocka_unit_test(released_handles_are_invalid),
        cmocka_unit_test(queue_keeps_its_context),
        cmocka_unit_test(queue_properties_are_checked),
        cmocka_unit_test(context_destructor_is_called),
        cmocka_unit_test(threads_share_the_device),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
