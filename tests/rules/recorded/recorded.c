/* Programs whose commands are ordered by semaphores, or recorded into command-buffers, one a name:
 * `recorded CASE`. What each is to be found wrong with on the reference device is said in
 * CMakeLists.txt. */
// covers: G1 G16
#include "tests/rules/functions.h"

#include <string.h>

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int) };

static const char source[] =
    "kernel void put(global int *a, int value) { a[get_global_id(0)] = value; }\n"
    "kernel void add(global const int *a, global int *b) {\n"
    "    b[get_global_id(0)] = a[get_global_id(0)] + 1; }\n";

static struct program program;
static cl_command_queue other;      /* in order, beside program.queue */
static cl_command_queue free_queue; /* out of order */
static cl_mem a, b;
static cl_kernel put, add;
static cl_semaphore_khr semaphore;

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static cl_command_queue make_queue(cl_command_queue_properties properties)
{
    cl_int error;
    cl_command_queue queue =
        clCreateCommandQueue(program.context, program.device, properties, &error);
    check(error);
    return queue;
}

static cl_mem make_buffer(void)
{
    static cl_int values[COUNT];
    cl_int error;
    cl_mem buffer = clCreateBuffer(program.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, SIZE,
                                   values, &error);
    check(error);
    return buffer;
}

static cl_kernel make_kernel(cl_program built, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(built, name, &error);
    check(error);
    return kernel;
}

static void begin(void)
{
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR,
                                                  CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    const char *text = source;
    const cl_int seven = 7;
    cl_int error;
    program = program_begin();
    find_functions(program.platform);
    free_queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    other = make_queue(0);
    a = make_buffer();
    b = make_buffer();
    cl_program built = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(built, 0, NULL, "", NULL, NULL));
    put = make_kernel(built, "put");
    add = make_kernel(built, "add");
    check(clReleaseProgram(built));
    check(clSetKernelArg(put, 0, sizeof a, &a));
    check(clSetKernelArg(put, 1, sizeof seven, &seven));
    check(clSetKernelArg(add, 0, sizeof a, &a));
    check(clSetKernelArg(add, 1, sizeof b, &b));
    semaphore = f.clCreateSemaphoreWithPropertiesKHR(program.context, binary, &error);
    check(error);
}

static int end(void)
{
    check(clFinish(free_queue));
    check(clFinish(other));
    check(clFinish(program.queue));
    check(f.clReleaseSemaphoreKHR(semaphore));
    check(clReleaseKernel(put));
    check(clReleaseKernel(add));
    check(clReleaseMemObject(a));
    check(clReleaseMemObject(b));
    check(clReleaseCommandQueue(free_queue));
    check(clReleaseCommandQueue(other));
    return program_end(&program);
}

static void launch(cl_command_queue queue, cl_kernel kernel)
{
    const size_t size = COUNT;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
}

/* ---- semaphores ---- */

static void signal_in(cl_command_queue queue)
{
    check(f.clEnqueueSignalSemaphoresKHR(queue, 1, &semaphore, NULL, 0, NULL, NULL));
}

static void wait_in(cl_command_queue queue)
{
    check(f.clEnqueueWaitSemaphoresKHR(queue, 1, &semaphore, NULL, 0, NULL, NULL));
}

static void signalled(void)
{
    launch(program.queue, put);
    signal_in(program.queue);
    wait_in(other);
    launch(other, add);
}

static void signalled_early(void)
{
    signal_in(program.queue);
    launch(program.queue, put);
    wait_in(other);
    launch(other, add);
}

/* "When command_queue is an out-of-order command-queue there are no implicit dependencies". */
static void signalled_out_of_order(void)
{
    launch(free_queue, put);
    signal_in(free_queue);
    wait_in(other);
    launch(other, add);
}

static void signalled_behind_barrier(void)
{
    launch(free_queue, put);
    check(clEnqueueBarrierWithWaitList(free_queue, 0, NULL, NULL));
    signal_in(free_queue);
    wait_in(other);
    launch(other, add);
}

static void awaited_before_signal(void)
{
    wait_in(other);
    launch(other, add);
    launch(program.queue, put);
    signal_in(program.queue);
    check(clFlush(program.queue));
}

static void awaited_before_early_signal(void)
{
    wait_in(other);
    launch(other, add);
    signal_in(program.queue);
    launch(program.queue, put);
    check(clFlush(program.queue));
}

/* ---- command-buffers ---- */

static cl_command_buffer_khr make_recording(cl_command_queue queue)
{
    cl_int error;
    cl_command_buffer_khr buffer = f.clCreateCommandBufferKHR(1, &queue, NULL, &error);
    check(error);
    return buffer;
}

/* After `after`, unless that is 0. */
static cl_sync_point_khr record(cl_command_buffer_khr buffer, cl_kernel kernel,
                                cl_sync_point_khr after)
{
    const size_t size = COUNT;
    cl_sync_point_khr point = 0;
    check(f.clCommandNDRangeKernelKHR(buffer, NULL, NULL, kernel, 1, NULL, &size, NULL, after != 0,
                                      after != 0 ? &after : NULL, &point, NULL));
    return point;
}

static void record_barrier(cl_command_buffer_khr buffer, cl_sync_point_khr after)
{
    check(f.clCommandBarrierWithWaitListKHR(buffer, NULL, NULL, after != 0,
                                            after != 0 ? &after : NULL, NULL, NULL));
}

/* Bytes of `a` are filled, bytes of it copied to `b`. */
static void record_fill_and_copy(cl_command_buffer_khr buffer, size_t filled, size_t copied)
{
    const cl_int zero = 0;
    check(f.clCommandFillBufferKHR(buffer, NULL, NULL, a, &zero, sizeof zero, filled, SIZE / 2, 0,
                                   NULL, NULL, NULL));
    check(f.clCommandCopyBufferKHR(buffer, NULL, NULL, a, b, copied, 0, SIZE / 4, 0, NULL, NULL,
                                   NULL));
}

/* Enqueues it in its own queue, and gives it away. */
static void perform(cl_command_buffer_khr buffer, cl_event *event)
{
    check(f.clFinalizeCommandBufferKHR(buffer));
    check(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, event));
    check(f.clReleaseCommandBufferKHR(buffer));
}

static void recorded_in_order(void)
{
    cl_command_buffer_khr buffer = make_recording(program.queue);
    record(buffer, put, 0);
    record(buffer, add, 0);
    check(f.clFinalizeCommandBufferKHR(buffer));
    for (int i = 0; i < 2; i++)
        check(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
    check(f.clReleaseCommandBufferKHR(buffer));
}

static void recorded_out_of_order(void)
{
    cl_command_buffer_khr buffer = make_recording(free_queue);
    record(buffer, put, 0);
    record(buffer, add, 0);
    perform(buffer, NULL);
}

static void recorded_with_point(void)
{
    cl_command_buffer_khr buffer = make_recording(free_queue);
    record(buffer, add, record(buffer, put, 0));
    perform(buffer, NULL);
}

static void recorded_with_barrier(void)
{
    cl_command_buffer_khr buffer = make_recording(free_queue);
    record(buffer, put, 0);
    record_barrier(buffer, 0);
    record(buffer, add, 0);
    perform(buffer, NULL);
}

/* The barrier waits for a copy that comes before `put`, and not for `put`. */
static void recorded_with_barrier_beside(void)
{
    cl_command_buffer_khr buffer = make_recording(free_queue);
    cl_sync_point_khr copied;
    check(f.clCommandCopyBufferKHR(buffer, NULL, NULL, a, b, 0, 0, SIZE, 0, NULL, &copied, NULL));
    record(buffer, put, copied);
    record_barrier(buffer, copied);
    record(buffer, add, 0);
    perform(buffer, NULL);
}

static void recorded_copies(void)
{
    cl_command_buffer_khr buffer = make_recording(free_queue);
    record_fill_and_copy(buffer, 0, SIZE / 2 - sizeof(cl_int));
    perform(buffer, NULL);
}

static void recorded_copies_apart(void)
{
    cl_command_buffer_khr buffer = make_recording(free_queue);
    record_fill_and_copy(buffer, 0, SIZE / 2);
    perform(buffer, NULL);
}

/* One that does nothing, twice in the queue that is out of order. */
static void perform_twice(cl_command_buffer_flags_khr flags, bool in_order)
{
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int error;
    cl_event done;
    cl_command_buffer_khr buffer = f.clCreateCommandBufferKHR(1, &free_queue, properties, &error);
    check(error);
    record_barrier(buffer, 0);
    check(f.clFinalizeCommandBufferKHR(buffer));
    check(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, &done));
    check(f.clEnqueueCommandBufferKHR(0, NULL, buffer, in_order, in_order ? &done : NULL, NULL));
    check(clReleaseEvent(done));
    check(f.clReleaseCommandBufferKHR(buffer));
}

static void recorded_and_pending(void)
{
    perform_twice(0, false);
}

static void recorded_and_ended(void)
{
    perform_twice(0, true);
}

static void recorded_for_simultaneous_use(void)
{
    perform_twice(CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, false);
}

/* "A command-buffer object does not update the reference count of objects set as arguments". */
static void perform_with_argument(bool released)
{
    cl_command_buffer_khr buffer = make_recording(program.queue);
    cl_mem mem = make_buffer();
    check(clSetKernelArg(put, 0, sizeof mem, &mem));
    record(buffer, put, 0);
    if (released)
        check(clReleaseMemObject(mem));
    perform(buffer, NULL);
    check(clFinish(program.queue));
    if (!released)
        check(clReleaseMemObject(mem));
}

static void recorded_with_released_argument(void)
{
    perform_with_argument(true);
}

static void recorded_with_argument(void)
{
    perform_with_argument(false);
}

static void recorded_beside_other_queue(void)
{
    cl_command_buffer_khr buffer = make_recording(program.queue);
    record(buffer, put, 0);
    perform(buffer, NULL);
    launch(other, add);
}

static void recorded_with_event(void)
{
    const size_t size = COUNT;
    cl_command_buffer_khr buffer = make_recording(program.queue);
    cl_event done;
    record(buffer, put, 0);
    perform(buffer, &done);
    check(clFlush(program.queue));
    check(clEnqueueNDRangeKernel(other, add, 1, NULL, &size, NULL, 1, &done, NULL));
    check(clReleaseEvent(done));
}

int main(int argc, char **argv)
{
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        CASE(signalled),
        CASE(signalled_early),
        CASE(signalled_out_of_order),
        CASE(signalled_behind_barrier),
        CASE(awaited_before_signal),
        CASE(awaited_before_early_signal),
        CASE(recorded_in_order),
        CASE(recorded_out_of_order),
        CASE(recorded_with_point),
        CASE(recorded_with_barrier),
        CASE(recorded_with_barrier_beside),
        CASE(recorded_copies),
        CASE(recorded_copies_apart),
        CASE(recorded_and_pending),
        CASE(recorded_and_ended),
        CASE(recorded_for_simultaneous_use),
        CASE(recorded_with_released_argument),
        CASE(recorded_with_argument),
        CASE(recorded_beside_other_queue),
        CASE(recorded_with_event),
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        begin();
        cases[i].run();
        return end();
    }
    fprintf(stderr, "recorded: unknown case\n");
    return 3;
}
