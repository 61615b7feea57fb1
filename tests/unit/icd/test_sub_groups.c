/* What a program can ask about the sub-groups of a kernel, and that kernels see the same. */
#include "checkers/finding.h"
#include "checkers/sink.h"
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

/* ---- blocks, and the memory that the application gives ---- */

static const char blocks[] =
    "kernel void copy(const global uint *in, global uint *out, uint from)\n"
    "{\n"
    "    intel_sub_group_block_write(out, intel_sub_group_block_read(in + from));\n"
    "}\n"
    "kernel void copy_image(read_only image2d_t in, global uint *out)\n"
    "{\n"
    "    out[get_global_id(0)] = intel_sub_group_block_read(in, (int2)(0, 0));\n"
    "}\n";

typedef void finding_sink(void *user, const void *finding);
typedef int32_t set_sink(uint32_t version, finding_sink *sink, void *user);

struct told {
    int count;
    char reason[128];
};

static void keep_reason(void *user, const void *told)
{
    const struct finding *finding = told;
    struct told *kept = user;
    kept->count++;
    snprintf(kept->reason, sizeof(kept->reason), "%s", finding->reason ? finding->reason : "");
}

/* Runs a kernel on one sub-group, and checks that this is all that is told; NULL = nothing. */
static void check_told(const struct fixture *fixture, cl_kernel kernel, const char *reason)
{
    const size_t size = 32;
    struct told told = {.count = 0};
    set_sink *sink;
    *(void **)&sink =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetFindingSinkCLERK");
    assert_int_equal(sink(SINK_VERSION, keep_reason, &told), CL_SUCCESS);
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(sink(SINK_VERSION, NULL, NULL), CL_SUCCESS);
    assert_int_equal(told.count, reason ? 1 : 0);
    assert_string_equal(told.reason, reason ? reason : "");
}

static cl_mem buffer_over(const struct fixture *fixture, void *bytes, size_t size)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(fixture->context, CL_MEM_USE_HOST_PTR, size, bytes, &error);
    CHECK(error);
    return mem;
}

static void blocks_ask_for_aligned_memory_of_the_host(void **state)
{
    struct fixture *fixture = *state;
    static _Alignas(64) unsigned char in[1024], out[1024];
    const struct {
        size_t in, out;
        const char *reason;
    } cases[] = {
        {0, 0, NULL},
        {4, 16, NULL},
        {0, 8, "the application gave memory for it that is not aligned to 16 bytes"},
    };
    cl_program program = fixture_program(fixture, blocks, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "copy");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const cl_uint from = 0;
        cl_mem mems[] = {buffer_over(fixture, in + cases[i].in, 256),
                         buffer_over(fixture, out + cases[i].out, 256)};
        CHECK(clSetKernelArg(kernel, 0, sizeof(mems[0]), &mems[0]));
        CHECK(clSetKernelArg(kernel, 1, sizeof(mems[1]), &mems[1]));
        CHECK(clSetKernelArg(kernel, 2, sizeof(from), &from));
        check_told(fixture, kernel, cases[i].reason);
        CHECK(clReleaseMemObject(mems[0]));
        CHECK(clReleaseMemObject(mems[1]));
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void blocks_ask_for_aligned_shared_memory(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, blocks, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "copy");
    const cl_uint from = 0;
    unsigned char *memory = clSVMAlloc(fixture->context, CL_MEM_READ_WRITE, 1024, 0);
    assert_non_null(memory);
    CHECK(clEnqueueSVMMemFill(fixture->queue, memory, "", 1, 1024, 0, NULL, NULL));
    CHECK(clSetKernelArgSVMPointer(kernel, 0, memory));
    CHECK(clSetKernelArgSVMPointer(kernel, 1, memory + 512));
    CHECK(clSetKernelArg(kernel, 2, sizeof(from), &from));
    check_told(fixture, kernel, NULL);
    CHECK(clSetKernelArgSVMPointer(kernel, 1, memory + 520));
    check_told(fixture, kernel, "it begins at byte 520, which is not a multiple of 16 bytes");
    clSVMFree(fixture->context, memory);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void blocks_ask_for_images_that_begin_and_go_on_aligned(void **state)
{
    struct fixture *fixture = *state;
    static _Alignas(64) unsigned char in[4096];
    const struct {
        size_t in, pitch;
        const char *reason;
    } cases[] = {
        {0, 128, NULL},
        {32, 192, NULL},
        {0, 160,
         "the rows of the image, which was made from a buffer, are 160 bytes apart, no multiple of "
         "64 bytes"},
        {16, 128, "the application gave memory for it that is not aligned to 32 bytes"},
    };
    cl_program program = fixture_program(fixture, blocks, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "copy_image");
    cl_mem out = fixture_buffer(fixture, 128, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
        cl_mem buffer = buffer_over(fixture, in + cases[i].in, 2048);
        const cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                           .image_width = 32,
                                           .image_height = 4,
                                           .image_row_pitch = cases[i].pitch,
                                           .mem_object = buffer};
        cl_int error;
        cl_mem image =
            clCreateImage(fixture->context, CL_MEM_READ_ONLY, &format, &description, NULL, &error);
        CHECK(error);
        CHECK(clSetKernelArg(kernel, 0, sizeof(image), &image));
        CHECK(clSetKernelArg(kernel, 1, sizeof(out), &out));
        check_told(fixture, kernel, cases[i].reason);
        CHECK(clReleaseMemObject(image));
        CHECK(clReleaseMemObject(buffer));
    }
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_see_what_is_answered),
        cmocka_unit_test(local_sizes_make_whole_sub_groups),
        cmocka_unit_test(a_size_that_does_not_divide_a_vector_is_refused),
        cmocka_unit_test(blocks_ask_for_aligned_memory_of_the_host),
        cmocka_unit_test(blocks_ask_for_aligned_shared_memory),
        cmocka_unit_test(blocks_ask_for_images_that_begin_and_go_on_aligned),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
