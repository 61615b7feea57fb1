/* Programs that act in functions of theirs which a driver may call before the call that it was
 * given to has returned: `early CASE`. The stub does. What each is to be found wrong with is said
 * in CMakeLists.txt. */
#include "tests/rules/program.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { SIZE = 256 };

static struct program program;
static atomic_int called;

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

/* They may also come later, on a thread of the driver's. */
static void wait_for_call(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    check(clFinish(program.queue));
    while (!called)
        nanosleep(&pause, NULL);
}

/* ---- shared virtual memory ---- */

static void *allocate(void)
{
    void *memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE, SIZE, 0);
    PROGRAM_CHECK(memory);
    return memory;
}

static void fill(cl_command_queue queue, void *memory)
{
    const cl_int zero = 0;
    check(clEnqueueSVMMemFill(queue, memory, &zero, sizeof zero, SIZE, 0, NULL, NULL));
}

static void CL_CALLBACK free_all(cl_command_queue queue, cl_uint count, void **pointers, void *user)
{
    (void)queue;
    for (cl_uint i = 0; i < count; ++i)
        clSVMFree(program.context, pointers[i]);
    if (user)
        clSVMFree(program.context, user);
    called = 1;
}

static void free_by_command(cl_command_queue queue, void *memory, void *also)
{
    check(clEnqueueSVMFree(queue, 1, &memory, free_all, also, 0, NULL, NULL));
    check(clFinish(queue));
    wait_for_call();
}

static void svm_in_its_function(void)
{
    void *memory = allocate();
    fill(program.queue, memory);
    free_by_command(program.queue, memory, NULL);
}

/* All that was before in the queue has ended. */
static void svm_of_earlier_commands(void)
{
    void *other = allocate();
    fill(program.queue, other);
    free_by_command(program.queue, allocate(), other);
}

/* What is in another queue need not have. */
static void svm_of_another_queue(void)
{
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(program.context, program.device, 0, &error);
    void *other = allocate();
    check(error);
    fill(program.queue, other);
    free_by_command(queue, allocate(), other);
    check(clReleaseCommandQueue(queue));
}

/* The second time it is another allocation, at the same address perhaps. */
static void svm_again(void)
{
    for (int i = 0; i < 2; ++i) {
        called = 0;
        svm_in_its_function();
    }
}

/* ---- native kernels ---- */

static void CL_CALLBACK free_natively(void *arguments)
{
    clSVMFree(program.context, *(void **)arguments);
    called = 1;
}

static void svm_in_a_native_kernel(void)
{
    void *memory = allocate();
    fill(program.queue, memory);
    check(clEnqueueNativeKernel(program.queue, free_natively, &memory, sizeof memory, 0, NULL, NULL,
                                0, NULL, NULL));
    wait_for_call();
}

/* ---- builds ---- */

static const char source[] = "kernel void one(global int *a) { *a = 1; }\n";

static cl_program make_program(void)
{
    const char *text = source;
    cl_int error;
    cl_program made = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    return made;
}

static void CL_CALLBACK use(cl_program built, void *user)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(built, "one", &error);
    (void)user;
    check(error);
    check(clReleaseKernel(kernel));
    check(clReleaseProgram(built));
    called = 1;
}

static void built_and_released(void)
{
    check(clBuildProgram(make_program(), 1, &program.device, "", use, NULL));
    wait_for_call();
}

static void linked_and_released(void)
{
    cl_program compiled = make_program();
    cl_int error;
    check(clCompileProgram(compiled, 1, &program.device, "", 0, NULL, NULL, NULL, NULL));
    clLinkProgram(program.context, 1, &program.device, "", 1, &compiled, use, NULL, &error);
    check(error);
    wait_for_call();
    check(clReleaseProgram(compiled));
}

/* It keeps the program that it is given. */
static _Atomic(cl_program) linked;

static void CL_CALLBACK keep(cl_program built, void *user)
{
    (void)user;
    linked = built;
    called = 1;
}

static void linked_and_left(void)
{
    cl_program compiled = make_program();
    cl_int error;
    check(clCompileProgram(compiled, 1, &program.device, "", 0, NULL, NULL, NULL, NULL));
    clLinkProgram(program.context, 1, &program.device, "", 1, &compiled, keep, NULL, &error);
    check(error);
    wait_for_call();
    check(clReleaseProgram(compiled));
    PROGRAM_CHECK(linked);
}

/* ---- callbacks to come ---- */

static void CL_CALLBACK release_it(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    clReleaseMemObject(user);
}

/* It would come, had the program waited. */
static void released_too_late(void)
{
    cl_int error;
    cl_event never = clCreateUserEvent(program.context, &error);
    check(error);
    check(clSetEventCallback(never, CL_COMPLETE, release_it, program_buffer(program.context)));
}

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(svm_in_its_function), CASE(svm_of_earlier_commands), CASE(svm_of_another_queue),
    CASE(svm_again),           CASE(svm_in_a_native_kernel),  CASE(built_and_released),
    CASE(linked_and_released), CASE(linked_and_left),         CASE(released_too_late),
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
    fprintf(stderr, "usage: early CASE\n");
    return 2;
}
