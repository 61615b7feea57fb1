/* Launches kernels whose checked copies report something; what they do is in fixed_probe.c too.
 *
 *   suspected KERNEL once|twice|queues|large|linked
 *
 * once: one launch. twice: and another, of the same memory written anew. queues: that memory is
 * written on another queue, after a user event, which the launch waits for on a queue that is not
 * in order. large: one launch, with much memory. linked: one launch, of a program that is compiled
 * with a header and linked. Ends with 1 if the kernel did not find what was
 * written. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, LARGE = 300 << 20 };

static const char source[] = "kernel void shift(global int *a, global int *index)\n"
                             "{\n"
                             "    a[index[get_global_id(0)]] = 1;\n"
                             "    index[get_global_id(0)] = 0;\n"
                             "}\n"
                             "kernel void sum(global int *a, global int *index)\n"
                             "{\n"
                             "    a[index[get_global_id(0)]] = 1;\n"
                             "    index[0] = (int)get_global_id(0);\n"
                             "}\n"
                             "kernel void right(global int *a, global int *index)\n"
                             "{\n"
                             "    a[get_global_id(0)] = 1;\n"
                             "}\n"
                             "kernel void wrong(global int *a, global int *index)\n"
                             "{\n"
                             "    a[get_global_size(0) + get_global_id(0)] = 1;\n"
                             "}\n"
                             "kernel void later(global int *a, global int *index)\n"
                             "{\n"
                             "    a[get_global_size(0) + get_global_id(0)] = 1;\n"
                             "}\n";

static void check(cl_int status, const char *call)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", call, status);
        exit(3);
    }
}

struct suspected {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem a, index;
    cl_int written[ITEMS];
};

static void open_device(struct suspected *suspected)
{
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &suspected->device, NULL),
          "clGetDeviceIDs");
    suspected->context = clCreateContext(NULL, 1, &suspected->device, NULL, NULL, &status);
    check(status, "clCreateContext");
    suspected->queue = clCreateCommandQueue(suspected->context, suspected->device, 0, &status);
    check(status, "clCreateCommandQueue");
}

static cl_program build(const struct suspected *suspected)
{
    const char *text = source;
    cl_int status;
    cl_program program = clCreateProgramWithSource(suspected->context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &suspected->device, "", NULL, NULL), "clBuildProgram");
    return program;
}

static cl_program link_program(const struct suspected *suspected)
{
    const char *texts[] = {source, "#include \"more.h\"\n"};
    const char *name = "more.h", *more = "kernel void more(void) {}\n";
    cl_int status;
    cl_program header = clCreateProgramWithSource(suspected->context, 1, &more, NULL, &status);
    check(status, "clCreateProgramWithSource");
    cl_program part = clCreateProgramWithSource(suspected->context, 2, texts, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clCompileProgram(part, 1, &suspected->device, "", 1, &header, &name, NULL, NULL),
          "clCompileProgram");
    cl_program program =
        clLinkProgram(suspected->context, 1, &suspected->device, "", 1, &part, NULL, NULL, &status);
    check(status, "clLinkProgram");
    check(clReleaseProgram(part), "clReleaseProgram");
    check(clReleaseProgram(header), "clReleaseProgram");
    return program;
}

static void make(struct suspected *suspected, const char *kernel, const char *mode)
{
    const size_t size = strcmp(mode, "large") == 0 ? LARGE : ITEMS * sizeof(cl_int);
    cl_int status;
    cl_program program = strcmp(mode, "linked") == 0 ? link_program(suspected) : build(suspected);
    suspected->kernel = clCreateKernel(program, kernel, &status);
    check(status, "clCreateKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    suspected->a = clCreateBuffer(suspected->context, CL_MEM_READ_WRITE, size, NULL, &status);
    check(status, "clCreateBuffer");
    for (cl_int i = 0; i < ITEMS; i++)
        suspected->written[i] = i + 1; /* the last one leads out of 'a' */
    suspected->index = clCreateBuffer(suspected->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      sizeof suspected->written, suspected->written, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(suspected->kernel, 0, sizeof(cl_mem), &suspected->a), "clSetKernelArg");
    check(clSetKernelArg(suspected->kernel, 1, sizeof(cl_mem), &suspected->index),
          "clSetKernelArg");
}

static void launch(const struct suspected *suspected, cl_command_queue queue, cl_uint count,
                   const cl_event *list)
{
    const size_t items = ITEMS, group = 8;
    check(clEnqueueNDRangeKernel(queue, suspected->kernel, 1, NULL, &items, &group, count, list,
                                 NULL),
          "clEnqueueNDRangeKernel");
}

static void launch_twice(const struct suspected *suspected)
{
    check(clFinish(suspected->queue), "clFinish");
    check(clEnqueueWriteBuffer(suspected->queue, suspected->index, CL_TRUE, 0,
                               sizeof suspected->written, suspected->written, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    launch(suspected, suspected->queue, 0, NULL);
}

static void launch_on_queues(const struct suspected *suspected)
{
    cl_int status;
    cl_event written, gate = clCreateUserEvent(suspected->context, &status);
    check(status, "clCreateUserEvent");
    cl_command_queue other = clCreateCommandQueue(suspected->context, suspected->device,
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    check(status, "clCreateCommandQueue");
    check(clFinish(suspected->queue), "clFinish");
    check(clEnqueueWriteBuffer(suspected->queue, suspected->index, CL_FALSE, 0,
                               sizeof suspected->written, suspected->written, 1, &gate, &written),
          "clEnqueueWriteBuffer");
    launch(suspected, other, 1, &written);
    check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
    check(clFinish(suspected->queue), "clFinish");
    check(clFinish(other), "clFinish");
    check(clReleaseEvent(written), "clReleaseEvent");
    check(clReleaseEvent(gate), "clReleaseEvent");
    check(clReleaseCommandQueue(other), "clReleaseCommandQueue");
}

/* Did the kernel, if it is one that uses it, find what was written? */
static int judge(const struct suspected *suspected, const char *kernel)
{
    cl_int read[ITEMS];
    check(clEnqueueReadBuffer(suspected->queue, suspected->index, CL_TRUE, 0, sizeof read, read, 0,
                              NULL, NULL),
          "clEnqueueReadBuffer");
    for (cl_int i = 0; strcmp(kernel, "shift") == 0 && i < ITEMS; i++)
        if (read[i] != 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    struct suspected suspected;
    const char *kernel = argc > 1 ? argv[1] : "right";
    const char *mode = argc > 2 ? argv[2] : "once";
    open_device(&suspected);
    make(&suspected, kernel, mode);
    launch(&suspected, suspected.queue, 0, NULL);
    if (strcmp(mode, "twice") == 0)
        launch_twice(&suspected);
    else if (strcmp(mode, "queues") == 0)
        launch_on_queues(&suspected);
    const int result = judge(&suspected, kernel);
    check(clReleaseMemObject(suspected.index), "clReleaseMemObject");
    check(clReleaseMemObject(suspected.a), "clReleaseMemObject");
    check(clReleaseKernel(suspected.kernel), "clReleaseKernel");
    check(clReleaseCommandQueue(suspected.queue), "clReleaseCommandQueue");
    check(clReleaseContext(suspected.context), "clReleaseContext");
    return result;
}
