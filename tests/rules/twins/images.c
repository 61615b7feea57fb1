/* Twins about images and samplers. */
#include "tests/rules/twins/twins.h"

static char host[1024];
static const size_t origin[3] = {0, 0, 0};

static cl_mem make(const struct program *program, cl_channel_type channel,
                   const cl_image_desc *desc)
{
    const cl_image_format format = {CL_RGBA, channel};
    return clCreateImage(program->context, 0, &format, desc, NULL, NULL);
}

static cl_mem make_flat(const struct program *program, cl_channel_type channel, size_t height)
{
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = height};
    return make(program, channel, &desc);
}

static void image_size(const struct program *program, bool bad)
{
    twins_drop(bad, make_flat(program, CL_UNSIGNED_INT8, bad ? 0 : 8));
}

/* An image made from a buffer needs one. */
static void image_description(const struct program *program, bool bad)
{
    cl_mem buffer = program_buffer(program->context);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                .image_width = 8,
                                .mem_object = bad ? NULL : buffer};
    twins_drop(bad, make(program, CL_UNSIGNED_INT8, &desc));
    clReleaseMemObject(buffer);
}

/* An image of two dimensions has one slice. */
static void region_shape(const struct program *program, bool bad)
{
    const size_t region[3] = {8, 8, bad ? 2 : 1};
    cl_mem image = make_flat(program, CL_UNSIGNED_INT8, 8);
    PROGRAM_CHECK(image);
    twins_check(bad, clEnqueueWriteImage(program->queue, image, CL_TRUE, origin, region, 0, 0, host,
                                         0, NULL, NULL));
    clReleaseMemObject(image);
}

static void format_invalid(const struct program *program, bool bad)
{
    const size_t region[3] = {8, 8, 1};
    cl_mem from = make_flat(program, CL_UNSIGNED_INT8, 8);
    cl_mem to = make_flat(program, bad ? CL_FLOAT : CL_UNSIGNED_INT8, 8);
    PROGRAM_CHECK(from && to);
    PROGRAM_CHECK(clEnqueueWriteImage(program->queue, from, CL_TRUE, origin, region, 0, 0, host, 0,
                                      NULL, NULL) == CL_SUCCESS);
    twins_check(
        bad, clEnqueueCopyImage(program->queue, from, to, origin, origin, region, 0, NULL, NULL));
    clFinish(program->queue);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
}

static void value_invalid(const struct program *program, bool bad)
{
    cl_sampler sampler =
        clCreateSampler(program->context, CL_TRUE, bad ? CL_FILTER_NEAREST : CL_ADDRESS_REPEAT,
                        CL_FILTER_NEAREST, NULL);
    PROGRAM_CHECK(bad || sampler);
    if (sampler)
        clReleaseSampler(sampler);
}

static const struct twins twins[] = {
    {"image-size", image_size},       {"image-description", image_description},
    {"region-shape", region_shape},   {"format-invalid", format_invalid},
    {"value-invalid", value_invalid},
};

int main(int argc, char **argv)
{
    return twins_main(argc, argv, twins, sizeof twins / sizeof *twins);
}
