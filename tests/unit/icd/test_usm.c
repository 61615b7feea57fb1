/* cl_intel_unified_shared_memory. */
#include "tests/unit/icd/fixture.h"

static const char source[] =
    "typedef struct { global int *data; } holder;\n"
    "kernel void add(global int *a, global const int *b) {\n"
    "    a[get_global_id(0)] += b[get_global_id(0)]; }\n"
    "kernel void follow(global holder *h) { h->data[get_global_id(0)] += 1; }\n";

static clHostMemAllocINTEL_fn allocate_host;
static clDeviceMemAllocINTEL_fn allocate_device;
static clSharedMemAllocINTEL_fn allocate_shared;
static clMemFreeINTEL_fn free_now;
static clMemBlockingFreeINTEL_fn free_blocking;
static clGetMemAllocInfoINTEL_fn get_info;
static clSetKernelArgMemPointerINTEL_fn set_argument;
static clEnqueueMemFillINTEL_fn enqueue_fill;
static clEnqueueMemcpyINTEL_fn enqueue_copy;
static clEnqueueMigrateMemINTEL_fn enqueue_migrate;
static clEnqueueMemAdviseINTEL_fn enqueue_advise;

static int setup(void **state)
{
    fixture_setup(state);
    const struct fixture *fixture = *state;
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"clHostMemAllocINTEL", &allocate_host},
        {"clDeviceMemAllocINTEL", &allocate_device},
        {"clSharedMemAllocINTEL", &allocate_shared},
        {"clMemFreeINTEL", &free_now},
        {"clMemBlockingFreeINTEL", &free_blocking},
        {"clGetMemAllocInfoINTEL", &get_info},
        {"clSetKernelArgMemPointerINTEL", &set_argument},
        {"clEnqueueMemFillINTEL", &enqueue_fill},
        {"clEnqueueMemcpyINTEL", &enqueue_copy},
        {"clEnqueueMigrateMemINTEL", &enqueue_migrate},
        {"clEnqueueMemAdviseINTEL", &enqueue_advise},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function =
            clGetExtensionFunctionAddressForPlatform(fixture->platform, functions[i].name);
        assert_non_null(function);
        memcpy(functions[i].place, &function, sizeof(function));
    }
    return 0;
}

static cl_int *make_shared(const struct fixture *fixture, size_t size)
{
    cl_int result;
    cl_int *memory = allocate_shared(fixture->context, fixture->device, NULL, size, 0, &result);
    CHECK(result);
    return memory;
}

static void host_device_and_shared_memory_work_together(void **state)
{
    const struct fixture *fixture = *state;
    enum { COUNT = 100, SIZE = COUNT * sizeof(cl_int) };
    const size_t items = COUNT;
    cl_int result, back[COUNT];
    cl_int *host = allocate_host(fixture->context, NULL, SIZE, 0, &result);
    CHECK(result);
    cl_int *device = allocate_device(fixture->context, fixture->device, NULL, SIZE, 64, &result);
    CHECK(result);
    cl_int *shared = make_shared(fixture, SIZE);
    for (int i = 0; i < COUNT; i++)
        host[i] = i;
    const cl_int five = 5;
    CHECK(enqueue_fill(fixture->queue, device, &five, sizeof(five), SIZE, 0, NULL, NULL));
    CHECK(enqueue_migrate(fixture->queue, shared, SIZE, 0, 0, NULL, NULL));
    CHECK(enqueue_advise(fixture->queue, shared, SIZE, 0, 0, NULL, NULL));
    CHECK(enqueue_copy(fixture->queue, CL_TRUE, shared, host, SIZE, 0, NULL, NULL));
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "add");
    CHECK(set_argument(kernel, 0, device));
    CHECK(set_argument(kernel, 1, shared));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    cl_event event;
    CHECK(enqueue_copy(fixture->queue, CL_TRUE, back, device, SIZE, 0, NULL, &event));
    cl_command_type type;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_COMMAND_MEMCPY_INTEL);
    CHECK(clReleaseEvent(event));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(back[i], i + 5);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(free_now(fixture->context, host));
    CHECK(free_now(fixture->context, device));
    CHECK(free_now(fixture->context, shared));
    assert_int_equal(free_now(fixture->context, shared), CL_INVALID_VALUE);
    CHECK(free_now(fixture->context, NULL));
}

static void check_info(cl_context context, const void *pointer,
                       cl_unified_shared_memory_type_intel expected_type, const void *expected_base,
                       size_t expected_size, cl_device_id expected_device,
                       cl_mem_alloc_flags_intel expected_flags)
{
    cl_unified_shared_memory_type_intel type;
    const void *base;
    size_t size, written;
    cl_device_id device;
    cl_mem_alloc_flags_intel flags;
    CHECK(get_info(context, pointer, CL_MEM_ALLOC_TYPE_INTEL, sizeof(type), &type, &written));
    assert_int_equal(written, sizeof(type));
    CHECK(get_info(context, pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof(base), &base, NULL));
    CHECK(get_info(context, pointer, CL_MEM_ALLOC_SIZE_INTEL, sizeof(size), &size, NULL));
    CHECK(get_info(context, pointer, CL_MEM_ALLOC_DEVICE_INTEL, sizeof(device), &device, NULL));
    CHECK(get_info(context, pointer, CL_MEM_ALLOC_FLAGS_INTEL, sizeof(flags), &flags, NULL));
    assert_int_equal(type, expected_type);
    assert_ptr_equal(base, expected_base);
    assert_int_equal(size, expected_size);
    assert_ptr_equal(device, expected_device);
    assert_int_equal(flags, expected_flags);
}

static void allocations_can_be_asked_about(void **state)
{
    const struct fixture *fixture = *state;
    cl_context context = fixture->context;
    const cl_mem_properties_intel combined[] = {CL_MEM_ALLOC_FLAGS_INTEL,
                                                CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0};
    cl_int result, own = 0;
    char *host = allocate_host(context, combined, 100, 0, &result);
    CHECK(result);
    char *device = allocate_device(context, fixture->device, NULL, 200, 0, &result);
    CHECK(result);
    char *shared = allocate_shared(context, NULL, NULL, 300, 0, &result);
    CHECK(result);
    void *svm = clSVMAlloc(context, 0, 64, 0);
    check_info(context, host + 99, CL_MEM_TYPE_HOST_INTEL, host, 100, NULL,
               CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
    check_info(context, device, CL_MEM_TYPE_DEVICE_INTEL, device, 200, fixture->device, 0);
    check_info(context, shared + 1, CL_MEM_TYPE_SHARED_INTEL, shared, 300, NULL, 0);
    check_info(context, &own, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    check_info(context, NULL, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    check_info(context, svm, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    assert_int_equal(get_info(NULL, host, CL_MEM_ALLOC_SIZE_INTEL, 0, NULL, NULL),
                     CL_INVALID_CONTEXT);
    assert_int_equal(get_info(context, host, 0x1234, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(free_now(context, svm), CL_INVALID_VALUE);
    assert_int_equal(free_now(context, host + 1), CL_INVALID_VALUE);
    assert_int_equal(free_now(NULL, host), CL_INVALID_CONTEXT);
    CHECK(free_now(context, host));
    check_info(context, host, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    CHECK(free_now(context, device));
    CHECK(free_now(context, shared));
    clSVMFree(context, svm);
}

static void requests_are_checked(void **state)
{
    const struct fixture *fixture = *state;
    const cl_mem_properties_intel unknown[] = {0x1234, 1, 0};
    const cl_mem_properties_intel twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL,
                                             0, 0};
    const cl_mem_properties_intel placed[] = {CL_MEM_ALLOC_FLAGS_INTEL,
                                              CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
    const cl_mem_properties_intel torn[] = {
        CL_MEM_ALLOC_FLAGS_INTEL,
        CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0};
    const struct {
        cl_context context;
        const cl_mem_properties_intel *properties;
        size_t size;
        cl_uint alignment;
        cl_int expected;
    } cases[] = {
        {NULL, NULL, 64, 0, CL_INVALID_CONTEXT},
        {fixture->context, NULL, 0, 0, CL_INVALID_BUFFER_SIZE},
        {fixture->context, NULL, SIZE_MAX, 0, CL_INVALID_BUFFER_SIZE},
        {fixture->context, NULL, 64, 3, CL_INVALID_VALUE},
        {fixture->context, NULL, 64, 256, CL_INVALID_VALUE},
        {fixture->context, unknown, 64, 0, CL_INVALID_PROPERTY},
        {fixture->context, twice, 64, 0, CL_INVALID_PROPERTY},
        {fixture->context, placed, 64, 0, CL_INVALID_PROPERTY},
    };
    cl_int result;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_null(allocate_host(cases[i].context, cases[i].properties, cases[i].size,
                                  cases[i].alignment, &result));
        assert_int_equal(result, cases[i].expected);
    }
    assert_null(allocate_device(fixture->context, NULL, NULL, 64, 0, &result));
    assert_int_equal(result, CL_INVALID_DEVICE);
    assert_null(allocate_shared(fixture->context, fixture->device, torn, 64, 0, &result));
    assert_int_equal(result, CL_INVALID_PROPERTY);
    void *memory = allocate_shared(fixture->context, fixture->device, placed, 64, 0, NULL);
    assert_non_null(memory);
    assert_int_equal(enqueue_fill(fixture->queue, memory, &result, 3, 63, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(enqueue_copy(fixture->queue, CL_TRUE, memory, NULL, 4, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(enqueue_migrate(fixture->queue, memory, 64, 1 << 10, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(enqueue_advise(NULL, memory, 64, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK(free_now(fixture->context, memory));
}

/* The two lists of allocations that a kernel may use are apart. */
static void lists_are_kept_apart(void **state)
{
    const struct fixture *fixture = *state;
    fixture_needs_fine_grain(fixture);
    const size_t items = 4;
    cl_int *data = make_shared(fixture, 16);
    struct {
        cl_int *data;
    } *holder = clSVMAlloc(fixture->context, CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(*holder), 0);
    holder->data = data;
    memset(data, 0, 16);
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "follow");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, holder));
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof(data), &data));
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(holder), &holder));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(data[3], 1);
    const cl_bool yes = CL_TRUE;
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof(yes),
                              &yes));
    assert_int_equal(
        clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, 1, &yes),
        CL_INVALID_VALUE);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(free_now(fixture->context, data));
    clSVMFree(fixture->context, holder);
}

static void a_blocking_free_waits_for_commands(void **state)
{
    const struct fixture *fixture = *state;
    cl_int *memory = make_shared(fixture, 16);
    cl_int back[4] = {0};
    const cl_int six = 6;
    cl_event event;
    CHECK(enqueue_fill(fixture->queue, memory, &six, 4, 16, 0, NULL, NULL));
    CHECK(enqueue_copy(fixture->queue, CL_FALSE, back, memory, 16, 0, NULL, &event));
    CHECK(free_blocking(fixture->context, memory));
    assert_int_equal(fixture_status(event), CL_COMPLETE);
    assert_int_equal(back[3], 6);
    CHECK(clReleaseEvent(event));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_device_and_shared_memory_work_together),
        cmocka_unit_test(allocations_can_be_asked_about),
        cmocka_unit_test(requests_are_checked),
        cmocka_unit_test(lists_are_kept_apart),
        cmocka_unit_test(a_blocking_free_waits_for_commands),
    };
    return cmocka_run_group_tests(tests, setup, fixture_teardown);
}
