/* Calls of functions that are declared with pointers to bytes and defined with pointers to
 * something else. Compilers from version 17 on declare so what a program hands a pointer that it
 * does not use otherwise. */
#include "reference/compiler/link_private.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

/* OpTypeFunction result return parameters; OpFunctionCall type result function arguments. */
enum { PARAMETERS = 3, ARGUMENTS = 4, BITCAST_WORDS = 4 };

static const struct instruction *definition_at(const struct module *module, uint32_t id)
{
    const uint32_t index = module->definitions[id];
    return index != 0 ? &module->instructions[index - 1] : NULL;
}

static const struct instruction *function_type(const struct symbol *symbol)
{
    const struct instruction *function = definition_at(symbol->module, symbol->id);
    return function && function->opcode == SpvOpFunction
               ? definition_at(symbol->module, function->words[4])
               : NULL;
}

static bool is_byte(const struct module *module, uint32_t type)
{
    const struct instruction *definition = definition_at(module, type);
    return definition && definition->opcode == SpvOpTypeInt && definition->words[2] == 8;
}

/* Are they pointers into the same storage class, and one leads to bytes? */
static bool may_be_cast(const struct module *module, uint32_t type, const struct module *to_module,
                        uint32_t to_type)
{
    const struct instruction *from = definition_at(module, type);
    const struct instruction *to = definition_at(to_module, to_type);
    return from && to && from->opcode == SpvOpTypePointer && to->opcode == SpvOpTypePointer &&
           from->words[2] == to->words[2] &&
           (is_byte(module, from->words[3]) || is_byte(to_module, to->words[3]));
}

/* Casts the arguments whose types are others, in front of the call. */
static enum status adapt_call(struct module *module, struct instruction *call,
                              const struct instruction *declared, const struct module *to_module,
                              const struct instruction *defined)
{
    struct linker *linker = module->linker;
    const size_t most = (size_t)call->word_count * (1 + BITCAST_WORDS);
    uint32_t *words = arena_alloc(&linker->arena, most, sizeof(*words));
    uint8_t *ids = arena_alloc(&linker->arena, most, sizeof(*ids));
    uint32_t *arguments =
        arena_copy(&linker->arena, call->words, call->word_count * sizeof(*arguments));
    uint8_t *are_ids = arena_copy(&linker->arena, call->is_id, call->word_count);
    if (!words || !ids || !arguments || !are_ids)
        return STATUS_NO_MEMORY;
    size_t count = 0;
    for (uint32_t i = ARGUMENTS; i < call->word_count; i++) {
        const uint32_t parameter = i - ARGUMENTS + PARAMETERS;
        const uint32_t type = to_module->ids[defined->words[parameter]];
        if (module->ids[declared->words[parameter]] == type)
            continue;
        if (linker->bound == UINT32_MAX)
            return STATUS_UNSUPPORTED;
        const uint32_t cast[BITCAST_WORDS] = {BITCAST_WORDS << 16 | SpvOpBitcast, type,
                                              linker->bound, call->words[i]};
        memcpy(&words[count], cast, sizeof(cast));
        ids[count + 3] = 1; /* the others are of the result already */
        count += BITCAST_WORDS;
        arguments[i] = linker->bound++;
        are_ids[i] = 0;
    }
    memcpy(&words[count], arguments, call->word_count * sizeof(*words));
    memcpy(&ids[count], are_ids, call->word_count);
    call->words = words;
    call->is_id = ids;
    call->word_count += (uint32_t)count;
    return STATUS_OK;
}

bool link_may_adapt(const struct symbol *import, const struct symbol *exported)
{
    const struct instruction *declared = function_type(import);
    const struct instruction *defined = function_type(exported);
    if (!declared || !defined || declared->word_count != defined->word_count ||
        import->module->ids[declared->words[2]] != exported->module->ids[defined->words[2]])
        return false;
    for (uint32_t i = PARAMETERS; i < declared->word_count; i++) {
        if (import->module->ids[declared->words[i]] != exported->module->ids[defined->words[i]] &&
            !may_be_cast(import->module, declared->words[i], exported->module, defined->words[i]))
            return false;
    }
    return true;
}

enum status link_adapt_calls(const struct symbol *import, const struct symbol *exported)
{
    struct module *module = import->module;
    for (size_t i = 0; i < module->count; i++) {
        struct instruction *call = &module->instructions[i];
        if (call->opcode != SpvOpFunctionCall || call->words[3] != import->id)
            continue;
        const enum status status = adapt_call(module, call, function_type(import), exported->module,
                                              function_type(exported));
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}
