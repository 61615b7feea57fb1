/* A program whose source, options and output hold what a terminal obeys: escapes, a bell, C1
 * controls, an override of direction, bytes that are not UTF-8. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define HARM                                                                                       \
    "\x1b]0;harm\a\xc2\x9b"                                                                        \
    "31m\xe2\x80\xae\xff"

static const char *const source = "/* " HARM " */\n"
                                  "kernel void harm(global int *out)\n"
                                  "{\n"
                                  "    /* " HARM " */ out[1] = out[0];\n"
                                  "    printf(\"\\x1b]0;harm\\a\\n::error::harm\\n\");\n"
                                  "}\n";

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "hostile: %s gave %d\n", what, (int)status);
    exit(2);
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    const size_t items = 1;
    int result[2];
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "-DHARM=\"" HARM "\"", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "harm", &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof result, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
