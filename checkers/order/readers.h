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
 * States are immutable and stored in a pool of words, which is emptied as a whole; all but those of
 * saturated plain readers once (hash-consed). */
#ifndef CHECKERS_ORDER_READERS_H
#define CHECKERS_ORDER_READERS_H

#include "checkers/order/entry.h"
#include "checkers/order/order.h"

#include <stddef.h>

enum {
    READERS_PLAIN,
    READERS_ATOMIC_READ,                                            /* + scope */
    READERS_ATOMIC_WRITE = READERS_ATOMIC_READ + ORDER_LEVEL_COUNT, /* + scope */
    READERS_CLASS_COUNT = READERS_ATOMIC_WRITE + ORDER_LEVEL_COUNT,
};

/* The members of one class, the older first; newer is 0 when there is one only. */
struct reader_pair {
    uint32_t older, newer;
};

/* A state taken apart. Pairs of classes that are not present have no meaning. */
struct reader_set {
    uint32_t present;             /* bit c: class c has members */
    uint32_t saturated;           /* bit c: those of class c are as far apart as can be */
    enum order_level plain_level; /* how far apart the plain readers are, of two */
    struct reader_pair pairs[READERS_CLASS_COUNT];
};

/* The header of a state: bits 0 to 10 the classes present, 16 to 26 the saturated ones, 28 and 29
 * the level of the plain readers. */
enum { READERS_SATURATED_SHIFT = 16, READERS_LEVEL_SHIFT = 28, READERS_CLASS_MASK = 0x7ff };

struct readers {
    uint32_t *words; /* states one behind the other: header, then a pair for each class present */
    size_t size, capacity;
    uint32_t *table; /* open addressing; offsets into words, 0 = free */
    size_t table_size, count;
};

void readers_reset(struct readers *readers);
void readers_release(struct readers *readers);

/* The words of a state: its header, and behind it the pair of each class present. */
static inline const uint32_t *readers_words(const struct readers *readers, uint32_t packed)
{
    return &readers->words[packed & ENTRY_STATE_OFFSET];
}

/* Takes the second half of a cell apart: an entry, a state or 0. */
void readers_unpack(const struct readers *readers, uint32_t packed, struct reader_set *set);
/* The inverse; 0 for the empty set. False when memory is out; *packed is then left alone. */
bool readers_pack(struct readers *readers, const struct reader_set *set, uint32_t *packed);

#endif
