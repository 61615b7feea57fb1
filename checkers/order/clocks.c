/* The tree is that of Okasaki and Gill, "Fast Mergeable Integer Maps": a branch stands at the
 * highest bit in which its keys differ, so the shape follows from the keys alone, and two trees are
 * merged branch by branch; equal parts are recognised by their number. */
#include "checkers/order/clocks.h"

#include "checkers/order/order.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

/* A clock is twice the index of a branch, or of a leaf plus 1. */
struct clock_branch {
    uint64_t key;       /* what the keys below have in common, the rest 0 */
    uint64_t bit;       /* which parts them */
    uint32_t low, high; /* the clocks of the keys without the bit, with it */
};

/* In one block, though most are sparse at first: lanes that take turns at many objects come to know
 * each other up to 64 different records, and joining two blocks costs a few vector instructions. */
struct clock_leaf {
    uint64_t key;
    uint32_t bounds[ORDER_LANES]; /* 0 = nothing is said of the lane */
};

enum { COLLECT_MIN = 1 << 13, TABLE_SIZE_MIN = 1 << 10 };

static uint64_t clock_key(uint64_t group, uint32_t vector)
{
    return group << 16 | (vector & 0xFFFF);
}

static bool is_leaf(uint32_t clock)
{
    return (clock & 1) != 0;
}

static const struct clock_branch *branch_of(const struct clocks *clocks, uint32_t clock)
{
    return &clocks->branches[clock >> 1];
}

static const struct clock_leaf *leaf_of(const struct clocks *clocks, uint32_t clock)
{
    return &clocks->leaves[clock >> 1];
}

static uint64_t key_of(const struct clocks *clocks, uint32_t clock)
{
    return is_leaf(clock) ? leaf_of(clocks, clock)->key : branch_of(clocks, clock)->key;
}

static void forget_all(struct clocks *clocks)
{
    if (clocks_count(clocks) > 0) {
        memset(clocks->table, 0, clocks->table_size * sizeof *clocks->table);
    }
    clocks->branch_count = 0;
    clocks->leaf_count = 0;
}

void clocks_reset(struct clocks *clocks)
{
    forget_all(clocks);
    clocks->collect_at = COLLECT_MIN;
    clocks->failed = false;
}

void clocks_release(struct clocks *clocks)
{
    alloc_free(clocks->branches);
    alloc_free(clocks->leaves);
    alloc_free(clocks->table);
    *clocks = (struct clocks){0};
}

static uint32_t hash_branch(const struct clock_branch *branch)
{
    uint64_t hash = branch->key * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ branch->bit) * UINT64_C(0xFF51AFD7ED558CCD);
    hash = (hash ^ hash >> 29 ^ ((uint64_t)branch->low << 32 | branch->high)) *
           UINT64_C(0xC4CEB9FE1A85EC53);
    return (uint32_t)(hash >> 32);
}

static uint32_t hash_leaf(const struct clock_leaf *leaf)
{
    uint64_t parts[4] = {leaf->key, 1, 2, 3};
    for (uint32_t lane = 0; lane < ORDER_LANES; lane += 8) {
        for (uint32_t i = 0; i < 4; i++) {
            const uint64_t bounds =
                (uint64_t)leaf->bounds[lane + 2 * i] << 32 | leaf->bounds[lane + 2 * i + 1];
            parts[i] = (parts[i] ^ parts[i] >> 32 ^ bounds) * UINT64_C(0x9E3779B97F4A7C15);
        }
    }
    uint64_t hash = 0;
    for (uint32_t i = 0; i < 4; i++) {
        hash = (hash ^ hash >> 29 ^ parts[i]) * UINT64_C(0xC4CEB9FE1A85EC53);
    }
    return (uint32_t)(hash >> 32);
}

static bool same_branch(const struct clock_branch *a, const struct clock_branch *b)
{
    return a->key == b->key && a->bit == b->bit && a->low == b->low && a->high == b->high;
}

static bool same_leaf(const struct clock_leaf *a, const struct clock_leaf *b)
{
    return a->key == b->key && memcmp(a->bounds, b->bounds, sizeof a->bounds) == 0;
}

/* The place in the table of such a branch or, if that is NULL, of such a leaf, or the free one
 * where it would be. */
static uint64_t *find(const struct clocks *clocks, const struct clock_branch *branch,
                      const struct clock_leaf *leaf, uint32_t hash)
{
    const size_t last = clocks->table_size - 1;
    size_t slot = hash & last;
    for (; clocks->table[slot] != 0; slot = (slot + 1) & last) {
        const uint32_t clock = (uint32_t)clocks->table[slot];
        if (clocks->table[slot] >> 32 != hash || is_leaf(clock) != (branch == NULL)) {
            continue;
        }
        if (branch != NULL ? same_branch(branch_of(clocks, clock), branch)
                           : same_leaf(leaf_of(clocks, clock), leaf)) {
            break;
        }
    }
    return &clocks->table[slot];
}

/* Keeps the table at most half full. */
static bool reserve_table(struct clocks *clocks)
{
    if (clocks_count(clocks) * 2 < clocks->table_size) {
        return true;
    }
    const size_t size = clocks->table_size == 0 ? TABLE_SIZE_MIN : clocks->table_size * 2;
    uint64_t *table = alloc_zero(size, sizeof *table);
    if (table == NULL) {
        return false;
    }
    for (size_t i = 0; i < clocks->table_size; i++) {
        size_t slot = (size_t)(clocks->table[i] >> 32) & (size - 1);
        while (clocks->table[i] != 0 && table[slot] != 0) {
            slot = (slot + 1) & (size - 1);
        }
        if (clocks->table[i] != 0) {
            table[slot] = clocks->table[i];
        }
    }
    alloc_free(clocks->table);
    clocks->table = table;
    clocks->table_size = size;
    return true;
}

/* The branch, made if there is none; 0 when memory is out. */
static uint32_t make_branch(struct clocks *clocks, uint64_t key, uint64_t bit, uint32_t low,
                            uint32_t high)
{
    const struct clock_branch branch = {
        .key = key & ~(bit | (bit - 1)), .bit = bit, .low = low, .high = high};
    ASSERT(clocks->failed || (key_of(clocks, high) & ~key_of(clocks, low) & bit) != 0);
    clocks->branch_count += clocks->branch_count == 0; /* clock 0 says nothing */
    struct clock_branch *grown = !reserve_table(clocks) || clocks->branch_count >= UINT32_MAX / 2
                                     ? NULL
                                     : alloc_grow(clocks->branches, clocks->branch_count,
                                                  &clocks->branch_capacity, sizeof *grown);
    if (grown == NULL) {
        clocks->failed = true;
        return CLOCK_EMPTY;
    }
    clocks->branches = grown;
    const uint32_t hash = hash_branch(&branch);
    uint64_t *slot = find(clocks, &branch, NULL, hash);
    if (*slot == 0) {
        grown[clocks->branch_count] = branch;
        *slot = (uint64_t)hash << 32 | (uint32_t)clocks->branch_count++ << 1;
    }
    return (uint32_t)*slot;
}

/* Likewise. */
static uint32_t make_leaf(struct clocks *clocks, const struct clock_leaf *leaf)
{
    struct clock_leaf *grown =
        !reserve_table(clocks) || clocks->leaf_count >= UINT32_MAX / 2
            ? NULL
            : alloc_grow(clocks->leaves, clocks->leaf_count, &clocks->leaf_capacity, sizeof *grown);
    if (grown == NULL) {
        clocks->failed = true;
        return CLOCK_EMPTY;
    }
    clocks->leaves = grown;
    const uint32_t hash = hash_leaf(leaf);
    uint64_t *slot = find(clocks, NULL, leaf, hash);
    if (*slot == 0) {
        grown[clocks->leaf_count] = *leaf;
        *slot = (uint64_t)hash << 32 | (uint32_t)clocks->leaf_count++ << 1 | 1;
    }
    return (uint32_t)*slot;
}

/* A branch of two trees of which no key is in both ranges. */
static uint32_t fork(struct clocks *clocks, uint32_t a, uint32_t b)
{
    const uint64_t key = key_of(clocks, a);
    ASSERT(key != key_of(clocks, b));
    const uint64_t bit = UINT64_C(1) << (63 - __builtin_clzll(key ^ key_of(clocks, b)));
    return (key & bit) == 0 ? make_branch(clocks, key, bit, a, b)
                            : make_branch(clocks, key, bit, b, a);
}

/* ---- joining ---- */

static struct clock_leaf leaf_joined(const struct clock_leaf *x, const struct clock_leaf *y)
{
    struct clock_leaf joined = {.key = x->key};
    for (uint32_t lane = 0; lane < ORDER_LANES; lane++) {
        joined.bounds[lane] = x->bounds[lane] > y->bounds[lane] ? x->bounds[lane] : y->bounds[lane];
    }
    return joined;
}

static uint32_t join_leaves(struct clocks *clocks, uint32_t a, uint32_t b)
{
    const struct clock_leaf joined = leaf_joined(leaf_of(clocks, a), leaf_of(clocks, b));
    if (same_leaf(&joined, leaf_of(clocks, a))) {
        return a;
    }
    return same_leaf(&joined, leaf_of(clocks, b)) ? b : make_leaf(clocks, &joined);
}

static uint64_t branch_bit(const struct clocks *clocks, uint32_t clock)
{
    return is_leaf(clock) ? 0 : branch_of(clocks, clock)->bit;
}

/* Puts `b`, all of whose keys are on one side of the branch `a`, into that side. */
static uint32_t join_side(struct clocks *clocks, uint32_t a, uint32_t b)
{
    const struct clock_branch branch = *branch_of(clocks, a);
    const bool high = (key_of(clocks, b) & branch.bit) != 0;
    const uint32_t before = high ? branch.high : branch.low;
    const uint32_t side = clocks_join(clocks, before, b);
    if (side == before) {
        return a;
    }
    return high ? make_branch(clocks, branch.key, branch.bit, branch.low, side)
                : make_branch(clocks, branch.key, branch.bit, side, branch.high);
}

/* Goes down by a bit of the key at each step, so no deeper than 64. */
uint32_t clocks_join(struct clocks *clocks, uint32_t a, uint32_t b)
{
    if (a == b || b == CLOCK_EMPTY || clocks->failed) {
        return a;
    }
    if (a == CLOCK_EMPTY) {
        return b;
    }
    if (branch_bit(clocks, a) < branch_bit(clocks, b)) {
        const uint32_t swapped = a;
        a = b;
        b = swapped;
    }
    const uint64_t bit = branch_bit(clocks, a);
    const uint64_t difference = key_of(clocks, a) ^ key_of(clocks, b);
    if (bit == 0) {
        return difference == 0 ? join_leaves(clocks, a, b) : fork(clocks, a, b);
    }
    if ((difference & ~(bit | (bit - 1))) != 0) {
        return fork(clocks, a, b);
    }
    if (branch_bit(clocks, b) != bit) {
        return join_side(clocks, a, b);
    }
    const struct clock_branch x = *branch_of(clocks, a);
    const struct clock_branch y = *branch_of(clocks, b);
    const uint32_t low = clocks_join(clocks, x.low, y.low);
    const uint32_t high = clocks_join(clocks, x.high, y.high);
    if (low == x.low && high == x.high) {
        return a;
    }
    if (low == y.low && high == y.high) {
        return b;
    }
    return make_branch(clocks, x.key, bit, low, high);
}

/* clocks_join with a leaf that need not be made where it goes into another. */
static uint32_t join_leaf(struct clocks *clocks, uint32_t clock, const struct clock_leaf *leaf)
{
    if (clock == CLOCK_EMPTY || clocks->failed) {
        return make_leaf(clocks, leaf);
    }
    const uint64_t bit = branch_bit(clocks, clock);
    const uint64_t difference = key_of(clocks, clock) ^ leaf->key;
    if (bit == 0 ? difference != 0 : (difference & ~(bit | (bit - 1))) != 0) {
        const uint32_t made = make_leaf(clocks, leaf);
        return clocks->failed ? clock : fork(clocks, clock, made);
    }
    if (bit == 0) {
        const struct clock_leaf joined = leaf_joined(leaf_of(clocks, clock), leaf);
        return same_leaf(&joined, leaf_of(clocks, clock)) ? clock : make_leaf(clocks, &joined);
    }
    const struct clock_branch branch = *branch_of(clocks, clock);
    const bool high = (leaf->key & bit) != 0;
    const uint32_t before = high ? branch.high : branch.low;
    const uint32_t side = join_leaf(clocks, before, leaf);
    if (side == before) {
        return clock;
    }
    return high ? make_branch(clocks, branch.key, bit, branch.low, side)
                : make_branch(clocks, branch.key, bit, side, branch.high);
}

uint32_t clocks_add(struct clocks *clocks, uint32_t clock, uint64_t group, uint32_t vector,
                    uint64_t mask, uint32_t bound)
{
    struct clock_leaf leaf = {.key = clock_key(group, vector)};
    ASSERT(clocks->old.moved_leaves == NULL); /* no collection goes on */
    for (uint32_t lane = 0; lane < ORDER_LANES; lane++) {
        leaf.bounds[lane] = (mask >> lane & 1) != 0 ? bound : 0;
    }
    return join_leaf(clocks, clock, &leaf);
}

/* What is said of the vector; NULL = nothing. */
static const struct clock_leaf *find_vector(const struct clocks *clocks, uint32_t clock,
                                            uint64_t group, uint32_t vector)
{
    const uint64_t key = clock_key(group, vector);
    while (clock != CLOCK_EMPTY && !is_leaf(clock)) {
        const struct clock_branch *branch = branch_of(clocks, clock);
        clock = (key & branch->bit) != 0 ? branch->high : branch->low;
    }
    return clock == CLOCK_EMPTY || leaf_of(clocks, clock)->key != key ? NULL
                                                                      : leaf_of(clocks, clock);
}

uint64_t clocks_ordered(const struct clocks *clocks, uint32_t clock, uint64_t group,
                        uint32_t vector, uint64_t mask, uint32_t record)
{
    const struct clock_leaf *leaf = find_vector(clocks, clock, group, vector);
    uint64_t ordered = 0;
    for (uint64_t left = leaf == NULL ? 0 : mask; left != 0; left &= left - 1) {
        ordered |= record < leaf->bounds[__builtin_ctzll(left)] ? left & -left : 0;
    }
    return ordered;
}

uint32_t clocks_bound(const struct clocks *clocks, uint32_t clock, uint64_t group, uint32_t vector,
                      uint32_t lane)
{
    const struct clock_leaf *leaf = find_vector(clocks, clock, group, vector);
    return leaf == NULL ? 0 : leaf->bounds[lane];
}

/* ---- collection ---- */

bool clocks_collect_begin(struct clocks *clocks, const uint32_t *bounds)
{
    ASSERT(clocks->old.moved_branches == NULL);
    uint32_t *branches = alloc_zero(clocks->branch_count + 1, sizeof *branches);
    uint32_t *leaves = alloc_zero(clocks->leaf_count + 1, sizeof *leaves);
    if (branches == NULL || leaves == NULL) {
        alloc_free(branches);
        alloc_free(leaves);
        return false;
    }
    clocks->old = (struct clocks_old){.branches = clocks->branches,
                                      .leaves = clocks->leaves,
                                      .moved_branches = branches,
                                      .moved_leaves = leaves,
                                      .bounds = bounds};
    clocks->branches = NULL;
    clocks->branch_capacity = 0;
    clocks->leaves = NULL;
    clocks->leaf_capacity = 0;
    forget_all(clocks);
    return true;
}

static uint32_t keep_leaf(struct clocks *clocks, uint32_t leaf)
{
    struct clock_leaf kept = clocks->old.leaves[leaf >> 1];
    for (uint32_t lane = 0; lane < ORDER_LANES && clocks->old.bounds != NULL; lane++) {
        kept.bounds[lane] = kept.bounds[lane] == 0 ? 0 : clocks->old.bounds[kept.bounds[lane]];
    }
    return make_leaf(clocks, &kept);
}

/* No deeper than 64 branches. */
uint32_t clocks_keep(struct clocks *clocks, uint32_t clock)
{
    if (clock == CLOCK_EMPTY || clocks->failed) {
        return CLOCK_EMPTY;
    }
    ASSERT(clocks->old.moved_leaves != NULL);
    uint32_t *moved = is_leaf(clock) ? &clocks->old.moved_leaves[clock >> 1]
                                     : &clocks->old.moved_branches[clock >> 1];
    if (*moved == CLOCK_EMPTY && is_leaf(clock)) {
        *moved = keep_leaf(clocks, clock);
    } else if (*moved == CLOCK_EMPTY) {
        const struct clock_branch branch = clocks->old.branches[clock >> 1];
        const uint32_t low = clocks_keep(clocks, branch.low);
        const uint32_t high = clocks_keep(clocks, branch.high);
        *moved = make_branch(clocks, branch.key, branch.bit, low, high);
    }
    return *moved;
}

void clocks_collect_end(struct clocks *clocks)
{
    ASSERT(clocks->old.moved_branches != NULL);
    alloc_free(clocks->old.branches);
    alloc_free(clocks->old.leaves);
    alloc_free(clocks->old.moved_branches);
    alloc_free(clocks->old.moved_leaves);
    clocks->old = (struct clocks_old){0};
    const size_t twice = 2 * clocks_count(clocks);
    clocks->collect_at = twice > COLLECT_MIN ? twice : COLLECT_MIN;
}
