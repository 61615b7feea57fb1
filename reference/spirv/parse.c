/* What every part of the reader needs: to fail, to grow an array, to define an id. */
#include "reference/spirv/parse.h"

#include "reference/spirv/grammar.h"

#include <stdarg.h>
#include <string.h>

enum status spv_parse_fail(struct spv_parser *parser, enum status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    error_set_v(parser->error, status, format, list);
    va_end(list);
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

enum status spv_parse_no_memory(struct spv_parser *parser)
{
    return error_set(parser->error, STATUS_NO_MEMORY, "out of memory while reading SPIR-V");
}

void *spv_parse_grow(struct spv_parser *parser, void *items, size_t count, size_t *capacity,
                     size_t item_size)
{
    if (count < *capacity)
        return items;
    const size_t wanted = *capacity == 0 ? 8 : *capacity * 2;
    void *grown = arena_alloc(&parser->module->arena, wanted, item_size);
    if (grown == NULL) {
        spv_parse_no_memory(parser);
        return NULL;
    }
    if (count > 0)
        memcpy(grown, items, count * item_size);
    *capacity = wanted;
    return grown;
}

enum status spv_parse_define(struct spv_parser *parser, uint32_t id, enum spv_id_kind kind,
                             struct spv_id **entry)
{
    *entry = &parser->module->ids[id];
    if ((*entry)->kind != SPV_ID_NONE)
        return spv_parse_fail(parser, STATUS_MALFORMED, "id %u is defined twice", id);
    (*entry)->kind = kind;
    return STATUS_OK;
}
