/* clang 15 copies a part of an initialiser that is constant, in one that is not, from a variable:
 *
 *     @constinit = private global [5 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5]
 *
 * LLVM's address space 0, where it lies, is private memory, so llvm-spirv writes
 *
 *     %constinit = OpVariable %_ptr_Function_array Function %init
 *     %from = OpBitcast %_ptr_Function_uchar %constinit
 *     OpCopyMemorySized %to %from %size
 *
 * SPIR-V 1.6, 2.16.1: a variable of the storage class Function stands in a function. Here those of
 * a module that are only read become constants: they, and the pointers made of them, get the
 * storage class UniformConstant. Where one is put to another use, the module stays as it is. */
#include "reference/compiler/repairs.h"

#include "reference/compiler/rewrite.h"
#include "reference/spirv/debug_info.h"
#include "reference/spirv/grammar.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <string.h>

enum { POINTER_WORDS = 4 };

struct repair {
    struct rewrite module;
    uint32_t *elements;     /* by id of a type that points to private memory: what it points to */
    uint32_t *replacements; /* by such an id: that of the type that takes its place; 0 = none */
    bool *moved;            /* by id: a variable to move, or a pointer made of one */
    bool changed, refused;
};

static bool is_moved(const struct repair *repair, uint32_t id)
{
    return id < repair->module.bound_before && repair->moved[id];
}

/* Pointers of this type move: it needs another one. */
static void move(struct repair *repair, uint32_t id, uint32_t type)
{
    if (id >= repair->module.bound_before || type >= repair->module.bound_before ||
        repair->elements[type] == 0) {
        repair->refused = true;
        return;
    }
    if (repair->moved[id])
        return;
    repair->moved[id] = repair->changed = true;
    if (repair->replacements[type] == 0)
        repair->replacements[type] = repair->module.bound++;
}

/* The word that the pointer is made of, or read by; 0 = the instruction is none of these. */
static uint32_t source_word(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpBitcast:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpLoad:
        return 3;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        return 2;
    default:
        return 0;
    }
}

static bool makes_pointer(uint32_t opcode)
{
    return source_word(opcode) == 3 && opcode != SpvOpLoad;
}

static void find_moved(struct repair *repair, const uint32_t *at, uint32_t opcode, uint32_t length,
                       bool in_function)
{
    if (opcode == SpvOpTypePointer && length == POINTER_WORDS &&
        at[1] < repair->module.bound_before && at[2] == SpvStorageClassFunction)
        repair->elements[at[1]] = at[3];
    else if (opcode == SpvOpVariable && length == 5 && !in_function &&
             at[3] == SpvStorageClassFunction)
        move(repair, at[2], at[1]);
    else if (makes_pointer(opcode) && length > 3 && is_moved(repair, at[3]))
        move(repair, at[2], at[1]);
}

/* Is a pointer that moves used otherwise than to read? */
static void find_refused(struct repair *repair, const uint32_t *at, uint32_t opcode,
                         uint32_t length)
{
    struct spv_grammar grammar;
    if (opcode == SpvOpEntryPoint || opcode == SpvOpName || opcode == SpvOpDecorate ||
        opcode == SpvOpGroupDecorate)
        return;
    if (!spv_grammar_find(opcode, &grammar)) {
        repair->refused = true;
        return;
    }
    const char *letter = grammar.pattern;
    for (uint32_t i = 1; i < length && *letter != '\0' && strchr("tril", *letter); i++) {
        if (*letter == 'i' && i != source_word(opcode) && is_moved(repair, at[i]))
            repair->refused = true;
        if (letter[1] == '*')
            continue;
        letter += letter[1] == '?' ? 2 : 1;
    }
    /* Pairs, of which one is an id. */
    for (uint32_t i = 3; opcode == SpvOpPhi && i < length; i++)
        repair->refused |= is_moved(repair, at[i]);
}

/* Debugging instructions, whose operands may be anything, make no use of a pointer. */
static bool is_debugging(struct debug_imports *imports, const uint32_t *at)
{
    const struct spv_walker walker = {.bytes = (const uint8_t *)at,
                                      .word_count = rewrite_length(at),
                                      .opcode = rewrite_opcode(at),
                                      .length = rewrite_length(at)};
    return debug_imports_see(imports, &walker) != DEBUG_SET_NONE;
}

/* Shows every instruction to `find_moved` or `find_refused`. */
static void survey(struct repair *repair, bool uses)
{
    struct debug_imports imports = {0};
    bool in_function = false;
    for (const uint32_t *at = NULL; (at = rewrite_next(&repair->module, at));) {
        const uint32_t opcode = rewrite_opcode(at), length = rewrite_length(at);
        if (is_debugging(&imports, at))
            continue;
        in_function |= opcode == SpvOpFunction;
        if (uses)
            find_refused(repair, at, opcode, length);
        else
            find_moved(repair, at, opcode, length, in_function);
    }
}

/* The type that takes the place of the one that the instruction makes; 0 = none. */
static uint32_t replacement_of(const struct repair *repair, const uint32_t *at)
{
    return rewrite_opcode(at) == SpvOpTypePointer && rewrite_length(at) == POINTER_WORDS &&
                   at[1] < repair->module.bound_before
               ? repair->replacements[at[1]]
               : 0;
}

/* Words of the replacements: no more than the types, unless one is made twice. */
static size_t count_added(const struct repair *repair)
{
    size_t count = 0;
    for (const uint32_t *at = NULL; (at = rewrite_next(&repair->module, at));)
        count += replacement_of(repair, at) != 0;
    return count * POINTER_WORDS;
}

static void change_type(const struct repair *repair, const uint32_t *at, uint32_t *made)
{
    const uint32_t opcode = rewrite_opcode(at);
    if ((opcode != SpvOpVariable && !makes_pointer(opcode)) || rewrite_length(at) <= 3 ||
        !is_moved(repair, at[2]) || at[1] >= repair->module.bound_before)
        return;
    made[1] = repair->replacements[at[1]];
    made[3] = opcode == SpvOpVariable ? SpvStorageClassUniformConstant : at[3];
}

/* A replacement comes directly after the type whose place it takes, so before all that use it. */
static void write_all(struct repair *repair)
{
    struct rewrite *module = &repair->module;
    for (const uint32_t *at = NULL; (at = rewrite_next(module, at));) {
        const uint32_t replacement = replacement_of(repair, at);
        change_type(repair, at, rewrite_copy(module, at));
        if (replacement != 0)
            REWRITE_PUT(module, SpvOpTypePointer, replacement, SpvStorageClassUniformConstant,
                        at[3]);
    }
}

/* False where there is nothing to do. */
static bool look(struct repair *repair)
{
    do {
        repair->changed = false;
        survey(repair, false);
    } while (repair->changed && !repair->refused);
    survey(repair, true);
    return repair->module.bound > repair->module.bound_before && !repair->refused;
}

enum status repair_private(uint8_t **spirv, size_t *size)
{
    struct repair repair = {0};
    struct rewrite *module = &repair.module;
    if (!rewrite_begin(module, *spirv, *size))
        return rewrite_end(module, spirv, size);
    repair.elements = rewrite_by_id(module, sizeof(*repair.elements));
    repair.replacements = rewrite_by_id(module, sizeof(*repair.replacements));
    repair.moved = rewrite_by_id(module, sizeof(*repair.moved));
    if (!module->failed && look(&repair) && rewrite_make_room(module, count_added(&repair)))
        write_all(&repair);
    return rewrite_end(module, spirv, size);
}
