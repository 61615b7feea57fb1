/* What the host checker learns of objects from the stream of calls. */
#include "stream.h"

#include "checkers/host/checker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void answer_on(struct stream *stream, uint32_t entry, uint64_t handle, uint64_t second,
                      uint32_t name, const void *bytes, size_t size)
{
    struct api_call call = stream_call(stream, entry);
    call.flags = API_CALL_SYNTHETIC;
    call.arguments[1].bits = second;
    call.arguments[0].bits = handle;
    call_set(&call, "param_name", name);
    call_set_bytes(stream, &call, "param_value", bytes, size);
    stream_perform(stream, &call, CL_SUCCESS);
}

static uint64_t fact_of(struct stream *stream, uint64_t device, enum device_fact fact)
{
    uint64_t value = UINT64_MAX;
    device_fact(object_device_traits(stream->checker->objects, device), fact, &value);
    return value;
}

static void a_device_is_known_by_its_answers(void **state)
{
    (void)state;
    struct stream stream;
    const uint64_t sizes[] = {1024, 512, 64};
    const uint32_t align = 1024;
    stream_init(&stream, false, "all");
    assert_int_equal(fact_of(&stream, 0xd0, DEVICE_FACT_VERSION), UINT64_MAX);
    make_context(&stream, 0xc0);
    const uint32_t entry = API_ENTRY_clGetDeviceInfo;
    const uint64_t device = 0xd0;
    answer_on(&stream, API_ENTRY_clGetContextInfo, 0xc0, 0, CL_CONTEXT_DEVICES, &device, 8);
    answer_on(&stream, entry, device, 0, CL_DEVICE_VERSION, "OpenCL 1.2 x", 13);
    answer_on(&stream, entry, device, 0, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes, sizeof sizes);
    answer_on(&stream, entry, device, 0, CL_DEVICE_MEM_BASE_ADDR_ALIGN, &align, sizeof align);
    assert_int_equal(fact_of(&stream, device, DEVICE_FACT_VERSION), 120);
    assert_int_equal(fact_of(&stream, device, DEVICE_FACT_WORK_ITEMS_Z), 64);
    assert_int_equal(fact_of(&stream, device, DEVICE_FACT_BASE_ALIGN_BITS), 1024);
    assert_int_equal(fact_of(&stream, device, DEVICE_FACT_IMAGES), UINT64_MAX);
    struct context_traits context;
    assert_true(object_get_traits(stream.checker->objects, 0xc0, API_OBJECT_CONTEXT, &context));
    assert_int_equal(context.devices.count, 1);
    assert_int_equal(context.devices.handles[0], device);
    stream_release(&stream);
}

static uint64_t make_sub_buffer(struct stream *stream, uint64_t buffer, uint64_t handle)
{
    const cl_buffer_region region = {128, 64};
    struct api_call call = stream_call(stream, API_ENTRY_clCreateSubBuffer);
    call_set(&call, "buffer", buffer);
    call_set(&call, "buffer_create_type", CL_BUFFER_CREATE_TYPE_REGION);
    call_set_bytes(stream, &call, "buffer_create_info", &region, sizeof region);
    stream_perform(stream, &call, handle);
    return handle;
}

static void a_sub_buffer_lies_in_its_buffer(void **state)
{
    (void)state;
    struct stream stream;
    struct mem_traits whole;
    struct mem_traits part;
    stream_init(&stream, false, "all");
    make_context(&stream, 0xc0);
    make_buffer(&stream, 0xc0, 0xb0);
    make_sub_buffer(&stream, 0xb0, 0xb8);
    struct object_table *objects = stream.checker->objects;
    assert_true(object_get_traits(objects, 0xb0, API_OBJECT_MEM, &whole));
    assert_true(object_get_traits(objects, 0xb8, API_OBJECT_MEM, &part));
    assert_int_equal(whole.size, 4096);
    assert_int_equal(whole.root, 0xb0);
    assert_int_equal(part.size, 64);
    assert_int_equal(part.root, 0xb0);
    assert_int_equal(part.root_serial, whole.serial);
    assert_int_equal(part.root_offset, 128);
    assert_int_equal(part.flags, CL_MEM_READ_WRITE);
    /* Another object takes the handle: nothing of the old one is left. */
    perform_on(&stream, API_ENTRY_clReleaseMemObject, 0xb8);
    make_user_event(&stream, 0xc0, 0xb8);
    assert_false(object_get_traits(objects, 0xb8, API_OBJECT_MEM, &part));
    assert_int_equal(part.size, 0);
    stream_release(&stream);
}

static uint64_t map(struct stream *stream, uint64_t buffer, uint64_t address)
{
    struct api_call call = stream_call(stream, API_ENTRY_clEnqueueMapBuffer);
    call_set(&call, "command_queue", 0xa0);
    call_set(&call, "buffer", buffer);
    call_set(&call, "map_flags", CL_MAP_WRITE);
    call_set(&call, "size", 16);
    stream_perform(stream, &call, address);
    return address;
}

static void unmap(struct stream *stream, uint64_t buffer, uint64_t address)
{
    struct api_call call = stream_call(stream, API_ENTRY_clEnqueueUnmapMemObject);
    call_set(&call, "command_queue", 0xa0);
    call_set(&call, "memobj", buffer);
    call_set(&call, "mapped_ptr", address);
    stream_perform(stream, &call, CL_SUCCESS);
}

static size_t count_maps(struct stream *stream, uint64_t buffer)
{
    struct mem_traits mem;
    size_t count = 0;
    object_get_traits(stream->checker->objects, buffer, API_OBJECT_MEM, &mem);
    for (const struct mem_map *item = mem.maps; item; item = item->next)
        ++count;
    return count;
}

static void mappings_come_and_go(void **state)
{
    (void)state;
    struct stream stream;
    stream_init(&stream, false, "none");
    make_context(&stream, 0xc0);
    make_queue(&stream, 0xc0, 0xa0);
    make_buffer(&stream, 0xc0, 0xb0);
    map(&stream, 0xb0, 0x1000);
    map(&stream, 0xb0, 0x2000);
    map(&stream, 0xb0, 0x1000);
    assert_int_equal(count_maps(&stream, 0xb0), 3);
    unmap(&stream, 0xb0, 0x1000);
    unmap(&stream, 0xb0, 0x2000);
    unmap(&stream, 0xb0, 0x3000);
    assert_int_equal(count_maps(&stream, 0xb0), 1);
    stream_release(&stream);
}

static void an_argument_is_known_by_its_type(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        uint32_t address;
        enum argument_kind kind;
        uint32_t size;
    } rows[] = {
        {"float*", CL_KERNEL_ARG_ADDRESS_GLOBAL, ARGUMENT_BUFFER, 0},
        {"struct pair*", CL_KERNEL_ARG_ADDRESS_CONSTANT, ARGUMENT_BUFFER, 0},
        {"int*", CL_KERNEL_ARG_ADDRESS_LOCAL, ARGUMENT_LOCAL, 0},
        {"image2d_array_t", CL_KERNEL_ARG_ADDRESS_GLOBAL, ARGUMENT_IMAGE,
         CL_MEM_OBJECT_IMAGE2D_ARRAY},
        {"sampler_t", CL_KERNEL_ARG_ADDRESS_PRIVATE, ARGUMENT_SAMPLER, 0},
        {"float3", CL_KERNEL_ARG_ADDRESS_PRIVATE, ARGUMENT_VALUE, 16},
        {"uchar", CL_KERNEL_ARG_ADDRESS_PRIVATE, ARGUMENT_VALUE, 1},
        {"intricate", CL_KERNEL_ARG_ADDRESS_PRIVATE, ARGUMENT_UNKNOWN, 0},
        {"struct pair", CL_KERNEL_ARG_ADDRESS_PRIVATE, ARGUMENT_UNKNOWN, 0},
    };
    struct stream stream;
    stream_init(&stream, false, "all");
    const struct object_birth birth = {.kind = API_OBJECT_KERNEL, .label = "kernel"};
    object_create(stream.checker->objects, 0xe0, &birth);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        answer_on(&stream, API_ENTRY_clGetKernelArgInfo, 0xe0, i, CL_KERNEL_ARG_TYPE_NAME,
                  rows[i].type, strlen(rows[i].type) + 1);
        answer_on(&stream, API_ENTRY_clGetKernelArgInfo, 0xe0, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                  &rows[i].address, 4);
    }
    struct kernel_traits kernel;
    object_get_traits(stream.checker->objects, 0xe0, API_OBJECT_KERNEL, &kernel);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        assert_int_equal(argument_kind(&kernel.arguments[i]), rows[i].kind);
        assert_int_equal(kernel.arguments[i].size, rows[i].size);
    }
    stream_release(&stream);
}

static void svm_is_found_by_any_of_its_addresses(void **state)
{
    (void)state;
    struct svm_table *table = svm_table_create();
    struct svm_range found;
    for (uint64_t i = 100; i > 0; --i)
        svm_add(table, &(struct svm_range){.address = i * 64, .size = 32, .context = i});
    assert_true(svm_find(table, 50 * 64 + 31, &found));
    assert_int_equal(found.context, 50);
    assert_false(svm_find(table, 50 * 64 + 32, &found));
    assert_false(svm_find(table, 0, &found));
    svm_end(table, 50 * 64, 1);
    svm_settle(table, 50 * 64, 1, SVM_FREED);
    assert_false(svm_find(table, 50 * 64, &found));
    assert_true(svm_find(table, 51 * 64, &found));
    assert_true(svm_is_gone(table, 50 * 64 + 31));
    assert_false(svm_is_gone(table, 50 * 64 + 32));
    assert_false(svm_is_gone(table, 51 * 64));
    svm_add(table, &(struct svm_range){.address = 50 * 64 + 8, .size = 8});
    assert_false(svm_is_gone(table, 50 * 64));
    svm_table_destroy(table);
}

/* Another thread may be given the address before the call that frees it has returned. */
static void svm_that_is_being_freed_is_gone(void **state)
{
    (void)state;
    struct svm_table *table = svm_table_create();
    const struct svm_range range = {.address = 64, .size = 32};
    struct svm_range found;
    svm_add(table, &range);
    svm_end(table, 64, 1);
    assert_false(svm_find(table, 64, &found));
    svm_add(table, &range);
    svm_settle(table, 64, 1, SVM_FREED);
    assert_true(svm_find(table, 64, &found));
    svm_end(table, 64, 2);
    svm_settle(table, 64, 2, SVM_STAYS);
    assert_true(svm_find(table, 64, &found));
    svm_table_destroy(table);
}

static void svm_is_mapped_as_often_as_it_was(void **state)
{
    (void)state;
    struct svm_table *table = svm_table_create();
    const struct svm_range range = {.address = 64, .size = 32};
    svm_add(table, &range);
    svm_map(table, 64);
    svm_map(table, 64);
    svm_map(table, 72);
    svm_unmap(table, 64);
    assert_true(svm_is_mapped(table, 64));
    assert_true(svm_is_mapped(table, 72));
    assert_false(svm_is_mapped(table, 68));
    svm_unmap(table, 64);
    assert_false(svm_is_mapped(table, 64));
    svm_end(table, 64, 2);
    svm_settle(table, 64, 2, SVM_FREED);
    assert_true(svm_is_mapped(table, 72));
    svm_add(table, &range);
    assert_false(svm_is_mapped(table, 72));
    svm_table_destroy(table);
}

static void set_argument(struct stream *stream, uint64_t kernel, int32_t result)
{
    const uint32_t value = 1;
    struct api_call call = stream_call(stream, API_ENTRY_clSetKernelArg);
    call_set(&call, "kernel", kernel);
    call_set(&call, "arg_size", sizeof value);
    call_set_bytes(stream, &call, "arg_value", &value, sizeof value);
    stream_perform(stream, &call, (uint64_t)(int64_t)result);
}

/* Of the argument's type nothing is known: whether its size is right the driver tells. */
static void what_is_unsure_waits_for_the_driver(void **state)
{
    (void)state;
    struct stream stream;
    stream_init(&stream, false, "all");
    const struct object_birth birth = {.kind = API_OBJECT_KERNEL, .label = "kernel"};
    object_create(stream.checker->objects, 0xe0, &birth);
    set_argument(&stream, 0xe0, CL_SUCCESS);
    set_argument(&stream, 0xe0, CL_OUT_OF_RESOURCES);
    assert_int_equal(stream.finding_count, 0);
    set_argument(&stream, 0xe0, CL_INVALID_ARG_SIZE);
    assert_int_equal(stream.finding_count, 1);
    assert_int_equal(stream.findings[0]->rule, RULE_KERNEL_ARGUMENT);
    assert_string_equal(stream.findings[0]->reason, "The driver returned CL_INVALID_ARG_SIZE.");
    set_argument(&stream, 0xe0, CL_INVALID_OPERATION);
    assert_int_equal(stream.finding_count, 2);
    assert_int_equal(stream.findings[1]->rule, RULE_DRIVER_ERROR);
    stream_release(&stream);
}

/* What counts is the platform's version, not the device's. */
static void local_memory_may_be_empty_from_3_1_on(void **state)
{
    (void)state;
    static const struct {
        const char *platform, *device;
        size_t findings;
    } rows[] = {
        {"OpenCL 3.0 x", "OpenCL 3.0 x", 1},
        {"OpenCL 2.1 x", "OpenCL 1.2 x", 1},
        {"OpenCL 3.1 x", "OpenCL 3.1 x", 0},
        {"OpenCL 3.1 x", "OpenCL 3.0 x", 0},
        {"", "OpenCL 3.0 x", 0},
    };
    const uint32_t local = CL_KERNEL_ARG_ADDRESS_LOCAL;
    const uint64_t platform = 0x90, device = 0xd0, context = 0xc0, kernel = 0xe0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct stream stream;
        stream_init(&stream, false, "all");
        const struct object_birth births[] = {
            {.kind = API_OBJECT_PLATFORM, .label = "platform"},
            {.kind = API_OBJECT_KERNEL, .label = "kernel", .parent = context}};
        object_learn(stream.checker->objects, platform, &births[0]);
        make_context(&stream, context);
        answer_on(&stream, API_ENTRY_clGetContextInfo, context, 0, CL_CONTEXT_DEVICES, &device, 8);
        answer_on(&stream, API_ENTRY_clGetDeviceInfo, device, 0, CL_DEVICE_PLATFORM, &platform, 8);
        answer_on(&stream, API_ENTRY_clGetDeviceInfo, device, 0, CL_DEVICE_VERSION, rows[i].device,
                  13);
        answer_on(&stream, API_ENTRY_clGetPlatformInfo, platform, 0, CL_PLATFORM_VERSION,
                  rows[i].platform, strlen(rows[i].platform) + 1);
        object_create(stream.checker->objects, kernel, &births[1]);
        answer_on(&stream, API_ENTRY_clGetKernelArgInfo, kernel, 0, CL_KERNEL_ARG_TYPE_NAME, "int*",
                  5);
        answer_on(&stream, API_ENTRY_clGetKernelArgInfo, kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                  &local, 4);
        struct api_call call = stream_call(&stream, API_ENTRY_clSetKernelArg);
        call_set(&call, "kernel", kernel);
        stream_perform(&stream, &call, CL_SUCCESS);
        assert_int_equal(stream.finding_count, rows[i].findings);
        stream_release(&stream);
    }
}

static void no_platform_may_be_refused(void **state)
{
    (void)state;
    struct stream stream;
    stream_init(&stream, false, "driver-error");
    struct api_call call = stream_call(&stream, API_ENTRY_clGetDeviceIDs);
    call_set(&call, "device_type", CL_DEVICE_TYPE_ALL);
    call_set_pointer(&call, "num_devices");
    stream_perform(&stream, &call, (uint64_t)(int64_t)CL_INVALID_PLATFORM);
    assert_int_equal(stream.finding_count, 0);
    stream_release(&stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_is_known_by_its_answers),
        cmocka_unit_test(a_sub_buffer_lies_in_its_buffer),
        cmocka_unit_test(mappings_come_and_go),
        cmocka_unit_test(an_argument_is_known_by_its_type),
        cmocka_unit_test(svm_is_found_by_any_of_its_addresses),
        cmocka_unit_test(svm_that_is_being_freed_is_gone),
        cmocka_unit_test(svm_is_mapped_as_often_as_it_was),
        cmocka_unit_test(what_is_unsure_waits_for_the_driver),
        cmocka_unit_test(local_memory_may_be_empty_from_3_1_on),
        cmocka_unit_test(no_platform_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
