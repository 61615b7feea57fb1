/* Answers of clGet*Info. */
#include "reference/icd/info.h"

#include <string.h>

cl_int info_bytes(const struct info_target *target, const void *bytes, size_t size)
{
    if (target->value) {
        if (target->size < size)
            return CL_INVALID_VALUE;
        if (size > 0)
            memcpy(target->value, bytes, size);
    }
    if (target->size_ret)
        *target->size_ret = size;
    return CL_SUCCESS;
}

cl_int info_string(const struct info_target *target, const char *string)
{
    const char *answer = string ? string : "";
    return info_bytes(target, answer, strlen(answer) + 1);
}
