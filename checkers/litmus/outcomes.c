#include "checkers/litmus/outcomes.h"

#include "trace/base/assert.h"
#include "trace/base/hash.h"

#include <string.h>

struct outcome_entry {
    UT_hash_handle hh;
    uint64_t key; /* key_of its values */
    size_t index;
    struct outcome_entry *next; /* with the same key */
};

static int64_t initial(const struct litmus_test *test, size_t i)
{
    return test->is_kernel ? test->locations[i].initial : 0;
}

/* The same whether or not the last ones are initial values that are left out. */
static uint64_t key_of(const struct litmus_test *test, const int64_t *values, size_t count)
{
    uint64_t key = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t mixed = ((uint64_t)values[i] - (uint64_t)initial(test, i)) *
                         (UINT64_C(0x9e3779b97f4a7c15) + 2 * i);
        mixed = (mixed ^ mixed >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
        key += mixed ^ mixed >> 29;
    }
    return key;
}

static bool same_values(const struct litmus_test *test, const struct litmus_outcome *outcome,
                        const int64_t *values, size_t count)
{
    ASSERT(outcome->value_count <= count); /* locations are only added */
    for (size_t i = 0; i < count; i++) {
        if (values[i] != (i < outcome->value_count ? outcome->values[i] : initial(test, i))) {
            return false;
        }
    }
    return true;
}

size_t outcomes_find(const struct outcomes *outcomes, const struct litmus_outcome list[],
                     const int64_t *values, size_t count)
{
    const uint64_t key = key_of(outcomes->test, values, count);
    struct outcome_entry *entry;
    HASH_FIND(hh, outcomes->entries, &key, sizeof key, entry);
    while (entry != NULL && !same_values(outcomes->test, &list[entry->index], values, count)) {
        entry = entry->next;
    }
    return entry != NULL ? entry->index : SIZE_MAX;
}

bool outcomes_note(struct outcomes *outcomes, const int64_t *values, size_t count, size_t index)
{
    struct outcome_entry *entry = arena_alloc(outcomes->arena, 1, sizeof *entry);
    struct outcome_entry *same;
    if (entry == NULL) {
        return false;
    }
    *entry = (struct outcome_entry){.key = key_of(outcomes->test, values, count), .index = index};
    HASH_FIND(hh, outcomes->entries, &entry->key, sizeof entry->key, same);
    if (same != NULL) {
        entry->next = same->next;
        same->next = entry;
        return true;
    }
    HASH_ADD(hh, outcomes->entries, key, sizeof entry->key, entry);
    return entry->hh.tbl != NULL;
}

void outcomes_release(struct outcomes *outcomes)
{
    HASH_CLEAR(hh, outcomes->entries);
}
