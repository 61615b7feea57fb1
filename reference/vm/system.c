#include "reference/vm/system.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/size.h"

#include <stdlib.h>
#include <string.h>

enum { MAPPINGS_SIZE_MAX = 64 << 20 };

void system_ranges_release(struct system_ranges *ranges)
{
    alloc_free(ranges->items);
    *ranges = (struct system_ranges){0};
}

/* Appended, or joined with the last one, which it may go on. */
static bool add(struct system_ranges *ranges, const struct system_range *range)
{
    struct system_range *last = ranges->count > 0 ? &ranges->items[ranges->count - 1] : NULL;
    if (range->first >= range->end)
        return true;
    if (last && last->end == range->first && last->writable == range->writable) {
        last->end = range->end;
        return true;
    }
    struct system_range *grown =
        alloc_grow(ranges->items, ranges->count, &ranges->capacity, sizeof *grown);
    if (!grown)
        return false;
    ranges->items = grown;
    grown[ranges->count++] = *range;
    return true;
}

static bool is_of_clerk(const char *line, size_t size)
{
    static const char libraries[] = "/libclerk_";
    return memmem(line, size, libraries, sizeof libraries - 1) != NULL;
}

/* "7f0000000000-7f0000021000 rw-p 00000000 00:00 0 /path"; false = of no use to kernels. */
static bool parse_line(const char *line, size_t size, struct system_range *range)
{
    char *rest;
    range->first = strtoull(line, &rest, 16);
    if (*rest != '-')
        return false;
    range->end = strtoull(rest + 1, &rest, 16);
    if (rest[0] != ' ' || rest[1] != 'r')
        return false;
    range->writable = rest[2] == 'w';
    return !is_of_clerk(line, size);
}

enum status system_ranges_parse(struct system_ranges *ranges, const char *text, uint64_t hidden,
                                uint64_t hidden_end, struct error *error)
{
    ranges->count = 0;
    while (*text != '\0') {
        const size_t size = strcspn(text, "\n");
        struct system_range range;
        if (parse_line(text, size, &range)) {
            struct system_range before = range;
            struct system_range behind = range;
            if (hidden < hidden_end && hidden < range.end && range.first < hidden_end) {
                before.end = hidden;
                behind.first = hidden_end;
            } else {
                behind.first = behind.end;
            }
            if (!add(ranges, &before) || !add(ranges, &behind))
                return error_no_memory(error, sizeof range);
        }
        text += size + (text[size] == '\n');
    }
    return STATUS_OK;
}

enum status system_ranges_read(struct system_ranges *ranges, uint64_t hidden, uint64_t hidden_end,
                               struct error *error)
{
    char *text;
    size_t size;
    enum status status = file_read_text("/proc/self/maps", MAPPINGS_SIZE_MAX, &text, &size, error);
    if (status != STATUS_OK)
        return status;
    status = system_ranges_parse(ranges, text, hidden, hidden_end, error);
    alloc_free(text);
    return status;
}

const struct system_range *system_ranges_find(const struct system_ranges *ranges, uint64_t address,
                                              uint64_t size)
{
    size_t low = 0;
    size_t high = ranges->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ranges->items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct system_range *range = low < ranges->count ? &ranges->items[low] : NULL;
    const bool within = range && range->first <= address &&
                        range_within(address - range->first, size, range->end - range->first);
    return within ? range : NULL;
}
