/* Files and paths. Paths are NUL-terminated; results are freed with alloc_free. */
#ifndef TRACE_BASE_FILE_H
#define TRACE_BASE_FILE_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* The whole file, with a NUL behind its last byte that *size does not count. A file of more than
 * `max_size` bytes is refused (STATUS_UNSUPPORTED). Pipes are read to their end. */
enum status file_read(const char *path, size_t max_size, void **bytes, size_t *size,
                      struct error *error);
/* Replaces the file at once: written under another name in the same directory, then renamed. */
enum status file_write(const char *path, const void *bytes, size_t size, struct error *error);

bool file_exists(const char *path);
bool file_is_directory(const char *path);
/* mkdir -p. */
enum status directory_create(const char *path, struct error *error);
/* Removes the files in a directory and then the directory; does not descend. Missing is fine. */
enum status directory_remove(const char *path, struct error *error);

/* "a" and "b" to "a/b"; an absolute `name` stays as it is. NULL when memory is out. */
char *path_join(const char *directory, const char *name);
/* What stands before the last slash; "." if there is none. */
char *path_directory(const char *path);
/* The part behind the last slash; points into `path`. */
const char *path_base(const char *path);
/* Does a name stand before `extension`, as ".cl", at the end of the path? */
bool path_has_extension(const char *path, const char *extension);
/* The directory of the running program's executable file; NULL when it cannot be known. */
char *path_self_directory(void);

/* write(2) until all is written; resumes after signals. */
enum status descriptor_write(int descriptor, const void *bytes, size_t size, const char *name,
                             struct error *error);

#endif
