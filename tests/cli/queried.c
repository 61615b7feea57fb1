/* A little of everything that docs/TRACE_FORMAT.md asks a trace for: times of a kernel, bytes in
 * both directions, a build with a log, an object that is never released, a call that fails, and a
 * launch that finds what another one left. */
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s failed with status %d\n", what, (int)status);
        exit(2);
    }
}

static void launch(cl_command_queue queue, cl_kernel kernel, cl_mem from, cl_mem to)
{
    const size_t global_size = 256;
    cl_ulong time = 0;
    cl_event event;
    check(clSetKernelArg(kernel, 0, sizeof from, &from), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, NULL, 0, NULL, &event),
          "clEnqueueNDRangeKernel");
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof time, &time, NULL),
          "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
          "clGetEventProfilingInfo");
    check(clReleaseEvent(event), "clReleaseEvent");
}

int main(void)
{
    static const char *source =
        "__kernel void twice(__global const int *from, __global int *to) {\n"
        "    to[get_global_id(0)] = 2 * from[get_global_id(0)];\n"
        "}\n";
    cl_int numbers[256];
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    for (int i = 0; i < 256; ++i)
        numbers[i] = i;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    check(status, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "twice", &status);
    check(status, "clCreateKernel");
    cl_mem buffers[3];
    for (int i = 0; i < 3; ++i) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &status);
        check(status, "clCreateBuffer");
    }
    check(
        clEnqueueWriteBuffer(queue, buffers[0], CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL),
        "clEnqueueWriteBuffer");
    launch(queue, kernel, buffers[0], buffers[1]);
    launch(queue, kernel, buffers[1], buffers[2]);
    check(
        clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    for (int i = 0; i < 3; ++i) /* beyond its end */
        if (clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 4, sizeof numbers, numbers, 0, NULL,
                                NULL) == CL_SUCCESS)
            return 1;
    check(clReleaseMemObject(buffers[0]), "clReleaseMemObject");
    check(clReleaseMemObject(buffers[1]), "clReleaseMemObject");
    /* buffers[2] is never released. */
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return numbers[10] == 40 ? 0 : 1;
}
