#include "reference/vm/bits.h"

#include <string.h>

void bits_fill(uint64_t *words, uint64_t first, uint64_t count, bool value)
{
    const uint64_t pattern = value ? ~UINT64_C(0) : 0;
    const uint64_t head = (64 - first % 64) % 64;
    if (count <= head || count < 64) {
        for (uint64_t done = 0; done < count; done += 64) {
            const uint32_t part = count - done < 64 ? (uint32_t)(count - done) : 64;
            bits_put(words, first + done, part, pattern);
        }
        return;
    }
    if (head)
        bits_put(words, first, (uint32_t)head, pattern);
    const uint64_t whole = (count - head) / 64;
    memset(words + (first + head) / 64, (int)(pattern & 0xFF), whole * sizeof(uint64_t));
    const uint32_t rest = (uint32_t)(count - head - whole * 64);
    if (rest)
        bits_put(words, first + head + whole * 64, rest, pattern);
}

void bits_copy(uint64_t *to, uint64_t to_first, const uint64_t *from, uint64_t from_first,
               uint64_t count)
{
    for (uint64_t done = 0; done < count; done += 64) {
        const uint32_t part = count - done < 64 ? (uint32_t)(count - done) : 64;
        bits_put(to, to_first + done, part, bits_get(from, from_first + done, part));
    }
}
