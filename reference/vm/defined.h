/* The definedness of memory, as loads and stores see it: vm_object.undefined says which bytes are
 * undefined. Of bytes that
 * were stored, undefined_origins.h knows which bits are; in global memory, which outlives it, a
 * byte of which some bits are defined counts as defined.
 *
 * The lanes of a private object mostly touch the same offset, each in its own arena; so its bits
 * are kept by offset, a word of all lanes for each byte, and such accesses look at `width` words.
 */
#ifndef REFERENCE_VM_DEFINED_H
#define REFERENCE_VM_DEFINED_H

#include "reference/vm/access.h"
#include "reference/vm/undefined_rows.h"

/* The first bit of a lane of an object that is not private. */
static inline uint64_t span_bit(const struct access_span *span, uint32_t lane)
{
    return span->object->root_offset + access_place(span, lane);
}

/* The word of the first byte of a lane of a private object. */
static inline uint64_t *span_word(const struct access_span *span, uint32_t lane)
{
    return span->object->undefined + (span_bit(span, lane) - lane * span->object->private_stride);
}

/* Do all lanes touch the same offset of a private object? */
static inline bool span_same_offset(const struct access_span *span)
{
    const struct vm_pattern pattern = span_pattern(span);
    const uint64_t private_stride = span->object->private_stride;
    return private_stride != 0 && span->strided && pattern_same_offset(&pattern, private_stride);
}

/* The places that the lanes of a gather touch: from the lowest to the highest. */
static inline void places_range(const struct access_span *span, uint64_t *low, uint64_t *high)
{
    const uint64_t start = span->places[span->first];
    const uint64_t mask = span->mask;
    uint64_t least = start;
    uint64_t most = start;
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        const uint64_t place = mask & lane_bits_64[lane] ? span->places[lane] : start;
        least = place < least ? place : least;
        most = place > most ? place : most;
    }
    *low = least;
    *high = most;
}

/* Are all bytes defined, or all undefined, from the lowest that a run touches to the highest, those
 * between its lanes included? False also where these are too many to be looked at. Not of private
 * objects. */
static inline bool ranges_are(const struct access_span *span, uint32_t size, bool undefined)
{
    struct vm_pattern pattern = span_pattern(span);
    uint64_t low = span->place;
    uint64_t high;
    if (!span->strided) {
        places_range(span, &low, &high);
        pattern = (struct vm_pattern){
            .stride = (int64_t)(high - low), .run_shift = ACCESS_NO_RUNS, .last = 1};
    }
    return pattern_bits_are(span->object->undefined, &pattern, span->object->root_offset + low,
                            size, undefined);
}

static inline bool ranges_defined(const struct access_span *span, uint32_t size)
{
    return ranges_are(span, size, false);
}

/* Is nothing defined, or nothing undefined, in what the lanes touch? May say no though it is so: of
 * sizes and places for which a lane's bits can be in two words. Not of private objects. */
static inline bool lanes_are(const struct access_span *span, uint32_t size, bool undefined)
{
    const uint64_t *bits = span->object->undefined;
    const uint64_t start = span_bit(span, span->first);
    const uint64_t mask = span->mask;
    const uint64_t turned = undefined ? ~UINT64_C(0) : 0;
    uint64_t any = 0;
    uint64_t places = 0;
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        const uint64_t bit = mask & lane_bits_64[lane] ? span_bit(span, lane) : start;
        any |= (bits_word(&bits[bit / 64]) ^ turned) >> bit % 64;
        places |= bit;
    }
    return lanes_bits_clear(any, places, size);
}

/* Is nothing undefined anywhere in the span? May say no though it is so. */
static inline bool span_defined(const struct access_span *span, uint32_t size)
{
    if (!span->object->undefined)
        return true;
    if (span->object->private_stride != 0)
        return span_same_offset(span) &&
               private_words_defined(span_word(span, span->first), size, span->mask);
    return (span->strided && ranges_defined(span, size)) ||
           (!span_consecutive(span, size) && lanes_are(span, size, false));
}

/* How much of a span is undefined. SOME also where it takes a look at each lane to know better. */
enum extent { EXTENT_NONE, EXTENT_SOME, EXTENT_ALL };

/* The same, of lanes that touch the same offset of a private object. */
static inline enum extent words_extent(const uint64_t *words, uint32_t size, uint64_t lanes)
{
    uint64_t any = 0;
    uint64_t all = ~UINT64_C(0);
    for (uint32_t i = 0; i < size; i++) {
        any |= words[i];
        all &= words[i];
    }
    return (any & lanes) == 0 ? EXTENT_NONE : (lanes & ~all) == 0 ? EXTENT_ALL : EXTENT_SOME;
}

/* Looks at ranges before it looks at lanes. */
static inline enum extent span_extent(const struct access_span *span, uint32_t size)
{
    if (!span->object->undefined)
        return EXTENT_NONE;
    if (span->object->private_stride != 0)
        return span_same_offset(span) ? words_extent(span_word(span, span->first), size, span->mask)
                                      : EXTENT_SOME;
    if (span->strided && ranges_defined(span, size))
        return EXTENT_NONE;
    if (span->strided && ranges_are(span, size, true))
        return EXTENT_ALL;
    if (span_consecutive(span, size))
        return EXTENT_SOME;
    if (lanes_are(span, size, false))
        return EXTENT_NONE;
    return lanes_are(span, size, true) ? EXTENT_ALL : EXTENT_SOME;
}

/* A bit for each byte of a lane's component, 1 to 8 of them: 1 = undefined. */
static inline uint64_t lane_undefined(const struct access_span *span, uint32_t lane, uint32_t width,
                                      uint32_t offset)
{
    if (span->object->private_stride == 0)
        return bits_get(span->object->undefined, span_bit(span, lane) + offset, width);
    const uint64_t *words = span_word(span, lane) + offset;
    uint64_t undefined = 0;
    for (uint32_t i = 0; i < width; i++)
        undefined |= (words[i] >> lane & 1) << i;
    return undefined;
}

/* Is there a lane with an undefined byte near its component? May say yes though there is none. */
static inline bool component_suspect(const struct access_span *span, uint32_t width,
                                     uint32_t offset)
{
    const uint64_t *bits = span->object->undefined;
    uint64_t any = 0;
    if (span->object->private_stride != 0)
        return true;
    FOR_EACH_LANE(lane, span->mask) {
        const uint64_t bit = span_bit(span, lane) + offset;
        any |= bits_word(&bits[bit / 64]) | bits_word(&bits[(bit + width - 1) / 64]);
    }
    return any != 0;
}

/* Lanes that have an undefined byte in the component, `width` bytes at `offset`. */
static inline uint64_t component_undefined(const struct access_span *span, uint32_t width,
                                           uint32_t offset)
{
    uint64_t undefined = 0;
    if (span_same_offset(span)) {
        const uint64_t *words = span_word(span, span->first) + offset;
        for (uint32_t i = 0; i < width; i++)
            undefined |= words[i];
        return undefined & span->mask;
    }
    if (!component_suspect(span, width, offset))
        return 0;
    FOR_EACH_LANE(lane, span->mask) {
        if (lane_undefined(span, lane, width, offset))
            undefined |= UINT64_C(1) << lane;
    }
    return undefined;
}

static inline void words_put(uint64_t *words, uint32_t width, uint64_t mask, uint64_t undefined)
{
    for (uint32_t i = 0; i < width; i++)
        words[i] = (words[i] & ~mask) | (undefined & mask);
}

/* `undefined` has a bit for each byte, up to 64. */
static inline void lane_define(const struct access_span *span, uint32_t lane, uint32_t width,
                               uint32_t offset, uint64_t undefined)
{
    if (span->object->private_stride == 0) {
        const uint64_t bit = span_bit(span, lane) + offset;
        if (span->object->identity.region == OBSERVER_GLOBAL)
            bits_put_shared(span->object->undefined, bit, width, undefined);
        else
            bits_put(span->object->undefined, bit, width, undefined);
        return;
    }
    uint64_t *words = span_word(span, lane) + offset;
    for (uint32_t i = 0; i < width; i++)
        words_put(words + i, 1, UINT64_C(1) << lane, undefined >> i & 1 ? ~UINT64_C(0) : 0);
}

/* All bytes of the span become defined. */
static inline void span_define(const struct access_span *span, uint32_t size)
{
    uint64_t *bits = span->object->undefined;
    const bool shared = span->object->private_stride == 0;
    if (!bits || (shared && ranges_defined(span, size)))
        return;
    if (span_same_offset(span)) {
        words_put(span_word(span, span->first), size, span->mask, 0);
    } else if (shared && span_consecutive(span, size)) {
        bits_fill(bits, span_bit(span, span->first),
                  (uint64_t)(span->last - span->first + 1) * size, false);
    } else if (shared && span->strided && span->stride == size && span->mask == ~UINT64_C(0)) {
        const uint32_t run = 1U << span->run_shift;
        for (uint32_t lane = 0; lane < VM_LANES; lane += run)
            bits_fill(bits, span_bit(span, lane), (uint64_t)run * size, false);
    } else {
        FOR_EACH_LANE(lane, span->mask) {
            for (uint32_t done = 0; done < size; done += 64)
                lane_define(span, lane, size - done < 64 ? size - done : 64, done, 0);
        }
    }
}

/* ---- where the undefined values in memory were born ---- */

static inline struct origins *object_births(const struct vm_vector *vector,
                                            const struct vm_object *object)
{
    const enum observer_region region = object->identity.region;
    const bool in_group = region == OBSERVER_LOCAL || region == OBSERVER_PRIVATE;
    return in_group ? &vector->run->births_in_group : &vector->run->births;
}

static inline struct origins *span_births(const struct vm_vector *vector,
                                          const struct access_span *span)
{
    return object_births(vector, span->object);
}

/* Of the `size` bytes at `offset` of a lane's: as it was stored, or here, from what was never
 * written. */
static inline struct vm_origin span_birth(const struct vm_vector *vector,
                                          const struct access_span *span, uint32_t lane,
                                          uint32_t offset, uint32_t size, uint32_t site)
{
    const struct vm_object *object = span->object;
    const uint64_t place = access_place(span, lane) + offset;
    const struct vm_origin *known =
        origins_find(span_births(vector, span), object->bytes + place, size);
    if (known)
        return *known;
    const uint64_t base =
        object->private_stride ? 0 - lane * object->private_stride : object->root_offset;
    return (struct vm_origin){
        .address = vm_pointer_make(object->identity.id, (int64_t)(place + base)), .site = site};
}

/* The undefined bits of a lane's component. */
static inline uint64_t lane_undefined_bits(const struct vm_vector *vector,
                                           const struct access_span *span, uint32_t lane,
                                           uint32_t width, uint32_t offset)
{
    const uint8_t *place = span->object->bytes + access_place(span, lane) + offset;
    return origins_bits(span_births(vector, span), place, width,
                        lane_undefined(span, lane, width, offset));
}

/* A value was stored of which some bits are undefined, or none. */
static inline void lane_define_bits(const struct vm_vector *vector, const struct access_span *span,
                                    uint32_t lane, uint32_t width, uint32_t offset, uint64_t bits,
                                    struct vm_origin birth)
{
    const uint8_t *place = span->object->bytes + access_place(span, lane) + offset;
    const bool outlives = span->object->identity.region == OBSERVER_GLOBAL;
    if (bits && outlives && vm_birth_open(vector, birth))
        bits = 0;
    const bool known =
        bits && origins_put(span_births(vector, span), place, width, bits, birth) && !outlives;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < width; i++) {
        const uint64_t byte = bits >> 8 * i & 0xFF;
        bytes |= (uint64_t)(known ? byte != 0 : byte == 0xFF) << i;
    }
    vector->run->undefined_stores += bytes != 0;
    lane_define(span, lane, width, offset, bytes);
}

/* ---- undefined_memory.c: the same of all lanes of a span at once ---- */

/* Of a load of which all bytes are undefined: puts down the bits and births of the component at
 * `offset`; what is known of the lanes of `keep` stays. False: there is no pattern, and nothing was
 * done. */
bool vm_undefined_load(struct vm_vector *vector, vm_row row, uint64_t keep,
                       const struct access_span *span, const struct vm_instruction *in,
                       uint32_t offset);
/* Makes the definedness of a store, of object memory with bits, if what is stored is undefined
 * wholly. False: it is not, or there is no pattern: it is to be done lane by lane. */
bool vm_undefined_store(const struct vm_vector *vector, const struct access_span *span,
                        const struct vm_instruction *in);

#endif
