/* Which kernels are left as they are, since checks could change what they compute. */
#include "reference/probe/checked_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct facts no_facts;

/* The bodies of a kernel k(global float *a, global float *b, global float2 *v, local float *l,
 * float x, int i), which may call the functions in `before`. */
static const struct {
    const char *body;
    bool is_left;
} bodies[] = {
    {"a[i] *= x; a[i] += 1;", true},
    {"a[i] = b[i] * x; b[i] = a[i] + 1;", true},
    {"a[i] = -(b[i] * x); b[i] = 1 - a[i];", true},
    {"float p = b[i] * x; a[i] = p; b[i] = a[i] + 1;", true},
    {"float p; p = x; p *= x; a[i] = p; float q = a[i]; b[i] = q + 1;", true},
    {"v[i].x = x * 2; b[i] = v[i].x + v[i].y;", true},
    {"v[i] *= x; v[i] += (float2)(1, 2);", true},
    {"v[i] = (float2)(x * 2, 1); b[i] = v[i].x + 1;", true},
    {"l[i] = x * 2; b[i] = l[i] + 1;", true},
    {"for (int k = 0; k < i; k++) { b[i] += a[k]; a[k] = x * k; }", true},
    {"int k = 0; while (k++ < i) { b[i] += a[k]; a[k] *= x; }", true},
    {"a[i] = x * 2; for (int k = 0; k < i; k++) b[k] = a[k] + 1;", true},
    {"a[i] = i > 1 ? x * 2 : x; b[i] = a[i] + 1;", true},
    {"put(a, i, x * 2); b[i] = a[i] + 1;", true},
    {"a[i] = twice(x); b[i] = a[i] + 1;", true},
    {"a[i] = x * 2; b[i] = a[i]; b[i] += 1;", true},
    {"global float *p = i > 1 ? a : b; *p = x * 2; b[i] += 1;", true},

    {"a[i] = b[i] * x + 1;", false},
    {"a[i] += b[i] * x; a[i] += b[i] * x;", false},
    {"a[i] = b[i]; b[i] = a[i] + 1;", false},
    {"a[i] = x; b[i] = a[i] + 1;", false},
    {"a[i] = b[i] * x; b[i] = b[i] + 1;", false},
    {"a[i] = b[i] * x; b[i] = a[i] * x;", false},
    {"a[i] = b[i] * x + 1; b[i] = a[i] + 1;", false},
    {"b[i] = a[i] + 1; a[i] = x * 2;", false},
    {"a[i] = sqrt(x); b[i] = a[i] + 1;", false},
    {"a[i] = x / 3; b[i] = a[i] + 1;", false},
    {"a[i] = x * 2; barrier(CLK_GLOBAL_MEM_FENCE); b[i] = a[i] + 1;", false},
    {"l[i] = x * 2; barrier(CLK_LOCAL_MEM_FENCE); for (int k = 1; k < 4; k *= 2) { l[i] += l[i + "
     "k]; "
     "barrier(CLK_LOCAL_MEM_FENCE); } a[i] = l[i];",
     false},
    {"global int *n = (global int *)a; n[i] *= 3; n[i] += 1;", false},
    {"float p = x * 2; p += 1; a[i] = p; b[i] = a[i] + 1;",
     true}, /* what p last was is not known */

    /* led.c */
    {"if (x > 1) { barrier(CLK_LOCAL_MEM_FENCE); if (i > 1 && l[i] > x) a[i] = 1; }", true},
    {"if (x > 1) { meet(l); a[i] = i > 1 || l[i] > x; }", true},
    {"if (x > 1) { if (i > 1 && l[i] > x) a[i] = 1; barrier(CLK_LOCAL_MEM_FENCE); }", false},
    {"if (x > 1) { barrier(CLK_LOCAL_MEM_FENCE); if (i > 1) a[i] = 1; }", false},
    {"if (x > 1) barrier(CLK_LOCAL_MEM_FENCE); if (i > 1 && l[i] > x) a[i] = 1;", false},
    {"barrier(CLK_LOCAL_MEM_FENCE); if (i > 1 && l[i] > x) a[i] = 1;", false},
    {"led(l, i);", true},
};

static void kernels_whose_results_could_change_are_left_alone(void **state)
{
    static const char before[] =
        "float twice(float x) { return x * 2; }\n"
        "void put(global float *to, int i, float x) { to[i] = x; }\n"
        "void wait(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n"
        "void meet(local float *l) { wait(); l[0] = 1; }\n"
        "void led(local float *l, int i) { if (i > 7) { wait(); l[i] = i > 9 && l[0] > 1; } }\n"
        "kernel void k(global float *a, global float *b, global float2 *v, local float *l, float "
        "x, int i) { ";
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct text source = TEXT_INIT;
        struct checked checked;
        struct error error;
        text_format(&source, "%s%s }\n", before, bodies[i].body);
        struct request_part part = {.bytes = source.bytes, .size = source.size, .options = ""};
        const struct request request = {.device = {.extensions = "",
                                                   .version = 300,
                                                   .address_bits = 64,
                                                   .is_little_endian = true,
                                                   .macros = ""},
                                        .wants_checked = true,
                                        .parts = &part,
                                        .part_count = 1};
        if (checked_text_make(&request, &no_facts, &checked, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        const struct checked_kernel *kernel = checked_find(&checked, "k");
        if (!kernel)
            fail_msg("%s: %s", bodies[i].body, checked.reason);
        if ((kernel->reason[0] != '\0' || kernel->may_be_led) != bodies[i].is_left)
            fail_msg("%s: '%s'", bodies[i].body, kernel->reason);
        checked_release(&checked);
        text_release(&source);
    }
}

int main(void)
{
    setenv("CLERK_CACHE", CLERK_TEST_CACHE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_whose_results_could_change_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
