/* Buffers, sub-buffers and maps. */
#include "tests/unit/icd/fixture.h"
#include "trace/api/foreign.h"

#include <unistd.h>

static cl_int create_error(const struct fixture *fixture, cl_mem_flags flags, size_t size,
                           void *ptr)
{
    cl_int result = CL_SUCCESS;
    cl_mem mem = clCreateBuffer(fixture->context, flags, size, ptr, &result);
    assert_true((mem == NULL) == (result != CL_SUCCESS));
    if (mem)
        CHECK(clReleaseMemObject(mem));
    return result;
}

static void flags_and_sizes_are_checked(void **state)
{
    struct fixture *fixture = *state;
    char bytes[64];
    assert_int_equal(create_error(fixture, 0, 64, NULL), CL_SUCCESS);
    assert_int_equal(create_error(fixture, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(create_error(fixture, (cl_mem_flags)1 << 40, 64, NULL), CL_INVALID_VALUE);
    assert_int_equal(create_error(fixture, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, bytes),
                     CL_INVALID_VALUE);
    assert_int_equal(create_error(fixture, CL_MEM_COPY_HOST_PTR, 64, NULL), CL_INVALID_HOST_PTR);
    assert_int_equal(create_error(fixture, CL_MEM_READ_WRITE, 64, bytes), CL_INVALID_HOST_PTR);
    assert_int_equal(create_error(fixture, 0, 0, NULL), CL_INVALID_BUFFER_SIZE);
    assert_int_equal(create_error(fixture, 0, SIZE_MAX, NULL), CL_INVALID_BUFFER_SIZE);
}

static void memory_is_limited(void **state)
{
    struct fixture *fixture = *state;
    cl_ulong most;
    CHECK(
        clGetDeviceInfo(fixture->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, NULL));
    assert_int_equal(create_error(fixture, 0, most + 1, NULL), CL_INVALID_BUFFER_SIZE);
}

static void copy_host_ptr_copies(void **state)
{
    struct fixture *fixture = *state;
    int bytes[4] = {1, 2, 3, 4}, back[4] = {0};
    cl_mem mem = fixture_buffer(fixture, sizeof(bytes), bytes);
    bytes[0] = 9;
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    assert_int_equal(back[0], 1);
    assert_int_equal(back[3], 4);
    CHECK(clReleaseMemObject(mem));
}

/* cl_ext_immutable_memory_objects */
static void immutable_buffers_are_read(void **state)
{
    const struct fixture *fixture = *state;
    const cl_mem_flags given = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR;
    const cl_buffer_region region = {0, 8};
    uint32_t bytes[4] = {1, 2, 3, 4}, found[4] = {0};
    cl_mem_flags flags;
    cl_int result;
    cl_mem buffer = clCreateBuffer(fixture->context, given, sizeof(bytes), bytes, &result);
    CHECK(result);
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    CHECK(result);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    assert_int_equal(flags, given);
    CHECK(clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    assert_int_equal(flags, given);
    CHECK(clEnqueueReadBuffer(fixture->queue, buffer, CL_TRUE, 0, sizeof(found), found, 0, NULL,
                              NULL));
    assert_memory_equal(found, bytes, sizeof(bytes));
    void *place = clEnqueueMapBuffer(fixture->queue, part, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL,
                                     NULL, &result);
    CHECK(result);
    assert_memory_equal(place, bytes, 8);
    CHECK(clEnqueueUnmapMemObject(fixture->queue, part, place, 0, NULL, NULL));
    assert_int_equal(
        clEnqueueWriteBuffer(fixture->queue, part, CL_TRUE, 0, 8, found, 0, NULL, NULL),
        CL_INVALID_OPERATION);
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(buffer));
}

static void use_host_ptr_is_the_applications_memory(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    int bytes[4] = {1, 2, 3, 4};
    const int seven = 7;
    cl_mem mem =
        clCreateBuffer(fixture->context, CL_MEM_USE_HOST_PTR, sizeof(bytes), bytes, &result);
    CHECK(result);
    CHECK(clEnqueueWriteBuffer(fixture->queue, mem, CL_TRUE, 4, 4, &seven, 0, NULL, NULL));
    int *mapped = clEnqueueMapBuffer(fixture->queue, mem, CL_TRUE, CL_MAP_READ, 0, sizeof(bytes), 0,
                                     NULL, NULL, &result);
    CHECK(result);
    assert_ptr_equal(mapped, bytes);
    assert_int_equal(bytes[1], 7);
    void *host;
    CHECK(clGetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof(host), &host, NULL));
    assert_ptr_equal(host, bytes);
    CHECK(clEnqueueUnmapMemObject(fixture->queue, mem, mapped, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(mem));
}

static void sub_buffer_shares_bytes(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    unsigned char bytes[512], back[FIXTURE_ALIGNMENT];
    for (int i = 0; i < 512; i++)
        bytes[i] = (unsigned char)i;
    cl_mem mem = fixture_buffer(fixture, sizeof(bytes), bytes);
    const cl_buffer_region region = {FIXTURE_ALIGNMENT, FIXTURE_ALIGNMENT};
    cl_mem sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    CHECK(result);
    const unsigned char mark = 0xee;
    CHECK(clEnqueueWriteBuffer(fixture->queue, mem, CL_TRUE, FIXTURE_ALIGNMENT + 3, 1, &mark, 0,
                               NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, sub, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    assert_int_equal(back[0], bytes[FIXTURE_ALIGNMENT]);
    assert_int_equal(back[3], 0xee);
    size_t offset;
    cl_mem parent;
    CHECK(clGetMemObjectInfo(sub, CL_MEM_OFFSET, sizeof(offset), &offset, NULL));
    CHECK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL));
    assert_int_equal(offset, FIXTURE_ALIGNMENT);
    assert_ptr_equal(parent, mem);
    assert_int_equal(
        clEnqueueReadBuffer(fixture->queue, sub, CL_TRUE, 1, sizeof(back), back, 0, NULL, NULL),
        CL_INVALID_VALUE);
    /* The parent lives as long as its part. */
    CHECK(clReleaseMemObject(mem));
    CHECK(clEnqueueReadBuffer(fixture->queue, sub, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    assert_int_equal(back[3], 0xee);
    CHECK(clReleaseMemObject(sub));
    assert_int_equal(clRetainMemObject(mem), CL_INVALID_MEM_OBJECT);
}

static void sub_buffers_are_checked(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_mem mem = clCreateBuffer(fixture->context, CL_MEM_READ_ONLY, 512, NULL, &result);
    CHECK(result);
    const struct {
        cl_buffer_region region;
        cl_mem_flags flags;
        cl_int expected;
    } cases[] = {
        {{0, 513}, 0, CL_INVALID_VALUE},
        {{SIZE_MAX, 2}, 0, CL_INVALID_VALUE},
        {{0, 0}, 0, CL_INVALID_BUFFER_SIZE},
        {{4, 8}, 0, CL_MISALIGNED_SUB_BUFFER_OFFSET},
        {{0, 8}, CL_MEM_WRITE_ONLY, CL_INVALID_VALUE},
        {{0, 8}, CL_MEM_COPY_HOST_PTR, CL_INVALID_VALUE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_null(clCreateSubBuffer(mem, cases[i].flags, CL_BUFFER_CREATE_TYPE_REGION,
                                      &cases[i].region, &result));
        assert_int_equal(result, cases[i].expected);
    }
    const cl_buffer_region whole = {0, 512};
    cl_mem sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &whole, &result);
    CHECK(result);
    cl_mem_flags flags;
    CHECK(clGetMemObjectInfo(sub, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    assert_int_equal(flags, CL_MEM_READ_ONLY);
    assert_null(clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &whole, &result));
    assert_int_equal(result, CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(sub));
    CHECK(clReleaseMemObject(mem));
}

static cl_uint map_count(cl_mem mem)
{
    cl_uint count;
    CHECK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
    return count;
}

static void maps_write_through_and_are_counted(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    int back[4];
    cl_mem mem = fixture_buffer(fixture, sizeof(back), NULL);
    int *first = clEnqueueMapBuffer(fixture->queue, mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                    sizeof(back), 0, NULL, NULL, &result);
    CHECK(result);
    int *second =
        clEnqueueMapBuffer(fixture->queue, mem, CL_TRUE, CL_MAP_READ, 4, 4, 0, NULL, NULL, &result);
    CHECK(result);
    assert_ptr_equal(second, first + 1);
    assert_int_equal(map_count(mem), 2);
    for (int i = 0; i < 4; i++)
        first[i] = i * i;
    CHECK(clEnqueueUnmapMemObject(fixture->queue, mem, first, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    assert_int_equal(back[3], 9);
    assert_int_equal(map_count(mem), 1);
    CHECK(clEnqueueUnmapMemObject(fixture->queue, mem, second, 0, NULL, NULL));
    assert_int_equal(clEnqueueUnmapMemObject(fixture->queue, mem, second, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(mem));
}

static void maps_are_checked(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_mem mem = clCreateBuffer(fixture->context, CL_MEM_HOST_READ_ONLY, 64, NULL, &result);
    CHECK(result);
    const struct {
        cl_map_flags flags;
        size_t offset, size;
        cl_int expected;
    } cases[] = {
        {CL_MAP_READ, 0, 0, CL_INVALID_VALUE},
        {CL_MAP_READ, 60, 8, CL_INVALID_VALUE},
        {CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 8, CL_INVALID_VALUE},
        {CL_MAP_WRITE, 0, 8, CL_INVALID_OPERATION},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_null(clEnqueueMapBuffer(fixture->queue, mem, CL_TRUE, cases[i].flags,
                                       cases[i].offset, cases[i].size, 0, NULL, NULL, &result));
        assert_int_equal(result, cases[i].expected);
    }
    assert_int_equal(map_count(mem), 0);
    CHECK(clReleaseMemObject(mem));
}

static cl_int map_result(const struct fixture *fixture, cl_mem mem, cl_map_flags flags,
                         size_t offset, size_t size)
{
    cl_int result;
    void *address = clEnqueueMapBuffer(fixture->queue, mem, CL_TRUE, flags, offset, size, 0, NULL,
                                       NULL, &result);
    if (address)
        CHECK(clEnqueueUnmapMemObject(fixture->queue, mem, address, 0, NULL, NULL));
    return result;
}

/* Also of objects that share the bytes; in every other case it is not an error. */
static void overlapping_maps_for_writing_are_refused(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_mem mem = fixture_buffer(fixture, 512, NULL);
    const cl_buffer_region region = {FIXTURE_ALIGNMENT, 256};
    cl_mem sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    CHECK(result);
    char *mapped = clEnqueueMapBuffer(fixture->queue, sub, CL_TRUE, CL_MAP_WRITE, 64, 64, 0, NULL,
                                      NULL, &result);
    CHECK(result);
    const size_t start = FIXTURE_ALIGNMENT + 64;
    assert_int_equal(map_result(fixture, mem, CL_MAP_WRITE, start + 63, 1), CL_INVALID_OPERATION);
    assert_int_equal(map_result(fixture, mem, CL_MAP_WRITE, 0, 512), CL_INVALID_OPERATION);
    CHECK(map_result(fixture, mem, CL_MAP_WRITE, start + 64, 1));
    CHECK(map_result(fixture, mem, CL_MAP_WRITE, 0, start));
    CHECK(map_result(fixture, mem, CL_MAP_READ, 0, 512));
    assert_int_equal(map_count(mem), 0);
    assert_int_equal(map_count(sub), 1);
    CHECK(clEnqueueUnmapMemObject(fixture->queue, sub, mapped, 0, NULL, NULL));
    CHECK(map_result(fixture, mem, CL_MAP_WRITE, 0, 512));
    /* What is mapped through an object ends with the object. */
    clEnqueueMapBuffer(fixture->queue, sub, CL_TRUE, CL_MAP_WRITE, 0, 8, 0, NULL, NULL, &result);
    CHECK(result);
    assert_int_equal(map_result(fixture, mem, CL_MAP_WRITE, 0, 512), CL_INVALID_OPERATION);
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(sub));
    CHECK(map_result(fixture, mem, CL_MAP_WRITE, 0, 512));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(mem));
}

/* An image over a buffer: 16 rows of 32 bytes, of which columns are mapped. */
static void maps_of_rows_overlap_where_they_have_bytes_in_common(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_mem mem = fixture_buffer(fixture, 512, NULL);
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = 32,
                                .image_height = 16,
                                .mem_object = mem};
    cl_mem image = clCreateImage(fixture->context, 0, &format, &desc, NULL, &result);
    CHECK(result);
    const size_t origin[3] = {8, 2, 0}, region[3] = {8, 4, 1};
    size_t pitch;
    void *mapped = clEnqueueMapImage(fixture->queue, image, CL_TRUE, CL_MAP_WRITE, origin, region,
                                     &pitch, NULL, 0, NULL, NULL, &result);
    CHECK(result);
    const struct {
        size_t offset, size;
        cl_int expected;
    } cases[] = {
        {0, 2 * 32 + 8, CL_SUCCESS},                  /* before the first row */
        {0, 2 * 32 + 9, CL_INVALID_OPERATION},        /* its first byte */
        {2 * 32 + 15, 1, CL_INVALID_OPERATION},       /* its last byte */
        {2 * 32 + 16, 24, CL_SUCCESS},                /* between two rows */
        {2 * 32 + 16, 25, CL_INVALID_OPERATION},      /* and the next one's first byte */
        {5 * 32 + 15, 100, CL_INVALID_OPERATION},     /* the last byte of the last row */
        {5 * 32 + 16, 512 - 5 * 32 - 16, CL_SUCCESS}, /* after it */
        {0, 512, CL_INVALID_OPERATION},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(map_result(fixture, mem, CL_MAP_WRITE, cases[i].offset, cases[i].size),
                         cases[i].expected);
    CHECK(clEnqueueUnmapMemObject(fixture->queue, image, mapped, 0, NULL, NULL));
    /* The other way round. */
    mapped = clEnqueueMapBuffer(fixture->queue, mem, CL_TRUE, CL_MAP_WRITE, 5 * 32 + 15, 1, 0, NULL,
                                NULL, &result);
    CHECK(result);
    assert_null(clEnqueueMapImage(fixture->queue, image, CL_TRUE, CL_MAP_WRITE, origin, region,
                                  &pitch, NULL, 0, NULL, NULL, &result));
    assert_int_equal(result, CL_INVALID_OPERATION);
    CHECK(clEnqueueUnmapMemObject(fixture->queue, mem, mapped, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(mem));
}

static int order[2];
static int order_count;

static void CL_CALLBACK note(cl_mem mem, void *user)
{
    (void)mem;
    const int index = __atomic_load_n(&order_count, __ATOMIC_SEQ_CST);
    order[index] = (int)(intptr_t)user;
    __atomic_store_n(&order_count, index + 1, __ATOMIC_SEQ_CST);
}

static void destructors_run_last_registered_first(void **state)
{
    struct fixture *fixture = *state;
    cl_mem mem = fixture_buffer(fixture, 64, NULL);
    CHECK(clSetMemObjectDestructorCallback(mem, note, (void *)1));
    CHECK(clSetMemObjectDestructorCallback(mem, note, (void *)2));
    CHECK(clReleaseMemObject(mem));
    while (__atomic_load_n(&order_count, __ATOMIC_SEQ_CST) < 2)
        usleep(1000);
    assert_int_equal(order_count, 2);
    assert_int_equal(order[0], 2);
    assert_int_equal(order[1], 1);
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_and_sizes_are_checked),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(copy_host_ptr_copies),
        cmocka_unit_test(immutable_buffers_are_read),
        cmocka_unit_test(use_host_ptr_is_the_applications_memory),
        cmocka_unit_test(sub_buffer_shares_bytes),
        cmocka_unit_test(sub_buffers_are_checked),
        cmocka_unit_test(maps_write_through_and_are_counted),
        cmocka_unit_test(maps_are_checked),
        cmocka_unit_test(overlapping_maps_for_writing_are_refused),
        cmocka_unit_test(maps_of_rows_overlap_where_they_have_bytes_in_common),
        cmocka_unit_test(destructors_run_last_registered_first),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
