/* Lines of source for findings, looked up when one is shown: of kernels, the files that they are
 * from (viewer-cli/origin/kernel_files.h); of the host, what the debug information of the modules
 * tells that frames name, where they have some (or Debian's packages of it are installed). */
#ifndef VIEWER_CLI_SOURCE_LINES_H
#define VIEWER_CLI_SOURCE_LINES_H

#include "checkers/finding.h"
#include "trace/base/arena.h"
#include "trace/base/options.h"
#include "trace/reader.h"
#include "viewer-cli/origin/kernel_files.h"

struct source_lines;

/* For findings that were made just now; takes over `kernels`. NULL when memory is out, which
 * source_lines_add takes. */
struct source_lines *source_lines_create(struct kernel_files *kernels);
/* For findings of a trace: modules that were changed since it was begun tell nothing, nor does a
 * trace of another machine. The options may have --source-dir; NULL = none. The trace is read when
 * the first place in a kernel comes, if not at once. */
struct source_lines *source_lines_create_for(const struct options *options, struct trace *trace,
                                             bool reads_at_once);
void source_lines_destroy(struct source_lines *lines);

/* Frames become "main (app.c:12)", and the places of calls have the file and line of their
 * innermost frame that is the program's own (checkers/frame.h) and whose file is here. What changes
 * is in `arena`. */
void source_lines_add(struct source_lines *lines, struct finding *finding, struct arena *arena);

#endif
