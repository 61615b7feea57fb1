#include "trace/base/text.h"

#include "trace/base/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What `bytes` points to while nothing was allocated; capacity 0 tells. */
char text_empty[1];

static bool reserve(struct text *text, size_t more)
{
    if (text->failed)
        return false;
    const size_t needed = text->size + more + 1;
    if (needed <= text->capacity)
        return true;
    size_t capacity = text->capacity < 64 ? 64 : text->capacity * 2;
    if (capacity < needed)
        capacity = needed;
    char *bytes = alloc_resize(text->capacity ? text->bytes : NULL, capacity);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    bytes[text->size] = 0;
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void text_append_n(struct text *text, const void *bytes, size_t size)
{
    if (!size || !reserve(text, size))
        return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = 0;
}

void text_append(struct text *text, const char *string)
{
    text_append_n(text, string, strlen(string));
}

void text_append_char(struct text *text, char character)
{
    text_append_n(text, &character, 1);
}

void text_format(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length <= 0 || !reserve(text, (size_t)length))
        return;
    va_start(list, format);
    vsnprintf(text->bytes + text->size, (size_t)length + 1, format, list);
    va_end(list);
    text->size += (size_t)length;
}

/* Length of the valid UTF-8 sequence at `bytes` (RFC 3629), 0 if there is none. */
static size_t utf8_length(const unsigned char *bytes, size_t size)
{
    const unsigned char lead = bytes[0];
    size_t length;
    uint32_t least, value;
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        length = 2, least = 0x80, value = lead & 0x1f;
    else if ((lead & 0xf0) == 0xe0)
        length = 3, least = 0x800, value = lead & 0x0f;
    else if (lead >= 0xf0 && lead <= 0xf4)
        length = 4, least = 0x10000, value = lead & 0x07;
    else
        return 0;
    if (length > size)
        return 0;
    for (size_t i = 1; i < length; ++i) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    return value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff) ? 0 : length;
}

void text_append_json_n(struct text *text, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    text_append_char(text, '"');
    for (size_t i = 0; i < size;) {
        const size_t length = utf8_length(bytes + i, size - i);
        if (length == 0) {
            text_append(text, "\\ufffd");
            ++i;
            continue;
        }
        if (bytes[i] == '"' || bytes[i] == '\\')
            text_format(text, "\\%c", bytes[i]);
        else if (bytes[i] == '\n')
            text_append(text, "\\n");
        else if (bytes[i] == '\t')
            text_append(text, "\\t");
        else if (bytes[i] < 0x20 || bytes[i] == 0x7f)
            text_format(text, "\\u%04x", bytes[i]);
        else
            text_append_n(text, bytes + i, length);
        i += length;
    }
    text_append_char(text, '"');
}

void text_append_json(struct text *text, const char *string)
{
    text_append_json_n(text, string, strlen(string));
}

/* What stands for a character that means something else in XML, or is none. */
static const char *xml_entity(unsigned char character)
{
    switch (character) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\n':
    case '\t':
        return NULL;
    default:
        return character < 0x20 ? "\xef\xbf\xbd" : NULL;
    }
}

void text_append_xml(struct text *text, const char *string)
{
    const unsigned char *bytes = (const unsigned char *)string;
    const size_t size = strlen(string);
    for (size_t i = 0; i < size;) {
        const size_t length = utf8_length(bytes + i, size - i);
        const bool is_none = length == 3 && bytes[i] == 0xef && bytes[i + 1] == 0xbf &&
                             bytes[i + 2] >= 0xbe; /* U+FFFE and U+FFFF */
        const char *entity = length == 0 || is_none ? "\xef\xbf\xbd" : xml_entity(bytes[i]);
        if (entity)
            text_append(text, entity);
        else
            text_append_n(text, bytes + i, length);
        i += length ? length : 1;
    }
}

void text_clear(struct text *text)
{
    text->size = 0;
    text->failed = false;
    if (text->capacity)
        text->bytes[0] = 0;
}

void text_release(struct text *text)
{
    if (text->capacity)
        alloc_free(text->bytes);
    *text = (struct text){.bytes = text_empty};
}

char *text_detach(struct text *text)
{
    char *result = NULL;
    if (reserve(text, 0))
        result = text->bytes;
    else if (text->capacity)
        alloc_free(text->bytes);
    *text = (struct text){.bytes = text_empty};
    return result;
}
