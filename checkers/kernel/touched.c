#include "checkers/kernel/touched.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

/* Kept groups may have bits of so many bytes in all. */
enum { KEPT_SIZE_MAX = 64 << 20 };

static bool is_same(const struct touched_object *object, uint32_t id, uint32_t site, uint64_t group)
{
    return object->id == id && object->site == site && object->group == group;
}

static struct touched_object *find_or_add(struct touched *touched,
                                          const struct observer_object *object, uint32_t site,
                                          uint64_t group)
{
    if (touched->recent < touched->count &&
        is_same(&touched->objects[touched->recent], object->id, site, group))
        return &touched->objects[touched->recent];
    for (size_t i = 0; i < touched->count; i++) {
        if (is_same(&touched->objects[i], object->id, site, group)) {
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
    grown[touched->recent] = (struct touched_object){
        .id = object->id, .site = site, .group = group, .size = object->size};
    return &grown[touched->recent];
}

/* Objects may be large, and little of them be touched. */
static void widen(struct touched_object *object, int kind, uint64_t low, uint64_t high)
{
    const bool empty = object->high[kind] == 0;
    object->low[kind] = empty || low < object->low[kind] ? low : object->low[kind];
    object->high[kind] = high > object->high[kind] ? high : object->high[kind];
}

static void set_bits(struct touched_object *object, enum touched_kind kind, uint64_t first,
                     uint64_t count)
{
    uint64_t *bits = object->bits[kind];
    ASSERT(count > 0 && (first + count - 1) / 64 <= object->size / 64);
    widen(object, kind, first / 64, (first + count - 1) / 64 + 1);
    while (count > 0) {
        const uint64_t shift = first % 64;
        const uint64_t portion = count < 64 - shift ? count : 64 - shift;
        const uint64_t mask = portion == 64 ? UINT64_MAX : (UINT64_C(1) << portion) - 1;
        bits[first / 64] |= mask << shift;
        first += portion;
        count -= portion;
    }
}

static void set_lanes(struct touched_object *object, enum touched_kind kind,
                      const struct lane_access *access, uint64_t mask)
{
    const unsigned first = (unsigned)__builtin_ctzll(mask);
    const uint64_t lanes = mask >> first;
    const bool neighbours = (lanes & (lanes + 1)) == 0; /* no gap in the mask */
    if (neighbours && !access->offsets && access->run == 0 &&
        access->stride == (int64_t)access->size) {
        set_bits(object, kind, lane_offset(access, first),
                 access->size * (uint64_t)__builtin_popcountll(mask));
        return;
    }
    for (; mask != 0; mask &= mask - 1)
        set_bits(object, kind, lane_offset(access, (unsigned)__builtin_ctzll(mask)), access->size);
}

/* With room for bits of that kind; NULL when memory is out. */
static struct touched_object *reserve(struct touched *touched, const struct observer_object *of,
                                      uint32_t site, enum touched_kind kind)
{
    struct touched_object *object =
        find_or_add(touched, of, touched->apart ? site : 0,
                    touched->apart ? touched->group : TOUCHED_ALL_GROUPS);
    if (object && !object->bits[kind])
        object->bits[kind] = alloc_zero(object->size / 64 + 1, sizeof(uint64_t));
    if (object && object->bits[kind])
        return object;
    touched->out_of_memory = true;
    return NULL;
}

static void add(struct touched *touched, const struct lane_access *access, enum touched_kind kind,
                uint64_t mask)
{
    struct touched_object *object =
        mask != 0 ? reserve(touched, access->object, access->site, kind) : NULL;
    if (object)
        set_lanes(object, kind, access, mask);
}

static enum touched_kind kind_of_read(enum observer_scope scope)
{
    return scope < OBSERVER_SCOPE_DEVICE   ? TOUCHED_NARROW_READ
           : scope > OBSERVER_SCOPE_DEVICE ? TOUCHED_WIDE_READ
                                           : TOUCHED_ATOMIC_READ;
}

static enum touched_kind kind_of(const struct lane_access *access, enum observer_scope scope)
{
    if (!access_is_atomic(access->kind))
        return access->kind == OBSERVER_READ ? TOUCHED_READ : TOUCHED_WRITE;
    if (access->kind == OBSERVER_ATOMIC_READ)
        return kind_of_read(scope);
    return scope > OBSERVER_SCOPE_DEVICE                          ? TOUCHED_WIDE_WRITE
           : scope == OBSERVER_SCOPE_DEVICE                       ? TOUCHED_ATOMIC_WRITE
           : access_is_legacy(access->kind, access->order, scope) ? TOUCHED_LEGACY_WRITE
                                                                  : TOUCHED_NARROW_WRITE;
}

void touched_add(struct touched *touched, const struct lane_access *access,
                 enum observer_scope scope)
{
    const enum observer_region region = access->object->region;
    if ((region != OBSERVER_GLOBAL && region != OBSERVER_CONSTANT) || access->object->is_pipe)
        return;
    add(touched, access, kind_of(access, scope), access->mask & ~lanes_only_reading(access));
    add(touched, access, kind_of_read(scope), lanes_only_reading(access));
}

void touched_add_pipe_end(struct touched *touched, uint32_t site,
                          const struct observer_object *pipe, bool writes)
{
    struct touched_object *object = reserve(touched, pipe, site, TOUCHED_WRITE);
    if (object)
        set_bits(object, TOUCHED_WRITE, writes, 1);
}

static void release_bits(struct touched_object *objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (int kind = 0; kind < TOUCHED_KIND_COUNT; kind++)
            alloc_free(objects[i].bits[kind]);
    }
}

void touched_release(struct touched *touched)
{
    release_bits(touched->objects, touched->count);
    release_bits(touched->kept, touched->kept_count);
    alloc_free(touched->objects);
    alloc_free(touched->kept);
    *touched = (struct touched){0};
}

/* ---- groups ---- */

/* Takes over the bits of `from`. */
static void join(struct touched_object *to, struct touched_object *from)
{
    ASSERT(to->size == from->size);
    for (int kind = 0; kind < TOUCHED_KIND_COUNT; kind++) {
        if (!from->bits[kind])
            continue;
        widen(to, kind, from->low[kind], from->high[kind]);
        if (!to->bits[kind]) {
            to->bits[kind] = from->bits[kind];
            continue;
        }
        for (uint64_t i = from->low[kind]; i < from->high[kind]; i++)
            to->bits[kind][i] |= from->bits[kind][i];
        alloc_free(from->bits[kind]);
    }
}

/* `count` when there is none. */
static size_t find_same(const struct touched_object *objects, size_t count,
                        const struct touched_object *object)
{
    size_t same = 0;
    while (same < count && !is_same(&objects[same], object->id, object->site, object->group))
        same++;
    return same;
}

static bool keep(struct touched *touched, const struct touched_object *object)
{
    for (int kind = 0; kind < TOUCHED_KIND_COUNT; kind++)
        touched->kept_size += (object->high[kind] - object->low[kind]) * sizeof(uint64_t);
    struct touched_object *grown = touched->kept_size > KEPT_SIZE_MAX
                                       ? NULL
                                       : alloc_grow(touched->kept, touched->kept_count,
                                                    &touched->kept_capacity, sizeof *grown);
    if (!grown) {
        touched->tangled = true;
        return false;
    }
    touched->kept = grown;
    grown[touched->kept_count++] = *object;
    return true;
}

void touched_group_begin(struct touched *touched, uint64_t group)
{
    touched->tangled |= touched->group != TOUCHED_ALL_GROUPS;
    touched->group = group;
}

void touched_group_end(struct touched *touched)
{
    const bool keeps = touched->keep_group && !touched->tangled;
    size_t count = 0;
    for (size_t i = 0; i < touched->count; i++) {
        struct touched_object object = touched->objects[i];
        const bool ended = object.group != TOUCHED_ALL_GROUPS && object.group == touched->group;
        if (ended && keeps && keep(touched, &object))
            continue;
        if (ended) {
            object.group = TOUCHED_ALL_GROUPS;
            const size_t same = find_same(touched->objects, count, &object);
            if (same < count) {
                join(&touched->objects[same], &object);
                continue;
            }
        }
        touched->objects[count++] = object;
    }
    touched->count = count;
    touched->group = TOUCHED_ALL_GROUPS;
    touched->keep_group = false;
}

/* ---- from one to another ---- */

/* Takes over the bits of the object. */
static void take(struct touched *to, struct touched_object *object)
{
    const size_t same = find_same(to->objects, to->count, object);
    struct touched_object *grown =
        same < to->count ? to->objects
                         : alloc_grow(to->objects, to->count, &to->capacity, sizeof *to->objects);
    if (!grown) {
        release_bits(object, 1);
        to->out_of_memory = true;
        return;
    }
    to->objects = grown;
    if (same < to->count)
        join(&grown[same], object);
    else
        grown[to->count++] = *object;
}

static bool copy_object(const struct touched_object *object, struct touched_object *copy)
{
    bool copied = true;
    *copy = *object;
    for (int kind = 0; kind < TOUCHED_KIND_COUNT; kind++) {
        const uint64_t *bits = object->bits[kind];
        copy->bits[kind] = bits ? alloc_zero(object->size / 64 + 1, sizeof *bits) : NULL;
        copied &= !bits || copy->bits[kind];
        for (uint64_t i = object->low[kind]; copy->bits[kind] && i < object->high[kind]; i++)
            copy->bits[kind][i] = bits[i];
    }
    if (!copied)
        release_bits(copy, 1);
    return copied;
}

static void note_state(struct touched *to, const struct touched *from)
{
    to->apart = from->apart;
    to->tangled |= from->tangled;
    to->out_of_memory |= from->out_of_memory;
}

static void take_kept(struct touched *to, const struct touched_object *object)
{
    struct touched_object all = *object;
    if (keep(to, object))
        return;
    all.group = TOUCHED_ALL_GROUPS;
    take(to, &all);
}

void touched_copy(struct touched *to, const struct touched *from)
{
    struct touched_object copy;
    note_state(to, from);
    for (size_t i = 0; i < from->count; i++) {
        if (copy_object(&from->objects[i], &copy))
            take(to, &copy);
        else
            to->out_of_memory = true;
    }
    for (size_t i = 0; i < from->kept_count; i++) {
        if (copy_object(&from->kept[i], &copy))
            take_kept(to, &copy);
        else
            to->out_of_memory = true;
    }
}

void touched_move(struct touched *to, struct touched *from)
{
    note_state(to, from);
    for (size_t i = 0; i < from->count; i++)
        take(to, &from->objects[i]);
    for (size_t i = 0; i < from->kept_count; i++)
        take_kept(to, &from->kept[i]);
    from->count = from->recent = from->kept_count = 0;
    from->kept_size = 0;
}

bool touched_meet(const struct touched_object *a, enum touched_kind a_kind,
                  const struct touched_object *b, enum touched_kind b_kind)
{
    const uint64_t low = a->low[a_kind] > b->low[b_kind] ? a->low[a_kind] : b->low[b_kind];
    const uint64_t high = a->high[a_kind] < b->high[b_kind] ? a->high[a_kind] : b->high[b_kind];
    if (!a->bits[a_kind] || !b->bits[b_kind])
        return false;
    for (uint64_t word = low; word < high; word++) {
        if (a->bits[a_kind][word] & b->bits[b_kind][word])
            return true;
    }
    return false;
}

bool touched_extent(const struct touched_object *object, enum touched_kind kind, uint64_t *first,
                    uint64_t *end, bool *whole)
{
    const uint64_t *bits = object->bits[kind];
    const uint64_t low = object->low[kind];
    const uint64_t high = object->high[kind];
    uint64_t count = 0;
    if (high == 0)
        return false;
    ASSERT(low < high && bits[low] != 0 && bits[high - 1] != 0);
    for (uint64_t i = low; i < high; i++)
        count += (uint64_t)__builtin_popcountll(bits[i]);
    *first = low * 64 + (uint64_t)__builtin_ctzll(bits[low]);
    *end = high * 64 - (uint64_t)__builtin_clzll(bits[high - 1]);
    *whole = count == *end - *first;
    return true;
}
