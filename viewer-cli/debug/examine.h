/* Bytes of memory as `x` of the debugger prints them: in units, with what is undefined as such. */
#ifndef VIEWER_CLI_DEBUG_EXAMINE_H
#define VIEWER_CLI_DEBUG_EXAMINE_H

#include "trace/base/text.h"
#include "trace/debug/json_object.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes: what one answer may have, and a string. */
enum { EXAMINE_SIZE_MAX = 65536, EXAMINE_STRING_MAX = 256 };

struct examine_format {
    uint64_t count; /* of units */
    char letter;   /* x, d, u, o, t, f, a or c; s = strings, i = instructions, which have no size */
    uint32_t size; /* of a unit, in bytes: 1, 2, 4 or 8 */
};

/* Takes "/4xw " from the beginning of the text; nothing is 1, x, w, but of characters b and of
 * addresses g. False where it is no such format, or too long. */
bool examine_parse(const char **text, struct examine_format *format);
uint64_t examine_size(const struct examine_format *format);
/* Appends lines of 16 bytes, or of strings, of the members of the answer to a `memory` request. */
void examine_print(const struct examine_format *format, const struct cJSON *memory,
                   struct text *text);

/* Bytes of hexadecimal digits, at most `size` of them; returns how many there were. */
size_t examine_bytes(const char *digits, uint8_t *bytes, size_t size);

#endif
