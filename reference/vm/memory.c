/* The table of global objects: chunks that never move, so that a pointer to an object stays good
 * while other threads create more. Numbers are handed out under a lock; readers see an object once
 * its number is published by the count. The number of a freed object becomes another's when many
 * were freed after it, and while no launch runs, whose thread could look at it meanwhile. */
#include "reference/vm/memory.h"

#include "reference/vm/bits.h"
#include "reference/vm/image.h"
#include "reference/vm/pipe.h"
#include "reference/vm/svm.h"
#include "reference/vm/system_windows.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/size.h"

#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK_OBJECTS = 1024, CHUNK_COUNT = VM_LAUNCH_OBJECT / CHUNK_OBJECTS };

/* To whom an object was lent, with the strings of that. */
struct keeper {
    struct observer_keeper keeper;
    char strings[];
};

/* What only creating and freeing look at. */
struct entry {
    struct vm_object object;
    uint8_t *own_bytes; /* NULL: the application's, or the parent's */
    uint8_t *own_copy;  /* the host's; NULL: there is none, or the same */
    uint64_t *own_bits; /* NULL: the parent's */
    char *name, *origin, *writer, *first_use;
    struct keeper *keeper;
    struct vm_image image; /* what object.image points to */
};

struct vm_memory {
    pthread_mutex_t lock;
    uint32_t count; /* numbers given out, 0 being one that never names an object */
    struct entry *chunks[CHUNK_COUNT];
    uint32_t freed[VM_MEMORY_FREED_MAX]; /* the numbers of freed objects, a ring in their order */
    uint32_t freed_first, freed_count;
    uint32_t launches; /* that run now: their threads may look at any object */
    bool is_separate;
    struct svm_arena svm;
    bool shares_system;
    struct system_windows system; /* its lock is taken before `lock` */
};

enum status vm_memory_create(struct vm_memory **memory, struct error *error)
{
    struct vm_memory *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    int failure = pthread_mutex_init(&made->lock, NULL);
    if (failure == 0 && (failure = system_windows_init(&made->system)) != 0)
        pthread_mutex_destroy(&made->lock);
    if (failure) {
        alloc_free(made);
        return error_set(error, STATUS_NO_MEMORY, "cannot make a lock: %s", strerror(failure));
    }
    made->count = 1;
    *memory = made;
    return STATUS_OK;
}

void vm_memory_watch_shared(struct vm_memory *memory)
{
    memory->svm.watched = true;
}

bool vm_memory_shared_is_watched(const struct vm_memory *memory)
{
    return memory->svm.watched;
}

bool vm_memory_is_of_forks_too(const struct vm_memory *memory)
{
    return memory->svm.base && memory->svm.distance != 0;
}

void vm_memory_separate(struct vm_memory *memory)
{
    memory->is_separate = true;
    memory->svm.apart = true;
}

void vm_memory_share_system(struct vm_memory *memory)
{
    memory->shares_system = true;
}

static struct entry *entry_at(const struct vm_memory *memory, uint32_t object)
{
    if (object == 0 || object >= __atomic_load_n(&memory->count, __ATOMIC_ACQUIRE))
        return NULL;
    return &memory->chunks[object / CHUNK_OBJECTS][object % CHUNK_OBJECTS];
}

static struct entry *entry_get(const struct vm_memory *memory, uint32_t object)
{
    struct entry *entry = entry_at(memory, object);
    ASSERT(entry);
    return entry;
}

/* Is it an allocation of shared virtual memory? */
static bool is_shared(const struct vm_object *object)
{
    return object->identity.svm != OBSERVER_SVM_NONE && object->identity.svm != OBSERVER_SVM_SYSTEM;
}

static bool is_shared_root(const struct vm_object *object)
{
    return is_shared(object) && object->root == object;
}

static void entry_release_bytes(const struct vm_memory *memory, struct entry *entry)
{
    if (is_shared_root(&entry->object)) {
        svm_give_back(&memory->svm, entry->object.bytes, entry->object.size);
        return;
    }
    alloc_free(entry->own_bytes);
    alloc_free(entry->own_bits);
    alloc_free(entry->own_copy);
    vm_pipe_destroy(entry->object.pipe);
    entry->own_bytes = NULL;
    entry->own_copy = NULL;
    entry->object.host_copy = NULL;
    entry->own_bits = NULL;
    entry->object.bytes = NULL;
    entry->object.undefined = NULL;
    entry->object.pipe = NULL;
}

static void entry_release_names(struct entry *entry)
{
    alloc_free(entry->name);
    alloc_free(entry->origin);
    alloc_free(entry->writer);
    alloc_free(entry->first_use);
    alloc_free(entry->keeper);
}

void vm_memory_destroy(struct vm_memory *memory)
{
    if (!memory)
        return;
    for (uint32_t object = 1; object < memory->count; object++) {
        struct entry *entry = entry_get(memory, object);
        entry_release_bytes(memory, entry);
        entry_release_names(entry);
    }
    for (size_t chunk = 0; chunk < CHUNK_COUNT; chunk++)
        alloc_free(memory->chunks[chunk]);
    svm_arena_release(&memory->svm);
    system_windows_release(&memory->system);
    pthread_mutex_destroy(&memory->lock);
    alloc_free(memory);
}

/* Bytes and bits of a root object. The bits are always there, since a kernel may store an undefined
 * value into a buffer that began defined; all-defined bits cost no memory until they are written.
 */
static enum status entry_make_root(const struct vm_memory *memory, struct entry *entry,
                                   uint32_t number, const struct vm_buffer_info *info,
                                   struct error *error)
{
    const bool in_place = info->host_bytes && !memory->is_separate;
    const uint64_t words = bits_word_count(info->size);
    entry->own_bits = alloc_zero(words, sizeof(uint64_t));
    if (!entry->own_bits)
        return error_no_memory(error, words * sizeof(uint64_t));
    if (!info->defined)
        bits_fill(entry->own_bits, 0, info->size, true);
    if (!in_place) {
        entry->own_bytes = alloc_zero(info->size, 1);
        if (!entry->own_bytes)
            return error_no_memory(error, info->size);
    }
    if (memory->is_separate && !info->host_bytes) {
        entry->own_copy = alloc_zero(info->size, 1);
        if (!entry->own_copy)
            return error_no_memory(error, info->size);
    }
    if (memory->is_separate)
        entry->object.host_copy = info->host_bytes ? info->host_bytes : entry->own_copy;
    if (info->packet_size) {
        entry->object.pipe =
            vm_pipe_create(number, info->packet_size, (uint32_t)(info->size / info->packet_size));
        if (!entry->object.pipe)
            return error_no_memory(error, info->packet_size);
    }
    entry->object.bytes = in_place ? info->host_bytes : entry->own_bytes;
    entry->object.is_host_memory = in_place;
    entry->object.sealed = info->constant || (info->read_only && in_place);
    entry->object.undefined = entry->own_bits;
    return STATUS_OK;
}

/* What the host writes to memory that it may use at any time is not seen: it counts as defined. */
static enum status entry_make_shared(struct vm_memory *memory, struct entry *entry, uint32_t number,
                                     const struct vm_buffer_info *info, struct error *error)
{
    uint64_t *bits;
    const bool beside_host = svm_is_beside_host(info->svm);
    const bool apart = memory->is_separate && !beside_host;
    const enum status status =
        svm_take(&memory->svm, info->size, apart, number, &entry->object.bytes, &bits, error);
    if (status != STATUS_OK || beside_host)
        return status;
    if (apart)
        entry->object.host_copy = entry->object.bytes - memory->svm.distance;
    bits_fill(bits, 0, info->size, true);
    entry->object.undefined = bits;
    return STATUS_OK;
}

/* What the host writes there nobody sees: it all counts as defined. */
static void entry_make_window(struct entry *entry, const struct vm_buffer_info *info)
{
    entry->object.bytes = info->host_bytes;
    entry->object.is_host_memory = true;
    entry->object.sealed = info->read_only;
}

static void entry_make_part(struct entry *entry, const struct vm_object *parent, uint64_t offset)
{
    entry->object.bytes = parent->bytes + offset;
    if (parent->host_copy)
        entry->object.host_copy = parent->host_copy + offset;
    entry->object.undefined = parent->undefined;
    entry->object.sealed = parent->sealed;
    entry->object.root = parent->root;
    entry->object.root_offset = parent->root_offset + offset;
}

static enum status entry_make(struct vm_memory *memory, struct entry *entry, uint32_t number,
                              const struct vm_buffer_info *info, struct error *error)
{
    enum status status = STATUS_NO_MEMORY;
    *entry = (struct entry){.object = {.size = info->size,
                                       .read_only = info->read_only,
                                       .write_only = info->write_only,
                                       .is_pipe = info->packet_size != 0}};
    entry->object.root = &entry->object;
    if (info->image) {
        entry->image = *info->image;
        entry->object.image = &entry->image;
    }
    entry->name = info->name ? alloc_string(info->name) : alloc_format("buffer#%u", number);
    entry->origin = info->origin ? alloc_string(info->origin) : NULL;
    if (!entry->name || (info->origin && !entry->origin)) {
        status = error_no_memory(error, info->origin ? strlen(info->origin) : 16);
        goto out;
    }
    if (info->parent) {
        entry_make_part(entry, &entry_get(memory, info->parent)->object, info->parent_offset);
    } else if (info->svm == OBSERVER_SVM_SYSTEM) {
        entry_make_window(entry, info);
    } else {
        status = info->svm != OBSERVER_SVM_NONE
                     ? entry_make_shared(memory, entry, number, info, error)
                     : entry_make_root(memory, entry, number, info, error);
        if (status != STATUS_OK)
            goto out;
    }
    entry->object.identity =
        (struct observer_object){.id = number,
                                 .region = info->constant ? OBSERVER_CONSTANT : OBSERVER_GLOBAL,
                                 .size = info->size,
                                 .name = entry->name,
                                 .origin = entry->origin,
                                 .is_image = info->image != NULL,
                                 .is_pipe = info->packet_size != 0,
                                 .svm = info->svm};
    if (info->parent) {
        entry->object.identity.id = entry->object.root->identity.id;
        entry->object.identity.svm = entry->object.root->identity.svm;
    }
    status = STATUS_OK;
out:
    if (status != STATUS_OK) {
        entry_release_bytes(memory, entry);
        entry_release_names(entry);
    }
    return status;
}

static enum status check_info(const struct vm_memory *memory, const struct vm_buffer_info *info,
                              struct error *error)
{
    if (info->size > VM_POINTER_BIAS)
        return error_set(error, STATUS_INVALID, "an object of %llu bytes cannot be made",
                         (unsigned long long)info->size);
    if (!info->parent)
        return STATUS_OK;
    const struct entry *parent = entry_at(memory, info->parent);
    if (!parent || parent->object.freed ||
        !range_within(info->parent_offset, info->size, parent->object.size))
        return error_set(
            error, STATUS_INVALID, "a part of %llu bytes at %llu does not lie in object %u",
            (unsigned long long)info->size, (unsigned long long)info->parent_offset, info->parent);
    return STATUS_OK;
}

/* The number of the object that was freed longest ago, when so many were freed since that nobody
 * will ask for it; 0 = there is none. */
static uint32_t oldest_freed_number(const struct vm_memory *memory)
{
    return memory->freed_count == VM_MEMORY_FREED_MAX && memory->launches == 0
               ? memory->freed[memory->freed_first]
               : 0;
}

static void forget_oldest_freed(struct vm_memory *memory)
{
    memory->freed_first = (memory->freed_first + 1) % VM_MEMORY_FREED_MAX;
    memory->freed_count--;
}

/* The addresses of shared virtual memory stay taken, and so do its numbers. When the ring is full
 * the number is given to nobody again, and the object stays known. */
static void keep_freed_number(struct vm_memory *memory, uint32_t number)
{
    if (is_shared_root(&entry_get(memory, number)->object) ||
        memory->freed_count == VM_MEMORY_FREED_MAX)
        return;
    memory->freed[(memory->freed_first + memory->freed_count++) % VM_MEMORY_FREED_MAX] = number;
}

/* A number that nobody had; 0 = memory is out, or the numbers are. */
static uint32_t next_number(struct vm_memory *memory, struct error *error)
{
    struct entry **chunk = &memory->chunks[memory->count / CHUNK_OBJECTS];
    if (memory->count == VM_LAUNCH_OBJECT - 1) {
        error_set(error, STATUS_NO_MEMORY, "more than %u objects are on one device",
                  VM_LAUNCH_OBJECT - 2);
        return 0;
    }
    if (!*chunk)
        *chunk = alloc_zero(CHUNK_OBJECTS, sizeof **chunk);
    if (!*chunk) {
        error_no_memory(error, CHUNK_OBJECTS * sizeof **chunk);
        return 0;
    }
    return memory->count;
}

enum status vm_memory_create_object(struct vm_memory *memory, const struct vm_buffer_info *info,
                                    uint32_t *object, struct error *error)
{
    pthread_mutex_lock(&memory->lock);
    uint32_t number = 0;
    enum status status = check_info(memory, info, error);
    if (status != STATUS_OK)
        goto out;
    number = oldest_freed_number(memory);
    if (number == 0)
        number = next_number(memory, error);
    if (number == 0) {
        status = STATUS_NO_MEMORY;
        goto out;
    }
    struct entry *entry = &memory->chunks[number / CHUNK_OBJECTS][number % CHUNK_OBJECTS];
    struct entry old = *entry;
    status = entry_make(memory, entry, number, info, error);
    if (status != STATUS_OK) {
        *entry = old;
        goto out;
    }
    if (number == memory->count) {
        __atomic_store_n(&memory->count, number + 1, __ATOMIC_RELEASE);
    } else {
        entry_release_names(&old);
        forget_oldest_freed(memory);
    }
    *object = number;
out:
    pthread_mutex_unlock(&memory->lock);
    return status;
}

static struct keeper *keeper_copy(const struct observer_keeper *keeper)
{
    const char *const strings[] = {keeper->launch, keeper->at.function, keeper->at.file,
                                   keeper->at.source};
    enum { STRINGS = sizeof strings / sizeof *strings };
    size_t sizes[STRINGS];
    size_t size = 0;
    for (size_t i = 0; i < STRINGS; i++) {
        sizes[i] = strings[i] ? strlen(strings[i]) + 1 : 0;
        size += sizes[i];
    }
    struct keeper *copy = alloc_zero(1, sizeof *copy + size);
    if (!copy)
        return NULL;
    copy->keeper = *keeper;
    const char **const places[STRINGS] = {&copy->keeper.launch, &copy->keeper.at.function,
                                          &copy->keeper.at.file, &copy->keeper.at.source};
    char *string = copy->strings;
    for (size_t i = 0; i < STRINGS; i++) {
        if (strings[i])
            *places[i] = memcpy(string, strings[i], sizes[i]);
        string += sizes[i];
    }
    return copy;
}

enum status vm_memory_lend_object(struct vm_memory *memory, uint32_t object,
                                  const struct observer_keeper *keeper, uint32_t *loan,
                                  struct error *error)
{
    const struct vm_object *lent = &entry_get(memory, object)->object;
    ASSERT(!lent->freed && lent->identity.svm == OBSERVER_SVM_NONE && !lent->image);
    const struct vm_buffer_info info = {.size = lent->size,
                                        .parent = object,
                                        .read_only = lent->read_only,
                                        .write_only = lent->write_only,
                                        .constant = lent->identity.region == OBSERVER_CONSTANT,
                                        .name = lent->identity.name,
                                        .origin = lent->identity.origin};
    struct keeper *copy = keeper_copy(keeper);
    if (!copy)
        return error_no_memory(error, sizeof *copy);
    const enum status status = vm_memory_create_object(memory, &info, loan, error);
    if (status != STATUS_OK) {
        alloc_free(copy);
        return status;
    }
    struct entry *entry = entry_get(memory, *loan);
    entry->keeper = copy;
    entry->object.keeper = &copy->keeper;
    entry->object.lender = object;
    return STATUS_OK;
}

void vm_memory_free_object(struct vm_memory *memory, uint32_t object)
{
    pthread_mutex_lock(&memory->lock);
    struct entry *entry = entry_get(memory, object);
    ASSERT(!entry->object.freed);
    entry->object.freed = true;
    entry_release_bytes(memory, entry);
    keep_freed_number(memory, object);
    pthread_mutex_unlock(&memory->lock);
}

void vm_memory_begin_launch(struct vm_memory *memory)
{
    pthread_mutex_lock(&memory->lock);
    memory->launches++;
    pthread_mutex_unlock(&memory->lock);
    system_windows_begin(&memory->system);
}

void vm_memory_end_launch(struct vm_memory *memory)
{
    pthread_mutex_lock(&memory->lock);
    ASSERT(memory->launches > 0);
    memory->launches--;
    pthread_mutex_unlock(&memory->lock);
}

void vm_memory_set_writer(struct vm_memory *memory, uint32_t object, const char *writer)
{
    struct entry *entry = entry_get(memory, entry_get(memory, object)->object.root->identity.id);
    char *copy = alloc_string(writer);
    if (!copy)
        return;
    alloc_free(entry->writer);
    entry->writer = copy;
    entry->object.identity.writer = copy;
}

void vm_memory_give_first_use(struct vm_memory *memory, uint32_t object, const char *argument,
                              const char *kernel)
{
    struct entry *entry = entry_get(memory, object);
    if (!entry->first_use)
        entry->first_use = alloc_format("'%s' of kernel '%s'", argument, kernel);
    entry->object.first_use = entry->first_use;
}

void vm_memory_move_bytes(struct vm_memory *memory, uint32_t object, uint8_t *bytes)
{
    entry_get(memory, object)->object.bytes = bytes;
}

const struct vm_object *vm_memory_find(const struct vm_memory *memory, uint32_t object)
{
    const struct entry *entry = entry_at(memory, object);
    return entry ? &entry->object : NULL;
}

bool vm_memory_find_shared(const struct vm_memory *memory, uint64_t address,
                           struct vm_shared_range *range)
{
    struct svm_place place;
    uint64_t end;
    if (!svm_find(&memory->svm, address, &place, &end))
        return false;
    range->first = place.begin - SVM_GUARD;
    range->size = end - range->first;
    range->difference = vm_pointer_make(place.object, 0) - place.begin;
    return true;
}

/* ---- the memory of the system ---- */

static struct system_access system_access(const struct vm_memory *memory,
                                          const struct vm_blocks *given, uint64_t address,
                                          uint32_t size)
{
    const uint64_t hidden = (uintptr_t)memory->svm.base;
    return (struct system_access){address, size, given, hidden, hidden + memory->svm.size};
}

bool vm_memory_find_system(struct vm_memory *memory, const struct vm_blocks *given,
                           uint64_t address, uint32_t size, struct vm_shared_range *range)
{
    const struct system_access access = system_access(memory, given, address, size);
    return memory->shares_system && system_windows_find(&memory->system, memory, &access, range);
}

bool vm_memory_blame_block(struct vm_memory *memory, const struct vm_blocks *given,
                           uint64_t address, uint32_t size, struct heap_block *block)
{
    const struct system_access access = system_access(memory, given, address, size);
    return memory->shares_system && system_windows_blame(&memory->system, &access, block);
}

bool vm_memory_met_system(const struct vm_memory *memory)
{
    return memory->system.met;
}

uint64_t vm_memory_pointer(const struct vm_memory *memory, uint64_t pointer)
{
    struct vm_shared_range range;
    return !(pointer & VM_POINTER_TAG) && vm_memory_find_shared(memory, pointer, &range)
               ? pointer + range.difference
               : pointer;
}

void *vm_memory_host_bytes(const struct vm_memory *memory, uint32_t number)
{
    const struct vm_object *object = vm_memory_find(memory, number);
    if (object->host_copy)
        return object->host_copy;
    return object->bytes - (is_shared(object) ? memory->svm.distance : 0);
}

uint64_t vm_memory_address(const struct vm_memory *memory, uint32_t number, uint64_t offset)
{
    const struct vm_object *object = vm_memory_find(memory, number);
    if (number == 0)
        return offset;
    if (object && object->identity.svm != OBSERVER_SVM_NONE && object->bytes)
        return (uintptr_t)vm_memory_host_bytes(memory, number) + offset;
    return vm_pointer_make(number, (int64_t)offset);
}

static struct vm_object *object_of_range(const struct vm_memory *memory, uint32_t object,
                                         uint64_t offset, uint64_t size)
{
    struct entry *entry = entry_get(memory, object);
    ASSERT(!entry->object.freed && range_within(offset, size, entry->object.size));
    return &entry->object;
}

void vm_memory_write(struct vm_memory *memory, uint32_t object, uint64_t offset, const void *bytes,
                     uint64_t size)
{
    struct vm_object *to = object_of_range(memory, object, offset, size);
    memmove(to->bytes + offset, bytes, size); /* may be the application's own bytes */
    vm_memory_define(memory, object, offset, size);
}

void vm_memory_read(const struct vm_memory *memory, uint32_t object, uint64_t offset, void *bytes,
                    uint64_t size)
{
    const struct vm_object *from = object_of_range(memory, object, offset, size);
    memmove(bytes, from->bytes + offset, size);
}

void vm_memory_copy(struct vm_memory *memory, uint32_t from, uint64_t from_offset, uint32_t to,
                    uint64_t to_offset, uint64_t size)
{
    const struct vm_object *source = object_of_range(memory, from, from_offset, size);
    struct vm_object *target = object_of_range(memory, to, to_offset, size);
    memmove(target->bytes + to_offset, source->bytes + from_offset, size);
    if (!source->undefined)
        vm_memory_define(memory, to, to_offset, size);
    else if (target->undefined)
        bits_copy(target->undefined, target->root_offset + to_offset, source->undefined,
                  source->root_offset + from_offset, size);
}

void vm_memory_define(struct vm_memory *memory, uint32_t object, uint64_t offset, uint64_t size)
{
    struct vm_object *to = object_of_range(memory, object, offset, size);
    if (to->undefined && bits_any(to->undefined, to->root_offset + offset, size))
        bits_fill(to->undefined, to->root_offset + offset, size, false);
}

void vm_memory_empty(struct vm_memory *memory, uint32_t object, uint64_t offset, uint64_t size)
{
    const struct vm_object *emptied = object_of_range(memory, object, offset, size);
    struct observer_object *root = &entry_get(memory, emptied->identity.id)->object.identity;
    uint64_t first = emptied->root_offset + offset;
    uint64_t end = first + size;
    if (!emptied->undefined)
        return;
    bits_fill(emptied->undefined, first, size, true);
    if (first <= root->emptied_end && root->emptied_first <= end &&
        root->emptied_first < root->emptied_end) {
        first = root->emptied_first < first ? root->emptied_first : first;
        end = root->emptied_end > end ? root->emptied_end : end;
    }
    root->emptied_first = first;
    root->emptied_end = end;
}

/* ---- a memory of its own for a launch that is run once more ---- */

struct kept_object {
    uint32_t number;
    uint8_t *bytes;
    uint64_t *undefined; /* NULL = all are defined */
    char *writer;        /* who may have written it last; NULL = nobody */
};

struct vm_kept {
    size_t count;
    struct kept_object objects[];
};

/* The number of the whole that is kept for `objects[index]`; 0 = none is. */
static uint32_t kept_number(const struct vm_memory *memory, const uint32_t *objects, size_t index)
{
    const struct vm_object *object = vm_memory_find(memory, objects[index]);
    if (!object || object->freed || object->root->freed || object->root->sealed ||
        !object->root->bytes || object->identity.svm == OBSERVER_SVM_SYSTEM)
        return 0;
    for (size_t i = 0; i < index; i++) {
        const struct vm_object *earlier = vm_memory_find(memory, objects[i]);
        if (earlier && !earlier->freed && earlier->root == object->root)
            return 0;
    }
    return object->root->identity.id;
}

uint64_t vm_memory_kept_size(const struct vm_memory *memory, const uint32_t *objects, size_t count)
{
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = kept_number(memory, objects, i);
        const uint64_t own = number ? vm_memory_find(memory, number)->size : 0;
        size = own > UINT64_MAX - size ? UINT64_MAX : size + own;
    }
    return size;
}

/* False when memory is out. What is not made is NULL. */
static bool copy_contents(const struct vm_object *object, const uint8_t *bytes,
                          const uint64_t *undefined, uint8_t **own_bytes, uint64_t **own_undefined)
{
    const uint64_t words = bits_word_count(object->size);
    *own_bytes = alloc_spare(object->size, 1);
    *own_undefined = undefined ? alloc_spare(words, sizeof(uint64_t)) : NULL;
    if (*own_bytes)
        memcpy(*own_bytes, bytes, object->size);
    if (*own_undefined)
        memcpy(*own_undefined, undefined, words * sizeof(uint64_t));
    return *own_bytes && (*own_undefined || !undefined);
}

struct vm_kept *vm_memory_keep(const struct vm_memory *memory, const uint32_t *objects,
                               size_t count)
{
    struct vm_kept *kept = alloc_zero(1, sizeof *kept + count * sizeof *kept->objects);
    bool complete = kept != NULL;
    for (size_t i = 0; i < count && complete; i++) {
        const uint32_t number = kept_number(memory, objects, i);
        if (number == 0)
            continue;
        const struct vm_object *object = vm_memory_find(memory, number);
        struct kept_object *own = &kept->objects[kept->count++];
        own->number = number;
        own->writer = object->identity.writer ? alloc_string(object->identity.writer) : NULL;
        complete =
            (own->writer || !object->identity.writer) &&
            copy_contents(object, object->bytes, object->undefined, &own->bytes, &own->undefined);
    }
    if (complete)
        return kept;
    vm_kept_destroy(kept);
    return NULL;
}

void vm_kept_destroy(struct vm_kept *kept)
{
    for (size_t i = 0; kept && i < kept->count; i++) {
        alloc_free(kept->objects[i].bytes);
        alloc_free(kept->objects[i].undefined);
        alloc_free(kept->objects[i].writer);
    }
    alloc_free(kept);
}

/* Names stay those of `memory`. */
static void copy_entry(const struct vm_memory *memory, uint32_t number, struct entry *to)
{
    const struct entry *from = entry_get(memory, number);
    *to = (struct entry){.object = from->object, .image = from->image};
    struct vm_object *object = &to->object;
    if (object->image)
        object->image = &to->image;
    object->sealed = true;
    if (object->identity.svm != OBSERVER_SVM_NONE && object->bytes)
        object->host_copy = vm_memory_host_bytes(memory, number);
}

static bool copy_table(const struct vm_memory *memory, struct vm_memory *copy)
{
    for (uint32_t number = 1; number < copy->count; number++) {
        struct entry **chunk = &copy->chunks[number / CHUNK_OBJECTS];
        if (!*chunk)
            *chunk = alloc_zero(CHUNK_OBJECTS, sizeof **chunk);
        if (!*chunk)
            return false;
        copy_entry(memory, number, entry_get(copy, number));
    }
    return true;
}

static bool give_contents(struct vm_memory *copy, const struct kept_object *kept)
{
    struct entry *entry = entry_get(copy, kept->number);
    struct vm_object *object = &entry->object;
    if (!copy_contents(object, kept->bytes, kept->undefined, &entry->own_bytes, &entry->own_bits))
        return false;
    entry->writer = kept->writer ? alloc_string(kept->writer) : NULL;
    object->bytes = entry->own_bytes;
    object->undefined = entry->own_bits;
    object->identity.writer = entry->writer;
    object->sealed = false;
    return entry->writer || !kept->writer;
}

/* Parts are parts of the copy's objects. */
static void join_parts(struct vm_memory *copy)
{
    for (uint32_t number = 1; number < copy->count; number++) {
        struct vm_object *object = &entry_get(copy, number)->object;
        const struct vm_object *root = &entry_get(copy, object->identity.id)->object;
        object->root = root;
        if (object == root || object->freed || !root->bytes)
            continue;
        object->bytes = root->bytes + object->root_offset;
        object->undefined = root->undefined;
        object->sealed = root->sealed;
    }
}

struct vm_memory *vm_memory_create_copy(struct vm_memory *memory, const struct vm_kept *kept)
{
    struct error error;
    struct vm_memory *copy;
    if (vm_memory_create(&copy, &error) != STATUS_OK)
        return NULL;
    pthread_mutex_lock(&memory->lock);
    copy->count = memory->count;
    copy->svm = memory->svm;
    copy->is_separate = memory->is_separate;
    bool complete = copy_table(memory, copy);
    pthread_mutex_unlock(&memory->lock);
    for (size_t i = 0; i < kept->count && complete; i++)
        complete = give_contents(copy, &kept->objects[i]);
    if (!complete) {
        vm_memory_destroy_copy(copy);
        return NULL;
    }
    join_parts(copy);
    return copy;
}

void vm_memory_destroy_copy(struct vm_memory *copy)
{
    for (uint32_t number = 1; number < copy->count; number++) {
        if (!copy->chunks[number / CHUNK_OBJECTS])
            break; /* memory was out */
        const struct entry *entry = entry_get(copy, number);
        alloc_free(entry->own_bytes);
        alloc_free(entry->own_bits);
        alloc_free(entry->writer);
    }
    for (size_t chunk = 0; chunk < CHUNK_COUNT; chunk++)
        alloc_free(copy->chunks[chunk]);
    system_windows_release(&copy->system);
    pthread_mutex_destroy(&copy->lock);
    alloc_free(copy);
}
