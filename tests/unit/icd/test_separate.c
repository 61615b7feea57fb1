/* What programs compute on a device whose memory is separate: those that forget a map in one of the
 * ways that there are, as on a discrete GPU, each beside the one that does not. */
#include "tests/unit/icd/fixture.h"

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int), UNDEFINED = (cl_int)0xA5A5A5A5 };

static const char source[] =
    "typedef struct node { int value; global struct node *next; } node;\n"
    "kernel void increment(global int *a) { a[get_global_id(0)]++; }\n"
    "kernel void double_list(global node *first, global node *last) {\n"
    "    for (global node *at = first; at; at = at->next) at->value *= 2;\n"
    "    last->next = first;\n"
    "}\n"
    "kernel void invert(read_write image2d_t image) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imageui(image, at, 255 - read_imageui(image, at));\n"
    "}\n";

struct node {
    cl_int value;
    struct node *next;
};

static cl_program program;

static int setup(void **state)
{
    const int result = fixture_setup(state);
    program = fixture_program(*state, source, "-cl-std=CL3.0");
    return result;
}

static int teardown(void **state)
{
    CHECK(clReleaseProgram(program));
    return fixture_teardown(state);
}

static void enqueue(const struct fixture *fixture, cl_kernel kernel, cl_uint dimensions,
                    const size_t *size)
{
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, dimensions, NULL, size, NULL, 0, NULL,
                                 NULL));
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseKernel(kernel));
}

static void increment(const struct fixture *fixture, cl_mem mem)
{
    cl_kernel kernel = fixture_kernel(program, "increment");
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    enqueue(fixture, kernel, 1, &(size_t){COUNT});
}

static void increment_shared(const struct fixture *fixture, void *memory)
{
    cl_kernel kernel = fixture_kernel(program, "increment");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, memory));
    enqueue(fixture, kernel, 1, &(size_t){COUNT});
}

static cl_mem over(const struct fixture *fixture, cl_int *host)
{
    cl_int result;
    cl_mem mem = clCreateBuffer(fixture->context, CL_MEM_USE_HOST_PTR, SIZE, host, &result);
    CHECK(result);
    return mem;
}

static void *map(const struct fixture *fixture, cl_mem mem, cl_map_flags flags, size_t offset,
                 size_t size)
{
    cl_int result;
    void *mapped = clEnqueueMapBuffer(fixture->queue, mem, CL_TRUE, flags, offset, size, 0, NULL,
                                      NULL, &result);
    CHECK(result);
    return mapped;
}

static void unmap(const struct fixture *fixture, cl_mem mem, void *mapped)
{
    CHECK(clEnqueueUnmapMemObject(fixture->queue, mem, mapped, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
}

static void map_shared(const struct fixture *fixture, void *memory, cl_map_flags flags, size_t size)
{
    CHECK(clEnqueueSVMMap(fixture->queue, CL_TRUE, flags, memory, size, 0, NULL, NULL));
}

static void unmap_shared(const struct fixture *fixture, void *memory)
{
    CHECK(clEnqueueSVMUnmap(fixture->queue, memory, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
}

/* What the device has there. */
static cl_int device_int(const struct fixture *fixture, cl_mem mem, size_t index)
{
    cl_int seen;
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, index * sizeof(seen), sizeof(seen),
                              &seen, 0, NULL, NULL));
    return seen;
}

static cl_int shared_int(const struct fixture *fixture, const cl_int *memory)
{
    cl_int seen;
    CHECK(clEnqueueSVMMemcpy(fixture->queue, CL_TRUE, &seen, memory, sizeof(seen), 0, NULL, NULL));
    return seen;
}

static void *find_function(const struct fixture *fixture, const char *name)
{
    void *function = clGetExtensionFunctionAddressForPlatform(fixture->platform, name);
    assert_non_null(function);
    return function;
}

static void the_device_says_so(void **state)
{
    const struct fixture *fixture = *state;
    cl_device_svm_capabilities shared = 0;
    cl_bool unified = CL_TRUE;
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_SVM_CAPABILITIES, sizeof(shared), &shared,
                          NULL));
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(unified), &unified,
                          NULL));
    assert_int_equal(shared, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
    assert_int_equal(unified, CL_FALSE);
    assert_null(clSVMAlloc(fixture->context, CL_MEM_SVM_FINE_GRAIN_BUFFER, SIZE, 0));
}

/* ---- memory of the program ---- */

static void host_memory_written_without_a_map(void **state)
{
    const struct fixture *fixture = *state;
    cl_int host[COUNT] = {5, 6};
    cl_mem mem = over(fixture, host);
    host[0] = 100; /* not mapped */
    increment(fixture, mem);
    assert_int_equal(device_int(fixture, mem, 0), 6);
    assert_int_equal(host[0], 100);
    cl_int *mapped = map(fixture, mem, CL_MAP_WRITE, 4, 4);
    assert_ptr_equal(mapped, host + 1);
    assert_int_equal(*mapped, 7);
    *mapped = 100;
    unmap(fixture, mem, mapped);
    increment(fixture, mem);
    assert_int_equal(device_int(fixture, mem, 1), 101);
    CHECK(clReleaseMemObject(mem));
}

static void host_memory_read_without_a_map(void **state)
{
    const struct fixture *fixture = *state;
    cl_int host[COUNT] = {5, 6, 7};
    cl_mem mem = over(fixture, host);
    increment(fixture, mem);
    assert_int_equal(host[1], 6); /* not mapped */
    void *mapped = map(fixture, mem, CL_MAP_READ, 4, 4);
    assert_int_equal(host[0], 5); /* not in the map */
    assert_int_equal(host[1], 7);
    assert_int_equal(host[2], 7);
    unmap(fixture, mem, mapped);
    increment(fixture, mem);
    assert_int_equal(host[1], 7);
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, SIZE, host, 0, NULL, NULL));
    assert_int_equal(host[1], 8); /* read, though not mapped */
    CHECK(clReleaseMemObject(mem));
}

static void read_only_memory_may_be_mapped_for_reading(void **state)
{
    const struct fixture *fixture = *state;
    static const cl_int host[COUNT] = {5};
    cl_mem mem = over(fixture, (cl_int *)(uintptr_t)host);
    void *mapped = map(fixture, mem, CL_MAP_READ, 0, SIZE);
    assert_ptr_equal(mapped, host);
    unmap(fixture, mem, mapped);
    CHECK(clReleaseMemObject(mem));
}

/* ---- maps ---- */

static void a_pointer_kept_after_its_unmap(void **state)
{
    const struct fixture *fixture = *state;
    cl_mem mem = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){5});
    cl_int *mapped = map(fixture, mem, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE);
    assert_int_equal(mapped[0], 5);
    mapped[0] = 20;
    unmap(fixture, mem, mapped);
    mapped[0] = 30; /* too late */
    increment(fixture, mem);
    assert_int_equal(device_int(fixture, mem, 0), 21);
    assert_int_equal(mapped[0], 30);
    assert_int_equal(*(cl_int *)map(fixture, mem, CL_MAP_READ, 0, 4), 21);
    CHECK(clReleaseMemObject(mem));
}

static void a_map_for_reading_that_is_written_to(void **state)
{
    const struct fixture *fixture = *state;
    cl_mem mem = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){5});
    cl_int *mapped = map(fixture, mem, CL_MAP_READ, 0, SIZE);
    mapped[0] = 100;
    unmap(fixture, mem, mapped);
    assert_int_equal(device_int(fixture, mem, 0), 5);
    mapped = map(fixture, mem, CL_MAP_WRITE, 0, SIZE);
    mapped[0] = 100;
    unmap(fixture, mem, mapped);
    assert_int_equal(device_int(fixture, mem, 0), 100);
    CHECK(clReleaseMemObject(mem));
}

static void an_invalidated_map_that_is_read(void **state)
{
    const struct fixture *fixture = *state;
    cl_mem mem = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){5, 6, 7});
    cl_int *mapped = map(fixture, mem, CL_MAP_WRITE_INVALIDATE_REGION, 4, 8);
    assert_int_equal(mapped[0], UNDEFINED);
    mapped[0] = 60;
    unmap(fixture, mem, mapped);
    assert_int_equal(device_int(fixture, mem, 0), 5);
    assert_int_equal(device_int(fixture, mem, 1), 60);
    assert_int_equal(device_int(fixture, mem, 2), UNDEFINED); /* never written */
    CHECK(clReleaseMemObject(mem));
}

static void a_map_is_good_when_its_event_has_ended(void **state)
{
    const struct fixture *fixture = *state;
    cl_int result;
    cl_event ended;
    cl_mem mem = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){5});
    cl_event gate = clCreateUserEvent(fixture->context, &result);
    CHECK(result);
    const cl_int *mapped = clEnqueueMapBuffer(fixture->queue, mem, CL_FALSE, CL_MAP_READ, 0, SIZE,
                                              1, &gate, &ended, &result);
    CHECK(result);
    assert_int_equal(mapped[0], 0); /* too early */
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &ended));
    assert_int_equal(mapped[0], 5);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(ended));
    CHECK(clReleaseMemObject(mem));
}

static void maps_that_overlap(void **state)
{
    const struct fixture *fixture = *state;
    cl_mem mem = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){5, 6, 7, 8});
    cl_int *written = map(fixture, mem, CL_MAP_WRITE, 4, 8);
    written[0] = 60;
    const cl_int *all = map(fixture, mem, CL_MAP_READ, 0, SIZE);
    assert_ptr_equal(all + 1, written);
    assert_int_equal(all[0], 5);
    assert_int_equal(all[1], 60); /* what the program has for writing stays */
    assert_int_equal(all[3], 8);
    const cl_int *again = map(fixture, mem, CL_MAP_READ, 0, SIZE);
    assert_ptr_equal(again, all);
    unmap(fixture, mem, written);
    unmap(fixture, mem, (void *)(uintptr_t)all);
    unmap(fixture, mem, (void *)(uintptr_t)again);
    assert_int_equal(device_int(fixture, mem, 1), 60);
    increment(fixture, mem);
    all = map(fixture, mem, CL_MAP_READ, 0, SIZE);
    assert_int_equal(all[1], 61);
    assert_int_equal(clEnqueueUnmapMemObject(fixture->queue, mem, written, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(mem));
}

/* Memory of the program that is mapped for writing when its object ends may be another's next. */
static void a_map_ends_with_its_object(void **state)
{
    const struct fixture *fixture = *state;
    cl_int host[COUNT] = {5};
    cl_mem mem = over(fixture, host);
    map(fixture, mem, CL_MAP_WRITE, 0, SIZE);
    CHECK(clReleaseMemObject(mem));
    mem = over(fixture, host);
    increment(fixture, mem);
    map(fixture, mem, CL_MAP_READ, 0, SIZE);
    assert_int_equal(host[0], 6);
    CHECK(clReleaseMemObject(mem));
}

static void a_part_shares_the_memory_of_its_buffer(void **state)
{
    const struct fixture *fixture = *state;
    cl_int host[COUNT] = {[32] = 5, [33] = 6};
    const cl_buffer_region region = {128, 128};
    cl_int result;
    cl_mem whole = over(fixture, host);
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    CHECK(result);
    increment(fixture, whole);
    cl_int *mapped = map(fixture, part, CL_MAP_READ | CL_MAP_WRITE, 4, 4);
    assert_ptr_equal(mapped, host + 33);
    assert_int_equal(*mapped, 7);
    *mapped = 70;
    assert_int_equal(host[32], 5);
    unmap(fixture, part, mapped);
    assert_int_equal(device_int(fixture, whole, 33), 70);
    mapped = map(fixture, part, CL_MAP_WRITE, 0, 8);
    CHECK(clReleaseMemObject(part)); /* its map ends with it, and gives nothing */
    assert_int_equal(*(cl_int *)map(fixture, whole, CL_MAP_READ, 128, 4), 6);
    CHECK(clReleaseMemObject(whole));
}

/* ---- images ---- */

enum { WIDTH = 4, HEIGHT = 3, PITCH = 8 };

static void an_image_over_memory_of_the_program(void **state)
{
    const struct fixture *fixture = *state;
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = WIDTH,
                                .image_height = HEIGHT,
                                .image_row_pitch = PITCH};
    const size_t origin[3] = {1, 1, 0}, size[3] = {2, 2, 1}, all[2] = {WIDTH, HEIGHT};
    cl_uchar host[HEIGHT][PITCH] = {{1, 1, 1, 1, 9}, {2, 2, 2, 2, 9}, {3, 3, 3, 3, 9}};
    size_t pitch;
    cl_int result;
    cl_mem image =
        clCreateImage(fixture->context, CL_MEM_USE_HOST_PTR, &format, &desc, host, &result);
    CHECK(result);
    host[1][1] = 50; /* not mapped */
    cl_kernel kernel = fixture_kernel(program, "invert");
    CHECK(clSetKernelArg(kernel, 0, sizeof(image), &image));
    enqueue(fixture, kernel, 2, all);
    cl_uchar *mapped = clEnqueueMapImage(fixture->queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                         origin, size, &pitch, NULL, 0, NULL, NULL, &result);
    CHECK(result);
    assert_ptr_equal(mapped, &host[1][1]);
    assert_int_equal(pitch, PITCH);
    const cl_uchar now[HEIGHT][PITCH] = {{1, 1, 1, 1, 9}, {2, 253, 253, 2, 9}, {3, 252, 252, 3, 9}};
    assert_memory_equal(host, now, sizeof(host));
    mapped[pitch] = 77;
    mapped[2] = 78; /* outside the map */
    unmap(fixture, image, mapped);
    cl_uchar seen[HEIGHT][WIDTH];
    CHECK(clEnqueueReadImage(fixture->queue, image, CL_TRUE, (size_t[3]){0},
                             (size_t[3]){WIDTH, HEIGHT, 1}, 0, 0, seen, 0, NULL, NULL));
    const cl_uchar wanted[HEIGHT][WIDTH] = {
        {254, 254, 254, 254}, {253, 253, 253, 253}, {252, 77, 252, 252}};
    assert_memory_equal(seen, wanted, sizeof(wanted));
    CHECK(clReleaseMemObject(image));
}

static const size_t origin[3] = {0}, cube[3] = {3, 3, 3};

static cl_uchar *map_box(const struct fixture *fixture, cl_mem image, cl_map_flags flags,
                         const size_t *begin, const size_t *size, size_t *row, size_t *slice)
{
    cl_int result;
    cl_uchar *mapped = clEnqueueMapImage(fixture->queue, image, CL_TRUE, flags, begin, size, row,
                                         slice, 0, NULL, NULL, &result);
    CHECK(result);
    return mapped;
}

/* A box that the program has for writing, the middle of rows from `first` on, within one that it
 * reads. */
static void check_boxes(const struct fixture *fixture, cl_mem image, size_t first)
{
    const size_t begin[3] = {1, first, 1}, size[3] = {1, 3 - first, 2};
    size_t row, slice;
    cl_uchar *box = map_box(fixture, image, CL_MAP_WRITE, begin, size, &row, &slice);
    for (size_t y = 0; y < size[1]; y++)
        box[y * row] = box[slice + y * row] = 1;
    const cl_uchar *all = map_box(fixture, image, CL_MAP_READ, origin, cube, &row, &slice);
    for (size_t i = 0; i < 27; i++) {
        const size_t x = i % 3, y = i / 3 % 3, z = i / 9;
        assert_int_equal(all[z * slice + y * row + x], x == 1 && y >= first && z > 0 ? 1 : 7);
    }
}

static void boxes_that_overlap(void **state)
{
    const struct fixture *fixture = *state;
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 3, .image_height = 3, .image_depth = 3};
    const cl_uint seven[4] = {7};
    for (size_t first = 0; first < 3; first++) {
        cl_int result;
        cl_mem image = clCreateImage(fixture->context, 0, &format, &desc, NULL, &result);
        CHECK(result);
        CHECK(clEnqueueFillImage(fixture->queue, image, seven, origin, cube, 0, NULL, NULL));
        check_boxes(fixture, image, first);
        CHECK(clReleaseMemObject(image)); /* mapped */
    }
}

/* ---- shared virtual memory ---- */

static void shared_memory_written_without_a_map(void **state)
{
    const struct fixture *fixture = *state;
    cl_int *memory = clSVMAlloc(fixture->context, 0, SIZE, 0);
    const cl_int five = 5;
    CHECK(clEnqueueSVMMemFill(fixture->queue, memory, &five, 4, SIZE, 0, NULL, NULL));
    memory[0] = 100; /* not mapped */
    increment_shared(fixture, memory);
    assert_int_equal(shared_int(fixture, memory), 6);
    map_shared(fixture, memory, CL_MAP_WRITE, 4);
    memory[0] = 100;
    memory[1] = 100; /* not in the map */
    unmap_shared(fixture, memory);
    increment_shared(fixture, memory);
    assert_int_equal(shared_int(fixture, memory), 101);
    assert_int_equal(shared_int(fixture, memory + 1), 7);
    clSVMFree(fixture->context, memory);
}

static void shared_memory_read_without_a_map(void **state)
{
    const struct fixture *fixture = *state;
    cl_int *memory = clSVMAlloc(fixture->context, 0, SIZE, 0);
    map_shared(fixture, memory, CL_MAP_WRITE_INVALIDATE_REGION, SIZE);
    assert_int_equal(memory[0], UNDEFINED);
    memset(memory, 0, SIZE);
    unmap_shared(fixture, memory);
    increment_shared(fixture, memory);
    assert_int_equal(memory[0], 0); /* not mapped */
    map_shared(fixture, memory, CL_MAP_READ, SIZE);
    assert_int_equal(memory[0], 1);
    memory[0] = 100; /* mapped for reading */
    unmap_shared(fixture, memory);
    assert_int_equal(shared_int(fixture, memory), 1);
    clSVMFree(fixture->context, memory);
}

/* The same addresses on both sides. */
static void lists_are_followed_by_both(void **state)
{
    const struct fixture *fixture = *state;
    struct node *first = clSVMAlloc(fixture->context, 0, sizeof(*first), 0);
    struct node *last = clSVMAlloc(fixture->context, 0, sizeof(*last), 0);
    map_shared(fixture, first, CL_MAP_WRITE, sizeof(*first));
    map_shared(fixture, last, CL_MAP_WRITE, sizeof(*last));
    *first = (struct node){1, last};
    *last = (struct node){2, NULL};
    unmap_shared(fixture, first);
    unmap_shared(fixture, last);
    cl_kernel kernel = fixture_kernel(program, "double_list");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, first));
    CHECK(clSetKernelArgSVMPointer(kernel, 1, last));
    enqueue(fixture, kernel, 1, &(size_t){1});
    assert_null(last->next);
    map_shared(fixture, first, CL_MAP_READ, sizeof(*first));
    map_shared(fixture, last, CL_MAP_READ, sizeof(*last));
    assert_int_equal(first->next->value, 4);
    assert_int_equal(last->next->value, 2);
    clSVMFree(fixture->context, last);
    clSVMFree(fixture->context, first);
}

static void copies_move_what_the_device_has(void **state)
{
    const struct fixture *fixture = *state;
    cl_int *a = clSVMAlloc(fixture->context, 0, SIZE, 0);
    cl_int *b = clSVMAlloc(fixture->context, 0, SIZE, 0);
    const cl_int host[COUNT] = {1, 2};
    cl_int back[COUNT];
    CHECK(clEnqueueSVMMemcpy(fixture->queue, CL_TRUE, a, host, SIZE, 0, NULL, NULL));
    a[0] = 100; /* not mapped */
    CHECK(clEnqueueSVMMemcpy(fixture->queue, CL_TRUE, b, a, SIZE, 0, NULL, NULL));
    CHECK(clEnqueueSVMMemcpy(fixture->queue, CL_TRUE, back, b, SIZE, 0, NULL, NULL));
    assert_memory_equal(back, host, SIZE);
    assert_int_equal(b[0], 0);
    cl_mem mem = over(fixture, b); /* it has the same memory on the device */
    increment(fixture, mem);
    assert_int_equal(shared_int(fixture, b), 2);
    cl_int *mapped = map(fixture, mem, CL_MAP_READ | CL_MAP_WRITE, 4, 4);
    assert_ptr_equal(mapped, b + 1);
    assert_int_equal(*mapped, 3);
    *mapped = 30;
    unmap(fixture, mem, mapped);
    assert_int_equal(shared_int(fixture, b + 1), 30);
    CHECK(clReleaseMemObject(mem));
    clSVMFree(fixture->context, a);
    clSVMFree(fixture->context, b);
}

/* Memory for both needs no map, the device's is not the host's. */
static void unified_memory_needs_no_map(void **state)
{
    const struct fixture *fixture = *state;
    clSharedMemAllocINTEL_fn allocate_shared = find_function(fixture, "clSharedMemAllocINTEL");
    clDeviceMemAllocINTEL_fn allocate_device = find_function(fixture, "clDeviceMemAllocINTEL");
    clMemFreeINTEL_fn free_now = find_function(fixture, "clMemFreeINTEL");
    clEnqueueMemFillINTEL_fn fill = find_function(fixture, "clEnqueueMemFillINTEL");
    const cl_int five = 5;
    cl_int *both = allocate_shared(fixture->context, fixture->device, NULL, SIZE, 0, NULL);
    cl_int *device = allocate_device(fixture->context, fixture->device, NULL, SIZE, 0, NULL);
    for (size_t i = 0; i < COUNT; i++)
        both[i] = 5;
    increment_shared(fixture, both);
    assert_int_equal(both[1], 6);
    CHECK(fill(fixture->queue, device, &five, sizeof(five), SIZE, 0, NULL, NULL));
    increment_shared(fixture, device);
    assert_int_equal(device[1], 0);
    assert_int_equal(shared_int(fixture, device + 1), 6);
    CHECK(free_now(fixture->context, both));
    CHECK(free_now(fixture->context, device));
}

/* ---- native kernels ---- */

static void CL_CALLBACK add_ten(void *arguments)
{
    **(cl_int **)arguments += 10;
}

static void native_kernels_use_the_memory_of_the_device(void **state)
{
    const struct fixture *fixture = *state;
    cl_int host[COUNT] = {5};
    cl_mem mem = over(fixture, host);
    void *argument = NULL;
    const void *place = &argument;
    host[0] = 100;
    CHECK(clEnqueueNativeKernel(fixture->queue, add_ten, &argument, sizeof(argument), 1, &mem,
                                &place, 0, NULL, NULL));
    assert_int_equal(device_int(fixture, mem, 0), 15);
    CHECK(clReleaseMemObject(mem));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_says_so),
        cmocka_unit_test(host_memory_written_without_a_map),
        cmocka_unit_test(host_memory_read_without_a_map),
        cmocka_unit_test(read_only_memory_may_be_mapped_for_reading),
        cmocka_unit_test(a_pointer_kept_after_its_unmap),
        cmocka_unit_test(a_map_for_reading_that_is_written_to),
        cmocka_unit_test(an_invalidated_map_that_is_read),
        cmocka_unit_test(a_map_is_good_when_its_event_has_ended),
        cmocka_unit_test(maps_that_overlap),
        cmocka_unit_test(a_map_ends_with_its_object),
        cmocka_unit_test(a_part_shares_the_memory_of_its_buffer),
        cmocka_unit_test(an_image_over_memory_of_the_program),
        cmocka_unit_test(boxes_that_overlap),
        cmocka_unit_test(shared_memory_written_without_a_map),
        cmocka_unit_test(shared_memory_read_without_a_map),
        cmocka_unit_test(lists_are_followed_by_both),
        cmocka_unit_test(copies_move_what_the_device_has),
        cmocka_unit_test(unified_memory_needs_no_map),
        cmocka_unit_test(native_kernels_use_the_memory_of_the_device),
    };
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    setenv("CLERK_PERSONALITY", "separate-memory", 1);
    return cmocka_run_group_tests(tests, setup, teardown);
}
