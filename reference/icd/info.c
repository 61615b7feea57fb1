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

cl_int info_answer(const struct info_target *target, cl_uint name, const struct info_row *rows,
                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].name == name)
            return rows[i].size == INFO_STRING_SIZE
                       ? info_string(target, rows[i].value)
                       : info_bytes(target, rows[i].value, rows[i].size);
    }
    return CL_INVALID_VALUE;
}
