/* What the programs of tests/rules have in common: a context and a queue on the first device. */
#ifndef TESTS_RULES_PROGRAM_H
#define TESTS_RULES_PROGRAM_H

#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

/* A program whose own set-up fails tests nothing: it ends with status 3. */
#define PROGRAM_CHECK(condition)                                                                   \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #condition);                 \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

struct program {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

static inline cl_context program_context(const struct program *program)
{
    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &program->device, NULL, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return context;
}

static inline cl_mem program_buffer(cl_context context)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return buffer;
}

static inline struct program program_begin(void)
{
    struct program program;
    cl_int error;
    PROGRAM_CHECK(clGetPlatformIDs(1, &program.platform, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clGetDeviceIDs(program.platform, CL_DEVICE_TYPE_ALL, 1, &program.device, NULL) ==
                  CL_SUCCESS);
    program.context = program_context(&program);
    program.queue = clCreateCommandQueue(program.context, program.device, 0, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return program;
}

/* A kernel of a program that is built for it, which the kernel keeps alive. */
static inline cl_kernel program_kernel_with(const struct program *program, const char *source,
                                            const char *name, const char *options)
{
    cl_int error;
    cl_program made = clCreateProgramWithSource(program->context, 1, &source, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clBuildProgram(made, 1, &program->device, options, NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(made, name, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clReleaseProgram(made) == CL_SUCCESS);
    return kernel;
}

static inline cl_kernel program_kernel(const struct program *program, const char *source,
                                       const char *name)
{
    return program_kernel_with(program, source, name, "");
}

static inline int program_end(const struct program *program)
{
    PROGRAM_CHECK(clFinish(program->queue) == CL_SUCCESS);
    PROGRAM_CHECK(clReleaseCommandQueue(program->queue) == CL_SUCCESS);
    PROGRAM_CHECK(clReleaseContext(program->context) == CL_SUCCESS);
    return 0;
}

#endif
