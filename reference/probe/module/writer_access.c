/* Instructions with their checks: the pointer of each access is what the check gives back. */
#include "reference/probe/module/writer.h"

#include "trace/base/assert.h"

#include <string.h>

/* An instruction whose words are changed before it is put. */
struct changed {
    struct words words;
    uint32_t first; /* the word of its first operand */
};

/* The input that stands for operand 0; 0 = it is none, or its own. */
static uint32_t same_input(const struct writer *writer, const struct spv_instruction *at)
{
    const bool may_be = at->op == SpvOpLoad ||
                        (at->op >= SpvOpAccessChain && at->op <= SpvOpInBoundsPtrAccessChain);
    return may_be && at->operand_count > 0 ? writer->same[at->operands[0]] : 0;
}

void writer_copy(struct writer *writer, const struct spv_instruction *at)
{
    const uint32_t *words = writer->module->words + at->word;
    const uint32_t same = same_input(writer, at);
    words_put_all(&writer->body, words, words[0] >> 16);
    if (same != 0 && !writer->body.failed)
        writer->body.at[writer->body.count - at->operand_count] = same;
}

static struct changed change(const struct writer *writer, const struct spv_instruction *at)
{
    const uint32_t *words = writer->module->words + at->word;
    struct changed changed = {.first = (words[0] >> 16) - at->operand_count};
    words_put_all(&changed.words, words, words[0] >> 16);
    return changed;
}

static void set_operand(struct changed *changed, uint32_t operand, uint32_t id)
{
    if (!changed->words.failed)
        changed->words.at[changed->first + operand] = id;
}

static void put_changed(struct writer *writer, struct changed *changed)
{
    writer->body.failed |= changed->words.failed;
    words_put_all(&writer->body, changed->words.at, changed->words.count);
    alloc_free(changed->words.at);
}

/* ---- sites ---- */

/* What the memory is called where it is no argument's. */
static const char *variable_of(const struct writer *writer, uint32_t pointer)
{
    const struct woven_root root = woven_root_of(writer->woven, pointer);
    return root.kind == WOVEN_ROOT_VARIABLE ? writer->module->ids[root.index].name : "";
}

/* A kernel without a name of its own has that of its entry point. */
static const char *function_name(const struct writer *writer)
{
    const struct woven_function *function = writer->function;
    return function->kernel ? function->kernel->name : function->function->name;
}

static uint32_t add_site(struct writer *writer, const struct spv_instruction *at,
                         enum checked_access access, uint32_t pointer)
{
    struct checked *checked = writer->woven->checked;
    const struct spv_place *place = &writer->module->places[at->place];
    ASSERT(writer->site_count < writer->woven->site_count);
    struct checked_site *site = &checked->sites[writer->site_count];
    *site = (struct checked_site){.file = arena_string(&checked->arena, place->file),
                                  .line = place->line,
                                  .access = access,
                                  .expression = "",
                                  .variable =
                                      arena_string(&checked->arena, variable_of(writer, pointer)),
                                  .function = arena_string(&checked->arena, function_name(writer))};
    writer->body.failed |= !site->file || !site->variable || !site->function;
    return writer_uint(writer, (uint32_t)writer->site_count++);
}

/* ---- accesses ---- */

struct known {
    uint32_t index, argument; /* ids of what the checks are told */
};

static struct known known_of(struct writer *writer, uint32_t pointer)
{
    const struct woven *woven = writer->woven;
    const struct woven_root root = woven_root_of(woven, pointer);
    uint32_t index = 0, argument = WRITER_SEARCH;
    if (root.kind == WOVEN_ROOT_ARGUMENT) {
        index = root.index;
        argument = root.number;
    } else if (root.kind == WOVEN_ROOT_VARIABLE) {
        argument = WRITER_VARIABLE;
        for (uint32_t i = 0; i < woven->local_variable_count; i++)
            if (woven->local_variables[i] == root.index)
                index = woven->local_count + i;
    }
    return (struct known){writer_uint(writer, index), writer_uint(writer, argument)};
}

/* Of a variable in constant memory the check gets its address and size, else nothing. */
static uint32_t call_constant(struct writer *writer, uint32_t pointer, uint32_t at, uint32_t bytes,
                              uint32_t site)
{
    const struct spv_type *type = woven_pointer(writer->module, pointer);
    const struct spv_type *wanted = writer_parameter(writer, WRITER_constant, 6);
    const struct woven_root root = woven_root_of(writer->woven, pointer);
    const struct known known = known_of(writer, pointer);
    uint32_t base = 0, size = 0;
    if (root.kind == WOVEN_ROOT_VARIABLE) {
        const struct spv_id *variable = &writer->module->ids[root.index];
        base = writer_cast(writer, root.index, variable->type->id, wanted->id);
        size = writer_ulong(writer, variable->variable->type->size);
    } else {
        base = writer_id(writer);
        WORDS_PUT(&writer->globals, SpvOpConstantNull, wanted->id, base);
        size = writer_ulong(writer, 0);
    }
    return WRITER_CALL(writer, WRITER_constant, type->id, at, bytes, known.index, known.argument,
                       site, base, size);
}

/* The check's answer, as the pointer was. */
static uint32_t call_check(struct writer *writer, uint32_t pointer, uint32_t at, uint32_t bytes,
                           uint32_t how, uint32_t site)
{
    const struct spv_type *type = woven_pointer(writer->module, pointer);
    enum writer_check check;
    uint32_t result;
    if (type->storage == SpvStorageClassUniformConstant) {
        check = WRITER_constant;
        result = call_constant(writer, pointer, at, bytes, site);
    } else if (type->storage == SpvStorageClassGeneric) {
        check = WRITER_generic;
        result = WRITER_CALL(writer, check, type->id, at, bytes, writer_uint(writer, how), site);
    } else {
        const struct known known = known_of(writer, pointer);
        check = type->storage == SpvStorageClassWorkgroup ? WRITER_local : WRITER_global;
        result = WRITER_CALL(writer, check, type->id, at, bytes, known.index, known.argument,
                             writer_uint(writer, how), site);
    }
    return writer_cast(writer, result, writer->checks[check]->type->element->id, type->id);
}

static uint32_t bytes_of(struct writer *writer, const struct spv_instruction *at,
                         const struct woven_access *access)
{
    if (access->bytes != 0)
        return writer_ulong(writer, access->bytes);
    const uint32_t id = at->operands[access->bytes_operand];
    const struct spv_type *type = writer->module->ids[id].type;
    if (!type || type->id == writer->ulong_type)
        return id;
    const uint32_t wide = writer_id(writer);
    WORDS_PUT(&writer->body, SpvOpUConvert, writer->ulong_type, wide, id);
    return wide;
}

/* The pointer behind the vectors that the instruction's offset counts. */
static uint32_t behind_offset(struct writer *writer, const struct spv_instruction *at,
                              const struct woven_access *access)
{
    const uint32_t pointer = at->operands[access->pointer];
    uint32_t offset = at->operands[access->offset_operand];
    const struct spv_type *type = writer->module->ids[offset].type;
    if (access->stride != 1) {
        const uint32_t product = writer_id(writer);
        const uint32_t stride = writer_number(writer, type, access->stride);
        WORDS_PUT(&writer->body, SpvOpIMul, type->id, product, offset, stride);
        offset = product;
    }
    const uint32_t result = writer_id(writer);
    WORDS_PUT(&writer->body, SpvOpPtrAccessChain, woven_pointer(writer->module, pointer)->id,
              result, pointer, offset);
    return result;
}

static void put_access(struct writer *writer, const struct spv_instruction *at,
                       const struct woven_access *access, struct changed *changed)
{
    const uint32_t pointer = at->operands[access->pointer];
    uint32_t address = pointer;
    if (access->offset_operand != 0) {
        const struct spv_type *type =
            writer->module->ids[at->operands[access->offset_operand]].type;
        address = behind_offset(writer, at, access);
        set_operand(changed, access->offset_operand, writer_number(writer, type, 0));
    }
    const uint32_t bytes = bytes_of(writer, at, access);
    const uint32_t site = add_site(writer, at, access->access, pointer);
    set_operand(changed, access->pointer,
                call_check(writer, pointer, address, bytes, access->how, site));
}

/* ---- copies by a work-group ---- */

/* How many of `count` elements are within, as the id of a number. */
static uint32_t put_fit(struct writer *writer, const struct spv_instruction *at, uint32_t operand,
                        uint32_t count, uint32_t stride)
{
    const uint32_t pointer = at->operands[operand];
    const struct spv_type *type = woven_pointer(writer->module, pointer);
    const bool is_local = type->storage == SpvStorageClassWorkgroup;
    const bool is_write = operand == 1;
    const enum writer_check check = is_local ? WRITER_fit_local : WRITER_fit_global;
    const struct known known = known_of(writer, pointer);
    const uint32_t site = add_site(writer, at, is_write ? CHECKED_WRITE : CHECKED_READ, pointer);
    return WRITER_CALL(writer, check, type->id, pointer,
                       writer_ulong(writer, type->element ? type->element->size : 1), count, stride,
                       known.index, known.argument, writer_uint(writer, is_write), site);
}

/* SPIR-V 1.6, OpGroupAsyncCopy: the stride is that of the side in global memory. */
static void put_group_copy(struct writer *writer, const struct spv_instruction *at)
{
    struct changed changed = change(writer, at);
    const bool to_local =
        woven_pointer(writer->module, at->operands[1])->storage == SpvStorageClassWorkgroup;
    const uint32_t one = writer_number(writer, writer_parameter(writer, WRITER_fit_global, 4), 1);
    uint32_t count = at->operands[3];
    count = put_fit(writer, at, 1, count, to_local ? one : at->operands[4]);
    count = put_fit(writer, at, 2, count, to_local ? at->operands[4] : one);
    set_operand(&changed, 3, count);
    put_changed(writer, &changed);
}

/* ---- barriers and calls ---- */

/* CLK_LOCAL_MEM_FENCE is 1, CLK_GLOBAL_MEM_FENCE 2. What is not known counts as both. */
static uint32_t flags_of(const struct writer *writer, const struct spv_instruction *at)
{
    uint64_t scope, semantics;
    if (at->op != SpvOpControlBarrier ||
        !spv_integer_find(writer->module, at->operands[1], &scope) ||
        !spv_integer_find(writer->module, at->operands[2], &semantics))
        return UINT32_MAX;
    if (scope == SpvScopeInvocation)
        return 0;
    return ((semantics & SpvMemorySemanticsWorkgroupMemoryMask) != 0 ? 1U : 0) |
           ((semantics & SpvMemorySemanticsCrossWorkgroupMemoryMask) != 0 ? 2U : 0);
}

static void put_call(struct writer *writer, const struct spv_instruction *at)
{
    const struct woven_function *called = woven_function_of(writer->woven, at->operands[0]);
    if (!called || !called->needs_state || called->function->block_count == 0) {
        writer_copy(writer, at);
        return;
    }
    const uint32_t *words = writer->module->words + at->word;
    const uint32_t length = words[0] >> 16;
    words_put(&writer->body, (length + 1) << 16 | SpvOpFunctionCall);
    words_put_all(&writer->body, words + 1, 3);
    words_put(&writer->body, writer->state);
    words_put_all(&writer->body, words + 4, length - 4);
}

void writer_instruction(struct writer *writer, const struct woven_function *function,
                        const struct spv_instruction *at)
{
    struct woven_access accesses[WOVEN_ACCESSES];
    const size_t count = function->needs_state ? woven_accesses(writer->module, at, accesses) : 0;
    if (at->op == SpvOpFunctionCall) {
        put_call(writer, at);
    } else if (woven_is_group_copy(writer->module, at)) {
        put_group_copy(writer, at);
    } else if (count > 0) {
        struct changed changed = change(writer, at);
        for (size_t i = 0; i < count; i++)
            put_access(writer, at, &accesses[i], &changed);
        put_changed(writer, &changed);
    } else {
        writer_copy(writer, at);
    }
    if (at->op == SpvOpControlBarrier || at->op == SpvOpGroupWaitEvents)
        WRITER_CALL(writer, WRITER_passed, 0, writer_uint(writer, flags_of(writer, at)));
}

/* The translator lets the atomic functions of OpenCL C 1.2 reach no further than a work-group. */
void writer_check_instruction(struct writer *writer, const struct spv_instruction *at)
{
    if (!woven_is_atomic(at->op)) {
        writer_copy(writer, at);
        return;
    }
    struct changed changed = change(writer, at);
    set_operand(&changed, 1, writer_uint(writer, SpvScopeDevice));
    put_changed(writer, &changed);
}
