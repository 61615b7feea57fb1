/* Lowering of real kernels: golden listings, and runs whose results plain C knows. Each kernel is
 * there unoptimised (variables, calls) and optimised (phis, switches, wide control flow). */
#include "reference/vm/shape.h"
#include "tests/unit/vm/kernel_run.h"
#include "tests/unit/vm/listing.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The control-flow kernels as C. */
#define HOST
static int host_global_id;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#include "tests/unit/vm/kernels/control.cl"
#pragma GCC diagnostic pop

enum { ITEMS = 128 };

/* ---- listings ---- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *text = test_calloc(1, 1 << 16);
    (void)!fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    return text;
}

/* CLERK_UPDATE_GOLDEN=1 writes what is, for a person to look at the difference. */
static void check_listing(const char *kernel)
{
    char path[512];
    struct spv_module *module = kernel_run_load("simple-O0");
    struct vm_code *code = kernel_run_lower(module, kernel);
    struct text text = TEXT_INIT;
    listing_print(code, &text);
    snprintf(path, sizeof path, "%s/%s.lane", CLERK_TEST_LISTINGS, kernel);
    if (getenv("CLERK_UPDATE_GOLDEN") != NULL) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(text.bytes, file);
        fclose(file);
    }
    char *expected = read_text(path);
    assert_non_null(expected);
    assert_string_equal(text.bytes, expected);
    test_free(expected);
    text_release(&text);
    vm_code_destroy(code);
    spv_module_destroy(module);
}

/* Of modules by clang and llvm-spirv 15; later ones write get_global_id otherwise. */
static void listings_are_as_recorded(void **state)
{
    (void)state;
    if (CLERK_TEST_MODULES_PAIR != 15)
        skip();
    check_listing("add");
    check_listing("matrix_product");
    check_listing("reduce");
    check_listing("undefined");
}

/* ---- control flow ---- */

struct control {
    const char *name;
    void (*host)(int *out, int n);
};

static const struct control controls[] = {
    {"loops", loops},
    {"returns", returns},
    {"switches", switches},
    {"rotate_values", rotate_values},
    {"last_iteration", last_iteration},
    {"continues", continues},
    {"one_side", one_side},
    {"irreducible", irreducible},
    {"pointers", pointers},
    {"two_levels", two_levels},
};

static void check_control(const char *module, const struct control *control, int n)
{
    struct kernel_run run;
    int expected[ITEMS] = {0};
    int found[ITEMS] = {0};
    for (host_global_id = 0; host_global_id < ITEMS; host_global_id++)
        control->host(expected, n);
    kernel_run_create(&run, module, control->name);
    kernel_run_set_buffer(&run, 0, found, sizeof found);
    run.arguments[1].bytes = &n;
    kernel_run_execute(&run, ITEMS, 64);
    kernel_run_get_buffer(&run, 0, found, sizeof found);
    for (int i = 0; i < ITEMS; i++) {
        if (found[i] != expected[i])
            fail_msg("%s of %s, n = %d: item %d has %d, not %d", control->name, module, n, i,
                     found[i], expected[i]);
    }
    kernel_run_destroy(&run);
}

static void control_flow_is_that_of_one_item_after_the_other(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 3, 13};
    for (size_t c = 0; c < sizeof controls / sizeof controls[0]; c++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            check_control("control-O0", &controls[c], sizes[s]);
            check_control("control-O2", &controls[c], sizes[s]);
        }
    }
}

static void check_reduction(const char *module)
{
    struct kernel_run run;
    int in[ITEMS];
    int sums[2] = {0, 0};
    int found[2];
    for (int i = 0; i < ITEMS; i++) {
        in[i] = i * i - 40;
        sums[i / 64] += in[i];
    }
    kernel_run_create(&run, module, "reduce");
    kernel_run_set_buffer(&run, 0, in, sizeof in);
    kernel_run_set_buffer(&run, 1, NULL, sizeof found);
    run.arguments[2].local_size = 64 * sizeof(int);
    kernel_run_execute(&run, ITEMS, 64);
    kernel_run_get_buffer(&run, 1, found, sizeof found);
    assert_int_equal(found[0], sums[0]);
    assert_int_equal(found[1], sums[1]);
    /* A barrier within a loop knows the iteration. */
    assert_int_equal(run.code->barrier_count, 1);
    assert_int_equal(run.code->barriers[0].counter_count, 1);
    assert_int_equal(run.code->barriers[0].flags, OBSERVER_FENCE_LOCAL);
    kernel_run_destroy(&run);
}

static void barriers_in_loops_run(void **state)
{
    (void)state;
    check_reduction("simple-O0");
    check_reduction("simple-O2");
}

/* ---- built-ins and conversions ---- */

__extension__ typedef __int128 wide_int;

static int64_t clamp(wide_int value, wide_int low, wide_int high)
{
    return (int64_t)(value < low ? low : value > high ? high : value);
}

#define S32(value) ((int)clamp(value, INT32_MIN, INT32_MAX))
#define U32(value) ((int)(uint32_t)clamp(value, 0, UINT32_MAX))

static void expect_integers(int *o, int a, int b, int c)
{
    const wide_int wa = a;
    const wide_int wb = b;
    const wide_int ua = (uint32_t)a;
    const wide_int ub = (uint32_t)b;
    const int turn = b & 31;
    const int low = b < c ? b : c;
    const int high = b < c ? c : b;
    o[0] = S32(wa + wb);
    o[1] = S32(wa - wb);
    o[2] = (int)((wa + wb) >> 1);
    o[3] = (int)((wa + wb + 1) >> 1);
    o[4] = (int)((wa * wb) >> 32);
    o[5] = (int)((uint32_t)o[4] + (uint32_t)c);
    o[6] = S32(wa * wb + c);
    o[7] = a < low ? low : a > high ? high : a;
    o[8] = (int)(uint32_t)(wa < wb ? wb - wa : wa - wb);
    o[9] = (int)((uint32_t)a << turn | (turn == 0 ? 0 : (uint32_t)a >> (32 - turn)));
    o[10] = a == 0 ? 32 : __builtin_clz((unsigned)a);
    o[11] = __builtin_popcount((unsigned)a);
    o[12] = (int)(uint32_t)(wa < 0 ? -wa : wa);
    o[13] = (int)((uint32_t)(uint16_t)a << 16 | (uint16_t)b);
    o[14] = U32(ua + ub);
    o[15] = U32(ua - ub);
    o[16] = U32(ua * ub + (uint32_t)c);
    o[17] = (int)(uint32_t)((ua * ub) >> 32);
    o[18] = (int)(uint32_t)((ua + ub) >> 1);
    o[19] = (a & ~c) | (b & c);
    o[20] = c != 0 ? b : a;
    o[21] = (int)clamp((wide_int)(int8_t)a + (int8_t)b, -128, 127);
    o[22] = (int)clamp((wide_int)(uint8_t)a - (uint8_t)b, 0, 255);
    o[23] = (int)((uint32_t)((a & 0x7fffff) * (int64_t)(b & 0x7fffff)) + (uint32_t)c);
}

enum { INTEGERS = 32 };

static void check_integers(const char *module)
{
    static const int edges[INTEGERS] = {
        0,
        1,
        -1,
        2,
        -2,
        3,
        7,
        -7,
        31,
        32,
        33,
        64,
        127,
        128,
        -128,
        -129,
        255,
        256,
        32767,
        32768,
        -32768,
        65535,
        65536,
        0x7fffff,
        0x800000,
        0x12345678,
        -0x12345678,
        0x55555555,
        INT32_MAX,
        INT32_MIN,
        INT32_MAX - 1,
        INT32_MIN + 1,
    };
    struct kernel_run run;
    static int found[INTEGERS * 24];
    const int n = INTEGERS;
    kernel_run_create(&run, module, "integers");
    kernel_run_set_buffer(&run, 0, NULL, sizeof found);
    kernel_run_set_buffer(&run, 1, edges, sizeof edges);
    run.arguments[2].bytes = &n;
    kernel_run_execute(&run, INTEGERS, INTEGERS);
    kernel_run_get_buffer(&run, 0, found, sizeof found);
    for (int i = 0; i < INTEGERS; i++) {
        int expected[24];
        expect_integers(expected, edges[i], edges[(i * 7 + 3) % n], edges[(i * 5 + 1) % n]);
        for (int k = 0; k < 24; k++) {
            if (found[i * 24 + k] != expected[k])
                fail_msg("%s: integers[%d] of item %d is %d, not %d", module, k, i,
                         found[i * 24 + k], expected[k]);
        }
    }
    kernel_run_destroy(&run);
}

/* a * b + c in 128 bits; false when even these overflow. */
static bool wide_mad(wide_int a, wide_int b, wide_int c, wide_int *result)
{
    return !__builtin_mul_overflow(a, b, result) && !__builtin_add_overflow(*result, c, result);
}

static void check_wide(const char *module)
{
    static const int64_t edges[16] = {
        0,
        1,
        -1,
        3,
        -3,
        INT64_MAX,
        INT64_MIN,
        INT64_MAX - 1,
        INT64_MIN + 1,
        1 << 30,
        INT64_C(1) << 32,
        INT64_C(3037000500),
        -INT64_C(3037000500),
        INT64_C(1) << 62,
        12345,
        -9,
    };
    struct kernel_run run;
    int64_t found[16 * 6];
    const int n = 16;
    kernel_run_create(&run, module, "wide");
    kernel_run_set_buffer(&run, 0, NULL, sizeof found);
    kernel_run_set_buffer(&run, 1, edges, sizeof edges);
    run.arguments[2].bytes = &n;
    kernel_run_execute(&run, 16, 16);
    kernel_run_get_buffer(&run, 0, found, sizeof found);
    for (int i = 0; i < 16; i++) {
        const wide_int a = edges[i];
        const wide_int b = edges[(i * 7 + 3) % n];
        const wide_int c = edges[(i * 5 + 1) % n];
        const wide_int ua = (uint64_t)edges[i];
        const wide_int ub = (uint64_t)edges[(i * 7 + 3) % n];
        wide_int exact = 0;
        assert_true(wide_mad(a, b, c, &exact));
        assert_int_equal(found[i * 6], clamp(exact, INT64_MIN, INT64_MAX));
        const bool fits = wide_mad(ua, ub, (uint64_t)edges[(i * 5 + 1) % n], &exact) &&
                          exact <= (wide_int)UINT64_MAX;
        assert_int_equal((uint64_t)found[i * 6 + 1], fits ? (uint64_t)exact : UINT64_MAX);
        assert_int_equal(found[i * 6 + 2], (int64_t)((a * b) >> 64));
        __extension__ typedef unsigned __int128 unsigned_wide;
        assert_int_equal((uint64_t)found[i * 6 + 3],
                         (uint64_t)(((unsigned_wide)ua * (unsigned_wide)ub) >> 64));
        assert_int_equal(found[i * 6 + 4], clamp(a + b, INT64_MIN, INT64_MAX));
        assert_int_equal(found[i * 6 + 5], clamp(a - b, INT64_MIN, INT64_MAX));
    }
    kernel_run_destroy(&run);
}

static double rounded(double x, int mode)
{
    return mode == FE_UPWARD ? ceil(x) : mode == FE_DOWNWARD ? floor(x) : rint(x);
}

static int64_t saturated(double x, double low, double high)
{
    if (isnan(x))
        return 0;
    return x <= low ? (int64_t)low : x >= high ? (int64_t)high : (int64_t)x;
}

static int float_bits(float x)
{
    int bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The host's rounding mode applies to a conversion made at run time. */
static int __attribute__((noinline)) float_of(int64_t value, int mode)
{
    volatile int64_t opaque = value;
    fesetround(mode);
    volatile float result = (float)opaque;
    fesetround(FE_TONEAREST);
    return float_bits(result);
}

static void expect_conversions(int *o, float x)
{
    const uint32_t magnitude = (uint32_t)float_bits(x) & 0x7fffffff;
    const int64_t whole = isnan(x)        ? 0
                          : x >= 0x1p63f  ? INT64_MAX
                          : x <= -0x1p63f ? INT64_MIN
                                          : (int64_t)x;
    const int64_t triple = (int64_t)((uint64_t)whole * 3);
    const int s = (int)saturated(x, INT32_MIN, INT32_MAX);
    o[0] = s;
    o[1] = (int)saturated(rounded(x, FE_TONEAREST), INT32_MIN, INT32_MAX);
    o[2] = (int)saturated(rounded(x, FE_UPWARD), INT32_MIN, INT32_MAX);
    o[3] = (int)saturated(rounded(x, FE_DOWNWARD), INT32_MIN, INT32_MAX);
    o[4] = (int)saturated(rounded(x, FE_TONEAREST), 0, 255);
    o[5] = (int)saturated(x, -128, 127);
    o[6] = (int)saturated(rounded(x, FE_UPWARD), 0, 65535);
    o[7] = float_of(triple, FE_TOWARDZERO);
    o[8] = float_of(triple, FE_UPWARD);
    o[9] = float_of(triple, FE_DOWNWARD);
    o[10] = s < 0 ? 0 : s > 255 ? 255 : s;
    const int64_t u = saturated(x, 0, UINT32_MAX);
    o[11] = u > 127 ? 127 : (int)u;
    o[12] = s < -32768 ? -32768 : s > 32767 ? 32767 : s;
    o[13] = (magnitude > 0x7f800000) + 2 * (magnitude == 0x7f800000) +
            4 * (magnitude < 0x7f800000) + 8 * (magnitude >= 0x00800000 && magnitude < 0x7f800000) +
            16 * (signbit(x) != 0);
}

static void check_conversions(const char *module)
{
    static const float edges[] = {
        0.0f,          -0.0f,         0.5f,           -0.5f,     1.5f,    2.5f,
        -2.5f,         0.49999997f,   127.5f,         128.0f,    -128.5f, 254.5f,
        255.5f,        65535.5f,      -1e-40f,        1e-45f,    1e9f,    -1e9f,
        2147483520.0f, 2147483648.0f, -2147483648.0f, 4e9f,      1e18f,   -1e18f,
        3e38f,         -3e38f,        INFINITY,       -INFINITY, NAN,     33554433.0f,
        16777219.0f,   -16777217.0f,
    };
    enum { COUNT = sizeof edges / sizeof edges[0] };
    struct kernel_run run;
    int found[COUNT * 16];
    kernel_run_create(&run, module, "conversions");
    kernel_run_set_buffer(&run, 0, NULL, sizeof found);
    kernel_run_set_buffer(&run, 1, edges, sizeof edges);
    kernel_run_execute(&run, COUNT, COUNT);
    kernel_run_get_buffer(&run, 0, found, sizeof found);
    for (int i = 0; i < COUNT; i++) {
        int expected[14];
        expect_conversions(expected, edges[i]);
        for (int k = 0; k < 14; k++) {
            if (found[i * 16 + k] != expected[k])
                fail_msg("%s: conversions[%d] of %a is %d, not %d", module, k, (double)edges[i],
                         found[i * 16 + k], expected[k]);
        }
    }
    kernel_run_destroy(&run);
}

/* IEEE 754 binary16: halves are exact in float, so each comes back from both forms of storing. */
static void check_halves(const char *module)
{
    static const struct {
        float value;
        uint16_t to_zero, nearest;
    } rows[] = {
        {0.0f, 0x0000, 0x0000},         {-0.0f, 0x8000, 0x8000},
        {1.0f, 0x3c00, 0x3c00},         {65504.0f, 0x7bff, 0x7bff},
        {65519.0f, 0x7bff, 0x7bff},     {65520.0f, 0x7bff, 0x7c00},
        {1e9f, 0x7bff, 0x7c00},         {INFINITY, 0x7c00, 0x7c00},
        {-65520.0f, 0xfbff, 0xfc00},    {0x1p-24f, 0x0001, 0x0001},
        {0x1p-25f, 0x0000, 0x0000},     {0x1.8p-25f, 0x0000, 0x0001},
        {0x1.8p-24f, 0x0001, 0x0002},   {0x1.ff8p-15f, 0x03ff, 0x03ff},
        {0x1.ffcp-15f, 0x03ff, 0x0400}, {0x1.ffep-15f, 0x03ff, 0x0400},
        {1.0009765f, 0x3c00, 0x3c01},
    };
    enum { COUNT = sizeof rows / sizeof rows[0] };
    struct kernel_run run;
    float in[COUNT];
    int found[COUNT * 16];
    for (int i = 0; i < COUNT; i++)
        in[i] = rows[i].value;
    kernel_run_create(&run, module, "conversions");
    kernel_run_set_buffer(&run, 0, NULL, sizeof found);
    kernel_run_set_buffer(&run, 1, in, sizeof in);
    kernel_run_execute(&run, COUNT, COUNT);
    kernel_run_get_buffer(&run, 0, found, sizeof found);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal((uint16_t)found[i * 16 + 14], rows[i].to_zero);
        assert_int_equal((uint16_t)(found[i * 16 + 14] >> 16), rows[i].nearest);
    }
    kernel_run_destroy(&run);
}

static void built_ins_on_integers_are_exact(void **state)
{
    (void)state;
    check_integers("builtins-O0");
    check_integers("builtins-O2");
    check_wide("builtins-O0");
    check_wide("builtins-O2");
}

static void conversions_are_exact(void **state)
{
    (void)state;
    check_conversions("builtins-O0");
    check_conversions("builtins-O2");
    check_halves("builtins-O0");
}

static void check_geometry(const char *module)
{
    struct kernel_run run;
    float in[8] = {1.5f, -2.25f, 0.0f, 4.0f, 3.0f, 0.5f, -1.0f, 2.0f};
    float found[48];
    kernel_run_create(&run, module, "geometry");
    kernel_run_set_buffer(&run, 0, NULL, sizeof found);
    kernel_run_set_buffer(&run, 1, in, sizeof in);
    kernel_run_execute(&run, 2, 2);
    kernel_run_get_buffer(&run, 0, found, sizeof found);
    const float *a = in;
    const float *b = in + 4;
    assert_true(found[0] == a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
    assert_true(found[1] == sqrtf(1.5f * 1.5f + 2.25f * 2.25f + 16.0f));
    assert_true(found[4] == a[1] * b[2] - a[2] * b[1] && found[7] == 0.0f);
    for (int i = 0; i < 4; i++) {
        assert_true(found[8 + i] == a[i] + (b[i] - a[i]) * 0.25f);
        const float t = fminf(fmaxf((a[i] + 1.0f) / 3.0f, 0.0f), 1.0f);
        assert_true(found[12 + i] == t * t * (3.0f - 2.0f * t));
        const float sign = a[i] > 0 ? 1.0f : a[i] < 0 ? -1.0f : a[i];
        assert_true(found[16 + i] == sign + (b[i] < 0.5f ? 0.0f : 1.0f));
    }
    assert_true(found[3] == a[3]); /* component (3, 2, 1, 3).w */
    assert_true(found[20] == 1.5f * -2.25f + 0.0f && found[21] == -3.375f);
    assert_true(found[22] == 1.0f);
    kernel_run_destroy(&run);
}

static void geometry_is_as_the_specification_composes_it(void **state)
{
    (void)state;
    check_geometry("builtins-O0");
    check_geometry("builtins-O2");
}

/* ---- memory ---- */

struct record {
    int8_t tag;
    int16_t numbers[3];
    float vector[4] __attribute__((aligned(16)));
    int64_t wide;
};

static void check_structures(const char *module)
{
    struct kernel_run run;
    const struct record in = {5, {1, 2, 3}, {1.0f, 2.0f, 3.0f, 4.0f}, INT64_MIN};
    struct record found[4];
    const int n = 3;
    kernel_run_create(&run, module, "structures");
    assert_int_equal(run.code->parameters[1].kind, VM_PARAMETER_STRUCT);
    assert_int_equal(run.code->parameters[1].size, sizeof in);
    kernel_run_set_buffer(&run, 0, NULL, sizeof found);
    run.arguments[1].bytes = &in;
    run.arguments[2].bytes = &n;
    kernel_run_execute(&run, 4, 4);
    kernel_run_get_buffer(&run, 0, found, sizeof found);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(found[i].tag, 3 + 3); /* table[3] + inner[1] = table[3] */
        assert_int_equal(found[i].numbers[0], 1);
        assert_int_equal(found[i].numbers[1], 2 + n + i);
        assert_true(found[i].vector[1] == (float)(n + i) && found[i].vector[3] == 4.0f);
        assert_true(found[i].wide == INT64_MIN);
    }
    kernel_run_destroy(&run);
}

static void check_vectors(const char *module)
{
    struct kernel_run run;
    float in[8] = {1, 2, 3, -1, 4, 5, 6, -1};
    float out[6];
    uint8_t bytes[8];
    const int n = 1;
    kernel_run_create(&run, module, "vectors");
    kernel_run_set_buffer(&run, 0, NULL, sizeof out);
    kernel_run_set_buffer(&run, 1, in, sizeof in);
    kernel_run_set_buffer(&run, 2, NULL, sizeof bytes);
    run.arguments[3].bytes = &n;
    kernel_run_execute(&run, 2, 2);
    kernel_run_get_buffer(&run, 0, out, sizeof out);
    kernel_run_get_buffer(&run, 2, bytes, sizeof bytes);
    for (int i = 0; i < 2; i++) {
        const float x = in[i * 4 + 1] * 2.0f; /* v.zx = v.xy * 2 */
        const float z = in[i * 4] * 2.0f;
        uint8_t raw[4];
        assert_true(out[i * 3] == x && out[i * 3 + 1] == in[i * 4 + 1] && out[i * 3 + 2] == z);
        memcpy(raw, &x, sizeof raw);
        raw[1] = 9;
        for (int k = 0; k < 4; k++)
            assert_int_equal(bytes[i * 4 + k], raw[3 - k]);
    }
    kernel_run_destroy(&run);
}

static void check_atomics(const char *module)
{
    struct kernel_run run;
    int out[65] = {-5};
    int flag = 0;
    kernel_run_create(&run, module, "atomics");
    assert_true(run.code->uses_acquire);
    kernel_run_set_buffer(&run, 0, out, sizeof out);
    kernel_run_set_buffer(&run, 1, &flag, sizeof flag);
    run.arguments[2].local_size = 4;
    kernel_run_execute(&run, 64, 64);
    kernel_run_get_buffer(&run, 0, out, sizeof out);
    assert_int_equal(out[0], 63);
    assert_int_equal(out[1], 64 + 64 * 63 / 2); /* the local count and the flag's value */
    kernel_run_destroy(&run);
}

static void check_generic(const char *module)
{
    struct kernel_run run;
    int out[16];
    kernel_run_create(&run, module, "anywhere");
    kernel_run_set_buffer(&run, 0, NULL, sizeof out);
    run.arguments[1].local_size = 8 * sizeof(int);
    kernel_run_execute(&run, 16, 8);
    kernel_run_get_buffer(&run, 0, out, sizeof out);
    for (int i = 0; i < 16; i++)
        assert_int_equal(out[i], i * 2 + 7);
    kernel_run_destroy(&run);
}

static void memory_holds_what_was_stored(void **state)
{
    (void)state;
    static const char *const modules[] = {"memory-O0", "memory-O2"};
    for (int i = 0; i < 2; i++) {
        check_structures(modules[i]);
        check_vectors(modules[i]);
        check_atomics(modules[i]);
        check_generic(modules[i]);
    }
}

/* ---- what a kernel says of itself; refusals ---- */

/* ---- printf ---- */

static void collect(void *user, const char *bytes, size_t size)
{
    text_append_n(user, bytes, size);
}

static void prints_come_in_the_order_of_lanes(void **state)
{
    (void)state;
    for (int level = 0; level < 2; level++) {
        struct kernel_run run;
        struct error error = {0};
        struct sched_result result;
        struct text printed = TEXT_INIT;
        const int in[4] = {3, 2, 6, 1};
        const float v[4] = {1, 2, -3, 0.5f};
        kernel_run_create(&run, level == 0 ? "printing-O0" : "printing-O2", "print");
        kernel_run_set_buffer(&run, 0, in, sizeof in);
        run.arguments[1].bytes = v;
        kernel_run_make_globals(&run);
        const struct sched_launch launch = {
            .code = run.code,
            .memory = run.memory,
            .dimensions = 1,
            .global_size = {4, 1, 1},
            .local_size = {4, 1, 1},
            .arguments = run.arguments,
            .globals = run.globals,
            .sub_group_size = 32,
            .print = collect,
            .user = &printed,
        };
        assert_int_equal(sched_run(&launch, &result, &error), STATUS_OK);
        assert_string_equal(printed.bytes, "3: odd 1.000000,2.000000,-3.000000,0.500000\n"
                                           "6: word 1.000000,2.000000,-3.000000,0.500000\n"
                                           "1 in round 0, 1\n"
                                           "3 in round 0, 0.5\n"
                                           "1 in round 1, 1\n");
        text_release(&printed);
        kernel_run_destroy(&run);
    }
}

static void kernels_describe_their_parameters(void **state)
{
    (void)state;
    struct spv_module *module = kernel_run_load("simple-O0");
    struct vm_code *code = kernel_run_lower(module, "reduce");
    assert_int_equal(code->parameter_count, 3);
    assert_int_equal(code->parameters[0].kind, VM_PARAMETER_GLOBAL);
    assert_string_equal(code->parameters[0].name, "in");
    assert_string_equal(code->parameters[0].type_name, "int*");
    assert_true(code->parameters[0].is_const);
    assert_int_equal(code->parameters[2].kind, VM_PARAMETER_LOCAL);
    assert_int_equal(code->parameters[2].size, 0);
    assert_int_equal(code->required_local_size[0], 64);
    assert_string_equal(code->attributes, "reqd_work_group_size(64,1,1)");
    assert_int_equal(code->opencl_c_version, 120);
    assert_false(code->uses_acquire);
    vm_code_destroy(code);
    spv_module_destroy(module);
}

static void accesses_are_traced_to_their_arguments(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct spv_module *module = kernel_run_load(i == 0 ? "memory-O0" : "memory-O2");
        struct vm_code *code = kernel_run_lower(module, "ways");
        assert_false(code->parameters[0].only_read);
        assert_false(code->parameters[1].only_read);
        assert_true(code->parameters[2].only_read);
        assert_false(code->parameters[4].only_read);
        assert_true(code->parameters[0].only_written);
        assert_true(code->parameters[1].only_written);
        assert_false(code->parameters[2].only_written);
        assert_false(code->parameters[3].only_written);
        vm_code_destroy(code);
        spv_module_destroy(module);
    }
}

static void check_failure(const struct spv_module *module, const char *kernel, enum status status,
                          const char *words)
{
    struct vm_code *code = NULL;
    struct error error = {0};
    assert_int_equal(vm_lower_kernel(module, kernel, NULL, &code, &error), status);
    assert_null(code);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
}

static void check_refusal(const struct spv_module *module, const char *kernel, const char *words)
{
    check_failure(module, kernel, STATUS_UNSUPPORTED, words);
}

static void a_result_of_another_width_than_its_operands_is_malformed(void **state)
{
    (void)state;
    struct spv_module *module = kernel_run_load("mistyped");
    check_failure(module, "mistyped", STATUS_MALFORMED,
                  "the operands of OpIAdd do not fit its type");
    spv_module_destroy(module);
}

static void an_operation_on_integers_takes_no_booleans(void **state)
{
    (void)state;
    struct spv_module *module = kernel_run_load("mistyped");
    check_failure(module, "negated", STATUS_MALFORMED, "OpNot of booleans");
    spv_module_destroy(module);
}

static void a_copy_of_four_gigabytes_is_refused(void **state)
{
    (void)state;
    struct spv_module *module = kernel_run_load("huge_copy");
    check_refusal(module, "huge_copy", "a copy of more than 2 GiB");
    spv_module_destroy(module);
}

static void what_cannot_run_is_refused_by_name_and_line(void **state)
{
    (void)state;
    struct spv_module *module = kernel_run_load("refused-O0");
    struct vm_code *code = NULL;
    struct error error = {0};
    check_refusal(module, "recursion", "'again' calls itself");
    check_refusal(module, "recursion", "refused.cl:5:");
    check_refusal(module, "no_body", "a call of 'missing', which has no body");
    check_refusal(module, "no_variable", "the variable 'nowhere', which no program defines");
    assert_int_equal(vm_lower_kernel(module, "absent", NULL, &code, &error), STATUS_NOT_FOUND);
    spv_module_destroy(module);
}

/* Two lowerings are the same to the byte. */
static void lowering_is_deterministic(void **state)
{
    (void)state;
    struct text text[2] = {TEXT_INIT, TEXT_INIT};
    for (int i = 0; i < 2; i++) {
        struct spv_module *module = kernel_run_load("control-O2");
        struct vm_code *code = kernel_run_lower(module, "loops");
        listing_print(code, &text[i]);
        vm_code_destroy(code);
        spv_module_destroy(module);
    }
    assert_string_equal(text[0].bytes, text[1].bytes);
    text_release(&text[0]);
    text_release(&text[1]);
}

static void a_failed_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    struct spv_module *module = kernel_run_load("control-O0");
    const uint64_t live = alloc_live_count();
    enum status status = STATUS_NO_MEMORY;
    for (uint64_t n = 1; status == STATUS_NO_MEMORY; n++) {
        struct vm_code *code = NULL;
        struct error error = {0};
        alloc_fail_at(n);
        status = vm_lower_kernel(module, "loops", NULL, &code, &error);
        alloc_fail_at(0);
        if (status == STATUS_OK)
            vm_code_destroy(code);
        else
            assert_true(error.text[0] != '\0');
        assert_int_equal(alloc_live_count(), live);
        assert_true(n < 100000);
    }
    assert_int_equal(status, STATUS_OK);
    spv_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listings_are_as_recorded),
        cmocka_unit_test(control_flow_is_that_of_one_item_after_the_other),
        cmocka_unit_test(barriers_in_loops_run),
        cmocka_unit_test(built_ins_on_integers_are_exact),
        cmocka_unit_test(conversions_are_exact),
        cmocka_unit_test(geometry_is_as_the_specification_composes_it),
        cmocka_unit_test(memory_holds_what_was_stored),
        cmocka_unit_test(prints_come_in_the_order_of_lanes),
        cmocka_unit_test(kernels_describe_their_parameters),
        cmocka_unit_test(accesses_are_traced_to_their_arguments),
        cmocka_unit_test(a_copy_of_four_gigabytes_is_refused),
        cmocka_unit_test(what_cannot_run_is_refused_by_name_and_line),
        cmocka_unit_test(a_result_of_another_width_than_its_operands_is_malformed),
        cmocka_unit_test(an_operation_on_integers_takes_no_booleans),
        cmocka_unit_test(lowering_is_deterministic),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
