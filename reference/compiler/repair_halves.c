/* llvm-spirv 15 ends with an assertion at additions to an atomic_half, and later ones want an
 * option that it does not know. Here such a call
 *
 *     %17 = call spir_func half @_Z25atomic_fetch_sub_explicitPU3AS1VU7_AtomicDhDh...(
 *         half addrspace(1)* noundef %15, half noundef %16, i32 noundef 0, i32 noundef 1)
 *
 * becomes one of a function that any of them takes for an instruction, of integers:
 *
 *     %clerk.0.minus = fneg half %16
 *     %17 = call spir_func half @_Z18__spirv_AtomicIAddPU3AS1VU7_AtomicDhiiDh(
 *         half addrspace(1)* noundef %15, i32 2, i32 0, half %clerk.0.minus)
 *
 * OpAtomicIAdd of a half says what it means all the same; repair.c writes OpAtomicFAddEXT there. */
#include "reference/compiler/repairs.h"

#include "reference/compiler/ir_text.h"

#include <spirv/unified1/spirv.h>
#include <stdlib.h>

enum { ARGUMENT_MAX = 4, SPACE_MAX = 8 };

static const struct addition {
    const char *name;
    bool subtracts;
} additions[] = {
    {"@_Z16atomic_fetch_add", false},
    {"@_Z25atomic_fetch_add_explicit", false},
    {"@_Z16atomic_fetch_sub", true},
    {"@_Z25atomic_fetch_sub_explicit", true},
};

struct call {
    bool subtracts;
    struct ir_piece before;                  /* "  %17 = call spir_func half " */
    struct ir_piece pointer;                 /* its type, mangled: "PU3AS1VU7_AtomicDh" */
    struct ir_piece arguments[ARGUMENT_MAX]; /* with their types */
    size_t argument_count;
    struct ir_piece behind; /* " #3, !dbg !9" */
    unsigned scope, semantics;
};

static bool take_arguments(struct ir_piece list, struct call *call)
{
    struct ir_piece argument;
    while (ir_next_part(&list, &argument)) {
        if (call->argument_count == ARGUMENT_MAX)
            return false;
        call->arguments[call->argument_count++] = argument;
    }
    return call->argument_count >= 2;
}

/* The number of an argument, as one of `count`; false where it is computed. */
static bool take_number(struct ir_piece argument, size_t count, unsigned long *number)
{
    const struct ir_piece value = ir_value(argument);
    char *end;
    *number = strtoul(value.at, &end, 10);
    return end == value.at + value.size && *number < count;
}

/* Order and scope, which are memory_order_seq_cst and memory_scope_device where none are given.
 * (OpenCL C 3.0, 6.15.12.4 and 6.15.12.7) */
static bool find_order(struct call *call)
{
    static const unsigned semantics[] = {
        SpvMemorySemanticsMaskNone,
        SpvMemorySemanticsAcquireMask, /* memory_order_consume, which OpenCL C has not */
        SpvMemorySemanticsAcquireMask,
        SpvMemorySemanticsReleaseMask,
        SpvMemorySemanticsAcquireReleaseMask,
        SpvMemorySemanticsSequentiallyConsistentMask,
    };
    static const unsigned scopes[] = {SpvScopeInvocation, SpvScopeWorkgroup, SpvScopeDevice,
                                      SpvScopeCrossDevice, SpvScopeSubgroup};
    unsigned long order = sizeof(semantics) / sizeof(semantics[0]) - 1;
    unsigned long scope = 2;
    if (call->argument_count > 2 &&
        !take_number(call->arguments[2], sizeof(semantics) / sizeof(semantics[0]), &order))
        return false;
    if (call->argument_count > 3 &&
        !take_number(call->arguments[3], sizeof(scopes) / sizeof(scopes[0]), &scope))
        return false;
    call->semantics = semantics[order];
    call->scope = scopes[scope];
    return true;
}

/* Does the line call such a function? */
static bool find_call(struct ir_piece line, struct call *call)
{
    static const char half_pointer[] = "VU7_AtomicDh";
    const char *const end = line.at + line.size;
    *call = (struct call){0};
    if (!ir_find(line, "call spir_func ") || !ir_find(line, "half @_Z"))
        return false;
    for (size_t i = 0; i < sizeof(additions) / sizeof(additions[0]); i++) {
        const char *name = ir_find(line, additions[i].name);
        if (!name)
            continue;
        const char *pointer = name + strlen(additions[i].name);
        if (*pointer != 'P') /* a longer name */
            continue;
        const struct ir_piece rest = ir_rest(line, pointer);
        const char *half = ir_find(rest, half_pointer);
        const char *open = memchr(pointer, '(', rest.size);
        if (!half || !open || half > open)
            return false;
        const struct ir_piece list = ir_parenthesised(ir_rest(line, open));
        const char *behind = list.at + list.size + 1;
        if (behind > end || !take_arguments(list, call))
            return false;
        call->subtracts = additions[i].subtracts;
        call->before = (struct ir_piece){.at = line.at, .size = (size_t)(name - line.at)};
        call->pointer = (struct ir_piece){
            .at = pointer, .size = (size_t)(half - pointer) + sizeof(half_pointer) - 1};
        call->behind = ir_rest(line, behind);
        return find_order(call);
    }
    return false;
}

static void append_name(struct text *text, struct ir_piece pointer)
{
    text_format(text, "@_Z18__spirv_AtomicIAdd%.*siiDh(", (int)pointer.size, pointer.at);
}

static void append_call(struct text *text, size_t number, const struct call *call)
{
    const struct ir_piece value = ir_value(call->arguments[1]);
    if (call->subtracts) {
        const char *place = ir_find(call->behind, ", !dbg ");
        text_format(text, "  %%clerk.%zu.minus = fneg half %.*s%.*s\n", number, (int)value.size,
                    value.at, place ? (int)(call->behind.at + call->behind.size - place) : 0,
                    place ? place : "");
    }
    text_append_n(text, call->before.at, call->before.size);
    append_name(text, call->pointer);
    text_format(text, "%.*s, i32 %u, i32 %u, half ", (int)call->arguments[0].size,
                call->arguments[0].at, call->scope, call->semantics);
    if (call->subtracts)
        text_format(text, "%%clerk.%zu.minus)", number);
    else
        text_format(text, "%.*s)", (int)value.size, value.at);
    text_append_n(text, call->behind.at, call->behind.size);
}

/* The functions called, one for each address space. */
struct declared {
    struct ir_piece pointers[SPACE_MAX];
    size_t count;
};

/* "half addrspace(1)* noundef %15" without the value and what the call says of it. */
static struct ir_piece type_of(struct ir_piece argument)
{
    const char *end = ir_find(argument, " noundef ");
    if (!end)
        end = ir_value(argument).at - 1;
    return (struct ir_piece){.at = argument.at, .size = (size_t)(end - argument.at)};
}

/* True where it has not been declared before. */
static bool declare(struct declared *declared, const struct call *call, struct text *declarations)
{
    const struct ir_piece type = type_of(call->arguments[0]);
    for (size_t i = 0; i < declared->count; i++) {
        if (declared->pointers[i].size == call->pointer.size &&
            memcmp(declared->pointers[i].at, call->pointer.at, call->pointer.size) == 0)
            return true;
    }
    if (declared->count == SPACE_MAX)
        return false;
    declared->pointers[declared->count++] = call->pointer;
    text_append(declarations, "declare spir_func half ");
    append_name(declarations, call->pointer);
    text_format(declarations, "%.*s, i32, i32, half)\n", (int)type.size, type.at);
    return true;
}

bool repair_halves(const char *ir, struct text *repaired)
{
    struct text declarations = TEXT_INIT;
    struct declared declared = {0};
    struct call call;
    size_t count = 0;
    for (const char *at = ir; *at != '\0'; at = ir_next_line(ir_line(at))) {
        const struct ir_piece line = ir_line(at);
        if (find_call(line, &call) && declare(&declared, &call, &declarations))
            append_call(repaired, count++, &call);
        else
            text_append_n(repaired, line.at, line.size);
        text_append_char(repaired, '\n');
    }
    text_append_n(repaired, declarations.bytes, declarations.size);
    const bool made = count > 0 && !repaired->failed && !declarations.failed;
    text_release(&declarations);
    return made;
}
