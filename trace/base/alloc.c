#include "trace/base/alloc.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only tests ask; until the first does, threads do not share these. */
static atomic_bool counts;
static atomic_uint_fast64_t request_count;
static atomic_uint_fast64_t live_count;
static atomic_uint_fast64_t fail_at;

static atomic_bool has_failed;

static bool is_counting(void)
{
    return atomic_load_explicit(&counts, memory_order_relaxed);
}

static bool refuse(void)
{
    if (!is_counting())
        return false;
    const uint64_t request = atomic_fetch_add_explicit(&request_count, 1, memory_order_relaxed) + 1;
    const uint64_t at = atomic_load_explicit(&fail_at, memory_order_relaxed);
    return at != 0 && request == at;
}

static void *note_failure(void *block)
{
    if (!block)
        atomic_store_explicit(&has_failed, true, memory_order_relaxed);
    return block;
}

bool alloc_has_failed(void)
{
    return atomic_load_explicit(&has_failed, memory_order_relaxed);
}

static void *count_live(void *block)
{
    if (block && is_counting())
        atomic_fetch_add_explicit(&live_count, 1, memory_order_relaxed);
    return note_failure(block);
}

void *alloc(size_t size)
{
    return count_live(refuse() ? NULL : malloc(size ? size : 1));
}

void *alloc_zero(size_t count, size_t size)
{
    if (count == 0 || size == 0)
        count = size = 1;
    return count_live(refuse() ? NULL : calloc(count, size));
}

void *alloc_spare(size_t count, size_t size)
{
    if (refuse())
        return NULL;
    void *block = calloc(count, size);
    return block ? count_live(block) : NULL;
}

void *alloc_aligned(size_t alignment, size_t size)
{
    void *block = NULL;
    if (refuse() || posix_memalign(&block, alignment, size ? size : 1) != 0)
        block = NULL;
    return count_live(block);
}

void *alloc_resize(void *block, size_t size)
{
    void *moved = refuse() ? NULL : realloc(block, size ? size : 1);
    return block ? note_failure(moved) : count_live(moved);
}

char *alloc_string(const char *string)
{
    const size_t size = strlen(string) + 1;
    char *copy = alloc(size);
    return copy ? memcpy(copy, string, size) : NULL;
}

char *alloc_format(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = length < 0 ? NULL : alloc((size_t)length + 1);
    if (!text)
        return NULL;
    va_start(list, format);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    return text;
}

void alloc_free(void *block)
{
    if (!block)
        return;
    if (is_counting())
        atomic_fetch_sub_explicit(&live_count, 1, memory_order_relaxed);
    free(block);
}

void *alloc_grow(void *items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return items;
    const size_t wanted = *capacity < 8 ? 8 : *capacity * 2;
    if (wanted > SIZE_MAX / item_size)
        return NULL;
    void *moved = alloc_resize(items, wanted * item_size);
    if (moved)
        *capacity = wanted;
    return moved;
}

void alloc_fail_at(uint64_t n)
{
    atomic_store(&counts, true);
    atomic_store(&fail_at, n ? atomic_load(&request_count) + n : 0);
}

uint64_t alloc_request_count(void)
{
    atomic_store(&counts, true);
    return atomic_load(&request_count);
}

uint64_t alloc_live_count(void)
{
    atomic_store(&counts, true);
    return atomic_load(&live_count);
}
