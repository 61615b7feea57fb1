/* Commands of several kinds, some of which wait for others, and a kernel with arguments of every
 * kind. */
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

static const char *const source =
    "struct pair { int first; float second; };\n"
    "kernel void mix(global const float *from, global float *to, float factor, int4 offsets,\n"
    "                local float *tile, struct pair pair, read_only image2d_t image, sampler_t "
    "sampler,\n"
    "                global int *none)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    tile[get_local_id(0)] = from[i] * factor + offsets.y + pair.first;\n"
    "    to[i] = tile[get_local_id(0)] + read_imagef(image, sampler, (int2)(0, 0)).x;\n"
    "}\n";

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "commands: %s gave %d\n", what, (int)status);
    exit(2);
}

static void set_arguments(cl_kernel kernel, cl_mem from, cl_mem to, cl_mem image,
                          cl_sampler sampler)
{
    const cl_float factor = 2.5f;
    const cl_int4 offsets = {{1, 2, 3, 4}};
    const struct {
        cl_int first;
        cl_float second;
    } pair = {7, 0.5f};
    check(clSetKernelArg(kernel, 0, sizeof from, &from), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof factor, &factor), "clSetKernelArg");
    check(clSetKernelArg(kernel, 3, sizeof offsets, &offsets), "clSetKernelArg");
    check(clSetKernelArg(kernel, 4, 64, NULL), "clSetKernelArg");
    check(clSetKernelArg(kernel, 5, sizeof pair, &pair), "clSetKernelArg");
    check(clSetKernelArg(kernel, 6, sizeof image, &image), "clSetKernelArg");
    check(clSetKernelArg(kernel, 7, sizeof sampler, &sampler), "clSetKernelArg");
    check(clSetKernelArg(kernel, 8, sizeof(cl_mem), NULL), "clSetKernelArg");
}

int main(void)
{
    enum { COUNT = 64 };
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc description = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
    const size_t origin[3] = {0, 0, 0};
    const size_t texels[3] = {8, 4, 1};
    const size_t corner[3] = {16, 2, 1};
    const size_t global_size = COUNT;
    const size_t local_size = 16;
    cl_float numbers[COUNT] = {0};
    cl_platform_id platform;
    cl_device_id device;
    cl_event events[3];
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    cl_program program =
        clCreateProgramWithSource(context, 1, (const char **)(uintptr_t)&source, NULL, &status);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "mix", &status);
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &status);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &status);
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &description, NULL, &status);
    cl_sampler sampler =
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
    set_arguments(kernel, from, to, image, sampler);
    check(clEnqueueWriteBuffer(queue, from, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL,
                               &events[0]),
          "clEnqueueWriteBuffer");
    check(clEnqueueWriteImage(queue, image, CL_TRUE, origin, texels, 0, 0, numbers, 0, NULL, NULL),
          "clEnqueueWriteImage");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &local_size, 1, events,
                                 &events[1]),
          "clEnqueueNDRangeKernel");
    /* The clone has what its source has, but for what it is given itself. */
    cl_kernel clone = clCloneKernel(kernel, &status);
    check(clSetKernelArg(clone, 1, sizeof from, &from), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, clone, 1, NULL, &global_size, &local_size, 2, events,
                                 &events[2]),
          "clEnqueueNDRangeKernel");
    check(
        clEnqueueCopyBufferRect(queue, from, to, origin, origin, corner, 0, 0, 0, 0, 0, NULL, NULL),
        "clEnqueueCopyBufferRect");
    check(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL), "clEnqueueBarrierWithWaitList");
    check(clFinish(queue), "clFinish");
    cl_ulong time;
    check(clGetEventProfilingInfo(events[1], CL_PROFILING_COMMAND_START, sizeof time, &time, NULL),
          "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(events[1], CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
          "clGetEventProfilingInfo");
    for (int i = 0; i < 3; ++i)
        check(clReleaseEvent(events[i]), "clReleaseEvent");
    check(clReleaseSampler(sampler), "clReleaseSampler");
    check(clReleaseMemObject(image), "clReleaseMemObject");
    check(clReleaseMemObject(to), "clReleaseMemObject");
    check(clReleaseMemObject(from), "clReleaseMemObject");
    check(clReleaseKernel(clone), "clReleaseKernel");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return 0;
}
