#include "layer/blocks.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <xxhash.h>

/* No process has a stretch of so many bytes, whatever a call says that succeeded. */
enum { BLOCK_SIZE = 4096, SIZE_BITS_MAX = 48 };

static uint64_t block_count(uint64_t size)
{
    return size / BLOCK_SIZE + (size % BLOCK_SIZE != 0);
}

void blocks_init(struct blocks *blocks, const void *bytes, uint64_t size)
{
    *blocks = (struct blocks){.bytes = bytes, .size = size};
    if (size >> SIZE_BITS_MAX == 0)
        blocks->digests = alloc_zero(block_count(size), sizeof *blocks->digests);
}

void blocks_release(struct blocks *blocks)
{
    alloc_free(blocks->digests);
    blocks->digests = NULL;
}

/* Notes the block too: what is written into it from now on shows the next time. */
static bool has_changed(struct blocks *blocks, uint64_t block)
{
    const uint64_t start = block * BLOCK_SIZE;
    ASSERT(start < blocks->size);
    const uint64_t rest = blocks->size - start;
    if (!blocks->digests)
        return true;
    const uint64_t before = blocks->digests[block];
    blocks->digests[block] =
        XXH3_64bits(blocks->bytes + start, rest < BLOCK_SIZE ? rest : BLOCK_SIZE);
    return blocks->digests[block] != before;
}

void blocks_note(struct blocks *blocks, struct readable *readable)
{
    const uint64_t count = blocks->digests ? block_count(blocks->size) : 0;
    if (!readable_bytes(readable, blocks->bytes, blocks->size))
        return;
    for (uint64_t block = 0; block < count; block++)
        has_changed(blocks, block);
}

void blocks_save_changes(struct blocks *blocks, struct spool *spool, uint64_t call_id,
                         uint32_t argument, uint64_t offset, struct readable *readable)
{
    const uint64_t count = block_count(blocks->size);
    if (!readable_bytes(readable, blocks->bytes, blocks->size))
        return;
    for (uint64_t block = 0; block < count; block++) {
        const uint64_t first = block;
        while (block < count && has_changed(blocks, block))
            block++;
        if (block == first)
            continue;
        const uint64_t start = first * BLOCK_SIZE;
        const uint64_t end = block < count ? block * BLOCK_SIZE : blocks->size;
        spool_content(spool, call_id,
                      &(struct api_content){.argument = argument,
                                            .offset = offset + start,
                                            .size = end - start,
                                            .bytes = blocks->bytes + start});
    }
}
