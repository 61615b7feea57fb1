/* Programs whose commands are ordered or not, one a name: `commands CASE`. What each is to be found
 * wrong with, on the reference device and over any driver, is said in CMakeLists.txt. */
// covers: B10 B12 G1 G4 G11 G12 G16 G17 G19
#include "tests/rules/program.h"

#include <string.h>

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int) };

static const char source[] =
    "kernel void put(global int *a, int value) { a[get_global_id(0)] = value; }\n"
    "kernel void add(global const int *a, global int *b) {\n"
    "    b[get_global_id(0)] = a[get_global_id(0)] + 1; }\n"
    "kernel void count(volatile global int *a) { atomic_inc(&a[0]); }\n"
    "kernel void count_each(volatile global int *a) { atomic_inc(&a[get_global_id(0)]); }\n"
    "kernel void below(global int *a, int n) {\n"
    "    int i = get_global_id(0); if (i >= n) return; a[i] = 7; }\n"
    "kernel void below_size(global int *a, ulong n) {\n"
    "    if (get_global_id(0) < n) a[get_global_id(0)] = 7; }\n";

static struct program program;
static cl_command_queue other;      /* in order, beside program.queue */
static cl_command_queue free_queue; /* out of order */
static cl_mem a, b;
static cl_kernel put, add, count, count_each, below, below_size;
static cl_int values[COUNT];

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
    const char *text = source;
    const cl_int seven = 7;
    cl_int error;
    program = program_begin();
    free_queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    other = make_queue(0);
    a = make_buffer();
    b = make_buffer();
    cl_program built = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(built, 0, NULL, "", NULL, NULL));
    put = make_kernel(built, "put");
    add = make_kernel(built, "add");
    count = make_kernel(built, "count");
    count_each = make_kernel(built, "count_each");
    below = make_kernel(built, "below");
    below_size = make_kernel(built, "below_size");
    check(clReleaseProgram(built));
    check(clSetKernelArg(put, 0, sizeof a, &a));
    check(clSetKernelArg(put, 1, sizeof seven, &seven));
    check(clSetKernelArg(add, 0, sizeof a, &a));
    check(clSetKernelArg(add, 1, sizeof b, &b));
    check(clSetKernelArg(count, 0, sizeof a, &a));
    check(clSetKernelArg(count_each, 0, sizeof a, &a));
    check(clSetKernelArg(below, 0, sizeof a, &a));
    check(clSetKernelArg(below_size, 0, sizeof a, &a));
}

static int end(void)
{
    check(clFinish(free_queue));
    check(clFinish(other));
    check(clFinish(program.queue));
    check(clReleaseKernel(put));
    check(clReleaseKernel(add));
    check(clReleaseKernel(count));
    check(clReleaseKernel(count_each));
    check(clReleaseKernel(below));
    check(clReleaseKernel(below_size));
    check(clReleaseMemObject(a));
    check(clReleaseMemObject(b));
    check(clReleaseCommandQueue(free_queue));
    check(clReleaseCommandQueue(other));
    return program_end(&program);
}

/* ---- commands ---- */

static void launch(cl_command_queue queue, cl_kernel kernel, const cl_event *after, cl_event *event)
{
    const size_t size = COUNT;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, after != NULL, after, event));
    if (event) /* another queue may wait for it */
        check(clFlush(queue));
}

static void launch_part(cl_command_queue queue, cl_kernel kernel, size_t first, size_t size)
{
    check(clEnqueueNDRangeKernel(queue, kernel, 1, &first, &size, NULL, 0, NULL, NULL));
}

static void read_back(cl_command_queue queue, cl_mem from, cl_bool blocking, const cl_event *after)
{
    check(clEnqueueReadBuffer(queue, from, blocking, 0, SIZE, values, after != NULL, after, NULL));
}

/* ---- the order of two kernels ---- */

static void in_order(void)
{
    launch(program.queue, put, NULL, NULL);
    launch(program.queue, add, NULL, NULL);
}

static void out_of_order(void)
{
    launch(free_queue, put, NULL, NULL);
    launch(free_queue, add, NULL, NULL);
}

static void event(void)
{
    cl_event done;
    launch(free_queue, put, NULL, &done);
    launch(free_queue, add, &done, NULL);
    check(clReleaseEvent(done));
}

static void marker(void)
{
    cl_event done;
    launch(free_queue, put, NULL, NULL);
    check(clEnqueueMarkerWithWaitList(free_queue, 0, NULL, &done));
    launch(free_queue, add, &done, NULL);
    check(clReleaseEvent(done));
}

static void barrier(void)
{
    launch(free_queue, put, NULL, NULL);
    check(clEnqueueBarrierWithWaitList(free_queue, 0, NULL, NULL));
    launch(free_queue, add, NULL, NULL);
}

static void finish(void)
{
    launch(free_queue, put, NULL, NULL);
    check(clFinish(free_queue));
    launch(free_queue, add, NULL, NULL);
}

static void flush_only(void)
{
    launch(free_queue, put, NULL, NULL);
    check(clFlush(free_queue));
    launch(free_queue, add, NULL, NULL);
}

/* The list has another command, which touches neither buffer's first half. */
static void marker_beside(void)
{
    cl_event beside, done;
    const cl_int zero = 0;
    cl_mem rest = make_buffer();
    launch(free_queue, put, NULL, NULL);
    check(clEnqueueFillBuffer(free_queue, rest, &zero, sizeof zero, 0, SIZE, 0, NULL, &beside));
    check(clEnqueueMarkerWithWaitList(free_queue, 1, &beside, &done));
    launch(free_queue, add, &done, NULL);
    check(clReleaseEvent(beside));
    check(clReleaseEvent(done));
    check(clReleaseMemObject(rest));
}

static void two_queues(void)
{
    launch(program.queue, put, NULL, NULL);
    launch(other, add, NULL, NULL);
}

static void two_queues_event(void)
{
    cl_event done;
    launch(program.queue, put, NULL, &done);
    launch(other, add, &done, NULL);
    check(clReleaseEvent(done));
}

/* One buffer, but no common bytes. */
static void halves(void)
{
    launch_part(program.queue, put, 0, COUNT / 2);
    launch_part(other, put, COUNT / 2, COUNT / 2);
}

static void user_event(void)
{
    cl_int error;
    cl_event gate = clCreateUserEvent(program.context, &error);
    check(error);
    launch(other, add, &gate, NULL);
    launch(program.queue, put, NULL, NULL);
    check(clFinish(program.queue));
    check(clSetUserEventStatus(gate, CL_COMPLETE));
    check(clReleaseEvent(gate));
}

static void user_event_early(void)
{
    cl_int error;
    cl_event gate = clCreateUserEvent(program.context, &error);
    check(error);
    launch(other, add, &gate, NULL);
    launch(program.queue, put, NULL, NULL);
    check(clSetUserEventStatus(gate, CL_COMPLETE));
    check(clReleaseEvent(gate));
}

/* ---- the host ---- */

/* clSetKernelArg reads what the transfer writes. */
static void read_then_use(void)
{
    read_back(program.queue, a, CL_FALSE, NULL);
    check(clSetKernelArg(put, 1, sizeof values[0], &values[0]));
}

static void make_image_of_values(void)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 2};
    cl_int error;
    cl_mem image = clCreateImage(program.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format,
                                 &desc, values, &error);
    check(error);
    check(clReleaseMemObject(image));
}

/* So does clCreateImage. */
static void read_then_make_image(void)
{
    read_back(program.queue, a, CL_FALSE, NULL);
    make_image_of_values();
}

static void read_finish_make_image(void)
{
    read_back(program.queue, a, CL_FALSE, NULL);
    check(clFinish(program.queue));
    make_image_of_values();
}

static void read_wait_use(void)
{
    cl_event done;
    check(clEnqueueReadBuffer(program.queue, a, CL_FALSE, 0, SIZE, values, 0, NULL, &done));
    check(clWaitForEvents(1, &done));
    check(clReleaseEvent(done));
    check(clSetKernelArg(put, 1, sizeof values[0], &values[0]));
}

static void poll(cl_event done)
{
    cl_int status;
    check(clFlush(program.queue));
    do {
        check(
            clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    } while (status > CL_COMPLETE);
}

static void read_poll_use(void)
{
    cl_event done;
    check(clEnqueueReadBuffer(program.queue, a, CL_FALSE, 0, SIZE, values, 0, NULL, &done));
    poll(done);
    check(clSetKernelArg(put, 1, sizeof values[0], &values[0]));
    check(clReleaseEvent(done));
}

static void poll_only(void)
{
    cl_event done;
    launch(program.queue, put, NULL, &done);
    poll(done);
    launch(other, add, NULL, NULL);
    check(clReleaseEvent(done));
}

static volatile int told;

static void CL_CALLBACK tell(cl_event done, cl_int status, void *user)
{
    (void)done;
    (void)status;
    (void)user;
    __atomic_store_n(&told, 1, __ATOMIC_RELEASE);
}

static void use_when_told_of(cl_int status)
{
    cl_event done;
    check(clEnqueueReadBuffer(program.queue, a, CL_FALSE, 0, SIZE, values, 0, NULL, &done));
    check(clSetEventCallback(done, status, tell, NULL));
    check(clFlush(program.queue));
    while (!__atomic_load_n(&told, __ATOMIC_ACQUIRE))
        ;
    check(clSetKernelArg(put, 1, sizeof values[0], &values[0]));
    check(clReleaseEvent(done));
}

static void callback(void)
{
    use_when_told_of(CL_COMPLETE);
}

static void callback_at_start(void)
{
    use_when_told_of(CL_RUNNING);
}

/* ---- transfers ---- */

static void copies(void)
{
    check(clEnqueueCopyBuffer(program.queue, a, b, 0, 0, SIZE, 0, NULL, NULL));
    check(clEnqueueCopyBuffer(other, b, a, SIZE / 2, 0, SIZE / 2, 0, NULL, NULL));
}

static void copies_apart(void)
{
    check(clEnqueueCopyBuffer(program.queue, a, b, 0, 0, SIZE / 2, 0, NULL, NULL));
    check(clEnqueueCopyBuffer(other, b, a, SIZE / 2, SIZE / 2, SIZE / 2, 0, NULL, NULL));
}

/* Columns of the same rows. */
static void rectangles(size_t column)
{
    const size_t left[] = {0, 0, 0}, right[] = {column, 0, 0}, region[] = {16, 8, 1};
    const cl_int *from = values;
    check(clEnqueueWriteBufferRect(program.queue, a, CL_FALSE, left, left, region, 32, 0, 16, 0,
                                   from, 0, NULL, NULL));
    check(clEnqueueWriteBufferRect(other, a, CL_FALSE, right, left, region, 32, 0, 16, 0, from, 0,
                                   NULL, NULL));
}

static void rectangles_apart(void)
{
    rectangles(16);
}

static void rectangles_meet(void)
{
    rectangles(12);
}

/* ---- kernels and transfers ---- */

static void kernel_and_read(void)
{
    launch(program.queue, put, NULL, NULL);
    read_back(other, a, CL_TRUE, NULL);
}

static void kernel_reads_and_read(void)
{
    launch(program.queue, add, NULL, NULL);
    read_back(other, a, CL_TRUE, NULL);
}

static void kernel_and_read_event(void)
{
    cl_event done;
    launch(program.queue, put, NULL, &done);
    read_back(other, a, CL_TRUE, &done);
    check(clReleaseEvent(done));
}

static void kernel_and_write(void)
{
    launch(program.queue, put, NULL, NULL);
    check(clEnqueueWriteBuffer(other, a, CL_TRUE, 0, SIZE, values, 0, NULL, NULL));
}

static void kernel_reads_and_write(void)
{
    launch(program.queue, add, NULL, NULL);
    check(clEnqueueWriteBuffer(other, a, CL_TRUE, 0, SIZE, values, 0, NULL, NULL));
}

static void write_and_kernel_reads_event(void)
{
    cl_event done;
    check(clEnqueueWriteBuffer(other, a, CL_FALSE, 0, SIZE, values, 0, NULL, &done));
    check(clFlush(other));
    launch(program.queue, add, &done, NULL);
    check(clReleaseEvent(done));
}

static void fill_and_kernel(void)
{
    const cl_int zero = 0;
    check(clEnqueueFillBuffer(other, a, &zero, sizeof zero, 0, SIZE, 0, NULL, NULL));
    launch(program.queue, put, NULL, NULL);
}

static void read_last(void)
{
    check(clEnqueueReadBuffer(other, a, CL_TRUE, SIZE - sizeof *values, sizeof *values, values, 0,
                              NULL, NULL));
}

static void last_and_read(void)
{
    launch_part(program.queue, put, COUNT - 1, 1);
    read_last();
}

static void others_and_read(void)
{
    launch_part(program.queue, put, 0, COUNT - 1);
    read_last();
}

/* ---- kernels that do something below a limit, and transfers ---- */

static void launch_below(cl_int limit)
{
    check(clSetKernelArg(below, 1, sizeof limit, &limit));
    launch(program.queue, below, NULL, NULL);
}

static void below_limit(void)
{
    launch_below(COUNT);
    read_last();
}

static void beyond_limit(void)
{
    launch_below(COUNT);
    check(clFinish(program.queue));
    launch_below(COUNT - 1);
    read_last();
}

static void below_negative_limit(void)
{
    launch_below(-1);
    read_last();
}

static void below_limit_event(void)
{
    const cl_int limit = COUNT;
    cl_event done;
    check(clSetKernelArg(below, 1, sizeof limit, &limit));
    launch(program.queue, below, NULL, &done);
    read_back(other, a, CL_TRUE, &done);
    check(clReleaseEvent(done));
}

static void below_large_limit(void)
{
    const cl_ulong limit = (cl_ulong)1 << 40;
    check(clSetKernelArg(below_size, 1, sizeof limit, &limit));
    launch(program.queue, below_size, NULL, NULL);
    read_last();
}

/* ---- maps ---- */

static void *map(cl_map_flags flags, size_t offset, size_t size)
{
    cl_int error;
    void *pointer =
        clEnqueueMapBuffer(program.queue, a, CL_TRUE, flags, offset, size, 0, NULL, NULL, &error);
    check(error);
    return pointer;
}

static void unmap(void *pointer)
{
    check(clEnqueueUnmapMemObject(program.queue, a, pointer, 0, NULL, NULL));
}

static void kernel_while_mapped_for_writing(void)
{
    void *pointer = map(CL_MAP_WRITE, 0, SIZE);
    launch(program.queue, add, NULL, NULL);
    unmap(pointer);
}

static void kernel_writes_while_mapped(void)
{
    void *pointer = map(CL_MAP_READ, 0, SIZE / 2);
    launch(program.queue, put, NULL, NULL);
    unmap(pointer);
}

static void kernel_reads_while_mapped(void)
{
    void *pointer = map(CL_MAP_READ, 0, SIZE);
    launch(program.queue, add, NULL, NULL);
    unmap(pointer);
}

static void kernel_after_unmap(void)
{
    unmap(map(CL_MAP_WRITE, 0, SIZE));
    launch(program.queue, put, NULL, NULL);
}

static void unmap_elsewhere(void)
{
    unmap(map(CL_MAP_WRITE, 0, SIZE));
    launch(other, put, NULL, NULL);
}

static void write_while_mapped(void)
{
    void *pointer = map(CL_MAP_READ, 0, SIZE);
    check(clEnqueueWriteBuffer(program.queue, a, CL_TRUE, 0, SIZE, values, 0, NULL, NULL));
    unmap(pointer);
}

static void map_before_kernel_ends(void)
{
    launch(other, put, NULL, NULL);
    unmap(map(CL_MAP_READ, 0, SIZE));
}

/* ---- sub-buffers ---- */

static cl_mem make_part(size_t origin, size_t size)
{
    const cl_buffer_region region = {origin, size};
    cl_int error;
    cl_mem part =
        clCreateSubBuffer(a, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    check(error);
    return part;
}

/* Two parts of a big buffer, written by two kernels. */
static void sub_buffers(size_t second)
{
    cl_int error;
    check(clReleaseMemObject(a));
    a = clCreateBuffer(program.context, CL_MEM_READ_WRITE, 4096, NULL, &error);
    check(error);
    cl_mem first = make_part(0, 2048), next = make_part(second, 2048);
    const size_t size = 512;
    check(clSetKernelArg(put, 0, sizeof first, &first));
    check(clEnqueueNDRangeKernel(program.queue, put, 1, NULL, &size, NULL, 0, NULL, NULL));
    check(clSetKernelArg(put, 0, sizeof next, &next));
    check(clEnqueueNDRangeKernel(other, put, 1, NULL, &size, NULL, 0, NULL, NULL));
    check(clReleaseMemObject(first));
    check(clReleaseMemObject(next));
}

static void sub_buffers_overlap(void)
{
    sub_buffers(1024);
}

static void sub_buffers_apart(void)
{
    sub_buffers(2048);
}

/* ---- atomics ---- */

static void atomics(void)
{
    launch(program.queue, count, NULL, NULL);
    launch(other, count, NULL, NULL);
}

static void atomics_on_each(void)
{
    launch(program.queue, count_each, NULL, NULL);
    launch(other, count_each, NULL, NULL);
}

static void atomics_and_read(void)
{
    launch(program.queue, count_each, NULL, NULL);
    read_last();
}

static void atomics_and_kernel_reads(void)
{
    launch(program.queue, count_each, NULL, NULL);
    launch(other, add, NULL, NULL);
}

static void atomics_in_order(void)
{
    launch(program.queue, count, NULL, NULL);
    launch(program.queue, count, NULL, NULL);
}

/* They are one for all kernels of the program: OpenCL API 3.0, 3.3.6. */
static void atomics_on_variable(void)
{
    const char *text = "global atomic_int total;\n"
                       "kernel void sum(void) { atomic_fetch_add_explicit(&total, 1, "
                       "memory_order_relaxed, memory_scope_device); }\n";
    cl_int error;
    cl_program built = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(built, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel sum = make_kernel(built, "sum");
    launch(program.queue, sum, NULL, NULL);
    launch(other, sum, NULL, NULL);
    check(clReleaseKernel(sum));
    check(clReleaseProgram(built));
}

/* ---- images ---- */

/* Two squares of an image, written by two queues. */
static void squares(size_t column)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    const size_t left[] = {0, 4, 0}, right[] = {column, 7, 0}, region[] = {4, 4, 1};
    cl_int error;
    cl_mem image = clCreateImage(program.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    check(error);
    check(clEnqueueWriteImage(program.queue, image, CL_FALSE, left, region, 0, 0, values, 0, NULL,
                              NULL));
    check(clEnqueueWriteImage(other, image, CL_FALSE, right, region, 0, 0, values, 0, NULL, NULL));
    check(clReleaseMemObject(image));
}

static void squares_apart(void)
{
    squares(4);
}

static void squares_meet(void)
{
    squares(3);
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
        CASE(in_order),
        CASE(out_of_order),
        CASE(event),
        CASE(marker),
        CASE(barrier),
        CASE(finish),
        CASE(flush_only),
        CASE(marker_beside),
        CASE(two_queues),
        CASE(two_queues_event),
        CASE(halves),
        CASE(user_event),
        CASE(user_event_early),
        CASE(read_then_use),
        CASE(read_then_make_image),
        CASE(read_finish_make_image),
        CASE(read_wait_use),
        CASE(read_poll_use),
        CASE(poll_only),
        CASE(callback),
        CASE(callback_at_start),
        CASE(copies),
        CASE(copies_apart),
        CASE(rectangles_apart),
        CASE(rectangles_meet),
        CASE(kernel_and_read),
        CASE(kernel_reads_and_read),
        CASE(kernel_and_read_event),
        CASE(kernel_and_write),
        CASE(kernel_reads_and_write),
        CASE(write_and_kernel_reads_event),
        CASE(fill_and_kernel),
        CASE(last_and_read),
        CASE(others_and_read),
        CASE(below_limit),
        CASE(beyond_limit),
        CASE(below_negative_limit),
        CASE(below_limit_event),
        CASE(below_large_limit),
        CASE(kernel_while_mapped_for_writing),
        CASE(kernel_writes_while_mapped),
        CASE(kernel_reads_while_mapped),
        CASE(kernel_after_unmap),
        CASE(unmap_elsewhere),
        CASE(write_while_mapped),
        CASE(map_before_kernel_ends),
        CASE(sub_buffers_overlap),
        CASE(sub_buffers_apart),
        CASE(atomics),
        CASE(atomics_on_each),
        CASE(atomics_and_read),
        CASE(atomics_and_kernel_reads),
        CASE(atomics_in_order),
        CASE(atomics_on_variable),
        CASE(squares_apart),
        CASE(squares_meet),
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        begin();
        cases[i].run();
        return end();
    }
    fprintf(stderr, "commands: unknown case\n");
    return 3;
}
