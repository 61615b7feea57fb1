/* Loads, stores and copies: what moves between memory and rows once the gate has let the lanes
 * through, and the definedness that moves along. */
#include "reference/vm/defined.h"
#include "reference/vm/undefined_rows.h"

#include "trace/base/assert.h"

#include <string.h>

/* ---- bytes to rows ---- */

#define LOAD(W)                                                                                    \
    static inline void load_run_##W(const uint8_t *from, int64_t stride, uint32_t count,           \
                                    row_u##W *dst)                                                 \
    {                                                                                              \
        u##W value;                                                                                \
        if (stride == 0) {                                                                         \
            memcpy(&value, from, sizeof value);                                                    \
            for (uint32_t i = 0; i < count; i++)                                                   \
                dst[i] = value;                                                                    \
        } else if (stride == sizeof value) {                                                       \
            span_copy(dst, from, count * sizeof value);                                            \
        } else {                                                                                   \
            for (uint32_t i = 0; i < count; i++, from += stride) {                                 \
                memcpy(&value, from, sizeof value);                                                \
                dst[i] = value;                                                                    \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void load_runs_##W(const struct access_span *span, const uint8_t *bytes, row_u##W *dst) \
    {                                                                                              \
        const uint8_t *from = bytes + span->place;                                                 \
        const uint32_t run = 1U << span->run_shift;                                                \
        for (uint32_t lane = 0; lane < VM_LANES; lane += run, from += span->jump)                  \
            load_run_##W(from, span->stride, run, dst + lane);                                     \
    }                                                                                              \
    static void load_##W(const struct access_span *span, const uint8_t *bytes, row_u##W *dst)      \
    {                                                                                              \
        u##W value;                                                                                \
        if (!span->strided && span->mask == ~UINT64_C(0)) {                                        \
            FOR_LANES(lane) {                                                                      \
                memcpy(&value, bytes + span->places[lane], sizeof value);                          \
                dst[lane] = value;                                                                 \
            }                                                                                      \
        } else if (!span->strided) {                                                               \
            FOR_EACH_LANE(lane, span->mask) {                                                      \
                memcpy(&value, bytes + span->places[lane], sizeof value);                          \
                dst[lane] = value;                                                                 \
            }                                                                                      \
        } else if (span->run_shift < ACCESS_NO_RUNS) {                                             \
            load_runs_##W(span, bytes, dst);                                                       \
        } else if (span->stride == 0 || span->mask == ~UINT64_C(0)) {                              \
            load_run_##W(bytes + span->place, span->stride, VM_LANES, dst);                        \
        } else {                                                                                   \
            load_run_##W(bytes + access_place(span, span->first), span->stride,                    \
                         span->last - span->first + 1, dst + span->first);                         \
        }                                                                                          \
    }
LOAD(8)
LOAD(16)
LOAD(32)
LOAD(64)
#undef LOAD

/* One component of the span's lanes into a row; `offset` is where it lies in each lane's bytes. A
 * uniform span may fill all lanes of the row, a strided one those between its lanes as well: in
 * bounds, and dead. */
static void load_component(const struct access_span *span, uint32_t width, uint32_t offset,
                           void *dst)
{
    const uint8_t *bytes = span->object->bytes + offset;
    switch (width) {
    case 1:
        load_8(span, bytes, dst);
        break;
    case 2:
        load_16(span, bytes, dst);
        break;
    case 4:
        load_32(span, bytes, dst);
        break;
    default:
        load_64(span, bytes, dst);
        break;
    }
}

static uint64_t tell_undefined_address(struct vm_vector *vector, const struct vm_instruction *in,
                                       vm_row row)
{
    return vm_tell_if_undefined(vector, in, OBSERVER_UNDEFINED_ADDRESS, row, vector->active);
}

/* As the instruction promises. */
static void begin(struct access *access, struct vm_vector *vector, const struct vm_instruction *in,
                  enum observer_access_kind kind, uint32_t size)
{
    access_begin(access, vector, in, kind, size);
    access->alignment = UINT64_C(1) << (in->aux & VM_ACCESS_ALIGNMENT);
    access->part = in->aux >> VM_ACCESS_PART_SHIFT;
    access->is_volatile = (in->aux & VM_ACCESS_VOLATILE) != 0;
    access->is_floating = (in->aux & VM_ACCESS_FLOATING) != 0;
    access->is_constant = (in->aux & VM_ACCESS_CONSTANT) != 0;
}

/* Lanes that the gate refuses read 0, which is defined: the fault has been told. */
static void clear_rows(struct vm_vector *vector, const struct vm_instruction *in)
{
    memset(vm_unit(vector, in->dst), 0, (size_t)in->width * in->count * VM_LANES);
    for (uint32_t component = 0; component < in->count; component++)
        vector->undefined[in->dst + component * in->width] = 0;
}

/* May these lanes be followed, too? */
static bool count_undefined(struct vm_vector *vector, const struct vm_instruction *in,
                            uint64_t lanes)
{
    struct vm_run *run = vector->run;
    if (run->ignores_undefined)
        return false;
    run->undefined_loads += (uint32_t)__builtin_popcountll(lanes);
    run->ignores_undefined = run->undefined_loads >= VM_UNDEFINED_LOADS_MAX;
    if (run->ignores_undefined)
        vm_tell_undefined(vector, vm_site(vector, in), OBSERVER_UNDEFINED_TOO_OFTEN,
                          (struct vm_origin){.site = UINT32_MAX}, lanes);
    return true;
}

static void load_undefined_each(struct vm_vector *vector, const struct vm_instruction *in,
                                const struct access_span *span, vm_row row, uint32_t offset,
                                uint64_t lanes)
{
    uint64_t bits[VM_LANES];
    struct vm_origin births[VM_LANES];
    FOR_EACH_LANE(lane, lanes) {
        const uint64_t bytes = lane_undefined(span, lane, in->width, offset);
        births[lane] = span_birth(vector, span, lane, offset, in->width, vm_site(vector, in));
        births[lane].partly |= bytes != bits_low(in->width);
        bits[lane] = lane_undefined_bits(vector, span, lane, in->width, offset);
    }
    if (in->op == VM_OP_load_u)
        vm_undefined_put(vector, row, true, 0, bits[span->first], births[span->first]);
    else
        vm_undefined_put_each(vector, row, lanes, bits, births);
}

/* A component of the lanes that have undefined bytes in it, which it returns. What is known of the
 * row's lanes of `keep` stays. */
static uint64_t load_undefined(struct vm_vector *vector, const struct vm_instruction *in,
                               const struct access_span *span, uint32_t component,
                               enum extent extent, uint64_t keep)
{
    const uint32_t offset = component * in->width;
    const bool uniform = in->op == VM_OP_load_u;
    const vm_row row = in->dst + component * (uniform ? 1 : in->width);
    const uint64_t undefined = extent == EXTENT_NONE ? 0
                               : extent == EXTENT_ALL
                                   ? span->mask
                                   : component_undefined(span, in->width, offset);
    if (undefined == 0 || !count_undefined(vector, in, undefined))
        return 0;
    if (uniform || extent != EXTENT_ALL || !vm_undefined_load(vector, row, keep, span, in, offset))
        load_undefined_each(vector, in, span, row, offset, undefined);
    return undefined;
}

static inline void load_undefined_rows(struct vm_vector *vector, const struct vm_instruction *in,
                                       const struct access_span *span, bool all)
{
    const enum extent extent =
        all ? EXTENT_ALL : span_extent(span, (uint32_t)in->width * in->count);
    for (uint32_t component = 0; component < in->count; component++)
        vector->undefined[in->dst + component * in->width] =
            load_undefined(vector, in, span, component, extent, 0);
}

void MACHINE(load_undefined_span)(struct vm_vector *vector, const struct vm_instruction *in,
                                  const struct access_span *span)
{
    load_undefined_rows(vector, in, span,
                        span->object->private_stride == 0 &&
                            ranges_are(span, (uint32_t)in->width * in->count, true));
}

void MACHINE(load_undefined_places)(struct vm_vector *vector, const struct vm_instruction *in,
                                    const struct access_span *span)
{
    load_undefined_rows(vector, in, span, lanes_are(span, (uint32_t)in->width * in->count, true));
}

/* An affine row of addresses, for the gate. */
static vm_row affine_row(const struct vm_vector *vector, vm_row row)
{
    return vm_affine(vector, row)->form == VM_AFFINE_NO ? 0 : row;
}

static inline void load(struct vm_vector *vector, const struct vm_instruction *in, bool affine)
{
    struct access access;
    struct access_span span;
    begin(&access, vector, in, OBSERVER_READ, (uint32_t)in->width * in->count);
    access.addresses = ROW(u64, in->a);
    access.affine = affine ? affine_row(vector, in->a) : 0;
    access.untold = tell_undefined_address(vector, in, in->a);
    if (in->aux & VM_ACCESS_VOLATILE)
        vector_note_read(vector, in->a, access.size); /* where no row is affine */
    bool whole = true;
    bool first = true;
    for (; MACHINE(access_next)(&access, &span); first = false) {
        if (first && span.mask != vector->active) {
            whole = false;
            clear_rows(vector, in);
        }
        const enum extent extent = span_extent(&span, access.size);
        for (uint32_t component = 0; component < in->count; component++) {
            const vm_row row = in->dst + component * in->width;
            const uint32_t offset = component * in->width;
            const uint64_t keep = whole ? 0 : vector->undefined[row];
            vector->undefined[row] =
                keep | load_undefined(vector, in, &span, component, extent, keep);
            load_component(&span, in->width, offset, vm_unit(vector, row));
        }
    }
    if (first)
        clear_rows(vector, in);
}

void MACHINE(op_load)(struct vm_vector *vector, const struct vm_instruction *in)
{
    load(vector, in, false);
}

void MACHINE(op_load_a)(struct vm_vector *vector, const struct vm_instruction *in)
{
    load(vector, in, true);
}

void MACHINE(op_load_u)(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct access access;
    struct access_span span;
    begin(&access, vector, in, OBSERVER_READ, (uint32_t)in->width * in->count);
    access.address = *ROW(u64, in->a);
    access.untold = tell_undefined_address(vector, in, in->a);
    const bool found = MACHINE(access_next)(&access, &span);
    if (found)
        span.mask = UINT64_C(1) << span.first; /* one lane stands for all */
    const enum extent extent = found ? span_extent(&span, access.size) : EXTENT_NONE;
    for (uint32_t component = 0; component < in->count; component++) {
        const uint32_t offset = component * in->width;
        u64 value = 0;
        uint64_t undefined = 0;
        if (found) {
            const uint64_t place = access_place(&span, span.first) + offset;
            value = lane_get(span.object->bytes + place, in->width);
            if (load_undefined(vector, in, &span, component, extent, 0))
                undefined = ~UINT64_C(0);
        }
        *ROW(u64, in->dst + component) = value;
        vector->undefined[in->dst + component] = undefined;
    }
}

/* ---- rows to bytes ---- */

/* The values of `count` rows, lane by lane, as they lie in memory. */
static void interleave(struct vm_vector *vector, const struct vm_instruction *in)
{
    const uint32_t size = (uint32_t)in->width * in->count;
    uint8_t *to = vector->scratch[0];
    for (uint32_t component = 0; component < in->count; component++) {
        const uint8_t *from = vm_unit(vector, in->b + component * in->width);
        const uint32_t offset = component * in->width;
        switch (in->width) {
        case 4:
            for (uint32_t lane = 0; lane < VM_LANES; lane++)
                memcpy(to + lane * size + offset, from + lane * 4, 4);
            break;
        case 8:
            for (uint32_t lane = 0; lane < VM_LANES; lane++)
                memcpy(to + lane * size + offset, from + lane * 8, 8);
            break;
        default:
            for (uint32_t lane = 0; lane < VM_LANES; lane++)
                memcpy(to + lane * size + offset, from + lane * in->width, in->width);
            break;
        }
    }
}

const uint8_t *MACHINE(store_values)(struct vm_vector *vector, const struct vm_instruction *in)
{
    if (in->count == 1)
        return vm_unit(vector, in->b);
    interleave(vector, in);
    return vector->scratch[0];
}

/* What a store makes of the definedness of the places. */
static void define_values(const struct vm_vector *vector, const struct vm_instruction *in,
                          const struct access_span *span)
{
    uint64_t any = 0;
    const uint32_t size = (uint32_t)in->width * in->count;
    for (uint32_t component = 0; component < in->count; component++)
        any |= vector->undefined[in->b + component * in->width] & span->mask;
    if (!any) {
        span_define(span, size);
        return;
    }
    if (vm_undefined_store(vector, span, in))
        return;
    FOR_LANES_IN_ORDER(lane, span->mask, vector->run->lane_order) {
        for (uint32_t component = 0; component < in->count; component++) {
            const vm_row row = in->b + component * in->width;
            lane_define_bits(vector, span, lane, in->width, component * in->width,
                             vm_undefined_bits(vector, row, lane, in->width),
                             vm_undefined_birth(vector, row, lane));
        }
    }
}

static void tell_undefined_output(struct vm_vector *vector, const struct vm_instruction *in,
                                  const struct access *access, const struct access_span *span)
{
    uint64_t undefined = 0;
    for (uint32_t component = 0; component < in->count; component++)
        undefined |= vector->undefined[in->b + component * in->width];
    undefined &= span->mask & ~access->untold;
    if (__builtin_expect(undefined && span->object->identity.region == OBSERVER_GLOBAL, 0))
        vm_tell_undefined_output(vector, access->site, in->b, in->width, (1U << in->count) - 1,
                                 undefined);
}

void MACHINE(store_span)(struct vm_vector *vector, const struct vm_instruction *in,
                         const struct access *access, const struct access_span *span)
{
    const uint32_t size = access->size;
    tell_undefined_output(vector, in, access, span);
    span_note_store(vector, span, size, access->value, size);
    span_store(span, size, access->value, size, vector->run->lane_order);
    if (span->object->undefined)
        define_values(vector, in, span);
}

static inline void store(struct vm_vector *vector, const struct vm_instruction *in, bool affine)
{
    struct access access;
    struct access_span span;
    const uint32_t size = (uint32_t)in->width * in->count;
    begin(&access, vector, in, OBSERVER_WRITE, size);
    access.addresses = ROW(u64, in->a);
    access.affine = affine ? affine_row(vector, in->a) : 0;
    access.untold = tell_undefined_address(vector, in, in->a);
    access.value = MACHINE(store_values)(vector, in);
    access.value_stride = size;
    while (MACHINE(access_next)(&access, &span))
        MACHINE(store_span)(vector, in, &access, &span);
}

void MACHINE(op_store)(struct vm_vector *vector, const struct vm_instruction *in)
{
    store(vector, in, false);
}

void MACHINE(op_store_a)(struct vm_vector *vector, const struct vm_instruction *in)
{
    store(vector, in, true);
}

/* ---- memory to memory ---- */

/* What is undefined of up to 128 bytes of each lane, 8 bytes a word, and the birth of the first. */
struct copy_bits {
    bool any; /* else nothing, and nothing below counts */
    uint64_t words[VM_LANES][16];
    struct vm_origin births[VM_LANES];
};

static void copy_read_bits(const struct access *access, const struct access_span *span,
                           struct copy_bits *bits)
{
    const uint32_t size = access->size;
    if (!bits->any)
        memset(bits->words, 0, sizeof bits->words);
    bits->any = true;
    FOR_EACH_LANE(lane, span->mask) {
        bool first = true;
        for (uint32_t offset = 0; offset < size; offset += 8) {
            const uint32_t part = size - offset < 8 ? size - offset : 8;
            const uint64_t word = lane_undefined_bits(access->vector, span, lane, part, offset);
            bits->words[lane][offset / 8] = word;
            if (word && first)
                bits->births[lane] =
                    span_birth(access->vector, span, lane, offset, part, access->site);
            first &= !word;
        }
    }
}

static void copy_read(struct access *access, struct copy_bits *bits)
{
    struct access_span span;
    struct vm_vector *vector = access->vector;
    const uint32_t size = access->size;
    memset(vector->scratch, 0, sizeof vector->scratch);
    bits->any = false;
    while (MACHINE(access_next)(access, &span)) {
        span_load(&span, size, vector->scratch[0], sizeof vector->scratch[0]);
        if (!span_defined(&span, size))
            copy_read_bits(access, &span, bits);
    }
}

static void copy_write_bits(const struct access *access, const struct access_span *span,
                            const struct copy_bits *bits)
{
    const uint32_t size = access->size;
    FOR_LANES_IN_ORDER(lane, span->mask, access->vector->run->lane_order) {
        for (uint32_t offset = 0; offset < size; offset += 8)
            lane_define_bits(access->vector, span, lane, size - offset < 8 ? size - offset : 8,
                             offset, bits->words[lane][offset / 8], bits->births[lane]);
    }
}

static void copy_write(struct access *access, const struct copy_bits *bits)
{
    struct access_span span;
    struct vm_vector *vector = access->vector;
    const uint32_t size = access->size;
    while (MACHINE(access_next)(access, &span)) {
        span_note_store(vector, &span, size, vector->scratch[0], sizeof vector->scratch[0]);
        span_store(&span, size, vector->scratch[0], sizeof vector->scratch[0],
                   vector->run->lane_order);
        if (bits->any && span.object->undefined)
            copy_write_bits(access, &span, bits);
        else
            span_define(&span, size);
    }
}

/* In pieces of 128 bytes, the most that the observer is told of at once. */
void MACHINE(op_copy_memory)(struct vm_vector *vector, const struct vm_instruction *in)
{
    enum { PIECE = 128 };
    struct copy_bits bits;
    struct access access;
    uint64_t to[VM_LANES];
    uint64_t from[VM_LANES];
    const uint64_t untold_from = tell_undefined_address(vector, in, in->b);
    const uint64_t untold_to = tell_undefined_address(vector, in, in->a);
    memcpy(to, ROW(u64, in->a), sizeof to);
    memcpy(from, ROW(u64, in->b), sizeof from);
    for (uint32_t done = 0; done < in->c; done += PIECE) {
        const uint32_t size = in->c - done < PIECE ? in->c - done : PIECE;
        begin(&access, vector, in, OBSERVER_READ, size);
        access.addresses = from;
        access.untold = untold_from;
        access.alignment = done ? 1 : access.alignment;
        copy_read(&access, &bits);
        begin(&access, vector, in, OBSERVER_WRITE, size);
        access.addresses = to;
        access.untold = untold_to;
        access.alignment = done ? 1 : access.alignment;
        access.value = vector->scratch;
        access.value_stride = sizeof vector->scratch[0];
        copy_write(&access, &bits);
        for (uint32_t lane = 0; lane < VM_LANES; lane++) {
            to[lane] += PIECE;
            from[lane] += PIECE;
        }
    }
}

/* dst and a are rows of different widths, which do not overlap. */
void MACHINE(op_region)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const row_u64 *addresses = ROW(u64, in->a);
    row_u32 *regions = ROW(u32, in->dst);
    FOR_LANES(lane) {
        const uint64_t pointer = access_pointer(vector, addresses[lane], lane);
        const struct vm_object *object = access_object(vector, pointer);
        /* That it is another work-item's is told when it is accessed. */
        const uint32_t foreign =
            vm_pointer_is_owned(pointer)
                ? 1U << (vm_owned_is_private(pointer) ? OBSERVER_PRIVATE : OBSERVER_LOCAL)
                : 0;
        regions[lane] = object ? 1U << object->identity.region : foreign;
    }
    vm_undefined_whole(vector, in->dst, 4, vector->undefined[in->a] & vector->active, in->a, in);
}

void MACHINE(op_pack_pointer)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const row_u64 *pointers = ROW(u64, in->a);
    row_u32 *addresses = ROW(u32, in->dst);
    FOR_LANES(lane) {
        const struct vm_object *object = access_object(vector, pointers[lane]);
        addresses[lane] = narrow_pack(&vector->run->narrow, &vector->run->undefined_rows,
                                      pointers[lane], object ? object->size : 0);
    }
    vm_undefined_whole(vector, in->dst, 4, vector->undefined[in->a] & vector->active, in->a, in);
}

void MACHINE(op_unpack_pointer)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const row_u32 *addresses = ROW(u32, in->a);
    row_u64 *pointers = ROW(u64, in->dst);
    FOR_LANES(lane) {
        pointers[lane] = narrow_unpack(&vector->run->narrow, addresses[lane]);
    }
    vm_undefined_whole(vector, in->dst, 8, vector->undefined[in->a] & vector->active, in->a, in);
}

/* ---- asynchronous copies and packets ---- */

static void pass_gate(struct access *access)
{
    struct access_span span;
    while (MACHINE(access_next)(access, &span))
        ;
}

static void copy_or_tell(struct vm_vector *vector, const struct vm_copy *copy)
{
    const struct access both = {.vector = vector,
                                .mask = copy->mask,
                                .site = copy->site,
                                .size = copy->size,
                                .alignment = copy->alignment,
                                .order = OBSERVER_ORDER_RELAXED,
                                .scope = OBSERVER_SCOPE_WORK_ITEM};
    struct copy_bits bits;
    struct access access = both;
    access.kind = OBSERVER_READ;
    access.addresses = copy->from;
    access.untold = copy->untold_from;
    if (copy->told)
        pass_gate(&access);
    else
        copy_read(&access, &bits);
    access = both;
    access.kind = OBSERVER_WRITE;
    access.addresses = copy->to;
    access.untold = copy->untold_to;
    if (copy->told)
        pass_gate(&access);
    else
        copy_write(&access, &bits);
}

void MACHINE(vm_vector_copy)(struct vm_vector *vector, const struct vm_copy *copy)
{
    struct vm_debugger *debugger = vector->run->debugger;
    if (!debugger) {
        copy_or_tell(vector, copy);
        return;
    }
    vm_debugger_access *access = debugger->access;
    /* It is told when it is made. */
    debugger->access = copy->told ? NULL : access;
    copy_or_tell(vector, copy);
    debugger->access = access;
}
