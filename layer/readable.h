/* May this memory of the application's be read? Pointers from outside can be wild, and the layer
 * must not crash where the driver would have returned an error. A page is asked for with one system
 * call; a thread remembers the pages that it found readable lately, so a usual call costs none. Of
 * more pages than it can remember hundreds are asked for at once. */
#ifndef LAYER_READABLE_H
#define LAYER_READABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    READABLE_PAGES = 64,
    READABLE_PAGE_SHIFT = 12, /* the smallest page of any machine: asking more often than needed is
                              harmless */
    READABLE_PAGE_SIZE = 1 << READABLE_PAGE_SHIFT,
};

/* Belongs to one thread; zero-initialised. */
struct readable {
    uintptr_t pages[READABLE_PAGES]; /* by page number modulo READABLE_PAGES; 0 = none */
};

bool readable_pages(struct readable *readable, const void *address, uint64_t size);
/* Can all `size` bytes be read? True for 0 bytes. Preserves errno. */
static inline bool readable_bytes(struct readable *readable, const void *address, uint64_t size)
{
    const uintptr_t page = (uintptr_t)address >> READABLE_PAGE_SHIFT;
    const bool is_known = page != 0 && readable->pages[page % READABLE_PAGES] == page &&
                          size <= READABLE_PAGE_SIZE - (uintptr_t)address % READABLE_PAGE_SIZE;
    return is_known || readable_pages(readable, address, size);
}
/* The length of a NUL-terminated string of at most `limit` bytes; false when it cannot be read, or
 * has no end within the limit. */
bool readable_string(struct readable *readable, const char *string, size_t limit, size_t *length);
/* Forgets what was learned: after a call that frees memory. */
void readable_forget(struct readable *readable);

#endif
