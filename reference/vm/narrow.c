
#include "reference/vm/memory.h"
#include "trace/base/size.h"

#include <string.h>

/* Below and above each object lie addresses that are its own too: pointers may walk a little beyond
 * it. */
enum { MARGIN = 1 << 12, FIRST = 1 << 16 };

/* In the pointer that an address makes which nobody was given: no null pointer with an offset. */
#define WILD (UINT64_C(1) << 62)

struct narrow_range {
    uint64_t start, end;  /* 32-bit addresses, margins included */
    uint64_t object_base; /* the pointer that `start` + MARGIN stands for */
};

static const struct narrow_range *find_object(const struct narrow *narrow, uint32_t object)
{
    for (size_t i = 0; i < narrow->count; i++) {
        if (vm_pointer_object(narrow->ranges[i].object_base) == object)
            return &narrow->ranges[i];
    }
    return NULL;
}

static const struct narrow_range *add_object(struct narrow *narrow, struct arena *arena,
                                             uint32_t object, uint64_t size)
{
    const uint64_t start = narrow->count > 0 ? narrow->ranges[narrow->count - 1].end : FIRST;
    const uint64_t end = start + size_align(size, MARGIN) + UINT64_C(2) * MARGIN;
    if (size > UINT32_MAX || end > UINT32_MAX)
        return NULL;
    if (narrow->count == narrow->capacity) {
        const size_t wanted = narrow->capacity > 0 ? 2 * narrow->capacity : 16;
        struct narrow_range *grown = arena_alloc(arena, wanted, sizeof *grown);
        if (grown == NULL)
            return NULL;
        if (narrow->count > 0)
            memcpy(grown, narrow->ranges, narrow->count * sizeof *grown);
        narrow->ranges = grown;
        narrow->capacity = wanted;
    }
    narrow->ranges[narrow->count] = (struct narrow_range){
        .start = start, .end = end, .object_base = vm_pointer_make(object, 0)};
    return &narrow->ranges[narrow->count++];
}

uint32_t narrow_pack(struct narrow *narrow, struct arena *arena, uint64_t pointer, uint64_t size)
{
    if ((pointer & VM_POINTER_TAG) == 0)
        return (uint32_t)pointer; /* null, or what was an address that nobody was given */
    const uint32_t object = vm_pointer_object(pointer);
    const struct narrow_range *range = find_object(narrow, object);
    if (range == NULL)
        range = add_object(narrow, arena, object, size);
    return range == NULL ? 0 : (uint32_t)(range->start + MARGIN + (pointer - range->object_base));
}

uint64_t narrow_unpack(const struct narrow *narrow, uint32_t address)
{
    size_t low = 0;
    size_t high = narrow->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (narrow->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == narrow->count || address < narrow->ranges[low].start)
        return address < FIRST ? address : address | WILD;
    return narrow->ranges[low].object_base + address - narrow->ranges[low].start - MARGIN;
}
