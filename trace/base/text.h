/* A growing string, for everything clerk prints. It is always a valid NUL-terminated string; a
 * failed allocation is remembered (`failed`) and later appends do nothing, so a writer checks once,
 * at the end. Numbers and text do not depend on the locale. One thread at a time per text. */
#ifndef TRACE_BASE_TEXT_H
#define TRACE_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start with `struct text text = TEXT_INIT;`, end with text_release. `bytes` is owned by the text
 * and moves with the next append. */
struct text {
    char *bytes;
    size_t size, capacity; /* size excludes the NUL */
    bool failed;
};

extern char text_empty[1]; /* always "" */
#define TEXT_INIT                                                                                  \
    {                                                                                              \
        .bytes = text_empty                                                                        \
    }

void text_append(struct text *text, const char *string);
void text_append_n(struct text *text, const void *bytes, size_t size);
void text_append_char(struct text *text, char character);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_format_v(struct text *text, const char *format, va_list list);
/* A JSON string with its quotes (RFC 8259); bytes that are not UTF-8 become U+FFFD, and hidden
 * characters are escaped. */
void text_append_json(struct text *text, const char *string);
void text_append_json_n(struct text *text, const void *bytes, size_t size);
/* As the text of an XML 1.0 element or attribute; what XML has no character for becomes U+FFFD, and
 * hidden characters are references. */
void text_append_xml(struct text *text, const char *string);
/* As one word of a POSIX shell, in quotes where it needs them. */
void text_append_shell(struct text *text, const char *string);
/* Empties it, keeping the memory. */
void text_clear(struct text *text);
/* Frees the memory; the text is then as after TEXT_INIT. */
void text_release(struct text *text);
/* Gives the string away (the caller frees it with alloc_free); NULL if anything failed. */
char *text_detach(struct text *text);

/* strtod, whatever the program's locale is. */
double text_read_double(const char *string, char **end);

/* Length of the valid UTF-8 sequence (RFC 3629) at `bytes`, of which there are `size`, not 0; 0 if
 * there is none. */
size_t utf8_decode(const void *bytes, size_t size, uint32_t *code);
/* Does a terminal obey the character, or show nothing, or others in another order? Line ends and
 * tabs are among these. */
bool utf8_is_hidden(uint32_t code);

#endif
