/* The bits that every row of ops.def gives for many operands, as a digest in bits.txt: the same in
 * every machine of every processor.
 *
 *   test_vm_bits ROUNDS   prints such a file, of that many rounds of 64 operands for each op
 *
 * Two processors are compared over more operands than the test has time for by comparing what that
 * prints. */
#include "reference/vm/exec.h"
#include "tests/unit/vm/single.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { TEST_ROUNDS = 64 };

/* clang-format off */
static const struct op_case {
    enum vm_op op;
    uint8_t sizes[4];
    uint8_t is_number[4]; /* floating point */
} op_cases[] = {
#define NUMBER_none 0
#define NUMBER_mask 0
#define NUMBER_u8 0
#define NUMBER_u16 0
#define NUMBER_u32 0
#define NUMBER_u64 0
#define NUMBER_s8 0
#define NUMBER_s16 0
#define NUMBER_s32 0
#define NUMBER_s64 0
#define NUMBER_f16 1
#define NUMBER_f32 1
#define NUMBER_f64 1
#define CASE(name, dst, a, b, c)                                                                            \
    {VM_OP_##name, {SIZE_##dst, SIZE_##a, SIZE_##b, SIZE_##c}, {0, NUMBER_##a, NUMBER_##b, NUMBER_##c}},
#define OP1(name, dst, a, expression) CASE(name, dst, a, none, none)
#define OP2(name, dst, a, b, expression) CASE(name, dst, a, b, none)
#define OP3(name, dst, a, b, c, expression) CASE(name, dst, a, b, c)
#define SPECIAL(...)
#include "reference/vm/ops.def"
};
/* clang-format on */
enum { OP_CASE_COUNT = sizeof op_cases / sizeof op_cases[0] };

/* ---- operands, from integers alone ---- */

static uint64_t random_state;
static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Floating point of either sign, from 2^-8 to 2^8: where functions are not flat. */
static uint64_t moderate_number(uint32_t size)
{
    const uint64_t sign = random_bits() & 1;
    const uint64_t exponent = random_bits() % 16;
    const uint64_t fraction = random_bits();
    switch (size) {
    case 2:
        return sign << 15 | (15 - 8 + exponent) << 10 | (fraction & 0x3ff);
    case 4:
        return sign << 31 | (127 - 8 + exponent) << 23 | (fraction & 0x7fffff);
    default:
        return sign << 63 | (1023 - 8 + exponent) << 52 | (fraction & UINT64_C(0xfffffffffffff));
    }
}

/* Zeros, ones, infinities, NaN and the ends of the ranges, give or take 3; and their likes among
 * integers. */
static uint64_t edge(uint32_t size, bool is_number)
{
    static const uint64_t halves[] = {0, 0x3c00, 0x3800, 0x7c00, 0x7e00, 0x0400, 0x4248};
    static const uint64_t floats[] = {0,          0x3f800000, 0x3f000000, 0x7f800000,
                                      0x7fc00000, 0x00800000, 0x40490fdb};
    static const uint64_t doubles[] = {0,
                                       0x3ff0000000000000,
                                       0x3fe0000000000000,
                                       0x7ff0000000000000,
                                       0x7ff8000000000000,
                                       0x0010000000000000,
                                       0x400921fb54442d18};
    const uint64_t sign = random_bits() << (size * 8 - 1);
    const uint64_t from = random_bits() % 7 - 3;
    const size_t pick = random_bits() % 7;
    if (!is_number)
        return (pick < 4 ? 0 : sign) + from;
    return sign ^ ((size == 2 ? halves : size == 4 ? floats : doubles)[pick] + from);
}

/* One call a statement: the order of two in an expression is the compiler's. */
static uint64_t short_bits(void)
{
    const uint64_t bits = random_bits();
    return bits >> random_bits() % 64;
}

static uint64_t operand(uint32_t size, bool is_number)
{
    switch (random_bits() % 4) {
    case 0:
        return random_bits();
    case 1:
        return edge(size, is_number);
    default:
        return is_number ? moderate_number(size) : short_bits();
    }
}

/* ---- digests ---- */

static uint64_t digest_of(const struct op_case *op, uint64_t rounds)
{
    static struct single single;
    vm_row rows[4] = {0};
    const uint32_t result_size = op->sizes[0] == SIZE_mask ? VM_UNIT_SIZE : op->sizes[0] * VM_LANES;
    uint64_t digest = 0;
    random_state = 0x9e3779b97f4a7c15;
    for (uint64_t round = 0; round < rounds; round++) {
        single_init(&single);
        for (uint32_t i = 0; i < 4; i++) {
            if (op->sizes[i] == SIZE_none)
                continue;
            rows[i] = op->sizes[i] == SIZE_mask ? as_unit(&single.as)
                                                : as_row(&single.as, op->sizes[i], 1);
            for (uint32_t lane = 0; lane < VM_LANES && i > 0; lane++) {
                const uint64_t value = operand(op->sizes[i], op->is_number[i]);
                memcpy(single_row(&single, rows[i]) + lane * op->sizes[i], &value, op->sizes[i]);
            }
        }
        single_execute(
            &single,
            (struct vm_instruction){
                .op = (uint16_t)op->op, .dst = rows[0], .a = rows[1], .b = rows[2], .c = rows[3]},
            ~UINT64_C(0));
        digest = XXH3_64bits_withSeed(single_row(&single, rows[0]), result_size, digest);
    }
    return digest;
}

static void append_line(struct text *text, const struct op_case *op, uint64_t rounds)
{
    text_format(text, "%016llx %s\n", (unsigned long long)digest_of(op, rounds),
                vm_op_name(op->op));
}

static void every_op_gives_the_same_bits_in_every_machine(void **state)
{
    (void)state;
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(file_read(CLERK_TEST_BITS, 1 << 20, &bytes, &size, NULL), STATUS_OK);
    struct text others = TEXT_INIT;
    for (size_t machine = 0; vm_machine_name(machine); machine++) {
        if (!vm_machine_select(vm_machine_name(machine)))
            continue;
        const char *want = bytes;
        const char *const end = want + size;
        for (size_t i = 0; i < OP_CASE_COUNT; i++) {
            struct text got = TEXT_INIT;
            append_line(&got, &op_cases[i], TEST_ROUNDS);
            if ((size_t)(end - want) < got.size || memcmp(want, got.bytes, got.size) != 0)
                text_format(&others, "\n%s: %s", vm_machine_name(machine), got.bytes);
            const char *const line_end = memchr(want, '\n', (size_t)(end - want));
            want = line_end ? line_end + 1 : end;
            text_release(&got);
        }
        assert_ptr_equal(want, end);
    }
    if (others.size > 0)
        fail_msg("%s", others.bytes);
    text_release(&others);
    alloc_free(bytes);
    assert_true(vm_machine_select("base"));
}

int main(int argument_count, char **arguments)
{
    if (argument_count > 1) {
        struct text text = TEXT_INIT;
        for (size_t i = 0; i < OP_CASE_COUNT; i++)
            append_line(&text, &op_cases[i], strtoull(arguments[1], NULL, 10));
        fputs(text.bytes, stdout);
        text_release(&text);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_gives_the_same_bits_in_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
