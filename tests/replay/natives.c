/* Native kernels between others, on a queue in order and on one out of order: what they leave in
 * their memory objects is used by kernels and read back. With `alone` they have no memory objects.
 */
#include "tests/replay/program.h"

#include <stdint.h>
#include <string.h>

static const char source[] =
    "__kernel void twice(__global uint *data) { data[get_global_id(0)] *= 2; }\n";

enum { COUNT = 4096 };

struct arguments {
    cl_uint *sums, *data;
    cl_uint add;
};

static unsigned runs;

/* Changes its arguments, as it may. */
static void CL_CALLBACK add(void *block)
{
    struct arguments *arguments = block;
    for (int i = 0; i < COUNT; ++i)
        *arguments->data++ += arguments->add;
    arguments->sums[0] += arguments->add;
    ++runs;
}

static void CL_CALLBACK count(void *block)
{
    (void)block;
    ++runs;
}

static cl_event enqueue_add(cl_command_queue queue, cl_mem sums, cl_mem data, cl_uint what,
                            cl_event after)
{
    struct arguments arguments = {.add = what};
    const cl_mem objects[] = {data, sums};
    const void *places[] = {&arguments.data, &arguments.sums};
    cl_event event;
    check(clEnqueueNativeKernel(queue, add, &arguments, sizeof arguments, 2, objects, places,
                                after ? 1 : 0, after ? &after : NULL, &event),
          "clEnqueueNativeKernel");
    return event;
}

static void work(const struct setup *setup, cl_command_queue queue, cl_kernel kernel)
{
    const size_t size = COUNT;
    static cl_uint zeros[COUNT], result[COUNT];
    cl_uint sum;
    cl_int status;
    cl_mem data = clCreateBuffer(setup->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 sizeof zeros, zeros, &status);
    check(status, "clCreateBuffer");
    cl_mem sums = clCreateBuffer(setup->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 sizeof sum, zeros, &status);
    check(status, "clCreateBuffer");
    cl_event events[3];
    events[0] = enqueue_add(queue, sums, data, 5, NULL);
    check(clSetKernelArg(kernel, 0, sizeof data, &data), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 1, &events[0], &events[1]),
          "clEnqueueNDRangeKernel");
    events[2] = enqueue_add(queue, sums, data, 7, events[1]);
    check(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, sizeof result, result, 1, &events[2], NULL),
          "clEnqueueReadBuffer");
    check(clEnqueueReadBuffer(queue, sums, CL_TRUE, 0, sizeof sum, &sum, 1, &events[2], NULL),
          "clEnqueueReadBuffer");
    expect(result[0] == 17 && result[COUNT - 1] == 17 && sum == 12, "sums");
    for (int i = 0; i < 3; ++i)
        check(clReleaseEvent(events[i]), "clReleaseEvent");
    check(clReleaseMemObject(data), "clReleaseMemObject");
    check(clReleaseMemObject(sums), "clReleaseMemObject");
}

int main(int argument_count, char **arguments)
{
    struct setup setup;
    cl_int status;
    setup_open(&setup);
    if (argument_count > 1 && strcmp(arguments[1], "alone") == 0) {
        check(clEnqueueNativeKernel(setup.queue, count, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
              "clEnqueueNativeKernel");
        check(clFinish(setup.queue), "clFinish");
        expect(runs == 1, "one run");
        setup_close(&setup);
        return 0;
    }
    cl_program program = setup_build(&setup, source, "");
    cl_kernel kernel = clCreateKernel(program, "twice", &status);
    check(status, "clCreateKernel");
    cl_command_queue unordered = clCreateCommandQueue(
        setup.context, setup.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    check(status, "clCreateCommandQueue");
    work(&setup, setup.queue, kernel);
    work(&setup, unordered, kernel);
    expect(runs == 4, "four runs");
    check(clReleaseCommandQueue(unordered), "clReleaseCommandQueue");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
