/* Queues of the device itself at the API, and what the host sees of kernels that kernels enqueue.
 */
#include "tests/unit/icd/fixture.h"

enum { ON_DEVICE = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE };

static const char source[] =
    "kernel void fill(global int *out, queue_t queue, int count)\n"
    "{\n"
    "    for (int i = 0; i < count; i++) {\n"
    "        void (^block)(void) = ^{ out[i] = i + 1; };\n"
    "        int result = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), block);\n"
    "        if (result != CLK_SUCCESS)\n"
    "            out[i] = result;\n"
    "    }\n"
    "}\n"
    "kernel void to_default(global int *out)\n"
    "{\n"
    "    out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL,\n"
    "                            ndrange_1D(1), ^{ out[0] = 7; });\n"
    "}\n"
    "kernel void wait_for_error(global int *out, int status)\n"
    "{\n"
    "    clk_event_t event = create_user_event();\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event,\n"
    "                   NULL, ^{ out[0] = 1; });\n"
    "    if (status <= 0)\n"
    "        set_user_event_status(event, status);\n"
    "    release_event(event);\n"
    "}\n";

static cl_command_queue create(const struct fixture *fixture, cl_command_queue_properties more,
                               cl_uint size)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, ON_DEVICE | more,
                                              size ? CL_QUEUE_SIZE : 0, size, 0};
    cl_int result;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, properties, &result);
    CHECK(result);
    return queue;
}

static cl_command_queue ask_default(cl_command_queue queue)
{
    cl_command_queue found;
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE_DEFAULT, sizeof(found), &found, NULL));
    return found;
}

static cl_uint ask_size(cl_command_queue queue)
{
    cl_uint size;
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof(size), &size, NULL));
    return size;
}

static void queues_tell_what_they_are(void **state)
{
    struct fixture *fixture = *state;
    cl_uint preferred;
    cl_command_queue_properties flags;
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
                          sizeof(preferred), &preferred, NULL));
    cl_command_queue plain = create(fixture, 0, 0);
    cl_command_queue sized = create(fixture, CL_QUEUE_PROFILING_ENABLE, 5000);
    assert_int_equal(ask_size(plain), preferred);
    assert_int_equal(ask_size(sized), 5000);
    CHECK(clGetCommandQueueInfo(sized, CL_QUEUE_PROPERTIES, sizeof(flags), &flags, NULL));
    assert_int_equal(flags, ON_DEVICE | CL_QUEUE_PROFILING_ENABLE);
    CHECK(clReleaseCommandQueue(plain));
    CHECK(clReleaseCommandQueue(sized));
}

static void there_is_one_default_queue(void **state)
{
    struct fixture *fixture = *state;
    assert_null(ask_default(fixture->queue));
    cl_command_queue first = create(fixture, CL_QUEUE_ON_DEVICE_DEFAULT, 0);
    cl_command_queue again = create(fixture, CL_QUEUE_ON_DEVICE_DEFAULT, 0);
    cl_command_queue other = create(fixture, 0, 0);
    assert_ptr_equal(first, again);
    assert_ptr_equal(ask_default(fixture->queue), first);
    CHECK(clSetDefaultDeviceCommandQueue(fixture->context, fixture->device, other));
    assert_ptr_equal(ask_default(first), other);
    CHECK(clReleaseCommandQueue(first));
    CHECK(clReleaseCommandQueue(again));
    CHECK(clReleaseCommandQueue(other));
    assert_null(ask_default(fixture->queue));
}

static void queues_are_counted(void **state)
{
    struct fixture *fixture = *state;
    cl_uint count;
    cl_int result;
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_MAX_ON_DEVICE_QUEUES, sizeof(count), &count,
                          NULL));
    cl_command_queue *queues = calloc(count, sizeof(cl_command_queue));
    assert_non_null(queues);
    for (cl_uint i = 0; i < count; i++)
        queues[i] = create(fixture, 0, 0);
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, ON_DEVICE, 0};
    assert_null(
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, properties, &result));
    assert_int_equal(result, CL_OUT_OF_RESOURCES);
    for (cl_uint i = 0; i < count; i++)
        CHECK(clReleaseCommandQueue(queues[i]));
    free(queues);
}

static void wrong_properties_are_refused(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    const cl_queue_properties hinted[] = {CL_QUEUE_PROPERTIES, ON_DEVICE, CL_QUEUE_PRIORITY_KHR,
                                          CL_QUEUE_PRIORITY_LOW_KHR, 0};
    assert_null(
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, hinted, &result));
    assert_int_equal(result, CL_INVALID_QUEUE_PROPERTIES);
    assert_null(clCreateCommandQueue(fixture->context, fixture->device, ON_DEVICE, &result));
    assert_int_equal(result, CL_INVALID_VALUE);
    assert_int_equal(clSetDefaultDeviceCommandQueue(fixture->context, fixture->device, NULL),
                     CL_INVALID_COMMAND_QUEUE);
}

static void the_host_enqueues_nothing_there(void **state)
{
    struct fixture *fixture = *state;
    cl_command_queue queue = create(fixture, 0, 0);
    assert_int_equal(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clFinish(queue), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clFlush(queue), CL_INVALID_COMMAND_QUEUE);
    CHECK(clReleaseCommandQueue(queue));
}

static void arguments_are_queues_of_the_device(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "fill");
    cl_command_queue queue = create(fixture, 0, 0), none = NULL;
    cl_int result;
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof(none), &fixture->queue),
                     CL_INVALID_DEVICE_QUEUE);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof(none), &none), CL_INVALID_DEVICE_QUEUE);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof(none), NULL), CL_INVALID_DEVICE_QUEUE);
    assert_int_equal(clSetKernelArg(kernel, 1, 4, &queue), CL_INVALID_ARG_SIZE);
    cl_context foreign = clCreateContext(NULL, 1, &fixture->device, NULL, NULL, &result);
    CHECK(result);
    struct fixture other = *fixture;
    other.context = foreign;
    cl_command_queue elsewhere = create(&other, 0, 0);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof(elsewhere), &elsewhere), CL_INVALID_CONTEXT);
    CHECK(clSetKernelArg(kernel, 1, sizeof(queue), &queue));
    CHECK(clReleaseCommandQueue(elsewhere));
    CHECK(clReleaseContext(foreign));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* Blocks are not kernels that the program could start. */
static void blocks_are_not_listed(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    char names[200];
    size_t count;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL));
    assert_int_equal(count, 3);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL));
    assert_string_equal(names, "fill;to_default;wait_for_error");
    CHECK(clReleaseProgram(program));
}

/* A queue that has room for some commands. */
static void a_full_queue_takes_no_more(void **state)
{
    enum { COUNT = 64, BYTES = 256 };
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "fill");
    cl_command_queue queue = create(fixture, 0, BYTES);
    cl_int out[COUNT], accepted = 0;
    const cl_int count = COUNT;
    const size_t one = 1;
    memset(out, 0, sizeof(out));
    cl_mem mem = fixture_buffer(fixture, sizeof(out), out);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(clSetKernelArg(kernel, 1, sizeof(queue), &queue));
    CHECK(clSetKernelArg(kernel, 2, sizeof(count), &count));
    for (int round = 0; round < 2; round++) { /* the second finds it empty again */
        CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(
            clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
        cl_int taken = 0;
        while (taken < COUNT && out[taken] == taken + 1)
            taken++;
        assert_in_range(taken, 4, 20);
        for (int i = taken; i < COUNT; i++)
            assert_int_equal(out[i], -101); /* CLK_ENQUEUE_FAILURE */
        assert_true(round == 0 || taken == accepted);
        accepted = taken;
    }
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static cl_program compile_part(const struct fixture *fixture, const char *options)
{
    static const char *const part =
        "static void fill(global int *a)\n"
        "{\n"
        "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),\n"
        "                   ^{ a[0] = NUMBER; });\n"
        "}\n"
        "kernel void NAME(global int *a) { fill(a); }\n";
    const char *source_of_part = part;
    cl_int result;
    cl_program program =
        clCreateProgramWithSource(fixture->context, 1, &source_of_part, NULL, &result);
    CHECK(result);
    CHECK(clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
    return program;
}

/* Both parts have a function and a block of the same names. */
static void linked_parts_keep_their_blocks(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_command_queue queue = create(fixture, CL_QUEUE_ON_DEVICE_DEFAULT, 0);
    const cl_program parts[] = {compile_part(fixture, "-cl-std=CL3.0 -D NAME=first -D NUMBER=1"),
                                compile_part(fixture, "-cl-std=CL3.0 -D NAME=second -D NUMBER=2")};
    cl_program program =
        clLinkProgram(fixture->context, 0, NULL, NULL, 2, parts, NULL, NULL, &result);
    CHECK(result);
    const char *const names[] = {"first", "second"};
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = fixture_kernel(program, names[i]);
        cl_int out = 0;
        const size_t one = 1;
        cl_mem mem = fixture_buffer(fixture, sizeof(out), &out);
        CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
        CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(
            clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(out), &out, 0, NULL, NULL));
        assert_int_equal(out, i + 1);
        CHECK(clReleaseMemObject(mem));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(parts[i]));
    }
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}

static cl_int run(const struct fixture *fixture, cl_kernel kernel, cl_event *event)
{
    const size_t one = 1;
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &one, NULL, 0, NULL, event));
    CHECK(clFinish(fixture->queue));
    return fixture_status(*event);
}

static void without_a_default_queue_nothing_is_enqueued(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "to_default");
    cl_int out = 0;
    cl_event event;
    cl_mem mem = fixture_buffer(fixture, sizeof(out), &out);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    assert_int_equal(run(fixture, kernel, &event), CL_COMPLETE);
    CHECK(clReleaseEvent(event));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(out), &out, 0, NULL, NULL));
    assert_int_equal(out, -101);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void the_parent_completes_behind_its_child(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "to_default");
    cl_command_queue queue = create(fixture, CL_QUEUE_ON_DEVICE_DEFAULT, 0);
    cl_int out = 0;
    cl_event event;
    cl_ulong end, complete;
    cl_mem mem = fixture_buffer(fixture, sizeof(out), &out);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    assert_int_equal(run(fixture, kernel, &event), CL_COMPLETE);
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_COMPLETE, sizeof(complete), &complete,
                                  NULL));
    assert_true(complete > end);
    CHECK(clReleaseEvent(event));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(out), &out, 0, NULL, NULL));
    assert_int_equal(out, 7);
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* One event with an error, and one that nobody sets. */
static void errors_are_passed_up(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "wait_for_error");
    cl_command_queue queue = create(fixture, CL_QUEUE_ON_DEVICE_DEFAULT, 0);
    cl_int out = 0;
    cl_mem mem = fixture_buffer(fixture, sizeof(out), &out);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    const struct {
        cl_int given, seen;
    } rows[] = {{0, CL_COMPLETE},
                {-7, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST},
                {1, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cl_event event;
        CHECK(clSetKernelArg(kernel, 1, sizeof(rows[i].given), &rows[i].given));
        assert_int_equal(run(fixture, kernel, &event), rows[i].seen);
        CHECK(clReleaseEvent(event));
        CHECK(
            clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(out), &out, 0, NULL, NULL));
        assert_int_equal(out, rows[i].given == 0);
        out = 0;
        CHECK(clEnqueueWriteBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(out), &out, 0, NULL,
                                   NULL));
    }
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    setenv("CLERK_CHECKS", "none", 1);
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(queues_tell_what_they_are),
        TEST(there_is_one_default_queue),
        TEST(queues_are_counted),
        TEST(wrong_properties_are_refused),
        TEST(the_host_enqueues_nothing_there),
        TEST(arguments_are_queues_of_the_device),
        TEST(blocks_are_not_listed),
        TEST(linked_parts_keep_their_blocks),
        TEST(a_full_queue_takes_no_more),
        TEST(without_a_default_queue_nothing_is_enqueued),
        TEST(the_parent_completes_behind_its_child),
        TEST(errors_are_passed_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
