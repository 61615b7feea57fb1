/* Programs with native kernels, right and wrong, one a name: `native CASE`. What each is to be
 * found wrong with, on the reference device, is said in CMakeLists.txt. */
#include "tests/rules/program.h"

#include <string.h>

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int), ORIGIN = 128 };

static const char source[] = "kernel void add(global int *a, global const int *b) {\n"
                             "    a[get_global_id(0)] = b[get_global_id(0)] + 1; }\n";

static struct program program;
static cl_command_queue other; /* in order, beside program.queue */
static cl_mem a, b;
static cl_kernel add;
static cl_int *kept;

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
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

static void begin(void)
{
    cl_int error;
    program = program_begin();
    other = clCreateCommandQueue(program.context, program.device, 0, &error);
    check(error);
    a = make_buffer();
    b = make_buffer();
    add = program_kernel(&program, source, "add");
}

static int end(void)
{
    check(clFinish(program.queue));
    check(clFinish(other));
    check(clReleaseKernel(add));
    check(clReleaseMemObject(a));
    check(clReleaseMemObject(b));
    check(clReleaseCommandQueue(other));
    return program_end(&program);
}

/* ---- commands: none is flushed before all are enqueued, for what a native kernel does after its
 * begin it may have told the host ---- */

static void launch_to(cl_command_queue queue, cl_mem to, cl_mem from, size_t first,
                      const cl_event *after)
{
    const size_t count = COUNT / 2;
    check(clSetKernelArg(add, 0, sizeof(cl_mem), &to));
    check(clSetKernelArg(add, 1, sizeof(cl_mem), &from));
    check(clEnqueueNDRangeKernel(queue, add, 1, &first, &count, NULL, after ? 1 : 0, after, NULL));
}

static void enqueue(cl_command_queue queue, void(CL_CALLBACK *function)(void *), cl_mem buffer,
                    cl_event *event)
{
    void *argument = NULL;
    const void *place = &argument;
    check(clEnqueueNativeKernel(queue, function, &argument, sizeof argument, 1, &buffer, &place, 0,
                                NULL, event));
}

static void CL_CALLBACK write_first_half(void *arguments)
{
    cl_int *values = *(cl_int **)arguments;
    for (size_t i = 0; i < COUNT / 2; i++)
        values[i] += 5;
}

static void CL_CALLBACK look(void *arguments)
{
    const cl_int *values = *(cl_int **)arguments;
    PROGRAM_CHECK(values[0] == 0);
}

static void CL_CALLBACK write_whole(void *arguments)
{
    memset(*(void **)arguments, 1, SIZE);
}

static void CL_CALLBACK keep(void *arguments)
{
    kept = *(cl_int **)arguments;
    kept[0] = 1;
}

static void CL_CALLBACK write_kept(void *arguments)
{
    **(cl_int **)arguments = 2;
    kept[1] = 3;
    kept[2] = 3;
}

/* ---- order ---- */

static void kernel_reads_what_it_writes(void)
{
    enqueue(program.queue, write_first_half, a, NULL);
    launch_to(other, b, a, 0, NULL);
}

static void kernel_reads_after_it(void)
{
    cl_event written;
    enqueue(program.queue, write_first_half, a, &written);
    launch_to(other, b, a, 0, &written);
    check(clReleaseEvent(written));
}

static void it_writes_what_a_kernel_reads(void)
{
    launch_to(program.queue, b, a, 0, NULL);
    enqueue(other, write_first_half, a, NULL);
}

static void halves(void)
{
    enqueue(program.queue, write_first_half, a, NULL);
    launch_to(other, a, b, COUNT / 2, NULL);
}

static void both_read(void)
{
    enqueue(program.queue, look, a, NULL);
    launch_to(other, b, a, 0, NULL);
}

static void two_write(void)
{
    enqueue(program.queue, write_first_half, a, NULL);
    enqueue(other, write_first_half, a, NULL);
}

static void two_write_in_order(void)
{
    enqueue(program.queue, write_first_half, a, NULL);
    enqueue(program.queue, write_first_half, a, NULL);
}

/* ---- what it is given ---- */

static void by_a_kept_address(void)
{
    enqueue(program.queue, keep, a, NULL);
    enqueue(program.queue, write_kept, b, NULL);
}

/* What it has written there a kernel may read. */
static void read_after_it_went_beyond(void)
{
    cl_int error;
    cl_mem empty = clCreateBuffer(program.context, CL_MEM_READ_WRITE, SIZE, NULL, &error);
    check(error);
    const cl_buffer_region region = {.origin = 0, .size = ORIGIN};
    cl_mem part = clCreateSubBuffer(empty, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    check(error);
    enqueue(program.queue, write_whole, part, NULL);
    launch_to(program.queue, b, empty, COUNT / 2, NULL);
    check(clReleaseMemObject(part));
    check(clReleaseMemObject(empty));
}

static void by_a_new_address(void)
{
    enqueue(program.queue, keep, a, NULL);
    enqueue(program.queue, write_kept, a, NULL);
}

static void memory_of_its_own(void)
{
    static cl_int own[COUNT];
    enqueue(program.queue, keep, a, NULL);
    check(clFinish(program.queue));
    kept = own;
    enqueue(program.queue, write_kept, b, NULL);
    check(clFinish(program.queue));
    PROGRAM_CHECK(own[1] == 3);
}

static void mapped_for_reading(void)
{
    cl_int error;
    void *mapped =
        clEnqueueMapBuffer(program.queue, a, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error);
    check(error);
    enqueue(program.queue, write_first_half, a, NULL);
    check(clFinish(program.queue));
    check(clEnqueueUnmapMemObject(program.queue, a, mapped, 0, NULL, NULL));
}

static void while_it_is_mapped(void)
{
    cl_int error;
    kept = clEnqueueMapBuffer(program.queue, a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE, 0,
                              NULL, NULL, &error);
    check(error);
    enqueue(program.queue, write_kept, b, NULL);
    check(clFinish(program.queue));
    check(clEnqueueUnmapMemObject(program.queue, a, kept, 0, NULL, NULL));
}

static cl_mem make_part(void)
{
    cl_int error;
    const cl_buffer_region region = {.origin = 0, .size = ORIGIN};
    cl_mem part = clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    check(error);
    return part;
}

static void CL_CALLBACK write_a_part(void *arguments)
{
    memset(*(void **)arguments, 1, ORIGIN);
}

static void CL_CALLBACK write_beyond(void *arguments)
{
    memset(*(void **)arguments, 1, ORIGIN + 1);
}

static void within_a_part(void)
{
    cl_mem part = make_part();
    enqueue(program.queue, write_a_part, part, NULL);
    check(clReleaseMemObject(part));
}

static void beyond_a_part(void)
{
    cl_mem part = make_part();
    enqueue(program.queue, write_beyond, part, NULL);
    check(clReleaseMemObject(part));
}

/* What it writes is defined. */
static void read_by_a_kernel(void)
{
    cl_int error;
    cl_mem empty = clCreateBuffer(program.context, CL_MEM_READ_WRITE, SIZE, NULL, &error);
    check(error);
    enqueue(program.queue, write_first_half, empty, NULL);
    launch_to(program.queue, b, empty, 0, NULL);
    check(clReleaseMemObject(empty));
}

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        CASE(kernel_reads_what_it_writes),
        CASE(kernel_reads_after_it),
        CASE(it_writes_what_a_kernel_reads),
        CASE(halves),
        CASE(both_read),
        CASE(two_write),
        CASE(two_write_in_order),
        CASE(by_a_kept_address),
        CASE(read_after_it_went_beyond),
        CASE(by_a_new_address),
        CASE(memory_of_its_own),
        CASE(mapped_for_reading),
        CASE(while_it_is_mapped),
        CASE(within_a_part),
        CASE(beyond_a_part),
        CASE(read_by_a_kernel),
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        begin();
        cases[i].run();
        return end();
    }
    fprintf(stderr, "native: unknown case\n");
    return 3;
}
