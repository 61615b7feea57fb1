/* What is known of a row is, where it can be, said at once: these lanes have these undefined bits,
 * and those lanes were born by this pattern. A load of memory that nobody wrote makes such a row,
 * and most ops make one of such rows. Only what fits in no such sentence stands by the lane. */
#include "reference/vm/undefined_rows.h"
#include "reference/vm/bits.h"
#include "reference/vm/machine.h"

#include <string.h>

struct undefined_lanes {
    uint64_t bits[VM_LANES];
    struct vm_origin births[VM_LANES];
};

struct vm_undefined_row {
    uint64_t alike; /* lanes that have these bits */
    uint64_t bits;
    uint64_t born_alike; /* lanes that have these births */
    struct vm_origins births;
    struct undefined_lanes *others; /* NULL: other lanes are undefined wholly, of unknown birth */
};

static const struct vm_origin unknown_birth = {.site = UINT32_MAX};

/* NULL: nothing is known. */
static struct vm_undefined_row *row_of(const struct vm_vector *vector, vm_row row)
{
    return vector->undefined_rows ? vector->undefined_rows[row] : NULL;
}

/* The row's, made if need be; NULL when memory is out. */
static struct vm_undefined_row *row_get(struct vm_vector *vector, vm_row row)
{
    struct vm_undefined_row *known = row_of(vector, row);
    if (known || !vector->undefined_rows)
        return known;
    known = arena_alloc(&vector->run->undefined_rows, 1, sizeof *known);
    vector->undefined_rows[row] = known;
    return known;
}

/* NULL when memory is out. */
static struct undefined_lanes *others_get(struct vm_vector *vector, struct vm_undefined_row *known)
{
    if (known->others)
        return known->others;
    struct undefined_lanes *others =
        arena_alloc(&vector->run->undefined_rows, 1, sizeof *known->others);
    for (uint32_t lane = 0; lane < VM_LANES && others; lane++) {
        others->bits[lane] = ~UINT64_C(0);
        others->births[lane] = unknown_birth;
    }
    known->others = others;
    return others;
}

/* ---- what a lane has ---- */

uint64_t vm_undefined_bits(const struct vm_vector *vector, vm_row row, uint32_t lane,
                           uint32_t width)
{
    const struct vm_undefined_row *known = row_of(vector, row);
    const uint64_t all = bits_low(width * 8);
    if (!(vector->undefined[row] >> lane & 1))
        return 0;
    if (width == 0)
        return 1;
    if (known && known->alike >> lane & 1)
        return known->bits & all;
    return known && known->others ? known->others->bits[lane] & all : all;
}

uint64_t vm_undefined_alike(const struct vm_vector *vector, vm_row row, uint32_t width,
                            uint64_t *bits)
{
    const struct vm_undefined_row *known = row_of(vector, row);
    const uint64_t all = bits_low(width ? width * 8 : 1);
    *bits = known && width ? known->bits & all : all;
    return known && width ? known->alike : ~UINT64_C(0);
}

static bool has_whole_byte(uint64_t bits)
{
    bool whole = false;
    for (uint32_t i = 0; i < 8; i++)
        whole |= (bits >> 8 * i & 0xFF) == 0xFF;
    return whole;
}

uint64_t vm_undefined_lanes(const struct vm_vector *vector, vm_row row, uint32_t width,
                            uint64_t mask)
{
    uint64_t lanes = mask & vector->undefined[row];
    uint64_t bits;
    const uint64_t alike = vm_undefined_alike(vector, row, width, &bits);
    if (bits != bits_low(width * 8) && has_whole_byte(bits))
        lanes &= ~alike;
    FOR_EACH_LANE(lane, lanes & ~alike) {
        bits = vm_undefined_bits(vector, row, lane, width);
        if (bits != bits_low(width * 8) && has_whole_byte(bits))
            lanes &= ~(UINT64_C(1) << lane);
    }
    return lanes;
}

struct vm_origin vm_undefined_birth(const struct vm_vector *vector, vm_row row, uint32_t lane)
{
    const struct vm_undefined_row *known = row_of(vector, row);
    if (known && known->born_alike >> lane & 1)
        return vm_origins_at(&known->births, lane);
    return known && known->others ? known->others->births[lane] : unknown_birth;
}

uint64_t vm_undefined_births(const struct vm_vector *vector, vm_row row,
                             const struct vm_origins **births)
{
    static const struct vm_origins unknown = {.first = {.site = UINT32_MAX},
                                              .run_shift = VM_ORIGINS_NO_RUNS};
    const struct vm_undefined_row *known = row_of(vector, row);
    *births = known ? &known->births : &unknown;
    return known ? known->born_alike : ~UINT64_C(0);
}

void vm_undefined_births_each(const struct vm_vector *vector, vm_row row, uint64_t mask,
                              struct vm_origin births[VM_LANES])
{
    const struct vm_undefined_row *known = row_of(vector, row);
    if (known && known->others && (mask & known->born_alike) == 0) {
        FOR_EACH_LANE(lane, mask)
            births[lane] = known->others->births[lane];
        return;
    }
    FOR_EACH_LANE(lane, mask)
        births[lane] = vm_undefined_birth(vector, row, (uint32_t)lane);
}

/* ---- putting down ---- */

void vm_undefined_put(struct vm_vector *vector, vm_row row, bool uniform, uint32_t lane,
                      uint64_t bits, struct vm_origin birth)
{
    if (uniform) {
        vm_undefined_put_alike(
            vector, row, 0, ~UINT64_C(0), bits,
            &(const struct vm_origins){.first = birth, .run_shift = VM_ORIGINS_NO_RUNS});
        return;
    }
    struct vm_undefined_row *known = row_get(vector, row);
    struct undefined_lanes *others = known ? others_get(vector, known) : NULL;
    if (!known)
        return;
    known->alike &= ~(UINT64_C(1) << lane);
    known->born_alike &= ~(UINT64_C(1) << lane);
    if (!others)
        return;
    others->bits[lane] = bits;
    others->births[lane] = birth;
}

static void put_bits(struct vm_vector *vector, struct vm_undefined_row *known, uint64_t keep,
                     uint64_t mask, uint64_t bits)
{
    uint64_t left = known->alike & keep & ~mask;
    if (left && known->bits != bits) {
        struct undefined_lanes *others = others_get(vector, known);
        FOR_EACH_LANE(lane, others ? left : 0)
            others->bits[lane] = known->bits;
        left = 0;
    }
    known->alike = left | mask;
    known->bits = bits;
}

static void put_births(struct vm_vector *vector, struct vm_undefined_row *known, uint64_t keep,
                       uint64_t mask, const struct vm_origins *births)
{
    uint64_t left = known->born_alike & keep & ~mask;
    if (left && !vm_origins_equal(&known->births, births)) {
        struct undefined_lanes *others = others_get(vector, known);
        FOR_EACH_LANE(lane, others ? left : 0)
            others->births[lane] = vm_origins_at(&known->births, lane);
        left = 0;
    }
    known->born_alike = left | mask;
    known->births = *births;
}

void vm_undefined_put_bits(struct vm_vector *vector, vm_row row, uint64_t keep, uint64_t mask,
                           uint64_t bits)
{
    struct vm_undefined_row *known = row_get(vector, row);
    if (known)
        put_bits(vector, known, keep, mask, bits);
}

void vm_undefined_put_births(struct vm_vector *vector, vm_row row, uint64_t keep, uint64_t mask,
                             const struct vm_origins *births)
{
    struct vm_undefined_row *known = row_get(vector, row);
    if (known)
        put_births(vector, known, keep, mask, births);
}

void vm_undefined_put_alike(struct vm_vector *vector, vm_row row, uint64_t keep, uint64_t mask,
                            uint64_t bits, const struct vm_origins *births)
{
    struct vm_undefined_row *known = row_get(vector, row);
    if (!known)
        return;
    put_bits(vector, known, keep, mask, bits);
    put_births(vector, known, keep, mask, births);
}

void vm_undefined_put_each(struct vm_vector *vector, vm_row row, uint64_t mask,
                           const uint64_t *bits, const struct vm_origin *births)
{
    struct vm_undefined_row *known = row_get(vector, row);
    struct undefined_lanes *others = known ? others_get(vector, known) : NULL;
    if (!known)
        return;
    known->alike &= bits ? ~mask : ~UINT64_C(0);
    known->born_alike &= births ? ~mask : ~UINT64_C(0);
    FOR_EACH_LANE(lane, others && bits ? mask : 0)
        others->bits[lane] = bits[lane];
    if (others && births && mask == ~UINT64_C(0)) {
        memcpy(others->births, births, sizeof others->births);
        return;
    }
    FOR_EACH_LANE(lane, others && births ? mask : 0)
        others->births[lane] = births[lane];
}

/* Born here. */
static struct vm_origins births_here(const struct vm_vector *vector,
                                     const struct vm_instruction *in)
{
    return (struct vm_origins){.first = {.site = vm_site(vector, in)},
                               .run_shift = VM_ORIGINS_NO_RUNS};
}

void vm_undefined_whole(struct vm_vector *vector, vm_row row, uint32_t width, uint64_t mask,
                        vm_row from, const struct vm_instruction *in)
{
    const struct vm_origins here = births_here(vector, in);
    const struct vm_origins *births = &here;
    struct vm_origin each[VM_LANES];
    vm_undefined_put_bits(vector, row, 0, mask, bits_low(width * 8));
    if (!from || (mask & ~vm_undefined_births(vector, from, &births)) == 0) {
        vm_undefined_put_births(vector, row, 0, mask, births);
    } else {
        vm_undefined_births_each(vector, from, mask, each);
        vm_undefined_put_each(vector, row, mask, NULL, each);
    }
    vector->undefined[row] = mask;
}

void vm_undefined_begin(struct vm_vector *vector, vm_row row, bool uniform, uint64_t mask,
                        uint32_t width, const struct vm_instruction *in)
{
    const struct vm_origins births = births_here(vector, in);
    const uint64_t lanes = uniform ? ~UINT64_C(0) : mask;
    const uint64_t keep = vector->undefined[row] & ~lanes;
    vm_undefined_put_alike(vector, row, keep, lanes, bits_low(width * 8u), &births);
}

/* ---- components by a computed index ---- */

/* Copies what is undefined of a lane's element to another row; returns whether anything is. */
static bool carry(struct vm_vector *vector, vm_row from, vm_row to, uint32_t lane, uint32_t width)
{
    const uint64_t bits = vm_undefined_bits(vector, from, lane, width);
    if (bits)
        vm_undefined_put(vector, to, false, lane, bits, vm_undefined_birth(vector, from, lane));
    return bits != 0;
}

/* Where the index is undefined, or names no component. */
static void begin_by_index(struct vm_vector *vector, const struct vm_instruction *in, vm_row row,
                           vm_row index, uint32_t lane)
{
    const bool undefined = vector->undefined[index] >> lane & 1;
    vm_undefined_put(vector, row, false, lane, bits_low(in->width * 8u),
                     undefined ? vm_undefined_birth(vector, index, lane)
                               : births_here(vector, in).first);
}

/* The index is out of range, which has been told: what is read is 0, and nothing is written. */
static bool index_told(const struct vm_vector *vector, const struct vm_instruction *in,
                       vm_row index, uint32_t lane)
{
    return in->aux && !(vector->undefined[index] >> lane & 1);
}

void vm_undefined_extract(struct vm_vector *vector, const struct vm_instruction *in)
{
    uint64_t undefined = 0;
    FOR_EACH_LANE(lane, vector->active) {
        const uint32_t component = ROW(u32, in->b)[lane];
        const bool reached = component < in->count && !(vector->undefined[in->b] >> lane & 1);
        if (!reached && index_told(vector, in, in->b, lane))
            continue;
        if (!reached)
            begin_by_index(vector, in, in->dst, in->b, lane);
        if (!reached || carry(vector, in->a + component * in->width, in->dst, lane, in->width))
            undefined |= UINT64_C(1) << lane;
    }
    vector->undefined[in->dst] = undefined;
}

void vm_undefined_insert(struct vm_vector *vector, const struct vm_instruction *in,
                         uint32_t component)
{
    const vm_row to = in->dst + component * in->width;
    const vm_row from = in->a + component * in->width;
    uint64_t undefined = 0;
    FOR_EACH_LANE(lane, vector->active) {
        const uint32_t index = ROW(u32, in->c)[lane];
        const bool reached = (index < in->count && !(vector->undefined[in->c] >> lane & 1)) ||
                             index_told(vector, in, in->c, lane);
        if (!reached)
            begin_by_index(vector, in, to, in->c, lane);
        if (!reached || carry(vector, index == component ? in->b : from, to, lane, in->width))
            undefined |= UINT64_C(1) << lane;
    }
    vector->undefined[to] = undefined;
}
