/* What the files of the reader share while a module is being read. */
#ifndef REFERENCE_SPIRV_PARSE_H
#define REFERENCE_SPIRV_PARSE_H

#include "reference/spirv/module_private.h"

struct spv_parser {
    struct spv_module *module;
    struct error *error;
    const struct spv_instruction *at; /* for messages */
    uint32_t place_capacity, variable_capacity, kernel_capacity, child_capacity;
    /* The function and block under way. */
    struct spv_function *function;
    bool in_block;
    uint32_t block_capacity;
    uint32_t current_place;
    bool saw_memory_model;
};

/* "word 12 (OpLoad): ..."; each returns its status. */
enum status spv_parse_malformed(struct spv_parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum status spv_parse_unsupported(struct spv_parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum status spv_parse_no_memory(struct spv_parser *parser);

/* The first pass: the module's words in this machine's byte order, its bound and its instructions.
 */
enum status spv_parse_words(struct spv_parser *parser, const void *bytes, size_t size);
enum status spv_parse_instructions(struct spv_parser *parser);
/* How many of the `count` words the NUL-terminated string in them takes; 0 when it does not end. */
uint32_t spv_parse_string_words(const uint32_t *words, uint32_t count);

/* Each takes the instruction parser->at, whose operands follow the grammar. */
enum status spv_parse_type(struct spv_parser *parser);
enum status spv_parse_constant(struct spv_parser *parser);
enum status spv_parse_global_variable(struct spv_parser *parser);
/* Anything from OpFunction to OpFunctionEnd. */
enum status spv_parse_function(struct spv_parser *parser);
/* At the end: pointers to types that came later, initialisers of variables. */
enum status spv_parse_finish_types(struct spv_parser *parser);
enum status spv_parse_initialisers(struct spv_parser *parser);
/* Their functions, execution modes and the names of their arguments' types. */
enum status spv_parse_kernels(struct spv_parser *parser);
/* After that: the kernels that kernels enqueue. */
enum status spv_parse_children(struct spv_parser *parser);

/* Puts a copy of the item at the end of an array of the arena, which grows; `items` is where the
 * pointer to it is. */
enum status spv_parse_append(struct spv_parser *parser, void *items, uint32_t *count,
                             uint32_t *capacity, const void *item, size_t item_size);
/* Says what an id is, but for its name and decorations, which come before. Fails when that has been
 * said. */
enum status spv_parse_define(struct spv_parser *parser, uint32_t id, struct spv_id what);

#endif
