/* Releases: what a strand knew when it released it, in lists: those of its fences that its next
 * atomic stores carry, those that an atomic object carries to whoever reads it, those that a strand
 * has read and that an acquire fence of its own would acquire. Releases that would be acquired by
 * just the same operations are one. */
#ifndef CHECKERS_ORDER_RELEASES_H
#define CHECKERS_ORDER_RELEASES_H

#include "checkers/order/clocks.h"
#include "checkers/order/order.h"

/* A clock for each of the regions. */
struct region_clocks {
    uint32_t of[ORDER_FLOOR_COUNT];
};

/* How a release can be acquired. */
struct release_key {
    uint8_t scope;      /* enum order_level */
    uint8_t fence;      /* the regions of a fence, as bits; 0 = the atomic store itself released */
    uint8_t sequential; /* seq_cst */
    uint8_t region;     /* of the atomic object, only where it has been read; as the next one */
    uint8_t widest;     /* wider scopes count as this one */
    /* Only where it can be read: by strands no farther than this from the one that released. What
     * several of those released is one then. */
    uint8_t level;
};

struct release {
    struct release_key key;
    uint32_t next; /* in its list; 0 = none */
    /* The unit of that level: the group, and the sub-group in it. On the level of the device the
     * group of the one that came last: local clocks say nothing outside it, unless groups
     * overlap. */
    uint64_t group;
    uint32_t sub_group;
    struct region_clocks clocks;
};

struct releases {
    struct release *items; /* [0] is unused */
    size_t count, capacity;
    uint32_t free; /* a list */
    bool failed;   /* memory was out: lists lack members */
    bool overlap;  /* groups go on after others: what one knew of its local memory may come back */
};

void releases_reset(struct releases *releases);
void releases_release(struct releases *releases);

static inline struct release *release_get(const struct releases *releases, uint32_t release)
{
    return &releases->items[release];
}

/* Joins `release` with the one of its key and unit in the list, or puts it there. */
void releases_add(struct releases *releases, struct clocks *clocks, uint32_t *list,
                  const struct release *release);
/* Likewise, but `release` says all that the one in the list does: it is put in its place. */
void releases_renew(struct releases *releases, uint32_t *list, const struct release *release);
/* Makes the list empty. */
void releases_drop(struct releases *releases, uint32_t *list);
/* Takes out those that only strands of groups which have ended could acquire. */
void releases_drop_groups(struct releases *releases, uint32_t *list, const struct order *order);

#endif
