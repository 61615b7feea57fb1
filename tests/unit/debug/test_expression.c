/* Each expression is read and printed with all parentheses, which read again are the same. */
#include "trace/debug/expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool names_type(void *user, const char *name)
{
    return strcmp(name, user) == 0;
}

static enum status parse(const char *text, bool may_assign, struct arena *arena, struct text *to,
                         struct error *error)
{
    static char type[] = "pixel_t";
    const struct expression *expression = NULL;
    const enum status status =
        expression_parse(text, may_assign, names_type, type, arena, &expression, error);
    if (status == STATUS_OK)
        expression_print(expression, to);
    return status;
}

static void is_read_as(const char *text, const char *expected)
{
    struct arena arena = {0};
    struct text printed = TEXT_INIT;
    struct text again = TEXT_INIT;
    struct error error = {0};
    if (parse(text, true, &arena, &printed, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_string_equal(printed.bytes, expected);
    if (parse(printed.bytes, true, &arena, &again, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_string_equal(again.bytes, expected);
    text_release(&printed);
    text_release(&again);
    arena_release(&arena);
}

static void is_refused(const char *text, const char *sentence)
{
    struct arena arena = {0};
    struct text printed = TEXT_INIT;
    struct error error = {0};
    assert_int_equal(parse(text, false, &arena, &printed, &error), STATUS_INVALID);
    assert_string_equal(error.text, sentence);
    assert_int_equal(printed.size, 0);
    text_release(&printed);
    arena_release(&arena);
}

static void precedence_is_that_of_c(void **state)
{
    (void)state;
    is_read_as("a+b*c", "a + (b * c)");
    is_read_as("a-b-c", "(a - b) - c");
    is_read_as("a<<1+b", "a << (1 + b)");
    is_read_as("a&b==c", "a & (b == c)");
    is_read_as("a||b&&c|d^e&f", "a || (b && (c | (d ^ (e & f))))");
    is_read_as("a<b==c>=d", "(a < b) == (c >= d)");
    is_read_as("a?b:c?d:e", "a ? b : (c ? d : e)");
    is_read_as("a||b?c,d:e", "(a || b) ? (c, d) : e");
    is_read_as("a,b,c", "(a, b), c");
    is_read_as("-a*b", "(-a) * b");
    is_read_as("!~-+a", "!(~(-(+a)))");
}

static void literals_have_their_types(void **state)
{
    (void)state;
    is_read_as("2147483647", "2147483647");
    is_read_as("2147483648", "2147483648L");
    is_read_as("0x80000000", "2147483648u");
    is_read_as("0xFFFFFFFFFFFFFFFF", "18446744073709551615uL");
    is_read_as("017", "15");
    is_read_as("1ul", "1uL");
    is_read_as("1.5f", "0x18000000000000p-52f");
    is_read_as("0.f", "0x0p0f");
    is_read_as(".25", "0x10000000000000p-54");
    is_read_as("1e2", "0x19000000000000p-46");
    is_read_as("0x1.8p1h", "0x18000000000000p-51h");
    is_read_as("'a'", "'a'");
    is_read_as("'\\n'", "'\\n'");
    is_read_as("'\\''", "'\\''");
}

static void places_are_followed(void **state)
{
    (void)state;
    is_read_as("p->next.x[3]", "p->next.x[3]");
    is_read_as("(*p).x", "(*p).x");
    is_read_as("a[2..9]", "a[2..9]");
    is_read_as("a[i+1 .. n-1]", "a[i + 1..n - 1]");
    is_read_as("a[2. ..9]", "a[0x10000000000000p-51..9]");
    is_read_as("v.s3 + $gid.x", "v.s3 + $gid.x");
    is_read_as("&a[1]", "&a[1]");
    is_read_as("fabs(x-y) < 1e-6f", "fabs(x - y) < 0x10c6f7a0b5ed8dp-72f");
    is_read_as("convert_int4_sat(v)", "convert_int4_sat(v)");
    is_read_as("f()", "f()");
}

static void types_are_told_from_values(void **state)
{
    (void)state;
    is_read_as("(uint)x", "(uint)x");
    is_read_as("(unsigned int)x", "(uint)x");
    is_read_as("(long unsigned)-1", "(ulong)(-1)");
    is_read_as("(unsigned)x", "(uint)x");
    is_read_as("(const signed char)x", "(char)x");
    is_read_as("(struct node *)p", "(struct node *)p");
    is_read_as("(__global float4 const * const*)p", "(global float4 **)p");
    is_read_as("(pixel_t)x", "(pixel_t)x");
    is_read_as("(other_t)", "other_t");
    is_read_as("(float4)(x, y, 0, 1)", "(float4)(x, y, 0, 1)");
    is_read_as("(float4)x", "(float4)x");
    is_read_as("(float)(x, y)", "(float)(x, y)");
    is_read_as("sizeof(struct node)", "sizeof(struct node)");
    is_read_as("sizeof x", "sizeof(x)");
    is_read_as("sizeof(x)+1", "sizeof(x) + 1");
}

static void assignments_stand_at_the_top(void **state)
{
    (void)state;
    is_read_as("x=1", "x = 1");
    is_read_as("a[2]<<=y+1", "a[2] <<= y + 1");
    is_read_as("*p+=1", "*p += 1");
    is_refused("x = 1", "column 3 of 'x = 1': nothing can be assigned here");
    is_refused("(x = 1)", "column 4 of '(x = 1)': ')' is wanted, not '='");
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    (void)state;
    is_refused("", "column 1 of '': it ends where a value is wanted");
    is_refused("a +", "column 4 of 'a +': it ends where a value is wanted");
    is_refused("a b", "column 3 of 'a b': 'b' follows where it should end");
    is_refused("(a", "column 3 of '(a': it ends where ')' is wanted");
    is_refused("a[1", "column 4 of 'a[1': it ends where ']' is wanted");
    is_refused("09", "column 1 of '09': '09' is no number of OpenCL C");
    is_refused("1.2.3", "column 1 of '1.2.3': '1.2.3' is no number of OpenCL C");
    is_refused("1e999", "column 1 of '1e999': '1e999' is no number of OpenCL C");
    is_refused(
        "99999999999999999999",
        "column 1 of '99999999999999999999': '99999999999999999999' is no number of OpenCL C");
    is_refused("a.1", "column 2 of 'a.1': '.1' follows where it should end");
    is_refused("a.", "column 3 of 'a.': the name of a member is wanted");
    is_refused("(uint", "column 6 of '(uint': it ends where ')' is wanted");
    is_refused("int", "column 1 of 'int': 'int' is a type; a cast is written (int)x");
    is_refused("(unsigned float)x", "column 16 of '(unsigned float)x': there is no unsigned float");
    is_refused("a[0]@4", "column 5 of 'a[0]@4': '@' is gdb's: several elements are a[2..5]");
    is_refused("a # b", "column 3 of 'a # b': '#' has no meaning here");
    is_refused("''", "column 1 of '''': a character between two ' is wanted");
    is_refused("(struct)x", "column 8 of '(struct)x': the name of a struct is wanted");
}

static void depth_has_a_limit(void **state)
{
    (void)state;
    char text[1024];
    struct arena arena = {0};
    struct text printed = TEXT_INIT;
    struct error error = {0};
    memset(text, '(', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_int_equal(parse(text, false, &arena, &printed, &error), STATUS_INVALID);
    assert_non_null(strstr(error.text, "nested deeper"));
    memset(text, '-', sizeof text - 1);
    assert_int_equal(parse(text, false, &arena, &printed, &error), STATUS_INVALID);
    text_release(&printed);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence_is_that_of_c),
        cmocka_unit_test(literals_have_their_types),
        cmocka_unit_test(places_are_followed),
        cmocka_unit_test(types_are_told_from_values),
        cmocka_unit_test(assignments_stand_at_the_top),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(depth_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
