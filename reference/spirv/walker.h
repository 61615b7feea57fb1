/* Going through the instructions of a module that nobody has looked at: words of either byte order,
 * at any address, cut by their own lengths. Reads, allocates nothing. */
#ifndef REFERENCE_SPIRV_WALKER_H
#define REFERENCE_SPIRV_WALKER_H

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SPV_HEADER_WORDS = 5 };

struct spv_walker {
    const uint8_t *bytes;
    size_t word_count, at; /* word_count: 0 = this is no SPIR-V */
    bool swapped;
    /* The instruction: where it starts, in words, and what it is. */
    size_t start;
    uint32_t opcode, length;
};

/* Is it SPIR-V as far as its first words tell? */
static inline bool spv_walker_is_spirv(const void *bytes, size_t size)
{
    uint32_t word;
    if (size < SPV_HEADER_WORDS * sizeof(word) || size % sizeof(word) != 0)
        return false;
    memcpy(&word, bytes, sizeof(word));
    return word == SpvMagicNumber || __builtin_bswap32(word) == SpvMagicNumber;
}

/* A word of the module, in the host's byte order. The index is below word_count. */
static inline uint32_t spv_walker_word(const struct spv_walker *walker, size_t index)
{
    uint32_t word;
    memcpy(&word, walker->bytes + index * sizeof(word), sizeof(word));
    return walker->swapped ? __builtin_bswap32(word) : word;
}

/* Before the first instruction. `bytes` last as long as the walker. */
static inline struct spv_walker spv_walker_begin(const void *bytes, size_t size)
{
    struct spv_walker walker = {.bytes = bytes, .at = SPV_HEADER_WORDS};
    if (spv_walker_is_spirv(bytes, size)) {
        walker.word_count = size / sizeof(uint32_t);
        walker.swapped = spv_walker_word(&walker, 0) != SpvMagicNumber;
    }
    return walker;
}

/* Goes to the next instruction; false at the end (at == word_count) or at nonsense. */
static inline bool spv_walker_next(struct spv_walker *walker)
{
    if (walker->at >= walker->word_count)
        return false;
    const uint32_t first = spv_walker_word(walker, walker->at);
    walker->start = walker->at;
    walker->opcode = first & 0xffff;
    walker->length = first >> 16;
    if (walker->length == 0 || walker->length > walker->word_count - walker->at)
        return false;
    walker->at += walker->length;
    return true;
}

/* A word of the instruction, of which 0 is the first. The index is below its length. */
static inline uint32_t spv_walker_operand(const struct spv_walker *walker, uint32_t index)
{
    return spv_walker_word(walker, walker->start + index);
}

#endif
