/* From words to values, without a driver. */
#include "layer/capture.h"
#include "layer/image.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define WORD(value) ((uint64_t)(value))

struct fixture {
    struct arena arena;
    struct readable readable;
    struct api_call call;
};

static void capture(struct fixture *fixture, uint32_t entry, const uint64_t *words)
{
    *fixture = (struct fixture){.call.entry = entry};
    capture_input(&fixture->call, words, &fixture->arena, &fixture->readable);
}

static void strings_follow_their_lengths(void **state)
{
    (void)state;
    struct fixture fixture;
    const char *strings[] = {"abcdef", "xyz"};
    const size_t lengths[] = {2, 0};
    const uint64_t words[] = {1, 2, WORD(strings), WORD(lengths), 0};
    static const char expected[] = "\2\0\0\0\0\0\0\0ab\3\0\0\0\0\0\0\0xyz";
    capture(&fixture, API_ENTRY_clCreateProgramWithSource, words);
    const struct api_value *value = &fixture.call.arguments[API_clCreateProgramWithSource_strings];
    assert_int_equal(value->kind, API_VALUE_STRINGS);
    assert_int_equal(value->count, 2);
    assert_int_equal(value->size, sizeof expected - 1);
    assert_memory_equal(value->data, expected, sizeof expected - 1);
    arena_release(&fixture.arena);
}

static void partitions_by_counts_end_twice(void **state)
{
    (void)state;
    struct fixture fixture;
    const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_COUNTS,          3, 1,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0, 77};
    const uint64_t words[] = {1, WORD(list), 0, 0, 0};
    capture(&fixture, API_ENTRY_clCreateSubDevices, words);
    const struct api_value *value = &fixture.call.arguments[API_clCreateSubDevices_properties];
    assert_int_equal(value->kind, API_VALUE_PROPERTIES);
    assert_int_equal(value->count, 5);
    arena_release(&fixture.arena);
}

static void lists_have_the_length_that_their_count_says(void **state)
{
    (void)state;
    struct fixture fixture;
    const size_t sizes[] = {64, 2, 9};
    const uint64_t events[] = {5, 6};
    const uint64_t words[] = {1, 2, 2, 0, WORD(sizes), 0, 2, WORD(events), 0};
    capture(&fixture, API_ENTRY_clEnqueueNDRangeKernel, words);
    const struct api_value *a = fixture.call.arguments;
    assert_int_equal(a[API_clEnqueueNDRangeKernel_global_work_size].count, 2);
    assert_memory_equal(a[API_clEnqueueNDRangeKernel_global_work_size].data, sizes, 16);
    assert_false(a[API_clEnqueueNDRangeKernel_local_work_size].present);
    assert_int_equal(a[API_clEnqueueNDRangeKernel_local_work_size].kind, API_VALUE_POINTER);
    assert_int_equal(a[API_clEnqueueNDRangeKernel_event_wait_list].kind, API_VALUE_HANDLES);
    assert_memory_equal(a[API_clEnqueueNDRangeKernel_event_wait_list].data, events, 16);
    arena_release(&fixture.arena);
}

static void create_image(struct fixture *fixture, cl_channel_order order, uint64_t image)
{
    const cl_image_format format = {order, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D};
    const uint64_t words[] = {1, 0, WORD(&format), WORD(&desc), 0, 0};
    capture(fixture, API_ENTRY_clCreateImage, words);
    capture_output(&fixture->call, words, image, &fixture->arena, &fixture->readable);
    image_note(&fixture->call);
    arena_release(&fixture->arena);
}

static uint64_t captured_color_size(struct fixture *fixture, uint64_t image)
{
    const float color[4] = {0.5f, 1, 2, 3};
    const size_t triple[3] = {1, 1, 1};
    const uint64_t words[] = {2, image, WORD(color), WORD(triple), WORD(triple), 0, 0, 0};
    capture(fixture, API_ENTRY_clEnqueueFillImage, words);
    const struct api_value *value = &fixture->call.arguments[API_clEnqueueFillImage_fill_color];
    assert_int_equal(value->kind, API_VALUE_BYTES);
    assert_memory_equal(value->data, color, value->size);
    const uint64_t size = value->size;
    arena_release(&fixture->arena);
    return size;
}

static void the_fill_color_of_a_depth_image_is_one_float(void **state)
{
    (void)state;
    struct fixture fixture;
    create_image(&fixture, CL_RGBA, 7);
    create_image(&fixture, CL_DEPTH, 8);
    create_image(&fixture, CL_DEPTH, 9);
    assert_int_equal(captured_color_size(&fixture, 7), 16);
    assert_int_equal(captured_color_size(&fixture, 8), 4);
    assert_int_equal(captured_color_size(&fixture, 9), 4);
    create_image(&fixture, CL_RGBA, 8); /* the handle names another image now */
    assert_int_equal(captured_color_size(&fixture, 8), 16);
    assert_int_equal(captured_color_size(&fixture, 9), 4);
    create_image(&fixture, CL_RGBA, 9);
}

static void a_signed_number_keeps_its_sign(void **state)
{
    (void)state;
    struct fixture fixture;
    const uint64_t words[] = {1, WORD((cl_int)-5)};
    capture(&fixture, API_ENTRY_clSetUserEventStatus, words);
    assert_int_equal((int64_t)fixture.call.arguments[1].bits, -5);
    arena_release(&fixture.arena);
}

static void an_answer_is_as_long_as_the_driver_says(void **state)
{
    (void)state;
    struct fixture fixture;
    char answer[100] = "name";
    struct capture_places places = {0};
    uint64_t words[] = {1, CL_DEVICE_NAME, sizeof answer, WORD(answer), 0};
    capture(&fixture, API_ENTRY_clGetDeviceInfo, words);
    capture_redirect(&fixture.call, words, &places);
    assert_ptr_equal((void *)words[API_clGetDeviceInfo_param_value_size_ret], &places.size);
    places.size = 5;
    capture_output(&fixture.call, words, CL_SUCCESS, &fixture.arena, &fixture.readable);
    assert_int_equal(fixture.call.arguments[API_clGetDeviceInfo_param_value].size, 5);
    arena_release(&fixture.arena);
}

static void a_question_for_nothing_stays_one(void **state)
{
    (void)state;
    struct fixture fixture;
    struct capture_places places = {0};
    uint64_t words[] = {0, 0, 0};
    capture(&fixture, API_ENTRY_clGetPlatformIDs, words);
    capture_redirect(&fixture.call, words, &places);
    assert_int_equal(words[API_clGetPlatformIDs_num_platforms], 0);
    arena_release(&fixture.arena);
}

static void a_failed_call_has_no_output_but_its_status(void **state)
{
    (void)state;
    struct fixture fixture;
    struct capture_places places = {.status = CL_OUT_OF_RESOURCES};
    cl_event event = (cl_event)0x77;
    uint64_t words[] = {1, 2, CL_TRUE, CL_MAP_READ, 0, 4, 0, 0, WORD(&event), 0};
    capture(&fixture, API_ENTRY_clEnqueueMapBuffer, words);
    capture_redirect(&fixture.call, words, &places);
    capture_output(&fixture.call, words, 0, &fixture.arena, &fixture.readable);
    assert_false(capture_succeeded(&fixture.call));
    const struct api_value *a = fixture.call.arguments;
    assert_int_equal(a[API_clEnqueueMapBuffer_event].kind, API_VALUE_POINTER);
    assert_int_equal(a[API_clEnqueueMapBuffer_errcode_ret].kind, API_VALUE_SIZES);
    assert_int_equal(*(const int64_t *)a[API_clEnqueueMapBuffer_errcode_ret].data,
                     CL_OUT_OF_RESOURCES);
    arena_release(&fixture.arena);
}

/* Whatever request fails, what could not be copied is an address. */
static void want_of_memory_leaves_addresses(void **state)
{
    (void)state;
    const char *string = "source";
    const uint64_t words[] = {1, 1, WORD(&string), 0, 0};
    struct fixture fixture;
    alloc_fail_at(1);
    capture(&fixture, API_ENTRY_clCreateProgramWithSource, words);
    alloc_fail_at(0);
    const struct api_value *value = &fixture.call.arguments[API_clCreateProgramWithSource_strings];
    assert_int_equal(value->kind, API_VALUE_POINTER);
    assert_int_equal(value->bits, WORD(&string));
    arena_release(&fixture.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_follow_their_lengths),
        cmocka_unit_test(partitions_by_counts_end_twice),
        cmocka_unit_test(lists_have_the_length_that_their_count_says),
        cmocka_unit_test(the_fill_color_of_a_depth_image_is_one_float),
        cmocka_unit_test(a_signed_number_keeps_its_sign),
        cmocka_unit_test(an_answer_is_as_long_as_the_driver_says),
        cmocka_unit_test(a_question_for_nothing_stays_one),
        cmocka_unit_test(a_failed_call_has_no_output_but_its_status),
        cmocka_unit_test(want_of_memory_leaves_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
