/* Control flow of a graph of blocks: order, dominators, natural loops.
 *
 * The order is a reverse post-order in which every loop is contiguous: the blocks of a loop come
 * one after the other, header first, before anything that its exits lead to. Lanes that leave a
 * loop early therefore wait after it until all have left, when the lowest-numbered block with
 * lanes runs first. That is promised where every loop has a single latch (the source of its back
 * edge); flow_analyse tells how many there are, and a caller that joins them in one block analyses
 * again. */
#ifndef REFERENCE_SPIRV_FLOW_H
#define REFERENCE_SPIRV_FLOW_H

#include "trace/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define FLOW_NONE UINT32_MAX

/* Successors of block b: targets[first[b]] to targets[first[b + 1] - 1]. Block 0 is the entry. */
struct flow_graph {
    uint32_t count;
    const uint32_t *first;
    const uint32_t *targets;
};

struct flow_loop {
    uint32_t header;
    uint32_t latch; /* the last one found; the only one when latch_count is 1 */
    uint32_t latch_count;
    bool proper;         /* it has one latch, which lies in no inner loop */
    uint32_t parent;     /* the loop around it; 0 = none */
    uint32_t depth;      /* 1 = outermost */
    uint32_t start, end; /* positions in the order: [start, end) */
};

/* All arrays are in the arena and indexed by block. Blocks that the entry does not reach have
 * number FLOW_NONE and are not in the order. */
struct flow {
    uint32_t *order; /* blocks by position */
    uint32_t order_count;
    uint32_t *number;        /* position */
    uint32_t *dominator;     /* immediate; of the entry: itself */
    uint32_t *loop;          /* innermost loop; 0 = none */
    struct flow_loop *loops; /* 1 to loop_count; outer before inner */
    uint32_t loop_count;
    uint32_t *pred_first, *preds; /* predecessors, reachable ones only, as in flow_graph */
    bool irreducible; /* a cycle with two entries: no loops are told, the order is a plain one */
};

/* False when memory runs out. */
bool flow_analyse(struct arena *arena, const struct flow_graph *graph, struct flow *flow);

/* Do all ways to `block` lead through `above`? */
bool flow_dominates(const struct flow *flow, uint32_t above, uint32_t block);
/* Is `inner` the loop `outer` or within it? 0 is the whole graph. */
bool flow_loop_contains(const struct flow *flow, uint32_t outer, uint32_t inner);
/* The innermost loop that holds both. */
uint32_t flow_loop_common(const struct flow *flow, uint32_t a, uint32_t b);

#endif
