/* Maps a buffer before it looks at its memory, or leaves what a kernel has written to another
 * kernel. */
#include "tests/rules/program.h"

static const char source[] = "kernel void answer(global int *out) { out[0] = 42; }\n"
                             "kernel void next(global int *out, global int *in) {\n"
                             "    out[0] = in[0] + 1;\n"
                             "}\n";

static cl_mem lend(const struct program *program, cl_int *numbers)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(program->context, CL_MEM_USE_HOST_PTR, 64, numbers, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return buffer;
}

int main(void)
{
    static cl_int numbers[2][16];
    const size_t one = 1;
    struct program program = program_begin();
    cl_mem first = lend(&program, numbers[0]);
    cl_mem second = lend(&program, numbers[1]);
    cl_int error;
    cl_kernel answer = program_kernel(&program, source, "answer");
    cl_kernel next = program_kernel(&program, source, "next");
    clSetKernelArg(answer, 0, sizeof first, &first);
    clSetKernelArg(next, 0, sizeof second, &second);
    clSetKernelArg(next, 1, sizeof first, &first);
    clEnqueueNDRangeKernel(program.queue, answer, 1, NULL, &one, NULL, 0, NULL, NULL);
    clEnqueueNDRangeKernel(program.queue, next, 1, NULL, &one, NULL, 0, NULL, NULL);
    void *map = clEnqueueMapBuffer(program.queue, second, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL,
                                   NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS && map == numbers[1]);
    printf("%d\n", numbers[1][0]);
    clEnqueueUnmapMemObject(program.queue, second, map, 0, NULL, NULL);
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    clReleaseKernel(answer);
    clReleaseKernel(next);
    return program_end(&program);
}
