/* Several devices: root devices, sub-devices, contexts of several, programs built for some of them.
 */
#include "tests/unit/icd/fixture.h"

static const char counter_source[] =
    "global int seen;\n"
    "kernel void count(global int *out) { *out = seen += STEP; }\n";

static cl_uint units_of(cl_device_id device)
{
    cl_uint units;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
    return units;
}

static void root_devices_are_as_many_as_set(void **state)
{
    struct fixture *fixture = *state;
    cl_device_id devices[3] = {NULL};
    cl_uint count;
    CHECK(clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_ALL, 3, devices, &count));
    assert_int_equal(count, 2);
    assert_ptr_not_equal(devices[0], devices[1]);
    assert_null(devices[2]);
    CHECK(clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_DEFAULT, 1, devices, &count));
    assert_int_equal(count, 1);
    cl_int result;
    cl_context context = clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &result);
    CHECK(result);
    CHECK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL));
    assert_int_equal(count, 2);
    CHECK(clReleaseContext(context));
}

static void a_device_is_cut_equally(void **state)
{
    struct fixture *fixture = *state;
    const cl_device_partition_property twos[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    cl_device_partition_property type[3] = {0};
    cl_device_id halves[2], parent, quarters[2];
    cl_uint count = 0;
    CHECK(clCreateSubDevices(fixture->device, twos, 0, NULL, &count));
    assert_int_equal(count, 2);
    assert_int_equal(clCreateSubDevices(fixture->device, twos, 1, halves, NULL), CL_INVALID_VALUE);
    CHECK(clCreateSubDevices(fixture->device, twos, 2, halves, NULL));
    assert_int_equal(units_of(halves[0]), 2);
    CHECK(clGetDeviceInfo(halves[1], CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, NULL));
    assert_ptr_equal(parent, fixture->device);
    CHECK(clGetDeviceInfo(halves[1], CL_DEVICE_PARTITION_TYPE, sizeof(type), type, NULL));
    assert_memory_equal(type, twos, sizeof(twos));
    const cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    CHECK(clCreateSubDevices(halves[0], ones, 2, quarters, NULL));
    assert_int_equal(clCreateSubDevices(quarters[0], ones, 0, NULL, &count),
                     CL_DEVICE_PARTITION_FAILED);
    CHECK(clGetDeviceInfo(quarters[0], CL_DEVICE_PARTITION_PROPERTIES, sizeof(type), type, NULL));
    assert_int_equal(type[0], 0);
    /* A sub-device outlives the reference to its parent. */
    CHECK(clReleaseDevice(halves[0]));
    assert_int_equal(units_of(quarters[1]), 1);
    CHECK(clRetainDevice(quarters[1]));
    CHECK(clGetDeviceInfo(quarters[1], CL_DEVICE_REFERENCE_COUNT, sizeof(count), &count, NULL));
    assert_int_equal(count, 2);
    CHECK(clReleaseDevice(quarters[1]));
    CHECK(clReleaseDevice(quarters[1]));
    CHECK(clReleaseDevice(quarters[0]));
    CHECK(clReleaseDevice(halves[1]));
    assert_int_equal(clRetainDevice(halves[1]), CL_INVALID_DEVICE);
}

static void wrong_partitions_are_refused(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        cl_device_partition_property properties[8];
        cl_int result;
    } cases[] = {
        {{CL_DEVICE_PARTITION_EQUALLY, 4, 0}, CL_DEVICE_PARTITION_FAILED},
        {{CL_DEVICE_PARTITION_EQUALLY, 5, 0}, CL_INVALID_DEVICE_PARTITION_COUNT},
        {{CL_DEVICE_PARTITION_EQUALLY, 0, 0}, CL_INVALID_VALUE},
        {{CL_DEVICE_PARTITION_BY_COUNTS, 2, 3, 0, 0}, CL_INVALID_DEVICE_PARTITION_COUNT},
        {{CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0}, CL_INVALID_DEVICE_PARTITION_COUNT},
        {{CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 1, 1, 1, 0, 0}, CL_INVALID_DEVICE_PARTITION_COUNT},
        {{CL_DEVICE_PARTITION_BY_COUNTS, 0, 0}, CL_INVALID_VALUE},
        {{CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0},
         CL_INVALID_VALUE},
        {{12345, 1, 0}, CL_INVALID_VALUE},
    };
    cl_uint count;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(clCreateSubDevices(fixture->device, cases[i].properties, 0, NULL, &count),
                         cases[i].result);
    assert_int_equal(clCreateSubDevices(fixture->device, NULL, 0, NULL, &count), CL_INVALID_VALUE);
}

/* What count() on that device has seen; -1 when there is no executable for it. */
static int count_on(cl_context context, cl_device_id device, cl_kernel kernel)
{
    cl_int result;
    int out = 0;
    const size_t one = 1;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &result);
    CHECK(result);
    cl_mem mem = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof(out), NULL, &result);
    CHECK(result);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    result = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    if (result == CL_SUCCESS)
        CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(out), &out, 0, NULL, NULL));
    else
        assert_int_equal(result, CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseCommandQueue(queue));
    return result == CL_SUCCESS ? out : -1;
}

static void programs_are_built_device_by_device(void **state)
{
    struct fixture *fixture = *state;
    cl_device_id devices[2];
    cl_int result;
    CHECK(clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    cl_context context = clCreateContext(NULL, 2, devices, NULL, NULL, &result);
    CHECK(result);
    const char *source = counter_source;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &result);
    CHECK(result);
    CHECK(clBuildProgram(program, 1, &devices[1], "-cl-std=CL3.0 -DSTEP=3", NULL, NULL));
    cl_build_status status;
    CHECK(clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_STATUS, sizeof(status),
                                &status, NULL));
    assert_int_equal(status, CL_BUILD_NONE);
    cl_kernel kernel = fixture_kernel(program, "count");
    assert_int_equal(count_on(context, devices[0], kernel), -1);
    assert_int_equal(count_on(context, devices[1], kernel), 3);
    assert_int_equal(count_on(context, devices[1], kernel), 6);
    assert_int_equal(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE,
                                              sizeof(size_t), &(size_t){0}, NULL),
                     CL_INVALID_DEVICE);
    CHECK(clReleaseKernel(kernel));
    /* Each device has its own program-scope variables. */
    CHECK(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -DSTEP=1", NULL, NULL));
    kernel = fixture_kernel(program, "count");
    assert_int_equal(count_on(context, devices[0], kernel), 1);
    assert_int_equal(count_on(context, devices[0], kernel), 2);
    assert_int_equal(count_on(context, devices[1], kernel), 1);
    /* And its own binary. */
    size_t sizes[2];
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes), sizes, NULL));
    assert_true(sizes[0] > 0 && sizes[0] == sizes[1]);
    unsigned char *bytes[2] = {malloc(sizes[0]), malloc(sizes[1])};
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), bytes, NULL));
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    bytes[1][sizes[1] / 2] ^= 1;
    cl_int statuses[2];
    const unsigned char *binaries[2] = {bytes[0], bytes[1]};
    assert_null(clCreateProgramWithBinary(context, 2, devices, sizes, binaries, statuses, &result));
    assert_int_equal(result, CL_INVALID_BINARY);
    assert_int_equal(statuses[0], CL_SUCCESS);
    assert_int_equal(statuses[1], CL_INVALID_BINARY);
    free(bytes[0]);
    free(bytes[1]);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(context));
}

static void a_sub_device_uses_its_parents_program(void **state)
{
    struct fixture *fixture = *state;
    const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 3,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id devices[3] = {NULL, NULL, fixture->device};
    cl_int result;
    CHECK(clCreateSubDevices(fixture->device, counts, 2, devices, NULL));
    assert_int_equal(units_of(devices[0]), 1);
    assert_int_equal(units_of(devices[1]), 3);
    assert_null(clCreateCommandQueueWithProperties(fixture->context, devices[0], NULL, &result));
    assert_int_equal(result, CL_INVALID_DEVICE);
    cl_context context = clCreateContext(NULL, 3, devices, NULL, NULL, &result);
    CHECK(result);
    const char *source = counter_source;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &result);
    CHECK(result);
    CHECK(clBuildProgram(program, 1, &fixture->device, "-cl-std=CL3.0 -DSTEP=1", NULL, NULL));
    cl_kernel kernel = fixture_kernel(program, "count");
    assert_int_equal(count_on(context, devices[0], kernel), 1);
    assert_int_equal(count_on(context, fixture->device, kernel), 2);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseDevice(devices[0]));
    CHECK(clReleaseDevice(devices[1]));
    CHECK(clReleaseContext(context));
}

static void kernels_must_be_the_same_everywhere(void **state)
{
    struct fixture *fixture = *state;
    static const char source[] = "kernel void one(global int *a TWO) { *a = 1; }\n"
                                 "kernel void same(int a) { }\n";
    const char *text = source;
    cl_device_id devices[2];
    cl_kernel kernels[2];
    cl_uint count;
    cl_int result;
    CHECK(clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    cl_context context = clCreateContext(NULL, 2, devices, NULL, NULL, &result);
    CHECK(result);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &result);
    CHECK(result);
    CHECK(clBuildProgram(program, 1, &devices[0], "-DTWO=", NULL, NULL));
    CHECK(clBuildProgram(program, 1, &devices[1], "'-DTWO=, int b'", NULL, NULL));
    assert_null(clCreateKernel(program, "one", &result));
    assert_int_equal(result, CL_INVALID_KERNEL_DEFINITION);
    CHECK(clCreateKernelsInProgram(program, 2, kernels, &count));
    assert_int_equal(count, 1);
    CHECK(clReleaseKernel(kernels[0]));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(context));
}

static void programs_are_linked_where_all_parts_are(void **state)
{
    struct fixture *fixture = *state;
    const char *source = "kernel void count(global int *out) { *out = STEP; }\n";
    cl_device_id devices[2];
    cl_int result;
    CHECK(clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    cl_context context = clCreateContext(NULL, 2, devices, NULL, NULL, &result);
    CHECK(result);
    cl_program part = clCreateProgramWithSource(context, 1, &source, NULL, &result);
    CHECK(result);
    CHECK(clCompileProgram(part, 1, &devices[1], "-DSTEP=5", 0, NULL, NULL, NULL, NULL));
    assert_null(clLinkProgram(context, 1, &devices[0], NULL, 1, &part, NULL, NULL, &result));
    assert_int_equal(result, CL_INVALID_OPERATION);
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &part, NULL, NULL, &result);
    CHECK(result);
    cl_kernel kernel = fixture_kernel(linked, "count");
    assert_int_equal(count_on(context, devices[0], kernel), -1);
    assert_int_equal(count_on(context, devices[1], kernel), 5);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(part));
    CHECK(clReleaseContext(context));
}

/* Objects of one context are strangers in another. */
static void other_contexts_are_refused(void **state)
{
    struct fixture *fixture = *state;
    const char *source = "int one(void) { return 1; }\n";
    const char *name = "one.h";
    cl_device_id devices[2];
    cl_int result;
    CHECK(clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    cl_context context = clCreateContext(NULL, 1, &devices[1], NULL, NULL, &result);
    CHECK(result);
    cl_program header = clCreateProgramWithSource(context, 1, &source, NULL, &result);
    CHECK(result);
    cl_program program = clCreateProgramWithSource(fixture->context, 1, &source, NULL, &result);
    CHECK(result);
    assert_int_equal(clCompileProgram(program, 0, NULL, NULL, 1, &header, &name, NULL, NULL),
                     CL_INVALID_CONTEXT);
    assert_int_equal(clCompileProgram(program, 1, &devices[1], NULL, 0, NULL, NULL, NULL, NULL),
                     CL_INVALID_DEVICE);
    assert_int_equal(clBuildProgram(program, 1, &devices[1], NULL, NULL, NULL), CL_INVALID_DEVICE);
    CHECK(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    assert_null(
        clLinkProgram(fixture->context, 1, &devices[1], NULL, 1, &program, NULL, NULL, &result));
    assert_int_equal(result, CL_INVALID_DEVICE);
    assert_null(clLinkProgram(context, 0, NULL, NULL, 1, &program, NULL, NULL, &result));
    assert_int_equal(result, CL_INVALID_CONTEXT);
    assert_null(clCreateProgramWithBuiltInKernels(fixture->context, 1, &devices[1],
                                                  "clerk_copy_bytes", &result));
    assert_int_equal(result, CL_INVALID_DEVICE);
    cl_build_status status;
    assert_int_equal(clGetProgramBuildInfo(program, devices[1], CL_PROGRAM_BUILD_STATUS,
                                           sizeof(status), &status, NULL),
                     CL_INVALID_DEVICE);
    CHECK(clReleaseProgram(header));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(context));
}

static void the_built_in_kernel_copies(void **state)
{
    struct fixture *fixture = *state;
    unsigned char from[70], to[70] = {0};
    char names[64];
    size_t sizes[3];
    const size_t count = sizeof(from);
    cl_int result;
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_BUILT_IN_KERNELS, sizeof(names), names, NULL));
    assert_string_equal(names, "clerk_copy_bytes");
    assert_null(clCreateProgramWithBuiltInKernels(fixture->context, 1, &fixture->device,
                                                  "clerk_copy_bytes;other", &result));
    assert_int_equal(result, CL_INVALID_VALUE);
    cl_program program =
        clCreateProgramWithBuiltInKernels(fixture->context, 1, &fixture->device, names, &result);
    CHECK(result);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_kernel kernel = fixture_kernel(program, names);
    CHECK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof(names), names, NULL));
    assert_string_equal(names, "uchar*");
    CHECK(clGetKernelWorkGroupInfo(kernel, fixture->device, CL_KERNEL_GLOBAL_WORK_SIZE,
                                   sizeof(sizes), sizes, NULL));
    assert_true(sizes[0] >= count);
    for (size_t i = 0; i < count; i++)
        from[i] = (unsigned char)(3 * i);
    cl_mem buffers[2] = {fixture_buffer(fixture, count, from), fixture_buffer(fixture, count, to)};
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[1]));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, buffers[1], CL_TRUE, 0, count, to, 0, NULL, NULL));
    assert_memory_equal(from, to, count);
    CHECK(clReleaseMemObject(buffers[0]));
    CHECK(clReleaseMemObject(buffers[1]));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void timers_go_with_profiling(void **state)
{
    struct fixture *fixture = *state;
    cl_ulong before, after, host_before, host_after, host, queued, end;
    cl_event event;
    CHECK(clGetPlatformInfo(fixture->platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof(host),
                            &host, NULL));
    assert_true(host > 0);
    CHECK(clGetDeviceAndHostTimer(fixture->device, &before, &host_before));
    CHECK(clEnqueueMarkerWithWaitList(fixture->queue, 0, NULL, &event));
    CHECK(clFinish(fixture->queue));
    CHECK(clGetDeviceAndHostTimer(fixture->device, &after, &host_after));
    CHECK(clGetHostTimer(fixture->device, &host));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, 8, &queued, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, &end, NULL));
    assert_true(before < queued && queued < end && end < after);
    assert_true(after - before == host_after - host_before && host > host_after);
    assert_int_equal(clGetDeviceAndHostTimer(fixture->device, NULL, &host), CL_INVALID_VALUE);
    assert_int_equal(clGetHostTimer(fixture->device, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseEvent(event));
}

static void devices_have_unique_numbers(void **state)
{
    struct fixture *fixture = *state;
    cl_device_id devices[2];
    cl_uchar uuids[2][CL_UUID_SIZE_KHR];
    CHECK(clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    for (int i = 0; i < 2; i++)
        CHECK(clGetDeviceInfo(devices[i], CL_DEVICE_UUID_KHR, sizeof(uuids[i]), uuids[i], NULL));
    assert_memory_not_equal(uuids[0], uuids[1], CL_UUID_SIZE_KHR);
    CHECK(clGetDeviceInfo(devices[1], CL_DRIVER_UUID_KHR, sizeof(uuids[0]), uuids[0], NULL));
}

static void queues_take_hints(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    const cl_queue_properties good[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR,
                                        CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_HIGH_KHR, 0};
    const cl_queue_properties bad[] = {CL_QUEUE_PRIORITY_KHR, 77, 0};
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, good, &result);
    CHECK(result);
    CHECK(clReleaseCommandQueue(queue));
    assert_null(
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, bad, &result));
    assert_int_equal(result, CL_INVALID_VALUE);
}

int main(void)
{
    setenv("CLERK_DEVICES", "2", 1);
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root_devices_are_as_many_as_set),
        cmocka_unit_test(a_device_is_cut_equally),
        cmocka_unit_test(wrong_partitions_are_refused),
        cmocka_unit_test(programs_are_built_device_by_device),
        cmocka_unit_test(a_sub_device_uses_its_parents_program),
        cmocka_unit_test(kernels_must_be_the_same_everywhere),
        cmocka_unit_test(programs_are_linked_where_all_parts_are),
        cmocka_unit_test(other_contexts_are_refused),
        cmocka_unit_test(the_built_in_kernel_copies),
        cmocka_unit_test(timers_go_with_profiling),
        cmocka_unit_test(devices_have_unique_numbers),
        cmocka_unit_test(queues_take_hints),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
