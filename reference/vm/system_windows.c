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

/* One of those that were given which has some of the bytes; NULL = none. */
static const struct heap_block *find_given(const struct vm_blocks *given, uint64_t first,
                                           uint64_t size)
{
    for (size_t i = 0; given && i < given->count; i++) {
        const struct heap_block *block = &given->items[i];
        if (first - block->first < block->size || block->first - first < size)
            return block;
    }
    return NULL;
}

/* Is the access wrong by what malloc gave? Then *block is what it leaves, or what was freed. Else
 * it is the addresses around the access at which one like it may begin, as far as blocks go.
 *
 * Memory that is in no block may be another's, who does not ask malloc. To use it is wrong where it
 * is of a freed block and not mapped any more, or of a block that the kernel was given. */
static bool is_wrong(struct system_windows *windows, const struct system_access *access,
                     struct heap_block *block)
{
    const bool known = heap_find(access->address, block);
    if (known && !block->freed) {
        const uint64_t offset = access->address - block->first;
        const bool within = range_within(offset, access->size, block->size);
        block->size -= within ? access->size - 1 : 0;
        return !within;
    }
    const struct heap_block *given = find_given(access->given, access->address, 1);
    if (given)
        *block = (struct heap_block){.first = given->first, .size = given->size, .freed = true};
    if (given || (known && !find_range(windows, access)))
        return true;
    if (known || find_given(access->given, block->first, block->size))
        *block = (struct heap_block){.first = access->address, .size = 1};
    return false;
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
    const uint32_t number = found && !is_wrong(windows, access, &block)
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
    pthread_mutex_lock(&windows->lock);
    const bool wrong = is_wrong(windows, access, block);
    pthread_mutex_unlock(&windows->lock);
    return wrong;
}
