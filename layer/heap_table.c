#include "layer/heap_table.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* Memory is counted in grains, 16 bytes each, and in pages: of `used` a bit says that a block began
 * in the page. The words of others are not looked at, since the kernel would have to make them. */
enum {
    GRAIN_BITS = 4,
    REGION_BITS = 26,
    ADDRESS_BITS = 48,
    GRAINS = 1 << (REGION_BITS - GRAIN_BITS), /* of a region */
    PAGE_BITS = 11,
    PAGE_GRAINS = 1 << (PAGE_BITS - GRAIN_BITS),
    PAGES = GRAINS / PAGE_GRAINS,
    REGIONS = 1 << (ADDRESS_BITS - REGION_BITS),
    BITS = 64 /* of a word of bits */
};

struct region {
    _Atomic uint64_t used[PAGES / BITS];
    _Atomic uint64_t words[GRAINS];
};

static struct region *_Atomic regions[REGIONS];
static _Atomic uint64_t used_regions[REGIONS / BITS];
/* No block is larger than so many pages: whoever looks for one that reaches somewhere need not look
 * farther back. */
static _Atomic uint64_t pages_max = 2;

/* ---- words: the size, what was added, whose the block is, and whether it is in use; 0 = no block
 * ---- */

enum { SIZE_BITS = ADDRESS_BITS, ADDED_BITS = 13, ADDED_MAX = (1 << ADDED_BITS) - 1 };
#define IN_USE  (UINT64_C(1) << 63)
#define FREED   (UINT64_C(1) << 62)
#define FOREIGN (UINT64_C(1) << 61)

static uint64_t make_word(uint64_t size, uint64_t usable, bool foreign)
{
    const uint64_t added = usable > size ? usable - size : 0;
    return IN_USE | (foreign ? FOREIGN : 0) | (added < ADDED_MAX ? added : ADDED_MAX) << SIZE_BITS |
           size;
}

static uint64_t size_of(uint64_t word)
{
    return word & ((UINT64_C(1) << SIZE_BITS) - 1);
}

/* Bytes from the block's first to where the next one may begin. Where what an allocator gives ends
 * in the middle of a grain, with more than one, the rest is what it notes of the next block. */
static uint64_t extent_of(uint64_t word)
{
    const uint64_t usable = size_of(word) + (word >> SIZE_BITS & ADDED_MAX);
    const uint64_t grain = 1 << GRAIN_BITS;
    return usable > grain ? (usable + grain - 1) & ~(grain - 1) : usable;
}

/* ---- bits ---- */

static bool has_bit(_Atomic uint64_t *bits, uint64_t index)
{
    const uint64_t word = atomic_load_explicit(&bits[index / BITS], memory_order_relaxed);
    return word >> index % BITS & 1;
}

static void set_bit(_Atomic uint64_t *bits, uint64_t index)
{
    if (!has_bit(bits, index))
        atomic_fetch_or(&bits[index / BITS], UINT64_C(1) << index % BITS);
}

/* *index becomes that of the last bit that is set up to there, and from `first`. */
static bool find_bit_back(_Atomic uint64_t *bits, uint64_t first, uint64_t *index)
{
    uint64_t at = *index / BITS;
    uint64_t word = bits[at] & UINT64_MAX >> (BITS - 1 - *index % BITS);
    while (word == 0 && at > first / BITS)
        word = bits[--at];
    if (word == 0)
        return false;
    *index = at * BITS + BITS - 1 - (uint64_t)__builtin_clzll(word);
    return *index >= first;
}

/* ---- regions ---- */

static struct region *region_at(uint64_t index)
{
    return atomic_load_explicit(&regions[index], memory_order_acquire);
}

/* NULL: there is no room. */
static struct region *make_region(uint64_t index)
{
    const int saved = errno;
    struct region *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct region *region = NULL;
    if (made != MAP_FAILED) {
        madvise(made, sizeof *made, MADV_NOHUGEPAGE);
        if (atomic_compare_exchange_strong(&regions[index], &region, made)) {
            region = made;
            set_bit(used_regions, index);
        } else { /* another thread has made it */
            munmap(made, sizeof *made);
        }
    }
    errno = saved;
    return region;
}

/* The word of the block; NULL = none can be, or there is no region. */
static _Atomic uint64_t *word_at(uint64_t address)
{
    if (address >> ADDRESS_BITS != 0 || address % (1 << GRAIN_BITS) != 0)
        return NULL;
    struct region *region = region_at(address >> REGION_BITS);
    return region ? &region->words[(address >> GRAIN_BITS) % GRAINS] : NULL;
}

/* Of the grains from `first` to `end`, which lie in one page of words. */
static void clear_page(struct region *region, uint64_t first, uint64_t end)
{
    const uint64_t page = first / PAGE_GRAINS;
    if (!has_bit(region->used, page))
        return;
    for (uint64_t grain = first; grain < end; grain++)
        atomic_store_explicit(&region->words[grain], 0, memory_order_relaxed);
    if (end - first == PAGE_GRAINS)
        atomic_fetch_and(&region->used[page / BITS], ~(UINT64_C(1) << page % BITS));
}

static uint64_t end_of(uint64_t index, uint64_t count, uint64_t end)
{
    const uint64_t behind = (index / count + 1) * count;
    return behind < end ? behind : end;
}

/* No block begins in these grains any more. */
static void clear(uint64_t first, uint64_t end)
{
    while (first < end) {
        struct region *region = region_at(first / GRAINS);
        const uint64_t page = first % GRAINS / PAGE_GRAINS;
        const bool any =
            region && atomic_load_explicit(&region->used[page / BITS], memory_order_relaxed) != 0;
        const uint64_t step = !region ? GRAINS : !any ? PAGE_GRAINS * BITS : PAGE_GRAINS;
        const uint64_t stop = end_of(first, step, end);
        if (any)
            clear_page(region, first % GRAINS, first % GRAINS + (stop - first));
        first = stop;
    }
}

/* ---- what the functions of malloc tell ---- */

static void raise_pages_max(uint64_t pages)
{
    uint64_t most = atomic_load_explicit(&pages_max, memory_order_relaxed);
    while (pages > most && !atomic_compare_exchange_weak(&pages_max, &most, pages))
        continue;
}

/* There is a place for a block that begins and ends so, and no other one begins in it. False: there
 * is no room. */
static __attribute__((noinline)) bool make_place(uint64_t address, uint64_t end)
{
    const uint64_t first = address >> GRAIN_BITS;
    clear(first + 1, end >> GRAIN_BITS);
    struct region *region = region_at(address >> REGION_BITS);
    if (!region)
        region = make_region(address >> REGION_BITS);
    if (!region)
        return false;
    raise_pages_max(((end - address) >> PAGE_BITS) + 1);
    set_bit(region->used, first % GRAINS / PAGE_GRAINS);
    return true;
}

/* The same where it takes little: the block lies in one page, in which others began. */
static inline bool find_place(uint64_t address, uint64_t end)
{
    struct region *region = region_at(address >> REGION_BITS);
    const uint64_t first = (address >> GRAIN_BITS) % GRAINS;
    const uint64_t page = first / PAGE_GRAINS;
    const uint64_t grains = (end >> GRAIN_BITS) - (address >> GRAIN_BITS);
    if (!region || first + grains > (page + 1) * PAGE_GRAINS || !has_bit(region->used, page))
        return false;
    for (uint64_t grain = 1; grain < grains; grain++)
        atomic_store_explicit(&region->words[first + grain], 0, memory_order_relaxed);
    return true;
}

void heap_table_give(const void *block, size_t size, size_t usable, bool foreign)
{
    const uint64_t address = (uintptr_t)block;
    const uint64_t grain = 1 << GRAIN_BITS;
    if (!block || address >> ADDRESS_BITS != 0 || size >> SIZE_BITS != 0)
        return;
    const uint64_t end = address + (usable > size ? usable : size) + grain - 1;
    if (!find_place(address, end) && !make_place(address, end))
        return;
    struct region *region = region_at(address >> REGION_BITS);
    const uint64_t word = address % grain == 0 ? make_word(size, usable, foreign) : 0;
    atomic_store_explicit(&region->words[(address >> GRAIN_BITS) % GRAINS], word,
                          memory_order_relaxed);
}

void heap_table_free(const void *block)
{
    _Atomic uint64_t *word = word_at((uintptr_t)block);
    const uint64_t now = word ? atomic_load_explicit(word, memory_order_relaxed) : 0;
    if (now & IN_USE)
        atomic_store_explicit(word, now ^ (IN_USE | FREED), memory_order_relaxed);
}

void heap_table_keep(const void *block)
{
    _Atomic uint64_t *word = word_at((uintptr_t)block);
    const uint64_t now = word ? atomic_load_explicit(word, memory_order_relaxed) : 0;
    if (now & FREED)
        atomic_store_explicit(word, now ^ (IN_USE | FREED), memory_order_relaxed);
}

/* ---- finding ---- */

/* The last block that begins in the page, up to the grain; 0 = none. */
static uint64_t find_word_back(const struct region *region, uint64_t *grain)
{
    const uint64_t first = *grain / PAGE_GRAINS * PAGE_GRAINS;
    for (uint64_t at = *grain + 1; at-- > first;) {
        const uint64_t word = atomic_load_explicit(&region->words[at], memory_order_relaxed);
        if (word != 0) {
            *grain = at;
            return word;
        }
    }
    return 0;
}

/* The last block that begins in the region, up to the grain and from the page `first`; 0 = none. */
static uint64_t find_in_region(struct region *region, uint64_t first, uint64_t *grain)
{
    uint64_t page = *grain / PAGE_GRAINS;
    while (find_bit_back(region->used, first, &page)) {
        if (page != *grain / PAGE_GRAINS)
            *grain = page * PAGE_GRAINS + PAGE_GRAINS - 1;
        const uint64_t word = find_word_back(region, grain);
        if (word != 0 || page == 0)
            return word;
        page--;
    }
    return 0;
}

/* The last block that begins up to the address, and may reach it, at *first; 0 = none. */
static uint64_t find_back(uint64_t address, uint64_t *first)
{
    const uint64_t page = address >> PAGE_BITS;
    const uint64_t most = atomic_load_explicit(&pages_max, memory_order_relaxed);
    const uint64_t first_page = page > most ? page - most : 0;
    const uint64_t first_region = first_page / PAGES;
    uint64_t index = address >> REGION_BITS;
    uint64_t grain = (address >> GRAIN_BITS) % GRAINS;
    while (find_bit_back(used_regions, first_region, &index)) {
        if (index != address >> REGION_BITS)
            grain = GRAINS - 1;
        const uint64_t from = index == first_region ? first_page % PAGES : 0;
        const uint64_t word = find_in_region(region_at(index), from, &grain);
        *first = index << REGION_BITS | grain << GRAIN_BITS;
        if (word != 0 || index == 0)
            return word;
        index--;
    }
    return 0;
}

/* Bits of an address below those that all addresses around it share which are known to be of no
 * block, as far as blocks that begin there are concerned. */
static uint32_t empty_bits(uint64_t address)
{
    struct region *region = region_at(address >> REGION_BITS);
    if (!region)
        return REGION_BITS;
    const uint64_t page = (address >> GRAIN_BITS) % GRAINS / PAGE_GRAINS;
    return has_bit(region->used, page) ? 0 : PAGE_BITS;
}

/* `end`: of the block before it. */
static struct heap_block gap_at(uint64_t address, uint64_t end)
{
    const uint64_t size = UINT64_C(1) << empty_bits(address);
    const uint64_t begin = address & ~(size - 1);
    const uint64_t first = begin > end ? begin : end;
    return (struct heap_block){.first = first, .size = begin + size - first};
}

bool heap_table_find(uint64_t address, struct heap_block *block)
{
    uint64_t first;
    if (address >> ADDRESS_BITS != 0) {
        *block = (struct heap_block){.first = address, .size = 1};
        return false;
    }
    const uint64_t word = find_back(address, &first);
    const uint64_t extent = word != 0 ? extent_of(word) : 0;
    const bool found = word != 0 && address - first < extent;
    *block = found ? (struct heap_block){first, size_of(word), word & FREED, word & FOREIGN}
                   : gap_at(address, word != 0 ? first + extent : 0);
    return found;
}
