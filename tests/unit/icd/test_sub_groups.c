/* What a program can ask about the sub-groups of a kernel, and that kernels see the same. */
#include "tests/unit/icd/fixture.h"

static const char source[] =
    "kernel void any(global uint *out)\n"
    "{\n"
    "    if (get_global_id(0) == 0) {\n"
    "        out[0] = get_max_sub_group_size();\n"
    "        out[1] = get_num_sub_groups();\n"
    "    }\n"
    "}\n"
    "kernel __attribute__((intel_reqd_sub_group_size(16))) void sixteen(global uint *out)\n"
    "{\n"
    "    if (get_global_id(0) == 0) {\n"
    "        out[0] = get_max_sub_group_size();\n"
    "        out[1] = get_num_sub_groups();\n"
    "    }\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void wide(global uint *out)\n"
    "{\n"
    "    out[0] = 0;\n"
    "}\n";

static size_t ask(cl_kernel kernel, cl_kernel_sub_group_info query, size_t count,
                  const size_t *input)
{
    size_t answer = SIZE_MAX, size = 0;
    CHECK(clGetKernelSubGroupInfo(kernel, NULL, query, count * sizeof(*input), input,
                                  sizeof(answer), &answer, &size));
    assert_int_equal(size, sizeof(answer));
    return answer;
}

static void kernels_see_what_is_answered(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    const struct {
        const char *kernel;
        cl_uint dimensions;
        size_t local[3], most, count, compiled;
    } cases[] = {
        {"any", 1, {100}, 32, 4, 0},      {"any", 2, {10, 7}, 32, 3, 0},
        {"any", 3, {2, 3, 3}, 18, 1, 0},  {"sixteen", 1, {100}, 16, 7, 16},
        {"sixteen", 2, {3, 3}, 9, 1, 16},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cl_kernel kernel = fixture_kernel(program, cases[i].kernel);
        cl_mem mem = fixture_buffer(fixture, 8, NULL);
        cl_uint seen[2];
        const size_t *local = cases[i].local;
        CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
        CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, cases[i].dimensions, NULL, local,
                                     local, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(seen), seen, 0, NULL,
                                  NULL));
        assert_int_equal(seen[0], cases[i].most);
        assert_int_equal(seen[1], cases[i].count);
        assert_int_equal(
            ask(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, cases[i].dimensions, local),
            cases[i].most);
        assert_int_equal(
            ask(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, cases[i].dimensions, local),
            cases[i].count);
        assert_int_equal(ask(kernel, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0, NULL),
                         cases[i].compiled);
        assert_int_equal(ask(kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL), 0);
        assert_int_equal(ask(kernel, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL),
                         cases[i].compiled ? 64 : 32);
        CHECK(clReleaseMemObject(mem));
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseProgram(program));
}

static void local_sizes_make_whole_sub_groups(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    const struct {
        const char *kernel;
        size_t count, items;
    } cases[] = {
        {"any", 3, 96},     {"any", 32, 1024}, {"any", 33, 0}, {"any", 0, 0},
        {"sixteen", 3, 48}, {"wide", 2, 64},   {"wide", 1, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cl_kernel kernel = fixture_kernel(program, cases[i].kernel);
        for (size_t dimensions = 1; dimensions <= 3; dimensions++) {
            size_t sizes[3] = {7, 7, 7}, size = 0;
            CHECK(clGetKernelSubGroupInfo(kernel, fixture->device,
                                          CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
                                          sizeof(cases[i].count), &cases[i].count,
                                          dimensions * sizeof(size_t), sizes, &size));
            assert_int_equal(size, dimensions * sizeof(size_t));
            assert_int_equal(sizes[0], cases[i].items);
            for (size_t d = 1; d < 3; d++)
                assert_int_equal(sizes[d], d >= dimensions ? 7 : cases[i].items != 0);
        }
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseProgram(program));
}

static void a_size_that_does_not_divide_a_vector_is_refused(void **state)
{
    struct fixture *fixture = *state;
    const char *text = "kernel __attribute__((intel_reqd_sub_group_size(24))) void k(global int *a)"
                       "{ *a = 0; }\n";
    char log[512];
    cl_program program = clCreateProgramWithSource(fixture->context, 1, &text, NULL, NULL);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(clGetProgramBuildInfo(program, fixture->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log,
                                NULL));
    assert_non_null(strstr(log, "a sub-group size of 24 is not supported"));
    CHECK(clReleaseProgram(program));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_see_what_is_answered),
        cmocka_unit_test(local_sizes_make_whole_sub_groups),
        cmocka_unit_test(a_size_that_does_not_divide_a_vector_is_refused),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
