/* Inside the lane machine: what its files share, each of which is compiled once for each
 * instruction set, with VM_MACHINE naming the set. Names that leave a file therefore carry it:
 * MACHINE(name). */
#ifndef REFERENCE_VM_MACHINE_H
#define REFERENCE_VM_MACHINE_H

#include "reference/vm/exec.h"
#include "reference/vm/lane.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define MACHINE_JOIN_(name, set) name##_##set
#define MACHINE_JOIN(name, set)  MACHINE_JOIN_(name, set)
#define MACHINE(name)            MACHINE_JOIN(name, VM_MACHINE)

/* The element loops carry nothing from one lane to the next. */
#if defined(__clang__)
#define LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define FOR_LANES(lane) LANES_INDEPENDENT for (uint32_t lane = 0; lane < VM_LANES; lane++)

/* The row that starts at a unit, as elements of one type. */
static inline void *vm_unit(const struct vm_vector *vector, vm_row row)
{
    return __builtin_assume_aligned(vector->units + (size_t)row * VM_UNIT_SIZE, VM_UNIT_SIZE);
}
#define ROW(type, row) ((row_##type *)vm_unit(vector, row))

typedef void vm_op_function(struct vm_vector *vector, const struct vm_instruction *in);

/* The active lanes begin to go round a loop that may wait, or another time. */
static inline void vm_begin_round(struct vm_vector *vector)
{
    vector->read_once &= ~vector->active;
    vector->read_twice &= ~vector->active;
    vector->changed &= ~vector->active;
}

static inline uint32_t vm_site(const struct vm_vector *vector, const struct vm_instruction *in)
{
    return (uint32_t)(in - vector->run->code->instructions);
}

/* What a comparison gives for 64 elements of W bits, each 0 or all ones, as a mask. */
static inline uint64_t lanes_pack_8(const u8 truth[VM_LANES])
{
    uint64_t mask = 0;
#if defined(__AVX2__)
    for (uint32_t i = 0; i < VM_LANES; i += 32) {
        const __m256i part = _mm256_loadu_si256((const __m256i *)(const void *)(truth + i));
        mask |= (uint64_t)(uint32_t)_mm256_movemask_epi8(part) << i;
    }
#elif defined(__SSE2__)
    for (uint32_t i = 0; i < VM_LANES; i += 16) {
        const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(truth + i));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(part) << i;
    }
#else
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        mask |= (uint64_t)(truth[lane] & 1) << lane;
#endif
    return mask;
}

static inline uint64_t lanes_pack_16(const u16 truth[VM_LANES])
{
    u8 bytes[VM_LANES];
    FOR_LANES(lane)
        bytes[lane] = (u8)truth[lane];
    return lanes_pack_8(bytes);
}

static inline uint64_t lanes_pack_32(const u32 truth[VM_LANES])
{
    uint64_t mask = 0;
#if defined(__AVX2__)
    for (uint32_t i = 0; i < VM_LANES; i += 8)
        mask |= (uint64_t)(uint32_t)_mm256_movemask_ps(
                    _mm256_loadu_ps((const float *)(const void *)(truth + i)))
                << i;
#elif defined(__SSE2__)
    for (uint32_t i = 0; i < VM_LANES; i += 4)
        mask |= (uint64_t)(uint32_t)_mm_movemask_ps(
                    _mm_loadu_ps((const float *)(const void *)(truth + i)))
                << i;
#else
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        mask |= (uint64_t)(truth[lane] & 1) << lane;
#endif
    return mask;
}

static inline uint64_t lanes_pack_64(const u64 truth[VM_LANES])
{
    uint64_t mask = 0;
#if defined(__AVX2__)
    for (uint32_t i = 0; i < VM_LANES; i += 4)
        mask |= (uint64_t)(uint32_t)_mm256_movemask_pd(
                    _mm256_loadu_pd((const double *)(const void *)(truth + i)))
                << i;
#elif defined(__SSE2__)
    for (uint32_t i = 0; i < VM_LANES; i += 2)
        mask |= (uint64_t)(uint32_t)_mm_movemask_pd(
                    _mm_loadu_pd((const double *)(const void *)(truth + i)))
                << i;
#else
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        mask |= (truth[lane] & 1) << lane;
#endif
    return mask;
}

/* The bit of each lane, for loops that look at a mask. */
static const u64 lane_bits_64[VM_LANES] = {
#define LANE_BITS8(T, n)                                                                           \
    (T)((T)1 << (n)), (T)((T)1 << (n + 1)), (T)((T)1 << (n + 2)), (T)((T)1 << (n + 3)),            \
        (T)((T)1 << (n + 4)), (T)((T)1 << (n + 5)), (T)((T)1 << (n + 6)), (T)((T)1 << (n + 7))
    LANE_BITS8(u64, 0),  LANE_BITS8(u64, 8),  LANE_BITS8(u64, 16), LANE_BITS8(u64, 24),
    LANE_BITS8(u64, 32), LANE_BITS8(u64, 40), LANE_BITS8(u64, 48), LANE_BITS8(u64, 56)};

/* The lane of `mask` that comes first in `order` (NULL = ascending), taken out of *mask. */
static inline uint32_t lanes_take(uint64_t *mask, const uint8_t *order, uint64_t *position)
{
    if (!order) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(*mask);
        *mask &= *mask - 1;
        return lane;
    }
    while (!(*mask >> order[*position] & 1))
        ++*position;
    const uint32_t lane = order[*position];
    *mask &= ~(UINT64_C(1) << lane);
    return lane;
}

/* Declares `mask`: the lanes for which the condition holds, which compares numbers of W bits. */
#define LANES_WHERE(W, mask, lane, condition)                                                      \
    u##W mask##_truth[VM_LANES];                                                                   \
    FOR_LANES(lane)                                                                                \
        mask##_truth[lane] = (condition) ? (u##W) - 1 : 0;                                         \
    const uint64_t mask = lanes_pack_##W(mask##_truth)

/* For each lane of the mask, in an order as vm_run.lane_order. The mask is looked at once. */
#define FOR_LANES_IN_ORDER(lane, mask, order)                                                      \
    for (uint64_t lane##_rest = (mask), lane##_position = 0, lane = 0;                             \
         lane##_rest && (lane = lanes_take(&lane##_rest, order, &lane##_position), true);)

static inline uint64_t lanes_equal(const row_u64 *row, uint64_t value)
{
    LANES_WHERE(64, equal, lane, row[lane] == value);
    return equal;
}

/* What an observer is told next is of these lanes. */
static inline void vm_blame(const struct vm_run *run, uint64_t lanes)
{
    if (run->debugger)
        run->debugger->blamed = lanes;
}

/* Tells of a fault, if it is one of any lane and somebody listens. */
static inline void vm_tell_fault(const struct vm_vector *vector, const struct observer_fault *fault)
{
    const struct observer *observer = vector->run->observer;
    if (!observer || !observer->fault || !fault->mask)
        return;
    vm_blame(vector->run, fault->mask);
    observer->fault(observer->state, fault);
    vm_blame(vector->run, 0);
}

#ifdef VM_MACHINE
/* The function of a named op, or of an affine one, defined in the exec_*.c of its kind. */
#define VM_SPECIAL(name)                                                                           \
    void MACHINE(op_##name)(struct vm_vector * vector, const struct vm_instruction *in)
/* clang-format off */
#define OP1(...)
#define OP2(...)
#define OP3(...)
#define AFFINE1(how, name, ...) VM_SPECIAL(name##_a);
#define AFFINE2 AFFINE1
#define AFFINE_CMP2 AFFINE1
#define SPECIAL(name, ...) VM_SPECIAL(name);
#define SHARED(...)
#define CONTROL(...)
#define ATOMIC(...)
#define SWAPPED(...)
#include "reference/vm/ops.def"
/* clang-format on */
/* All atomics. */
void MACHINE(op_atomic)(struct vm_vector *vector, const struct vm_instruction *in);
void MACHINE(vm_vector_copy)(struct vm_vector *vector, const struct vm_copy *copy);

/* ---- exec_ops.c: what does the op of an instruction; NULL for terminators ---- */
extern vm_op_function *const MACHINE(vm_op_functions)[VM_OP_COUNT];
/* ---- exec_native.c: runs vm_run.native to a terminator that is left to the main loop; NULL: there
 * are no lanes, or the limit is passed. No bit of vector->ready is set before.
 */
const struct vm_instruction *MACHINE(vm_native_run)(struct vm_vector *vector,
                                                    uint64_t *operation_count,
                                                    uint64_t operation_limit);
/* ---- exec_memory.c: the values that the store at `in` stores, lane by lane ---- */
const uint8_t *MACHINE(store_values)(struct vm_vector *vector, const struct vm_instruction *in);
struct access;
struct access_span;
/* Stores the values of an access to a span that the gate has let through and told of. */
void MACHINE(store_span)(struct vm_vector *vector, const struct vm_instruction *in,
                         const struct access *access, const struct access_span *span);
/* What is undefined in the rows that the load at `in` gives, of all active lanes, which the
 * gate has let through: of a strided span, and of one that is not, of an object that lanes share.
 */
void MACHINE(load_undefined_span)(struct vm_vector *vector, const struct vm_instruction *in,
                                  const struct access_span *span);
void MACHINE(load_undefined_places)(struct vm_vector *vector, const struct vm_instruction *in,
                                    const struct access_span *span);
/* ---- exec_run.c ---- */
void MACHINE(vm_vector_run)(struct vm_vector *vector);
#endif

/* ---- lifetime.c, the same for all sets ---- */
void vm_life_begin(struct vm_vector *vector, const struct vm_instruction *in);
void vm_life_end(struct vm_vector *vector, const struct vm_instruction *in);
/* ---- assertion.c, the same for all sets ---- */
void vm_assertion(struct vm_vector *vector, const struct vm_instruction *in);
/* ---- printf.c, the same for all sets: the active lanes print, in order ---- */
void vm_printf(struct vm_vector *vector, const struct vm_instruction *in);

#endif
