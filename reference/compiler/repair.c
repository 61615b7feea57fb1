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
 *   - Its own helper functions get a linkage decoration with a number that is no linkage type; a
 *     function without linkage has no such decoration. */
#include "reference/compiler/repairs.h"

#include "reference/spirv/module_private.h"
#include "trace/base/alloc.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <string.h>

enum { HEADER_WORDS = 5, BOUND = 3, BOUND_MAX = 4194303, LINKAGE_TYPE_MAX = 16 };

struct words {
    uint32_t *words;
    size_t count;
};

struct repair {
    const uint32_t *in;
    size_t in_count;
    struct words out;
    uint32_t bound, bound_before;
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

static void put(struct repair *repair, const uint32_t *words, size_t count)
{
    memcpy(repair->out.words + repair->out.count, words, count * sizeof(*words));
    repair->out.count += count;
}

/* Words of the last parameter of an instruction with a string: does it say `text`? */
static bool says(const uint32_t *words, size_t count, const char *text)
{
    return count * sizeof(*words) > strlen(text) && strcmp((const char *)words, text) == 0;
}

/* Is the constituent of a constant the address of a variable? */
static bool is_address(const struct repair *repair, uint32_t constituent)
{
    return constituent < repair->bound_before && repair->variable_types[constituent] != 0;
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
    if (opcode != SpvOpSpecConstantOp || length != 6 || at[1] >= repair->bound_before ||
        at[4] >= repair->bound_before ||
        (at[3] != SpvOpPtrAccessChain && at[3] != SpvOpInBoundsPtrAccessChain))
        return false;
    const uint32_t variable = repair->variable_types[at[4]];
    const uint32_t type = variable != 0 ? variable : repair->computed_types[at[4]];
    return type < repair->bound_before && repair->pointees[type] != 0 &&
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
        if (length == 4 && at[1] < repair->bound)
            repair->components[at[1]] = at[3];
        break;
    case SpvOpLoad:
        if (length >= 4 && at[1] < repair->bound && at[2] < repair->bound)
            repair->components[at[2]] = repair->components[at[1]];
        break;
    case SpvOpEntryPoint:
        if (length > 3 && says(at + 3, length - 3, REPAIR_FINALISER))
            repair->finaliser = at[2];
        break;
    case SpvOpVariable:
        if (length >= 4 && at[2] < repair->bound && repair->function == 0)
            repair->variable_types[at[2]] = at[1];
        break;
    case SpvOpConstantComposite:
        for (uint32_t i = 3; i < length; i++)
            repair->address_count += is_address(repair, at[i]);
        break;
    case SpvOpSpecConstantOp:
        repair->computed_count++;
        if (at[2] < repair->bound)
            repair->computed_types[at[2]] = at[1];
        repair->address_count += is_uncast(repair, at, opcode, length);
        break;
    case SpvOpTypePointer:
        if (length == 4 && at[1] < repair->bound)
            repair->pointees[at[1]] = at[3];
        break;
    case SpvOpFunction:
        repair->function = at[2] < repair->bound ? at[2] : 0;
        break;
    case SpvOpFunctionCall:
        repair->callees[repair->function] = at[3];
        break;
    default:
        break;
    }
    if (is_constant(opcode) && length > 2 && at[2] < repair->bound)
        repair->comes[at[2]] = true;
    const int operand = spv_child_operand(opcode);
    if (operand >= 0 && (uint32_t)operand + 3 < length && at[operand + 3] < repair->bound)
        repair->is_child[at[operand + 3]] = true;
}

/* Does the instruction export a block's function, or start it? */
static bool names_child(const struct repair *repair, const uint32_t *at, uint32_t opcode,
                        uint32_t length)
{
    if (opcode == SpvOpDecorate && length > 4 && at[2] == SpvDecorationLinkageAttributes)
        return at[1] < repair->bound && repair->is_child[at[1]];
    if (opcode != SpvOpEntryPoint || length < 4 || at[2] >= repair->bound)
        return false;
    const uint32_t callee = repair->callees[at[2]];
    return repair->is_child[at[2]] || (callee < repair->bound && repair->is_child[callee]);
}

static bool beyond_vector(const struct repair *repair, const uint32_t *at, uint32_t opcode,
                          uint32_t length)
{
    return opcode == SpvOpCompositeExtract && length == 5 && at[3] < repair->bound &&
           repair->components[at[3]] != 0 && at[4] >= repair->components[at[3]];
}

/* Behind the types and constants: the index that all repaired extracts use. */
static void put_far_index(struct repair *repair)
{
    if (repair->uint_type == 0) {
        repair->uint_type = repair->bound++;
        put(repair, (const uint32_t[]){4u << 16 | SpvOpTypeInt, repair->uint_type, 32, 0}, 4);
    }
    repair->far_index = repair->bound++;
    put(repair,
        (const uint32_t[]){4u << 16 | SpvOpConstant, repair->uint_type, repair->far_index,
                           UINT32_MAX},
        4);
}

static void put_composite(struct repair *repair, const uint32_t *at, uint32_t length)
{
    uint32_t cast = repair->bound;
    for (uint32_t i = 3; i < length; i++) {
        if (is_address(repair, at[i]))
            put(repair,
                (const uint32_t[]){5u << 16 | SpvOpSpecConstantOp, repair->variable_types[at[i]],
                                   repair->bound++, SpvOpBitcast, at[i]},
                5);
    }
    uint32_t *composite = repair->out.words + repair->out.count;
    put(repair, at, length);
    for (uint32_t i = 3; i < length; i++) {
        if (is_address(repair, at[i]))
            composite[i] = cast++;
    }
}

static void put_chain(struct repair *repair, const uint32_t *at, uint32_t length)
{
    const uint32_t cast = repair->bound++;
    put(repair,
        (const uint32_t[]){5u << 16 | SpvOpSpecConstantOp, at[1], cast, SpvOpBitcast, at[4]}, 5);
    put(repair, at, length);
    repair->out.words[repair->out.count - length + 4] = cast;
}

/* An extension's name takes as many words as it needs. */
static void put_extension(struct repair *repair, const char *name)
{
    const size_t count = strlen(name) / sizeof(uint32_t) + 1;
    uint32_t *at = repair->out.words + repair->out.count;
    memset(at, 0, (1 + count) * sizeof(*at));
    at[0] = (uint32_t)(1 + count) << 16 | SpvOpExtension;
    memcpy(at + 1, name, strlen(name));
    repair->out.count += 1 + count;
}

/* Behind all capabilities. */
static void put_half_addition(struct repair *repair)
{
    put(repair, (const uint32_t[]){2u << 16 | SpvOpCapability, SpvCapabilityAtomicFloat16AddEXT},
        2);
    put_extension(repair, "SPV_EXT_shader_atomic_float_add");
    put_extension(repair, "SPV_EXT_shader_atomic_float16_add");
    repair->adds_halves = false;
}

/* Behind all entry points. */
static void put_finaliser(struct repair *repair)
{
    put(repair,
        (const uint32_t[]){3u << 16 | SpvOpExecutionMode, repair->finaliser,
                           SpvExecutionModeFinalizer},
        3);
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
        if (at[i] < repair->bound_before && repair->comes[at[i]])
            return true;
    }
    return false;
}

/* One instruction, as it is or repaired. */
static void put_instruction(struct repair *repair, const uint32_t *at)
{
    const uint32_t opcode = at[0] & 0xffff, length = at[0] >> 16;
    if (is_constant(opcode) && at[2] < repair->bound_before)
        repair->comes[at[2]] = false;
    if (opcode == SpvOpConstantComposite)
        put_composite(repair, at, length);
    else if (is_uncast(repair, at, opcode, length))
        put_chain(repair, at, length);
    else if (beyond_vector(repair, at, opcode, length))
        put(repair,
            (const uint32_t[]){5u << 16 | SpvOpVectorExtractDynamic, at[1], at[2], at[3],
                               repair->far_index},
            5);
    else
        put(repair, at, length);
    if (adds_half(repair, at, opcode))
        repair->out.words[repair->out.count - length] = length << 16 | SpvOpAtomicFAddEXT;
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
    return names_child(repair, at, opcode, length) || is_no_linkage(at, opcode, length);
}

/* Walks the module once; what an instruction becomes is written at once. */
static void rewrite(struct repair *repair, bool extracts)
{
    put(repair, repair->in, HEADER_WORDS);
    bool in_functions = false;
    for (size_t i = HEADER_WORDS; i < repair->in_count;) {
        const uint32_t *at = repair->in + i;
        const uint32_t opcode = at[0] & 0xffff, length = at[0] >> 16;
        i += length;
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
    repair->out.words[BOUND] = repair->bound;
}

/* What there is to repair; false where the module is not one. */
static bool survey(struct repair *repair, bool *extracts)
{
    *extracts = false;
    for (size_t i = HEADER_WORDS; i < repair->in_count;) {
        const uint32_t *at = repair->in + i;
        const uint32_t opcode = at[0] & 0xffff, length = at[0] >> 16;
        if (length == 0 || length > repair->in_count - i)
            return false;
        look(repair, at, opcode, length);
        *extracts = *extracts || beyond_vector(repair, at, opcode, length);
        i += length;
    }
    return true;
}

enum status repair_spirv(uint8_t **spirv, size_t *size)
{
    enum { ADDED_WORDS = 40, CAST_WORDS = 5 };
    bool extracts;
    struct repair repair = {.in_count = *size / sizeof(uint32_t)};
    uint32_t *in = alloc(*size);
    enum status status = STATUS_NO_MEMORY;
    if (!in)
        goto out;
    memcpy(in, *spirv, *size); /* which need not be aligned */
    repair.in = in;
    status = STATUS_OK;
    if (repair.in_count < HEADER_WORDS || in[0] != SpvMagicNumber || in[BOUND] > BOUND_MAX)
        goto out;
    status = STATUS_NO_MEMORY;
    repair.bound = repair.bound_before = in[BOUND];
    repair.components = alloc_zero(repair.bound + 1, sizeof(*repair.components));
    repair.callees = alloc_zero(repair.bound + 1, sizeof(*repair.callees));
    repair.is_child = alloc_zero(repair.bound + 1, sizeof(*repair.is_child));
    repair.variable_types = alloc_zero(repair.bound + 1, sizeof(*repair.variable_types));
    repair.pointees = alloc_zero(repair.bound + 1, sizeof(*repair.pointees));
    repair.computed_types = alloc_zero(repair.bound + 1, sizeof(*repair.computed_types));
    repair.comes = alloc_zero(repair.bound + 1, sizeof(*repair.comes));
    /* What may be late has three words or more. */
    repair.late = alloc_zero(repair.in_count / 3 + 1, sizeof(*repair.late));
    if (!repair.components || !repair.callees || !repair.is_child || !repair.variable_types ||
        !repair.pointees || !repair.computed_types || !repair.comes || !repair.late)
        goto out;
    status = STATUS_OK;
    if (!survey(&repair, &extracts))
        goto out;
    const size_t added = ADDED_WORDS + CAST_WORDS * repair.address_count;
    repair.out.words = alloc((repair.in_count + added) * sizeof(uint32_t));
    if (!repair.out.words) {
        status = STATUS_NO_MEMORY;
        goto out;
    }
    rewrite(&repair, extracts);
    alloc_free(*spirv);
    *spirv = (uint8_t *)repair.out.words;
    *size = repair.out.count * sizeof(uint32_t);
    repair.out.words = NULL;
out:
    alloc_free(in);
    alloc_free(repair.components);
    alloc_free(repair.callees);
    alloc_free(repair.is_child);
    alloc_free(repair.variable_types);
    alloc_free(repair.pointees);
    alloc_free(repair.computed_types);
    alloc_free(repair.comes);
    alloc_free(repair.late);
    alloc_free(repair.out.words);
    return status;
}
