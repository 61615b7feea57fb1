/* The tree is that of Okasaki and Gill, "Fast Mergeable Integer Maps": a branch stands at the
 * highest bit in which its keys differ, so the shape follows from the keys alone, and two trees are
 * merged branch by branch; equal parts are recognised by their number. */
#include "checkers/order/clocks.h"

#include "checkers/order/order.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

/* A clock is the index of a node, doubled, and 1 if the node is a leaf. */
struct clock_node {
    uint64_t key;  /* of a leaf; of a branch what its keys have in common, the rest 0 */
    uint64_t mask; /* leaf: lanes; branch: the bit of keys that parts it */
    uint32_t low;  /* leaf: the bound; branch: the clock of the keys without the bit */
    uint32_t high; /* leaf: a further leaf of the key, of a lower bound; branch: with the bit */
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
static const struct clock_node *node_of(const struct clocks *clocks, uint32_t clock)
{
    return &clocks->nodes[clock >> 1];
}

static void forget_all(struct clocks *clocks)
{
    if (clocks->count > 1) {
        memset(clocks->table, 0, clocks->table_size * sizeof *clocks->table);
    }
    clocks->count = 0;
}

void clocks_reset(struct clocks *clocks)
{
    forget_all(clocks);
    clocks->collect_at = COLLECT_MIN;
    clocks->failed = false;
}

void clocks_release(struct clocks *clocks)
{
    alloc_free(clocks->nodes);
    alloc_free(clocks->table);
    *clocks = (struct clocks){0};
}

static uint32_t hash_branch(const struct clock_node *node)
{
    uint64_t hash = node->key * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ node->mask) * UINT64_C(0xFF51AFD7ED558CCD);
    hash = (hash ^ hash >> 29 ^ ((uint64_t)node->low << 32 | node->high)) *
           UINT64_C(0xC4CEB9FE1A85EC53);
    return (uint32_t)(hash >> 32);
}

static bool same_node(const struct clock_node *a, const struct clock_node *b)
{
    return a->key == b->key && a->mask == b->mask && a->low == b->low && a->high == b->high;
}

/* The place in the table of such a branch, or the free one where it would be. */
static uint64_t *find_branch(const struct clocks *clocks, const struct clock_node *node,
                             uint32_t hash)
{
    const size_t last = clocks->table_size - 1;
    size_t slot = hash & last;
    for (; clocks->table[slot] != 0; slot = (slot + 1) & last) {
        const uint32_t clock = (uint32_t)clocks->table[slot];
        if (clocks->table[slot] >> 32 == hash && !is_leaf(clock) &&
            same_node(node_of(clocks, clock), node)) {
            break;
        }
    }
    return &clocks->table[slot];
}

/* Keeps the table at most half full. */
static bool reserve_table(struct clocks *clocks)
{
    if (clocks->count * 2 < clocks->table_size) {
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

/* Room for so many more nodes. */
static bool reserve_nodes(struct clocks *clocks, uint32_t wanted)
{
    clocks->count = clocks->count == 0 ? 1 : clocks->count; /* node 0 is none */
    bool reserved = clocks->count < UINT32_MAX / 2 - wanted && reserve_table(clocks);
    while (reserved && clocks->count + wanted > clocks->capacity) {
        struct clock_node *grown =
            alloc_grow(clocks->nodes, clocks->capacity, &clocks->capacity, sizeof *grown);
        clocks->nodes = grown != NULL ? grown : clocks->nodes;
        reserved = grown != NULL;
    }
    clocks->failed = clocks->failed || !reserved;
    return reserved;
}

/* The branch, made if there is none; 0 when memory is out. */
static uint32_t make_branch(struct clocks *clocks, uint64_t key, uint64_t bit, uint32_t low,
                            uint32_t high)
{
    const struct clock_node node = {
        .key = key & ~(bit | (bit - 1)), .mask = bit, .low = low, .high = high};
    if (!reserve_nodes(clocks, 1)) {
        return CLOCK_EMPTY;
    }
    const uint32_t hash = hash_branch(&node);
    uint64_t *slot = find_branch(clocks, &node, hash);
    if (*slot == 0) {
        clocks->nodes[clocks->count] = node;
        *slot = (uint64_t)hash << 32 | (uint32_t)clocks->count++ << 1;
    }
    return (uint32_t)*slot;
}

/* A branch of two trees of which no key is in both ranges. */
static uint32_t fork(struct clocks *clocks, uint32_t a, uint32_t b)
{
    const uint64_t key = node_of(clocks, a)->key;
    const uint64_t bit = UINT64_C(1) << (63 - __builtin_clzll(key ^ node_of(clocks, b)->key));
    return (key & bit) == 0 ? make_branch(clocks, key, bit, a, b)
                            : make_branch(clocks, key, bit, b, a);
}

/* ---- leaves: lanes by bound, the highest first, each lane once ---- */

struct bounds {
    uint64_t masks[ORDER_LANES];
    uint32_t bounds[ORDER_LANES];
    uint32_t count;
};

static void bounds_add(struct bounds *bounds, uint64_t mask, uint32_t bound)
{
    if (mask == 0) {
        return;
    }
    if (bounds->count > 0 && bounds->bounds[bounds->count - 1] == bound) {
        bounds->masks[bounds->count - 1] |= mask;
        return;
    }
    bounds->masks[bounds->count] = mask;
    bounds->bounds[bounds->count++] = bound;
}

static bool bounds_are(const struct clocks *clocks, const struct bounds *bounds, uint32_t leaf)
{
    for (uint32_t i = 0; i < bounds->count; i++) {
        if (leaf == CLOCK_EMPTY || node_of(clocks, leaf)->mask != bounds->masks[i] ||
            node_of(clocks, leaf)->low != bounds->bounds[i]) {
            return false;
        }
        leaf = node_of(clocks, leaf)->high;
    }
    return leaf == CLOCK_EMPTY;
}

static uint32_t hash_bounds(uint64_t key, const struct bounds *bounds)
{
    uint64_t hash = key * UINT64_C(0x9E3779B97F4A7C15);
    for (uint32_t i = 0; i < bounds->count; i++) {
        hash = (hash ^ hash >> 32 ^ bounds->masks[i]) * UINT64_C(0xFF51AFD7ED558CCD);
        hash = (hash ^ hash >> 29 ^ bounds->bounds[i]) * UINT64_C(0xC4CEB9FE1A85EC53);
    }
    return (uint32_t)(hash >> 32);
}

/* The leaf of these bounds, or CLOCK_EMPTY and the free place in the table where it would be. */
static uint32_t find_leaf(const struct clocks *clocks, uint64_t key, const struct bounds *bounds,
                          uint32_t hash, uint64_t **slot)
{
    const size_t last = clocks->table_size - 1;
    size_t at = hash & last;
    for (; clocks->table[at] != 0; at = (at + 1) & last) {
        const uint32_t known = (uint32_t)clocks->table[at];
        if (clocks->table[at] >> 32 == hash && is_leaf(known) &&
            node_of(clocks, known)->key == key && bounds_are(clocks, bounds, known)) {
            return known;
        }
    }
    *slot = &clocks->table[at];
    return CLOCK_EMPTY;
}

/* The leaf of these bounds, made if there is none; 0 when memory is out. Only the first of its
 * nodes is in the table. */
static uint32_t make_leaf(struct clocks *clocks, uint64_t key, const struct bounds *bounds)
{
    const uint32_t hash = hash_bounds(key, bounds);
    uint64_t *slot = NULL;
    if (!reserve_nodes(clocks, bounds->count)) {
        return CLOCK_EMPTY;
    }
    uint32_t leaf = find_leaf(clocks, key, bounds, hash, &slot);
    if (leaf != CLOCK_EMPTY) {
        return leaf;
    }
    for (uint32_t i = bounds->count; i-- > 0;) {
        clocks->nodes[clocks->count] = (struct clock_node){
            .key = key, .mask = bounds->masks[i], .low = bounds->bounds[i], .high = leaf};
        leaf = (uint32_t)clocks->count++ << 1 | 1;
    }
    *slot = (uint64_t)hash << 32 | leaf;
    return leaf;
}

static uint32_t join_leaves(struct clocks *clocks, uint32_t a, uint32_t b)
{
    const uint64_t key = node_of(clocks, a)->key;
    struct bounds bounds = {.count = 0};
    uint64_t left = ~UINT64_C(0);
    uint32_t at_a = a;
    uint32_t at_b = b;
    while (at_a != CLOCK_EMPTY || at_b != CLOCK_EMPTY) {
        const bool from_a =
            at_b == CLOCK_EMPTY ||
            (at_a != CLOCK_EMPTY && node_of(clocks, at_a)->low >= node_of(clocks, at_b)->low);
        uint32_t *at = from_a ? &at_a : &at_b;
        const struct clock_node *node = node_of(clocks, *at);
        bounds_add(&bounds, node->mask & left, node->low);
        left &= ~node->mask;
        *at = node->high;
    }
    if (bounds_are(clocks, &bounds, a)) {
        return a;
    }
    if (bounds_are(clocks, &bounds, b)) {
        return b;
    }
    return make_leaf(clocks, key, &bounds);
}

/* ---- trees ---- */

static uint64_t branch_bit(const struct clocks *clocks, uint32_t clock)
{
    return is_leaf(clock) ? 0 : node_of(clocks, clock)->mask;
}

/* Puts `b`, all of whose keys are on one side of the branch `a`, into that side. */
static uint32_t join_side(struct clocks *clocks, uint32_t a, uint32_t b)
{
    const struct clock_node node = *node_of(clocks, a);
    const bool high = (node_of(clocks, b)->key & node.mask) != 0;
    const uint32_t before = high ? node.high : node.low;
    const uint32_t side = clocks_join(clocks, before, b);
    if (side == before) {
        return a;
    }
    return high ? make_branch(clocks, node.key, node.mask, node.low, side)
                : make_branch(clocks, node.key, node.mask, side, node.high);
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
    const uint64_t difference = node_of(clocks, a)->key ^ node_of(clocks, b)->key;
    if (bit == 0) {
        return difference == 0 ? join_leaves(clocks, a, b) : fork(clocks, a, b);
    }
    if ((difference & ~(bit | (bit - 1))) != 0) {
        return fork(clocks, a, b);
    }
    if (branch_bit(clocks, b) != bit) {
        return join_side(clocks, a, b);
    }
    const struct clock_node x = *node_of(clocks, a);
    const struct clock_node y = *node_of(clocks, b);
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

uint32_t clocks_add(struct clocks *clocks, uint32_t clock, uint64_t group, uint32_t vector,
                    uint64_t mask, uint32_t bound)
{
    struct bounds bounds = {.count = 0};
    bounds_add(&bounds, mask, bound);
    const uint32_t leaf = make_leaf(clocks, clock_key(group, vector), &bounds);
    return clocks_join(clocks, clock, leaf);
}

uint32_t clocks_bound(const struct clocks *clocks, uint32_t clock, uint64_t group, uint32_t vector,
                      uint32_t lane)
{
    const uint64_t key = clock_key(group, vector);
    while (clock != CLOCK_EMPTY && !is_leaf(clock)) {
        const struct clock_node *node = node_of(clocks, clock);
        clock = (key & node->mask) != 0 ? node->high : node->low;
    }
    if (clock == CLOCK_EMPTY || node_of(clocks, clock)->key != key) {
        return 0;
    }
    for (; clock != CLOCK_EMPTY; clock = node_of(clocks, clock)->high) {
        if ((node_of(clocks, clock)->mask >> lane & 1) != 0) {
            return node_of(clocks, clock)->low;
        }
    }
    return 0;
}

/* ---- collection ---- */

bool clocks_collect_begin(struct clocks *clocks, const uint32_t *bounds)
{
    ASSERT(clocks->moved == NULL);
    uint32_t *moved = alloc_zero(clocks->count + 1, sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    clocks->moved = moved;
    clocks->bounds = bounds;
    clocks->old_nodes = clocks->nodes;
    clocks->old_count = clocks->count;
    clocks->nodes = NULL;
    clocks->capacity = 0;
    forget_all(clocks);
    return true;
}

static uint32_t keep_leaf(struct clocks *clocks, uint32_t leaf)
{
    const uint64_t key = clocks->old_nodes[leaf >> 1].key;
    struct bounds bounds = {.count = 0};
    for (; leaf != CLOCK_EMPTY; leaf = clocks->old_nodes[leaf >> 1].high) {
        const struct clock_node *node = &clocks->old_nodes[leaf >> 1];
        bounds_add(&bounds, node->mask,
                   clocks->bounds == NULL ? node->low : clocks->bounds[node->low]);
    }
    return make_leaf(clocks, key, &bounds);
}

/* No deeper than 64 branches. */
uint32_t clocks_keep(struct clocks *clocks, uint32_t clock)
{
    if (clock == CLOCK_EMPTY || clocks->failed) {
        return CLOCK_EMPTY;
    }
    uint32_t *moved = &clocks->moved[clock >> 1];
    if (*moved == CLOCK_EMPTY && is_leaf(clock)) {
        *moved = keep_leaf(clocks, clock);
    } else if (*moved == CLOCK_EMPTY) {
        const struct clock_node node = clocks->old_nodes[clock >> 1];
        const uint32_t low = clocks_keep(clocks, node.low);
        const uint32_t high = clocks_keep(clocks, node.high);
        *moved = make_branch(clocks, node.key, node.mask, low, high);
    }
    return *moved;
}

void clocks_collect_end(struct clocks *clocks)
{
    alloc_free(clocks->old_nodes);
    alloc_free(clocks->moved);
    clocks->old_nodes = NULL;
    clocks->moved = NULL;
    clocks->bounds = NULL;
    clocks->collect_at = 2 * clocks->count > COLLECT_MIN ? 2 * clocks->count : COLLECT_MIN;
}
