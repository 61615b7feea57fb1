#include "reference/vm/svm.h"

#include "reference/vm/bits.h"
#include "reference/vm/memory.h"
#include "trace/base/size.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
/* The thread sanitizer leaves a program few addresses. */
static const uint64_t ARENA_SIZE = UINT64_C(1) << 38;
static const uintptr_t WISHED_BASE = UINT64_C(0x7e8000000000);
#else
/* More than a process allocates in its life, and little enough for any address space of 47 bits. */
static const uint64_t ARENA_SIZE = UINT64_C(1) << 40;
/* Where nothing else lies on Linux; other systems give another. */
static const uintptr_t WISHED_BASE = UINT64_C(1) << 45;
#endif
static const uint64_t TABLE_SIZE = VM_LAUNCH_OBJECT * sizeof(struct svm_place);

static enum status no_memory(const char *what, uint64_t size, struct error *error)
{
    return error_set(error, STATUS_NO_MEMORY, "cannot %s %llu bytes of addresses: %s", what,
                     (unsigned long long)size, strerror(errno));
}

/* A file of its own, which both mappings show; -1 = none. */
static int make_file(void)
{
    const int file = memfd_create("shared virtual memory", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)ARENA_SIZE) != 0) {
        close(file);
        return -1;
    }
    return file;
}

static void *map_range(void *wished, int file)
{
    const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    return mmap(wished, ARENA_SIZE, PROT_NONE, flags | MAP_NORESERVE, file, 0);
}

/* Pages cost memory when they are written to. */
static enum status reserve(struct svm_arena *arena, struct error *error)
{
    int file = arena->watched || arena->apart ? make_file() : -1;
    void *second = file < 0 ? MAP_FAILED : map_range(NULL, file);
    const bool doubled = second != MAP_FAILED;
    void *base = map_range((void *)WISHED_BASE, doubled ? file : -1);
    if (file >= 0)
        close(file);
    if (base == MAP_FAILED)
        return no_memory("reserve", ARENA_SIZE, error);
    if (mprotect(base, TABLE_SIZE, PROT_READ | PROT_WRITE) != 0) {
        const enum status status = no_memory("use", TABLE_SIZE, error);
        munmap(base, ARENA_SIZE);
        return status;
    }
    *arena = (struct svm_arena){.base = base,
                                .size = ARENA_SIZE,
                                .used = TABLE_SIZE,
                                .watched = doubled && arena->watched,
                                .apart = doubled && arena->apart,
                                .distance = doubled ? (uintptr_t)second - (uintptr_t)base : 0};
    return STATUS_OK;
}

void svm_arena_release(struct svm_arena *arena)
{
    if (arena->base)
        munmap(arena->base, arena->size);
    if (arena->distance != 0)
        munmap(arena->base + arena->distance, arena->size);
}

static uint64_t bits_offset(uint64_t size)
{
    return size_align(size, SVM_GUARD) + SVM_GUARD;
}

static uint64_t whole_size(uint64_t size)
{
    return bits_offset(size) + size_align(bits_word_count(size) * sizeof(uint64_t), SVM_GUARD);
}

/* What the device sees of the range becomes its own. */
static bool part(uint8_t *first, uint64_t size)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    return mmap(first, size, PROT_NONE, flags, -1, 0) != MAP_FAILED;
}

enum status svm_take(struct svm_arena *arena, uint64_t size, bool apart, uint32_t object,
                     uint8_t **bytes, uint64_t **bits, struct error *error)
{
    if (!arena->base) {
        const enum status status = reserve(arena, error);
        if (status != STATUS_OK)
            return status;
    }
    const uint64_t taken = SVM_GUARD + whole_size(size) + SVM_GUARD;
    if (!range_within(arena->used, taken, arena->size))
        return error_set(error, STATUS_NO_MEMORY,
                         "the %llu bytes of addresses for shared virtual memory are used up",
                         (unsigned long long)arena->size);
    uint8_t *first = arena->base + arena->used;
    if (apart && !arena->apart)
        return error_set(error, STATUS_NO_MEMORY,
                         "the system gives no second range of addresses for shared memory");
    if (apart && !part(first + arena->distance, taken))
        return no_memory("part", taken, error);
    if (mprotect(first, taken, PROT_READ | PROT_WRITE) != 0 ||
        mprotect(first + arena->distance, taken, PROT_READ | PROT_WRITE) != 0)
        return no_memory("use", taken, error);
    *bytes = first + arena->distance + SVM_GUARD;
    *bits = (uint64_t *)(void *)(*bytes + bits_offset(size));
    arena->used += taken;
    struct svm_place *table = (struct svm_place *)(void *)arena->base;
    table[arena->count] =
        (struct svm_place){.begin = (uintptr_t)first + SVM_GUARD, .object = object};
    __atomic_store_n(&arena->count, arena->count + 1, __ATOMIC_RELEASE);
    return STATUS_OK;
}

void svm_give_back(const struct svm_arena *arena, uint8_t *bytes, uint64_t size)
{
    if (arena->distance != 0)
        madvise(bytes - arena->distance, whole_size(size), MADV_REMOVE);
    madvise(bytes, whole_size(size), MADV_DONTNEED);
}

bool svm_find(const struct svm_arena *arena, uint64_t address, struct svm_place *place,
              uint64_t *end)
{
    const uint32_t count = __atomic_load_n(&arena->count, __ATOMIC_ACQUIRE);
    const struct svm_place *table = (const struct svm_place *)(const void *)arena->base;
    if (count == 0 || address < table[0].begin - SVM_GUARD ||
        address >= (uintptr_t)arena->base + arena->size)
        return false;
    uint32_t low = 0;
    uint32_t high = count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (table[middle].begin - SVM_GUARD <= address)
            low = middle;
        else
            high = middle;
    }
    *place = table[low];
    *end =
        low + 1 < count ? table[low + 1].begin - SVM_GUARD : (uintptr_t)arena->base + arena->size;
    return true;
}
