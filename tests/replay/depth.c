/* A depth image that is filled: its color is a single float, here the whole of an allocation. */
#include "tests/replay/program.h"

#include <stdlib.h>

enum { WIDTH = 6, HEIGHT = 4 };

int main(void)
{
    static const size_t origin[] = {0, 0, 0}, region[] = {WIDTH, HEIGHT, 1};
    const cl_image_format format = {CL_DEPTH, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    struct setup setup;
    cl_int status;
    float back[HEIGHT][WIDTH];
    setup_open(&setup);
    cl_mem image = clCreateImage(setup.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
    check(status, "clCreateImage");
    float *color = malloc(sizeof(*color));
    expect(color != NULL, "memory");
    *color = 0.25f;
    check(clEnqueueFillImage(setup.queue, image, color, origin, region, 0, NULL, NULL),
          "clEnqueueFillImage");
    free(color);
    check(
        clEnqueueReadImage(setup.queue, image, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL),
        "clEnqueueReadImage");
    expect(back[HEIGHT - 1][WIDTH - 1] == 0.25f, "the depth that was filled in");
    check(clReleaseMemObject(image), "clReleaseMemObject");
    setup_close(&setup);
    return 0;
}
