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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_tells_no_order_does_not_communicate),
        cmocka_unit_test(atomics_volatile_accesses_and_pipes_communicate),
        cmocka_unit_test(sub_group_functions_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
