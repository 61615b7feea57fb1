/* Pointers of 32 bits (the personality "32-bit"): what a pointer is in memory and as an integer.
 * Rows hold pointers with their provenance, 64 bits, as always. Each object that such a pointer
 * leads to gets a range of 32-bit addresses when it is first needed, in that order; they hold for
 * one launch. 0 is the null pointer. */
#ifndef REFERENCE_VM_NARROW_H
#define REFERENCE_VM_NARROW_H

#include "trace/base/arena.h"

#include <stddef.h>
#include <stdint.h>

struct narrow {
    struct narrow_range *ranges; /* in order of their addresses */
    size_t count, capacity;
};

/* The address of a pointer into an object of `size` bytes. Without addresses left, or memory, it is
 * 0. */
uint32_t narrow_pack(struct narrow *narrow, struct arena *arena, uint64_t pointer, uint64_t size);
/* The pointer with the address; of an address that nobody was given, a pointer that leads nowhere.
 */
uint64_t narrow_unpack(const struct narrow *narrow, uint32_t address);

#endif
