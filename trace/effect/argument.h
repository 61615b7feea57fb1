/* How a call sets an argument of a kernel. */
#ifndef TRACE_EFFECT_ARGUMENT_H
#define TRACE_EFFECT_ARGUMENT_H

#include "trace/api/call.h"
#include "trace/api/entry.h"

#include <string.h>

enum argument_how {
    ARGUMENT_SET_BYTES,   /* a value, or a handle */
    ARGUMENT_SET_SIZE,    /* without a value: local memory, or no object */
    ARGUMENT_SET_SHARED,  /* an address of shared virtual, or of unified shared memory */
    ARGUMENT_SET_ADDRESS, /* an address of a device */
};

struct argument_set {
    uint64_t kernel; /* the handle */
    uint64_t index;
    enum argument_how how;
    uint64_t size;     /* bytes of the value, or of local memory */
    const void *bytes; /* of BYTES, in the call; NULL = they could not be read */
    uint64_t address;
};

/* Does the entry point set an argument? */
static inline bool argument_is_set_by(uint32_t entry)
{
    return entry == API_ENTRY_clSetKernelArg || entry == API_ENTRY_clSetKernelArgSVMPointer ||
           entry == API_ENTRY_clSetKernelArgMemPointerINTEL ||
           entry == API_ENTRY_clSetKernelArgDevicePointerEXT;
}

/* The value as a word, if it is of eight bytes, which may be a handle; else 0. */
static inline uint64_t argument_word(const struct argument_set *set)
{
    uint64_t word = 0;
    if (set->bytes && set->size == sizeof word)
        memcpy(&word, set->bytes, sizeof word);
    return word;
}

/* The value as a number, if it is of four bytes or eight; else 0. */
static inline uint64_t argument_number(const struct argument_set *set)
{
    uint32_t number = 0;
    if (set->bytes && set->size == sizeof number)
        memcpy(&number, set->bytes, sizeof number);
    return number | argument_word(set);
}

/* False: it sets none. Nothing is said of whether the call succeeded. */
bool argument_set_by(const struct api_call *call, struct argument_set *set);

#endif
