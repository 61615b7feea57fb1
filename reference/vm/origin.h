/* Where undefined values were born. It is also text of native code, after that of native_call.h. */
#ifndef REFERENCE_VM_ORIGIN_H
#define REFERENCE_VM_ORIGIN_H

#ifndef VM_NATIVE_TEXT
#include <stdbool.h>
#include <stdint.h>
#endif

/* The instruction that first had an undefined value in its hands. */
struct vm_origin {
    uint64_t address; /* the pointer to what was never written; 0: the instruction made the value */
    uint32_t site;    /* UINT32_MAX = unknown */
    bool partly;      /* of what was read there, only a part had never been written */
};

/* The births of words, or of a row's lanes, by index: the address of index i is that of the first
 * and (i % run) * stride + (i / run) * jump, where a run has 1 << run_shift. */
struct vm_origins {
    struct vm_origin first; /* of index 0, be it one of them or not; all have its other members */
    int64_t stride, jump;   /* 0 where the address is */
    uint32_t run_shift;     /* VM_ORIGINS_NO_RUNS where there are none */
};
enum { VM_ORIGINS_NO_RUNS = 16 };

/* Words of 4 bytes, by their addresses / 4: from the lowest to the highest. Both 0: none. */
struct vm_words {
    uint64_t lowest, highest;
};

/* Is no byte from one to another in such a word? */
static inline bool vm_words_outside(const struct vm_words *words, const uint8_t *first,
                                    const uint8_t *last)
{
    return (uint64_t)first / 4 > words->highest || (uint64_t)last / 4 < words->lowest;
}

#endif
