/* What is the same in several modules that are linked, and is kept once. */
#include "reference/compiler/link_private.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

/* Two of the same words, but for the result, mean the same. */
static bool is_shared(const struct instruction *instruction)
{
    switch (instruction->section) {
    case SECTION_CAPABILITY:
    case SECTION_EXTENSION:
    case SECTION_IMPORT:
    case SECTION_MEMORY_MODEL:
    case SECTION_PROCESSED:
        return true;
    case SECTION_GLOBAL:
        return (instruction->opcode >= SpvOpTypeVoid && instruction->opcode <= SpvOpTypePipe) ||
               instruction->opcode == SpvOpTypePipeStorage ||
               (instruction->opcode >= SpvOpConstantTrue &&
                instruction->opcode <= SpvOpConstantNull);
    default:
        return false;
    }
}

static size_t append_words(const struct module *module, const struct instruction *instruction,
                           uint32_t *words, size_t count)
{
    for (uint32_t i = 0; i < instruction->word_count; i++) {
        const uint32_t word = instruction->words[i];
        const bool own = instruction->section == SECTION_ANNOTATION && i == 1;
        if (!own &&
            (instruction->result == 0 || !instruction->is_id[i] || word != instruction->result))
            words[count++] = instruction->is_id[i] ? module->ids[word] : word;
    }
    return count;
}

/* An instruction and how its result is annotated, in words that compare. */
static bool make_key(const struct module *module, const struct instruction *instruction,
                     struct key *key)
{
    const uint32_t first = instruction->result ? module->annotations[instruction->result] : 0;
    size_t count = instruction->word_count;
    for (uint32_t at = first; at != 0; at = module->instructions[at - 1].next_annotation)
        count += module->instructions[at - 1].word_count;
    uint32_t *words = arena_alloc(&module->linker->arena, count, sizeof(*words));
    if (!words)
        return false;
    count = append_words(module, instruction, words, 0);
    for (uint32_t at = first; at != 0; at = module->instructions[at - 1].next_annotation)
        count = append_words(module, &module->instructions[at - 1], words, count);
    *key = (struct key){
        .words = words,
        .count = count,
        .id = instruction->result ? module->ids[instruction->result] : 0,
    };
    return true;
}

static const struct key *find_key(const struct linker *linker, const struct key *key)
{
    for (size_t i = 0; i < linker->key_count; i++) {
        const struct key *known = &linker->keys[i];
        if (known->count == key->count && known->words[0] == key->words[0] &&
            memcmp(known->words, key->words, key->count * sizeof(*key->words)) == 0)
            return known;
    }
    return NULL;
}

void link_drop(struct module *module, struct instruction *instruction)
{
    instruction->dropped = true;
    if (instruction->result != 0)
        module->gone[instruction->result] = true;
}

static enum status share(struct module *module, struct instruction *instruction)
{
    struct linker *linker = module->linker;
    struct key key;
    if (instruction->result != 0 && module->grouped[instruction->result])
        return STATUS_OK;
    if (!make_key(module, instruction, &key))
        return link_no_memory(linker);
    const struct key *known = find_key(linker, &key);
    if (!known) {
        linker->keys[linker->key_count++] = key;
        return instruction->section == SECTION_MEMORY_MODEL && module != linker->modules
                   ? link_fail(linker, STATUS_UNSUPPORTED, "the programs have two memory models")
                   : STATUS_OK;
    }
    link_drop(module, instruction);
    if (instruction->result != 0)
        module->ids[instruction->result] = known->id;
    return STATUS_OK;
}

/* The name of the structure that a pointer leads to; NULL = it has none. */
static const char *pointee_name(const struct forward *forward)
{
    const struct module *module = forward->module;
    const uint32_t index = module->definitions[forward->instruction->words[1]];
    const struct instruction *pointer = index != 0 ? &module->instructions[index - 1] : NULL;
    if (!pointer || pointer->opcode != SpvOpTypePointer)
        return NULL;
    for (size_t i = 0; i < module->count; i++) {
        const struct instruction *name = &module->instructions[i];
        if (name->opcode == SpvOpName && name->words[1] == pointer->words[3])
            return (const char *)&name->words[2];
    }
    return NULL;
}

/* Takes it for one of the same name in an earlier module, which sharing proves or refutes. */
static void assume(struct linker *linker, struct forward *forward, size_t earlier_count)
{
    const char *name = pointee_name(forward);
    forward->same = 0;
    for (; name && forward->tried < earlier_count; forward->tried++) {
        const struct forward *earlier = &linker->forwards[forward->tried];
        const char *other = pointee_name(earlier);
        if (other && strcmp(name, other) == 0 &&
            earlier->instruction->words[2] == forward->instruction->words[2]) {
            forward->same = earlier->module->ids[earlier->instruction->words[1]];
            forward->module->ids[forward->instruction->words[1]] = forward->same;
            return;
        }
    }
}

/* The forward pointer whose assumption the instruction, which defines it, refutes; NULL = none. */
static struct forward *refuted(const struct linker *linker, const struct module *module,
                               const struct instruction *instruction, size_t first)
{
    for (size_t i = first; i < linker->forward_count; i++) {
        struct forward *forward = &linker->forwards[i];
        if (forward->same != 0 && forward->instruction->words[1] == instruction->result &&
            (!instruction->dropped || module->ids[instruction->result] != forward->same))
            return forward;
    }
    return NULL;
}

/* Shares under the assumptions, up to one that is wrong; `wrong` is NULL if all are right. */
static enum status share_module(struct linker *linker, struct module *module, size_t first,
                                struct forward **wrong)
{
    *wrong = NULL;
    for (uint32_t id = 0; id < module->bound; id++) {
        module->ids[id] = module->first_id + id;
        module->gone[id] = false;
    }
    for (size_t i = first; i < linker->forward_count; i++)
        assume(linker, &linker->forwards[i], first);
    for (size_t i = 0; i < module->count; i++)
        module->instructions[i].dropped = false;
    for (size_t i = 0; i < module->count && !*wrong; i++) {
        struct instruction *instruction = &module->instructions[i];
        const enum status status = is_shared(instruction) ? share(module, instruction) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
        if (instruction->opcode == SpvOpTypePointer)
            *wrong = refuted(linker, module, instruction, first);
    }
    return STATUS_OK;
}

enum status link_share(struct linker *linker)
{
    for (size_t m = 0; m < linker->module_count; m++) {
        struct module *module = &linker->modules[m];
        const size_t first = linker->forward_count;
        const size_t key_count = linker->key_count;
        for (size_t i = 0; i < module->count; i++) {
            if (module->instructions[i].opcode == SpvOpTypeForwardPointer)
                linker->forwards[linker->forward_count++] =
                    (struct forward){.module = module, .instruction = &module->instructions[i]};
        }
        struct forward *wrong;
        do {
            linker->key_count = key_count;
            const enum status status = share_module(linker, module, first, &wrong);
            if (status != STATUS_OK)
                return status;
            if (wrong)
                wrong->tried++;
        } while (wrong);
        for (size_t i = first; i < linker->forward_count; i++)
            linker->forwards[i].instruction->dropped = linker->forwards[i].same != 0;
    }
    return STATUS_OK;
}
