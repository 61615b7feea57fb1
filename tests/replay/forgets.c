/* Kernels increment memory that the host and the device share, from 10 on. `forgets` uses it
 * without a map, `forgets maps` does not forget: they print what the host finds, and what the
 * device has, for memory of the program (CL_MEM_USE_HOST_PTR) and for coarse-grained shared virtual
 * memory. */
#include "tests/replay/program.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int) };

static const char source[] = "kernel void increment(global int *a) { a[get_global_id(0)]++; }\n";

static struct setup setup;
static bool maps;

static void launch(cl_kernel kernel)
{
    const size_t count = COUNT;
    check(clEnqueueNDRangeKernel(setup.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(setup.queue), "clFinish");
}

static void write_ten(cl_int *memory)
{
    for (int i = 0; i < COUNT; i++)
        memory[i] = 10;
}

static void use_host_pointer(cl_kernel kernel)
{
    static cl_int host[COUNT];
    cl_int status, device;
    void *mapped = NULL;
    cl_mem mem = clCreateBuffer(setup.context, CL_MEM_USE_HOST_PTR, SIZE, host, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof mem, &mem), "clSetKernelArg");
    if (maps)
        mapped = clEnqueueMapBuffer(setup.queue, mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                    SIZE, 0, NULL, NULL, &status);
    write_ten(host);
    if (maps)
        check(clEnqueueUnmapMemObject(setup.queue, mem, mapped, 0, NULL, NULL), "unmap");
    launch(kernel);
    if (maps)
        mapped = clEnqueueMapBuffer(setup.queue, mem, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL,
                                    &status);
    check(status, "clEnqueueMapBuffer");
    printf("memory of the program: the host finds %d", host[5]);
    if (maps)
        check(clEnqueueUnmapMemObject(setup.queue, mem, mapped, 0, NULL, NULL), "unmap");
    check(clEnqueueReadBuffer(setup.queue, mem, CL_TRUE, 20, 4, &device, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    printf(", the device has %d\n", device);
    check(clReleaseMemObject(mem), "clReleaseMemObject");
}

static void map_shared(cl_int *memory, cl_map_flags flags)
{
    if (maps)
        check(clEnqueueSVMMap(setup.queue, CL_TRUE, flags, memory, SIZE, 0, NULL, NULL), "map");
}

static void unmap_shared(cl_int *memory)
{
    if (maps)
        check(clEnqueueSVMUnmap(setup.queue, memory, 0, NULL, NULL), "unmap");
}

static void use_shared_memory(cl_kernel kernel)
{
    const cl_int zero = 0;
    cl_int device;
    cl_int *memory = clSVMAlloc(setup.context, CL_MEM_READ_WRITE, SIZE, 0);
    expect(memory != NULL, "there is shared virtual memory");
    check(clEnqueueSVMMemFill(setup.queue, memory, &zero, sizeof zero, SIZE, 0, NULL, NULL),
          "clEnqueueSVMMemFill");
    check(clFinish(setup.queue), "clFinish");
    check(clSetKernelArgSVMPointer(kernel, 0, memory), "clSetKernelArgSVMPointer");
    map_shared(memory, CL_MAP_WRITE);
    write_ten(memory);
    unmap_shared(memory);
    launch(kernel);
    map_shared(memory, CL_MAP_READ);
    printf("shared virtual memory: the host finds %d", memory[5]);
    unmap_shared(memory);
    check(clEnqueueSVMMemcpy(setup.queue, CL_TRUE, &device, memory + 5, 4, 0, NULL, NULL),
          "clEnqueueSVMMemcpy");
    printf(", the device has %d\n", device);
    clSVMFree(setup.context, memory);
}

int main(int argc, char **argv)
{
    cl_int status;
    maps = argc == 2 && strcmp(argv[1], "maps") == 0;
    setup_open(&setup);
    cl_program program = setup_build(&setup, source, "");
    cl_kernel kernel = clCreateKernel(program, "increment", &status);
    check(status, "clCreateKernel");
    use_host_pointer(kernel);
    use_shared_memory(kernel);
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
