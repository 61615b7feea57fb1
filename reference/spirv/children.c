/* The kernels that kernels enqueue: which functions they are, and what they are called.
 *
 * SPIR-V 1.6, OpEnqueueKernel, names a function, not an entry point. Its first parameter points to
 * bytes that travel with the command, in OpenCL C the block's literal; the others point to local
 * memory. Translators make an entry point for each of them besides, which nobody starts. */
#include "reference/spirv/parse.h"

#include <string.h>

int spv_child_operand(uint32_t op)
{
    switch (op) {
    case SpvOpEnqueueKernel:
        return 6;
    case SpvOpGetKernelWorkGroupSize:
    case SpvOpGetKernelPreferredWorkGroupSizeMultiple:
    case SpvOpGetKernelMaxNumSubgroups:
        return 0;
    case SpvOpGetKernelNDrangeSubGroupCount:
    case SpvOpGetKernelNDrangeMaxSubGroupSize:
    case SpvOpGetKernelLocalSizeForSubgroupCount:
        return 1;
    default:
        return -1;
    }
}

const struct spv_kernel *spv_child_find(const struct spv_module *module, uint32_t function)
{
    for (uint32_t i = 0; i < module->child_count; i++) {
        if (module->children[i].function->id == function)
            return &module->children[i];
    }
    return NULL;
}

static bool takes_a_literal(const struct spv_function *function)
{
    return function->block_count > 0 && function->parameter_count > 0 &&
           function->type->element->kind == SPV_TYPE_VOID &&
           function->type->members[0]->kind == SPV_TYPE_POINTER;
}

/* clang calls the second block of 'sum' "__sum_block_invoke_2_kernel". */
static const char *readable_name(struct spv_parser *parser, const char *name)
{
    static const char mark[] = "_block_invoke";
    struct arena *arena = &parser->module->arena;
    const char *at = strstr(name, mark);
    if (at == NULL || strncmp(name, "__", 2) != 0)
        return name;
    const char *number = at + strlen(mark);
    const size_t digits = *number == '_' ? strspn(number + 1, "0123456789") : 0;
    return digits == 0 ? arena_format(arena, "block of %.*s", (int)(at - name - 2), name + 2)
                       : arena_format(arena, "block %.*s of %.*s", (int)digits, number + 1,
                                      (int)(at - name - 2), name + 2);
}

static enum status add_child(struct spv_parser *parser, const uint32_t *operands)
{
    struct spv_module *module = parser->module;
    const struct spv_id *entry = &module->ids[operands[0]];
    uint64_t size, alignment;
    if (entry->kind != SPV_ID_FUNCTION || !takes_a_literal(entry->function))
        return spv_parse_malformed(parser, "id %u is not a function to enqueue", operands[0]);
    if (!spv_integer_find(module, operands[2], &size) ||
        !spv_integer_find(module, operands[3], &alignment) || alignment == 0 || alignment > 4096 ||
        (alignment & (alignment - 1)) != 0 || size > UINT16_MAX)
        return spv_parse_malformed(
            parser, "the size and alignment of what is enqueued, ids %u and %u, are none",
            operands[2], operands[3]);
    const struct spv_kernel *known = spv_child_find(module, operands[0]);
    if (known != NULL)
        return known->literal_size == size
                   ? STATUS_OK
                   : spv_parse_malformed(parser, "'%s' is enqueued with two sizes", known->name);
    const struct spv_kernel child = {.name = readable_name(parser, entry->function->name),
                                     .function = entry->function,
                                     .phase = SPV_PHASE_CHILD,
                                     .literal_size = size,
                                     .literal_alignment = alignment};
    return child.name == NULL ? spv_parse_no_memory(parser)
                              : spv_parse_append(parser, &module->children, &module->child_count,
                                                 &parser->child_capacity, &child, sizeof child);
}

/* Is the function a child's, or does it but call one? */
static bool stands_for_child(const struct spv_module *module, const struct spv_function *function)
{
    if (spv_child_find(module, function->id) != NULL)
        return true;
    const struct spv_block *only = &function->blocks[0];
    return function->block_count == 1 && only->count == 2 &&
           only->instructions[0].op == SpvOpFunctionCall &&
           spv_child_find(module, only->instructions[0].operands[0]) != NULL;
}

enum status spv_parse_children(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct spv_instruction *at = &module->instructions[i];
        const int operand = spv_child_operand(at->op);
        if (operand < 0)
            continue;
        parser->at = at;
        const enum status status = add_child(parser, at->operands + operand);
        if (status != STATUS_OK)
            return status;
    }
    parser->at = NULL;
    for (uint32_t i = 0; i < module->kernel_count && module->child_count > 0; i++) {
        if (stands_for_child(module, module->kernels[i].function))
            module->kernels[i].phase = SPV_PHASE_CHILD;
    }
    return STATUS_OK;
}
