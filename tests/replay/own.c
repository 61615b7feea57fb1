/* Memory that the program has by its own means, in kernels: of malloc, from its first byte and from
 * the middle, a list of blocks, of the stack, of a variable, and a block that is freed, and another
 * one that is given instead; or with an argument, of a block one element more than it has. Without
 * fine-grain system SVM the program ends with status 77. */
#include "tests/replay/program.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 16 };

static const char source[] =
    "typedef struct node { int value; ulong next; } node;\n"
    "kernel void add(global int *values, int more) { values[get_global_id(0)] += more; }\n"
    "kernel void add_to_list(global node *list, int more) {\n"
    "    for (global node *at = list; at; at = (global node *)at->next)\n"
    "        at->value += more;\n"
    "}\n";

struct node {
    cl_int value;
    struct node *next;
};

static void launch(const struct setup *setup, cl_kernel kernel, void *memory, cl_int more,
                   size_t count)
{
    check(clSetKernelArgSVMPointer(kernel, 0, memory), "clSetKernelArgSVMPointer");
    check(clSetKernelArg(kernel, 1, sizeof more, &more), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(setup->queue), "clFinish");
}

static void expect_values(const cl_int *values, cl_int first, cl_int step)
{
    for (cl_int i = 0; i < COUNT; i++)
        expect(values[i] == first + i * step, "the values");
}

static void fill(cl_int *values)
{
    for (cl_int i = 0; i < COUNT; i++)
        values[i] = i;
}

static void add_to_arrays(const struct setup *setup, cl_kernel add)
{
    static cl_int variable[COUNT];
    cl_int on_stack[COUNT];
    cl_int *block = malloc(2 * COUNT * sizeof *block);
    expect(block != NULL, "memory");
    memset(block, 0, 2 * COUNT * sizeof *block);
    fill(block);
    fill(block + COUNT);
    fill(variable);
    fill(on_stack);
    launch(setup, add, block, 10, COUNT);
    launch(setup, add, block + COUNT, 20, COUNT);
    launch(setup, add, variable, 30, COUNT);
    launch(setup, add, on_stack, 40, COUNT);
    expect_values(block, 10, 1);
    expect_values(block + COUNT, 20, 1);
    expect_values(variable, 30, 1);
    expect_values(on_stack, 40, 1);
    for (cl_int i = 0; i < COUNT; i++)
        block[i] = 2 * i; /* no call tells it */
    launch(setup, add, block, 1, COUNT);
    expect_values(block, 1, 2);
    free(block);
}

/* Each as large as the one before, so that it lies there, or larger. */
static void free_between(const struct setup *setup, cl_kernel add)
{
    for (size_t size = COUNT; size <= 4 * COUNT; size += size / 2) {
        cl_int *block = malloc(size * sizeof *block);
        expect(block != NULL, "memory");
        fill(block);
        launch(setup, add, block, (cl_int)size, COUNT);
        expect_values(block, (cl_int)size, 1);
        free(block);
    }
}

static void add_to_lists(const struct setup *setup, cl_kernel add)
{
    struct node *list = NULL;
    for (cl_int i = COUNT; i-- > 0;) {
        struct node *node = calloc(1, sizeof *node);
        expect(node != NULL, "memory");
        *node = (struct node){i, list};
        list = node;
    }
    launch(setup, add, list, 100, 1);
    launch(setup, add, list->next, 1000, 1);
    for (cl_int i = 0; i < COUNT; i++) {
        struct node *next = list->next;
        expect(list->value == 100 + (i > 0 ? 1000 : 0) + i, "the list");
        free(list);
        list = next;
    }
}

static void go_beyond(const struct setup *setup, cl_kernel add)
{
    cl_int *block = malloc(COUNT * sizeof *block);
    expect(block != NULL, "memory");
    fill(block);
    launch(setup, add, block, 0, COUNT + 1);
    free(block);
}

int main(int argc, char **argv)
{
    struct setup setup;
    setup_open(&setup);
    cl_device_svm_capabilities svm = 0;
    cl_int status;
    check(clGetDeviceInfo(setup.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL),
          "clGetDeviceInfo");
    if (!(svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM))
        return 77;
    cl_program program = setup_build(&setup, source, "-cl-std=CL3.0");
    cl_kernel add = clCreateKernel(program, "add", &status);
    check(status, "clCreateKernel");
    cl_kernel add_to_list = clCreateKernel(program, "add_to_list", &status);
    check(status, "clCreateKernel");
    (void)argv;
    if (argc > 1) {
        go_beyond(&setup, add);
    } else {
        add_to_arrays(&setup, add);
        free_between(&setup, add);
        add_to_lists(&setup, add_to_list);
    }
    check(clReleaseKernel(add), "clReleaseKernel");
    check(clReleaseKernel(add_to_list), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
