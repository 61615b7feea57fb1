/* What a program sees of each personality: answers, error codes, what kernels compute. The device
 * reads its personality when it starts, so each has a process of its own: the argument names it. */
#include "tests/unit/icd/fixture.h"

#include <math.h>

static cl_ulong ask(const struct fixture *fixture, cl_device_info query)
{
    cl_ulong answer = 0;
    CHECK(clGetDeviceInfo(fixture->device, query, sizeof(answer), &answer, NULL));
    return answer;
}

static void assert_string(const struct fixture *fixture, cl_device_info query, const char *wanted)
{
    char answer[4096];
    CHECK(clGetDeviceInfo(fixture->device, query, sizeof(answer), answer, NULL));
    assert_string_equal(answer, wanted);
}

/* Sets buffers as the first arguments, and launches one work-group. */
static cl_int launch(const struct fixture *fixture, cl_kernel kernel, cl_uint count,
                     const cl_mem *mems, size_t global, size_t local)
{
    for (cl_uint i = 0; i < count; i++)
        CHECK(clSetKernelArg(kernel, i, sizeof(mems[i]), &mems[i]));
    return clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &global, local ? &local : NULL,
                                  0, NULL, NULL);
}

static void read_back(const struct fixture *fixture, cl_mem mem, void *bytes, size_t size)
{
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
}

static const cl_image_format texel = {CL_RGBA, CL_UNORM_INT8};

static cl_int image_result(const struct fixture *fixture, size_t width)
{
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = 4};
    cl_int result;
    cl_mem image = clCreateImage(fixture->context, CL_MEM_READ_ONLY, &texel, &desc, NULL, &result);
    if (image)
        CHECK(clReleaseMemObject(image));
    return result;
}

/* ---- minimum ---- */

static void optional_calls_are_refused(void **state)
{
    const struct fixture *fixture = *state;
    const cl_queue_properties out_of_order[] = {CL_QUEUE_PROPERTIES,
                                                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const cl_uint module[] = {0x07230203, 0x00010000, 0, 1, 0};
    cl_uint format_count = 1;
    cl_int result;
    assert_int_equal(image_result(fixture, 4), CL_INVALID_OPERATION);
    CHECK(clGetSupportedImageFormats(fixture->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0,
                                     NULL, &format_count));
    assert_int_equal(format_count, 0);
    assert_null(clCreateSamplerWithProperties(fixture->context, NULL, &result));
    assert_int_equal(result, CL_INVALID_OPERATION);
    assert_null(clCreatePipe(fixture->context, 0, 4, 4, NULL, &result));
    assert_int_equal(result, CL_INVALID_OPERATION);
    assert_null(clCreateProgramWithIL(fixture->context, module, sizeof(module), &result));
    assert_int_equal(result, CL_INVALID_OPERATION);
    assert_null(clCreateCommandQueueWithProperties(fixture->context, fixture->device, out_of_order,
                                                   &result));
    assert_int_equal(result, CL_INVALID_QUEUE_PROPERTIES);
    assert_null(clSVMAlloc(fixture->context, CL_MEM_READ_WRITE, 64, 0));
    assert_null(clCreateBuffer(fixture->context, 0, (32 << 20) + 1, NULL, &result));
    assert_int_equal(result, CL_INVALID_BUFFER_SIZE);
    assert_int_equal(clSetDefaultDeviceCommandQueue(fixture->context, fixture->device, NULL),
                     CL_INVALID_OPERATION);
}

/* Pointers are not looked at: there is no shared memory that they could lead to. */
static void shared_memory_is_refused(void **state)
{
    const struct fixture *fixture = *state;
    const cl_uint number = 5;
    cl_uint own[2] = {1, 2};
    void *pointer = own;
    const void *constant = own;
    cl_program program = fixture_program(fixture, "kernel void k(global int *a) { *a = 1; }\n", "");
    cl_kernel kernel = fixture_kernel(program, "k");
    const cl_int results[] = {
        clEnqueueSVMMemFill(fixture->queue, own, &number, 4, 8, 0, NULL, NULL),
        clEnqueueSVMMemcpy(fixture->queue, CL_TRUE, own, &number, 4, 0, NULL, NULL),
        clEnqueueSVMMap(fixture->queue, CL_TRUE, CL_MAP_READ, own, 8, 0, NULL, NULL),
        clEnqueueSVMUnmap(fixture->queue, own, 0, NULL, NULL),
        clEnqueueSVMMigrateMem(fixture->queue, 1, &constant, NULL, 0, 0, NULL, NULL),
        clEnqueueSVMFree(fixture->queue, 1, &pointer, NULL, NULL, 0, NULL, NULL),
        clSetKernelArgSVMPointer(kernel, 0, own),
        clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(pointer), &pointer),
        clSetProgramSpecializationConstant(program, 0, 4, &number),
    };
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
        assert_int_equal(results[i], CL_INVALID_OPERATION);
    assert_int_equal(own[0], 1);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void answers_are_the_least(void **state)
{
    const struct fixture *fixture = *state;
    static const cl_device_info none[] = {CL_DEVICE_IMAGE_SUPPORT,
                                          CL_DEVICE_DOUBLE_FP_CONFIG,
                                          CL_DEVICE_SVM_CAPABILITIES,
                                          CL_DEVICE_PIPE_SUPPORT,
                                          CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
                                          CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
                                          CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
                                          CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
                                          CL_DEVICE_MAX_NUM_SUB_GROUPS,
                                          CL_DEVICE_MAX_READ_IMAGE_ARGS,
                                          CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE,
                                          CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
                                          CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF,
                                          CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
                                          CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF,
                                          CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
                                          CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
                                          CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
                                          CL_DEVICE_MAX_PIPE_ARGS,
                                          CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
                                          CL_DEVICE_PIPE_MAX_PACKET_SIZE,
                                          CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
                                          CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
                                          CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
                                          CL_DEVICE_MAX_ON_DEVICE_QUEUES,
                                          CL_DEVICE_MAX_ON_DEVICE_EVENTS,
                                          CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_int_equal(ask(fixture, none[i]), 0);
    assert_int_equal(ask(fixture, CL_DEVICE_MAX_WORK_GROUP_SIZE), 1);
    assert_int_equal(ask(fixture, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), 1);
    assert_int_equal(ask(fixture, CL_DEVICE_MAX_MEM_ALLOC_SIZE), 32 << 20);
    assert_int_equal(ask(fixture, CL_DEVICE_LOCAL_MEM_SIZE), 32 << 10);
    assert_int_equal(ask(fixture, CL_DEVICE_SINGLE_FP_CONFIG),
                     CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST);
    assert_int_equal(ask(fixture, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES), CL_QUEUE_PROFILING_ENABLE);
    assert_string(fixture, CL_DEVICE_IL_VERSION, "");
    assert_string(fixture, CL_DEVICE_EXTENSIONS,
                  "cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics "
                  "cl_khr_global_int32_extended_atomics cl_khr_icd cl_khr_local_int32_base_atomics "
                  "cl_khr_local_int32_extended_atomics");
}

static void kernels_have_no_more_than_that(void **state)
{
    const struct fixture *fixture = *state;
    const char *with_double = "kernel void d(global double *a) { *a = 1; }\n";
    cl_program program = clCreateProgramWithSource(fixture->context, 1, &with_double, NULL, NULL);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(clReleaseProgram(program));
    program = fixture_program(fixture,
                              "#ifdef __IMAGE_SUPPORT__\n#error images\n#endif\n"
                              "kernel void k(global int *a) { a[get_global_id(0)] = 7; }\n"
                              "kernel void i(global int *a, read_only image2d_t b) { *a = 1; }\n",
                              "");
    cl_kernel kernel = fixture_kernel(program, "k");
    cl_mem mem = fixture_buffer(fixture, 12, NULL);
    cl_int seen[3];
    assert_int_equal(launch(fixture, kernel, 1, &mem, 3, 3), CL_INVALID_WORK_ITEM_SIZE);
    assert_int_equal(launch(fixture, kernel, 1, &mem, 3, 2), CL_INVALID_WORK_GROUP_SIZE);
    CHECK(launch(fixture, kernel, 1, &mem, 3, 0));
    read_back(fixture, mem, seen, sizeof(seen));
    assert_int_equal(seen[2], 7);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* ---- embedded ---- */

static void embedded_has_its_own_limits(void **state)
{
    const struct fixture *fixture = *state;
    cl_program program =
        fixture_program(fixture,
                        "kernel void k(global int *a, local int *b) { b[0] = __EMBEDDED_PROFILE__; "
                        "a[0] = b[0]; a[1] = sizeof(long); }\n",
                        "");
    cl_kernel kernel = fixture_kernel(program, "k");
    cl_mem mem = fixture_buffer(fixture, 8, NULL);
    cl_int seen[2];
    assert_string(fixture, CL_DEVICE_PROFILE, "EMBEDDED_PROFILE");
    assert_int_equal(ask(fixture, CL_DEVICE_LOCAL_MEM_SIZE), 1024);
    assert_int_equal(ask(fixture, CL_DEVICE_MAX_PARAMETER_SIZE), 256);
    CHECK(clSetKernelArg(kernel, 1, 1025, NULL));
    assert_int_equal(launch(fixture, kernel, 1, &mem, 1, 1), CL_OUT_OF_RESOURCES);
    CHECK(clSetKernelArg(kernel, 1, 1024, NULL));
    CHECK(launch(fixture, kernel, 1, &mem, 1, 1));
    read_back(fixture, mem, seen, sizeof(seen));
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 8);
    assert_int_equal(image_result(fixture, 2049), CL_INVALID_IMAGE_SIZE);
    CHECK(image_result(fixture, 2048));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void too_many_arguments_of_a_kind_are_refused(void **state)
{
    const struct fixture *fixture = *state;
    cl_program program = fixture_program(
        fixture,
        "kernel void k(global int *a, constant int *b, constant int *c, constant int *d, "
        "constant int *e, constant int *f) { *a = *b + *c + *d + *e + *f; }\n",
        "");
    cl_kernel kernel = fixture_kernel(program, "k");
    cl_mem mems[6];
    for (size_t i = 0; i < 6; i++)
        mems[i] = fixture_buffer(fixture, 4, NULL);
    assert_int_equal(launch(fixture, kernel, 6, mems, 1, 1), CL_OUT_OF_RESOURCES);
    for (size_t i = 0; i < 6; i++)
        CHECK(clReleaseMemObject(mems[i]));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* ---- fma ---- */

static void products_are_rounded_with_the_sum(void **state)
{
    const struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture,
                                         "kernel void k(global float *a, global double *d,\n"
                                         "              global float4 *v) {\n"
                                         "    float b = a[0];\n"
                                         "    a[1] = b * b - 1;\n"
                                         "    a[2] = 1 - b * b;\n"
                                         "    a[3] = mad(b, b, -1.0f);\n"
                                         "    float product = b * b;\n"
                                         "    a[4] = product - 1;\n" /* two expressions */
                                         "    {\n"
                                         "        #pragma OPENCL FP_CONTRACT OFF\n"
                                         "        a[5] = b * b - 1;\n"
                                         "    }\n"
                                         "    d[1] = d[0] * d[0] - 1;\n"
                                         "    v[1] = v[0] * v[0] - 1;\n"
                                         "}\n",
                                         "");
    cl_kernel kernel = fixture_kernel(program, "k");
    /* (1 + e)^2 - 1 is 2e + e^2, of which e^2 is lost when the square is rounded. */
    const float e = 0x1p-12f;
    const double small = 0x1p-27;
    const float given[8] = {1 + e, 0, 0, 0, 0, 0, 0, 0};
    const float vectors[8] = {1 + e, 1 + e, 1 + e, 1 + e, 0, 0, 0, 0};
    const double doubles[2] = {1 + small, 0};
    cl_mem mems[3] = {fixture_buffer(fixture, sizeof(given), given),
                      fixture_buffer(fixture, sizeof(doubles), doubles),
                      fixture_buffer(fixture, sizeof(vectors), vectors)};
    float seen[8];
    double seen_double[2];
    CHECK(launch(fixture, kernel, 3, mems, 1, 1));
    read_back(fixture, mems[0], seen, sizeof(seen));
    assert_true(seen[1] == 2 * e + e * e);
    assert_true(seen[2] == -(2 * e + e * e));
    assert_true(seen[3] == 2 * e + e * e);
    assert_true(seen[4] == 2 * e);
    assert_true(seen[5] == 2 * e);
    read_back(fixture, mems[1], seen_double, sizeof(seen_double));
    assert_true(seen_double[1] == 2 * small + small * small);
    read_back(fixture, mems[2], seen, sizeof(seen));
    for (size_t i = 4; i < 8; i++)
        assert_true(seen[i] == 2 * e + e * e);
    for (size_t i = 0; i < 3; i++)
        CHECK(clReleaseMemObject(mems[i]));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* ---- ftz ---- */

static void denormal_numbers_are_flushed(void **state)
{
    const struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture,
                                         "kernel void k(global float *a) {\n"
                                         "    float x = a[0], y = a[1];\n"
                                         "    a[2] = x * y;\n"    /* a denormal result */
                                         "    a[3] = a[4] * y;\n" /* a denormal operand */
                                         "    a[5] = a[4];\n"     /* a move */
                                         "    a[6] = -a[4];\n"
                                         "    a[7] = a[4] > 0;\n"
                                         "}\n",
                                         "");
    cl_kernel kernel = fixture_kernel(program, "k");
    const float given[8] = {-0x1p-100f, 0x1p-40f, 1, 1, 0x1p-140f, 0, 0, 1};
    cl_mem mem = fixture_buffer(fixture, sizeof(given), given);
    float seen[8];
    CHECK(launch(fixture, kernel, 1, &mem, 1, 1));
    read_back(fixture, mem, seen, sizeof(seen));
    assert_true(seen[2] == 0 && signbit(seen[2]));
    assert_true(seen[3] == 0 && !signbit(seen[3]));
    assert_true(seen[5] == 0x1p-140f);
    assert_true(seen[6] == -0x1p-140f);
    assert_true(seen[7] == 0);
    assert_int_equal(ask(fixture, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_DENORM, 0);
    assert_int_not_equal(ask(fixture, CL_DEVICE_DOUBLE_FP_CONFIG) & CL_FP_DENORM, 0);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* ---- sub-group=8,max-work-group=16,max-alloc=4096 ---- */

static void numbers_are_answered_and_kept(void **state)
{
    const struct fixture *fixture = *state;
    cl_program program =
        fixture_program(fixture,
                        "kernel void k(global uint *a) { *a = get_max_sub_group_size(); }\n"
                        "kernel void l(global uint *a, local uint *b) { b[23] = 1; *a = b[23]; }\n",
                        "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "k");
    cl_mem mem = fixture_buffer(fixture, 4096, NULL);
    cl_uint seen;
    cl_int result;
    CHECK(launch(fixture, kernel, 1, &mem, 16, 16));
    read_back(fixture, mem, &seen, sizeof(seen));
    assert_int_equal(seen, 8);
    assert_int_equal(launch(fixture, kernel, 1, &mem, 32, 32), CL_INVALID_WORK_ITEM_SIZE);
    assert_null(clCreateBuffer(fixture->context, 0, 4097, NULL, &result));
    assert_int_equal(result, CL_INVALID_BUFFER_SIZE);
    cl_kernel with_local = fixture_kernel(program, "l");
    CHECK(clSetKernelArg(with_local, 1, 97, NULL));
    assert_int_equal(launch(fixture, with_local, 1, &mem, 1, 1), CL_OUT_OF_RESOURCES);
    CHECK(clSetKernelArg(with_local, 1, 96, NULL));
    CHECK(launch(fixture, with_local, 1, &mem, 1, 1));
    CHECK(clReleaseKernel(with_local));
    assert_int_equal(ask(fixture, CL_DEVICE_LOCAL_MEM_SIZE), 96);
    assert_int_equal(ask(fixture, CL_DEVICE_MAX_WORK_GROUP_SIZE), 16);
    assert_int_equal(ask(fixture, CL_DEVICE_MAX_MEM_ALLOC_SIZE), 4096);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* ---- max-alloc=536870912 ---- */

static void objects_may_be_larger_than_usual(void **state)
{
    const struct fixture *fixture = *state;
    const size_t size = 536870912, last = size / sizeof(cl_uint) - 1;
    const cl_ulong at = last;
    cl_program program = fixture_program(
        fixture, "kernel void k(global uint *a, ulong at) { a[at] = 7; }\n", "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "k");
    cl_mem mem = fixture_buffer(fixture, size, NULL);
    cl_uint seen = 0;
    cl_int result;
    CHECK(clSetKernelArg(kernel, 1, sizeof(at), &at));
    CHECK(launch(fixture, kernel, 1, &mem, 1, 1));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, last * sizeof(seen), sizeof(seen),
                              &seen, 0, NULL, NULL));
    assert_int_equal(seen, 7);
    assert_null(clCreateBuffer(fixture->context, 0, size + 1, NULL, &result));
    assert_int_equal(result, CL_INVALID_BUFFER_SIZE);
    assert_int_equal(ask(fixture, CL_DEVICE_MAX_MEM_ALLOC_SIZE), size);
    assert_int_equal(ask(fixture, CL_DEVICE_GLOBAL_MEM_SIZE), 4 * size);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* ---- big-endian ---- */

static void values_pass_and_puns_do_not(void **state)
{
    const struct fixture *fixture = *state;
    cl_program program = fixture_program(
        fixture,
        "#ifdef __ENDIAN_LITTLE__\n#error little\n#endif\n"
        "struct s { uchar c; ushort h; uint i; ulong l; float2 f; };\n"
        "kernel void k(global uint *out, struct s by, ushort2 v, global const struct s *in,\n"
        "              global const uint *part) {\n"
        "    out[0] = by.c + by.h + by.i + (uint)by.l + (uint)by.f.y;\n"
        "    out[1] = v.y;\n"
        "    out[2] = in[1].h + in[1].i + (uint)in[1].f.x;\n"
        "    out[3] = ((global const uchar *)&in[1].i)[0];\n"
        "    out[4] = part[0];\n"
        "    out[5] = ((global const ushort *)part)[1];\n"
        "}\n",
        "");
    cl_kernel kernel = fixture_kernel(program, "k");
    const struct {
        cl_uchar c;
        cl_ushort h;
        cl_uint i;
        cl_ulong l;
        cl_float f[2];
    } by = {1, 20, 300, 4000, {0, 50000}}, in[2] = {{0}, {0, 7, 0x05000009, 0, {11, 0}}};
    const cl_ushort v[2] = {1, 258};
    const cl_uint words[64] = {[32] = 0x00010002};
    const cl_buffer_region region = {128, 128};
    cl_int result;
    cl_mem whole = fixture_buffer(fixture, sizeof(words), words);
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    CHECK(result);
    cl_mem structs = fixture_buffer(fixture, sizeof(in), in);
    cl_mem out = fixture_buffer(fixture, 24, NULL);
    cl_uint seen[6];
    cl_uint kept[64];
    CHECK(clSetKernelArg(kernel, 1, sizeof(by), &by));
    CHECK(clSetKernelArg(kernel, 2, sizeof(v), v));
    CHECK(clSetKernelArg(kernel, 3, sizeof(structs), &structs));
    CHECK(clSetKernelArg(kernel, 4, sizeof(part), &part));
    CHECK(launch(fixture, kernel, 1, &out, 1, 1));
    read_back(fixture, out, seen, sizeof(seen));
    assert_int_equal(seen[0], 54321);
    assert_int_equal(seen[1], 258);
    assert_int_equal(seen[2], 7 + 0x05000009 + 11);
    assert_int_equal(seen[3], 5);
    assert_int_equal(seen[4], 0x00010002);
    assert_int_equal(seen[5], 2);
    read_back(fixture, whole, kept, sizeof(kept));
    assert_memory_equal(kept, words, sizeof(words));
    assert_int_equal(ask(fixture, CL_DEVICE_ENDIAN_LITTLE), CL_FALSE);
    /* Host and device would have to agree on the bytes. */
    assert_null(clSVMAlloc(fixture->context, CL_MEM_READ_WRITE, 64, 0));
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(whole));
    CHECK(clReleaseMemObject(structs));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void memory_given_twice_is_turned_once(void **state)
{
    const struct fixture *fixture = *state;
    cl_program program = fixture_program(
        fixture, "kernel void k(global uint *a, global ushort *b) { a[1] = a[0]; b[4] = b[0]; }\n",
        "");
    cl_kernel kernel = fixture_kernel(program, "k");
    const cl_uint given[3] = {0x01020304, 0, 0};
    cl_mem mem = fixture_buffer(fixture, sizeof(given), given);
    const cl_mem mems[2] = {mem, mem};
    cl_uint seen[3];
    CHECK(launch(fixture, kernel, 2, mems, 1, 1));
    read_back(fixture, mem, seen, sizeof(seen));
    assert_int_equal(seen[0], 0x01020304);
    assert_int_equal(seen[1], 0x01020304);
    assert_int_equal(seen[2], 0x01020000); /* the first two bytes, which are the highest */
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* An earlier argument leads to a part of it, a later one to all. */
static void the_rest_of_memory_given_in_part_is_turned(void **state)
{
    const struct fixture *fixture = *state;
    cl_program program = fixture_program(
        fixture,
        "kernel void k(global const ushort *part, global uint *whole) { whole[32] += part[1]; }\n",
        "");
    cl_kernel kernel = fixture_kernel(program, "k");
    const cl_uint given[64] = {[0] = 0x00050000, [32] = 0x01020304};
    const cl_buffer_region region = {0, 128};
    cl_int result;
    cl_mem whole = fixture_buffer(fixture, sizeof(given), given);
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    CHECK(result);
    cl_uint seen[64];
    CHECK(launch(fixture, kernel, 2, (const cl_mem[]){part, whole}, 1, 1));
    read_back(fixture, whole, seen, sizeof(seen));
    assert_int_equal(seen[0], 0x00050000);
    assert_int_equal(seen[32], 0x01020309);
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(whole));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* As programs have them that end in an array of any length. */
static void a_structure_larger_than_its_memory_is_turned(void **state)
{
    const struct fixture *fixture = *state;
    cl_program program = fixture_program(
        fixture,
        "struct list { uint count; ushort items[100]; };\n"
        "kernel void k(global struct list *list) { list->items[1] += (ushort)list->count; }\n",
        "");
    cl_kernel kernel = fixture_kernel(program, "k");
    const cl_uint given[2] = {0x0104, 0x02030001};
    cl_mem mem = fixture_buffer(fixture, sizeof(given), given);
    cl_uint seen[2];
    CHECK(launch(fixture, kernel, 1, &mem, 1, 1));
    read_back(fixture, mem, seen, sizeof(seen));
    assert_int_equal(seen[0], 0x0104);
    assert_int_equal(seen[1], 0x03070001);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* Its pages may be protected: the kernel finds a copy. */
static void read_only_memory_of_the_host_stays_as_it_is(void **state)
{
    const struct fixture *fixture = *state;
    cl_program program =
        fixture_program(fixture,
                        "kernel void k(global uint *out, global const uint *a, global const uint "
                        "*b) { out[0] = a[1] + b[0]; }\n",
                        "");
    cl_kernel kernel = fixture_kernel(program, "k");
    static const cl_uint host[32] = {0x01000000, 0x00000203};
    cl_int result;
    cl_mem mems[3] = {fixture_buffer(fixture, 4, NULL)};
    mems[1] = clCreateBuffer(fixture->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, sizeof(host),
                             (void *)(uintptr_t)host, &result);
    CHECK(result);
    mems[2] = mems[1];
    cl_uint seen;
    for (int i = 0; i < 2; i++) {
        CHECK(launch(fixture, kernel, 3, mems, 1, 1));
        read_back(fixture, mems[0], &seen, sizeof(seen));
        assert_int_equal(seen, 0x01000203);
    }
    CHECK(clReleaseMemObject(mems[0]));
    CHECK(clReleaseMemObject(mems[1]));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* ---- 32-bit ---- */

static void pointers_have_four_bytes(void **state)
{
    const struct fixture *fixture = *state;
    const char *initialised = "constant int a = 1; constant int *constant b = &a;\n"
                              "kernel void k(global int *out) { *out = *b; }\n";
    cl_program program =
        fixture_program(fixture,
                        "struct s { global uint *at; uint i; };\n"
                        "kernel void k(global uint *out, ulong2 v) {\n"
                        "    struct s held[2] = {{out, 1}, {out + 1, 2}};\n"
                        "    out[0] = sizeof(size_t) + sizeof(void *) + sizeof(struct s);\n"
                        "    out[1] = v.y + get_global_size(7);\n"
                        "    out[2] = held[out[0] % 2].at[1];\n"
                        "}\n",
                        "");
    cl_kernel kernel = fixture_kernel(program, "k");
    const cl_ulong v[2] = {0, 41};
    cl_mem out = fixture_buffer(fixture, 12, NULL);
    cl_uint seen[3];
    CHECK(clSetKernelArg(kernel, 1, sizeof(v), v));
    CHECK(launch(fixture, kernel, 1, &out, 1, 1));
    read_back(fixture, out, seen, sizeof(seen));
    assert_int_equal(seen[0], 16);
    assert_int_equal(seen[1], 42);
    assert_int_equal(seen[2], 42);
    assert_int_equal(ask(fixture, CL_DEVICE_ADDRESS_BITS), 32);
    assert_null(clSVMAlloc(fixture->context, CL_MEM_READ_WRITE, 64, 0));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    program = clCreateProgramWithSource(fixture->context, 1, &initialised, NULL, NULL);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(clReleaseProgram(program));
}

static void the_built_in_kernel_is_there(void **state)
{
    const struct fixture *fixture = *state;
    cl_int result;
    cl_program program = clCreateProgramWithBuiltInKernels(fixture->context, 1, &fixture->device,
                                                           "clerk_copy_bytes", &result);
    CHECK(result);
    cl_kernel kernel = fixture_kernel(program, "clerk_copy_bytes");
    cl_mem mems[2] = {fixture_buffer(fixture, 4, "abc"), fixture_buffer(fixture, 4, NULL)};
    char seen[4];
    CHECK(launch(fixture, kernel, 2, mems, 4, 0));
    read_back(fixture, mems[1], seen, sizeof(seen));
    assert_string_equal(seen, "abc");
    CHECK(clReleaseMemObject(mems[0]));
    CHECK(clReleaseMemObject(mems[1]));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* ---- opencl-3.0 ---- */

static void what_is_newer_is_refused(void **state)
{
    const struct fixture *fixture = *state;
    char text[64];
    cl_name_version versions[8];
    size_t size;
    const char *source = "#if __OPENCL_VERSION__ != 300\n#error version\n#endif\n"
                         "kernel void k(local int *a) { a[0] = 1; }\n";
    assert_int_equal(ask(fixture, CL_DEVICE_NUMERIC_VERSION), CL_MAKE_VERSION(3, 0, 0));
    CHECK(clGetPlatformInfo(fixture->platform, CL_PLATFORM_VERSION, sizeof(text), text, NULL));
    assert_memory_equal(text, "OpenCL 3.0 ", 11);
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof(versions),
                          versions, &size));
    assert_int_equal(versions[size / sizeof(versions[0]) - 1].version, CL_MAKE_VERSION(3, 0, 0));
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "k");
    assert_int_equal(clSetKernelArg(kernel, 0, 0, NULL), CL_INVALID_ARG_SIZE);
    CHECK(clReleaseKernel(kernel));
    assert_int_equal(clBuildProgram(program, 0, NULL, "-cl-std=CL3.1", NULL, NULL),
                     CL_INVALID_BUILD_OPTIONS);
    CHECK(clReleaseProgram(program));
}

/* ---- affinity ---- */

static cl_device_affinity_domain domains_of(cl_device_id device)
{
    cl_device_affinity_domain domains;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof(domains), &domains,
                          NULL));
    return domains;
}

/* The first part of the device, which is one of so many of so many compute units. */
static cl_device_id first_part(cl_device_id device, cl_device_affinity_domain asked,
                               cl_device_affinity_domain made, cl_uint part_count, cl_uint units)
{
    const cl_device_partition_property along[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                  (cl_device_partition_property)asked, 0};
    cl_device_id parts[32];
    cl_device_partition_property type[4];
    cl_uint count, got;
    size_t size;
    CHECK(clCreateSubDevices(device, along, 32, parts, &count));
    assert_int_equal(count, part_count);
    for (cl_uint i = 0; i < count; i++) {
        CHECK(clGetDeviceInfo(parts[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(got), &got, NULL));
        assert_int_equal(got, units);
        CHECK(clGetDeviceInfo(parts[i], CL_DEVICE_PARTITION_TYPE, sizeof(type), type, &size));
        assert_int_equal(size, sizeof(along));
        assert_int_equal(type[0], CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
        assert_int_equal(type[1], made);
        assert_int_equal(type[2], 0);
        if (i > 0)
            CHECK(clReleaseDevice(parts[i]));
    }
    return parts[0];
}

#define ALL_CACHES                                                                                 \
    (CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE | CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE |                     \
     CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE | CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE |                     \
     CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE)

static void the_next_domain_divides_until_none_is_left(void **state)
{
    const struct fixture *fixture = *state;
    static const cl_device_affinity_domain order[] = {
        CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
        CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
        CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE};
    const cl_device_partition_property next[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    cl_device_id devices[6] = {fixture->device};
    cl_uint units = 32;
    assert_int_equal(domains_of(devices[0]), CL_DEVICE_AFFINITY_DOMAIN_NUMA | ALL_CACHES);
    for (size_t i = 0; i < 5; i++)
        devices[i + 1] = first_part(devices[i], CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE,
                                    order[i], 2, units /= 2);
    assert_int_equal(domains_of(devices[1]), ALL_CACHES);
    assert_int_equal(domains_of(devices[5]), 0);
    assert_int_equal(clCreateSubDevices(devices[5], next, 0, NULL, &units),
                     CL_DEVICE_PARTITION_FAILED);
    for (size_t i = 1; i < 6; i++)
        CHECK(clReleaseDevice(devices[i]));
}

static void a_domain_may_be_named(void **state)
{
    const struct fixture *fixture = *state;
    const cl_device_partition_property numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    const cl_device_partition_property two[] = {
        CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
        CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE | CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 0};
    const cl_device_partition_property threes[] = {CL_DEVICE_PARTITION_BY_COUNTS, 3, 3, 0, 0};
    const cl_device_partition_property pairs[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                  CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 0};
    cl_device_partition_property kinds[3];
    cl_device_id parts[2], ends[2];
    cl_uint count;
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_PARTITION_PROPERTIES, sizeof(kinds), kinds,
                          NULL));
    assert_int_equal(kinds[2], CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
    cl_device_id quad = first_part(fixture->device, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
                                   CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, 8, 4);
    assert_int_equal(clCreateSubDevices(quad, numa, 0, NULL, &count), CL_INVALID_VALUE);
    assert_int_equal(clCreateSubDevices(quad, two, 0, NULL, &count), CL_INVALID_VALUE);
    CHECK(clReleaseDevice(quad));
    /* Units 3 to 5 are half of a pair and another pair. */
    CHECK(clCreateSubDevices(fixture->device, threes, 2, parts, NULL));
    CHECK(clCreateSubDevices(parts[1], pairs, 2, ends, &count));
    assert_int_equal(count, 2);
    CHECK(clGetDeviceInfo(ends[1], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(count), &count, NULL));
    assert_int_equal(count, 2);
    for (size_t i = 0; i < 2; i++) {
        CHECK(clReleaseDevice(ends[i]));
        CHECK(clReleaseDevice(parts[i]));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest narrow[] = {
        cmocka_unit_test(pointers_have_four_bytes),
        cmocka_unit_test(the_built_in_kernel_is_there),
    };
    const struct CMUnitTest minimum[] = {
        cmocka_unit_test(optional_calls_are_refused),
        cmocka_unit_test(shared_memory_is_refused),
        cmocka_unit_test(answers_are_the_least),
        cmocka_unit_test(kernels_have_no_more_than_that),
    };
    const struct CMUnitTest earlier[] = {cmocka_unit_test(what_is_newer_is_refused)};
    const struct CMUnitTest embedded[] = {
        cmocka_unit_test(embedded_has_its_own_limits),
        cmocka_unit_test(too_many_arguments_of_a_kind_are_refused),
    };
    const struct CMUnitTest ftz[] = {cmocka_unit_test(denormal_numbers_are_flushed)};
    const struct CMUnitTest fma[] = {cmocka_unit_test(products_are_rounded_with_the_sum)};
    const struct CMUnitTest numbers[] = {cmocka_unit_test(numbers_are_answered_and_kept)};
    const struct CMUnitTest affinity[] = {
        cmocka_unit_test(the_next_domain_divides_until_none_is_left),
        cmocka_unit_test(a_domain_may_be_named),
    };
    const struct CMUnitTest large[] = {cmocka_unit_test(objects_may_be_larger_than_usual)};
    const struct CMUnitTest big_endian[] = {
        cmocka_unit_test(values_pass_and_puns_do_not),
        cmocka_unit_test(memory_given_twice_is_turned_once),
        cmocka_unit_test(the_rest_of_memory_given_in_part_is_turned),
        cmocka_unit_test(a_structure_larger_than_its_memory_is_turned),
        cmocka_unit_test(read_only_memory_of_the_host_stays_as_it_is),
    };
    if (argc != 2)
        return 2;
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    setenv("CLERK_PERSONALITY", argv[1], 1);
#define RUN(tests) cmocka_run_group_tests(tests, fixture_setup, fixture_teardown)
    return strcmp(argv[1], "minimum") == 0      ? RUN(minimum)
           : strcmp(argv[1], "opencl-3.0") == 0 ? RUN(earlier)
           : strcmp(argv[1], "embedded") == 0   ? RUN(embedded)
           : strcmp(argv[1], "ftz") == 0        ? RUN(ftz)
           : strcmp(argv[1], "fma") == 0        ? RUN(fma)
           : strcmp(argv[1], "big-endian") == 0 ? RUN(big_endian)
           : strcmp(argv[1], "32-bit") == 0     ? RUN(narrow)
           : strcmp(argv[1], "affinity") == 0   ? RUN(affinity)
           : strncmp(argv[1], "max", 3) == 0    ? RUN(large)
                                                : RUN(numbers);
}
