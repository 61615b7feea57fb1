/* The gate: what it lets through, what it refuses, and what it tells. */
#include "reference/vm/exec.h"
#include "tests/unit/vm/bench.h"
#include "tests/unit/vm/undefined_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
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

#define ACCESSES "read|write|atomic|fault|undefined"

/* out[gid * out_scale] = in[gid * in_scale + in_offset] for elements of `width` bytes, `count`
 * components. */
static void assemble_copy(uint32_t width, uint32_t count, int32_t in_scale, int64_t in_offset,
                          int32_t out_scale)
{
    struct assembler *as = &bench.as;
    const vm_row in = as_buffer(as, "in");
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row offset = as_constant(as, 8, false, (uint64_t)in_offset);
    as_block(as);
    const vm_row from = as_address(as, in, id, in_scale);
    as_op(as, VM_OP_iadd_64, from, from, offset, 0);
    const vm_row value = as_load(as, from, width, count);
    const vm_row to = as_address(as, out, id, out_scale);
    as_store(as, to, value, width, count);
    as_return(as);
}

static void fill(uint32_t object, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)(i * 7 + 1);
        vm_memory_write(bench.memory, object, i, &byte, 1);
    }
}

static uint8_t byte_at(uint32_t object, uint64_t offset)
{
    uint8_t byte;
    vm_memory_read(bench.memory, object, offset, &byte, 1);
    return byte;
}

/* Every width, number of components and stride: the values arrive. */
static void loads_and_stores_move_the_right_bytes(void **state)
{
    (void)state;
    static const int32_t strides[] = {0, 1, 2, 3, -1};
    for (uint32_t width = 1; width <= 8; width *= 2) {
        for (uint32_t count = 1; count <= 16; count *= 2) {
            for (uint32_t s = 0; s < sizeof strides / sizeof strides[0]; s++) {
                const uint32_t size = width * count;
                const int32_t scale = strides[s] * (int32_t)size;
                const int64_t start = scale < 0 ? (int64_t)-scale * 99 : 0;
                bench_destroy(&bench);
                bench_create(&bench);
                assemble_copy(width, count, scale, start, (int32_t)size);
                bench.arguments[0].object = bench_buffer(&bench, "in", (uint64_t)size * 300, true);
                bench.arguments[1].object =
                    bench_buffer(&bench, "out", (uint64_t)size * 100, false);
                fill(bench.arguments[0].object, (uint64_t)size * 300);
                bench_run(&bench, 100, 100);
                for (uint32_t id = 0; id < 100; id++) {
                    for (uint32_t byte = 0; byte < size; byte++)
                        assert_int_equal(byte_at(bench.arguments[1].object, id * size + byte),
                                         byte_at(bench.arguments[0].object,
                                                 (uint64_t)(start + (int64_t)id * scale) + byte));
                }
                assert_int_equal(undefined_count(bench.memory, bench.arguments[1].object, 0,
                                                 (uint64_t)size * 100),
                                 0);
                assert_events("fault|undefined", "");
            }
        }
    }
}

static void an_access_is_told_with_its_stride(void **state)
{
    (void)state;
    assemble_copy(4, 1, 8, 4, 4);
    bench.arguments[0].object = bench_buffer(&bench, "in", 1024, true);
    bench.arguments[1].object = bench_buffer(&bench, "out", 1024, true);
    bench_run(&bench, 66, 66);
    assert_events(ACCESSES "|vector", "vector 0\n"
                                      "read @3 in size 4 mask ffffffffffffffff at 4 stride 8\n"
                                      "write @6 out size 4 mask ffffffffffffffff at 0 stride 4\n"
                                      "vector 1\n"
                                      "read @3 in size 4 mask 3 at 516 stride 8\n"
                                      "write @6 out size 4 mask 3 at 256 stride 4\n");
}

/* out[gid] = in[start + (gid % run) * stride + (gid / run) * jump], ints, all counted in elements.
 */
struct runs {
    uint32_t run;
    int32_t stride, jump;
    uint32_t start;
};

static uint32_t runs_element(const struct runs *runs, uint32_t lane)
{
    return runs->start + lane % runs->run * (uint32_t)runs->stride +
           lane / runs->run * (uint32_t)runs->jump;
}

static void run_runs(const struct runs *runs, uint64_t in_size, bool defined)
{
    struct assembler *as = &bench.as;
    const vm_row in = as_buffer(as, "in");
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row run = as_constant(as, 8, false, runs->run);
    const vm_row start = as_constant(as, 8, false, (uint64_t)runs->start * 4);
    const vm_row in_run = as_row(as, 8, 1);
    const vm_row of_run = as_row(as, 8, 1);
    const vm_row from = as_row(as, 8, 1);
    as_block(as);
    as_op(as, VM_OP_umod_64, in_run, id, run, 0);
    as_op(as, VM_OP_udiv_64, of_run, id, run, 0);
    const vm_row row = as_address(as, in, of_run, runs->jump * 4);
    as_op(as, VM_OP_index_64, from, row, in_run, (uint32_t)(runs->stride * 4));
    as_op(as, VM_OP_iadd_64, from, from, start, 0);
    const vm_row value = as_load(as, from, 4, 1);
    as_store(as, as_address(as, out, id, 4), value, 4, 1);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "in", in_size, defined);
    bench.arguments[1].object = bench_buffer(&bench, "out", 64 * 4, true);
    if (defined)
        fill(bench.arguments[0].object, in_size);
}

static void runs_move_the_right_bytes(void **state)
{
    (void)state;
    static const int32_t steps[] = {0, 1, 3, 40, -1, -7};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    for (uint32_t i = 0; i < 6 * STEPS * STEPS; i++) {
        const struct runs runs = {.run = 1U << i / (STEPS * STEPS),
                                  .stride = steps[i / STEPS % STEPS],
                                  .jump = steps[i % STEPS],
                                  .start = 600};
        bench_destroy(&bench);
        bench_create(&bench);
        run_runs(&runs, 4096 * 4, true);
        bench_run(&bench, 64, 64);
        for (uint32_t byte = 0; byte < 64 * 4; byte++)
            assert_int_equal(
                byte_at(bench.arguments[1].object, byte),
                byte_at(bench.arguments[0].object, runs_element(&runs, byte / 4) * 4 + byte % 4));
        assert_events("fault|undefined", "");
    }
}

static void runs_are_told_as_such(void **state)
{
    (void)state;
    run_runs(&(struct runs){.run = 16, .stride = 0, .jump = 100, .start = 3}, 4096, true);
    bench_run(&bench, 64, 64);
    assert_memory_equal(bench_lines(&bench, "read"), "read @6 in size 4", 17);
    assert_non_null(strstr(bench_lines(&bench, "read"), "at 12 stride 0 run 16 jump 400\n"));
}

/* Only the end of the first run, or that of the last, is outside. */
static void the_ends_of_runs_are_checked(void **state)
{
    (void)state;
    static const struct runs cases[] = {{.run = 32, .stride = 4, .jump = -16, .start = 16},
                                        {.run = 32, .stride = 1, .jump = 70, .start = 0},
                                        {.run = 32, .stride = -1, .jump = 40, .start = 30},
                                        {.run = 32, .stride = -1, .jump = -40, .start = 70}};
    static const char *const want[] = {"mask 80000000 at", "mask 8000000000000000 at",
                                       "mask 80000000 at -4", "mask 8000000000000000 at -4"};
    static const uint64_t sizes[] = {140 * 4, 101 * 4, 1024, 1024};
    for (uint32_t i = 0; i < 4; i++) {
        bench_destroy(&bench);
        bench_create(&bench);
        run_runs(&cases[i], sizes[i], true);
        bench_run(&bench, 64, 64);
        assert_non_null(strstr(bench_lines(&bench, "fault"), want[i]));
    }
}

static void undefined_bytes_are_found_in_every_run(void **state)
{
    (void)state;
    const struct runs runs = {.run = 16, .stride = 1, .jump = 2000, .start = 0};
    const uint32_t value = 5;
    run_runs(&runs, 8192 * 4, false);
    for (uint32_t lane = 0; lane < 64; lane++) {
        if (lane != 37)
            vm_memory_write(bench.memory, bench.arguments[0].object, runs_element(&runs, lane) * 4,
                            &value, 4);
    }
    bench_run(&bench, 64, 64);
    assert_non_null(strstr(bench_lines(&bench, "undefined"), "mask 2000000000"));
    assert_null(strchr(strchr(bench_lines(&bench, "undefined"), '\n') + 1, '\n'));
}

static void one_byte_beyond_the_end_is_out_of_bounds(void **state)
{
    (void)state;
    assemble_copy(4, 1, 4, 1, 4);
    bench.arguments[0].object = bench_buffer(&bench, "in", 64 * 4, true);
    bench.arguments[1].object = bench_buffer(&bench, "out", 64 * 4, true);
    fill(bench.arguments[0].object, 256);
    bench.as.instructions[3].aux = 0; /* no alignment promised */
    bench_run(&bench, 64, 64);
    assert_events("fault", "fault bounds read @3 in size 4 mask 8000000000000000 at 253\n");
    assert_int_equal(byte_at(bench.arguments[1].object, 63 * 4), 0);
    assert_int_equal(byte_at(bench.arguments[1].object, 62 * 4),
                     byte_at(bench.arguments[0].object, 62 * 4 + 1));
}

static void one_byte_before_the_start_is_out_of_bounds(void **state)
{
    (void)state;
    assemble_copy(4, 1, 4, -1, 4);
    bench_buffer(&bench, "neighbour", 64 * 4, true);
    bench.arguments[0].object = bench_buffer(&bench, "in", 64 * 4, true);
    bench.arguments[1].object = bench_buffer(&bench, "out", 64 * 4, true);
    bench.as.instructions[3].aux = 0;
    bench_run(&bench, 64, 64);
    assert_events("fault", "fault bounds read @3 in size 4 mask 1 at -1\n");
}

/* The refused store must not reach the buffer that the host happens to have next to it. */
static void a_store_beyond_the_end_does_not_reach_the_neighbour(void **state)
{
    (void)state;
    static uint8_t host[3 * 256];
    memset(host, 0xAB, sizeof host);
    assemble_copy(4, 1, 4, 0, 8);
    bench.arguments[0].object = bench_buffer(&bench, "in", 64 * 4, true);
    bench.arguments[1].object = bench_make(
        &bench, (struct vm_buffer_info){
                    .size = 256, .host_bytes = host + 256, .defined = true, .name = "out"});
    bench_make(&bench, (struct vm_buffer_info){
                           .size = 256, .host_bytes = host + 512, .defined = true, .name = "next"});
    bench_run(&bench, 64, 64);
    assert_events("fault", "fault bounds write @6 out size 4 mask ffffffff00000000 at 256\n");
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(host[i] & host[512 + i], 0xAB);
    assert_int_equal(host[256], 0);
}

static void a_sub_buffer_has_bounds_of_its_own(void **state)
{
    (void)state;
    assemble_copy(4, 1, 4, 0, 4);
    const uint32_t parent = bench_buffer(&bench, "parent", 1024, true);
    bench.arguments[0].object = bench_make(
        &bench, (struct vm_buffer_info){
                    .size = 128, .parent = parent, .parent_offset = 512, .name = "part"});
    bench.arguments[1].object = bench_buffer(&bench, "out", 64 * 4, true);
    fill(parent, 1024);
    bench_run(&bench, 64, 64);
    assert_events(
        ACCESSES,
        "fault bounds read @3 part size 4 mask ffffffff00000000 at 128 into parent at 640\n"
        "read @3 parent size 4 mask ffffffff at 512 516 520 524 528 532 536 540 544 548 "
        "552 556 560 564 568 572 576 580 584 588 592 596 600 604 608 612 616 620 624 628 "
        "632 636\n"
        "write @6 out size 4 mask ffffffffffffffff at 0 stride 4\n");
    assert_int_equal(byte_at(bench.arguments[1].object, 4), byte_at(parent, 516));
    assert_int_equal(byte_at(bench.arguments[1].object, 32 * 4), 0);
}

static void a_freed_object_is_known_by_name(void **state)
{
    (void)state;
    assemble_copy(4, 1, 4, 0, 4);
    bench.arguments[0].object = bench_buffer(&bench, "gone", 256, true);
    bench.arguments[1].object = bench_buffer(&bench, "out", 256, true);
    vm_memory_free_object(bench.memory, bench.arguments[0].object);
    bench_run(&bench, 64, 64);
    assert_events("fault|read", "fault freed read @3 gone size 4 mask ffffffffffffffff at 0\n");
}

static void null_and_wild_pointers_are_told_apart(void **state)
{
    (void)state;
    assemble_copy(4, 1, 4, 16, 4);
    bench.arguments[1].object = bench_buffer(&bench, "out", 256, true);
    bench_run(&bench, 64, 64);
    assert_events("fault", "fault null read @3 - size 4 mask ffffffffffffffff at 16\n");
    bench.arguments[0].object = 4711; /* a number that was never given out */
    bench_run(&bench, 64, 64);
    assert_memory_equal(bench_lines(&bench, "fault"),
                        "fault wild read @3 - size 4 mask ffffffffffffffff", 49);
}

static void what_flags_forbid_is_told_and_performed(void **state)
{
    (void)state;
    assemble_copy(4, 1, 4, 0, 4);
    bench.arguments[0].object = bench_make(
        &bench,
        (struct vm_buffer_info){.size = 256, .write_only = true, .defined = true, .name = "in"});
    bench.arguments[1].object = bench_make(
        &bench,
        (struct vm_buffer_info){.size = 256, .read_only = true, .defined = true, .name = "out"});
    fill(bench.arguments[0].object, 256);
    bench_run(&bench, 2, 2);
    assert_events(ACCESSES, "fault write-only read @3 in size 4 mask 3 at 0\n"
                            "read @3 in size 4 mask 3 at 0 4\n"
                            "fault read-only write @6 out size 4 mask 3 at 0\n"
                            "write @6 out size 4 mask 3 at 0 4\n");
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(byte_at(bench.arguments[1].object, i),
                         byte_at(bench.arguments[0].object, i));
}

/* Lanes outside are out of bounds, and nothing else. */
static void forbidden_lanes_are_those_within(void **state)
{
    (void)state;
    assemble_copy(4, 1, 4, 0, 4);
    bench.arguments[0].object = bench_buffer(&bench, "in", 12, true);
    bench.arguments[1].object = bench_make(
        &bench,
        (struct vm_buffer_info){.size = 8, .read_only = true, .defined = true, .name = "out"});
    bench_run(&bench, 3, 3);
    assert_events("fault|write", "fault bounds write @6 out size 4 mask 4 at 8\n"
                                 "fault read-only write @6 out size 4 mask 3 at 0\n"
                                 "write @6 out size 4 mask 3 at 0 4\n");
}

/* The host's own memory may lie in protected pages, as its constants do; parts of it too. Constant
 * memory is not written either. */
static void sealed_memory_is_not_written(void **state)
{
    (void)state;
    static uint8_t host[256] = {0xAB};
    const uint32_t whole = bench_make(
        &bench,
        (struct vm_buffer_info){
            .size = 256, .host_bytes = host, .read_only = true, .defined = true, .name = "whole"});
    const uint32_t part = bench_make(
        &bench,
        (struct vm_buffer_info){.size = 128, .parent = whole, .read_only = true, .name = "part"});
    const uint32_t constant =
        bench_make(&bench, (struct vm_buffer_info){
                               .size = 256, .constant = true, .defined = true, .name = "constant"});
    assemble_copy(4, 1, 4, 0, 4);
    bench.arguments[0].object = bench_buffer(&bench, "in", 256, true);
    fill(bench.arguments[0].object, 256);
    const uint32_t objects[] = {whole, part, constant};
    static const char *const events[] = {"fault read-only write @6 whole size 4 mask 3 at 0\n",
                                         "fault read-only write @6 part size 4 mask 3 at 0\n",
                                         "fault read-only write @6 constant size 4 mask 3 at 0\n"};
    for (uint32_t i = 0; i < 3; i++) {
        bench.arguments[1].object = objects[i];
        bench_run(&bench, 2, 2);
        assert_events("fault|write", events[i]);
    }
    assert_int_equal(host[0], 0xAB);
    assert_int_equal(host[1], 0);
    assert_int_equal(byte_at(constant, 0), 0);
}

/* A part that is read-only, of memory that is not: that memory can be written. */
static void a_read_only_part_of_writable_host_memory_is_written(void **state)
{
    (void)state;
    static uint8_t host[256];
    const uint32_t whole = bench_make(
        &bench,
        (struct vm_buffer_info){.size = 256, .host_bytes = host, .defined = true, .name = "whole"});
    assemble_copy(4, 1, 4, 0, 4);
    bench.arguments[0].object = bench_buffer(&bench, "in", 256, true);
    bench.arguments[1].object = bench_make(
        &bench,
        (struct vm_buffer_info){.size = 128, .parent = whole, .read_only = true, .name = "part"});
    fill(bench.arguments[0].object, 256);
    bench_run(&bench, 2, 2);
    assert_events("fault", "fault read-only write @6 part size 4 mask 3 at 0\n");
    assert_int_equal(host[4], byte_at(bench.arguments[0].object, 4));
}

static void a_misaligned_access_is_told_and_performed(void **state)
{
    (void)state;
    assemble_copy(4, 1, 4, 2, 4);
    bench.arguments[0].object = bench_buffer(&bench, "in", 260, true);
    bench.arguments[1].object = bench_buffer(&bench, "out", 256, true);
    fill(bench.arguments[0].object, 260);
    bench_run(&bench, 2, 2);
    assert_events(ACCESSES, "fault misaligned read @3 in size 4 mask 3 at 2\n"
                            "read @3 in size 4 mask 3 at 2 6\n"
                            "write @6 out size 4 mask 3 at 0 stride 4\n");
    assert_int_equal(byte_at(bench.arguments[1].object, 4), byte_at(bench.arguments[0].object, 6));
}

/* Addresses of three objects in turn: one event for each object. */
static void a_gather_over_several_objects_is_split(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row a = as_buffer(as, "a");
    const vm_row b = as_buffer(as, "b");
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row one = as_constant(as, 8, false, 1);
    const vm_row bit = as_row(as, 8, 1);
    const vm_row odd = as_unit(as);
    const vm_row address = as_row(as, 8, 1);
    as_block(as);
    const vm_row in_a = as_address(as, a, id, 4);
    const vm_row in_b = as_address(as, b, id, 4);
    as_op(as, VM_OP_iand_64, bit, id, one, 0);
    as_op(as, VM_OP_ieq_64, odd, bit, one, 0);
    as_op(as, VM_OP_select_64, address, in_b, in_a, odd);
    const vm_row value = as_load(as, address, 4, 1);
    as_store(as, as_address(as, out, id, 4), value, 4, 1);
    as_return(as);
    for (uint32_t i = 0; i < 3; i++)
        bench.arguments[i].object = bench_buffer(&bench,
                                                 i == 0   ? "a"
                                                 : i == 1 ? "b"
                                                          : "out",
                                                 i == 2 ? 32 : 24, true);
    const uint32_t fives[6] = {5, 5, 5, 5, 5, 5};
    const uint32_t sixes[6] = {6, 6, 6, 6, 6, 6};
    vm_memory_write(bench.memory, bench.arguments[0].object, 0, fives, 24);
    vm_memory_write(bench.memory, bench.arguments[1].object, 0, sixes, 24);
    bench_run(&bench, 8, 8);
    assert_events("read|fault", "fault bounds read @7 a size 4 mask 40 at 24\n"
                                "read @7 a size 4 mask 15 at 0 8 16\n"
                                "fault bounds read @7 b size 4 mask 80 at 28\n"
                                "read @7 b size 4 mask 2a at 4 12 20\n");
    assert_int_equal(byte_at(bench.arguments[2].object, 0), 5);
    assert_int_equal(byte_at(bench.arguments[2].object, 4), 6);
}

/* A step that comes back to where it began after wrapping is not a stride. */
static void addresses_that_wrap_do_not_pass_as_a_pattern(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row in = as_buffer(as, "in");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row huge = as_constant(as, 8, false, UINT64_C(1) << 62);
    const vm_row step = as_row(as, 8, 1);
    as_block(as);
    as_op(as, VM_OP_imul_64, step, id, huge, 0);
    const vm_row value = as_load(as, as_address(as, in, step, 1), 4, 1);
    (void)value;
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "in", 256, true);
    bench_run(&bench, 5, 5);
    assert_events("read", "read @3 in size 4 mask 11 at 0 0\n");
    assert_memory_equal(bench_lines(&bench, "fault"), "fault wild", 10);
}

static void uniform_loads_give_one_value(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row in = as_buffer(as, "in");
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row uniform = as_row(as, 1, 2);
    const vm_row varying = as_row(as, 4, 1);
    as_block(as);
    as_emit(as, (struct vm_instruction){
                    .op = VM_OP_load_u, .width = 4, .count = 2, .dst = uniform, .a = in});
    as_op(as, VM_OP_splat_32, varying, uniform + 1, 0, 0);
    as_store(as, as_address(as, out, id, 4), varying, 4, 1);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "in", 8, true);
    bench.arguments[1].object = bench_buffer(&bench, "out", 256, false);
    const uint32_t values[2] = {11, 22};
    vm_memory_write(bench.memory, bench.arguments[0].object, 0, values, 8);
    bench_run(&bench, 64, 64);
    assert_events(ACCESSES, "read @0 in size 8 mask ffffffffffffffff at 0 stride 0\n"
                            "write @4 out size 4 mask ffffffffffffffff at 0 stride 4\n");
    for (uint32_t id_ = 0; id_ < 64; id_++)
        assert_int_equal(byte_at(bench.arguments[1].object, id_ * 4), 22);
}

/* What only a broken pointer can do: each lane has private memory of its own. */
static void a_uniform_load_of_private_memory_is_wild(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row variable = as_variable(as, VM_VARIABLE_PRIVATE, "x", 16);
    const vm_row uniform = as_row(as, 1, 1);
    as_block(as);
    as_emit(as, (struct vm_instruction){
                    .op = VM_OP_load_u, .width = 4, .count = 1, .dst = uniform, .a = variable});
    as_return(as);
    bench_run(&bench, 64, 64);
    assert_memory_equal(bench_lines(&bench, "fault"), "fault wild read @0", 18);
}

/* ---- definedness ---- */

static void an_undefined_scalar_may_not_leave_the_kernel(void **state)
{
    (void)state;
    assemble_copy(4, 1, 4, 0, 4);
    bench.arguments[0].object = bench_buffer(&bench, "in", 256, false);
    bench.arguments[1].object = bench_buffer(&bench, "out", 256, false);
    const uint32_t value = 7;
    vm_memory_write(bench.memory, bench.arguments[0].object, 12, &value, 4);
    vm_memory_write(bench.memory, bench.arguments[0].object, 17, &value,
                    1); /* a part of element 4 */
    bench_run(&bench, 64, 64);
    assert_events("undefined", "undefined output @6 mask ffffffffffffffe7 from @3 in at 0\n");
    assert_int_equal(undefined_count(bench.memory, bench.arguments[1].object, 0, 256), 62 * 4 + 3);
    assert_int_equal(undefined_count(bench.memory, bench.arguments[1].object, 12, 4), 0);
}

/* Compilers store three components as four. */
static void a_vector_is_undefined_component_by_component(void **state)
{
    (void)state;
    assemble_copy(4, 4, 16, 0, 16);
    bench.arguments[0].object = bench_buffer(&bench, "in", 1024, false);
    bench.arguments[1].object = bench_buffer(&bench, "out", 1024, false);
    const uint32_t values[3] = {1, 2, 3};
    vm_memory_write(bench.memory, bench.arguments[0].object, 16, values, 12);
    bench_run(&bench, 64, 64);
    assert_events("undefined", "undefined output @6 mask fffffffffffffffd from @3 in at 0\n"
                               "undefined output @6 mask 2 from @3 in at 28\n");
    assert_int_equal(undefined_count(bench.memory, bench.arguments[1].object, 16, 16), 4);
}

static void undefined_branches_and_addresses_are_told_with_their_origin(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row in = as_buffer(as, "in");
    const vm_row variable = as_row(as, 8, 1);
    const vm_row sum = as_row(as, 8, 1);
    const vm_row zero = as_constant(as, 8, false, 0);
    const vm_row mask = as_unit(as);
    as_name(as, variable, "i");
    as_block(as);
    as_emit(as,
            (struct vm_instruction){.op = VM_OP_undefine, .width = 8, .count = 1, .dst = variable});
    as_op(as, VM_OP_iadd_64, sum, variable, zero, 0);
    const vm_row address = as_address(as, in, sum, 4);
    as_load(as, address, 4, 1);
    as_op(as, VM_OP_ieq_64, mask, sum, zero, 0);
    as_branch_if(as, mask, 1, 1);
    as_block(as);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "in", 4, true);
    bench_run(&bench, 3, 3);
    assert_events("undefined|read|fault", "undefined address @4 mask 7 from @0 i\n"
                                          "undefined branch @6 mask 7 from @0 i\n");
}

static void private_memory_is_each_lanes_own_and_starts_undefined(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row zeros = as_constant(as, 8, false, 0);
    const vm_row ones = as_constant(as, 8, false, 1);
    as_variable(as, VM_VARIABLE_PRIVATE, "pad", 8);
    const vm_row array = as_variable(as, VM_VARIABLE_PRIVATE, "array", 16);
    as_block(as);
    as_store(as, as_address(as, array, zeros, 8), id, 8, 1);
    const vm_row written = as_load(as, as_address(as, array, zeros, 8), 8, 1);
    as_store(as, as_address(as, out, id, 8), written, 8, 1);
    const vm_row unwritten = as_load(as, as_address(as, array, ones, 8), 8, 1);
    as_store(as, as_address(as, out, id, 8), unwritten, 8, 1);
    as_load(as, as_address(as, array, id, 8), 8, 1);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "out", 65 * 8, true);
    bench_run(&bench, 65, 65);
    assert_events("fault|undefined|write",
                  "write @8 out size 8 mask ffffffffffffffff at 0 stride 8\n"
                  "write @14 out size 8 mask ffffffffffffffff at 0 stride 8\n"
                  "undefined output @14 mask ffffffffffffffff from @11 array at 8\n"
                  "fault bounds read @17 array size 8 mask fffffffffffffffc at 16\n"
                  "write @8 out size 8 mask 1 at 512 stride 0\n"
                  "write @14 out size 8 mask 1 at 512 stride 0\n"
                  "undefined output @14 mask 1 from @11 array at 8\n"
                  "fault bounds read @17 array size 8 mask 1 at 512\n");
}

static void copies_carry_bytes_and_definedness(void **state)
{
    (void)state;
    struct assembler *as = &bench.as;
    const vm_row in = as_buffer(as, "in");
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    as_block(as);
    const vm_row from = as_address(as, in, id, 200);
    const vm_row to = as_address(as, out, id, 200);
    as_emit(as, (struct vm_instruction){
                    .op = VM_OP_copy_memory, .a = to, .b = from, .c = 200, .aux = 2});
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "in", 400, false);
    bench.arguments[1].object = bench_buffer(&bench, "out", 400, true);
    uint8_t bytes[200];
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    vm_memory_write(bench.memory, bench.arguments[0].object, 130, bytes, 200);
    bench_run(&bench, 2, 2);
    assert_events(ACCESSES, "read @4 in size 128 mask 3 at 0 stride 200\n"
                            "write @4 out size 128 mask 3 at 0 stride 200\n"
                            "read @4 in size 72 mask 3 at 128 stride 200\n"
                            "write @4 out size 72 mask 3 at 128 stride 200\n");
    assert_int_equal(undefined_count(bench.memory, bench.arguments[1].object, 0, 400), 200);
    assert_int_equal(undefined_count(bench.memory, bench.arguments[1].object, 130, 200), 0);
    assert_int_equal(byte_at(bench.arguments[1].object, 329), 199);
}

/* ---- atomics ---- */

static uint32_t run_atomic(enum vm_op op, uint32_t start, enum sched_order order, uint32_t old[64])
{
    struct assembler *as = &bench.as;
    bench_destroy(&bench);
    bench_create(&bench);
    const vm_row counter = as_buffer(as, "counter");
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row zeros = as_constant(as, 8, false, 0);
    const vm_row compare = as_constant(as, 4, false, 5);
    const vm_row value = as_row(as, 4, 1);
    const vm_row dst = as_row(as, 4, 1);
    as_block(as);
    as_op(as, VM_OP_trunc_64_32, value, id, 0, 0);
    const vm_row address = as_address(as, counter, zeros, 4);
    as_atomic(as, op, 4, dst, address, value, compare);
    as_store(as, as_address(as, out, id, 4), dst, 4, 1);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "counter", 4, true);
    bench.arguments[1].object = bench_buffer(&bench, "out", 256, true);
    vm_memory_write(bench.memory, bench.arguments[0].object, 0, &start, 4);
    bench.launch.order = order;
    bench_run(&bench, 64, 64);
    vm_memory_read(bench.memory, bench.arguments[1].object, 0, old, 256);
    uint32_t end;
    vm_memory_read(bench.memory, bench.arguments[0].object, 0, &end, 4);
    return end;
}

static void atomics_run_lane_by_lane(void **state)
{
    (void)state;
    uint32_t old[64];
    assert_int_equal(run_atomic(VM_OP_atomic_iadd, 100, SCHED_ASCENDING, old), 100 + 63 * 32);
    assert_int_equal(old[0], 100);
    assert_int_equal(old[63], 100 + 62 * 63 / 2);
    assert_events("atomic", "atomic-rmw @3 counter size 4 mask ffffffffffffffff at 0 stride 0\n");
    assert_int_equal(run_atomic(VM_OP_atomic_isub, 0, SCHED_DESCENDING, old),
                     (uint32_t)(0 - 63 * 32));
    assert_int_equal(old[63], 0);
    assert_int_equal(old[62], (uint32_t)-63);
    assert_int_equal(run_atomic(VM_OP_atomic_exchange, 9, SCHED_ASCENDING, old), 63);
    assert_int_equal(old[1], 0);
    assert_int_equal(run_atomic(VM_OP_atomic_exchange, 9, SCHED_DESCENDING, old), 0);
    assert_int_equal(run_atomic(VM_OP_atomic_compare_exchange, 5, SCHED_ASCENDING, old), 0);
    assert_int_equal(old[0], 5);
    assert_int_equal(old[1], 0);
    assert_int_equal(run_atomic(VM_OP_atomic_smin, (uint32_t)-3, SCHED_ASCENDING, old),
                     (uint32_t)-3);
    assert_int_equal(run_atomic(VM_OP_atomic_smax, (uint32_t)-3, SCHED_ASCENDING, old), 63);
    assert_int_equal(run_atomic(VM_OP_atomic_umin, (uint32_t)-3, SCHED_ASCENDING, old), 0);
    assert_int_equal(run_atomic(VM_OP_atomic_umax, (uint32_t)-3, SCHED_ASCENDING, old),
                     (uint32_t)-3);
    assert_int_equal(run_atomic(VM_OP_atomic_and, 0xFF, SCHED_ASCENDING, old), 0);
    assert_int_equal(run_atomic(VM_OP_atomic_or, 0x100, SCHED_ASCENDING, old), 0x13F);
    assert_int_equal(run_atomic(VM_OP_atomic_xor, 0, SCHED_ASCENDING, old), 0);
    assert_int_equal(run_atomic(VM_OP_atomic_store, 77, SCHED_ASCENDING, old), 63);
    assert_int_equal(run_atomic(VM_OP_atomic_load, 77, SCHED_ASCENDING, old), 77);
    assert_int_equal(old[63], 77);
}

/* Plain stores of all lanes to one place: the last lane of the schedule's order remains. */
static void colliding_stores_follow_the_order_of_lanes(void **state)
{
    (void)state;
    static const enum sched_order orders[] = {SCHED_ASCENDING, SCHED_DESCENDING};
    for (uint32_t i = 0; i < 2; i++) {
        bench_destroy(&bench);
        bench_create(&bench);
        assemble_copy(4, 1, 4, 0, 0);
        bench.arguments[0].object = bench_buffer(&bench, "in", 256, true);
        bench.arguments[1].object = bench_buffer(&bench, "out", 4, true);
        fill(bench.arguments[0].object, 256);
        bench.launch.order = orders[i];
        bench_run(&bench, 64, 64);
        assert_int_equal(byte_at(bench.arguments[1].object, 0),
                         byte_at(bench.arguments[0].object, i == 0 ? 63 * 4 : 0));
    }
}

/* The observer changes nothing of what is computed. */
static void results_are_the_same_without_an_observer(void **state)
{
    (void)state;
    uint8_t outputs[2][256];
    for (uint32_t i = 0; i < 2; i++) {
        bench_destroy(&bench);
        bench_create(&bench);
        assemble_copy(4, 1, 8, -4, 4);
        bench.arguments[0].object = bench_buffer(&bench, "in", 256, true);
        bench.arguments[1].object = bench_buffer(&bench, "out", 256, true);
        fill(bench.arguments[0].object, 256);
        bench.launch.observer = i ? NULL : &bench.observer;
        bench.as.instructions[3].aux = 0;
        bench_run(&bench, 64, 64);
        vm_memory_read(bench.memory, bench.arguments[1].object, 0, outputs[i], 256);
    }
    assert_memory_equal(outputs[0], outputs[1], 256);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(loads_and_stores_move_the_right_bytes),
        TEST(an_access_is_told_with_its_stride),
        TEST(runs_move_the_right_bytes),
        TEST(runs_are_told_as_such),
        TEST(the_ends_of_runs_are_checked),
        TEST(undefined_bytes_are_found_in_every_run),
        TEST(one_byte_beyond_the_end_is_out_of_bounds),
        TEST(one_byte_before_the_start_is_out_of_bounds),
        TEST(a_store_beyond_the_end_does_not_reach_the_neighbour),
        TEST(a_sub_buffer_has_bounds_of_its_own),
        TEST(a_freed_object_is_known_by_name),
        TEST(null_and_wild_pointers_are_told_apart),
        TEST(what_flags_forbid_is_told_and_performed),
        TEST(forbidden_lanes_are_those_within),
        TEST(sealed_memory_is_not_written),
        TEST(a_read_only_part_of_writable_host_memory_is_written),
        TEST(a_misaligned_access_is_told_and_performed),
        TEST(a_gather_over_several_objects_is_split),
        TEST(addresses_that_wrap_do_not_pass_as_a_pattern),
        TEST(uniform_loads_give_one_value),
        TEST(a_uniform_load_of_private_memory_is_wild),
        TEST(an_undefined_scalar_may_not_leave_the_kernel),
        TEST(a_vector_is_undefined_component_by_component),
        TEST(undefined_branches_and_addresses_are_told_with_their_origin),
        TEST(private_memory_is_each_lanes_own_and_starts_undefined),
        TEST(copies_carry_bytes_and_definedness),
        TEST(atomics_run_lane_by_lane),
        TEST(colliding_stores_follow_the_order_of_lanes),
        TEST(results_are_the_same_without_an_observer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
