/* What the cells of a launch tell of the bytes that it used. */
#include "layer/probes/cell_uses.h"

#include "checkers/probe/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { NUMBER = 4100 };

static uint64_t cell_of(uint64_t launch, uint64_t kind, bool wrote)
{
    return (launch % CELLS_LAUNCH_MAX + 1) << CLERK_CELL_LAUNCH | kind << CLERK_CELL_KIND |
           (uint64_t)wrote << CLERK_CELL_WROTE;
}

static void each_element_has_its_kind(void **state)
{
    (void)state;
    const uint64_t cells[] = {
        cell_of(NUMBER, CLERK_READ, false),     0,
        cell_of(NUMBER, CLERK_WRITE, true),     cell_of(NUMBER, CLERK_ATOMIC, false),
        cell_of(NUMBER, CLERK_BOTH, false),     cell_of(NUMBER, CLERK_READ, true),
        cell_of(NUMBER - 1, CLERK_WRITE, true), cell_of(NUMBER, CLERK_WRITE, true), /* beyond */
    };
    struct cell_uses uses;
    struct use list[CELL_USES_KINDS];
    assert_true(cell_uses_init(&uses, 5, 30, 2, NUMBER));
    cell_uses_add(&uses, cells, 0, 4);
    cell_uses_add(&uses, cells + 4, 4, 4);
    assert_int_equal(cell_uses_list(&uses, list), 3);
    assert_int_equal(list[0].kind, USE_READ);
    assert_int_equal(list[0].bytes.bits[0], 0xf);
    assert_int_equal(list[1].kind, USE_WRITE);
    assert_int_equal(list[1].bytes.bits[0], 0xff0f00);
    assert_int_equal(list[2].kind, USE_ATOMIC_WRITE);
    assert_int_equal(list[2].bytes.bits[0], 0xf000);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(list[i].object, 5);
        assert_int_equal(list[i].bytes.first, 0);
        assert_int_equal(list[i].bytes.size, 30);
        assert_false(list[i].possible);
    }
    cell_uses_release(&uses);
}

static void elements_have_all_sizes(void **state)
{
    (void)state;
    for (uint32_t shift = 0; shift <= 7; shift++) {
        const uint64_t cells[] = {0, cell_of(1, CLERK_READ, false), 0};
        struct cell_uses uses;
        struct use list[CELL_USES_KINDS];
        assert_true(cell_uses_init(&uses, 1, UINT64_C(3) << shift, shift, 1));
        cell_uses_add(&uses, cells, 0, 3);
        assert_int_equal(cell_uses_list(&uses, list), 1);
        for (uint64_t i = 0; i < UINT64_C(3) << shift; i++)
            assert_int_equal(list[0].bytes.bits[i / 64] >> i % 64 & 1, i >> shift == 1);
        cell_uses_release(&uses);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_element_has_its_kind),
        cmocka_unit_test(elements_have_all_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
