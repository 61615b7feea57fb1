/* What a program waits for until the first launch of its kernels has ended: wall time of each step,
 * and what the calling thread itself computes in it, in nanoseconds.
 *
 *   bench_facts small|large NUMBER
 *
 *   small: one kernel of 20 lines; large: 40 of them. NUMBER is in the text, which so is new to the
 *   driver's cache and to clerk's. */
#include "tests/bench/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KERNELS = 40, ITEMS = 1024, TEXT_MAX = 1 << 16 };

static const char kernel_text[] =
    "kernel void mean%d(global const float *in, global float *out, float factor)\n"
    "{\n"
    "    local float tile[64];\n"
    "    const size_t item = get_local_id(0);\n"
    "    const size_t count = get_local_size(0);\n"
    "    tile[item] = in[get_global_id(0)] * factor + %d;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (size_t distance = count / 2; distance > 0; distance /= 2) {\n"
    "        if (item < distance)\n"
    "            tile[item] += tile[item + distance];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (item == 0) {\n"
    "        float sum = tile[0];\n"
    "        if (sum < 0)\n"
    "            sum = -sum;\n"
    "        out[get_group_id(0)] = sqrt(sum / count);\n"
    "    }\n"
    "}\n";

static uint64_t thread_time_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

struct moment {
    uint64_t wall, thread;
};

static struct moment now(void)
{
    return (struct moment){wall_time_ns(), thread_time_ns()};
}

static void tell(const char *step, const struct moment *since)
{
    const struct moment ended = now();
    printf("%s %llu %llu\n", step, (unsigned long long)(ended.wall - since->wall),
           (unsigned long long)(ended.thread - since->thread));
}

static char *make_text(int kernels, int number)
{
    char *text = malloc(TEXT_MAX);
    size_t size = 0;
    if (!text)
        exit(2);
    for (int i = 0; i < kernels; i++)
        size += (size_t)snprintf(text + size, TEXT_MAX - size, kernel_text, i, number);
    return text;
}

static cl_kernel prepare(cl_program program, const cl_mem memory[2])
{
    cl_int status;
    const float factor = 2;
    const struct moment began = now();
    cl_kernel kernel = clCreateKernel(program, "mean0", &status);
    host_check(status, "clCreateKernel");
    tell("clCreateKernel", &began);
    for (cl_uint i = 0; i < 2; i++)
        host_check(clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]), "clSetKernelArg");
    host_check(clSetKernelArg(kernel, 2, sizeof factor, &factor), "clSetKernelArg");
    return kernel;
}

static void launch(const struct host *host, cl_kernel kernel)
{
    const size_t items = ITEMS, group = 64;
    const struct moment began = now();
    host_check(clEnqueueNDRangeKernel(host->queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL),
               "clEnqueueNDRangeKernel");
    tell("clEnqueueNDRangeKernel", &began);
    host_check(clFinish(host->queue), "clFinish");
}

static void measure(const struct host *host, const char *text, const cl_mem memory[2])
{
    cl_int status;
    const struct moment began = now();
    cl_program program = clCreateProgramWithSource(host->context, 1, &text, NULL, &status);
    host_check(status, "clCreateProgramWithSource");
    const struct moment builds = now();
    host_check(clBuildProgram(program, 1, &host->device, "", NULL, NULL), "clBuildProgram");
    tell("clBuildProgram", &builds);
    cl_kernel kernel = prepare(program, memory);
    launch(host, kernel);
    tell("all", &began);
    host_check(clReleaseKernel(kernel), "clReleaseKernel");
    host_check(clReleaseProgram(program), "clReleaseProgram");
}

int main(int argc, char **argv)
{
    struct host host;
    if (argc != 3)
        return 2;
    host_open(&host, NULL);
    const size_t size = ITEMS * sizeof(float);
    const cl_mem memory[2] = {host_buffer(&host, size, NULL), host_buffer(&host, size, NULL)};
    char *text = make_text(strcmp(argv[1], "large") == 0 ? KERNELS : 1, atoi(argv[2]));
    measure(&host, text, memory);
    host_check(clReleaseMemObject(memory[0]), "clReleaseMemObject");
    host_check(clReleaseMemObject(memory[1]), "clReleaseMemObject");
    host_close(&host);
    free(text);
    return 0;
}
