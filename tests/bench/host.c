#include "tests/bench/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void host_check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "bench: %s failed with status %d\n", what, (int)status);
        exit(2);
    }
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    const long size = ftell(file);
    rewind(file);
    char *text = size < 0 ? NULL : calloc(1, (size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "bench: cannot read %s\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

void host_open(struct host *host, const char *source_path)
{
    cl_platform_id platform;
    cl_int status;
    host_check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    host_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &host->device, NULL),
               "clGetDeviceIDs");
    host->context = clCreateContext(NULL, 1, &host->device, NULL, NULL, &status);
    host_check(status, "clCreateContext");
    host->queue = clCreateCommandQueue(host->context, host->device, 0, &status);
    host_check(status, "clCreateCommandQueue");
    char *source = source_path ? read_file(source_path) : NULL;
    host->program = clCreateProgramWithSource(
        host->context, 1, (const char *[]){source ? source : ""}, NULL, &status);
    host_check(status, "clCreateProgramWithSource");
    free(source);
    status = clBuildProgram(host->program, 1, &host->device, "", NULL, NULL);
    if (status != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(host->program, host->device, CL_PROGRAM_BUILD_LOG, sizeof log, log,
                              NULL);
        fprintf(stderr, "%s\n", log);
    }
    host_check(status, "clBuildProgram");
}

void host_close(struct host *host)
{
    clReleaseProgram(host->program);
    clReleaseCommandQueue(host->queue);
    clReleaseContext(host->context);
}

cl_mem host_buffer(const struct host *host, size_t size, const void *bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(host->context, CL_MEM_READ_WRITE, size, NULL, &status);
    host_check(status, "clCreateBuffer");
    if (bytes)
        host_check(
            clEnqueueWriteBuffer(host->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL),
            "clEnqueueWriteBuffer");
    return buffer;
}

cl_mem host_image(const struct host *host, size_t side, const float *texels)
{
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side, .image_height = side};
    cl_int status;
    cl_mem image = clCreateImage(host->context, CL_MEM_READ_ONLY, &format, &desc, NULL, &status);
    host_check(status, "clCreateImage");
    host_check(clEnqueueWriteImage(host->queue, image, CL_TRUE, (size_t[]){0, 0, 0},
                                   (size_t[]){side, side, 1}, 0, 0, texels, 0, NULL, NULL),
               "clEnqueueWriteImage");
    return image;
}

static uint64_t time_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t cpu_time_ns(void)
{
    return time_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t wall_time_ns(void)
{
    return time_ns(CLOCK_MONOTONIC);
}

static int compare_values(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

uint64_t median(uint64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_values);
    return values[count / 2];
}
