/* The cache: what is stored comes back, what is damaged does not; and the compiler road over it. */
#include "reference/compiler/compile.h"
#include "reference/compiler/validate.h"
#include "tests/directory.h"
#include "tests/unit/icd/unit.h"
#include "trace/api/cache.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/pack.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/clerk-test-XXXXXX";

static char *entry_path(struct cache_key key)
{
    return alloc_format("%s/%016llx%016llx", directory, (unsigned long long)key.hi,
                        (unsigned long long)key.lo);
}

static void entries_come_back(void **state)
{
    (void)state;
    const struct cache_key key = cache_digest("key", 3);
    size_t size = 0;
    assert_null(cache_load(key, &size));
    cache_store(key, "content", 7);
    uint8_t *bytes = cache_load(key, &size);
    assert_non_null(bytes);
    assert_int_equal(size, 7);
    assert_memory_equal(bytes, "content", 7);
    alloc_free(bytes);
}

/* Any byte changed, and any byte missing, is noticed. */
static void damaged_entries_are_none(void **state)
{
    (void)state;
    const struct cache_key key = cache_digest("other", 5);
    cache_store(key, "some content", 12);
    char *path = entry_path(key);
    void *bytes;
    size_t size, entry_size;
    assert_int_equal(file_read(path, 1000, &bytes, &size, NULL), STATUS_OK);
    uint8_t *copy = bytes;
    for (size_t i = 0; i < size; i++) {
        copy[i] ^= 0x10;
        assert_int_equal(file_write(path, copy, size, NULL), STATUS_OK);
        assert_null(cache_load(key, &entry_size));
        copy[i] ^= 0x10;
        assert_int_equal(file_write(path, copy, i, NULL), STATUS_OK);
        assert_null(cache_load(key, &entry_size));
    }
    assert_int_equal(file_write(path, copy, size, NULL), STATUS_OK);
    uint8_t *entry = cache_load(key, &entry_size);
    assert_non_null(entry);
    alloc_free(entry);
    alloc_free(bytes);
    alloc_free(path);
}

static void readers_stop_at_the_end(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    pack_number(&text, 5);
    pack_bytes(&text, "abc", 3);
    struct unpacker reader = {.at = (const uint8_t *)text.bytes, .left = text.size};
    size_t size;
    assert_int_equal(unpack_number(&reader), 5);
    assert_memory_equal(unpack_bytes(&reader, &size), "abc", 3);
    assert_int_equal(size, 3);
    assert_false(reader.failed);
    assert_int_equal(unpack_number(&reader), 0);
    assert_true(reader.failed);
    reader = (struct unpacker){.at = (const uint8_t *)text.bytes + 8, .left = 10};
    unpack_bytes(&reader, &size);
    assert_true(reader.failed);
    assert_int_equal(size, 0);
    text_release(&text);
}

/* ---- the compiler road ---- */

static enum status compile(const char *source, const char *options, struct text *log,
                           struct compile_result *result)
{
    struct arena arena = {0};
    struct build_options parsed;
    assert_true(build_options_parse(options, &arena, &parsed));
    assert_null(parsed.problem);
    text_clear(log);
    const struct compile_request request = {
        .source = source, .source_size = strlen(source), .options = &parsed};
    const enum status status = compile_source(&request, log, result);
    arena_release(&arena);
    return status;
}

static void release(struct compile_result *result)
{
    alloc_free(result->spirv);
    sources_drop(result->sources);
}

/* Writes a program whose size and time of change are always the same. */
static void write_tool(const char *path, const char *command)
{
    char script[64];
    snprintf(script, sizeof(script), "#!/bin/sh\n%-40s\n", command);
    assert_int_equal(file_write(path, script, strlen(script), NULL), STATUS_OK);
    assert_int_equal(chmod(path, 0755), 0);
    const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Between the two compilations the compilers, unchanged to look at, become programs that fail. */
static void second_compilation_starts_no_program(void **state)
{
    (void)state;
    struct text log = TEXT_INIT, again = TEXT_INIT;
    struct compile_result first, second;
    const char *source = "#warning cold\nkernel void f(global int *a)\n{\n    a[0] = 1;\n}\n";
    char *clang = alloc_format("%s/clang", directory);
    char *translator = alloc_format("%s/llvm-spirv", directory);
    write_tool(clang, "exec " CLERK_TEST_CLANG " \"$@\"");
    write_tool(translator, "exec " CLERK_TEST_LLVM_SPIRV " \"$@\"");
    setenv("CLERK_CLANG", clang, 1);
    setenv("CLERK_LLVM_SPIRV", translator, 1);
    assert_int_equal(compile(source, "", &log, &first), STATUS_OK);
    assert_non_null(strstr(log.bytes, "<source>:1:2: warning: cold"));
    write_tool(clang, "exit 1");
    write_tool(translator, "exit 1");
    assert_int_equal(compile(source, "", &again, &second), STATUS_OK);
    assert_string_equal(again.bytes, log.bytes);
    assert_int_equal(validate_spirv(first.spirv, first.spirv_size, &log), STATUS_OK);
    assert_int_equal(first.spirv_size, second.spirv_size);
    assert_memory_equal(first.spirv, second.spirv, first.spirv_size);
    assert_string_equal(sources_line(second.sources, SOURCES_PROGRAM, 4), "    a[0] = 1;");
    assert_null(sources_line(second.sources, SOURCES_PROGRAM, 7));
    release(&second);
    assert_int_not_equal(compile(source, "-DOTHER", &again, &second), STATUS_OK);
    assert_string_equal(again.bytes, "error: clang ended with status 1\n");
    unsetenv("CLERK_CLANG");
    unsetenv("CLERK_LLVM_SPIRV");
    release(&first);
    alloc_free(clang);
    alloc_free(translator);
    text_release(&log);
    text_release(&again);
}

static void changed_headers_are_noticed(void **state)
{
    (void)state;
    struct text log = TEXT_INIT;
    struct compile_result first, second, third;
    char *header = alloc_format("%s/value with blank.h", directory);
    char *options = alloc_format("-I \"%s\"", directory);
    const char *source = "#include \"value with blank.h\"\nkernel void f(global int *a)\n"
                         "{\n    a[0] = VALUE;\n}\n";
    assert_int_equal(file_write(header, "#define VALUE 1\n", 16, NULL), STATUS_OK);
    assert_int_equal(compile(source, options, &log, &first), STATUS_OK);
    assert_int_equal(compile(source, options, &log, &second), STATUS_OK);
    assert_string_equal(sources_line(second.sources, header, 1), "#define VALUE 1");
    assert_int_equal(file_write(header, "#define VALUE 2\n", 16, NULL), STATUS_OK);
    assert_int_equal(compile(source, options, &log, &third), STATUS_OK);
    assert_memory_equal(first.spirv, second.spirv, first.spirv_size);
    assert_true(first.spirv_size != third.spirv_size ||
                memcmp(first.spirv, third.spirv, first.spirv_size) != 0);
    unlink(header);
    release(&second);
    assert_int_not_equal(compile(source, options, &log, &second), STATUS_OK);
    assert_non_null(strstr(log.bytes, "<source>:1:10: fatal error: 'value with blank.h'"));
    release(&first);
    release(&third);
    alloc_free(header);
    alloc_free(options);
    text_release(&log);
}

static void missing_compiler_says_what_to_install(void **state)
{
    (void)state;
    struct text log = TEXT_INIT;
    struct compile_result result;
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    assert_int_not_equal(compile("kernel void g() {}", "", &log, &result), STATUS_OK);
    setenv("PATH", path, 1);
    assert_non_null(strstr(log.bytes, "clang-15"));
    assert_non_null(strstr(log.bytes, "llvm-spirv-15"));
    setenv("CLERK_CLANG", "/bin/true", 1);
    assert_int_not_equal(compile("kernel void g() {}", "", &log, &result), STATUS_OK);
    unsetenv("CLERK_CLANG");
    assert_non_null(strstr(log.bytes, "CLERK_CLANG=/bin/true"));
    free(path);
    text_release(&log);
}

/* What clang takes for granted on SPIR targets is not what the device has. */
static void macros_say_what_the_device_has(void **state)
{
    (void)state;
    struct text log = TEXT_INIT;
    struct compile_result result;
    static const char source[] =
        "#if VERSION < 300 && (defined(cl_khr_subgroups) || defined(__opencl_c_pipes) || \\\n"
        "    defined(cl_khr_subgroup_ballot) || defined(__opencl_c_subgroups))\n"
        "#error too much\n#endif\n"
        "#if CLK_UNORM_INT_101010_2 != 0x10E0\n#error a format\n#endif\n"
        "#if !defined(__IMAGE_SUPPORT__) || !defined(cl_khr_fp16) || !defined(cl_khr_fp64) || \\\n"
        "    !defined(cl_khr_int64_base_atomics) || \\\n"
        "    !defined(__ENDIAN_LITTLE__) || __OPENCL_VERSION__ != 310\n#error too little\n#endif\n"
        "#if __OPENCL_C_VERSION__ != VERSION\n#error version\n#endif\n"
        "#if (VERSION < 310) == defined(CL_VERSION_3_1)\n#error newer\n#endif\n"
        "#if VERSION >= 300 && (!defined(__opencl_c_generic_address_space) || \\\n"
        "    !defined(__opencl_c_atomic_scope_all_devices) || \\\n"
        "    !defined(__opencl_c_fp64) || !defined(__opencl_c_atomic_order_seq_cst) || \\\n"
        "    !defined(__opencl_c_program_scope_global_variables) || !defined(__opencl_c_int64) || "
        "\\\n"
        "    !defined(__opencl_c_images) || !defined(__opencl_c_read_write_images) || \\\n"
        "    !defined(__opencl_c_3d_image_writes) || !defined(__opencl_c_subgroups) || \\\n"
        "    !defined(__opencl_c_pipes) || !defined(cl_khr_subgroups) || "
        "!defined(cl_khr_subgroup_rotate))\n"
        "#error features\n#endif\n"
        "kernel void f(global int *a) { *a = __LINE__; }\n";
    assert_int_equal(compile(source, "-DVERSION=120", &log, &result), STATUS_OK);
    assert_string_equal(log.bytes, "");
    release(&result);
    assert_int_equal(compile(source, "-DVERSION=300 -cl-std=CL3.0", &log, &result), STATUS_OK);
    assert_string_equal(log.bytes, "");
    release(&result);
    assert_int_equal(compile(source, "-DVERSION=310 -cl-std=CL3.1 -Werror", &log, &result),
                     STATUS_OK);
    assert_string_equal(log.bytes, "");
    release(&result);
    assert_int_equal(compile(source, "-DVERSION=110 -cl-std=CL1.1", &log, &result), STATUS_OK);
    release(&result);
    text_release(&log);
}

static void headers_of_the_call_are_found(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct build_options parsed;
    struct text log = TEXT_INIT;
    struct compile_result result;
    assert_true(build_options_parse("", &arena, &parsed));
    const struct compile_header headers[] = {
        {"deep/er/one.h", "int one(void) { return x; }\n", 28}};
    const char *source =
        "#include \"deep/er/one.h\"\nkernel void f(global int *a) { *a = one(); }\n";
    struct compile_request request = {.source = source,
                                      .source_size = strlen(source),
                                      .options = &parsed,
                                      .headers = headers,
                                      .header_count = 1};
    assert_int_not_equal(compile_source(&request, &log, &result), STATUS_OK);
    assert_non_null(strstr(log.bytes, "deep/er/one.h:1:24: error: "));
    assert_null(strstr(log.bytes, "/tmp"));
    const struct compile_header good[] = {{"deep/er/one.h", "int one(void) { return 1; }\n", 28}};
    request.headers = good;
    text_clear(&log);
    assert_int_equal(compile_source(&request, &log, &result), STATUS_OK);
    assert_string_equal(sources_line(result.sources, "deep/er/one.h", 1),
                        "int one(void) { return 1; }");
    release(&result);
    const struct compile_header wild[] = {{"../one.h", "", 0}};
    request.headers = wild;
    text_clear(&log);
    assert_int_not_equal(compile_source(&request, &log, &result), STATUS_OK);
    assert_non_null(strstr(log.bytes, "'../one.h' is not a relative path"));
    text_release(&log);
    arena_release(&arena);
}

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    setenv("CLERK_CACHE", directory, 1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return directory_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_back),
        cmocka_unit_test(damaged_entries_are_none),
        cmocka_unit_test(readers_stop_at_the_end),
        cmocka_unit_test(second_compilation_starts_no_program),
        cmocka_unit_test(changed_headers_are_noticed),
        cmocka_unit_test(missing_compiler_says_what_to_install),
        cmocka_unit_test(macros_say_what_the_device_has),
        cmocka_unit_test(headers_of_the_call_are_found),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
