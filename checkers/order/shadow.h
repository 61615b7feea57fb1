/* The shadow of memory: for each byte the last plain write and what has read it since.
 *
 * An object has a directory of pages, one for 4 KiB of its memory, filled in when first touched. A
 * page has a granule of 1 to 16 bytes, the size of its first access, and one cell for each granule;
 * an access that needs a finer granule splits the page, and the copies are exact because a cell
 * speaks for each of its bytes. A cell is three words (checkers/order/entry.h), each in an array of
 * its own so that a run of cells is checked by vector code (checkers/order/cells.h). The first
 * array is there only in pages that were written; the second only in those that more than whole
 * runs of writes have touched; the third only where several strands have read some of the bytes, or
 * accessed them atomically.
 *
 * The pages of global memory that were opened last have their words as such. Older ones are
 * *packed*: since lanes mostly touch one cell behind the other, some runs of evenly rising words
 * say all of an array. One that is touched again is unpacked, and lets more pages stay open: a
 * launch that goes over its memory again and again soon has all of it open.
 *
 * Clearing is lazy: a page belongs to a *generation*, and one of an older generation counts as
 * empty. */
#ifndef CHECKERS_ORDER_SHADOW_H
#define CHECKERS_ORDER_SHADOW_H

#include "checkers/order/order.h"

#include <stddef.h>
#include <uthash.h>

enum {
    SHADOW_PAGE_SHIFT = 12,
    SHADOW_PAGE_SIZE = 1 << SHADOW_PAGE_SHIFT,
    SHADOW_GRANULE_SHIFT_MAX = 4,
    /* So many pages are open, and so many more for each that had to be unpacked. */
    SHADOW_OPEN_PAGES = 256,
    SHADOW_OPENED_AGAIN = 8
};

enum shadow_store { SHADOW_W, SHADOW_R, SHADOW_N, SHADOW_STORES };

/* The words of a page, each array as what is smallest: runs, which follow those of the arrays
 * before; halves, each the difference of a word, its flags in the lowest bits, and `base`, or 0 for
 * 0; or in its store. */
struct shadow_packed {
    struct shadow_array {
        enum shadow_form { SHADOW_NONE, SHADOW_RUNS, SHADOW_HALVES, SHADOW_WORDS } form;
        uint32_t count; /* of runs */
        uint32_t base;
        uint16_t *halves;
    } arrays[SHADOW_STORES];
    struct shadow_run {
        uint32_t first,
            step;        /* the word of its first cell, and by how much they rise, modulo 2^32 */
        uint32_t length; /* in cells */
    } runs[];
};

struct shadow_page {
    uint64_t generation; /* 0 = never touched */
    /* The words of the cells. NULL = 0 in all of them; n has words only where r has. Where nothing
     * was written w is shadow_unwritten, to be read alone. */
    uint32_t *w, *r, *n;
    struct shadow_packed *packed; /* NULL = the page is open; else w, r and n are as if untouched */
    /* What is allocated for w, r and n, kept over generations, and for how many cells. */
    uint32_t *stores[SHADOW_STORES];
    uint16_t capacities[SHADOW_STORES];
    uint8_t granule_shift;
    bool listed; /* in struct shadow's list of open pages */
};

struct order_object {
    uint64_t key; /* space, region and id */
    enum order_region region;
    bool shared;     /* order_object_share */
    uint64_t launch; /* the last launch that asked for it */
    uint64_t synced; /* the last launch that stored to it atomically: checkers/order/words.h */
    /* The last launch that accessed it atomically, and the sizes of those accesses, or'ed. */
    uint64_t atomic_launch;
    uint32_t atomic_sizes;
    struct shadow_page *pages;
    size_t page_count;
    UT_hash_handle hh;
};

/* The widest scope that its atomic operations have. */
static inline enum order_level order_object_widest(const struct order_object *object)
{
    return object->region == ORDER_LOCAL ? ORDER_LEVEL_GROUP
           : object->shared              ? ORDER_LEVEL_ALL_DEVICES
                                         : ORDER_LEVEL_DEVICE;
}

struct shadow {
    struct order_object *objects;
    /* Open pages of global memory that could be packed, a ring: `open_count` from `open_first` on,
     * the oldest first. */
    struct shadow_page **open;
    size_t open_first, open_count, open_capacity;
    size_t unpacked; /* pages, since the launch began */
};

/* The object of that region and id in that space (below 2^24), made at need; one of another size is
 * made anew. NULL when memory is out. */
struct order_object *shadow_object(struct shadow *shadow, uint64_t space, enum order_region region,
                                   uint32_t id, uint64_t size, uint64_t launch);
/* Frees the objects that were last asked for before `launch`. */
void shadow_drop_before(struct shadow *shadow, uint64_t launch);
void shadow_release(struct shadow *shadow);

/* Makes `page` of `object` an open one of `generation` whose granule divides both `offset` and
 * `size`. False when memory is out: the page is then as it was. */
bool shadow_page_open(struct shadow *shadow, const struct order_object *object,
                      struct shadow_page *page, uint64_t generation, uint32_t offset,
                      uint32_t size);

static inline uint32_t shadow_page_cells(const struct shadow_page *page)
{
    return (uint32_t)SHADOW_PAGE_SIZE >> page->granule_shift;
}

/* Zeros. */
extern const uint32_t shadow_unwritten[SHADOW_PAGE_SIZE];

static inline bool shadow_page_is_written(const struct shadow_page *page)
{
    return page->w != shadow_unwritten;
}

/* Gives the page a w to write to; its r; its r and n. False when memory is out. */
bool shadow_page_write(struct shadow_page *page);
bool shadow_page_single(struct shadow_page *page);
bool shadow_page_pair(struct shadow_page *page);
/* Packs what can be. Without memory the page stays open. */
void shadow_page_pack(struct shadow_page *page);
/* Gives a packed page its words back. False when memory is out. */
bool shadow_page_unpack(struct shadow_page *page);

/* Between accesses, which hold on to the words of pages: packs the oldest of too many open pages.
 */
void shadow_pack_oldest(struct shadow *shadow);
static inline bool shadow_is_wide_open(const struct shadow *shadow)
{
    return shadow->open_count > SHADOW_OPEN_PAGES + SHADOW_OPENED_AGAIN * shadow->unpacked;
}

/* The page, ready for bytes [offset, offset + size) of it; NULL when memory is out.
 */
static inline struct shadow_page *shadow_page_get(struct shadow *shadow,
                                                  struct order_object *object, size_t index,
                                                  uint64_t generation, uint32_t offset,
                                                  uint32_t size)
{
    struct shadow_page *page = &object->pages[index];
    const uint32_t fraction = (1U << page->granule_shift) - 1;
    if (page->generation == generation && page->packed == NULL &&
        ((offset | size) & fraction) == 0) {
        return page;
    }
    return shadow_page_open(shadow, object, page, generation, offset, size) ? page : NULL;
}

#endif
