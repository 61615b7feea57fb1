/* A program that calls without end, for tests/bench/kept: COUNT calls, SIZE bytes of transfers
 * among them, then more of the same until it is killed. */
#include "tests/replay/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WRITE_SIZE = 256 << 10, ITEMS = 256 };

static const char source[] =
    "__kernel void add(__global uint *sums, __global const uint *input, uint round) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    sums[i] = sums[i] * 5 + input[i * 200] + round;\n"
    "}\n";

struct kept {
    struct setup setup;
    cl_kernel kernel;
    cl_mem sums, input;
    cl_uint bytes[WRITE_SIZE / sizeof(cl_uint)];
};

static void write_and_launch(struct kept *kept, cl_uint round)
{
    const size_t global = ITEMS;
    cl_uint sums[ITEMS];
    /* No two writes are alike, and none can be compressed. */
    for (size_t i = 0; i < sizeof kept->bytes / sizeof *kept->bytes; i++)
        kept->bytes[i] = (kept->bytes[i] + round) * 2654435761U + (cl_uint)i;
    check(clEnqueueWriteBuffer(kept->setup.queue, kept->input, CL_TRUE, 0, sizeof kept->bytes,
                               kept->bytes, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    check(clEnqueueNDRangeKernel(kept->setup.queue, kept->kernel, 1, NULL, &global, NULL, 0, NULL,
                                 NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(kept->setup.queue, kept->sums, CL_TRUE, 0, sizeof sums, sums, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
}

static void open_kept(struct kept *kept)
{
    cl_int status;
    setup_open(&kept->setup);
    kept->kernel = clCreateKernel(setup_build(&kept->setup, source, ""), "add", &status);
    check(status, "clCreateKernel");
    kept->sums = clCreateBuffer(kept->setup.context, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_uint),
                                NULL, &status);
    check(status, "clCreateBuffer");
    kept->input =
        clCreateBuffer(kept->setup.context, CL_MEM_READ_ONLY, sizeof kept->bytes, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kept->kernel, 0, sizeof(cl_mem), &kept->sums), "clSetKernelArg");
    check(clSetKernelArg(kept->kernel, 1, sizeof(cl_mem), &kept->input), "clSetKernelArg");
}

int main(int argc, char **argv)
{
    static struct kept kept;
    const unsigned long long count = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const unsigned long long size = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    const unsigned long long writes = size / WRITE_SIZE;
    const unsigned long long between = writes ? count / writes : 0;
    open_kept(&kept);
    for (unsigned long long round = 0;; round++) {
        for (unsigned long long i = 3; i < between; i++) {
            const cl_uint value = (cl_uint)(round * between + i);
            check(clSetKernelArg(kept.kernel, 2, sizeof value, &value), "clSetKernelArg");
        }
        write_and_launch(&kept, (cl_uint)round);
        if (round + 1 == writes) {
            puts("done");
            fflush(stdout);
        }
    }
}
