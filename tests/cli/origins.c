/* Memory that is written in different ways before the launches that read it, for `who` of the
 * debugger: see tests/cli/debug/origins.txt.
 *
 *     origins       buffers
 *     origins svm   shared virtual memory */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64, SIZE = COUNT * 4 };

static const char *const source =
    "kernel void keep(global int *unused, global uint *to) { to[get_global_id(0)] = 7; }\n"
    "kernel void look(global const float *in, global float *out)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    out[i] = in[i];\n"
    "}\n";

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_device_id device;

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "origins: %s gave %d\n", what, (int)status);
    exit(2);
}

static cl_mem make_buffer(void *bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | (bytes ? CL_MEM_COPY_HOST_PTR : 0),
                                   SIZE, bytes, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

static cl_mem make_part(cl_mem buffer, size_t first, size_t count)
{
    cl_int status;
    const cl_buffer_region region = {first * 4, count * 4};
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    check(status, "clCreateSubBuffer");
    return part;
}

static cl_kernel make_kernel(const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    return kernel;
}

static void launch(cl_kernel kernel, size_t items)
{
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
}

static void run(const char *name, size_t items, cl_mem first, cl_mem second)
{
    cl_kernel kernel = make_kernel(name);
    check(clSetKernelArg(kernel, 0, sizeof first, &first), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof second, &second), "clSetKernelArg");
    launch(kernel, items);
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

/* Elements from `first` on, in a region that is mapped. */
static void write_mapped(cl_mem buffer, cl_map_flags flags, size_t first, size_t count)
{
    cl_int status;
    float *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, first * 4, count * 4, 0, NULL,
                                       NULL, &status);
    check(status, "clEnqueueMapBuffer");
    for (size_t i = 0; i < count; ++i)
        mapped[i] = 5;
    check(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

static void use_buffers(void)
{
    float numbers[COUNT] = {0};
    const float three = 3;
    cl_mem data = make_buffer(numbers);
    cl_mem other = make_buffer(numbers);
    cl_mem out = make_buffer(numbers);
    cl_mem part = make_part(data, 32, 16);
    run("look", 64, data, out);
    check(clEnqueueWriteBuffer(queue, data, CL_TRUE, 4, 8, numbers, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    check(clEnqueueFillBuffer(queue, data, &three, sizeof three, 16, 16, 0, NULL, NULL),
          "clEnqueueFillBuffer");
    run("keep", 4, other, part);
    run("keep", 8, data, other);
    check(clEnqueueCopyBuffer(queue, other, data, 0, 40 * 4, 4, 0, NULL, NULL),
          "clEnqueueCopyBuffer");
    write_mapped(data, CL_MAP_WRITE_INVALIDATE_REGION, 48, 4);
    write_mapped(data, CL_MAP_WRITE, 56, 4);
    run("look", 64, data, out);
    check(clReleaseMemObject(part), "clReleaseMemObject");
    check(clReleaseMemObject(data), "clReleaseMemObject");
    check(clReleaseMemObject(other), "clReleaseMemObject");
    check(clReleaseMemObject(out), "clReleaseMemObject");
}

static void use_shared(void)
{
    float numbers[COUNT] = {0};
    float *data = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    float *out = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    cl_kernel keep = make_kernel("keep");
    cl_kernel look = make_kernel("look");
    check(clEnqueueSVMMemcpy(queue, CL_TRUE, data, numbers, SIZE / 2, 0, NULL, NULL),
          "clEnqueueSVMMemcpy");
    check(clSetKernelArgSVMPointer(keep, 0, out), "clSetKernelArgSVMPointer");
    check(clSetKernelArgSVMPointer(keep, 1, data + 4), "clSetKernelArgSVMPointer");
    launch(keep, 4);
    check(clSetKernelArgSVMPointer(look, 0, data), "clSetKernelArgSVMPointer");
    check(clSetKernelArgSVMPointer(look, 1, out), "clSetKernelArgSVMPointer");
    launch(look, 32);
    check(clReleaseKernel(keep), "clReleaseKernel");
    check(clReleaseKernel(look), "clReleaseKernel");
    clSVMFree(context, data);
    clSVMFree(context, out);
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_int status;
    const char *text = source;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    if (argc == 2 && strcmp(argv[1], "svm") == 0)
        use_shared();
    else
        use_buffers();
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return 0;
}
