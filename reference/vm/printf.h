/* printf of OpenCL C 3.0, 6.15.14: text from a format and arguments as kernels have them, scalars
 * and vectors. It depends on its input alone: neither on the locale nor on addresses of the host.
 *
 * What the specification leaves undefined is shown rather than guessed: a conversion that is none,
 * or that has no argument left, is printed as it stands. */
#ifndef REFERENCE_VM_PRINTF_H
#define REFERENCE_VM_PRINTF_H

#include "trace/base/text.h"

#include <stddef.h>
#include <stdint.h>

/* An argument of one work-item: `count` components of `width` bytes (1, 2, 4, 8), each in the low
 * bits of its word. */
struct printf_argument {
    const uint64_t *components;
    uint8_t width, count;
};

/* The bytes at a pointer of the kernel, up to the end of their object; NULL when there are none. */
typedef const char *printf_string(const void *user, uint64_t pointer, size_t *size);

struct printf_request {
    const char *format;
    const struct printf_argument *arguments;
    size_t argument_count;
    printf_string *string; /* for %s */
    const void *user;
};

/* Appends. On the calling thread the locale is "C" meanwhile. */
void printf_format(const struct printf_request *request, struct text *text);

#endif
