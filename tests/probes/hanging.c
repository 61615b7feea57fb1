/* A program that a signal ends while, or after, a kernel runs whose work-items wait for each other:
 * hanging CASE.
 *
 *   barriers   item 0 of a work-group is at one barrier, the others are at another; then item 0
 * waits in a loop for them loop       item 0 waits in a loop for the others, which is right where
 * each item goes on ended      a right kernel with a barrier in a branch; nobody waits for it
 *
 * A device that runs the items of a work-group one after the other never ends the first two. */
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 8, SECONDS = 5 };

static const char source[] = "kernel void barriers(global int *out)\n"
                             "{\n"
                             "    int i = get_local_id(0);\n"
                             "    if (i == 0) {\n"
                             "        while (atomic_add(out, 0) != 7) { }\n"
                             "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
                             "    } else {\n"
                             "        atomic_inc(out);\n"
                             "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
                             "    }\n"
                             "}\n"
                             "kernel void loop(global int *out)\n"
                             "{\n"
                             "    if (get_local_id(0) == 0)\n"
                             "        while (atomic_add(out, 0) != 7) { }\n"
                             "    else\n"
                             "        atomic_inc(out);\n"
                             "}\n"
                             "kernel void ended(global int *out)\n"
                             "{\n"
                             "    if (out[8] == 0)\n"
                             "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
                             "    out[get_local_id(0)] = 1;\n"
                             "}\n";

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status, zeros[ITEMS + 1] = {0};
    const size_t items = ITEMS;
    const char *text = source;
    if (argc != 2 || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 3;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return 3;
    cl_kernel kernel = clCreateKernel(program, argv[1], &status);
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &status);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL) != CL_SUCCESS)
        return 3;
    clFlush(queue);
    alarm(SECONDS);
    if (strcmp(argv[1], "ended") != 0)
        clFinish(queue);
    for (;;)
        pause();
}
