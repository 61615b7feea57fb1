/* Work-groups at the API: sizes that do not divide the range, and what kernels see of them. */
#include "tests/unit/icd/fixture.h"

static const char source[] =
    "kernel void sizes(global uint *out)\n"
    "{\n"
    "    size_t i = get_global_id(0) + get_global_size(0) * get_global_id(1);\n"
    "    out[i] = (uint)(get_local_size(0) + 16 * get_local_size(1));\n"
    "#if __OPENCL_C_VERSION__ >= 200\n"
    "    out[i] += (uint)(256 * get_enqueued_local_size(0) + 4096 * get_enqueued_local_size(1));\n"
    "#endif\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global uint *out)\n"
    "{\n"
    "    out[get_global_id(0)] = (uint)get_local_size(0);\n"
    "}\n";

static cl_int launch(const struct fixture *fixture, cl_kernel kernel, const size_t *global,
                     const size_t *local)
{
    return clEnqueueNDRangeKernel(fixture->queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
}

static void groups_at_the_edge_are_smaller(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "sizes");
    enum { X = 10, Y = 7 };
    const size_t global[] = {X, Y}, local[] = {4, 3};
    cl_uint out[X * Y];
    cl_mem mem = fixture_buffer(fixture, sizeof(out), NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(launch(fixture, kernel, global, local));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (cl_uint i = 0; i < X * Y; i++) {
        const cl_uint x = i % X < 8 ? 4 : 2, y = i / X < 6 ? 3 : 1;
        assert_int_equal(out[i], x + 16 * y + 256 * 4 + 4096 * 3);
    }
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void required_sizes_may_leave_a_rest(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "four");
    const size_t global[] = {10, 1}, local[] = {4, 1}, other[] = {5, 1};
    cl_uint out[10];
    cl_mem mem = fixture_buffer(fixture, sizeof(out), NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    assert_int_equal(launch(fixture, kernel, global, other), CL_INVALID_WORK_GROUP_SIZE);
    for (int with_local = 0; with_local < 2; with_local++) {
        CHECK(launch(fixture, kernel, global, with_local ? local : NULL));
        CHECK(
            clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
        for (cl_uint i = 0; i < 10; i++)
            assert_int_equal(out[i], i < 8 ? 4 : 2);
    }
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* OpenCL API 3.0, 5.10, CL_INVALID_WORK_GROUP_SIZE. */
static void some_programs_want_whole_groups(void **state)
{
    struct fixture *fixture = *state;
    static const char *const options[] = {NULL, "-cl-std=CL1.2",
                                          "-cl-std=CL3.0 -cl-uniform-work-group-size"};
    const size_t global[] = {10, 7}, local[] = {4, 7}, whole[] = {5, 7};
    cl_mem mem = fixture_buffer(fixture, 4096, NULL);
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        cl_program program = fixture_program(fixture, source, options[i]);
        cl_kernel kernel = fixture_kernel(program, "sizes"), four = fixture_kernel(program, "four");
        CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
        CHECK(clSetKernelArg(four, 0, sizeof(mem), &mem));
        assert_int_equal(launch(fixture, kernel, global, local), CL_INVALID_WORK_GROUP_SIZE);
        assert_int_equal(launch(fixture, four, global, NULL), CL_INVALID_WORK_GROUP_SIZE);
        CHECK(launch(fixture, kernel, global, whole));
        CHECK(clFinish(fixture->queue));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseKernel(four));
        CHECK(clReleaseProgram(program));
    }
    CHECK(clReleaseMemObject(mem));
}

/* The option outlives linking. */
static void linked_programs_keep_to_it(void **state)
{
    struct fixture *fixture = *state;
    const size_t global[] = {10, 7}, local[] = {4, 7};
    const char *text = source;
    cl_int result;
    cl_mem mem = fixture_buffer(fixture, 4096, NULL);
    for (int uniform = 0; uniform < 2; uniform++) {
        cl_program part = clCreateProgramWithSource(fixture->context, 1, &text, NULL, &result);
        CHECK(result);
        CHECK(clCompileProgram(
            part, 0, NULL, uniform ? "-cl-std=CL3.0 -cl-uniform-work-group-size" : "-cl-std=CL3.0",
            0, NULL, NULL, NULL, NULL));
        cl_program program =
            clLinkProgram(fixture->context, 0, NULL, NULL, 1, &part, NULL, NULL, &result);
        CHECK(result);
        cl_kernel kernel = fixture_kernel(program, "sizes");
        CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
        assert_int_equal(launch(fixture, kernel, global, local),
                         uniform ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS);
        CHECK(clFinish(fixture->queue));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(program));
        CHECK(clReleaseProgram(part));
    }
    CHECK(clReleaseMemObject(mem));
}

static size_t group_limit(const struct fixture *fixture, cl_kernel kernel)
{
    size_t limit;
    CHECK(clGetKernelWorkGroupInfo(kernel, fixture->device, CL_KERNEL_WORK_GROUP_SIZE,
                                   sizeof(limit), &limit, NULL));
    return limit;
}

/* A bit more than a mebibyte of private memory each, of 256: with a barrier, all work-items of a
 * group have it at the same time, without one 64 have it after another 64. */
static void private_memory_bounds_the_group(void **state)
{
    struct fixture *fixture = *state;
    int values[1024];
    const size_t global = 1024, whole = 1024, quarter = 256;
    cl_program program = fixture_program(fixture,
                                         "kernel void wait(global int *a)\n"
                                         "{\n"
                                         "    int big[(1 << 18) + 1], i = get_global_id(0);\n"
                                         "    big[i * 255] = i;\n"
                                         "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
                                         "    a[i] = big[i * 255];\n"
                                         "}\n"
                                         "kernel void run(global int *a)\n"
                                         "{\n"
                                         "    int big[(1 << 18) + 1], i = get_global_id(0);\n"
                                         "    big[i * 255] = i;\n"
                                         "    a[i] = big[i * 255];\n"
                                         "}\n",
                                         NULL);
    cl_mem mem = fixture_buffer(fixture, sizeof(values), NULL);
    cl_kernel wait = fixture_kernel(program, "wait"), run = fixture_kernel(program, "run");
    CHECK(clSetKernelArg(wait, 0, sizeof(mem), &mem));
    CHECK(clSetKernelArg(run, 0, sizeof(mem), &mem));
    assert_int_equal(group_limit(fixture, wait), 192);
    assert_int_equal(group_limit(fixture, run), 1024);
    assert_int_equal(
        clEnqueueNDRangeKernel(fixture->queue, wait, 1, NULL, &global, &quarter, 0, NULL, NULL),
        CL_INVALID_WORK_GROUP_SIZE);
    CHECK(clEnqueueNDRangeKernel(fixture->queue, wait, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(values), values, 0, NULL,
                              NULL));
    assert_int_equal(values[1023], 1023);
    CHECK(clEnqueueNDRangeKernel(fixture->queue, run, 1, NULL, &global, &whole, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseKernel(wait));
    CHECK(clReleaseKernel(run));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseMemObject(mem));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_at_the_edge_are_smaller),
        cmocka_unit_test(required_sizes_may_leave_a_rest),
        cmocka_unit_test(some_programs_want_whole_groups),
        cmocka_unit_test(linked_programs_keep_to_it),
        cmocka_unit_test(private_memory_bounds_the_group),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
