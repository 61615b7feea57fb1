/* Reductions: loops in whose rounds the items below a number H combine their element with the one
 * that is H farther, and H becomes half of itself:
 *
 *     for (uint h = get_local_size(0) / 2; h > 0; h /= 2) {
 *         if (lid < h)
 *             sums[lid] += sums[lid + h];
 *         barrier(CLK_LOCAL_MEM_FENCE);
 *     }
 *
 * H is the same for all items of a group that are in one round. Each round has a barrier for local
 * memory, so what is done in a round before its barriers is in no epoch with another round, nor
 * with what stands behind the loop: all items leave it together. */
#ifndef REFERENCE_LOWER_PASSES_LOWER_HALVES_H
#define REFERENCE_LOWER_PASSES_LOWER_HALVES_H

#include "reference/lower/passes/lower_affine.h"

struct halves {
    struct lower *lower;
    uint32_t *loops;  /* by block: the loop of such rounds in which it stands before all barriers */
    uint32_t *bounds; /* by loop: H */
    bool *reached;    /* by block, for searches */
    uint32_t *stack;
};

/* Where an access is by H. Of an element of `scale` bytes at root + first + scale * i. */
struct half {
    uint32_t bound; /* the value H; 0 = it is not known to be on either side of one */
    bool is_below;  /* i < H, else i >= H */
    uint32_t root;
    int64_t first;
    uint64_t scale;
};

/* lower_failed afterwards where memory is out. */
struct halves lower_halves(struct lower *lower);
/* Of `size` bytes through the pointer, in the block. */
struct half half_of(struct halves *halves, const struct affine *forms, uint32_t block,
                    uint32_t pointer, uint64_t size);
/* They have no byte in common, if they are in one epoch. */
bool halves_part(const struct half *a, const struct half *b);
/* Can items not be in these blocks in one epoch? */
bool halves_order(struct halves *halves, uint32_t a, uint32_t b);

#endif
