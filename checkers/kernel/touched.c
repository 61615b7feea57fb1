#include "checkers/kernel/touched.h"

#include "trace/base/alloc.h"

static struct touched_object *find_or_add(struct touched *touched,
                                          const struct observer_object *object)
{
    if (touched->recent < touched->count && touched->objects[touched->recent].id == object->id)
        return &touched->objects[touched->recent];
    for (size_t i = 0; i < touched->count; i++) {
        if (touched->objects[i].id == object->id) {
            touched->recent = i;
            return &touched->objects[i];
        }
    }
    struct touched_object *grown =
        alloc_grow(touched->objects, touched->count, &touched->capacity, sizeof *grown);
    if (!grown)
        return NULL;
    touched->objects = grown;
    touched->recent = touched->count++;
    grown[touched->recent] = (struct touched_object){.id = object->id, .size = object->size};
    return &grown[touched->recent];
}

static void set_bits(uint64_t *bits, uint64_t first, uint64_t count)
{
    while (count > 0) {
        const uint64_t shift = first % 64;
        const uint64_t portion = count < 64 - shift ? count : 64 - shift;
        const uint64_t mask = portion == 64 ? UINT64_MAX : (UINT64_C(1) << portion) - 1;
        bits[first / 64] |= mask << shift;
        first += portion;
        count -= portion;
    }
}

static uint64_t lane_offset(const struct observer_access *access, unsigned lane)
{
    if (access->offsets)
        return access->offsets[lane];
    if (access->run == 0)
        return access->offset + (uint64_t)(access->stride * (int64_t)lane);
    return access->offset + (uint64_t)(access->stride * (int64_t)(lane % access->run)) +
           (uint64_t)(access->jump * (int64_t)(lane / access->run));
}

static void set_lanes(uint64_t *bits, const struct observer_access *access, uint64_t mask)
{
    const unsigned first = (unsigned)__builtin_ctzll(mask);
    const uint64_t lanes = mask >> first;
    const bool neighbours = (lanes & (lanes + 1)) == 0; /* no gap in the mask */
    if (neighbours && !access->offsets && access->run == 0 &&
        access->stride == (int64_t)access->size) {
        set_bits(bits, lane_offset(access, first),
                 access->size * (uint64_t)__builtin_popcountll(mask));
        return;
    }
    for (; mask != 0; mask &= mask - 1)
        set_bits(bits, lane_offset(access, (unsigned)__builtin_ctzll(mask)), access->size);
}

static void add(struct touched *touched, const struct observer_access *access,
                enum touched_kind kind, uint64_t mask)
{
    struct touched_object *object = mask != 0 ? find_or_add(touched, access->object) : NULL;
    if (mask == 0)
        return;
    if (object && !object->bits[kind])
        object->bits[kind] = alloc_zero(object->size / 64 + 1, sizeof(uint64_t));
    if (object && object->bits[kind])
        set_lanes(object->bits[kind], access, mask);
    else
        touched->out_of_memory = true;
}

void touched_add(struct touched *touched, const struct observer_access *access)
{
    static const enum touched_kind kinds[] = {
        [OBSERVER_READ] = TOUCHED_READ,
        [OBSERVER_WRITE] = TOUCHED_WRITE,
        [OBSERVER_ATOMIC_READ] = TOUCHED_ATOMIC_READ,
        [OBSERVER_ATOMIC_WRITE] = TOUCHED_ATOMIC_WRITE,
        [OBSERVER_ATOMIC_RMW] = TOUCHED_ATOMIC_WRITE,
    };
    const enum observer_region region = access->object->region;
    if (region != OBSERVER_GLOBAL && region != OBSERVER_CONSTANT)
        return;
    add(touched, access, kinds[access->kind], access->mask & ~access->only_reading);
    add(touched, access, TOUCHED_ATOMIC_READ, access->mask & access->only_reading);
}

void touched_release(struct touched *touched)
{
    for (size_t i = 0; i < touched->count; i++) {
        for (int kind = 0; kind < TOUCHED_KIND_COUNT; kind++)
            alloc_free(touched->objects[i].bits[kind]);
    }
    alloc_free(touched->objects);
    *touched = (struct touched){0};
}

bool touched_extent(const struct touched_object *object, enum touched_kind kind, uint64_t *first,
                    uint64_t *end, bool *whole)
{
    const uint64_t *bits = object->bits[kind];
    const uint64_t word_count = object->size / 64 + 1;
    uint64_t low = 0, high = word_count, count = 0;
    if (!bits)
        return false;
    while (low < high && bits[low] == 0)
        low++;
    while (high > low && bits[high - 1] == 0)
        high--;
    if (low == high)
        return false;
    for (uint64_t i = low; i < high; i++)
        count += (uint64_t)__builtin_popcountll(bits[i]);
    *first = low * 64 + (uint64_t)__builtin_ctzll(bits[low]);
    *end = high * 64 - (uint64_t)__builtin_clzll(bits[high - 1]);
    *whole = count == *end - *first;
    return true;
}
