/* The cases by OpenCL 1.2. Each kernel is a program of its own, built from source without options:
 * so the driver contracts and optimises as it does for any program. */
#include "tests/bench/gpu/device.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

struct device {
    const char *kernels_folder;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    char description[512];
};

struct device_kernel {
    struct device *device;
    const struct case_launch *launch;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffers[CASE_BUFFERS_MAX];
};

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "gpu bench: %s failed with status %d\n", what, (int)status);
        exit(2);
    }
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) {
        fprintf(stderr, "gpu bench: out of memory\n");
        exit(2);
    }
    return memory;
}

/* ---- the device ---- */

static cl_device_id first_device(void)
{
    enum { PLATFORMS_MAX = 16 };
    cl_platform_id platforms[PLATFORMS_MAX];
    cl_uint count;
    check(clGetPlatformIDs(PLATFORMS_MAX, platforms, &count), "clGetPlatformIDs");
    if (count > PLATFORMS_MAX)
        count = PLATFORMS_MAX;
    cl_device_id id;
    for (cl_uint i = 0; i < count; ++i) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &id, NULL) == CL_SUCCESS)
            return id;
    }
    check(clGetDeviceIDs(platforms[0], CL_DEVICE_TYPE_ALL, 1, &id, NULL), "clGetDeviceIDs");
    return id;
}

struct device *device_open(const char *kernels_folder)
{
    struct device *device = allocate(sizeof *device);
    device->kernels_folder = kernels_folder;
    device->id = first_device();
    char name[200];
    char version[200];
    check(clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
    check(clGetDeviceInfo(device->id, CL_DRIVER_VERSION, sizeof version, version, NULL),
          "clGetDeviceInfo");
    snprintf(device->description, sizeof device->description, "%s, driver %s", name, version);
    cl_int status;
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
    check(status, "clCreateContext");
    device->queue = clCreateCommandQueue(device->context, device->id, 0, &status);
    check(status, "clCreateCommandQueue");
    return device;
}

const char *device_describe(const struct device *device)
{
    return device->description;
}

void device_close(struct device *device)
{
    check(clReleaseCommandQueue(device->queue), "clReleaseCommandQueue");
    check(clReleaseContext(device->context), "clReleaseContext");
    free(device);
}

void device_finish(struct device *device)
{
    check(clFinish(device->queue), "clFinish");
}

/* ---- programs ---- */

/* The caller frees it. */
static char *read_source(const char *folder, const char *kernel)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.cl", folder, kernel);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    const long size = ftell(file);
    rewind(file);
    char *text = allocate(size < 0 ? 1 : (size_t)size + 1);
    if (size < 0 || fread(text, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "gpu bench: cannot read %s\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

static cl_program build_program(const struct device *device, const char *kernel)
{
    char *source = read_source(device->kernels_folder, kernel);
    cl_int status;
    const cl_program program =
        clCreateProgramWithSource(device->context, 1, (const char *[]){source}, NULL, &status);
    check(status, "clCreateProgramWithSource");
    free(source);
    status = clBuildProgram(program, 1, &device->id, "", NULL, NULL);
    if (status != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(status, "clBuildProgram");
    return program;
}

/* ---- kernels ---- */

static void set_arguments(struct device_kernel *kernel)
{
    const struct case_launch *launch = kernel->launch;
    cl_uint index = 0;
    cl_int status;
    for (unsigned i = 0; i < launch->buffer_count; ++i) {
        const struct case_buffer *buffer = &launch->buffers[i];
        kernel->buffers[i] =
            clCreateBuffer(kernel->device->context,
                           buffer->access == CASE_WRITE ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY,
                           buffer->size, NULL, &status);
        check(status, "clCreateBuffer");
        check(clSetKernelArg(kernel->kernel, index++, sizeof(cl_mem), &kernel->buffers[i]),
              "clSetKernelArg");
    }
    for (unsigned i = 0; i < launch->value_count; ++i)
        check(clSetKernelArg(kernel->kernel, index++, sizeof(cl_uint), &launch->values[i]),
              "clSetKernelArg");
}

struct device_kernel *device_kernel_create(struct device *device, const struct case_launch *launch)
{
    struct device_kernel *kernel = allocate(sizeof *kernel);
    kernel->device = device;
    kernel->launch = launch;
    kernel->program = build_program(device, launch->kernel);
    cl_int status;
    kernel->kernel = clCreateKernel(kernel->program, launch->kernel, &status);
    check(status, "clCreateKernel");
    set_arguments(kernel);
    return kernel;
}

void device_kernel_write(struct device_kernel *kernel)
{
    for (unsigned i = 0; i < kernel->launch->buffer_count; ++i) {
        const struct case_buffer *buffer = &kernel->launch->buffers[i];
        check(clEnqueueWriteBuffer(kernel->device->queue, kernel->buffers[i], CL_TRUE, 0,
                                   buffer->size, buffer->before, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
    }
}

void device_kernel_enqueue(struct device_kernel *kernel)
{
    const struct case_launch *launch = kernel->launch;
    check(clEnqueueNDRangeKernel(kernel->device->queue, kernel->kernel, launch->work_dim, NULL,
                                 launch->global, launch->local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
}

void device_kernel_read(struct device_kernel *kernel)
{
    for (unsigned i = 0; i < kernel->launch->buffer_count; ++i) {
        const struct case_buffer *buffer = &kernel->launch->buffers[i];
        check(clEnqueueReadBuffer(kernel->device->queue, kernel->buffers[i], CL_TRUE, 0,
                                  buffer->size, buffer->after, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    }
}

void device_kernel_destroy(struct device_kernel *kernel)
{
    for (unsigned i = 0; i < kernel->launch->buffer_count; ++i)
        check(clReleaseMemObject(kernel->buffers[i]), "clReleaseMemObject");
    check(clReleaseKernel(kernel->kernel), "clReleaseKernel");
    check(clReleaseProgram(kernel->program), "clReleaseProgram");
    free(kernel);
}
