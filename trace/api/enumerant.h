/* Names of enumerants, flags and errors, and what a query's answer is made of, from
 * trace/api/enumerants.def. Everything returned lives for ever. */
#ifndef TRACE_API_ENUMERANT_H
#define TRACE_API_ENUMERANT_H

#include "trace/api/entry.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* What the value of a query or property is; enumerants.def says it in words. */
enum api_answer {
    API_ANSWER_NONE,
    API_ANSWER_STRING,
    API_ANSWER_NUMBERS32,
    API_ANSWER_NUMBERS64,
    API_ANSWER_WORDS32,
    API_ANSWER_BITS64,
    API_ANSWER_HANDLES,
    API_ANSWER_ADDRESSES,
    API_ANSWER_STRUCT,
    API_ANSWER_BYTES,
};

struct api_enumerant {
    const char *name; /* "CL_DEVICE_NAME" */
    uint64_t value;   /* sign-extended */
    enum api_answer answer;
    uint32_t of; /* WORDS32, BITS64, STRUCT: enum api_family; HANDLES: enum api_object_kind */
};

/* Is it of the core: its name does not end with KHR, EXT or a vendor's abbreviation? */
bool api_enumerant_is_core(const struct api_enumerant *enumerant);
/* NULL when the family has no such value. */
const struct api_enumerant *api_enumerant_find(enum api_family family, uint64_t value);
/* The one with this value in whatever family; NULL for small numbers, which several families have,
 * and for bits. */
const struct api_enumerant *api_enumerant_of_value(uint64_t value);
/* NULL when the value of the family is not deprecated, or has a name that is not. */
const struct api_deprecation *api_enumerant_deprecation(enum api_family family, uint64_t value);
/* "CL_INVALID_VALUE"; NULL for a number that is not an error code of OpenCL's. */
const char *api_error_name(int32_t error);
/* A value of the family as OpenCL C programmers write it: "CL_MEM_READ_ONLY |
 * CL_MEM_COPY_HOST_PTR", or a number, hexadecimal where it is not one of the family's. Negative
 * errors are printed in decimal. */
void api_enumerant_print(enum api_family family, uint64_t value, struct text *text);

#endif
