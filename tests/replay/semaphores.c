/* Two queues that take turns by semaphores, of a context and of a device. Without such the program
 * ends with status 77. */
#include "tests/replay/program.h"
#include "tests/rules/functions.h"

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int), ROUNDS = 3 };

static const char source[] = "kernel void twice(global int *a) {\n"
                             "    a[get_global_id(0)] = 2 * a[get_global_id(0)] + 1;\n"
                             "}\n";

static struct setup setup;

static cl_semaphore_khr make_semaphore(const cl_semaphore_properties_khr *properties)
{
    cl_int status;
    cl_semaphore_khr made =
        f.clCreateSemaphoreWithPropertiesKHR(setup.context, properties, &status);
    check(status, "clCreateSemaphoreWithPropertiesKHR");
    return made;
}

/* The launch runs when the one semaphore lets it, and then the other is signalled. */
static void take_turn(cl_command_queue queue, cl_kernel kernel, cl_semaphore_khr before,
                      cl_semaphore_khr after)
{
    const size_t count = COUNT;
    const cl_semaphore_payload_khr payload = 0;
    cl_event waited;
    check(f.clEnqueueWaitSemaphoresKHR(queue, 1, &before, NULL, 0, NULL, &waited),
          "clEnqueueWaitSemaphoresKHR");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 1, &waited, NULL),
          "clEnqueueNDRangeKernel");
    check(clReleaseEvent(waited), "clReleaseEvent");
    check(f.clEnqueueSignalSemaphoresKHR(queue, 1, &after, &payload, 0, NULL, NULL),
          "clEnqueueSignalSemaphoresKHR");
    check(clFlush(queue), "clFlush");
}

int main(void)
{
    cl_int status, values[COUNT] = {0};
    setup_open(&setup);
    find_functions(setup.platform);
    if (!f.clCreateSemaphoreWithPropertiesKHR)
        return 77;
    const cl_semaphore_properties_khr of_context[] = {CL_SEMAPHORE_TYPE_KHR,
                                                      CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    const cl_semaphore_properties_khr of_device[] = {CL_SEMAPHORE_TYPE_KHR,
                                                     CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                     CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                     (cl_semaphore_properties_khr)setup.device,
                                                     0 /* the end of that list */,
                                                     0};
    cl_semaphore_khr here = make_semaphore(of_context);
    cl_semaphore_khr there = make_semaphore(of_device);
    cl_command_queue other = clCreateCommandQueue(setup.context, setup.device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_mem buffer = clCreateBuffer(setup.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, SIZE,
                                   values, &status);
    check(status, "clCreateBuffer");
    cl_program program = setup_build(&setup, source, "");
    cl_kernel kernel = clCreateKernel(program, "twice", &status);
    check(status, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(f.clRetainSemaphoreKHR(here), "clRetainSemaphoreKHR");
    check(f.clEnqueueSignalSemaphoresKHR(setup.queue, 1, &here, NULL, 0, NULL, NULL),
          "clEnqueueSignalSemaphoresKHR");
    for (int round = 0; round < ROUNDS; round++) {
        take_turn(setup.queue, kernel, here, there);
        take_turn(other, kernel, there, here);
    }
    check(clFinish(other), "clFinish");
    check(clEnqueueReadBuffer(setup.queue, buffer, CL_TRUE, 0, SIZE, values, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(values[0] == (1 << 2 * ROUNDS) - 1 && values[COUNT - 1] == values[0], "the turns");
    check(f.clReleaseSemaphoreKHR(here), "clReleaseSemaphoreKHR");
    check(f.clReleaseSemaphoreKHR(here), "clReleaseSemaphoreKHR");
    check(f.clReleaseSemaphoreKHR(there), "clReleaseSemaphoreKHR");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseCommandQueue(other), "clReleaseCommandQueue");
    setup_close(&setup);
    return 0;
}
