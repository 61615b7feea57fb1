/* Clocks: what a strand knows of others beyond what the course of execution tells everybody.
 *
 * A clock says of strands up to which record their accesses are ordered: "lanes `mask` of vector v
 * of group g, below `bound`". It is a radix tree by (group, vector) whose leaves are such facts,
 * and immutable. What is joined shares all the parts that do not differ, and clocks that say the
 * same are the same number, so handing a clock from strand to strand costs little however much it
 * says.
 *
 * Branches and leaves lie in arrays and are freed together, by moving what is still needed into new
 * ones:
 *
 *     clocks_collect_begin(); root = clocks_keep(root) for each; clocks_collect_end();
 */
#ifndef CHECKERS_ORDER_CLOCKS_H
#define CHECKERS_ORDER_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_branch;
struct clock_leaf;

/* What clocks were before a collection, while it goes on. */
struct clocks_old {
    struct clock_branch *branches;
    struct clock_leaf *leaves;
    uint32_t *moved_branches, *moved_leaves; /* their new clocks; 0 = none yet */
    const uint32_t *bounds;
};

struct clocks {
    struct clock_branch *branches;
    size_t branch_count, branch_capacity;
    struct clock_leaf *leaves;
    size_t leaf_count, leaf_capacity;
    uint64_t *table; /* open addressing, by what clocks say: hash << 32 | clock; 0 = free */
    size_t table_size;
    size_t collect_at; /* branches and leaves that make a collection worth while */
    bool failed;       /* memory was out: what clocks say from then on has no meaning */
    struct clocks_old old;
};

static inline size_t clocks_count(const struct clocks *clocks)
{
    return clocks->branch_count + clocks->leaf_count;
}

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
/* Those of the lanes `mask` whose access of `record` is ordered. */
uint64_t clocks_ordered(const struct clocks *clocks, uint32_t clock, uint64_t group,
                        uint32_t vector, uint64_t mask, uint32_t record);
/* Below which record the strand is ordered; 0 where nothing is said. */
uint32_t clocks_bound(const struct clocks *clocks, uint32_t clock, uint64_t group, uint32_t vector,
                      uint32_t lane);

/* `bounds` maps bounds to new ones, where records are numbered anew; NULL = they stay. False when
 * memory is out: nothing has begun then. Between begin and end nothing but `keep` may be called. */
bool clocks_collect_begin(struct clocks *clocks, const uint32_t *bounds);
uint32_t clocks_keep(struct clocks *clocks, uint32_t clock);
void clocks_collect_end(struct clocks *clocks);

#endif
