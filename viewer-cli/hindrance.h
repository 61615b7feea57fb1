/* Why a program's OpenCL calls may not come to clerk, by what its file is. */
#ifndef VIEWER_CLI_HINDRANCE_H
#define VIEWER_CLI_HINDRANCE_H

#include "trace/base/text.h"

#include <stdbool.h>

/* Appends a clause in brackets: that the program, found as PATH has it, is statically linked, is
 * for another machine than clerk, or runs with other rights than its user's. False, nothing
 * appended, when nothing of that is known. */
bool hindrance_describe(const char *program, struct text *text);

#endif
