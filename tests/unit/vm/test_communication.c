/* Which kernels may depend on the schedule, and which need the lanes of a sub-group together. */
#include "reference/spirv/module.h"
#include "tests/unit/vm/kernel_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>

static const char *const levels[] = {"-O0", "-O2"};

/* Of the kernel in both forms of the module. */
static void check(const char *base, const char *kernel, bool communicates, bool has_sub_groups)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", base, levels[i]);
        struct spv_module *module = kernel_run_load(name);
        struct vm_code *code = kernel_run_lower(module, kernel);
        if (code->communicates != communicates || code->has_sub_group_functions != has_sub_groups)
            fail_msg("%s of %s: communicates %d, has sub-group functions %d", kernel, name,
                     code->communicates, code->has_sub_group_functions);
        vm_code_destroy(code);
        spv_module_destroy(module);
    }
}

static void what_tells_no_order_does_not_communicate(void **state)
{
    (void)state;
    check("communication", "silent", false, false);
    check("communication", "silent_histogram", false, false);
    check("communication", "silent_fence", false, false);
    check("groups", "collectives", false, false);
}

static void atomics_volatile_accesses_and_pipes_communicate(void **state)
{
    static const char *const kernels[] = {"telling_result",   "telling_mixture", "telling_exchange",
                                          "telling_store",    "telling_release", "telling_fence",
                                          "telling_volatile", "telling_pipe"};
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        check("communication", kernels[i], true, false);
}

static void sub_group_functions_are_seen(void **state)
{
    (void)state;
    check("communication", "meeting", false, true);
    check("communication", "meeting_barrier", false, true);
}

/* In `count` of its atomic operations, which order something or not. */
static void check_inert(const char *kernel, uint32_t count, bool orders)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        char name[64];
        snprintf(name, sizeof name, "communication%s", levels[i]);
        struct spv_module *module = kernel_run_load(name);
        struct vm_code *code = kernel_run_lower(module, kernel);
        uint32_t inert = 0;
        for (uint32_t a = 0; a < code->atomic_count; a++)
            inert += code->atomics[a].is_inert;
        if (inert != count || code->has_inert_reads != orders)
            fail_msg("%s of %s: %u inert reads, which order something: %d", kernel, name, inert,
                     code->has_inert_reads);
        vm_code_destroy(code);
        spv_module_destroy(module);
    }
}

static void reads_are_inert_on_which_nothing_depends(void **state)
{
    (void)state;
    check_inert("inert", 2, true);
    check_inert("inert_update", 1, true);
    check_inert("inert_fence", 1, true);
    check_inert("inert_relaxed", 1, false);
}

static void values_that_decide_are_not_inert(void **state)
{
    static const char *const kernels[] = {"decides_branch",  "decides_address", "decides_memory",
                                          "decides_barrier", "known_before",    "known_to_others",
                                          "compared"};
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        check_inert(kernels[i], 0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_tells_no_order_does_not_communicate),
        cmocka_unit_test(atomics_volatile_accesses_and_pipes_communicate),
        cmocka_unit_test(sub_group_functions_are_seen),
        cmocka_unit_test(reads_are_inert_on_which_nothing_depends),
        cmocka_unit_test(values_that_decide_are_not_inert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
