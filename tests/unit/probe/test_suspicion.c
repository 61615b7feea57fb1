/* What a record says as a finding; and words that are no record, which a kernel can leave that
 * wrote where it must not. */
#include "checkers/probe/cells.h"
#include "checkers/probe/suspicion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fact_argument arguments[] = {
    {.name = "in", .type_name = "", .plain_type_name = ""},
    {.name = "out", .type_name = "", .plain_type_name = ""},
};
static const struct fact_kernel facts = {
    .name = "copy", .arguments = arguments, .argument_count = 2};
static struct checked_site sites[] = {
    {"<source>", 7, CHECKED_READ, "in[i]", "", ""},
    {"<source>", 8, CHECKED_WRITE, "out[i]", "", ""},
    {"a.h", 3, CHECKED_UPDATE, "tile[i]", "", "tile"},
    {"a.h", 4, CHECKED_ATOMIC, "atomic_inc(out)", "", ""},
    {"<source>", 9, CHECKED_BARRIER, "barrier(0)", "", ""},
    {"a.h", 5, CHECKED_BARRIER, "barrier(1)", "", ""},
    {"a.h", 5, CHECKED_COPY, "async_work_group_copy(tile, in, 8, 0)", "", ""},
};
static const struct checked checked = {.reason = "", .sites = sites, .site_count = 7};
static const struct suspicion_launch in_groups = {
    .kernel = "copy",
    .device = "Some GPU",
    .facts = &facts,
    .checked = &checked,
    .call_id = 12,
    .dimensions = 2,
    .offset = {100, 0, 0},
    .global = {64, 4, 1},
    .local = {16, 2, 1},
};

struct record {
    uint32_t what, site, bytes;
    int64_t offset;
    uint64_t size, other;
};

static void write_words(const struct record *record, uint32_t *words)
{
    memset(words, 0, REPORT_RECORD_WORDS * sizeof *words);
    words[REPORT_WORD_WHAT] = record->what;
    words[REPORT_WORD_SITE] = record->site;
    words[REPORT_WORD_LAUNCH] = 3;
    words[REPORT_WORD_BYTES] = record->bytes;
    memcpy(words + REPORT_WORD_OFFSET, &record->offset, sizeof record->offset);
    memcpy(words + REPORT_WORD_SIZE, &record->size, sizeof record->size);
    words[REPORT_WORD_ID] = 100 + 16 + 5;
    words[REPORT_WORD_ID + 1] = 3;
    words[REPORT_WORD_GROUP] = 1;
    words[REPORT_WORD_GROUP + 1] = 1;
    memcpy(words + REPORT_WORD_OTHER, &record->other, sizeof record->other);
}

#define WHAT(kind, argument, space) ((kind) | (uint32_t)(argument) << 8 | (uint32_t)(space) << 16)

static void check(const struct record *record, const struct suspicion_launch *launch,
                  enum rule_index rule, const char *message, const char *reason)
{
    uint32_t words[REPORT_RECORD_WORDS];
    struct arena arena = {0};
    struct finding finding;
    write_words(record, words);
    assert_true(suspicion_finding(words, launch, &arena, &finding));
    assert_int_equal(finding.rule, rule);
    assert_string_equal(finding.message, message);
    assert_string_equal(finding.reason, reason);
    assert_string_equal(finding.places[0].file, sites[record->site].file);
    assert_int_equal(finding.places[0].line, sites[record->site].line);
    assert_int_equal(finding.call_id, launch->call_id);
    arena_release(&arena);
}

static void accesses_beyond_memory_are_told(void **state)
{
    (void)state;
    check(&(struct record){WHAT(REPORT_BOUNDS, 1, REPORT_GLOBAL), 1, 4, 256, 256, 0}, &in_groups,
          RULE_BOUNDS_GLOBAL,
          "work-item (5,1) of work-group (1,1) writes 4 bytes at element 64 of global memory "
          "'out' (256 bytes)",
          "the access begins right at the end of 'out', whose elements are 0 to 63");
    check(&(struct record){WHAT(REPORT_BOUNDS, 0, REPORT_CONSTANT), 0, 16, -16, 256, 0}, &in_groups,
          RULE_BOUNDS_CONSTANT,
          "work-item (5,1) of work-group (1,1) reads 16 bytes at byte -16 of constant memory "
          "'in' (256 bytes)",
          "the access begins 16 bytes before the start of 'in'");
    check(&(struct record){WHAT(REPORT_BOUNDS, 0xff, REPORT_LOCAL), 2, 4, 64, 64, 0}, &in_groups,
          RULE_BOUNDS_LOCAL,
          "work-item (5,1) of work-group (1,1) reads and writes 4 bytes at element 16 of "
          "local memory 'tile' (64 bytes)",
          "the access begins right at the end of 'tile', whose elements are 0 to 15");
    check(&(struct record){WHAT(REPORT_NULL, 0, REPORT_GLOBAL), 0, 4, 20, 0, 0}, &in_groups,
          RULE_ACCESS_NULL,
          "work-item (5,1) of work-group (1,1) reads 4 bytes through 'in', a null pointer",
          "the argument was set to NULL");
    check(&(struct record){WHAT(REPORT_READ_ONLY, 1, REPORT_GLOBAL), 1, 1, 3, 8, 0}, &in_groups,
          RULE_ACCESS_READ_ONLY,
          "work-item (5,1) of work-group (1,1) writes 1 byte at element 3 of global memory "
          "'out' (8 bytes)",
          "the memory object was created with CL_MEM_READ_ONLY");
}

static void values_that_nobody_wrote_are_told(void **state)
{
    (void)state;
    check(&(struct record){WHAT(REPORT_UNWRITTEN, 0xff, REPORT_LOCAL), 2, 4, 20, 64, 0}, &in_groups,
          RULE_UNINITIALISED_READ,
          "work-item (5,1) of work-group (1,1) reads and writes 4 bytes at element 5 of local "
          "memory 'tile' (64 bytes)",
          "no work-item of the work-group has written there before");
}

/* As report.h has it: two coordinates or sizes in a word of 64 bits. */
static uint64_t both(int32_t first, int32_t second)
{
    return (uint32_t)first | (uint64_t)(uint32_t)second << 32;
}

static void texels_outside_are_told(void **state)
{
    (void)state;
    check(&(struct record){WHAT(REPORT_TEXEL, 1, REPORT_IMAGE_2D), 1, 2, (int64_t)both(-1, 7),
                           both(8, 4), both(0, 1)},
          &in_groups, RULE_IMAGE_BOUNDS,
          "work-item (5,1) of work-group (1,1) writes texel (-1, 7) of 2D image 'out' (8 x 4 "
          "texels)",
          "what a write outside the image does is undefined");
    check(&(struct record){WHAT(REPORT_TEXEL, 0xff, REPORT_IMAGE_3D), 0, 3, (int64_t)both(0, 1),
                           both(8, 4), both(2, 2)},
          &in_groups, RULE_IMAGE_BOUNDS,
          "work-item (5,1) of work-group (1,1) reads texel (0, 1, 2) of 3D image (8 x 4 x 2 "
          "texels)",
          "without a sampler the value is undefined");
    check(&(struct record){WHAT(REPORT_TEXEL, 0, REPORT_IMAGE_1D), 0, 1 | REPORT_IMAGE_SAMPLED, 1,
                           both(1, 1), both(0, 1)},
          &in_groups, RULE_IMAGE_BOUNDS,
          "work-item (5,1) of work-group (1,1) reads texel 1 of 1D image 'in' (1 texel)",
          "the sampler has CLK_ADDRESS_NONE, which leaves the value undefined");
}

static void freed_memory_is_told(void **state)
{
    (void)state;
    check(&(struct record){WHAT(REPORT_FREED, 0xff, REPORT_GLOBAL), 0, 4, 4096, 0, 0}, &in_groups,
          RULE_ACCESS_FREED,
          "work-item (5,1) of work-group (1,1) reads 4 bytes through a pointer into shared "
          "virtual memory that was freed",
          "nothing was allocated there since");
}

static uint64_t cell(uint32_t kind, uint32_t group, uint32_t lid, bool many_groups, bool many_items)
{
    return (uint64_t)kind << CLERK_CELL_KIND | (uint64_t)group << CLERK_CELL_GROUP |
           (uint64_t)lid << CLERK_CELL_LID | (uint64_t)many_groups << CLERK_CELL_GROUPS |
           (uint64_t)many_items << CLERK_CELL_ITEMS;
}

static void races_are_told(void **state)
{
    (void)state;
    const uint32_t what = WHAT(REPORT_RACE, 1, REPORT_GLOBAL);
    struct suspicion_launch chosen = in_groups;
    memset(chosen.local, 0, sizeof chosen.local);
    /* Groups are 4 x 2, items 16 x 2: group 5 is (1,1,0), item 17 (1,1,0). */
    check(&(struct record){what, 1, 4, 20, 256, cell(CLERK_READ, 2, 17, false, false)}, &in_groups,
          RULE_RACE_GLOBAL,
          "work-item (5,1) of work-group (1,1) and work-item (1,1) of work-group (2,0) "
          "race on 4 bytes at element 5 of global memory 'out' (256 bytes)",
          "they are in different work-groups, which no barrier orders; the other access was a "
          "read");
    check(&(struct record){what, 1, 4, 20, 256, cell(CLERK_WRITE, 5, 17, false, true)}, &in_groups,
          RULE_RACE_GLOBAL,
          "work-item (5,1) of work-group (1,1) and a work-item of the same work-group race on "
          "4 bytes at element 5 of global memory 'out' (256 bytes)",
          "no barrier with CLK_GLOBAL_MEM_FENCE separates them within the work-group; the other "
          "access was a write");
    check(&(struct record){what, 3, 4, 20, 256, cell(CLERK_ATOMIC, 2, 1, true, false)}, &chosen,
          RULE_RACE_GLOBAL,
          "the work-item with global id (121,3) and a work-item of another work-group race on 4 "
          "bytes at element 5 of global memory 'out' (256 bytes)",
          "they are in different work-groups, which no barrier orders; the other access was an "
          "atomic operation");
    check(&(struct record){WHAT(REPORT_RACE, 0xff, REPORT_LOCAL), 2, 4, 20, 64,
                           cell(CLERK_WRITE, 0, 3, false, false)},
          &in_groups, RULE_RACE_LOCAL,
          "work-item (5,1) of work-group (1,1) and work-item (3,0) of the same work-group "
          "race on 4 bytes at element 5 of local memory 'tile' (64 bytes)",
          "no barrier separates them within the work-group; the other access was a write");
    /* With an asynchronous copy, which comes first or second. */
    static const char why[] = "a copy runs beside the work-items until wait_group_events, and does "
                              "not wait for what they did since the last barrier; the other access "
                              "was a ";
    char reason[200];
    snprintf(reason, sizeof reason, "%swrite", why);
    check(&(struct record){WHAT(REPORT_RACE, 0xff, REPORT_LOCAL), 2, 4, 20, 64,
                           cell(CLERK_WRITE, 0, CLERK_LID_COPY, false, false)},
          &in_groups, RULE_RACE_LOCAL,
          "work-item (5,1) of work-group (1,1) and an asynchronous copy of the same work-group "
          "race on 4 bytes at element 5 of local memory 'tile' (64 bytes)",
          reason);
    snprintf(reason, sizeof reason, "%sread", why);
    check(&(struct record){WHAT(REPORT_RACE, 0, REPORT_GLOBAL), 6, 4, 20, 64,
                           cell(CLERK_READ, 5, 3, false, false)},
          &in_groups, RULE_RACE_GLOBAL,
          "an asynchronous copy of work-group (1,1) and work-item (3,0) of the same work-group "
          "race on 4 bytes at element 5 of global memory 'in' (64 bytes)",
          reason);
}

/* Where it is not known which kernel it was, of any. */
static void more_than_barriers_may_order(void **state)
{
    (void)state;
    struct checked_kernel kernels[] = {{.name = "copy"}, {.name = "other"}};
    struct checked both = checked;
    struct suspicion_launch launch = in_groups, unknown = in_groups;
    both.kernels = kernels;
    both.kernel_count = 2;
    launch.checked = unknown.checked = &both;
    unknown.kernel = "(one of many)";
    for (unsigned ordered = 0; ordered < 4; ordered++) {
        uint32_t words[REPORT_RECORD_WORDS];
        struct arena arena = {0};
        struct finding finding;
        kernels[0].is_ordered_otherwise = ordered & 1;
        kernels[1].is_ordered_otherwise = ordered & 2;
        write_words(&(struct record){WHAT(REPORT_RACE, 1, REPORT_GLOBAL), 1, 4, 20, 256,
                                     cell(CLERK_READ, 2, 17, false, false)},
                    words);
        assert_true(suspicion_finding(words, &launch, &arena, &finding));
        assert_int_equal(finding.rule, ordered & 1 ? RULE_RACE_UNCONFIRMED : RULE_RACE_GLOBAL);
        assert_true(suspicion_finding(words, &unknown, &arena, &finding));
        assert_int_equal(finding.rule, ordered ? RULE_RACE_UNCONFIRMED : RULE_RACE_GLOBAL);
        arena_release(&arena);
    }
}

static void barriers_that_not_all_reach_are_told(void **state)
{
    (void)state;
    const uint32_t what = WHAT(REPORT_DIVERGENCE, 0xff, REPORT_LOCAL);
    check(&(struct record){what, 4, 1, 30, 32, 4}, &in_groups, RULE_DIVERGENCE_BARRIER,
          "only 30 of the 32 work-items of work-group (1,1) reach a barrier",
          "once one work-item reaches the barrier all of the work-group must");
    check(&(struct record){what, 4, 1, 33, 32, 5}, &in_groups, RULE_DIVERGENCE_BARRIER,
          "the work-items of work-group (1,1) wait at different barriers",
          "all work-items of the work-group must execute the same barrier before any goes on");
    uint32_t words[REPORT_RECORD_WORDS];
    struct arena arena = {0};
    struct finding finding;
    write_words(&(struct record){what, 4, 1, 32, 32, 5}, words);
    assert_true(suspicion_finding(words, &in_groups, &arena, &finding));
    assert_int_equal(finding.place_count, 2);
    assert_string_equal(finding.places[0].label,
                        "work-item (5,1) of work-group (1,1), global id (121,3), waits here");
    assert_string_equal(finding.places[1].file, "a.h");
    assert_int_equal(finding.places[1].line, 5);
    struct suspicion_launch chosen = in_groups;
    chosen.local[0] = 0;
    assert_true(suspicion_finding(words, &chosen, &arena, &finding));
    assert_string_equal(finding.places[0].label, "the work-item with global id (121,3) waits here");
    write_words(&(struct record){what, 4, 1, 64, 32, 7}, words); /* of no site */
    assert_true(suspicion_finding(words, &in_groups, &arena, &finding));
    assert_int_equal(finding.place_count, 1);
    arena_release(&arena);
}

static void what_is_no_record_is_not_told(void **state)
{
    (void)state;
    static const struct record records[] = {
        {WHAT(REPORT_NOTHING, 0, 0), 0, 4, 0, 4, 0},
        {WHAT(REPORT_TEXEL + 1, 0, 0), 0, 4, 0, 4, 0},
        {WHAT(REPORT_BOUNDS, 0, 3), 0, 4, 0, 4, 0},
        {WHAT(REPORT_BOUNDS, 0, 0), 7, 4, 0, 4, 0},
        {WHAT(REPORT_BOUNDS, 0, 0), 4, 4, 0, 4, 0},
        {WHAT(REPORT_DIVERGENCE, 0, 0), 0, 1, 0, 4, 0},
        {WHAT(REPORT_BOUNDS, 0, 0), 0, 0, 0, 4, 0},
        {WHAT(REPORT_TEXEL, 0, REPORT_IMAGES), 0, 1, 0, 4, 0},
        {WHAT(REPORT_TEXEL, 0, 0), 0, 4, 0, 4, 0},
    };
    uint32_t words[REPORT_RECORD_WORDS];
    struct arena arena = {0};
    struct finding finding;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        write_words(&records[i], words);
        assert_false(suspicion_finding(words, &in_groups, &arena, &finding));
    }
    /* Whatever the words are, reading them ends, without a fault. */
    srand(1);
    for (int n = 0; n < 100000; n++) {
        struct suspicion_launch launch = in_groups;
        for (size_t i = 0; i < REPORT_RECORD_WORDS; i++)
            words[i] = (uint32_t)rand() ^ (uint32_t)rand() << 16;
        words[REPORT_WORD_WHAT] &= 0x00030107;
        words[REPORT_WORD_SITE] &= 7;
        launch.facts = n % 2 ? &facts : NULL;
        launch.dimensions = (uint32_t)(n % 4);
        launch.local[n % 3] = 0;
        suspicion_finding(words, &launch, &arena, &finding);
        arena_reset(&arena);
    }
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_beyond_memory_are_told),
        cmocka_unit_test(values_that_nobody_wrote_are_told),
        cmocka_unit_test(texels_outside_are_told),
        cmocka_unit_test(freed_memory_is_told),
        cmocka_unit_test(races_are_told),
        cmocka_unit_test(more_than_barriers_may_order),
        cmocka_unit_test(barriers_that_not_all_reach_are_told),
        cmocka_unit_test(what_is_no_record_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
