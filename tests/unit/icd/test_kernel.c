/* Kernels: arguments, sizes, launches, and what the checks find in them. */
#include "checkers/finding.h"
#include "checkers/sink.h"
#include "tests/unit/icd/fixture.h"

#include <fenv.h>
#include <pthread.h>
#include <unistd.h>

static const char source[] =
    "kernel void add(global const float *a, global float *b, float factor, int4 shift)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    b[i] = a[i] * factor + (float)shift.w;\n"
    "}\n"
    "kernel void where(global uint *out)\n"
    "{\n"
    "    size_t i = (get_global_id(2) - get_global_offset(2)) * get_global_size(1);\n"
    "    i = (i + get_global_id(1) - get_global_offset(1)) * get_global_size(0);\n"
    "    i += get_global_id(0) - get_global_offset(0);\n"
    "    out[i] = (uint)(get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2));\n"
    "}\n"
    "kernel void reverse(global int *data, local int *tile)\n"
    "{\n"
    "    size_t l = get_local_id(0), n = get_local_size(0);\n"
    "    tile[l] = data[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    data[get_global_id(0)] = tile[n - 1 - l];\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global int *a)\n"
    "{\n"
    "    a[get_global_id(0)] = (int)get_local_size(0);\n"
    "}\n"
    "kernel void say(int value)\n"
    "{\n"
    "    printf(\"%d from %d\\n\", value, (int)get_global_id(0));\n"
    "}\n"
    "kernel void racy(global int *a)\n"
    "{\n"
    "    a[0] = (int)get_global_id(0);\n"
    "}\n"
    "kernel void count(global int *a)\n"
    "{\n"
    "    atomic_inc(a);\n"
    "}\n"
    "kernel void spin(volatile global int *a)\n"
    "{\n"
    "    while (a[0] == 0)\n"
    "        ;\n"
    "}\n";

static cl_program program_of(const struct fixture *fixture)
{
    return fixture_program(fixture, source, NULL);
}

static void vectors_are_added(void **state)
{
    struct fixture *fixture = *state;
    enum { COUNT = 1000 };
    static float a[COUNT], b[COUNT];
    cl_program program = program_of(fixture);
    cl_kernel kernel = fixture_kernel(program, "add");
    for (int i = 0; i < COUNT; i++)
        a[i] = (float)i;
    cl_mem in = fixture_buffer(fixture, sizeof(a), a),
           out = fixture_buffer(fixture, sizeof(b), NULL);
    const float factor = 2.5f;
    const cl_int4 shift = {{1, 2, 3, 4}};
    const size_t count = COUNT;
    CHECK(clSetKernelArg(kernel, 0, sizeof(in), &in));
    CHECK(clSetKernelArg(kernel, 1, sizeof(out), &out));
    CHECK(clSetKernelArg(kernel, 2, sizeof(factor), &factor));
    assert_int_equal(
        clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL),
        CL_INVALID_KERNEL_ARGS);
    CHECK(clSetKernelArg(kernel, 3, sizeof(shift), &shift));
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &count, NULL, 0, NULL, &event));
    CHECK(clEnqueueReadBuffer(fixture->queue, out, CL_TRUE, 0, sizeof(b), b, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        assert_true(b[i] == (float)i * 2.5f + 4.0f);
    cl_ulong start, end;
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
    assert_true(end - start > 100);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(in));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void ids_cover_the_range(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = program_of(fixture);
    cl_kernel kernel = fixture_kernel(program, "where");
    const size_t global[] = {6, 5, 4}, offset[] = {10, 20, 30}, local[] = {3, 5, 2};
    cl_uint out[120];
    for (int with_local = 0; with_local < 2; with_local++) {
        cl_mem mem = fixture_buffer(fixture, sizeof(out), NULL);
        CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
        CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 3, offset, global,
                                     with_local ? local : NULL, 0, NULL, NULL));
        CHECK(
            clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
        for (size_t z = 0; z < 4; z++) {
            for (size_t y = 0; y < 5; y++) {
                for (size_t x = 0; x < 6; x++)
                    assert_int_equal(out[(z * 5 + y) * 6 + x],
                                     10 + x + 100 * (20 + y) + 10000 * (30 + z));
            }
        }
        CHECK(clReleaseMemObject(mem));
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void local_memory_is_the_groups(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = program_of(fixture);
    cl_kernel kernel = fixture_kernel(program, "reverse");
    int data[256];
    for (int i = 0; i < 256; i++)
        data[i] = i;
    cl_mem mem = fixture_buffer(fixture, sizeof(data), data);
    const size_t global = 256, local = 128;
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    assert_int_equal(clSetKernelArg(kernel, 1, 4, data), CL_INVALID_ARG_VALUE);
    CHECK(clSetKernelArg(kernel, 1, local * sizeof(int), NULL));
    cl_ulong used;
    CHECK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(used), &used,
                                   NULL));
    assert_int_equal(used, local * sizeof(int));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
    for (int i = 0; i < 256; i++)
        assert_int_equal(data[i], i / 128 * 128 + 127 - i % 128);
    CHECK(clSetKernelArg(kernel, 1, 1 << 20, NULL));
    assert_int_equal(
        clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
        CL_OUT_OF_RESOURCES);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void local_memory_may_have_no_bytes(void **state)
{
    struct fixture *fixture = *state;
    cl_program program =
        fixture_program(fixture,
                        "kernel void k(global int *out, local int *none, local int *tile)\n"
                        "{ tile[0] = 5; out[0] = tile[0]; }\n",
                        "");
    cl_kernel kernel = fixture_kernel(program, "k");
    int result = 0;
    cl_mem mem = fixture_buffer(fixture, sizeof(result), &result);
    const size_t one = 1;
    cl_ulong used;
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(clSetKernelArg(kernel, 1, 0, NULL));
    CHECK(clSetKernelArg(kernel, 2, sizeof(int), NULL));
    CHECK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(used), &used,
                                   NULL));
    assert_int_equal(used, sizeof(int));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(result), &result, 0, NULL,
                              NULL));
    assert_int_equal(result, 5);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void sizes_are_checked(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = program_of(fixture);
    cl_kernel kernel = fixture_kernel(program, "eight"), any = fixture_kernel(program, "racy");
    cl_mem mem = fixture_buffer(fixture, 4096, NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(clSetKernelArg(any, 0, sizeof(mem), &mem));
    const size_t global = 16, seven = 7, four = 4, none = 0, most = SIZE_MAX, big = 4096;
    const size_t all[] = {2048, 1, 1};
    cl_command_queue queue = fixture->queue;
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 0, NULL, &global, NULL, 0, NULL, NULL),
                     CL_INVALID_WORK_DIMENSION);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 4, NULL, &global, NULL, 0, NULL, NULL),
                     CL_INVALID_WORK_DIMENSION);
    assert_int_equal(clEnqueueNDRangeKernel(queue, any, 1, NULL, &global, &seven, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(clEnqueueNDRangeKernel(queue, any, 1, NULL, &global, &none, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &four, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(clEnqueueNDRangeKernel(queue, any, 1, NULL, &big, &all[0], 0, NULL, NULL),
                     CL_INVALID_WORK_ITEM_SIZE);
    assert_int_equal(clEnqueueNDRangeKernel(queue, any, 1, &most, &global, NULL, 0, NULL, NULL),
                     CL_INVALID_GLOBAL_OFFSET);
    /* OpenCL 2.1: no work-items are not error. */
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(queue, any, 1, NULL, &none, NULL, 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    CHECK(clReleaseEvent(event));
    int back[16];
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    assert_int_equal(back[15], 8);
    assert_int_equal(clEnqueueTask(queue, kernel, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseKernel(any));
    CHECK(clReleaseProgram(program));
}

static void suggested_sizes_divide(void **state)
{
    struct fixture *fixture = *state;
    clGetKernelSuggestedLocalWorkSizeKHR_fn suggest;
    *(void **)&suggest = clGetExtensionFunctionAddressForPlatform(
        fixture->platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    cl_program program = program_of(fixture);
    cl_kernel kernel = fixture_kernel(program, "racy");
    cl_mem mem = fixture_buffer(fixture, 64, NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    const struct {
        size_t global[3], local[3];
    } cases[] = {
        {{1024, 1, 1}, {256, 1, 1}},  {{1000, 1, 1}, {250, 1, 1}}, {{1009, 1, 1}, {1009, 1, 1}},
        {{100, 100, 1}, {100, 2, 1}}, {{7, 3, 5}, {7, 3, 5}},      {{2053, 1, 1}, {1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t local[3];
        CHECK(suggest(fixture->queue, kernel, 3, NULL, cases[i].global, local));
        assert_memory_equal(local, cases[i].local, sizeof(local));
    }
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void arguments_are_checked_and_described(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = program_of(fixture);
    cl_int result;
    assert_null(clCreateKernel(program, "nothing", &result));
    assert_int_equal(result, CL_INVALID_KERNEL_NAME);
    cl_kernel kernel = fixture_kernel(program, "add");
    const float value = 1;
    assert_int_equal(clSetKernelArg(kernel, 4, 4, &value), CL_INVALID_ARG_INDEX);
    assert_int_equal(clSetKernelArg(kernel, 2, 8, &value), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(kernel, 2, 4, NULL), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArg(kernel, 0, 4, &value), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof(cl_mem), &fixture->queue),
                     CL_INVALID_MEM_OBJECT);
    cl_mem mem = fixture_buffer(fixture, 4, NULL);
    cl_uint references;
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &mem));
    CHECK(clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof(references), &references, NULL));
    assert_int_equal(references, 1); /* a kernel holds none */
    CHECK(clReleaseMemObject(mem));
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL));
    char text[64];
    CHECK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL));
    assert_string_equal(text, "float*");
    CHECK(clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL));
    assert_string_equal(text, "factor");
    cl_kernel_arg_address_qualifier address;
    CHECK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address,
                             NULL));
    assert_int_equal(address, CL_KERNEL_ARG_ADDRESS_GLOBAL);
    cl_kernel_arg_type_qualifier type;
    CHECK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_KERNEL_ARG_TYPE_CONST);
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(text), text, NULL));
    assert_string_equal(text, "add");
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void clones_have_arguments_of_their_own(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = program_of(fixture);
    cl_kernel kernel = fixture_kernel(program, "count");
    const int zero = 0;
    int first = -1, second = -1;
    cl_int result;
    cl_mem a = fixture_buffer(fixture, 4, &zero), b = fixture_buffer(fixture, 4, &zero);
    CHECK(clSetKernelArg(kernel, 0, sizeof(a), &a));
    cl_kernel clone = clCloneKernel(kernel, &result);
    CHECK(result);
    CHECK(clSetKernelArg(kernel, 0, sizeof(b), &b));
    const size_t global = 100;
    CHECK(clEnqueueNDRangeKernel(fixture->queue, clone, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueTask(fixture->queue, kernel, 0, NULL, NULL));
    /* The commands keep what they need. */
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseKernel(clone));
    CHECK(clReleaseProgram(program));
    CHECK(clEnqueueReadBuffer(fixture->queue, a, CL_TRUE, 0, 4, &first, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, b, CL_TRUE, 0, 4, &second, 0, NULL, NULL));
    assert_int_equal(first, 100);
    assert_int_equal(second, 1);
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
}

struct native_arguments {
    int *data;
    int factor;
};

static void CL_CALLBACK scale(void *argument)
{
    const struct native_arguments *arguments = argument;
    for (int i = 0; i < 4; i++)
        arguments->data[i] *= arguments->factor;
}

static void native_kernels_run_in_order(void **state)
{
    struct fixture *fixture = *state;
    int values[4] = {1, 2, 3, 4};
    cl_mem mem = fixture_buffer(fixture, sizeof(values), values);
    struct native_arguments arguments = {NULL, 10};
    const void *place = &arguments.data;
    CHECK(clEnqueueNativeKernel(fixture->queue, scale, &arguments, sizeof(arguments), 1, &mem,
                                &place, 0, NULL, NULL));
    arguments.factor = 0; /* it was copied */
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(values), values, 0, NULL,
                              NULL));
    assert_int_equal(values[3], 40);
    const void *outside = values;
    assert_int_equal(clEnqueueNativeKernel(fixture->queue, scale, &arguments, sizeof(arguments), 1,
                                           &mem, &outside, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(
        clEnqueueNativeKernel(fixture->queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
        CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(mem));
}

struct reentry {
    cl_command_queue queue;
    cl_event event;
};

static void CL_CALLBACK enqueue_more(void *data)
{
    struct reentry *reentry = *(struct reentry **)data;
    clEnqueueMarkerWithWaitList(reentry->queue, 0, NULL, &reentry->event);
    clFlush(reentry->queue);
}

static void native_kernels_may_enqueue(void **state)
{
    struct fixture *fixture = *state;
    struct reentry reentry = {.queue = fixture->queue};
    struct reentry *address = &reentry;
    CHECK(clEnqueueNativeKernel(fixture->queue, enqueue_more, &address, sizeof(address), 0, NULL,
                                NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(fixture_status(reentry.event), CL_COMPLETE);
    CHECK(clReleaseEvent(reentry.event));
}

/* Commands run on the program's thread, which may round its own way. */
static void the_rounding_of_the_program_does_not_matter(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(
        fixture, "kernel void add(global float *sum, float a, float b) { *sum = a + b; }\n", NULL);
    cl_kernel kernel = fixture_kernel(program, "add");
    cl_mem mem = fixture_buffer(fixture, 4, NULL);
    const float a = 1.0f, b = 0x1p-30f;
    const size_t one = 1;
    float sum;
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(clSetKernelArg(kernel, 1, sizeof(a), &a));
    CHECK(clSetKernelArg(kernel, 2, sizeof(b), &b));
    assert_int_equal(fesetround(FE_UPWARD), 0);
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(sum), &sum, 0, NULL, NULL));
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    assert_true(sum == 1.0f);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* ---- findings ---- */

typedef void finding_sink(void *user, const void *finding);
typedef int32_t set_sink(uint32_t version, finding_sink *sink, void *user);
typedef int32_t set_option(const char *name, const char *value);

static void count_finding(void *user, const void *finding)
{
    (void)finding;
    ++*(int *)user;
}

static int findings_of(const struct fixture *fixture, const char *name, const char *checks)
{
    int count = 0;
    set_sink *sink;
    set_option *option;
    *(void **)&sink =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetFindingSinkCLERK");
    *(void **)&option =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetDeviceOptionCLERK");
    assert_int_equal(sink(1000, count_finding, &count), CL_INVALID_VALUE);
    assert_int_equal(sink(SINK_VERSION, count_finding, &count), CL_SUCCESS);
    assert_int_equal(option("checks", checks), CL_SUCCESS);
    const int zero = 0;
    const size_t global = 64;
    cl_program program = program_of(fixture);
    cl_kernel kernel = fixture_kernel(program, name);
    cl_mem mem = fixture_buffer(fixture, 4, &zero);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    assert_int_equal(sink(SINK_VERSION, NULL, NULL), CL_SUCCESS);
    assert_int_equal(option("checks", "all"), CL_SUCCESS);
    return count;
}

static void races_are_found(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(findings_of(fixture, "racy", "all"), 1);
    assert_int_equal(findings_of(fixture, "racy", "none"), 0);
    assert_int_equal(findings_of(fixture, "racy", "memory"), 0);
    assert_int_equal(findings_of(fixture, "count", "all"), 0);
}

/* ---- launches that do not end ---- */

static cl_int status_of(cl_event event)
{
    cl_int status;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    CHECK(clReleaseEvent(event));
    return status;
}

/* The command fails, and what waits for it with it; the queue goes on. */
static void an_operation_limit_ends_a_launch(void **state)
{
    struct fixture *fixture = *state;
    int findings = 0;
    set_sink *sink;
    set_option *option;
    *(void **)&sink =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetFindingSinkCLERK");
    *(void **)&option =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetDeviceOptionCLERK");
    assert_int_equal(sink(SINK_VERSION, count_finding, &findings), CL_SUCCESS);
    assert_int_equal(option("operation-limit", "-1"), CL_INVALID_VALUE);
    assert_int_equal(option("operation-limit", "10000"), CL_SUCCESS);
    const int zero = 0;
    const size_t global = 64;
    cl_event spins, waits, counts;
    cl_program program = program_of(fixture);
    cl_kernel spin = fixture_kernel(program, "spin");
    cl_kernel count = fixture_kernel(program, "count");
    cl_mem mem = fixture_buffer(fixture, 4, &zero);
    CHECK(clSetKernelArg(spin, 0, sizeof(mem), &mem));
    CHECK(clSetKernelArg(count, 0, sizeof(mem), &mem));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, spin, 1, NULL, &global, NULL, 0, NULL, &spins));
    CHECK(clEnqueueMarkerWithWaitList(fixture->queue, 1, &spins, &waits));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, count, 1, NULL, &global, NULL, 0, NULL, &counts));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(status_of(spins), CL_OUT_OF_RESOURCES);
    assert_int_equal(status_of(waits), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(status_of(counts), CL_COMPLETE);
    assert_int_equal(findings, 1);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(spin));
    CHECK(clReleaseKernel(count));
    CHECK(clReleaseProgram(program));
    assert_int_equal(option("operation-limit", "0"), CL_SUCCESS);
    assert_int_equal(sink(SINK_VERSION, NULL, NULL), CL_SUCCESS);
}

/* ---- programs from binaries ---- */

static void keep_line(void *user, const void *told)
{
    const struct finding *finding = told;
    char *line = user;
    if (finding->place_count > 0 && finding->places[0].source)
        snprintf(line, 128, "%s", finding->places[0].source);
}

/* The program that the binary of another one makes; its own binary is the same. */
static cl_program from_binary(const struct fixture *fixture, cl_program program)
{
    size_t sizes[2];
    unsigned char *bytes[2];
    cl_program made = NULL;
    for (int i = 0; i < 2; i++) {
        cl_program from = i == 0 ? program : made;
        cl_int result;
        CHECK(clGetProgramInfo(from, CL_PROGRAM_BINARY_SIZES, sizeof(sizes[i]), &sizes[i], NULL));
        bytes[i] = malloc(sizes[i]);
        CHECK(clGetProgramInfo(from, CL_PROGRAM_BINARIES, sizeof(bytes[i]), &bytes[i], NULL));
        if (i > 0)
            break;
        const unsigned char *given = bytes[0];
        made = clCreateProgramWithBinary(fixture->context, 1, &fixture->device, &sizes[0], &given,
                                         NULL, &result);
        CHECK(result);
        CHECK(clBuildProgram(made, 0, NULL, NULL, NULL, NULL));
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
    return made;
}

static void binaries_keep_the_source_lines(void **state)
{
    const struct fixture *fixture = *state;
    set_sink *sink;
    char line[128] = "";
    *(void **)&sink =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetFindingSinkCLERK");
    assert_int_equal(sink(SINK_VERSION, keep_line, line), CL_SUCCESS);
    const size_t global = 64;
    cl_program program = program_of(fixture);
    cl_program again = from_binary(fixture, program);
    CHECK(clReleaseProgram(program));
    cl_kernel kernel = fixture_kernel(again, "racy");
    cl_mem mem = fixture_buffer(fixture, 4, &(int){0});
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(sink(SINK_VERSION, NULL, NULL), CL_SUCCESS);
    assert_string_equal(line, "    a[0] = (int)get_global_id(0);");
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(again));
}

/* ---- printf ---- */

/* On standard output, after what the program printed before, when clFinish returns. */
static void kernels_print_before_finish_returns(void **state)
{
    const struct fixture *fixture = *state;
    const size_t global = 2;
    char printed[128] = "";
    cl_program program = program_of(fixture);
    cl_kernel kernel = fixture_kernel(program, "say");
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
    printf("first\n");
    for (int value = 7; value < 9; value++) {
        CHECK(clSetKernelArg(kernel, 0, sizeof(value), &value));
        CHECK(
            clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    }
    CHECK(clFinish(fixture->queue));
    const ssize_t size = pread(fileno(file), printed, sizeof(printed) - 1, 0);
    assert_true(dup2(kept, STDOUT_FILENO) >= 0);
    close(kept);
    fclose(file);
    assert_true(size > 0);
    assert_string_equal(printed, "first\n7 from 0\n7 from 1\n8 from 0\n8 from 1\n");
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* ---- the calls that findings belong to ---- */

typedef void set_call(uint64_t call_id);

struct told_calls {
    uint64_t ids[8];
    size_t count;
};

static void note_call(void *user, const void *told)
{
    const struct finding *finding = told;
    struct told_calls *calls = user;
    if (calls->count < sizeof(calls->ids) / sizeof(calls->ids[0]))
        calls->ids[calls->count++] = finding->call_id;
}

/* The layer tells it before the enqueue; each is for one enqueue, also one that fails. */
static void findings_name_the_call(void **state)
{
    const struct fixture *fixture = *state;
    struct told_calls calls = {.count = 0};
    set_sink *sink;
    set_call *call;
    *(void **)&sink =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetFindingSinkCLERK");
    *(void **)&call =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetLaunchCallCLERK");
    assert_non_null(call);
    assert_int_equal(sink(SINK_VERSION, note_call, &calls), CL_SUCCESS);
    const size_t global = 64;
    cl_program program = program_of(fixture);
    cl_kernel kernel = fixture_kernel(program, "racy");
    cl_mem mem = fixture_buffer(fixture, 4, &(int){0});
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    call(7);
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    call(8);
    assert_int_equal(
        clEnqueueNDRangeKernel(fixture->queue, kernel, 9, NULL, &global, NULL, 0, NULL, NULL),
        CL_INVALID_WORK_DIMENSION);
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(sink(SINK_VERSION, NULL, NULL), CL_SUCCESS);
    assert_int_equal(calls.count, 2);
    assert_int_equal(calls.ids[0], 7);
    assert_int_equal(calls.ids[1], 0);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 8 };

struct launcher {
    const struct fixture *fixture;
    cl_program program; /* shared */
    set_call *call;
    uint64_t first_id;
    const char *problem;
};

/* A launch that a user event holds back, and one with a race that is this call's. */
static const char *launch_both(const struct launcher *launcher, cl_command_queue queue, cl_mem mem,
                               uint64_t id)
{
    const size_t global = 16;
    int values[16] = {0};
    cl_kernel eight = clCreateKernel(launcher->program, "eight", NULL);
    cl_kernel racy = clCreateKernel(launcher->program, "racy", NULL);
    cl_event gate = clCreateUserEvent(launcher->fixture->context, NULL);
    if (!eight || !racy || !gate)
        return "creation";
    clSetKernelArg(eight, 0, sizeof(mem), &mem);
    clSetKernelArg(racy, 0, sizeof(mem), &mem);
    launcher->call(id);
    cl_int result = clEnqueueNDRangeKernel(queue, racy, 1, NULL, &global, NULL, 0, NULL, NULL);
    result |= clEnqueueNDRangeKernel(queue, eight, 1, NULL, &global, NULL, 1, &gate, NULL);
    result |= clFlush(queue);
    result |= clSetUserEventStatus(gate, CL_COMPLETE);
    result |= clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL);
    clReleaseEvent(gate);
    clReleaseKernel(eight);
    clReleaseKernel(racy);
    for (size_t i = 0; i < 16; i++)
        result |= values[i] != 8;
    return result == 0 ? NULL : "values";
}

static void *launch_rounds(void *argument)
{
    struct launcher *launcher = argument;
    const char *text = source;
    cl_program own = clCreateProgramWithSource(launcher->fixture->context, 1, &text, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(
        launcher->fixture->context, launcher->fixture->device, NULL, NULL);
    cl_mem mem = clCreateBuffer(launcher->fixture->context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    if (!own || clBuildProgram(own, 0, NULL, NULL, NULL, NULL) != CL_SUCCESS || !queue || !mem)
        launcher->problem = "build";
    for (uint64_t round = 0; round < ROUNDS && !launcher->problem; round++)
        launcher->problem = launch_both(launcher, queue, mem, launcher->first_id + round);
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
    clReleaseProgram(own);
    return NULL;
}

static void count_call(void *user, const void *told)
{
    const struct finding *finding = told;
    int *counts = user;
    counts[finding->call_id < THREADS * ROUNDS ? finding->call_id : 0]++;
}

static void threads_build_and_launch(void **state)
{
    const struct fixture *fixture = *state;
    pthread_t threads[THREADS];
    struct launcher launchers[THREADS];
    int counts[THREADS * ROUNDS] = {0};
    set_sink *sink;
    set_call *call;
    *(void **)&sink =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetFindingSinkCLERK");
    *(void **)&call =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetLaunchCallCLERK");
    assert_int_equal(sink(SINK_VERSION, count_call, counts), CL_SUCCESS);
    cl_program program = program_of(fixture);
    for (uint64_t i = 0; i < THREADS; i++) {
        launchers[i] = (struct launcher){fixture, program, call, i * ROUNDS, NULL};
        assert_int_equal(pthread_create(&threads[i], NULL, launch_rounds, &launchers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (launchers[i].problem)
            fail_msg("thread %zu: %s", i, launchers[i].problem);
    }
    assert_int_equal(sink(SINK_VERSION, NULL, NULL), CL_SUCCESS);
    for (size_t i = 0; i < THREADS * ROUNDS; i++)
        assert_int_equal(counts[i], counts[0]);
    assert_true(counts[0] > 0);
    CHECK(clReleaseProgram(program));
}

/* SPIR-V does not keep the sign of a vector type hint: it comes from the text. */
static void hints_keep_their_sign(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *name, *attributes;
    } cases[] = {{"one", "vec_type_hint(uint4)"},
                 {"two", "vec_type_hint(int4)"},
                 {"three", "reqd_work_group_size(2,1,1) vec_type_hint(uchar)"},
                 {"four", "vec_type_hint(float2)"}};
    cl_program program = fixture_program(
        fixture,
        "kernel __attribute__((vec_type_hint(uint4))) void one(global int *a) { *a = 1; }\n"
        "__attribute__((vec_type_hint(int4))) kernel void two(global uint *a) { *a = 1; }\n"
        "kernel __attribute__((reqd_work_group_size(2, 1, 1)))\n"
        "__attribute__((__vec_type_hint__( uchar ))) void three (global int *a) { *a = 1; }\n"
        "kernel __attribute__((vec_type_hint(float2))) void four(global int *a) { *a = 1; }\n",
        NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char attributes[128];
        cl_kernel kernel = fixture_kernel(program, cases[i].name);
        CHECK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof(attributes), attributes, NULL));
        assert_string_equal(attributes, cases[i].attributes);
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseProgram(program));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints_keep_their_sign),
        cmocka_unit_test(vectors_are_added),
        cmocka_unit_test(ids_cover_the_range),
        cmocka_unit_test(local_memory_is_the_groups),
        cmocka_unit_test(local_memory_may_have_no_bytes),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(suggested_sizes_divide),
        cmocka_unit_test(arguments_are_checked_and_described),
        cmocka_unit_test(clones_have_arguments_of_their_own),
        cmocka_unit_test(native_kernels_run_in_order),
        cmocka_unit_test(native_kernels_may_enqueue),
        cmocka_unit_test(the_rounding_of_the_program_does_not_matter),
        cmocka_unit_test(races_are_found),
        cmocka_unit_test(an_operation_limit_ends_a_launch),
        cmocka_unit_test(binaries_keep_the_source_lines),
        cmocka_unit_test(kernels_print_before_finish_returns),
        cmocka_unit_test(findings_name_the_call),
        cmocka_unit_test(threads_build_and_launch),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
