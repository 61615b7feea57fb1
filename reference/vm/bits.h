/* Ranges of bits in arrays of words: bit n is bit n % 64 of words[n / 64]. The definedness of
 * memory is kept this way, a bit for each byte. It is also text of native code, after that of
 * native_call.h. */
#ifndef REFERENCE_VM_BITS_H
#define REFERENCE_VM_BITS_H

#ifndef VM_NATIVE_TEXT
#include <stdbool.h>
#include <stdint.h>
#endif

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

/* Words of global memory's definedness are shared by those who run work-groups at the same time
 * (trial.h): while one of them looks at its bits of a word, another one may change others of it.
 * Only the thread sanitizer need be told that a word is read as a whole. */
static inline uint64_t bits_word(const uint64_t *word)
{
#if defined(__SANITIZE_THREAD__)
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#else
    return *word;
#endif
}

/* Puts the bits of `mask` into such a word, which others may do at the same time. */
static inline void bits_word_put(uint64_t *word, uint64_t mask, uint64_t value)
{
    if (mask == ~UINT64_C(0)) {
        __atomic_store_n(word, value, __ATOMIC_RELAXED);
        return;
    }
    const uint64_t different = (bits_word(word) ^ value) & mask;
    if (different & value)
        __atomic_fetch_or(word, mask & value, __ATOMIC_RELAXED);
    if (different & ~value)
        __atomic_fetch_and(word, ~mask | value, __ATOMIC_RELAXED);
}

/* `count` bits from `first` on, at most 64. Reads the word after only when the range reaches into
 * it. */
static inline uint64_t bits_get(const uint64_t *words, uint64_t first, uint32_t count)
{
    const uint64_t word = first / 64;
    const uint32_t shift = (uint32_t)(first % 64);
    uint64_t value = bits_word(&words[word]) >> shift;
    if (shift + count > 64)
        value |= bits_word(&words[word + 1]) << (64 - shift);
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

/* The same of words that others may write to. */
static inline void bits_put_shared(uint64_t *words, uint64_t first, uint32_t count, uint64_t value)
{
    const uint64_t word = first / 64;
    const uint32_t shift = (uint32_t)(first % 64);
    const uint64_t low = bits_low(count);
    bits_word_put(&words[word], low << shift, value << shift);
    if (shift + count > 64)
        bits_word_put(&words[word + 1], low >> (64 - shift), value >> (64 - shift));
}

/* Bits of the range, not where they are: 0 if none is set. */
static inline uint64_t bits_between(const uint64_t *words, uint64_t first, uint64_t last)
{
    const uint64_t begin = first / 64;
    const uint64_t end = last / 64;
    const uint64_t head = ~UINT64_C(0) << first % 64;
    const uint64_t tail = ~UINT64_C(0) >> (63 - last % 64);
    if (begin == end)
        return bits_word(&words[begin]) & head & tail;
    uint64_t any = (bits_word(&words[begin]) & head) | (bits_word(&words[end]) & tail);
    for (uint64_t word = begin + 1; word < end; word++)
        any |= bits_word(&words[word]);
    return any;
}

static inline bool bits_any(const uint64_t *words, uint64_t first, uint64_t count)
{
    return count != 0 && bits_between(words, first, first + count - 1) != 0;
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
        return (bits_word(&words[begin]) & head & tail) == (head & tail);
    uint64_t all = (bits_word(&words[begin]) | ~head) & (bits_word(&words[end]) | ~tail);
    for (uint64_t word = begin + 1; word < end; word++)
        all &= bits_word(&words[word]);
    return all == ~UINT64_C(0);
}

/* Of words that others may write to. */
void bits_fill(uint64_t *words, uint64_t first, uint64_t count, bool value);
/* The ranges do not overlap. */
void bits_copy(uint64_t *to, uint64_t to_first, const uint64_t *from, uint64_t from_first,
               uint64_t count);

#endif
