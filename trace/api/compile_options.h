/* The directories among the options of clBuildProgram and clCompileProgram. */
#ifndef TRACE_API_COMPILE_OPTIONS_H
#define TRACE_API_COMPILE_OPTIONS_H

#include "trace/base/text.h"

#include <stddef.h>

/* As "-I DIRECTORY" and "-IDIRECTORY" name them, quotes taken off. */
struct include_directories {
    char **items;
    size_t count, capacity;
};

/* What does not fit into memory is left out. Zero-initialised; released by the second. */
void include_directories_parse(const char *options, size_t size,
                               struct include_directories *directories);
void include_directories_release(struct include_directories *directories);

/* Appends an option that names ROOT/PATH. */
void include_directory_print(const char *root, const char *path, struct text *options);
/* Appends the options with other directories: each is the absolute path of what it was, below
 * `root`; relative ones are of `base`. */
void include_directories_move(const char *options, size_t size, const char *root, const char *base,
                              struct text *moved);

/* The absolute path without "." and "..", of a path that may be one of `base`; links are not
 * followed. Freed with alloc_free; NULL when memory is out. */
char *path_normalise(const char *base, const char *path);

#endif
