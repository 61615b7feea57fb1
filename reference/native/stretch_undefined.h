/* Inside stretches: the steps by which is found what becomes of undefined bits in them (struct
 * vm_native_step). What a value has no step for is defined. */
#ifndef REFERENCE_NATIVE_STRETCH_UNDEFINED_H
#define REFERENCE_NATIVE_STRETCH_UNDEFINED_H

#include "reference/native/stretch_rows.h"

void stretch_steps_begin(struct stretches *stretches);
/* A varying operand is read from the frame, where it may be undefined. */
void stretch_read_step(struct stretches *stretches, const struct operand *operand);
/* 1 + number of the step of an operand that was read; 0 = none. */
uint32_t stretch_step_of(struct stretches *stretches, const struct operand *operand);
/* The same of what the instruction computes of operands that were read, before it is given. */
uint32_t stretch_step(struct stretches *stretches, const struct vm_instruction *in,
                      const struct operand *operands, uint32_t count, bool opens);

/* The same of what an affine load of one component at `site` gives, whose address has the terms,
 * and which was just looked up. */
uint32_t stretch_load_step(struct stretches *stretches, uint32_t memo, uint32_t terms,
                           uint32_t site);
/* Of a stretch that loads, in which it is only followed whether values are undefined wholly: what
 * is appended before and after the rest, when all is known. */
void stretch_whole_begin(struct stretches *stretches);
void stretch_whole_end(struct stretches *stretches, const bool wanted[STRETCH_MAX]);

/* Which values are `wanted` after the stretch is known now. Appends what follows the steps, or,
 * where there are too many, has the stretch left to the interpreter. Gives whether they are
 * followed. */
bool stretch_steps_end(struct stretches *stretches, const bool wanted[STRETCH_MAX]);

#endif
