/* Images, samplers and pipes in expressions: what they are, their texels, and the built-in
 * functions that ask for these. Colors are those that kernels would read: reference/vm/image.h
 * converts. */
#ifndef REFERENCE_DEBUG_OPAQUE_H
#define REFERENCE_DEBUG_OPAQUE_H

#include "reference/debug/value.h"

/* What the variable of that type is; its name in the debug information says it. */
enum debug_opaque debug_opaque_of(const struct debug_type *type, const struct debug_spot *spot);
/* What lies at the spot, which is such a one. */
void debug_load_opaque(const struct debug_lane *lane, enum debug_opaque opaque,
                       struct debug_spot spot, struct debug_value *value);
/* The color of the texel at the address; the value's type is NULL. */
void debug_load_texel(const struct debug_lane *lane, struct debug_texel texel, uint64_t address,
                      struct debug_value *value);

/* Its parts are what OpenCL C's functions ask for, by their names: "width", "channel_order". */
uint32_t debug_opaque_part_count(const struct debug_value *value);
void debug_opaque_part(const struct debug_value *value, uint32_t index, struct debug_value *part,
                       const char **name);
/* False: it has no such part. */
bool debug_opaque_find_part(const struct debug_value *value, const char *name,
                            struct debug_value *part);
/* "2D image 'from' (64 x 48 texels), CL_RGBA CL_UNORM_INT8" */
void debug_append_image(const struct debug_lane *lane, const struct debug_value *value,
                        struct text *text);
/* "pipe", where that is not known from the type's name; else "". */
const char *debug_opaque_type_prefix(const struct debug_value *value);

/* A call of a built-in function whose first operand is one; false with a sentence. */
bool debug_opaque_call(const struct debug_lane *lane, const char *name,
                       const struct debug_value *list, uint32_t count, struct debug_value *value,
                       struct error *error);

#endif
