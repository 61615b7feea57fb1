/* What is known of rows with undefined lanes: said at once of lanes that are alike, by an op or by
 * the steps of native code, it is what it is said lane by lane. */
#include "reference/vm/bits.h"
#include "reference/vm/undefined_rows.h"
#include "tests/unit/vm/single.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 1;
static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static struct single single;
static struct vm_undefined_row *known[FRAME_UNITS];

static void begin(void)
{
    single_init(&single);
    memset(known, 0, sizeof known);
    single.vector.undefined_rows = known;
    single.vector.undefined = single.undefined;
    single.vector.run = &single.run;
}

/* What a lane is told to be. */
struct lane {
    struct vm_partial partial;
    struct vm_origin birth;
};

static uint64_t random_value(uint32_t width)
{
    const uint64_t some[] = {0, 1, ~UINT64_C(0), 0x80, 12, random_bits()};
    return some[random_bits() % 6] & bits_low(width * 8);
}

/* Fills a row, part of it lane by lane, part of it at once; with values that are mostly alike. */
static void fill(vm_row row, uint32_t width, struct lane lanes[VM_LANES])
{
    const bool whole = random_bits() % 2 == 0;
    const uint64_t bits = whole ? bits_low(width * 8) : random_value(width) | 1;
    const uint64_t undefined = random_bits() % 3 == 0 ? random_bits() : 0 - (random_bits() & 1);
    const uint64_t at_once = random_bits() % 2 == 0 ? undefined : undefined & random_bits();
    const uint64_t value = random_value(width);
    const bool same = random_bits() % 2 == 0;
    const struct vm_origins births = {.first = {.address = random_bits(), .site = 7},
                                      .stride = (int64_t)(random_bits() % 64),
                                      .jump = 1000,
                                      .run_shift = random_bits() % 2 ? 3 : VM_ORIGINS_NO_RUNS};
    single.undefined[row] = undefined;
    vm_undefined_put_bits(&single.vector, row, 0, at_once, bits);
    vm_undefined_put_births(&single.vector, row, 0, at_once, &births);
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        lanes[lane].partial =
            (struct vm_partial){.value = same ? value : random_value(width), .undefined = 0};
        memcpy(single_row(&single, row) + lane * width, &lanes[lane].partial.value, width);
        lanes[lane].birth = vm_origins_at(&births, lane);
        if (!(undefined >> lane & 1))
            continue;
        lanes[lane].partial.undefined = bits;
        if (at_once >> lane & 1)
            continue;
        lanes[lane].partial.undefined = random_value(width) | 1;
        lanes[lane].birth = (struct vm_origin){.site = lane};
        vm_undefined_put(&single.vector, row, false, lane, lanes[lane].partial.undefined,
                         lanes[lane].birth);
    }
}

/* The value that all lanes of the mask have, defined, if there is one. */
static bool find_known(const struct lane lanes[VM_LANES], uint64_t mask, uint64_t *value)
{
    bool same = true;
    *value = lanes[__builtin_ctzll(mask)].partial.value;
    FOR_EACH_LANE(lane, mask)
        same &= lanes[lane].partial.value == *value && lanes[lane].partial.undefined == 0;
    return same;
}

/* False: that is not followed. The rows are the instruction's, b's lanes are given. */
static bool follow(const struct vm_instruction *in, uint32_t width, const struct lane b[VM_LANES],
                   uint64_t mask)
{
    uint64_t number;
    struct vm_native_undefined undefined;
    const bool is_known = find_known(b, mask, &number) && random_bits() % 2 == 0;
    const struct vm_native_step list[] = {
        {.op = VM_NATIVE_READ, .from = in->a, .width = width},
        {.op = VM_NATIVE_READ, .from = in->b, .width = width},
        {.op = in->op,
         .width = width,
         .to = width,
         .operands = {0, is_known ? VM_NATIVE_KNOWN : 1, VM_NATIVE_VARYING}}};
    const struct vm_native_get get = {.row = in->dst, .step = 2};
    const struct vm_native_steps steps = {.count = 3, .get_count = 1, .steps = list, .gets = &get};
    single.vector.active = mask;
    if (!vm_undefined_follow(&single.vector, &steps, &number, &undefined))
        return false;
    vm_undefined_put_steps(&single.vector, &steps, &undefined);
    return true;
}

/* By the op, or else by steps, if those can be followed. Gives whether it was found out. */
static bool check(enum vm_op op, uint32_t width, bool in_place, uint64_t mask, bool by_op)
{
    struct lane a[VM_LANES];
    struct lane b[VM_LANES];
    begin();
    const vm_row row_a = as_row(&single.as, width, 1);
    const vm_row row_b = as_row(&single.as, width, 1);
    const vm_row dst = in_place ? row_a : as_row(&single.as, width, 1);
    fill(row_a, width, a);
    fill(row_b, width, b);
    struct arena filled = single.run.undefined_rows;
    const struct vm_instruction in = {.op = (uint16_t)op, .dst = dst, .a = row_a, .b = row_b};
    if (by_op)
        single_execute(&single, in, mask);
    const bool found = by_op || follow(&in, width, b, mask);
    FOR_EACH_LANE(lane, found ? mask : 0) {
        const uint64_t want =
            vm_undefined_binary(op, a[lane].partial, b[lane].partial) & bits_low(width * 8);
        const uint64_t got = vm_undefined_bits(&single.vector, dst, (uint32_t)lane, width);
        if (got != want)
            fail_msg("%s, lane %u: undefined bits %llx, not %llx", vm_op_name(op), (unsigned)lane,
                     (unsigned long long)got, (unsigned long long)want);
        const struct vm_origin birth = vm_undefined_birth(&single.vector, dst, (uint32_t)lane);
        if (want &&
            !vm_origin_equal(birth, a[lane].partial.undefined ? a[lane].birth : b[lane].birth))
            fail_msg("%s, lane %u: another birth", vm_op_name(op), (unsigned)lane);
    }
    if (by_op) /* which begins a run of its own */
        arena_release(&filled);
    arena_release(&single.run.undefined_rows);
    return found;
}

static void an_op_makes_of_rows_what_it_makes_of_lanes(void **state)
{
    (void)state;
#define OPS(W)                                                                                     \
    {VM_OP_iadd_##W, W / 8}, {VM_OP_isub_##W, W / 8}, {VM_OP_imul_##W, W / 8},                     \
        {VM_OP_iand_##W, W / 8}, {VM_OP_ior_##W, W / 8}, {VM_OP_ixor_##W, W / 8},                  \
        {VM_OP_shl_##W, W / 8}, {VM_OP_lshr_##W, W / 8},                                           \
    {                                                                                              \
        VM_OP_ashr_##W, W / 8                                                                      \
    }
    static const struct {
        enum vm_op op;
        uint32_t width;
    } ops[] = {OPS(8), OPS(16), OPS(32), OPS(64), {VM_OP_fadd_f32, 4}, {VM_OP_fmul_f64, 8}};
#undef OPS
    static const uint64_t masks[] = {~UINT64_C(0), 1, UINT64_C(0xFFFF0000), UINT64_C(0x5555)};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        uint32_t followed = 0;
        for (uint32_t trial = 0; trial < 200; trial++) {
            check(ops[i].op, ops[i].width, trial % 3 == 0, masks[trial % 4], true);
            followed += check(ops[i].op, ops[i].width, trial % 3 == 0, masks[trial % 4], false);
        }
        assert_true(followed > 20);
    }
}

/* Each of two rows gets what is known of the other one; births without a pattern are not taken
 * where another row is put. */
static void rows_change_places(void **state)
{
    (void)state;
    const struct vm_origins births[] = {
        {.first = {.address = 100, .site = 1}, .stride = 4, .run_shift = VM_ORIGINS_NO_RUNS},
        {.first = {.site = 2}, .run_shift = VM_ORIGINS_NO_RUNS}};
    begin();
    const vm_row a = as_row(&single.as, 4, 1);
    const vm_row b = as_row(&single.as, 4, 1);
    const struct vm_native_step list[] = {{.op = VM_NATIVE_READ, .from = a, .width = 4},
                                          {.op = VM_NATIVE_READ, .from = b, .width = 4}};
    const struct vm_native_get gets[] = {{.row = a, .step = 1}, {.row = b, .step = 0}};
    const struct vm_native_steps steps = {.count = 2, .get_count = 2, .steps = list, .gets = gets};
    struct vm_native_undefined undefined[2];
    single.vector.active = single.undefined[a] = single.undefined[b] = ~UINT64_C(0);
    vm_undefined_put_alike(&single.vector, a, 0, ~UINT64_C(0), 1, &births[0]);
    vm_undefined_put_alike(&single.vector, b, 0, ~UINT64_C(0), 2, &births[1]);
    assert_true(vm_undefined_follow(&single.vector, &steps, NULL, undefined));
    vm_undefined_put_steps(&single.vector, &steps, undefined);
    assert_int_equal(vm_undefined_bits(&single.vector, a, 9, 4), 2);
    assert_int_equal(vm_undefined_birth(&single.vector, a, 9).site, 2);
    assert_int_equal(vm_undefined_bits(&single.vector, b, 9, 4), 1);
    assert_int_equal(vm_undefined_birth(&single.vector, b, 9).address, 136);
    vm_undefined_put_births(&single.vector, a, ~UINT64_C(0), 1, &births[0]);
    assert_false(vm_undefined_follow(&single.vector, &steps, NULL, undefined));
    arena_release(&single.run.undefined_rows);
}

/* What may be left open is not followed where an operand is undefined. */
static void open_results_are_not_followed(void **state)
{
    (void)state;
    begin();
    const vm_row a = as_row(&single.as, 4, 1);
    struct vm_native_step list[] = {
        {.op = VM_NATIVE_READ, .from = a, .width = 4},
        {.op = VM_OP_fadd_f32, .width = 4, .to = 4, .operands = {0, VM_NATIVE_VARYING}}};
    const struct vm_native_get get = {.row = a, .step = 1};
    const struct vm_native_steps steps = {.count = 2, .get_count = 1, .steps = list, .gets = &get};
    struct vm_native_undefined undefined;
    single.vector.active = 3;
    single.undefined[a] = 4;
    list[1].opens = true;
    assert_true(vm_undefined_follow(&single.vector, &steps, NULL, &undefined));
    assert_int_equal(undefined.bits, 0);
    single.undefined[a] = 1;
    assert_false(vm_undefined_follow(&single.vector, &steps, NULL, &undefined));
    single.undefined[a] = 3;
    assert_false(vm_undefined_follow(&single.vector, &steps, NULL, &undefined));
    list[1].opens = false;
    assert_true(vm_undefined_follow(&single.vector, &steps, NULL, &undefined));
    assert_int_equal(undefined.bits, UINT32_MAX);
}

static void what_is_kept_stays(void **state)
{
    (void)state;
    const struct vm_origins first = {
        .first = {.address = 100, .site = 1}, .stride = 4, .run_shift = VM_ORIGINS_NO_RUNS};
    const struct vm_origins second = {.first = {.site = 2}, .run_shift = VM_ORIGINS_NO_RUNS};
    begin();
    const vm_row row = as_row(&single.as, 4, 1);
    single.undefined[row] = 0xFF;
    vm_undefined_put_bits(&single.vector, row, 0, 0xFF, UINT32_MAX);
    vm_undefined_put_births(&single.vector, row, 0, 0xFF, &first);
    vm_undefined_put_bits(&single.vector, row, 0x0F, 0x30, 1);
    vm_undefined_put_births(&single.vector, row, 0x0F, 0x30, &second);
    for (uint32_t lane = 0; lane < 6; lane++) {
        assert_int_equal(vm_undefined_bits(&single.vector, row, lane, 4),
                         lane < 4 ? UINT32_MAX : 1);
        assert_true(vm_origin_equal(vm_undefined_birth(&single.vector, row, lane),
                                    vm_origins_at(lane < 4 ? &first : &second, lane)));
    }
    arena_release(&single.run.undefined_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_op_makes_of_rows_what_it_makes_of_lanes),
        cmocka_unit_test(rows_change_places),
        cmocka_unit_test(open_results_are_not_followed),
        cmocka_unit_test(what_is_kept_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
