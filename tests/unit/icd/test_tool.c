/* Compilers that crash, hang, write without end or take all memory: each ends with one sentence in
 * the build log, and leaves no file behind. */
#include "reference/compiler/compile.h"
#include "tests/unit/icd/unit.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/clerk-test-XXXXXX";
static char *temporary, *tool;

/* How many files and folders are where the compilation has its own. */
static int left_over(void)
{
    DIR *folder = opendir(temporary);
    int count = 0;
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2;
}

/* Builds `source`, which includes a header of the call, into the log. */
static enum status build(const char *source, struct text *log)
{
    static const struct compile_header headers[] = {{"sub/one.h", "#define ONE 1\n", 14}};
    struct arena arena = {0};
    struct build_options parsed;
    struct compile_result result;
    assert_true(build_options_parse("", &arena, &parsed));
    const struct compile_request request = {.source = source,
                                            .source_size = strlen(source),
                                            .options = &parsed,
                                            .headers = headers,
                                            .header_count = 1};
    text_clear(log);
    const enum status status = compile_source(&request, log, &result);
    if (status == STATUS_OK) {
        alloc_free(result.spirv);
        sources_drop(result.sources);
    }
    arena_release(&arena);
    assert_int_equal(left_over(), 0);
    return status;
}

/* The program `what`, clang or llvm-spirv, does `command` instead; the log must be this. */
static void misbehave(const char *what, const char *command, const char *expected)
{
    const char *const variable = what[0] == 'c' ? "CLERK_CLANG" : "CLERK_LLVM_SPIRV";
    struct text log = TEXT_INIT;
    char *script = alloc_format("#!/bin/sh\ncase $1 in --version) exec %s --version;; esac\n%s\n",
                                what, command);
    assert_int_equal(file_write(tool, script, strlen(script), NULL), STATUS_OK);
    assert_int_equal(chmod(tool, 0755), 0);
    setenv(variable, tool, 1);
    assert_int_not_equal(
        build("#include \"sub/one.h\"\nkernel void f(global int *a)\n{\n    *a = ONE;\n}\n", &log),
        STATUS_OK);
    unsetenv(variable);
    assert_string_equal(log.bytes, expected);
    text_release(&log);
    alloc_free(script);
}

static void hanging_compilers_are_ended(void **state)
{
    (void)state;
    static const char sentence[] =
        "error: tool ran for more than 1 seconds, and was ended; CLERK_COMPILER_TIME sets this "
        "limit\n";
    setenv("CLERK_COMPILER_TIME", "1", 1);
    misbehave(CLERK_TEST_CLANG, "sleep 1000", sentence);
    misbehave(CLERK_TEST_CLANG, "while :; do :; done", sentence);
    misbehave(CLERK_TEST_CLANG, "exec >&- 2>&-; sleep 1000", sentence);
    misbehave(CLERK_TEST_LLVM_SPIRV, "sleep 1000", sentence);
    unsetenv("CLERK_COMPILER_TIME");
}

static void flooding_compilers_are_ended(void **state)
{
    (void)state;
    static const char sentence[] = "error: tool wrote more than 1 MiB, and was ended; "
                                   "CLERK_COMPILER_OUTPUT sets this limit\n";
    setenv("CLERK_COMPILER_OUTPUT", "1", 1);
    misbehave(CLERK_TEST_CLANG, "yes", sentence);
    misbehave(CLERK_TEST_CLANG, "yes >&2", sentence);
    misbehave(CLERK_TEST_LLVM_SPIRV, "yes", sentence);
    unsetenv("CLERK_COMPILER_OUTPUT");
}

static void crashes_are_one_sentence(void **state)
{
    (void)state;
    misbehave(CLERK_TEST_CLANG, "kill -11 $$",
              "error: tool crashed (signal 11): the program may be right, but it cannot be built "
              "with this compiler\n");
    misbehave(CLERK_TEST_CLANG,
              "cat >&2 <<end\n<source>:2:3: warning: odd\n    x\n    ^\n"
              "clang: ../Type.h:333: void f(): Assertion \\`Count == 2' failed.\n"
              "PLEASE submit a bug report\nStack dump:\n0.\tProgram arguments: clang -c\n"
              "1.\t<eof> parser at end of file\n2.\t<source>:4:12: Generating code for 'f'\n"
              " #0 0x0001 main\n #1 0x0002 main\nclang: error: failed with exit code 134\nend\n"
              "exit 134",
              "<source>:2:3: warning: odd\n    x\n    ^\n"
              "<source>:4:12: error: tool crashed (Assertion `Count == 2' failed): the program may "
              "be right, but it cannot be built with this compiler\n");
    misbehave(CLERK_TEST_LLVM_SPIRV, "echo LLVM ERROR: no such thing >&2; kill -6 $$",
              "error: tool crashed (LLVM ERROR: no such thing): the program may be right, but it "
              "cannot be built with this compiler\n");
}

/* clang itself. */
static void clangs_own_crash_names_the_line(void **state)
{
    (void)state;
    struct text log = TEXT_INIT;
    assert_int_not_equal(build("kernel void f(global int *a)\n{\n    *a = 1;\n"
                               "#pragma clang __debug crash\n}\n",
                               &log),
                         STATUS_OK);
    assert_non_null(strstr(log.bytes, "<source>:4:2: error: " CLERK_TEST_CLANG " crashed ("));
    assert_ptr_equal(strchr(log.bytes, '\n'), log.bytes + log.size - 1);
    text_release(&log);
}

/* A table of the program's may be quoted as a whole. */
static void what_is_refused_is_told_shortly(void **state)
{
    (void)state;
    struct text log = TEXT_INIT;
    struct text table = TEXT_INIT;
    text_append(&table, "constant int t[] = {");
    for (int i = 0; i < 70000; i++)
        text_append(&table, "1,");
    text_append(&table, "};\nkernel void k(global int *a) { *a = t[*a]; }\n");
    assert_int_not_equal(build(table.bytes, &log), STATUS_OK);
    assert_non_null(strstr(log.bytes, "does not take this: InvalidWordCount: "));
    assert_true(log.size < 1000);
    assert_string_equal(log.bytes + log.size - 4, "...\n");
    text_release(&table);
    text_release(&log);
}

/* llvm-spirv names no line: it is searched for, after loops and other functions too. */
static void what_the_translator_refuses_is_found(void **state)
{
    (void)state;
    struct text log = TEXT_INIT;
    assert_int_not_equal(
        build("int f(int x)\n{\n    int sum = 0;\n    for (int i = 0; i < x; i++) {\n"
              "        switch (i) {\n        case 1: sum += x && i ? 3 : 4; break;\n"
              "        default: sum++;\n        }\n    }\n    return sum;\n}\n"
              "kernel void k(global int *a)\n{\n    while (*a < 100)\n"
              "        *a += f(*a);\n    if (*a > 5)\n"
              "        *a = __builtin_readcyclecounter();\n    *a += f(3);\n}\n",
              &log),
        STATUS_OK);
    assert_string_equal(log.bytes,
                        "<source>:17:14: error: " CLERK_TEST_LLVM_SPIRV " does not take this: "
                        "InvalidFunctionCall: Unexpected llvm intrinsic: llvm.readcyclecounter\n");
    assert_int_not_equal(
        build("typedef int five __attribute__((ext_vector_type(5)));\n"
              "int f(int x) { return x + 1; }\n"
              "kernel void k(global int *a)\n{\n    five v = (five)(*a);\n    *a = v[4];\n}\n",
              &log),
        STATUS_OK);
    assert_string_equal(log.bytes,
                        "<source>:3: error: " CLERK_TEST_LLVM_SPIRV " crashed (LLVM ERROR: Invalid "
                        "vector size for fixup: 5): the program may be right, but it "
                        "cannot be built with this compiler\n");
    text_release(&log);
}

/* Ten million commas of eight lines. */
static void macro_bombs_are_ended(void **state)
{
    (void)state;
    static const char bomb[] =
        "#define A x,x,x,x,x,x,x,x,x,x\n#define B A,A,A,A,A,A,A,A,A,A\n"
        "#define C B,B,B,B,B,B,B,B,B,B\n#define D C,C,C,C,C,C,C,C,C,C\n"
        "#define E D,D,D,D,D,D,D,D,D,D\n#define F E,E,E,E,E,E,E,E,E,E\n"
        "#define G F,F,F,F,F,F,F,F,F,F\n#define H G,G,G,G,G,G,G,G,G,G\n"
        "kernel void k(global int *a) { int x = 0; int b[] = {H}; *a = b[0]; }\n";
    struct text log = TEXT_INIT;
    setenv("CLERK_COMPILER_MEMORY", "400", 1);
    assert_int_not_equal(build(bomb, &log), STATUS_OK);
    unsetenv("CLERK_COMPILER_MEMORY");
    assert_string_equal(log.bytes, "error: " CLERK_TEST_CLANG
                                   " needs more memory than 400 MiB, and was ended; "
                                   "CLERK_COMPILER_MEMORY sets this limit\n");
    text_release(&log);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return 1;
    temporary = alloc_format("%s/temporary", directory);
    tool = alloc_format("%s/tool", directory);
    setenv("CLERK_CACHE", "none", 1);
    setenv("TMPDIR", temporary, 1);
    return mkdir(temporary, 0700);
}

static int tear_down(void **state)
{
    (void)state;
    unlink(tool);
    rmdir(temporary);
    alloc_free(temporary);
    alloc_free(tool);
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hanging_compilers_are_ended),
        cmocka_unit_test(flooding_compilers_are_ended),
        cmocka_unit_test(crashes_are_one_sentence),
        cmocka_unit_test(clangs_own_crash_names_the_line),
        cmocka_unit_test(what_is_refused_is_told_shortly),
        cmocka_unit_test(what_the_translator_refuses_is_found),
        cmocka_unit_test(macro_bombs_are_ended),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
