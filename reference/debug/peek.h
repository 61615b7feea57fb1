/* The bytes of variables and memory, as one work-item would find them. Nobody is told, nothing
 * changes, and nothing can fail but by a reason why. */
#ifndef REFERENCE_DEBUG_PEEK_H
#define REFERENCE_DEBUG_PEEK_H

#include "reference/debug/private.h"

/* Somewhere in the home rows of a variable, or in memory. */
struct debug_spot {
    const struct vm_debug_variable
        *variable;   /* in its home rows, from `offset` on; NULL = memory */
    uint64_t offset; /* else an address as kernels have it */
};

/* Where the address leads: also to a variable that is held as values. */
struct debug_spot debug_spot_at(const struct debug_lane *lane, uint64_t address);
/* `size` bytes from the spot on, and of each which bits are undefined. False: *why says in a
 * sentence why they are not known. */
bool debug_peek(const struct debug_lane *lane, struct debug_spot spot, uint64_t size,
                uint8_t *bytes, uint8_t *undefined, const char **why);
/* Where many work-items look for the same: the bytes of an object, for as long as nothing runs. */
struct debug_window {
    const uint8_t *bytes;
    const uint64_t *undefined; /* bits, or NULL, */
    uint64_t root_offset;      /* from this one on */
    uint64_t address, size;    /* of its first byte; 0 = it is closed */
};
/* Of the object that the address leads to, if it is one for all work-items. */
void debug_window_open(const struct debug_lane *lane, uint64_t address,
                       struct debug_window *window);
/* So many bytes from the address on, all of which are defined; NULL: debug_peek has to look. */
const uint8_t *debug_window_find(const struct debug_window *window, uint64_t address,
                                 uint64_t size);
/* The object that the address leads to, and where in it; `index`: among those of the group, or
 * UINT32_MAX. */
bool debug_find_object(const struct debug_lane *lane, uint64_t address,
                       const struct vm_object **object, uint64_t *offset, uint32_t *index,
                       const char **why);
/* How many bytes there are from the address on, at most `size`; 0 = it leads nowhere. */
uint64_t debug_readable(const struct debug_lane *lane, uint64_t address, uint64_t size);
/* Writes them, defined. False: *why. */
bool debug_poke(const struct debug_lane *lane, struct debug_spot spot, uint64_t size,
                const uint8_t *bytes, const char **why);
/* "buffer#2 'in' + 64"; the null pointer is "NULL". */
void debug_append_pointer(const struct debug_lane *lane, uint64_t address, struct text *text);

/* Where a variable is, of those that the lane's place sees. */
bool debug_find_variable(const struct debug_lane *lane, const struct debug_variable *variable,
                         struct debug_spot *spot, const char **why);
/* The site that the lane looks from; a line of 0 where nothing is known. */
struct debug_site debug_site_of(const struct debug_lane *lane);

#endif
