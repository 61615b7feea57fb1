/* Threads that make buffers of their own at once, and each fills some of them beyond the end: on
 * lines of their own, so that each is told. */
#include <CL/cl.h>
#include <pthread.h>
#include <stddef.h>

enum { THREADS = 4, ROUNDS = 300 };

static cl_context context;
static cl_command_queue queue;

static cl_mem make(size_t size)
{
    for (int i = 0; i < ROUNDS; i++)
        clReleaseMemObject(clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, NULL));
    return clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, NULL);
}

/* Functions that do the same would become one. */
#define OVERFLOWS(name)                                                                            \
    static void name(void)                                                                         \
    {                                                                                              \
        const cl_int zero = 0;                                                                     \
        const size_t size = 4 * __LINE__;                                                          \
        cl_mem buffer = make(size);                                                                \
        clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, size, sizeof zero, 0, NULL, NULL);  \
        clReleaseMemObject(buffer);                                                                \
    }
OVERFLOWS(first_a)
OVERFLOWS(first_b)
OVERFLOWS(first_c)
OVERFLOWS(first_d)
OVERFLOWS(second_a)
OVERFLOWS(second_b)
OVERFLOWS(second_c)
OVERFLOWS(second_d)
OVERFLOWS(third_a)
OVERFLOWS(third_b)
OVERFLOWS(third_c)
OVERFLOWS(third_d)
OVERFLOWS(fourth_a)
OVERFLOWS(fourth_b)
OVERFLOWS(fourth_c)
OVERFLOWS(fourth_d)

static void (*overflows[THREADS][4])(void) = {
    {first_a, first_b, first_c, first_d},
    {second_a, second_b, second_c, second_d},
    {third_a, third_b, third_c, third_d},
    {fourth_a, fourth_b, fourth_c, fourth_d},
};

static void *run(void *argument)
{
    void (**own)(void) = argument;
    for (int i = 0; i < 4; i++)
        own[i]();
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 1;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, overflows[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
