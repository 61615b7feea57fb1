#include "checkers/host/memory/stretches.h"

#include "trace/base/alloc.h"

#include <string.h>

void stretches_release(struct stretches *stretches)
{
    alloc_free(stretches->list);
    *stretches = (struct stretches){.list = NULL};
}

/* How many start at or before the address. */
static size_t count_up_to(const struct stretches *stretches, uint64_t address)
{
    size_t low = 0;
    size_t high = stretches->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (stretches->list[middle].first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* After the list has changed there. */
static void find_furthest(struct stretches *stretches, size_t from)
{
    uint64_t furthest = from > 0 ? stretches->list[from - 1].furthest : 0;
    for (size_t i = from; i < stretches->count; i++) {
        furthest = stretches->list[i].last > furthest ? stretches->list[i].last : furthest;
        stretches->list[i].furthest = furthest;
    }
}

bool stretches_add(struct stretches *stretches, uint64_t first, uint64_t last, void *owner)
{
    const size_t at = count_up_to(stretches, first);
    struct stretch *grown = alloc_grow(stretches->list, stretches->count, &stretches->capacity,
                                       sizeof *stretches->list);
    if (!grown)
        return false;
    stretches->list = grown;
    memmove(&grown[at + 1], &grown[at], (stretches->count - at) * sizeof *grown);
    grown[at] = (struct stretch){.first = first, .last = last, .owner = owner};
    stretches->count++;
    find_furthest(stretches, at);
    return true;
}

void stretches_remove(struct stretches *stretches, uint64_t first, uint64_t last, const void *owner)
{
    for (size_t i = count_up_to(stretches, first); i-- > 0 && stretches->list[i].first == first;) {
        const struct stretch *stretch = &stretches->list[i];
        if (stretch->last != last || stretch->owner != owner)
            continue;
        stretches->count--;
        memmove(&stretches->list[i], &stretches->list[i + 1],
                (stretches->count - i) * sizeof *stretches->list);
        find_furthest(stretches, i);
        return;
    }
}

const struct stretch *stretches_next(const struct stretches *stretches, uint64_t first,
                                     uint64_t last, size_t *at)
{
    size_t i = *at == SIZE_MAX ? count_up_to(stretches, last) : *at;
    while (i-- > 0 && stretches->list[i].furthest >= first) {
        if (stretches->list[i].last < first)
            continue;
        *at = i;
        return &stretches->list[i];
    }
    *at = 0;
    return NULL;
}
