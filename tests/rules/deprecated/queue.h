/* A context for a command-queue: program.h makes its queue by the deprecated entry point. */
#ifndef TESTS_RULES_DEPRECATED_QUEUE_H
#define TESTS_RULES_DEPRECATED_QUEUE_H

#include "tests/rules/program.h"

static inline cl_device_id queue_device(void)
{
    cl_platform_id platform;
    cl_device_id device;
    PROGRAM_CHECK(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS);
    return device;
}

static inline cl_context queue_context(void)
{
    const struct program program = {.device = queue_device()};
    return program_context(&program);
}

static inline int queue_end(cl_context context, cl_command_queue queue)
{
    PROGRAM_CHECK(queue);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}

#endif
