/* Platform and device: what they answer is complete and true, and handles are checked. */
#include "tests/unit/icd/fixture.h"

static void platform_names_itself(void **state)
{
    struct fixture *fixture = *state;
    char text[64];
    size_t size;
    CHECK(clGetPlatformInfo(fixture->platform, CL_PLATFORM_NAME, sizeof(text), text, &size));
    assert_string_equal(text, "clerk");
    assert_int_equal(size, 6);
    CHECK(clGetPlatformInfo(fixture->platform, CL_PLATFORM_VERSION, sizeof(text), text, NULL));
    assert_memory_equal(text, "OpenCL 3.1 ", 11);
}

static void info_checks_the_size_of_the_buffer(void **state)
{
    struct fixture *fixture = *state;
    char text[5];
    cl_uint units;
    assert_int_equal(
        clGetPlatformInfo(fixture->platform, CL_PLATFORM_NAME, sizeof(text), text, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceInfo(fixture->device, CL_DEVICE_MAX_COMPUTE_UNITS, 3, &units, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceInfo(fixture->device, 0x12345, 4, &units, NULL), CL_INVALID_VALUE);
}

static void devices_are_found_by_type(void **state)
{
    struct fixture *fixture = *state;
    cl_device_id device = NULL;
    cl_uint count = 7;
    static const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR,
                                           CL_DEVICE_TYPE_CPU};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        cl_device_type type = 0;
        CHECK(clGetDeviceIDs(fixture->platform, types[i], 1, &device, &count));
        assert_ptr_equal(device, fixture->device);
        assert_int_equal(count, 1);
        CHECK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL));
        assert_int_equal(type, types[i]);
    }
    assert_int_equal(clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_CUSTOM, 1, &device, &count),
                     CL_DEVICE_NOT_FOUND);
    assert_int_equal(clGetDeviceIDs(fixture->platform, 1u << 20, 1, &device, &count),
                     CL_INVALID_DEVICE_TYPE);
    assert_int_equal(clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL),
                     CL_INVALID_VALUE);
}

/* Every query of OpenCL 3.1 has an answer of the size that it says. */
static void every_device_query_answers(void **state)
{
    struct fixture *fixture = *state;
    unsigned answered = 0;
    for (cl_device_info query = 0x1000; query <= 0x1075; query++) {
        size_t size = SIZE_MAX, again = SIZE_MAX;
        const cl_int result = clGetDeviceInfo(fixture->device, query, 0, NULL, &size);
        if (result != CL_SUCCESS)
            continue;
        void *value = malloc(size + 1);
        CHECK(clGetDeviceInfo(fixture->device, query, size, value, &again));
        assert_int_equal(size, again);
        free(value);
        answered++;
    }
    assert_true(answered >= 105);
}

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word)) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

static void features_agree_with_each_other(void **state)
{
    struct fixture *fixture = *state;
    cl_bool images, pipes, generic;
    cl_device_device_enqueue_capabilities enqueue;
    char extensions[2048], of_platform[2048];
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_PIPE_SUPPORT, sizeof(pipes), &pipes, NULL));
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions,
                          NULL));
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, sizeof(generic),
                          &generic, NULL));
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof(enqueue),
                          &enqueue, NULL));
    CHECK(clGetPlatformInfo(fixture->platform, CL_PLATFORM_EXTENSIONS, sizeof(of_platform),
                            of_platform, NULL));
    assert_true(images);
    assert_true(pipes && (enqueue & CL_DEVICE_QUEUE_SUPPORTED) && generic);
    assert_string_equal(extensions, of_platform);
    assert_true(has_word(extensions, "cl_khr_fp16"));
    assert_true(has_word(extensions, "cl_khr_fp64"));
    assert_true(has_word(extensions, "cl_khr_icd"));
    assert_true(has_word(extensions, "cl_khr_subgroups"));
    assert_true(has_word(extensions, "cl_khr_depth_images"));
    static const char *const of_3_1[] = {"cl_khr_device_uuid",
                                         "cl_khr_extended_bit_ops",
                                         "cl_khr_integer_dot_product",
                                         "cl_khr_spirv_queries",
                                         "cl_khr_subgroup_extended_types",
                                         "cl_khr_subgroup_rotate",
                                         "cl_khr_subgroup_shuffle",
                                         "cl_khr_subgroup_shuffle_relative",
                                         "cl_khr_suggested_local_work_size"};
    for (size_t i = 0; i < sizeof(of_3_1) / sizeof(of_3_1[0]); i++)
        assert_true(has_word(extensions, of_3_1[i]));
    cl_name_version versions[64];
    size_t size;
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof(versions),
                          versions, &size));
    size_t length = 0;
    for (size_t i = 0; i < size / sizeof(versions[0]); i++) {
        assert_true(has_word(extensions, versions[i].name));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(versions[i].name, versions[j].name);
        length += strlen(versions[i].name) + 1;
    }
    assert_int_equal(length, strlen(extensions) + 1);
    static const char *const features[] = {"__opencl_c_device_enqueue",
                                           "__opencl_c_generic_address_space",
                                           "__opencl_c_int64",
                                           "__opencl_c_integer_dot_product_input_4x8bit",
                                           "__opencl_c_integer_dot_product_input_4x8bit_packed",
                                           "__opencl_c_pipes",
                                           "__opencl_c_program_scope_global_variables"};
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_OPENCL_C_FEATURES, sizeof(versions), versions,
                          &size));
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
        size_t j = 0;
        while (j < size / sizeof(versions[0]) && strcmp(versions[j].name, features[i]) != 0)
            j++;
        assert_true(j < size / sizeof(versions[0]));
    }
}

static void handles_of_other_kinds_are_refused(void **state)
{
    struct fixture *fixture = *state;
    cl_uint units;
    char text[64];
    assert_int_equal(clGetDeviceInfo((cl_device_id)fixture->context, CL_DEVICE_MAX_COMPUTE_UNITS,
                                     sizeof(units), &units, NULL),
                     CL_INVALID_DEVICE);
    assert_int_equal(clGetPlatformInfo((cl_platform_id)fixture->device, CL_PLATFORM_NAME,
                                       sizeof(text), text, NULL),
                     CL_INVALID_PLATFORM);
}

static void extension_functions_are_found_by_name(void **state)
{
    struct fixture *fixture = *state;
    assert_non_null(
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetFindingSinkCLERK"));
    assert_non_null(
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetDeviceOptionCLERK"));
    assert_non_null(clGetExtensionFunctionAddressForPlatform(
        fixture->platform, "clGetKernelSuggestedLocalWorkSizeKHR"));
    assert_null(clGetExtensionFunctionAddressForPlatform(fixture->platform, "clNothingKHR"));
}

static void options_are_checked(void **state)
{
    struct fixture *fixture = *state;
    int32_t (*set_option)(const char *, const char *);
    *(void **)&set_option =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetDeviceOptionCLERK");
    assert_int_equal(set_option("schedule", "desc"), CL_SUCCESS);
    assert_int_equal(set_option("schedule", "sideways"), CL_INVALID_VALUE);
    assert_int_equal(set_option("schedule", "asc"), CL_SUCCESS);
    assert_int_equal(set_option("sub-group-size", "24"), CL_INVALID_VALUE);
    assert_int_equal(set_option("checks", "no-such-rule"), CL_INVALID_VALUE);
    assert_int_equal(set_option("no-such-option", "1"), CL_INVALID_VALUE);
}

static void root_devices_are_not_counted(void **state)
{
    struct fixture *fixture = *state;
    cl_uint count;
    CHECK(clRetainDevice(fixture->device));
    CHECK(clReleaseDevice(fixture->device));
    CHECK(clReleaseDevice(fixture->device));
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_REFERENCE_COUNT, sizeof(count), &count, NULL));
    assert_int_equal(count, 1);
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(platform_names_itself),
        cmocka_unit_test(info_checks_the_size_of_the_buffer),
        cmocka_unit_test(devices_are_found_by_type),
        cmocka_unit_test(every_device_query_answers),
        cmocka_unit_test(features_agree_with_each_other),
        cmocka_unit_test(handles_of_other_kinds_are_refused),
        cmocka_unit_test(extension_functions_are_found_by_name),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(root_devices_are_not_counted),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
