/* One kernel writes packets, another one reads them: the contents of pipes come from replayed
 * launches alone, since the host cannot see them. */
#include "tests/replay/program.h"

#include <stddef.h>

enum { COUNT = 48 };

static const char source[] = "kernel void send(write_only pipe int2 out, global const int *in)\n"
                             "{\n"
                             "    int2 packet = (int2)(get_global_id(0), in[get_global_id(0)]);\n"
                             "    write_pipe(out, &packet);\n"
                             "}\n"
                             "kernel void take(read_only pipe int2 in, global int *out)\n"
                             "{\n"
                             "    int2 packet;\n"
                             "    if (read_pipe(in, &packet) == 0)\n"
                             "        out[packet.x] = packet.y + 1;\n"
                             "}\n";

static cl_mem make_buffer(const struct setup *setup, cl_int *values)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(setup->context, CL_MEM_COPY_HOST_PTR, COUNT * sizeof(cl_int),
                                   values, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

static cl_kernel make_kernel(cl_program program, const char *name, cl_mem pipe, cl_mem buffer)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof pipe, &pipe), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof buffer, &buffer), "clSetKernelArg");
    return kernel;
}

/* The reader takes half of the packets, then the other half. */
static void run(const struct setup *setup, cl_kernel send, cl_kernel take)
{
    const size_t all = COUNT, half = COUNT / 2;
    check(clEnqueueNDRangeKernel(setup->queue, send, 1, NULL, &all, NULL, 0, NULL, NULL), "send");
    for (int i = 0; i < 2; i++)
        check(clEnqueueNDRangeKernel(setup->queue, take, 1, NULL, &half, NULL, 0, NULL, NULL),
              "take");
}

int main(void)
{
    struct setup setup;
    cl_int values[COUNT], results[COUNT] = {0};
    cl_int status;
    setup_open(&setup);
    for (cl_int i = 0; i < COUNT; i++)
        values[i] = i * i - 7;
    cl_mem pipe = clCreatePipe(setup.context, 0, 2 * sizeof(cl_int), COUNT, NULL, &status);
    if (status == CL_INVALID_OPERATION) {
        setup_close(&setup);
        return 77;
    }
    check(status, "clCreatePipe");
    cl_uint packets;
    check(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof packets, &packets, NULL),
          "clGetPipeInfo");
    expect(packets == COUNT, "a pipe has the room that was asked for");
    cl_mem in = make_buffer(&setup, values), out = make_buffer(&setup, results);
    cl_program program = setup_build(&setup, source, "-cl-std=CL3.0");
    cl_kernel send = make_kernel(program, "send", pipe, in);
    cl_kernel take = make_kernel(program, "take", pipe, out);
    run(&setup, send, take);
    check(clEnqueueReadBuffer(setup.queue, out, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (cl_int i = 0; i < COUNT; i++)
        expect(results[i] == values[i] + 1, "each packet comes through once");
    check(clReleaseKernel(send), "clReleaseKernel");
    check(clReleaseKernel(take), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseMemObject(in), "clReleaseMemObject");
    check(clReleaseMemObject(out), "clReleaseMemObject");
    check(clReleaseMemObject(pipe), "clReleaseMemObject");
    setup_close(&setup);
    return 0;
}
