/* Where pointers lead that are into no argument: every address around allocations, those freed, and
 * what lies between. */
#include "checkers/probe/shared_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef uint32_t uint;
typedef uint64_t ulong;
typedef uint uint8; /* who it is, which is not looked at here */

enum { BOUNDS = 1, FREED, NOWHERE };

static int closed_by_text;
static uint told;
static ulong told_offset, told_size;

static void clerk_tell(const uint *report, uint8 who, uint what, uint site, uint bytes,
                       ulong offset, ulong size, ulong other)
{
    (void)report, (void)who, (void)site, (void)bytes, (void)other;
    told = what & 0xff;
    told_offset = offset;
    told_size = size;
}

#define __global
#define clerk_CHECK            static inline
#define clerk_SLOW             static
#define clerk_HAS_SHARED       1
#define clerk_MAKES_POINTERS   (!closed_by_text)
#define clerk_REPORT_GLOBAL    0
#define clerk_REPORT_BOUNDS    BOUNDS
#define clerk_REPORT_FREED     FREED
#define clerk_REPORT_NOWHERE   NOWHERE
#define clerk_SHARED_ALIVE     SHARED_ALIVE
#define clerk_SHARED_FREED     SHARED_FREED
#define clerk_SHARED_IS_CLOSED SHARED_IS_CLOSED
#define clerk_SHARED_RANGES    SHARED_RANGES
#include "checkers/probe/checks_pointers.cl"

/* Two that touch, and one apart; one was freed. */
static ulong table[] = {3, 1, 1, 100000, 100064, 100064, 100096, 200000, 200008, 300000, 300016};

/* 0 = nothing was told. */
static uint judge(ulong address, ulong bytes, ulong origin)
{
    told = 0;
    const uint may = clerk_elsewhere(table, (uint *)0, 1, 2, address, bytes, origin);
    assert_int_equal(may, told == 0);
    return told;
}

static int set_up(void **state)
{
    (void)state;
    closed_by_text = 1;
    table[SHARED_IS_CLOSED] = 1;
    return 0;
}

static void what_lies_in_an_allocation_is_fine(void **state)
{
    (void)state;
    for (ulong address = 99990; address < 200020; address++) {
        const int first = address >= 100000 && address + 4 <= 100064;
        const int second = address >= 100064 && address + 4 <= 100096;
        const int third = address >= 200000 && address + 4 <= 200008;
        assert_int_equal(judge(address, 4, 0) == 0, first || second || third);
    }
}

static void what_leaves_one_is_told_with_it(void **state)
{
    (void)state;
    assert_int_equal(judge(100060, 8, 0), BOUNDS);
    assert_int_equal(told_offset, 60);
    assert_int_equal(told_size, 64);
    /* From a pointer into it, before its beginning. */
    assert_int_equal(judge(99996, 4, 100032), BOUNDS);
    assert_int_equal((int64_t)told_offset, -4);
    /* Into another one: that may be meant. */
    assert_int_equal(judge(200000, 4, 100032), 0);
    assert_int_equal(judge(100096 + 4000, 4, 0), BOUNDS);
    assert_int_equal(told_offset, 32 + 4000);
}

static void what_was_freed_is_told(void **state)
{
    (void)state;
    assert_int_equal(judge(300000, 4, 0), FREED);
    assert_int_equal(judge(300015, 1, 0), FREED);
    assert_int_equal(judge(300016, 4, 0), NOWHERE);
    table[SHARED_IS_CLOSED] = 0;
    assert_int_equal(judge(300000, 4, 0), FREED);
}

static void pointers_that_may_lead_elsewhere_do(void **state)
{
    (void)state;
    assert_int_equal(judge(7000, 4, 0), NOWHERE);
    table[SHARED_IS_CLOSED] = 0;
    assert_int_equal(judge(7000, 4, 0), 0);
    assert_int_equal(judge(100096, 4, 0), 0);
    assert_int_equal(judge(100096, 4, 100064), BOUNDS);
    table[SHARED_IS_CLOSED] = 1;
    closed_by_text = 0;
    assert_int_equal(judge(7000, 4, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_lies_in_an_allocation_is_fine, set_up),
        cmocka_unit_test_setup(what_leaves_one_is_told_with_it, set_up),
        cmocka_unit_test_setup(what_was_freed_is_told, set_up),
        cmocka_unit_test_setup(pointers_that_may_lead_elsewhere_do, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
