#include "layer/probes/certain_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

enum { BUFFER = 256, BEFORE = 64 };

/* A kernel with a pointer to BUFFER bytes, that are BEFORE bytes within their object, and a number.
 */
struct fixture {
    struct fact_argument arguments[2];
    struct fact_kernel facts;
    struct checked_kernel checked;
    struct reach reaches[2];
    struct given *given;
    struct probed probed;
};

static struct probed *make(struct fixture *fixture, const struct clerk_must *must, int32_t number)
{
    const struct given_argument value = {.kind = GIVEN_VALUE, .size = sizeof number};
    *fixture = (struct fixture){
        .arguments[0] = {.accesses = CL_KERNEL_ARG_WRITES_CLERK, .must_write = *must},
        .facts = {.arguments = fixture->arguments, .argument_count = 2},
        .checked = {.argument_count = 2},
        .reaches[0] = {
            .size = BUFFER, .object = 1, .object_size = BUFFER + BEFORE, .before = BEFORE}};
    fixture->given = given_create(2);
    given_set(&fixture->given, 1, &value, &number);
    fixture->probed = (struct probed){.facts = &fixture->facts,
                                      .checked = &fixture->checked,
                                      .reaches = fixture->reaches,
                                      .given = fixture->given};
    return &fixture->probed;
}

static const struct {
    struct clerk_must must; /* size, first, limit_argument, limit, index_bits, flags */
    int32_t number;
    struct launch_sizes sizes;
    uint64_t begin, end; /* 0, 0 = nothing is certain */
} rows[] = {
    {{4, 0, UINT64_MAX, UINT64_MAX, 64, 0}, 0, {1, {0}, {64}}, 64, 320},
    {{4, 8, UINT64_MAX, UINT64_MAX, 64, 0}, 0, {1, {2}, {4}}, 80, 96},
    {{4, 0, UINT64_MAX, 10, 64, 0}, 0, {2, {0}, {64, 2}}, 64, 104},
    {{4, 0, 1, 0, 64, CLERK_MUST_LIMIT_SIGNED}, 16, {1, {0}, {64}}, 64, 128},
    {{4, 0, 1, 0, 64, CLERK_MUST_LIMIT_SIGNED}, -1, {1, {0}, {64}}, 0, 0},
    {{4, 0, 0, 0, 64, 0}, 16, {1, {0}, {64}}, 0, 0}, /* a limit that is no number */
    {{4, 0, UINT64_MAX, UINT64_MAX, 64, 0}, 0, {1, {0}, {1000}}, 64, 320},
    {{4, 254, UINT64_MAX, UINT64_MAX, 64, 0}, 0, {1, {0}, {8}}, 0, 0},
    {{4, -4, UINT64_MAX, UINT64_MAX, 64, 0}, 0, {1, {1}, {8}}, 0, 0},
    {{4, 0, UINT64_MAX, UINT64_MAX, 64, CLERK_MUST_ATOMIC}, 0, {1, {0}, {64}}, 0, 0},
    {{0}, 0, {1, {0}, {64}}, 0, 0},
    {{4, 0, UINT64_MAX, UINT64_MAX, 64, 0}, 0, {2, {0}, {64, 0}}, 0, 0},
    {{4, 0, UINT64_MAX, UINT64_MAX, 3, 0}, 0, {1, {0}, {64}}, 64, 96},
    {{4, 0, UINT64_MAX, 64, 3, 0}, 0, {1, {0}, {64}}, 64, 96},
};

static void bytes_of_all_ids_below_the_limit_are_certain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture fixture;
        struct byte_range range = {0};
        const struct probed *probed = make(&fixture, &rows[i].must, rows[i].number);
        const bool wanted = rows[i].end != 0;
        if (certain_write_find(probed, 0, &rows[i].sizes, &range) != wanted)
            fail_msg("row %zu", i);
        else if (wanted && (range.begin != rows[i].begin || range.end != rows[i].end))
            fail_msg("row %zu: %zu to %zu", i, (size_t)range.begin, (size_t)range.end);
        given_drop(fixture.given);
    }
}

static void arguments_of_one_object_count_together(void **state)
{
    struct fixture fixture;
    (void)state;
    const struct probed *probed = make(&fixture, &rows[0].must, 0);
    assert_false(certain_write_may_read(probed, 1));
    assert_false(certain_write_may_read(probed, 2));
    fixture.reaches[1].object = 1;
    fixture.arguments[1].accesses = CL_KERNEL_ARG_READS_CLERK;
    assert_true(certain_write_may_read(probed, 1));
    given_drop(fixture.given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_all_ids_below_the_limit_are_certain),
        cmocka_unit_test(arguments_of_one_object_count_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
