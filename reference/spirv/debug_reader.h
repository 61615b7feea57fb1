/* What the files of the reader of debug information share while a module is being read. */
#ifndef REFERENCE_SPIRV_DEBUG_READER_H
#define REFERENCE_SPIRV_DEBUG_READER_H

#include "reference/spirv/debug_info.h"

/* Both sets number what they have in common alike. */
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/OpenCLDebugInfo100.h>

/* ---- debug_words.c: the words, by id ---- */

enum debug_entry_kind {
    DEBUG_ENTRY_NONE,
    DEBUG_ENTRY_STRING,
    DEBUG_ENTRY_CONSTANT, /* of an integer */
    DEBUG_ENTRY_VOID,
    DEBUG_ENTRY_VARIABLE,
    DEBUG_ENTRY_FUNCTION,
    DEBUG_ENTRY_DEBUG, /* a debugging instruction: its number, then its operands */
};

struct debug_entry {
    uint32_t word; /* of the first operand after the result, or after the number */
    uint16_t count, number;
    uint8_t kind, set;
    void *made; /* what was made of it, by kind and number */
};

/* A type under way, and what of it is not to be changed any more later. */
struct debug_made_type {
    struct debug_type type;
    struct debug_member *members;
    struct debug_enumerator *enumerators;
    const struct debug_type **parameters;
};

struct debug_reader {
    struct debug_info *info;
    struct arena *arena;  /* of the information */
    struct arena scratch; /* until the end of the reading */
    struct spv_walker module;
    struct debug_entry *entries; /* by id */
    uint32_t bound;
    struct debug_entry **instructions; /* the debugging ones with a result, in order */
    uint32_t instruction_count;
    bool narrow; /* pointers have 4 bytes */
    bool failed; /* memory is out */
    struct debug_made_type **types;
    uint32_t type_count, type_capacity;
    struct debug_scope *scopes;
    struct debug_inlining *inlinings;
    struct debug_variable *variables;
    uint32_t variable_count;
    struct debug_location *locations;
    uint32_t location_count, location_capacity;
};

/* Zeroed memory of either arena; NULL sets `failed`. */
void *debug_alloc(struct debug_reader *reader, uint32_t count, size_t size);
void *debug_scratch(struct debug_reader *reader, uint32_t count, size_t size);
/* Room for one more item in an array of the scratch arena, zeroed; NULL sets `failed`. `items` is
 * where the pointer to it is. */
void *debug_append(struct debug_reader *reader, void *items, uint32_t *count, uint32_t *capacity,
                   size_t item_size);

/* Fills entries and instructions; without any, there is no debug information. */
void debug_read_words(struct debug_reader *reader);

/* An operand, 0 where it is missing: neither an id nor a flag. */
uint32_t debug_operand(const struct debug_reader *reader, const struct debug_entry *entry,
                       uint32_t index);
/* An operand that is a number, whichever the set; 0 where it is none. */
uint32_t debug_number(const struct debug_reader *reader, const struct debug_entry *entry,
                      uint32_t index);
/* The integer that an id is a constant of, without a sign. */
bool debug_constant(const struct debug_reader *reader, uint32_t id, uint64_t *value);
/* The string that an operand names, "" where it is none. */
const char *debug_string(struct debug_reader *reader, const struct debug_entry *entry,
                         uint32_t index);
/* The debugging instruction that an operand names, or NULL. */
struct debug_entry *debug_find(const struct debug_reader *reader, uint32_t id);
/* That, if it has the number. */
struct debug_entry *debug_find_number(const struct debug_reader *reader, uint32_t id,
                                      uint32_t number);

/* Items whose chains of parents lead in a circle, or are too long, lose the parent where that is.
 * `parents` has the index of each item's parent; UINT32_MAX = none. */
void debug_cut_parents(struct debug_reader *reader, uint32_t *parents, uint32_t count);

/* ---- debug_types.c, debug_scopes.c, debug_variables.c, debug_code.c, in that order ---- */

void debug_read_types(struct debug_reader *reader);
/* The type that an id names; unknown where it names none. */
const struct debug_type *debug_type_of(const struct debug_reader *reader, uint32_t id);

/* Sources, scopes and expanded calls. */
void debug_read_scopes(struct debug_reader *reader);
/* NULL where there is none. */
const struct debug_scope *debug_scope_of(const struct debug_reader *reader, uint32_t id);
const struct debug_source *debug_source_of(const struct debug_reader *reader, uint32_t id);
const struct debug_inlining *debug_inlining_of(const struct debug_reader *reader, uint32_t id);

/* Variables, and the locations of global ones. */
void debug_read_variables(struct debug_reader *reader);

/* DebugDeclare and DebugValue. */
struct debug_telling {
    const struct debug_entry *entry;
    bool value;
    uint32_t word, line, column; /* of the next instruction; of OpLine */
    const struct debug_inlining *inlining;
};
void debug_locate(struct debug_reader *reader, const struct debug_telling *telling);
/* Puts variables and locations into their final order. */
void debug_finish_variables(struct debug_reader *reader);

/* Goes through the functions: contexts, ranges, functions, locations. */
void debug_read_code(struct debug_reader *reader);

#endif
