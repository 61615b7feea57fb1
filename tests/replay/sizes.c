/* What CPU drivers have more of than the usual reference device: work-groups of 4096 work-items,
 * local memory of 100 KiB, a buffer of 600 MiB. As far as the device goes; says what it took. */
#include "tests/replay/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    /* An inclusive scan: each step is a barrier of the whole work-group. */
    "kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void scan(global const uint *in, global uint *out) {\n"
    "    local uint values[GROUP];\n"
    "    const uint i = get_local_id(0);\n"
    "    values[i] = in[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint step = 1; step < GROUP; step *= 2) {\n"
    "        const uint value = i >= step ? values[i - step] : 0;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        values[i] += value;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    out[get_global_id(0)] = values[i];\n"
    "}\n"
    "kernel void turn(global uint *out) {\n"
    "    local uint values[LOCAL];\n"
    "    const uint count = get_local_size(0);\n"
    "    for (uint i = get_local_id(0); i < LOCAL; i += count)\n"
    "        values[i] = i * i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = get_local_id(0); i < LOCAL; i += count)\n"
    "        out[i] = values[LOCAL - 1 - i];\n"
    "}\n"
    "kernel void turn_argument(global uint *out, local uint *values) {\n"
    "    const uint i = get_local_id(0);\n"
    "    values[LOCAL - 1 - i] = i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[i] = values[LOCAL - get_local_size(0) + i];\n"
    "}\n"
    /* Two dimensions, atomics, and private memory that lives across a barrier. */
    "kernel void plane(global uint *out) {\n"
    "    local uint counts[16];\n"
    "    uint own[32];\n"
    "    const uint x = get_local_id(0), y = get_local_id(1);\n"
    "    if (y == 0 && x < 16)\n"
    "        counts[x] = 0;\n"
    "    for (uint i = 0; i < 32; i++)\n"
    "        own[i] = x * i + y;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_add(&counts[(x + y) % 16], own[y % 32]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (y == 0 && x < 16)\n"
    "        out[x] = counts[x] + own[x];\n"
    "}\n"
    "kernel void far(global uint *bytes, ulong last) { bytes[get_global_id(0) * last] = 7; }\n"
    "#if __OPENCL_C_VERSION__ >= 300\n"
    "kernel void sizes(global uint *out) {\n"
    "    const uint i = get_global_id(0);\n"
    "#ifdef __opencl_c_subgroups\n"
    "    const uint sum = sub_group_reduce_add(i);\n"
    "    if (get_sub_group_local_id() == 0)\n"
    "        atomic_add(out, sum);\n"
    "#else\n"
    "    atomic_add(out, i);\n"
    "#endif\n"
    "    if (get_local_linear_id() == get_enqueued_local_size(0) - 1)\n"
    "        out[1] = get_local_linear_id();\n"
    "}\n"
    "#endif\n";

enum { ROOM = 1 << 16 };

static cl_ulong ask(const struct setup *setup, cl_device_info query)
{
    cl_ulong answer = 0;
    check(clGetDeviceInfo(setup->device, query, sizeof answer, &answer, NULL), "clGetDeviceInfo");
    return answer;
}

static cl_ulong least(cl_ulong a, cl_ulong b)
{
    return a < b ? a : b;
}

struct run {
    struct setup setup;
    cl_program program;
    cl_mem in, out;
    cl_uint seen[ROOM];
};

/* One work-group of the kernel with `out` as its argument `index`, and what is there then. */
static void launch(struct run *run, cl_kernel kernel, cl_uint index, cl_uint dimensions,
                   const size_t *size)
{
    check(clSetKernelArg(kernel, index, sizeof run->out, &run->out), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(run->setup.queue, kernel, dimensions, NULL, size, size, 0, NULL,
                                 NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(run->setup.queue, run->out, CL_TRUE, 0, sizeof run->seen, run->seen,
                              0, NULL, NULL),
          "clEnqueueReadBuffer");
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

static cl_kernel kernel_of(const struct run *run, const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(run->program, name, &status);
    check(status, name);
    return kernel;
}

static void use_groups(struct run *run, size_t group)
{
    cl_kernel kernel = kernel_of(run, "scan");
    size_t limit;
    check(clGetKernelWorkGroupInfo(kernel, run->setup.device, CL_KERNEL_WORK_GROUP_SIZE,
                                   sizeof limit, &limit, NULL),
          "clGetKernelWorkGroupInfo");
    expect(limit >= group, "CL_KERNEL_WORK_GROUP_SIZE is that of the device");
    check(clSetKernelArg(kernel, 0, sizeof run->in, &run->in), "clSetKernelArg");
    launch(run, kernel, 1, 1, &group);
    for (size_t i = 0; i < group; i++)
        expect(run->seen[i] == (i + 1) * (i + 2) / 2, "the scan");
    const size_t plane[2] = {group / 64, 64};
    launch(run, kernel_of(run, "plane"), 0, 2, plane);
}

static void use_local_memory(struct run *run, size_t group, cl_uint count)
{
    launch(run, kernel_of(run, "turn"), 0, 1, &group);
    for (cl_uint i = 0; i < count; i++)
        expect(run->seen[i] == (count - 1 - i) * (count - 1 - i), "the squares");
    cl_kernel kernel = kernel_of(run, "turn_argument");
    check(clSetKernelArg(kernel, 1, count * sizeof(cl_uint), NULL), "clSetKernelArg");
    launch(run, kernel, 0, 1, &group);
    for (size_t i = 0; i < group; i++)
        expect(run->seen[i] == group - 1 - i, "the numbers");
}

static void use_large_buffer(struct run *run, cl_ulong size)
{
    cl_int status;
    cl_kernel kernel = kernel_of(run, "far");
    const size_t two = 2;
    const cl_ulong last = size / sizeof(cl_uint) - 1;
    cl_uint value = 0;
    cl_mem large =
        clCreateBuffer(run->setup.context, CL_MEM_READ_WRITE, (size_t)size, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof large, &large), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof last, &last), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(run->setup.queue, kernel, 1, NULL, &two, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(run->setup.queue, large, CL_TRUE, last * sizeof value, sizeof value,
                              &value, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(value == 7, "the last word");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseMemObject(large), "clReleaseMemObject");
}

/* Where there are devices of OpenCL C 3.0. */
static void use_work_item_functions(struct run *run, size_t group)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(run->program, "sizes", &status);
    if (status == CL_INVALID_KERNEL_NAME)
        return;
    check(status, "clCreateKernel");
    const cl_uint zero[2] = {0};
    check(clEnqueueWriteBuffer(run->setup.queue, run->out, CL_TRUE, 0, sizeof zero, zero, 0, NULL,
                               NULL),
          "clEnqueueWriteBuffer");
    launch(run, kernel, 0, 1, &group);
    expect(run->seen[0] == group * (group - 1) / 2, "the sum");
    expect(run->seen[1] == group - 1, "the last work-item");
}

int main(void)
{
    static struct run run;
    char version[256] = "";
    char options[64];
    cl_int status;
    setup_open(&run.setup);
    const size_t group = (size_t)least(ask(&run.setup, CL_DEVICE_MAX_WORK_GROUP_SIZE), 4096);
    const cl_ulong bytes = least(ask(&run.setup, CL_DEVICE_LOCAL_MEM_SIZE), 100 << 10);
    const cl_ulong large = least(ask(&run.setup, CL_DEVICE_MAX_MEM_ALLOC_SIZE), 600 << 20);
    const cl_uint count = (cl_uint)(bytes / sizeof(cl_uint));
    printf("work-groups of %zu, %u bytes of local memory, a buffer of %u\n", group, (unsigned)bytes,
           (unsigned)large);
    check(clGetDeviceInfo(run.setup.device, CL_DEVICE_VERSION, sizeof version, version, NULL),
          "clGetDeviceInfo");
    snprintf(options, sizeof options, "-cl-std=%s -DGROUP=%zu -DLOCAL=%u",
             strncmp(version, "OpenCL 3.", 9) == 0 ? "CL3.0" : "CL1.2", group, count);
    for (cl_uint i = 0; i < ROOM; i++)
        run.seen[i] = i + 1;
    run.program = setup_build(&run.setup, source, options);
    run.in = clCreateBuffer(run.setup.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            sizeof run.seen, run.seen, &status);
    check(status, "clCreateBuffer");
    run.out = clCreateBuffer(run.setup.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                             sizeof run.seen, run.seen, &status);
    check(status, "clCreateBuffer");
    use_groups(&run, group);
    use_local_memory(&run, group, count);
    use_large_buffer(&run, large);
    use_work_item_functions(&run, group);
    check(clReleaseMemObject(run.in), "clReleaseMemObject");
    check(clReleaseMemObject(run.out), "clReleaseMemObject");
    check(clReleaseProgram(run.program), "clReleaseProgram");
    setup_close(&run.setup);
    return 0;
}
