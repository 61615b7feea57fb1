/* What the tests of the device share: they call it as a program does, through the loader. */
#ifndef TESTS_UNIT_ICD_FIXTURE_H
#define TESTS_UNIT_ICD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <CL/cl.h>
#include <CL/cl_ext.h>

/* Aligned as the device wants sub-buffers. */
enum { FIXTURE_ALIGNMENT = 128 };

struct fixture {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

#define CHECK(call) assert_int_equal((call), CL_SUCCESS)

/* Before the first call of OpenCL: our device and no other, a cache of the tests' own, no layer. */
static inline void fixture_environment(const char *vendors, const char *cache)
{
    setenv("OCL_ICD_VENDORS", vendors, 1);
    setenv("CLERK_CACHE", cache, 1);
    unsetenv("OPENCL_LAYERS");
    unsetenv("CLERK_CHECKS");
    unsetenv("CLERK_SCHEDULE");
}

static inline int fixture_setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    cl_int result;
    CHECK(clGetPlatformIDs(1, &fixture->platform, NULL));
    if (clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_ALL, 1, &fixture->device, NULL) != 0)
        CHECK(clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_CUSTOM, 1, &fixture->device, NULL));
    fixture->context = clCreateContext(NULL, 1, &fixture->device, NULL, NULL, &result);
    CHECK(result);
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    fixture->queue =
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, properties, &result);
    CHECK(result);
    *state = fixture;
    return 0;
}

static inline int fixture_teardown(void **state)
{
    struct fixture *fixture = *state;
    CHECK(clReleaseCommandQueue(fixture->queue));
    CHECK(clReleaseContext(fixture->context));
    free(fixture);
    return 0;
}

static inline cl_command_queue fixture_out_of_order(const struct fixture *fixture)
{
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
    cl_int result;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, properties, &result);
    CHECK(result);
    return queue;
}

static inline cl_mem fixture_buffer(const struct fixture *fixture, size_t size, const void *bytes)
{
    cl_int result;
    cl_mem mem =
        clCreateBuffer(fixture->context, CL_MEM_READ_WRITE | (bytes ? CL_MEM_COPY_HOST_PTR : 0),
                       size, (void *)(uintptr_t)bytes, &result);
    CHECK(result);
    return mem;
}

/* Builds, and prints the log if that fails. */
static inline cl_program fixture_program(const struct fixture *fixture, const char *source,
                                         const char *options)
{
    cl_int result;
    cl_program program = clCreateProgramWithSource(fixture->context, 1, &source, NULL, &result);
    CHECK(result);
    result = clBuildProgram(program, 1, &fixture->device, options, NULL, NULL);
    if (result != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, fixture->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log,
                              NULL);
        print_message("%s\n", log);
    }
    CHECK(result);
    return program;
}

/* The test is for devices with fine-grained shared virtual memory. */
static inline void fixture_needs_fine_grain(const struct fixture *fixture)
{
    cl_device_svm_capabilities has = 0;
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_SVM_CAPABILITIES, sizeof(has), &has, NULL));
    if ((has & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) == 0)
        skip();
}

static inline cl_kernel fixture_kernel(cl_program program, const char *name)
{
    cl_int result;
    cl_kernel kernel = clCreateKernel(program, name, &result);
    CHECK(result);
    return kernel;
}

static inline cl_int fixture_status(cl_event event)
{
    cl_int status;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    return status;
}

#endif
