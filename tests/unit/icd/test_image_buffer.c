/* Images in buffers, and what they need there. */
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

static size_t image_size(cl_mem image, cl_image_info what)
{
    size_t value;
    CHECK(clGetImageInfo(image, what, sizeof(value), &value, NULL));
    return value;
}

static cl_int ask(const struct fixture *fixture, const cl_image_format *format,
                  const cl_image_desc *desc, cl_image_requirements_info_ext what, size_t size,
                  void *value)
{
    const clGetImageRequirementsInfoEXT_fn requirements =
        (clGetImageRequirementsInfoEXT_fn)clGetExtensionFunctionAddressForPlatform(
            fixture->platform, "clGetImageRequirementsInfoEXT");
    assert_non_null(requirements);
    return requirements(fixture->context, NULL, CL_MEM_READ_WRITE, format, desc, what, size, value,
                        NULL);
}

static size_t requirement(const struct fixture *fixture, const cl_image_format *format,
                          const cl_image_desc *desc, cl_image_requirements_info_ext what)
{
    size_t value = 0;
    CHECK(ask(fixture, format, desc, what, sizeof(value), &value));
    return value;
}

static void requirements_are_what_images_need(void **state)
{
    const struct fixture *fixture = *state;
    const cl_image_desc volume = shape(CL_MEM_OBJECT_IMAGE3D, 5, 3, 2, 0);
    const cl_image_desc line = shape(CL_MEM_OBJECT_IMAGE1D, 5, 0, 0, 0);
    const cl_image_desc unknown = shape(0x1234, 5, 3, 2, 0);
    const cl_image_desc empty = shape(CL_MEM_OBJECT_IMAGE1D, 0, 0, 0, 0);
    cl_uint most, limit_2d;
    size_t limit, size;
    assert_int_equal(requirement(fixture, &rgba8, &volume, CL_IMAGE_REQUIREMENTS_SIZE_EXT), 120);
    assert_int_equal(
        requirement(fixture, &rgba8, &volume, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT), 4);
    assert_int_equal(
        requirement(fixture, NULL, NULL, CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT), 16);
    CHECK(ask(fixture, &rgba8, &line, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, 4, &most));
    CHECK(
        clGetDeviceInfo(fixture->device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(limit), &limit, NULL));
    assert_int_equal(most, limit);
    limit_2d = most;
    CHECK(ask(fixture, NULL, &volume, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, 4, &most));
    CHECK(
        clGetDeviceInfo(fixture->device, CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof(limit), &limit, NULL));
    assert_int_equal(most, limit);
    CHECK(ask(fixture, NULL, NULL, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, 4, &most));
    assert_true(most > 0 && most <= limit_2d);
    CHECK(ask(fixture, &rgba8, &empty, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, 4, &most));
    assert_int_equal(
        ask(fixture, &rgba8, &empty, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, 8, &size),
        CL_INVALID_IMAGE_DESCRIPTOR);
    assert_int_equal(ask(fixture, &rgba8, &line, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, 4, &most),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    assert_int_equal(
        ask(fixture, &rgba8, &volume, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, 4, &most),
        CL_INVALID_IMAGE_DESCRIPTOR);
    assert_int_equal(ask(fixture, NULL, &volume, CL_IMAGE_REQUIREMENTS_SIZE_EXT, 8, &size),
                     CL_INVALID_VALUE);
    assert_int_equal(ask(fixture, &rgba8, NULL, CL_IMAGE_REQUIREMENTS_SIZE_EXT, 8, &size),
                     CL_INVALID_VALUE);
    assert_int_equal(ask(fixture, &rgba8, &volume, CL_IMAGE_REQUIREMENTS_SIZE_EXT, 4, &size),
                     CL_INVALID_VALUE);
    assert_int_equal(ask(fixture, &rgba8, &volume, CL_DEVICE_NAME, 8, &size), CL_INVALID_VALUE);
    assert_int_equal(ask(fixture, &rgba8, &unknown, CL_IMAGE_REQUIREMENTS_SIZE_EXT, 8, &size),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    assert_int_equal(ask(fixture, &(cl_image_format){CL_RGB, CL_FLOAT}, &volume,
                         CL_IMAGE_REQUIREMENTS_SIZE_EXT, 8, &size),
                     CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
}

/* The texel at (1, 1) of slice 1 of each kind, found in the buffer's bytes. */
static void images_of_all_types_lie_in_buffers(void **state)
{
    const struct fixture *fixture = *state;
    static const struct {
        cl_mem_object_type type;
        size_t width, height, depth, layers, row_pitch, slice_pitch;
        size_t origin[3], place;
    } cases[] = {
        {CL_MEM_OBJECT_IMAGE1D, 4, 0, 0, 0, 0, 0, {1, 0, 0}, 4},
        {CL_MEM_OBJECT_IMAGE1D_ARRAY, 4, 0, 0, 2, 0, 32, {1, 1, 0}, 36},
        {CL_MEM_OBJECT_IMAGE2D, 4, 4, 0, 0, 20, 0, {1, 1, 0}, 24},
        {CL_MEM_OBJECT_IMAGE2D_ARRAY, 4, 2, 0, 2, 20, 60, {1, 1, 1}, 84},
        {CL_MEM_OBJECT_IMAGE3D, 4, 2, 2, 0, 0, 0, {1, 1, 1}, 52},
    };
    const size_t one[3] = {1, 1, 1};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cl_int result;
        uint8_t bytes[128] = {0};
        const uint8_t texel[4] = {1, 2, 3, (uint8_t)i};
        cl_mem buffer = fixture_buffer(fixture, sizeof(bytes), bytes);
        cl_image_desc desc =
            shape(cases[i].type, cases[i].width, cases[i].height, cases[i].depth, cases[i].layers);
        desc.image_row_pitch = cases[i].row_pitch;
        desc.image_slice_pitch = cases[i].slice_pitch;
        desc.mem_object = buffer;
        cl_mem image = make(fixture, &rgba8, &desc);
        cl_mem found;
        CHECK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(found), &found, NULL));
        assert_ptr_equal(found, buffer);
        if (cases[i].row_pitch != 0)
            assert_int_equal(image_size(image, CL_IMAGE_ROW_PITCH), cases[i].row_pitch);
        if (cases[i].slice_pitch != 0)
            assert_int_equal(image_size(image, CL_IMAGE_SLICE_PITCH), cases[i].slice_pitch);
        CHECK(clEnqueueWriteImage(fixture->queue, image, CL_TRUE, cases[i].origin, one, 0, 0, texel,
                                  0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(fixture->queue, buffer, CL_TRUE, 0, sizeof(bytes), bytes, 0, NULL,
                                  NULL));
        assert_memory_equal(bytes + cases[i].place, texel, sizeof(texel));
        CHECK(clReleaseMemObject(image));
        desc.image_row_pitch = 22;
        if (cases[i].height != 0) {
            clCreateImage(fixture->context, CL_MEM_READ_WRITE, &rgba8, &desc, NULL, &result);
            assert_int_equal(result, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        }
        CHECK(clReleaseMemObject(buffer));
    }
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requirements_are_what_images_need),
        cmocka_unit_test(images_of_all_types_lie_in_buffers),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
