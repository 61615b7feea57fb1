/* Which files have the text of a program, or a part of it, or strings that it was put together
 * from; and so where in a file a place of the text stands. Texts have to be equal, byte by byte. */
#ifndef VIEWER_CLI_ORIGIN_MATCHES_H
#define VIEWER_CLI_ORIGIN_MATCHES_H

#include "trace/base/arena.h"
#include "viewer-cli/origin/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct match;

struct matches {
    struct match *first;
    struct arena *arena;
};

/* Where several files that differ have the text, it is from the one that the command line names, or
 * that has the name of the program, as app.c has that of "app". */
struct matches_hint {
    const char *const *names; /* "reduce.py", without directories */
    size_t count;
};

/* Looks at every file; the tree and the arena live as long as the matches. */
void matches_find(struct matches *matches, const struct tree *tree, const char *text, size_t size);

/* The place of byte `offset` of the text. False when no file has it, or it is not certain which. */
struct matches_place {
    const struct tree_file *file;
    uint32_t line, column;
};
bool matches_place(const struct matches *matches, const struct matches_hint *hint, size_t offset,
                   struct matches_place *place);

#endif
