/* Reader states: who read the bytes of a cell, and who accessed them atomically, since the last
 * plain write.
 *
 * A state has *classes*: plain reads, atomic reads of each scope, atomic writes of each scope.
 * Whether a later access conflicts with a member depends on the class and on how far apart the two
 * are, so of each class at most two members are kept: the two farthest apart (of equally far pairs
 * the one that is there already). Nothing is lost: levels are an ultrametric, so for any strand the
 * farther of the two is at least as far as any member that was dropped; and a member ordered before
 * a new one of its class is dropped because whoever is ordered after the new one is ordered after
 * it too. A pair as far apart as can be is *saturated*: it never changes again.
 *
 * Up to two plain readers, or atomic updates of the widest scope, stand in the cell itself; all
 * else is in states, which are immutable and stored in a pool of words that is emptied as a whole.
 * Those of two members and more are stored once (hash-consed). A state of one member is as unlike
 * the others as its strand is, and a kernel may leave one in every cell of a buffer, so only the
 * last one of each lane is looked at for its like. */
#ifndef CHECKERS_ORDER_READERS_H
#define CHECKERS_ORDER_READERS_H

#include "checkers/order/entry.h"
#include "checkers/order/order.h"

#include <stddef.h>

enum {
    READERS_PLAIN,
    READERS_ATOMIC_READ,                                               /* + scope */
    READERS_ATOMIC_WRITE = READERS_ATOMIC_READ + OBSERVER_SCOPE_COUNT, /* + scope */
    READERS_CLASS_COUNT = READERS_ATOMIC_WRITE + OBSERVER_SCOPE_COUNT,
};

/* The members of one class, the older first; newer is 0 when there is one only. */
struct reader_pair {
    uint32_t older, newer;
};

/* A state taken apart. Pairs of classes that are not present have no meaning. */
struct reader_set {
    uint32_t present;          /* bit c: class c has members */
    uint32_t saturated;        /* bit c: those of class c are as far apart as can be */
    enum observer_scope level; /* how far apart the two of the lowest class are */
    struct reader_pair pairs[READERS_CLASS_COUNT];
};

/* The header of a state: bits 0 to 10 the classes present, 16 to 26 the saturated ones, 28 and 29
 * the level of the lowest class. */
enum { READERS_SATURATED_SHIFT = 16, READERS_LEVEL_SHIFT = 28, READERS_CLASS_MASK = 0x7ff };

struct readers {
    uint32_t *words; /* states one after the other: header, then a pair for each class present */
    size_t size, capacity;
    uint32_t *table; /* open addressing; offsets into words, 0 = free */
    size_t table_size, count;
    uint32_t
        singles[ORDER_LANES];   /* by lane: the offset of its last state of one member, 0 = none */
    enum observer_scope widest; /* the widest scope of the region's atomics; set by the owner */
};

void readers_reset(struct readers *readers);
void readers_release(struct readers *readers);

/* The words of the state at an offset: its header, and after it the pair of each class present. */
static inline const uint32_t *readers_words(const struct readers *readers, uint32_t offset)
{
    return &readers->words[offset];
}

/* Takes r and n of a cell apart. */
void readers_unpack(const struct readers *readers, uint32_t r, uint32_t n, struct reader_set *set);
/* The inverse. False when memory is out; *r and *n are then left alone. */
bool readers_pack(struct readers *readers, const struct reader_set *set, uint32_t *r, uint32_t *n);

#endif
