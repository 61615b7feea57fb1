/* Lists of properties. */
#include "reference/icd/properties.h"

#include "trace/base/alloc.h"

#include <string.h>

_Static_assert(sizeof(cl_context_properties) == 8 && sizeof(cl_queue_properties) == 8 &&
                   sizeof(cl_mem_properties) == 8,
               "properties are 64 bits wide on the hosts that clerk runs on");

cl_int property_list_copy(const void *properties, cl_int invalid, struct property_list *list)
{
    const uint64_t *given = properties;
    struct property_list copy = {0};
    if (!given) {
        *list = copy;
        return CL_SUCCESS;
    }
    size_t count = 0;
    for (; given[count] != 0; count += 2) {
        for (size_t before = 0; before < count; before += 2) {
            if (given[before] == given[count])
                return invalid;
        }
    }
    copy.count = count + 1;
    copy.values = alloc_zero(copy.count, sizeof(*copy.values));
    if (!copy.values)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(copy.values, given, copy.count * sizeof(*given));
    *list = copy;
    return CL_SUCCESS;
}

void property_list_release(struct property_list *list)
{
    alloc_free(list->values);
    *list = (struct property_list){0};
}

bool properties_read(const void *list, const struct property *properties, size_t count)
{
    for (const uint64_t *given = list; given && *given != 0; given += 2) {
        size_t i = 0;
        while (i < count && properties[i].name != *given)
            i++;
        if (i == count)
            return false;
        *properties[i].value = given[1];
        if (properties[i].given)
            *properties[i].given = true;
    }
    return true;
}
