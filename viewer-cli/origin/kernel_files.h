/* The files that kernel source is from. A program that was made from a string has no file: its
 * places are "<source>:13". Where a file of the tree has exactly that text, or the text has all of
 * the file, or a string in the file is it, the place becomes that file's, and keeps what it was
 * (finding_place.compiled).
 *
 * Files are looked for once the first such place comes, where search_roots.h says. Where it is not
 * certain which file it is, the place stays as it is.
 */
#ifndef VIEWER_CLI_ORIGIN_KERNEL_FILES_H
#define VIEWER_CLI_ORIGIN_KERNEL_FILES_H

#include "checkers/finding.h"
#include "trace/base/arena.h"
#include "trace/base/options.h"
#include "trace/reader.h"

struct kernel_files;

/* Of a program that ran under `clerk run`: by its command line, and the texts that the directory of
 * program_text_keep has by then; NULL = there is none. NULL when memory is out, as below; all below
 * take that. */
struct kernel_files *kernel_files_create(const struct options *options, char *const *command,
                                         const char *texts);
/* Of a recorded run. The trace is read when the first place comes, if not at once. */
struct kernel_files *kernel_files_create_for(const struct options *options, struct trace *trace,
                                             bool reads_at_once);
void kernel_files_destroy(struct kernel_files *files);

/* What changes is in `arena`. One thread at a time. */
void kernel_files_name(struct kernel_files *files, struct finding *finding, struct arena *arena);

#endif
