/* Debug information as text, for tests that say all of it. */
#ifndef TESTS_UNIT_SPIRV_DEBUG_TABLE_H
#define TESTS_UNIT_SPIRV_DEBUG_TABLE_H

#include "reference/spirv/debug_info.h"
#include "reference/spirv/module.h"
#include "trace/base/text.h"

/* A type as it is referred to, prefixes first: "*global const [2][4]int", "<4>float". */
void debug_table_type(const struct debug_type *type, struct text *text);
/* A line for each type that has a name or members, in the order of the module. */
void debug_table_types(const struct debug_info *info, struct text *text);
/* The tree of scopes with their variables and where these are; `module`, the stripped one, gives
 * ids the names that they have there. */
void debug_table_scopes(const struct debug_info *info, const struct spv_module *module,
                        struct text *text);
/* A line "7: {5 k2 0 | x:6 out:1": the scopes that the first instruction of a line is in, and the
 * variables that it sees, with the lines that they are declared in. None where no instruction is of
 * that line. */
void debug_table_visible(const struct debug_info *info, const struct spv_module *module,
                         uint32_t line, struct text *text);

#endif
