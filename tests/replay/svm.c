/* Lists in coarse-grained shared virtual memory that a kernel changes, with every way for a pointer
 * to get there; without such memory the program ends with status 77. */
#include "tests/replay/program.h"

#include <stddef.h>
#include <string.h>

enum { COUNT = 8 };

/* Pointers are numbers in memory: not all compilers take kernels' arguments that contain some. */
static const char source[] =
    "typedef struct node { int value; ulong next; } node;\n"
    "kernel void add(global node *list, int more, global int *sum, global ulong *last, ulong extra)"
    " {\n"
    "    for (global node *at = list; at; at = (global node *)at->next) {\n"
    "        at->value += more;\n"
    "        *sum += at->value;\n"
    "        *last = (ulong)at;\n"
    "    }\n"
    "    *sum += ((global node *)extra)->value;\n"
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

/* The list by a map; its last node by a copy; another one by a pattern. */
static void fill_list(const struct setup *setup, struct node *nodes, struct node *last,
                      struct node *extra)
{
    check(clEnqueueSVMMap(setup->queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, nodes,
                          COUNT * sizeof *nodes, 0, NULL, NULL),
          "clEnqueueSVMMap");
    memset(nodes, 0, COUNT * sizeof *nodes);
    for (int i = 0; i < COUNT; i++)
        nodes[i] = (struct node){i, i + 1 < COUNT ? &nodes[i + 1] : last};
    check(clEnqueueSVMUnmap(setup->queue, nodes, 0, NULL, NULL), "clEnqueueSVMUnmap");
    struct node end;
    memset(&end, 0, sizeof end);
    end.value = 100;
    check(clEnqueueSVMMemcpy(setup->queue, CL_TRUE, last, &end, sizeof end, 0, NULL, NULL),
          "clEnqueueSVMMemcpy to the device");
    end.next = nodes;
    check(clEnqueueSVMMemFill(setup->queue, extra, &end, sizeof end, sizeof end, 0, NULL, NULL),
          "clEnqueueSVMMemFill of a node");
    const void *const pointers[] = {nodes, last};
    check(clEnqueueSVMMigrateMem(setup->queue, 2, (const void **)(uintptr_t)pointers, NULL, 0, 0,
                                 NULL, NULL),
          "clEnqueueSVMMigrateMem");
}

static void change_list(const struct setup *setup, struct node *nodes, struct node *last,
                        struct node *extra, cl_int *sum, cl_mem found)
{
    const cl_int zero = 0, ten = 10;
    const cl_ulong extra_number = (uintptr_t)extra;
    const void *const reached[] = {last, extra};
    const size_t one = 1;
    cl_int status;
    cl_program program = setup_build(setup, source, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "add", &status);
    check(status, "clCreateKernel");
    check(
        clEnqueueSVMMemFill(setup->queue, sum, &zero, sizeof zero, 2 * sizeof zero, 0, NULL, NULL),
        "clEnqueueSVMMemFill");
    check(clSetKernelArgSVMPointer(kernel, 0, nodes), "clSetKernelArgSVMPointer");
    check(clSetKernelArg(kernel, 1, sizeof ten, &ten), "clSetKernelArg");
    check(clSetKernelArgSVMPointer(kernel, 2, sum + 1), "clSetKernelArgSVMPointer");
    check(clSetKernelArg(kernel, 3, sizeof found, &found), "clSetKernelArg");
    check(clSetKernelArg(kernel, 4, sizeof extra_number, &extra_number), "clSetKernelArg");
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached),
          "clSetKernelExecInfo");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
}

/* Pointers come back from memory, and by a buffer that a kernel put one in. */
static void check_list(const struct setup *setup, struct node *nodes, struct node *last,
                       cl_int *sum, cl_mem found)
{
    cl_int total = 0;
    struct node end;
    struct node *at;
    check(clEnqueueReadBuffer(setup->queue, found, CL_TRUE, 0, sizeof at, &at, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(at == last, "the last node");
    check(clEnqueueSVMMemcpy(setup->queue, CL_TRUE, &total, sum + 1, sizeof total, 0, NULL, NULL),
          "clEnqueueSVMMemcpy to the host");
    check(clEnqueueSVMMemcpy(setup->queue, CL_TRUE, &end, last, sizeof end, 0, NULL, NULL),
          "clEnqueueSVMMemcpy to the host");
    check(clEnqueueSVMMap(setup->queue, CL_TRUE, CL_MAP_READ, nodes, COUNT * sizeof *nodes, 0, NULL,
                          NULL),
          "clEnqueueSVMMap");
    expect(nodes[COUNT - 1].value == 17 && nodes[COUNT - 1].next == last && end.value == 110 &&
               total == 28 + 80 + 110 + 100,
           "the list");
    check(clEnqueueSVMUnmap(setup->queue, nodes, 0, NULL, NULL), "clEnqueueSVMUnmap");
}

/* Not a word of it is shared. */
static void copy_on_host(const struct setup *setup)
{
    const cl_int from = 4711;
    cl_int to = 0;
    check(clEnqueueSVMMemcpy(setup->queue, CL_FALSE, &to, &from, sizeof to, 0, NULL, NULL),
          "clEnqueueSVMMemcpy of the host's memory");
    check(clFinish(setup->queue), "clFinish");
    expect(to == from, "the copy");
}

/* Two kernels' kinds of memory at once: a buffer in shared memory. */
static void use_as_buffer(const struct setup *setup, cl_int *sum)
{
    cl_int status, twice[2] = {0};
    cl_mem buffer = clCreateBuffer(setup->context, CL_MEM_USE_HOST_PTR, sizeof twice, sum, &status);
    check(status, "clCreateBuffer");
    check(clEnqueueReadBuffer(setup->queue, buffer, CL_TRUE, sizeof *sum, sizeof *twice, twice, 0,
                              NULL, NULL),
          "clEnqueueReadBuffer");
    expect(twice[0] == 28 + 80 + 110 + 100, "the sum");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
}

static void CL_CALLBACK free_them(cl_command_queue queue, cl_uint count, void **pointers,
                                  void *user)
{
    (void)queue;
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(user, pointers[i]);
}

int main(void)
{
    struct setup setup;
    setup_open(&setup);
    cl_device_svm_capabilities svm = 0;
    cl_int status;
    check(clGetDeviceInfo(setup.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL),
          "clGetDeviceInfo");
    if (!svm)
        return 77;
    /* Memory that is not used, but between others. */
    void *unused = allocate(&setup, 100);
    struct node *nodes = allocate(&setup, COUNT * sizeof *nodes);
    clSVMFree(setup.context, unused);
    struct node *last = allocate(&setup, sizeof *last);
    struct node *extra = allocate(&setup, sizeof *extra);
    cl_int *sum = allocate(&setup, 2 * sizeof *sum);
    cl_mem found =
        clCreateBuffer(setup.context, CL_MEM_READ_WRITE, sizeof(cl_ulong), NULL, &status);
    check(status, "clCreateBuffer");
    fill_list(&setup, nodes, last, extra);
    change_list(&setup, nodes, last, extra, sum, found);
    check_list(&setup, nodes, last, sum, found);
    use_as_buffer(&setup, sum);
    copy_on_host(&setup);
    void *rest[] = {nodes, last};
    void *others[] = {extra};
    check(clEnqueueSVMFree(setup.queue, 2, rest, NULL, NULL, 0, NULL, NULL), "clEnqueueSVMFree");
    check(clEnqueueSVMFree(setup.queue, 1, others, free_them, setup.context, 0, NULL, NULL),
          "clEnqueueSVMFree");
    check(clFinish(setup.queue), "clFinish");
    clSVMFree(setup.context, sum);
    check(clReleaseMemObject(found), "clReleaseMemObject");
    setup_close(&setup);
    return 0;
}
