/* The directory FILE.spool beside a trace: made, looked at, and removed.
 *
 * A trace may come from anybody, with anything beside it, and opening one may harm nobody. So the
 * directory counts as what a recording left only if it is one: a directory and no link to one, that
 * this user owns and nobody else may write to, in which clerk's file `process` is. Everything is
 * done by a descriptor of the directory that was looked at, no link is followed, and what is read
 * or removed are regular files of clerk's names that are this user's and have no second name.
 *
 * FILE.spool/process holds four lines: "clerk-spool VERSION", "process ID", "start TIME", "boot
 * ID". The process that wrote it is running if one with that id and start time runs under the same
 * boot of the machine. A fifth line, "end STATE", is there when recording ended and the trace lacks
 * what the spool holds. */
#ifndef TRACE_SPOOL_DIRECTORY_H
#define TRACE_SPOOL_DIRECTORY_H

#include "trace/base/status.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

struct stat;

/* "FILE.spool", freed with alloc_free; NULL when memory is out. */
char *spool_directory_path(const char *trace);

/* Makes the directory, with this process as its writer. It appears at once as a whole, for one
 * process alone: STATUS_NOT_FOUND when the name is taken. */
enum status spool_directory_make(const char *path, struct error *error);

/* Opens the directory for reading. STATUS_NOT_FOUND if nothing is there, STATUS_INVALID with a
 * sentence if what is there is no recording's. */
enum status spool_directory_open(const char *path, int *directory, struct error *error);

/* The name of segment `number`, and whether a name is one. */
enum { SPOOL_NAME_SIZE = 32 };
void spool_directory_segment(unsigned number, char name[SPOOL_NAME_SIZE]);
bool spool_directory_is_segment(const char *name);
/* Opens a file of an open spool; as file_open_private, and STATUS_INVALID too for a file that
 * is not this user's alone. */
enum status spool_directory_file(int directory, const char *path, const char *name, int flags,
                                 int *descriptor, struct stat *facts, struct error *error);

/* Its entries, to be closed with closedir; NULL and errno when it cannot be read. */
DIR *spool_directory_list(int directory);

/* Who writes, or wrote. */
struct spool_writer {
    int64_t process;
    bool is_running;
    char end[16]; /* "complete", "stopped"; "" = it left no word */
};
/* False when the directory has no such file that says something sensible. */
bool spool_directory_writer(int directory, struct spool_writer *writer);

/* Notes how recording ended: what the spool holds is not in the trace. */
void spool_directory_note_end(int directory, const char *state);

/* Keeps others from taking the spool over; false when it is another one's by now. Waits for a
 * while for whoever is at it, and says so then. */
enum status spool_directory_lock(int directory, const char *path, bool *is_ours,
                                 struct error *error);

/* Removes clerk's files in it, `process` last, and then the directory, unless it holds more. */
void spool_directory_remove(int directory, const char *path);
/* The same of a spool that this process made. */
void spool_directory_discard(const char *path);

#endif
