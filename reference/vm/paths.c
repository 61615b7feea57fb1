#include "reference/vm/paths.h"

#include "trace/base/alloc.h"

#include <string.h>

/* What can be reached from a block. */
enum {
    TO_RETURN = 1,
    TO_BARRIER = 2,
    TO_END = 4,
};

static const struct vm_instruction *last_of(const struct vm_code *code, uint32_t block)
{
    const struct vm_block *b = &code->blocks[block];
    return &code->instructions[b->first + b->count - 1];
}

/* Does the program say so there? Other ways to the end of the kernel, such as the end of the first
 * arm of an if, have places of their own, too. */
static bool is_written(const struct vm_code *code, uint32_t site)
{
    struct observer_place place = {0};
    vm_code_describe(code, site, &place);
    const struct observer_frame *at = &place.frames[0];
    return place.frame_count > 0 && at->source && at->column > 0 &&
           strlen(at->source) >= at->column &&
           strncmp(at->source + at->column - 1, "return", 6) == 0;
}

/* What the block's last instruction, and those that it leads to, reach. */
static uint8_t reached(const struct vm_code *code, const uint8_t *blocks, uint32_t block)
{
    const struct vm_instruction *in = last_of(code, block);
    switch ((enum vm_op)in->op) {
    case VM_OP_branch:
    case VM_OP_spin:
        return blocks[in->a];
    case VM_OP_branch_if:
        return blocks[in->a] | blocks[in->b];
    case VM_OP_barrier:
        return blocks[code->barriers[in->aux].next];
    case VM_OP_return:
        return in->aux && is_written(code, (uint32_t)(in - code->instructions)) ? 0 : TO_END;
    default:
        return 0;
    }
}

static bool spread(const struct vm_code *code, uint8_t *blocks)
{
    bool changed = false;
    for (uint32_t b = code->block_count; b-- > 0;) {
        const uint8_t now = blocks[b] | reached(code, blocks, b);
        changed |= now != blocks[b];
        blocks[b] = now;
    }
    return changed;
}

bool vm_return_misses(const struct vm_code *code, uint32_t from, uint32_t barrier)
{
    uint8_t *blocks = alloc_zero(code->block_count, sizeof(*blocks));
    bool misses = blocks && is_written(code, from);
    for (uint32_t b = 0; blocks && b < code->block_count; b++) {
        const uint32_t last = (uint32_t)(last_of(code, b) - code->instructions);
        blocks[b] = (uint8_t)((last == from ? TO_RETURN : 0) | (last == barrier ? TO_BARRIER : 0));
    }
    while (blocks && spread(code, blocks))
        ;
    for (uint32_t b = 0; blocks && b < code->block_count; b++)
        misses &= blocks[b] != (TO_RETURN | TO_END);
    alloc_free(blocks);
    return misses;
}
