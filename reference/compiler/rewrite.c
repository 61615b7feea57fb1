#include "reference/compiler/rewrite.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

enum { BOUND_MAX = 4194303 };

static bool is_cut(const struct rewrite *rewrite)
{
    for (size_t i = REWRITE_HEADER; i < rewrite->in_count;) {
        const uint32_t length = rewrite_length(rewrite->in + i);
        if (length == 0 || length > rewrite->in_count - i)
            return false;
        i += length;
    }
    return true;
}

bool rewrite_begin(struct rewrite *rewrite, const uint8_t *spirv, size_t size)
{
    *rewrite = (struct rewrite){.in = alloc(size), .in_count = size / sizeof(uint32_t)};
    rewrite->failed = !rewrite->in;
    if (rewrite->failed)
        return false;
    memcpy(rewrite->in, spirv, size);
    if (rewrite->in_count < REWRITE_HEADER || rewrite->in[0] != SpvMagicNumber ||
        rewrite->in[REWRITE_BOUND] > BOUND_MAX || !is_cut(rewrite))
        return false;
    rewrite->bound_before = rewrite->bound = rewrite->in[REWRITE_BOUND];
    return true;
}

enum status rewrite_end(struct rewrite *rewrite, uint8_t **spirv, size_t *size)
{
    if (rewrite->out && !rewrite->failed) {
        rewrite->out[REWRITE_BOUND] = rewrite->bound;
        alloc_free(*spirv);
        *spirv = (uint8_t *)rewrite->out;
        *size = rewrite->out_count * sizeof(uint32_t);
    } else {
        alloc_free(rewrite->out);
    }
    alloc_free(rewrite->in);
    arena_release(&rewrite->arena);
    return rewrite->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

void *rewrite_table(struct rewrite *rewrite, size_t count, size_t element_size)
{
    void *table = arena_alloc(&rewrite->arena, count, element_size);
    rewrite->failed |= !table;
    return table;
}

void *rewrite_by_id(struct rewrite *rewrite, size_t element_size)
{
    return rewrite_table(rewrite, (size_t)rewrite->bound_before + 1, element_size);
}

bool rewrite_make_room(struct rewrite *rewrite, size_t added)
{
    rewrite->out_capacity = rewrite->in_count + added;
    rewrite->out = alloc(rewrite->out_capacity * sizeof(uint32_t));
    rewrite->failed |= !rewrite->out;
    if (rewrite->out)
        rewrite_put(rewrite, rewrite->in, REWRITE_HEADER);
    return rewrite->out != NULL;
}

uint32_t *rewrite_put(struct rewrite *rewrite, const uint32_t *words, size_t count)
{
    ASSERT(count <= rewrite->out_capacity - rewrite->out_count);
    uint32_t *at = rewrite->out + rewrite->out_count;
    memcpy(at, words, count * sizeof(*words));
    rewrite->out_count += count;
    return at;
}

void rewrite_put_operands(struct rewrite *rewrite, uint32_t opcode, const uint32_t *operands,
                          size_t count)
{
    const uint32_t first = (uint32_t)(count + 1) << 16 | opcode;
    rewrite_put(rewrite, &first, 1);
    rewrite_put(rewrite, operands, count);
}
