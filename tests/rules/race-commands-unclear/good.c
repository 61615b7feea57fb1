/* The kernel is to read the buffer only, or the transfer waits for it. */
#include "tests/rules/program.h"

int main(void)
{
    static const char *source = "kernel void put(global int *to, global const int *from)"
                                "{ *to = *from; }";
    static char bytes[64];
    struct program program = program_begin();
    cl_int error;
    cl_event done;
    cl_command_queue other = clCreateCommandQueue(program.context, program.device, 0, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    cl_mem to = program_buffer(program.context);
    cl_mem from = clCreateBuffer(program.context, CL_MEM_READ_ONLY, 64, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    cl_program built = clCreateProgramWithSource(program.context, 1, &source, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clBuildProgram(built, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(built, "put", &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clSetKernelArg(kernel, 0, sizeof to, &to);
    clSetKernelArg(kernel, 1, sizeof from, &from);
    clEnqueueTask(program.queue, kernel, 0, NULL, &done);
    clFlush(program.queue);
    clEnqueueReadBuffer(other, from, CL_TRUE, 0, 64, bytes, 0, NULL, NULL);
    clEnqueueReadBuffer(other, to, CL_TRUE, 0, 64, bytes, 1, &done, NULL);
    clReleaseEvent(done);
    clReleaseKernel(kernel);
    clReleaseProgram(built);
    clReleaseMemObject(to);
    clReleaseMemObject(from);
    clReleaseCommandQueue(other);
    return program_end(&program);
}
