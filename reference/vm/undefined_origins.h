/* What is known of the undefined values that were stored to memory: where they were born, and which
 * bits of them are undefined. Kept by the word of 4 bytes, and up to a limit; what was stored
 * beyond looks as if it had never been written. Zero-initialise; origins_clear releases everything.
 */
#ifndef REFERENCE_VM_UNDEFINED_ORIGINS_H
#define REFERENCE_VM_UNDEFINED_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The instruction that first had an undefined value in its hands. */
struct vm_origin {
    uint64_t address; /* the pointer to what was never written; 0: the instruction made the value */
    uint32_t site;    /* UINT32_MAX = unknown */
    bool partly;      /* of what was read there, only a part had never been written */
};

struct origins {
    struct births_entry *entries;
    size_t count, capacity;
};

/* A value of `size` bytes, 1 to 8, was stored, whose undefined bits are `bits`. False: it is not
 * remembered. */
bool origins_put(struct origins *births, const uint8_t *place, uint32_t size, uint64_t bits,
                 struct vm_origin birth);
/* The first of `size` bytes; NULL: nobody stored an undefined value there. */
const struct vm_origin *origins_find(const struct origins *births, const uint8_t *place,
                                     uint32_t size);
/* The undefined bits of `size` bytes, 1 to 8, of which `bytes` has a bit for each undefined one. */
uint64_t origins_bits(const struct origins *births, const uint8_t *place, uint32_t size,
                      uint64_t bytes);
void origins_clear(struct origins *births);

#endif
