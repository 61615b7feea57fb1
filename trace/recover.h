/* Taking over what a dead process left, and the end of every recording. trace/spool_directory.h
 * tells what is believed of what lies beside a trace. */
#ifndef TRACE_RECOVER_H
#define TRACE_RECOVER_H

#include "trace/base/status.h"
#include "trace/store.h"

#include <stdbool.h>

enum recover_state {
    RECOVER_NONE, /* no spool: the recording ended in order */
    RECOVER_LIVE, /* its process is running */
    RECOVER_LEFT, /* its process is gone, or what is there is no spool: recover_run tells */
};
enum recover_state recover_look(const char *path);

/* Stores what the spool of a dead process holds and removes it; STATUS_INVALID if what is there was
 * not left by a recording of this user. Two readers at once wait for each other. *recovered tells
 * whether there was anything to do. */
enum status recover_run(const char *path, bool *recovered, struct error *error);

/* Derives the tables, makes the indexes, notes `state` ("complete", "stopped", "recovered") and
 * folds the journal into the file. The store stays open. */
enum status recover_finish(struct store *store, const char *state, struct error *error);

/* ---- derive.c ---- */

/* The derived tables: threads, objects, programs, kernels, launches, computed from the recorded
 * calls alone. */

/* Empties and fills them, within the transaction that the caller has begun. */
enum status derive_tables(struct store *store, struct error *error);

#endif
