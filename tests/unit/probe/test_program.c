/* The program clerk_probe: what it answers to a request, and to what is none. */
#include "checkers/probe/reply.h"
#include "checkers/probe/request.h"
#include "trace/base/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct process_result run(const void *input, size_t size, const char *argument)
{
    struct process_result result;
    struct error error;
    const char *arguments[4] = {NULL};
    size_t count = 0;
    if (CLERK_TEST_EMULATOR[0] != '\0')
        arguments[count++] = CLERK_TEST_EMULATOR;
    arguments[count++] = CLERK_TEST_PROBE;
    arguments[count] = argument;
    const struct process_request request = {
        .arguments = arguments, .input = input, .input_size = size, .output_max = 1 << 20};
    assert_int_equal(process_run(&request, &result, &error), STATUS_OK);
    return result;
}

static void pack_request(bool wants_checked, struct text *text)
{
    static const char source[] = "kernel void k(global int *a, float b) { *a = 1; }";
    struct request_part part = {.bytes = source, .size = sizeof source - 1, .options = ""};
    const struct request request = {.device = {.extensions = "cl_khr_fp64",
                                               .version = 300,
                                               .address_bits = 64,
                                               .has_images = true,
                                               .is_little_endian = true,
                                               .macros = ""},
                                    .wants_checked = wants_checked,
                                    .parts = &part,
                                    .part_count = 1};
    request_pack(&request, text);
}

static void pack_good_request(struct text *text)
{
    pack_request(false, text);
}

/* It ends with status 1, without output, and with one sentence that has `words`. */
static void check_refusal(const void *input, size_t size, const char *words)
{
    struct process_result result = run(input, size, NULL);
    assert_int_equal(result.exit_status, 1);
    assert_int_equal(result.standard_output.size, 0);
    const char *said = result.standard_error.bytes;
    if (!strstr(said, words) || strncmp(said, "clerk_probe: ", 13) != 0 ||
        strchr(said, '\n') != said + strlen(said) - 1)
        fail_msg("it says '%s'", said);
    process_result_release(&result);
}

static void a_request_is_answered(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct facts facts;
    struct checked checked;
    pack_good_request(&text);
    struct process_result result = run(text.bytes, text.size, NULL);
    assert_int_equal(result.exit_status, 0);
    assert_string_equal(result.standard_error.bytes, "");
    assert_true(
        reply_unpack(result.standard_output.bytes, result.standard_output.size, &facts, &checked));
    assert_int_equal(checked.part_count, 0);
    assert_string_equal(checked.reason,
                        "its program was loaded as a binary, so its source is not known");
    const struct fact_kernel *kernel = facts_find(&facts, "k");
    assert_non_null(kernel);
    assert_int_equal(kernel->argument_count, 2);
    assert_string_equal(kernel->arguments[1].type_name, "float");
    facts_release(&facts);
    checked_release(&checked);
    process_result_release(&result);
    text_release(&text);
}

static void a_checked_copy_comes_when_it_is_wanted(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct facts facts;
    struct checked checked;
    pack_request(true, &text);
    struct process_result result = run(text.bytes, text.size, NULL);
    assert_int_equal(result.exit_status, 0);
    assert_true(
        reply_unpack(result.standard_output.bytes, result.standard_output.size, &facts, &checked));
    assert_string_equal(checked.reason, "");
    assert_int_equal(checked.part_count, 1);
    assert_non_null(checked_find(&checked, "k"));
    assert_int_equal(checked.site_count, 1);
    assert_string_equal(checked.sites[0].expression, "*a");
    checked_release(&checked);
    facts_release(&facts);
    process_result_release(&result);
    text_release(&text);
}

/* Where the reference device has no facts, a copy may be: and why there is none is told. */
static void facts_may_be_missing_beside_a_copy(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct facts facts;
    struct checked checked;
    pack_request(true, &text);
    setenv("CLERK_CLANG", "/nonexistent", 1);
    struct process_result result = run(text.bytes, text.size, NULL);
    unsetenv("CLERK_CLANG");
    assert_int_equal(result.exit_status, 0);
    assert_true(
        reply_unpack(result.standard_output.bytes, result.standard_output.size, &facts, &checked));
    assert_int_equal(facts.kernel_count, 0);
    assert_string_equal(checked.reason, "the compilers that clerk needs are not there");
    facts_release(&facts);
    checked_release(&checked);
    process_result_release(&result);
    text_release(&text);
}

static void what_is_no_request_is_refused(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    check_refusal(NULL, 0, "the request of 0 bytes is none of this version of clerk");
    check_refusal("garbage, all of it", 18, "the request of 18 bytes is none");
    pack_good_request(&text);
    check_refusal(text.bytes, text.size - 1, "is none of this version of clerk");
    text_release(&text);
}

static void a_machine_without_clang_is_told(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    pack_good_request(&text);
    setenv("CLERK_CLANG", "/nonexistent", 1);
    check_refusal(text.bytes, text.size, "CLERK_CLANG=/nonexistent");
    unsetenv("CLERK_CLANG");
    text_release(&text);
}

/* The reference device's personality is not the driver's. */
static void personalities_do_not_count(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    pack_good_request(&text);
    setenv("CLERK_PERSONALITY", "32-bit,big-endian", 1);
    struct process_result result = run(text.bytes, text.size, NULL);
    assert_int_equal(result.exit_status, 0);
    unsetenv("CLERK_PERSONALITY");
    process_result_release(&result);
    text_release(&text);
}

static void arguments_are_none_of_its_own(void **state)
{
    (void)state;
    struct process_result result = run(NULL, 0, "--help");
    assert_int_equal(result.exit_status, 2);
    assert_int_equal(result.standard_output.size, 0);
    assert_memory_equal(result.standard_error.bytes, "usage: clerk_probe", 18);
    process_result_release(&result);
}

int main(void)
{
    setenv("CLERK_CACHE", CLERK_TEST_CACHE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_answered),
        cmocka_unit_test(a_checked_copy_comes_when_it_is_wanted),
        cmocka_unit_test(facts_may_be_missing_beside_a_copy),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(a_machine_without_clang_is_told),
        cmocka_unit_test(personalities_do_not_count),
        cmocka_unit_test(arguments_are_none_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
