/* Sums a large array on the first OpenCL device: an ordinary OpenCL 1.2 program that knows nothing
 * of clerk. Each work-group reduces 64 numbers to one, the host adds up what the groups return.
 *
 *     reduce reduce.cl          a barrier is missing: right on some devices, wrong on others
 *     reduce reduce_fixed.cl    right everywhere
 *
 * Exit status: 0 the sum is right, 1 it is wrong, 2 OpenCL or the file failed. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENT_COUNT = 1 << 16, GROUP_SIZE = 64, GROUP_COUNT = ELEMENT_COUNT / GROUP_SIZE };

static void check(cl_int status, const char *function)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "reduce: %s failed with status %d\n", function, (int)status);
        exit(2);
    }
}

/* The text of a file, for the caller to free. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    const long size = ftell(file);
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    rewind(file);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "reduce: cannot read %s\n", path);
        exit(2);
    }
    text[size] = 0;
    fclose(file);
    return text;
}

static cl_program build_program(cl_context context, cl_device_id device, const char *path)
{
    char *source = read_file(path);
    cl_int status;
    cl_program program =
        clCreateProgramWithSource(context, 1, (const char *[]){source}, NULL, &status);
    check(status, "clCreateProgramWithSource");
    free(source);

    char options[32];
    snprintf(options, sizeof options, "-DGROUP_SIZE=%d", GROUP_SIZE);
    status = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(status, "clBuildProgram");
    return program;
}

/* What the kernel makes of `input`: one sum a work-group, in `sums`. */
static void sum_groups(cl_context context, cl_device_id device, cl_kernel kernel,
                       const cl_uint *input, cl_uint *sums)
{
    const size_t global_size = ELEMENT_COUNT;
    const size_t local_size = GROUP_SIZE;
    cl_int status;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_mem input_buffer =
        clCreateBuffer(context, CL_MEM_READ_ONLY, ELEMENT_COUNT * sizeof *input, NULL, &status);
    check(status, "clCreateBuffer");
    cl_mem sums_buffer =
        clCreateBuffer(context, CL_MEM_WRITE_ONLY, GROUP_COUNT * sizeof *sums, NULL, &status);
    check(status, "clCreateBuffer");

    check(clEnqueueWriteBuffer(queue, input_buffer, CL_TRUE, 0, ELEMENT_COUNT * sizeof *input,
                               input, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    check(clSetKernelArg(kernel, 0, sizeof input_buffer, &input_buffer), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof sums_buffer, &sums_buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0, GROUP_COUNT * sizeof *sums, sums, 0,
                              NULL, NULL),
          "clEnqueueReadBuffer");

    clReleaseMemObject(sums_buffer);
    clReleaseMemObject(input_buffer);
    clReleaseCommandQueue(queue);
}

int main(int argc, char **argv)
{
    static cl_uint input[ELEMENT_COUNT];
    static cl_uint sums[GROUP_COUNT];
    cl_uint expected = 0;
    for (cl_uint i = 0; i < ELEMENT_COUNT; ++i) {
        input[i] = i % 100;
        expected += input[i];
    }

    cl_platform_id platform;
    cl_device_id device;
    char device_name[256] = "";
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof device_name, device_name, NULL),
          "clGetDeviceInfo");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_program program = build_program(context, device, argc > 1 ? argv[1] : "reduce.cl");
    cl_kernel kernel = clCreateKernel(program, "reduce", &status);
    check(status, "clCreateKernel");

    sum_groups(context, device, kernel, input, sums);

    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseContext(context);

    cl_uint sum = 0;
    for (size_t i = 0; i < GROUP_COUNT; ++i)
        sum += sums[i];
    printf("device:   %s\n", device_name);
    printf("sum:      %u\n", sum);
    printf("expected: %u (%s)\n", expected, sum == expected ? "right" : "WRONG");
    return sum == expected ? 0 : 1;
}
