/* A program that leaves clerk little to work with. Over the null driver of tests/bench.
 *
 *     pressed stacks     its threads have the smallest stacks that there are, and make wrong calls
 *     pressed longjmp    a signal handler leaves clFinish, in which the driver crashes, by
 *                        siglongjmp
 *     pressed LIBRARY    a thread loads it again and again while another's memory is in use; then
 *                        it frees such memory
 */
#include <CL/cl.h>

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;

static void make_objects(void)
{
    static const char *source = "kernel void two_buffers(global float *a, global float *b) {}";
    cl_platform_id platform;
    cl_int status;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    queue = clCreateCommandQueue(context, device, 0, &status);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    kernel = clCreateKernel(program, "two_buffers", &status);
}

static void release_objects(void)
{
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

/* ---- stacks ---- */

static void set_wrong_arguments(void)
{
    clSetKernelArg(kernel, 7, sizeof queue, &queue);
    clSetKernelArg(kernel, 0, 3, &queue);
    clSetKernelArg(kernel, 0, sizeof queue, &queue);
}

static void launch_wrongly(void)
{
    const size_t global = 64;
    const size_t local = 7;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    clEnqueueNDRangeKernel(queue, kernel, 9, NULL, &global, NULL, 0, NULL, NULL);
}

static void release_twice(void)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &status);
    clReleaseMemObject(buffer);
    clReleaseMemObject(buffer);
}

static void leave_a_buffer(void)
{
    cl_int status;
    clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, &status);
}

/* Pages that nobody may use, as many as another stack of clerk's has. */
static char *fill(void)
{
    return mmap(NULL, 512 << 10, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Where clerk goes on with another stack, it is in another distance from each thread's. */
static void *make_calls(void *user)
{
    static void (*const steps[])(void) = {set_wrong_arguments, launch_wrongly, release_twice,
                                          leave_a_buffer};
    fill(); /* where the last one was */
    fill();
    steps[*(const size_t *)user]();
    return NULL;
}

/* The threads' stack, above all that is mapped after it. */
static char *make_stack(size_t size)
{
    char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < 10000 && fill() > stack; i++)
        ;
    return stack;
}

static int press_stacks(void)
{
    const size_t size = (size_t)PTHREAD_STACK_MIN;
    char *stack = make_stack(size);
    for (size_t step = 0; step < 4; step++) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        if (pthread_attr_setstack(&attributes, stack, size) != 0 ||
            pthread_create(&thread, &attributes, make_calls, &step) != 0)
            return 2;
        pthread_join(thread, NULL);
        pthread_attr_destroy(&attributes);
    }
    return 0;
}

/* ---- longjmp ---- */

static sigjmp_buf before;

static void jump(int number)
{
    siglongjmp(before, number);
}

static int leave_by_jump(void)
{
    cl_int status;
    signal(SIGSEGV, jump);
    if (sigsetjmp(before, 1) == 0)
        clFinish(queue);
    /* Nobody looks at this any more. */
    clReleaseMemObject(
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, &status));
    return 0;
}

/* ---- libraries ---- */

static atomic_bool loaded_enough;

static void *load_again_and_again(void *path)
{
    while (!loaded_enough) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library)
            dlclose(library);
    }
    return NULL;
}

static void *write_later(cl_mem buffer)
{
    char *bytes = calloc(1, 64);
    clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 64, bytes, 0, NULL, NULL);
    return bytes;
}

static int load_while_in_use(char *path)
{
    enum { WRITES = 20000 };
    cl_int status;
    pthread_t thread;
    cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &status);
    if (pthread_create(&thread, NULL, load_again_and_again, path) != 0)
        return 2;
    for (size_t i = 0; i < WRITES; i++) {
        void *bytes = write_later(buffer);
        clFinish(queue);
        free(bytes);
    }
    loaded_enough = true;
    pthread_join(thread, NULL);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*free_there)(void *) = library ? (void (*)(void *))dlsym(library, "free_there") : NULL;
    if (!free_there)
        return 2;
    free_there(write_later(buffer));
    clReleaseMemObject(buffer);
    return 0;
}

int main(int argc, char **argv)
{
    make_objects();
    int result = 2;
    if (argc == 2 && strcmp(argv[1], "stacks") == 0)
        result = press_stacks();
    else if (argc == 2 && strcmp(argv[1], "longjmp") == 0)
        result = leave_by_jump();
    else if (argc == 2)
        result = load_while_in_use(argv[1]);
    release_objects();
    puts("the program is done");
    return result;
}
