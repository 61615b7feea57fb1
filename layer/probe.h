/* May this memory of the application's be read? Pointers from outside can be wild, and the layer
 * must not crash where the driver would have returned an error. A page is asked for with one system
 * call; a thread remembers the pages that it found readable lately, so a usual call costs none. Of
 * more pages than it can remember hundreds are asked for at once. */
#ifndef LAYER_PROBE_H
#define LAYER_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PROBE_PAGES = 64,
    PROBE_PAGE_SHIFT = 12, /* the smallest page of any machine: asking more often than needed is
                              harmless */
    PROBE_PAGE_SIZE = 1 << PROBE_PAGE_SHIFT,
};

/* Belongs to one thread; zero-initialised. */
struct probe {
    uintptr_t pages[PROBE_PAGES]; /* by page number modulo PROBE_PAGES; 0 = none */
};

bool probe_pages(struct probe *probe, const void *address, uint64_t size);
/* Can all `size` bytes be read? True for 0 bytes. Preserves errno. */
static inline bool probe_readable(struct probe *probe, const void *address, uint64_t size)
{
    const uintptr_t page = (uintptr_t)address >> PROBE_PAGE_SHIFT;
    const bool is_known = page != 0 && probe->pages[page % PROBE_PAGES] == page &&
                          size <= PROBE_PAGE_SIZE - (uintptr_t)address % PROBE_PAGE_SIZE;
    return is_known || probe_pages(probe, address, size);
}
/* The length of a NUL-terminated string of at most `limit` bytes; false when it cannot be read, or
 * has no end within the limit. */
bool probe_string(struct probe *probe, const char *string, size_t limit, size_t *length);
/* Forgets what was learned: after a call that frees memory. */
void probe_forget(struct probe *probe);

#endif
