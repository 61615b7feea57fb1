/* Files that the device keeps from one process to the next, in the directory that CLERK_CACHE
 * names. Losing one costs time and nothing else: failures to read or write are not errors. */
#ifndef REFERENCE_COMPILER_CACHE_H
#define REFERENCE_COMPILER_CACHE_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache_key {
    uint64_t lo, hi;
};

/* The 128-bit digest (XXH3) of some bytes. */
struct cache_key cache_digest(const void *bytes, size_t size);

/* Reads the entry of a key, freed with alloc_free; NULL when there is none or it is damaged. */
uint8_t *cache_load(struct cache_key key, size_t *size);
void cache_store(struct cache_key key, const void *bytes, size_t size);

/* Numbers and byte strings one after the other: how entries and keys are written and read. */
void cache_put_number(struct text *text, uint64_t number);
void cache_put_bytes(struct text *text, const void *bytes, size_t size);
void cache_put_string(struct text *text, const char *string);

struct cache_reader {
    const uint8_t *at;
    size_t left;
    bool failed; /* it ended too early; what was read since is 0 and empty */
};
uint64_t cache_take_number(struct cache_reader *reader);
const void *cache_take_bytes(struct cache_reader *reader, size_t *size);

#endif
