/* Text from outside as characters that can be seen.
 *
 * A terminal obeys some characters instead of showing them: escape sequences, bells, C1 controls,
 * overrides of the direction of writing; others cannot be seen at all. Names, sources and logs come
 * from whoever wrote the program, the kernel or the trace, so all that clerk prints for people goes
 * through here: such a character is shown as \x1b or \u202e, a byte that is not a UTF-8 as \xff. So
 * are the first characters of what services that run builds obey in a log: "##[" and "##vso[", and
 * "::" at the start of a line. What was made visible once stays as it is. */
#ifndef TRACE_BASE_VISIBLE_H
#define TRACE_BASE_VISIBLE_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum visible_keep {
    VISIBLE_ONE_LINE = 0, /* line ends and tabs become spaces */
    VISIBLE_LINES = 1,    /* they stay, a carriage return only before a newline */
    VISIBLE_STYLES = 2,   /* so do the colours that clerk itself uses */
};

enum { VISIBLE_SHOWN_SIZE = 13 };

/* Bytes of the character at `bytes`, of which there are `size`, not 0. What it is shown as is put
 * into `shown`; "" = it shows itself. Line ends and tabs are to be seen as \n, \r and \t. */
size_t visible_next(const char *bytes, size_t size, char shown[VISIBLE_SHOWN_SIZE]);

void text_append_visible_n(struct text *text, const void *bytes, size_t size, unsigned keep);
void text_append_visible(struct text *text, const char *string, unsigned keep);

/* On one line, into `out` of `out_size` bytes, cut after a whole character and ended with NUL. Was
 * there room for all? */
bool visible_copy(char *out, size_t out_size, const char *string);

/* One sentence to standard error; a newline at its end stays. */
void visible_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Lines, with clerk's colours; false where not all could be written. */
bool visible_print(FILE *stream, const char *bytes, size_t size);

#endif
