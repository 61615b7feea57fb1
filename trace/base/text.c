#include "trace/base/text.h"

#include "trace/base/alloc.h"

#include <locale.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

void text_format_v(struct text *text, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    if (length > 0 && reserve(text, (size_t)length)) {
        vsnprintf(text->bytes + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
}

void text_format(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text_format_v(text, format, list);
    va_end(list);
}

size_t utf8_decode(const void *data, size_t size, uint32_t *code)
{
    const unsigned char *bytes = data;
    const unsigned char lead = bytes[0];
    size_t length;
    uint32_t least, value;
    *code = lead;
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
    *code = value;
    return value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff) ? 0 : length;
}

bool utf8_is_hidden(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0x00, 0x1f},       {0x7f, 0x9f},       /* controls */
        {0xad, 0xad},       {0x34f, 0x34f},     /* a hyphen and a joiner that are not drawn */
        {0x61c, 0x61c},     {0x200b, 0x200f},   /* marks of direction, no width */
        {0x115f, 0x1160},   {0x3164, 0x3164},   /* fillers */
        {0xffa0, 0xffa0},   {0x17b4, 0x17b5},   /* another, vowels that are not drawn */
        {0x180b, 0x180f},   {0xfe00, 0xfe0f},   /* selectors of a form */
        {0x2028, 0x202e},   {0x2060, 0x206f},   /* ends of lines, overrides and isolates */
        {0xfeff, 0xfeff},   {0xfff0, 0xfffb},   /* byte order mark, annotations */
        {0xfffe, 0xffff},   {0x1bca0, 0x1bca3}, /* no characters, controls of shorthand */
        {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}, /* controls of music, tags, selectors */
    };
    if (code >= 0x20 && code < 0x7f)
        return false;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; ++i)
        if (code >= hidden[i].first && code <= hidden[i].last)
            return true;
    return false;
}

/* RFC 8259, 7: what is not in the basic plane is a pair of surrogates. */
static void append_json_code(struct text *text, uint32_t code)
{
    if (code > 0xffff)
        text_format(text, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
                    0xdc00 + ((code - 0x10000) & 0x3ff));
    else
        text_format(text, "\\u%04x", code);
}

void text_append_json_n(struct text *text, const void *data, size_t size)
{
    const char *bytes = data;
    text_append_char(text, '"');
    for (size_t i = 0; i < size;) {
        uint32_t code;
        const size_t length = utf8_decode(bytes + i, size - i, &code);
        if (length == 0)
            text_append(text, "\\ufffd");
        else if (code == '"' || code == '\\')
            text_format(text, "\\%c", bytes[i]);
        else if (code == '\n')
            text_append(text, "\\n");
        else if (code == '\t')
            text_append(text, "\\t");
        else if (utf8_is_hidden(code))
            append_json_code(text, code);
        else
            text_append_n(text, bytes + i, length);
        i += length ? length : 1;
    }
    text_append_char(text, '"');
}

void text_append_json(struct text *text, const char *string)
{
    text_append_json_n(text, string, strlen(string));
}

/* What stands for a character that means something else in XML; NULL = itself. */
static const char *xml_entity(uint32_t code)
{
    switch (code) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

/* XML 1.0, 2.2: what is not a character there. */
static bool is_no_xml(uint32_t code)
{
    return (code < 0x20 && code != '\n' && code != '\t') || code == 0xfffe || code == 0xffff;
}

void text_append_xml(struct text *text, const char *string)
{
    const size_t size = strlen(string);
    for (size_t i = 0; i < size;) {
        uint32_t code;
        const size_t length = utf8_decode(string + i, size - i, &code);
        const char *entity = length ? xml_entity(code) : NULL;
        if (length == 0 || is_no_xml(code))
            text_append(text, "\xef\xbf\xbd");
        else if (entity)
            text_append(text, entity);
        else if (utf8_is_hidden(code) && code != '\n' && code != '\t')
            text_format(text, "&#x%x;", code);
        else
            text_append_n(text, string + i, length);
        i += length ? length : 1;
    }
}

void text_append_shell(struct text *text, const char *string)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    if (*string && !string[strspn(string, plain)]) {
        text_append(text, string);
        return;
    }
    text_append_char(text, '\'');
    for (; *string; ++string)
        if (*string == '\'')
            text_append(text, "'\\''");
        else
            text_append_char(text, *string);
    text_append_char(text, '\'');
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

double text_read_double(const char *string, char **end)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const double value = plain ? strtod_l(string, end, plain) : strtod(string, end);
    if (plain)
        freelocale(plain);
    return value;
}
