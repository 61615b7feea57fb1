/* Programs built for debugging: what is known of their variables, and that they are no others. Each
 * program of debugging/ starts with its options; beside it lies all that is known of it. */
#include "reference/compiler/compile.h"
#include "reference/compiler/take.h"
#include "reference/compiler/validate.h"
#include "reference/spirv/module_private.h"
#include "tests/unit/icd/unit.h"
#include "tests/unit/spirv/debug_table.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Tables are those of clang 15 and llvm-spirv 15; what is said of all of them is tried with the
 * newest. */
static bool is_old;

static enum status compile(const char *source, bool debugging, struct text *log,
                           struct compile_result *result)
{
    struct arena arena = {0};
    struct toolchain tools;
    if (is_old)
        assert_int_equal(toolchain_find(&arena, TOOLCHAIN_OLDEST + 1, &tools, NULL), STATUS_OK);
    struct build_options options;
    const bool has_options = strncmp(source, "// ", 3) == 0;
    const char *line = arena_string_n(&arena, source, strcspn(source, "\n"));
    assert_true(build_options_parse(has_options ? line + 3 : "", &arena, &options));
    assert_null(options.problem);
    const struct compile_request request = {.source = source,
                                            .source_size = strlen(source),
                                            .options = &options,
                                            .tools = is_old ? &tools : NULL,
                                            .debugging = debugging};
    const enum status status = compile_source(&request, log, result);
    arena_release(&arena);
    return status;
}

static void release(struct compile_result *result)
{
    alloc_free(result->spirv);
    alloc_free(result->debug);
    sources_drop(result->sources);
}

/* ---- tables ---- */

static char *read_text(const char *name, const char *end)
{
    char *path = alloc_format("%s/%s%s", CLERK_TEST_DEBUGGING, name, end);
    void *bytes = NULL;
    size_t size;
    struct error error;
    if (file_read(path, 1 << 20, &bytes, &size, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    alloc_free(path);
    char *text = alloc_format("%.*s", (int)size, (const char *)bytes);
    alloc_free(bytes);
    return text;
}

static void describe(const struct compile_result *made, const char *source, struct text *text)
{
    struct debug_info *info;
    struct spv_module *module;
    struct error error;
    assert_int_equal(debug_info_read(made->debug, made->debug_size, &info, &error), STATUS_OK);
    if (spv_module_parse(made->spirv, made->spirv_size, &module, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    debug_table_types(info, text);
    debug_table_scopes(info, module, text);
    uint32_t line = 1;
    for (const char *at = source; *at != '\0'; at++, line++) {
        debug_table_visible(info, module, line, text);
        at += strcspn(at, "\n");
        if (*at == '\0')
            break;
    }
    spv_module_destroy(module);
    debug_info_destroy(info);
}

static void check_table(const char *name)
{
    struct text log = TEXT_INIT, text = TEXT_INIT;
    struct compile_result made;
    char *source = read_text(name, ".cl");
    char *expected = read_text(name, ".expected");
    if (compile(source, true, &log, &made) != STATUS_OK)
        fail_msg("%s", log.bytes);
    assert_non_null(made.debug);
    describe(&made, source, &text);
    if (strcmp(text.bytes, expected) != 0) {
        fputs(text.bytes, stderr); /* more than CMocka prints */
        fail_msg("%s is not as expected", name);
    }
    release(&made);
    alloc_free(source);
    alloc_free(expected);
    text_release(&log);
    text_release(&text);
}

static int want_old(void **state)
{
    (void)state;
    is_old = true;
    return 0;
}

static int want_new(void **state)
{
    (void)state;
    is_old = false;
    return 0;
}

/* Newer compilers write other debug information; their tables would be others. */
static void skip_without_old(void)
{
    if (CLERK_TEST_OLDEST != TOOLCHAIN_OLDEST)
        skip();
}

static void scopes_and_shadowed_names(void **state)
{
    (void)state;
    skip_without_old();
    check_table("scopes");
}

static void types(void **state)
{
    (void)state;
    skip_without_old();
    check_table("types");
}

static void images_blocks_and_handles(void **state)
{
    (void)state;
    skip_without_old();
    check_table("handles");
}

static void classes(void **state)
{
    (void)state;
    skip_without_old();
    check_table("classes");
}

/* ---- the module is the same ---- */

/* The functions of a module as they are read: every word but those of lines. */
struct body {
    uint32_t *words;
    uint8_t *is_id;
    size_t count, capacity;
    bool in_function;
};

static bool read_header(void *user, uint32_t version, uint32_t bound)
{
    (void)user;
    (void)version;
    return bound > 0;
}

static bool read_instruction(void *user, const struct validate_instruction *instruction)
{
    struct body *body = user;
    body->in_function |= instruction->opcode == SpvOpFunction;
    if (!body->in_function || instruction->opcode == SpvOpLine ||
        instruction->opcode == SpvOpNoLine)
        return true;
    assert_true(body->count + instruction->word_count <= body->capacity);
    for (uint32_t i = 0; i < instruction->word_count; i++) {
        body->words[body->count] = instruction->words[i];
        body->is_id[body->count++] = instruction->is_id[i];
    }
    return true;
}

static void read_body(const uint8_t *spirv, size_t size, struct body *body)
{
    const struct validate_reader reader = {read_header, read_instruction, body};
    struct text log = TEXT_INIT;
    *body = (struct body){
        .words = test_malloc(size), .is_id = test_malloc(size / 4), .capacity = size / 4};
    if (validate_read(spirv, size, &reader, &log) != STATUS_OK)
        fail_msg("%s", log.bytes);
    text_release(&log);
}

enum { BOUND = 1 << 16 };

/* Ids are numbered otherwise, but each id of one module stands for one of the other. */
static void compare_bodies(const struct body *a, const struct body *b)
{
    static uint32_t forth[BOUND], back[BOUND];
    memset(forth, 0, sizeof forth);
    memset(back, 0, sizeof back);
    assert_int_equal(a->count, b->count);
    assert_true(a->count > 0);
    assert_memory_equal(a->is_id, b->is_id, a->count);
    for (size_t i = 0; i < a->count; i++) {
        if (!a->is_id[i]) {
            assert_int_equal(a->words[i], b->words[i]);
            continue;
        }
        assert_true(a->words[i] < BOUND && b->words[i] < BOUND);
        if (forth[a->words[i]] == 0 && back[b->words[i]] == 0) {
            forth[a->words[i]] = b->words[i];
            back[b->words[i]] = a->words[i];
        }
        assert_int_equal(forth[a->words[i]], b->words[i]);
        assert_int_equal(back[b->words[i]], a->words[i]);
    }
}

static void check_same(const char *name)
{
    struct text log = TEXT_INIT, plain_log = TEXT_INIT;
    struct compile_result made, plain;
    struct body bodies[2];
    char *source = read_text(name, ".cl");
    assert_int_equal(compile(source, true, &log, &made), STATUS_OK);
    assert_int_equal(compile(source, false, &plain_log, &plain), STATUS_OK);
    assert_string_equal(log.bytes, plain_log.bytes);
    assert_null(plain.debug);
    assert_true(made.debug_size > made.spirv_size);
    assert_int_equal(debug_info_strip(made.debug, made.debug_size), made.spirv_size);
    assert_memory_equal(made.debug, made.spirv, made.spirv_size);
    assert_int_equal(validate_spirv(made.spirv, made.spirv_size, &log), STATUS_OK);
    read_body(made.spirv, made.spirv_size, &bodies[0]);
    read_body(plain.spirv, plain.spirv_size, &bodies[1]);
    compare_bodies(&bodies[0], &bodies[1]);
    for (size_t i = 0; i < 2; i++) {
        test_free(bodies[i].words);
        test_free(bodies[i].is_id);
    }
    release(&made);
    release(&plain);
    alloc_free(source);
    text_release(&log);
    text_release(&plain_log);
}

static void instructions_are_the_same(void **state)
{
    (void)state;
    check_same("scopes");
    check_same("types");
    check_same("handles");
    check_same("classes");
}

/* ---- the cache, and compilers that fail ---- */

static void the_cache_keeps_both_apart(void **state)
{
    (void)state;
    static const char source[] = "kernel void f(global int *a) { int b = 1; *a = b; }\n";
    struct text log = TEXT_INIT;
    struct compile_result made[2], plain;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(compile(source, true, &log, &made[i]), STATUS_OK);
        assert_int_equal(compile(source, false, &log, &plain), STATUS_OK);
        assert_null(plain.debug);
        release(&plain);
    }
    assert_int_equal(made[0].debug_size, made[1].debug_size);
    assert_memory_equal(made[0].debug, made[1].debug, made[0].debug_size);
    assert_int_equal(made[0].spirv_size, made[1].spirv_size);
    assert_memory_equal(made[0].spirv, made[1].spirv, made[0].spirv_size);
    release(&made[0]);
    release(&made[1]);
    text_release(&log);
}

static void errors_are_told_once(void **state)
{
    (void)state;
    struct text log = TEXT_INIT;
    struct compile_result made;
    assert_int_not_equal(compile("kernel void f() { no }\n", true, &log, &made), STATUS_OK);
    const char *first = strstr(log.bytes, "undeclared identifier");
    assert_non_null(first);
    assert_null(strstr(first + 1, "undeclared identifier"));
    text_release(&log);
}

/* A translator that fails at whatever is for debugging. */
static void debug_information_is_done_without(void **state)
{
    (void)state;
    static const char script[] =
        "#!/bin/sh\ncase \"$*\" in *extra-diexpressions*) echo oh >&2; exit 1;; esac\n"
        "exec " CLERK_TEST_LLVM_SPIRV " \"$@\"\n";
    char path[] = "/tmp/clerk-test-XXXXXX";
    struct text log = TEXT_INIT;
    struct compile_result made;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(file_write(path, script, sizeof script - 1, NULL), STATUS_OK);
    assert_int_equal(chmod(path, 0755), 0);
    setenv("CLERK_CLANG", CLERK_TEST_CLANG, 1);
    setenv("CLERK_LLVM_SPIRV", path, 1);
    const enum status status =
        compile("kernel void f(global int *a) { *a = 3; }\n", true, &log, &made);
    unsetenv("CLERK_CLANG");
    unsetenv("CLERK_LLVM_SPIRV");
    unlink(path);
    if (status != STATUS_OK)
        fail_msg("%s", log.bytes);
    assert_null(made.debug);
    assert_null(strstr(log.bytes, "oh"));
    release(&made);
    text_release(&log);
}

/* ---- modules that programs bring ---- */

/* What llvm-spirv writes is refused by validators, but runs, and has the same variables. */
static void debug_information_of_il(void **state)
{
    (void)state;
    struct text log = TEXT_INIT, text = TEXT_INIT, expected = TEXT_INIT;
    struct compile_result made, taken = {0};
    skip_without_old();
    char *source = read_text("handles", ".cl");
    assert_int_equal(compile(source, true, &log, &made), STATUS_OK);
    assert_int_not_equal(validate_spirv(made.debug, made.debug_size, &log), STATUS_OK);
    const struct take_request request = {.bytes = made.debug, .size = made.debug_size};
    text_clear(&log);
    assert_int_equal(take_spirv(&request, &log, &taken.spirv, &taken.spirv_size), STATUS_OK);
    assert_non_null(strstr(log.bytes, "note: this is not valid SPIR-V"));
    taken.debug = take_debug_info(&request, taken.spirv, &taken.spirv_size, &taken.debug_size);
    assert_non_null(taken.debug);
    assert_int_equal(taken.spirv_size, made.spirv_size);
    assert_memory_equal(taken.spirv, made.spirv, made.spirv_size);
    describe(&made, source, &expected);
    describe(&taken, source, &text);
    assert_string_equal(text.bytes, expected.bytes);
    release(&made);
    release(&taken);
    alloc_free(source);
    text_release(&log);
    text_release(&text);
    text_release(&expected);
}

/* Of an optimiser's module blocks are put in order, with what is told of variables in them. */
static void debug_information_of_il_that_is_put_right(void **state)
{
    (void)state;
    static const char assembly[] =
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\n"
        "%set = OpExtInstImport \"OpenCL.DebugInfo.100\"\n"
        "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %main \"k\"\n"
        "%file = OpString \"a.cl\"\n%name = OpString \"main\"\n"
        "%void = OpTypeVoid\n%kernel = OpTypeFunction %void\n"
        "%source = OpExtInst %void %set DebugSource %file\n"
        "%unit = OpExtInst %void %set DebugCompilationUnit 65536 5 %source OpenCL_C\n"
        "%type = OpExtInst %void %set DebugTypeFunction None %void\n"
        "%function = OpExtInst %void %set DebugFunction %name %type %source 1 1 %unit %name None "
        "2 %main\n"
        "%block = OpExtInst %void %set DebugLexicalBlock %source 3 1 %function\n"
        "%main = OpFunction %void None %kernel\n"
        "%entry = OpLabel\nOpBranch %head\n"
        "%body = OpLabel\n%1 = OpExtInst %void %set DebugScope %block\nOpReturn\n"
        "%head = OpLabel\n%2 = OpExtInst %void %set DebugScope %function\nOpBranch %body\n"
        "OpFunctionEnd\n";
    struct text log = TEXT_INIT;
    struct take_request request = {0};
    struct debug_info *info;
    struct spv_module *module;
    uint8_t *assembled = validate_assemble(assembly, &request.size);
    uint8_t *spirv;
    size_t size, debug_size;
    assert_non_null(assembled);
    request.bytes = assembled;
    if (take_spirv(&request, &log, &spirv, &size) != STATUS_OK)
        fail_msg("%s", log.bytes);
    uint8_t *debug = take_debug_info(&request, spirv, &size, &debug_size);
    assert_non_null(debug);
    assert_int_equal(debug_info_read(debug, debug_size, &info, NULL), STATUS_OK);
    assert_int_equal(spv_module_parse(spirv, size, &module, NULL), STATUS_OK);
    const struct spv_function *function = &module->functions[0];
    assert_int_equal(function->block_count, 3);
    static const char *const scopes[] = {NULL, "main", ""};
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t word = function->blocks[i].instructions[0].word;
        const struct debug_scope *scope = info->contexts[debug_info_context(info, word)].scope;
        if (scopes[i])
            assert_string_equal(scope->name, scopes[i]);
        else
            assert_null(scope);
    }
    spv_module_destroy(module);
    debug_info_destroy(info);
    alloc_free(debug);
    alloc_free(spirv);
    alloc_free(assembled);
    text_release(&log);
}

static int set_up(void **state)
{
    (void)state;
    return setenv("CLERK_CACHE", CLERK_TEST_CACHE, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scopes_and_shadowed_names, want_old, want_new),
        cmocka_unit_test_setup_teardown(types, want_old, want_new),
        cmocka_unit_test_setup_teardown(images_blocks_and_handles, want_old, want_new),
        cmocka_unit_test_setup_teardown(classes, want_old, want_new),
        cmocka_unit_test(instructions_are_the_same),
        cmocka_unit_test(the_cache_keeps_both_apart),
        cmocka_unit_test(errors_are_told_once),
        cmocka_unit_test(debug_information_is_done_without),
        cmocka_unit_test_setup_teardown(debug_information_of_il, want_old, want_new),
        cmocka_unit_test(debug_information_of_il_that_is_put_right),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
