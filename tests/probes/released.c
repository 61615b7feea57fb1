/* A kernel that writes beyond its buffer, and has been launched when the program releases that:
 * released CASE. In the end it says how often it was told that the buffer is no more.
 *
 *   plain      a buffer
 *   local      the kernel reads local memory that nobody wrote; its result is released
 *   host       a buffer of the host's memory, which is freed
 *   callback   a buffer with a destructor callback */
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, SIZE = ITEMS * sizeof(cl_int) };

static const char source[] = "kernel void fill(global int *out)\n"
                             "{\n    out[get_global_id(0) + 1] = get_global_id(0);\n}\n"
                             "kernel void sum(global int *out)\n"
                             "{\n    local int total;\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    atomic_add(&total, 1);\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    out[get_global_id(0)] = total;\n}\n";

static int told;

static void CL_CALLBACK tell(cl_mem memory, void *user)
{
    (void)memory;
    (void)user;
    told++;
}

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static cl_mem make(cl_context context, const char *name, void *bytes)
{
    cl_int status;
    cl_mem memory =
        clCreateBuffer(context, is(name, "host") ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, SIZE,
                       bytes, &status);
    if (is(name, "callback"))
        clSetMemObjectDestructorCallback(memory, tell, NULL);
    return memory;
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    const size_t items = ITEMS, group = ITEMS;
    const char *text = source;
    if (argc != 2 || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 3;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return 3;
    cl_kernel kernel = clCreateKernel(program, is(argv[1], "local") ? "sum" : "fill", &status);
    void *bytes = aligned_alloc(4096, 4096);
    if (!bytes)
        return 3;
    memset(bytes, 0, 4096);
    cl_mem memory = make(context, argv[1], bytes);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    if (is(argv[1], "host")) /* it looks at what the kernel has written */
        clEnqueueReadBuffer(queue, memory, CL_FALSE, 0, SIZE, (char *)bytes + 2048, 0, NULL, NULL);
    clReleaseMemObject(memory);
    clFinish(queue);
    free(bytes);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    printf("told %d times\n", told);
    return status == CL_SUCCESS ? 0 : 3;
}
