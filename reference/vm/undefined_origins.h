/* What is known of the undefined values that were stored to memory: where they were born, and which
 * bits of them are undefined. Kept by the word of 4 bytes, and up to a limit; what was stored
 * beyond looks as if it had never been written. Words one after another that are undefined wholly,
 * and whose births are as far apart from one to the next, are kept by pages; others one by one.
 * Zero-initialise; origins_clear releases everything. */
#ifndef REFERENCE_VM_UNDEFINED_ORIGINS_H
#define REFERENCE_VM_UNDEFINED_ORIGINS_H

#include "reference/vm/origin.h"

#include <stddef.h>

static inline struct vm_origin vm_origins_at(const struct vm_origins *origins, uint32_t index)
{
    struct vm_origin origin = origins->first;
    const uint32_t run = index >> origins->run_shift;
    const uint32_t in_run = index & ((1U << origins->run_shift) - 1);
    origin.address += (uint64_t)(in_run * origins->stride) + (uint64_t)(run * origins->jump);
    return origin;
}

static inline bool vm_origin_equal(struct vm_origin a, struct vm_origin b)
{
    return a.address == b.address && a.site == b.site && a.partly == b.partly;
}

static inline bool vm_origins_equal(const struct vm_origins *a, const struct vm_origins *b)
{
    return vm_origin_equal(a->first, b->first) && a->stride == b->stride && a->jump == b->jump &&
           a->run_shift == b->run_shift;
}

struct origins {
    size_t count; /* words that something is known of */
    struct births_page *pages;
    size_t page_count, page_capacity;
    struct births_entry *entries;
    size_t entry_count, entry_capacity;
    struct vm_words words;  /* those that are known lie among these */
    struct vm_origin found; /* what origins_find returns */
};

/* A value of `size` bytes, 1 to 8, was stored, whose undefined bits are `bits`. False: it is not
 * remembered. */
bool origins_put(struct origins *births, const uint8_t *place, uint32_t size, uint64_t bits,
                 struct vm_origin birth);
/* The first of `size` bytes, valid until the next call; NULL: nobody stored an undefined value
 * there. */
const struct vm_origin *origins_find(struct origins *births, const uint8_t *place, uint32_t size);
/* The undefined bits of `size` bytes, 1 to 8, of which `bytes` has a bit for each undefined one. */
uint64_t origins_bits(const struct origins *births, const uint8_t *place, uint32_t size,
                      uint64_t bytes);
/* Words from `place` on, which is a multiple of 4, up to 512 of them, are undefined wholly, of
 * these births, whose runs are single words or, of values of 8 bytes, a multiple of 8, two with a
 * stride of 0. False: put them one by one. */
bool origins_put_words(struct origins *births, const uint8_t *place, uint32_t count,
                       const struct vm_origins *words);
/* The same of words each of which has a birth of its own. */
bool origins_put_each(struct origins *births, const uint8_t *place, uint32_t count,
                      const struct vm_origin each[]);
/* Is nothing known of the words from one byte to another? May say no though it is so. */
static inline bool origins_outside(const struct origins *births, const uint8_t *first,
                                   const uint8_t *last)
{
    return births->count == 0 || vm_words_outside(&births->words, first, last);
}
enum origins_words {
    ORIGINS_NONE,  /* nothing is known of any */
    ORIGINS_ALIKE, /* they were put so that *words, runs as above, says all */
    ORIGINS_OTHER, /* find out one by one */
};
/* Any number of words: of more than some hundred it says OTHER, unless all lie outside what is
 * known. */
enum origins_words origins_find_words(const struct origins *births, const uint8_t *place,
                                      uint64_t count, struct vm_origins *words);
/* Nothing is known any more; memory for a few words is kept for those to come. */
void origins_forget(struct origins *births);
void origins_clear(struct origins *births);

#endif
