/* Which macros decide what a program is. */
#include "checkers/probe/macros.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *source, *options;
    const char *uses; /* with a = where the value counts */
} cases[] = {
    {"kernel void k() {}", "", ""},
    {"#ifdef A\n#endif\n#ifndef B\n#endif", "", "A B"},
    {"#if A > 1 || defined B && !defined(C)\n#elif D\n#endif", "", "A= B C D="},
    {"#ifdef A\n#if A == 2\n#endif\n#endif", "", "A="},
    {"  #  if  defined ( A )\n#endif", "", "A"},
    {"#if 0x10UL + 3u < __NV_CL_C_VERSION\n#endif", "", "__NV_CL_C_VERSION="},
    {"#ifndef HEADER_H\n#define HEADER_H\n#endif", "", ""},
    {"#ifndef _HEADER_H\n#define _HEADER_H\n#endif", "", "_HEADER_H"},
    {"#if TILE > 4 && defined(N) && M\n#endif", "-DTILE=8 -D N -UM", ""},
    {"#if TILE\n#endif", "-cl-mad-enable -I-DTILE", "TILE="},
    {"#ifdef cl_khr_fp64\n#endif\n#if __OPENCL_VERSION__ >= 120 || __OPENCL_C_VERSION__\n#endif\n"
     "#ifdef CL_VERSION_2_0\n#endif",
     "", ""},
    {"#if A /* || B */ // || C\n#endif /*\n#ifdef D\n*/", "", "A="},
    {"#if A \\\n && B\n#endif\n#if C \\\r\n && D\n#endif", "", "A= B= C= D="},
    {"#define F(x) x\n#if F(A)\n#endif", "", "A="},
    {"int a; // #ifdef no\nchar c = '#';\n#pragma unroll\n#include \"x.h\"\n#else\n#", "", ""},
    {"/* not ended\n#ifdef A", "", ""},
    {"#if defined", "", ""},
    {"#if A\\", "", "A="},
};

static void names_that_decide_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct request_part part = {
            .bytes = cases[i].source, .size = strlen(cases[i].source), .options = cases[i].options};
        const struct request request = {.parts = &part, .part_count = 1};
        struct arena arena = {0};
        struct text found = TEXT_INIT;
        struct macro_use *uses;
        size_t count;
        assert_true(macros_of(&request, &arena, &uses, &count));
        for (size_t u = 0; u < count; u++)
            text_format(&found, "%s%s%s", u > 0 ? " " : "", uses[u].name,
                        uses[u].has_value ? "=" : "");
        assert_string_equal(found.bytes, cases[i].uses);
        text_release(&found);
        arena_release(&arena);
    }
}

static void headers_count_and_modules_do_not(void **state)
{
    (void)state;
    struct request_header header = {"a.h", "#define A 1\n#ifdef B\n#endif", 27};
    struct request_part parts[] = {
        {.bytes = "#if A\n#endif",
         .size = 12,
         .options = "",
         .headers = &header,
         .header_count = 1},
        {.bytes = "#if C\n#endif", .size = 12, .options = "", .is_il = true}};
    const struct request request = {.parts = parts, .part_count = 2};
    struct arena arena = {0};
    struct macro_use *uses;
    size_t count;
    assert_true(macros_of(&request, &arena, &uses, &count));
    assert_int_equal(count, 1);
    assert_string_equal(uses[0].name, "B");
    arena_release(&arena);
}

/* Files that a program includes by its options' folders are not in the request. */
static void names_that_included_files_ask_for_are_asked_before(void **state)
{
    static const char *const names[] = {"__powerpc__", "__opencl_c_fp64", "__x86_64__",
                                        "__CUDACC__",  "__MINGW32__",     "__GNUC__"};
    (void)state;
    struct request_part part = {
        .bytes = "#include <a.h>\nkernel void k() {}", .size = 33, .options = "-I/a"};
    const struct request request = {.parts = &part, .part_count = 1};
    struct arena arena = {0};
    struct macro_use *uses;
    size_t count;
    assert_true(macros_to_ask(&request, &arena, &uses, &count));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool is_asked = false;
        for (size_t u = 0; u < count; u++)
            is_asked |= strcmp(uses[u].name, names[i]) == 0;
        assert_true(is_asked);
    }
    part.bytes = "kernel void k() {}";
    part.size = 18;
    assert_true(macros_to_ask(&request, &arena, &uses, &count));
    assert_int_equal(count, 0);
    arena_release(&arena);
}

static const struct {
    const char *source, *known;
    const char *unsettled; /* NULL = none */
} answers[] = {
    {"#ifdef __A__\n#endif", "", "__A__"},
    {"#ifdef __A__\n#endif", "#undef __A__\n", NULL},
    {"#ifdef __A__\n#endif", "#undef __A__B\n", "__A__"},
    {"#ifdef __A__\n#endif", "#ifndef __A__\n#define __A__ 1\n#endif\n", NULL},
    /* it is there, but which number it is was not asked */
    {"#if __A__ > 2\n#endif", "#ifndef __A__\n#define __A__ 1\n#endif\n", "__A__"},
    {"#if __A__ > 2\n#endif", "#undef __B__\n#undef __A__\n#define __A__ 3\n", NULL},
    {"#if __A__ > 2\n#endif", "#undef __A__\n", NULL},
    {"#ifdef A\n#endif", "", NULL},
    {"#define __A__\n#ifdef __A__\n#endif", "", NULL},
};

static void names_that_nobody_told_of_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct request_part part = {
            .bytes = answers[i].source, .size = strlen(answers[i].source), .options = ""};
        struct request request = {.parts = &part, .part_count = 1};
        struct arena arena = {0};
        struct macro_use *uses;
        size_t count;
        request.device.macros = answers[i].known;
        assert_true(macros_of(&request, &arena, &uses, &count));
        const char *name = macros_unsettled(&request, uses, count);
        if (answers[i].unsettled)
            assert_string_equal(name, answers[i].unsettled);
        else
            assert_null(name);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_decide_are_found),
        cmocka_unit_test(headers_count_and_modules_do_not),
        cmocka_unit_test(names_that_included_files_ask_for_are_asked_before),
        cmocka_unit_test(names_that_nobody_told_of_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
