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

/* A number of `width` bytes as one of 64 bits. */
static inline u64 terms_extend(u64 number, u32 width, _Bool is_signed)
{
    const u32 unused = 64 - 8 * width;
    return is_signed ? (u64)((s64)(number << unused) >> unused) : number << unused >> unused;
}

/* The least and the greatest element of the lanes from `first` to `last`, as numbers of `width`
 * bytes: those of other lanes are nobody's. False: elements wrap, or might. */
static inline _Bool terms_range(u64 base, u64 step, u64 jump, u32 run_shift, u32 first, u32 last,
                                u32 width, _Bool is_signed, s64 *least, s64 *greatest)
{
    const s64 steps = (s64)terms_extend(step, width, 1);
    const s64 jumps = (s64)terms_extend(jump, width, 1);
    const _Bool runs =
        first >> run_shift != last >> run_shift && jumps != (s64)((u64)steps << run_shift);
    const u64 from = runs ? base : terms_element(base, step, jump, run_shift, first);
    const s64 begin = (s64)terms_extend(from, width, is_signed || width == 8);
    /* Then sums of 64 of them and one of these have less than 63 bits. */
    const s64 small = (s64)1 << 54;
    if (width == 8 && (steps < -small || steps > small || jumps < -small || jumps > small ||
                       begin < -((s64)1 << 61) || begin > (s64)1 << 61))
        return 0;
    const s64 along = steps * (s64)(runs ? ((u64)1 << run_shift) - 1 : last - first);
    const s64 across = runs ? jumps * (s64)((64u >> run_shift) - 1) : 0;
    *least = begin + (along < 0 ? along : 0) + (across < 0 ? across : 0);
    *greatest = begin + (along > 0 ? along : 0) + (across > 0 ? across : 0);
    if (width == 8)
        return is_signed || *least >= 0;
    const s64 lowest = is_signed ? -((s64)1 << (8 * width - 1)) : 0;
    const s64 highest = ((s64)1 << (8 * width - is_signed)) - 1;
    return *least >= lowest && *greatest <= highest;
}

/* The base of the same row, of elements of 64 bits: the steps become signed numbers of as many. As
 * terms_range says that none wraps, the element of the lane `first` is what it was. */
static inline u64 terms_widened_base(u64 base, u64 step, u64 jump, u32 run_shift, u32 first,
                                     u32 width, _Bool is_signed)
{
    if (first == 0)
        return terms_extend(base, width, is_signed);
    const u64 from = terms_element(base, step, jump, run_shift, first);
    return terms_extend(from, width, is_signed) - terms_element(0, terms_extend(step, width, 1),
                                                                terms_extend(jump, width, 1),
                                                                run_shift, first);
}

#endif
