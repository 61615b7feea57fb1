/* What lane code becomes as C. */
#include "reference/native/generate.h"
#include "tests/unit/vm/assembler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static struct assembler as;
static struct text text;

static int setup(void **state)
{
    (void)state;
    assembler_init(&as);
    text = (struct text)TEXT_INIT;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    text_release(&text);
    return 0;
}

static bool generate(const char *set)
{
    const struct native_set of = {.name = set, .rounds = strcmp(set, "base") != 0};
    text_clear(&text);
    const bool any = native_generate(assembler_finish(&as), &of, &text);
    assert_false(text.failed);
    return any;
}

static bool has(const char *part)
{
    return strstr(text.bytes, part) != NULL;
}

static void test_stretch_keeps_what_is_read_later(void **state)
{
    (void)state;
    const vm_row in = as_row(&as, 4, 1), dead = as_row(&as, 4, 1), kept = as_row(&as, 4, 1);
    as_block(&as);
    as_op(&as, VM_OP_iadd_32, dead, in, in, 0);
    as_op(&as, VM_OP_imul_32, kept, dead, in, 0);
    as_branch(&as, 1);
    as_block(&as);
    as_op(&as, VM_OP_set_32, in, kept, 0, 0);
    as_return(&as);
    assert_true(generate("v4"));
    char part[64];
    snprintf(part, sizeof part, "ROW(u32, %u)[lane] = v_2;\n", kept);
    assert_true(has(part));
    snprintf(part, sizeof part, "ROW(u32, %u)[lane] = v_1;\n", dead);
    assert_false(has(part));
}

static void test_uniform_is_computed_once(void **state)
{
    (void)state;
    const vm_row in = as_unit(&as), sum = as_unit(&as), row = as_row(&as, 4, 1);
    as_block(&as);
    as_op(&as, VM_OP_iadd_32_u, sum, in, as_constant(&as, 4, true, 7), 0);
    as_op(&as, VM_OP_splat_32, row, sum, 0, 0);
    as_op(&as, VM_OP_set_32, row, row, 0, 0);
    as_return(&as);
    assert_true(generate("v4"));
    assert_true(has("(u64)b") == false && has("= 7u;"));
    assert_true(strstr(text.bytes, "out_u32((u32)(a + b))") < strstr(text.bytes, "LANES {\n"));
}

/* Functions of the C library may round otherwise, or be missing. */
static void test_functions_are_interpreted(void **state)
{
    (void)state;
    const vm_row in = as_row(&as, 4, 1), out = as_row(&as, 4, 1);
    as_block(&as);
    as_op(&as, VM_OP_exp_f32, out, in, 0, 0);
    as_op(&as, VM_OP_floor_f32, out, out, 0, 0);
    as_return(&as);
    assert_true(generate("v4"));
    assert_true(has("INTERPRET(0, 1)"));
    assert_true(has("__builtin_floorf"));
    assert_false(generate("base"));
    assert_true(has("INTERPRET(0, 2)"));
}

/* Undefined operands are followed by steps, in as many rows as that is worth. */
static void test_undefined_rows_are_followed(void **state)
{
    (void)state;
    const vm_row in = as_row(&as, 4, 1), kept = as_row(&as, 4, 17), sum = as_row(&as, 4, 1);
    as_block(&as);
    as_op(&as, VM_OP_iand_32, sum, in, as_constant(&as, 4, false, 255), 0);
    as_op(&as, VM_OP_iadd_32, kept, sum, sum, 0);
    as_branch(&as, 1);
    as_block(&as);
    for (uint32_t i = 0; i < 17; i++)
        as_op(&as, VM_OP_iadd_32, kept + 4 * i, in, in, 0);
    as_branch(&as, 2);
    as_block(&as);
    for (uint32_t i = 0; i < 17; i++)
        as_op(&as, VM_OP_set_32, in, kept + 4 * i, 0, 0);
    as_return(&as);
    assert_true(generate("v4"));
    char part[128];
    snprintf(part, sizeof part, "READS(%u, 4)\n{%d, 0u, 4, 4, 0, {0, KNOWN(0), VARYING, }},\n", in,
             VM_OP_iand_32);
    assert_true(has(part));
    snprintf(part, sizeof part, "{%d, 0u, 4, 4, 0, {1, 1, VARYING, }},\n", VM_OP_iadd_32);
    assert_true(has(part));
    assert_true(has("known[] = {(u32)255u, 0};\nFOLLOW(0 | undefined["));
    snprintf(part, sizeof part, "if (RARE((0 | undefined[%u]) != 0)) {\nINTERPRET(3, 17)\n", in);
    assert_true(has(part));
}

/* A stretch that may have to be done again does not assign to what it has read. */
static void test_open_results_end_a_stretch(void **state)
{
    (void)state;
    const vm_row a = as_row(&as, 4, 1), b = as_row(&as, 4, 1), c = as_row(&as, 4, 1);
    as_block(&as);
    as_op(&as, VM_OP_udiv_32, c, a, b, 0);
    as_op(&as, VM_OP_iadd_32, c, c, b, 0);
    as_op(&as, VM_OP_set_32, a, c, 0, 0);
    as_return(&as);
    assert_true(generate("v4"));
    assert_true(has("INTERPRET(0, 2)"));
    assert_true(has("lane_open"));
}

static void test_rows_that_overlap_end_a_stretch(void **state)
{
    (void)state;
    const vm_row wide = as_row(&as, 8, 1), narrow = wide + 4, sum = as_row(&as, 8, 1);
    as_block(&as);
    as_op(&as, VM_OP_iadd_64, sum, wide, wide, 0);
    as_op(&as, VM_OP_trunc_64_32, narrow, sum, 0, 0);
    as_op(&as, VM_OP_set_32, narrow, narrow, 0, 0);
    as_return(&as);
    assert_true(generate("v4"));
    assert_true(has("INTERPRET(0, 1)\n} else"));
}

/* What is loaded is used in the loop, if something is; and is not written if nobody reads it later.
 */
static void test_loads_are_part_of_a_stretch(void **state)
{
    (void)state;
    as_unit(&as); /* of its terms */
    const vm_row address = as_row(&as, 8, 1), sum = as_row(&as, 4, 1);
    struct vm_instruction load = {
        .op = VM_OP_load_a, .dst = as_row(&as, 4, 1), .a = address, .width = 4, .count = 1};
    char part[64];
    snprintf(part, sizeof part, "ROW(u32, %u)[lane] =", load.dst);
    as_block(&as);
    as_emit(&as, load);
    as_op(&as, VM_OP_iadd_32, sum, load.dst, load.dst, 0);
    as_branch(&as, 1);
    as_block(&as);
    load.dst = as_row(&as, 4, 1);
    as_emit(&as, load);
    as_op(&as, VM_OP_set_32, sum, sum, 0, 0);
    as_return(&as);
    assert_true(generate("v4"));
    assert_false(has(part));
    assert_true(has("LOADED(32, 2);\n"));
    assert_true(has("goto done_"));
    assert_true(has("load_again_32(call, &call->memos[0], "));
    assert_true(has("load_again_32(call, &call->memos[1], "));
}

static void test_same_code_same_text(void **state)
{
    (void)state;
    test_uniform_is_computed_once(state);
    struct text first = text;
    text = (struct text)TEXT_INIT;
    assert_true(generate("v4"));
    assert_string_equal(first.bytes, text.bytes);
    text_release(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_stretch_keeps_what_is_read_later, setup, teardown),
        cmocka_unit_test_setup_teardown(test_uniform_is_computed_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_functions_are_interpreted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_undefined_rows_are_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open_results_end_a_stretch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rows_that_overlap_end_a_stretch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_loads_are_part_of_a_stretch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_code_same_text, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
