/* Numbers and byte strings one after the other, in the byte order of the host: how clerk writes
 * what it reads again itself, in its cache and to its own child processes. */
#ifndef TRACE_BASE_PACK_H
#define TRACE_BASE_PACK_H

#include "trace/base/arena.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void pack_number(struct text *text, uint64_t number);
void pack_bytes(struct text *text, const void *bytes, size_t size);
void pack_string(struct text *text, const char *string);

struct unpacker {
    const uint8_t *at;
    size_t left;
    bool failed; /* it ended too early; what was read since is 0 and empty */
};
uint64_t unpack_number(struct unpacker *from);
/* Points into what is unpacked. */
const void *unpack_bytes(struct unpacker *from, size_t *size);
/* A copy with a NUL at its end. When memory is out it is empty, and `failed` is set. */
const char *unpack_string(struct unpacker *from, struct arena *arena);
/* The count of a list whose elements took at least a number each, and zeroed room for it; 0 when
 * `failed`. */
void *unpack_list(struct unpacker *from, struct arena *arena, size_t element_size, size_t *count);

#endif
