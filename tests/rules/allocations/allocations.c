/* Programs that allocate shared virtual memory, right and wrong, one a name: `allocations CASE`.
 * What each is to be found wrong with, over every driver, is said in CMakeLists.txt. */
#include "tests/rules/program.h"

#include <string.h>

enum { SIZE = 256 };

static struct program program;

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static void *allocate(cl_context context)
{
    void *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    PROGRAM_CHECK(memory);
    return memory;
}

/* ---- until the end ---- */

static void left(void)
{
    allocate(program.context);
}

static void left_in_one_place(void)
{
    for (int i = 0; i < 3; ++i)
        allocate(program.context);
}

static void freed(void)
{
    clSVMFree(program.context, allocate(program.context));
}

static void left_to_a_command(void)
{
    void *memory = allocate(program.context);
    check(clEnqueueSVMFree(program.queue, 1, &memory, NULL, NULL, 0, NULL, NULL));
}

static void CL_CALLBACK leave(cl_command_queue queue, cl_uint count, void **pointers, void *user)
{
    (void)queue;
    (void)count;
    (void)pointers;
    (void)user;
}

/* Which may come after the end of the program. */
static void left_to_a_function_of_a_command(void)
{
    void *memory = allocate(program.context);
    check(clEnqueueSVMFree(program.queue, 1, &memory, leave, NULL, 0, NULL, NULL));
}

/* ---- while it is mapped ---- */

static void *map(void *memory)
{
    check(clEnqueueSVMMap(program.queue, CL_TRUE, CL_MAP_WRITE, memory, SIZE, 0, NULL, NULL));
    return memory;
}

static void freed_while_mapped(void)
{
    clSVMFree(program.context, map(allocate(program.context)));
}

static void freed_by_a_command_while_mapped(void)
{
    void *memory = map(allocate(program.context));
    check(clEnqueueSVMFree(program.queue, 1, &memory, NULL, NULL, 0, NULL, NULL));
}

static void freed_after_its_unmap(void)
{
    void *memory = map(allocate(program.context));
    check(clEnqueueSVMUnmap(program.queue, memory, 0, NULL, NULL));
    check(clFinish(program.queue));
    clSVMFree(program.context, memory);
}

/* The host may use it at any time: its maps are for nothing. */
static void fine_freed_while_mapped(void)
{
    cl_device_svm_capabilities svm = 0;
    check(clGetDeviceInfo(program.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    if (!(svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        return;
    void *memory =
        clSVMAlloc(program.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, SIZE, 0);
    PROGRAM_CHECK(memory);
    clSVMFree(program.context, map(memory));
}

/* ---- as arguments of kernels ---- */

static cl_kernel make_kernel(void)
{
    return program_kernel(&program, "kernel void one_buffer(global int *a) { *a = 1; }\n",
                          "one_buffer");
}

static void argument_of(cl_context context)
{
    cl_kernel kernel = make_kernel();
    void *memory = allocate(context);
    clSetKernelArgSVMPointer(kernel, 0, memory); /* which a driver may refuse */
    check(clReleaseKernel(kernel));
    clSVMFree(context, memory);
}

static void argument_of_another_context(void)
{
    cl_context other = program_context(&program);
    argument_of(other);
    check(clReleaseContext(other));
}

static void argument_of_the_context(void)
{
    argument_of(program.context);
}

/* Many work-items, or none: what runs when is not the point. */
static void free_behind(cl_int (*call)(cl_command_queue queue))
{
    const size_t one = 1;
    cl_kernel kernel = make_kernel();
    void *memory = allocate(program.context);
    check(clSetKernelArgSVMPointer(kernel, 0, memory));
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    check(call(program.queue));
    clSVMFree(program.context, memory);
    check(clReleaseKernel(kernel));
}

static void freed_behind_a_flush(void)
{
    free_behind(clFlush);
}

static void freed_behind_a_wait(void)
{
    free_behind(clFinish);
}

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(left),
    CASE(left_in_one_place),
    CASE(freed),
    CASE(left_to_a_command),
    CASE(left_to_a_function_of_a_command),
    CASE(freed_while_mapped),
    CASE(freed_by_a_command_while_mapped),
    CASE(freed_after_its_unmap),
    CASE(fine_freed_while_mapped),
    CASE(argument_of_another_context),
    CASE(argument_of_the_context),
    CASE(freed_behind_a_flush),
    CASE(freed_behind_a_wait),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; ++i) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        program = program_begin();
        cases[i].run();
        return program_end(&program);
    }
    fprintf(stderr, "usage: allocations CASE\n");
    return 2;
}
