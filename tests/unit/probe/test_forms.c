/* The forms that are found in kernels: rows of the parameters and body of a kernel, and how the
 * forms are printed (forms.h); and whether launches of kernels that are hard to judge hold. */
#include "tests/unit/probe/forms.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- one kernel a row ---- */

static const char *const before = "struct s { short x; short y; int z; };\n"
                                  "void put(global int *to, int by) { *to += by; }\n"
                                  "global int *pick(global int *a, global int *b, int n)\n"
                                  "{ if (n > 3) return a; return b; }\n";

struct row {
    const char *parameters, *body, *expected;
};

static const struct row global_rows[] = {
    {"global int *a, global const int *b", "size_t i = get_global_id(0); a[i] = b[i + 1];",
     "a: 4*g0, 4 bytes, modulo 2^64\nb: apart\n"},
    {"global int *a", "", "a: apart\n"},
    /* Integers of each width, which may wrap. */
    {"global int *a", "uint i = get_global_id(0); a[i] = 1;", "a: 4*g0, 4 bytes, modulo 2^34\n"},
    {"global int *a", "uchar i = get_global_id(0); a[i] = 1;", "a: 4*g0, 4 bytes, modulo 2^10\n"},
    {"global int *a, int n", "int i = get_global_id(0); a[i * 65536 * n] = 1;",
     "a: 262144*g0*a1, 4 bytes, modulo 2^34\n"},
    {"global char *a, short n", "a[get_global_id(0) * n] = 1;",
     "a: 1*g0*s1, 1 bytes, modulo 2^64\n"},
    {"global char *a, short n", "a[get_global_id(0) * (uint)n] = 1;",
     "a: 1*g0*s1, 1 bytes, modulo 2^32\n"},
    {"global char *a, ushort n", "a[get_global_id(0) * n] = 1;",
     "a: 1*g0*a1, 1 bytes, modulo 2^64\n"},
    {"global char *a, long n", "a[get_global_id(0) * (int)n] = 1;",
     "a: 1*g0*a1, 1 bytes, modulo 2^32\n"},
    {"global int *a", "a[mul24((int)get_group_id(0), (int)get_local_size(0)) + 1] = 1;",
     "a: 4*w0*L0, 4 bytes, modulo 2^26\n"},
    /* All of an index. */
    {"global int *a, int w",
     "int2 p = (int2)(get_global_id(0), get_global_id(1)); a[p.y * w + p.x] = 1;",
     "a: 4*g0 + 4*g1*a1, 4 bytes, modulo 2^34\n"},
    {"global int *a, int w, int h",
     "a[(get_global_id(2) * h + get_global_id(1)) * w + get_global_id(0)] = 1;",
     "a: 4*g0 + 4*g1*s1 + 4*g2*s1*s2, 4 bytes, modulo 2^64\n"},
    {"global int *a, uint n", "uint i = get_global_id(0); a[n - 1 - i] = 1;",
     "a: -4*g0, 4 bytes, modulo 2^34\n"},
    {"global int *a", "a[get_group_id(0) * get_local_size(0) + get_local_id(0)] = 1;",
     "a: 4*l0 + 4*w0*L0, 4 bytes, modulo 2^64\n"},
    {"global int *a", "a[get_global_linear_id()] = 1;",
     "a: 4*p0 + 4*p1*G0 + 4*p2*G0*G1, 4 bytes, modulo 2^64\n"},
    {"global int *a", "a[get_local_linear_id() * get_num_groups(0) + get_group_id(0)] = 1;",
     "a: unknown\n"},
    {"global int *a", "a[get_local_id(0) * get_num_groups(0) + get_group_id(0)] = 1;",
     "a: 4*l0*W0 + 4*w0, 4 bytes, modulo 2^64\n"},
    {"global int *a", "size_t i = get_global_id(0); a[i << 2 | 1] = 1; a[i << 2 | 3] = 1;",
     "a: 16*g0, 12 bytes, modulo 2^64\n"},
    {"global int *a", "size_t i = get_global_id(0); a[i << 2 | 4] = 1;", "a: unknown\n"},
    {"global int *a", "a[get_global_id(0) & 7] = 1;", "a: 4*g0, 4 bytes, modulo 2^5\n"},
    {"global int *a", "a[get_global_id(0) % 8] = 1;", "a: 4*g0, 4 bytes, modulo 2^5\n"},
    {"global int *a, int n", "a[get_global_id(0) + n * get_num_groups(0)] = 1;",
     "a: 4*g0, 4 bytes, modulo 2^64\n"},
    {"global int *a", "a[get_global_id(0) + get_local_size(0)] = 1;",
     "a: 4*g0 + 0*l0*L0, 4 bytes, modulo 2^64\n"},
    /* What is no sum of ids. */
    {"global int *a", "a[get_global_id(0) % 7] = 1;", "a: unknown\n"},
    {"global int *a, uint n", "a[get_global_id(0) % n] = 1;", "a: unknown\n"},
    {"global int *a", "a[get_global_id(0) / 2] = 1;", "a: unknown\n"},
    {"global int *a, uint n", "a[get_global_id(0) & n] = 1;", "a: unknown\n"},
    {"global int *a", "a[get_global_id(0) >> 1] = 1;", "a: unknown\n"},
    {"global int *a", "a[get_global_id(0) * get_local_id(0)] = 1;", "a: unknown\n"},
    {"global int *a", "a[(uint)get_global_id(0) ^ 1] = 1;", "a: unknown\n"},
    {"global int *a", "a[min((int)get_global_id(0), 8)] = 1;", "a: unknown\n"},
    {"global int *a, global const int *b", "a[b[get_global_id(0)]] = 1;", "a: unknown\nb: apart\n"},
    {"global int *a, int n, int m, int k", "a[get_global_id(0) * n * m * k] = 1;", "a: unknown\n"},
    {"global int *a, int n", "int i = get_global_id(0); if (i > n) i = n; a[i] = 1;",
     "a: unknown\n"},
    /* Loops. */
    {"global int *a, int n",
     "for (int i = get_global_id(0); i < n; i += get_global_size(0)) a[i] = 1;", "a: unknown\n"},
    {"global int *a, int n", "for (int k = 0; k < n; k++) a[get_global_id(0) * n + k] = 1;",
     "a: unknown\n"},
    {"global int *a, int n", "for (int k = 0; k < n; k++) a[get_global_id(0)] += k;",
     "a: 4*g0, 4 bytes, modulo 2^64\n"},
    {"global int *a, int n",
     "global int *p = a; for (int k = 0; k < n; k++, p++) if (k == get_global_id(0)) *p = k;",
     "a: unknown\n"},
    /* Several accesses, of which some do not write. */
    {"global int *a, int n", "int i = get_global_id(0); a[i] = 1; a[n + i] = 2;", "a: unknown\n"},
    {"global int *a", "size_t i = get_global_id(0); a[i] = a[i + 1];",
     "a: 4*g0, 8 bytes, modulo 2^64\n"},
    {"global int *a", "size_t i = get_global_id(0); a[i] = a[i - 1];",
     "a: 4*g0, 8 bytes, modulo 2^64\n"},
    {"global int *a", "size_t i = get_global_id(0); a[4 * i] = a[4 * i + 3];",
     "a: 16*g0, 16 bytes, modulo 2^64\n"},
    {"global int *a", "a[get_global_id(0)] = a[get_local_id(0)];", "a: unknown\n"},
    {"global int *a", "a[get_global_id(0)] = a[get_global_linear_id()];", "a: unknown\n"},
    {"global int *a", "a[get_global_id(0)] = 1; barrier(CLK_GLOBAL_MEM_FENCE); a[0] = 2;",
     "a: unknown\n"},
    {"global int *a, global int *b", "atomic_inc(a); atomic_inc(b + get_global_id(0));",
     "a: 0, 4 bytes, modulo 2^64\nb: 4*g0, 4 bytes, modulo 2^64\n"},
    {"global atomic_int *a, global int *b",
     "b[get_global_id(0)] = atomic_load(a); atomic_load(&a[get_local_id(0)]);",
     "a: apart\nb: 4*g0, 4 bytes, modulo 2^64\n"},
    /* Members, components, vectors. */
    {"global struct s *a, global struct s *b",
     "int i = get_global_id(0); a[i].x = 1; a[i].z = 2; b[i / 2].y = 1;",
     "a: 8*g0, 8 bytes, modulo 2^35\nb: unknown\n"},
    {"global struct s *a, global struct s *b", "int i = get_global_id(0); a[i] = b[i + 1];",
     "a: 8*g0, 8 bytes, modulo 2^35\nb: apart\n"},
    {"global int4 *a, global int4 *b",
     "size_t i = get_global_id(0); a[i].x = 1; a[i].w = 2; b[0][i] = 1;",
     "a: 16*g0, 16 bytes, modulo 2^64\nb: unknown\n"},
    {"global float *a, global float *b",
     "int i = get_global_id(0); vstore4((float4)(1), i, a); vstore4((float4)(1), 0, b + 3 * i);",
     "a: 16*g0, 16 bytes, modulo 2^36\nb: 12*g0, 16 bytes, modulo 2^34\n"},
    {"global float *a, global float *b",
     "size_t i = get_global_id(0); b[i] = vload4(i, a).x; a[i] = 1;",
     "a: unknown\nb: 4*g0, 4 bytes, modulo 2^64\n"},
    {"global half *a", "vstore_half4((float4)(1), get_global_id(0), a);",
     "a: 8*g0, 8 bytes, modulo 2^64\n"},
    {"global int3 *a", "a[get_global_id(0)] = (int3)(1);", "a: 16*g0, 12 bytes, modulo 2^64\n"},
    {"global int *a, write_only image2d_t b",
     "int4 v = a[get_global_id(0)]; printf(\"%d\", v.x); "
     "a[get_global_id(0)] = 1; write_imagei(b, (int2)(a[get_global_id(0)]), v);",
     "a: 4*g0, 4 bytes, modulo 2^64\nb: unknown\n"},
    /* Pointers. */
    {"global int *a, global int *b", "put(a + get_global_id(0), 1); put(b, 1);",
     "a: 4*g0, 4 bytes, modulo 2^64\nb: 0, 4 bytes, modulo 2^64\n"},
    {"global int *a, global int *b, int n",
     "global int *p = n > 3 ? a : b; p[get_global_id(0)] = 1;", "a: unknown\nb: unknown\n"},
    {"global int *a, global int *b, global int *c, int n",
     "*pick(a, b, n) = 1; c[get_global_id(0)] = 1;",
     "a: unknown\nb: unknown\nc: 4*g0, 4 bytes, modulo 2^64\n"},
    {"global int *a, global ulong *b",
     "size_t i = get_global_id(0); a[i] = 1; *(global int *)b[i] = 1;", "a: unknown\nb: unknown\n"},
    {"global int *a, ulong b", "a[get_global_id(0)] = 1; *(global int *)b = 1;", "a: unknown\n"},
    {"global int *a, global const ulong *b, global int *c",
     "size_t i = get_global_id(0); a[i] = *(global const int *)b[i];",
     "a: unknown\nb: apart\n"
     "c: apart\n"},
    {"global int *a, int n", "int *p = a; p[get_global_id(0)] = n;",
     "a: 4*g0, 4 bytes, modulo 2^64\n"},
    {"global int *a", "((global int *)((ulong)a & ~15ul))[get_global_id(0)] = 1;", "a: unknown\n"},
    {"global int *a, local int *b",
     "event_t e = async_work_group_copy(a, b, 8, 0); wait_group_events(1, &e);",
     "a: unknown\nb: apart\n"},
};

#define FENCE               "barrier(CLK_LOCAL_MEM_FENCE);"
#define ROOM                "local int t[65]; uint l = get_local_id(0); "
#define NEIGHBOURS(between) "t[l] = l; " between " a[get_global_id(0)] = t[l + 1];"
#define A                   "a: 4*g0, 4 bytes, modulo 2^64\n"
#define FIRST               "a: 4*g0, 4 bytes, modulo 2^64, one l0\n"

/* In rounds. */
#define TREE(TYPE, START, NEXT, GUARD, OTHER, BARRIER)                                             \
    "t[l] = 1; " FENCE " for (" TYPE " h = " START "; h > 0; " NEXT ") { if (" GUARD               \
    ") t[l] += t[" OTHER "]; " BARRIER " } if (l == 0) a[get_global_id(0)] = t[0];"

static const struct row local_rows[] = {
    {"global int *a, int n", ROOM NEIGHBOURS(""), A "t: 4*l0, 8 bytes, modulo 2^34\n"},
    {"global int *a, int n", ROOM NEIGHBOURS(FENCE), A "t: 4*l0, 4 bytes, modulo 2^34\n"},
    {"global int *a, int n", ROOM NEIGHBOURS("if (n) " FENCE), A "t: 4*l0, 8 bytes, modulo 2^34\n"},
    {"global int *a, int n", ROOM NEIGHBOURS("if (n) " FENCE " else " FENCE),
     A "t: 4*l0, 4 bytes, modulo 2^34\n"},
    {"global int *a, int n", ROOM NEIGHBOURS("barrier(CLK_GLOBAL_MEM_FENCE);"),
     A "t: 4*l0, 8 bytes, modulo 2^34\n"},
    {"global int *a, int n", ROOM NEIGHBOURS("barrier(n);"), A "t: 4*l0, 8 bytes, modulo 2^34\n"},
    {"global int *a, int n",
     ROOM NEIGHBOURS("work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_item);"),
     A "t: 4*l0, 8 bytes, modulo 2^34\n"},
    {"global int *a, int n", ROOM NEIGHBOURS("mem_fence(CLK_LOCAL_MEM_FENCE);"),
     A "t: 4*l0, 8 bytes, modulo 2^34\n"},
    {"global int *a, int n", ROOM NEIGHBOURS("n = work_group_any(n);"),
     A "t: 4*l0, 8 bytes, modulo 2^34\n"},
    /* The barrier of the last iteration is not between. */
    {"global int *a, int n", ROOM "for (int k = 0; k < n; k++) {" NEIGHBOURS(FENCE) "}",
     A "t: 4*l0, 8 bytes, modulo 2^34\n"},
    {"global int *a, int n", ROOM "for (int k = 0; k < n; k++) {" NEIGHBOURS(FENCE) FENCE "}",
     A "t: 4*l0, 4 bytes, modulo 2^34\n"},
    {"global int *a, int n",
     ROOM "for (int k = 0; k < n; k++) {" NEIGHBOURS(FENCE) "if (k > 3) continue; " FENCE "}",
     A "t: 4*l0, 8 bytes, modulo 2^34\n"},
    /* Trees: H is the same for all items of a round, and rounds are apart. */
    {"global int *a",
     ROOM TREE("uint", "get_local_size(0) / 2", "h >>= 1", "l < h", "l + h", FENCE),
     FIRST "t: 4*l0, 4 bytes, modulo 2^34\n"},
    {"global int *a", ROOM TREE("int", "4", "h /= 2", "h > l", "h + l", FENCE),
     FIRST "t: 4*l0, 4 bytes, modulo 2^34\n"},
    {"global int *a", ROOM TREE("uint", "1024", "h = h / 3", "!(l >= h)", "l + h", FENCE),
     FIRST "t: 4*l0, 4 bytes, modulo 2^34\n"},
    {"global int *a", ROOM TREE("uint", "4", "h /= 2", "l <= h", "l + h", FENCE), FIRST},
    {"global int *a", ROOM TREE("uint", "4", "h /= 2", "l < 4", "l + h", FENCE), FIRST},
    {"global int *a", ROOM TREE("uint", "4", "h /= 2", "l < h", "l + h - 1", FENCE), FIRST},
    {"global int *a", ROOM TREE("uint", "4", "h /= 2", "l < h", "l + h", ""), FIRST},
    {"global int *a", ROOM TREE("uint", "4", "h /= 2", "l < h", "l + h", "if (l) " FENCE), FIRST},
    {"global int *a",
     ROOM TREE("uint", "4", "h /= 2", "l < h", "l + h", "if (l > 2) break; " FENCE), FIRST},
    {"global int *a", ROOM TREE("uint", "4", "h -= 1", "l < h", "l + h", FENCE), FIRST},
    {"global int *a", ROOM TREE("uint", "a[9]", "h /= 2", "l < h", "l + h", FENCE), "a: unknown\n"},
    {"global int *a", ROOM TREE("uint", "l", "h /= 2", "l < h", "l + h", FENCE), FIRST},
    {"global int *a", ROOM TREE("uint", "0x80000000", "h /= 2", "l < h", "l + h", FENCE), FIRST},
    {"global int *a", ROOM TREE("uint", "4", "h /= 2", "l < h", "l + h", FENCE) " t[l + 1] = 0;",
     FIRST},
    {"global int *a, int n",
     ROOM
     "for (int k = 0; k < n; k++) { " TREE("uint", "4", "h /= 2", "l < h", "l + h", FENCE) " }",
     FIRST},
    {"global int *a, int n",
     ROOM "for (int k = 0; k < n; k++) { " TREE("uint", "4", "h /= 2", "l < h", "l + h", FENCE)
         FENCE " }",
     FIRST "t: 4*l0, 4 bytes, modulo 2^34\n"},
    /* What is read by all; what is written by one. */
    {"global int *a, int n",
     "local int t[8]; t[get_local_id(0)] = 1; " FENCE
     " for (int k = 0; k < n; k++) a[get_global_id(0)] = t[k];",
     A "t: 4*l0, 4 bytes, modulo 2^64\n"},
    {"global int *a, int n",
     "local int t[8]; for (int k = 0; k < n; k++) t[k] = 1; " FENCE
     " a[get_global_id(0)] = t[get_local_id(0)];",
     A},
    {"global int *a",
     "local int t; if (get_local_id(0) == 0) t = 1; " FENCE " a[get_global_id(0)] = t;",
     A "t: 0, 4 bytes, modulo 2^64, one l0\n"},
    /* Two forms, each in an interval of its own. */
    {"global int *a, local int *t",
     "size_t l = get_local_id(0); t[l] = 1; " FENCE " t[7 - l] += 1; " FENCE
     " a[get_global_id(0)] = t[l / 2];",
     A "t: 4*l0, 4 bytes, modulo 2^64; -4*l0, 4 bytes, modulo 2^64\n"},
    {"global int *a, local int *t",
     "event_t e = async_work_group_copy(t, a, 8, 0); " FENCE
     " t[get_local_id(0)] = 1; wait_group_events(1, &e);",
     "a: apart\nt: unknown\n"},
    {"global int *a, local int *t", "t[get_global_id(0)] = 1;",
     "a: apart\nt: 4*g0, 4 bytes, modulo 2^64\n"},
    {"global int *a", "local int t[4][5]; t[get_local_id(1)][get_local_id(0)] = 1;",
     "a: apart\nt: 4*l0 + 20*l1, 4 bytes, modulo 2^64\n"},
    {"global ulong *a",
     "local int t[4]; local int *local p; p = t; " FENCE " t[get_local_id(0)] = 1; *p = 2;",
     "a: unknown\n"},
};

#define IF(condition) "local int t; size_t l = get_local_id(0); if (" condition ") t = 1;"

/* Accesses behind questions for an id. */
static const struct row lone_rows[] = {
    {"global int *a", "if (get_global_id(0) == 0) a[get_global_id(1)] = 1;",
     "a: 4*g1, 4 bytes, modulo 2^64, one g0\n"},
    {"global int *a", "if (get_global_id(0) == 0 && !get_local_id(1)) *a = 1;",
     "a: 0, 4 bytes, modulo 2^64, one g0, one l1\n"},
    {"global int *a", "uint i = get_global_id(0); if (i + 1 != 8) return; a[0] = 1; a[1] = 2;",
     "a: 0, 8 bytes, modulo 2^64, one g0\n"},
    {"global int *a", "uchar i = get_global_id(0); if (i == 3) *a = 1;",
     "a: 0, 4 bytes, modulo 2^64\n"},
    {"global int *a", "if (get_global_id(0) == get_local_id(0)) *a = 1;",
     "a: 0, 4 bytes, modulo 2^64\n"},
    {"global int *a", "if (get_group_id(0) == 0) *a = 1;", "a: 0, 4 bytes, modulo 2^64\n"},
    {"global int *a", "if (2 * get_global_id(0) == 0) *a = 1;", "a: 0, 4 bytes, modulo 2^64\n"},
    {"global int *a, int n", "if (get_global_id(0) == n) *a = 1;", "a: 0, 4 bytes, modulo 2^64\n"},
    {"global int *a", "if (get_global_id(0) < 1) *a = 1;", "a: 0, 4 bytes, modulo 2^64\n"},
    {"global int *a", "if (get_global_id(0) != 0) *a = 1;", "a: 0, 4 bytes, modulo 2^64\n"},
    {"global int *a, int n", "if (get_global_id(0) == 0 || n) *a = 1;",
     "a: 0, 4 bytes, modulo 2^64\n"},
    {"global int *a, int n", "if (get_global_id(0) == 0) n++; *a = n;",
     "a: 0, 4 bytes, modulo 2^64\n"},
    {"", IF("l == 0"), "t: 0, 4 bytes, modulo 2^64, one l0\n"},
    {"", IF("l == 0") "else t = 2;",
     "t: 0, 4 bytes, modulo 2^64, one l0; 0, 4 bytes, modulo 2^64\n"},
    {"", IF("l == 0") "if (l == 1) t = 2;",
     "t: 0, 4 bytes, modulo 2^64, one l0; 0, 4 bytes, modulo 2^64\n"},
    {"", IF("l == 0") "if (l == 0) t += 2;", "t: 0, 4 bytes, modulo 2^64, one l0\n"},
    {"global int *a", IF("l == 0") "a[get_global_id(0)] = t;",
     A "t: 0, 4 bytes, modulo 2^64, one l0; 0, 4 bytes, modulo 2^64\n"},
    {"", IF("l == 0") "while (l == 0) { t = 2; l++; }",
     "t: 0, 4 bytes, modulo 2^64, one l0; 0, 4 bytes, modulo 2^64\n"},
};

static void check_row(const struct row *row, struct text *printed)
{
    struct facts facts;
    struct text text = TEXT_INIT;
    text_format(&text, "%skernel void k(%s)\n{ %s }\n", before, row->parameters, row->body);
    forms_of_source(text.bytes, "-cl-std=CL2.0", &facts);
    assert_int_equal(facts.kernel_count, 1);
    forms_print(&facts.kernels[0], printed);
    facts_release(&facts);
    text_release(&text);
}

static void check_rows(const struct row *rows, size_t count)
{
    bool failed = false;
    for (size_t i = 0; i < count; i++) {
        struct text text = TEXT_INIT;
        check_row(&rows[i], &text);
        if (strcmp(text.bytes, rows[i].expected) != 0) {
            failed = true;
            print_error("(%s) { %s }\n%sand not\n%s", rows[i].parameters, rows[i].body, text.bytes,
                        rows[i].expected);
        }
        text_release(&text);
    }
    assert_false(failed);
}

static void forms_are_found_in_global_memory(void **state)
{
    (void)state;
    check_rows(global_rows, sizeof global_rows / sizeof global_rows[0]);
}

static void forms_are_found_in_local_memory(void **state)
{
    (void)state;
    check_rows(local_rows, sizeof local_rows / sizeof local_rows[0]);
}

static void forms_are_found_where_an_id_is_asked_for(void **state)
{
    (void)state;
    check_rows(lone_rows, sizeof lone_rows / sizeof lone_rows[0]);
}

/* Two kernels, of which one calls the other, have a variable of one name. */
static void a_name_that_two_have_is_not_told(void **state)
{
    (void)state;
    struct facts facts;
    struct text text = TEXT_INIT;
    forms_of_source("kernel void one(int n) { local int t[8]; t[get_local_id(0)] = n; }\n"
                    "kernel void two(int n) { local int t[8]; t[get_local_id(0)] = n; one(n); }\n",
                    "", &facts);
    forms_print(facts_find(&facts, "one"), &text);
    assert_string_equal(text.bytes, "t: 4*l0, 4 bytes, modulo 2^64\n");
    assert_int_equal(facts_find(&facts, "two")->local_count, 0);
    text_release(&text);
    facts_release(&facts);
}

/* ---- launches ---- */

struct launched {
    const char *parameters, *body, *name;
    uint64_t offset[3], global[3], local[3];
    int value; /* of argument 1 */
    bool holds;
};

static const struct launched launches[] = {
    {"global int *a, int n", "int i = get_global_id(0); a[i * 65536 * n] = 1;", "a", .global = {64},
     .value = 512, .holds = true},
    {"global int *a, int n", "int i = get_global_id(0); a[i * 65536 * n] = 1;", "a",
     .global = {256}, .value = 512, .holds = false},
    {"global int *a, int n", "int i = get_global_id(0); a[i * 65536 * n] = 1;", "a", .global = {2},
     .value = 65536, .holds = false},
    {"global int *a, int n", "a[get_global_id(0) % 64] = n;", "a", .global = {64}, .holds = true},
    {"global int *a, int n", "a[get_global_id(0) % 64] = n;", "a", .global = {65}, .holds = false},
    {"global int *a, int n", "a[(get_global_id(0) + 5) & 63] = n;", "a", .offset = {100},
     .global = {64}, .holds = true},
    {"global int *a, int n", "size_t i = get_global_id(0); a[i] = a[i + 1];", "a", .global = {2},
     .holds = false},
    {"global int *a, int n", "size_t i = get_global_id(0); a[n * i] = a[n * i + 1];", "a",
     .global = {64}, .value = 2, .holds = true},
    {"global int *a, int n", "size_t i = get_global_id(0); a[n * i] = a[n * i + 1];", "a",
     .global = {64}, .value = 1, .holds = false},
    {"global int *a, int n", "size_t i = get_global_id(0); a[n * i] = a[n * i + 1];", "a",
     .global = {64}, .value = -2, .holds = true},
    {"global float *a, int n", "vstore4((float4)(1), 0, a + n * get_global_id(0));", "a",
     .global = {64}, .value = 3, .holds = false},
    {"global float *a, int n", "vstore4((float4)(1), 0, a + n * get_global_id(0));", "a",
     .global = {64}, .value = 4, .holds = true},
    {"global int *a, int n", "local int t[64]; t[get_local_id(0)] = n;", "t", .global = {64, 2},
     .local = {8, 2}, .holds = false},
    {"global int *a, int n", "local int t[64]; t[get_local_id(0)] = n;", "t", .global = {64, 2},
     .local = {8, 1}, .holds = true},
    {"global int *a, int n", "a[get_global_id(0) - get_global_offset(0)] = n;", "a", .offset = {3},
     .global = {64}, .holds = false},
    {"global int *a, int n", "if (get_global_id(0) < n) a[get_global_id(0)] = n;", "a",
     .offset = {3}, .global = {64}, .value = 60, .holds = true},
    {"global int *a, int n", "if (!get_local_id(0)) a[get_group_id(0)] = n;", "a", .global = {64},
     .local = {8}, .holds = true},
    {"global int *a, int n", "if (!get_local_id(0)) a[get_group_id(0)] = n;", "a",
     .global = {64, 2}, .local = {8}, .holds = false},
    {"global int *a, int n", "a[get_global_id(0) + get_local_size(0)] = n;", "a", .global = {64},
     .local = {8}, .holds = true},
    {"global int *a, int n", "a[get_global_id(0) + get_local_size(0)] = n;", "a", .global = {65},
     .local = {8}, .holds = false},
    {"global int *a, int n", "if (!get_local_id(0)) *a = n;", "a", .global = {64}, .local = {8},
     .holds = false},
    {"global int *a, int n", "if (!get_local_id(0)) *a = n;", "a", .global = {8}, .local = {8},
     .holds = true},
    {"global int *a, int n", "if (!get_global_id(0)) *a = n;", "a", .global = {64}, .holds = true},
    {"global int *a, int n", "a[get_global_id(1) * n + get_global_id(0)] = n;", "a",
     .global = {64, 64}, .value = 64, .holds = true},
    {"global int *a, int n", "a[get_global_id(1) * n + get_global_id(0)] = n;", "a",
     .global = {64, 64}, .value = 63, .holds = false},
};

static const void *value_of(const void *user, uint32_t argument, size_t *size)
{
    *size = sizeof(int);
    return argument == 1 ? user : NULL;
}

static bool try_launch(const struct launched *row,
                       bool (*asked)(const struct fact_kernel *, const char *,
                                     const struct apart_launch *))
{
    struct facts facts;
    struct text text = TEXT_INIT;
    int value = row->value;
    struct apart_launch launch = {
        .dimensions = row->global[1] == 0 ? 1 : 2, .value_of = value_of, .user = &value};
    memcpy(launch.offset, row->offset, sizeof launch.offset);
    memcpy(launch.global, row->global, sizeof launch.global);
    memcpy(launch.local, row->local, sizeof launch.local);
    text_format(&text, "kernel void k(%s)\n{ %s }\n", row->parameters, row->body);
    forms_of_source(text.bytes, "", &facts);
    const bool holds = asked(&facts.kernels[0], row->name, &launch);
    facts_release(&facts);
    text_release(&text);
    return holds;
}

/* Does each hold before a read what an item has written? */
#define TILE(WRITE, BETWEEN, READ)                                                                 \
    "local int t[16]; uint l = get_local_id(0); " WRITE "; " BETWEEN                               \
    " a[get_global_id(0)] = " READ ";"
static const struct launched fills[] = {
    {"global int *a, int n", TILE("t[l] = n", FENCE, "t[15 - l]"), "t", .global = {64},
     .local = {16}, .holds = true},
    {"global int *a, int n", TILE("t[l] = n", FENCE, "t[15 - l]"), "t", .global = {64},
     .local = {8}, .holds = false},
    {"global int *a, int n", TILE("t[l] = n", FENCE, "t[15 - l]"), "t", .global = {60},
     .local = {16}, .holds = false},
    {"global int *a, int n", TILE("t[l + 1] = n", FENCE, "t[15 - l]"), "t", .global = {64},
     .local = {16}, .holds = false},
    {"global int *a, int n", TILE("t[2 * l] = n", FENCE, "t[15 - l]"), "t", .global = {64},
     .local = {8}, .holds = false},
    {"global int *a, int n", TILE("if (l < n) t[l] = n", FENCE, "t[15 - l]"), "t", .global = {64},
     .local = {16}, .value = 99, .holds = false},
    {"global int *a, int n", TILE("n += t[l]; t[l] = n", FENCE, "t[15 - l]"), "t", .global = {64},
     .local = {16}, .holds = false},
    {"global int *a, int n", TILE("t[l] = n", "if (n > 3) " FENCE, "t[l]"), "t", .global = {64},
     .local = {16}, .holds = false},
    {"global int *a, int n", TILE("if (n > 3) t[l] = n", FENCE, "t[15 - l]"), "t", .global = {64},
     .local = {16}, .value = 9, .holds = false},
    {"global int *a, int n",
     TILE("for (int i = 0; i < n; i++) { t[l] = i; " FENCE " n += t[15 - l]; " FENCE " }", "", "n"),
     "t", .global = {64}, .local = {16}, .holds = true},
    {"global int *a, int n",
     TILE("for (int i = 0; i < n; i++) { t[l] = i; " FENCE " }", "", "t[15 - l]"), "t",
     .global = {64}, .local = {16}, .holds = false},
    {"global int *a, int n",
     "local int t[8][4]; t[get_local_id(1)][get_local_id(0)] = n; " FENCE
     " a[get_global_id(1) * n + get_global_id(0)] = t[get_local_id(0)][1];",
     "t", .global = {16, 16}, .local = {4, 8}, .value = 16, .holds = true},
    {"global int *a, int n",
     "local int t[8][5]; t[get_local_id(1)][get_local_id(0)] = n; " FENCE
     " a[get_global_id(1) * n + get_global_id(0)] = t[get_local_id(0)][1];",
     "t", .global = {16, 16}, .local = {4, 8}, .value = 16, .holds = false},
};

static void local_memory_is_filled_as_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fills / sizeof fills[0]; i++) {
        if (try_launch(&fills[i], forms_fill) != fills[i].holds)
            fail_msg("%s, row %zu", fills[i].body, i);
    }
}

static void launches_hold_as_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof launches / sizeof launches[0]; i++) {
        if (try_launch(&launches[i], forms_hold) != launches[i].holds)
            fail_msg("row %zu: %s: %s", i, launches[i].body,
                     launches[i].holds ? "it does not hold" : "it holds");
    }
}

/* ---- the kernels that are measured ---- */

static const struct {
    const char *file, *expected;
} measured[] = {
    {"bitonic_step", "values: unknown\n"},
    {"byte_histogram", "bytes: apart\nbins: 4*l0, 4 bytes, modulo 2^34\n"},
    {"convolution", "input: apart\noutput: 4*g0 + 4*g1*a3, 4 bytes, modulo 2^34\n"},
    {"histogram", "values: apart\nbins: unknown\n"},
    {"in_place", "values: 4*g0, 4 bytes, modulo 2^34\n"},
    {"matrix_naive", "a: apart\nb: apart\nc: 4*g0 + 4*g1*a3, 4 bytes, modulo 2^34\n"},
    {"matrix_tiled", "a: apart\nb: apart\nc: 4*g0 + 4*g1*a3, 4 bytes, modulo 2^34\n"
                     "tile_a: 4*l0 + 64*l1, 4 bytes, modulo 2^34\n"
                     "tile_b: 4*l0 + 64*l1, 4 bytes, modulo 2^34\n"},
    {"n_body", "bodies: apart\naccelerations: 16*g0, 16 bytes, modulo 2^64\n"
               "tile: 16*l0, 16 bytes, modulo 2^36\n"},
    {"reduction", "input: apart\nsums: 4*w0, 4 bytes, modulo 2^64, one l0\n"
                  "partial: 4*l0, 4 bytes, modulo 2^34\n"},
    {"scan",
     "input: apart\noutput: 4*g0, 4 bytes, modulo 2^64\nsums: 4*l0, 4 bytes, modulo 2^34\n"},
    {"sparse_product", "row_starts: apart\ncolumns: apart\nvalues: apart\nvector: apart\n"
                       "product: 4*g0, 4 bytes, modulo 2^34\n"},
    {"stencil", "input: apart\noutput: 4*g0 + 4*g1*a2, 4 bytes, modulo 2^34\n"},
    {"transpose", "input: apart\noutput: 4*l0 + 4*l1*a2 + 64*w0*a2 + 64*w1, 4 bytes, modulo 2^34\n"
                  "tile: 4*l0 + 68*l1, 4 bytes, modulo 2^34\n"},
    {"vector_add", "a: apart\nb: apart\nc: 4*g0, 4 bytes, modulo 2^34\n"},
};

static void forms_are_found_in_what_is_measured(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++) {
        char path[4096];
        char *source;
        size_t size;
        struct error error;
        struct facts facts;
        struct text text = TEXT_INIT;
        snprintf(path, sizeof path, "%s/%s.cl", CLERK_TEST_MEASURED, measured[i].file);
        if (file_read_text(path, 1 << 20, &source, &size, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        forms_of_source(source, "", &facts);
        forms_print(&facts.kernels[0], &text);
        assert_string_equal(text.bytes, measured[i].expected);
        facts_release(&facts);
        text_release(&text);
        alloc_free(source);
    }
}

int main(void)
{
    setenv("CLERK_CACHE", CLERK_TEST_CACHE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_found_in_global_memory),
        cmocka_unit_test(forms_are_found_in_local_memory),
        cmocka_unit_test(forms_are_found_where_an_id_is_asked_for),
        cmocka_unit_test(a_name_that_two_have_is_not_told),
        cmocka_unit_test(launches_hold_as_is_told),
        cmocka_unit_test(local_memory_is_filled_as_is_told),
        cmocka_unit_test(forms_are_found_in_what_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
