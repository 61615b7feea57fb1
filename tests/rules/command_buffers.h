/* What the programs of tests/rules have in common whose command-buffers are ordered with other
 * commands or not: queues, two buffers, a kernel, and what is recorded and enqueued of these. */
#ifndef TESTS_RULES_COMMAND_BUFFERS_H
#define TESTS_RULES_COMMAND_BUFFERS_H

#include "tests/rules/functions.h"

#include <stdbool.h>
#include <string.h>

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int) };

static const char source[] = "kernel void one_buffer(global int *a) { a[get_global_id(0)] = 7; }\n";

static struct program program;
static bool is_stub;
static cl_device_id device;            /* of all queues but the program's: of the stub a part */
static cl_context context;             /* of that device */
static cl_command_queue first, second; /* in order */
static cl_command_queue free_queue;    /* out of order */
static cl_mem a, b;
static cl_kernel put;

static inline void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static inline cl_command_queue make_queue(cl_command_queue_properties properties)
{
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(context, device, properties, &error);
    check(error);
    return queue;
}

static inline cl_mem make_buffer(void)
{
    static cl_int values[COUNT];
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, SIZE, values, &error);
    check(error);
    return buffer;
}

static inline void make_kernel(void)
{
    const char *text = source;
    cl_int error;
    cl_program built = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(built, 1, &device, "", NULL, NULL));
    put = clCreateKernel(built, "one_buffer", &error);
    check(error);
    check(clReleaseProgram(built));
    check(clSetKernelArg(put, 0, sizeof a, &a));
}

static inline void begin(void)
{
    const cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                  CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_int error;
    program = program_begin();
    find_functions(program.platform);
    is_stub = fail_next != NULL;
    device = program.device;
    if (is_stub)
        check(clCreateSubDevices(program.device, parts, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error);
    first = make_queue(0);
    second = make_queue(0);
    free_queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    a = make_buffer();
    b = make_buffer();
    make_kernel();
}

static inline int end(void)
{
    check(clFinish(free_queue));
    check(clFinish(first));
    check(clFinish(second));
    check(clReleaseKernel(put));
    check(clReleaseMemObject(a));
    check(clReleaseMemObject(b));
    check(clReleaseCommandQueue(free_queue));
    check(clReleaseCommandQueue(first));
    check(clReleaseCommandQueue(second));
    check(clReleaseContext(context));
    if (is_stub)
        check(clReleaseDevice(device));
    return program_end(&program);
}

/* ---- commands ---- */

/* Half of `mem`: 0 or 1. */
static inline void fill(cl_command_queue queue, cl_mem mem, size_t half, cl_event *event)
{
    const cl_int zero = 0;
    check(clEnqueueFillBuffer(queue, mem, &zero, sizeof zero, half * SIZE / 2, SIZE / 2, 0, NULL,
                              event));
}

static inline cl_command_buffer_khr make_recording(cl_uint count, const cl_command_queue *queues,
                                                   cl_command_buffer_flags_khr flags)
{
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int error;
    cl_command_buffer_khr buffer = f.clCreateCommandBufferKHR(count, queues, properties, &error);
    check(error);
    return buffer;
}

/* The first half of `a` is copied into that of `b`, after `after` if that is not 0. */
static inline void record_copy_for(cl_command_buffer_khr buffer, cl_command_queue queue,
                                   cl_sync_point_khr after)
{
    check(f.clCommandCopyBufferKHR(buffer, queue, NULL, a, b, 0, 0, SIZE / 2, after != 0,
                                   after != 0 ? &after : NULL, NULL, NULL));
}

static inline void record_copy(cl_command_buffer_khr buffer)
{
    record_copy_for(buffer, NULL, 0);
}

/* The first half of `a` is filled. */
static inline cl_sync_point_khr record_fill_for(cl_command_buffer_khr buffer,
                                                cl_command_queue queue)
{
    const cl_int zero = 0;
    cl_sync_point_khr point;
    check(f.clCommandFillBufferKHR(buffer, queue, NULL, a, &zero, sizeof zero, 0, SIZE / 2, 0, NULL,
                                   &point, NULL));
    return point;
}

static inline void enqueue(cl_command_buffer_khr buffer, const cl_event *after, cl_event *event)
{
    check(f.clEnqueueCommandBufferKHR(0, NULL, buffer, after != NULL, after, event));
}

/* One that copies, finalized. */
static inline cl_command_buffer_khr make_copy(cl_command_queue queue)
{
    cl_command_buffer_khr buffer = make_recording(1, &queue, 0);
    record_copy(buffer);
    check(f.clFinalizeCommandBufferKHR(buffer));
    return buffer;
}

static inline void release(cl_command_buffer_khr buffer)
{
    check(f.clReleaseCommandBufferKHR(buffer));
}

static inline void run_inside(cl_uint count, const cl_command_queue *queues, bool waits)
{
    cl_command_buffer_khr buffer = make_recording(count, queues, 0);
    const cl_sync_point_khr filled = record_fill_for(buffer, count > 1 ? queues[0] : NULL);
    record_copy_for(buffer, count > 1 ? queues[1] : NULL, waits ? filled : 0);
    check(f.clFinalizeCommandBufferKHR(buffer));
    enqueue(buffer, NULL, NULL);
    release(buffer);
}

/* ---- the sample programs of the specification ---- */

enum { TILES = 4, TILE_SIZE = SIZE / TILES };

static inline cl_kernel make_addition(const cl_mem *tiles)
{
    const char *text = "kernel void vector_addition(global int *tile1, global int *tile2,\n"
                       "                            global int *res) {\n"
                       "    size_t index = get_global_id(0);\n"
                       "    res[index] = tile1[index] + tile2[index];\n"
                       "}\n";
    cl_int error;
    cl_program built = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(built, 1, &device, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(built, "vector_addition", &error);
    check(error);
    check(clReleaseProgram(built));
    for (cl_uint i = 0; i < 3; i++)
        check(clSetKernelArg(kernel, i, sizeof tiles[i], &tiles[i]));
    return kernel;
}

/* One tile after the other, each in the next queue; `a` and `b` are added into `sum`. */
static inline void record_tiles(cl_command_buffer_khr buffer, cl_uint count,
                                const cl_command_queue *queues, cl_kernel kernel,
                                const cl_mem *tiles, cl_mem sum)
{
    const size_t elements = TILE_SIZE / sizeof(cl_int);
    cl_sync_point_khr done = 0;
    for (cl_uint i = 0; i < TILES; i++) {
        cl_command_queue queue = count > 1 ? queues[i % count] : NULL;
        cl_sync_point_khr copied[2], added;
        for (cl_uint j = 0; j < 2; j++)
            check(f.clCommandCopyBufferKHR(buffer, queue, NULL, j == 0 ? a : b, tiles[j],
                                           i * TILE_SIZE, 0, TILE_SIZE, done != 0,
                                           done != 0 ? &done : NULL, &copied[j], NULL));
        check(f.clCommandNDRangeKernelKHR(buffer, queue, NULL, kernel, 1, NULL, &elements, NULL, 2,
                                          copied, &added, NULL));
        check(f.clCommandCopyBufferKHR(buffer, queue, NULL, tiles[2], sum, 0, i * TILE_SIZE,
                                       TILE_SIZE, 1, &added, &done, NULL));
    }
    check(f.clFinalizeCommandBufferKHR(buffer));
}

static inline void enqueue_frames(cl_command_queue queue, cl_command_buffer_khr buffer)
{
    for (int frame = 0; frame < 3; frame++) {
        const cl_int source1[COUNT] = {frame}, source2[COUNT] = {2 * frame};
        cl_event written[2], done;
        check(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, SIZE, source1, 0, NULL, &written[0]));
        check(clEnqueueWriteBuffer(queue, b, CL_FALSE, 0, SIZE, source2, 0, NULL, &written[1]));
        check(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 2, written, &done));
        check(clWaitForEvents(1, &done));
        check(clReleaseEvent(written[0]));
        check(clReleaseEvent(written[1]));
        check(clReleaseEvent(done));
    }
}

static inline void run_sample(cl_uint count, const cl_command_queue *queues, bool remaps)
{
    cl_mem tiles[3] = {make_buffer(), make_buffer(), make_buffer()}, sum = make_buffer();
    cl_kernel kernel = make_addition(tiles);
    cl_command_buffer_khr buffer = make_recording(count, queues, 0);
    record_tiles(buffer, count, queues, kernel, tiles, sum);
    enqueue_frames(queues[0], buffer);
    if (remaps) {
        cl_int error;
        cl_command_buffer_khr copy =
            f.clRemapCommandBufferKHR(buffer, CL_FALSE, 2, queues, 0, NULL, NULL, &error);
        check(error);
        enqueue_frames(queues[1], copy);
        release(copy);
    }
    release(buffer);
    for (int i = 0; i < 3; i++)
        check(clReleaseMemObject(tiles[i]));
    check(clReleaseMemObject(sum));
    check(clReleaseKernel(kernel));
}

/* ---- cases ---- */

/* The cases of a program, run by their names. */
struct command_buffers_case {
    const char *name;
    void (*run)(void);
};

static inline int run_case(const struct command_buffers_case *cases, size_t count, int argc,
                           char **argv)
{
    for (size_t i = 0; argc == 2 && i < count; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        begin();
        cases[i].run();
        return end();
    }
    fprintf(stderr, "unknown case\n");
    return 3;
}

#endif
