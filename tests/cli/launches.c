/* Two launches on the reference device, the second of which uses what the first one left.
 *
 *     launches CASE
 *
 * freed:     a pointer to a buffer that was released in between
 * kept:      the same, released after
 * unwritten: elements of a buffer that the first launch did not write
 * written:   those that it did
 * again:     "unwritten", launched three times
 * apart:     the same from three places
 * emptied:   elements that were written, and lost by a migration
 * refilled:  the same, written again after it */
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const source =
    "kernel void note(global int *of, global ulong *place) { place[0] = (ulong)of; }\n"
    "kernel void follow(global const ulong *place, global int *out)\n"
    "{\n"
    "    out[0] = *(global const int *)place[0];\n"
    "}\n"
    "kernel void fill(global int *out) { out[get_global_id(0)] = 1; }\n"
    "kernel void count(global const int *in, global int *out)\n"
    "{\n"
    "    if (in[get_global_id(0)] > 0)\n"
    "        out[get_global_id(0)] = 1;\n"
    "}\n";

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "launches: %s gave %d\n", what, (int)status);
    exit(2);
}

static cl_mem make_buffer(size_t size)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

static void run(const char *name, size_t items, cl_mem first, cl_mem second)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof first, &first), "clSetKernelArg");
    if (second)
        check(clSetKernelArg(kernel, 1, sizeof second, &second), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

static void open_device(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    const char *text = source;
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
}

int main(int argc, char **argv)
{
    const char *name = argc == 2 ? argv[1] : "";
    open_device();
    cl_mem data = make_buffer(64);
    cl_mem place = make_buffer(64);
    cl_mem out = make_buffer(64);
    if (strcmp(name, "freed") == 0 || strcmp(name, "kept") == 0) {
        run("fill", 16, data, NULL);
        run("note", 1, data, place);
        if (strcmp(name, "freed") == 0)
            check(clReleaseMemObject(data), "clReleaseMemObject");
        run("follow", 1, place, out);
        if (strcmp(name, "kept") == 0)
            check(clReleaseMemObject(data), "clReleaseMemObject");
    } else {
        run("fill", strcmp(name, "written") == 0 ? 16 : 12, data, NULL);
        if (strcmp(name, "emptied") == 0 || strcmp(name, "refilled") == 0)
            check(clEnqueueMigrateMemObjects(
                      queue, 1, &data, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL),
                  "clEnqueueMigrateMemObjects");
        if (strcmp(name, "refilled") == 0)
            run("fill", 16, data, NULL);
        if (strcmp(name, "apart") == 0) {
            run("count", 16, data, out);
            run("count", 16, data, out);
        }
        for (int i = 0; i < (strcmp(name, "again") == 0 ? 3 : 1); ++i)
            run("count", 16, data, out);
        check(clReleaseMemObject(data), "clReleaseMemObject");
    }
    check(clReleaseMemObject(place), "clReleaseMemObject");
    check(clReleaseMemObject(out), "clReleaseMemObject");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return 0;
}
