/* What the files of the selection share: lower_select.c takes each instruction to one of these. */
#ifndef REFERENCE_LOWER_PASSES_LOWER_SELECT_H
#define REFERENCE_LOWER_PASSES_LOWER_SELECT_H

#include "reference/lower/passes/lower_slots.h"

/* Has the op a uniform twin, and may it be used? Its operands are then read in uniform form. */
bool select_takes_uniform(const struct lower *lower, const struct ir_instruction *instruction);

/* ---- lower_select_memory.c ---- */

/* Before the block of the store is selected: values that are stored together are made in
 * consecutive rows from the start, if nothing speaks against. */
void select_plan_store(struct selection *selection, const struct ir_instruction *store);
void select_load(struct selection *selection, const struct ir_instruction *instruction);
void select_store(struct selection *selection, const struct ir_instruction *instruction);
void select_pipe(struct selection *selection, const struct ir_instruction *instruction);
void select_copy(struct selection *selection, const struct ir_instruction *instruction);
void select_atomic(struct selection *selection, const struct ir_instruction *instruction);
void select_life(struct selection *selection, const struct ir_instruction *instruction);
void select_subscript(struct selection *selection, const struct ir_instruction *instruction);
void select_region(struct selection *selection, const struct ir_instruction *instruction);
void select_image(struct selection *selection, const struct ir_instruction *instruction);
void select_image_query(struct selection *selection, const struct ir_instruction *instruction);

#endif
