/* The text of a part of a program after the preprocessor: no include, condition or macro is left in
 * it but what the driver's own compiler has to expand. */
#ifndef REFERENCE_PROBE_PREPROCESS_H
#define REFERENCE_PROBE_PREPROCESS_H

#include "reference/probe/clang.h"

#include <stddef.h>
#include <stdint.h>

/* From this offset on, lines of a file, until the next one. */
struct line_marker {
    size_t offset;
    uint32_t line;
    const char *file; /* SOURCES_PROGRAM for the text of the program itself */
};

struct preprocessed {
    struct text text; /* line markers stand in it as `# LINE "FILE"` */
    struct line_marker *markers;
    size_t marker_count;
    struct arena arena; /* of the markers */
};

/* Release it in either case. */
enum status preprocess(const struct clang *clang, const struct request_part *part,
                       struct preprocessed *preprocessed, struct error *error);
void preprocessed_release(struct preprocessed *preprocessed);

/* The file and line of an offset. */
void preprocessed_place(const struct preprocessed *preprocessed, size_t offset, const char **file,
                        uint32_t *line);

/* ---- preprocess_text.c ---- */

/* Turns what `clang -E -dD` writes of a text that begins at `#line 1 "<source>"` into the text
 * without what stands before, and without the definitions of macros; `directory` is left out of the
 * names of files. False when memory is out. */
bool preprocess_tidy(const struct text *written, const char *directory,
                     struct preprocessed *preprocessed);

/* ---- preprocess_macros.c ---- */

/* Appends definitions of the macros that OpenCL C has on the device. What may differ between
 * drivers, or is no number, is defined as itself. */
enum status preprocess_append_macros(const struct clang *clang, struct text *text,
                                     struct error *error);

#endif
