/* Lanes that access one object by a pattern, as nearly all accesses do: what the gate (access.h)
 * finds of them, and what it takes for nothing to be undefined in them (defined.h). It is also text
 * of native code, after that of native_call.h, bits.h, pointer.h and terms.h. */
#ifndef REFERENCE_VM_PATTERN_H
#define REFERENCE_VM_PATTERN_H

#ifndef VM_NATIVE_TEXT
#include "reference/vm/bits.h"
#include "reference/vm/pointer.h"
#include "reference/vm/terms.h"
#endif

enum { ACCESS_NO_RUNS = 6 /* run_shift of 64 lanes */ };

/* Lane i accesses the place of lane 0 + (i % run) * stride + (i / run) * jump. */
struct vm_pattern {
    s64 stride;    /* from lane to lane of a run */
    s64 jump;      /* from run to run; 0 where there are no runs */
    u32 run_shift; /* a run has 1 << run_shift lanes; ACCESS_NO_RUNS where there are no runs */
    u32 first;     /* lowest active lane */
    u32 last;      /* highest; where there are runs all 64 are active */
};

/* ---- the gate ---- */

/* The pattern that the terms of an affine row say, of which `first` and `last` are set. False: the
 * lanes are some of several runs, and the pattern is as it was. */
static inline _Bool pattern_of_terms(struct vm_pattern *pattern, u64 step, u64 jump, u32 run_shift,
                                     u64 active)
{
    const u32 first = pattern->first;
    const u32 last = pattern->last;
    const _Bool runs = run_shift < ACCESS_NO_RUNS && jump != step << run_shift &&
                       first >> run_shift != last >> run_shift;
    if (runs && active != ~(u64)0)
        return 0;
    pattern->stride = first == last ? 0 : (s64)step;
    pattern->jump = runs ? (s64)jump : 0;
    pattern->run_shift = runs ? run_shift : ACCESS_NO_RUNS;
    return 1;
}

/* Is the step small enough for sums of 64 of them not to wrap? */
static inline _Bool pattern_step_small(s64 step)
{
    const s64 limit = (s64)1 << VM_POINTER_OFFSET_BITS;
    return -limit < step && step < limit;
}

/* Do the bytes at `address`, which is of the object that `origin` is of, lie in it? */
static inline _Bool pattern_address_within(u64 object_size, u32 size, u64 origin, u64 address)
{
    return (address ^ origin) >> VM_POINTER_OFFSET_BITS == 0 &&
           (u64)vm_pointer_offset(address) <= object_size - size;
}

/* Do the `size` bytes of all lanes lie in the object, of which the first lane has an address?
 * Between two places of one object lies nothing but that object, so the outermost lanes answer for
 * all: the ends of the first run and of the last. */
static inline _Bool pattern_within(const struct vm_pattern *pattern, u64 object_size, u32 size,
                                   u64 address)
{
    const u64 stride = (u64)pattern->stride;
    if (object_size < size || !pattern_step_small(pattern->stride) ||
        !pattern_step_small(pattern->jump))
        return 0;
    u64 last = address + (pattern->last - pattern->first) * stride;
    if (pattern->run_shift < ACCESS_NO_RUNS) {
        const u64 way = ((64u >> pattern->run_shift) - 1) * (u64)pattern->jump;
        last = address + ((1u << pattern->run_shift) - 1) * stride;
        if (!pattern_address_within(object_size, size, address, address + way) ||
            !pattern_address_within(object_size, size, address, last + way))
            return 0;
    }
    return pattern_address_within(object_size, size, address, address) &&
           pattern_address_within(object_size, size, address, last);
}

/* Do all lanes keep what the access promises? `place` is where in its root object what has the
 * alignment, a power of two, begins for the first lane. */
static inline _Bool pattern_aligned(const struct vm_pattern *pattern, u64 place, u64 alignment)
{
    return ((place | (u64)pattern->stride | (u64)pattern->jump) & (alignment - 1)) == 0;
}

/* Gives the place of lane 0, where it would be if it is not active, of a pattern whose first lane
 * is at `offset`; and makes places of the steps of addresses: the private memory of a lane lies
 * `private_stride` bytes behind that of the lane before. */
static inline u64 pattern_place(struct vm_pattern *pattern, u64 offset, u64 private_stride)
{
    const u64 place = offset - pattern->first * (u64)pattern->stride;
    pattern->stride += (s64)private_stride;
    pattern->jump += (s64)(private_stride << pattern->run_shift);
    return place;
}

/* ---- definedness: `bits` is vm_object.undefined ---- */

/* Do all lanes access the same offset of a private object, whose stride is not 0? */
static inline _Bool pattern_same_offset(const struct vm_pattern *pattern, u64 private_stride)
{
    const s64 stride = (s64)private_stride;
    return pattern->stride == stride &&
           (pattern->run_shift >= ACCESS_NO_RUNS || pattern->jump == stride << pattern->run_shift);
}

/* Of a private object: the bytes from `words` on, all lanes being at one offset. */
static inline _Bool private_words_defined(const u64 *words, u32 size, u64 active)
{
    u64 any = 0;
    for (u32 i = 0; i < size; i++)
        any |= words[i];
    return (any & active) == 0;
}

/* Are all bytes defined, or all undefined, from the first that a run touches to the last, those
 * between its lanes included? `place` is that of lane 0 in the root object. False also where these
 * are too many to be looked at. Not of private objects. */
static inline _Bool pattern_bits_are(const u64 *bits, const struct vm_pattern *pattern, u64 place,
                                     u32 size, _Bool undefined)
{
    const _Bool runs = pattern->run_shift < ACCESS_NO_RUNS;
    const u32 first = runs ? 0 : pattern->first;
    const u32 last = runs ? (1u << pattern->run_shift) - 1 : pattern->last;
    const _Bool down = pattern->stride < 0;
    const u64 steps = (last - first) * (u64)pattern->stride;
    const u64 count = (down ? 0 - steps : steps) + size;
    u64 begin = place + (down ? last : first) * (u64)pattern->stride;
    if (count > 4096)
        return 0;
    for (u32 run = runs && pattern->jump != 0 ? 64u >> pattern->run_shift : 1; run > 0; run--) {
        if (undefined ? !bits_all(bits, begin, count)
                      : bits_between(bits, begin, begin + count - 1) != 0)
            return 0;
        begin += (u64)pattern->jump;
    }
    return 1;
}

/* Of lanes at places of their own: is none of the bits set of which each lane has `size`? `any` are
 * the words that they begin in, shifted down to them, in one; `places` the numbers of the first
 * bits in one. False also where a lane's may lie in two words. */
static inline _Bool lanes_bits_clear(u64 any, u64 places, u32 size)
{
    return 64 % size == 0 && places % size == 0 && (any & bits_low(size)) == 0;
}

#endif
