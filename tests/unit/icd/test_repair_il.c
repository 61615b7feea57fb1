/* What llvm-spirv makes of optimised programs: wrong before the repair, valid after it. */
#include "reference/compiler/repairs.h"
#include "reference/compiler/validate.h"
#include "tests/unit/icd/unit.h"
#include "trace/base/alloc.h"

/* clang-format off */
#define HEAD \
    "OpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\nOpCapability Int64\n" \
    "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %main \"k\"\n" \
    "%name = OpString \"file\"\n" \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n" \
    "%four = OpConstant %uint 4\n%array = OpTypeArray %uint %four\n" \
    "%pointer = OpTypePointer UniformConstant %array\n%null = OpConstantNull %array\n" \
    "%variable = OpVariable %pointer UniformConstant %null\n" \
    "%vector = OpTypeVector %uint 2\n%zeros = OpConstantNull %vector\n" \
    "%one = OpConstant %uint 1\n%long_one = OpConstant %ulong 1\n%true = OpConstantTrue %bool\n" \
    "%kernel = OpTypeFunction %void %uint %ulong\n" \
    "%main = OpFunction %void None %kernel\n" \
    "%a = OpFunctionParameter %uint\n%b = OpFunctionParameter %ulong\n"
/* clang-format on */

static bool is_valid(const uint8_t *bytes, size_t size)
{
    struct text log = TEXT_INIT;
    const bool valid = validate_spirv(bytes, size, &log) == STATUS_OK;
    text_release(&log);
    return valid;
}

/* The module is wrong as it is, right once it is put in order, and stays as it is then. */
static void check_repaired(const char *assembly)
{
    size_t size;
    uint8_t *bytes = validate_assemble(assembly, &size);
    assert_non_null(bytes);
    assert_false(is_valid(bytes, size));
    assert_int_equal(repair_il(&bytes, &size), STATUS_OK);
    assert_true(is_valid(bytes, size));
    const size_t repaired_size = size;
    uint8_t *copy = test_malloc(size);
    memcpy(copy, bytes, size);
    assert_int_equal(repair_il(&bytes, &size), STATUS_OK);
    assert_int_equal(size, repaired_size);
    assert_memory_equal(bytes, copy, size);
    test_free(copy);
    alloc_free(bytes);
}

static void loop_behind_its_body(void **state)
{
    (void)state;
    check_repaired(HEAD "%entry = OpLabel\nOpBranch %head\n"
                        "OpLine %name 3 0\n"
                        "%body = OpLabel\n%next = OpIAdd %uint %i %one\nOpBranch %head\n"
                        "%end = OpLabel\nOpReturn\n"
                        "OpLine %name 2 0\n"
                        "%head = OpLabel\n%i = OpPhi %uint %one %entry %next %body\n"
                        "%less = OpULessThan %bool %i %a\n"
                        "OpBranchConditional %less %body %end 3 1\nOpFunctionEnd\n");
}

static void cases_before_their_switch(void **state)
{
    (void)state;
    check_repaired(HEAD "%entry = OpLabel\nOpBranch %head\n"
                        "%first = OpLabel\n%s = OpIAdd %ulong %sum %sum\nOpBranch %end\n"
                        "%second = OpLabel\n%t = OpIAdd %ulong %s2 %sum\nOpBranch %end\n"
                        "%head = OpLabel\n%sum = OpIAdd %ulong %b %b\n"
                        "OpSwitch %sum %middle 5 %first 0x500000005 %end\n"
                        "%middle = OpLabel\n%s2 = OpIAdd %ulong %b %sum\n"
                        "OpSwitch %a %end 7 %second 8 %end\n"
                        "%end = OpLabel\nOpReturn\nOpFunctionEnd\n");
}

/* Blocks that nobody reaches stay after the others; each function has an order of its own. */
static void unreachable_blocks_and_functions(void **state)
{
    (void)state;
    check_repaired(HEAD "%entry = OpLabel\nOpBranch %last\n"
                        "%dead = OpLabel\nOpBranch %dead\n"
                        "%first = OpLabel\n%x = OpIAdd %uint %y %y\nOpReturn\n"
                        "%last = OpLabel\n%y = OpIAdd %uint %a %a\nOpBranch %first\n"
                        "OpFunctionEnd\n"
                        "%other = OpFunction %void None %kernel\n"
                        "%c = OpFunctionParameter %uint\n%d = OpFunctionParameter %ulong\n"
                        "%start = OpLabel\nOpUnreachable\nOpFunctionEnd\n");
}

static void edges_that_a_phi_has_twice(void **state)
{
    (void)state;
    check_repaired(HEAD "%entry = OpLabel\n"
                        "OpSwitch %a %end 7 %end 8 %middle 9 %end\n"
                        "%middle = OpLabel\nOpBranch %end\n"
                        "%end = OpLabel\n"
                        "%x = OpPhi %uint %one %entry %one %entry %a %middle %one %entry\n"
                        "%y = OpIAdd %uint %x %x\nOpReturn\nOpFunctionEnd\n");
}

static void loops_that_merge_in_one_block(void **state)
{
    (void)state;
    check_repaired(HEAD "%entry = OpLabel\nOpBranch %first\n"
                        "%first = OpLabel\nOpLoopMerge %end %first None\n"
                        "OpBranchConditional %true %first %second\n"
                        "%second = OpLabel\nOpLoopMerge %end %second None\n"
                        "OpBranchConditional %true %second %end\n"
                        "%end = OpLabel\nOpReturn\nOpFunctionEnd\n");
}

static void vectors_selected_by_one_condition(void **state)
{
    (void)state;
    check_repaired(HEAD "%entry = OpLabel\n"
                        "%x = OpSelect %vector %true %zeros %zeros\n"
                        "%y = OpLoad %array %variable\nOpReturn\nOpFunctionEnd\n");
}

static void entry_points_within_functions_are_refused(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = validate_assemble(HEAD "%entry = OpLabel\nOpReturn\n"
                                            "OpEntryPoint Kernel %main \"again\"\nOpFunctionEnd\n",
                                       &size);
    assert_non_null(bytes);
    assert_int_equal(repair_il(&bytes, &size), STATUS_MALFORMED);
    alloc_free(bytes);
}

static void damaged_modules_are_harmless(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = validate_assemble(HEAD "%entry = OpLabel\nOpBranch %last\n"
                                            "%first = OpLabel\nOpReturn\n"
                                            "%last = OpLabel\n"
                                            "OpSwitch %b %first 5 %first 0x500000005 %first\n"
                                            "OpFunctionEnd\n",
                                       &size);
    assert_non_null(bytes);
    for (size_t i = 0; i <= size / 4; i++) {
        for (int kind = 0; kind < 4; kind++) {
            static const uint32_t values[] = {0, 0, UINT32_MAX, 2 << 16 | 248};
            size_t kept = kind == 0 ? i * 4 : size;
            uint8_t *copy = alloc(kept + 1);
            memcpy(copy, bytes, kept);
            if (kind > 0 && i < size / 4)
                memcpy(copy + i * 4, &values[kind], 4);
            const enum status status = repair_il(&copy, &kept);
            assert_true(status == STATUS_OK || status == STATUS_MALFORMED);
            alloc_free(copy);
        }
    }
    alloc_free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_behind_its_body),
        cmocka_unit_test(cases_before_their_switch),
        cmocka_unit_test(unreachable_blocks_and_functions),
        cmocka_unit_test(edges_that_a_phi_has_twice),
        cmocka_unit_test(loops_that_merge_in_one_block),
        cmocka_unit_test(vectors_selected_by_one_condition),
        cmocka_unit_test(entry_points_within_functions_are_refused),
        cmocka_unit_test(damaged_modules_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
