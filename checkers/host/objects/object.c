#include "checkers/host/objects/object.h"

#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "trace/base/assert.h"
#include "trace/base/spin.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARD_BITS = 6,
    SHARD_COUNT = 1 << SHARD_BITS,
    SLOTS_MIN = 64, /* of a shard's first slot array */
    LABEL_MAX = 32,
    STRIPE_COUNT = 16,
    NUMBER_BITS = 28, /* of a serial: which record; above them which life of it */
};

/* Dependents that come and go by every command of every thread: a part of them, which may be less
 * than none. */
struct stripe {
    _Alignas(64) _Atomic int64_t count;
};

/* The record of a handle; see the header. */
struct object {
    uint64_t handle; /* never changes */
    struct spin lock;

    /* The hot path: standing in bits 0 to 7, kind in bits 8 to 15, mem_bits_of above; written under
     * the lock. */
    _Atomic uint32_t state;
    _Atomic uint64_t context;
    _Atomic uint64_t parent_handle; /* of the object that it keeps alive, or kept; 0 = none */
    _Atomic(void *) notes[OBJECT_NOTE_COUNT];
    _Atomic(struct stripe *) stripes; /* of one that was a context; NULL = none */
    atomic_bool has_first_use;        /* in this life */

    /* Guarded by the lock. */
    uint64_t number; /* of the record, never changes */
    uint64_t lives;
    uint64_t serial; /* of this life; unique in the table, never 0 */
    enum api_object_kind kind;
    const char *label;
    const char *name; /* "kernel#2", made when first asked for */
    char detail[OBJECT_DETAIL_SIZE];
    char *first_use; /* OBJECT_FIRST_USE_SIZE bytes of the shard's arena, from the first one on */
    uint32_t ordinal;
    uint32_t references;
    int64_t dependents; /* without those in stripes */
    bool counted;
    bool shared;
    bool shown;            /* a query returned it after the application had released it */
    struct object *parent; /* whom it keeps alive while `keeps_parent` */
    uint64_t parent_serial;
    bool keeps_parent;
    /* In the shard's arena; NULL = none yet. A device's and a kernel's are for readers without the
     * lock. */
    _Atomic(struct device_traits *) device;
    _Atomic(struct kernel_traits *) kernel;
    void *traits; /* of the kind `traits_kind` */
    enum api_object_kind traits_kind;
    struct object_moment created;
    struct object_moment released;
};

/* Open addressing; a slot is filled once and never emptied, so a reader needs no lock. */
struct slots {
    struct slots *older; /* readers may still walk in it */
    size_t mask;
    _Atomic(struct object *) items[];
};

struct shard {
    _Alignas(64) _Atomic(struct slots *) slots;
    /* Not in the line of `slots`, which all threads read. */
    _Alignas(64) struct spin lock;
    size_t count;
    struct arena arena;
    struct kernel_traits *free_kernels; /* of kernels that are no more */
};

struct label_count {
    _Alignas(64) _Atomic(const char *) label; /* filled once */
    _Atomic uint32_t count;
};

struct object_table {
    struct shard shards[SHARD_COUNT];
    struct label_count labels[LABEL_MAX];
    _Alignas(64) _Atomic uint64_t version;
};

/* ---- the table ---- */

/* Handles are addresses: low bits and high bits say little, so all are mixed (Fibonacci hashing).
 */
static uint64_t hash_handle(uint64_t handle)
{
    handle ^= handle >> 32;
    return (handle >> 3) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct shard *shard_of(struct object_table *table, uint64_t hash)
{
    return &table->shards[hash >> (64 - SHARD_BITS)];
}

static size_t slot_of(const struct slots *slots, uint64_t hash)
{
    return (hash >> 20) & slots->mask;
}

static inline struct object *find(struct object_table *table, uint64_t handle)
{
    const uint64_t hash = hash_handle(handle);
    struct slots *slots = atomic_load_explicit(&shard_of(table, hash)->slots, memory_order_acquire);
    for (size_t i = slots ? slot_of(slots, hash) : 0; slots; i = (i + 1) & slots->mask) {
        struct object *object = atomic_load_explicit(&slots->items[i], memory_order_acquire);
        if (!object || object->handle == handle)
            return object;
    }
    return NULL;
}

static void slots_insert(struct slots *slots, struct object *object)
{
    size_t i = slot_of(slots, hash_handle(object->handle));
    while (atomic_load_explicit(&slots->items[i], memory_order_relaxed))
        i = (i + 1) & slots->mask;
    atomic_store_explicit(&slots->items[i], object, memory_order_release);
}

/* Makes room for one more record, under the lock. The old array stays for readers that are in it.
 */
static bool shard_grow(struct shard *shard)
{
    struct slots *old = atomic_load_explicit(&shard->slots, memory_order_relaxed);
    const size_t old_count = old ? old->mask + 1 : 0;
    if (shard->count + 1 <= old_count / 2)
        return true;
    const size_t count = old_count ? old_count * 2 : SLOTS_MIN;
    struct slots *slots = alloc_zero(1, sizeof *slots + count * sizeof slots->items[0]);
    if (!slots)
        return false;
    slots->older = old;
    slots->mask = count - 1;
    for (size_t i = 0; i < old_count; ++i) {
        struct object *object = atomic_load_explicit(&old->items[i], memory_order_relaxed);
        if (object)
            slots_insert(slots, object);
    }
    atomic_store_explicit(&shard->slots, slots, memory_order_release);
    return true;
}

/* Makes the record of a handle; under the lock of its shard. */
static struct object *add(struct object_table *table, struct shard *shard, uint64_t handle)
{
    struct object *object = find(table, handle);
    if (object) /* another thread has made it */
        return object;
    if (!shard_grow(shard))
        return NULL;
    object = arena_alloc(&shard->arena, 1, sizeof *object);
    if (!object)
        return NULL;
    object->handle = handle;
    object->number = shard->count * SHARD_COUNT + (size_t)(shard - table->shards);
    slots_insert(atomic_load_explicit(&shard->slots, memory_order_relaxed), object);
    ++shard->count;
    ASSERT(shard->count < atomic_load_explicit(&shard->slots, memory_order_relaxed)->mask);
    return object;
}

/* The record of a handle, made if there is none. NULL when memory is out. */
static struct object *find_or_add(struct object_table *table, uint64_t handle)
{
    struct object *object = find(table, handle);
    struct shard *shard = shard_of(table, hash_handle(handle));
    if (object)
        return object;
    spin_lock(&shard->lock);
    object = add(table, shard, handle);
    spin_unlock(&shard->lock);
    return object;
}

struct object_table *object_table_create(void)
{
    struct object_table *table = alloc_aligned(64, sizeof *table);
    if (!table)
        return NULL;
    memset(table, 0, sizeof *table);
    return table;
}

void object_table_destroy(struct object_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < SHARD_COUNT; ++i) {
        struct shard *shard = &table->shards[i];
        struct slots *slots = atomic_load(&shard->slots);
        for (size_t j = 0; slots && j <= slots->mask; ++j) {
            struct object *object = atomic_load(&slots->items[j]);
            if (object)
                alloc_free(atomic_load(&object->stripes));
        }
        while (slots) {
            struct slots *older = slots->older;
            alloc_free(slots);
            slots = older;
        }
        arena_release(&shard->arena);
    }
    alloc_free(table);
}

uint32_t object_take_ordinals(struct object_table *table, const char *label, uint32_t count)
{
    for (size_t i = 0; i < LABEL_MAX; ++i) {
        struct label_count *item = &table->labels[i];
        const char *there = atomic_load_explicit(&item->label, memory_order_acquire);
        if ((!there && atomic_compare_exchange_strong(&item->label, &there, label)) ||
            there == label)
            return atomic_fetch_add_explicit(&item->count, count, memory_order_relaxed) + 1;
    }
    ASSERT(false); /* more labels than api_object_noun has */
    return 0;
}

/* ---- dependents ---- */

/* In which the calling thread counts: threads' stacks lie apart. */
static size_t own_stripe(void)
{
    const uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0) >> 20;
    return stack * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (STRIPE_COUNT - 1);
}

static uint32_t dependents_of(const struct object *object)
{
    const struct stripe *stripes = atomic_load_explicit(&object->stripes, memory_order_relaxed);
    int64_t count = object->dependents;
    for (size_t i = 0; stripes && i < STRIPE_COUNT; ++i)
        count += atomic_load(&stripes[i].count);
    return count > 0 ? (uint32_t)count : 0;
}

/* A new life of the record, which has none. */
static void reset_dependents(struct object *object)
{
    struct stripe *stripes = atomic_load_explicit(&object->stripes, memory_order_relaxed);
    object->dependents = 0;
    if (!stripes && object->kind == API_OBJECT_CONTEXT)
        stripes = alloc_aligned(_Alignof(struct stripe), STRIPE_COUNT * sizeof *stripes);
    for (size_t i = 0; stripes && i < STRIPE_COUNT; ++i)
        atomic_store_explicit(&stripes[i].count, 0, memory_order_relaxed);
    atomic_store_explicit(&object->stripes, stripes, memory_order_release);
}

/* ---- states ---- */

static enum object_standing standing_of(const struct object *object)
{
    if (object->serial == 0)
        return OBJECT_UNKNOWN;
    if (!object->counted || object->references > 0 || object->shown)
        return OBJECT_USABLE;
    return dependents_of(object) > 0 ? OBJECT_BORROWED : OBJECT_DEAD;
}

/* Of a memory object of which it is known: its cl_mem_object_type, and is_part in bit 15; else 0.
 */
static uint32_t mem_bits_of(const struct object *object)
{
    const struct mem_traits *mem = object->traits;
    return object->kind == API_OBJECT_MEM && mem && object->traits_kind == API_OBJECT_MEM
               ? (mem->type & 0x7fff) | (mem->root_offset != 0 ? 0x8000u : 0)
               : 0;
}

static uint32_t state_bits(const struct object *object, enum object_standing standing)
{
    return (uint32_t)standing | (uint32_t)object->kind << 8 | mem_bits_of(object) << 16;
}

uint64_t object_version(const struct object_table *table)
{
    return atomic_load_explicit(&table->version, memory_order_acquire);
}

/* Something about the object has changed. */
static void note_change(struct object_table *table, const struct object *object)
{
    if (object->kind != API_OBJECT_EVENT)
        atomic_fetch_add_explicit(&table->version, 1, memory_order_release);
}

/* Makes a change visible to the hot path; under the lock. */
static void publish(struct object_table *table, struct object *object)
{
    const uint32_t before = atomic_load_explicit(&object->state, memory_order_relaxed);
    enum object_standing standing = standing_of(object);
    if (standing != OBJECT_USABLE && atomic_load_explicit(&object->stripes, memory_order_relaxed)) {
        /* From here on nobody counts in stripes, so that they can be added up. */
        atomic_store(&object->state, state_bits(object, OBJECT_BORROWED));
        standing = standing_of(object);
    }
    if (state_bits(object, standing) == before)
        return;
    atomic_store_explicit(&object->state, state_bits(object, standing), memory_order_release);
    note_change(table, object);
}

static inline struct object_state state_of(struct object *object)
{
    const uint32_t state = atomic_load_explicit(&object->state, memory_order_acquire);
    return (struct object_state){
        .standing = (enum object_standing)(state & 0xff),
        .kind = (enum api_object_kind)(state >> 8 & 0xff),
        .mem_type = state >> 16 & 0x7fff,
        .is_part = state >> 31,
        .context = atomic_load_explicit(&object->context, memory_order_relaxed),
    };
}

struct object_state object_state(struct object_table *table, uint64_t handle)
{
    struct object *object = find(table, handle);
    return object ? state_of(object) : (struct object_state){.standing = OBJECT_UNKNOWN};
}

/* Finds a record and locks it; NULL, nothing locked, when there is none. */
static struct object *lock_object(struct object_table *table, uint64_t handle)
{
    struct object *object = find(table, handle);
    if (object)
        spin_lock(&object->lock);
    return object;
}

static void unlock_object(struct object *object)
{
    spin_unlock(&object->lock);
}

static void copy_facts(const struct object *object, struct object_facts *facts)
{
    *facts = (struct object_facts){
        .handle = object->handle,
        .kind = object->kind,
        .label = object->label,
        .ordinal = object->ordinal,
        .counted = object->counted,
        .shared = object->shared,
        .references = object->references,
        .dependents = dependents_of(object),
        .created = object->created,
        .released = object->released,
    };
    memcpy(facts->detail, object->detail, sizeof facts->detail);
    if (object->has_first_use)
        memcpy(facts->first_use, object->first_use, sizeof facts->first_use);
}

bool object_describe(struct object_table *table, uint64_t handle, struct object_facts *facts)
{
    struct object *object = lock_object(table, handle);
    if (!object)
        return false;
    const bool known = object->serial != 0;
    if (known)
        copy_facts(object, facts);
    unlock_object(object);
    return known;
}

uint64_t object_parent(struct object_table *table, uint64_t handle)
{
    const struct object *object = find(table, handle);
    return object ? atomic_load_explicit(&object->parent_handle, memory_order_acquire) : 0;
}

const char *object_name(struct object_table *table, uint64_t handle)
{
    struct object *object = lock_object(table, handle);
    if (!object)
        return NULL;
    if (!object->name && object->serial != 0) {
        struct shard *shard = shard_of(table, hash_handle(handle));
        spin_lock(&shard->lock);
        object->name = arena_format(&shard->arena, "%s#%u", object->label, object->ordinal);
        spin_unlock(&shard->lock);
    }
    const char *name = object->name;
    unlock_object(object);
    return name;
}

void object_name_detail(char detail[OBJECT_DETAIL_SIZE], const char *name, size_t size)
{
    const size_t room = OBJECT_DETAIL_SIZE - 3;
    const bool fits = size <= room;
    snprintf(detail, OBJECT_DETAIL_SIZE, "'%.*s%s", (int)(fits ? size : room - 2), name,
             fits ? "'" : "...");
}

void object_add_detail(struct object_table *table, uint64_t handle,
                       const char detail[OBJECT_DETAIL_SIZE])
{
    struct object *object = lock_object(table, handle);
    if (!object)
        return;
    if (object->kind == API_OBJECT_KERNEL && object->serial != 0 && object->detail[0] == '\0')
        memcpy(object->detail, detail, sizeof object->detail);
    unlock_object(object);
}

bool object_lacks_first_use(struct object_table *table, uint64_t handle)
{
    struct object *object = find(table, handle);
    return object && state_of(object).kind == API_OBJECT_MEM && !object->has_first_use;
}

void object_give_first_use(struct object_table *table, uint64_t handle, const char *first_use)
{
    struct object *object = lock_object(table, handle);
    if (!object)
        return;
    if (!object->first_use) {
        struct shard *shard = shard_of(table, hash_handle(handle));
        spin_lock(&shard->lock);
        object->first_use = arena_alloc(&shard->arena, 1, OBJECT_FIRST_USE_SIZE);
        spin_unlock(&shard->lock);
    }
    if (object->first_use && !object->has_first_use) {
        snprintf(object->first_use, OBJECT_FIRST_USE_SIZE, "%s", first_use);
        object->has_first_use = true;
    }
    unlock_object(object);
}

uint64_t object_serial(struct object_table *table, uint64_t handle)
{
    struct object *object = lock_object(table, handle);
    if (!object)
        return 0;
    const uint64_t serial = object->serial;
    unlock_object(object);
    return serial;
}

/* ---- traits ---- */

static void *traits_of(const struct object *object, enum api_object_kind kind)
{
    if (object->serial == 0 || object->kind != kind)
        return NULL;
    if (kind == API_OBJECT_DEVICE)
        return atomic_load_explicit(&object->device, memory_order_acquire);
    if (kind == API_OBJECT_KERNEL)
        return atomic_load_explicit(&object->kernel, memory_order_acquire);
    return object->traits_kind == kind ? object->traits : NULL;
}

bool object_get_traits(struct object_table *table, uint64_t handle, enum api_object_kind kind,
                       void *traits)
{
    struct object *object = lock_object(table, handle);
    const void *known = object ? traits_of(object, kind) : NULL;
    if (known)
        memcpy(traits, known, traits_size(kind));
    else
        memset(traits, 0, traits_size(kind));
    if (object)
        unlock_object(object);
    return known != NULL;
}

/* Those of a kernel are large, and kernels come and go at many addresses: so these are used again.
 * A thread that still reads them, since it uses the kernel while another releases it, finds what is
 * known of another kernel, or nothing. With the lock of the object. */
static void free_kernel(struct object_table *table, struct object *object)
{
    struct kernel_traits *kernel =
        atomic_exchange_explicit(&object->kernel, NULL, memory_order_acq_rel);
    struct shard *shard = shard_of(table, hash_handle(object->handle));
    if (!kernel)
        return;
    spin_lock(&shard->lock);
    kernel->next_free = shard->free_kernels;
    shard->free_kernels = kernel;
    spin_unlock(&shard->lock);
}

/* With the shard's lock; NULL = there are none. */
static struct kernel_traits *take_free_kernel(struct shard *shard)
{
    struct kernel_traits *kernel = shard->free_kernels;
    if (!kernel)
        return NULL;
    shard->free_kernels = kernel->next_free;
    kernel_forget(kernel);
    return kernel;
}

/* The traits of a record, made if there are none; with its shard locked. */
static void *add_traits(struct object *object, struct shard *shard)
{
    void *traits = traits_of(object, object->kind);
    if (traits || object->serial == 0 || traits_size(object->kind) == 0)
        return traits;
    traits = object->kind == API_OBJECT_KERNEL ? take_free_kernel(shard) : NULL;
    if (!traits)
        traits = arena_alloc(&shard->arena, 1, traits_size(object->kind));
    if (object->kind == API_OBJECT_DEVICE) {
        atomic_store_explicit(&object->device, traits, memory_order_release);
    } else if (object->kind == API_OBJECT_KERNEL) {
        atomic_store_explicit(&object->kernel, traits, memory_order_release);
    } else {
        object->traits = traits;
        object->traits_kind = object->kind;
    }
    return traits;
}

void *object_lock_traits(struct object_table *table, uint64_t handle, enum api_object_kind kind,
                         struct locked_traits *locked)
{
    struct object *object = lock_object(table, handle);
    *locked = (struct locked_traits){.table = table, .object = object};
    if (!object)
        return NULL;
    struct shard *shard = shard_of(table, hash_handle(handle));
    void *traits = traits_of(object, kind);
    /* Of an event, of which there are many, nothing is kept but the traits themselves. */
    if (!traits || kind != API_OBJECT_EVENT) {
        locked->shard = shard;
        spin_lock(&shard->lock);
    }
    locked->arena = &shard->arena;
    if (!traits && object->kind == kind)
        traits = add_traits(object, shard);
    if (traits)
        return traits;
    spin_unlock(&shard->lock);
    unlock_object(object);
    locked->object = NULL;
    return NULL;
}

void object_unlock_traits(const struct locked_traits *locked)
{
    if (!locked->object)
        return;
    if (locked->shard)
        spin_unlock(&locked->shard->lock);
    if (locked->object->kind == API_OBJECT_MEM)
        publish(locked->table, locked->object);
    note_change(locked->table, locked->object);
    unlock_object(locked->object);
}

bool object_set_traits(struct object_table *table, uint64_t handle, enum api_object_kind kind,
                       const void *traits)
{
    struct locked_traits locked;
    void *known = object_lock_traits(table, handle, kind, &locked);
    if (known)
        memcpy(known, traits, traits_size(kind));
    object_unlock_traits(&locked);
    return known != NULL;
}

const struct device_traits *object_device_traits(struct object_table *table, uint64_t handle)
{
    struct object *object = find(table, handle);
    return object && state_of(object).kind == API_OBJECT_DEVICE
               ? atomic_load_explicit(&object->device, memory_order_acquire)
               : NULL;
}

struct kernel_traits *object_kernel_traits(struct object_table *table, uint64_t handle)
{
    struct object *object = find(table, handle);
    return object && state_of(object).kind == API_OBJECT_KERNEL
               ? atomic_load_explicit(&object->kernel, memory_order_acquire)
               : NULL;
}

const struct kernel_traits *object_usable_kernel(struct object_table *table, uint64_t handle)
{
    struct object *object = find(table, handle);
    return object && object_is_usable(state_of(object), API_OBJECT_KERNEL)
               ? atomic_load_explicit(&object->kernel, memory_order_acquire)
               : NULL;
}

void *object_note(struct object_table *table, uint64_t handle, enum object_note kind)
{
    struct object *object = find(table, handle);
    return object ? atomic_load_explicit(&object->notes[kind], memory_order_acquire) : NULL;
}

bool object_swap_note(struct object_table *table, uint64_t handle, enum object_note kind,
                      void **note)
{
    struct object *object = find(table, handle);
    if (object)
        *note = atomic_exchange_explicit(&object->notes[kind], *note, memory_order_acq_rel);
    return object != NULL;
}

/* A new life knows nothing yet. */
static void forget_traits(struct object *object)
{
    struct device_traits *device = atomic_load_explicit(&object->device, memory_order_relaxed);
    struct kernel_traits *kernel = atomic_load_explicit(&object->kernel, memory_order_relaxed);
    if (device)
        atomic_store_explicit(&device->known, 0, memory_order_release);
    if (kernel)
        kernel_forget(kernel);
    if (object->traits)
        memset(object->traits, 0, traits_size(object->traits_kind));
}

/* ---- parents ---- */

struct parent {
    struct object *object;
    uint64_t serial;
    uint64_t context;
};

/* One dependent more or less of a context of that serial that the program may use, without a lock:
 * its standing stays what it is. False: it has to be counted under the lock. */
static bool count_in_stripe(struct object *object, uint64_t serial, int64_t change)
{
    struct stripe *stripes = atomic_load_explicit(&object->stripes, memory_order_acquire);
    if (!stripes || !object_is_usable(state_of(object), API_OBJECT_CONTEXT) ||
        atomic_load_explicit(&object->context, memory_order_relaxed) != serial)
        return false;
    _Atomic int64_t *count = &stripes[own_stripe()].count;
    atomic_fetch_add(count, change);
    if ((atomic_load(&object->state) & 0xff) == OBJECT_USABLE)
        return true;
    /* Released meanwhile, by a thread that may not have seen the change. */
    atomic_fetch_sub(count, change);
    return false;
}

/* Counts one more dependent of the object with this handle. */
static struct parent parent_take(struct object_table *table, uint64_t handle)
{
    struct parent parent = {0};
    struct object *object = handle ? find(table, handle) : NULL;
    if (!object)
        return parent;
    const uint64_t context = atomic_load_explicit(&object->context, memory_order_relaxed);
    if (count_in_stripe(object, context, 1))
        return (struct parent){.object = object, .serial = context, .context = context};
    spin_lock(&object->lock);
    if (object->serial != 0) {
        ++object->dependents;
        publish(table, object);
        parent.object = object;
        parent.serial = object->serial;
        parent.context = atomic_load_explicit(&object->context, memory_order_relaxed);
    }
    unlock_object(object);
    return parent;
}

/* If the object, whose lock is held, just died: the parent that it then no longer keeps. */
static struct parent take_parent_of_dead(struct object *object)
{
    struct parent parent = {0};
    if (object->counted && object->references == 0 && object->keeps_parent &&
        dependents_of(object) == 0) {
        ASSERT(object->parent);
        object->keeps_parent = false;
        parent.object = object->parent;
        parent.serial = object->parent_serial;
    }
    return parent;
}

/* A dependent of this object is gone; then the object may be dead, and its own parent lose one. */
static void parent_drop(struct object_table *table, struct parent parent)
{
    while (parent.object) {
        struct object *object = parent.object;
        const uint64_t serial = parent.serial;
        parent = (struct parent){0};
        if (count_in_stripe(object, serial, -1))
            continue;
        spin_lock(&object->lock);
        if (object->serial == serial && dependents_of(object) > 0) {
            --object->dependents;
            publish(table, object);
            parent = take_parent_of_dead(object);
        }
        unlock_object(object);
    }
}

/* ---- lives ---- */

/* Starts a new life of the record, under its lock. */
static void begin_life(struct object_table *table, struct object *object,
                       const struct object_birth *birth, struct parent parent, bool counted)
{
    ASSERT(birth->label);
    object->serial = ++object->lives << NUMBER_BITS | object->number;
    forget_traits(object);
    object->kind = birth->kind;
    object->label = birth->label;
    object->name = NULL;
    object->has_first_use = false;
    memcpy(object->detail, birth->detail, sizeof object->detail);
    object->ordinal =
        birth->ordinal ? birth->ordinal : object_take_ordinals(table, birth->label, 1);
    object->references = counted ? 1 : 0;
    reset_dependents(object);
    object->counted = counted;
    object->shared = false;
    object->shown = false;
    object->parent = parent.object;
    object->parent_serial = parent.serial;
    object->keeps_parent = parent.object != NULL;
    atomic_store_explicit(&object->parent_handle, parent.object ? parent.object->handle : 0,
                          memory_order_release);
    object->created = birth->created;
    object->released = (struct object_moment){0};
    atomic_store_explicit(&object->context,
                          birth->kind == API_OBJECT_CONTEXT ? object->serial : parent.context,
                          memory_order_relaxed);
    publish(table, object);
    note_change(table, object);
}

void object_create(struct object_table *table, uint64_t handle, const struct object_birth *birth)
{
    struct parent parent = parent_take(table, birth->parent);
    struct object *object = find_or_add(table, handle);
    if (!object) {
        parent_drop(table, parent);
        return;
    }
    spin_lock(&object->lock);
    const bool again = object->counted && object->references > 0 && object->kind == birth->kind;
    if (again) {
        ++object->references;
        object->shared = true;
    } else {
        begin_life(table, object, birth, parent, true);
    }
    unlock_object(object);
    if (again)
        parent_drop(table, parent);
}

void object_learn(struct object_table *table, uint64_t handle, const struct object_birth *birth)
{
    struct object *object = find_or_add(table, handle);
    if (!object)
        return;
    spin_lock(&object->lock);
    if (object->serial == 0 || object->kind != birth->kind) {
        begin_life(table, object, birth, (struct parent){0}, false);
    } else if (standing_of(object) != OBJECT_USABLE) {
        object->shown = true;
        publish(table, object);
    }
    unlock_object(object);
}

void object_retain(struct object_table *table, uint64_t handle)
{
    struct object *object = lock_object(table, handle);
    if (!object)
        return;
    if (object->counted && object->references < UINT32_MAX) {
        ++object->references;
        publish(table, object);
    }
    unlock_object(object);
}

void object_retain_undo(struct object_table *table, uint64_t handle)
{
    struct object *object = lock_object(table, handle);
    if (!object)
        return;
    if (object->counted && object->references > 0) {
        --object->references;
        publish(table, object);
    }
    unlock_object(object);
}

enum object_released object_release(struct object_table *table, uint64_t handle,
                                    const struct object_moment *moment,
                                    host_capture_stack *capture_stack, void *user)
{
    struct object *object = lock_object(table, handle);
    struct parent parent = {0};
    enum object_released released = OBJECT_RELEASED;
    if (!object)
        return released;
    if (object->counted && object->references == 0) {
        released = object->shared ? OBJECT_RELEASED : OBJECT_RELEASED_EXCESS;
    } else if (object->counted && --object->references == 0) {
        released = OBJECT_RELEASED_LAST;
        object->released = *moment;
        if (capture_stack)
            object->released.stack = capture_stack(user);
        object->shown = false;
        publish(table, object);
        parent = take_parent_of_dead(object);
        if (dependents_of(object) == 0)
            free_kernel(table, object);
    }
    unlock_object(object);
    parent_drop(table, parent);
    return released;
}

void object_set_stack(struct object_table *table, uint64_t handle, uint64_t call_id, uint64_t stack)
{
    struct object *object = lock_object(table, handle);
    if (!object)
        return;
    if (object->created.call_id == call_id)
        object->created.stack = stack;
    unlock_object(object);
}

void object_release_undo(struct object_table *table, uint64_t handle, uint64_t call_id)
{
    struct object *object = lock_object(table, handle);
    uint64_t parent_handle = 0;
    if (!object)
        return;
    if (object->counted && (object->references > 0 || object->released.call_id == call_id)) {
        ++object->references;
        object->released = (struct object_moment){0};
        if (object->parent && !object->keeps_parent) {
            parent_handle = object->parent->handle;
            object->keeps_parent = true;
        }
        publish(table, object);
    }
    unlock_object(object);
    parent_take(table, parent_handle);
}

/* ---- what is held ---- */

static int compare_facts(const void *left, const void *right)
{
    const struct object_facts *a = left;
    const struct object_facts *b = right;
    if (a->created.call_id != b->created.call_id)
        return a->created.call_id < b->created.call_id ? -1 : 1;
    const int labels = strcmp(a->label, b->label);
    if (labels != 0)
        return labels;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

static bool is_held(const struct object *object)
{
    return object->counted && object->references > 0 && !object->shared;
}

struct object_facts *object_list_held(struct object_table *table, size_t *count)
{
    struct object_facts *list = NULL;
    size_t capacity = 0;
    *count = 0;
    for (size_t i = 0; i < SHARD_COUNT; ++i) {
        struct shard *shard = &table->shards[i];
        const struct slots *slots = atomic_load_explicit(&shard->slots, memory_order_acquire);
        for (size_t j = 0; slots && j <= slots->mask; ++j) {
            struct object *object = atomic_load_explicit(&slots->items[j], memory_order_acquire);
            if (!object)
                continue;
            struct object_facts *grown = alloc_grow(list, *count, &capacity, sizeof *list);
            if (!grown)
                break;
            list = grown;
            spin_lock(&object->lock);
            if (is_held(object))
                copy_facts(object, &list[(*count)++]);
            unlock_object(object);
        }
    }
    if (*count > 1)
        qsort(list, *count, sizeof *list, compare_facts);
    return list;
}
