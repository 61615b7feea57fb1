/* Launches of two kernels on a queue that profiles, and one on a queue that does not. What the
 * driver tells of the times is printed, for each kernel as clerk show kernels --json has it. */
#include <CL/cl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const source =
    "kernel void little(global int *out) { out[get_global_id(0)] = 1; }\n"
    "kernel void much(global int *out)\n"
    "{\n"
    "    int sum = 0;\n"
    "    for (int i = 0; i < 10000; i++)\n"
    "        sum += sum * 3 + out[get_global_id(0)] + i;\n"
    "    out[get_global_id(0)] = sum;\n"
    "}\n";

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "profiled: %s gave %d\n", what, (int)status);
    exit(2);
}

static cl_ulong time_of(cl_event event)
{
    cl_ulong start = 0;
    cl_ulong end = 0;
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
          "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
          "clGetEventProfilingInfo");
    check(clReleaseEvent(event), "clReleaseEvent");
    return end - start;
}

static void launch(cl_command_queue queue, cl_kernel kernel, const char *name)
{
    enum { LAUNCHES = 7 };
    const size_t items = 256;
    cl_ulong total = 0;
    cl_ulong least = (cl_ulong)-1;
    cl_ulong most = 0;
    for (int i = 0; i < LAUNCHES; i++) {
        cl_event event;
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event),
              "clEnqueueNDRangeKernel");
        const cl_ulong time = time_of(event);
        total += time;
        least = time < least ? time : least;
        most = time > most ? time : most;
    }
    printf("\"kernel\":\"%s\" \"timed_launches\":%d \"total_ns\":%" PRIu64 " \"mean_ns\":%" PRIu64
           " \"least_ns\":%" PRIu64 " \"most_ns\":%" PRIu64 "\n",
           name, LAUNCHES, total, total / LAUNCHES, least, most);
}

int main(void)
{
    static const char *const names[] = {"little", "much"};
    const cl_queue_properties profiles[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const size_t items = 256;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, profiles, &status);
    check(status, "clCreateCommandQueueWithProperties");
    cl_command_queue plain = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, items * sizeof(cl_int), NULL, &status);
    check(status, "clCreateBuffer");
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = clCreateKernel(program, names[i], &status);
        check(status, "clCreateKernel");
        check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
        launch(queue, kernel, names[i]);
        check(clEnqueueNDRangeKernel(plain, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        check(clFinish(plain), "clFinish");
        check(clReleaseKernel(kernel), "clReleaseKernel");
    }
    check(clReleaseMemObject(out), "clReleaseMemObject");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(plain), "clReleaseCommandQueue");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return 0;
}
