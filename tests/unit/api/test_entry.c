/* The entry-point table against the headers' dispatch table. */
#include "trace/api/entry.h"

#include "trace/api/enumerant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Headers before OpenCL 3.1 lack the last slot. */
enum {
    HEADER_SLOT_COUNT = sizeof(cl_icd_dispatch) / sizeof(void *),
    NEWER_SLOT = offsetof(cl_icd_dispatch, clSetContextDestructorCallback) / sizeof(void *) + 1
};

/* The name of the slot at each place, from the structure itself: a row in another's place, and a
 * slot without a row, are found here. */
static void every_slot_has_its_row(void **state)
{
    (void)state;
    static const char *const names[API_SLOT_COUNT + 1] = {
#define SLOT(name)           [offsetof(cl_icd_dispatch, name) / sizeof(void *)] = #name,
#define API(name, ...)       SLOT(name)
#define API_NEWER(name, ...) [NEWER_SLOT] = #name,
#define API_EXTENSION(...)
#include "trace/api/cl_api.def"
    };
    assert_true(HEADER_SLOT_COUNT == NEWER_SLOT || HEADER_SLOT_COUNT == NEWER_SLOT + 1);
    for (uint32_t slot = 0; slot < API_SLOT_COUNT; slot++) {
        assert_non_null(names[slot]);
        assert_string_equal(names[slot], api_entry_get(slot + 1)->name);
    }
}

static void names_find_their_entries(void **state)
{
    (void)state;
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; entry++)
        assert_int_equal(api_entry_find(api_entry_get(entry)->name), entry);
    assert_int_equal(api_entry_find("clNoSuchFunction"), API_ENTRY_UNKNOWN);
    assert_int_equal(api_entry_get(API_ENTRY_COUNT + 7)->parameter_count, 0);
}

static void what_is_deprecated_has_something_instead(void **state)
{
    (void)state;
    uint32_t count = 0;
    for (uint32_t entry = 0; entry <= API_ENTRY_COUNT; entry++) {
        const struct api_deprecation *is = api_entry_deprecation(entry);
        count += is != NULL;
        if (is && strncmp(is->instead, "cl", 2) == 0)
            assert_int_not_equal(api_entry_find(is->instead), API_ENTRY_UNKNOWN);
    }
    assert_int_equal(count, 14);
    assert_string_equal(api_entry_deprecation(API_ENTRY_clEnqueueTask)->version, "2.0");
    assert_null(api_entry_deprecation(API_ENTRY_clFinish));
    assert_null(api_enumerant_deprecation(API_FAMILY_DEVICE_INFO, CL_DEVICE_NAME));
    assert_string_equal(api_enumerant_deprecation(API_FAMILY_IMAGE_INFO, CL_IMAGE_BUFFER)->instead,
                        "CL_MEM_ASSOCIATED_MEMOBJECT");
}

static void indices_of_counts_lie_within_the_row(void **state)
{
    (void)state;
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; entry++) {
        const struct api_entry_info *info = api_entry_get(entry);
        assert_true(info->parameter_count <= API_ARGUMENT_MAX);
        for (uint32_t i = 0; i < info->parameter_count; i++) {
            const struct api_parameter *parameter = &info->parameters[i];
            if (parameter->count_index != API_PARAMETER_NONE) {
                assert_true(parameter->count_index < info->parameter_count);
                assert_int_equal(info->parameters[parameter->count_index].role, API_ROLE_SCALAR);
            }
            if (parameter->actual_index != API_PARAMETER_NONE)
                assert_true(parameter->actual_index < info->parameter_count);
        }
    }
}

static void roles_follow_from_what_the_api_is(void **state)
{
    (void)state;
    const struct api_entry_info *read = api_entry_get(API_ENTRY_clEnqueueReadBuffer);
    assert_true(read->flags & API_ENTRY_ENQUEUES);
    assert_int_equal(read->return_role, API_ROLE_STATUS);
    assert_int_equal(read->parameters[API_clEnqueueReadBuffer_event_wait_list].count_index,
                     API_clEnqueueReadBuffer_num_events_in_wait_list);
    const struct api_entry_info *create = api_entry_get(API_ENTRY_clCreateBuffer);
    assert_int_equal(create->return_role, API_ROLE_HANDLE);
    assert_int_equal(create->return_kind, API_OBJECT_MEM);
    assert_int_equal(api_entry_get(API_ENTRY_clReleaseEvent)->parameters[0].flags &
                         API_PARAMETER_RELEASED,
                     API_PARAMETER_RELEASED);
    assert_true(api_entry_get(API_ENTRY_clSetUserEventStatus)->parameters[1].flags &
                API_PARAMETER_SIGNED);
    assert_false(api_entry_get(API_ENTRY_clSetKernelArg)->parameters[1].flags &
                 API_PARAMETER_SIGNED);
}

/* Looked up in a table of 149 slots the 150th is not there, and one of 150 slots has it. */
static void the_number_of_slots_is_honoured(void **state)
{
    (void)state;
    api_function *table[API_SLOT_COUNT];
    for (size_t i = 0; i < API_SLOT_COUNT; i++)
        table[i] = (api_function *)(i + 1);
    const cl_icd_dispatch *dispatch = (const cl_icd_dispatch *)(const void *)table;
    assert_ptr_equal(api_dispatch_function(dispatch, 149, API_SLOT_COUNT), NULL);
    assert_ptr_equal(api_dispatch_function(dispatch, 150, API_SLOT_COUNT), (api_function *)150);
    assert_ptr_equal(api_dispatch_function(dispatch, 150, API_ENTRY_clGetPlatformIDs),
                     (api_function *)1);
    assert_ptr_equal(api_dispatch_function(dispatch, 150, API_ENTRY_UNKNOWN), NULL);
    assert_ptr_equal(api_dispatch_function(dispatch, 150, API_ENTRY_clCreateProgramWithILKHR),
                     NULL);
}

static cl_int CL_API_CALL fake_set_kernel_arg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
                                              const void *arg_value)
{
    assert_ptr_equal(kernel, (cl_kernel)0x1234567890);
    assert_int_equal(arg_index, 0xffffffff);
    assert_int_equal(arg_size, 4);
    assert_int_equal(*(const int *)arg_value, 7);
    return CL_INVALID_ARG_INDEX;
}

static cl_uint freed;
static void CL_API_CALL fake_svm_free(cl_context context, void *svm_pointer)
{
    assert_ptr_equal(context, (cl_context)1);
    assert_ptr_equal(svm_pointer, (void *)2);
    freed++;
}

static void words_arrive_as_arguments(void **state)
{
    (void)state;
    const int value = 7;
    const uint64_t words[] = {0x1234567890, 0xffffffff, 4, (uint64_t)&value};
    const uint64_t result =
        api_perform(API_ENTRY_clSetKernelArg, (api_function *)fake_set_kernel_arg, words);
    assert_int_equal((int64_t)result, CL_INVALID_ARG_INDEX);
    const uint64_t free_words[] = {1, 2};
    assert_int_equal(api_perform(API_ENTRY_clSVMFree, (api_function *)fake_svm_free, free_words),
                     0);
    assert_int_equal(freed, 1);
}

static void errors_have_their_names(void **state)
{
    (void)state;
    assert_string_equal(api_error_name(CL_SUCCESS), "CL_SUCCESS");
    assert_string_equal(api_error_name(CL_INVALID_VALUE), "CL_INVALID_VALUE");
    assert_string_equal(api_error_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
    assert_null(api_error_name(-54321));
}

static void values_of_the_registry_are_named_without_a_family(void **state)
{
    (void)state;
    assert_string_equal(api_enumerant_of_value(CL_IMAGE_WIDTH)->name, "CL_IMAGE_WIDTH");
    assert_string_equal(api_enumerant_of_value(CL_RGBA)->name, "CL_RGBA");
    assert_null(api_enumerant_of_value(CL_MAP_READ));
    assert_null(api_enumerant_of_value(CL_DEVICE_TYPE_ALL)); /* bits */
    assert_null(api_enumerant_of_value(0x7fff));
}

static void flags_are_named_and_the_rest_is_a_number(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    api_enumerant_print(API_FAMILY_MEM_FLAGS, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR | (1u << 30),
                        &text);
    assert_string_equal(text.bytes, "CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR | 0x40000000");
    text_clear(&text);
    api_enumerant_print(API_FAMILY_DEVICE_TYPE, CL_DEVICE_TYPE_ALL, &text);
    assert_string_equal(text.bytes, "CL_DEVICE_TYPE_ALL");
    text_clear(&text);
    api_enumerant_print(API_FAMILY_MEM_FLAGS, 0, &text);
    assert_string_equal(text.bytes, "0");
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_slot_has_its_row),
        cmocka_unit_test(names_find_their_entries),
        cmocka_unit_test(what_is_deprecated_has_something_instead),
        cmocka_unit_test(indices_of_counts_lie_within_the_row),
        cmocka_unit_test(roles_follow_from_what_the_api_is),
        cmocka_unit_test(the_number_of_slots_is_honoured),
        cmocka_unit_test(words_arrive_as_arguments),
        cmocka_unit_test(errors_have_their_names),
        cmocka_unit_test(values_of_the_registry_are_named_without_a_family),
        cmocka_unit_test(flags_are_named_and_the_rest_is_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
