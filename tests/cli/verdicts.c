/* One kernel launch, and an end of several kinds:
 *
 *     verdicts refused     the program does not build, which the host does not mind
 *     verdicts once        a launch, whose result is read
 *     verdicts exit|kill   that, and _exit or SIGKILL before anything is released */
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char good[] = "kernel void set(global int *a) { a[0] = 1; }";
static const char bad[] = "kernel void set(global int *a) { a[0] = not_declared; }";

static void launch(cl_context context, cl_command_queue queue, cl_program program, const char *end)
{
    const size_t one = 1;
    cl_int result = 0;
    cl_kernel kernel = clCreateKernel(program, "set", NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof result, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL);
    if (strcmp(end, "exit") == 0)
        _exit(0);
    if (strcmp(end, "kill") == 0)
        raise(SIGKILL);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "once";
    const char *source = strcmp(end, "refused") == 0 ? bad : good;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS)
        launch(context, queue, program, end);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
