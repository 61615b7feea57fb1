/* Many rounds over objects that live through all of them: what one round gives depends on those
 * before it. For recordings that begin late, and for parts of recordings.
 *     rounds COUNT [BUG]
 * In the middle round the program also does what BUG says, which clerk finds. */
#include "tests/replay/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, INPUT_SIZE = 64 << 10, LOCAL_SIZE = 16 };

static const char source[] =
    "__kernel void advance(__global uint *state, __global const uint *input, __global uint *part,\n"
    "                      read_only image2d_t image, sampler_t sampler, uint round) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    const uint4 texel = read_imageui(image, sampler, (int2)((int)i % 4, 0));\n"
    "    state[i] = state[i] * 3 + input[i * 251] + texel.x + round;\n"
    "    if (i < 16) part[i] += 1;\n"
    "}\n"
    "__kernel void all_write(__global uint *state) { state[0] = (uint)get_global_id(0); }\n"
    "__kernel void chosen(__global uint *state, __global const uint *where) {\n"
    "    state[where[get_global_id(0)]] = (uint)get_global_id(0);\n"
    "}\n"
    "__kernel void beyond(__global uint *state, uint count) {\n"
    "    state[get_global_id(0)] = state[count + get_global_id(0)] & 1;\n"
    "}\n"
    "__kernel void unwritten(__global uint *state) {\n"
    "    __local uint scratch[64];\n"
    "    if (get_local_id(0) > 4) scratch[get_local_id(0)] = 1;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (scratch[get_local_id(0)] == 1) state[get_global_id(0)] = 2;\n"
    "}\n"
    "__kernel void outside(__global uint *state) {\n"
    "    uint own[4] = {1, 2, 3, 4};\n"
    "    own[state[get_global_id(0)] & 3] = (uint)get_global_id(0);\n"
    "    state[get_global_id(0)] = own[get_local_id(0) & 4];\n"
    "}\n"
    "__kernel void unaligned(__global uint *state) {\n"
    "    __global char *bytes = (__global char *)&state[get_global_id(0)];\n"
    "    *(__global ushort *)(bytes + 1) = 3;\n"
    "}\n"
    "__kernel void shared(__global uint *state) {\n"
    "    __local uint sum[1];\n"
    "    sum[0] = (uint)get_local_id(0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    state[get_global_id(0)] = sum[0];\n"
    "}\n";

struct rounds {
    struct setup setup;
    cl_command_queue second; /* beside the first, for a bug */
    cl_program program;
    cl_kernel step;
    cl_mem state, part, input, image, where;
    cl_sampler sampler;
    cl_event last; /* of the round before */
    cl_uint *pinned;
};

static cl_mem make_buffer(const struct rounds *rounds, cl_mem_flags flags, size_t size, void *bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(rounds->setup.context, flags, size, bytes, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static void make_image(struct rounds *rounds)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 1};
    cl_uint texels[4] = {1, 20, 300, 4000};
    cl_int status;
    rounds->image = clCreateImage(rounds->setup.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                  &format, &desc, texels, &status);
    check(status, "clCreateImage");
    rounds->sampler = clCreateSampler(rounds->setup.context, CL_FALSE, CL_ADDRESS_CLAMP,
                                      CL_FILTER_NEAREST, &status);
    check(status, "clCreateSampler");
}

/* A kernel whose arguments come in part from the one that it was cloned from, as far as the device
 * can do that. */
static cl_kernel make_kernel(const struct rounds *rounds)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(rounds->program, "advance", &status);
    check(status, "clCreateKernel");
    set(kernel, 0, sizeof(cl_mem), &rounds->state);
    set(kernel, 1, sizeof(cl_mem), &rounds->input);
    set(kernel, 2, sizeof(cl_mem), &rounds->part);
    set(kernel, 3, sizeof(cl_mem), &rounds->image);
    set(kernel, 4, sizeof(cl_sampler), &rounds->sampler);
    cl_kernel clone = clCloneKernel(kernel, &status);
    if (status != CL_SUCCESS)
        return kernel;
    check(clReleaseKernel(kernel), "clReleaseKernel");
    return clone;
}

static void open_rounds(struct rounds *rounds)
{
    const cl_buffer_region region = {0, 16 * sizeof(cl_uint)};
    cl_uint zeros[ITEMS] = {0};
    cl_uint where[ITEMS];
    cl_int status;
    setup_open(&rounds->setup);
    for (cl_uint i = 0; i < ITEMS; i++)
        where[i] = i;
    rounds->second = clCreateCommandQueue(rounds->setup.context, rounds->setup.device, 0, &status);
    check(status, "clCreateCommandQueue");
    rounds->program = setup_build(&rounds->setup, source, "");
    rounds->state =
        make_buffer(rounds, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
    cl_mem whole =
        make_buffer(rounds, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
    rounds->part =
        clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    check(status, "clCreateSubBuffer");
    check(clReleaseMemObject(whole), "clReleaseMemObject");
    rounds->input = make_buffer(rounds, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, INPUT_SIZE, NULL);
    rounds->where =
        make_buffer(rounds, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof where, where);
    make_image(rounds);
    rounds->step = make_kernel(rounds);
    cl_mem pinned = make_buffer(rounds, CL_MEM_ALLOC_HOST_PTR, INPUT_SIZE, NULL);
    rounds->pinned = clEnqueueMapBuffer(rounds->setup.queue, pinned, CL_TRUE, CL_MAP_WRITE, 0,
                                        INPUT_SIZE, 0, NULL, NULL, &status);
    check(status, "clEnqueueMapBuffer");
    check(clRetainContext(rounds->setup.context), "clRetainContext");
    check(clReleaseContext(rounds->setup.context), "clReleaseContext");
}

/* Bytes that do not compress. */
static void fill_input(struct rounds *rounds, cl_uint round)
{
    cl_uint value = round * 2654435761U + 1;
    for (size_t i = 0; i < INPUT_SIZE / sizeof value; i++)
        rounds->pinned[i] = value = value * 1664525U + 1013904223U;
}

static void launch(const struct rounds *rounds, const char *name, cl_uint argument, cl_mem second)
{
    const size_t global = ITEMS;
    const size_t local = LOCAL_SIZE;
    cl_int status;
    cl_kernel kernel = clCreateKernel(rounds->program, name, &status);
    check(status, "clCreateKernel");
    set(kernel, 0, sizeof(cl_mem), &rounds->state);
    if (argument)
        set(kernel, 1, sizeof argument, &argument);
    if (second)
        set(kernel, 1, sizeof second, &second);
    check(clEnqueueNDRangeKernel(rounds->setup.queue, kernel, 1, NULL, &global, &local, 0, NULL,
                                 NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(rounds->setup.queue), "clFinish");
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

/* What was written where it is said which items write where, in this round or long before. */
static void misdirect(const struct rounds *rounds)
{
    const cl_uint same[2] = {7, 7};
    check(clEnqueueWriteBuffer(rounds->setup.queue, rounds->where, CL_TRUE, 0, sizeof same, same, 0,
                               NULL, NULL),
          "clEnqueueWriteBuffer");
}

static void clash(const struct rounds *rounds)
{
    const cl_uint zero = 0;
    const cl_uint one = 1;
    check(clEnqueueFillBuffer(rounds->setup.queue, rounds->state, &zero, sizeof zero, 0,
                              sizeof zero * ITEMS, 0, NULL, NULL),
          "clEnqueueFillBuffer");
    check(clEnqueueFillBuffer(rounds->second, rounds->state, &one, sizeof one, 0,
                              sizeof one * ITEMS, 0, NULL, NULL),
          "clEnqueueFillBuffer");
    check(clFinish(rounds->second), "clFinish");
    check(clFinish(rounds->setup.queue), "clFinish");
}

static void use_released(const struct rounds *rounds)
{
    cl_mem buffer = make_buffer(rounds, CL_MEM_READ_WRITE, 64, NULL);
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    (void)clSetKernelArg(rounds->step, 0, sizeof buffer, &buffer);
    set(rounds->step, 0, sizeof(cl_mem), &rounds->state);
}

static void write_beyond(const struct rounds *rounds)
{
    (void)clEnqueueWriteBuffer(rounds->setup.queue, rounds->state, CL_TRUE, sizeof(cl_uint),
                               ITEMS * sizeof(cl_uint), rounds->pinned, 0, NULL, NULL);
}

static void do_wrong(const struct rounds *rounds, const char *bug)
{
    if (strcmp(bug, "chosen") == 0)
        misdirect(rounds);
    if (strcmp(bug, "clash") == 0)
        clash(rounds);
    else if (strcmp(bug, "released") == 0)
        use_released(rounds);
    else if (strcmp(bug, "too_long") == 0)
        write_beyond(rounds);
    else if (strcmp(bug, "chosen") != 0)
        launch(rounds, bug, strcmp(bug, "beyond") == 0 ? ITEMS : 0, NULL);
}

static void do_round(struct rounds *rounds, cl_uint round)
{
    const size_t global = ITEMS;
    cl_event written;
    cl_event event;
    fill_input(rounds, round);
    set(rounds->step, 5, sizeof round, &round);
    check(clEnqueueWriteBuffer(rounds->setup.queue, rounds->input, CL_FALSE, 0, INPUT_SIZE,
                               rounds->pinned, rounds->last != NULL,
                               rounds->last ? &rounds->last : NULL, &written),
          "clEnqueueWriteBuffer");
    check(clEnqueueNDRangeKernel(rounds->setup.queue, rounds->step, 1, NULL, &global, NULL, 1,
                                 &written, &event),
          "clEnqueueNDRangeKernel");
    check(clFinish(rounds->setup.queue), "clFinish");
    check(clReleaseEvent(written), "clReleaseEvent");
    if (rounds->last)
        check(clReleaseEvent(rounds->last), "clReleaseEvent");
    rounds->last = event;
}

static cl_uint read_sum(const struct rounds *rounds)
{
    cl_uint state[ITEMS];
    cl_uint part[16];
    cl_uint sum = 0;
    check(clEnqueueReadBuffer(rounds->setup.queue, rounds->state, CL_TRUE, 0, sizeof state, state,
                              0, NULL, NULL),
          "clEnqueueReadBuffer");
    check(clEnqueueReadBuffer(rounds->setup.queue, rounds->part, CL_TRUE, 0, sizeof part, part, 0,
                              NULL, NULL),
          "clEnqueueReadBuffer");
    for (size_t i = 0; i < ITEMS; i++)
        sum = sum * 31 + state[i] + part[i % 16];
    return sum;
}

int main(int argc, char **argv)
{
    struct rounds rounds = {0};
    const cl_uint count = argc > 1 ? (cl_uint)strtoul(argv[1], NULL, 10) : 20;
    cl_uint sum = 0;
    open_rounds(&rounds);
    for (cl_uint round = 0; round < count; round++) {
        do_round(&rounds, round);
        if (round == 0 && puts("the first round is done") > 0)
            (void)fflush(stdout);
        if (argc > 2 && round == count / 2)
            do_wrong(&rounds, argv[2]);
        if (argc > 2 && strcmp(argv[2], "chosen") == 0 && round == count * 3 / 4)
            launch(&rounds, "chosen", 0, rounds.where);
        sum = read_sum(&rounds);
    }
    printf("%u\n", sum);
    return 0;
}
