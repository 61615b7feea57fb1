/* Stretches of memory are found by any byte, however they overlap: compared with a plain list. */
#include "checkers/host/memory/stretches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAX = 200, BYTES = 500, ROUNDS = 20000 };

static struct plain {
    uint64_t first, last;
    bool there;
} list[MAX];

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

static void turn(struct stretches *stretches, struct plain *plain, uint64_t *random)
{
    if (plain->there) {
        stretches_remove(stretches, plain->first, plain->last, plain);
        plain->there = false;
        return;
    }
    plain->first = next_random(random) % BYTES;
    plain->last = plain->first + next_random(random) % (next_random(random) % 50 + 1);
    plain->there = true;
    assert_true(stretches_add(stretches, plain->first, plain->last, plain));
}

static void compare(const struct stretches *stretches, uint64_t first, uint64_t last)
{
    bool found[MAX] = {false};
    size_t at = SIZE_MAX;
    const struct stretch *stretch;
    while ((stretch = stretches_next(stretches, first, last, &at)) != NULL) {
        const size_t index = (size_t)((struct plain *)stretch->owner - list);
        assert_false(found[index]); /* once */
        found[index] = true;
    }
    for (size_t i = 0; i < MAX; i++)
        assert_int_equal(found[i], list[i].there && list[i].first <= last && list[i].last >= first);
}

static void as_a_plain_list(void **state)
{
    struct stretches stretches = {.list = NULL};
    uint64_t random = 1;
    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        turn(&stretches, &list[next_random(&random) % MAX], &random);
        const uint64_t first = next_random(&random) % BYTES;
        compare(&stretches, first, first + next_random(&random) % 20);
    }
    stretches_release(&stretches);
}

static void the_last_address(void **state)
{
    struct stretches stretches = {.list = NULL};
    size_t at = SIZE_MAX;
    (void)state;
    assert_true(stretches_add(&stretches, UINT64_MAX - 7, UINT64_MAX, list));
    stretches_remove(&stretches, UINT64_MAX - 7, UINT64_MAX, NULL); /* another's */
    const struct stretch *found = stretches_next(&stretches, UINT64_MAX, UINT64_MAX, &at);
    assert_non_null(found);
    assert_ptr_equal(found->owner, list);
    assert_null(stretches_next(&stretches, UINT64_MAX, UINT64_MAX, &at));
    stretches_release(&stretches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_plain_list),
        cmocka_unit_test(the_last_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
