#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include "trace/base/hash.h" /* before headers that use uthash */

#include "checkers/order/engine.h"

#include <string.h>

const uint32_t shadow_unwritten[SHADOW_PAGE_SIZE];

static void packed_release(struct shadow_packed *packed)
{
    for (int i = 0; packed != NULL && i < SHADOW_STORES; i++) {
        alloc_free(packed->arrays[i].halves);
    }
    alloc_free(packed);
}

static void page_release(struct shadow_page *page)
{
    for (int i = 0; i < SHADOW_STORES; i++) {
        alloc_free(page->stores[i]);
    }
    packed_release(page->packed);
}

/* ---- stores that no page needs now ---- */

static struct shadow_spare **spares_of(struct shadow *shadow, uint32_t cells)
{
    const uint32_t most = SHADOW_PAGE_SIZE;
    ASSERT(cells > 0 && most % cells == 0 && most / cells <= 1U << SHADOW_GRANULE_SHIFT_MAX);
    return &shadow->spares[__builtin_ctz(most / cells)];
}

/* Words for so many cells; NULL when memory is out. */
static uint32_t *take_store(struct shadow *shadow, uint32_t cells)
{
    struct shadow_spare **spares = spares_of(shadow, cells);
    struct shadow_spare *spare = *spares;
    if (spare == NULL) {
        return alloc(cells * sizeof(uint32_t));
    }
    *spares = spare->next;
    return (uint32_t *)spare;
}

static void give_store(struct shadow *shadow, struct shadow_page *page, enum shadow_store store)
{
    if (page->stores[store] != NULL) {
        struct shadow_spare **spares = spares_of(shadow, page->capacities[store]);
        struct shadow_spare *spare = (struct shadow_spare *)page->stores[store];
        spare->next = *spares;
        *spares = spare;
    }
    page->stores[store] = NULL;
    page->capacities[store] = 0;
}

static void spares_release(struct shadow *shadow)
{
    for (int i = 0; i <= SHADOW_GRANULE_SHIFT_MAX; i++) {
        while (shadow->spares[i] != NULL) {
            struct shadow_spare *next = shadow->spares[i]->next;
            alloc_free(shadow->spares[i]);
            shadow->spares[i] = next;
        }
    }
}

static void unlist_pages(struct shadow *shadow, const struct order_object *object)
{
    size_t kept = 0;
    for (size_t i = 0; i < shadow->open_count; i++) {
        struct shadow_page *page = shadow->open[(shadow->open_first + i) % shadow->open_capacity];
        if (page < object->pages || page >= object->pages + object->page_count) {
            shadow->open[(shadow->open_first + kept++) % shadow->open_capacity] = page;
        }
    }
    shadow->open_count = kept;
}

static void object_destroy(struct shadow *shadow, struct order_object *object)
{
    unlist_pages(shadow, object);
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
    ASSERT(space >> 24 == 0);
    const uint64_t key = (space * ORDER_REGION_COUNT + region) << 32 | id;
    const size_t page_count = (size_t)((size >> SHADOW_PAGE_SHIFT) + 1);
    struct order_object *object = NULL;
    HASH_FIND(hh, shadow->objects, &key, sizeof key, object);
    if (object != NULL && object->page_count != page_count) {
        HASH_DEL(shadow->objects, object);
        object_destroy(shadow, object);
        object = NULL;
    }
    if (object == NULL) {
        object = object_create(key, region, page_count);
        if (object == NULL) {
            return NULL;
        }
        HASH_ADD(hh, shadow->objects, key, sizeof object->key, object);
        if (object->hh.tbl == NULL) { /* it could not be added */
            object_destroy(shadow, object);
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
            object_destroy(shadow, object);
        }
    }
}

void shadow_release(struct shadow *shadow)
{
    shadow_drop_before(shadow, UINT64_MAX);
    spares_release(shadow);
    alloc_free(shadow->open);
    *shadow = (struct shadow){0};
}

/* Words of the store for so many cells, grown where it has fewer. NULL when memory is out. */
static uint32_t *words_of(struct shadow *shadow, struct shadow_page *page, enum shadow_store store,
                          uint32_t cells)
{
    if (page->capacities[store] < cells) {
        uint32_t *words = take_store(shadow, cells);
        if (words == NULL) {
            return NULL;
        }
        give_store(shadow, page, store);
        page->stores[store] = words;
        page->capacities[store] = (uint16_t)cells;
    }
    return page->stores[store];
}

/* Makes *words zeros, if it is NULL. False when memory is out. */
static bool words_begin(struct shadow *shadow, struct shadow_page *page, enum shadow_store store,
                        uint32_t **words)
{
    const uint32_t cells = shadow_page_cells(page);
    if (*words != NULL) {
        return true;
    }
    *words = words_of(shadow, page, store, cells);
    if (*words != NULL) {
        memset(*words, 0, cells * sizeof **words);
    }
    return *words != NULL;
}

/* Makes 1 << by words of each of `words`, if it is not NULL, in a store of `fine`. False when
 * memory is out. */
static bool words_split(struct shadow *shadow, const uint32_t *words, uint32_t cells, unsigned by,
                        struct shadow_page *fine, enum shadow_store store, uint32_t **to)
{
    if (words == NULL) {
        return true;
    }
    *to = words_of(shadow, fine, store, cells << by);
    for (uint32_t i = 0; *to != NULL && i < cells << by; i++) {
        (*to)[i] = words[i >> by];
    }
    return *to != NULL;
}

/* Copies each cell of `page` into 1 << by cells of a finer granule. */
static bool page_split(struct shadow *shadow, struct shadow_page *page, unsigned by)
{
    const uint32_t cells = shadow_page_cells(page);
    ASSERT(by > 0 && by <= page->granule_shift && page->packed == NULL);
    struct shadow_page fine = {
        .generation = page->generation,
        .granule_shift = (uint8_t)(page->granule_shift - by),
        .listed = page->listed,
    };
    const bool written = shadow_page_is_written(page);
    const bool split =
        words_split(shadow, written ? page->w : NULL, cells, by, &fine, SHADOW_W, &fine.w) &&
        words_split(shadow, page->r, cells, by, &fine, SHADOW_R, &fine.r) &&
        words_split(shadow, page->n, cells, by, &fine, SHADOW_N, &fine.n);
    if (!written) {
        fine.w = page->w;
    }
    page_release(split ? page : &fine);
    if (split) {
        *page = fine;
    }
    return split;
}

/* Lists a page that was opened; without memory it is not, and stays open. */
static void list_page(struct shadow *shadow, struct shadow_page *page)
{
    ASSERT(page->packed == NULL);
    if (page->listed) {
        return;
    }
    if (shadow->open_count == shadow->open_capacity) {
        const size_t capacity =
            shadow->open_capacity == 0 ? 2 * SHADOW_OPEN_PAGES : 2 * shadow->open_capacity;
        struct shadow_page **open = alloc(capacity * sizeof *open);
        if (open == NULL) {
            return;
        }
        for (size_t i = 0; i < shadow->open_count; i++) {
            open[i] = shadow->open[(shadow->open_first + i) % shadow->open_capacity];
        }
        alloc_free(shadow->open);
        shadow->open = open;
        shadow->open_first = 0;
        shadow->open_capacity = capacity;
    }
    shadow->open[(shadow->open_first + shadow->open_count++) % shadow->open_capacity] = page;
    page->listed = true;
}

bool shadow_page_open(struct shadow *shadow, const struct order_object *object,
                      struct shadow_page *page, uint64_t generation, uint32_t offset, uint32_t size)
{
    ASSERT(size > 0);
    unsigned shift = (unsigned)__builtin_ctz(offset | size);
    if (shift > SHADOW_GRANULE_SHIFT_MAX) {
        shift = SHADOW_GRANULE_SHIFT_MAX;
    }
    if (page->generation != generation) {
        packed_release(page->packed);
        page->packed = NULL;
        page->w = (uint32_t *)(uintptr_t)shadow_unwritten;
        page->r = page->n = NULL;
        page->generation = generation;
        page->granule_shift = (uint8_t)shift;
    } else if (page->packed != NULL) {
        if (!shadow_page_unpack(shadow, page)) {
            return false;
        }
        shadow->unpacked++;
    }
    if (object->region == ORDER_GLOBAL) {
        list_page(shadow, page);
    }
    return shift >= page->granule_shift || page_split(shadow, page, page->granule_shift - shift);
}

bool shadow_page_write(struct shadow *shadow, struct shadow_page *page)
{
    uint32_t *w = shadow_page_is_written(page) ? page->w : NULL;
    if (!words_begin(shadow, page, SHADOW_W, &w)) {
        return false;
    }
    page->w = w;
    return true;
}

bool shadow_page_single(struct shadow *shadow, struct shadow_page *page)
{
    return words_begin(shadow, page, SHADOW_R, &page->r);
}

bool shadow_page_pair(struct shadow *shadow, struct shadow_page *page)
{
    return shadow_page_single(shadow, page) && words_begin(shadow, page, SHADOW_N, &page->n);
}

/* ---- packing ---- */

/* Of one array; more are not worth it. */
enum { PACKED_RUNS_MAX = 128 };

/* Words that are looked at together. */
enum { PACKED_BLOCK = 8 };

/* Do those from here on rise by the step, and does the first rise so from the one before? */
static bool rises(const uint32_t *words, uint32_t step)
{
    uint32_t different = 0;
    for (uint32_t i = 0; i < PACKED_BLOCK; i++) {
        different |= (words[i] - words[(int)i - 1]) ^ step;
    }
    return different == 0;
}

/* How many runs say the words; 0 where they are too many. */
static uint32_t pack_runs(const uint32_t *words, uint32_t cells,
                          struct shadow_run runs[PACKED_RUNS_MAX])
{
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < cells; cell += runs[count++].length) {
        const uint32_t step = cell + 1 < cells ? words[cell + 1] - words[cell] : 0;
        uint32_t length = 1;
        if (count == PACKED_RUNS_MAX) {
            return 0;
        }
        while (cell + length + PACKED_BLOCK <= cells && rises(words + cell + length, step)) {
            length += PACKED_BLOCK;
        }
        while (cell + length < cells && words[cell + length] - words[cell + length - 1] == step) {
            length++;
        }
        runs[count] = (struct shadow_run){words[cell], step, length};
    }
    return count;
}

static uint32_t flags_down(uint32_t word)
{
    return word << 2 | word >> 30;
}

static uint32_t flags_up(uint32_t word)
{
    return word >> 2 | word << 30;
}

/* NULL where they differ by too much, or memory is out. */
static uint16_t *pack_halves(const uint32_t *words, uint32_t cells, uint32_t *base)
{
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    for (uint32_t i = 0; i < cells; i++) {
        const uint32_t word = flags_down(words[i]);
        least = word != 0 && word < least ? word : least;
        most = word > most ? word : most;
    }
    ASSERT(least <= most); /* all 0 is one run */
    *base = least - 1;
    uint16_t *halves = most - *base <= UINT16_MAX ? alloc(cells * sizeof *halves) : NULL;
    for (uint32_t i = 0; halves != NULL && i < cells; i++) {
        halves[i] = words[i] == 0 ? 0 : (uint16_t)(flags_down(words[i]) - *base);
    }
    return halves;
}

static struct shadow_array pack_array(const uint32_t *words, uint32_t cells,
                                      struct shadow_run *runs)
{
    struct shadow_array array = {.form = SHADOW_NONE};
    if (words == NULL) {
        return array;
    }
    array.count = pack_runs(words, cells, runs);
    if (array.count == 0) {
        array.halves = pack_halves(words, cells, &array.base);
    }
    array.form = array.count != 0       ? SHADOW_RUNS
                 : array.halves != NULL ? SHADOW_HALVES
                                        : SHADOW_WORDS;
    return array;
}

void shadow_page_pack(struct shadow *shadow, struct shadow_page *page)
{
    const uint32_t *words[SHADOW_STORES] = {shadow_page_is_written(page) ? page->w : NULL, page->r,
                                            page->n};
    struct shadow_packed packed;
    ASSERT(page->packed == NULL && (page->n == NULL || page->r != NULL));
    struct shadow_run runs[SHADOW_STORES * PACKED_RUNS_MAX];
    uint32_t count = 0;
    for (int i = 0; i < SHADOW_STORES; i++) {
        packed.arrays[i] = pack_array(words[i], shadow_page_cells(page), runs + count);
        count += packed.arrays[i].count;
    }
    page->packed = alloc(sizeof packed + count * sizeof *runs);
    if (page->packed == NULL) {
        for (int i = 0; i < SHADOW_STORES; i++) {
            alloc_free(packed.arrays[i].halves);
        }
        return;
    }
    *page->packed = packed;
    memcpy(page->packed->runs, runs, count * sizeof *runs);
    for (int i = 0; i < SHADOW_STORES; i++) {
        if (packed.arrays[i].form != SHADOW_WORDS) {
            give_store(shadow, page, i);
        }
    }
    page->w = (uint32_t *)(uintptr_t)shadow_unwritten;
    page->r = page->n = NULL;
}

static void unpack_runs(const struct shadow_run *runs, uint32_t count, uint32_t *words)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct shadow_run run = runs[i];
        for (uint32_t k = 0; k < run.length; k++) {
            words[k] = run.first + k * run.step;
        }
        words += run.length;
    }
}

static void unpack_halves(const struct shadow_array *array, uint32_t cells, uint32_t *words)
{
    for (uint32_t i = 0; i < cells; i++) {
        words[i] = array->halves[i] == 0 ? 0 : flags_up(array->base + array->halves[i]);
    }
}

bool shadow_page_unpack(struct shadow *shadow, struct shadow_page *page)
{
    const uint32_t cells = shadow_page_cells(page);
    ASSERT(!shadow_page_is_written(page) && page->r == NULL && page->n == NULL);
    const struct shadow_run *runs = page->packed->runs;
    uint32_t *words[SHADOW_STORES] = {page->w, NULL, NULL};
    for (int i = 0; i < SHADOW_STORES; i++) {
        const struct shadow_array *array = &page->packed->arrays[i];
        if (array->form == SHADOW_NONE) {
            continue;
        }
        words[i] = words_of(shadow, page, i, cells);
        if (words[i] == NULL) {
            return false;
        }
        if (array->form == SHADOW_HALVES) {
            unpack_halves(array, cells, words[i]);
        }
        unpack_runs(runs, array->count, words[i]);
        runs += array->count;
    }
    page->w = words[SHADOW_W];
    page->r = words[SHADOW_R];
    page->n = words[SHADOW_N];
    packed_release(page->packed);
    page->packed = NULL;
    return true;
}

void shadow_pack_oldest(struct shadow *shadow)
{
    while (shadow_is_wide_open(shadow)) {
        struct shadow_page *page = shadow->open[shadow->open_first];
        shadow->open_first = (shadow->open_first + 1) % shadow->open_capacity;
        ASSERT(page->listed);
        shadow->open_count--;
        page->listed = false;
        shadow_page_pack(shadow, page);
    }
}
