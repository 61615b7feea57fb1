/* Directories among the options of a build. */
#include "trace/api/compile_options.h"

#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_directories(const char *options, size_t count, const char *const *expected)
{
    struct include_directories directories = {0};
    include_directories_parse(options, strlen(options), &directories);
    assert_int_equal(directories.count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(directories.items[i], expected[i]);
    include_directories_release(&directories);
}

static void both_spellings_and_quotes_are_read(void **state)
{
    (void)state;
    assert_directories("-I one -Itwo -D X -I \"a b\" -I'c d' -cl-fast-relaxed-math -I", 4,
                       (const char *const[]){"one", "two", "a b", "c d"});
    assert_directories("-DI=3 -w", 0, NULL);
    assert_directories("", 0, NULL);
}

static void only_directories_are_moved(void **state)
{
    (void)state;
    static const char options[] = "-DX=\"a b\" -I one/../two  -I/abs -I 'c d' -w";
    struct text moved = TEXT_INIT;
    include_directories_move(options, sizeof options - 1, "/root", "/base", &moved);
    assert_string_equal(moved.bytes, "-DX=\"a b\" -I /root/base/two -I /root/abs"
                                     " -I \"/root/base/c d\" -w");
    text_release(&moved);
}

static void paths_lose_dots(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"/a/b", "c/./d.h", "/a/b/c/d.h"},
        {"/a/b", "../x.h", "/a/x.h"},
        {"/a", "../../../x.h", "/x.h"},
        {"/a", "/b//c/", "/b/c"},
        {"/a", "..", "/"},
        {"/", "..a/.b", "/..a/.b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = path_normalise(cases[i][0], cases[i][1]);
        assert_string_equal(path, cases[i][2]);
        alloc_free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_spellings_and_quotes_are_read),
        cmocka_unit_test(only_directories_are_moved),
        cmocka_unit_test(paths_lose_dots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
