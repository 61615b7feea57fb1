/* Strings of source files: what a compiler makes of them, and where each byte stands. */
#include "viewer-cli/origin/literals.h"

#include "trace/base/alloc.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Each string, with the line and column of its last byte. */
static void print_piece(void *user, const struct literal_piece *piece)
{
    struct text *told = user;
    const size_t last = piece->text.size - 1;
    size_t run = piece->count - 1;
    if (!piece->is_literal)
        return;
    assert_int_equal(piece->runs[0].at, 0);
    while (piece->runs[run].at > last)
        --run;
    text_format(told, "[%s]%" PRIu32 ":%zu ", piece->text.bytes, piece->runs[run].line,
                piece->runs[run].column + last - piece->runs[run].at);
}

static void check_strings(const char *source, bool is_python, const char *wanted)
{
    struct text told = TEXT_INIT;
    literals_each(source, strlen(source), is_python, 2, print_piece, &told);
    assert_string_equal(told.bytes, wanted);
    text_release(&told);
}

static void strings_of_c(void **state)
{
    (void)state;
    check_strings("a = \"one\";", false, "[one]1:8 ");
    check_strings("\"one\\n\"\n  \"two\" ;", false, "[one\ntwo]2:6 ");
    check_strings("\"on\" /* \"x\" */ // \"y\"\n\"e\"", false, "[one]2:2 ");
    check_strings("f(\"ab\", \"cd\")", false, "[ab]1:5 [cd]1:11 ");
    check_strings("\"a\\\"b\"; '\"'; \"cd\"; '\\''; \"ef\"", false, "[a\"b]1:5 [cd]1:16 [ef]1:28 ");
    check_strings("\"\\x41\\102\\t!\"", false, "[AB\t!]1:12 ");
    check_strings("\"ab\\\ncd\"", false, "[abcd]2:2 ");
    check_strings("1'000'000 \"ab\"", false, "[ab]1:13 ");
    check_strings("// don't\n\"ab\" /* it's */", false, "[ab]2:3 ");
}

static void raw_strings(void **state)
{
    (void)state;
    check_strings("R\"(a\\n\"b)\"", false, "[a\\n\"b]1:8 ");
    check_strings("x = u8R\"CLC(a)\"\n)CL\n bc)CLC\";", false, "[a)\"\n)CL\n bc]3:3 ");
    check_strings("FOOR\"(ab)\"", false, "[(ab)]1:9 ");
    check_strings("R\"(never ends", false, "[never ends]1:13 ");
}

static void strings_of_python(void **state)
{
    (void)state;
    check_strings("s = 'ab' # don't\nt = \"cd\"", true, "[ab]1:7 [cd]2:7 ");
    check_strings("s = \"\"\"\n a\"b\n\"\"\"", true, "[\n a\"b\n]2:5 ");
    check_strings("s = r'''a\\n''' f'bc'", true, "[a\\nbc]1:19 ");
    check_strings("s = ('ab'\n     'cd')", true, "[abcd]2:8 ");
    check_strings("s = '' 'ab'", true, "[ab]1:10 ");
}

/* Nothing of a file that is cut anywhere is read behind its end (a sanitizer would tell). */
static void files_are_cut(void **state)
{
    static const char source[] =
        "R\"x(a\\)x\" \"\\x4\\\n\" 'q' /* \" */ u8\"z\\7\" \"\"\"k\"\"\" // e";
    (void)state;
    const uint64_t before = alloc_live_count();
    for (size_t size = 0; size < sizeof source; ++size) {
        struct text told = TEXT_INIT;
        char *cut = alloc(size ? size : 1);
        memcpy(cut, source, size);
        literals_each(cut, size, false, 1, print_piece, &told);
        literals_each(cut, size, true, 1, print_piece, &told);
        alloc_free(cut);
        text_release(&told);
    }
    assert_int_equal(alloc_live_count(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_c),
        cmocka_unit_test(raw_strings),
        cmocka_unit_test(strings_of_python),
        cmocka_unit_test(files_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
