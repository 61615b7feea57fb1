/* Values that correct devices may round differently, of types that have the program's own names,
 * and in an image whose channels stand for numbers from 0 to 1. With an argument: built without the
 * option by which a driver tells the types, and also in vectors of doubles, in local names of
 * half, and in structures with members of several types. */
#include "tests/replay/program.h"

static const char source[] =
    "typedef struct { float real; float imaginary; } complex;\n"
    "__kernel void grow(__global complex *result) {\n"
    "    const float x = get_global_id(0) * 0.001f;\n"
    "    result[get_global_id(0)].real = exp(x);\n"
    "    result[get_global_id(0)].imaginary = x;\n"
    "}\n"
    "__kernel void fractions(__write_only image2d_t image) {\n"
    "    const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    const float power = exp(8 + 0.00001f * (at.x + 256 * at.y));\n"
    "    write_imagef(image, at, (float4)(fabs(2 * (power - floor(power)) - 1), 0, 0, 1));\n"
    "}\n"
    "#ifdef MORE\n"
    "typedef double wide; typedef wide wide2 __attribute__((ext_vector_type(2)));\n"
    "typedef struct { float value; int index; } mixed;\n"
    "__kernel void more(__global wide2 *d, __global half *h, __global mixed *m) {\n"
    "    const int i = get_global_id(0);\n"
    "    d[i] = exp((wide2)(i * 0.01, i * 0.02));\n"
    "    vstore_half(exp(i * 0.001f), i, h);\n"
    "    m[i].value = exp(i * 0.01f);\n"
    "    m[i].index = i;\n"
    "}\n"
    "#endif\n";

enum { COUNT = 8192, SIDE = 256 };

static void grow(const struct setup *setup, cl_program program)
{
    const size_t global_size = COUNT;
    static float result[COUNT][2];
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "grow", &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(setup->context, CL_MEM_READ_WRITE, sizeof result, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 1, NULL, &global_size, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(
        clEnqueueReadBuffer(setup->queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    expect(result[0][0] == 1 && result[COUNT - 1][0] > 3500 && result[COUNT - 1][0] < 3650,
           "powers of e");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

static void fractions(const struct setup *setup, cl_program program)
{
    const cl_image_format format = {CL_R, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    const size_t origin[3] = {0}, region[3] = {SIDE, SIDE, 1};
    static cl_uchar result[SIDE * SIDE];
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "fractions", &status);
    check(status, "clCreateKernel");
    cl_mem image = clCreateImage(setup->context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &status);
    check(status, "clCreateImage");
    check(clSetKernelArg(kernel, 0, sizeof image, &image), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 2, NULL, region, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadImage(setup->queue, image, CL_TRUE, origin, region, 0, 0, result, 0, NULL,
                             NULL),
          "clEnqueueReadImage");
    check(clReleaseMemObject(image), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

static void more(const struct setup *setup, cl_program program)
{
    enum { ITEMS = 1024 };
    static const size_t global_size = ITEMS, sizes[] = {16 * ITEMS, 2 * ITEMS, 8 * ITEMS};
    static cl_uchar result[16 * ITEMS];
    cl_mem buffers[3];
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "more", &status);
    check(status, "clCreateKernel");
    for (cl_uint i = 0; i < 3; ++i) {
        buffers[i] = clCreateBuffer(setup->context, CL_MEM_READ_WRITE, sizes[i], NULL, &status);
        check(status, "clCreateBuffer");
        check(clSetKernelArg(kernel, i, sizeof *buffers, &buffers[i]), "clSetKernelArg");
    }
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 1, NULL, &global_size, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    for (cl_uint i = 0; i < 3; ++i) {
        check(clEnqueueReadBuffer(setup->queue, buffers[i], CL_TRUE, 0, sizes[i], result, 0, NULL,
                                  NULL),
              "clEnqueueReadBuffer");
        check(clReleaseMemObject(buffers[i]), "clReleaseMemObject");
    }
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

int main(int argc, char **argv)
{
    struct setup setup;
    (void)argv;
    setup_open(&setup);
    cl_program program = setup_build(&setup, source, argc > 1 ? "-DMORE=1" : "");
    grow(&setup, program);
    fractions(&setup, program);
    if (argc > 1)
        more(&setup, program);
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
