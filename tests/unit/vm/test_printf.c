/* Formats of printf, as OpenCL C 3.0, 6.15.14, says. */
#include "reference/vm/printf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <string.h>

static const char memory[] = {'w', 'o', 'r', 'd', '\0', 'x', 'y'};

/* Pointers of the tests: 100 + offset. */
static const char *find_string(const void *user, uint64_t pointer, size_t *size)
{
    assert_ptr_equal(user, memory);
    if (pointer < 100 || pointer >= 100 + sizeof memory)
        return NULL;
    *size = sizeof memory - (size_t)(pointer - 100);
    return memory + (pointer - 100);
}

static uint64_t of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

struct sample {
    const char *format, *wanted;
    uint8_t width, count;
    uint64_t components[16];
};

/* Each format has one argument. */
static void assert_samples(const struct sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text text = TEXT_INIT;
        const struct printf_argument argument = {
            .components = samples[i].components,
            .width = samples[i].width,
            .count = samples[i].count,
        };
        printf_format(&(struct printf_request){.format = samples[i].format,
                                               .arguments = &argument,
                                               .argument_count = 1,
                                               .string = find_string,
                                               .user = memory},
                      &text);
        assert_string_equal(text.bytes, samples[i].wanted);
        text_release(&text);
    }
}
#define ASSERT_SAMPLES(samples) assert_samples(samples, sizeof(samples) / sizeof((samples)[0]))

static void integers_have_flags_widths_and_lengths(void **state)
{
    (void)state;
    const struct sample samples[] = {
        {"%d", "-5", 4, 1, {0xFFFFFFFB}},
        {"%i|", "7|", 4, 1, {7}},
        {"%u", "4294967291", 4, 1, {0xFFFFFFFB}},
        {"%5d|", "   42|", 4, 1, {42}},
        {"%-5d|", "42   |", 4, 1, {42}},
        {"%05d", "-0042", 4, 1, {0xFFFFFFD6}},
        {"%+d % d", "+1 % d", 4, 1, {1}},
        {"% d", " 1", 4, 1, {1}},
        {"%.3d", "007", 4, 1, {7}},
        {"%#x %%", "0xff %", 4, 1, {255}},
        {"%#o", "017", 4, 1, {15}},
        {"%X", "FF", 4, 1, {255}},
        {"%hhd", "-1", 4, 1, {0x1FF}},
        {"%hd", "-1", 4, 1, {0x1FFFF}},
        {"%hhu", "255", 4, 1, {0x1FF}},
        {"%d", "1", 8, 1, {0x700000001}},
        {"%ld", "-2", 8, 1, {UINT64_MAX - 1}},
        {"%lu", "18446744073709551615", 8, 1, {UINT64_MAX}},
        {"%ld", "-1", 4, 1, {0xFFFFFFFF}},
    };
    ASSERT_SAMPLES(samples);
}

static void floats_are_printed_exactly(void **state)
{
    (void)state;
    const struct sample samples[] = {
        {"%f", "0.100000", 8, 1, {of_double(0.1)}},
        {"%.20f", "0.10000000000000000555", 8, 1, {of_double(0.1)}},
        {"%.10f", "0.1000000015", 4, 1, {of_float(0.1f)}},
        {"%8.2e|", "1.23e+04|", 8, 1, {of_double(12345.0)}},
        {"%-9.1F|", "2.5      |", 8, 1, {of_double(2.5)}},
        {"%G", "1E+100", 8, 1, {of_double(1e100)}},
        {"%g", "0.0001", 8, 1, {of_double(1e-4)}},
        {"%a", "0x1.8p+1", 8, 1, {of_double(3.0)}},
        {"%A", "0X1P+0", 8, 1, {of_double(1.0)}},
        {"%f", "inf", 8, 1, {UINT64_C(0x7FF0000000000000)}},
        {"%F", "-INF", 8, 1, {UINT64_C(0xFFF0000000000000)}},
        {"%f", "nan", 4, 1, {0x7FC00000}},
        {"%#.0f", "1.", 8, 1, {of_double(1.0)}},
    };
    ASSERT_SAMPLES(samples);
}

static void vectors_are_separated_by_commas(void **state)
{
    (void)state;
    const struct sample samples[] = {
        {"%v4hlf",
         "1.000000,2.000000,-0.500000,0.000000",
         4,
         4,
         {of_float(1), of_float(2), of_float(-0.5f), of_float(0)}},
        {"%v2lf", "1.000000,2.000000", 8, 2, {of_double(1), of_double(2)}},
        {"%v3hd", "-1,2,3", 2, 3, {0xFFFF, 2, 3}},
        {"%v2hhx", "1,ff", 1, 2, {1, 255}},
        {"%v2ld", "-1,5", 8, 2, {UINT64_MAX, 5}},
        {"%v4hld", "1,-2,3,4", 4, 4, {1, 0xFFFFFFFE, 3, 4}},
        {"%+04v2hld|", "+001,+002|", 4, 2, {1, 2}},
        {"%v16hhu",
         "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
         1,
         16,
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
    };
    ASSERT_SAMPLES(samples);
}

static void characters_strings_and_pointers(void **state)
{
    (void)state;
    const struct sample samples[] = {
        {"%c%%", "a%", 4, 1, {'a'}},
        {"%3c|%-", "  a|%-", 4, 1, {'a'}},
        {"%s", "word", 8, 1, {100}},
        {"%6s|", "  word|", 8, 1, {100}},
        {"%-6.2s|", "wo    |", 8, 1, {100}},
        {"%s", "xy", 8, 1, {105}}, /* nothing is read after the object */
        {"%s", "(null)", 8, 1, {0}},
        {"%p", "0x1234", 8, 1, {0x1234}},
        {"%8p|", "  0x1234|", 8, 1, {0x1234}},
    };
    ASSERT_SAMPLES(samples);
}

static void what_is_no_conversion_stands_as_it_is(void **state)
{
    (void)state;
    const struct sample samples[] = {
        {"%", "%", 4, 1, {1}},       {"%y%d", "%y1", 4, 1, {1}},  {"%d %d", "1 %d", 4, 1, {1}},
        {"%v5d", "%v5d", 4, 1, {1}}, {"100%", "100%", 4, 1, {1}}, {"%l", "%l", 4, 1, {1}},
        {"%*d", "%*d", 4, 1, {1}},   {"", "", 4, 1, {1}},
    };
    ASSERT_SAMPLES(samples);
}

/* Numbers of any size make a string of limited size. */
static void huge_widths_are_cut(void **state)
{
    (void)state;
    const char *formats[] = {"%99999999999999999999d", "%.99999999999999999999f",
                             "%-99999999999999999999.9999999s", "%#099999999999.99999999999a"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct text text = TEXT_INIT;
        const uint64_t word = of_double(1e300);
        const struct printf_argument argument = {.components = &word, .width = 8, .count = 1};
        printf_format(&(struct printf_request){.format = formats[i],
                                               .arguments = &argument,
                                               .argument_count = 1},
                      &text);
        assert_true(text.size >= 4096 && text.size < 8192);
        text_release(&text);
    }
}

static void the_locale_does_not_count(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!setlocale(LC_ALL, names[i]))
            continue;
        const struct sample samples[] = {{"%.1f", "2.5", 8, 1, {of_double(2.5)}}};
        ASSERT_SAMPLES(samples);
    }
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_have_flags_widths_and_lengths),
        cmocka_unit_test(floats_are_printed_exactly),
        cmocka_unit_test(vectors_are_separated_by_commas),
        cmocka_unit_test(characters_strings_and_pointers),
        cmocka_unit_test(what_is_no_conversion_stands_as_it_is),
        cmocka_unit_test(huge_widths_are_cut),
        cmocka_unit_test(the_locale_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
