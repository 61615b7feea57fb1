#include "replay/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* 2 slices of 2 rows of 3 bytes: recorded 4 bytes and 10 bytes apart, on the target 5 and 11. */
static const struct replay_rows rows = {{0, 3, 2, 2, 4, 10}, {0, 3, 2, 2, 5, 11}};
static const char recorded[] = "abc.def...ghi.jkl";
static const char target[] = "abc__def___ghi__jkl";

static void buffers_are_one_row(void **state)
{
    (void)state;
    const struct replay_rows row = replay_rows_of_buffer(5);
    char bytes[] = "-----";
    assert_int_equal(replay_rows_size(&row), 5);
    replay_rows_write(&row, bytes, 1, "abc", 3);
    assert_string_equal(bytes, "-abc-");
    replay_rows_read(&row, "vwxyz", 2, bytes, 3);
    assert_string_equal(bytes, "xyzc-");
}

static void rows_move_and_gaps_stay(void **state)
{
    (void)state;
    char there[] = "___________________";
    char here[] = ".................";
    assert_int_equal(replay_rows_size(&rows), sizeof here - 1);
    replay_rows_write(&rows, there, 0, recorded, sizeof recorded - 1);
    assert_string_equal(there, target);
    replay_rows_read(&rows, there, 0, here, sizeof here - 1);
    assert_string_equal(here, recorded);
}

/* Contents come in pieces that begin and end anywhere. */
static void any_part_goes_where_the_whole_does(void **state)
{
    (void)state;
    const size_t size = sizeof recorded - 1;
    for (size_t from = 0; from < size; from++) {
        for (size_t to = from; to <= size; to++) {
            char there[] = "___________________";
            char here[sizeof recorded];
            replay_rows_write(&rows, there, 0, recorded, from);
            replay_rows_write(&rows, there, from, recorded + from, to - from);
            replay_rows_write(&rows, there, to, recorded + to, size - to);
            assert_string_equal(there, target);
            memset(here, '.', sizeof here);
            replay_rows_read(&rows, target, from, here, to - from);
            assert_memory_equal(here, recorded + from, to - from);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_one_row),
        cmocka_unit_test(rows_move_and_gaps_stay),
        cmocka_unit_test(any_part_goes_where_the_whole_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
