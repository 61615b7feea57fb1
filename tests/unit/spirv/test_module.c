/* The reader on modules made word by word. */
#include "reference/spirv/module_private.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* A module under construction. */
struct words {
    uint32_t words[512];
    uint32_t count;
};

static void word(struct words *to, uint32_t value)
{
    to->words[to->count++] = value;
}

/* An instruction with operands; a string goes after them. */
static void op(struct words *to, uint32_t opcode, const char *string, uint32_t count, ...)
{
    va_list list;
    const uint32_t start = to->count;
    word(to, 0);
    va_start(list, count);
    for (uint32_t i = 0; i < count; i++)
        word(to, va_arg(list, uint32_t));
    va_end(list);
    if (string != NULL) {
        const size_t size = strlen(string) + 1;
        memset(to->words + to->count, 0, (size + 3) / 4 * 4);
        memcpy(to->words + to->count, string, size);
        to->count += (uint32_t)((size + 3) / 4);
    }
    to->words[start] = (to->count - start) << 16 | opcode;
}

enum {
    VOID = 1,
    FUNCTION_TYPE,
    KERNEL,
    LABEL,
    U32,
    FOUR,
    ARRAY,
    POINTER,
    TABLE,
    ONE,
    INITIALISER,
    FILE_NAME,
    FREE
};

/* kernel void k(void) {}, with constant uint table[4] = {1, 4, 1, 1}. */
static void small_module(struct words *to)
{
    *to = (struct words){0};
    word(to, SpvMagicNumber);
    word(to, 0x00010200);
    word(to, 0);
    word(to, FREE + 8);
    word(to, 0);
    op(to, SpvOpCapability, NULL, 1, SpvCapabilityKernel);
    op(to, SpvOpMemoryModel, NULL, 2, SpvAddressingModelPhysical64, SpvMemoryModelOpenCL);
    op(to, SpvOpEntryPoint, "k", 2, SpvExecutionModelKernel, KERNEL);
    op(to, SpvOpExecutionMode, NULL, 5, KERNEL, SpvExecutionModeLocalSize, 8, 2, 1);
    op(to, SpvOpString, "kernel.cl", 1, FILE_NAME);
    op(to, SpvOpSource, NULL, 2, SpvSourceLanguageOpenCL_C, 102000);
    op(to, SpvOpName, "table", 1, TABLE);
    op(to, SpvOpDecorate, NULL, 3, TABLE, SpvDecorationAlignment, 16);
    op(to, SpvOpTypeVoid, NULL, 1, VOID);
    op(to, SpvOpTypeFunction, NULL, 2, FUNCTION_TYPE, VOID);
    op(to, SpvOpTypeInt, NULL, 3, U32, 32, 0);
    op(to, SpvOpConstant, NULL, 3, U32, FOUR, 4);
    op(to, SpvOpConstant, NULL, 3, U32, ONE, 1);
    op(to, SpvOpTypeArray, NULL, 3, ARRAY, U32, FOUR);
    op(to, SpvOpTypePointer, NULL, 3, POINTER, SpvStorageClassUniformConstant, ARRAY);
    op(to, SpvOpConstantComposite, NULL, 6, ARRAY, INITIALISER, ONE, FOUR, ONE, ONE);
    op(to, SpvOpVariable, NULL, 4, POINTER, TABLE, SpvStorageClassUniformConstant, INITIALISER);
}

static void body(struct words *to)
{
    op(to, SpvOpFunction, NULL, 4, VOID, KERNEL, 0, FUNCTION_TYPE);
    op(to, SpvOpLabel, NULL, 1, LABEL);
    op(to, SpvOpLine, NULL, 3, FILE_NAME, 3, 7);
    op(to, SpvOpReturn, NULL, 0);
    op(to, SpvOpFunctionEnd, NULL, 0);
}

static struct spv_module *parse(const struct words *from)
{
    struct spv_module *module = NULL;
    struct error error = {0};
    if (spv_module_parse(from->words, from->count * 4, &module, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return module;
}

static void refuse(const struct words *from, enum status status, const char *words)
{
    struct spv_module *module = NULL;
    struct error error = {0};
    const uint64_t live = alloc_live_count();
    assert_int_equal(spv_module_parse(from->words, from->count * 4, &module, &error), status);
    assert_null(module);
    assert_int_equal(alloc_live_count(), live);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
}

static void check_small(const struct words *words)
{
    struct spv_module *module = parse(words);
    assert_int_equal(spv_module_kernel_count(module), 1);
    assert_string_equal(spv_module_kernel_name(module, 0), "k");
    const struct spv_kernel *kernel = spv_kernel_find(module, "k");
    assert_int_equal(kernel->local_size[0], 8);
    assert_int_equal(kernel->local_size[1], 2);
    assert_int_equal(module->language_version, 102000);
    assert_int_equal(spv_module_variable_count(module), 1);
    const struct spv_variable *table = spv_module_variable(module, 0);
    const uint32_t expected[4] = {1, 4, 1, 1};
    assert_string_equal(table->name, "table");
    assert_int_equal(table->size, 16);
    assert_int_equal(table->alignment, 16);
    assert_true(table->constant);
    assert_memory_equal(table->initialiser, expected, 16);
    const struct spv_block *block = &kernel->function->blocks[0];
    assert_int_equal(block->count, 1);
    assert_int_equal(block->instructions[0].op, SpvOpReturn);
    const struct spv_place *place = &module->places[block->instructions[0].place];
    assert_string_equal(place->file, "kernel.cl");
    assert_int_equal(place->line, 3);
    assert_int_equal(place->column, 7);
    spv_module_destroy(module);
}

static void a_module_is_read(void **state)
{
    (void)state;
    struct words words;
    small_module(&words);
    body(&words);
    check_small(&words);
}

static void either_byte_order_is_read(void **state)
{
    (void)state;
    struct words words;
    small_module(&words);
    body(&words);
    for (uint32_t i = 0; i < words.count; i++)
        words.words[i] = __builtin_bswap32(words.words[i]);
    check_small(&words);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    struct words words;
    small_module(&words);
    body(&words);
    for (uint32_t count = 0; count < words.count; count++) {
        struct spv_module *module = NULL;
        struct error error = {0};
        const enum status status = spv_module_parse(words.words, count * 4, &module, &error);
        if (status == STATUS_OK) {
            /* Cut right after the memory model: a module without kernels. */
            assert_int_equal(spv_module_kernel_count(module), 0);
            assert_int_equal(count, 10);
        } else {
            assert_int_equal(status, STATUS_MALFORMED);
            assert_true(error.text[0] != '\0');
        }
        spv_module_destroy(module);
    }
}

static void what_is_no_module_is_named(void **state)
{
    (void)state;
    struct words words;
    small_module(&words);
    words.words[0] = 7;
    refuse(&words, STATUS_MALFORMED, "it starts with 0x00000007");
    small_module(&words);
    words.words[1] = 0x00020000;
    refuse(&words, STATUS_UNSUPPORTED, "SPIR-V 2.0 is not supported");
    small_module(&words);
    words.words[3] = 4000000;
    refuse(&words, STATUS_MALFORMED, "an id bound of 4000000");
}

static void wrong_instructions_are_named_with_their_word(void **state)
{
    (void)state;
    struct words words;
    small_module(&words);
    const uint32_t at = words.count;
    op(&words, SpvOpTypeVector, NULL, 3, FREE, 999, 4);
    refuse(&words, STATUS_MALFORMED, "(OpTypeVector): an id out of bound");
    words.count = at;
    op(&words, SpvOpTypeVector, NULL, 3, FREE, U32, 5);
    refuse(&words, STATUS_MALFORMED, "a vector of 5 components");
    words.count = at;
    op(&words, SpvOpTypeInt, NULL, 3, U32, 32, 0);
    refuse(&words, STATUS_MALFORMED, "is defined twice");
    words.count = at;
    op(&words, SpvOpConstantPipeStorage, NULL, 5, U32, FREE, 4, 4, 4);
    refuse(&words, STATUS_MALFORMED, "the type is not a pipe storage");
    words.count = at;
    op(&words, SpvOpTypePipeStorage, NULL, 1, FREE);
    op(&words, SpvOpConstantPipeStorage, NULL, 5, FREE, FREE + 1, 4, 4, 0);
    refuse(&words, STATUS_MALFORMED, "a pipe for 0 packets of 4 bytes");
    words.count = at;
    op(&words, SpvOpTypeInt, NULL, 2, FREE, 32);
    refuse(&words, STATUS_MALFORMED, "an operand is missing");
    words.count = at;
    op(&words, SpvOpTypeVoid, NULL, 2, FREE, 1);
    refuse(&words, STATUS_MALFORMED, "more operands than the instruction takes");
    words.count = at;
    op(&words, 9999, NULL, 0);
    refuse(&words, STATUS_UNSUPPORTED, "opcode 9999 is not known");
    words.count = at;
    op(&words, SpvOpReturn, NULL, 0);
    refuse(&words, STATUS_UNSUPPORTED, "(OpReturn): not supported at module scope");
    words.count = at;
    body(&words);
    words.count -= 2;
    op(&words, SpvOpName, "late", 1, LABEL);
    refuse(&words, STATUS_MALFORMED, "(OpName): this does not belong in a function");
    words.count = at;
    body(&words);
    words.count -= 2; /* before OpReturn, OpFunctionEnd */
    op(&words, SpvOpTypePointer, NULL, 3, FREE, SpvStorageClassFunction, U32);
    op(&words, SpvOpReturn, NULL, 0);
    op(&words, SpvOpFunctionEnd, NULL, 0);
    refuse(&words, STATUS_MALFORMED, "(OpTypePointer): this does not belong in a function");
    words.count = at;
    op(&words, SpvOpTypeInt, NULL, 3, FREE, 24, 0);
    refuse(&words, STATUS_UNSUPPORTED, "24 bits wide");
}

static void what_the_device_cannot_do_is_named(void **state)
{
    (void)state;
    struct words words;
    small_module(&words);
    const uint32_t at = words.count;
    op(&words, SpvOpCapability, NULL, 1, SpvCapabilityShader);
    refuse(&words, STATUS_UNSUPPORTED, "capability Shader is not supported");
    words.count = at;
    op(&words, SpvOpExtInstImport, "GLSL.std.450", 1, FREE);
    refuse(&words, STATUS_UNSUPPORTED, "instruction set 'GLSL.std.450'");
}

static void deep_types_end_at_the_limit(void **state)
{
    (void)state;
    static struct words words;
    small_module(&words);
    words.words[3] = 400;
    op(&words, SpvOpTypeStruct, NULL, 2, FREE, U32);
    for (uint32_t id = FREE + 1; words.count < 500 && id < 60; id++)
        op(&words, SpvOpTypeStruct, NULL, 2, id, id - 1);
    body(&words);
    spv_module_destroy(parse(&words));
}

/* Each element is the array before, so that sizes multiply: 2^64 bytes come after few words. */
static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    struct words words;
    small_module(&words);
    words.words[3] = 100;
    op(&words, SpvOpConstant, NULL, 3, U32, FREE, 0x80000000u);
    op(&words, SpvOpTypeArray, NULL, 3, FREE + 1, U32, FREE);
    op(&words, SpvOpTypeArray, NULL, 3, FREE + 2, FREE + 1, FREE);
    refuse(&words, STATUS_MALFORMED, "larger than the address space");
}

static void failed_allocations_are_told(void **state)
{
    (void)state;
    struct words words;
    small_module(&words);
    body(&words);
    enum status status = STATUS_NO_MEMORY;
    const uint64_t live = alloc_live_count();
    for (uint64_t n = 1; status == STATUS_NO_MEMORY && n < 1000; n++) {
        struct spv_module *module = NULL;
        struct error error = {0};
        alloc_fail_at(n);
        status = spv_module_parse(words.words, words.count * 4, &module, &error);
        alloc_fail_at(0);
        spv_module_destroy(module);
        assert_int_equal(alloc_live_count(), live);
    }
    assert_int_equal(status, STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_is_read),
        cmocka_unit_test(either_byte_order_is_read),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(what_is_no_module_is_named),
        cmocka_unit_test(wrong_instructions_are_named_with_their_word),
        cmocka_unit_test(what_the_device_cannot_do_is_named),
        cmocka_unit_test(deep_types_end_at_the_limit),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(failed_allocations_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
