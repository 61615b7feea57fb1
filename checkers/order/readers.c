#include "checkers/order/readers.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

enum { WORDS_MAX = 1 + 2 * READERS_CLASS_COUNT, TABLE_SIZE_MIN = 256 };

void readers_reset(struct readers *readers)
{
    if (readers->count > 0) {
        memset(readers->table, 0, readers->table_size * sizeof *readers->table);
    }
    if (readers->size > 1) {
        memset(readers->singles, 0, sizeof readers->singles);
    }
    readers->count = 0;
    readers->size = 1; /* offset 0 means "free" in the table */
}

void readers_release(struct readers *readers)
{
    alloc_free(readers->words);
    alloc_free(readers->table);
    *readers = (struct readers){.widest = readers->widest};
}

/* The class of atomic updates that cells hold themselves. */
static unsigned updates(const struct readers *readers)
{
    return READERS_ATOMIC_WRITE + readers->widest;
}

/* How far apart the two of a cell are that holds no state. */
static enum observer_scope pair_level(uint32_t r, uint32_t n)
{
    if (n >= ENTRY_FLAG) {
        return OBSERVER_SCOPE_DEVICE;
    }
    return r >= ENTRY_FLAG ? OBSERVER_SCOPE_WORK_GROUP
           : n != 0        ? OBSERVER_SCOPE_SUB_GROUP
                           : OBSERVER_SCOPE_WORK_ITEM;
}

void readers_unpack(const struct readers *readers, uint32_t r, uint32_t n, struct reader_set *set)
{
    if (n != ENTRY_STATE) {
        const unsigned class = (r & ENTRY_ATOMIC) != 0 ? updates(readers) : READERS_PLAIN;
        set->present = r != 0 ? 1U << class : 0;
        set->saturated = n >= ENTRY_FLAG ? 1U << class : 0;
        set->level = pair_level(r, n);
        set->pairs[class] = (struct reader_pair){.older = entry_plain(r), .newer = entry_plain(n)};
        return;
    }
    ASSERT(r > 0 && r < readers->size);
    const uint32_t *word = readers_words(readers, r);
    const uint32_t header = *word++;
    set->present = header & READERS_CLASS_MASK;
    set->saturated = header >> READERS_SATURATED_SHIFT & READERS_CLASS_MASK;
    set->level = (enum observer_scope)(header >> READERS_LEVEL_SHIFT);
    for (uint32_t left = set->present; left != 0; left &= left - 1) {
        struct reader_pair *pair = &set->pairs[__builtin_ctz(left)];
        pair->older = *word++;
        pair->newer = *word++;
    }
}

static uint32_t hash_words(const uint32_t *words, size_t count)
{
    uint64_t hash = UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0xFF51AFD7ED558CCD);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

static size_t state_words(uint32_t header)
{
    return 1 + 2 * (size_t)__builtin_popcount(header & READERS_CLASS_MASK);
}

static void table_insert(uint32_t *table, size_t table_size, const uint32_t *words, uint32_t offset)
{
    size_t slot = hash_words(&words[offset], state_words(words[offset])) & (table_size - 1);
    while (table[slot] != 0) {
        slot = (slot + 1) & (table_size - 1);
    }
    table[slot] = offset;
}

/* Keeps the table at most half full. */
static bool table_reserve(struct readers *readers)
{
    if (readers->count * 2 < readers->table_size) {
        return true;
    }
    const size_t table_size = readers->table_size == 0 ? TABLE_SIZE_MIN : readers->table_size * 2;
    uint32_t *table = alloc_zero(table_size, sizeof *table);
    if (table == NULL) {
        return false;
    }
    for (size_t i = 0; i < readers->table_size; i++) {
        if (readers->table[i] != 0) {
            table_insert(table, table_size, readers->words, readers->table[i]);
        }
    }
    alloc_free(readers->table);
    readers->table = table;
    readers->table_size = table_size;
    return true;
}

static bool words_reserve(struct readers *readers, size_t count)
{
    if (readers->size + count <= readers->capacity) {
        return true;
    }
    if (readers->size + count > UINT32_MAX) {
        return false;
    }
    const size_t capacity = readers->capacity == 0 ? 1024 : readers->capacity * 2;
    uint32_t *words = alloc_resize(readers->words, capacity * sizeof *words);
    if (words == NULL) {
        return false;
    }
    readers->words = words;
    readers->capacity = capacity;
    return true;
}

/* Adds a state and gives its offset; 0 when memory is out. */
static uint32_t append(struct readers *readers, const uint32_t *words, size_t count)
{
    if (!words_reserve(readers, count)) {
        return 0;
    }
    ASSERT(count == state_words(words[0]));
    const uint32_t offset = (uint32_t)readers->size;
    memcpy(&readers->words[offset], words, count * sizeof *words);
    readers->size += count;
    return offset;
}

/* The offset of the state of one member with these words; 0 when memory is out. */
static uint32_t single(struct readers *readers, const uint32_t *words, size_t count)
{
    uint32_t *last = &readers->singles[entry_lane(words[1])];
    if (*last != 0 && memcmp(&readers->words[*last], words, count * sizeof *words) == 0) {
        return *last; /* no state has fewer words */
    }
    const uint32_t offset = append(readers, words, count);
    if (offset != 0) {
        *last = offset;
    }
    return offset;
}

/* The offset of the state with these words, added if it is new; 0 when memory is out. */
static uint32_t intern(struct readers *readers, const uint32_t *words, size_t count)
{
    if (!table_reserve(readers)) {
        return 0;
    }
    size_t slot = hash_words(words, count) & (readers->table_size - 1);
    for (; readers->table[slot] != 0; slot = (slot + 1) & (readers->table_size - 1)) {
        const uint32_t *other = &readers->words[readers->table[slot]];
        if (other[0] == words[0] && memcmp(other, words, count * sizeof *words) == 0) {
            return readers->table[slot]; /* equal headers: equal lengths */
        }
    }
    const uint32_t offset = append(readers, words, count);
    if (offset != 0) {
        readers->table[slot] = offset;
        readers->count++;
    }
    return offset;
}

bool readers_pack(struct readers *readers, const struct reader_set *set, uint32_t *r, uint32_t *n)
{
    if (set->present == 0) {
        *r = 0;
        *n = 0;
        return true;
    }
    ASSERT((set->saturated & ~set->present) == 0);
    const unsigned class = (unsigned)__builtin_ctz(set->present);
    if (set->present == 1U << class && (class == READERS_PLAIN || class == updates(readers))) {
        const struct reader_pair pair = set->pairs[class];
        const bool group = pair.newer != 0 && set->level == OBSERVER_SCOPE_WORK_GROUP;
        *r = pair.older | (group ? ENTRY_FLAG : 0) | (class != READERS_PLAIN ? ENTRY_ATOMIC : 0);
        *n = pair.newer | (set->saturated != 0 ? ENTRY_FLAG : 0);
        return true;
    }
    uint32_t words[WORDS_MAX];
    size_t count = 0;
    words[count++] = set->present | set->saturated << READERS_SATURATED_SHIFT |
                     (uint32_t)set->level << READERS_LEVEL_SHIFT;
    for (uint32_t left = set->present; left != 0; left &= left - 1) {
        const struct reader_pair *pair = &set->pairs[__builtin_ctz(left)];
        words[count++] = pair->older;
        words[count++] = pair->newer;
    }
    const bool is_single = set->present == 1U << class && set->pairs[class].newer == 0;
    const uint32_t offset =
        is_single ? single(readers, words, count) : intern(readers, words, count);
    if (offset == 0) {
        return false;
    }
    *r = offset;
    *n = ENTRY_STATE;
    return true;
}
