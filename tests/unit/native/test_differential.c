/* Generated lane code by the interpreter and by native code: the same memory, the same events for
 * the observer, the same number of operations. Skipped where there is no clang.
 *
 *     test_native_differential [FIRST-SEED [COUNT]]
 */
#include "reference/native/native.h"
#include "reference/native/op_text.h"
#include "reference/vm/exec.h"
#include "reference/vm/shape.h"
#include "tests/unit/vm/bench.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 100, WORDS = 256, ROWS = 4, KINDS = 9, OPS_MAX = 1024 };

/* Kinds of rows: varying of 1, 2, 4 and 8 bytes, masks, uniform and affine of 4 and 8 bytes. */
enum {
    KIND_8,
    KIND_16,
    KIND_32,
    KIND_64,
    KIND_MASK,
    KIND_UNIFORM_32,
    KIND_UNIFORM_64,
    KIND_AFFINE_32,
    KIND_AFFINE_64
};

static uint64_t seed;
static uint64_t random_below(uint64_t count)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % count;
}

static unsigned long first_seed = 1, seed_count = 4;
static struct bench bench;
static vm_row rows[KINDS][ROWS];
static enum vm_op ops[OPS_MAX];
static size_t op_count;

/* The kind of an operand, -1 for none, -2 for one that is not generated. */
static int operand_kind(enum vm_op op, int index)
{
    const struct vm_op_form *form = vm_op_form(op);
    const struct vm_operand_form *operand = &form->operands[index];
    if (operand->kind == VM_OPERAND_NONE)
        return -1;
    if (operand->kind != VM_OPERAND_ROW || operand->count != 1)
        return -2;
    if (operand->width == 0)
        return KIND_MASK;
    const bool uniform = form->uniform || operand->uniform;
    const bool affine = form->affine || operand->affine;
    switch (operand->width) {
    case 1:
        return uniform || affine ? -2 : KIND_8;
    case 2:
        return uniform || affine ? -2 : KIND_16;
    case 4:
        return uniform ? KIND_UNIFORM_32 : affine ? KIND_AFFINE_32 : KIND_32;
    case 8:
        return uniform ? KIND_UNIFORM_64 : affine ? KIND_AFFINE_64 : KIND_64;
    default:
        return -2;
    }
}

/* Named ops that compute or move, beside the rows of expressions. */
static bool is_named(enum vm_op op)
{
    const uint32_t traits = vm_op_traits(op);
    const char *name = vm_op_name(op);
    return (traits & (VM_MEMORY | VM_EFFECT | VM_SIZED | VM_ENDS_BLOCK | VM_SUB_GROUP)) == 0 &&
           (strncmp(name, "mov_", 4) == 0 || strncmp(name, "set_", 4) == 0 ||
            strncmp(name, "mask_", 5) == 0 || strncmp(name, "select_", 7) == 0 ||
            strncmp(name, "splat_", 6) == 0);
}

static void find_ops(void)
{
    const struct native_set set = {.name = "v4", .rounds = true};
    for (int op = 0; op < VM_OP_COUNT; op++) {
        bool fits = native_op_find(&set, (enum vm_op)op) || is_named((enum vm_op)op);
        for (int i = 0; i < VM_OPERAND_COUNT; i++)
            fits &= operand_kind((enum vm_op)op, i) != -2;
        if (fits)
            ops[op_count++] = (enum vm_op)op;
    }
}

static vm_row any(int kind)
{
    return rows[kind][random_below(ROWS)];
}

/* Affine ops are one in ten of all: they are taken more often. The elements of what they give are
 * read, too. */
static enum vm_op any_op(void)
{
    const bool affine = random_below(3) == 0;
    for (;;) {
        const enum vm_op op = ops[random_below(op_count)];
        if (!affine || vm_op_form(op)->affine || vm_op_form(op)->operands[VM_OPERAND_DST].affine)
            return op;
    }
}

/* The same for all lanes. */
static vm_row uniform_mask(struct assembler *as)
{
    const vm_row mask = as_unit(as);
    as_op(as, VM_OP_ult_64_u, mask, any(KIND_UNIFORM_64), any(KIND_UNIFORM_64), 0);
    return mask;
}

static void emit_random(struct assembler *as)
{
    const enum vm_op op = any_op();
    uint32_t operands[VM_OPERAND_COUNT] = {0};
    for (int i = 0; i < VM_OPERAND_COUNT; i++) {
        const int kind = operand_kind(op, i);
        const bool elements = i > 0 && random_below(4) == 0;
        if (kind >= 0)
            operands[i] = any(elements && kind == KIND_32   ? KIND_AFFINE_32
                              : elements && kind == KIND_64 ? KIND_AFFINE_64
                                                            : kind);
    }
    if (op == VM_OP_select_u)
        operands[3] = uniform_mask(as);
    const bool gives =
        operand_kind(op, 0) == KIND_AFFINE_32 || operand_kind(op, 0) == KIND_AFFINE_64;
    as_emit(as, (struct vm_instruction){.op = (uint16_t)op,
                                        .dst = operands[0],
                                        .a = operands[1],
                                        .b = operands[2],
                                        .c = operands[3],
                                        .aux = gives ? VM_AFFINE_ROW : 0});
}

/* Functions are computed in active lanes only. */
static void emit_function(struct assembler *as)
{
    const vm_row result = as_row(as, 4, 1);
    as_op(as, random_below(2) ? VM_OP_exp_f32 : VM_OP_fract_f32, result, any(KIND_32), 0, 0);
    as_op(as, VM_OP_set_32, any(KIND_32), result, 0, 0);
}

static const uint32_t widths[] = {[KIND_8] = 1, [KIND_16] = 2, [KIND_32] = 4, [KIND_64] = 8};

static void emit_undefine(struct assembler *as)
{
    as_emit(as, (struct vm_instruction){
                    .op = VM_OP_undefine, .dst = any(KIND_32), .width = 4, .count = 1});
}

static void emit_load(struct assembler *as, vm_row buffer)
{
    const vm_row index = as_row(as, 8, 1);
    const vm_row mask = as_constant(as, 4, false, random_below(8) ? WORDS - 1 : 2 * WORDS - 1);
    const vm_row bits = as_row(as, 4, 1);
    as_op(as, VM_OP_iand_32, bits, any(KIND_32), mask, 0);
    as_op(as, VM_OP_zext_32_64, index, bits, 0, 0);
    const vm_row loaded = as_load(as, as_address(as, buffer, index, 4), 4, 1);
    as_op(as, VM_OP_set_32, any(KIND_32), loaded, 0, 0);
}

static vm_row affine_row(struct assembler *as, uint32_t width)
{
    as_unit(as); /* of its terms */
    return as_row(as, width, 1);
}

static vm_row splat_affine(struct assembler *as, vm_row uniform)
{
    const vm_row row = affine_row(as, 8);
    as_op(as, VM_OP_splat_64_a, row, uniform, 0, 0);
    return row;
}

/* The affine address of element id * a + b of the buffer: of few that do not lie in it. */
static vm_row emit_affine_address(struct assembler *as, vm_row buffer, vm_row id, int32_t width)
{
    static const uint64_t steps[] = {0, 1, 1, 1, 2, 3, UINT64_MAX, 65};
    const vm_row step = as_constant(as, 8, true, steps[random_below(8)]);
    const vm_row start = as_constant(as, 8, true, random_below(4) ? random_below(100) : 100);
    const vm_row index = affine_row(as, 8), address = affine_row(as, 8);
    as_op(as, VM_OP_imul_64_a, index, id, splat_affine(as, step), 0);
    as_op(as, VM_OP_iadd_64_a, index, index, splat_affine(as, start), 0);
    as_op(as, VM_OP_index_64_a, address, splat_affine(as, buffer), index, (uint32_t)width);
    return address;
}

static void emit_access(struct assembler *as, vm_row buffer, vm_row id)
{
    static const int load_kinds[] = {KIND_8, KIND_16, KIND_32, KIND_32, KIND_32, KIND_64};
    const uint64_t what = random_below(4);
    const uint8_t count = (uint8_t)(1 + random_below(2));
    const vm_row loaded = as_row(as, 4, count);
    if (what == 0) {
        const vm_row offset = as_constant(as, 8, true, 4 * random_below(WORDS + 8));
        const vm_row address = as_unit(as), value = as_unit(as);
        as_op(as, VM_OP_iadd_64_u, address, buffer, offset, 0);
        as_emit(as, (struct vm_instruction){
                        .op = VM_OP_load_u, .dst = value, .a = address, .width = 4, .count = 1});
        as_op(as, VM_OP_splat_32, any(KIND_32), value, 0, 0);
    } else if (what < 3) {
        static const enum vm_op sets[] = {[KIND_8] = VM_OP_set_8,
                                          [KIND_16] = VM_OP_set_16,
                                          [KIND_32] = VM_OP_set_32,
                                          [KIND_64] = VM_OP_set_64};
        const int kind = load_kinds[random_below(6)];
        const uint32_t width = widths[kind];
        const vm_row row = as_row(as, width, count);
        as_emit(as,
                (struct vm_instruction){.op = VM_OP_load_a,
                                        .dst = row,
                                        .a = emit_affine_address(as, buffer, id, (int32_t)width),
                                        .width = (uint8_t)width,
                                        .count = count,
                                        .aux = (uint32_t)__builtin_ctz(width)});
        as_op(as, sets[kind], any(kind), row + width * (count - 1), 0, 0);
    } else {
        for (uint8_t i = 0; i < count; i++)
            as_op(as, VM_OP_mov_32, loaded + 4 * i, any(KIND_32), 0, 0);
        as_emit(as, (struct vm_instruction){.op = VM_OP_store_a,
                                            .a = emit_affine_address(as, buffer, id, 4),
                                            .b = loaded,
                                            .width = 4,
                                            .count = count,
                                            .aux = 2});
    }
}

/* Every other one is mostly of accesses, without what keeps stretches from loading. */
static void emit_some(struct assembler *as, vm_row buffer, vm_row id)
{
    const uint64_t count = 3 + random_below(12);
    const bool loads = random_below(2) == 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t what = loads ? 3 + random_below(12) : random_below(40);
        if (what == 0)
            emit_undefine(as);
        else if (what == 8)
            emit_function(as);
        else if (what < 3 && as->code.constant_count < 60)
            emit_load(as, buffer);
        else if (what < 8 && as->code.constant_count < 60)
            emit_access(as, buffer, id);
        else
            emit_random(as);
    }
}

/* What each work-item starts with: its ids, and numbers of the buffer. */
static void emit_start(struct assembler *as, vm_row buffer, vm_row id)
{
    for (int i = 0; i < ROWS; i++) {
        const vm_row number = as_constant(as, 8, false, random_below(WORDS));
        const vm_row index = as_row(as, 8, 1);
        const vm_row wrap = as_constant(as, 8, false, WORDS - 1);
        as_op(as, VM_OP_iadd_64, index, number, id, 0);
        as_op(as, VM_OP_iand_64, index, index, wrap, 0);
        const vm_row loaded = as_load(as, as_address(as, buffer, index, 4), 4, 1);
        as_op(as, VM_OP_set_32, rows[KIND_32][i], loaded, 0, 0);
        const vm_row wide = as_row(as, 8, 1);
        as_op(as, VM_OP_imul_64, wide, id, as_constant(as, 8, false, random_below(1 << 20)), 0);
        as_op(as, VM_OP_set_64, rows[KIND_64][i], wide, 0, 0);
        const vm_row small = as_row(as, 1, 1), narrow = as_row(as, 2, 1);
        as_op(as, VM_OP_trunc_32_8, small, loaded, 0, 0);
        as_op(as, VM_OP_trunc_32_16, narrow, loaded, 0, 0);
        as_op(as, VM_OP_set_8, rows[KIND_8][i], small, 0, 0);
        as_op(as, VM_OP_set_16, rows[KIND_16][i], narrow, 0, 0);
        const vm_row mask = as_unit(as);
        as_op(as, VM_OP_ult_64, mask, wide, as_constant(as, 8, false, random_below(1 << 24)), 0);
        as_op(as, VM_OP_set_mask, rows[KIND_MASK][i], mask, 0, 0);
        as_emit(as, (struct vm_instruction){.op = VM_OP_mov_64_a,
                                            .dst = rows[KIND_AFFINE_64][i],
                                            .a = id,
                                            .aux = VM_AFFINE_ROW});
        as_emit(as, (struct vm_instruction){.op = VM_OP_trunc_64_32_a,
                                            .dst = rows[KIND_AFFINE_32][i],
                                            .a = id,
                                            .aux = VM_AFFINE_ROW});
        as_op(as, VM_OP_mov_u, rows[KIND_UNIFORM_32][i],
              as_constant(as, 4, true, random_below(UINT32_MAX)), 0, 0);
        as_op(as, VM_OP_mov_u, rows[KIND_UNIFORM_64][i],
              as_constant(as, 8, true, random_below(1000)), 0, 0);
    }
}

static void emit_end(struct assembler *as, vm_row out, vm_row id)
{
    for (int i = 0; i < ROWS; i++) {
        as_store(as, as_address(as, out, id, 4), rows[KIND_32][i], 4, 1);
        const vm_row narrow = as_row(as, 4, 1);
        as_op(as, VM_OP_trunc_64_32, narrow, rows[KIND_64][i], 0, 0);
        const vm_row sum = as_row(as, 4, 1);
        as_op(as, VM_OP_select_32, sum, narrow, rows[KIND_32][i], rows[KIND_MASK][i]);
        const vm_row wide = as_row(as, 4, 1);
        as_op(as, VM_OP_zext_16_32, wide, rows[KIND_16][i], 0, 0);
        as_op(as, VM_OP_ixor_32, sum, sum, wide, 0);
        as_op(as, VM_OP_zext_8_32, wide, rows[KIND_8][i], 0, 0);
        as_op(as, VM_OP_iadd_32, sum, sum, wide, 0);
        as_op(as, VM_OP_splat_32, wide, rows[KIND_UNIFORM_32][i], 0, 0);
        as_op(as, VM_OP_ixor_32, sum, sum, wide, 0);
        as_op(as, VM_OP_splat_32, wide, rows[KIND_UNIFORM_64][i], 0, 0);
        as_op(as, VM_OP_iadd_32, sum, sum, wide, 0);
        as_op(as, VM_OP_iadd_32, sum, sum, rows[KIND_AFFINE_32][i], 0);
        as_op(as, VM_OP_trunc_64_32, narrow, rows[KIND_AFFINE_64][i], 0, 0);
        as_op(as, VM_OP_ixor_32, sum, sum, narrow, 0);
        const vm_row index = as_row(as, 8, 1);
        as_op(as, VM_OP_iadd_64, index, id, as_constant(as, 8, false, (uint64_t)(i + 1) * ITEMS),
              0);
        as_store(as, as_address(as, out, index, 4), sum, 4, 1);
    }
}

static void make_rows(struct assembler *as)
{
    for (int i = 0; i < ROWS; i++) {
        for (int kind = KIND_8; kind < KIND_MASK; kind++)
            rows[kind][i] = as_row(as, widths[kind], 1);
        for (int kind = KIND_MASK; kind < KIND_AFFINE_32; kind++)
            rows[kind][i] = as_unit(as);
        rows[KIND_AFFINE_32][i] = affine_row(as, 4);
        rows[KIND_AFFINE_64][i] = affine_row(as, 8);
    }
}

/* A loop with an if in it: b0 to b1; b1 to b2 or b3; b2, b3 to b4; b4 to b1 or b5. */
static void make_code(struct assembler *as)
{
    const vm_row in = as_buffer(as, "in"), out = as_buffer(as, "out");
    const vm_row second = as_buffer(as, "second"); /* the host wrote a part of it */
    const vm_row id = affine_row(as, 8);
    as->code.query_rows[VM_QUERY_GLOBAL_ID][0] = id;
    as->code.query_forms[VM_QUERY_GLOBAL_ID][0] = VM_QUERY_BOTH;
    const vm_row round = as_row(as, 8, 1), next = as_row(as, 8, 1), limit = as_row(as, 8, 1);
    const vm_row again = as_unit(as);
    make_rows(as);
    as_block(as);
    emit_start(as, in, id);
    as_op(as, VM_OP_set_64, round, as_constant(as, 8, false, 0), 0, 0);
    as_op(as, VM_OP_iand_64, limit, id, as_constant(as, 8, false, 7), 0);
    as_op(as, VM_OP_set_64, limit, limit, 0, 0);
    as_branch(as, 1);
    as_block(as);
    emit_some(as, in, id);
    as_branch_if(as, any(KIND_MASK), 2, 3);
    for (int i = 0; i < 2; i++) {
        as_block(as);
        emit_some(as, second, id);
        as_branch(as, 4);
    }
    as_block(as);
    emit_some(as, second, id);
    as_op(as, VM_OP_iadd_64, next, round, as_constant(as, 8, false, 1), 0);
    as_op(as, VM_OP_set_64, round, next, 0, 0);
    as_op(as, VM_OP_ult_64, again, round, limit, 0);
    as_branch_if(as, again, 1, 5);
    as_block(as);
    emit_end(as, out, id);
    as_return(as);
}

struct outcome {
    uint32_t words[ITEMS * (ROWS + 1)], in[WORDS], second[WORDS];
    char *log;
    uint64_t operations;
    bool exhausted;
    enum sched_course course;
};

/* How it is run. */
struct setup {
    enum native_mode mode;
    uint64_t limit;
    uint32_t groups;  /* in the first dimension; 0 = one, as large as the NDRange */
    uint32_t workers; /* 0 = it is watched by an observer, but for some seeds */
};

/* Groups of two dimensions have runs; whether they are of a power of two depends on the seed. */
static void run(uint64_t with, const struct setup *setup, struct outcome *outcome)
{
    static const uint64_t group_widths[] = {ITEMS, 16, 64, 25};
    uint32_t words[WORDS];
    struct assembler *as = &bench.as;
    seed = with * UINT64_C(0x9E3779B97F4A7C15);
    bench_create(&bench);
    make_code(as);
    for (int i = 0; i < WORDS; i++)
        words[i] = random_below(4)
                       ? (uint32_t)random_below(UINT32_MAX)
                       : (uint32_t[]){0,          1, 0x7FC12345, 0xFF800000,
                                      0x80000000, 2, 0x3F800000, 0x7F800001}[random_below(8)];
    bench.arguments[0].object = bench_buffer(&bench, "in", sizeof words, true);
    bench.arguments[1].object = bench_buffer(&bench, "out", sizeof outcome->words, true);
    vm_memory_write(bench.memory, bench.arguments[0].object, 0, words, sizeof words);
    bench.arguments[2].object = bench_buffer(&bench, "second", sizeof words, false);
    vm_memory_write(bench.memory, bench.arguments[2].object, 0, words,
                    sizeof words / (1 + with % 3));
    native_set_mode(setup->mode);
    as->code.native = native_source_create(&as->code);
    assert_non_null(as->code.native);
    bench.launch.operation_limit = setup->limit;
    bench.launch.observer = with % 3 == 1 || setup->workers > 0 ? NULL : &bench.observer;
    bench.launch.workers = setup->workers;
    bench.launch.shuffle_workers = setup->workers > 1 ? 1 + (uint32_t)with : 0;
    bench.launch.dimensions = 2;
    bench.launch.global_size[1] = bench.launch.local_size[1] = with % 2 == 0 ? 2 : 8;
    bench_run(&bench, group_widths[with % 4],
              group_widths[with % 4] / (setup->groups ? setup->groups : 1));
    uint64_t next;
    assert_true((as->code.native->get(as->code.native, 0, &next) != NULL) ==
                (setup->mode == NATIVE_ALWAYS));
    as->code.native->destroy(as->code.native);
    vm_memory_read(bench.memory, bench.arguments[1].object, 0, outcome->words,
                   sizeof outcome->words);
    vm_memory_read(bench.memory, bench.arguments[0].object, 0, outcome->in, sizeof outcome->in);
    vm_memory_read(bench.memory, bench.arguments[2].object, 0, outcome->second,
                   sizeof outcome->second);
    outcome->log = alloc_string(bench.log.bytes);
    outcome->operations = bench.result.operation_count;
    outcome->exhausted = bench.result.exhausted;
    outcome->course = bench.result.course;
    bench_destroy(&bench);
}

static void assert_same(uint64_t with, const struct outcome *a, const struct outcome *b)
{
    if (memcmp(a->words, b->words, sizeof a->words) != 0 || strcmp(a->log, b->log) != 0)
        fprintf(stderr, "seed %llu, %s\n", (unsigned long long)with, vm_machine_selected());
    assert_string_equal(a->log, b->log);
    assert_memory_equal(a->words, b->words, sizeof a->words);
    assert_memory_equal(a->in, b->in, sizeof a->in);
    assert_memory_equal(a->second, b->second, sizeof a->second);
    assert_int_equal(a->operations, b->operations);
    assert_int_equal(a->exhausted, b->exhausted);
}

static void compare(uint64_t with, uint64_t limit)
{
    static struct outcome interpreted, native;
    run(with, &(struct setup){.mode = NATIVE_OFF, .limit = limit}, &interpreted);
    run(with, &(struct setup){.mode = NATIVE_ALWAYS, .limit = limit}, &native);
    assert_same(with, &interpreted, &native);
    alloc_free(interpreted.log);
    alloc_free(native.log);
}

static void test_same_on_each_set(void **state)
{
    (void)state;
    for (size_t i = 0; vm_machine_name(i); i++) {
        if (!vm_machine_select(vm_machine_name(i)))
            continue;
        for (unsigned long k = 0; k < seed_count; k++)
            compare(first_seed + k, 0);
    }
}

/* The limit is passed at every possible block of the first vector. */
static void test_same_limit(void **state)
{
    (void)state;
    for (uint64_t limit = 50; limit < 400; limit += 7)
        compare(first_seed, limit);
}

/* Some seeds have groups that meet, and some have not. */
static void test_same_among_workers(void **state)
{
    static struct outcome alone, divided;
    uint32_t courses[SCHED_UNDONE + 1] = {0};
    (void)state;
    for (unsigned long k = 0; k < 4 * seed_count; k++) {
        struct setup setup = {.mode = NATIVE_OFF, .groups = 4, .workers = 1};
        run(first_seed + k, &setup, &alone);
        for (uint32_t i = 0; i < 4; i++) {
            setup.mode = i % 2 == 0 ? NATIVE_ALWAYS : NATIVE_OFF;
            setup.workers = i < 2 ? 2 : 4;
            run(first_seed + k, &setup, &divided);
            assert_same(first_seed + k, &alone, &divided);
            courses[divided.course]++;
            alloc_free(divided.log);
        }
        alloc_free(alone.log);
    }
    assert_int_equal(courses[SCHED_ALONE], 0);
    assert_true(seed_count < 4 || (courses[SCHED_DIVIDED] > 0 && courses[SCHED_UNDONE] > 0));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_on_each_set),
        cmocka_unit_test(test_same_limit),
        cmocka_unit_test(test_same_among_workers),
    };
    struct text sentence = TEXT_INIT;
    struct scratch cache = {0};
    if (argc > 1)
        first_seed = strtoul(argv[1], NULL, 10);
    if (argc > 2)
        seed_count = strtoul(argv[2], NULL, 10);
    if (scratch_make_directory(&cache, NULL) != STATUS_OK)
        return 1;
    setenv("CLERK_CACHE", cache.path, 1);
    int failed = 77;
    if (native_try(&sentence)) {
        find_ops();
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    } else {
        printf("skipped: %s\n", sentence.bytes);
    }
    scratch_release(&cache);
    text_release(&sentence);
    return failed;
}
