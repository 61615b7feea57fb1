/* Commands on queues that do not profile, with events and without, and all that the program is told
 * of queues and events: the same under clerk run --profile as without. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "unprofiled: %s gave %d\n", what, (int)status);
    exit(2);
}

static void print_queue(cl_command_queue queue)
{
    cl_command_queue_properties flags = 0;
    cl_queue_properties list[8] = {0};
    size_t size = 99;
    check(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof flags, &flags, NULL), "flags");
    printf("flags %d", (int)flags);
    const cl_int status =
        clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &size);
    printf(", list gives %d: %zu bytes", (int)status, size);
    for (size_t i = 0; i < size / sizeof *list; i++)
        printf(" %d", (int)list[i]);
    printf(", in a byte %d\n",
           (int)clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 1, list, NULL));
}

/* A driver has references of its own, which it drops at a moment of its choice. */
static void print_references(cl_event event)
{
    cl_uint references = 0;
    check(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL),
          "clGetEventInfo");
    printf("references %u\n", (unsigned)references);
}

static void print_times(cl_event event)
{
    cl_ulong time = 7;
    const cl_int status =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL);
    printf("profiling gives %d: %d\n", (int)status, (int)time);
}

/* A write whose event is released before it can begin, a map, and a read that blocks. */
static void transfer(cl_context context, cl_command_queue queue, cl_mem buffer)
{
    cl_int status;
    cl_int values[4] = {1, 2, 3, 4};
    cl_event written;
    cl_event gate = clCreateUserEvent(context, &status);
    check(status, "clCreateUserEvent");
    check(
        clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof values, values, 1, &gate, &written),
        "clEnqueueWriteBuffer");
    print_references(written);
    print_times(written);
    check(clReleaseEvent(written), "clReleaseEvent");
    check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
    check(clReleaseEvent(gate), "clReleaseEvent");
    check(clFinish(queue), "clFinish");
    cl_int *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, sizeof values, 0,
                                        NULL, NULL, &status);
    check(status, "clEnqueueMapBuffer");
    printf("mapped %d\n", (int)mapped[3]);
    check(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, &written),
          "clEnqueueReadBuffer");
    print_times(written);
    check(clReleaseEvent(written), "clReleaseEvent");
}

/* Commands that wait for an event that nobody sets, until the program ends. */
static int leave(cl_context context, cl_command_queue queue, cl_mem buffer, int count)
{
    static const cl_int value = 1;
    cl_int status;
    const cl_event gate = clCreateUserEvent(context, &status);
    check(status, "clCreateUserEvent");
    for (int i = 0; i < count; i++)
        check(
            clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof value, &value, 1, &gate, NULL),
            "clEnqueueWriteBuffer");
    return 0;
}

/* unprofiled [N]: of N such commands. */
int main(int argc, char **argv)
{
    const cl_queue_properties in_order[] = {CL_QUEUE_PROPERTIES, 0, 0};
    const cl_queue_properties empty[] = {0};
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &status);
    check(status, "clCreateBuffer");
    for (int i = 0; i < 4; i++) {
        const cl_queue_properties *const lists[] = {NULL, empty, in_order};
        cl_command_queue queue =
            i == 3 ? clCreateCommandQueue(context, device, 0, &status)
                   : clCreateCommandQueueWithProperties(context, device, lists[i], &status);
        check(status, "a queue");
        if (argc > 1)
            return leave(context, queue, buffer, atoi(argv[1]));
        print_queue(queue);
        transfer(context, queue, buffer);
        /* OpenCL API 1.1, 5.8: it fails without an event. */
        printf("marker gives %d\n", (int)clEnqueueMarker(queue, NULL));
        check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    }
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseContext(context), "clReleaseContext");
    return 0;
}
