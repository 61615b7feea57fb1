/* Validation by SPIRV-Tools, and specialisation constants: their defaults are rewritten in the
 * words, so that the rest of the device sees plain constants. (SPIR-V 1.2, 2.9 and OpSpecConstant.)
 */
#include "reference/compiler/validate.h"

#include "reference/spirv/walker.h"
#include "trace/base/alloc.h"

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

bool validate_is_well_formed(const void *bytes, size_t size)
{
    struct spv_walker walker = spv_walker_begin(bytes, size);
    if (walker.word_count == 0 || spv_walker_word(&walker, 1) >> 8 < 0x100 ||
        spv_walker_word(&walker, 1) >> 8 > 0x106)
        return false;
    while (spv_walker_next(&walker))
        ;
    return walker.at == walker.word_count;
}

static bool has_capability(const void *bytes, size_t size, SpvCapability wanted)
{
    struct spv_walker walker = spv_walker_begin(bytes, size);
    while (spv_walker_next(&walker) && walker.opcode == SpvOpCapability) {
        if (walker.length == 2 && spv_walker_operand(&walker, 1) == (uint32_t)wanted)
            return true;
    }
    return false;
}

/* cl_khr_fp16 and cl_khr_int64_base_atomics let a module have these, which SPIRV-Tools' rules of
 * OpenCL do not know. */
static bool has_capability_of_extension(const void *bytes, size_t size)
{
    return has_capability(bytes, size, SpvCapabilityFloat16) ||
           has_capability(bytes, size, SpvCapabilityInt64Atomics);
}

/* The rules to hold the module against: OpenCL's for the versions that SPIRV-Tools has them for (up
 * to 1.2), else those of its version. What OpenCL forbids beyond them, the device refuses. */
static spv_target_env environment(const void *bytes, size_t size)
{
    static const spv_target_env universal[] = {
        SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
        SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6};
    const struct spv_walker walker = spv_walker_begin(bytes, size);
    const uint32_t minor = spv_walker_word(&walker, 1) >> 8 & 0xff;
    if (minor < 3 && !has_capability_of_extension(bytes, size))
        return SPV_ENV_OPENCL_2_2;
    return universal[minor < 7 ? minor : 6];
}

static void put_word(uint8_t *bytes, size_t index, uint32_t word, bool swapped)
{
    const uint32_t stored = swapped ? __builtin_bswap32(word) : word;
    memcpy(bytes + index * sizeof(stored), &stored, sizeof(stored));
}

/* SPIRV-Tools refuses OpConstantPipeStorage outside of functions, where alone it may stand. So the
 * validator gets an empty structure for that type, and its OpConstantNull. `copy` has room for the
 * module; gives the words of it that are left. */
static size_t copy_without_pipe_storage(const void *bytes, size_t size, uint8_t *copy)
{
    enum { WORD = sizeof(uint32_t), NULL_WORDS = 3 };
    struct spv_walker walker = spv_walker_begin(bytes, size);
    size_t count = SPV_HEADER_WORDS;
    memcpy(copy, bytes, count * WORD);
    while (spv_walker_next(&walker)) {
        const bool is_constant = walker.opcode == SpvOpConstantPipeStorage && walker.length == 6;
        memcpy(copy + count * WORD, walker.bytes + walker.start * WORD, walker.length * WORD);
        if (is_constant)
            put_word(copy, count, NULL_WORDS << 16 | SpvOpConstantNull, walker.swapped);
        else if (walker.opcode == SpvOpTypePipeStorage)
            put_word(copy, count, walker.length << 16 | SpvOpTypeStruct, walker.swapped);
        count += is_constant ? NULL_WORDS : walker.length;
    }
    const size_t rest = walker.word_count - walker.at; /* nonsense */
    memcpy(copy + count * WORD, walker.bytes + walker.at * WORD, rest * WORD);
    return count + rest;
}

enum status validate_spirv(const void *bytes, size_t size, struct text *log)
{
    if (!spv_walker_is_spirv(bytes, size)) {
        text_append(log, "error: this is not SPIR-V\n");
        return STATUS_MALFORMED;
    }
    spv_context context = spvContextCreate(environment(bytes, size));
    uint32_t *words = alloc(size); /* `bytes` need not be aligned */
    spv_diagnostic diagnostic = NULL;
    enum status status = STATUS_NO_MEMORY;
    if (context && words) {
        size_t count = size / sizeof(*words);
        if (has_capability(bytes, size, SpvCapabilityPipeStorage))
            count = copy_without_pipe_storage(bytes, size, (uint8_t *)words);
        else
            memcpy(words, bytes, size);
        spv_const_binary_t binary = {words, count};
        status = spvValidate(context, &binary, &diagnostic) == SPV_SUCCESS ? STATUS_OK
                                                                           : STATUS_MALFORMED;
        if (diagnostic)
            text_format(log, "%s: SPIR-V, instruction %zu: %s\n",
                        status == STATUS_OK ? "note" : "error", diagnostic->position.index,
                        diagnostic->error);
    } else {
        text_append(log, "error: out of memory\n");
    }
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    alloc_free(words);
    return status;
}

/* ---- reading ---- */

struct reading {
    const struct validate_reader *reader;
    uint32_t bound;
    uint8_t is_id[UINT16_MAX + 1]; /* an instruction's words are counted in 16 bits */
};

static spv_result_t read_header(void *user, spv_endianness_t endian, uint32_t magic,
                                uint32_t version, uint32_t generator, uint32_t id_bound,
                                uint32_t schema)
{
    (void)endian;
    (void)magic;
    (void)generator;
    (void)schema;
    struct reading *reading = user;
    reading->bound = id_bound;
    return reading->reader->header(reading->reader->user, version, id_bound)
               ? SPV_SUCCESS
               : SPV_REQUESTED_TERMINATION;
}

static bool is_id(spv_operand_type_t type)
{
    return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_TYPE_ID ||
           type == SPV_OPERAND_TYPE_RESULT_ID || type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
           type == SPV_OPERAND_TYPE_SCOPE_ID;
}

static spv_result_t read_instruction(void *user, const spv_parsed_instruction_t *parsed)
{
    struct reading *reading = user;
    const struct validate_instruction instruction = {.words = parsed->words,
                                                     .is_id = reading->is_id,
                                                     .word_count = parsed->num_words,
                                                     .opcode = parsed->opcode,
                                                     .result = parsed->result_id};
    memset(reading->is_id, 0, parsed->num_words);
    for (uint32_t i = 0; i < parsed->num_operands; i++) {
        const spv_parsed_operand_t *operand = &parsed->operands[i];
        reading->is_id[operand->offset] = is_id(operand->type);
        if (is_id(operand->type) && parsed->words[operand->offset] >= reading->bound)
            return SPV_ERROR_INVALID_ID;
    }
    return reading->reader->instruction(reading->reader->user, &instruction)
               ? SPV_SUCCESS
               : SPV_REQUESTED_TERMINATION;
}

enum status validate_read(const void *bytes, size_t size, const struct validate_reader *reader,
                          struct text *log)
{
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    struct reading *reading = alloc_zero(1, sizeof(*reading));
    spv_diagnostic diagnostic = NULL;
    spv_result_t result = SPV_ERROR_OUT_OF_MEMORY;
    if (context && reading) {
        reading->reader = reader;
        result = spvBinaryParse(context, reading, bytes, size / sizeof(uint32_t), read_header,
                                read_instruction, &diagnostic);
    }
    const bool no_memory = result == SPV_ERROR_OUT_OF_MEMORY || result == SPV_REQUESTED_TERMINATION;
    if (result != SPV_SUCCESS)
        text_format(log, "error: %s\n",
                    no_memory    ? "out of memory"
                    : diagnostic ? diagnostic->error
                                 : "SPIR-V with an id that is beyond its bound");
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    alloc_free(reading);
    if (result == SPV_SUCCESS)
        return STATUS_OK;
    return no_memory ? STATUS_NO_MEMORY : STATUS_MALFORMED;
}

uint8_t *validate_assemble(const char *assembly, size_t *size)
{
    spv_context context = spvContextCreate(SPV_ENV_OPENCL_2_1);
    spv_binary binary = NULL;
    uint8_t *bytes = NULL;
    if (context &&
        spvTextToBinary(context, assembly, strlen(assembly), &binary, NULL) == SPV_SUCCESS) {
        *size = binary->wordCount * sizeof(*binary->code);
        bytes = alloc(*size);
        if (bytes)
            memcpy(bytes, binary->code, *size);
    }
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return bytes;
}

/* The id that carries `SpecId spec_id`, after `after`; 0 = none. One SpecId may decorate several
 * ids. */
static uint32_t find_decorated(const void *bytes, size_t size, uint32_t spec_id, size_t *after)
{
    struct spv_walker walker = spv_walker_begin(bytes, size);
    if (*after > walker.at)
        walker.at = *after;
    while (spv_walker_next(&walker)) {
        if (walker.opcode == SpvOpDecorate && walker.length == 4 &&
            spv_walker_operand(&walker, 2) == SpvDecorationSpecId &&
            spv_walker_operand(&walker, 3) == spec_id) {
            *after = walker.at;
            return spv_walker_operand(&walker, 1);
        }
    }
    return 0;
}

bool validate_has_spec_constants(const void *bytes, size_t size)
{
    struct spv_walker walker = spv_walker_begin(bytes, size);
    bool has = false;
    while (!has && spv_walker_next(&walker))
        has = walker.opcode == SpvOpDecorate && walker.length == 4 &&
              spv_walker_operand(&walker, 2) == SpvDecorationSpecId;
    return has;
}

/* Bytes of an integer or floating-point type; 0 for any other. */
static size_t type_size(const void *bytes, size_t size, uint32_t type)
{
    struct spv_walker walker = spv_walker_begin(bytes, size);
    while (spv_walker_next(&walker)) {
        if ((walker.opcode == SpvOpTypeInt || walker.opcode == SpvOpTypeFloat) &&
            walker.length >= 3 && spv_walker_operand(&walker, 1) == type) {
            const uint32_t width = spv_walker_operand(&walker, 2) / 8;
            return width <= 8 ? width : 0;
        }
    }
    return 0;
}

/* Goes to the OpSpecConstant* with this result; false = there is none. */
static bool find_constant(struct spv_walker *walker, uint32_t id)
{
    while (spv_walker_next(walker)) {
        const bool boolean =
            walker->opcode == SpvOpSpecConstantTrue || walker->opcode == SpvOpSpecConstantFalse;
        if (((boolean && walker->length == 3) ||
             (walker->opcode == SpvOpSpecConstant && walker->length >= 4)) &&
            spv_walker_operand(walker, 2) == id)
            return true;
    }
    return false;
}

size_t validate_spec_constant_size(const void *bytes, size_t size, uint32_t spec_id)
{
    size_t after = 0;
    const uint32_t id = find_decorated(bytes, size, spec_id, &after);
    struct spv_walker walker = spv_walker_begin(bytes, size);
    if (id == 0 || !find_constant(&walker, id))
        return 0;
    return walker.opcode == SpvOpSpecConstant
               ? type_size(bytes, size, spv_walker_operand(&walker, 1))
               : 1;
}

static void set_constant(uint8_t *bytes, size_t size, uint32_t id,
                         const struct spec_constant *value)
{
    struct spv_walker walker = spv_walker_begin(bytes, size);
    if (!find_constant(&walker, id))
        return;
    const size_t start = walker.start;
    if (walker.opcode != SpvOpSpecConstant) {
        const uint32_t made = value->bytes[0] ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse;
        put_word(bytes, start, walker.length << 16 | made, walker.swapped);
        return;
    }
    /* "Types 32 bits wide or smaller take one word ... low-order bits first"; narrow ones were
     * stored zero-extended by the caller, and sign bits above the width are ignored. */
    uint32_t words[2];
    memcpy(words, value->bytes, sizeof(words));
    put_word(bytes, start + 3, words[0], walker.swapped);
    if (walker.length > 4)
        put_word(bytes, start + 4, words[1], walker.swapped);
}

uint8_t *validate_specialise(const void *bytes, size_t size, const struct spec_constant *constants,
                             size_t count)
{
    uint8_t *copy = alloc(size);
    if (!copy)
        return NULL;
    memcpy(copy, bytes, size);
    for (size_t i = 0; i < count; i++) {
        size_t after = 0;
        uint32_t id;
        while ((id = find_decorated(copy, size, constants[i].id, &after)) != 0)
            set_constant(copy, size, id, &constants[i]);
    }
    return copy;
}
