/* What comes again and again is told some times, and the rest counted: none is lost. */
#include "layer/probes/repeated.h"

#include "checkers/finding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct tally {
    size_t findings;
    uint64_t times;
};

static void take(void *user, const struct finding *finding)
{
    struct tally *tally = user;
    tally->findings++;
    tally->times += finding->count;
}

static struct finding finding_at(struct finding_place *place, uint32_t line)
{
    *place = (struct finding_place){.kind = FINDING_PLACE_KERNEL, .file = "<source>", .line = line};
    return (struct finding){
        .rule = RULE_RACE_GLOBAL, .message = "m", .places = place, .place_count = 1, .count = 1};
}

static void the_rest_is_counted(void **state)
{
    (void)state;
    enum { TIMES = 100000 };
    struct repeated *repeated = repeated_create();
    struct tally tally = {0}, at_end = {0};
    assert_true(repeated != NULL);
    for (uint32_t i = 0; i < TIMES; i++) {
        struct finding_place place;
        const struct finding finding = finding_at(&place, 1 + i % 2);
        if (repeated_is_new(repeated, &finding))
            take(&tally, &finding);
    }
    assert_true(tally.findings < 1000);
    repeated_tell(repeated, take, &at_end);
    assert_int_equal(at_end.findings, 2);
    assert_int_equal(tally.times + at_end.times, TIMES);
    at_end = (struct tally){0};
    repeated_tell(repeated, take, &at_end);
    assert_int_equal(at_end.findings, 0);
    repeated_destroy(repeated);
}

/* A few are told one by one, as ever. */
static void few_are_told(void **state)
{
    (void)state;
    struct repeated *repeated = repeated_create();
    struct tally tally = {0}, at_end = {0};
    for (uint32_t i = 0; i < 100; i++) {
        struct finding_place place;
        const struct finding finding = finding_at(&place, 7);
        if (repeated_is_new(repeated, &finding))
            take(&tally, &finding);
    }
    repeated_tell(repeated, take, &at_end);
    assert_int_equal(tally.findings, 100);
    assert_int_equal(at_end.findings, 0);
    repeated_destroy(repeated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_is_counted),
        cmocka_unit_test(few_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
