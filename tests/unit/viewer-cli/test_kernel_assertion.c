/* The assertions of `clerk kernel --assert`: what holds, what is told of what does not, and what is
 * refused. */
#include "trace/base/alloc.h"
#include "viewer-cli/kernel/kernel_assertion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const given[] = {"buf:int[4]=iota", "buf:float4[2]=iota", "uint=7",
                                    "local:int[4]",    "buf:half[1]=2",      "buf:uchar[3]=255"};
static const char *const names[] = {"a", "v", "n", "l", "h", "c"};
enum { ARGUMENTS = sizeof given / sizeof *given };

struct fixture {
    struct kernel_argument arguments[ARGUMENTS];
    const uint8_t *bytes[ARGUMENTS];
    struct arena arena;
};

static int set_up(void **state)
{
    struct fixture *fixture = alloc_zero(1, sizeof *fixture);
    for (size_t i = 0; i < ARGUMENTS; i++) {
        assert_int_equal(kernel_argument_parse(given[i], &fixture->arguments[i], NULL), STATUS_OK);
        fixture->bytes[i] = fixture->arguments[i].bytes;
    }
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < ARGUMENTS; i++) {
        kernel_argument_release(&fixture->arguments[i]);
    }
    arena_release(&fixture->arena);
    alloc_free(fixture);
    return 0;
}

/* "" = it holds; else how often not, and what is to blame, or the sentence that refuses it. */
static void expect(struct fixture *fixture, const char *text, const char *told)
{
    const struct kernel_assertion_scope scope = {fixture->arguments, names, ARGUMENTS};
    const struct kernel_assertion *assertion = NULL;
    struct kernel_assertion_result result = {.where = TEXT_INIT};
    struct text found = TEXT_INIT;
    struct error error;
    enum status status = kernel_assertion_parse(text, &scope, &fixture->arena, &assertion, &error);
    if (status == STATUS_OK) {
        status = kernel_assertion_check(assertion, fixture->bytes, &result, &error);
    }
    if (status != STATUS_OK) {
        assert_int_equal(status, STATUS_INVALID);
        text_append(&found, strstr(error.text, "': ") + strlen("': "));
    } else if (result.violated > 0) {
        text_format(&found, "%d of %d: %s", (int)result.violated, (int)result.cases,
                    result.where.bytes);
    }
    assert_string_equal(found.bytes, told);
    text_release(&found);
    text_release(&result.where);
}

static void numbers_are_those_of_c(void **state)
{
    struct fixture *f = *state;
    expect(f, "a[3] == 3 && a[0] == 0", "");
    expect(f, "n - 8 > 0", "");
    expect(f, "(int)n - 8 < 0", "");
    expect(f, "c[0] + c[1] == 510 && ~c[0] == -256", "");
    expect(f, "h == 2.0f && h * 0.5 == 1", "");
    expect(f, "v[1].w == 7 && v[0].s2 == 2.0f", "");
    expect(f, "-v[0].x == 0 && a[1] << 31 < 0 && 7 / 2 == 3", "");
    expect(f, "(uchar)(c[0] + 1) == 0", "");
}

static void violations_show_both_sides(void **state)
{
    struct fixture *f = *state;
    expect(f, "a[3] == 4", "1 of 1: a[3] is 3");
    expect(f, "a[3] == n", "1 of 1: a[3] is 3 and n is 7");
    expect(f, "a[0] == 0 && ( v[1].x * 2 >= (n + 2) )", "1 of 1: v[1].x * 2 is 8 and n + 2 is 9");
    expect(f, "a[1] == 0 && n == 7", "1 of 1: a[1] is 1");
    expect(f, "!n", "1 of 1: ");
    expect(f, "n == 1 || a[0]", "1 of 1: ");
}

static void all_goes_through_elements(void **state)
{
    struct fixture *f = *state;
    expect(f, "all i: a[i] == i", "");
    expect(f, "all i: i == 0 || a[i] > a[i - 1]", "");
    expect(f, "all i: v[i].x == 4 * i && a[i] < 2", "");
    expect(f, "all i: a[i] < 2", "2 of 4: for i = 2, a[i] is 2");
    expect(f, "all i: all j: c[i] != c[j] || i == j", "6 of 9: for i = 0, j = 1");
}

static void what_makes_no_sense_is_refused(void **state)
{
    struct fixture *f = *state;
    expect(f, "b == 1", "the kernel has no argument 'b'; it has a, v, n, l, h, c");
    expect(f, "l[0] == 1", "argument 'l' is neither a buffer nor a value");
    expect(f, "a[4] == 1", "'a' has no element 4: it has 4");
    expect(f, "a[-1] == 1", "'a' has no element -1: it has 4");
    expect(f, "a[0.5] == 1", "the index of 'a' is no integer");
    expect(f, "a[0] % 0", "it divides by 0");
    expect(f, "h % h", "'%' is no operator of floating-point numbers");
    expect(f, "n.x == 1", "it has no component 'x'");
    expect(f, "v[0].xy == 1", "it has no component 'xy'");
    expect(f, "(int *)n == 1", "numbers are cast to numbers, and not to 'int *'");
    expect(f, "all n: a[n] == 1 && n[0]", "'n' is no buffer, and has no elements");
    expect(f, "all i: all j: all k: all l: all m: a[i] == 1",
           "there are more than 4 names behind 'all'");
    expect(f, "all i: i == i",
           "nothing says how far 'i' goes: it must index a buffer by itself, as in out[i]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_are_those_of_c, set_up, tear_down),
        cmocka_unit_test_setup_teardown(violations_show_both_sides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_goes_through_elements, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_makes_no_sense_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
