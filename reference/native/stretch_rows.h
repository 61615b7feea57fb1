/* Inside stretches: the rows that instructions read and write, in the frame or computed by then. */
#ifndef REFERENCE_NATIVE_STRETCH_ROWS_H
#define REFERENCE_NATIVE_STRETCH_ROWS_H

#include "reference/native/stretch.h"

/* An operand: of a mask `width` is 0. */
struct operand {
    vm_row row;
    uint32_t width;
    bool uniform, affine;
};

static inline struct operand varying_row(vm_row row, uint32_t width)
{
    return (struct operand){.row = row, .width = width};
}

static inline struct operand mask_row(vm_row row)
{
    return varying_row(row, 0);
}

static inline struct operand uniform_row(vm_row row, uint32_t width)
{
    return (struct operand){.row = row, .width = width, .uniform = true};
}

static inline struct operand affine_row(vm_row row, uint32_t width)
{
    return (struct operand){.row = row, .width = width, .affine = true};
}

static inline uint32_t operand_row_units(const struct operand *operand)
{
    return operand->uniform || operand->width == 0 ? 1 : operand->width;
}

/* The type of an element as an unsigned number. */
static inline const char *stretch_type(uint32_t width)
{
    static const char *const types[] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64"};
    return types[width];
}

/* What is known of the unit, or was computed for the row that begins there; NULL = nothing. */
struct stretch_unit *stretch_unit_at(struct stretches *stretches, vm_row row);
struct stretch_value *stretch_value_at(struct stretches *stretches, vm_row row);

/* Is it in the frame as a whole, or computed here as a whole, in the form that is asked for? */
bool stretch_can_read(struct stretches *stretches, const struct operand *operand);
/* Is what is there now, and was read from the frame, the same row? */
bool stretch_can_write(struct stretches *stretches, const struct operand *operand);

/* How an operand is written. */
struct name {
    char text[64];
};

/* The stretch is left to the interpreter where the row has undefined lanes; if `partly`, where not
 * all lanes are active. */
void stretch_check_defined(struct stretches *stretches, vm_row row, bool partly);
/* A uniform operand, or a whole mask. */
struct name stretch_read_uniform(struct stretches *stretches, const struct operand *operand);
/* The number of the terms of an affine operand. */
uint32_t stretch_read_terms(struct stretches *stretches, const struct operand *operand);
/* An operand in one lane: the unsigned number that its bits are, or a truth value. */
struct name stretch_read_lane(struct stretches *stretches, const struct operand *operand);

/* The number of what is about to be computed for the row. */
uint32_t stretch_give(struct stretches *stretches, const struct operand *dst,
                      enum stretch_kind kind);
/* Begins a declaration, "u32 v_7 = " or the like, of what is computed once or for each lane. */
void stretch_begin_result(struct stretches *stretches, const struct operand *dst, bool once);

#endif
