/* The module that results: what stands before the functions, with what these need besides, and the
 * functions. Lines are left out, since they are told by the sites. */
#include "reference/probe/module/writer.h"

#include <stdio.h>
#include <string.h>

enum { HEADER = 5, HEADER_BOUND = 3, VERSION_1_4 = 0x10400 };

/* ---- functions ---- */

/* Those of woven.cl are made to be inlined, but compiled without; of the others the driver decides.
 * Those of the program had what a kernel's function has, which PoCL gives to nothing that it may
 * not inline. */
static uint32_t control_of(const struct woven_function *function, uint32_t control)
{
    if (function->is_check && strncmp(function->function->name, "clerk_woven_", 12) != 0)
        return control & ~(uint32_t)SpvFunctionControlDontInlineMask;
    if (!function->is_check && !function->needs_state)
        return control;
    return (control & ~(uint32_t)SpvFunctionControlDontInlineMask) | SpvFunctionControlInlineMask;
}

static void put_declaration(struct writer *writer, const struct woven_function *function)
{
    const uint32_t *words = writer->module->words + function->function->parameters[-1].word;
    WORDS_PUT(&writer->body, SpvOpFunction, words[1], words[2], control_of(function, words[3]),
              words[4]);
}

/* A function that is given the state of its kernel. */
static void put_stateful(struct writer *writer, const struct woven_function *stateful)
{
    const struct spv_function *function = stateful->function;
    const uint32_t *words = writer->module->words + function->parameters[-1].word;
    struct words types = {0};
    words_put(&types, function->type->element->id);
    words_put(&types, writer->state_type);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        words_put(&types, function->parameters[i].type);
    writer->state = writer_id(writer);
    WORDS_PUT(&writer->body, SpvOpFunction, words[1], words[2], control_of(stateful, words[3]),
              writer_function_type(writer, types.at, types.count));
    WORDS_PUT(&writer->body, SpvOpFunctionParameter, writer->state_type, writer->state);
    writer->body.failed |= types.failed;
    alloc_free(types.at);
}

static void put_parameters(struct writer *writer, const struct spv_function *function)
{
    for (uint32_t i = 0; i < function->parameter_count; i++)
        writer_copy(writer, &function->parameters[i]);
}

static void put_block(struct writer *writer, const struct woven_function *function,
                      const struct spv_block *block)
{
    WORDS_PUT(&writer->body, SpvOpLabel, block->label);
    for (uint32_t i = 0; i < block->count; i++) {
        if (function->needs_state)
            writer_instruction(writer, function, &block->instructions[i]);
        else if (function->is_check)
            writer_check_instruction(writer, &block->instructions[i]);
        else
            writer_copy(writer, &block->instructions[i]);
    }
}

static void put_function(struct writer *writer, const struct woven_function *function)
{
    const struct spv_function *its = function->function;
    uint32_t first = 0;
    writer->function = function;
    if (function->kernel) {
        writer_kernel(writer, function);
        first = 1;
    } else {
        if (function->needs_state && its->block_count > 0)
            put_stateful(writer, function);
        else
            put_declaration(writer, function);
        put_parameters(writer, its);
    }
    for (uint32_t i = first; i < its->block_count; i++)
        put_block(writer, function, &its->blocks[i]);
    words_put(&writer->body, 1U << 16 | SpvOpFunctionEnd);
}

/* ---- what stands before them ---- */

/* Types, constants and variables, and what may stand among these. */
static bool is_global(uint32_t op)
{
    return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) ||
           (op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp) || op == SpvOpVariable ||
           op == SpvOpTypePipeStorage || op == SpvOpConstantPipeStorage || op == SpvOpUndef ||
           op == SpvOpLine || op == SpvOpNoLine || op == SpvOpExtInst;
}

/* SPIR-V 1.6, OpEntryPoint: from 1.4 on they list all variables of the module. */
static void put_entry_point(const struct writer *writer, const uint32_t *words, struct words *out)
{
    const bool lists = writer->spare != 0 && writer->module->words[1] >= VERSION_1_4;
    const size_t start = out->count;
    const uint32_t length = words[0] >> 16;
    const uint32_t name_words = (uint32_t)strlen((const char *)(words + 3)) / sizeof *words + 1;
    words_put_all(out, words, 3 + name_words);
    for (uint32_t i = 3 + name_words; i < length; i++)
        if (writer->same[words[i]] == 0)
            words_put(out, words[i]);
    if (lists)
        words_put(out, writer->spare);
    if (!out->failed)
        out->at[start] = (uint32_t)(out->count - start) << 16 | SpvOpEntryPoint;
}

/* Does it define or describe an input for which another stands? */
static bool is_of_same(const struct writer *writer, const uint32_t *words)
{
    const uint32_t op = words[0] & 0xffff;
    if (op == SpvOpVariable)
        return writer->same[words[2]] != 0;
    return (op == SpvOpName || op == SpvOpDecorate) && writer->same[words[1]] != 0;
}

/* Is it the name of a function that a kernel of that name wraps? Translators to LLVM take the one
 * for the other, which here has another type. */
static bool is_wrapped(const struct writer *writer, const uint32_t *words)
{
    const struct woven_function *function = woven_function_of(writer->woven, words[1]);
    if ((words[0] & 0xffff) != SpvOpName || !function || function->kernel || function->is_check)
        return false;
    for (uint32_t i = 0; i < writer->module->kernel_count; i++)
        if (strcmp(writer->module->kernels[i].name, function->function->name) == 0)
            return true;
    return false;
}

static void put_new_name(uint32_t id, struct words *out)
{
    uint32_t name[5] = {0};
    const int length = snprintf((char *)name, sizeof name, "clerk_%u", id);
    const uint32_t count = (uint32_t)length / sizeof *name + 1;
    words_put(out, (2 + count) << 16 | SpvOpName);
    words_put(out, id);
    words_put_all(out, name, count);
}

/* Does it tell translators to LLVM of a kernel's arguments, as many as it had? */
static bool is_of_arguments(const uint32_t *words)
{
    return (words[0] & 0xffff) == SpvOpString &&
           strncmp((const char *)(words + 2), "kernel_arg_type", 15) == 0;
}

static void put_head(const struct writer *writer, struct words *out)
{
    const struct spv_module *module = writer->module;
    bool is_annotated = false;
    words_put_all(out, module->words, HEADER);
    for (uint32_t at = HEADER; at < module->word_count;) {
        const uint32_t *words = module->words + at;
        const uint32_t op = words[0] & 0xffff;
        if (op == SpvOpFunction)
            break;
        if (!is_annotated && is_global(op)) {
            words_put_all(out, writer->annotations.at, writer->annotations.count);
            is_annotated = true;
        }
        if (op == SpvOpEntryPoint)
            put_entry_point(writer, words, out);
        else if (is_wrapped(writer, words))
            put_new_name(words[1], out);
        else if (!is_of_same(writer, words) && !is_of_arguments(words))
            words_put_all(out, words, words[0] >> 16);
        at += words[0] >> 16;
    }
    words_put_all(out, writer->globals.at, writer->globals.count);
}

/* ---- all of it ---- */

static void release(struct writer *writer)
{
    alloc_free(writer->annotations.at);
    alloc_free(writer->globals.at);
    alloc_free(writer->body.at);
    alloc_free(writer->function_types.at);
}

static bool has_failed(const struct writer *writer)
{
    return writer->annotations.failed || writer->globals.failed || writer->body.failed ||
           writer->function_types.failed;
}

static bool write_functions(struct writer *writer)
{
    struct woven *woven = writer->woven;
    struct checked *checked = woven->checked;
    checked->sites = arena_alloc(&checked->arena, woven->site_count + 1, sizeof *checked->sites);
    if (!checked->sites || !writer_describe_kernels(writer))
        return false;
    for (uint32_t i = 0; i < writer->module->function_count; i++)
        put_function(writer, &woven->functions[i]);
    checked->site_count = writer->site_count;
    return !has_failed(writer);
}

enum status woven_write(struct woven *woven, uint32_t **words, size_t *size, struct error *error)
{
    struct writer writer = {.woven = woven, .module = woven->module, .bound = woven->module->bound};
    struct words out = {0};
    enum status status = STATUS_OK;
    if (!writer_begin(&writer))
        status = error_no_memory(error, woven->module->bound);
    else if (writer.lacking)
        status = error_set(error, STATUS_UNSUPPORTED, "its checks lack %s", writer.lacking);
    else if (!write_functions(&writer))
        status = error_no_memory(error, woven->module->word_count);
    if (status == STATUS_OK) {
        put_head(&writer, &out);
        words_put_all(&out, writer.body.at, writer.body.count);
        if (out.failed)
            status = error_no_memory(error, out.count);
    }
    release(&writer);
    if (status != STATUS_OK) {
        alloc_free(out.at);
        return status;
    }
    out.at[HEADER_BOUND] = writer.bound;
    *words = out.at;
    *size = out.count * sizeof *out.at;
    return STATUS_OK;
}
