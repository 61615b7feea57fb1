/* The linker. All ids of a module are shifted after those of the modules before it; what is the
 * same in several modules (types, constants, capabilities) is kept once, so that a function's type
 * is the same where it is defined and where it is used; an imported name is replaced by what is
 * exported under it. Names that nobody exports stay imports: built-in variables and functions are
 * such, and the device refuses the others.
 *
 * A module has sections in a fixed order (SPIR-V 1.6, 2.4). The result has, section by section,
 * what each module has there. */
#include "reference/compiler/compile.h"

#include "reference/compiler/link_private.h"
#include "reference/compiler/validate.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_WORDS = 5 };

enum status link_fail(struct linker *linker, enum status status, const char *sentence)
{
    text_format(linker->log, "error: %s\n", sentence);
    return status;
}

enum status link_no_memory(struct linker *linker)
{
    return link_fail(linker, STATUS_NO_MEMORY, "out of memory");
}

static enum status too_many_ids(struct linker *linker)
{
    return link_fail(linker, STATUS_UNSUPPORTED, "the programs have too many ids together");
}

/* ---- reading ---- */

static enum section section_of(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpCapability:
        return SECTION_CAPABILITY;
    case SpvOpExtension:
        return SECTION_EXTENSION;
    case SpvOpExtInstImport:
        return SECTION_IMPORT;
    case SpvOpMemoryModel:
        return SECTION_MEMORY_MODEL;
    case SpvOpEntryPoint:
        return SECTION_ENTRY_POINT;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return SECTION_MODE;
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceContinued:
    case SpvOpSourceExtension:
        return SECTION_SOURCE;
    case SpvOpName:
    case SpvOpMemberName:
        return SECTION_NAME;
    case SpvOpModuleProcessed:
        return SECTION_PROCESSED;
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
        return SECTION_ANNOTATION;
    default:
        return SECTION_GLOBAL;
    }
}

static bool take_header(void *user, uint32_t version, uint32_t bound)
{
    struct module *module = user;
    struct arena *arena = &module->linker->arena;
    module->version = version;
    module->bound = bound;
    module->ids = arena_alloc(arena, bound, sizeof(*module->ids));
    module->definitions = arena_alloc(arena, bound, sizeof(*module->definitions));
    module->annotations = arena_alloc(arena, bound, sizeof(*module->annotations));
    module->grouped = arena_alloc(arena, bound, sizeof(*module->grouped));
    module->gone = arena_alloc(arena, bound, sizeof(*module->gone));
    return module->ids && module->definitions && module->annotations && module->grouped &&
           module->gone;
}

static bool take_instruction(void *user, const struct validate_instruction *given)
{
    struct module *module = user;
    struct arena *arena = &module->linker->arena;
    uint32_t *words = arena_copy(arena, given->words, given->word_count * sizeof(*words));
    uint8_t *ids = arena_copy(arena, given->is_id, given->word_count);
    if (!words || !ids)
        return false;
    module->instructions[module->count++] = (struct instruction){
        .words = words,
        .is_id = ids,
        .word_count = given->word_count,
        .opcode = given->opcode,
        .result = given->result,
        .section = section_of(given->opcode),
    };
    if (given->result != 0)
        module->definitions[given->result] = (uint32_t)module->count;
    return true;
}

/* A function with the lines before it, as far as OpFunctionEnd. */
static void mark_function(struct module *module, size_t start)
{
    enum section section = SECTION_DECLARATION;
    size_t end = start;
    while (end < module->count && module->instructions[end].opcode != SpvOpFunctionEnd) {
        if (module->instructions[end].opcode == SpvOpLabel)
            section = SECTION_DEFINITION;
        end++;
    }
    while (start > 0 && (module->instructions[start - 1].opcode == SpvOpLine ||
                         module->instructions[start - 1].opcode == SpvOpNoLine))
        start--;
    for (size_t i = start; i <= end && i < module->count; i++)
        module->instructions[i].section = section;
}

static void mark_annotation(struct module *module, size_t index)
{
    struct instruction *instruction = &module->instructions[index];
    switch (instruction->opcode) {
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
        instruction->next_annotation = module->annotations[instruction->words[1]];
        module->annotations[instruction->words[1]] = (uint32_t)index + 1;
        break;
    case SpvOpDecorationGroup:
        break;
    default:
        for (uint32_t i = 1; i < instruction->word_count; i++) {
            if (instruction->is_id[i])
                module->grouped[instruction->words[i]] = true;
        }
    }
}

static enum status read_module(struct module *module, const struct link_input *input)
{
    struct linker *linker = module->linker;
    const struct validate_reader reader = {take_header, take_instruction, module};
    module->instructions =
        arena_alloc(&linker->arena, input->size / sizeof(uint32_t), sizeof(*module->instructions));
    if (!module->instructions)
        return link_no_memory(linker);
    const enum status status = validate_read(input->bytes, input->size, &reader, linker->log);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < module->count; i++) {
        if (module->instructions[i].opcode == SpvOpFunction)
            mark_function(module, i);
        else if (module->instructions[i].section == SECTION_ANNOTATION)
            mark_annotation(module, i);
    }
    if (module->bound > UINT32_MAX - linker->bound)
        return too_many_ids(linker);
    module->first_id = linker->bound;
    for (uint32_t id = 0; id < module->bound; id++)
        module->ids[id] = linker->bound + id;
    linker->bound += module->bound;
    if (module->version > linker->version)
        linker->version = module->version;
    return STATUS_OK;
}

static enum status read_all(struct linker *linker, const struct link_input *inputs)
{
    size_t total = 0;
    for (size_t i = 0; i < linker->module_count; i++) {
        linker->modules[i].linker = linker;
        const enum status status = read_module(&linker->modules[i], &inputs[i]);
        if (status != STATUS_OK)
            return status;
        total += linker->modules[i].count;
    }
    linker->keys = arena_alloc(&linker->arena, total + 1, sizeof(*linker->keys));
    linker->symbols = arena_alloc(&linker->arena, total + 1, sizeof(*linker->symbols));
    linker->forwards = arena_alloc(&linker->arena, total + 1, sizeof(*linker->forwards));
    return linker->keys && linker->symbols && linker->forwards ? STATUS_OK : link_no_memory(linker);
}

/* ---- names ---- */

static bool is_linkage(const struct instruction *instruction)
{
    return instruction->opcode == SpvOpDecorate && instruction->word_count >= 5 &&
           instruction->words[2] == SpvDecorationLinkageAttributes;
}

/* Of all modules, those that others may define as well, or the rest. */
static void gather_symbols(struct linker *linker, bool once)
{
    for (size_t m = 0; m < linker->module_count; m++) {
        struct module *module = &linker->modules[m];
        for (size_t i = 0; i < module->count; i++) {
            const struct instruction *instruction = &module->instructions[i];
            if (is_linkage(instruction) && (instruction->words[instruction->word_count - 1] ==
                                            SpvLinkageTypeLinkOnceODR) == once)
                linker->symbols[linker->symbol_count++] = (struct symbol){
                    .name = (const char *)&instruction->words[3],
                    .linkage = instruction->words[instruction->word_count - 1],
                    .module = module,
                    .id = instruction->words[1],
                };
        }
    }
}

static struct instruction *definition_of(const struct symbol *symbol)
{
    const uint32_t index = symbol->module->definitions[symbol->id];
    return index != 0 ? &symbol->module->instructions[index - 1] : NULL;
}

/* The type of a function, or of a variable, in the result; 0 = it is neither. */
static uint32_t type_of(const struct symbol *symbol)
{
    const struct instruction *definition = definition_of(symbol);
    if (definition && definition->opcode == SpvOpFunction)
        return symbol->module->ids[definition->words[4]];
    if (definition && definition->opcode == SpvOpVariable)
        return symbol->module->ids[definition->words[1]];
    return 0;
}

static void drop_definition(const struct symbol *symbol)
{
    struct module *module = symbol->module;
    struct instruction *at = definition_of(symbol);
    const struct instruction *end = module->instructions + module->count;
    const bool function = at->opcode == SpvOpFunction;
    link_drop(module, at);
    while (function && ++at < end) {
        link_drop(module, at);
        if (at->opcode == SpvOpFunctionEnd)
            break;
    }
}

/* Of several exports of a name all but the first may be LinkOnceODR, which come last.
 * SPV_KHR_linkonce_odr: "the linker will just pick one of them". */
static enum status merge_exports(struct linker *linker)
{
    for (size_t i = 0; i < linker->symbol_count; i++) {
        struct symbol *symbol = &linker->symbols[i];
        for (size_t j = 0; j < i && symbol->linkage != SpvLinkageTypeImport; j++) {
            const struct symbol *before = &linker->symbols[j];
            if (before->linkage == SpvLinkageTypeImport || before->module->gone[before->id] ||
                strcmp(before->name, symbol->name) != 0)
                continue;
            if (symbol->linkage != SpvLinkageTypeLinkOnceODR || type_of(symbol) == 0 ||
                type_of(symbol) != type_of(before)) {
                text_format(linker->log, "error: '%s' is defined twice\n", symbol->name);
                return STATUS_UNSUPPORTED;
            }
            drop_definition(symbol);
            symbol->module->ids[symbol->id] = before->module->ids[before->id];
            break;
        }
    }
    return STATUS_OK;
}

static enum status resolve_imports(struct linker *linker)
{
    for (size_t i = 0; i < linker->symbol_count; i++) {
        struct symbol *symbol = &linker->symbols[i];
        for (size_t j = 0; j < linker->symbol_count && symbol->linkage == SpvLinkageTypeImport;
             j++) {
            const struct symbol *exported = &linker->symbols[j];
            if (exported->linkage == SpvLinkageTypeImport ||
                strcmp(exported->name, symbol->name) != 0)
                continue;
            if (type_of(symbol) != type_of(exported) && link_may_adapt(symbol, exported)) {
                const enum status status = link_adapt_calls(symbol, exported);
                if (status != STATUS_OK)
                    return status == STATUS_NO_MEMORY ? link_no_memory(linker)
                                                      : too_many_ids(linker);
            } else if (type_of(symbol) == 0 || type_of(symbol) != type_of(exported)) {
                text_format(linker->log,
                            "error: '%s' is declared with another type than it is defined with\n",
                            symbol->name);
                return STATUS_UNSUPPORTED;
            }
            drop_definition(symbol);
            symbol->module->ids[symbol->id] = exported->module->ids[exported->id];
            break;
        }
    }
    return STATUS_OK;
}

static const char *entry_name(const struct instruction *entry)
{
    return (const char *)&entry->words[3];
}

/* Does the device start it by itself, before or after the kernels? Then its name matters to nobody.
 */
static bool is_started_by_device(const struct module *module, const struct instruction *entry)
{
    for (size_t i = 0; i < module->count; i++) {
        const struct instruction *mode = &module->instructions[i];
        if (mode->opcode == SpvOpExecutionMode && mode->words[1] == entry->words[2] &&
            (mode->words[2] == SpvExecutionModeInitializer ||
             mode->words[2] == SpvExecutionModeFinalizer))
            return true;
    }
    return false;
}

static enum status rename_entry_point(struct linker *linker, struct instruction *entry,
                                      unsigned number)
{
    char ending[16];
    snprintf(ending, sizeof ending, ".%u", number);
    const size_t old_size = strlen(entry_name(entry)) / sizeof(uint32_t) + 1;
    const size_t length = strlen(entry_name(entry)) + strlen(ending);
    const size_t size = length / sizeof(uint32_t) + 1;
    const size_t rest = entry->word_count - 3 - old_size;
    uint32_t *words = arena_alloc(&linker->arena, 3 + size + rest, sizeof(*words));
    uint8_t *ids = arena_alloc(&linker->arena, 3 + size + rest, sizeof(*ids));
    if (!words || !ids)
        return link_no_memory(linker);
    memcpy(words, entry->words, 3 * sizeof(*words));
    memcpy(ids, entry->is_id, 3);
    snprintf((char *)&words[3], size * sizeof(*words), "%s%s", entry_name(entry), ending);
    memcpy(&words[3 + size], &entry->words[3 + old_size], rest * sizeof(*words));
    memcpy(&ids[3 + size], &entry->is_id[3 + old_size], rest);
    if (3 + size + rest > UINT16_MAX)
        return link_fail(linker, STATUS_UNSUPPORTED, "the name of an entry point is too long");
    words[0] = (uint32_t)(3 + size + rest) << 16 | SpvOpEntryPoint;
    entry->words = words;
    entry->is_id = ids;
    entry->word_count = (uint32_t)(3 + size + rest);
    return STATUS_OK;
}

static bool is_name_taken(const struct instruction *const *entries, size_t count,
                          const struct instruction *entry)
{
    for (size_t i = 0; i < count; i++) {
        if (entries[i]->words[1] == entry->words[1] &&
            strcmp(entry_name(entries[i]), entry_name(entry)) == 0)
            return true;
    }
    return false;
}

/* SPIR-V 1.6, OpEntryPoint: no two of one execution model have the same name. Compilers give the
 * constructors of all programs the same one. */
static enum status check_entry_points(struct linker *linker)
{
    const struct instruction **entries =
        arena_alloc(&linker->arena, linker->bound + 1, sizeof(*entries));
    size_t count = 0;
    if (!entries)
        return link_no_memory(linker);
    for (size_t m = 0; m < linker->module_count; m++) {
        const struct module *module = &linker->modules[m];
        for (size_t i = 0; i < module->count; i++) {
            struct instruction *entry = &module->instructions[i];
            if (entry->opcode != SpvOpEntryPoint)
                continue;
            const struct instruction given = *entry;
            const bool free_name = is_started_by_device(module, entry);
            for (unsigned n = 2; is_name_taken(entries, count, entry); n++) {
                *entry = given;
                if (!free_name) {
                    text_format(linker->log, "error: kernel '%s' is defined twice\n",
                                entry_name(entry));
                    return STATUS_UNSUPPORTED;
                }
                const enum status status = rename_entry_point(linker, entry, n);
                if (status != STATUS_OK)
                    return status;
            }
            entries[count++] = entry;
        }
    }
    return STATUS_OK;
}

/* ---- the variables of kernels ---- */

/* Must an entry point that uses the variable list it? SPIR-V 1.6, OpEntryPoint: "Before version
 * 1.4, the interface's storage classes are limited to the Input and Output storage classes." */
static bool is_listed(const struct linker *linker, const struct instruction *instruction)
{
    return instruction->opcode == SpvOpVariable && instruction->section == SECTION_GLOBAL &&
           !instruction->dropped &&
           (linker->version >= 0x00010400 || instruction->words[3] == SpvStorageClassInput);
}

static bool lists(const struct module *module, const struct instruction *entry, uint32_t variable)
{
    for (uint32_t i = 3; i < entry->word_count; i++) {
        if (entry->is_id[i] && module->ids[entry->words[i]] == variable)
            return true;
    }
    return false;
}

/* Lists all variables, since a kernel may call functions of all modules by now. */
static enum status extend_entry_point(const struct module *module, struct instruction *entry,
                                      const uint32_t *variables, size_t count)
{
    struct arena *arena = &module->linker->arena;
    size_t size = entry->word_count;
    uint32_t *words = arena_alloc(arena, size + count, sizeof(*words));
    uint8_t *ids = arena_alloc(arena, size + count, sizeof(*ids));
    if (!words || !ids)
        return link_no_memory(module->linker);
    memcpy(words, entry->words, size * sizeof(*words));
    memcpy(ids, entry->is_id, size);
    for (size_t i = 0; i < count; i++) {
        if (!lists(module, entry, variables[i]))
            words[size++] = variables[i]; /* of the result already */
    }
    if (size > UINT16_MAX)
        return link_fail(module->linker, STATUS_UNSUPPORTED,
                         "the programs have too many variables");
    words[0] = (uint32_t)size << 16 | SpvOpEntryPoint;
    entry->words = words;
    entry->is_id = ids;
    entry->word_count = (uint32_t)size;
    return STATUS_OK;
}

static enum status extend_entry_points(struct linker *linker)
{
    uint32_t *variables = arena_alloc(&linker->arena, linker->bound, sizeof(*variables));
    size_t count = 0;
    if (!variables)
        return link_no_memory(linker);
    for (size_t m = 0; m < linker->module_count; m++) {
        const struct module *module = &linker->modules[m];
        for (size_t i = 0; i < module->count; i++) {
            if (is_listed(linker, &module->instructions[i]))
                variables[count++] = module->ids[module->instructions[i].result];
        }
    }
    for (size_t m = 0; m < linker->module_count; m++) {
        struct module *module = &linker->modules[m];
        for (size_t i = 0; i < module->count; i++) {
            const enum status status =
                module->instructions[i].opcode == SpvOpEntryPoint
                    ? extend_entry_point(module, &module->instructions[i], variables, count)
                    : STATUS_OK;
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

/* ---- what annotates ---- */

/* Takes the targets that are gone out of a group's list. */
static void prune_group(const struct module *module, struct instruction *instruction)
{
    uint32_t kept = 2;
    for (uint32_t i = 2; i < instruction->word_count; i++) {
        if (!module->gone[instruction->words[i]])
            instruction->words[kept++] = instruction->words[i];
    }
    instruction->word_count = kept;
    instruction->words[0] = kept << 16 | instruction->opcode;
}

static void prune_annotations(struct module *module, bool library)
{
    for (size_t i = 0; i < module->count; i++) {
        struct instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpGroupDecorate)
            prune_group(module, instruction);
        else if (instruction->section == SECTION_NAME ||
                 (instruction->section == SECTION_ANNOTATION &&
                  instruction->opcode != SpvOpDecorationGroup &&
                  instruction->opcode != SpvOpGroupMemberDecorate))
            instruction->dropped |= module->gone[instruction->words[1]];
        if (is_linkage(instruction) && !library &&
            instruction->words[instruction->word_count - 1] != SpvLinkageTypeImport)
            instruction->dropped = true;
    }
}

/* ---- source text ---- */

/* Files of one name and different text get names of their own, and so do the lines that name them.
 */
static enum status merge_sources(struct module *module, const struct sources *from,
                                 struct sources *into)
{
    struct linker *linker = module->linker;
    for (size_t i = 0; i < module->count; i++) {
        struct instruction *instruction = &module->instructions[i];
        if (instruction->opcode != SpvOpString)
            continue;
        const char *name =
            sources_merge(into, from, (const char *)&instruction->words[2], &linker->arena);
        const size_t word_count = name ? 2 + strlen(name) / sizeof(uint32_t) + 1 : 0;
        uint32_t *words = arena_alloc(&linker->arena, word_count, sizeof(*words));
        uint8_t *ids = arena_alloc(&linker->arena, word_count, sizeof(*ids));
        if (!name || !words || !ids)
            return link_no_memory(linker);
        words[0] = (uint32_t)word_count << 16 | SpvOpString;
        words[1] = instruction->words[1];
        ids[1] = 1;
        memcpy(&words[2], name, strlen(name));
        instruction->words = words;
        instruction->is_id = ids;
        instruction->word_count = (uint32_t)word_count;
    }
    return STATUS_OK;
}

static enum status merge_all_sources(struct linker *linker, const struct link_input *inputs,
                                     struct sources **result)
{
    struct sources *sources = sources_create();
    enum status status = sources ? STATUS_OK : link_no_memory(linker);
    for (size_t i = 0; status == STATUS_OK && i < linker->module_count; i++)
        status = merge_sources(&linker->modules[i], inputs[i].sources, sources);
    if (status == STATUS_OK)
        *result = sources;
    else
        sources_drop(sources);
    return status;
}

/* ---- writing ---- */

static size_t write_instruction(const struct module *module, const struct instruction *instruction,
                                uint32_t *words, size_t count)
{
    for (uint32_t w = 0; w < instruction->word_count; w++)
        words[count++] =
            instruction->is_id[w] ? module->ids[instruction->words[w]] : instruction->words[w];
    return count;
}

static size_t write_section(const struct module *module, enum section section, uint32_t *words,
                            size_t count)
{
    for (size_t i = 0; i < module->count; i++) {
        const struct instruction *instruction = &module->instructions[i];
        if (instruction->section == section && !instruction->dropped)
            count = write_instruction(module, instruction, words, count);
    }
    return count;
}

/* Is all that it names defined by now? `coming` has the ids of the result that are not. */
static bool is_ready(const struct module *module, const struct instruction *instruction,
                     const bool *coming)
{
    if (instruction->opcode == SpvOpTypeForwardPointer)
        return true;
    for (uint32_t w = 1; w < instruction->word_count; w++) {
        const uint32_t word = instruction->words[w];
        if (instruction->is_id[w] && word != instruction->result && coming[module->ids[word]])
            return false;
    }
    return true;
}

/* Writes the global instructions of the module that are ready, or all if `any`; these are then
 * dropped. Gives the number of those that are left. */
static size_t write_ready(struct module *module, bool *coming, bool any, uint32_t *words,
                          size_t *count)
{
    size_t left = 0;
    for (size_t i = 0; i < module->count; i++) {
        struct instruction *instruction = &module->instructions[i];
        if (instruction->section != SECTION_GLOBAL || instruction->dropped)
            continue;
        if (!any && !is_ready(module, instruction, coming)) {
            left++;
            continue;
        }
        *count = write_instruction(module, instruction, words, *count);
        instruction->dropped = true;
        if (instruction->opcode == SpvOpTypeForwardPointer)
            coming[module->ids[instruction->words[1]]] = false;
        if (instruction->result != 0)
            coming[module->ids[instruction->result]] = false;
    }
    return left;
}

/* An initialiser may name a variable of a later module. */
static enum status write_globals(struct linker *linker, uint32_t *words, size_t *count)
{
    bool *coming = arena_alloc(&linker->arena, linker->bound, sizeof(*coming));
    if (!coming)
        return link_no_memory(linker);
    for (size_t m = 0; m < linker->module_count; m++) {
        const struct module *module = &linker->modules[m];
        for (size_t i = 0; i < module->count; i++) {
            const struct instruction *instruction = &module->instructions[i];
            if (instruction->section == SECTION_GLOBAL && !instruction->dropped &&
                instruction->result != 0)
                coming[module->ids[instruction->result]] = true;
        }
    }
    size_t before = SIZE_MAX, left = SIZE_MAX - 1;
    while (left > 0) {
        const bool stuck = left == before;
        before = left;
        left = 0;
        for (size_t m = 0; m < linker->module_count; m++)
            left += write_ready(&linker->modules[m], coming, stuck, words, count);
    }
    return STATUS_OK;
}

static enum status write_all(struct linker *linker, uint8_t **spirv, size_t *size)
{
    size_t count = HEADER_WORDS;
    for (size_t m = 0; m < linker->module_count; m++) {
        for (size_t i = 0; i < linker->modules[m].count; i++)
            count += linker->modules[m].instructions[i].word_count;
    }
    uint32_t *words = alloc(count * sizeof(*words));
    if (!words)
        return link_no_memory(linker);
    const uint32_t header[HEADER_WORDS] = {SpvMagicNumber, linker->version, 0, linker->bound, 0};
    memcpy(words, header, sizeof(header));
    count = HEADER_WORDS;
    for (enum section section = 0; section < SECTION_COUNT; section++) {
        if (section == SECTION_GLOBAL) {
            const enum status status = write_globals(linker, words, &count);
            if (status != STATUS_OK) {
                alloc_free(words);
                return status;
            }
        }
        for (size_t m = 0; m < linker->module_count; m++)
            count = write_section(&linker->modules[m], section, words, count);
    }
    *spirv = (uint8_t *)words;
    *size = count * sizeof(*words);
    return validate_spirv(*spirv, *size, linker->log);
}

static enum status link_modules(struct linker *linker, const struct link_input *inputs,
                                bool library, struct sources **sources)
{
    enum status status = read_all(linker, inputs);
    if (status == STATUS_OK)
        status = link_share(linker);
    if (status == STATUS_OK)
        status = check_entry_points(linker);
    if (status == STATUS_OK) {
        gather_symbols(linker, false);
        gather_symbols(linker, true);
        status = merge_exports(linker);
    }
    if (status == STATUS_OK)
        status = resolve_imports(linker);
    if (status == STATUS_OK)
        status = extend_entry_points(linker);
    for (size_t i = 0; status == STATUS_OK && i < linker->module_count; i++)
        prune_annotations(&linker->modules[i], library);
    return status == STATUS_OK ? merge_all_sources(linker, inputs, sources) : status;
}

/* Nothing to resolve: what one module has not, it imports. */
static enum status copy_one(const struct link_input *input, struct text *log, uint8_t **spirv,
                            size_t *size)
{
    uint8_t *copy = alloc(input->size);
    if (!copy) {
        text_append(log, "error: out of memory\n");
        return STATUS_NO_MEMORY;
    }
    memcpy(copy, input->bytes, input->size);
    *spirv = copy;
    *size = input->size;
    return STATUS_OK;
}

enum status link_spirv(const struct link_input *inputs, size_t count, bool library,
                       struct text *log, uint8_t **spirv, size_t *size, struct sources **sources)
{
    if (count == 1) {
        const enum status status = copy_one(&inputs[0], log, spirv, size);
        if (status == STATUS_OK)
            *sources = sources_retain(inputs[0].sources);
        return status;
    }
    struct linker linker = {.log = log, .module_count = count, .bound = 0};
    linker.modules = arena_alloc(&linker.arena, count, sizeof(*linker.modules));
    struct sources *merged = NULL;
    enum status status =
        linker.modules ? link_modules(&linker, inputs, library, &merged) : link_no_memory(&linker);
    uint8_t *made = NULL;
    if (status == STATUS_OK)
        status = write_all(&linker, &made, size);
    if (status == STATUS_OK) {
        *spirv = made;
        *sources = merged;
    } else {
        alloc_free(made);
        sources_drop(merged);
    }
    arena_release(&linker.arena);
    return status;
}
