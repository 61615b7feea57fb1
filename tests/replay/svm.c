/* A list that the host makes in coarse-grained shared virtual memory and a kernel changes; without
 * such memory the program ends with status 77. */
#include "tests/replay/program.h"

#include <stddef.h>
#include <string.h>

enum { COUNT = 8 };

static const char source[] = "typedef struct node { int value; global struct node *next; } node;\n"
                             "kernel void add(global node *list, int more, global int *sum) {\n"
                             "    for (global node *at = list; at; at = at->next) { at->value += "
                             "more; *sum += at->value; }\n"
                             "}\n";

struct node {
    cl_int value;
    struct node *next;
};

static void *allocate(const struct setup *setup, size_t size)
{
    void *memory = clSVMAlloc(setup->context, CL_MEM_READ_WRITE, size, 0);
    expect(memory != NULL, "shared memory");
    return memory;
}

static void fill_list(const struct setup *setup, struct node *nodes, struct node *last)
{
    check(clEnqueueSVMMap(setup->queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, nodes,
                          COUNT * sizeof *nodes, 0, NULL, NULL),
          "clEnqueueSVMMap");
    for (int i = 0; i < COUNT; i++)
        nodes[i] = (struct node){i, i + 1 < COUNT ? &nodes[i + 1] : last};
    check(clEnqueueSVMUnmap(setup->queue, nodes, 0, NULL, NULL), "clEnqueueSVMUnmap");
    const struct node end = {100, NULL};
    check(clEnqueueSVMMemcpy(setup->queue, CL_TRUE, last, &end, sizeof end, 0, NULL, NULL),
          "clEnqueueSVMMemcpy to the device");
}

static void change_list(const struct setup *setup, struct node *nodes, struct node *last,
                        cl_int *sum)
{
    const cl_int zero = 0, ten = 10;
    const size_t one = 1;
    cl_int status;
    cl_program program = setup_build(setup, source, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "add", &status);
    check(status, "clCreateKernel");
    check(clEnqueueSVMMemFill(setup->queue, sum, &zero, sizeof zero, sizeof zero, 0, NULL, NULL),
          "clEnqueueSVMMemFill");
    check(clSetKernelArgSVMPointer(kernel, 0, nodes), "clSetKernelArgSVMPointer");
    check(clSetKernelArg(kernel, 1, sizeof ten, &ten), "clSetKernelArg");
    check(clSetKernelArgSVMPointer(kernel, 2, sum), "clSetKernelArgSVMPointer");
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof last, &last),
          "clSetKernelExecInfo");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
}

static void check_list(const struct setup *setup, struct node *nodes, struct node *last,
                       cl_int *sum)
{
    cl_int total = 0;
    struct node end;
    check(clEnqueueSVMMemcpy(setup->queue, CL_TRUE, &total, sum, sizeof total, 0, NULL, NULL),
          "clEnqueueSVMMemcpy to the host");
    check(clEnqueueSVMMemcpy(setup->queue, CL_TRUE, &end, last, offsetof(struct node, next), 0,
                             NULL, NULL),
          "clEnqueueSVMMemcpy to the host");
    check(clEnqueueSVMMap(setup->queue, CL_TRUE, CL_MAP_READ, nodes, COUNT * sizeof *nodes, 0, NULL,
                          NULL),
          "clEnqueueSVMMap");
    expect(nodes[COUNT - 1].value == 17 && nodes[COUNT - 1].next == last && end.value == 110 &&
               total == 28 + 80 + 110,
           "the list");
    check(clEnqueueSVMUnmap(setup->queue, nodes, 0, NULL, NULL), "clEnqueueSVMUnmap");
}

int main(void)
{
    struct setup setup;
    setup_open(&setup);
    cl_device_svm_capabilities svm = 0;
    check(clGetDeviceInfo(setup.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL),
          "clGetDeviceInfo");
    if (!svm)
        return 77;
    struct node *nodes = allocate(&setup, COUNT * sizeof *nodes);
    void *last = allocate(&setup, sizeof(struct node));
    cl_int *sum = allocate(&setup, sizeof *sum);
    fill_list(&setup, nodes, last);
    change_list(&setup, nodes, last, sum);
    check_list(&setup, nodes, last, sum);
    check(clEnqueueSVMFree(setup.queue, 1, &last, NULL, NULL, 0, NULL, NULL), "clEnqueueSVMFree");
    check(clFinish(setup.queue), "clFinish");
    clSVMFree(setup.context, nodes);
    clSVMFree(setup.context, sum);
    setup_close(&setup);
    return 0;
}
