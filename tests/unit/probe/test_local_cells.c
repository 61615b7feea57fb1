/* The cells of local memory, the very text that kernels run, against the oracle: all interleavings
 * of the single loads, stores and exchanges of three items with up to two accesses each. */
#include "tests/unit/probe/cells_host.h"

#include "checkers/probe/cells.cl"

#include "checkers/probe/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    ITEMS = 3,
    EACH = 2, /* accesses of an item, at most */
    READS_AND_WRITES = 1U << CLERK_READ | 1U << CLERK_WRITE,
    WITH_ATOMICS = READS_AND_WRITES | 1U << CLERK_ATOMIC,
    WITH_ATOMIC_READS = WITH_ATOMICS | 1U << CLERK_ATOMIC_READ,
};

static struct racing_world world;
static uint items[ITEMS][RACING_EPOCHS];

static void set_items(const uint lids[ITEMS], uint barriers)
{
    for (int i = 0; i < ITEMS; i++) {
        uint item = clerk_local_item(lids[i]);
        for (uint barrier = 0; barrier < barriers; barrier++) {
            item = clerk_local_next(item);
        }
        items[i][0] = item;
        items[i][1] = clerk_local_next(item);
    }
}

static int set_up(void **state)
{
    (void)state;
    static const uint lids[ITEMS] = {0, 1, 2};
    world.region = ORACLE_LOCAL;
    racing_world_init(&world);
    set_items(lids, 0);
    return 0;
}

static bool perform(const struct racing_access *access)
{
    ulong other;
    const uint result =
        clerk_local_access(racing_words, items[access->item][access->epoch], access->kind, &other);
    return (result & CLERK_RACES) != 0;
}

/* ---- all programs ---- */

/* May the race of these two be missed? */
typedef bool excuse(struct racing_access one, struct racing_access two);

/* The accesses of one item. */
struct part {
    struct racing_access accesses[EACH];
    size_t count;
};

static struct {
    struct part parts[64];
    size_t part_count;
    uint32_t epochs;
    uint32_t whole_kinds;
    excuse *is_excused;
    struct racing_access accesses[RACING_ACCESSES];
    size_t count;
    uint32_t racing; /* accesses, as bits */
    ulong programs, racy_programs, programs_with_misses;
    ulong schedules, racy, found, missed, false_alarms;
} search;

static void add_parts(uint32_t kinds, size_t count, struct part part)
{
    part.count = count;
    search.parts[search.part_count++] = part;
    assert_true(search.part_count < sizeof search.parts / sizeof *search.parts);
    const uint32_t first = count != 0 ? part.accesses[count - 1].epoch : 0;
    for (uint32_t epoch = first; count < EACH && epoch < search.epochs; epoch++) {
        for (uint32_t kind = 0; kind < RACING_KINDS; kind++) {
            if ((kinds >> kind & 1) != 0) {
                part.accesses[count] = (struct racing_access){.epoch = epoch, .kind = kind};
                add_parts(kinds, count + 1, part);
            }
        }
    }
}

static void check_missed(void)
{
    for (size_t a = 0; a < search.count; a++) {
        for (size_t b = 0; b < search.count; b++) {
            const struct racing_access one = search.accesses[a];
            const struct racing_access two = search.accesses[b];
            if (racing_races(&world, one, two)) {
                assert_true(search.is_excused(one, two) || search.is_excused(two, one));
            }
        }
    }
}

static void see_outcome(struct racing_outcome outcome, void *context)
{
    bool *missed = context;
    const bool found = (outcome.found & search.racing) != 0;
    search.schedules += outcome.schedules;
    search.false_alarms += (outcome.found & ~search.racing) != 0 ? outcome.schedules : 0;
    if (search.racing != 0) {
        search.racy += outcome.schedules;
        search.found += found ? outcome.schedules : 0;
        search.missed += found ? 0 : outcome.schedules;
        *missed = *missed || !found;
    }
}

static void try_program(const size_t parts[ITEMS])
{
    bool missed = false;
    search.count = 0;
    for (uint32_t item = 0; item < ITEMS; item++) {
        const struct part *part = &search.parts[parts[item]];
        for (size_t i = 0; i < part->count; i++) {
            search.accesses[search.count] = part->accesses[i];
            search.accesses[search.count++].item = item;
        }
    }
    const struct racing_exploration exploration = {.world = &world,
                                                   .accesses = search.accesses,
                                                   .count = search.count,
                                                   .perform = perform,
                                                   .whole_kinds = search.whole_kinds};
    search.racing = racing_all(&world, search.accesses, search.count);
    racing_explore(&exploration, see_outcome, &missed);
    search.programs++;
    search.racy_programs += search.racing != 0;
    search.programs_with_misses += missed;
    if (missed) {
        check_missed();
    }
}

/* The writer had read the element itself, in the same epoch: then its reading may have hidden the
 * reader's. */
static bool has_read_before(struct racing_access reader, struct racing_access writer)
{
    bool has_read = false;
    for (size_t i = 0; i < search.count; i++) {
        has_read = has_read || (search.accesses[i].item == writer.item &&
                                search.accesses[i].epoch == writer.epoch &&
                                search.accesses[i].kind == CLERK_READ);
    }
    return reader.kind == CLERK_READ && has_read;
}

/* Items 0 and 1 look like one, so what one has read the other may be taken to have read. */
static bool looks_like_one_item(struct racing_access reader, struct racing_access writer)
{
    const bool are_alike = reader.item < 2 && writer.item < 2;
    struct racing_access twin = writer;
    if (writer.item < 2) {
        twin.item = 1 - writer.item;
    }
    return are_alike || has_read_before(reader, writer) || has_read_before(reader, twin);
}

/* No code asks which of two items has the larger number, so one order of the items is enough, but
 * where some look alike. */
static void try_programs(const char *name, uint32_t kinds, uint32_t epochs, uint32_t whole_kinds,
                         excuse *is_excused)
{
    size_t parts[ITEMS];
    memset(&search, 0, sizeof search);
    search.epochs = epochs;
    search.whole_kinds = whole_kinds;
    search.is_excused = is_excused;
    add_parts(kinds, 0, (struct part){.count = 0});
    for (parts[0] = 0; parts[0] < search.part_count; parts[0]++) {
        const size_t end_1 = is_excused == looks_like_one_item ? search.part_count : parts[0] + 1;
        for (parts[1] = 0; parts[1] < end_1; parts[1]++) {
            const size_t end_2 =
                is_excused == looks_like_one_item ? search.part_count : parts[1] + 1;
            for (parts[2] = 0; parts[2] < end_2; parts[2]++) {
                try_program(parts);
            }
        }
    }
    print_message("%s: %ju programs (%ju racy, %ju with misses), %ju schedules, %ju racy, %ju "
                  "found, %ju missed, %ju false\n",
                  name, (uintmax_t)search.programs, (uintmax_t)search.racy_programs,
                  (uintmax_t)search.programs_with_misses, (uintmax_t)search.schedules,
                  (uintmax_t)search.racy, (uintmax_t)search.found, (uintmax_t)search.missed,
                  (uintmax_t)search.false_alarms);
    assert_int_equal(search.false_alarms, 0);
}

static void test_interleavings_of_reads_and_writes(void **state)
{
    (void)state;
    try_programs("reads, writes", READS_AND_WRITES, 2, 0, has_read_before);
    assert_int_equal(search.programs, 969);
    assert_int_equal(search.racy_programs, 836);
    assert_int_equal(search.programs_with_misses, 53);
    assert_int_equal(search.racy, 374880616006);
    assert_int_equal(search.missed, 404702916);
}

static void test_interleavings_with_atomics(void **state)
{
    (void)state;
    try_programs("with atomics", WITH_ATOMICS, 2, 0, has_read_before);
    assert_int_equal(search.programs, 7140);
    assert_int_equal(search.racy_programs, 6690);
    assert_int_equal(search.programs_with_misses, 180);
    assert_int_equal(search.racy, 2932454423027);
    assert_int_equal(search.missed, 1156861992);
}

/* So it is only the loads and stores of reads that overtake each other. */
static void test_uninterrupted_reads_miss_nothing(void **state)
{
    (void)state;
    try_programs("reads at once", WITH_ATOMICS, 2, 1U << CLERK_READ, has_read_before);
    assert_int_equal(search.racy_programs, 6690);
    assert_int_equal(search.missed, 0);
}

/* An atomic read leaves nothing behind, so a later write does not meet it. */
static bool is_atomic_read_or_read_before(struct racing_access one, struct racing_access two)
{
    return one.kind == CLERK_ATOMIC_READ || has_read_before(one, two);
}

static void test_interleavings_with_atomic_reads(void **state)
{
    (void)state;
    try_programs("with atomic reads", WITH_ATOMIC_READS, 1, 0, is_atomic_read_or_read_before);
    assert_int_equal(search.programs, 1771);
    assert_int_equal(search.programs_with_misses, 84);
    assert_int_equal(search.missed, 31174505);
}

/* ---- numbers that do not fit ---- */

static void test_items_that_look_alike_hide_races_only(void **state)
{
    (void)state;
    static const uint lids[ITEMS] = {0, 4095, 4094};
    set_items(lids, 0);
    try_programs("items alike", READS_AND_WRITES, 2, 0, looks_like_one_item);
    assert_int_equal(search.programs_with_misses, 1217);
}

static bool is_in_second_epoch(struct racing_access one, struct racing_access two)
{
    return one.epoch == 1 || has_read_before(one, two);
}

static void test_full_epoch_stops_verdicts(void **state)
{
    (void)state;
    static const uint lids[ITEMS] = {0, 1, 2};
    set_items(lids, (1U << 19) - 3);
    assert_false(clerk_local_is_full(items[0][0]));
    assert_true(clerk_local_is_full(items[0][1]));
    assert_int_equal(clerk_local_next(items[0][1]), items[0][1]);
    try_programs("second epoch full", READS_AND_WRITES, 2, 0, is_in_second_epoch);
    assert_int_equal(search.programs_with_misses, 359);
}

/* ---- what the layer reads, never written memory, accesses of several elements ---- */

static uint access(uint item, uint kind, struct cells_other *decoded)
{
    ulong other = 0;
    const uint result = clerk_local_access(racing_words, items[item][0], kind, &other);
    *decoded = cells_decode(other);
    return result;
}

static void test_other_side_is_decoded(void **state)
{
    (void)state;
    struct cells_other other;
    racing_start();
    assert_int_equal(access(2, CLERK_WRITE, &other), 0);
    assert_int_equal(access(0, CLERK_READ, &other), CLERK_RACES);
    assert_int_equal(other.kind, CLERK_WRITE);
    assert_int_equal(other.lid, 2);
    assert_false(other.many_items);

    racing_start();
    assert_int_equal(access(1, CLERK_ATOMIC, &other), CLERK_UNWRITTEN);
    assert_int_equal(access(2, CLERK_ATOMIC, &other), 0);
    assert_int_equal(access(1, CLERK_READ, &other), CLERK_RACES);
    assert_int_equal(other.kind, CLERK_ATOMIC);
    assert_true(other.many_items);

    racing_start();
    assert_int_equal(access(1, CLERK_READ, &other), CLERK_UNWRITTEN);
    assert_int_equal(access(0, CLERK_WRITE, &other), CLERK_RACES);
    assert_int_equal(other.kind, CLERK_READ);
    assert_int_equal(other.lid, 1);
    assert_int_equal(other.group, 0);
}

static void test_never_written_is_seen(void **state)
{
    (void)state;
    struct cells_other other;
    racing_start();
    assert_int_equal(access(0, CLERK_READ, &other), CLERK_UNWRITTEN);
    assert_int_equal(access(0, CLERK_ATOMIC_READ, &other), CLERK_UNWRITTEN);
    assert_int_equal(access(0, CLERK_ATOMIC, &other), CLERK_UNWRITTEN);
    assert_int_equal(access(0, CLERK_ATOMIC, &other), 0);
    assert_int_equal(access(0, CLERK_READ, &other), 0);
    assert_int_equal(access(0, CLERK_WRITE, &other), 0);
    assert_int_equal(access(0, CLERK_READ, &other), 0);
}

static void test_range_and_clear(void **state)
{
    (void)state;
    uint32_t cells[8]; /* four elements of four bytes */
    ulong other = 0;
    memset(cells, 0xff, sizeof cells);
    for (uint lid = 0; lid < ITEMS; lid++) {
        clerk_local_clear(cells, 4, lid, ITEMS);
    }
    for (int i = 0; i < 8; i++) {
        assert_int_equal(cells[i], 0);
    }
    assert_int_equal(clerk_local_range(cells, 4, 8, 2, items[1][0], CLERK_WRITE, &other), 0);
    assert_int_equal(cells[1], 0);
    assert_int_equal(cells[3], items[1][0]);
    assert_int_equal(cells[5], items[1][0]);
    assert_int_equal(cells[7], 0);
    assert_int_equal(clerk_local_range(cells, 0, 4, 2, items[0][0], CLERK_READ, &other),
                     CLERK_UNWRITTEN);
    assert_int_equal(clerk_local_range(cells, 2, 4, 2, items[0][0], CLERK_READ, &other), 0);
    assert_int_equal(clerk_local_range(cells, 0, 16, 2, items[0][0], CLERK_READ, &other),
                     CLERK_RACES | CLERK_UNWRITTEN);
    assert_int_equal(cells_decode(other).lid, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_interleavings_of_reads_and_writes, set_up),
        cmocka_unit_test_setup(test_interleavings_with_atomics, set_up),
        cmocka_unit_test_setup(test_uninterrupted_reads_miss_nothing, set_up),
        cmocka_unit_test_setup(test_interleavings_with_atomic_reads, set_up),
        cmocka_unit_test_setup(test_items_that_look_alike_hide_races_only, set_up),
        cmocka_unit_test_setup(test_full_epoch_stops_verdicts, set_up),
        cmocka_unit_test_setup(test_other_side_is_decoded, set_up),
        cmocka_unit_test_setup(test_never_written_is_seen, set_up),
        cmocka_unit_test_setup(test_range_and_clear, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
