#include "layer/probes/byte_ranges.h"

#include "trace/base/alloc.h"

#include <string.h>

enum { RANGES_MAX = 4096 };

/* The first that does not end before the byte. */
static size_t find(const struct byte_ranges *ranges, uint64_t byte)
{
    size_t low = 0, high = ranges->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ranges->items[middle].end < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(struct byte_ranges *ranges)
{
    struct byte_range *grown = ranges->count < RANGES_MAX ? alloc_grow(ranges->items, ranges->count,
                                                                       &ranges->room, sizeof *grown)
                                                          : NULL;
    if (grown)
        ranges->items = grown;
    return grown != NULL;
}

/* In place of `gone` others from `at` on come `count` of these; there is room. */
static void replace(struct byte_ranges *ranges, size_t at, size_t gone,
                    const struct byte_range *items, size_t count)
{
    memmove(ranges->items + at + count, ranges->items + at + gone,
            (ranges->count - at - gone) * sizeof *ranges->items);
    memcpy(ranges->items + at, items, count * sizeof *items);
    ranges->count += count;
    ranges->count -= gone;
}

bool byte_ranges_add(struct byte_ranges *ranges, uint64_t begin, uint64_t end)
{
    struct byte_range added = {begin, end};
    if (begin >= end || byte_ranges_hold(ranges, begin, end))
        return true;
    if (!make_room(ranges))
        return false;
    const size_t first = find(ranges, begin);
    size_t last = first;
    for (; last < ranges->count && ranges->items[last].begin <= end; last++) {
        const struct byte_range *met = &ranges->items[last];
        added.begin = met->begin < added.begin ? met->begin : added.begin;
        added.end = met->end > added.end ? met->end : added.end;
    }
    replace(ranges, first, last - first, &added, 1);
    return true;
}

bool byte_ranges_remove(struct byte_ranges *ranges, uint64_t begin, uint64_t end)
{
    struct byte_range left[2];
    size_t count = 0;
    if (begin >= end || ranges->count == 0)
        return true;
    if (!make_room(ranges))
        return false;
    const size_t first = find(ranges, begin);
    size_t last = first;
    for (; last < ranges->count && ranges->items[last].begin < end; last++) {
        const struct byte_range *met = &ranges->items[last];
        if (met->begin < begin)
            left[count++] = (struct byte_range){met->begin, met->end < begin ? met->end : begin};
        if (met->end > end)
            left[count++] = (struct byte_range){end, met->end};
    }
    replace(ranges, first, last - first, left, count);
    return true;
}

bool byte_ranges_hold(const struct byte_ranges *ranges, uint64_t begin, uint64_t end)
{
    const size_t at = find(ranges, begin);
    /* One that ends at the byte does not hold it, and does not touch the next. */
    for (size_t i = at; i < ranges->count && i < at + 2; i++)
        if (ranges->items[i].begin <= begin && end <= ranges->items[i].end)
            return true;
    return begin >= end;
}

void byte_ranges_release(struct byte_ranges *ranges)
{
    alloc_free(ranges->items);
    *ranges = (struct byte_ranges){0};
}
