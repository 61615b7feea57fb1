/* When native code is made, and what happens where it cannot be: the same results, by the
 * interpreter. */
#include "reference/compiler/toolchain.h"
#include "reference/native/native.h"
#include "reference/vm/native.h"
#include "tests/unit/vm/bench.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 64 };

static struct bench bench;
static struct scratch home; /* cache, programs, files */
static bool has_clang;
static struct arena arena; /* of the tools */
static struct toolchain tools = {.clang = "clang"};

/* out[i] = i * i + 7, over and over. */
static void make(uint32_t rounds)
{
    struct assembler *as = &bench.as;
    bench_create(&bench);
    const vm_row out = as_buffer(as, "out"), id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row round = as_unit(as), next = as_unit(as), again = as_unit(as);
    const vm_row value = as_row(as, 8, 1);
    as_block(as);
    as_op(as, VM_OP_mov_u, round, as_constant(as, 4, true, 0), 0, 0);
    as_branch(as, 1);
    as_block(as);
    as_op(as, VM_OP_imul_64, value, id, id, 0);
    as_op(as, VM_OP_iadd_64, value, value, as_constant(as, 8, false, 7), 0);
    as_store(as, as_address(as, out, id, 8), value, 8, 1);
    as_op(as, VM_OP_iadd_32_u, next, round, as_constant(as, 4, true, 1), 0);
    as_op(as, VM_OP_mov_u, round, next, 0, 0);
    as_op(as, VM_OP_ult_32_u, again, round, as_constant(as, 4, true, rounds), 0);
    as_branch_if(as, again, 1, 2);
    as_block(as);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "out", ITEMS * 8, true);
    as->code.native = native_source_create(&as->code);
    assert_non_null(as->code.native);
}

static bool is_native(void)
{
    uint64_t next;
    struct vm_native_source *source = bench.as.code.native;
    return source->get(source, 0, &next) != NULL;
}

static void run(void)
{
    bench_run(&bench, ITEMS, ITEMS);
    for (uint64_t i = 0; i < ITEMS; i++) {
        uint64_t value;
        vm_memory_read(bench.memory, bench.arguments[0].object, i * 8, &value, 8);
        assert_int_equal(value, i * i + 7);
    }
}

static void end(void)
{
    bench.as.code.native->destroy(bench.as.code.native);
    bench_destroy(&bench);
}

/* Runs it with native code if there can be some; says whether there was. */
static bool run_always(void)
{
    native_set_mode(NATIVE_ALWAYS);
    make(3);
    run();
    const bool native = is_native();
    end();
    return native;
}

/* ---- the places ---- */

static char *in_home(const char *name)
{
    char *path = path_join(home.path, name);
    assert_non_null(path);
    return path;
}

static void use_cache(const char *name, unsigned mode)
{
    char *path = in_home(name);
    mkdir(path, 0700);
    assert_int_equal(chmod(path, mode), 0);
    setenv("CLERK_CACHE", path, 1);
    alloc_free(path);
}

/* A clang of which `compiles` says, in shell, how it compiles; "$out" is its output. */
static void use_clang(const char *name, const char *compiles)
{
    char *path = in_home(name);
    char *script =
        alloc_format("#!/bin/sh\nif [ \"$1\" = --version ]; then %s --version; exit; fi\n"
                     "cat >/dev/null\nfor word; do [ \"$last\" = -o ] && out=$word; last=$word; "
                     "done\n%s\n",
                     tools.clang, compiles);
    assert_non_null(script);
    assert_int_equal(file_write(path, script, strlen(script), NULL), STATUS_OK);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("CLERK_CLANG", path, 1);
    alloc_free(script);
    alloc_free(path);
}

static int setup(void **state)
{
    (void)state;
    unsetenv("CLERK_CLANG");
    unsetenv("TMPDIR");
    use_cache("cache", 0700);
    return 0;
}

/* ---- tests ---- */

static void test_always(void **state)
{
    (void)state;
    assert_true(run_always() == has_clang);
    native_set_mode(NATIVE_OFF);
    make(3);
    run();
    assert_false(is_native());
    end();
}

/* Code that executes much gets it while it runs, or for the next launch; little code never. */
static void test_auto(void **state)
{
    (void)state;
    const struct timespec pause = {.tv_nsec = 10000000};
    native_set_mode(NATIVE_AUTO);
    make(3);
    run();
    run();
    assert_false(is_native());
    end();
    make(400000);
    run();
    for (int i = 0; has_clang && i < 3000 && !is_native(); i++)
        nanosleep(&pause, NULL);
    assert_true(is_native() == has_clang);
    run();
    end();
}

static void test_no_clang(void **state)
{
    (void)state;
    setenv("CLERK_CLANG", "/no/such/clang", 1);
    assert_false(run_always());
}

static void test_no_cache(void **state)
{
    (void)state;
    setenv("CLERK_CACHE", "none", 1);
    assert_false(run_always());
}

static void test_cache_that_others_may_write(void **state)
{
    (void)state;
    use_cache("open", 0777);
    assert_false(run_always());
    use_cache("group", 0770);
    assert_false(run_always());
}

static void test_clang_fails(void **state)
{
    (void)state;
    use_cache("failed", 0700);
    use_clang("fails", "echo 'error: no' >&2; exit 1");
    assert_false(run_always());
    use_clang("killed", "echo part >\"$out\"; kill -9 $$");
    assert_false(run_always());
    use_clang("truncated", "printf '\\177ELF' >\"$out\"");
    assert_false(run_always());
    use_clang("silent", ":");
    assert_false(run_always());
}

/* What is in the cache and not what it was is compiled anew. */
static void test_damaged_cache(void **state)
{
    (void)state;
    use_cache("damaged", 0700);
    assert_true(run_always() == has_clang);
    char *path = in_home("damaged");
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char *file = entry->d_name[0] == '.' ? NULL : path_join(path, entry->d_name);
        struct stat facts;
        if (file && stat(file, &facts) == 0 && facts.st_size > 1000)
            assert_int_equal(truncate(file, facts.st_size / 2), 0);
        alloc_free(file);
    }
    closedir(directory);
    alloc_free(path);
    assert_true(run_always() == has_clang);
}

static void test_no_place_to_load_from(void **state)
{
    (void)state;
    struct statvfs facts;
    setenv("TMPDIR", "/proc", 1);
    assert_false(run_always());
    if (statvfs("/dev/shm", &facts) == 0 && (facts.f_flag & ST_NOEXEC) != 0) {
        setenv("TMPDIR", "/dev/shm", 1);
        assert_false(run_always());
    }
}

/* In the child nobody waits for the compiler. */
static void test_fork_while_it_compiles(void **state)
{
    (void)state;
    use_cache("forked", 0700);
    use_clang("slow", "sleep 1; exit 1");
    native_set_mode(NATIVE_AUTO);
    make(400000);
    run();
    const pid_t child = fork();
    if (child == 0) {
        run();
        _exit(is_native() ? 1 : 0);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    run();
    end();
}

/* It holds the pipe open, and leaves its file where it was told to. */
static void test_compiler_ends_with_the_process(void **state)
{
    (void)state;
    if (!has_clang)
        skip(); /* no compiler would be started */
    char *pipe_path = in_home("pipe");
    int go_on[2];
    char *script = alloc_format("exec 3>'%s'; echo >\"$TMPDIR/left\"; ls \"${out%%/*}/left\" >&3; "
                                "sleep 1000",
                                pipe_path);
    use_cache("ended", 0700);
    use_clang("endless", script);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(pipe(go_on), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        char byte;
        close(go_on[1]);
        native_set_mode(NATIVE_AUTO);
        make(400000);
        run();
        const bool told = read(go_on[0], &byte, 1) == 0;
        end();
        exit(told ? 0 : 1);
    }
    const int from_compiler = open(pipe_path, O_RDONLY | O_NONBLOCK);
    struct pollfd compiler = {.fd = from_compiler, .events = POLLIN};
    assert_int_equal(poll(&compiler, 1, 60000), 1);
    char said[4096] = "";
    assert_true(from_compiler >= 0 && read(from_compiler, said, sizeof said - 1) > 0);
    assert_non_null(strstr(said, "/left\n"));
    close(go_on[0]);
    close(go_on[1]);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(poll(&compiler, 1, 60000), 1);
    assert_int_equal(read(from_compiler, said, sizeof said), 0);
    close(from_compiler);
    alloc_free(script);
    alloc_free(pipe_path);
}

static void test_allocations_fail(void **state)
{
    (void)state;
    native_set_mode(NATIVE_ALWAYS);
    for (uint64_t n = 1; n < 60; n++) {
        const uint64_t before = alloc_live_count();
        make(3);
        uint64_t next;
        alloc_fail_at(n);
        bench.as.code.native->get(bench.as.code.native, 0, &next);
        alloc_fail_at(0);
        run();
        end();
        assert_int_equal(alloc_live_count(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_always, setup),
        cmocka_unit_test_setup(test_auto, setup),
        cmocka_unit_test_setup(test_no_clang, setup),
        cmocka_unit_test_setup(test_no_cache, setup),
        cmocka_unit_test_setup(test_cache_that_others_may_write, setup),
        cmocka_unit_test_setup(test_clang_fails, setup),
        cmocka_unit_test_setup(test_damaged_cache, setup),
        cmocka_unit_test_setup(test_no_place_to_load_from, setup),
        cmocka_unit_test_setup(test_allocations_fail, setup),
        cmocka_unit_test_setup(test_compiler_ends_with_the_process, setup),
        /* The last, since a thread of it goes on. */
        cmocka_unit_test_setup(test_fork_while_it_compiles, setup),
    };
    struct text sentence = TEXT_INIT;
    if (scratch_make_directory(&home, NULL) != STATUS_OK)
        return 1;
    setup(NULL);
    toolchain_find(&arena, TOOLCHAIN_BEYOND, &tools, NULL);
    has_clang = native_try(&sentence);
    if (!has_clang)
        printf("without native code: %s\n", sentence.bytes);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    text_release(&sentence);
    arena_release(&arena);
    scratch_release(&home);
    return failed;
}
