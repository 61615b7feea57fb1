/* Which barriers of a kernel are looked at while it runs, and how. */
#include "reference/probe/checked_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define B "barrier(CLK_LOCAL_MEM_FENCE);"

static const struct facts no_facts;

static void make(const char *source, struct checked *checked)
{
    struct error error;
    struct request_part part = {
        .bytes = source, .size = strlen(source), .options = "-cl-std=CL2.0"};
    const struct request request = {
        .device = {.extensions = "", .version = 300, .address_bits = 64, .macros = ""},
        .wants_checked = true,
        .parts = &part,
        .part_count = 1};
    if (checked_text_make(&request, &no_facts, checked, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

/* The text behind the checks. */
static const char *body(const struct checked *checked)
{
    static const char mark[] = "\n# 1 \"<source>\"\n";
    const char *found = checked->part_count > 0 ? strstr(checked->parts[0].text, mark) : NULL;
    if (!found)
        fail_msg("there is no copy: %s", checked->reason);
    return found + strlen(mark);
}

static unsigned count(const char *text, const char *word)
{
    unsigned found = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        found++;
    return found;
}

static void check_count(const char *statements, unsigned expected)
{
    struct checked checked;
    struct text source = TEXT_INIT;
    text_format(&source,
                "constant int table[2] = {1, 2};\n"
                "kernel void k(global int *a, int n, constant int *c, local int *r)\n"
                "{ int l = get_local_id(0), u = n, v; int own[4];\n%s\n}\n",
                statements);
    make(source.bytes, &checked);
    const unsigned found = count(body(&checked), "clerk_meet(clerk_k,");
    if (found != expected)
        fail_msg("%u barriers are looked at, not %u: %s", found, expected, statements);
    const bool begins = strstr(body(&checked), "clerk_meet_begin(") != NULL;
    assert_int_equal(begins, expected > 0);
    text_release(&source);
    checked_release(&checked);
}

static void barriers_that_all_reach_are_left_alone(void **state)
{
    (void)state;
    static const char *const statements[] = {
        B,
        "if (n > 3) " B,
        "for (int k = 0; k < n; k++) " B,
        "for (int s = get_local_size(0) / 2; s > 0; s >>= 1) { if (l < s) r[l] += r[l + s]; " B
        " }",
        "while (u-- > 0) { if (u == 3) break; " B " }",
        "switch (get_group_id(0) % 2) { case 0: " B " break; default: " B " }",
        "if (l < 3) a[l] = 1; " B,
        "if (n == 0) return; " B,
        "if (c[1] + table[n & 1] > 2) " B,
        "own[0] = n; own[1] = own[0] + 1; if (own[1]) " B,
        "if (l > 2) { v = 1; } else { v = 2; } a[l] = v; " B,
        "for (;;) { " B " if (min(u, 3) > n) break; u++; }",
        "do { u -= 1; " B " } while (u > 0);",
        B " if (l == 0) return;",
        "if (work_group_any(l == n)) " B,
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        check_count(statements[i], 0);
}

static void barriers_that_some_may_miss_are_looked_at(void **state)
{
    (void)state;
    static const struct {
        const char *statements;
        unsigned count;
    } rows[] = {
        {"if (l < 3) " B, 1},
        {"if (l < 3) " B " else " B, 2},
        {"if (a[0]) " B " " B, 1},
        {"if (l == n) return; " B, 1},
        {"if (n) { if (l == n) return; } " B, 1},
        {"for (int k = 0; k < l; k++) " B " " B, 1},
        {"for (int k = 0; k < n; k++) { " B " if (r[k]) break; } " B, 1},
        {"for (int k = 0; k < n; k++) { if (k == l) continue; " B " }", 1},
        {"for (int k = 0; k < n; k++) { " B " if (k == l) return; } " B, 2},
        {"switch (l) { case 0: " B " break; default: " B " }", 2},
        {"if (l > 2) u = 1; if (u) " B, 1},
        {"u += l; if (u) " B, 1},
        {"u++; for (int k = l; k < 4; k++) v = k; if (v) " B, 1},
        {"int *p = &u; *p = l; if (u) " B, 1},
        {"own[l & 3] = 1; if (own[0]) " B, 1},
        {"vstore4((int4)(l), 0, own); if (own[0]) " B, 1},
        {"while (atomic_inc(a) < 3) " B, 1},
        {"do { " B " } while (r[l] > 0);", 1},
        {"again: " B " if (u-- > 0) goto again;", 1},
        {"if (n && l < 3) " B, 1},
        {"l < 3 ? work_group_barrier(CLK_LOCAL_MEM_FENCE) : (void)0;", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_count(rows[i].statements, rows[i].count);
}

/* Are the arguments of asynchronous copies of it compared? */
static void check_copies(const char *statements, bool expected)
{
    struct checked checked;
    struct text source = TEXT_INIT;
    text_format(&source,
                "kernel void k(global int *a, int n, local int *r)\n"
                "{ local int m[2][8]; int l = get_local_id(0), u = n;\n"
                "event_t e = 0; %s\nwait_group_events(1, &e);\n}\n",
                statements);
    make(source.bytes, &checked);
    if ((strstr(body(&checked), "clerk_meet_begin(") != NULL) != expected)
        fail_msg("the arguments are %scompared: %s", expected ? "not " : "", statements);
    text_release(&source);
    checked_release(&checked);
}

static void copies_that_all_may_not_call_alike_are_compared(void **state)
{
    (void)state;
    static const char *const alike[] = {
        "e = async_work_group_copy(r, a, 8, 0);",
        "e = async_work_group_copy(r, a + get_group_id(0) * n, 8, e);",
        "e = async_work_group_copy(m[0], a, 8, 0);",
        "e = async_work_group_copy(&m[1][u], &a[n], n, 0);",
        "e = async_work_group_copy((local int *)&m[1], a, 8, e);",
        "e = async_work_group_strided_copy(a + 8 * n, r, (size_t)n, get_local_size(0), 0);",
        "for (int k = 0; k < n; k++) e = async_work_group_copy(r + k, a + 8 * k, 8, e);",
    };
    static const char *const unlike[] = {
        "e = async_work_group_copy(r, a, 8 - l % 2, 0);",
        "e = async_work_group_copy(r, a + get_global_id(0), 8, 0);",
        "e = async_work_group_copy(m[l % 2], a, 8, 0);",
        "e = async_work_group_copy(&m[0][a[0]], a, 8, 0);",
        "u += l; e = async_work_group_copy(r, &a[u], 8, 0);",
        "e = async_work_group_strided_copy(r, a, 8, l + 1, 0);",
    };
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++)
        check_copies(alike[i], false);
    for (size_t i = 0; i < sizeof unlike / sizeof unlike[0]; i++)
        check_copies(unlike[i], true);
}

static void functions_are_followed(void **state)
{
    (void)state;
    struct checked checked;
    make("void met(void) { " B " }\n"
         "void twice(int n) { if (n) { met(); met(); } }\n"
         "void alone(void) { " B " }\n"
         "kernel void k(global int *a, int n) { if (n) alone(); if (get_local_id(0)) twice(n); }\n"
         "kernel void other(global int *a, int n) { alone(); }",
         &checked);
    assert_int_equal(count(body(&checked), "clerk_meet(clerk_k,"), 1);
    assert_non_null(strstr(body(&checked), "clerk_meet(clerk_k, 0, 0)"));
    assert_int_equal(count(body(&checked), "clerk_meet_begin("), 1);
    assert_non_null(
        strstr(body(&checked), "twice(clerk_strayed(clerk_k, clerk_chose[0] != 1), n)"));
    assert_non_null(strstr(body(&checked), "alone(clerk_k);"));
    assert_non_null(strstr(checked.parts[0].text, "#define clerk_MEETS 1\n"));
    assert_int_equal(checked.sites[0].access, CHECKED_BARRIER);
    assert_int_equal(checked.sites[0].line, 1);
    checked_release(&checked);
}

static void check_text(const char *statements, const char *expected)
{
    struct checked checked;
    struct text source = TEXT_INIT;
    text_format(&source, "kernel void k(int n) { int l = get_local_id(0);\n%s }", statements);
    make(source.bytes, &checked);
    const char *found = strchr(body(&checked), '\n') + 1;
    assert_string_equal(found, expected);
    text_release(&source);
    checked_release(&checked);
}

#define MEET(site, test)                                                                           \
    "(clerk_meet(clerk_k, " site ", " test "), (barrier(CLK_LOCAL_MEM_FENCE), clerk_met(clerk_k, " \
    "" site ")), clerk_passed(clerk_k, CLK_LOCAL_MEM_FENCE));"
#define CHOOSE(number, condition)                                                                  \
    "(clerk_choose(&clerk_chose[" number "], (" condition ") ? 1 : 0))"

static void an_item_tells_what_it_chose(void **state)
{
    (void)state;
    check_text("if (l) " B " else " B,
               "if " CHOOSE("0", "l") " " MEET("0", "clerk_chose[0] != 1") " else " MEET(
                   "1", "clerk_chose[0] != 2") " }\n");
    check_text("if (l) return; if (n) " B,
               "if " CHOOSE("0", "l") " return; if (n) " MEET("0", "clerk_chose[0] == 1") " }\n");
    check_text(
        "for (; l < n; l++) " B " if (l) " B,
        "for (; clerk_choose(&clerk_chose[0], (l < n) ? 1 : 0); l++) " MEET(
            "0", "clerk_chose[0] != 1") " if " CHOOSE("1",
                                                      "l") " " MEET("1",
                                                                    "clerk_chose[0] == 1 || "
                                                                    "clerk_chose[1] != 1") " }\n");
    /* A choice of an earlier round of the loop tells nothing. */
    check_text("for (int k = 0; k < n; k++) { if (k) { if (l) continue; } " B " }",
               "for (int k = 0; clerk_choose(&clerk_chose[0], (k < n) ? 1 : 0); k++) { if (k) { if "
               "(l) continue; } " MEET("0", "clerk_chose[0] != 1") " } }\n");
    check_text(
        "while (n--) { if (l) break; " B " }",
        "while ("
        "clerk_choose(&clerk_chose[0], (n--) ? 1 : 0)) { if " CHOOSE("1", "l") " break; " MEET(
            "0", "clerk_chose[0] != 1 || clerk_chose[1] == 1") " } }\n");
    /* The loop may be left with its condition true. */
    check_text("while (n--) { if (l) break; } if (l) " B,
               "while (n--) { if (l) break; } if " CHOOSE("0", "l") " " MEET(
                   "0", "clerk_chose[0] != 1") " }\n");
}

#define PICK(number, type, value)                                                                  \
    "switch ((" type ")clerk_pick(&clerk_chose[" number "], (" type ")(" value "))) "

static void an_item_tells_which_label_it_chose(void **state)
{
    (void)state;
    check_text(
        "switch (l) { case 0: case -1: " B " case 2: " B " break; default: " B " }",
        PICK("0", "uint", "l") "{ case 0: case -1: " MEET(
            "0",
            "(clerk_chose[0] != (uint)(0) && clerk_chose[0] != "
            "(uint)(-1))") " case 2: " MEET("1",
                                            "(clerk_chose[0] != "
                                            "(uint)(0) && "
                                            "clerk_chose[0] != "
                                            "(uint)(-1) && "
                                            "clerk_chose[0] != "
                                            "(uint)(2))") " break; "
                                                          "default:"
                                                          " " MEET(
                                                              "2",
                                                              "(clerk_chose[0] == (uint)(0) || "
                                                              "clerk_chose[0] == (uint)(-1) || "
                                                              "clerk_chose[0] == (uint)(2))") " } "
                                                                                              "}"
                                                                                              "\n");
    check_text("switch (get_local_id(0)) { case 1: { l++; return; } case 7: " B " }",
               PICK("0", "ulong", "get_local_id(0)") "{ case 1: { l++; return; } case 7: " MEET(
                   "0", "(clerk_chose[0] != (ulong)(7))") " } }\n");
}

/* All labels lead to the barrier, or a loop leads back to a label, or one stands for several
 * values. */
static void of_other_switches_no_choice_is_told(void **state)
{
    (void)state;
    check_text("switch (l) { case 0: default: " B " }",
               "switch (l) { case 0: default: " MEET("0", "0") " } }\n");
    check_text("switch (l) { do { case 0: " B " case 1: n--; } while (n > 0); }",
               "switch (l) { do { case 0: " MEET("0", "0") " case 1: n--; } while (n > 0); } }\n");
    check_text("switch (l) { case 0 ... 3: break; case 4: " B " }",
               "switch (l) { case 0 ... 3: break; case 4: " MEET("0", "0") " } }\n");
    check_text("switch (l) { case 0: break; case 4: at: " B " } if (n) goto at;",
               "switch (l) { case 0: break; case 4: at: " MEET("0", "0") " } if (n) goto at; }\n");
}

int main(void)
{
    setenv("CLERK_CACHE", CLERK_TEST_CACHE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_that_all_reach_are_left_alone),
        cmocka_unit_test(barriers_that_some_may_miss_are_looked_at),
        cmocka_unit_test(copies_that_all_may_not_call_alike_are_compared),
        cmocka_unit_test(functions_are_followed),
        cmocka_unit_test(an_item_tells_what_it_chose),
        cmocka_unit_test(an_item_tells_which_label_it_chose),
        cmocka_unit_test(of_other_switches_no_choice_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
