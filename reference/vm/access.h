/* The gate: every access of a kernel to memory passes here. It resolves the addresses of a vector's
 * lanes to places in objects, one *span* of lanes for each object; refuses and tells what is out of
 * bounds or freed; tells what is misaligned or forbidden; tells the observer of the rest; and
 * leaves the effect to the op.
 *
 *     struct access access = {...};
 *     struct access_span span;
 *     while (MACHINE(access_next)(&access, &span))
 *         ... move the bytes of the lanes in span.mask ...
 *
 * Nearly all accesses are *strided*: lane i touches the place of lane 0 + i * stride, a stride of 0
 * being a uniform access and one of `size` a contiguous one. Groups of two dimensions make strided
 * *runs*: lane i touches the place of lane 0 + (i % run) * stride + (i / run) * jump. They are
 * found by comparing 64 addresses with the pattern, or said by the terms of an affine row, and
 * their bounds by looking at the outermost lanes. */
#ifndef REFERENCE_VM_ACCESS_H
#define REFERENCE_VM_ACCESS_H

#include "reference/vm/affine.h"
#include "reference/vm/machine.h"
#include "reference/vm/pattern.h"

#include <string.h>

struct access {
    /* What the op asks. */
    struct vm_vector *vector;
    const row_u64 *addresses; /* of 64 lanes; NULL: all lanes use `address` */
    uint64_t address;
    vm_row affine; /* the affine row that `addresses` are the elements of, which may not be written;
                      0 = none, or its terms do not hold */
    uint64_t mask; /* lanes still to be resolved; what is left at the end is 0 */
    uint64_t
        untold; /* lanes whose address is undefined: served where it leads, but not told about */
    uint32_t site;
    enum observer_access_kind kind;
    uint32_t size;      /* bytes that each lane touches, 1 to 128 */
    uint64_t alignment; /* that the access promises, a power of two */
    uint32_t part;      /* bytes before the access where what has that alignment begins */
    bool is_volatile, is_floating;
    bool is_read_write; /* as lane_access says */
    bool is_constant;   /* by a pointer to constant memory */
    bool is_later;      /* somebody else performs it later: only what is wrong with it is told */
    enum observer_order order;
    enum observer_scope scope;
    const void *value; /* as lane_access says */
    size_t value_stride;
    const struct lane_atomic *atomic; /* NULL for others; of a compare-exchange the op itself tells,
                                        by access_tell */

    /* Inside: the address is one for all lanes; then private memory, of which each lane has its
     * own, cannot be meant, and counts as no object. */
    bool uniform;
    bool shared; /* there are addresses of shared virtual memory among `copy`, made pointers */
    /* The op may overwrite the row of addresses while spans are still to come. */
    uint64_t copy[VM_LANES];
};

/* The lanes of an access that touch one object. A place is an offset in object->bytes; for private
 * objects it includes the way to the lane's arena. */
struct access_span {
    const struct vm_object *object;
    uint64_t mask;      /* never 0 */
    uint32_t first;     /* lowest lane of mask */
    uint32_t last;      /* highest */
    bool strided;       /* the place of a lane is by the pattern below; else places[i] */
    uint64_t place;     /* of lane 0, where it would be if it is not in the mask */
    int64_t stride;     /* as struct vm_pattern has it */
    uint32_t run_shift; /* the same */
    int64_t jump;       /* the same */
    uint64_t places[VM_LANES];
};

/* What most accesses ask: all active lanes, at `address` 0, with no promise; the caller sets what
 * is otherwise. `copy` is left as it is, which is large. */
static inline void access_begin(struct access *access, struct vm_vector *vector,
                                const struct vm_instruction *in, enum observer_access_kind kind,
                                uint32_t size)
{
    access->vector = vector;
    access->addresses = NULL;
    access->address = 0;
    access->affine = 0;
    access->mask = vector->active;
    access->untold = 0;
    access->site = vm_site(vector, in);
    access->kind = kind;
    access->size = size;
    access->alignment = 1;
    access->part = 0;
    access->is_volatile = access->is_floating = false;
    access->is_read_write = access->is_constant = access->is_later = false;
    access->order = OBSERVER_ORDER_RELAXED;
    access->scope = OBSERVER_SCOPE_WORK_ITEM;
    access->value = NULL;
    access->value_stride = 0;
    access->atomic = NULL;
}

/* False when no lanes are left. */
bool MACHINE(access_next)(struct access *access, struct access_span *span);

/* Tells the observer of a span whose effect has taken place. */
void MACHINE(access_tell)(const struct access *access, const struct access_span *span);

/* The object that a pointer leads to, alive or freed; NULL for none. Addresses of shared virtual
 * memory are not pointers yet. */
static inline const struct vm_object *access_object(const struct vm_vector *vector,
                                                    uint64_t address)
{
    if (!(address & VM_POINTER_TAG))
        return NULL;
    const uint32_t number = vm_pointer_object(address);
    if (number < VM_LAUNCH_OBJECT)
        return vm_memory_find(vector->run->memory, number);
    return number - VM_LAUNCH_OBJECT < vector->object_count
               ? &vector->objects[number - VM_LAUNCH_OBJECT]
               : NULL;
}

/* What an owned pointer is to the lane, if it leads to a variable of its own; others as they are.
 */
static inline uint64_t access_claim(const struct vm_vector *vector, uint64_t pointer, uint32_t lane)
{
    const struct vm_owners *owners = &vector->run->owners;
    const uint64_t item = (uint64_t)vector->index * VM_LANES + lane;
    const bool private = vm_owned_is_private(pointer);
    const uint64_t first =
        vector->owner + (private ? owners->local_count + item * owners->private_count : 0);
    const uint32_t count = private ? owners->private_count : owners->local_count;
    const uint64_t index = (vm_owned_number(pointer) - first) & (VM_OWNED_NUMBERS - 1);
    const uint64_t object = VM_LAUNCH_OBJECT + index + (private ? owners->private_object : 0);
    const uint64_t own = vm_pointer_make((uint32_t)object, vm_owned_offset(pointer));
    return vm_pointer_is_owned(pointer) && index < count ? own : pointer;
}

/* The pointer that an address is to the lane: not shared virtual memory's, and its own variable's
 * without an owner. */
static inline uint64_t access_pointer(const struct vm_vector *vector, uint64_t address,
                                      uint32_t lane)
{
    return access_claim(vector, vm_memory_pointer(vector->run->memory, address), lane);
}

static inline struct vm_pattern span_pattern(const struct access_span *span)
{
    return (struct vm_pattern){.stride = span->stride,
                               .jump = span->jump,
                               .run_shift = span->run_shift,
                               .first = span->first,
                               .last = span->last};
}

static inline void span_set_pattern(struct access_span *span, const struct vm_pattern *pattern)
{
    span->stride = pattern->stride;
    span->jump = pattern->jump;
    span->run_shift = pattern->run_shift;
    span->first = pattern->first;
    span->last = pattern->last;
}

static inline uint64_t access_place(const struct access_span *span, uint32_t lane)
{
    if (!span->strided)
        return span->places[lane];
    const uint32_t in_run = lane & ((1U << span->run_shift) - 1);
    return span->place + (uint64_t)((int64_t)in_run * span->stride) +
           (uint64_t)((int64_t)(lane >> span->run_shift) * span->jump);
}

/* Do all lanes touch one place? */
static inline bool span_uniform(const struct access_span *span)
{
    return span->strided && span->stride == 0 && span->jump == 0;
}

/* Do the lanes from the first to the last touch one range of bytes, one after the other? */
static inline bool span_consecutive(const struct access_span *span, uint32_t size)
{
    return span->strided && span->stride == size && span->run_shift == ACCESS_NO_RUNS &&
           span->mask >> span->first == bits_low(span->last - span->first + 1);
}

/* A copy whose size is mostly one of a few. */
static inline void span_move(uint8_t *to, const uint8_t *from, uint32_t size)
{
    switch (size) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, size);
        break;
    }
}

/* A copy of many elements: pieces of a size that is known, where memcpy of another size is a call,
 * or an instruction that is slow to start. */
static inline void span_copy(void *to, const uint8_t *from, size_t size)
{
    uint8_t *bytes = to;
    for (; size >= 64; size -= 64, bytes += 64, from += 64)
        memcpy(bytes, from, 64);
    for (size_t piece = 32; size > 0; piece /= 2) {
        if (!(size & piece))
            continue;
        memcpy(bytes, from, piece);
        bytes += piece;
        from += piece;
        size -= piece;
    }
}

/* `size` bytes of each lane of the span, those of lane i to values + i * value_stride. */
static inline void span_load(const struct access_span *span, uint32_t size, uint8_t *values,
                             size_t value_stride)
{
    const uint8_t *bytes = span->object->bytes;
    if (span->mask == ~UINT64_C(0) && span->strided && span->stride == (int64_t)size &&
        value_stride == size) {
        const uint32_t run = 1U << span->run_shift;
        for (uint32_t lane = 0; lane < VM_LANES; lane += run)
            span_copy(values + (size_t)lane * size, bytes + access_place(span, lane),
                      (size_t)run * size);
        return;
    }
    FOR_EACH_LANE(lane, span->mask) {
        span_move(values + lane * value_stride, bytes + access_place(span, lane), size);
    }
}

/* In code with spins: the active lanes have read what they may wait for. */
static inline void vector_note_read(struct vm_vector *vector, vm_row addresses, uint32_t size)
{
    FOR_EACH_LANE(lane, vector->run->code->spin_count ? vector->active : 0) {
        vector->read_addresses[lane] = ROW(u64, addresses)[lane];
        vector->read_sizes[lane] = (uint8_t)size;
        vector->read_times[lane] = vector->run->progress_count;
    }
    vector->read_twice |= vector->read_once & vector->active;
    vector->read_once |= vector->active;
}

/* Numbers that are as good as never the same for two. */
static inline uint64_t vm_print_of(uint64_t number)
{
    number = (number ^ number >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    number = (number ^ number >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return number ^ number >> 32;
}

/* In code with spins: the lane changes `size` bytes of the span, which is progress. */
static inline void span_note_change(struct vm_vector *vector, const struct access_span *span,
                                    uint32_t size, uint32_t lane)
{
    const struct vm_object *object = span->object;
    vector->run->progress_count++;
    vector->changed |= UINT64_C(1) << lane;
    if (object->private_stride)
        return;
    const uint64_t first = object->root_offset + access_place(span, lane);
    const struct vm_change change = {.object = object->root->identity.id,
                                     .size = size,
                                     .offset = first,
                                     .vector = vector,
                                     .lane = lane,
                                     .time = vector->run->progress_count};
    for (uint64_t offset = first / 4 * 4; offset < first + size; offset += 4)
        vector->run->changes[vm_change_slot(change.object, offset)] = change;
}

/* The same of private memory, by a store that leaves `to` there: nobody waits for that, but the
 * lane has not gone round in vain, unless it stores again what was there. */
static inline void span_note_own_change(struct vm_vector *vector, const struct access_span *span,
                                        uint32_t size, const uint8_t *to, uint32_t lane)
{
    const uint64_t first = access_place(span, lane);
    const uint64_t object = (uint64_t)span->object->identity.id << 40;
    for (uint32_t i = 0; i < size; i++) {
        const uint64_t byte = (object + first + i) << 8;
        vector->prints[lane] ^=
            vm_print_of(byte | span->object->bytes[first + i]) ^ vm_print_of(byte | to[i]);
    }
}

/* In code with spins: which lanes' stores will change memory? */
static inline void span_note_store(struct vm_vector *vector, const struct access_span *span,
                                   uint32_t size, const uint8_t *values, size_t value_stride)
{
    FOR_EACH_LANE(lane, vector->run->code->spin_count ? span->mask : 0) {
        const uint8_t *bytes = span->object->bytes + access_place(span, lane);
        if (memcmp(bytes, values + lane * value_stride, size) == 0)
            continue;
        if (span->object->private_stride)
            span_note_own_change(vector, span, size, values + lane * value_stride, lane);
        else
            span_note_change(vector, span, size, lane);
    }
}

/* The same of `count` places that lie `stride` apart. */
static inline void span_move_strided(uint8_t *to, int64_t stride, const uint8_t *from,
                                     size_t from_stride, uint32_t count, uint32_t size)
{
    for (uint32_t i = 0; i < count; i++, to += stride, from += from_stride)
        span_move(to, from, size);
}

/* `size` bytes of each lane of the span, those of lane i at values + i * value_stride. Where
 * several lanes store to one place the last one in the order of lanes remains. */
static inline void span_store(const struct access_span *span, uint32_t size, const uint8_t *values,
                              size_t value_stride, const uint8_t *order)
{
    uint8_t *bytes = span->object->bytes;
    if (span_consecutive(span, size) && value_stride == size) {
        span_copy(bytes + access_place(span, span->first), values + (size_t)span->first * size,
                  (size_t)(span->last - span->first + 1) * size);
        return;
    }
    if (!order && span->mask == ~UINT64_C(0) && span->strided && span->stride == (int64_t)size &&
        value_stride == size) {
        const uint32_t run = 1U << span->run_shift;
        for (uint32_t lane = 0; lane < VM_LANES; lane += run)
            span_copy(bytes + access_place(span, lane), values + (size_t)lane * size,
                      (size_t)run * size);
        return;
    }
    if (!order && span->strided && span->run_shift == ACCESS_NO_RUNS &&
        span->mask >> span->first == bits_low(span->last - span->first + 1)) {
        const uint32_t count = span->last - span->first + 1;
        bytes += access_place(span, span->first);
        values += span->first * value_stride;
        if (size == 4) /* then the loop knows the size */
            span_move_strided(bytes, span->stride, values, value_stride, count, 4);
        else
            span_move_strided(bytes, span->stride, values, value_stride, count, size);
        return;
    }
    FOR_LANES_IN_ORDER(lane, span->mask, order) {
        span_move(bytes + access_place(span, lane), values + lane * value_stride, size);
    }
}

#endif
