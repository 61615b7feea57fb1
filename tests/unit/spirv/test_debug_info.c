/* Debug information of modules written by hand: of both sets, wrong in all ways, cut off anywhere.
 * Beside each module of debug_info/ lies all that is known of it. */
#include "reference/compiler/validate.h"
#include "reference/spirv/module.h"
#include "reference/spirv/walker.h"
#include "tests/unit/spirv/debug_table.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"shader", "values", "malformed"};

/* ---- reading ---- */

struct given {
    uint8_t *bytes, *stripped;
    size_t size, stripped_size;
    struct debug_info *info;
};

static void read_info(const void *bytes, size_t size, struct debug_info **info)
{
    struct error error;
    if (debug_info_read(bytes, size, info, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static void append_file(const char *name, const char *end, struct text *text)
{
    char *path = alloc_format("%s/%s%s", CLERK_TEST_MODULES, name, end);
    void *bytes = NULL;
    size_t size;
    struct error error;
    if (file_read(path, 1 << 20, &bytes, &size, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    text_append_n(text, bytes, size);
    alloc_free(bytes);
    alloc_free(path);
}

/* Releases the text, which comes after that of the head. */
static struct given give_text(struct text *text)
{
    struct given given = {0};
    struct text assembly = TEXT_INIT;
    append_file("head", ".spvasm", &assembly);
    text_append_n(&assembly, text->bytes, text->size);
    given.bytes = validate_assemble(assembly.bytes, &given.size);
    if (given.bytes == NULL)
        fail_msg("no assembly: %s", text->bytes);
    given.stripped = test_malloc(given.size);
    memcpy(given.stripped, given.bytes, given.size);
    given.stripped_size = debug_info_strip(given.stripped, given.size);
    assert_true(given.stripped_size < given.size);
    read_info(given.bytes, given.size, &given.info);
    text_release(&assembly);
    text_release(text);
    return given;
}

static struct given give(const char *name)
{
    struct text text = TEXT_INIT;
    append_file(name, ".spvasm", &text);
    return give_text(&text);
}

static void take_back(struct given *given)
{
    debug_info_destroy(given->info);
    alloc_free(given->bytes);
    test_free(given->stripped);
}

static void describe(const struct debug_info *info, const struct given *given, struct text *text)
{
    struct spv_module *module;
    struct error error;
    if (spv_module_parse(given->stripped, given->stripped_size, &module, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    debug_table_types(info, text);
    debug_table_scopes(info, module, text);
    for (uint32_t line = 1; line < 10; line++)
        debug_table_visible(info, module, line, text);
    spv_module_destroy(module);
}

/* ---- tables ---- */

static void check_table(const char *name)
{
    struct given given = give(name);
    struct text text = TEXT_INIT, expected = TEXT_INIT;
    describe(given.info, &given, &text);
    append_file(name, ".expected", &expected);
    if (strcmp(text.bytes, expected.bytes) != 0) {
        fputs(text.bytes, stderr); /* more than CMocka prints */
        fail_msg("%s is not as expected", name);
    }
    text_release(&text);
    text_release(&expected);
    take_back(&given);
}

static void of_other_compilers(void **state)
{
    (void)state;
    struct given given = give("shader");
    check_table("shader");
    assert_int_equal(given.info->source_count, 1);
    assert_string_equal(given.info->sources[0].text, "kernel void k();");
    take_back(&given);
}

static void of_optimisers(void **state)
{
    (void)state;
    check_table("values");
}

static void malformed(void **state)
{
    (void)state;
    check_table("malformed");
}

/* ---- whatever the bytes are ---- */

static void swap_words(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof word);
        word = __builtin_bswap32(word);
        memcpy(bytes + i, &word, sizeof word);
    }
}

/* At an odd address, too. */
static void check_swapped(const char *name)
{
    struct given given = give(name);
    struct text text = TEXT_INIT, expected = TEXT_INIT;
    struct debug_info *info;
    uint8_t *odd = test_malloc(given.size + 1);
    memcpy(odd + 1, given.bytes, given.size);
    swap_words(odd + 1, given.size);
    read_info(odd + 1, given.size, &info);
    describe(given.info, &given, &expected);
    describe(info, &given, &text);
    assert_string_equal(text.bytes, expected.bytes);
    assert_int_equal(debug_info_strip(odd + 1, given.size), given.stripped_size);
    swap_words(odd + 1, given.stripped_size);
    assert_memory_equal(odd + 1, given.stripped, given.stripped_size);
    debug_info_destroy(info);
    test_free(odd);
    text_release(&text);
    text_release(&expected);
    take_back(&given);
}

static void either_byte_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_swapped(names[i]);
}

/* Every length, in whole instructions or not; the bytes end where the module does. */
static void cut_off(void **state)
{
    (void)state;
    struct given given = give("malformed");
    for (size_t size = 0; size < given.size; size += size % 64 == 60 ? 3 : 1) {
        struct debug_info *info;
        uint8_t *bytes = test_malloc(size + (size == 0));
        memcpy(bytes, given.bytes, size);
        read_info(bytes, size, &info);
        debug_info_destroy(info);
        test_free(bytes);
    }
    take_back(&given);
}

/* Instructions without their last operands. */
static void operands_are_missing(void **state)
{
    (void)state;
    struct given given = give("values");
    struct spv_walker walker = spv_walker_begin(given.bytes, given.size);
    uint8_t *cut = test_malloc(given.size);
    while (spv_walker_next(&walker)) {
        if (walker.opcode != SpvOpExtInst)
            continue;
        for (uint32_t length = 1; length < walker.length; length++) {
            const size_t before = walker.start * 4, after = (size_t)walker.at * 4;
            const uint32_t first = length << 16 | walker.opcode;
            struct debug_info *info;
            memcpy(cut, given.bytes, before + (size_t)length * 4);
            memcpy(cut + before, &first, sizeof first);
            memcpy(cut + before + (size_t)length * 4, given.bytes + after, given.size - after);
            read_info(cut, given.size - (walker.length - length) * (size_t)4, &info);
            debug_info_destroy(info);
        }
    }
    test_free(cut);
    take_back(&given);
}

/* What a type is made of, as far as it goes, by bases and first members. */
static int depth_of(const struct debug_type *type)
{
    int depth = 0;
    while (type->kind != DEBUG_TYPE_UNKNOWN) {
        type = type->member_count > 0 ? type->members[0].type : type->base;
        depth++;
    }
    return depth;
}

/* Types in types, scopes in scopes: 700 each. */
static void chains_end(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    enum { LENGTH = 700 };
    text_append(&text, "%set = OpExtInstImport \"OpenCL.DebugInfo.100\"\n"
                       "%source = OpExtInst %void %set DebugSource %file\n"
                       "%t0 = OpExtInst %void %set DebugTypeBasic %n_int %n32 Signed\n"
                       "%s0 = OpExtInst %void %set DebugCompilationUnit 65536 5 %source OpenCL_C\n"
                       "%m0 = OpExtInst %void %set DebugTypeMember %n_a %t0 %source 1 1 %s0 %n0 "
                       "%n32 None\n");
    for (int i = 1; i < LENGTH; i++)
        text_format(
            &text,
            "%%t%d = OpExtInst %%void %%set DebugTypedef %%n_d %%t%d %%source 1 1 %%s0\n"
            "%%s%d = OpExtInst %%void %%set DebugLexicalBlock %%source 1 1 %%s%d\n"
            "%%c%d = OpExtInst %%void %%set DebugTypeComposite %%n_s Structure %%source 1 1 "
            "%%s0 %%n_s %%n32 None %%m%d\n"
            "%%m%d = OpExtInst %%void %%set DebugTypeMember %%n_a %%c%d %%source 1 1 %%s0 "
            "%%n0 %%n32 None\n",
            i, i - 1, i, i - 1, i, i - 1, i, i);
    text_append(&text, "%array = OpExtInst %void %set DebugTypeArray %t0");
    for (int i = 1; i < LENGTH; i++)
        text_append(&text, " %n1");
    text_append(&text, "\n%main = OpFunction %void None %kernel\n%entry = OpLabel\nOpReturn\n"
                       "OpFunctionEnd\n");
    struct given given = give_text(&text);
    int deepest = 0;
    uint64_t offset;
    assert_int_equal(given.info->type_count, 3 * LENGTH);
    for (uint32_t i = 0; i < given.info->type_count; i++) {
        const int depth = depth_of(given.info->types[i]);
        deepest = depth > deepest ? depth : deepest;
        debug_type_find_member(given.info->types[i], "b", &offset);
    }
    assert_in_range(deepest, DEBUG_DEPTH_MAX - 2, DEBUG_DEPTH_MAX);
    deepest = 0;
    for (uint32_t i = 0; i < given.info->scope_count; i++) {
        int depth = 0;
        for (const struct debug_scope *at = &given.info->scopes[i]; at != NULL; at = at->parent)
            depth++;
        deepest = depth > deepest ? depth : deepest;
    }
    assert_int_equal(deepest, DEBUG_DEPTH_MAX);
    take_back(&given);
}

static void no_module(void **state)
{
    (void)state;
    struct given given = give("shader");
    struct debug_info *info;
    read_info(given.stripped, given.stripped_size, &info);
    assert_int_equal(info->scope_count + info->variable_count + info->range_count, 0);
    assert_int_equal(debug_info_context(info, 40), 0);
    assert_null(debug_info_function(info, 1));
    debug_info_destroy(info);
    read_info("kernel void k() {}  ", 20, &info);
    assert_int_equal(info->scope_count, 0);
    debug_info_destroy(info);
    debug_info_destroy(NULL);
    take_back(&given);
}

static void check_memory(const char *name)
{
    struct given given = give(name);
    for (uint64_t n = 1;; n++) {
        struct debug_info *info = NULL;
        struct error error;
        const uint64_t live = alloc_live_count();
        alloc_fail_at(n);
        const enum status status = debug_info_read(given.bytes, given.size, &info, &error);
        alloc_fail_at(0);
        if (status == STATUS_OK) {
            debug_info_destroy(info);
            assert_true(n > 3); /* the information, and two arenas */
            break;
        }
        assert_int_equal(status, STATUS_NO_MEMORY);
        assert_null(info);
        assert_int_equal(alloc_live_count(), live);
    }
    take_back(&given);
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_memory(names[i]);
}

/* ---- questions ---- */

static void check_type(const struct debug_type *type, const char *expected)
{
    struct text text = TEXT_INIT;
    assert_non_null(type);
    debug_table_type(type, &text);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

static void members_are_found(void **state)
{
    (void)state;
    struct given given = give("shader");
    uint64_t offset = 0;
    const struct debug_type *class = debug_info_find_type(given.info, "c", true);
    check_type(class, "class c");
    const struct debug_member *member = debug_type_find_member(class, "b", &offset);
    assert_non_null(member);
    assert_int_equal(offset, 64 + 3); /* in the base class */
    assert_int_equal(member->bit_size, 16);
    assert_true(member->bit_field);
    assert_null(debug_type_find_member(class, "d", &offset));
    assert_null(debug_type_find_member(class, "", &offset));
    take_back(&given);
}

static void types_are_found(void **state)
{
    (void)state;
    struct given given = give("shader");
    const struct debug_type *named = debug_info_find_type(given.info, "d", false);
    check_type(named, "d");
    check_type(named->base, "const <3>uint");
    check_type(debug_type_plain(named), "<3>uint");
    assert_int_equal(named->size, 16);
    check_type(debug_info_find_type(given.info, "uint", false), "uint");
    check_type(debug_info_find_type(given.info, "s", true), "struct s");
    assert_null(debug_info_find_type(given.info, "d", true));
    assert_null(debug_info_find_type(given.info, "", true));
    take_back(&given);
}

/* What an OpVariable holds: two parts of one variable lie in two. */
static void variables_are_found_by_id(void **state)
{
    (void)state;
    struct given given = give("values");
    const struct debug_scope *scope = NULL;
    for (uint32_t i = 0; i < given.info->function_count; i++) {
        assert_ptr_equal(debug_info_function(given.info, given.info->functions[i].id),
                         given.info->functions[i].scope);
        scope = given.info->functions[i].scope;
    }
    assert_non_null(scope);
    assert_int_equal(scope->variable_count, 1);
    const struct debug_variable *variable = &scope->variables[0];
    assert_int_equal(variable->location_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t count;
        const struct debug_location *const *found =
            debug_info_of_id(given.info, variable->locations[i].id, &count);
        assert_int_equal(count, 1);
        assert_ptr_equal(found[0], &variable->locations[i]);
        assert_ptr_equal(&given.info->variables[found[0]->variable], variable);
    }
    assert_null(debug_variable_declared(variable, NULL)); /* parts are no whole */
    take_back(&given);
}

static void a_declaration_is_found(void **state)
{
    (void)state;
    struct given given = give("shader");
    uint32_t count;
    const struct debug_variable *variable = NULL;
    for (uint32_t i = 0; i < given.info->variable_count; i++) {
        if (strcmp(given.info->variables[i].name, "s") == 0)
            variable = &given.info->variables[i];
    }
    assert_non_null(variable);
    const struct debug_location *location = debug_variable_declared(variable, NULL);
    assert_non_null(location);
    assert_ptr_equal(debug_info_of_id(given.info, location->id, &count)[0], location);
    assert_null(debug_info_of_id(given.info, UINT32_MAX, &count));
    assert_int_equal(count, 0);
    take_back(&given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_other_compilers),
        cmocka_unit_test(of_optimisers),
        cmocka_unit_test(malformed),
        cmocka_unit_test(either_byte_order),
        cmocka_unit_test(cut_off),
        cmocka_unit_test(operands_are_missing),
        cmocka_unit_test(chains_end),
        cmocka_unit_test(no_module),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(members_are_found),
        cmocka_unit_test(types_are_found),
        cmocka_unit_test(variables_are_found_by_id),
        cmocka_unit_test(a_declaration_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
