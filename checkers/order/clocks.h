/* Clocks: what a strand knows of others beyond what the course of execution tells everybody.
 *
 * A clock says of strands up to which record their accesses are ordered: "lanes `mask` of vector v
 * of group g, below `bound`". It is a radix tree by (group, vector) whose leaves are such facts,
 * and immutable. What is joined shares all the parts that do not differ, and clocks that say the
 * same are the same number, so handing a clock from strand to strand costs little however much it
 * says.
 *
 * Nodes lie in one array and are freed together, by moving what is still needed into a new one:
 *
 *     clocks_collect_begin(); root = clocks_keep(root) for each; clocks_collect_end();
 */
#ifndef CHECKERS_ORDER_CLOCKS_H
#define CHECKERS_ORDER_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_node;

struct clocks {
    struct clock_node *nodes;
    size_t count, capacity;
    uint64_t *table; /* open addressing, by what clocks say: hash << 32 | clock; 0 = free */
    size_t table_size;
    size_t collect_at; /* nodes that make a collection worth while */
    bool failed;       /* memory was out: what clocks say from then on has no meaning */

    /* between collect_begin and collect_end */
    struct clock_node *old_nodes;
    uint32_t *moved; /* by old node: its new clock, 0 = none yet */
    size_t old_count;
    const uint32_t *bounds;
};

/* A clock that says nothing is 0. */
enum { CLOCK_EMPTY = 0 };

/* The whole group as a vector: a fact about it holds for all strands of the group. */
#define CLOCK_GROUP_VECTOR (UINT32_MAX - 1)

void clocks_reset(struct clocks *clocks);
void clocks_release(struct clocks *clocks);

/* What either says. */
uint32_t clocks_join(struct clocks *clocks, uint32_t a, uint32_t b);
/* Besides, that the lanes of the vector are ordered below `bound`. */
uint32_t clocks_add(struct clocks *clocks, uint32_t clock, uint64_t group, uint32_t vector,
                    uint64_t mask, uint32_t bound);
/* Below which record the strand is ordered; 0 where nothing is said. */
uint32_t clocks_bound(const struct clocks *clocks, uint32_t clock, uint64_t group, uint32_t vector,
                      uint32_t lane);

/* `bounds` maps bounds to new ones, where records are numbered anew; NULL = they stay. False when
 * memory is out: nothing has begun then. Between begin and end nothing but `keep` may be called. */
bool clocks_collect_begin(struct clocks *clocks, const uint32_t *bounds);
uint32_t clocks_keep(struct clocks *clocks, uint32_t clock);
void clocks_collect_end(struct clocks *clocks);

#endif
