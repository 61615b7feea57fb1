#include "tests/replay/program.h"

#include <stdio.h>
#include <stdlib.h>

void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s failed with status %d\n", what, (int)status);
        exit(2);
    }
}

void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "wrong: %s\n", what);
        exit(1);
    }
}

void setup_open(struct setup *setup)
{
    cl_int status;
    check(clGetPlatformIDs(1, &setup->platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(setup->platform, CL_DEVICE_TYPE_ALL, 1, &setup->device, NULL),
          "clGetDeviceIDs");
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)setup->platform, 0};
    setup->context = clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, NULL, NULL, &status);
    check(status, "clCreateContextFromType");
    setup->queue = clCreateCommandQueue(setup->context, setup->device, 0, &status);
    check(status, "clCreateCommandQueue");
}

void setup_close(struct setup *setup)
{
    check(clReleaseCommandQueue(setup->queue), "clReleaseCommandQueue");
    check(clReleaseContext(setup->context), "clReleaseContext");
}

cl_program setup_build(const struct setup *setup, const char *source, const char *options)
{
    cl_int status;
    cl_program program =
        clCreateProgramWithSource(setup->context, 1, (const char *[]){source}, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &setup->device, options, NULL, NULL), "clBuildProgram");
    return program;
}
