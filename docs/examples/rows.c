/* Scales rows of four numbers, and brings each to a mean of 0 and a deviation of 1: two launches,
 * the second of which reads what the first one wrote. A factor is 0, so a row of the result is NaN.
 *
 *     rows scale.cl normalise.cl */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROW_COUNT = 4, COUNT = 4 * ROW_COUNT };

static void check(cl_int status, const char *function)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "rows: %s failed with status %d\n", function, (int)status);
        exit(2);
    }
}

static cl_kernel build_kernel(cl_context context, const char *path, const char *name)
{
    char text[4096] = "";
    const char *source = text;
    cl_int status;
    FILE *file = fopen(path, "rb");
    if (!file || fread(text, 1, sizeof text - 1, file) == 0) {
        perror(path);
        exit(2);
    }
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    clReleaseProgram(program);
    return kernel;
}

static cl_mem make_buffer(cl_context context, size_t count, float *numbers)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, numbers ? CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE,
                                   count * sizeof *numbers, numbers, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

static void run(cl_command_queue queue, cl_kernel kernel, cl_mem from, cl_mem to, size_t items)
{
    check(clSetKernelArg(kernel, 0, sizeof from, &from), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    clReleaseKernel(kernel);
}

int main(int argc, char **argv)
{
    float numbers[COUNT];
    float factors[ROW_COUNT] = {1, 2, 0, 4};
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    for (int i = 0; i < COUNT; ++i)
        numbers[i] = (float)i;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_mem rows = make_buffer(context, COUNT, numbers);
    cl_mem scales = make_buffer(context, ROW_COUNT, NULL);
    cl_mem result = make_buffer(context, COUNT, NULL);

    check(clEnqueueWriteBuffer(queue, scales, CL_TRUE, 0, sizeof factors, factors, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    run(queue, build_kernel(context, argc > 1 ? argv[1] : "scale.cl", "scale"), scales, rows,
        COUNT);
    run(queue, build_kernel(context, argc > 2 ? argv[2] : "normalise.cl", "normalise"), rows,
        result, ROW_COUNT);
    check(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    printf("row 2: %g %g %g %g\n", (double)numbers[8], (double)numbers[9], (double)numbers[10],
           (double)numbers[11]);

    clReleaseMemObject(rows);
    clReleaseMemObject(scales);
    clReleaseMemObject(result);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
