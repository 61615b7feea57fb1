/* Files that kernel source may be from: those with an ending that sources have, below some
 * directories. The walk is bounded, breadth first, follows no link, stays on the file system that
 * a directory is on, and passes over what is hidden and what builds make. */
#ifndef VIEWER_CLI_ORIGIN_TREE_H
#define VIEWER_CLI_ORIGIN_TREE_H

#include "trace/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    TREE_DEPTH_MAX = 12,
    TREE_ENTRIES_MAX = 50000,     /* names that are looked at below a directory that is added */
    TREE_FILES_MAX = 5000,        /* of these, that may have source */
    TREE_FILE_SIZE_MAX = 4 << 20, /* a larger one is passed over */
};

struct tree_file {
    const char *path;  /* of the file */
    const char *shown; /* below the current directory from there; else the same */
    bool has_literals; /* it is source of a host's language: C, C++, Python */
};

struct tree {
    struct tree_file *files; /* the nearest first */
    size_t count, capacity;
    struct arena *arena;
    char *current; /* the current directory; NULL = not known */
};

/* Is it a tree that a build made, or below one? */
bool tree_is_built(const char *directory);
/* Has the name an ending of source, of a kernel or of a program? */
bool tree_is_source(const char *name);

/* Adds the files below one directory: those of an earlier one are nearer. What is no directory
 * has none. */
void tree_add(struct tree *tree, const char *directory);
/* Not the arena. */
void tree_release(struct tree *tree);

#endif
