/* Images and samplers at the API: formats, making them, moving and mapping their texels. */
#include "tests/unit/icd/fixture.h"

static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8};

static cl_image_desc shape(cl_mem_object_type type, size_t width, size_t height, size_t depth,
                           size_t layers)
{
    return (cl_image_desc){.image_type = type,
                           .image_width = width,
                           .image_height = height,
                           .image_depth = depth,
                           .image_array_size = layers};
}

static cl_mem make(const struct fixture *fixture, const cl_image_format *format,
                   const cl_image_desc *desc)
{
    cl_int result;
    cl_mem image = clCreateImage(fixture->context, CL_MEM_READ_WRITE, format, desc, NULL, &result);
    CHECK(result);
    return image;
}

static cl_int refusal(const struct fixture *fixture, cl_mem_flags flags,
                      const cl_image_format *format, const cl_image_desc *desc, void *host_ptr)
{
    cl_int result = CL_SUCCESS;
    assert_null(clCreateImage(fixture->context, flags, format, desc, host_ptr, &result));
    return result;
}

static size_t image_size(cl_mem image, cl_image_info what)
{
    size_t value;
    CHECK(clGetImageInfo(image, what, sizeof(value), &value, NULL));
    return value;
}

/* ---- formats ---- */

static bool has_format(const struct fixture *fixture, cl_mem_flags flags, cl_mem_object_type type,
                       cl_channel_order order, cl_channel_type channel)
{
    cl_image_format formats[128];
    cl_uint count;
    CHECK(clGetSupportedImageFormats(fixture->context, flags, type, 128, formats, &count));
    assert_in_range(count, 1, 128);
    for (cl_uint i = 0; i < count; i++) {
        if (formats[i].image_channel_order == order &&
            formats[i].image_channel_data_type == channel)
            return true;
    }
    return false;
}

/* OpenCL API 3.0, 5.3.2.1: the minimum lists. */
static void required_formats_are_there(void **state)
{
    static const cl_channel_type types[] = {CL_UNORM_INT8,     CL_SIGNED_INT8,   CL_SIGNED_INT16,
                                            CL_SIGNED_INT32,   CL_UNSIGNED_INT8, CL_UNSIGNED_INT16,
                                            CL_UNSIGNED_INT32, CL_HALF_FLOAT,    CL_FLOAT};
    for (cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D; type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
         type++) {
        static const cl_mem_flags usages[] = {0, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY,
                                              CL_MEM_KERNEL_READ_AND_WRITE};
        for (int usage = 0; usage < 4; usage++) {
            for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
                assert_true(has_format(*state, usages[usage], type, CL_RGBA, types[i]));
                assert_true(has_format(*state, usages[usage], type, CL_R, types[i]));
            }
            assert_true(has_format(*state, usages[usage], type, CL_BGRA, CL_UNORM_INT8));
            assert_int_equal(has_format(*state, usages[usage], type, CL_sRGBA, CL_UNORM_INT8),
                             type != CL_MEM_OBJECT_IMAGE1D_BUFFER);
            assert_true(has_format(*state, usages[usage], type, CL_RGBA, CL_UNORM_INT16));
        }
    }
}

static void formats_depend_on_type(void **state)
{
    struct fixture *fixture = *state;
    assert_true(has_format(fixture, 0, CL_MEM_OBJECT_IMAGE2D, CL_DEPTH, CL_FLOAT));
    assert_true(has_format(fixture, 0, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_DEPTH, CL_FLOAT));
    assert_false(has_format(fixture, 0, CL_MEM_OBJECT_IMAGE3D, CL_DEPTH, CL_FLOAT));
    assert_true(has_format(fixture, 0, CL_MEM_OBJECT_IMAGE2D, CL_sRGBA, CL_UNORM_INT8));
    assert_false(has_format(fixture, 0, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_sRGBA, CL_UNORM_INT8));
    const cl_image_format depth = {CL_DEPTH, CL_FLOAT};
    const cl_image_desc cube = shape(CL_MEM_OBJECT_IMAGE3D, 4, 4, 4, 0);
    assert_int_equal(refusal(fixture, CL_MEM_READ_WRITE, &depth, &cube, NULL),
                     CL_IMAGE_FORMAT_NOT_SUPPORTED);
    cl_uint count;
    cl_image_format format;
    assert_int_equal(
        clGetSupportedImageFormats(fixture->context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count),
        CL_INVALID_VALUE);
    assert_int_equal(
        clGetSupportedImageFormats(fixture->context, 0, CL_MEM_OBJECT_IMAGE2D, 0, &format, &count),
        CL_INVALID_VALUE);
    assert_int_equal(clGetSupportedImageFormats(fixture->context,
                                                CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                                CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count),
                     CL_INVALID_VALUE);
    assert_int_equal(clGetSupportedImageFormats(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count),
                     CL_INVALID_CONTEXT);
}

/* ---- making images ---- */

static void queries_tell_the_layout(void **state)
{
    struct fixture *fixture = *state;
    const cl_image_desc cube = shape(CL_MEM_OBJECT_IMAGE3D, 5, 4, 3, 0);
    const cl_image_desc lines = shape(CL_MEM_OBJECT_IMAGE1D_ARRAY, 5, 0, 0, 7);
    const cl_image_desc square = shape(CL_MEM_OBJECT_IMAGE2D, 5, 4, 0, 0);
    cl_mem image = make(fixture, &rgba8, &cube);
    assert_int_equal(image_size(image, CL_IMAGE_ELEMENT_SIZE), 4);
    assert_int_equal(image_size(image, CL_IMAGE_ROW_PITCH), 20);
    assert_int_equal(image_size(image, CL_IMAGE_SLICE_PITCH), 80);
    assert_int_equal(image_size(image, CL_IMAGE_DEPTH), 3);
    assert_int_equal(image_size(image, CL_IMAGE_ARRAY_SIZE), 0);
    size_t size;
    CHECK(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof(size), &size, NULL));
    assert_int_equal(size, 240);
    CHECK(clReleaseMemObject(image));

    image = make(fixture, &rgba8, &lines);
    assert_int_equal(image_size(image, CL_IMAGE_HEIGHT), 0);
    assert_int_equal(image_size(image, CL_IMAGE_ARRAY_SIZE), 7);
    assert_int_equal(image_size(image, CL_IMAGE_SLICE_PITCH), 20);
    CHECK(clReleaseMemObject(image));

    image = make(fixture, &rgba8, &square);
    assert_int_equal(image_size(image, CL_IMAGE_SLICE_PITCH), 0);
    cl_mem_object_type type;
    CHECK(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_MEM_OBJECT_IMAGE2D);
    cl_image_format format;
    CHECK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof(format), &format, NULL));
    assert_memory_equal(&format, &rgba8, sizeof(format));
    assert_int_equal(clGetImageInfo(image, CL_IMAGE_FORMAT, 4, &format, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetImageInfo(image, CL_MEM_SIZE, 8, &size, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(image));
    cl_mem buffer = fixture_buffer(fixture, 64, NULL);
    assert_int_equal(clGetImageInfo(buffer, CL_IMAGE_WIDTH, 8, &size, NULL), CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(buffer));
}

static void descriptors_are_checked(void **state)
{
    struct fixture *fixture = *state;
    unsigned char bytes[4096] = {0};
    const cl_mem_flags use = CL_MEM_USE_HOST_PTR;
    const cl_image_format no_order = {CL_R - 1, CL_FLOAT}, no_pair = {CL_LUMINANCE, CL_SIGNED_INT8};
    const cl_image_desc square = shape(CL_MEM_OBJECT_IMAGE2D, 8, 8, 0, 0);
    assert_int_equal(refusal(fixture, 0, NULL, &square, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_int_equal(refusal(fixture, 0, &no_order, &square, NULL),
                     CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_int_equal(refusal(fixture, 0, &no_pair, &square, NULL),
                     CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_int_equal(refusal(fixture, 0, &rgba8, NULL, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    assert_int_equal(refusal(fixture, 1 << 20, &rgba8, &square, NULL), CL_INVALID_VALUE);
    assert_int_equal(refusal(fixture, 0, &rgba8, &square, bytes), CL_INVALID_HOST_PTR);
    assert_int_equal(refusal(fixture, use, &rgba8, &square, NULL), CL_INVALID_HOST_PTR);

    cl_image_desc wrong = shape(CL_MEM_OBJECT_BUFFER, 8, 8, 0, 0);
    assert_int_equal(refusal(fixture, 0, &rgba8, &wrong, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    wrong = square;
    wrong.num_mip_levels = 17;
    assert_int_equal(refusal(fixture, 0, &rgba8, &wrong, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    wrong = shape(CL_MEM_OBJECT_IMAGE2D, 0, 8, 0, 0);
    assert_int_equal(refusal(fixture, 0, &rgba8, &wrong, NULL), CL_INVALID_IMAGE_SIZE);
    wrong = shape(CL_MEM_OBJECT_IMAGE3D, 8, 8, 2049, 0);
    assert_int_equal(refusal(fixture, 0, &rgba8, &wrong, NULL), CL_INVALID_IMAGE_SIZE);
    wrong = shape(CL_MEM_OBJECT_IMAGE2D_ARRAY, 8, 8, 0, 0);
    assert_int_equal(refusal(fixture, 0, &rgba8, &wrong, NULL), CL_INVALID_IMAGE_SIZE);
    wrong = shape(CL_MEM_OBJECT_IMAGE1D_BUFFER, 8, 0, 0, 0);
    assert_int_equal(refusal(fixture, 0, &rgba8, &wrong, NULL), CL_INVALID_IMAGE_DESCRIPTOR);

    static const size_t pitches[] = {28, 33, SIZE_MAX - 3};
    for (int i = 0; i < 3; i++) {
        wrong = square;
        wrong.image_row_pitch = pitches[i];
        assert_int_equal(refusal(fixture, use, &rgba8, &wrong, bytes), CL_INVALID_IMAGE_DESCRIPTOR);
    }
    wrong.image_row_pitch = 64;
    assert_int_equal(refusal(fixture, 0, &rgba8, &wrong, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    wrong = shape(CL_MEM_OBJECT_IMAGE3D, 4, 4, 4, 0);
    wrong.image_slice_pitch = 72;
    assert_int_equal(refusal(fixture, use, &rgba8, &wrong, bytes), CL_INVALID_IMAGE_DESCRIPTOR);
    cl_int result = CL_SUCCESS;
    const cl_mem_properties property[] = {1, 2, 0};
    assert_null(
        clCreateImageWithProperties(fixture->context, property, 0, &rgba8, &square, NULL, &result));
    assert_int_equal(result, CL_INVALID_PROPERTY);
}

static void old_calls_make_images(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    unsigned char bytes[256] = {0};
    cl_mem image =
        clCreateImage2D(fixture->context, CL_MEM_COPY_HOST_PTR, &rgba8, 4, 4, 20, bytes, &result);
    CHECK(result);
    assert_int_equal(image_size(image, CL_IMAGE_ROW_PITCH), 20);
    CHECK(clReleaseMemObject(image));
    assert_null(
        clCreateImage2D(fixture->context, CL_MEM_COPY_HOST_PTR, &rgba8, 4, 4, 12, bytes, &result));
    assert_int_equal(result, CL_INVALID_IMAGE_SIZE);
    assert_null(clCreateImage3D(fixture->context, 0, &rgba8, 4, 4, 1, 0, 0, NULL, &result));
    assert_int_equal(result, CL_INVALID_IMAGE_SIZE);
    image = clCreateImage3D(fixture->context, 0, &rgba8, 4, 4, 2, 0, 0, NULL, &result);
    CHECK(result);
    CHECK(clReleaseMemObject(image));
}

static void images_share_the_bytes_of_buffers(void **state)
{
    struct fixture *fixture = *state;
    unsigned char bytes[512], back[16];
    for (int i = 0; i < 512; i++)
        bytes[i] = (unsigned char)i;
    cl_mem buffer = fixture_buffer(fixture, 512, bytes);
    cl_image_desc desc = shape(CL_MEM_OBJECT_IMAGE2D, 4, 8, 0, 0);
    desc.image_row_pitch = 64;
    desc.mem_object = buffer;
    cl_mem image = make(fixture, &rgba8, &desc);
    const size_t origin[] = {1, 2, 0}, region[] = {2, 1, 1};
    CHECK(clEnqueueReadImage(fixture->queue, image, CL_TRUE, origin, region, 0, 0, back, 0, NULL,
                             NULL));
    assert_memory_equal(back, bytes + 2 * 64 + 4, 8);
    const unsigned char texels[8] = {9, 9, 9, 9, 8, 8, 8, 8};
    CHECK(clEnqueueWriteImage(fixture->queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL,
                              NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, buffer, CL_TRUE, 132, 8, back, 0, NULL, NULL));
    assert_memory_equal(back, texels, 8);
    cl_mem associated;
    CHECK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof(associated), &associated, NULL));
    assert_ptr_equal(associated, buffer);
    CHECK(clReleaseMemObject(image));

    desc.image_height = 9;
    assert_int_equal(refusal(fixture, 0, &rgba8, &desc, NULL), CL_INVALID_IMAGE_SIZE);
    desc.image_height = 8;
    assert_int_equal(refusal(fixture, CL_MEM_COPY_HOST_PTR, &rgba8, &desc, bytes),
                     CL_INVALID_VALUE);
    desc = shape(CL_MEM_OBJECT_IMAGE1D_BUFFER, 129, 0, 0, 0);
    desc.mem_object = buffer;
    assert_int_equal(refusal(fixture, 0, &rgba8, &desc, NULL), CL_INVALID_IMAGE_SIZE);
    desc.image_width = 100;
    desc.image_row_pitch = 512;
    image = make(fixture, &rgba8, &desc);
    assert_int_equal(image_size(image, CL_IMAGE_ROW_PITCH), 512);
    assert_int_equal(
        clEnqueueCopyImageToBuffer(fixture->queue, image, buffer, origin, region, 0, 0, NULL, NULL),
        CL_INVALID_VALUE);
    const size_t zero[] = {0, 0, 0};
    assert_int_equal(
        clEnqueueCopyImageToBuffer(fixture->queue, image, buffer, zero, region, 0, 0, NULL, NULL),
        CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(buffer));
}

static void images_of_buffers_inherit_flags(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_mem_flags flags;
    cl_mem buffer = clCreateBuffer(fixture->context, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 512,
                                   NULL, &result);
    CHECK(result);
    cl_image_desc desc = shape(CL_MEM_OBJECT_IMAGE1D_BUFFER, 128, 0, 0, 0);
    desc.mem_object = buffer;
    cl_mem image = clCreateImage(fixture->context, 0, &rgba8, &desc, NULL, &result);
    CHECK(result);
    CHECK(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    assert_int_equal(flags, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS);
    assert_int_equal(refusal(fixture, CL_MEM_READ_WRITE, &rgba8, &desc, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(buffer)); /* the image keeps its bytes */
    CHECK(clReleaseMemObject(image));
}

static void views_have_compatible_orders(void **state)
{
    struct fixture *fixture = *state;
    const cl_image_format unorm = {CL_RGBA, CL_UNORM_INT8}, srgb = {CL_sRGBA, CL_UNORM_INT8};
    const cl_image_format bgra = {CL_BGRA, CL_UNORM_INT8};
    cl_image_desc desc = shape(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0, 0);
    cl_int result;
    cl_mem image = make(fixture, &unorm, &desc);
    desc.mem_object = image;
    cl_mem view = clCreateImage(fixture->context, CL_MEM_READ_ONLY, &srgb, &desc, NULL, &result);
    CHECK(result);
    const unsigned char texel[4] = {1, 2, 3, 4};
    const size_t origin[] = {3, 3, 0}, region[] = {1, 1, 1};
    unsigned char back[4];
    CHECK(clEnqueueWriteImage(fixture->queue, image, CL_TRUE, origin, region, 0, 0, texel, 0, NULL,
                              NULL));
    CHECK(clEnqueueReadImage(fixture->queue, view, CL_TRUE, origin, region, 0, 0, back, 0, NULL,
                             NULL));
    assert_memory_equal(back, texel, 4);
    assert_int_equal(refusal(fixture, 0, &bgra, &desc, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    desc.image_width = 3;
    assert_int_equal(refusal(fixture, CL_MEM_READ_ONLY, &srgb, &desc, NULL),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK(clReleaseMemObject(view));
    CHECK(clReleaseMemObject(image));
}

/* ---- moving texels ---- */

enum { HOST_SIZE = 4096 };

static void pattern(unsigned char *bytes, unsigned seed)
{
    for (unsigned i = 0; i < HOST_SIZE; i++)
        bytes[i] = (unsigned char)((i + 1) * seed + (i >> 3));
}

static void host_pitches_are_kept(void **state)
{
    struct fixture *fixture = *state;
    unsigned char host[HOST_SIZE], back[HOST_SIZE] = {0}, expected[HOST_SIZE] = {0};
    pattern(host, 7);
    const cl_image_desc cube = shape(CL_MEM_OBJECT_IMAGE3D, 4, 3, 2, 0);
    cl_mem image = make(fixture, &rgba8, &cube);
    const size_t origin[] = {0, 0, 0}, region[] = {4, 3, 2};
    CHECK(clEnqueueWriteImage(fixture->queue, image, CL_FALSE, origin, region, 20, 100, host, 0,
                              NULL, NULL));
    CHECK(clEnqueueReadImage(fixture->queue, image, CL_TRUE, origin, region, 24, 80, back, 0, NULL,
                             NULL));
    for (int z = 0; z < 2; z++) {
        for (int y = 0; y < 3; y++)
            memcpy(expected + z * 80 + y * 24, host + z * 100 + y * 20, 16);
    }
    assert_memory_equal(back, expected, HOST_SIZE);
    static const size_t wrong[][2] = {{12, 0}, {16, 40}, {SIZE_MAX, 0}};
    for (int i = 0; i < 3; i++)
        assert_int_equal(clEnqueueReadImage(fixture->queue, image, CL_TRUE, origin, region,
                                            wrong[i][0], wrong[i][1], back, 0, NULL, NULL),
                         CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(image));
}

static void layers_of_lines_are_a_slice_pitch_apart(void **state)
{
    struct fixture *fixture = *state;
    unsigned char host[HOST_SIZE], back[16];
    pattern(host, 11);
    cl_image_desc lines = shape(CL_MEM_OBJECT_IMAGE1D_ARRAY, 4, 0, 0, 5);
    lines.image_row_pitch = 20;
    lines.image_slice_pitch = 40;
    cl_int result;
    cl_mem image =
        clCreateImage(fixture->context, CL_MEM_COPY_HOST_PTR, &rgba8, &lines, host, &result);
    CHECK(result);
    const size_t origin[] = {1, 3, 0}, region[] = {2, 2, 1}, third[] = {0, 3, 0}, one[] = {4, 1, 1};
    CHECK(
        clEnqueueReadImage(fixture->queue, image, CL_TRUE, third, one, 0, 0, back, 0, NULL, NULL));
    assert_memory_equal(back, host + 3 * 40, 16);
    unsigned char two[64] = {0};
    CHECK(clEnqueueReadImage(fixture->queue, image, CL_TRUE, origin, region, 8, 32, two, 0, NULL,
                             NULL));
    assert_memory_equal(two, host + 3 * 40 + 4, 8);
    assert_memory_equal(two + 32, host + 4 * 40 + 4, 8);
    const size_t far[] = {0, 4, 0};
    assert_int_equal(
        clEnqueueReadImage(fixture->queue, image, CL_TRUE, far, region, 0, 0, back, 0, NULL, NULL),
        CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(image));
}

static void transfers_are_checked(void **state)
{
    struct fixture *fixture = *state;
    unsigned char bytes[64];
    const cl_image_desc square = shape(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0, 0);
    cl_int result;
    cl_mem image =
        clCreateImage(fixture->context, CL_MEM_HOST_WRITE_ONLY, &rgba8, &square, NULL, &result);
    CHECK(result);
    cl_mem buffer = fixture_buffer(fixture, 64, NULL);
    const size_t zero[] = {0, 0, 0}, all[] = {4, 4, 1}, deep[] = {4, 4, 2}, none[] = {4, 0, 1};
    assert_int_equal(
        clEnqueueReadImage(fixture->queue, image, CL_TRUE, zero, all, 0, 0, bytes, 0, NULL, NULL),
        CL_INVALID_OPERATION);
    assert_int_equal(
        clEnqueueReadImage(fixture->queue, buffer, CL_TRUE, zero, all, 0, 0, bytes, 0, NULL, NULL),
        CL_INVALID_MEM_OBJECT);
    assert_int_equal(
        clEnqueueReadBuffer(fixture->queue, image, CL_TRUE, 0, 4, bytes, 0, NULL, NULL),
        CL_INVALID_MEM_OBJECT);
    const size_t *wrong[][2] = {{NULL, all}, {zero, NULL}, {zero, deep}, {zero, none}, {all, all}};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(clEnqueueWriteImage(fixture->queue, image, CL_TRUE, wrong[i][0],
                                             wrong[i][1], 0, 0, bytes, 0, NULL, NULL),
                         CL_INVALID_VALUE);
    assert_int_equal(
        clEnqueueWriteImage(fixture->queue, image, CL_TRUE, zero, all, 0, 64, bytes, 0, NULL, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(
        clEnqueueWriteImage(fixture->queue, image, CL_TRUE, zero, all, 0, 0, NULL, 0, NULL, NULL),
        CL_INVALID_VALUE);
    CHECK(clEnqueueMigrateMemObjects(fixture->queue, 1, &image, 0, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(image));
}

static void copies_go_between_all_types(void **state)
{
    struct fixture *fixture = *state;
    unsigned char host[HOST_SIZE], back[16];
    pattern(host, 5);
    const cl_image_desc cube = shape(CL_MEM_OBJECT_IMAGE3D, 4, 4, 4, 0);
    const cl_image_desc lines = shape(CL_MEM_OBJECT_IMAGE1D_ARRAY, 8, 0, 0, 4);
    cl_mem from = make(fixture, &rgba8, &cube), to = make(fixture, &rgba8, &lines);
    cl_mem buffer = fixture_buffer(fixture, 64, NULL);
    const size_t zero[] = {0, 0, 0}, all[] = {4, 4, 4};
    const size_t source[] = {1, 2, 3}, target[] = {5, 1, 0}, region[] = {3, 2, 1};
    CHECK(clEnqueueWriteImage(fixture->queue, from, CL_TRUE, zero, all, 0, 0, host, 0, NULL, NULL));
    CHECK(clEnqueueCopyImage(fixture->queue, from, to, source, target, region, 0, NULL, NULL));
    CHECK(clEnqueueCopyImageToBuffer(fixture->queue, to, buffer, target, region, 8, 0, NULL, NULL));
    for (size_t y = 0; y < 2; y++) {
        CHECK(clEnqueueReadBuffer(fixture->queue, buffer, CL_TRUE, 8 + y * 12, 12, back, 0, NULL,
                                  NULL));
        assert_memory_equal(back, host + 3 * 64 + (2 + y) * 16 + 4, 12);
    }
    CHECK(clEnqueueCopyBufferToImage(fixture->queue, buffer, from, 8, zero, region, 0, NULL, NULL));
    const size_t row[] = {3, 1, 1}, second[] = {0, 1, 0};
    CHECK(
        clEnqueueReadImage(fixture->queue, from, CL_TRUE, second, row, 0, 0, back, 0, NULL, NULL));
    assert_memory_equal(back, host + 3 * 64 + 3 * 16 + 4, 12);

    const size_t half[] = {2, 4, 4}, beside[] = {2, 0, 0}, into[] = {1, 0, 0};
    CHECK(clEnqueueCopyImage(fixture->queue, from, from, zero, beside, half, 0, NULL, NULL));
    assert_int_equal(
        clEnqueueCopyImage(fixture->queue, from, from, zero, into, half, 0, NULL, NULL),
        CL_MEM_COPY_OVERLAP);
    assert_int_equal(
        clEnqueueCopyImageToBuffer(fixture->queue, from, buffer, zero, all, 0, 0, NULL, NULL),
        CL_INVALID_VALUE);
    const cl_image_format other = {CL_RGBA, CL_SIGNED_INT8};
    cl_mem different = make(fixture, &other, &cube);
    assert_int_equal(
        clEnqueueCopyImage(fixture->queue, from, different, zero, zero, all, 0, NULL, NULL),
        CL_IMAGE_FORMAT_MISMATCH);
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(different));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
}

static void fills_convert_the_color(void **state)
{
    struct fixture *fixture = *state;
    const cl_image_format bgra = {CL_BGRA, CL_UNORM_INT8}, depth = {CL_DEPTH, CL_FLOAT};
    const cl_image_desc square = shape(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0, 0);
    cl_mem image = make(fixture, &bgra, &square), deep = make(fixture, &depth, &square);
    const float color[4] = {1.0f, 0.5f, 0.0f, 2.0f}, half_deep = 0.5f;
    const unsigned char blue_first[4] = {0, 128, 255, 255};
    const size_t origin[] = {1, 1, 0}, region[] = {2, 3, 1}, one[] = {1, 1, 1}, last[] = {2, 3, 0};
    unsigned char back[4];
    float value;
    CHECK(clEnqueueFillImage(fixture->queue, image, color, origin, region, 0, NULL, NULL));
    CHECK(clEnqueueReadImage(fixture->queue, image, CL_TRUE, last, one, 0, 0, back, 0, NULL, NULL));
    assert_memory_equal(back, blue_first, 4);
    CHECK(clEnqueueFillImage(fixture->queue, deep, &half_deep, origin, region, 0, NULL, NULL));
    CHECK(
        clEnqueueReadImage(fixture->queue, deep, CL_TRUE, last, one, 0, 0, &value, 0, NULL, NULL));
    assert_true(value == 0.5f);
    assert_int_equal(clEnqueueFillImage(fixture->queue, image, NULL, origin, region, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillImage(fixture->queue, image, color, last, region, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(deep));
}

static cl_uint map_count(cl_mem mem)
{
    cl_uint count;
    CHECK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
    return count;
}

static void maps_show_the_bytes(void **state)
{
    struct fixture *fixture = *state;
    unsigned char host[HOST_SIZE], back[4];
    pattern(host, 3);
    cl_int result;
    size_t row, slice = 7;
    cl_image_desc square = shape(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0, 0);
    square.image_row_pitch = 24;
    cl_mem image =
        clCreateImage(fixture->context, CL_MEM_USE_HOST_PTR, &rgba8, &square, host, &result);
    CHECK(result);
    const size_t origin[] = {1, 2, 0}, region[] = {2, 2, 1}, one[] = {1, 1, 1};
    unsigned char *mapped =
        clEnqueueMapImage(fixture->queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin,
                          region, &row, &slice, 0, NULL, NULL, &result);
    CHECK(result);
    assert_ptr_equal(mapped, host + 2 * 24 + 4);
    assert_int_equal(row, 24);
    assert_int_equal(slice, 0);
    assert_int_equal(map_count(image), 1);
    mapped[0] = 77;
    CHECK(clEnqueueUnmapMemObject(fixture->queue, image, mapped, 0, NULL, NULL));
    CHECK(
        clEnqueueReadImage(fixture->queue, image, CL_TRUE, origin, one, 0, 0, back, 0, NULL, NULL));
    assert_int_equal(back[0], 77);
    assert_int_equal(map_count(image), 0);
    assert_int_equal(clEnqueueUnmapMemObject(fixture->queue, image, mapped, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(image));
}

static void maps_are_checked(void **state)
{
    struct fixture *fixture = *state;
    const cl_image_desc cube = shape(CL_MEM_OBJECT_IMAGE3D, 4, 4, 4, 0);
    cl_int result;
    cl_mem image =
        clCreateImage(fixture->context, CL_MEM_HOST_READ_ONLY, &rgba8, &cube, NULL, &result);
    CHECK(result);
    const size_t zero[] = {0, 0, 0}, all[] = {4, 4, 4}, large[] = {4, 5, 4};
    size_t row, slice;
    const struct {
        cl_map_flags flags;
        const size_t *origin, *region;
        size_t *row, *slice;
        cl_int result;
    } cases[] = {
        {CL_MAP_READ, zero, large, &row, &slice, CL_INVALID_VALUE},
        {CL_MAP_READ, NULL, all, &row, &slice, CL_INVALID_VALUE},
        {CL_MAP_READ, zero, all, NULL, &slice, CL_INVALID_VALUE},
        {CL_MAP_READ, zero, all, &row, NULL, CL_INVALID_VALUE},
        {1 << 9, zero, all, &row, &slice, CL_INVALID_VALUE},
        {CL_MAP_WRITE, zero, all, &row, &slice, CL_INVALID_OPERATION},
        {CL_MAP_WRITE_INVALIDATE_REGION, zero, all, &row, &slice, CL_INVALID_OPERATION},
        {CL_MAP_WRITE, zero, all, NULL, NULL, CL_INVALID_OPERATION},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_null(clEnqueueMapImage(fixture->queue, image, CL_TRUE, cases[i].flags,
                                      cases[i].origin, cases[i].region, cases[i].row,
                                      cases[i].slice, 0, NULL, NULL, &result));
        assert_int_equal(result, cases[i].result);
    }
    void *mapped = clEnqueueMapImage(fixture->queue, image, CL_TRUE, CL_MAP_READ, zero, all, &row,
                                     &slice, 0, NULL, NULL, &result);
    CHECK(result);
    assert_int_equal(row, 16);
    assert_int_equal(slice, 64);
    CHECK(clEnqueueUnmapMemObject(fixture->queue, image, mapped, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(image));
}

/* ---- samplers ---- */

static void samplers_remember_their_modes(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_addressing_mode addressing;
    cl_bool normalised;
    cl_filter_mode filter;
    cl_uint references;
    size_t size;
    const cl_sampler_properties properties[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    cl_sampler sampler = clCreateSamplerWithProperties(fixture->context, properties, &result);
    CHECK(result);
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof(addressing), &addressing,
                           NULL));
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof(normalised), &normalised,
                           NULL));
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof(filter), &filter, NULL));
    assert_int_equal(addressing, CL_ADDRESS_CLAMP);
    assert_int_equal(normalised, CL_TRUE);
    assert_int_equal(filter, CL_FILTER_LINEAR);
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &size));
    assert_int_equal(size, sizeof(properties));
    CHECK(clRetainSampler(sampler));
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof(references), &references,
                           NULL));
    assert_int_equal(references, 2);
    CHECK(clReleaseSampler(sampler));
    CHECK(clReleaseSampler(sampler));
    assert_int_equal(clReleaseSampler(sampler), CL_INVALID_SAMPLER);
    sampler =
        clCreateSampler(fixture->context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &result);
    CHECK(result);
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &size));
    assert_int_equal(size, 0);
    CHECK(clReleaseSampler(sampler));
}

static void samplers_are_checked(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    static const cl_sampler_properties wrong[][5] = {
        {CL_SAMPLER_FILTER_MODE, CL_ADDRESS_CLAMP, 0},
        {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_NONE - 1, 0},
        {CL_SAMPLER_NORMALIZED_COORDS, 2, 0},
        {CL_SAMPLER_CONTEXT, 1, 0},
        {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_null(clCreateSamplerWithProperties(fixture->context, wrong[i], &result));
        assert_int_equal(result, CL_INVALID_VALUE);
    }
    assert_null(clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &result));
    assert_int_equal(result, CL_INVALID_CONTEXT);
}

/* ---- kernels ---- */

static void arguments_are_checked(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_program program = fixture_program(
        fixture,
        "kernel void f(read_only image2d_t from, sampler_t sampler, write_only image1d_array_t "
        "to,\n"
        "              global int *numbers)\n"
        "{\n"
        "    numbers[0] = read_imagei(from, sampler, (int2)(-1, 1)).x;\n"
        "    write_imagei(to, (int2)(1, 2), read_imagei(from, sampler, (int2)(2, 1)));\n"
        "}\n",
        NULL);
    cl_kernel kernel = fixture_kernel(program, "f");
    const cl_image_format format = {CL_RGBA, CL_SIGNED_INT32};
    const cl_image_desc square = shape(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0, 0);
    const cl_image_desc lines = shape(CL_MEM_OBJECT_IMAGE1D_ARRAY, 4, 0, 0, 4);
    cl_mem from = make(fixture, &format, &square), to = make(fixture, &format, &lines);
    cl_mem buffer = fixture_buffer(fixture, 64, NULL), none = NULL;
    cl_mem unreadable =
        clCreateImage(fixture->context, CL_MEM_WRITE_ONLY, &format, &square, NULL, &result);
    CHECK(result);
    cl_sampler sampler = clCreateSampler(fixture->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
                                         CL_FILTER_NEAREST, &result);
    CHECK(result);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof(from), NULL), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof(none), &none), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 0, 4, &from), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof(to), &to), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof(unreadable), &unreadable),
                     CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof(sampler), NULL), CL_INVALID_SAMPLER);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof(from), &from), CL_INVALID_SAMPLER);
    assert_int_equal(clSetKernelArg(kernel, 1, 4, &sampler), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(kernel, 3, sizeof(to), &to), CL_INVALID_MEM_OBJECT);
    CHECK(clSetKernelArg(kernel, 0, sizeof(from), &from));
    CHECK(clSetKernelArg(kernel, 1, sizeof(sampler), &sampler));
    CHECK(clSetKernelArg(kernel, 2, sizeof(to), &to));
    CHECK(clSetKernelArg(kernel, 3, sizeof(buffer), &buffer));
    CHECK(clReleaseSampler(sampler)); /* its modes are in the kernel by now */

    const size_t zero[] = {0, 0, 0}, all[] = {4, 4, 1}, at[] = {1, 2, 0}, one[] = {1, 1, 1};
    const size_t items = 1;
    cl_int texels[4][4][4], texel[4], number;
    for (int i = 0; i < 64; i++)
        texels[i / 16][i / 4 % 4][i % 4] = i * i;
    CHECK(clEnqueueWriteImage(fixture->queue, from, CL_FALSE, zero, all, 0, 0, texels, 0, NULL,
                              NULL));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadImage(fixture->queue, to, CL_TRUE, at, one, 0, 0, texel, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, buffer, CL_TRUE, 0, 4, &number, 0, NULL, NULL));
    assert_memory_equal(texel, texels[1][2], sizeof(texel));
    assert_int_equal(number, texels[1][0][0]);
    CHECK(clReleaseMemObject(unreadable));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void depth_arguments_take_depth_images_only(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(
        fixture,
        "kernel void f(read_only image2d_depth_t a, read_only image2d_t b, global float *sum)\n"
        "{\n"
        "    const sampler_t nearest = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "    sum[0] = read_imagef(a, (int2)(1, 1)) + read_imagef(b, nearest, (int2)(2, 3)).x;\n"
        "}\n",
        "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "f");
    const cl_image_format red = {CL_R, CL_FLOAT}, depth = {CL_DEPTH, CL_FLOAT};
    const cl_image_desc square = shape(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0, 0);
    const cl_image_desc array = shape(CL_MEM_OBJECT_IMAGE2D_ARRAY, 4, 4, 0, 2);
    cl_mem plain = make(fixture, &red, &square), deep = make(fixture, &depth, &square);
    cl_mem layers = make(fixture, &depth, &array), buffer = fixture_buffer(fixture, 64, NULL);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof(plain), &plain), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof(layers), &layers), CL_INVALID_MEM_OBJECT);
    CHECK(clSetKernelArg(kernel, 1, sizeof(plain), &plain));
    CHECK(clSetKernelArg(kernel, 0, sizeof(deep), &deep));
    CHECK(clSetKernelArg(kernel, 1, sizeof(deep), &deep));
    CHECK(clSetKernelArg(kernel, 2, sizeof(buffer), &buffer));
    const size_t origin[] = {0, 0, 0}, all[] = {4, 4, 1}, one = 1;
    const float value = 0.75f;
    float sum;
    CHECK(clEnqueueFillImage(fixture->queue, deep, &value, origin, all, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, buffer, CL_TRUE, 0, 4, &sum, 0, NULL, NULL));
    assert_true(sum == 1.5f);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(layers));
    CHECK(clReleaseMemObject(deep));
    CHECK(clReleaseMemObject(plain));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(required_formats_are_there),
        cmocka_unit_test(formats_depend_on_type),
        cmocka_unit_test(queries_tell_the_layout),
        cmocka_unit_test(descriptors_are_checked),
        cmocka_unit_test(old_calls_make_images),
        cmocka_unit_test(images_share_the_bytes_of_buffers),
        cmocka_unit_test(images_of_buffers_inherit_flags),
        cmocka_unit_test(views_have_compatible_orders),
        cmocka_unit_test(host_pitches_are_kept),
        cmocka_unit_test(layers_of_lines_are_a_slice_pitch_apart),
        cmocka_unit_test(transfers_are_checked),
        cmocka_unit_test(copies_go_between_all_types),
        cmocka_unit_test(fills_convert_the_color),
        cmocka_unit_test(maps_show_the_bytes),
        cmocka_unit_test(maps_are_checked),
        cmocka_unit_test(samplers_remember_their_modes),
        cmocka_unit_test(samplers_are_checked),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(depth_arguments_take_depth_images_only),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
