/* Pairs of compilers that write something else than the program says: told by clerk doctor, and not
 * used where results could be wrong. */
#include "reference/compiler/pair.h"

#include "reference/compiler/compile.h"
#include "tests/unit/icd/unit.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char clang[] = "/tmp/clerk-test-XXXXXX";

/* From now on clang compiles what `edit`, a command of sed, makes of the program. */
static void falsify(const char *edit)
{
    char *script = alloc_format("#!/bin/sh\ncase $1 in --version) exec %s --version;; esac\n"
                                "sed '%s' | exec %s \"$@\"\n",
                                CLERK_TEST_CLANG, edit, CLERK_TEST_CLANG);
    assert_int_equal(file_write(clang, script, strlen(script), NULL), STATUS_OK);
    assert_int_equal(chmod(clang, 0755), 0);
    setenv("CLERK_CLANG", clang, 1);
    alloc_free(script);
}

/* The faults that the pair has then, a bit each. */
static unsigned examine(const char *edit)
{
    struct arena arena = {0};
    struct toolchain tools;
    struct text log = TEXT_INIT;
    bool faults[PAIR_FAULT_COUNT];
    unsigned found = 0;
    falsify(edit);
    assert_int_equal(toolchain_find(&arena, TOOLCHAIN_BEYOND, &tools, NULL), STATUS_OK);
    assert_int_equal(tools.version, CLERK_TEST_PAIR);
    assert_int_equal(pair_examine(&tools, &log, faults), STATUS_OK);
    for (unsigned i = 0; i < PAIR_FAULT_COUNT; i++)
        found |= faults[i] ? 1u << i : 0;
    text_release(&log);
    arena_release(&arena);
    return found;
}

static void each_fault_is_found(void **state)
{
    (void)state;
    assert_int_equal(examine(""), 0);
    assert_int_equal(examine("s/memory_order_acquire, memory_scope_device/memory_order_relaxed, "
                             "memory_scope_device/"),
                     1u << PAIR_FAULT_ORDERS);
    assert_int_equal(examine("s/memory_scope_all_svm_devices/memory_scope_device/"),
                     1u << PAIR_FAULT_SCOPES);
    assert_int_equal(examine("s/^barrier(CLK_LOCAL_MEM_FENCE)/barrier(CLK_GLOBAL_MEM_FENCE)/"),
                     1u << PAIR_FAULT_MEMORIES);
    assert_int_equal(examine("s/atomic_fetch_add(&y/atomic_fetch_sub(\\&y/"),
                     1u << PAIR_FAULT_BUILT_INS);
    assert_int_equal(examine("s/big value,/global big *value,/;s/value\\.d/value->d/"),
                     1u << PAIR_FAULT_STRUCTS);
    assert_int_equal(examine("s/0x0123456789abcdeful/0x0123456789abceful/"),
                     1u << PAIR_FAULT_CONSTANTS);
    assert_int_equal(examine("s/^barrier/\\n&/"), 1u << PAIR_FAULT_LINES);
}

/* Builds a program that needs nothing of all that. */
static enum status build(struct text *log)
{
    static const char source[] = "kernel void f(global int *a) { *a = 1; }\n";
    struct arena arena = {0};
    struct build_options options;
    struct compile_result result;
    assert_true(build_options_parse("", &arena, &options));
    const struct compile_request request = {
        .source = source, .source_size = sizeof(source) - 1, .options = &options};
    text_clear(log);
    const enum status status = compile_source(&request, log, &result);
    if (status == STATUS_OK) {
        alloc_free(result.spirv);
        sources_drop(result.sources);
    }
    arena_release(&arena);
    return status;
}

static void wrong_results_are_refused(void **state)
{
    (void)state;
    struct text log = TEXT_INIT;
    falsify("s/memory_order_acquire/memory_order_relaxed/");
    assert_int_not_equal(build(&log), STATUS_OK);
    assert_non_null(strstr(log.bytes, "error: memory orders are not right as "));
    falsify("s/^barrier/\\n&/"); /* lines alone make no result wrong */
    assert_int_equal(build(&log), STATUS_OK);
    text_release(&log);
}

static int set_up(void **state)
{
    (void)state;
    const int file = mkstemp(clang);
    setenv("CLERK_CACHE", "none", 1);
    return file < 0 ? 1 : close(file);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(clang);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_is_found),
        cmocka_unit_test(wrong_results_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
