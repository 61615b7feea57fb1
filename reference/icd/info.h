/* Answers of clGet*Info: one value, checked against the application's buffer. */
#ifndef REFERENCE_ICD_INFO_H
#define REFERENCE_ICD_INFO_H

#include <CL/cl.h>

#include <stddef.h>
#include <stdint.h>

/* Where an answer goes: the last three parameters of every query. */
struct info_target {
    size_t size;
    void *value;
    size_t *size_ret;
};

/* CL_INVALID_VALUE when a value is asked for and the buffer is too small. */
cl_int info_bytes(const struct info_target *target, const void *bytes, size_t size);
/* With its NUL; NULL is "". */
cl_int info_string(const struct info_target *target, const char *string);

/* Something that can be asked, and the answer. */
struct info_row {
    cl_uint name;
    const void *value;
    size_t size;
};
/* Rows of a table: a value of a C type, INFO(CL_MEM_SIZE, size_t, 3); a string, as info_string has
 * it; a struct property_list. */
#define INFO(name, type, ...)                                                                      \
    {                                                                                              \
        (name), &(const type){__VA_ARGS__}, sizeof(type)                                           \
    }
#define INFO_STRING(name, string)                                                                  \
    {                                                                                              \
        (name), (string), INFO_STRING_SIZE                                                         \
    }
#define INFO_PROPERTIES(name, list)                                                                \
    {                                                                                              \
        (name), (list).values, (list).count * sizeof(*(list).values)                               \
    }
#define INFO_STRING_SIZE SIZE_MAX

/* The answer of the row that has the name; CL_INVALID_VALUE where none has. */
cl_int info_answer(const struct info_target *target, cl_uint name, const struct info_row *rows,
                   size_t count);

/* A value of a C type: INFO_VALUE(&target, cl_uint, 3). */
#define INFO_VALUE(target, type, ...) info_bytes((target), &(const type){__VA_ARGS__}, sizeof(type))

#endif
