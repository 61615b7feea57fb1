/* Reading, writing, copying, filling, also of rectangles, against a model on the host. */
#include "tests/unit/icd/fixture.h"

enum { SIZE = 1024 };

static void pattern(unsigned char *bytes, unsigned seed)
{
    for (unsigned i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)((i + 1) * seed + (i >> 3));
}

static void read_all(const struct fixture *fixture, cl_mem mem, unsigned char *bytes)
{
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL));
}

static void copies_move_bytes(void **state)
{
    struct fixture *fixture = *state;
    unsigned char a[SIZE], b[SIZE], back[SIZE];
    pattern(a, 7);
    pattern(b, 13);
    cl_mem from = fixture_buffer(fixture, SIZE, a), to = fixture_buffer(fixture, SIZE, b);
    CHECK(clEnqueueCopyBuffer(fixture->queue, from, to, 10, 100, 300, 0, NULL, NULL));
    memcpy(b + 100, a + 10, 300);
    read_all(fixture, to, back);
    assert_memory_equal(back, b, SIZE);
    CHECK(clEnqueueCopyBuffer(fixture->queue, to, to, 0, 512, 512, 0, NULL, NULL));
    memcpy(b + 512, b, 512);
    read_all(fixture, to, back);
    assert_memory_equal(back, b, SIZE);
    assert_int_equal(clEnqueueCopyBuffer(fixture->queue, to, to, 0, 511, 512, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueCopyBuffer(fixture->queue, from, to, 1000, 0, 25, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
}

static void overlap_is_seen_through_sub_buffers(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_mem mem = fixture_buffer(fixture, SIZE, NULL);
    const cl_buffer_region left = {0, 256}, right = {128, 256};
    cl_mem a = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &left, &result);
    CHECK(result);
    cl_mem b = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &right, &result);
    CHECK(result);
    assert_int_equal(clEnqueueCopyBuffer(fixture->queue, a, b, 0, 0, 129, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    CHECK(clEnqueueCopyBuffer(fixture->queue, a, b, 0, 0, 128, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseMemObject(mem));
}

static void fills_repeat_the_pattern(void **state)
{
    struct fixture *fixture = *state;
    unsigned char model[SIZE], back[SIZE], element[128];
    for (size_t size = 1; size <= 128; size *= 2) {
        pattern(model, 3);
        cl_mem mem = fixture_buffer(fixture, SIZE, model);
        for (size_t i = 0; i < size; i++)
            element[i] = (unsigned char)(200 + i);
        CHECK(clEnqueueFillBuffer(fixture->queue, mem, element, size, size, SIZE - 2 * size, 0,
                                  NULL, NULL));
        for (size_t at = size; at < SIZE - size; at += size)
            memcpy(model + at, element, size);
        read_all(fixture, mem, back);
        assert_memory_equal(back, model, SIZE);
        CHECK(clReleaseMemObject(mem));
    }
}

static void fills_are_checked(void **state)
{
    struct fixture *fixture = *state;
    cl_mem mem = fixture_buffer(fixture, SIZE, NULL);
    const char element[256] = {0};
    const struct {
        size_t pattern_size, offset, size;
    } wrong[] = {{0, 0, 8}, {3, 0, 9}, {256, 0, 256}, {4, 2, 8}, {4, 0, 6}, {8, SIZE, 8}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(clEnqueueFillBuffer(fixture->queue, mem, element, wrong[i].pattern_size,
                                             wrong[i].offset, wrong[i].size, 0, NULL, NULL),
                         CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(mem));
}

static void rectangles_move_rows(void **state)
{
    struct fixture *fixture = *state;
    unsigned char device[SIZE], host[SIZE], model[SIZE], back[SIZE];
    pattern(device, 5);
    pattern(host, 11);
    cl_mem mem = fixture_buffer(fixture, SIZE, device);
    /* 6 by 3 by 2 bytes: rows of 16 and slices of 128 on the device, rows of 8 and slices of 40
     * here. */
    const size_t at_device[] = {4, 2, 1}, at_host[] = {1, 1, 2}, region[] = {6, 3, 2};
    memcpy(model, device, SIZE);
    for (size_t z = 0; z < 2; z++) {
        for (size_t y = 0; y < 3; y++)
            memcpy(model + (1 + z) * 128 + (2 + y) * 16 + 4, host + (2 + z) * 40 + (1 + y) * 8 + 1,
                   6);
    }
    CHECK(clEnqueueWriteBufferRect(fixture->queue, mem, CL_TRUE, at_device, at_host, region, 16,
                                   128, 8, 40, host, 0, NULL, NULL));
    read_all(fixture, mem, back);
    assert_memory_equal(back, model, SIZE);
    unsigned char read[SIZE] = {0}, expected[SIZE] = {0};
    for (size_t z = 0; z < 2; z++) {
        for (size_t y = 0; y < 3; y++)
            memcpy(expected + (2 + z) * 40 + (1 + y) * 8 + 1,
                   model + (1 + z) * 128 + (2 + y) * 16 + 4, 6);
    }
    CHECK(clEnqueueReadBufferRect(fixture->queue, mem, CL_TRUE, at_device, at_host, region, 16, 128,
                                  8, 40, read, 0, NULL, NULL));
    assert_memory_equal(read, expected, SIZE);
    CHECK(clReleaseMemObject(mem));
}

static void rectangle_pitches_default_to_the_region(void **state)
{
    struct fixture *fixture = *state;
    unsigned char host[24], back[SIZE];
    for (int i = 0; i < 24; i++)
        host[i] = (unsigned char)(i + 1);
    cl_mem mem = fixture_buffer(fixture, SIZE, NULL);
    const size_t zero[] = {0, 0, 0}, region[] = {4, 3, 2};
    CHECK(clEnqueueWriteBufferRect(fixture->queue, mem, CL_TRUE, zero, zero, region, 0, 0, 0, 0,
                                   host, 0, NULL, NULL));
    read_all(fixture, mem, back);
    assert_memory_equal(back, host, 24);
    CHECK(clReleaseMemObject(mem));
}

static cl_int copy_rect(const struct fixture *fixture, cl_mem mem, const size_t *from,
                        const size_t *to, const size_t *region, size_t row, size_t slice)
{
    return clEnqueueCopyBufferRect(fixture->queue, mem, mem, from, to, region, row, slice, row,
                                   slice, 0, NULL, NULL);
}

static void rectangle_copies_are_checked(void **state)
{
    struct fixture *fixture = *state;
    unsigned char bytes[SIZE], back[SIZE];
    pattern(bytes, 9);
    cl_mem mem = fixture_buffer(fixture, SIZE, bytes);
    const size_t origin[] = {0, 0, 0}, beside[] = {8, 0, 0}, into[] = {7, 3, 0};
    const size_t square[] = {8, 8, 1}, wide[] = {17, 8, 1}, none[] = {8, 0, 1};
    /* Interleaved but apart: the spans cross, the bytes do not. */
    CHECK(copy_rect(fixture, mem, origin, beside, square, 16, 0));
    for (size_t y = 0; y < 8; y++)
        memcpy(bytes + y * 16 + 8, bytes + y * 16, 8);
    read_all(fixture, mem, back);
    assert_memory_equal(back, bytes, SIZE);
    assert_int_equal(copy_rect(fixture, mem, origin, into, square, 16, 0), CL_MEM_COPY_OVERLAP);
    assert_int_equal(copy_rect(fixture, mem, origin, beside, wide, 16, 0), CL_INVALID_VALUE);
    assert_int_equal(copy_rect(fixture, mem, origin, beside, none, 16, 0), CL_INVALID_VALUE);
    assert_int_equal(copy_rect(fixture, mem, origin, beside, square, 16, 100), CL_INVALID_VALUE);
    const size_t far[] = {0, SIZE_MAX / 8, 0};
    assert_int_equal(copy_rect(fixture, mem, origin, far, square, 16, 0), CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(mem));
}

static void host_access_flags_are_kept(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    char bytes[8] = {0};
    cl_mem mem = clCreateBuffer(fixture->context, CL_MEM_HOST_NO_ACCESS, 64, NULL, &result);
    CHECK(result);
    assert_int_equal(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, 8, bytes, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueWriteBuffer(fixture->queue, mem, CL_TRUE, 0, 8, bytes, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    CHECK(clEnqueueFillBuffer(fixture->queue, mem, bytes, 8, 0, 64, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(mem));
}

static void transfers_are_checked(void **state)
{
    struct fixture *fixture = *state;
    char bytes[8] = {0};
    cl_mem mem = fixture_buffer(fixture, 64, NULL);
    assert_int_equal(
        clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, SIZE_MAX, 2, bytes, 0, NULL, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, 8, NULL, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, 8, bytes, 1, NULL, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);
    const cl_event wrong = (cl_event)mem;
    assert_int_equal(
        clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, 8, bytes, 1, &wrong, NULL),
        CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(clEnqueueReadBuffer(fixture->queue, (cl_mem)fixture->context, CL_TRUE, 0, 8,
                                         bytes, 0, NULL, NULL),
                     CL_INVALID_MEM_OBJECT);
    cl_int result;
    cl_context other = clCreateContext(NULL, 1, &fixture->device, NULL, NULL, &result);
    CHECK(result);
    cl_mem foreign = clCreateBuffer(other, 0, 64, NULL, &result);
    CHECK(result);
    assert_int_equal(
        clEnqueueReadBuffer(fixture->queue, foreign, CL_TRUE, 0, 8, bytes, 0, NULL, NULL),
        CL_INVALID_CONTEXT);
    CHECK(clEnqueueMigrateMemObjects(fixture->queue, 1, &mem, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL,
                                     NULL));
    assert_int_equal(clEnqueueMigrateMemObjects(fixture->queue, 1, &mem, 64, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(foreign));
    CHECK(clReleaseContext(other));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(mem));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_move_bytes),
        cmocka_unit_test(overlap_is_seen_through_sub_buffers),
        cmocka_unit_test(fills_repeat_the_pattern),
        cmocka_unit_test(fills_are_checked),
        cmocka_unit_test(rectangles_move_rows),
        cmocka_unit_test(rectangle_pitches_default_to_the_region),
        cmocka_unit_test(rectangle_copies_are_checked),
        cmocka_unit_test(host_access_flags_are_kept),
        cmocka_unit_test(transfers_are_checked),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
