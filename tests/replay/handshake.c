/* A kernel that takes what the host stores into fine-grained shared virtual memory with atomics
 * when the command is under way: with `waits` the kernel runs already, says so, and waits for it,
 * with `meets` for the thread that enqueued it; with `looks` it is held back by a user event until
 * it is there. Before, an index stands there that is no good. Without such memory the program ends
 * with status 77. */
#include "tests/replay/program.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { IS_RUNNING, ANSWERS, INDEX, COUNT, NO_INDEX = 1000 };

static const char source[] =
    "#define LOAD(i) atomic_load_explicit(&shared[i], memory_order_acquire, \\\n"
    "                                     memory_scope_all_devices)\n"
    "kernel void waits(global atomic_int *shared, global int *out)\n"
    "{\n"
    "    atomic_store_explicit(&shared[0], 1, memory_order_release, memory_scope_all_devices);\n"
    "    while (LOAD(1) == 0)\n"
    "        ;\n"
    "    out[LOAD(2)] = 42;\n"
    "}\n"
    "kernel void meets(global atomic_int *shared, global int *out)\n"
    "{\n"
    "    waits(shared, out);\n"
    "}\n"
    "kernel void looks(global atomic_int *shared, global int *out)\n"
    "{\n"
    "    out[LOAD(2)] = 42;\n"
    "}\n";

static void answer(atomic_int *shared)
{
    atomic_store_explicit(&shared[INDEX], 0, memory_order_relaxed);
    atomic_store_explicit(&shared[ANSWERS], 1, memory_order_release);
}

static void *answer_kernel(void *shared)
{
    while (atomic_load_explicit(&((atomic_int *)shared)[IS_RUNNING], memory_order_acquire) == 0)
        ;
    answer(shared);
    return NULL;
}

static void wait_for_answer(const struct setup *setup, cl_kernel kernel, atomic_int *shared)
{
    const size_t one = 1;
    pthread_t thread;
    expect(pthread_create(&thread, NULL, answer_kernel, shared) == 0, "a thread");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(setup->queue), "clFinish");
    pthread_join(thread, NULL);
}

static void meet(const struct setup *setup, cl_kernel kernel, atomic_int *shared)
{
    const size_t one = 1;
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFlush(setup->queue), "clFlush");
    answer_kernel(shared);
    check(clFinish(setup->queue), "clFinish");
}

static void hold_until_answer(const struct setup *setup, cl_kernel kernel, atomic_int *shared)
{
    const size_t one = 1;
    cl_int status;
    cl_event held = clCreateUserEvent(setup->context, &status);
    check(status, "clCreateUserEvent");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 1, NULL, &one, NULL, 1, &held, NULL),
          "clEnqueueNDRangeKernel");
    answer(shared);
    check(clSetUserEventStatus(held, CL_COMPLETE), "clSetUserEventStatus");
    check(clFinish(setup->queue), "clFinish");
    check(clReleaseEvent(held), "clReleaseEvent");
}

static atomic_int *allocate(const struct setup *setup)
{
    const cl_svm_mem_flags flags =
        CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    atomic_int *shared = clSVMAlloc(setup->context, flags, COUNT * sizeof *shared, 0);
    expect(shared != NULL, "shared memory");
    memset(shared, 0, COUNT * sizeof *shared);
    atomic_store(&shared[INDEX], NO_INDEX);
    return shared;
}

static bool has_atomics(const struct setup *setup)
{
    cl_device_svm_capabilities svm = 0;
    check(clGetDeviceInfo(setup->device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL),
          "clGetDeviceInfo");
    return svm & CL_DEVICE_SVM_ATOMICS;
}

int main(int argc, char **argv)
{
    struct setup setup;
    cl_int status, out = 0;
    expect(argc == 2, "waits, meets or looks");
    setup_open(&setup);
    if (!has_atomics(&setup))
        return 77;
    atomic_int *shared = allocate(&setup);
    cl_program program = setup_build(&setup, source, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, argv[1], &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(setup.context, CL_MEM_WRITE_ONLY, sizeof out, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArgSVMPointer(kernel, 0, shared), "clSetKernelArgSVMPointer");
    check(clSetKernelArg(kernel, 1, sizeof buffer, &buffer), "clSetKernelArg");
    if (strcmp(argv[1], "waits") == 0)
        wait_for_answer(&setup, kernel, shared);
    else if (strcmp(argv[1], "meets") == 0)
        meet(&setup, kernel, shared);
    else
        hold_until_answer(&setup, kernel, shared);
    check(clEnqueueReadBuffer(setup.queue, buffer, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(out == 42, "the answer");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    clSVMFree(setup.context, shared);
    setup_close(&setup);
    return 0;
}
