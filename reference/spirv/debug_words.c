/* Debugging instructions among others: which they are, what their operands name. */
#include "reference/spirv/debug_reader.h"

enum { BOUND_MAX = 4194303 /* SPIR-V 1.6, 2.17 Universal Limits */ };

/* SPV_KHR_relaxed_extended_instruction: OpExtInst that names what comes later. */
enum { OP_EXT_INST_WITH_FORWARD_REFS = 4433 };

/* ---- which they are ---- */

/* SPIR-V 1.6, 2.2.1: the first octet of a string is in the lowest-order 8 bits of its word. Writes
 * at most `words` * 4 bytes and gives how many are before the end of the string. */
static size_t read_string(const struct spv_walker *walker, size_t word, size_t words, char *string)
{
    size_t size = 0;
    for (size_t i = 0; i < words; i++) {
        const uint32_t four = spv_walker_word(walker, word + i);
        for (unsigned shift = 0; shift < 32; shift += 8) {
            string[size] = (char)(four >> shift);
            if (string[size] == '\0')
                return size;
            size++;
        }
    }
    return size;
}

static enum debug_set set_of_import(const struct spv_walker *walker)
{
    enum { NAME_WORDS = 10 };
    char name[NAME_WORDS * 4 + 1] = "";
    const uint32_t words = walker->length - 2;
    if (words > NAME_WORDS)
        return DEBUG_SET_NONE;
    name[read_string(walker, walker->start + 2, words, name)] = '\0';
    if (strcmp(name, "OpenCL.DebugInfo.100") == 0)
        return DEBUG_SET_OPENCL;
    return strcmp(name, "NonSemantic.Shader.DebugInfo.100") == 0 ? DEBUG_SET_SHADER
                                                                 : DEBUG_SET_NONE;
}

enum debug_set debug_imports_see(struct debug_imports *imports, const struct spv_walker *walker)
{
    if (walker->opcode == SpvOpExtInstImport && walker->length > 2) {
        const enum debug_set set = set_of_import(walker);
        if (set == DEBUG_SET_OPENCL)
            imports->opencl = spv_walker_operand(walker, 1);
        if (set == DEBUG_SET_SHADER)
            imports->shader = spv_walker_operand(walker, 1);
        return set;
    }
    if ((walker->opcode != SpvOpExtInst && walker->opcode != OP_EXT_INST_WITH_FORWARD_REFS) ||
        walker->length < 5)
        return DEBUG_SET_NONE;
    const uint32_t set = spv_walker_operand(walker, 3);
    if (set != 0 && set == imports->opencl)
        return DEBUG_SET_OPENCL;
    return set != 0 && set == imports->shader ? DEBUG_SET_SHADER : DEBUG_SET_NONE;
}

size_t debug_info_strip(void *bytes, size_t size)
{
    struct spv_walker walker = spv_walker_begin(bytes, size);
    struct debug_imports imports = {0};
    uint8_t *words = bytes;
    size_t kept = SPV_HEADER_WORDS;
    while (spv_walker_next(&walker))
        ;
    if (walker.word_count == 0 || walker.at != walker.word_count)
        return size;
    walker.at = SPV_HEADER_WORDS;
    while (spv_walker_next(&walker)) {
        if (debug_imports_see(&imports, &walker) != DEBUG_SET_NONE)
            continue;
        memmove(words + kept * sizeof(uint32_t), words + walker.start * sizeof(uint32_t),
                walker.length * sizeof(uint32_t));
        kept += walker.length;
    }
    return kept * sizeof(uint32_t);
}

/* ---- memory ---- */

void *debug_alloc(struct debug_reader *reader, uint32_t count, size_t size)
{
    void *made = arena_alloc(reader->arena, (size_t)count + (count == 0), size);
    reader->failed |= made == NULL;
    return made;
}

void *debug_scratch(struct debug_reader *reader, uint32_t count, size_t size)
{
    void *made = arena_alloc(&reader->scratch, (size_t)count + (count == 0), size);
    reader->failed |= made == NULL;
    return made;
}

void *debug_append(struct debug_reader *reader, void *items, uint32_t *count, uint32_t *capacity,
                   size_t item_size)
{
    uint8_t *array;
    memcpy(&array, items, sizeof array);
    if (*count == *capacity) {
        const uint32_t wanted = *capacity == 0 ? 16 : *capacity * 2;
        uint8_t *grown = debug_scratch(reader, wanted, item_size);
        if (grown == NULL)
            return NULL;
        if (*count > 0)
            memcpy(grown, array, *count * item_size);
        memcpy(items, &grown, sizeof grown);
        *capacity = wanted;
        array = grown;
    }
    return array + (*count)++ * item_size;
}

/* ---- by id ---- */

/* What is of interest of an instruction that is none of the sets: `result` is the word of its id,
 * `first` that of its first operand. */
struct shape {
    enum debug_entry_kind kind;
    uint32_t result, first;
};

static struct shape shape_of(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpString:
        return (struct shape){DEBUG_ENTRY_STRING, 1, 2};
    case SpvOpTypeVoid:
        return (struct shape){DEBUG_ENTRY_VOID, 1, 2};
    case SpvOpConstant:
        return (struct shape){DEBUG_ENTRY_CONSTANT, 2, 3};
    case SpvOpVariable:
        return (struct shape){DEBUG_ENTRY_VARIABLE, 2, 3};
    case SpvOpFunction:
        return (struct shape){DEBUG_ENTRY_FUNCTION, 2, 3};
    default:
        return (struct shape){DEBUG_ENTRY_NONE, 0, 0};
    }
}

/* The entry of an id that is defined for the first time, or NULL. */
static struct debug_entry *define(struct debug_reader *reader, uint32_t id)
{
    return id != 0 && id < reader->bound && reader->entries[id].kind == DEBUG_ENTRY_NONE
               ? &reader->entries[id]
               : NULL;
}

static void read_entry(struct debug_reader *reader, enum debug_set set)
{
    const struct spv_walker *walker = &reader->module;
    const bool debug = set != DEBUG_SET_NONE && walker->opcode != SpvOpExtInstImport;
    const struct shape shape =
        debug ? (struct shape){DEBUG_ENTRY_DEBUG, 2, 5} : shape_of(walker->opcode);
    if (walker->opcode == SpvOpMemoryModel && walker->length > 1)
        reader->narrow = spv_walker_operand(walker, 1) == SpvAddressingModelPhysical32;
    if (shape.kind == DEBUG_ENTRY_NONE || walker->length < shape.first)
        return;
    struct debug_entry *entry = define(reader, spv_walker_operand(walker, shape.result));
    if (entry == NULL)
        return;
    *entry = (struct debug_entry){.word = (uint32_t)walker->start + shape.first,
                                  .count = (uint16_t)(walker->length - shape.first),
                                  .kind = (uint8_t)shape.kind,
                                  .set = (uint8_t)set};
    if (!debug)
        return;
    const uint32_t number = spv_walker_operand(walker, 4);
    entry->number = number > UINT16_MAX ? UINT16_MAX : (uint16_t)number;
    reader->instructions[reader->instruction_count++] = entry;
}

/* How many debugging instructions there are; 0 also where the module cannot be read. */
static uint32_t count_instructions(struct debug_reader *reader)
{
    struct spv_walker *walker = &reader->module;
    struct debug_imports imports = {0};
    uint32_t count = 0;
    if (walker->word_count == 0 || walker->word_count > UINT32_MAX)
        return 0;
    reader->bound = spv_walker_word(walker, 3);
    if (reader->bound > BOUND_MAX || reader->bound / 64 > walker->word_count)
        return 0;
    while (spv_walker_next(walker))
        count += debug_imports_see(&imports, walker) != DEBUG_SET_NONE;
    const bool whole = walker->at == walker->word_count;
    walker->at = SPV_HEADER_WORDS;
    return whole ? count : 0;
}

void debug_read_words(struct debug_reader *reader)
{
    struct debug_imports imports = {0};
    const uint32_t count = count_instructions(reader);
    if (count == 0) {
        reader->bound = 0;
        return;
    }
    reader->entries = debug_scratch(reader, reader->bound, sizeof *reader->entries);
    reader->instructions = debug_scratch(reader, count, sizeof(struct debug_entry *));
    if (reader->failed)
        return;
    while (spv_walker_next(&reader->module))
        read_entry(reader, debug_imports_see(&imports, &reader->module));
    reader->module.at = SPV_HEADER_WORDS;
}

/* ---- operands ---- */

uint32_t debug_operand(const struct debug_reader *reader, const struct debug_entry *entry,
                       uint32_t index)
{
    return index < entry->count ? spv_walker_word(&reader->module, entry->word + index) : 0;
}

bool debug_constant(const struct debug_reader *reader, uint32_t id, uint64_t *value)
{
    if (id >= reader->bound || reader->entries[id].kind != DEBUG_ENTRY_CONSTANT)
        return false;
    const struct debug_entry *entry = &reader->entries[id];
    if (entry->count == 0 || entry->count > 2)
        return false;
    *value = debug_operand(reader, entry, 0) | (uint64_t)debug_operand(reader, entry, 1) << 32;
    return true;
}

uint32_t debug_number(const struct debug_reader *reader, const struct debug_entry *entry,
                      uint32_t index)
{
    const uint32_t word = debug_operand(reader, entry, index);
    uint64_t value;
    if (entry->set == DEBUG_SET_OPENCL)
        return word;
    return debug_constant(reader, word, &value) && value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* Each is copied once, however often it is named. */
static const char *copy_string(struct debug_reader *reader, struct debug_entry *entry)
{
    if (entry->made == NULL) {
        char *copy = debug_alloc(reader, (uint32_t)entry->count * 4 + 1, 1);
        if (copy == NULL)
            return "";
        copy[read_string(&reader->module, entry->word, entry->count, copy)] = '\0';
        entry->made = copy;
    }
    return entry->made;
}

const char *debug_string(struct debug_reader *reader, const struct debug_entry *entry,
                         uint32_t index)
{
    const uint32_t id = debug_operand(reader, entry, index);
    return id < reader->bound && reader->entries[id].kind == DEBUG_ENTRY_STRING
               ? copy_string(reader, &reader->entries[id])
               : "";
}

struct debug_entry *debug_find(const struct debug_reader *reader, uint32_t id)
{
    return id < reader->bound && reader->entries[id].kind == DEBUG_ENTRY_DEBUG
               ? &reader->entries[id]
               : NULL;
}

struct debug_entry *debug_find_number(const struct debug_reader *reader, uint32_t id,
                                      uint32_t number)
{
    struct debug_entry *entry = debug_find(reader, id);
    return entry != NULL && entry->number == number ? entry : NULL;
}

/* ---- chains ---- */

void debug_cut_parents(struct debug_reader *reader, uint32_t *parents, uint32_t count)
{
    /* Else the length of the chain, from 1. A parent under way is a circle, and "too long". */
    enum { NEW = 0, UNDER_WAY = UINT16_MAX };
    uint16_t *state = debug_scratch(reader, count, sizeof *state);
    uint32_t *path = debug_scratch(reader, count, sizeof *path);
    if (reader->failed)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = 0, at = i;
        while (at != UINT32_MAX && state[at] == NEW) {
            state[at] = UNDER_WAY;
            path[length++] = at;
            at = parents[at];
        }
        while (length > 0) {
            const uint32_t last = path[--length], parent = parents[last];
            const uint16_t above = parent == UINT32_MAX ? 0 : state[parent];
            if (above >= DEBUG_DEPTH_MAX)
                parents[last] = UINT32_MAX;
            state[last] = above >= DEBUG_DEPTH_MAX ? 1 : (uint16_t)(above + 1);
        }
    }
}
