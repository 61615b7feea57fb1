/* Ranges of bits in arrays of words: bit n is bit n % 64 of words[n / 64]. The definedness of
 * memory is kept this way, a bit for each byte. */
#ifndef REFERENCE_VM_BITS_H
#define REFERENCE_VM_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* The lowest `count` bits set; count is at most 64. */
static inline uint64_t bits_low(uint32_t count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* Words that hold `count` bits, and one more so that bits_get may read across. */
static inline uint64_t bits_word_count(uint64_t count)
{
    return count / 64 + 2;
}

/* `count` bits from `first` on, at most 64. Reads the word after only when the range reaches into
 * it. */
static inline uint64_t bits_get(const uint64_t *words, uint64_t first, uint32_t count)
{
    const uint64_t word = first / 64;
    const uint32_t shift = (uint32_t)(first % 64);
    uint64_t value = words[word] >> shift;
    if (shift + count > 64)
        value |= words[word + 1] << (64 - shift);
    return value & bits_low(count);
}

/* Writes the low `count` bits of value, at most 64. */
static inline void bits_put(uint64_t *words, uint64_t first, uint32_t count, uint64_t value)
{
    const uint64_t word = first / 64;
    const uint32_t shift = (uint32_t)(first % 64);
    const uint64_t low = bits_low(count);
    value &= low;
    words[word] = (words[word] & ~(low << shift)) | value << shift;
    if (shift + count > 64) {
        const uint32_t done = 64 - shift;
        words[word + 1] = (words[word + 1] & ~(low >> done)) | value >> done;
    }
}

static inline bool bits_any(const uint64_t *words, uint64_t first, uint64_t count)
{
    if (count == 0)
        return false;
    const uint64_t begin = first / 64;
    const uint64_t end = (first + count - 1) / 64;
    const uint64_t head = ~UINT64_C(0) << first % 64;
    const uint64_t tail = bits_low((uint32_t)((first + count - 1) % 64) + 1);
    if (begin == end)
        return words[begin] & head & tail;
    uint64_t any = (words[begin] & head) | (words[end] & tail);
    for (uint64_t word = begin + 1; word < end; word++)
        any |= words[word];
    return any;
}

static inline bool bits_all(const uint64_t *words, uint64_t first, uint64_t count)
{
    if (count == 0)
        return true;
    const uint64_t begin = first / 64;
    const uint64_t end = (first + count - 1) / 64;
    const uint64_t head = ~UINT64_C(0) << first % 64;
    const uint64_t tail = bits_low((uint32_t)((first + count - 1) % 64) + 1);
    if (begin == end)
        return (words[begin] & head & tail) == (head & tail);
    uint64_t all = (words[begin] | ~head) & (words[end] | ~tail);
    for (uint64_t word = begin + 1; word < end; word++)
        all &= words[word];
    return all == ~UINT64_C(0);
}

void bits_fill(uint64_t *words, uint64_t first, uint64_t count, bool value);
/* The ranges do not overlap. */
void bits_copy(uint64_t *to, uint64_t to_first, const uint64_t *from, uint64_t from_first,
               uint64_t count);

#endif
