/* The numbers of expressions, by their bits: conversions and operators as C and OpenCL C have them.
 */
#ifndef TRACE_DEBUG_NUMBER_H
#define TRACE_DEBUG_NUMBER_H

#include "trace/debug/expression.h"

/* A number, or one component of a vector. */
struct debug_number {
    uint8_t width; /* bytes */
    bool is_floating, is_signed, is_boolean, is_pointer, is_character;
};

double debug_to_double(const struct debug_number *number, uint64_t bits);
uint64_t debug_convert(const struct debug_number *to, const struct debug_number *from,
                       uint64_t bits);
/* Extended to 64 bits, with the sign where there is one. */
uint64_t debug_extend(const struct debug_number *number, uint64_t bits);
uint64_t debug_from_double(const struct debug_number *to, double value);
/* What both operands of a binary operation become, by the usual arithmetic conversions. */
struct debug_number debug_common_number(const struct debug_number *a, const struct debug_number *b);

/* A binary operation of two numbers of one type; false: there is no such operation of these.
 * *open: it divides by 0. */
bool debug_operate(enum expression_operator op, const struct debug_number *number, uint64_t a,
                   uint64_t b, uint64_t *result, bool *open);

/* Which components of a vector of `count` a name means, "x", "lo", "s01"; 0 = none. */
uint32_t debug_read_swizzle(const char *name, uint32_t count, uint8_t components[16]);
/* Which one it means; UINT32_MAX = none, or several. */
uint32_t debug_find_component(const char *name, uint32_t count);

#endif
