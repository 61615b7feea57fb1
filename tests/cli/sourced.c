/* Launches kernel `wrong`, an argument of which is a buffer of 4 ints.
 *
 *   sourced TEXT...
 *
 * The program is made of these texts, one after the other: of files, or, behind a "=", as they
 * stand there. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MAX = 8, TEXT_SIZE_MAX = 1 << 16 };

static void check(cl_int status, const char *call)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", call, status);
        exit(3);
    }
}

static const char *read_text(const char *argument)
{
    static char texts[TEXTS_MAX][TEXT_SIZE_MAX];
    static int count;
    if (argument[0] == '=')
        return argument + 1;
    FILE *file = fopen(argument, "rb");
    if (!file || count == TEXTS_MAX) {
        perror(argument);
        exit(3);
    }
    fread(texts[count], 1, TEXT_SIZE_MAX - 1, file);
    fclose(file);
    return texts[count++];
}

int main(int argc, char **argv)
{
    const char *texts[TEXTS_MAX];
    const size_t items = 4;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    for (int i = 1; i < argc && i <= TEXTS_MAX; i++)
        texts[i - 1] = read_text(argv[i]);
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_program program =
        clCreateProgramWithSource(context, (cl_uint)argc - 1, texts, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "wrong", &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, items * 4, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
