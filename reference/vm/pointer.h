/* Pointers of kernels. This is also text of native code, after that of native_call.h.
 *
 * A pointer is 64 bits: bit 63 set, an object number in bits 62 to 40, and an offset in bits 39 to
 * 0 that is biased by 2^39, so that walking below the start of an object does not change the
 * number:
 *
 *     63  62 ........ 40  39 ............ 0
 *     1   object number   2^39 + offset
 *
 * A null pointer is 0. Numbers are given in the order of creation, then of freeing, so addresses do
 * not depend on the host. With bit 63 clear it is an address of shared virtual memory, which the
 * host and kernels know by the same bits; the gate makes a pointer as above of it
 * (vm_memory_find_shared).
 *
 * Where a pointer to a local or private variable may get into memory, it also says whose variable
 * it is (lower_owner.c): it is *owned*. Bits 63 to 60 are 1110, bit 59 is 1 for private memory:
 *
 *     63 ... 60  59       58 ... 35  34 .......... 0
 *     1 1 1 0    private  number     2^34 + offset
 *
 * Each work-group, for its local variables, and each work-item, for its private ones, has numbers
 * of its own (struct vm_owners). What loads such a pointer may be another one: the gate finds that.
 */
#ifndef REFERENCE_VM_POINTER_H
#define REFERENCE_VM_POINTER_H

#ifndef VM_NATIVE_TEXT
#include <stdbool.h>
#include <stdint.h>
#endif

#define VM_POINTER_TAG (UINT64_C(1) << 63)
enum { VM_POINTER_OFFSET_BITS = 40 };
#define VM_POINTER_BIAS        (UINT64_C(1) << (VM_POINTER_OFFSET_BITS - 1))
#define VM_POINTER_OFFSET_MASK ((UINT64_C(1) << VM_POINTER_OFFSET_BITS) - 1)

static inline uint64_t vm_pointer_make(uint32_t object, int64_t offset)
{
    return VM_POINTER_TAG | (uint64_t)object << VM_POINTER_OFFSET_BITS |
           ((uint64_t)(offset + (int64_t)VM_POINTER_BIAS) & VM_POINTER_OFFSET_MASK);
}
static inline uint32_t vm_pointer_object(uint64_t pointer)
{
    return (uint32_t)((pointer & ~VM_POINTER_TAG) >> VM_POINTER_OFFSET_BITS);
}
static inline int64_t vm_pointer_offset(uint64_t pointer)
{
    return (int64_t)(pointer & VM_POINTER_OFFSET_MASK) - (int64_t)VM_POINTER_BIAS;
}

enum { VM_OWNED_OFFSET_BITS = 35, VM_OWNED_NUMBERS = 1 << 24 };
#define VM_OWNED_TAG  (UINT64_C(0xE) << 60)
#define VM_OWNED_BIAS (UINT64_C(1) << (VM_OWNED_OFFSET_BITS - 1))
/* In what is added to the object's number: its memory is private. */
#define VM_OWNED_PRIVATE UINT64_C(0x1000000)

static inline bool vm_pointer_is_owned(uint64_t pointer)
{
    return pointer >> 60 == VM_OWNED_TAG >> 60;
}
/* Of a pointer to a variable of the launch; `owner` is VM_QUERY_ITEM_OWNER or _GROUP_OWNER. A null
 * pointer has no owner. */
static inline uint64_t vm_pointer_own(uint64_t pointer, uint64_t owner)
{
    const uint64_t number = (vm_pointer_object(pointer) + owner) & (VM_OWNED_NUMBERS - 1);
    const uint64_t offset =
        (uint64_t)(vm_pointer_offset(pointer) + (int64_t)VM_OWNED_BIAS) & (2 * VM_OWNED_BIAS - 1);
    const uint64_t owned =
        VM_OWNED_TAG | (number | (owner & VM_OWNED_PRIVATE)) << VM_OWNED_OFFSET_BITS | offset;
    return pointer & VM_POINTER_TAG ? owned : pointer;
}
static inline bool vm_owned_is_private(uint64_t pointer)
{
    return (pointer >> VM_OWNED_OFFSET_BITS & VM_OWNED_PRIVATE) != 0;
}
static inline uint64_t vm_owned_number(uint64_t pointer)
{
    return pointer >> VM_OWNED_OFFSET_BITS & (VM_OWNED_NUMBERS - 1);
}
static inline int64_t vm_owned_offset(uint64_t pointer)
{
    return (int64_t)(pointer & (2 * VM_OWNED_BIAS - 1)) - (int64_t)VM_OWNED_BIAS;
}

#endif
