#include "trace/base/json.h"

#include <inttypes.h>

/* After an opening bracket no comma stands. */
static void append_comma(struct text *text)
{
    const char last = text->size > 0 ? text->bytes[text->size - 1] : '{';
    if (last != '{' && last != '[')
        text_append_char(text, ',');
}

void json_key(struct text *text, const char *key)
{
    append_comma(text);
    text_append_json(text, key);
    text_append_char(text, ':');
}

void json_item(struct text *text)
{
    append_comma(text);
}

void json_string(struct text *text, const char *key, const char *value)
{
    if (!value)
        return;
    json_key(text, key);
    text_append_json(text, value);
}

void json_number(struct text *text, const char *key, uint64_t value)
{
    json_key(text, key);
    text_format(text, value <= UINT64_C(1) << 53 ? "%" PRIu64 : "\"%" PRIu64 "\"", value);
}

void json_known_number(struct text *text, const char *key, uint64_t value)
{
    if (value)
        json_number(text, key, value);
}
