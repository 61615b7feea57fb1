/* Records: an id leads to the vector and group that made it, also after ids were given anew. */
#include "checkers/order/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static struct records some_records(void)
{
    struct records records = {.limit = 100};
    records_reset(&records);
    for (uint32_t interval = 0; interval < 4; interval++) {
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(records_add(&records, 10 * interval + i, interval / 2, interval % 2),
                             3 * interval + i + 1);
        }
        records_end_interval(&records);
    }
    return records;
}

static void an_id_leads_to_its_vector_and_group(void **state)
{
    (void)state;
    struct records records = some_records();
    for (uint32_t id = 1; id <= 12; id++) {
        const struct record_interval *interval = records_find(&records, id);
        assert_int_equal(interval->group, (id - 1) / 6);
        assert_int_equal(interval->vector, (id - 1) / 3 % 2);
    }
    records_release(&records);
}

static void so_does_an_id_given_anew(void **state)
{
    (void)state;
    struct records records = some_records();
    uint32_t keep[13] = {0};
    keep[2] = keep[9] = keep[10] = 1; /* nothing of the second interval */
    records_renumber(&records, keep);
    assert_int_equal(keep[2], 1);
    assert_int_equal(keep[9], 2);
    assert_int_equal(keep[10], 3);
    assert_int_equal(records_find(&records, 1)->vector, 0);
    assert_int_equal(records_find(&records, 1)->group, 0);
    assert_int_equal(records_find(&records, 2)->vector, 0);
    assert_int_equal(records_find(&records, 2)->group, 1);
    assert_int_equal(records_find(&records, 3)->vector, 1);
    assert_int_equal(records.slots[2], 22);
    assert_int_equal(records_add(&records, 7, 2, 0), 4);
    assert_int_equal(records_find(&records, 4)->group, 2);
    assert_int_equal(records_find(&records, 3)->group, 1);
    records_release(&records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_leads_to_its_vector_and_group),
        cmocka_unit_test(so_does_an_id_given_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
