/* What generated code is written with. The user's clang compiles it, after the texts of
 * reference/vm that CMakeLists.txt lists; nothing of ours does. Names with a number at their end
 * are those of values: stretch.h says which. */

typedef float f32;
typedef double f64;
typedef _Bool truth;
typedef __int128 vm_s128;
typedef unsigned __int128 vm_u128;

#define RARE(condition) __builtin_expect((condition) != 0, 0)

/* ---- rows ---- */

#define UNIT(n)      __builtin_assume_aligned(units + 64 * (u64)(n), 64)
#define ROW(type, n) ((type *)UNIT(n))
#define LANES        _Pragma("clang loop vectorize(assume_safety)") for (u32 lane = 0; lane < 64; lane++)

/* An element as the type that an expression computes with, and back: float results that are NaNs
 * become the canonical one. */
#define in_u8(x)     ((u8)(x))
#define in_u16(x)    ((u16)(x))
#define in_u32(x)    ((u32)(x))
#define in_u64(x)    ((u64)(x))
#define in_s8(x)     ((s8)(x))
#define in_s16(x)    ((s16)(x))
#define in_s32(x)    ((s32)(x))
#define in_s64(x)    ((s64)(x))
#define in_truth(x)  (x)
#define out_u8(x)    ((u8)(x))
#define out_u16(x)   ((u16)(x))
#define out_u32(x)   ((u32)(x))
#define out_u64(x)   ((u64)(x))
#define out_s8(x)    ((u8)(s8)(x))
#define out_s16(x)   ((u16)(s16)(x))
#define out_s32(x)   ((u32)(s32)(x))
#define out_s64(x)   ((u64)(s64)(x))
#define out_truth(x) ((truth)(x))
#define out_all(x)   ((x) ? ~(u64)0 : 0)
static inline f32 in_f32(u32 bits)
{
    f32 value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}
static inline f64 in_f64(u64 bits)
{
    f64 value;
    __builtin_memcpy(&value, &bits, 8);
    return value;
}
static inline u32 out_f32(f32 value)
{
    u32 bits;
    __builtin_memcpy(&bits, &value, 4);
    return value == value ? bits : 0x7FC00000u;
}
static inline u64 out_f64(f64 value)
{
    u64 bits;
    __builtin_memcpy(&bits, &value, 8);
    return value == value ? bits : 0x7FF8000000000000u;
}

/* ---- masks ---- */

/* As a byte for each lane, 0 or not; and back, of bytes that are 0 or 1. */
#ifdef __AVX512BW__
typedef char bytes __attribute__((vector_size(64)));
static inline void spread(u8 *to, u64 mask)
{
    *(bytes *)(void *)to = (bytes)__builtin_ia32_cvtmask2b512(mask);
}
static inline u64 gather(const u8 *from)
{
    return __builtin_ia32_cvtb2mask512(-*(const bytes *)(const void *)from);
}
#else
static inline void spread(u8 *to, u64 mask)
{
    for (u32 i = 0; i < 8; i++) {
        const u64 part = (mask >> 8 * i & 255) * 0x0101010101010101u & 0x8040201008040201u;
        __builtin_memcpy(to + 8 * i, &part, 8);
    }
}
static inline u64 gather(const u8 *from)
{
    u64 mask = 0;
    for (u32 i = 0; i < 8; i++) {
        u64 part;
        __builtin_memcpy(&part, from + 8 * i, 8);
        mask |= (part * 0x0102040810204080u >> 56) << 8 * i;
    }
    return mask;
}
#endif
#define SPREAD(e, mask)                                                                            \
    u8 e[64] __attribute__((aligned(64)));                                                         \
    spread(e, mask);
#define TRUTHS(t) u8 t[64] __attribute__((aligned(64)));

/* ---- affine rows ---- */

struct terms {
    u64 base, step, jump, form;
};
#define TERMS(row) ((struct terms *)UNIT((row)-1))
#define ELEMENT(type, n)                                                                           \
    ((type)((type)p_##n + (type)(lane & run_mask) * (type)q_##n +                                  \
            (type)(lane >> run_shift) * (type)j_##n))
#define CONSTANT_TERMS(n, x) const u64 p_##n = (x), q_##n = 0, j_##n = 0;
#define READ_TERMS(n, row)                                                                         \
    const u64 p_##n = TERMS(row)->base, q_##n = TERMS(row)->step, j_##n = TERMS(row)->jump;
#define WRITE_TERMS(row, n, form) *TERMS(row) = (struct terms){p_##n, q_##n, j_##n, form};
#define TERM1(A, x, expression)                                                                    \
    ({                                                                                             \
        const A a = (A)(x);                                                                        \
        (u64)(expression);                                                                         \
    })
#define TERM2(A, B, x, y, expression)                                                              \
    ({                                                                                             \
        const A a = (A)(x);                                                                        \
        const B b = (B)(y);                                                                        \
        (u64)(expression);                                                                         \
    })
/* `a` and `b` are x and y, `b` being the same for all lanes if one is. */
#define SWAP_UNIFORM(x, y, a, b)                                                                   \
    const _Bool swap_##a = (q_##x | j_##x) == 0;                                                   \
    const u64 p_##a = swap_##a ? p_##y : p_##x, q_##a = swap_##a ? q_##y : q_##x,                  \
              j_##a = swap_##a ? j_##y : j_##x, p_##b = swap_##a ? p_##x : p_##y,                  \
              q_##b = swap_##a ? q_##x : q_##y, j_##b = swap_##a ? j_##x : j_##y;

/* Are the elements of the active lanes what the sums are without wrapping? */
static inline _Bool fits(u64 p, u64 q, u64 j, u32 run_shift, u32 first, u32 last, u32 width,
                         _Bool is_signed)
{
    s64 least, greatest;
    return terms_range(p, q, j, run_shift, first, last, width, is_signed, &least, &greatest);
}

/* ---- subscripts of arrays ---- */

/* Is an active lane's not below the limit? */
#define OUTSIDE(W)                                                                                 \
    static inline _Bool outside_##W(const u##W *indices, const u8 *active_lanes, u##W limit)       \
    {                                                                                              \
        u##W any = 0;                                                                              \
        LANES any |= (u##W)((indices[lane] >= limit) & (active_lanes[lane] != 0));                 \
        return any != 0;                                                                           \
    }
OUTSIDE(32)
OUTSIDE(64)
#undef OUTSIDE

/* The same of an affine row; of one whose elements alone hold it may say so though it is not. */
static inline _Bool terms_outside(const struct terms *at, u32 run_shift, u32 first, u32 last,
                                  u32 width, u64 limit)
{
    s64 least, greatest;
    return at->form == NO_TERMS ||
           !terms_range(at->base, at->step, at->jump, run_shift, first, last, width, 0, &least,
                        &greatest) ||
           (u64)greatest >= limit;
}

/* ---- undefined operands ---- */

#define READS(row, width) {VM_NATIVE_READ, row, width, width, 0, {0}},
#define VARYING           VM_NATIVE_VARYING
#define KNOWN(n)          (VM_NATIVE_KNOWN + (n))
#define FOLLOW(undefined_rows)                                                                     \
    struct vm_native_undefined undefined_bits[VM_NATIVE_GETS];                                     \
    const _Bool followed = RARE(((undefined_rows)&active) != 0);                                   \
    if (followed)                                                                                  \
        leave |= !call->follow(call->vector, &follow, known, undefined_bits);
#define PUT_UNDEFINED                                                                              \
    if (RARE(followed))                                                                            \
        call->put_undefined(call->vector, &follow, undefined_bits);

/* ---- memory ---- */

/* The object that an address leads to, if bytes of it may be moved; NULL for others. */
static inline const struct vm_native_object *find_object(struct vm_native_call *call, u64 address,
                                                         u32 size, _Bool writes)
{
    const u64 key = address >> VM_POINTER_OFFSET_BITS;
    const struct vm_native_object *object = &call->objects[key % VM_NATIVE_OBJECTS];
    if (RARE(object->key != key || key == 0) && !call->find(call->vector, address))
        return 0;
    if (RARE(*object->freed || !(writes ? object->writable : object->readable) ||
             object->size < size))
        return 0;
    return object;
}

/* Of lanes that leave gaps: is nothing undefined in their own bytes? */
static inline _Bool lanes_defined(const struct vm_native_span *span, u64 place, u32 size)
{
    const u64 *bits = span->in->undefined;
    const u32 run_mask = (1u << span->run_shift) - 1;
    u64 any = 0, places = 0;
    LANES
    {
        const u32 at = lane < span->first ? span->first : lane > span->last ? span->last : lane;
        const u64 bit = place + (u64)(at & run_mask) * (u64)span->stride +
                        (u64)(at >> span->run_shift) * (u64)span->jump;
        any |= bits[bit / 64] >> bit % 64;
        places |= bit;
    }
    return lanes_bits_clear(any, places, size);
}

/* Is nothing undefined in the span? May say no though it is so. */
static inline _Bool is_defined(const struct vm_native_span *span, u64 active, u32 size)
{
    const struct vm_native_object *object = span->in;
    const struct vm_pattern at = {span->stride, span->jump, span->run_shift, span->first,
                                  span->last};
    const u64 place = object->root_offset + span->place;
    if (!object->undefined)
        return 1;
    if (object->lane_stride == 0)
        return pattern_bits_are(object->undefined, &at, place, size, 0) ||
               (RARE(span->stride != (s64)size) && lanes_defined(span, place, size));
    return pattern_same_offset(&at, object->lane_stride) &&
           private_words_defined(object->undefined + place, size, active);
}

/* Into memory that is not watched and where nothing is undefined, if lane follows lane and no run
 * overlaps another one. */
static inline _Bool may_store(const struct vm_native_span *span, u64 active, u32 size)
{
    const s64 run = (s64)size << span->run_shift;
    return !span->in->watched && span->in->lane_stride == 0 && span->stride == (s64)size &&
           (span->run_shift == ACCESS_NO_RUNS || span->jump >= run || span->jump <= -run) &&
           is_defined(span, active, size);
}

static inline void set_span(const struct vm_native_object *object, struct vm_pattern *at,
                            u64 offset, struct vm_native_span *span)
{
    span->in = object;
    span->place = pattern_place(at, offset, object->lane_stride);
    span->stride = at->stride;
    span->jump = at->jump;
    span->run_shift = at->run_shift;
    span->first = at->first;
    span->last = at->last;
}

/* A pattern of all 64 lanes, of which not all are active, where those that are not do no harm:
 * nobody is told of the access, and nothing in reach is undefined. */
static inline _Bool plan_all(const struct vm_native_call *call,
                             const struct vm_native_object *object, u64 p, u64 q, u64 j, u32 size,
                             u64 alignment, u32 part, _Bool writes, struct vm_native_span *span)
{
    struct vm_pattern at = {.first = 0, .last = 63};
    const u64 offset = (u64)vm_pointer_offset(p);
    if (object->lane_stride != 0 || p >> VM_POINTER_OFFSET_BITS != object->key ||
        (writes ? object->notes_stores : *object->reads_watched || object->notes_loads) ||
        !pattern_of_terms(&at, q, j, call->run_shift, ~(u64)0) ||
        !pattern_within(&at, object->size, size, p) ||
        !pattern_aligned(&at, object->root_offset + offset - part, alignment))
        return 0;
    set_span(object, &at, offset, span);
    return writes ? may_store(span, ~(u64)0, size) : is_defined(span, ~(u64)0, size);
}

/* What the gate lets through, having nothing to tell but the access: all active lanes access one
 * object, as the terms of their addresses say. */
static inline _Bool plan(struct vm_native_call *call, u64 active, u64 p, u64 q, u64 j, u32 size,
                         u64 alignment, u32 part, _Bool writes, struct vm_native_span *span)
{
    struct vm_pattern at = {.first = (u32)__builtin_ctzll(active),
                            .last = 63 - (u32)__builtin_clzll(active)};
    const u64 address = terms_element(p, q, j, call->run_shift, at.first);
    const struct vm_native_object *object = find_object(call, address, size, writes);
    if (RARE(!object))
        return 0;
    if (!pattern_of_terms(&at, q, j, call->run_shift, active))
        return plan_all(call, object, p, q, j, size, alignment, part, writes, span);
    const u64 offset = (u64)vm_pointer_offset(address);
    if (!pattern_within(&at, object->size, size, address) ||
        !pattern_aligned(&at, object->root_offset + offset - part, alignment))
        return 0;
    set_span(object, &at, offset, span);
    return 1;
}

/* Where accesses are noted: may this one take place? Asked after all else. */
static inline _Bool note_load(struct vm_native_call *call, u32 site,
                              const struct vm_native_span *span)
{
    return !RARE(span->in->notes_loads) || call->note(call->vector, site, span);
}

static inline _Bool note_store(struct vm_native_call *call, u32 site,
                               const struct vm_native_span *span)
{
    return !RARE(span->in->notes_stores) || call->note(call->vector, site, span);
}

/* Would the lanes that are not active read bytes of the object, too? Then they may. */
static inline _Bool reaches_all(const struct vm_native_span *span, u32 size)
{
    const struct vm_native_object *object = span->in;
    return object->lane_stride == 0 && span->place <= object->size &&
           object->size - span->place >= 64 * (u64)size;
}

/* `count` elements of a run into a row. */
#define LOAD(W)                                                                                    \
    static inline void load_run_##W(const u8 *from, s64 stride, u32 count, u##W *restrict to)      \
    {                                                                                              \
        u##W value;                                                                                \
        if (stride == 0) {                                                                         \
            __builtin_memcpy(&value, from, sizeof value);                                          \
            for (u32 i = 0; i < count; i++)                                                        \
                to[i] = value;                                                                     \
        } else if (stride == sizeof value && count == 64) {                                        \
            __builtin_memcpy(to, from, 64 * sizeof value);                                         \
        } else if (stride == sizeof value && count == 16) {                                        \
            __builtin_memcpy(to, from, 16 * sizeof value);                                         \
        } else {                                                                                   \
            for (u32 i = 0; i < count; i++) {                                                      \
                __builtin_memcpy(&value, from + (s64)i * stride, sizeof value);                    \
                to[i] = value;                                                                     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static inline void load_##W(const struct vm_native_span *span, u32 component, u##W *to)        \
    {                                                                                              \
        const u8 *from = span->in->bytes + span->place + component * sizeof *to;                   \
        if (span->run_shift == 4) {                                                                \
            for (u32 lane = 0; lane < 64; lane += 16, from += span->jump)                          \
                load_run_##W(from, span->stride, 16, to + lane);                                   \
        } else if (span->run_shift < ACCESS_NO_RUNS) {                                             \
            const u32 run = 1u << span->run_shift;                                                 \
            for (u32 lane = 0; lane < 64; lane += run, from += span->jump)                         \
                load_run_##W(from, span->stride, run, to + lane);                                  \
        } else if ((span->first == 0 && span->last == 63) || span->stride == 0) {                  \
            load_run_##W(from, span->stride, 64, to);                                              \
        } else if (span->stride == sizeof *to && reaches_all(span, sizeof *to)) {                  \
            load_run_##W(from, span->stride, 64, to);                                              \
        } else {                                                                                   \
            load_run_##W(from + (s64)span->first * span->stride, span->stride,                     \
                         span->last - span->first + 1, to + span->first);                          \
        }                                                                                          \
    }
LOAD(8)
LOAD(16)
LOAD(32)
LOAD(64)
#undef LOAD

/* Where lanes read one object at places of their own, of which nobody is told and which
 * nobody notes: `in` it, at `offsets`, or, if these follow each other or are one, as the span says.
 * What lanes read that are not active does not matter: what the first one does; where few lanes are
 * active, they read nothing. *defined: nothing undefined is among it, as in is_defined. */
enum { GATHER_NO, GATHER_OFFSETS, GATHER_SPAN, GATHER_FEW, GATHER_FEW_LANES = 12 };

#define ACTIVE_LANES                                                                               \
    for (u64 left = active, lane = 0; left != 0 && (lane = (u32)__builtin_ctzll(left), 1);         \
         left &= left - 1)

static inline u32 plan_few(const struct vm_native_object *object, u64 active, const u64 *addresses,
                           u32 size, u64 alignment, u32 part, u64 *offsets,
                           struct vm_native_span *span, _Bool *defined)
{
    const u64 start = object->root_offset - part;
    u64 undefined = 0;
    ACTIVE_LANES
    {
        const u64 offset = (u64)vm_pointer_offset(addresses[lane]);
        if (addresses[lane] >> VM_POINTER_OFFSET_BITS != object->key ||
            offset > object->size - size || ((start + offset) & (alignment - 1)) != 0)
            return GATHER_NO;
        offsets[lane] = offset;
        if (object->undefined)
            undefined |= bits_between(object->undefined, object->root_offset + offset,
                                      object->root_offset + offset + size - 1);
    }
    span->in = object;
    *defined = undefined == 0;
    return GATHER_FEW;
}

static inline u32 plan_gather(struct vm_native_call *call, u64 active, const u8 *active_lanes,
                              const u64 *addresses, u32 size, u64 alignment, u32 part, u64 *offsets,
                              struct vm_native_span *span, _Bool *defined)
{
    const u32 first = (u32)__builtin_ctzll(active), last = 63 - (u32)__builtin_clzll(active);
    const u64 origin = addresses[first];
    const struct vm_native_object *object = find_object(call, origin, size, 0);
    if (!object || *object->reads_watched || object->notes_loads || object->lane_stride != 0)
        return GATHER_NO;
    if (__builtin_popcountll(active) <= GATHER_FEW_LANES)
        return plan_few(object, active, addresses, size, alignment, part, offsets, span, defined);
    const u64 limit = object->size - size, start = object->root_offset - part;
    const u64 *bits = object->undefined;
    const u64 base = origin - (u64)first * size;
    u64 bad = 0, apart = 0, differ = 0, places = 0, undefined = 0;
    LANES
    {
        const u64 address = active_lanes[lane] != 0 ? addresses[lane] : origin;
        const u64 offset = (u64)vm_pointer_offset(address);
        offsets[lane] = offset;
        bad |= (address ^ origin) >> VM_POINTER_OFFSET_BITS | (u64)(offset > limit) |
               ((start + offset) & (alignment - 1));
        apart |= active_lanes[lane] != 0 ? address ^ (base + (u64)lane * size) : 0;
        differ |= address ^ origin;
    }
    if (bad != 0)
        return GATHER_NO;
    span->in = object;
    if (apart == 0 || differ == 0) {
        span->place = (u64)vm_pointer_offset(origin) - (apart == 0 ? (u64)first * size : 0);
        span->stride = apart == 0 ? size : 0;
        span->jump = 0;
        span->run_shift = ACCESS_NO_RUNS;
        span->first = first;
        span->last = last;
        *defined = is_defined(span, active, size);
        return GATHER_SPAN;
    }
    *defined = !bits;
    if (!bits)
        return GATHER_OFFSETS;
    LANES
    {
        const u64 bit = object->root_offset + offsets[lane];
        undefined |= bits[bit / 64] >> bit % 64;
        places |= bit;
    }
    *defined = lanes_bits_clear(undefined, places, size);
    return GATHER_OFFSETS;
}

#define GATHER_LANE(type, row, component)                                                          \
    {                                                                                              \
        type value;                                                                                \
        __builtin_memcpy(&value, span.in->bytes + offsets[lane] + component * sizeof value,        \
                         sizeof value);                                                            \
        ROW(type, row)[lane] = value;                                                              \
    }
#define GATHER(type, row, component)                                                               \
    if (how == GATHER_FEW)                                                                         \
    ACTIVE_LANES GATHER_LANE(type, row, component) else LANES GATHER_LANE(type, row, component)

/* The elements that are one component of what the active lanes store, where may_store. */
#define STORE(W)                                                                                   \
    static inline void store_run_##W(u8 *to, s64 stride, u32 count, const u8 *active_lanes,        \
                                     const u##W *from)                                             \
    {                                                                                              \
        _Pragma("clang loop vectorize(assume_safety)") for (u32 i = 0; i < count; i++)             \
        {                                                                                          \
            if (active_lanes[i] != 0)                                                              \
                __builtin_memcpy(to + (s64)i * stride, &from[i], sizeof *from);                    \
        }                                                                                          \
    }                                                                                              \
    static inline void store_##W(const struct vm_native_span *span, u64 active,                    \
                                 const u8 *active_lanes, u32 component, const u##W *from)          \
    {                                                                                              \
        const u32 first = span->run_shift < ACCESS_NO_RUNS ? 0 : span->first;                      \
        const u32 run = span->run_shift < ACCESS_NO_RUNS ? 1u << span->run_shift                   \
                                                         : span->last - span->first + 1;           \
        const _Bool dense = active == ~(u64)0 && span->stride == (s64)sizeof *from;                \
        u8 *to =                                                                                   \
            span->in->bytes + span->place + (s64)first * span->stride + component * sizeof *from;  \
        if (dense && run == 64)                                                                    \
            __builtin_memcpy(to, from, 64 * sizeof *from);                                         \
        else if (dense && run == 16)                                                               \
            for (u32 lane = 0; lane < 64; lane += 16, to += span->jump)                            \
                __builtin_memcpy(to, from + lane, 16 * sizeof *from);                              \
        else                                                                                       \
            for (u32 lane = first; lane <= span->last; lane += run, to += span->jump)              \
                store_run_##W(to, span->stride, run, active_lanes + lane, from + lane);            \
    }
STORE(8)
STORE(16)
STORE(32)
STORE(64)
#undef STORE

/* ---- blocks ---- */

#define INTERPRET(first, count) call->interpret(call->vector, first, count);
#define BLOCK(n, count)                                                                            \
    const u64 active = *call->active = pending[n];                                                 \
    const u64 partly = active == ~(u64)0 ? 0 : ~(u64)0;                                            \
    const u32 first_lane = (u32)__builtin_ctzll(active);                                           \
    const u32 last_lane = 63 - (u32)__builtin_clzll(active);                                       \
    pending[n] = 0;                                                                                \
    operations += count;
#define LEAVE(site)                                                                                \
    {                                                                                              \
        call->operations = operations;                                                             \
        return site;                                                                               \
    }
