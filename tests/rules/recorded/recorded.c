/* Programs whose commands are ordered by semaphores, one a name: `recorded CASE`. What each is to
 * be found wrong with on the reference device is said in CMakeLists.txt. */
#include "tests/rules/functions.h"

#include <string.h>

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int) };

static const char source[] =
    "kernel void put(global int *a, int value) { a[get_global_id(0)] = value; }\n"
    "kernel void add(global const int *a, global int *b) {\n"
    "    b[get_global_id(0)] = a[get_global_id(0)] + 1; }\n";

static struct program program;
static cl_command_queue other;      /* in order, beside program.queue */
static cl_command_queue free_queue; /* out of order */
static cl_mem a, b;
static cl_kernel put, add;
static cl_semaphore_khr semaphore;

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static cl_command_queue make_queue(cl_command_queue_properties properties)
{
    cl_int error;
    cl_command_queue queue =
        clCreateCommandQueue(program.context, program.device, properties, &error);
    check(error);
    return queue;
}

static cl_mem make_buffer(void)
{
    static cl_int values[COUNT];
    cl_int error;
    cl_mem buffer = clCreateBuffer(program.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, SIZE,
                                   values, &error);
    check(error);
    return buffer;
}

static cl_kernel make_kernel(cl_program built, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(built, name, &error);
    check(error);
    return kernel;
}

static void begin(void)
{
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR,
                                                  CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    const char *text = source;
    const cl_int seven = 7;
    cl_int error;
    program = program_begin();
    find_functions(program.platform);
    free_queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    other = make_queue(0);
    a = make_buffer();
    b = make_buffer();
    cl_program built = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(built, 0, NULL, "-cl-kernel-arg-info", NULL, NULL));
    put = make_kernel(built, "put");
    add = make_kernel(built, "add");
    check(clReleaseProgram(built));
    check(clSetKernelArg(put, 0, sizeof a, &a));
    check(clSetKernelArg(put, 1, sizeof seven, &seven));
    check(clSetKernelArg(add, 0, sizeof a, &a));
    check(clSetKernelArg(add, 1, sizeof b, &b));
    semaphore = f.clCreateSemaphoreWithPropertiesKHR(program.context, binary, &error);
    check(error);
}

static int end(void)
{
    check(clFinish(free_queue));
    check(clFinish(other));
    check(clFinish(program.queue));
    check(f.clReleaseSemaphoreKHR(semaphore));
    check(clReleaseKernel(put));
    check(clReleaseKernel(add));
    check(clReleaseMemObject(a));
    check(clReleaseMemObject(b));
    check(clReleaseCommandQueue(free_queue));
    check(clReleaseCommandQueue(other));
    return program_end(&program);
}

static void launch(cl_command_queue queue, cl_kernel kernel)
{
    const size_t size = COUNT;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
}

/* ---- semaphores ---- */

static void signal_in(cl_command_queue queue)
{
    check(f.clEnqueueSignalSemaphoresKHR(queue, 1, &semaphore, NULL, 0, NULL, NULL));
}

static void wait_in(cl_command_queue queue)
{
    check(f.clEnqueueWaitSemaphoresKHR(queue, 1, &semaphore, NULL, 0, NULL, NULL));
}

static void signalled(void)
{
    launch(program.queue, put);
    signal_in(program.queue);
    wait_in(other);
    launch(other, add);
}

static void signalled_early(void)
{
    signal_in(program.queue);
    launch(program.queue, put);
    wait_in(other);
    launch(other, add);
}

/* "When command_queue is an out-of-order command-queue there are no implicit dependencies". */
static void signalled_out_of_order(void)
{
    launch(free_queue, put);
    signal_in(free_queue);
    wait_in(other);
    launch(other, add);
}

static void signalled_behind_barrier(void)
{
    launch(free_queue, put);
    check(clEnqueueBarrierWithWaitList(free_queue, 0, NULL, NULL));
    signal_in(free_queue);
    wait_in(other);
    launch(other, add);
}

static void awaited_before_signal(void)
{
    wait_in(other);
    launch(other, add);
    launch(program.queue, put);
    signal_in(program.queue);
    check(clFlush(program.queue));
}

static void awaited_before_early_signal(void)
{
    wait_in(other);
    launch(other, add);
    signal_in(program.queue);
    launch(program.queue, put);
    check(clFlush(program.queue));
}

int main(int argc, char **argv)
{
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        CASE(signalled),
        CASE(signalled_early),
        CASE(signalled_out_of_order),
        CASE(signalled_behind_barrier),
        CASE(awaited_before_signal),
        CASE(awaited_before_early_signal),
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        begin();
        cases[i].run();
        return end();
    }
    fprintf(stderr, "recorded: there is no such case\n");
    return 3;
}
