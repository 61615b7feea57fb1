/* Types and values of expressions. */
#ifndef REFERENCE_DEBUG_VALUE_H
#define REFERENCE_DEBUG_VALUE_H

#include "reference/debug/peek.h"
#include "trace/debug/number.h"

/* What kernels hold by a number that says nothing to them. */
enum debug_opaque { DEBUG_NOT_OPAQUE, DEBUG_IMAGE, DEBUG_SAMPLER, DEBUG_PIPE };

enum { DEBUG_COMPONENTS_MAX = 16, DEBUG_SLICE_MAX = 200 };

struct debug_value {
    const struct debug_type *type;    /* NULL = a number or vector of the evaluator's own */
    const struct debug_type *pointee; /* of a pointer without a type: to what; NULL = not known */
    struct debug_number number;
    uint32_t count; /* components; 0 = it has parts, and lies at its spot */
    uint64_t bits[DEBUG_COMPONENTS_MAX], undefined[DEBUG_COMPONENTS_MAX];
    bool has_spot;
    struct debug_spot spot;
    uint32_t bit_offset, bit_size; /* of a bit-field, from the spot; size 0 = it is none */
    uint64_t slice;                /* elements of `type` from the spot on; 0 = it is no slice */
    uint64_t slice_first;
    uint64_t slice_gap;             /* bytes from one element to the next */
    enum debug_opaque opaque;       /* bits[0] is what kernels hold of it */
    const struct vm_object *object; /* of an image or pipe that is known */
    struct debug_texel texel;       /* the color was read from the bytes at the spot */
    const char *word;               /* what is printed of the number; NULL = that itself */
    const char *unknown;            /* why there is no value; NULL = there is */
};

/* What numbers of the type are; *count their number, 0 = it has parts. False: it has no value that
 * could be shown. */
bool debug_number_of(const struct debug_type *type, struct debug_number *number, uint32_t *count);
/* What lies there. */
void debug_load(const struct debug_lane *lane, const struct debug_type *type,
                struct debug_spot spot, struct debug_value *value);
/* A bit-field, `bit_offset` bits from the spot on. */
void debug_load_field(const struct debug_lane *lane, const struct debug_type *type,
                      struct debug_spot spot, uint64_t bit_offset, uint64_t bit_size,
                      struct debug_value *value);

/* Do its elements lie apart, as members of each element of an array? */
bool debug_value_has_gaps(const struct debug_value *value);
/* The bytes at its spot that it is; of what has gaps they are no answer. */
uint64_t debug_value_size(const struct debug_value *value);

/* What the parts of a value are; 0 = it has none. */
uint64_t debug_part_count(const struct debug_value *value);
/* Part `index`, and what it is called, good until the process goes on. */
void debug_part(const struct debug_lane *lane, const struct debug_value *value, uint64_t index,
                struct debug_value *part, const char **name);

void debug_append_type(const struct debug_type *type, struct text *text);
void debug_append_type_of(const struct debug_value *value, struct text *text);
/* `format`: 0, or 'x', 'd', 'u', 't', 'f', 'c'. */
void debug_print_value(const struct debug_lane *lane, const struct debug_value *value, char format,
                       struct text *text);
/* "defined", "undefined", "partly" or "unknown". */
const char *debug_value_state(const struct debug_lane *lane, const struct debug_value *value);

#endif
