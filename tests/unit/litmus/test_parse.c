/* The language of litmus tests: what expressions give, and the sentence for each mistake. */
#include "checkers/litmus/search.h"
#include "trace/base/alloc.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static enum status parse(const char *text, struct error *error)
{
    struct litmus_test *test = NULL;
    const enum status status = litmus_parse(text, strlen(text), &test, error);
    litmus_destroy(test);
    return status;
}

/* The value that an expression gives r, of that type. */
static int64_t evaluate(const char *type, const char *expression)
{
    struct text text = TEXT_INIT;
    struct error error;
    struct litmus_test *test = NULL;
    struct litmus_result *result = NULL;
    text_format(&text,
                "OPENCL e\n{ [x] = 7; [z] = 0; int b[4] = {2, 3, 4, 6}; }\n"
                "P0 (global int *x, global int *z, global int *b)\n"
                "{ int a = 5; uint u = 3; char c = -1; int r1 = 3; %s r = %s; }\nexists (0:r=0)",
                type, expression);
    if (litmus_parse(text.bytes, text.size, &test, &error) != STATUS_OK) {
        fail_msg("%s: %s", expression, error.text);
    }
    const struct litmus_options options = {.rounds = LITMUS_ROUNDS};
    assert_int_equal(litmus_search(test, &options, &result, &error), STATUS_OK);
    assert_int_equal(result->outcome_count, 1);
    const int64_t value = result->outcomes[0].values[0];
    litmus_result_destroy(result);
    litmus_destroy(test);
    text_release(&text);
    return value;
}

static void test_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *type, *expression;
        int64_t value;
    } cases[] = {
        {"int", "1 + 2 * 3 - 4 / 2", 5},
        {"int", "(1 + 2) * 3 % 4", 1},
        {"int", "1 << 4 >> 2", 4},
        {"int", "6 & 3 | 8 ^ 1", 11},
        {"int", "1 < 2 == 1", 1},
        {"int", "a >= 5 && a <= 5", 1},
        {"int", "0 || 0", 0},
        {"int", "2 || *z", 1},
        {"int", "!a", 0},
        {"int", "~a", -6},
        {"int", "-a + +a", 0},
        {"int", "-1 < u", 0}, /* the left side becomes unsigned */
        {"int", "c < u", 0},
        {"int", "-1 / 2", 0},
        {"int", "a / 0", 0},
        {"int", "*x + *x", 14},
        {"int", "0x10", 16},
        {"char", "300", 44},
        {"uchar", "-1", 255},
        {"unsigned short", "c", 65535},
        {"uint", "-1", 4294967295},
        {"int", "4294967295", -1},
        {"long", "c", -1},
        {"ulong", "1ul << 40", INT64_C(1) << 40},
        {"int", "u - 4 > 0", 1},
        {"int", "true + false", 1},
        {"int", "(-2147483647 - 1) / -1", -2147483648LL},
        {"int", "atomic_add(x, 3) * 10", 70},
        {"int", "(char)300 + (int)-1", 43},
        {"int", "b[2] + *(b + 1) + b[r1]", 13},
        {"int", "atomic_add(&b[*z], 1) + atomic_add((global int *)b, 1)", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t value = evaluate(cases[i].type, cases[i].expression);
        if (value != cases[i].value) {
            fail_msg("%s = %lld", cases[i].expression, (long long)value);
        }
    }
}

/* A test whose thread has this body. */
static void expect_in_body(const char *body, const char *sentence)
{
    struct text text = TEXT_INIT;
    struct error error;
    text_format(&text,
                "OPENCL e\n{}\nP0 (global int *x, local atomic_int *f)\n{\n%s\n}\nexists (x=0)",
                body);
    const enum status status = parse(text.bytes, &error);
    text_release(&text);
    if (sentence == NULL) {
        if (status != STATUS_OK) {
            fail_msg("%s: %s", body, error.text);
        }
        return;
    }
    assert_int_equal(status, STATUS_MALFORMED);
    assert_string_equal(error.text, sentence);
}

static void test_statements(void **state)
{
    (void)state;
    expect_in_body("", NULL);
    expect_in_body(";;{}", NULL);
    expect_in_body("int a, b = 1; a = b; a += 2; a++; *x -= a; { int a; }", NULL);
    expect_in_body("do { } while (0); while (*x == 1) ; if (1) ; else { }", NULL);
    expect_in_body("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); barrier((0));", NULL);
    expect_in_body("sub_group_barrier(CLK_IMAGE_MEM_FENCE, memory_scope_sub_group);", NULL);
    expect_in_body("int r = 1; atomic_compare_exchange_weak(f, &r, 2);", NULL);
    expect_in_body("B1: barrier(CLK_LOCAL_MEM_FENCE); B2: B3: *x = 1; L: ;", NULL);
    expect_in_body("x[0] = x[*x]; x[0] += 1; *(x + 0) = *&x[0]; atomic_inc(&*x);", NULL);
    expect_in_body("atomic_store(&f[*x], 1); fence(CLK_LOCAL_MEM_FENCE, mo_rel, s_wg);", NULL);
    expect_in_body("int r = (long)*(local int *)f;", NULL);
    expect_in_body("B1: ; B1: ;", "line 5: P0 has two labels 'B1'");
    expect_in_body("x: *x = 1; x: ;", "line 5: P0 has two labels 'x'");
    expect_in_body("*x = 1; x[1] = 2;", "line 5: 'x' has 1 element, and no [1]");
    expect_in_body("x[0] = *(&x[0] + *x + 1);", NULL);
    expect_in_body("int r; *(&x[r] + 1) = 2;", "line 5: 'x' has one index too many");
    expect_in_body("int r; r[1] = 2;", "line 5: 'r' is a register, and no pointer");
    expect_in_body("*(long *)x = 2;",
                   "line 5: the elements of 'x' have 4 bytes, but this pointer is to 8");
    expect_in_body("atomic_inc(&x);",
                   "line 5: '&x' is the address of a pointer: 'x' is the one of what it points to");
    expect_in_body("int r = 1", "line 6: ';' is wanted before '}'");
    expect_in_body("r = 1;", "line 5: 'r' is not a register, 'r' has no declaration");
    expect_in_body("x = 1;", "line 5: 'x' is a pointer: '*x' is what it points to");
    expect_in_body("int r = f;", "line 5: 'f' is a pointer: '*f' is what it points to");
    expect_in_body("int x = 1;", "line 5: 'x' is a parameter already");
    expect_in_body("int a; long a;", "line 5: 'a' had another type before");
    expect_in_body("*y = 1;", "line 5: P0 has no parameter 'y'");
    expect_in_body("foo(1);", "line 5: there is no function 'foo' in litmus tests");
    expect_in_body("barrier_explicit(0);",
                   "line 5: there is no function 'barrier_explicit' in litmus tests");
    expect_in_body("int r = (1;", "line 5: ')' is wanted before ';'");
    expect_in_body("int r = ;", "line 5: a value is wanted before ';'");
    expect_in_body("int r = 0x;", "line 5: '0x' is not a number of 64 bits");
    expect_in_body("int r = 99999999999999999999;",
                   "line 5: '99999999999999999999' is not a number of 64 bits");
    expect_in_body("$", "line 5: '$' has no meaning here");
    expect_in_body("\x01", "line 5: a byte 0x01 has no meaning here");
    expect_in_body("/* no end", "line 5: the comment has no end");
    expect_in_body("atomic_store_explicit(f, 1, 2);",
                   "line 5: a memory order, as memory_order_acquire, is wanted before '2'");
    expect_in_body("atomic_store_explicit(f, 1, memory_order_relaxed, device);",
                   "line 5: a memory scope, as memory_scope_device, is wanted before 'device'");
    expect_in_body("barrier(1);",
                   "line 5: a fence flag, as CLK_GLOBAL_MEM_FENCE, is wanted before '1'");
    expect_in_body("int r; atomic_store(&r, 1);",
                   "line 5: 'r' is private: atomic operations on private memory are undefined");
    expect_in_body("int r; int s = atomic_compare_exchange_strong(f, r, 1);",
                   "line 5: '&' and a register is wanted as what is expected, not 'r'");
    expect_in_body("}", "line 6: 'exists', '~exists' or 'forall' is wanted before '}'");
    expect_in_body("while (1) {", "line 7: there is no function 'exists' in litmus tests");
}

/* OpenCL C 3.0, 6.15.12. */
static void test_invalid_orders(void **state)
{
    (void)state;
    expect_in_body("atomic_store_explicit(f, 1, memory_order_acquire);",
                   "line 5: atomic_store_explicit may not have memory_order_acquire");
    expect_in_body("atomic_store_explicit(f, 1, memory_order_acq_rel);",
                   "line 5: atomic_store_explicit may not have memory_order_acq_rel");
    expect_in_body("int r = atomic_load_explicit(f, memory_order_release);",
                   "line 5: atomic_load_explicit may not have memory_order_release");
    expect_in_body("int r = atomic_load_explicit(f, memory_order_acq_rel);",
                   "line 5: atomic_load_explicit may not have memory_order_acq_rel");
    expect_in_body("atomic_flag_clear_explicit(f, memory_order_acquire);",
                   "line 5: atomic_flag_clear_explicit may not have memory_order_acquire");
    expect_in_body("int r; atomic_compare_exchange_strong_explicit(f, &r, 1, memory_order_acq_rel, "
                   "memory_order_release);",
                   "line 5: atomic_compare_exchange_strong_explicit may not fail with "
                   "memory_order_release");
    expect_in_body("int r; atomic_compare_exchange_strong_explicit(f, &r, 1, memory_order_release, "
                   "memory_order_acquire);",
                   "line 5: atomic_compare_exchange_strong_explicit may not fail with "
                   "memory_order_acquire, which is stronger than memory_order_release");
    expect_in_body("atomic_store_explicit(f, 1, memory_order_relaxed, memory_scope_work_item);",
                   "line 5: atomic_store_explicit may not have memory_scope_work_item");
    expect_in_body("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, "
                   "memory_scope_work_item);",
                   "line 5: memory_scope_work_item is for fences with CLK_IMAGE_MEM_FENCE alone");
    expect_in_body("atomic_work_item_fence(0, memory_order_acquire, memory_scope_device);",
                   "line 5: a fence without flags is undefined");
    expect_in_body("atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acquire, "
                   "memory_scope_work_item);",
                   NULL);
}

static void test_whole_tests(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"OPENCL a\n{}\nP0() {}\nforall true", NULL},
        {"OPENCL a-b+c 1\n\"a string\"\n{ int x = 0x10; *y = -3; 0:r = 5; [z]=1 }\n"
         "(* a comment *) P0@dev 1, wg 2 (global volatile uchar * restrict y) { int r; }\n"
         "filter (0:r=5) not exists ((x = 16 /\\ *y=-3) \\/ ~(z == 1))",
         NULL},
        {"OpenCL a\n\"b\"\nCom=Rf Fr\nOrig=0:x=F,1:y=T\n{ int x = 1, y; z, w = 2; [v]; };\nP0() "
         "{}\n"
         "locations [x; w; 0:r;]\nfilter (x = 1);\nfinal x = y;",
         "line 7: P0 has no register 'r'"},
        {"OPENCL a\n{ int b[2] = {1, 2}; int c[] = {1,}; d[3]; atomic_int e = ATOMIC_VAR_INIT(1); "
         "}\n"
         "P0(global int *b) { int r; }\nlocations [b; P0:r; c[0]]\n"
         "exists (b = {1, 2} /\\ c[0] != 2 /\\ P0:r < 1 /\\ 0 <= d[2] /\\ [b[1]] > b[0] => e = 1)",
         NULL},
        {"OPENCL a\n{ local x; }\nP0(local int *l, global int *x) { *l = 1; }\nP1(local int *l) "
         "{}\n"
         "scopeTree (device (kernel (cta (warp P0 P1))))\nexists (l = 1 /\\ false)",
         NULL},
        {"OPENCL a\n{}\nP0() {}\nP1() {}\nscopes: (device (work_group P0) (work_group P1))", NULL},
        {"OPENCL a\nno key\n{}", "line 2: '{' is wanted before 'no key'"},
        {"OPENCL a\n{ int a[2] = {1, 2, 3}; }",
         "line 2: 'a' has 2 elements, and more values are given"},
        {"OPENCL a\n{ int a[2] = 1; }", "line 2: '{' is wanted before '1'"},
        {"OPENCL a\n{ int a[]; }", "line 2: 'a' has neither a number of elements nor values"},
        {"OPENCL a\n{ int a[0]; }", "line 2: an array has 1 to 256 elements, not 0"},
        {"OPENCL a\n{ int a[257]; }", "line 2: an array has 1 to 256 elements, not 257"},
        {"OPENCL a\n{ int a[200]; int b[57]; }\nP0() {}", "line 3: more than 256 locations"},
        {"OPENCL a\n{ 0:r = {1, 2}; }", "line 2: 'r' is a register, and cannot be an array"},
        {"OPENCL a\n{ int *p = &x; }",
         "line 2: a number (a location or register cannot hold a pointer) is wanted before '&'"},
        {"OPENCL a\n{ int a[2]; }\nP0() {}\nexists (a = 1)",
         "line 4: 'a' is an array: one of its elements is wanted, as 'a[0]', or 'a={...}'"},
        {"OPENCL a\n{ int a[2]; }\nP0() {}\nexists (a = {1})",
         "line 4: 'a' has 2 elements, and 1 value is given"},
        {"OPENCL a\n{ int a[2]; }\nP0() {}\nexists (a = {1, 2, 3})",
         "line 4: 'a' has 2 elements, and more values are given"},
        {"OPENCL a\n{ int a[2]; }\nP0() {}\nexists (a[2] = 1)",
         "line 4: 'a' has 2 elements, and no [2]"},
        {"OPENCL a\n{ x; }\nP0() {}\nexists (x + 1)",
         "line 4: '=' or another comparison is wanted before '+'"},
        {"OPENCL a\n{ x; }\nP0() {}\nlocations [1]\n",
         "line 4: a location or register, not a number, is wanted before ']'"},
        {"OPENCL a\n{ x; }\nP0() {}\nlocations [x",
         "line 4: ']' is wanted before the end of the file"},
        {"OPENCL a\n{}\nP0() {}\nscopeTree (device P0) (device P0)",
         "line 4: P0 is in the tree of scopes twice"},
        {"OPENCL a\n{}\nP0() {}\nscopeTree (device P0 P1)",
         "line 4: the tree of scopes names P1, but the test has no such thread"},
        {"OPENCL a\n{}\nP0() {}\nP1() {}\nscopeTree (device P0)",
         "line 4: P1 is not in the tree of scopes"},
        {"OPENCL a\n{}\nP0@wg 1 () {}\nscopeTree (device P0)",
         "line 3: where P0 runs is said by '@' and by a tree of scopes"},
        {"OPENCL a\n{}\nP0() {}\nscopeTree (grid P0)",
         "line 4: a scope, as device, work_group or sub_group, is wanted before 'grid'"},
        {"OPENCL a\n{}\nP0() {}\nscopeTree (device x)",
         "line 4: a thread 'P0' is wanted before 'x'"},
        {"", "line 1: 'OPENCL' is wanted before the end of the file"},
        {"C a", "line 1: 'OPENCL' is wanted before 'C'"},
        {"OPENCL \n{", "line 1: the name of the test is missing after 'OPENCL'"},
        {"OPENCL a {}", "line 1: '{' is wanted before the end of the file"},
        {"OPENCL a\n{ x 1; }", "line 2: '=' is wanted before '1'"},
        {"OPENCL a\n{ x = 1; [x] = 2; }", "line 2: 'x' has two initial values"},
        {"OPENCL a\n{ 0:r = 1; }\nP0() {}\nexists true", "line 2: P0 has no register 'r'"},
        {"OPENCL a\n{}\nexists (x=1)", "line 3: a thread 'P0' is wanted before 'exists'"},
        {"OPENCL a\n{}\nP0() {}\nP0() {}\n", "line 4: there are two threads P0"},
        {"OPENCL a\n{}\nP0@foo 1 () {}", "line 3: 'sg', 'wg' or 'dev' is wanted before 'foo'"},
        {"OPENCL a\n{}\nP0(x) {}", "line 3: the type of a parameter is wanted before 'x'"},
        {"OPENCL a\n{}\nP0(global int *x, local int *x) {}",
         "line 3: 'x' has another type here than in another thread"},
        {"OPENCL a\n{}\nP0(global int *x) {}\nP1(global long *x) {}",
         "line 4: 'x' has another type here than in another thread"},
        {"OPENCL a\n{}\nP0(global int *x, global int *x) {}", "line 3: 'x' is a parameter twice"},
        {"OPENCL a\n{}\nP0() {}\nexists (1:r=0)", "line 4: there is no thread P1"},
        {"OPENCL a\n{}\nP0() {}\nexists (0:r=0)", "line 4: P0 has no register 'r'"},
        {"OPENCL a\n{}\nP0() {}\nexists (y=0)", "line 4: there is no location 'y'"},
        {"OPENCL a\n{}\nP0@wg 0(local int *y) {}\nP1@wg 1(local int *y) {}\nexists (y=0)",
         "line 5: 'y' is local memory of several work-groups"},
        {"OPENCL a\n{}\nP0() {}\nexists true x",
         "line 4: the end of the file is wanted before 'x'"},
        {"OPENCL a\n{}\nP0() {}\nexists (true", "line 4: ')' is wanted before the end of the file"},
        {"OPENCL a\n{}\n(* no end", "line 3: the comment has no end"},
        {"OPENCL a\n\"no end\n{}", "line 2: the string has no end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error;
        const enum status status = parse(cases[i].text, &error);
        if (cases[i].sentence == NULL) {
            if (status != STATUS_OK) {
                fail_msg("%s: %s", cases[i].text, error.text);
            }
            continue;
        }
        assert_int_equal(status, STATUS_MALFORMED);
        assert_string_equal(error.text, cases[i].sentence);
    }
    assert_int_equal(parse("OPENCL a", NULL), STATUS_MALFORMED);
}

/* `part`, `count` times. */
static void repeat(struct text *text, const char *part, int count)
{
    for (int i = 0; i < count; i++) {
        text_append(text, part);
    }
}

static void test_limits(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    text_append(&text, "int r = ");
    repeat(&text, "(", 100000);
    expect_in_body(text.bytes, "line 5: nested more than 60 times");
    text_clear(&text);
    repeat(&text, "{", 100000);
    expect_in_body(text.bytes, "line 5: nested more than 60 times");
    text_clear(&text);
    text_append(&text, "int r = 1");
    repeat(&text, " + 1", 50);
    text_append_char(&text, ';');
    expect_in_body(text.bytes, "line 5: the expression is too long");
    text_clear(&text);
    repeat(&text, "*x = 1;", 2000);
    expect_in_body(text.bytes, "line 5: P0 is longer than 2000 instructions");
    text_clear(&text);
    repeat(&text, "while (0) { }", 7);
    expect_in_body(text.bytes, "line 5: P0 has more than 6 loops");
    text_clear(&text);
    for (int i = 0; i < 25; i++) {
        text_format(&text, "int r%d;", i);
    }
    expect_in_body(text.bytes, "line 5: P0 has more than 24 registers");
    text_clear(&text);
    text_append(&text, "OPENCL a\n{}\n");
    for (int i = 0; i < 65; i++) {
        text_format(&text, "P%d() {}\n", i);
    }
    struct error error;
    assert_int_equal(parse(text.bytes, &error), STATUS_MALFORMED);
    assert_string_equal(error.text, "line 67: more than 64 threads");
    text_clear(&text);
    text_append(&text, "OPENCL a\n{}\nP0() {}\nscopeTree ");
    repeat(&text, "(device ", 100000);
    assert_int_equal(parse(text.bytes, &error), STATUS_MALFORMED);
    assert_string_equal(error.text, "line 4: nested more than 60 times");
    text_clear(&text);
    text_append(&text, "OPENCL a\n{}\nP0() {}\nexists ");
    repeat(&text, "x => ", 100000);
    assert_int_equal(parse(text.bytes, &error), STATUS_MALFORMED);
    text_clear(&text);
    text_append(&text, "OPENCL a\n{ int x[65]; }\nP0() {}\nlocations [x]");
    assert_int_equal(parse(text.bytes, &error), STATUS_MALFORMED);
    assert_string_equal(error.text, "line 4: more than 64 values are to be shown");
    text_clear(&text);
    for (int i = 0; i < 65; i++) {
        text_format(&text, "L%d: ", i);
    }
    expect_in_body(text.bytes, "line 5: nested more than 60 times");
    text_clear(&text);
    for (int i = 0; i < 65; i++) {
        text_format(&text, "L%d: ;", i);
    }
    expect_in_body(text.bytes, "line 5: more than 64 labels");
    text_clear(&text);
    text_append(&text, "OPENCL a\n{}\nP0() {}\nexists ");
    repeat(&text, "~", 100000);
    assert_int_equal(parse(text.bytes, &error), STATUS_MALFORMED);
    assert_string_equal(error.text, "line 4: nested more than 60 times");
    text_clear(&text);
    text_append(&text, "OPENCL a\n{}\nP0() {}\nexists true");
    repeat(&text, " /\\ true", 64);
    assert_int_equal(parse(text.bytes, &error), STATUS_MALFORMED);
    assert_string_equal(error.text, "line 4: the condition has more than 64 parts");
    text_release(&text);
}

static void test_failing_allocations(void **state)
{
    (void)state;
    static const char text[] = "OPENCL a\n{ x = 1; 0:r = 5; int y[2] = {1, 2}; }\n"
                               "P0(global atomic_int *x, global int *y)\n"
                               "{ int r; L: while (atomic_load(x) == r) ; y[r] = 1; }\n"
                               "exists (0:r=5)";
    const uint64_t live = alloc_live_count();
    enum status status = STATUS_NO_MEMORY;
    for (uint64_t n = 1; status != STATUS_OK; n++) {
        struct error error;
        alloc_fail_at(n);
        status = parse(text, &error);
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
        assert_int_equal(alloc_live_count(), live);
    }
    alloc_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),    cmocka_unit_test(test_statements),
        cmocka_unit_test(test_invalid_orders), cmocka_unit_test(test_whole_tests),
        cmocka_unit_test(test_limits),         cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
