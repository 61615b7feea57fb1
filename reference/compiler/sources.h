/* The source text of a program and of the headers it includes, by line: what reports and build logs
 * quote. */
#ifndef REFERENCE_COMPILER_SOURCES_H
#define REFERENCE_COMPILER_SOURCES_H

#include "trace/base/arena.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sources;

/* The name of clCreateProgramWithSource's text, in diagnostics and reports. */
#define SOURCES_PROGRAM "<source>"

/* NULL when memory is out. Counted: one holder; the functions may be called from any thread. */
struct sources *sources_create(void);
struct sources *sources_retain(struct sources *sources); /* NULL gives NULL */
void sources_drop(struct sources *sources);              /* NULL is fine */

/* Copies the text under a name. Before the sources are shared only. False when memory is out. */
bool sources_add(struct sources *sources, const char *name, const char *text, size_t size);

/* Takes a file of `from`, which may be NULL, over into `into`, before that is shared, and gives the
 * name that it has there: another one, in `arena`, where its own belongs to another text. A file
 * whose text is not known takes its name as well. NULL when memory is out. */
const char *sources_merge(struct sources *into, const struct sources *from, const char *name,
                          struct arena *arena);

/* As bytes and back, for a program's binary. NULL sources are written as well, and read as NULL. */
void sources_write(const struct sources *sources, struct text *text);
/* False when the bytes are not what sources_write gives, or memory is out. */
bool sources_read(const void *bytes, size_t size, struct sources **sources);

/* The text of all files, one after the other. False when memory is out. */
bool sources_text(const struct sources *sources, struct text *text);

/* The text of a line, from 1, without its end; NULL when the file or the line is not there. File
 * and line are as #line directives have them. Lives as long as the sources. Fits
 * vm_code.source_line. */
const char *sources_line(const void *sources, const char *name, uint32_t line);

#endif
