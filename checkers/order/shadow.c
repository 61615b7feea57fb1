#include "trace/base/alloc.h"
#include "trace/base/assert.h"

/* uthash allocates through us, and tells failure in the handle of what it could not add. */
#define uthash_malloc(size)      alloc(size)
#define uthash_free(block, size) alloc_free(block)
#define HASH_NONFATAL_OOM        1
#include "checkers/order/shadow.h"

#include <string.h>

static void object_destroy(struct order_object *object)
{
    for (size_t i = 0; i < object->page_count; i++) {
        alloc_free(object->pages[i].w);
        alloc_free(object->pages[i].n_store);
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

static bool page_reserve(struct shadow_page *page, uint32_t cells)
{
    if (page->capacity >= cells) {
        return true;
    }
    uint32_t *w = alloc(2 * (size_t)cells * sizeof *w);
    if (w == NULL) {
        return false;
    }
    alloc_free(page->w);
    page->w = w;
    page->r = w + cells;
    page->capacity = (uint16_t)cells;
    return true;
}

/* Copies each cell of `page` into 1 << by cells of a finer granule. */
static bool page_split(struct shadow_page *page, unsigned by)
{
    const uint32_t cells = shadow_page_cells(page);
    const uint32_t fine_cells = cells << by;
    uint32_t *w = alloc(2 * (size_t)fine_cells * sizeof *w);
    if (w == NULL) {
        return false;
    }
    uint32_t *n = NULL;
    if (page->n != NULL) {
        n = alloc((size_t)fine_cells * sizeof *n);
        if (n == NULL) {
            alloc_free(w);
            return false;
        }
    }
    uint32_t *r = w + fine_cells;
    for (uint32_t i = 0; i < fine_cells; i++) {
        w[i] = page->w[i >> by];
        r[i] = page->r[i >> by];
    }
    for (uint32_t i = 0; i < fine_cells && n != NULL; i++) {
        n[i] = page->n[i >> by];
    }
    if (n != NULL) {
        alloc_free(page->n_store);
        page->n = page->n_store = n;
        page->n_capacity = (uint16_t)fine_cells;
    }
    alloc_free(page->w);
    page->w = w;
    page->r = r;
    page->capacity = (uint16_t)fine_cells;
    page->granule_shift = (uint8_t)(page->granule_shift - by);
    return true;
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
    const uint32_t cells = (uint32_t)SHADOW_PAGE_SIZE >> shift;
    if (!page_reserve(page, cells)) {
        return false;
    }
    page->granule_shift = (uint8_t)shift;
    page->generation = generation;
    page->n = NULL;
    memset(page->w, 0, cells * sizeof *page->w);
    memset(page->r, 0, cells * sizeof *page->r);
    return true;
}

bool shadow_page_pair(struct shadow_page *page)
{
    const uint32_t cells = shadow_page_cells(page);
    if (page->n != NULL) {
        return true;
    }
    if (page->n_capacity < cells) {
        uint32_t *n = alloc((size_t)cells * sizeof *n);
        if (n == NULL) {
            return false;
        }
        alloc_free(page->n_store);
        page->n_store = n;
        page->n_capacity = (uint16_t)cells;
    }
    page->n = page->n_store;
    memset(page->n, 0, cells * sizeof *page->n);
    return true;
}
