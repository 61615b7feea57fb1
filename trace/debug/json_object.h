/* What a reader of a message wants of it: of the debugger's own (message.h), and of those that a
 * client of the Debug Adapter Protocol makes. Nothing is believed of either: what is absent, or of
 * another type, reads as absent. JSON is written by trace/base/json.h.
 *
 * One thread at a time per object. */
#ifndef TRACE_DEBUG_JSON_OBJECT_H
#define TRACE_DEBUG_JSON_OBJECT_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

/* One object with nothing behind it but spaces; else STATUS_MALFORMED. Its nesting is bounded.
 * Ended by json_object_release. */
enum status json_object_parse(const char *bytes, size_t size, struct cJSON **object,
                              struct error *error);
void json_object_release(struct cJSON *object); /* NULL is fine */

/* `object` may be NULL, or no object: nothing is in it then. What is returned lives as long as it
 * does, and is NULL where there is nothing. */
const struct cJSON *json_object_item(const struct cJSON *object, const char *key);
const char *json_object_text(const struct cJSON *object, const char *key);
/* A whole number that is not negative, also as digits in a string, as json_number writes large
 * ones. False where there is none: *number stays. */
bool json_object_number(const struct cJSON *object, const char *key, uint64_t *number);
/* A whole number of any sign. */
bool json_object_integer(const struct cJSON *object, const char *key, int64_t *number);
/* Is it there, and true? */
bool json_object_flag(const struct cJSON *object, const char *key);

/* The first item of an array (or member of an object), and the next of one; NULL behind the last.
 */
const struct cJSON *json_array_first(const struct cJSON *array);
const struct cJSON *json_array_next(const struct cJSON *item);
/* The item itself, as the functions above have it of a member. */
const char *json_item_text(const struct cJSON *item);
bool json_item_number(const struct cJSON *item, uint64_t *number);
/* What a member of an object is called; NULL of an array's item. */
const char *json_item_key(const struct cJSON *item);

#endif
