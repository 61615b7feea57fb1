/* Atomics: the lanes act one after the other, in the order of lanes of the schedule. */
#include "reference/vm/access.h"
#include "reference/vm/defined.h"

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

/* The new value; its bits above the width do not count. Comparing with the sign bit flipped is
 * comparing signed values. */
static inline __attribute__((always_inline)) uint64_t
apply(const struct atomic *atomic, uint64_t old, uint64_t value, uint64_t compare)
{
    const uint64_t sign = atomic->sign;
    switch (atomic->op) {
    case VM_OP_atomic_store:
    case VM_OP_atomic_exchange:
        return value;
    case VM_OP_atomic_compare_exchange:
        return old == compare ? value : old;
    case VM_OP_atomic_iadd:
        return old + value;
    case VM_OP_atomic_isub:
        return old - value;
    case VM_OP_atomic_smin:
        return (old ^ sign) < (value ^ sign) ? old : value;
    case VM_OP_atomic_smax:
        return (old ^ sign) > (value ^ sign) ? old : value;
    case VM_OP_atomic_umin:
        return old < value ? old : value;
    case VM_OP_atomic_umax:
        return old > value ? old : value;
    case VM_OP_atomic_and:
        return old & value;
    case VM_OP_atomic_or:
        return old | value;
    case VM_OP_atomic_xor:
        return old ^ value;
    case VM_OP_atomic_fadd:
    case VM_OP_atomic_fmin:
    case VM_OP_atomic_fmax:
        return atomic->width == 4 ? apply_f32(atomic->op, (u32)old, (u32)value)
                                  : apply_f64(atomic->op, old, value);
    default: /* atomic_load */
        return old;
    }
}

/* Is what the op leaves in memory undefined, given what it found there, its operands and its
 * effect? */
static bool leaves_undefined(const struct atomic *atomic, bool old, bool value, bool compare,
                             bool swapped)
{
    switch (atomic->op) {
    case VM_OP_atomic_load:
        return old;
    case VM_OP_atomic_store:
    case VM_OP_atomic_exchange:
        return value;
    case VM_OP_atomic_compare_exchange:
        return swapped ? value && !compare : old;
    default:
        return old || value;
    }
}

/* Rows of the operands, NULL where the op has none, and the old values: collected beside the frame,
 * because dst may be the row of an operand. */
struct operands {
    const uint8_t *value, *compare;
    uint64_t value_undefined, compare_undefined;
    uint64_t old_undefined;
    bool changed; /* some lane left another value than it found; noted by atomic_lane */
    uint8_t old[VM_LANES * sizeof(uint64_t)];
};

static void atomic_lane(const struct atomic *atomic, struct operands *operands,
                        const struct access_span *span, uint32_t lane)
{
    const struct vm_object *object = span->object;
    const uint32_t width = atomic->width;
    const uint64_t place = access_place(span, lane);
    const uint64_t lane_bit = UINT64_C(1) << lane;
    const uint64_t value = operands->value ? lane_get(operands->value + lane * width, width) : 0;
    const uint64_t compare =
        operands->compare ? lane_get(operands->compare + lane * width, width) : 0;
    const uint64_t old = lane_get(object->bytes + place, width);
    const bool old_undefined = object->undefined && lane_undefined(span, lane, width, 0);
    if (atomic->op != VM_OP_atomic_load) {
        lane_put(object->bytes + place, width, apply(atomic, old, value, compare));
        operands->changed |= lane_get(object->bytes + place, width) != old;
        if (object->undefined) {
            const bool left =
                leaves_undefined(atomic, old_undefined, operands->value_undefined & lane_bit,
                                 operands->compare_undefined & lane_bit, old == compare);
            lane_define(span, lane, width, 0, left);
        }
    }
    lane_put(operands->old + lane * width, width, old);
    if (old_undefined)
        operands->old_undefined |= lane_bit;
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
    uint64_t rest = span->mask;
    uint32_t position = 0;
    if (span_uniform(span)) {
        uint8_t *place = span->object->bytes + span->place;
        uint64_t number = lane_get(place, width);
        while (rest)
            lane_act(op, width, operands, lanes_take(&rest, order, &position), &number);
        if (writes)
            lane_put(place, width, number);
        return;
    }
    while (rest) {
        const uint32_t lane = lanes_take(&rest, order, &position);
        uint8_t *place = span->object->bytes + access_place(span, lane);
        uint64_t number = lane_get(place, width);
        lane_act(op, width, operands, lane, &number);
        if (writes)
            lane_put(place, width, number);
    }
}

#define EACH_LANE(op)                                                                              \
    case op:                                                                                       \
        if (atomic->width == 4)                                                                    \
            each_lane(op, 4, operands, span, order);                                               \
        else                                                                                       \
            each_lane(op, 8, operands, span, order);                                               \
        return true

/* The frequent case: all of it is defined. False, with nothing done, in others. */
static bool atomic_lanes(const struct atomic *atomic, struct operands *operands,
                         const struct access_span *span, const uint8_t *order)
{
    if ((operands->value_undefined | operands->compare_undefined) & span->mask ||
        !span_defined(span, atomic->width))
        return false;
    switch (atomic->op) {
        EACH_LANE(VM_OP_atomic_load);
        EACH_LANE(VM_OP_atomic_store);
        EACH_LANE(VM_OP_atomic_exchange);
        EACH_LANE(VM_OP_atomic_compare_exchange);
        EACH_LANE(VM_OP_atomic_iadd);
        EACH_LANE(VM_OP_atomic_isub);
        EACH_LANE(VM_OP_atomic_smin);
        EACH_LANE(VM_OP_atomic_smax);
        EACH_LANE(VM_OP_atomic_umin);
        EACH_LANE(VM_OP_atomic_umax);
        EACH_LANE(VM_OP_atomic_and);
        EACH_LANE(VM_OP_atomic_or);
        EACH_LANE(VM_OP_atomic_xor);
        EACH_LANE(VM_OP_atomic_fadd);
        EACH_LANE(VM_OP_atomic_fmin);
        EACH_LANE(VM_OP_atomic_fmax);
    default:
        return false;
    }
}

static void access_begin(struct access *access, struct vm_vector *vector,
                         const struct vm_instruction *in, const struct operands *operands)
{
    const struct vm_atomic *order = &vector->run->code->atomics[in->aux];
    access->vector = vector;
    access->addresses = ROW(u64, in->a);
    access->address = 0;
    access->mask = vector->active;
    access->untold = vector->undefined[in->a] & vector->active;
    access->site = vm_site(vector, in);
    access->kind = access_kind((enum vm_op)in->op);
    access->size = in->width;
    access->alignment = in->width;
    access->is_volatile = order->is_volatile;
    access->is_floating = false;
    access->order = order->order;
    access->scope = order->scope;
    /* What a read-modify-write stores is not known before its effect. */
    access->value = in->op == VM_OP_atomic_store ? operands->value : NULL;
    access->value_stride = in->width;
    if (access->untold)
        vm_tell_undefined(vector, access->site, OBSERVER_UNDEFINED_ADDRESS, in->a, access->untold);
}

/* The lanes that found another value than they compared with. */
static uint64_t lanes_unequal(const struct operands *operands, uint32_t width, uint64_t mask)
{
    uint64_t unequal = 0;
    for (uint64_t left = mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        if (memcmp(operands->old + lane * width, operands->compare + lane * width, width) != 0)
            unequal |= left & -left;
    }
    return unequal;
}

void MACHINE(op_atomic)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const struct atomic atomic = {
        .op = (enum vm_op)in->op, .width = in->width, .sign = UINT64_C(1) << (in->width * 8 - 1)};
    const bool has_value = atomic.op != VM_OP_atomic_load;
    const bool has_compare = atomic.op == VM_OP_atomic_compare_exchange;
    struct operands operands = {.value = has_value ? vm_unit(vector, in->b) : NULL,
                                .compare = has_compare ? vm_unit(vector, in->c) : NULL,
                                .value_undefined = has_value ? vector->undefined[in->b] : 0,
                                .compare_undefined = has_compare ? vector->undefined[in->c] : 0};
    struct access_atomic told = {.lane_order = vector->run->lane_order,
                                 .is_compare_exchange = has_compare,
                                 .failure_order =
                                     vector->run->code->atomics[in->aux].unequal_order};
    const bool spins = vector->run->code->spin_count != 0;
    struct access access;
    struct access_span span;
    access_begin(&access, vector, in, &operands);
    vector_note_read(vector, in->a, in->width);
    access.atomic = &told;
    while (MACHINE(access_next)(&access, &span)) {
        const uint64_t output = operands.value_undefined & span.mask & ~access.untold;
        if (output && span.object->identity.region == OBSERVER_GLOBAL)
            vm_tell_undefined(vector, access.site, OBSERVER_UNDEFINED_OUTPUT, in->b, output);
        if (spins || !atomic_lanes(&atomic, &operands, &span, vector->run->lane_order)) {
            uint64_t rest = span.mask;
            uint32_t position = 0;
            while (rest)
                atomic_lane(&atomic, &operands, &span,
                            lanes_take(&rest, vector->run->lane_order, &position));
        }
        if (has_compare) {
            told.only_reading = lanes_unequal(&operands, in->width, span.mask);
            MACHINE(access_tell)(&access, &span);
        }
    }
    vector->run->progress_count += operands.changed;
    if (atomic.op != VM_OP_atomic_store) {
        memcpy(vm_unit(vector, in->dst), operands.old, (size_t)in->width * VM_LANES);
        vector->undefined[in->dst] = operands.old_undefined;
    }
}
