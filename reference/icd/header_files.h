/* Files that a compilation needs for a moment: the headers of clCompileProgram, and the list of
 * what was included. They lie in $TMPDIR, or /tmp, under names that nobody else has. */
#ifndef REFERENCE_ICD_HEADER_FILES_H
#define REFERENCE_ICD_HEADER_FILES_H

#include "reference/icd/compile.h"

/* An empty file; its path is freed with alloc_free. NULL when it cannot be made. */
char *header_files_temporary(void);

/* Writes headers into a new directory. *directory, freed by header_files_remove, ends in a slash.
 * Names that would leave the directory are refused. */
enum status header_files_write(const struct compile_header *headers, size_t count, char **directory,
                               struct error *error);
/* Removes them and frees `directory`, which may be NULL. */
void header_files_remove(char *directory, const struct compile_header *headers, size_t count);

#endif
