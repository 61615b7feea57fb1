#include "layer/image.h"
#include "layer/region.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_span_ends_with_the_last_row(void **state)
{
    (void)state;
    const struct region region = {
        .row_size = 10, .rows = 3, .slices = 2, .row_pitch = 16, .slice_pitch = 100, .offset = 5};
    uint64_t size;
    assert_true(region_span(&region, &size));
    assert_int_equal(size, 100 + 2 * 16 + 10);
    const struct region linear = region_linear(NULL, 77);
    assert_true(region_span(&linear, &size));
    assert_int_equal(size, 77);
}

static void sizes_that_wrap_make_no_region(void **state)
{
    (void)state;
    uint64_t size;
    struct region region = region_linear(NULL, 16);
    region.rows = UINT64_MAX;
    assert_false(region_span(&region, &size));
    region = region_linear(NULL, 16);
    region.offset = UINT64_MAX - 3;
    assert_false(region_span(&region, &size));
    region.row_size = 0;
    assert_true(region_span(&region, &size));
    assert_int_equal(size, 0);
    region = region_linear((const void *)(INTPTR_MAX - 99), 16);
    region.offset = 80;
    assert_true(region_span(&region, &size));
    region.offset = 90;
    assert_false(region_span(&region, &size));
}

static void rows_that_overlap_make_no_region(void **state)
{
    (void)state;
    uint64_t size;
    struct region region = {
        .row_size = 10, .rows = 3, .slices = 2, .row_pitch = 9, .slice_pitch = 100};
    assert_false(region_span(&region, &size));
    region.row_pitch = 10;
    assert_true(region_span(&region, &size));
    region.slice_pitch = 29;
    assert_false(region_span(&region, &size));
    region.slices = 1;
    assert_true(region_span(&region, &size));
    region.rows = 1;
    region.row_pitch = 0;
    assert_true(region_span(&region, &size));
}

static void pixels_have_the_sizes_of_their_formats(void **state)
{
    (void)state;
    static const struct {
        cl_image_format format;
        uint64_t size;
    } formats[] = {
        {{CL_RGBA, CL_UNORM_INT8}, 4},
        {{CL_R, CL_FLOAT}, 4},
        {{CL_RG, CL_HALF_FLOAT}, 4},
        {{CL_RGBA, CL_FLOAT}, 16},
        {{CL_RGB, CL_UNORM_SHORT_565}, 2},
        {{CL_RGB, CL_UNORM_INT_101010}, 4},
        {{CL_DEPTH, CL_FLOAT}, 4},
        {{CL_BGRA, 0xffff}, 0},
        {{0, CL_FLOAT}, 0},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        assert_int_equal(image_pixel_size(&formats[i].format), formats[i].size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_ends_with_the_last_row),
        cmocka_unit_test(sizes_that_wrap_make_no_region),
        cmocka_unit_test(rows_that_overlap_make_no_region),
        cmocka_unit_test(pixels_have_the_sizes_of_their_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
