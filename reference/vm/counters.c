#include "reference/vm/counters.h"

#include "reference/vm/access.h"
#include "trace/base/alloc.h"

#include <string.h>

struct vm_counters *vm_counters_create(const struct vm_code *code)
{
    struct vm_counters *counters = alloc_zero(1, sizeof *counters);
    if (!counters)
        return NULL;
    counters->blocks = alloc_zero(code->block_count, sizeof *counters->blocks);
    counters->accesses = alloc_zero(code->instruction_count, sizeof *counters->accesses);
    if (counters->blocks && counters->accesses)
        return counters;
    vm_counters_destroy(counters);
    return NULL;
}

void vm_counters_destroy(struct vm_counters *counters)
{
    if (!counters)
        return;
    alloc_free(counters->blocks);
    alloc_free(counters->accesses);
    alloc_free(counters);
}

/* ---- accesses ---- */

/* Numbers that differ from each other. */
struct set {
    uint64_t items[2 * VM_LANES];
    uint32_t count;
};

static bool set_add(struct set *set, uint64_t item)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->items[i] == item)
            return false;
    set->items[set->count++] = item;
    return true;
}

/* Where the lane's bytes begin, in the object that the span's is a part of. */
static uint64_t place_of(const struct access_span *span, uint64_t lane)
{
    return span->object->root_offset + access_place(span, (uint32_t)lane);
}

/* Of the lanes of `mask`; lines that are touched, and the fewest that hold as many bytes. An access
 * has 128 bytes at most, which lie in two lines. */
static void count_lines(struct vm_access_counts *counts, const struct access_span *span,
                        uint64_t mask, uint32_t size)
{
    struct set lines = {.count = 0};
    struct set places = {.count = 0};
    FOR_EACH_LANE(lane, mask) {
        const uint64_t first = place_of(span, lane);
        set_add(&places, first);
        set_add(&lines, first / COUNTERS_LINE);
        set_add(&lines, (first + size - 1) / COUNTERS_LINE);
    }
    const uint64_t bytes = (uint64_t)places.count * size;
    counts->global_lines += lines.count;
    counts->global_least += (bytes + COUNTERS_LINE - 1) / COUNTERS_LINE;
}

/* Of the lanes of `mask`, which together want no more words than there are banks: those of one bank
 * take turns, unless they want the same word. */
static void count_turns(struct vm_access_counts *counts, const struct access_span *span,
                        uint64_t mask, uint32_t size)
{
    struct set words = {.count = 0};
    uint32_t wanted[COUNTERS_BANKS] = {0};
    uint32_t turns = 0;
    FOR_EACH_LANE(lane, mask) {
        const uint64_t first = place_of(span, lane) / COUNTERS_BANK;
        const uint64_t last = (place_of(span, lane) + size - 1) / COUNTERS_BANK;
        for (uint64_t word = first; word <= last; word++)
            if (set_add(&words, word)) {
                const uint32_t bank = word % COUNTERS_BANKS;
                wanted[bank]++;
                turns = wanted[bank] > turns ? wanted[bank] : turns;
            }
    }
    counts->local_turns += turns;
    counts->local_least++;
}

/* So many lanes want as many words as there are banks, if each wants others. */
static uint32_t lanes_at_once(uint32_t size)
{
    const uint32_t words = (size + COUNTERS_BANK - 1) / COUNTERS_BANK;
    return words < COUNTERS_BANKS ? COUNTERS_BANKS / words : 1;
}

void vm_counters_access(const struct access *access, const struct access_span *span)
{
    struct vm_access_counts *counts = &access->vector->run->counters->accesses[access->site];
    const enum observer_region region = span->object->identity.region;
    const bool is_global = region == OBSERVER_GLOBAL || region == OBSERVER_CONSTANT;
    if (access_is_atomic(access->kind) || span->object->identity.is_pipe ||
        span->object->root->identity.is_image || (!is_global && region != OBSERVER_LOCAL))
        return;
    const uint32_t step = is_global ? COUNTERS_LANES : lanes_at_once(access->size);
    for (uint32_t first = 0; first < VM_LANES; first += step) {
        const uint64_t mask = span->mask & bits_low(step) << first;
        if (mask && is_global)
            count_lines(counts, span, mask, access->size);
        else if (mask)
            count_turns(counts, span, mask, access->size);
    }
}

/* ---- lines ---- */

struct lines {
    struct vm_line_counts *list;
    size_t count, capacity;
};

/* The row of the line, which is added if it is new; NULL when memory is out. */
static struct vm_line_counts *find_line(struct lines *lines, const struct vm_place *place)
{
    const bool is_known = place && place->file && place->file[0] != '\0' && place->line != 0;
    const char *file = is_known ? place->file : NULL;
    const uint32_t line = is_known ? place->line : 0;
    for (size_t i = lines->count; i-- > 0;) {
        struct vm_line_counts *one = &lines->list[i];
        if (one->line == line &&
            (file == one->file || (file && one->file && strcmp(file, one->file) == 0)))
            return one;
    }
    struct vm_line_counts *grown =
        alloc_grow(lines->list, lines->count, &lines->capacity, sizeof *grown);
    if (!grown)
        return NULL;
    lines->list = grown;
    grown[lines->count] = (struct vm_line_counts){.file = file, .line = line};
    return &grown[lines->count++];
}

static void add_accesses(struct vm_access_counts *to, const struct vm_access_counts *from)
{
    to->global_lines += from->global_lines;
    to->global_least += from->global_least;
    to->local_turns += from->local_turns;
    to->local_least += from->local_least;
}

static const struct vm_place *place_at(const struct vm_code *code, uint32_t site)
{
    const uint32_t index = code->instruction_places ? code->instruction_places[site] : 0;
    return index != 0 && index < code->place_count ? &code->places[index] : NULL;
}

static bool add_block(struct lines *lines, const struct vm_counters *counters,
                      const struct vm_code *code, uint32_t index)
{
    const struct vm_block *block = &code->blocks[index];
    const struct vm_block_counts *counts = &counters->blocks[index];
    for (uint32_t site = block->first; site < block->first + block->count; site++) {
        struct vm_line_counts *line = find_line(lines, place_at(code, site));
        if (!line)
            return false;
        line->operations += counts->runs;
        line->active += counts->active;
        line->present += counts->present;
        add_accesses(&line->accesses, &counters->accesses[site]);
    }
    return true;
}

struct vm_line_counts *vm_counters_lines(const struct vm_counters *counters,
                                         const struct vm_code *code, size_t *count)
{
    struct lines lines = {0};
    for (uint32_t i = 0; i < code->block_count; i++) {
        if (counters->blocks[i].runs == 0 || add_block(&lines, counters, code, i))
            continue;
        alloc_free(lines.list);
        return NULL;
    }
    *count = lines.count;
    return lines.list;
}
