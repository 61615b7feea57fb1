/* Callbacks that the program relies on: what comes after one must find the command over whose end
 * it told, and memory must stay until a callback frees it. */
#include "tests/replay/program.h"

#include <stdatomic.h>
#include <string.h>

enum { COUNT = 1 << 16 };

/* Slow enough that whoever does not wait comes before it. */
static const char source[] = "kernel void count(global uint *a) {\n"
                             "    uint x = a[get_global_id(0)];\n"
                             "    for (uint i = 0; i < 300; ++i) x = x * 1664525u + 1013904223u;\n"
                             "    a[get_global_id(0)] = x;\n"
                             "}\n";

static void CL_CALLBACK set_free(cl_event event, cl_int status, void *user)
{
    (void)event;
    check(status, "a read");
    check(clSetUserEventStatus(user, CL_COMPLETE), "clSetUserEventStatus");
    check(clReleaseEvent(user), "clReleaseEvent of what was retained for the callback");
}

static atomic_bool is_built;

static void CL_CALLBACK built(cl_program program, void *user)
{
    (void)user;
    check(clRetainProgram(program), "clRetainProgram");
    atomic_store(&is_built, true);
}

static cl_kernel build(const struct setup *setup)
{
    const char *text = source;
    cl_int status;
    cl_program program = clCreateProgramWithSource(setup->context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &setup->device, "", built, NULL), "clBuildProgram");
    while (!atomic_load(&is_built))
        continue;
    cl_kernel kernel = clCreateKernel(program, "count", &status);
    check(status, "clCreateKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseProgram(program), "clReleaseProgram of what the callback retained");
    return kernel;
}

static void CL_CALLBACK ended(cl_mem memobj, void *user)
{
    (void)memobj;
    check(clReleaseMemObject(user), "clReleaseMemObject in a callback");
}

static cl_mem make_buffer(const struct setup *setup, size_t size)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(setup->context, CL_MEM_READ_WRITE, size, NULL, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

/* One queue computes and reads; the other overwrites what is read when a callback allows it. */
static void hand_over(const struct setup *setup, cl_kernel kernel, cl_mem buffer, cl_uint *first,
                      cl_uint *second)
{
    const cl_uint two = 2;
    const size_t size = COUNT * sizeof(cl_uint), global = COUNT;
    cl_int status;
    cl_event read;
    cl_command_queue other = clCreateCommandQueue(setup->context, setup->device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_event allowed = clCreateUserEvent(setup->context, &status);
    check(status, "clCreateUserEvent");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(setup->queue, buffer, CL_FALSE, 0, size, first, 0, NULL, &read),
          "clEnqueueReadBuffer");
    /* What waits for the event may be over, and the event released, before the callback is. */
    check(clRetainEvent(allowed), "clRetainEvent");
    check(clSetEventCallback(read, CL_COMPLETE, set_free, allowed), "clSetEventCallback");
    check(clEnqueueFillBuffer(other, buffer, &two, sizeof two, 0, size, 1, &allowed, NULL),
          "clEnqueueFillBuffer");
    check(clFlush(setup->queue), "clFlush");
    check(clEnqueueReadBuffer(other, buffer, CL_TRUE, 0, size, second, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    check(clFinish(setup->queue), "clFinish");
    check(clReleaseEvent(read), "clReleaseEvent");
    check(clReleaseEvent(allowed), "clReleaseEvent");
    check(clReleaseCommandQueue(other), "clReleaseCommandQueue");
}

int main(void)
{
    static cl_uint first[COUNT], second[COUNT];
    const cl_uint one = 1;
    struct setup setup;
    setup_open(&setup);
    cl_kernel kernel = build(&setup);
    cl_mem buffer = make_buffer(&setup, sizeof first);
    cl_mem companion = make_buffer(&setup, 64);
    check(clSetMemObjectDestructorCallback(buffer, ended, companion),
          "clSetMemObjectDestructorCallback");
    check(
        clEnqueueFillBuffer(setup.queue, buffer, &one, sizeof one, 0, sizeof first, 0, NULL, NULL),
        "clEnqueueFillBuffer");
    hand_over(&setup, kernel, buffer, first, second);
    expect(first[0] != 2 && memcmp(first, first + 1, sizeof first - sizeof *first) == 0 &&
               second[0] == 2 && second[COUNT - 1] == 2,
           "numbers that the callback kept apart");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    setup_close(&setup);
    return 0;
}
