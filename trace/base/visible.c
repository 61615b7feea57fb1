#include "trace/base/visible.h"

#include "trace/base/standard_error.h"
#include "trace/base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool starts_with(const char *bytes, size_t size, const char *start)
{
    const size_t length = strlen(start);
    return length <= size && memcmp(bytes, start, length) == 0;
}

/* What GitHub Actions (the first) and Azure Pipelines obey wherever it stands in a log. */
static bool is_log_command(const char *bytes, size_t size)
{
    return starts_with(bytes, size, "##[") || starts_with(bytes, size, "##vso[");
}

size_t visible_next(const char *bytes, size_t size, char shown[VISIBLE_SHOWN_SIZE])
{
    uint32_t code;
    const size_t length = utf8_decode(bytes, size, &code);
    shown[0] = 0;
    if (length == 0 || is_log_command(bytes, size))
        snprintf(shown, VISIBLE_SHOWN_SIZE, "\\x%02x", (unsigned char)bytes[0]);
    else if (!utf8_is_hidden(code))
        return length;
    else if (code == '\n' || code == '\r' || code == '\t')
        snprintf(shown, VISIBLE_SHOWN_SIZE, code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t");
    else
        snprintf(shown, VISIBLE_SHOWN_SIZE,
                 code < 0x80      ? "\\x%02x"
                 : code <= 0xffff ? "\\u%04x"
                                  : "\\U%08x",
                 code);
    return length ? length : 1;
}

/* The colours that findings, the summary and the titles of tables have. */
static size_t style_size(const char *bytes, size_t size)
{
    static const char *const styles[] = {"\x1b[0m",    "\x1b[1m",    "\x1b[1;31m", "\x1b[1;32m",
                                         "\x1b[1;33m", "\x1b[1;34m", "\x1b[1;36m"};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; ++i) {
        if (starts_with(bytes, size, styles[i]))
            return strlen(styles[i]);
    }
    return 0;
}

/* Bytes at `bytes` that stay although they are hidden. */
static size_t kept_size(const char *bytes, size_t size, unsigned keep)
{
    if (keep & VISIBLE_LINES && (*bytes == '\n' || *bytes == '\t'))
        return 1;
    if (keep & VISIBLE_LINES && *bytes == '\r' && size > 1 && bytes[1] == '\n')
        return 2;
    return keep & VISIBLE_STYLES && *bytes == '\x1b' ? style_size(bytes, size) : 0;
}

static bool is_space(char character)
{
    return character == '\n' || character == '\r' || character == '\t';
}

void text_append_visible_n(struct text *text, const void *data, size_t size, unsigned keep)
{
    const char *bytes = data;
    const bool is_outside = !(keep & VISIBLE_STYLES); /* not clerk's own lines */
    bool begins_line = is_outside;                    /* but for blanks */
    size_t start = 0;                                 /* from here on nothing was appended */
    for (size_t i = 0; i < size;) {
        char shown[VISIBLE_SHOWN_SIZE];
        /* GitHub Actions obeys lines that begin so. */
        if (begins_line && starts_with(bytes + i, size - i, "::")) {
            text_append_n(text, bytes + start, i - start);
            text_append(text, "\\x3a");
            start = ++i;
            begins_line = false;
            continue;
        }
        begins_line = begins_line && (bytes[i] == ' ' || is_space(bytes[i]));
        if (bytes[i] >= ' ' && bytes[i] < 0x7f && bytes[i] != '#') {
            ++i;
            continue;
        }
        const size_t kept = kept_size(bytes + i, size - i, keep);
        if (kept) {
            begins_line = begins_line || (is_outside && bytes[i] != '\t');
            i += kept;
            continue;
        }
        const size_t length = visible_next(bytes + i, size - i, shown);
        if (*shown) {
            text_append_n(text, bytes + start, i - start);
            text_append(text, is_space(bytes[i]) && !(keep & VISIBLE_LINES) ? " " : shown);
            start = i + length;
        }
        i += length;
    }
    text_append_n(text, bytes + start, size - start);
}

void text_append_visible(struct text *text, const char *string, unsigned keep)
{
    text_append_visible_n(text, string, strlen(string), keep);
}

bool visible_copy(char *out, size_t out_size, const char *string)
{
    size_t used = 0;
    size_t left = strlen(string);
    while (left > 0) {
        char shown[VISIBLE_SHOWN_SIZE];
        const size_t length = visible_next(string, left, shown);
        const char *from = is_space(*string) ? " " : *shown ? shown : string;
        const size_t size = from == string ? length : strlen(from);
        if (used + size >= out_size)
            break;
        memcpy(out + used, from, size);
        used += size;
        string += length;
        left -= length;
    }
    if (out_size)
        out[used] = 0;
    return left == 0;
}

/* Without an allocation: that memory is out is told too. */
void visible_tell(const char *format, ...)
{
    enum { TOLD_SIZE = ERROR_TEXT_SIZE + 512 };
    char told[TOLD_SIZE];
    char shown[TOLD_SIZE];
    va_list list;
    if (!standard_error_is_there())
        return;
    va_start(list, format);
    vsnprintf(told, sizeof told, format, list);
    va_end(list);
    const size_t size = strlen(told);
    const bool ends_line = size > 0 && told[size - 1] == '\n';
    if (ends_line)
        told[size - 1] = 0;
    const bool is_whole = visible_copy(shown, sizeof shown, told) && size + 1 < sizeof told;
    fprintf(stderr, "%s%s%s", shown, is_whole ? "" : "...", ends_line || !is_whole ? "\n" : "");
}

bool visible_print(FILE *stream, const char *bytes, size_t size)
{
    struct text shown = TEXT_INIT;
    text_append_visible_n(&shown, bytes, size, VISIBLE_LINES | VISIBLE_STYLES);
    const bool printed = !shown.failed && fwrite(shown.bytes, 1, shown.size, stream) == shown.size;
    text_release(&shown);
    return printed;
}
