/* Levels of mipmapped images, written, copied, mapped and read. The origin in an array of 2D images
 * or in a 3D image has a fourth element then (OpenCL API 3.0, 5.3.7). */
#include "tests/replay/program.h"

enum { SIZE = 8, DEPTH = 4, LEVELS = 3, TEXELS = SIZE * SIZE * DEPTH };

static void use_levels(const struct setup *setup, cl_mem_object_type type)
{
    const size_t level = type == CL_MEM_OBJECT_IMAGE2D ? 2 : 3;
    const bool is_3d = type == CL_MEM_OBJECT_IMAGE3D;
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = type,
                                .image_width = SIZE,
                                .image_height = SIZE,
                                .image_depth = is_3d ? DEPTH : 0,
                                .image_array_size = DEPTH,
                                .num_mip_levels = LEVELS};
    unsigned char texels[TEXELS], back[TEXELS];
    size_t row, slice;
    cl_int status;
    cl_mem image = clCreateImage(setup->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
    check(status, "clCreateImage");
    for (size_t l = 0; l < LEVELS; l++) {
        size_t origin[4] = {0}, region[3] = {SIZE >> l, SIZE >> l, is_3d ? DEPTH >> l : 1};
        origin[level] = l;
        for (int i = 0; i < TEXELS; i++)
            texels[i] = (unsigned char)(50 * l + (size_t)i % 50);
        check(clEnqueueWriteImage(setup->queue, image, CL_TRUE, origin, region, 0, 0, texels, 0,
                                  NULL, NULL),
              "clEnqueueWriteImage");
    }
    size_t second[4] = {0}, third[4] = {0}, region[3] = {2, 2, 1};
    second[level] = 1;
    third[level] = 2;
    check(clEnqueueCopyImage(setup->queue, image, image, third, second, region, 0, NULL, NULL),
          "clEnqueueCopyImage");
    unsigned char *mapped =
        clEnqueueMapImage(setup->queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, second, region,
                          &row, &slice, 0, NULL, NULL, &status);
    check(status, "clEnqueueMapImage");
    expect(mapped[0] == 100, "what was copied");
    mapped[1] = 77;
    check(clEnqueueUnmapMemObject(setup->queue, image, mapped, 0, NULL, NULL),
          "clEnqueueUnmapMemObject");
    check(
        clEnqueueReadImage(setup->queue, image, CL_TRUE, second, region, 0, 0, back, 0, NULL, NULL),
        "clEnqueueReadImage");
    expect(back[0] == 100 && back[1] == 77, "what the second level holds");
    check(clReleaseMemObject(image), "clReleaseMemObject");
}

int main(void)
{
    struct setup setup;
    setup_open(&setup);
    use_levels(&setup, CL_MEM_OBJECT_IMAGE2D);
    use_levels(&setup, CL_MEM_OBJECT_IMAGE2D_ARRAY);
    use_levels(&setup, CL_MEM_OBJECT_IMAGE3D);
    setup_close(&setup);
    return 0;
}
