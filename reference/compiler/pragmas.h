/* OpenCL C 3.0, 6.12: `#pragma OPENCL EXTENSION name : enable` is an error if the extension is not
 * supported, and none if it is. clang knows some extensions of the device by their functions alone,
 * or not at all, and warns of such a line; with -Werror the program would not be built. */
#ifndef REFERENCE_COMPILER_PRAGMAS_H
#define REFERENCE_COMPILER_PRAGMAS_H

#include <stddef.h>

/* Writes spaces over pragmas that enable or disable extensions which the device has and clang is
 * not told of. Lines and columns stay. */
void pragmas_blank(char *text, size_t size);

#endif
