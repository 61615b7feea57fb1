/* Launches whose lines are counted: one in which half of the work-items do more, one that reads
 * columns of global memory and columns of local memory. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const source = "kernel void halves(global int *out)\n"
                                  "{\n"
                                  "    const int i = get_global_id(0);\n"
                                  "    int sum = i;\n"
                                  "    if (i % 2)\n"
                                  "        for (int k = 0; k < 100; k++)\n"
                                  "            sum = sum * 3 + k;\n"
                                  "    out[i] = sum;\n"
                                  "}\n"
                                  "kernel void columns(global int *out)\n"
                                  "{\n"
                                  "    local int tile[32 * 64];\n"
                                  "    const int i = get_local_id(0);\n"
                                  "    tile[i * 32] = i;\n"
                                  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    out[i * 32] = tile[i * 32];\n"
                                  "    out[64 * 32 + i] = tile[i * 32];\n"
                                  "}\n";

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "heated: %s gave %d\n", what, (int)status);
    exit(2);
}

int main(void)
{
    static const char *const names[] = {"halves", "columns", "halves"};
    static const size_t items[] = {4096, 64, 4096};
    const size_t group = 64;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096 * sizeof(cl_int), NULL, &status);
    check(status, "clCreateBuffer");
    for (int i = 0; i < 3; i++) {
        cl_kernel kernel = clCreateKernel(program, names[i], &status);
        check(status, "clCreateKernel");
        check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items[i], &group, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        check(clReleaseKernel(kernel), "clReleaseKernel");
    }
    check(clFinish(queue), "clFinish");
    check(clReleaseMemObject(out), "clReleaseMemObject");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return 0;
}
