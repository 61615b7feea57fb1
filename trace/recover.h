/* The spool directory: claiming one, telling whether its process lives, taking over what a dead one
 * left, and the end of every recording.
 *
 * FILE.spool/process holds four lines: "clerk-spool VERSION", "process ID", "start TIME", "boot
 * ID". The process that wrote it is running if one with that id and start time runs under the same
 * boot of the machine. A fifth line, "end STATE", is there when recording ended and the trace had
 * no room for what the spool holds. */
#ifndef TRACE_RECOVER_H
#define TRACE_RECOVER_H

#include "trace/base/status.h"
#include "trace/store.h"

#include <stdbool.h>

/* Creates an empty file of a name that was free, `path` or "NAME.2.db" and so on, and its spool
 * directory with the `process` file. *claimed is absolute and freed with alloc_free. */
enum status recover_claim(const char *path, char **claimed, struct error *error);

/* Makes room for a new recording under this name: removes the trace of an earlier run, its spool,
 * and those that further processes of that run made ("NAME.2.db" ...). What is not a trace, or is
 * being recorded, is left alone and named in the error. */
enum status recover_remove(const char *path, struct error *error);
/* The file of the n-th process of a run (1 = `path` itself), freed with alloc_free. NULL when
 * memory is out. */
char *recover_numbered_path(const char *path, unsigned number);

/* "FILE.spool", freed with alloc_free; NULL when memory is out. */
char *recover_spool_path(const char *path);

enum recover_state {
    RECOVER_NONE, /* no spool: the recording ended in order */
    RECOVER_LIVE, /* its process is running */
    RECOVER_LEFT, /* its process is gone */
};
enum recover_state recover_look(const char *path);

/* Notes in the spool how recording ended ("complete", "stopped"): what is in it could not be
 * stored. */
void recover_note_end(const char *directory, const char *state);

/* Stores what the spool of a dead process holds and removes it. Two readers at once wait for each
 * other. *recovered tells whether there was anything to do. */
enum status recover_run(const char *path, bool *recovered, struct error *error);

/* Derives the tables, makes the indexes, notes `state` ("complete", "stopped", "recovered") and
 * folds the journal into the file. The store stays open. */
enum status recover_finish(struct store *store, const char *state, struct error *error);

#endif
