#include "reference/vm/system_windows.h"

#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <inttypes.h>
#include <stdio.h>

/* Where the memory of processes can be; and how often a launch reads again where it is. */
enum { FIRST_ADDRESS = 4096, ADDRESS_BITS = 48, READS_MAX = 64 };

int system_windows_init(struct system_windows *windows)
{
    return pthread_mutex_init(&windows->lock, NULL);
}

void system_windows_release(struct system_windows *windows)
{
    system_ranges_release(&windows->ranges);
    alloc_free(windows->numbers);
    pthread_mutex_destroy(&windows->lock);
}

void system_windows_begin(struct system_windows *windows)
{
    pthread_mutex_lock(&windows->lock);
    windows->ranges.count = 0;
    windows->reads = 0;
    windows->met = false;
    pthread_mutex_unlock(&windows->lock);
}

static const struct system_range *find_range(struct system_windows *windows,
                                             const struct system_access *access)
{
    const struct system_range *range =
        system_ranges_find(&windows->ranges, access->address, access->size);
    if (range || windows->reads == READS_MAX)
        return range;
    windows->reads++;
    if (system_ranges_read(&windows->ranges, access->hidden, access->hidden_end, NULL) != STATUS_OK)
        return NULL;
    return system_ranges_find(&windows->ranges, access->address, access->size);
}

/* The number of the object; 0 = memory is out. */
static uint32_t find_window(struct system_windows *windows, struct vm_memory *memory,
                            uint64_t begin, bool writable)
{
    char name[64];
    if (!windows->numbers)
        windows->numbers =
            alloc_zero((UINT64_C(1) << ADDRESS_BITS) / SYSTEM_WINDOW * 2, sizeof *windows->numbers);
    if (!windows->numbers)
        return 0;
    uint32_t *number = &windows->numbers[begin / SYSTEM_WINDOW * 2 + writable];
    snprintf(name, sizeof name, "memory of the host from 0x%" PRIx64, begin);
    const struct vm_buffer_info info = {.size = SYSTEM_WINDOW + SYSTEM_ACCESS_MAX,
                                        .host_bytes = (void *)(uintptr_t)begin,
                                        .read_only = !writable,
                                        .svm = OBSERVER_SVM_SYSTEM,
                                        .name = name};
    if (*number == 0 && vm_memory_create_object(memory, &info, number, NULL) != STATUS_OK)
        *number = 0;
    return *number;
}

static bool was_given(const struct vm_blocks *given, const struct heap_block *block)
{
    for (size_t i = 0; given && i < given->count; i++) {
        if (given->addresses[i] - block->first < block->size)
            return true;
    }
    return false;
}

/* The memory of a freed block may be another's by now, who does not ask malloc: to use it is wrong
 * where it is not mapped any more, or by a pointer from before. */
static bool is_wrong(struct system_windows *windows, const struct system_access *access,
                     const struct heap_block *block)
{
    return block->freed ? was_given(access->given, block) || !find_range(windows, access)
                        : !range_within(access->address - block->first, access->size, block->size);
}

/* The addresses around the access at which one like it may begin, as far as malloc's blocks go.
 * False = it is wrong. */
static bool find_block(struct system_windows *windows, const struct system_access *access,
                       struct heap_block *block)
{
    if (!heap_find(access->address, block))
        return true;
    if (is_wrong(windows, access, block))
        return false;
    if (block->freed) /* others may have taken parts of it */
        *block = (struct heap_block){access->address, 1, true};
    else
        block->size -= access->size - 1;
    return true;
}

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t higher(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

bool system_windows_find(struct system_windows *windows, struct vm_memory *memory,
                         const struct system_access *access, struct vm_shared_range *range)
{
    const uint64_t begin = access->address / SYSTEM_WINDOW * SYSTEM_WINDOW;
    if (access->address < FIRST_ADDRESS || access->address >> ADDRESS_BITS != 0)
        return false;
    pthread_mutex_lock(&windows->lock);
    const struct system_range *found = find_range(windows, access);
    struct heap_block block;
    const uint32_t number = found && find_block(windows, access, &block)
                                ? find_window(windows, memory, begin, found->writable)
                                : 0;
    if (number != 0) {
        const uint64_t end = found->end - access->size + 1; /* of where an access may begin */
        range->first = higher(higher(found->first, begin), block.first);
        range->size =
            lower(lower(end, begin + SYSTEM_WINDOW), block.first + block.size) - range->first;
        range->difference = vm_pointer_make(number, 0) - begin;
        windows->met = true;
    }
    pthread_mutex_unlock(&windows->lock);
    return number != 0;
}

bool system_windows_blame(struct system_windows *windows, const struct system_access *access,
                          struct heap_block *block)
{
    if (!heap_find(access->address, block))
        return false;
    pthread_mutex_lock(&windows->lock);
    const bool wrong = is_wrong(windows, access, block);
    pthread_mutex_unlock(&windows->lock);
    return wrong;
}
