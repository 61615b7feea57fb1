/* Passes two images to a kernel that reads its first argument and writes its second. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    const char *source =
        "kernel void two_images(read_only image2d_t from, write_only image2d_t to)\n"
        "{ write_imagef(to, (int2)(0), read_imagef(from, (int2)(0))); }";
    const size_t items = 1;
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
    float texel[4] = {0};
    cl_int error;
    cl_program made = clCreateProgramWithSource(program.context, 1, &source, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clBuildProgram(made, 1, &program.device, "", NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(made, "two_images", &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    cl_mem images[2];
    for (int i = 0; i < 2; ++i) {
        images[i] = clCreateImage(program.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                  &format, &desc, texel, &error);
        PROGRAM_CHECK(error == CL_SUCCESS);
    }
    PROGRAM_CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &images[0]) == CL_SUCCESS);
    PROGRAM_CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &images[1]) == CL_SUCCESS);
    clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(images[0]);
    clReleaseMemObject(images[1]);
    clReleaseKernel(kernel);
    clReleaseProgram(made);
    return program_end(&program);
}
