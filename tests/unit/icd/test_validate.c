/* SPIR-V from outside: malformed words, specialisation constants. */
#include "reference/compiler/validate.h"
#include "reference/spirv/walker.h"
#include "tests/unit/icd/unit.h"
#include "trace/base/alloc.h"

#include <spirv/unified1/spirv.h>

/* Decorates %4 with SpecId 7 (u32, default 5), %5 with SpecId 8 (bool, false), %6 with SpecId 9
 * (u64). */
/* clang-format off */
static const uint32_t module[] = {
    SpvMagicNumber, 0x00010000, 0, 10, 0,
    4 << 16 | SpvOpDecorate, 4, SpvDecorationSpecId, 7,
    4 << 16 | SpvOpDecorate, 5, SpvDecorationSpecId, 8,
    4 << 16 | SpvOpDecorate, 6, SpvDecorationSpecId, 9,
    4 << 16 | SpvOpTypeInt, 1, 32, 0,
    2 << 16 | SpvOpTypeBool, 2,
    4 << 16 | SpvOpTypeInt, 3, 64, 0,
    4 << 16 | SpvOpSpecConstant, 1, 4, 5,
    3 << 16 | SpvOpSpecConstantFalse, 2, 5,
    5 << 16 | SpvOpSpecConstant, 3, 6, 1, 0,
};
/* clang-format on */
enum { U32_VALUE = 30, BOOL_OPCODE = 31, U64_VALUE = 37 };

static void sizes_of_constants(void **state)
{
    (void)state;
    assert_int_equal(validate_spec_constant_size(module, sizeof(module), 7), 4);
    assert_int_equal(validate_spec_constant_size(module, sizeof(module), 8), 1);
    assert_int_equal(validate_spec_constant_size(module, sizeof(module), 9), 8);
    assert_int_equal(validate_spec_constant_size(module, sizeof(module), 10), 0);
    assert_true(validate_has_spec_constants(module, sizeof(module)));
    assert_false(validate_has_spec_constants(module, 5 * sizeof *module));
}

static void constants_are_rewritten(void **state)
{
    (void)state;
    const struct spec_constant constants[] = {
        {.id = 7, .size = 4, .bytes = {42}},
        {.id = 8, .size = 1, .bytes = {1}},
        {.id = 9, .size = 8, .bytes = {2, 0, 0, 0, 3}},
        {.id = 11, .size = 4, .bytes = {9}},
    };
    uint32_t *copy = (uint32_t *)validate_specialise(module, sizeof(module), constants, 4);
    assert_non_null(copy);
    assert_int_equal(copy[U32_VALUE], 42);
    assert_int_equal(copy[BOOL_OPCODE], 3 << 16 | SpvOpSpecConstantTrue);
    assert_int_equal(copy[U64_VALUE], 2);
    assert_int_equal(copy[U64_VALUE + 1], 3);
    copy[U32_VALUE] = 5;
    copy[BOOL_OPCODE] = 3 << 16 | SpvOpSpecConstantFalse;
    copy[U64_VALUE] = 1;
    copy[U64_VALUE + 1] = 0;
    assert_memory_equal(copy, module, sizeof(module));
    alloc_free(copy);
}

/* Every module cut short, and every word replaced by ones or zeros: an answer, and no access
 * outside. */
static void damaged_modules_are_harmless(void **state)
{
    (void)state;
    const struct spec_constant constant = {.id = 7, .size = 4, .bytes = {42}};
    for (size_t i = 0; i <= sizeof(module) / 4; i++) {
        for (int kind = 0; kind < 3; kind++) {
            size_t size = kind == 0 ? i * 4 : sizeof(module);
            uint32_t *copy = malloc(size + 1);
            memcpy(copy, module, size);
            if (kind > 0 && i < sizeof(module) / 4)
                copy[i] = kind == 1 ? 0 : UINT32_MAX;
            struct text log = TEXT_INIT;
            for (uint32_t id = 7; id < 10; id++)
                assert_true(validate_spec_constant_size(copy, size, id) <= 8);
            alloc_free(validate_specialise(copy, size, &constant, 1));
            assert_int_not_equal(validate_spirv(copy, size, &log), STATUS_OK);
            assert_true(log.size > 0);
            text_release(&log);
            free(copy);
        }
    }
}

static void other_bytes_are_no_spirv(void **state)
{
    (void)state;
    struct text log = TEXT_INIT;
    assert_int_equal(validate_spirv("kernel void f() {}  ", 20, &log), STATUS_MALFORMED);
    assert_string_equal(log.bytes, "error: this is not SPIR-V\n");
    assert_false(spv_walker_is_spirv(module, sizeof(module) - 1));
    text_release(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_constants),
        cmocka_unit_test(constants_are_rewritten),
        cmocka_unit_test(damaged_modules_are_harmless),
        cmocka_unit_test(other_bytes_are_no_spirv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
