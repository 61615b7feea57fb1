/* Launches whose kernel enqueues others on the device, which enqueue others. Prints how many
 * work-items of each generation ran, and how many kernels each enqueued, as kernels counted them.
 * Then one that enqueues what waits for ever. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const source =
    "void leaf(global int *ran) { atomic_inc(&ran[2]); }\n"
    "void branch(global int *ran) {\n"
    "    atomic_inc(&ran[1]);\n"
    "    if (get_local_id(0) == 0 &&\n"
    "        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL,\n"
    "                       ndrange_1D(3, 8, 4), ^{ leaf(ran); }) == CLK_SUCCESS)\n"
    "        atomic_inc(&ran[4]); }\n"
    "kernel void root(global int *ran) {\n"
    "    atomic_inc(&ran[0]);\n"
    "    if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL,\n"
    "                       ndrange_1D(16, 8), ^{ branch(ran); }) == CLK_SUCCESS)\n"
    "        atomic_inc(&ran[3]); }\n"
    "kernel void forlorn(global int *ran) {\n"
    "    clk_event_t never = create_user_event();\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1,\n"
    "                   &never, NULL, ^{ atomic_inc(&ran[0]); });\n"
    "    release_event(never); }\n";

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "enqueuing: %s gave %d\n", what, (int)status);
    exit(2);
}

static cl_context context;
static cl_device_id device;

static cl_command_queue make_queue(cl_command_queue_properties flags)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
    cl_int status;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(context, device, properties, &status);
    check(status, "clCreateCommandQueueWithProperties");
    return queue;
}

static void launch(cl_command_queue queue, cl_program program, const char *name, cl_mem ran,
                   size_t size)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof ran, &ran), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

int main(void)
{
    cl_int counts[5] = {0};
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = make_queue(0);
    cl_command_queue on_device = make_queue(CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT |
                                            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL), "clBuildProgram");
    cl_mem ran = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof counts,
                                counts, &status);
    check(status, "clCreateBuffer");
    launch(queue, program, "root", ran, 3);
    launch(queue, program, "root", ran, 2);
    check(clEnqueueReadBuffer(queue, ran, CL_TRUE, 0, sizeof counts, counts, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    printf("%d|%d|%d|%d|%d\n", counts[0], counts[1], counts[2], counts[3], counts[4]);
    launch(queue, program, "forlorn", ran, 1);
    clFinish(queue);
    check(clReleaseMemObject(ran), "clReleaseMemObject");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(on_device), "clReleaseCommandQueue");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return 0;
}
