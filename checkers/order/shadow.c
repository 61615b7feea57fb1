#include "trace/base/alloc.h"
#include "trace/base/assert.h"

/* uthash allocates through us, and tells failure in the handle of what it could not add. */
#define uthash_malloc(size)      alloc(size)
#define uthash_free(block, size) alloc_free(block)
#define HASH_NONFATAL_OOM        1
#include "checkers/order/entry.h"
#include "checkers/order/shadow.h"

#include <string.h>

const uint32_t shadow_unwritten[SHADOW_PAGE_SIZE];

static void page_release(struct shadow_page *page)
{
    for (int i = 0; i < SHADOW_STORES; i++) {
        alloc_free(page->stores[i]);
    }
    alloc_free(page->frozen);
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

/* Words of the store for so many cells, grown where it has fewer. NULL when memory is out. */
static uint32_t *words_of(struct shadow_page *page, enum shadow_store store, uint32_t cells)
{
    if (page->capacities[store] < cells) {
        uint32_t *words = alloc(cells * sizeof *words);
        if (words == NULL) {
            return NULL;
        }
        alloc_free(page->stores[store]);
        page->stores[store] = words;
        page->capacities[store] = (uint16_t)cells;
    }
    return page->stores[store];
}

static void words_release(struct shadow_page *page, enum shadow_store store)
{
    alloc_free(page->stores[store]);
    page->stores[store] = NULL;
    page->capacities[store] = 0;
}

/* Makes *words zeros, if it is NULL. False when memory is out. */
static bool words_begin(struct shadow_page *page, enum shadow_store store, uint32_t **words)
{
    const uint32_t cells = shadow_page_cells(page);
    if (*words != NULL) {
        return true;
    }
    *words = words_of(page, store, cells);
    if (*words != NULL) {
        memset(*words, 0, cells * sizeof **words);
    }
    return *words != NULL;
}

/* Makes 1 << by words of each of `words`, if it is not NULL, in a store of `fine`. False when
 * memory is out. */
static bool words_split(const uint32_t *words, uint32_t cells, unsigned by,
                        struct shadow_page *fine, enum shadow_store store, uint32_t **to)
{
    if (words == NULL) {
        return true;
    }
    *to = words_of(fine, store, cells << by);
    for (uint32_t i = 0; *to != NULL && i < cells << by; i++) {
        (*to)[i] = words[i >> by];
    }
    return *to != NULL;
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
    const bool split = words_split(written ? page->w : NULL, cells, by, &fine, SHADOW_W, &fine.w) &&
                       words_split(page->r, cells, by, &fine, SHADOW_R, &fine.r) &&
                       words_split(page->n, cells, by, &fine, SHADOW_N, &fine.n);
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
        return shadow_page_thaw(page) && page_split(page, page->granule_shift - shift);
    }
    alloc_free(page->frozen);
    page->frozen = NULL;
    page->w = (uint32_t *)(uintptr_t)shadow_unwritten;
    page->r = page->n = NULL;
    page->generation = generation;
    page->granule_shift = (uint8_t)shift;
    return true;
}

bool shadow_page_write(struct shadow_page *page)
{
    if (!shadow_page_thaw(page)) {
        return false;
    }
    uint32_t *w = shadow_page_is_written(page) ? page->w : NULL;
    if (!words_begin(page, SHADOW_W, &w)) {
        return false;
    }
    page->w = w;
    return true;
}

bool shadow_page_single(struct shadow_page *page)
{
    return words_begin(page, SHADOW_R, &page->r);
}

bool shadow_page_pair(struct shadow_page *page)
{
    return shadow_page_single(page) && words_begin(page, SHADOW_N, &page->n);
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
    words_release(page, SHADOW_R);
    words_release(page, SHADOW_N);
    page->r = page->n = NULL;
}

/* ---- frozen writes ---- */

/* More runs than these are not worth it. */
enum { FROZEN_RUNS_MAX = 64 };

/* How many cells from `cell` on hold entries one behind the other, of one record, or nothing. */
static uint32_t run_length(const uint32_t *w, uint32_t cell, uint32_t cells)
{
    const uint32_t entry = w[cell];
    uint32_t length = 1;
    while (cell + length < cells && w[cell + length] == (entry == 0 ? 0 : entry + length) &&
           (entry == 0 || entry_record(entry + length) == entry_record(entry))) {
        length++;
    }
    return length;
}

void shadow_page_freeze(struct shadow_page *page)
{
    struct shadow_frozen_run runs[FROZEN_RUNS_MAX];
    const uint32_t cells = shadow_page_cells(page);
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < cells; cell += run_length(page->w, cell, cells)) {
        if (count == FROZEN_RUNS_MAX) {
            return;
        }
        runs[count++] = (struct shadow_frozen_run){.first = cell, .entry = page->w[cell]};
    }
    page->frozen = alloc(sizeof *page->frozen + count * sizeof runs[0]);
    if (page->frozen == NULL) {
        return;
    }
    page->frozen->count = count;
    memcpy(page->frozen->runs, runs, count * sizeof runs[0]);
    words_release(page, SHADOW_W);
    page->w = (uint32_t *)(uintptr_t)shadow_unwritten;
}

bool shadow_page_thaw(struct shadow_page *page)
{
    const struct shadow_frozen *frozen = page->frozen;
    if (frozen == NULL) {
        return true;
    }
    const uint32_t cells = shadow_page_cells(page);
    uint32_t *w = words_of(page, SHADOW_W, cells);
    if (w == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < frozen->count; i++) {
        const struct shadow_frozen_run *run = &frozen->runs[i];
        for (uint32_t cell = run->first; cell < shadow_run_end(page, i); cell++) {
            w[cell] = run->entry == 0 ? 0 : run->entry + (cell - run->first);
        }
    }
    page->w = w;
    alloc_free(page->frozen);
    page->frozen = NULL;
    return true;
}
