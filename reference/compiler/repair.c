/* The faults of llvm-spirv 15, one by one:
 *
 *   - get_global_id(3) becomes OpCompositeExtract with an index beyond its vector. OpenCL C 3.0,
 *     6.15.1, defines such calls; here they become OpVectorExtractDynamic with a constant index,
 *     which SPIR-V allows and the device answers as OpenCL C wants.
 *   - The functions of blocks that are enqueued are exported, and each is an entry point besides,
 * all by names that another module may give to its own. They are neither: OpEnqueueKernel names
 * them by id.
 *   - The entry point of destructors (repair_destructors.c) is not marked as a Finalizer, not even
 *     where llvm.global_dtors names it, and is exported by a name that other modules have too.
 *   - The address of a variable stands in OpConstantComposite as it is. SPIR-V 1.6: "The
 *     constituents must all be <id>s of non-specialization constant-instruction declarations or an
 *     OpUndef." Here it is cast to its own type first, which is a constant instruction.
 *   - The address of a part of a variable is computed over elements of another type than the
 *     variable's, as if it had been cast (19): OpPtrAccessChain of bytes over an array of numbers.
 *     Here it is cast.
 *   - Constants that are computed of others (OpSpecConstantOp) may stand before them, where SPIR-V
 *     wants what is used declared before. Here each comes when those it is made of are there.
 *   - Additions to halves in memory (repair_halves.c) are OpAtomicIAdd of a half. Here they are
 *     OpAtomicFAddEXT, and the module has the capability for it.
 *   - A reference to global memory, which is at least as large as what it refers to, is said to be
 *     that at most (MaxByteOffset). Here nothing is said of its size.
 *   - Its own helper functions get a linkage decoration with a number that is not a linkage type; a
 *     function without linkage has no such decoration. */
#include "reference/compiler/repairs.h"

#include "reference/compiler/rewrite.h"
#include "reference/spirv/module_private.h"
#include "trace/base/assert.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <string.h>

enum { LINKAGE_TYPE_MAX = 16 };

struct repair {
    struct rewrite module;
    uint32_t *components; /* by id of a vector type: how many; by id of a loaded vector: the same */
    uint32_t uint_type;   /* id of a 32-bit integer type; 0 = none seen */
    uint32_t far_index;   /* id of a constant beyond all vectors; 0 = not needed yet */
    uint32_t finaliser;   /* id of the entry point; 0 = none, or marked by now */
    uint32_t function;    /* id of the one under way */
    uint32_t half_type;   /* id; 0 = none seen */
    bool adds_halves;     /* what that takes is still to be written */
    uint32_t *callees;    /* by id of a function: the last that it calls; 0 = none */
    bool *is_child;       /* by id: of a function that is enqueued */
    uint32_t *variable_types; /* by id of a global variable: its type */
    uint32_t *pointees;       /* by id of a pointer's type: what it leads to */
    uint32_t *computed_types; /* by id of a constant that is computed: its type */
    size_t address_count;     /* what is cast: constituents that are variables, and chains */
    bool *comes;              /* by id: a constant that is still to be written */
    const uint32_t **late;    /* constants that wait for others, in their order */
    size_t late_count, computed_count;
};

/* Words of the last parameter of an instruction with a string: does it say `text`? */
static bool says(const uint32_t *words, size_t count, const char *text)
{
    return count * sizeof(*words) > strlen(text) && strcmp((const char *)words, text) == 0;
}

/* Is the constituent of a constant the address of a variable? */
static bool is_address(const struct repair *repair, uint32_t constituent)
{
    return constituent < repair->module.bound_before && repair->variable_types[constituent] != 0;
}

static bool is_constant(uint32_t opcode)
{
    return (opcode >= SpvOpConstantTrue && opcode <= SpvOpConstantNull) ||
           (opcode >= SpvOpSpecConstantTrue && opcode <= SpvOpSpecConstantOp);
}

/* Does the constant walk over elements that are none of what the pointer leads to? */
static bool is_uncast(const struct repair *repair, const uint32_t *at, uint32_t opcode,
                      uint32_t length)
{
    if (opcode != SpvOpSpecConstantOp || length != 6 || at[1] >= repair->module.bound_before ||
        at[4] >= repair->module.bound_before ||
        (at[3] != SpvOpPtrAccessChain && at[3] != SpvOpInBoundsPtrAccessChain))
        return false;
    const uint32_t variable = repair->variable_types[at[4]];
    const uint32_t type = variable != 0 ? variable : repair->computed_types[at[4]];
    return type < repair->module.bound_before && repair->pointees[type] != 0 &&
           repair->pointees[type] != repair->pointees[at[1]];
}

static bool adds_half(const struct repair *repair, const uint32_t *at, uint32_t opcode)
{
    return opcode == SpvOpAtomicIAdd && repair->half_type != 0 && at[1] == repair->half_type;
}

/* What is known of the module before the functions start. */
static void look(struct repair *repair, const uint32_t *at, uint32_t opcode, uint32_t length)
{
    switch (opcode) {
    case SpvOpTypeInt:
        if (length == 4 && at[2] == 32)
            repair->uint_type = at[1];
        break;
    case SpvOpTypeFloat:
        if (length >= 3 && at[2] == 16)
            repair->half_type = at[1];
        break;
    case SpvOpAtomicIAdd:
        repair->adds_halves |= adds_half(repair, at, opcode);
        break;
    case SpvOpTypeVector:
        if (length == 4 && at[1] < repair->module.bound)
            repair->components[at[1]] = at[3];
        break;
    case SpvOpLoad:
        if (length >= 4 && at[1] < repair->module.bound && at[2] < repair->module.bound)
            repair->components[at[2]] = repair->components[at[1]];
        break;
    case SpvOpEntryPoint:
        if (length > 3 && says(at + 3, length - 3, REPAIR_FINALISER))
            repair->finaliser = at[2];
        break;
    case SpvOpVariable:
        if (length >= 4 && at[2] < repair->module.bound && repair->function == 0)
            repair->variable_types[at[2]] = at[1];
        break;
    case SpvOpConstantComposite:
        for (uint32_t i = 3; i < length; i++)
            repair->address_count += is_address(repair, at[i]);
        break;
    case SpvOpSpecConstantOp:
        repair->computed_count++;
        if (at[2] < repair->module.bound)
            repair->computed_types[at[2]] = at[1];
        repair->address_count += is_uncast(repair, at, opcode, length);
        break;
    case SpvOpTypePointer:
        if (length == 4 && at[1] < repair->module.bound)
            repair->pointees[at[1]] = at[3];
        break;
    case SpvOpFunction:
        repair->function = at[2] < repair->module.bound ? at[2] : 0;
        break;
    case SpvOpFunctionCall:
        repair->callees[repair->function] = at[3];
        break;
    default:
        break;
    }
    if (is_constant(opcode) && length > 2 && at[2] < repair->module.bound)
        repair->comes[at[2]] = true;
    const int operand = spv_child_operand(opcode);
    if (operand >= 0 && (uint32_t)operand + 3 < length && at[operand + 3] < repair->module.bound)
        repair->is_child[at[operand + 3]] = true;
}

/* Does the instruction export a block's function, or start it? */
static bool names_child(const struct repair *repair, const uint32_t *at, uint32_t opcode,
                        uint32_t length)
{
    if (opcode == SpvOpDecorate && length > 4 && at[2] == SpvDecorationLinkageAttributes)
        return at[1] < repair->module.bound && repair->is_child[at[1]];
    if (opcode != SpvOpEntryPoint || length < 4 || at[2] >= repair->module.bound)
        return false;
    const uint32_t callee = repair->callees[at[2]];
    return repair->is_child[at[2]] || (callee < repair->module.bound && repair->is_child[callee]);
}

static bool beyond_vector(const struct repair *repair, const uint32_t *at, uint32_t opcode,
                          uint32_t length)
{
    return opcode == SpvOpCompositeExtract && length == 5 && at[3] < repair->module.bound &&
           repair->components[at[3]] != 0 && at[4] >= repair->components[at[3]];
}

/* After the types and constants: the index that all repaired extracts use. */
static void put_far_index(struct repair *repair)
{
    if (repair->uint_type == 0) {
        repair->uint_type = repair->module.bound++;
        REWRITE_PUT(&repair->module, SpvOpTypeInt, repair->uint_type, 32, 0);
    }
    repair->far_index = repair->module.bound++;
    REWRITE_PUT(&repair->module, SpvOpConstant, repair->uint_type, repair->far_index, UINT32_MAX);
}

static void put_composite(struct repair *repair, const uint32_t *at, uint32_t length)
{
    uint32_t cast = repair->module.bound;
    for (uint32_t i = 3; i < length; i++) {
        if (!is_address(repair, at[i]))
            continue;
        const uint32_t result = repair->module.bound++;
        REWRITE_PUT(&repair->module, SpvOpSpecConstantOp, repair->variable_types[at[i]], result,
                    SpvOpBitcast, at[i]);
    }
    uint32_t *composite = rewrite_copy(&repair->module, at);
    for (uint32_t i = 3; i < length; i++) {
        if (is_address(repair, at[i]))
            composite[i] = cast++;
    }
}

static void put_chain(struct repair *repair, const uint32_t *at)
{
    const uint32_t cast = repair->module.bound++;
    REWRITE_PUT(&repair->module, SpvOpSpecConstantOp, at[1], cast, SpvOpBitcast, at[4]);
    rewrite_copy(&repair->module, at)[4] = cast;
}

/* An extension's name takes as many words as it needs. */
static void put_extension(struct repair *repair, const char *name)
{
    enum { NAME_MAX_WORDS = 16 };
    uint32_t words[NAME_MAX_WORDS] = {0};
    ASSERT(strlen(name) < sizeof(words));
    memcpy(words, name, strlen(name));
    rewrite_put_operands(&repair->module, SpvOpExtension, words,
                         strlen(name) / sizeof(uint32_t) + 1);
}

/* After all capabilities. */
static void put_half_addition(struct repair *repair)
{
    REWRITE_PUT(&repair->module, SpvOpCapability, SpvCapabilityAtomicFloat16AddEXT);
    put_extension(repair, "SPV_EXT_shader_atomic_float_add");
    put_extension(repair, "SPV_EXT_shader_atomic_float16_add");
    repair->adds_halves = false;
}

/* After all entry points. */
static void put_finaliser(struct repair *repair)
{
    REWRITE_PUT(&repair->module, SpvOpExecutionMode, repair->finaliser, SpvExecutionModeFinalizer);
    repair->finaliser = 0;
}

/* Does the instruction stand before the execution modes, or among the entry points? */
static bool is_before_modes(uint32_t opcode)
{
    return opcode == SpvOpCapability || opcode == SpvOpExtension || opcode == SpvOpExtInstImport ||
           opcode == SpvOpMemoryModel || opcode == SpvOpEntryPoint;
}

/* The decoration of what has no linkage. */
static bool is_no_linkage(const uint32_t *at, uint32_t opcode, uint32_t length)
{
    return opcode == SpvOpDecorate && length > 4 && at[2] == SpvDecorationLinkageAttributes &&
           (at[length - 1] > LINKAGE_TYPE_MAX || says(at + 3, length - 3, REPAIR_FINALISER));
}

/* The size of what a reference leads to. */
static bool is_size(const uint32_t *at, uint32_t opcode, uint32_t length)
{
    return opcode == SpvOpDecorate && length > 3 && at[2] == SpvDecorationMaxByteOffset;
}

/* Does the instruction use a constant that is still to come? */
static bool is_early(const struct repair *repair, const uint32_t *at, uint32_t opcode,
                     uint32_t length)
{
    uint32_t first = 3;
    uint32_t end = length;
    if (opcode == SpvOpSpecConstantOp) {
        first = 4;
        if (length > 5 && at[3] == SpvOpCompositeExtract)
            end = 5; /* literals follow */
    } else if (opcode == SpvOpVariable) {
        first = 4;
    } else if (opcode != SpvOpConstantComposite && opcode != SpvOpSpecConstantComposite) {
        return false;
    }
    for (uint32_t i = first; i < end; i++) {
        if (at[i] < repair->module.bound_before && repair->comes[at[i]])
            return true;
    }
    return false;
}

/* One instruction, as it is or repaired. */
static void put_instruction(struct repair *repair, const uint32_t *at)
{
    const uint32_t opcode = at[0] & 0xffff, length = at[0] >> 16;
    if (is_constant(opcode) && at[2] < repair->module.bound_before)
        repair->comes[at[2]] = false;
    if (opcode == SpvOpConstantComposite)
        put_composite(repair, at, length);
    else if (is_uncast(repair, at, opcode, length))
        put_chain(repair, at);
    else if (beyond_vector(repair, at, opcode, length))
        REWRITE_PUT(&repair->module, SpvOpVectorExtractDynamic, at[1], at[2], at[3],
                    repair->far_index);
    else
        *rewrite_copy(&repair->module, at) =
            length << 16 | (adds_half(repair, at, opcode) ? SpvOpAtomicFAddEXT : opcode);
}

/* Those that wait for none any more; `all`: those that wait for what never comes, too. */
static void put_late(struct repair *repair, bool all)
{
    for (size_t i = 0; i < repair->late_count;) {
        const uint32_t *at = repair->late[i];
        if (!all && is_early(repair, at, at[0] & 0xffff, at[0] >> 16)) {
            i++;
            continue;
        }
        repair->late_count--;
        memmove(repair->late + i, repair->late + i + 1,
                (repair->late_count - i) * sizeof(*repair->late));
        put_instruction(repair, at);
        i = all ? i : 0; /* others may have waited for it */
    }
}

/* Is the instruction left out? */
static bool is_dropped(const struct repair *repair, const uint32_t *at, uint32_t opcode,
                       uint32_t length)
{
    return names_child(repair, at, opcode, length) || is_no_linkage(at, opcode, length) ||
           is_size(at, opcode, length);
}

/* Walks the module once; what an instruction becomes is written at once. */
static void write_all(struct repair *repair, bool extracts)
{
    bool in_functions = false;
    for (const uint32_t *at = NULL; (at = rewrite_next(&repair->module, at));) {
        const uint32_t opcode = rewrite_opcode(at), length = rewrite_length(at);
        if (repair->adds_halves && opcode != SpvOpCapability)
            put_half_addition(repair);
        if (repair->finaliser != 0 && !is_before_modes(opcode))
            put_finaliser(repair);
        if (opcode == SpvOpFunction && !in_functions) {
            in_functions = true;
            put_late(repair, true);
            if (extracts)
                put_far_index(repair);
        }
        if (is_dropped(repair, at, opcode, length))
            continue;
        if (!in_functions && repair->computed_count > 0 && is_early(repair, at, opcode, length)) {
            repair->late[repair->late_count++] = at;
            continue;
        }
        put_instruction(repair, at);
        if (repair->late_count > 0 && is_constant(opcode))
            put_late(repair, false);
    }
}

enum status repair_spirv(uint8_t **spirv, size_t *size)
{
    enum { ADDED_WORDS = 40, CAST_WORDS = 5 };
    bool extracts = false;
    struct repair repair = {0};
    struct rewrite *module = &repair.module;
    if (!rewrite_begin(module, *spirv, *size))
        return rewrite_end(module, spirv, size);
    repair.components = rewrite_by_id(module, sizeof(*repair.components));
    repair.callees = rewrite_by_id(module, sizeof(*repair.callees));
    repair.is_child = rewrite_by_id(module, sizeof(*repair.is_child));
    repair.variable_types = rewrite_by_id(module, sizeof(*repair.variable_types));
    repair.pointees = rewrite_by_id(module, sizeof(*repair.pointees));
    repair.computed_types = rewrite_by_id(module, sizeof(*repair.computed_types));
    repair.comes = rewrite_by_id(module, sizeof(*repair.comes));
    /* What may be late has three words or more. */
    repair.late = rewrite_table(module, module->in_count / 3 + 1, sizeof(*repair.late));
    for (const uint32_t *at = NULL; !module->failed && (at = rewrite_next(module, at));) {
        const uint32_t opcode = rewrite_opcode(at), length = rewrite_length(at);
        look(&repair, at, opcode, length);
        extracts |= beyond_vector(&repair, at, opcode, length);
    }
    if (!module->failed &&
        rewrite_make_room(module, ADDED_WORDS + CAST_WORDS * repair.address_count))
        write_all(&repair, extracts);
    return rewrite_end(module, spirv, size);
}
