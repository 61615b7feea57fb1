#include "trace/base/alloc.h"
#include "trace/base/assert.h"

/* uthash allocates through us, and tells failure in the handle of what it could not add. */
#define uthash_malloc(size)      alloc(size)
#define uthash_free(block, size) alloc_free(block)
#define HASH_NONFATAL_OOM        1
#include "checkers/order/shadow.h"

#include <string.h>

const uint32_t shadow_unwritten[SHADOW_PAGE_SIZE];

static void page_release(struct shadow_page *page)
{
    alloc_free(page->w_store.words);
    alloc_free(page->r_store.words);
    alloc_free(page->n_store.words);
}

static void object_destroy(struct order_object *object)
{
    for (size_t i = 0; i < object->page_count; i++) {
        page_release(&object->pages[i]);
    }
    alloc_free(object->pages);
    alloc_free(object);
}

static struct order_object *object_create(uint64_t key, enum order_region region, size_t page_count)
{
    struct order_object *object = alloc_zero(1, sizeof *object);
    if (object == NULL) {
        return NULL;
    }
    object->key = key;
    object->region = region;
    object->pages = alloc_zero(page_count, sizeof *object->pages);
    if (object->pages == NULL) {
        alloc_free(object);
        return NULL;
    }
    object->page_count = page_count;
    return object;
}

struct order_object *shadow_object(struct shadow *shadow, uint64_t space, enum order_region region,
                                   uint32_t id, uint64_t size, uint64_t launch)
{
    const uint64_t key = (space * ORDER_REGION_COUNT + region) << 32 | id;
    const size_t page_count = (size_t)((size >> SHADOW_PAGE_SHIFT) + 1);
    struct order_object *object = NULL;
    HASH_FIND(hh, shadow->objects, &key, sizeof key, object);
    if (object != NULL && object->page_count != page_count) {
        HASH_DEL(shadow->objects, object);
        object_destroy(object);
        object = NULL;
    }
    if (object == NULL) {
        object = object_create(key, region, page_count);
        if (object == NULL) {
            return NULL;
        }
        HASH_ADD(hh, shadow->objects, key, sizeof object->key, object);
        if (object->hh.tbl == NULL) { /* it could not be added */
            object_destroy(object);
            return NULL;
        }
    }
    object->launch = launch;
    return object;
}

void shadow_drop_before(struct shadow *shadow, uint64_t launch)
{
    struct order_object *object = NULL;
    struct order_object *next = NULL;
    HASH_ITER(hh, shadow->objects, object, next)
    {
        if (object->launch < launch) {
            HASH_DEL(shadow->objects, object);
            object_destroy(object);
        }
    }
}

void shadow_release(struct shadow *shadow)
{
    shadow_drop_before(shadow, UINT64_MAX);
}

/* Words of `store` for so many cells, grown where it has fewer. NULL when memory is out. */
static uint32_t *words_of(struct shadow_words *store, uint32_t cells)
{
    if (store->capacity < cells) {
        uint32_t *words = alloc(cells * sizeof *words);
        if (words == NULL) {
            return NULL;
        }
        alloc_free(store->words);
        *store = (struct shadow_words){.words = words, .capacity = cells};
    }
    return store->words;
}

/* Makes *words zeros for so many cells, if it is NULL. False when memory is out. */
static bool words_begin(struct shadow_words *store, uint32_t cells, uint32_t **words)
{
    if (*words != NULL) {
        return true;
    }
    *words = words_of(store, cells);
    if (*words != NULL) {
        memset(*words, 0, cells * sizeof **words);
    }
    return *words != NULL;
}

/* Makes 1 << by words of each of `words`, if it is not NULL. False when memory is out. */
static bool words_split(const uint32_t *words, uint32_t cells, unsigned by,
                        struct shadow_words *store, uint32_t **fine)
{
    if (words == NULL) {
        return true;
    }
    *fine = words_of(store, cells << by);
    for (uint32_t i = 0; *fine != NULL && i < cells << by; i++) {
        (*fine)[i] = words[i >> by];
    }
    return *fine != NULL;
}

/* Copies each cell of `page` into 1 << by cells of a finer granule. */
static bool page_split(struct shadow_page *page, unsigned by)
{
    const uint32_t cells = shadow_page_cells(page);
    struct shadow_page fine = {
        .generation = page->generation,
        .granule_shift = (uint8_t)(page->granule_shift - by),
    };
    const bool written = shadow_page_is_written(page);
    const bool split = words_split(written ? page->w : NULL, cells, by, &fine.w_store, &fine.w) &&
                       words_split(page->r, cells, by, &fine.r_store, &fine.r) &&
                       words_split(page->n, cells, by, &fine.n_store, &fine.n);
    if (!written) {
        fine.w = page->w;
    }
    page_release(split ? page : &fine);
    if (split) {
        *page = fine;
    }
    return split;
}

bool shadow_page_refine(struct shadow_page *page, uint64_t generation, uint32_t offset,
                        uint32_t size)
{
    ASSERT(size > 0);
    unsigned shift = (unsigned)__builtin_ctz(offset | size);
    if (shift > SHADOW_GRANULE_SHIFT_MAX) {
        shift = SHADOW_GRANULE_SHIFT_MAX;
    }
    if (page->generation == generation) {
        ASSERT(shift < page->granule_shift);
        return page_split(page, page->granule_shift - shift);
    }
    page->w = (uint32_t *)(uintptr_t)shadow_unwritten;
    page->r = page->n = NULL;
    page->generation = generation;
    page->granule_shift = (uint8_t)shift;
    return true;
}

bool shadow_page_write(struct shadow_page *page)
{
    uint32_t *w = shadow_page_is_written(page) ? page->w : NULL;
    if (!words_begin(&page->w_store, shadow_page_cells(page), &w)) {
        return false;
    }
    page->w = w;
    return true;
}

bool shadow_page_single(struct shadow_page *page)
{
    return words_begin(&page->r_store, shadow_page_cells(page), &page->r);
}

bool shadow_page_pair(struct shadow_page *page)
{
    return shadow_page_single(page) &&
           words_begin(&page->n_store, shadow_page_cells(page), &page->n);
}

static bool words_are_zero(const uint32_t *words, uint32_t cells)
{
    return words == NULL || memcmp(words, shadow_unwritten, cells * sizeof *words) == 0;
}

void shadow_page_drop_readers(struct shadow_page *page)
{
    const uint32_t cells = shadow_page_cells(page);
    if (page->r == NULL || !words_are_zero(page->r, cells) || !words_are_zero(page->n, cells)) {
        return;
    }
    alloc_free(page->r_store.words);
    alloc_free(page->n_store.words);
    page->r_store = page->n_store = (struct shadow_words){0};
    page->r = page->n = NULL;
}
