/* What a launch puts before its work-items, the order in which they run, and barriers. */
#include "tests/unit/vm/bench.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static struct bench bench;

static int setup(void **state)
{
    (void)state;
    bench_create(&bench);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    bench_destroy(&bench);
    return 0;
}

static void assert_events(const char *words, const char *want)
{
    assert_string_equal(bench_lines(&bench, words), want);
}

static uint64_t element(uint32_t object, uint64_t index)
{
    uint64_t value;
    vm_memory_read(bench.memory, object, index * 8, &value, 8);
    return value;
}

/* ---- work-item functions ---- */

/* out[global linear id of the item] = the query. */
static uint32_t run_query(enum vm_query query, uint32_t dimension, uint32_t item_count)
{
    struct assembler *as = &bench.as;
    const struct sched_launch launch = bench.launch;
    bench_destroy(&bench);
    bench_create(&bench);
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_LINEAR_ID, 0);
    const vm_row asked = as_query(as, query, dimension);
    vm_row value = asked;
    as_block(as);
    if (query > VM_QUERY_SUB_GROUP_SIZE) {
        value = as_row(as, 8, 1);
        as_op(as, VM_OP_splat_64, value, asked, 0, 0);
    }
    as_store(as, as_address(as, out, id, 8), value, 8, 1);
    as_return(as);
    struct vm_memory *memory = bench.memory;
    bench.launch = launch;
    bench.launch.memory = memory;
    bench.arguments[0].object = bench_buffer(&bench, "out", item_count * 8, false);
    bench_run(&bench, launch.global_size[0], launch.local_size[0]);
    assert_events("fault|undefined", "");
    return bench.arguments[0].object;
}

static void work_item_functions_are_right_at_uneven_edges(void **state)
{
    (void)state;
    const uint64_t global[3] = {37, 5, 3};
    const uint64_t local[3] = {16, 3, 2};
    const uint64_t offset[3] = {100, 200, 300};
    const uint32_t items = 37 * 5 * 3;
    bench.launch.dimensions = 3;
    memcpy(bench.launch.global_size, global, sizeof global);
    memcpy(bench.launch.local_size, local, sizeof local);
    memcpy(bench.launch.global_offset, offset, sizeof offset);
    for (uint32_t query = 0; query < VM_QUERY_COUNT; query++) {
        for (uint32_t d = 0;
             d < (query == VM_QUERY_GLOBAL_ID || query == VM_QUERY_LOCAL_ID ||
                          (query >= VM_QUERY_GROUP_ID && query <= VM_QUERY_GLOBAL_OFFSET)
                      ? 3
                      : 1);
             d++) {
            const uint32_t out = run_query((enum vm_query)query, d, items);
            for (uint32_t i = 0; i < items; i++) {
                const uint64_t id[3] = {i % 37, i / 37 % 5, i / 37 / 5};
                uint64_t size[3];
                uint64_t in_group[3];
                for (uint32_t k = 0; k < 3; k++) {
                    const uint64_t start = id[k] / local[k] * local[k];
                    size[k] = global[k] - start < local[k] ? global[k] - start : local[k];
                    in_group[k] = id[k] - start;
                }
                const uint64_t linear =
                    (in_group[2] * size[1] + in_group[1]) * size[0] + in_group[0];
                const uint64_t group_items = size[0] * size[1] * size[2];
                const uint64_t rest = group_items - linear / 32 * 32;
                const uint64_t wants[VM_QUERY_COUNT] = {
                    [VM_QUERY_GLOBAL_ID] = id[d] + offset[d],
                    [VM_QUERY_LOCAL_ID] = in_group[d],
                    [VM_QUERY_GLOBAL_LINEAR_ID] = i,
                    [VM_QUERY_LOCAL_LINEAR_ID] = linear,
                    [VM_QUERY_ITEM_OWNER] =
                        VM_OWNED_PRIVATE | (VM_OWNED_NUMBERS - VM_LAUNCH_OBJECT),
                    [VM_QUERY_GROUP_OWNER] = VM_OWNED_NUMBERS - VM_LAUNCH_OBJECT,
                    [VM_QUERY_SUB_GROUP_LOCAL_ID] = linear % 32,
                    [VM_QUERY_SUB_GROUP_ID] = linear / 32,
                    [VM_QUERY_SUB_GROUP_SIZE] = rest < 32 ? rest : 32,
                    [VM_QUERY_GROUP_ID] = id[d] / local[d],
                    [VM_QUERY_GLOBAL_SIZE] = global[d],
                    [VM_QUERY_LOCAL_SIZE] = size[d],
                    [VM_QUERY_ENQUEUED_LOCAL_SIZE] = local[d],
                    [VM_QUERY_GROUP_COUNT] = (global[d] + local[d] - 1) / local[d],
                    [VM_QUERY_GLOBAL_OFFSET] = offset[d],
                    [VM_QUERY_WORK_DIM] = 3,
                    [VM_QUERY_SUB_GROUP_MAX_SIZE] = 32,
                    [VM_QUERY_SUB_GROUP_COUNT] = (group_items + 31) / 32,
                    [VM_QUERY_ENQUEUED_SUB_GROUP_COUNT] = (16 * 3 * 2 + 31) / 32,
                };
                if (element(out, i) != wants[query])
                    fail_msg("query %u dimension %u item %u: %llu, not %llu", query, d, i,
                             (unsigned long long)element(out, i), (unsigned long long)wants[query]);
            }
        }
    }
}

static void arguments_reach_their_rows(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row out = as_buffer(as, "out");
    const vm_row value = as_value(as, 4, 3);
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row rows = as_row(as, 4, 3);
    as_block(as);
    for (uint32_t i = 0; i < 3; i++)
        as_op(as, VM_OP_splat_32, rows + i * 4, value + i, 0, 0);
    as_store(as, as_address(as, out, id, 12), rows, 4, 3);
    as_return(as);
    const uint32_t vector[3] = {7, 8, 9};
    bench.arguments[0].object = bench_buffer(&bench, "out", 24, false);
    bench.arguments[1].bytes = vector;
    bench_run(&bench, 2, 1);
    uint32_t got[6];
    vm_memory_read(bench.memory, bench.arguments[0].object, 0, got, sizeof got);
    assert_memory_equal(got, vector, 12);
    assert_memory_equal(got + 3, vector, 12);
}

/* A structure by value is a private variable that begins with the argument's bytes. */
static void structures_by_value_are_private_copies(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row out = as_buffer(as, "out");
    as->parameters[as->code.parameter_count++] = (struct vm_parameter){
        .kind = VM_PARAMETER_STRUCT, .name = "s", .type_name = "", .size = 16};
    const vm_row variable = as_variable(as, VM_VARIABLE_PRIVATE, "s", 16);
    as->variables[0].parameter = 1;
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row zeros = as_constant(as, 8, false, 0);
    as_block(as);
    const vm_row place = as_address(as, variable, zeros, 8);
    const vm_row value = as_load(as, place, 8, 2);
    as_store(as, place, id, 8, 1);
    as_store(as, as_address(as, out, id, 16), value, 8, 2);
    as_return(as);
    const uint64_t bytes[2] = {123, 456};
    bench.arguments[0].object = bench_buffer(&bench, "out", 70 * 16, false);
    bench.arguments[1].bytes = bytes;
    bench_run(&bench, 70, 70);
    for (uint32_t i = 0; i < 70; i++) {
        assert_int_equal(element(bench.arguments[0].object, i * 2), 123);
        assert_int_equal(element(bench.arguments[0].object, i * 2 + 1), 456);
    }
    assert_events("fault|undefined", "");
}

/* ---- order ---- */

/* Each group writes its number where a counter says: the order of the groups. */
static void run_order(enum sched_order order, uint64_t seed, uint64_t got[10])
{
    struct assembler *as = &bench.as;
    bench_destroy(&bench);
    bench_create(&bench);
    const vm_row counter = as_buffer(as, "counter");
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row zeros = as_constant(as, 8, false, 0);
    const vm_row ones = as_constant(as, 8, false, 1);
    const vm_row position = as_row(as, 8, 1);
    as_block(as);
    as_atomic(as, VM_OP_atomic_iadd, 8, position, as_address(as, counter, zeros, 8), ones, 0);
    as_store(as, as_address(as, out, position, 8), id, 8, 1);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "counter", 8, true);
    bench.arguments[1].object = bench_buffer(&bench, "out", 80, true);
    bench.launch.order = order;
    bench.launch.seed = seed;
    bench_run(&bench, 10, 1);
    vm_memory_read(bench.memory, bench.arguments[1].object, 0, got, 80);
}

static void groups_run_in_the_order_asked_for(void **state)
{
    (void)state;
    uint64_t ascending[10];
    uint64_t descending[10];
    uint64_t seeded[10];
    uint64_t again[10];
    uint64_t other[10];
    run_order(SCHED_ASCENDING, 0, ascending);
    run_order(SCHED_DESCENDING, 0, descending);
    run_order(SCHED_SEEDED, 1, seeded);
    run_order(SCHED_SEEDED, 1, again);
    run_order(SCHED_SEEDED, 2, other);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(ascending[i], i);
        assert_int_equal(descending[i], 9 - i);
        seen |= 1U << seeded[i];
    }
    assert_int_equal(seen, 0x3FF);
    assert_memory_equal(seeded, again, sizeof seeded);
    assert_memory_not_equal(seeded, other, sizeof seeded);
    assert_memory_not_equal(seeded, ascending, sizeof seeded);
}

static void vectors_are_told_at_each_switch(void **state)
{
    (void)state;
    as_block(&bench.as);
    as_return(&bench.as);
    bench_run(&bench, 200, 100);
    assert_string_equal(bench.log.bytes, "launch kernel 200x1x1\n"
                                         "group 0,0,0 of 100\nvector 0\nvector 1\ngroup end\n"
                                         "group 1,0,0 of 100\nvector 0\nvector 1\ngroup end\n"
                                         "launch end\n");
    assert_int_equal(bench.result.operation_count, 4);
    bench.launch.order = SCHED_DESCENDING;
    bench_run(&bench, 200, 100);
    assert_events("group|vector", "group 1,0,0 of 100\nvector 1\nvector 0\ngroup end\n"
                                  "group 0,0,0 of 100\nvector 1\nvector 0\ngroup end\n");
}

/* ---- control flow ---- */

/* Each lane counts to its own id in a loop: lanes that leave early wait behind it. */
static void lanes_leave_a_loop_when_they_are_done(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row zeros = as_constant(as, 8, false, 0);
    const vm_row ones = as_constant(as, 8, false, 1);
    const vm_row i = as_row(as, 8, 1);
    const vm_row next = as_row(as, 8, 1);
    const vm_row more = as_unit(as);
    as_block(as);
    as_op(as, VM_OP_set_64, i, zeros, 0, 0);
    as_branch(as, 1);
    as_block(as);
    as_op(as, VM_OP_ult_64, more, i, id, 0);
    as_branch_if(as, more, 2, 3);
    as_block(as);
    as_op(as, VM_OP_iadd_64, next, i, ones, 0);
    as_op(as, VM_OP_set_64, i, next, 0, 0);
    as_branch(as, 1);
    as_block(as);
    as_store(as, as_address(as, out, id, 8), i, 8, 1);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "out", 130 * 8, false);
    bench_run(&bench, 130, 130);
    for (uint32_t k = 0; k < 130; k++)
        assert_int_equal(element(bench.arguments[0].object, k), k);
    /* The lanes that left early met the others: one store for a vector. */
    assert_events("write", "write @9 out size 8 mask ffffffffffffffff at 0 stride 8\n"
                           "write @9 out size 8 mask ffffffffffffffff at 512 stride 8\n"
                           "write @9 out size 8 mask 3 at 1024 stride 8\n");
}

/* ---- barriers ---- */

/* local[lid] = lid; barrier; out[gid] = local[size - 1 - lid]. */
static void barriers_let_the_group_meet(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row out = as_buffer(as, "out");
    const vm_row tile = as_local_argument(as, "tile");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row lid = as_query(as, VM_QUERY_LOCAL_ID, 0);
    const vm_row last = as_constant(as, 8, false, 99);
    const vm_row other = as_row(as, 8, 1);
    as_block(as);
    as_store(as, as_address(as, tile, lid, 8), lid, 8, 1);
    as_barrier(as, OBSERVER_SCOPE_WORK_GROUP, OBSERVER_FENCE_LOCAL, 1, NULL, 0);
    as_block(as);
    as_op(as, VM_OP_isub_64, other, last, lid, 0);
    const vm_row value = as_load(as, as_address(as, tile, other, 8), 8, 1);
    as_store(as, as_address(as, out, id, 8), value, 8, 1);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "out", 1600, false);
    bench.arguments[1].local_size = 800;
    bench_run(&bench, 200, 100);
    for (uint32_t k = 0; k < 200; k++)
        assert_int_equal(element(bench.arguments[0].object, k), 99 - k % 100);
    assert_events("fault|undefined|divergence|barrier|vector|group",
                  "group 0,0,0 of 100\nvector 0\nvector 1\nbarrier @3 flags 1\nvector 0\nvector "
                  "1\ngroup end\n"
                  "group 1,0,0 of 100\nvector 0\nvector 1\nbarrier @3 flags 1\nvector 0\nvector "
                  "1\ngroup end\n");
    assert_false(bench.result.stopped);
}

/* Local memory of a group is not what the last group left. */
static void local_memory_starts_undefined_in_each_group(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row out = as_buffer(as, "out");
    const vm_row tile = as_variable(as, VM_VARIABLE_LOCAL, "tile", 8);
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row zeros = as_constant(as, 8, false, 0);
    as_block(as);
    const vm_row place = as_address(as, tile, zeros, 8);
    const vm_row before = as_load(as, place, 8, 1);
    as_store(as, as_address(as, out, id, 8), before, 8, 1);
    as_store(as, place, id, 8, 1);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "out", 24, true);
    bench_run(&bench, 3, 1);
    assert_events("undefined", "undefined output @5 mask 1 from @2 tile at 0\n"
                               "undefined output @5 mask 1 from @2 tile at 0\n"
                               "undefined output @5 mask 1 from @2 tile at 0\n");
    assert_int_equal(element(bench.arguments[0].object, 2), 0);
}

/* Lanes with lid < limit go to block 1, the others to block 2. */
static vm_row assemble_split(uint64_t limit)
{
    struct assembler *as = &bench.as;
    const vm_row lid = as_query(as, VM_QUERY_LOCAL_ID, 0);
    const vm_row limits = as_constant(as, 8, false, limit);
    const vm_row below = as_unit(as);
    as_block(as);
    as_op(as, VM_OP_ult_64, below, lid, limits, 0);
    as_branch_if(as, below, 1, 2);
    return lid;
}

static void finished_items_keep_a_barrier_shut(void **state)
{
    (void)state;
    assemble_split(70);
    as_block(&bench.as);
    as_barrier(&bench.as, OBSERVER_SCOPE_WORK_GROUP, OBSERVER_FENCE_LOCAL, 2, NULL, 0);
    as_block(&bench.as);
    as_return(&bench.as);
    bench_run(&bench, 100, 100);
    assert_events("divergence|barrier",
                  "divergence finished @2 @2 waiting 70 from 0 in 0 other 30 from 70 in 0\n");
    assert_true(bench.result.stopped);
}

static void two_barriers_are_not_one(void **state)
{
    (void)state;
    assemble_split(3);
    as_block(&bench.as);
    as_barrier(&bench.as, OBSERVER_SCOPE_WORK_GROUP, OBSERVER_FENCE_LOCAL, 3, NULL, 0);
    as_block(&bench.as);
    as_barrier(&bench.as, OBSERVER_SCOPE_WORK_GROUP, OBSERVER_FENCE_LOCAL, 3, NULL, 0);
    as_block(&bench.as);
    as_return(&bench.as);
    bench_run(&bench, 200, 100);
    assert_events("divergence|barrier",
                  "divergence elsewhere @2 @3 waiting 3 from 0 in 0 other 97 from 3 in 0\n"
                  "divergence elsewhere @2 @3 waiting 3 from 0 in 0 other 97 from 3 in 0\n");
}

/* Items below 2 skip the barrier in the first iteration of a loop of two, and end up one after. */
static void a_barrier_in_other_iterations_is_divergent(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row lid = as_query(as, VM_QUERY_LOCAL_ID, 0);
    const vm_row zeros = as_constant(as, 4, false, 0);
    const vm_row ones = as_constant(as, 4, false, 1);
    const vm_row two = as_constant(as, 8, false, 2);
    const vm_row counter = as_row(as, 4, 1);
    const vm_row next = as_row(as, 4, 1);
    const vm_row low = as_unit(as);
    const vm_row first = as_unit(as);
    const vm_row skip = as_unit(as);
    as_block(as);
    as_op(as, VM_OP_set_32, counter, zeros, 0, 0);
    as_branch(as, 1);
    as_block(as); /* 1: the loop */
    as_op(as, VM_OP_ult_64, low, lid, two, 0);
    as_op(as, VM_OP_ieq_32, first, counter, zeros, 0);
    as_op(as, VM_OP_mask_and, skip, low, first, 0);
    as_branch_if(as, skip, 3, 2);
    as_block(as); /* 2 */
    as_barrier(as, OBSERVER_SCOPE_WORK_GROUP, OBSERVER_FENCE_LOCAL, 3, &counter, 1);
    as_block(as); /* 3 */
    as_op(as, VM_OP_iadd_32, next, counter, ones, 0);
    as_op(as, VM_OP_set_32, counter, next, 0, 0);
    as_op(as, VM_OP_ule_32, low, counter, ones, 0);
    as_branch_if(as, low, 1, 4);
    as_block(as); /* 4 */
    as_return(as);
    bench_run(&bench, 80, 80);
    assert_events("divergence|barrier",
                  "divergence iteration @6 @6 waiting 2 from 0 in 1 other 78 from 2 in 0\n");
    assert_true(bench.result.stopped);
}

static void a_uniform_loop_passes_its_barrier_each_time(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row zeros = as_constant(as, 4, false, 0);
    const vm_row ones = as_constant(as, 4, false, 1);
    const vm_row three = as_constant(as, 4, false, 3);
    const vm_row counter = as_row(as, 4, 1);
    const vm_row next = as_row(as, 4, 1);
    const vm_row more = as_unit(as);
    as_block(as);
    as_op(as, VM_OP_set_32, counter, zeros, 0, 0);
    as_branch(as, 1);
    as_block(as);
    as_barrier(as, OBSERVER_SCOPE_WORK_GROUP, OBSERVER_FENCE_GLOBAL, 2, &counter, 1);
    as_block(as);
    as_op(as, VM_OP_iadd_32, next, counter, ones, 0);
    as_op(as, VM_OP_set_32, counter, next, 0, 0);
    as_op(as, VM_OP_ult_32, more, counter, three, 0);
    as_branch_if(as, more, 1, 3);
    as_block(as);
    as_return(as);
    bench_run(&bench, 80, 80);
    assert_events("divergence|barrier",
                  "barrier @2 flags 2\nbarrier @2 flags 2\nbarrier @2 flags 2\n");
    assert_false(bench.result.stopped);
}

static void sub_groups_pass_their_barriers_alone(void **state)
{
    (void)state;
    assemble_split(32);
    as_block(&bench.as);
    as_barrier(&bench.as, OBSERVER_SCOPE_SUB_GROUP, OBSERVER_FENCE_LOCAL, 2, NULL, 0);
    as_block(&bench.as);
    as_return(&bench.as);
    bench_run(&bench, 80, 80);
    assert_events("divergence|barrier", "barrier @2 flags 1 vector 0 mask ffffffff\n");
    assert_false(bench.result.stopped);
}

static void a_sub_group_with_a_finished_item_is_divergent(void **state)
{
    (void)state;
    assemble_split(40);
    as_block(&bench.as);
    as_barrier(&bench.as, OBSERVER_SCOPE_SUB_GROUP, OBSERVER_FENCE_LOCAL, 2, NULL, 0);
    as_block(&bench.as);
    as_return(&bench.as);
    bench_run(&bench, 80, 80);
    assert_events("divergence|barrier",
                  "barrier @2 flags 1 vector 0 mask ffffffff\n"
                  "divergence finished @2 @2 waiting 8 from 32 in 0 other 24 from 40 in 0\n");
}

static void barriers_of_sub_group_and_group_do_not_mix(void **state)
{
    (void)state;
    assemble_split(8);
    as_block(&bench.as);
    as_barrier(&bench.as, OBSERVER_SCOPE_SUB_GROUP, OBSERVER_FENCE_LOCAL, 3, NULL, 0);
    as_block(&bench.as);
    as_barrier(&bench.as, OBSERVER_SCOPE_WORK_GROUP, OBSERVER_FENCE_LOCAL, 3, NULL, 0);
    as_block(&bench.as);
    as_return(&bench.as);
    bench_run(&bench, 64, 64);
    assert_events("divergence|barrier",
                  "divergence mixed @2 @3 waiting 8 from 0 in 0 other 24 from 8 in 0\n");
}

/* ---- the run as a whole ---- */

static void the_same_launch_gives_the_same_events(void **state)
{
    (void)state;
    uint64_t order[10];
    for (uint32_t seed = 0; seed < 4; seed++) {
        run_order(SCHED_SEEDED, seed, order);
        struct text first = TEXT_INIT;
        text_append(&first, bench.log.bytes);
        run_order(SCHED_SEEDED, seed, order);
        assert_string_equal(first.bytes, bench.log.bytes);
        text_release(&first);
    }
}

static void nothing_runs_for_a_size_of_zero(void **state)
{
    (void)state;
    as_block(&bench.as);
    as_return(&bench.as);
    bench_run(&bench, 0, 4);
    assert_string_equal(bench.log.bytes, "launch kernel 0x1x1\nlaunch end\n");
    assert_int_equal(bench.result.operation_count, 0);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    struct error error;
    struct sched_result result;
    as_block(&bench.as);
    as_return(&bench.as);
    bench.launch.code = assembler_finish(&bench.as);
    bench.launch.local_size[0] = 0;
    assert_int_equal(sched_run(&bench.launch, &result, &error), STATUS_INVALID);
    assert_string_equal(error.text, "the work-group size is 0 in dimension 0");
    bench.launch.local_size[0] = UINT64_C(1) << 63;
    bench.launch.local_size[1] = 4;
    assert_int_equal(sched_run(&bench.launch, &result, &error), STATUS_INVALID);
    bench.launch.local_size[0] = bench.launch.local_size[1] = 1;
    bench.launch.global_size[0] = bench.launch.global_size[1] = UINT64_C(1) << 40;
    assert_int_equal(sched_run(&bench.launch, &result, &error), STATUS_INVALID);
    bench.launch.global_size[0] = bench.launch.global_size[1] = 1;
    bench.launch.sub_group_size = 48;
    assert_int_equal(sched_run(&bench.launch, &result, &error), STATUS_INVALID);
    bench.launch.sub_group_size = 32;
    bench.launch.dimensions = 4;
    assert_int_equal(sched_run(&bench.launch, &result, &error), STATUS_INVALID);
}

/* A kernel that never ends: its other groups, and vectors after a barrier, do not run either. */
static void a_limit_of_operations_ends_the_launch(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    as_block(as);
    as_store(as, as_address(as, out, id, 8), id, 8, 1);
    as_barrier(as, OBSERVER_SCOPE_WORK_GROUP, OBSERVER_FENCE_LOCAL, 1, NULL, 0);
    as_block(as);
    as_branch(as, 1);
    bench.arguments[0].object = bench_buffer(&bench, "out", 256 * 8, true);
    bench.launch.operation_limit = 1000;
    bench_run(&bench, 256, 128);
    assert_true(bench.result.exhausted);
    assert_false(bench.result.stopped);
    assert_in_range(bench.result.operation_count, 1001, 1100);
    assert_int_equal(element(bench.arguments[0].object, 127), 127);
    assert_int_equal(element(bench.arguments[0].object, 129), 0);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    struct error error;
    struct sched_result result;
    as_variable(&bench.as, VM_VARIABLE_LOCAL, "tile", 100);
    as_variable(&bench.as, VM_VARIABLE_PRIVATE, "array", 100);
    as_block(&bench.as);
    as_return(&bench.as);
    bench.launch.code = assembler_finish(&bench.as);
    enum status status = STATUS_NO_MEMORY;
    for (uint64_t n = 1; status != STATUS_OK; n++) {
        const uint64_t live = alloc_live_count();
        const size_t logged = bench.log.size;
        bench.launch.observer = NULL;
        if (n > 1)
            bench.launch.observer = &bench.observer;
        alloc_fail_at(n);
        status = sched_run(&bench.launch, &result, &error);
        alloc_fail_at(0);
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
        if (status != STATUS_OK)
            assert_int_equal(bench.log.size, logged);
        if (status != STATUS_OK)
            assert_int_equal(alloc_live_count(), live);
        assert_true(n < 100);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(work_item_functions_are_right_at_uneven_edges),
        TEST(arguments_reach_their_rows),
        TEST(structures_by_value_are_private_copies),
        TEST(groups_run_in_the_order_asked_for),
        TEST(vectors_are_told_at_each_switch),
        TEST(lanes_leave_a_loop_when_they_are_done),
        TEST(barriers_let_the_group_meet),
        TEST(local_memory_starts_undefined_in_each_group),
        TEST(finished_items_keep_a_barrier_shut),
        TEST(two_barriers_are_not_one),
        TEST(a_barrier_in_other_iterations_is_divergent),
        TEST(a_uniform_loop_passes_its_barrier_each_time),
        TEST(sub_groups_pass_their_barriers_alone),
        TEST(a_sub_group_with_a_finished_item_is_divergent),
        TEST(barriers_of_sub_group_and_group_do_not_mix),
        TEST(the_same_launch_gives_the_same_events),
        TEST(nothing_runs_for_a_size_of_zero),
        TEST(impossible_sizes_are_refused),
        TEST(a_limit_of_operations_ends_the_launch),
        TEST(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
