/* A page is 64 words. Most words of most pages are `alike`: they were stored by rows, so that a
 * pattern says their births; two, where one row of an array ends in the page and another begins.
 * Rows without a pattern make a list of `each` word's birth. Every other word has an entry of its
 * own in a second table; pages know which of theirs have one, so that a word is looked for once. */
#include "reference/vm/undefined_origins.h"

#include "reference/vm/bits.h"
#include "trace/base/alloc.h"

#include <string.h>

enum {
    WORD_SHIFT = 2,
    PAGE_WORDS = 64,
    GROUP = 8,
    FIRST_CAPACITY = 64,
    FIRST_PAGE_CAPACITY = 8,
    KEPT_PAGE_CAPACITY = 64, /* from group to group; and of entries: */
    KEPT_CAPACITY = 256,
    COUNT_MAX = 1 << 18,
    SEARCHED_MAX = 1024, /* words that are looked at together */
    PATTERNS = 2,        /* of a page */
    LISTED_LEAST = 16    /* words together for which a page gets a list */
};

struct births_entry {
    uintptr_t word;  /* 0 = free */
    uint8_t bits[4]; /* undefined ones, by byte; 0 = it was not stored */
    struct vm_origin birth;
};

struct births_pattern {
    uint64_t words; /* that are undefined wholly, with these births by their index in the page */
    struct vm_origins births;
};

struct births_page {
    uintptr_t page;  /* 0 = free */
    uint64_t single; /* words that have an entry, which counts where they are not alike */
    struct births_pattern patterns[PATTERNS]; /* no word is of two */
    uint64_t listed; /* words that are undefined wholly, and of no pattern */
    struct vm_origin
        *each; /* theirs, by their index in the page; NULL: there was no such word yet */
};

static uintptr_t word_of(const uint8_t *byte)
{
    return (uintptr_t)byte >> WORD_SHIFT;
}

/* Pages and words that follow each other are mostly put one after another: so do those of a group
 * stand together. */
static size_t slot_of(uintptr_t key, size_t capacity)
{
    const uint64_t group = (uint64_t)(key / GROUP) * UINT64_C(0x9E3779B97F4A7C15) >> 20;
    return (size_t)(group * GROUP + key % GROUP) & (capacity - 1);
}

/* ---- entries ---- */

/* The entry of the word, or the free one where it belongs. There always is a free one. */
static struct births_entry *entry_of(const struct origins *births, uintptr_t word)
{
    size_t at = slot_of(word, births->entry_capacity);
    for (;; at = (at + 1) & (births->entry_capacity - 1)) {
        struct births_entry *entry = &births->entries[at];
        if (entry->word == word || entry->word == 0)
            return entry;
    }
}

static bool grow_entries(struct origins *births)
{
    struct origins grown = {.entry_capacity = births->entry_capacity ? births->entry_capacity * 2
                                                                     : FIRST_CAPACITY};
    grown.entries = alloc_zero(grown.entry_capacity, sizeof *grown.entries);
    if (!grown.entries)
        return false;
    for (size_t i = 0; i < births->entry_capacity; i++) {
        if (births->entries[i].word)
            *entry_of(&grown, births->entries[i].word) = births->entries[i];
    }
    alloc_free(births->entries);
    births->entries = grown.entries;
    births->entry_capacity = grown.entry_capacity;
    return true;
}

static const struct births_entry *entry_find(const struct origins *births, uintptr_t word)
{
    if (births->entry_count == 0)
        return NULL;
    const struct births_entry *entry = entry_of(births, word);
    return entry->word ? entry : NULL;
}

/* ---- pages ---- */

/* The page, or the free one where it belongs. There always is a free one. */
static struct births_page *page_of(const struct origins *births, uintptr_t page)
{
    size_t at = slot_of(page, births->page_capacity);
    for (;; at = (at + 1) & (births->page_capacity - 1)) {
        struct births_page *found = &births->pages[at];
        if (found->page == page || found->page == 0)
            return found;
    }
}

static bool grow_pages(struct origins *births)
{
    struct origins grown = {.page_capacity = births->page_capacity ? births->page_capacity * 2
                                                                   : FIRST_PAGE_CAPACITY};
    grown.pages = alloc_zero(grown.page_capacity, sizeof *grown.pages);
    if (!grown.pages)
        return false;
    for (size_t i = 0; i < births->page_capacity; i++) {
        if (births->pages[i].page)
            *page_of(&grown, births->pages[i].page) = births->pages[i];
    }
    alloc_free(births->pages);
    births->pages = grown.pages;
    births->page_capacity = grown.page_capacity;
    return true;
}

static struct births_page *page_find(const struct origins *births, uintptr_t page)
{
    if (births->page_count == 0)
        return NULL;
    struct births_page *found = page_of(births, page);
    return found->page ? found : NULL;
}

/* NULL: memory is out. */
static struct births_page *page_get(struct origins *births, uintptr_t page)
{
    if (births->page_count * 2 >= births->page_capacity && !grow_pages(births))
        return NULL;
    struct births_page *found = page_of(births, page);
    if (found->page)
        return found;
    births->page_count++;
    *found = (struct births_page){.page = page};
    for (uint32_t i = 0; i < PAGE_WORDS && births->entry_count; i++) {
        if (entry_find(births, page * PAGE_WORDS + i))
            found->single |= UINT64_C(1) << i;
    }
    return found;
}

static uint64_t word_bit(uintptr_t word)
{
    return UINT64_C(1) << word % PAGE_WORDS;
}

/* The pattern that one of the words is of; NULL: they are of none. The page may be NULL. */
static struct births_pattern *pattern_of(struct births_page *page, uint64_t words)
{
    for (uint32_t i = 0; page && i < PATTERNS; i++) {
        if (page->patterns[i].words & words)
            return &page->patterns[i];
    }
    return NULL;
}

/* Is the word undefined wholly, as the page says, which may be NULL? */
static bool whole_find(struct births_page *page, uintptr_t word, struct vm_origin *birth)
{
    const struct births_pattern *alike = pattern_of(page, word_bit(word));
    if (alike)
        *birth = vm_origins_at(&alike->births, word % PAGE_WORDS);
    else if (page && page->listed & word_bit(word))
        *birth = page->each[word % PAGE_WORDS];
    else
        return false;
    return true;
}

/* The page says so no more. */
static void whole_drop(struct births_page *page, uint64_t words)
{
    for (uint32_t i = 0; i < PATTERNS; i++)
        page->patterns[i].words &= ~words;
    page->listed &= ~words;
}

/* Words that something is known of. */
static uint64_t known_words(const struct births_page *page)
{
    uint64_t words = page->single | page->listed;
    for (uint32_t i = 0; i < PATTERNS; i++)
        words |= page->patterns[i].words;
    return words;
}

/* Words of the range are going to be known. */
static void widen(struct origins *births, uintptr_t first, uintptr_t last)
{
    struct vm_words *words = &births->words;
    words->lowest = births->count && words->lowest < first ? words->lowest : first;
    words->highest = words->highest > last ? words->highest : last;
}

/* ---- words one by one ---- */

/* The word's entry, made if need be, if the word may be known; NULL: there is no room. The page is
 * the word's, or NULL. What the page says of the word is the entry's then. */
static struct births_entry *entry_get(struct origins *births, struct births_page *page,
                                      uintptr_t word)
{
    struct vm_origin birth;
    const bool whole = whole_find(page, word, &birth);
    struct births_entry *entry = births->entry_capacity ? entry_of(births, word) : NULL;
    if (!entry || !entry->word) {
        if (!whole && births->count >= COUNT_MAX)
            return NULL;
        if (births->entry_count * 2 >= births->entry_capacity && !grow_entries(births) &&
            births->entry_count + 1 >= births->entry_capacity)
            return NULL;
        entry = entry_of(births, word);
        widen(births, word, word);
        births->entry_count++;
        births->count += !whole;
        *entry = (struct births_entry){.word = word};
    }
    if (whole) {
        for (uint32_t i = 0; i < sizeof entry->bits; i++)
            entry->bits[i] = 0xFF;
        entry->birth = birth;
        whole_drop(page, word_bit(word));
    }
    if (page)
        page->single |= word_bit(word);
    return entry;
}

/* What is known of a word; false: nothing. */
static bool word_find(const struct origins *births, uintptr_t word, struct births_entry *found)
{
    struct births_page *page = page_find(births, word / PAGE_WORDS);
    *found = (struct births_entry){.word = word, .bits = {0xFF, 0xFF, 0xFF, 0xFF}};
    if (whole_find(page, word, &found->birth))
        return true;
    const struct births_entry *entry =
        page && !(page->single & word_bit(word)) ? NULL : entry_find(births, word);
    if (entry)
        *found = *entry;
    return entry != NULL;
}

/* Bytes of the word that `place` lies in, from there on and of `size` at most. */
static uint32_t in_word(const uint8_t *place, uint32_t size)
{
    const uint32_t left = (1U << WORD_SHIFT) - (uint32_t)((uintptr_t)place & 3);
    return left < size ? left : size;
}

bool origins_put(struct origins *births, const uint8_t *place, uint32_t size, uint64_t bits,
                 struct vm_origin birth)
{
    for (uint32_t i = 0, count; i < size; i += count) {
        count = in_word(place + i, size - i);
        if ((bits >> 8 * i & bits_low(8 * count)) == 0)
            continue;
        const uintptr_t word = word_of(place + i);
        struct births_entry *entry = entry_get(births, page_find(births, word / PAGE_WORDS), word);
        if (!entry)
            return false;
        for (uint32_t k = i; k < i + count; k++) {
            const uint8_t byte_bits = (uint8_t)(bits >> 8 * k);
            uint8_t *known = &entry->bits[(uintptr_t)(place + k) % sizeof entry->bits];
            *known = byte_bits ? byte_bits : *known;
        }
        entry->birth = birth;
    }
    return true;
}

const struct vm_origin *origins_find(struct origins *births, const uint8_t *place, uint32_t size)
{
    for (uint32_t i = 0, count; i < size && births->count; i += count) {
        struct births_entry entry;
        count = in_word(place + i, size - i);
        if (!word_find(births, word_of(place + i), &entry))
            continue;
        births->found = entry.birth;
        for (uint32_t k = i; k < i + count; k++) {
            if (entry.bits[(uintptr_t)(place + k) % sizeof entry.bits])
                return &births->found;
        }
    }
    return NULL;
}

uint64_t origins_bits(const struct origins *births, const uint8_t *place, uint32_t size,
                      uint64_t bytes)
{
    uint64_t bits = 0;
    for (uint32_t i = 0, count; i < size; i += count) {
        struct births_entry entry;
        count = in_word(place + i, size - i);
        const bool found = births->count && word_find(births, word_of(place + i), &entry);
        for (uint32_t k = i; k < i + count; k++) {
            const uint8_t known =
                found ? entry.bits[(uintptr_t)(place + k) % sizeof entry.bits] : 0;
            if (bytes >> k & 1)
                bits |= (uint64_t)(known ? known : 0xFF) << 8 * k;
        }
    }
    return bits;
}

/* ---- words one after another ---- */

/* The words of a range that lie in one page. */
struct piece {
    uintptr_t page;
    uint64_t mask;
    uint32_t first; /* of the page's words */
    uint32_t index; /* of that one in the range */
    uint32_t count;
};

static struct piece piece_at(const uint8_t *place, uint32_t index, uint32_t count)
{
    const uintptr_t word = word_of(place) + index;
    struct piece piece = {.page = word / PAGE_WORDS, .first = word % PAGE_WORDS, .index = index};
    const uint32_t left = PAGE_WORDS - piece.first;
    piece.count = left < count - index ? left : count - index;
    piece.mask = bits_low(piece.count) << piece.first;
    return piece;
}

/* The pattern by an index that is greater by `by`. */
static struct vm_origins moved(const struct vm_origins *births, int64_t by)
{
    struct vm_origins result = *births;
    const bool runs = births->run_shift < VM_ORIGINS_NO_RUNS;
    const int64_t steps = runs ? by >> births->run_shift : by;
    result.first.address -= (uint64_t)(steps * (runs ? births->jump : births->stride));
    return result;
}

/* The words of the page that it says with other births get entries. */
static bool make_single(struct origins *births, struct births_page *page, uint64_t words)
{
    while (words) {
        const uint32_t word = (uint32_t)__builtin_ctzll(words);
        if (!entry_get(births, page, page->page * PAGE_WORDS + word))
            return false;
        words &= words - 1;
    }
    return true;
}

/* The pattern that is to say the births of words of the page: the same, one of no other words, or
 * else the last. */
static struct births_pattern *pattern_for(struct births_page *page, uint64_t words,
                                          const struct vm_origins *births)
{
    struct births_pattern *free = &page->patterns[PATTERNS - 1];
    for (uint32_t i = 0; i < PATTERNS; i++) {
        if (vm_origins_equal(&page->patterns[i].births, births))
            return &page->patterns[i];
    }
    for (uint32_t i = 0; i < PATTERNS; i++) {
        if ((page->patterns[i].words & ~words) == 0)
            free = &page->patterns[i];
    }
    return free;
}

/* Words of the page are about to be said wholly undefined. */
static void put_whole(struct origins *births, struct births_page *page, uint64_t words)
{
    const uint64_t unknown = words & ~known_words(page);
    if (unknown)
        births->count += (size_t)__builtin_popcountll(unknown);
    whole_drop(page, words);
}

static bool put_piece(struct origins *births, const struct piece *piece,
                      const struct vm_origins *words)
{
    struct births_page *page = page_get(births, piece->page);
    const struct vm_origins by_page = moved(words, (int64_t)piece->first - (int64_t)piece->index);
    if (!page)
        return false;
    struct births_pattern *pattern = pattern_for(page, piece->mask, &by_page);
    if (!vm_origins_equal(&pattern->births, &by_page) &&
        !make_single(births, page, pattern->words & ~piece->mask))
        return false;
    put_whole(births, page, piece->mask);
    pattern->births = by_page;
    pattern->words |= piece->mask;
    return true;
}

/* Words of the piece that nothing is known of. */
static size_t unknown_in(const struct origins *births, const struct piece *piece)
{
    const struct births_page *page = page_find(births, piece->page);
    const uintptr_t first = piece->page * PAGE_WORDS + piece->first;
    size_t unknown = piece->count;
    if (page)
        return (size_t)__builtin_popcountll(piece->mask & ~known_words(page));
    for (uint32_t i = 0; i < piece->count && births->entry_count; i++)
        unknown -= entry_find(births, first + i) != NULL;
    return unknown;
}

/* Words of the range that nothing is known of. */
static size_t new_count(const struct origins *births, const uint8_t *place, uint32_t count)
{
    const uintptr_t first = word_of(place);
    size_t unknown = 0;
    if (first > births->words.highest || first + count - 1 < births->words.lowest)
        return count;
    for (uint32_t index = 0; index < count;) {
        const struct piece piece = piece_at(place, index, count);
        unknown += unknown_in(births, &piece);
        index += piece.count;
    }
    return unknown;
}

bool origins_put_words(struct origins *births, const uint8_t *place, uint32_t count,
                       const struct vm_origins *words)
{
    const bool near_limit = births->count + count > COUNT_MAX;
    const size_t unknown = near_limit ? new_count(births, place, count) : 0;
    if (unknown == count && births->count == COUNT_MAX)
        return true; /* there is no room for any */
    if (births->count + unknown > COUNT_MAX)
        return false;
    widen(births, word_of(place), word_of(place) + count - 1);
    for (uint32_t index = 0; index < count;) {
        const struct piece piece = piece_at(place, index, count);
        if (!put_piece(births, &piece, words))
            return false;
        index += piece.count;
    }
    return true;
}

bool origins_put_each(struct origins *births, const uint8_t *place, uint32_t count,
                      const struct vm_origin each[])
{
    if (count < LISTED_LEAST || births->count + count > COUNT_MAX)
        return false;
    widen(births, word_of(place), word_of(place) + count - 1);
    for (uint32_t index = 0; index < count;) {
        const struct piece piece = piece_at(place, index, count);
        struct births_page *page = page_get(births, piece.page);
        if (page && !page->each)
            page->each = alloc(PAGE_WORDS * sizeof *page->each);
        if (!page || !page->each)
            return false;
        put_whole(births, page, piece.mask);
        page->listed |= piece.mask;
        memcpy(page->each + piece.first, each + index, piece.count * sizeof *each);
        index += piece.count;
    }
    return true;
}

static enum origins_words find_piece(const struct origins *births, const struct piece *piece,
                                     struct vm_origins *words)
{
    const struct births_pattern *alike = pattern_of(page_find(births, piece->page), piece->mask);
    const int64_t by = (int64_t)piece->index - (int64_t)piece->first;
    if (!alike)
        return unknown_in(births, piece) == piece->count ? ORIGINS_NONE : ORIGINS_OTHER;
    if ((alike->words & piece->mask) != piece->mask ||
        (alike->births.run_shift < VM_ORIGINS_NO_RUNS && by % 2 != 0))
        return ORIGINS_OTHER;
    *words = moved(&alike->births, by);
    return ORIGINS_ALIKE;
}

enum origins_words origins_find_words(const struct origins *births, const uint8_t *place,
                                      uint64_t count, struct vm_origins *words)
{
    if (origins_outside(births, place, place + 4 * count - 1))
        return ORIGINS_NONE;
    if (count > SEARCHED_MAX)
        return ORIGINS_OTHER;
    struct piece piece = piece_at(place, 0, (uint32_t)count);
    const enum origins_words found = find_piece(births, &piece, words);
    for (uint32_t index = piece.count; index < count; index += piece.count) {
        struct vm_origins next;
        piece = piece_at(place, index, (uint32_t)count);
        if (find_piece(births, &piece, &next) != found ||
            (found == ORIGINS_ALIKE && !vm_origins_equal(words, &next)))
            return ORIGINS_OTHER;
    }
    return found;
}

static void release_lists(struct origins *births)
{
    for (size_t i = 0; i < births->page_capacity; i++) {
        if (births->pages[i].page)
            alloc_free(births->pages[i].each);
    }
}

void origins_forget(struct origins *births)
{
    const bool large =
        births->page_capacity > KEPT_PAGE_CAPACITY || births->entry_capacity > KEPT_CAPACITY;
    if (large)
        origins_clear(births);
    if (births->page_count + births->entry_count == 0)
        return; /* as in nearly each group */
    release_lists(births);
    for (size_t i = 0; i < births->page_capacity; i++)
        births->pages[i].page = 0;
    for (size_t i = 0; i < births->entry_capacity && births->entry_count; i++)
        births->entries[i].word = 0;
    births->count = births->page_count = births->entry_count = 0;
    births->words = (struct vm_words){0};
}

void origins_clear(struct origins *births)
{
    release_lists(births);
    alloc_free(births->pages);
    alloc_free(births->entries);
    *births = (struct origins){.count = 0};
}
