/* The listing of lane code, places, names. */
#include "reference/vm/code.h"
#include "reference/vm/shape.h"
#include "tests/unit/vm/assembler.h"
#include "tests/unit/vm/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static struct assembler as;

static void the_listing_shows_operands_and_launch(void **state)
{
    (void)state;
    assembler_init(&as);
    const vm_row out = as_buffer(&as, "out");
    const vm_row id = as_query(&as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row two = as_constant(&as, 4, false, 2);
    as_variable(&as, VM_VARIABLE_LOCAL, "tile", 64);
    as_block(&as);
    const vm_row value = as_load(&as, as_address(&as, out, id, -8), 4, 2);
    const vm_row mask = as_unit(&as);
    as_op(&as, VM_OP_slt_32, mask, value, two, 0);
    as_branch_if(&as, mask, 1, 2);
    as_block(&as);
    as_barrier(&as, OBSERVER_SCOPE_WORK_GROUP, 3, 2, &two, 1);
    as_block(&as);
    as_atomic(&as, VM_OP_atomic_iadd, 4, value, id, two, 0);
    as_return(&as);
    uint32_t places[8] = {0, 0, 0, 1, 1};
    struct vm_place table[] = {{.function = NULL}, {.function = "kernel", .line = 7, .column = 3}};
    as.code.instruction_places = places;
    as.code.places = table;
    as.code.place_count = 2;
    vm_code_check(assembler_finish(&as));
    struct text text = TEXT_INIT;
    listing_print(assembler_finish(&as), &text);
    assert_string_equal(text.bytes, "kernel kernel: 40 units, 0 private bytes, 64 local bytes\n"
                                    "  parameter 0 global  out -> r1\n"
                                    "  local tile: 64 bytes -> r14\n"
                                    "  global id 0 -> r2\n"
                                    "  constant r10 = 0x2\n"
                                    "b0:\n"
                                    "     0  r15 = splat_64 r1\n"
                                    "     1  r23 = index_64 r15 r2 -8\n"
                                    "     2  r31 = load.4x2 r23\n"
                                    "     3  r39 = slt_32 r31 r10  ; 7:3\n"
                                    "     4  branch_if b1 b2 r39  ; 7:3\n"
                                    "b1:\n"
                                    "     5  barrier work_group flags 3 then b2 counters r10\n"
                                    "b2:\n"
                                    "     6  r31 = atomic_iadd.4x1 r2 r10 relaxed device\n"
                                    "     7  return\n");
    text_release(&text);
}

static const char *line_of(const void *program, const char *file, uint32_t line)
{
    assert_string_equal(program, "program");
    assert_string_equal(file, "a.cl");
    return line == 12 ? "x = f(y);" : NULL;
}

static void a_place_names_the_chain_of_calls(void **state)
{
    (void)state;
    assembler_init(&as);
    as_block(&as);
    as_return(&as);
    struct vm_place table[] = {
        {.function = NULL},
        {.function = "kernel", .file = "a.cl", .line = 12, .column = 5},
        {.function = "f", .file = "a.cl", .line = 3, .column = 9, .caller = 1},
    };
    uint32_t places[] = {2};
    as.code.instruction_places = places;
    as.code.places = table;
    as.code.place_count = 3;
    as.code.source_line = line_of;
    as.code.program = "program";
    struct observer_place place;
    vm_code_describe(&as.code, 0, &place);
    assert_int_equal(place.frame_count, 2);
    assert_string_equal(place.frames[0].function, "f");
    assert_null(place.frames[0].source);
    assert_string_equal(place.frames[1].function, "kernel");
    assert_int_equal(place.frames[1].line, 12);
    assert_string_equal(place.frames[1].source, "x = f(y);");
    vm_code_describe(&as.code, 1, &place);
    assert_int_equal(place.frame_count, 0);
    vm_code_describe(&as.code, UINT32_MAX, &place);
    assert_int_equal(place.frame_count, 0);
}

static void a_chain_that_runs_in_a_circle_ends(void **state)
{
    (void)state;
    assembler_init(&as);
    as_block(&as);
    as_return(&as);
    struct vm_place table[] = {{.function = NULL}, {.function = "f", .caller = 1}};
    uint32_t places[] = {1};
    as.code.instruction_places = places;
    as.code.places = table;
    as.code.place_count = 2;
    struct observer_place place;
    vm_code_describe(&as.code, 0, &place);
    assert_int_equal(place.frame_count, OBSERVER_FRAME_MAX);
}

static void every_op_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < VM_OP_COUNT; i++) {
        assert_true(strlen(vm_op_name((enum vm_op)i)) > 1);
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(vm_op_name((enum vm_op)i), vm_op_name((enum vm_op)k));
    }
    assert_string_equal(vm_op_name(VM_OP_iadd_32_u), "iadd_32_u");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_listing_shows_operands_and_launch),
        cmocka_unit_test(a_place_names_the_chain_of_calls),
        cmocka_unit_test(a_chain_that_runs_in_a_circle_ends),
        cmocka_unit_test(every_op_has_a_name_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
