/* Affine rows: each op on them against its varying form, and kernels lowered with and without such
 * rows. Memory, what the observer is told and the count of operations must be equal, in every
 * machine. */
#include "reference/vm/affine.h"
#include "reference/vm/bits.h"
#include "reference/vm/shape.h"
#include "tests/unit/vm/kernel_run.h"
#include "tests/unit/vm/single.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

static uint64_t random_state = 1;
static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* ---- one op ---- */

struct operand {
    vm_row row; /* after its terms */
    uint32_t width;
    bool holds;
    uint64_t elements[VM_LANES];
    uint64_t undefined;
};

/* Small numbers, which ids and sizes are, and those next to where a number of the width wraps. */
static uint64_t random_term(uint32_t width)
{
    const uint64_t small = random_bits() % 200;
    const uint64_t edge = UINT64_C(1) << (8 * width - 1);
    switch (random_bits() % 8) {
    case 0:
        return random_bits();
    case 1:
        return edge - small;
    case 2:
        return 0 - small;
    case 3:
        return 0;
    case 4:
        return small * 64;
    default:
        return small;
    }
}

static struct operand make_operand(struct single *single, uint32_t width)
{
    const uint64_t low = bits_low(8 * width);
    struct vm_affine terms = {.base = random_term(width) & low};
    struct operand made = {.width = width, .holds = random_bits() % 8 != 0};
    if (random_bits() % 3 != 0) {
        terms.step = random_term(width) & low;
        terms.jump = random_term(width) & low;
    }
    as_unit(&single->as);
    made.row = as_row(&single->as, width, 1);
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        made.elements[lane] =
            low & (made.holds ? affine_element(&single->vector, &terms, lane) : random_bits());
    if (!made.holds && random_bits() % 2 != 0)
        made.undefined = random_bits();
    terms.form = made.holds ? VM_AFFINE_TERMS : VM_AFFINE_NO;
    memcpy(single_row(single, made.row - 1), &terms, sizeof terms);
    return made;
}

/* Both forms find the operands anew, as rows of elements. */
static void put_elements(struct single *single, const struct operand *operand, bool all)
{
    single->undefined[operand->row] = operand->undefined;
    for (uint32_t lane = 0; lane < VM_LANES && (all || !operand->holds); lane++)
        lane_put(single_row(single, operand->row) + lane * operand->width, operand->width,
                 operand->elements[lane]);
}

struct result {
    uint64_t elements[VM_LANES], undefined;
};

static struct result get_result(struct single *single, vm_row row, uint32_t width, bool is_affine)
{
    struct vm_affine terms;
    struct result result = {.undefined = single->undefined[row]};
    memcpy(&terms, single_row(single, row - 1), sizeof terms);
    const bool holds = is_affine && terms.form != VM_AFFINE_NO;
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        const uint64_t element = width == 0
                                     ? lane_get(single_row(single, row), 8) >> lane & 1
                                     : lane_get(single_row(single, row) + lane * width, width);
        result.elements[lane] =
            holds ? affine_element(&single->vector, &terms, lane) & bits_low(8 * width) : element;
        if (holds && terms.form == VM_AFFINE_BOTH)
            assert_int_equal(element, result.elements[lane]);
    }
    if (holds)
        assert_int_equal(result.undefined, 0);
    return result;
}

/* Says whether the terms of the result hold. */
static bool check_op(enum vm_op op)
{
    static struct single single;
    const enum vm_op affine_op = vm_affine_op(op);
    const struct vm_op_form *form = vm_op_form(op);
    const uint32_t width = form->operands[VM_OPERAND_DST].width;
    const uint64_t mask = random_bits() % 2 ? ~UINT64_C(0) : random_bits() | 1;
    struct vm_instruction in = {.op = (uint16_t)op};
    struct operand operands[2];
    uint32_t count = 0;
    single_init(&single);
    single.vector.run_shift = 1 + (uint32_t)(random_bits() % 6);
    for (; count < 2 && form->operands[VM_OPERAND_A + count].kind == VM_OPERAND_ROW; count++)
        operands[count] = make_operand(&single, form->operands[VM_OPERAND_A + count].width);
    as_unit(&single.as);
    in.dst = as_row(&single.as, width ? width : 1, 1);
    in.a = operands[0].row;
    in.b = count > 1 ? operands[1].row : 0;
    in.c = op == VM_OP_index_64 ? (uint32_t)random_bits() : 0;
    for (uint32_t i = 0; i < count; i++)
        put_elements(&single, &operands[i], true);
    single_execute(&single, in, mask);
    const struct result want = get_result(&single, in.dst, width, false);

    struct vm_affine terms[2];
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&terms[i], single_row(&single, operands[i].row - 1), sizeof terms[i]);
        memset(single_row(&single, operands[i].row), 0xA5, (size_t)VM_LANES * operands[i].width);
        put_elements(&single, &operands[i], form->operands[VM_OPERAND_A + i].uniform);
    }
    memset(single_row(&single, in.dst), 0x5A, VM_LANES * (size_t)(width ? width : 1));
    single.undefined[in.dst] = 0;
    in.op = (uint16_t)affine_op;
    in.aux = random_bits() % 2 ? VM_AFFINE_ROW : 0;
    single.as.blocks[0] = (struct vm_block){0};
    single.as.code.block_count = 0;
    single.as.code.instruction_count = 0;
    single_execute(&single, in, mask);
    const struct result got = get_result(&single, in.dst, width, width != 0);
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        if (mask >> lane & 1 && (got.elements[lane] != want.elements[lane]))
            fail_msg("%s: lane %u has %llx, not %llx", vm_op_name(affine_op), lane,
                     (unsigned long long)got.elements[lane],
                     (unsigned long long)want.elements[lane]);
    }
    if ((got.undefined ^ want.undefined) & mask)
        fail_msg("%s: undefined in %llx, not %llx", vm_op_name(affine_op),
                 (unsigned long long)got.undefined, (unsigned long long)want.undefined);
    struct vm_affine made;
    memcpy(&made, single_row(&single, in.dst - 1), sizeof made);
    return width != 0 && made.form != VM_AFFINE_NO;
}

static void every_affine_op_gives_what_its_varying_form_gives(void **state)
{
    (void)state;
    uint32_t checked = 0;
    for (size_t m = 0; vm_machine_name(m); m++) {
        if (!vm_machine_select(vm_machine_name(m)))
            continue;
        for (uint32_t op = 0; op < VM_OP_COUNT; op++) {
            if (!(vm_op_traits((enum vm_op)op) & VM_AFFINE) ||
                vm_op_traits((enum vm_op)op) & VM_MEMORY)
                continue;
            uint32_t held = 0;
            for (uint32_t trial = 0; trial < 500; trial++)
                held += check_op((enum vm_op)op);
            /* Neither way is never taken. */
            if (vm_op_form((enum vm_op)op)->operands[VM_OPERAND_DST].width != 0 &&
                (held == 0 || held == 500))
                fail_msg("%s: %u of 500 results have terms", vm_op_name((enum vm_op)op), held);
            checked++;
        }
    }
    assert_true(checked > 0);
}

/* ---- kernels ---- */

enum { OUT_SIZE = 1 << 16, IN_COUNT = 256 };

struct outcome {
    uint8_t out[OUT_SIZE];
    struct text log;
    uint64_t operation_count;
};

struct launch_values {
    uint32_t size, d;
    int32_t a, b;
    int64_t c;
    uint32_t in[IN_COUNT];
    uint64_t global[3], local[3];
    bool observed;
};

static struct launch_values random_values(void)
{
    static const uint64_t widths[] = {64, 16, 8, 4, 2, 1, 10, 32, 100, 128, 48};
    struct launch_values values = {.size = IN_COUNT,
                                   .a = (int32_t)random_term(4),
                                   .b = (int32_t)random_term(4),
                                   .c = (int64_t)(random_bits() % 400) - 100,
                                   .d = (uint32_t)random_term(4),
                                   .observed = random_bits() % 4 != 0};
    if (random_bits() % 2) {
        values.a = (int32_t)(random_bits() % 9) - 4;
        values.b = (int32_t)(random_bits() % 9) - 4;
        values.d = (uint32_t)(random_bits() % 5);
    }
    for (uint32_t i = 0; i < IN_COUNT; i++)
        values.in[i] = (uint32_t)random_bits();
    values.local[0] = widths[random_bits() % 11];
    values.local[1] = values.local[0] > 32 ? 1 : 1 + random_bits() % 9;
    values.local[2] = values.local[0] * values.local[1] > 100 ? 1 : 1 + random_bits() % 2;
    for (uint32_t d = 0; d < 3; d++)
        values.global[d] = values.local[d] * (1 + random_bits() % 3) -
                           (random_bits() % 3 == 0 ? random_bits() % values.local[d] : 0);
    return values;
}

/* Whatever it says, the text is known: then subscripts are tested. */
static const char *source_line(const void *program, const char *file, uint32_t line)
{
    (void)program;
    (void)file;
    (void)line;
    return "";
}

static void run_kernel(const struct spv_module *module, const char *kernel, bool no_affine,
                       const struct launch_values *values, struct outcome *outcome)
{
    const struct vm_lower_options options = {.no_affine = no_affine, .source_line = source_line};
    struct kernel_run run = {.code = NULL};
    struct error error = {0};
    struct sched_result result;
    assert_int_equal(vm_lower_kernel(module, kernel, &options, &run.code, &error), STATUS_OK);
    vm_code_check(run.code);
    assert_int_equal(vm_memory_create(&run.memory, &error), STATUS_OK);
    outcome->log = (struct text)TEXT_INIT;
    const struct observer observer = log_observer(&outcome->log);
    kernel_run_set_buffer(&run, 0, NULL, OUT_SIZE);
    kernel_run_set_buffer(&run, 1, values->in, sizeof values->in);
    run.arguments[2].bytes = &values->size;
    run.arguments[3].bytes = &values->a;
    run.arguments[4].bytes = &values->b;
    run.arguments[5].bytes = &values->c;
    run.arguments[6].bytes = &values->d;
    struct sched_launch launch = {.code = run.code,
                                  .memory = run.memory,
                                  .dimensions = 3,
                                  .arguments = run.arguments,
                                  .observer = values->observed ? &observer : NULL,
                                  .sub_group_size = 32};
    memcpy(launch.global_size, values->global, sizeof launch.global_size);
    memcpy(launch.local_size, values->local, sizeof launch.local_size);
    launch.global_offset[0] = values->size - IN_COUNT;
    if (sched_run(&launch, &result, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    kernel_run_get_buffer(&run, 0, outcome->out, OUT_SIZE);
    outcome->operation_count = result.operation_count;
    vm_memory_destroy(run.memory);
    vm_code_destroy(run.code);
}

static void compare_kernel(const struct spv_module *module, const char *kernel)
{
    static struct outcome with;
    static struct outcome without;
    const struct launch_values values = random_values();
    run_kernel(module, kernel, true, &values, &without);
    run_kernel(module, kernel, false, &values, &with);
    const bool same_log = strcmp(with.log.bytes, without.log.bytes) == 0;
    if (memcmp(with.out, without.out, OUT_SIZE) != 0 || !same_log ||
        with.operation_count != without.operation_count)
        fail_msg("%s of %llu,%llu,%llu items in groups of %llu,%llu,%llu differs: a %d b %d d %u",
                 kernel, (unsigned long long)values.global[0], (unsigned long long)values.global[1],
                 (unsigned long long)values.global[2], (unsigned long long)values.local[0],
                 (unsigned long long)values.local[1], (unsigned long long)values.local[2], values.a,
                 values.b, values.d);
    text_release(&with.log);
    text_release(&without.log);
}

static void kernels_do_the_same_with_affine_rows_and_without(void **state)
{
    static const char *const kernels[] = {"sums",     "unguarded",  "narrow",    "strided_loop",
                                          "rounds",   "left_apart", "divergent", "exchanged",
                                          "together", "undefined",  "subscripts"};
    (void)state;
    for (uint32_t level = 0; level < 2; level++) {
        struct spv_module *module = kernel_run_load(level == 0 ? "affine-O0" : "affine-O2");
        for (size_t m = 0; vm_machine_name(m); m++) {
            if (!vm_machine_select(vm_machine_name(m)))
                continue;
            for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
                for (uint32_t trial = 0; trial < 40; trial++)
                    compare_kernel(module, kernels[k]);
            }
        }
        spv_module_destroy(module);
    }
}

/* What is compared above is not the same code twice. */
static void ids_make_affine_rows_and_what_is_divergent_does_not(void **state)
{
    static const char *const kernels[] = {"sums", "strided_loop", "left_apart"};
    uint32_t loads[3] = {0};
    uint32_t sets[3] = {0};
    (void)state;
    struct spv_module *module = kernel_run_load("affine-O0");
    for (uint32_t k = 0; k < 3; k++) {
        struct vm_code *code = kernel_run_lower(module, kernels[k]);
        for (uint32_t i = 0; i < code->instruction_count; i++) {
            const enum vm_op op = (enum vm_op)code->instructions[i].op;
            loads[k] += op == VM_OP_load_a;
            sets[k] += op == VM_OP_set_32_a;
        }
        vm_code_destroy(code);
    }
    assert_int_equal(loads[0], 1);
    /* `i` is a phi, and both reads are of multiples. */
    assert_int_equal(loads[1], 2);
    assert_int_equal(sets[1], 2);
    assert_int_equal(loads[2] + sets[2], 0);
    const struct vm_lower_options options = {.source_line = source_line};
    struct vm_code *code = NULL;
    struct error error = {0};
    uint32_t subscripts = 0;
    assert_int_equal(vm_lower_kernel(module, "subscripts", &options, &code, &error), STATUS_OK);
    for (uint32_t i = 0; i < code->instruction_count; i++)
        subscripts += code->instructions[i].op == VM_OP_subscript &&
                      code->instructions[i].count & VM_SUBSCRIPT_AFFINE;
    vm_code_destroy(code);
    assert_true(subscripts > 0);
    spv_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_affine_op_gives_what_its_varying_form_gives),
        cmocka_unit_test(kernels_do_the_same_with_affine_rows_and_without),
        cmocka_unit_test(ids_make_affine_rows_and_what_is_divergent_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
