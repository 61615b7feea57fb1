/* Where shared virtual memory lies: in one range of addresses, which is reserved when the first
 * allocation is made, and given out from its start.
 *
 *     base
 *     | table of allocations | guard | bytes | bits | guard | guard | bytes | bits | guard | ...
 *
 * Of a range that is *watched* the device has a second mapping, through which it comes to the same
 * bytes when the host's pages are taken away. It has one too where memory may lie *apart*: then the
 * device's pages of that allocation are others than the host's.
 *
 * No address is given out twice, so that of freed memory still names what was there; and the table
 * is in ascending order by itself. Where the system lets us, the range is always the same, so that
 * what kernels make of addresses is the same in every run.
 *
 * Taking and giving back under the memory's lock; finding from any thread. */
#ifndef REFERENCE_VM_SVM_H
#define REFERENCE_VM_SVM_H

#include "checkers/kernel/observer.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* May the host use it while kernels run? */
static inline bool svm_is_beside_host(enum observer_svm svm)
{
    return svm != OBSERVER_SVM_NONE && svm != OBSERVER_SVM_COARSE && svm != OBSERVER_SVM_DEVICE;
}

struct svm_place {
    uint64_t begin; /* address of its first byte */
    uint32_t object;
};

/* All zero: nothing reserved. */
struct svm_arena {
    uint8_t *base;
    uint64_t size, used; /* bytes, from base */
    uint32_t count;      /* of the table */
    bool watched;        /* set before the first allocation; not any more where it cannot be */
    bool apart;          /* the same: allocations may ask for pages that the host does not see */
    uint64_t distance;   /* from an address to that by which the device comes to the byte */
};

void svm_arena_release(struct svm_arena *arena);

/* Zeroed memory for `size` bytes of the object, aligned to any page; *bits has a bit for each, as
 * bits.h wants it, all 0. Both are the device's addresses. `apart`: the host has bytes of its own
 * at its addresses. */
enum status svm_take(struct svm_arena *arena, uint64_t size, bool apart, uint32_t object,
                     uint8_t **bytes, uint64_t **bits, struct error *error);
/* The bytes and bits are not needed any more. They stay readable, as zeroes. */
void svm_give_back(const struct svm_arena *arena, uint8_t *bytes, uint64_t size);

/* The allocation that the address is in, or near; false = none. *end is the first address that is
 * another one's. */
bool svm_find(const struct svm_arena *arena, uint64_t address, struct svm_place *place,
              uint64_t *end);

/* How far before its begin an address counts as an allocation's; and what allocations are aligned
 * to: the largest page that Linux has on any processor, so that addresses are the same on all. */
enum { SVM_GUARD = 65536 };

#endif
