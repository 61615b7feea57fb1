/* The kernel checker fed with events that a device would tell, and what it makes of them. */
#include "checkers/kernel/checker.h"
#include "trace/base/alloc.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- a kernel, its places, and what was found ---- */

/* The source that the sites below stand in. */
static const struct observer_frame lines[] = {
    {"k", "k.cl", 3, 5, "    tile[l] = in[g];"},
    {"k", "k.cl", 4, 5, "    barrier(CLK_GLOBAL_MEM_FENCE);"},
    {"k", "k.cl", 5, 14, "    out[g] = tile[l + 1];"},
    {"helper", "k.cl", 9, 12, "    p[0] += 1;"},
};
enum { SITE_WRITE, SITE_BARRIER, SITE_READ, SITE_HELPER, SITE_COUNT };

static void describe(const void *code, uint32_t site, struct observer_place *place)
{
    (void)code;
    place->frames[0] = lines[site];
    place->frame_count = 1;
    if (site == SITE_HELPER) {
        place->frames[1] = (struct observer_frame){"k", "k.cl", 12, 3, "    helper(out);"};
        place->frame_count = 2;
    }
}

static const struct observer_object tile = {
    .id = 1, .region = OBSERVER_LOCAL, .size = 1024, .name = "tile"};
static const struct observer_object out = {.id = 2,
                                           .region = OBSERVER_GLOBAL,
                                           .size = 4096,
                                           .name = "out",
                                           .origin = "clCreateBuffer, 4096 bytes"};

static bool peek_seven(const struct observer_object *object, uint64_t offset, uint32_t size,
                       void *bytes)
{
    (void)object;
    (void)offset;
    const uint64_t seven = 7;
    memcpy(bytes, &seven, size);
    return size <= sizeof seven;
}

struct bench {
    struct kernel_checker *checker;
    const struct observer *observer;
    struct text found; /* every finding as JSON and as text */
    struct text rules; /* their ids and counts: "race-local*3 " */
    struct observer_launch launch;
};

static void take(void *user, const struct finding *finding)
{
    struct bench *bench = user;
    text_format(&bench->rules, "%s*%u ", rule_get(finding->rule)->id, (unsigned)finding->count);
    finding_print_text(finding, false, 0, &bench->found);
}

static struct bench *bench_create(void)
{
    struct bench *bench = alloc_zero(1, sizeof *bench);
    assert_non_null(bench);
    bench->found = (struct text)TEXT_INIT;
    bench->rules = (struct text)TEXT_INIT;
    bench->launch = (struct observer_launch){
        .kernel = "k",
        .dimensions = 1,
        .global_size = {256, 1, 1},
        .local_size = {128, 1, 1},
        .group_count = {2, 1, 1},
        .sub_group_size = 32,
        .site_count = SITE_COUNT,
        .opencl_c_version = 300,
        .describe = describe,
    };
    struct checks checks;
    checks_set_all(&checks);
    assert_int_equal(kernel_checker_create(&checks, take, bench, &bench->checker, NULL), STATUS_OK);
    bench->observer = kernel_checker_observer(bench->checker);
    return bench;
}

static void bench_destroy(struct bench *bench)
{
    kernel_checker_destroy(bench->checker);
    text_release(&bench->found);
    text_release(&bench->rules);
    alloc_free(bench);
}

static void begin(struct bench *bench)
{
    bench->observer->launch_begin(bench->observer->state, &bench->launch);
}

static void group(struct bench *bench, uint64_t x)
{
    const uint64_t id[3] = {x, 0, 0};
    bench->observer->group_begin(bench->observer->state, id, 128);
}

static void vector(struct bench *bench, uint32_t index)
{
    bench->observer->vector_run(bench->observer->state, index);
}

static void access(struct bench *bench, struct lane_access access)
{
    access.mask = access.mask != 0 ? access.mask : ~UINT64_C(0);
    access.size = access.size != 0 ? access.size : 4;
    bench->observer->access(bench->observer->state, &access);
}

static void barrier(struct bench *bench, uint32_t flags)
{
    const struct observer_barrier barrier = {.site = SITE_BARRIER,
                                             .flags = flags,
                                             .execution = OBSERVER_SCOPE_WORK_GROUP,
                                             .memory = OBSERVER_SCOPE_WORK_GROUP};
    bench->observer->barrier(bench->observer->state, &barrier);
}

static void end(struct bench *bench)
{
    bench->observer->group_end == NULL ? (void)0
                                       : bench->observer->group_end(bench->observer->state);
    bench->observer->launch_end(bench->observer->state);
}

/* Lines are broken where they are long; here every white space is one blank. */
static void expect_text(const struct bench *bench, const char *part)
{
    struct text flat = TEXT_INIT;
    for (const char *at = bench->found.bytes; *at != '\0'; at++) {
        const bool space = *at == ' ' || *at == '\n';
        if (!space || (flat.size > 0 && flat.bytes[flat.size - 1] != ' ')) {
            text_append_char(&flat, space ? ' ' : *at);
        }
    }
    if (strstr(flat.bytes, part) == NULL) {
        fail_msg("'%s' is not in:\n%s", part, bench->found.bytes);
    }
    text_release(&flat);
}

/* ---- races ---- */

/* tile[l] = ..., then tile[l + 1] is read, with `flags` of a barrier between; none if negative. */
static void neighbour_exchange(struct bench *bench, int flags)
{
    begin(bench);
    group(bench, 0);
    vector(bench, 0);
    access(bench, (struct lane_access){
                      .site = SITE_WRITE, .kind = OBSERVER_WRITE, .object = &tile, .stride = 4});
    if (flags >= 0) {
        barrier(bench, (uint32_t)flags);
    }
    access(
        bench,
        (struct lane_access){
            .site = SITE_READ, .kind = OBSERVER_READ, .object = &tile, .offset = 4, .stride = 4});
    end(bench);
}

static void a_missing_barrier_is_told_in_full(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    neighbour_exchange(bench, -1);
    assert_string_equal(bench->rules.bytes, "race-local*63 ");
    assert_string_equal(bench->found.bytes,
                        "error: [race-local] work-items 1 and 0 of work-group 0 race on 4 bytes "
                        "of local memory 'tile'\n"
                        "       (element 1)\n"
                        "  --> k.cl:5:14, in k\n"
                        "   |\n"
                        " 5 |     out[g] = tile[l + 1];\n"
                        "   |              ^ read of 4 bytes by work-item 0 of work-group "
                        "0, global id 0\n"
                        "  --> k.cl:3:5, in k\n"
                        "   |\n"
                        " 3 |     tile[l] = in[g];\n"
                        "   |     ^ write of 4 bytes by work-item 1 of work-group 0, "
                        "global id 1\n"
                        "   |\n"
                        "  object: local memory 'tile' (1024 bytes), bytes 4 to 7\n"
                        "  launch: kernel 'k', 256 work-items in work-groups of 128\n"
                        "  reason: no barrier separates them within work-group 0, and the "
                        "work-items of a sub-group do not\n"
                        "          run in lockstep by the specification\n"
                        "  fix:    Put barrier(CLK_LOCAL_MEM_FENCE) between the two accesses, "
                        "where all work-items of the\n"
                        "          group pass.\n"
                        "  rule:   OpenCL API 3.0, 3.3.6 (clerk rules race-local)\n"
                        "  seen:   63 times\n");
    bench_destroy(bench);
}

static void a_barrier_with_the_right_flag_orders(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    neighbour_exchange(bench, OBSERVER_FENCE_LOCAL);
    neighbour_exchange(bench, OBSERVER_FENCE_LOCAL | OBSERVER_FENCE_GLOBAL);
    assert_string_equal(bench->rules.bytes, "");
    bench_destroy(bench);
}

static void a_barrier_with_the_wrong_flag_is_named(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    neighbour_exchange(bench, OBSERVER_FENCE_GLOBAL);
    assert_string_equal(bench->rules.bytes, "race-local*63 ");
    expect_text(bench, "barrier(CLK_GLOBAL_MEM_FENCE) at line 4");
    expect_text(bench, "Add CLK_LOCAL_MEM_FENCE to the flags of the barrier at line 4:");
    bench_destroy(bench);
}

static void a_barrier_without_flags_is_named(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    neighbour_exchange(bench, 0);
    expect_text(bench, "barrier(0) at line 4");
    expect_text(bench, "Give the barrier at line 4 the flag CLK_LOCAL_MEM_FENCE.");
    bench_destroy(bench);
}

static void all_write_one_element(struct bench *bench, const int values[64])
{
    begin(bench);
    group(bench, 0);
    vector(bench, 0);
    access(bench, (struct lane_access){.site = SITE_WRITE,
                                       .kind = OBSERVER_WRITE,
                                       .object = &out,
                                       .value = values,
                                       .value_stride = sizeof(int)});
    end(bench);
}

static void values_of_one_instruction_are_compared(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    int values[64];
    for (int i = 0; i < 64; i++) {
        values[i] = 7;
    }
    all_write_one_element(bench, values);
    assert_string_equal(bench->rules.bytes, "race-global*1 ");
    expect_text(bench, "both write 7, which is a data race all the same");
    text_clear(&bench->found);
    values[63] = -3;
    all_write_one_element(bench, values);
    expect_text(bench, "write of 4 bytes, value -3, by work-item 63");
    expect_text(bench, "write of 4 bytes, value 7, by work-item 0");
    bench_destroy(bench);
}

/* Each of four rows of 16 work-items writes an element. */
static void values_of_runs_are_found(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    int values[64];
    for (int i = 0; i < 64; i++) {
        values[i] = i;
    }
    begin(bench);
    group(bench, 0);
    vector(bench, 0);
    access(bench, (struct lane_access){.site = SITE_WRITE,
                                       .kind = OBSERVER_WRITE,
                                       .object = &out,
                                       .mask = UINT64_C(3) << 32,
                                       .run = 16,
                                       .jump = 4,
                                       .value = values,
                                       .value_stride = sizeof(int)});
    end(bench);
    assert_string_equal(bench->rules.bytes, "race-global*1 ");
    expect_text(bench, "write of 4 bytes, value 33, by work-item 33");
    expect_text(bench, "write of 4 bytes, value 32, by work-item 32");
    expect_text(bench, "bytes 8 to 11");
    bench_destroy(bench);
}

static void the_earlier_value_is_read_from_memory(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    const int values[64] = {[5] = 9};
    bench->launch.peek = peek_seven;
    begin(bench);
    group(bench, 0);
    vector(bench, 0);
    access(bench, (struct lane_access){
                      .site = SITE_WRITE, .kind = OBSERVER_WRITE, .object = &out, .mask = 1});
    access(bench, (struct lane_access){.site = SITE_READ,
                                       .kind = OBSERVER_WRITE,
                                       .object = &out,
                                       .mask = 1 << 5,
                                       .value = values,
                                       .value_stride = sizeof(int)});
    end(bench);
    expect_text(bench, "value 9, by work-item 5");
    expect_text(bench, "value 7, by work-item 0");
    bench_destroy(bench);
}

static void work_groups_are_never_ordered(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    begin(bench);
    for (uint64_t x = 0; x < 2; x++) {
        group(bench, x);
        vector(bench, 1);
        access(bench, (struct lane_access){
                          .site = SITE_WRITE, .kind = OBSERVER_WRITE, .object = &out, .stride = 4});
        barrier(bench, OBSERVER_FENCE_GLOBAL | OBSERVER_FENCE_LOCAL);
    }
    end(bench);
    assert_string_equal(bench->rules.bytes, "race-global*64 ");
    expect_text(bench, "work-item 64 of work-group 0 and work-item 64 of");
    expect_text(bench, "different work-groups, which no barrier orders");
    expect_text(bench, "global id 192");
    bench_destroy(bench);
}

static void local_memory_is_fresh_in_each_group(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    begin(bench);
    for (uint64_t x = 0; x < 2; x++) {
        group(bench, x);
        vector(bench, 0);
        access(bench,
               (struct lane_access){
                   .site = SITE_WRITE, .kind = OBSERVER_WRITE, .object = &tile, .stride = 4});
    }
    end(bench);
    assert_string_equal(bench->rules.bytes, "");
    bench_destroy(bench);
}

static void a_launch_is_ordered_after_the_one_before(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    for (int i = 0; i < 2; i++) {
        begin(bench);
        group(bench, (uint64_t)i);
        vector(bench, 0);
        access(bench, (struct lane_access){
                          .site = SITE_WRITE, .kind = OBSERVER_WRITE, .object = &out, .stride = 4});
        end(bench);
    }
    assert_string_equal(bench->rules.bytes, "");
    bench_destroy(bench);
}

static void a_call_chain_is_told(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    begin(bench);
    group(bench, 0);
    vector(bench, 0);
    access(bench, (struct lane_access){
                      .site = SITE_HELPER, .kind = OBSERVER_WRITE, .object = &out, .mask = 3});
    end(bench);
    expect_text(bench, "k.cl:9:12, in helper");
    expect_text(bench, "called by k at k.cl:12:3");
    bench_destroy(bench);
}

static void an_edge_group_is_smaller(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    bench->launch.dimensions = 2;
    memcpy(bench->launch.global_size, (uint64_t[3]){10, 6, 1}, sizeof bench->launch.global_size);
    memcpy(bench->launch.local_size, (uint64_t[3]){8, 4, 1}, sizeof bench->launch.local_size);
    memcpy(bench->launch.group_count, (uint64_t[3]){2, 2, 1}, sizeof bench->launch.group_count);
    memcpy(bench->launch.global_offset, (uint64_t[3]){100, 0, 0}, sizeof(uint64_t[3]));
    begin(bench);
    const uint64_t corner[3] = {1, 1, 0}; /* 2 by 2 */
    bench->observer->group_begin(bench->observer->state, corner, 4);
    vector(bench, 0);
    access(bench, (struct lane_access){
                      .site = SITE_WRITE, .kind = OBSERVER_WRITE, .object = &out, .mask = 0xc});
    end(bench);
    expect_text(bench, "work-items (0,1) and (1,1) of work-group (1,1)");
    expect_text(bench, "global id (109,5)");
    bench_destroy(bench);
}

/* ---- atomics ---- */

/* Both groups access out[0] by these, in this scope. */
static void atomics_of_two_groups(struct bench *bench, enum observer_access_kind first,
                                  enum observer_scope first_scope, enum observer_access_kind second,
                                  enum observer_scope second_scope)
{
    begin(bench);
    group(bench, 0);
    vector(bench, 0);
    access(bench,
           (struct lane_access){
               .site = SITE_WRITE, .kind = first, .object = &out, .mask = 1, .scope = first_scope});
    group(bench, 1);
    vector(bench, 0);
    access(
        bench,
        (struct lane_access){
            .site = SITE_READ, .kind = second, .object = &out, .mask = 1, .scope = second_scope});
    end(bench);
}

static void atomics_of_device_scope_are_no_race(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    atomics_of_two_groups(bench, OBSERVER_ATOMIC_RMW, OBSERVER_SCOPE_DEVICE, OBSERVER_ATOMIC_RMW,
                          OBSERVER_SCOPE_DEVICE);
    atomics_of_two_groups(bench, OBSERVER_ATOMIC_WRITE, OBSERVER_SCOPE_ALL_DEVICES,
                          OBSERVER_ATOMIC_READ, OBSERVER_SCOPE_DEVICE);
    assert_string_equal(bench->rules.bytes, "");
    bench_destroy(bench);
}

static void an_atomic_against_a_plain_access_is_a_race(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    atomics_of_two_groups(bench, OBSERVER_ATOMIC_RMW, OBSERVER_SCOPE_DEVICE, OBSERVER_READ,
                          OBSERVER_SCOPE_DEVICE);
    assert_string_equal(bench->rules.bytes, "race-global*1 ");
    expect_text(bench, "both must be");
    bench_destroy(bench);
}

static void too_narrow_a_scope_is_a_race(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    atomics_of_two_groups(bench, OBSERVER_ATOMIC_WRITE, OBSERVER_SCOPE_WORK_GROUP,
                          OBSERVER_ATOMIC_READ, OBSERVER_SCOPE_WORK_GROUP);
    atomics_of_two_groups(bench, OBSERVER_ATOMIC_WRITE, OBSERVER_SCOPE_DEVICE, OBSERVER_ATOMIC_READ,
                          OBSERVER_SCOPE_WORK_GROUP);
    assert_string_equal(bench->rules.bytes, "race-atomic-scope*1 race-atomic-scope*1 ");
    expect_text(bench, "memory_scope_work_group reaches no further than one work-group");
    expect_text(bench, "memory_scope_device and memory_scope_work_group differ");
    bench_destroy(bench);
}

static void what_may_be_a_legacy_atomic_is_a_note(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    atomics_of_two_groups(bench, OBSERVER_ATOMIC_RMW, OBSERVER_SCOPE_WORK_GROUP,
                          OBSERVER_ATOMIC_RMW, OBSERVER_SCOPE_WORK_GROUP);
    assert_string_equal(bench->rules.bytes, "atomic-scope-unclear*1 ");
    bench_destroy(bench);
}

static void legacy_atomics_have_device_scope(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    bench->launch.opencl_c_version = 120;
    atomics_of_two_groups(bench, OBSERVER_ATOMIC_RMW, OBSERVER_SCOPE_WORK_GROUP,
                          OBSERVER_ATOMIC_RMW, OBSERVER_SCOPE_WORK_GROUP);
    assert_string_equal(bench->rules.bytes, "");
    bench_destroy(bench);
}

/* Two work-groups: one writes an element and stores a flag after it, the other reads the flag and
 * then the element. */
static void pass_by_flag(struct bench *bench, enum observer_order store, enum observer_order load)
{
    bench->launch.uses_acquire = true;
    begin(bench);
    group(bench, 0);
    vector(bench, 0);
    access(bench, (struct lane_access){
                      .site = SITE_WRITE, .kind = OBSERVER_WRITE, .object = &out, .mask = 1});
    struct lane_access flag = {.site = SITE_HELPER,
                               .kind = OBSERVER_ATOMIC_WRITE,
                               .object = &out,
                               .mask = 1,
                               .offset = 64,
                               .scope = OBSERVER_SCOPE_DEVICE,
                               .order = store};
    access(bench, flag);
    group(bench, 1);
    vector(bench, 0);
    flag.kind = OBSERVER_ATOMIC_READ;
    flag.order = load;
    access(bench, flag);
    access(bench, (struct lane_access){
                      .site = SITE_READ, .kind = OBSERVER_READ, .object = &out, .mask = 1});
    end(bench);
}

static void release_and_acquire_order(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    pass_by_flag(bench, OBSERVER_ORDER_RELEASE, OBSERVER_ORDER_ACQUIRE);
    pass_by_flag(bench, OBSERVER_ORDER_SEQ_CST, OBSERVER_ORDER_SEQ_CST);
    assert_string_equal(bench->rules.bytes, "");
    pass_by_flag(bench, OBSERVER_ORDER_RELAXED, OBSERVER_ORDER_ACQUIRE);
    pass_by_flag(bench, OBSERVER_ORDER_RELEASE, OBSERVER_ORDER_RELAXED);
    assert_string_equal(bench->rules.bytes, "race-global*1 race-global*1 ");
    bench_destroy(bench);
}

/* A lock that is taken already: whoever fails to take it only reads. */
static void a_failed_compare_exchange_reads(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    const struct lane_atomic failing = {.is_compare_exchange = true, .only_reading = 6};
    for (int acquires = 0; acquires < 2; acquires++) {
        bench->launch.uses_acquire = acquires == 1;
        begin(bench);
        group(bench, 0);
        vector(bench, 0);
        access(bench, (struct lane_access){
                          .site = SITE_READ, .kind = OBSERVER_READ, .object = &out, .mask = 1});
        const struct lane_access exchange = {.site = SITE_HELPER,
                                             .kind = OBSERVER_ATOMIC_RMW,
                                             .object = &out,
                                             .mask = 6,
                                             .scope = OBSERVER_SCOPE_DEVICE,
                                             .atomic = &failing};
        access(bench, exchange);
        end(bench);
    }
    assert_string_equal(bench->rules.bytes, "");
    bench_destroy(bench);
}

/* ---- what a launch only reads ---- */

/* Does the checker, which need not be told for as long as it says so, want to be? */
static bool wants_reads(const struct bench *bench, const struct observer_object *object)
{
    return *bench->observer->wants(bench->observer->state, object, OBSERVER_READ);
}

static bool is_out(const void *launch, uint32_t object_id)
{
    (void)launch;
    return object_id == out.id;
}

/* Lane i writes what lane i + 1 has read. */
static void read_and_write(struct bench *bench)
{
    bench->launch.only_read = is_out;
    begin(bench);
    group(bench, 0);
    vector(bench, 0);
    access(bench, (struct lane_access){
                      .site = SITE_READ, .kind = OBSERVER_READ, .object = &out, .stride = 4});
    access(
        bench,
        (struct lane_access){
            .site = SITE_WRITE, .kind = OBSERVER_WRITE, .object = &out, .offset = 4, .stride = 4});
}

static void a_write_to_what_was_only_read_is_admitted(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    read_and_write(bench);
    end(bench);
    assert_string_equal(bench->rules.bytes, "analysis-incomplete*1 ");
    expect_text(bench, "not given as an argument");
    bench_destroy(bench);
}

static void any_read_of_what_is_only_read_passes(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    bench->launch.only_read = is_out;
    begin(bench);
    group(bench, 0);
    assert_false(wants_reads(bench, &out));
    assert_true(wants_reads(bench, &tile));
    access(bench, (struct lane_access){
                      .site = SITE_READ, .kind = OBSERVER_READ, .object = &out, .stride = 4});
    access(bench, (struct lane_access){.site = SITE_HELPER,
                                       .kind = OBSERVER_ATOMIC_READ,
                                       .object = &out,
                                       .scope = OBSERVER_SCOPE_DEVICE,
                                       .stride = 4});
    end(bench);
    assert_string_equal(bench->rules.bytes, "");
    bench_destroy(bench);
}

static bool is_tile(const void *launch, const struct observer_object *object)
{
    (void)launch;
    return object->id == tile.id;
}

/* Which would race, if that had not been shown not to be. Atomic operations have more that may be
 * wrong. */
static void what_is_shown_to_be_apart_passes(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    bench->launch.apart = is_tile;
    begin(bench);
    group(bench, 0);
    vector(bench, 0);
    assert_false(wants_reads(bench, &tile));
    assert_false(*bench->observer->wants(bench->observer->state, &tile, OBSERVER_WRITE));
    assert_true(*bench->observer->wants(bench->observer->state, &out, OBSERVER_WRITE));
    for (uint32_t i = 0; i < 2; i++)
        access(bench, (struct lane_access){.site = SITE_WRITE,
                                           .kind = OBSERVER_WRITE,
                                           .object = &tile,
                                           .offset = 4 * i,
                                           .stride = 4});
    assert_string_equal(bench->rules.bytes, "");
    access(bench, (struct lane_access){
                      .site = SITE_WRITE, .kind = OBSERVER_WRITE, .object = &out, .stride = 4});
    access(bench,
           (struct lane_access){
               .site = SITE_READ, .kind = OBSERVER_READ, .object = &out, .offset = 4, .stride = 4});
    end(bench);
    assert_string_not_equal(bench->rules.bytes, "");
    bench_destroy(bench);
}

static void reads_are_watched_from_such_a_write_on(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    read_and_write(bench);
    assert_true(wants_reads(bench, &out));
    vector(bench, 1);
    access(bench,
           (struct lane_access){
               .site = SITE_READ, .kind = OBSERVER_READ, .object = &out, .mask = 2, .stride = 4});
    end(bench);
    expect_text(bench, "work-item 65 of work-group 0");
    bench_destroy(bench);
}

/* ---- single events ---- */

static void fault(struct bench *bench, struct observer_fault fault)
{
    begin(bench);
    group(bench, 0);
    vector(bench, 1);
    fault.site = SITE_READ;
    fault.size = 4;
    fault.mask = 0xc;
    bench->observer->fault(bench->observer->state, &fault);
    end(bench);
}

static void accesses_out_of_bounds_are_measured(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    fault(bench, (struct observer_fault){.kind = OBSERVER_FAULT_BOUNDS,
                                         .access = OBSERVER_READ,
                                         .object = &out,
                                         .offset = 4096});
    expect_text(bench, "work-item 66 of work-group 0 reads 4 bytes at element 1024");
    expect_text(bench, "as does 1 more work-item");
    expect_text(bench, "right at the end of 'out', whose elements are 0 to 1023");
    fault(bench, (struct observer_fault){.kind = OBSERVER_FAULT_BOUNDS,
                                         .access = OBSERVER_WRITE,
                                         .object = &tile,
                                         .offset = -8});
    expect_text(bench, "8 bytes before the start of 'tile'");
    fault(bench, (struct observer_fault){.kind = OBSERVER_FAULT_BOUNDS,
                                         .access = OBSERVER_WRITE,
                                         .object = &out,
                                         .offset = 4094});
    expect_text(bench, "begins inside 'out' and ends 2 bytes past its end");
    assert_string_equal(bench->rules.bytes, "bounds-global*1 bounds-local*1 bounds-global*1 ");
    bench_destroy(bench);
}

static void every_kind_of_fault_has_its_rule(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    for (int kind = OBSERVER_FAULT_NULL; kind <= OBSERVER_FAULT_MISALIGNED; kind++) {
        const bool nowhere = kind == OBSERVER_FAULT_NULL || kind == OBSERVER_FAULT_WILD;
        fault(bench, (struct observer_fault){.kind = (enum observer_fault_kind)kind,
                                             .access = OBSERVER_WRITE,
                                             .object = nowhere ? NULL : &out,
                                             .alignment = 16});
    }
    assert_string_equal(bench->rules.bytes,
                        "access-null*1 access-wild*1 access-freed*1 access-read-only*1 "
                        "access-write-only*1 access-misaligned*1 ");
    bench_destroy(bench);
}

static void undefined_values_are_traced_to_their_origin(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    begin(bench);
    group(bench, 0);
    vector(bench, 0);
    for (int use = OBSERVER_UNDEFINED_BRANCH; use <= OBSERVER_UNDEFINED_OUTPUT; use++) {
        const struct observer_undefined undefined = {
            .use = (enum observer_undefined_use)use,
            .site = SITE_READ,
            .mask = 1,
            .origin_site = use == OBSERVER_UNDEFINED_BRANCH ? SITE_WRITE : UINT32_MAX,
            .origin_name = use == OBSERVER_UNDEFINED_BRANCH ? "x" : NULL,
        };
        bench->observer->undefined(bench->observer->state, &undefined);
        bench->observer->undefined(bench->observer->state, &undefined);
    }
    end(bench);
    assert_string_equal(bench->rules.bytes, "uninitialised-branch*2 uninitialised-address*2 "
                                            "uninitialised-output*2 ");
    expect_text(bench, "branches on the value of 'x', which was never");
    expect_text(bench, "the undefined value comes from here");
    bench_destroy(bench);
}

static void each_way_to_diverge_is_told_apart(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    begin(bench);
    group(bench, 0);
    for (int kind = OBSERVER_DIVERGENCE_FINISHED; kind <= OBSERVER_DIVERGENCE_MIXED; kind++) {
        const struct observer_divergence divergence = {
            .kind = (enum observer_divergence_kind)kind,
            .site = SITE_BARRIER,
            .other_site = kind == OBSERVER_DIVERGENCE_ELSEWHERE ? SITE_READ : SITE_BARRIER,
            .waiting_count = 2,
            .other_count = 1,
            .other_item = 2,
            .waiting_iteration = 1,
        };
        bench->observer->divergence(bench->observer->state, &divergence);
    }
    end(bench);
    assert_string_equal(bench->rules.bytes,
                        "divergence-barrier*1 divergence-barrier*1 divergence-barrier*1 "
                        "divergence-barrier*1 divergence-barrier*1 ");
    expect_text(bench, "2 work-items of work-group 0 wait at a barrier that 1 work-item");
    expect_text(bench, "in iteration 1 of a loop and");
    bench_destroy(bench);
}

/* ---- the whole ---- */

static void only_enabled_rules_cost_events(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    struct checks checks = {{0}};
    kernel_checker_set_checks(bench->checker, &checks);
    assert_null(kernel_checker_observer(bench->checker));
    checks_add(&checks, RULE_BOUNDS_GLOBAL);
    kernel_checker_set_checks(bench->checker, &checks);
    const struct observer *observer = kernel_checker_observer(bench->checker);
    assert_non_null(observer);
    assert_null(observer->access);
    assert_null(observer->divergence);
    assert_non_null(observer->fault);
    checks_remove(&checks, RULE_BOUNDS_GLOBAL);
    checks_add(&checks, RULE_LIFETIME_ENDED);
    kernel_checker_set_checks(bench->checker, &checks);
    assert_non_null(kernel_checker_observer(bench->checker)->fault);
    bench_destroy(bench);
}

/* Makes the bench's checker a scout. */
static void send_scout(struct bench *bench, const struct checks *checks, uint32_t record_limit)
{
    kernel_checker_destroy(bench->checker);
    assert_int_equal(kernel_checker_create_scout(checks, record_limit, &bench->checker, NULL),
                     STATUS_OK);
    bench->observer = kernel_checker_observer(bench->checker);
}

static void a_scout_only_says_that_there_is_something(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    struct checks checks;
    checks_set_all(&checks);
    send_scout(bench, &checks, 0);
    neighbour_exchange(bench, -1);
    assert_true(kernel_checker_has_found(bench->checker));
    neighbour_exchange(bench, OBSERVER_FENCE_LOCAL);
    assert_false(kernel_checker_has_found(bench->checker));
    assert_int_equal(bench->rules.size, 0);
    /* A rule that nobody asked for is nothing; but what was not looked at is, whatever was asked.
     */
    checks_remove(&checks, RULE_RACE_LOCAL);
    checks_remove(&checks, RULE_ANALYSIS_INCOMPLETE);
    send_scout(bench, &checks, 0);
    neighbour_exchange(bench, -1);
    assert_false(kernel_checker_has_found(bench->checker));
    send_scout(bench, &checks, 2);
    neighbour_exchange(bench, OBSERVER_FENCE_LOCAL);
    assert_true(kernel_checker_has_found(bench->checker));
    bench_destroy(bench);
}

static void a_disabled_rule_is_silent(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    struct checks checks = {{0}};
    checks_add(&checks, RULE_RACE_GLOBAL);
    kernel_checker_set_checks(bench->checker, &checks);
    neighbour_exchange(bench, -1);
    assert_string_equal(bench->rules.bytes, "");
    bench_destroy(bench);
}

static void every_failed_allocation_leaves_a_note(void **state)
{
    (void)state;
    struct bench *bench = bench_create();
    neighbour_exchange(bench, -1); /* the texts have their memory now */
    uint64_t n = 0;
    bool failing = true;
    for (n = 1; failing && n < 1000; n++) {
        struct checks checks;
        checks_set_all(&checks);
        kernel_checker_destroy(bench->checker);
        bench->checker = NULL;
        text_clear(&bench->rules);
        text_clear(&bench->found);
        alloc_fail_at(n);
        const uint64_t before = alloc_request_count();
        if (kernel_checker_create(&checks, take, bench, &bench->checker, NULL) == STATUS_OK) {
            bench->observer = kernel_checker_observer(bench->checker);
            neighbour_exchange(bench, -1);
        }
        failing = alloc_request_count() - before >= n;
        alloc_fail_at(0);
        if (!failing) {
            assert_string_equal(bench->rules.bytes, "race-local*63 ");
        }
    }
    assert_in_range(n, 10, 999);
    bench_destroy(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_barrier_is_told_in_full),
        cmocka_unit_test(a_barrier_with_the_right_flag_orders),
        cmocka_unit_test(a_barrier_with_the_wrong_flag_is_named),
        cmocka_unit_test(a_barrier_without_flags_is_named),
        cmocka_unit_test(values_of_one_instruction_are_compared),
        cmocka_unit_test(values_of_runs_are_found),
        cmocka_unit_test(the_earlier_value_is_read_from_memory),
        cmocka_unit_test(work_groups_are_never_ordered),
        cmocka_unit_test(local_memory_is_fresh_in_each_group),
        cmocka_unit_test(a_launch_is_ordered_after_the_one_before),
        cmocka_unit_test(a_call_chain_is_told),
        cmocka_unit_test(an_edge_group_is_smaller),
        cmocka_unit_test(atomics_of_device_scope_are_no_race),
        cmocka_unit_test(an_atomic_against_a_plain_access_is_a_race),
        cmocka_unit_test(too_narrow_a_scope_is_a_race),
        cmocka_unit_test(what_may_be_a_legacy_atomic_is_a_note),
        cmocka_unit_test(legacy_atomics_have_device_scope),
        cmocka_unit_test(release_and_acquire_order),
        cmocka_unit_test(a_failed_compare_exchange_reads),
        cmocka_unit_test(a_write_to_what_was_only_read_is_admitted),
        cmocka_unit_test(any_read_of_what_is_only_read_passes),
        cmocka_unit_test(what_is_shown_to_be_apart_passes),
        cmocka_unit_test(reads_are_watched_from_such_a_write_on),
        cmocka_unit_test(accesses_out_of_bounds_are_measured),
        cmocka_unit_test(every_kind_of_fault_has_its_rule),
        cmocka_unit_test(undefined_values_are_traced_to_their_origin),
        cmocka_unit_test(each_way_to_diverge_is_told_apart),
        cmocka_unit_test(only_enabled_rules_cost_events),
        cmocka_unit_test(a_scout_only_says_that_there_is_something),
        cmocka_unit_test(a_disabled_rule_is_silent),
        cmocka_unit_test(every_failed_allocation_leaves_a_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
