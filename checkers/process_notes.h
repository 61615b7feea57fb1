/* How the processes of a run tell `clerk run` of themselves: each appends a line to a file when it
 * makes its first OpenCL call, and one when it ends. */
#ifndef CHECKERS_PROCESS_NOTES_H
#define CHECKERS_PROCESS_NOTES_H

#include "checkers/finding.h"

/* The environment variable by which `clerk run` tells the layer into which file; between the two
 * alone. Without it nothing is told. */
#define PROCESS_NOTES "CLERK_PROCESS_NOTES"

/* A line without a newline: {"began":true,"processes":[...]}. */
void process_note_print(const struct finding_process *process, bool began, struct text *text);
/* Its inverse, in `arena`; false for every other line, or when memory is out. */
bool process_note_parse(const char *line, struct arena *arena, struct finding_process *process,
                        bool *began);

#endif
