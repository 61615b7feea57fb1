/* Files and paths. Paths are NUL-terminated; results are freed with alloc_free.
 *
 * What the user names is opened as any program does. What clerk finds beside a trace, which may
 * come from anybody, and what it keeps for itself is *private*: no link is followed, no pipe or
 * device is opened, and what is made is for its owner alone (files 0600, directories 0700), since
 * it holds a program's memory. */
#ifndef TRACE_BASE_FILE_H
#define TRACE_BASE_FILE_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stat;

/* The whole file, with a NUL after its last byte that *size does not count. A file of more than
 * `max_size` bytes is refused (STATUS_UNSUPPORTED), and so is a pipe or a device that has not ended
 * within LIMIT_READ_SECONDS. */
enum status file_read(const char *path, size_t max_size, void **bytes, size_t *size,
                      struct error *error);
/* The same of lines of text: without a NUL byte, at which they would seem to end. */
enum status file_read_text(const char *path, size_t max_size, char **text, size_t *size,
                           struct error *error);
/* The same of a private file, which must be this user's and writable by nobody else. */
enum status file_read_private(const char *path, size_t max_size, void **bytes, size_t *size,
                              struct error *error);
/* Is there nothing of that name, or a regular file? What else is there keeps its place: a link, a
 * pipe, a device. */
bool file_is_replaceable(const char *path);
/* Replaces a regular file at once: written under another name in the same directory, then renamed.
 * What else may be at `path` (a link, a pipe, a terminal) stays, and is written into. */
enum status file_write(const char *path, const void *bytes, size_t size, struct error *error);
/* Replaces a private file, or makes it; refuses what is not a regular file. */
enum status file_write_private(const char *path, const void *bytes, size_t size,
                               struct error *error);
/* openat for a private file: with these flags, without following a link or waiting for whoever
 * should be at the other end of a pipe. STATUS_NOT_FOUND if there is none, STATUS_INVALID if it is
 * not a regular file. `path` is what messages call it; `facts` may be NULL. */
enum status file_open_private(int directory, const char *name, int flags, const char *path,
                              int *descriptor, struct stat *facts, struct error *error);
/* Has the file only this user as owner and writer, and no second name? */
bool file_is_own(const struct stat *facts);
/* The same as file_open_private for a file that has to be so; else STATUS_INVALID. */
enum status file_open_own(int directory, const char *name, int flags, const char *path,
                          int *descriptor, struct stat *facts, struct error *error);

/* Which file it is, whatever its names and descriptors are. */
struct file_identity {
    dev_t device;
    ino_t number;
};
struct file_identity file_identity_of(const struct stat *facts);
/* Does the descriptor lead to that file? */
bool file_is(int descriptor, const struct file_identity *identity);
/* Does the path, by no link, lead to the file that is open? */
bool file_is_at(int descriptor, const char *path);

bool file_exists(const char *path);
bool file_is_directory(const char *path);
/* mkdir -p; what is made is private. */
enum status directory_create_private(const char *path, struct error *error);

/* "a" and "b" to "a/b"; an absolute `name` stays as it is. NULL when memory is out. */
char *path_join(const char *directory, const char *name);
/* What stands before the last slash; "." if there is none. */
char *path_directory(const char *path);
/* The part after the last slash; points into `path`. */
const char *path_base(const char *path);
/* Does a name stand before `extension`, as ".cl", at the end of the path? */
bool path_has_extension(const char *path, const char *extension);
/* The directory of the running program's executable file; NULL when it cannot be known. */
char *path_self_directory(void);

/* write(2) until all is written; resumes after signals. */
enum status descriptor_write(int descriptor, const void *bytes, size_t size, const char *name,
                             struct error *error);

#endif
