/* All of clerk's allocation. It can be asked what is live, and told to fail the n-th request, which
 * is how the tests reach every failure path. Thread-safe. A NULL return is the only failure. */
#ifndef TRACE_BASE_ALLOC_H
#define TRACE_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A size of 0 is served as 1, so that NULL always means failure. */
void *alloc(size_t size) __attribute__((malloc, alloc_size(1)));
void *alloc_zero(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));
/* The same, of memory that one can do without: alloc_has_failed does not tell that it was refused.
 */
void *alloc_spare(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));
/* `alignment` is a power of two and at least sizeof(void *). Freed by alloc_free. */
void *alloc_aligned(size_t alignment, size_t size) __attribute__((malloc, alloc_size(2)));
/* As realloc: on failure the old block stays. */
void *alloc_resize(void *block, size_t size) __attribute__((alloc_size(2)));
char *alloc_string(const char *string);
char *alloc_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
void alloc_free(void *block);

/* Makes room for one more item after `count` in a growing array: returns the (moved) array, whose
 * capacity is then at least count + 1, or NULL, the old one untouched. Start with NULL and 0. */
void *alloc_grow(void *items, size_t count, size_t *capacity, size_t item_size);

/* Was there a request, ever, that was not served? Then whatever was not told before may be missing.
 */
bool alloc_has_failed(void);

/* For tests: fail the n-th request from now (1 = the next), 0 = never again. */
void alloc_fail_at(uint64_t n);
/* Requests served or failed, and blocks made less those freed, since the first call of one of these
 * three. */
uint64_t alloc_request_count(void);
uint64_t alloc_live_count(void);

#endif
