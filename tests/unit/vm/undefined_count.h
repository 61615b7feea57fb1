/* What a test asks of the memory of a device: how much of it nobody wrote. */
#ifndef TESTS_UNIT_VM_UNDEFINED_COUNT_H
#define TESTS_UNIT_VM_UNDEFINED_COUNT_H

#include "reference/vm/bits.h"
#include "reference/vm/memory.h"

/* Bytes of the range. */
static inline uint64_t undefined_count(const struct vm_memory *memory, uint32_t object,
                                       uint64_t offset, uint64_t size)
{
    const struct vm_object *from = vm_memory_find(memory, object);
    uint64_t count = 0;
    for (uint64_t i = 0; i < size && from->undefined; i++)
        count += bits_get(from->undefined, from->root_offset + offset + i, 1);
    return count;
}

#endif
