/* Which bits of a row's lanes are undefined, and where those came from. vm_vector.undefined has a
 * bit for each lane that holds an undefined bit at all; where it has none, which is nearly always,
 * nothing here is looked at. Rows that have undefined lanes for the first time get their
 * vm_undefined_row then; where memory for one is out, the lanes count as undefined wholly, of
 * unknown birth.
 *
 * Bits follow memcheck's rules (Nethercote and Seward, "How to shadow every byte of memory used by
 * a program"): moving, shifting, masking and adding are exact, and so are comparisons that the
 * defined bits decide; what else has an undefined bit in an operand is undefined wholly. */
#ifndef REFERENCE_VM_UNDEFINED_ROWS_H
#define REFERENCE_VM_UNDEFINED_ROWS_H

#include "reference/vm/machine.h"
#include "reference/vm/native_call.h"

/* The number of a lane's element: 1 bits are undefined. A mask has one bit. Never 0 for a lane that
 * vm_vector.undefined has. */
uint64_t vm_undefined_bits(const struct vm_vector *vector, vm_row row, uint32_t lane,
                           uint32_t width);
/* The lanes of the mask whose undefined bits say that the value was never written, or computed from
 * such a one: all bits are, or single ones. (Whole bytes may be what a program never meant to
 * write, like the fourth of a colour.) */
uint64_t vm_undefined_lanes(const struct vm_vector *vector, vm_row row, uint32_t width,
                            uint64_t mask);
/* Where they were born; site UINT32_MAX = unknown. */
struct vm_origin vm_undefined_birth(const struct vm_vector *vector, vm_row row, uint32_t lane);
/* What is said of many lanes at once: lanes all of which have the same undefined bits, where they
 * have any, which *bits gets; and lanes that were born as *births has it until the row is put anew.
 * Other lanes may be like them. */
uint64_t vm_undefined_alike(const struct vm_vector *vector, vm_row row, uint32_t width,
                            uint64_t *bits);
uint64_t vm_undefined_births(const struct vm_vector *vector, vm_row row,
                             const struct vm_origins **births);

/* A lane of a varying row gets undefined bits, not 0; or the row if it is `uniform`. The row's mask
 * in vm_vector.undefined is the caller's business. */
void vm_undefined_put(struct vm_vector *vector, vm_row row, bool uniform, uint32_t lane,
                      uint64_t bits, struct vm_origin birth);
/* vm_undefined_birth of each lane of the mask, by lane. */
void vm_undefined_births_each(const struct vm_vector *vector, vm_row row, uint64_t mask,
                              struct vm_origin births[VM_LANES]);
/* Lanes of a varying row get the same undefined bits, not 0, or births by a pattern. What is known
 * of the lanes of `keep` stays; of others it may be lost. */
void vm_undefined_put_bits(struct vm_vector *vector, vm_row row, uint64_t keep, uint64_t mask,
                           uint64_t bits);
void vm_undefined_put_births(struct vm_vector *vector, vm_row row, uint64_t keep, uint64_t mask,
                             const struct vm_origins *births);
/* Both. */
void vm_undefined_put_alike(struct vm_vector *vector, vm_row row, uint64_t keep, uint64_t mask,
                            uint64_t bits, const struct vm_origins *births);
/* Lanes of a varying row get bits and births, of arrays by lane, either of which may be NULL. */
void vm_undefined_put_each(struct vm_vector *vector, vm_row row, uint64_t mask,
                           const uint64_t *bits, const struct vm_origin *births);
/* Lanes of a varying row become undefined wholly, and others defined; born where those of `from`
 * were, or at `in` if it is 0. `width` is the row's. */
void vm_undefined_whole(struct vm_vector *vector, vm_row row, uint32_t width, uint64_t mask,
                        vm_row from, const struct vm_instruction *in);

/* Lanes become undefined wholly, here: of a varying row of elements of `width` bytes or a mask (0),
 * or of a `uniform` row. Their bits in vm_vector.undefined are the caller's business. */
void vm_undefined_begin(struct vm_vector *vector, vm_row row, bool uniform, uint64_t mask,
                        uint32_t width, const struct vm_instruction *in);

/* Sets the undefined lanes that `extract` gives, or one component of `insert`; their operands are
 * still what they were. */
void vm_undefined_extract(struct vm_vector *vector, const struct vm_instruction *in);
void vm_undefined_insert(struct vm_vector *vector, const struct vm_instruction *in,
                         uint32_t component);

/* ---- undefined_ops.c ---- */

/* Performs an op on rows, `function`, with undefined lanes in its operands, and sets those of what
 * it gives. Not SPECIAL ops, but for moves, selections, masks and index_64. */
void vm_undefined_op(struct vm_vector *vector, const struct vm_instruction *in,
                     void (*function)(struct vm_vector *vector, const struct vm_instruction *in));
/* The lanes of the mask, not 0, are undefined too: what the op gives is left open there. */
void vm_undefined_open(struct vm_vector *vector, const struct vm_instruction *in, uint64_t mask);
/* What a binary op of integers makes of undefined bits in its operands. */
struct vm_partial {
    uint64_t value, undefined;
};
uint64_t vm_undefined_binary(enum vm_op op, struct vm_partial a, struct vm_partial b);
/* ---- undefined_steps.c: vm_native_call.is_whole, follow and put_undefined ---- */
bool vm_undefined_is_whole(const struct vm_vector *vector, vm_row row, uint32_t width,
                           struct vm_origins *births);
bool vm_undefined_follow(const struct vm_vector *vector, const struct vm_native_steps *steps,
                         const uint64_t *known, struct vm_native_undefined *undefined);
void vm_undefined_put_steps(struct vm_vector *vector, const struct vm_native_steps *steps,
                            const struct vm_native_undefined *undefined);

/* ---- undefined.c ---- */
/* Is it a result that the specification leaves open? Then it is like any other number where it does
 * not matter which, and in memory that outlives the launch. */
bool vm_birth_open(const struct vm_vector *vector, struct vm_origin birth);
/* The lanes of the mask whose undefined bits are not of that kind. */
uint64_t vm_undefined_unwritten(const struct vm_vector *vector, vm_row row, uint64_t mask);
/* Tells that lanes of `mask`, not 0, use an undefined value, and where that of the first was born.
 */
void vm_tell_undefined(const struct vm_vector *vector, uint32_t site,
                       enum observer_undefined_use use, struct vm_origin birth, uint64_t mask);
/* Values of lanes leave the kernel: the components of the mask, in rows one after the other. Each
 * lane is told once of a value that was never written, and once of a result that is left open. */
void vm_tell_undefined_output(const struct vm_vector *vector, uint32_t site, vm_row first,
                              uint32_t width, uint32_t components, uint64_t mask);
/* The value of a row. */
void vm_tell_undefined_row(const struct vm_vector *vector, uint32_t site,
                           enum observer_undefined_use use, vm_row row, uint64_t mask);
/* Tells it where an operand of the instruction is undefined in lanes of the mask. Returns the lanes
 * in which it says nothing, being no result that is left open: what else is wrong there is not
 * told. */
static inline uint64_t vm_tell_if_undefined(const struct vm_vector *vector,
                                            const struct vm_instruction *in,
                                            enum observer_undefined_use use, vm_row row,
                                            uint64_t mask)
{
    const uint64_t undefined = vector->undefined[row] & mask;
    if (__builtin_expect(undefined == 0, 1))
        return 0;
    vm_tell_undefined_row(vector, vm_site(vector, in), use, row, undefined);
    return vm_undefined_unwritten(vector, row, undefined);
}

#endif
