/* Rows that are undefined wholly, on their way from and to memory: their births are found and kept
 * by pattern, so that no lane is looked at. What has no pattern is left to the caller, who goes
 * from lane to lane. */
#include "reference/vm/defined.h"

/* Lanes that follow each other in memory, or touch one place, and the words of 4 bytes there. */
struct stretch {
    uint32_t first, last; /* lanes */
    const uint8_t *place; /* of the first lane's bytes */
};

/* The span's stretches: its runs, or all of it. */
static uint32_t stretch_count(const struct access_span *span)
{
    return span->strided && span->run_shift < ACCESS_NO_RUNS ? VM_LANES >> span->run_shift : 1;
}

static struct stretch stretch_at(const struct access_span *span, uint32_t index)
{
    const bool runs = stretch_count(span) > 1;
    const uint32_t run = runs ? 1U << span->run_shift : 0;
    struct stretch stretch = {.first = runs ? index * run : span->first,
                              .last = runs ? index * run + run - 1 : span->last};
    stretch.place = span->object->bytes + access_place(span, stretch.first);
    return stretch;
}

/* ---- loads ---- */

/* What is known of the bytes from the lowest to the highest of a stretch. */
static enum origins_words find_between(const struct origins *known, const struct access_span *span,
                                       const struct stretch *stretch, uint32_t size)
{
    uint64_t low = access_place(span, stretch->first);
    uint64_t high = access_place(span, stretch->last);
    struct vm_origins words;
    if (!span->strided) {
        places_range(span, &low, &high);
    } else if (high < low) {
        const uint64_t swap = low;
        low = high;
        high = swap;
    }
    const uintptr_t first = (uintptr_t)(span->object->bytes + low) & ~(uintptr_t)3;
    const uintptr_t end = (uintptr_t)(span->object->bytes + high + size);
    return origins_find_words(known, (const uint8_t *)first, (end - first + 3) / 4, &words);
}

/* Of values of `width` bytes that lanes load: do they follow each other, or are they one, so that
 * what was stored there may have a pattern? */
static bool may_be_stored(const struct access_span *span, uint32_t width)
{
    return width >= 4 && (span->stride == 0 || span->stride == (int64_t)width);
}

/* The births of a stretch of such values as they were stored: of its first lane, and the step to
 * the next. */
static enum origins_words find_stored(const struct origins *known, const struct access_span *span,
                                      const struct stretch *stretch, uint32_t width,
                                      struct vm_origins *births)
{
    const bool one = span->stride == 0;
    const uint32_t words = width / 4;
    const uint32_t lanes = one ? 1 : stretch->last - stretch->first + 1;
    struct vm_origins found;
    if ((uintptr_t)stretch->place % 4 != 0)
        return ORIGINS_OTHER;
    const enum origins_words alike =
        origins_find_words(known, stretch->place, lanes * words, &found);
    if (alike != ORIGINS_ALIKE)
        return alike;
    const bool pairs = found.run_shift < VM_ORIGINS_NO_RUNS;
    if (pairs && words == 1 && !one)
        return ORIGINS_OTHER;
    *births = (struct vm_origins){.first = found.first, .run_shift = VM_ORIGINS_NO_RUNS};
    births->stride = one ? 0 : pairs ? found.jump : words * found.stride;
    return ORIGINS_ALIKE;
}

/* Of all stretches, if each is as far from the one before. */
static enum origins_words find_all_stored(const struct origins *known,
                                          const struct access_span *span, uint32_t width,
                                          struct vm_origins *births)
{
    const uint32_t count = stretch_count(span);
    enum origins_words all = ORIGINS_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const struct stretch stretch = stretch_at(span, i);
        struct vm_origins next;
        const enum origins_words these = find_stored(known, span, &stretch, width, &next);
        if (these == ORIGINS_OTHER || (i > 0 && these != all))
            return ORIGINS_OTHER;
        all = these;
        if (these == ORIGINS_NONE)
            continue;
        if (i == 0) {
            *births = next;
            births->first.address -= stretch.first * (uint64_t)next.stride;
            births->run_shift = count > 1 ? span->run_shift : VM_ORIGINS_NO_RUNS;
            continue;
        }
        if (i == 1)
            births->jump = (int64_t)(next.first.address - births->first.address);
        if (!vm_origin_equal(next.first, vm_origins_at(births, stretch.first)) ||
            next.stride != births->stride)
            return ORIGINS_OTHER;
    }
    return all;
}

/* The births of bytes that nobody has stored: here. */
static struct vm_origins unwritten(const struct access_span *span, uint32_t offset, uint32_t site)
{
    const struct vm_object *object = span->object;
    const int64_t private = (int64_t)object->private_stride;
    const uint64_t place = access_place(span, span->first) + offset + object->root_offset;
    struct vm_origins births = {
        .first = {.site = site}, .stride = span->stride - private, .run_shift = VM_ORIGINS_NO_RUNS};
    if (private != 0)
        births.first.address = vm_pointer_make(object->identity.id,
                                               (int64_t)(access_place(span, span->first) + offset) -
                                                   (int64_t)span->first * private);
    else
        births.first.address = vm_pointer_make(object->identity.id, (int64_t)place);
    births.first.address -= span->first * (uint64_t)births.stride;
    if (span->run_shift < ACCESS_NO_RUNS) {
        births.run_shift = span->run_shift;
        births.jump = span->jump - (private << span->run_shift);
    }
    return births;
}

/* The same of places without a pattern. */
static void put_unwritten_each(struct vm_vector *vector, vm_row row, const struct access_span *span,
                               uint32_t offset, uint32_t site)
{
    const struct vm_object *object = span->object;
    const uint64_t start = vm_pointer_make(object->identity.id, 0) + object->root_offset + offset;
    struct vm_origin each[VM_LANES];
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        const uint64_t place = span->mask & lane_bits_64[lane] ? span->places[lane] : 0;
        each[lane] = (struct vm_origin){.address = start + place, .site = site};
    }
    vm_undefined_put_each(vector, row, span->mask, NULL, each);
}

/* From the lowest byte that a lane touches to the highest: is nothing known of any? Looks at no
 * word, and may say no though it is so. */
static bool lies_outside(const struct origins *known, const struct access_span *span, uint32_t size)
{
    uint64_t low = access_place(span, span->first);
    uint64_t high = access_place(span, span->last);
    if (!span->strided) {
        places_range(span, &low, &high);
    } else if (span->stride < 0 || span->jump < 0) {
        return false;
    }
    return origins_outside(known, span->object->bytes + low,
                           span->object->bytes + high + (size - 1));
}

static bool nothing_stored(const struct origins *known, const struct access_span *span,
                           uint32_t size)
{
    for (uint32_t i = 0; i < stretch_count(span); i++) {
        const struct stretch stretch = stretch_at(span, i);
        if (find_between(known, span, &stretch, size) != ORIGINS_NONE)
            return false;
    }
    return true;
}

/* What is known of the births of what is loaded, wholly undefined; *births gets them if they are
 * ALIKE. */
static enum origins_words find_births(const struct origins *known, const struct access_span *span,
                                      const struct vm_instruction *in, struct vm_origins *births)
{
    const uint32_t size = (uint32_t)in->width * in->count;
    if (lies_outside(known, span, size))
        return ORIGINS_NONE;
    if (span->strided && in->count == 1 && may_be_stored(span, in->width))
        return find_all_stored(known, span, in->width, births);
    return nothing_stored(known, span, size) ? ORIGINS_NONE : ORIGINS_OTHER;
}

bool vm_undefined_load(struct vm_vector *vector, vm_row row, uint64_t keep,
                       const struct access_span *span, const struct vm_instruction *in,
                       uint32_t offset)
{
    struct vm_origins births;
    const enum origins_words stored = find_births(span_births(vector, span), span, in, &births);
    if (stored == ORIGINS_OTHER || (!span->strided && span->object->private_stride != 0))
        return false;
    const uint64_t bits = bits_low(in->width * 8u);
    if (!span->strided) {
        vm_undefined_put_bits(vector, row, keep, span->mask, bits);
        put_unwritten_each(vector, row, span, offset, vm_site(vector, in));
        return true;
    }
    if (stored == ORIGINS_NONE)
        births = unwritten(span, offset, vm_site(vector, in));
    vm_undefined_put_alike(vector, row, keep, span->mask, bits, &births);
    return true;
}

/* ---- stores ---- */

/* Are the rows that the instruction stores undefined wholly in these lanes, with births that go on
 * from component to component as they do from lane to lane? *births gets the first row's. */
static bool rows_undefined(const struct vm_vector *vector, const struct vm_instruction *in,
                           uint64_t mask, struct vm_origins *births)
{
    for (uint32_t component = 0; component < in->count; component++) {
        const vm_row row = in->b + component * in->width;
        const struct vm_origins *known;
        uint64_t bits;
        const uint64_t lanes = vector->undefined[row] & mask &
                               vm_undefined_alike(vector, row, in->width, &bits) &
                               vm_undefined_births(vector, row, &known);
        if (lanes != mask || bits != bits_low(in->width * 8u))
            return false;
        struct vm_origins next = *known;
        if (component == 0) {
            *births = next;
            continue;
        }
        next.first.address -= component * (uint64_t)(births->stride / in->count);
        if (!vm_origins_equal(&next, births) || births->stride % in->count != 0)
            return false;
    }
    return true;
}

/* The births of the stretch's words, if they have a pattern: of small values each word has that of
 * the last one in it. */
static bool words_of(const struct stretch *stretch, const struct vm_instruction *in,
                     const struct vm_origins *births, bool ascending, struct vm_origins *words)
{
    const uint32_t run = births->run_shift;
    const uint32_t values = in->width < 4 ? 4u / in->width : 1;
    const uint32_t lanes = stretch->last - stretch->first + 1;
    const int64_t step = births->stride / (int64_t)in->count;
    if (stretch->first >> run != stretch->last >> run ||
        (uintptr_t)stretch->place % (in->width < 4 ? 4 : in->width) != 0)
        return false;
    if (values > 1 && (in->count > 1 || !ascending || lanes % values != 0))
        return false;
    *words = (struct vm_origins){.first = vm_origins_at(births, stretch->first + values - 1)};
    if (in->width == 8) {
        words->run_shift = 1;
        words->jump = step;
    } else {
        words->run_shift = VM_ORIGINS_NO_RUNS;
        words->stride = values * step;
    }
    return true;
}

/* Words that are undefined wholly, each with a birth of its own, which for memory that outlives
 * the launch may not be open. */
static bool rows_each(const struct vm_vector *vector, const struct access_span *span,
                      const struct vm_instruction *in, struct vm_origin each[VM_LANES])
{
    uint64_t bits;
    const uint64_t lanes =
        vector->undefined[in->b] & vm_undefined_alike(vector, in->b, in->width, &bits);
    if (in->width != 4 || in->count != 1 || bits != bits_low(32) || (span->mask & ~lanes) != 0)
        return false;
    vm_undefined_births_each(vector, in->b, span->mask, each);
    FOR_EACH_LANE(lane, span->object->identity.region == OBSERVER_GLOBAL ? span->mask : 0) {
        if (vm_birth_open(vector, each[lane]))
            return false;
    }
    return true;
}

/* The births of a stretch's words, by a pattern, or by lane if that is NULL. */
static bool put_words(const struct vm_vector *vector, const struct access_span *span,
                      const struct stretch *stretch, const struct vm_instruction *in,
                      const struct vm_origins *births, const struct vm_origin each[VM_LANES])
{
    struct origins *known = span_births(vector, span);
    const uint32_t count = (stretch->last - stretch->first + 1) * in->width * in->count / 4;
    struct vm_origins words;
    if (!births)
        return (uintptr_t)stretch->place % 4 == 0 &&
               origins_put_each(known, stretch->place, count, each + stretch->first);
    return words_of(stretch, in, births, vector->run->lane_order == NULL, &words) &&
           origins_put_words(known, stretch->place, count, &words);
}

bool vm_undefined_store(const struct vm_vector *vector, const struct access_span *span,
                        const struct vm_instruction *in)
{
    const struct vm_object *object = span->object;
    const uint32_t size = (uint32_t)in->width * in->count;
    struct vm_origins births = {.run_shift = VM_ORIGINS_NO_RUNS};
    struct vm_origin each[VM_LANES];
    if (object->private_stride != 0 || !span->strided || span->stride != (int64_t)size ||
        (span->run_shift == ACCESS_NO_RUNS && !span_consecutive(span, size)))
        return false;
    const bool alike = rows_undefined(vector, in, span->mask, &births);
    if (!alike && !rows_each(vector, span, in, each))
        return false;
    if (alike && object->identity.region == OBSERVER_GLOBAL && vm_birth_open(vector, births.first))
        return false;
    for (uint32_t i = 0; i < stretch_count(span); i++) {
        const struct stretch stretch = stretch_at(span, i);
        const uint64_t bytes = (uint64_t)(stretch.last - stretch.first + 1) * size;
        const uint64_t bit = span_bit(span, stretch.first);
        if (!put_words(vector, span, &stretch, in, alike ? &births : NULL, each))
            return false;
        vector->run->undefined_stores++;
        if (!bits_all(object->undefined, bit, bytes))
            bits_fill(object->undefined, bit, bytes, true);
    }
    return true;
}
