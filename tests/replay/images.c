/* Images: made from host memory with pitches, written, filled, copied, mapped, sampled by a kernel,
 * and read back. */
#include "tests/replay/program.h"

#include <string.h>

enum { WIDTH = 6, HEIGHT = 4, PITCH = 40, LAYERS = 3 };

static const char source[] =
    "kernel void turn(read_only image2d_t from, sampler_t sampler, write_only image2d_t to)\n"
    "{\n"
    "    const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    const int2 last = (int2)(get_global_size(0) - 1, get_global_size(1) - 1);\n"
    "    write_imageui(to, last - at, read_imageui(from, sampler, at) + 1u);\n"
    "}\n";

static const size_t origin[] = {0, 0, 0}, region[] = {WIDTH, HEIGHT, 1};

static cl_mem make(const struct setup *setup, cl_mem_flags flags, const cl_image_desc *desc,
                   void *bytes)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_int status;
    cl_mem image = clCreateImage(setup->context, flags, &format, desc, bytes, &status);
    check(status, "clCreateImage");
    return image;
}

static void turn(const struct setup *setup, cl_mem from, cl_mem to)
{
    const size_t size[] = {WIDTH, HEIGHT};
    cl_int status;
    cl_program program = setup_build(setup, source, NULL);
    cl_kernel kernel = clCreateKernel(program, "turn", &status);
    check(status, "clCreateKernel");
    cl_sampler sampler =
        clCreateSampler(setup->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
    check(status, "clCreateSampler");
    check(clSetKernelArg(kernel, 0, sizeof(from), &from), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof(sampler), &sampler), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof(to), &to), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clReleaseSampler(sampler), "clReleaseSampler");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
}

/* The first two texels of the first row, through a map. */
static void brighten(const struct setup *setup, cl_mem image)
{
    const size_t two[] = {2, 1, 1};
    size_t row;
    cl_int status;
    unsigned char *bytes =
        clEnqueueMapImage(setup->queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, two,
                          &row, NULL, 0, NULL, NULL, &status);
    check(status, "clEnqueueMapImage");
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bytes[i] + 100);
    check(clEnqueueUnmapMemObject(setup->queue, image, bytes, 0, NULL, NULL),
          "clEnqueueUnmapMemObject");
}

/* A line of the image to the last layer of an array of lines, and back through a buffer. */
static void use_lines(const struct setup *setup, cl_mem image, const unsigned char *expected)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                .image_width = WIDTH,
                                .image_array_size = LAYERS};
    const size_t last[] = {0, LAYERS - 1, 0}, line[] = {WIDTH, 1, 1}, all[] = {WIDTH, LAYERS, 1};
    const cl_uint color[4] = {1, 2, 3, 4};
    unsigned char back[4 * WIDTH];
    cl_int status;
    cl_mem lines = make(setup, CL_MEM_READ_WRITE, &desc, NULL);
    cl_mem buffer = clCreateBuffer(setup->context, CL_MEM_READ_WRITE, sizeof(back), NULL, &status);
    check(status, "clCreateBuffer");
    check(clEnqueueFillImage(setup->queue, lines, color, origin, all, 0, NULL, NULL),
          "clEnqueueFillImage");
    check(clEnqueueCopyImage(setup->queue, image, lines, origin, last, line, 0, NULL, NULL),
          "clEnqueueCopyImage");
    check(clEnqueueCopyImageToBuffer(setup->queue, lines, buffer, last, line, 0, 0, NULL, NULL),
          "clEnqueueCopyImageToBuffer");
    check(clEnqueueReadBuffer(setup->queue, buffer, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(memcmp(back, expected, sizeof(back)) == 0, "the line that was copied");
    check(clEnqueueReadImage(setup->queue, lines, CL_TRUE, origin, line, 0, 0, back, 0, NULL, NULL),
          "clEnqueueReadImage");
    expect(back[4] == 1 && back[7] == 4, "the color that was filled in");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseMemObject(lines), "clReleaseMemObject");
}

int main(void)
{
    struct setup setup;
    setup_open(&setup);
    cl_bool images = CL_FALSE;
    check(clGetDeviceInfo(setup.device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL),
          "clGetDeviceInfo");
    if (!images)
        return 77;
    unsigned char bytes[PITCH * HEIGHT], expected[HEIGHT][WIDTH * 4], back[HEIGHT][WIDTH * 4];
    for (int i = 0; i < PITCH * HEIGHT; i++)
        bytes[i] = (unsigned char)(i % 100);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH * 4; x++) {
            const int from = (HEIGHT - 1 - y) * PITCH + (WIDTH - 1 - x / 4) * 4 + x % 4;
            expected[y][x] = (unsigned char)(bytes[from] + 1);
        }
    }
    for (int x = 0; x < 8; x++)
        expected[0][x] = (unsigned char)(expected[0][x] + 100);
    cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_mem to = make(&setup, CL_MEM_WRITE_ONLY, &desc, NULL);
    desc.image_row_pitch = PITCH;
    cl_mem from = make(&setup, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &desc, bytes);
    turn(&setup, from, to);
    brighten(&setup, to);
    check(clEnqueueReadImage(setup.queue, to, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL),
          "clEnqueueReadImage");
    expect(memcmp(back, expected, sizeof(back)) == 0, "the image that was turned");
    use_lines(&setup, to, expected[0]);
    check(clReleaseMemObject(from), "clReleaseMemObject");
    check(clReleaseMemObject(to), "clReleaseMemObject");
    setup_close(&setup);
    return 0;
}
