/* Memory that the host and kernels use without any call between: fine-grained shared virtual
 * memory (`fine`), or unified memory of host, both and device (`unified`). With `held` the host
 * writes when the command is under way already. Without such memory the program ends with
 * status 77.
 */
#include "tests/replay/program.h"

#include <CL/cl_ext.h>
#include <string.h>

enum { COUNT = 3000 /* more than one page */, ROUNDS = 3 };

/* Pointers are numbers in memory: not all compilers take kernels' arguments that contain some. */
static const char source[] =
    "kernel void add(global int *out, global const ulong *table, global const int *more) {\n"
    "    size_t i = get_global_id(0);\n"
    "    global const int *in = (global const int *)table[i % 2];\n"
    "    out[i] = in[i] + more[i];\n"
    "}\n";

struct memory {
    const struct setup *setup;
    bool is_unified;
    clHostMemAllocINTEL_fn allocate_host;
    clSharedMemAllocINTEL_fn allocate_shared;
    clDeviceMemAllocINTEL_fn allocate_device;
    clMemFreeINTEL_fn free;
    clSetKernelArgMemPointerINTEL_fn set_argument;
    clEnqueueMemcpyINTEL_fn copy;
    clEnqueueMemFillINTEL_fn fill;
};

static void *find(const struct setup *setup, const char *name)
{
    void *function = clGetExtensionFunctionAddressForPlatform(setup->platform, name);
    expect(function != NULL, name);
    return function;
}

static bool open_memory(const struct setup *setup, bool is_unified, struct memory *memory)
{
    cl_device_svm_capabilities svm = 0;
    char extensions[8192] = "";
    *memory = (struct memory){.setup = setup, .is_unified = is_unified};
    check(clGetDeviceInfo(setup->device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL),
          "clGetDeviceInfo");
    check(clGetDeviceInfo(setup->device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL),
          "clGetDeviceInfo");
    if (!is_unified)
        return svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    if (!strstr(extensions, "cl_intel_unified_shared_memory"))
        return false;
    memory->allocate_host = (clHostMemAllocINTEL_fn)find(setup, "clHostMemAllocINTEL");
    memory->allocate_shared = (clSharedMemAllocINTEL_fn)find(setup, "clSharedMemAllocINTEL");
    memory->allocate_device = (clDeviceMemAllocINTEL_fn)find(setup, "clDeviceMemAllocINTEL");
    memory->free = (clMemFreeINTEL_fn)find(setup, "clMemFreeINTEL");
    memory->set_argument =
        (clSetKernelArgMemPointerINTEL_fn)find(setup, "clSetKernelArgMemPointerINTEL");
    memory->copy = (clEnqueueMemcpyINTEL_fn)find(setup, "clEnqueueMemcpyINTEL");
    memory->fill = (clEnqueueMemFillINTEL_fn)find(setup, "clEnqueueMemFillINTEL");
    return true;
}

static void *allocate(const struct memory *memory, bool of_host, size_t size)
{
    cl_context context = memory->setup->context;
    cl_int status = CL_SUCCESS;
    void *result;
    if (!memory->is_unified)
        result = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
    else if (of_host)
        result = memory->allocate_host(context, NULL, size, 0, &status);
    else
        result = memory->allocate_shared(context, memory->setup->device, NULL, size, 0, &status);
    expect(result != NULL && status == CL_SUCCESS, "shared memory");
    return result;
}

static void set_argument(const struct memory *memory, cl_kernel kernel, cl_uint index,
                         const void *pointer)
{
    check(memory->is_unified ? memory->set_argument(kernel, index, pointer)
                             : clSetKernelArgSVMPointer(kernel, index, pointer),
          "a kernel's argument");
}

static void copy(const struct memory *memory, void *to, const void *from, size_t size)
{
    cl_command_queue queue = memory->setup->queue;
    check(memory->is_unified ? memory->copy(queue, CL_TRUE, to, from, size, 0, NULL, NULL)
                             : clEnqueueSVMMemcpy(queue, CL_TRUE, to, from, size, 0, NULL, NULL),
          "a copy");
}

static void reach(const struct memory *memory, cl_kernel kernel, void *const pointers[2])
{
    const cl_kernel_exec_info name =
        memory->is_unified ? CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL : CL_KERNEL_EXEC_INFO_SVM_PTRS;
    check(clSetKernelExecInfo(kernel, name, 2 * sizeof *pointers, pointers), "clSetKernelExecInfo");
}

static cl_event launch(const struct memory *memory, cl_kernel kernel)
{
    const size_t count = COUNT;
    cl_event event;
    check(clEnqueueNDRangeKernel(memory->setup->queue, kernel, 1, NULL, &count, NULL, 0, NULL,
                                 &event),
          "clEnqueueNDRangeKernel");
    return event;
}

static void wait_for(cl_event event, int how)
{
    cl_int status = CL_QUEUED;
    if (how == 0)
        check(clWaitForEvents(1, &event), "clWaitForEvents");
    while (how == 1 && status != CL_COMPLETE)
        check(
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
            "clGetEventInfo");
    check(clReleaseEvent(event), "clReleaseEvent");
}

static void expect_sum(const cl_int *out, cl_int first)
{
    for (int i = 0; i < COUNT; i++)
        expect(out[i] == first + i, "a sum");
}

/* Kernels find `in` by `table`, which holds its address. */
struct arrays {
    cl_int *in[2], *more[2], *out[2];
    void **table;
};

static void set_arguments(const struct memory *memory, cl_kernel kernel, cl_int *out,
                          const struct arrays *arrays, const cl_int *more)
{
    set_argument(memory, kernel, 0, out);
    set_argument(memory, kernel, 1, arrays->table);
    set_argument(memory, kernel, 2, more);
}

static void make_arrays(const struct memory *memory, cl_kernel kernel, struct arrays *arrays)
{
    for (int i = 0; i < 2; i++) {
        arrays->in[i] = allocate(memory, i == 0, COUNT * sizeof(cl_int));
        arrays->more[i] = allocate(memory, i == 0, COUNT * sizeof(cl_int));
        arrays->out[i] = allocate(memory, i == 0, COUNT * sizeof(cl_int));
    }
    arrays->table = allocate(memory, false, sizeof arrays->in);
    memcpy(arrays->table, arrays->in, sizeof arrays->in);
    reach(memory, kernel, arrays->table);
    for (int i = 0; i < COUNT; i++)
        arrays->more[0][i] = i;
}

static void free_arrays(const struct memory *memory, const struct arrays *arrays)
{
    void *const all[] = {arrays->in[0],  arrays->in[1],  arrays->more[0], arrays->more[1],
                         arrays->out[0], arrays->out[1], arrays->table};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (memory->is_unified)
            check(memory->free(memory->setup->context, all[i]), "clMemFreeINTEL");
        else
            clSVMFree(memory->setup->context, all[i]);
    }
}

/* The host writes and reads in place; each round it learns in another way that the kernel is done.
 */
static void take_turns(const struct memory *memory, cl_kernel kernel, const struct arrays *arrays)
{
    set_arguments(memory, kernel, arrays->out[0], arrays, arrays->more[0]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++)
            arrays->in[0][i] = arrays->in[1][i] = 100 * round;
        cl_event event = launch(memory, kernel);
        if (round == ROUNDS - 1)
            check(clFinish(memory->setup->queue), "clFinish");
        wait_for(event, round);
        expect_sum(arrays->out[0], 100 * round);
    }
}

/* While one kernel runs the host writes what the next one takes. */
static void overlap(const struct memory *memory, cl_kernel kernel, const struct arrays *arrays)
{
    cl_int last = 0;
    cl_event first = launch(memory, kernel);
    for (int i = 0; i < COUNT; i++)
        arrays->more[1][i] = i + 7;
    set_arguments(memory, kernel, arrays->out[1], arrays, arrays->more[1]);
    wait_for(launch(memory, kernel), 0);
    check(clReleaseEvent(first), "clReleaseEvent");
    expect_sum(arrays->out[0], 200);
    expect_sum(arrays->out[1], 207);
    copy(memory, &last, arrays->out[1] + COUNT - 1, sizeof last);
    expect(last == 206 + COUNT, "a copied sum");
}

/* The kernel waits for what the host writes. */
static void write_while_held(const struct memory *memory, cl_kernel kernel,
                             const struct arrays *arrays)
{
    const size_t count = COUNT;
    cl_int status;
    cl_event held = clCreateUserEvent(memory->setup->context, &status);
    check(status, "clCreateUserEvent");
    for (int i = 0; i < COUNT; i++)
        arrays->in[0][i] = arrays->in[1][i] = 1;
    set_arguments(memory, kernel, arrays->out[0], arrays, arrays->more[0]);
    check(
        clEnqueueNDRangeKernel(memory->setup->queue, kernel, 1, NULL, &count, NULL, 1, &held, NULL),
        "clEnqueueNDRangeKernel");
    for (int i = 0; i < COUNT; i++)
        arrays->more[0][i] = 10 + i;
    check(clSetUserEventStatus(held, CL_COMPLETE), "clSetUserEventStatus");
    check(clFinish(memory->setup->queue), "clFinish");
    check(clReleaseEvent(held), "clReleaseEvent");
    expect_sum(arrays->out[0], 11);
}

/* The same, with the sums in a buffer. */
static void write_while_held_into_buffer(const struct memory *memory, cl_kernel kernel,
                                         const struct arrays *arrays)
{
    static cl_int sums[COUNT];
    cl_int status;
    cl_mem buffer =
        clCreateBuffer(memory->setup->context, CL_MEM_READ_WRITE, sizeof sums, NULL, &status);
    check(status, "clCreateBuffer");
    cl_event held = clCreateUserEvent(memory->setup->context, &status);
    check(status, "clCreateUserEvent");
    const size_t count = COUNT;
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(
        clEnqueueNDRangeKernel(memory->setup->queue, kernel, 1, NULL, &count, NULL, 1, &held, NULL),
        "clEnqueueNDRangeKernel");
    for (int i = 0; i < COUNT; i++)
        arrays->more[0][i] = 20 + i;
    check(clSetUserEventStatus(held, CL_COMPLETE), "clSetUserEventStatus");
    check(clFinish(memory->setup->queue), "clFinish");
    check(clReleaseEvent(held), "clReleaseEvent");
    check(clEnqueueReadBuffer(memory->setup->queue, buffer, CL_TRUE, 0, sizeof sums, sums, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    expect_sum(sums, 21);
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
}

/* That a kernel is done is learned from a command that waited for it. */
static void learn_from_others(const struct memory *memory, cl_kernel kernel,
                              const struct arrays *arrays)
{
    const size_t count = COUNT;
    cl_int status;
    cl_event events[2];
    cl_command_queue queue = clCreateCommandQueue(memory->setup->context, memory->setup->device,
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    check(status, "clCreateCommandQueue");
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++)
            arrays->more[1][i] = 1000 * round + i;
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, &events[0]),
              "clEnqueueNDRangeKernel");
        check(clEnqueueMarkerWithWaitList(queue, round < 2, round < 2 ? events : NULL, &events[1]),
              "clEnqueueMarkerWithWaitList");
        check(clWaitForEvents(1, &events[1]), "clWaitForEvents");
        expect_sum(arrays->out[1], 1000 * round + 200);
        check(clReleaseEvent(events[0]), "clReleaseEvent");
        check(clReleaseEvent(events[1]), "clReleaseEvent");
    }
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
}

/* Such memory is the host's side of transfers, and the bytes of a buffer. */
static void use_as_host_memory(const struct memory *memory, cl_kernel kernel,
                               const struct arrays *arrays)
{
    cl_int status;
    const size_t size = COUNT * sizeof(cl_int);
    cl_context context = memory->setup->context;
    cl_command_queue queue = memory->setup->queue;
    for (int i = 0; i < COUNT; i++)
        arrays->more[0][i] = 3 + i;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, arrays->more[0], &status);
    check(status, "clCreateBuffer");
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, arrays->more[1], 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect_sum(arrays->more[1], 3);
    wait_for(launch(memory, kernel), 0);
    expect_sum(arrays->out[1], 203);
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    if (memory->is_unified)
        return;
    buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, size, arrays->more[1], &status);
    check(status, "clCreateBuffer");
    const cl_int five = 5;
    check(clEnqueueFillBuffer(queue, buffer, &five, sizeof five, 0, sizeof five, 0, NULL, NULL),
          "clEnqueueFillBuffer");
    check(clFinish(queue), "clFinish");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    expect(arrays->more[1][0] == 5 && arrays->more[1][1] == 4, "what the buffer holds");
}

static void use_device_memory(const struct memory *memory, cl_kernel kernel,
                              const struct arrays *arrays)
{
    cl_int status;
    cl_context context = memory->setup->context;
    const cl_int zero = 0;
    const size_t size = COUNT * sizeof(cl_int);
    cl_int *more = memory->allocate_device(context, memory->setup->device, NULL, size, 0, &status);
    check(status, "clDeviceMemAllocINTEL");
    check(memory->fill(memory->setup->queue, more, &zero, sizeof zero, size, 0, NULL, NULL),
          "clEnqueueMemFillINTEL");
    copy(memory, more, arrays->out[1], size);
    set_arguments(memory, kernel, arrays->out[0], arrays, more);
    wait_for(launch(memory, kernel), 0);
    expect_sum(arrays->out[0], 403);
    check(memory->free(context, more), "clMemFreeINTEL");
}

int main(int argc, char **argv)
{
    struct setup setup;
    struct memory memory;
    struct arrays arrays;
    cl_int status;
    const bool is_unified = argc > 1 && strcmp(argv[1], "unified") == 0;
    setup_open(&setup);
    if (!open_memory(&setup, is_unified, &memory))
        return 77;
    cl_program program = setup_build(&setup, source, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "add", &status);
    check(status, "clCreateKernel");
    make_arrays(&memory, kernel, &arrays);
    if (argc > 1 && strcmp(argv[1], "held") == 0) {
        write_while_held(&memory, kernel, &arrays);
        write_while_held_into_buffer(&memory, kernel, &arrays);
    } else {
        take_turns(&memory, kernel, &arrays);
        overlap(&memory, kernel, &arrays);
        learn_from_others(&memory, kernel, &arrays);
        use_as_host_memory(&memory, kernel, &arrays);
        if (is_unified)
            use_device_memory(&memory, kernel, &arrays);
    }
    free_arrays(&memory, &arrays);
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
