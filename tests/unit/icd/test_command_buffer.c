/* cl_khr_command_buffer: what is recorded is executed, each time it is enqueued; errors; queries.
 */
#include "tests/unit/icd/recording.h"

static const cl_int two = 2;

static cl_command_buffer_khr make(const struct fixture *fixture)
{
    return make_with(fixture->queue, 0);
}

/* ---- what is recorded ---- */

static void buffers_are_filled_and_copied(void **state)
{
    struct fixture *fixture = *state;
    const cl_int start[COUNT] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    const size_t from[] = {0, 0, 0}, to[] = {2 * sizeof(cl_int), 2, 0};
    const size_t box[] = {2 * sizeof(cl_int), 2, 1}, row = 4 * sizeof(cl_int);
    cl_mem a = fixture_buffer(fixture, SIZE, start), b = fixture_buffer(fixture, SIZE, start);
    cl_command_buffer_khr buffer = make(fixture);
    CHECK(f.clCommandFillBufferKHR(buffer, NULL, NULL, b, &two, sizeof two, 0, 4 * sizeof two, 0,
                                   NULL, NULL, NULL));
    CHECK(f.clCommandCopyBufferKHR(buffer, NULL, NULL, a, b, 8 * sizeof two, 4 * sizeof two,
                                   2 * sizeof two, 0, NULL, NULL, NULL));
    CHECK(f.clCommandCopyBufferRectKHR(buffer, NULL, NULL, a, b, from, to, box, row, 0, row, 0, 0,
                                       NULL, NULL, NULL));
    expect(fixture, b, start); /* recording does nothing */
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    const cl_int expected[COUNT] = {2, 2, 2, 2, 9, 10, 7, 8, 9, 10, 1, 2, 13, 14, 5, 6};
    for (int i = 0; i < 2; i++) {
        perform(fixture, buffer);
        expect(fixture, b, expected);
        CHECK(clEnqueueCopyBuffer(fixture->queue, a, b, 0, 0, SIZE, 0, NULL, NULL));
    }
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
}

static void images_are_filled_and_copied(void **state)
{
    struct fixture *fixture = *state;
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const size_t origin[] = {0, 0, 0}, all[] = {4, 4, 1}, lower[] = {0, 2, 0}, half[] = {4, 2, 1};
    const cl_int colour[] = {7, 0, 0, 0};
    const cl_int zeros[COUNT] = {0}, ones[COUNT] = {1, 1, 1, 1};
    cl_int result;
    cl_mem a = fixture_buffer(fixture, SIZE, ones), b = fixture_buffer(fixture, SIZE, zeros);
    cl_mem first = clCreateImage(fixture->context, 0, &format, &desc, NULL, &result);
    CHECK(result);
    cl_mem second = clCreateImage(fixture->context, 0, &format, &desc, NULL, &result);
    CHECK(result);
    cl_command_buffer_khr buffer = make(fixture);
    CHECK(f.clCommandFillImageKHR(buffer, NULL, NULL, first, colour, origin, all, 0, NULL, NULL,
                                  NULL));
    CHECK(f.clCommandCopyBufferToImageKHR(buffer, NULL, NULL, a, second, 0, origin, all, 0, NULL,
                                          NULL, NULL));
    CHECK(f.clCommandCopyImageKHR(buffer, NULL, NULL, first, second, origin, lower, half, 0, NULL,
                                  NULL, NULL));
    CHECK(f.clCommandCopyImageToBufferKHR(buffer, NULL, NULL, second, b, origin, all, 0, 0, NULL,
                                          NULL, NULL));
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    perform(fixture, buffer);
    expect(fixture, b, (cl_int[COUNT]){1, 1, 1, 1, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7});
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseMemObject(first));
    CHECK(clReleaseMemObject(second));
}

static void shared_memory_is_filled_and_copied(void **state)
{
    struct fixture *fixture = *state;
    fixture_needs_fine_grain(fixture);
    cl_int *memory = clSVMAlloc(fixture->context, CL_MEM_SVM_FINE_GRAIN_BUFFER, SIZE, 0);
    cl_command_buffer_khr buffer = make(fixture);
    assert_non_null(memory);
    memset(memory, 0, SIZE);
    assert_int_equal(
        f.clCommandSVMMemFillKHR(buffer, NULL, NULL, NULL, &two, 4, 8, 0, NULL, NULL, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(
        f.clCommandSVMMemcpyKHR(buffer, NULL, NULL, memory, memory + 1, 8, 0, NULL, NULL, NULL),
        CL_MEM_COPY_OVERLAP);
    CHECK(f.clCommandSVMMemFillKHR(buffer, NULL, NULL, memory, &two, sizeof two, 2 * sizeof two, 0,
                                   NULL, NULL, NULL));
    CHECK(f.clCommandSVMMemcpyKHR(buffer, NULL, NULL, memory + 3, memory, 2 * sizeof two, 0, NULL,
                                  NULL, NULL));
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    perform(fixture, buffer);
    assert_memory_equal(memory, ((cl_int[]){2, 2, 0, 2, 2, 0}), 6 * sizeof two);
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    clSVMFree(fixture->context, memory);
}

static cl_kernel make_kernel(const struct fixture *fixture, const char *name)
{
    cl_program program = fixture_program(
        fixture,
        "kernel void put(global int *a, int value) { a[get_global_id(0)] = value; }\n"
        "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eights(void) {}\n",
        NULL);
    cl_kernel kernel = fixture_kernel(program, name);
    CHECK(clReleaseProgram(program));
    return kernel;
}

/* "Any changes to kernel after calling clCommandNDRangeKernelKHR ... have no effect" */
static void a_launch_keeps_its_arguments(void **state)
{
    struct fixture *fixture = *state;
    const size_t half = COUNT / 2;
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_kernel kernel = make_kernel(fixture, "put");
    cl_command_buffer_khr buffer = make(fixture);
    CHECK(clSetKernelArg(kernel, 0, sizeof a, &a));
    for (cl_int i = 1; i <= 2; i++) {
        const size_t offset = (i - 1) * half;
        CHECK(clSetKernelArg(kernel, 1, sizeof i, &i));
        CHECK(f.clCommandNDRangeKernelKHR(buffer, NULL, NULL, kernel, 1, &offset, &half, NULL, 0,
                                          NULL, NULL, NULL));
    }
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_int), &(cl_int){9}));
    CHECK(clReleaseKernel(kernel));
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    perform(fixture, buffer);
    expect(fixture, a, (cl_int[COUNT]){1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2});
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseMemObject(a));
}

/* ---- execution ---- */

static void its_event_is_that_of_a_command(void **state)
{
    struct fixture *fixture = *state;
    cl_mem a = fixture_buffer(fixture, SIZE, NULL);
    cl_command_buffer_khr buffer = make(fixture);
    cl_int result;
    cl_event gate = clCreateUserEvent(fixture->context, &result), event;
    cl_command_type type;
    cl_ulong start, end;
    CHECK(f.clCommandFillBufferKHR(buffer, NULL, NULL, a, &two, 4, 0, SIZE, 0, NULL, NULL, NULL));
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    CHECK(f.clEnqueueCommandBufferKHR(1, &fixture->queue, buffer, 1, &gate, &event));
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clFlush(fixture->queue));
    assert_int_equal(fixture_status(event), CL_SUBMITTED);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_int_equal(fixture_status(event), CL_COMPLETE);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_COMMAND_COMMAND_BUFFER_KHR);
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    assert_true(start < end);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(a));
}

/* What comes after a command that fails is left out. */
static void a_failure_ends_it(void **state)
{
    struct fixture *fixture = *state;
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_int *memory = clSVMAlloc(fixture->context, 0, SIZE, 0);
    cl_command_buffer_khr buffer = make(fixture);
    cl_event event;
    CHECK(f.clCommandSVMMemFillKHR(buffer, NULL, NULL, memory, &two, 4, 4, 0, NULL, NULL, NULL));
    CHECK(f.clCommandFillBufferKHR(buffer, NULL, NULL, a, &two, 4, 0, SIZE, 0, NULL, NULL, NULL));
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    clSVMFree(fixture->context, memory);
    CHECK(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, &event));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(fixture_status(event), CL_OUT_OF_RESOURCES);
    expect(fixture, a, (cl_int[COUNT]){0});
    CHECK(clReleaseEvent(event));
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseMemObject(a));
}

static void another_queue_may_take_its_place(void **state)
{
    struct fixture *fixture = *state;
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_command_queue other = fixture_out_of_order(fixture);
    cl_command_buffer_khr buffer = make(fixture);
    CHECK(f.clCommandFillBufferKHR(buffer, NULL, NULL, a, &two, 4, 0, 4, 0, NULL, NULL, NULL));
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    CHECK(f.clEnqueueCommandBufferKHR(1, &other, buffer, 0, NULL, NULL));
    CHECK(clFinish(other));
    expect(fixture, a, (cl_int[COUNT]){2});
    CHECK(clReleaseCommandQueue(other));
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseMemObject(a));
}

/* ---- errors ---- */

static cl_int creation(cl_uint count, const cl_command_queue *queues,
                       const cl_command_buffer_properties_khr *properties)
{
    cl_int result;
    assert_null(f.clCreateCommandBufferKHR(count, queues, properties, &result));
    return result;
}

static void wrong_creations_are_refused(void **state)
{
    struct fixture *fixture = *state;
    const cl_command_queue pair[] = {fixture->queue, fixture->queue};
    const cl_command_queue none[] = {(cl_command_queue)fixture->context};
    const cl_command_buffer_properties_khr unknown[] = {0x9999, 0, 0};
    const cl_command_buffer_properties_khr wrong[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 9, 0};
    const cl_command_buffer_properties_khr sync[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                     CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0};
    const cl_command_buffer_properties_khr twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 0,
                                                      CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0};
    assert_int_equal(creation(0, &fixture->queue, NULL), CL_INVALID_VALUE);
    assert_int_equal(creation(2, pair, NULL), CL_INVALID_VALUE);
    assert_int_equal(creation(1, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(creation(1, none, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(creation(1, &fixture->queue, unknown), CL_INVALID_VALUE);
    assert_int_equal(creation(1, &fixture->queue, wrong), CL_INVALID_VALUE);
    assert_int_equal(creation(1, &fixture->queue, twice), CL_INVALID_VALUE);
    assert_int_equal(creation(1, &fixture->queue, sync), CL_INVALID_PROPERTY);
}

/* Of each call that records, what they have in common: `last` are the four last parameters. */
struct last {
    cl_command_queue queue;
    const cl_command_properties_khr *properties;
    cl_uint count;
    const cl_sync_point_khr *points;
    cl_mutable_command_khr *handle;
};

static cl_mem mems[3]; /* two buffers, an image */
static cl_kernel kernel;
static int *shared;

static cl_int record(int call, cl_command_buffer_khr buffer, const struct last *last,
                     cl_sync_point_khr *point)
{
    static const size_t origin[3], box[] = {4, 1, 1}, one = 1;
    static const cl_int colour[4];
#define FIRST buffer, last->queue, last->properties
#define LAST  last->count, last->points, point, last->handle
    switch (call) {
    case 0:
        return f.clCommandBarrierWithWaitListKHR(FIRST, LAST);
    case 1:
        return f.clCommandCopyBufferKHR(FIRST, mems[0], mems[1], 0, 0, 4, LAST);
    case 2:
        return f.clCommandCopyBufferRectKHR(FIRST, mems[0], mems[1], origin, origin, box, 0, 0, 0,
                                            0, LAST);
    case 3:
        return f.clCommandCopyBufferToImageKHR(FIRST, mems[0], mems[2], 0, origin, box, LAST);
    case 4:
        return f.clCommandCopyImageKHR(FIRST, mems[2], mems[2], origin, (size_t[]){0, 1, 0}, box,
                                       LAST);
    case 5:
        return f.clCommandCopyImageToBufferKHR(FIRST, mems[2], mems[0], origin, box, 0, LAST);
    case 6:
        return f.clCommandFillBufferKHR(FIRST, mems[0], &two, 4, 0, 4, LAST);
    case 7:
        return f.clCommandFillImageKHR(FIRST, mems[2], colour, origin, box, LAST);
    case 8:
        return f.clCommandSVMMemcpyKHR(FIRST, shared, shared + 1, 4, LAST);
    case 9:
        return f.clCommandSVMMemFillKHR(FIRST, shared, &two, 4, 4, LAST);
    default:
        return f.clCommandNDRangeKernelKHR(FIRST, kernel, 1, NULL, &one, NULL, LAST);
    }
}
enum { CALLS = 11 };

static void wrong_recordings_are_refused(void **state)
{
    struct fixture *fixture = *state;
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_command_properties_khr unknown[] = {0x9999, 0, 0}, empty[] = {0};
    const struct last good = {0}, same = {.properties = empty};
    cl_mutable_command_khr handle;
    cl_int result;
    kernel = make_kernel(fixture, "eights");
    cl_kernel unset = make_kernel(fixture, "put");
    for (int i = 0; i < 2; i++)
        mems[i] = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    mems[2] = clCreateImage(fixture->context, 0, &format, &desc, NULL, &result);
    CHECK(result);
    shared = clSVMAlloc(fixture->context, 0, SIZE, 0);
    cl_command_buffer_khr buffer = make(fixture), final = make(fixture);
    CHECK(f.clFinalizeCommandBufferKHR(final));
    static const size_t one = 1, eight = 8;
    assert_int_equal(f.clCommandNDRangeKernelKHR(buffer, NULL, NULL, unset, 1, NULL, &one, NULL, 0,
                                                 NULL, NULL, NULL),
                     CL_INVALID_KERNEL_ARGS);
    assert_int_equal(f.clCommandNDRangeKernelKHR(buffer, NULL, NULL, kernel, 1, NULL, &eight, &one,
                                                 0, NULL, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(f.clCommandNDRangeKernelKHR(buffer, NULL, NULL, kernel, 4, NULL, &eight, NULL,
                                                 0, NULL, NULL, NULL),
                     CL_INVALID_WORK_DIMENSION);
    assert_int_equal(f.clCommandNDRangeKernelKHR(buffer, NULL, NULL, NULL, 1, NULL, &eight, NULL, 0,
                                                 NULL, NULL, NULL),
                     CL_INVALID_KERNEL);
    CHECK(clReleaseKernel(kernel));
    kernel = unset;
    CHECK(clSetKernelArg(kernel, 0, sizeof mems[0], &mems[0]));
    CHECK(clSetKernelArg(kernel, 1, sizeof two, &two));
    for (int call = 0; call < CALLS; call++) {
        const struct last with_queue = {.queue = fixture->queue};
        const struct last properties = {.properties = unknown};
        const struct last no_points = {.count = 1};
        const struct last no_count = {.points = &(cl_sync_point_khr){1}};
        const struct last no_such = {.count = 1, .points = &(cl_sync_point_khr){1000}};
        const struct last zero = {.count = 1, .points = &(cl_sync_point_khr){0}};
        const struct last with_handle = {.handle = &handle};
        cl_sync_point_khr first = 0, second = 0;
        assert_int_equal(record(call, NULL, &good, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
        assert_int_equal(record(call, final, &good, NULL), CL_INVALID_OPERATION);
        assert_int_equal(record(call, buffer, &with_queue, NULL), CL_INVALID_COMMAND_QUEUE);
        assert_int_equal(record(call, buffer, &properties, NULL), CL_INVALID_VALUE);
        assert_int_equal(record(call, buffer, &no_points, NULL),
                         CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        assert_int_equal(record(call, buffer, &no_count, NULL),
                         CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        assert_int_equal(record(call, buffer, &no_such, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        assert_int_equal(record(call, buffer, &zero, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        if (call != CALLS - 1)
            assert_int_equal(record(call, buffer, &with_handle, NULL), CL_INVALID_VALUE);
        CHECK(record(call, buffer, &same, &first));
        CHECK(record(call, buffer, &(struct last){.count = 1, .points = &first}, &second));
        assert_int_not_equal(first, second);
    }
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(f.clReleaseCommandBufferKHR(final));
    CHECK(clReleaseKernel(kernel));
    clSVMFree(fixture->context, shared);
    for (int i = 0; i < 3; i++)
        CHECK(clReleaseMemObject(mems[i]));
}

static void other_contexts_are_refused(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_context elsewhere = clCreateContext(NULL, 1, &fixture->device, NULL, NULL, &result);
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(elsewhere, fixture->device, NULL, &result);
    CHECK(result);
    cl_mem a = fixture_buffer(fixture, SIZE, NULL);
    cl_command_buffer_khr buffer = make_with(queue, 0);
    assert_int_equal(
        f.clCommandFillBufferKHR(buffer, NULL, NULL, a, &two, 4, 0, 4, 0, NULL, NULL, NULL),
        CL_INVALID_CONTEXT);
    CHECK(clReleaseMemObject(a));
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(elsewhere));
}

static void wrong_enqueues_are_refused(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_context elsewhere = clCreateContext(NULL, 1, &fixture->device, NULL, NULL, &result);
    cl_command_queue foreign =
        clCreateCommandQueueWithProperties(elsewhere, fixture->device, NULL, &result);
    cl_event stranger = clCreateUserEvent(elsewhere, &result);
    cl_command_queue pair[] = {fixture->queue, fixture->queue};
    cl_command_queue none[] = {(cl_command_queue)fixture->context};
    cl_command_buffer_khr buffer = make(fixture);
    assert_int_equal(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    assert_int_equal(f.clFinalizeCommandBufferKHR(buffer), CL_INVALID_OPERATION);
    assert_int_equal(f.clEnqueueCommandBufferKHR(0, NULL, NULL, 0, NULL, NULL),
                     CL_INVALID_COMMAND_BUFFER_KHR);
    assert_int_equal(f.clEnqueueCommandBufferKHR(1, NULL, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(f.clEnqueueCommandBufferKHR(0, pair, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(f.clEnqueueCommandBufferKHR(2, pair, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(f.clEnqueueCommandBufferKHR(1, none, buffer, 0, NULL, NULL),
                     CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(f.clEnqueueCommandBufferKHR(1, &foreign, buffer, 0, NULL, NULL),
                     CL_INVALID_CONTEXT);
    assert_int_equal(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 1, &stranger, NULL),
                     CL_INVALID_CONTEXT);
    assert_int_equal(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 1, NULL, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseEvent(stranger));
    CHECK(clReleaseCommandQueue(foreign));
    CHECK(clReleaseContext(elsewhere));
}

static void another_device_is_refused(void **state)
{
    struct fixture *fixture = *state;
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    cl_device_id halves[2];
    cl_command_queue queues[2];
    cl_int result;
    CHECK(clCreateSubDevices(fixture->device, equally, 2, halves, NULL));
    cl_context context = clCreateContext(NULL, 2, halves, NULL, NULL, &result);
    CHECK(result);
    for (int i = 0; i < 2; i++)
        queues[i] = clCreateCommandQueueWithProperties(context, halves[i], NULL, &result);
    cl_command_buffer_khr buffer = make_with(queues[0], 0);
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    assert_int_equal(f.clEnqueueCommandBufferKHR(1, &queues[1], buffer, 0, NULL, NULL),
                     CL_INVALID_DEVICE);
    CHECK(f.clEnqueueCommandBufferKHR(1, &queues[0], buffer, 0, NULL, NULL));
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    for (int i = 0; i < 2; i++) {
        CHECK(clReleaseCommandQueue(queues[i]));
        CHECK(clReleaseDevice(halves[i]));
    }
    CHECK(clReleaseContext(context));
}

/* ---- queries ---- */

static void it_answers_queries(void **state)
{
    struct fixture *fixture = *state;
    const cl_command_buffer_properties_khr given[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                      CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    cl_command_buffer_khr buffer =
        make_with(fixture->queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    cl_command_buffer_properties_khr properties[4];
    cl_command_queue queue;
    cl_context context;
    cl_uint number;
    size_t size;
    assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    CHECK(f.clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof number,
                                      &number, NULL));
    assert_int_equal(number, 1);
    CHECK(f.clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof queue, &queue,
                                      &size));
    assert_ptr_equal(queue, fixture->queue);
    assert_int_equal(size, sizeof queue);
    CHECK(f.clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_CONTEXT_KHR, sizeof context,
                                      &context, NULL));
    assert_ptr_equal(context, fixture->context);
    CHECK(f.clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR,
                                      sizeof properties, properties, &size));
    assert_int_equal(size, sizeof given);
    assert_memory_equal(properties, given, sizeof given);
    assert_int_equal(f.clGetCommandBufferInfoKHR(buffer, 0x9999, sizeof number, &number, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(
        f.clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, 1, &number, NULL),
        CL_INVALID_VALUE);
    CHECK(f.clRetainCommandBufferKHR(buffer));
    CHECK(f.clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof number,
                                      &number, NULL));
    assert_int_equal(number, 2);
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    assert_int_equal(f.clReleaseCommandBufferKHR(buffer), CL_INVALID_COMMAND_BUFFER_KHR);
    assert_int_equal(f.clRetainCommandBufferKHR(buffer), CL_INVALID_COMMAND_BUFFER_KHR);
    assert_int_equal(f.clFinalizeCommandBufferKHR(buffer), CL_INVALID_COMMAND_BUFFER_KHR);
    assert_int_equal(f.clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof number,
                                                 &number, NULL),
                     CL_INVALID_COMMAND_BUFFER_KHR);
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_filled_and_copied),
        cmocka_unit_test(images_are_filled_and_copied),
        cmocka_unit_test(shared_memory_is_filled_and_copied),
        cmocka_unit_test(a_launch_keeps_its_arguments),
        cmocka_unit_test(its_event_is_that_of_a_command),
        cmocka_unit_test(a_failure_ends_it),
        cmocka_unit_test(another_queue_may_take_its_place),
        cmocka_unit_test(wrong_creations_are_refused),
        cmocka_unit_test(wrong_recordings_are_refused),
        cmocka_unit_test(other_contexts_are_refused),
        cmocka_unit_test(wrong_enqueues_are_refused),
        cmocka_unit_test(another_device_is_refused),
        cmocka_unit_test(it_answers_queries),
    };
    return cmocka_run_group_tests_name("icd_command_buffer", tests, setup, fixture_teardown);
}
