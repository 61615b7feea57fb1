/* Launches on the reference device whose work-items communicate, twice each; what the program sees
 * is printed.
 *
 *     repeated KERNEL [shared|fine|large|sizes|together]
 *
 * shared: its memory is coarse-grained shared virtual memory; fine: fine-grained
 * large:  the buffer has 256 MiB
 * sizes:  it is launched in twenty sizes
 * together: its work-items are of one group */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const source =
    "#define NEXT(at) atomic_fetch_add_explicit(at, 1, memory_order_relaxed, memory_scope_device)\n"
    "global atomic_int started = ATOMIC_VAR_INIT(0);\n"
    /* The first group takes all, and only then the sum is right. */
    "kernel void queue(global atomic_int *next, global int *sum)\n"
    "{\n"
    "    int i;\n"
    "    while ((i = NEXT(next)) < 10)\n"
    "        *sum += i;\n"
    "}\n"
    /* Who comes when, and output of printf. */
    "kernel void turns(global atomic_int *next, global int *out)\n"
    "{\n"
    "    for (int i = 0; i < 2; i++)\n"
    "        out[NEXT(next)] = (int)get_global_id(0);\n"
    "    printf(\"printed by %d\\n\", (int)get_global_id(0));\n"
    "}\n"
    "kernel void variable(global atomic_int *next, global int *out)\n"
    "{\n"
    "    (void)next;\n"
    "    if (NEXT(&started) % 4 == 3)\n"
    "        *out = atomic_load_explicit(&started, memory_order_relaxed, memory_scope_device);\n"
    "}\n"
    /* Tells no order. */
    "kernel void histogram(global atomic_int *next, global int *out)\n"
    "{\n"
    "    NEXT(next + get_global_id(0) % 4);\n"
    "    (void)out;\n"
    "}\n"
    /* The last one reads whether the first has done its part, and goes on whatever it read. */
    "kernel void unread(global atomic_int *flag, global int *out)\n"
    "{\n"
    "    int mine = NEXT(&started) % 4;\n"
    "    if (mine == 0) {\n"
    "        out[0] = 1;\n"
    "        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);\n"
    "    } else if (mine == 3) {\n"
    "        atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);\n"
    "        out[1] = out[0];\n"
    "    }\n"
    "}\n"
    "kernel void length(global atomic_int *next, global int *out)\n"
    "{\n"
    "    int x = NEXT(next);\n"
    "    for (int i = 0; i < 3000000; i++)\n"
    "        x = x * 3 + i;\n"
    "    if (x == 1)\n"
    "        NEXT(next);\n"
    "    (void)out;\n"
    "}\n";

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "repeated: %s gave %d\n", what, (int)status);
    exit(2);
}

static int is(const char *word, const char *name)
{
    return strcmp(word, name) == 0;
}

int main(int argc, char **argv)
{
    const char *how = argc == 3 ? argv[2] : "";
    const size_t size = is(how, "large") ? 256 << 20 : 512;
    const cl_svm_mem_flags flags =
        CL_MEM_READ_WRITE | (is(how, "fine") ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
    const int shares = is(how, "shared") || is(how, "fine");
    const int zeroes[128] = {0};
    int out[128];
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, argv[1], &status);
    check(status, "clCreateKernel");
    int *shared = shares ? clSVMAlloc(context, flags, size, 0) : NULL;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &status);
    check(status, "clCreateBuffer");
    cl_mem parts[2];
    for (size_t i = 0; i < 2; i++) {
        const cl_buffer_region region = {i * 256, 256};
        parts[i] = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
        check(status, "clCreateSubBuffer");
    }
    for (cl_uint i = 0; i < 2; i++)
        check(shared ? clSetKernelArgSVMPointer(kernel, i, shared + i * 64)
                     : clSetKernelArg(kernel, i, sizeof(cl_mem), &parts[i]),
              "setting arguments");
    for (size_t i = 0; i < (is(how, "sizes") ? 20 : 2); i++) {
        const size_t items = is(how, "sizes") ? 2 + i : 4;
        const size_t local = is(how, "together") ? items : 1;
        check(shared
                  ? clEnqueueSVMMemcpy(queue, CL_TRUE, shared, zeroes, sizeof zeroes, 0, NULL, NULL)
                  : clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof zeroes, zeroes, 0, NULL,
                                         NULL),
              "writing");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        check(shared
                  ? clEnqueueSVMMemcpy(queue, CL_TRUE, out, shared, sizeof out, 0, NULL, NULL)
                  : clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL),
              "reading");
        printf("%d:", out[0]);
        for (size_t k = 64; k < 72; k++)
            printf(" %d", out[k]);
        printf("\n");
    }
    if (shared)
        clSVMFree(context, shared);
    clReleaseMemObject(parts[0]);
    clReleaseMemObject(parts[1]);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
