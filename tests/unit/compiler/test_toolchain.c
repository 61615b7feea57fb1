/* Which pair of compilers is the newest, when some come and go. */
#include "reference/compiler/toolchain.h"

#include "tests/unit/icd/unit.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/clerk-test-XXXXXX";

static char *tool_path(const char *name)
{
    return alloc_format("%s/%s", directory, name);
}

/* Gives the directory a time of its own, and long ago. */
static void settle(void)
{
    static time_t now = 1000000;
    now++;
    const struct timespec times[] = {{.tv_sec = now}, {.tv_sec = now}};
    assert_int_equal(utimensat(AT_FDCWD, directory, times, 0), 0);
}

/* Puts a tool there that says it is of this version. */
static void install(const char *name, const char *sign, unsigned version)
{
    char *script = alloc_format("#!/bin/sh\necho '%s %u.0.1'\n", sign, version);
    char *path = tool_path(name);
    char *next = tool_path("next");
    assert_int_equal(file_write(next, script, strlen(script), NULL), STATUS_OK);
    assert_int_equal(chmod(next, 0755), 0);
    assert_int_equal(rename(next, path), 0);
    settle();
    alloc_free(next);
    alloc_free(path);
    alloc_free(script);
}

static void remove_tool(const char *name)
{
    char *path = tool_path(name);
    assert_int_equal(unlink(path), 0);
    settle();
    alloc_free(path);
}

static void install_pair(unsigned version)
{
    char name[32];
    snprintf(name, sizeof name, "clang-%u", version);
    install(name, "clang version", version);
    snprintf(name, sizeof name, "llvm-spirv-%u", version);
    install(name, "LLVM version", version);
}

/* 0 = there is none. */
static unsigned newest(unsigned below)
{
    struct arena arena = {0};
    struct toolchain tools;
    const enum status status = toolchain_find(&arena, below, &tools, NULL);
    const unsigned version = status == STATUS_OK ? tools.version : 0;
    arena_release(&arena);
    return version;
}

static void the_newest_is_found_each_time(void **state)
{
    (void)state;
    assert_int_equal(newest(TOOLCHAIN_BEYOND), 0);
    install_pair(18);
    install_pair(20);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(newest(TOOLCHAIN_BEYOND), 20);
        assert_int_equal(newest(20), 18);
    }
    install("clang-22", "clang version", 22); /* alone */
    assert_int_equal(newest(TOOLCHAIN_BEYOND), 20);
    install("llvm-spirv-22", "LLVM version", 22);
    assert_int_equal(newest(TOOLCHAIN_BEYOND), 22);
    remove_tool("llvm-spirv-22");
    assert_int_equal(newest(TOOLCHAIN_BEYOND), 20);
    install("llvm-spirv", "LLVM version", 22);
    assert_int_equal(newest(TOOLCHAIN_BEYOND), 22);
    install("llvm-spirv", "LLVM version", 17);
    assert_int_equal(newest(TOOLCHAIN_BEYOND), 20);
    install("clang-20", "clang version", 17); /* its name lies */
    assert_int_equal(newest(TOOLCHAIN_BEYOND), 18);
    install_pair(24);
    const struct timespec just_now[] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    assert_int_equal(utimensat(AT_FDCWD, directory, just_now, 0), 0);
    assert_int_equal(newest(TOOLCHAIN_BEYOND), 24);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return 1;
    char *path = alloc_format("%s:/nonexistent", directory);
    char *cache = alloc_format("%s/.cache/clerk", directory);
    unsetenv("CLERK_CLANG");
    unsetenv("CLERK_LLVM_SPIRV");
    setenv("CLERK_CACHE", cache, 1);
    setenv("PATH", path, 1);
    alloc_free(cache);
    alloc_free(path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    setenv("PATH", "/usr/bin:/bin", 1);
    char *command = alloc_format("rm -r '%s'", directory);
    const int status = system(command);
    alloc_free(command);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_newest_is_found_each_time)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
