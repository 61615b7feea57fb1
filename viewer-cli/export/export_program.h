/* The text of a C program that performs one launch, and compares what it leaves, with nothing of
 * clerk. Memory lies beside it in files named after the objects: buffer_1.found, buffer_1.left. */
#ifndef VIEWER_CLI_EXPORT_EXPORT_PROGRAM_H
#define VIEWER_CLI_EXPORT_EXPORT_PROGRAM_H

#include "trace/base/text.h"
#include "viewer-cli/export/export_launch.h"

/* `origin` says where the launch comes from, in one line. */
void export_print_program(const struct export_launch *launch, const char *origin,
                          struct text *text);
void export_print_cmake(struct text *text);
void export_print_readme(const struct export_launch *launch, const char *origin, struct text *text);

#endif
