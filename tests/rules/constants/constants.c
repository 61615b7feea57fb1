/* Programs that give a kernel memory as constant, and by another way, right and wrong, one a name:
 * `constants CASE`. What each is to be found wrong with on the reference device is said in
 * CMakeLists.txt. Each work-item writes what it read, so that nothing but the constant is at stake.
 */
#include "tests/rules/program.h"

#include <string.h>

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int), HALF = SIZE / 2 };

static const char source[] =
    "kernel void add(constant int *from, global int *to) {\n"
    "    to[get_global_id(0)] += from[get_global_id(0)];\n"
    "}\n"
    "kernel void sum(constant int *from, global const int *more, global int *to) {\n"
    "    to[get_global_id(0)] = from[get_global_id(0)] + more[get_global_id(0)];\n"
    "}\n"
    "kernel void count(constant int *from, global int *to) {\n"
    "    if (from[get_global_id(0)] == 0)\n"
    "        atomic_inc(to + get_global_id(0));\n"
    "}\n"
    "kernel void maybe(constant int *from, global int *to, int when) {\n"
    "    if (from[get_global_id(0)] == when)\n"
    "        to[get_global_id(0)] = 1;\n"
    "}\n";

static struct program program;
static cl_mem whole, other; /* of SIZE bytes, all zero */
static cl_mem parts[3];     /* of `whole`: its halves, and all of it */

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static cl_mem make_zero(void)
{
    static cl_int zeros[COUNT];
    cl_int error;
    cl_mem made = clCreateBuffer(program.context, CL_MEM_COPY_HOST_PTR, SIZE, zeros, &error);
    check(error);
    return made;
}

static cl_mem make_part(size_t first, size_t size)
{
    const cl_buffer_region region = {first, size};
    cl_int error;
    cl_mem made = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    check(error);
    return made;
}

static void launch(cl_kernel kernel, size_t count)
{
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    check(clFinish(program.queue));
    check(clReleaseKernel(kernel));
}

static cl_kernel make(const char *name, cl_mem from, cl_mem to)
{
    cl_kernel kernel = program_kernel(&program, source, name);
    check(clSetKernelArg(kernel, 0, sizeof from, &from));
    check(clSetKernelArg(kernel, 1, sizeof to, &to));
    return kernel;
}

static void one_buffer(void)
{
    launch(make("add", whole, whole), COUNT);
}

static void two_buffers(void)
{
    launch(make("add", whole, other), COUNT);
}

static void updated(void)
{
    launch(make("count", whole, whole), COUNT);
}

static void overlapping_parts(void)
{
    launch(make("add", parts[0], parts[2]), COUNT / 2);
}

static void parts_apart(void)
{
    launch(make("add", parts[0], parts[1]), COUNT / 2);
}

/* Both ways only read. */
static void read_twice(void)
{
    cl_kernel kernel = make("sum", whole, whole);
    check(clSetKernelArg(kernel, 2, sizeof other, &other));
    launch(kernel, COUNT);
}

/* What could write does not. */
static void never_written(void)
{
    const cl_int when = 7;
    cl_kernel kernel = make("maybe", whole, whole);
    check(clSetKernelArg(kernel, 2, sizeof when, &when));
    launch(kernel, COUNT);
}

static void launch_shared(size_t apart)
{
    cl_int *memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE, 2 * SIZE, 0);
    const cl_int zero = 0;
    PROGRAM_CHECK(memory);
    check(clEnqueueSVMMemFill(program.queue, memory, &zero, sizeof zero, 2 * SIZE, 0, NULL, NULL));
    cl_kernel kernel = program_kernel(&program, source, "add");
    check(clSetKernelArgSVMPointer(kernel, 0, memory + apart));
    check(clSetKernelArgSVMPointer(kernel, 1, memory));
    launch(kernel, COUNT);
    clSVMFree(program.context, memory);
}

static void shared_memory(void)
{
    launch_shared(0);
}

static void shared_memory_apart(void)
{
    launch_shared(COUNT);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    CASE(one_buffer),        CASE(two_buffers),   CASE(updated),
    CASE(overlapping_parts), CASE(parts_apart),   CASE(read_twice),
    CASE(never_written),     CASE(shared_memory), CASE(shared_memory_apart),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        program = program_begin();
        whole = make_zero();
        other = make_zero();
        parts[0] = make_part(0, HALF);
        parts[1] = make_part(HALF, HALF);
        parts[2] = make_part(0, SIZE);
        cases[i].run();
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
            check(clReleaseMemObject(parts[p]));
        check(clReleaseMemObject(whole));
        check(clReleaseMemObject(other));
        return program_end(&program);
    }
    fprintf(stderr, "constants: unknown case\n");
    return 3;
}
