#include "checkers/order/sync.h"

#include "checkers/order/engine.h"
#include "trace/base/alloc.h"

#include <string.h>

enum { TABLE_SIZE_MIN = 64 };

static size_t hash(uint64_t a, uint64_t b)
{
    uint64_t mixed = (a * UINT64_C(0x9E3779B97F4A7C15)) ^ b;
    mixed = (mixed ^ mixed >> 31) * UINT64_C(0xFF51AFD7ED558CCD);
    return (size_t)(mixed ^ mixed >> 33);
}

void words_reset(struct sync *sync)
{
    if (sync->word_count > 0) {
        memset(sync->word_table, 0, sync->word_table_size * sizeof *sync->word_table);
    }
    sync->word_count = 0;
}

void words_release(struct sync *sync)
{
    alloc_free(sync->words);
    alloc_free(sync->word_table);
}

/* ---- words ---- */

/* The place of the word in the table, or the free one where it would be; the table is not full. */
static size_t word_slot(const struct sync *sync, uint64_t object, uint64_t index)
{
    const size_t last = sync->word_table_size - 1;
    size_t slot = hash(object, index) & last;
    while (sync->word_table[slot] != 0) {
        const struct sync_word *word = &sync->words[sync->word_table[slot] - 1];
        if (word->object == object && word->index == index) {
            break;
        }
        slot = (slot + 1) & last;
    }
    return slot;
}

static bool reserve_word(struct sync *sync)
{
    struct sync_word *words =
        sync->word_count >= UINT32_MAX - 1
            ? NULL
            : alloc_grow(sync->words, sync->word_count, &sync->word_capacity, sizeof *words);
    if (words == NULL) {
        return false;
    }
    sync->words = words;
    if (sync->word_count * 2 < sync->word_table_size) {
        return true;
    }
    const size_t size = sync->word_table_size == 0 ? TABLE_SIZE_MIN : sync->word_table_size * 2;
    uint32_t *table = alloc_zero(size, sizeof *table);
    if (table == NULL) {
        return false;
    }
    alloc_free(sync->word_table);
    sync->word_table = table;
    sync->word_table_size = size;
    for (size_t i = 0; i < sync->word_count; i++) {
        table[word_slot(sync, words[i].object, words[i].index)] = (uint32_t)(i + 1);
    }
    return true;
}

static struct sync_word *find(const struct sync *sync, const struct order_object *object,
                              uint64_t index)
{
    if (sync->word_table_size == 0) {
        return NULL;
    }
    const uint32_t at = sync->word_table[word_slot(sync, object->key, index)];
    return at == 0 ? NULL : &sync->words[at - 1];
}

struct sync_word *words_find(struct order *order, const struct order_object *object, uint64_t index)
{
    struct sync_word *word = find(&order->sync, object, index);
    return word != NULL && word->generation == order->generation[object->region] ? word : NULL;
}

void words_clear(struct order *order, struct sync_word *word)
{
    releases_drop(&order->sync.releases, &word->releases);
    word->sequence = ++order->sync.last_sequence;
    word->live = 0;
}

struct sync_word *words_make(struct order *order, struct order_object *object, uint64_t index)
{
    struct sync *sync = &order->sync;
    const uint64_t generation = order->generation[object->region];
    struct sync_word *word = find(sync, object, index);
    if (word != NULL && word->generation != generation) {
        words_clear(order, word);
        word->generation = generation;
    }
    if (word != NULL) {
        return word;
    }
    if (!reserve_word(sync)) {
        return NULL;
    }
    object->synced = order->launch;
    word = &sync->words[sync->word_count++];
    *word = (struct sync_word){.object = object->key,
                               .index = index,
                               .generation = generation,
                               .sequence = ++sync->last_sequence};
    sync->word_table[word_slot(sync, object->key, index)] = (uint32_t)sync->word_count;
    return word;
}

/* ---- own releases ---- */

static size_t own_slot(const struct sync_group *group, uint32_t word, uint32_t strand)
{
    const size_t last = group->own_table_size - 1;
    size_t slot = hash(word, strand) & last;
    while (group->owns[slot].sequence != 0 &&
           (group->owns[slot].word != word || group->owns[slot].strand != strand)) {
        slot = (slot + 1) & last;
    }
    return slot;
}

static bool reserve_own(struct sync_group *group)
{
    if (group->own_count * 2 < group->own_table_size) {
        return true;
    }
    struct sync_own *old = group->owns;
    const size_t old_size = group->own_table_size;
    const size_t size = old_size == 0 ? TABLE_SIZE_MIN : old_size * 2;
    struct sync_own *owns = alloc_zero(size, sizeof *owns);
    if (owns == NULL) {
        return false;
    }
    group->owns = owns;
    group->own_table_size = size;
    for (size_t i = 0; i < old_size; i++) {
        if (old[i].sequence != 0) {
            owns[own_slot(group, old[i].word, old[i].strand)] = old[i];
        }
    }
    alloc_free(old);
    return true;
}

struct sync_own *words_own(struct order *order, const struct sync_word *word, uint32_t strand,
                           bool make)
{
    struct sync *sync = &order->sync;
    struct sync_group *group = &order->now->known;
    const uint32_t index = (uint32_t)(word - sync->words);
    if (make && !reserve_own(group)) {
        return NULL;
    }
    if (group->own_table_size == 0) {
        return NULL;
    }
    struct sync_own *own = &group->owns[own_slot(group, index, strand)];
    if (own->sequence == 0) {
        if (!make) {
            return NULL;
        }
        *own = (struct sync_own){.word = index, .strand = strand};
        group->own_count++;
    } else if (own->sequence != word->sequence) {
        releases_drop(&sync->releases, &own->releases);
    }
    own->sequence = word->sequence;
    return own;
}

void words_forget_owns(struct sync_group *group)
{
    if (group->own_count > 0) {
        memset(group->owns, 0, group->own_table_size * sizeof *group->owns);
    }
    group->own_count = 0;
}

void words_drop_owns(struct sync *sync, struct sync_group *group)
{
    if (group->own_count == 0) {
        return;
    }
    for (size_t i = 0; i < group->own_table_size; i++) {
        releases_drop(&sync->releases, &group->owns[i].releases);
    }
    words_forget_owns(group);
}
