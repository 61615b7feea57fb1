/* The device that a program is compiled for: programs that clang takes only if its macros are
 * right.
 */
#include "reference/probe/answer.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct request_device usual = {.extensions = "cl_khr_fp64",
                                            .version = 300,
                                            .address_bits = 64,
                                            .has_images = true,
                                            .is_little_endian = true,
                                            .macros = ""};

static enum status compile(const struct request_device *device, const char *options,
                           const char *source, struct error *error)
{
    struct request_part part = {.bytes = source, .size = strlen(source), .options = options};
    const struct request request = {.device = *device, .parts = &part, .part_count = 1};
    struct facts facts;
    const enum status status = answer_request(&request, &facts, error);
    if (status == STATUS_OK)
        facts_release(&facts);
    return status;
}

/* `condition` is one of the preprocessor's. */
static void check(const struct request_device *device, const char *standard, const char *condition)
{
    struct error error;
    struct text options = TEXT_INIT;
    struct text source = TEXT_INIT;
    text_format(&options, "-cl-std=%s", standard);
    text_format(&source, "#if !(%s)\n#error is not so\n#endif\nkernel void k(void) {}\n",
                condition);
    if (compile(device, options.bytes, source.bytes, &error) != STATUS_OK)
        fail_msg("%s, %s, '%s': %s", standard, condition, device->extensions, error.text);
    text_release(&options);
    text_release(&source);
}

static const char *const standards[] = {"CL1.2", "CL2.0", "CL3.0", "CLC++", "CLC++2021"};
enum { STANDARD_COUNT = sizeof standards / sizeof standards[0] };

static void check_all(const struct request_device *device, const char *condition)
{
    for (size_t i = 0; i < STANDARD_COUNT; i++)
        check(device, standards[i], condition);
}

static void macros_tell_of_the_device(void **state)
{
    (void)state;
    struct request_device device = usual;
    check_all(&device, "__OPENCL_VERSION__ == 300 && defined __IMAGE_SUPPORT__ && "
                       "defined __ENDIAN_LITTLE__ && !defined __EMBEDDED_PROFILE__");
    device.version = 120;
    device.has_images = device.is_little_endian = false;
    device.is_embedded = true;
    check_all(&device, "__OPENCL_VERSION__ == 120 && !defined __IMAGE_SUPPORT__ && "
                       "!defined __ENDIAN_LITTLE__ && __EMBEDDED_PROFILE__ == 1");
}

static void the_usual_version_is_the_highest_1_x_of_the_device(void **state)
{
    (void)state;
    static const struct {
        uint32_t version;
        const char *condition;
    } rows[] = {{100, "__OPENCL_C_VERSION__ == 100"},
                {110, "__OPENCL_C_VERSION__ == 110"},
                {120, "__OPENCL_C_VERSION__ == 120"},
                {300, "__OPENCL_C_VERSION__ == 120"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct request_device device = usual;
        struct error error = {0};
        struct text source = TEXT_INIT;
        device.version = rows[i].version;
        text_format(&source, "#if !(%s)\n#error is not so\n#endif\nkernel void k(void) {}\n",
                    rows[i].condition);
        if (compile(&device, "", source.bytes, &error) != STATUS_OK)
            fail_msg("%u: %s", rows[i].version, error.text);
        text_release(&source);
    }
}

static void extensions_are_the_devices(void **state)
{
    (void)state;
    struct request_device device = usual;
    check_all(&device, "defined cl_khr_fp64 && !defined cl_khr_fp16");
    device.extensions =
        "  cl_khr_byte_addressable_store cl_nv_x cl_APPLE_y  cl_khr_subgroups odd-one"
        " cl_khr_integer_dot_product";
    check_all(&device, "cl_nv_x == 1 && cl_APPLE_y == 1 && cl_khr_subgroups == 1 && "
                       "cl_khr_byte_addressable_store == 1 && !defined cl_khr_fp64 && "
                       "cl_khr_integer_dot_product == 1");
}

/* What clerk's own device, or clang's header, has. */
static void nothing_else_is_claimed(void **state)
{
    (void)state;
    static const char *const absent[] = {"cl_khr_fp16",
                                         "cl_khr_fp64",
                                         "cl_khr_3d_image_writes",
                                         "cl_khr_depth_images",
                                         "cl_khr_mipmap_image",
                                         "cl_khr_subgroups",
                                         "cl_intel_subgroups",
                                         "cl_intel_subgroups_short",
                                         "cl_khr_subgroup_ballot",
                                         "cl_khr_subgroup_shuffle",
                                         "cl_khr_subgroup_rotate",
                                         "cl_khr_subgroup_named_barrier",
                                         "cl_khr_extended_bit_ops",
                                         "cl_khr_integer_dot_product",
                                         "cl_khr_extended_async_copies",
                                         "cl_khr_async_work_group_copy_fence",
                                         "cl_khr_kernel_clock",
                                         "cl_ext_float_atomics",
                                         "cl_ext_image_raw10_raw12",
                                         "cl_khr_int64_base_atomics",
                                         "__opencl_c_ext_fp32_global_atomic_add",
                                         "__opencl_c_ext_fp64_local_atomic_min_max",
                                         "__opencl_c_integer_dot_product_input_4x8bit",
                                         "cles_khr_int64"};
    struct request_device device = usual;
    struct text condition = TEXT_INIT;
    device.extensions = "";
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        text_format(&condition, "%s!defined %s", i > 0 ? " && " : "", absent[i]);
    check_all(&device, condition.bytes);
    text_release(&condition);
}

static void features_are_there_unless_macros_take_them(void **state)
{
    (void)state;
    struct request_device device = usual;
    const char *const c_3_0 = "CL3.0";
    check(&device, c_3_0,
          "defined __opencl_c_fp64 && defined __opencl_c_images && "
          "defined __opencl_c_pipes && !defined __opencl_c_subgroups");
    device.macros = "#undef __opencl_c_pipes\n#define MINE 7";
    check(&device, c_3_0, "!defined __opencl_c_pipes && MINE == 7");
    device.extensions = "";
    check(&device, c_3_0, "!defined __opencl_c_fp64");
    device.has_images = false;
    check(&device, c_3_0, "!defined __opencl_c_images && !defined __opencl_c_read_write_images");
    device.version = 200;
    check(&device, c_3_0, "!defined __opencl_c_device_enqueue");
}

/* In each language, whatever the device has: what clerk puts before a program is right there. */
static void all_devices_compile(void **state)
{
    (void)state;
    static const char *const extensions[] = {
        "cl_khr_fp64 cl_khr_fp16 cl_khr_3d_image_writes",
        "cl_khr_fp16 cl_intel_subgroups cl_intel_subgroups_short",
        "cl_khr_fp64 cl_khr_subgroups cl_khr_subgroup_ballot cl_khr_subgroup_named_barrier",
        "cl_ext_float_atomics cl_khr_fp16",
        ("cl_ext_float_atomics cl_khr_fp16 cl_khr_fp64 cl_khr_int64_base_atomics "
         "cl_khr_int64_extended_atomics cl_khr_kernel_clock cl_khr_extended_async_copies"),
    };
    for (size_t i = 0; i < 4 * sizeof extensions / sizeof extensions[0]; i++) {
        struct request_device device = usual;
        device.extensions = extensions[i / 4];
        device.version = (i & 1) != 0 ? 300 : 120;
        device.has_images = (i & 2) != 0;
        check_all(&device, "1");
    }
}

/* A driver's compiler warns of other things. */
static void warnings_are_no_errors(void **state)
{
    (void)state;
    struct request_device device = usual;
    struct error error;
    device.extensions = "cl_nv_pragma_unroll cl_intel_subgroups";
    assert_int_equal(compile(&device, "-Werror",
                             "#pragma OPENCL EXTENSION cl_nv_pragma_unroll : enable\n"
                             "kernel void k(void) { int unused; }",
                             &error),
                     STATUS_OK);
}

static void addresses_of_32_bits_are_small(void **state)
{
    (void)state;
    struct request_device device = usual;
    struct error error;
    const char *const source =
        "kernel void k(global size_t *p) { int a[sizeof(size_t) == BYTES ? 1 : -1]; "
        "int b[sizeof(p) == BYTES ? 1 : -1]; *p = 1; }";
    assert_int_equal(compile(&device, "-DBYTES=8", source, &error), STATUS_OK);
    device.address_bits = 32;
    assert_int_equal(compile(&device, "-DBYTES=4", source, &error), STATUS_OK);
    assert_int_not_equal(compile(&device, "-DBYTES=8", source, &error), STATUS_OK);
}

/* The sizes that clSetKernelArg expects are the host's; what is in memory is the device's. */
static void kernels_of_32_bits_have_facts(void **state)
{
    (void)state;
    static const char source[] =
        "struct s { global int *p; int a; };\n"
        "kernel void k(global int *a, global struct s *b, uint c) { b[c].p = a; b[c].p[0] = 1; }";
    struct request_part part = {.bytes = source, .size = sizeof source - 1, .options = ""};
    struct request request = {.device = usual, .parts = &part, .part_count = 1};
    struct facts facts;
    struct error error;
    request.device.address_bits = 32;
    request.device.is_little_endian = false;
    assert_int_equal(answer_request(&request, &facts, &error), STATUS_OK);
    assert_int_equal(facts.kernel_count, 1);
    assert_int_equal(facts.kernels[0].argument_count, 3);
    assert_int_equal(facts.kernels[0].arguments[0].size, 8);
    assert_int_equal(facts.kernels[0].arguments[0].accesses, 3);
    assert_string_equal(facts.kernels[0].arguments[1].type_name, "struct s*");
    assert_int_equal(facts.kernels[0].arguments[2].size, 4);
    facts_release(&facts);
}

int main(void)
{
    setenv("CLERK_CACHE", CLERK_TEST_CACHE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(macros_tell_of_the_device),
        cmocka_unit_test(the_usual_version_is_the_highest_1_x_of_the_device),
        cmocka_unit_test(extensions_are_the_devices),
        cmocka_unit_test(nothing_else_is_claimed),
        cmocka_unit_test(features_are_there_unless_macros_take_them),
        cmocka_unit_test(all_devices_compile),
        cmocka_unit_test(warnings_are_no_errors),
        cmocka_unit_test(addresses_of_32_bits_are_small),
        cmocka_unit_test(kernels_of_32_bits_have_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
