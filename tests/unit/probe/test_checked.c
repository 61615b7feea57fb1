/* Checked copies: text in, text out. A copy begins with the text of the checks, which is left out
 * here; what that does while a kernel runs is not tried. */
#include "reference/probe/checked_text.h"
#include "reference/probe/options.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct request_device device = {.extensions =
                                                 "cl_khr_fp64 cl_khr_fp16 cl_khr_subgroups",
                                             .version = 300,
                                             .address_bits = 64,
                                             .has_images = true,
                                             .is_little_endian = true,
                                             .macros = ""};

/* As the layer learns them of a driver: A is there, B is 4, C and M_PI_F are
 * not; a number has 32 bits. */
static const char learnt[] = "#ifndef A\n#define A 1\n#endif\n#undef B\n#define B 4\n#undef C\n"
                             "#undef ULONG_MAX\n#define ULONG_MAX -1\n#undef M_PI_F\n";

static const struct facts no_facts;

static void make_of_parts(struct request_part *parts, size_t count, struct checked *checked)
{
    struct error error;
    const struct request request = {.device = device,
                                    .is_linked = count > 1,
                                    .wants_checked = true,
                                    .parts = parts,
                                    .part_count = count};
    if (checked_text_make(&request, &no_facts, checked, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static void make(const char *source, const char *options, struct checked *checked)
{
    struct request_part part = {.bytes = source, .size = strlen(source), .options = options};
    make_of_parts(&part, 1, checked);
}

/* The copy without the checks. */
static const char *body(const struct checked *checked, size_t part)
{
    static const char mark[] = "\n# 1 \"<source>\"\n";
    const char *found = part < checked->part_count ? strstr(checked->parts[part].text, mark) : NULL;
    if (!found)
        fail_msg("there is no copy: %s", checked->reason);
    return found + strlen(mark);
}

static void check(const char *source, const char *options, const char *expected)
{
    struct checked checked;
    struct text whole = TEXT_INIT;
    make(source, options, &checked);
    text_format(&whole, "%s\n", expected); /* of each text the last line ends */
    assert_string_equal(body(&checked, 0), whole.bytes);
    text_release(&whole);
    checked_release(&checked);
}

static void check_reason(const char *source, const char *options, const char *expected)
{
    struct checked checked;
    make(source, options, &checked);
    assert_string_equal(checked.reason, expected);
    assert_int_equal(checked.part_count, 0);
    checked_release(&checked);
}

/* ---- statements ---- */

/* The next line is the statement. Site 0 is in `first`. */
static const char before_statement[] =
    "typedef struct { float x; float2 v; int n[3]; } item;\ntypedef struct __attribute__((packed)) "
    "{ char c; int i; } tight;\nconstant float table[4] = {1, 2, 3, 4};\nfloat first(global float "
    "*p) { return p[0]; }\nfloat one(void) { return 1; }\nint id(int i) { return i; }\nkernel void "
    "k(global float *a, global float4 *v, global item *s, local int *l, constant float *c, int i, "
    "global int *n, global float3 *t, global struct { int u; } *un, global half *h, global tight "
    "*ti, global int (*rows)[4]) { float f; float4 w; local float own[8];\n";

static const struct {
    const char *statement, *expected;
} statements[] = {
    {"f = a[i];",
     "f = (*(__global float *)clerk_global(clerk_k, &(a[i]), 0, sizeof(__global float), "
     "clerk_base_0, clerk_size_0, 0, clerk_READS, 1, clerk_cells_0, clerk_window_0));"},
    {"a[i] = f;",
     "(*(__global float *)clerk_global(clerk_k, &(a[i]), 0, sizeof(__global float), clerk_base_0, "
     "clerk_size_0, 0, clerk_WRITES, 1, clerk_cells_0, clerk_window_0)) = f;"},
    {"a[i] += f;",
     "(*(__global float *)clerk_global(clerk_k, &(a[i]), 0, sizeof(__global float), clerk_base_0, "
     "clerk_size_0, 0, clerk_WRITES | clerk_TAKES, 1, clerk_cells_0, clerk_window_0)) += f;"},
    {"n[i]++;",
     "(*(__global int *)clerk_global(clerk_k, &(n[i]), 0, sizeof(__global int), clerk_base_6, "
     "clerk_size_6, 6, clerk_WRITES | clerk_TAKES, 1, clerk_cells_6, clerk_window_6))++;"},
    {"--n[i];", "--(*(__global int *)clerk_global(clerk_k, &(n[i]), 0, sizeof(__global int), "
                "clerk_base_6, clerk_size_6, 6, clerk_WRITES | clerk_TAKES, 1, clerk_cells_6, "
                "clerk_window_6));"},
    {"f = *(a + i);",
     "f = (*(__global float *)clerk_global(clerk_k, &(*(a + i)), 0, sizeof(__global float), "
     "clerk_base_0, clerk_size_0, 0, clerk_READS, 1, clerk_cells_0, clerk_window_0));"},
    {"f = (a)[i];",
     "f = (*(__global float *)clerk_global(clerk_k, &((a)[i]), 0, sizeof(__global float), "
     "clerk_base_0, clerk_size_0, 0, clerk_READS, 1, clerk_cells_0, clerk_window_0));"},
    {"f = i[a];",
     "f = (*(__global float *)clerk_global(clerk_k, &(i[a]), 0, sizeof(__global float), "
     "clerk_base_0, clerk_size_0, 0, clerk_READS, 1, clerk_cells_0, clerk_window_0));"},
    {"w = v[i];",
     "w = (*(__global float4 *)clerk_global(clerk_k, &(v[i]), 0, sizeof(__global float4), "
     "clerk_base_1, clerk_size_1, 1, clerk_READS, 1, clerk_cells_1, clerk_window_1));"},
    {"w.xy = v[i].zw;",
     "w.xy = (*(__global float4 *)clerk_global(clerk_k, &(v[i]), 8, 8, clerk_base_1, clerk_size_1, "
     "1, clerk_READS, 1, clerk_cells_1, clerk_window_1)).zw;"},
    {"v[i].s13 = w.xy;",
     "(*(__global float4 *)clerk_global(clerk_k, &(v[i]), 4, 12, clerk_base_1, clerk_size_1, 1, "
     "clerk_WRITES, 1, clerk_cells_1, clerk_window_1)).s13 = w.xy;"},
    {"v[i].hi.x = f;",
     "(*(__global float4 *)clerk_global(clerk_k, &(v[i]), 8, 4, clerk_base_1, clerk_size_1, 1, "
     "clerk_WRITES, 1, clerk_cells_1, clerk_window_1)).hi.x = f;"},
    {"f = v->y;", "f = ((__global float4 *)clerk_global(clerk_k, (v), 4, 4, clerk_base_1, "
                  "clerk_size_1, 1, clerk_READS, 1, clerk_cells_1, clerk_window_1))->y;"},
    {"f = v[i][2];",
     "f = (*(__global float4 *)clerk_global(clerk_k, &(v[i]), 0, sizeof(__global float4), "
     "clerk_base_1, clerk_size_1, 1, clerk_READS_ONE, 1, clerk_cells_1, clerk_window_1))[2];"},
    {"(v[i]).x += f;",
     "((*(__global float4 *)clerk_global(clerk_k, &(v[i]), 0, 4, clerk_base_1, clerk_size_1, 1, "
     "clerk_WRITES | clerk_TAKES, 1, clerk_cells_1, clerk_window_1))).x += f;"},
    {"f = s[i].x;",
     "f = (*(__global float *)clerk_global(clerk_k, &(s[i].x), 0, sizeof(__global float), "
     "clerk_base_2, clerk_size_2, 2, clerk_READS, 1, clerk_cells_2, clerk_window_2));"},
    {"s[i].n[1] = i;",
     "(*(__global int *)clerk_global(clerk_k, &(s[i].n[1]), 0, sizeof(__global int), clerk_base_2, "
     "clerk_size_2, 2, clerk_WRITES, 1, clerk_cells_2, clerk_window_2)) = i;"},
    {"f = s->v.y;", "f = (*(__global float2 *)clerk_global(clerk_k, &(s->v), 4, 4, clerk_base_2, "
                    "clerk_size_2, 2, clerk_READS, 1, clerk_cells_2, clerk_window_2)).y;"},
    {"s[i] = s[i + 1];",
     "(*(__global item *)clerk_global(clerk_k, &(s[i]), 0, sizeof(__global item), clerk_base_2, "
     "clerk_size_2, 2, clerk_WRITES, 1, clerk_cells_2, clerk_window_2)) = (*(__global item "
     "*)clerk_global(clerk_k, &(s[i + 1]), 0, sizeof(__global item), clerk_base_2, clerk_size_2, "
     "2, clerk_READS, 2, clerk_cells_2, clerk_window_2));"},
    {"t[i] = t[0];", "(*(__global float3 *)clerk_global(clerk_k, &(t[i]), 0, 12, clerk_base_7, "
                     "clerk_size_7, 7, clerk_WRITES, 1, clerk_cells_7, clerk_window_7)) = "
                     "(*(__global float3 *)clerk_global(clerk_k, &(t[0]), 0, 12, clerk_base_7, "
                     "clerk_size_7, 7, clerk_READS, 2, clerk_cells_7, clerk_window_7));"},
    {"l[i] = own[i];",
     "(*(__local int *)clerk_local(clerk_k, &(l[i]), 0, sizeof(__local int), "
     "clerk_base_3, clerk_size_3, 3, clerk_WRITES, 1, clerk_at_3)) = (*(__local "
     "float *)clerk_local(clerk_k, &(own[i]), 0, sizeof(__local float), &own, "
     "sizeof(own), clerk_VARIABLE, clerk_READS | clerk_TAKES, 2, clerk_at_v_own));"},
    {"f = table[i] + c[i];",
     "f = (*(__constant float *)clerk_constant(clerk_k, &(table[i]), 0, sizeof(__constant float), "
     "&table, sizeof(table), clerk_VARIABLE, clerk_READS, 1)) + (*(__constant float "
     "*)clerk_constant(clerk_k, &(c[i]), 0, sizeof(__constant float), clerk_base_4, clerk_size_4, "
     "4, clerk_READS, 2));"},
    {"a[n[i]] = a[n[n[i]]];",
     "(*(__global float *)clerk_global(clerk_k, &(a[(*(__global int *)clerk_global(clerk_k, "
     "&(n[i]), 0, sizeof(__global int), clerk_base_6, clerk_size_6, 6, clerk_READS, 2, "
     "clerk_cells_6, clerk_window_6))]), 0, sizeof(__global float), clerk_base_0, clerk_size_0, 0, "
     "clerk_WRITES, 1, clerk_cells_0, clerk_window_0)) = (*(__global float *)clerk_global(clerk_k, "
     "&(a[(*(__global int *)clerk_global(clerk_k, &(n[(*(__global int *)clerk_global(clerk_k, "
     "&(n[i]), 0, sizeof(__global int), clerk_base_6, clerk_size_6, 6, clerk_READS, 5, "
     "clerk_cells_6, clerk_window_6))]), 0, sizeof(__global int), clerk_base_6, clerk_size_6, 6, "
     "clerk_READS, 4, clerk_cells_6, clerk_window_6))]), 0, sizeof(__global float), clerk_base_0, "
     "clerk_size_0, 0, clerk_READS, 3, clerk_cells_0, clerk_window_0));"},
    {"a[id(n[i])] = first(a + n[i]);",
     "(*(__global float *)clerk_global(clerk_k, &(a[id((*(__global int *)clerk_global(clerk_k, "
     "&(n[i]), 0, sizeof(__global int), clerk_base_6, clerk_size_6, 6, clerk_READS, 2, "
     "clerk_cells_6, clerk_window_6)))]), 0, sizeof(__global float), clerk_base_0, clerk_size_0, "
     "0, clerk_WRITES, 1, clerk_cells_0, clerk_window_0)) = first(clerk_k, a + (*(__global int "
     "*)clerk_global(clerk_k, &(n[i]), 0, sizeof(__global int), clerk_base_6, clerk_size_6, 6, "
     "clerk_READS, 3, clerk_cells_6, clerk_window_6)));"},
    {"f = one();", "f = one();"},
    {"f = first(&a[i]);", "f = first(clerk_k, &a[i]);"},
    {"i = sizeof(a[i]) + sizeof(n[n[i]]);", "i = sizeof(a[i]) + sizeof(n[n[i]]);"},
    {"i = un[i].u;",
     "i = (*(__global int *)clerk_global(clerk_k, &(un[i].u), 0, sizeof(__global int), "
     "clerk_base_8, clerk_size_8, 8, clerk_READS, 1, clerk_cells_8, clerk_window_8));"},
    {"un[0] = un[1];",
     "(*(__typeof__(un[0]) *)clerk_global(clerk_k, &(un[0]), 0, sizeof(__typeof__(un[0])), "
     "clerk_base_8, clerk_size_8, 8, clerk_WRITES, 1, clerk_cells_8, clerk_window_8)) = "
     "(*(__typeof__(un[1]) *)clerk_global(clerk_k, &(un[1]), 0, sizeof(__typeof__(un[1])), "
     "clerk_base_8, clerk_size_8, 8, clerk_READS, 2, clerk_cells_8, clerk_window_8));"},
    {"i = ti[i].i;", "i = ti[i].i;"},
    {"i = rows[i][1];",
     "i = (*(__global int *)clerk_global(clerk_k, &(rows[i][1]), 0, sizeof(__global int), "
     "clerk_base_11, clerk_size_11, 11, clerk_READS, 1, clerk_cells_11, clerk_window_11));"},
    {"*a++ = f;",
     "(*(__global float *)clerk_global(clerk_k, &(*a++), 0, sizeof(__global float), clerk_base_0, "
     "clerk_size_0, 0, clerk_WRITES, 1, clerk_cells_0, clerk_window_0)) = f;"},
    {"global float *q = a + 3; *q = q[1];",
     "global float *q = a + 3; (*(__global float *)clerk_global(clerk_k, &(*q), 0, sizeof(__global "
     "float), clerk_base_0, clerk_size_0, 0, clerk_WRITES, 1, clerk_cells_0, clerk_window_0)) = "
     "(*(__global float *)clerk_global(clerk_k, &(q[1]), 0, sizeof(__global float), clerk_base_0, "
     "clerk_size_0, 0, clerk_READS, 2, clerk_cells_0, clerk_window_0));"},
    {"global float *r = a; r = a + 1; *r = f;",
     "global float *r = a; r = a + 1; (*(__global float *)clerk_global(clerk_k, &(*r), 0, "
     "sizeof(__global float), 0, 0, clerk_SEARCH, clerk_WRITES, 1, 0, 0)) = f;"},
    {"f = fract(f, &a[i]);",
     "f = fract(f, ((__global float *)clerk_global(clerk_k, (&a[i]), 0, sizeof(*(__global float "
     "*)0), clerk_base_0, clerk_size_0, 0, clerk_WRITES, 1, clerk_cells_0, clerk_window_0)));"},
    {"atomic_add(&n[i], 2);",
     "atomic_add(((__global int *)clerk_global(clerk_k, (&n[i]), 0, sizeof(*(__global int *)0), "
     "clerk_base_6, clerk_size_6, 6, clerk_CHANGES | clerk_TAKES, 1, clerk_cells_6, "
     "clerk_window_6)), 2);"},
    {"atomic_inc(l);",
     "atomic_inc(((__local int *)clerk_local(clerk_k, (l), 0, sizeof(*(__local "
     "int *)0), clerk_base_3, clerk_size_3, 3, clerk_CHANGES | clerk_TAKES, 1, clerk_at_3)));"},
    {"w = vload4(i, a);", "w = clerk_1_vload4(clerk_k, 1, clerk_base_0, clerk_size_0, 0, "
                          "clerk_cells_0, clerk_window_0, i, a);"},
    {"vstore3(w.xyz, i, a + 1);", "clerk_1_vstore3(clerk_k, 1, clerk_base_0, clerk_size_0, 0, "
                                  "clerk_cells_0, clerk_window_0, w.xyz, i, a + 1);"},
    {"f = vload_half(i, h);", "f = clerk_1_vload_half(clerk_k, 1, clerk_base_9, clerk_size_9, 9, "
                              "clerk_cells_9, clerk_window_9, i, h);"},
    {"event_t e = async_work_group_copy(l, n + i, 8, 0);",
     "event_t e = clerk_1_async_work_group_copy(clerk_k, 1, clerk_base_3, clerk_size_3, 3, "
     "clerk_at_3, 2, clerk_base_6, clerk_size_6, 6, clerk_cells_6, clerk_window_6, l, n + i, 8, "
     "0);"},
    {"f = as_float(n[i]);",
     "f = as_float((*(__global int *)clerk_global(clerk_k, &(n[i]), 0, sizeof(__global int), "
     "clerk_base_6, clerk_size_6, 6, clerk_READS, 1, clerk_cells_6, clerk_window_6)));"},
    {"f = i > 0 ? a[i] : a[-i];",
     "f = i > 0 ? (*(__global float *)clerk_global(clerk_k, &(a[i]), 0, sizeof(__global float), "
     "clerk_base_0, clerk_size_0, 0, clerk_READS, 1, clerk_cells_0, clerk_window_0)) : (*(__global "
     "float *)clerk_global(clerk_k, &(a[-i]), 0, sizeof(__global float), clerk_base_0, "
     "clerk_size_0, 0, clerk_READS, 2, clerk_cells_0, clerk_window_0));"},
    {"if (a[i] > 0 && a[i + 1] > 0) f = 1;",
     "if ((*(__global float *)clerk_global(clerk_k, &(a[i]), 0, sizeof(__global float), "
     "clerk_base_0, clerk_size_0, 0, clerk_READS, 1, clerk_cells_0, clerk_window_0)) > 0 && "
     "(*(__global float *)clerk_global(clerk_k, &(a[i + 1]), 0, sizeof(__global float), "
     "clerk_base_0, clerk_size_0, 0, clerk_READS, 2, clerk_cells_0, clerk_window_0)) > 0) f = 1;"},
    {"switch (n[i]) { case sizeof(item): break; }",
     "switch ((*(__global int *)clerk_global(clerk_k, &(n[i]), 0, sizeof(__global int), "
     "clerk_base_6, clerk_size_6, 6, clerk_READS, 1, clerk_cells_6, clerk_window_6))) { case "
     "sizeof(item): break; }"},
    {"f = (float)n[i];",
     "f = (float)(*(__global int *)clerk_global(clerk_k, &(n[i]), 0, sizeof(__global int), "
     "clerk_base_6, clerk_size_6, 6, clerk_READS, 1, clerk_cells_6, clerk_window_6));"},
    {"a[i++] = f;",
     "(*(__global float *)clerk_global(clerk_k, &(a[i++]), 0, sizeof(__global float), "
     "clerk_base_0, clerk_size_0, 0, clerk_WRITES, 1, clerk_cells_0, clerk_window_0)) = f;"},
    {"f = a[i], f = a[0];",
     "f = (*(__global float *)clerk_global(clerk_k, &(a[i]), 0, sizeof(__global float), "
     "clerk_base_0, clerk_size_0, 0, clerk_READS, 1, clerk_cells_0, clerk_window_0)), f = "
     "(*(__global float *)clerk_global(clerk_k, &(a[0]), 0, sizeof(__global float), clerk_base_0, "
     "clerk_size_0, 0, clerk_READS, 2, clerk_cells_0, clerk_window_0));"},
};

static void accesses_are_checked_where_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        struct checked checked;
        struct text source = TEXT_INIT, found = TEXT_INIT;
        text_format(&source, "%s%s\n}\n", before_statement, statements[i].statement);
        make(source.bytes, "", &checked);
        const char *line = body(&checked, 0);
        for (const char *at = before_statement; *at != '\0'; at++) {
            if (*at == '\n')
                line = strchr(line, '\n') + 1;
        }
        text_append_n(&found, line, strcspn(line, "\n"));
        assert_string_equal(found.bytes, statements[i].expected);
        text_release(&found);
        text_release(&source);
        checked_release(&checked);
    }
}

/* ---- functions and kernels ---- */

static void kernels_get_hidden_parameters(void **state)
{
    (void)state;
    struct checked checked;
    make("kernel void none(void) {}\nkernel void k(global int *a, int b, local float *c, constant "
         "char *d, read_only image2d_t e) { a[b] = 1; }",
         "", &checked);
    assert_string_equal(
        body(&checked, 0),
        "kernel void none(__global uint *clerk_report, uint clerk_launch /* void */) {}\nkernel "
        "void k(global int *a, int b, local float *c, constant char *d, read_only image2d_t e, "
        "ulong clerk_size_0, ulong clerk_size_2, ulong clerk_size_3, __global uint *clerk_report, "
        "uint clerk_launch, __global ulong *clerk_cells_0, ulong clerk_window_0 clerk_FOLLOWED(0)) "
        "{ __private "
        "struct clerk_k clerk_k[1]; clerk_begin(clerk_k, clerk_report, clerk_launch, 1); const "
        "volatile __global void *const clerk_base_0 = a; clerk_take_global(clerk_k, 0, 0, "
        "clerk_base_0, clerk_size_0); clerk_know_cells(clerk_k, 0, clerk_cells_0, clerk_window_0); "
        "clerk_FOLLOW(0); const volatile __local void *const clerk_base_2 = c; "
        "clerk_take_local(clerk_k, 0, 2, "
        "clerk_base_2, clerk_size_2); const volatile __constant void *const clerk_base_3 = d; "
        "clerk_take_constant(clerk_k, 0, 3, clerk_base_3, clerk_size_3); (*(__global int "
        "*)clerk_global(clerk_k, &(a[b]), 0, sizeof(__global int), clerk_base_0, clerk_size_0, 0, "
        "clerk_WRITES, 0, clerk_cells_0, clerk_window_0)) = 1; }\n");
    assert_int_equal(checked.kernel_count, 2);
    const struct checked_kernel *kernel = checked_find(&checked, "k");
    assert_int_equal(kernel->argument_count, 5);
    assert_int_equal(kernel->parameter_count, 9);
    assert_int_equal(kernel->parameters[1].hidden, CHECKED_HIDDEN_SIZE);
    assert_int_equal(kernel->parameters[1].argument, 2);
    assert_int_equal(kernel->parameters[3].hidden, CHECKED_HIDDEN_REPORT);
    assert_int_equal(kernel->parameters[4].hidden, CHECKED_HIDDEN_LAUNCH);
    assert_int_equal(kernel->parameters[5].hidden, CHECKED_HIDDEN_CELLS);
    assert_int_equal(kernel->parameters[5].shift, 2);
    assert_true(kernel->parameters[5].is_written);
    assert_int_equal(kernel->parameters[6].hidden, CHECKED_HIDDEN_WINDOW);
    assert_int_equal(kernel->parameters[7].hidden, CHECKED_HIDDEN_WRITTEN);
    assert_int_equal(kernel->parameters[8].hidden, CHECKED_HIDDEN_BEFORE);
    assert_false(kernel->hides_writes);
    assert_false(kernel->is_ordered_otherwise);
    assert_string_equal(kernel->reason, "");
    assert_int_equal(checked_find(&checked, "none")->parameter_count, 2);
    checked_release(&checked);
}

/* Also through one that checks nothing itself, and before its definition. */
static void functions_that_check_are_given_what_they_need(void **state)
{
    (void)state;
    check("int outer(global int *p);\nint inner(global int *p) { return *p; }\nint outer(global "
          "int *p) { return inner(p); }\nint other(int i) { return i; }\nint noisy() { return "
          "other(1); }\nkernel void k(int i) { i = noisy() + other(outer(0)); }",
          "",
          "int outer(__private struct clerk_k *clerk_k, global int *p);\nint inner(__private "
          "struct clerk_k *clerk_k, global int *p) { return (*(__global int "
          "*)clerk_global(clerk_k, &(*p), 0, sizeof(__global int), p, 0, clerk_SEARCH, "
          "clerk_READS, 0, 0, 0)); }\nint outer(__private struct clerk_k *clerk_k, global int *p) "
          "{ return inner(clerk_k, p); }\nint other(int i) { return i; }\nint noisy() { return "
          "other(1); }\nkernel void k(int i, __global uint *clerk_report, uint clerk_launch) { "
          "__private struct clerk_k clerk_k[1]; clerk_begin(clerk_k, clerk_report, clerk_launch, "
          "1); i = noisy() + other(outer(clerk_k, 0)); }");
}

static void arrays_in_local_memory_are_known(void **state)
{
    (void)state;
    struct checked checked;
    make("int f(local int *p) { return *p; }\nkernel void k(int i) {\nlocal int a[4], b;\na[i] = "
         "1; b = f(a); }",
         "", &checked);
    assert_non_null(
        strstr(body(&checked, 0),
               "\nlocal int a[4], b; clerk_take_local(clerk_k, 0, 255, &a, sizeof(a)); "
               "const uint clerk_at_v_a = clerk_local_cells_of(clerk_k, 0, sizeof(a)); "
               "clerk_take_local(clerk_k, 1, 255, &b, sizeof(b)); "
               "const uint clerk_at_v_b = clerk_local_cells_of(clerk_k, 1, sizeof(b));\n"));
    assert_non_null(strstr(body(&checked, 0),
                           "&(b), 0, sizeof(__local int), &b, sizeof(b), "
                           "clerk_VARIABLE, clerk_WRITES, 2, clerk_at_v_b)) = "));
    assert_non_null(strstr(body(&checked, 0), ", __local ulong *clerk_local_cells, uint "
                                              "clerk_local_words) {"));
    assert_non_null(strstr(checked.parts[0].text, "#define clerk_shift_k 2\n"));
    assert_non_null(strstr(body(&checked, 0), " clerk_k->spare = clerk_spare;"));
    assert_non_null(strstr(checked.parts[0].text, "#define clerk_LOCALS 2\n"));
    checked_release(&checked);
}

/* ---- races ---- */

static void barriers_are_counted_by_their_flags(void **state)
{
    (void)state;
    static const struct {
        const char *statement, *expected;
    } rows[] = {
        {"barrier(1 | 2);", "(barrier(1 | 2), clerk_passed(clerk_k, 1 | 2));"},
        {"work_group_barrier(i, memory_scope_device);",
         "(work_group_barrier(i, memory_scope_device), clerk_passed(clerk_k, ( "
         "memory_scope_device) == memory_scope_work_item ? 0u : (uint)(i)));"},
        {"barrier(i++);", "(barrier(i++), clerk_passed(clerk_k, ~0u));"},
        {"event_t e; wait_group_events(1, &e);",
         "event_t e; (wait_group_events(1, &e), clerk_passed(clerk_k, ~0u));"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct checked checked;
        struct text source = TEXT_INIT;
        text_format(&source, "kernel void k(int i) { %s }", rows[i].statement);
        make(source.bytes, "-cl-std=CL2.0", &checked);
        if (!strstr(body(&checked, 0), rows[i].expected))
            fail_msg("%s", body(&checked, 0));
        checked_release(&checked);
        text_release(&source);
    }
}

/* ---- reads that are overwritten ---- */

static const struct {
    const char *statements;
    bool is_overwritten; /* the first read */
} overwritings[] = {
    {"a[i] = a[i] * 2;", true},
    {"f = a[i]; a[i] = f;", true},
    {"const float x = a[i], y = a[i + 1]; a[i] = max(x, y); a[i + 1] = x;", true},
    {"if (i > 1) { f = a[i]; a[i] = 1; }", true},
    {"for (int j = 0; j < 4; j++) a[j] = a[j] + 1;", false}, /* no list of statements */
    {"for (int j = 0; j < 4; j++) { f = a[j]; a[j] = f; }", true},
    {"a[get_global_id(0)] = a[get_global_id(0)];", false},
    {"f = a[i]; f = 2; a[i] = f;", true},
    {"f = a[i]; a[i + 1] = f;", false},
    {"f = a[i]; b[i] = f;", false},
    {"f = a[i]; i++; a[i] = f;", false},
    {"f = a[i]; i = 2; a[i] = f;", false},
    {"f = a[i]; if (i > 1) a[i] = f;", false},
    {"f = a[i]; if (i > 1) return; a[i] = f;", false},
    {"if (i > 1) f = a[i]; a[i] = f;", false},
    {"f = a[i]; barrier(1); a[i] = f;", false},
    {"f = a[i]; touch(a); a[i] = f;", false},
    {"f = a[i]; atomic_inc(n); a[i] = f;", false},
    {"f = a[n[i]]; a[n[i]] = f;", false},
    {"f = i > 1 && (a[i] = 2) > 1 ? a[i] : 1;", false},
    {"f = v[i].x; v[i].x = f;", false},
    {"while (i > 1) { f = a[i]; break; a[i] = f; }", false},
};

static void reads_of_what_is_overwritten_have_no_cells(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof overwritings / sizeof *overwritings; i++) {
        struct text source = TEXT_INIT;
        struct checked checked;
        text_format(&source,
                    "void touch(global float *p) { *p = 1; }\n"
                    "kernel void k(global float *a, global float *b, global int *n, global float4 "
                    "*v, int i) { float f; %s }\n",
                    overwritings[i].statements);
        make(source.bytes, "", &checked);
        const char *read = strstr(body(&checked, 0), "clerk_READS, ");
        assert_non_null(read);
        const char *cells = strchr(read + strlen("clerk_READS, "), ',');
        const bool has_none = strncmp(cells, ", 0, 0))", 8) == 0;
        if (has_none != overwritings[i].is_overwritten)
            fail_msg("%s: %s", overwritings[i].statements, body(&checked, 0));
        checked_release(&checked);
        text_release(&source);
    }
}

/* Local memory that nobody has written is told of where all that writes there is seen. */
static void writes_that_are_not_checked_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *statements;
        bool is_seen;
    } rows[] = {
        {"l[i] = 1; l[i] += l[0]; l[i]++; vstore4((int4)(1), 0, l); atomic_xchg(l, 1);", true},
        {"if (l == r) r = l + 1; write(r);", true},
        {"float f = fract(1.5f, m);", true},
        {"event_t e = async_work_group_copy(l, a, 4, 0); wait_group_events(1, &e);", false},
        {"t->i = 1;", false}, /* a member of a packed structure */
        {"hidden(t);", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct checked checked;
        struct text source = TEXT_INIT;
        text_format(
            &source,
            "struct __attribute__((packed)) tight { char c; int i; };\n"
            "void write(local int *p) { *p = 1; }\n"
            "void hidden(local struct tight *p) { p->i = 1; }\n"
            "kernel void k(global int *a, local int *l, local int *r, local float *m, local "
            "struct tight *t, int i) { a[0] = l[i]; %s }",
            rows[i].statements);
        make(source.bytes, "", &checked);
        assert_non_null(strstr(checked.parts[0].text, rows[i].is_seen
                                                          ? "#define clerk_takes_k clerk_TAKES\n"
                                                          : "#define clerk_takes_k 0\n"));
        text_release(&source);
        checked_release(&checked);
    }
}

/* Of structures and parts of vectors some bytes may have no use. */
static void only_whole_values_are_taken(void **state)
{
    (void)state;
    static const struct {
        const char *statement;
        bool takes;
    } rows[] = {
        {"w = v[i];", true},           {"w.x += v[0].x;", false},   {"v[i].y = 1;", false},
        {"v[i][2] = 1;", false},       {"w.x = v[i][2];", false},   {"v[i] = w;", false},
        {"v[i] *= w;", true},          {"s[0] = s[1];", false},     {"s[i].n = s[0].n;", true},
        {"atomic_xchg(n, 1);", false}, {"atomic_add(n, 1);", true}, {"w = vload4(0, f);", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct checked checked;
        struct text source = TEXT_INIT;
        text_format(&source,
                    "typedef struct { int n; char c; } pair;\nkernel void k(local float4 *v, local "
                    "pair *s, local int *n, local float *f, int i, global float4 *a) { float4 w = "
                    "(float4)(1); %s *a = w; }",
                    rows[i].statement);
        make(source.bytes, "", &checked);
        const char *text = strstr(checked.parts[0].text, "\n# 1 \"<source>\"\n");
        const bool takes = strstr(text, "clerk_TAKES") != NULL;
        if (takes != rows[i].takes)
            fail_msg("%s: %s", rows[i].statement, text);
        text_release(&source);
        checked_release(&checked);
    }
}

/* Global memory that nobody has written is told of where no write is missed. */
static void writes_to_global_memory_that_are_not_checked_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *statements;
        bool is_hidden;
    } rows[] = {
        {"a[i] = 1; a[i] += a[0]; a[i]++; vstore4((int4)(1), 0, a); atomic_xchg(a, 1);", false},
        {"v[i].x = 1; v[i][i & 3] = 2; write(a);", false},
        {"event_t e = async_work_group_copy(l, a, 4, 0); wait_group_events(1, &e);", false},
        {"event_t e = async_work_group_copy(a, l, 4, 0); wait_group_events(1, &e);", false},
        {"prefetch(a, 4); float f = fract(1.5f, m);", false},
        {"t->i = 1;", true}, /* a member of a packed structure */
        {"hidden(t);", true},
        {"i = t->i;", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct checked checked;
        struct text source = TEXT_INIT;
        text_format(
            &source,
            "struct __attribute__((packed)) tight { char c; int i; };\n"
            "void write(global int *p) { *p = 1; }\n"
            "void hidden(global struct tight *p) { p->i = 1; }\n"
            "kernel void k(global int *a, local int *l, global int4 *v, global float *m, global "
            "struct tight *t, int i) { a[0] = l[i]; %s }",
            rows[i].statements);
        make(source.bytes, "", &checked);
        if (checked_find(&checked, "k")->hides_writes != rows[i].is_hidden)
            fail_msg("%s", rows[i].statements);
        text_release(&source);
        checked_release(&checked);
    }
}

/* What cells tell of races is a suspicion where more than barriers may order work-items; there are
 * none with sub-groups. */
static void other_orders_are_noticed(void **state)
{
    (void)state;
    static const struct {
        const char *statement;
        enum { BARRIERS, MORE, WAITS, SUB_GROUPS } by;
    } rows[] = {
        {"atomic_inc(a);", BARRIERS},
        {"a[1] = atomic_inc(a);", BARRIERS},
        {"for (int j = 0; j < i; j++) atomic_inc(a);", BARRIERS},
        {"for (int j = 0; j < i; j++) { atomic_add(a, j); if (i) atomic_inc(a); }", BARRIERS},
        {"while (atomic_cmpxchg(a, 0, 1) != 0) {}", WAITS},
        {"while (look(a)) {}", WAITS},
        {"i = look(a);", BARRIERS},
        {"do { if (a[0] == 0) break; } while (1);", WAITS},
        {"again: if (look(a)) goto again;", WAITS},
        {"mem_fence(CLK_GLOBAL_MEM_FENCE);", MORE},
        {"fence();", MORE},
        {"i = work_group_all(i);", MORE},
        {"atomic_store((volatile global atomic_int *)a, 1);", MORE},
        {"atomic_store_explicit((volatile global atomic_int *)a, 1, memory_order_relaxed);",
         BARRIERS},
        {"atomic_store_explicit((volatile global atomic_int *)a, 1, memory_order_release);", MORE},
        {"i = sub_group_any(i);", SUB_GROUPS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct checked checked;
        struct text source = TEXT_INIT;
        text_format(&source,
                    "int look(volatile global int *p) { return p[1]; }\n"
                    "void fence(void) { read_mem_fence(CLK_LOCAL_MEM_FENCE); }\n"
                    "kernel void k(volatile global int *a, int i, local int *l) { l[i] = 1; %s }\n"
                    "kernel void other(global int *a) { a[0] = 1; }",
                    rows[i].statement);
        make(source.bytes, "-cl-std=CL2.0", &checked);
        assert_string_equal(checked.reason, "");
        const struct checked_kernel *kernel = checked_find(&checked, "k");
        if (kernel->is_ordered_otherwise != (rows[i].by != BARRIERS))
            fail_msg("%s", rows[i].statement);
        assert_int_equal(kernel->waits, rows[i].by == WAITS);
        assert_int_equal(kernel->uses_sub_groups, rows[i].by == SUB_GROUPS);
        /* Of sizes, the report, the launch and what is written; cells of global and of local
         * memory. */
        const unsigned cells[] = {[BARRIERS] = 4, [MORE] = 4, [WAITS] = 2, [SUB_GROUPS] = 0};
        assert_int_equal(kernel->parameter_count, 6 + cells[rows[i].by]);
        assert_false(checked_find(&checked, "other")->is_ordered_otherwise);
        checked_release(&checked);
        text_release(&source);
    }
}

/* Also where the argument is not known. */
static void cells_are_as_small_as_accesses(void **state)
{
    (void)state;
    struct checked checked;
    make("void put(global uchar *p) { *p = 1; }\n"
         "kernel void k(global double *a, global float4 *b, global int *c) {\n"
         "a[0] = 1; b[0] = b[1]; b[2].y = 1; a[1] = c[0]; }\n"
         "kernel void m(global double *a, global const int *b) { a[0] = b[1]; put((global uchar "
         "*)a); }",
         "", &checked);
    const struct checked_parameter *k = checked_find(&checked, "k")->parameters;
    const struct checked_parameter *m = checked_find(&checked, "m")->parameters;
    assert_int_equal(k[5].hidden, CHECKED_HIDDEN_CELLS);
    assert_int_equal(k[5].shift, 3);
    assert_int_equal(k[7].shift, 2);
    assert_int_equal(k[9].shift, 2);
    assert_false(k[9].is_written);
    assert_int_equal(m[4].shift, 0);
    assert_int_equal(m[6].shift, 0);
    assert_true(m[6].is_written);
    checked_release(&checked);
}

/* Its caller passes on what the functions below need; its own accesses are not checked. */
static void a_kernel_that_is_called_is_not_checked(void **state)
{
    (void)state;
    struct checked checked;
    make("int f(global int *p) { return *p; }\nkernel void inner(global int *p) { p[0] = f(p); "
         "}\nkernel void outer(global int *p) { inner(p); }",
         "", &checked);
    const struct checked_kernel *inner = checked_find(&checked, "inner");
    assert_string_equal(inner->reason, "another function of the program calls it");
    assert_int_equal(inner->parameter_count, 0);
    assert_string_equal(checked_find(&checked, "outer")->reason, "");
    assert_non_null(strstr(body(&checked, 0),
                           "\nkernel void inner(global int *p) { __private struct clerk_k "
                           "clerk_k[1]; clerk_begin(clerk_k, 0, 0, 0); p[0] = f(clerk_k, p); }\n"));
    checked_release(&checked);
}

static void generic_pointers_are_asked_where_they_lead(void **state)
{
    (void)state;
    check("int f(int *p) { return p[1]; }", "-cl-std=CL2.0",
          "int f(__private struct clerk_k *clerk_k, int *p) { return (*(clerk_GENERIC int "
          "*)clerk_generic(clerk_k, &(p[1]), 0, sizeof(clerk_GENERIC int), 0, 0, clerk_SEARCH, "
          "clerk_READS | clerk_TAKES, 0)); "
          "}");
}

/* Pointers in memory may lead anywhere, so that nothing is said of those that are not known. */
static void foreign_pointers_are_noticed(void **state)
{
    (void)state;
    static const struct {
        const char *statement;
        bool is_closed;
    } rows[] = {
        {"global int *q = a; q[1] = 2;", true},
        {"global int *q = ((global int *global *)a)[1]; q[1] = 2;", false},
        {"global int *q = (global int *)(ulong)a[0]; q[1] = 2;", false},
        {"union { ulong n; global int *p; } u; u.n = 1; a[0] = u.p[1];", false},
        {"global int *q = i ? a : a + 1; q[1] = 2;", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct checked checked;
        struct text source = TEXT_INIT;
        text_format(&source, "kernel void k(global int *a, int i) { %s }", rows[i].statement);
        make(source.bytes, "", &checked);
        static const char mark[] = "(clerk_k, clerk_report, clerk_launch, ";
        const char *begin = strstr(body(&checked, 0), mark);
        assert_non_null(begin);
        assert_int_equal(begin[strlen(mark)], rows[i].is_closed ? '1' : '0');
        const char *given = strstr(begin, " clerk_k->shared = clerk_shared;");
        assert_int_equal(given == NULL, rows[i].is_closed);
        checked_release(&checked);
        text_release(&source);
    }
}

static void other_names_are_chosen_where_the_program_has_ours(void **state)
{
    (void)state;
    struct checked checked;
    make("kernel void k(global int *clerk_k) { *clerk_k = 1; }", "", &checked);
    assert_non_null(strstr(body(&checked, 0), "*)clerk1_global(clerk1_k, &(*clerk_k), 0, "));
    assert_non_null(strstr(checked.parts[0].text, "struct clerk1_k {"));
    assert_null(strstr(checked.parts[0].text, "struct clerk_k"));
    checked_release(&checked);
}

/* ---- the preprocessor ---- */

static void macros_are_expanded_but_those_of_the_language(void **state)
{
    (void)state;
    check("#define TWICE(x) ((x) + (x))\n#if FLT_RADIX == 2 && defined CLK_LOCAL_MEM_FENCE && "
          "defined M_PI_F && CHAR_BIT == 8\nfloat f(float x) { return TWICE(x) * M_PI_F + WIDTH + "
          "as_float(1); }\nvoid g(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n#endif",
          "-DWIDTH=4",
          "\n\nfloat f(float x) { return ((x) + (x)) * M_PI_F + 4 + as_float(1); }\nvoid "
          "g(__private struct clerk_k *clerk_k /* void */) { (barrier(CLK_LOCAL_MEM_FENCE), "
          "clerk_passed(clerk_k, CLK_LOCAL_MEM_FENCE)); }");
}

static void the_drivers_macros_decide(void **state)
{
    (void)state;
    static const char source[] = "#if defined A && B == 4 && !defined C && ULONG_MAX > 1000 && "
                                 "!defined M_PI_F\nulong f(void) { return A + B + ULONG_MAX; }\n"
                                 "#endif\n";
    struct checked checked;
    struct error error;
    struct request_part part = {.bytes = source, .size = sizeof source - 1, .options = ""};
    struct request request = {
        .device = device, .wants_checked = true, .parts = &part, .part_count = 1};
    request.device.macros = learnt;
    assert_int_equal(checked_text_make(&request, &no_facts, &checked, &error), STATUS_OK);
    assert_string_equal(body(&checked, 0),
                        "\nulong f(void) { return A + 4 + 0xffffffffffffffffUL; }\n");
    checked_release(&checked);
}

/* clang leaves them as they are. */
static void macros_in_pragmas_stay_defined(void **state)
{
    (void)state;
    struct checked checked;
    make("#define HALF (WIDTH / 2)\n#define OTHER 3\nint f(void) { int s = 0;\n#pragma unroll "
         "HALF\nfor (int i = 0; i < OTHER; i++) s += i;\nreturn s; }",
         "-D WIDTH=4", &checked);
    assert_string_equal(body(&checked, 0),
                        "#define HALF (WIDTH / 2)\n\nint f(void) { int s = 0;\n#pragma unroll "
                        "HALF\nfor (int i = 0; i < 3; i++) s += i;\nreturn s; }\n");
    assert_non_null(strstr(checked.parts[0].text, "#define WIDTH 4\n"));
    assert_string_equal(checked.parts[0].options, "");
    checked_release(&checked);
}

static void lines_and_files_stay(void **state)
{
    (void)state;
    struct checked checked;
    struct request_header header = {.name = "sub/get.h",
                                    .text = "\nint get(global int *p) {\n  return p[  1\n]; }\n"};
    header.size = strlen(header.text);
    const char *source =
        "#include \"sub/get.h\"\n\nkernel void k(global int *a) {\n  a[0] = get(a); }";
    struct request_part part = {.bytes = source,
                                .size = strlen(source),
                                .options = "",
                                .headers = &header,
                                .header_count = 1};
    make_of_parts(&part, 1, &checked);
    assert_non_null(strstr(body(&checked, 0), "# 1 \"sub/get.h\"\n"));
    assert_int_equal(checked.site_count, 2);
    assert_string_equal(checked.sites[0].file, "sub/get.h");
    assert_int_equal(checked.sites[0].line, 3);
    assert_string_equal(checked.sites[0].expression, "p[ 1 ]");
    assert_int_equal(checked.sites[0].access, CHECKED_READ);
    assert_string_equal(checked.sites[1].file, "<source>");
    assert_int_equal(checked.sites[1].line, 4);
    assert_int_equal(checked.sites[1].access, CHECKED_WRITE);
    checked_release(&checked);
}

static void long_expressions_are_cut(void **state)
{
    (void)state;
    struct checked checked;
    make("kernel void k(global int *a) { a[1000 + 1000 + 1000 + 1000 + 1000 + 1000 + 1000 + 1000 + "
         "1000] = 1; }",
         "", &checked);
    assert_string_equal(checked.sites[0].expression,
                        "a[1000 + 1000 + 1000 + 1000 + 1000 + 1000 + 1000 + 1000 + 10...");
    checked_release(&checked);
}

static void names_of_variables_are_told(void **state)
{
    (void)state;
    struct checked checked;
    make("kernel void k(global int *a) { local int t[4]; local int *p = t; t[1] = p[2]; }", "",
         &checked);
    assert_int_equal(checked.site_count, 2);
    assert_string_equal(checked.sites[0].expression, "t[1]");
    assert_string_equal(checked.sites[0].variable, "t");
    assert_string_equal(checked.sites[1].expression, "p[2]");
    assert_string_equal(checked.sites[1].variable, "t");
    checked_release(&checked);
}

/* As the reference device calls them, which runs launches again. */
static void parts_have_names(void **state)
{
    (void)state;
    static const char *const texts[] = {"void f(global int *a) { a[0] = 1; }",
                                        "void g(global int *a) { a[0] = 2; }",
                                        "kernel void k(global int *a) { a[0] = 3; }"};
    struct request_part parts[3];
    struct checked checked;
    for (size_t i = 0; i < 3; i++)
        parts[i] =
            (struct request_part){.bytes = texts[i], .size = strlen(texts[i]), .options = ""};
    make_of_parts(parts, 3, &checked);
    assert_int_equal(checked.site_count, 3);
    assert_string_equal(checked.sites[0].file, "<source>");
    assert_string_equal(checked.sites[1].file, "<source 2>");
    assert_string_equal(checked.sites[2].file, "<source 3>");
    checked_release(&checked);
}

static void options_that_the_text_has_obeyed_are_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *options, *expected;
    } rows[] = {
        {"", ""},
        {"-cl-std=CL2.0  -DA=1 -cl-mad-enable", "-cl-std=CL2.0 -cl-mad-enable"},
        {"-D A=\"1 2\" -w -I . -I\"a b\" -cl-nv-maxrregcount 32", "-w -cl-nv-maxrregcount 32"},
        {"-Werror -Werrors -D", "-Werrors"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arena arena = {0};
        assert_string_equal(options_of_copy(rows[i].options, &arena), rows[i].expected);
        arena_release(&arena);
    }
}

/* ---- several parts ---- */

static void linked_parts_agree(void **state)
{
    (void)state;
    struct checked checked;
    const char *const sources[] = {
        "int get(global int *p) { return *p; }",
        "int get(global int *p);\nkernel void k(global int *a) { a[1] = get(a); }"};
    struct request_part parts[] = {
        {.bytes = sources[0], .size = strlen(sources[0]), .options = "-cl-mad-enable"},
        {.bytes = sources[1], .size = strlen(sources[1]), .options = ""}};
    make_of_parts(parts, 2, &checked);
    assert_int_equal(checked.part_count, 2);
    assert_string_equal(checked.parts[0].options, "-cl-mad-enable");
    assert_non_null(
        strstr(body(&checked, 1), "int get(__private struct clerk_k *clerk_k, global int *p);\n"));
    assert_non_null(strstr(body(&checked, 1), " = get(clerk_k, a); }"));
    assert_non_null(strstr(checked.parts[0].text, "#define clerk_GLOBALS 1\n"));
    checked_release(&checked);
}

/* ---- images ---- */

/* Does a copy have this text? */
static void check_has(const char *source, const char *wanted)
{
    struct checked checked;
    make(source, "", &checked);
    if (!strstr(body(&checked, 0), wanted))
        fail_msg("no '%s' in %s", wanted, body(&checked, 0));
    checked_release(&checked);
}

static void coordinates_of_images_are_checked(void **state)
{
    (void)state;
    static const char write[] = "kernel void k(int i, write_only image2d_t to) { "
                                "write_imagef(to, (int2)(i, 0), (float4)(0)); }";
    check_has(write, "{ if (clerk_in_image(clerk_k, 2, clerk_argument, clerk_site, 2, "
                     "(uint)clerk_at.x, (uint)clerk_at.y, (uint)0, "
                     "(uint)get_image_width(clerk_image), (uint)get_image_height(clerk_image), "
                     "(uint)1)) write_imagef(clerk_image, clerk_at, clerk_v); }");
    check_has(write, " clerk_1_write_imagef(clerk_k, 0, 1, to, (int2)(i, 0), (float4)(0)); }");
    check_has("int4 get(read_only image1d_t p) { return read_imagei(p, 3); }",
              " clerk_1_read_imagei(clerk_k, 0, 255, p, 3); }");
    check_has("kernel void k(read_only image1d_array_t p, global int4 *q) { "
              "*q = read_imagei(p, (int2)(1)); }",
              "(uint)get_image_array_size(clerk_image)");
}

static void samplers_decide_what_is_outside(void **state)
{
    (void)state;
#define READ                                                                                       \
    "kernel void k(read_only image2d_t p, sampler_t s, global float4 *q) { *q = read_imagef(p, "
    check_has(READ "s, (float2)(0)); }",
              " clerk_1_read_imagef(clerk_k, 1, 0, clerk_sampler_1, p, s, (float2)(0)); }");
    check_has(READ "s, (float2)(0)); }", "uint clerk_launch, uint clerk_sampler_1, ");
    static const char none[] = "constant sampler_t t = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST | "
                               "CLK_NORMALIZED_COORDS_TRUE; " READ "t, (float2)(0)); }";
    check_has(none, " clerk_1_read_imagef(clerk_k, 1, 0, 3, p, t, (float2)(0)); }");
    /* What these read outside is defined, or what they are is not known. */
    static const char *const others[] = {
        "constant sampler_t t = CLK_ADDRESS_CLAMP | CLK_NORMALIZED_COORDS_FALSE; " READ
        "t, (float2)(0)); }",
        "constant sampler_t t = 16; " READ "t, (float2)(0)); }",
        "float4 f(read_only image2d_t p, sampler_t t) { return read_imagef(p, t, (float2)(0)); }",
        "float4 f(read_only image1d_buffer_t p) { return read_imagef(p, 0); }",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct checked checked;
        make(others[i], "", &checked);
        assert_null(strstr(body(&checked, 0), "_read_imagef("));
        checked_release(&checked);
    }
}

/* ---- what cannot be ---- */

static void what_cannot_be_checked_is_told(void **state)
{
    (void)state;
    check_reason("global int g; kernel void k(void) { g = 1; }", "-cl-std=CL2.0",
                 "it has variables in global memory");
    check_reason(
        "kernel void k(void) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{}); }",
        "-cl-std=CL2.0", "it has blocks, with which kernels enqueue others");
    check_reason("kernel void k(void) {}", "-cl-std=CLC++", "it is in C++ for OpenCL");
    check_reason("\nkernel void k(void) { x = 1; }", "",
                 "clang refuses its text: <source>:2:23: error: use of undeclared identifier 'x'");
    check_reason("#error no\n", "", "clang refuses its text: <source>:1:2: error: no");
    check_reason("int (f)(global int *p) { return *p; } kernel void k(global int *p) { f(p); }", "",
                 "the parameters of a function cannot be found in its text");
    struct checked checked;
    struct request_part part = {.is_il = true, .bytes = "", .options = ""};
    make_of_parts(&part, 1, &checked);
    assert_string_equal(checked.reason, "it is linked of source and IL");
    checked_release(&checked);
    setenv("CLERK_CLANG", "/nonexistent", 1);
    check_reason("kernel void k(void) {}", "", "the compilers that clerk needs are not there");
    unsetenv("CLERK_CLANG");
}

int main(void)
{
    setenv("CLERK_CACHE", CLERK_TEST_CACHE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_are_checked_where_they_are),
        cmocka_unit_test(kernels_get_hidden_parameters),
        cmocka_unit_test(functions_that_check_are_given_what_they_need),
        cmocka_unit_test(arrays_in_local_memory_are_known),
        cmocka_unit_test(barriers_are_counted_by_their_flags),
        cmocka_unit_test(reads_of_what_is_overwritten_have_no_cells),
        cmocka_unit_test(writes_that_are_not_checked_are_known),
        cmocka_unit_test(writes_to_global_memory_that_are_not_checked_are_known),
        cmocka_unit_test(only_whole_values_are_taken),
        cmocka_unit_test(other_orders_are_noticed),
        cmocka_unit_test(cells_are_as_small_as_accesses),
        cmocka_unit_test(a_kernel_that_is_called_is_not_checked),
        cmocka_unit_test(generic_pointers_are_asked_where_they_lead),
        cmocka_unit_test(foreign_pointers_are_noticed),
        cmocka_unit_test(other_names_are_chosen_where_the_program_has_ours),
        cmocka_unit_test(macros_are_expanded_but_those_of_the_language),
        cmocka_unit_test(the_drivers_macros_decide),
        cmocka_unit_test(macros_in_pragmas_stay_defined),
        cmocka_unit_test(lines_and_files_stay),
        cmocka_unit_test(long_expressions_are_cut),
        cmocka_unit_test(names_of_variables_are_told),
        cmocka_unit_test(parts_have_names),
        cmocka_unit_test(options_that_the_text_has_obeyed_are_left_out),
        cmocka_unit_test(linked_parts_agree),
        cmocka_unit_test(coordinates_of_images_are_checked),
        cmocka_unit_test(samplers_decide_what_is_outside),
        cmocka_unit_test(what_cannot_be_checked_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
