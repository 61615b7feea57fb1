/* Threads with a queue, a kernel and a buffer each, which make and release them while the others
 * launch. One of them holds some launches back by user events, and sets these itself. */
#include "tests/replay/program.h"

#include <pthread.h>

static const char source[] = "__kernel void count(__global int *data) {\n"
                             "    data[get_global_id(0)] += 1;\n"
                             "}\n";

enum { THREADS = 4, LAUNCHES = 20, COUNT = 256 };

struct work {
    const struct setup *setup;
    cl_program program;
    cl_command_queue_properties properties;
    bool is_held;
};

/* After the launch before it, and sometimes after a user event. */
static cl_event launch(const struct work *work, cl_command_queue queue, cl_kernel kernel,
                       cl_event before, int index)
{
    const size_t global_size = COUNT;
    cl_int status = CL_SUCCESS;
    cl_event waits[2];
    cl_uint wait_count = 0;
    cl_event after;
    cl_event held =
        work->is_held && index % 7 == 3 ? clCreateUserEvent(work->setup->context, &status) : NULL;
    check(status, "clCreateUserEvent");
    if (before)
        waits[wait_count++] = before;
    if (held)
        waits[wait_count++] = held;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, NULL, wait_count,
                                 wait_count ? waits : NULL, &after),
          "clEnqueueNDRangeKernel");
    if (before)
        check(clReleaseEvent(before), "clReleaseEvent");
    if (held) {
        check(clSetUserEventStatus(held, CL_COMPLETE), "clSetUserEventStatus");
        check(clReleaseEvent(held), "clReleaseEvent");
    }
    return after;
}

static void *run(void *argument)
{
    const struct work *work = argument;
    const struct setup *setup = work->setup;
    const cl_int zero = 0;
    cl_int read[COUNT];
    cl_int status;
    cl_event event = NULL;
    cl_command_queue queue =
        clCreateCommandQueue(setup->context, setup->device, work->properties, &status);
    check(status, "clCreateCommandQueue");
    cl_kernel kernel = clCreateKernel(work->program, "count", &status);
    check(status, "clCreateKernel");
    cl_mem data = clCreateBuffer(setup->context, CL_MEM_READ_WRITE, sizeof read, NULL, &status);
    check(status, "clCreateBuffer");
    check(clEnqueueFillBuffer(queue, data, &zero, sizeof zero, 0, sizeof read, 0, NULL, NULL),
          "clEnqueueFillBuffer");
    check(clFinish(queue), "clFinish");
    check(clSetKernelArg(kernel, 0, sizeof data, &data), "clSetKernelArg");
    for (int i = 0; i < LAUNCHES; ++i)
        event = launch(work, queue, kernel, event, i);
    check(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, sizeof read, read, 1, &event, NULL),
          "clEnqueueReadBuffer");
    expect(read[0] == LAUNCHES && read[COUNT - 1] == LAUNCHES, "every launch counted");
    check(clReleaseEvent(event), "clReleaseEvent");
    check(clReleaseMemObject(data), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    return NULL;
}

int main(void)
{
    struct setup setup;
    struct work work[THREADS];
    pthread_t threads[THREADS];
    setup_open(&setup);
    cl_program program = setup_build(&setup, source, "");
    for (int i = 0; i < THREADS; ++i) {
        work[i] = (struct work){.setup = &setup,
                                .program = program,
                                .properties = i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0,
                                .is_held = i == 3};
        expect(pthread_create(&threads[i], NULL, run, &work[i]) == 0, "a thread");
    }
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
