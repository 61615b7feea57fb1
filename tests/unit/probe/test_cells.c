/* The cells of global memory, the very text that kernels run, against the oracle: all orders of a
 * few accesses, and all interleavings of their atomic operations. */
#include "tests/unit/probe/cells_host.h"

#include "checkers/probe/cells.cl"

#include "checkers/probe/cells.h"
#include "trace/base/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    READS_AND_WRITES = 1U << CLERK_READ | 1U << CLERK_WRITE,
    WITH_ATOMICS = READS_AND_WRITES | 1U << CLERK_ATOMIC,
    WITH_ATOMIC_READS = WITH_ATOMICS | 1U << CLERK_ATOMIC_READ,
};

/* The five items, as the oracle sees them and as cells do. */
static struct {
    struct racing_world world;
    uint launches[RACING_ITEMS];
    ulong groups[RACING_ITEMS];
    uint lids[RACING_ITEMS];
    ulong items[RACING_ITEMS][RACING_EPOCHS];
} cast;

/* Two groups of two items, and one of one. */
static const uint32_t three_groups[RACING_ITEMS] = {0, 0, 1, 1, 2};

/* `barriers` come before the first of the two epochs. */
static void set_items(const uint launches[], const ulong groups[], const uint lids[], uint barriers)
{
    for (int i = 0; i < RACING_ITEMS; i++) {
        cast.launches[i] = launches[i];
        cast.groups[i] = groups[i];
        cast.lids[i] = lids[i];
        ulong item = clerk_global_item(launches[i], groups[i], lids[i]);
        for (uint barrier = 0; barrier < barriers; barrier++) {
            item = clerk_global_next(item);
        }
        cast.items[i][0] = item;
        cast.items[i][1] = clerk_global_next(item);
    }
}

static int set_up(void **state)
{
    (void)state;
    const uint launches[] = {1, 1, 1, 1, 1};
    const ulong groups[] = {0, 0, 1, 1, 2};
    const uint lids[] = {0, 1, 0, 1, 0};
    cast.world.region = ORACLE_GLOBAL;
    memcpy(cast.world.groups, three_groups, sizeof three_groups);
    racing_world_init(&cast.world);
    set_items(launches, groups, lids, 0);
    return 0;
}

static bool races(struct racing_access a, struct racing_access b)
{
    return cast.launches[a.item] == cast.launches[b.item] && racing_races(&cast.world, a, b);
}

/* ---- one access after the other ---- */

struct tally {
    ulong orders, racy, found, missed, false_alarms;
};

static void print_tally(const char *name, struct tally tally)
{
    print_message("%s: %ju orders, %ju racy, %ju found, %ju missed, %ju false\n", name,
                  (uintmax_t)tally.orders, (uintmax_t)tally.racy, (uintmax_t)tally.found,
                  (uintmax_t)tally.missed, (uintmax_t)tally.false_alarms);
}

/* May this race be missed? `accesses` are all that there are, `a` comes before `b`. */
typedef bool excuse(const struct racing_access accesses[], size_t count, size_t a, size_t b);

static size_t count_races(const struct racing_access accesses[], size_t count, excuse *is_counted)
{
    size_t races_found = 0;
    for (size_t a = 0; a < count; a++) {
        for (size_t b = a + 1; b < count; b++) {
            races_found += races(accesses[a], accesses[b]) && is_counted(accesses, count, a, b);
        }
    }
    return races_found;
}

static bool always(const struct racing_access accesses[], size_t count, size_t a, size_t b)
{
    (void)accesses, (void)count, (void)a, (void)b;
    return true;
}

static bool never(const struct racing_access accesses[], size_t count, size_t a, size_t b)
{
    return !always(accesses, count, a, b);
}

/* Every race of an order that was missed must be excused. */
static bool is_excusable(const struct racing_access accesses[], size_t count, excuse *is_excused)
{
    return count_races(accesses, count, is_excused) == count_races(accesses, count, always);
}

static struct {
    uint32_t kinds;
    size_t length;
    struct racing_access accesses[RACING_ACCESSES];
    uint32_t racing, found; /* accesses, as bits */
    struct tally tally;
    excuse *is_excused;
} search;

static uint perform(struct racing_access access, ulong *other)
{
    return clerk_global_access(racing_cell, cast.items[access.item][access.epoch], access.kind,
                               other);
}

/* The old cell names an access that races: for certain its group, and its item if it can. */
static bool names_a_side(size_t count, ulong cell)
{
    const struct cells_other other = cells_decode(cell);
    const struct racing_access mine = search.accesses[count];
    for (size_t i = 0; i < count; i++) {
        const struct racing_access theirs = search.accesses[i];
        const bool any_item = other.many_groups || other.many_items || other.group_wrote;
        if (races(theirs, mine) &&
            (other.many_groups || cells_may_be_group(other, cast.groups[theirs.item])) &&
            (any_item || other.lid == cast.lids[theirs.item] % 8192)) {
            return true;
        }
    }
    return false;
}

static void judge_order(void)
{
    const bool found = (search.found & search.racing) != 0;
    search.tally.orders++;
    search.tally.racy += search.racing != 0;
    search.tally.found += found;
    search.tally.false_alarms += (search.found & ~search.racing) != 0;
    if (search.racing != 0 && !found) {
        search.tally.missed++;
        assert_true(is_excusable(search.accesses, search.length, search.is_excused));
    }
}

static void try_order(size_t count);

static void try_access(size_t count, struct racing_access access)
{
    const uint32_t racing = search.racing;
    const uint32_t found = search.found;
    const ulong cell = racing_cell[0];
    ulong other = 0;
    search.accesses[count] = access;
    for (size_t i = 0; i < count; i++) {
        search.racing |= (uint32_t)races(search.accesses[i], access) << count;
    }
    if (perform(access, &other) != 0) {
        search.found |= 1U << count;
        assert_true(names_a_side(count, other));
    }
    try_order(count + 1);
    search.racing = racing;
    search.found = found;
    racing_cell[0] = cell;
}

static void try_order(size_t count)
{
    if (count == search.length) {
        judge_order();
        return;
    }
    for (uint32_t item = 0; item < RACING_ITEMS; item++) {
        for (uint32_t epoch = 0; epoch < RACING_EPOCHS; epoch++) {
            for (uint32_t kind = 0; kind < RACING_KINDS; kind++) {
                const struct racing_access access = {item, epoch, kind};
                if ((search.kinds >> kind & 1) != 0 &&
                    racing_may_follow(&cast.world, search.accesses, count, access)) {
                    try_access(count, access);
                }
            }
        }
    }
}

/* All orders of 3 and of 4 accesses of these kinds. None has a false alarm. */
static struct tally try_orders(const char *name, uint32_t kinds, excuse *is_excused)
{
    memset(&search, 0, sizeof search);
    search.kinds = kinds;
    search.is_excused = is_excused;
    for (search.length = 3; search.length <= 4; search.length++) {
        racing_start();
        try_order(0);
    }
    print_tally(name, search.tally);
    assert_int_equal(search.tally.false_alarms, 0);
    return search.tally;
}

static void test_orders_of_reads_and_writes(void **state)
{
    (void)state;
    const struct tally tally = try_orders("reads, writes", READS_AND_WRITES, never);
    assert_int_equal(tally.orders, 102192);
    assert_int_equal(tally.racy, 94560);
    assert_int_equal(tally.missed, 0);
}

static void test_orders_with_atomics(void **state)
{
    (void)state;
    const struct tally tally = try_orders("with atomics", WITH_ATOMICS, never);
    assert_int_equal(tally.orders, 507033);
    assert_int_equal(tally.racy, 489344);
    assert_int_equal(tally.missed, 0);
}

/* Atomic reads leave nothing in the cell, and see only a write that is in it. */
static bool is_of_atomic_read(const struct racing_access accesses[], size_t count, size_t a,
                              size_t b)
{
    (void)count;
    return accesses[a].kind == CLERK_ATOMIC_READ || accesses[b].kind == CLERK_ATOMIC_READ;
}

static void test_orders_with_atomic_reads(void **state)
{
    (void)state;
    const struct tally tally =
        try_orders("with atomic reads", WITH_ATOMIC_READS, is_of_atomic_read);
    assert_int_equal(tally.orders, 1586176);
    assert_int_equal(tally.racy, 1354320);
    assert_int_equal(tally.missed, 33744);
}

/* Above, an order has those races that its pairs have: the oracle says the same of whole orders. */
static void test_pairs_are_enough(void **state)
{
    (void)state;
    struct racing_access accesses[3];
    const size_t all = (size_t)RACING_ITEMS * RACING_EPOCHS * RACING_KINDS;
    ulong orders = 0;
    for (size_t i = 0; i < all * all * all; i++) {
        size_t rest = i;
        bool is_possible = true;
        uint32_t later = 0;
        for (size_t n = 0; n < 3; n++, rest /= all) {
            accesses[n] =
                (struct racing_access){(uint32_t)(rest % all / RACING_KINDS / RACING_EPOCHS),
                                       (uint32_t)(rest % all / RACING_KINDS % RACING_EPOCHS),
                                       (uint32_t)(rest % all % RACING_KINDS)};
            is_possible = is_possible && accesses[n].kind != CLERK_BOTH &&
                          racing_may_follow(&cast.world, accesses, n, accesses[n]);
            for (size_t before = 0; is_possible && before < n; before++) {
                later |= (uint32_t)races(accesses[before], accesses[n]) << n;
            }
        }
        if (is_possible) {
            assert_int_equal(racing_judge(&cast.world, accesses, 3), later);
            orders++;
        }
    }
    assert_int_equal(orders, 48896);
}

/* ---- numbers that do not fit ---- */

static bool looks_like_one_group(const struct racing_access accesses[], size_t count, size_t a,
                                 size_t b)
{
    (void)count;
    const uint mask = (1U << (CLERK_CELL_GROUPS - CLERK_CELL_GROUP)) - 1;
    return ((cast.groups[accesses[a].item] ^ cast.groups[accesses[b].item]) & mask) == 0;
}

static void test_cut_numbers_hide_races_only(void **state)
{
    (void)state;
    static const ulong groups[] = {7, 7, 9, 9, 8};
    static const ulong like_groups[] = {7, 7, 7 + (1 << 22), 7 + (1 << 22), (ulong)1 << 40};
    static const uint lids[] = {0, 1, 0, 1, 0};
    static const uint four_lids[] = {0, 1, 2, 3, 0};
    static const uint like_lids[] = {5, 5 + 8192, 5, 5 + 8192, 5 + 3 * 8192};
    static const uint launches[] = {4095, 4095, 4095, 4095, 4095};
    static const struct {
        const char *name;
        const ulong *groups;
        const uint *lids;
        uint barriers;
        ulong missed;
    } cuts[] = {
        {"groups alike", like_groups, lids, 0, 60184},
        {"groups alike, items not", like_groups, four_lids, 0, 36448},
        {"items alike", groups, like_lids, 0, 10584},
        {"groups and items alike", like_groups, like_lids, 0, 166936},
        {"second epoch full", groups, lids, 4094, 5096},
        {"both epochs full", groups, lids, 5000, 10584},
    };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        set_items(launches, cuts[i].groups, cuts[i].lids, cuts[i].barriers);
        const struct tally tally = try_orders(cuts[i].name, WITH_ATOMICS, looks_like_one_group);
        assert_int_equal(tally.racy, 489344);
        assert_int_equal(tally.missed, cuts[i].missed);
    }
}

static void test_everything_cut_at_once(void **state)
{
    (void)state;
    static const uint launches[] = {4095, 4095, 4095, 4095, 4095};
    static const ulong groups[] = {7, 7, 7 + (1 << 22), 7 + (1 << 22), (ulong)1 << 40};
    static const uint lids[] = {5, 5 + 8192, 5, 5 + 8192, 5 + 3 * 8192};
    set_items(launches, groups, lids, 4094);
    const struct tally tally = try_orders("all cut", WITH_ATOMIC_READS, always);
    assert_int_equal(tally.missed, 547392);
}

/* ---- launches ---- */

/* The later of the two comes after an access of a newer launch. */
static bool is_behind_newer_launch(const struct racing_access accesses[], size_t count, size_t a,
                                   size_t b)
{
    (void)count, (void)a;
    for (size_t i = 0; i < b; i++) {
        if (cast.launches[accesses[i].item] > cast.launches[accesses[b].item]) {
            return true;
        }
    }
    return false;
}

/* Two launches, in order, in the reverse order, and at once. That theirs race with each other is
 * for others to say. */
static void test_launches(void **state)
{
    (void)state;
    const uint launches[] = {2, 2, 1, 1, 1};
    const ulong groups[] = {0, 0, 0, 0, 1};
    const uint lids[] = {0, 1, 0, 1, 0};
    set_items(launches, groups, lids, 0);
    const struct tally tally = try_orders("two launches", WITH_ATOMICS, is_behind_newer_launch);
    assert_int_equal(tally.racy, 362012);
    assert_int_equal(tally.missed, 150224);
}

/* ---- interleaved atomic operations ---- */

static bool perform_interleaved(const struct racing_access *access)
{
    ulong other = 0;
    return perform(*access, &other) != 0;
}

static struct {
    uint32_t kinds;
    size_t length;
    struct racing_access accesses[RACING_ACCESSES];
    uint32_t racing; /* accesses, as bits */
    ulong programs;
    struct tally tally;
    bool (*is_excused)(const struct racing_access accesses[], size_t count);
} programs;

static void see_outcome(struct racing_outcome outcome, void *context)
{
    (void)context;
    const bool found = (outcome.found & programs.racing) != 0;
    programs.tally.orders += outcome.schedules;
    programs.tally.racy += programs.racing != 0 ? outcome.schedules : 0;
    programs.tally.found += found ? outcome.schedules : 0;
    programs.tally.false_alarms += (outcome.found & ~programs.racing) != 0 ? outcome.schedules : 0;
    if (programs.racing != 0 && !found) {
        programs.tally.missed += outcome.schedules;
        assert_true(programs.is_excused(programs.accesses, programs.length));
    }
}

/* All programs whose accesses stand in the order of items and epochs. */
static void try_programs(size_t count)
{
    if (count == programs.length) {
        const struct racing_exploration exploration = {.world = &cast.world,
                                                       .accesses = programs.accesses,
                                                       .count = count,
                                                       .perform = perform_interleaved};
        programs.racing = racing_all(&cast.world, programs.accesses, count);
        programs.programs++;
        racing_explore(&exploration, see_outcome, NULL);
        return;
    }
    const struct racing_access last =
        count != 0 ? programs.accesses[count - 1] : (struct racing_access){0};
    for (uint32_t item = last.item; item < RACING_ITEMS; item++) {
        for (uint32_t epoch = item == last.item ? last.epoch : 0; epoch < RACING_EPOCHS; epoch++) {
            for (uint32_t kind = 0; kind < RACING_KINDS; kind++) {
                if ((programs.kinds >> kind & 1) != 0) {
                    programs.accesses[count] = (struct racing_access){item, epoch, kind};
                    try_programs(count + 1);
                }
            }
        }
    }
}

static struct tally try_interleavings(const char *name, uint32_t kinds,
                                      bool (*is_excused)(const struct racing_access accesses[],
                                                         size_t count))
{
    memset(&programs, 0, sizeof programs);
    programs.kinds = kinds;
    programs.is_excused = is_excused;
    for (programs.length = 3; programs.length <= 4; programs.length++) {
        try_programs(0);
    }
    print_message("%ju programs interleaved, ", (uintmax_t)programs.programs);
    print_tally(name, programs.tally);
    assert_int_equal(programs.tally.false_alarms, 0);
    return programs.tally;
}

/* A read and an atomic, one of whose groups did the other thing too: between the two atom_max that
 * join both in the cell, it is as if only the later one had been. */
static bool is_of_joined_kinds(const struct racing_access accesses[], size_t count, size_t a,
                               size_t b)
{
    bool is_joined = false;
    for (size_t i = 0; i < count; i++) {
        const uint32_t group = cast.world.groups[accesses[i].item];
        const bool with_a = group == cast.world.groups[accesses[a].item];
        const bool with_b = group == cast.world.groups[accesses[b].item];
        is_joined = is_joined || (with_a && accesses[i].kind != accesses[a].kind) ||
                    (with_b && accesses[i].kind != accesses[b].kind);
    }
    return is_joined && accesses[a].kind != CLERK_WRITE && accesses[b].kind != CLERK_WRITE;
}

/* Who comes between may then be forgotten altogether. */
static bool has_joined_kinds(const struct racing_access accesses[], size_t count)
{
    return count_races(accesses, count, is_of_joined_kinds) != 0;
}

static bool has_joined_kinds_or_atomic_reads_only(const struct racing_access accesses[],
                                                  size_t count)
{
    return has_joined_kinds(accesses, count) || is_excusable(accesses, count, is_of_atomic_read);
}

static bool is_never_excused(const struct racing_access accesses[], size_t count)
{
    return is_excusable(accesses, count, never);
}

static void test_interleavings_of_reads_and_writes(void **state)
{
    (void)state;
    const struct tally tally =
        try_interleavings("reads, writes", READS_AND_WRITES, is_never_excused);
    assert_int_equal(tally.orders, 176516);
    assert_int_equal(tally.racy, 141004);
    assert_int_equal(tally.missed, 0);
}

static void test_interleavings_with_atomics(void **state)
{
    (void)state;
    const struct tally tally = try_interleavings("with atomics", WITH_ATOMICS, has_joined_kinds);
    assert_int_equal(tally.orders, 906557);
    assert_int_equal(tally.racy, 832580);
    assert_int_equal(tally.missed, 18296);
}

static void test_interleavings_with_atomic_reads(void **state)
{
    (void)state;
    const struct tally tally = try_interleavings("with atomic reads", WITH_ATOMIC_READS,
                                                 has_joined_kinds_or_atomic_reads_only);
    assert_int_equal(tally.racy, 1873940);
    assert_int_equal(tally.missed, 69960);
}

/* ---- what the layer reads, and accesses of several elements ---- */

static void test_cell_is_decoded(void **state)
{
    (void)state;
    ulong other = 0;
    const ulong writer = clerk_global_next(clerk_global_item(3, 41, 17));
    racing_start();
    assert_int_equal(clerk_global_access(racing_cell, writer, CLERK_WRITE, &other), 0);
    assert_int_equal(clerk_global_access(racing_cell, cast.items[0][0], CLERK_READ, &other), 0);
    const ulong reader = clerk_global_item(3, 40, 2);
    assert_int_equal(clerk_global_access(racing_cell, reader, CLERK_READ, &other), CLERK_RACES);
    const struct cells_other decoded = cells_decode(other);
    assert_int_equal(decoded.kind, CLERK_WRITE);
    assert_int_equal(decoded.group, 41);
    assert_int_equal(decoded.lid, 17);
    assert_int_equal(decoded.epoch, 1);
    assert_true(decoded.group_wrote);
    assert_false(decoded.many_groups);
    assert_false(decoded.many_items);
    assert_true(cells_may_be_group(decoded, 41 + (1 << 22)));
    assert_false(cells_may_be_group(decoded, 40));
}

static void test_cell_of_several_readers_is_decoded(void **state)
{
    (void)state;
    ulong other = 0;
    racing_start();
    assert_int_equal(perform((struct racing_access){2, 0, CLERK_READ}, &other), 0);
    assert_int_equal(perform((struct racing_access){3, 0, CLERK_READ}, &other), 0);
    assert_int_equal(perform((struct racing_access){2, 0, CLERK_WRITE}, &other), CLERK_RACES);
    assert_true(cells_decode(other).many_items);
    assert_int_equal(cells_decode(other).group, 1);
    assert_int_equal(perform((struct racing_access){4, 0, CLERK_WRITE}, &other), CLERK_RACES);
}

/* Which of the first 8 cells has an access of that item touched, as bits? */
static uint touched(ulong offset, ulong size, uint shift)
{
    ulong cells[8] = {0};
    ulong other = 0;
    uint bits = 0;
    const uint result =
        clerk_global_range(cells, offset, size, shift, cast.items[0][0], CLERK_READ, &other);
    assert_int_equal(result, 0);
    for (uint i = 0; i < 8; i++) {
        bits |= (uint)(cells[i] != 0) << i;
    }
    return bits;
}

static void test_range_touches_whole_elements(void **state)
{
    (void)state;
    assert_int_equal(touched(4, 4, 2), 1 << 1);
    assert_int_equal(touched(16, 16, 2), 0xf0);
    assert_int_equal(touched(0, 12, 2), 0x7); /* three components of four */
    assert_int_equal(touched(3, 1, 0), 1 << 3);
    assert_int_equal(touched(0, 20, 2), 0x1f); /* a structure */
    assert_int_equal(touched(2, 4, 2), 0);     /* beside elements: parts of two */
    assert_int_equal(touched(2, 8, 2), 1 << 1);
    assert_int_equal(touched(4, 4, 3), 0); /* smaller than an element */
    assert_int_equal(touched(0, 0, 2), 0);
}

static void test_range_gives_the_first_race(void **state)
{
    (void)state;
    ulong cells[4] = {0};
    ulong other = 0;
    const ulong *item = cast.items[0];
    for (uint i = 1; i < 4; i++) {
        const ulong writer = clerk_global_item(1, 10 + i, i);
        assert_int_equal(clerk_global_access(&cells[i], writer, CLERK_WRITE, &other), 0);
    }
    assert_int_equal(clerk_global_range(cells, 0, 16, 2, item[0], CLERK_READ, &other), CLERK_RACES);
    assert_int_equal(cells_decode(other).group, 11);
    assert_int_equal(cells_decode(other).lid, 1);
    /* What races is told all the same: */
    assert_int_equal(cells_decode(cells[0]).kind, CLERK_READ);
    assert_true(cells[0] != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_pairs_are_enough, set_up),
        cmocka_unit_test_setup(test_orders_of_reads_and_writes, set_up),
        cmocka_unit_test_setup(test_orders_with_atomics, set_up),
        cmocka_unit_test_setup(test_orders_with_atomic_reads, set_up),
        cmocka_unit_test_setup(test_cut_numbers_hide_races_only, set_up),
        cmocka_unit_test_setup(test_everything_cut_at_once, set_up),
        cmocka_unit_test_setup(test_launches, set_up),
        cmocka_unit_test_setup(test_interleavings_of_reads_and_writes, set_up),
        cmocka_unit_test_setup(test_interleavings_with_atomics, set_up),
        cmocka_unit_test_setup(test_interleavings_with_atomic_reads, set_up),
        cmocka_unit_test_setup(test_cell_is_decoded, set_up),
        cmocka_unit_test_setup(test_cell_of_several_readers_is_decoded, set_up),
        cmocka_unit_test_setup(test_range_touches_whole_elements, set_up),
        cmocka_unit_test_setup(test_range_gives_the_first_race, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
