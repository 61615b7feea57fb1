#include "reference/vm/bits.h"

#include <string.h>

/* Words that are stored one by one; no access of a kernel fills more. */
enum { STORED_MAX = 256 };

void bits_fill(uint64_t *words, uint64_t first, uint64_t count, bool value)
{
    const uint64_t pattern = value ? ~UINT64_C(0) : 0;
    const uint64_t head = (64 - first % 64) % 64;
    if (count <= head || count < 64) {
        for (uint64_t done = 0; done < count; done += 64) {
            const uint32_t part = count - done < 64 ? (uint32_t)(count - done) : 64;
            bits_put_shared(words, first + done, part, pattern);
        }
        return;
    }
    if (head)
        bits_put_shared(words, first, (uint32_t)head, pattern);
    const uint64_t whole = (count - head) / 64;
    uint64_t *begin = words + (first + head) / 64;
    if (whole > STORED_MAX)
        memset(begin, (int)(pattern & 0xFF), whole * sizeof(uint64_t));
    for (uint64_t word = 0; word < (whole > STORED_MAX ? 0 : whole); word++)
        bits_word_put(&begin[word], ~UINT64_C(0), pattern);
    const uint32_t rest = (uint32_t)(count - head - whole * 64);
    if (rest)
        bits_put_shared(words, first + head + whole * 64, rest, pattern);
}

void bits_copy(uint64_t *to, uint64_t to_first, const uint64_t *from, uint64_t from_first,
               uint64_t count)
{
    for (uint64_t done = 0; done < count; done += 64) {
        const uint32_t part = count - done < 64 ? (uint32_t)(count - done) : 64;
        bits_put(to, to_first + done, part, bits_get(from, from_first + done, part));
    }
}
