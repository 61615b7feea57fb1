/* What entry points and execution modes say of kernels, once the whole module is known. */
#include "reference/spirv/parse.h"

#include <string.h>

/* The three sizes of an execution mode whose operands are ids of constants. */
static enum status parse_mode_ids(struct spv_parser *parser, const struct spv_instruction *mode,
                                  uint64_t sizes[3])
{
    for (uint32_t d = 0; d < 3; d++) {
        const uint32_t id = d + 2 < mode->operand_count ? mode->operands[d + 2] : 0;
        if (!spv_integer_find(parser->module, id, &sizes[d]))
            return spv_parse_malformed(parser, "size %u, id %u, is not an integer constant", d, id);
    }
    return STATUS_OK;
}

static enum status parse_mode(struct spv_parser *parser, struct spv_kernel *kernel,
                              const struct spv_instruction *mode)
{
    const uint32_t *operands = mode->operands;
    const bool sizes = mode->operand_count == 5;
    switch (operands[1]) {
    case SpvExecutionModeLocalSizeId:
        return parse_mode_ids(parser, mode, kernel->local_size);
    case SpvExecutionModeLocalSizeHintId:
        return parse_mode_ids(parser, mode, kernel->local_size_hint);
    case SpvExecutionModeLocalSize:
        for (uint32_t d = 0; d < 3 && sizes; d++)
            kernel->local_size[d] = operands[2 + d];
        break;
    case SpvExecutionModeLocalSizeHint:
        for (uint32_t d = 0; d < 3 && sizes; d++)
            kernel->local_size_hint[d] = operands[2 + d];
        break;
    case SpvExecutionModeSubgroupSize:
        kernel->sub_group_size = mode->operand_count == 3 ? operands[2] : 0;
        break;
    case SpvExecutionModeSubgroupsPerWorkgroup:
        kernel->sub_group_count = mode->operand_count == 3 ? operands[2] : 0;
        break;
    case SpvExecutionModeInitializer:
        kernel->phase = SPV_PHASE_INITIALISER;
        break;
    case SpvExecutionModeFinalizer:
        kernel->phase = SPV_PHASE_FINALISER;
        break;
    case SpvExecutionModeVecTypeHint:
        if (mode->operand_count == 3) {
            kernel->has_vector_type_hint = true;
            kernel->vector_type_hint = operands[2];
        }
        break;
    default:
        break; /* ContractionOff: the device never contracts */
    }
    return STATUS_OK;
}

/* "kernel_arg_type.NAME.float*,int," as the translator writes it: what follows the name, or NULL.
 */
static const char *argument_string(const struct spv_module *module, const char *prefix,
                                   const char *name)
{
    const size_t prefix_size = strlen(prefix);
    const size_t name_size = strlen(name);
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct spv_instruction *at = &module->instructions[i];
        if (at->op != SpvOpString)
            continue;
        const char *string = module->ids[at->result].string;
        if (strncmp(string, prefix, prefix_size) == 0 &&
            strncmp(string + prefix_size, name, name_size) == 0 &&
            string[prefix_size + name_size] == '.')
            return string + prefix_size + name_size + 1;
    }
    return NULL;
}

/* Kernels are few; a module whose entry points would make this quadratic is refused. */
enum { KERNEL_MAX = 4096 };

enum status spv_parse_kernels(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    uint32_t kernel = 0;
    if (module->kernel_count > KERNEL_MAX)
        return error_set(parser->error, STATUS_UNSUPPORTED,
                         "%u kernels in a module; the most is %d", module->kernel_count,
                         KERNEL_MAX);
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct spv_instruction *at = &module->instructions[i];
        if (at->op != SpvOpEntryPoint)
            continue;
        parser->at = at;
        struct spv_kernel *to = &module->kernels[kernel++];
        const struct spv_id *entry = &module->ids[at->operands[1]];
        if (entry->kind != SPV_ID_FUNCTION || entry->function->block_count == 0)
            return spv_parse_malformed(parser, "id %u is not a function with a body",
                                       at->operands[1]);
        to->function = entry->function;
        if (to->function->type->element->kind != SPV_TYPE_VOID)
            return spv_parse_malformed(parser, "kernel '%s' returns a value", to->name);
        to->argument_types = argument_string(module, "kernel_arg_type.", to->name);
        to->argument_qualifiers = argument_string(module, "kernel_arg_type_qual.", to->name);
    }
    parser->at = NULL;
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct spv_instruction *at = &module->instructions[i];
        enum status status = STATUS_OK;
        if (at->op != SpvOpExecutionMode && at->op != SpvOpExecutionModeId)
            continue;
        parser->at = at;
        for (uint32_t k = 0; k < module->kernel_count && status == STATUS_OK; k++) {
            if (module->kernels[k].function->id == at->operands[0])
                status = parse_mode(parser, &module->kernels[k], at);
        }
        if (status != STATUS_OK)
            return status;
    }
    parser->at = NULL;
    return STATUS_OK;
}
