/* The faults of llvm-spirv before 16 where an optimiser had its way:
 *
 *   - Blocks stand as LLVM has them. SPIR-V 1.6, 2.16.1: "The order of blocks in a function must
 *     satisfy the rule that blocks appear before all blocks they dominate." Here they come in
 *     reverse post-order, unreachable ones last.
 *   - OpPhi: "There must be exactly one Parent i for each parent block of the current block in the
 *     CFG"; LLVM has one for each edge.
 *   - OpLoopMerge names a merge block that another loop has too. Kernels need no structure; it
 * goes, with the hints that it brings.
 *   - OpSelect of vectors has a scalar condition, which SPIR-V allows from 1.4 on. So the module
 *     gets that version,
 *   - and OpEntryPoint, which must list the global variables from 1.4 on, lists them. */
#include "reference/compiler/repairs.h"

#include "reference/compiler/rewrite.h"
#include "trace/base/alloc.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A block with what stands between it and the one before: lines. */
struct block {
    size_t start, end, terminator; /* words */
    uint32_t successor;            /* the next word of the terminator to look at */
    bool seen;
};

struct repair {
    struct rewrite module;
    uint32_t *block_of; /* by id of a label of this function: block index + 1 */
    struct block *blocks;
    size_t block_count;
    uint32_t *path;       /* from the entry to where the walk is */
    uint32_t *post_order; /* blocks as the walk leaves them */
    uint32_t *variables;  /* ids of the module's */
    size_t variable_count, entry_point_count;
    size_t copied; /* words that have been put, or will be with the blocks that were read */
};

static bool is_terminator(uint32_t opcode)
{
    return (opcode >= SpvOpBranch && opcode <= SpvOpUnreachable) ||
           opcode == SpvOpTerminateInvocation;
}

static uint32_t block_of(const struct repair *repair, uint32_t id)
{
    return id < repair->module.bound ? repair->block_of[id] : 0;
}

/* Words from one target of an OpSwitch to the next, the first of which stands at word 2: 2, or 3
 * where literals have 64 bits. */
static uint32_t switch_step(const struct repair *repair, const uint32_t *words, uint32_t length)
{
    for (uint32_t at = 4; at < length; at += 2) {
        if (block_of(repair, words[at]) == 0)
            return 3;
    }
    return length % 2 == 1 ? 2 : 3;
}

/* The next successor of a block as its index + 1; 0 = no more. */
static uint32_t next_successor(const struct repair *repair, struct block *block)
{
    const uint32_t *words = repair->module.in + block->terminator;
    const uint32_t opcode = words[0] & 0xffff;
    const uint32_t length = words[0] >> 16;
    const uint32_t first = opcode == SpvOpBranch ? 1 : 2;
    const uint32_t end =
        opcode == SpvOpBranchConditional && length > 4 ? 4 : length; /* weights follow */
    uint32_t step = 1;
    if (opcode != SpvOpBranch && opcode != SpvOpBranchConditional && opcode != SpvOpSwitch)
        return 0;
    if (opcode == SpvOpSwitch)
        step = switch_step(repair, words, length);
    for (;;) {
        const uint32_t at = first + block->successor * step;
        if (at >= end)
            return 0;
        block->successor++;
        if (block_of(repair, words[at]) != 0)
            return block_of(repair, words[at]);
    }
}

/* Fills `repair->post_order` and says how many blocks the entry reaches. */
static size_t walk_blocks(struct repair *repair)
{
    size_t depth = 1;
    size_t left = 0;
    repair->path[0] = 0;
    repair->blocks[0].seen = true;
    while (depth > 0) {
        const uint32_t at = repair->path[depth - 1];
        const uint32_t next = next_successor(repair, &repair->blocks[at]);
        if (next == 0) {
            repair->post_order[left++] = at;
            depth--;
        } else if (!repair->blocks[next - 1].seen) {
            repair->blocks[next - 1].seen = true;
            repair->path[depth++] = next - 1;
        }
    }
    return left;
}

static uint32_t *put(struct repair *repair, size_t start, size_t end)
{
    return rewrite_put(&repair->module, repair->module.in + start, end - start);
}

/* An OpPhi without the pairs that it has already. */
static void put_phi(struct repair *repair, size_t at, uint32_t length)
{
    uint32_t *words = put(repair, at, at + length);
    uint32_t kept = 3;
    for (uint32_t pair = 3; pair + 1 < length; pair += 2) {
        bool again = false;
        for (uint32_t k = 3; k < kept && !again; k += 2)
            again = words[k] == words[pair] && words[k + 1] == words[pair + 1];
        if (again)
            continue;
        memmove(words + kept, words + pair, 2 * sizeof(uint32_t));
        kept += 2;
    }
    words[0] = kept << 16 | SpvOpPhi;
    repair->module.out_count -= length - kept;
}

static void put_block(struct repair *repair, const struct block *block)
{
    for (size_t at = block->start; at < block->end;) {
        const uint32_t opcode = repair->module.in[at] & 0xffff;
        const uint32_t length = repair->module.in[at] >> 16;
        if (opcode == SpvOpPhi && length > 3 && length % 2 == 1)
            put_phi(repair, at, length);
        else if (opcode != SpvOpLoopMerge)
            put(repair, at, at + length);
        at += length;
    }
}

static void put_function(struct repair *repair)
{
    if (repair->block_count == 0)
        return;
    put(repair, repair->copied, repair->blocks[0].start);
    for (size_t left = walk_blocks(repair); left > 0; left--)
        put_block(repair, &repair->blocks[repair->post_order[left - 1]]);
    for (size_t i = 0; i < repair->block_count; i++) {
        if (!repair->blocks[i].seen)
            put_block(repair, &repair->blocks[i]);
    }
    repair->copied = repair->blocks[repair->block_count - 1].end;
    repair->block_count = 0;
}

/* Finds the module's variables and entry points. */
static void survey(struct repair *repair)
{
    bool in_functions = false;
    for (const uint32_t *at = NULL; (at = rewrite_next(&repair->module, at));) {
        const uint32_t opcode = rewrite_opcode(at);
        in_functions = in_functions || opcode == SpvOpFunction;
        if (opcode == SpvOpVariable && rewrite_length(at) > 2 && !in_functions)
            repair->variables[repair->variable_count++] = at[2];
        repair->entry_point_count += opcode == SpvOpEntryPoint;
    }
}

/* Where the interface of an OpEntryPoint starts: after the words of its name. */
static uint32_t interface_of(const uint32_t *words, uint32_t length)
{
    uint32_t at = 3;
    while (at < length && words[at] >> 24 != 0)
        at++;
    return at + 1;
}

static void put_entry_point(struct repair *repair, size_t at, uint32_t length)
{
    uint32_t *words = put(repair, at, at + length);
    const uint32_t first = interface_of(words, length);
    for (size_t i = 0; i < repair->variable_count; i++) {
        bool listed = false;
        for (uint32_t k = first; k < length && !listed; k++)
            listed = words[k] == repair->variables[i];
        if (!listed)
            rewrite_put(&repair->module, &repair->variables[i], 1);
    }
    words[0] =
        (uint32_t)(repair->module.out + repair->module.out_count - words) << 16 | SpvOpEntryPoint;
}

/* From one OpLabel to its terminator; whatever is not like that ends the walk. */
static bool put_module(struct repair *repair)
{
    size_t start = 0; /* of the block that is being read; 0 = outside */
    uint32_t label = 0;
    repair->copied = REWRITE_HEADER;
    for (size_t at = REWRITE_HEADER; at < repair->module.in_count;) {
        const uint32_t opcode = repair->module.in[at] & 0xffff;
        const uint32_t length = repair->module.in[at] >> 16;
        if (opcode == SpvOpEntryPoint) {
            if (start != 0 || repair->block_count > 0)
                return false;
            put(repair, repair->copied, at);
            put_entry_point(repair, at, length);
            repair->copied = at + length;
        } else if (opcode == SpvOpFunction) {
            repair->block_count = 0;
            memset(repair->block_of, 0, repair->module.bound * sizeof(uint32_t));
        } else if (opcode == SpvOpLabel) {
            label = length == 2 ? repair->module.in[at + 1] : 0;
            if (start != 0 || label >= repair->module.bound || repair->block_of[label] != 0)
                return false;
            start = repair->block_count > 0 ? repair->blocks[repair->block_count - 1].end : at;
            repair->block_of[label] = (uint32_t)repair->block_count + 1;
        } else if (is_terminator(opcode)) {
            if (start == 0)
                return false;
            repair->blocks[repair->block_count++] =
                (struct block){.start = start, .end = at + length, .terminator = at};
            start = 0;
        } else if (opcode == SpvOpFunctionEnd) {
            if (start != 0)
                return false;
            put_function(repair);
        }
        at += length;
    }
    put(repair, repair->copied, repair->module.in_count);
    return true;
}

enum status repair_il(uint8_t **spirv, size_t *size)
{
    enum { INTERFACE_MAX = 0x7fff, VERSION_1_4 = 0x10400 };
    struct repair repair = {0};
    struct rewrite *module = &repair.module;
    bool made = false;
    if (rewrite_begin(module, *spirv, *size)) {
        const size_t blocks =
            module->in_count / 3 + 1; /* of a label, two words, and a terminator */
        repair.variables = rewrite_table(module, module->in_count, sizeof(*repair.variables));
        repair.block_of = rewrite_by_id(module, sizeof(*repair.block_of));
        repair.blocks = rewrite_table(module, blocks, sizeof(*repair.blocks));
        repair.path = rewrite_table(module, blocks, sizeof(*repair.path));
        repair.post_order = rewrite_table(module, blocks, sizeof(*repair.post_order));
        if (module->in[REWRITE_VERSION] < VERSION_1_4)
            module->in[REWRITE_VERSION] = VERSION_1_4;
        if (!module->failed)
            survey(&repair);
        made = !module->failed && repair.variable_count <= INTERFACE_MAX &&
               rewrite_make_room(module, repair.entry_point_count * repair.variable_count) &&
               put_module(&repair);
    }
    if (!made) {
        alloc_free(module->out);
        module->out = NULL;
    }
    const enum status status = rewrite_end(module, spirv, size);
    return status == STATUS_OK && !made ? STATUS_MALFORMED : status;
}
