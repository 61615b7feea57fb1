#include "trace/api/entry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SCALAR(number)                                                                             \
    {                                                                                              \
        .kind = API_VALUE_SCALAR, .present = true, .bits = (uint64_t)(number)                      \
    }
#define HANDLE(handle)                                                                             \
    {                                                                                              \
        .kind = API_VALUE_HANDLE, .present = (handle) != 0, .bits = (handle)                       \
    }
#define NOTHING                                                                                    \
    {                                                                                              \
        .kind = API_VALUE_POINTER                                                                  \
    }

static const char *name_handle(void *user, uint64_t handle)
{
    (void)user;
    switch (handle) {
    case 0x10:
        return "context#1";
    case 0x20:
        return "queue#1";
    case 0x30:
        return "kernel#2";
    case 0x40:
        return "buffer#1";
    case 0x50:
        return "event#3";
    default:
        return NULL;
    }
}

static void assert_prints(const struct api_call *call, const char *expected)
{
    struct text text = TEXT_INIT;
    api_call_print(call, name_handle, NULL, &text);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

static void assert_prints_json(const struct api_call *call, const char *expected)
{
    struct text text = TEXT_INIT;
    api_call_print_json(call, name_handle, NULL, &text);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

static void a_buffer_argument_is_named(void **state)
{
    (void)state;
    static const uint64_t handle = 0x40;
    struct api_call call = {
        .id = 7,
        .thread = 1,
        .entry = API_ENTRY_clSetKernelArg,
        .flags = API_CALL_COMPLETED,
        .argument_count = 4,
        .arguments =
            {HANDLE(0x30),
             SCALAR(2),
             SCALAR(8),
             {.kind = API_VALUE_BYTES, .present = true, .bits = 1, .size = 8, .data = &handle}},
        .result = SCALAR(CL_SUCCESS),
    };
    assert_prints(&call, "clSetKernelArg(kernel = kernel#2, arg_index = 2, arg_size = 8, "
                         "arg_value = buffer#1) = CL_SUCCESS");
    assert_prints_json(&call,
                       "{\"id\":7,\"thread\":1,\"call\":\"clSetKernelArg\",\"arguments\":{"
                       "\"kernel\":\"kernel#2\",\"arg_index\":2,\"arg_size\":8,"
                       "\"arg_value\":\"buffer#1\"},\"result\":\"CL_SUCCESS\",\"completed\":true,"
                       "\"begin_ns\":0,\"end_ns\":0}");
    static const float value = 1.0f;
    call.arguments[2] = (struct api_value)SCALAR(4);
    call.arguments[3] = (struct api_value){
        .kind = API_VALUE_BYTES, .present = true, .bits = 1, .size = 4, .data = &value};
    call.result = (struct api_value)SCALAR(CL_INVALID_ARG_SIZE);
    assert_prints(&call, "clSetKernelArg(kernel = kernel#2, arg_index = 2, arg_size = 4, "
                         "arg_value = <00 00 80 3f>) = CL_INVALID_ARG_SIZE");
}

static void a_failed_create_tells_its_status(void **state)
{
    (void)state;
    static const uint64_t status = (uint64_t)(int64_t)CL_INVALID_BUFFER_SIZE;
    struct api_call call = {
        .entry = API_ENTRY_clCreateBuffer,
        .flags = API_CALL_COMPLETED,
        .argument_count = 5,
        .arguments = {HANDLE(0x10),
                      SCALAR(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR),
                      SCALAR(0),
                      NOTHING,
                      {.kind = API_VALUE_SIZES, .count = 1, .size = 8, .data = &status}},
        .result = HANDLE(0),
    };
    assert_prints(&call,
                  "clCreateBuffer(context = context#1, flags = CL_MEM_READ_WRITE | "
                  "CL_MEM_USE_HOST_PTR, size = 0, host_ptr = NULL, errcode_ret = NULL) = NULL "
                  "(CL_INVALID_BUFFER_SIZE)");
}

static void a_call_under_way_shows_where_it_was_to_write(void **state)
{
    (void)state;
    static const uint64_t global[] = {1024, 8};
    static const uint64_t events[] = {0x50, 0x60};
    struct api_call call = {
        .entry = API_ENTRY_clEnqueueNDRangeKernel,
        .argument_count = 9,
        .arguments =
            {HANDLE(0x20),
             HANDLE(0x30),
             SCALAR(2),
             NOTHING,
             {.kind = API_VALUE_SIZES, .present = true, .count = 2, .size = 16, .data = global},
             NOTHING,
             SCALAR(2),
             {.kind = API_VALUE_HANDLES, .present = true, .count = 2, .size = 16, .data = events},
             {.kind = API_VALUE_POINTER, .present = true, .bits = 0x7000}},
    };
    assert_prints(
        &call, "clEnqueueNDRangeKernel(command_queue = queue#1, kernel = kernel#2, work_dim = 2, "
               "global_work_offset = NULL, global_work_size = [1024, 8], local_work_size = NULL, "
               "num_events_in_wait_list = 2, event_wait_list = [event#3, 0x60], event = 0x7000) "
               "= ? (did not return)");
    call.flags = API_CALL_COMPLETED | API_CALL_BLOCKED;
    call.arguments[8] = (struct api_value){.kind = API_VALUE_HANDLES,
                                           .present = true,
                                           .bits = 0x7000,
                                           .count = 1,
                                           .size = 8,
                                           .data = events};
    call.arguments[7] = (struct api_value)NOTHING;
    call.arguments[6] = (struct api_value)SCALAR(0);
    call.result = (struct api_value)SCALAR(CL_INVALID_EVENT_WAIT_LIST);
    assert_prints(
        &call, "clEnqueueNDRangeKernel(command_queue = queue#1, kernel = kernel#2, work_dim = 2, "
               "global_work_offset = NULL, global_work_size = [1024, 8], local_work_size = NULL, "
               "num_events_in_wait_list = 0, event_wait_list = NULL, event -> event#3) "
               "= CL_INVALID_EVENT_WAIT_LIST (not passed on)");
}

static void answers_are_printed_by_what_was_asked(void **state)
{
    (void)state;
    static const uint64_t type = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT;
    static const uint64_t size_ret = 8;
    struct api_call call = {
        .entry = API_ENTRY_clGetDeviceInfo,
        .flags = API_CALL_COMPLETED,
        .argument_count = 5,
        .arguments =
            {HANDLE(0x70),
             SCALAR(CL_DEVICE_TYPE),
             SCALAR(8),
             {.kind = API_VALUE_BYTES, .present = true, .bits = 1, .size = 8, .data = &type},
             {.kind = API_VALUE_SIZES, .present = true, .count = 1, .size = 8, .data = &size_ret}},
        .result = SCALAR(CL_SUCCESS),
    };
    assert_prints(
        &call, "clGetDeviceInfo(device = 0x70, param_name = CL_DEVICE_TYPE, param_value_size = 8, "
               "param_value -> CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU, "
               "param_value_size_ret -> 8) = CL_SUCCESS");
    call.arguments[1] = (struct api_value)SCALAR(CL_DEVICE_NAME);
    call.arguments[3] = (struct api_value){
        .kind = API_VALUE_BYTES, .present = true, .bits = 1, .size = 6, .data = "a\"b\n"};
    call.arguments[4] = (struct api_value)NOTHING;
    assert_prints(
        &call, "clGetDeviceInfo(device = 0x70, param_name = CL_DEVICE_NAME, param_value_size = 8, "
               "param_value -> \"a\\\"b\\n\", param_value_size_ret = NULL) = CL_SUCCESS");
}

static void properties_alternate_keys_and_values(void **state)
{
    (void)state;
    static const uint64_t list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_SIZE,
                                    64, 0};
    static const uint64_t status = 0;
    const struct api_call call = {
        .entry = API_ENTRY_clCreateCommandQueueWithProperties,
        .flags = API_CALL_COMPLETED,
        .argument_count = 4,
        .arguments =
            {HANDLE(0x10),
             HANDLE(0x70),
             {.kind = API_VALUE_PROPERTIES, .present = true, .count = 5, .size = 40, .data = list},
             {.kind = API_VALUE_SIZES, .present = true, .count = 1, .size = 8, .data = &status}},
        .result = HANDLE(0x20),
    };
    assert_prints(
        &call, "clCreateCommandQueueWithProperties(context = context#1, device = 0x70, properties "
               "= [CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_SIZE, 64, 0], "
               "errcode_ret -> CL_SUCCESS) = queue#1");
}

static void an_extension_function_has_its_own_name(void **state)
{
    (void)state;
    const struct api_call call = {
        .entry = API_ENTRY_UNKNOWN, .flags = API_CALL_COMPLETED, .name = "clFooEXT"};
    assert_prints(&call, "clFooEXT()");
}

static void assert_prints_parts(const struct api_call *call, const char *arguments,
                                const char *result)
{
    struct text text = TEXT_INIT;
    api_call_print_arguments(call, &text);
    assert_string_equal(text.bytes, arguments);
    text_clear(&text);
    api_call_print_result(call, &text);
    assert_string_equal(text.bytes, result);
    text_release(&text);
}

static void a_call_is_printed_in_parts(void **state)
{
    (void)state;
    struct api_call call = {
        .entry = API_ENTRY_clSVMFree,
        .flags = API_CALL_COMPLETED,
        .argument_count = 2,
        .arguments = {HANDLE(0x10), {.kind = API_VALUE_POINTER, .present = true, .bits = 0x60}},
    };
    assert_prints_parts(&call, "context = 0x10, svm_pointer = 0x60", "");
    call.flags |= API_CALL_BLOCKED;
    assert_prints_parts(&call, "context = 0x10, svm_pointer = 0x60", "(not passed on)");
    assert_prints(&call, "clSVMFree(context = context#1, svm_pointer = 0x60) (not passed on)");
    call = (struct api_call){.entry = API_ENTRY_clFinish,
                             .flags = API_CALL_COMPLETED,
                             .argument_count = 1,
                             .arguments = {HANDLE(0x20)},
                             .result = SCALAR(CL_SUCCESS)};
    assert_prints_parts(&call, "command_queue = 0x20", "CL_SUCCESS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_argument_is_named),
        cmocka_unit_test(a_failed_create_tells_its_status),
        cmocka_unit_test(a_call_under_way_shows_where_it_was_to_write),
        cmocka_unit_test(answers_are_printed_by_what_was_asked),
        cmocka_unit_test(properties_alternate_keys_and_values),
        cmocka_unit_test(an_extension_function_has_its_own_name),
        cmocka_unit_test(a_call_is_printed_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
