/* What a shadow cell holds: an *entry* names one access of one strand in 32 bits.
 *
 *     31 30 .............. 6 5 ..... 0
 *      0     record id         lane          an access; 0 is none, as record ids start at 1
 *      1  s g  offset into the pool          a reader state (checkers/order/readers.h) with plain
 *                                            readers only that are, s: saturated; g: two, of
 *                                            different sub-groups of one group
 */
#ifndef CHECKERS_ORDER_ENTRY_H
#define CHECKERS_ORDER_ENTRY_H

#include <stdint.h>

#define ENTRY_STATE        UINT32_C(0x80000000)
#define ENTRY_SATURATED    UINT32_C(0xC0000000)
#define ENTRY_GROUP        UINT32_C(0x20000000)
#define ENTRY_STATE_OFFSET UINT32_C(0x1FFFFFFF)
enum { ENTRY_LANE_BITS = 6, ENTRY_RECORD_BITS = 25, ENTRY_LANE_MASK = 63 };

static inline uint32_t entry_make(uint32_t record, uint32_t lane)
{
    return record << ENTRY_LANE_BITS | lane;
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
