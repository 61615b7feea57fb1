/* Mipmapped images: cl_khr_mipmap_image and cl_khr_mipmap_image_writes. What a level holds says
 * which it is, so that every texel tells where it was taken from. */
#include "checkers/sink.h"
#include "tests/unit/icd/fixture.h"

#include <float.h>

enum { LEVELS = 3, WIDTH = 9, HEIGHT = 5, DEPTH = 6, LAYERS = 2, TEXELS_MAX = 512 };

static const cl_image_format one_float = {CL_R, CL_FLOAT};

static const struct image_case {
    cl_mem_object_type type;
    const char *name, *position; /* in OpenCL C, of the middle */
    const char *integers;        /* the first texel */
    const char *gradient;        /* of one texel of the first level in each direction */
    bool has_rows, has_slices, has_layers;
} cases[] = {
    {CL_MEM_OBJECT_IMAGE1D, "image1d_t", "0.5f", "0", "1.0f / 9", false, false, false},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", "(float2)(0.5f, 1)", "(int2)(0, 1)",
     "1.0f / 9", false, false, true},
    {CL_MEM_OBJECT_IMAGE2D, "image2d_t", "(float2)(0.5f)", "(int2)(0)", "(float2)(1.0f / 9, 0)",
     true, false, false},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", "(float4)(0.5f, 0.5f, 1, 0)",
     "(int4)(0, 0, 1, 0)", "(float2)(1.0f / 9, 0)", true, false, true},
    {CL_MEM_OBJECT_IMAGE3D, "image3d_t", "(float4)(0.5f)", "(int4)(0)",
     "(float4)(1.0f / 9, 0, 0, 0)", true, true, false},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static cl_image_desc describe(const struct image_case *c, cl_uint levels)
{
    return (cl_image_desc){.image_type = c->type,
                           .image_width = WIDTH,
                           .image_height = c->has_rows ? HEIGHT : 0,
                           .image_depth = c->has_slices ? DEPTH : 0,
                           .image_array_size = c->has_layers ? LAYERS : 0,
                           .num_mip_levels = levels};
}

static cl_mem make(const struct fixture *fixture, const struct image_case *c,
                   const cl_image_format *format)
{
    const cl_image_desc desc = describe(c, LEVELS);
    cl_int result;
    cl_mem image = clCreateImage(fixture->context, CL_MEM_READ_WRITE, format, &desc, NULL, &result);
    CHECK(result);
    return image;
}

static size_t halved(size_t size, size_t level)
{
    return size >> level ? size >> level : 1;
}

/* All of a level: where it begins, with the level after its coordinates, and how large it is. */
struct box {
    size_t origin[4], region[3];
};

static struct box box_of(const struct image_case *c, size_t level)
{
    const bool lines = c->has_layers && !c->has_rows;
    struct box box = {.region = {halved(WIDTH, level), 1, 1}};
    if (c->has_rows)
        box.region[1] = halved(HEIGHT, level);
    if (lines)
        box.region[1] = LAYERS;
    else if (c->has_layers)
        box.region[2] = LAYERS;
    else if (c->has_slices)
        box.region[2] = halved(DEPTH, level);
    box.origin[c->has_slices || (c->has_rows && c->has_layers) ? 3
               : c->has_rows || c->has_layers                  ? 2
                                                               : 1] = level;
    return box;
}

static size_t texels_of(const struct box *box)
{
    return box->region[0] * box->region[1] * box->region[2];
}

static void write_level(const struct fixture *fixture, cl_mem image, const struct image_case *c,
                        size_t level, const void *texel, size_t texel_size)
{
    const struct box box = box_of(c, level);
    unsigned char bytes[TEXELS_MAX * sizeof(float)];
    assert_in_range(texels_of(&box), 1, TEXELS_MAX);
    for (size_t i = 0; i < texels_of(&box); i++)
        memcpy(bytes + i * texel_size, texel, texel_size);
    CHECK(clEnqueueWriteImage(fixture->queue, image, CL_TRUE, box.origin, box.region, 0, 0, bytes,
                              0, NULL, NULL));
}

static void expect_level(const struct fixture *fixture, cl_mem image, const struct image_case *c,
                         size_t level, float value)
{
    const struct box box = box_of(c, level);
    float texels[TEXELS_MAX];
    CHECK(clEnqueueReadImage(fixture->queue, image, CL_TRUE, box.origin, box.region, 0, 0, texels,
                             0, NULL, NULL));
    for (size_t i = 0; i < texels_of(&box); i++)
        assert_true(texels[i] == value);
}

/* Level l holds 10 * l + 1. */
static cl_mem make_filled(const struct fixture *fixture, const struct image_case *c)
{
    cl_mem image = make(fixture, c, &one_float);
    for (size_t level = 0; level < LEVELS; level++) {
        const float value = 10.0f * (float)level + 1;
        write_level(fixture, image, c, level, &value, sizeof(value));
    }
    return image;
}

/* ---- the host ---- */

static void levels_are_memory_of_their_own(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < CASES; i++) {
        const struct image_case *c = &cases[i];
        const struct box second = box_of(c, 1), third = box_of(c, 2);
        cl_mem image = make_filled(fixture, c), other = make_filled(fixture, c);
        cl_mem buffer = fixture_buffer(fixture, sizeof(float) * TEXELS_MAX, NULL);
        cl_uint levels;
        size_t row, slice;
        cl_int result;
        CHECK(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof(levels), &levels, NULL));
        assert_int_equal(levels, LEVELS);
        for (size_t level = 0; level < LEVELS; level++)
            expect_level(fixture, image, c, level, 10.0f * (float)level + 1);
        const float colour[4] = {7};
        CHECK(clEnqueueFillImage(fixture->queue, image, colour, second.origin, second.region, 0,
                                 NULL, NULL));
        expect_level(fixture, image, c, 0, 1);
        expect_level(fixture, image, c, 1, 7);
        expect_level(fixture, image, c, 2, 21);
        /* The whole of the third level to another place in the second of the same image. */
        CHECK(clEnqueueCopyImage(fixture->queue, other, image, third.origin, third.origin,
                                 third.region, 0, NULL, NULL));
        CHECK(clEnqueueCopyImage(fixture->queue, image, image, third.origin, second.origin,
                                 third.region, 0, NULL, NULL));
        float *mapped =
            clEnqueueMapImage(fixture->queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                              second.origin, second.region, &row, &slice, 0, NULL, NULL, &result);
        CHECK(result);
        assert_true(mapped[0] == 21);
        assert_true(mapped[second.region[0] - 1] == 7);
        mapped[0] = 8;
        CHECK(clEnqueueUnmapMemObject(fixture->queue, image, mapped, 0, NULL, NULL));
        CHECK(clEnqueueCopyImageToBuffer(fixture->queue, image, buffer, second.origin,
                                         second.region, 0, 0, NULL, NULL));
        CHECK(clEnqueueCopyBufferToImage(fixture->queue, buffer, other, 0, second.origin,
                                         second.region, 0, NULL, NULL));
        float texel;
        const size_t one[3] = {1, 1, 1};
        CHECK(clEnqueueReadImage(fixture->queue, other, CL_TRUE, second.origin, one, 0, 0, &texel,
                                 0, NULL, NULL));
        assert_true(texel == 8);
        expect_level(fixture, other, c, 0, 1);
        expect_level(fixture, other, c, 2, 21);
        CHECK(clReleaseMemObject(buffer));
        CHECK(clReleaseMemObject(image));
        CHECK(clReleaseMemObject(other));
    }
}

static cl_int refusal(const struct fixture *fixture, const cl_image_format *format,
                      const cl_image_desc *desc, cl_mem_flags flags, void *host)
{
    cl_int result = CL_SUCCESS;
    assert_null(clCreateImage(fixture->context, flags, format, desc, host, &result));
    return result;
}

static void what_cannot_be_is_refused(void **state)
{
    struct fixture *fixture = *state;
    static const cl_image_format depth = {CL_DEPTH, CL_FLOAT};
    float texels[TEXELS_MAX] = {0};
    for (size_t i = 0; i < CASES; i++) {
        const struct image_case *c = &cases[i];
        cl_image_desc desc = describe(c, 17);
        struct box box = box_of(c, LEVELS);
        cl_mem image = make(fixture, c, &one_float);
        assert_int_equal(refusal(fixture, &one_float, &desc, CL_MEM_READ_ONLY, NULL),
                         CL_INVALID_IMAGE_DESCRIPTOR);
        desc.num_mip_levels = LEVELS;
        assert_int_equal(
            refusal(fixture, &one_float, &desc, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, texels),
            CL_INVALID_HOST_PTR);
        assert_int_equal(clEnqueueReadImage(fixture->queue, image, CL_TRUE, box.origin, box.region,
                                            0, 0, texels, 0, NULL, NULL),
                         CL_INVALID_MIP_LEVEL);
        box = box_of(c, 1); /* the second level is not a larger */
        box.region[0]++;
        assert_int_equal(clEnqueueReadImage(fixture->queue, image, CL_TRUE, box.origin, box.region,
                                            0, 0, texels, 0, NULL, NULL),
                         CL_INVALID_VALUE);
        CHECK(clReleaseMemObject(image));
    }
    cl_image_desc desc = describe(&cases[2], LEVELS);
    assert_int_equal(refusal(fixture, &depth, &desc, CL_MEM_READ_ONLY, NULL),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    desc.num_mip_levels = 1; /* is not mipmapped */
    cl_int result;
    CHECK(clReleaseMemObject(
        clCreateImage(fixture->context, CL_MEM_READ_ONLY, &one_float, &desc, NULL, &result)));
    CHECK(result);
}

/* ---- samplers ---- */

static cl_sampler sampler_of(const struct fixture *fixture, cl_filter_mode mip_filter, float least,
                             float most)
{
    cl_int result;
    cl_uint bits[2];
    memcpy(&bits[0], &least, sizeof(least));
    memcpy(&bits[1], &most, sizeof(most));
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                CL_TRUE,
                                                CL_SAMPLER_ADDRESSING_MODE,
                                                CL_ADDRESS_CLAMP_TO_EDGE,
                                                CL_SAMPLER_FILTER_MODE,
                                                CL_FILTER_NEAREST,
                                                CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                                mip_filter,
                                                CL_SAMPLER_LOD_MIN_KHR,
                                                bits[0],
                                                CL_SAMPLER_LOD_MAX_KHR,
                                                bits[1],
                                                0};
    cl_sampler sampler = clCreateSamplerWithProperties(fixture->context, properties, &result);
    if (least > most)
        assert_int_equal(result, CL_INVALID_VALUE);
    else
        CHECK(result);
    return sampler;
}

static void samplers_tell_their_levels(void **state)
{
    struct fixture *fixture = *state;
    cl_filter_mode filter;
    float lod;
    cl_sampler sampler = sampler_of(fixture, CL_FILTER_LINEAR, 0.5f, 2.25f);
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_MIP_FILTER_MODE_KHR, sizeof(filter), &filter, NULL));
    assert_int_equal(filter, CL_FILTER_LINEAR);
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MIN_KHR, sizeof(lod), &lod, NULL));
    assert_true(lod == 0.5f);
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX_KHR, sizeof(lod), &lod, NULL));
    assert_true(lod == 2.25f);
    CHECK(clReleaseSampler(sampler));
    assert_null(sampler_of(fixture, CL_FILTER_NEAREST, 2, 1));
    cl_int result;
    sampler =
        clCreateSampler(fixture->context, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_LINEAR, &result);
    CHECK(result);
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_MIP_FILTER_MODE_KHR, sizeof(filter), &filter, NULL));
    assert_int_equal(filter, CL_FILTER_NEAREST);
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX_KHR, sizeof(lod), &lod, NULL));
    assert_true(lod == FLT_MAX);
    CHECK(clReleaseSampler(sampler));
}

/* ---- kernels ---- */

/* The levels of detail of work-items are 0, 1/4, 1/2 ... 15/4, of their gradients 1/2, 1, 2, 4 ...
 * texels. */
enum { ITEMS = 16 };

static cl_program program_for(const struct fixture *fixture, const struct image_case *c)
{
    char source[4096];
    snprintf(source, sizeof(source),
             "kernel void by_lod(read_only %s image, sampler_t sampler, global float *out)\n"
             "{\n"
             "    const int i = get_global_id(0);\n"
             "    out[i] = read_imagef(image, sampler, %s, i * 0.25f).x;\n"
             "}\n"
             "kernel void by_gradients(read_only %s image, sampler_t sampler, global float *out)\n"
             "{\n"
             "    const int i = get_global_id(0);\n"
             "    const float step = 0.5f * (1 << i %% 8);\n"
             "    out[i] = read_imagef(image, sampler, %s, (%s) * step, (%s) * 0.5f * step).x;\n"
             "}\n"
             "kernel void without(read_only %s image, sampler_t sampler, global float *out)\n"
             "{\n"
             "    out[get_global_id(0)] = read_imagef(image, sampler, %s).x + 1000 * "
             "read_imagef(image, %s).x;\n"
             "}\n"
             "kernel void count(read_only %s image, sampler_t sampler, global float *out)\n"
             "{\n"
             "    out[get_global_id(0)] = get_image_num_mip_levels(image) + 100 * "
             "get_image_width(image);\n"
             "}\n"
             "kernel void fill(write_only %s image, int level, float value)\n"
             "{\n"
             "    write_imagef(image, %s, level, (float4)(value));\n"
             "}\n",
             c->name, c->position, c->name, c->position, c->gradient, c->gradient, c->name,
             c->position, c->integers, c->name, c->name, c->integers);
    return fixture_program(fixture, source, "-cl-std=CL3.0");
}

static void sample(const struct fixture *fixture, cl_program program, const char *name,
                   cl_mem image, cl_sampler sampler, float out[ITEMS])
{
    const size_t items = ITEMS;
    cl_kernel kernel = fixture_kernel(program, name);
    cl_mem buffer = fixture_buffer(fixture, ITEMS * sizeof(float), NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof(image), &image));
    CHECK(clSetKernelArg(kernel, 1, sizeof(sampler), &sampler));
    CHECK(clSetKernelArg(kernel, 2, sizeof(buffer), &buffer));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, buffer, CL_TRUE, 0, ITEMS * sizeof(float), out, 0,
                              NULL, NULL));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
}

static void expect_items(const float out[ITEMS], const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (out[i] != expected[i])
            print_message("item %zu: %g, expected %g\n", i, (double)out[i], (double)expected[i]);
        assert_true(out[i] == expected[i]);
    }
}

/* OpenGL 4.6, 8.14.3: nearest is level 0 up to 1/2, then ceil(lod + 1/2) - 1, the last one at most;
 * linear mixes the levels below and above. */
static void levels_are_sampled(void **state)
{
    static const float nearest[ITEMS] = {1,  1,  1,  11, 11, 11, 11, 21,
                                         21, 21, 21, 21, 21, 21, 21, 21};
    static const float linear[ITEMS] = {1,  3.5f, 6,  8.5f, 11, 13.5f, 16, 18.5f,
                                        21, 21,   21, 21,   21, 21,    21, 21};
    static const float clamped[ITEMS] = {3.5f, 3.5f, 6,  8.5f, 11, 13.5f, 16, 16,
                                         16,   16,   16, 16,   16, 16,    16, 16};
    static const float texels[8] = {1, 1, 11, 21, 21, 21, 21, 21}; /* of 1/2, 1, 2, 4 ... */
    struct fixture *fixture = *state;
    float out[ITEMS];
    cl_sampler near = sampler_of(fixture, CL_FILTER_NEAREST, 0, FLT_MAX);
    cl_sampler mix = sampler_of(fixture, CL_FILTER_LINEAR, 0, 100);
    cl_sampler clamp = sampler_of(fixture, CL_FILTER_LINEAR, 0.25f, 1.5f);
    for (size_t i = 0; i < CASES; i++) {
        cl_mem image = make_filled(fixture, &cases[i]);
        cl_program program = program_for(fixture, &cases[i]);
        sample(fixture, program, "by_lod", image, near, out);
        expect_items(out, nearest, ITEMS);
        sample(fixture, program, "by_lod", image, mix, out);
        expect_items(out, linear, ITEMS);
        sample(fixture, program, "by_lod", image, clamp, out);
        expect_items(out, clamped, ITEMS);
        sample(fixture, program, "by_gradients", image, near, out);
        expect_items(out, texels, 8);
        sample(fixture, program, "without", image, near, out);
        assert_true(out[0] == 1001);
        sample(fixture, program, "count", image, near, out);
        assert_true(out[0] == LEVELS + 100 * WIDTH);
        CHECK(clReleaseProgram(program));
        CHECK(clReleaseMemObject(image));
    }
    CHECK(clReleaseSampler(near));
    CHECK(clReleaseSampler(mix));
    CHECK(clReleaseSampler(clamp));
}

/* Integers are not mixed: the nearest level is taken. Unlike neighbours show which texel it was. */
static void texels_of_other_formats_are_sampled(void **state)
{
    static const cl_image_format bytes = {CL_R, CL_UNSIGNED_INT8};
    static const char source[] =
        "kernel void by_lod(read_only image2d_t image, sampler_t sampler, global float *out)\n"
        "{\n"
        "    const int i = get_global_id(0);\n"
        "    out[i] = read_imageui(image, sampler, (float2)(0.5f, 0.5f), i * 0.25f).x;\n"
        "}\n";
    static const float expected[4] = {3, 3, 3, 6};
    struct fixture *fixture = *state;
    float out[ITEMS];
    cl_mem image = make(fixture, &cases[2], &bytes);
    cl_sampler mix = sampler_of(fixture, CL_FILTER_LINEAR, 0, 100);
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    for (size_t level = 0; level < LEVELS; level++) {
        const unsigned char value = (unsigned char)(3 * level + 3);
        write_level(fixture, image, &cases[2], level, &value, 1);
    }
    sample(fixture, program, "by_lod", image, mix, out);
    expect_items(out, expected, 4);
    assert_true(out[ITEMS - 1] == 9);
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseSampler(mix));
    CHECK(clReleaseMemObject(image));
}

/* ---- writes, and findings ---- */

typedef void finding_sink(void *user, const void *finding);
typedef int32_t set_sink(uint32_t version, finding_sink *sink, void *user);

static void count_finding(void *user, const void *finding)
{
    (void)finding;
    ++*(int *)user;
}

static void fill(const struct fixture *fixture, cl_program program, cl_mem image, int level,
                 float value, size_t items)
{
    cl_kernel kernel = fixture_kernel(program, "fill");
    CHECK(clSetKernelArg(kernel, 0, sizeof(image), &image));
    CHECK(clSetKernelArg(kernel, 1, sizeof(level), &level));
    CHECK(clSetKernelArg(kernel, 2, sizeof(value), &value));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseKernel(kernel));
}

static float first_texel(const struct fixture *fixture, cl_mem image, const struct image_case *c,
                         size_t level)
{
    static const size_t one[3] = {1, 1, 1};
    struct box box = box_of(c, level);
    float texel;
    if (c->has_layers)
        box.origin[c->has_rows ? 2 : 1] = 1;
    CHECK(clEnqueueReadImage(fixture->queue, image, CL_TRUE, box.origin, one, 0, 0, &texel, 0, NULL,
                             NULL));
    return texel;
}

static void levels_are_written(void **state)
{
    struct fixture *fixture = *state;
    int findings = 0;
    set_sink *sink;
    *(void **)&sink =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetFindingSinkCLERK");
    assert_int_equal(sink(SINK_VERSION, count_finding, &findings), CL_SUCCESS);
    for (size_t i = 0; i < CASES; i++) {
        const struct image_case *c = &cases[i];
        cl_mem image = make_filled(fixture, c);
        cl_program program = program_for(fixture, c);
        fill(fixture, program, image, 1, 5, 1);
        assert_true(first_texel(fixture, image, c, 0) == 1);
        assert_true(first_texel(fixture, image, c, 1) == 5);
        assert_true(first_texel(fixture, image, c, 2) == 21);
        assert_int_equal(findings, 0);
        fill(fixture, program, image, LEVELS, 6, 1); /* image-bounds */
        fill(fixture, program, image, -1, 6, 1);
        assert_int_equal(findings, 2);
        assert_true(first_texel(fixture, image, c, 2) == 21);
        fill(fixture, program, image, 2, 6, 2); /* race-global: two write one texel */
        assert_int_equal(findings, 3);
        findings = 0;
        CHECK(clReleaseProgram(program));
        CHECK(clReleaseMemObject(image));
    }
    assert_int_equal(sink(SINK_VERSION, NULL, NULL), CL_SUCCESS);
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_memory_of_their_own),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(samplers_tell_their_levels),
        cmocka_unit_test(levels_are_sampled),
        cmocka_unit_test(texels_of_other_formats_are_sampled),
        cmocka_unit_test(levels_are_written),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
