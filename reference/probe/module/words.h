/* Words of SPIR-V that are being written. */
#ifndef REFERENCE_PROBE_MODULE_WORDS_H
#define REFERENCE_PROBE_MODULE_WORDS_H

#include "trace/base/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Released with alloc_free(at). */
struct words {
    uint32_t *at;
    size_t count, room;
    bool failed; /* memory is out, and the words are not whole */
};

static inline void words_put(struct words *words, uint32_t word)
{
    uint32_t *grown = alloc_grow(words->at, words->count, &words->room, sizeof word);
    words->failed |= !grown;
    if (!grown)
        return;
    words->at = grown;
    words->at[words->count++] = word;
}

static inline void words_put_all(struct words *words, const uint32_t *more, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words_put(words, more[i]);
}

/* An instruction by its opcode and operands. */
static inline void words_put_operands(struct words *words, uint32_t opcode,
                                      const uint32_t *operands, size_t count)
{
    words_put(words, (uint32_t)(count + 1) << 16 | opcode);
    words_put_all(words, operands, count);
}
#define WORDS_PUT(words, opcode, ...)                                                              \
    words_put_operands(words, opcode, (const uint32_t[]){__VA_ARGS__},                             \
                       sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

#endif
