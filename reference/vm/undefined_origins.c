#include "reference/vm/undefined_origins.h"

#include "reference/vm/bits.h"
#include "trace/base/alloc.h"

enum { WORD_SHIFT = 2, FIRST_CAPACITY = 256, COUNT_MAX = 1 << 18 };

struct births_entry {
    uintptr_t word;  /* 0 = free */
    uint8_t bits[4]; /* undefined ones, by byte; 0 = it was not stored */
    struct vm_origin birth;
};

static uintptr_t word_of(const uint8_t *byte)
{
    return (uintptr_t)byte >> WORD_SHIFT;
}

/* The entry of the word, or the free one where it belongs. There always is a free one. */
static struct births_entry *entry_of(const struct origins *births, uintptr_t word)
{
    size_t at = (size_t)((uint64_t)word * UINT64_C(0x9E3779B97F4A7C15) >> 20);
    for (;; at++) {
        struct births_entry *entry = &births->entries[at & (births->capacity - 1)];
        if (entry->word == word || entry->word == 0)
            return entry;
    }
}

static void grow(struct origins *births)
{
    struct origins grown = {.capacity = births->capacity ? births->capacity * 2 : FIRST_CAPACITY};
    grown.entries = alloc_zero(grown.capacity, sizeof *grown.entries);
    if (!grown.entries)
        return;
    for (size_t i = 0; i < births->capacity; i++) {
        if (births->entries[i].word)
            *entry_of(&grown, births->entries[i].word) = births->entries[i];
    }
    grown.count = births->count;
    alloc_free(births->entries);
    *births = grown;
}

/* The entry of the word that the byte lies in, made if need be; NULL: there is no room. */
static struct births_entry *entry_get(struct origins *births, const uint8_t *byte)
{
    if (births->count * 2 >= births->capacity && births->count < COUNT_MAX)
        grow(births);
    if (births->capacity == 0)
        return NULL;
    struct births_entry *entry = entry_of(births, word_of(byte));
    if (entry->word == 0) {
        if (births->count * 2 >= births->capacity)
            return NULL;
        births->count++;
        entry->word = word_of(byte);
    }
    return entry;
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
        struct births_entry *entry = entry_get(births, place + i);
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

const struct vm_origin *origins_find(const struct origins *births, const uint8_t *place,
                                     uint32_t size)
{
    for (uint32_t i = 0, count; i < size && births->count; i += count) {
        count = in_word(place + i, size - i);
        const struct births_entry *entry = entry_of(births, word_of(place + i));
        for (uint32_t k = i; k < i + count; k++) {
            if (entry->bits[(uintptr_t)(place + k) % sizeof entry->bits])
                return &entry->birth;
        }
    }
    return NULL;
}

uint64_t origins_bits(const struct origins *births, const uint8_t *place, uint32_t size,
                      uint64_t bytes)
{
    uint64_t bits = 0;
    for (uint32_t i = 0, count; i < size; i += count) {
        count = in_word(place + i, size - i);
        const struct births_entry *entry =
            births->count ? entry_of(births, word_of(place + i)) : NULL;
        for (uint32_t k = i; k < i + count; k++) {
            const uint8_t known =
                entry ? entry->bits[(uintptr_t)(place + k) % sizeof entry->bits] : 0;
            if (bytes >> k & 1)
                bits |= (uint64_t)(known ? known : 0xFF) << 8 * k;
        }
    }
    return bits;
}

void origins_clear(struct origins *births)
{
    alloc_free(births->entries);
    *births = (struct origins){.entries = NULL};
}
