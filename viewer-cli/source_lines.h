/* Lines of the host's source for the frames of findings, from the debug information of the modules
 * that the frames name, where they have some (or Debian's packages of it are installed). Looked up
 * when a finding is shown. */
#ifndef VIEWER_CLI_SOURCE_LINES_H
#define VIEWER_CLI_SOURCE_LINES_H

#include "checkers/finding.h"
#include "trace/base/arena.h"
#include "trace/reader.h"

struct source_lines;

/* For findings that were made just now. NULL when memory is out, which source_lines_add takes. */
struct source_lines *source_lines_create(void);
/* For findings of a trace: modules that were changed since it was begun tell nothing. NULL for a
 * trace of another machine. */
struct source_lines *source_lines_create_for(struct trace *trace);
void source_lines_destroy(struct source_lines *lines);

/* Frames become "main (app.c:12)", and the places of calls have the file and line of their
 * innermost frame that is the program's own (checkers/frame.h) and whose file is here. What changes
 * is in `arena`. */
void source_lines_add(struct source_lines *lines, struct finding *finding, struct arena *arena);

#endif
