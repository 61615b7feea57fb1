/* Launches that build upon each other, for replay of parts: each changes what the one before it
 * left. Memory that the host may not touch, halves of one buffer, memory that nobody wrote, a clone
 * of a kernel, a queue that is out of order, and one race: which work-item wins depends on the
 * schedule. With the argument "held" the last launch waits for a user event. */
#include "tests/replay/program.h"

#include <string.h>

static const char source[] =
    "__kernel void advance(__global uint *data, uint add) {\n"
    "    data[get_global_id(0)] = data[get_global_id(0)] * 3 + add;\n"
    "}\n"
    "__kernel void halves(__global const uint *from, __global uint *to) {\n"
    "    to[get_global_id(0)] += from[get_global_id(0)];\n"
    "}\n"
    "__kernel void race(__global uint *data) {\n"
    "    data[0] = (uint)get_global_id(0);\n"
    "}\n";

enum { COUNT = 64, HALF = COUNT / 2 };

static void launch(cl_command_queue queue, cl_kernel kernel, size_t global_size, cl_event wait,
                   cl_event *event)
{
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, NULL, wait ? 1 : 0,
                                 wait ? &wait : NULL, event),
          "clEnqueueNDRangeKernel");
}

static cl_mem create(const struct setup *setup, cl_mem_flags flags, void *bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(setup->context, flags | (bytes ? CL_MEM_COPY_HOST_PTR : 0),
                                   COUNT * sizeof(cl_uint), bytes, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

static cl_mem half(cl_mem buffer, size_t index)
{
    const cl_buffer_region region = {index * HALF * sizeof(cl_uint), HALF * sizeof(cl_uint)};
    cl_int status;
    cl_mem part = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                    &region, &status);
    check(status, "clCreateSubBuffer");
    return part;
}

/* data[i] = data[i] * 3 + add,. */
static void step(const struct setup *setup, cl_kernel kernel, cl_mem data, cl_uint add)
{
    check(clSetKernelArg(kernel, 0, sizeof data, &data), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof add, &add), "clSetKernelArg");
    launch(setup->queue, kernel, COUNT, NULL, NULL);
}

static void add_halves(const struct setup *setup, cl_kernel kernel, cl_mem data, bool is_held)
{
    const cl_command_queue_properties out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_int status;
    cl_command_queue queue =
        clCreateCommandQueue(setup->context, setup->device, out_of_order, &status);
    check(status, "clCreateCommandQueue");
    cl_event held = is_held ? clCreateUserEvent(setup->context, &status) : NULL;
    check(status, "clCreateUserEvent");
    cl_mem from = half(data, 0);
    cl_mem to = half(data, 1);
    cl_event event;
    check(clSetKernelArg(kernel, 0, sizeof from, &from), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg");
    check(clFinish(setup->queue), "clFinish");
    launch(queue, kernel, HALF, held, &event);
    if (held)
        check(clSetUserEventStatus(held, CL_COMPLETE), "clSetUserEventStatus");
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    check(clReleaseEvent(event), "clReleaseEvent");
    if (held)
        check(clReleaseEvent(held), "clReleaseEvent");
    check(clReleaseMemObject(to), "clReleaseMemObject");
    check(clReleaseMemObject(from), "clReleaseMemObject");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
}

/* Only the first element of the memory is ever written. By one work-group: PoCL runs several in
 * several threads, and would not be equal to itself. */
static void race(const struct setup *setup, cl_kernel kernel)
{
    const size_t size = COUNT;
    cl_mem data = create(setup, CL_MEM_READ_WRITE, NULL);
    check(clSetKernelArg(kernel, 0, sizeof data, &data), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(setup->queue), "clFinish");
    check(clReleaseMemObject(data), "clReleaseMemObject");
}

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    return kernel;
}

int main(int argc, char **argv)
{
    struct setup setup;
    setup_open(&setup);
    cl_program program = setup_build(&setup, source, "");
    cl_kernel kernels[3] = {kernel_of(program, "advance"), kernel_of(program, "halves"),
                            kernel_of(program, "race")};
    cl_uint start[COUNT];
    cl_uint read[COUNT];
    for (cl_uint i = 0; i < COUNT; ++i)
        start[i] = i;
    cl_mem data = create(&setup, CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY, start);
    cl_mem hidden = create(&setup, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, start);
    step(&setup, kernels[0], data, 1);
    step(&setup, kernels[0], hidden, 2);
    cl_int status;
    cl_kernel clone = clCloneKernel(kernels[0], &status);
    check(status, "clCloneKernel");
    launch(setup.queue, clone, COUNT, NULL, NULL); /* the arguments are those of the last step */
    race(&setup, kernels[2]);
    add_halves(&setup, kernels[1], data, argc > 1 && strcmp(argv[1], "held") == 0);
    check(clEnqueueReadBuffer(setup.queue, data, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(read[1] == 4 && read[HALF + 1] == 3 * (HALF + 1) + 1 + 4, "numbers after two launches");
    check(clReleaseKernel(clone), "clReleaseKernel");
    for (int i = 0; i < 3; ++i)
        check(clReleaseKernel(kernels[i]), "clReleaseKernel");
    check(clReleaseMemObject(hidden), "clReleaseMemObject");
    check(clReleaseMemObject(data), "clReleaseMemObject");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
