/* Loads and stores of generated code, after prelude.c: which are let through without asking
 * anybody, whether their bytes are defined, and how they are moved. A usual access goes one of
 * three ways, the quickest first: load_again_32() and its like, for the shapes that most have;
 * plan(), which remembers what it let through, and load_32(); the interpreter. */

/* ---- which object, and is it defined? ---- */

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

/* Was nothing of the object undefined when it was looked at, and became undefined since? */
static inline _Bool was_clear(const struct vm_native_call *call,
                              const struct vm_native_object *object)
{
    return object->clear_since == *call->undefined_stores + 1 || !object->undefined;
}

/* Is nothing of it undefined? It is looked at as a whole when it has been looked at in so many
 * pieces that this costs less. */
static inline _Bool is_clear(struct vm_native_call *call, const struct vm_native_object *known)
{
    struct vm_native_object *object = &call->objects[known->key % VM_NATIVE_OBJECTS];
    if (was_clear(call, object))
        return 1;
    if (!object->lasts || ++object->looks * 64 < object->size / 64)
        return 0;
    object->looks = 0;
    if (bits_between(object->undefined, object->root_offset,
                     object->root_offset + object->size - 1) != 0)
        return 0;
    object->clear_since = *call->undefined_stores + 1;
    return 1;
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

/* Of `runs` runs of whole words, as many bits as bytes: is none set, or, if `undefined`, each? */
static inline _Bool runs_are(const u64 *bits, u64 place, s64 jump, u32 runs, u32 words,
                             _Bool undefined)
{
    const u64 turned = undefined ? ~(u64)0 : 0;
    u64 any = 0;
    for (; runs > 0; runs--, place += (u64)jump) {
        const u64 *from = bits + place / 64;
        const u32 shift = place % 64;
        any |= (from[0] ^ turned) >> shift | ((from[words] ^ turned) & bits_low(shift));
        for (u32 word = 1; word < words; word++)
            any |= from[word] ^ turned;
    }
    return any == 0;
}

/* The same of four runs of `count` bits, 64 at most. */
static inline _Bool small_runs_are(const u64 *bits, u64 place, s64 jump, u32 count, _Bool undefined)
{
    const u64 turned = undefined ? bits_low(count) : 0;
    u64 any = 0;
    for (u32 run = 0; run < 4; run++, place += (u64)jump)
        any |= bits_get(bits, place, count) ^ turned;
    return any == 0;
}

/* Is nothing undefined in the span? May say no though it is so. */
static inline _Bool is_defined(const struct vm_native_span *span, u64 active, u32 size)
{
    const struct vm_native_object *object = span->in;
    const u64 *bits = object->undefined;
    const struct vm_pattern at = {span->stride, span->jump, span->run_shift, span->first,
                                  span->last};
    const u64 place = object->root_offset + span->place;
    if (!bits)
        return 1;
    if (object->lane_stride != 0)
        return pattern_same_offset(&at, object->lane_stride) &&
               private_words_defined(bits + place, size, active);
    /* Mostly that says it of what nobody wrote. */
    if (bits_get(bits, place + span->first * (u64)span->stride, 1) != 0)
        return 0;
    if (span->stride == (s64)size && span->first == 0 && span->last == 63) {
        if (span->run_shift == ACCESS_NO_RUNS)
            return runs_are(bits, place, 0, 1, size, 0);
        if (span->run_shift == 4 && size % 4 == 0)
            return runs_are(bits, place, span->jump, 4, size / 4, 0);
    }
    if ((span->stride | span->jump) == 0 && size <= 64)
        return bits_get(bits, place, size) == 0;
    return pattern_bits_are(bits, &at, place, size, 0) ||
           (RARE(span->stride != (s64)size) && lanes_defined(span, place, size));
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

/* ---- what was let through before ---- */

/* How lanes lie that access memory which is not private. Runs that are stored do not overlap. */
static inline u32 shape_of(const struct vm_pattern *at, u32 size, _Bool writes)
{
    const s64 run = writes ? 16 * (s64)size : 0;
    if (at->stride == 0 && (at->jump == 0 || at->run_shift == 4))
        return VM_NATIVE_RUNS_ALIKE;
    if (at->stride != (s64)size)
        return VM_NATIVE_ANY_SHAPE;
    if (at->run_shift == ACCESS_NO_RUNS)
        return VM_NATIVE_DENSE;
    return at->run_shift == 4 && (at->jump >= run || at->jump <= -run) ? VM_NATIVE_RUNS_OF_16
                                                                       : VM_NATIVE_ANY_SHAPE;
}

/* Remembers that lanes from `at` first to its last may access the object, and for which addresses
 * of lane 0 they might. */
static inline void remember(const struct vm_native_call *call, struct vm_native_memo *memo,
                            const struct vm_native_object *object, const struct terms *terms,
                            struct vm_pattern at, u32 size, u64 alignment, _Bool writes)
{
    const _Bool runs = at.run_shift < ACCESS_NO_RUNS;
    memo->count = 0;
    if (at.first == at.last)
        at.stride = (s64)terms->step;
    if (!pattern_step_small(at.stride))
        return;
    const s64 begin = runs ? 0 : at.first * at.stride;
    const s64 end = runs ? (s64)((1u << at.run_shift) - 1) * at.stride : at.last * at.stride;
    const s64 across = runs ? (s64)((64u >> at.run_shift) - 1) * at.jump : 0;
    const s64 least = 0 - ((begin < end ? begin : end) + (across < 0 ? across : 0));
    const s64 most =
        (s64)(object->size - size) - ((begin < end ? end : begin) + (across > 0 ? across : 0));
    const u64 lowest = (object->key << VM_POINTER_OFFSET_BITS) + VM_POINTER_BIAS + (u64)least;
    const u64 up = (terms->base - lowest) & (alignment - 1);
    const u64 count = (u64)(most - least) - up + 1;
    memo->low = lowest + up;
    /* Lane 0, if it is not active, may be where another object's addresses are. */
    if (memo->low >> VM_POINTER_OFFSET_BITS == object->key &&
        (memo->low + count - 1) >> VM_POINTER_OFFSET_BITS == object->key)
        memo->count = count;
    memo->step = terms->step;
    memo->jump = terms->jump;
    memo->first = at.first;
    memo->last = at.last;
    at.first = 0;
    memo->place = pattern_place(&at, (u64)least + up, object->lane_stride);
    memo->place_stride = at.stride;
    memo->place_jump = at.jump;
    memo->run_shift = at.run_shift;
    memo->vector_run_shift = call->run_shift;
    memo->shape = object->lane_stride == 0 ? shape_of(&at, size, writes) : VM_NATIVE_ANY_SHAPE;
}

/* The object, if lanes that were let through before would be, at the addresses of these terms. */
static inline const struct vm_native_object *recall(const struct vm_native_call *call,
                                                    const struct vm_native_memo *memo, u64 base,
                                                    u64 step, u64 jump, u64 alignment, _Bool writes)
{
    const u64 key = base >> VM_POINTER_OFFSET_BITS;
    const struct vm_native_object *object = &call->objects[key % VM_NATIVE_OBJECTS];
    const u64 way = base - memo->low;
    if (RARE(object->key != key || way >= memo->count))
        return 0;
    if (RARE(((step ^ memo->step) | (jump ^ memo->jump) | (way & (alignment - 1)) |
              (call->run_shift ^ memo->vector_run_shift) | (u64)*object->freed |
              (u64) !(writes ? object->writable : object->readable)) != 0))
        return 0;
    return object;
}

/* The same access by other lanes, or at another place, as one that was let through? */
static inline _Bool is_remembered(const struct vm_native_call *call,
                                  const struct vm_native_memo *memo, u64 active,
                                  const struct terms *at, u64 alignment, _Bool writes,
                                  struct vm_native_span *span)
{
    const u32 first = (u32)__builtin_ctzll(active), last = 63 - (u32)__builtin_clzll(active);
    const struct vm_native_object *object =
        recall(call, memo, at->base, at->step, at->jump, alignment, writes);
    if (!object || first < memo->first || last > memo->last ||
        (memo->run_shift != ACCESS_NO_RUNS && active != ~(u64)0))
        return 0;
    const s64 stride = first == last ? (s64)object->lane_stride : memo->place_stride;
    span->in = object;
    span->place = memo->place + (at->base - memo->low) + first * (u64)(memo->place_stride - stride);
    span->stride = stride;
    span->jump = memo->place_jump;
    span->run_shift = memo->run_shift;
    span->first = first;
    span->last = last;
    return 1;
}

/* What the gate lets through, having nothing to tell but the access: all active lanes access one
 * object, as the terms of their addresses say. */
static _Bool plan_anew(struct vm_native_call *call, struct vm_native_memo *memo, u64 active,
                       const struct terms *terms, u32 size, u64 alignment, u32 part, _Bool writes,
                       struct vm_native_span *span)
{
    struct vm_pattern at = {.first = (u32)__builtin_ctzll(active),
                            .last = 63 - (u32)__builtin_clzll(active)};
    const u64 p = terms->base, q = terms->step, j = terms->jump;
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
    /* Of lanes of one run among several, lane 0 is not where their pattern has it. */
    if (memo && (at.run_shift < ACCESS_NO_RUNS || call->run_shift >= ACCESS_NO_RUNS ||
                 j == q << call->run_shift))
        remember(call, memo, object, terms, at, size, alignment, writes);
    set_span(object, &at, offset, span);
    return 1;
}

static __attribute__((noinline)) _Bool plan(struct vm_native_call *call, u32 number, u64 active,
                                            const struct terms *at, u32 size, u64 alignment,
                                            u32 part, _Bool writes, struct vm_native_span *span)
{
    struct vm_native_memo *memo = number < VM_NATIVE_MEMOS ? &call->memos[number] : 0;
    return at->form != NO_TERMS &&
           ((memo && is_remembered(call, memo, active, at, alignment, writes, span)) ||
            plan_anew(call, memo, active, at, size, alignment, part, writes, span));
}

/* ---- moving ---- */

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

/* `count` elements of a run into a row: written in pieces as large as those that are read next, so
 * that who reads them need not wait until they are in the cache. */
#define LOAD(W)                                                                                    \
    typedef u##W row_piece_##W __attribute__((vector_size(64)));                                   \
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
            for (; count >= 64 / sizeof value; count -= 64 / sizeof value) {                       \
                row_piece_##W piece;                                                               \
                for (u32 i = 0; i < 64 / sizeof value; i++, from += stride) {                      \
                    __builtin_memcpy(&value, from, sizeof value);                                  \
                    piece[i] = value;                                                              \
                }                                                                                  \
                __builtin_memcpy(to, &piece, sizeof piece);                                        \
                to += 64 / sizeof value;                                                           \
            }                                                                                      \
            for (u32 i = 0; i < count; i++, from += stride)                                        \
                __builtin_memcpy(&to[i], from, sizeof value);                                      \
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

/* ---- gathers ---- */

/* Where lanes read one object at places of their own, of which nobody is told and which
 * nobody notes: `in` it, at `offsets`, or, if these follow each other or are one, as the span says,
 * or in runs of 16 lanes that follow each other, of which the first have offsets.
 * What lanes read that are not active does not matter: what the first one does; where few lanes are
 * active, they read nothing. *defined: nothing undefined is among it, as in is_defined. */
enum { GATHER_NO, GATHER_OFFSETS, GATHER_SPAN, GATHER_RUNS, GATHER_FEW, GATHER_FEW_LANES = 12 };

#define ACTIVE_LANES                                                                               \
    for (u64 left = active, lane = 0; left != 0 && (lane = (u32)__builtin_ctzll(left), 1);         \
         left &= left - 1)

static inline u32 plan_few(const struct vm_native_object *object, const u64 *bits, u64 active,
                           const u64 *addresses, u32 size, u64 alignment, u32 part, u64 *offsets,
                           _Bool *defined)
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
        if (bits)
            undefined |= bits_between(bits, object->root_offset + offset,
                                      object->root_offset + offset + size - 1);
    }
    *defined = undefined == 0;
    return GATHER_FEW;
}

/* Do lanes of each 16 follow each other? Then it is quick to say whether all are defined. */
static inline _Bool in_runs(const struct vm_native_object *object, const u64 *bits, u32 size,
                            const u64 *offsets, _Bool *defined)
{
    u64 ragged = 0, undefined = 0;
    LANES ragged |= offsets[lane] ^ (offsets[lane & 48] + (u64)(lane & 15) * size);
    for (u32 lane = 0; lane < 64 && ragged == 0 && bits; lane += 16)
        undefined |= bits_between(bits, object->root_offset + offsets[lane],
                                  object->root_offset + offsets[lane] + 16 * size - 1);
    *defined = undefined == 0;
    return ragged == 0;
}

static __attribute__((noinline)) u32 plan_gather(struct vm_native_call *call, u64 active,
                                                 const u8 *active_lanes, const u64 *addresses,
                                                 u32 size, _Bool single, u64 alignment, u32 part,
                                                 u64 *offsets, struct vm_native_span *span,
                                                 _Bool *defined)
{
    const u32 first = (u32)__builtin_ctzll(active), last = 63 - (u32)__builtin_clzll(active);
    const u64 origin = addresses[first];
    const struct vm_native_object *object = find_object(call, origin, size, 0);
    if (!object || *object->reads_watched || object->notes_loads || object->lane_stride != 0)
        return GATHER_NO;
    const u64 *bits = *call->ignores_undefined || is_clear(call, object) ? 0 : object->undefined;
    span->in = object;
    if (__builtin_popcountll(active) <= GATHER_FEW_LANES)
        return plan_few(object, bits, active, addresses, size, alignment, part, offsets, defined);
    const u64 start = (object->key << VM_POINTER_OFFSET_BITS) + VM_POINTER_BIAS;
    const u64 own = origin - start, base = own - (u64)first * size;
    u64 most = 0, apart = 0, differ = 0, places = 0, undefined = 0;
    LANES
    {
        /* Of other objects, and before this one, it is beyond all sizes. */
        const u64 offset = (active_lanes[lane] != 0 ? addresses[lane] : origin) - start;
        offsets[lane] = offset;
        most = most > offset ? most : offset;
        places |= object->root_offset + offset - part;
        apart |= active_lanes[lane] != 0 ? offset ^ (base + (u64)lane * size) : 0;
        differ |= offset ^ own;
    }
    if (most > object->size - size || (places & (alignment - 1)) != 0)
        return GATHER_NO;
    if (apart == 0 || differ == 0) {
        span->place = apart == 0 ? base : own;
        span->stride = apart == 0 ? size : 0;
        span->jump = 0;
        span->run_shift = ACCESS_NO_RUNS;
        span->first = first;
        span->last = last;
        *defined = !bits || is_defined(span, active, size);
        return GATHER_SPAN;
    }
    if (single && active == ~(u64)0 && in_runs(object, bits, size, offsets, defined))
        return GATHER_RUNS;
    *defined = !bits;
    if (!bits)
        return GATHER_OFFSETS;
    places = 0;
    LANES
    {
        const u64 bit = object->root_offset + offsets[lane];
        undefined |= bits[bit / 64] >> bit % 64;
        places |= bit;
    }
    *defined = lanes_bits_clear(undefined, places, size);
    return GATHER_OFFSETS;
}

/* One component of them, as `how` says, into a row. */
#define GATHER(W)                                                                                  \
    static __attribute__((noinline)) void gather_##W(u32 how, u64 active, const u8 *from,          \
                                                     const u64 *offsets, u##W *to)                 \
    {                                                                                              \
        enum { PIECE = 64 / sizeof *to };                                                          \
        u##W value;                                                                                \
        if (how == GATHER_FEW) {                                                                   \
            ACTIVE_LANES __builtin_memcpy(&to[lane], from + offsets[lane], sizeof value);          \
            return;                                                                                \
        }                                                                                          \
        for (u32 lane = 0; lane < 64 && how == GATHER_RUNS; lane += 16)                            \
            __builtin_memcpy(to + lane, from + offsets[lane], 16 * sizeof value);                  \
        for (u32 lane = 0; lane < 64 && how == GATHER_OFFSETS; lane += PIECE) {                    \
            row_piece_##W piece;                                                                   \
            for (u32 i = 0; i < PIECE; i++) {                                                      \
                __builtin_memcpy(&value, from + offsets[lane + i], sizeof value);                  \
                piece[i] = value;                                                                  \
            }                                                                                      \
            __builtin_memcpy(to + lane, &piece, sizeof piece);                                     \
        }                                                                                          \
    }
GATHER(8)
GATHER(16)
GATHER(32)
GATHER(64)
#undef GATHER

/* ---- stores ---- */

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

/* ---- the usual: accesses that were made before ---- */

/* The place of lane 0 in the object, of which nobody is told and nothing is noted, where lanes of
 * the shape may be moved at once; NULL: it is to be looked at anew. */
static inline const struct vm_native_object *find_again(const struct vm_native_call *call,
                                                        const struct vm_native_memo *memo, u64 base,
                                                        u64 step, u64 jump, u64 alignment,
                                                        _Bool writes, u64 *place)
{
    const struct vm_native_object *object = recall(call, memo, base, step, jump, alignment, writes);
    if (!object || memo->shape == VM_NATIVE_ANY_SHAPE ||
        RARE(writes ? object->notes_stores | object->watched
                    : object->notes_loads | *object->reads_watched))
        return 0;
    *place = memo->place + (base - memo->low);
    return object;
}

/* What lanes load that have one address, if it is defined; else NULL. */
static inline const u8 *load_one_again(const struct vm_native_call *call,
                                       const struct vm_native_memo *memo, u64 address,
                                       u64 alignment, u32 size)
{
    u64 place;
    const struct vm_native_object *object =
        find_again(call, memo, address, 0, 0, alignment, 0, &place);
    if (RARE(!object || (object->undefined && !*call->ignores_undefined &&
                         bits_get(object->undefined, object->root_offset + place, size) != 0)))
        return 0;
    return object->bytes + place;
}

/* Of all elements of the shape: is nothing undefined, or all? */
static inline _Bool elements_are(const u64 *bits, const struct vm_native_memo *memo, u64 place,
                                 u32 size, _Bool undefined)
{
    const s64 jump = memo->place_jump;
    if (memo->shape == VM_NATIVE_RUNS_ALIKE)
        return small_runs_are(bits, place, jump, size, undefined);
    if (memo->shape == VM_NATIVE_DENSE)
        return runs_are(bits, place, 0, 1, size, undefined);
    return size >= 4 ? runs_are(bits, place, jump, 4, size / 4, undefined)
                     : small_runs_are(bits, place, jump, 16 * size, undefined);
}

/* Whether nothing of the object is undefined is known when it is asked next, if it is worth it. */
static __attribute__((noinline)) void look_at_all(struct vm_native_call *call,
                                                  const struct vm_native_object *object)
{
    is_clear(call, object);
}

static __attribute__((noinline)) _Bool look_defined(struct vm_native_call *call,
                                                    const struct vm_native_object *object,
                                                    const struct vm_native_memo *memo, u64 place,
                                                    u32 size)
{
    if (!elements_are(object->undefined, memo, object->root_offset + place, size, 0))
        return 0;
    if (object->lasts)
        look_at_all(call, object);
    return 1;
}

/* Are the elements of all 64 lanes in the object? Those of runs are. */
static inline _Bool in_object(const struct vm_native_object *object,
                              const struct vm_native_memo *memo, u64 place, u32 size)
{
    return memo->shape != VM_NATIVE_DENSE ||
           (place <= object->size && object->size - place >= 64 * size);
}

/* And defined? */
static inline _Bool all_defined(struct vm_native_call *call, const struct vm_native_object *object,
                                const struct vm_native_memo *memo, u64 place, u32 size,
                                _Bool ignores_undefined)
{
    return in_object(object, memo, place, size) && (was_clear(call, object) || ignores_undefined ||
                                                    look_defined(call, object, memo, place, size));
}

/* Are all bytes of the elements undefined and were never stored, and may they be followed? Then the
 * lanes are undefined wholly, and born here. Of a shape that is remembered, in the object. */
static __attribute__((noinline)) _Bool find_whole(struct vm_native_call *call,
                                                  const struct vm_native_object *object,
                                                  const struct vm_native_memo *memo, u64 place,
                                                  u32 size)
{
    const _Bool dense = memo->shape == VM_NATIVE_DENSE;
    const u32 runs = dense ? 1 : 4;
    const u32 count = size * (dense ? 64 : memo->shape == VM_NATIVE_RUNS_ALIKE ? 1 : 16);
    const u8 *from = object->bytes + place;
    if (memo->place_jump < 0 || !in_object(object, memo, place, size) ||
        !vm_words_outside(object->stored, from,
                          from + (runs - 1) * memo->place_jump + (count - 1)) ||
        *call->undefined_loads >= VM_UNDEFINED_LOADS_MAX - 64 * VM_NATIVE_MEMOS ||
        !elements_are(object->undefined, memo, object->root_offset + place, size, 1))
        return 0;
    call->whole |= (u64)1 << (memo - call->memos);
    return 1;
}

/* Those of a load at `site`, of such lanes, whose lane 0 has the address. */
static inline void births_here(const struct vm_native_call *call, const struct vm_native_memo *memo,
                               u64 address, u32 site, struct vm_origins *births)
{
    const u64 key = address >> VM_POINTER_OFFSET_BITS;
    const struct vm_native_object *object = &call->objects[key % VM_NATIVE_OBJECTS];
    births->first.address = object->born + memo->place + (address - memo->low);
    births->first.site = site;
    births->first.partly = 0;
    births->stride = memo->place_stride;
    births->jump = memo->place_jump;
    births->run_shift = memo->run_shift == ACCESS_NO_RUNS ? VM_ORIGINS_NO_RUNS : memo->run_shift;
}

/* The terms of addresses, one by one: as vectors they would be read before the pieces in which
 * WRITE_TERMS wrote them are in the cache. */
#define TERMS_AT(at)                                                                               \
    *(const volatile u64 *)&(at)->base, *(const volatile u64 *)&(at)->step,                        \
        *(const volatile u64 *)&(at)->jump

/* Lanes 0 to 15 load neighbouring elements at `from`, and each following 16 lanes do so `jump`
 * bytes further. `from` is NULL if the usual shapes do not say where. */
struct runs {
    const u8 *from;
    s64 jump;
};

/* Of a load that was made before, of what is defined, or undefined wholly (call->whole): where its
 * elements are, if lanes share none; else in `copy`, a row. And such a load into a row, or a store
 * of one by all lanes to what is defined. False: nothing was done. */
#define AGAIN(W)                                                                                   \
    static __attribute__((noinline)) struct runs find_runs_##W(                                    \
        struct vm_native_call *call, const struct vm_native_memo *memo, u64 base, u64 step,        \
        u64 jump, u64 alignment, u##W *copy) {                                                     \
        u64 place;                                                                                 \
        const u32 size = sizeof *copy;                                                             \
        const struct vm_native_object *object =                                                    \
            find_again(call, memo, base, step, jump, alignment, 0, &place);                        \
        if (RARE(!object))                                                                         \
            return (struct runs){0, 0};                                                            \
        if (memo->shape == VM_NATIVE_RUNS_ALIKE) {                                                 \
            const _Bool asks = !was_clear(call, object) && !*call->ignores_undefined;              \
            u64 any = 0, at = place;                                                               \
            for (u32 lane = 0; lane < 64; lane += 16, at += (u64)memo->place_jump) {               \
                load_run_##W(object->bytes + at, 0, 16, copy + lane);                              \
                any |= asks ? bits_get(object->undefined, object->root_offset + at, size) : 0;     \
            }                                                                                      \
            if (RARE(any != 0) && !find_whole(call, object, memo, place, size))                    \
                return (struct runs){0, 0};                                                        \
            if (asks && object->lasts && any == 0)                                                 \
                look_at_all(call, object);                                                         \
            return (struct runs){(const u8 *)copy, 16 * size};                                     \
        }                                                                                          \
        if (RARE(!all_defined(call, object, memo, place, size, *call->ignores_undefined)) &&       \
            !find_whole(call, object, memo, place, size))                                          \
            return (struct runs){0, 0};                                                            \
        return (struct runs){object->bytes + place,                                                \
                             memo->shape == VM_NATIVE_DENSE ? 16 * (s64)size : memo->place_jump};  \
    } static __attribute__((noinline))                                                             \
    _Bool load_again_##W(struct vm_native_call *call, const struct vm_native_memo *memo,           \
                         const struct terms *at, u64 alignment, u##W *to)                          \
    {                                                                                              \
        if (RARE(at->form == NO_TERMS))                                                            \
            return 0;                                                                              \
        const struct runs runs = find_runs_##W(call, memo, TERMS_AT(at), alignment, to);           \
        if (runs.jump == 16 * sizeof *to && runs.from && runs.from != (const u8 *)to)              \
            __builtin_memcpy(to, runs.from, 64 * sizeof *to);                                      \
        else if (runs.from && runs.from != (const u8 *)to)                                         \
            for (u32 run = 0; run < 4; run++)                                                      \
                __builtin_memcpy(to + 16 * run, runs.from + run * runs.jump, 16 * sizeof *to);     \
        return runs.from != 0;                                                                     \
    }                                                                                              \
    static __attribute__((noinline))                                                               \
    _Bool store_again_##W(struct vm_native_call *call, const struct vm_native_memo *memo,          \
                          const struct terms *at, u64 alignment, const u##W *restrict from)        \
    {                                                                                              \
        u64 place;                                                                                 \
        const u32 size = sizeof *from;                                                             \
        const struct vm_native_object *object =                                                    \
            at->form == NO_TERMS ? 0 : find_again(call, memo, TERMS_AT(at), alignment, 1, &place); \
        if (RARE(!object || memo->shape == VM_NATIVE_RUNS_ALIKE ||                                 \
                 !all_defined(call, object, memo, place, size, 0)))                                \
            return 0;                                                                              \
        u8 *to = object->bytes + place;                                                            \
        if (memo->shape == VM_NATIVE_DENSE)                                                        \
            __builtin_memcpy(to, from, 64 * size);                                                 \
        for (u32 lane = 0; lane < 64 && memo->shape == VM_NATIVE_RUNS_OF_16; lane += 16)           \
            __builtin_memcpy(to + lane / 16 * memo->place_jump, from + lane, 16 * size);           \
        return 1;                                                                                  \
    }
AGAIN(8)
AGAIN(16)
AGAIN(32)
AGAIN(64)
#undef AGAIN
