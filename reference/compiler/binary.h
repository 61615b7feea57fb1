/* The device's program binaries: a header, SPIR-V, and the source text that it came from, so that
 * reports on a program from a binary, such as those that pyopencl keeps, still show its lines. */
#ifndef REFERENCE_COMPILER_BINARY_H
#define REFERENCE_COMPILER_BINARY_H

#include "reference/compiler/sources.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binary {
    const uint8_t *spirv;
    size_t spirv_size;
    uint32_t type;           /* cl_program_binary_type */
    struct sources *sources; /* NULL = unknown */
};

/* Appends; the text's `failed` says whether memory was out. */
void binary_write(const struct binary *binary, struct text *text);

/* `spirv` points into the bytes, the sources are the caller's to drop. False, and nothing written,
 * when the bytes are not binary of ours or damaged, or when memory is out. */
bool binary_read(const void *bytes, size_t size, struct binary *binary);

#endif
