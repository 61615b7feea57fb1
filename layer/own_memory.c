#include "layer/own_memory.h"

#include "trace/base/alloc.h"
#include "trace/base/heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_within(const struct own_part *part, uint64_t address)
{
    return address - part->first < part->size;
}

bool own_part_find_block(uint64_t address, struct own_part *part)
{
    struct heap_block block;
    if (!heap_find(address, &block) || block.freed || block.foreign)
        return false;
    *part = (struct own_part){.first = block.first, .size = block.size, .is_block = true};
    return is_within(part, address);
}

/* What lies below the frame of a call, and what the call itself has there, is of functions that
 * come and go. */
static uint64_t begin_of_use(uint64_t address, uint64_t first, uint64_t frame)
{
    const uint64_t above = frame + 512; /* more than any call has, with its wrapper */
    return frame <= first || frame > address ? first : above < address ? above : address;
}

bool own_part_find_mapping(uint64_t address, const void *frame, struct own_part *part)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    uint64_t first;
    uint64_t end;
    char mode;
    bool found = false;
    bool begins = true; /* else it is more of a long line */
    while (!found && maps && fgets(line, sizeof line, maps)) {
        found = begins && sscanf(line, "%" SCNx64 "-%" SCNx64 " %c", &first, &end, &mode) == 3 &&
                mode == 'r' && address >= first && address < end;
        begins = strchr(line, '\n') != NULL;
    }
    if (maps)
        fclose(maps);
    if (found) {
        first = begin_of_use(address, first, (uint64_t)frame);
        *part = (struct own_part){.first = first, .size = end - first};
    }
    return found;
}

bool own_part_is_current(const struct own_part *part)
{
    struct own_part now;
    return !part->is_block || (own_part_find_block(part->first, &now) && now.first == part->first &&
                               now.size == part->size);
}

/* ---- those that were found ---- */

struct own_memory *own_memory_create(void)
{
    struct own_memory *memory = alloc_zero(1, sizeof *memory);
    if (memory)
        pthread_mutex_init(&memory->mutex, NULL);
    return memory;
}

void own_memory_destroy(struct own_memory *memory)
{
    if (!memory)
        return;
    pthread_mutex_destroy(&memory->mutex);
    alloc_free(memory->list);
    alloc_free(memory);
}

bool own_memory_add(struct own_memory *memory, const struct own_part *part)
{
    struct own_part *grown =
        alloc_grow(memory->list, memory->count, &memory->capacity, sizeof *grown);
    if (!grown)
        return false;
    memory->list = grown;
    grown[memory->count++] = *part;
    memory->size += part->size;
    memory->version++;
    return true;
}

void own_memory_remove(struct own_memory *memory, size_t index)
{
    memory->size -= memory->list[index].size;
    memory->list[index] = memory->list[--memory->count];
    memory->version++;
}

size_t own_memory_find(const struct own_memory *memory, uint64_t address)
{
    const struct own_part byte = {.first = address, .size = 1};
    return own_memory_find_overlapping(memory, &byte);
}

size_t own_memory_find_overlapping(const struct own_memory *memory, const struct own_part *other)
{
    size_t i = 0;
    while (i < memory->count && !(memory->list[i].first < other->first + other->size &&
                                  other->first < memory->list[i].first + memory->list[i].size))
        i++;
    return i;
}
