#include "trace/base/arena.h"

#include "trace/base/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Blocks form a list, the one being filled first. A request larger than a block gets its own,
 * after the first, so that the rest of the first is not wasted. */
struct arena_block {
    struct arena_block *next;
    size_t size, used;
    _Alignas(16) unsigned char bytes[];
};

enum { BLOCK_SIZE = 16384 - sizeof(struct arena_block) };

static struct arena_block *block_create(size_t size)
{
    if (size > SIZE_MAX - sizeof(struct arena_block))
        return NULL;
    struct arena_block *block = alloc(sizeof *block + size);
    if (block)
        *block = (struct arena_block){.size = size};
    return block;
}

/* A block with room for that many bytes. */
static struct arena_block *add_block(struct arena *arena, size_t bytes)
{
    struct arena_block *block = block_create(bytes > BLOCK_SIZE ? bytes : BLOCK_SIZE);
    if (!block)
        return NULL;
    if (bytes > BLOCK_SIZE && arena->blocks) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        block->next = arena->blocks;
        arena->blocks = block;
    }
    return block;
}

/* Memory that still holds what was there before. */
static void *take(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - 16)
        return NULL;
    const size_t bytes = (size + 15) & ~(size_t)15;
    struct arena_block *block = arena->blocks;
    if (!block || bytes > block->size - block->used)
        block = add_block(arena, bytes);
    if (!block)
        return NULL;
    void *result = block->bytes + block->used;
    block->used += bytes;
    return result;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *result = take(arena, bytes);
    return result ? memset(result, 0, bytes) : NULL;
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
    void *copy = take(arena, size);
    if (copy && size)
        memcpy(copy, bytes, size);
    return copy;
}

char *arena_string_n(struct arena *arena, const char *string, size_t length)
{
    char *copy = arena_alloc(arena, length + 1, 1);
    if (copy && length)
        memcpy(copy, string, length);
    return copy;
}

char *arena_string(struct arena *arena, const char *string)
{
    return arena_string_n(arena, string, strlen(string));
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = length < 0 ? NULL : arena_alloc(arena, (size_t)length + 1, 1);
    if (!text)
        return NULL;
    va_start(list, format);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    return text;
}

void arena_release(struct arena *arena)
{
    struct arena_block *block = arena->blocks;
    while (block) {
        struct arena_block *next = block->next;
        alloc_free(block);
        block = next;
    }
    arena->blocks = NULL;
}

void arena_reset(struct arena *arena)
{
    struct arena_block *kept = arena->blocks;
    if (kept && !kept->next && kept->size == BLOCK_SIZE) { /* nearly always */
        kept->used = 0;
        return;
    }
    kept = NULL;
    for (struct arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        if (!kept && block->size == BLOCK_SIZE) {
            kept = block;
        } else {
            alloc_free(block);
        }
    }
    if (kept) {
        kept->next = NULL;
        kept->used = 0;
    }
    arena->blocks = kept;
}
