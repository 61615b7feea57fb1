/* Files that clerk keeps from one process to the next, in the directory that the setting `cache`
 * names. Losing one costs time and nothing else: failures to read or write are not errors. */
#ifndef TRACE_API_CACHE_H
#define TRACE_API_CACHE_H

#include "trace/base/status.h"

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

/* May nobody but this user put files into the directory, which need not be there yet? What is
 * executed is taken from no other. */
enum status cache_check_private(const char *directory, struct error *error);

/* The directory, freed with alloc_free; NULL when there is to be no cache, or memory is out. For a
 * thread that may not look at the environment, for which another one asks, there are: */
char *cache_directory(void);
uint8_t *cache_load_from(const char *directory, struct cache_key key, size_t *size);
void cache_store_in(const char *directory, struct cache_key key, const void *bytes, size_t size);

#endif
