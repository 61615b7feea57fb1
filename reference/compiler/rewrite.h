/* A module of SPIR-V that a repair (repairs.h) writes anew: what there is, instruction by
 * instruction, and what is put in its place. */
#ifndef REFERENCE_COMPILER_REWRITE_H
#define REFERENCE_COMPILER_REWRITE_H

#include "trace/base/arena.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words of a module's header. */
enum { REWRITE_VERSION = 1, REWRITE_BOUND = 3, REWRITE_HEADER = 5 };

struct rewrite {
    uint32_t *in; /* the module */
    size_t in_count;
    uint32_t *out; /* what takes its place; NULL = nothing yet */
    size_t out_count, out_capacity;
    uint32_t bound_before, bound; /* of the ids in the one and the other */
    struct arena arena;           /* of the tables */
    bool failed;                  /* memory is out */
};

/* Reads the module, whose bytes need not be aligned. False where it is none in the host's byte
 * order, is not cut into instructions without a rest, or memory is out. */
bool rewrite_begin(struct rewrite *rewrite, const uint8_t *spirv, size_t size);
/* Replaces the module, memory of trace/base/alloc.h, by what was put, if anything was, and frees
 * the rest, also after rewrite_begin gave false. STATUS_NO_MEMORY leaves the module as it is. */
enum status rewrite_end(struct rewrite *rewrite, uint8_t **spirv, size_t *size);

/* Zeroed memory until rewrite_end: for so many elements, or for one of each id. NULL when memory is
 * out. */
void *rewrite_table(struct rewrite *rewrite, size_t count, size_t element_size);
void *rewrite_by_id(struct rewrite *rewrite, size_t element_size);

static inline uint32_t rewrite_opcode(const uint32_t *at)
{
    return at[0] & 0xffff;
}
static inline uint32_t rewrite_length(const uint32_t *at)
{
    return at[0] >> 16;
}
/* The instruction after `at`, the first where that is NULL; NULL at the end. */
static inline const uint32_t *rewrite_next(const struct rewrite *rewrite, const uint32_t *at)
{
    at = at ? at + rewrite_length(at) : rewrite->in + REWRITE_HEADER;
    return at < rewrite->in + rewrite->in_count ? at : NULL;
}

/* Makes room for the module and so many words more, and puts the header, in which rewrite_end
 * writes the bound. False when memory is out. */
bool rewrite_make_room(struct rewrite *rewrite, size_t added);
/* Where the words stand. There is room for them. */
uint32_t *rewrite_put(struct rewrite *rewrite, const uint32_t *words, size_t count);
/* An instruction as it is. */
static inline uint32_t *rewrite_copy(struct rewrite *rewrite, const uint32_t *at)
{
    return rewrite_put(rewrite, at, rewrite_length(at));
}
/* An instruction by its opcode and operands. */
void rewrite_put_operands(struct rewrite *rewrite, uint32_t opcode, const uint32_t *operands,
                          size_t count);
#define REWRITE_PUT(rewrite, opcode, ...)                                                          \
    rewrite_put_operands(rewrite, opcode, (const uint32_t[]){__VA_ARGS__},                         \
                         sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

#endif
