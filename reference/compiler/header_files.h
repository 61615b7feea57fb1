/* The headers of clCompileProgram, which lie in files while the compiler runs. */
#ifndef REFERENCE_COMPILER_HEADER_FILES_H
#define REFERENCE_COMPILER_HEADER_FILES_H

#include "reference/compiler/compile.h"
#include "trace/base/scratch.h"

/* Writes headers into a new directory, for scratch_release, also where it fails. Names that would
 * leave the directory are refused. */
enum status header_files_write(const struct compile_header *headers, size_t count,
                               struct scratch *directory, struct error *error);

#endif
