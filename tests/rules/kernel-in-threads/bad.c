/* Two threads set the argument of one kernel again and again: often enough that one of them loses
 * its processor within a call, where they have only one. */
#include "tests/rules/program.h"

#include <pthread.h>

#ifdef __SANITIZE_THREAD__
enum { TIMES = 300000 }; /* calls take long enough to meet */
#else
enum { TIMES = 2000000 };
#endif

static pthread_barrier_t start;

static void *set(void *kernel)
{
    pthread_barrier_wait(&start);
    for (cl_int i = 0; i < TIMES; ++i)
        clSetKernelArg(kernel, 0, sizeof i, &i);
    return NULL;
}

int main(void)
{
    struct program program = program_begin();
    const char *source = "kernel void other(int a) { (void)a; }";
    cl_int error;
    cl_program made = clCreateProgramWithSource(program.context, 1, &source, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clBuildProgram(made, 1, &program.device, "", NULL, NULL) == CL_SUCCESS);
    cl_kernel kernels[2];
    for (int i = 0; i < 2; ++i) {
        kernels[i] = clCreateKernel(made, "other", &error);
        PROGRAM_CHECK(error == CL_SUCCESS);
    }
    pthread_t thread;
    pthread_barrier_init(&start, NULL, 2);
    PROGRAM_CHECK(pthread_create(&thread, NULL, set, kernels[0]) == 0);
    set(kernels[0]);
    pthread_join(thread, NULL);
    clReleaseKernel(kernels[0]);
    clReleaseKernel(kernels[1]);
    clReleaseProgram(made);
    return program_end(&program);
}
// covers: B14
