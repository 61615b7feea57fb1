/* What every part of the reader needs: to fail, to grow an array, to define an id. */
#include "reference/spirv/parse.h"

#include "reference/spirv/grammar.h"

#include <stdarg.h>
#include <string.h>

static enum status fail(struct spv_parser *parser, enum status status, const char *format,
                        va_list list)
{
    error_set_v(parser->error, status, format, list);
    if (parser->at != NULL) {
        const struct spv_place *place = &parser->module->places[parser->at->place];
        if (parser->at->place != 0)
            error_prefix(parser->error, "%s:%u:%u: error: SPIR-V word %u (%s)", place->file,
                         place->line, place->column, parser->at->word, spv_op_name(parser->at->op));
        else
            error_prefix(parser->error, "SPIR-V word %u (%s)", parser->at->word,
                         spv_op_name(parser->at->op));
    }
    return status;
}

enum status spv_parse_malformed(struct spv_parser *parser, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const enum status status = fail(parser, STATUS_MALFORMED, format, list);
    va_end(list);
    return status;
}

enum status spv_parse_unsupported(struct spv_parser *parser, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const enum status status = fail(parser, STATUS_UNSUPPORTED, format, list);
    va_end(list);
    return status;
}

enum status spv_parse_no_memory(struct spv_parser *parser)
{
    return error_set(parser->error, STATUS_NO_MEMORY, "out of memory while reading SPIR-V");
}

enum status spv_parse_append(struct spv_parser *parser, void *items, uint32_t *count,
                             uint32_t *capacity, const void *item, size_t item_size)
{
    uint8_t *array;
    memcpy(&array, items, sizeof array);
    if (*count == *capacity) {
        const uint32_t wanted = *capacity == 0 ? 8 : *capacity * 2;
        uint8_t *grown = arena_alloc(&parser->module->arena, wanted, item_size);
        if (grown == NULL)
            return spv_parse_no_memory(parser);
        if (*count > 0)
            memcpy(grown, array, *count * item_size);
        memcpy(items, &grown, sizeof grown);
        *capacity = wanted;
        array = grown;
    }
    memcpy(array + (*count)++ * item_size, item, item_size);
    return STATUS_OK;
}

enum status spv_parse_define(struct spv_parser *parser, uint32_t id, struct spv_id what)
{
    struct spv_id *entry = &parser->module->ids[id];
    if (entry->kind != SPV_ID_NONE)
        return spv_parse_malformed(parser, "id %u is defined twice", id);
    what.name = entry->name;
    what.decorations = entry->decorations;
    *entry = what;
    return STATUS_OK;
}
