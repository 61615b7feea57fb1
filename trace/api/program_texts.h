/* The texts of programs, kept beside what is found in them: whoever builds one writes it to a file,
 * and `clerk run` looks there for the files that kernels are from when the program has ended. */
#ifndef TRACE_API_PROGRAM_TEXTS_H
#define TRACE_API_PROGRAM_TEXTS_H

#include <stddef.h>

/* The environment variable by which `clerk run` tells into which directory; between it, the layer
 * and the reference device alone. Without it nothing is kept. */
#define PROGRAM_TEXTS_DIRECTORY "CLERK_PROGRAM_TEXTS"

/* Bytes of a text that is kept, and of all that a process keeps. */
enum { PROGRAM_TEXT_SIZE_MAX = 16 << 20, PROGRAM_TEXTS_SIZE_MAX = 128 << 20 };

/* Any thread. What cannot be written is not kept: places in it stay without a file. */
void program_text_keep(const void *text, size_t size);

#endif
