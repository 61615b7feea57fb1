/* A file of lines that several processes append to: where findings go under `clerk run`. Lines are
 * written at once, so that a crash loses nothing and those of several processes do not mix. Any
 * thread. */
#ifndef LAYER_LINES_H
#define LAYER_LINES_H

#include "trace/base/status.h"
#include "trace/base/text.h"

struct lines;

/* Makes the file, for its owner alone, if there is none; what is not a regular file is refused. */
enum status lines_open(const char *path, struct lines **lines, struct error *error);
/* NULL is fine. */
void lines_close(struct lines *lines);
/* Appends `line` and a newline, which is added to it. The program may have closed our descriptor,
 * and opened a file of its own under its number: then the file is opened anew. */
enum status lines_append(struct lines *lines, struct text *line, struct error *error);

#endif
