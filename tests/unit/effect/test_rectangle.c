#include "trace/effect/rectangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_span_ends_with_the_last_row(void **state)
{
    (void)state;
    const struct rectangle rectangle = {
        .row_size = 10, .rows = 3, .slices = 2, .row_pitch = 16, .slice_pitch = 100, .first = 5};
    uint64_t size;
    assert_true(rectangle_span(&rectangle, &size));
    assert_int_equal(size, 100 + 2 * 16 + 10);
    const struct rectangle linear = rectangle_linear(0, 77);
    assert_true(rectangle_span(&linear, &size));
    assert_int_equal(size, 77);
}

static void sizes_that_wrap_make_no_rectangle(void **state)
{
    (void)state;
    uint64_t size;
    struct rectangle rectangle = rectangle_linear(0, 16);
    rectangle.rows = UINT64_MAX;
    assert_false(rectangle_span(&rectangle, &size));
    rectangle = rectangle_linear(UINT64_MAX - 3, 16);
    assert_false(rectangle_span(&rectangle, &size));
    rectangle.row_size = 0;
    assert_true(rectangle_span(&rectangle, &size));
    assert_int_equal(size, 0);
    rectangle = (struct rectangle){.row_size = 2, .rows = UINT64_MAX, .slices = 1};
    assert_false(rectangle_set_pitches(&rectangle, 0, 0));
    const uint64_t far[3] = {0, UINT64_MAX / 2, 0};
    rectangle = rectangle_linear(0, 16);
    assert_false(rectangle_move(&rectangle, far));
}

static void rows_that_overlap_make_no_rectangle(void **state)
{
    (void)state;
    uint64_t size;
    struct rectangle rectangle = {
        .row_size = 10, .rows = 3, .slices = 2, .row_pitch = 9, .slice_pitch = 100};
    assert_false(rectangle_span(&rectangle, &size));
    rectangle.row_pitch = 10;
    assert_true(rectangle_span(&rectangle, &size));
    rectangle.slice_pitch = 29;
    assert_false(rectangle_span(&rectangle, &size));
    rectangle.slices = 1;
    assert_true(rectangle_span(&rectangle, &size));
    rectangle.rows = 1;
    rectangle.row_pitch = 0;
    assert_true(rectangle_span(&rectangle, &size));
}

static void a_pitch_of_0_leaves_no_gap(void **state)
{
    (void)state;
    struct rectangle rectangle = {.row_size = 3, .rows = 2, .slices = 2};
    assert_true(rectangle_set_pitches(&rectangle, 0, 0));
    assert_int_equal(rectangle.row_pitch, 3);
    assert_int_equal(rectangle.slice_pitch, 6);
    assert_true(rectangle_is_packed(&rectangle));
    assert_true(rectangle_set_pitches(&rectangle, 4, 0));
    assert_int_equal(rectangle.slice_pitch, 8);
    assert_false(rectangle_is_packed(&rectangle));
}

/* Every byte is found again where it is, and no byte of a gap is. */
static void bytes_are_found_where_they_are(void **state)
{
    (void)state;
    const uint64_t origin[3] = {1, 1, 0};
    struct rectangle rectangle = {
        .first = 7, .row_size = 3, .rows = 2, .slices = 2, .row_pitch = 5, .slice_pitch = 20};
    uint64_t at[3];
    size_t found = 0;
    assert_true(rectangle_move(&rectangle, origin));
    assert_int_equal(rectangle.first, 7 + 1 + 5);
    for (uint64_t byte = 0; byte < 60; byte++) {
        if (!rectangle_find(&rectangle, byte, at))
            continue;
        assert_int_equal(rectangle_byte(&rectangle, at), byte);
        found++;
    }
    assert_int_equal(found, 3 * 2 * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_ends_with_the_last_row),
        cmocka_unit_test(sizes_that_wrap_make_no_rectangle),
        cmocka_unit_test(rows_that_overlap_make_no_rectangle),
        cmocka_unit_test(a_pitch_of_0_leaves_no_gap),
        cmocka_unit_test(bytes_are_found_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
