/* What a shadow cell holds: an *entry* names one access of one strand in 30 bits.
 *
 *     31 30 29 .............. 6 5 ..... 0
 *      f  a     record id         lane          an access; 0 is none, as record ids start at 1
 *
 * A cell has three words: w, the last plain write; r and n, what has accessed it since:
 *
 *     r = 0,            n = 0               nobody
 *     r = entry,        n = 0               one plain reader
 *     r = entry,        n = entry           two plain readers, r the older. The flag f of r: they
 *                                           are of different sub-groups of one group; that of n: of
 *                                           different groups (saturated)
 *     r = entry with a, n = as above        atomic updates instead, of the widest scope that the
 *                                           region has
 *     r = pool offset,  n = ENTRY_STATE     more than that: a reader state (readers.h)
 */
#ifndef CHECKERS_ORDER_ENTRY_H
#define CHECKERS_ORDER_ENTRY_H

#include <stdint.h>

#define ENTRY_FLAG       UINT32_C(0x80000000)
#define ENTRY_ATOMIC     UINT32_C(0x40000000)
#define ENTRY_STATE      UINT32_C(0xFFFFFFFF)
#define ENTRY_RECORD_MAX ((UINT32_C(1) << 24) - 2)
enum { ENTRY_LANE_BITS = 6, ENTRY_LANE_MASK = 63 };

static inline uint32_t entry_make(uint32_t record, uint32_t lane)
{
    return record << ENTRY_LANE_BITS | lane;
}
/* Without its flags. */
static inline uint32_t entry_plain(uint32_t entry)
{
    return entry & ~(ENTRY_FLAG | ENTRY_ATOMIC);
}
static inline uint32_t entry_record(uint32_t entry)
{
    return entry >> ENTRY_LANE_BITS;
}
static inline uint32_t entry_lane(uint32_t entry)
{
    return entry & ENTRY_LANE_MASK;
}

#endif
