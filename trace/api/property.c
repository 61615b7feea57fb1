#include "trace/api/property.h"

#include <string.h>

bool api_property_is_list(enum api_family family, uint64_t name)
{
    switch (family) {
    case API_FAMILY_PARTITION_PROPERTIES: /* CL_DEVICE_PARTITION_BY_COUNTS_LIST_END is 0 */
        return name == CL_DEVICE_PARTITION_BY_COUNTS;
    case API_FAMILY_MEM_PROPERTIES: /* CL_MEM_DEVICE_HANDLE_LIST_END_KHR is 0 */
        return name == CL_MEM_DEVICE_HANDLE_LIST_KHR;
    case API_FAMILY_SEMAPHORE_PROPERTIES: /* and so are the two ends of these */
        return name == CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR ||
               name == CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
    default:
        return false;
    }
}

static uint64_t word_at(const void *words, uint32_t index)
{
    uint64_t word;
    memcpy(&word, (const char *)words + index * sizeof word, sizeof word);
    return word;
}

bool api_property_next(const struct api_value *list, enum api_family family, uint32_t *at,
                       struct api_property *property)
{
    if (list->kind != API_VALUE_PROPERTIES || !list->data || *at + 1 >= list->count)
        return false;
    const uint64_t name = word_at(list->data, *at);
    uint32_t end = *at + 2;
    if (api_property_is_list(family, name))
        for (end = *at + 1; end < list->count && word_at(list->data, end) != 0;)
            ++end;
    *property =
        (struct api_property){.name = name,
                              .values = (const char *)list->data + (*at + 1) * sizeof(uint64_t),
                              .count = end - *at - 1};
    *at = api_property_is_list(family, name) ? end + 1 : end;
    return true;
}

uint64_t api_property_word(const struct api_property *property, uint32_t index)
{
    return word_at(property->values, index);
}

bool api_property_find(const struct api_value *list, enum api_family family, uint64_t name,
                       struct api_property *property)
{
    struct api_property each;
    for (uint32_t at = 0; api_property_next(list, family, &at, &each);)
        if (each.name == name) {
            *property = each;
            return true;
        }
    return false;
}
