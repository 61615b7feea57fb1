/* Kernels that are launched with memory that is no more: freed CASE [--clean]. With --clean the
 * memory is let go after the launch has ended. Exit status 77 = the device lacks shared virtual
 * memory. The driver may refuse what is wrong. */
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS = 64, SIZE = ITEMS * sizeof(cl_int) };

struct freed {
    bool clean;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
};

static const char source[] = "kernel void fill(global int *out)\n"
                             "{\n    out[get_global_id(0)] = get_global_id(0);\n}\n";

static void run(const struct freed *freed)
{
    const size_t items = ITEMS;
    clEnqueueNDRangeKernel(freed->queue, freed->kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    clFinish(freed->queue);
}

static cl_mem buffer_of(const struct freed *freed)
{
    cl_int status;
    return clCreateBuffer(freed->context, CL_MEM_READ_WRITE, SIZE, NULL, &status);
}

static void argument(const struct freed *freed)
{
    cl_mem memory = buffer_of(freed);
    clSetKernelArg(freed->kernel, 0, sizeof memory, &memory);
    if (freed->clean)
        run(freed);
    clReleaseMemObject(memory);
    if (!freed->clean)
        run(freed);
}

/* The part outlives its buffer's handle, not its own. */
static void part(const struct freed *freed)
{
    const cl_buffer_region whole = {0, SIZE};
    cl_int status;
    cl_mem memory = buffer_of(freed);
    cl_mem its_part =
        clCreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &whole, &status);
    clSetKernelArg(freed->kernel, 0, sizeof its_part, &its_part);
    clReleaseMemObject(memory);
    if (freed->clean)
        run(freed);
    clReleaseMemObject(its_part);
    if (!freed->clean)
        run(freed);
}

static void shared(const struct freed *freed)
{
    void *memory = clSVMAlloc(freed->context, CL_MEM_READ_WRITE, SIZE, 0);
    clSetKernelArgSVMPointer(freed->kernel, 0, memory);
    if (freed->clean)
        run(freed);
    clSVMFree(freed->context, memory);
    if (!freed->clean)
        run(freed);
}

/* Freed before the launch begins, which it never does. */
static void waiting(const struct freed *freed)
{
    const size_t items = ITEMS;
    cl_int status;
    cl_event start = clCreateUserEvent(freed->context, &status);
    void *memory = clSVMAlloc(freed->context, CL_MEM_READ_WRITE, SIZE, 0);
    clSetKernelArgSVMPointer(freed->kernel, 0, memory);
    clEnqueueNDRangeKernel(freed->queue, freed->kernel, 1, NULL, &items, NULL, 1, &start, NULL);
    if (!freed->clean)
        clSVMFree(freed->context, memory);
    clSetUserEventStatus(start, freed->clean ? CL_COMPLETE : -1);
    clFinish(freed->queue);
    clReleaseEvent(start);
    if (freed->clean)
        clSVMFree(freed->context, memory);
}

static const struct {
    const char *name;
    void (*run)(const struct freed *freed);
    bool is_shared;
} cases[] = {
    {"argument", argument, false},
    {"part", part, false},
    {"shared", shared, true},
    {"waiting", waiting, true},
};

int main(int argc, char **argv)
{
    struct freed freed = {.clean = argc == 3};
    const char *text = source;
    cl_platform_id platform;
    cl_device_id device;
    cl_device_svm_capabilities shares = 0;
    cl_int status;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 1;
    clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof shares, &shares, NULL);
    freed.context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    freed.queue = clCreateCommandQueue(freed.context, device, 0, &status);
    cl_program program = clCreateProgramWithSource(freed.context, 1, &text, NULL, &status);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    freed.kernel = clCreateKernel(program, "fill", &status);
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        if (cases[i].is_shared && shares == 0)
            return 77;
        cases[i].run(&freed);
    }
    clReleaseKernel(freed.kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(freed.queue);
    clReleaseContext(freed.context);
    return 0;
}
