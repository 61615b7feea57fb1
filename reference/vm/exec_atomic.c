/* Atomics: the lanes act one after the other, in the order of lanes of the schedule. */
#include "reference/vm/access.h"
#include "reference/vm/defined.h"
#include "reference/vm/svm.h"
#include "reference/vm/trial.h"
#include "reference/vm/undefined_rows.h"
#include "trace/base/half.h"

#include <string.h>

struct atomic {
    enum vm_op op;
    uint32_t width;
    uint64_t sign; /* the sign bit of the width */
};

static enum observer_access_kind access_kind(enum vm_op op)
{
    switch (op) {
    case VM_OP_atomic_load:
        return OBSERVER_ATOMIC_READ;
    case VM_OP_atomic_store:
        return OBSERVER_ATOMIC_WRITE;
    default:
        return OBSERVER_ATOMIC_RMW;
    }
}

/* What op leaves of floating-point numbers, by the rows fadd, fmin and fmax of ops.def. */
#define FLOAT_APPLY(F, W)                                                                          \
    static u##W apply_f##W(enum vm_op op, u##W old_bits, u##W value_bits)                          \
    {                                                                                              \
        F a;                                                                                       \
        F b;                                                                                       \
        u##W bits;                                                                                 \
        memcpy(&a, &old_bits, sizeof a);                                                           \
        memcpy(&b, &value_bits, sizeof b);                                                         \
        F left = op == VM_OP_atomic_fadd   ? a + b                                                 \
                 : op == VM_OP_atomic_fmin ? (a != a || b < a ? b : a)                             \
                                           : (a != a || a < b ? b : a);                            \
        if (left != left)                                                                          \
            left = (F)__builtin_nanf(""); /* the canonical one: code.h */                          \
        memcpy(&bits, &left, sizeof bits);                                                         \
        return bits;                                                                               \
    }
FLOAT_APPLY(f32, 32)
FLOAT_APPLY(f64, 64)

static u32 float_bits(uint64_t half)
{
    const f32 number = half_to_float((u16)half);
    u32 bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static u16 apply_f16(enum vm_op op, uint64_t old, uint64_t value)
{
    const u32 bits = apply_f32(op, float_bits(old), float_bits(value));
    f32 left;
    memcpy(&left, &bits, sizeof left);
    return half_from_float(left); /* rounded once: lane.h */
}

static uint64_t apply_float(const struct atomic *atomic, uint64_t old, uint64_t value)
{
    switch (atomic->width) {
    case 2:
        return apply_f16(atomic->op, old, value);
    case 4:
        return apply_f32(atomic->op, (u32)old, (u32)value);
    default:
        return apply_f64(atomic->op, old, value);
    }
}

static uint64_t swap(uint64_t number, uint32_t width)
{
    return __builtin_bswap64(number) >> (64 - 8 * width);
}

/* What the op is on numbers whose lowest byte comes first. */
static inline __attribute__((always_inline)) enum vm_op unswapped(enum vm_op op)
{
    switch (op) {
/* clang-format off */
#define ATOMIC(...)
#define SWAPPED(name) case VM_OP_##name##_swapped: return VM_OP_##name;
#include "reference/vm/atomics.def"
    /* clang-format on */
    default:
        return op;
    }
}

/* The new value; its bits above the width do not count. */
static inline __attribute__((always_inline)) uint64_t
apply_usual(const struct atomic *atomic, uint64_t old, uint64_t value, uint64_t compare)
{
    const uint64_t sign = atomic->sign;
    switch (atomic->op) {
/* clang-format off */
#define ATOMIC(name, dst, b, c, traits, left, text) case VM_OP_##name: return left;
#define SWAPPED(...)
#include "reference/vm/atomics.def"
    /* clang-format on */
    default:
        return old;
    }
}

static inline __attribute__((always_inline)) uint64_t
apply(const struct atomic *atomic, uint64_t old, uint64_t value, uint64_t compare)
{
    const struct atomic usual = {unswapped(atomic->op), atomic->width, atomic->sign};
    if (usual.op == atomic->op)
        return apply_usual(atomic, old, value, compare);
    return swap(apply_usual(&usual, swap(old, usual.width), value, compare), usual.width);
}

/* What the op is on rows, for the undefined bits that it makes; VM_OP_COUNT: it moves values, or
 * what it makes of any undefined bit is undefined wholly. */
static enum vm_op row_op(enum vm_op op)
{
    switch (op) {
    case VM_OP_atomic_iadd:
        return VM_OP_iadd_64;
    case VM_OP_atomic_isub:
        return VM_OP_isub_64;
    case VM_OP_atomic_and:
        return VM_OP_iand_64;
    case VM_OP_atomic_or:
        return VM_OP_ior_64;
    case VM_OP_atomic_xor:
        return VM_OP_ixor_64;
    default:
        return VM_OP_COUNT;
    }
}

/* Rows of the operands, NULL where the op has none, and the old values: collected beside the frame,
 * because dst may be the row of an operand. */
struct operands {
    vm_row value_row, compare_row;
    const uint8_t *value, *compare;
    uint64_t value_undefined, compare_undefined;
    uint64_t old_undefined;
    uint64_t updated; /* lanes whose effect rests on undefined bits in memory */
    uint64_t changed; /* lanes that left another value than they found; noted by atomic_lane */
    uint8_t old[VM_LANES * sizeof(uint64_t)];
    /* Of lanes in old_undefined and `updated`. */
    uint64_t old_bits[VM_LANES];
    struct vm_origin births[VM_LANES];
};

/* The undefined bits that the op leaves, of numbers of which some bits are undefined. */
static uint64_t bits_left(const struct atomic *atomic, struct vm_partial old,
                          struct vm_partial value, struct vm_partial compare)
{
    const uint64_t all = bits_low(atomic->width * 8);
    const enum vm_op op = row_op(atomic->op);
    switch (atomic->op) {
    case VM_OP_atomic_load:
        return old.undefined;
    case VM_OP_atomic_store:
    case VM_OP_atomic_exchange:
        return value.undefined;
    case VM_OP_atomic_compare_exchange:
        if (vm_undefined_binary(VM_OP_ieq_64, old, compare))
            return old.undefined | value.undefined | compare.undefined;
        return old.value == compare.value ? value.undefined : old.undefined;
    default:
        if (op != VM_OP_COUNT)
            return vm_undefined_binary(op, old, value) & all;
        return old.undefined | value.undefined ? all : 0;
    }
}

/* Does the effect of the op, not only the value that it gives, rest on undefined bits in memory? */
static bool rests_on_old(const struct atomic *atomic, uint64_t left, struct vm_partial old,
                         struct vm_partial value, struct vm_partial compare)
{
    switch (atomic->op) {
    case VM_OP_atomic_load:
    case VM_OP_atomic_store:
    case VM_OP_atomic_exchange:
        return false;
    case VM_OP_atomic_compare_exchange:
        return old.undefined && vm_undefined_binary(VM_OP_ieq_64, old, compare);
    default:
        return old.undefined && left & ~value.undefined;
    }
}

static struct vm_partial operand_of(const struct vm_vector *vector, const uint8_t *row_bytes,
                                    vm_row row, uint32_t width, uint32_t lane)
{
    if (!row_bytes)
        return (struct vm_partial){0};
    return (struct vm_partial){.value = lane_get(row_bytes + lane * width, width),
                               .undefined = vm_undefined_bits(vector, row, lane, width)};
}

/* The definedness that the op finds and leaves. What rests on undefined memory is told, and defined
 * from then on: all that comes of it would be told again. */
static void atomic_lane_bits(const struct atomic *atomic, struct operands *operands,
                             const struct vm_vector *vector, uint32_t site,
                             const struct access_span *span, uint32_t lane)
{
    const uint32_t width = atomic->width;
    const uint64_t lane_bit = UINT64_C(1) << lane;
    const uint8_t *place = span->object->bytes + access_place(span, lane);
    const struct vm_partial value =
        operand_of(vector, operands->value, operands->value_row, width, lane);
    const struct vm_partial compare =
        operand_of(vector, operands->compare, operands->compare_row, width, lane);
    const struct vm_partial old = {.value = lane_get(place, width),
                                   .undefined = lane_undefined_bits(vector, span, lane, width, 0)};
    const uint64_t left = bits_left(atomic, old, value, compare);
    if (old.undefined) {
        operands->births[lane] = span_birth(vector, span, lane, 0, width, site);
        operands->old_bits[lane] = old.undefined;
    }
    if (rests_on_old(atomic, left, old, value, compare)) {
        operands->updated |= lane_bit;
        lane_define(span, lane, width, 0, 0);
        return;
    }
    if (old.undefined)
        operands->old_undefined |= lane_bit;
    if (atomic->op == VM_OP_atomic_load)
        return;
    lane_define_bits(vector, span, lane, width, 0, left,
                     value.undefined     ? vm_undefined_birth(vector, operands->value_row, lane)
                     : compare.undefined ? vm_undefined_birth(vector, operands->compare_row, lane)
                                         : operands->births[lane]);
}

#define APPLY_BESIDE_HOST(T)                                                                       \
    static uint64_t apply_beside_host_##T(const struct atomic *atomic, T *number, uint64_t value,  \
                                          uint64_t compare)                                        \
    {                                                                                              \
        T old = __atomic_load_n(number, __ATOMIC_SEQ_CST);                                         \
        while (atomic->op != VM_OP_atomic_load &&                                                  \
               !__atomic_compare_exchange_n(number, &old, (T)apply(atomic, old, value, compare),   \
                                            false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))            \
            continue;                                                                              \
        return old;                                                                                \
    }
APPLY_BESIDE_HOST(u16)
APPLY_BESIDE_HOST(u32)
APPLY_BESIDE_HOST(u64)

/* Does what the op does to the number, and returns what it was. */
static uint64_t apply_at(const struct atomic *atomic, const struct vm_object *object,
                         uint8_t *place, uint64_t value, uint64_t compare)
{
    const uint32_t width = atomic->width;
    if (svm_is_beside_host(object->identity.svm) && (uintptr_t)place % width == 0) {
        switch (width) {
        case 2:
            return apply_beside_host_u16(atomic, (u16 *)(void *)place, value, compare);
        case 4:
            return apply_beside_host_u32(atomic, (u32 *)(void *)place, value, compare);
        default:
            return apply_beside_host_u64(atomic, (u64 *)(void *)place, value, compare);
        }
    }
    const uint64_t old = lane_get(place, width);
    if (atomic->op != VM_OP_atomic_load)
        lane_put(place, width, apply(atomic, old, value, compare));
    return old;
}

/* Does the op leave another number? The place is not asked, which the host may have changed since.
 */
static bool changes(const struct atomic *atomic, uint64_t old, uint64_t value, uint64_t compare)
{
    return atomic->op != VM_OP_atomic_load &&
           (apply(atomic, old, value, compare) ^ old) << (64 - 8 * atomic->width) != 0;
}

static void atomic_lane(const struct atomic *atomic, struct operands *operands,
                        const struct vm_vector *vector, uint32_t site,
                        const struct access_span *span, uint32_t lane)
{
    const struct vm_object *object = span->object;
    const uint32_t width = atomic->width;
    uint8_t *place = object->bytes + access_place(span, lane);
    const uint64_t value = operands->value ? lane_get(operands->value + lane * width, width) : 0;
    const uint64_t compare =
        operands->compare ? lane_get(operands->compare + lane * width, width) : 0;
    if (object->undefined)
        atomic_lane_bits(atomic, operands, vector, site, span, lane);
    const uint64_t old = apply_at(atomic, object, place, value, compare);
    if (changes(atomic, old, value, compare))
        operands->changed |= UINT64_C(1) << lane;
    lane_put(operands->old + lane * width, width, old);
}

/* What atomic_lane does, where nothing is undefined: of one lane, on the number of its place. */
static inline __attribute__((always_inline)) void
lane_act(enum vm_op op, uint32_t width, struct operands *operands, uint32_t lane, uint64_t *number)
{
    const struct atomic atomic = {op, width, UINT64_C(1) << (width * 8 - 1)};
    const bool has_value = op != VM_OP_atomic_load;
    const bool has_compare = op == VM_OP_atomic_compare_exchange;
    const uint64_t value = has_value ? lane_get(operands->value + lane * width, width) : 0;
    const uint64_t compare = has_compare ? lane_get(operands->compare + lane * width, width) : 0;
    lane_put(operands->old + lane * width, width, *number);
    *number = apply(&atomic, *number, value, compare);
    *number = width == 4 ? (u32)*number : *number;
}

/* Made for each op and width of its own, and with the number kept in a register where all lanes act
 * on one. */
static inline __attribute__((always_inline)) void each_lane(enum vm_op op, uint32_t width,
                                                            struct operands *operands,
                                                            const struct access_span *span,
                                                            const uint8_t *order)
{
    const bool writes = op != VM_OP_atomic_load;
    if (span_uniform(span)) {
        uint8_t *place = span->object->bytes + span->place;
        uint64_t number = lane_get(place, width);
        FOR_LANES_IN_ORDER(lane, span->mask, order)
            lane_act(op, width, operands, lane, &number);
        if (writes)
            lane_put(place, width, number);
        return;
    }
    FOR_LANES_IN_ORDER(lane, span->mask, order) {
        uint8_t *place = span->object->bytes + access_place(span, lane);
        uint64_t number = lane_get(place, width);
        lane_act(op, width, operands, lane, &number);
        if (writes)
            lane_put(place, width, number);
    }
}

static bool is_beside_others(const struct atomic *atomic, const struct vm_vector *vector,
                             const struct access_span *span)
{
    const struct trial_part *part = vector->run->part;
    return __builtin_expect(part != NULL, 0) && !trial_part_is_first(part) &&
           span->object->identity.region == OBSERVER_GLOBAL &&
           access_kind(atomic->op) == OBSERVER_ATOMIC_RMW;
}

/* Leaves a number as it is that would not change. */
#define UPDATE_BESIDE(T)                                                                           \
    static inline __attribute__((always_inline))                                                   \
    uint64_t update_beside_##T(const struct atomic *atomic, T *number, uint64_t value)             \
    {                                                                                              \
        T old = __atomic_load_n(number, __ATOMIC_RELAXED);                                         \
        for (;;) {                                                                                 \
            const T left = (T)apply_usual(atomic, old, value, 0);                                  \
            if (left == old || __atomic_compare_exchange_n(number, &old, left, true,               \
                                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED))    \
                return old;                                                                        \
        }                                                                                          \
    }
UPDATE_BESIDE(u32)
UPDATE_BESIDE(u64)

/* Others run work-groups beside these: what passed the gate (trial.h) commutes, in any order of
 * lanes and of all. */
static void each_lane_beside_others(const struct atomic *atomic, struct operands *operands,
                                    const struct access_span *span)
{
    const uint32_t width = atomic->width;
    FOR_EACH_LANE(lane, span->mask) {
        uint8_t *place = span->object->bytes + access_place(span, lane);
        const uint64_t value = lane_get(operands->value + lane * width, width);
        const uint64_t old = width == 4 ? update_beside_u32(atomic, (u32 *)(void *)place, value)
                                        : update_beside_u64(atomic, (u64 *)(void *)place, value);
        lane_put(operands->old + lane * width, width, old);
    }
}

#define EACH_LANE(op)                                                                              \
    case op:                                                                                       \
        if (atomic->width == 4)                                                                    \
            each_lane(op, 4, operands, span, order);                                               \
        else                                                                                       \
            each_lane(op, 8, operands, span, order);                                               \
        return true

/* The frequent case: all of it is defined, and the device's alone, and no half. False, with nothing
 * done, in others. */
static bool atomic_lanes(const struct atomic *atomic, struct operands *operands,
                         const struct vm_vector *vector, const struct access_span *span)
{
    const uint8_t *order = vector->run->lane_order;
    if (atomic->width == 2 ||
        (operands->value_undefined | operands->compare_undefined) & span->mask ||
        !span_defined(span, atomic->width) || svm_is_beside_host(span->object->identity.svm))
        return false;
    if (is_beside_others(atomic, vector, span)) {
        each_lane_beside_others(atomic, operands, span);
        return true;
    }
    switch (atomic->op) {
/* clang-format off */
#define ATOMIC(name, ...) EACH_LANE(VM_OP_##name);
#define SWAPPED(...)
#include "reference/vm/atomics.def"
    /* clang-format on */
    default:
        return false;
    }
}

static void begin(struct access *access, struct vm_vector *vector, const struct vm_instruction *in,
                  const struct operands *operands)
{
    const struct vm_atomic *order = &vector->run->code->atomics[in->aux];
    access_begin(access, vector, in, access_kind((enum vm_op)in->op), in->width);
    access->addresses = ROW(u64, in->a);
    access->alignment = in->width;
    access->is_volatile = order->is_volatile;
    access->order = order->order;
    access->scope = order->scope;
    /* What a read-modify-write stores is not known before its effect. */
    access->value = in->op == VM_OP_atomic_store ? operands->value : NULL;
    access->value_stride = in->width;
    access->untold =
        vm_tell_if_undefined(vector, in, OBSERVER_UNDEFINED_ADDRESS, in->a, vector->active);
}

/* The lanes that found another value than they compared with. */
static uint64_t lanes_unequal(const struct operands *operands, uint32_t width, uint64_t mask)
{
    uint64_t unequal = 0;
    FOR_EACH_LANE(lane, mask) {
        if (memcmp(operands->old + lane * width, operands->compare + lane * width, width) != 0)
            unequal |= UINT64_C(1) << lane;
    }
    return unequal;
}

static void tell_updated(struct vm_vector *vector, const struct access *access,
                         struct operands *operands)
{
    const uint64_t updated = operands->updated & ~access->untold;
    operands->updated = 0;
    if (updated)
        vm_tell_undefined(vector, access->site, OBSERVER_UNDEFINED_UPDATE,
                          operands->births[__builtin_ctzll(updated)], updated);
}

/* As if what was found had never been written. */
static uint64_t find_all_undefined(struct operands *operands, uint32_t width, uint64_t mask)
{
    FOR_EACH_LANE(lane, mask) {
        operands->old_bits[lane] = bits_low(width * 8);
        operands->births[lane] = (struct vm_origin){.site = UINT32_MAX};
    }
    return mask;
}

void MACHINE(op_atomic)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const struct atomic atomic = {
        .op = (enum vm_op)in->op, .width = in->width, .sign = UINT64_C(1) << (in->width * 8 - 1)};
    const bool has_value = atomic.op != VM_OP_atomic_load;
    const bool has_compare = atomic.op == VM_OP_atomic_compare_exchange;
    struct operands operands = {.value_row = in->b,
                                .compare_row = in->c,
                                .value = has_value ? vm_unit(vector, in->b) : NULL,
                                .compare = has_compare ? vm_unit(vector, in->c) : NULL,
                                .value_undefined = has_value ? vector->undefined[in->b] : 0,
                                .compare_undefined = has_compare ? vector->undefined[in->c] : 0};
    const struct vm_atomic *described = &vector->run->code->atomics[in->aux];
    struct lane_atomic told = {.lane_order = vector->run->lane_order,
                               .is_compare_exchange = has_compare,
                               .is_inert = described->is_inert,
                               .failure_order = described->unequal_order};
    const bool spins = vector->run->code->spin_count != 0;
    struct access access;
    struct access_span span;
    begin(&access, vector, in, &operands);
    access.atomic = &told;
    while (MACHINE(access_next)(&access, &span)) {
        const uint64_t output = operands.value_undefined & span.mask & ~access.untold;
        if (output && span.object->identity.region == OBSERVER_GLOBAL)
            vm_tell_undefined_row(vector, access.site, OBSERVER_UNDEFINED_OUTPUT, in->b, output);
        if (spins || !atomic_lanes(&atomic, &operands, vector, &span)) {
            FOR_LANES_IN_ORDER(lane, span.mask, vector->run->lane_order)
                atomic_lane(&atomic, &operands, vector, access.site, &span, lane);
        }
        if (operands.updated)
            tell_updated(vector, &access, &operands);
        if (has_compare) {
            told.only_reading = lanes_unequal(&operands, in->width, span.mask & ~access.untold);
            MACHINE(access_tell)(&access, &span);
        }
        FOR_EACH_LANE(lane, spins ? operands.changed & span.mask : 0)
            span_note_change(vector, &span, in->width, lane);
    }
    if (atomic.op != VM_OP_atomic_store) {
        vector_note_read(vector, in->a, in->width);
        memcpy(vm_unit(vector, in->dst), operands.old, (size_t)in->width * VM_LANES);
        if (vector->run->explorer && vector->run->explorer->is_undefined)
            operands.old_undefined = find_all_undefined(&operands, in->width, vector->active);
        vector->undefined[in->dst] = operands.old_undefined;
        FOR_EACH_LANE(lane, operands.old_undefined) {
            vm_undefined_put(vector, in->dst, false, lane, operands.old_bits[lane],
                             operands.births[lane]);
        }
    }
}
