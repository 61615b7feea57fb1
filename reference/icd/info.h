/* Answers of clGet*Info: one value, checked against the application's buffer. */
#ifndef REFERENCE_ICD_INFO_H
#define REFERENCE_ICD_INFO_H

#include <CL/cl.h>

#include <stddef.h>

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

/* A value of a C type: INFO_VALUE(&target, cl_uint, 3). */
#define INFO_VALUE(target, type, ...) info_bytes((target), &(const type){__VA_ARGS__}, sizeof(type))

#endif
