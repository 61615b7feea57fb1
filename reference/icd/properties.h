/* Lists of properties as applications give them: pairs of 64 bits, ended by a 0. */
#ifndef REFERENCE_ICD_PROPERTIES_H
#define REFERENCE_ICD_PROPERTIES_H

#include "reference/icd/types.h"

/* Copies a list with its 0, NULL being no list. CL_OUT_OF_HOST_MEMORY, or `invalid` when a name
 * stands twice, as every list of the API forbids. */
cl_int property_list_copy(const void *properties, cl_int invalid, struct property_list *list);
void property_list_release(struct property_list *list);

/* A property that a call may have, and where its value goes. */
struct property {
    uint64_t name;
    uint64_t *value;
    bool *given; /* becomes true; or NULL */
};
/* Reads a list, NULL being an empty one. False at a name that is none of these; the value after it
 * is not looked at: there need not be one. */
bool properties_read(const void *list, const struct property *properties, size_t count);

#endif
