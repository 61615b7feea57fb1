#include "replay/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void set_list(struct api_call *call, uint32_t index, const uint64_t list[3])
{
    call->arguments[index] =
        (struct api_value){.kind = API_VALUE_SIZES, .present = true, .count = 3, .data = list};
}

static void plain_transfers_have_their_size(void **state)
{
    (void)state;
    struct api_call call = {.entry = API_ENTRY_clEnqueueWriteBuffer};
    uint64_t size = 0, offset = 0;
    call.arguments[API_clEnqueueWriteBuffer_ptr].present = true;
    call.arguments[API_clEnqueueWriteBuffer_size].bits = 100;
    call.arguments[API_clEnqueueWriteBuffer_offset].bits = 12;
    assert_true(replay_memory_size(&call, NULL, &size));
    assert_int_equal(size, 100);
    assert_true(replay_memory_offset(&call, 8, &offset));
    assert_int_equal(offset, 20);
    call.entry = API_ENTRY_clEnqueueMapBuffer;
    call.arguments[API_clEnqueueMapBuffer_offset].bits = 64;
    call.arguments[API_clEnqueueMapBuffer_size].bits = 100;
    assert_true(replay_memory_offset(&call, 1, &offset));
    assert_int_equal(offset, 65);
}

/* 3 x 2 bytes at (1,1) of a buffer of rows of 10, to (2,1) of host rows of 8. */
static struct api_call rectangle_call(void)
{
    static const uint64_t buffer_origin[3] = {1, 1, 0};
    static const uint64_t host_origin[3] = {2, 1, 0};
    static const uint64_t region[3] = {3, 2, 1};
    struct api_call call = {.entry = API_ENTRY_clEnqueueReadBufferRect};
    call.arguments[API_clEnqueueReadBufferRect_ptr].present = true;
    set_list(&call, API_clEnqueueReadBufferRect_buffer_origin, buffer_origin);
    set_list(&call, API_clEnqueueReadBufferRect_host_origin, host_origin);
    set_list(&call, API_clEnqueueReadBufferRect_region, region);
    call.arguments[API_clEnqueueReadBufferRect_buffer_row_pitch].bits = 10;
    call.arguments[API_clEnqueueReadBufferRect_host_row_pitch].bits = 8;
    return call;
}

static void rectangles_reach_to_their_last_row(void **state)
{
    (void)state;
    const struct api_call call = rectangle_call();
    uint64_t size = 0;
    assert_true(replay_memory_size(&call, NULL, &size));
    assert_int_equal(size, 8 + 8 + 2 + 3);
}

static void rectangles_translate_offsets(void **state)
{
    (void)state;
    const struct api_call call = rectangle_call();
    uint64_t offset = 0;
    assert_true(replay_memory_offset(&call, 8 + 2, &offset)); /* the first byte */
    assert_int_equal(offset, 10 + 1);
    assert_true(replay_memory_offset(&call, 16 + 4, &offset)); /* the last */
    assert_int_equal(offset, 20 + 3);
    assert_false(replay_memory_offset(&call, 9, &offset));  /* before it */
    assert_false(replay_memory_offset(&call, 13, &offset)); /* right of a row */
}

static void impossible_rectangles_are_refused(void **state)
{
    (void)state;
    struct api_call call = rectangle_call();
    uint64_t size = 0;
    call.arguments[API_clEnqueueReadBufferRect_host_row_pitch].bits = UINT64_MAX / 2;
    assert_false(replay_memory_size(&call, NULL, &size));
    const uint64_t huge[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    call = rectangle_call();
    set_list(&call, API_clEnqueueReadBufferRect_region, huge);
    assert_false(replay_memory_size(&call, NULL, &size));
    /* Lists that are missing count as zero: nothing is transferred. */
    memset(call.arguments, 0, sizeof call.arguments);
    assert_true(replay_memory_size(&call, NULL, &size));
    assert_int_equal(size, 0);
}

static void images_need_their_pixel_size(void **state)
{
    (void)state;
    const uint64_t region[3] = {4, 3, 1};
    const struct replay_object image = {.image = {.pixel_size = 4}};
    struct api_call call = {.entry = API_ENTRY_clEnqueueReadImage};
    const uint64_t origin[3] = {0};
    call.arguments[API_clEnqueueReadImage_ptr].present = true;
    set_list(&call, API_clEnqueueReadImage_origin, origin);
    uint64_t size = 0;
    set_list(&call, API_clEnqueueReadImage_region, region);
    assert_true(replay_memory_size(&call, &image, &size));
    assert_int_equal(size, 48);
    call.arguments[API_clEnqueueReadImage_row_pitch].bits = 32;
    assert_true(replay_memory_size(&call, &image, &size));
    assert_int_equal(size, 32 + 32 + 16);
    assert_false(replay_memory_size(&call, NULL, &size));
}

static void image_creation_reads_all_rows(void **state)
{
    (void)state;
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 5, .image_height = 7};
    struct api_call call = {.entry = API_ENTRY_clCreateImage};
    call.arguments[API_clCreateImage_host_ptr].present = true;
    call.arguments[API_clCreateImage_image_format] = (struct api_value){
        .kind = API_VALUE_BYTES, .present = true, .size = sizeof format, .data = &format};
    call.arguments[API_clCreateImage_image_desc] = (struct api_value){
        .kind = API_VALUE_BYTES, .present = true, .size = sizeof desc, .data = &desc};
    uint64_t size = 0;
    assert_true(replay_memory_size(&call, NULL, &size));
    assert_int_equal(size, 5 * 7 * 16);
    call.arguments[API_clCreateImage_image_desc].size = 3;
    assert_false(replay_memory_size(&call, NULL, &size));
}

static void other_calls_have_no_memory(void **state)
{
    (void)state;
    const struct api_call call = {.entry = API_ENTRY_clFinish};
    uint64_t size = 0;
    assert_false(replay_memory_size(&call, NULL, &size));
    assert_false(replay_memory_offset(&call, 0, &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_transfers_have_their_size),
        cmocka_unit_test(rectangles_reach_to_their_last_row),
        cmocka_unit_test(rectangles_translate_offsets),
        cmocka_unit_test(impossible_rectangles_are_refused),
        cmocka_unit_test(images_need_their_pixel_size),
        cmocka_unit_test(image_creation_reads_all_rows),
        cmocka_unit_test(other_calls_have_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
