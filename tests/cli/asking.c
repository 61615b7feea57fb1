/* Uses a device for what it says it can: finds one of any type, runs its built-in kernel, builds
 * source where there is a compiler, divides it where caches do.
 *
 *     asking           asks first
 *     asking build     builds source without asking
 *     asking link      links without asking
 *     asking divide    divides along the level 4 cache without asking, twice */
#include "tests/rules/program.h"

#include <stdbool.h>
#include <string.h>

static cl_device_id device;
static cl_context context;

static cl_ulong ask(cl_device_id of, cl_device_info query)
{
    cl_ulong answer = 0;
    PROGRAM_CHECK(clGetDeviceInfo(of, query, sizeof answer, &answer, NULL) == CL_SUCCESS);
    return answer;
}

static cl_program program_of_source(void)
{
    const char *source = "kernel void k(global int *a) { *a = 1; }\n";
    return clCreateProgramWithSource(context, 1, &source, NULL, NULL);
}

static cl_program built_in_program(void)
{
    char name[64];
    PROGRAM_CHECK(clGetDeviceInfo(device, CL_DEVICE_BUILT_IN_KERNELS, sizeof name, name, NULL) ==
                  CL_SUCCESS);
    cl_program program = clCreateProgramWithBuiltInKernels(context, 1, &device, name, NULL);
    PROGRAM_CHECK(program != NULL);
    return program;
}

static void copy(cl_program program)
{
    const size_t count = 4;
    char seen[4] = "";
    cl_kernel kernel;
    PROGRAM_CHECK(clCreateKernelsInProgram(program, 1, &kernel, NULL) == CL_SUCCESS);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, count,
                                 (char[]){"abc"}, NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, count, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof from, &from);
    clSetKernelArg(kernel, 1, sizeof to, &to);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, to, CL_TRUE, 0, count, seen, 0, NULL, NULL);
    printf("copied %s\n", seen);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseCommandQueue(queue);
    clReleaseKernel(kernel);
}

/* The first part along the domain; NULL = the device is not divided so. */
static cl_device_id part_of(cl_device_id whole, cl_device_affinity_domain domain)
{
    const cl_device_partition_property along[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                  (cl_device_partition_property)domain, 0};
    cl_device_id parts[32];
    cl_uint count = 0;
    const cl_int status = clCreateSubDevices(whole, along, 32, parts, &count);
    printf("divided: %d, %u\n", status, count);
    for (cl_uint i = 1; i < count; i++)
        clReleaseDevice(parts[i]);
    return count > 0 ? parts[0] : NULL;
}

static void divide(bool asks)
{
    cl_device_id part = device;
    for (int i = 0; part && (asks ? ask(part, CL_DEVICE_PARTITION_AFFINITY_DOMAIN) != 0 : i < 2);
         i++) {
        cl_device_id smaller = part_of(part, asks ? CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE
                                                  : CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE);
        clReleaseDevice(part);
        part = smaller;
    }
    if (part)
        clReleaseDevice(part);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    cl_platform_id platform;
    PROGRAM_CHECK(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS ||
                  clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &device, NULL) == CL_SUCCESS);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_program built_in = built_in_program();
    copy(built_in);
    if (ask(device, CL_DEVICE_COMPILER_AVAILABLE) || strcmp(what, "build") == 0) {
        cl_program program = program_of_source();
        printf("built: %d\n", clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
        clReleaseProgram(program);
    }
    if (strcmp(what, "link") == 0) {
        cl_int status;
        clLinkProgram(context, 0, NULL, NULL, 1, &built_in, NULL, NULL, &status);
        printf("linked: %d\n", status);
    }
    divide(strcmp(what, "divide") != 0);
    clReleaseProgram(built_in);
    clReleaseContext(context);
    return 0;
}
