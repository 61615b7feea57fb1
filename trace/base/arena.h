/* A region of allocations with one lifetime: many requests, one release. What it gives is aligned
 * for any type and lives until arena_release or arena_reset. One thread at a time per arena. */
#ifndef TRACE_BASE_ARENA_H
#define TRACE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/* Zero-initialise (`struct arena arena = {0};`) and release at the end. */
struct arena {
    struct arena_block *blocks;
};

/* NULL on failure or when count * size overflows. The memory is zero. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
void *arena_copy(struct arena *arena, const void *bytes, size_t size);
char *arena_string(struct arena *arena, const char *string);
/* Copies `length` bytes and ends them with a NUL. */
char *arena_string_n(struct arena *arena, const char *string, size_t length);
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Frees everything; the arena may be used again. */
void arena_release(struct arena *arena);
/* Empties it and keeps one block of the usual size: an arena that is reset after each small use
 * soon allocates nothing. */
void arena_reset(struct arena *arena);

#endif
