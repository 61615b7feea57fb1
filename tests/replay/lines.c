/* An array of lines, written and read with a slice pitch: its lines are rows of the region, and
 * that pitch apart (OpenCL API 3.0, 5.3.3), in blocking calls and through a map. */
#include "tests/replay/program.h"

#include <string.h>

enum { WIDTH = 8, LINES = 3, LINE = 4 * WIDTH, PITCH = 64, NARROW = 40 };

int main(void)
{
    static const size_t origin[] = {0, 0, 0}, region[] = {WIDTH, LINES, 1};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = WIDTH, .image_array_size = LINES};
    unsigned char bytes[LINES * PITCH], back[LINES * PITCH];
    struct setup setup;
    cl_int status;
    size_t row, slice;
    setup_open(&setup);
    cl_mem image = clCreateImage(setup.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
    check(status, "clCreateImage");
    for (int i = 0; i < LINES * PITCH; i++)
        bytes[i] = (unsigned char)i;
    check(clEnqueueWriteImage(setup.queue, image, CL_TRUE, origin, region, 0, PITCH, bytes, 0, NULL,
                              NULL),
          "clEnqueueWriteImage");
    check(clEnqueueReadImage(setup.queue, image, CL_TRUE, origin, region, 0, NARROW, back, 0, NULL,
                             NULL),
          "clEnqueueReadImage");
    for (int line = 0; line < LINES; line++)
        expect(memcmp(back + line * NARROW, bytes + line * PITCH, LINE) == 0, "a line");
    unsigned char *mapped = clEnqueueMapImage(setup.queue, image, CL_TRUE, CL_MAP_WRITE, origin,
                                              region, &row, &slice, 0, NULL, NULL, &status);
    check(status, "clEnqueueMapImage");
    mapped[(LINES - 1) * slice] = 200;
    check(clEnqueueUnmapMemObject(setup.queue, image, mapped, 0, NULL, NULL),
          "clEnqueueUnmapMemObject");
    check(
        clEnqueueReadImage(setup.queue, image, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL),
        "clEnqueueReadImage");
    expect(back[(LINES - 1) * LINE] == 200, "what was written through the map");
    check(clReleaseMemObject(image), "clReleaseMemObject");
    setup_close(&setup);
    return 0;
}
