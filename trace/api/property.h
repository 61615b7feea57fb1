/* Lists of properties: names, each with a value, and a zero after the last. The value of a few
 * names is a list itself, up to a zero of its own. */
#ifndef TRACE_API_PROPERTY_H
#define TRACE_API_PROPERTY_H

#include "trace/api/call.h"
#include "trace/api/entry.h"

#include <stdbool.h>
#include <stdint.h>

struct api_property {
    uint64_t name;
    const void *values; /* words of 64 bits, perhaps not aligned; of a list without its zero */
    uint32_t count;     /* of them; 1 unless the value is a list */
};

/* Is the value of this name a list that a zero ends? */
bool api_property_is_list(enum api_family family, uint64_t name);
/* The property at word *at of a captured list (API_VALUE_PROPERTIES, or any other value, which has
 * none); *at moves after it. False: there is no further one. To be begun with *at 0. */
bool api_property_next(const struct api_value *list, enum api_family family, uint32_t *at,
                       struct api_property *property);
/* Word `index` of the value. */
uint64_t api_property_word(const struct api_property *property, uint32_t index);
/* The property of that name; false, *property untouched: it is not there. */
bool api_property_find(const struct api_value *list, enum api_family family, uint64_t name,
                       struct api_property *property);

#endif
