/* The options of builds: words, quotes, and what is refused. */
#include "reference/compiler/build_options.h"
#include "tests/unit/icd/unit.h"

static struct build_options parse(const char *options, struct arena *arena)
{
    struct build_options parsed;
    assert_true(build_options_parse(options, arena, &parsed));
    return parsed;
}

static void nothing_means_defaults(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct build_options parsed = parse(NULL, &arena);
    assert_null(parsed.problem);
    assert_int_equal(parsed.argument_count, 0);
    assert_string_equal(parsed.standard, "CL1.2");
    parsed = parse("  \t ", &arena);
    assert_null(parsed.problem);
    assert_int_equal(parsed.argument_count, 0);
    arena_release(&arena);
}

static void options_of_another_driver_are_left_out(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct build_options parsed;
    assert_true(build_options_parse_foreign("-cl-nv-verbose -DA -cl-std=CL3.0 -x other -w", &arena,
                                            &parsed));
    assert_null(parsed.problem);
    assert_int_equal(parsed.argument_count, 2);
    assert_string_equal(parsed.arguments[0], "-DA");
    assert_string_equal(parsed.arguments[1], "-w");
    assert_string_equal(parsed.standard, "CL3.0");
    arena_release(&arena);
}

static void values_may_stand_apart(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct build_options parsed =
        parse("-DA -D B=2 -I include -I\"with blank/x\" -D 'C=a \"b\"' -w -Werror", &arena);
    static const char *const expected[] = {"-DA",         "-DB=2", "-Iinclude", "-Iwith blank/x",
                                           "-DC=a \"b\"", "-w",    "-Werror"};
    assert_null(parsed.problem);
    assert_int_equal(parsed.argument_count, 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(parsed.arguments[i], expected[i]);
    arena_release(&arena);
}

static void math_options_change_macros_alone(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct build_options parsed =
        parse("-cl-mad-enable -cl-fast-relaxed-math -cl-denorms-are-zero -cl-finite-math-only "
              "-cl-opt-disable -cl-std=CL3.0 -cl-single-precision-constant",
              &arena);
    assert_null(parsed.problem);
    assert_string_equal(parsed.standard, "CL3.0");
    assert_int_equal(parsed.argument_count, 2);
    assert_string_equal(parsed.arguments[0], "-D__FAST_RELAXED_MATH__=1");
    assert_string_equal(parsed.arguments[1], "-cl-single-precision-constant");
    arena_release(&arena);
}

static void unknown_options_are_named(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(parse("-DX -O3", &arena).problem, "unknown option '-O3'");
    assert_string_equal(parse("-D", &arena).problem, "-D needs a value");
    assert_string_equal(parse("-cl-std=CL4.0", &arena).problem,
                        "-cl-std=CL4.0: the device has CL1.0 to CL3.1, CLC++1.0, CLC++2021 "
                        "and c++");
    assert_null(parse("-cl-std=c++ -cl-fp16-enable -cl-fp64-enable", &arena).problem);
    assert_non_null(parse("-cl-zero-init-local-mem-vars", &arena).problem);
    assert_string_equal(parse("-create-library", &arena).problem,
                        "unknown option '-create-library'");
    assert_string_equal(parse("file.cl", &arena).problem, "unknown option 'file.cl'");
    arena_release(&arena);
}

static void link_options_are_others(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct build_options parsed;
    assert_true(link_options_parse("-create-library -enable-link-options", &arena, &parsed));
    assert_null(parsed.problem);
    assert_true(parsed.create_library && parsed.enable_link_options);
    assert_true(link_options_parse("-enable-link-options", &arena, &parsed));
    assert_non_null(parsed.problem);
    assert_true(link_options_parse("-DX", &arena, &parsed));
    assert_string_equal(parsed.problem, "unknown option '-DX'");
    arena_release(&arena);
}

/* What would have clang write a file, or load code. */
static void no_option_does_more_than_compile(void **state)
{
    (void)state;
    static const char *const harmful[] = {"-o/tmp/x",
                                          "-MF/tmp/x",
                                          "-fplugin=/tmp/x.so",
                                          "-Xclang -load",
                                          "@/tmp/x",
                                          "--config=x",
                                          "-save-temps",
                                          "-include /etc/passwd",
                                          "-B/tmp",
                                          "-DX @/tmp/x",
                                          "'-DX' -ftime-trace=/tmp/x",
                                          "-fuse-ld=/tmp/x",
                                          "-resource-dir=/tmp",
                                          "-###"};
    for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
        struct arena arena = {0};
        assert_non_null(parse(harmful[i], &arena).problem);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_means_defaults),
        cmocka_unit_test(options_of_another_driver_are_left_out),
        cmocka_unit_test(values_may_stand_apart),
        cmocka_unit_test(math_options_change_macros_alone),
        cmocka_unit_test(unknown_options_are_named),
        cmocka_unit_test(no_option_does_more_than_compile),
        cmocka_unit_test(link_options_are_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
