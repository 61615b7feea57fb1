/* Arithmetic on the terms of affine rows (code.h). It is also text of native code, after that of
 * native_call.h, which has the types. */
#ifndef REFERENCE_VM_TERMS_H
#define REFERENCE_VM_TERMS_H

#ifndef VM_NATIVE_TEXT
#include "reference/vm/lane.h"
#endif

/* The element of a lane. */
static inline u64 terms_element(u64 base, u64 step, u64 jump, u32 run_shift, u32 lane)
{
    const u32 in_run = lane & ((1u << run_shift) - 1);
    return base + in_run * step + (lane >> run_shift) * jump;
}

/* What is below it is 0 in all sums of multiples of `bits`. */
static inline u64 lowest_bit(u64 bits)
{
    return bits == 0 ? ~(u64)0 : bits & (0 - bits);
}

/* The least and the greatest element as numbers of `width` bytes. False: elements wrap, or might.
 */
static inline _Bool terms_range(u64 base, u64 step, u64 jump, u32 run_shift, u32 width,
                                _Bool is_signed, s64 *least, s64 *greatest)
{
    const u32 unused = 64 - 8 * width;
    const s64 first = is_signed || width == 8 ? (s64)(base << unused) >> unused : (s64)base;
    const s64 steps = (s64)(step << unused) >> unused;
    const s64 jumps = (s64)(jump << unused) >> unused;
    /* Then sums of 64 of them and one of these have less than 63 bits. */
    const s64 small = (s64)1 << 54;
    if (width == 8 && (steps < -small || steps > small || jumps < -small || jumps > small ||
                       first < -((s64)1 << 61) || first > (s64)1 << 61))
        return 0;
    const s64 along = steps * (s64)(((u64)1 << run_shift) - 1);
    const s64 across = jumps * (s64)((64u >> run_shift) - 1);
    *least = first + (along < 0 ? along : 0) + (across < 0 ? across : 0);
    *greatest = first + (along > 0 ? along : 0) + (across > 0 ? across : 0);
    if (width == 8)
        return is_signed || *least >= 0;
    const s64 lowest = is_signed ? -((s64)1 << (8 * width - 1)) : 0;
    const s64 highest = ((s64)1 << (8 * width - is_signed)) - 1;
    return *least >= lowest && *greatest <= highest;
}

#endif
