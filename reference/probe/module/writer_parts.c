#include "reference/probe/module/writer.h"

#include <string.h>

static const char *const check_names[] = {
#define X(name) "clerk_woven_" #name,
    WRITER_CHECKS(X)
#undef X
};

const struct spv_type *writer_parameter(const struct writer *writer, enum writer_check check,
                                        uint32_t number)
{
    return writer->checks[check]->type->members[number];
}

static void find_checks(struct writer *writer)
{
    const struct woven *woven = writer->woven;
    for (uint32_t i = 0; i < writer->module->function_count; i++) {
        const struct spv_function *function = &writer->module->functions[i];
        for (size_t c = 0; woven->functions[i].is_check && c < WRITER_CHECK_COUNT; c++)
            if (strcmp(function->name, check_names[c]) == 0)
                writer->checks[c] = function;
    }
}

static bool is_needed(const struct woven *woven, enum writer_check check)
{
    switch (check) {
    case WRITER_take_constant:
    case WRITER_constant:
        return woven->uses_constant;
    case WRITER_spare:
    case WRITER_take_local:
    case WRITER_local_begin:
    case WRITER_local:
    case WRITER_fit_local:
        return woven->uses_local;
    case WRITER_generic:
        return woven->uses_generic;
    default:
        return true;
    }
}

/* SPIR-V 1.6, 2.16.1: types that are no aggregates may not be declared twice. The array is one,
 * so its pointer is new. */
static void make_types(struct writer *writer)
{
    writer->uint_type = writer_parameter(writer, WRITER_begin, 2)->id;
    writer->ulong_type = writer_parameter(writer, WRITER_take_global, 2)->id;
    const uint32_t count = writer_uint(writer, woven_state_words(writer->woven));
    writer->state_array = writer_id(writer);
    WORDS_PUT(&writer->globals, SpvOpTypeArray, writer->state_array, writer->ulong_type, count);
    writer->state_type = writer_id(writer);
    WORDS_PUT(&writer->globals, SpvOpTypePointer, writer->state_type, SpvStorageClassFunction,
              writer->state_array);
}

static void make_spare(struct writer *writer)
{
    enum { WORDS = 16, ALIGNMENT = 128 }; /* clerk_LOCAL_SPARE_BYTES */
    const uint32_t count = writer_uint(writer, WORDS);
    const uint32_t array = writer_id(writer), pointer = writer_id(writer);
    writer->spare = writer_id(writer);
    WORDS_PUT(&writer->globals, SpvOpTypeArray, array, writer->ulong_type, count);
    WORDS_PUT(&writer->globals, SpvOpTypePointer, pointer, SpvStorageClassWorkgroup, array);
    WORDS_PUT(&writer->globals, SpvOpVariable, pointer, writer->spare, SpvStorageClassWorkgroup);
    WORDS_PUT(&writer->annotations, SpvOpDecorate, writer->spare, SpvDecorationAlignment,
              ALIGNMENT);
    writer->spare_type = pointer;
}

static bool find_same_inputs(struct writer *writer)
{
    const struct spv_module *module = writer->module;
    writer->same =
        arena_alloc(writer->woven->arena, (size_t)module->bound + 1, sizeof *writer->same);
    for (uint32_t i = 0; writer->same && i < module->variable_count; i++) {
        const struct spv_module_variable *variable = module->variables[i];
        for (uint32_t k = 0; k < i && variable->builtin >= 0; k++) {
            const struct spv_module_variable *first = module->variables[k];
            if (first->builtin == variable->builtin && first->type == variable->type &&
                writer->same[first->id] == 0)
                writer->same[variable->id] = first->id;
        }
    }
    return writer->same != NULL;
}

bool writer_begin(struct writer *writer)
{
    if (!find_same_inputs(writer))
        return false;
    find_checks(writer);
    for (size_t i = 0; i < WRITER_CHECK_COUNT; i++)
        if (!writer->checks[i] && is_needed(writer->woven, (enum writer_check)i))
            writer->lacking = check_names[i];
    if (writer->lacking)
        return true;
    make_types(writer);
    if (writer->woven->uses_local)
        make_spare(writer);
    return true;
}

uint32_t writer_id(struct writer *writer)
{
    return writer->bound++;
}

uint32_t writer_uint(struct writer *writer, uint32_t value)
{
    if (value < WRITER_CONSTANTS && writer->uints[value] != 0)
        return writer->uints[value];
    const uint32_t id = writer_id(writer);
    WORDS_PUT(&writer->globals, SpvOpConstant, writer->uint_type, id, value);
    if (value < WRITER_CONSTANTS)
        writer->uints[value] = id;
    return id;
}

uint32_t writer_ulong(struct writer *writer, uint64_t value)
{
    if (value < WRITER_CONSTANTS && writer->ulongs[value] != 0)
        return writer->ulongs[value];
    const uint32_t id = writer_id(writer);
    WORDS_PUT(&writer->globals, SpvOpConstant, writer->ulong_type, id, (uint32_t)value,
              (uint32_t)(value >> 32));
    if (value < WRITER_CONSTANTS)
        writer->ulongs[value] = id;
    return id;
}

uint32_t writer_number(struct writer *writer, const struct spv_type *type, uint32_t value)
{
    if (type->id == writer->uint_type)
        return writer_uint(writer, value);
    if (type->id == writer->ulong_type)
        return writer_ulong(writer, value);
    const uint32_t id = writer_id(writer);
    if (type->width > 32)
        WORDS_PUT(&writer->globals, SpvOpConstant, type->id, id, value, 0);
    else
        WORDS_PUT(&writer->globals, SpvOpConstant, type->id, id, value);
    return id;
}

/* ---- types of functions ---- */

static bool is_type_of(const struct spv_type *type, const uint32_t *types, size_t count)
{
    if (type->kind != SPV_TYPE_FUNCTION || type->member_count + 1 != count ||
        type->element->id != types[0])
        return false;
    for (uint32_t i = 0; i < type->member_count; i++)
        if (type->members[i]->id != types[i + 1])
            return false;
    return true;
}

static uint32_t find_old_type(const struct writer *writer, const uint32_t *types, size_t count)
{
    for (uint32_t id = 1; id < writer->module->bound; id++)
        if (writer->module->ids[id].kind == SPV_ID_TYPE && writer->module->ids[id].type &&
            is_type_of(writer->module->ids[id].type, types, count))
            return id;
    return 0;
}

uint32_t writer_function_type(struct writer *writer, const uint32_t *types, size_t count)
{
    const struct words *made = &writer->function_types;
    uint32_t id = find_old_type(writer, types, count);
    for (size_t at = 0; id == 0 && at < made->count; at += 2 + made->at[at + 1])
        if (made->at[at + 1] == count &&
            memcmp(made->at + at + 2, types, count * sizeof *types) == 0)
            id = made->at[at];
    if (id != 0)
        return id;
    id = writer_id(writer);
    words_put(&writer->function_types, id);
    words_put(&writer->function_types, (uint32_t)count);
    words_put_all(&writer->function_types, types, count);
    words_put(&writer->globals, (uint32_t)(count + 2) << 16 | SpvOpTypeFunction);
    words_put(&writer->globals, id);
    words_put_all(&writer->globals, types, count);
    return id;
}

/* ---- calls ---- */

uint32_t writer_cast(struct writer *writer, uint32_t id, uint32_t from, uint32_t to)
{
    if (from == to)
        return id;
    const uint32_t result = writer_id(writer);
    WORDS_PUT(&writer->body, SpvOpBitcast, to, result, id);
    return result;
}

uint32_t writer_call(struct writer *writer, enum writer_check check, uint32_t pointer,
                     const uint32_t *arguments, size_t count)
{
    const struct spv_function *function = writer->checks[check];
    const struct spv_type *type = function->type;
    const uint32_t state =
        writer_cast(writer, writer->state, writer->state_type, type->members[0]->id);
    const uint32_t first = pointer != 0
                               ? writer_cast(writer, arguments[0], pointer, type->members[1]->id)
                               : arguments[0];
    const uint32_t result = writer_id(writer);
    words_put(&writer->body, (uint32_t)(5 + count) << 16 | SpvOpFunctionCall);
    words_put(&writer->body, type->element->id);
    words_put(&writer->body, result);
    words_put(&writer->body, function->id);
    words_put(&writer->body, state);
    words_put(&writer->body, first);
    words_put_all(&writer->body, arguments + 1, count - 1);
    return result;
}
