/* Command lines: every form of an option, and every way to get one wrong. */
#include "trace/base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

static const struct option_row rows[] = {
    {"trace", 'o', OPTION_TEXT, false, "FILE", "record into FILE"},
    {"format", 0, OPTION_WORD, false, "text|json", "the form"},
    {"limit", 'n', OPTION_NUMBER, false, "N", "at most N"},
    {"report", 'r', OPTION_TEXT, true, "FILE", "also into FILE"},
    {"quiet", 'q', OPTION_FLAG, false, NULL, "say nothing"},
    {"verbose", 'v', OPTION_FLAG, false, NULL, "say more"},
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

enum { WORD_MAX = 16 };

/* Parses words, which end with NULL. */
static struct options *parse(unsigned flags, struct error *error, const char *const *words)
{
    char *argv[WORD_MAX];
    int argc = 0;
    for (; words[argc]; ++argc)
        argv[argc] = (char *)(uintptr_t)words[argc];
    struct options *options = NULL;
    options_parse(rows, ROW_COUNT, flags, argc, argv, &options, error);
    return options;
}
#define PARSE(flags, error, ...) parse(flags, error, (const char *const[]){__VA_ARGS__, NULL})

static void every_form_of_an_option_is_understood(void **state)
{
    (void)state;
    static const char *const forms[][4] = {
        {"--trace", "a.db"}, {"--trace=a.db"}, {"-o", "a.db"}, {"-oa.db"}, {"-qo", "a.db"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        struct options *options = parse(0, NULL, forms[i]);
        assert_non_null(options);
        assert_string_equal(options_text(options, "trace"), "a.db");
        assert_int_equal(options_operand_count(options), 0);
        options_destroy(options);
    }
}

static void values_may_look_like_options(void **state)
{
    (void)state;
    struct options *options = PARSE(0, NULL, "--trace", "--quiet", "-n", "0x10", "-", "--report=");
    assert_string_equal(options_text(options, "trace"), "--quiet");
    assert_false(options_has(options, "quiet"));
    assert_int_equal(options_number(options, "limit", 7), 16);
    assert_string_equal(options_operand(options, 0), "-");
    assert_string_equal(options_text(options, "report"), "");
    options_destroy(options);
}

static void the_last_value_counts_and_all_can_be_had(void **state)
{
    (void)state;
    struct options *options = PARSE(0, NULL, "-r", "a", "--limit=1", "-rb", "--limit=2", "-qv");
    assert_int_equal(options_number(options, "limit", 0), 2);
    assert_int_equal(options_count(options, "report"), 2);
    assert_string_equal(options_text_at(options, "report", 0), "a");
    assert_string_equal(options_text_at(options, "report", 1), "b");
    assert_null(options_text_at(options, "report", 2));
    assert_true(options_has(options, "quiet"));
    assert_true(options_has(options, "verbose"));
    assert_null(options_text(options, "trace"));
    const struct option_row *row;
    const char *value;
    size_t given = 0;
    while (options_given(options, given, &row, &value))
        ++given;
    assert_int_equal(given, 6);
    options_destroy(options);
}

static void a_program_keeps_its_own_options(void **state)
{
    (void)state;
    struct options *options =
        PARSE(OPTIONS_STOP_AT_OPERAND, NULL, "-q", "app", "--trace", "x", "--help");
    assert_int_equal(options_operand_count(options), 4);
    assert_string_equal(options_operands(options)[3], "--help");
    assert_null(options_operands(options)[4]);
    assert_false(options_has(options, "trace"));
    assert_false(options_wants_help(options));
    options_destroy(options);
    options = PARSE(0, NULL, "app", "-q", "--", "-q", "--nonsense");
    assert_int_equal(options_operand_count(options), 3);
    assert_int_equal(options_count(options, "quiet"), 1);
    options_destroy(options);
    options = PARSE(0, NULL, "-qh");
    assert_true(options_wants_help(options));
    options_destroy(options);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *words[4];
        const char *sentence;
    } cases[] = {
        {{"--tarce=x"}, "unknown option '--tarce'; did you mean '--trace'?"},
        {{"--hepl"}, "did you mean '--help'?"},
        {{"--entirely-else"}, "unknown option '--entirely-else'"},
        {{"-x"}, "unknown option '-x'"},
        {{"-qx"}, "unknown option '-x'"},
        {{"--trace"}, "--trace needs a value: FILE"},
        {{"-o"}, "-o needs a value: FILE"},
        {{"--quiet=yes"}, "--quiet takes no value ('yes')"},
        {{"--format", "xml"}, "--format must be one of text|json, not 'xml'"},
        {{"--format="}, "--format must be one of text|json, not ''"},
        {{"--format=tex"}, "--format must be one of text|json, not 'tex'"},
        {{"--format=text|json"}, "must be one of"},
        {{"--limit=ten"}, "--limit needs a number, not 'ten'"},
        {{"--limit=-1"}, "--limit needs a number, not '-1'"},
        {{"--limit=+1"}, "--limit needs a number"},
        {{"--limit= 1"}, "--limit needs a number"},
        {{"--limit=1x"}, "--limit needs a number"},
        {{"--limit="}, "--limit needs a number"},
        {{"--limit=9223372036854775808"}, "--limit needs a number"},
        {{"--limit=99999999999999999999999"}, "--limit needs a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct error error = {0};
        assert_null(parse(0, &error, cases[i].words));
        assert_int_equal(error.status, STATUS_INVALID);
        if (!strstr(error.text, cases[i].sentence))
            fail_msg("'%s' is not '%s'", error.text, cases[i].sentence);
    }
}

static void the_nearest_word_is_near(void **state)
{
    (void)state;
    static const char *const words[] = {"run", "replay", "show", "rules"};
    assert_string_equal(nearest_word("rnu", words, 4), "run");
    assert_string_equal(nearest_word("shw", words, 4), "show");
    assert_string_equal(nearest_word("replya", words, 4), "replay");
    assert_null(nearest_word("elephant", words, 4));
    assert_null(nearest_word("show", words, 0));
    char word[300];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = 0;
    assert_null(nearest_word(word, words, 4));
}

static void ranges_are_numbers_in_order(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",   "-",  "3-",   "-3",   "7-3",
                                        "1 ", "+1", "0x10", "1--2", "1234567890123456789"};
    uint64_t first = 99;
    uint64_t last = 99;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        assert_false(range_parse(wrong[i], &first, &last));
    assert_int_equal(first, 99);
    assert_true(range_parse("12", &first, &last));
    assert_true(first == 12 && last == 12);
    assert_true(range_parse("3-999999999999999999", &first, &last));
    assert_true(first == 3 && last == 999999999999999999);
}

static void help_is_aligned_and_wrapped(void **state)
{
    (void)state;
    static const struct option_row few[] = {
        {"limit", 'n', OPTION_NUMBER, false, "N", "at most N"},
        {"a-name-that-is-rather-long", 0, OPTION_TEXT, false, "VALUE",
         "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"},
    };
    struct text text = TEXT_INIT;
    options_print_help(few, 2, &text);
    assert_string_equal(text.bytes,
                        "  -n, --limit N  at most N\n"
                        "      --a-name-that-is-rather-long VALUE\n"
                        "                 one two three four five six seven eight nine ten eleven "
                        "twelve\n"
                        "                 thirteen fourteen\n"
                        "  -h, --help     print this help\n");
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_an_option_is_understood),
        cmocka_unit_test(values_may_look_like_options),
        cmocka_unit_test(the_last_value_counts_and_all_can_be_had),
        cmocka_unit_test(a_program_keeps_its_own_options),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(the_nearest_word_is_near),
        cmocka_unit_test(ranges_are_numbers_in_order),
        cmocka_unit_test(help_is_aligned_and_wrapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
