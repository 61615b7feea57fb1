/* llvm-spirv 15 ends with an assertion at a fence or barrier whose flags, order or scope is no
 * constant, though SPIR-V allows it; and it gives sub_group_barrier(flags) the memory scope of
 * sub_group_barrier(flags, memory_scope_work_group), where OpenCL C 3.0, 6.15.16, has "the scope is
 * memory_scope_sub_group". Here such a call
 *
 *     call spir_func void @_Z9mem_fencej(i32 noundef %0) #2, !dbg !16
 *
 * becomes one of a function that the translator takes for the instruction itself, with what it
 * writes for constants, computed (OpenCL C 3.0, 6.15.12, and SPIR-V 1.6, Memory Semantics):
 *
 *     %clerk.0.flags = and i32 %0, 3, !dbg !16
 *     ...
 *     call spir_func void @_Z21__spirv_MemoryBarrierjj(i32 2, i32 %clerk.0.semantics), !dbg !16 */
#include "reference/compiler/repairs.h"

#include "reference/compiler/ir_text.h"
#include "reference/compiler/rewrite.h"

#include <spirv/unified1/spirv.h>
#include <stdlib.h>

enum { ARGUMENT_MAX = 3 };

/* A function of OpenCL C. Its first argument is the flags. */
struct fence {
    const char *name;
    int execution; /* a barrier's scope; -1 = no barrier */
    int order;     /* memory semantics; ORDER_GIVEN = the second argument */
    int scope;     /* of memory; SCOPE_GIVEN = the last argument */
};
enum { ORDER_GIVEN = -1, NO_BARRIER = -1, SCOPE_GIVEN = -1 };

static const struct fence fences[] = {
    {"@_Z7barrierj(", SpvScopeWorkgroup, SpvMemorySemanticsSequentiallyConsistentMask,
     SpvScopeWorkgroup},
    {"@_Z18work_group_barrierj(", SpvScopeWorkgroup, SpvMemorySemanticsSequentiallyConsistentMask,
     SpvScopeWorkgroup},
    {"@_Z18work_group_barrierj12memory_scope(", SpvScopeWorkgroup,
     SpvMemorySemanticsSequentiallyConsistentMask, SCOPE_GIVEN},
    {"@_Z17sub_group_barrierj(", SpvScopeSubgroup, SpvMemorySemanticsSequentiallyConsistentMask,
     SpvScopeSubgroup},
    {"@_Z17sub_group_barrierj12memory_scope(", SpvScopeSubgroup,
     SpvMemorySemanticsSequentiallyConsistentMask, SCOPE_GIVEN},
    {"@_Z9mem_fencej(", NO_BARRIER, SpvMemorySemanticsAcquireReleaseMask, SpvScopeWorkgroup},
    {"@_Z14read_mem_fencej(", NO_BARRIER, SpvMemorySemanticsAcquireMask, SpvScopeWorkgroup},
    {"@_Z15write_mem_fencej(", NO_BARRIER, SpvMemorySemanticsReleaseMask, SpvScopeWorkgroup},
    {"@_Z22atomic_work_item_fencej12memory_order12memory_scope(", NO_BARRIER, ORDER_GIVEN,
     SCOPE_GIVEN},
};

static const char declarations[] =
    "declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32) convergent\n"
    "declare spir_func void @_Z21__spirv_MemoryBarrierjj(i32, i32)\n";

struct call {
    const struct fence *fence;
    struct ir_piece arguments[ARGUMENT_MAX]; /* without their types */
    size_t argument_count;
    struct ir_piece place; /* ", !dbg !16", or empty */
};

static bool is_constant(struct ir_piece argument)
{
    return argument.size > 0 &&
           (argument.at[0] == '-' || (argument.at[0] >= '0' && argument.at[0] <= '9'));
}

/* "i32 noundef %0, i32 noundef 4" */
static bool take_arguments(struct ir_piece list, struct call *call)
{
    const struct fence *fence = call->fence;
    struct ir_piece argument;
    while (list.size > 0 && ir_next_part(&list, &argument)) {
        if (call->argument_count == ARGUMENT_MAX)
            return false;
        call->arguments[call->argument_count++] = ir_value(argument);
    }
    return call->argument_count ==
           1u + (fence->scope == SCOPE_GIVEN) + (fence->order == ORDER_GIVEN);
}

/* Is it sub_group_barrier(flags)? */
static bool is_misread(const struct fence *fence)
{
    return fence->scope == SpvScopeSubgroup;
}

/* A call of a fence with what is computed, or that the translator misreads. */
static bool find_call(struct ir_piece line, struct call *call)
{
    *call = (struct call){0};
    const char *name = ir_find(line, "call spir_func void @_Z");
    for (size_t i = 0; name && i < sizeof(fences) / sizeof(fences[0]); i++) {
        const char *found = ir_find(line, fences[i].name);
        if (!found)
            continue;
        const char *open = found + strlen(fences[i].name) - 1;
        call->fence = &fences[i];
        const struct ir_piece rest = ir_rest(line, open);
        const char *place = ir_find(rest, ", !dbg ");
        if (place)
            call->place = ir_rest(line, place);
        if (!take_arguments(ir_parenthesised(rest), call))
            return false;
        for (size_t a = 0; a < call->argument_count; a++) {
            if (!is_constant(call->arguments[a]))
                return true;
        }
        return is_misread(call->fence);
    }
    return false;
}

/* "%clerk.NUMBER.RESULT = OPERATION OPERAND, NUMBER": `operand` is a value as it stands, or the
 * name of an earlier result. */
static void append_step(struct text *text, size_t number, const struct call *call,
                        const char *result, const char *operation, const char *operand,
                        unsigned long other)
{
    text_format(text, "  %%clerk.%zu.%s = %s i32 %%clerk.%zu.%s, %lu%.*s\n", number, result,
                operation, number, operand, other, (int)call->place.size, call->place.at);
}

static void append_argument(struct text *text, size_t number, const struct call *call,
                            const char *result, size_t argument)
{
    const struct ir_piece value = call->arguments[argument];
    text_format(text, "  %%clerk.%zu.%s = or i32 %.*s, 0%.*s\n", number, result, (int)value.size,
                value.at, (int)call->place.size, call->place.at);
}

static void append_or(struct text *text, size_t number, const struct call *call, const char *result,
                      const char *a, const char *b)
{
    text_format(text, "  %%clerk.%zu.%s = or i32 %%clerk.%zu.%s, %%clerk.%zu.%s%.*s\n", number,
                result, number, a, number, b, (int)call->place.size, call->place.at);
}

/* CLK_LOCAL_MEM_FENCE is 1, CLK_GLOBAL_MEM_FENCE 2, CLK_IMAGE_MEM_FENCE 4. */
static void append_memories(struct text *text, size_t number, const struct call *call)
{
    append_argument(text, number, call, "flags", 0);
    append_step(text, number, call, "buffers", "and", "flags", 3);
    append_step(text, number, call, "near", "shl", "buffers", 8);
    append_step(text, number, call, "images", "and", "flags", 4);
    append_step(text, number, call, "far", "shl", "images", 9);
    append_or(text, number, call, "memories", "near", "far");
}

/* The order of clang's numbers, 0 and 2 to 5, is the bit before its own. A barrier without flags
 * orders nothing. */
static void append_order(struct text *text, size_t number, const struct call *call)
{
    if (call->fence->order == ORDER_GIVEN) {
        append_argument(text, number, call, "given", 1);
        append_step(text, number, call, "least", "and", "given", 7);
        text_format(text, "  %%clerk.%zu.bit = shl i32 1, %%clerk.%zu.least\n", number, number);
        append_step(text, number, call, "half", "lshr", "bit", 1);
        append_step(text, number, call, "order", "and", "half", 30);
        return;
    }
    append_step(text, number, call, "any", "icmp ne", "memories", 0);
    text_format(text, "  %%clerk.%zu.order = select i1 %%clerk.%zu.any, i32 %d, i32 %d\n", number,
                number, call->fence->order,
                call->fence->execution == NO_BARRIER ? call->fence->order : 0);
}

/* memory_scope_work_item, work_group, device, all_svm_devices and sub_group, 0 to 4. */
static void append_scope(struct text *text, size_t number, const struct call *call)
{
    const unsigned long scopes = SpvScopeInvocation | SpvScopeWorkgroup << 4 | SpvScopeDevice << 8 |
                                 SpvScopeCrossDevice << 12 | (unsigned long)SpvScopeSubgroup << 16;
    if (call->fence->scope != SCOPE_GIVEN)
        return;
    append_argument(text, number, call, "wanted", call->argument_count - 1);
    append_step(text, number, call, "fourth", "shl", "wanted", 2);
    append_step(text, number, call, "at", "and", "fourth", 31);
    text_format(text, "  %%clerk.%zu.shifted = lshr i32 %lu, %%clerk.%zu.at\n", number, scopes,
                number);
    append_step(text, number, call, "scope", "and", "shifted", 15);
}

/* A barrier with flags that are known: with their constant. */
static void append_constant_call(struct text *text, const struct call *call)
{
    const unsigned long flags = strtoul(call->arguments[0].at, NULL, 10);
    const unsigned long memories = (flags & 3) << 8 | (flags & 4) << 9;
    text_format(text,
                "  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 %d, i32 %d, i32 %lu)%.*s",
                call->fence->execution, call->fence->scope,
                memories != 0 ? memories | (unsigned long)call->fence->order : 0,
                (int)call->place.size, call->place.at);
}

static void append_call(struct text *text, size_t number, const struct call *call)
{
    if (is_misread(call->fence) && is_constant(call->arguments[0])) {
        append_constant_call(text, call);
        return;
    }
    append_memories(text, number, call);
    append_order(text, number, call);
    append_or(text, number, call, "semantics", "memories", "order");
    append_scope(text, number, call);
    if (call->fence->execution == NO_BARRIER)
        text_append(text, "  call spir_func void @_Z21__spirv_MemoryBarrierjj(");
    else
        text_format(text, "  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 %d, ",
                    call->fence->execution);
    if (call->fence->scope == SCOPE_GIVEN)
        text_format(text, "i32 %%clerk.%zu.scope, ", number);
    else
        text_format(text, "i32 %d, ", call->fence->scope);
    text_format(text, "i32 %%clerk.%zu.semantics)%.*s", number, (int)call->place.size,
                call->place.at);
}

bool repair_fences(const char *ir, struct text *repaired)
{
    size_t count = 0;
    struct call call;
    for (const char *at = ir; *at != '\0'; at = ir_next_line(ir_line(at))) {
        const struct ir_piece line = ir_line(at);
        if (find_call(line, &call))
            append_call(repaired, count++, &call);
        else
            text_append_n(repaired, line.at, line.size);
        text_append_char(repaired, '\n');
    }
    text_append(repaired, declarations);
    return count > 0 && !repaired->failed;
}

/* Is the constant, whose value the table has by its id, such a scope? */
static bool is_scope(const struct rewrite *module, const uint32_t *values, uint32_t id,
                     uint32_t scope)
{
    return id < module->bound_before && values[id] == scope;
}

bool repair_misread_fences(const struct text *spirv)
{
    struct rewrite module;
    bool misread = false;
    if (rewrite_begin(&module, (const uint8_t *)spirv->bytes, spirv->size)) {
        uint32_t *values = rewrite_by_id(&module, sizeof(*values));
        for (const uint32_t *at = NULL; values && !misread && (at = rewrite_next(&module, at));) {
            const uint32_t opcode = rewrite_opcode(at);
            if (opcode == SpvOpConstant && rewrite_length(at) == 4 && at[2] < module.bound_before)
                values[at[2]] = at[3];
            else if (opcode == SpvOpControlBarrier && rewrite_length(at) == 4)
                misread = is_scope(&module, values, at[1], SpvScopeSubgroup) &&
                          is_scope(&module, values, at[2], SpvScopeWorkgroup);
        }
    }
    rewrite_end(&module, NULL, NULL);
    return misread;
}
