/* Reads another buffer. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    const size_t items = 1;
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4};
    cl_int error;
    cl_kernel kernel =
        program_kernel(&program,
                       "kernel void line(write_only image1d_buffer_t to, global const int *from)\n"
                       "{ write_imagef(to, 0, (float4)(from[0])); }",
                       "line");
    char bytes[64] = {0};
    cl_mem buffers[2];
    for (int i = 0; i < 2; ++i) {
        buffers[i] = clCreateBuffer(program.context, CL_MEM_COPY_HOST_PTR, 64, bytes, &error);
        PROGRAM_CHECK(error == CL_SUCCESS);
    }
    desc.mem_object = buffers[0];
    cl_mem image = clCreateImage(program.context, 0, &format, &desc, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &image) == CL_SUCCESS);
    PROGRAM_CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[1]) == CL_SUCCESS);
    clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(image);
    clReleaseMemObject(buffers[0]);
    clReleaseMemObject(buffers[1]);
    clReleaseKernel(kernel);
    return program_end(&program);
}
