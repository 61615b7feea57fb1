/* The text that a source file gives a program: the file itself, and the strings that are written
 * in it, escapes resolved and neighbours joined as the compiler of C or C++, or Python, joins
 * them. */
#ifndef VIEWER_CLI_ORIGIN_LITERALS_H
#define VIEWER_CLI_ORIGIN_LITERALS_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From byte `at` of a piece on, up to the next run, bytes stand side by side in the file. */
struct literal_run {
    size_t at;
    uint32_t line, column; /* in the file, from 1 */
};

struct literal_piece {
    struct text text;
    struct literal_run *runs; /* in the order of `at`; the first is of 0 */
    size_t count, capacity;
    bool is_literal; /* a string; else the file itself */
    bool failed;     /* memory is out */
};

/* Called for the file as a whole, and for each string of at least `least` bytes. The piece lives
 * during the call. */
typedef void literal_visit(void *user, const struct literal_piece *piece);
void literals_each(const char *bytes, size_t size, bool is_python, size_t least,
                   literal_visit *visit, void *user);
/* The file as a whole alone. */
void literals_whole(const char *bytes, size_t size, literal_visit *visit, void *user);

#endif
