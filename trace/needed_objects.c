#include "trace/needed_objects.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* ---- objects and their calls ---- */

struct needed_object *needed_find(const struct needing *needing, uint64_t kind, uint64_t handle)
{
    const struct needed_key key = {.handle = handle, .kind = kind};
    struct needed_object *object;
    HASH_FIND(hh, needing->alive, &key, sizeof key, object);
    return object;
}

struct needed_object *needed_find_allocation(const struct needing *needing, uint64_t address)
{
    if (!address || !needing->allocation_count)
        return NULL;
    for (struct needed_object *object = needing->all; object; object = object->next)
        if (object->key.kind == OBJECT_ALLOCATION && !object->is_dead &&
            address - object->key.handle < object->size)
            return object;
    return NULL;
}

/* Takes its last call off the object; those that it named may have to be looked at: they are put
 * in front of `unused`, linked by `next`. */
static void drop_kept(struct needing *needing, struct needed_object *object, size_t index,
                      struct needed_object **unused)
{
    const struct needed_kept kept = object->kept[index];
    --object->kept_count;
    memmove(&object->kept[index], &object->kept[index + 1],
            (object->kept_count - index) * sizeof *object->kept);
    for (size_t i = 0; i < kept.name_count; ++i) {
        struct needed_object *named = kept.names[i];
        if (--named->uses || !named->is_dead)
            continue;
        DL_DELETE(needing->all, named);
        named->next = *unused;
        *unused = named;
    }
    alloc_free(kept.names);
}

static void free_unused(struct needing *needing, struct needed_object *unused)
{
    while (unused) {
        struct needed_object *object = unused;
        unused = object->next;
        while (object->kept_count)
            drop_kept(needing, object, object->kept_count - 1, &unused);
        alloc_free(object->kept);
        alloc_free(object);
    }
}

void needed_forget(struct needing *needing, struct needed_object *object, size_t index)
{
    struct needed_object *unused = NULL;
    drop_kept(needing, object, index, &unused);
    free_unused(needing, unused);
}

void needed_end(struct needing *needing, struct needed_object *object)
{
    HASH_DEL(needing->alive, object);
    object->is_dead = true;
    needing->allocation_count -= object->key.kind == OBJECT_ALLOCATION;
    if (object->uses)
        return;
    DL_DELETE(needing->all, object);
    object->next = NULL;
    free_unused(needing, object);
}

struct needed_object *needed_begin(struct needing *needing, uint64_t kind, uint64_t handle)
{
    struct needed_object *before = needed_find(needing, kind, handle);
    if (before)
        needed_end(needing, before);
    struct needed_object *object = alloc_zero(1, sizeof *object);
    if (!object) {
        needing->failed = true;
        return NULL;
    }
    object->key = (struct needed_key){.handle = handle, .kind = kind};
    object->references = 1;
    HASH_ADD(hh, needing->alive, key, sizeof object->key, object);
    if (!object->hh.tbl) {
        needing->failed = true;
        alloc_free(object);
        return NULL;
    }
    DL_APPEND(needing->all, object);
    return object;
}

void needed_name(struct needing *needing, struct needed_object *named,
                 const struct needed_object *of)
{
    struct needed_names *names = &needing->names;
    if (!named || named == of)
        return;
    for (size_t i = 0; i < names->count; ++i)
        if (names->items[i] == named)
            return;
    struct needed_object **grown =
        alloc_grow(names->items, names->count, &names->capacity, sizeof *names->items);
    if (!grown) {
        needing->failed = true;
        return;
    }
    names->items = grown;
    names->items[names->count++] = named;
}

void needed_keep(struct needing *needing, struct needed_object *object,
                 const struct needed_kept *call, struct needed_object *const *names,
                 size_t name_count)
{
    struct needed_kept kept = *call;
    struct needed_kept *grown =
        alloc_grow(object->kept, object->kept_count, &object->kept_capacity, sizeof *grown);
    if (grown)
        object->kept = grown;
    kept.names = NULL;
    kept.name_count = name_count;
    if (name_count)
        kept.names = alloc(name_count * sizeof *kept.names);
    if (!grown || (name_count && !kept.names)) {
        alloc_free(kept.names);
        needing->failed = true;
        return;
    }
    for (size_t i = 0; i < name_count; ++i) {
        kept.names[i] = names[i];
        ++names[i]->uses;
    }
    object->kept[object->kept_count++] = kept;
}

void needed_keep_last(struct needing *needing, struct needed_object *object,
                      const struct needed_kept *call)
{
    needed_keep(needing, object, call, needing->names.items, needing->names.count);
    if (needing->failed)
        return;
    for (size_t i = object->kept_count - 1; i-- > 0;) {
        if (object->kept[i].slot != call->slot)
            continue;
        needed_forget(needing, object, i);
        return;
    }
}

/* ---- all of them ---- */

static int compare_calls(const void *a, const void *b)
{
    const struct needed_call *left = a;
    const struct needed_call *right = b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return (left->form < right->form) - (left->form > right->form);
}

/* Of a call that several objects need the form that says most comes first. */
static void sort(struct needed_call *calls, size_t *count)
{
    size_t made = 0;
    if (*count)
        qsort(calls, *count, sizeof *calls, compare_calls);
    for (size_t i = 0; i < *count; ++i)
        if (made == 0 || calls[made - 1].id != calls[i].id)
            calls[made++] = calls[i];
    *count = made;
}

struct needed_call *needed_collect(const struct needing *needing, struct arena *arena,
                                   size_t *count)
{
    size_t limit = 0;
    for (struct needed_object *object = needing->all; object; object = object->next)
        limit += object->kept_count;
    struct needed_call *calls = arena_alloc(arena, limit + 1, sizeof *calls);
    *count = 0;
    for (struct needed_object *object = needing->all; calls && object; object = object->next)
        for (size_t i = 0; i < object->kept_count; ++i)
            calls[(*count)++] = (struct needed_call){object->kept[i].id, object->kept[i].form};
    ASSERT(!calls || *count == limit);
    if (calls)
        sort(calls, count);
    return calls;
}

void needed_release(struct needing *needing)
{
    struct needed_object *object;
    struct needed_object *next;
    HASH_CLEAR(hh, needing->alive);
    alloc_free(needing->names.items);
    DL_FOREACH_SAFE(needing->all, object, next)
    {
        for (size_t i = 0; i < object->kept_count; ++i)
            alloc_free(object->kept[i].names);
        alloc_free(object->kept);
        alloc_free(object);
    }
}
