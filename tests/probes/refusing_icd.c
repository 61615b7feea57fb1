/* A driver that is another one, REFUSING_DRIVER (a library), but refuses something to the copies of
 * programs that clerk makes, as a driver may that is short of it. REFUSING says what:
 *
 *   build, kernel, argument, launch    the call of that kind for a copy, or for a kernel of it
 *   reports, cells                     a buffer of clerk's own
 *   read                               to read what kernels reported
 *
 * A copy is known by its text, and clerk's buffers by being larger than those of the programs here.
 * The other driver's own table is changed: its objects lead to that. */
#include <CL/cl_icd.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { PROGRAM_BUFFER_MAX = 1024, HANDLES = 4096 };

static cl_icd_dispatch real;
static const char *refusing = "";

static bool refuses(const char *what)
{
    return strcmp(refusing, what) == 0;
}

/* ---- what is a copy ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const void *copies[HANDLES];
static size_t copy_count;

static bool is_copy(const void *handle)
{
    bool found = false;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < copy_count; i++)
        found |= copies[i] == handle;
    pthread_mutex_unlock(&mutex);
    return found;
}

/* A handle may have been another object's before. */
static void remember(const void *handle, bool copied)
{
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < copy_count; i++)
        if (copies[i] == handle)
            copies[i] = NULL;
    if (copied && copy_count < HANDLES)
        copies[copy_count++] = handle;
    pthread_mutex_unlock(&mutex);
}

/* ---- its calls ---- */

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count,
                                             const char **strings, const size_t *lengths,
                                             cl_int *errcode_ret)
{
    cl_program program =
        real.clCreateProgramWithSource(context, count, strings, lengths, errcode_ret);
    if (program)
        remember(program, count == 1 && strstr(strings[0], "clerk_report") != NULL);
    return program;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint num_devices,
                                const cl_device_id *device_list, const char *options,
                                void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data)
{
    if (refuses("build") && is_copy(program))
        return CL_BUILD_PROGRAM_FAILURE;
    return real.clBuildProgram(program, num_devices, device_list, options, pfn_notify, user_data);
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name,
                                           cl_int *errcode_ret)
{
    const bool copied = is_copy(program);
    if (refuses("kernel") && copied) {
        *errcode_ret = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    cl_kernel kernel = real.clCreateKernel(program, name, errcode_ret);
    if (kernel)
        remember(kernel, copied);
    return kernel;
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size,
                                       const void *value)
{
    if (refuses("argument") && is_copy(kernel))
        return CL_OUT_OF_RESOURCES;
    return real.clSetKernelArg(kernel, index, size, value);
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 cl_uint num_events, const cl_event *events, cl_event *event)
{
    if (refuses("launch") && is_copy(kernel))
        return CL_INVALID_WORK_GROUP_SIZE;
    return real.clEnqueueNDRangeKernel(queue, kernel, work_dim, offset, global, local, num_events,
                                       events, event);
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size,
                                        void *host_ptr, cl_int *errcode_ret)
{
    if (size > PROGRAM_BUFFER_MAX && refuses(host_ptr ? "reports" : "cells")) {
        *errcode_ret = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    return real.clCreateBuffer(context, flags, size, host_ptr, errcode_ret);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                      size_t offset, size_t size, void *ptr, cl_uint num_events,
                                      const cl_event *events, cl_event *event)
{
    size_t whole = 0;
    real.clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof whole, &whole, NULL);
    if (refuses("read") && whole > PROGRAM_BUFFER_MAX)
        return CL_OUT_OF_RESOURCES;
    return real.clEnqueueReadBuffer(queue, buffer, blocking, offset, size, ptr, num_events, events,
                                    event);
}

/* ---- the other driver ---- */

static void change(cl_icd_dispatch *table)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = (uintptr_t)table & ~(page - 1);
    const size_t size = (uintptr_t)(table + 1) - begin;
    if (mprotect((void *)begin, size, PROT_READ | PROT_WRITE) != 0)
        abort();
    real = *table;
    table->clCreateProgramWithSource = create_program;
    table->clBuildProgram = build;
    table->clCreateKernel = create_kernel;
    table->clSetKernelArg = set_argument;
    table->clEnqueueNDRangeKernel = launch;
    table->clCreateBuffer = create_buffer;
    table->clEnqueueReadBuffer = read_buffer;
}

static void *function_of_driver(const char *name)
{
    static void *library;
    const char *path = getenv("REFUSING_DRIVER");
    if (!library && path)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return NULL;
    void *function = dlsym(library, name);
    void *(*extension)(const char *) = NULL;
    *(void **)&extension = dlsym(library, "clGetExtensionFunctionAddress");
    return function || !extension ? function : extension(name);
}

EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                 cl_uint *num_platforms)
{
    cl_int(CL_API_CALL * get)(cl_uint, cl_platform_id *, cl_uint *) = NULL;
    *(void **)&get = function_of_driver("clIcdGetPlatformIDsKHR");
    const cl_int status =
        get ? get(num_entries, platforms, num_platforms) : CL_PLATFORM_NOT_FOUND_KHR;
    if (status == CL_SUCCESS && platforms && !real.clBuildProgram) {
        refusing = getenv("REFUSING") ? getenv("REFUSING") : "";
        change(*(cl_icd_dispatch **)platforms[0]);
    }
    return status;
}

EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name,
                                            size_t size, void *value, size_t *size_ret)
{
    cl_int(CL_API_CALL * get)(cl_platform_id, cl_platform_info, size_t, void *, size_t *) = NULL;
    *(void **)&get = function_of_driver("clGetPlatformInfo");
    return get ? get(platform, name, size, value, size_ret) : CL_INVALID_PLATFORM;
}

EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)(uintptr_t)clIcdGetPlatformIDsKHR;
    if (strcmp(name, "clGetPlatformInfo") == 0)
        return (void *)(uintptr_t)clGetPlatformInfo;
    return function_of_driver(name);
}
