/* The parts of JSON (RFC 8259) that are written piece by piece into a text: they put the commas. */
#ifndef TRACE_BASE_JSON_H
#define TRACE_BASE_JSON_H

#include "trace/base/text.h"

#include <stdint.h>

/* "KEY": in an object that is open. */
void json_key(struct text *text, const char *key);
/* The comma before a further item of an array that is open. */
void json_item(struct text *text);
/* "KEY":"VALUE"; nothing when `value` is NULL. */
void json_string(struct text *text, const char *key, const char *value);
/* "KEY":N; a string of digits above 2^53, which not every reader keeps exactly. */
void json_number(struct text *text, const char *key, uint64_t value);
/* The same; nothing when the value is 0. */
void json_known_number(struct text *text, const char *key, uint64_t value);

#endif
